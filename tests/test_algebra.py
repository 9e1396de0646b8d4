"""The algebraic reading: each formula over symbols, what reaches what, limits and trends."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
import sympy

from symroof import Derivation, SymroofError, ceil, floor, largest, load, smallest, sqrt, total
from symroof.algebra import Algebra, rational
from symroof.declared import Limit, Trend
from symroof.errors import AuthoringError, InexactError, RefusedValueError, UnknownNameError

pytestmark = pytest.mark.slow

GEMM = load("gemm")

Formula = Callable[..., Any]


def derivation() -> Derivation:
    made = Derivation("mine")
    made.given("z", default=0)
    made.given("a")
    made.given("b", default=3)
    made.given("w", unit="byte")
    made.given("m", count=True)
    made.given("k", count=True)
    return made


@pytest.mark.parametrize(
    ("name", "over_its_parameters", "over_the_givens"),
    [
        ("F", "c*m*k*n", "c*m*k*n"),
        ("B", "s*(m*k + m*n + k*n)", "s*(m*k + m*n + k*n)"),
        ("B_kn", "s*k*n", "s*k*n"),
        ("share_mn", "B_mn/B", "m*n/(m*k + m*n + k*n)"),
        ("AI", "F/B", "c*m*k*n/(s*(m*k + m*n + k*n))"),
        ("I", "P/beta", "P/beta"),
        ("t_comp", "F/P", "c*m*k*n/P"),
        ("t_mem", "B/beta", "s*(m*k + m*n + k*n)/beta"),
        ("t", "max(t_comp, t_mem)", "max(c*m*k*n/P, s*(m*k + m*n + k*n)/beta)"),
        ("t_sum", "t_comp + t_mem", "c*m*k*n/P + s*(m*k + m*n + k*n)/beta"),
    ],
)
def test_the_formulas_of_gemm(name: str, over_its_parameters: str, over_the_givens: str) -> None:
    algebra = Algebra(GEMM)
    assert algebra.writer.text(algebra.step(name)) == over_its_parameters
    assert algebra.writer.text(algebra.composed(algebra.symbol(name))) == over_the_givens


def test_the_formula_is_read_once() -> None:
    calls = []
    made = derivation()

    @made.step()
    def q(a: Any) -> Any:
        calls.append(a)
        return 2 * a

    algebra = Algebra(made)
    assert algebra.step("q") is algebra.step("q")
    assert len(calls) == 1


def test_composing_only_what_is_asked_for() -> None:
    algebra = Algebra(GEMM)
    write, t = algebra.writer.text, algebra.symbol("t")
    assert write(algebra.composed(t, [])) == "t"
    assert write(algebra.composed(t, ["t"])) == "max(t_comp, t_mem)"
    assert write(algebra.composed(t, ["t", "t_mem"])) == "max(B/beta, t_comp)"
    assert write(algebra.composed(algebra.symbol("P") * t, ["t_mem"])) == "t*P"


@pytest.mark.parametrize(
    ("names", "symbol", "reached"),
    [
        (["t", "regime"], "m", ["F", "B", "t_comp", "t_mem", "t", "regime"]),
        (["t"], "s", ["B", "t_mem", "t"]),
        (["t"], "beta", ["t_mem", "t"]),
        (["AI", "I"], "P", ["I"]),
        (["t"], "F", ["t_comp", "t"]),
        (["m"], "m", []),
        (["B_kn"], "m", []),
    ],
)
def test_what_a_symbol_reaches(names: list[str], symbol: str, reached: list[str]) -> None:
    assert Algebra(GEMM).reaching(names, symbol) == reached


def test_symbols_are_positive_unless_zero_is_the_default() -> None:
    algebra = Algebra(derivation())
    assert [algebra.symbol(name).is_positive for name in ("a", "b", "m")] == [True, True, True]
    assert (algebra.symbol("z").is_positive, algebra.symbol("z").is_nonnegative) == (None, True)
    assert algebra.symbol("a") is algebra.symbol("a")


def test_an_exact_number_as_sympy_has_it() -> None:
    assert rational(Fraction(-3, 4)) == sympy.Rational(-3, 4)
    assert rational(sympy.sqrt(2)) == sympy.sqrt(2)


# -- every function and operator


def q_functions(a: Any, b: Any, m: Any) -> Any:
    return largest(a, b) * smallest(a, m, b) + total(a, b, a)


def q_rounding(a: Any, b: Any) -> Any:
    return ceil(a / b) + floor(a * b)


def q_root(a: Any, b: Any) -> Any:
    return sqrt(a * b) + sqrt(a**2)


def q_powers(a: Any, b: Any) -> Any:
    return a**3 * b**-2 + 2**a + a**b


def q_fraction(a: Any) -> Any:
    return Fraction(1, 3) * a + a / 7


def q_constant(a: Any) -> Any:  # noqa: ARG001
    return 12


def q_guards(a: Any, b: Any) -> Any:
    if a > b:
        return a
    if a == b:
        return 7
    return 2 * b


def q_decided(a: Any, m: Any) -> Any:
    if a > -1 and m * m >= 0:
        return a
    return m


A, B, M = (sympy.Symbol(name, positive=True) for name in "abm")


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (q_functions, sympy.Max(A, B) * sympy.Min(A, B, M) + 2 * A + B),
        (q_rounding, sympy.ceiling(A / B) + sympy.floor(A * B)),
        (q_root, sympy.sqrt(A * B) + A),
        (q_powers, A**3 / B**2 + 2**A + A**B),
        (q_fraction, A * sympy.Rational(10, 21)),
        (q_constant, sympy.Integer(12)),
        (q_decided, A),  # for positive symbols both comparisons hold
    ],
)
def test_a_formula_over_symbols(formula: Formula, expected: sympy.Expr) -> None:
    made = derivation()
    made.step()(formula)
    found = Algebra(made).step(formula.__name__)
    assert found == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"), [(5, 3, 5), (3, 3, 7), (2, 3, 6), (Fraction(31, 10), 3, Fraction(31, 10))]
)
def test_a_conditional_over_symbols(a: Fraction, b: Fraction, expected: Fraction) -> None:
    made = derivation()
    made.step()(q_guards)
    found = Algebra(made).step("q_guards")
    assert found.xreplace({A: rational(Fraction(a)), B: rational(Fraction(b))}) == rational(Fraction(expected))


# -- text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("F/t_comp", "F/t_comp"),
        ("t - 10 ms", "t - 1/100"),
        ("2 GB/s * 3 - beta", "6000000000 - beta"),
        ("max(t_comp, t_mem)", "max(t_comp, t_mem)"),
        ("sqrt(m)*k", "sqrt(m)*k"),
        ("-m^2 + 1/3", "1/3 - m^2"),
        ("50 % * m", "m/2"),
        ("7", "7"),
    ],
)
def test_text_over_the_symbols(text: str, written: str) -> None:
    algebra = Algebra(GEMM)
    assert algebra.writer.text(algebra.expression(GEMM.expression(text))) == written


def test_numbers_may_keep_their_units() -> None:
    algebra = Algebra(GEMM)
    kept = algebra.expression(GEMM.expression("3*(t - 10 ms) + 0 s"), keep_units=True)
    assert sympy.expand(kept) == 3 * algebra.symbol("t") - 3 * sympy.Symbol("(10 ms)", positive=True)
    assert algebra.literals == {sympy.Symbol("(10 ms)", positive=True): sympy.Rational(1, 100)}
    assert algebra.writer.latex(algebra.symbol("t") / sympy.Symbol("(10 ms)", positive=True)) == (
        r"\frac{t}{10\,\mathrm{ms}}"
    )


# -- facts


@pytest.mark.parametrize(
    ("of", "grows", "expected"),
    [
        ("AI", "m", "c*k*n/(s*(k + n))"),
        ("AI", "k", "c*m*n/(s*(m + n))"),
        ("AI", "s", "0"),
        ("share_kn", "m", "0"),
        ("share_mn", "m", "n/(k + n)"),
        ("t_sum", "beta", "t_comp"),
        ("B_kn", "m", "B_kn"),
        ("F", "m", "oo"),
        ("I", "P", "oo"),
    ],
)
def test_a_limit(of: str, grows: str, expected: str) -> None:
    algebra = Algebra(GEMM)
    assert algebra.writer.text(algebra.limit(Limit(of, grows, ""))) == expected


@pytest.mark.parametrize(
    ("of", "grows", "slope", "sign"),
    [
        ("AI", "m", "c*k^2*n^2/(s*(m*k + m*n + k*n)^2)", 1),
        ("AI", "k", "c*m^2*n^2/(s*(m*k + m*n + k*n)^2)", 1),
        ("F", "m", "c*k*n", 1),
        ("share_kn", "m", "-B_kn*(k + n)/(s*(m*k + m*n + k*n)^2)", -1),
        ("t_sum", "beta", "-B/beta^2", -1),
        ("I", "P", "1/beta", 1),
        ("B_kn", "m", "0", 0),
    ],
)
def test_a_trend(of: str, grows: str, slope: str, sign: int) -> None:
    algebra = Algebra(GEMM)
    found = algebra.derivative(Trend(of, grows, ""))
    assert (algebra.writer.text(found[0]), found[1]) == (slope, sign)


def test_a_trend_that_turns_has_no_one_sign() -> None:
    made = derivation()

    @made.step()
    def q(a: Any, b: Any) -> Any:
        return a / (a + b) - a * b

    slope, sign = Algebra(made).derivative(Trend("q", "a", ""))
    assert sign is None
    difference = slope - (B / (A + B) ** 2 - B)
    assert sympy.simplify(difference) == 0


@pytest.mark.parametrize("fact", [("zz", "m"), ("AI", "zz"), ("m_star", "m")])
def test_a_fact_about_what_is_not_there(fact: tuple[str, str]) -> None:
    algebra = Algebra(GEMM)
    with pytest.raises(UnknownNameError, match=r"^unknown quantity '(zz|m_star)' in gemm\n"):
        algebra.limit(Limit(*fact, ""))
    with pytest.raises(UnknownNameError, match=r"^unknown quantity '(zz|m_star)' in gemm\n"):
        algebra.derivative(Trend(*fact, ""))


# -- what has no algebra


def q_label(a: Any, b: Any) -> Any:
    return "more" if a > b else "less"


def q_pair(a: Any) -> Any:
    return object() if a > 1 else a


def q_float(a: Any) -> Any:
    return math.sqrt(a)


@pytest.mark.parametrize(
    ("formula", "kind", "text"),
    [
        (q_label, RefusedValueError, "q_label is a label, not a number\nuse the quantities it compares"),
        (q_pair, AuthoringError, "step q_pair returns something that is no number\nreturn a quantity"),
        (
            q_float,
            InexactError,
            "step q_float: the formula makes a float of its parameter (float(...), math.sqrt ...)\n"
            "use the functions of symroof: sqrt, ceil, floor, largest, smallest, total",
        ),
    ],
)
def test_a_formula_without_algebra(formula: Formula, kind: type[SymroofError], text: str) -> None:
    made = derivation()
    made.step()(formula)
    with pytest.raises(SymroofError) as caught:
        Algebra(made).step(formula.__name__)
    assert type(caught.value) is kind
    assert str(caught.value) == text
