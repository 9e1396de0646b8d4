"""The parser of text: what it reads, what it works out, how it refuses, and that nothing gets past its limits."""

from __future__ import annotations

import ast
import operator
import time
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
import pint
import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symroof.arithmetic import FUNCTIONS, MAX_EXPONENT, MAX_POWER_OF_TEN
from symroof.errors import ParseError, RefusedValueError, SymroofError
from symroof.expression import as_quantity, parse, parse_relation, value
from symroof.syntax import MAX_DEPTH, MAX_LENGTH, MAX_ROOT_WORK, Binary, Literal, Negative
from symroof.units import Dimension, quantity, quantity_text, unit, unit_text

SQRT_2 = sympy.sqrt(2)


class TestValues:
    @pytest.mark.parametrize(
        ("text", "number", "shown_unit"),
        [
            ("512", 512, ""),
            ("  512\n", 512, ""),
            ("2^20", 1_048_576, ""),
            ("2**20", 1_048_576, ""),
            ("1/3", Fraction(1, 3), ""),
            ("1_000_000", 1_000_000, ""),
            ("1e6", 1_000_000, ""),
            ("1.5E-3", Fraction(3, 2000), ""),
            ("1.e2", 100, ""),
            (".5", Fraction(1, 2), ""),
            ("0.1 + 0.2", Fraction(3, 10), ""),
            ("0e99999", 0, ""),
            ("1.3 TB/s", Fraction(13, 10), "TB/s"),
            ("312TFLOP/s", 312, "TFLOP/s"),
            ("312 TFLOPS", 312, "TFLOP/s"),
            ("40 %", 40, "%"),
            ("40%", 40, "%"),
            ("3 $", 3, "USD"),
            ("3 $/h", 3, "USD/h"),
            ("3 µs", 3, "us"),
            ("3 μs", 3, "us"),
            ("2^20 B", 1_048_576, "byte"),
            ("2 ** 20B", 1_048_576, "byte"),
            ("2^-3 s", Fraction(1, 8), "s"),
            ("2 s^-1", 2, "1/s"),
            ("2 s^2", 2, "s^2"),
            ("2 s**2", 2, "s^2"),
            ("(2 s)^2", 4, "s^2"),
            ("2 s ^ 2", 4, "s^2"),
            ("-3 s + 4 s", 1, "s"),
            ("-2^2", -4, ""),
            ("(-2)^2", 4, ""),
            ("-2^2 s", -4, "s"),
            ("2^3^2", 512, ""),
            ("2^-1", Fraction(1, 2), ""),
            ("2 - -3", 5, ""),
            ("--2", 2, ""),
            ("+2", 2, ""),
            ("2*-3", -6, ""),
            ("8 - 3 - 2", 3, ""),
            ("8 / 4 / 2", 1, ""),
            ("8 / 4 * 2", 4, ""),
            ("0^0", 1, ""),
            ("4^0.5", 2, ""),
            ("4^(1/2)", 2, ""),
            ("4^(3/2)", 8, ""),
            ("4^-0.5", Fraction(1, 2), ""),
            ("(4 B^2)^(1/2)", 2, "byte"),
            ("2 ^ (100 %)", 2, ""),
            ("1.05^365", Fraction(21**365, 20**365), ""),
            ("2*8192*512*2^20 FLOP / 312 TFLOP/s", Fraction(2 * 8192 * 512 * 2**20, 312), "FLOP*s/TFLOP"),
            ("624 FLOP / 312 FLOP/s", 2, "s"),
            ("1 GB + 1 GiB", Fraction(10**9 + 2**30, 10**9), "GB"),
            ("2 s*s", 2, "s^2"),
            ("2 s / (4)", Fraction(1, 2), "s"),
            ("1 B*sqrt(4)", 2, "byte"),
            ("max(1, 3, 2)", 3, ""),
            ("max(7)", 7, ""),
            ("min(1 GB, 1 GiB)", 1, "GB"),
            ("ceil(7/2)", 4, ""),
            ("ceil(-7/2)", -3, ""),
            ("floor(-7/2)", -4, ""),
            ("sqrt(9/4)", Fraction(3, 2), ""),
            ("sqrt(2)", SQRT_2, ""),
            ("sqrt(2)*40 %", 40 * SQRT_2, "%"),
            ("2^0.5 + 1", SQRT_2 + 1, ""),
            ("ceil(sqrt(1e290 + 1) - 1e145)", 1, ""),
            ("sqrt(5 + 2*sqrt(6)) - sqrt(2) - sqrt(3) + 2 - sqrt(4)", 0, ""),
            ("9.99e299", 999 * 10**297, ""),
            ("10^300", 10**300, ""),
            ("10^-300", Fraction(1, 10**300), ""),
        ],
    )
    def test_value(self, text: str, number: Any, shown_unit: str) -> None:
        found = value(text)
        assert isinstance(found, pint.Quantity)
        assert sympy.sympify(found.magnitude - number).equals(0)
        assert unit_text(found.units) == shown_unit
        if isinstance(number, (int, Fraction)) and "sqrt(5" not in text:
            assert isinstance(found.magnitude, Fraction)

    @pytest.mark.parametrize(
        ("text", "plain"),
        [
            ("２＋３", "2+3"),
            ("５１２", "512"),
            ("３．５　ＧＢ／ｓ", "3.5 GB/s"),
            ("（１＋２）＊３", "(1+2)*3"),
            ("２＾３", "2^3"),
            ("2 × 3 · 4 ⋅ 5 ∙ 6", "2 * 3 * 4 * 5 * 6"),
            ("6 ÷ 4 ⁄ 3 ∕ 2", "6 / 4 / 3 / 2"),
            ("7 − 3 – 2 — 1", "7 - 3 - 2 - 1"),
            ("−3 s + 4 s", "-3 s + 4 s"),
            ("2³", "2^3"),
            ("2⁻¹", "2^-1"),
            ("2¹⁰", "2^10"),
            ("10⁶ B", "10^6 B"),
            ("(1+2)²", "(1+2)^2"),
            ("4 m²", "4 m^2"),
            ("3 s⁻¹", "3 s^-1"),
            ("5 W·s²", "5 W*s^2"),
            ("28.19 ms", "28.19 ms"),
            ("1e−3", "1e-3"),
            ("max（1，2）", "max(1,2)"),
        ],
    )
    def test_look_alikes(self, text: str, plain: str) -> None:
        assert value(text) == value(plain)

    def test_a_plain_number_becomes_a_quantity(self) -> None:
        assert as_quantity(Fraction(1, 2)).magnitude == Fraction(1, 2)
        assert as_quantity(quantity(3, "s")) == quantity(3, "s")


