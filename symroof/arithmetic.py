"""Exact arithmetic with an end: each operation of an expression, and the limits of what may come out of it."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import pint

from symroof import elementary
from symroof.branches import Traced, bare
from symroof.errors import ParseError, RefusedValueError, SymroofError, UnitError
from symroof.numerals import MAX_DIGITS, Exact, certain, exact
from symroof.units import MAX_UNIT_POWER, mismatch, unit_powers

MAX_POWER_OF_TEN = 300
MAX_EXPONENT = 4096

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "max": elementary.largest,
    "min": elementary.smallest,
    "ceil": elementary.ceil,
    "floor": elementary.floor,
    "sqrt": elementary.sqrt,
    "log2": elementary.log2,
    "ln": elementary.ln,
    "exp": elementary.exp,
    "abs": elementary.absolute,
    "round": elementary.rounded,
}


@contextmanager
def pointing_at(text: str, position: int) -> Iterator[None]:
    """What goes wrong inside is an error that points at this place."""
    try:
        yield
    except ZeroDivisionError:
        raise ParseError(text, position, "this divides by zero", "check the value after the /") from None
    except pint.DimensionalityError as error:
        raise ParseError(text, position, *mismatch(error)) from None
    except ParseError:
        raise
    except SymroofError as error:
        raise ParseError(text, position, error.problem, error.hint) from None


def _quotient(above: Any, below: Any) -> Any:
    _refuse_zero(below)
    return above / below


def raised(base: Any, exponent: Any) -> Any:
    """base^exponent; an exponent that is a number is a whole one or half of one."""
    number = bare(exponent)
    if isinstance(number, pint.Quantity):
        if number.dimensionality:
            raise UnitError(f"{number} as a power", "a power is a plain number")
        power = exact(number.to_base_units().magnitude)
    elif isinstance(number, numbers.Rational):
        power = exact(number)
    elif hasattr(number, "free_symbols"):
        import sympy

        for part in number.atoms(sympy.Rational):
            _refuse_large(exact(part))
        return _to_the(base, exponent)
    else:
        return _to_the(base, exponent)  # of columns or dimensions
    _refuse_large(power)
    if not isinstance(power, Fraction) or power.denominator > 2:
        raise RefusedValueError(
            f"the exponent {clip(str(power))} is neither a whole number nor a half", "only square roots are exact"
        )
    if power.denominator == 2:
        base, power = elementary.sqrt(base), power * 2
    if power < 0:
        _refuse_zero(base)
    digits = [math.log10(max(abs(part.numerator), part.denominator)) for part in _rational_parts(in_range(base))]
    if any(size * abs(power) > MAX_DIGITS for size in digits):
        raise RefusedValueError(f"this power takes more than {MAX_DIGITS:,} digits", "write a smaller power")
    return base ** int(power)


def _to_the(base: Any, exponent: Any) -> Any:
    """A power of symbols, columns or dimensions. Of them a Fraction would make a float of itself."""
    inner = bare(exponent)
    if not isinstance(base, Fraction) or type(inner).__module__ == "numpy":
        return base**exponent
    found = inner.__rpow__(base)
    return exponent.with_value(found) if isinstance(exponent, Traced) else found


def _refuse_large(exponent: Exact) -> None:
    if abs(exponent) > MAX_EXPONENT:
        raise RefusedValueError(f"the exponent {clip(str(exponent))} is above {MAX_EXPONENT}", "write a smaller power")


OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
    "^": raised,
}


def _refuse_zero(divisor: Any) -> None:
    """SymPy divides by zero without a word."""
    divisor = bare(divisor)
    number = getattr(divisor, "magnitude", divisor)
    is_number = isinstance(number, numbers.Rational) or getattr(number, "is_number", False)
    if is_number and exact(number) == 0:
        raise ZeroDivisionError


def _rational_parts(value: Any) -> list[Any]:
    """The rational numbers that a number consists of, or the coefficient of an expression in symbols."""
    value = bare(value)
    number = getattr(value, "magnitude", value)
    if hasattr(number, "is_number"):
        import sympy

        return list(number.atoms(sympy.Rational)) if number.is_number else [number.as_coeff_Mul()[0]]
    return [number] if isinstance(number, numbers.Rational) else []


def bounded(value: Any) -> Any:
    """The result of one operation, if the numbers and powers of units in it have a size to go on with."""
    for part in _rational_parts(value):
        beyond = outside(exact(part))
        if beyond:
            raise RefusedValueError(f"the result {beyond}", RANGE[beyond])
    if isinstance(value, pint.Quantity) and sum(map(abs, unit_powers(value.units).values())) > MAX_UNIT_POWER:
        raise RefusedValueError(f"the powers of the unit add up to more than {MAX_UNIT_POWER}", "write smaller powers")
    return value


def in_range(value: Any) -> Any:
    """The value, if it is no irrational number beyond the range; of others `bounded` has seen to it."""
    number = getattr(bare(value), "magnitude", bare(value))
    if getattr(number, "is_number", False):
        beyond = certain(exact(number), outside)
        if beyond:
            raise RefusedValueError(f"the result {beyond}", RANGE[beyond])
    return value


def outside(number: Fraction) -> str:
    """How the number lies outside the range, if it does."""
    above, below = abs(number.numerator), number.denominator
    if above > below * _LARGEST:
        return _TOO_LARGE
    return _TOO_SMALL if above and above * _LARGEST < below else ""


_LARGEST = 10**MAX_POWER_OF_TEN
_TOO_LARGE = f"goes beyond 10^{MAX_POWER_OF_TEN}"
_TOO_SMALL = f"is closer to zero than 10^-{MAX_POWER_OF_TEN}"
RANGE = {
    _TOO_LARGE: f"numbers go up to 10^{MAX_POWER_OF_TEN}",
    _TOO_SMALL: f"numbers other than zero go down to 10^-{MAX_POWER_OF_TEN}",
}


def clip(word: str) -> str:
    return word if len(word) <= 20 else f"{word[:12]}..."
