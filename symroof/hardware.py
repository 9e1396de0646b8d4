"""Accelerators: the catalogue in `data/hardware.toml`, and a user's own chip in a file with the same keys.

A figure keeps the text it was printed as, its source and its date, and is parsed when it is asked for. Rates are
dense unless they say sparse, links are one direction, bandwidths are peaks.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from symroof.errors import LoadError, SymroofError, UnknownNameError, listing, suggestion
from symroof.expression import value
from symroof.numerals import figure
from symroof.units import Dimension, Quantity, base_magnitude, unit, unit_text

DEFAULT_CHIP = "a100-40gb"
DEFAULT_DTYPE = "fp16"
CHIP_SYMBOLS = ("P", "beta", "C", "C_label", "C_driver", "beta_host", "beta_link")  # what `Chip.given` answers
DTYPE_SYMBOLS = ("s", "s_a", "s_w", "s_kv")  # what `element_size` answers

_BITS = {"fp64": 64, "fp32": 32, "tf32": 32, "fp16": 16, "bf16": 16, "fp8": 8, "int8": 8, "int4": 4}
# Bytes an element takes in memory.
DTYPES: Mapping[str, Fraction] = {dtype: Fraction(bits, 8) for dtype, bits in _BITS.items()}

_UNITS = {
    "memory": "byte",
    "driver_memory": "byte",
    "bandwidth": "byte/s",
    "rates": "FLOP/s",
    "host_link": "byte/s",
    "gpu_link": "byte/s",
    "l2": "byte",
    "tdp": "W",
}
_EXAMPLES = {"byte": "40 GB", "byte/s": "1555 GB/s", "FLOP/s": "312 TFLOP/s", "W": "400 W"}
_REQUIRED = ("memory", "bandwidth", "rates")
_FIGURE = ("value", "source", "date", "note")


class MissingRateError(UnknownNameError):
    """A data type that the chip has no rate for; `known` lists those it has."""

    def __init__(self, chip_id: str, dtype: str, known: Mapping[str, Rate]) -> None:
        super().__init__("rate", dtype, known, where=chip_id)
        self.problem = f"{chip_id} has no {dtype} rate"
        self.hint = f"it has {listing(self.known)}"


@dataclass(frozen=True)
class Datum:
    """One printed figure: `text` is a number with its unit, `date` when the source was published or read."""

    text: str
    source: str
    date: str
    note: str = ""

    @property
    def quantity(self) -> Quantity:
        """The figure as an exact quantity."""
        return value(self.text)


@dataclass(frozen=True)
class Rate:
    """Peak rate for one data type: `sparse` needs structured sparsity, `accumulate` is the type of the sums."""

    dense: Datum
    sparse: Datum | None
    accumulate: str


@dataclass(frozen=True)
class Chip:
    """An accelerator. `memory` is the vendor's label; the links are one direction; what is None is not known."""

    id: str
    name: str
    memory: Datum
    bandwidth: Datum
    rates: Mapping[str, Rate]
    driver_memory: Datum | None = None
    host_link: Datum | None = None
    gpu_link: Datum | None = None
    l2: Datum | None = None
    tdp: Datum | None = None

    @property
    def capacity(self) -> Datum:
        """What the driver reports where that is known, else the label, whose GB is 10^9 byte."""
        return self.driver_memory or self.memory

    def rate(self, dtype: str) -> Rate:
        """Raises UnknownNameError for an unknown data type, MissingRateError for one the chip has no rate for."""
        if dtype not in DTYPES:
            raise UnknownNameError("dtype", dtype, DTYPES)
        if dtype not in self.rates:
            raise MissingRateError(self.id, dtype, self.rates)
        return self.rates[dtype]

    def given(self, symbol: str, dtype: str) -> Datum | None:
        """The figure behind one of CHIP_SYMBOLS, P being dense; None for other symbols and for links not known.

        `C_driver` is what C is, whatever a derivation's default for C; `C_label` is the vendor's label. Chips without a
        link of their own reach each other over the host link.
        """
        if symbol == "P":
            return self.rate(dtype).dense
        if symbol == "beta_link":
            return self.gpu_link or self.host_link
        known = {
            "beta": self.bandwidth,
            "C": self.capacity,
            "C_driver": self.capacity,
            "C_label": self.memory,
            "beta_host": self.host_link,
        }
        return known.get(symbol)

    def figures(self) -> dict[str, Datum]:
        """Every figure by its place in the file: `memory`, `rates.fp16`, `rates.fp16.sparse` ..."""
        found = {key: getattr(self, key) for key in _UNITS if key != "rates"}
        for dtype, rate in self.rates.items():
            found |= {f"rates.{dtype}": rate.dense, f"rates.{dtype}.sparse": rate.sparse}
        return {key: datum for key, datum in found.items() if datum}

    def accumulate(self, key: str) -> str:
        """The type in which products are summed at the rate with this key of `figures`; "" for other figures."""
        kind, *dtype = key.split(".")
        return self.rates[dtype[0]].accumulate if kind == "rates" else ""


def element_size(dtype: str) -> Datum:
    """Bytes per element of a data type: what s, s_a, s_w and s_kv are. Raises UnknownNameError."""
    if dtype not in DTYPES:
        raise UnknownNameError("dtype", dtype, DTYPES)
    return Datum(f"{figure(DTYPES[dtype]).text()} byte", f"size of {dtype}", "")


