"""Lines one after the other: names that stay, what is expected of results, and where an error is."""

from __future__ import annotations

import click
import pytest

from symroof.envelope import Names
from symroof.errors import SymroofError
from symroof.scratchpad import Entry, Scratchpad, entries, outcome_text


def worked_out(*lines: str) -> list[str]:
    found = list(entries(lines, Scratchpad(Names())))
    return [outcome_text(entry, 4, None, named=True) for entry in found]


def test_names_are_kept() -> None:
    # 140/1.555 = 90.032 and 140/3.35 = 41.791
    assert worked_out(
        "W = 140 GB", "# a comment", "", "t = W/beta in ms  # on an A100", "beta = 3.35 TB/s", "W/beta"
    ) == [
        "W = 140 GB",
        "",
        "",
        "t = 90.03 ms",
        "beta = 3.35 TB/s",
        "41.79 ms",
    ]


def test_ranges() -> None:
    assert worked_out("W = 140 GB", "beta = 1.4..1.75 TB/s", "W/beta in ms", "beta = 2 TB/s", "W/beta") == [
        "W = 140 GB",
        "",
        click.style("   (monotone: falls in beta)", dim=True).join(["80 ms to 100 ms", ""]),
        "beta = 2 TB/s",
        "70 ms",
    ]


@pytest.mark.parametrize(
    ("printed", "outcome"),
    [
        # 140/3.35 = 41.79104...: within half a unit of the last digit printed, or not
        ("41.79 ms", "ok"),
        ("41.791 ms", "ok"),
        ("41.8 ms", "ok"),
        ("42 ms", "ok"),
        ("0.0418 s", "ok"),
        ("41.80 ms", "FAILED: ours is 41.79 ms, -0.021 % from it"),
        ("41 ms", "FAILED: ours is 41.79 ms, 1.9 % from it"),
        ("4 ms", "FAILED: ours is 41.79 ms, 10.45 times it"),
        ("0 ms", "FAILED: ours is 41.79 ms, not 0"),
    ],
)
def test_expectations(printed: str, outcome: str) -> None:
    assert worked_out("140 GB / 3.35 TB/s", f"expect {printed}")[1] == outcome


def test_irrational_results_are_compared_too() -> None:
    # ln 2 = 0.693147...
    assert worked_out("ln(2)", "expect 0.6931", "expect 0.69315", "expect 0.6932")[1:] == [
        "ok",
        "ok",
        "FAILED: ours is 0.6931, -0.0076 % from it",
    ]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["1 s", "2 s +"], "line 2: the text ends where a number or a name is expected\n  2 s +\n       ^"),
        (["x = 1 s", "x + 3 B"], "line 2: s and byte do not go together\n  x + 3 B\n    ^\n"
                                 "both sides need the same dimension"),
        (["", "expect 3 s"], "line 2: there is no value before it to expect anything of\nput it below a calculation"),
        (["1 s", "expect 3 B"], "line 2: a quantity in s cannot be given in byte\nits dimension is that of s"),
        (["1 s", "expect x"], "line 2: this is no printed figure\n  x\n  ^\nwrite it as \"expect 28.19 ms\""),
        (["x = 1..2 s", "t = 2*x"], "line 2: t would be a range: 't = 2*x' uses one\nask without the name: 2*x"),
        (["x = 3..1 s"], "line 1: x=3..1 s: a range starts at its low end, and 3 s is above 1 s\n"
                         "write the smaller value first"),
        (["t <= 3 s"], "line 1: the name 't' has no value\n  t <= 3 s\n  ^\n"
                       "give its value: t=\"...\"\nor solve for it: --for t"),
        (["ln = 3"], "line 1: 'ln' cannot be a name\nuse letters, digits and _, as in t_mem"),
    ],
)  # fmt: skip
def test_an_error_says_its_line(lines: list[str], message: str) -> None:
    with pytest.raises(SymroofError) as caught:
        list(entries(lines, Scratchpad(Names())))
    assert str(caught.value) == message


def test_an_error_leaves_the_names_as_they_were() -> None:
    pad = Scratchpad(Names())
    pad.read("x = 3 s")
    for wrong in ("x = 3 s + 1 B", "x = 2..1", "x ="):
        with pytest.raises(SymroofError):
            pad.read(wrong)
    assert str(pad.read("x").value) == "3 s"


def test_comparisons() -> None:
    assert worked_out("W = 140 GB", "W <= 160 GB", "W <= 2*C") == [
        "W = 140 GB",
        "yes: 140 GB <= 160 GB, by 20 GB (12.5 % of 160 GB)",
        # 2*42405855232 byte is 84.811710464 GB; 140 is 55.188289536 more, which is 65.07 % of it
        "no: 140 GB > 84.81 GB, by 55.19 GB (65.07 % of 84.81 GB)",
    ]


def test_a_comparison_is_no_value_to_expect() -> None:
    with pytest.raises(SymroofError, match="line 3: there is no value before it"):
        list(entries(["1 s", "1 s <= 2 s", "expect 1 s"], Scratchpad(Names())))


def test_what_is_taken_by_default_is_said_once() -> None:
    lines = ("140 GB / beta", "70 GB / beta", "3*s", "beta = 2 TB/s", "x = 1..2 GB", "x/beta_link")
    notes = [entry.notes for entry in entries(lines, Scratchpad(Names()))]
    assert notes == [
        ("beta = 1555 GB/s of the NVIDIA A100 40GB SXM4 (another: --on CHIP)",),
        (),
        (
            "s = 2 byte of fp16 (another: --dtype DTYPE)",
            "s is here the size of an element, 2 byte; the unit stands directly behind its number: 3*s",
        ),
        (),
        (),
        ("beta_link = 300 GB/s of the NVIDIA A100 40GB SXM4 (another: --on CHIP)",),
    ]


def test_a_given_name_is_not_defined_again() -> None:
    pad = Scratchpad(Names(given={"W": "70 GB"}))
    for line in ("W = 140 GB", "W = 1..2 GB"):
        with pytest.raises(SymroofError, match="W is given and defined\nleave one of the two out"):
            pad.read(line)
    assert str(pad.read("W").value) == "70 GB"


def test_an_entry_fails_only_with_a_difference() -> None:
    assert not Entry("").failed
    assert not Entry("", difference="").failed
    assert Entry("", difference="ours is 3").failed
