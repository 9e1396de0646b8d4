"""The NumPy reading: columns over many points, with the checks that a single value gets."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from symroof import Derivation, SymroofError, ceil, largest, load, sqrt
from symroof.errors import (
    AuthoringError,
    MissingGivenError,
    RefusedValueError,
    UnitError,
    UnknownNameError,
)
from symroof.settings import Settings
from symroof.sweeps import MAX_POINTS, Column, sweep
from symroof.units import unit

GEMM = load("gemm")
MS = [2, 8, 32, 128, 256, 512, 2048, 8192]


def table(
    over: Mapping[str, Sequence[Any]],
    show: Sequence[str],
    values: Mapping[str, Any] | None = None,
    derivation: Derivation = GEMM,
) -> dict[str, list[Any]]:
    columns = sweep(Settings(derivation, values), over, show)
    return {column.title: column.values.tolist() for column in columns}


def test_the_published_table() -> None:
    found = table({"m": MS}, ["F:GFLOP", "B:GB", "t_comp:ms", "t_mem:ms", "t:ms", "regime"])
    assert list(found) == ["m", "F (GFLOP)", "B (GB)", "t_comp (ms)", "t_mem (ms)", "t (ms)", "regime"]
    assert found["m"] == MS
    for row, m in enumerate(MS):
        flop, moved = 2 * m * 512 * 2**20, 2 * (m * 512 + 512 * 2**20 + m * 2**20)
        compute, memory = Fraction(flop * 1000, 312 * 10**12), Fraction(moved * 1000, 1555 * 10**9)
        assert found["F (GFLOP)"][row] == pytest.approx(flop / 10**9, rel=1e-15)
        assert found["B (GB)"][row] == pytest.approx(moved / 10**9, rel=1e-15)
        assert found["t_comp (ms)"][row] == pytest.approx(float(compute), rel=1e-15)
        assert found["t_mem (ms)"][row] == pytest.approx(float(memory), rel=1e-15)
        assert found["t (ms)"][row] == pytest.approx(float(max(compute, memory)), rel=1e-15)
        assert found["regime"][row] == ("compute-bound" if compute >= memory else "memory-bound")


def test_a_column() -> None:
    (m, t, regime) = sweep(Settings(GEMM), {"m": [2, 8192]}, ["t:ms", "regime"])
    assert isinstance(m, Column)
    assert (m.name, t.name, regime.name) == ("m", "t", "regime")
    assert (m.unit, t.unit, regime.unit) == (unit(""), unit("ms"), unit(""))
    assert (m.title, t.title, regime.title) == ("m", "t (ms)", "regime")
    assert t.values.dtype == np.float64
    assert regime.values.dtype.kind == "U"


@pytest.mark.parametrize(
    "values", [(2, 8), [2, 8], range(2, 9, 6), np.array([2, 8]), np.array([2.0, 8.0]), [Fraction(2), "8"]]
)
def test_kinds_of_lists(values: Sequence[Any]) -> None:
    assert table({"m": values}, ["F:FLOP"])["F (FLOP)"] == [2.0**31, 2.0**33]


def test_all_combinations_the_last_symbol_fastest() -> None:
    found = table({"m": [1, 2, 3], "k": [10, 20]}, ["m", "F:FLOP", "B_kn:KiB"], {"n": 1})
    assert found["m"] == [1, 1, 2, 2, 3, 3]
    assert found["k"] == [10, 20, 10, 20, 10, 20]
    assert found["F (FLOP)"] == [20, 40, 40, 80, 60, 120]
    assert found["B_kn (KiB)"] == [20 / 1024, 40 / 1024] * 3


def test_what_does_not_depend_on_the_symbol_is_the_same_at_every_point() -> None:
    found = table({"m": [1, 2, 3]}, ["I:FLOP/byte", "k", "B_kn:GiB"])
    assert found["I (FLOP/byte)"] == [pytest.approx(62400 / 311)] * 3
    assert found["k"] == [512] * 3
    assert found["B_kn (GiB)"] == [1] * 3


def test_without_a_symbol_there_is_one_point() -> None:
    assert table({}, ["F:GFLOP", "regime"], {"m": 8}) == {"F (GFLOP)": [8.589934592], "regime": ["memory-bound"]}
    assert table({"m": [8]}, ["regime"])["regime"] == ["memory-bound"]


def test_a_swept_given_has_its_declared_unit() -> None:
    made = Derivation("mine")
    made.given("x", unit="KiB", default=1)
    made.given("t", unit="ms", default=2)

    @made.step(unit="kB/s")
    def rate(x: Any, t: Any) -> Any:
        return x / t

    found = table({"x": [0, 125]}, ["x:byte", "rate", "rate:B/min"], derivation=made)
    assert found["x (KiB)"] == [0, 125]
    assert found["x (byte)"] == [0, 128000]
    assert found["rate (kB/s)"] == [0, 64000]
    assert found["rate (byte/min)"] == [0, 3840000000]


def test_large_whole_numbers_do_not_wrap_round() -> None:
    """2 m k n goes beyond 2^63, where 64-bit integers turn negative."""
    big = 3_000_000
    assert table({"m": [big]}, ["F:FLOP"], {"k": big, "n": big})["F (FLOP)"] == [pytest.approx(2.0 * big**3, rel=1e-15)]
    assert 2 * big**3 > 2**63

    made = Derivation("mine")
    made.given("m", count=True)

    @made.step()
    def constant(m: Any) -> Any:  # noqa: ARG001
        return 2**40

    @made.step()
    def square(constant: Any) -> Any:
        return constant * constant

    @made.step()
    def huge(m: Any) -> Any:
        return 10**30 * m

    found = table({"m": [1, 2]}, ["square", "huge"], derivation=made)
    assert found["square"] == [2.0**80] * 2
    assert found["huge"] == [1e30, 2e30]


# -- branches and labels


def branching() -> Derivation:
    made = Derivation("branching")
    made.given("m", count=True)
    made.given("q", default=5)

    @made.step()
    def cost(m: Any, q: Any) -> Any:
        if m > 3 and m <= q:
            return m * m
        if m == 1 or m > 7:
            return Fraction(1, 4) * m
        return -7

    @made.step()
    def safe(m: Any, q: Any) -> Any:
        return 1 / (m - q) if m != q else 0 * m

    @made.step()
    def fixed(q: Any) -> Any:
        return 2 * q if q > 4 else q

    @made.step()
    def size(m: Any) -> Any:
        if m > 5:
            return "too_large & 100 %"
        return "one" if m == 1 else "some"

    @made.step()
    def always(m: Any) -> Any:  # noqa: ARG001
        return "always"

    made.binding("leads", cost="cost leads", m="m leads", q="q leads")
    return made


def test_each_point_takes_its_own_branch() -> None:
    found = table({"m": range(1, 10)}, ["cost", "safe", "fixed"], derivation=branching())
    assert found["cost"] == [0.25, -7, -7, 16, 25, -7, -7, 2, 2.25]
    assert found["safe"] == [-1 / 4, -1 / 3, -1 / 2, -1, 0, 1, 1 / 2, 1 / 3, 1 / 4]
    assert found["fixed"] == [10] * 9


def test_labels() -> None:
    found = table({"m": range(1, 8)}, ["size", "always", "leads"], derivation=branching())
    assert found["size"] == ["one", "some", "some", "some", "some", "too_large & 100 %", "too_large & 100 %"]
    assert found["always"] == ["always"] * 7
    # cost is 0.25, -7, -7, 16, 25, -7, -7 against m = 1 ... 7 and q = 5; at m = 5 nothing ties with 25
    assert found["leads"] == ["q leads", "q leads", "q leads", "cost leads", "cost leads", "m leads", "m leads"]


def test_a_tie_goes_to_the_first() -> None:
    made = Derivation("tie")
    made.given("m", count=True)
    made.given("q", default=3)
    made.binding("first", m="m", q="q")
    made.binding("second", q="q", m="m")
    found = table({"m": [2, 3, 4]}, ["first", "second"], derivation=made)
    assert found["first"] == ["q", "m", "m"]
    assert found["second"] == ["q", "q", "m"]


# -- values that follow others


def test_links() -> None:
    found = table({"m": [2, 4]}, ["k", "n", "F:FLOP"], {"k": "4*m", "n": "2*k + 1"})
    assert found["k"] == [8, 16]
    assert found["n"] == [17, 33]
    assert found["F (FLOP)"] == [2 * 2 * 8 * 17, 2 * 4 * 16 * 33]


def test_a_link_with_units() -> None:
    found = table({"m": [1, 2]}, ["P:TFLOP/s", "t_comp:s"], {"P": "beta * 100 FLOP/byte * m", "beta": "1 TB/s", "n": 1})
    assert found["P (TFLOP/s)"] == [100, 200]
    assert found["t_comp (s)"] == [1024 / 1e14] * 2


def test_sweeping_a_symbol_takes_the_place_of_what_it_was_set_to() -> None:
    assert table({"k": [3, 4]}, ["k", "B_kn:byte"], {"k": "m", "m": 7, "n": 1})["B_kn (byte)"] == [6, 8]
    assert table({"m": [3]}, ["m"], {"m": 99})["m"] == [3]


def test_efficiencies() -> None:
    """The symbol's own column shows what was swept, formulas work with the effective value, as for a single one."""
    made = Derivation("mine")
    made.given("P", unit="FLOP/s", efficiency="eta")
    made.given("eta", default="50 %")

    @made.step(unit="s/FLOP")
    def each(P: Any) -> Any:
        return 1 / P

    assert table({"P": [2, 4]}, ["each"], derivation=made) == {"P (FLOP/s)": [2, 4], "each (s/FLOP)": [1, 0.5]}
    assert table({"P": [2], "eta": [1, 0.25]}, ["each"], derivation=made)["each (s/FLOP)"] == [0.5, 2]
    assert table({"eta": [1, 0.25]}, ["P", "each"], {"P": 8}, made) == {
        "eta": [1, 0.25],
        "P (FLOP/s)": [8, 2],
        "each (s/FLOP)": [1 / 8, 1 / 2],
    }
    assert made.at(P=2).number("each") == 1


