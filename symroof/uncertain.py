"""What is certain when givens are ranges: bounds of quantities, and which labels are possible.

The true values over the whole box of ranges lie within the bounds. Where a quantity is proved to rise or to fall in
each range, its bounds are its exact values at two corners of the box. Else they come from interval arithmetic on
parts of the box, which is as safe, but may be wider than need be. The proof takes the chain rule step by step along
the graph, with an interval for each slope; where that leaves the sign open, the derivative in closed form, if all its
terms have one sign. A count is treated as if it could lie between whole numbers.
"""

from __future__ import annotations

import functools
import graphlib
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from typing import TypeAlias

import sympy

from symroof.algebra import RealAlgebra, rational
from symroof.branches import explore
from symroof.declared import Binding, Step
from symroof.dimensions import is_label
from symroof.equation import Equation
from symroof.errors import AuthoringError, RefusedValueError, SymroofError, listing
from symroof.evaluate import Solution
from symroof.expression import Expression
from symroof.forms import sign_of_terms
from symroof.intervals import FLAT, UNKNOWN, Interval, Slope, Varying, largest_of, smallest_of
from symroof.line import Line
from symroof.numerals import SIGNIFICANT_ROOT, Exact, exact
from symroof.ranges import refuse_descending
from symroof.settings import Settings
from symroof.signs import compare
from symroof.units import Quantity, base_magnitude, quantity, quantity_text
from symroof.zeros import ascending, middle

_SPLITS = 32  # how often the box is halved where a sign is not known
_MOST_BRANCHES = 16  # of max and min, up to which a quantity is differentiated in closed form
_LONGEST_FORM = 120  # operations up to which it is

Box: TypeAlias = Mapping[str, Interval]

_WORDS = {1: "rises", -1: "falls", 0: "does not matter", None: "not proved"}


@dataclass(frozen=True)
class Bounds:
    """Between which values a quantity lies, in its declared unit, whatever the givens are in their ranges.

    `trends` says for each range whether the quantity "rises" or "falls" in it, "does not matter", or "not proved".
    `attained` is whether the quantity is known to take both values; otherwise they may be too wide.
    """

    low: Quantity
    high: Quantity
    trends: Mapping[str, str]
    attained: bool

    @property
    def how(self) -> str:
        """What the bounds rest on: "monotone" or "interval arithmetic"."""
        return "interval arithmetic" if _WORDS[None] in self.trends.values() else "monotone"


@dataclass(frozen=True)
class Crossing:
    """Where in the only range a label changes, and what it is on both sides."""

    given: str
    at: Quantity
    below: str
    above: str


@dataclass(frozen=True)
class Labels:
    """The labels that are possible in the ranges of the givens `ranged`, and where they change if that was found."""

    labels: tuple[str, ...]
    ranged: tuple[str, ...]
    crossings: tuple[Crossing, ...] = ()

    @property
    def certain(self) -> bool:
        return len(self.labels) == 1

    @property
    def sentence(self) -> str:
        if self.certain:
            return f"{self.labels[0]} for every value in the range{'s' if len(self.ranged) > 1 else ''}"
        if self.crossings:
            places = [
                f"{one.given} = {quantity_text(one.at, SIGNIFICANT_ROOT)} ({one.below} below, {one.above} above)"
                for one in self.crossings
            ]
            return f"depends: crosses inside the range at {listing(places)}"
        return f"depends on {listing(self.ranged)}: {listing(self.labels, 'or')}"


def bounds(settings: Settings, ranges: Mapping[str, tuple[Quantity, Quantity]], quantity: str) -> Bounds | Labels:
    """Between which values a quantity lies over all ranges, or which labels are possible.

    Raises UnknownNameError, MissingGivenError, and RefusedValueError where a divisor can be zero.
    """
    derivation = settings.derivation
    derivation.known(quantity)
    if not is_label(derivation, quantity):
        return _bounds(_Case(settings, ranges, [quantity]), quantity)
    item = derivation.items[quantity]
    case = _Case(settings, ranges, derivation.parameters(quantity))
    if not case.moved:
        return Labels((str(case.solution[quantity]),), tuple(ranges))
    if isinstance(item, Binding):
        labels, crossings = _labels_of_binding(case, item)
        return Labels(labels, tuple(ranges), crossings)
    assert isinstance(item, Step)
    return Labels(_labels_of_step(case, item), tuple(ranges))


