"""One case of a derivation as a report shows it: symbols, quantities in their display units, traced figures."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from symroof import dimensions, latex
from symroof.algebra import Algebra
from symroof.declared import Crossover
from symroof.errors import SymroofError
from symroof.evaluate import Solution
from symroof.expression import Expression
from symroof.numerals import SIGNIFICANT, Exact, Figure, exact, figure, full_text
from symroof.prose import Maths, traced
from symroof.settings import Settings
from symroof.units import (
    Quantity,
    Unit,
    base_magnitude,
    from_base,
    quantity,
    quantity_full_latex,
    quantity_full_text,
    quantity_latex,
    quantity_text,
    unit,
    unit_text,
)

_TRACED_DIGITS = 40  # of an irrational value, which has no end

# A step declared in one of these is shown with the prefix that suits its value; any other unit is meant as it is.
_PREFIXED = {
    "s": ("ns", "us", "ms", "s"),
    "FLOP": ("FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"),
    "byte": ("byte", "kB", "MB", "GB", "TB", "PB", "EB"),
    "FLOP/s": ("FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s", "EFLOP/s"),
    "byte/s": ("byte/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s", "EB/s"),
}
_SMALLEST_SHOWN, _LARGEST_SHOWN = Fraction(1, 10), 1_000  # a figure in between needs no other prefix


class Case:
    """A derivation with all its givens set, and how its symbols and values are written."""

    def __init__(self, settings: Settings, beside: Case | None = None) -> None:
        """`beside` another case of the same derivation, quantities have the units they have there."""
        self.settings = settings
        self.derivation = settings.derivation
        self.solution = Solution(settings)
        self._display_units: dict[str, str] = beside._display_units if beside else self._suitable_units()

    def _suitable_units(self) -> dict[str, str]:
        """The unit each step is shown in: that of the example's columns, else one that is in use and suits its value,
        else the prefix that does. So times of one report share a unit where they can."""
        derivation = self.derivation
        found = derivation.shown_units
        for name in derivation.order():
            if name not in derivation.steps or name in found or dimensions.is_label(derivation, name):
                continue
            choices = _PREFIXED.get(unit_text(derivation.unit_of(name)))
            if choices is None:
                continue
            try:
                size = abs(self.solution.number(name))
            except SymroofError:  # what cannot be worked out is not shown either
                continue
            if size:
                in_use = [one for one in reversed(choices) if one in found.values()]
                reached = [one for one in choices if size >= base_magnitude(quantity(1, one))]
                largest = reached[-1] if reached else choices[0]
                found[name] = next(one for one in (*in_use, largest) if one == largest or _suits(size, one))
        return found

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
        return from_base(number, self.unit(name))

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


def _suits(size: Exact, shown: str) -> bool:
    return bool(_SMALLEST_SHOWN <= size / base_magnitude(quantity(1, shown)) < _LARGEST_SHOWN)


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
