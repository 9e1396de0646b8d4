"""Budgets: the values of an unknown for which an inequality holds, as ranges with exact ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

import sympy

from symroof.crossover import ceil_of, shown_unit
from symroof.equation import COMPARE, Equation
from symroof.expression import Relation
from symroof.forms import sign_of_terms
from symroof.line import Line
from symroof.numerals import Exact, exact
from symroof.settings import Settings
from symroof.units import Quantity, base_magnitude, quantity


@dataclass(frozen=True)
class Range:
    """Values from `low` to `high`; None is an end that is not there: 0 below, infinity above.

    The integers are the first and last whole numbers in the range, for an unknown that is a plain number; both
    neighbours of each are checked by exact evaluation.
    """

    low: Quantity | None
    high: Quantity | None
    low_included: bool
    high_included: bool
    low_integer: int | None
    high_integer: int | None


@dataclass(frozen=True)
class Budget:
    """`verdict` is some, all or none, with its reason; `monotone` is how the sides move, where that is proved."""

    relation: Relation
    symbol: str
    verdict: str
    reason: str
    monotone: str
    ranges: tuple[Range, ...]


@dataclass(frozen=True)
class _Stretch:
    """Part of the line on which the inequality holds, in base units; open or closed at each end."""

    low: Exact
    high: Exact | None
    low_included: bool
    high_included: bool


def budget(settings: Settings, relation: Relation, symbol: str) -> Budget:
    """The values of a given for which an inequality holds. Raises the errors of solving the equation."""
    equation = Equation(settings, relation, symbol)
    line = Line(equation)
    ranges = tuple(_range(equation, stretch) for stretch in _stretches(line, relation.operator))
    for one in ranges:
        _check_neighbours(line, one, relation.operator)
    text = relation.text
    if not ranges:
        verdict, reason = "none", f"{text} holds for no {symbol}: {line.ends()}"
    elif ranges[0].low is None and ranges[0].high is None:
        verdict, reason = "all", f"{text} holds for every {symbol}: {line.ends()}"
    else:
        count = "one range" if len(ranges) == 1 else f"{len(ranges)} ranges"
        verdict, reason = "some", f"{text} holds in {count} of {symbol}"
    return Budget(relation, symbol, verdict, reason, _direction(equation), ranges)


def _stretches(line: Line, operator: str) -> Iterator[_Stretch]:
    """The stretches on which the inequality holds: stops and what lies between them, joined where they touch."""
    pieces: list[tuple[_Stretch, int]] = []
    for low, high, sign in line.between():
        pieces.append((_Stretch(low, high, False, False), sign))
        if high is not None:
            pieces.append((_Stretch(high, high, True, True), line.sign_at(high)))
    for holds, group in groupby(pieces, key=lambda piece: COMPARE[operator](piece[1], 0)):
        if holds:
            members = [stretch for stretch, _ in group]
            first, last = members[0], members[-1]
            yield _Stretch(first.low, last.high, first.low_included, last.high_included)


def _range(equation: Equation, stretch: _Stretch) -> Range:
    measured = shown_unit(equation)
    scale = base_magnitude(quantity(1, measured))

    def end(value: Exact | None) -> Quantity | None:
        return None if value is None or value == 0 else quantity(exact(value / scale), measured)

    low_integer = high_integer = None
    if not measured.dimensionality:
        low_integer = max(1, ceil_of(stretch.low))
        if low_integer == stretch.low and not stretch.low_included:
            low_integer += 1
        if stretch.high is not None:
            high_integer = -ceil_of(exact(-stretch.high))
            if high_integer == stretch.high and not stretch.high_included:
                high_integer -= 1
            if high_integer < low_integer:
                low_integer = high_integer = None  # no whole number lies in the range
    return Range(
        end(stretch.low), end(stretch.high), stretch.low_included, stretch.high_included, low_integer, high_integer
    )


def _check_neighbours(line: Line, found: Range, operator: str) -> None:
    """Both neighbours of each whole end, by exact evaluation: inside it holds, outside it does not."""
    for number, outside in ((found.low_integer, -1), (found.high_integer, 1)):
        if number is None:
            continue
        assert COMPARE[operator](line.sign_at(Fraction(number)), 0)
        if number + outside >= 1:
            assert not COMPARE[operator](line.sign_at(Fraction(number + outside)), 0)


def _direction(equation: Equation) -> str:
    """Which way left - right moves with the unknown, if every branch shows it by the signs of its terms."""
    signs = set()
    for branch in equation.branches:
        above, below = sympy.cancel(sympy.together(sympy.diff(branch.difference, equation.unknown))).as_numer_denom()
        over, under = sign_of_terms(above), sign_of_terms(below)
        signs.add(None if over is None or under is None else over * under)
    sides = f"{equation.relation.left} - {equation.relation.right}"
    if signs <= {0, 1}:
        return f"{sides} never falls as {equation.name} rises, in every branch"
    if signs <= {0, -1}:
        return f"{sides} never rises as {equation.name} rises, in every branch"
    return ""
