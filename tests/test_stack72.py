"""The stack of alternating layers against a plain loop over its layers, and against printed and exact figures."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symroof import Derivation, load
from symroof.algebra import Algebra
from symroof.as_written import formula
from symroof.evaluate import Solution
from symroof.settings import Settings
from tests.conftest import ROOT, Command

pytestmark = pytest.mark.slow

STACK = load("stack72")
K, N = 512, 2**20
A100 = {"s": 2, "c": 2, "P": 312 * 10**12, "beta": 1555 * 10**9}

# One product [rows, inner] x [inner, columns].
Product = tuple[int, int, int]

sizes = st.integers(1, 5000)
rates = st.builds(Fraction, st.integers(1, 10**6), st.integers(1, 1000))


def products(m: int, k: int, n: int) -> list[Product]:
    """Type 1 and Type 2."""
    return [(m, n, k), (m, k, n)]


def looped(types: list[Product], L: int, *, s: Any, c: Any, P: Any, beta: Any) -> dict[str, Fraction]:
    """The totals, layer after layer, with whole numbers and fractions alone."""
    flop = moved = time = Fraction(0)
    for layer in range(L):
        rows, inner, columns = types[layer % len(types)]
        operations = c * rows * inner * columns
        traffic = s * (rows * inner + inner * columns + rows * columns)
        flop += operations
        moved += traffic
        time += max(Fraction(operations) / P, Fraction(traffic) / beta)
    compute, memory = flop / P, moved / beta
    return {
        "F_L": flop,
        "B_L": moved,
        "AI_L": flop / moved,
        "t_comp_L": compute,
        "t_mem_L": memory,
        "t_L": time,
        "t_bound_L": max(compute, memory),
        "t_sum_L": compute + memory,
    }


def fused(m: int, k: int, n: int, L: int, s: Any) -> Fraction:
    """The traffic where the wide matrix between a layer of Type 2 and the next stays on the chip."""
    moved = Fraction(0)
    for layer in range(L):
        is_wide_output = layer % 2 == 1
        stays = (
            layer < L - 1 if is_wide_output else layer > 0
        )  # written for the next layer, or read from the one before
        moved += s * (m * k + k * n) + (0 if stays else s * m * n)
    return moved


def worked_out(derivation: Derivation, names: Any, **values: Any) -> dict[str, Any]:
    solution = Solution(Settings(derivation, values))
    return {name: solution.number(name) for name in names}


@settings(max_examples=25)
@given(m=sizes, k=sizes, n=sizes, L=st.integers(1, 200), c=st.integers(1, 4), s=rates, P=rates, beta=rates)
def test_a_loop_over_the_layers(m: int, k: int, n: int, L: int, c: int, **rest: Fraction) -> None:
    expected = looped(products(m, k, n), L, c=c, **rest)
    case: dict[str, Any] = {"m": m, "k": k, "n": n, "L": L, "c": c, **rest}
    assert worked_out(STACK, expected, **case) == expected
    assert expected["t_L"] == expected["t_bound_L"]  # both types have the same F and B
    label = "compute-bound" if expected["t_comp_L"] >= expected["t_mem_L"] else "memory-bound"
    assert STACK.at(**case)["regime_L"] == label
    wide = worked_out(STACK, ["B_mn_L", "share_mn", "B_fused_L", "t_mem_fused_L"], **case)
    moved = fused(m, k, n, L, rest["s"])
    assert wide == {
        "B_mn_L": L * rest["s"] * m * n,
        "share_mn": L * rest["s"] * m * n / expected["B_L"],
        "B_fused_L": moved,
        "t_mem_fused_L": moved / rest["beta"],
    }
    assert 0 < wide["share_mn"] < 1
    assert 0 < moved <= expected["B_L"]


@settings(max_examples=25)
@given(L=st.integers(1, 10**6))
def test_how_many_layers_of_each_type(L: int) -> None:
    found = worked_out(STACK, ["N_1", "N_2"], L=L, m=1)
    assert found == {"N_1": L - L // 2, "N_2": L // 2}


@pytest.mark.parametrize(
    ("m", "flop", "moved", "label"),
    [
        (2, "0.0001546", "0.07761", "memory-bound"),
        (8, "0.0006185", "0.07852", "memory-bound"),
        (32, "0.002474", "0.08214", "memory-bound"),
        (128, "0.009896", "0.09665", "memory-bound"),
        (256, "0.01979", "0.1160", "memory-bound"),
        (512, "0.03958", "0.1547", "compute-bound"),
        (2048, "0.1583", "0.3867", "compute-bound"),
        (8192, "0.6333", "1.315", "compute-bound"),
    ],
)
def test_the_totals_of_the_table(m: int, flop: str, moved: str, label: str) -> None:
    solution = STACK.at(m=m)
    expected = looped(products(m, K, N), 72, **A100)
    assert {name: solution.number(name) for name in expected} == expected
    assert str(solution.shown("F_L", "PFLOP")) == f"{flop} PFLOP"
    assert str(solution.shown("B_L", "TB")) == f"{moved} TB"
    assert solution["regime_L"] == label


def test_exact_values_at_8192() -> None:
    found = worked_out(STACK, ["F_L", "B_L", "t_L", "t_mem_L", "AI_L", "B_mn_L", "share_mn", "B_fused_L"], m=8192)
    assert found["F_L"] == 144 * 8192 * K * N == 633318697598976
    assert found["B_L"] == 144 * (8192 * K + K * N + 8192 * N) == 1314863972352
    assert found["AI_L"] == Fraction(1048576, 2177)
    assert found["t_L"] == found["F_L"] / A100["P"]
    assert round(float(found["t_L"]), 5) == 2.02987
    assert round(float(found["t_mem_L"]), 5) == 0.84557
    # The wide matrix, 16 GiB in each layer, is 94 % of the traffic, the narrow one and the weights are the rest.
    assert found["B_mn_L"] == 72 * 2**34
    assert found["share_mn"] == Fraction(2**34, 2**34 + 2**30 + 2**23)
    assert round(float(found["share_mn"]) * 100, 2) == 94.07
    assert round(100 * 2**30 / (2**34 + 2**30 + 2**23), 2) == 5.88
    # Of the 72 wide matrices moved, only the first read and the last written are left.
    assert found["B_fused_L"] == 72 * (2**30 + 2**23) + 2 * 2**34


def test_both_types_do_the_same() -> None:
    algebra = Algebra(STACK)
    for fact in STACK.facts:
        assert algebra.is_equal(fact)  # type: ignore[arg-type]
    assert [(fact.of, fact.to) for fact in STACK.facts] == [("F_1", "F_2"), ("B_1", "B_2")]  # type: ignore[union-attr]
    assert formula(STACK, STACK.steps["F_1"]) == "c m n k"
    assert formula(STACK, STACK.steps["F_2"]) == "c m k n"
    assert formula(STACK, STACK.steps["t_L"]) == r"t_{\Sigma,1} + t_{\Sigma,2}"


# -- other lists of types

TYPES = 'TYPES = [{"k": "n", "n": "k"}, {}]'


def with_types(tmp_path: Path, types: str) -> Derivation:
    """The shipped file with another list of types."""
    source = (ROOT / "derivations" / "stack72.py").read_text(encoding="utf-8")
    assert source.count(TYPES) == 1
    changed = tmp_path / "stack.py"
    changed.write_text(source.replace(TYPES, f"TYPES = {types}"), encoding="utf-8")
    return load(str(changed))


def test_three_types(tmp_path: Path) -> None:
    """The third multiplies [m,k] by [k,m], which is another product altogether."""
    stack = with_types(tmp_path, '[{"k": "n", "n": "k"}, {}, {"n": "m"}]')
    cases: list[dict[str, Any]] = [
        {"m": 40, "k": 30, "n": 2000, "L": 1, "c": 2, "s": 2, "P": 7, "beta": 3},
        {"m": 40, "k": 30, "n": 2000, "L": 8, "c": 2, "s": 2, "P": 7, "beta": 3},
        {"m": 5, "k": 700, "n": 11, "L": 72, "c": 2, "s": Fraction(1, 2), "P": 900, "beta": 100},
        {"m": 512, "k": 64, "n": 4096, "L": 73, "c": 2, "s": 2, "P": 300, "beta": 2},
        {"m": 512, "k": 64, "n": 4096, "L": 1000, "c": 1, "s": 4, "P": 1000, "beta": 3},
    ]
    for case in cases:
        m, k, n, L = (int(case[name]) for name in ("m", "k", "n", "L"))
        others = {name: case[name] for name in ("c", "s", "P", "beta")}
        expected = looped([*products(m, k, n), (m, k, m)], L, **others)
        assert worked_out(stack, expected, **case) == expected
        counts = worked_out(stack, ["N_1", "N_2", "N_3"], **case)
        assert list(counts.values()) == [sum(layer % 3 == at for layer in range(L)) for at in range(3)]


def test_the_sum_of_the_maxima_and_the_maximum_of_the_sums(tmp_path: Path) -> None:
    """They differ where one type is compute-bound and another memory-bound.

    With P = 40 FLOP/s and beta = 1 byte/s the ridge is 40 FLOP/byte. Type 1 and 2 with m, k, n = 100, 60, 1000 have an
    intensity of 36.1, the third, [100,60] x [60,100], one of 27.3; with k = 100 they have 47.6 and 33.3.
    """
    stack = with_types(tmp_path, '[{"k": "n", "n": "k"}, {}, {"n": "m"}]')
    same: dict[str, Any] = {"m": 100, "k": 60, "n": 1000, "L": 6, "P": 40, "beta": 1, "s": 2}
    found = worked_out(stack, ["t_L", "t_bound_L"], **same)
    assert found["t_L"] == found["t_bound_L"]
    mixed = {**same, "k": 100}
    found = worked_out(stack, ["t_L", "t_bound_L", "t_sum_L"], **mixed)
    # F = 2e7 and 2e6 FLOP, B = 420000 and 60000 byte: 4 layers of 500000 s and 2 of 60000 s.
    assert found["t_L"] == 4 * 500_000 + 2 * 60_000
    assert found["t_bound_L"] == 4 * 500_000 + 2 * 50_000
    assert found["t_bound_L"] < found["t_L"] < found["t_sum_L"]


# -- commands


def test_a_billion_layers(call: Command) -> None:
    """No cost grows with L: a loop over a billion layers would take minutes."""
    shown = call("eval", "stack72", "F_L:PFLOP", "N_1", "N_2", "--set", "m=8192", "--set", "L=10^9 + 1", "--json").out
    results = json.loads(shown)["results"]
    layers = 10**9 + 1
    assert Fraction(results["F_L"]["exact"]) == Fraction(layers * 2 * 8192 * K * N, 10**15)
    assert (results["N_1"]["exact"], results["N_2"]["exact"]) == ("500000001", "500000000")


@pytest.mark.parametrize(
    ("L", "names"), [(72, "0.6333 1.315 2.030 0.8456 481.7"), (73, "0.6421 1.333 2.058 0.8573 481.7")]
)
def test_eval(call: Command, L: int, names: str) -> None:
    asked = ["F_L:PFLOP", "B_L:TB", "t_L:s", "t_mem_L:s", "AI_L"]
    shown = call("eval", "stack72", *asked, "--set", "m=8192", "--set", f"L={L}", "--json").out
    results = json.loads(shown)["results"]
    assert [one["text"].split()[0] for one in results.values()] == names.split()
    expected = looped(products(8192, K, N), L, **A100)
    scales = {"F_L": 10**15, "B_L": 10**12}
    for name, one in results.items():
        assert Fraction(one["exact"]) == expected[name] / scales.get(name, 1)


def test_check(call: Command) -> None:
    shown = call("check", "stack72")
    assert (shown.code, shown.out.split("  ")[0]) == (0, "stack72: ok")
    printed = {(claim.of, claim.printed) for claim in STACK.claims}
    assert printed == {
        ("F_L", "0.633 PFLOP"),
        ("B_L", "1.315 TB"),
        ("t_comp_L", "2.03 s"),
        ("t_mem_L", "0.85 s"),
        ("AI_L", "481.7 FLOP/byte"),
        ("F_L", "72 * 2 FLOP * m*k*n"),
        ("B_L", "72 * 2 byte * (m*k + k*n + m*n)"),
    }
