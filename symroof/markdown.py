"""Text inside a Markdown document that GitHub renders."""

from __future__ import annotations

import re

from symroof.latex import is_sound_maths, split_maths

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~$&])")


def escape(text: str) -> str:
    """The text with every character that Markdown would act on made to print itself, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def inline(maths: str) -> str:
    """Maths in a line of text; the backticks keep Markdown's hands off it."""
    return f"$`{maths}`$"


def prose(text: str) -> str:
    """A sentence: `$...$` stays maths if it is sound, the rest is escaped."""
    pieces = []
    for maths, part in split_maths(text):
        if maths and is_sound_maths(part):
            pieces.append(inline(part))
        else:
            shown = f"${part}$" if maths else part
            lead = " " if shown[:1].isspace() and pieces else ""
            tail = " " if shown[-1:].isspace() else ""
            pieces.append(lead + escape(shown) + tail)
    return "".join(pieces)