@pytest.mark.parametrize(
    ("link", "text"),
    [
        ("m/2", "k is a count, and a whole number from 1 up; 1.5 is not\nsweep over other values"),
        ("m - 2", "k is a count, and a whole number from 1 up; 0 is not\nsweep over other values"),
        ("m/(m - 2)", "k is a count, and a whole number from 1 up; inf is not\nsweep over other values"),
    ],
)
def test_a_link_that_breaks_a_rule_at_some_point(link: str, text: str) -> None:
    with pytest.raises(RefusedValueError) as caught:
        table({"m": [4, 3, 2]}, ["F"], {"k": link})
    assert str(caught.value) == text


def test_a_share_stays_a_share() -> None:
    made = Derivation("shares")
    made.given("eta", "a share", unit="%", default=50, most=100)
    made.given("q", "another", default=1, most=1)

    @made.step()
    def used(eta: Any, q: Any) -> Any:
        return eta * q

    assert table({"eta": [50, 100]}, ["used"], derivation=made) == {"eta (%)": [50, 100], "used": [0.5, 1]}
    with pytest.raises(RefusedValueError, match="eta is zero or positive, and not more than 100 %; 101 is not"):
        table({"eta": [50, 101]}, ["used"], derivation=made)
    with pytest.raises(RefusedValueError, match=r"q is zero or positive, and not more than 1; 1\.5 is not"):
        table({"eta": [25, 75]}, ["used"], {"q": "2*eta"}, made)


