"""Exact numbers and printed figures, against the decimal module, plain integers and hand-made cases."""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy
import pytest
import sympy
from hypothesis import example, given
from hypothesis import strategies as st

from symroof.errors import InexactError, RefusedValueError
from symroof.numerals import (
    Figure,
    as_float,
    certain,
    count_figure,
    exact,
    figure,
    full_figure,
    full_text,
    sign,
)

SQRT = sympy.sqrt
FRACTIONS = st.builds(
    lambda above, below, power: Fraction(above, below) * Fraction(10) ** power,
    st.integers(-(10**12), 10**12),
    st.integers(1, 10**9),
    st.integers(-40, 40),
)
# sqrt(5 + 2 sqrt(6)) is sqrt(2) + sqrt(3), which SymPy does not see by itself.
HIDDEN_ZERO = SQRT(5 + 2 * SQRT(6)) - SQRT(2) - SQRT(3)


class TestExact:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (3, Fraction(3)),
            (Fraction(-1, 3), Fraction(-1, 3)),
            (numpy.int64(8192), Fraction(8192)),
            (sympy.Integer(7), Fraction(7)),
            (sympy.Rational(2, 6), Fraction(1, 3)),
            (SQRT(4), Fraction(2)),
            (HIDDEN_ZERO, Fraction(0)),
            ((1 + SQRT(2)) * (SQRT(2) - 1) - 1, Fraction(0)),
            (1 / (1 + SQRT(2)) - SQRT(2) + 1, Fraction(0)),
        ],
    )
    def test_a_rational_number_is_a_fraction(self, value: Any, expected: Fraction) -> None:
        found = exact(value)
        assert isinstance(found, Fraction)
        assert found == expected

    @pytest.mark.parametrize(
        "value",
        [
            *(SQRT(2), 1 + SQRT(3) / 2, sympy.log(2), sympy.pi, sympy.Max(SQRT(2), SQRT(3))),
            # SymPy does not see by itself that this divisor is not zero.
            (SQRT(2) + SQRT(3)) / (2 - sympy.Rational(1, 10**300) - 1 / (3 * SQRT(2) - 3 * SQRT(3))),
        ],
    )
    def test_an_irrational_one_stays_as_it_is(self, value: Any) -> None:
        assert exact(value) == value

    @pytest.mark.parametrize(
        ("value", "shown"),
        [(0.1, "0.1"), (numpy.float32(0.5), "0.5"), (numpy.float64(2), "2.0"), (sympy.Float(2), "2.0")],
    )
    def test_a_float_is_refused(self, value: Any, shown: str) -> None:
        with pytest.raises(InexactError) as caught:
            exact(value)
        assert str(caught.value) == (
            f"the float {shown} is not exact\n"
            "divide whole numbers last (x/2, 9*x/10), use symroof.sqrt for roots, or make the number a given"
        )

    @pytest.mark.parametrize(
        "value",
        [
            *(True, None, "3", [1], Decimal(1), sympy.Symbol("x"), sympy.true, sympy.oo, sympy.nan, sympy.zoo),
            *(sympy.I, SQRT(-2), 1 / HIDDEN_ZERO, sympy.Float(0.5) * SQRT(2)),
        ],
        ids=str,
    )
    def test_what_is_no_real_number_is_no_number(self, value: Any) -> None:
        with pytest.raises(TypeError, match="is not an exact real number"):
            exact(value)

    def test_size_is_bounded(self) -> None:
        assert exact(Fraction(1, 10**3_999)) == Fraction(1, 10**3_999)
        for value in (10**4_001, Fraction(1, 10**4_001), Fraction(3**9_000, 2**9_000), sympy.Integer(10) ** 4_001):
            with pytest.raises(RefusedValueError) as caught:
                exact(value)
            assert str(caught.value) == (
                "an exact number has more than 4,000 digits\ncalculate with smaller or rounder numbers"
            )

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (Fraction(-3), -1),
            (Fraction(0), 0),
            (Fraction(1, 10**9), 1),
            (SQRT(2) - 2, -1),
            (SQRT(2), 1),
            (HIDDEN_ZERO, 0),
            # sqrt(10^900 + 1) - 10^450 is about 5e-451: 450 digits cancel.
            (SQRT(sympy.Integer(10) ** 900 + 1) - sympy.Integer(10) ** 450, 1),
            (SQRT(sympy.Integer(10) ** 900 - 1) - sympy.Integer(10) ** 450, -1),
        ],
    )
    def test_sign(self, value: Any, expected: int) -> None:
        assert sign(value) == expected

    def test_whole_part_of_what_lies_close_to_a_whole_number(self) -> None:
        # sqrt(n^2 + 1) is above n and sqrt(n^2 - 1) below it, by about 10^-200.
        n = sympy.Integer(10) ** 200
        assert certain(SQRT(n**2 + 1), math.floor) == 10**200
        assert certain(SQRT(n**2 + 1), math.ceil) == 10**200 + 1
        assert certain(SQRT(n**2 - 1), math.floor) == 10**200 - 1

    def test_what_is_whole_in_disguise(self) -> None:
        assert certain((SQRT(2) + 1) * (SQRT(2) - 1), math.floor) == 1
        assert certain(HIDDEN_ZERO + 5, math.ceil) == 5

    def test_what_cannot_be_decided_is_an_error(self) -> None:
        # Seven roots that cancel are more than a minimal polynomial is tried for.
        pairs = [(2, 3), (5, 7), (11, 13)]
        zero = sum(SQRT(a + b + 2 * SQRT(a * b)) - SQRT(a) - SQRT(b) for a, b in pairs)
        with pytest.raises(InexactError) as caught:
            sign(zero)
        assert caught.value.problem.startswith("5,120 digits of the irrational number -sqrt(13) - sqrt(11) - ")
        assert caught.value.problem.endswith("... do not decide how it is rounded")
        assert caught.value.hint == "simplify the roots in it, or ask for fewer digits"