def by_python(text: str) -> Fraction:
    """The value of arithmetic on plain numbers, by Python's own grammar and Fractions."""
    operators: dict[type, Callable[[Any, Any], Any]] = {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
        ast.Pow: operator.pow,
    }

    def worked_out(node: ast.expr) -> Fraction:
        match node:
            case ast.Constant(value=int() | float() as number):
                return Fraction(str(number))
            case ast.UnaryOp(op=sign, operand=operand):
                return worked_out(operand) * (-1 if isinstance(sign, ast.USub) else 1)
            case ast.BinOp(left=left, op=op, right=right):
                result = operators[type(op)](worked_out(left), worked_out(right))
                assume(isinstance(result, Fraction) and abs(result) < 10**30)
                assume(max(abs(result.numerator), result.denominator) < 10**300)
                return Fraction(result)
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return Fraction({"max": max, "min": min}[name](*map(worked_out, arguments)))
        raise AssertionError(ast.dump(node))

    return worked_out(ast.parse(text.replace("^", "**").strip(), mode="eval").body)


NUMBERS = st.one_of(st.integers(0, 99).map(str), st.decimals(0, 99, places=2).map(str))
BLANKS = st.sampled_from(["", "", " ", "  "])


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def joined(left: str, before: str, sign: str, after: str, right: str) -> str:
        return f"{left}{before}{sign}{after}{right}"

    return st.one_of(
        st.builds(joined, inner, BLANKS, st.sampled_from("+-*/"), BLANKS, inner),
        st.builds(
            lambda base, sign, power: f"{base}{sign}{power}", inner, st.sampled_from(["^", "**"]), st.integers(-3, 4)
        ),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"-{text}"),
        inner.map(lambda text: f"+ {text}"),
        st.builds(lambda name, one, other: f"{name}({one}, {other})", st.sampled_from(["max", "min"]), inner, inner),
    )


class TestAgainstPython:
    @settings(max_examples=400)
    @given(st.recursive(NUMBERS, _grown, max_leaves=12))
    def test_arithmetic(self, text: str) -> None:
        try:
            expected = by_python(text)
        except ZeroDivisionError:
            with pytest.raises(ParseError, match="this divides by zero"):
                value(text)
        else:
            assert value(text).magnitude == expected

    @given(st.recursive(st.sampled_from(["p", "q", "r_1", "2"]), _grown, max_leaves=8))
    def test_names_on_plain_numbers(self, text: str) -> None:
        numbers = {"p": Fraction(3, 2), "q": Fraction(-5), "r_1": Fraction(7, 3)}
        expression = parse(text)
        assert set(expression.names) == {name for name in numbers if name in text}
        substituted = text
        for name, number in numbers.items():
            substituted = substituted.replace(name, f"(({number}))")
        with suppress(ZeroDivisionError):
            expected = by_python(substituted)
            values = {name: quantity(number) for name, number in numbers.items()}
            assert as_quantity(expression.compute(values)).to_base_units().magnitude == expected

    @given(
        st.lists(
            st.tuples(st.sampled_from("+-"), st.integers(0, 999), st.sampled_from(["B", "kB", "MiB", "bit"])),
            min_size=1,
        )
    )
    def test_sums_with_units(self, terms: list[tuple[str, int, str]]) -> None:
        sizes = {"B": Fraction(1), "kB": Fraction(1000), "MiB": Fraction(2**20), "bit": Fraction(1, 8)}
        text = " ".join(f"{sign} {number} {name}" for sign, number, name in terms)
        expected = sum(int(f"{sign}{number}") * sizes[name] for sign, number, name in terms)
        assert value(text).to(unit("byte")).magnitude == expected