def chip(name_or_path: str) -> Chip:
    """The chip with this id in the catalogue, or the one in a file of the user's own, which ends in `.toml`.

    Raises UnknownNameError for an unknown id, LoadError for a file that cannot be read or breaks the layout.
    """
    if name_or_path.endswith(".toml"):
        return _own_chip(Path(name_or_path))
    if name_or_path not in chip_ids():
        raise UnknownNameError("chip", name_or_path, chip_ids())
    return _catalogue_chip(name_or_path)


def chips() -> list[Chip]:
    """All chips of the catalogue, in its order."""
    return [_catalogue_chip(identifier) for identifier in chip_ids()]


def chip_ids() -> list[str]:
    """Their ids, in the same order."""
    return list(_catalogue()[1])


@cache
def _catalogue() -> tuple[dict[str, Any], dict[str, Any]]:
    """The sources and the tables of the chips."""
    tables = tomllib.loads((files("symroof") / "data" / "hardware.toml").read_text(encoding="utf-8"))
    return tables.pop("sources"), tables


@cache
def _catalogue_chip(identifier: str) -> Chip:
    sources, tables = _catalogue()
    return _Reader("hardware.toml", sources).chip(identifier, tables[identifier])


def _own_chip(path: Path) -> Chip:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LoadError(
            f"the chip file {path} cannot be read: {error.strerror}", "give the path of a TOML file"
        ) from None
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, nested without end
        raise LoadError(f"the chip file {path} is not TOML: {error}", 'write lines such as memory = "40 GB"') from None
    found = _Reader(str(path), {}).chip(path.stem, table)
    for key, datum in found.figures().items():
        _check_quantity(f"{path}: {key}", datum, _UNITS[key.partition(".")[0]])
    return found


def _check_quantity(place: str, datum: Datum, wanted: str) -> None:
    hint = f'expected {wanted}, for example "{_EXAMPLES[wanted]}"'
    try:
        quantity = datum.quantity
    except SymroofError as error:
        raise LoadError(f"{place}: {error.problem}", error.hint or hint) from None
    if not Dimension.of(quantity.units).same(Dimension.of(unit(wanted))):
        given = unit_text(quantity.units)
        raise LoadError(f"{place}: {datum.text!r} is {f'in {given}' if given else 'without a unit'}", hint)
    if not base_magnitude(quantity) > 0:
        raise LoadError(f"{place}: {datum.text!r} is not above zero", hint)


@dataclass(frozen=True)
class _Reader:
    """Turns the tables of one file into chips and refuses what is not part of the layout."""

    file: str
    sources: Mapping[str, Mapping[str, str]]

    def chip(self, identifier: str, table: Mapping[str, Any]) -> Chip:
        self._check_keys("", table, ("name", *_UNITS))
        for key in _REQUIRED:
            if key not in table:
                raise LoadError(f"{self.file}: {key} is missing", f"a chip needs at least {listing(_REQUIRED)}")
        rates = table["rates"]
        if not isinstance(rates, dict) or not rates:
            raise LoadError(f"{self.file}: rates holds no rate", 'write [rates] and below it fp16 = "312 TFLOP/s"')
        self._check_keys("rates.", rates, DTYPES)
        return Chip(
            id=identifier,
            name=self._text("name", table.get("name", identifier)),
            rates={dtype: self._rate(f"rates.{dtype}", entry) for dtype, entry in rates.items()},
            **{key: self._figure(key, table[key]) for key in table if key not in ("name", "rates")},
        )

    def _figure(self, key: str, entry: Any) -> Datum:
        return self._datum(self._fields(key, entry, _FIGURE))

    def _rate(self, key: str, entry: Any) -> Rate:
        fields = self._fields(key, entry, (*_FIGURE, "sparse", "accumulate"))
        sparse = self._datum({**fields, "value": fields["sparse"]}) if "sparse" in fields else None
        return Rate(self._datum(fields), sparse, fields.get("accumulate", ""))

    def _fields(self, key: str, entry: Any, known: Collection[str]) -> dict[str, str]:
        """What is written about a figure; plain text is its value."""
        fields = entry if isinstance(entry, dict) else {"value": entry}
        self._check_keys(f"{key}.", fields, known)
        if "value" not in fields:
            raise LoadError(f"{self.file}: {key}.value is missing", "a figure is a number with its unit")
        return {field: self._text(key if field == "value" else f"{key}.{field}", fields[field]) for field in fields}

    def _datum(self, fields: Mapping[str, str]) -> Datum:
        cited = fields.get("source", self.file)
        source = self.sources.get(cited, {"text": cited, "date": ""})
        return Datum(fields["value"], source["text"], fields.get("date", source["date"]), fields.get("note", ""))

    def _check_keys(self, before: str, table: Mapping[str, Any], known: Collection[str]) -> None:
        for key in table:
            if key not in known:
                raise LoadError(f"{self.file}: unknown key {before}{key}", suggestion(key, known))

    def _text(self, key: str, entry: Any) -> str:
        if not isinstance(entry, str):
            raise LoadError(f"{self.file}: {key} is not text", 'write it in quotes, as in bandwidth = "1555 GB/s"')
        return entry
