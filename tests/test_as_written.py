r"""The first reading: exact LaTeX, exact plain text, what TeX makes of it, and that it says what the formula says."""

from __future__ import annotations

import ast
import linecache
import operator
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import symroof
from symroof import Derivation, largest, load, next_divisor, total
from symroof.as_written import formula, source_line, substituted
from symroof.declared import Step
from symroof.errors import AuthoringError, TypesettingError
from symroof.expression import parse
from symroof.typeset import find_engine, typeset
from tests.conftest import overfull_boxes

# What stands for each name, and the number that is put in for it.
NUMBERS = {
    "a": "2",
    "b": "3",
    "c": "5",
    "d": "-4",
    "e": r"1 + \sqrt{2}",
    "f": r"\frac{1}{3}",
    "k": "512",
    "m": "8192",
    "n": r"1\,048\,576",
    "AI": "481.7",
    "beta": r"1.2 \times 10^{5}",
    "gamma": "7",
    "B_HBM": r"1555\,\mathrm{GB}/\mathrm{s}",
    "eta_P": "0.9",
    "lambda_1": "1",
    "m_star": "330",
    "t_comp": r"2\,\mathrm{s}",
}


@dataclass(frozen=True)
class Shape:
    """A formula, its LaTeX, the same with numbers, and its plain text."""

    parameters: str
    body: str
    latex: str
    with_numbers: str
    text: str


def cases(*rows: tuple[str, str] | str) -> str:
    """Values with their conditions, the last one without."""
    shown = [rf"{row}, & \text{{otherwise}}" if isinstance(row, str) else ", & \\text{if }".join(row) for row in rows]
    return r"\left\{ \begin{array}{ll} " + r" \\ ".join(shown) + r" \end{array} \right."


def block(*rows: str) -> str:
    return r"\begin{array}{l} " + r" \\ ".join(rows) + r" \end{array}"


SPECIAL = (
    r"\text{it's \#1 \{or\} \$2 \textasciitilde{} \textasciicircum{} \textbackslash{} "
    r"\textless{}b\textgreater{}\textbar{}}"
)