class TestParsing:
    def test_nodes_and_their_places(self) -> None:
        expression = parse("  2 GB/s * x - max(y, −z²)")
        assert str(expression) == expression.text == "2 GB/s * x - max(y, −z²)"
        root = expression.root
        assert isinstance(root, Binary)
        assert (root.operator, root.position) == ("-", 11)
        product = root.left
        assert isinstance(product, Binary)
        assert (product.operator, product.position) == ("*", 7)
        literal = product.left
        assert isinstance(literal, Literal)
        assert literal.number == 2
        assert (literal.unit, literal.text, literal.position) == (unit("GB/s"), "2 GB/s", 0)
        assert [node.position for node in expression.walk()] == [11, 7, 0, 9, 13, 17, 20, 22, 21, 22]

    def test_powers_and_signs(self) -> None:
        root = parse("-x**2").root
        assert isinstance(root, Negative)
        power = root.operand
        assert isinstance(power, Binary)
        assert power.operator == "^"

    def test_names_once_and_in_order(self) -> None:
        assert parse("b*a + t_mem/b - 3 GB/s * max(a, z9)").names == ["b", "a", "t_mem", "z9"]
        assert parse("2 GB").names == []

    def test_a_unit_only_directly_after_a_number(self) -> None:
        assert parse("W / s").names == ["W", "s"]
        assert parse("3 GB / s").names == ["s"]
        assert parse("3 GB/s").names == []
        assert parse("x / 312 TFLOP/s").names == ["x"]
        assert parse("2^n").names == ["n"]
        assert parse("2 * s").names == ["s"]

    def test_a_literal_binds_tighter_than_any_operator(self) -> None:
        assert parse("x / 312 TFLOP/s").compute({"x": quantity(624, "TFLOP")}) == quantity(2, "s")

    @pytest.mark.parametrize(
        ("text", "left", "sign", "right"),
        [
            ("t_comp = t_mem", "t_comp", "=", "t_mem"),
            ("t_comp == t_mem", "t_comp", "=", "t_mem"),
            (" t <= 20 ms ", "t", "<=", "20 ms"),
            ("AI ≥ 2", "AI", ">=", "2"),
            ("a<b+c", "a", "<", "b+c"),
            ("a > b", "a", ">", "b"),
            ("ｔ＝３²", "ｔ", "=", "３²"),
        ],
    )
    def test_relations(self, text: str, left: str, sign: str, right: str) -> None:
        relation = parse_relation(text)
        assert (relation.text, str(relation.left), relation.operator, str(relation.right)) == (
            text.strip(),
            left,
            sign,
            right,
        )


KNOWN = "known: max, min, ceil, floor, sqrt, log2, ln, exp, abs, round"

