"""The line of an equation's unknown from 0 to infinity, at the values given: where left - right is zero, its sign
in between, and what that sign means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from symroof.algebra import rational
from symroof.derivation import DerivationGraph
from symroof.equation import Branch, Condition, Equation, sign
from symroof.evaluate import Solution
from symroof.expression import Relation
from symroof.numerals import Exact, exact
from symroof.units import base_magnitude, quantity
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
        found.sort(key=lambda zero: zero.value)
        return [zero for at, zero in enumerate(found) if at == 0 or not same(zero.value, found[at - 1].value)]

    @cached_property
    def stops(self) -> list[Exact]:
        """The zeros, and every other place at which the sign may change: poles, jumps, borders of branches."""
        places = [zero.value for zero in self.zeros]
        for branch, zeros in self._solved:
            places += zeros.breaks
            for condition in branch.conditions:
                places += zeros_of(self.equation.at_values(condition.difference), self.unknown).zeros
        places.sort()
        return [place for at, place in enumerate(places) if at == 0 or not same(place, places[at - 1])]

    @cached_property
    def _solved(self) -> list[tuple[Branch, Zeros]]:
        return [
            (branch, zeros_of(self.equation.at_values(branch.difference), self.unknown))
            for branch in self.equation.branches
        ]

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
