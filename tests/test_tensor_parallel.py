"""Tensor parallelism against GPUs that are simulated one by one, scans over g, and exact figures."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symroof import load
from symroof.errors import RefusedValueError
from symroof.evaluate import Solution
from symroof.settings import Settings
from tests.conftest import Command

pytestmark = pytest.mark.slow

PARALLEL = load("tensor_parallel")
K, N = 512, 2**20
MIB, GIB = 2**20, 2**30
PEAK, BANDWIDTH, LINK = 312 * 10**12, 1555 * 10**9, 300 * 10**9

sizes = st.integers(1, 2000)
rates = st.builds(Fraction, st.integers(1, 10**6), st.integers(1, 1000))


def numbers(*names: str, **values: Any) -> list[Any]:
    solution = Solution(Settings(PARALLEL, values))
    return [solution.number(name) for name in names]


# -- the split itself


def test_the_split_gives_the_whole_product() -> None:
    """A Type 2 layer by columns, then a Type 1 layer by rows: the partial sums add up, and nothing else is sent."""
    m, k, n, g = 6, 5, 12, 4
    digits = np.random.default_rng(7)
    narrow, up, down = (digits.integers(-9, 10, shape) for shape in ((m, k), (k, n), (n, k)))
    partial = []
    for gpu in range(g):
        own = slice(gpu * n // g, (gpu + 1) * n // g)
        wide = narrow @ up[:, own]
        assert wide.shape == (m, n // g)
        partial.append(wide @ down[own])
    assert np.sum(partial, axis=0).tolist() == (narrow @ up @ down).tolist()


def all_reduced(parts: list[list[int]]) -> tuple[list[list[int]], list[int]]:
    """A ring all-reduce of g GPUs' g parts, and how many parts each of them sends."""
    g = len(parts)
    held, sent = [list(own) for own in parts], [0] * g
    for turn in range(2 * (g - 1)):
        reducing = turn < g - 1
        passing = [(gpu, (gpu - turn) % g) for gpu in range(g)]
        for (gpu, part), value in zip(passing, [held[gpu][part] for gpu, part in passing], strict=True):
            onward = held[(gpu + 1) % g]
            onward[part] = onward[part] + value if reducing else value
            sent[gpu] += 1
    return held, sent


@pytest.mark.parametrize("g", [1, 2, 3, 4, 7])
def test_a_ring_all_reduce(g: int) -> None:
    parts = [[10**gpu * (part + 1) for part in range(g)] for gpu in range(g)]
    held, sent = all_reduced(parts)
    assert held == [[sum(column) for column in zip(*parts, strict=True)]] * g
    # m k elements of s byte in g parts
    (moved,) = numbers("B_ring", m=30, k=14, s=2, g=g)
    assert [Fraction(parts_sent * 2 * 30 * 14, g) for parts_sent in sent] == [moved] * g


# -- one GPU after the other


def simulated(
    m: int, k: int, n: int, L: int, g: int, *, s: Any, c: Any, P: Any, beta: Any, beta_link: Any
) -> dict[str, Any]:
    """Memory and times of one of g GPUs, layer after layer."""
    share = Fraction(n, g)
    weights = work = apart = talk = Fraction(0)
    for layer in range(L):
        rows, inner, columns = (
            (Fraction(m), share, Fraction(k)) if layer % 2 == 0 else (Fraction(m), Fraction(k), share)
        )
        weights += s * inner * columns
        compute = c * rows * inner * columns / P
        memory = s * (rows * inner + inner * columns + rows * columns) / beta
        work += max(compute, memory)
        apart += compute + memory
        if layer % 2 == 0:
            talk += 2 * (g - 1) * (s * Fraction(m * k, g)) / beta_link
    return {
        "W_g": weights,
        "A_mn_g": s * m * share,
        "M_g": weights + s * m * share + s * m * k,
        "t_tp_L": work + talk,
        "t_tp_sum_L": apart + talk,
    }


@settings(max_examples=25)
@given(
    m=sizes,
    k=sizes,
    n=sizes,
    L=st.integers(1, 60),
    g=st.integers(1, 64),
    c=st.integers(1, 4),
    s=rates,
    P=rates,
    beta=rates,
    beta_link=rates,
)
def test_a_simulation(**case: Any) -> None:
    expected = simulated(**case)
    solution = PARALLEL.at(**case)
    assert {name: solution.number(name) for name in expected} == expected
    alone = simulated(**{**case, "g": 1})["t_tp_L"]
    assert solution.number("speedup") == alone / expected["t_tp_L"]
    assert solution.number("efficiency") == alone / (case["g"] * expected["t_tp_L"])
    assert 0 < solution.number("efficiency") <= 1


