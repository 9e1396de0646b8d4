"""Two-digit arithmetic against calculations written out here, and the bound against random numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from symroof import Derivation, ceil, floor, largest, load, smallest, sqrt, total
from symroof.by_hand import HandStep, Rounded, by_hand, lines
from symroof.errors import RefusedValueError, UnitError, UnknownNameError

pytestmark = pytest.mark.slow

GEMM = load("gemm")


def steps_of(derivation: Derivation, name: str, unit: str | None = None, **values: Any) -> dict[str, HandStep]:
    return {step.name: step for step in by_hand(derivation.at(**values), name, unit)}


def printed(derivation: Derivation, name: str, unit: str | None = None, **values: Any) -> list[str]:
    return lines(by_hand(derivation.at(**values), name, unit))


# m = 8192 on an A100 40GB in FP16, by hand:
#
# F      = 2 * 8.2e3 * 5.1e2 * 1.0e6: 2 * 8.2 = 16.4, * 5.1 = 83.64, 0 + 3 + 2 + 6 = 11, so 8.4e12
#          exact 2 * 8192 * 512 * 1048576 = 8796093022208; 8.4e12 is 4.503 % below
#          m is in 8150..8250, k in 505..515, n in 995000..1050000 (0.995 rounds to 1.0), c is 2
#          lowest  2 * 8150 * 505 * 995000  = 8.1903425e12, 8.4e12 is 2.560 % above it
#          highest 2 * 8250 * 515 * 1050000 = 8.922375e12,  8.4e12 is 5.855 % below it: the bound
# B      = 2 * (8.2e3 * 5.1e2 + 5.1e2 * 1.0e6 + 8.2e3 * 1.0e6) = 2 * (4.182e6 + 5.1e8 + 8.2e9) = 1.7428364e10,
#          so 1.7e10; exact 2 * (8192 * 512 + 512 * 1048576 + 8192 * 1048576) = 18261999616: 6.910 % below
#          highest 2 * (8250 * 515 + 515 * 1.05e6 + 8250 * 1.05e6) = 18414997500: 7.684 % below it, the bound
# t_comp = 8.4e12 / 3.1e14 = 2.70967...e-2, so 2.7e-2; exact 8796093022208 / 3.12e14 = 2.819260...e-2
#          lowest  8.1903425e12 / 3.15e14 = 2.600108...e-2, 2.7e-2 is 3.842 % above it
#          highest 8.922375e12 / 3.05e14 = 2.925368...e-2,  2.7e-2 is 7.704 % below it: the bound, rounded up 7.8
# t_mem  = 1.7e10 / 1.6e12 = 1.0625e-2, so 1.1e-2; exact 18261999616 / 1.555e12 = 1.174405...e-2
#          highest 18414997500 / 1.55e12 = 1.188064...e-2, 1.1e-2 is 7.412 % below it
# t      = the larger one, 2.7e-2
AT_8192 = """\
F = c*m*k*n
  c = 2 FLOP, m = 8192 ~ 8.2e3, k = 512 ~ 5.1e2, n = 1048576 ~ 1.0e6
  2 x 8.2 x 5.1 x 1.0 = 83.64; 10^(0+3+2+6) = 10^11
  F ~ 8.4e12 FLOP   (exact 8.796e12 FLOP, error -4.5 %, at most 5.9 %)

B = s*(m*k + k*n + m*n)
  s = 2 byte, m = 8192 ~ 8.2e3, k = 512 ~ 5.1e2, n = 1048576 ~ 1.0e6
  2 x (8.2e3 x 5.1e2 + 5.1e2 x 1.0e6 + 8.2e3 x 1.0e6) ~ 1.743e10
  B ~ 1.7e10 byte   (exact 1.826e10 byte, error -6.9 %, at most 7.7 %)

t_comp = F/P
  F ~ 8.4e12, P = 3.12e14 FLOP/s ~ 3.1e14
  8.4 / 3.1 ~ 2.710; 10^(12-14) = 10^-2
  t_comp ~ 2.7e-2 s   (exact 2.819e-2 s, error -4.2 %, at most 7.8 %)

