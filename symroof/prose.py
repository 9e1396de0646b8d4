"""The words of a report, and sentences of words and maths."""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from symroof import latex


@dataclass(frozen=True)
class Maths:
    """A formula or a figure, as LaTeX for maths mode and as plain text."""

    latex: str
    text: str


EQUALS = Maths("=", "=")  # before a figure: it is exact
ABOUT = Maths(r"\approx", "≈")  # it is rounded


@dataclass(frozen=True)
class Prose:
    """A sentence: words and maths in turn. Words may come from the author, with `$...$` in them."""

    parts: tuple[str | Maths, ...]

    @property
    def text(self) -> str:
        """For the terminal."""
        return "".join(part.text if isinstance(part, Maths) else latex.plain_prose(part) for part in self.parts)


class Sourced(str):
    """Text whose figures are somebody else's, such as a quotation, or were computed with the words around them."""


# Noncharacters, which no text has: around a figure and the exact value it was rounded from, and around all that is
# no author's words: a formula, a quotation.
_OPEN, _SHOWN, _CLOSE, _BEGIN, _END = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3", "\ufdd4"
FIGURE = re.compile(f"{_OPEN}(?P<of>[^{_SHOWN}]*)=(?P<exact>[^{_SHOWN}=]*){_SHOWN}(?P<shown>[^{_CLOSE}]*){_CLOSE}")
WRITTEN = re.compile(f"({_BEGIN}[^{_END}]*{_END})")
NEITHER = re.compile(f"[{_BEGIN}{_END}]")


def traced(latex: str, of: str, exact: str) -> str:
    """A figure that carries, unseen, what it is a figure of and the exact value in the unit shown."""
    return f"{_OPEN}{of}={exact}{_SHOWN}{latex}{_CLOSE}"


def no_words(text: str) -> str:
    """Text marked as no author's words."""
    return f"{_BEGIN}{text}{_END}"


def untraced(text: str) -> str:
    """The text as it is printed, without its traces."""
    return NEITHER.sub("", FIGURE.sub(r"\g<shown>", text))


def joined(separator: str, sentences: Sequence[Prose]) -> Prose:
    """Sentences one after the other, or pieces of one, with a separator between them."""
    parts: list[str | Maths] = []
    for sentence in sentences:
        parts += [*([separator] if parts else []), *sentence.parts]
    return Prose(tuple(parts))


@cache
def words() -> dict[str, Any]:
    return tomllib.loads((files("symroof") / "data" / "words.toml").read_text(encoding="utf-8"))


def phrase(name: str, **values: str | Maths | Prose) -> Prose:
    return filled(words()["phrase"][name], values)


def filled(template: str, values: Mapping[str, str | Maths | Prose]) -> Prose:
    """A sentence of `words.toml` with its {braces} filled in; what is filled in cannot run into the words around it."""
    parts: list[str | Maths] = []
    words_so_far = ""
    for literal, name, _, _ in string.Formatter().parse(template):
        words_so_far += literal  # doubled braces come as pieces of their own
        if name is not None:
            parts.append(words_so_far)
            words_so_far = ""
            value = values[name]
            parts += value.parts if isinstance(value, Prose) else [value]
    return Prose(tuple(part for part in (*parts, words_so_far) if part))
