"""The exact reading: each formula called on quantities, in base units, with rationals to the last line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pint

from symroof import dimensions, latex, notebook
from symroof.declared import Binding, Given, Step
from symroof.derivation import DerivationGraph
from symroof.errors import InexactError, RefusedValueError, SymroofError, UnitError, formula_raised
from symroof.expression import Expression
from symroof.numerals import Exact, exact
from symroof.prose import Maths, words
from symroof.settings import Settings
from symroof.units import (
    REGISTRY,
    Quantity,
    base_magnitude,
    converted,
    mismatch,
    quantity_both_text,
    quantity_full_latex,
    quantity_full_text,
    quantity_latex,
    quantity_text,
)


class Solution:
    """The quantities of a derivation in one case, read by name.

    `solution["t"]` is an exact quantity in the step's declared unit (a label is text); `.to("ms")` converts it.
    Each value is worked out when it is first asked for, and once.
    """

    def __init__(self, settings: Settings) -> None:
        """Raises the unit proof's error if a formula does not have its declared unit."""
        dimensions.prove(settings.derivation)
        self.settings = settings
        self._base: dict[str, Any] = {}  # quantities in base units, and labels

    @property
    def derivation(self) -> DerivationGraph:
        return self.settings.derivation

    def __getitem__(self, name: str) -> Quantity | str:
        """The quantity in its declared unit, or the label.

        Raises UnknownNameError, MissingGivenError, and RefusedValueError for a crossover or a division by zero.
        """
        if name in self.derivation.crossovers:
            raise RefusedValueError(f"{name} of {self.derivation.name} is a crossover", "solve it, it has no one value")
        self.derivation.known(name)
        for needed in self._needed(name):
            if needed not in self._base:
                self._base[needed] = self._worked_out(needed)
        worked_out = self._base[name]
        if isinstance(worked_out, str):
            return worked_out
        return converted(worked_out, self.derivation.unit_of(name))

    def shown(self, name: str, wanted: str | None = None) -> Quantity | str:
        """The quantity in a wanted unit ("ms"); else a given as it was given, a step in its declared unit.

        Raises UnitError for a unit of another dimension, or for any unit of a label.
        """
        value = self[name]
        if isinstance(value, str):
            if wanted is not None:
                raise UnitError(f"{name} is the label {value!r} and has no unit", f"ask for {name} alone")
            return value
        if wanted is not None:
            return converted(value, wanted)
        if name in self.derivation.givens:
            return converted(value, self.settings.value(name).unit)
        return value

    def __repr__(self) -> str:
        return f"<Solution of {self.derivation.name}, {self.settings}>"

    def __str__(self) -> str:
        return "\n".join(
            f"{name} {value.text if isinstance(value, Maths) else value}" for name, value in self._values()
        )

    def _repr_latex_(self) -> str:
        return notebook.aligned(
            (
                self.derivation.latex_of(name),
                value.latex if isinstance(value, Maths) else rf"\text{{{latex.escape(value)}}}",
            )
            for name, value in self._values()
        )

    def _repr_html_(self) -> str:
        column = words()["column"]
        rows = [
            [
                notebook.maths(self.derivation.latex_of(name)),
                notebook.cell(value),
                notebook.prose(self._said(name)),
            ]
            for name, value in self._values()
        ]
        heads = [column["symbol"], column["value"], column["meaning"]]
        return notebook.heading(self.derivation.title, f"({self.settings})") + notebook.table(rows, heads)

    def _values(self) -> Iterator[tuple[str, Maths | str]]:
        """Each quantity's name and value behind an equals sign, givens in full; in words what has no value."""
        for name in self.derivation.quantities:
            try:
                value = self.shown(name, self.derivation.shown_units.get(name))
            except SymroofError as error:
                yield name, f"({error.problem})"
                continue
            if isinstance(value, str):
                yield name, f"= {value}"
            elif name in self.derivation.givens:
                yield name, Maths(f"= {quantity_full_latex(value)}", f"= {quantity_full_text(value)}")
            else:
                is_exact = quantity_text(value) == quantity_full_text(value)
                sign = "=" if is_exact else r"\approx"
                yield name, Maths(f"{sign} {quantity_latex(value)}", f"= {quantity_both_text(value)}")

    def _said(self, name: str) -> str:
        """What the author says of a quantity."""
        item = self.derivation.items[name]
        return item.description if isinstance(item, Given) else item.sentence if isinstance(item, Step) else ""

    def number(self, name: str) -> Exact:
        """The quantity as an exact number of base units."""
        value = self[name]
        if isinstance(value, str):
            raise UnitError(f"{name} is the label {value!r}, not a number", "ask for the quantities it compares")
        return base_magnitude(value)

    def compute(self, expression: Expression) -> Quantity:
        """Text over the derivation's names as an exact quantity in base units."""
        for name in expression.names:
            self.number(name)
        outcome = expression.compute({name: self._base[name] for name in expression.names})
        return _normalised(outcome, expression.text)

    def _needed(self, name: str) -> list[str]:
        """The name and all it depends on, including what givens are set to, in working order."""
        needed: list[str] = []
        for ancestor in self.derivation.ancestors([name]):
            for linked in self._links(ancestor):
                if linked not in needed:
                    needed.append(linked)
        return needed

    def _links(self, name: str) -> list[str]:
        """A given after the givens it is set to an expression of."""
        before = [link for used in self.settings.depends_on(name) for link in self._links(used)]
        return [*before, name]

    def _worked_out(self, name: str) -> Any:
        item = self.derivation.items[name]
        match item:
            case Given():
                return self._given(item)
            case Step():
                return self._step(item)
            case Binding():
                return self._label(item)
        raise AssertionError(name)

    def _given(self, given: Given) -> Quantity:
        content = self.settings.value(given.name).content
        if isinstance(content, Expression):
            try:
                linked = _normalised(content.compute(self._base), content.text)
                content = given.checked(linked, anywhere=self.settings.anywhere)
            except SymroofError as error:
                raise error.within(f"{given.name}={content}") from None
        return content.to_base_units()

    def _step(self, step: Step) -> Any:
        arguments = {parameter: self._base[parameter] for parameter in step.parameters}
        try:
            outcome = step.function(**arguments)
            return outcome if isinstance(outcome, str) else _normalised(outcome, step.name)
        except ZeroDivisionError:
            zeros = [name for name, value in arguments.items() if not value.magnitude]
            because = f": {', '.join(zeros)} = 0" if zeros else ""
            raise RefusedValueError(f"step {step.name} divides by zero{because}", "set other values") from None
        except pint.DimensionalityError as error:
            raise UnitError(f"step {step.name}: {mismatch(error)[0]}", "mend the formula") from None
        except SymroofError as error:
            raise error.within(f"step {step.name}") from None
        except Exception as error:  # the author's formula may raise anything
            raise formula_raised(step.name, error) from None

    def _label(self, binding: Binding) -> str:
        best, *others = binding.parameters
        for term in others:
            if self._base[term] > self._base[best]:
                best = term
        return binding.labels[best]


def _normalised(outcome: Any, what: str) -> Quantity:
    """An exact quantity in base units; a plain number becomes one without a unit."""
    if not isinstance(outcome, pint.Quantity):
        outcome = REGISTRY.Quantity(outcome, "")
    try:
        number = exact(outcome.to_base_units().magnitude)
    except TypeError:
        raise InexactError(
            f"{what} gives {outcome.magnitude!r}, which is not an exact real number", "return a quantity or a number"
        ) from None
    return REGISTRY.Quantity(number, outcome.to_base_units().units)