def verdict(settings: Settings, ranges: Mapping[str, tuple[Quantity, Quantity]], binding: str) -> str:
    """What can be said of a label: "memory-bound for every value in the range", "depends: crosses inside ..."."""
    found = bounds(settings, ranges, binding)
    if isinstance(found, Bounds):
        raise RefusedValueError(f"{binding} is a number, not a label", "ask for its bounds")
    return found.sentence


class _Case:
    """What is known of the asked quantities over a box of ranges."""

    def __init__(
        self, settings: Settings, ranges: Mapping[str, tuple[Quantity, Quantity]], asked: Iterable[str]
    ) -> None:
        self.ranges = ranges
        self.derivation = settings.derivation
        self._settings = settings
        self.solution = self.at({name: low for name, (low, _) in ranges.items()})
        self.settings = self.solution.settings
        self.algebra = RealAlgebra(self.derivation)
        self._constants: dict[str, Varying] = {}
        self._signs: dict[tuple[str, str], int | None] = {}
        self.moved: list[str] = []  # what the ranges move, in working order
        for name in self._working_order(asked):
            if name in ranges or not set(self.moved).isdisjoint(self._uses(name)):
                self.moved.append(name)
        self.box: dict[str, Interval] = {}
        for name, ends in ranges.items():
            refuse_descending(ends)
            self.box[name] = functools.reduce(Interval.hull, map(self._enclosed, ends))

    def at(self, values: Mapping[str, Quantity]) -> Solution:
        """The exact quantities at one point of the ranges."""
        point = self._settings.with_values(values)
        point.anywhere = True
        return Solution(point)

    def over(self, box: Box, target: sympy.Expr) -> Varying:
        """What is known of an expression in the asked quantities. Raises RefusedValueError for a divisor of zero."""
        known: dict[str, Varying] = {}
        for name in self.moved:
            try:
                if name in self.ranges:
                    known[name] = self._ranged(name, box[name], known)
                else:
                    known[name] = self._signed(name, self._evaluated(self._formula(name), known))
            except SymroofError as error:
                raise error.within(f"step {name}" if name in self.derivation.steps else name) from None
        return self._evaluated(target, known)

    def interval(self, target: sympy.Expr) -> Interval:
        """The interval of an expression in the asked quantities over all ranges."""
        return functools.reduce(Interval.hull, (part.value for part in _partition(self, target)))

    # -- the graph

    def _uses(self, name: str) -> list[str]:
        return [*self.derivation.parameters(name), *self.settings.depends_on(name)]

    def _working_order(self, names: Iterable[str]) -> list[str]:
        """The named quantities and all they depend on, including what givens are set to, in working order."""
        uses: dict[str, list[str]] = {}
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in uses:
                uses[name] = self._uses(name)
                waiting += uses[name]
        return list(graphlib.TopologicalSorter(uses).static_order())

    def _formula(self, name: str) -> sympy.Expr:
        if name in self.derivation.steps:
            return self.algebra.step(name)
        content = self.settings.value(name).content
        assert isinstance(content, Expression)
        return self.algebra.expression(content)

    def _ranged(self, name: str, interval: Interval, known: Mapping[str, Varying]) -> Varying:
        """A ranged given, times its efficiency if it has one."""
        efficiencies = (self._quantity(efficiency, known) for efficiency in self.settings.depends_on(name))
        return functools.reduce(operator.mul, efficiencies, Varying(interval, {name: _ITSELF}))

    def _quantity(self, name: str, known: Mapping[str, Varying]) -> Varying:
        return known[name] if name in known else self._constant(name)

    def _constant(self, name: str) -> Varying:
        if name not in self._constants:
            self._constants[name] = self._evaluated(rational(self.solution.number(name)), {})
        return self._constants[name]

    def _enclosed(self, value: Quantity) -> Interval:
        return self._evaluated(rational(base_magnitude(value)), {}).value

    # -- one formula

    def _evaluated(self, node: sympy.Expr, known: Mapping[str, Varying]) -> Varying:
        """An expression on what is known of its symbols: each operation on intervals, the chain rule on slopes."""
        match node:
            case sympy.Symbol():
                return self._quantity(node.name, known)
            case sympy.Rational():
                return Varying(Interval.point(Fraction(int(node.p), int(node.q))))
            case sympy.Pow():
                return self._power(node, known)
            case sympy.Piecewise():
                return self._conditional(node, known)
            case sympy.Mod():
                dividend, divisor = node.args
                return self._evaluated(dividend - divisor * sympy.floor(dividend / divisor), known)
        if node.func not in _OPERATIONS:
            raise AuthoringError(f"{node} has no bounds", "use + - * / ** and symroof's functions")
        return _OPERATIONS[node.func](*(self._evaluated(part, known) for part in node.args))

    def _power(self, node: sympy.Pow, known: Mapping[str, Varying]) -> Varying:
        base, exponent = (self._evaluated(part, known) for part in node.args)
        if not exponent.value.is_point:
            return base.to_the(exponent)
        power = exponent.value.low
        while power.denominator % 2 == 0:
            base, power = base.sqrt(), power * 2
        if power.denominator != 1:
            raise AuthoringError(f"{node} has no bounds", "use whole powers and square roots")
        return base.power(int(power))

    def _conditional(self, node: sympy.Piecewise, known: Mapping[str, Varying]) -> Varying:
        """The hull of the branches that are possible. Along a given that can change the branch it may jump."""
        possible: list[Varying] = []
        changing: set[str] = set()
        for branch, condition in node.args:
            holds, movers = self._condition(condition, known)
            if holds is not False:
                possible.append(self._evaluated(branch, known))
                changing |= movers
            if holds:
                break
        if len(possible) == 1:
            return possible[0]
        found = functools.reduce(Varying.hull, possible)
        return Varying(found.value, {**found.slopes, **dict.fromkeys(changing, UNKNOWN)})

    def _condition(self, condition: sympy.Basic, known: Mapping[str, Varying]) -> tuple[bool | None, set[str]]:
        """Whether a condition holds: always, never or (None) in part, and then which givens move it."""
        if isinstance(condition, sympy.Rel):
            difference = self._evaluated(condition.lhs - condition.rhs, known)
            holds = difference.value.holds(condition.rel_op, 0)
            movers = {name for name, slope in difference.slopes.items() if slope.sign != 0}
            return holds, movers if holds is None else set()
        if condition in (sympy.true, sympy.false):
            return bool(condition), set()
        parts = [self._condition(part, known) for part in condition.args]
        answers = [holds for holds, _ in parts]
        movers = {name for _, movers in parts for name in movers}
        match condition:
            case sympy.And():
                return False if False in answers else None if None in answers else True, movers
            case sympy.Or():
                return True if True in answers else None if None in answers else False, movers
        assert isinstance(condition, sympy.Not)
        return None if answers[0] is None else not answers[0], movers

    # -- the sign of a derivative in closed form

    def _signed(self, name: str, found: Varying) -> Varying:
        """The same, with the signs that the chain rule leaves open taken from the closed form where it has one."""
        open_ = [given for given, slope in found.slopes.items() if slope.sign is None]
        if not open_ or not self._has_closed_form(name):
            return found
        signs = {given: self._sign_in_closed_form(name, given) for given in open_}
        proved = {given: found.slopes[given].narrowed(sign) for given, sign in signs.items() if sign is not None}
        return Varying(found.value, {**found.slopes, **proved})

    def _has_closed_form(self, name: str) -> bool:
        """Whether the quantity is one formula, but for a few max and min, and cannot jump."""
        moved = [one for one in self._working_order([name]) if one in self.moved]
        if any(one in self.ranges and not set(moved).isdisjoint(self._uses(one)) for one in moved):
            return False  # an equation knows one value of a given whose efficiency moves
        formulas = [self._formula(one) for one in moved if one not in self.ranges]
        choices = [len(node.args) for formula in formulas for node in formula.atoms(sympy.Max, sympy.Min)]
        return math.prod(choices) <= _MOST_BRANCHES and not any(formula.has(*_JUMPING) for formula in formulas)

    def _sign_in_closed_form(self, name: str, given: str) -> int | None:
        """The sign that the derivative has on every branch of the max and min, for all positive symbols."""
        if (name, given) not in self._signs:
            equation = Equation(self.settings, self.derivation.relation(f"{name} = {name}"), given)
            forms = [branch.difference for branch in equation.composed(equation.algebra.symbol(name))]
            short = sum(sympy.count_ops(form) for form in forms) <= _LONGEST_FORM
            signs = [_sign_of_terms(sympy.diff(form, equation.unknown)) for form in forms] if short else [None]
            self._signs[name, given] = _common(signs)
        return self._signs[name, given]


