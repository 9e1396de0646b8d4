"""The seven remarks where the exact answer says more than the printed one, in their order: each figure from plain
integers and Fractions, and from the derivations."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import symroof
from symroof.units import base_magnitude

pytestmark = pytest.mark.slow

K, N, L, S = 512, 2**20, 72, 2
P, BETA, HOST = 312 * 10**12, 1555 * 10**9, 31_500_000_000
MIB, GIB = 2**20, 2**30
M = 8192  # the largest m of the question
CASE = {"m": M, "C": "40 GiB", "beta_host": "31.5 GB/s"}


def numbers(derivation: str, *names: str, **values: Any) -> list[Any]:
    found = symroof.load(derivation)
    solution = found.at(**{name: value for name, value in {**CASE, **values}.items() if name in found.givens})
    return [solution.number(name) for name in names]


def root(derivation: str, crossover: str, **values: Any) -> Any:
    found = symroof.load(derivation)
    case = {name: value for name, value in {**CASE, **values}.items() if name in found.givens}
    case.pop(found.crossovers[crossover].solve_for, None)
    (only,) = found.solve(crossover, **case).roots
    return only


def said(derivation: str, **values: Any) -> str:
    """The conclusion of the report."""
    from symroof.report import build
    from symroof.settings import worked_settings

    report = build(worked_settings(symroof.load(derivation), values, on="a100-40gb", dtype="fp16"))
    return " ".join(paragraph.text for paragraph in report.conclusion)


def layer_bytes(m: int) -> int:
    return S * (m * K + K * N + m * N)


def largest_m(fixed: int, each: int, capacity: int) -> int:
    """By trying one m after the other."""
    m = 0
    while fixed + (m + 1) * each <= capacity:
        m += 1
    return m


def test_1_the_crossover() -> None:
    """2 m k n / P = s (m k + k n + m n) / beta, multiplied out and solved for m."""
    m_star = Fraction(P * S * K * N, 2 * BETA * K * N - P * S * (K + N))
    assert m_star == Fraction(1022361600, 3097649)
    found = root("gemm", "m_star")
    assert base_magnitude(found.value) == m_star
    assert found.first_integer == 331
    assert found.proved
    labels = [symroof.load("gemm").at(m=m)["regime"] for m in (330, 331)]
    assert labels == ["memory-bound", "compute-bound"]
    intensities = numbers("gemm", "AI", m=10**12) + numbers("gemm", "AI", m=10**6)
    limit = Fraction(2 * K * N, S * (K + N))
    assert f"{float(limit):.2f}" == "511.75"
    assert limit - Fraction(1, 10**4) < intensities[0] < limit
    assert intensities[1] < intensities[0]


def test_2_what_is_live() -> None:
    wide, narrow, weights = S * M * N, S * M * K, S * K * N
    assert (wide, narrow, weights) == (16 * GIB, 8 * MIB, GIB)
    assert numbers("vram", "M_stream1", "M_stream2", "M_cautious") == [
        weights + wide + narrow,
        2 * weights + wide + narrow,
        weights + 2 * wide,
    ]
    each = S * (N + K)
    for name, fixed, per_row, last in [
        ("m_stream1", weights, each, 19958),
        ("m_stream2", 2 * weights, each, 19446),
        ("m_cautious", weights, 2 * S * N, 9984),
    ]:
        assert largest_m(fixed, per_row, 40 * GIB) == last
        assert base_magnitude(root("vram", name).value) // 1 == last
    kept = sum((narrow if layer % 2 else wide) for layer in range(L))
    state = 16 * L * K * N
    assert numbers("vram", "A_train", "M_state", "M_train") == [kept, state, kept + state]
    assert (Fraction(kept, GIB), state) == (Fraction("576.28125"), 576 * GIB)
    text = said("vram")
    assert "Training keeps 576.3 GiB of activations and needs another 576 GiB for weights, gradients" in text
    assert "In 40 GiB there is room for: one buffer (17.01 GiB), two buffers (18.01 GiB), the cautious bound" in text
    assert "One buffer fits up to m = 19958, it no longer fits from m = 19959 on." in text
    assert "Two buffers fit up to m = 19446, they no longer fit from m = 19447 on." in text
    assert "The cautious bound fits up to m = 9984, it no longer fits from m = 9985 on." in text


def test_3_bytes_moved() -> None:
    link, work = Fraction(GIB, HOST), Fraction(2 * M * K * N, P)
    assert work > Fraction(layer_bytes(M), BETA)
    one = sum((link + work for _ in range(L)), Fraction(0))
    two = link + sum((max(link, work) for _ in range(L - 1)), Fraction(0)) + work
    names = ("t_link", "t", "t_stream1_L", "t_stream2_L", "t_link_L")
    assert numbers("streaming", *names) == [link, work, one, two, L * link]
    assert [f"{float(time):.6g}" for time in (link, work, one, two, L * link)] == [
        *("0.034087", "0.0281926", "4.48413", "2.48246", "2.45427")
    ]
    m_hide = Fraction(P * S, 2 * HOST)  # s k n / beta_host = 2 m k n / P
    found = root("streaming", "m_hide")
    assert base_magnitude(found.value) == m_hide
    assert (f"{float(m_hide):.2f}", found.first_integer) == ("9904.76", 9905)
    text = said("streaming")
    assert "one buffer takes 4.484 s to 5.330 s and 17.01 GiB of memory, which fits in 40 GiB." in text
    assert "Two buffers take 2.482 s to 2.910 s and 18.01 GiB, which fits: 1.806 times as fast for 1 GiB more." in text


def test_4_forty_gigabytes_are_three_numbers() -> None:
    readings = numbers("vram", "C_decimal", "C_binary", "C_reported")
    assert readings == [40 * 10**9, 40 * GIB, 42_405_855_232]
    assert [f"{number / 10**9:.2f} {number / GIB:.2f}" for number in (40 * 10**9, 40 * GIB, 42_405_855_232)] == [
        *("40.00 37.25", "42.95 40.00", "42.41 39.49")
    ]
    assert (
        "The 40 GB on the label may mean 40 GB = 37.25 GiB or 42.95 GB = 40 GiB. As the driver reports it, or as sold "
        "where that is not known, it is 42.41 GB = 39.49 GiB."
    ) in said("vram")


def test_5_between_two_bounds() -> None:
    work, traffic = Fraction(2 * M * K * N, P), Fraction(layer_bytes(M), BETA)
    assert numbers("gemm", "t", "t_sum") == [max(work, traffic), work + traffic]
    assert [f"{float(1000 * time):.3f}" for time in (max(work, traffic), work + traffic)] == ["28.193", "39.937"]
    assert "It takes between 28.19 ms, where arithmetic and traffic overlap, and 39.94 ms, where they do not." in said(
        "gemm"
    )


def test_6_several_gpus_and_fewer_bits() -> None:
    weights, wide, narrow = 72 * GIB, 16 * GIB, 8 * MIB
    for g, shares, verdict in [
        (2, Fraction(36 + 8), "does not fit"),
        (3, 24 + Fraction(16, 3), "fits by bytes only"),
        (4, Fraction(18 + 4), "fits"),
    ]:
        held = shares * GIB
        assert Fraction(weights, g) + Fraction(wide, g) == held
        assert numbers("tensor_parallel", "M_g", g=g) == [held + narrow]
        assert symroof.load("tensor_parallel").at(m=M, g=g)["split"] == verdict
    by_bytes = next(g for g in range(1, 100) if Fraction(weights + wide, g) + narrow <= 40 * GIB)
    dividing = next(g for g in range(by_bytes, 100) if N % g == 0)
    assert numbers("tensor_parallel", "g_bytes", "g_fit") == [by_bytes, dividing] == [3, 4]
    assert "the bytes of the stack need at least 3 GPUs with 40 GiB each; the fewest that also divide n are 4." in said(
        "tensor_parallel"
    )
    int4 = weights // 4
    assert numbers("plans", "M_int4_bare", "M_int4_double") == [int4 + wide + narrow, int4 + 2 * wide]
    assert (Fraction(int4 + wide + narrow, GIB), int4 + 2 * wide) == (Fraction("34.0078125"), 50 * GIB)
    assert int4 + wide + narrow < 40 * GIB < int4 + 2 * wide
    assert "Without scales INT4 weights take 34.01 GiB with the live activations and 50 GiB with two wide ones" in said(
        "plans"
    )


def test_7_the_output_is_the_traffic() -> None:
    moved, wide, weights = layer_bytes(M), S * M * N, S * K * N
    shares = [Fraction(wide, moved), Fraction(weights, moved)]
    assert [f"{float(100 * share):.2f}" for share in shares] == ["94.07", "5.88"]
    assert numbers("gemm", "share_mn", "share_kn") == shares
    assert numbers("stack72", "share_mn", "share_kn") == shares  # each layer has one of either
    # Type 1, 2, 1, 2 ...: a wide matrix between a layer of Type 2 and the Type 1 after it is written and read.
    saved = sum(2 * wide for layer in range(L - 1) if layer % 2 == 1)
    names = ("B_L", "B_saved_L", "B_fused_L", "share_saved")
    assert numbers("stack72", *names) == [L * moved, saved, L * moved - saved, Fraction(saved, L * moved)]
    assert (
        f"{float(Fraction(L * moved - saved, 10**9)):.1f} {float(Fraction(100 * saved, L * moved)):.1f}" == "112.3 91.5"
    )
    text = said("stack72")
    assert "At m = 8192 and L = 72 the stack needs 0.6333 PFLOP and moves 1.315 TB. It takes between 2.030 s" in text
    assert "Of the traffic 94.07 % is the wide matrix of m n elements, 5.880 % the weights." in text
    assert "saves 91.46 % of all traffic and leaves 112.3 GB" in text
