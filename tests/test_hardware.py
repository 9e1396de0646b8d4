"""The catalogue against figures written down here by hand, and chips of a user's own."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import pytest

from symroof.errors import LoadError, UnknownNameError
from symroof.hardware import (
    CHIP_SYMBOLS,
    DEFAULT_CHIP,
    DEFAULT_DTYPE,
    DTYPES,
    Chip,
    Datum,
    MissingRateError,
    chip,
    chip_ids,
    chips,
    element_size,
)
from symroof.units import Dimension, base_magnitude, magnitude_in, unit

pytestmark = pytest.mark.slow

UNITS = {"memory": "byte", "driver_memory": "byte", "bandwidth": "byte/s", "rates": "FLOP/s"}
UNITS |= {"host_link": "byte/s", "gpu_link": "byte/s", "l2": "byte", "tdp": "W"}

# id, data type, its dense rate in TFLOP/s, bandwidth in GB/s, label in GB, ridge as tables print it
CATALOGUE = [
    ("a100-40gb", "fp16", "312", 1555, 40, "200.6"),
    ("a100-40gb-pcie", "fp16", "312", 1555, 40, "200.6"),
    ("a100-80gb", "fp16", "312", 2039, 80, "153.0"),
    ("a100-80gb-pcie", "fp16", "312", 1935, 80, "161.2"),
    ("h100-sxm", "fp16", "989.4", 3350, 80, "295.3"),
    ("h100-pcie", "fp16", "756", 2000, 80, "378.0"),
    ("h200", "fp16", "989.4", 4800, 141, "206.1"),
    ("gh200-96gb", "fp16", "989", 4000, 96, "247"),
    ("b200", "fp16", "2250", 8000, 180, "281.25"),
    ("gb200", "fp16", "2500", 8000, 186, "312.5"),
    ("b300", "fp16", "2250", 8000, 288, "281.25"),
    ("v100-sxm2-16gb", "fp16", "125", 900, 16, "138.9"),
    ("v100-sxm2-32gb", "fp16", "125", 900, 32, "138.9"),
    ("v100-pcie-16gb", "fp16", "112", 900, 16, "124.4"),
    ("v100-pcie-32gb", "fp16", "112", 900, 32, "124.4"),
    ("t4", "fp16", "65", 320, 16, "203.1"),
    ("a10", "fp16", "125", 600, 24, "208.3"),
    ("l4", "fp16", "121", 300, 24, "403.3"),
    ("l40s", "fp16", "362", 864, 48, "419.0"),
    ("rtx-4090", "fp16", "165.2", 1008, 24, "163.9"),
    ("mi300x", "fp16", "1307.4", 5300, 192, "246.7"),
    ("mi325x", "fp16", "1307.4", 6000, 256, "217.9"),
    ("mi355x", "fp16", "2500", 8000, 288, "312.5"),
    ("gaudi3", "bf16", "1677", 3700, 128, "453.2"),
    ("trainium2", "fp16", "667", 2900, 96, "230.0"),
    ("tpu-v4", "bf16", "275", 1200, 32, "229"),
    ("tpu-v5e", "bf16", "197", 819, 16, "240.5"),
    ("tpu-v5p", "bf16", "459", 2765, 95, "166"),
    ("tpu-v6e", "bf16", "918", 1638, 32, "560"),
]


def per_second(datum: Datum | None, wanted: str) -> Fraction:
    assert datum is not None
    found = magnitude_in(datum.quantity, unit(wanted))
    assert isinstance(found, Fraction)
    return found


def rates(identifier: str) -> dict[str, Fraction]:
    """Dense rates in TFLOP/s."""
    return {dtype: per_second(rate.dense, "TFLOP/s") for dtype, rate in chip(identifier).rates.items()}


def all_figures() -> list[tuple[str, str, Datum]]:
    return [(found.id, key, datum) for found in chips() for key, datum in found.figures().items()]


def test_the_catalogue_holds_these_chips_in_this_order() -> None:
    assert chip_ids() == [row[0] for row in CATALOGUE]
    assert [found.id for found in chips()] == chip_ids()
    assert len({found.name for found in chips()}) == len(CATALOGUE)


@pytest.mark.parametrize("row", CATALOGUE, ids=lambda row: row[0])
def test_peak_bandwidth_memory_and_ridge(row: tuple[str, str, str, int, int, str]) -> None:
    identifier, dtype, peak, bandwidth, label, ridge = row
    found = chip(identifier)
    rate = found.given("P", dtype)
    assert per_second(rate, "FLOP/s") == Fraction(peak) * 10**12
    assert per_second(found.given("beta", dtype), "byte/s") == bandwidth * 10**9
    assert base_magnitude(found.memory.quantity) == label * 10**9
    decimals = len(ridge.partition(".")[2])
    exact = per_second(rate, "FLOP/s") / per_second(found.bandwidth, "byte/s")
    assert round(exact, decimals) == Fraction(ridge)


def test_the_default_chip_in_full() -> None:
    found = chip(DEFAULT_CHIP)
    assert (DEFAULT_CHIP, DEFAULT_DTYPE, found.name) == ("a100-40gb", "fp16", "NVIDIA A100 40GB SXM4")
    assert rates("a100-40gb") == {
        "fp64": Fraction(39, 2),
        "fp32": Fraction(39, 2),
        "tf32": 156,
        "fp16": 312,
        "bf16": 312,
        "int8": 624,
        "int4": 1248,
    }
    assert found.bandwidth == Datum(
        "1555 GB/s", "NVIDIA datasheet figures as collected on glennklockwood.com", "2026-11-30"
    )
    assert found.l2 is not None
    assert base_magnitude(found.l2.quantity) == 41943040
    assert found.tdp is not None
    assert magnitude_in(found.tdp.quantity, unit("W")) == 400
    ridge = found.rate("fp16").dense.quantity / found.bandwidth.quantity
    assert magnitude_in(ridge, unit("FLOP/byte")) == Fraction(62400, 311)


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("h100-sxm", {"fp32": "67", "tf32": "494.5", "bf16": "989.4", "fp8": "1978.9", "int8": "1978.9"}),
        ("h100-pcie", {"fp32": "51", "tf32": "378", "bf16": "756", "fp8": "1513", "int8": "1513"}),
        ("h200", {"fp32": "67", "tf32": "494.5", "bf16": "989.4", "fp8": "1978.9", "int8": "1978.9"}),
        ("gh200-96gb", {"fp32": "67", "tf32": "494.5", "bf16": "989", "fp8": "1979", "int8": "1979"}),
        ("b200", {"fp32": "80", "tf32": "1125", "bf16": "2250", "fp8": "4500", "int8": "4500"}),
        ("gb200", {"fp32": "80", "tf32": "1250", "bf16": "2500", "fp8": "5000", "int8": "5000"}),
        ("b300", {"tf32": "1125", "bf16": "2250", "fp8": "4500"}),
        ("v100-sxm2-16gb", {"fp32": "15.7", "int8": "62.7"}),
        ("v100-pcie-32gb", {"fp32": "14"}),
        ("t4", {"fp32": "8.1", "int8": "130", "int4": "260"}),
        ("l4", {"fp32": "30.3", "tf32": "60", "bf16": "121", "fp8": "242.5", "int8": "242.5"}),
        ("l40s", {"fp32": "91.6", "tf32": "183", "bf16": "362", "fp8": "733", "int8": "733"}),
        ("mi300x", {"fp32": "163.4", "tf32": "653.7", "bf16": "1307.4", "fp8": "2614.9", "int8": "2614.9"}),
        ("mi325x", {"fp32": "163.4", "tf32": "653.7", "bf16": "1307.4", "fp8": "2610", "int8": "2600"}),
        ("mi355x", {"fp32": "157.3", "bf16": "2500", "fp8": "5000", "int8": "5000"}),
        ("gaudi3", {"fp32": "229", "tf32": "459", "fp16": "459", "bf16": "1677", "fp8": "1677"}),
        ("trainium2", {"fp32": "181", "tf32": "667", "bf16": "667", "fp8": "1299"}),
        ("tpu-v4", {"int8": "275"}),
        ("tpu-v5e", {"int8": "393"}),
        ("tpu-v5p", {"int8": "918"}),
        ("tpu-v6e", {"fp8": "918", "int8": "1836"}),
    ],
)
def test_the_other_dense_rates(identifier: str, expected: dict[str, str]) -> None:
    found = rates(identifier)
    assert {dtype: found[dtype] for dtype in expected} == {dtype: Fraction(rate) for dtype, rate in expected.items()}


@pytest.mark.parametrize(
    ("identifier", "dtype", "dense", "sparse"),
    [
        ("a100-40gb", "fp16", "312", "624"),
        ("a100-40gb", "int8", "624", "1248"),
        ("h100-sxm", "bf16", "989.4", "1978.9"),
        ("h100-pcie", "fp16", "756", "1513"),
        ("b200", "fp16", "2250", "4500"),
        ("gb200", "bf16", "2500", "5000"),
        ("l4", "fp16", "121", "242"),
        ("l40s", "bf16", "362", "733"),
        ("l40s", "fp8", "733", "1466"),
    ],
)
def test_the_sparse_rate_is_kept_apart(identifier: str, dtype: str, dense: str, sparse: str) -> None:
    found = chip(identifier)
    assert per_second(found.given("P", dtype), "TFLOP/s") == Fraction(dense)
    assert per_second(found.rate(dtype).sparse, "TFLOP/s") == Fraction(sparse)


def test_a_sparse_rate_is_about_twice_the_dense_one_or_more() -> None:
    sparse = [(found, rate) for found in chips() for rate in found.rates.values() if rate.sparse]
    assert len(sparse) == 57
    for found, rate in sparse:
        ratio = per_second(rate.sparse, "FLOP/s") / per_second(rate.dense, "FLOP/s")
        if found.id == "trainium2":  # four of sixteen instead of two of four
            assert Fraction(19, 10) < ratio < 4
        else:
            assert abs(ratio - 2) < Fraction(3, 100)


def test_products_are_summed_in_a_wider_type() -> None:
    expected = {"fp64": "fp64", "int8": "int32", "int4": "int32"}
    for found in chips():
        assert {dtype: rate.accumulate for dtype, rate in found.rates.items()} == {
            dtype: expected.get(dtype, "fp32") for dtype in found.rates
        }


# Peak = clock * multiply-adds per clock and core * 2 * cores; bandwidth = clock * 2 * bytes of bus.
@pytest.mark.parametrize(
    ("identifier", "by_clock"),
    [
        ("a100-40gb", 1_410_000_000 * 256 * 2 * 432),
        ("h100-sxm", 1_830_000_000 * 512 * 2 * 528),
        ("mi300x", 2_100_000_000 * 256 * 2 * 1216),
    ],
)
def test_the_peak_agrees_with_the_clock(identifier: str, by_clock: int) -> None:
    printed = per_second(chip(identifier).rate("fp16").dense, "FLOP/s")
    assert abs(printed / by_clock - 1) < Fraction(1, 1000)


@pytest.mark.parametrize(
    ("identifier", "by_clock"),
    [("a100-40gb", 1_215_000_000 * 2 * 640), ("a100-80gb", 1_593_000_000 * 2 * 640)],
)
def test_the_bandwidth_agrees_with_the_clock(identifier: str, by_clock: int) -> None:
    printed = per_second(chip(identifier).bandwidth, "byte/s")
    assert abs(printed / by_clock - 1) < Fraction(1, 1000)


def test_the_40_gb_and_80_gb_a100_differ_in_memory_only() -> None:
    small, large = chip("a100-40gb"), chip("a100-80gb")
    assert small.rates == large.rates
    assert small.l2 is not None
    assert large.l2 is not None
    assert small.l2.text == large.l2.text
    assert (small.bandwidth.text, large.bandwidth.text) == ("1555 GB/s", "2039 GB/s")


def test_capacity_is_what_the_driver_reports_else_the_decimal_label() -> None:
    assert base_magnitude(chip("a100-40gb").capacity.quantity) == 42405855232
    assert base_magnitude(chip("t4").capacity.quantity) == 15843721216
    assert base_magnitude(chip("a100-40gb-pcie").capacity.quantity) == 40 * 10**9
    known = {found.id for found in chips() if found.driver_memory}
    assert known == {"a100-40gb", "t4"}
    for found in chips():
        assert found.given("C", "int8") is found.capacity


# GB/s, one direction: PCI Express 3.0, 4.0 and 5.0 x16 are 15.75, 31.5 and 63; NVLink is half of what is printed.
LINKS = [
    ("a100-40gb", "31.5", "300"),
    ("a100-40gb-pcie", "31.5", None),
    ("a100-80gb", "31.5", "300"),
    ("a100-80gb-pcie", "31.5", None),
    ("h100-sxm", "63", "450"),
    ("h100-pcie", "63", None),
    ("h200", "63", "450"),
    ("gh200-96gb", None, "450"),
    ("b200", "63", "900"),
    ("gb200", None, "900"),
    ("b300", None, "900"),
    ("v100-sxm2-16gb", "15.75", "150"),
    ("v100-sxm2-32gb", "15.75", "150"),
    ("v100-pcie-16gb", "15.75", None),
    ("v100-pcie-32gb", "15.75", None),
    ("t4", "15.75", None),
    ("a10", "31.5", None),
    ("l4", "31.5", None),
    ("l40s", "31.5", None),
    ("rtx-4090", "31.5", None),
    ("mi300x", "63", "448"),
    ("mi325x", "63", "448"),
    ("mi355x", "63", "535.5"),
    ("gaudi3", "63", "600"),
    ("trainium2", None, "640"),
    ("tpu-v4", "15", "270"),
    ("tpu-v5e", "15", "200"),
    ("tpu-v5p", None, "600"),
    ("tpu-v6e", "32", "400"),
]


def test_links_are_one_direction() -> None:
    def gigabytes(datum: Datum | None) -> Fraction | None:
        return per_second(datum, "GB/s") if datum else None

    found = [(one.id, gigabytes(one.given("beta_host", "")), gigabytes(one.given("beta_link", ""))) for one in chips()]
    # Without a link of their own, chips reach each other over the host link.
    expected = []
    for name, host, own in LINKS:
        link = own or host
        expected.append((name, host and Fraction(host), link and Fraction(link)))
    assert found == expected


def test_every_nvlink_says_that_it_is_half_of_the_printed_figure() -> None:
    links = [found.gpu_link for found in chips() if found.gpu_link and "NVLink" in found.gpu_link.note]
    assert len(links) == 10
    for link in links:
        half = per_second(link, "GB/s")
        assert f"half of the printed {2 * half} GB/s" in link.note


@pytest.mark.parametrize(("identifier", "key", "datum"), all_figures())
def test_every_figure_has_its_unit_source_and_date(identifier: str, key: str, datum: Datum) -> None:
    assert Dimension.of(datum.quantity.units).same(Dimension.of(unit(UNITS[key.partition(".")[0]]))), identifier
    assert base_magnitude(datum.quantity) > 0
    assert len(datum.source) > 10
    year, month = (int(part) for part in datum.date.split("-")[:2])
    assert 2024 <= year <= 2026
    assert 1 <= month <= 12


def test_every_source_is_listed_and_every_listed_source_is_used() -> None:
    text = (files("symroof") / "data" / "hardware.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    listed = tables.pop("sources")
    figures = [
        entry
        for table in tables.values()
        for entry in [*table.values(), *table["rates"].values()]
        if isinstance(entry, dict) and "value" in entry
    ]
    assert {entry["source"] for entry in figures} == set(listed)
    assert len(figures) + 57 == len(all_figures())  # a sparse rate shares the table of its dense one


def test_a_rate_that_a_chip_lacks_is_an_error_that_lists_those_it_has() -> None:
    with pytest.raises(MissingRateError) as caught:
        chip("v100-sxm2-16gb").rate("bf16")
    assert str(caught.value) == "v100-sxm2-16gb has no bf16 rate\nit has fp32, fp16 and int8"
    assert (caught.value.kind, caught.value.known) == ("rate", ("fp32", "fp16", "int8"))
    with pytest.raises(MissingRateError, match="t4 has no bf16 rate\nit has fp32, fp16, int8 and int4"):
        chip("t4").given("P", "bf16")
    with pytest.raises(MissingRateError, match="a100-40gb has no fp8 rate"):
        chip("a100-40gb").rate("fp8")
    with pytest.raises(MissingRateError, match="h100-sxm has no int4 rate"):
        chip("h100-sxm").rate("int4")
    with pytest.raises(MissingRateError, match="tpu-v5e has no fp16 rate\nit has bf16 and int8"):
        chip("tpu-v5e").rate("fp16")


def test_unknown_names_are_errors_with_a_suggestion() -> None:
    with pytest.raises(UnknownNameError) as caught:
        chip("h100")
    assert caught.value.kind == "chip"
    assert caught.value.problem == "unknown chip 'h100'"
    assert "h100-sxm" in caught.value.hint
    assert caught.value.known == tuple(chip_ids())
    with pytest.raises(UnknownNameError, match="did you mean a100-40gb"):
        chip("A100_40GB")
    for ask in (chip("t4").rate, element_size):
        with pytest.raises(UnknownNameError) as unknown:
            ask("double")
        assert unknown.value.kind == "dtype"
        assert str(unknown.value) == ("unknown dtype 'double'\nknown: fp64, fp32, tf32, fp16, bf16, fp8, int8, int4")


def test_only_these_symbols_come_from_a_chip() -> None:
    found = chip("a100-40gb")
    assert list(CHIP_SYMBOLS) == ["P", "beta", "C", "C_label", "C_driver", "beta_host", "beta_link"]
    assert all(found.given(symbol, "fp16") for symbol in CHIP_SYMBOLS)
    assert all(found.given(symbol, "fp16") is None for symbol in ("m", "s", "s_kv", "c", "B", "p", ""))
    assert found.given("beta", "no such type") is found.bandwidth
    assert (found.given("C_label", "fp16"), found.given("C_driver", "fp16")) == (found.memory, found.driver_memory)
    assert chip("l4").given("C_driver", "fp16") == chip("l4").memory  # where the driver's figure is not known


@pytest.mark.parametrize(
    ("dtype", "size"),
    [
        ("fp64", Fraction(8)),
        ("fp32", Fraction(4)),
        ("tf32", Fraction(4)),
        ("fp16", Fraction(2)),
        ("bf16", Fraction(2)),
        ("fp8", Fraction(1)),
        ("int8", Fraction(1)),
        ("int4", Fraction(1, 2)),
    ],
)
def test_element_sizes(dtype: str, size: Fraction) -> None:
    assert DTYPES[dtype] == size
    found = element_size(dtype)
    assert base_magnitude(found.quantity) == size
    assert found.source == f"size of {dtype}"


def test_an_element_size_reads_well() -> None:
    assert element_size("int4") == Datum("0.5 byte", "size of int4", "")
    assert element_size("fp16").text == "2 byte"


MINIMAL = """
memory = "48 GB"
bandwidth = "864 GB/s"

