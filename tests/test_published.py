"""What others publish, case by case, through the commands: `data/published.toml` says how each is worked out."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from symroof.expression import value
from symroof.units import magnitude_in, quantity, unit, unit_text
from tests.conftest import Command

pytestmark = pytest.mark.slow

DATA = tomllib.loads((Path(__file__).parent / "data" / "published.toml").read_text(encoding="utf-8"))
CASES: list[Mapping[str, Any]] = DATA["case"]

# How many cases of each topic were collected, and those that nothing here works out, with the reason.
COLLECTED = {"gemm": 8, "elementwise": 4, "crossover": 9, "peak": 15}
LEFT_OUT: Mapping[str, str] = {}

NUMBER = re.compile(r"(-?[0-9]+)(?:\.([0-9]+))?(?:e([0-9]+))?")


def checks() -> Iterator[Any]:
    for case in CASES:
        for at, check in enumerate(case["check"]):
            yield pytest.param(case, check, id=f"{case['id']}-{at + 1}")


def arguments(case: Mapping[str, Any], check: Mapping[str, Any]) -> list[str]:
    """The command that works out a check."""
    given = {**case["given"], **check.get("at", {})}
    if "calc" in check:  # which takes no name that its line does not use
        given = {name: content for name, content in given.items() if re.search(rf"\b{name}\b", check["calc"])}
    values = [f"{name}={content}" for name, content in given.items()]
    dtype = ["--dtype", check["dtype"]] if "dtype" in check else []
    unknown = ["--for", check["for"]] if "for" in check else []
    if "calc" in check:
        measured = unit_text(value(check["expect"]).units) if "expect" in check else ""
        return ["calc", check["calc"], *values, *unknown, *(["--in", measured] if measured else []), *dtype, "--json"]
    settings = [word for one in values for word in ("--set", one)]
    command = "eval" if "eval" in check else "solve"
    return [command, check[command], check["of"], *unknown, *settings, *dtype, "--json"]


def unit_in_last_place(figure: str) -> Fraction:
    match = NUMBER.match(figure)
    assert match
    return Fraction(10) ** (int(match[3] or 0) - len(match[2] or ""))


def figure_in(figure: str, measured: str) -> tuple[Fraction, Fraction]:
    """A printed figure and a unit in its last place, as numbers of a unit."""
    printed, wanted = value(figure), unit(measured)
    number, one = magnitude_in(printed, wanted), magnitude_in(quantity(1, printed.units), wanted)
    assert isinstance(number, Fraction)
    assert isinstance(one, Fraction)
    return number, unit_in_last_place(figure) * one


def relates(exact: Fraction, printed: Fraction, last: Fraction, tolerance: str) -> bool:
    """Whether a printed number relates to the exact one as its case says."""
    if tolerance.endswith(" %"):
        return abs(printed - exact) <= Fraction(tolerance.removesuffix(" %")) / 100 * exact
    match tolerance:
        case "exact":
            return printed == exact
        case "printed digits":
            return abs(printed - exact) <= last / 2
        case "truncated":
            return 0 <= exact - printed < last
        case "printed wrong":
            return abs(printed - exact) > last
    raise AssertionError(tolerance)


@pytest.mark.parametrize(("case", "check"), list(checks()))
def test_published(call: Command, case: Mapping[str, Any], check: Mapping[str, Any]) -> None:
    done = call(*arguments(case, check))
    assert done.code == 0
    found = json.loads(done.out)
    if "verdict" in check:
        assert found["verdict"] == check["verdict"]
        return
    if "eval" in check:
        result = found["results"][check["of"]]
    else:
        (result,) = found["roots"] if "roots" in found else [found["result"]]
    if "label" in check:
        assert result == {"label": check["label"]}
        return
    exact = Fraction(result["exact"])
    if "first" in check:
        assert result["first_integer"] == check["first"]
    if "above" in check or "below" in check:
        assert check.get("below", exact + 1) > exact > check.get("above", exact - 1)
        return
    expected, last = figure_in(check["expect"], result["unit"])
    assert abs(exact - expected) <= last / 2
    if "printed" in check:
        printed, last = figure_in(check["printed"], result["unit"])
        assert relates(exact, printed, last, check.get("tolerance", "printed digits"))


def coverage() -> str:
    """How many of the cases that were collected are worked out, and why the others are not."""
    lines = [f"published cases: {len(CASES)} of {sum(COLLECTED.values())}"]
    return "\n".join([*lines, *(f"  {name}: {reason}" for name, reason in LEFT_OUT.items())])


def test_every_case_is_worked_out_or_left_out_for_a_reason() -> None:
    worked_out = Counter(case["topic"] for case in CASES)
    assert set(worked_out) == set(DATA["topics"])
    assert len({case["id"] for case in CASES}) == len(CASES)
    assert sum(worked_out.values()) + len(LEFT_OUT) == sum(COLLECTED.values())
    for topic, count in COLLECTED.items():
        assert worked_out[topic] <= count
