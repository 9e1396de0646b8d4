"""The mental version of a result: two-digit numbers and powers of ten, with the error they make and a proved bound.

Every given is rounded to two significant digits, and so is the result of every step before the next one uses it.
A number that has at most two digits stays as it is and counts as known exactly.

The bound is proved with intervals that have rational ends. The numbers that round to given two digits are an
interval, and each formula maps intervals to one that holds all its exact values. Whatever the numbers behind the
digits are, the exact result lies there, so no error is larger than that of the worse end.
"""

from __future__ import annotations

import math
import operator
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import pairwise
from typing import Any, NamedTuple

from symroof import as_written, units
from symroof.branches import Branch, explore
from symroof.declared import Binding, Step, split_column
from symroof.errors import RefusedValueError, SymroofError, listing
from symroof.evaluate import Solution
from symroof.intervals import Interval, largest, smallest
from symroof.numerals import SIGNIFICANT, Exact, count_figure, exact, figure, full_figure
from symroof.units import REGISTRY, Unit, magnitude_in, quantity_full_text, unit_of_powers, unit_powers, unit_text

_DIGITS = 2
_DIGITS_IN_FULL = 15
_WIDTH = 100


class Rounded(NamedTuple):
    """A number that goes into a step: what it is, its two digits, and whether these are known to be all of it.

    `exact_text` is empty for an earlier step's result, of which only the digits are known.
    """

    name: str
    exact_text: str
    text: str
    is_exact: bool


@dataclass(frozen=True)
class HandStep:
    """One step worked out with two digits, or one label read off them.

    `work` is the calculation in a line, `result_text` its two digits, in a unit without prefix or in the unit asked
    for, or the label. `error` is (result - exact)/exact, a Fraction where that is rational, and None where only the
    exact value is 0. `bound` is at least the size of the error for all numbers that round to the digits used; it is
    None where the exact value could then be 0 or has no limit. A label has neither; `agrees` says whether it is the
    exact one.
    """

    name: str
    formula: str
    rounded: tuple[Rounded, ...]
    work: str
    result_text: str
    exact_text: str
    error: Exact | None = None
    bound: Fraction | None = None
    agrees: bool | None = None


def by_hand(solution: Solution, quantity: str, unit: str | None = None) -> list[HandStep]:
    """A step or a label and all steps it is worked out from, in working order, each with two digits.

    `unit` is that of the last result. Raises what `Solution.shown` raises, and RefusedValueError for a given or a step
    that cannot be worked out with two digits, as where they make a difference 0 that it divides by.
    """
    solution.shown(quantity, unit)
    derivation = solution.derivation
    if quantity in derivation.givens:
        raise RefusedValueError(
            f"{quantity} of {derivation.name} is given, not worked out", "ask for a quantity that has a formula"
        )
    rough = _Rough(solution)
    try:
        rough[quantity]
    except SymroofError as error:
        raise RefusedValueError(
            f"by hand, with two digits: {error.problem}", "two digits are too few here: take the exact value"
        ) from None
    found: list[HandStep] = []
    for name in derivation.ancestors([quantity]):
        item = derivation.items[name]
        if isinstance(item, Binding):
            found.append(rough.binding(item))
        elif isinstance(item, Step):
            wanted = units.unit(unit) if unit is not None and name == quantity else None
            found.append(rough.step(item, wanted))
    return found


def by_hand_solution(solution: Solution) -> list[HandStep]:
    """All that the worked example shows, in its units, or all steps where it shows nothing."""
    derivation = solution.derivation
    columns = [split_column(column) for column in derivation.example.show] or [
        (name, None) for name in derivation.steps
    ]
    found: dict[str, HandStep] = {}
    for name, wanted in columns:
        for step in by_hand(solution, name, wanted):
            if step.name == name or step.name not in found:
                found[step.name] = step
    return [found[name] for name in derivation.order() if name in found]


def lines(steps: Sequence[HandStep]) -> list[str]:
    """The steps for a terminal, with a blank line between them."""
    found: list[str] = []
    for step in steps:
        equals = " =" if step.agrees is None else ":"
        found += _wrapped(f"{step.name}{equals} {step.formula}")
        if step.rounded:
            found += _wrapped("  " + ", ".join(_rounding(one).replace(" ", "\xa0") for one in step.rounded))
        found += _wrapped(f"  {step.work}")
        if step.agrees is None and step.error != 0:
            equals = " ~"
        found += [f"  {step.name}{equals} {step.result_text}   ({_verdict(step)})", ""]
    if any(step.bound for step in steps):
        return [*found, "at most: for all numbers that round to the digits used"]
    return found[:-1]


