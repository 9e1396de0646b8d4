"""Closed forms: normalised, in the field's order, as text that the parser reads back and as LaTeX."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symroof.expression import parse
from symroof.forms import Writer, collected, normalised, sign_of_terms

pytestmark = pytest.mark.slow

P, s, c, beta, k, n, m, b, t = sympy.symbols("P s c beta k n m b t_mem", positive=True)
AI = sympy.Symbol("AI", positive=True)
free = sympy.Symbol("free", real=True)
Q = sympy.Rational
root = sympy.sqrt

WRITER = Writer(
    ["t_mem", "AI", "P", "s", "c", "beta", "k", "n", "m", "b"],
    {"t_mem": r"t_{\mathrm{mem}}", "AI": r"\mathrm{AI}", "beta": r"\beta"},
)


@pytest.mark.parametrize(
    ("expression", "text", "latex"),
    [
        # products stand in the given order, numbers first
        (n * k * m * c * 2, "2*c*k*n*m", "2 c k n m"),
        (k * AI * 3, "3*AI*k", r"3 \, \mathrm{AI} \, k"),
        (AI * t, "t_mem*AI", r"t_{\mathrm{mem}} \, \mathrm{AI}"),
        (-k * n, "-k*n", "-k n"),
        (n * (k + m) * 2, "2*n*(k + m)", r"2 n \left( k + m \right)"),
        # sums: higher powers first, numbers last, what is taken away at the end
        (1 + k + k**2, "k^2 + k + 1", "k^{2} + k + 1"),
        (k - 4 * n, "k - 4*n", "k - 4 n"),
        (-k + 1, "1 - k", "1 - k"),
        (-k - 1, "-k - 1", "-k - 1"),
        (k - (n - m), "k + m - n", "k + m - n"),
        # fractions
        (k / n, "k/n", r"\frac{k}{n}"),
        (k / (n * m), "k/(n*m)", r"\frac{k}{n m}"),
        (1 / k, "1/k", r"\frac{1}{k}"),
        (k**-2, "1/k^2", r"\frac{1}{k^{2}}"),
        (Q(5, 7) * k / n, "5*k/(7*n)", r"\frac{5 k}{7 n}"),
        (-Q(3, 4) * k, "-3*k/4", r"-\frac{3 k}{4}"),
        ((k + 1) / (n - 1), "(k + 1)/(n - 1)", r"\frac{k + 1}{n - 1}"),
        (k / (n * (m + 1)), "k/(n*(m + 1))", r"\frac{k}{n \left( m + 1 \right)}"),
        (Q(1, 3), "1/3", r"\frac{1}{3}"),
        (-Q(1, 2), "-1/2", r"-\frac{1}{2}"),
        (sympy.Integer(0), "0", "0"),
        # powers and roots
        ((k + n) ** 2 * b, "(k + n)^2*b", r"\left( k + n \right)^{2} b"),
        (AI**2, "AI^2", r"\mathrm{AI}^{2}"),
        (2**k, "2^k", "2^{k}"),
        (root(k), "sqrt(k)", r"\sqrt{k}"),
        (1 / root(k), "1/sqrt(k)", r"\frac{1}{\sqrt{k}}"),
        (root(k) * root(n) / root(m), "sqrt(k*n/m)", r"\sqrt{\frac{k n}{m}}"),
        (2 * root(3), "2*sqrt(3)", r"2 \sqrt{3}"),
        (root(2) * k / n, "sqrt(2)*k/n", r"\frac{\sqrt{2} k}{n}"),
        (
            (root(b**2 - 4 * k * n) - b) / (2 * k),
            "(sqrt(b^2 - 4*k*n) - b)/(2*k)",
            r"\frac{\sqrt{b^{2} - 4 k n} - b}{2 k}",
        ),
        # functions
        (sympy.Max(n, k, P), "max(P, k, n)", r"\max\left( P, k, n \right)"),
        (sympy.Min(t, AI + 1), "min(t_mem, AI + 1)", r"\min\left( t_{\mathrm{mem}}, \mathrm{AI} + 1 \right)"),
        (sympy.ceiling(k / n) * m, "ceil(k/n)*m", r"\left\lceil \frac{k}{n} \right\rceil m"),
        (sympy.floor(k / 2), "floor(k/2)", r"\left\lfloor \frac{k}{2} \right\rfloor"),
        (sympy.exp(k), "exp(k)", r"\exp\left( k \right)"),
        (sympy.log(k), "ln(k)", r"\ln\left( k \right)"),
        # conditions
        (k > n, "k > n", "k > n"),
        (sympy.Ne(k, 2 * n), "k != 2*n", r"k \ne 2 n"),
        (sympy.And(k >= 2, n <= 3), "k >= 2 and n <= 3", r"k \ge 2 \land n \le 3"),
        (sympy.Or(k > n, n > 1), "k > n or n > 1", r"k > n \lor n > 1"),
        (
            sympy.Piecewise((k, k > n), (2 * n, True)),
            "k if k > n; 2*n otherwise",
            r"\begin{cases} k & \text{if }k > n \\ 2 n & \text{otherwise} \end{cases}",
        ),
    ],
)
def test_the_writing(expression: Any, text: str, latex: str) -> None:
    assert WRITER.text(expression) == text
    assert WRITER.latex(expression) == latex


def test_names_without_a_place_come_last() -> None:
    assert WRITER.text(sympy.Symbol("zz") * k * sympy.Symbol("aa")) == "k*aa*zz"
    assert WRITER.latex(sympy.Symbol("zz") * k) == "k zz"


def test_a_relation() -> None:
    pair = c * beta * k * n, P * s * (k + n)
    assert WRITER.relation_text(pair[0], ">", pair[1]) == "c*beta*k*n > P*s*(k + n)"
    assert WRITER.relation_latex(pair[0], ">=", pair[1]) == r"c \beta k n \ge P s \left( k + n \right)"
    assert WRITER.relation_text(pair[0], "==", sympy.Integer(0)) == "c*beta*k*n = 0"
    assert WRITER.relation_latex(pair[0], "!=", sympy.Integer(0)) == r"c \beta k n \ne 0"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        # The batch threshold: SymPy's own has its sign in front and expands the denominator.
        (-P * k * n * s / (P * s * k + P * s * n - c * beta * k * n), "P*s*k*n/(c*beta*k*n - P*s*(k + n))"),
        (c * k * n * m / (s * (m * k + k * n + m * n)) - 0, "c*k*n*m/(s*(k*n + k*m + n*m))"),
        ((k - n) / (n - k), "-1"),
        ((k + n) / (2 * k + 2 * n), "1/2"),
        ((k**2 - n**2) / (k - n), "k + n"),
        (k / n + n / k, "(k^2 + n^2)/(k*n)"),
        (1 / (1 / k + 1 / n), "k*n/(k + n)"),
        (-k - n, "-k - n"),
        (-k / (-n - m), "k/(n + m)"),
        (k / Q(1, 3), "3*k"),
        (k**2 - 2 * k * n + n**2, "(k - n)^2"),
        (sympy.Integer(0), "0"),
        (root(k) / n, "sqrt(k)/n"),
        (sympy.Max(k, n) / 2, "max(k, n)/2"),
    ],
)
def test_the_normal_form(expression: Any, text: str) -> None:
    found = normalised(expression)
    assert WRITER.text(found) == text
    assert sympy.simplify(found - expression) == 0


@pytest.mark.parametrize(
    ("polynomial", "text"),
    [
        (P * s * k + P * s * n, "P*s*(k + n)"),
        (c * beta * k * n - P * s * k - P * s * n, "c*beta*k*n - P*s*(k + n)"),
        (k * n * m - k * P * s, "k*(n*m - P*s)"),
        (-k * n - k * m, "-k*(n + m)"),
        (3 * k, "3*k"),
    ],
)
def test_collecting(polynomial: Any, text: str) -> None:
    found = collected(polynomial)
    assert WRITER.text(found) == text
    assert sympy.expand(found - polynomial) == 0


@pytest.mark.parametrize(
    ("polynomial", "sign"),
    [
        (k * n + 2, 1),
        (-k - n**2, -1),
        (k - n, None),
        ((k + n) * (k - n) + n**2, 1),  # it is k^2
        (sympy.Integer(0), 0),
        (free * k, None),
        (free**2 + k, 1),  # free^2 is not negative, and k is above zero
    ],
)
def test_the_sign_that_every_term_shows(polynomial: Any, sign: int | None) -> None:
    assert sign_of_terms(polynomial) == sign


# -- random rational expressions

VALUES = {"k": Fraction(7, 3), "n": Fraction(2), "m": Fraction(5)}
SYMBOLS = st.sampled_from([k, n, m])
NUMBERS = st.integers(-3, 5).map(sympy.Integer) | st.builds(Q, st.integers(1, 5), st.integers(1, 5))


def larger(smaller: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.builds(lambda x, y: x + y, smaller, smaller),
        st.builds(lambda x, y: x - y, smaller, smaller),
        st.builds(lambda x, y: x * y, smaller, smaller),
        st.builds(lambda x, y: x if y == 0 else x / y, smaller, smaller),
        st.builds(lambda x, power: x**power, smaller, st.integers(1, 3)),
        st.builds(sympy.Max, smaller, smaller),
        st.builds(sympy.Min, smaller, smaller),
        st.builds(sympy.ceiling, smaller),
        st.builds(sympy.floor, smaller),
    )


def value_of(expression: Any) -> Fraction:
    at_values = expression.xreplace({symbol: Q(*VALUES[symbol.name].as_integer_ratio()) for symbol in (k, n, m)})
    assume(at_values.is_Rational)  # else it divides by zero there
    return Fraction(int(at_values.p), int(at_values.q))


@settings(max_examples=80)
@given(st.recursive(SYMBOLS | SYMBOLS | NUMBERS, larger, max_leaves=6))
def test_the_text_and_the_normal_form_have_the_same_value(expression: Any) -> None:
    assume(not expression.has(sympy.zoo, sympy.nan))
    expected = value_of(expression)
    for form in (expression, normalised(expression)):
        found = parse(WRITER.text(form)).compute(VALUES, lambda literal: literal.number)
        assert found == expected
