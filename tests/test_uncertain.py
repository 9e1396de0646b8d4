"""Givens that are ranges: what is guaranteed, what is attained, and which labels are possible."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

import pytest
import sympy
from hypothesis import given as drawn
from hypothesis import settings as run
from hypothesis import strategies as st

from symroof import Derivation, ceil, floor, largest, load, smallest, sqrt
from symroof.errors import (
    MissingGivenError,
    ParseError,
    RefusedValueError,
    SymroofError,
    UnitError,
    UnknownNameError,
)
from symroof.evaluate import Solution
from symroof.numerals import Exact
from symroof.ranges import read_range, read_ranges
from symroof.settings import Settings
from symroof.uncertain import Bounds, Crossing, Labels, bounds, verdict
from symroof.units import Quantity, base_magnitude, quantity, quantity_text, unit

pytestmark = pytest.mark.slow

GEMM = load("gemm")
PEAK = 312 * 10**12  # FLOP/s
MOVED = 2 * (8192 * 512 + 512 * 2**20 + 8192 * 2**20)  # byte, at m = 8192
DONE = 2 * 8192 * 512 * 2**20  # FLOP, at m = 8192


def asked(name: str, derivation: Derivation = GEMM, /, **assignments: str) -> Bounds | Labels:
    values, ranges = read_ranges(derivation, assignments)
    return bounds(Settings(derivation, values), ranges, name)


def bounded(name: str, derivation: Derivation = GEMM, /, **assignments: str) -> Bounds:
    found = asked(name, derivation, **assignments)
    assert isinstance(found, Bounds)
    return found


def labelled(name: str, derivation: Derivation = GEMM, /, **assignments: str) -> Labels:
    found = asked(name, derivation, **assignments)
    assert isinstance(found, Labels)
    return found


def said(name: str, derivation: Derivation = GEMM, /, **assignments: str) -> str:
    values, ranges = read_ranges(derivation, assignments)
    return verdict(Settings(derivation, values), ranges, name)


def ends(found: Bounds) -> tuple[Exact, Exact]:
    return base_magnitude(found.low), base_magnitude(found.high)


def derivation_of(*steps: Any, givens: tuple[str, ...] = ("x", "y")) -> Derivation:
    """Plain numbers `givens`, and steps that are functions of them."""
    made = Derivation("made")
    for name in givens:
        made.given(name)
    for step in steps:
        made.step()(step)
    return made


# -- the text


@pytest.mark.parametrize(
    ("name", "text", "low", "high", "measured"),
    [
        ("beta", "1.3..1.555 TB/s", "1.3", "1.555", "TB/s"),
        ("beta", " 1.3 .. 1.555 TB/s ", "1.3", "1.555", "TB/s"),
        ("beta", "1.3 TB/s..1555 GB/s", "1.3", "1.555", "TB/s"),
        ("beta", "1555 GB/s..1.555 TB/s", "1555", "1555", "GB/s"),
        ("eta_P", "0.6..0.9", "0.6", "0.9", ""),
        ("eta_P", "60..90 %", "0.6", "0.9", ""),
        ("eta_P", "1/3..1", "1/3", "1", ""),
        ("m", "311..313", "311", "313", ""),
        ("m", "2^7..2^10", "128", "1024", ""),
        ("m", "8..8", "8", "8", ""),
        ("s", "1/2..2 byte", "1/2", "2", "byte"),
    ],
)
def test_a_range_is_two_exact_values(name: str, text: str, low: str, high: str, measured: str) -> None:
    found = read_range(text, GEMM.givens[name])
    assert found is not None
    assert [end.to(unit(measured)).magnitude for end in found] == [Fraction(low), Fraction(high)]


@pytest.mark.parametrize("text", ["8192", "1.3 TB/s", "2^20", "k", "m.n", ""])
def test_text_without_two_points_is_no_range(text: str) -> None:
    assert read_range(text, GEMM.givens["m"]) is None


COUNT = "is not a whole number from 1 up\nfor example m=8192"


@pytest.mark.parametrize(
    ("name", "text", "kind", "message"),
    [
        ("m", "313..311", RefusedValueError, "a range starts at its low end, and 313 is above 311\nwrite the smaller"),
        ("beta", "2..1 TB/s", RefusedValueError, "a range starts at its low end, and 2 TB/s is above 1 TB/s"),
        (
            "beta",
            "2 TB/s..1555 GB/s",
            RefusedValueError,
            "a range starts at its low end, and 2 TB/s is above 1555 GB/s",
        ),
        ("m", "1..", RefusedValueError, "'1..' is no range\nwrite LOW..HIGH, for example m=1..2"),
        ("m", "..2", RefusedValueError, "'..2' is no range"),
        ("m", "..", RefusedValueError, "'..' is no range"),
        ("m", "1..2..3", RefusedValueError, "'1..2..3' is no range"),
        ("m", "0..8", RefusedValueError, f"m is a count, and 0 {COUNT}"),
        ("m", "1..3/2", RefusedValueError, f"m is a count, and 1.5 {COUNT}"),
        ("beta", "-1..1 TB/s", RefusedValueError, "beta cannot be negative"),
        ("beta", "1..2", UnitError, "beta is measured in byte/s, but 1 has no unit"),
        ("beta", "1..2 TB", UnitError, "beta is measured in byte/s, but 1 TB is in byte"),
        ("beta", "1 TB/s..2", UnitError, "beta is measured in byte/s, but 2 has no unit"),
        ("m", "1..k", ParseError, "'k' is not a number"),
    ],
)
def test_a_range_that_is_none_is_an_error(name: str, text: str, kind: type[SymroofError], message: str) -> None:
    with pytest.raises(kind) as caught:
        read_range(text, GEMM.givens[name])
    assert str(caught.value).startswith(message)


def test_ranges_are_separated_from_other_values() -> None:
    values, ranges = read_ranges(GEMM, {"m": "8192", "beta": "1.3..1.555 TB/s", "k": "m", "nothing": "1..2"})
    assert values == {"m": "8192", "k": "m", "nothing": "1..2"}
    assert ranges == {"beta": (quantity(Fraction("1.3"), "TB/s"), quantity(Fraction("1.555"), "TB/s"))}
    with pytest.raises(UnknownNameError, match="unknown symbol 'nothing'"):
        Settings(GEMM, values)


def test_an_error_in_a_range_says_which() -> None:
    with pytest.raises(RefusedValueError, match=r"^beta=2\.\.1 TB/s: a range starts at its low end"):
        read_ranges(GEMM, {"beta": "2..1 TB/s"})


# -- the matrix product


def test_the_memory_time_is_exactly_between_its_values_at_the_ends() -> None:
    found = bounded("t_mem", m="8192", beta="1.3..1.555 TB/s")
    assert MOVED == 18261999616
    assert ends(found) == (Fraction(MOVED, 1555 * 10**9), Fraction(MOVED, 1300 * 10**9))
    assert [quantity_text(end.to("ms"), 6) for end in (found.low, found.high)] == ["11.7441 ms", "14.0477 ms"]
    assert (found.how, dict(found.trends), found.attained) == ("monotone", {"beta": "falls"}, True)


def test_what_does_not_bind_does_not_move_the_time() -> None:
    found = bounded("t", m="8192", beta="1.3..1.555 TB/s")
    assert [end.to("ms").magnitude for end in (found.low, found.high)] == [Fraction(2147483648, 76171875)] * 2
    assert (found.how, dict(found.trends), found.attained) == ("monotone", {"beta": "does not matter"}, True)


def test_bounds_are_in_the_declared_unit() -> None:
    found = bounded("B_kn", s="1..2 byte")
    assert [quantity_text(end, 10) for end in (found.low, found.high)] == ["0.536870912 GB", "1.073741824 GB"]


@pytest.mark.parametrize(
    ("name", "trends"),
    [
        ("F", {"m": "rises", "beta": "does not matter", "P": "does not matter", "s": "does not matter"}),
        ("B", {"m": "rises", "beta": "does not matter", "P": "does not matter", "s": "rises"}),
        ("share_kn", {"m": "falls", "beta": "does not matter", "P": "does not matter", "s": "does not matter"}),
        ("AI", {"m": "rises", "beta": "does not matter", "P": "does not matter", "s": "falls"}),
        ("I", {"m": "does not matter", "beta": "falls", "P": "rises", "s": "does not matter"}),
        ("R", {"m": "rises", "beta": "rises", "P": "rises", "s": "falls"}),
        ("t_comp", {"m": "rises", "beta": "does not matter", "P": "falls", "s": "does not matter"}),
        ("t", {"m": "rises", "beta": "falls", "P": "falls", "s": "rises"}),
        ("t_sum", {"m": "rises", "beta": "falls", "P": "falls", "s": "rises"}),
    ],
)
def test_what_rises_and_falls_over_wide_ranges_is_proved(name: str, trends: Mapping[str, str]) -> None:
    wide = {"m": "1..8192", "beta": "1.3..4 TB/s", "P": "100..1000 TFLOP/s", "s": "1..4 byte"}
    found = bounded(name, **wide)
    assert dict(found.trends) == trends
    assert (found.how, found.attained) == ("monotone", True)
    _, ranges = read_ranges(GEMM, wide)
    for end, word in ((found.low, "falls"), (found.high, "rises")):
        corner = {given: ranges[given][trend == word] for given, trend in trends.items()}
        assert base_magnitude(end) == Solution(Settings(GEMM, corner)).number(name)


@pytest.mark.parametrize("name", ["AI", "t", "R", "share_kn", "regime"])
def test_tied_givens_move_with_the_one_they_are_tied_to(name: str) -> None:
    values, ranges = read_ranges(GEMM, {"m": "1..8192", "k": "m", "n": "2*m"})
    found = bounds(Settings(GEMM, values), ranges, name)
    exact = [Solution(Settings(GEMM, {**values, "m": m}))[name] for m in (1, 8192)]
    if isinstance(found, Bounds):
        assert found.attained
        assert {found.low, found.high} == set(exact)
    else:
        assert set(found.labels) == set(exact)


def test_an_efficiency_is_a_range_like_any_other() -> None:
    found = bounded("t_comp", m="8192", eta_P="0.6..0.9")
    assert ends(found) == (Fraction(DONE * 10, PEAK * 9), Fraction(DONE * 10, PEAK * 6))
    assert dict(found.trends) == {"eta_P": "falls"}


def test_a_ranged_rate_is_multiplied_by_its_efficiency() -> None:
    fixed = bounded("t_comp", m="8192", P="200..312 TFLOP/s", eta_P="1/2")
    assert ends(fixed) == (Fraction(2 * DONE, PEAK), Fraction(2 * DONE, 200 * 10**12))
    both = bounded("t_comp", m="8192", P="200..312 TFLOP/s", eta_P="0.5..0.75")
    assert ends(both) == (Fraction(4 * DONE, 3 * PEAK), Fraction(2 * DONE, 200 * 10**12))
    assert dict(both.trends) == {"P": "falls", "eta_P": "falls"}
    assert ends(bounded("P", P="200..312 TFLOP/s", eta_P="0.5..0.75")) == (10**14, PEAK * 3 // 4)


def test_a_closed_form_does_not_fix_a_range_that_has_an_efficiency() -> None:
    def gain(x: Any, share: Any) -> Any:
        return x - 3 * share  # share*(x - 3) in the x that is set: falls in share below 3, rises above

    made = Derivation("made")
    made.given("share")
    made.given("x", efficiency="share")
    made.step()(gain)
    found = bounded("gain", made, x="1..7", share="1/2..1")
    assert dict(found.trends) == {"x": "rises", "share": "not proved"}
    assert ends(found) == (-2, 4)


def test_a_tied_count_may_lie_between_whole_numbers() -> None:
    found = bounded("F", m="101..103", k="m/2")
    assert ends(found) == (101**2 * 2**20, 103**2 * 2**20)


@pytest.mark.parametrize(
    ("assignments", "labels", "sentence"),
    [
        ({"m": "8192", "beta": "1.3..1.555 TB/s"}, 1, "compute-bound for every value in the range"),
        ({"m": "128", "beta": "1.3..1.555 TB/s"}, 1, "memory-bound for every value in the range"),
        ({"m": "331..8192"}, 1, "compute-bound for every value in the range"),
        ({"m": "1..330"}, 1, "memory-bound for every value in the range"),
        (
            {"m": "8192", "beta": "0.5..1.555 TB/s"},
            2,
            "depends: crosses inside the range at beta = 0.6477585 TB/s (memory-bound below, compute-bound above)",
        ),
        (
            {"m": "1..8192"},
            2,
            "depends: crosses inside the range at m = 330.0444 (memory-bound below, compute-bound above)",
        ),
        (
            {"m": "600..8192", "beta": "1.3..1.555 TB/s", "P": "200..312 TFLOP/s"},
            1,
            "compute-bound for every value in the ranges",
        ),
        (
            {"m": "128..8192", "beta": "1.3..1.555 TB/s"},
            2,
            "depends on m and beta: compute-bound or memory-bound",
        ),
    ],
)
def test_what_can_be_said_of_the_regime(assignments: dict[str, str], labels: int, sentence: str) -> None:
    found = labelled("regime", **assignments)
    assert (len(found.labels), found.certain) == (labels, labels == 1)
    assert found.sentence == sentence == said("regime", **assignments)


def test_the_regime_changes_exactly_where_the_times_are_equal() -> None:
    found = labelled("regime", m="8192", beta="0.5..1.555 TB/s")
    assert found.labels == ("compute-bound", "memory-bound")
    at = quantity(Fraction(MOVED * PEAK, DONE * 10**12), "TB/s")
    assert found.crossings == (Crossing("beta", at, "memory-bound", "compute-bound"),)


def test_a_crossing_is_a_value_to_set_not_the_effective_rate() -> None:
    found = labelled("regime", m="8192", beta="0.5..1.555 TB/s", eta_beta="0.8")
    assert found.crossings[0].at == quantity(Fraction(MOVED * PEAK * 10, DONE * 10**12 * 8), "TB/s")
    inside = labelled("regime", m="8192", P="800..1600 TFLOP/s", eta_P="1/2")  # 749 TFLOP/s are reached at 1498
    assert [quantity_text(one.at) for one in inside.crossings] == ["1498 TFLOP/s"]


def test_a_verdict_is_asked_of_a_label() -> None:
    with pytest.raises(RefusedValueError, match=r"^t is a number, not a label\nask for its bounds$"):
        said("t", m="1..8192")


# -- what is not monotone


def test_a_hump_has_its_top_in_the_bounds() -> None:
    def hump(x: Any) -> Any:
        return x * (6 - x)

    found = bounded("hump", derivation_of(hump), x="1..7")
    assert (found.how, found.attained, dict(found.trends)) == ("interval arithmetic", False, {"x": "not proved"})
    low, high = ends(found)
    assert low == -7
    assert 9 <= high < 9 + Fraction(1, 10**4)


def test_bounds_without_one_direction_can_be_attained() -> None:
    def hump(x: Any) -> Any:
        return x * (8 - x)

    found = bounded("hump", derivation_of(hump), x="0..8")  # halved at its top
    assert (found.how, found.attained, ends(found)) == ("interval arithmetic", True, (0, 16))


def test_two_steps_that_pull_in_two_directions() -> None:
    def up(x: Any) -> Any:
        return x + 1

    def down(x: Any) -> Any:
        return 1 / x

    def both(up: Any, down: Any) -> Any:
        return up + 4 * down  # least at x = 2

    low, high = ends(bounded("both", derivation_of(up, down, both), x="1..8"))
    assert 5 - Fraction(1, 10**4) < low <= 5
    assert high == Fraction(19, 2)


def test_a_share_of_the_larger_is_monotone_in_closed_form() -> None:
    def roof(x: Any, y: Any) -> Any:
        return smallest(x, 3 * y)

    def share(roof: Any, x: Any) -> Any:
        return roof / x

    found = bounded("share", derivation_of(roof, share), x="1..10", y="1..2")
    assert (found.how, dict(found.trends), ends(found)) == (
        "monotone",
        {"x": "falls", "y": "rises"},
        (Fraction(3, 10), 1),
    )


def test_a_negative_step_is_not_taken_for_a_positive_one() -> None:
    def less(x: Any, y: Any) -> Any:
        return x - y

    def kept(less: Any) -> Any:
        return largest(less, 0)

    def size(less: Any) -> Any:
        return sqrt(less**2)

    def fee(less: Any) -> Any:
        return less if less > 0 else 5 - less

    def square(less: Any) -> Any:
        return less**2 / (1 + less**2)

    made = derivation_of(less, kept, size, fee, square)
    assert ends(bounded("kept", made, x="1..4", y="2")) == (0, 2)
    assert ends(bounded("size", made, x="0..8", y="4")) == (0, 4)
    assert ends(bounded("fee", made, x="0..1", y="2")) == (6, 7)
    low, high = ends(bounded("fee", made, x="1..4", y="2"))
    assert low <= 0
    assert high >= 6
    low, high = ends(bounded("square", made, x="0..4", y="2"))
    assert low == 0
    assert high == Fraction(4, 5)


def test_a_jump_is_no_slope() -> None:
    def cost(x: Any) -> Any:
        return x if x > 4 else 10 + x

    found = bounded("cost", derivation_of(cost), x="1..9")
    assert (found.how, dict(found.trends)) == ("interval arithmetic", {"x": "not proved"})
    low, high = ends(found)
    assert 1 < low <= 4  # what it takes: above 4 up to 9, and 11 up to 14
    assert 14 <= high < 15
    above = bounded("cost", derivation_of(cost), x="5..9")
    assert (above.how, ends(above)) == ("monotone", (5, 9))


def test_a_given_that_can_be_zero_is_not_taken_for_a_positive_one() -> None:
    def fee(x: Any) -> Any:
        return 3 + x if x > 0 else 10

    low, high = ends(bounded("fee", derivation_of(fee), x="0..4"))
    assert low <= 3
    assert high >= 10


def test_a_condition_on_another_given_is_no_jump() -> None:
    def cost(x: Any, y: Any) -> Any:
        return 2 * x if y > 4 else x

    found = bounded("cost", derivation_of(cost), x="1..9", y="1..8")
    assert dict(found.trends) == {"x": "rises", "y": "not proved"}
    assert ends(found) == (1, 18)


def test_a_branch_that_a_condition_excludes_is_not_worked_out() -> None:
    def guarded(x: Any) -> Any:
        if x == 0:
            return x
        return 1 / x

    made = derivation_of(guarded)
    assert ends(bounded("guarded", made, x="1..4")) == (Fraction(1, 4), 1)
    assert ends(bounded("guarded", made, x="0")) == (0, 0)


def test_ceil_and_floor_are_steps_that_rise() -> None:
    def tiles(x: Any) -> Any:
        return ceil(x / 128)

    def waves(tiles: Any, y: Any) -> Any:
        return ceil(tiles / y)

    def left(x: Any) -> Any:
        return floor(-x / 100)

    made = derivation_of(tiles, waves, left)
    found = bounded("waves", made, x="100..1000", y="2..3")
    assert (found.how, dict(found.trends), ends(found)) == ("monotone", {"x": "rises", "y": "falls"}, (1, 4))
    assert dict(bounded("tiles", made, x="1..128").trends) == {"x": "does not matter"}
    assert ends(bounded("left", made, x="50..250")) == (-3, -1)


def test_a_remainder_is_between_zero_and_the_divisor() -> None:
    def rest(x: Any) -> Any:
        return x % 4

    low, high = ends(bounded("rest", derivation_of(rest), x="1..11"))
    assert -1 < low <= 0
    assert 4 <= high < 5
    assert ends(bounded("rest", derivation_of(rest), x="5..7")) == (1, 3)


def test_roots_are_exact_at_the_ends() -> None:
    def side(x: Any) -> Any:
        return sqrt(x)

    def sides(side: Any) -> Any:
        return 1 + sqrt(side)

    def fourth(x: Any) -> Any:
        return sqrt(sqrt(x))

    def dip(x: Any) -> Any:
        return x - 4 * sqrt(x)  # least at x = 4

    made = derivation_of(side, sides, fourth, dip)
    assert ends(bounded("fourth", made, x="16..81")) == (2, 3)
    low, high = ends(bounded("dip", made, x="0..16"))
    assert -4 - Fraction(1, 10**4) < low <= -4
    assert 0 <= high < Fraction(1, 10**4)
    assert ends(bounded("side", made, x="2..9")) == (sympy.sqrt(2), 3)
    assert ends(bounded("side", made, x="0..9")) == (0, 3)
    found = bounded("sides", made, x="2..16")
    assert (found.how, ends(found)) == ("monotone", (1 + sympy.root(2, 4), 3))
    assert ends(bounded("side", made, x="sqrt(2)..4")) == (sympy.root(2, 4), 2)


def test_an_irrational_given_that_is_no_range() -> None:
    def area(x: Any, y: Any) -> Any:
        return x * y

    assert ends(bounded("area", derivation_of(area), x="1..2", y="sqrt(2)")) == (sympy.sqrt(2), 2 * sympy.sqrt(2))


def test_a_power_with_an_exponent_that_is_a_range() -> None:
    def levels(x: Any) -> Any:
        return 2**x

    found = bounded("levels", derivation_of(levels), x="3..8")
    assert (found.how, ends(found)) == ("monotone", (8, 256))


def test_absolute_values_and_even_powers() -> None:
    def gap(x: Any, y: Any) -> Any:
        return abs(x - y)

    made = derivation_of(gap)
    assert ends(bounded("gap", made, x="1..3", y="4..8")) == (1, 7)
    assert ends(bounded("gap", made, x="0..8", y="4")) == (0, 4)


# -- cases


def test_without_ranges_a_quantity_is_what_it_is() -> None:
    found = bounded("t", m="8192")
    assert found.low == found.high == Solution(Settings(GEMM, {"m": 8192}))["t"]
    assert (found.how, dict(found.trends), found.attained) == ("monotone", {}, True)
    assert labelled("regime", m="8192").labels == ("compute-bound",)


def test_a_range_of_one_value() -> None:
    found = bounded("t", m="8192..8192", beta="1555..1555 GB/s")
    assert found.low == found.high == Solution(Settings(GEMM, {"m": 8192}))["t"]
    assert labelled("regime", m="8192..8192").labels == ("compute-bound",)

    def tip(x: Any) -> Any:
        return largest(x, 8 - x)  # falls below 4, rises above

    found = bounded("tip", derivation_of(tip), x="4..4")
    assert (found.how, ends(found)) == ("monotone", (4, 4))


def test_a_given_that_is_a_range_is_itself_bounded() -> None:
    assert ends(bounded("m", m="1..8192")) == (1, 8192)
    assert ends(bounded("k", m="1..8192", k="2*m")) == (2, 16384)


def test_a_divisor_that_can_be_zero_names_the_range_to_narrow() -> None:
    with pytest.raises(RefusedValueError) as caught:
        asked("t_mem", m="8192", beta="0..1 TB/s", P="200..312 TFLOP/s")
    assert caught.value.problem == "step t_mem: a divisor can be zero: it lies in 0..1e12"
    assert caught.value.hint == "narrow the range of beta"


def test_a_divisor_is_refused_only_where_it_can_be_zero() -> None:
    def gap(x: Any, y: Any) -> Any:
        return x - y

    def inverse(gap: Any, x: Any) -> Any:
        return 1 / (gap + 2 - x / 2)  # x/2 - y + 2, which the interval of gap does not show

    low, high = ends(bounded("inverse", derivation_of(gap, inverse), x="0..8", y="1"))
    assert (low, high) == (Fraction(1, 5), 1)


def test_ends_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(RefusedValueError, match="2 TB/s is above 1 TB/s"):
        bounds(Settings(GEMM, {"m": 1}), {"beta": (quantity(2, "TB/s"), quantity(1, "TB/s"))}, "t")


@pytest.mark.parametrize(
    ("name", "ranges", "kind"),
    [
        ("time", {"m": (1, 2)}, UnknownNameError),
        ("m_star", {"m": (1, 2)}, UnknownNameError),
        ("t", {"mm": (1, 2)}, UnknownNameError),
        ("t", {"F": (1, 2)}, RefusedValueError),
        ("t", {"n": (1, 2)}, MissingGivenError),
    ],
)
def test_names_that_do_not_fit(name: str, ranges: dict[str, tuple[int, int]], kind: type[SymroofError]) -> None:
    with pytest.raises(kind):
        bounds(Settings(GEMM), {given: (quantity(low), quantity(high)) for given, (low, high) in ranges.items()}, name)


# -- labels


def test_a_label_of_three_terms_and_where_it_changes() -> None:
    def flat(y: Any) -> Any:
        return 12 * y

    def line(x: Any) -> Any:
        return 4 * x

    def curve(x: Any) -> Any:
        return x**2 + 3

    made = derivation_of(flat, line, curve)
    made.binding("top", flat="flat", line="line", curve="curve")
    found = labelled("top", made, x="0..100", y="1/6")  # line and curve meet at 1 and 3, flat and line at 1/2
    assert found.labels == ("line", "curve")
    assert [(one.at.magnitude, one.below, one.above) for one in found.crossings] == [
        (1, "curve", "line"),
        (3, "line", "curve"),
    ]
    assert labelled("top", made, x="0..100", y="4").labels == ("flat", "curve")
    assert labelled("top", made, x="4..100", y="1/6").labels == ("curve",)


def test_a_tie_at_one_point_counts() -> None:
    def line(x: Any) -> Any:
        return 4 * x

    def curve(x: Any) -> Any:
        return x**2 + 4

    made = derivation_of(line, curve)
    made.binding("top", line="line", curve="curve")
    found = labelled("top", made, x="1..9")  # they touch at 2, and a tie goes to the first
    assert found.labels == ("line", "curve")
    assert [(one.at.magnitude, one.below, one.above) for one in found.crossings] == [(2, "curve", "curve")]


def test_a_tie_at_the_end_of_a_range_counts() -> None:
    def line(x: Any) -> Any:
        return 2 * x

    def level(y: Any) -> Any:
        return 8 * y

    made = derivation_of(line, level)
    made.binding("top", line="line", level="level")
    found = labelled("top", made, x="1..4", y="1")
    assert found.labels == ("line", "level")
    assert labelled("top", made, x="4", y="1").labels == ("line",)
    assert [(one.at.magnitude, one.below, one.above) for one in found.crossings] == [(4, "level", "line")]


def test_a_label_that_no_range_moves_is_exact() -> None:
    def sum_(x: Any, y: Any) -> Any:
        return sqrt(x) + sqrt(y)

    def same(x: Any, y: Any) -> Any:
        return sqrt(x + y + 2 * sqrt(x * y))

    made = derivation_of(sum_, same, givens=("x", "y", "z"))
    made.binding("top", sum_="first", same="second")  # equal, which no enclosure of a root can show
    found = labelled("top", made, x="2", y="3", z="1..2")
    assert found.sentence == "first for every value in the range"


def test_a_label_may_change_at_a_jump() -> None:
    def stairs(x: Any) -> Any:
        return ceil(x / 4)

    def level(y: Any) -> Any:
        return y

    made = derivation_of(stairs, level)
    made.binding("top", stairs="stairs", level="level")
    found = labelled("top", made, x="1..20", y="5/2")
    assert found.labels == ("stairs", "level")
    assert [(one.at.magnitude, one.below, one.above) for one in found.crossings] == [(8, "level", "stairs")]


def test_a_label_of_conditions() -> None:
    def size(x: Any, y: Any) -> Any:
        if x * y <= 100:
            return "small"
        return "long" if x > y else "wide"

    made = derivation_of(size)
    assert labelled("size", made, x="1..5", y="20").sentence == "small for every value in the range"
    assert labelled("size", made, x="11..19", y="20").labels == ("wide",)
    found = labelled("size", made, x="1..30", y="20")
    assert set(found.labels) == {"small", "long", "wide"}
    assert found.sentence.startswith("depends on x: ")
    assert labelled("size", made, x="11..19", y="20..30").sentence == "wide for every value in the ranges"


# -- whatever the formula: exact values at points of the ranges lie in the bounds

Ranges: TypeAlias = Mapping[str, tuple[Quantity, Quantity]]
Tree: TypeAlias = "tuple[str, *tuple[Tree, ...]] | str"

shares = st.fractions(0, 1, max_denominator=8)
OPERATIONS: dict[str, Callable[..., Any]] = {
    "sum": lambda one, other: one + other,
    "difference": lambda one, other: one - other,
    "product": lambda one, other: one * other,
    "ratio": lambda one, other: one / (1 + other),
    "larger": largest,
    "smaller": smallest,
    "tiles": lambda one: ceil(one / 3),
    "whole": lambda one: floor(2 * one),
    "square": lambda one: one**2,
    "inverse": lambda one: 1 / one,
    "root": sqrt,
    "rest": lambda one, other: one % (2 + other),
    "distance": lambda one, other: abs(one - other),
}


def grown(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    unary = st.sampled_from(["tiles", "whole", "square", "inverse", "root"])
    binary = st.sampled_from(
        [name for name in OPERATIONS if name not in ("tiles", "whole", "square", "inverse", "root")]
    )
    return (
        st.tuples(unary, inner) | st.tuples(binary, inner, inner) | st.tuples(st.just("if"), inner, inner, inner, inner)
    )


def trees(*names: str) -> st.SearchStrategy[Tree]:
    return st.recursive(st.sampled_from(names), grown, max_leaves=4)


def worked_out(tree: Tree, values: Mapping[str, Any]) -> Any:
    if isinstance(tree, str):
        return values[tree]
    name, *parts = tree
    if name == "if":
        one, other, then, otherwise = parts
        holds = worked_out(one, values) > worked_out(other, values)
        return worked_out(then if holds else otherwise, values)
    return OPERATIONS[name](*(worked_out(part, values) for part in parts))


def names_in(tree: Tree) -> set[str]:
    return {tree} if isinstance(tree, str) else {name for part in tree[1:] for name in names_in(part)}


def add_step(made: Derivation, name: str, tree: Tree) -> None:
    def function(**values: Any) -> Any:
        return worked_out(tree, values)

    function.__name__ = name
    parameters = [inspect.Parameter(one, inspect.Parameter.KEYWORD_ONLY) for one in sorted(names_in(tree))]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    made.step()(function)


def inside(case: Settings, ranges: Ranges, places: Sequence[Fraction]) -> list[Solution]:
    """The case at the corners of the box and at points in it."""
    corners = [dict(zip(ranges, corner, strict=True)) for corner in product(*ranges.values())]
    points = [
        {name: low + (high - low) * share for (name, (low, high)), share in zip(ranges.items(), some, strict=True)}
        for some in zip(*[iter(places)] * len(ranges), strict=False)
    ]
    for point in points:
        for name, value in point.items():
            if case.derivation.givens[name].count:
                point[name] = quantity(Fraction(round(value.magnitude)))
    return [Solution(case.with_values(point)) for point in (*corners, *points)]


def check(found: Bounds | Labels, exact: Sequence[Quantity | str]) -> None:
    """The bounds hold at each point, and are taken at corners if they say so."""
    if isinstance(found, Labels):
        assert set(exact) <= set(found.labels)
        return
    values = [base_magnitude(value) for value in exact if not isinstance(value, str)]
    low, high = ends(found)
    assert all(low <= value <= high for value in values)
    if found.how == "monotone":
        assert found.attained
        assert any(value == low for value in values)
        assert any(value == high for value in values)


@run(derandomize=True, max_examples=40, deadline=None)
@drawn(
    trees("x", "y", "z"),
    trees("x", "y", "u"),
    st.lists(st.fractions(0, 9, max_denominator=2), min_size=5, max_size=5),
    st.lists(shares, min_size=8, max_size=8),
)
def test_bounds_hold_for_random_formulas(
    inner: Tree, outer: Tree, numbers: Sequence[Fraction], places: Sequence[Fraction]
) -> None:
    made = derivation_of(givens=("x", "y", "z"))
    add_step(made, "u", inner)
    add_step(made, "w", outer)
    made.binding("top", u="u", w="w", x="x")
    case = Settings(made, {"z": numbers[4]})
    ranges = {name: (quantity(min(two)), quantity(max(two))) for name, two in (("x", numbers[:2]), ("y", numbers[2:4]))}
    for name in ("w", "top"):
        with contextlib.suppress(RefusedValueError):  # a divisor of zero, a root of less
            check(bounds(case, ranges, name), [solution[name] for solution in inside(case, ranges, places)])


def test_many_nested_maxima_are_left_to_intervals() -> None:
    made = derivation_of()
    last = "x"
    for at in range(6):  # 4 branches each, 4^6 together
        add_step(made, f"u{at}", ("larger", ("ratio", last, "y"), ("smaller", last, ("square", "y"))))
        last = f"u{at}"
    add_step(made, "w", ("ratio", last, "x"))
    ranges = {"x": (quantity(1), quantity(8)), "y": (quantity(1), quantity(2))}
    found = bounds(Settings(made), ranges, "w")
    assert isinstance(found, Bounds)
    assert found.how == "interval arithmetic"
    places = [Fraction(at, 7) for at in range(8)]
    check(found, [solution["w"] for solution in inside(Settings(made), ranges, places)])


@st.composite
def gemm_ranges(draw: st.DrawFn) -> Ranges:
    kinds: dict[str, tuple[st.SearchStrategy[Fraction], str]] = {
        "beta": (st.fractions(1, 4000, max_denominator=4), "GB/s"),
        "P": (st.fractions(1, 1000, max_denominator=4), "TFLOP/s"),
        "m": (st.integers(1, 10000).map(Fraction), ""),
        "s": (st.fractions(Fraction(1, 2), 4, max_denominator=2), "byte"),
    }
    chosen = draw(st.sets(st.sampled_from(sorted(kinds)), min_size=1))
    ranges = {}
    for name in sorted(chosen):
        numbers, measured = kinds[name]
        low, high = sorted((draw(numbers), draw(numbers)))
        ranges[name] = (quantity(low, measured), quantity(high, measured))
    return ranges


@run(derandomize=True, max_examples=8, deadline=None)
@drawn(gemm_ranges(), st.integers(1, 10000), st.lists(shares, min_size=12, max_size=12))
def test_bounds_hold_for_all_of_the_matrix_product(ranges: Ranges, m: int, places: Sequence[Fraction]) -> None:
    case = Settings(GEMM, {"m": m})
    solutions = inside(case, ranges, places)
    for name in (*GEMM.steps, *GEMM.bindings):
        check(bounds(case, ranges, name), [solution[name] for solution in solutions])
