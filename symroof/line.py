"""The line of an equation's unknown from 0 to infinity, at the values given: where left - right is zero, its sign
in between, and what that sign means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import sympy

from symroof.algebra import rational
from symroof.derivation import DerivationGraph
from symroof.dimensions import of_expression
from symroof.equation import Branch, Condition, Equation, sign
from symroof.evaluate import Solution
from symroof.expression import Expression, Literal, Name, Relation
from symroof.numerals import Exact, exact
from symroof.units import DIMENSIONLESS, Unit, base_magnitude, quantity, quantity_text, unit
from symroof.zeros import Zeros, middle, zeros_of


@dataclass(frozen=True)
class Zero:
    """A positive value of the unknown, in base units, at which the two sides are equal, and the branch it is on."""

    value: Exact
    branch: Branch


class Line:
    def __init__(self, equation: Equation) -> None:
        self.equation = equation
        self.unknown = equation.unknown

    @cached_property
    def zeros(self) -> list[Zero]:
        """All positive zeros, ascending, each once though it may lie on the border of two branches."""
        found = [
            Zero(value, branch)
            for branch, zeros in self._solved
            for value in zeros.zeros
            if all(self._holds(condition, value) for condition in branch.conditions)
        ]
        # Where the sides are equal on a whole stretch, its ends are zeros too.
        for branch in self.equation.branches:
            if sympy.cancel(sympy.together(self.equation.at_values(branch.difference))) == 0:
                borders = (value for condition in branch.conditions for value in self._border(condition))
                found += [Zero(value, branch) for value in borders if self.sign_at(value) == 0]
        found.sort(key=lambda zero: zero.value)
        return [zero for at, zero in enumerate(found) if at == 0 or not same(zero.value, found[at - 1].value)]

    @cached_property
    def stops(self) -> list[Exact]:
        """The zeros, and every other place at which the sign may change: poles, jumps, borders of branches."""
        places = [zero.value for zero in self.zeros]
        for branch, zeros in self._solved:
            places += zeros.breaks
            for condition in branch.conditions:
                places += self._border(condition)
        places.sort()
        return [place for at, place in enumerate(places) if at == 0 or not same(place, places[at - 1])]

    @cached_property
    def _solved(self) -> list[tuple[Branch, Zeros]]:
        return [
            (branch, zeros_of(self.equation.at_values(branch.difference), self.unknown))
            for branch in self.equation.branches
        ]

    def _border(self, condition: Condition) -> list[Exact]:
        return zeros_of(self.equation.at_values(condition.difference), self.unknown).zeros

    def _holds(self, condition: Condition, value: Exact) -> bool:
        return condition.holds({**self.equation.values(condition.difference), self.unknown: rational(value)})

    def sign_at(self, value: Exact) -> int:
        """The sign of left - right where the unknown has that many base units, by exact evaluation."""
        equation = self.equation
        declared = equation.derivation.unit_of(equation.name)
        measured = quantity(exact(value / base_magnitude(quantity(1, declared))), declared)
        solution = Solution(equation.settings.at_point(equation.name, measured))
        left, right = (
            base_magnitude(solution.compute(one)) for one in (equation.relation.left, equation.relation.right)
        )
        return sign(rational(left) - rational(right))

    def between(self) -> Iterator[tuple[Exact, Exact | None, int]]:
        """Each open stretch between two stops with its sign; the last has no upper end."""
        for low, high in zip([Fraction(0), *self.stops], [*self.stops, None], strict=True):
            yield low, high, self.sign_at(middle(low, high))

    def around(self, value: Exact) -> tuple[int, int]:
        """The signs just below and just above a stop."""
        lower = max((stop for stop in self.stops if stop < value and not same(stop, value)), default=Fraction(0))
        higher = min((stop for stop in self.stops if stop > value and not same(stop, value)), default=None)
        return self.sign_at(middle(lower, value)), self.sign_at(middle(value, higher))

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
        found = []
        for words, limit in (
            (f"as {name} goes to 0", self._limit(expression, up=False)),
            (f"as {name} grows", self._limit(expression, up=True)),
        ):
            if limit is not None:
                found.append(f"to {_shown(exact(limit), measured)} {words}")
        return f"{text} tends {' and '.join(found)}" if found else ""

    def _limit(self, expression: sympy.Expr, *, up: bool) -> sympy.Expr | None:
        """The finite limit at an end of the line, on the branch that holds from the last stop on."""
        stops = self.stops
        point = (
            middle(stops[-1] if stops else Fraction(0), None)
            if up
            else middle(Fraction(0), stops[0] if stops else None)
        )
        for branch in self.equation.composed(expression):
            if all(self._holds(condition, point) for condition in branch.conditions):
                at_values = self.equation.at_values(branch.difference)
                limit = sympy.limit(at_values, self.unknown, sympy.oo if up else 0, "-" if up else "+")
                return limit if limit.is_finite and limit.is_real else None
        return None


def _grouped(side: Expression) -> str:
    return str(side) if isinstance(side.root, (Literal, Name)) else f"({side})"


def _shown(value: Exact, measured: Unit) -> str:
    return quantity_text(quantity(exact(value / base_magnitude(quantity(1, measured))), measured))


def said(derivation: DerivationGraph, relation: Relation, difference: int) -> str:
    """What holds where left - right has that sign: the binding's label if one compares the two sides."""
    left, right = relation.left.text, relation.right.text
    if difference:
        larger = left if difference > 0 else right
        for binding in derivation.bindings.values():
            if set(binding.labels) == {left, right}:
                return binding.labels[larger]
    return f"{left} {'=' if difference == 0 else '>' if difference > 0 else '<'} {right}"


def same(one: Exact, other: Exact) -> bool:
    return sign(rational(one) - rational(other)) == 0
