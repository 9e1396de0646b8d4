"""Closed forms and their conditions: each condition is true exactly where its root is positive and on its branch."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy

from symroof.equation import Branch, Condition, split
from symroof.forms import Writer
from symroof.numerals import Exact
from symroof.roots import Candidate, candidates, proves, slope_sign
from symroof.signs import compare, sign_at

pytestmark = pytest.mark.slow

x, a, b, c, d = sympy.symbols("x a b c d", positive=True)
g, h = sympy.symbols("g h", real=True)
WRITER = Writer("abcdghx", {})


def branch(difference: sympy.Expr, *conditions: Condition) -> Branch:
    return Branch(difference, conditions)


def shown(candidate: Candidate) -> tuple[str | None, str | None]:
    """The closed form and the conditions as text."""
    form = None if candidate.closed_form is None else WRITER.text(candidate.closed_form)
    if candidate.conditions is None:
        return form, None
    return form, " and ".join(WRITER.relation_text(one.left, one.operator, one.right) for one in candidate.conditions)


@pytest.mark.parametrize(
    ("difference", "expected"),
    [
        # lines
        (a * x - b, [("b/a", "")]),
        (a * x + b, []),
        (a * x - b * x - c, [("c/(a - b)", "a > b")]),
        (a * x - b + c, [("(b - c)/a", "b > c")]),
        ((a - b) * x - c + d, [("(c - d)/(a - b)", "(c - d)/(a - b) > 0")]),
        (a / x - b, [("a/b", "")]),
        (a / (x + b) - c, [("(a - b*c)/c", "a > b*c")]),
        (a * x, []),
        (a - b, []),
        # powers
        (a * x**2 - b, [("sqrt(b/a)", "")]),
        (a * x**3 - b, [("(b/a)^(1/3)", "")]),
        (a * x**4 - b + c, [("((b - c)/a)^(1/4)", "b > c")]),
        (a / x**2 - b, [("sqrt(a/b)", "")]),
        # quadratics
        (a * x**2 + b * x - c, [("(sqrt(4*a*c + b^2) - b)/(2*a)", "")]),
        (
            a * x**2 - b * x + c,
            [("(b - sqrt(b^2 - 4*a*c))/(2*a)", "b^2 >= 4*a*c"), ("(sqrt(b^2 - 4*a*c) + b)/(2*a)", "b^2 >= 4*a*c")],
        ),
        (a * x**2 + b * x + c, []),
        # roots of the unknown
        (a * sympy.sqrt(x) - b, [("b^2/a^2", "")]),
        (a * sympy.sqrt(x) - b + c, [("((b - c)/a)^2", "b > c")]),
        (a * sympy.sqrt(x) + b * x - c, [("((sqrt(a^2 + 4*b*c) - a)/(2*b))^2", "")]),
        (a * x ** sympy.Rational(3, 2) - b, [("(b/a)^(2/3)", "")]),
        # no closed form, but one root by the signs of the terms
        (a * x**3 + b * x - c, [(None, "")]),
        (a * x**3 + b * x + c, []),
        (a * x**3 - b * x + c, [(None, None)]),
        (sympy.sqrt(x + a) - b * x, [(None, None)]),
    ],
)
def test_closed_forms(difference: sympy.Expr, expected: list[tuple[str | None, str | None]]) -> None:
    assert [shown(candidate) for candidate in candidates(branch(difference), x)] == expected


def test_what_follows_from_another_condition_is_left_out() -> None:
    on_branch = Condition(x, ">=", 2 * c)  # x = a - b, so that a > b + 2 c, which has a > b in it
    (candidate,) = candidates(branch(x - a + b, on_branch), x)
    assert shown(candidate) == ("a - b", "a >= b + 2*c")


def test_a_branch_that_never_holds_at_the_root_has_none() -> None:
    assert candidates(branch(x - a, Condition(x, "<", sympy.Integer(0))), x) == []
    assert candidates(branch(x - a, Condition(x + a, "<=", x)), x) == []
    (kept,) = candidates(branch(x - a, Condition(x + b, ">", x)), x)
    assert shown(kept) == ("a", "")


def test_closed_forms_that_say_nothing_are_not_given() -> None:
    many = sum(sympy.Symbol(f"q{at}", positive=True) for at in range(300))
    assert [shown(one) for one in candidates(branch(x - many), x)] == [(None, "")]
    deep = sum(sympy.sqrt(a + at * b) for at in range(1, 20))
    assert [shown(one) for one in candidates(branch(x - deep), x)] == [(None, "")]


EQUATIONS = {
    "line": (a - b) * x - c + d,
    "hyperbola": a / (x + b) - c + d * x / (x + b),
    "quadratic": a * x**2 - b * x + c - d,
    "quadratic of any sign": g * x**2 + h * x + a - b,
    "root": (a - b) * sympy.sqrt(x) - c + d,
    "root and line": a * x - b * sympy.sqrt(x) + c - d,
    "max": sympy.Max(a * x, b) + c * x - d,
    "max of three": sympy.Max(a * x, b, c / x) - d,
    "min of max": sympy.Min(sympy.Max(a * x, b), c * x + 1) - d,
    "square of max": x * sympy.Max(x, a) - b,
    "conditional": sympy.Piecewise((a * x, x <= b), (c * x + 1, True)) - d,
    "size": sympy.Abs(x - a) + b * x - c,
}


def draw(rng: random.Random) -> dict[sympy.Symbol, Fraction]:
    values = {symbol: Fraction(rng.randint(1, 9), rng.randint(1, 4)) for symbol in (a, b, c, d)}
    return values | {symbol: Fraction(rng.choice([-5, -3, -2, -1, 1, 2, 3, 7]), rng.randint(1, 4)) for symbol in (g, h)}


def value_at(expression: sympy.Expr, values: Mapping[sympy.Symbol, Fraction]) -> sympy.Expr:
    return expression.xreplace({symbol: sympy.Rational(*value.as_integer_ratio()) for symbol, value in values.items()})


def roots_of(one: Branch, values: Mapping[sympy.Symbol, Fraction]) -> list[Exact]:
    """The positive roots on a branch at the values, from a polynomial with numbers as coefficients."""
    numerator = sympy.together(value_at(one.difference, values)).as_numer_denom()[0]
    in_root = sympy.Poly(numerator.subs(x, x**2), x)  # a square root of x becomes x
    found = [root**2 for root in sympy.real_roots(in_root) if root > 0] if in_root.degree() > 0 else []
    return [exactly(root) for root in dict.fromkeys(found) if one.holds({**values, x: exactly(root)})]


@pytest.mark.parametrize("name", EQUATIONS)
def test_a_condition_holds_exactly_where_its_root_is_one(name: str) -> None:
    """For random givens."""
    rng = random.Random(name)
    named = {one: candidates(one, x) for one in split(EQUATIONS[name])}
    seen = set()
    for _ in range(40):
        values = draw(rng)
        for one, forms in named.items():
            roots, found = roots_of(one, values), []
            for candidate in forms:
                assert candidate.closed_form is not None
                assert candidate.conditions is not None
                holds = all(condition.holds(values) for condition in candidate.conditions)
                seen.add(holds)
                if holds:
                    found.append(exactly(value_at(candidate.closed_form, values)))
            assert all(any(compare(one, root) == 0 for root in roots) for one in found), values
            assert all(any(compare(one, root) == 0 for one in found) for root in roots), values
    assert seen == {True, False}


def exactly(number: sympy.Expr) -> Exact:
    return Fraction(int(number.p), int(number.q)) if number.is_Rational else number


@pytest.mark.parametrize("name", EQUATIONS)
def test_every_closed_form_is_proved_and_no_other(name: str) -> None:
    for one in split(EQUATIONS[name]):
        for candidate in candidates(one, x):
            form = candidate.closed_form
            assert form is not None
            assert proves(candidate, x)
            for wrong in (2 * form, form + 1, 1 / form, form * a):
                assert not proves(replace(candidate, closed_form=wrong), x)


@pytest.mark.parametrize(
    ("difference", "expected"),
    [
        (a * x - b, 1),
        (a / x - b, -1),
        (a * x - b * x - c, 1),  # since the root needs a > b
        (b - a * x, -1),
        (a * x - b / x, 1),
        (a * x**2 - b * x + c, None),
        (a * sympy.ceiling(x) - b + x, None),
    ],
)
def test_the_sign_of_the_slope_where_it_is_evident(difference: sympy.Expr, expected: int | None) -> None:
    assert {slope_sign(candidate, x) for candidate in candidates(branch(difference), x)} == {expected}


def test_branches_of_a_conditional_exclude_each_other() -> None:
    """SymPy leaves out of a case what the cases before it imply."""
    cases = sympy.Piecewise((a, x <= 5), (b, x <= 9), (c, True))
    for point in (1, 5, 7, 9, 11):
        values = {x: Fraction(point), a: Fraction(1), b: Fraction(2), c: Fraction(3)}
        assert sum(one.holds(values) for one in split(cases)) == 1
    # Cases of one value are merged by SymPy into one with `or`.
    merged = sympy.Piecewise((a, x <= 5), (a, x > 9), (b, True))
    for point, expected in ((4, a), (5, a), (7, b), (9, b), (10, a)):
        values = {x: Fraction(point), a: Fraction(1), b: Fraction(2)}
        assert {one.difference for one in split(merged) if one.holds(values)} == {expected}


def test_remainders_and_sizes_are_split() -> None:
    for one in split(sympy.Mod(x, 3) - 1):
        assert [sign_at(one.difference, {x: Fraction(point)}) for point in (1, 2, 3, 4)] == [0, 1, -1, 0]
    assert [shown_branch(one) for one in split(sympy.Abs(a - x))] == [("a - x", "a - x >= 0"), ("x - a", "a - x < 0")]


def shown_branch(one: Branch) -> tuple[str, str]:
    conditions = (WRITER.relation_text(each.left, each.operator, each.right) for each in one.conditions)
    return WRITER.text(one.difference), " and ".join(conditions)
