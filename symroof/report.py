"""A worked solution as data: `build` works everything out, `writing` and `terminal` only write it down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy

from symroof import as_written, dimensions, latex
from symroof.algebra import Algebra, rational
from symroof.check import ClaimResult, claim_results
from symroof.crossover import Answer, Root, solve_crossover
from symroof.derivation import Crossover, DerivationGraph, Equal, Limit, Plan, Step, Trend, split_column
from symroof.errors import RefusedValueError
from symroof.evaluate import Solution
from symroof.expression import Expression
from symroof.numerals import SIGNIFICANT, SIGNIFICANT_ROOT, Exact, exact, figure
from symroof.prose import Maths, Prose, filled, phrase, words
from symroof.sensitivity import sensitivity
from symroof.settings import Settings
from symroof.signs import compare
from symroof.units import (
    Quantity,
    Unit,
    base_magnitude,
    magnitude_in,
    quantity,
    quantity_full_latex,
    quantity_full_text,
    quantity_latex,
    quantity_text,
    unit,
    unit_latex,
    unit_text,
)


@dataclass(frozen=True)
class Assumption:
    symbol: Maths
    meaning: str
    value: Maths
    source: str


@dataclass(frozen=True)
class Line:
    """One step: its sentence, the formula as written, with numbers put in, and the result behind `relation`."""

    name: str
    symbol: Maths
    sentence: str
    written: Maths
    substituted: Maths | None
    relation: Maths
    result: Maths


@dataclass(frozen=True)
class RootShown:
    symbol: Maths
    closed_form: Maths | None
    existence: Prose
    exact: Maths
    relation: Maths
    decimal: Maths
    first_integer: int | None
    sides: Prose
    proof: Prose


@dataclass(frozen=True)
class CrossoverShown:
    statement: Prose
    roots: list[RootShown]
    reason: str


@dataclass(frozen=True)
class FactShown:
    """A statement in words, the formula that shows it, and the author's sentence."""

    statement: Prose
    formula: Maths
    here: Prose
    sentence: str


@dataclass(frozen=True)
class Moved:
    """By how many percent a quantity changes for one percent more of each given: given, figure, closed form."""

    statement: Prose
    binding: Prose
    rows: list[tuple[Maths, Maths, Maths | None]]

    @property
    def has_forms(self) -> bool:
        return any(form is not None for _, _, form in self.rows)


@dataclass(frozen=True)
class Table:
    title: Prose
    heads: list[Maths]
    units: list[Maths]
    rows: list[list[Maths]]


@dataclass(frozen=True)
class PlanShown:
    name: str
    cards: int
    sentence: str
    memory: Maths
    share: Maths
    verdict: Prose
    fits: bool
    low: Maths
    high: Maths


@dataclass(frozen=True)
class Stage:
    """A stage of the decision chart: a box of quantities, or a decision with its outcome."""

    decision: bool
    lines: list[Maths]


@dataclass(frozen=True)
class ClaimShown:
    quantity: Maths
    at: str
    printed: str
    ours: str
    verdict: Prose
    agrees: bool


@dataclass(frozen=True)
class Report:
    """All that a worked solution says."""

    name: str
    title: str
    case: Prose
    question: str
    assumptions: list[Assumption]
    lines: list[Line]
    crossovers: list[CrossoverShown]
    facts: list[FactShown]
    moved: list[Moved]
    table: Table | None
    plans: list[PlanShown]
    chart: list[Stage]
    claims: list[tuple[str, list[ClaimShown]]]
    claims_summary: Prose
    conclusion: list[Prose]
    conventions: list[Prose] = field(default_factory=list)


def worked_settings(derivation: DerivationGraph, assignments: Mapping[str, Any], *, on: str, dtype: str) -> Settings:
    """The worked example's point with what the user sets on top."""
    return Settings(derivation, derivation.example.at, on=on, dtype=dtype, source="the worked example").with_values(
        assignments
    )


