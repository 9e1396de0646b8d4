"""A worked solution as data: `build` works everything out, `writing` and `terminal` only write it down."""

from __future__ import annotations

import sympy

from symroof import as_written, dimensions
from symroof.algebra import rational
from symroof.case import Case, bare, count, equation, in_full, is_exact, label, rounded
from symroof.check import claim_results, swapped_bounds
from symroof.claim_tables import claim_tables, claims_summary
from symroof.conclusion import answers_in_words, binding_here, changes, sides
from symroof.crossover import Answer, Root, solve_crossover
from symroof.decision_chart import chart
from symroof.declared import Crossover, Decision, Equal, Limit, Step, Trend, split_column
from symroof.derivation import DerivationGraph
from symroof.errors import AuthoringError, RefusedValueError
from symroof.numerals import SIGNIFICANT, SIGNIFICANT_ROOT, exact
from symroof.prose import ABOUT, EQUALS, Maths, Prose, Sourced, filled, phrase, words
from symroof.ranking import Ranked, best, ranked, table
from symroof.sensitivity import sensitivity
from symroof.settings import Settings
from symroof.shown import (
    Assumption,
    CitedShown,
    CrossoverShown,
    FactShown,
    Line,
    Moved,
    Report,
    RootShown,
    Table,
)
from symroof.signs import compare
from symroof.units import Unit, converted, magnitude_in, quantity, unit_latex, unit_text


def build(settings: Settings) -> Report:
    """Works out everything that the report of a derivation says in one case."""
    case = Case(settings)
    derivation = case.derivation
    answers: dict[str, Answer] = {}
    unsolved: dict[str, str] = {}
    for one in derivation.crossovers.values():
        try:
            answers[one.name] = solve_crossover(case.settings, one)
        except RefusedValueError as error:  # too many branches, not algebraic: the rest still holds
            unsolved[one.name] = error.problem
    results = claim_results(case.settings)
    plans = ranked(case)
    for plan in plans:
        if swapped := swapped_bounds(plan):
            raise AuthoringError(swapped, "exchange low and high, or mend the formula of one of them")
    return Report(
        name=derivation.name,
        title=derivation.title,
        case=_case(case),
        question=derivation.question,
        assumptions=_assumptions(case),
        cited=_cited(case),
        lines=[
            _line(case, derivation.steps[name])
            for name in derivation.order()
            if name in derivation.steps and name not in derivation.cited
        ],
        crossovers=[
            _crossover(case, one, answers[name]) if name in answers else _unsolved(case, one, unsolved[name])
            for name, one in derivation.crossovers.items()
        ],
        facts=[_fact(case, fact) for fact in derivation.facts],
        moved=[moved for moved in (_moved(at, name) for name, at in _answers(case, plans)) if moved.rows],
        table=_table(case),
        plans=table(plans),
        chart=chart(case, plans),
        claims=claim_tables(case, results),
        claims_summary=claims_summary(results),
        conclusion=[*best(plans), *answers_in_words(case), *changes(case, answers), *binding_here(case)],
        conventions=_conventions(),
    )


def _conventions() -> list[Prose]:
    values = {
        "digits": count(SIGNIFICANT, "digits"),
        "root_digits": count(SIGNIFICANT_ROOT, "digits of a root"),
        "gb": _in_bytes("GB"),
        "gib": _in_bytes("GiB"),
    }
    return [filled(line, values) for line in words()["conventions"]["lines"]]


def _case(case: Case) -> Prose:
    """The chip and the data type, if a given comes from them."""
    sources = [case.settings.value(name).source for name in _used(case)]
    if any(source.startswith((f"{case.settings.chip.name}:", "size of ")) for source in sources):
        return phrase("on", chip=Sourced(case.settings.chip.name), dtype=case.settings.dtype)
    return Prose(())


def _used(case: Case) -> list[str]:
    """The givens that the steps and labels are worked out from, but for those that each plan sets for itself."""
    used = case.derivation.ancestors([*case.derivation.steps, *case.derivation.bindings])
    set_by_plans = {name for plan in case.derivation.plans for name in plan.at}
    return [name for name in used if name in case.derivation.givens and name not in set_by_plans]


def _cited(case: Case) -> list[CitedShown]:
    """What other reports derive and this one's own steps, conclusion and boxes of the chart use."""
    derivation = case.derivation
    own = [name for name in (*derivation.steps, *derivation.bindings) if name not in derivation.cited]
    used = {parameter for name in own for parameter in derivation.parameters(name)}
    used |= {name for stage in derivation.stages if not isinstance(stage, Decision) for name in stage}
    used |= {name for text in derivation.conclusions for blank in text.blanks for name in blank.expression.names}
    return [
        CitedShown(case.symbol(name), _written(derivation, derivation.steps[name]), case.value(name), where)
        for name, where in derivation.cited.items()
        if name in used and name in derivation.steps
    ]


def _written(derivation: DerivationGraph, step: Step) -> Maths:
    return Maths(as_written.formula(derivation, step), as_written.source_line(step))


