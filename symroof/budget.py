"""Budgets: the values of an unknown for which an inequality holds, as ranges with exact ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

import sympy

from symroof import notebook
from symroof.algebra import Algebra
from symroof.crossover import relation_latex, shown, shown_unit
from symroof.equation import COMPARE, Equation, Stretch, joined
from symroof.expression import Relation
from symroof.forms import sign_of_terms
from symroof.line import Line
from symroof.numerals import SIGNIFICANT_ROOT, Exact
from symroof.prose import EQUALS, Maths
from symroof.settings import Settings
from symroof.signs import ceil_of
from symroof.units import Quantity, quantity_both_latex, quantity_both_text, quantity_latex, quantity_text

_BELOW = {True: Maths(r"\le", "<="), False: Maths("<", "<")}  # by whether the end is included


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

    def of(self, symbol: Maths) -> Maths:
        """`2 < x <= 3`"""
        if self.low is not None and self.low == self.high:
            pieces = [symbol, EQUALS, _figure(self.low)]
        else:
            pieces = [] if self.low is None else [_figure(self.low), _BELOW[self.low_included]]
            pieces += [symbol]
            pieces += [] if self.high is None else [_BELOW[self.high_included], _figure(self.high)]
        return Maths(" ".join(one.latex for one in pieces), " ".join(one.text for one in pieces))

    def facts(self) -> Iterator[tuple[str, Maths | str]]:
        """Its exact ends and its whole numbers, each under a word."""
        for what, end in (("from", self.low), ("to", self.high)):
            if end is not None:
                yield what, Maths(*(both(end, SIGNIFICANT_ROOT) for both in (quantity_both_latex, quantity_both_text)))
        if self.low_integer is not None:
            last = "and above" if self.high_integer is None else f"to {self.high_integer}"
            yield "whole", f"{self.low_integer} {last}, both neighbours checked"


@dataclass(frozen=True, repr=False)
class Budget:
    """`verdict` is some, all or none, with its reason; `monotone` is how the sides move, where that is proved."""

    relation: Relation
    symbol: str
    verdict: str
    reason: str
    monotone: str
    ranges: tuple[Range, ...]
    algebra: Algebra

    def lines(self, strong: Callable[[str], str] = str) -> list[str]:
        """What `symroof solve` prints; `strong` makes words stand out."""
        found = [f"{self._question}: {strong(self.verdict)}"]
        if self.verdict != "some":
            found.append(f"  {self.reason}")
        for one, of_symbol in self._shown():
            found.append(f"  {strong(of_symbol.text)}")
            found += [f"    {what:<12} {said.text if isinstance(said, Maths) else said}" for what, said in one.facts()]
        if self.monotone:
            found.append(f"    {'proved':<12} {self.monotone}")
        return found

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        ranges = ", ".join(of_symbol.text for _, of_symbol in self._shown())
        return f"<Budget {self._question}: {self.verdict}{ranges and f', {ranges}'}>"

    def _repr_latex_(self) -> str:
        ranges = r" \text{ or } ".join(of_symbol.latex for _, of_symbol in self._shown())
        said = ranges or rf"\text{{{self.verdict}}}"
        return rf"${relation_latex(self.algebra, self.relation)} \quad {said}$"

    def _repr_html_(self) -> str:
        relation, unknown = (
            notebook.maths(one) for one in (relation_latex(self.algebra, self.relation), self._unknown)
        )
        verdict = f"<strong>{notebook.text(self.verdict)}</strong>"
        reason = f"<p>{notebook.text(self.reason)}</p>" if self.verdict != "some" else ""
        rows = [row for one, of_symbol in self._shown() for row in (("range", of_symbol), *one.facts())]
        rows += [("proved", self.monotone)] if self.monotone else []
        table = notebook.table([notebook.text(what), notebook.cell(said)] for what, said in rows) if rows else ""
        return f"<p>{relation} for {unknown}: {verdict}</p>{reason}{table}"

    def _shown(self) -> Iterator[tuple[Range, Maths]]:
        """The ranges with how each is written; none where the verdict says it all."""
        for one in self.ranges if self.verdict == "some" else ():
            yield one, one.of(Maths(self._unknown, self.symbol))

    @property
    def _question(self) -> str:
        return f"{self.relation.text} for {self.symbol}"

    @property
    def _unknown(self) -> str:
        return self.algebra.derivation.latex_of(self.symbol)


def budget(settings: Settings, relation: Relation, symbol: str) -> Budget:
    """The values of a given for which an inequality holds. Raises the errors of solving the equation."""
    equation = Equation(settings, relation, symbol)
    line = Line(equation)
    held = _held(line, relation.operator)
    ranges = tuple(_range(equation, stretch) for stretch in held)
    for one in ranges:
        _check_neighbours(line, one, held, relation.operator)
    text = relation.text
    if not ranges:
        verdict, reason = "none", f"{text} holds for no {symbol}: {line.ends()}"
    elif ranges[0].low is None and ranges[0].high is None:
        verdict, reason = "all", f"{text} holds for every {symbol}: {line.ends()}"
    else:
        count = "one range" if len(ranges) == 1 else f"{len(ranges)} ranges"
        verdict, reason = "some", f"{text} holds in {count} of {symbol}"
    return Budget(relation, symbol, verdict, reason, _direction(equation), ranges, equation.algebra)


def _held(line: Line, operator: str) -> list[Stretch]:
    """The stretches on which the inequality holds, joined where they touch."""
    grouped = groupby(line.stretches, key=lambda stretch: _fulfils(stretch.sign, operator))
    return [joined(list(group)) for holds, group in grouped if holds]


def _fulfils(sign: int | None, operator: str) -> bool:
    return sign is not None and COMPARE[operator](sign, 0)


def _range(equation: Equation, stretch: Stretch) -> Range:
    def end(value: Exact | None) -> Quantity | None:
        return None if value is None or value == 0 else shown(equation, value)

    low_integer = high_integer = None
    if not shown_unit(equation).dimensionality:
        low_integer = max(1, ceil_of(stretch.low))
        if low_integer == stretch.low and not stretch.low_included:
            low_integer += 1
        if stretch.high is not None:
            high_integer = ceil_of(stretch.high)
            if high_integer != stretch.high or not stretch.high_included:
                high_integer -= 1
            if high_integer < low_integer:
                low_integer = high_integer = None  # no whole number lies in the range
    return Range(
        end(stretch.low), end(stretch.high), stretch.low_included, stretch.high_included, low_integer, high_integer
    )


def _check_neighbours(line: Line, found: Range, held: Sequence[Stretch], operator: str) -> None:
    """Both neighbours of each whole end, by exact evaluation: it holds there if they are in a range, else not."""
    ends = [end for end in (found.low_integer, found.high_integer) if end is not None]
    for number in {end + beside for end in ends for beside in (-1, 0, 1)} - {0}:
        in_range = any(stretch.contains(Fraction(number)) for stretch in held)
        if _fulfils(line.sign_at(Fraction(number)), operator) != in_range:
            raise RuntimeError(f"the ranges of {line.equation.relation.text} disagree with its value at {number}")


def _direction(equation: Equation) -> str:
    """Which way left - right moves with the unknown, if every branch shows it by the signs of its terms."""
    signs = set()
    for branch in equation.branches:
        if branch.difference.has(sympy.ceiling, sympy.floor):
            return ""
        above, below = sympy.cancel(sympy.together(sympy.diff(branch.difference, equation.unknown))).as_numer_denom()
        over, under = sign_of_terms(above), sign_of_terms(below)
        signs.add(None if over is None or under is None else over * under)
    sides = f"{equation.relation.left} - {equation.relation.right}"
    if signs <= {0, 1}:
        return f"{sides} never falls as {equation.name} rises, in every branch"
    if signs <= {0, -1}:
        return f"{sides} never rises as {equation.name} rises, in every branch"
    return ""


def _figure(end: Quantity) -> Maths:
    return Maths(quantity_latex(end, SIGNIFICANT_ROOT), quantity_text(end, SIGNIFICANT_ROOT))
