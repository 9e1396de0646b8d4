"""What moves the answer: elasticities by hand, against exact secants, and against the laws they obey."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given as drawn
from hypothesis import settings as run
from hypothesis import strategies as st

from symroof import Derivation, ceil, floor, largest, load, next_divisor, smallest, sqrt, total
from symroof.algebra import Algebra
from symroof.errors import (
    MissingGivenError,
    RefusedValueError,
    SymroofError,
    UnitError,
    UnknownNameError,
)
from symroof.evaluate import Solution
from symroof.numerals import Exact
from symroof.sensitivity import Sensitivity, sensitivity
from symroof.settings import Settings
from symroof.units import REGISTRY, Dimension, quantity

pytestmark = pytest.mark.slow

GEMM = load("gemm")
COMPUTE, MEMORY = {"m": 8192}, {"m": 128}
TIE = {"m": 18720, "k": 18720, "n": 18720, "P": "312 TFLOP/s", "beta": "50 GB/s", "s": "2 byte"}  # t_comp = t_mem


def of(derivation: Derivation, name: str, **values: Any) -> Sensitivity:
    return sensitivity(Settings(derivation, values), name)


def values_of(found: Sensitivity) -> dict[str, Exact]:
    return {one.given: one.value for one in found.elasticities}


def below_of(found: Sensitivity) -> dict[str, Exact]:
    """The elasticities for less of each given."""
    return {one.given: one.value if one.below is None else one.below for one in found.elasticities}


def forms_of(derivation: Derivation, found: Sensitivity) -> dict[str, str | None]:
    writer = Algebra(derivation).writer
    return {one.given: None if one.closed_form is None else writer.text(one.closed_form) for one in found.elasticities}


def made(formulas: Sequence[Callable[..., Any]], **givens: Any) -> Derivation:
    """A derivation of plain numbers: these givens with their defaults, these formulas in order."""
    derivation = Derivation("made")
    for name, default in givens.items():
        derivation.given(name, default=default)
    for formula in formulas:
        derivation.step()(formula)
    return derivation


def secant(at: Solution, name: str, given: str, share: Fraction) -> Fraction:
    """By how many times the share by which the given grows the quantity grows, by exact evaluation alone."""
    value = at[given]
    assert isinstance(value, REGISTRY.Quantity)
    moved = at.settings.at_point(given, quantity(value.magnitude * (1 + share), value.units))
    before, after = at.number(name), Solution(moved).number(name)
    assert isinstance(before, Fraction)
    assert isinstance(after, Fraction)
    return (after - before) / before / share


SMALL = Fraction(1, 10**6)


def refuse_unless_closed_in_on(settings: Settings, name: str, found: Sensitivity) -> None:
    """Each elasticity is what the secants tend to: they close in on it as fast as their steps shrink."""
    at = Solution(settings)
    for one in found.elasticities:
        for slope, side in ((one.value, 1), (one.value if one.below is None else one.below, -1)):
            assert isinstance(slope, Fraction)
            wide, narrow = (abs(secant(at, name, one.given, side * step) - slope) for step in (SMALL, SMALL / 10**4))
            assert wide <= Fraction(1, 1000), (name, one)
            assert narrow <= wide / 9999, (name, one)


# -- gemm


def test_compute_bound_time() -> None:
    found = of(GEMM, "t", **COMPUTE)
    ones, zeros = ["m", "k", "n", "c"], ["beta", "s", "eta_beta"]
    expected = dict.fromkeys(ones, 1) | {"P": -1, "eta_P": -1} | dict.fromkeys(zeros, 0)
    assert values_of(found) == expected
    assert [one.given for one in found.elasticities] == list(expected)
    assert forms_of(GEMM, found) == {name: str(value) for name, value in expected.items()}
    assert found.binding == (("t", "t_comp"),)
    assert (found.quantity, found.one_sided, found.notes) == ("t", False, ())
    assert all(isinstance(one.value, Fraction) and one.below is None for one in found.elasticities)


def test_memory_bound_time() -> None:
    m, k, n = 128, 512, 2**20
    moved = m * k + k * n + m * n
    found = of(GEMM, "t", **MEMORY)
    assert values_of(found) == {
        "m": Fraction(m * k + m * n, moved),
        "k": Fraction(m * k + k * n, moved),
        "n": Fraction(k * n + m * n, moved),
        "beta": -1,
        "eta_beta": -1,
        "s": 1,
        "P": 0,
        "eta_P": 0,
        "c": 0,
    }
    assert values_of(found)["m"] == Fraction(2049, 10241)
    assert [one.given for one in found.elasticities] == ["beta", "s", "eta_beta", "n", "k", "m", "c", "P", "eta_P"]
    assert forms_of(GEMM, found) == {
        "m": "m*(k + n)/(m*k + m*n + k*n)",
        "k": "k*(m + n)/(m*k + m*n + k*n)",
        "n": "n*(m + k)/(m*k + m*n + k*n)",
        "beta": "-1",
        "eta_beta": "-1",
        "s": "1",
        "P": "0",
        "eta_P": "0",
        "c": "0",
    }
    assert found.binding == (("t", "t_mem"),)


def test_a_sum_is_shared_between_its_terms() -> None:
    found = of(GEMM, "t_sum", **COMPUTE)
    compute, memory = (Solution(Settings(GEMM, COMPUTE)).number(name) for name in ("t_comp", "t_mem"))
    assert isinstance(compute, Fraction)
    assert isinstance(memory, Fraction)
    values, forms = values_of(found), forms_of(GEMM, found)
    assert values["c"] == compute / (compute + memory) == Fraction(16384, 23209)
    assert values["P"] == -values["c"]
    assert values["s"] == memory / (compute + memory)
    assert (forms["c"], forms["P"], forms["beta"]) == ("t_comp/t_sum", "-t_comp/t_sum", "-t_mem/t_sum")
    assert found.binding == ()


def test_a_sum_of_products_is_gathered() -> None:
    """In y = a p + b q all of y goes with x, and a p/y of it with a: no two ways to write one share."""

    def p(x: Any, u: Any) -> Any:
        return 2 * x * u

    def q(x: Any, v: Any) -> Any:
        return x / v

    def y(a: Any, p: Any, b: Any, q: Any) -> Any:
        return a * p + b * q

    derivation = made([p, q, y], x=2, u=3, v=5, a=7, b=11)
    found = of(derivation, "y")
    forms = forms_of(derivation, found)
    assert forms == {"x": "1", "a": "p*a/y", "u": "p*a/y", "b": "q*b/y", "v": "-q*b/y"}
    assert values_of(found)["u"] == Fraction(7 * 12, 7 * 12 + 11 * 2 / Fraction(5))


def test_what_is_in_every_term_of_a_sum_is_no_share() -> None:
    def p(a: Any, b: Any) -> Any:
        return a * b

    def q(a: Any, c: Any) -> Any:
        return 3 * a / c

    def y(p: Any, q: Any) -> Any:
        return p + q

    def z(y: Any, p: Any, q: Any, a: Any) -> Any:
        return y * (p + q) * a

    derivation = made([p, q, y, z], a=2, b=3, c=4)
    assert forms_of(derivation, of(derivation, "y")) == {"a": "1", "b": "p/y", "c": "-q/y"}
    assert values_of(of(derivation, "z")) == {"a": 3, "b": Fraction(8, 5), "c": Fraction(-2, 5)}
    assert forms_of(derivation, of(derivation, "z"))["a"] == "3"


def test_a_negative_closed_form_has_its_sign_in_front() -> None:
    found = of(GEMM, "share_mk", **COMPUTE)
    assert forms_of(GEMM, found) == {
        "n": "-n*(m + k)/(m*k + m*n + k*n)",
        "k": "m*n/(m*k + m*n + k*n)",
        "m": "k*n/(m*k + m*n + k*n)",
        "s": "0",
    }


def test_the_term_that_binds_is_written_as_it_stands() -> None:
    assert of(GEMM, "R", **COMPUTE).binding == (("R", "P"),)
    assert of(GEMM, "R", **MEMORY).binding == (("R", "AI*beta"),)
    assert values_of(of(GEMM, "R", **MEMORY))["beta"] == 1


@pytest.mark.parametrize("m", [128, 8192])
@pytest.mark.parametrize("name", list(GEMM.steps))
def test_secants_close_in_on_every_elasticity(name: str, m: int) -> None:
    case = Settings(GEMM, {"m": m})
    refuse_unless_closed_in_on(case, name, sensitivity(case, name))


@pytest.mark.parametrize("m", [2, 8192])
@pytest.mark.parametrize("name", list(GEMM.steps))
def test_a_change_of_units_changes_nothing(name: str, m: int) -> None:
    """Whatever scales bytes, FLOP or seconds scales the quantity by its own power of them."""
    values = values_of(of(GEMM, name, m=m))
    for base in ("[information]", "[operation]", "[time]"):
        powers = {given: Dimension.of(GEMM.unit_of(given)).powers.get(base, 0) for given in values}
        expected = Dimension.of(GEMM.unit_of(name)).powers.get(base, 0)
        assert sum(values[given] * power for given, power in powers.items()) == expected


@pytest.mark.parametrize(
    ("name", "degree"),
    [("F", 3), ("B", 2), ("B_mk", 2), ("share_kn", 0), ("AI", 1), ("I", 0), ("t_comp", 3), ("t_mem", 2)],
)
def test_the_degree_of_a_homogeneous_quantity(name: str, degree: int) -> None:
    """Euler: for a quantity of degree d in m, k and n their elasticities add up to d."""
    values = values_of(of(GEMM, name, m=77, k=301, n=1009))
    assert sum(values.get(size, Fraction(0)) for size in "mkn") == degree


def test_closed_forms_are_right_elsewhere_on_their_branch() -> None:
    point, other = Settings(GEMM, MEMORY), Settings(GEMM, {"m": 97, "k": 555, "n": 4001, "beta": "1 TB/s"})
    elsewhere = Solution(other)
    for name in GEMM.steps:
        expected = values_of(sensitivity(other, name))
        for one in sensitivity(point, name).elasticities:
            assert one.closed_form is not None, (name, one.given)
            numbers = {symbol: _sympy(elsewhere.number(symbol.name)) for symbol in one.closed_form.free_symbols}
            assert one.closed_form.xreplace(numbers) == _sympy(expected[one.given]), (name, one.given)


def _sympy(number: Exact) -> sympy.Expr:
    return sympy.Rational(number.numerator, number.denominator) if isinstance(number, Fraction) else number


# -- ties of max and min


def test_a_tie_has_two_sides() -> None:
    solution = Solution(Settings(GEMM, TIE))
    assert solution.number("t_comp") == solution.number("t_mem")
    found = of(GEMM, "t", **TIE)
    # More m, k, n or c makes it compute-bound, less memory-bound; of P and beta less of either is what matters.
    rates = ["P", "beta", "eta_P", "eta_beta"]
    assert values_of(found) == dict.fromkeys("mkncs", 1) | dict.fromkeys(rates, 0)
    assert below_of(found) == dict.fromkeys("mkn", Fraction(2, 3)) | {"c": 0, "s": 0} | dict.fromkeys(rates, -1)
    assert {one.closed_form for one in found.elasticities} == {None}
    assert found.one_sided
    assert found.notes == ("t: t_comp = t_mem here, a tie: more and less of a given act differently",)
    assert found.binding == (("t", "t_comp"),)
    refuse_unless_closed_in_on(Settings(GEMM, TIE), "t", found)


def test_a_tie_beside_the_way_is_none_of_its_business() -> None:
    found = of(GEMM, "t_sum", **TIE)
    assert not found.one_sided
    assert found.notes == ()
    assert {one.below for one in found.elasticities} == {None}


def test_a_tie_of_terms_that_move_together_has_one_side() -> None:
    def one(x: Any) -> Any:
        return 2 * x

    def other(x: Any) -> Any:
        return x + x

    def y(one: Any, other: Any) -> Any:
        return largest(one, other)

    found = of(made([one, other, y], x=3), "y")
    assert values_of(found) == {"x": 1}
    assert (found.one_sided, found.binding) == (False, (("y", "one"),))


def test_the_two_sides_of_a_max_and_a_min_cancel() -> None:
    def y(a: Any, b: Any) -> Any:
        return largest(a, b) + smallest(a, b)

    found = of(made([y], a=2, b=2), "y")
    assert values_of(found) == below_of(found) == {"a": Fraction(1, 2), "b": Fraction(1, 2)}
    assert found.elasticities[0].closed_form is None  # that of one of the two branches would be 2a/y


def test_nested_max_and_min() -> None:
    def near(a: Any, b: Any) -> Any:
        return smallest(a, b)

    def y(near: Any, c: Any, d: Any) -> Any:
        return largest(near, smallest(c, d), 1)

    derivation = made([near, y], a=5, b=7, c=2, d=3)
    found = of(derivation, "y")
    assert values_of(found) == {"a": 1, "b": 0, "c": 0, "d": 0}
    assert found.binding == (("y", "near"), ("near", "a"))
    found = of(derivation, "y", c=30, d=20)
    assert values_of(found) == {"d": 1, "a": 0, "b": 0, "c": 0}
    assert found.binding == (("y", "min(c, d)"), ("y", "d"))  # what near chose does not matter
    found = of(derivation, "y", a="1/2", d="1/3")
    assert set(values_of(found).values()) == {0}
    assert found.binding == (("y", "1"),)
    assert [one.given for one in found.elasticities] == ["a", "b", "c", "d"]


def test_a_difference_may_be_negative() -> None:
    def gap(a: Any, b: Any) -> Any:
        return a - b

    def idle(gap: Any) -> Any:
        return largest(gap, 0) + 1

    def size(gap: Any) -> Any:
        return abs(gap)

    derivation = made([gap, idle, size], a=2, b=5)
    assert values_of(of(derivation, "gap")) == {"b": Fraction(5, 3), "a": Fraction(-2, 3)}
    assert of(derivation, "idle").binding == (("idle", "0"),)
    assert set(values_of(of(derivation, "idle")).values()) == {0}
    assert values_of(of(derivation, "size")) == {"b": Fraction(5, 3), "a": Fraction(-2, 3)}
    assert of(derivation, "size").binding == ()
    assert values_of(of(derivation, "size", a=7)) == {"a": Fraction(7, 2), "b": Fraction(-5, 2)}
    tie = of(derivation, "idle", a=5)
    assert (values_of(tie), below_of(tie)) == ({"a": 5, "b": 0}, {"a": 0, "b": -5})
    assert tie.notes == ("idle: gap = 0 here, a tie: more and less of a given act differently",)
    assert [one.given for one in tie.elasticities] == ["a", "b"]


SIZES = st.integers(1, 4)


@run(derandomize=True, max_examples=30, deadline=None)
@drawn(a=SIZES, b=SIZES, c=SIZES, d=SIZES)
def test_piecewise_linear_formulas_are_their_secants(a: int, b: int, c: int, d: int) -> None:
    """Near the point such a formula is a line on each side, so that a short secant is the slope itself."""

    def low(a: Any, b: Any, c: Any) -> Any:
        return smallest(a + b, 2 * c, 3 * a)

    def high(low: Any, b: Any, d: Any) -> Any:
        return largest(low, b + d, 3 * d) - smallest(b, d)

    def y(low: Any, high: Any, a: Any) -> Any:
        return largest(high, low) + a

    case = Settings(made([low, high, y], a=a, b=b, c=c, d=d))
    found, at = sensitivity(case, "y"), Solution(case)
    step = Fraction(1, 1000)
    for name, value in values_of(found).items():
        assert value == secant(at, "y", name, step)
    for name, value in below_of(found).items():
        assert value == secant(at, "y", name, -step)


# -- conditionals


def staged(a: Any, b: Any) -> Any:
    if a > 4:
        return a * b + 1
    if a > 2:
        return a * b
    return b * (3 * a - 4)


@pytest.mark.parametrize(
    ("a", "expected"), [(5, Fraction(15, 16)), (3, Fraction(1)), (1, Fraction(-3)), (Fraction(3, 2), Fraction(9))]
)
def test_a_conditional_counts_with_the_case_that_holds(a: Fraction, expected: Fraction) -> None:
    found = of(made([staged], a=1, b=3), "staged", a=a)
    assert values_of(found)["a"] == expected
    assert (found.one_sided, found.binding) == (False, ())


def test_the_boundary_of_a_conditional_without_a_jump_has_two_sides() -> None:
    found = of(made([staged], a=2, b=3), "staged")
    assert (values_of(found), below_of(found)) == ({"a": 1, "b": 1}, {"a": 3, "b": 1})
    assert found.notes == ("staged: another case of the formula holds from here with more a",)
    assert found.one_sided
    refuse_unless_closed_in_on(Settings(made([staged], a=2, b=3)), "staged", found)


def test_a_jump_is_noted_and_the_slope_is_that_of_the_case_that_holds() -> None:
    found = of(made([staged], a=4, b=3), "staged")
    assert values_of(found) == below_of(found) == {"a": 1, "b": 1}
    assert forms_of(made([staged], a=4, b=3), found) == {"a": "1", "b": "1"}
    assert found.notes == ("staged: the value jumps here with more a, where another case of the formula holds",)
    assert found.one_sided


def test_the_boundary_is_crossed_by_whatever_moves_the_comparison() -> None:
    def y(a: Any, b: Any, c: Any) -> Any:
        if a * b < c:
            return c
        return a * b

    case = Settings(made([y], a=2, b=3, c=6))
    found = sensitivity(case, "y")
    assert (values_of(found), below_of(found)) == ({"a": 1, "b": 1, "c": 1}, {"a": 0, "b": 0, "c": 0})
    refuse_unless_closed_in_on(case, "y", found)


def test_a_case_at_one_point_only() -> None:
    def y(a: Any, b: Any) -> Any:
        if a == 3:
            return 2 * b
        return a * b

    found = of(made([y], a=3, b=1), "y")
    assert values_of(found) == {"b": 1, "a": Fraction(3, 2)}  # that of a b past the point, where y is 2
    assert found.notes == (
        "y: the value jumps here with more a, where another case of the formula holds",
        "y: the value jumps here with less a, where another case of the formula holds",
    )
    assert values_of(of(made([y], a=2, b=1), "y")) == {"a": 1, "b": 1}


def test_pythons_own_max_and_joined_conditions() -> None:
    def most(a: Any, b: Any) -> Any:
        return max(a, b)

    def guarded(x: Any, a: Any) -> Any:
        if x != 0 and 1 / x > 2:
            return a
        return a * a

    def either(x: Any, a: Any, b: Any) -> Any:
        if a > b or x > 1:
            return a
        return b

    derivation = made([most, guarded, either], a=2, b=2, x=1)
    found = of(derivation, "most")
    assert (values_of(found), below_of(found)) == ({"a": 1, "b": 1}, {"a": 0, "b": 0})
    assert values_of(of(derivation, "guarded")) == {"a": 2, "x": 0}
    assert values_of(of(derivation, "guarded", x=0)) == {"a": 2, "x": 0}
    assert values_of(of(derivation, "guarded", x="1/3")) == {"a": 1, "x": 0}
    assert values_of(of(derivation, "either", b=5)) == {"b": 1, "a": 0, "x": 0}
    assert values_of(of(derivation, "either", b=5, x=2)) == {"a": 1, "b": 0, "x": 0}


# -- ceil, floor and remainders


def tiles(m: Any, w: Any) -> Any:
    return ceil(m / w)


def work(tiles: Any, w: Any) -> Any:
    return tiles * w


def test_ceil_is_constant_off_its_jumps() -> None:
    derivation = made([tiles, work], m=100, w=32)
    found = of(derivation, "work")
    assert values_of(found) == {"w": 1, "m": 0}
    assert forms_of(derivation, found) == {"w": "1", "m": "0"}
    assert found.notes == ("tiles: ceil(m/w) is constant between its jumps: its derivative is 0",)
    assert not found.one_sided
    refuse_unless_closed_in_on(Settings(derivation), "work", found)


def test_ceil_on_a_jump() -> None:
    derivation = made([tiles, work], m=96, w=32)
    found = of(derivation, "work")
    assert values_of(found) == {"w": 1, "m": 0}
    assert found.one_sided
    assert found.notes == ("tiles: ceil(m/w) jumps here with more m or less w; its derivative elsewhere is 0",)
    at = Solution(Settings(derivation))
    assert secant(at, "work", "m", -SMALL) == 0
    assert secant(at, "work", "m", SMALL) > 1000
    assert secant(at, "work", "w", SMALL) == 1


def test_floor_and_remainder_jump_the_other_way() -> None:
    def whole(a: Any, b: Any) -> Any:
        return floor(a / b) * a

    def rest(a: Any, b: Any) -> Any:
        return a % b + a // b

    derivation = made([whole, rest], a=7, b=2)
    assert values_of(of(derivation, "whole")) == {"a": 1, "b": 0}
    assert values_of(of(derivation, "rest")) == {"a": Fraction(7, 4), "b": Fraction(-3, 2)}
    jump = of(derivation, "whole", a=6)
    assert jump.notes == ("whole: floor(a/b) jumps here with more b or less a; its derivative elsewhere is 0",)
    assert values_of(jump) == {"a": 1, "b": 0}


def test_a_jump_counts_only_as_far_as_it_reaches() -> None:
    def padded(tiles: Any, w: Any, t0: Any) -> Any:
        return largest(tiles * w, t0)

    def half(tiles: Any) -> Any:
        return floor(tiles / 2) + 1

    def at_most_three(tiles: Any, m: Any) -> Any:
        if tiles > 3:
            return m / 2
        return m

    derivation = made([tiles, padded, half, at_most_three], m=96, w=32, t0=100)
    one_more = of(derivation, "padded")  # 4 tiles of 32 are more than 100
    assert values_of(one_more) == {"t0": 1, "m": 0, "w": 0}
    assert (one_more.one_sided, one_more.binding) == (True, (("padded", "t0"),))
    assert one_more.notes == ("tiles: ceil(m/w) jumps here with more m or less w; its derivative elsewhere is 0",)
    still_less = of(derivation, "padded", t0=200)
    assert values_of(still_less) == {"t0": 1, "m": 0, "w": 0}
    assert (still_less.one_sided, still_less.notes) == (False, ())
    # From 3 to 4 tiles the halves go from 1 to 2, from 2 to 3 they stay.
    assert of(derivation, "half").one_sided
    assert not of(derivation, "half", m=64).one_sided
    turned = of(derivation, "at_most_three")
    assert values_of(turned) == {"m": 1, "w": 0}
    assert turned.notes == (
        "at_most_three: the value jumps here with more m, where another case of the formula holds",
        "at_most_three: the value jumps here with less w, where another case of the formula holds",
    )


def test_a_jump_to_both_sides_keeps_the_slope_beside_it() -> None:
    def y(a: Any, b: Any) -> Any:
        return b * a + ceil(a / 2) - floor(a / 2)

    derivation = made([y], a=4, b=3)
    found = of(derivation, "y")
    assert values_of(found) == {"a": 1, "b": 1}
    assert found.one_sided
    assert set(found.notes) == {
        "y: ceil(a/2) jumps here with more a; its derivative elsewhere is 0",
        "y: floor(a/2) jumps here with less a; its derivative elsewhere is 0",
    }


def test_a_term_that_does_not_bind_may_have_no_slope() -> None:
    def gap(a: Any, b: Any) -> Any:
        return a - b

    def y(gap: Any, a: Any) -> Any:
        return largest(sqrt(gap), a)

    assert values_of(of(made([gap, y], a=2, b=2), "y")) == {"a": 1, "b": 0}


def test_a_ceil_in_a_closed_form_is_a_constant() -> None:
    def y(tiles: Any, m: Any) -> Any:
        return tiles + m

    def z(m: Any, w: Any) -> Any:
        return m + w * ceil(m / w)

    derivation = made([tiles, y, z], m=100, w=32)
    assert values_of(of(derivation, "y")) == {"m": Fraction(100, 104), "w": 0}
    assert forms_of(derivation, of(derivation, "y")) == {"m": "m/y", "w": "0"}
    assert forms_of(derivation, of(derivation, "z")) == {"m": "m/z", "w": "ceil(m/w)*w/z"}


def one_more_of(found: Sensitivity) -> dict[str, Exact]:
    return {one.given: one.one_more for one in found.elasticities if one.one_more is not None}


def test_one_more_layer_is_a_whole_step() -> None:
    """A stack has (L + 1) div 2 layers of type 1 and L div 2 of type 2; both types take 2 m k n operations."""
    stack = load("stack72")
    at = {"m": 8192, "k": 512, "n": 2**20}
    found = of(stack, "t_L", L=72, **at)
    assert one_more_of(found) == {"L": Fraction(37 + 36 - 72, 72)}
    assert values_of(found)["L"] == 0
    # Bytes moved, memory-bound at m = 2: of either type m k + k n + m n elements.
    assert one_more_of(of(stack, "t_L", L=7, **{**at, "m": 2})) == {"L": Fraction(1, 7)}
    # Only the layers of type 1: 72 and 73 layers have 36 and 37 of them, 74 have 37 as well.
    assert one_more_of(of(stack, "N_1", L=72)) == {"L": Fraction(1, 36)}
    assert one_more_of(of(stack, "N_1", L=73)) == {"L": 0}


def test_one_more_layer_of_training_memory() -> None:
    """It has 16 bytes of state for each of L k n parameters, and keeps the inputs of 2 bytes an element: n wide for
    (L + 1) div 2 layers, k wide for L div 2."""
    m, k, n = 128, 512, 2**20

    def memory(layers: int) -> int:
        return 16 * layers * k * n + 2 * m * (n * ((layers + 1) // 2) + k * (layers // 2))

    vram = load("vram")
    for layers in (1, 2, 71, 72):
        assert Solution(Settings(vram, {"m": m, "k": k, "n": n, "L": layers})).number("M_train") == memory(layers)
        found = of(vram, "M_train", m=m, k=k, n=n, L=layers)
        assert one_more_of(found) == {"L": Fraction(memory(layers + 1) - memory(layers), memory(layers))}


def test_one_more_layer_over_several_gpus() -> None:
    """Each layer takes 2 m k n operations at 4 * 312 TFLOP/s; an all-reduce after every layer of type 1 sends
    2 * 3/4 * 2 m k bytes at 300 GB/s."""
    m, k, n = 8192, 512, 2**20
    layer, ring = Fraction(2 * m * k * n, 4 * 312 * 10**12), Fraction(3 * m * k, 300 * 10**9)
    before, after = 72 * layer + 36 * ring, 73 * layer + 37 * ring
    found = of(load("tensor_parallel"), "t_tp_L", m=m, k=k, n=n, L=72, g=4)
    assert one_more_of(found) == {"L": after / before - 1}
    forms = forms_of(load("tensor_parallel"), found)
    assert forms["m"] == forms["k"] == "1"
    assert forms["n"] == "t_g*L/t_tp_L"


def test_one_more_is_for_counts_that_act_by_steps() -> None:
    def tiles(m: Any, w: Any) -> Any:
        return ceil(m / w)

    def cost(tiles: Any, m: Any, r: Any) -> Any:
        return 3 * tiles + m / 10 + r

    def divided(n: Any, g: Any) -> Any:
        return next_divisor(n, g)

    derivation = Derivation("made")
    for name, default in {"m": 96, "w": 32, "r": 5, "n": 12, "g": 4}.items():
        derivation.given(name, default=default, count=name != "w")
    for formula in (tiles, cost, divided):
        derivation.step()(formula)
    # 3 ceil(96/32) + 9.6 + 5 is 23.6, and 3 ceil(97/32) + 9.7 + 5 is 26.7. w is no count, r acts smoothly.
    found = of(derivation, "cost")
    assert one_more_of(found) == {"m": Fraction(31, 236)}
    assert [one.given for one in found.elasticities] == ["m", "r", "w"]  # 96 times 31/236, then 5/23.6
    assert one_more_of(of(derivation, "cost", m=95)) == {"m": Fraction(1, 235)}
    # The divisors of 12 are 1, 2, 3, 4, 6, 12; 13 has none but 1 and 13.
    assert one_more_of(of(derivation, "divided")) == {"n": Fraction(13, 4) - 1, "g": Fraction(1, 2)}
    assert one_more_of(of(derivation, "divided", g=12)) == {"n": Fraction(1, 12)}  # there is no 13th part of 12
    assert one_more_of(of(derivation, "cost", m="2*r")) == {"r": Fraction(12, 90)}  # 3 + 1 + 5, then 3 + 1.2 + 6
    assert values_of(of(derivation, "cost", m="2*r"))["r"] == Fraction(6, 9)


# -- roots and powers


def test_square_roots_are_exact() -> None:
    def root(a: Any, b: Any) -> Any:
        return sqrt(a * b) * b

    def mixed(a: Any) -> Any:
        return a + sqrt(a)

    derivation = made([root, mixed], a=2, b=3)
    assert values_of(of(derivation, "root")) == {"b": Fraction(3, 2), "a": Fraction(1, 2)}
    assert forms_of(derivation, of(derivation, "root")) == {"b": "3/2", "a": "1/2"}
    (one,) = of(derivation, "mixed").elasticities
    assert one.value == sympy.Rational(3, 2) - sympy.sqrt(2) / 2  # (2 + sqrt(2)/2)/(2 + sqrt(2))
    assert values_of(of(derivation, "mixed", a=4)) == {"a": Fraction(5, 6)}


def test_irrational_terms_are_compared_exactly() -> None:
    def near(a: Any) -> Any:
        return sqrt(a) * sqrt(a)

    def y(near: Any, b: Any) -> Any:
        return largest(near, b)

    derivation = made([near, y], a=2, b=2)
    found = of(derivation, "y")
    assert (values_of(found), below_of(found)) == ({"a": 1, "b": 1}, {"a": 0, "b": 0})
    assert values_of(of(derivation, "y", b=Fraction(2000001, 1000000))) == {"b": 1, "a": 0}


def test_a_power_with_a_given_exponent() -> None:
    def y(a: Any, b: Any) -> Any:
        return a**b

    derivation = made([y], a=3, b=2)
    assert values_of(of(derivation, "y")) == {"b": 2 * sympy.log(3), "a": 2}
    assert forms_of(derivation, of(derivation, "y")) == {"b": "ln(a)*b", "a": "b"}


# -- givens that are tied, zero or missing


def test_a_tied_given_passes_its_part_on() -> None:
    found = of(GEMM, "t", m=8192, k="m", n="m")
    assert values_of(found) == {
        "m": 3,
        "c": 1,
        "P": -1,
        "eta_P": -1,
        "beta": 0,
        "s": 0,
        "eta_beta": 0,
    }
    assert forms_of(GEMM, found)["m"] == "3"
    # t = s(m k + k n + m n)/beta with k = 2m and n = 2m + k = 4m is 14 s m^2/beta
    found = of(GEMM, "t", m=2, k="2*m", n="2*m + k")
    values = values_of(found)
    assert (values["m"], values["beta"], values["s"], values["P"]) == (2, -1, 1, 0)
    assert not {"k", "n"} & set(values)
    assert values_of(of(GEMM, "I", beta="P / 200 FLOP/byte")) == {"P": 0, "eta_P": 0, "eta_beta": -1}


def test_an_efficiency_counts_beside_what_it_is_a_share_of() -> None:
    case = Settings(GEMM, {"m": 8192, "eta_P": "0.8", "eta_beta": "0.7"})
    found = sensitivity(case, "t_sum")
    values, forms = values_of(found), forms_of(GEMM, found)
    at = Solution(case)
    compute, both = at.number("t_comp"), at.number("t_sum")
    assert values["P"] == values["eta_P"] == -compute / both
    assert values["beta"] == values["eta_beta"] == compute / both - 1
    assert forms["P"] == forms["eta_P"] == "-t_comp/t_sum"
    refuse_unless_closed_in_on(case, "t_sum", found)


def test_a_tied_given_with_a_unit_and_a_max() -> None:
    found = of(GEMM, "t_mem", m=128, beta="max(P * 1 byte/FLOP / 100, 1 GB/s) + 1 TB/s")
    assert found.binding == (("beta", "P/100"),)
    assert values_of(found)["P"] == -Fraction(312, 412)
    assert forms_of(GEMM, found)["P"] == "-P/(P + 100000000000000)"  # in base units


def test_a_given_by_itself() -> None:
    assert values_of(of(GEMM, "m", m=3)) == {"m": 1}
    assert values_of(of(GEMM, "k", m=3, k="2*m + 4")) == {"m": Fraction(3, 5)}


def test_a_given_that_is_zero_has_no_share() -> None:
    def t(work: Any, latency: Any) -> Any:
        return 2 * work + sqrt(latency)

    found = of(made([t], work=3, latency=0), "t")
    assert values_of(found) == {"work": 1, "latency": 0}


def test_a_zero_on_the_way_is_none_at_the_end() -> None:
    def gap(a: Any, b: Any) -> Any:
        return a - b

    def y(gap: Any, a: Any) -> Any:
        return gap * a + a

    found = of(made([gap, y], a=2, b=2), "y")
    assert values_of(found) == {"a": 3, "b": -2}


@pytest.mark.parametrize(
    ("name", "values", "error", "said"),
    [
        ("gap", {}, RefusedValueError, "gap is 0 here, and a change in percent of 0 says nothing"),
        ("steep", {}, RefusedValueError, "the derivative of steep in a is not finite at these values"),
        ("steep", {"b": 0, "a": 0}, RefusedValueError, "inverse divides by zero"),
        ("kind", {}, UnitError, "kind is the label"),
        ("word", {}, UnitError, "word is the label"),
        ("nothing", {}, UnknownNameError, "unknown quantity 'nothing'"),
        ("cross", {}, RefusedValueError, "cross of made is a crossover"),
        ("open", {}, MissingGivenError, "made needs a value for free"),
        ("gap", {"nope": 1}, UnknownNameError, "unknown symbol 'nope'"),
    ],
)
def test_what_has_no_elasticity(name: str, values: Mapping[str, Any], error: type[SymroofError], said: str) -> None:
    def gap(a: Any, b: Any) -> Any:
        return a - b

    def inverse(a: Any) -> Any:
        return 1 / a

    def steep(gap: Any, inverse: Any) -> Any:
        return sqrt(gap) + inverse

    def word(a: Any) -> Any:
        if a > 1:
            return "large"
        return "small"

    def open(free: Any) -> Any:
        return free

    derivation = made([gap, inverse, steep, word, open], a=2, b=2)
    derivation.given("free")
    derivation.binding("kind", a="by a", b="by b")
    derivation.crossover("cross", "a = b", solve_for="a")
    with pytest.raises(error) as caught:
        of(derivation, name, **values)
    assert said in caught.value.problem


# -- many steps


def chain(formula: str, length: int) -> Derivation:
    """y1 from x and g, y2 from y1 and g ..., each by the formula in which `last` is the one before."""
    derivation = Derivation("chain")
    derivation.given("x", default=3)
    derivation.given("g", default=2)
    last = "x"
    for at in range(1, length + 1):
        functions: dict[str, Any] = {"largest": largest}
        exec(f"def y{at}({last}, g): return {formula.format(last=last, at=at)}", functions)
        derivation.step()(functions[f"y{at}"])
        last = f"y{at}"
    return derivation


def test_a_chain_of_maxima() -> None:
    counted = chain("largest({last} + 1, g)", 50)
    found = of(counted, "y50")
    assert values_of(found) == {"x": Fraction(3, 53), "g": 0}
    assert forms_of(counted, found) == {"x": "x/y50", "g": "0"}
    assert found.binding == tuple((f"y{at}", f"y{at - 1} + 1" if at > 1 else "x + 1") for at in range(50, 0, -1))
    assert values_of(of(counted, "y50", x="1/2")) == {"g": Fraction(2, 51), "x": 0}


def test_a_long_chain_of_products() -> None:
    product = chain("{last} * g", 200)
    found = of(product, "y200")
    assert values_of(found) == {"g": 200, "x": 1}
    assert forms_of(product, found) == {"g": "200", "x": "1"}


def test_a_long_chain_of_sums() -> None:
    """y200 = x + 200 g."""
    added = chain("{last} + g", 200)
    found = of(added, "y200")
    assert values_of(found) == {"g": Fraction(400, 403), "x": Fraction(3, 403)}
    assert forms_of(added, found) == {"g": "200*g/y200", "x": "x/y200"}


def test_no_closed_form_where_it_would_be_long() -> None:
    case = Settings(chain("({last} + {at})/({last} + 20*g)", 12))
    found = sensitivity(case, "y12")
    assert [one.closed_form for one in found.elasticities] == [None, None]
    refuse_unless_closed_in_on(case, "y12", found)
    assert [one.closed_form is None for one in sensitivity(case, "y1").elasticities] == [False, False]


# -- random formulas

EXPONENTS = st.integers(-3, 3)
POSITIVE = st.fractions(min_value=Fraction(1, 50), max_value=50, max_denominator=50)
NAMES = "abc"


@run(derandomize=True, max_examples=30, deadline=None)
@drawn(
    powers=st.lists(st.tuples(*[EXPONENTS] * 3), min_size=1, max_size=4),
    factors=st.lists(POSITIVE, min_size=4, max_size=4),
    point=st.tuples(*[POSITIVE] * 3),
)
def test_sums_of_monomials(
    powers: list[tuple[int, int, int]], factors: list[Fraction], point: tuple[Fraction, Fraction, Fraction]
) -> None:
    """A monomial's elasticities are its exponents, a sum's the averages of its terms' weighted by their sizes."""
    derivation = made([], **dict(zip(NAMES, point, strict=True)))
    sizes = []
    for at, (exponents, factor) in enumerate(zip(powers, factors, strict=False)):
        derivation.step()(_monomial(f"term{at}", exponents, factor))
        sizes.append(factor)
        for value, exponent in zip(point, exponents, strict=True):
            sizes[at] *= value**exponent
        found = of(derivation, f"term{at}")
        assert values_of(found) == {name: Fraction(exponent) for name, exponent in zip(NAMES, exponents, strict=True)}
        assert [one.closed_form for one in found.elasticities] == [one.value for one in found.elasticities]
        ranked = [abs(exponents[NAMES.index(one.given)]) for one in found.elasticities]
        assert ranked == sorted(ranked, reverse=True)
    functions: dict[str, Any] = {"total": total}
    terms = ", ".join(f"term{at}" for at in range(len(sizes)))
    exec(f"def y({terms}): return total({terms})", functions)
    derivation.step()(functions["y"])
    values = values_of(of(derivation, "y"))
    for position, name in enumerate(NAMES):
        weighted = sum(size * exponents[position] for size, exponents in zip(sizes, powers, strict=False))
        assert values[name] == weighted / sum(sizes)


def _monomial(name: str, exponents: Sequence[int], factor: Fraction) -> Callable[..., Any]:
    functions: dict[str, Any] = {"factor": factor}
    exec(f"def {name}(a, b, c): return factor * a**{exponents[0]} * b**{exponents[1]} * c**{exponents[2]}", functions)
    return functions[name]  # type: ignore[no-any-return]
