"""The text around a sweep: what to sweep over, and the table in its forms."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from symroof import markdown
from symroof.derivation import DerivationGraph
from symroof.errors import OutputError, RefusedValueError, SymroofError, UnknownNameError
from symroof.expression import value
from symroof.latex import escape
from symroof.numerals import figure
from symroof.sweeps import MAX_POINTS, Column
from symroof.units import base_magnitude, quantity, unit_latex, unit_text

_LARGEST_COUNT = 2**53  # above, doubles skip whole numbers


def read_over(derivation: DerivationGraph, specs: Sequence[str]) -> dict[str, list[float]]:
    """The values of each swept given, in its declared unit.

    `m=2,8,32` lists them, `m=1..8192` counts from one to the other, `m=2..8192*2` multiplies. Raises
    RefusedValueError for anything else, UnknownNameError, and the errors of reading a value.
    """
    found: dict[str, list[float]] = {}
    for spec in specs:
        name, equals, values = spec.partition("=")
        name = name.strip()
        if not equals or not values.strip():
            raise RefusedValueError(
                f"--over {spec!r} is no SYMBOL=VALUES", "for example m=2,8,32 or m=1..64 or m=2..64*2"
            )
        if name in found:
            raise RefusedValueError(f"{name} is swept twice", "give all its values in one --over")
        if name not in derivation.givens:
            raise UnknownNameError("symbol", name, derivation.givens, where=derivation.name)
        try:
            found[name] = _numbers(derivation, name, values)
            if derivation.givens[name].count and max(found[name], default=0) > _LARGEST_COUNT:
                raise RefusedValueError(f"{name} is too large for a sweep", "a sweep counts up to 2^53")
        except SymroofError as error:
            raise error.within(f"--over {spec}") from None
    return found


def _numbers(derivation: DerivationGraph, name: str, values: str) -> list[float]:
    def number(text: str) -> float:
        given = derivation.givens[name]
        read = given.checked(value(text))
        exactly = base_magnitude(read) / base_magnitude(quantity(1, given.unit))
        return float(exactly)

    first, dots, rest = values.partition("..")
    if not dots:
        return [number(text) for text in values.split(",")]
    last, times, factor = rest.rpartition("*")
    if not times:
        low, high = number(first), number(rest)
        count = math.floor(high - low) + 1
        _refuse_size(count)
        return [low + at for at in range(count)]
    low, high = number(first), number(last)
    times_each = value(factor)
    ratio = float(base_magnitude(times_each))
    if times_each.dimensionality or not ratio > 1 or low <= 0:
        raise RefusedValueError(
            f"{values} multiplies by {factor}", "the factor must be a plain number above 1, the start above 0"
        )
    # The end belongs to the range even where its logarithm is a rounding error short of it.
    count = math.floor((math.log(high) - math.log(low)) / math.log(ratio) + 1e-9) + 1 if high else 0
    _refuse_size(count)
    return [low * ratio**at for at in range(count)]


def _refuse_size(count: int) -> None:
    if count < 1:
        raise RefusedValueError("the range is empty", "write the smaller end first")
    if count > MAX_POINTS:
        raise RefusedValueError(f"the sweep has {count:,} points; the limit is {MAX_POINTS:,}", "sweep fewer values")


def write_table(columns: Sequence[Column], form: str, *, digits: int, decimals: int | None) -> str | bytes:
    """The columns as `table`, `md` or `tex` with rounded figures, or as `csv`, `json` or `parquet` in full."""
    match form:
        case "csv":
            return _csv(columns)
        case "json":
            return _json(columns)
        case "parquet":
            return _parquet(columns)
    rows = [
        # A double stands for the shortest decimal that it is the nearest double of: 0.05, not 0.0500000000000000027.
        [
            figure(Fraction(repr(cell)), digits, decimals).text() if isinstance(cell, float) else str(cell)
            for cell in row
        ]
        for row in _rows(columns)
    ]
    if form == "tex":
        return _tex(columns, rows)
    from symroof.terminal import table

    if form == "md":
        escaped = [[markdown.escape(cell) for cell in row] for row in rows]
        return table(escaped, [column.title for column in columns], numbers=True, form="pipe") + "\n"
    heads = [f"{column.name}\n{unit_text(column.unit)}" for column in columns]
    return table(rows, heads, numbers=True) + "\n"


def _rows(columns: Sequence[Column]) -> list[list[Any]]:
    """Row by row: labels as text, whole numbers of plain counts as ints, everything else as floats."""
    plain = []
    for column in columns:
        values = column.values.tolist()
        whole = not unit_text(column.unit) and all(isinstance(one, float) and one.is_integer() for one in values)
        plain.append([int(one) for one in values] if whole else values)
    return [list(row) for row in zip(*plain, strict=True)]


def _csv(columns: Sequence[Column]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.title for column in columns])
    writer.writerows(_rows(columns))
    return text.getvalue()


def _json(columns: Sequence[Column]) -> str:
    heads = [{"name": column.name, "unit": unit_text(column.unit) or "1"} for column in columns]
    rows = ",\n".join(f"    {json.dumps(row)}" for row in _rows(columns))
    return f'{{\n  "columns": {json.dumps(heads)},\n  "rows": [\n{rows}\n  ]\n}}\n'


def _tex(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> str:
    lines = [rf"\begin{{tabular}}{{{'r' * len(columns)}}}", r"\hline"]
    lines.append(" & ".join(rf"\texttt{{{escape(column.name)}}}" for column in columns) + r" \\")
    units = [unit_latex(column.unit) for column in columns]
    lines += [" & ".join(f"${shown}$" if shown else "" for shown in units) + r" \\", r"\hline"]
    lines += [" & ".join(map(escape, row)) + r" \\" for row in rows]
    return "\n".join([*lines, r"\hline", r"\end{tabular}", ""])


def _parquet(columns: Sequence[Column]) -> bytes:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise OutputError("parquet needs pyarrow, which is not installed", 'pip install "symroof[parquet]"') from None
    buffer = io.BytesIO()
    parquet.write_table(pyarrow.table({column.title: column.values for column in columns}), buffer)
    return buffer.getvalue()
