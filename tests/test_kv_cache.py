"""The KV cache against a loop over layers, heads and tokens, and what fits against a scan."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from symroof import load
from symroof.algebra import Algebra
from symroof.check import check
from symroof.declared import Limit, Trend
from symroof.evaluate import Solution
from symroof.settings import Settings, worked_settings

pytestmark = pytest.mark.slow

CACHE = load("kv_cache")
PEAK, BANDWIDTH = 312 * 10**12, 1555 * 10**9  # FLOP/s and byte/s of an A100 40GB
RIDGE = Fraction(PEAK, BANDWIDTH)
CAPACITY = 42405855232  # byte, as the driver reports them
LAYERS, HEADS, KV_HEADS, HEAD, PARAMETERS = 32, 32, 8, 128, 8030261248  # Llama-3.1-8B
WEIGHTS = 2 * PARAMETERS


def number(name: str, **values: Any) -> Fraction:
    """A quantity in base units: FLOP, byte, s."""
    value = Solution(Settings(CACHE, values)).number(name)
    assert isinstance(value, Fraction)
    return value


def by_hand(tokens: int, batch: int, width: Fraction) -> dict[str, Fraction]:
    group = Fraction(HEADS, KV_HEADS)
    token = 2 * LAYERS * KV_HEADS * HEAD * width
    sequence, cache = tokens * token, batch * tokens * token
    free = CAPACITY - WEIGHTS
    operations = Fraction(2 * PARAMETERS + 2 * 2 * LAYERS * HEADS * HEAD * tokens)
    compute, memory = batch * operations / PEAK, (WEIGHTS + cache) / BANDWIDTH
    return {
        "I": RIDGE,
        "r": group,
        "s_eff": width,
        "KV_token": token,
        "KV_sequence": sequence,
        "KV": cache,
        "W": Fraction(WEIGHTS),
        "M": WEIGHTS + cache,
        "C_usable": Fraction(CAPACITY),
        "C_free": Fraction(free),
        "T_max": Fraction(floor(free / (batch * token))),
        "b_max": Fraction(floor(free / sequence)),
        "t_W": Fraction(WEIGHTS, BANDWIDTH),
        "t_KV": cache / BANDWIDTH,
        "t_mem": memory,
        "F_token": operations,
        "t_comp": compute,
        "t": max(compute, memory),
        "t_sum": compute + memory,
        "rate": batch / max(compute, memory),
        "AI_attention": 2 * group * tokens / (width * tokens + 2 * group),
        "AI_max": 2 * group / width,
        "t_comp_sequence": operations / PEAK,
        "t_mem_sequence": sequence / BANDWIDTH,
    }


SIXTEEN: dict[str, Any] = {}
EIGHT: dict[str, Any] = {"s_kv": "1 byte"}
FOUR: dict[str, Any] = {"s_kv": "0.5 byte"}
FOUR_WITH_SCALES: dict[str, Any] = {"s_kv": "4 bit", "s_scale": "2 byte", "G": 32}
WIDTHS = [(SIXTEEN, Fraction(2)), (EIGHT, Fraction(1)), (FOUR, Fraction(1, 2)), (FOUR_WITH_SCALES, Fraction(9, 16))]


@pytest.mark.parametrize(("tokens", "batch"), [(1, 1), (8192, 16), (131072, 1)])
@pytest.mark.parametrize(("values", "width"), WIDTHS)
def test_every_quantity_is_exactly_what_integers_give(
    tokens: int, batch: int, values: dict[str, Any], width: Fraction
) -> None:
    expected = by_hand(tokens, batch, width)
    assert {name: number(name, T=tokens, b=batch, **values) for name in expected} == expected
    assert set(CACHE.steps) - set(expected) == {"fits"}
    assert CACHE.at(T=tokens, b=batch, **values)["fits"] == ("fits" if expected["M"] <= CAPACITY else "does not fit")


@given(
    layers=st.integers(1, 5),
    heads=st.integers(1, 5),
    groups=st.integers(1, 3),
    size=st.integers(1, 16),
    tokens=st.integers(1, 12),
    batch=st.integers(1, 3),
    bits=st.sampled_from([4, 8, 16]),
    scale=st.integers(0, 4),
)
@settings(max_examples=25)
def test_bytes_are_what_counting_finds(
    layers: int, heads: int, groups: int, size: int, tokens: int, batch: int, bits: int, scale: int
) -> None:
    held = 0  # in bits
    for _ in range(batch * tokens * layers * heads):
        for _ in ("a key", "a value"):
            for _ in range(groups):
                held += size * bits + 8 * scale
    values = {"L": layers, "K_kv": heads, "H": groups * size, "G": size, "T": tokens, "b": batch}
    width = {"s_kv": f"{bits} bit", "s_scale": f"{scale} byte"}
    assert number("KV", **values, **width) == Fraction(held, 8)
    assert batch * tokens * number("KV_token", **values, **width) == Fraction(held, 8)


@given(heads=st.integers(1, 4), group=st.integers(1, 6), head=st.integers(1, 8), tokens=st.integers(1, 30))
@settings(max_examples=20)
def test_attention_is_what_counting_finds(heads: int, group: int, head: int, tokens: int) -> None:
    operations = moved = 0
    for _ in range(heads):
        moved += 2 * tokens * head * 2  # keys and values, 2 byte each
        for _ in range(group):
            moved += 2 * head * 2  # a query read, a result written
            for _ in range(tokens):
                operations += 2 * head + 2 * head  # query times key, softmax times value
    found = number("AI_attention", N=heads * group, K_kv=heads, H=head, T=tokens)
    assert found == Fraction(operations, moved)
    added = number("F_token", N=heads * group, K_kv=heads, H=head, T=tokens, L=3, params=1) - 2
    assert added == 3 * operations


def longest(batch: int, width: Fraction, capacity: int = CAPACITY) -> int:
    """The longest context that fits, by halving: at 0 the weights fit, at 10^9 nothing does."""
    low, high = 0, 10**9
    while high - low > 1:
        middle = (low + high) // 2
        fits = WEIGHTS + batch * middle * 2 * LAYERS * KV_HEADS * HEAD * width <= capacity
        low, high = (middle, high) if fits else (low, middle)
    return low


@pytest.mark.parametrize(
    ("values", "width", "context"),
    [(SIXTEEN, Fraction(2), 12562), (EIGHT, Fraction(1), 25124), (FOUR, Fraction(1, 2), 50249)],
)
def test_the_longest_context(values: dict[str, Any], width: Fraction, context: int) -> None:
    assert number("T_max", b=16, **values) == context == longest(16, width)
    (root,) = CACHE.solve("T_fit", b=16, **values).roots
    assert root.first_integer == context + 1
    assert (root.below, root.above) == ("weights and cache fit", "no longer")
    labels = [CACHE.at(b=16, T=tokens, **values)["fits"] for tokens in (context, context + 1)]
    assert labels == ["fits", "does not fit"]


@pytest.mark.parametrize(("values", "batch"), [(SIXTEEN, 24), (EIGHT, 49), (FOUR, 98), (FOUR_WITH_SCALES, 87)])
def test_the_largest_batch(values: dict[str, Any], batch: int) -> None:
    assert number("b_max", T=8192, **values) == batch
    (root,) = CACHE.solve("b_fit", T=8192, **values).roots
    assert root.first_integer == batch + 1
    assert number("M", b=batch, T=8192, **values) <= CAPACITY < number("M", b=batch + 1, T=8192, **values)


def test_where_not_even_the_weights_fit() -> None:
    values: dict[str, Any] = {"params": 70 * 10**9}
    assert number("C_free", **values) == CAPACITY - 140 * 10**9 < 0
    assert [number(name, **values) for name in ("T_max", "b_max")] == [0, 0]
    assert CACHE.at(**values)["fits"] == "does not fit"
    assert CACHE.solve("T_fit", **values).verdict == "never"


def test_workspace_and_a_usable_share_leave_less() -> None:
    free = CAPACITY * Fraction(9, 10) - WEIGHTS - 2**30
    assert number("T_max", b=16, u=Fraction(9, 10), M_ws="1 GiB") == floor(free / (16 * 131072))


@pytest.mark.parametrize(
    ("batch", "values", "width"),
    [(16, SIXTEEN, Fraction(2)), (1, SIXTEEN, Fraction(2)), (16, FOUR_WITH_SCALES, Fraction(9, 16))],
)
def test_the_context_from_which_the_cache_costs_more_than_the_weights(
    batch: int, values: dict[str, Any], width: Fraction
) -> None:
    (root,) = CACHE.solve("T_star", b=batch, **values).roots
    exact = WEIGHTS / (batch * 2 * LAYERS * KV_HEADS * HEAD * width)
    assert Fraction(root.value.magnitude) == exact
    assert root.first_integer == ceil(exact)
    assert (root.below, root.above) == ("reading the weights takes longer", "reading the cache")
    assert number("t_KV", T=ceil(exact) - 1, b=batch, **values) < number("t_W")
    assert number("t_KV", T=ceil(exact), b=batch, **values) >= number("t_W")


def test_the_context_from_which_no_batch_makes_a_step_compute_bound() -> None:
    tokens = 1
    while (2 * PARAMETERS + 4 * LAYERS * HEADS * HEAD * tokens) * BANDWIDTH > tokens * 131072 * PEAK:
        tokens += 1
    (root,) = CACHE.solve("T_batch").roots
    assert root.first_integer == tokens == 624
    # P KV_token - beta 2 c L N H leaves what each further token adds to the reading
    exact = Fraction(2 * PARAMETERS * BANDWIDTH, 131072 * PEAK - 4 * LAYERS * HEADS * HEAD * BANDWIDTH)
    assert Fraction(root.value.magnitude) == exact
    (batch,) = CACHE.solve("t_comp = t_mem", for_="b", T=623).roots
    assert (batch.below, batch.above) == ("memory-bound", "compute-bound")
    assert batch.value.magnitude == WEIGHTS * PEAK / (
        (by_hand(623, 1, Fraction(2))["F_token"]) * BANDWIDTH - 623 * 131072 * PEAK
    )
    assert CACHE.solve("t_comp = t_mem", for_="b", T=624).verdict == "never"


def test_enough_queries_a_head_make_every_context_compute_bound_in_a_large_batch() -> None:
    # With more than I s_kv/c = 200.64 queries for each head of keys and values, attention itself is compute-bound.
    assert CACHE.solve("T_batch", N=201, K_kv=1).verdict == "never"
    assert CACHE.solve("T_batch", N=200, K_kv=1).verdict == "crosses"
    assert [number("AI_max", N=queries, K_kv=1) > RIDGE for queries in (200, 201)] == [False, True]


def test_the_intensity_of_attention_tends_to_the_group_size() -> None:
    (limit,) = [fact for fact in CACHE.facts if isinstance(fact, Limit)]
    algebra = Algebra(CACHE)
    found = algebra.limit(limit)
    assert algebra.writer.text(found) == "r*c/s_eff"
    assert found.subs({algebra.symbol("r"): 4, algebra.symbol("c"): 2, algebra.symbol("s_eff"): 2}) == sympy.Integer(4)
    assert 4 - Fraction(1, 10**6) < number("AI_attention", T=10**9) < 4 == number("AI_max")
    # One byte an element doubles it, half a byte doubles it again.
    assert [number("AI_max", **values) for values, _ in WIDTHS[:3]] == [4, 8, 16]
    (trend,) = [fact for fact in CACHE.facts if isinstance(fact, Trend)]
    assert algebra.derivative(trend)[1] == 1


def test_a_larger_batch_leaves_the_intensity_of_attention() -> None:
    assert number("AI_attention", b=1) == number("AI_attention", b=64)


def test_published_figures_that_are_printed_wrong() -> None:
    # "6.7 GiB" for Llama-2-13B at 8192 tokens: the number is GB
    assert number("KV", L=40, K_kv=40, H=128, T=8192, b=1) == Fraction(25, 4) * 2**30 == 6710886400
    # "130.4 GB" for 70e9 parameters of 2 byte: the number is GiB
    assert number("W", params=70 * 10**9) == 140 * 10**9
    assert round(number("W", params=70 * 10**9) / 2**30, 3) == Fraction(130385, 1000)
    # "104e12 byte" for 52e9 parameters of 2 byte
    assert number("W", params=52 * 10**9) == 104 * 10**9
    # "23000" tokens in 56 GB beside the weights of a 52e9-parameter model in 160 GB
    values: dict[str, Any] = {"L": 64, "K_kv": 64, "H": 128, "params": 52 * 10**9, "C": "160 GB"}
    assert number("C_free", **values) == 56 * 10**9
    assert number("T_max", **values) == 56 * 10**9 // 2097152 == 26702


def test_a_published_figure_from_a_rounded_one() -> None:
    # 41.9 GB and 7 chips of 16 GB are printed for Llama-3-70B in int8 from 160e3 byte a token; it has 163840.
    values: dict[str, Any] = {"L": 80, "s_kv": "1 byte", "s_w": "1 byte", "params": 70 * 10**9, "T": 8192, "b": 32}
    assert number("KV", **values) == 42949672960
    assert ceil(number("M", **values) / (16 * 10**9)) == 8


@pytest.mark.parametrize(
    ("batch", "milliseconds", "rate"),
    [
        (1, "4.17", "239.94"),
        (8, "5.60", "1429.19"),
        (16, "7.23", "2212.48"),
        (32, "10.50", "3047.62"),
        (64, "17.04", "3756.62"),
        (240, "52.99", "4529.34"),
    ],
)
def test_a_published_table_of_steps(batch: int, milliseconds: str, rate: str) -> None:
    # 26 GB of weights and 1.34 GB of cache a sequence on 8 TPU v5e of 820 GB/s; one key and one value of 0.67 GB
    values: dict[str, Any] = {"params": 13 * 10**9, "L": 1, "K_kv": 1, "H": 1, "T": 1, "s_kv": "0.67 GB", "b": batch}
    time = number("t_mem", **values, beta="6.56 TB/s")
    assert abs(time * 1000 - Fraction(milliseconds)) <= Fraction(5, 1000)
    assert abs(batch / time - Fraction(rate)) <= Fraction(5, 1000)


def test_a_cache_that_is_derived_but_not_printed() -> None:
    assert number("KV_token", L=64, K_kv=8, H=256, s_kv="1 byte") == 262144


def test_units_readings_roots_and_claims() -> None:
    outcome = check(worked_settings(CACHE, {}, on="a100-40gb", dtype="fp16"))
    assert {name: section.failed for name, section in outcome.sections.items() if section.failed} == {}
    assert outcome.sections["claims"].checked == len(CACHE.claims) == 18