t_mem = B/beta
  B ~ 1.7e10, beta = 1.555e12 byte/s ~ 1.6e12
  1.7 / 1.6 ~ 1.062; 10^(10-12) = 10^-2
  t_mem ~ 1.1e-2 s   (exact 1.174e-2 s, error -6.3 %, at most 7.5 %)

t = max(t_comp, t_mem)
  t_comp ~ 2.7e-2, t_mem ~ 1.1e-2
  max(2.7e-2, 1.1e-2) = 2.7e-2
  t ~ 2.7e-2 s   (exact 2.819e-2 s, error -4.2 %, at most 7.8 %)

at most: for all numbers that round to the digits used"""


def test_the_time_at_8192_as_printed() -> None:
    assert "\n".join(printed(GEMM, "t", m=8192)) == AT_8192


def test_errors_and_bounds_at_8192_are_exact() -> None:
    found = steps_of(GEMM, "t", m=8192)
    assert list(found) == ["F", "B", "t_comp", "t_mem", "t"]
    flop, traffic = 8796093022208, 18261999616
    most_flop, most_bytes = 2 * 8250 * 515 * 1050000, 18414997500
    assert found["F"].error == Fraction(8400000000000, flop) - 1
    assert found["F"].bound == 1 - Fraction(8400000000000, most_flop)
    assert found["B"].error == Fraction(17 * 10**9, traffic) - 1
    assert found["B"].bound == 1 - Fraction(17 * 10**9, most_bytes)
    assert found["t_comp"].error == Fraction(27, 1000) / Fraction(flop, 312 * 10**12) - 1
    assert found["t_comp"].bound == 1 - Fraction(27, 1000) / Fraction(most_flop, 305 * 10**12)
    assert found["t_mem"].error == Fraction(11, 1000) / Fraction(traffic, 1555 * 10**9) - 1
    assert found["t_mem"].bound == 1 - Fraction(11, 1000) / Fraction(most_bytes, 155 * 10**10)
    assert (found["t"].error, found["t"].bound) == (found["t_comp"].error, found["t_comp"].bound)


def test_the_parts_of_a_step() -> None:
    step = steps_of(GEMM, "F", m=8192)["F"]
    assert step.rounded == (
        Rounded("c", "2 FLOP", "2", True),
        Rounded("m", "8192", "8.2e3", False),
        Rounded("k", "512", "5.1e2", False),
        Rounded("n", "1048576", "1.0e6", False),
    )
    assert step.work == "2 x 8.2 x 5.1 x 1.0 = 83.64; 10^(0+3+2+6) = 10^11"
    assert step.result_text == "8.4e12 FLOP"
    assert step.agrees is None


@pytest.mark.parametrize(
    ("m", "name", "shown"),
    [
        # 2 * 2 * 5.1e2 * 1.0e6 = 2.04e9; exact 2147483648
        (2, "F", "F ~ 2.0e9 FLOP   (exact 2.147e9 FLOP, error -6.9 %, at most 7.6 %)"),
        # m = 2: 2 * (2 * 510 + 510 * 1e6 + 2 * 1e6) = 1.02400204e9, so 1.0e9, / 1.6e12 = 6.25e-4, half to even 6.2e-4
        (2, "t_mem", "t_mem ~ 6.2e-4 s   (exact 6.932e-4 s, error -11 %, at most 12 %)"),
        # m = 256: 2 * 260 * 510 * 1e6 = 2.652e11, so 2.7e11, / 3.1e14 = 8.7096e-4;
        # highest 2 * 265 * 515 * 1.05e6 / 3.05e14 = 9.3965e-4, where 8.7e-4 is 7.412 % below
        (256, "t_comp", "t_comp ~ 8.7e-4 s   (exact 8.810e-4 s, error -1.3 %, at most 7.5 %)"),
        # the ridge: 3.1e14 / 1.6e12 = 193.75
        (8192, "I", "I ~ 1.9e2 FLOP/byte   (exact 2.006e2 FLOP/byte, error -5.3 %, at most 6.6 %)"),
    ],
)
def test_other_points(m: int, name: str, shown: str) -> None:
    assert any(line.strip() == shown for line in printed(GEMM, name, m=m))


def test_the_last_result_in_a_unit() -> None:
    shown = printed(GEMM, "t", "ms", m=8192)
    assert shown[-4:-2] == [
        "  max(2.7e-2, 1.1e-2) = 2.7e-2; 1 ms = 1e-3 s",
        "  t ~ 27 ms   (exact 28.19 ms, error -4.2 %, at most 7.8 %)",
    ]
    # 1.7428364e10 byte are 16.23... GiB; rounded once, in GiB: 16 GiB = 17179869184 byte
    step = steps_of(GEMM, "B", "GiB", m=8192)["B"]
    assert step.work.endswith("~ 1.743e10; 1 GiB = 1.073741824e9 byte")
    assert (step.result_text, step.exact_text) == ("16 GiB", "17.01 GiB")
    assert step.error == Fraction(16 * 2**30, 18261999616) - 1


def test_a_label_that_agrees() -> None:
    shown = printed(GEMM, "regime", m=8192)
    assert shown[-6:] == [
        "regime: which is largest, t_comp or t_mem",
        "  t_comp ~ 2.7e-2, t_mem ~ 1.1e-2",
        "  2.7e-2 > 1.1e-2",
        "  regime: compute-bound   (exact: compute-bound, agrees)",
        "",
        "at most: for all numbers that round to the digits used",
    ]
    step = steps_of(GEMM, "regime", m=8192)["regime"]
    assert (step.result_text, step.error, step.bound, step.agrees) == ("compute-bound", None, None, True)


def test_a_label_that_two_digits_get_wrong() -> None:
    # F: 2 * 3.2e2 * 5.1e2 * 1.0e6 = 3.264e11, so 3.3e11; t_comp: 3.3 / 3.1 = 1.0645, so 1.1e-3
    # B: 2 * (3.2e2 * 5.1e2 + 5.1e2 * 1e6 + 3.2e2 * 1e6) = 1.660326e9, so 1.7e9; t_mem: 1.7 / 1.6 = 1.0625, so 1.1e-3
    # A tie, which goes to the first; exactly t_mem is the larger one.
    step = steps_of(GEMM, "regime", m=320)["regime"]
    assert (step.result_text, step.exact_text, step.agrees) == ("compute-bound", "memory-bound", False)
    assert lines([step])[2:] == [
        "  1.1e-3 = 1.1e-3",
        "  regime: compute-bound   (exact: memory-bound, differs: two digits are too few here)",
    ]


def mixed() -> Derivation:
    """A formula of every kind."""
    derivation = Derivation("mixed")
    derivation.given("x", unit="byte", default=1234)
    derivation.given("y", unit="byte", default=1239)
    derivation.given("m", count=True, default=8192)
    derivation.given("q", default=40)
    derivation.given("z", unit="byte", default=0)

    @derivation.step(unit="byte")
    def side(x: Any, y: Any) -> Any:
        return sqrt(x * x + y * y)

    @derivation.step()
    def tiles(m: Any, q: Any) -> Any:
        return ceil(m / 128) * floor(m / q + 1)

    @derivation.step(unit="byte")
    def top(x: Any, y: Any, z: Any) -> Any:
        return largest(x, 2 * y - x, z)

    @derivation.step(unit="byte")
    def low(x: Any, side: Any, q: Any) -> Any:
        return smallest(side, q * x / 30)

    @derivation.step(unit="byte")
    def padded(x: Any, m: Any, z: Any) -> Any:
        if m > 8195:
            return x + z
        if m % 2 == 0:
            return 2 * x
        return 3 * x

    @derivation.step(unit="byte")
    def gap(x: Any, y: Any) -> Any:
        return y - x

    @derivation.step(unit="byte")
    def distance(gap: Any, z: Any) -> Any:
        return abs(gap) + z

    @derivation.step(unit="byte^2")
    def area(gap: Any) -> Any:
        return gap**2

    @derivation.step()
    def slope(x: Any, distance: Any) -> Any:
        return x / (distance + x / 10)

    @derivation.step(unit="1/byte")
    def inverse_root(x: Any, m: Any) -> Any:
        return 7 / (x * sqrt(m))

    @derivation.step()
    def rest(m: Any, q: Any) -> Any:
        return m % 100 + m // q

    @derivation.step()
    def growth(q: Any) -> Any:
        return 2 ** floor(q / 8)

    @derivation.step()
    def size(m: Any) -> Any:
        return "large" if m > 8195 else "small"

    @derivation.step(unit="byte")
    def all_in_all(side: Any, top: Any, low: Any, padded: Any, distance: Any) -> Any:
        return total(side, top, low, padded, distance)

    return derivation


MIXED = mixed()


@pytest.mark.parametrize(
    ("name", "work", "verdict"),
    [
        # 1.2e3 * sqrt(2) = 1697; sqrt(1234^2 + 1239^2) = 1748.68; both in 1150..1250, 1250 sqrt(2) = 1767.8, where
        # 1150 sqrt(2) = 1626.3 is 4.53 % below 1700
        (
            "side",
            "sqrt(1.2e3 x 1.2e3 + 1.2e3 x 1.2e3) ~ 1.697e3",
            "side ~ 1.7e3 byte   (exact 1.749e3 byte, error -2.8 %, at most 4.6 %)",
        ),
        # ceil(64.06) * floor(206) = 65 * 206; exact 64 * 205 = 13120; m in 8150..8250: 64 * 204 = 13056 to
        # 65 * 207 = 13455
        (
            "tiles",
            "ceil(8.2e3 / 128) x floor(8.2e3 / 40 + 1) = 1.339e4",
            "tiles ~ 1.3e4   (exact 1.312e4, error -0.91 %, at most 3.4 %)",
        ),
        (
            "top",
            "max(1.2e3, 2 x 1.2e3 - 1.2e3, 0) = 1.2e3",
            "top ~ 1.2e3 byte   (exact 1.244e3 byte, error -3.5 %, at most 12 %)",
        ),
        # the two digits of m are above 8195, m itself is not: all three cases are possible, 1150..3750
        (
            "padded",
            "1.2e3 + 0 if 8.2e3 > 8195; 2 x 1.2e3 if 8.2e3 % 2 == 0; 3 x 1.2e3 otherwise; so 1.2e3",
            "padded ~ 1.2e3 byte   (exact 2.468e3 byte, error -51 %, at most 68 %)",
        ),
        # all digits lost: the error is 100 % whatever the difference is
        ("gap", "1.2e3 - 1.2e3 = 0", "gap ~ 0 byte   (exact 5 byte, error -100 %, at most 100 %)"),
        ("growth", "2^floor(40 / 8) = 32", "growth = 32   (exact)"),
        # sqrt(8.2e3) = 90.554; highest 7 / (1150 sqrt(8150)) = 6.7425e-5, where 6.4e-5 is 5.08 % below
        (
            "inverse_root",
            "7 / (1.2e3 x sqrt(8.2e3)) ~ 6.442e-5",
            "inverse_root ~ 6.4e-5 1/byte   (exact 6.267e-5 1/byte, error +2.1 %, at most 5.1 %)",
        ),
    ],
)
def test_formulas_that_are_no_products(name: str, work: str, verdict: str) -> None:
    shown = printed(MIXED, name)
    assert f"  {work}" in shown
    assert f"  {verdict}" in shown


def test_an_irrational_value_has_its_exact_error() -> None:
    error = steps_of(MIXED, "side")["side"].error
    assert sympy.simplify(error - (1700 / sympy.sqrt(1234**2 + 1239**2) - 1)) == 0


def test_a_difference_that_may_vanish_has_no_bound() -> None:
    step = steps_of(MIXED, "gap", x=1259)["gap"]  # 1.3e3 and 1.2e3, while the exact difference is -20
    assert (step.error, step.bound) == (Fraction(4), None)
    assert lines([step])[-1] == "  gap ~ -1.0e2 byte   (exact -20 byte, error +400 %, no bound)"


def test_an_exact_zero_that_two_digits_miss() -> None:
    zero = Derivation("zero")
    zero.given("a", default=1234)
    zero.given("b", default=1234)

    @zero.step()
    def two(a: Any) -> Any:
        return a - 1234

    step = steps_of(zero, "two")["two"]
    assert (step.error, step.bound) == (None, None)
    assert lines([step])[-1] == "  two ~ -34   (exact 0, no relative error, no bound)"


def test_a_step_that_two_digits_do_not_allow() -> None:
    steep = Derivation("steep")
    steep.given("x", default=1234)
    steep.given("y", default=1239)

    @steep.step()
    def d(x: Any, y: Any) -> Any:
        return y - x

    @steep.step()
    def ratio(x: Any, d: Any) -> Any:
        return x / d

    assert steep.at()["ratio"] == Fraction(1234, 5)
    with pytest.raises(RefusedValueError) as caught:
        by_hand(steep.at(), "ratio")
    assert str(caught.value) == (
        "by hand, with two digits: step ratio divides by zero: d = 0\ntwo digits are too few here: take the exact value"
    )


def test_a_label_of_a_conditional() -> None:
    assert printed(MIXED, "size") == [
        "size: 'large' if m > 8195 else 'small'",
        "  m = 8192 ~ 8.2e3",
        "  'large' if 8.2e3 > 8195 else 'small'",
        "  size: large   (exact: small, differs: two digits are too few here)",
    ]
    assert steps_of(MIXED, "size", m=9000)["size"].agrees is True


def test_numbers_of_two_digits_are_left_as_they_are() -> None:
    # 2 * 80 * 500 * 1e6 = 8e10, over 3.1e14 = 2.5806...e-4
    found = steps_of(GEMM, "t_comp", m=80, k=500, n=1000000, P="310 TFLOP/s")
    assert found["F"].rounded[1] == Rounded("m", "80", "80", True)
    assert found["F"].work == "2 x 8 x 5 x 1 = 80; 10^(0+1+2+6) = 10^9"
    assert found["F"].error == 0
    assert found["F"].bound == 0
    # P = 310 TFLOP/s has two digits and F is exact, so that nothing but the last rounding errs.
    assert found["t_comp"].error == found["t_comp"].bound == Fraction(26, 100000) / Fraction(8, 31000) - 1
    shown = printed(GEMM, "t_comp", m=80, k=500, n=1000000, P="310 TFLOP/s")
    assert "  F = 8e10 FLOP   (exact)" in shown
    assert "  F = 8e10, P = 3.1e14 FLOP/s" in shown
    assert "  t_comp ~ 2.6e-4 s   (exact 2.581e-4 s, error +0.75 %, at most 0.75 %)" in shown
    assert printed(GEMM, "F", m=80, k=500, n=1000000)[-1] == "  F = 8e10 FLOP   (exact)"


def test_exact_givens_whose_product_is_rounded() -> None:
    # 2 * 12 * 12 * 1 = 288 is known exactly, its two digits are not
    found = steps_of(GEMM, "AI", m=12, k=12, n=1)
    assert found["F"].result_text == "2.9e2 FLOP"
    assert found["F"].error == found["F"].bound == Fraction(2, 288)
    assert found["AI"].rounded[0] == Rounded("F", "", "2.9e2", False)


@pytest.mark.parametrize(("m", "error"), [(8150, Fraction(8200, 8150) - 1), (8250, Fraction(8200, 8250) - 1)])
def test_the_bound_of_a_product_is_attained(m: int, error: Fraction) -> None:
    step = steps_of(GEMM, "F", m=m, k=500, n=1000000)["F"]  # half to even: both ends round to 8.2e3
    assert step.error == error
    assert step.bound == Fraction(8200, 8150) - 1


@pytest.mark.parametrize("m", [995, 1003, 1050])
def test_below_a_power_of_ten_the_digits_are_finer(m: int) -> None:
    step = steps_of(GEMM, "F", m=m, k=500, n=1000000)["F"]
    assert step.rounded[1].text == "1.0e3"
    assert step.bound == 1 - Fraction(1000, 1050)
    assert step.error == Fraction(1000, m) - 1


def test_the_printed_bound_is_rounded_up() -> None:
    copy = Derivation("copy")
    copy.given("a", default=299)

    @copy.step()
    def same(a: Any) -> Any:
        return a

    # 295 to 305 round to 3.0e2; 300 / 295 - 1 = 1.6949 %, to the nearest 1.7
    assert printed(copy, "same") == [
        "same = a",
        "  a = 299 ~ 3.0e2",
        "  3.0e2",
        "  same ~ 3.0e2   (exact 2.99e2, error +0.33 %, at most 1.7 %)",
        "",
        "at most: for all numbers that round to the digits used",
    ]
    # 24.5 to 25.5 round to 25 (24.5 itself to 24); 25 / 24.5 - 1 = 2.0408 %, to the nearest 2.0, which is too little
    assert printed(copy, "same", a="25.1")[3] == "  same ~ 25   (exact 25.1, error -0.40 %, at most 2.1 %)"


def test_zero() -> None:
    free = Derivation("free")
    free.given("a", unit="byte", default=0)
    free.given("b", default=1234)

    @free.step(unit="byte")
    def product(a: Any, b: Any) -> Any:
        return a * b

    @free.step(unit="byte")
    def more(product: Any, a: Any) -> Any:
        return product + a

    assert printed(free, "more") == [
        "product = a*b",
        "  a = 0 byte, b = 1234 ~ 1.2e3",
        "  0 x 1.2 = 0; 10^(0+3) = 10^3",
        "  product = 0 byte   (exact)",
        "",
        "more = product + a",
        "  product = 0, a = 0 byte",
        "  0 + 0 = 0",
        "  more = 0 byte   (exact)",
    ]


def test_huge_and_tiny() -> None:
    far = Derivation("far")
    far.given("a", unit="byte", default="1.234e250 byte")
    far.given("b", unit="s", default="9.876e-280 s")

    @far.step(unit="byte/s")
    def rate(a: Any, b: Any) -> Any:
        return a / b

    @far.step(unit="byte*s")
    def weight(a: Any, b: Any) -> Any:
        return a * b / 3

    # 1.2 / 9.9 = 0.12121..., 250 + 280 = 530; 1.234 / 9.876 = 0.124949...; highest 1.25 / 9.85 = 0.126904, where
    # 0.12 is 5.44 % below
    assert printed(far, "rate")[1:4] == [
        "  a = 1.234e250 byte ~ 1.2e250, b = 9.876e-280 s ~ 9.9e-280",
        "  1.2 / 9.9 ~ 0.1212; 10^(250+280) = 10^530",
        "  rate ~ 1.2e529 byte/s   (exact 1.249e529 byte/s, error -4.0 %, at most 5.5 %)",
    ]
    assert printed(far, "weight")[2] == "  1.2 x 9.9 / 3 = 3.96; 10^(250-280) = 10^-30"


def test_one_number_keeps_its_power_and_none_has_none() -> None:
    plain = Derivation("plain")
    plain.given("a", default=1234)

    @plain.step()
    def cube(a: Any) -> Any:
        return 2 * a**3

    @plain.step()
    def five() -> Any:
        return 5

    # 2 * 1.2^3 = 3.456
    assert printed(plain, "cube")[2] == "  2 x 1.2^3 = 3.456; 10^9"
    assert printed(plain, "five") == ["five = 5", "  5", "  five = 5   (exact)"]


def test_energy_is_in_units_that_go_together() -> None:
    bill = Derivation("bill")
    bill.given("W", unit="kW", default="0.3517 kW")
    bill.given("h", unit="h", default="1.234 h")
    bill.given("price", unit="USD/J", default="2.537e-7 USD/J")

    @bill.step(unit="kW*h")
    def energy(W: Any, h: Any) -> Any:
        return W * h

    @bill.step(unit="USD")
    def cost(energy: Any, price: Any) -> Any:
        return energy * price

    # 1.234 h are 4442.4 s
    shown = printed(bill, "cost")
    assert shown[1:4] == [
        "  W = 3.517e2 W ~ 3.5e2, h = 4.4424e3 s ~ 4.4e3",
        "  3.5 x 4.4 = 15.4; 10^(2+3) = 10^5",
        "  energy ~ 1.5e6 W*s   (exact 1.562e6 W*s, error -4.0 %, at most 5.1 %)",
    ]
    assert shown[7] == "  1.5 x 2.5 = 3.75; 10^(6-7) = 10^-1"


def test_a_given_set_to_another_keeps_its_own_value() -> None:
    found = steps_of(GEMM, "F", m=8192, k="m", n="m / 2")
    assert [one.exact_text for one in found["F"].rounded[1:]] == ["8192", "8192", "4096"]
    assert [one.text for one in found["F"].rounded[1:]] == ["8.2e3", "8.2e3", "4.1e3"]


def test_long_lines_are_wrapped_between_the_numbers() -> None:
    many = Derivation("many")
    for at in range(12):
        many.given(f"quantity_{at}", default=1000 + at)

    @many.step()
    def both(quantity_0: Any, quantity_1: Any, quantity_2: Any, quantity_3: Any, quantity_4: Any) -> Any:
        return total(quantity_0, quantity_1, quantity_2, quantity_3, quantity_4)

    shown = printed(many, "both")
    assert shown[1] == "  quantity_0 = 1000 = 1e3, quantity_1 = 1001 ~ 1.0e3, quantity_2 = 1002 ~ 1.0e3,"
    assert shown[2] == "      quantity_3 = 1003 ~ 1.0e3, quantity_4 = 1004 ~ 1.0e3"


def test_what_cannot_be_asked() -> None:
    solution = GEMM.at(m=8192)
    with pytest.raises(RefusedValueError, match="m of gemm is given, not worked out"):
        by_hand(solution, "m")
    with pytest.raises(UnknownNameError):
        by_hand(solution, "tt")
    with pytest.raises(RefusedValueError, match="crossover"):
        by_hand(solution, "m_star")
    with pytest.raises(UnitError):
        by_hand(solution, "t", "GB")
    with pytest.raises(UnitError):
        by_hand(solution, "regime", "s")


# -- the bound


def holds(step: HandStep) -> bool:
    if step.bound is None:
        return True
    assert step.error is not None
    return bool(abs(step.error) <= step.bound)


counts = st.integers(1, 10**7)
sizes = st.fractions(Fraction(1, 10**6), 10**15, max_denominator=10**6)


@settings(max_examples=20)
@given(m=counts, k=counts, n=counts, peak=sizes, beta=sizes)
def test_gemm_is_never_further_off_than_its_bound(m: int, k: int, n: int, peak: Fraction, beta: Fraction) -> None:
    solution = GEMM.at(m=m, k=k, n=n, P=peak, beta=beta)
    for name in ("R", "t_sum"):
        for step in by_hand(solution, name):
            assert step.bound is not None
            assert holds(step), step


@settings(max_examples=12)
@given(x=sizes, y=sizes, m=counts, q=st.fractions(1, 100, max_denominator=1000), z=st.sampled_from([0, 7, 1234]))
def test_no_formula_is_further_off_than_its_bound(x: Fraction, y: Fraction, m: int, q: Fraction, z: int) -> None:
    solution = MIXED.at(x=x, y=y, m=m, q=q, z=z)
    for name in ("all_in_all", "tiles", "area", "slope", "inverse_root", "rest", "growth", "size"):
        for step in by_hand(solution, name):
            assert step.agrees is not None or holds(step), step


# Numbers that all round to 1.2e3, 9.9e3 or 1.0e3; none has two digits itself.
ALIKE = [(1151, 1249), (9851, 9949), (996, 1049), (1351, 1449)]


@settings(max_examples=12)
@given(data=st.data())
def test_numbers_with_the_same_digits_share_result_and_bound(data: st.DataObject) -> None:
    ranges = {name: data.draw(st.sampled_from(ALIKE)) for name in ("x", "y", "m")}

    def one_of(low: int, high: int) -> Any:
        return data.draw(st.integers(low, high).filter(lambda number: number % 100 not in (0, 90)))

    first, second = (
        {step.name: step for step in by_hand(MIXED.at(**values), "all_in_all")}
        for values in [{name: one_of(*ends) for name, ends in ranges.items()} for _ in range(2)]
    )
    for name, step in first.items():
        assert step.result_text == second[name].result_text
        assert step.bound == second[name].bound
        assert holds(step)
        assert holds(second[name])