# What is wrong with a text, in full.
WRONG = {
    "": "the text ends where a number or a name is expected\n  \n  ^",
    "2 +": "the text ends where a number or a name is expected\n  2 +\n     ^",
    "2 * / 3": "'/' stands where a number or a name is expected\n  2 * / 3\n      ^",
    "()": "')' stands where a number or a name is expected\n  ()\n   ^",
    "(2": "this parenthesis is not closed\n  (2\n  ^",
    "3*(4+max(1, 2)": "this parenthesis is not closed\n  3*(4+max(1, 2)\n    ^",
    "max(1, 2": "this parenthesis is not closed\n  max(1, 2\n     ^",
    "2)": "')' was not expected here\n  2)\n   ^",
    "2 3": "an operator is missing before '3'\n  2 3\n    ^\nwrite * between factors",
    "(2) x": "an operator is missing before 'x'\n  (2) x\n      ^\nwrite * between factors",
    "2 (3)": "an operator is missing before '('\n  2 (3)\n    ^\nwrite * between factors",
    "2 max(3)": "an operator is missing before 'max'\n  2 max(3)\n    ^\nwrite * between factors",
    "1,5": "',' was not expected here\n  1,5\n   ^\nwrite 1_000_000 for a million, and 1.5 with a point",
    "5 in ms": "an operator is missing before 'in'\n  5 in ms\n    ^\nwrite * between factors",
    "a = b": "'=' makes this an equation where an expression is expected\n  a = b\n    ^",
    "1 ≤ 2": "'<=' makes this an equation where an expression is expected\n  1 ≤ 2\n    ^",
    "a.b": "the character '.' has no meaning here\n  a.b\n   ^\nuse numbers, units, names, + - * / ^ and ( )",
    "lambda: 0": (
        "the character ':' has no meaning here\n  lambda: 0\n        ^\nuse numbers, units, names, + - * / ^ and ( )"
    ),
    "2 \0": "the character U+0000 has no meaning here\n  2 ?\n    ^\nuse numbers, units, names, + - * / ^ and ( )",
    "x ²": "the character '²' has no meaning here\n  x ²⁻\n    ^\nuse numbers, units, names, + - * / ^ and ( )",
    "∞": "the character '∞' has no meaning here\n  ∞\n  ^\nuse numbers, units, names, + - * / ^ and ( )",
    "__import__('os')": f"unknown function '__import__'\n  __import__('os')\n  ^\n{KNOWN}",
    "1 + foo(2)": f"unknown function 'foo'\n  1 + foo(2)\n      ^\n{KNOWN}",
    "ceil(1, 2)": "ceil takes one argument, not 2\n  ceil(1, 2)\n  ^",
    "sqrt()": "')' stands where a number or a name is expected\n  sqrt()\n       ^",
    "inf": "'inf' is not a number\n  inf\n  ^\nwrite a number and its unit",
    "  2 * nan": "'nan' is not a number\n  2 * nan\n      ^\nwrite a number and its unit",
    # units
    "3 flobs": (
        "unknown unit 'flobs' after a number\n  3 flobs\n    ^\ndid you mean FLOP, TFLOP or PFLOP?\n"
        "to multiply by a name, write * with blanks: 2 * flobs"
    ),
    "3 GB/hr": (
        "unknown unit 'hr' after a number\n  3 GB/hr\n       ^\ndid you mean h?\n"
        "to multiply by a name, write * with blanks: 2 * hr"
    ),
    "3 KB/s": (
        "the unit 'KB' is ambiguous\n  3 KB/s\n    ^\nwrite kB (10^3 byte), KiB (2^10 byte) or kbit (10^3 bit)"
    ),
    "25 Gbps": (
        "the unit 'Gbps' is ambiguous\n  25 Gbps\n     ^\n"
        "write GB/s (10^9 byte/s), GiB/s (2^30 byte/s) or Gbit/s (10^9 bit/s)"
    ),
    "3 GFLOPs": (
        "the unit 'GFLOPs' is ambiguous\n  3 GFLOPs\n    ^\n"
        "write GFLOP for a number of operations, GFLOP/s for a rate"
    ),
    "3 m^100": (
        "'m^100' is not a unit\n  3 m^100\n    ^\n"
        "write names joined by * and /, with whole powers: GB/s, FLOP/byte, W*s^2"
    ),
    "3 m^60*s^60": "the powers of the unit add up to more than 99\n  3 m^60*s^60\n    ^\nwrite smaller powers",
    # dimensions
    "1 FLOP + 1 FLOP/s": (
        "FLOP and FLOP/s do not go together\n  1 FLOP + 1 FLOP/s\n         ^\n"
        "FLOP counts and FLOP/s is a rate: a rate times a time is a count, a count over a time is a rate"
    ),
    "2 * 3 s - 4": (
        "s and a plain number do not go together\n  2 * 3 s - 4\n          ^\nboth sides need the same dimension"
    ),
    "0 + 1 s": "a plain number and s do not go together\n  0 + 1 s\n    ^\nboth sides need the same dimension",
    "1 + max(1 s, 2 B)": (
        "s and byte do not go together\n  1 + max(1 s, 2 B)\n      ^\nboth sides need the same dimension"
    ),
    "ceil(3.5 B)": "byte in ceil\n  ceil(3.5 B)\n  ^\na plain number is needed there",
    "2^(3 s)": "3 s as a power\n  2^(3 s)\n   ^\na power is a plain number",
    "2^(1 s + 1 B)": (
        "s and byte do not go together\n  2^(1 s + 1 B)\n         ^\nboth sides need the same dimension"
    ),
    # numbers
    "1 + 2/(3 - 3)": "this divides by zero\n  1 + 2/(3 - 3)\n       ^\ncheck the value after the /",
    "0^-1": "this divides by zero\n  0^-1\n   ^\ncheck the value after the /",
    "2 + 0^-1 B": "this divides by zero\n  2 + 0^-1 B\n       ^\ncheck the value after the /",
    "sqrt(2)/0": "this divides by zero\n  sqrt(2)/0\n         ^\ncheck the value after the /",
    "2^(1/0)": "this divides by zero\n  2^(1/0)\n      ^\ncheck the value after the /",
    "1/(sqrt(5 + 2*sqrt(6)) - sqrt(2) - sqrt(3))": (
        "this divides by zero\n  1/(sqrt(5 + 2*sqrt(6)) - sqrt(2) - sqrt(3))\n   ^\ncheck the value after the /"
    ),
    "sqrt(1 - 3)": "sqrt of the negative number -2\n  sqrt(1 - 3)\n  ^\ncheck the sign of the argument",
    "(-8)^0.5": "sqrt of the negative number -8\n  (-8)^0.5\n      ^\ncheck the sign of the argument",
    "8^(1/3)": "the exponent 1/3 is neither a whole number nor a half\n  8^(1/3)\n   ^\nonly square roots are exact",
    "2^sqrt(2)": (
        "the exponent sqrt(2) is neither a whole number nor a half\n  2^sqrt(2)\n   ^\nonly square roots are exact"
    ),
    # limits, each named
    "9**9**9": "the exponent 387420489 is above 4096\n  9**9**9\n   ^\nwrite a smaller power",
    "2^2^2^2^2^2": "the exponent 65536 is above 4096\n  2^2^2^2^2^2\n     ^\nwrite a smaller power",
    "2^5000 B": "the exponent 5000 is above 4096\n  2^5000 B\n   ^\nwrite a smaller power",
    "1e301": "the number 1e301 goes beyond 10^300\n  1e301\n  ^\nnumbers go up to 10^300",
    "2 * 1.1e300": "the number 1.1e300 goes beyond 10^300\n  2 * 1.1e300\n      ^\nnumbers go up to 10^300",
    "1e999999999": "the number 1e999999999 goes beyond 10^300\n  1e999999999\n  ^\nnumbers go up to 10^300",
    "1e-301": (
        "the number 1e-301 is closer to zero than 10^-300\n  1e-301\n  ^\nnumbers other than zero go down to 10^-300"
    ),
    "1e-9999999999": (
        "the number 1e-9999999999 is closer to zero than 10^-300\n  1e-9999999999\n  ^\n"
        "numbers other than zero go down to 10^-300"
    ),
    "10^300 * 10": "the result goes beyond 10^300\n  10^300 * 10\n         ^\nnumbers go up to 10^300",
    "1e-300 / 7": (
        "the result is closer to zero than 10^-300\n  1e-300 / 7\n         ^\n"
        "numbers other than zero go down to 10^-300"
    ),
    "10^301": "the result goes beyond 10^300\n  10^301\n    ^\nnumbers go up to 10^300",
    "(10^300)^4096": "this power takes more than 4,000 digits\n  (10^300)^4096\n          ^\nwrite a smaller power",
    "1.0001^4000": "this power takes more than 4,000 digits\n  1.0001^4000\n        ^\nwrite a smaller power",
    "(1 + sqrt(2))^4096": (
        "the result goes beyond 10^300\n  (1 + sqrt(2))^4096\n               ^\nnumbers go up to 10^300"
    ),
    "(1 YB)^100": "the powers of the unit add up to more than 99\n  (1 YB)^100\n        ^\nwrite smaller powers",
    "sqrt(1.05^365)": (
        "sqrt of a fraction of more than 300 digits, which is irrational\n  sqrt(1.05^365)\n  ^\n"
        "calculate with smaller or rounder numbers"
    ),
}  # fmt: skip
WRONG["x ²⁻"] = WRONG.pop("x ²")


