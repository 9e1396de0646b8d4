"""An author's sentences with values in them."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest

from symroof import Derivation, SymroofError
from symroof.blanks import Blank, template
from symroof.case import Case
from symroof.errors import AuthoringError, ParseError, UnitError, UnknownNameError
from symroof.sentences import spoken
from symroof.settings import Settings


def made() -> Derivation:
    found = Derivation("made")
    found.given("L", "layers", count=True, default=72)
    found.given("C", "memory", unit="byte", default="40 GiB")
    found.given("x", unit="s", default=Fraction(1, 3))

    @found.step(unit="GiB")
    def M(L: Any, C: Any) -> Any:
        return L * C / 60

    @found.step()
    def verdict(M: Any, C: Any) -> Any:
        return "fits" if M <= C else "does not fit"

    return found


def said(text: str, **values: Any) -> str:
    derivation = made()
    derivation.conclude(text)
    return spoken(Case(Settings(derivation, values)), derivation.conclusions[0]).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no blank", "no blank"),
        ("{L} layers", "72 layers"),
        ("with {L=} and {x=}", "with L = 72 and x = 1/3 s"),  # a given is in full
        ("{x:ms}", "333.3 ms"),  # in another unit a figure is rounded
        ("{M} is {M:GB}", "48 GiB is 51.54 GB"),  # 72 * 40 / 60; 48 * 1.073741824
        ("{M - C:GiB} over", "8 GiB over"),
        ("{M/C} times, {floor(M/C)} whole", "1.2 times, 1 whole"),
        ("it {verdict}", "it does not fit"),
        ("{{braces}}", "{braces}"),
        (r"$M_{\mathrm{a}}$ of {L}", "M_a of 72"),  # the braces of maths are its own
    ],
)
def test_what_is_filled_in(text: str, expected: str) -> None:
    assert said(text) == expected


def test_the_values_are_those_of_the_case() -> None:
    assert said("{L=}: {M}, {verdict}", L=3) == "L = 3: 2 GiB, fits"


def test_parts() -> None:
    one, blank, other = template("a {M - C:GiB} b").parts
    assert isinstance(blank, Blank)
    assert (one, other) == ("a ", " b")
    assert (blank.expression.text, blank.unit, blank.named) == ("M - C", "GiB", False)


@pytest.mark.parametrize(
    ("text", "kind", "problem"),
    [
        ("{N} layers", UnknownNameError, "conclude: unknown name 'N' in made"),
        ("{M + K:GiB}", UnknownNameError, "conclude: unknown name 'K' in made"),
        ("{L", AuthoringError, "conclude: the braces in '{L' do not match"),
        ("L}", AuthoringError, "conclude: the braces in 'L}' do not match"),
        ("{}", ParseError, "conclude: "),
        ("{M +}", ParseError, "conclude: "),
        ("{M:KB}", UnitError, "conclude: the unit 'KB' is ambiguous"),
        ("{M:GiBx}", UnknownNameError, "conclude: unknown unit 'GiBx'"),
    ],
)
def test_a_sentence_that_is_wrong_is_refused_when_it_is_declared(
    text: str, kind: type[SymroofError], problem: str
) -> None:
    with pytest.raises(kind, match="^" + re.escape(problem)):
        made().conclude(text)


def test_a_unit_that_does_not_fit() -> None:
    for text in ("{M:s}", "{M - C}", "{verdict:s}"):
        with pytest.raises(UnitError):
            said(text)
