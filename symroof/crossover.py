"""Solving a derivation's equations: roots in closed form, each with the condition under which it exists.

The equation is solved symbolically, branch by branch; numbers go in last, as exact rationals. A root is shown only
if it is positive and fulfils its branch's conditions, and it carries its proof: put back into the equation, it
leaves zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from symroof.derivation import Crossover, DerivationGraph
from symroof.equation import Equation, Stretch
from symroof.errors import SymroofError
from symroof.expression import Relation
from symroof.forms import Writer
from symroof.line import Line, Zero, said
from symroof.numerals import SIGNIFICANT_ROOT, Exact, exact, figure
from symroof.roots import Candidate, candidates, proves, slope_sign
from symroof.settings import Settings
from symroof.signs import ceil_of, compare, sign_at
from symroof.syntax import Literal, Name
from symroof.units import Quantity, Unit, base_magnitude, quantity, quantity_text

DERIVATIVE = "the sign of the derivative"
EVALUATION = "exact evaluation on both sides"

_READABLE = 80  # characters up to which a proof writes the root out
_REASONS = 3  # failed conditions that a reason names
_SHORT = 30  # operations up to which it does


@dataclass(frozen=True)
class Root:
    """A positive root at the values given, with what it rests on.

    `sides_by` says how it is known which side is which: by the sign of the derivative, or by evaluation.
    """

    value: Quantity
    candidate: Candidate
    below: str
    above: str
    sides_by: str
    first_integer: int | None
    holds: bool
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

    def condition_text(self, candidate: Candidate) -> str | None:
        """When the root exists, or None where that is not known in closed form."""
        return self._joined(candidate, " and ", self.writer.relation_text, "always")

    def condition_latex(self, candidate: Candidate) -> str | None:
        return self._joined(candidate, r" \land ", self.writer.relation_latex, r"\text{always}")

    def _joined(self, candidate: Candidate, joint: str, write: Any, always: str) -> str | None:
        if candidate.conditions is None:
            return None
        return joint.join(write(one.left, one.operator, one.right) for one in candidate.conditions) or always


def solve_crossover(settings: Settings, crossover: Crossover, symbol: str | None = None) -> Answer:
    """A derivation's own crossover, solved for its own symbol or another."""
    return solve(settings, crossover.relation, symbol or crossover.solve_for)


def solve(settings: Settings, relation: Relation, symbol: str) -> Answer:
    """All positive roots of an equation for one given, in ascending order.

    Raises UnitError where the sides differ in dimension, UnknownNameError, MissingGivenError, and
    RefusedValueError where the unknown is no given.
    """
    return answer(Line(Equation(settings, relation, symbol)))


def answer(line: Line) -> Answer:
    """What is to be said of the zeros on the line of an equation's unknown."""
    return _Solver(line).answer()


