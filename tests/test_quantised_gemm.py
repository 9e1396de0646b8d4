"""The product with quantised weights against integers, against counted weights, and its crossover against a scan."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symroof import load
from symroof.algebra import Algebra
from symroof.check import check
from symroof.declared import Limit
from symroof.evaluate import Solution
from symroof.settings import Settings, worked_settings

pytestmark = pytest.mark.slow

QUANTISED = load("quantised_gemm")
K, N = 512, 1048576
PEAK, BANDWIDTH = 312 * 10**12, 1555 * 10**9  # FLOP/s and byte/s of an A100 40GB

INT8: dict[str, Any] = {"s_w": "1 byte"}
INT4: dict[str, Any] = {"s_w": "4 bit"}
INT4_WITH_SCALES: dict[str, Any] = {"s_w": "4 bit", "s_scale": "2 byte", "G": 128}
# bytes per weight, scales and all: 1/2 byte and 2 byte for each 128
WIDTHS: list[tuple[dict[str, Any], Fraction]] = [
    ({}, Fraction(2)),
    (INT8, Fraction(1)),
    (INT4, Fraction(1, 2)),
    (INT4_WITH_SCALES, Fraction(33, 64)),
    ({**INT8, "s_scale": "4 byte", "G": 64}, Fraction(17, 16)),
]


def number(name: str, **values: Any) -> Fraction:
    """A quantity in base units: FLOP, byte, s."""
    value = Solution(Settings(QUANTISED, values)).number(name)
    assert isinstance(value, Fraction)
    return value


def by_hand(m: int, width: Fraction) -> dict[str, Fraction]:
    operations = Fraction(2 * m * K * N)
    weights, activations = width * K * N, Fraction(2 * (m * K + m * N))
    moved, wide = weights + activations, 2 * K * N + activations
    compute, memory, memory_wide = operations / PEAK, moved / BANDWIDTH, wide / BANDWIDTH
    time, time_wide = max(compute, memory), max(compute, memory_wide)
    return {
        "F": operations,
        "I": Fraction(PEAK, BANDWIDTH),
        "s_eff": width,
        "B_w": weights,
        "B_a": activations,
        "B": moved,
        "AI": operations / moved,
        "t_comp": compute,
        "t_mem": memory,
        "t": time,
        "t_sum": compute + memory,
        "B_wide": wide,
        "t_mem_wide": memory_wide,
        "t_wide": time_wide,
        "B_saved": (2 - width) * K * N,
        "t_saved": time_wide - time,
        "speedup": time_wide / time,
        "share_m": width / 2,
        "m_inf": Fraction(PEAK, BANDWIDTH) * width / 2,
    }


@pytest.mark.parametrize("m", [1, 85, 86, 128, 2048])
@pytest.mark.parametrize(("values", "width"), WIDTHS)
def test_every_quantity_is_exactly_what_integers_give(m: int, values: dict[str, Any], width: Fraction) -> None:
    expected = by_hand(m, width)
    assert {name: number(name, m=m, **values) for name in expected} == expected
    assert list(expected) == list(QUANTISED.steps)


def test_weights_are_as_wide_as_the_activations_unless_it_is_said() -> None:
    assert number("B", m=128) == number("B_wide", m=128) == 2 * (128 * K + K * N + 128 * N)
    assert number("speedup", m=128) == 1
    assert number("B_saved", m=128) == 0


def test_the_rate_is_that_of_the_activations() -> None:
    operations = 2 * 128 * K * N
    assert number("t_comp", m=128, **INT4) == Fraction(operations, PEAK)
    both = Solution(Settings(QUANTISED, {"m": 128}, dtype="int8"))
    assert both.number("t_comp") == Fraction(operations, 2 * PEAK)  # INT8 products run at 624 TOP/s
    assert both.number("B") == 128 * K + K * N + 128 * N


@given(
    groups=st.integers(1, 40),
    size=st.integers(1, 64),
    k=st.integers(1, 12),
    m=st.integers(1, 50),
    bits=st.sampled_from([4, 8, 16]),
    scale=st.integers(0, 4),
)
@settings(max_examples=25)
def test_traffic_is_what_counting_finds(groups: int, size: int, k: int, m: int, bits: int, scale: int) -> None:
    # k*n weights in whole groups: n is chosen so that G divides k n.
    n = groups * size
    weights = 0  # in bits
    for at in range(k * n):
        if at % size == 0:
            weights += 8 * scale
        weights += bits
    activations = sum(2 for _ in range(m) for _ in range(k)) + sum(2 for _ in range(m) for _ in range(n))
    values = {"m": m, "k": k, "n": n, "s_w": f"{bits} bit", "s_scale": f"{scale} byte", "G": size, "s_a": "2 byte"}
    assert number("B_w", **values) == Fraction(weights, 8)
    assert number("B", **values) == Fraction(weights, 8) + activations


@given(m=st.integers(1, 10**5), k=st.integers(1, 10**4), n=st.integers(1, 10**6), bits=st.integers(1, 15))
@settings(max_examples=25)
def test_bounds_of_the_speedup(m: int, k: int, n: int, bits: int) -> None:
    # Both bounds are general: the arithmetic is the same, and the traffic shrinks less than the weights do.
    assert 1 <= number("speedup", m=m, k=k, n=n, s_w=f"{bits} bit") <= Fraction(16, bits)


def first_compute_bound(width: Fraction, k: int = K, n: int = N, wide: int = 2, ridge: Fraction | None = None) -> int:
    """The first m whose arithmetic takes at least as long as its traffic, by trying them all."""
    ridge = Fraction(PEAK, BANDWIDTH) if ridge is None else ridge
    m = 1
    while 2 * m * k * n < ridge * (width * k * n + wide * (m * k + m * n)):
        m += 1
    return m


@pytest.mark.parametrize(
    ("values", "width", "exact", "first"),
    [
        ({}, Fraction(2), Fraction(1022361600, 3097649), 331),
        (INT8, Fraction(1), Fraction(511180800, 3097649), 166),
        (INT4, Fraction(1, 2), Fraction(255590400, 3097649), 83),
        (INT4_WITH_SCALES, Fraction(33, 64), Fraction(263577600, 3097649), 86),
    ],
)
def test_the_crossover(values: dict[str, Any], width: Fraction, exact: Fraction, first: int) -> None:
    (root,) = QUANTISED.solve("m_star", **values).roots
    value = Fraction(root.value.magnitude)
    # P s_w k n/(c beta k n - P s_a (k + n)) with numbers
    assert value == exact == PEAK * width * K * N / (2 * BANDWIDTH * K * N - PEAK * 2 * (K + N))
    assert root.first_integer == first == first_compute_bound(width)
    assert (root.below, root.above) == ("memory-bound", "compute-bound")
    assert root.proved
    regimes = [QUANTISED.at(m=m, **values)["regime"] for m in (first - 1, first)]
    assert regimes == ["memory-bound", "compute-bound"]


def test_the_closed_forms() -> None:
    answer = QUANTISED.solve("m_star_wide")
    (root,) = answer.roots
    assert answer.text(root.candidate.closed_form) == "P*s_a*k*n/(c*beta*k*n - P*s_a*(k + n))"
    assert [answer.condition_text(one) for one in answer.candidates] == ["c*beta*k*n > P*s_a*(k + n)"]
    answer = QUANTISED.solve("m_star")
    (root,) = answer.roots
    assert (
        answer.text(root.candidate.closed_form) == "P*k*n*(s_w*G + s_scale)/(G*(c*beta*k*n - P*s_a*(k + n)))"
    )  # P s_w k n/(c beta k n - P s_a (k + n)) with s_w + s_scale/G for s_w


@pytest.mark.parametrize(("values", "width"), WIDTHS)
def test_the_crossover_falls_as_the_bytes_per_weight_do(values: dict[str, Any], width: Fraction) -> None:
    (root,), (wide,) = (QUANTISED.solve(name, **values).roots for name in ("m_star", "m_star_wide"))
    assert Fraction(root.value.magnitude) / Fraction(wide.value.magnitude) == width / 2
    assert number("share_m", m=1, **values) == width / 2


@pytest.mark.parametrize("side", [401, 402])
def test_the_condition_is_the_activations_alone(side: int) -> None:
    # c beta k n > P s_a (k + n) for k = n: k > 2 P s_a/(c beta) = 401.29, however few bytes a weight has.
    exists = 2 * BANDWIDTH * side**2 > PEAK * 2 * 2 * side
    assert exists == (side >= 402)
    for values in (INT8, INT4_WITH_SCALES):
        answer = QUANTISED.solve("m_star", k=side, n=side, **values)
        assert (len(answer.roots), answer.verdict) == ((1, "crosses") if exists else (0, "never"))


@pytest.mark.parametrize(
    ("k", "n", "first"),
    [(4096, 4096, 223), (16384, 4096, 214), (12288, 12288, 208), (28672, 8192, 208), (49152, 12288, 205)],
)
def test_shapes_of_known_models_with_16_bit_weights(k: int, n: int, first: int) -> None:
    (root,) = QUANTISED.solve("m_star_wide", k=k, n=n).roots
    assert root.first_integer == first == first_compute_bound(Fraction(2), k, n)


def test_the_rule_of_thumb_is_the_crossover_of_very_large_weights() -> None:
    rule = number("m_inf", m=1, **INT4)
    (root,) = QUANTISED.solve("m_star", k=10**12, n=10**12, **INT4).roots
    assert rule < Fraction(root.value.magnitude) < rule + Fraction(1, 10**6)
    assert rule == Fraction(PEAK, BANDWIDTH) / 4


def test_a_threshold_that_is_printed_wrong() -> None:
    # 271 is printed for int8, k = 4096, n = 16384 at 394 TOP/s and 810 GB/s, from operands of one or two digits.
    chip: dict[str, Any] = {
        "P": "394 TOP/s",
        "beta": "810 GB/s",
        "s_a": "1 byte",
        "s_w": "1 byte",
        "k": 4096,
        "n": 16384,
    }
    (root,) = QUANTISED.solve("m_star", **chip).roots
    scanned = first_compute_bound(Fraction(1), 4096, 16384, wide=1, ridge=Fraction(394 * 10**12, 810 * 10**9))
    assert root.first_integer == scanned == 263
    assert round(root.value.magnitude, 3) == Fraction(262709, 1000)


def test_the_ceiling_of_the_intensity_does_not_depend_on_the_weights() -> None:
    (limit,) = [fact for fact in QUANTISED.facts if isinstance(fact, Limit)]
    algebra = Algebra(QUANTISED)
    assert algebra.writer.text(algebra.limit(limit)) == "c*k*n/(s_a*(k + n))"
    ceiling = Fraction(2 * K * N, 2 * (K + N))
    for values in (INT8, INT4_WITH_SCALES):
        assert ceiling - Fraction(1, 10**6) < number("AI", m=10**12, **values) < ceiling


def test_what_is_saved_does_not_depend_on_m() -> None:
    saved = {number("B_saved", m=m, **INT4_WITH_SCALES) for m in (1, 128, 8192)}
    assert saved == {Fraction(2 - Fraction(33, 64)) * 2**29}
    # From m* of the wide weights on the arithmetic hides them, and no time is saved.
    assert number("t_saved", m=330, **INT4) > 0
    assert number("t_saved", m=331, **INT4) == 0


def test_units_readings_roots_and_claims() -> None:
    outcome = check(worked_settings(QUANTISED, {}, on="a100-40gb", dtype="fp16"))
    assert {name: section.failed for name, section in outcome.sections.items() if section.failed} == {}
    assert outcome.sections["claims"].checked == len(QUANTISED.claims) == 7


def test_the_worked_table_shows_both_sides_of_the_crossover() -> None:
    regimes = {m: QUANTISED.at(m=m, **INT4_WITH_SCALES)["regime"] for m in QUANTISED.example.over["m"]}
    assert [m for m, label in regimes.items() if label == "memory-bound"] == [1, 8, 32, 64, 85]
    assert ceil(Fraction(263577600, 3097649)) == 86