SHAPES = [
    Shape("c, m, k, n", "return c * m * k * n", "c m k n", r"5 \times 8192 \times 512 \times 1\,048\,576", "c*m*k*n"),
    Shape("AI, beta", "return AI * beta", r"\mathrm{AI} \, \beta", r"481.7 \times 1.2 \times 10^{5}", "AI*beta"),
    Shape("beta, AI", "return beta * AI", r"\beta \, \mathrm{AI}", r"1.2 \times 10^{5} \times 481.7", "beta*AI"),
    Shape(
        "B_HBM, AI, t_comp",
        "return 2 * B_HBM * AI * t_comp",
        r"2 B_{\mathrm{HBM}} \, \mathrm{AI} \, t_{\mathrm{comp}}",
        r"2 \times 1555\,\mathrm{GB}/\mathrm{s} \times 481.7 \times 2\,\mathrm{s}",
        "2*B_HBM*AI*t_comp",
    ),
    Shape(
        "AI, t_comp",
        "return (AI + 1) * t_comp",
        r"\left( \mathrm{AI} + 1 \right) t_{\mathrm{comp}}",
        r"\left( 481.7 + 1 \right) \times 2\,\mathrm{s}",
        "(AI + 1)*t_comp",
    ),
    Shape("AI", "return AI**2 * AI", r"\mathrm{AI}^{2} \mathrm{AI}", r"481.7^{2} \times 481.7", "AI^2*AI"),
    Shape(
        "gamma, lambda_1, eta_P, m_star",
        "return gamma * lambda_1 * eta_P * m_star",
        r"\gamma \lambda_{1} \eta_{P} m^{\star}",
        r"7 \times 1 \times 0.9 \times 330",
        "gamma*lambda_1*eta_P*m_star",
    ),
    Shape("a, b", "return a * 2 * b", r"a \cdot 2 b", r"2 \times 2 \times 3", "a*2*b"),
    Shape("a, b", "return 2 * 3 * a", r"2 \cdot 3 a", r"2 \times 3 \times 2", "2*3*a"),
    Shape(
        "a, b",
        "return 3 * (a + b) * 4",
        r"3 \left( a + b \right) \cdot 4",
        r"3 \times \left( 2 + 3 \right) \times 4",
        "3*(a + b)*4",
    ),
    Shape(
        "a, b",
        "return a * (b + 1) * (b - 1)",
        r"a \left( b + 1 \right) \left( b - 1 \right)",
        r"2 \times \left( 3 + 1 \right) \times \left( 3 - 1 \right)",
        "a*(b + 1)*(b - 1)",
    ),
    Shape("a", "return a * 2**10", r"a \cdot 2^{10}", r"2 \times 2^{10}", "a*2^10"),
    Shape("a, b, c", "return a * (b * c)", "a b c", r"2 \times 3 \times 5", "a*(b*c)"),
    Shape("a, b, c", "return a / b / c", r"\frac{\frac{a}{b}}{c}", r"\frac{\frac{2}{3}}{5}", "a/b/c"),
    Shape("a, b, c", "return a / (b / c)", r"\frac{a}{\frac{b}{c}}", r"\frac{2}{\frac{3}{5}}", "a/(b/c)"),
    Shape("a, b, c", "return a / b * c", r"\frac{a}{b} c", r"\frac{2}{3} \times 5", "a/b*c"),
    Shape("a, b, c", "return a * (b / c)", r"a \frac{b}{c}", r"2 \times \frac{3}{5}", "a*(b/c)"),
    Shape(
        "a, b, c",
        "return (a + b) / (b + c / a)",
        r"\frac{a + b}{b + \frac{c}{a}}",
        r"\frac{2 + 3}{3 + \frac{5}{2}}",
        "(a + b)/(b + c/a)",
    ),
    Shape(
        "a",
        "return 1 - 1 / (1 + 1 / a)",
        r"1 - \frac{1}{1 + \frac{1}{a}}",
        r"1 - \frac{1}{1 + \frac{1}{2}}",
        "1 - 1/(1 + 1/a)",
    ),
    Shape(
        "a, b",
        "return a * b / (2 * a) * (b + 1) / 3",
        r"\frac{\frac{a b}{2 a} \left( b + 1 \right)}{3}",
        r"\frac{\frac{2 \times 3}{2 \times 2} \times \left( 3 + 1 \right)}{3}",
        "a*b/(2*a)*(b + 1)/3",
    ),
    Shape("a", "return 2 * (1 / 3) * a", r"2 \cdot \frac{1}{3} a", r"2 \times \frac{1}{3} \times 2", "2*(1/3)*a"),
    Shape("a, b", "return 2 * (a / b)", r"2 \frac{a}{b}", r"2 \times \frac{2}{3}", "2*(a/b)"),
    Shape("a, b", "return (a + b)**2", r"\left( a + b \right)^{2}", r"\left( 2 + 3 \right)^{2}", "(a + b)^2"),
    Shape("a, b", "return a**(b + 1)", "a^{b + 1}", "2^{3 + 1}", "a^(b + 1)"),
    Shape("a, b", "return a**2**b", "a^{2^{b}}", "2^{2^{3}}", "a^2^b"),
    Shape("a, b", "return (a**2)**b", r"\left( a^{2} \right)^{b}", r"\left( 2^{2} \right)^{3}", "(a^2)^b"),
    Shape("a, b", "return (a / b)**2", r"\left( \frac{a}{b} \right)^{2}", r"\left( \frac{2}{3} \right)^{2}", "(a/b)^2"),
    Shape("a, b", "return a**2 * b**-1", "a^{2} b^{-1}", r"2^{2} \times 3^{-1}", "a^2*b^(-1)"),
    Shape(
        "AI, B_HBM",
        "return AI**2 / B_HBM**3",
        r"\frac{\mathrm{AI}^{2}}{B_{\mathrm{HBM}}^{3}}",
        r"\frac{481.7^{2}}{\left( 1555\,\mathrm{GB}/\mathrm{s} \right)^{3}}",
        "AI^2/B_HBM^3",
    ),
    Shape("m_star, a", "return m_star**2 * a", r"\left( m^{\star} \right)^{2} a", r"330^{2} \times 2", "m_star^2*a"),
    Shape("beta", "return beta**2", r"\beta^{2}", r"\left( 1.2 \times 10^{5} \right)^{2}", "beta^2"),
    Shape("f", "return f**2", "f^{2}", r"\left( \frac{1}{3} \right)^{2}", "f^2"),
    Shape(
        "a, b",
        "return (a - b)**2 / 3",
        r"\frac{\left( a - b \right)^{2}}{3}",
        r"\frac{\left( 2 - 3 \right)^{2}}{3}",
        "(a - b)^2/3",
    ),
    Shape("a, b", "return -a * b", "-a b", r"-2 \times 3", "-a*b"),
    Shape("a, b", "return a - -b", r"a - \left( -b \right)", r"2 - \left( -3 \right)", "a - -b"),
    Shape("a, b", "return a * (-b)", r"a \left( -b \right)", r"2 \times \left( -3 \right)", "a*-b"),
    Shape("a, b", "return a + (-b + a)", r"a + \left( -b + a \right)", r"2 + \left( -3 + 2 \right)", "a + (-b + a)"),
    Shape("a, b", "return -(a + b)", r"-\left( a + b \right)", r"-\left( 2 + 3 \right)", "-(a + b)"),
    Shape("a", "return --a", "a", "2", "--a"),
    Shape(
        "a", "return (-a)**2 - a**2", r"\left( -a \right)^{2} - a^{2}", r"\left( -2 \right)^{2} - 2^{2}", "(-a)^2 - a^2"
    ),
    Shape("a, b", "return a / -b", r"\frac{a}{-b}", r"\frac{2}{-3}", "a/-b"),
    Shape("a, b, c", "return a - (b - c)", r"a - \left( b - c \right)", r"2 - \left( 3 - 5 \right)", "a - (b - c)"),
    Shape("a, b, c", "return a - b + c", "a - b + c", "2 - 3 + 5", "a - b + c"),
    Shape("a, d", "return a * d - d", "a d - d", r"2 \times \left( -4 \right) - \left( -4 \right)", "a*d - d"),
    Shape("a, d", "return d**2 / d", r"\frac{d^{2}}{d}", r"\frac{\left( -4 \right)^{2}}{\left( -4 \right)}", "d^2/d"),
    Shape("a, e", "return a * e", "a e", r"2 \times \left( 1 + \sqrt{2} \right)", "a*e"),
    Shape(
        "a",
        "return 1000000 * a + 12345",
        r"1\,000\,000 a + 12\,345",
        r"1\,000\,000 \times 2 + 12\,345",
        "1000000*a + 12345",
    ),
    Shape("a", "return a * 1_000_000", r"a \cdot 1\,000\,000", r"2 \times 1\,000\,000", "a*1000000"),
    Shape(
        "a",
        "return 10000 * a / 2_000_000 + 9999",
        r"\frac{10\,000 a}{2\,000\,000} + 9999",
        r"\frac{10\,000 \times 2}{2\,000\,000} + 9999",
        "10000*a/2000000 + 9999",
    ),
    Shape("a", "return 2**20 * a", "2^{20} a", r"2^{20} \times 2", "2^20*a"),
    Shape(
        "a",
        "return (a + 1) * 10**5",
        r"\left( a + 1 \right) \cdot 10^{5}",
        r"\left( 2 + 1 \right) \times 10^{5}",
        "(a + 1)*10^5",
    ),
    Shape(
        "a, b, c",
        "return largest(a, b, c)",
        r"\max\left( a, b, c \right)",
        r"\max\left( 2, 3, 5 \right)",
        "max(a, b, c)",
    ),
    Shape(
        "a, b, c",
        "return largest(a, b, smallest(b, c))",
        r"\max\left( a, b, \min\left( b, c \right) \right)",
        r"\max\left( 2, 3, \min\left( 3, 5 \right) \right)",
        "max(a, b, min(b, c))",
    ),
    Shape(
        "a, b",
        "return max(a, b) + min(a, b, 3)",
        r"\max\left( a, b \right) + \min\left( a, b, 3 \right)",
        r"\max\left( 2, 3 \right) + \min\left( 2, 3, 3 \right)",
        "max(a, b) + min(a, b, 3)",
    ),
    Shape(
        "a, b",
        "return symroof.largest(a, symroof.total(a, b)) * symroof.sqrt(a)",
        r"\max\left( a, a + b \right) \sqrt{ a }",
        r"\max\left( 2, 2 + 3 \right) \times \sqrt{ 2 }",
        "max(a, a + b)*sqrt(a)",
    ),
    Shape(
        "a, b",
        "return largest(a, b)**2",
        r"\left( \max\left( a, b \right) \right)^{2}",
        r"\left( \max\left( 2, 3 \right) \right)^{2}",
        "max(a, b)^2",
    ),
    Shape(
        "a, b",
        "return 2 * largest(a, b) * b",
        r"2 \max\left( a, b \right) b",
        r"2 \times \max\left( 2, 3 \right) \times 3",
        "2*max(a, b)*b",
    ),
    Shape("a, b, c", "return total(a, b, c)", "a + b + c", "2 + 3 + 5", "a + b + c"),
    Shape(
        "a, b, c", "return a * total(b, c)", r"a \left( b + c \right)", r"2 \times \left( 3 + 5 \right)", "a*(b + c)"
    ),
    Shape("a, b", "return -total(a, b)", r"-\left( a + b \right)", r"-\left( 2 + 3 \right)", "-(a + b)"),
    Shape("a, b", "return total(a, -b)", r"a + \left( -b \right)", r"2 + \left( -3 \right)", "a + -b"),
    Shape(
        "a, b",
        "return ceil(a / b) * b",
        r"\left\lceil \frac{a}{b} \right\rceil b",
        r"\left\lceil \frac{2}{3} \right\rceil \times 3",
        "ceil(a/b)*b",
    ),
    Shape(
        "a, b",
        "return floor(a) + sqrt(a * b)",
        r"\left\lfloor a \right\rfloor + \sqrt{ a b }",
        r"\left\lfloor 2 \right\rfloor + \sqrt{ 2 \times 3 }",
        "floor(a) + sqrt(a*b)",
    ),
    Shape(
        "a, b",
        "return sqrt(ceil(a / b)) * floor(sqrt(b))",
        r"\sqrt{ \left\lceil \frac{a}{b} \right\rceil } \left\lfloor \sqrt{ b } \right\rfloor",
        r"\sqrt{ \left\lceil \frac{2}{3} \right\rceil } \times \left\lfloor \sqrt{ 3 } \right\rfloor",
        "sqrt(ceil(a/b))*floor(sqrt(b))",
    ),
    Shape(
        "a, b",
        "return sqrt(a)**3 * ceil(b)**2",
        r"\sqrt{ a }^{3} \left\lceil b \right\rceil^{2}",
        r"\sqrt{ 2 }^{3} \times \left\lceil 3 \right\rceil^{2}",
        "sqrt(a)^3*ceil(b)^2",
    ),
    Shape(
        "a, b",
        "return a // b * (b // 2)**2",
        r"\left\lfloor\frac{a}{b}\right\rfloor \left\lfloor\frac{b}{2}\right\rfloor^{2}",
        r"\left\lfloor\frac{2}{3}\right\rfloor \times \left\lfloor\frac{3}{2}\right\rfloor^{2}",
        "floor(a/b)*floor(b/2)^2",
    ),
    Shape(
        "a, b, c",
        "return a * (b % c)",
        r"a \left( b \bmod c \right)",
        r"2 \times \left( 3 \bmod 5 \right)",
        "a*(b % c)",
    ),
    Shape("a, b, c", "return a * b % c", r"a b \bmod c", r"2 \times 3 \bmod 5", "a*b % c"),
    Shape(
        "a, b",
        "return -a % b",
        r"\left( -a \right) \bmod b",
        r"\left( -2 \right) \bmod 3",
        "-a % b",
    ),
    Shape(
        "a, b",
        "return 2 * abs(a - b) * b",
        r"2 \left| a - b \right| b",
        r"2 \times \left| 2 - 3 \right| \times 3",
        "2*abs(a - b)*b",
    ),
    Shape(
        "a, b",
        "if a > b:\n    return a\nreturn b",
        cases(("a", "a > b"), "b"),
        cases(("2", "2 > 3"), "3"),
        "a if a > b; b otherwise",
    ),
    Shape(
        "a, b",
        "if a >= b:\n    return a\nelif a == b:\n    return 2 * a\nelse:\n    return b",
        cases(("a", r"a \ge b"), ("2 a", "a = b"), "b"),
        cases(("2", r"2 \ge 3"), (r"2 \times 2", "2 = 3"), "3"),
        "a if a >= b; 2*a if a == b; b otherwise",
    ),
    Shape(
        "a, b",
        "return a if a >= b else b",
        cases(("a", r"a \ge b"), "b"),
        cases(("2", r"2 \ge 3"), "3"),
        "a if a >= b else b",
    ),
    Shape(
        "a, b",
        "return a + b if a > b else a - b if a < 1 else 7",
        cases(("a + b", "a > b"), ("a - b", "a < 1"), "7"),
        cases(("2 + 3", "2 > 3"), ("2 - 3", "2 < 1"), "7"),
        "a + b if a > b else a - b if a < 1 else 7",
    ),
    Shape(
        "a, b",
        "return 2 * (a if a > b else b) + 1",
        r"2 \left( " + cases(("a", "a > b"), "b") + r" \right) + 1",
        r"2 \times \left( " + cases(("2", "2 > 3"), "3") + r" \right) + 1",
        "2*(a if a > b else b) + 1",
    ),
    Shape(
        "a, b",
        "return -(a if a != b else 3)",
        r"-\left( " + cases(("a", r"a \ne b"), "3") + r" \right)",
        r"-\left( " + cases(("2", r"2 \ne 3"), "3") + r" \right)",
        "-(a if a != b else 3)",
    ),
    Shape(
        "a, b",
        "if a > b and b > 1:\n    return a\nif a > b or b <= 1:\n    return b\nreturn a * b",
        cases(("a", r"a > b \land b > 1"), ("b", r"a > b \lor b \le 1"), "a b"),
        cases(("2", r"2 > 3 \land 3 > 1"), ("3", r"2 > 3 \lor 3 \le 1"), r"2 \times 3"),
        "a if a > b and b > 1; b if a > b or b <= 1; a*b otherwise",
    ),
    Shape(
        "a, b",
        "if not a > b:\n    return a\nreturn b",
        cases(("a", r"\lnot \left( a > b \right)"), "b"),
        cases(("2", r"\lnot \left( 2 > 3 \right)"), "3"),
        "a if not a > b; b otherwise",
    ),
    Shape(
        "a, b",
        "if a > b:\n    return a\nelse:\n    if a > 1:\n        return b\n    return 2 * b",
        cases(("a", "a > b"), ("b", "a > 1"), "2 b"),
        cases(("2", "2 > 3"), ("3", "2 > 1"), r"2 \times 3"),
        "a if a > b; b if a > 1; 2*b otherwise",
    ),
    Shape(
        "a, b",
        "if a > b:\n    if a > 1 or b > 3:\n        return 2 * a\n    return 3 * a\nreturn b",
        cases((cases(("2 a", r"a > 1 \lor b > 3"), "3 a"), "a > b"), "b"),
        cases((cases((r"2 \times 2", r"2 > 1 \lor 3 > 3"), r"3 \times 2"), "2 > 3"), "3"),
        "2*a if a > b and (a > 1 or b > 3); 3*a if a > b; b otherwise",
    ),
    Shape(
        "a, b",
        "if a > b:\n    if a > 1:\n        return 2 * a\nreturn b",
        cases((cases(("2 a", "a > 1"), "b"), "a > b"), "b"),
        cases((cases((r"2 \times 2", "2 > 1"), "3"), "2 > 3"), "3"),
        "2*a if a > b and a > 1; b if a > b; b otherwise",
    ),
    Shape(
        "a, b",
        'return "too_large & 100 %" if a > b else "fits"',
        cases((r"\text{too\_large \& 100 \%}", "a > b"), r"\text{fits}"),
        cases((r"\text{too\_large \& 100 \%}", "2 > 3"), r"\text{fits}"),
        "'too_large & 100 %' if a > b else 'fits'",
    ),
    Shape(
        "a, b",
        "if a > b:\n    return 'x * y / 100000'\nif a == b:\n    return \"it's #1 {or} $2 ~ ^ \\\\ <b>|\"\nreturn 'é'",
        cases(
            (r"\text{x * y / 100000}", "a > b"),
            (
                SPECIAL,
                "a = b",
            ),
            r"\text{é}",
        ),
        cases(
            (r"\text{x * y / 100000}", "2 > 3"),
            (
                SPECIAL,
                "2 = 3",
            ),
            r"\text{é}",
        ),
        "'x * y / 100000' if a > b; \"it's #1 {or} $2 ~ ^ \\\\ <b>|\" if a == b; 'é' otherwise",
    ),
    Shape(
        "a, b, c",
        "area = a * b\nrest: int = c\nreturn area / rest",
        block(r"\mathrm{area} = a b", r"\mathrm{rest} = c", r"\frac{\mathrm{area}}{\mathrm{rest}}"),
        block(r"\mathrm{area} = 2 \times 3", r"\mathrm{rest} = 5", r"\frac{\mathrm{area}}{\mathrm{rest}}"),
        "area = a*b; rest = c; area/rest",
    ),
    Shape(
        "a, b",
        "area = a * b\nhalf = area * area / a\nreturn area * half * b",
        block(
            r"\mathrm{area} = a b",
            r"\mathrm{half} = \frac{\mathrm{area} \, \mathrm{area}}{a}",
            r"\mathrm{area} \, \mathrm{half} \, b",
        ),
        block(
            r"\mathrm{area} = 2 \times 3",
            r"\mathrm{half} = \frac{\mathrm{area} \times \mathrm{area}}{2}",
            r"\mathrm{area} \times \mathrm{half} \times 3",
        ),
        "area = a*b; half = area*area/a; area*half*b",
    ),
    Shape(
        "a, b",
        "half = a / 2\nif half > b:\n    return half\nreturn b",
        block(r"\mathrm{half} = \frac{a}{2}", cases((r"\mathrm{half}", r"\mathrm{half} > b"), "b")),
        block(r"\mathrm{half} = \frac{2}{2}", cases((r"\mathrm{half}", r"\mathrm{half} > 3"), "3")),
        "half = a/2; half if half > b; b otherwise",
    ),
    Shape("*, a, b", "return a / b", r"\frac{a}{b}", r"\frac{2}{3}", "a/b"),
    Shape("t_comp", "return t_comp", r"t_{\mathrm{comp}}", r"2\,\mathrm{s}", "t_comp"),
    Shape("a, b", "# a comment\nreturn (\n    a  # another\n    + b\n)", "a + b", "2 + 3", "a + b"),
]


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> Derivation:
    """All shapes as the steps q0, q1 ... of one derivation file."""
    lines = ["import symroof", "from symroof import Derivation, ceil, floor, largest, smallest, sqrt, total"]
    lines += ['shapes = Derivation("shapes")', *(f'shapes.given("{name}")' for name in NUMBERS)]
    for at, shape in enumerate(SHAPES):
        lines += ["@shapes.step()", f"def q{at}({shape.parameters}):", textwrap.indent(shape.body, "    ")]
    file = tmp_path_factory.mktemp("shapes") / "shapes.py"
    file.write_text("\n".join(lines), encoding="utf-8")
    return load(str(file))


