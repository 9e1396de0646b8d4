"""Exact evaluation, algebra and sweep are siblings that share no code: they must give the same numbers."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symroof import Derivation, ceil, floor, largest, load, smallest, sqrt, total
from symroof.algebra import Algebra, rational
from symroof.dimensions import is_label
from symroof.errors import RefusedValueError
from symroof.evaluate import Solution
from symroof.numerals import Exact
from symroof.settings import Settings
from symroof.sweeps import sweep
from symroof.units import base_magnitude, quantity

pytestmark = pytest.mark.slow

RELATIVE = 1e-12

# The same examples on every run; more of them find nothing new here.


@functools.cache
def algebra_of(derivation: Derivation) -> Algebra:
    return Algebra(derivation)


@functools.cache
def composed(derivation: Derivation, name: str) -> sympy.Expr:
    """A step over the givens alone."""
    algebra = algebra_of(derivation)
    return algebra.composed(algebra.symbol(name))


def at(expression: sympy.Expr, values: Mapping[str, Exact]) -> sympy.Expr:
    return expression.xreplace({symbol: rational(values[symbol.name]) for symbol in expression.free_symbols})


def same(found: sympy.Expr, value: Exact) -> bool:
    difference = found - rational(value)
    return bool(difference == 0 or sympy.simplify(difference) == 0)


def agree(derivation: Derivation, point: Mapping[str, Any]) -> None:
    """All steps and labels, with the steps' formulas over their parameters and over the givens alone."""
    swept = {column.name: column for column in sweep(Settings(derivation, point), {}, derivation.quantities)}
    solution = Solution(Settings(derivation, point))
    labels = [name for name in derivation.quantities if is_label(derivation, name)]
    for name in labels:
        assert swept[name].values[0] == solution[name]
    values = {name: solution.number(name) for name in derivation.quantities if name not in labels}
    for name in derivation.steps:
        if name in labels:
            continue
        value = values[name]
        assert same(at(algebra_of(derivation).step(name), values), value), name
        assert same(at(composed(derivation, name), values), value), name
        expected = float(value / base_magnitude(quantity(1, derivation.unit_of(name))))
        assert swept[name].values[0] == pytest.approx(expected, rel=RELATIVE, abs=0), name


counts = st.integers(1, 10**6)
small = st.integers(1, 40)
sizes = st.builds(Fraction, st.integers(1, 10**9), st.integers(1, 10**6))

GEMM = load("gemm")


@settings(max_examples=25)
@given(m=counts, k=counts, n=counts, c=sizes, P=sizes, beta=sizes, s=sizes)
def test_gemm(**values: Any) -> None:
    agree(GEMM, values)


def branches() -> Derivation:
    """Every way in which a formula may branch."""
    made = Derivation("branches")
    for name in "abm":
        made.given(name, count=True)

    @made.step()
    def guard(a: Any, b: Any) -> Any:
        if a > b:
            return a
        return 10 * b

    @made.step()
    def chain(a: Any, b: Any, m: Any) -> Any:
        if a > 2 * b:
            return a + m
        elif a == b:  # noqa: RET505
            return 1000 * m
        elif a >= m:
            return a * b
        else:
            return b / m

    @made.step()
    def conditions(a: Any, b: Any, m: Any) -> Any:
        if a > b and m < b:
            return 1
        if a > 20 or (b <= 5 and not m < 10):
            return a / b
        return 3 * m if a != b else 7 * m

    @made.step()
    def nested(a: Any, b: Any, m: Any) -> Any:
        if a > 10:
            if b > 10 or m > 20:
                return a * b * m
            return a - b
        else:  # noqa: RET505
            half = m / 2
            if half > a:
                return half
        return -half

    @made.step()
    def inside(a: Any, b: Any, m: Any) -> Any:
        return 2 * (a if a > b else b + 1) - (m if m > 20 else 100 * (a if m > a else b))

    @made.step()
    def of_steps(guard: Any, chain: Any) -> Any:
        return max(guard, chain) if guard > 100 else min(guard, chain, 50)

    @made.step()
    def assigned(a: Any, b: Any) -> Any:
        low, high = (a, b) if a < b else (b, a)
        return high * high - low

    @made.step()
    def word(a: Any, b: Any) -> Any:
        if a > b:
            return "more"
        return "same" if a == b else "less"

    @made.step()
    def constant(a: Any) -> Any:  # noqa: ARG001
        return 12

    made.binding("leads", guard="guard leads", chain="chain leads", a="a leads")
    return made


BRANCHES = branches()


@settings(max_examples=25)
@given(a=small, b=small, m=small)
def test_branches(**values: Any) -> None:
    agree(BRANCHES, values)


def functions() -> Derivation:
    """Every function, nested, and powers, with units."""
    made = Derivation("functions")
    for name in "mk":
        made.given(name, count=True)
    made.given("x", unit="KiB")
    made.given("y", unit="byte")
    made.given("q")

    @made.step(unit="byte")
    def nested(x: Any, y: Any, q: Any) -> Any:
        return largest(x, smallest(3 * y, q * x, largest(x / 2, y)), y / 7)

    @made.step()
    def tiles(m: Any, k: Any) -> Any:
        return ceil(m / 128) * ceil(k / 16) + floor(m / k) - ceil(k / m) * floor(m * k / 3)

    @made.step(unit="kB")
    def diagonal(x: Any, y: Any) -> Any:
        return sqrt(x * x + y * y) + total(x, y, x)

    @made.step()
    def roots(q: Any, m: Any) -> Any:
        return sqrt(q) * sqrt(m) / sqrt(q * m) + sqrt(sqrt(m**4) / m) + ceil(sqrt(m)) + floor(sqrt(2 * m))

    @made.step(unit="byte^3")
    def powers(x: Any, y: Any) -> Any:
        return x**3 + y**2 * x - (x + y) ** 3 / 2

    @made.step(unit="1/byte^2")
    def inverse(x: Any, y: Any) -> Any:
        return x**-2 + (x * y) ** -1

    @made.step()
    def varying(k: Any, q: Any) -> Any:
        return q**k + 2**k

    @made.step()
    def remainders(m: Any, k: Any) -> Any:
        return m % k + m // k + abs(m - 7 * k)

    @made.step(unit="byte")
    def signs(x: Any, y: Any) -> Any:
        return -x - -y + abs(x - y) + (-x) * (-1)

    @made.step()
    def rounds_up_to(m: Any, tiles: Any) -> Any:
        return ceil(largest(m, tiles) / 8) * 8 if tiles > m else floor(smallest(m, tiles))

    @made.step()
    def third(m: Any) -> Any:
        return Fraction(1, 3) * m + m / 3

    return made


