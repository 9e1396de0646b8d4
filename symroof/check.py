"""Checking a derivation: its units, that its readings agree, its roots' proofs, and what others print."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import sympy

from symroof import as_written, dimensions
from symroof.algebra import Algebra, rational
from symroof.case import Case, count, rounded
from symroof.comparison import compared, last_digit
from symroof.crossover import Answer, solve_crossover
from symroof.declared import Claim, Equal, Step
from symroof.derivation import DerivationGraph
from symroof.errors import MissingGivenError, ParseError, RefusedValueError, SymroofError
from symroof.evaluate import Solution
from symroof.expression import Expression, Relation
from symroof.forms import normalised
from symroof.numerals import exact, figure
from symroof.prose import Maths
from symroof.ranking import Ranked, ranked
from symroof.roots import proves
from symroof.settings import Settings
from symroof.signs import compare
from symroof.sweeps import sweep
from symroof.syntax import Literal, Node
from symroof.units import Quantity, base_magnitude, quantity

_AGREEMENT = 1e-12  # relative difference allowed between a sweep in double precision and the exact value


@dataclass
class Section:
    """One kind of check: how many were made, and what failed."""

    checked: int = 0
    failed: list[str] = field(default_factory=list)

    def record(self, failure: str | None) -> None:
        self.checked += 1
        if failure:
            self.failed.append(failure)


@dataclass(frozen=True)
class ClaimResult:
    """A claim beside symroof's own answer; `difference` is empty where they agree at the printed precision."""

    claim: Claim
    ours: str | Maths
    difference: str

    @property
    def agrees(self) -> bool:
        return not self.difference


@dataclass(frozen=True)
class Outcome:
    """All checks of one derivation."""

    derivation: str
    sections: dict[str, Section]

    @property
    def passed(self) -> bool:
        return not any(section.failed for section in self.sections.values())


def check(settings: Settings) -> Outcome:
    """Checks a derivation in the case of its worked example, under the settings given.

    Raises MissingGivenError where the example leaves a given open.
    """
    derivation = settings.derivation
    # What reports print is checked by `printed` where that is asked for; the section is always part of the JSON.
    sections = {name: Section() for name in ("units", "readings", "roots", "claims", "printed")}
    _check_units(derivation, sections["units"])
    if not sections["units"].failed:  # formulas with wrong units have no values to compare
        for name, run in (("readings", _check_readings), ("roots", _check_roots), ("claims", _check_claims)):
            try:
                run(settings, sections[name])
            except MissingGivenError:
                raise
            except SymroofError as error:
                sections[name].record(error.problem)
    return Outcome(derivation.name, sections)


def _check_units(derivation: DerivationGraph, section: Section) -> None:
    section.checked = len(derivation.steps) + len(derivation.bindings)
    section.failed += [error.problem for error in dimensions.failures(derivation)]


def _check_readings(settings: Settings, section: Section) -> None:
    """The readings of each step at the worked example, against the exact one: algebraic, swept, and as printed; and
    that the two bounds of each plan's time are the right way round."""
    derivation = settings.derivation
    algebra, solution = Algebra(derivation), Solution(settings)
    steps = [step for step in derivation.steps.values() if not dimensions.is_label(derivation, step.name)]
    columns = {column.name: column for column in sweep(settings, {}, [step.name for step in steps])}
    for step in steps:
        value = solution.number(step.name)
        expression = algebra.step(step.name)
        by_algebra = expression.xreplace(
            {symbol: rational(solution.number(symbol.name)) for symbol in expression.free_symbols}
        )
        section.record(
            None
            if sympy.simplify(by_algebra - rational(value)) == 0
            else f"step {step.name}: the algebra gives {by_algebra}, exact evaluation {value}"
        )
        swept = float(columns[step.name].values[0])
        expected = float(value / base_magnitude(quantity(1, step.unit)))
        section.record(
            None
            if abs(swept - expected) <= _AGREEMENT * abs(expected)
            else f"step {step.name}: the sweep gives {swept!r}, exact evaluation {expected!r}"
        )
        as_written.formula(derivation, step)  # raises where it cannot be typeset
        printed = _read_back(derivation, step)
        if printed is not None:
            again = base_magnitude(solution.compute(printed))
            section.record(
                None
                if again == value
                else f"step {step.name}: the printed formula {printed} gives {again}, exact evaluation {value}"
            )
    for plan in ranked(Case(settings)):
        if plan.plan.low is not None:
            section.record(swapped_bounds(plan))


def swapped_bounds(ranked_plan: Ranked) -> str | None:
    """How a plan's time is bounded the wrong way round, its low bound above its high one; None where it is not."""
    plan, case = ranked_plan.plan, ranked_plan.case
    if compare(ranked_plan.low, ranked_plan.high) <= 0:
        return None
    low, high = (f"{name} = {case.value(str(name)).text}" for name in (plan.low, plan.high))
    return f"plan {ranked_plan.name.text}: its low time {low} is above its high time {high}"


def _read_back(derivation: DerivationGraph, step: Step) -> Expression | None:
    """The formula as it is printed, read by the parser of text; None where that has no words for it, such as cases."""
    try:
        return derivation.expression(as_written.source_line(step))
    except ParseError:
        return None


