"""What a sweep goes over, and its table in each form."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symroof import Derivation
from symroof.errors import OutputError, SymroofError
from symroof.sweep_tables import read_over, write_table
from symroof.sweeps import Column
from symroof.units import unit

LINE = Derivation("line")
LINE.given("m", "rows", count=True)
LINE.given("d", "length", unit="m")
LINE.given("x", "share")


class TestReadOver:
    @pytest.mark.parametrize(
        ("spec", "expected"),
        [
            ("m=2,8,32", [2, 8, 32]),
            ("m = 2 , 2^3 ", [2, 8]),
            ("m=3..6", [3, 4, 5, 6]),
            ("m=7..7", [7]),
            ("m=2..40*2", [2, 4, 8, 16, 32]),
            ("m=2..32*2", [2, 4, 8, 16, 32]),
            ("m=1..1000000*10", [1, 10, 100, 1000, 10**4, 10**5, 10**6]),
            ("m=3..3*2", [3]),
            ("x=1/4,0.5", [0.25, 0.5]),
            ("x=0.5..3", [0.5, 1.5, 2.5]),
            ("x=1/2..3*3/2", [0.5, 0.75, 1.125, 1.6875, 2.53125]),
            ("d=5 m,50 mm", [5, 0.05]),
            ("d=1 m..3 m", [1, 2, 3]),
            ("d=100 mm..1 m*2", [0.1, 0.2, 0.4, 0.8]),
        ],
    )
    def test_values_in_the_declared_unit(self, spec: str, expected: Sequence[float]) -> None:
        (found,) = read_over(LINE, [spec]).values()
        assert found == expected

    def test_several_symbols(self) -> None:
        assert read_over(LINE, ["m=1,2", "x=3"]) == {"m": [1, 2], "x": [3]}

    def test_the_limit_is_refused_before_the_values_are_made(self) -> None:
        for spec in ("m=1..1e300", "m=1..1e300*1.0000001"):
            with pytest.raises(SymroofError, match="the limit is 10,000,000"):
                read_over(LINE, [spec])

    @pytest.mark.parametrize(
        ("specs", "problem", "hint"),
        [
            (["m"], "--over 'm' is no SYMBOL=VALUES", "m=2,8,32 or m=1..64 or m=2..64*2"),
            (["m="], "--over 'm=' is no SYMBOL=VALUES", "for example"),
            (["m=1", "m=2"], "m is swept twice", "in one --over"),
            (["q=1"], "unknown symbol 'q' in line", "known: m, d, x"),
            (["m=8..2"], "--over m=8..2: the range is empty", "the smaller end first"),
            (["m=8..2*2"], "--over m=8..2*2: the range is empty", "the smaller end first"),
            (["m=2..8*1"], "--over m=2..8*1: 2..8*1 multiplies by 1", "above 1"),
            (["x=0..8*2"], "--over x=0..8*2: 0..8*2 multiplies by 2", "the start above 0"),
            (["m=2..8*2 GB"], "2..8*2 GB multiplies by 2 GB", "a plain number"),
            (["m=0,1"], "--over m=0,1: m is a count, and 0 is not a whole number from 1 up", "m=8192"),
            (["m=1.5"], "m is a count, and 1.5 is not a whole number", "m=8192"),
            (["d=5"], "d is measured in m, but 5 has no unit", 'd="1 m"'),
            (["d=5 s"], "d is measured in m, but 5 s is in s", 'd="1 m"'),
            (["x=-1"], "x cannot be negative", "zero or positive"),
            (["m=1,,2"], "the text ends where a number or a name is expected", ""),
            (["m=nan"], "'nan' is not a number", "write a number and its unit"),
            (["m=1e999"], "1e999 goes beyond 10^300", "10^300"),
        ],
    )
    def test_refused(self, specs: list[str], problem: str, hint: str) -> None:
        with pytest.raises(SymroofError, match=re.escape(problem)) as caught:
            read_over(LINE, specs)
        assert hint in caught.value.hint


def column(name: str, values: Sequence[Any], of: str = "") -> Column:
    return Column(name, unit(of), np.asarray(values))


# 0.1 is no double; 1/3 has no end; a label may have any character.
COLUMNS = [
    column("m", [2.0, 8192.0]),
    column("d_1", [0.1, 1 / 3], "m"),
    column("t", [2.5e-7, 1234.5678], "ms"),
    column("why", ["a|b_c", "50% & more"]),
]


def written(form: str, digits: int = 4, decimals: int | None = None) -> str:
    content = write_table(COLUMNS, form, digits=digits, decimals=decimals)
    assert isinstance(content, str)
    return content


class TestWriteTable:
    def test_terminal(self) -> None:
        assert written("table") == (
            "   m     d_1       t         why\n"
            "           m      ms\n"
            "----  ------  ------  ----------\n"
            "   2     0.1  2.5e-7       a|b_c\n"
            "8192  0.3333    1235  50% & more\n"
        )

    def test_decimals(self) -> None:
        rows = written("table", decimals=2).splitlines()[3:]
        # What would show as 0.00 keeps its significant digits.
        assert [row.split() for row in rows] == [
            ["2", "0.10", "2.5e-7", "a|b_c"],
            ["8192", "0.33", "1234.57", "50%", "&", "more"],
        ]

    def test_markdown_keeps_its_columns(self) -> None:
        assert written("md") == (
            "|    m |   d_1 (m) |   t (ms) |         why |\n"
            "|-----:|----------:|---------:|------------:|\n"
            "|    2 |       0.1 |   2.5e-7 |     a\\|b\\_c |\n"
            "| 8192 |    0.3333 |     1235 | 50% \\& more |\n"
        )

    def test_latex_is_escaped(self) -> None:
        assert written("tex") == (
            "\\begin{tabular}{rrrr}\n"
            "\\hline\n"
            "\\texttt{m} & \\texttt{d\\_1} & \\texttt{t} & \\texttt{why} \\\\\n"
            " & $\\mathrm{m}$ & $\\mathrm{ms}$ &  \\\\\n"
            "\\hline\n"
            "2 & 0.1 & 2.5e-7 & a\\textbar{}b\\_c \\\\\n"
            "8192 & 0.3333 & 1235 & 50\\% \\& more \\\\\n"
            "\\hline\n"
            "\\end{tabular}\n"
        )

    def test_csv_has_every_digit(self) -> None:
        assert written("csv") == (
            "m,d_1 (m),t (ms),why\n2,0.1,2.5e-07,a|b_c\n8192,0.3333333333333333,1234.5678,50% & more\n"
        )

    def test_json_has_plain_numbers(self) -> None:
        assert json.loads(written("json")) == {
            "columns": [
                {"name": "m", "unit": "1"},
                {"name": "d_1", "unit": "m"},
                {"name": "t", "unit": "ms"},
                {"name": "why", "unit": "1"},
            ],
            "rows": [[2, 0.1, 2.5e-7, "a|b_c"], [8192, 1 / 3, 1234.5678, "50% & more"]],
        }

    def test_parquet(self, tmp_path: Path) -> None:
        parquet = pytest.importorskip("pyarrow.parquet")
        content = write_table(COLUMNS, "parquet", digits=4, decimals=None)
        assert isinstance(content, bytes)
        (tmp_path / "table.parquet").write_bytes(content)
        assert parquet.read_table(tmp_path / "table.parquet").to_pydict() == {
            "m": [2.0, 8192.0],
            "d_1 (m)": [0.1, 1 / 3],
            "t (ms)": [2.5e-7, 1234.5678],
            "why": ["a|b_c", "50% & more"],
        }

    def test_parquet_without_pyarrow(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(OutputError, match="parquet needs pyarrow, which is not installed") as caught:
            write_table(COLUMNS, "parquet", digits=4, decimals=None)
        assert caught.value.hint == 'pip install "symroof[parquet]"'