class TestFigure:
    @pytest.mark.parametrize(
        ("value", "digits", "text"),
        [
            (Fraction(0), 4, "0"),
            (Fraction(312), 4, "312"),
            (Fraction(312_0004, 10_000), 4, "312.0"),  # rounded, so the zero counts
            (Fraction(2147483648, 76171875), 4, "28.19"),  # 28.192605...
            (Fraction(2147483648, 76171875), 7, "28.19261"),
            (Fraction(1022361600, 3097649), 7, "330.0444"),  # 330 + 137430/3097649 = 330.04436...
            (Fraction(1, 3), 4, "0.3333"),
            (Fraction(2, 3), 4, "0.6667"),
            (Fraction(-2, 3), 4, "-0.6667"),
            (Fraction(1, 8), 4, "0.125"),
            (Fraction(1, 10_000), 4, "0.0001"),
            (Fraction(1, 100_000), 4, "1e-5"),
            (Fraction(12345, 10), 4, "1234"),  # half to even: 1234.5
            (Fraction(12355, 10), 4, "1236"),  # 1235.5
            (Fraction(12345, 10) + Fraction(1, 10**50), 4, "1235"),
            (Fraction(99996, 10_000), 4, "10.00"),
            (Fraction(99995, 10_000), 4, "10.00"),  # 9.9995 to even is 10.00
            (Fraction(99985, 10_000), 4, "9.998"),
            (Fraction(99999), 4, "1.000e5"),
            (Fraction(9999), 4, "9999"),
            (Fraction(10_000), 4, "1e4"),
            (Fraction(312 * 10**12), 4, "3.12e14"),
            (Fraction(10) ** 300, 4, "1e300"),
            (Fraction(2) ** -1074, 4, "4.941e-324"),
            (Fraction(7, 3 * 10**3000), 4, "2.333e-3000"),
            (Fraction(15), 1, "2e1"),
            (Fraction(25), 1, "2e1"),
            (Fraction(35), 1, "4e1"),
        ],
    )
    def test_significant_digits(self, value: Fraction, digits: int, text: str) -> None:
        assert figure(value, digits).text() == text

    @pytest.mark.parametrize(
        ("value", "decimals", "text"),
        [
            (Fraction(2147483648, 76171875), 4, "28.1926"),
            (Fraction(1, 8), 2, "0.12"),
            (Fraction(3, 8), 2, "0.38"),
            (Fraction(-1, 8), 2, "-0.12"),
            (Fraction(0), 3, "0.000"),
            (Fraction(5, 2), 0, "2"),
            (Fraction(312), 2, "312.00"),
            (Fraction(1, 10_000), 3, "0.0001"),  # never 0.000 for what is not 0
            (Fraction(-1, 30_000), 3, "-3.333e-5"),
            (Fraction(1, 2_000), 3, "0.0005"),  # to even it would be 0.000
            (Fraction(10**20), 1, "100000000000000000000.0"),
        ],
    )
    def test_decimals(self, value: Fraction, decimals: int, text: str) -> None:
        assert figure(value, decimals=decimals).text() == text

    @given(FRACTIONS, st.integers(1, 30))
    @example(Fraction(12345, 10), 4)
    @example(Fraction(99995, 10_000), 4)
    def test_agrees_with_the_decimal_module(self, value: Fraction, digits: int) -> None:
        context = decimal.Context(prec=digits, rounding=decimal.ROUND_HALF_EVEN, Emax=10**6, Emin=-(10**6))
        expected = context.divide(Decimal(value.numerator), Decimal(value.denominator))
        text = figure(value, digits).text()
        assert Decimal(text) == expected
        shown = len(text.partition("e")[0].replace("-", "").replace(".", "").lstrip("0"))
        if Fraction(text) == value:
            assert not ("." in text and text.partition("e")[0].endswith("0"))
        else:
            assert shown == digits

    @given(FRACTIONS, st.integers(0, 12))
    def test_decimals_agree_with_whole_numbers(self, value: Fraction, decimals: int) -> None:
        text = figure(value, decimals=decimals).text()
        below, rest = divmod(abs(value.numerator) * 10**decimals, value.denominator)
        units = below + (2 * rest > value.denominator or (2 * rest == value.denominator and below % 2))
        if units or not value:
            assert Fraction(text) == (-1 if value < 0 else 1) * Fraction(units, 10**decimals)
            assert len(text.partition(".")[2]) == decimals
        else:
            assert Fraction(text) != 0

    @given(st.integers(2, 10**30).filter(lambda n: math.isqrt(n) ** 2 != n), st.integers(1, 60))
    def test_square_roots_agree_with_the_decimal_module(self, n: int, digits: int) -> None:
        # Decimal.sqrt is correctly rounded, half to even.
        expected = decimal.Context(prec=digits, rounding=decimal.ROUND_HALF_EVEN).sqrt(Decimal(n))
        assert Decimal(figure(SQRT(n), digits).text()) == expected

    @given(st.lists(st.tuples(st.integers(-99, 99), st.integers(2, 9_999)), min_size=1, max_size=4), st.integers(1, 20))
    def test_sums_of_roots_agree_with_the_decimal_module(self, terms: list[tuple[int, int]], digits: int) -> None:
        value = exact(sum((factor * SQRT(n) for factor, n in terms), sympy.Integer(0)))
        with decimal.localcontext(decimal.Context(prec=120)):
            total = sum((factor * Decimal(n).sqrt() for factor, n in terms), Decimal(0))
        if abs(total) < Decimal("1e-100"):
            assert value == 0
        else:
            rounded = decimal.Context(prec=digits, rounding=decimal.ROUND_HALF_EVEN).plus(total)
            assert Decimal(figure(value, digits).text()) == rounded

    def test_at_a_rounding_boundary(self) -> None:
        # r = 1234.5 * 10^31 lies half way between two figures of four digits; the roots lie 10^-35 beside it.
        r = sympy.Integer(12345) * sympy.Integer(10) ** 30
        assert figure(exact(SQRT(r**2))).text() == "1.234e34"
        assert figure(SQRT(r**2 + 1)).text() == "1.235e34"
        assert figure(SQRT(r**2 - 1)).text() == "1.234e34"
        assert figure(SQRT((r + 1) ** 2 - 1) / 10**34, decimals=3).text() == "1.235"

    @pytest.mark.parametrize(
        ("value", "decimals", "text"),
        [
            (HIDDEN_ZERO + sympy.Rational(1, 2), 0, "0.5000"),  # half to even is 0, which a value other than 0 is not
            (HIDDEN_ZERO + sympy.Rational(5, 2), 0, "2"),
            ((SQRT(2) + 1) * (SQRT(2) - 1) / 8, 2, "0.12"),
            (HIDDEN_ZERO, 2, "0.00"),
            (SQRT(2), 60, "1.414213562373095048801688724209698078569671875376948073176680"),
            (SQRT(10**10 + 1) - 10**5, 3, "5.000e-6"),
        ],
    )
    def test_roots_by_decimals(self, value: Any, decimals: int, text: str) -> None:
        assert figure(value, decimals=decimals).text() == text

    def test_golden_ratio(self) -> None:
        assert figure((1 + SQRT(5)) / 2, 50).text() == "1.6180339887498948482045868343656381177203091798058"

    def test_for_maths_mode(self) -> None:
        assert Figure(True, "1048576", "", 0).latex() == r"-1\,048\,576"
        assert Figure(False, "1234", "5", 0).latex() == "1234.5"
        assert figure(Fraction(10**14 * 312, 100)).latex() == r"3.12 \times 10^{14}"
        assert figure(Fraction(1, 3 * 10**9)).latex() == r"3.333 \times 10^{-10}"


