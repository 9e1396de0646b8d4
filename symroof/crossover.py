"""Solving a derivation's equations: roots in closed form, each with the condition under which it exists.

The equation is solved symbolically, branch by branch; numbers go in last, as exact rationals. A root is shown only
if it is positive and fulfils its branch's conditions, and it carries its proof: put back into the equation, it
leaves zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from symroof import notebook
from symroof.algebra import Algebra
from symroof.declared import Crossover
from symroof.derivation import DerivationGraph
from symroof.equation import Equation, Stretch
from symroof.errors import SymroofError
from symroof.expression import Relation
from symroof.forms import Writer
from symroof.line import Line, Zero, said
from symroof.numerals import SIGNIFICANT_ROOT, Exact, exact, figure
from symroof.prose import Maths
from symroof.roots import Candidate, candidates, proves, slope_sign
from symroof.settings import Settings
from symroof.signs import ceil_of, compare, sign_at
from symroof.syntax import Literal, Name
from symroof.units import (
    Quantity,
    Unit,
    from_base,
    quantity_both_latex,
    quantity_both_text,
    quantity_text,
)

DERIVATIVE = "the sign of the derivative"
EVALUATION = "exact evaluation on both sides"

_READABLE = 80  # characters up to which a proof writes the root out
_REASONS = 3  # failed conditions that a reason names
_SHORT = 30  # operations up to which a condition is one of them
_NO_FORM = "no closed form"
_NO_CONDITION = "(no closed form of the condition: it exists at these values)"


@dataclass(frozen=True, repr=False)
class Root:
    """A positive root at the values given, with what it rests on.

    `symbol` is what it is called: its crossover, or the unknown. `sides_by` says how it is known which side is which:
    by the sign of the derivative, or by evaluation.
    """

    symbol: Maths
    value: Quantity
    candidate: Candidate
    below: str
    above: str
    sides_by: str
    first_integer: int | None
    holds: bool
    proof: str
    proved: bool
    writer: Writer

    def lines(self, strong: Callable[[str], str] = str) -> list[str]:
        """What `symroof solve` prints of it; `strong` makes words stand out."""
        form = self._form
        return [
            f"  {strong(self.symbol.text)} = {form.text if form else _NO_FORM}",
            *(f"    {what:<12} {said.text if isinstance(said, Maths) else said}" for what, said in self._facts()),
        ]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<Root {self.symbol.text} = {quantity_both_text(self.value, SIGNIFICANT_ROOT)}>"

    def latex(self) -> str:
        """`= ... \\approx ...`, its closed form, its value and when it exists."""
        form = f"= {self._form.latex} " if self._form else ""
        condition = condition_latex(self.candidate, self.writer)
        when = rf" \quad \text{{if }} {condition}" if self.candidate.conditions else ""
        return f"{form}{quantity_both_latex(self.value, SIGNIFICANT_ROOT)}{when}"

    def _repr_latex_(self) -> str:
        return f"${self.symbol.latex} {self.latex()}$"

    def _repr_html_(self) -> str:
        form = Maths(f"{self.symbol.latex} = {self._form.latex}", "") if self._form else _NO_FORM
        rows = [(self.symbol.text, form), *self._facts()]
        return notebook.table([notebook.text(what), notebook.cell(said)] for what, said in rows)

    @property
    def _form(self) -> Maths | None:
        form = self.candidate.closed_form
        return None if form is None else self.writer.maths(form)

    def _facts(self) -> Iterator[tuple[str, Maths | str]]:
        """What holds of it, each under a word or two."""
        value = self.value
        yield (
            "value",
            Maths(quantity_both_latex(value, SIGNIFICANT_ROOT), quantity_both_text(value, SIGNIFICANT_ROOT)),
        )
        when, when_latex = (write(self.candidate, self.writer) for write in (condition_text, condition_latex))
        yield "exists if", _NO_CONDITION if when is None or when_latex is None else Maths(when_latex, when)
        yield "sides", f"{self.below} below, {self.above} above, by {self.sides_by}"
        if self.first_integer is not None:
            yield "from", f"{self.first_integer}, the first whole number at or above"
        yield "proof", self.proof


@dataclass(frozen=True, repr=False)
class Answer:
    """What solving an equation gives: `verdict` is crosses, never or always, with its reason."""

    relation: Relation
    symbol: str
    verdict: str
    reason: str
    roots: tuple[Root, ...]
    candidates: tuple[Candidate, ...]
    unknown: sympy.Symbol
    algebra: Algebra

    @property
    def writer(self) -> Writer:
        return self.algebra.writer

    def text(self, expression: sympy.Expr | None) -> str | None:
        return None if expression is None else self.writer.text(expression)

    def condition_text(self, candidate: Candidate) -> str | None:
        return condition_text(candidate, self.writer)

    def condition_latex(self, candidate: Candidate) -> str | None:
        return condition_latex(candidate, self.writer)

    def lines(self, strong: Callable[[str], str] = str) -> list[str]:
        """What `symroof solve` prints; `strong` makes words stand out."""
        said = [f"  {self.reason}"] if self._needs_reason else []
        roots = [line for root in self.roots for line in root.lines(strong)]
        return [f"{self._question}: {strong(self.verdict)}", *said, *roots]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        places = ", ".join(quantity_text(root.value, SIGNIFICANT_ROOT) for root in self.roots)
        return f"<Answer {self._question}: {self.verdict}{f' at {places}' if places else ''}>"

    def _repr_latex_(self) -> str:
        if not self.roots:
            return rf"${self._equation} \quad \text{{{self.verdict}}}$"
        return notebook.aligned((root.symbol.latex, root.latex()) for root in self.roots)

    def _repr_html_(self) -> str:
        unknown = notebook.maths(self.algebra.derivation.latex_of(self.symbol))
        verdict = f"<strong>{notebook.text(self.verdict)}</strong>"
        reason = f"<p>{notebook.text(self.reason)}</p>" if self._needs_reason else ""
        roots = "".join(root._repr_html_() for root in self.roots)
        return f"<p>{notebook.maths(self._equation)} for {unknown}: {verdict}</p>{reason}{roots}"

    @property
    def _question(self) -> str:
        return f"{self.relation.text} for {self.symbol}"

    @property
    def _equation(self) -> str:
        return relation_latex(self.algebra, self.relation)

    @property
    def _needs_reason(self) -> bool:
        return len(self.roots) != 1 or self.reason.startswith("the two sides are equal for every")


def relation_latex(algebra: Algebra, relation: Relation) -> str:
    """The relation as it was asked, for maths mode."""
    left, right = (algebra.expression(side, keep_units=True) for side in (relation.left, relation.right))
    operator = "==" if relation.operator == "=" else relation.operator  # as SymPy names it
    return algebra.writer.relation_latex(left, operator, right)


def condition_text(candidate: Candidate, writer: Writer) -> str | None:
    """When a root exists, or None where that is not known in closed form."""
    return _joined(candidate, " and ", writer.relation_text, "always")


def condition_latex(candidate: Candidate, writer: Writer) -> str | None:
    return _joined(candidate, r" \land ", writer.relation_latex, r"\text{always}")


def _joined(candidate: Candidate, joint: str, write: Any, always: str) -> str | None:
    if candidate.conditions is None:
        return None
    return joint.join(write(one.left, one.operator, one.right) for one in candidate.conditions) or always


def solve_crossover(settings: Settings, crossover: Crossover, symbol: str | None = None) -> Answer:
    """A derivation's own crossover, solved for its own symbol, of which it names the roots, or for another."""
    if symbol in (None, crossover.solve_for):
        return solve(settings, crossover.relation, crossover.solve_for, crossover.name)
    return solve(settings, crossover.relation, symbol)


