"""The errors that symroof raises, each of which says what was given, which rule it broke and what to try.

`str(error)` is the text a user sees: the problem on the first line, and where there is one, the hint below it.
The fields stay available for programs.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Self


class SymroofError(Exception):
    """Base of all errors that a user's input can cause.

    `problem` says what was given and which rule it broke, `hint` says what to try.
    """

    def __init__(self, problem: str, hint: str = "") -> None:
        super().__init__(problem, hint)
        self.problem = problem
        self.hint = hint

    def within(self, place: str) -> Self:
        """The same error, saying first where it happened."""
        self.problem = f"{place}: {self.problem}"
        return self

    def __str__(self) -> str:
        return f"{self.problem}\n{self.hint}" if self.hint else self.problem


class UnknownNameError(SymroofError):
    """A name that nothing defines: `kind` says of what (chip, quantity, unit ...), `known` what there is."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, where: str = "") -> None:
        self.kind, self.name, self.known, self.where = kind, name, tuple(known), where
        place = f" in {where}" if where else ""
        super().__init__(f"unknown {kind} {name!r}{place}", suggestion(name, self.known))


class ParseError(SymroofError):
    """Text that does not follow the grammar; `position` is the offset of the first character at fault."""

    def __init__(self, text: str, position: int, problem: str, hint: str = "") -> None:
        self.text, self.position = text, position
        super().__init__(f"{problem}\n{_pointer(text, position)}", hint)


class UnitError(SymroofError):
    """Two dimensions that do not go together, or a unit that is unknown or ambiguous."""


class RefusedValueError(SymroofError):
    """A value that its given does not allow: a count that is no whole number, a negative size."""


class MissingGivenError(SymroofError):
    """A given that has neither a value, nor a default, nor a figure in the chip."""

    def __init__(self, name: str, description: str, derivation: str, example: str) -> None:
        self.name, self.derivation = name, derivation
        about = f" ({description})" if description else ""
        super().__init__(f"{derivation} needs a value for {name}{about}", f"set it: --set {name}={example}")


class AuthoringError(SymroofError):
    """A derivation that is wrong in itself: a cycle, a name given twice, a parameter nothing defines."""


def formula_raised(step: str, error: Exception) -> AuthoringError:
    """What to say of a formula that raised an error of its own."""
    return AuthoringError(
        f"step {step} raises {type(error).__name__}: {error}",
        "a formula uses + - * / ** and symroof's largest, smallest, ceil, floor, sqrt, total",
    )


class InexactError(SymroofError):
    """A float, or another number that is not exact, where symroof calculates exactly."""


class LoadError(SymroofError):
    """A derivation file that is missing, is not Python, raises, or does not define exactly one derivation."""


class OutputError(SymroofError):
    """A place that cannot be written to."""


class TypesettingError(SymroofError):
    """No TeX engine, a document it cannot set, a run that failed or took too long."""


class TemplateError(SymroofError):
    """A report template that cannot be read or filled in."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """What to try instead of an unknown name: the nearest ones if any is near, else all there are."""
    names = list(known)
    if not names:
        return ""
    folded = {candidate.casefold(): candidate for candidate in names}
    near = [folded[match] for match in get_close_matches(name.casefold(), list(folded), n=3, cutoff=0.6)]
    if near:
        return f"did you mean {listing(near, 'or')}?"
    return f"known: {', '.join(names)}"


def listing(items: Iterable[str], joint: str = "and") -> str:
    """`a, b and c`"""
    *head, last = list(items)
    return f"{', '.join(head)} {joint} {last}" if head else last


# A caret under a long text is of use only if both fit on a line.
_CONTEXT = 60


def clipped(text: str) -> str:
    """Text short enough for one line of an error."""
    return text if len(text) <= _CONTEXT else f"{text[:_CONTEXT]}..."


def _pointer(text: str, position: int) -> str:
    """The part of the text around a position, and a caret below it."""
    start = max(0, position - _CONTEXT)
    shown = text[start : position + _CONTEXT]
    shown = "".join(char if char.isprintable() else "?" for char in shown)
    head = "..." if start else ""
    tail = "..." if position + _CONTEXT < len(text) else ""
    return f"  {head}{shown}{tail}\n  {' ' * (len(head) + position - start)}^"