class TestErrors:
    @pytest.mark.parametrize(("text", "message"), WRONG.items())
    def test_in_full(self, text: str, message: str) -> None:
        with pytest.raises(ParseError) as caught:
            value(text)
        assert str(caught.value) == message
        assert caught.value.text == text.strip()

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("t", "an equation needs =, <= or >= between two sides\n  t\n   ^\nfor example \"t_comp = t_mem\""),
            ("t =", "the text ends where a number or a name is expected\n  t =\n     ^"),
            ("= t", "'=' stands where a number or a name is expected\n  = t\n  ^"),
            ("a = b = c", "'=' makes this an equation where an expression is expected\n  a = b = c\n        ^"),
            ("a < 2 b", "the unit 'b' is ambiguous\n  a < 2 b\n        ^\nwrite byte or bit"),
        ],
    )  # fmt: skip
    def test_relations_in_full(self, text: str, message: str) -> None:
        with pytest.raises(ParseError) as caught:
            parse_relation(text)
        assert str(caught.value) == message

    def test_the_place_is_that_in_the_whole_equation(self) -> None:
        relation = parse_relation(" 2² s + x = 3 B + 4 s ")
        with pytest.raises(ParseError) as caught:
            relation.right.compute({})
        assert str(caught.value) == (
            "byte and s do not go together\n  2² s + x = 3 B + 4 s\n                 ^\n"
            "both sides need the same dimension"
        )
        with pytest.raises(ParseError) as caught:
            relation.left.compute({"x": quantity(1, "B")})
        assert str(caught.value) == (
            "s and byte do not go together\n  2² s + x = 3 B + 4 s\n       ^\nboth sides need the same dimension"
        )

    def test_places_behind_look_alikes(self) -> None:
        with pytest.raises(ParseError) as caught:
            value("10⁻¹² × ２ s − ３")
        assert str(caught.value).splitlines()[1:3] == ["  10⁻¹² × ２ s − ３", "              ^"]

    def test_long_text_is_cut_around_the_place(self) -> None:
        with pytest.raises(ParseError) as caught:
            value("1+" * 500 + "?" + "+1" * 500)
        _, shown, caret, _ = str(caught.value).splitlines()
        assert shown == "  ..." + "1+" * 30 + "?" + "+1" * 29 + "+..."
        assert shown[caret.index("^")] == "?"

    def test_a_name_without_a_value(self) -> None:
        with pytest.raises(KeyError, match="'y'"):
            parse("x + y").compute({"x": quantity(1)})

    def test_length(self) -> None:
        assert value("1+" * 4_999 + "1").magnitude == 5_000
        with pytest.raises(RefusedValueError) as caught:
            value("1+" * 5_000 + "1")
        assert str(caught.value) == "the expression has 10,001 characters; the limit is 10,000\nsplit it into steps"
        assert MAX_LENGTH == 10_000

    @pytest.mark.parametrize("opening", ["(", "-", "+", "max(", "1+2*(", "2^"])
    def test_depth(self, opening: str) -> None:
        def nested(levels: int) -> str:
            return opening * levels + "1" + ")" * levels * opening.count("(")

        if opening != "2^":  # there the exponent ends it sooner
            assert value(nested(MAX_DEPTH - 1)).magnitude
        with pytest.raises(ParseError, match=r"^the expression is nested more than 100 levels deep\n"):
            value(nested(MAX_DEPTH))

    def test_digits(self) -> None:
        assert value("0." + "3" * 3_000).magnitude == Fraction(int("3" * 3_000), 10**3_000)
        for text in ("1" * 5_000, "0." + "0" * 5_000 + "1", "1_" * 3_000 + "1"):
            with pytest.raises(ParseError, match=r"^the number .{12}\.\.\. has more than 4,000 digits\n"):
                value(text)

    def test_roots(self) -> None:
        # 30 roots in 59 operations are fine, 60 in 119 are not.
        assert quantity_text(value("+".join(["sqrt(2)"] * 30))) == "42.43"
        with pytest.raises(RefusedValueError) as caught:
            value("+".join(["sqrt(2)"] * 60))
        assert str(caught.value) == (
            "the expression has 60 roots and 119 operations; the limit of their product is 3,000\nsplit it into steps"
        )
        with pytest.raises(RefusedValueError):
            value("+".join(["2^(1/2)"] * 60))
        assert value("+".join(["2^2"] * 60 + ["2^-1"] * 60)).magnitude == 270

    def test_limits_are_those_promised(self) -> None:
        assert (MAX_DEPTH, MAX_POWER_OF_TEN, MAX_EXPONENT, MAX_ROOT_WORK) == (100, 300, 4096, 3000)
        assert list(FUNCTIONS) == ["max", "min", "ceil", "floor", "sqrt", "log2", "ln", "exp", "abs", "round"]