@pytest.mark.parametrize("at", range(len(SHAPES)), ids=[shape.body for shape in SHAPES])
def test_a_shape(shapes: Derivation, at: int) -> None:
    step, shape = shapes.steps[f"q{at}"], SHAPES[at]
    assert formula(shapes, step) == shape.latex
    assert substituted(step, NUMBERS) == shape.with_numbers
    assert source_line(step) == shape.text


def test_cases_in_full(shapes: Derivation) -> None:
    at = next(at for at, shape in enumerate(SHAPES) if shape.body.startswith("if a >= b:"))
    assert formula(shapes, shapes.steps[f"q{at}"]) == (
        r"\left\{ \begin{array}{ll} a, & \text{if }a \ge b \\ 2 a, & \text{if }a = b \\ "
        r"b, & \text{otherwise} \end{array} \right."
    )


DOCUMENT = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{lmodern,amsmath}
\setlength{\textwidth}{190mm}
\hoffset=-25mm
\begin{document}
%s
\end{document}
"""


def test_tex_sets_every_shape(shapes: Derivation) -> None:
    try:
        engine = find_engine()
    except TypesettingError:
        pytest.skip("no TeX engine here")
    lines = [formula(shapes, step) for step in shapes.steps.values()]
    lines += [substituted(step, NUMBERS) for step in shapes.steps.values()]
    gemm = load("gemm")
    lines += [formula(gemm, step) for step in gemm.steps.values()]
    done = typeset(DOCUMENT % "\n".join(rf"\[ {line} \]" for line in lines), engine)
    assert done.pdf.startswith(b"%PDF-")
    assert overfull_boxes(done.log) == []


def test_the_formulas_of_gemm() -> None:
    gemm = load("gemm")
    assert {name: formula(gemm, step) for name, step in gemm.steps.items() if not name.startswith("share")} == {
        "F": "c m k n",
        "B": r"s \left( m k + k n + m n \right)",
        "B_mk": "s m k",
        "B_kn": "s k n",
        "B_mn": "s m n",
        "AI": r"\frac{F}{B}",
        "I": r"\frac{P}{\beta}",
        "R": r"\min\left( P, \beta \, \mathrm{AI} \right)",
        "t_comp": r"\frac{F}{P}",
        "t_mem": r"\frac{B}{\beta}",
        "t": r"\max\left( t_{\mathrm{comp}}, t_{\mathrm{mem}} \right)",
        "t_sum": r"t_{\mathrm{comp}} + t_{\mathrm{mem}}",
    }
    assert source_line(gemm.steps["B"]) == "s*(m*k + k*n + m*n)"
    assert source_line(gemm.steps["R"]) == "min(P, beta*AI)"


def test_a_symbol_of_the_author_s_own() -> None:
    made = Derivation("mine")
    made.given("x", symbol=r"\hat{x}")
    made.given("y", symbol="y'^2")

    @made.step(symbol="q''")
    def q(x: Any, y: Any) -> Any:
        return x**2 * y**3 / y

    @made.step()
    def r(q: Any, x: Any) -> Any:
        return q * x

    assert formula(made, made.steps["q"]) == r"\frac{\hat{x}^{2} \left( y'^2 \right)^{3}}{y'^2}"
    assert formula(made, made.steps["r"]) == r"q'' \hat{x}"


def test_a_formula_that_came_in_under_another_name() -> None:
    part, whole = Derivation("part"), Derivation("whole")
    part.given("a")
    part.given("b")

    @part.step()
    def q(a: Any, b: Any) -> Any:
        return a**2 / b

    @part.step()
    def r(q: Any, a: Any) -> Any:
        return largest(q, 2 * a)

    whole.given("beta")
    whole.include(part, suffix="_1", exchange={"a": "beta"})
    assert formula(whole, whole.steps["q_1"]) == r"\frac{\beta^{2}}{b}"
    assert formula(whole, whole.steps["r_1"]) == r"\max\left( q_{1}, 2 \beta \right)"
    assert source_line(whole.steps["r_1"]) == "max(q_1, 2*beta)"
    assert source_line(whole.steps["q_1"], {"beta": "3 s", "b": "7"}) == "(3 s)^2 / 7"
    assert substituted(whole.steps["q_1"], {"beta": "3", "b": "7"}) == r"\frac{3^{2}}{7}"


def test_a_sentence_that_came_in_under_another_name() -> None:
    """With the symbols that it has now, in its maths only."""
    part, whole = Derivation("part"), Derivation("whole")
    part.given("k")
    part.given("n")

    @part.step()
    def q(k: Any, n: Any) -> Any:
        r"""Each of the $n$ k takes $k n_k \frac{k}{nk}$."""
        return k * n

    whole.given("n_g")
    whole.include(part, suffix="_1", exchange={"k": "n", "n": "k"})
    whole.include(part, suffix="_g", exchange={"n": "n_g"})
    assert whole.steps["q_1"].sentence == r"Each of the $k$ k takes $n k_n \frac{n}{nk}$."
    assert whole.steps["q_g"].sentence == r"Each of the $n_{g}$ k takes $k n_{g}_k \frac{k}{nk}$."


def test_the_next_divisor() -> None:
    made = Derivation("made")
    made.given("n")
    made.given("a")

    @made.step()
    def g(n: Any, a: Any) -> Any:
        return next_divisor(n, a)

    assert formula(made, made.steps["g"]) == r"\min\left\{ d \ge a : d \mid n \right\}"
    assert substituted(made.steps["g"], {"n": "12", "a": "5"}) == r"\min\left\{ d \ge 5 : d \mid 12 \right\}"
    assert source_line(made.steps["g"]) == "next_divisor(n, a)"


def test_a_formula_over_terms() -> None:
    made = Derivation("mine")
    for name in "abc":
        made.given(name)

    @made.step(of=["c", "a"])
    def q(*terms: Any) -> Any:
        return 2 * total(*terms) + largest(*terms)

    assert formula(made, made.steps["q"]) == r"2 \left( c + a \right) + \max\left( c, a \right)"
    assert source_line(made.steps["q"]) == "2*(c + a) + max(c, a)"
    assert source_line(made.steps["q"], {"a": "1", "c": "3"}) == "2 * (3 + 1) + max(3, 1)"


# -- numbers in plain text


@pytest.mark.parametrize(
    ("body", "numbers", "text"),
    [
        ("return a * b / c", {"a": "2 FLOP", "b": "8192", "c": "312 TFLOP/s"}, "2 FLOP * 8192 / 312 TFLOP/s"),
        ("return a**2 + b**2", {"a": "3 ms", "b": "7", "c": ""}, "(3 ms)^2 + 7^2"),
        ("return a * b - c", {"a": "-3", "b": "1/3", "c": "-1.5e-7 s"}, "(-3) * (1/3) - (-1.5e-7 s)"),
        ("return a * b * c", {"a": "sqrt(2)", "b": "1e+300 byte", "c": "0.5"}, "(sqrt(2)) * (1e+300 byte) * 0.5"),
        ("return largest(a, total(b, c))", {"a": "1 s", "b": "2 s", "c": "3 s"}, "max(1 s, 2 s + 3 s)"),
        ("return a // b", {"a": "7", "b": "2", "c": ""}, "floor(7 / 2)"),
        ('return "a * b" if a > b else "c"', {"a": "1", "b": "2", "c": "3"}, "'a * b' if 1 > 2 else 'c'"),
    ],
)
def test_numbers_in_plain_text(body: str, numbers: dict[str, str], text: str) -> None:
    assert source_line(step_of(f"def q(a, b, c):\n    {body}\n"), numbers) == text


# -- where a function may stand, and what has no source


def test_a_function_in_a_function_with_a_ragged_docstring() -> None:
    made = Derivation("mine")
    made.given("a")
    made.given("b")

    def declare() -> None:
        @made.step(
            unit="",
            symbol=r"q_{0}",
        )
        def q(
            a: Any,
            b: Any,  # a comment
        ) -> Any:
            """A sentence
