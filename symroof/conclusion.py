"""The conclusion of a worked solution: what holds on each side of the crossovers, what binds here, what to do."""

from __future__ import annotations

from collections.abc import Mapping

from symroof.case import Case, bare, count, equation, rounded
from symroof.crossover import Answer, Root
from symroof.derivation import Crossover
from symroof.numerals import SIGNIFICANT_ROOT, exact
from symroof.prose import Maths, Prose, Sourced, phrase
from symroof.signs import compare
from symroof.units import unit


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
        if at and counted and _is_whole(roots[at - 1]):
            value = count(roots[at - 1].first_integer or 0, crossover.name)
            pieces.append(phrase("equal_at", value=equation(symbol, value)))
        first = equation(symbol, _edge(crossover, roots[at - 1], counted, after=True)) if at else None
        last = _edge(crossover, roots[at], counted, after=False) if at < len(roots) else None
        name = "up_to" if first is None else "from_on" if last is None else "from_to"
        if last is not None and first is None:
            last = equation(symbol, last)
        if not counted:
            name += "_about"
        pieces.append(phrase(name, label=side if at else _capital(side), first=first or "", last=last or ""))
    joined: list[str | Maths] = []
    for piece in pieces:
        joined += [*([", "] if joined else []), *piece.parts]
    return Prose((*joined, "."))


def _edge(crossover: Crossover, root: Root, counted: bool, *, after: bool) -> Maths:
    """The end of a stretch at a root: the last whole number before it or the first after it, or the root itself."""
    if not counted or root.first_integer is None:
        return rounded(root.value, crossover.name, SIGNIFICANT_ROOT)
    return count(root.first_integer + _is_whole(root) if after else root.first_integer - 1, crossover.name)


def _is_whole(root: Root) -> bool:
    """Whether the root itself is a whole number, at which the two sides are equal."""
    return bool(root.value.to_base_units().magnitude == root.first_integer)


def _capital(side: str | Maths) -> str | Maths:
    return side[:1].upper() + side[1:] if isinstance(side, str) else side


def binding_here(case: Case) -> list[Prose]:
    """Which term of each binding is the largest here, by what factor, and the author's advice for that."""
    found = []
    at: list[str | Maths] = []
    for name in case.derivation.example.at:
        at += [", " if at else "", case.equation(name)]
    point = phrase("at", point=Prose(tuple(at))) if at else Prose(())
    for binding in case.derivation.bindings.values():
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
            times = case.unit(first).dimensionality == unit("s").dimensionality
            ratio = bare(exact(high / low), f"{first}/{second}")
            found.append(phrase("binds" if times else "exceeds", ratio=ratio, **words_of))
        if label in case.derivation.advice:
            found.append(Prose((case.derivation.advice[label],)))
    return found