class TestReadings:
    """One expression in all four kinds of values."""

    TEXT = "max(F/P, B/beta) + 2 ms - sqrt(4 s^2)/1e3 + (B/beta)^2/1 s * 2^-1"

    def test_exact(self) -> None:
        values = {"F": quantity(6, "FLOP"), "P": quantity(2, "FLOP/s"), "B": quantity(8), "beta": quantity(2, "1/s")}
        # 3 s against 4 s; 4 + 0.002 - 0.002 + 16/2
        assert parse(self.TEXT).compute(values) == quantity(12, "s")

    def test_symbols(self) -> None:
        names = sympy.symbols("F P B beta", positive=True)
        f, p, b, beta = names
        found = parse(self.TEXT).compute(
            dict(zip(("F", "P", "B", "beta"), names, strict=True)),
            lambda literal: sympy.Rational(
                *(quantity(literal.number, literal.unit).to_base_units().magnitude.as_integer_ratio())
            ),
        )
        assert sympy.simplify(found - (sympy.Max(f / p, b / beta) + b**2 / beta**2 / 2)) == 0

    def test_columns(self) -> None:
        values = {"F": np.array([6.0, 12.0]), "P": np.float64(2), "B": np.array([8.0, 2.0]), "beta": 2.0}
        found = parse(self.TEXT).compute(
            values, lambda literal: np.float64(quantity(literal.number, literal.unit).to_base_units().magnitude)
        )
        assert found.tolist() == [12.0, 6.5]

    def test_dimensions(self) -> None:
        of = {"F": "FLOP", "P": "FLOP/s", "B": "byte", "beta": "byte/s"}
        values = {name: Dimension.of(unit(text)) for name, text in of.items()}
        found = parse(self.TEXT).compute(values, lambda literal: Dimension.of(literal.unit))
        assert found.same(Dimension.of(unit("s")))
        values["beta"] = Dimension.of(unit("FLOP/s"))
        with pytest.raises(ParseError) as caught:
            parse(self.TEXT).compute(values, lambda literal: Dimension.of(literal.unit))
        assert caught.value.problem.startswith("comparing s and byte*s/FLOP\n  max(F/P, B/beta)")

    def test_exponents_with_names(self) -> None:
        power = parse("x^n")
        assert power.compute({"x": quantity(3, "s"), "n": quantity(2)}) == quantity(9, "s^2")
        assert power.compute({"x": quantity(4, "s^2"), "n": quantity(Fraction(-1, 2))}).magnitude == Fraction(1, 2)
        x, n = sympy.symbols("x n", positive=True)
        assert power.compute({"x": x, "n": n}) == x**n
        assert power.compute({"x": np.array([2.0, 3.0]), "n": np.array([3.0, 2.0])}).tolist() == [8.0, 9.0]
        plain = Dimension({})
        assert power.compute({"x": plain, "n": plain}).same(plain)
        for exponent, problem in (
            (quantity(9_999), "the exponent 9999 is above 4096"),
            (quantity(1, "s"), "1 s as a power"),
        ):
            with pytest.raises(ParseError) as caught:
                power.compute({"x": quantity(2), "n": exponent})
            assert str(caught.value).startswith(f"{problem}\n  x^n\n   ^\n")

    @pytest.mark.parametrize("text", ["x/0", "x/(1 - 1)", "x*0^-1", "1/(2*3 - 6) + x"])
    def test_zero_divides_no_symbol(self, text: str) -> None:
        with pytest.raises(ParseError, match=r"^this divides by zero\n"):
            parse(text).compute(
                {"x": sympy.Symbol("x")}, lambda literal: sympy.Rational(*literal.number.as_integer_ratio())
            )

    @pytest.mark.parametrize(
        "text", ["(2*x)^4096", "((2*x)^900)^900", "*".join(["1e300*x"] * 9), "9^4000*x", "x + 1e200^2"]
    )
    def test_coefficients_are_bounded(self, text: str) -> None:
        with pytest.raises(
            ParseError, match=r"^(the result goes beyond 10\^300|this power takes more than 4,000 digits)\n"
        ):
            parse(text).compute(
                {"x": sympy.Symbol("x", positive=True)},
                lambda literal: sympy.Rational(*literal.number.as_integer_ratio()),
            )

    @pytest.mark.parametrize("factors", [10, 2_000])
    def test_products_of_large_values_are_bounded(self, factors: int) -> None:
        expression = parse("*".join(["x"] * factors))
        for large in (quantity(10**200), quantity((1 + SQRT_2) ** 600), quantity(SQRT_2 * 10**200)):
            with pytest.raises(ParseError, match=r"^the result goes beyond 10\^300\n"):
                expression.compute({"x": large})


