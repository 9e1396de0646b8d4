"""What a notebook shows: tables and sentences as HTML, in which `$...$` is maths that the notebook typesets."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from symroof.latex import split_sound_maths
from symroof.prose import Maths

_STARTS_MATHS = re.compile(r"[$\\]")  # in the eyes of a notebook, which looks for it within an element


def maths(formula: str) -> str:
    """A formula in a line of text."""
    return f"${html.escape(formula)}$"


def text(words: str) -> str:
    """Words that stay words: nothing in them acts as markup or as maths."""
    return _STARTS_MATHS.sub(r"<span>\g<0></span>", html.escape(words))


def prose(sentence: str) -> str:
    """A sentence: `$...$` stays maths if it is sound, the rest is text."""
    return "".join(maths(part) if is_maths else text(part) for is_maths, part in split_sound_maths(sentence))


def cell(content: Maths | str) -> str:
    return maths(content.latex) if isinstance(content, Maths) else text(content)


def heading(words: str, beside: str = "") -> str:
    """A line in bold, and text beside it."""
    return f"<p><strong>{text(words)}</strong>{f' {text(beside)}' if beside else ''}</p>"


def table(rows: Iterable[Sequence[str]], heads: Sequence[str] = ()) -> str:
    """Rows of HTML under heads of text, flush left."""
    head = f"<thead><tr>{''.join(_cell('th', text(one)) for one in heads)}</tr></thead>" if heads else ""
    body = "".join(f"<tr>{''.join(_cell('td', one) for one in row)}</tr>" for row in rows)
    return f"<table>{head}<tbody>{body}</tbody></table>"


def _cell(tag: str, content: str) -> str:
    return f'<{tag} style="text-align: left">{content}</{tag}>'


def aligned(rows: Iterable[tuple[str, str]]) -> str:
    """Formulas below each other, aligned between the two sides of each: a block of LaTeX."""
    lines = " \\\\\n".join(f"{left} &{right}" for left, right in rows)
    return f"$$\\begin{{aligned}}\n{lines}\n\\end{{aligned}}$$"
