"""What memory figures show: the terms of each plan's memory, stacked against the capacity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symroof.evaluate import Solution
from symroof.expression import Expression
from symroof.figure_case import FigureCase, as_prose, equals, figure_maths, in_unit, shown_quantity, unit_maths
from symroof.figure_data import Axis, Bar, Bars, Part, to_float
from symroof.prose import Prose, filled, words
from symroof.units import Unit, base_magnitude, quantity

_ROOM = 1.25  # times the longest bar, for the figure behind it
_LONGEST = 3  # times the limit; a longer bar is cut off


@dataclass(frozen=True)
class _Stack:
    """One bar to be: its name, the values it is worked out at, and the quantities that it compares."""

    name: Prose
    solution: Solution
    memory: str
    within: str


def _stacks(case: FigureCase) -> list[_Stack]:
    """The plans; else, where a crossover sets a sum of bytes against a capacity, the example's values."""
    if case.derivation.plans:
        return [_Stack(one.name, one.case.solution, one.plan.memory, one.plan.within[0]) for one in case.plans]
    for memory, within, symbol in _sums_against_capacities(case):
        values = case.values(symbol) if len(case.terms(memory)) > 1 else []
        return [
            _Stack(equals(case, symbol, value), Solution(case.settings.at_point(symbol, value)), memory, within)
            for value in values
        ]
    return []


def _sums_against_capacities(case: FigureCase) -> Iterator[tuple[str, str, str]]:
    for crossover in case.derivation.crossovers.values():
        memory, within = crossover.relation.left.text, crossover.relation.right.text
        known = memory in case.derivation.steps and within in case.derivation.quantities
        if known and case.measures(memory, "byte"):
            yield memory, within, crossover.solve_for


def has_memory(case: FigureCase) -> bool:
    if case.derivation.plans:
        return bool(_stacks(case))  # none where no plan can be worked out in this case
    first = next(_sums_against_capacities(case), None)
    return first is not None and len(case.terms(first[0])) > 1 and bool(case.values(first[2]))


def compared(case: FigureCase) -> Prose:
    """What the bars are of."""
    if case.derivation.plans:
        return as_prose(words()["figure"]["each_plan"])
    memory, _, symbol = next(_sums_against_capacities(case))
    over = {"memory": case.symbol(memory), "symbol": case.symbol(symbol)}
    return filled(words()["figure"]["memory_over"], over)


def is_cut(bar: Bar) -> bool:
    """Whether a bar is longer than what the figure has room for."""
    return bool(bar.limit) and to_float(bar.total) > _LONGEST * to_float(bar.limit)


def memory(case: FigureCase) -> Bars:
    """A bar for each plan: the terms of the sum that its memory is, and the capacity it must stay within."""
    stacks = _stacks(case)
    shown = case.unit(stacks[0].memory)
    terms = {label.text: term for stack in stacks for label, term in case.terms(stack.memory)}
    families = _families(case, terms)
    bars = tuple(_bar(case, stack, shown, families) for stack in stacks)
    limits = {bar.limit for bar in bars}
    symbol = case.symbol(stacks[0].within)
    if len(limits) == 1:
        limit = equals(case, stacks[0].within, shown_quantity(stacks[0].solution, stacks[0].within))
    else:
        limit = as_prose(symbol)
    longest, capacity = to_float(max(bar.total for bar in bars)), to_float(max(limits))
    high = _ROOM * max(capacity, min(longest, _LONGEST * capacity) if capacity else longest)
    axis = Axis(as_prose(words()["figure"]["memory_axis"]), unit_maths(shown), 0, high or 1, linear=True)
    return Bars(axis, bars, limit)


def _bar(case: FigureCase, stack: _Stack, shown: Unit, families: dict[str, int]) -> Bar:
    solution = stack.solution
    total = in_unit(solution.number(stack.memory), shown)
    parts = [
        Part(label, in_unit(base_magnitude(solution.compute(term)), shown), families[label.text])
        for label, term in case.terms(stack.memory)
    ]
    if any(part.value < 0 for part in parts):  # a difference is no stack
        parts = [Part(case.symbol(stack.memory), total, 0)]
    kept = tuple(part for part in parts if part.value)
    limit = in_unit(solution.number(stack.within), shown)
    return Bar(stack.name, kept, total, figure_maths(quantity(total, shown)), limit)


def _families(case: FigureCase, terms: dict[str, Expression]) -> dict[str, int]:
    """A number for each term, the same for terms that are worked out from a common step or from the same counts."""
    marks: dict[str, set[str]] = {}
    for text, term in terms.items():
        used = case.derivation.ancestors(term.names)
        steps = {name for name in used if name in case.derivation.steps}
        counts = sorted(name for name in used if name in case.derivation.givens and case.derivation.givens[name].count)
        marks[text] = steps | ({" ".join(counts)} if counts else set(used))
    families: list[set[str]] = []
    for text in terms:
        joined = [one for one in families if any(marks[text] & marks[other] for other in one)]
        families = [one for one in families if one not in joined] + [set().union({text}, *joined)]
    order = list(terms)
    families.sort(key=lambda one: min(map(order.index, one)))
    return {text: at for at, one in enumerate(families) for text in one}
