"""Attention against a loop that counts what its blocks move, and its crossovers against a scan."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
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
from symroof.report import build
from symroof.settings import Settings, worked_settings

pytestmark = pytest.mark.slow

FLASH = load("flash_attention")
PEAK, BANDWIDTH = 312 * 10**12, 1555 * 10**9  # FLOP/s and byte/s of an A100 40GB
RIDGE = Fraction(PEAK, BANDWIDTH)
BYTES = 2


def number(name: str, **values: Any) -> Fraction:
    """A quantity in base units: FLOP, byte, s."""
    value = Solution(Settings(FLASH, values)).number(name)
    assert isinstance(value, Fraction)
    return value


def by_hand(tokens: int, head: int, rows: int, share: Fraction) -> dict[str, Fraction]:
    whole = Fraction(4 * tokens**2 * head)
    operations = share * whole
    standard = Fraction(BYTES * (4 * tokens * head + 4 * tokens**2))
    flash = BYTES * (2 * tokens * head + share * 2 * tokens * head * ceil(Fraction(tokens, rows)))
    smooth = BYTES * (2 * tokens * head + share * 2 * tokens**2 * head / rows)
    compute_standard, memory_standard = whole / PEAK, standard / BANDWIDTH
    compute, memory, memory_smooth = operations / PEAK, flash / BANDWIDTH, smooth / BANDWIDTH
    time_standard, time = max(compute_standard, memory_standard), max(compute, memory)
    return {
        "I": RIDGE,
        "F": operations,
        "F_standard": whole,
        "B_standard": standard,
        "B_flash": flash,
        "B_smooth": smooth,
        "AI_standard": whole / standard,
        "AI_flash": operations / flash,
        "AI_smooth": operations / smooth,
        "t_comp_standard": compute_standard,
        "t_mem_standard": memory_standard,
        "t_standard": time_standard,
        "t_sum_standard": compute_standard + memory_standard,
        "t_comp": compute,
        "t_mem": memory,
        "t_mem_smooth": memory_smooth,
        "t": time,
        "t_sum": compute + memory,
        "speedup": time_standard / time,
        "speedup_low": time_standard / (compute + memory),
        "speedup_high": (compute_standard + memory_standard) / time,
        "M_standard": Fraction(2 * BYTES * tokens**2),
        "most_blocks": Fraction(enough := blocks_served(operations, tokens, head, share)),
        "B_r_whole": Fraction(next(size for size in range(1, tokens + 1) if ceil(tokens / size) <= max(enough, 1))),
    }


def blocks_served(operations: Fraction, tokens: int, head: int, share: Fraction) -> int:
    """How many blocks are read and served in the time of the arithmetic, by adding one after the other."""
    blocks = 0
    while BYTES * tokens * head * (2 + 2 * share * (blocks + 1)) / BANDWIDTH <= operations / PEAK:
        blocks += 1
    return blocks


@pytest.mark.parametrize(
    ("tokens", "head", "rows", "share"),
    [
        (4096, 128, 128, Fraction(1)),
        (4096, 128, 256, Fraction(1, 2)),
        (1000, 64, 96, Fraction(1)),
        (1, 1, 1, Fraction(1)),
        (131072, 128, 4096, Fraction(3, 4)),
    ],
)
def test_every_quantity_is_exactly_what_integers_give(tokens: int, head: int, rows: int, share: Fraction) -> None:
    expected = by_hand(tokens, head, rows, share)
    assert {name: number(name, T=tokens, H=head, B_r=rows, rho=share) for name in expected} == expected
    assert [*expected, "whole_blocks"] == list(FLASH.steps)


def test_the_default_is_the_whole_square() -> None:
    assert number("B_flash") == by_hand(4096, 128, 128, Fraction(1))["B_flash"] == 69206016
    assert number("B_standard") == 138412032
    assert number("F") == 8589934592


def counted(tokens: int, head: int, rows: int) -> tuple[int, int]:
    """Elements that FlashAttention-2 and standard attention move, one access at a time."""
    flash = 0
    for start in range(0, tokens, rows):
        queries = range(start, min(start + rows, tokens))
        flash += sum(head for _ in queries)  # read queries
        for _ in range(tokens):  # read every key and every value
            flash += head + head
        flash += sum(head for _ in queries)  # write results
    standard = 0
    for _ in range(tokens):
        standard += head + head + head + head  # a query, a key and a value read, a result written
        for _ in range(tokens):
            standard += 1 + 1 + 1 + 1  # the score written and read, its softmax written and read
    return flash, standard


@given(tokens=st.integers(1, 60), head=st.integers(1, 16), rows=st.integers(1, 80), size=st.sampled_from([1, 2, 4]))
@settings(max_examples=30)
def test_traffic_is_what_counting_finds(tokens: int, head: int, rows: int, size: int) -> None:
    flash, standard = counted(tokens, head, rows)
    values = {"T": tokens, "H": head, "B_r": rows, "s": f"{size} byte"}
    assert number("B_flash", **values) == size * flash
    assert number("B_standard", **values) == size * standard
    assert number("B_smooth", **values) <= size * flash
    if tokens % rows == 0:
        assert number("B_smooth", **values) == size * flash


@given(blocks=st.integers(1, 12), rows=st.integers(1, 12), head=st.integers(1, 8))
@settings(max_examples=20)
def test_a_causal_mask_leaves_out_the_blocks_above_the_diagonal(blocks: int, rows: int, head: int) -> None:
    operations = moved = 0
    for query_block in range(blocks):
        moved += 2 * rows * head  # queries read, results written
        for _ in range(query_block + 1):  # the blocks of keys up to the diagonal
            moved += 2 * rows * head  # keys and values read
            operations += 2 * 2 * rows * rows * head
    share = Fraction(blocks + 1, 2 * blocks)  # towards 1/2
    values = {"T": blocks * rows, "H": head, "B_r": rows, "rho": share}
    assert number("F", **values) == operations
    assert number("B_flash", **values) == BYTES * moved
    assert number("F_standard", **values) == 2 * 2 * (blocks * rows) ** 2 * head


@given(tokens=st.integers(1, 10**5), head=st.integers(1, 256), rows=st.integers(1, 4096))
@settings(max_examples=20)
def test_the_bounds_of_the_speedup(tokens: int, head: int, rows: int) -> None:
    low, here, high = (number(name, T=tokens, H=head, B_r=rows) for name in ("speedup_low", "speedup", "speedup_high"))
    assert low < here < high
    assert high <= 2 * here  # no overlap at all at most doubles a time
    assert low >= here / 2


def first_compute_bound(tokens: int, ridge: Fraction, share: Fraction = Fraction(1), *, smooth: bool = True) -> int:
    """The first B_r at which the arithmetic takes at least as long as the traffic, by trying them all."""
    rows = 1
    while True:
        blocks = Fraction(tokens, rows) if smooth else Fraction(ceil(Fraction(tokens, rows)))
        if 4 * share * tokens**2 >= ridge * BYTES * (2 * tokens + 2 * share * tokens * blocks):
            return rows
        rows += 1


def test_the_block_that_is_large_enough() -> None:
    answer = FLASH.solve("B_r_star")
    (root,) = answer.roots
    # I s T/(c T - I s) with numbers; the head size is not in it
    assert Fraction(root.value.magnitude) == RIDGE * 2 * 4096 / (2 * 4096 - RIDGE * 2) == Fraction(3993600, 18929)
    assert root.first_integer == 211 == first_compute_bound(4096, RIDGE)
    assert root.proved
    assert (root.below, root.above) == ("memory-bound in the smooth form", "compute-bound in the smooth form")
    assert answer.text(root.candidate.closed_form) == "P*s*rho*T/(c*beta*rho*T - P*s)"
    assert [answer.condition_text(one) for one in answer.candidates] == ["c*beta*rho*T > P*s"]
    for head in (1, 64, 256):
        assert FLASH.solve("B_r_star", H=head).roots[0].value.magnitude == root.value.magnitude


@pytest.mark.parametrize(("tokens", "first"), [(210, 4504), (512, 330), (1024, 250), (10**6, 201)])
def test_the_block_for_other_lengths(tokens: int, first: int) -> None:
    (root,) = FLASH.solve("B_r_star", T=tokens).roots
    value = Fraction(root.value.magnitude)
    assert value == RIDGE * 2 * tokens / (2 * tokens - RIDGE * 2)
    assert ceil(value) == root.first_integer == first == first_compute_bound(tokens, RIDGE)


@pytest.mark.parametrize(
    ("chip", "ridge"), [("h100-sxm", Fraction(9894 * 10**11, 3350 * 10**9)), ("t4", Fraction(65000, 320))]
)
def test_the_block_on_other_chips(chip: str, ridge: Fraction) -> None:
    (root,) = FLASH.solve("B_r_star", on=chip, T=2048, rho=Fraction(1, 2)).roots
    assert root.first_integer == first_compute_bound(2048, ridge, Fraction(1, 2))


@pytest.mark.parametrize(
    ("tokens", "share"), [(200, Fraction(1)), (201, Fraction(1)), (401, Fraction(1, 2)), (402, Fraction(1, 2))]
)
def test_there_is_such_a_block_only_for_long_sequences(tokens: int, share: Fraction) -> None:
    # c rho T > I s, that is rho T > 200.64 on an A100
    exists = 2 * share * tokens > RIDGE * 2
    assert exists == (tokens in (201, 402))
    answer = FLASH.solve("B_r_star", T=tokens, rho=share)
    assert answer.verdict == ("crosses" if exists else "never")


def test_whole_blocks_need_a_little_more() -> None:
    # Between 211 and 215 rows the 20 blocks of the ceiling are still too many reads; 19 blocks begin at 216.
    assert first_compute_bound(4096, RIDGE, smooth=False) == 216
    assert [FLASH.at(B_r=rows)["regime"] for rows in (211, 215, 216)] == [
        "memory-bound",
        "memory-bound",
        "compute-bound",
    ]
    assert [number("AI_flash", B_r=rows) < RIDGE for rows in (215, 216)] == [True, False]
    said = "Counted in whole blocks, attention over {} queries in blocks of {} or more is {}."
    found = [paragraph.text for paragraph in build(worked_settings(FLASH, {}, on="a100-40gb", dtype="fp16")).conclusion]
    assert said.format(4096, 216, "compute-bound, in smaller ones memory-bound") in found
    short = build(worked_settings(FLASH, {"T": 401}, on="a100-40gb", dtype="fp16"))  # 2 T/200.64 < 4
    assert FLASH.at(T=401, B_r=401)["regime"] == "memory-bound"
    assert said.format(401, 401, "memory-bound, as in smaller ones") in [one.text for one in short.conclusion]
    assert FLASH.at(T=402, B_r=402)["regime"] == FLASH.at(T=402, B_r=402)["whole_blocks"].split(",")[0]


def test_the_block_that_moves_no_more_than_standard_attention() -> None:
    (root,) = FLASH.solve("B_r_even").roots
    assert Fraction(root.value.magnitude) == Fraction(4096 * 128, 2 * 4096 + 128)
    assert (root.first_integer, root.below) == (64, "more traffic than standard attention")
    moved = {rows: by_hand(4096, 128, rows, Fraction(1)) for rows in (63, 64)}
    assert moved[63]["B_smooth"] > moved[63]["B_standard"]
    assert moved[64]["B_smooth"] < moved[64]["B_standard"]
    # With as many rows as the head has elements it moves exactly half, for every length.
    for tokens in (128, 1024, 131072):
        assert 2 * number("B_smooth", T=tokens, H=128, B_r=128) == number("B_standard", T=tokens, H=128)


def test_the_limits_as_the_sequence_grows() -> None:
    algebra = Algebra(FLASH)
    found = {fact.of: algebra.limit(fact) for fact in FLASH.facts if isinstance(fact, Limit)}
    assert {of: algebra.writer.text(limit) for of, limit in found.items()} == {
        "AI_standard": "c*H/(2*s)",
        "AI_smooth": "c*B_r/s",
    }
    values = {algebra.symbol(name): value for name, value in {"c": 2, "H": 128, "s": 2, "B_r": 192}.items()}
    assert [limit.subs(values) for limit in found.values()] == [sympy.Integer(64), sympy.Integer(192)]
    for tokens in (4096, 10**6):
        assert number("AI_standard", T=tokens) < 64
        assert number("AI_smooth", T=tokens, B_r=192) < 192
    assert number("AI_standard", T=10**9) > 64 - Fraction(1, 10**4)
    assert number("AI_smooth", T=10**9, B_r=192) > 192 - Fraction(1, 10**4)


def test_what_only_rises() -> None:
    algebra = Algebra(FLASH)
    trends = [fact for fact in FLASH.facts if isinstance(fact, Trend)]
    assert [(fact.of, fact.grows) for fact in trends] == [("AI_smooth", "T"), ("AI_smooth", "B_r")]
    assert [algebra.derivative(fact)[1] for fact in trends] == [1, 1]


def test_memory_that_is_not_needed() -> None:
    # Two matrices of 4096 x 4096 elements of 2 byte are 64 MiB a head.
    assert number("M_standard") == 2 * 2 * 4096**2 == 64 * 2**20
    assert number("M_standard", T=131072) == 64 * 2**30


@pytest.mark.parametrize("tokens", [128, 8192])
def test_all_queries_in_one_block(tokens: int) -> None:
    # The intensity T/2 that is printed for attention in prefill with 2 byte per element
    assert number("AI_flash", T=tokens, B_r=tokens) == Fraction(tokens, 2)


def test_units_readings_roots_and_claims() -> None:
    outcome = check(worked_settings(FLASH, {}, on="a100-40gb", dtype="fp16"))
    assert {name: section.failed for name, section in outcome.sections.items() if section.failed} == {}
    assert outcome.sections["claims"].checked == len(FLASH.claims) == 2