[rates]
fp16 = "181 TFLOP/s"
"""


def own(folder: Path, text: str) -> Chip:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return chip(str(path))


def test_an_own_chip_needs_three_figures(tmp_path: Path) -> None:
    found = own(tmp_path, MINIMAL)
    source = str(tmp_path / "mine.toml")
    assert found == Chip(
        id="mine",
        name="mine",
        memory=Datum("48 GB", source, ""),
        bandwidth=Datum("864 GB/s", source, ""),
        rates=found.rates,
    )
    assert per_second(found.given("P", "fp16"), "TFLOP/s") == 181
    assert found.capacity is found.memory
    assert found.given("beta_host", "fp16") is None
    with pytest.raises(MissingRateError, match="mine has no bf16 rate\nit has fp16"):
        found.rate("bf16")


def test_an_own_chip_may_say_all_that_the_catalogue_says(tmp_path: Path) -> None:
    found = own(
        tmp_path,
        """
        name = "My chip"
        memory = { value = "48 GB", source = "its label", date = "2026-01-02", note = "GDDR6" }
        driver_memory = "44 GiB"
        bandwidth = "0.864 TB/s"
        host_link = "31.5 GB/s"
        gpu_link = "56 GB/s"
        l2 = "48 MiB"
        tdp = "0.3 kW"
        rates.fp16 = { value = "181 TFLOPS", sparse = "362 TFLOP/s", accumulate = "fp16", source = "its datasheet" }
        rates.int8 = "362 TOP/s"
        """,
    )
    assert (found.id, found.name) == ("mine", "My chip")
    assert found.memory == Datum("48 GB", "its label", "2026-01-02", "GDDR6")
    assert base_magnitude(found.capacity.quantity) == 44 * 2**30
    assert per_second(found.given("beta", "fp16"), "GB/s") == 864
    assert per_second(found.given("beta_link", "fp16"), "GB/s") == 56
    rate = found.rate("fp16")
    assert rate.accumulate == "fp16"
    assert rate.sparse == Datum("362 TFLOP/s", "its datasheet", "")
    assert per_second(rate.dense, "TFLOP/s") == 181
    assert per_second(found.given("P", "int8"), "TFLOP/s") == 362
    assert list(found.figures()) == [
        "memory",
        "driver_memory",
        "bandwidth",
        "host_link",
        "gpu_link",
        "l2",
        "tdp",
        "rates.fp16",
        "rates.fp16.sparse",
        "rates.int8",
    ]


def test_the_example_in_the_header_of_the_catalogue_works(tmp_path: Path) -> None:
    text = (files("symroof") / "data" / "hardware.toml").read_text(encoding="utf-8")
    example = text[text.index('#     name = "My chip"') : text.index("[sources]\nk")]
    found = own(tmp_path, "\n".join(line.removeprefix("#").strip() for line in example.splitlines()))
    assert found.name == "My chip"
    assert per_second(found.given("P", "int8"), "TFLOP/s") == 362


@pytest.mark.parametrize(
    ("old", "new", "problem", "hint"),
    [
        ('memory = "48 GB"\n', "", "memory is missing", "a chip needs at least memory, bandwidth and rates"),
        ('bandwidth = "864 GB/s"\n', "", "bandwidth is missing", "at least memory, bandwidth and rates"),
        ('[rates]\nfp16 = "181 TFLOP/s"\n', "", "rates is missing", "at least memory, bandwidth and rates"),
        ('fp16 = "181 TFLOP/s"\n', "", "rates holds no rate", 'write [rates] and below it fp16 = "312 TFLOP/s"'),
        ('[rates]\nfp16 = "181 TFLOP/s"', 'rates = "181 TFLOP/s"', "rates holds no rate", "write [rates]"),
        ("memory", "memroy", "unknown key memroy", "did you mean memory?"),
        ("fp16", "f16", "unknown key rates.f16", "did you mean fp16 or bf16?"),
        ('"48 GB"', '{ valeu = "48 GB" }', "unknown key memory.valeu", "did you mean value?"),
        ('"48 GB"', '{ value = "48 GB", sparse = "9 GB" }', "unknown key memory.sparse", "known: value, source"),
        ('"48 GB"', '{ note = "GDDR6" }', "memory.value is missing", "a figure is a number with its unit"),
        ('"48 GB"', "48", "memory is not text", 'write it in quotes, as in bandwidth = "1555 GB/s"'),
        ('"48 GB"', '{ value = "48 GB", date = 2026-01-02 }', "memory.date is not text", "write it in quotes"),
        ('memory = "48 GB"', 'memory = "48 GB"\nname = 7', "name is not text", "write it in quotes"),
        ('"48 GB"', '"48"', "memory: '48' is without a unit", 'expected byte, for example "40 GB"'),
        ('"48 GB"', '"48 GB/s"', "memory: '48 GB/s' is in GB/s", 'expected byte, for example "40 GB"'),
        ('"864 GB/s"', '"864 GB"', "bandwidth: '864 GB' is in GB", 'expected byte/s, for example "1555 GB/s"'),
        ('"864 GB/s"', '"0 GB/s"', "bandwidth: '0 GB/s' is not above zero", 'for example "1555 GB/s"'),
        ('"864 GB/s"', '"-864 GB/s"', "bandwidth: '-864 GB/s' is not above zero", 'for example "1555 GB/s"'),
        ('"181 TFLOP/s"', '"181 TFLOP"', "rates.fp16: '181 TFLOP' is in TFLOP", 'FLOP/s, for example "312 TFLOP/s"'),
        (
            'fp16 = "181 TFLOP/s"',
            'fp16 = { value = "181 TFLOP/s", sparse = "362 GB/s" }',
            "rates.fp16.sparse: '362 GB/s' is in GB/s",
            "expected FLOP/s",
        ),
        ('"864 GB/s"', '"864 GBps"', "bandwidth: the unit 'GBps' is ambiguous", "write GB/s"),
        ('"864 GB/s"', '"fast"', "bandwidth: 'fast' is not a number", "write a number and its unit"),
        ('"864 GB/s"', '"864 parsec/s"', "bandwidth: unknown unit 'parsec'", ""),
        ('"48 GB"', '"48 GB', "is not TOML", 'write lines such as memory = "40 GB"'),
    ],
)
def test_a_faulty_own_chip_names_file_key_and_remedy(
    tmp_path: Path, old: str, new: str, problem: str, hint: str
) -> None:
    assert old in MINIMAL
    with pytest.raises(LoadError) as caught:
        own(tmp_path, MINIMAL.replace(old, new))
    assert str(tmp_path / "mine.toml") in caught.value.problem
    assert problem in caught.value.problem
    assert hint in caught.value.hint


def test_a_chip_file_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    with pytest.raises(LoadError) as caught:
        chip(str(missing))
    assert caught.value.problem == f"the chip file {missing} cannot be read: No such file or directory"
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    with pytest.raises(LoadError, match="cannot be read: Is a directory"):
        chip(str(folder))
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(LoadError, match="is not TOML"):
        chip(str(binary))
    nested = tmp_path / "nested.toml"
    nested.write_text("memory = " + "[" * 100_000)
    with pytest.raises(LoadError, match="is not TOML"):
        chip(str(nested))