_ITSELF = Slope(Fraction(1), Fraction(1))
_JUMPING = (sympy.Piecewise, sympy.ceiling, sympy.floor, sympy.Mod)
_OPERATIONS: Mapping[type[sympy.Expr], Callable[..., Varying]] = {
    sympy.Add: lambda *terms: functools.reduce(operator.add, terms),
    sympy.Mul: lambda *factors: functools.reduce(operator.mul, factors),
    sympy.Max: lambda *terms: largest_of(terms),
    sympy.Min: lambda *terms: smallest_of(terms),
    sympy.ceiling: Varying.ceil,
    sympy.floor: Varying.floor,
    sympy.Abs: abs,
}


def _sign_of_terms(slope: sympy.Expr) -> int | None:
    above, below = (sign_of_terms(part) for part in sympy.cancel(sympy.together(slope)).as_numer_denom())
    return None if above is None or below is None else above * below


def _common(signs: Iterable[int | None]) -> int | None:
    """The sign of what has these signs in its parts."""
    found = set(signs) - {0}
    return 0 if not found else found.pop() if len(found) == 1 else None


# -- a box in parts


@dataclass(frozen=True)
class _End:
    """Where a quantity is least, or greatest, in a box: its interval there, and the givens whose sign is not known.

    All others are at one end of their range. If the interval is a point, the quantity takes that value.
    """

    value: Interval
    open: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of the box, the sign of the target's slope in each range there, and where the target ends."""

    box: Box
    signs: Mapping[str, int | None]
    least: _End
    greatest: _End

    @property
    def value(self) -> Interval:
        return Interval(self.least.value.low, self.greatest.value.high)