@settings(max_examples=25)
@given(
    m=st.integers(1, 300),
    k=st.integers(1, 40),
    n=st.integers(1, 400),
    L=st.integers(1, 20),
    M_ws=st.integers(0, 500),
    room=st.integers(1, 200_000),
)
def test_the_fewest_that_fit(m: int, k: int, n: int, L: int, M_ws: int, room: int) -> None:
    """By trying one number of GPUs after the other."""
    whole = 2 * m * k + M_ws
    case: dict[str, Any] = {"m": m, "k": k, "n": n, "L": L, "M_ws": M_ws, "C": whole + room}

    def fits(g: int) -> bool:
        return Fraction(2 * L * k * n, g) + Fraction(2 * m * n, g) + whole <= whole + room

    by_bytes = next(g for g in range(1, 2 * n * (L * k + m) + 1) if fits(g))
    assert numbers("g_bytes", **case) == [by_bytes]
    equal = next((g for g in range(1, n + 1) if n % g == 0 and fits(g)), None)
    if equal is None:
        with pytest.raises(RefusedValueError, match=rf"^step g_fit: no divisor of {n} is {by_bytes} or more\n"):
            numbers("g_fit", **case)
        return
    assert numbers("g_fit", **case) == [equal]
    for g in {by_bytes, equal, max(by_bytes - 1, 1)}:
        label = PARALLEL.at(**case, g=g)["split"]
        assert label == ("does not fit" if not fits(g) else "fits" if n % g == 0 else "fits by bytes only")


def test_exact_values_at_8192() -> None:
    """Two GPUs do not hold the 72 layers, three do by bytes, but 3 does not divide 2^20, and four do."""
    assert numbers("g_bytes", "g_fit", m=8192) == [3, 4]
    expected: dict[int, tuple[Any, Any, str]] = {
        1: (72, 16, "does not fit"),
        2: (36, 8, "does not fit"),
        3: (24, Fraction(16, 3), "fits by bytes only"),
        4: (18, 4, "fits"),
        8: (9, 2, "fits"),
    }
    for g, (weights, wide, label) in expected.items():
        solution = PARALLEL.at(m=8192, g=g)
        found = [solution.number(name) for name in ("W_g", "A_mn_g", "A_mk", "M_g")]
        assert found == [weights * GIB, wide * GIB, 8 * MIB, (weights + wide) * GIB + 8 * MIB]
        assert solution["split"] == label
    assert numbers("M_g", m=8192, g=2) == [44 * GIB + 8 * MIB]
    assert numbers("M_g", m=8192, g=4) == [22 * GIB + 8 * MIB]


def test_times_at_8192() -> None:
    moved, ring, layer, whole = numbers("B_ring", "t_ring", "t_g", "t_tp_L", m=8192)
    assert moved == Fraction(3, 2) * 8 * MIB
    assert ring == moved / LINK
    assert layer == Fraction(2 * 8192 * K * N, 4 * PEAK)
    assert whole == 72 * layer + 36 * ring
    assert [f"{float(time):.6g}" for time in (ring, layer, whole)] == ["4.1943e-05", "0.00704815", "0.508977"]
    efficiencies = [numbers("efficiency", m=8192, g=g)[0] for g in (1, 2, 4, 8, 64, 1024)]
    assert efficiencies[0] == 1
    assert efficiencies == sorted(efficiencies, reverse=True)
    assert [round(float(share), 4) for share in efficiencies] == [1, 0.999, 0.997, 0.9931, 0.9412, 0.4964]


def test_a_measured_fraction_of_the_link() -> None:
    assert numbers("t_ring", m=8192, eta_link="3/4") == [Fraction(3, 2) * 8 * MIB / LINK / Fraction(3, 4)]


# -- where communication equals work