class TestWrittenInFull:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (1_048_576, "1048576"),
            (312_000_000_000_000, "312000000000000"),
            (-5, "-5"),
            (0, "0"),
            (10**15, "1e15"),
            (10**15 + 1, "1.000e15"),
        ],
    )
    def test_counts(self, value: int, text: str) -> None:
        assert count_figure(Fraction(value)).text() == text

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (Fraction(1_048_576), "1048576"),
            (Fraction(13, 10), "1.3"),
            (Fraction(1, 3), "1/3"),
            (Fraction(-22, 7), "-22/7"),
            (Fraction(1, 10**300), "1e-300"),
            (Fraction(123456789012345), "123456789012345"),
            (Fraction(1234567890123456), "1234567890123456"),
            (SQRT(2), "sqrt(2)"),
        ],
    )
    def test_nothing_is_lost(self, value: Any, text: str) -> None:
        assert full_text(value) == text

    @given(FRACTIONS)
    def test_full_text_reads_back(self, value: Fraction) -> None:
        assert Fraction(full_text(value)) == value

    def test_no_figure_without_end(self) -> None:
        assert full_figure(Fraction(1, 3)) is None
        assert full_figure(SQRT(2)) is None
        assert full_figure(Fraction(1, 8)) == Figure(False, "0", "125", 0)