def _partition(case: _Case, target: sympy.Expr) -> list[_Part]:
    """The box in parts, halved where the target may be least or greatest, until the signs are known there.

    Raises RefusedValueError if a divisor can be zero in a part that remains.
    """
    parts: list[_Part] = []
    refused: list[Box] = []
    errors: list[RefusedValueError] = []

    def examine(box: Box) -> None:
        try:
            found = case.over(box, target)
            ends = [_end(case, target, box, found, upper) for upper in (False, True)]
            parts.append(_Part(box, _signs(found, box), *ends))
        except RefusedValueError as error:
            refused.append(box)
            errors.append(error)

    examine(case.box)
    for _ in range(_SPLITS):
        if refused:
            box = refused.pop(0)
            halves = _halves(box, box, case.box)
        else:
            least = min(parts, key=lambda part: part.value.low)
            greatest = max(parts, key=lambda part: part.value.high)
            halved = {part: end.open for part, end in ((least, least.least), (greatest, greatest.greatest)) if end.open}
            parts = [part for part in parts if part not in halved]
            halves = [half for part, names in halved.items() for half in _halves(part.box, names, case.box)]
        for half in halves:
            examine(half)
        if not halves:
            break
    if refused or not parts:
        raise errors[0]
    return parts


def _signs(found: Varying, box: Box) -> dict[str, int | None]:
    return {name: 0 if one.is_point else found.slopes.get(name, FLAT).sign for name, one in box.items()}


def _end(case: _Case, target: sympy.Expr, box: Box, found: Varying, upper: bool) -> _End:
    """Each given whose sign is known goes to its end, which may leave the signs of others known there."""
    while True:
        wide = {name: sign for name, sign in _signs(found, box).items() if not box[name].is_point}
        known = {name: sign for name, sign in wide.items() if sign is not None}
        if not known:
            return _End(found.value, tuple(wide))
        ends = {
            name: Interval.point(box[name].high if _at_high_end(sign, upper) else box[name].low)
            for name, sign in known.items()
        }
        box = {**box, **ends}
        found = case.over(box, target)


def _at_high_end(sign: int, upper: bool) -> bool:
    """Whether a quantity is greatest (`upper`) or least at the high end of a given in which it has that sign."""
    return (sign > 0) == upper


def _halves(box: Box, names: Iterable[str], whole: Box) -> list[Box]:
    """The box cut where it is widest, compared with the whole range of that given; nothing if it is a point."""
    wide = [name for name in names if not box[name].is_point]
    if not wide:
        return []
    widest = max(wide, key=lambda name: (box[name].high - box[name].low) / (whole[name].high - whole[name].low))
    return [{**box, widest: half} for half in box[widest].halves()]