def _assumptions(case: Case) -> list[Assumption]:
    found = []
    for name in _used(case):
        value = case.settings.value(name)
        figures = case.in_line(name)
        source = f"{name} = {value.text}" if case.settings.tied_to(name) else value.source
        found.append(Assumption(case.symbol(name), value.given.description, figures, Sourced(source)))
    return found


def _line(case: Case, step: Step) -> Line:
    written = _written(case.derivation, step)
    numbers = {name: case.in_line(name) for name in step.parameters}
    put_in = as_written.substituted(step, {name: shown.latex for name, shown in numbers.items()})
    substituted = None
    if r"\begin{" not in put_in and step.parameters:
        plain = as_written.source_line(step, {name: shown.text for name, shown in numbers.items()})
        substituted = Maths(put_in, plain)
    value, result = case.quantity(step.name), case.value(step.name)
    relation = EQUALS if isinstance(value, str) or is_exact(value, result) else ABOUT
    return Line(step.name, case.symbol(step.name), step.sentence, written, substituted, relation, result)


def _crossover(case: Case, crossover: Crossover, answer: Answer) -> CrossoverShown:
    roots = [_root(case, crossover, answer, root) for root in answer.roots]
    reason = Sourced(answer.reason)
    shown_reason = phrase("no_root", reason=reason) if answer.verdict == "never" else Prose((reason,))
    return CrossoverShown(_solved(case, crossover), roots, shown_reason)


def _unsolved(case: Case, crossover: Crossover, problem: str) -> CrossoverShown:
    return CrossoverShown(_solved(case, crossover), [], phrase("unsolved", problem=Sourced(problem)))


def _solved(case: Case, crossover: Crossover) -> Prose:
    left, right = (case.expression(side).latex for side in (crossover.relation.left, crossover.relation.right))
    symbol = case.derivation.latex_of(crossover.solve_for)
    return phrase(
        "solves",
        equation=Maths(f"{left} = {right}", crossover.relation.text),
        symbol=Maths(symbol, crossover.solve_for),
    )


def _root(case: Case, crossover: Crossover, answer: Answer, root: Root) -> RootShown:
    candidate = root.candidate
    closed_form = None
    if candidate.closed_form is not None:
        closed_form = answer.writer.maths(candidate.closed_form)
    decimal = rounded(root.value, crossover.name, SIGNIFICANT_ROOT)
    return RootShown(
        symbol=case.symbol(crossover.name),
        closed_form=closed_form,
        existence=_existence(answer, root),
        exact=in_full(root.value, crossover.name),
        relation=EQUALS if is_exact(root.value, decimal) else ABOUT,
        decimal=decimal,
        first_integer=None if root.first_integer is None else count(root.first_integer, f"ceil({crossover.name})"),
        sides=sides(case, crossover, root),
        proof=_proof(root),
    )


def _fact(case: Case, fact: Limit | Trend | Equal) -> FactShown:
    match fact:
        case Limit():
            return _limit(case, fact)
        case Trend():
            return _trend(case, fact)
    one, other = case.symbol(fact.of), case.symbol(fact.to)
    same_here = compare(case.solution.number(fact.of), case.solution.number(fact.to)) == 0
    if case.algebra.is_equal(fact):
        name, sign = "equal", EQUALS
    else:  # that the difference does not cancel proves nothing; a counterexample does
        name, sign = ("unproved", Maths(r"\stackrel{?}{=}", "=?")) if same_here else ("unequal", Maths(r"\ne", "!="))
    formula = Maths(f"{one.latex} {sign.latex} {other.latex}", f"{one.text} {sign.text} {other.text}")
    return FactShown(phrase(name, of=one, to=other), formula, Prose(()), fact.sentence)


def _limit(case: Case, fact: Limit) -> FactShown:
    tends = case.algebra.limit(fact)
    of, grows, shown = case.symbol(fact.of), case.symbol(fact.grows), case.algebra.writer.maths(tends)
    formula = Maths(
        rf"\lim_{{{grows.latex} \to \infty}} {of.latex} = {shown.latex}",
        f"{of.text} -> {shown.text} as {grows.text} -> infinity",
    )
    here = Prose(())
    if tends.is_finite is not False:
        here = phrase("limit_here", value=_at_values(case, tends, fact.of))
    statement = phrase("limit", of=of, limit=shown, grows=grows)
    return FactShown(statement, formula, here, fact.sentence)


def _at_values(case: Case, expression: sympy.Expr, like: str) -> Maths:
    """A closed form at the values given, in the unit of a quantity."""
    values = {symbol: rational(case.solution.number(symbol.name)) for symbol in expression.free_symbols}
    return rounded(case.in_unit_of(like, exact(expression.xreplace(values))), f"limit of {like}")


def _trend(case: Case, fact: Trend) -> FactShown:
    slope, sign = case.algebra.derivative(fact)
    writer = case.algebra.writer
    of, grows = case.symbol(fact.of), case.symbol(fact.grows)
    comparison = {1: "> 0", -1: "< 0", 0: "= 0", None: ""}[sign]
    formula = Maths(
        rf"\frac{{\partial {of.latex}}}{{\partial {grows.latex}}} = {writer.latex(slope)} {comparison}".strip(),
        f"d {of.text}/d {grows.text} = {writer.text(slope)} {comparison}".strip(),
    )
    name = {1: "rises", -1: "falls", 0: "constant", None: "undecided"}[sign]
    return FactShown(phrase(name, of=of, grows=grows), formula, Prose(()), fact.sentence)


