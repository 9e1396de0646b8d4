"""Streamed weights against a simulation of fetches and runs, scans over m, and exact figures."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symroof import load
from symroof.errors import MissingGivenError
from symroof.evaluate import Solution
from symroof.settings import Settings
from symroof.units import base_magnitude
from tests.conftest import Command

pytestmark = pytest.mark.slow

STREAMING = load("streaming")
K, N = 512, 2**20
PEAK, BANDWIDTH, HOST = 312 * 10**12, 1555 * 10**9, 315 * 10**8

sizes = st.integers(1, 5000)
rates = st.builds(Fraction, st.integers(1, 10**6), st.integers(1, 1000))


def layer(m: int, k: int, n: int, *, s: Any, c: Any, P: Any, beta: Any, beta_host: Any) -> tuple[Fraction, Fraction]:
    """How long the weights of a layer travel, and how long it runs."""
    fetch = Fraction(s * k * n) / beta_host
    run = max(Fraction(c * m * k * n) / P, Fraction(s * (m * k + k * n + m * n)) / beta)
    return fetch, run


def simulated(fetch: Fraction, run: Fraction, L: int, buffers: int) -> Fraction:
    """When the last of L layers is done: a fetch needs the link and a free buffer, a run its weights and the chip."""
    fetched, done = [Fraction(0)], [Fraction(0)]
    for at in range(1, L + 1):
        buffer_free = done[max(at - buffers, 0)]
        fetched.append(max(fetched[-1], buffer_free) + fetch)
        done.append(max(fetched[-1], done[-1]) + run)
    return done[-1]


def numbers(*names: str, **values: Any) -> list[Any]:
    solution = Solution(Settings(STREAMING, values))
    return [solution.number(name) for name in names]


@settings(max_examples=25)
@given(
    m=sizes, k=sizes, n=sizes, L=st.integers(1, 100), c=st.integers(1, 4), s=rates, P=rates, beta=rates, beta_host=rates
)
def test_a_simulation(m: int, k: int, n: int, L: int, **rest: Any) -> None:
    fetch, run = layer(m, k, n, **rest)
    found = numbers("t_link", "t", "t_link_L", "t_stream1_L", "t_stream2_L", m=m, k=k, n=n, L=L, **rest)
    assert found == [fetch, run, L * fetch, simulated(fetch, run, L, 1), simulated(fetch, run, L, 2)]
    label = "the work hides the link" if run >= fetch else "the link limits"
    assert STREAMING.at(m=m, k=k, n=n, L=L, **rest)["limit"] == label


@pytest.mark.parametrize(("fetch", "run"), [(3, 1), (1, 3), (2, 2)])
@pytest.mark.parametrize("L", [1, 2, 3, 8])
def test_by_hand(fetch: int, run: int, L: int) -> None:
    """A layer of s k n = `fetch` byte over 1 byte/s that takes `run` seconds; a third buffer would not help."""
    case = {"m": 1, "k": 1, "n": 1, "L": L, "s": fetch, "beta_host": 1, "c": run, "P": 1, "beta": 3 * fetch}
    expected = simulated(Fraction(fetch), Fraction(run), L, 2)
    assert numbers("t_stream2_L", **case) == [expected] == [fetch + (L - 1) * max(fetch, run) + run]
    assert simulated(Fraction(fetch), Fraction(run), L, 3) == expected


def test_exact_values_at_8192() -> None:
    """A layer's GiB takes longer over PCIe 4.0 x16 than its work; memory belongs with its own time."""
    link, run, one, two, alone = numbers("t_link", "t", "t_stream1_L", "t_stream2_L", "t_link_L", m=8192)
    assert link == Fraction(2**30, HOST)
    assert run == Fraction(2 * 8192 * K * N, PEAK)
    assert one == 72 * (link + run)
    assert two == 72 * link + run
    assert [f"{float(time):.6g}" for time in (link, run, one, two, alone)] == [
        "0.034087",
        "0.0281926",
        "4.48413",
        "2.48246",
        "2.45427",
    ]
    memory = numbers("M_stream1", "M_stream2", m=8192)
    assert [size / 2**30 for size in memory] == [Fraction("17.0078125"), Fraction("18.0078125")]