SEEDS = [
    "9**9**9",
    "2^2^2^2^2^2",
    "1/0",
    "(" * 10_000,
    "(" * 5_000 + ")" * 5_000,
    "__import__('os')",
    "().__class__",
    "a.b",
    "lambda: 0",
    "\0",
    "1\0+\0 2",
    "1" * 1_000_000,
    " " * 1_000_000,
    "é" * 1_000_000,
    "1e999999999",
    "0*inf",
    "-0/sqrt(0)",
    "-(sqrt(2)/0)",
    "ceil(sqrt(2)*3 s/floor(40 %/1e150))",
    "nan",
    "*".join(["1e300"] * 1_400),
    "/".join(["1e-300"] * 1_400),
    "((10^300)^4096)^4096",
    "^".join(["10"] * 3_000),
    "^".join(["1"] * 90),
    "1^(" * 45 + "1" + ")" * 45,
    "*".join(["1.00001^999"] * 800),
    "+".join(["1"] * 5_000),
    "-".join(["1 GB"] * 1_400),
    "-" * 10_000,
    "--" * 49 + "1",
    "1/" * 4_999 + "1",
    "*".join(f"1/{n}" for n in range(1001, 2400)),
    "+".join(f"1/{n}" for n in range(1001, 2400)),
    "+".join(f"(1/{n})^99" for n in range(101, 900)),
    "max(" * 95 + "1" + ")" * 95,
    "max(" + "1," * 4_990 + "1)",
    "1+2*max(3^min(1,0)," * 40 + "1" + ")" * 40,
    "sqrt(" * 35 + "2" + ")" * 35,
    "sqrt(1+" * 35 + "2" + ")" * 35,
    "+".join(f"sqrt({n})" for n in range(1_000)),
    "*".join(f"sqrt({n})" for n in range(1, 35)),
    "+".join(f"1/(1+sqrt({n}))" for n in range(2, 30)),
    "sqrt(2)" + "+1" * 2_990,
    "sqrt(2)" + "*1.01" * 2_000,
    "sqrt(" + "7" * 299 + "/" + "3" * 40 + ")",
    "(1+sqrt(2))^700" + "*(1+sqrt(2))^700" * 20,
    "ceil((1+sqrt(2))^4096)",
    "((((1+sqrt(2))^300)^300)^300)^300",
    "sqrt(2) - 1." + "4" * 3_000,
    "1 " + "*".join(["YB^99"] * 1_400),
    "*".join(["1 YB"] * 1_400),
    "((1 YB^99)^4096)^4096 + ((1 B^99)^4096)^4096",
    "*".join(["1e18 aB"] * 1_000),
    "3 " + "/".join(["s"] * 4_000),
    "2²" + "⁰" * 5_000,
    "２×３＋" * 2_000 + "１",
    "x" * 10_000,
    "1_" * 5_000,
    "1." * 5_000,
    "=" * 10_000,
    "1=" * 5_000,
    "," * 10_000,
    "1e" * 5_000,
    "%" * 10_000,
    "5 %" + "*%" * 4_000,
]


