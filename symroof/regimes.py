"""Which term binds where: the whole line of one given from 0 to infinity, with exact breakpoints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise

import sympy

from symroof.algebra import Algebra
from symroof.crossover import Root, solve
from symroof.derivation import DerivationGraph
from symroof.dimensions import is_label
from symroof.equation import Equation
from symroof.errors import RefusedValueError
from symroof.evaluate import Solution
from symroof.expression import parse_relation
from symroof.forms import Writer, normalised
from symroof.numerals import Exact
from symroof.settings import Settings
from symroof.units import Quantity, base_magnitude, quantity
from symroof.zeros import middle


@dataclass(frozen=True)
class Regime:
    """A stretch of the line on which one term is largest; None is an end that is not there."""

    low: Quantity | None
    high: Quantity | None
    term: str
    label: str
    formula: sympy.Expr | None


@dataclass(frozen=True)
class Crossing:
    """Where two of the terms are equal, whether or not one of them is the largest there."""

    terms: tuple[str, str]
    root: Root
    on_top: bool


@dataclass(frozen=True)
class Regimes:
    """The regimes of one comparison along the line of `symbol`, ascending, and all crossings of its terms."""

    name: str
    symbol: str
    terms: tuple[str, ...]
    regimes: tuple[Regime, ...]
    crossings: tuple[Crossing, ...]
    writer: Writer


def regimes(settings: Settings, symbol: str) -> list[Regimes]:
    """The regimes of every binding of the derivation, and of every step that is a largest of two or more steps.

    Raises RefusedValueError where the derivation compares nothing, and the errors of solving.
    """
    compared = _comparisons(settings.derivation)
    if not compared:
        raise RefusedValueError(
            f"{settings.derivation.name} compares no terms", "declare a binding, or a step with largest(...)"
        )
    return [_regimes(settings, symbol, name, labels) for name, labels in compared.items()]


def _comparisons(derivation: DerivationGraph) -> dict[str, dict[str, str]]:
    """What is compared under which name: each term with its label. A binding stands for the step of its terms."""
    found = {name: dict(binding.labels) for name, binding in derivation.bindings.items()}
    taken = [set(labels) for labels in found.values()]
    algebra = Algebra(derivation)
    for name in derivation.steps:
        maximum = None if is_label(derivation, name) else algebra.step(name)
        if isinstance(maximum, sympy.Max) and all(term.is_Symbol for term in maximum.args):
            terms = [term for term in derivation.parameters(name) if algebra.symbol(term) in maximum.args]
            if set(terms) not in taken:
                found[name] = {term: f"{term} binds" for term in terms}
    return found


def _regimes(settings: Settings, symbol: str, name: str, labels: dict[str, str]) -> Regimes:
    answers = {
        (one, other): solve(settings, parse_relation(f"{one} = {other}"), symbol)
        for one, other in combinations(labels, 2)
    }
    ends = sorted({base_magnitude(root.value) for answer in answers.values() for root in answer.roots})
    stretches: list[tuple[Exact, Exact | None, str]] = []
    for low, high in zip([Fraction(0), *ends], [*ends, None], strict=True):
        term = _largest(settings, symbol, labels, middle(low, high))
        joins = stretches and stretches[-1][2] == term
        stretches.append((stretches.pop()[0] if joins else low, high, term))
    borders = {high for (_, high, _), _ in pairwise(stretches)}
    measured = {base_magnitude(root.value): root.value for answer in answers.values() for root in answer.roots}
    found = tuple(
        Regime(
            measured.get(low),
            None if high is None else measured[high],
            term,
            labels[term],
            _formula(settings, symbol, term),
        )
        for low, high, term in stretches
    )
    crossings = tuple(
        Crossing(pair, root, base_magnitude(root.value) in borders)
        for pair, answer in answers.items()
        for root in answer.roots
    )
    writer = next(iter(answers.values())).writer
    return Regimes(name, symbol, tuple(labels), found, crossings, writer)


def _largest(settings: Settings, symbol: str, terms: Sequence[str] | dict[str, str], point: Fraction) -> str:
    declared = settings.derivation.unit_of(symbol)
    scale = base_magnitude(quantity(1, declared))
    solution = Solution(settings.at_point(symbol, quantity(point / scale, declared)))
    best, *others = terms
    for term in others:
        if solution.number(term) > solution.number(best):
            best = term
    return best


def _formula(settings: Settings, symbol: str, term: str) -> sympy.Expr | None:
    """The term's closed form in the unknown and the other givens, where it has no branches of its own."""
    equation = Equation(settings, parse_relation(f"{term} = {term}"), symbol)
    branches = equation.composed(equation.algebra.symbol(term))
    return normalised(branches[0].difference) if len(branches) == 1 else None