def test_a_measured_fraction_of_the_link() -> None:
    (link,) = numbers("t_link", m=8192, eta_host="4/5")
    assert link == Fraction(2**30, HOST) / Fraction(4, 5)
    assert [f"{float(time):.6g}" for time in numbers("t_stream2_L", m=8192, eta_host="4/5")] == ["3.09603"]


# -- the m that hides the link


def first_that_hides(host: int, last: int = 20_000) -> int:
    """By trying one m after the other."""
    rates = {"s": 2, "c": 2, "P": PEAK, "beta": BANDWIDTH, "beta_host": host}

    def hides(m: int) -> bool:
        fetch, run = layer(m, K, N, **rates)
        return run >= fetch

    return next(m for m in range(1, last) if hides(m))


@pytest.mark.parametrize(
    ("host", "value", "first", "closed_form"),
    [
        (HOST, Fraction(208000, 21), 9905, "P*s/(c*beta_host)"),
        (64 * 10**9, Fraction(4875), 4875, "P*s/(c*beta_host)"),
        # A link faster than P s/(c m_star) = 945 GB/s is hidden from an m on at which the layer is still memory-bound.
        (10**12, None, 285, "k*n*(beta - beta_host)/(beta_host*(k + n))"),
    ],
)
def test_where_the_link_is_hidden(host: int, value: Fraction | None, first: int, closed_form: str) -> None:
    answer = STREAMING.solve("m_hide", beta_host=host)
    (root,) = answer.roots
    assert root.proved
    assert (root.below, root.above) == ("the link limits", "the work hides the link")
    assert root.first_integer == first == first_that_hides(host)
    assert answer.text(root.candidate.closed_form) == closed_form
    expected = Fraction(K * N * (BANDWIDTH - host), host * (K + N)) if value is None else value
    assert base_magnitude(root.value) == expected
    for m, label in ((first - 1, "the link limits"), (first, "the work hides the link")):
        assert STREAMING.at(m=m, beta_host=host)["limit"] == label


def test_a_link_as_fast_as_the_memory_is_always_hidden() -> None:
    answer = STREAMING.solve("m_hide", beta_host=BANDWIDTH)
    assert (answer.verdict, answer.roots) == ("never", ())
    assert STREAMING.at(m=1, beta_host=BANDWIDTH)["limit"] == "the work hides the link"


def test_a_chip_without_a_host_link(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('memory = "40 GB"\nbandwidth = "1555 GB/s"\nrates.fp16 = "312 TFLOP/s"\n')
    with pytest.raises(MissingGivenError, match=r"^streaming needs a value for beta_host "):
        STREAMING.at(on=str(own), m=8192)["t_link"]
    assert STREAMING.at(on=str(own), m=8192, beta_host="31.5 GB/s").number("t_link") == Fraction(2**30, HOST)


# -- commands


def test_eval(call: Command) -> None:
    case = ["--set", "m=8192", "--set", "beta_host=31.5 GB/s", "--json"]
    asked = ["t_link:ms", "t_stream1_L:s", "t_stream2_L:s"]
    results = json.loads(call("eval", "streaming", *asked, *case).out)["results"]
    assert [f"{one['value']:.6g}" for one in results.values()] == ["34.087", "4.48413", "2.48246"]
    many = json.loads(call("eval", "streaming", "t_stream2_L", *case, "--set", "L=10^9").out)["results"]
    link, run = layer(8192, K, N, s=2, c=2, P=PEAK, beta=BANDWIDTH, beta_host=HOST)
    assert Fraction(many["t_stream2_L"]["exact"]) == 10**9 * link + run


def test_solve(call: Command) -> None:
    (root,) = json.loads(call("solve", "streaming", "m_hide", "--set", "beta_host=31.5 GB/s", "--json").out)["roots"]
    assert (root["first_integer"], root["exact"]) == (9905, "208000/21")
    assert f"{root['value']:.2f}" == "9904.76"


def test_check(call: Command) -> None:
    shown = call("check", "streaming")
    assert (shown.code, shown.out.split("  ")[0]) == (0, "streaming: ok")
