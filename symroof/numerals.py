"""Exact numbers as printed figures: correctly rounded, half to even, with integers only.

A number is exact: a whole number, a `Fraction`, or where it is irrational a SymPy number such as `sqrt(2)`.
No float takes part, so a printed digit is never the product of a binary rounding.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from symroof.errors import InexactError, RefusedValueError, clipped
from symroof.latex import grouped

if TYPE_CHECKING:
    import sympy

Exact: TypeAlias = "Fraction | sympy.Expr"
_Found = TypeVar("_Found")

MAX_DIGITS = 4_000  # of the numerator or denominator; Python itself writes out no more than 4,300

SIGNIFICANT = 4  # digits of a result
SIGNIFICANT_ROOT = 7  # digits of a root
_LONGEST_INTEGER = 15  # an exact whole number without a unit is written in full up to this many digits
_SMALLEST_PLAIN = -4  # from 0.0001 up a number is written without a power of ten
_MOST_DIGITS = 5_120  # of an irrational number
_MOST_DIGITS_OF_LOGARITHMS = 1_280  # of one with logarithms or powers of e, which no bound tells from zero
_UNSURE_BITS = 8
MAX_BITS = math.floor(MAX_DIGITS * math.log2(10))
_MOST_ROOTS_SIMPLIFIED = 6  # the minimal polynomial of a sum of n roots has degree 2^n


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

    Raises InexactError for a float, RefusedValueError for a fraction of more than 4,000 digits, and TypeError for
    what is no real number.
    """
    if isinstance(value, numbers.Rational) and not isinstance(value, bool):
        fraction = value if isinstance(value, Fraction) else Fraction(int(value.numerator), int(value.denominator))
        if max(fraction.numerator.bit_length(), fraction.denominator.bit_length()) > MAX_BITS:
            raise RefusedValueError(
                f"an exact number has more than {MAX_DIGITS:,} digits", "calculate with smaller or rounder numbers"
            )
        return fraction
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        raise InexactError(
            f"the float {float(value)!r} is not exact",
            "divide whole numbers last (x/2, 9*x/10), use symroof.sqrt for roots, or make the number a given",
        )
    if type(value).__module__.startswith("sympy."):
        import sympy

        if value.is_number and value.is_real is not False and not value.has(sympy.Float):
            if _enclosed(value, 5):
                return value
            if value.is_real:  # its terms cancel, perhaps to zero
                return Fraction(0) if sign(value) == 0 else value
    raise TypeError(f"{value!r} is not an exact real number")


def sign(value: Exact) -> int:
    """1, 0 or -1."""
    return certain(value, lambda bound: (bound > 0) - (bound < 0))


def certain(value: Exact, of: Callable[[Fraction], _Found]) -> _Found:
    """What `of`, a function that is constant between its steps, makes of an exact number.

    An irrational number is enclosed by two rationals ever closer to it, until both give the same. Raises
    InexactError where 5,120 digits, or 1,280 of a logarithm, do not decide.
    """
    if isinstance(value, Fraction):
        return of(value)
    import sympy

    transcendental = value.has(sympy.log, sympy.exp, sympy.E)
    most = _MOST_DIGITS_OF_LOGARITHMS if transcendental else _MOST_DIGITS
    digits = 20
    while digits <= most:
        bounds = _enclosed(value, digits)
        if bounds and of(bounds[0]) == of(bounds[1]):
            return of(bounds[0])
        digits *= 2
    rational = _disguised(value)  # it lies on a step of `of`, as far as can be seen
    if rational is None:
        shown = clipped(expression_text(value))
        raise InexactError(
            f"{most:,} digits of the irrational number {shown} do not decide how it is rounded",
            f"simplify the {'logarithms' if transcendental else 'roots'} in it, or ask for fewer digits",
        )
    return of(rational)


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
    exponent = exponent_of(number)
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
    return shown.text() if shown else expression_text(value)


def expression_text(value: Exact) -> str:
    """The fraction, or the expression of an irrational number as the parser of text reads it: `ln(2)`, `sqrt(2)/3`."""
    return str(value) if isinstance(value, Fraction) else str(_printer().doprint(value))


@cache
def _printer() -> Any:
    from sympy.printing.str import StrPrinter

    class Printer(StrPrinter):  # type: ignore[misc]
        def _print_log(self, expression: Any) -> str:
            return f"ln({self._print(expression.args[0])})"

        def _print_Exp1(self, _: Any) -> str:
            return "exp(1)"

        def _print_Pow(self, expression: Any, rational: bool = False) -> str:
            return str(super()._print_Pow(expression, rational)).replace("**", "^")

    return Printer()


def as_float(value: Exact) -> float | None:
    """The nearest double, or None outside its range."""
    try:
        nearest = certain(value, float)
    except OverflowError:
        return None
    return nearest if nearest or value == 0 else None


def _with_decimals(units: int, decimals: int) -> Figure:
    shown = str(abs(units)).rjust(decimals + 1, "0")
    at = len(shown) - decimals
    return Figure(units < 0, shown[:at], shown[at:], 0)


def exponent_of(value: Exact) -> int:
    """The e of d.ddd * 10^e, for a value other than zero."""
    return certain(value, _exponent_of_fraction)


def _exponent_of_fraction(value: Fraction) -> int:
    size = abs(value)
    guess = math.floor((size.numerator.bit_length() - size.denominator.bit_length()) * math.log10(2))
    while size < Fraction(10) ** guess:
        guess -= 1
    while size >= Fraction(10) ** (guess + 1):
        guess += 1
    return guess


def _rounded(value: Exact, exponent: int) -> int:
    """The value in units of 10^exponent, half to even."""
    return certain(value, lambda bound: round(bound / Fraction(10) ** exponent))


def _enclosed(value: sympy.Expr, digits: int) -> tuple[Fraction, Fraction] | None:
    """Two rationals with the irrational value between them, None where its terms cancel to that many digits."""
    import sympy

    # SymPy says how many bits of its approximation are right; a few less are relied on.
    approximation = value.evalf(digits)
    bits = getattr(approximation, "_prec", 0) - _UNSURE_BITS
    if bits <= 0:
        return None
    nearest = sympy.Rational(approximation)
    middle = Fraction(int(nearest.p), int(nearest.q))
    slack = abs(middle) / 2**bits
    return middle - slack, middle + slack


def _disguised(value: sympy.Expr) -> Fraction | None:
    """The rational number that a short expression in roots may be: (sqrt(2) + 1)*(sqrt(2) - 1) is 1."""
    import sympy

    powers = value.atoms(sympy.Pow)
    if not value.is_algebraic or sum(not power.exp.is_Integer for power in powers) > _MOST_ROOTS_SIMPLIFIED:
        return None
    polynomial = sympy.minimal_polynomial(value, sympy.Symbol("x"), polys=True)
    if polynomial.degree() != 1:
        return None
    slope, constant = polynomial.all_coeffs()
    return -Fraction(int(constant), int(slope))
