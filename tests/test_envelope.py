"""One line: what it comes to, in which unit, and every way in which it is refused, in full."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import symroof
from symroof.envelope import Names, definition, readable_quantity, result
from symroof.errors import InexactError, ParseError, RefusedValueError, SymroofError, UnitError
from symroof.expression import parse_line
from symroof.units import quantity, unit, unit_text

GEMM: dict[str, Any] = {"c": "2 FLOP", "m": 8192, "k": 512, "n": "2^20"}


class TestValues:
    @pytest.mark.parametrize(
        ("text", "number", "measured"),
        [
            # 2*8192*512*2^20 = 2^43 operations at 312*10^12 in a second: 2^43/312*10^-9 ms = 2^40/39*10^-9 ms
            ("2*8192*512*2^20 FLOP / 312 TFLOP/s", Fraction(2**40, 39 * 10**9), "ms"),
            ("140 GB / 3.35 TB/s", Fraction(14000, 335), "ms"),
            ("-3 s + 4 s", 1, "s"),
            ("−3 s + 4 s", 1, "s"),
            ("1_000_000", 1_000_000, ""),
            ("40 % * 3", Fraction(6, 5), ""),
            ("40 % + 1 %", 41, "%"),
            ("6000 * 1 GB", 6000, "GB"),  # as it was written, while that reads well
            ("20000 * 1 GB", 20, "TB"),
            ("2*32*8*128*2 byte*128*1024", Fraction(2**34, 10**9), "GB"),  # 2^(1 + 5 + 3 + 7 + 1 + 7 + 10)
            ("128 KiB * 131072", 16, "GiB"),  # 2^7 * 2^17 KiB: in steps of 1024, as it was written
            ("2 GiB/s * 3 s", 6, "GiB"),
            ("1 GiB * 2^70", 2**40, "EiB"),
            ("1 KiB / 2^30", Fraction(1, 2**20), "byte"),
            ("0 * 1 KiB", 0, "KiB"),
            ("100000 * 1 h", 100_000, "h"),  # hours have no steps
            ("100000 * 1 Gbit", 100_000, "Gbit"),
            ("1310 TOPS", 1310, "TOP/s"),
            ("6 TOP / 2 ms", 3, "POP/s"),
            ("1 TOP + 1 TFLOP", 2, "TOP"),
            ("1 GB + 1 GiB", Fraction(10**9 + 2**30, 10**9), "GB"),
            ("28 GiB to GB", Fraction(28 * 2**30, 10**9), "GB"),
            ("5 in %", 500, "%"),
            ("3 GB/s * 2 s in Gbit", 48, "Gbit"),
            ("max(2 ms, 3 us)", 2, "ms"),
            ("abs(2 s - 5 s)", 3, "s"),
            ("round(2.5) + round(-3.5) + round(7/3)", 2 - 4 + 2, ""),
            ("log2(1/1024) + ln(1) + exp(0) + log2(2^900)", -10 + 0 + 1 + 900, ""),
            ("log2(sqrt(2)) + ln(exp(3)) + exp(ln(7))", Fraction(1, 2) + 3 + 7, ""),
            ("ceil(log2(1000)) + floor(log2(1000))", 10 + 9, ""),
            ("log2(40 % * 5)", 1, ""),
            ("3 s / 1 ms", 3000, ""),
            ("1/0.5 s", 2, "1/s"),
            ("0 s / 1 GB * 3 GB", 0, "s"),
        ],
    )
    def test_value_and_unit(self, text: str, number: Any, measured: str) -> None:
        found = symroof.calc(text)
        assert (found.magnitude, unit_text(found.units)) == (number, measured)
        assert isinstance(found.magnitude, Fraction)

    @pytest.mark.parametrize(
        ("number", "measured", "shown"),
        [
            (Fraction(1, 10**12), "s", "0.001 ns"),
            (Fraction(28, 10**3), "s", "28 ms"),
            (3600, "s", "3600 s"),
            (999, "byte", "999 byte"),
            (1000, "byte", "1 kB"),
            (-(2**40), "byte", "-1.1 TB"),
            (10**21, "FLOP/s", "1000 EFLOP/s"),
            (Fraction(15, 10), "FLOP", "1.5 FLOP"),
            (10**9, "FLOP/byte", "1e9 FLOP/byte"),
            (4 * 10**14, "g*m^2/s^3", "400 GW"),
        ],
    )
    def test_the_step_of_a_thousand_that_reads_best(self, number: Any, measured: str, shown: str) -> None:
        found = readable_quantity(quantity(number, measured), [unit("year")])
        assert str(found).replace("-1.100", "-1.1") == shown

    def test_names_come_from_what_is_set_then_from_the_chip(self) -> None:
        assert str(symroof.calc("c*m*k*n/P", unit="ms", **GEMM)) == "28.19 ms"
        # 1555 GB/s; 989 TFLOP/s (3.35 TB/s) on an H100
        assert symroof.calc("P/beta").magnitude == Fraction(312_000, 1555)
        assert symroof.calc("beta", on="h100-sxm") == quantity(Fraction(335, 100), "TB/s")
        assert symroof.calc("P", on="h100-sxm", dtype="int8") > symroof.calc("P", on="h100-sxm")
        assert symroof.calc("s + s_a + s_w + s_kv", dtype="fp8") == quantity(4, "byte")
        assert symroof.calc("P*1 s", P="3 FLOP/s") == quantity(3, "FLOP")

    def test_values_of_all_kinds(self) -> None:
        third = Fraction(1, 3)
        assert symroof.calc("a + b", a=third, b="2/3").magnitude == 1
        assert symroof.calc("a*b", a=third, b=symroof.calc("6 s")) == quantity(2, "s")
        names = Names()
        names.set("k", 3)
        names.set("m", "2*k + 1")
        assert result(definition(parse_line("m*k")), names).value == quantity(21)

    def test_irrational_values_are_certified(self) -> None:
        # ln 2 = 0.69314718..., log2 3 = 1.58496250..., e = 2.71828182..., sqrt(e) = 1.64872127...,
        # e^10 = 22026.46579..., 690/ln 10 = 299.66319262..., 10^0.33680737 = 2.17173...
        for text, shown in (
            ("ln(2)", "0.6931"),
            ("log2(3)", "1.585"),
            ("exp(1)", "2.718"),
            ("exp(1/2)*1 s", "1.649 s"),
            ("exp(1)^0.5", "1.649"),
            ("exp(-690)", "2.172e-300"),
            ("round(exp(10))", "22026"),
        ):
            assert str(symroof.calc(text)) == shown

    def test_the_value_of_a_given_name_may_use_a_name_before_it(self) -> None:
        assert symroof.calc("y", x="3 s", y="2*x") == quantity(6, "s")

    @pytest.mark.parametrize(
        ("text", "values", "message"),
        [
            ("W/beta", {"Beta": "3 TB/s"}, "Beta is not used\ndid you mean beta?"),
            ("W/beta", {"x": 3}, "x is not used\nleave it out: what is used is W and beta"),
            ("3 s", {}, "W is not used\nleave it out"),
            ("W = 3 s", {}, "W is given and defined\nleave one of the two out"),
            ("W/beta", {"x": 3, "y": "2*x"}, "y is not used\nleave it out: what is used is x, W and beta"),
        ],
    )
    def test_given_and_not_used(self, text: str, values: dict[str, Any], message: str) -> None:
        with pytest.raises(RefusedValueError) as caught:
            symroof.calc(text, W="140 GB", **values)
        assert str(caught.value) == message

    def test_it_prints_well(self) -> None:
        found = symroof.calc("140 GB / 3.35 TB/s", unit="ms")
        assert str(found) == "41.79 ms"
        assert found._repr_latex_() == r"$41.79\,\mathrm{ms}$"
        assert found._repr_html_ is None  # a notebook takes the LaTeX
        assert str(found.to("us")) == "4.179e4 us"

    def test_definitions(self) -> None:
        names = Names()
        names.set("W", "140 GB")
        found = result(definition(parse_line("t = W/beta in us")), names)
        assert (found.name, str(found.value)) == ("t", "9.003e4 us")


# Every kind of unit error and of other faults: what is said, in full.
ALIKE = "both sides need the same dimension"
RATE = "FLOP counts and FLOP/s is a rate: a rate times a time is a count, a count over a time is a rate"
FAULTS = {
    "1 GB + 2 FLOP": f"byte and FLOP do not go together\n  1 GB + 2 FLOP\n       ^\n{ALIKE}",
    "1 FLOP + 1 FLOP/s": f"FLOP and FLOP/s do not go together\n  1 FLOP + 1 FLOP/s\n         ^\n{RATE}",
    "max(P, 3 FLOP)": f"FLOP/s and FLOP do not go together\n  max(P, 3 FLOP)\n  ^\n{RATE}",
    "1 GB/s - 3 GB": (
        "byte/s and byte do not go together\n  1 GB/s - 3 GB\n         ^\n"
        "byte counts and byte/s is a rate: a rate times a time is a count, a count over a time is a rate"
    ),
    "3 + 2 s": f"a plain number and s do not go together\n  3 + 2 s\n    ^\n{ALIKE}",
    "2 * min(1 s, 2 B)": f"byte and s do not go together\n  2 * min(1 s, 2 B)\n      ^\n{ALIKE}",
    "2^(3 s)": "3 s as a power\n  2^(3 s)\n   ^\na power is a plain number",
    "1 + ln(3 s)": "s in ln\n  1 + ln(3 s)\n      ^\na plain number is needed there",
    "log2(1 GB)": "byte in log2\n  log2(1 GB)\n  ^\na plain number is needed there",
    "exp(1 FLOP/s)": "FLOP/s in exp\n  exp(1 FLOP/s)\n  ^\na plain number is needed there",
    "round(3.5 B)": "byte in round\n  round(3.5 B)\n  ^\na plain number is needed there",
    "ceil(3.5 B)": "byte in ceil\n  ceil(3.5 B)\n  ^\na plain number is needed there",
    "1 GB in ms": (
        "the result is in byte, which cannot be given in ms\n  1 GB in ms\n          ^\n"
        "ask for a unit of byte, such as GB"
    ),
    "8 TFLOP/1 s in TFLOP": (
        "the result is in FLOP/s, which cannot be given in TFLOP\n  8 TFLOP/1 s in TFLOP\n                 ^\n"
        "ask for a unit of FLOP/s, such as TFLOP/s"
    ),
    "3 in ms": (
        "the result is a plain number, which cannot be given in ms\n  3 in ms\n       ^\nask for no unit, or for %"
    ),
    "1 GB in": "the text ends where a unit is expected\n  1 GB in\n         ^\nfor example in ms",
    "1 GB in KB": (
        "the unit 'KB' is ambiguous\n  1 GB in KB\n          ^\n"
        "write kB (10^3 byte), KiB (2^10 byte) or kbit (10^3 bit)"
    ),
    "1 GB to flob": "unknown unit 'flob'\n  1 GB to flob\n          ^\ndid you mean FLOP, TFLOP or PFLOP?",
    "25 Gb / 2": (
        "the unit 'Gb' is ambiguous\n  25 Gb / 2\n     ^\n"
        "write GB (10^9 byte), GiB (2^30 byte) or Gbit (10^9 bit)"
    ),
    "25 Gbps": (
        "the unit 'Gbps' is ambiguous\n  25 Gbps\n     ^\n"
        "write GB/s (10^9 byte/s), GiB/s (2^30 byte/s) or Gbit/s (10^9 bit/s)"
    ),
    "3 + betta": "the name 'betta' has no value\n  3 + betta\n      ^\ndid you mean beta?",
    "3 / h": (
        "the name 'h' has no value\n  3 / h\n      ^\ngive its value: h=\"...\"\n"
        "as a unit, h stands directly behind a number: 3 h"
    ),
    "t <= 3 s": (
        "a line with <= between two sides has no one value\n  t <= 3 s\n  ^\n"
        "write an expression, or NAME = expression"
    ),
    "2*t = 3 s": (
        "a line with = between two sides has no one value\n  2*t = 3 s\n   ^\n"
        "write an expression, or NAME = expression"
    ),
    "log2(0)": "log2 of 0\n  log2(0)\n  ^\nthe argument must be above zero",
    "ln(1 - 3)": "ln of -2\n  ln(1 - 3)\n  ^\nthe argument must be above zero",
    "exp(1000)": (
        "exp of 1000 lies outside 10^-300 to 10^300\n  exp(1000)\n  ^\nthe argument goes from -690 to 690"
    ),
    "1 + 2/(3 - 3)": "this divides by zero\n  1 + 2/(3 - 3)\n       ^\ncheck the value after the /",
}  # fmt: skip


class TestFaults:
    @pytest.mark.parametrize(("text", "message"), FAULTS.items())
    def test_in_full(self, text: str, message: str) -> None:
        with pytest.raises(ParseError) as caught:
            symroof.calc(text)
        assert str(caught.value) == message

    def test_units_asked_for_from_outside(self) -> None:
        with pytest.raises(UnitError) as caught:
            symroof.calc("1 GB", unit="ms")
        assert str(caught.value) == (
            "the result is in byte, which cannot be given in ms\nask for a unit of byte, such as GB"
        )
        with pytest.raises(RefusedValueError, match="the line asks for ms and the option for s"):
            symroof.calc("1 s in ms", unit="s")

    @pytest.mark.parametrize(
        ("values", "error", "message"),
        [
            ({"x": 0.5}, InexactError, 'x=0.5 is no exact number\nwrite it as text: x="1.5 GB"'),
            ({"x": [1]}, InexactError, 'x=[1] is no exact number\nwrite it as text: x="1.5 GB"'),
            ({"x": True}, InexactError, 'x=True is no exact number\nwrite it as text: x="1.5 GB"'),
            ({"x": "y"}, ParseError, "x=y: the name 'y' has no value\n  y\n  ^\ngive its value: y=\"...\""),
            ({"x": "3..1"}, RefusedValueError, "x=3..1: a range starts at its low end, and 3 is above 1\n"
                                               "write the smaller value first"),
            ({"x": "1..2..3"}, RefusedValueError, "x=1..2..3: '1..2..3' is no range\n"
                                                  "write LOW..HIGH, for example x=1..2"),
            ({"x": "1..2"}, RefusedValueError, "x is a range here\ngive it one value: only a line without an unknown "
                                               "and without a name has bounds"),
            ({"ln": 2}, RefusedValueError, "'ln' cannot be a name\nuse letters, digits and _, as in t_mem"),
            ({"in": 2}, RefusedValueError, "'in' cannot be a name\nuse letters, digits and _, as in t_mem"),
            ({"é": 2}, RefusedValueError, "'é' cannot be a name\nuse letters, digits and _, as in t_mem"),
        ],
    )  # fmt: skip
    def test_values_that_are_none(self, values: dict[str, Any], error: type[SymroofError], message: str) -> None:
        with pytest.raises(error) as caught:
            symroof.calc("x + 1", **values)
        assert str(caught.value) == message

    def test_what_the_chip_does_not_have(self) -> None:
        with pytest.raises(ParseError) as caught:
            symroof.calc("2*P", dtype="fp8")
        assert str(caught.value) == (
            "a100-40gb has no fp8 rate\n  2*P\n    ^\nit has fp64, fp32, tf32, fp16, bf16, int8 and int4"
        )
        for wrong in ({"on": "a100-40g"}, {"dtype": "fp17"}):
            with pytest.raises(SymroofError, match="unknown"):
                symroof.calc("1", **wrong)

    def test_limits_are_named(self) -> None:
        with pytest.raises(RefusedValueError, match=r"the expression has 10,001 characters; the limit is 10,000"):
            symroof.calc("1" * 10_001)
        with pytest.raises(
            ParseError, match=r"^1,280 digits of the irrational number -ln\(3\) - ln\(2\) \+ ln\(6\) do not decide"
        ):
            symroof.calc("1/(ln(6) - ln(2) - ln(3))")
