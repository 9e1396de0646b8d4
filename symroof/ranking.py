"""The plans of a derivation, ranked by what fits and how fast it is, and which one to take."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from symroof.case import Case, bare, count, rounded
from symroof.declared import Plan
from symroof.errors import RefusedValueError
from symroof.numerals import Exact, exact
from symroof.prose import Maths, Prose, joined, phrase
from symroof.sentences import spoken
from symroof.shown import PlanShown, PlanTable
from symroof.units import Unit, from_base, quantity, unit


class Ranked(NamedTuple):
    """A plan with its own case, worked out."""

    plan: Plan
    case: Case
    name: Prose
    gpus: int

    @property
    def memory(self) -> Exact:
        return self.case.solution.number(self.plan.memory)

    @property
    def fits(self) -> bool:
        return self.over <= 0

    @property
    def over(self) -> Exact:
        return exact(self.memory - self.case.solution.number(self.plan.within[0]))

    @property
    def low(self) -> Exact:
        return Fraction(0) if self.plan.low is None else self.case.solution.number(self.plan.low)

    @property
    def high(self) -> Exact:
        return Fraction(0) if self.plan.high is None else self.case.solution.number(self.plan.high)


def ranked(case: Case) -> list[Ranked]:
    """The plans, those that fit first, the fastest at best of them first; of one name only the first that was declared.

    Equally fast plans keep the order of their declaration, in which a derivation says what it would rather do. A plan
    whose own values cannot be worked out in this case, such as a number of GPUs that there is not, is left out.
    """
    found: dict[str, Ranked] = {}
    for plan in case.derivation.plans:
        try:
            one = _worked_out(plan, case)
        except RefusedValueError:
            continue
        found.setdefault(one.name.text, one)
    return sorted(found.values(), key=lambda one: (not one.fits, one.low))


def _worked_out(plan: Plan, case: Case) -> Ranked:
    if plan.at:
        steps = case.derivation.steps
        values = {name: case.solution[value] if value in steps else value for name, value in plan.at.items()}
        source = f"plan: {''.join(part for part in plan.name.parts if isinstance(part, str))}"
        case = Case(case.settings.with_values(values, source=source), beside=case)
    gpus = int(case.solution.number(plan.gpus)) if isinstance(plan.gpus, str) else plan.gpus
    return Ranked(plan, case, spoken(case, plan.name), gpus)


def table(plans: list[Ranked]) -> PlanTable | None:
    """The plans as the report's table."""
    if not plans:
        return None
    case, clock = plans[0].case, _clock(plans)
    by_value: dict[Exact, list[str]] = {}
    for one in plans:
        for name in one.plan.within:
            names = by_value.setdefault(case.solution.number(name), [])
            names += [name] if name not in names else []
    first_of = [names[0] for names in by_value.values()]
    return PlanTable(
        capacities=[[*map(case.symbol, names), case.value(names[0])] for names in by_value.values()],
        timed=any(one.plan.low for one in plans),
        rows=[
            PlanShown(
                name=one.name,
                gpus=one.gpus,
                memory=one.case.value(one.plan.memory),
                share=_share(one),
                verdicts=[_verdict(one, name) for name in first_of],
                fits=one.fits,
                low=_time(one, one.plan.low, clock),
                high=_time(one, one.plan.high, clock),
            )
            for one in plans
        ],
    )


def best(plans: list[Ranked]) -> list[Prose]:
    """Which plan to take and why: on one GPU, and where there are plans for several, on those."""
    if not plans:
        return []
    if not any(one.plan.low for one in plans):
        return [_room(plans)]
    timed, clock = [one for one in plans if one.plan.low], _clock(plans)
    alone, several = ([one for one in timed if (one.gpus == 1) is single] for single in (True, False))
    said = _on_one_gpu(alone, clock) if alone else []
    if several:
        said += _on_several(several, clock)
    return [*said, _how_many_fit(plans)]


def in_short(plans: list[Ranked]) -> list[Prose]:
    """The best plan on one GPU, and on the fewest and the fastest of several, for the end of the chart."""
    fitting = [one for one in plans if one.fits and one.plan.low]
    alone = [one for one in fitting if one.gpus == 1]
    several = [one for one in fitting if one.gpus > 1]
    chosen = [*alone[:1], *sorted(several, key=lambda one: one.gpus)[:1], *several[:1]]
    if not chosen:
        return [phrase("nothing_fits")] if any(one.plan.low for one in plans) else []
    return [_short(one, _clock(plans)) for one in {one.name.text: one for one in chosen}.values()]


def _short(one: Ranked, clock: Unit) -> Prose:
    low = _time(one, one.plan.low, clock)
    return phrase("in_short", plan=one.name, memory=one.case.value(one.plan.memory), time=low)


