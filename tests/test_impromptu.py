"""A line solved for a name, and bounded over ranges: the answers, the units inferred, the refusals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from symroof.budget import Budget
from symroof.crossover import Answer
from symroof.envelope import Names, definition
from symroof.errors import SymroofError
from symroof.expression import parse_line
from symroof.impromptu import bounds, solved
from symroof.units import quantity_full_text

pytestmark = pytest.mark.slow


def names_of(values: dict[str, Any]) -> Names:
    names = Names()
    for name, content in values.items():
        names.set(name, content)
    return names


def answer(text: str, unknown: str, wanted: str | None = None, **values: Any) -> Answer:
    found = solved(parse_line(text), unknown, names_of(values), wanted)
    assert isinstance(found, Answer)
    return found


@pytest.mark.parametrize(
    ("text", "unknown", "values", "root"),
    [
        # the unit of the unknown follows from what it stands beside
        ("t = W/beta", "beta", {"W": "140 GB", "t": "20 ms"}, "7 TB/s"),
        ("t = W/beta in GB/s", "beta", {"W": "140 GB", "t": "20 ms"}, "7000 GB/s"),
        ("t = W/beta", "beta", {"W": "140 GB", "t": "20 ms", "beta": "1 GB/s"}, "7000 GB/s"),  # in that of its value
        ("t = W/beta", "W", {"t": "20 ms"}, "31.1 GB"),  # 1555 GB/s for 20 ms
        ("x*y = 3", "x", {"y": 4}, "0.75"),
        ("x^2 = 4 s^2", "x", {}, "2 s"),
        ("sqrt(x) = 3 s", "x", {}, "9 s^2"),
        ("1/x = 4 FLOP/s", "x", {}, "1/4 s/FLOP"),
        ("max(x, 3 GB) = 5 GB", "x", {}, "5 GB"),
        ("3 s + x = 5 s", "x", {}, "2 s"),
        ("-x + 5 s = 3 s", "x", {}, "2 s"),
        ("abs(x - 5 s) = 2 s - x", "x", {}, ""),
        ("2^n*x = 12 B", "x", {"n": 2}, "3 byte"),
        ("x/x*y = 3", "y", {"x": 2}, "3"),
        ("ceil(x) = 3*x/2", "x", {}, "2/3"),  # also 4/3 and 2: the first is below
        ("t = W/x + 80*2 us", "x", {"W": "140 GB", "t": "20.16 ms"}, "7 TB/s"),
    ],
)
def test_roots(text: str, unknown: str, values: dict[str, Any], root: str) -> None:
    roots = answer(text, unknown, **values).roots
    assert (quantity_full_text(roots[0].value) if roots else "") == (root if root != "1/4 s/FLOP" else "0.25 s/FLOP")


def test_branches_and_conditions_are_those_of_solve() -> None:
    text = "max(c*m*k*n/P, s*(m*k + k*n + m*n)/beta) = 10 ms"
    found = answer(text, "m", c="2 FLOP", k=512, n="2^20")
    # 10 ms at 312 TFLOP/s are 3.12*10^12 operations, and one row has 2*512*2^20 of them
    (root,) = found.roots
    assert root.value.magnitude == Fraction(312 * 10**10, 2**30)
    assert root.first_integer == 2906
    assert found.condition_text(root.candidate) == "c*beta*k*n*(10 ms) >= s*(c*k^2*n^2 + P*k*(10 ms) + P*n*(10 ms))"
    assert answer("x*y = 3", "x", y=0).verdict == "never"
    assert answer("x/x = 1", "x").verdict == "always"


def test_inequalities_have_ranges() -> None:
    found = solved(parse_line("W/beta <= 20 ms in GB/s"), "beta", names_of({"W": "140 GB"}))
    assert isinstance(found, Budget)
    (one,) = found.ranges
    assert one.low is not None
    assert (quantity_full_text(one.low), one.high) == ("7000 GB/s", None)


@pytest.mark.parametrize(
    ("text", "unknown", "values", "message"),
    [
        ("x", "x", {}, "there is nothing to solve for x in 'x'\nwrite an equation: \"t = W/beta\""),
        ("y = 3", "x", {}, "x is not in 'y = 3'\nsolve for y"),
        ("2 = 3", "x", {}, "x is not in '2 = 3'\nsolve for a name that is in it"),
        ("x = y", "x", {"y": "1..2"}, "y is a range, and an equation takes one value\ngive one of its ends"),
        ("x = y", "x", {}, "the name 'y' has no value\n  x = y\n      ^\ngive its value: y=\"...\""),
        ("x = 3 s + 4 B", "x", {}, "adding s and byte\n  x = 3 s + 4 B\n          ^\n"
                                       "both sides need the same dimension"),
        ("x + 1 s = 3 B", "x", {}, "'x + 1 s = 3 B' compares s with byte\n"
                                       "both sides of an equation need the same dimension"),
        ("2^x = 8", "x", {}, "the equation is not algebraic in x\nsolve it for another symbol"),
        ("x^y = 8", "x", {"y": "10^6"}, "the exponent 1000000 is above 4096\n  x^y = 8\n   ^\nwrite a smaller power"),
        ("x^y = 8", "x", {"y": "1/3"}, "the exponent 1/3 is neither a whole number nor a half\n  x^y = 8\n   ^\n"
                                       "only square roots are exact"),
        ("x^21 = 8", "x", {}, "the equation has x to the power of 21\npowers go up to 20"),
        ("ln(x) = 1", "x", {}, "ln of x cannot be part of an equation or a range\n  ln(x) = 1\n  ^\nput its value in"),
        ("round(x) = 1", "x", {}, "round of x cannot be part of an equation or a range\n  round(x) = 1\n  ^\n"
                                  "floor(x + 1/2) rounds in every reading"),
        ("x = 3*ln(2)", "x", {}, "the equation has a logarithm or a power of e in it\n"
                                 "put its value in, rounded to the digits you need"),
        ("x*y = 3", "x", {"y": "exp(1)"}, "the equation has a logarithm or a power of e in it\n"
                                          "put its value in, rounded to the digits you need"),
        ("x*y = 3", "x", {"y": -1}, "y=-1: y cannot be negative\nquantities are zero or positive"),
        ("x = 3 s in GB", "x", {}, "the result is in s, which cannot be given in GB\n  x = 3 s in GB\n             ^\n"
                                   "ask for a unit of s, such as s"),
    ],
)  # fmt: skip
def test_refused(text: str, unknown: str, values: dict[str, Any], message: str) -> None:
    with pytest.raises(SymroofError) as caught:
        solved(parse_line(text), unknown, names_of(values))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "values", "low", "high", "how"),
    [
        ("W/beta in ms", {"W": "140 GB", "beta": "1.4..1.75 TB/s"}, "80 ms", "100 ms", "monotone"),
        ("W/beta", {"W": "140..280 GB", "beta": "1.4..1.75 TB/s"}, "80 ms", "200 ms", "monotone"),
        ("x - 2 GB", {"x": "3..4 GB"}, "1 GB", "2 GB", "monotone"),
        ("40 % * x", {"x": "1..2"}, "0.4", "0.8", "monotone"),
        ("abs(x - 2)", {"x": "1..4"}, "0", "2", "interval arithmetic"),
        ("y^2", {"x": "1..4", "y": "2..3"}, "4", "9", "monotone"),
        ("literal_0 + 1 s", {"literal_0": "2..3 s"}, "3 s", "4 s", "monotone"),
        ("result = 2*x", {"x": "1..4"}, "2", "8", "monotone"),
    ],
)
def test_bounds(text: str, values: dict[str, Any], low: str, high: str, how: str) -> None:
    found = bounds(definition(parse_line(text)), names_of(values))
    assert (quantity_full_text(found.low), quantity_full_text(found.high), found.how) == (low, high, how)


def test_bounds_that_there_are_not() -> None:
    for text, message in (
        ("1/(x - 1)", "a divisor can be zero: it lies in -1..1\nnarrow the range of x"),
        ("ln(x)", "ln of x cannot be part of an equation or a range\n  ln(x)\n  ^\nput its value in"),
        ("x + 1 s", "a plain number and s do not go together\n  x + 1 s\n    ^\nboth sides need the same dimension"),
        ("x^(10^9/2)", "the exponent 500000000 is above 4096\n  x^(10^9/2)\n   ^\nwrite a smaller power"),
        ("(10^9)^(1000*x)", "a power takes more than 4,000 digits\nuse smaller powers"),
    ):
        with pytest.raises(SymroofError) as caught:
            bounds(definition(parse_line(text)), names_of({"x": "0..2"}))
        assert (
            str(caught.value)
            .replace("adding ", "")
            .replace("a plain number and s\n", "a plain number and s do not go together\n")
            == message
        )
