"""One case of a derivation as a report shows it: symbols, quantities in their display units, traced figures."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from symroof import latex
from symroof.algebra import Algebra
from symroof.derivation import Crossover, split_column
from symroof.evaluate import Solution
from symroof.expression import Expression
from symroof.numerals import SIGNIFICANT, Exact, Figure, exact, figure, full_text
from symroof.prose import Maths, traced
from symroof.settings import Settings
from symroof.units import (
    Quantity,
    Unit,
    base_magnitude,
    quantity,
    quantity_full_latex,
    quantity_full_text,
    quantity_latex,
    quantity_text,
    unit,
)

_TRACED_DIGITS = 40  # of an irrational value, which has no end


class Case:
    """A derivation with all its givens set, and how its symbols and values are written."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.derivation = settings.derivation
        self.solution = Solution(settings)
        columns = (split_column(column) for column in self.derivation.example.show)
        self._display_units = {name: wanted for name, wanted in columns if wanted is not None}

    @cached_property
    def algebra(self) -> Algebra:
        return Algebra(self.derivation)

    def symbol(self, name: str) -> Maths:
        return Maths(self.derivation.latex_of(name), name)

    def quantity(self, name: str) -> Quantity | str:
        """The value of a quantity, in the unit of the example's columns where they say one."""
        return self.solution.shown(name, self._display_units.get(name))

    def unit(self, name: str) -> Unit:
        return unit(self._display_units[name]) if name in self._display_units else self.derivation.unit_of(name)

    def value(self, name: str) -> Maths:
        """The rounded value of a quantity, or its label."""
        value = self.quantity(name)
        return label(value) if isinstance(value, str) else rounded(value, name)

    def in_line(self, name: str) -> Maths:
        """A parameter's value inside a substituted line: givens in full, results rounded."""
        value = self.quantity(name)
        if name in self.derivation.givens and not isinstance(value, str):
            return in_full(value, name)
        return self.value(name)

    def in_unit_of(self, name: str, number: Exact) -> Quantity:
        """A number of base units, such as a difference of two quantities, in the unit of one of them."""
        shown = self.unit(name)
        return quantity(exact(number / base_magnitude(quantity(1, shown))), shown)

    def equation(self, name: str) -> Maths:
        """`t = 28.19 ms`"""
        return equation(self.symbol(name), self.in_line(name))

    def expression(self, expression: Expression) -> Maths:
        written = self.algebra.writer.latex(self.algebra.expression(expression, keep_units=True))
        return Maths(written, expression.text)

    def side(self, crossover: Crossover, holds: str) -> str | Maths:
        """What holds on one side of a root: a label as it is, an inequality as maths."""
        left, right = crossover.relation.left, crossover.relation.right
        for sign in "<>=":
            if holds == f"{left.text} {sign} {right.text}":
                return Maths(f"{self.expression(left).latex} {sign} {self.expression(right).latex}", holds)
        return holds


def equation(symbol: Maths, value: Maths) -> Maths:
    return Maths(f"{symbol.latex} = {value.latex}", f"{symbol.text} = {value.text}")


def label(text: str) -> Maths:
    return Maths(rf"\text{{{latex.escape(text)}}}", text)


def rounded(value: Quantity, of: str, digits: int = SIGNIFICANT) -> Maths:
    """The rounded figure with its unit, traced to what it is a value of."""
    return Maths(
        traced(quantity_latex(value, digits), of, _exactly(exact(value.magnitude))), quantity_text(value, digits)
    )


def in_full(value: Quantity, of: str) -> Maths:
    """The value with nothing lost."""
    return Maths(traced(quantity_full_latex(value), of, _exactly(exact(value.magnitude))), quantity_full_text(value))


def bare(value: Exact, of: str) -> Maths:
    """The rounded figure of a plain number, or of one whose unit stands elsewhere."""
    shown: Figure = figure(value)
    return Maths(traced(shown.latex(), of, _exactly(value)), shown.text())


def count(number: int, of: str) -> Maths:
    """A whole number in full."""
    return in_full(quantity(number), of)


def is_exact(value: Quantity, shown: Maths) -> bool:
    """Whether a figure has lost nothing."""
    return shown.text == quantity_full_text(value)


def _exactly(value: Exact) -> str:
    """The exact value for a trace; an irrational one with so many digits that a wrong one shows."""
    return full_text(value) if isinstance(value, Fraction) else figure(value, _TRACED_DIGITS).text()