def _rounding(one: Rounded) -> str:
    relation = "=" if one.is_exact else "~"
    if not one.exact_text:
        return f"{one.name} {relation} {one.text}"
    as_it_is = one.exact_text.split(" ")[0] == one.text
    return f"{one.name} = {one.exact_text}" + ("" if as_it_is else f" {relation} {one.text}")


def _verdict(step: HandStep) -> str:
    if step.agrees is not None:
        return f"exact: {step.exact_text}, {'agrees' if step.agrees else 'differs: two digits are too few here'}"
    if step.bound == 0:
        return "exact"
    error = "no relative error" if step.error is None else f"error {_percent(step.error)} %"
    bound = "no bound" if step.bound is None else f"at most {_percent(_rounded_up(step.bound)).removeprefix('+')} %"
    return f"exact {step.exact_text}, {error}, {bound}"


def _percent(error: Exact) -> str:
    percent = exact(error * 100)
    rounded = _two_digits(percent)
    shown = figure(percent, _DIGITS) if abs(rounded) < 100 else count_figure(rounded)
    return ("+" if error > 0 else "") + shown.text()


def _rounded_up(bound: Fraction) -> Fraction:
    """To two digits, so that what is printed holds as well."""
    rounded = _two_digits(bound)
    return rounded if rounded >= bound else rounded + _last_place(rounded)


def _wrapped(line: str) -> list[str]:
    found = textwrap.wrap(line, _WIDTH, subsequent_indent=" " * 6, break_long_words=False, break_on_hyphens=False)
    return [text.replace("\xa0", " ") for text in found]


# -- numbers in two digits


def _two_digits(number: Exact) -> Fraction:
    return Fraction(figure(number, _DIGITS).text())


@dataclass(frozen=True)
class _Scientific:
    """A rounded number as digits d.d and a power of ten."""

    digits: str
    exponent: int

    @classmethod
    def of(cls, number: Exact, digits: int = _DIGITS, *, least: int = 1) -> _Scientific:
        """Rounded to `digits`; one that needs fewer has those it needs, but `least`."""
        if number == 0:
            return cls("0", 0)
        shown = figure(number, digits)
        run = shown.whole + shown.decimals
        kept = run.lstrip("0")
        exponent = shown.exponent + len(shown.whole) - 1 - (len(run) - len(kept))
        if Fraction(shown.text()) == number:
            kept = kept.rstrip("0").ljust(least, "0")
        point = "." if len(kept) > 1 else ""
        return cls(f"{'-' if shown.negative else ''}{kept[0]}{point}{kept[1:]}", exponent)

    def text(self) -> str:
        return self._plain() or f"{self.digits}e{self.exponent}"

    def _plain(self) -> str:
        """The number without a power of ten if it is between 0.1 and 100: 40 and not 4e1."""
        whole, _, decimals = self.digits.partition(".")
        match self.exponent:
            case 1:
                whole, decimals = whole + (decimals[:1] or "0"), decimals[1:]
            case -1:
                whole, decimals = ("-0" if whole[0] == "-" else "0"), whole[-1] + decimals
            case 0:
                pass
            case _:
                return ""
        return f"{whole}.{decimals}" if decimals else whole


def _in_full(number: Exact, unit: Unit) -> str:
    """The number with nothing lost: counts with all their digits, what has a unit as a power of ten."""
    if unit.dimensionality and full_figure(number):
        return f"{_Scientific.of(number, _DIGITS_IN_FULL).text()} {unit_text(unit)}"
    return quantity_full_text(units.quantity(number, unit))


def _last_place(rounded: Fraction) -> Fraction:
    """What one more in the last of two digits is worth."""
    return Fraction(10) ** (_Scientific.of(rounded).exponent - 1)


@dataclass(frozen=True)
class _Number:
    """A number before and after it is rounded, in a unit without prefix, and the exact values it may stand for."""

    before: Exact
    unit: Unit
    range: Interval | None

    @cached_property
    def rounded(self) -> Fraction:
        return _two_digits(self.before)

    @cached_property
    def shown(self) -> _Scientific:
        return _Scientific.of(self.before, least=self.least)

    @cached_property
    def least(self) -> int:
        """How many digits to write: of 3e2 all are known, of 3.0e2 two."""
        return 1 if self.is_exact else _DIGITS

    @cached_property
    def is_exact(self) -> bool:
        """Whether the two digits are surely all there is."""
        return self.range == Interval.point(self.rounded)


def _without_prefix(declared: Unit) -> Unit:
    """The unit to calculate in: FLOP/s for TFLOP/s, byte for GiB, W for kW, s for min.

    These units are coherent (1 W is 1 J/s), so that a formula holds for their bare numbers.
    """
    powers: dict[str, int] = {}
    for name, power in unit_powers(declared).items():
        for root, times in _coherent(REGISTRY.parse_unit_name(name)[0][1]).items():
            powers[root] = powers.get(root, 0) + times * power
    return unit_of_powers({root: power for root, power in powers.items() if power})