def build(settings: Settings) -> Report:
    """Works out everything that the report of a derivation says in one case."""
    return _Builder(settings).report()


class _Builder:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.derivation = settings.derivation
        self.solution = Solution(settings)
        self.algebra = Algebra(self.derivation)
        self.units = self._display_units()

    def report(self) -> Report:
        derivation = self.derivation
        answers: dict[str, Answer] = {}
        unsolved: dict[str, str] = {}
        for one in derivation.crossovers.values():
            try:
                answers[one.name] = solve_crossover(self.settings, one)
            except RefusedValueError as error:  # too many branches, not algebraic: the rest still holds
                unsolved[one.name] = error.problem
        results = claim_results(self.settings)
        ranked = self._ranked()
        return Report(
            name=derivation.name,
            title=derivation.title,
            case=self._case(),
            question=derivation.question,
            assumptions=self._assumptions(),
            lines=[self._line(derivation.steps[name]) for name in derivation.order() if name in derivation.steps],
            crossovers=[
                self._crossover(one, answers[name]) if name in answers else self._unsolved(one, unsolved[name])
                for name, one in derivation.crossovers.items()
            ],
            facts=[self._fact(fact) for fact in derivation.facts],
            moved=[moved for moved in map(self._moved, self._answers()) if moved.rows],
            table=self._table(),
            plans=[shown for _, shown in ranked],
            chart=self._chart(),
            claims=self._claims(results),
            claims_summary=_claims_summary(results),
            conclusion=[*self._changes(answers), *self._binding_here(), *self._best(ranked)],
            conventions=[
                filled(line, {"digits": SIGNIFICANT, "root_digits": SIGNIFICANT_ROOT})
                for line in words()["conventions"]["lines"]
            ],
        )

    def _case(self) -> Prose:
        """The chip and the data type, if a given comes from them."""
        sources = [self.settings.value(name).source for name in self._used()]
        if any(source.startswith((f"{self.settings.chip.name}:", "size of ")) for source in sources):
            return phrase("on", chip=self.settings.chip.name, dtype=self.settings.dtype)
        return Prose(())

    def _used(self) -> list[str]:
        """The givens that the steps and labels are worked out from."""
        used = self.derivation.ancestors([*self.derivation.steps, *self.derivation.bindings])
        return [name for name in used if name in self.derivation.givens]

    # -- symbols and figures

    def _display_units(self) -> dict[str, str]:
        """The unit each quantity is shown in, where the example's columns say one."""
        columns = (split_column(column) for column in self.derivation.example.show)
        return {name: wanted for name, wanted in columns if wanted is not None}

    def _symbol(self, name: str) -> Maths:
        return Maths(self.derivation.latex_of(name), name)

    def _quantity(self, name: str) -> Quantity | str:
        return self.solution.shown(name, self.units.get(name))

    def _unit(self, name: str) -> Unit:
        return unit(self.units[name]) if name in self.units else self.derivation.unit_of(name)

    def _figure(self, value: Quantity | str, digits: int = SIGNIFICANT) -> tuple[Maths, bool]:
        """The figure, and whether it is exact. Givens and labels are as they are."""
        if isinstance(value, str):
            return Maths(rf"\text{{{latex.escape(value)}}}", value), True
        shown = Maths(quantity_latex(value, digits), quantity_text(value, digits))
        return shown, _is_exact(value, shown)

    def _in_line(self, name: str) -> Maths:
        """A parameter's value inside a substituted line: givens in full, results rounded."""
        value = self._quantity(name)
        if name in self.derivation.givens and not isinstance(value, str):
            return Maths(quantity_full_latex(value), quantity_full_text(value))
        return self._figure(value)[0]

    # -- the parts

    def _assumptions(self) -> list[Assumption]:
        found = []
        for name in self._used():
            value = self.settings.value(name)
            shown = self._quantity(name)
            assert not isinstance(shown, str)
            figures = Maths(quantity_full_latex(shown), quantity_full_text(shown))
            source = f"{name} = {value.text}" if self.settings.tied_to(name) else value.source
            found.append(Assumption(self._symbol(name), value.given.description, figures, source))
        return found

    def _line(self, step: Step) -> Line:
        written = Maths(as_written.formula(self.derivation, step), as_written.source_line(step))
        numbers = {name: self._in_line(name) for name in step.parameters}
        put_in = as_written.substituted(step, {name: shown.latex for name, shown in numbers.items()})
        substituted = None
        if r"\begin{" not in put_in and step.parameters:
            plain = as_written.source_line(step, {name: shown.text for name, shown in numbers.items()})
            substituted = Maths(put_in, plain)
        result, is_exact = self._figure(self._quantity(step.name))
        relation = Maths("=", "=") if is_exact else Maths(r"\approx", "≈")
        return Line(step.name, self._symbol(step.name), step.sentence, written, substituted, relation, result)

    def _crossover(self, crossover: Crossover, answer: Answer) -> CrossoverShown:
        roots = [self._root(crossover, answer, root) for root in answer.roots]
        reason = phrase("no_root", reason=answer.reason).text if answer.verdict == "never" else answer.reason
        return CrossoverShown(self._solved(crossover), roots, reason)

    def _unsolved(self, crossover: Crossover, problem: str) -> CrossoverShown:
        return CrossoverShown(self._solved(crossover), [], phrase("unsolved", problem=problem).text)

    def _solved(self, crossover: Crossover) -> Prose:
        left, right = (self._expression(side).latex for side in (crossover.relation.left, crossover.relation.right))
        symbol = self.derivation.latex_of(crossover.solve_for)
        return phrase(
            "solves",
            equation=Maths(f"{left} = {right}", crossover.relation.text),
            symbol=Maths(symbol, crossover.solve_for),
        )

    def _expression(self, expression: Expression) -> Maths:
        return Maths(self.algebra.writer.latex(self.algebra.expression(expression, keep_units=True)), expression.text)

    def _side(self, crossover: Crossover, holds: str) -> str | Maths:
        """What holds on one side of a root: a label as it is, an inequality as maths."""
        left, right = crossover.relation.left, crossover.relation.right
        for sign in "<>=":
            if holds == f"{left.text} {sign} {right.text}":
                return Maths(f"{self._expression(left).latex} {sign} {self._expression(right).latex}", holds)
        return holds

    def _root(self, crossover: Crossover, answer: Answer, root: Root) -> RootShown:
        candidate = root.candidate
        closed_form = None
        if candidate.closed_form is not None:
            closed_form = Maths(answer.writer.latex(candidate.closed_form), answer.writer.text(candidate.closed_form))
        decimal = Maths(quantity_latex(root.value, SIGNIFICANT_ROOT), quantity_text(root.value, SIGNIFICANT_ROOT))
        return RootShown(
            symbol=self._symbol(crossover.name),
            closed_form=closed_form,
            existence=_existence(answer, root),
            exact=Maths(quantity_full_latex(root.value), quantity_full_text(root.value)),
            relation=Maths("=", "=") if _is_exact(root.value, decimal) else Maths(r"\approx", "≈"),
            decimal=decimal,
            first_integer=root.first_integer,
            sides=phrase("side", below=self._side(crossover, root.below), above=self._side(crossover, root.above)),
            proof=_proof(root),
        )

    def _fact(self, fact: Limit | Trend | Equal) -> FactShown:
        match fact:
            case Limit():
                return self._limit(fact)
            case Trend():
                return self._trend(fact)
        one, other = self._symbol(fact.of), self._symbol(fact.to)
        same_here = compare(self.solution.number(fact.of), self.solution.number(fact.to)) == 0
        if self.algebra.is_equal(fact):
            name, sign = "equal", Maths("=", "=")
        else:  # that the difference does not cancel proves nothing; a counterexample does
            name, sign = (
                ("unproved", Maths(r"\stackrel{?}{=}", "=?")) if same_here else ("unequal", Maths(r"\ne", "!="))
            )
        formula = Maths(f"{one.latex} {sign.latex} {other.latex}", f"{one.text} {sign.text} {other.text}")
        return FactShown(phrase(name, of=one, to=other), formula, Prose(()), fact.sentence)

    def _limit(self, fact: Limit) -> FactShown:
        tends = self.algebra.limit(fact)
        of, grows = self._symbol(fact.of), self._symbol(fact.grows)
        formula = Maths(
            rf"\lim_{{{grows.latex} \to \infty}} {of.latex} = {self.algebra.writer.latex(tends)}",
            f"{of.text} -> {self.algebra.writer.text(tends)} as {grows.text} -> infinity",
        )
        here = Prose(())
        if tends.is_finite is not False:
            here = phrase("limit_here", value=self._at_values(tends, fact.of))
        shown = Maths(self.algebra.writer.latex(tends), self.algebra.writer.text(tends))
        statement = phrase("limit", of=of, limit=shown, grows=grows)
        return FactShown(statement, formula, here, fact.sentence)

    def _at_values(self, expression: sympy.Expr, like: str) -> Maths:
        """A closed form at the values given, in the unit of a quantity."""
        values = {symbol: rational(self.solution.number(symbol.name)) for symbol in expression.free_symbols}
        shown = self._unit(like)
        number = exact(exact(expression.xreplace(values)) / base_magnitude(quantity(1, shown)))
        return self._figure(quantity(number, shown))[0]

    def _trend(self, fact: Trend) -> FactShown:
        slope, sign = self.algebra.derivative(fact)
        writer = self.algebra.writer
        of, grows = self._symbol(fact.of), self._symbol(fact.grows)
        comparison = {1: "> 0", -1: "< 0", 0: "= 0", None: ""}[sign]
        formula = Maths(
            rf"\frac{{\partial {of.latex}}}{{\partial {grows.latex}}} = {writer.latex(slope)} {comparison}".strip(),
            f"d {of.text}/d {grows.text} = {writer.text(slope)} {comparison}".strip(),
        )
        name = {1: "rises", -1: "falls", 0: "constant", None: "undecided"}[sign]
        return FactShown(phrase(name, of=of, grows=grows), formula, Prose(()), fact.sentence)

    def _answers(self) -> list[str]:
        """The steps that a derivation is after: the largest of a binding's terms, else the last step."""
        steps = [step for step in self.derivation.steps.values() if not dimensions.is_label(self.derivation, step.name)]
        found = [
            step.name
            for binding in self.derivation.bindings.values()
            for step in steps
            if set(step.parameters) == set(binding.labels) and isinstance(self.algebra.step(step.name), sympy.Max)
        ]
        return list(dict.fromkeys(found)) or [step.name for step in steps[-1:]]

    def _moved(self, name: str) -> Moved:
        of = self._symbol(name)
        try:
            found = sensitivity(self.settings, name)
        except RefusedValueError as error:  # a quantity that is 0, or has no derivative here
            return Moved(Prose((f"{error.problem}.",)), Prose(()), [])
        two_sided = any(one.below is not None for one in found.elasticities)
        if two_sided:
            before = list(phrase("on_tie").parts)
        else:
            before = [
                part
                for step, term in found.binding
                for part in phrase("binding", of=self._symbol(step), term=self._symbol(term)).parts
            ]
        rows: list[tuple[Maths, Maths, Maths | None]] = []
        for one in found.elasticities:
            sides = [figure(side) for side in (one.below, one.value) if side is not None]
            change = Maths(" / ".join(side.latex() for side in sides), " / ".join(side.text() for side in sides))
            form = one.closed_form
            if form is None or form.is_number:
                rows.append((self._symbol(one.given), change, None))
            else:
                written = Maths(self.algebra.writer.latex(form), self.algebra.writer.text(form))
                rows.append((self._symbol(one.given), change, written))
        return Moved(phrase("moves", of=of), Prose(tuple(before)), rows)

    def _table(self) -> Table | None:
        over = self.derivation.example.over
        if len(over) != 1:
            return None
        name, values = next(iter(over.items()))
        columns = [split_column(column)[0] for column in self._columns()]
        swept_unit: Unit | None = None
        rows = []
        for value in values:
            at = _Builder(self.settings.with_values({name: value}))
            swept = at._quantity(name)
            assert not isinstance(swept, str)
            swept_unit = swept_unit or swept.units
            number = quantity(magnitude_in(swept, swept_unit))  # its unit stands in the head
            row = [Maths(quantity_full_latex(number), quantity_full_text(number))]
            for column in columns:
                shown = at._quantity(column)
                row.append(Maths(rf"\text{{{latex.escape(shown)}}}", shown) if isinstance(shown, str) else _bare(shown))
            rows.append(row)
        units = [swept_unit or self._unit(name), *(self._unit(one) for one in columns)]
        heads = [self._symbol(one) for one in (name, *columns)]
        title = filled(words()["heading"]["table"], {"symbol": heads[0]})
        return Table(title, heads, [Maths(unit_latex(one), unit_text(one)) for one in units], rows)

    def _columns(self) -> list[str]:
        """What the table shows: the example's columns, else what the bindings compare and the last steps."""
        if self.derivation.example.show:
            return list(self.derivation.example.show)
        steps = [name for name in self.derivation.order() if name in self.derivation.steps]
        used = {parameter for name in steps for parameter in self.derivation.parameters(name)}
        compared = [term for binding in self.derivation.bindings.values() for term in binding.labels]
        last = [name for name in steps if name not in used]
        return list(dict.fromkeys([*compared, *last]))[:6] + list(self.derivation.bindings)

    def _ranked(self) -> list[tuple[Solution, PlanShown]]:
        """The plans, those that fit first, the fastest of them first; each with the solution of its case."""
        found = []
        for plan in self.derivation.plans:
            case = _Builder(
                self.settings.with_values(plan.at, source=f"plan: {plan.name}") if plan.at else self.settings
            )
            found.append((plan, case))

        def rank(pair: tuple[Plan, _Builder]) -> tuple[bool, Exact, Exact]:
            plan, case = pair
            number = case.solution.number
            time = Fraction(0) if plan.high is None else number(plan.high)
            return number(plan.memory) > number(plan.within), time, number(plan.memory)

        return [(case.solution, case._plan(plan)) for plan, case in sorted(found, key=rank)]

    def _plan(self, plan: Plan) -> PlanShown:
        memory, within = self.solution.number(plan.memory), self.solution.number(plan.within)
        share = self._figure(quantity(exact(memory / within * 100), "%"))[0] if within else Maths("-", "-")
        over = self._over(plan.memory, plan.within)
        return PlanShown(
            name=plan.name,
            cards=plan.cards,
            sentence=plan.sentence,
            memory=self._figure(self._quantity(plan.memory))[0],
            share=share,
            verdict=phrase("fits") if memory <= within else phrase("misses", over=over),
            fits=bool(memory <= within),
            low=self._time(plan.low),
            high=self._time(plan.high),
        )

    def _time(self, name: str | None) -> Maths:
        return Maths("", "") if name is None else self._figure(self._quantity(name))[0]

    def _over(self, memory: str, within: str) -> Maths:
        """By how much a plan exceeds its capacity, in the unit its memory is shown in."""
        unit_of_memory = self._unit(memory)
        excess = self.solution.number(memory) - self.solution.number(within)
        return self._figure(quantity(exact(excess / base_magnitude(quantity(1, unit_of_memory))), unit_of_memory))[0]

    def _best(self, ranked: list[tuple[Solution, PlanShown]]) -> list[Prose]:
        """Which plan to take, and why: on one card, and where there are plans for several, on those."""
        if not ranked:
            return []
        capacity = self._figure(self._quantity(self.derivation.plans[0].within))[0]
        fitting = [shown for _, shown in ranked if shown.fits]
        several = len({pair[0].number(self.derivation.plans[0].within) for pair in ranked}) > 1
        name = "fitting_each" if several else "fitting"
        said = [phrase(name, fit=len(fitting), count=len(ranked), capacity=capacity)]
        if not any(plan.low for plan in self.derivation.plans):
            return said
        alone = [pair for pair in ranked if pair[1].cards == 1]
        said += self._fastest("one_card", alone) or [self._nearest(alone)]
        if len(alone) < len(ranked):
            said += self._fastest("several_cards", [pair for pair in ranked if pair[1].cards > 1])
        return said

    def _fastest(self, name: str, ranked: list[tuple[Solution, PlanShown]]) -> list[Prose]:
        """The first of the ranked plans that fits, with its sentence."""
        for _, best in ranked:
            if best.fits:
                time = phrase("time_once" if best.low == best.high else "time_between", low=best.low, high=best.high)
                found = phrase(name, plan=best.name, memory=best.memory, share=best.share, time=time)
                return [found, *([Prose((best.sentence,))] if best.sentence else [])]
        return []

    def _nearest(self, ranked: list[tuple[Solution, PlanShown]]) -> Prose:
        """Where none fits, the plan that is least over."""
        plans = {plan.name: plan for plan in self.derivation.plans}
        solution, nearest = min(ranked, key=lambda pair: pair[0].number(plans[pair[1].name].memory))
        plan = plans[nearest.name]
        return phrase("none_fits", plan=plan.name, over=_Builder(solution.settings)._over(plan.memory, plan.within))

    def _chart(self) -> list[Stage]:
        """The stages of the decision chart with this case's values."""
        return [
            Stage(
                len(names) == 1 and dimensions.is_label(self.derivation, names[0]),
                [self._equation(name) for name in names],
            )
            for names in self.derivation.stages
        ]

    def _equation(self, name: str) -> Maths:
        symbol, value = self._symbol(name), self._in_line(name)
        return Maths(f"{symbol.latex} = {value.latex}", f"{symbol.text} = {value.text}")

    def _claims(self, results: list[ClaimResult]) -> list[tuple[str, list[ClaimShown]]]:
        by_source: dict[str, list[ClaimShown]] = {}
        for result in results:
            by_source.setdefault(result.claim.source, []).append(self._claim(result))
        return list(by_source.items())

    def _claim(self, result: ClaimResult) -> ClaimShown:
        claim = result.claim
        if claim.of in self.derivation.items:
            of = self._symbol(claim.of)
            if claim.first_integer:
                of = Maths(rf"\lceil {of.latex} \rceil", f"ceil({of.text})")
        else:
            of = self._expression(self.derivation.expression(claim.of))
        at = ", ".join(f"{name} = {value}" for name, value in claim.at.items())
        verdict = phrase("agrees") if result.agrees else phrase("differs", difference=result.difference)
        return ClaimShown(of, at, claim.printed, result.ours, verdict, result.agrees)

    # -- the conclusion

    def _changes(self, answers: Mapping[str, Answer]) -> list[Prose]:
        """What holds on each stretch between the roots of each crossover."""
        found = []
        for name, answer in answers.items():
            if answer.roots:
                found.append(self._stretches(self.derivation.crossovers[name], answer))
            else:
                found.append(phrase("unchanging", reason=answer.reason))
        return found

    def _stretches(self, crossover: Crossover, answer: Answer) -> Prose:
        """`memory-bound up to m = 330, compute-bound from m = 331 on`, whole numbers where the unknown counts."""
        symbol = self._symbol(answer.symbol)
        roots = answer.roots
        counted = self.derivation.givens[answer.symbol].count and all((root.first_integer or 0) > 1 for root in roots)
        pieces = []
        for at, side in enumerate([roots[0].below, *(root.above for root in roots)]):
            label = self._side(crossover, side)
            if at and counted and _is_whole(roots[at - 1]):
                pieces.append(phrase("equal_at", symbol=symbol, value=roots[at - 1].first_integer or 0))
            first = _edge(roots[at - 1], counted, after=True) if at else None
            last = _edge(roots[at], counted, after=False) if at < len(roots) else None
            name = "up_to" if first is None else "from_on" if last is None else "from_to"
            if not counted:
                name += "_about"
            pieces.append(
                phrase(name, label=label if at else _capital(label), symbol=symbol, first=first or "", last=last or "")
            )
        joined: list[str | Maths] = []
        for piece in pieces:
            joined += [*([", "] if joined else []), *piece.parts]
        return Prose((*joined, "."))

    def _binding_here(self) -> list[Prose]:
        found = []
        at: list[str | Maths] = []
        for name in self.derivation.example.at:
            at += [", " if at else "", self._symbol(name), f" = {self._in_line(name).text}"]
        point = phrase("at", point=Prose(tuple(at))) if at else Prose(())
        for binding in self.derivation.bindings.values():
            label = str(self.solution[binding.name])
            first, second = sorted(binding.labels, key=self.solution.number, reverse=True)[:2]
            high, low = self.solution.number(first), self.solution.number(second)
            words_of: dict[str, str | Maths | Prose] = {
                "point": point,
                "label": label,
                "larger": self._symbol(first),
                "smaller": self._symbol(second),
            }
            if compare(high, low) == 0:
                found.append(phrase("tie", **words_of))
            elif not low:
                found.append(phrase("binds_alone", **words_of))
            else:
                times = self._unit(first).dimensionality == unit("s").dimensionality
                ratio = figure(exact(high / low)).text()
                found.append(phrase("binds" if times else "exceeds", ratio=ratio, **words_of))
            if label in self.derivation.advice:
                found.append(Prose((self.derivation.advice[label],)))
        return found