class TestFloat:
    @given(FRACTIONS)
    def test_of_a_fraction(self, value: Fraction) -> None:
        nearest = as_float(value)
        assert nearest is not None
        # No neighbouring double is closer.
        off = abs(Fraction(nearest) - value)
        for neighbour in (math.nextafter(nearest, math.inf), math.nextafter(nearest, -math.inf)):
            assert off <= abs(Fraction(neighbour) - value)

    @given(st.integers(2, 2**53))
    def test_of_a_root(self, n: int) -> None:
        assert as_float(exact(SQRT(n))) == math.sqrt(n)  # IEEE square roots are correctly rounded

    @pytest.mark.parametrize(
        "value",
        [
            *(Fraction(10) ** 400, -(Fraction(10) ** 400), Fraction(1, 10**400)),
            *(SQRT(2) * sympy.Integer(10) ** 400, SQRT(2) / sympy.Integer(10) ** 400),
        ],
    )
    def test_none_outside_its_range(self, value: Any) -> None:
        assert as_float(value) is None

    def test_ends(self) -> None:
        assert as_float(Fraction(0)) == 0.0
        assert as_float(Fraction(2) ** -1074) == 5e-324
        assert as_float(Fraction(2**53 - 1) * 2**971) == 1.7976931348623157e308
