"""The stops of an expression: every zero, jump, pole and border of where it is defined is among them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
import sympy
from sympy import Rational, ceiling, floor, sqrt

from symroof.errors import RefusedValueError
from symroof.numerals import Exact
from symroof.signs import compare, sign_at
from symroof.zeros import ascending, middle, stops_of

pytestmark = pytest.mark.slow

x = sympy.Symbol("x", positive=True)


def zeros(expression: sympy.Expr) -> list[Exact]:
    """The stops at which the expression is zero."""
    return [stop for stop in stops_of(expression, x) if sign_at(expression, {x: stop}) == 0]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (3 * x - 7, [Fraction(7, 3)]),
        (3 * x + 7, []),
        (x**2 - 2, [sqrt(2)]),
        (x**2 - 5 * x + 6, [Fraction(2), Fraction(3)]),
        ((x - 3) ** 2, [Fraction(3)]),
        ((x - 3) ** 2 * (x - 5) ** 3 * (x + 1), [Fraction(3), Fraction(5)]),
        (x**3 - x, [Fraction(1)]),  # 0 and -1 are not positive
        (x**2 + 1, []),
        (1 / x - 4, [Fraction(1, 4)]),
        ((x**2 - 4) / (x - 2), []),  # x + 2 but for the hole at 2, and that is no zero
        (sympy.Integer(0), []),
        (sympy.Integer(5), []),
    ],
)
def test_polynomials_and_fractions(expression: sympy.Expr, expected: list[Exact]) -> None:
    assert zeros(expression) == expected


# From a bisection of x^5 - 3 x^3 + x - 1/10 with whole numbers alone.
QUINTIC_ROOTS = ["0.1032946340", "0.5509490178", "1.626407374"]


def test_roots_that_are_no_radicals_are_isolated() -> None:
    found = zeros(x**5 - 3 * x**3 + x - Rational(1, 10))
    assert [str(sympy.N(root, 10)) for root in found] == QUINTIC_ROOTS


def test_coefficients_of_every_size() -> None:
    assert zeros(10**300 * x**2 - Rational(1, 10**300)) == [Fraction(1, 10**300)]
    assert zeros(10**300 * x - Rational(1, 10**300) + 10**250 * x) == [Fraction(1, 10**600 + 10**550)]
    (small, large) = zeros(x**2 - 10**150 * x + 1)
    assert small * large == 1 or sympy.simplify(small * large) == 1
    assert compare(small, Fraction(1, 10**150)) == 1
    assert compare(large, Fraction(10**150)) == -1


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (sqrt(x + 5) - x + 1, [Fraction(4)]),  # squaring adds -1
        (sqrt(x + 3) + x - 9, [Fraction(6)]),  # and 13
        (sqrt(x) + 2, []),
        (sqrt(x) - x + 1, [Rational(3, 2) + sqrt(5) / 2]),
        (sqrt(x + 5) + sqrt(x) - 7, [Fraction(484, 49)]),
        (sqrt(sqrt(x) + x) - 3, [Rational(19, 2) - sqrt(37) / 2]),
        (sqrt(x**2 - 10 * x + 25) - 3, [Fraction(2), Fraction(8)]),
        (x * sqrt(2) - 4, [2 * sqrt(2)]),
        (x**2 + sqrt(2) * x - 4, [sqrt(2)]),
        (x ** Rational(3, 2) - 8, [Fraction(4)]),
        (x ** Rational(-1, 2) - 8, [Fraction(1, 64)]),
        (sqrt(x**2 + 1) - x, []),
        (sqrt(2) * x - sqrt(3) * x + sqrt(5) - 2, [(sqrt(5) - 2) / (sqrt(3) - sqrt(2))]),
    ],
)
def test_square_roots(expression: sympy.Expr, expected: list[Exact]) -> None:
    found = zeros(expression)
    assert len(found) == len(expected)
    assert all(compare(one, other) == 0 for one, other in zip(found, expected, strict=True))


def test_the_border_of_a_square_root_is_a_stop() -> None:
    assert Fraction(5) in stops_of(sqrt(x - 5) - 2, x)
    assert sign_at(sqrt(x - 5) - 2, {x: Fraction(4)}) is None


def test_a_root_of_a_square_bends_where_its_inside_is_zero() -> None:
    root = sympy.Pow((2 * x - 10) ** 2 / 4, Rational(1, 2), evaluate=False)
    assert Fraction(5) in stops_of(root - x + 5, x)  # |x - 5| - (x - 5) is zero from 5 on


def test_poles_are_stops() -> None:
    assert stops_of(1 / (x - 5) + 1 / (x**2 - 2), x)[:1] == [sqrt(2)]
    assert Fraction(5) in stops_of(1 / (x - 5) + 1 / (x**2 - 2), x)


def test_an_expression_that_is_defined_nowhere_has_no_stops() -> None:
    assert stops_of(sympy.zoo * x, x) == []


def test_powers_with_the_unknown_above_are_refused() -> None:
    with pytest.raises(RefusedValueError, match="not algebraic in x"):
        stops_of(2**x - 5, x)


STEPPED = {
    "ceil(x/3) = 4": ceiling(x / 3) - 4,
    "2*ceil(x/3) + x = 20": 2 * ceiling(x / 3) + x - 20,
    "ceil(x/3)*x = 20": ceiling(x / 3) * x - 20,
    "floor(x/3) = x/5": floor(x / 3) - x / 5,
    "x/ceil(x) = 9/10": x / ceiling(x) - Rational(9, 10),
    "1/floor(x/3) = 1/4": 1 / floor(x / 3) - Rational(1, 4),
    "ceil(x/2)^2 = 3*x": ceiling(x / 2) ** 2 - 3 * x,
    "ceil(x/2)^2 - 5*ceil(x/2) + 6 = 0": ceiling(x / 2) ** 2 - 5 * ceiling(x / 2) + 6,
    "floor(x/3) + ceil(x/5) = 7": floor(x / 3) + ceiling(x / 5) - 7,
    "ceil(ceil(x/2)*3/7) = 4": ceiling(ceiling(x / 2) * Rational(3, 7)) - 4,
    "floor(ceil(x/2)/3)*x = 30": floor(ceiling(x / 2) / 3) * x - 30,
    "ceil(10/x) = 3": ceiling(10 / x) - 3,
    "x*ceil(10/x) = 12": x * ceiling(10 / x) - 12,
    "ceil(sqrt(x)) = x/3": ceiling(sqrt(x)) - x / 3,
    "sqrt(ceil(x)) = x/2": sqrt(ceiling(x)) - x / 2,
    "ceil(x*(10 - x)/4) = 5": ceiling(x * (10 - x) / 4) - 5,
    "ceil(3*x/(x + 1)) = 2": ceiling(3 * x / (x + 1)) - 2,
    "ceil((x - 9)/2) = 1": ceiling((x - 9) / 2) - 1,
}


@pytest.mark.parametrize("expression", STEPPED.values(), ids=STEPPED)
def test_between_two_stops_of_a_ceil_or_floor_the_sign_is_one(expression: sympy.Expr) -> None:
    """Against a scan of a fine grid that includes every jump, with both neighbours."""
    stops = stops_of(expression, x)
    grid = [Fraction(step, 12) for step in range(1, 12 * 40)]
    for low, high in pairwise([Fraction(0), *stops, Fraction(40)]):
        inside = sign_at(expression, {x: middle(low, high)})
        while grid and compare(grid[0], high) < 0:
            point = grid.pop(0)
            assert sign_at(expression, {x: point}) == inside or compare(point, low) == 0, point


def test_a_zero_between_two_points_of_a_coarse_grid_is_found() -> None:
    # x is 9/10 of its ceil at 9/10 of every whole number up to 9, and nowhere else.
    assert zeros(x / ceiling(x) - Rational(9, 10)) == [Fraction(9 * level, 10) for level in range(1, 10)]


@pytest.mark.parametrize(
    ("total", "each"), [(1000, Fraction(7)), (123, Fraction(5, 2)), (64, Fraction(64)), (5, Fraction(1, 9))]
)
def test_whole_tiles_against_integers(total: int, each: Fraction) -> None:
    """each * ceil(x/16) is below `total` up to the end of the last tile for which integers say so."""
    expression = sympy.Rational(each.numerator, each.denominator) * ceiling(x / 16) - total
    tiles = next(number for number in range(2000) if each * (number + 1) >= total)
    points = [middle(low, high) for low, high in pairwise([Fraction(0), *stops_of(expression, x), Fraction(10**6)])]
    assert all((sign_at(expression, {x: point}) == -1) == (point < 16 * tiles) for point in points)
    assert tiles == 0 or Fraction(16 * tiles) in stops_of(expression, x)


@pytest.mark.parametrize("expression", [ceiling(x) - x, floor(x) * x - x**2 + x / 2, ceiling(1 / x) - 1 / x])
def test_infinitely_many_zeros_are_refused(expression: sympy.Expr) -> None:
    with pytest.raises(RefusedValueError, match="infinitely many steps"):
        stops_of(expression, x)


def test_too_many_steps_are_refused() -> None:
    with pytest.raises(RefusedValueError, match="the limit is 2,000"):
        stops_of(ceiling(1000 * x) - 1000 * x - Rational(1, 2) + x / 1000, x)


def test_order_and_repeats() -> None:
    numbers = [sqrt(2), Fraction(3), Fraction(1), sympy.sqrt(8) / 2, Fraction(3), Fraction(99, 70)]
    assert ascending(numbers) == [Fraction(1), sqrt(2), Fraction(99, 70), Fraction(3)]


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (Fraction(0), Fraction(1, 10**300)),
        (Fraction(1), Fraction(1) + Fraction(1, 10**200)),
        (sqrt(2), sqrt(2) + Rational(1, 10**100)),
        (Fraction(10**300), Fraction(10**300 + 1)),
        (Fraction(3, 7), None),
        (sympy.real_roots(x**3 - 2 * x - 2)[0], None),
    ],
)
def test_a_point_strictly_between(low: Exact, high: Exact | None) -> None:
    point = middle(low, high)
    assert compare(low, point) < 0
    assert high is None or compare(point, high) < 0
