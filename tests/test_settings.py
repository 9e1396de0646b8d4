"""The values of givens: what may be set to what, and where a value comes from."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pint
import pytest

from symroof import Derivation, SymroofError, load
from symroof.errors import AuthoringError, MissingGivenError, ParseError, RefusedValueError, UnitError, UnknownNameError
from symroof.evaluate import Solution
from symroof.hardware import MissingRateError
from symroof.numerals import Exact
from symroof.settings import Settings
from symroof.units import quantity

PRODUCT = Derivation("product")
PRODUCT.given("m", "rows of A", count=True)
PRODUCT.given("k", "columns of A", count=True, default=512)
PRODUCT.given("n", "columns of B", count=True, default="2^20")
PRODUCT.given("c", "operations per multiply-add", unit="FLOP", default=2)
PRODUCT.given("P", "peak rate", unit="FLOP/s")
PRODUCT.given("beta", "memory bandwidth", unit="byte/s")
PRODUCT.given("s", "bytes per element", unit="byte")


@PRODUCT.step(unit="FLOP")
def F(c: Any, m: Any, k: Any, n: Any) -> Any:
    return c * m * k * n


@PRODUCT.step(unit="byte")
def B(s: Any, m: Any, k: Any, n: Any) -> Any:
    return s * (m * k + k * n + m * n)


@PRODUCT.step(unit="s")
def t_comp(F: Any, P: Any) -> Any:
    return F / P


@PRODUCT.step(unit="s")
def t_mem(B: Any, beta: Any) -> Any:
    return B / beta


PRODUCT.binding("regime", t_comp="compute-bound", t_mem="memory-bound")
PRODUCT.crossover("m_star", "t_comp = t_mem", solve_for="m")


def value(name: str, assignments: dict[str, Any] | None = None, **case: str) -> Exact:
    """A given of the product in base units."""
    return Solution(Settings(PRODUCT, assignments, **case)).number(name)


ALIKE = "both sides need the same dimension"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("m", "512", Fraction(512)),
        ("m", "2^20", Fraction(1048576)),
        ("m", "1e6", Fraction(1000000)),
        ("m", "8192/2", Fraction(4096)),
        ("m", " 1_000 ", Fraction(1000)),
        ("m", 512, Fraction(512)),
        ("m", 512.0, Fraction(512)),
        ("m", Fraction(512), Fraction(512)),
        ("m", quantity(512), Fraction(512)),
        ("m", "200 %*256", Fraction(512)),
        ("beta", "1.3 TB/s", Fraction(1300000000000)),
        ("beta", "1 GiB/s", Fraction(2**30)),
        ("beta", "8 Gbit/s", Fraction(10**9)),
        ("beta", 1555000000000, Fraction(1555 * 10**9)),  # in the declared unit, byte/s
        ("beta", 0.5, Fraction(1, 2)),
        ("beta", quantity(3, "GB/s"), Fraction(3 * 10**9)),
        ("beta", "sqrt(4 GB/s * 1 GB/s)", Fraction(2 * 10**9)),
        ("beta", "0 GB/s", Fraction(0)),
        ("P", "312 TFLOPS", Fraction(312 * 10**12)),
        ("s", "1/2 * 1 byte", Fraction(1, 2)),
        ("s", "4 bit", Fraction(1, 2)),
        ("c", "1 FLOP", Fraction(1)),
    ],
)
def test_what_a_given_may_be_set_to(name: str, content: Any, expected: Fraction) -> None:
    assert value(name, {name: content}) == expected


def test_numbers_of_numpy_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    assert value("m", {"m": numpy.int64(512)}) == 512
    assert value("m", {"m": numpy.float64(512)}) == 512
    assert value("beta", {"beta": numpy.float64(0.1)}) == Fraction(1, 10)


COUNT = "is not a whole number from 1 up\nfor example m=8192"
NO_NUMBER = 'is not a finite number\ngive a number in the declared unit or text with a unit: "40 GB"'


@pytest.mark.parametrize(
    ("name", "content", "kind", "text"),
    [
        ("m", "0", RefusedValueError, f"m is a count, and 0 {COUNT}"),
        ("m", "-3", RefusedValueError, f"m is a count, and -3 {COUNT}"),
        ("m", "1.5", RefusedValueError, f"m is a count, and 1.5 {COUNT}"),
        ("m", "1/3", RefusedValueError, f"m is a count, and 1/3 {COUNT}"),
        ("m", "sqrt(2)", RefusedValueError, f"m is a count, and sqrt(2) {COUNT}"),
        ("m", 0, RefusedValueError, f"m is a count, and 0 {COUNT}"),
        ("m", 1.5, RefusedValueError, f"m is a count, and 1.5 {COUNT}"),
        ("m", float("nan"), RefusedValueError, f"nan {NO_NUMBER}"),
        ("m", float("inf"), RefusedValueError, f"inf {NO_NUMBER}"),
        ("m", True, RefusedValueError, f"True {NO_NUMBER}"),
        ("m", None, RefusedValueError, f"None {NO_NUMBER}"),
        ("m", [8], RefusedValueError, f"[8] {NO_NUMBER}"),
        ("m", "nan", UnknownNameError, "unknown symbol 'nan'\nknown: m, k, n, c, P, beta, s"),
        ("m", "inf", UnknownNameError, "unknown symbol 'inf'\nknown: m, k, n, c, P, beta, s"),
        ("m", "mm", UnknownNameError, "unknown symbol 'mm'\ndid you mean m?"),
        ("m", "F", UnknownNameError, "unknown symbol 'F'\nknown: m, k, n, c, P, beta, s"),
        ("m", "1e400", ParseError, "the number 1e400 goes beyond 10^300\n  1e400\n  ^\nnumbers go up to 10^300"),
        (
            "m",
            "9**9**9",
            ParseError,
            "the exponent 387420489 is above 4096\n  9**9**9\n   ^\nwrite a smaller power",
        ),
        (
            "m",
            "__import__('os')",
            ParseError,
            "unknown function '__import__'\n  __import__('os')\n  ^\n"
            "known: max, min, ceil, floor, sqrt, log2, ln, exp, abs, round",
        ),
        ("m", "", ParseError, "the text ends where a number or a name is expected\n  \n  ^"),
        ("m", "1/0", ParseError, "this divides by zero\n  1/0\n   ^\ncheck the value after the /"),
        ("m", "8192 B", UnitError, "m is a plain number, but 8192 byte is in byte\nfor example m=8192"),
        (
            "beta",
            "1555",
            UnitError,
            'beta is measured in byte/s, but 1555 has no unit\nfor example beta="1 byte/s"',
        ),
        (
            "beta",
            "1555 GB",
            UnitError,
            'beta is measured in byte/s, but 1555 GB is in byte\nfor example beta="1 byte/s"',
        ),
        ("beta", "-1 GB/s", RefusedValueError, "beta cannot be negative\nquantities are zero or positive"),
        ("beta", -1, RefusedValueError, "beta cannot be negative\nquantities are zero or positive"),
        (
            "beta",
            "1 KB/s",
            ParseError,
            "the unit 'KB' is ambiguous\n  1 KB/s\n    ^\nwrite kB (10^3 byte), KiB (2^10 byte) or kbit (10^3 bit)",
        ),
        ("P", "2*beta", UnitError, 'P is measured in FLOP/s, but 2*beta is in byte/s\nfor example P="1 FLOP/s"'),
        ("k", "m + P", ParseError, "adding a plain number and FLOP/s\n  m + P\n    ^\n" + ALIKE),
    ],
)
def test_what_a_given_may_not_be_set_to(name: str, content: Any, kind: type[SymroofError], text: str) -> None:
    with pytest.raises(SymroofError) as caught:
        Settings(PRODUCT, {name: content})
    assert type(caught.value) is kind
    assert str(caught.value) == f"{name}={content}: {text}"


def test_a_quantity_of_another_registry_is_refused() -> None:
    foreign = pint.UnitRegistry(None)
    foreign.define("second = [time] = s")
    with pytest.raises(RefusedValueError, match="is not a finite number"):
        Settings(PRODUCT, {"beta": foreign.Quantity(3, "second")})


@pytest.mark.parametrize("name", ["F", "t_mem", "regime", "m_star"])
def test_only_givens_are_set(name: str) -> None:
    with pytest.raises(RefusedValueError) as caught:
        Settings(PRODUCT, {name: 1})
    assert str(caught.value) == (
        f"{name} of product is worked out and cannot be set\nset one of its givens: m, k, n, c, P, beta, s"
    )


def test_a_symbol_that_is_not_there() -> None:
    with pytest.raises(UnknownNameError, match=r"^unknown symbol 'bet' in product\ndid you mean beta\?$"):
        Settings(PRODUCT, {"bet": 1})


# -- links


@pytest.mark.parametrize(
    ("assignments", "name", "expected"),
    [
        ({"m": 8, "k": "m"}, "k", 8),
        ({"m": 8, "k": "4*m"}, "k", 32),
        ({"k": "4*m", "m": 8}, "k", 32),
        ({"m": 8, "k": "n/m", "n": "m^2"}, "k", 8),
        ({"m": 7, "k": "ceil(m/2)"}, "k", 4),
        ({"m": 7, "k": "max(m, 3) + min(2, m)"}, "k", 9),
        ({"k": "4*m", "n": "2*k", "m": "3"}, "n", 24),
        ({"m": 1, "P": "beta * 2 FLOP/byte", "beta": "3 GB/s"}, "P", 6 * 10**9),
        ({"m": 1, "beta": "P / (100 FLOP/byte)"}, "beta", 3120 * 10**9),
    ],
)
def test_a_given_that_follows_others(assignments: dict[str, Any], name: str, expected: int) -> None:
    assert value(name, assignments) == expected


def test_a_link_reaches_the_steps() -> None:
    linked = Solution(Settings(PRODUCT, {"m": 128, "k": "m", "n": "4*k"}))
    assert linked.number("F") == 2 * 128 * 128 * 512


def test_a_link_to_something_without_a_value() -> None:
    with pytest.raises(MissingGivenError) as caught:
        value("k", {"k": "m"})
    assert str(caught.value) == "product needs a value for m (rows of A)\nset it: --set m=8192"


def test_a_link_may_break_a_rule_only_where_it_is_worked_out() -> None:
    settings = Settings(PRODUCT, {"k": "m/3", "m": 9})
    assert Solution(settings).number("k") == 3
    with pytest.raises(RefusedValueError) as caught:
        Solution(settings.with_values({"m": 10})).number("k")
    assert str(caught.value) == f"k=m/3: k is a count, and 10/3 {COUNT.replace('m=', 'k=')}"
    with pytest.raises(RefusedValueError, match=r"^k=m - 9: k is a count, and 0 is not a whole number from 1 up"):
        value("k", {"k": "m - 9", "m": 9})
    with pytest.raises(ParseError, match=r"^k=n/\(m - 9\): this divides by zero\n  n/\(m - 9\)\n   \^"):
        value("k", {"k": "n/(m - 9)", "m": 9})


@pytest.mark.parametrize(
    "assignments",
    [{"k": "k"}, {"k": "2*k + 1"}, {"k": "m", "m": "k"}, {"k": "m", "m": "n", "n": "k"}, {"m": "m", "k": "m"}],
)
def test_links_that_go_round(assignments: dict[str, Any]) -> None:
    with pytest.raises(RefusedValueError, match=r"^(\w) is set to something that depends on \1\nset one of them to a"):
        Settings(PRODUCT, assignments)


def test_with_values_can_close_a_circle_or_open_it() -> None:
    settings = Settings(PRODUCT, {"k": "m"})
    with pytest.raises(RefusedValueError, match=r"^k is set to something that depends on k"):
        settings.with_values({"m": "k"})
    assert Solution(settings.with_values({"m": "k", "k": 3})).number("m") == 3


def test_what_depends_on_what() -> None:
    settings = Settings(PRODUCT, {"k": "m + n*m", "n": 3})
    assert settings.depends_on("k") == ["m", "n"]
    assert settings.depends_on("n") == settings.depends_on("m") == settings.depends_on("P") == []


# -- where a value comes from


def own() -> Derivation:
    made = Derivation("own")
    made.given("m", "rows", count=True)
    made.given("eta", "share")
    made.given("d", "a length", unit="km")
    made.given("k", count=True, default=512)
    made.given("P", "peak rate", unit="TFLOP/s")
    made.given("beta", unit="byte/s", default="1 TB/s")
    for name in ("s", "s_a", "s_w", "s_kv"):
        made.given(name, unit="byte")
    for name in ("C", "beta_host", "beta_link"):
        made.given(name, unit="byte/s" if name.startswith("beta") else "byte")
    return made


def source(name: str, settings: Settings) -> tuple[str, str]:
    found = settings.value(name)
    return found.text, found.source


def test_the_order_of_sources() -> None:
    settings = Settings(own(), {"m": "2^4", "k": "2*m"})
    assert source("m", settings) == ("16", "set")
    assert source("k", settings) == ("2*m", "set")
    assert source("k", Settings(own())) == ("512", "default")
    assert source("beta", settings) == ("1 TB/s", "default")  # the file's default goes before the chip
    assert source("beta", settings.with_values({"beta": "3 GB/s"})) == ("3 GB/s", "set")
    assert source("P", settings) == (
        "312 TFLOP/s",
        "NVIDIA A100 40GB SXM4: NVIDIA datasheet figures as collected on glennklockwood.com",
    )
    assert source("s", settings) == ("2 byte", "size of fp16")
    claimed = settings.with_values({"m": 8}, source="the claim")
    assert source("m", claimed) == ("8", "the claim")
    assert source("k", claimed) == ("2*m", "set")


def test_a_default_for_one_chip() -> None:
    made = Derivation("made")
    made.given("C", unit="byte", default="40 GiB", on="a100-40gb")
    made.given("beta_link", unit="byte/s", default="1 GB/s", on="t4")
    assert source("C", Settings(made)) == ("40 GiB", "default on a100-40gb")
    assert source("C", Settings(made, on="a100-80gb"))[0] == "80 GB"
    assert source("C", Settings(made, {"C": "3 GB"})) == ("3 GB", "set")
    assert source("beta_link", Settings(made))[0] == "300 GB/s"
    assert source("beta_link", Settings(made, on="t4")) == ("1 GB/s", "default on t4")


def test_a_default_for_a_chip_that_is_not_there() -> None:
    made = Derivation("made")
    with pytest.raises(UnknownNameError, match=r"^given C: unknown chip 'a100-40'\ndid you mean a100-40gb"):
        made.given("C", unit="byte", default="40 GiB", on="a100-40")
    with pytest.raises(AuthoringError, match=r"^given D: on='l4' says which chip a default is for, but there is none"):
        made.given("D", unit="byte", on="l4")


@pytest.mark.parametrize("name", ["vram", "streaming", "tensor_parallel", "plans"])
def test_the_questions_reading_of_its_chip_is_for_that_chip(name: str) -> None:
    """40 GiB is how the question reads 40 GB; other chips have what they have."""
    derivation = load(name)
    assert derivation.at(m=8192).number("C_usable") == 40 * 2**30
    assert derivation.at(on="h100-sxm", m=8192).number("C_usable") == 80 * 10**9
    assert derivation.at(on="l4", m=8192).number("C_usable") == 24 * 10**9
    assert derivation.at(on="l4", m=8192, C="40 GiB").number("C_usable") == 40 * 2**30


@pytest.mark.parametrize(
    ("dtype", "size", "rate"),
    [
        ("fp16", 2, 312),
        ("int8", 1, 624),
        ("int4", Fraction(1, 2), 1248),
        ("tf32", 4, 156),
        ("fp32", 4, Fraction(39, 2)),
    ],
)
def test_the_dtype_sets_sizes_and_the_rate(dtype: str, size: Fraction, rate: Fraction) -> None:
    solution = Solution(Settings(own(), dtype=dtype))
    assert [solution.number(name) for name in ("s", "s_a", "s_w", "s_kv")] == [size] * 4
    assert solution.number("P") == rate * 10**12


def test_the_chip_sets_its_symbols() -> None:
    solution = Solution(Settings(own(), on="a100-40gb"))
    assert solution.number("C") == 42405855232
    assert solution.number("beta_host") == 31500 * 10**6
    assert solution.number("beta_link") == 300 * 10**9
    assert Solution(Settings(own(), on="h100-sxm")).number("P") == 9894 * 10**11


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m", "own needs a value for m (rows)\nset it: --set m=8192"),
        ("eta", "own needs a value for eta (share)\nset it: --set eta=0.9"),
        ("d", 'own needs a value for d (a length)\nset it: --set d="1 km"'),
    ],
)
def test_a_given_without_any_value(name: str, text: str) -> None:
    with pytest.raises(MissingGivenError) as caught:
        Settings(own()).value(name)
    assert str(caught.value) == text
    assert (caught.value.name, caught.value.derivation) == (name, "own")


@pytest.mark.parametrize("unit", ["byte", "1/s", "FLOP/byte", "1/s/K", "W*s^2", "1/s^2", "%", "m/s/K"])
def test_the_example_in_a_hint_can_be_set(unit: str) -> None:
    made = Derivation("own")
    made.given("q", unit=unit)
    example = made.givens["q"].example.strip('"')
    assert Settings(made, {"q": example}).value("q").source == "set"


def test_a_chip_symbol_that_means_something_else_is_not_filled_from_the_chip() -> None:
    made = Derivation("heat")
    made.given("P", "power", unit="W")
    made.given("beta", "expansion", unit="1/K")
    made.given("C", "heat capacity", unit="J/K")
    made.given("s", "thickness", unit="m")
    settings = Settings(made)
    texts = []
    for name in made.givens:
        with pytest.raises(MissingGivenError) as caught:
            settings.value(name)
        texts.append(str(caught.value))
    assert texts == [
        'heat needs a value for P (power)\nset it: --set P="1 W"',
        'heat needs a value for beta (expansion)\nset it: --set beta="1/1 K"',
        'heat needs a value for C (heat capacity)\nset it: --set C="1 J/K"',
        'heat needs a value for s (thickness)\nset it: --set s="1 m"',
    ]


def test_a_dtype_the_chip_has_no_rate_for() -> None:
    settings = Settings(PRODUCT, {"m": 8}, on="a100-40gb", dtype="fp8")
    assert Solution(settings).number("B") == 8 * 512 + 512 * 2**20 + 8 * 2**20  # needs no rate
    with pytest.raises(MissingRateError, match=r"^a100-40gb has no fp8 rate\nit has fp64, fp32, tf32, "):
        Solution(settings).number("t_comp")
    assert Solution(settings.with_values({"P": "1 TFLOP/s"})).number("P") == 10**12


def test_a_dtype_or_chip_that_is_not_there() -> None:
    with pytest.raises(UnknownNameError, match=r"^unknown dtype 'fp15'\ndid you mean fp16\?$"):
        Settings(PRODUCT, dtype="fp15")
    settings = Settings(PRODUCT, {"m": 8}, on="a100")
    with pytest.raises(UnknownNameError, match=r"^unknown chip 'a100'\ndid you mean .*a100-40gb"):
        Solution(settings).number("t_comp")


# -- further cases


def test_with_values_leaves_the_first_case_alone() -> None:
    first = Settings(PRODUCT, {"m": 8, "k": 16}, on="h100-sxm", dtype="fp8")
    second = first.with_values({"m": 9})
    assert [Solution(one).number("m") for one in (first, second)] == [8, 9]
    assert Solution(second).number("k") == 16
    assert Solution(second).number("s") == 1
    assert Solution(second).number("P") == Solution(first).number("P")


def test_at_a_point_a_count_may_lie_between_whole_numbers() -> None:
    settings = Settings(PRODUCT, {"m": 8, "k": "2*m"})
    point = settings.at_point("m", quantity(Fraction(7, 2)))
    assert Solution(point).number("k") == 7
    halves = settings.at_point("m", quantity(Fraction(9, 4))).with_values({"n": "4*k"})
    assert Solution(halves).number("k") == Fraction(9, 2)
    assert Solution(halves).number("n") == 18
    assert Solution(settings).number("m") == 8