@pytest.mark.parametrize(
    ("m", "link", "first", "closed_form"),
    [
        # The products stay compute-bound: whatever m and k are, n decides.
        (8192, LINK, 1010, "(c*beta_link*n + P*s)/(P*s)"),
        (2048, LINK, 1010, "(c*beta_link*n + P*s)/(P*s)"),
        # At m = 8 they are memory-bound.
        (8, 10**9, 87, "(beta*m*k + beta_link*m*n + beta_link*k*n)/(m*k*(beta - beta_link))"),
    ],
)
def test_communication_equals_work(m: int, link: int, first: int, closed_form: str) -> None:
    answer = PARALLEL.solve("g_comm", m=m, beta_link=link)
    (root,) = answer.roots
    assert root.proved
    assert answer.text(root.candidate.closed_form) == closed_form
    assert (root.below, root.above) == ("mostly work", "mostly communication")

    def talks_longer(g: int) -> bool:
        compute = Fraction(2 * m * K * N, g * PEAK)
        memory = 2 * (m * K + Fraction(K * N + m * N, g)) / BANDWIDTH
        return Fraction(2 * (g - 1) * 2 * m * K, g * link) >= 2 * max(compute, memory)

    assert root.first_integer == first == next(g for g in range(1, 5000) if talks_longer(g))
    for g, label in ((first - 1, "mostly work"), (first, "mostly communication")):
        assert PARALLEL.at(m=m, g=g, beta_link=link)["spent"] == label


def test_a_link_as_fast_as_the_memory_never_takes_longer() -> None:
    """Where the products are memory-bound, more GPUs leave the narrow matrix whole for memory and link alike."""
    answer = PARALLEL.solve("g_comm", m=1, P="10^30 FLOP/s", beta_link=BANDWIDTH)
    assert (answer.verdict, answer.roots) == ("never", ())


# -- what cannot be


def test_what_every_gpu_needs_whole_is_too_much() -> None:
    for m in (40 * 2**20, 10**8):  # A_mk = 1 KiB * m = 40 GiB, and more
        assert numbers("C_share", m=m) == [0]
        with pytest.raises(RefusedValueError) as caught:
            numbers("g_fit", m=m)
        assert caught.value.problem == "step g_bytes divides by zero: C_share = 0"
        assert PARALLEL.at(m=m)["split"] == "does not fit"


def test_a_chip_without_a_link() -> None:
    assert PARALLEL.at(on="t4", m=8192, C="16 GiB").number("g_fit") == 8
    # It goes over the host link: 2 * 3/4 of 2 * 8192 * 512 byte at 15.75 GB/s.
    assert PARALLEL.at(on="t4", m=8192).number("t_ring") == Fraction(12582912, 15750000000)


# -- commands


def test_eval(call: Command) -> None:
    case = ["--set", "m=8192", "--set", "C=40 GiB", "--json"]
    results = json.loads(call("eval", "tensor_parallel", "g_bytes", "g_fit", *case).out)["results"]
    assert [one["exact"] for one in results.values()] == ["3", "4"]
    assert call("eval", "tensor_parallel", "g_fit", *case[:-1]).out == "g_fit = 4\n"


def test_solve_for_g(call: Command) -> None:
    case = ["--for", "g", "--set", "m=8192", "--set", "C=40 GiB", "--json"]
    (root,) = json.loads(call("solve", "tensor_parallel", "M_g = C_usable", *case).out)["roots"]
    assert (root["closed_form"], root["first_integer"]) == ("(s*k*n*L + s*m*n + KV)/(C*u - s*m*k - M_ws)", 3)
    refused = call("solve", "tensor_parallel", "g_fit = 4", "--for", "m")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == "error: the equation is not algebraic in m\n  try: solve it for another symbol\n"


def test_facts_and_check(call: Command) -> None:
    shown = call("check", "tensor_parallel")
    assert (shown.code, shown.out.split("  ")[0]) == (0, "tensor_parallel: ok")
    solution = call("show", "tensor_parallel").out
    assert "B_ring -> 2*s*m*k as g -> infinity" in solution
    assert "M_g falls as g rises, for all positive values." in solution


def test_a_billion_layers(call: Command) -> None:
    case = ["--set", "m=8192", "--set", "L=10^9", "--json"]
    results = json.loads(call("eval", "tensor_parallel", "t_tp_L", *case).out)["results"]
    ring, layer = Fraction(3, 2) * 8 * MIB / LINK, Fraction(2 * 8192 * K * N, 4 * PEAK)
    assert Fraction(results["t_tp_L"]["exact"]) == 10**9 * layer + 5 * 10**8 * ring
