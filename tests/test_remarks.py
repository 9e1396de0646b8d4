"""What is said of lines whose units fit and that are likely wrong all the same; and that the rest is left in peace."""

from __future__ import annotations

from typing import Any

import pytest

from symroof.envelope import Names, definition, result
from symroof.expression import Relation, parse_line
from symroof.remarks import remarks, taken_by_default, unlike_the_chip
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
        "2*s",
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


def test_bandwidths_above_the_peak_of_a_named_chip() -> None:
    # 18.26 GB in 5 ms are 3652 GB/s, and 3652/1555 = 2.35
    above = f"3.652 TB/s is 2.3 times the peak memory bandwidth of the {A100}: check the timing"
    assert said("18.26 GB / 5 ms", on="a100-40gb") == [above]
    assert said("W / 3652 GB/s", on="a100-40gb", W="140 GB") == [above.replace("3.652 TB", "3652 GB")]
    assert said("18.26 GB / 5 ms", on="h200") == []  # 4.8 TB/s
    assert said("beta", on="a100-40gb") == []


def test_a_rate_near_the_sparse_peak() -> None:
    # 1310/624 = 2.099, and 1310/1248 = 1.0497
    assert said("1310 TOPS", dtype="int8") == [
        f"1310 TOP/s is 2.1 times the dense INT8 peak of the {A100}, near the 1248 TOP/s with structured sparsity: "
        "check the timing (or name another chip: --on CHIP)"
    ]
    assert said("1248 TOPS", dtype="int8") == [
        f"1248 TOP/s is the INT8 peak of the {A100} with structured sparsity, 2 times the dense one: "
        "624 TOP/s for a dense product"
    ]
    # integer operations are not compared with the sparse peak of a float type
    assert said("624 TOPS") == [
        f"624 TOP/s is 2 times the dense FP16 peak of the {A100}: check the timing (or name another chip: --on CHIP)"
    ]


def test_multipliers_that_are_units() -> None:
    kelvin = "128 K is a temperature in kelvin; for a multiple, write 128000 or 128*1024"
    assert said("2*T", T="128K") == [kelvin]
    assert said("2*128K") == [kelvin.replace("128 K", "128K")]
    byte = "the result is in {}: a B is a byte, so write 7*10^9 for 7 billion"
    assert said("7B * 2 byte") == [byte.format("byte^2")]
    assert said("2*N*3 FLOP", N="7B") == [byte.format("byte*FLOP")]
    assert said("7B + 1 byte") == []


@pytest.mark.parametrize(
    ("text", "chosen", "expected"),
    [
        ("3 GB / beta", {}, [f"beta = 1555 GB/s of the {A100} (another: --on CHIP)"]),
        ("3 GB / beta", {"on": "h100-sxm"}, []),
        ("3*s", {}, ["s = 2 byte of fp16 (another: --dtype DTYPE)"]),
        ("3*s", {"on": "h100-sxm"}, ["s = 2 byte of fp16 (another: --dtype DTYPE)"]),
        ("3*s_kv", {"dtype": "fp8"}, []),
        ("3 FLOP / P", {}, [f"P = 312 TFLOP/s of the {A100} in fp16 (another: --on CHIP, --dtype DTYPE)"]),
        ("3 FLOP / P", {"dtype": "int8"}, [f"P = 624 TOP/s of the {A100} (another: --on CHIP)"]),
        ("3 FLOP / P", {"on": "a100-40gb"}, []),
        ("3 s", {}, []),
    ],
)
def test_what_nobody_named(text: str, chosen: dict[str, Any], expected: list[str]) -> None:
    names = Names(**chosen)
    result(definition(parse_line(text)), names)
    assert taken_by_default(names) == expected


def test_values_take_by_default_too_and_an_unknown_does_not() -> None:
    names = Names(given={"x": "3 GB / beta", "beta_host": "1 GB/s"})
    expected = [f"beta = 1555 GB/s of the {A100} (another: --on CHIP)"]
    result(definition(parse_line("x*beta_host")), names)
    assert taken_by_default(names) == expected
    assert taken_by_default(names, but="beta") == []


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
