"""The shipped GEMM against numbers worked out here with integers alone, and its proofs."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import pytest
import sympy

from symroof import load
from symroof.algebra import Algebra
from symroof.declared import Limit, Trend
from symroof.evaluate import Solution
from symroof.settings import Settings

pytestmark = pytest.mark.slow

MS = [2, 8, 32, 128, 256, 512, 2048, 8192]
K, N = 512, 1048576
PEAK, BANDWIDTH = 312 * 10**12, 1555 * 10**9  # FLOP/s and byte/s of an A100 40GB
BYTES = 2

GEMM = load("gemm")


def number(m: int, name: str) -> Fraction:
    """A quantity of gemm in base units: FLOP, byte, s."""
    value = Solution(Settings(GEMM, {"m": m})).number(name)
    assert isinstance(value, Fraction)
    return value


def by_hand(m: int) -> dict[str, Fraction]:
    operations = 2 * m * K * N
    operands = {"B_mk": BYTES * m * K, "B_kn": BYTES * K * N, "B_mn": BYTES * m * N}
    moved = sum(operands.values())
    compute, memory = Fraction(operations, PEAK), Fraction(moved, BANDWIDTH)
    return {
        "F": Fraction(operations),
        "B": Fraction(moved),
        **{name: Fraction(size) for name, size in operands.items()},
        **{name.replace("B_", "share_"): Fraction(size, moved) for name, size in operands.items()},
        "AI": Fraction(operations, moved),
        "I": Fraction(PEAK, BANDWIDTH),
        "R": min(Fraction(PEAK), BANDWIDTH * Fraction(operations, moved)),
        "t_comp": compute,
        "t_mem": memory,
        "t": max(compute, memory),
        "t_sum": compute + memory,
    }


@pytest.mark.parametrize("m", MS)
def test_every_quantity_is_exactly_what_integers_give(m: int) -> None:
    expected = by_hand(m)
    assert {name: number(m, name) for name in expected} == expected
    assert list(expected) == list(GEMM.steps)


@pytest.mark.parametrize("m", MS)
def test_the_regime_is_the_slower_of_the_two(m: int) -> None:
    expected = (
        "compute-bound" if 2 * m * K * N * BANDWIDTH >= BYTES * (m * K + K * N + m * N) * PEAK else "memory-bound"
    )
    assert GEMM.at(m=m)["regime"] == expected
    assert (expected == "memory-bound") == (m <= 256)


def test_exact_values_at_8192() -> None:
    assert number(8192, "t") * 1000 == Fraction(2147483648, 76171875)
    assert number(8192, "B") / 10**9 == Fraction(35667968, 1953125)
    assert number(8192, "F") / 10**9 == Fraction(17179869184, 1953125)
    assert number(8192, "B_kn") == 2**30
    assert number(8192, "B_mn") == 2**34
    assert number(8192, "I") == Fraction(62400, 311)
    assert number(8192, "AI") == Fraction(1048576, 2177)


def rounded(value: Fraction, decimals: int) -> str:
    """A positive fraction as decimal text, to the nearest (no value here lies on a half)."""
    units = (2 * value * 10**decimals + 1).__floor__() // 2
    whole, rest = divmod(units, 10**decimals)
    return f"{whole}.{rest:0{decimals}}"


@pytest.mark.parametrize(
    ("m", "flop", "traffic", "compute", "memory", "time"),
    [
        (2, "2.147", "1.078", "0.0069", "0.6932", "0.6932"),
        (8, "8.590", "1.091", "0.0275", "0.7013", "0.7013"),
        (32, "34.360", "1.141", "0.1101", "0.7337", "0.7337"),
        (128, "137.439", "1.342", "0.4405", "0.8632", "0.8632"),
        (256, "274.878", "1.611", "0.8810", "1.0359", "1.0359"),
        (512, "549.756", "2.148", "1.7620", "1.3814", "1.7620"),
        (2048, "2199.023", "5.371", "7.0482", "3.4539", "7.0482"),
        (8192, "8796.093", "18.262", "28.1926", "11.7441", "28.1926"),
    ],
)
def test_the_published_table(m: int, flop: str, traffic: str, compute: str, memory: str, time: str) -> None:
    assert rounded(number(m, "F") / 10**9, 3) == flop
    assert rounded(number(m, "B") / 10**9, 3) == traffic
    assert [rounded(number(m, name) * 1000, 4) for name in ("t_comp", "t_mem", "t")] == [compute, memory, time]


def first_compute_bound(peak: int, bandwidth: int, k: int = K, n: int = N) -> int:
    """The first m whose arithmetic takes at least as long as its traffic, by trying them all."""
    m = 1
    while 2 * m * k * n * bandwidth < BYTES * (m * k + k * n + m * n) * peak:
        m += 1
    return m


def test_the_crossover() -> None:
    answer = GEMM.solve("m_star")
    (root,) = answer.roots
    value = Fraction(root.value.magnitude)
    assert value == Fraction(1022361600, 3097649)
    assert 2 * value * K * N / PEAK == BYTES * (value * K + K * N + value * N) / BANDWIDTH
    assert root.first_integer == 331 == first_compute_bound(PEAK, BANDWIDTH)
    assert (root.below, root.above) == ("memory-bound", "compute-bound")
    assert root.proved
    assert answer.text(root.candidate.closed_form) == "P*s*k*n/(c*beta*k*n - P*s*(k + n))"
    assert number(330, "t_mem") > number(330, "t_comp")
    assert number(331, "t_comp") > number(331, "t_mem")


@pytest.mark.parametrize(
    ("chip", "peak", "bandwidth"),
    [
        ("a100-80gb", 312 * 10**12, 2039 * 10**9),
        ("h100-sxm", 9894 * 10**11, 3350 * 10**9),
        ("h100-pcie", 756 * 10**12, 2000 * 10**9),
        ("h200", 9894 * 10**11, 4800 * 10**9),
        ("v100-sxm2-16gb", 125 * 10**12, 900 * 10**9),
        ("t4", 65 * 10**12, 320 * 10**9),
        ("l40s", 362 * 10**12, 864 * 10**9),
        ("mi300x", 13074 * 10**11, 5300 * 10**9),
    ],
)
def test_the_crossover_of_other_chips(chip: str, peak: int, bandwidth: int) -> None:
    # From c m k n / P = s (m k + k n + m n) / beta with the ridge i = P / beta: m (c k n - i s (k + n)) = i s k n.
    ridge = Fraction(peak, bandwidth)
    expected = ridge * BYTES * K * N / (2 * K * N - ridge * BYTES * (K + N))
    (root,) = GEMM.solve("m_star", on=chip).roots
    assert root.value.magnitude == expected
    assert root.first_integer == ceil(expected) == first_compute_bound(peak, bandwidth)


def test_a_square_weight_that_is_too_small_is_never_compute_bound() -> None:
    answer = GEMM.solve("m_star", k=128, n=128)
    # 2 beta k n is 50,954,240,000,000,000 and P s (k + n) is 159,744,000,000,000,000: the condition fails.
    assert 2 * BANDWIDTH * 128 * 128 < PEAK * BYTES * (128 + 128)
    assert (answer.verdict, answer.roots) == ("never", ())
    assert answer.reason.startswith(
        "a root needs c*beta*k*n > P*s*(k + n), but here c*beta*k*n is 0.3190 times P*s*(k + n); "
    )
    assert answer.reason.endswith("memory-bound for every m")


def test_the_condition_of_the_crossover() -> None:
    answer = GEMM.solve("m_star")
    assert [answer.condition_text(candidate) for candidate in answer.candidates] == ["c*beta*k*n > P*s*(k + n)"]


@pytest.mark.parametrize(("k", "n"), [(401, 10**9), (402, 10**9), (512, 512), (803, 803), (802, 802)])
def test_the_condition_decides_whether_there_is_a_crossover(k: int, n: int) -> None:
    exists = 2 * BANDWIDTH * k * n > PEAK * BYTES * (k + n)
    assert bool(GEMM.solve("m_star", k=k, n=n).roots) == exists


def test_the_intensity_never_reaches_its_limit() -> None:
    (limit,) = [fact for fact in GEMM.facts if isinstance(fact, Limit)]
    algebra = Algebra(GEMM)
    found = algebra.limit(limit)
    values = {"c": 2, "k": K, "n": N, "s": BYTES}
    at_values = found.subs({algebra.symbol(name): value for name, value in values.items()})
    assert at_values == sympy.Rational(2 * K * N, BYTES * (K + N)) == sympy.Rational(1048576, 2049)
    assert rounded(Fraction(1048576, 2049), 2) == "511.75"
    assert algebra.writer.text(found) == "c*k*n/(s*(k + n))"
    assert number(10**12, "AI") < Fraction(1048576, 2049) < number(10**12, "AI") + Fraction(1, 10**6)


def test_a_larger_m_is_only_ever_more_compute_bound() -> None:
    (trend,) = [fact for fact in GEMM.facts if isinstance(fact, Trend)]
    slope, sign = Algebra(GEMM).derivative(trend)
    assert sign == 1
    assert Algebra(GEMM).writer.text(slope) == "c*k^2*n^2/(s*(m*k + m*n + k*n)^2)"
    # The same from differences: AI(m) = a m / (m + b) has slope a b / (m + b)^2.
    a, b = Fraction(2 * K * N, BYTES * (K + N)), Fraction(K * N, K + N)
    point = {"c": 2, "m": 77, "k": K, "n": N, "s": BYTES}
    at_point = slope.subs({Algebra(GEMM).symbol(name): value for name, value in point.items()})
    assert at_point == sympy.Rational(*(a * b / (77 + b) ** 2).as_integer_ratio())


def test_nothing_is_asked_for_without_m() -> None:
    with pytest.raises(Exception, match=r"gemm needs a value for m \(rows of A and C\)\nset it: --set m=8192"):
        GEMM.at()["F"]
    assert GEMM.at()["I"].to_base_units().magnitude == Fraction(62400, 311)  # type: ignore[union-attr]


def test_every_published_figure_is_a_claim() -> None:
    printed = [(claim.of, claim.printed, dict(claim.at)) for claim in GEMM.claims]
    at_8192 = [("F", "8796.093 GFLOP"), ("B", "18.262 GB"), ("t_comp", "28.1926 ms"), ("t_mem", "11.7441 ms")]
    assert all((of, text, {"m": 8192}) in printed for of, text in at_8192)
    in_table = [claim for claim in GEMM.claims if claim.source == "published answer, part 1, table over m"]
    assert len(in_table) == 40
    assert {claim.of for claim in in_table} == {"F", "B", "t_comp", "t_mem", "t"}
