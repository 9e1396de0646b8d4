"""Interval arithmetic: each operation on known intervals, and that nothing ever lies outside."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.errors import RefusedValueError
from symroof.intervals import (
    FLAT,
    UNKNOWN,
    Interval,
    Slope,
    Varying,
    largest,
    largest_of,
    smallest,
    smallest_of,
)

pytestmark = pytest.mark.slow

RELATIONS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def between(low: int | str, high: int | str) -> Interval:
    return Interval(Fraction(low), Fraction(high))


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (between(1, 2) + between(-3, 5), between(-2, 7)),
        (between(1, 2) + 3, between(4, 5)),
        (3 + between(1, 2), between(4, 5)),
        (-between(1, 2), between(-2, -1)),
        (between(1, 2) - between(-3, 5), between(-4, 5)),
        (between(1, 2) - Fraction(1, 2), between("1/2", "3/2")),
        (3 - between(1, 2), between(1, 2)),
        (between(1, 2) * between(3, 4), between(3, 8)),
        (between(-1, 2) * between(3, 4), between(-4, 8)),
        (between(-1, 2) * between(-3, 4), between(-6, 8)),
        (between(-2, -1) * between(-4, -3), between(3, 8)),
        (between(-1, 2) * 0, between(0, 0)),
        (2 * between(-1, 2), between(-2, 4)),
        (between(1, 2) / between(3, 4), between("1/4", "2/3")),
        (between(-1, 2) / between(-4, -3), between("-2/3", "1/3")),
        (1 / between(2, 4), between("1/4", "1/2")),
        (between(1, 2) / 4, between("1/4", "1/2")),
        (between(2, 3) ** 2, between(4, 9)),
        (between(-2, 3) ** 2, between(0, 9)),
        (between(-3, 2) ** 2, between(0, 9)),
        (between(-3, -2) ** 2, between(4, 9)),
        (between(-2, 3) ** 3, between(-8, 27)),
        (between(-2, 3) ** 0, between(1, 1)),
        (between(2, 3) ** -1, between("1/3", "1/2")),
        (between(-3, -2) ** -1, between("-1/2", "-1/3")),
        (between(-3, -2) ** -2, between("1/9", "1/4")),
        (abs(between(1, 2)), between(1, 2)),
        (abs(between(-2, -1)), between(1, 2)),
        (abs(between(-3, 2)), between(0, 3)),
        (between("1/2", "5/2").ceil(), between(1, 3)),
        (between("-5/2", 2).ceil(), between(-2, 2)),
        (between("1/2", "5/2").floor(), between(0, 2)),
        (between("-5/2", 2).floor(), between(-3, 2)),
        (between("25/9", 4).sqrt(), between("5/3", 2)),
        (between(0, 9).sqrt(), between(0, 3)),
        (largest(between(1, 4), between(2, 3)), between(2, 4)),
        (largest(between(1, 2), between(3, 4), between(0, 9)), between(3, 9)),
        (smallest(between(1, 4), between(2, 3)), between(1, 3)),
        (between(1, 2).hull(between(4, 5)), between(1, 5)),
    ],
)
def test_an_operation_gives_exactly_the_numbers_it_can_give(found: Interval, expected: Interval) -> None:
    assert found == expected


@pytest.mark.parametrize("power", [-1, -2, -3])
@pytest.mark.parametrize("divisor", [between(-1, 2), between(0, 2), between(-2, 0), between(0, 0)])
def test_a_divisor_that_can_be_zero_is_refused(divisor: Interval, power: int) -> None:
    with pytest.raises(RefusedValueError, match=r"^the divisor can be zero: it lies in ") as caught:
        divisor**power
    assert caught.value.hint == "narrow the range of the divisor"


def test_a_division_by_an_interval_with_zero_says_where_it_lies() -> None:
    with pytest.raises(RefusedValueError, match=r"it lies in 0\.\.1\.555e12"):
        1 / between(0, 1555 * 10**9)


def test_a_root_of_what_can_be_negative_is_refused() -> None:
    with pytest.raises(RefusedValueError, match=r"^the radicand can be negative: it lies in -0\.5\.\.4"):
        between("-1/2", 4).sqrt()


def test_the_low_end_is_not_above_the_high_end() -> None:
    with pytest.raises(ValueError, match="2 is above 1"):
        between(2, 1)


def test_an_interval_in_parts() -> None:
    assert between(1, 4).halves() == (between(1, "5/2"), between("5/2", 4))
    assert 1 in between(1, 4)
    assert Fraction(4) in between(1, 4)
    assert Fraction(401, 100) not in between(1, 4)
    assert Interval.point(3).is_point
    assert not between(1, 4).is_point
    assert str(between("1/3", 8192)) == "0.3333..8192"


@pytest.mark.parametrize(
    ("left", "right", "holding", "failing"),
    [
        (between(1, 2), between(3, 4), {"<", "<=", "!="}, {">", ">=", "=="}),
        (between(1, 2), between(2, 4), {"<="}, {">"}),
        (between(1, 3), between(2, 4), set(), set()),
        (between(2, 4), between(1, 2), {">="}, {"<"}),
        (between(3, 4), between(1, 2), {">", ">=", "!="}, {"<", "<=", "=="}),
        (between(2, 2), between(2, 2), {"<=", ">=", "=="}, {"<", ">", "!="}),
    ],
)
def test_a_comparison_holds_always_never_or_in_part(
    left: Interval, right: Interval, holding: set[str], failing: set[str]
) -> None:
    answers = {relation: left.holds(relation, right) for relation in RELATIONS}
    assert {relation for relation, answer in answers.items() if answer is True} == holding
    assert {relation for relation, answer in answers.items() if answer is False} == failing


# -- nothing lies outside

numbers = st.fractions(-20, 20, max_denominator=12)
shares = st.fractions(0, 1, max_denominator=16)


@st.composite
def intervals_with_a_number(draw: st.DrawFn) -> tuple[Interval, Fraction]:
    low, high = sorted((draw(numbers), draw(numbers)))
    return Interval(low, high), low + (high - low) * draw(shares)


@given(intervals_with_a_number(), intervals_with_a_number())
def test_results_of_two_numbers_lie_in_the_result_of_their_intervals(
    one: tuple[Interval, Fraction], other: tuple[Interval, Fraction]
) -> None:
    (left, x), (right, y) = one, other
    for operation in (operator.add, operator.sub, operator.mul):
        assert operation(x, y) in operation(left, right)
        assert operation(x, 3) in operation(left, 3)
        assert operation(3, x) in operation(3, left)
    if 0 not in right:
        assert x / y in left / right
    assert max(x, y) in largest(left, right)
    assert min(x, y) in smallest(left, right)
    assert x in left.hull(right)
    assert y in left.hull(right)
    for relation, compare in RELATIONS.items():
        assert left.holds(relation, right) in (None, compare(x, y))


@given(intervals_with_a_number(), st.integers(-4, 5))
def test_the_result_of_a_number_lies_in_the_result_of_its_interval(one: tuple[Interval, Fraction], power: int) -> None:
    interval, x = one
    assert abs(x) in abs(interval)
    assert -x in -interval
    assert math.ceil(x) in interval.ceil()
    assert math.floor(x) in interval.floor()
    if power >= 0 or 0 not in interval:
        assert x**power in interval**power
    assert any(x in half for half in interval.halves())


@given(st.fractions(0, 10**9, max_denominator=10**6))
def test_a_root_is_enclosed_outwards_and_closely(number: Fraction) -> None:
    root = Interval.point(number).sqrt()
    assert root.low**2 <= number <= root.high**2
    assert root.high - root.low <= root.high / 2**120
    assert Interval.point(number**2).sqrt() == Interval.point(number)


# -- slopes


@pytest.mark.parametrize(
    ("slope", "sign"),
    [
        (Slope(Fraction(0), Fraction(0)), 0),
        (Slope(Fraction(0), Fraction(2)), 1),
        (Slope(Fraction(1), None), 1),
        (Slope(Fraction(-2), Fraction(0)), -1),
        (Slope(None, Fraction(-1)), -1),
        (Slope(Fraction(-1), Fraction(1)), None),
        (Slope(Fraction(-1), None), None),
        (UNKNOWN, None),
    ],
)
def test_the_sign_of_a_slope(slope: Slope, sign: int | None) -> None:
    assert slope.sign == sign


def test_slopes_without_a_bound_keep_their_sign() -> None:
    rising, falling = Slope(Fraction(0), None), Slope(None, Fraction(0))
    assert rising + Slope(Fraction(2), Fraction(3)) == Slope(Fraction(2), None)
    assert rising + falling == UNKNOWN
    assert rising.hull(Slope(Fraction(-1), Fraction(1))) == Slope(Fraction(-1), None)
    assert rising.times(between(2, 3)) == rising
    assert rising.times(between(-3, -2)) == falling
    assert falling.times(between(-3, 0)) == rising
    assert rising.times(between(-1, 1)) == UNKNOWN
    assert UNKNOWN.times(between(0, 0)) == FLAT
    assert Slope(Fraction(2), Fraction(3)).stepping() == rising
    assert Slope(Fraction(-3), Fraction(5)).stepping() == UNKNOWN


def test_a_slope_that_is_known_never_to_fall_is_not_negative() -> None:
    assert Slope(Fraction(-3), Fraction(5)).narrowed(1) == Slope(Fraction(0), Fraction(5))
    assert Slope(Fraction(-3), Fraction(5)).narrowed(-1) == Slope(Fraction(-3), Fraction(0))
    assert UNKNOWN.narrowed(1) == Slope(Fraction(0), None)
    assert UNKNOWN.narrowed(0) == FLAT


def varying(name: str, low: int | str, high: int | str) -> Varying:
    return Varying(between(low, high), {name: Slope(Fraction(1), Fraction(1))})


X = varying("x", 2, 3)


def test_the_chain_rule() -> None:
    assert (X * X).slopes == {"x": Slope(Fraction(4), Fraction(6))}
    assert X.power(3).slopes == {"x": Slope(Fraction(12), Fraction(27))}
    assert X.power(-1).slopes == {"x": Slope(Fraction(-1, 4), Fraction(-1, 9))}
    assert (X + -X).slopes["x"] == FLAT
    assert varying("x", 4, 9).sqrt().slopes == {"x": Slope(Fraction(1, 6), Fraction(1, 4))}
    assert varying("x", 0, 9).sqrt().slopes == {"x": Slope(Fraction(0), None)}
    assert (X + varying("y", 0, 1)).slopes == {name: Slope(Fraction(1), Fraction(1)) for name in ("x", "y")}
    assert abs(varying("x", -2, -1)).slopes == {"x": Slope(Fraction(-1), Fraction(-1))}
    assert abs(varying("x", -2, 1)) == Varying(between(0, 2), {"x": Slope(Fraction(-1), Fraction(1))})


def test_a_step_has_a_sign_and_no_bound() -> None:
    assert X.ceil() == Varying(between(2, 3), {"x": Slope(Fraction(0), None)})
    assert (-X).floor() == Varying(between(-3, -2), {"x": Slope(None, Fraction(0))})
    assert varying("x", "1/3", "2/3").ceil() == Varying(Interval.point(1))


def test_only_what_can_be_the_largest_moves_the_largest() -> None:
    low, middle, high = varying("a", 0, 1), varying("b", 2, 5), varying("c", 4, 6)
    assert largest_of([low, middle]) == middle
    assert smallest_of([low, middle]) == low
    assert set(largest_of([low, middle, high]).slopes) == {"b", "c"}
    assert largest_of([middle, high]) == Varying(
        between(4, 6), {name: Slope(Fraction(0), Fraction(1)) for name in ("b", "c")}
    )


def test_a_power_that_varies() -> None:
    found = Varying(between(2, 2)).to_the(varying("x", "1/2", "5/2"))
    assert found == Varying(between(1, 8), {"x": Slope(Fraction(0), None)})
    assert X.to_the(Varying(between(-2, -1))).slopes == {"x": Slope(None, Fraction(0))}
    assert varying("x", "1/3", "1/2").to_the(varying("y", 1, 2)) == Varying(
        between("1/9", "1/2"), {"x": Slope(Fraction(0), None), "y": Slope(None, Fraction(0))}
    )


@pytest.mark.parametrize(
    ("refused", "problem"),
    [
        (lambda x: x.power(-1), "a divisor can be zero: it lies in -1..1"),
        (lambda x: x.sqrt(), "the radicand of a square root can be negative: it lies in -1..1"),
        (lambda x: x.to_the(x), "the base of a varying power can be zero or negative: it lies in -1..1"),
    ],
)
def test_what_is_refused_names_the_input_to_narrow(refused: Callable[[Varying], Varying], problem: str) -> None:
    both = Varying(between(-1, 1), {"m": FLAT, "beta": FLAT})
    with pytest.raises(RefusedValueError) as caught:
        refused(both)
    assert (caught.value.problem, caught.value.hint) == (problem, "narrow the range of m and beta")


def test_a_divisor_that_is_zero_whatever_the_inputs_are() -> None:
    with pytest.raises(RefusedValueError, match=r"^a divisor is zero\nset other values$"):
        Varying(Interval.point(0)).power(-1)


# -- random formulas of two inputs

Tree: TypeAlias = "tuple[str, *tuple[Tree, ...]] | str | Fraction"
BINARY = ("add", "mul", "max", "min")
UNARY = ("square", "cube", "inverse", "ceil", "floor", "abs", "negative")

trees: st.SearchStrategy[Tree] = st.recursive(
    st.sampled_from(["x", "y"]) | st.fractions(-4, 4, max_denominator=3),
    lambda inner: st.tuples(st.sampled_from(BINARY), inner, inner) | st.tuples(st.sampled_from(UNARY), inner),
    max_leaves=6,
)


def on_intervals(tree: Tree, box: dict[str, Varying]) -> Varying:
    if isinstance(tree, str):
        return box[tree]
    if isinstance(tree, Fraction):
        return Varying(Interval.point(tree))
    name, *parts = tree
    operands = [on_intervals(part, box) for part in parts]
    operations: dict[str, Callable[..., Varying]] = {
        "add": operator.add,
        "mul": operator.mul,
        "max": lambda *terms: largest_of(terms),
        "min": lambda *terms: smallest_of(terms),
        "square": lambda one: one.power(2),
        "cube": lambda one: one.power(3),
        "inverse": lambda one: one.power(-1),
        "ceil": Varying.ceil,
        "floor": Varying.floor,
        "abs": abs,
        "negative": operator.neg,
    }
    return operations[name](*operands)


def on_numbers(tree: Tree, point: dict[str, Fraction]) -> Fraction:
    if isinstance(tree, str):
        return point[tree]
    if isinstance(tree, Fraction):
        return tree
    name, *parts = tree
    operands = [on_numbers(part, point) for part in parts]
    operations: dict[str, Callable[..., Fraction]] = {
        "add": operator.add,
        "mul": operator.mul,
        "max": max,
        "min": min,
        "square": lambda one: one**2,
        "cube": lambda one: one**3,
        "inverse": lambda one: 1 / one,
        "ceil": lambda one: Fraction(math.ceil(one)),
        "floor": lambda one: Fraction(math.floor(one)),
        "abs": abs,
        "negative": operator.neg,
    }
    return operations[name](*operands)


def within(slope: Slope, number: Fraction) -> bool:
    return (slope.low is None or slope.low <= number) and (slope.high is None or number <= slope.high)


@given(trees, st.tuples(numbers, numbers), st.tuples(numbers, numbers), st.lists(shares, min_size=6, max_size=6))
def test_values_and_quotients_of_a_formula_lie_in_its_interval_and_slopes(
    tree: Tree, xs: Sequence[Fraction], ys: Sequence[Fraction], places: Sequence[Fraction]
) -> None:
    box = {"x": varying("x", *map(str, sorted(xs))), "y": varying("y", *map(str, sorted(ys)))}
    try:
        found = on_intervals(tree, box)
    except RefusedValueError:
        return
    ends = {name: (one.value.low, one.value.high) for name, one in box.items()}
    x_places, y_places = (
        [low + (high - low) * share for share in shares_there]
        for (low, high), shares_there in zip(ends.values(), (places[:3], places[3:]), strict=True)
    )
    values = {(x, y): on_numbers(tree, {"x": x, "y": y}) for x, y in product(x_places, y_places)}
    assert all(value in found.value for value in values.values())
    for (x, y), value in values.items():
        for (u, v), other in values.items():
            if y == v and u > x:
                assert within(found.slopes.get("x", FLAT), (other - value) / (u - x))
            if x == u and v > y:
                assert within(found.slopes.get("y", FLAT), (other - value) / (v - y))


@given(trees, st.tuples(numbers, numbers), st.tuples(numbers, numbers), shares, shares)
def test_a_formula_of_known_signs_is_least_and_greatest_at_two_corners(
    tree: Tree, xs: Sequence[Fraction], ys: Sequence[Fraction], at_x: Fraction, at_y: Fraction
) -> None:
    ends = {"x": sorted(xs), "y": sorted(ys)}
    try:
        found = on_intervals(tree, {name: varying(name, *map(str, two)) for name, two in ends.items()})
    except RefusedValueError:
        return
    signs = {name: found.slopes.get(name, FLAT).sign for name in ends}
    if None in signs.values():
        return
    low, high = (
        on_numbers(tree, {name: ends[name][((signs[name] or 0) > 0) == upper] for name in ends})
        for upper in (False, True)
    )
    point = {name: two[0] + (two[1] - two[0]) * at for (name, two), at in zip(ends.items(), (at_x, at_y), strict=True)}
    assert low <= on_numbers(tree, point) <= high
