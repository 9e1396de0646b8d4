"""The conclusion of a worked solution: the author's answer, what holds on each side of the crossovers, what binds
here, what to do."""

from __future__ import annotations

from collections.abc import Mapping

from symroof.case import Case, bare, count, equation, rounded
from symroof.crossover import Answer, Root
from symroof.declared import Binding, Crossover
from symroof.numerals import SIGNIFICANT_ROOT, exact
from symroof.prose import Maths, Prose, Sourced, joined, phrase
from symroof.sentences import spoken
from symroof.signs import compare
from symroof.units import quantity, unit


def answers_in_words(case: Case) -> list[Prose]:
    """What the author says the answer is."""
    return [spoken(case, text) for text in case.derivation.conclusions]


def changes(case: Case, answers: Mapping[str, Answer]) -> list[Prose]:
    """What holds on each stretch between the roots of each crossover."""
    return [
        _stretches(case, case.derivation.crossovers[name], answer)
        if answer.roots
        else phrase("unchanging", reason=Sourced(answer.reason))
        for name, answer in answers.items()
    ]


def _stretches(case: Case, crossover: Crossover, answer: Answer) -> Prose:
    """`memory-bound up to m = 330, compute-bound from m = 331 on`, whole numbers where the unknown counts."""
    symbol = case.symbol(answer.symbol)
    roots = answer.roots
    counted = case.derivation.givens[answer.symbol].count and all((root.first_integer or 0) > 1 for root in roots)
    pieces = []
    for at, holds in enumerate([roots[0].below, *(root.above for root in roots)]):
        side = case.side(crossover, holds)
        if at and counted and _is_whole(roots[at - 1]) and not crossover.less:
            value = count(roots[at - 1].first_integer or 0, crossover.name)
            pieces.append(phrase("equal_at", value=equation(symbol, value)))
        first = equation(symbol, _edge(crossover, roots[at - 1], counted, after=True)) if at else None
        last = _edge(crossover, roots[at], counted, after=False) if at < len(roots) else None
        name = "up_to" if first is None else "from_on" if last is None else "from_to"
        if last is not None and first is None:
            last = equation(symbol, last)
        if not counted:
            name = "above_it" if len(roots) == 1 and at else f"{name}_about"
        pieces.append(phrase(name, label=side if at else _capital(side), first=first or "", last=last or ""))
    return Prose((*joined(", ", pieces).parts, "."))


def sides(case: Case, crossover: Crossover, root: Root) -> Prose:
    """What holds below and above a root; of whole numbers, up to which and from which."""
    below, above = case.side(crossover, root.below), case.side(crossover, root.above)
    if not case.derivation.givens[crossover.solve_for].count or (root.first_integer or 0) <= 1:
        return phrase("side", below=below, above=above)
    symbol = case.symbol(crossover.solve_for)
    last, first = (equation(symbol, _edge(crossover, root, counted=True, after=after)) for after in (False, True))
    return phrase("up_to_whole", below=below, last=last, above=above, first=first)


def _edge(crossover: Crossover, root: Root, counted: bool, *, after: bool) -> Maths:
    """The end of a stretch at a root: the last whole number before it or the first after it, or the root itself."""
    if not counted or root.first_integer is None:
        return rounded(root.value, crossover.name, SIGNIFICANT_ROOT)
    last, first = root.first_integer - 1, root.first_integer
    if _is_whole(root):  # and equal there, unless one of the labels is for equal sides as well
        last += bool(crossover.less) and root.below == crossover.less
        first += not crossover.less or root.below == crossover.less
    return count(first if after else last, crossover.name)


def _is_whole(root: Root) -> bool:
    """Whether the root itself is a whole number, at which the two sides are equal."""
    return bool(root.value.to_base_units().magnitude == root.first_integer)


def _capital(side: str | Maths) -> str | Maths:
    return side[:1].upper() + side[1:] if isinstance(side, str) else side


def binding_here(case: Case) -> list[Prose]:
    """Which term of each binding is the largest here, by what factor, and the author's advice for that."""
    found = []
    at = joined(", ", [Prose((case.equation(name),)) for name in case.derivation.example.at])
    point = phrase("at", point=at) if at.parts else Prose(())
    for binding in case.derivation.bindings.values():
        if binding.name in case.derivation.cited:
            continue
        label = str(case.solution[binding.name])
        first, second = sorted(binding.labels, key=case.solution.number, reverse=True)[:2]
        high, low = case.solution.number(first), case.solution.number(second)
        words_of: dict[str, str | Maths | Prose] = {
            "point": point,
            "label": label,
            "larger": case.symbol(first),
            "smaller": case.symbol(second),
        }
        if compare(high, low) == 0:
            found.append(phrase("tie", **words_of))
        elif not low:
            found.append(phrase("binds_alone", **words_of))
        else:
            ratio = bare(exact(high / low), f"{first}/{second}")
            share = rounded(quantity(exact(high / (high + low) * 100), "%"), f"{first}/({first} + {second})")
            found.append(phrase(_comparison(case, binding), ratio=ratio, share=share, **words_of))
        if label in case.derivation.advice:
            found.append(Prose((case.derivation.advice[label],)))
    return found


def _comparison(case: Case, binding: Binding) -> str:
    """Which sentence compares two terms: of times, the smaller does not matter only where the larger hides it."""
    if case.unit(next(iter(binding.labels))).dimensionality != unit("s").dimensionality:
        return "exceeds"
    return "binds" if case.algebra.maxima_of(binding) else "adds"