# -- what is refused


def heat() -> Derivation:
    made = branching()
    made.given("T", "a temperature", unit="K")

    @made.step()
    def inverse(m: Any, q: Any) -> Any:
        return 1 / (m - q)

    @made.step()
    def power(m: Any) -> Any:
        return 10**m

    @made.step()
    def negative_root(m: Any) -> Any:
        return sqrt(3 - m)

    return made


@pytest.mark.parametrize(
    ("over", "show", "kind", "text"),
    [
        ({"m": []}, ["cost"], RefusedValueError, "m is swept over no list of values\ngive at least one value"),
        ({"m": 3}, ["cost"], RefusedValueError, "m is swept over no list of values\ngive at least one value"),
        ({"m": [[1], [2]]}, ["cost"], RefusedValueError, "m is swept over no list of values\ngive at least one value"),
        (
            {"m": ["two"]},
            ["cost"],
            RefusedValueError,
            "m is swept over something that is no number\ngive plain numbers",
        ),
        (
            {"m": [10**400]},
            ["cost"],
            RefusedValueError,
            "m is swept over something that is no number\ngive plain numbers",
        ),
        (
            {"m": [1, 2.5]},
            ["cost"],
            RefusedValueError,
            "m is a count, and a whole number from 1 up; 2.5 is not\nsweep over other values",
        ),
        (
            {"m": [3, 0]},
            ["cost"],
            RefusedValueError,
            "m is a count, and a whole number from 1 up; 0 is not\nsweep over other values",
        ),
        (
            {"m": [math.nan]},
            ["cost"],
            RefusedValueError,
            "m is a count, and a whole number from 1 up; nan is not\nsweep over other values",
        ),
        (
            {"q": [1, math.inf]},
            ["fixed"],
            RefusedValueError,
            "q is zero or positive; inf is not\nsweep over other values",
        ),
        ({"q": [-1]}, ["fixed"], RefusedValueError, "q is zero or positive; -1 is not\nsweep over other values"),
        (
            {"m": [4, 5, 6]},
            ["inverse"],
            RefusedValueError,
            "inverse is not a finite number at m = 5\nsweep other values",
        ),
        (
            {"m": [300, 301, 400], "q": [1, 2]},
            ["power"],
            RefusedValueError,
            "power is not a finite number at m = 400, q = 1\nsweep other values",
        ),
        (
            {"m": [3, 4]},
            ["negative_root"],
            RefusedValueError,
            "negative_root is not a finite number at m = 4\nsweep other values",
        ),
        ({"M": [1]}, ["cost"], UnknownNameError, "unknown symbol 'M' in branching\ndid you mean m?"),
        (
            {"cost": [1]},
            ["cost"],
            RefusedValueError,
            "cost of branching is worked out and cannot be set\nset one of its givens: m, q, T",
        ),
        ({"m": [1]}, ["coast"], UnknownNameError, "unknown quantity 'coast' in branching\ndid you mean cost?"),
        (
            {"m": [1]},
            ["cost:ms"],
            UnitError,
            "cost is measured in plain numbers and cannot be shown in ms\nwrite cost",
        ),
        (
            {"T": [1]},
            ["T:ms"],
            UnitError,
            "T is measured in K and cannot be shown in ms\nfor example T:K",
        ),
        (
            {"m": [1]},
            ["T"],
            MissingGivenError,
            'branching needs a value for T (a temperature)\nset it: --set T="1 K"',
        ),
        (
            {"q": [1]},
            ["cost"],
            MissingGivenError,
            "branching needs a value for m\nset it: --set m=8192",
        ),
    ],
)
def test_what_is_refused(over: Any, show: list[str], kind: type[SymroofError], text: str) -> None:
    with pytest.raises(SymroofError) as caught:
        table(over, show, derivation=heat())
    assert type(caught.value) is kind
    assert str(caught.value) == text


