"""What a stack takes of a GPU's memory, against a walk through its layers, scans over m, and printed figures."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symroof import load
from symroof.evaluate import Solution
from symroof.hardware import chip
from symroof.settings import Settings
from symroof.units import base_magnitude
from tests.conftest import Command

pytestmark = pytest.mark.slow

VRAM = load("vram")
K, N = 512, 2**20
MIB, GIB = 2**20, 2**30
PLANS = {
    "resident": "M_resident",
    "stream1": "M_stream1",
    "stream2": "M_stream2",
    "cautious": "M_cautious",
    "train": "M_train",
}

sizes = st.integers(1, 5000)
bytes_each = st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4)])


def walked(m: int, k: int, n: int, L: int, s: Fraction, *, KV: int, M_ws: int, q: int) -> dict[str, Fraction]:
    """The memory of each plan from the shapes of the layers, one after the other."""
    live = kept = parameters = largest_layer = Fraction(0)
    for layer in range(L):
        rows, inner, columns = ((m, n, k), (m, k, n))[layer % 2]
        live = max(live, s * (rows * inner + rows * columns))  # its input and its output
        kept += s * rows * inner
        parameters += inner * columns
        largest_layer = max(largest_layer, s * inner * columns)
    return {
        "W_layer": largest_layer,
        "W": s * parameters,
        "A_live": live,
        "A_train": kept,
        "M_resident": s * parameters + live + KV + M_ws,
        "M_stream1": largest_layer + live + KV + M_ws,
        "M_stream2": 2 * largest_layer + live + KV + M_ws,
        "M_cautious": largest_layer + 2 * s * m * n + KV + M_ws,
        "M_train": kept + q * parameters + M_ws,
    }


def number(name: str, **values: Any) -> Fraction:
    found = Solution(Settings(VRAM, values)).number(name)
    assert isinstance(found, Fraction)
    return found


@settings(max_examples=25)
@given(
    m=sizes,
    k=sizes,
    n=sizes,
    L=st.integers(1, 100),
    s=bytes_each,
    KV=st.integers(0, 10**9),
    M_ws=st.integers(0, 10**9),
    q=st.integers(2, 20),
    C=st.integers(1, 10**10),
)
def test_a_walk_through_the_layers(C: int, **case: Any) -> None:
    expected = walked(**case)
    solution = VRAM.at(C=C, u=Fraction(9, 10), **case)
    assert {name: solution.number(name) for name in expected} == expected
    for plan, memory in PLANS.items():
        assert solution[plan] == ("fits" if expected[memory] <= Fraction(9, 10) * C else "does not fit")


def test_exact_values_at_8192() -> None:
    """In GiB; 16 GiB and 8 MiB are one wide and one narrow activation."""
    found = {name: number(name, m=8192) / GIB for name in VRAM.steps if VRAM.unit_of(name).dimensionality}
    assert found == {
        "C_usable": 40,
        "C_decimal": Fraction(40 * 10**9, GIB),
        "C_binary": 40,
        "C_reported": Fraction(42_405_855_232, GIB),
        "W_layer": 1,
        "W": 72,
        "A_mn": 16,
        "A_mk": Fraction(1, 128),
        "A_live": 16 + Fraction(8, 1024),
        "A_double": 32,
        "A_train": 36 * (16 + Fraction(1, 128)),
        "M_resident": 72 + 16 + Fraction(1, 128),
        "M_stream1": Fraction("17.0078125"),
        "M_stream2": Fraction("18.0078125"),
        "M_cautious": 33,
        "M_state": 576,
        "M_train": Fraction("576.28125") + 576,
    }
    assert found["A_train"] == Fraction("576.28125")
    assert number("A_train", m=8192, L=73) == 37 * 16 * GIB + 36 * 8 * MIB  # the 73rd layer reads a wide one


# -- the largest m


def scanned(memory: str, capacity: int) -> int:
    """The largest m that fits, found by trying one after the other; the formulas as in the question."""
    fixed, for_each = {
        "M_stream1": (GIB, 2 * (N + K)),
        "M_stream2": (2 * GIB, 2 * (N + K)),
        "M_cautious": (GIB, 4 * N),
    }[memory]
    return next(m for m in range(30_000) if fixed + (m + 1) * for_each > capacity)


@pytest.mark.parametrize(
    ("memory", "capacity", "last"),
    [
        ("M_stream1", 40 * GIB, 19958),
        ("M_stream2", 40 * GIB, 19446),
        ("M_cautious", 40 * GIB, 9984),
        ("M_stream1", 40 * 10**9, 18552),
        ("M_stream2", 40 * 10**9, 18040),
        ("M_cautious", 40 * 10**9, 9280),
        ("M_stream1", 42_405_855_232, 19699),
        ("M_stream2", 42_405_855_232, 19187),
        ("M_cautious", 42_405_855_232, 9854),
    ],
)
def test_the_largest_m(memory: str, capacity: int, last: int) -> None:
    assert scanned(memory, capacity) == last
    crossover = memory.replace("M_", "m_")
    (root,) = VRAM.solve(crossover, C=capacity).roots
    assert root.proved
    assert base_magnitude(root.value) // 1 == last
    plan = memory.removeprefix("M_")
    assert VRAM.at(m=last, C=capacity)[plan] == "fits"
    assert VRAM.at(m=last + 1, C=capacity)[plan] == "does not fit"


def test_a_plan_that_just_fits() -> None:
    """M_cautious is 40 GiB to the byte at m = 9984; one byte less of memory is too little."""
    assert number("M_cautious", m=9984) == 40 * GIB
    assert VRAM.at(m=9984)["cautious"] == "fits"
    assert VRAM.at(m=9984, C=40 * GIB - 1)["cautious"] == "does not fit"


def test_forty_gigabytes_are_three_numbers() -> None:
    card = chip("a100-40gb")
    assert base_magnitude(card.memory.quantity) == 40 * 10**9
    assert base_magnitude(card.capacity.quantity) == 42_405_855_232
    assert number("C_usable", m=1) == 40 * GIB == 42_949_672_960
    assert 40 * 10**9 < 42_405_855_232 < 40 * GIB
    assert VRAM.at(m=9984, C=42_405_855_232)["cautious"] == "does not fit"


def test_other_unknowns() -> None:
    (layers,) = VRAM.solve("L_resident", m=8192).roots
    assert base_magnitude(layers.value) == 40 - 16 - Fraction(1, 128)
    assert (VRAM.at(m=8192, L=23)["resident"], VRAM.at(m=8192, L=24)["resident"]) == ("fits", "does not fit")
    (cache,) = VRAM.solve("M_stream2 = C_usable", for_="KV", m=8192).roots
    assert base_magnitude(cache.value) == 40 * GIB - 18 * GIB - 8 * MIB
    (share,) = VRAM.solve("M_stream2 = C_usable", for_="u", m=8192).roots
    assert base_magnitude(share.value) == Fraction("18.0078125") / 40


def test_where_no_m_fits() -> None:
    answer = VRAM.solve("m_stream2", C=2 * GIB)
    assert (answer.verdict, answer.roots) == ("never", ())
    assert answer.condition_text(answer.candidates[0]) == "C*u > 2*s*k*n + KV + M_ws"


# -- commands


def test_eval(call: Command) -> None:
    names = ["W", "A_live", "A_double", "A_train", "M_stream1", "M_stream2", "M_cautious", "M_train"]
    asked = [f"{name}:GiB" for name in names]
    results = json.loads(call("eval", "vram", *asked, "--set", "m=8192", "--json").out)["results"]
    assert [results[name]["value"] for name in names] == [
        72,
        16.0078125,
        32,
        576.28125,
        17.0078125,
        18.0078125,
        33,
        1152.28125,
    ]
    assert {results[name]["unit"] for name in names} == {"GiB"}


def test_solve(call: Command) -> None:
    case = ["--for", "m", "--set", "C=40 GiB", "--json"]
    (root,) = json.loads(call("solve", "vram", "M_stream2 = C", *case).out)["roots"]
    assert (root["exact"], root["first_integer"]) == ("39845888/2049", 19447)
    assert root["closed_form"] == "(C - 2*s*k*n - KV - M_ws)/(s*(k + n))"
    assert (root["below"], root["above"]) == ("M_stream2 < C", "M_stream2 > C")
    answer = json.loads(call("solve", "vram", "M_stream2 <= C", *case).out)
    assert answer["verdict"] == "some"
    assert answer["ranges"][0]["high_integer"] == 19446


def test_check(call: Command) -> None:
    shown = call("check", "vram")
    assert (shown.code, shown.out.split("  ")[0]) == (0, "vram: ok")
    printed = [(claim.of, claim.printed) for claim in VRAM.claims]
    for figure in [
        ("W_layer", "1 GiB"),
        ("W", "72 GiB"),
        ("A_mn", "16 GiB"),
        ("A_double", "32 GiB"),
        ("M_cautious", "35 GiB"),
        ("M_cautious", "37 GiB"),
        ("resident", "does not fit"),
        ("cautious", "fits"),
        ("train", "does not fit"),
    ]:
        assert figure in printed


def test_binary_and_decimal_units_do_not_meet_in_one_sum(call: Command) -> None:
    """The numbers put into each sum are all in multiples of 1024."""
    shown = call("show", "vram").out
    assert "= 16 GiB + 8 MiB\n" in shown
    solution = shown.split("\nSolution\n")[1].split("\nWhere the answer changes\n")[0]
    assert not [line for line in solution.splitlines() if " + " in line and " GB" in line]