that goes on at the margin."""  # fmt: skip
            # a comment
            return a / b  # another

    declare()
    assert formula(made, made.steps["q"]) == r"\frac{a}{b}"
    assert source_line(made.steps["q"]) == "a/b"


def step_of(source: str) -> Step:
    """The function q that the source defines, as a step whose source is to be had."""
    file = f"<formula {len(linecache.cache)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    made = Derivation("mine")
    for parameter in "abc":
        made.given(parameter)
    names: dict[str, Any] = {"largest": symroof.largest, "smallest": symroof.smallest, "total": symroof.total}
    names |= {"ceil": symroof.ceil, "floor": symroof.floor}
    exec(compile(source, file, "exec"), names)
    made.step()(names["q"])
    return made.steps["q"]


def test_a_function_without_a_source() -> None:
    names: dict[str, Any] = {}
    exec("def q(a): return a", names)
    made = Derivation("mine")
    made.given("a")
    made.step()(names["q"])
    with pytest.raises(AuthoringError) as caught:
        source_line(made.steps["q"])
    assert str(caught.value) == "the source of step q is not to be had\nwrite the derivation in a file and load that"


@pytest.mark.parametrize(
    "body",
    [
        "x = 0\n    for _ in (1, 2):\n        x = x + a\n    return x",
        "if a > b:\n        x = a\n    else:\n        x = b\n    return x",
        "if a > b:\n        a = b\n    return 2 * a",
        "x = a\n    x += b\n    return x",
        "return [a, b][0] if a > b else {a: b}[a]",
    ],
)
def test_a_formula_that_cannot_be_typeset(body: str) -> None:
    with pytest.raises(AuthoringError) as caught:
        substituted(step_of(f"def q(a, b):\n    {body}\n"), NUMBERS)
    assert caught.value.problem.startswith("step q cannot be typeset as written: ")
    assert caught.value.hint == (
        "use one return, or if/elif/else with a return in each branch, and plain assignments before it"
    )


def test_an_async_function_is_no_formula() -> None:
    with pytest.raises(AuthoringError, match=r"^step q is no plain function\nwrite it with def$"):
        source_line(step_of("async def q(a):\n    return a\n"))


def test_letters_of_every_script_in_a_label() -> None:
    step = step_of("def q(a, b):\n    return '가 × β' if a > b else '语'\n")
    assert substituted(step, NUMBERS) == cases((r"\text{가 × β}", "2 > 3"), r"\text{语}")


# -- that the LaTeX says what the formula says


class Reader:
    r"""Works out LaTeX as a reader would: `\frac`, powers, brackets, factors side by side.

    A sign may only stand at the start of a bracket, a group or the whole; `beside` says whether factors may stand
    side by side.
    """

    TOKEN = re.compile(
        r"\\(?:left|right)(?:\\[lr](?:ceil|floor)|[()|])|\\[a-z]+|[0-9]+(?:\\,[0-9]{3})*|[a-z]|[-+{}^,]| +|\S"
    )

    def __init__(self, latex: str, values: dict[str, Fraction], *, beside: bool) -> None:
        self.tokens: list[str] = [token for token in self.TOKEN.findall(latex) if token.strip()] + ["end"]
        self.values, self.beside = values, beside

    def whole(self) -> Fraction:
        value = self.sum()
        assert self.tokens == ["end"]
        return value

    def take(self, expected: str | None = None) -> str:
        token = self.tokens.pop(0)
        assert expected in (None, token), (expected, token, self.tokens)
        return token

    def sum(self) -> Fraction:
        negative = self.tokens[0] == "-"
        if negative:
            self.take()
        value = -self.product() if negative else self.product()
        while self.tokens[0] in ("+", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self) -> Fraction:
        value = self.power()
        while True:
            token = self.tokens[0]
            if token in (r"\cdot", r"\times"):
                self.take()
                value *= self.power()
            elif token == r"\bmod":
                self.take()
                value %= self.power()
            elif self.beside and (token in self.values or token in STARTS or token.startswith(r"\left")):
                value *= self.power()
            else:
                return value

    def power(self) -> Fraction:
        base = self.atom()
        if self.tokens[0] == "^":
            self.take()
            exponent = self.group()
            assert self.tokens[0] != "^"  # TeX would refuse a second script
            return base ** int(exponent)
        return base

    def group(self) -> Fraction:
        self.take("{")
        value = self.sum()
        self.take("}")
        return value

    def atom(self) -> Fraction:
        token = self.take()
        if token in self.values:
            return self.values[token]
        if token == r"\frac":
            return self.group() / self.group()
        if token in (r"\max", r"\min"):
            self.take(r"\left(")
            values = [self.sum()]
            while self.tokens[0] == ",":
                self.take()
                values.append(self.sum())
            self.take(r"\right)")
            return max(values) if token == r"\max" else min(values)
        if token in BRACKETS:
            value = BRACKETS[token](self.sum())
            self.take(
                token.replace(r"\left", r"\right")
                .replace("(", ")")
                .replace(r"\l", r"\r")
                .replace(r"\rright", r"\right")
            )
            return Fraction(value)
        return Fraction(int(token.replace(r"\,", "")))


STARTS = (r"\frac", r"\max", r"\min")
BRACKETS: dict[str, Callable[[Fraction], Fraction | int]] = {
    r"\left(": lambda value: value,
    r"\left|": abs,
    r"\left\lceil": ceil,
    r"\left\lfloor": floor,
}

INFIX = ["+", "-", "*", "*", "/", "//", "%"]
NAMES = st.sampled_from("abc")
NUMERALS = st.sampled_from(["0", "1", "2", "3", "7", "10", "12345", "1000000"])


def larger(smaller: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Python's text for a formula over smaller ones, everything in parentheses."""
    return st.one_of(
        st.builds("({} {} {})".format, smaller, st.sampled_from(INFIX), smaller),
        st.builds("({} {} {})".format, smaller, st.sampled_from(INFIX), smaller),
        st.builds("({}**{})".format, smaller, st.sampled_from(["2", "3", "(-1)", "(1 + 1)"])),
        st.builds("(-{})".format, smaller),
        st.builds("{}({}, {})".format, st.sampled_from(["largest", "smallest", "total"]), smaller, smaller),
        st.builds("{}({})".format, st.sampled_from(["ceil", "floor", "abs", "largest"]), smaller),
    )


