"""Solving a derivation's equations: roots in closed form, each with the condition under which it exists.

The equation is solved symbolically, branch by branch; numbers go in last, as exact rationals. A root is shown only
if it is positive and fulfils its branch's conditions, and it carries its proof: put back into the equation, it
leaves zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from symroof.algebra import rational
from symroof.derivation import Crossover, DerivationGraph
from symroof.equation import Branch, Condition, Equation, sign
from symroof.errors import RefusedValueError, SymroofError
from symroof.evaluate import Solution
from symroof.expression import Expression, Literal, Name, Relation
from symroof.forms import Writer
from symroof.numerals import Exact, exact, figure
from symroof.roots import Candidate, candidates, proves
from symroof.settings import Settings
from symroof.units import DIMENSIONLESS, Quantity, Unit, base_magnitude, quantity


@dataclass(frozen=True)
class Root:
    """A positive root at the values given, with what it rests on."""

    value: Quantity
    candidate: Candidate
    below: str
    above: str
    first_integer: int | None
    proof: str
    proved: bool


@dataclass(frozen=True)
class Answer:
    """What solving an equation gives: `verdict` is crosses, never or always, with its reason."""

    relation: Relation
    symbol: str
    verdict: str
    reason: str
    roots: tuple[Root, ...]
    candidates: tuple[Candidate, ...]
    unknown: sympy.Symbol
    writer: Writer

    def text(self, expression: sympy.Expr | None) -> str | None:
        return None if expression is None else self.writer.text(expression)

    def condition_text(self, candidate: Candidate) -> str:
        return self._joined(candidate, " and ", self.writer.relation_text) or "always"

    def condition_latex(self, candidate: Candidate) -> str:
        return self._joined(candidate, r" \land ", self.writer.relation_latex) or r"\text{always}"

    def _joined(self, candidate: Candidate, joint: str, write: Any) -> str:
        return joint.join(write(one.left, one.operator, one.right) for one in candidate.conditions)


def solve_crossover(settings: Settings, crossover: Crossover, symbol: str | None = None) -> Answer:
    """A derivation's own crossover, solved for its own symbol or another."""
    return solve(settings, crossover.relation, symbol or crossover.solve_for)


def solve(settings: Settings, relation: Relation, symbol: str) -> Answer:
    """All positive roots of an equation for one given, in ascending order.

    Raises UnitError where the sides differ in dimension, UnknownNameError, MissingGivenError, and
    RefusedValueError where the unknown is no given.
    """
    return _Solver(Equation(settings, relation, symbol)).answer()


