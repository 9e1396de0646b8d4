"""Givens whose value is a range: `1.3..1.555 TB/s`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from symroof.declared import Given
from symroof.derivation import DerivationGraph
from symroof.errors import RefusedValueError, SymroofError
from symroof.expression import value
from symroof.units import Quantity, base_magnitude, quantity, quantity_full_text


class Range(NamedTuple):
    """Two values of a given, the lower one first."""

    low: Quantity
    high: Quantity


def read_range(text: str, given: Given) -> Range | None:
    """The range that text such as `1.3..1.555 TB/s` says, or None where the text has no `..`.

    A low end without a unit has that of the high end. Raises RefusedValueError for a range that is none, and the
    errors of reading and checking a value.
    """
    if ".." not in text:
        return None
    ends = [end.strip() for end in text.split("..")]
    if len(ends) != 2 or not all(ends):
        raise RefusedValueError(f"{text.strip()!r} is no range", f"write LOW..HIGH, for example {given.name}=1..2")
    low, high = (value(end) for end in ends)
    if low.unitless:
        low = quantity(low.magnitude, high.units)
    found = Range(given.checked(low), given.checked(high))
    refuse_descending(found)
    return found


def refuse_descending(ends: tuple[Quantity, Quantity]) -> None:
    """Raises RefusedValueError where the low end is above the high one."""
    low, high = ends
    if base_magnitude(low) > base_magnitude(high):
        shown = " is above ".join(quantity_full_text(end) for end in ends)
        raise RefusedValueError(f"a range starts at its low end, and {shown}", "write the smaller value first")


def read_ranges(derivation: DerivationGraph, assignments: Mapping[str, str]) -> tuple[dict[str, str], dict[str, Range]]:
    """The assignments that are no ranges, and those that are. Raises as `read_range` does."""
    ranges: dict[str, Range] = {}
    for name, text in assignments.items():
        try:
            found = read_range(text, derivation.givens[name]) if name in derivation.givens else None
        except SymroofError as error:
            raise error.within(f"{name}={text}") from None
        if found is not None:
            ranges[name] = found
    return {name: text for name, text in assignments.items() if name not in ranges}, ranges