def test_too_many_points() -> None:
    with pytest.raises(RefusedValueError) as caught:
        table({"m": range(1, 4001), "k": range(1, 2502)}, ["F"])
    assert str(caught.value) == "the sweep has 10,004,000 points; the limit is 10,000,000\nsweep fewer values"
    assert MAX_POINTS == 10_000_000
    many = range(1, 10**6)
    with pytest.raises(RefusedValueError, match=r"^the sweep has 999,997,000,002,999,999 points"):
        table({"m": many, "k": many, "n": many}, ["F"])  # no memory is taken for them


def test_a_value_beyond_double_precision() -> None:
    with pytest.raises(RefusedValueError) as caught:
        table({"m": [1]}, ["t_comp"], {"P": "1e300 PFLOP/s"})
    assert str(caught.value) == "P is zero or positive; inf is not\nsweep over other values"
    made = Derivation("mine")
    made.given("x", unit="PB")

    @made.step(unit="1/byte")
    def inverse(x: Any) -> Any:
        return 1 / x

    with pytest.raises(RefusedValueError) as caught:
        table({"x": [1, 1e300]}, ["inverse"], derivation=made)
    assert str(caught.value) == "x is zero or positive; inf is not\nsweep over other values"


def test_wrong_units_are_found_before_anything_is_worked_out() -> None:
    made = Derivation("mine")
    made.given("m", count=True)

    @made.step(unit="byte")
    def q(m: Any) -> Any:
        return 2 * m

    with pytest.raises(UnitError, match=r"^step q is declared in byte, but its formula gives a plain number\n"):
        table({"m": [1, 2]}, ["m"], derivation=made)


def q_only_for_numbers(m: Any) -> Any:
    return {1: m}[m.magnitude]


def q_of_many_branches(m: Any) -> Any:
    if m > 1:
        pass
    return sum((m if m > limit else 2 * m) for limit in range(100))


@pytest.mark.parametrize(
    ("formula", "kind", "text"),
    [
        (q_only_for_numbers, AuthoringError, "step q_only_for_numbers raises AttributeError: "),
        (q_of_many_branches, AuthoringError, "step q_of_many_branches: the formula makes more than 64 comparisons"),
    ],
)
def test_a_formula_that_cannot_be_swept(formula: Callable[..., Any], kind: type[SymroofError], text: str) -> None:
    made = Derivation("mine")
    made.given("m", count=True)
    made.step()(formula)
    with pytest.raises(kind, match=f"^{re.escape(text)}"):
        table({"m": [1, 2]}, [formula.__name__], derivation=made)


def test_only_what_is_shown_is_worked_out() -> None:
    made = Derivation("mine")
    made.given("m", count=True)
    made.given("unknown")

    @made.step()
    def needs(unknown: Any) -> Any:
        return largest(unknown, 1)

    @made.step()
    def tiles(m: Any) -> Any:
        return ceil(m / 128)

    assert table({"m": [1, 128, 129]}, ["tiles"], derivation=made)["tiles"] == [1, 1, 2]
    with pytest.raises(MissingGivenError):
        table({"m": [1]}, ["needs"], derivation=made)
