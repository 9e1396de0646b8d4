"""What is said of lines whose units fit and that are likely wrong all the same; and that the rest is left in peace."""

from __future__ import annotations

import pytest

from symroof.envelope import Names, definition, result
from symroof.expression import Relation, parse_line
from symroof.remarks import remarks, unlike_the_chip
from symroof.units import quantity

A100 = "NVIDIA A100 40GB SXM4"
SPARSE = (
    f"624 TFLOP/s is the FP16 peak of the {A100} with structured sparsity, 2 times the dense one: "
    "312 TFLOP/s for a dense product"
)
MIXED = "GB (10^9 byte) and GiB (2^30 byte) meet in one sum or comparison: check that both are meant"
LINK = f"600 GB/s is both directions of the GPU links of the {A100} together; one direction is 300 GB/s (beta_link)"
HOST = f"64 GB/s is both directions of the host link of the {A100} together; one direction is 31.5 GB/s (beta_host)"


def said(text: str, *, on: str | None = None, dtype: str = "fp16", **values: str) -> list[str]:
    names = Names(on=on, dtype=dtype)
    for name, content in values.items():
        names.set(name, content)
    line = parse_line(text)
    if isinstance(line.said, Relation) and line.said.operator != "=":
        return remarks([line.said.left, line.said.right], names)
    defined = definition(line)
    return remarks([defined.expression], names, result(defined, names).value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # 8796/6.71 = 1310.9 and 1310.9/312 = 4.20
        (
            "8796 GFLOP / 6.71 ms",
            f"1.311 PFLOP/s is 4.2 times the dense FP16 peak of the {A100}: check the timing "
            "(or name another chip: --on CHIP)",
        ),
        ("1310 TFLOP/s in TFLOP/s", "1310 TFLOP/s is 4.2 times the dense FP16 peak of the "
            f"{A100}: check the timing (or name another chip: --on CHIP)"),
        ("3 TFLOP / 624 TFLOP/s", SPARSE),
        ("2 * 312 TFLOP/s", SPARSE),
        ("1 GB + 1 GiB", MIXED),
        ("max(40 GB, 40 GiB)/1 s", MIXED),
        ("-(3 GiB - 3 GB)", MIXED),
        ("W - 1 GiB", MIXED),
        ("W <= 3 GiB", MIXED),
        ("40 MB + 1 GiB", MIXED.replace("GB (10^9", "MB (10^6")),
        ("W / 600 GB/s", LINK),
        ("W / link", LINK),
        ("W / 64 GB/s", HOST),
        ("140 GB / s", "s is here the size of an element, 2 byte; "
            "the unit stands directly behind its number: 140 GB/s"),
    ],
)  # fmt: skip
def test_said_in_full(text: str, expected: str) -> None:
    assert said(text, W="140 GB", link="600 GB/s") == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "2*8192*512*2^20 FLOP / 312 TFLOP/s",
        "P",
        "3 TFLOP / P",
        "3 TFLOP / 989 TFLOP/s",  # somebody else's chip
        "W / beta",
        "W / 1555 GB/s",
        "W / 300 GB/s",
        "W / 31.5 GB/s",
        "W / 3.35 TB/s",
        "28 GB in GiB",
        "28 GiB / 1 GB",
        "40 GiB + 1024 MiB",
        "1 GB + 1 MB + 1 byte + 1 bit",
        "W / 20 ms",
        "3 GB / u",
        "1 ns + 1 us",
    ],
)
def test_left_in_peace(text: str) -> None:
    assert said(text, W="140 GB", u="2 byte") == []


def test_a_named_chip_is_what_rates_are_compared_with() -> None:
    # 989.4/312 = 3.17; the H100's own dense FP16 peak is 989.4 TFLOP/s
    assert said("3 TFLOP / 989 TFLOP/s", on="a100-40gb") == [
        f"989 TFLOP/s is 3.2 times the dense FP16 peak of the {A100}: check the timing"
    ]
    assert said("3 TFLOP / 989 TFLOP/s", on="h100-sxm") == []
    # the rate of int8 is twice that of fp16
    assert said("3 TOP / 624 TOP/s", on="a100-40gb", dtype="int8") == []
    # an A100 has no fp8, so nothing is to be compared
    assert said("3 TFLOP / 989 TFLOP/s", on="a100-40gb", dtype="fp8") == []


def test_each_is_said_once() -> None:
    assert said("1 GB / 600 GB/s + 2 GB / 600 GB/s") == [LINK]


def test_the_element_size_may_be_set() -> None:
    assert said("140 GB / s", s="2 byte") == []


def test_a_solved_name_that_is_not_what_the_chip_has() -> None:
    names = Names()
    assert unlike_the_chip("beta", quantity(3, "GB/s"), names) == []
    assert unlike_the_chip("x", quantity(3), names) == []
    assert unlike_the_chip("beta", quantity(3), names) == [
        "beta comes out as a plain number; the chip's beta is in byte/s: check the units of the other values"
    ]
