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
from symroof.equation import Equation, sign
from symroof.errors import SymroofError
from symroof.expression import Expression, Literal, Name, Relation
from symroof.forms import Writer
from symroof.line import Line, Zero, said, same
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
        self.line = Line(equation)

    def answer(self) -> Answer:
        named = tuple(one for branch in self.equation.branches for one in candidates(branch, self.unknown))
        roots = tuple(self._root(zero) for zero in self.line.zeros)
        verdict, reason = self._verdict(named)
        if verdict == "always":
            roots = ()
        return Answer(self.relation, self.name, verdict, reason, roots, named, self.unknown, self.writer)

    def _candidate(self, zero: Zero) -> Candidate:
        """The closed form whose value this zero is."""
        for candidate in candidates(zero.branch, self.unknown):
            if candidate.closed_form is not None:
                value = self.equation.at_values(candidate.closed_form)
                if value.is_real and same(exact(value), zero.value):
                    return candidate
        return Candidate(None, (), zero.branch)

    def _root(self, zero: Zero) -> Root:
        measured = shown_unit(self.equation)
        candidate = self._candidate(zero)
        proof, proved = self._proof(zero.value, candidate)
        below, above = (said(self.derivation, self.relation, one) for one in self.line.around(zero.value))
        plain = not self.derivation.unit_of(self.name).dimensionality
        return Root(
            value=quantity(exact(zero.value / base_magnitude(quantity(1, measured))), measured),
            candidate=candidate,
            below=below,
            above=above,
            first_integer=ceil_of(zero.value) if plain else None,
            proof=proof,
            proved=proved,
        )

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

    def _verdict(self, named: Sequence[Candidate]) -> tuple[str, str]:
        found = len(self.line.zeros)
        equal = [(low, high) for low, high, one in self.line.between() if one == 0]
        if equal and len(equal) == len(self.line.stops) + 1:
            return "always", f"both sides are the same for every {self.name}"
        if equal:
            stretches = " and ".join(
                f"from {figure(low, 7).text()} " + (f"to {figure(high, 7).text()}" if high is not None else "on")
                for low, high in equal
            )
            return "crosses", f"the two sides are equal for every {self.name} {stretches}"
        if found:
            places = "one positive value" if found == 1 else f"{found} positive values"
            return "crosses", f"the two sides are equal at {places} of {self.name}"
        signs = [(low, one) for low, _, one in self.line.between()]
        first = said(self.derivation, self.relation, signs[0][1])
        if not any(branch.difference.has(self.unknown) for branch in self.equation.branches):
            return "never", f"neither side depends on {self.name}: {first}"
        jumps = [(low, one) for at, (low, one) in enumerate(signs) if at and one != signs[at - 1][1]]
        if jumps:
            there = ", ".join(
                f"{said(self.derivation, self.relation, one)} from {self.name} = {figure(low, 7).text()} on"
                for low, one in jumps
            )
            return "never", f"the two sides are never equal, they jump past each other: {first}, then {there}"
        because = [*dict.fromkeys(self._failed_conditions(named)), self.line.ends()]
        return "never", "; ".join([*because, f"{first} for every {self.name}"])

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


def shown_unit(equation: Equation) -> Unit:
    """The unit that the unknown has where it is known, else the declared one."""
    try:
        content = equation.settings.value(equation.name).content
    except SymroofError:
        return equation.derivation.unit_of(equation.name)
    return DIMENSIONLESS if isinstance(content, Expression) else content.units


def ceil_of(value: Exact) -> int:
    return math.ceil(value) if isinstance(value, Fraction) else int(sympy.ceiling(value))
