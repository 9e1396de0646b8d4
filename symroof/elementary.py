"""The functions a formula may use beside arithmetic, each right in all four readings.

On numbers and quantities they are exact, on SymPy expressions symbolic, on NumPy arrays elementwise, on
dimensions they check units.
"""

from __future__ import annotations

import functools
import math
import operator
import sys
from fractions import Fraction
from typing import Any

import pint

from symroof.branches import Traced, bare
from symroof.errors import UnitError
from symroof.numerals import Exact, exact
from symroof.units import REGISTRY, Dimension


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


def total(*values: Any) -> Any:
    """The sum of the values, which all have the same dimension (`sum` would start from a plain 0)."""
    return functools.reduce(operator.add, values)


def _applied(name: str, values: tuple[Any, ...]) -> Any:
    traced = next((value for value in values if isinstance(value, Traced)), None)
    bare_values = tuple(bare(value) for value in values)
    outcome = getattr(_reading_of(bare_values), name)(*bare_values)
    return traced.with_value(outcome) if traced is not None else outcome


class _OnDimensions:
    @staticmethod
    def largest(*values: Any) -> Any:
        first = next(value for value in values if isinstance(value, Dimension))
        for value in values:
            first._agreed(value, "comparing")
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


class _OnQuantities:
    """Whole numbers, Fractions, exact SymPy numbers, and quantities of these."""

    @staticmethod
    def largest(*values: Any) -> Any:
        return functools.reduce(lambda best, value: value if value > best else best, values)

    @staticmethod
    def smallest(*values: Any) -> Any:
        return functools.reduce(lambda best, value: value if value < best else best, values)

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
            halved = {name: Fraction(power) / 2 for name, power in base.units._units.items()}
            return REGISTRY.Quantity(_exact_root(exact(base.magnitude)), type(base.units._units)(halved))
        return _exact_root(exact(value))


def _whole(value: Any, name: str) -> Any:
    if isinstance(value, pint.Quantity):
        if value.dimensionality:
            raise UnitError(f"{Dimension.of(value.units)} in {name}", "a plain number is needed there")
        return REGISTRY.Quantity(_whole(exact(value.to_base_units().magnitude), name), "")
    number = exact(value)
    if isinstance(number, Fraction):
        return Fraction(getattr(math, name)(number))
    return exact(getattr(_OnExpressions, name)(number))


def _exact_root(value: Exact) -> Exact:
    if isinstance(value, Fraction) and value >= 0:
        above, below = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if above**2 == value.numerator and below**2 == value.denominator:
            return Fraction(above, below)
    import sympy

    if value < 0:
        raise UnitError(f"sqrt of the negative number {value}", "check the sign of the argument")
    rational = sympy.Rational(value.numerator, value.denominator) if isinstance(value, Fraction) else value
    return exact(sympy.sqrt(rational))


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
