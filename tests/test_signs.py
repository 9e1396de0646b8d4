"""Certified signs: of what cancels to zero, of what almost does, and of what is not defined."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from sympy import Rational, ceiling, floor, sqrt

from symroof.errors import RefusedValueError
from symroof.numerals import Exact
from symroof.signs import ceil_of, compare, enclosed, rational_at, sign, sign_at

pytestmark = pytest.mark.slow

x = sympy.Symbol("x", positive=True)
QUINTIC = x**5 - 3 * x**3 + x - Rational(1, 10)  # with three positive roots, none a radical
QUINTIC_ROOTS = [root for root in sympy.real_roots(QUINTIC) if root > 0]
# Of x^6 - 7*10^60 x - 3: about 1.47e12.
LARGE = sympy.real_roots(x**6 - 7 * 10**60 * x - 3)[-1]


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (sympy.Integer(0), 0),
        (Rational(-3, 7), -1),
        (sqrt(2) + sqrt(3) - sqrt(5 + 2 * sqrt(6)), 0),
        (sqrt(2) + sqrt(3) - sqrt(5 + 2 * sqrt(6)) + Rational(1, 10**300), 1),
        (sqrt(2) + sqrt(3) - sqrt(5 + 2 * sqrt(6)) - Rational(1, 10**300), -1),
        (10**200 - sqrt(sympy.Integer(10**400 - 1)), 1),
        (sympy.cbrt(2) - Rational(63, 50), -1),  # 1.2599 and 1.26
        (sympy.cbrt(9 + 4 * sqrt(5)) + sympy.cbrt(9 - 4 * sqrt(5)) - 3, 0),
        (1 / (sqrt(7) - sqrt(8)), -1),
        (ceiling(sqrt(50)) - 8, 0),
        (sympy.Abs(x - 9).subs(x, sqrt(2)) + sqrt(2) - 9, 0),
    ],
)
def test_signs_of_numbers(number: sympy.Expr, expected: int) -> None:
    assert sign(number) == expected


@pytest.mark.parametrize("root", QUINTIC_ROOTS)
def test_a_root_of_a_polynomial_is_its_zero(root: sympy.Expr) -> None:
    assert sign_at(QUINTIC, {x: root}) == 0
    assert sign_at(QUINTIC + Rational(1, 10**200), {x: root}) == 1
    assert sign_at(QUINTIC - Rational(1, 10**200), {x: root}) == -1
    assert sign_at(1 / QUINTIC, {x: root}) is None
    assert sign_at(sqrt(QUINTIC + 2) - sqrt(2), {x: root}) == 0
    assert sign_at(ceiling(QUINTIC) - floor(QUINTIC), {x: root}) == 0


def test_large_numbers_cancel_exactly() -> None:
    assert sign_at(x**6 - 7 * 10**60 * x - 3, {x: LARGE}) == 0
    assert sign_at(x**6 - 7 * 10**60 * x - 3 - Rational(1, 10**60), {x: LARGE}) == -1
    assert sign_at(x**6 / (7 * 10**60) - x, {x: LARGE}) == 1


@pytest.mark.parametrize(
    ("expression", "at", "expected"),
    [
        (sqrt(x - 5), Fraction(4), None),
        (sqrt(x - 5), Fraction(5), 0),
        (1 / sqrt(x - 5), Fraction(5), None),
        (sqrt(x - 5), sqrt(30), 1),
        (sqrt(x - 5) * sqrt(x - 7), Fraction(3), None),  # and not the real number that two imaginary ones make
        (0 * x + (x - 3) / (x - 2), Fraction(2), None),
        (sympy.Mul(x - 2, 1 / (x**2 - 4), evaluate=False), Fraction(2), None),
        (1 / (x - sqrt(2)), sqrt(2), None),
        (x + sympy.zoo, Fraction(1), None),
        (sympy.Abs(x - 9) - 5, Fraction(4), 0),
        (sympy.Abs(x - 9) - 9 + x, sqrt(2), 0),
        (sympy.Abs(x**2 - 2), sqrt(2), 0),
        (ceiling(x**2) - 8, sqrt(8), 0),
        (floor(x**2) - 8, sqrt(8), 0),
        (ceiling(x**2 + Rational(1, 10**100)) - 9, sqrt(8), 0),
        (floor(x**2 - Rational(1, 10**100)) - 7, sqrt(8), 0),
        (ceiling(-x / 2), Fraction(3), -1),
        (floor(-x / 2) + 2, Fraction(3), 0),
    ],
)
def test_signs_at_values(expression: sympy.Expr, at: Exact, expected: int | None) -> None:
    assert sign_at(expression, {x: at}) == expected


def test_undefined_numbers_are_refused() -> None:
    with pytest.raises(RefusedValueError, match="is not defined"):
        sign(sympy.Pow(sympy.Add(2, -2, evaluate=False), -1, evaluate=False))


def test_what_is_not_algebraic_is_refused() -> None:
    with pytest.raises(RefusedValueError, match=r"2\*\*x is not algebraic"):
        sign_at(2**x - 3, {x: Fraction(1)})


def test_rational_values_stay_fractions() -> None:
    assert rational_at((x + 1) / (x - 1), {x: Fraction(3, 2)}) == 5
    assert rational_at(sqrt(x), {x: Fraction(9, 4)}) == Fraction(3, 2)
    assert rational_at(x ** Rational(-2, 3), {x: Fraction(8, 27)}) == Fraction(9, 4)
    assert rational_at(sqrt(x), {x: Fraction(2)}) is None


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (Fraction(1, 3), Fraction(1, 3), 0),
        (Fraction(3), sqrt(9 + Rational(1, 10**100)), -1),
        (sqrt(2), Fraction(141421356, 100000000), 1),
        (sqrt(3) + sqrt(2), sqrt(5 + 2 * sqrt(6)), 0),
        (QUINTIC_ROOTS[0], QUINTIC_ROOTS[1], -1),
        (QUINTIC_ROOTS[2], QUINTIC_ROOTS[2], 0),
    ],
)
def test_comparing(one: Exact, other: Exact, expected: int) -> None:
    assert compare(one, other) == expected
    assert compare(other, one) == -expected


@pytest.mark.parametrize("digits", [10, 40, 80, 700])
@pytest.mark.parametrize("number", [sqrt(2), 1 / (sqrt(3) - sqrt(2)), LARGE, *QUINTIC_ROOTS, sympy.cbrt(10) ** 2])
def test_enclosures_hold_the_number_and_are_narrow(number: sympy.Expr, digits: int) -> None:
    low, high = enclosed(number, digits)
    assert high - low <= (abs(low) + 1) * Fraction(10) ** (3 - digits)
    # Against SymPy's own digits, with more of them.
    value = Fraction(str(sympy.N(number, digits + 20)))
    slack = abs(value) / Fraction(10) ** (digits + 15)
    assert low <= value + slack
    assert value - slack <= high


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (Fraction(7), 7),
        (Fraction(7, 2), 4),
        (sqrt(50), 8),
        (LARGE, 1475773161595),
        (10**100 + sqrt(2) / 10**50, 10**100 + 1),
        (2000 * sympy.sqrt(195), 27929),
    ],
)
def test_first_whole_number(number: Exact, expected: int) -> None:
    assert ceil_of(number) == expected