# -- answers


def _bounds(case: _Case, name: str) -> Bounds:
    parts = _partition(case, case.algebra.symbol(name))
    signs = {given: _common(part.signs[given] for part in parts) for given in case.ranges}
    proved = {given: sign for given, sign in signs.items() if sign is not None}
    ends: list[Exact]
    if proved.keys() == signs.keys():
        corners = [
            {given: case.ranges[given][_at_high_end(sign, upper)] for given, sign in proved.items()}
            for upper in (False, True)
        ]
        ends, attained = [case.at(corner).number(name) for corner in corners], True
    else:
        lowest = min((part.least.value for part in parts), key=lambda interval: (interval.low, not interval.is_point))
        highest = max((part.greatest.value for part in parts), key=lambda interval: (interval.high, interval.is_point))
        ends, attained = [lowest.low, highest.high], lowest.is_point and highest.is_point
    measured = case.derivation.unit_of(name)
    scale = base_magnitude(quantity(1, measured))
    low, high = (quantity(exact(end / scale), measured) for end in ends)
    return Bounds(low, high, {given: _WORDS[sign] for given, sign in signs.items()}, attained)


def _labels_of_step(case: _Case, step: Step) -> tuple[str, ...]:
    """The labels of the branches whose conditions are possible."""

    @functools.cache
    def difference(relation: sympy.Rel) -> Interval:
        return case.interval(relation.lhs - relation.rhs)

    symbols = {parameter: case.algebra.symbol(parameter) for parameter in step.parameters}
    labels = [
        branch.value
        for branch in explore(step.function, symbols)
        if all(difference(relation).holds(relation.rel_op, 0) in (holds, None) for relation, holds in branch.conditions)
    ]
    return tuple(dict.fromkeys(labels))


def _labels_of_binding(case: _Case, binding: Binding) -> tuple[tuple[str, ...], tuple[Crossing, ...]]:
    """The labels of the terms that can be the largest; with one range, exactly those that occur, and where."""
    beaten: set[str] = set()
    for first, later in combinations(binding.parameters, 2):
        difference = case.interval(case.algebra.symbol(first) - case.algebra.symbol(later))
        if difference.low >= 0:  # a tie goes to the first
            beaten.add(later)
        elif difference.high < 0:
            beaten.add(first)
    labels = tuple(dict.fromkeys(label for term, label in binding.labels.items() if term not in beaten))
    if len(labels) > 1 and len(case.ranges) == 1:
        try:
            return _crossings(case, binding)
        except SymroofError:  # an equation that cannot be solved leaves what the intervals say
            pass
    return labels, ()


def _crossings(case: _Case, binding: Binding) -> tuple[tuple[str, ...], tuple[Crossing, ...]]:
    """The labels that occur in the only range, and where they change, by exact evaluation.

    Between the places where the difference of two terms can change its sign one label holds: that of any point there.
    Raises the errors of solving for these places.
    """
    ((given, (low, high)),) = case.ranges.items()
    declared = case.derivation.unit_of(given)
    # An equation's unknown is the effective rate, with its efficiency in it.
    efficiency = math.prod(case.solution.number(name) for name in case.settings.depends_on(given))
    start, end = (exact(base_magnitude(value) * efficiency) for value in (low, high))
    lines = [
        Line(Equation(case.settings, case.derivation.relation(f"{first} = {later}"), given))
        for first, later in combinations(binding.parameters, 2)
    ]
    stops = (stretch.low for line in lines for stretch in line.stretches)
    inside = (stop for stop in stops if compare(start, stop) < 0 and compare(stop, end) < 0)
    places = ascending([start, *inside, end])

    def label(place: Exact) -> str:
        value = quantity(exact(place / base_magnitude(quantity(1, declared))), declared)
        return str(Solution(case.settings.at_point(given, value))[binding.name])

    at = [label(place) for place in places]
    between = [label(middle(*ends)) for ends in pairwise(places)]
    shown = base_magnitude(quantity(1, high.units)) * efficiency
    crossings = tuple(
        Crossing(given, quantity(exact(place / shown), high.units), below, above)
        for place, here, below, above in zip(places, at, [at[0], *between], [*between, at[-1]], strict=True)
        if len({here, below, above}) > 1
    )
    return tuple(label for label in dict.fromkeys(binding.labels.values()) if label in {*at, *between}), crossings
