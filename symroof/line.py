"""The line of an equation's unknown from 0 to infinity, at the values given: where left - right is zero, its sign
in between, and what that sign means."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import sympy

from symroof.derivation import DerivationGraph
from symroof.dimensions import of_expression
from symroof.equation import Branch, Equation, Stretch
from symroof.evaluate import Solution
from symroof.expression import Expression, Relation
from symroof.forms import normalised
from symroof.numerals import Exact, exact
from symroof.signs import compare
from symroof.syntax import Literal, Name
from symroof.units import DIMENSIONLESS, Unit, base_magnitude, from_base, quantity_text, unit
from symroof.zeros import ascending, middle

_SHORT = 20  # operations up to which a limit is written out


@dataclass(frozen=True)
class Zero:
    """A positive value of the unknown, in base units, at which the two sides are equal, and the branches it is on."""

    value: Exact
    branches: tuple[Branch, ...]


class Line:
    def __init__(self, equation: Equation) -> None:
        self.equation = equation
        self.unknown = equation.unknown

    @cached_property
    def stretches(self) -> list[Stretch]:
        """The whole line, cut only where the sign changes: a lone zero or pole is a stretch of its own.

        Raises the exact reading's error where the equation is defined nowhere.
        """
        found = self.equation.stretches(self.equation.branches)
        if [one.sign for one in found] == [None]:
            self._work_out(Fraction(1))
        return found

    def _work_out(self, value: Fraction) -> None:
        """Both sides in the exact reading, which says what is wrong where something is."""
        equation = self.equation
        declared = equation.derivation.unit_of(equation.name)
        measured = from_base(value, declared)
        solution = Solution(equation.settings.at_point(equation.name, measured))
        for side in (equation.relation.left, equation.relation.right):
            solution.compute(side)

    @cached_property
    def zeros(self) -> list[Zero]:
        """All positive zeros, ascending; where the sides are equal on a whole stretch, its ends."""
        ends = [
            end
            for stretch in self.stretches
            if stretch.sign == 0
            for end, included in ((stretch.low, stretch.low_included), (stretch.high, stretch.high_included))
            if included and end is not None
        ]
        branches, at = self.equation.branches, self.equation.at
        return [Zero(end, tuple(one for one in branches if one.holds(at(end)))) for end in ascending(ends)]

    def sign_at(self, value: Exact) -> int | None:
        """The sign of left - right where the unknown has that many base units, or None where it is not defined."""
        return self.equation.sign_at(self.equation.branches, value)

    def around(self, value: Exact) -> tuple[int | None, int | None]:
        """The signs just below and just above a value."""
        below = next(
            one.sign
            for one in self.stretches
            if compare(one.low, value) < 0 and (one.high is None or compare(value, one.high) <= 0)
        )
        above = next(
            one.sign
            for one in self.stretches
            if compare(one.low, value) <= 0 and (one.high is None or compare(value, one.high) < 0)
        )
        return below, above

    def branch_between(self, expression: sympy.Expr, low: Exact, high: Exact | None) -> Branch | None:
        """The branch of an expression in the equation that holds from low to high throughout, if one does."""
        branches = self.equation.composed(expression)
        for place in self.equation.places(one.difference for branch in branches for one in branch.conditions):
            if compare(low, place) < 0 and (high is None or compare(place, high) < 0):
                return None
        values = self.equation.at(middle(low, high))
        return next((branch for branch in branches if branch.holds(values)), None)

    def ends(self) -> str:
        """What the two sides come to at both ends of the line, where that can be said: why they never meet."""
        relation, name = self.equation.relation, self.equation.name
        left, right = (self._depends(side) for side in (relation.left, relation.right))
        if not left and not right:
            return f"neither side depends on {name}"
        algebra = self.equation.algebra
        sides = [algebra.expression(side, keep_units=True) for side in (relation.left, relation.right)]
        if left and right:
            ratio = sides[0] / sides[1]
            tends = self._tends(f"{_grouped(relation.left)}/{_grouped(relation.right)}", ratio, DIMENSIONLESS)
        else:
            moving, fixed = (relation.left, relation.right) if left else (relation.right, relation.left)
            measured = self._unit(moving)
            tends = self._tends(moving.text, sides[0] if left else sides[1], measured)
            if tends and isinstance(fixed.root, Name):
                value = base_magnitude(self.equation.solution.compute(fixed))
                tends += f", while {fixed} is {_shown(value, measured)}"
        return tends or f"{relation.left} and {relation.right} never meet"

    def _depends(self, side: Expression) -> bool:
        return bool({*self.equation.reached, self.equation.name}.intersection(side.names))

    def _unit(self, side: Expression) -> Unit:
        """The declared unit of a side that is a name, else base units."""
        if isinstance(side.root, Name):
            return self.equation.derivation.unit_of(side.root.name)
        dimension = of_expression(self.equation.derivation, side)
        return unit(str(dimension)) if dimension.powers else DIMENSIONLESS

    def _tends(self, text: str, expression: sympy.Expr, measured: Unit) -> str:
        """`AI tends to 0 FLOP/byte as m goes to 0 and to 64 FLOP/byte as m grows`, as far as these are finite."""
        name = self.equation.name
        limits = ((f"as {name} goes to 0", self._limit(expression, up=False)),
                  (f"as {name} grows", self._limit(expression, up=True)))  # fmt: skip
        found = [f"to {self._limit_shown(limit, measured)} {words}" for words, limit in limits if limit is not None]
        return f"{text} tends {' and '.join(found)}" if found else ""

    def _limit_shown(self, limit: sympy.Expr, measured: Unit) -> str:
        """`c*k*n/(s*(k + n)) = 64 FLOP/byte`"""
        value = _shown(exact(self.equation.at_values(limit)), measured)
        written = normalised(limit)
        short = not written.is_number and sympy.count_ops(written) <= _SHORT
        return f"{self.equation.algebra.writer.text(written)} = {value}" if short else value

    def _limit(self, expression: sympy.Expr, *, up: bool) -> sympy.Expr | None:
        """The finite limit at an end of the line, on the branch that holds there; None where it is not evident."""
        differences = (part for branch in self.equation.branches for part in branch.differences)
        places = [Fraction(0), *self.equation.places(differences), None]
        values = self.equation.at(middle(*places[-2:]) if up else middle(*places[:2]))
        for branch in self.equation.composed(expression):
            if branch.holds(values) and not branch.difference.has(sympy.ceiling, sympy.floor):
                turned = branch.difference.xreplace({self.unknown: 1 / self.unknown}) if up else branch.difference
                limit = sympy.cancel(sympy.together(turned)).subs(self.unknown, 0)
                at_values = self.equation.at_values(limit)
                return limit if at_values.is_finite and at_values.is_real else None
        return None


def _grouped(side: Expression) -> str:
    return str(side) if isinstance(side.root, (Literal, Name)) else f"({side})"


def _shown(value: Exact, measured: Unit) -> str:
    return quantity_text(from_base(value, measured))


def said(derivation: DerivationGraph, relation: Relation, difference: int | None) -> str:
    """What holds where left - right has that sign: the binding's label if one compares the two sides."""
    left, right = relation.left.text, relation.right.text
    if difference is None:
        return f"{left} or {right} is not defined"
    if difference:
        larger = left if difference > 0 else right
        for binding in derivation.bindings.values():
            if set(binding.labels) == {left, right}:
                return binding.labels[larger]
        for crossover in derivation.crossovers.values():
            if crossover.relation.text == relation.text and crossover.less and crossover.more:
                return crossover.more if difference > 0 else crossover.less
    return f"{left} {'=' if difference == 0 else '>' if difference > 0 else '<'} {right}"
