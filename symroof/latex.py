"""Text inside a LaTeX document: what is text stays text, whatever characters it has."""

from __future__ import annotations

import re

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
}
_MATHS = re.compile(r"(?<!\\)\$((?:[^$\\]|\\.)+?)(?<!\\)\$")


def escape(text: str) -> str:
    """The text with every character that TeX would act on made to print itself."""
    return "".join(_SPECIAL.get(char, char) for char in text)


def split_maths(text: str) -> list[tuple[bool, str]]:
    """A sentence cut at its `$...$` spans: (True, maths) and (False, text) in turn.

    A lone dollar sign, or one behind a backslash, is text.
    """
    parts: list[tuple[bool, str]] = []
    end = 0
    for match in _MATHS.finditer(text):
        parts += [(False, text[end : match.start()]), (True, match[1])]
        end = match.end()
    return [(maths, part) for maths, part in [*parts, (False, text[end:])] if part]


def grouped(digits: str) -> str:
    r"""A run of digits with thin spaces between groups of three from five digits on: `1\,048\,576`."""
    if len(digits) < 5:
        return digits
    head = len(digits) % 3
    groups = [digits[:head]] if head else []
    return r"\,".join(groups + [digits[at : at + 3] for at in range(head, len(digits), 3)])
