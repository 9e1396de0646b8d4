"""An author's sentence with blanks for values: `With {L} layers it takes {t:ms}`."""

from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import dataclass

from symroof import units
from symroof.errors import AuthoringError
from symroof.expression import Expression, parse
from symroof.latex import split_maths


@dataclass(frozen=True)
class Blank:
    """A place for the value of an expression; with a unit, in that unit; `named`, behind its symbol: `m = 8192`."""

    expression: Expression
    unit: str | None
    named: bool


@dataclass(frozen=True)
class Template:
    """Words, which may hold `$...$`, and blanks in turn."""

    parts: tuple[str | Blank, ...]

    @property
    def blanks(self) -> list[Blank]:
        return [part for part in self.parts if isinstance(part, Blank)]


def template(text: str) -> Template:
    """Reads `{t}`, `{t:ms}`, `{M - C:GiB}` and `{m=}` as blanks; braces inside `$...$` are left alone.

    Raises AuthoringError for braces that do not match, ParseError for what is no expression, UnitError and
    UnknownNameError for what is no unit.
    """
    parts: list[str | Blank] = []
    for maths, part in split_maths(text):
        parts += [f"${part}$"] if maths else _parts(part)
    return Template(tuple(parts))


def _parts(text: str) -> Iterator[str | Blank]:
    try:
        pieces = list(string.Formatter().parse(text))
    except ValueError:
        raise AuthoringError(
            f"the braces in {text!r} do not match", "write {t} or {t:ms} for a value, {{ and }} for braces"
        ) from None
    for words, field, measured, _ in pieces:
        if words:
            yield words
        if field is not None:
            named = field.endswith("=")
            if measured:
                units.unit(measured)
            yield Blank(parse(field.removesuffix("=")), measured or None, named)