def _answers(case: Case, plans: list[Ranked]) -> list[tuple[str, Case]]:
    """The quantities that a derivation is after: those its author names, else the time of the best plan, else the
    largest of a binding's terms, else the last step."""
    derivation = case.derivation
    if derivation.example.answer:
        return [(name, case) for name in derivation.example.answer]
    timed = [one for one in plans if one.fits and one.plan.low is not None]
    for best_one in sorted(timed, key=lambda one: one.gpus > 1)[:1]:  # on one GPU, if one fits there
        return [(str(best_one.plan.low), best_one.case)]
    bindings = [one for one in derivation.bindings.values() if one.name not in derivation.cited]
    found = dict.fromkeys(name for binding in bindings for name in case.algebra.maxima_of(binding))
    last = [name for name in derivation.steps if not dimensions.is_label(derivation, name)][-1:]
    return [(name, case) for name in found or last]


def _moved(case: Case, name: str) -> Moved:
    of = case.symbol(name)
    try:
        found = sensitivity(case.settings, name)
    except RefusedValueError as error:  # a quantity that is 0, or has no derivative here
        return Moved(Prose((f"{error.problem}.",)), Prose(()), [])
    two_sided = any(one.below is not None for one in found.elasticities)
    if two_sided:
        before = list(phrase("on_tie").parts)
    else:
        before = [
            part
            for step, term in found.binding
            for part in phrase("binding", of=case.symbol(step), term=case.symbol(term)).parts
        ]
    rows: list[tuple[Maths | Prose, Maths, Maths | None]] = []
    for one in found.elasticities:
        if _repeats(case, one.given):
            continue
        if one.one_more is not None:
            more = phrase("one_more", given=case.symbol(one.given))
            rows.append((more, bare(exact(100 * one.one_more), f"change for one more {one.given}"), None))
            continue
        sides = [bare(side, f"change in {one.given}") for side in (one.below, one.value) if side is not None]
        change = Maths(" / ".join(side.latex for side in sides), " / ".join(side.text for side in sides))
        form = one.closed_form
        if form is None or form.is_number:
            rows.append((case.symbol(one.given), change, None))
        else:
            rows.append((case.symbol(one.given), change, case.algebra.writer.maths(form)))
    return Moved(phrase("moves", of=of), Prose(tuple(before)), rows)


def _repeats(case: Case, given: str) -> bool:
    """Whether it is but the efficiency of one other given, which moves the answer by as much."""
    derivation, settings = case.derivation, case.settings
    users = [
        name for name in derivation.quantities if given in (*derivation.parameters(name), *settings.depends_on(name))
    ]
    return len(users) == 1 and users[0] in derivation.givens and derivation.givens[users[0]].efficiency == given


def _table(case: Case) -> Table | None:
    over = case.derivation.example.over
    if len(over) != 1:
        return None
    name, values = next(iter(over.items()))
    columns = [split_column(column)[0] for column in _columns(case)]
    swept_unit: Unit | None = None
    rows = []
    for value in values:
        at = Case(case.settings.with_values({name: value}), beside=case)
        swept = at.quantity(name)
        assert not isinstance(swept, str)
        swept_unit = swept_unit or swept.units
        row = [in_full(quantity(magnitude_in(swept, swept_unit)), name)]  # its unit stands in the head
        for column in columns:
            cell = at.quantity(column)
            row.append(label(cell) if isinstance(cell, str) else bare(exact(cell.magnitude), column))
        rows.append(row)
    units = [swept_unit or case.unit(name), *(case.unit(one) for one in columns)]
    heads = [case.symbol(one) for one in (name, *columns)]
    title = filled(words()["heading"]["table"], {"symbol": heads[0]})
    return Table(title, heads, [Maths(unit_latex(one), unit_text(one)) for one in units], rows)


def _columns(case: Case) -> list[str]:
    """What the table shows: the example's columns, else what the bindings compare and the last steps."""
    if case.derivation.example.show:
        return list(case.derivation.example.show)
    steps = [name for name in case.derivation.order() if name in case.derivation.steps]
    used = {parameter for name in steps for parameter in case.derivation.parameters(name)}
    compared = [term for binding in case.derivation.bindings.values() for term in binding.labels]
    last = [name for name in steps if name not in used]
    return list(dict.fromkeys([*compared, *last]))[:6] + list(case.derivation.bindings)


def _in_bytes(size: str) -> Maths:
    """`1 GB = 1 000 000 000 byte`"""
    one = quantity(1, size)
    return equation(in_full(one, size), in_full(converted(one, "byte"), size))


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
        return Prose((Sourced(root.proof),))
    return phrase("proof_exact" if root.candidate.closed_form is None else "proof_symbolic")
