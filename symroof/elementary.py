"""The functions a formula may use beside arithmetic, each right in all four readings.

On numbers and quantities they are exact, on SymPy expressions symbolic, on NumPy arrays elementwise, on
dimensions they check units.
"""

from __future__ import annotations

import bisect
import functools
import math
import operator
import sys
from fractions import Fraction
from typing import Any

import pint

from symroof.branches import Traced, beside
from symroof.errors import RefusedValueError, UnitError
from symroof.numerals import Exact, certain, count_figure, exact, figure, sign
from symroof.units import REGISTRY, Dimension, unit_of_powers, unit_powers

_LONGEST_RADICAND = 300  # digits; SymPy looks for square factors in it
_LARGEST_EXPONENT = 690  # e^690 is 4.6*10^299
_MOST_DIVIDED = 10**12  # its divisors are found by trying all numbers up to its square root


def largest(*values: Any) -> Any:
    """The largest of the values, which all have the same dimension."""
    return _applied("largest", values)


def smallest(*values: Any) -> Any:
    """The smallest of the values, which all have the same dimension."""
    return _applied("smallest", values)


def ceil(value: Any) -> Any:
    """The smallest whole number that is not below the value, a plain number."""
    return _applied("ceil", (value,))


def floor(value: Any) -> Any:
    """The largest whole number that is not above the value, a plain number."""
    return _applied("floor", (value,))


def sqrt(value: Any) -> Any:
    """The square root, exact: of 4 byte^2 it is 2 byte, of 2 it stays sqrt(2)."""
    return _applied("sqrt", (value,))


def log2(value: Any) -> Any:
    """The logarithm to base 2 of a plain number above zero, exact: of 8 it is 3, of 3 it stays log2(3)."""
    return _applied("log2", (value,))


def ln(value: Any) -> Any:
    """The natural logarithm of a plain number above zero, exact: of 1 it is 0, of 2 it stays ln(2)."""
    return _applied("ln", (value,))


def exp(value: Any) -> Any:
    """e to the power of a plain number, exact: of 0 it is 1, of 1 it stays exp(1)."""
    return _applied("exp", (value,))


def absolute(value: Any) -> Any:
    """The value without its sign, in its own unit."""
    return _applied("absolute", (value,))


def rounded(value: Any) -> Any:
    """The nearest whole number to the value, a plain number; a half goes to the even one."""
    return _applied("rounded", (value,))


def next_divisor(whole: Any, at_least: Any) -> Any:
    """The smallest divisor of a whole number that is not below another: of 12 and 5 it is 6.

    Both are plain whole numbers from 1 up. Raises RefusedValueError for others, for `at_least` above `whole`, which
    has no such divisor, and for `whole` above 10^12.
    """
    return _applied("next_divisor", (whole, at_least))


def total(*values: Any) -> Any:
    """The sum of the values, which all have the same dimension (`sum` would start from a plain 0)."""
    return functools.reduce(operator.add, values)


def _applied(name: str, values: tuple[Any, ...]) -> Any:
    traced = next((value for value in values if isinstance(value, Traced)), None)
    bare_values = beside(values)
    outcome = getattr(_reading_of(bare_values), name)(*bare_values)
    return traced.with_value(outcome) if traced is not None else outcome


class _OnDimensions:
    @staticmethod
    def largest(*values: Any) -> Any:
        first = next(value for value in values if isinstance(value, Dimension))
        for value in values:
            first.agreed(value, "comparing")
        return first

    smallest = largest

    @staticmethod
    def ceil(value: Dimension) -> Dimension:
        return value.whole("ceil")

    @staticmethod
    def floor(value: Dimension) -> Dimension:
        return value.whole("floor")

    @staticmethod
    def sqrt(value: Dimension) -> Dimension:
        return value.root()

    @staticmethod
    def log2(value: Dimension) -> Dimension:
        return value.whole("log2")

    @staticmethod
    def ln(value: Dimension) -> Dimension:
        return value.whole("ln")

    @staticmethod
    def exp(value: Dimension) -> Dimension:
        return value.whole("exp")

    @staticmethod
    def absolute(value: Dimension) -> Dimension:
        return value

    @staticmethod
    def rounded(value: Dimension) -> Dimension:
        return value.whole("round")

    @staticmethod
    def next_divisor(*values: Any) -> Dimension:
        for value in values:
            if isinstance(value, Dimension):
                value.whole("next_divisor")
            else:
                exact(value)
        return Dimension({})


class _OnExpressions:
    @staticmethod
    def largest(*values: Any) -> Any:
        import sympy

        return sympy.Max(*values)

    @staticmethod
    def smallest(*values: Any) -> Any:
        import sympy

        return sympy.Min(*values)

    @staticmethod
    def ceil(value: Any) -> Any:
        import sympy

        return sympy.ceiling(value)

    @staticmethod
    def floor(value: Any) -> Any:
        import sympy

        return sympy.floor(value)

    @staticmethod
    def sqrt(value: Any) -> Any:
        import sympy

        return sympy.sqrt(value)

    @staticmethod
    def log2(value: Any) -> Any:
        raise _without_algebra("log2", value)

    @staticmethod
    def ln(value: Any) -> Any:
        raise _without_algebra("ln", value)

    @staticmethod
    def exp(value: Any) -> Any:
        raise _without_algebra("exp", value)

    @staticmethod
    def absolute(value: Any) -> Any:
        import sympy

        return sympy.Abs(value)

    @staticmethod
    def rounded(value: Any) -> Any:
        raise _without_algebra("round", value)

    @staticmethod
    def next_divisor(whole: Any, at_least: Any) -> Any:
        return _symbolic_next_divisor()(whole, at_least)


