"""Which term binds where: the whole line of one given from 0 to infinity, with exact breakpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import sympy

from symroof.algebra import Algebra
from symroof.crossover import Root, answer, shown
from symroof.derivation import DerivationGraph
from symroof.dimensions import is_label
from symroof.equation import Equation
from symroof.errors import RefusedValueError
from symroof.expression import parse_relation
from symroof.forms import Writer, normalised
from symroof.line import Line
from symroof.numerals import Exact
from symroof.settings import Settings
from symroof.signs import compare
from symroof.units import Quantity, base_magnitude
from symroof.zeros import ascending, middle

_UNDEFINED = "not defined"


@dataclass(frozen=True)
class Regime:
    """A stretch of the line on which one term is largest; None is an end that is not there.

    `term` is empty where one of the terms is not defined.
    """

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
    compared = comparisons(settings.derivation)
    if not compared:
        raise RefusedValueError(
            f"{settings.derivation.name} compares no terms", "declare a binding, or a step with largest(...)"
        )
    return [regimes_of(settings, symbol, name, labels) for name, labels in compared.items()]


def comparisons(derivation: DerivationGraph) -> dict[str, dict[str, str]]:
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


def regimes_of(settings: Settings, symbol: str, name: str, labels: dict[str, str]) -> Regimes:
    """The regimes of one comparison, of the terms that have these labels. Raises the errors of solving."""
    lines = {
        (one, other): Line(Equation(settings, parse_relation(f"{one} = {other}"), symbol))
        for one, other in combinations(labels, 2)
    }
    answers = {pair: answer(line) for pair, line in lines.items()}
    equation = next(iter(lines.values())).equation
    # Where two terms are equal, and where they jump past each other.
    ends = ascending(stretch.low for line in lines.values() for stretch in line.stretches[1:])
    stretches: list[tuple[Exact, Exact | None, str]] = []
    for low, high in zip([Fraction(0), *ends], [*ends, None], strict=True):
        term = _largest(lines, list(labels), middle(low, high))
        joins = stretches and stretches[-1][2] == term
        stretches.append((stretches.pop()[0] if joins else low, high, term))
    borders = [low for low, _, _ in stretches]
    found = tuple(
        Regime(
            shown(equation, low) if low else None,
            None if high is None else shown(equation, high),
            term,
            labels.get(term, _UNDEFINED),
            _formula(lines, term, low, high) if term else None,
        )
        for low, high, term in stretches
    )
    crossings = tuple(
        Crossing(pair, root, any(compare(base_magnitude(root.value), border) == 0 for border in borders))
        for pair, answered in answers.items()
        for root in answered.roots
    )
    return Regimes(name, symbol, tuple(labels), found, crossings, equation.algebra.writer)


def _largest(lines: Mapping[tuple[str, str], Line], terms: Sequence[str], point: Fraction) -> str:
    """The first of the largest terms at a point, or nothing where one of them is not defined."""
    best = terms[0]
    for term in terms[1:]:
        difference = lines[best, term].sign_at(point)
        if difference is None:
            return ""
        if difference < 0:
            best = term
    return best


def _formula(lines: Mapping[tuple[str, str], Line], term: str, low: Exact, high: Exact | None) -> sympy.Expr | None:
    """The term's closed form in the unknown and the other givens, where one of its branches holds all along."""
    line = next(line for pair, line in lines.items() if term in pair)
    branch = line.branch_between(line.equation.algebra.symbol(term), low, high)
    return None if branch is None else normalised(branch.difference)
