"""The plans of a derivation, ranked by what fits and how fast it is, and which one to take."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from symroof.case import Case, count, rounded
from symroof.derivation import Plan
from symroof.numerals import Exact, exact
from symroof.prose import Maths, Prose, phrase
from symroof.shown import PlanShown
from symroof.units import quantity

Ranked: TypeAlias = "list[tuple[Plan, Case]]"


def ranked(case: Case) -> Ranked:
    """The plans, those that fit first, the fastest of them first; each with its own case."""
    cases = [
        (plan, Case(case.settings.with_values(plan.at, source=f"plan: {plan.name}"), beside=case) if plan.at else case)
        for plan in case.derivation.plans
    ]

    def rank(pair: tuple[Plan, Case]) -> tuple[bool, Exact, Exact]:
        plan, at = pair
        time = Fraction(0) if plan.high is None else at.solution.number(plan.high)
        return not _fits(plan, at), time, at.solution.number(plan.memory)

    return sorted(cases, key=rank)


def shown(plan: Plan, case: Case) -> PlanShown:
    """A row of the table of plans."""
    return PlanShown(
        name=plan.name,
        cards=plan.cards,
        memory=case.value(plan.memory),
        share=_share(plan, case),
        verdict=phrase("fits") if _fits(plan, case) else phrase("misses", over=_over(plan, case)),
        fits=_fits(plan, case),
        low=_time(plan.low, case),
        high=_time(plan.high, case),
    )


def best(plans: Ranked, case: Case) -> list[Prose]:
    """Which plan to take, and why: on one card, and where there are plans for several, on those."""
    if not plans:
        return []
    fitting = count(sum(_fits(*pair) for pair in plans), "plans that fit")
    several = len({at.solution.number(plan.within) for plan, at in plans}) > 1
    capacity = case.in_line(case.derivation.plans[0].within)
    name = "fitting_each" if several else "fitting"
    said = [phrase(name, fit=fitting, count=count(len(plans), "plans"), capacity=capacity)]
    if not any(plan.low for plan, _ in plans):
        return said
    alone = [pair for pair in plans if pair[0].cards == 1]
    said += _fastest("one_card", alone) or [_nearest(alone)]
    if len(alone) < len(plans):
        said += _fastest("several_cards", [pair for pair in plans if pair[0].cards > 1])
    return said


def _fits(plan: Plan, case: Case) -> bool:
    return bool(case.solution.number(plan.memory) <= case.solution.number(plan.within))


def _share(plan: Plan, case: Case) -> Maths:
    memory, within = case.solution.number(plan.memory), case.solution.number(plan.within)
    if not within:
        return Maths("-", "-")
    return rounded(quantity(exact(memory / within * 100), "%"), f"{plan.memory}/{plan.within}")


def _time(name: str | None, case: Case) -> Maths:
    return Maths("", "") if name is None else case.value(name)


def _over(plan: Plan, case: Case) -> Maths:
    """By how much a plan exceeds its capacity, in the unit its memory is shown in."""
    excess = case.solution.number(plan.memory) - case.solution.number(plan.within)
    return rounded(case.in_unit_of(plan.memory, exact(excess)), f"{plan.memory} - {plan.within}")


def _fastest(name: str, plans: Ranked) -> list[Prose]:
    """The first of the ranked plans that fits, with its sentence."""
    for plan, case in plans:
        if _fits(plan, case):
            low, high = _time(plan.low, case), _time(plan.high, case)
            time = phrase("time_once" if low.text == high.text else "time_between", low=low, high=high)
            memory = case.value(plan.memory)
            found = phrase(name, plan=plan.name, memory=memory, share=_share(plan, case), time=time)
            return [found, *([Prose((plan.sentence,))] if plan.sentence else [])]
    return []


def _nearest(plans: Ranked) -> Prose:
    """Where none fits, the plan that is least over."""
    plan, case = min(plans, key=lambda pair: pair[1].solution.number(pair[0].memory))
    return phrase("none_fits", plan=plan.name, over=_over(plan, case))
