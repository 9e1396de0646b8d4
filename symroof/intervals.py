"""Interval arithmetic with rational ends: what formulas can give where their inputs lie between bounds.

Each operation returns an interval that holds its result for all numbers in its operands. Only roots are irrational;
their ends are rounded outwards. `Varying` carries, beside the interval, how steeply a quantity can rise or fall in
each of the inputs.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from symroof.errors import RefusedValueError, listing
from symroof.numerals import MAX_BITS, MAX_DIGITS, figure

_ROOT_BITS = 128  # to which a root that is irrational is enclosed


@dataclass(frozen=True)
class Interval:
    """All numbers from `low` to `high`, both included."""

    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(f"{self.low} is above {self.high}")

    @classmethod
    def point(cls, number: int | Fraction) -> Interval:
        return cls(Fraction(number), Fraction(number))

    @property
    def is_point(self) -> bool:
        return self.low == self.high

    def __str__(self) -> str:
        return f"{figure(self.low).text()}..{figure(self.high).text()}"

    def __contains__(self, number: int | Fraction) -> bool:
        return self.low <= number <= self.high

    def hull(self, other: Interval) -> Interval:
        """The smallest interval with both in it."""
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def halves(self) -> tuple[Interval, Interval]:
        middle = (self.low + self.high) / 2
        return Interval(self.low, middle), Interval(middle, self.high)

    def holds(self, operator: str, other: Operand) -> bool | None:
        """Whether `x operator y` holds for all x and y of the two intervals (True), for none (False), or for some."""
        difference = self - other
        match operator:
            case "<":
                return True if difference.high < 0 else False if difference.low >= 0 else None
            case "<=":
                return True if difference.high <= 0 else False if difference.low > 0 else None
            case "==":
                return True if difference == Interval.point(0) else None if 0 in difference else False
        opposite = self.holds({">": "<=", ">=": "<", "!=": "=="}[operator], other)
        return None if opposite is None else not opposite

    def __add__(self, other: Operand) -> Interval:
        right = _interval(other)
        return Interval(self.low + right.low, self.high + right.high)

    __radd__ = __add__

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __abs__(self) -> Interval:
        return largest(self, -self, Interval.point(0))

    def __sub__(self, other: Operand) -> Interval:
        return self + -_interval(other)

    def __rsub__(self, other: Operand) -> Interval:
        return other + -self

    def __mul__(self, other: Operand) -> Interval:
        right = _interval(other)
        return _spanned(one * two for one in (self.low, self.high) for two in (right.low, right.high))

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Interval:
        return self * _interval(other) ** -1

    def __rtruediv__(self, other: Operand) -> Interval:
        return other * self**-1

    def __pow__(self, exponent: int) -> Interval:
        """Raises RefusedValueError for a negative power if zero is in the interval."""
        if exponent < 0 and 0 in self:
            raise RefusedValueError(f"the divisor can be zero: it lies in {self}", "narrow the range of the divisor")
        ends = [_raised(self.low, exponent), _raised(self.high, exponent)]
        if exponent > 0 and exponent % 2 == 0 and 0 in self:
            ends.append(Fraction(0))
        return _spanned(ends)

    def ceil(self) -> Interval:
        return Interval(Fraction(math.ceil(self.low)), Fraction(math.ceil(self.high)))

    def floor(self) -> Interval:
        return Interval(Fraction(math.floor(self.low)), Fraction(math.floor(self.high)))

    def sqrt(self) -> Interval:
        """Raises RefusedValueError if a negative number is in the interval."""
        if self.low < 0:
            raise RefusedValueError(
                f"the radicand can be negative: it lies in {self}", "narrow the range of the radicand"
            )
        return Interval(_root(self.low).low, _root(self.high).high)


Operand: TypeAlias = Interval | Fraction | int


def _raised(base: Fraction, exponent: int) -> Fraction:
    """A whole power. Raises RefusedValueError for one of more than 4,000 digits."""
    if max(base.numerator.bit_length(), base.denominator.bit_length()) * abs(exponent) > MAX_BITS and abs(base) != 1:
        raise RefusedValueError(f"a power takes more than {MAX_DIGITS:,} digits", "use smaller powers")
    return base**exponent


def largest(*terms: Interval) -> Interval:
    return Interval(max(term.low for term in terms), max(term.high for term in terms))


def smallest(*terms: Interval) -> Interval:
    return Interval(min(term.low for term in terms), min(term.high for term in terms))


def _interval(operand: Operand) -> Interval:
    return operand if isinstance(operand, Interval) else Interval.point(operand)


def _spanned(numbers: Iterable[Fraction]) -> Interval:
    every = list(numbers)
    return Interval(min(every), max(every))


def _root(number: Fraction) -> Interval:
    """The square root of a number that is not negative: exact where it is rational."""
    below = number.denominator
    square = number.numerator * below  # the root of p/q is that of p q, divided by q
    shift = max(0, _ROOT_BITS - square.bit_length() // 2)
    root = math.isqrt(square << 2 * shift)
    exact = root * root == square << 2 * shift
    return Interval(Fraction(root, below << shift), Fraction(root if exact else root + 1, below << shift))


@dataclass(frozen=True)
class Slope:
    """Between which numbers `(f(y) - f(x)) / (y - x)` lies, whatever x and y on the line of one input.

    None is no bound, as for the steps of a ceil. Where f is differentiable its derivative lies there, too.
    """

    low: Fraction | None
    high: Fraction | None

    @property
    def sign(self) -> int | None:
        """1 if f never falls, -1 if it never rises, 0 if it is constant, None if that is not known."""
        if self == FLAT:
            return 0
        if self.low is not None and self.low >= 0:
            return 1
        return -1 if self.high is not None and self.high <= 0 else None

    def __add__(self, other: Slope) -> Slope:
        low = None if self.low is None or other.low is None else self.low + other.low
        high = None if self.high is None or other.high is None else self.high + other.high
        return Slope(low, high)

    def hull(self, other: Slope) -> Slope:
        low = None if self.low is None or other.low is None else min(self.low, other.low)
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return Slope(low, high)

    def times(self, factor: Interval) -> Slope:
        if self.low is not None and self.high is not None:
            product = Interval(self.low, self.high) * factor
            return Slope(product.low, product.high)
        signs = self.sign, Slope(factor.low, factor.high).sign
        return _of_sign(0 if 0 in signs else None if None in signs else signs[0] * signs[1])  # type: ignore[operator]

    def stepping(self) -> Slope:
        """That of a step function that rises with f: only the sign is left."""
        return _of_sign(self.sign)

    def narrowed(self, sign: int) -> Slope:
        """The same, where f is known never to fall (1), never to rise (-1) or to be constant (0)."""
        low = Fraction(0) if sign >= 0 else self.low
        high = Fraction(0) if sign <= 0 else self.high
        return Slope(low, high)


FLAT = Slope(Fraction(0), Fraction(0))
UNKNOWN = Slope(None, None)


def _of_sign(sign: int | None) -> Slope:
    return UNKNOWN if sign is None else UNKNOWN.narrowed(sign)


@dataclass(frozen=True)
class Varying:
    """What is known of a quantity over a box of inputs: its interval, and its slope in each input that moves it."""

    value: Interval
    slopes: Mapping[str, Slope] = field(default_factory=dict)

    def __add__(self, other: Varying) -> Varying:
        return Varying(self.value + other.value, _joined(Slope.__add__, self.slopes, other.slopes))

    def __mul__(self, other: Varying) -> Varying:
        slopes = _joined(Slope.__add__, self._slopes_times(other.value), other._slopes_times(self.value))
        return Varying(self.value * other.value, slopes)

    def __neg__(self) -> Varying:
        return self * Varying(Interval.point(-1))

    def __abs__(self) -> Varying:
        if self.value.low >= 0:
            return self
        negative = -self
        return negative if self.value.high <= 0 else self.hull(negative).with_value(abs(self.value))

    def power(self, exponent: int) -> Varying:
        """A whole power other than 0. Raises RefusedValueError for a divisor that can be zero."""
        if exponent < 0 and 0 in self.value:
            raise self._refused("a divisor", "zero")
        slopes = self._slopes_times(exponent * self.value ** (exponent - 1))
        return Varying(self.value**exponent, slopes)

    def to_the(self, exponent: Varying) -> Varying:
        """A power that varies. Raises RefusedValueError where the base is not positive.

        Exact formulas have whole exponents; between them the value lies between the whole powers around it.
        """
        if self.value.low <= 0:
            raise self._refused("the base of a varying power", "zero or negative")
        whole = math.floor(exponent.value.low), math.ceil(exponent.value.high)
        value = _spanned(_raised(base, power) for base in (self.value.low, self.value.high) for power in whole)
        slopes = _joined(
            Slope.__add__,
            Varying(value, self._slopes_times(exponent.value)).stepping(value).slopes,
            Varying(value, exponent._slopes_times(self.value - 1)).stepping(value).slopes,
        )
        return Varying(value, slopes)

    def sqrt(self) -> Varying:
        """Raises RefusedValueError for a radicand that can be negative."""
        if self.value.low < 0:
            raise self._refused("the radicand of a square root", "negative")
        root = self.value.sqrt()
        if root.low == 0:
            return self.stepping(root)
        return Varying(root, self._slopes_times(1 / (2 * root)))

    def ceil(self) -> Varying:
        return self.stepping(self.value.ceil())

    def floor(self) -> Varying:
        return self.stepping(self.value.floor())

    def stepping(self, value: Interval) -> Varying:
        """A function of this that never falls, with the value it has."""
        return Varying(value, {} if value.is_point else {name: slope.stepping() for name, slope in self.slopes.items()})

    def hull(self, other: Varying) -> Varying:
        """One or the other, and which of them does not change along any input."""
        return Varying(self.value.hull(other.value), _joined(Slope.hull, self.slopes, other.slopes))

    def with_value(self, value: Interval) -> Varying:
        return Varying(value, self.slopes)

    def _slopes_times(self, factor: Interval) -> dict[str, Slope]:
        return {name: slope.times(factor) for name, slope in self.slopes.items()}

    def _refused(self, what: str, fault: str) -> RefusedValueError:
        if not self.slopes:
            return RefusedValueError(f"{what} is {fault}", "set other values")
        return RefusedValueError(
            f"{what} can be {fault}: it lies in {self.value}", f"narrow the range of {listing(self.slopes)}"
        )


def largest_of(terms: Iterable[Varying]) -> Varying:
    """The largest of quantities. Those that never are the largest have no part in how it moves."""
    return _chosen(largest, list(terms))


def smallest_of(terms: Iterable[Varying]) -> Varying:
    """The smallest of quantities. Those that never are the smallest have no part in how it moves."""
    return _chosen(smallest, list(terms))


def _chosen(choose: Callable[..., Interval], terms: Sequence[Varying]) -> Varying:
    value = choose(*(term.value for term in terms))
    possible = [term for term in terms if term.value.low <= value.high and term.value.high >= value.low]
    return functools.reduce(Varying.hull, possible).with_value(value)


def _joined(
    combine: Callable[[Slope, Slope], Slope], one: Mapping[str, Slope], other: Mapping[str, Slope]
) -> dict[str, Slope]:
    return {name: combine(one.get(name, FLAT), other.get(name, FLAT)) for name in dict.fromkeys([*one, *other])}