def solve(settings: Settings, relation: Relation, symbol: str, name: str | None = None) -> Answer:
    """All positive roots of an equation for one given, in ascending order, each called `name`, else as the given is.

    Raises UnitError where the sides differ in dimension, UnknownNameError, MissingGivenError, and
    RefusedValueError where the unknown is no given.
    """
    return answer(Line(Equation(settings, relation, symbol)), name)


def answer(line: Line, name: str | None = None) -> Answer:
    """What is to be said of the zeros on the line of an equation's unknown, each called `name`, else as that is."""
    return _Solver(line, name).answer()


class _Solver:
    def __init__(self, line: Line, name: str | None) -> None:
        self.line = line
        self.equation = equation = line.equation
        self.relation, self.name, self.unknown = equation.relation, equation.name, equation.unknown
        self.derivation: DerivationGraph = equation.derivation
        self.called = name or self.name
        self.writer = equation.algebra.writer
        self.named = tuple(one for branch in equation.branches for one in candidates(branch, self.unknown))

    def answer(self) -> Answer:
        roots = tuple(self._root(zero) for zero in self.line.zeros)
        verdict, reason = self._verdict()
        if verdict == "always":
            roots = ()
        algebra = self.equation.algebra
        return Answer(self.relation, self.name, verdict, reason, roots, self.named, self.unknown, algebra)

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
            symbol=Maths(self.derivation.latex_of(self.called), self.called),
            value=shown(self.equation, value),
            candidate=candidate,
            below=said(self.derivation, self.relation, below),
            above=said(self.derivation, self.relation, above),
            sides_by=EVALUATION if slope is None or (below, above) != (-slope, slope) else DERIVATIVE,
            first_integer=ceil_of(zero.value) if plain else None,
            holds=all(one.holds(self.equation.at(value)) for one in candidate.conditions or ()),
            proof=proof,
            proved=proved,
            writer=self.writer,
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
    return from_base(value, shown_unit(equation))


def shown_unit(equation: Equation) -> Unit:
    """The unit that the unknown has where it is known, else the declared one."""
    try:
        return equation.settings.value(equation.name).unit
    except SymroofError:
        return equation.derivation.unit_of(equation.name)
