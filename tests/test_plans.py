"""Which plan the report chooses, worked out by hand for three chips and three m."""

from __future__ import annotations

from fractions import Fraction

import pytest

import symroof
from symroof.report import build, worked_settings
from symroof.shown import Report
from symroof.terminal import worked_solution
from symroof.writing import write

PLANS = symroof.load("plans")
GIB = 2**30


def report(chip: str, m: int, capacity: str) -> Report:
    return build(worked_settings(PLANS, {"m": m, "C": capacity}, on=chip, dtype="fp16"))


def best(found: Report, cards: range) -> str:
    return next((plan.name for plan in found.plans if plan.fits and plan.cards in cards), "none")


ONE, SEVERAL = range(1, 2), range(2, 9)

# n = 2^20, k = 512, 72 layers, fp16. A layer's weights are 1 GiB in fp16, 1/2 in INT8, 1/4 in INT4.
#   m = 128:    wide activation 1/4 GiB, live pair 0.25 GiB and 128 KiB
#   m = 8192:   16 GiB, and 8 MiB
#   m = 65536:  128 GiB, and 64 MiB: more than any of the cards, so nothing fits on one
# On one card the resident plans need 72, 36 or 18 GiB and the pair, the streamed ones 1 or 2 GiB and the pair.
#   A100, 40 GiB: INT8 and INT4 fit at m = 128 (36.25, 18.25), only INT4 at 8192 (34.01); INT4 moves least.
#   H100, 80 GB = 74.5 GiB: at m = 128 even fp16 fits (72.25); fp16 and INT8 are memory-bound, so INT4 is fastest.
#     At 8192 INT8 (52.01) and INT4 (34.01) fit and are compute-bound; with no overlap INT4 takes less.
#   L4, 24 GB = 22.35 GiB: INT4 fits at m = 128 (18.25) and not at 8192 (34.01), where two buffers (18.01) do.
# Eight GPUs hold 9 GiB of weights and 1/8 of the wide activation each: 9.03, 11.01, 25.06 GiB with the narrow one.
#   The last does not fit in 22.35 GiB. Where they fit, eight are faster than four or two.
CASES = [
    ("a100-40gb", 128, "40 GiB", "INT4 weights, resident", "tensor parallelism, 8 GPUs"),
    ("a100-40gb", 8192, "40 GiB", "INT4 weights, resident", "tensor parallelism, 8 GPUs"),
    ("a100-40gb", 65536, "40 GiB", "none", "tensor parallelism, 8 GPUs"),
    ("h100-sxm", 128, "80 GB", "INT4 weights, resident", "tensor parallelism, 8 GPUs"),
    ("h100-sxm", 8192, "80 GB", "INT4 weights, resident", "tensor parallelism, 8 GPUs"),
    ("h100-sxm", 65536, "80 GB", "none", "tensor parallelism, 8 GPUs"),
    ("l4", 128, "24 GB", "INT4 weights, resident", "tensor parallelism, 8 GPUs"),
    ("l4", 8192, "24 GB", "streamed, two buffers", "tensor parallelism, 8 GPUs"),
    ("l4", 65536, "24 GB", "none", "none"),
]


@pytest.mark.parametrize(("chip", "m", "capacity", "alone", "together"), CASES)
def test_best_plan(chip: str, m: int, capacity: str, alone: str, together: str) -> None:
    found = report(chip, m, capacity)
    assert (best(found, ONE), best(found, SEVERAL)) == (alone, together)
    said = " ".join(paragraph.text for paragraph in found.conclusion)
    if alone == "none":
        assert "On one card none fits; streamed, one buffer comes nearest" in said
    else:
        assert f"On one card the fastest of them is {alone}: " in said
    assert ("On several cards it is " in said) == (together != "none")


def test_memory_of_the_quantised_plans() -> None:
    """34.008 GiB with the live pair; 50 GiB with two wide activations would not fit."""
    int4 = PLANS.at(m=8192, s_w="0.5 byte")
    assert int4.number("M_quantised") == 18 * GIB + 16 * GIB + 8 * 2**20
    assert 18 * GIB + 2 * 16 * GIB == 50 * GIB > int4.number("C_usable")
    assert PLANS.at(m=8192, s_w="1 byte").number("M_quantised") == 52 * GIB + 8 * 2**20


def test_times_of_the_quantised_plans() -> None:
    """1/4 GiB of INT4 weights and 2 * 128 * (512 + 2^20) byte of activations are read and written in 0.3453 ms, less
    than the 0.4405 ms of arithmetic; with fp16 weights the memory binds."""
    solution = PLANS.at(m=128, s_w="0.5 byte")
    moved = Fraction(GIB // 4 + 2 * 128 * (512 + 2**20), 1555 * 10**9)
    worked = Fraction(2 * 128 * 512 * 2**20, 312 * 10**12)
    assert moved < worked
    assert solution.number("t_quantised_L") == 72 * worked
    assert solution.number("t_quantised_sum_L") == 72 * (worked + moved)
    assert PLANS.at(m=128).number("t_quantised_L") == 72 * Fraction(GIB + 2 * 128 * (512 + 2**20), 1555 * 10**9)


def test_bounds_of_the_streamed_plans() -> None:
    """Layer by layer: t_link = 2^30/31.5e9 s, t_sum the arithmetic and the traffic of a layer one after the other."""
    solution = PLANS.at(m=8192)
    link = Fraction(GIB, 31_500_000_000)
    together = Fraction(2 * 8192 * 512 * 2**20, 312 * 10**12) + Fraction(
        2 * (8192 * 512 + 512 * 2**20 + 8192 * 2**20), 1555 * 10**9
    )
    one = two = Fraction(0)
    for layer in range(72):
        one += link + together
        two += (link if layer == 0 else 0) + (max(link, together) if layer < 71 else together)
    assert solution.number("t_stream1_sum_L") == one
    assert solution.number("t_stream2_sum_L") == two


def test_no_share_above_the_whole_without_saying_so() -> None:
    for plan in report("a100-40gb", 8192, "40 GiB").plans:
        share = Fraction(plan.share.text.removesuffix(" %"))
        assert (share <= 100) == plan.fits
        assert plan.verdict.text.startswith("fits" if plan.fits else "over by ")


def test_chart_has_its_decisions_filled_in() -> None:
    found = report("a100-40gb", 8192, "40 GiB")
    decisions = [stage.lines[0].text for stage in found.chart if stage.decision]
    assert decisions == ["regime_L = compute-bound", "limit = the link limits"]
    assert 's4{"regime_L = compute-bound"}' in write(found, "md")
    assert r"\node[decision, below=of s3] (s4)" in write(found, "tex")
    assert "    < limit = the link limits >" in worked_solution(found).splitlines()
