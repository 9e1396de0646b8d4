"""Running a formula along every branch: the branches found must give what Python itself gives."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from symroof.branches import LIMIT, Branch, Traced, beside, explore
from symroof.elementary import ceil, floor, largest, smallest, sqrt, total
from symroof.errors import AuthoringError, InexactError, UnitError
from symroof.units import Dimension, quantity, unit

M, K, N = sympy.symbols("m k n", integer=True)  # of any sign: no comparison has an answer of its own
BYTE, SECOND = Dimension.of(unit("byte")), Dimension.of(unit("s"))


def guard(m: Any, k: Any) -> Any:
    if m > k:
        return m
    return 2 * k


def several(m: Any, k: Any) -> Any:
    if m < 0:
        found = -m
    elif m < 10:
        found = m + k
    elif m >= 100:
        found = k
    else:
        found = m * k
    return found + 1


def both(m: Any, k: Any) -> Any:
    return m if m > 0 and k > 0 else k


def either(m: Any, k: Any) -> Any:
    return m if m > 0 or k > 0 else k


def neither(m: Any, k: Any) -> Any:
    return m if not (m > 0 or not k > 0) else k - m


def chained(m: Any, k: Any) -> Any:
    return 1 if 0 <= m < k <= 50 else m + k


def of_three(m: Any, k: Any) -> Any:
    return max(m, k, 7) - min(m, 3, k)


def equal(m: Any, k: Any) -> Any:
    if m == 2:
        return k
    if k != m:
        return m
    return m * k


def truth(m: Any, k: Any) -> Any:
    return 10 if m else k


def nested(m: Any, k: Any) -> Any:
    if m > 5:
        if k > 5:
            return m - k
        return m
    return k if k > 3 else 0


def looping(m: Any, k: Any) -> Any:
    found = 0
    for bound in (10, 20, 30):
        if m > bound:
            found = found + k
    return found


def among(m: Any, k: Any) -> Any:
    return k if m in (1, 2, 3) else -k


def sorting(m: Any, k: Any) -> Any:
    low, middle, high = sorted([m, k, 5])
    return 100 * low + 10 * middle + high


def divided(m: Any, k: Any) -> Any:
    return m // 3 + k % 4 if abs(m) > k else +m


FORMULAS = [
    guard, several, both, either, neither, chained, of_three, equal, truth, nested, looping, among, sorting, divided,
]  # fmt: skip
each_formula = pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula.__name__)
WHOLE = st.integers(-120, 120)


def holding(branches: list[Branch], m: int, k: int) -> list[Any]:
    """The values of the branches whose conditions all have the answer that the branch assumes."""
    at = {M: m, K: k}

    def value(of: Any) -> Any:
        return sympy.sympify(of).subs(at)

    return [
        value(branch.value)
        for branch in branches
        if all(bool(value(condition)) == holds for condition, holds in branch.conditions)
    ]


class TestAgainstPython:
    @each_formula
    @settings(max_examples=40)
    @given(WHOLE, WHOLE)
    def test_on_symbols_one_branch_holds_and_gives_the_value(self, formula: Callable[..., Any], m: int, k: int) -> None:
        assert holding(explore(formula, {"m": M, "k": K}), m, k) == [formula(m, k)]

    @each_formula
    def test_on_columns(self, formula: Callable[..., Any]) -> None:
        points = [(m, k) for m in range(-7, 8) for k in range(-7, 8)] + [(15, 2), (25, 3), (35, 4), (200, 60), (5, 50)]
        columns = {"m": np.array([m for m, _ in points], float), "k": np.array([k for _, k in points], float)}
        found = np.full(len(points), np.nan)
        for branch in explore(formula, columns):
            holds = np.ones(len(points), bool)
            for condition, answer in branch.conditions:
                holds &= np.asarray(condition) == answer
            assert np.isnan(found[holds]).all()  # no point has two branches
            found[holds] = np.broadcast_to(branch.value, len(points))[holds]
        assert found.tolist() == [formula(m, k) for m, k in points]

    @each_formula
    @settings(max_examples=40)
    @given(WHOLE, WHOLE)
    def test_numbers_have_one_branch(self, formula: Callable[..., Any], m: int, k: int) -> None:
        for number in (int, Fraction, quantity, sympy.Integer):
            (branch,) = explore(formula, {"m": number(m), "k": number(k)})
            assert branch.conditions == ()
            assert branch.value == formula(m, k)


class TestBranches:
    def test_the_one_that_holds_comes_first(self) -> None:
        assert explore(guard, {"m": M, "k": K}) == [
            Branch(M, ((M > K, True),)),
            Branch(2 * K, ((M > K, False),)),
        ]

    def test_conditions_are_those_asked_on_the_way(self) -> None:
        first, second, third, fourth = (branch.conditions for branch in explore(several, {"m": M, "k": K}))
        assert first == ((M < 0, True),)
        assert second == ((M < 0, False), (M < 10, True))
        assert third == ((M < 0, False), (M < 10, False), (M >= 100, True))
        assert fourth == ((M < 0, False), (M < 10, False), (M >= 100, False))

    def test_and_asks_no_more_than_it_needs(self) -> None:
        assert [branch.conditions for branch in explore(both, {"m": M, "k": K})] == [
            ((M > 0, True), (K > 0, True)),
            ((M > 0, True), (K > 0, False)),
            ((M > 0, False),),
        ]

    def test_equality_on_symbols_is_a_condition(self) -> None:
        m = sympy.Symbol("m", positive=True)
        assert explore(lambda m: 1 if m == 2 else 3, {"m": m}) == [
            Branch(1, ((sympy.Eq(m, 2), True),)),
            Branch(3, ((sympy.Eq(m, 2), False),)),
        ]
        assert explore(lambda m: 1 if m != 2 else 3, {"m": m})[0].conditions == ((sympy.Ne(m, 2), True),)

    def test_what_always_holds_is_no_branch(self) -> None:
        m = sympy.Symbol("m", positive=True)
        for formula in (lambda m: 1 if m > 0 else 2, lambda m: 1 if m else 2, lambda m: 1 if m + 1 != 0 else 2):
            assert explore(formula, {"m": m}) == [Branch(1, ())]
        assert explore(lambda m: 1 if m < 0 else 2, {"m": m}) == [Branch(2, ())]

    def test_dimensions_take_every_branch(self) -> None:
        first, second = explore(lambda a, b: a if a > 2 * b else b / 3, {"a": BYTE, "b": BYTE})
        assert first.value.same(BYTE)
        assert second.value.same(BYTE)
        with pytest.raises(UnitError, match="comparing byte and s"):
            explore(lambda a, b: a if a > b else b, {"a": BYTE, "b": SECOND})
        with pytest.raises(UnitError, match="adding byte and s"):  # in the branch that no example takes
            explore(lambda a, b: a if a > 0 * a else a + b, {"a": BYTE, "b": SECOND})

    def test_values_come_out_bare(self) -> None:
        for value in (M, BYTE, np.array([1.0]), quantity(3, "s"), Fraction(1, 2)):
            (branch,) = explore(lambda x: x, {"x": value})
            assert branch.value is value
        assert explore(lambda m: "label", {"m": M}) == [Branch("label", ())]  # noqa: ARG005

    def test_64_branches_are_explored(self) -> None:
        def six(m: Any) -> Any:
            return total(*(1 if m > bound else 0 for bound in range(6)))

        def seven(m: Any) -> Any:
            return total(*(1 if m > bound else 0 for bound in range(7)))

        assert len(explore(six, {"m": M})) == 64
        with pytest.raises(AuthoringError) as caught:
            explore(seven, {"m": M})
        assert str(caught.value) == (
            "the formula has more than 64 branches\nuse largest or smallest, or split the step"
        )

    def test_a_loop_without_end_ends(self) -> None:
        def endless(m: Any) -> Any:
            while m > 3:
                m = m + 1
            return m

        with pytest.raises(AuthoringError) as caught:
            explore(endless, {"m": M})
        assert str(caught.value) == (
            "the formula makes more than 64 comparisons in one branch\n"
            "use largest, smallest or total, or split the step"
        )
        assert LIMIT == 64

    def test_errors_of_the_formula_pass(self) -> None:
        with pytest.raises(ZeroDivisionError):
            explore(lambda m: 1 / 0, {"m": M})  # noqa: ARG005


class TestTraced:
    @pytest.mark.parametrize(
        "function",
        [float, complex, math.sqrt, math.exp, math.log2],
        ids=["float", "complex", "math.sqrt", "math.exp", "math.log2"],
    )
    def test_no_float_is_made_of_it(self, function: Any) -> None:
        with pytest.raises(InexactError) as caught:
            explore(lambda m: [function(m)], {"m": M})
        assert str(caught.value) == (
            "the formula makes a float of its parameter (float(...), math.sqrt ...)\n"
            "use the functions of symroof: sqrt, ceil, floor, largest, smallest, total"
        )

    @pytest.mark.parametrize(
        "function",
        [int, round, lambda m: round(m, 2), math.ceil, math.floor, math.trunc, range, lambda m: [1, 2][m]],
        ids=["int", "round", "round 2", "math.ceil", "math.floor", "math.trunc", "range", "index"],
    )
    def test_no_python_number_is_made_of_it(self, function: Any) -> None:
        with pytest.raises(AuthoringError) as caught:
            explore(lambda m: [function(m)], {"m": M})
        assert str(caught.value) == (
            "the formula uses a parameter where Python needs a number at once (range, an index)\n"
            "write the closed form, or use the functions of symroof: total, ceil, floor"
        )

    @pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"])
    @pytest.mark.parametrize("other", [3, Fraction(3, 2), sympy.sqrt(2), K], ids=str)
    def test_arithmetic_on_symbols_is_exact(self, name: str, other: Any) -> None:
        function = getattr(operator, name)
        m = sympy.Symbol("m", positive=True)
        for formula, expected in (
            (lambda m: function(m, other), function(m, other)),
            (lambda m: function(other, m), None if isinstance(other, Fraction) else function(other, m)),
        ):
            if expected is None and name == "pow":
                continue  # Python makes a float of a Fraction before the power reaches the symbol
            (branch,) = explore(formula, {"m": m})
            wanted = function(sympy.sympify(other), m) if expected is None else expected
            assert branch.value == wanted
            assert not branch.value.has(sympy.Float)

    @pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq", "ne"])
    @pytest.mark.parametrize("other", [3, Fraction(3, 2), sympy.sqrt(2)], ids=str)
    def test_comparisons_either_way_round(self, name: str, other: Any) -> None:
        function = getattr(operator, name)
        for value in (1, 2, 3, 4):
            (branch,) = explore(lambda m: 1 if function(m, other) else 0, {"m": Fraction(value)})
            assert branch.value == int(bool(function(value, other)))
            (branch,) = explore(lambda m: 1 if function(other, m) else 0, {"m": Fraction(value)})
            assert branch.value == int(bool(function(other, value)))

    @pytest.mark.parametrize("number", [2, Fraction(1, 2), sympy.sqrt(2), sympy.Rational(1, 2)], ids=str)
    def test_a_column_stays_one_of_doubles(self, number: Any) -> None:
        column = np.array([1.0, 2.0, 5.0])
        nearest = float(number)
        for formula, expected in (
            (lambda x: x * number, column * nearest),
            (lambda x: number * x, nearest * column),
            (lambda x: number / x - x, nearest / column - column),
            (lambda x: largest(x, number), np.maximum(column, nearest)),
            (lambda x: smallest(number, x), np.minimum(nearest, column)),
            (lambda x: ceil(number * x), np.ceil(nearest * column)),
            (lambda x: floor(x + number), np.floor(column + nearest)),
            (lambda x: sqrt(x * number), np.sqrt(column * nearest)),
            (lambda x: total(number, x, number), nearest + column + nearest),
        ):
            (branch,) = explore(formula, {"x": column})
            assert branch.value.dtype == np.float64
            assert branch.value.tolist() == expected.tolist()
        first, _ = explore(lambda x: x if x > number else number, {"x": column})
        ((condition, _),) = first.conditions
        assert condition.tolist() == (column > nearest).tolist()

    def test_beside(self) -> None:
        column = np.array([1.0])
        assert beside((Fraction(1, 2), 3)) == (Fraction(1, 2), 3)
        found = beside((Fraction(1, 2), column, sympy.sqrt(4)))
        assert found == (0.5, column, 2.0)
        assert type(found[0]) is float

    def test_traced_values_are_not_hashable(self) -> None:
        assert Traced.__hash__ is None