def _on_one_gpu(plans: list[Ranked], clock: Unit) -> list[Prose]:
    fitting = [one for one in plans if one.fits]
    if not fitting:
        nearest = min(plans, key=lambda one: one.over)
        return [phrase("none_fits", plan=nearest.name, over=_over(nearest, nearest.plan.within[0]))]
    first, *others = fitting
    said = [_chosen("one_gpu", first, clock)]
    equal, slower = ([one for one in others if (one.low == first.low) is same] for same in (True, False))
    if equal:
        said.append(phrase("equally_fast", plans=_with_memory(equal)))
    if slower and first.low:  # else nothing is so many times as long
        following = slower[0]
        ratio = bare(exact(following.low / first.low), f"{following.plan.low}/{first.plan.low}")
        apart = bare(exact(following.high / first.high), f"{following.plan.high}/{first.plan.high}")
        said.append(phrase("next_best", plan=following.name, memory=_memory(following), ratio=ratio, ratio_apart=apart))
    tempting = [one for one in plans if not one.fits and one.low <= first.low]
    if tempting:
        said.append(phrase("too_large", plans=_too_large(tempting)))
    return [joined(" ", said), *_sentence(first)]


def _on_several(plans: list[Ranked], clock: Unit) -> list[Prose]:
    fitting = [one for one in plans if one.fits]
    if not fitting:
        return [phrase("none_fits_several")]
    fewest, fastest = min(fitting, key=lambda one: one.gpus), fitting[0]
    said = [_chosen("fewest_gpus", fewest, clock)]
    if fastest is not fewest:
        said.append(_chosen("fastest_gpus", fastest, clock))
    return [joined(" ", said), *_sentence(fewest)]


def _chosen(name: str, one: Ranked, clock: Unit) -> Prose:
    low, high = _time(one, one.plan.low, clock), _time(one, one.plan.high, clock)
    time = phrase("time_once" if low.text == high.text else "time_between", low=low, high=high)
    spent = rounded(from_base(exact(one.high * one.gpus), clock), f"{one.gpus}*{one.plan.high}")
    return phrase(name, plan=one.name, memory=_memory(one), time=time, spent=spent)


def _sentence(one: Ranked) -> list[Prose]:
    return [spoken(one.case, one.plan.sentence)] if one.plan.sentence.parts else []


def _how_many_fit(plans: list[Ranked]) -> Prose:
    fitting = sum(one.fits for one in plans)
    name = {0: "fitting_none", 1: "fitting_one", len(plans): "fitting_all"}.get(fitting, "fitting")
    return phrase(name, fit=count(fitting, "plans that fit"), count=count(len(plans), "plans"))


def _room(plans: list[Ranked]) -> Prose:
    """Of plans that say nothing of their time, which fit."""
    capacity = plans[0].case.value(plans[0].plan.within[0])
    fitting, others = ([one for one in plans if one.fits is fits] for fits in (True, False))
    said = [phrase("room_for", capacity=capacity, plans=_with_memory(fitting))] if fitting else []
    if others:
        said.append(phrase("no_room_for", capacity=capacity, plans=_too_large(others)))
    return joined(" ", said)


def _with_memory(plans: list[Ranked]) -> Prose:
    return joined(", ", [phrase("plan_in", plan=one.name, memory=one.case.value(one.plan.memory)) for one in plans])


def _too_large(plans: list[Ranked]) -> Prose:
    """By how much each plan is, the nearest first."""
    nearest = sorted(plans, key=lambda one: one.over)
    over = [phrase("too_large_one", plan=one.name, over=_over(one, one.plan.within[0])) for one in nearest]
    return joined(", ", over)


def _memory(one: Ranked) -> Prose:
    return phrase("memory_share", memory=one.case.value(one.plan.memory), share=_share(one))


def _share(one: Ranked) -> Prose:
    within = one.plan.within[0]
    capacity = one.case.solution.number(within)
    if not capacity:
        return phrase("no_capacity")
    share = quantity(exact(one.memory / capacity * 100), "%")
    return Prose((rounded(share, f"{one.plan.memory}/{within}"),))


def _verdict(one: Ranked, within: str) -> Prose:
    if one.memory <= one.case.solution.number(within):
        return phrase("fits", free=_apart(one, within, f"{within} - {one.plan.memory}"))
    return phrase("misses", over=_over(one, within))


def _over(one: Ranked, within: str) -> Maths:
    return _apart(one, within, f"{one.plan.memory} - {within}")


def _apart(one: Ranked, within: str, of: str) -> Maths:
    """The difference of the memory and a capacity, in the unit that the memory is shown in."""
    apart = abs(one.memory - one.case.solution.number(within))
    return rounded(one.case.in_unit_of(one.plan.memory, exact(apart)), of)


def _clock(plans: list[Ranked]) -> Unit:
    """The one unit of all times: that of the first plan that has a time."""
    timed = next((one for one in plans if one.plan.low), None)
    return timed.case.unit(str(timed.plan.low)) if timed else unit("s")


def _time(one: Ranked, name: str | None, clock: Unit) -> Maths:
    return Maths("", "") if name is None else rounded(from_base(one.case.solution.number(name), clock), name)