FUNCTIONS = functions()


@settings(max_examples=25)
@given(
    m=st.integers(1, 3000), k=small, x=sizes, y=sizes, q=st.integers(1, 500).map(lambda eighths: Fraction(eighths, 8))
)
def test_functions(**values: Any) -> None:
    agree(FUNCTIONS, values)


def signs() -> Derivation:
    """Steps that can be zero or negative, which symbols of givens cannot be."""
    made = Derivation("signs")
    made.given("a")
    made.given("b")
    made.given("w", default=0)

    @made.step()
    def gap(a: Any, b: Any) -> Any:
        return a - b

    @made.step()
    def above(gap: Any) -> Any:
        return largest(gap, 0)

    @made.step()
    def size(gap: Any, w: Any) -> Any:
        return abs(gap) + sqrt(gap**2) + w

    @made.step()
    def chosen(gap: Any, w: Any) -> Any:
        if gap > 0:
            return gap
        return 7 if gap == 0 else w - gap

    return made


SIGNS = signs()


@pytest.mark.parametrize(("a", "b", "w"), [(5, 2, 0), (2, 5, 0), (3, 3, 0), (1, 9, 4)])
def test_signs(a: int, b: int, w: int) -> None:
    agree(SIGNS, {"a": a, "b": b, "w": w})
    assert SIGNS.at(a=a, b=b, w=w).number("above") == max(a - b, 0)


def test_a_sweep_takes_each_point_its_own_way() -> None:
    """Over many points at once each branch is worked out for all of them and picked point by point."""
    over = {"a": range(1, 31), "b": [1, 3, 10, 11, 12, 20], "m": [1, 9, 10, 19, 20, 21, 40]}
    columns = {column.name: column.values for column in sweep(Settings(BRANCHES), over, BRANCHES.quantities)}
    solution_at = {
        (a, b, m): Solution(Settings(BRANCHES, {"a": a, "b": b, "m": m}))
        for a in over["a"]
        for b in over["b"]
        for m in over["m"]
        if (a * 7 + b * 3 + m) % 5 == 0  # a fifth of them
    }
    assert len(columns["a"]) == 30 * 6 * 7
    for row, point in enumerate(zip(columns["a"], columns["b"], columns["m"], strict=True)):
        if point not in solution_at:
            continue
        solution = solution_at[point]
        for name in [*BRANCHES.steps, *BRANCHES.bindings]:
            found = columns[name][row]
            if is_label(BRANCHES, name):
                assert found == solution[name]
            else:
                assert found == pytest.approx(float(solution.number(name)), rel=RELATIVE)


# -- random formulas

NAMES = st.sampled_from("abc")
NUMERALS = st.sampled_from(["1", "2", "3", "7"])


def larger(smaller: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Python's text for a formula over smaller ones; a number alone is never divided by a number."""
    return st.one_of(
        st.builds("({} {} {})".format, smaller, st.sampled_from("+-*/"), smaller),
        st.builds("({} {} {})".format, smaller, st.sampled_from("+-*/"), NUMERALS),
        st.builds("({} {} {})".format, NUMERALS, st.sampled_from("+-*/"), smaller),
        st.builds("({}**{})".format, smaller, st.sampled_from(["2", "3", "(-1)"])),
        st.builds("(-{})".format, smaller),
        st.builds("{}({}, {})".format, st.sampled_from(["largest", "smallest", "total"]), smaller, smaller),
        st.builds("{}({})".format, st.sampled_from(["ceil", "floor", "abs"]), smaller),
        st.builds(
            "({} if {} {} {} else {})".format, smaller, smaller, st.sampled_from([">", "<=", "=="]), NAMES, smaller
        ),
    )


FORMULAS = st.recursive(NAMES, larger, max_leaves=6)
DISCONTINUOUS = ("ceil", "floor", " if ")


@settings(max_examples=100)
@given(body=FORMULAS, a=st.integers(1, 9), b=st.integers(1, 9), c=st.integers(1, 9))
def test_random_formulas(body: str, a: int, b: int, c: int) -> None:
    names: dict[str, Any] = {"largest": largest, "smallest": smallest, "total": total, "ceil": ceil, "floor": floor}
    exec(f"def q(a, b, c): return {body}", names)
    made = Derivation("random")
    for name in "abc":
        made.given(name)
    made.step()(names["q"])
    point: dict[str, Any] = {"a": Fraction(a, 2), "b": Fraction(b), "c": Fraction(c, 4)}
    try:
        value = made.at(**point).number("q")
    except RefusedValueError:
        assume(False)  # it divides by zero there
    assert at(Algebra(made).step("q"), point) == rational(value)
    if not any(part in body for part in DISCONTINUOUS):
        (column,) = sweep(Settings(made, point), {}, ["q"])
        assert column.values[0] == pytest.approx(float(value), rel=1e-9, abs=1e-9)