def _by_value(text: str) -> None:
    found = value(text)
    assert str(found)
    assert str(found.magnitude)


def _by_dimension(text: str) -> None:
    expression = parse(text)
    values = {name: Dimension({}) for name in expression.names}
    expression.compute(values, lambda literal: Dimension.of(literal.unit))


def only_refused(text: str) -> None:
    """Reads text in every way; nothing but symroof's own errors may come out, nor may it take a second."""
    for read in (_by_value, _by_dimension, parse_relation):
        start = time.process_time()
        with suppress(SymroofError):
            read(text)
        assert time.process_time() - start < 1


class TestNothingElseComesOut:
    @pytest.mark.parametrize("text", SEEDS, ids=lambda text: repr(text[:30]))
    def test_seeds(self, text: str) -> None:
        only_refused(text)

    @settings(max_examples=1_000)
    @given(
        st.lists(
            st.one_of(
                st.sampled_from(
                    [
                        *(
                            "+",
                            "-",
                            "*",
                            "/",
                            "^",
                            "**",
                            "(",
                            ")",
                            ",",
                            ".",
                            "_",
                            " ",
                            "=",
                            "<=",
                            "%",
                            "$",
                            "!",
                            "\0",
                            "'",
                        ),
                        *("0", "1", "2", "9", "10", "1e", "1e300", "e-3", "0.5", "999999", "1/2", "4096", "_000"),
                        *("x", "max(", "min(", "ceil(", "floor(", "sqrt(", "foo(", "in", "to", "nan", "inf", "a.b"),
                        *(" s", " GB", " KB", " FLOP/s", " m^9", " B*s", " µs", " μs", " TFLOPS", " bit", " flops"),
                        *("²", "³", "⁻¹", "×", "·", "−", "÷", "３", "＋", "（", "）", "≤", "\u00a0", "é", "\U0001f600"),
                    ]
                ),
                st.characters(),
            ),
            max_size=24,
        ).map("".join)
    )
    def test_random_pieces(self, text: str) -> None:
        only_refused(text)

    @settings(max_examples=400)
    @given(
        st.recursive(
            st.sampled_from(
                ["1", "2", "0", "7.5", "1e300", "1e-300", "1/3", "40 %", "3 s", "2 B", "9 FLOP/s", "4096", "x"]
            ),
            lambda inner: st.one_of(
                _grown(inner),
                st.builds(lambda base, power: f"({base})^({power})", inner, inner),
                st.builds(lambda name, of: f"{name}({of})", st.sampled_from(["sqrt", "ceil", "floor", "max"]), inner),
            ),
            max_leaves=20,
        )
    )
    def test_random_expressions(self, text: str) -> None:
        only_refused(text)

    @given(st.text())
    def test_random_text(self, text: str) -> None:
        only_refused(text)

    def test_deep_text_needs_no_deep_stack(self) -> None:
        """The deepest text that is read leaves room for 200 calls above it."""

        def below(calls: int) -> None:
            if calls:
                below(calls - 1)
            else:
                assert value("1+2*max(" * 99 + "1" + ")" * 99).magnitude == 2**100 - 1
                only_refused("-2^max(1*-1+" * 33 + "1" + ")" * 33)

        below(200)