def _check_roots(settings: Settings, section: Section) -> None:
    """Every closed form of every crossover put back into its equation, and every equality that is stated as a fact."""
    derivation = settings.derivation
    for fact in derivation.facts:
        if isinstance(fact, Equal):
            proved = Algebra(derivation).is_equal(fact)
            section.record(
                None if proved else f"the proof of {fact.of} = {fact.to} fails: their difference does not cancel"
            )
    for crossover in derivation.crossovers.values():
        answer = solve_crossover(settings, crossover)
        for failure in root_failures(answer):
            section.record(f"crossover {crossover.name}: {failure}" if failure else None)


def root_failures(answer: Answer) -> Iterator[str | None]:
    """For each closed form and each root of an answer, how its proof fails, or None."""
    for candidate in answer.candidates:
        if candidate.closed_form is not None:
            sound = proves(candidate, answer.unknown)
            yield None if sound else f"the proof of {answer.symbol} = {answer.text(candidate.closed_form)} fails"
    for root in answer.roots:
        yield None if root.proved else f"the proof fails: {root.proof}"


def _check_claims(settings: Settings, section: Section) -> None:
    for result in claim_results(settings):
        section.record(None if result.agrees else f"{result.claim} ({result.claim.source}): {result.difference}")


def claim_results(settings: Settings) -> list[ClaimResult]:
    """Each claim of the derivation beside what symroof finds; a claim that cannot be checked disagrees."""
    found = []
    for claim in settings.derivation.claims:
        try:
            found.append(_Comparison(settings, claim).result())
        except SymroofError as error:
            found.append(ClaimResult(claim, "", f"cannot be checked: {error.problem}"))
    return found


class _Comparison:
    def __init__(self, settings: Settings, claim: Claim) -> None:
        self.settings = settings.with_values(claim.at, source="the claim") if claim.at else settings
        self.derivation = settings.derivation
        self.claim = claim

    def result(self) -> ClaimResult:
        of, printed = self.claim.of, self.claim.printed
        if of in self.derivation.quantities and dimensions.is_label(self.derivation, of):
            ours = str(Solution(self.settings)[of])
            return self._result(ours, "" if ours == printed else f"it is {ours}")
        formula = self.derivation.expression(printed)
        if of in self.derivation.crossovers:
            return self._crossover(formula)
        expression = self.derivation.expression(of)
        if formula.names:
            return self._formula(expression, formula)
        return self._figure(Solution(self.settings).compute(expression), formula.root)

    def _result(self, ours: str | Maths, difference: str) -> ClaimResult:
        return ClaimResult(self.claim, ours, difference)

    def _figure(self, ours: Quantity, literal: Node) -> ClaimResult:
        """A printed figure: ours must lie within half a unit of its last digit."""
        if not isinstance(literal, Literal):
            raise RefusedValueError(f"{self.claim.printed!r} is no printed figure", 'write it as "28.1926 ms"')
        mine, digits, difference = compared(ours, literal)
        return self._result(rounded(mine, self.claim.of, digits), difference)

    def _formula(self, of: Expression, formula: Expression) -> ClaimResult:
        """A printed formula: equal to ours for all values of the names in it, or with one rounded number so."""
        algebra, solution = Algebra(self.derivation), Solution(self.settings)
        kept = set(formula.names)

        def reduced(expression: Expression) -> sympy.Expr:
            composed = algebra.composed(algebra.expression(expression))
            values = {
                symbol: rational(solution.number(symbol.name))
                for symbol in composed.free_symbols
                if symbol.name not in kept
            }
            return composed.xreplace(values)

        dimensions.prove_relation(self.derivation, Relation(str(self.claim), of, "=", formula))
        ours, theirs = reduced(of), reduced(formula)
        ratio = sympy.cancel(sympy.together(ours / theirs))
        shown = algebra.writer.text(normalised(ours))
        if ratio == 1:
            return self._result("proved equal", "")
        rounded = [node for node in formula.walk() if isinstance(node, Literal) and "." in node.text]
        if ratio.is_Rational and len(rounded) == 1:
            coefficient = exact(ratio) * rounded[0].number
            same = abs(coefficient - rounded[0].number) <= last_digit(rounded[0].text) / 2
            found = f"{figure(coefficient, 7).text()} in place of {rounded[0].text}"
            return self._result(f"proved equal with {found}", "" if same else f"ours has {found}")
        return self._result(shown, f"ours is {shown}")

    def _crossover(self, formula: Expression) -> ClaimResult:
        """A printed root: a formula is put back into the equation, a number compared with the root."""
        crossover = self.derivation.crossovers[self.claim.of]
        answer = solve_crossover(self.settings, crossover)
        if formula.names:
            algebra = Algebra(self.derivation)
            claimed = algebra.composed(algebra.expression(formula))
            sound = bool(answer.candidates) and all(
                proves(replace(candidate, closed_form=claimed), answer.unknown) for candidate in answer.candidates
            )
            ours = "; ".join(answer.text(candidate.closed_form) or "no closed form" for candidate in answer.candidates)
            return self._result(
                "proved by back-substitution" if sound else ours,
                ""
                if sound
                else f"the proof fails: put into {crossover.relation.text} it does not cancel; ours is {ours}",
            )
        if len(answer.roots) != 1:
            return self._result("", f"the equation has {len(answer.roots)} positive roots here: {answer.reason}")
        root = answer.roots[0]
        if self.claim.first_integer:
            agrees = root.first_integer is not None and base_magnitude(formula.compute({})) == root.first_integer
            found = "none" if root.first_integer is None else count(root.first_integer, self.claim.of)
            return self._result(found, "" if agrees else f"ours is {root.first_integer}")
        return self._figure(root.value, formula.root)
