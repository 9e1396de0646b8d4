"""Text inside a Markdown document that GitHub renders."""

from __future__ import annotations

import re

from symroof.latex import WEB_ADDRESS, split_sound_maths

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~$&])")
_LIST_MARK = re.compile(r"^(\s?(?:\d+(?=\.)|(?=-)))([-.])(?=\s)")


def escape(text: str) -> str:
    """The text with every character that Markdown would act on made to print itself, on one line.

    A web address becomes a link: GitHub finds it in any case, and takes a backslash in it for a part of it.
    """
    pieces = WEB_ADDRESS.split(" ".join(text.split()))
    return "".join(f"<{piece}>" if at % 2 else _SPECIAL.sub(r"\\\1", piece) for at, piece in enumerate(pieces))


def inline(maths: str) -> str:
    """Maths in a line of text; the backticks keep Markdown's hands off it, but a table's cells still end at `|`."""
    bars = maths.replace(r"\|", r"\Vert ").replace("|", r"\vert ")
    return f"$`{bars}`$"


def prose(text: str) -> str:
    """A sentence: `$...$` stays maths if it is sound, the rest is escaped."""
    pieces = []
    for maths, part in split_sound_maths(text):
        if maths:
            pieces.append(inline(part))
        else:
            lead = " " if part[:1].isspace() else ""
            tail = " " if part[-1:].isspace() else ""
            pieces.append(lead + escape(part) + tail)
    return _LIST_MARK.sub(r"\1\\\2", "".join(pieces))