class _OnArrays:
    @staticmethod
    def largest(*values: Any) -> Any:
        import numpy

        return functools.reduce(numpy.maximum, values)

    @staticmethod
    def smallest(*values: Any) -> Any:
        import numpy

        return functools.reduce(numpy.minimum, values)

    @staticmethod
    def ceil(value: Any) -> Any:
        import numpy

        return numpy.ceil(value)

    @staticmethod
    def floor(value: Any) -> Any:
        import numpy

        return numpy.floor(value)

    @staticmethod
    def sqrt(value: Any) -> Any:
        import numpy

        return numpy.sqrt(value)

    @staticmethod
    def log2(value: Any) -> Any:
        import numpy

        return numpy.log2(value)

    @staticmethod
    def ln(value: Any) -> Any:
        import numpy

        return numpy.log(value)

    @staticmethod
    def exp(value: Any) -> Any:
        import numpy

        return numpy.exp(value)

    @staticmethod
    def absolute(value: Any) -> Any:
        import numpy

        return numpy.abs(value)

    @staticmethod
    def rounded(value: Any) -> Any:
        import numpy

        return numpy.rint(value)

    @staticmethod
    def next_divisor(whole: Any, at_least: Any) -> Any:
        import numpy

        return numpy.vectorize(_next_divisor_or_nan, otypes=[float])(whole, at_least)


class _OnQuantities:
    """Whole numbers, Fractions, exact SymPy numbers, and quantities of these."""

    @staticmethod
    def largest(*values: Any) -> Any:
        return functools.reduce(lambda best, value: value if _exceeds(value, best) else best, values)

    @staticmethod
    def smallest(*values: Any) -> Any:
        return functools.reduce(lambda best, value: value if _exceeds(best, value) else best, values)

    @staticmethod
    def ceil(value: Any) -> Any:
        return _whole(value, "ceil")

    @staticmethod
    def floor(value: Any) -> Any:
        return _whole(value, "floor")

    @staticmethod
    def sqrt(value: Any) -> Any:
        if isinstance(value, pint.Quantity):
            base = value.to_base_units()
            halved = {name: _half(power) for name, power in unit_powers(base.units).items()}
            return REGISTRY.Quantity(_exact_root(_number(base)), unit_of_powers(halved))
        return _exact_root(exact(value))

    @staticmethod
    def log2(value: Any) -> Any:
        return _alike(value, _logarithm(_plain(value, "log2"), "log2", 2))

    @staticmethod
    def ln(value: Any) -> Any:
        return _alike(value, _logarithm(_plain(value, "ln")))

    @staticmethod
    def exp(value: Any) -> Any:
        return _alike(value, _exponential(_plain(value, "exp")))

    @staticmethod
    def absolute(value: Any) -> Any:
        return -value if sign(_number(value)) < 0 else value

    @staticmethod
    def rounded(value: Any) -> Any:
        return _alike(value, Fraction(certain(_plain(value, "round"), round)))

    @staticmethod
    def next_divisor(whole: Any, at_least: Any) -> Any:
        found = Fraction(_next_divisor(*(_plain(value, "next_divisor") for value in (whole, at_least))))
        with_unit = isinstance(whole, pint.Quantity) or isinstance(at_least, pint.Quantity)
        return REGISTRY.Quantity(found, "") if with_unit else found


def _exceeds(one: Any, other: Any) -> bool:
    _number(one), _number(other)  # a float is refused by its own value
    return sign(_number(other - one)) < 0


def _number(value: Any) -> Exact:
    return exact(getattr(value, "magnitude", value))


def _whole(value: Any, name: str) -> Any:
    return _alike(value, Fraction(certain(_plain(value, name), getattr(math, name))))


def _alike(value: Any, number: Exact) -> Any:
    """The number as a quantity if the argument was one."""
    return REGISTRY.Quantity(number, "") if isinstance(value, pint.Quantity) else number


def _plain(value: Any, name: str) -> Exact:
    """The argument of a function that takes plain numbers only."""
    if not isinstance(value, pint.Quantity):
        return exact(value)
    if value.dimensionality:
        raise UnitError(f"{Dimension.of(value.units)} in {name}", "a plain number is needed there")
    return _number(value.to_base_units())


