"""Inequalities: ranges that are exact at their ends, whole numbers whose neighbours are tried, and what never holds."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
import sympy

from symroof import Derivation, ceil, largest, load
from symroof.answers import answer_json, answer_text
from symroof.budget import Budget, Range, budget
from symroof.errors import MissingGivenError, RefusedValueError, UnitError
from symroof.settings import Settings
from symroof.signs import compare

pytestmark = pytest.mark.slow

GEMM = load("gemm")
PEAK, BANDWIDTH = 312 * 10**12, 1555 * 10**9  # FLOP/s and byte/s of an A100 40GB
K, N = 512, 2**20


def ask(derivation: Derivation, text: str, symbol: str, **values: Any) -> Budget:
    return budget(Settings(derivation, values), derivation.relation(text), symbol)


def plain(*names: str) -> Derivation:
    made = Derivation("plain")
    for name in ("x", *names):
        made.given(name)
    return made


def ends(found: Range) -> tuple[Any, Any, bool, bool]:
    low, high = (None if end is None else end.to_base_units().magnitude for end in (found.low, found.high))
    return low, high, found.low_included, found.high_included


def only(found: Budget) -> Range:
    (one,) = found.ranges
    return one


# -- the matrix product


def product_time(m: int) -> Fraction:
    return max(Fraction(2 * m * K * N, PEAK), Fraction(2 * (m * K + K * N + m * N), BANDWIDTH))


def test_the_largest_m_in_ten_milliseconds() -> None:
    found = ask(GEMM, "t <= 10 ms", "m")
    one = only(found)
    largest_m = max(m for m in range(1, 4000) if product_time(m) <= Fraction(1, 100))
    assert ends(one) == (None, Fraction(380859375, 131072), False, True)
    assert (one.low_integer, one.high_integer) == (1, 2905) == (1, largest_m)
    assert found.verdict == "some"
    assert found.reason == "t <= 10 ms holds in one range of m"
    assert found.monotone == "t - 10 ms never falls as m rises, in every branch"


@pytest.mark.parametrize("milliseconds", [1, 2, 3, 7, 10, 28])
def test_whole_ends_by_trying_them_all(milliseconds: int) -> None:
    limit = Fraction(milliseconds, 1000)
    fitting = [m for m in range(1, 9000) if product_time(m) <= limit]
    assert only(ask(GEMM, f"t <= {milliseconds} ms", "m")).high_integer == fitting[-1]
    assert only(ask(GEMM, f"t > {milliseconds} ms", "m")).low_integer == fitting[-1] + 1


def test_the_bandwidth_for_a_millisecond() -> None:
    one = only(ask(GEMM, "t <= 1 ms", "beta", m=128))
    assert ends(one) == (1342308352000, None, True, False)
    assert str(one.low) == "1342 GB/s"
    assert (one.low_integer, one.high_integer) == (None, None)
    assert ends(only(ask(GEMM, "t > 1 ms", "beta", m=128))) == (None, 1342308352000, False, False)


def test_no_bandwidth_is_enough() -> None:
    found = ask(GEMM, "t <= 1 ms", "beta", m=8192)
    assert (found.verdict, found.ranges) == ("none", ())
    assert found.reason == "t <= 1 ms holds for no beta: t tends to c*m*k*n/P = 0.02819 s as beta grows"


def test_every_bandwidth_is_enough() -> None:
    found = ask(GEMM, "t >= 1 ms", "beta", m=8192)
    assert (found.verdict, ends(only(found))) == ("all", (None, None, False, False))
    assert found.reason == "t >= 1 ms holds for every beta: t tends to c*m*k*n/P = 0.02819 s as beta grows"


def test_where_it_is_memory_bound() -> None:
    crossover = Fraction(1022361600, 3097649)
    below = ask(GEMM, "t_comp < t_mem", "m")
    assert (ends(only(below)), only(below).high_integer) == ((None, crossover, False, False), 330)
    above = ask(GEMM, "t_comp >= t_mem", "m")
    assert (ends(only(above)), only(above).low_integer) == ((crossover, None, True, False), 331)


def test_what_the_unknown_does_not_change() -> None:
    assert ask(GEMM, "I >= 200 FLOP/byte", "m").verdict == "all"
    assert ask(GEMM, "I >= 201 FLOP/byte", "m").verdict == "none"
    assert (
        ask(GEMM, "I < 201 FLOP/byte", "m").reason == "I < 201 FLOP/byte holds for every m: neither side depends on m"
    )


def test_the_share_of_the_peak_that_is_needed() -> None:
    one = only(ask(GEMM, "t <= 10 ms", "eta_P", m=2000))
    assert ends(one)[0] == Fraction(2 * 2000 * K * N * 100, PEAK)


def test_bad_questions() -> None:
    with pytest.raises(UnitError):
        ask(GEMM, "t <= 10 GB", "m")
    with pytest.raises(RefusedValueError, match="AI is worked out"):
        ask(GEMM, "t <= 10 ms", "AI")
    with pytest.raises(MissingGivenError, match="gemm needs a value for m"):
        ask(GEMM, "t <= 10 ms", "k")


# -- ranges of every kind


@pytest.mark.parametrize(
    ("text", "ranges", "integers"),
    [
        ("x <= 3", [(None, 3, False, True)], [(1, 3)]),
        ("x < 3", [(None, 3, False, False)], [(1, 2)]),
        ("x >= 5/2", [(Fraction(5, 2), None, True, False)], [(3, None)]),
        ("x > 3", [(3, None, False, False)], [(4, None)]),
        ("3 > x", [(None, 3, False, False)], [(1, 2)]),
        ("x^2 - 5*x + 6 <= 0", [(2, 3, True, True)], [(2, 3)]),
        ("x^2 - 5*x + 6 < 0", [(2, 3, False, False)], [(None, None)]),
        ("x^2 - 5*x + 6 > 0", [(None, 2, False, False), (3, None, False, False)], [(1, 1), (4, None)]),
        ("x^2 - 5*x + 6 >= 0", [(None, 2, False, True), (3, None, True, False)], [(1, 2), (3, None)]),
        ("(x - 4)^2 <= 0", [(4, 4, True, True)], [(4, 4)]),
        ("(x - 4)^2 < 0", [], []),
        ("(x - 4)^2 >= 0", [(None, None, False, False)], [(1, None)]),
        ("(x - 4)^2 > 0", [(None, 4, False, False), (4, None, False, False)], [(1, 3), (5, None)]),
        ("(2*x - 9)^2 <= 0", [(Fraction(9, 2), Fraction(9, 2), True, True)], [(None, None)]),
        ("(x - 9/2)*(x - 47/10) >= 0",
         [(None, Fraction(9, 2), False, True), (Fraction(47, 10), None, True, False)], [(1, 4), (5, None)]),
        ("(x - 1)*(x - 3)*(x - 5) <= 0", [(None, 1, False, True), (3, 5, True, True)], [(1, 1), (3, 5)]),
        ("1/(x - 5) > 0", [(5, None, False, False)], [(6, None)]),
        ("1/(x - 5) <= 1", [(None, 5, False, False), (6, None, True, False)], [(1, 4), (6, None)]),
        ("1/(x - 5)^2 >= 1", [(4, 5, True, False), (5, 6, False, True)], [(4, 4), (6, 6)]),
        ("1/(x - 5)^2 > 0", [(None, 5, False, False), (5, None, False, False)], [(1, 4), (6, None)]),
        ("sqrt(x - 5) <= 2", [(5, 9, True, True)], [(5, 9)]),
        ("sqrt(x - 5) >= 0", [(5, None, True, False)], [(5, None)]),
        ("max(x, 5) <= 5", [(None, 5, False, True)], [(1, 5)]),
        ("max(x, 5) >= 5", [(None, None, False, False)], [(1, None)]),
        ("min(x, 8) - max(x, 5) >= 0", [(5, 8, True, True)], [(5, 8)]),
        ("ceil(x/16) <= 3", [(None, 48, False, True)], [(1, 48)]),
        ("ceil(x/16) < 3", [(None, 32, False, True)], [(1, 32)]),
        ("floor(x/16) <= 3", [(None, 64, False, False)], [(1, 63)]),
        ("floor(x/16) >= 3", [(48, None, True, False)], [(48, None)]),
        ("ceil(x/16) >= 3", [(32, None, False, False)], [(33, None)]),
        ("abs_free*x <= 0", [], []),
    ],
)  # fmt: skip
def test_ranges(text: str, ranges: list[tuple[Any, ...]], integers: list[tuple[Any, ...]]) -> None:
    found = ask(plain("abs_free"), text, "x", abs_free=1)
    assert [ends(one) for one in found.ranges] == ranges
    assert [(one.low_integer, one.high_integer) for one in found.ranges] == integers
    everything = [(None, None, False, False)]
    assert found.verdict == ("none" if not ranges else "all" if ranges == everything else "some")


def test_irrational_ends() -> None:
    (one,) = ask(plain(), "x^2 <= 50", "x").ranges
    assert compare(ends(one)[1], 5 * sympy.sqrt(2)) == 0
    assert (one.high_included, one.high_integer) == (True, 7)
    (cubic,) = ask(plain(), "x^3 + x >= 100", "x").ranges
    assert (cubic.low_integer, cubic.low_included) == (5, True)
    assert 4**3 + 4 < 100 <= 5**3 + 5
    (within,) = ask(plain(), "x^2 - 4*x + 1 <= 0", "x").ranges
    assert (within.low_integer, within.high_integer) == (1, 3)  # 2 - sqrt(3) and 2 + sqrt(3)


def test_whole_numbers_of_any_size() -> None:
    (one,) = ask(plain("a"), "x^2 <= a", "x", a=10**200 + 1).ranges
    assert one.high_integer == 10**100
    (two,) = ask(plain("a"), "x^2 < a", "x", a=10**200).ranges
    assert two.high_integer == 10**100 - 1


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("ceil(x/7)*ceil(x/3) <= 12", lambda x: math.ceil(Fraction(x, 7)) * math.ceil(Fraction(x, 3)) <= 12),
        ("x - 4*floor(x/4) + x/8 <= 5", lambda x: x % 4 + Fraction(x, 8) <= 5),
        ("max(3*ceil(x/5), x/2) <= 10", lambda x: 3 * math.ceil(Fraction(x, 5)) <= 10 and x <= 20),
        ("floor(x/3)^2 > x", lambda x: (x // 3) ** 2 > x),
        ("x/(8*ceil(x/8)) >= 3/4", lambda x: 4 * x >= 3 * 8 * math.ceil(Fraction(x, 8))),
    ],
)
def test_every_whole_number_is_in_a_range_or_not(text: str, holds: Callable[[int], bool]) -> None:
    """Against all integers up to 60, and the ends that the ranges give for them."""
    found = ask(plain(), text, "x")
    listed = set()
    for one in found.ranges:
        if one.low_integer is not None:
            listed |= set(range(one.low_integer, (one.high_integer or 60) + 1))
    assert {x for x in listed if x <= 60} == {x for x in range(1, 61) if holds(x)}


# -- which way it moves


def test_directions() -> None:
    made = plain("a", "b")

    @made.step()
    def t(x: Any, a: Any, b: Any) -> Any:
        return largest(a * x, b) + a

    @made.step()
    def tiles(x: Any) -> Any:
        return ceil(x / 3)

    @made.step()
    def fall(x: Any, a: Any, b: Any) -> Any:
        return a / x + b

    values = {"a": 2, "b": 7}
    assert ask(made, "t <= 20", "x", **values).monotone == "t - 20 never falls as x rises, in every branch"
    assert ask(made, "fall <= 20", "x", **values).monotone == "fall - 20 never rises as x rises, in every branch"
    assert ask(made, "20 >= fall", "x", **values).monotone == "20 - fall never falls as x rises, in every branch"
    assert ask(made, "fall + t <= 20", "x", **values).monotone == ""
    assert ask(made, "tiles <= 20", "x", **values).monotone == ""


# -- what is shown


def test_json() -> None:
    found = json.loads(json.dumps(answer_json(GEMM, ask(GEMM, "t <= 10 ms", "m"))))
    high = found["ranges"][0].pop("high")
    assert found == {
        "derivation": "gemm",
        "equation": "t <= 10 ms",
        "for": "m",
        "verdict": "some",
        "reason": "t <= 10 ms holds in one range of m",
        "ranges": [{"low": None, "low_integer": 1, "high_integer": 2905}],
    }
    assert (high["exact"], high["text"]) == ("380859375/131072", "2905.726")


def test_lines() -> None:
    assert answer_text(ask(GEMM, "t <= 10 ms", "m")).splitlines()[1:] == [
        "  \x1b[1mm <= 2905.726\x1b[0m",
        "    to           2905.726   exactly 380859375/131072",
        "    whole        1 to 2905, both neighbours checked",
        "    proved       t - 10 ms never falls as m rises, in every branch",
    ]
    open_end = answer_text(ask(plain(), "x^2 - 5*x + 6 < 0", "x"))
    assert "2 < x < 3" in open_end
    point = answer_text(ask(plain(), "(x - 4)^2 <= 0", "x"))
    assert "x = 4" in point
