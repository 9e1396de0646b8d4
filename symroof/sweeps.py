"""The NumPy reading: the same formulas over many points at once, in double precision.

A sweep is a straight line through the steps, each formula called once on whole columns in base units. Where a
formula has branches, each branch is worked out and the one that applies is picked point by point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symroof import dimensions
from symroof.branches import explore
from symroof.declared import Given, Step, split_column
from symroof.errors import RefusedValueError, SymroofError, UnitError, formula_raised
from symroof.expression import Expression
from symroof.numerals import Exact, as_float
from symroof.settings import Settings
from symroof.units import (
    DIMENSIONLESS,
    Dimension,
    Unit,
    base_magnitude,
    quantity,
    quantity_full_text,
    unit,
    unit_text,
)

Array = NDArray[np.float64]

MAX_POINTS = 10_000_000


@dataclass(frozen=True)
class Column:
    """One quantity over all points, in its unit; labels have none."""

    name: str
    unit: Unit
    values: NDArray[Any]

    @property
    def title(self) -> str:
        shown = unit_text(self.unit)
        return f"{self.name} ({shown})" if shown else self.name


def sweep(
    settings: Settings,
    over: Mapping[str, Sequence[Any]],
    show: Sequence[str],
    before_each: Callable[[str], None] = lambda _: None,
) -> list[Column]:
    """The columns of a table: each swept symbol, then each of `show` ("t:ms"), over all combinations.

    Values are numbers in the given's declared unit. `before_each` is told each column before it is worked out. Raises
    UnknownNameError, UnitError, MissingGivenError, and RefusedValueError for a value that is not finite or more than
    ten million points.
    """
    dimensions.prove(settings.derivation)
    return _Sweep(settings, over).columns(show, before_each)


class _Sweep:
    def __init__(self, settings: Settings, over: Mapping[str, Sequence[Any]]) -> None:
        self.settings = settings
        self.derivation = settings.derivation
        axes = {name: self._axis(name, values) for name, values in over.items()}
        points = int(np.prod([len(axis) for axis in axes.values()], dtype=object)) if axes else 1
        if points > MAX_POINTS:
            raise RefusedValueError(
                f"the sweep has {points:,} points; the limit is {MAX_POINTS:,}", "sweep fewer values"
            )
        grids = np.meshgrid(*axes.values(), indexing="ij")
        self.swept: dict[str, Array] = {name: grid.ravel() for name, grid in zip(axes, grids, strict=True)}
        self.base: dict[str, Any] = {}

    def _axis(self, name: str, values: Sequence[Any]) -> Array:
        """The values of one swept given as floats in its declared unit, each checked as if it were set."""
        given = self.derivation.givens.get(name)
        if given is None:
            self.settings.with_values({name: 1})  # raises: no such given
        try:
            axis = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise RefusedValueError(f"{name} is swept over something that is no number", "give plain numbers") from None
        if axis.ndim != 1 or not len(axis):
            raise RefusedValueError(f"{name} is swept over no list of values", "give at least one value")
        assert given
        return _checked(given, axis, float(base_magnitude(quantity(1, given.unit))))

    def columns(self, show: Sequence[str], before_each: Callable[[str], None]) -> list[Column]:
        found = [Column(name, self.derivation.unit_of(name), values) for name, values in self.swept.items()]
        points = len(found[0].values) if found else 1
        for text in show:
            before_each(text)
            name, wanted = split_column(text)
            self.derivation.known(name)
            values = np.broadcast_to(self.values(name), (points,))
            if values.dtype.kind == "U":
                found.append(Column(name, DIMENSIONLESS, values))
                continue
            measured = self._unit(name, wanted)
            found.append(Column(name, measured, values / float(base_magnitude(quantity(1, measured)))))
        return found

    def _unit(self, name: str, wanted: str | None) -> Unit:
        declared = self.derivation.unit_of(name)
        if wanted is None:
            return declared
        measured = unit(wanted)
        if not Dimension.of(measured).same(Dimension.of(declared)):
            raise UnitError(
                f"{name} is measured in {unit_text(declared) or 'plain numbers'} and cannot be shown in {wanted}",
                f"for example {name}:{unit_text(declared)}" if unit_text(declared) else f"write {name}",
            )
        return measured

    def values(self, name: str) -> Any:
        """A quantity in base units at every point, or one number where it is the same everywhere."""
        with np.errstate(all="ignore"):  # what is not finite is an error below
            for needed in self.derivation.ancestors([name]):
                if needed not in self.base:
                    self.base[needed] = self._worked_out(needed)
        return self.base[name]

    def _worked_out(self, name: str) -> Any:
        if name in self.derivation.givens:
            return self._given(name)
        if name in self.derivation.bindings:
            return self._label(name)
        step = self.derivation.steps[name]
        values = self._step(step)
        if values.dtype.kind != "U" and not np.all(np.isfinite(values)):
            at = int(np.argmin(np.isfinite(np.broadcast_to(values, (len(next(iter(self.swept.values()), [0])),)))))
            point = ", ".join(f"{swept} = {column[at]:g}" for swept, column in self.swept.items())
            raise RefusedValueError(f"{name} is not a finite number at {point or 'these values'}", "sweep other values")
        return values

    def _given(self, name: str) -> Any:
        given = self.derivation.givens[name]
        if name in self.swept:
            swept = _checked(given, self.swept[name] * float(base_magnitude(quantity(1, given.unit))))
            return swept if given.efficiency is None else swept * self.values(given.efficiency)
        content = self.settings.value(name).content
        if not isinstance(content, Expression):
            return _checked(given, _column(_double(base_magnitude(content))))
        for used in content.names:
            self.values(used)
        values = content.compute(
            {used: self.base[used] for used in content.names},
            lambda literal: _double(base_magnitude(quantity(literal.number, literal.unit))),
        )
        return _checked(given, _column(values))

    def _step(self, step: Step) -> NDArray[Any]:
        arguments = {parameter: self.base[parameter] for parameter in step.parameters}
        try:
            branches = explore(step.function, arguments)
        except SymroofError as error:
            raise error.within(f"step {step.name}") from None
        except Exception as error:  # the author's formula may raise anything
            raise formula_raised(step.name, error) from None
        if len(branches) == 1:
            return _column(branches[0].value)
        cases = [
            np.logical_and.reduce([held if holds else ~held for held, holds in branch.conditions])
            for branch in branches
        ]
        *columns, last = (_column(branch.value) for branch in branches)
        return np.select(cases[:-1], columns, default=last)

    def _label(self, name: str) -> NDArray[np.str_]:
        labels = self.derivation.bindings[name].labels
        terms = np.broadcast_arrays(*(self.base[term] for term in labels))
        largest = np.argmax(terms, axis=0)  # the first of a tie
        return np.asarray(np.asarray(list(labels.values()))[largest])


def _double(number: Exact) -> np.float64:
    found = as_float(number)
    return np.float64(np.inf if found is None else found)


def _column(value: Any) -> NDArray[Any]:
    """Numbers in double precision, which unlike whole ones in 64 bits do not wrap round; labels as they are."""
    column = np.asarray(value)
    return column if column.dtype.kind == "U" else column.astype(np.float64)


def _checked(given: Given, values: Array, measure: float = 1.0) -> Array:
    """The values, in units of so many base units, if the given may have all of them."""
    bad = ~np.isfinite(values) | (values < 0)
    if given.count:
        bad = ~np.isfinite(values) | (values < 1) | (values != np.floor(values))
    rule = "a count, and a whole number from 1 up" if given.count else "zero or positive"
    if given.most is not None:
        bad |= values * measure > _double(base_magnitude(given.most))
        rule = f"{rule}, and not more than {quantity_full_text(given.most)}"
    if np.any(bad):
        raise RefusedValueError(
            f"{given.name} is {rule}; {np.atleast_1d(values)[np.atleast_1d(bad)][0]:g} is not",
            "sweep over other values",
        )
    return values
