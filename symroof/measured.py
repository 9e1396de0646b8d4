"""Measured times from a CSV file, each compared with the lower bound that the roofline sets."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from symroof.derivation import DerivationGraph
from symroof.errors import LoadError, MissingGivenError, RefusedValueError, SymroofError, suggestion
from symroof.evaluate import Solution
from symroof.expression import value
from symroof.figure_case import INTENSITY, RATE, FigureCase, Roofline, in_unit, shown_quantity
from symroof.numerals import Exact, exact
from symroof.prose import words
from symroof.settings import Settings
from symroof.units import Quantity, base_magnitude, quantity, unit

SECONDS = "seconds"
_MOST_ROWS = 1_000


@dataclass(frozen=True)
class Measurement:
    """One row: the values of its givens, the time, its place on the roofline, and the share of the bound it reaches.

    `share` is the lower bound of the time divided by the time measured: above 1 the bound, or the measurement, is
    wrong.
    """

    line: int
    values: Mapping[str, Quantity]
    time: Quantity
    intensity: Quantity
    rate: Quantity
    share: Exact

    @property
    def above(self) -> bool:
        return bool(self.share > 1)


def read(settings: Settings, path: Path) -> list[Measurement]:
    """The rows of a file with a column for each given that differs, and one of seconds.

    A number is in its given's declared unit; text with a unit is taken as well. Raises LoadError, which names the
    line and the column, and RefusedValueError where the derivation has no roofline.
    """
    roofline = FigureCase(settings).roofline()
    if roofline is None:
        needs = words()["figure"]["needs"]["roofline"]
        raise RefusedValueError(f"{settings.derivation.name} has no roofline: {needs}", "leave --measured out")
    rows = _rows(path)
    columns = _columns(path, rows[0][1], settings.derivation)
    found = []
    for line, cells in rows[1:]:
        if len(cells) != len(columns):
            raise LoadError(
                f"{path}, line {line}: {len(cells)} values for {len(columns)} columns",
                f"write one value for each of {', '.join(columns)}",
            )
        cells_by_name = dict(zip(columns, cells, strict=True))
        found.append(_measurement(settings, roofline, f"{path}, line {line}", line, cells_by_name))
    if not found:
        raise LoadError(f"{path} has no measurement", f"write a line of values below {','.join(columns)}")
    return found


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    """The lines that are not empty, with their numbers, and their cells without blanks around them."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            rows = [
                (reader.line_num, [cell.strip() for cell in cells]) for cells in reader if any(map(str.strip, cells))
            ]
    except OSError as error:
        raise LoadError(f"{path} cannot be read: {error.strerror}", "give the path of a CSV file") from None
    except (ValueError, csv.Error) as error:
        raise LoadError(f"{path} is no CSV file: {error}", "write lines such as 8192,512,1048576,0.031") from None
    if not rows:
        raise LoadError(f"{path} is empty", f"begin with the names of its columns: m,k,n,{SECONDS}")
    if len(rows) - 1 > _MOST_ROWS:
        raise LoadError(f"{path} has more than {_MOST_ROWS:,} measurements", "draw fewer of them")
    return rows


def _columns(path: Path, names: Sequence[str], derivation: DerivationGraph) -> Sequence[str]:
    """The head of the file: givens, each once, and seconds."""
    known = [*derivation.givens, SECONDS]
    for at, name in enumerate(names):
        if name not in known:
            raise LoadError(f"{path}, line 1: unknown column {name!r}", suggestion(name, known))
        if name in names[:at]:
            raise LoadError(f"{path}, line 1: column {name} is there twice", "keep one of them")
    if SECONDS not in names:
        raise LoadError(f"{path}, line 1: there is no column {SECONDS}", "add the measured times, in seconds")
    return names


def _measurement(settings: Settings, found: Roofline, place: str, line: int, row: Mapping[str, str]) -> Measurement:
    time = _cell(place, SECONDS, row[SECONDS])
    time = quantity(exact(time.magnitude), "s") if not time.dimensionality else time
    if time.dimensionality != unit("s").dimensionality or not time.magnitude > 0:
        raise LoadError(f"{place}, column {SECONDS}: {row[SECONDS]!r} is no time above zero", "for example 0.0312")
    case, names = settings, [name for name in row if name != SECONDS]
    for name in names:
        number = _cell(place, name, row[name])
        try:
            case = case.with_values({name: number if number.dimensionality else exact(number.magnitude)})
        except SymroofError as error:
            raise LoadError(f"{place}, column {name}: {error.problem}", error.hint) from None
    solution = Solution(case)
    try:
        intensity, attainable = found.place(solution)
    except MissingGivenError as error:
        raise LoadError(f"{place}: {error.problem}", f"add a column {error.name}, or {error.hint}") from None
    except SymroofError as error:
        raise error.within(place) from None
    values = {name: shown_quantity(solution, name) for name in names}
    work = solution.number(found.compute) * solution.number("P")
    rate = in_unit(exact(work / base_magnitude(time)), RATE)
    return Measurement(
        line, values, time, quantity(intensity, INTENSITY), quantity(rate, RATE), exact(rate / attainable)
    )


def _cell(place: str, column: str, text: str) -> Quantity:
    if not text:
        raise LoadError(f"{place}, column {column}: there is no value", "write a number")
    try:
        return value(text)
    except SymroofError as error:
        raise LoadError(f"{place}, column {column}: {text!r} is no number", error.hint or "write a number") from None