class _Solver:
    def __init__(self, equation: Equation) -> None:
        self.equation = equation
        self.relation, self.name, self.unknown = equation.relation, equation.name, equation.unknown
        self.derivation: DerivationGraph = equation.derivation
        self.writer = equation.algebra.writer

    def answer(self) -> Answer:
        named = tuple(one for branch in self.equation.branches for one in candidates(branch, self.unknown))
        found = self._roots_at_values()
        verdict, reason = self._verdict(found, named)
        places = [value for value, _ in found]
        roots = tuple(self._root(value, candidate, places) for value, candidate in found)
        return Answer(self.relation, self.name, verdict, reason, roots, named, self.unknown, self.writer)

    # -- at the values given

    def _roots_at_values(self) -> list[tuple[Exact, Candidate]]:
        """The positive roots that fulfil their branch's conditions, ascending, each with its closed form."""
        found: list[tuple[Exact, Candidate]] = []
        for branch in self.equation.branches:
            above, below = self._fraction(branch)
            if not above.has(self.unknown):
                continue
            if not above.is_polynomial(self.unknown):
                raise RefusedValueError(
                    f"{self.relation.text} is no polynomial equation in {self.name}", "solve it for another symbol"
                )
            named = candidates(branch, self.unknown)
            for root in dict.fromkeys(sympy.real_roots(sympy.Poly(above, self.unknown))):
                if sign(root) != 1 or sign(below.subs(self.unknown, root)) == 0:
                    continue
                if all(self._holds(condition, root) for condition in branch.conditions):
                    found.append((exact(root), self._matching(named, root, branch)))
        found.sort(key=lambda pair: pair[0])
        return [pair for at, pair in enumerate(found) if at == 0 or not _same(pair[0], found[at - 1][0])]

    def _fraction(self, branch: Branch) -> tuple[sympy.Expr, sympy.Expr]:
        at_values = sympy.cancel(sympy.together(self.equation.at_values(branch.difference)))
        above, below = at_values.as_numer_denom()
        return above, below

    def _holds(self, condition: Condition, root: sympy.Expr) -> bool:
        return condition.holds({**self.equation.values(condition.difference), self.unknown: root})

    def _matching(self, named: Sequence[Candidate], root: sympy.Expr, branch: Branch) -> Candidate:
        """The closed form whose value is this root."""
        for candidate in named:
            if candidate.closed_form is not None:
                value = self.equation.at_values(candidate.closed_form)
                if value.is_real and sign(value - root) == 0:
                    return candidate
        return Candidate(None, (), branch)

    def _root(self, value: Exact, candidate: Candidate, places: Sequence[Exact]) -> Root:
        measured = self._unit()
        proof, proved = self._proof(value, candidate)
        below, above = (self._side(point) for point in self._around(value, places))
        plain = not self.derivation.unit_of(self.name).dimensionality
        return Root(
            value=quantity(exact(value / base_magnitude(quantity(1, measured))), measured),
            candidate=candidate,
            below=below,
            above=above,
            first_integer=_ceil(value) if plain else None,
            proof=proof,
            proved=proved,
        )

    def _unit(self) -> Unit:
        """The unit that the unknown has where it is known, else the declared one."""
        try:
            content = self.equation.settings.value(self.name).content
        except SymroofError:
            return self.derivation.unit_of(self.name)
        return DIMENSIONLESS if isinstance(content, Expression) else content.units

    def _proof(self, value: Exact, candidate: Candidate) -> tuple[str, bool]:
        """Back-substitution: of the closed form symbolically, else of the value exactly."""
        sides = (self.relation.left, self.relation.right)
        difference = " - ".join(str(side) if isinstance(side.root, (Literal, Name)) else f"({side})" for side in sides)
        if candidate.closed_form is not None:
            if proves(candidate, self.unknown):
                return f"{difference} with {self.name} = {self.writer.text(candidate.closed_form)} cancels to 0", True
            return f"{difference} does not cancel with the closed form put in for {self.name}", False
        left_over = self.equation.at_values(candidate.branch.difference).subs(self.unknown, rational(value))
        zero = sign(left_over) == 0
        return f"{difference} at {self.name} = {value} is {'exactly 0' if zero else 'not 0'}", zero

    # -- what holds where

    def _around(self, value: Exact, places: Sequence[Exact]) -> tuple[Fraction, Fraction]:
        """A rational point on each side of a root, with no other root or pole in between."""
        stops = [*places, *self._poles()]
        lower = [stop for stop in stops if stop < value]
        higher = [stop for stop in stops if stop > value]
        below = _between(max(lower, default=Fraction(0)), value)
        above = _between(value, min(higher)) if higher else Fraction(_ceil(value) * 2 + 1)
        return below, above

    def _poles(self) -> Iterator[Exact]:
        for branch in self.equation.branches:
            below = self._fraction(branch)[1]
            if below.has(self.unknown) and below.is_polynomial(self.unknown):
                roots = sympy.real_roots(sympy.Poly(below, self.unknown))
                yield from (exact(root) for root in roots if sign(root) == 1)

    def _side(self, point: Fraction) -> str:
        return side(self.derivation, self.relation, self._sign_at(point))

    def _sign_at(self, point: Fraction) -> int:
        return sign_at(self.equation.settings, self.relation, self.name, point)

    def _verdict(self, found: Sequence[Any], named: Sequence[Candidate]) -> tuple[str, str]:
        if found:
            places = "one positive value" if len(found) == 1 else f"{len(found)} positive values"
            return "crosses", f"the two sides are equal at {places} of {self.name}"
        differences = [branch.difference for branch in self.equation.branches]
        here = self._sign_at(Fraction(1))
        said = side(self.derivation, self.relation, here)
        if not any(difference.has(self.unknown) for difference in differences):
            return ("never" if here else "always"), f"neither side depends on {self.name}: {said}"
        if all(sympy.cancel(difference) == 0 for difference in differences):
            return "always", f"both sides are the same for every {self.name}"
        everywhere = f"{said} for every {self.name}"
        return "never", "; ".join([*dict.fromkeys(self._failed_conditions(named)), everywhere])

    def _failed_conditions(self, named: Sequence[Candidate]) -> Iterator[str]:
        """Each condition that fails at the values, with how far it is from holding."""
        for candidate in named:
            for condition in candidate.conditions:
                values = self.equation.values(condition.difference)
                if condition.difference.has(self.unknown) or condition.holds(values):
                    continue
                left, right = (one.xreplace(values) for one in (condition.left, condition.right))
                statement = self.writer.relation_text(condition.left, condition.operator, condition.right)
                if right == 0:
                    yield f"a root needs {statement}, which does not hold here"
                else:
                    share = figure(exact(left / right)).text()
                    sides = self.writer.text(condition.left), self.writer.text(condition.right)
                    yield f"a root needs {statement}, but here {sides[0]} is {share} times {sides[1]}"


def side(derivation: DerivationGraph, relation: Relation, difference: int) -> str:
    """What holds where left - right has that sign: the binding's label if one compares the two sides."""
    left, right = relation.left.text, relation.right.text
    if difference:
        larger = left if difference > 0 else right
        for binding in derivation.bindings.values():
            if set(binding.labels) == {left, right}:
                return binding.labels[larger]
    return f"{left} {'=' if difference == 0 else '>' if difference > 0 else '<'} {right}"


def sign_at(settings: Settings, relation: Relation, symbol: str, point: Fraction) -> int:
    """The sign of left - right where the symbol has that many base units, by exact evaluation."""
    declared = settings.derivation.unit_of(symbol)
    scale = base_magnitude(quantity(1, declared))
    solution = Solution(settings.at_point(symbol, quantity(exact(point / scale), declared)))
    left, right = (base_magnitude(solution.compute(one)) for one in (relation.left, relation.right))
    return sign(rational(left) - rational(right))


def _same(one: Exact, other: Exact) -> bool:
    return sign(rational(one) - rational(other)) == 0


def _ceil(value: Exact) -> int:
    return math.ceil(value) if isinstance(value, Fraction) else int(sympy.ceiling(value))


def _between(low: Exact, high: Exact) -> Fraction:
    """A rational strictly between two exact numbers."""
    middle = exact((rational(low) + rational(high)) / 2)
    return middle if isinstance(middle, Fraction) else Fraction(str(sympy.N(middle, 40)))
