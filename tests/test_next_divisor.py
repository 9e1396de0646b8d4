"""The smallest divisor of a whole number that is not below another, in all readings."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pint
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from symroof import Derivation, ceil, next_divisor
from symroof.algebra import Algebra
from symroof.as_written import formula, source_line
from symroof.branches import explore
from symroof.check import check
from symroof.errors import InexactError, RefusedValueError, UnitError
from symroof.forms import Writer
from symroof.settings import Settings
from symroof.sweeps import sweep
from symroof.units import Dimension, quantity, unit
from tests.conftest import Command

BYTE, PLAIN = Dimension.of(unit("byte")), Dimension({})
X, N = sympy.symbols("x n", positive=True)


def scanned(whole: int, at_least: int) -> int:
    """By trying one number after the other."""
    return next(number for number in range(at_least, whole + 1) if whole % number == 0)


class TestNumbers:
    @given(st.integers(1, 3000).flatmap(lambda whole: st.tuples(st.just(whole), st.integers(1, whole))))
    def test_against_a_scan(self, pair: tuple[int, int]) -> None:
        found = next_divisor(*pair)
        assert found == scanned(*pair)
        assert isinstance(found, Fraction)

    @pytest.mark.parametrize(
        ("whole", "at_least", "expected"),
        [
            (2**20, 3, 4),
            (2**20, 2**19 + 1, 2**20),
            (12, 1, 1),
            (12, 5, 6),
            (12, 6, 6),
            (13, 2, 13),
            (1, 1, 1),
            (Fraction(36), sympy.Integer(5), 6),
            (10**12, 10**6 + 1, 2**4 * 5**7),  # 1250000
            (999_999_999_989, 2, 999_999_999_989),  # the largest prime below 10^12
        ],
    )
    def test_values(self, whole: Any, at_least: Any, expected: int) -> None:
        assert next_divisor(whole, at_least) == expected

    def test_quantities(self) -> None:
        found = next_divisor(quantity(12), quantity(500, "%"))
        assert isinstance(found, pint.Quantity)
        assert (found.magnitude, str(found)) == (6, "6")
        assert next_divisor(12, quantity(5)).magnitude == 6

    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            ((12, 13), "no divisor of 12 is 13 or more\nthe largest divisor of 12 is 12 itself"),
            ((12, Fraction(5, 2)), "2.5 in next_divisor\nwhole numbers from 1 up are needed there"),
            ((12, 0), "0 in next_divisor\nwhole numbers from 1 up are needed there"),
            ((-12, 1), "-12 in next_divisor\nwhole numbers from 1 up are needed there"),
            ((12, sympy.sqrt(2)), "1.414 in next_divisor\nwhole numbers from 1 up are needed there"),
            ((10**12 + 1, 3), "the divisors of 1000000000001 are not searched\nuse whole numbers up to 10^12"),
            ((10**300, 3), "the divisors of 1e300 are not searched\nuse whole numbers up to 10^12"),
        ],
    )
    def test_what_has_none(self, arguments: tuple[Any, Any], error: str) -> None:
        for one, other in (arguments, tuple(map(quantity, arguments))):
            with pytest.raises(RefusedValueError) as caught:
                next_divisor(one, other)
            assert str(caught.value) == error

    def test_what_is_no_plain_number(self) -> None:
        with pytest.raises(UnitError) as caught:
            next_divisor(quantity(12), quantity(3, "B"))
        assert str(caught.value) == "byte in next_divisor\na plain number is needed there"
        with pytest.raises(InexactError, match=r"^the float 3\.0 is not exact\n"):
            next_divisor(12, 3.0)


class TestOtherReadings:
    def test_dimensions(self) -> None:
        for arguments in ((PLAIN, PLAIN), (12, PLAIN), (PLAIN, Fraction(3))):
            assert next_divisor(*arguments).same(PLAIN)
        for whole, at_least in ((PLAIN, BYTE), (BYTE, PLAIN), (12, BYTE)):
            with pytest.raises(UnitError) as caught:
                next_divisor(whole, at_least)
            assert str(caught.value) == "byte in next_divisor\na plain number is needed there"
        with pytest.raises(InexactError):
            next_divisor(PLAIN, 0.5)

    def test_columns(self) -> None:
        least = np.array([1.0, 5.0, 7.0, 12.0])
        assert next_divisor(12, least).tolist() == [1, 6, 12, 12]
        assert next_divisor(np.array([12.0, 15.0, 16.0, 13.0]), least).tolist() == [1, 5, 8, 13]
        assert next_divisor(np.float64(12), 5) == 6
        assert next_divisor(12, least).dtype == np.float64

    def test_columns_are_nan_where_there_is_none(self) -> None:
        found = next_divisor(12, np.array([13.0, 0.0, 2.5, np.nan, np.inf, 5.0]))
        assert np.isnan(found).tolist() == [True] * 5 + [False]

    def test_symbols(self) -> None:
        held = next_divisor(N, X)
        assert held.free_symbols == {N, X}
        assert (held.is_integer, held.is_positive) == (True, True)
        assert held.subs({N: 12, X: 5}) == 6
        assert held.xreplace({N: sympy.Integer(12), X: sympy.Integer(5)}) == 6
        for nothing in (13, 0, sympy.Rational(5, 2)):
            assert held.subs({N: 12, X: nothing}) is sympy.nan
        assert sympy.diff(X * held, X) == held

    def test_written(self) -> None:
        writer = Writer(["n", "x"], {"x": "x", "n": "n"})
        for held, inside in ((next_divisor(N, X), ("n, x", "n, x")), (next_divisor(X, 2 * N), ("x, 2*n", "x, 2 n"))):
            assert writer.text(held) == f"next_divisor({inside[0]})"
            assert writer.latex(held) == rf"\mathrm{{nextdivisor}}\left( {inside[1]} \right)"

    @pytest.mark.parametrize(
        "formula",
        [
            lambda a, b: next_divisor(a, ceil(b / 2)) * b,
            lambda a, b: next_divisor(a, b) if a % b == 0 else a + next_divisor(2 * a, b),
        ],
    )
    def test_traced(self, formula: Callable[..., Any]) -> None:
        """Within a formula, along its branches, the readings agree."""
        points = [(12, 5), (12, 4), (30, 7), (7, 7)]
        symbolic = explore(formula, {"a": N, "b": X})
        columns = {"a": np.array([float(a) for a, _ in points]), "b": np.array([float(b) for _, b in points])}
        swept = explore(formula, columns)
        for at, (a, b) in enumerate(points):
            plain = formula(quantity(a), quantity(b)).magnitude
            values = {N: sympy.Integer(a), X: sympy.Integer(b)}
            by_algebra = [
                branch.value.xreplace(values)
                for branch in symbolic
                if all(bool(condition.subs(values)) == holds for condition, holds in branch.conditions)
            ]
            by_sweep = [
                int(branch.value[at])
                for branch in swept
                if all(condition[at] == holds for condition, holds in branch.conditions)
            ]
            assert by_algebra == by_sweep == [plain]
        assert all(branch.value.same(PLAIN) for branch in explore(formula, {"a": PLAIN, "b": PLAIN}))


def shares() -> Derivation:
    made = Derivation("shares")
    made.given("m", count=True)
    made.given("n", count=True, default=12)
    made.given("x", default=3)

    @made.step()
    def parts(n: Any, m: Any) -> Any:
        return next_divisor(n, ceil(m / 2))

    @made.step()
    def cost(x: Any, m: Any, parts: Any) -> Any:
        return x * m / parts

    made.worked(at={"m": 9})
    return made


SHARES = shares()


class TestInADerivation:
    def test_values(self) -> None:
        assert SHARES.at(m=9).number("parts") == 6
        assert SHARES.at(m=9, x="1/2").number("cost") == Fraction(3, 4)
        with pytest.raises(RefusedValueError, match=r"^step parts: no divisor of 12 is 13 or more\n"):
            SHARES.at(m=25)["parts"]

    def test_check(self) -> None:
        outcome = check(Settings(SHARES, {"m": 9}))
        assert outcome.passed
        assert outcome.sections["readings"].checked == 5  # the parser has no next_divisor to read one of the two back

    def test_written(self) -> None:
        step = SHARES.steps["parts"]
        assert formula(SHARES, step) == r"\min\left\{ d \ge \left\lceil \frac{m}{2} \right\rceil : d \mid n \right\}"
        assert source_line(step) == "next_divisor(n, ceil(m/2))"
        algebra = Algebra(SHARES)
        assert algebra.writer.text(algebra.step("parts")) == "next_divisor(n, ceil(m/2))"

    def test_swept(self) -> None:
        (_, column) = sweep(Settings(SHARES), {"m": range(1, 25)}, ["parts"])
        assert column.values.tolist() == [scanned(12, (m + 1) // 2) for m in range(1, 25)]
        with pytest.raises(RefusedValueError, match=r"^parts is not a finite number at m = 25\n"):
            sweep(Settings(SHARES), {"m": [25]}, ["parts"])

    def test_solving(self) -> None:
        """Beside the unknown it is a number; around the unknown it is refused."""
        (root,) = SHARES.solve("cost = 3", for_="x", m=9).roots
        assert root.value.magnitude == 2
        for unknown in ("m", "n"):
            for relation in ("parts = 6", "cost = 3"):
                with pytest.raises(RefusedValueError) as caught:
                    SHARES.solve(relation, for_=unknown, m=9)
                assert str(caught.value) == (f"the equation is not algebraic in {unknown}\nsolve it for another symbol")


def test_from_a_file(tmp_path: Path, call: Command) -> None:
    file = tmp_path / "shares.py"
    file.write_text(
        '"""How many shares?"""\n'
        "from symroof import Derivation, next_divisor\n"
        'd = Derivation("shares")\n'
        'd.given("n", count=True, default=12)\n'
        'd.given("g", count=True, default=5)\n'
        "@d.step()\n"
        "def parts(n, g):\n"
        '    """The fewest equal shares."""\n'
        "    return next_divisor(n, g)\n"
    )
    assert call("eval", str(file), "parts").out == "parts = 6\n"
    assert "= next_divisor(12, 5)\n" in call("show", str(file)).out