FORMULAS = st.recursive(NAMES | NAMES | NUMERALS, larger, max_leaves=8)


OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction | int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: lambda base, exponent: base ** int(exponent),
}
FUNCTIONS: dict[str, Callable[..., Fraction | int]] = {
    "largest": lambda *values: max(values),
    "smallest": lambda *values: min(values),
    "total": lambda *values: sum(values),
    "ceil": ceil,
    "floor": floor,
    "abs": abs,
}


def by_hand(node: ast.expr, values: dict[str, Fraction]) -> Fraction:
    """The formula worked out in fractions; Python's own 7 // 2 / 2 would be a float."""
    match node:
        case ast.Constant(int(number)):
            return Fraction(number)
        case ast.Name(name):
            return values[name]
        case ast.UnaryOp(ast.USub(), operand):
            return -by_hand(operand, values)
        case ast.BinOp(left, sign, right):
            return Fraction(OPERATORS[type(sign)](by_hand(left, values), by_hand(right, values)))
        case ast.Call(ast.Name(name), arguments):
            return Fraction(FUNCTIONS[name](*(by_hand(argument, values) for argument in arguments)))
    raise AssertionError(ast.dump(node))


@settings(max_examples=150)
@given(FORMULAS)
def test_a_reader_of_the_latex_gets_the_same_number(body: str) -> None:
    step = step_of(f"def q(a, b, c):\n    return {body}\n")
    values = {"a": Fraction(7, 3), "b": Fraction(2), "c": Fraction(5)}
    try:
        expected = by_hand(ast.parse(body, mode="eval").body, values)
    except ZeroDivisionError:
        assume(False)
    made = Derivation("mine")
    assert Reader(formula(made, step), values, beside=True).whole() == expected
    shown = {"a": r"\frac{7}{3}", "b": "2", "c": "5"}
    assert Reader(substituted(step, shown), {}, beside=False).whole() == expected
    if "%" not in body and "abs" not in body:
        assert parse(source_line(step)).compute(values, lambda literal: literal.number) == expected


@pytest.mark.parametrize(
    ("latex", "value"),
    [
        (r"a b^{2} + \frac{c}{2}", Fraction(7, 3) * 4 + Fraction(5, 2)),
        (r"-a \left( b - c \right)", Fraction(7)),
        (r"2 \max\left( a, b \right) \left\lceil a \right\rceil", Fraction(14)),
        (r"1\,000\,000 \cdot 3 \left| b - c \right|", Fraction(9000000)),
    ],
)
def test_the_reader(latex: str, value: Fraction) -> None:
    values = {"a": Fraction(7, 3), "b": Fraction(2), "c": Fraction(5)}
    assert Reader(latex, values, beside=True).whole() == value


@pytest.mark.parametrize("latex", ["a + -b", r"a \cdot -b", "a^{b}^{c}", "a b)", r"\left( a"])
def test_the_reader_takes_offence(latex: str) -> None:
    values = {"a": Fraction(7, 3), "b": Fraction(2), "c": Fraction(5)}
    with pytest.raises((AssertionError, ValueError)):
        Reader(latex, values, beside=True).whole()