class _Solver:
    def __init__(self, line: Line) -> None:
        self.line = line
        self.equation = equation = line.equation
        self.relation, self.name, self.unknown = equation.relation, equation.name, equation.unknown
        self.derivation: DerivationGraph = equation.derivation
        self.writer = equation.algebra.writer
        self.named = tuple(one for branch in equation.branches for one in candidates(branch, self.unknown))

    def answer(self) -> Answer:
        roots = tuple(self._root(zero) for zero in self.line.zeros)
        verdict, reason = self._verdict()
        if verdict == "always":
            roots = ()
        return Answer(self.relation, self.name, verdict, reason, roots, self.named, self.unknown, self.writer)

    def _candidate(self, zero: Zero) -> tuple[Candidate, Exact]:
        """The closed form whose value this zero is, and that value."""
        named = [candidate for candidate in self.named if candidate.branch in zero.branches]
        for candidate in named:
            if candidate.closed_form is not None:
                value = self.equation.at_values(candidate.closed_form)
                if value.is_real and compare(exact(value), zero.value) == 0:
                    if isinstance(zero.value, Fraction) or not zero.value.has(sympy.CRootOf):
                        return candidate, zero.value
                    return candidate, exact(sympy.expand(sympy.radsimp(value)))  # says more than a root's number
        nameless = (candidate for candidate in named if candidate.closed_form is None)
        return next(nameless, Candidate(None, None, zero.branches[0])), zero.value

    def _root(self, zero: Zero) -> Root:
        candidate, value = self._candidate(zero)
        proof, proved = self._proof(value, candidate)
        below, above = self.line.around(zero.value)
        # On a border of branches the derivative of one of them says nothing about the other side.
        slope = slope_sign(candidate, self.unknown) if len(zero.branches) == 1 else None
        plain = not self.derivation.unit_of(self.name).dimensionality
        return Root(
            value=shown(self.equation, value),
            candidate=candidate,
            below=said(self.derivation, self.relation, below),
            above=said(self.derivation, self.relation, above),
            sides_by=EVALUATION if slope is None or (below, above) != (-slope, slope) else DERIVATIVE,
            first_integer=ceil_of(zero.value) if plain else None,
            holds=all(one.holds(self.equation.at(value)) for one in candidate.conditions or ()),
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
            return f"{difference} does not cancel with the closed form put in for {self.name}", False  # check fails
        zero = sign_at(candidate.branch.difference, self.equation.at(value)) == 0
        place = str(value) if len(str(value)) <= _READABLE else f"{self._figure(value)}..."
        return f"{difference} at {self.name} = {place} is {'exactly 0' if zero else 'not 0'}", zero

    def _verdict(self) -> tuple[str, str]:
        stretches = self.line.stretches
        equal = [one for one in stretches if one.sign == 0 and not one.is_point]
        if equal == stretches:
            return "always", f"both sides are the same for every {self.name}"
        if equal:
            where = " and ".join(self._interval(one) for one in equal)
            return "crosses", f"the two sides are equal for every {self.name} {where}"
        found = len(self.line.zeros)
        if found:
            places = "one positive value" if found == 1 else f"{found} positive values"
            touching = all(
                below == above for below, above in map(self.line.around, (zero.value for zero in self.line.zeros))
            )
            return "crosses", f"the two sides {'touch' if touching else 'are equal'} at {places} of {self.name}"
        first, *others = [one for one in stretches if not one.is_point]
        now = said(self.derivation, self.relation, first.sign)
        if not any(branch.difference.has(self.unknown) for branch in self.equation.branches):
            return "never", f"neither side depends on {self.name}: {now}"
        if others:
            there = ", ".join(
                f"{said(self.derivation, self.relation, one.sign)} from {self.name} = {self._figure(one.low)} on"
                for one in others
            )
            how = ", they jump past each other" if {first.sign, *(one.sign for one in others)} >= {1, -1} else ""
            return "never", f"the two sides are never equal{how}: {now}, then {there}"
        because = [*self._failed_conditions(), self.line.ends()]
        return "never", "; ".join([*because, f"{now} for every {self.name}"])

    def _interval(self, stretch: Stretch) -> str:
        end = "on" if stretch.high is None else f"to {self._figure(stretch.high)}"
        return f"from {self._figure(stretch.low)} {end}"

    def _figure(self, value: Exact) -> str:
        """A value of the unknown in the unit it is shown in."""
        return quantity_text(shown(self.equation, value), SIGNIFICANT_ROOT)

    def _failed_conditions(self) -> Iterator[str]:
        """The first conditions that fail at the values, with how far they are from holding."""
        conditions = dict.fromkeys(one for candidate in self.named for one in candidate.conditions or ())
        failed = [one for one in conditions if not one.holds(self.equation.values)]
        for condition in (one for one in failed[:_REASONS] if sympy.count_ops(one.difference) <= _SHORT):
            statement = self.writer.relation_text(condition.left, condition.operator, condition.right)
            left, right = (self.equation.at_values(one) for one in (condition.left, condition.right))
            if left.is_Rational and right.is_Rational and right != 0:
                share = figure(exact(left / right)).text()
                sides = self.writer.text(condition.left), self.writer.text(condition.right)
                yield f"a root needs {statement}, but here {sides[0]} is {share} times {sides[1]}"
            else:
                yield f"a root needs {statement}, which does not hold here"


def shown(equation: Equation, value: Exact) -> Quantity:
    """A number of base units of the unknown as a quantity in the unit it is shown in."""
    measured = shown_unit(equation)
    return quantity(exact(value / base_magnitude(quantity(1, measured))), measured)


def shown_unit(equation: Equation) -> Unit:
    """The unit that the unknown has where it is known, else the declared one."""
    try:
        return equation.settings.value(equation.name).unit
    except SymroofError:
        return equation.derivation.unit_of(equation.name)
