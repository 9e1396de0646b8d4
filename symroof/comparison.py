"""Figures that others print, beside exact values: do they agree at the digits printed?"""

from __future__ import annotations

import re
from fractions import Fraction

from symroof.numerals import SIGNIFICANT, Exact, certain, exact, figure
from symroof.syntax import Literal
from symroof.units import Quantity, magnitude_in, quantity, quantity_text


def compared(ours: Quantity, printed: Literal) -> tuple[Quantity, int, str]:
    """Ours in the printed unit, with as many digits to show as are printed, and how it differs: not at all within half
    a unit of the last printed digit.

    Raises UnitError where the dimensions differ.
    """
    mine = magnitude_in(ours, printed.unit)
    last = last_digit(printed.text)
    agrees = certain(exact(mine - printed.number), lambda bound: abs(bound) <= last / 2)
    digits = len(str(abs(int(printed.number / last))))
    value, digits = quantity(mine, printed.unit), max(digits, SIGNIFICANT)
    return value, digits, "" if agrees else f"ours is {quantity_text(value, digits)}, {_off(mine, printed.number)}"


def last_digit(text: str) -> Fraction:
    """What one unit of the last printed digit is worth: 1/10000 for 28.1926, 10^5 for 1.0737e9."""
    match = _NUMBER.match(text)
    assert match
    return Fraction(10) ** (int(match["exponent"] or 0) - len(match["decimals"] or ""))


_NUMBER = re.compile(r"[\d_]+(?:\.(?P<decimals>\d*))?(?:[eE](?P<exponent>[+-]?\d+))?")


def _off(ours: Exact, theirs: Fraction) -> str:
    if theirs == 0:
        return "not 0"
    ratio = exact(ours / theirs)
    if not Fraction(1, 2) < ratio < Fraction(3, 2):
        return f"{figure(ratio).text()} times it"
    return f"{figure(exact((ratio - 1) * 100), 2).text()} % from it"
