"""The sign of an exact expression at exact numbers, with certainty.

What is rational is worked out with Fractions. What is irrational (square roots, roots of polynomials) is enclosed
between decimals that are rounded outwards, with more digits until zero lies outside, or until the enclosure is
narrower than any number of that make other than zero can be small: its separation bound (Burnikel, Funke, Mehlhorn,
Schirra and Schmitt, "A separation bound for real algebraic expressions", 2001).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache, reduce
from typing import TypeAlias

import sympy
from sympy.polys.rootoftools import ComplexRootOf

from symroof.errors import RefusedValueError
from symroof.numerals import Exact

Values: TypeAlias = Mapping[sympy.Symbol, Exact]
Enclosure: TypeAlias = tuple[Decimal, Decimal]

_DIGITS = 40  # to begin with
_NEWTON_STEPS = 5  # after which bisection, which is slow, takes over
_MOST_DIGITS = 2000  # a number that is zero to so many is taken for zero where its bound asks for more


class UndefinedError(Exception):
    """A divisor that is zero, or an even root of a negative number."""


class _MoreDigitsError(Exception):
    """The enclosure of a divisor or of a root's argument is still too wide."""


def sign(number: sympy.Expr) -> int:
    """The sign of an exact real number."""
    found = sign_at(sympy.sympify(number), {})
    if found is None:
        raise RefusedValueError(f"{number} is not defined", "set other values")
    return found


def sign_at(expression: sympy.Expr, values: Values) -> int | None:
    """The sign of an expression over symbols with exact values, or None where it is not defined."""
    try:
        return _sign(expression, values)
    except UndefinedError:
        return None


