"""The functions for formulas, on numbers, quantities, symbols, columns, dimensions and traced values."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pint
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from symroof import elementary
from symroof.branches import explore
from symroof.elementary import ceil, floor, largest, smallest, sqrt, total
from symroof.errors import InexactError, RefusedValueError, UnitError
from symroof.numerals import exact
from symroof.units import Dimension, quantity, unit

FRACTIONS = st.fractions(min_value=-(10**6), max_value=10**6, max_denominator=10**4)
SEVERAL = st.lists(FRACTIONS, min_size=1, max_size=5)
X, Y = sympy.symbols("x y", positive=True)
ROOT = sympy.sqrt(2)
BYTE, SECOND, PLAIN = Dimension.of(unit("byte")), Dimension.of(unit("s")), Dimension({})


class TestNumbers:
    @given(SEVERAL)
    def test_of_fractions(self, values: list[Fraction]) -> None:
        assert largest(*values) == max(values)
        assert smallest(*values) == min(values)
        assert total(*values) == sum(values)

    @given(FRACTIONS)
    def test_rounding(self, value: Fraction) -> None:
        below, rest = divmod(value.numerator, value.denominator)
        assert floor(value) == below
        assert ceil(value) == below + bool(rest)
        for found in (floor(value), ceil(value)):
            assert isinstance(found, Fraction)

    @given(st.fractions(min_value=0, max_value=10**6, max_denominator=10**4))
    def test_roots_of_squares_are_rational(self, value: Fraction) -> None:
        assert sqrt(value**2) == value
        assert isinstance(sqrt(value**2), Fraction)

    @given(st.fractions(min_value=0, max_value=10**6, max_denominator=10**4))
    def test_squares_of_roots(self, value: Fraction) -> None:
        assert exact(sqrt(value) ** 2) == value

    @pytest.mark.parametrize(
        ("found", "expected"),
        [
            (largest(3), 3),
            (largest(1, ROOT, Fraction(7, 5)), ROOT),  # 1.4 < 1.414
            (smallest(ROOT, Fraction(17, 12)), ROOT),  # 17/12 = 1.4167
            (largest((1 + ROOT) ** 2, 3 + 2 * ROOT), (1 + ROOT) ** 2),  # equal: the first stands
            (ceil(ROOT), 2),
            (floor(-ROOT), -2),
            (ceil(5), 5),
            (ceil((1 + ROOT) * (ROOT - 1)), 1),
            (floor(sympy.sqrt(sympy.Integer(10) ** 60 - 1)), 10**30 - 1),
            (ceil(sympy.sqrt(sympy.Integer(10) ** 60 + 1)), 10**30 + 1),
            (sqrt(2), ROOT),
            (sqrt(8), 2 * ROOT),
            (sqrt(Fraction(9, 16)), Fraction(3, 4)),
            (sqrt(Fraction(1, 2)), ROOT / 2),
            (sqrt(0), 0),
            (sqrt(10**300), 10**150),
            (sqrt(ROOT), sympy.root(2, 4)),
            (total(1, ROOT, Fraction(1, 2)), ROOT + sympy.Rational(3, 2)),
        ],
    )
    def test_values(self, found: Any, expected: Any) -> None:
        assert found == expected

    @pytest.mark.parametrize("function", [ceil, floor, sqrt, lambda x: largest(x, 1), lambda x: smallest(1, x)])
    @pytest.mark.parametrize("value", [0.5, np.float64(0.5).item(), sympy.Float(0.5)])
    def test_a_float_is_refused(self, function: Callable[[Any], Any], value: Any) -> None:
        with pytest.raises(InexactError, match=r"^the float 0\.5 is not exact\n"):
            function(value)

    @pytest.mark.parametrize(
        ("value", "shown"), [(-1, "-1"), (Fraction(-1, 3), "-0.3333"), (ROOT - 2, "-0.5858"), (-(10**20), "-1e20")]
    )
    def test_no_root_of_a_negative_number(self, value: Any, shown: str) -> None:
        with pytest.raises(RefusedValueError) as caught:
            sqrt(value)
        assert str(caught.value) == f"sqrt of the negative number {shown}\ncheck the sign of the argument"

    def test_no_root_of_an_endless_fraction(self) -> None:
        assert sqrt(Fraction(10**1000, 3**1000)) == Fraction(10**500, 3**500)
        with pytest.raises(RefusedValueError) as caught:
            sqrt(Fraction(21**365, 20**365))
        assert str(caught.value) == (
            "sqrt of a fraction of more than 300 digits, which is irrational\ncalculate with smaller or rounder numbers"
        )


class TestQuantities:
    @given(SEVERAL)
    def test_in_different_units(self, values: list[Fraction]) -> None:
        spelled = ["byte", "GB", "MiB", "bit", "kB"]
        quantities = [quantity(value, name) for value, name in zip(values, spelled, strict=False)]
        sizes = [of.to(unit("byte")).magnitude for of in quantities]
        assert largest(*quantities).to(unit("byte")).magnitude == max(sizes)
        assert smallest(*quantities).to(unit("byte")).magnitude == min(sizes)
        assert total(*quantities).to(unit("byte")).magnitude == sum(sizes)

    def test_the_unit_of_the_largest_is_kept(self) -> None:
        assert str(largest(quantity(1, "GB"), quantity(1, "GiB"))) == "1 GiB"
        assert str(smallest(quantity(1, "GB"), quantity(1, "GiB"))) == "1 GB"

    @pytest.mark.parametrize(
        ("found", "magnitude", "text"),
        [
            (sqrt(quantity(4, "GB^2/s^2")), 2 * 10**9, "byte/s"),
            (sqrt(quantity(2, "B")), ROOT, "byte^(1/2)"),
            (sqrt(quantity(9, "%")), Fraction(3, 10), ""),
            (sqrt(quantity(Fraction(1, 4))), Fraction(1, 2), ""),
            (ceil(quantity(250, "%")), 3, ""),
            (floor(quantity(250, "%")), 2, ""),
            (ceil(quantity(10, "GB") / quantity(3, "MB")), 3334, ""),
            (floor(quantity(ROOT)), 1, ""),
        ],
    )
    def test_values(self, found: Any, magnitude: Any, text: str) -> None:
        assert isinstance(found, pint.Quantity)
        assert found.magnitude == magnitude
        assert found.units == sqrt(quantity(1, "B")).units if "(" in text else found.units == unit(text)

    def test_a_root_converts_exactly(self) -> None:
        speed = sqrt(quantity(4, "GB^2/s^2")).to(unit("GB/s"))
        assert speed.magnitude == 2
        assert isinstance(speed.magnitude, Fraction)

    @pytest.mark.parametrize("function", [ceil, floor])
    def test_only_plain_numbers_are_rounded(self, function: Callable[[Any], Any]) -> None:
        with pytest.raises(UnitError) as caught:
            function(quantity(7, "B") / quantity(2, "s"))
        assert str(caught.value) == f"byte/s in {function.__name__}\na plain number is needed there"

    @pytest.mark.parametrize("function", [largest, smallest, total])
    def test_dimensions_do_not_mix(self, function: Callable[..., Any]) -> None:
        with pytest.raises(pint.DimensionalityError):
            function(quantity(1, "s"), quantity(2, "B"))


class TestSymbols:
    @pytest.mark.parametrize(
        ("found", "expected"),
        [
            (largest(X, Y), sympy.Max(X, Y)),
            (largest(X, Fraction(1, 2), 3), sympy.Max(X, 3)),
            (smallest(X, ROOT), sympy.Min(X, ROOT)),
            (ceil(X / 2), sympy.ceiling(X / 2)),
            (floor(X / 2), sympy.floor(X / 2)),
            (sqrt(4 * X**2), 2 * X),
            (sqrt(X / Y), sympy.sqrt(X / Y)),
            (total(X, Fraction(1, 3), Y), X + Y + sympy.Rational(1, 3)),
            (ROOT * sqrt(X), sympy.sqrt(2 * X)),
        ],
    )
    def test_symbolic(self, found: Any, expected: Any) -> None:
        assert found == expected
        assert not found.has(sympy.Float)


class TestColumns:
    ONE, OTHER = np.array([1.0, 5.0, -2.5]), np.array([2.0, 4.0, -3.5])

    @pytest.mark.parametrize(
        ("found", "expected"),
        [
            (largest(ONE, OTHER), [2, 5, -2.5]),
            (largest(ONE, OTHER, 3), [3, 5, 3]),
            (smallest(ONE, 1.5), [1, 1.5, -2.5]),
            (smallest(Fraction(3, 2), ONE), [1, 1.5, -2.5]),
            (ceil(ONE), [1, 5, -2]),
            (floor(ONE), [1, 5, -3]),
            (sqrt(OTHER[:2] ** 2), [2, 4]),
            (total(ONE, OTHER, 1), [4, 10, -5]),
            (largest(np.float64(2), 3), 3),
        ],
    )
    def test_elementwise(self, found: Any, expected: Any) -> None:
        assert found.dtype == np.float64
        assert found.tolist() == expected


class TestDimensions:
    @pytest.mark.parametrize("function", [largest, smallest, total])
    def test_all_have_the_same(self, function: Callable[..., Any]) -> None:
        assert function(BYTE, BYTE, BYTE).same(BYTE)
        assert function(PLAIN, 3, Fraction(1, 2), ROOT).same(PLAIN)
        what = "adding" if function is total else "comparing"
        for wrong, other in ((SECOND, "s"), (0, "a plain number")):
            with pytest.raises(UnitError) as caught:
                function(BYTE, wrong)
            assert str(caught.value) == f"{what} byte and {other}\nboth sides need the same dimension"

    def test_a_number_first(self) -> None:
        with pytest.raises(UnitError, match="comparing byte and a plain number"):
            largest(0, BYTE)
        assert smallest(2, PLAIN).same(PLAIN)

    def test_roots(self) -> None:
        assert sqrt(BYTE * BYTE / SECOND**4).same(BYTE / SECOND**2)
        assert str(sqrt(BYTE)) == "byte^(1/2)"

    @pytest.mark.parametrize("function", [ceil, floor])
    def test_rounding(self, function: Callable[[Any], Any]) -> None:
        assert function(PLAIN).same(PLAIN)
        with pytest.raises(UnitError) as caught:
            function(BYTE)
        assert str(caught.value) == f"byte in {function.__name__}\na plain number is needed there"

    def test_a_float_is_refused(self) -> None:
        with pytest.raises(InexactError):
            largest(PLAIN, 0.5)


class TestTraced:
    """Within a formula the same functions meet traced values."""

    FORMULAS: tuple[Callable[..., Any], ...] = (
        lambda a, b: largest(a, 2 * b),
        lambda a, b: smallest(2 * a, b, a + b),
        lambda a, b: total(a, b, b),
        lambda a, b: sqrt(2) * a + b * sqrt(2),
        lambda a, b: a - sqrt(3) * b if a > sqrt(2) * b else sqrt(a * a),
        lambda a, b: ceil(a / b) * b + floor(sqrt(5) * b / a) * a,
        lambda a, b: sqrt(4) * a + sqrt(Fraction(1, 9)) * b,
    )

    @pytest.mark.parametrize("formula", [*FORMULAS, lambda a, b: sqrt(a * b)])
    def test_the_readings_agree(self, formula: Callable[..., Any]) -> None:
        points = [
            (Fraction(3), Fraction(2)),
            (Fraction(1, 3), Fraction(5)),
            (Fraction(7), Fraction(7)),
            (Fraction(8), Fraction(3)),
        ]
        symbolic = explore(formula, {"a": X, "b": Y})
        columns = {"a": np.array([float(a) for a, _ in points]), "b": np.array([float(b) for _, b in points])}
        swept = explore(formula, columns)
        for at, (a, b) in enumerate(points):
            plain = formula(quantity(a), quantity(b)).magnitude
            in_bytes = formula(quantity(a, "B"), quantity(b, "B"))
            assert in_bytes.magnitude == plain
            values = {X: sympy.Rational(a.numerator, a.denominator), Y: sympy.Rational(b.numerator, b.denominator)}
            by_algebra = [
                sympy.sympify(branch.value).subs(values)
                for branch in symbolic
                if all(bool(condition.subs(values)) == holds for condition, holds in branch.conditions)
            ]
            assert [exact(value - plain) for value in by_algebra] == [0]
            by_sweep = [
                branch.value[at]
                for branch in swept
                if all(condition[at] == holds for condition, holds in branch.conditions)
            ]
            assert len(by_sweep) == 1
            assert math.isclose(by_sweep[0], float(plain), rel_tol=1e-14)

    @pytest.mark.parametrize("formula", FORMULAS)
    def test_dimensions(self, formula: Callable[..., Any]) -> None:
        for branch in explore(formula, {"a": BYTE, "b": BYTE}):
            assert branch.value.same(BYTE)
        with pytest.raises(UnitError, match=r"^(adding|comparing|subtracting) (byte|s) and (byte|s)\n|in ceil\n"):
            explore(formula, {"a": BYTE, "b": SECOND})


class TestFunctionsOfText:
    """log2, ln, exp, abs and round of expressions, in the readings that have them."""

    @pytest.mark.parametrize(
        ("function", "argument", "expected"),
        [
            (elementary.log2, Fraction(1, 8), -3),
            (elementary.ln, 1, 0),
            (elementary.exp, 0, 1),
            (elementary.absolute, Fraction(-7, 2), Fraction(7, 2)),
            (elementary.rounded, Fraction(5, 2), 2),
            (elementary.rounded, Fraction(7, 2), 4),
            (elementary.rounded, Fraction(-5, 2), -2),
            (elementary.rounded, 10 * sympy.sqrt(2), 14),
        ],
    )
    def test_exact(self, function: Any, argument: Any, expected: Any) -> None:
        assert function(argument) == expected
        assert function(quantity(argument)) == quantity(expected)
        assert isinstance(function(argument), Fraction)

    def test_columns(self) -> None:
        for function, expected in (
            (elementary.log2, [1.0, 3.0]),
            (elementary.ln, [0.6931471805599453, 2.0794415416798357]),
            (elementary.exp, [7.38905609893065, 2980.9579870417283]),
            (elementary.absolute, [2.0, 8.0]),
            (elementary.rounded, [2.0, 8.0]),
        ):
            assert function(np.array([2.0, 8.0])).tolist() == pytest.approx(expected, rel=1e-15)
        assert elementary.rounded(np.array([0.5, 1.5, -2.5])).tolist() == [0.0, 2.0, -2.0]
        assert elementary.absolute(np.array([-2.0])).tolist() == [2.0]

    def test_dimensions(self) -> None:
        for function in (elementary.log2, elementary.ln, elementary.exp, elementary.rounded):
            assert function(PLAIN).same(PLAIN)
            with pytest.raises(UnitError, match="a plain number is needed there"):
                function(BYTE)
        assert elementary.absolute(BYTE).same(BYTE)

    def test_algebra(self) -> None:
        x = sympy.Symbol("x", positive=True)
        assert elementary.absolute(-x) == x
        for function in (elementary.log2, elementary.ln, elementary.exp, elementary.rounded):
            with pytest.raises(RefusedValueError, match="of x cannot be part of an equation or a range"):
                function(x)
