"""Exact numbers as printed figures: correctly rounded, half to even, with integers only.

A number is exact: a whole number, a `Fraction`, or where it is irrational a SymPy number such as `sqrt(2)`.
No float takes part, so a printed digit is never the product of a binary rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from symroof.errors import InexactError
from symroof.latex import grouped

if TYPE_CHECKING:
    import sympy

Exact: TypeAlias = "Fraction | sympy.Expr"

SIGNIFICANT = 4  # digits of a result
SIGNIFICANT_ROOT = 7  # digits of a root
_LONGEST_INTEGER = 15  # an exact whole number without a unit is written in full up to this many digits
_SMALLEST_PLAIN = -4  # from 0.0001 up a number is written without a power of ten
_CERTIFIED_BITS_LIMIT = 1 << 14


@dataclass(frozen=True)
class Figure:
    """A rounded number, taken apart: sign, digits around the point, power of ten (0 if written plainly)."""

    negative: bool
    whole: str
    decimals: str
    exponent: int

    def text(self) -> str:
        point = f".{self.decimals}" if self.decimals else ""
        power = f"e{self.exponent}" if self.exponent else ""
        return f"{'-' if self.negative else ''}{self.whole}{point}{power}"

    def latex(self) -> str:
        """With thin spaces between groups of three from five digits on."""
        point = f".{self.decimals}" if self.decimals else ""
        power = rf" \times 10^{{{self.exponent}}}" if self.exponent else ""
        return f"{'-' if self.negative else ''}{grouped(self.whole)}{point}{power}"


def exact(value: Any) -> Exact:
    """The number as symroof keeps it: a Fraction where it is rational, else a SymPy number.

    Raises InexactError for a float, and TypeError for what is no number.
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, float):
        raise InexactError(
            f"the float {value!r} is not exact",
            "divide whole numbers last (x/2, 9*x/10), use symroof.sqrt for roots, or make the number a given",
        )
    if type(value).__module__.startswith("sympy."):
        import sympy

        number = sympy.sympify(value)
        if isinstance(number, sympy.Rational):
            return Fraction(int(number.p), int(number.q))
        if number.is_number and number.is_real and not number.has(sympy.Float):
            return number
    raise TypeError(f"{value!r} is not an exact real number")


def figure(value: Exact, digits: int = SIGNIFICANT, decimals: int | None = None) -> Figure:
    """The value rounded to significant digits, or if `decimals` is given to that many after the point.

    A value that needs fewer digits than `digits` is written with the digits it has: 312 is exact, 312.0 is
    rounded. A value other than 0 that `decimals` would show as 0.000 is shown with significant digits.
    """
    number = exact(value)
    if decimals is not None:
        units = _rounded(number, -decimals)
        if units or number == 0:
            return _with_decimals(units, decimals)
    if number == 0:
        return Figure(False, "0", "", 0)
    exponent = _exponent(number)
    scaled = _rounded(number, exponent - digits + 1)
    if abs(scaled) >= 10**digits:  # 9.9996 became 10.00
        exponent += 1
        scaled //= 10
    shown = str(abs(scaled))
    if isinstance(number, Fraction) and scaled * Fraction(10) ** (exponent - digits + 1) == number:
        shown = shown.rstrip("0")
    negative = scaled < 0
    if _SMALLEST_PLAIN <= exponent < digits:
        if exponent < 0:
            return Figure(negative, "0", "0" * (-exponent - 1) + shown, 0)
        whole = shown[: exponent + 1].ljust(exponent + 1, "0")
        return Figure(negative, whole, shown[exponent + 1 :], 0)
    return Figure(negative, shown[0], shown[1:], exponent)


def count_figure(value: Fraction) -> Figure:
    """A whole number in full where that is readable, else as `figure` has it."""
    if value.denominator == 1 and abs(value.numerator) < 10**_LONGEST_INTEGER:
        return Figure(value < 0, str(abs(value.numerator)), "", 0)
    return figure(value)


def full_figure(value: Exact) -> Figure | None:
    """The value with all its digits, or None where there are more than 15 or no end of them."""
    if not isinstance(value, Fraction):
        return None
    shown = figure(value, _LONGEST_INTEGER)
    return shown if Fraction(shown.text()) == value else None


def full_text(value: Exact) -> str:
    """The value with nothing lost: all its digits, else its fraction, else its expression."""
    shown = full_figure(value)
    return shown.text() if shown else str(value)


def as_float(value: Exact) -> float | None:
    """The nearest double, or None outside its range."""
    try:
        return float(value)
    except OverflowError:
        return None


def _with_decimals(units: int, decimals: int) -> Figure:
    shown = str(abs(units)).rjust(decimals + 1, "0")
    at = len(shown) - decimals
    return Figure(units < 0, shown[:at], shown[at:], 0)


def _exponent(value: Exact) -> int:
    """The e of d.ddd * 10^e, for a value other than zero."""
    if not isinstance(value, Fraction):
        return _exponent(Fraction(*_bounds(value, 64)[0].as_integer_ratio()))
    size = abs(value)
    guess = len(str(size.numerator)) - len(str(size.denominator))
    return guess if size >= Fraction(10) ** guess else guess - 1


def _rounded(value: Exact, exponent: int) -> int:
    """The value in units of 10^exponent, half to even."""
    if isinstance(value, Fraction):
        return round(value / Fraction(10) ** exponent)
    bits = 64
    while bits <= _CERTIFIED_BITS_LIMIT:
        low, high = (round(bound / Fraction(10) ** exponent) for bound in _bounds(value, bits))
        if low == high:
            return low
        bits *= 2
    raise InexactError(f"{value} could not be rounded with certainty", "ask for fewer digits")


def _bounds(value: sympy.Expr, bits: int) -> tuple[Fraction, Fraction]:
    """Two rationals with the irrational value between them, about `bits` bits apart in relative size."""
    import sympy

    # evalf promises the digits asked for; two fewer are relied on.
    digits = bits * 3 // 10 + 2
    approximate = Fraction(str(sympy.N(value, digits + 2)))
    slack = abs(approximate) / Fraction(10) ** digits
    return approximate - slack, approximate + slack