def compare(one: Exact, other: Exact) -> int:
    """-1, 0 or 1 as the first number is less than, equal to or greater than the other."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return (one > other) - (one < other)
    if one == other:
        return 0
    (low, high), (lower, higher) = enclosed(one), enclosed(other)
    if high < lower or higher < low:
        return -1 if high < lower else 1
    return sign(_as_sympy(one) - _as_sympy(other))


def enclosed(number: Exact, digits: int = _DIGITS, values: Values | None = None) -> tuple[Fraction, Fraction]:
    """Two rationals, about so many digits apart, between which a number or the value of an expression lies.

    Raises UndefinedError.
    """
    if isinstance(number, Fraction):
        return number, number
    value = rational_at(number, values or {})
    if value is not None:
        return value, value
    low, high = _enclosed(number, values or {}, digits)
    return Fraction(low), Fraction(high)


def ceil_of(number: Exact) -> int:
    """The first whole number at or above."""
    return _whole(sympy.ceiling(_as_sympy(number), evaluate=False), {})


def rational_at(expression: sympy.Expr, values: Values) -> Fraction | None:
    """The value of an expression if it is rational and seen to be so, else None. Raises UndefinedError."""
    match expression:
        case sympy.Rational():
            return _as_fraction(expression)
        case sympy.Symbol():
            value = values[expression]
            return value if isinstance(value, Fraction) else None
        case sympy.ceiling() | sympy.floor():
            return Fraction(_whole(expression, values))
        case sympy.Abs():
            inside = rational_at(expression.args[0], values)
            return None if inside is None else abs(inside)
        case sympy.Pow() if expression.exp.is_Rational:
            return _rational_power(expression, values)
        case sympy.Add() | sympy.Mul():
            # Every part is looked at: a zero among the factors does not make up for one that is not defined.
            parts = [rational_at(argument, values) for argument in expression.args]
            joint = operator.add if isinstance(expression, sympy.Add) else operator.mul
            return reduce(lambda one, other: None if one is None or other is None else joint(one, other), parts)
    if isinstance(expression, ComplexRootOf):
        return None
    if expression in (sympy.zoo, sympy.nan):
        raise UndefinedError
    if isinstance(expression, sympy.Function) and not isinstance(expression, (sympy.log, sympy.exp)):  # next_divisor
        numbers = [rational_at(argument, values) for argument in expression.args]
        if None not in numbers:
            value = expression.func(*map(sympy.Rational, numbers))
            if value.is_Rational:
                return _as_fraction(value)
            raise UndefinedError
    raise RefusedValueError(f"{expression} is not algebraic", "use + - * /, whole powers and sqrt")


def _rational_power(power: sympy.Pow, values: Values) -> Fraction | None:
    base = rational_at(power.base, values)
    if base is None:
        return None
    if base == 0 and power.exp.is_negative:
        raise UndefinedError
    if power.exp.is_Integer:
        return Fraction(base ** int(power.exp))
    degree = int(power.exp.q)
    if base < 0:
        raise UndefinedError
    above, exactly = sympy.integer_nthroot(base.numerator, degree)
    below, also = sympy.integer_nthroot(base.denominator, degree)
    if not (exactly and also):
        return None
    return Fraction(Fraction(above, below) ** int(power.exp.p))


def _sign(expression: sympy.Expr, values: Values) -> int:
    number = rational_at(expression, values)
    if number is not None:
        return (number > 0) - (number < 0)
    least, digits = None, _DIGITS
    while True:
        try:
            low, high = _enclosed_once(expression, values, digits)
        except _MoreDigitsError:
            low, high = Decimal("-Infinity"), Decimal("Infinity")
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
        if least is None:
            if _is_root(expression, values):
                return 0
            least = Decimal(f"1e-{min(_Bound(values).digits(expression), _MOST_DIGITS)}")
        if _rounding(digits)[1].subtract(high, low) < least:
            return 0
        digits *= 2


def _is_root(expression: sympy.Expr, values: Values) -> bool:
    """Whether a fraction in one symbol is zero because that is a root of its numerator: the bound would take long."""
    symbols = expression.free_symbols
    if len(symbols) != 1 or not expression.is_rational_function(*symbols):
        return False
    (symbol,) = symbols
    scale, root = _as_sympy(values[symbol]).as_coeff_Mul()
    if not isinstance(root, ComplexRootOf):
        return False
    above = sympy.Poly(sympy.together(expression.xreplace({symbol: scale * symbol})).as_numer_denom()[0], symbol)
    return bool(above.rem(root.poly.replace(symbol)).is_zero)


def _whole(step: sympy.Expr, values: Values) -> int:
    """The value of a ceil or floor."""
    rounded: Callable[[Fraction], int] = math.ceil if isinstance(step, sympy.ceiling) else math.floor
    argument = step.args[0]
    digits = _DIGITS
    while True:
        low, high = enclosed(argument, digits, values)
        if rounded(low) == rounded(high):
            return rounded(low)
        if high - low < Fraction(1, 4):  # with one whole number between the two
            beside = _sign(argument - math.floor(high), values)
            return math.floor(high) + (min(beside, 0) if rounded is math.floor else max(beside, 0))
        digits *= 2


# -- enclosures


def _enclosed(expression: sympy.Expr, values: Values, digits: int) -> Enclosure:
    """The enclosure with at least so many digits on the way."""
    while True:
        try:
            return _enclosed_once(expression, values, digits)
        except _MoreDigitsError:
            digits *= 2


def _enclosed_once(expression: sympy.Expr, values: Values, digits: int) -> Enclosure:
    down, up = _rounding(digits)
    match expression:
        case sympy.Rational():
            return down.divide(int(expression.p), int(expression.q)), up.divide(int(expression.p), int(expression.q))
        case sympy.Symbol():
            return _enclosed_once(_as_sympy(values[expression]), {}, digits)
        case sympy.ceiling() | sympy.floor():
            whole = Decimal(_whole(expression, values))
            return whole, whole
        case sympy.Add():
            total = Decimal(0), Decimal(0)
            for argument in expression.args:
                low, high = _enclosed_once(argument, values, digits)
                total = down.add(total[0], low), up.add(total[1], high)
            return total
        case sympy.Mul():
            product = Decimal(1), Decimal(1)
            for argument in expression.args:
                product = _times(product, _enclosed_once(argument, values, digits), digits)
            return product
        case sympy.Abs():
            low, high = _enclosed_once(expression.args[0], values, digits)
            return max(low, high.copy_negate(), Decimal(0)), max(low.copy_negate(), high)
        case sympy.Pow():
            return _power(expression, values, digits)
    return _root_of(expression, digits)


@lru_cache(maxsize=64)
def _rounding(digits: int) -> tuple[Context, Context]:
    """The contexts that round down and up."""
    down, up = (
        Context(prec=digits, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
        for rounding in (ROUND_FLOOR, ROUND_CEILING)
    )
    return down, up


def _times(one: Enclosure, other: Enclosure, digits: int) -> Enclosure:
    down, up = _rounding(digits)
    pairs = [(first, second) for first in one for second in other]
    return min(down.multiply(*pair) for pair in pairs), max(up.multiply(*pair) for pair in pairs)


def _power(power: sympy.Pow, values: Values, digits: int) -> Enclosure:
    down, up = _rounding(digits)
    base = _enclosed_once(power.base, values, digits)
    degree, times = int(power.exp.q), abs(int(power.exp.p))
    if degree > 1:
        base = _root(base, degree, digits, lambda: _sign(power.base, values))
    result = Decimal(1), Decimal(1)
    for _ in range(times):
        result = _times(result, base, digits)
    if power.exp.is_negative:
        if result[0] <= 0 <= result[1]:
            if _sign(power.base, values) == 0:
                raise UndefinedError
            raise _MoreDigitsError
        result = down.divide(1, result[1]), up.divide(1, result[0])
    return result


def _root(base: Enclosure, degree: int, digits: int, sign_of_base: Callable[[], int]) -> Enclosure:
    low, high = base
    if low <= 0:
        known = sign_of_base()
        if known < 0:
            raise UndefinedError
        if known == 0:
            return Decimal(0), Decimal(0)
        if high <= 0:
            raise _MoreDigitsError
        low = max(low, Decimal(0))
    return _root_of_decimal(low, degree, digits)[0], _root_of_decimal(high, degree, digits)[1]


def _root_of_decimal(number: Decimal, degree: int, digits: int) -> Enclosure:
    """Two decimals one unit of the last digit apart, between which the root of a number that is not negative lies."""
    if number == 0:
        return Decimal(0), Decimal(0)
    places = digits - number.adjusted() // degree  # after the point
    scaled = math.floor(Fraction(number) * Fraction(10) ** (places * degree))
    whole = int(sympy.integer_nthroot(scaled, degree)[0])
    exactly = _rounding(digits + 8)[0]
    return exactly.scaleb(Decimal(whole), -places), exactly.scaleb(Decimal(whole + 1), -places)


@lru_cache(maxsize=256)
def _root_of(root: ComplexRootOf, digits: int) -> Enclosure:
    """An enclosure of the root of a polynomial, by Newton's method from one with half the digits."""
    if digits > _DIGITS:
        wide = _root_of(root, digits // 2)
        polynomial, slope = root.poly, root.poly.diff()
        middle = (Fraction(wide[0]) + Fraction(wide[1])) / 2
        for _ in range(_NEWTON_STEPS):
            middle = _rounded(middle - _at(polynomial, middle) / _at(slope, middle), digits)
            low, high = _beside(middle, digits - 2)
            proved = _at(polynomial, Fraction(low)) * _at(polynomial, Fraction(high)) < 0
            if proved and wide[0] <= low and high <= wide[1]:
                return low, high
    return _beside(_as_fraction(root.eval_rational(n=digits)), digits)


def _beside(middle: Fraction, digits: int) -> Enclosure:
    """A little below and above a number: one unit of that digit."""
    down, up = _rounding(digits + 8)
    gap = abs(middle) / Fraction(10) ** digits
    low, high = middle - gap, middle + gap
    return down.divide(low.numerator, low.denominator), up.divide(high.numerator, high.denominator)


def _rounded(number: Fraction, digits: int) -> Fraction:
    return Fraction(_rounding(digits)[0].divide(number.numerator, number.denominator))


def _at(polynomial: sympy.Poly, number: Fraction) -> Fraction:
    result = Fraction(0)
    for coefficient in polynomial.all_coeffs():
        result = result * number + _as_fraction(coefficient)
    return result


def _as_fraction(number: sympy.Rational) -> Fraction:
    return Fraction(int(number.p), int(number.q))


def _as_sympy(number: Exact) -> sympy.Expr:
    return sympy.Rational(number.numerator, number.denominator) if isinstance(number, Fraction) else number


# -- the separation bound


class _Bound:
    """How small a number other than zero can be that an expression makes.

    Each node is a quotient of two algebraic integers. The sizes say how large these and all their conjugates can be,
    as powers of two; the roots among the nodes multiply up to the degree.
    """

    def __init__(self, values: Values) -> None:
        self.values = values
        self.degrees: dict[sympy.Expr, int] = {}

    def digits(self, expression: sympy.Expr) -> int:
        """The number is zero, or not below 10 to the minus so many."""
        above, below = self._sizes(expression)
        bits = below + (math.prod(self.degrees.values()) - 1) * above
        return bits * 31 // 100 + 2

    def _sizes(self, node: sympy.Expr) -> tuple[int, int]:
        number = rational_at(node, self.values)
        if number is not None:
            return _bits(number.numerator), _bits(number.denominator)
        match node:
            case sympy.Symbol():
                return self._sizes(_as_sympy(self.values[node]))
            case sympy.Add():
                sizes = [self._sizes(argument) for argument in node.args]
                below = sum(one for _, one in sizes)
                return max(above + below - own for above, own in sizes) + _bits(len(sizes)), below
            case sympy.Mul():
                sizes = [self._sizes(argument) for argument in node.args]
                return sum(above for above, _ in sizes), sum(below for _, below in sizes)
            case sympy.Abs():
                return self._sizes(node.args[0])
            case sympy.Pow():
                return self._power(node)
        coefficients = [int(coefficient) for coefficient in node.poly.all_coeffs()]
        self.degrees[node] = len(coefficients) - 1
        return max(map(_bits, coefficients)) + 1, _bits(coefficients[0])

    def _power(self, power: sympy.Pow) -> tuple[int, int]:
        above, below = self._sizes(power.base)
        degree, times = int(power.exp.q), abs(int(power.exp.p))
        if degree > 1:
            self.degrees[power.base ** sympy.Rational(1, degree)] = degree
            if above >= below:
                above = -((-above - (degree - 1) * below) // degree)
            else:
                below = -((-below - (degree - 1) * above) // degree)
        above, below = above * times, below * times
        return (below, above) if power.exp.is_negative else (above, below)


def _bits(number: int) -> int:
    """The least power of two that is not below the size of a whole number."""
    return max(abs(number) - 1, 0).bit_length()