def _coherent(root: str) -> dict[str, int]:
    """A unit by its name if it is coherent, else the coherent units of its dimension."""
    one = units.quantity(1, REGISTRY.Unit(root)).to_base_units()
    # The registry's base unit of mass is the gram, that of coherent units the kilogram.
    if one.magnitude == Fraction(1000) ** one.dimensionality.get("[mass]", 0):
        return {root: 1}
    return {name.replace("gram", "kilogram"): power for name, power in unit_powers(one.units).items()}


class _Rough(Solution):
    """The same case with every number rounded to two digits as soon as it is known."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(solution.settings)
        self.solution = solution
        self.numbers: dict[str, _Number] = {}
        self.branches: dict[str, list[Branch]] = {}  # of the steps that are numbers

    def _worked_out(self, name: str) -> Any:
        step = self.derivation.steps.get(name)
        value: Any = self.solution[name] if name in self.derivation.givens else super()._worked_out(name)
        if isinstance(value, str):
            return value
        unit = _without_prefix(self.derivation.unit_of(name))
        before = magnitude_in(value, unit)
        if step is None:
            behind: Interval | None = _numbers_behind(before)
        else:
            self.branches[name] = _branches(step)
            behind = _range_of_step(self.branches[name], self.numbers)
        number = self.numbers[name] = _Number(before, unit, behind)
        return units.quantity(number.rounded, unit).to_base_units()

    def step(self, step: Step, wanted: Unit | None) -> HandStep:
        value = self.solution[step.name]
        formula, rounded = as_written.source_line(step), self._rounded(step)
        if isinstance(value, str):
            shown = {name: self.numbers[name].shown for name in step.parameters}
            work = as_written.source_line(step, {name: one.text() for name, one in shown.items()})
            label = str(self[step.name])
            return HandStep(step.name, formula, rounded, work, label, value, agrees=label == value)
        number = self.numbers[step.name]
        work = self._work(step)
        in_unit = number.unit if wanted is None else wanted
        one = exact(magnitude_in(units.quantity(1, in_unit), number.unit))
        if one != 1:
            work += f"; 1 {unit_text(in_unit)} = {_in_full(one, number.unit)}"
        before, actual = exact(number.before / one), magnitude_in(value, in_unit)
        result = _two_digits(before)
        texts = _Scientific.of(before, least=number.least).text(), _Scientific.of(actual, SIGNIFICANT).text()
        result_text, exact_text = (f"{text} {unit_text(in_unit)}".rstrip() for text in texts)
        return HandStep(
            step.name,
            formula,
            rounded,
            work,
            result_text,
            exact_text,
            _error(result, actual),
            _bound(result * one, number.range),
        )

    def binding(self, binding: Binding) -> HandStep:
        ranked = sorted(binding.parameters, key=lambda name: self.numbers[name].rounded, reverse=True)
        work = self.numbers[ranked[0]].shown.text()
        for larger, smaller in pairwise(self.numbers[name] for name in ranked):
            sign = "=" if larger.rounded == smaller.rounded else ">"
            work += f" {sign} {smaller.shown.text()}"
        label, exact_label = str(self[binding.name]), str(self.solution[binding.name])
        return HandStep(
            binding.name,
            f"which is largest, {listing(binding.parameters, 'or')}",
            self._rounded(binding),
            work,
            label,
            exact_label,
            agrees=label == exact_label,
        )

    def _rounded(self, item: Step | Binding) -> tuple[Rounded, ...]:
        found = []
        for name in item.parameters:
            number, text = self.numbers[name], ""
            if name in self.derivation.givens:
                text = _in_full(number.before, number.unit)
            found.append(Rounded(name, text, number.shown.text(), number.is_exact))
        return tuple(found)

    def _work(self, step: Step) -> str:
        """The formula with the two-digit numbers and what that makes, the powers of ten apart where they add up."""
        shown = {name: self.numbers[name].shown for name in step.parameters}
        number = self.numbers[step.name]
        powers = _powers(self.branches[step.name])
        tens = [powers[name] * shown[name].exponent for name in step.parameters if name in powers]
        put_in = {name: _Scientific(one.digits, 0) for name, one in shown.items()} if powers else shown
        text = as_written.source_line(step, {name: one.text() for name, one in put_in.items()}).replace(" * ", " x ")
        gathered = exact(number.before / Fraction(10) ** sum(tens))
        outcome = figure(gathered) if powers else _Scientific.of(gathered, SIGNIFICANT, least=number.least)
        if text == outcome.text():
            return text
        equals = "=" if Fraction(outcome.text()) == gathered else "~"
        text += f"; so {outcome.text()}" if ";" in text else f" {equals} {outcome.text()}"  # after cases or lines
        if any(tens):
            power, summed = sum(tens), "".join(f"{ten:+d}" for ten in tens).removeprefix("+")
            is_sum = len(tens) > 1
            text += f"; 10^({summed}) = 10^{power}" if is_sum else f"; 10^{power}"
        return text


def _error(result: Fraction, actual: Exact) -> Exact | None:
    if result == actual:
        return Fraction(0)
    return None if actual == 0 else exact((result - actual) / actual)


# -- the proof: intervals of the exact values that two digits may stand for


class _NoRangeError(Exception):
    """A quantity without an interval, or a formula that intervals do not know."""


def _numbers_behind(number: Exact) -> Interval:
    """All positive numbers that round to the same two digits; one that needs no rounding stands for itself."""
    rounded = _two_digits(number)
    if rounded == number:
        return Interval.point(rounded)
    above = below = _last_place(rounded) / 2
    if _Scientific.of(rounded).digits == "1":
        below /= 10  # 0.995 rounds to 1.0, and 0.994 to 0.99
    return Interval(rounded - below, rounded + above)


def _bound(result: Fraction, behind: Interval | None) -> Fraction | None:
    """The largest |result - x|/|x| for x in the interval: result/x is monotone there, so it is at an end."""
    if behind is None or (0 in behind and result):
        return None
    if result == 0:
        return Fraction(behind != Interval.point(0))
    return max(abs(result / end - 1) for end in (behind.low, behind.high))


def _branches(step: Step) -> list[Branch]:
    """The formula on symbols of which nothing is assumed: unlike a given, a step may be 0 or negative."""
    import sympy

    return explore(step.function, {name: sympy.Symbol(name, real=True) for name in step.parameters})


def _powers(branches: Sequence[Branch]) -> dict[str, int]:
    """The power of each parameter if the formula is a product of powers of them, else nothing."""
    import sympy

    first, *others = branches
    product = sympy.sympify(first.value)
    if others or not isinstance(product, (sympy.Mul, sympy.Pow)):
        return {}
    factors = product.as_coeff_Mul()[1].as_powers_dict()
    if not all(base.is_Symbol and power.is_Integer for base, power in factors.items()):
        return {}
    return {base.name: int(power) for base, power in factors.items()}


def _range_of_step(branches: Sequence[Branch], numbers: Mapping[str, _Number]) -> Interval | None:
    """An interval that holds every exact value of the step, over all branches it may take; None for no limit."""
    import sympy

    try:
        possible = (
            _interval(sympy.sympify(branch.value), numbers)
            for branch in branches
            if all(_possible(relation, holds, numbers) for relation, holds in branch.conditions)
        )
        return reduce(Interval.hull, possible)
    except (_NoRangeError, RefusedValueError):
        return None


def _possible(relation: Any, holds: bool, numbers: Mapping[str, _Number]) -> bool:
    """Whether a comparison may have this outcome."""
    try:
        left, right = (_interval(side, numbers) for side in (relation.lhs, relation.rhs))
    except (_NoRangeError, RefusedValueError):
        return True
    return left.holds(relation.rel_op, right) in (holds, None)


def _interval(expression: Any, numbers: Mapping[str, _Number]) -> Interval:
    """An interval that holds the expression's values for all values of its symbols in theirs."""
    import sympy

    if expression.is_Rational:
        return Interval.point(Fraction(int(expression.p), int(expression.q)))
    if expression.is_Symbol:
        found = numbers[expression.name].range
        if found is None:
            raise _NoRangeError
        return found
    parts = [_interval(argument, numbers) for argument in expression.args]
    match expression:
        case sympy.Add():
            return reduce(operator.add, parts)
        case sympy.Mul():
            return reduce(operator.mul, parts)
        case sympy.Pow():
            return _power(*parts)
        case sympy.Max():
            return largest(*parts)
        case sympy.Min():
            return smallest(*parts)
        case sympy.ceiling():
            return parts[0].ceil()
        case sympy.floor():
            return parts[0].floor()
        case sympy.Abs():
            return abs(parts[0])
        case sympy.Mod() if parts[1].low > 0:
            return Interval(Fraction(0), parts[1].high)
    raise _NoRangeError


def _power(base: Interval, exponent: Interval) -> Interval:
    """base^exponent, with rational ends also where roots are irrational."""
    power = exponent.low
    if exponent.is_point and power.denominator == 2:
        # Where the formula has a value its root's argument is not negative.
        return largest(base, Interval.point(0)).sqrt() ** power.numerator
    if exponent.is_point and power.denominator == 1:
        return base ** int(power)
    if base.low <= 0:
        raise _NoRangeError
    # Monotone in the base and in the exponent, so the extremes are at corners.
    return (base ** math.floor(exponent.low)).hull(base ** math.ceil(exponent.high))