def _edge(root: Root, counted: bool, *, after: bool) -> str:
    """The end of a stretch at a root: the last whole number before it or the first after it, or the root itself."""
    if not counted or root.first_integer is None:
        return quantity_text(root.value, SIGNIFICANT_ROOT)
    return str(root.first_integer + _is_whole(root) if after else root.first_integer - 1)


def _is_whole(root: Root) -> bool:
    """Whether the root itself is a whole number, at which the two sides are equal."""
    return bool(root.value.to_base_units().magnitude == root.first_integer)


def _bare(value: Quantity) -> Maths:
    """The figure of a table cell; its unit stands in the head."""
    shown = figure(exact(value.magnitude))
    return Maths(shown.latex(), shown.text())


def _is_exact(value: Quantity, shown: Maths) -> bool:
    """Whether a figure, in plain text, has lost nothing."""
    return shown.text == quantity_full_text(value)


def _capital(side: str | Maths) -> str | Maths:
    return side[:1].upper() + side[1:] if isinstance(side, str) else side


def _existence(answer: Answer, root: Root) -> Prose:
    """Under which condition the root exists, and whether it has a closed form."""
    candidate = root.candidate
    if candidate.conditions is None:
        found = phrase("exists_here")
    elif not candidate.conditions:
        found = phrase("exists_always")
    else:
        condition = Maths(str(answer.condition_latex(candidate)), str(answer.condition_text(candidate)))
        # On one branch of several the same value may come from another one, under its condition.
        found = phrase("exists_if_in_form" if candidate.branch.conditions else "exists_if", condition=condition)
    return found if candidate.closed_form is not None else Prose((*found.parts, *phrase("no_closed_form").parts))


def _proof(root: Root) -> Prose:
    if not root.proved:
        return Prose((root.proof,))
    return phrase("proof_exact" if root.candidate.closed_form is None else "proof_symbolic")


def _claims_summary(results: list[ClaimResult]) -> Prose:
    failed = sum(not result.agrees for result in results)
    name = "claims_differ" if failed else "claim_agrees" if len(results) == 1 else "claims_agree"
    return phrase(name, failed=failed, count=len(results))