def _next_divisor(whole: Exact, at_least: Exact) -> int:
    for number in (whole, at_least):
        if not isinstance(number, Fraction) or number.denominator != 1 or number < 1:
            shown = figure(number).text()
            raise RefusedValueError(f"{shown} in next_divisor", "whole numbers from 1 up are needed there")
    whole_shown, least_shown = (count_figure(number).text() for number in (whole, at_least))
    if whole > _MOST_DIVIDED:
        raise RefusedValueError(f"the divisors of {whole_shown} are not searched", "use whole numbers up to 10^12")
    if at_least > whole:
        raise RefusedValueError(
            f"no divisor of {whole_shown} is {least_shown} or more",
            f"the largest divisor of {whole_shown} is {whole_shown} itself",
        )
    divisors = _divisors(int(whole))
    return divisors[bisect.bisect_left(divisors, at_least)]


@functools.lru_cache(maxsize=64)
def _divisors(whole: int) -> list[int]:
    """All divisors, ascending."""
    low = [number for number in range(1, math.isqrt(whole) + 1) if whole % number == 0]
    return sorted({*low, *(whole // number for number in low)})


def _next_divisor_or_nan(whole: float, at_least: float) -> float:
    """For columns, whose other points may lie on other branches: nan where there is none, as NumPy's sqrt has it."""
    try:
        return float(_next_divisor(Fraction(whole), Fraction(at_least)))
    except (RefusedValueError, ValueError, OverflowError):  # the last two: nan and infinity are no fractions
        return math.nan


@functools.cache
def _symbolic_next_divisor() -> Any:
    """The function for SymPy, which is imported only where it is used."""
    import sympy

    class next_divisor(sympy.Function):  # type: ignore[misc]  # noqa: N801  its name is what is written
        is_integer = True
        is_positive = True

        @classmethod
        def eval(cls, whole: Any, at_least: Any) -> Any:
            """A number for numbers: nan where there is no such divisor."""
            if whole.is_Rational and at_least.is_Rational:
                try:
                    return sympy.Integer(_next_divisor(exact(whole), exact(at_least)))
                except RefusedValueError:
                    return sympy.nan
            return None

        def fdiff(self, argindex: int = 1) -> Any:  # noqa: ARG002
            """It is constant between its jumps."""
            return sympy.Integer(0)

    return next_divisor


def _half(power: Any) -> Any:
    """A whole power stays an int: pint converts exactly by whole powers only."""
    half = Fraction(power) / 2
    return int(half) if half.denominator == 1 else half


def _exact_root(value: Exact) -> Exact:
    if sign(value) < 0:
        raise RefusedValueError(f"sqrt of the negative number {figure(value).text()}", "check the sign of the argument")
    if isinstance(value, Fraction):
        above, below = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if above**2 == value.numerator and below**2 == value.denominator:
            return Fraction(above, below)
        if value.numerator * value.denominator >= 10**_LONGEST_RADICAND:
            raise RefusedValueError(
                f"sqrt of a fraction of more than {_LONGEST_RADICAND} digits, which is irrational",
                "calculate with smaller or rounder numbers",
            )
    import sympy

    return exact(sympy.sqrt(_as_sympy(value)))


def _logarithm(value: Exact, name: str = "ln", base: int | None = None) -> Exact:
    if sign(value) <= 0:
        raise RefusedValueError(f"{name} of {figure(value).text()}", "the argument must be above zero")
    if value == 1:
        return Fraction(0)
    if base == 2 and isinstance(value, Fraction):
        power = value.numerator.bit_length() - value.denominator.bit_length()
        if value == Fraction(2) ** power:
            return Fraction(power)
    import sympy

    found = sympy.expand_log(sympy.log(_as_sympy(value)))  # a root's logarithm is a fraction of that of its radicand
    return exact(found / sympy.log(base) if base else found)


def _exponential(value: Exact) -> Exact:
    if value == 0:
        return Fraction(1)
    if sign(value - _LARGEST_EXPONENT) > 0 or sign(value + _LARGEST_EXPONENT) < 0:
        raise RefusedValueError(
            f"exp of {figure(value).text()} lies outside 10^-300 to 10^300",
            f"the argument goes from -{_LARGEST_EXPONENT} to {_LARGEST_EXPONENT}",
        )
    import sympy

    return exact(sympy.exp(_as_sympy(value)))


def _as_sympy(value: Exact) -> Any:
    import sympy

    return sympy.Rational(value.numerator, value.denominator) if isinstance(value, Fraction) else value


def _without_algebra(function: str, value: Any) -> RefusedValueError:
    names = ", ".join(sorted(symbol.name for symbol in value.free_symbols))
    hint = "floor(x + 1/2) rounds in every reading" if function == "round" else "put its value in"
    return RefusedValueError(f"{function} of {names} cannot be part of an equation or a range", hint)


def _reading_of(values: tuple[Any, ...]) -> Any:
    """Which functions apply; libraries that nobody imported yet cannot have made the values."""
    if any(isinstance(value, Dimension) for value in values):
        return _OnDimensions
    sympy, numpy = sys.modules.get("sympy"), sys.modules.get("numpy")
    if sympy and any(isinstance(value, sympy.Basic) and value.free_symbols for value in values):
        return _OnExpressions
    if numpy and any(isinstance(value, (numpy.ndarray, numpy.generic)) for value in values):
        return _OnArrays
    return _OnQuantities
