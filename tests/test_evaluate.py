"""The exact reading: rationals to the last line, roots kept, labels, and what stops it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
import sympy

from symroof import Derivation, SymroofError, ceil, floor, largest, load, smallest, sqrt, total
from symroof.errors import AuthoringError, InexactError, MissingGivenError, RefusedValueError, UnitError
from symroof.evaluate import Solution
from symroof.settings import Settings
from symroof.units import unit

pytestmark = pytest.mark.slow

Formula = Callable[..., Any]


def derivation() -> Derivation:
    made = Derivation("mine")
    made.given("x", unit="KiB", default=2)
    made.given("y", unit="byte", default=3)
    made.given("t", unit="s", default=2)
    made.given("m", count=True, default=3)
    made.given("k", count=True, default=2)
    made.given("q", default=2)
    return made


def worked_out(formula: Formula, declared: str = "", **values: Any) -> Any:
    """What the formula gives in base units."""
    made = derivation()
    made.step(unit=declared)(formula)
    return made.at(**values).number(formula.__name__)


def q_difference(m: Any, q: Any) -> Any:
    return m - q * 7


def q_fraction(m: Any, k: Any) -> Any:
    return m / k / 7 * 2


def q_power(m: Any, k: Any) -> Any:
    return m**k


def q_power_of_two(m: Any) -> Any:
    return 2**m


def q_negative_power(m: Any) -> Any:
    return (m / 2) ** -3


def q_square(x: Any) -> Any:
    return x**2


def q_inverse(x: Any) -> Any:
    return x**-1


def q_remainder(x: Any, y: Any) -> Any:
    return x % y


def q_whole(x: Any, y: Any) -> Any:
    return x // y


def q_largest(x: Any, y: Any) -> Any:
    return largest(x, y, sqrt(x * y))


def q_smallest(x: Any, y: Any, t: Any) -> Any:
    return smallest(x / t, y / t) * t


def q_builtin(x: Any, y: Any) -> Any:
    return max(x, y) - min(x, y)


def q_total(x: Any, y: Any) -> Any:
    return total(x, y, x)


def q_ceil(m: Any) -> Any:
    return ceil(m / 2) + ceil(-m / 2) * 100


def q_floor(m: Any) -> Any:
    return floor(m / 2) + floor(-m / 2) * 100


def q_root(x: Any, t: Any) -> Any:
    return sqrt(x * 2048 * x / 2) / t


def q_constant(m: Any) -> Any:  # noqa: ARG001
    return 12


def q_fraction_object(m: Any) -> Any:
    return Fraction(1, 3) * m


def q_branches(m: Any) -> Any:
    if m > 8:
        return m
    if m == 8 or m < 2:
        return 100 * m
    return -m


@pytest.mark.parametrize(
    ("formula", "declared", "values", "expected"),
    [
        (q_difference, "", {}, -11),
        (q_fraction, "", {}, Fraction(3, 7)),
        (q_power, "", {}, 9),
        (q_power, "", {"m": 10, "k": 400}, 10**400),
        (q_power_of_two, "", {}, 8),
        (q_power_of_two, "", {"m": 1100}, 2**1100),
        (q_negative_power, "", {}, Fraction(8, 27)),
        (q_square, "byte^2", {}, 2048**2),
        (q_square, "GB^2", {"x": 0.5}, 512**2),
        (q_inverse, "1/byte", {}, Fraction(1, 2048)),
        (q_remainder, "byte", {}, 2),
        (q_whole, "", {}, 682),
        (q_largest, "byte", {}, 2048),
        (q_largest, "byte", {"y": "1 MB"}, 10**6),
        (q_smallest, "byte", {}, 3),
        (q_builtin, "byte", {}, 2045),
        (q_total, "byte", {}, 4099),
        (q_ceil, "", {}, 2 - 100),
        (q_floor, "", {}, 1 - 200),
        (q_root, "byte/s", {}, 2048 * 32 // 2),
        (q_constant, "", {}, 12),
        (q_fraction_object, "", {"m": 4}, Fraction(4, 3)),
        (q_branches, "", {"m": 9}, 9),
        (q_branches, "", {"m": 8}, 800),
        (q_branches, "", {"m": 1}, 100),
        (q_branches, "", {"m": 5}, -5),
    ],
)
def test_exact_values(formula: Formula, declared: str, values: dict[str, Any], expected: Fraction) -> None:
    found = worked_out(formula, declared, **values)
    assert isinstance(found, Fraction)
    assert found == expected


def q_diagonal(x: Any, y: Any) -> Any:
    return sqrt(x * x + y * y)


def q_root_of_root(q: Any) -> Any:
    return sqrt(q) * sqrt(q)


def q_rounded_root(q: Any) -> Any:
    return ceil(sqrt(q)) + 10 * floor(3 * sqrt(q))


def q_largest_root(q: Any) -> Any:
    return largest(sqrt(q), Fraction(141421356, 10**8), Fraction(141421356237, 10**11))


def test_an_irrational_root_stays_exact() -> None:
    assert worked_out(q_diagonal, "byte", y=1024) == 1024 * sympy.sqrt(5)
    assert worked_out(q_diagonal, "byte", x="3 byte", y="4 byte") == 5
    assert worked_out(q_root_of_root) == 2
    assert worked_out(q_rounded_root) == 2 + 10 * 4
    assert worked_out(q_largest_root) == sympy.sqrt(2)  # 1.41421356237309..., above both


def test_a_root_in_another_unit() -> None:
    made = derivation()
    made.step(unit="byte")(q_diagonal)
    value = made.at(y=1024).shown("q_diagonal", "KiB")
    assert not isinstance(value, str)
    assert value.magnitude == sympy.sqrt(5)
    assert str(value) == "2.236 KiB"


def test_a_quantity_is_given_in_its_declared_unit() -> None:
    gemm = load("gemm")
    solution = gemm.at(m=8192)
    time = solution["t"]
    assert not isinstance(time, str)
    assert time.units == gemm.steps["t"].unit
    assert time.to("ms").magnitude == Fraction(2147483648, 76171875)
    assert str(time.to("ms")) == "28.19 ms"
    assert solution["regime"] == "compute-bound"
    beta = solution["beta"]
    assert not isinstance(beta, str)
    assert (beta.magnitude, beta.units) == (1555 * 10**9, unit("byte/s"))


def test_shown() -> None:
    solution = load("gemm").at(m=8192, beta="1.5 TB/s", k="2*m")
    shown = {name: str(solution.shown(name)) for name in ("beta", "P", "m", "k", "regime")}
    assert shown == {
        "beta": "1.5 TB/s",
        "P": "312 TFLOP/s",
        "m": "8192",
        "k": "16384",
        "regime": "compute-bound",
    }
    assert str(solution.shown("B_kn", "GiB")) == "32 GiB"
    assert str(solution.shown("share_mn", "")) == "0.3316"  # with k = 2m it is n/(2m + 3n), here 64/193
    with pytest.raises(UnitError, match=r"^a quantity in s cannot be given in GB\nits dimension is that of s$"):
        solution.shown("t", "GB")
    with pytest.raises(UnitError, match=r"^regime is the label 'compute-bound' and has no unit\nask for regime alone$"):
        solution.shown("regime", "ms")


def test_text_over_the_names() -> None:
    gemm = load("gemm")
    solution = gemm.at(m=8192)
    ratio = solution.compute(gemm.expression("t_comp / t_mem"))
    assert ratio.magnitude == Fraction(268435456, 9521484375) / Fraction(114688, 9765625)
    assert solution.compute(gemm.expression("t - 28 ms")).magnitude == Fraction(268435456, 9521484375) - Fraction(
        28, 1000
    )
    assert solution.compute(gemm.expression("7")).magnitude == 7
    with pytest.raises(UnitError, match=r"^regime is the label 'compute-bound', not a number\nask for the quantities"):
        solution.compute(gemm.expression("t * regime"))


# -- labels


def labelled() -> Derivation:
    made = derivation()

    @made.step()
    def size(m: Any) -> Any:
        if m > 100:
            return "too_large & 100 %"
        return "one" if m == 1 else "some"

    @made.step()
    def m2(m: Any) -> Any:
        return 2 * m

    @made.step()
    def kk(k: Any) -> Any:
        return k * k

    made.binding("most", kk="kk leads", m2="m2 leads", m="m leads")
    return made


@pytest.mark.parametrize(("m", "label"), [(101, "too_large & 100 %"), (100, "some"), (1, "one")])
def test_a_step_that_is_a_label(m: int, label: str) -> None:
    assert labelled().at(m=m)["size"] == label


@pytest.mark.parametrize(
    ("m", "k", "label"), [(3, 3, "kk leads"), (3, 2, "m2 leads"), (8, 4, "kk leads"), (2, 2, "kk leads")]
)
def test_a_tie_goes_to_the_first(m: int, k: int, label: str) -> None:
    assert labelled().at(m=m, k=k)["most"] == label


def test_a_label_is_no_number() -> None:
    for name, label in (("size", "'some'"), ("most", "'m2 leads'")):
        with pytest.raises(UnitError) as caught:
            labelled().at(m=4).number(name)
        assert str(caught.value) == f"{name} is the label {label}, not a number\nask for the quantities it compares"


# -- only what is asked for, and once


def test_only_what_is_asked_for_is_worked_out_and_once() -> None:
    calls: list[str] = []
    made = derivation()
    made.given("unknown")

    @made.step()
    def a(m: Any) -> Any:
        calls.append("a")
        return m + 1

    @made.step()
    def b(a: Any) -> Any:
        calls.append("b")
        return a * a

    @made.step()
    def c(unknown: Any) -> Any:
        calls.append("c")
        return unknown

    solution = made.at()
    calls.clear()  # the proof of the units has called each once
    assert [solution.number(name) for name in ("b", "a", "b")] == [16, 4, 16]
    assert calls == ["a", "b"]
    with pytest.raises(MissingGivenError, match=r"^mine needs a value for unknown\nset it: --set unknown=0.9$"):
        solution["c"]


def test_a_long_chain() -> None:
    made = Derivation("chain")
    made.given("a0", default=1)
    functions: dict[str, Any] = {}
    for at in range(300):
        exec(f"def a{at + 1}(a{at}): return a{at} * 3 / 2", functions)
        made.step()(functions[f"a{at + 1}"])
    assert made.at().number("a300") == Fraction(3, 2) ** 300


# -- what stops it


def q_divides(m: Any, q: Any) -> Any:
    return m / (q - 2)


def q_divides_by_given(m: Any, q: Any, t: Any) -> Any:
    return m / q * t / t


def q_negative_root(q: Any) -> Any:
    return sqrt(q - 5)


def q_fraction_as_power(m: Any) -> Any:
    return m ** Fraction(1, 2)


def q_varying_power(q: Any, m: Any) -> Any:
    return q ** (m / 2)


def q_raises(m: Any) -> Any:
    if m > 2 and m < 4:
        raise RuntimeError("no such m")
    return m


HINT = "divide whole numbers last (x/2, 9*x/10), use symroof.sqrt for roots, or make the number a given"


@pytest.mark.parametrize(
    ("formula", "values", "kind", "text"),
    [
        (q_divides, {}, RefusedValueError, "step q_divides divides by zero\nset other values"),
        (
            q_divides_by_given,
            {"q": 0, "t": 0},
            RefusedValueError,
            "step q_divides_by_given divides by zero: q, t = 0\nset other values",
        ),
        (
            q_negative_root,
            {},
            RefusedValueError,
            "step q_negative_root: sqrt of the negative number -3\ncheck the sign of the argument",
        ),
        (
            q_fraction_as_power,
            {},
            InexactError,
            f"step q_fraction_as_power: the float 1.7320508075688772 is not exact\n{HINT}",
        ),
        (
            q_varying_power,
            {"q": 4},
            InexactError,
            f"step q_varying_power: the float 8.0 is not exact\n{HINT}",
        ),
    ],
)
def test_what_stops_a_step(formula: Formula, values: dict[str, Any], kind: type[SymroofError], text: str) -> None:
    with pytest.raises(SymroofError) as caught:
        worked_out(formula, **values)
    assert type(caught.value) is kind
    assert str(caught.value) == text


def test_a_step_that_raises_is_named() -> None:
    made = derivation()
    made.step()(q_raises)
    with pytest.raises(AuthoringError) as caught:
        Solution(Settings(made))
    assert str(caught.value) == (
        "step q_raises raises RuntimeError: no such m\n"
        "a formula uses + - * / ** and symroof's largest, smallest, ceil, floor, sqrt, total"
    )


def test_names_that_have_no_value() -> None:
    solution = load("gemm").at(m=8)
    with pytest.raises(SymroofError, match=r"^unknown quantity 'tmem' in gemm\ndid you mean t_mem"):
        solution["tmem"]
    with pytest.raises(RefusedValueError, match=r"^m_star of gemm is a crossover\nsolve it, it has no one value$"):
        solution["m_star"]
