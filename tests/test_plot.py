"""`symroof plot`: the files it writes, measured times, and what it refuses."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import pytest

import symroof
from symroof.errors import LoadError, RefusedValueError
from symroof.figure_data import Panels
from symroof.figures import illustration
from symroof.measured import read
from symroof.settings import Settings, worked_settings
from tests.conftest import Command, contents

pytestmark = pytest.mark.slow

MEASURED = """\
m,k,n,seconds
128,512,1048576,0.0009
8192,512,1048576,0.0312

8192,512,1048576,28 ms
"""


def gemm() -> Settings:
    return worked_settings(symroof.load("gemm"), {}, on="a100-40gb", dtype="fp16")


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    path = tmp_path / "times.csv"
    path.write_text(MEASURED, encoding="utf-8")
    return path


class TestMeasured:
    def test_share_of_the_bound(self, measured: Path) -> None:
        first, second, third = read(gemm(), measured)
        # m = 128 moves 2 (m k + k n + m n) bytes at 1555 GB/s; m = 8192 works on 2 m k n operations at 312 TFLOP/s.
        traffic = Fraction(2 * (128 * 512 + 512 * 2**20 + 128 * 2**20), 1555 * 10**9)
        work = 2 * 8192 * 512 * 2**20
        assert first.share == traffic / Fraction("0.0009")
        assert second.share == Fraction(work, 312 * 10**12) / Fraction("0.0312")
        assert second.rate.magnitude == Fraction(work, 10**12) / Fraction("0.0312")  # TFLOP/s
        assert second.intensity.magnitude == Fraction(1048576, 2177)
        assert (first.above, second.above, third.above) == (False, False, True)
        assert [one.line for one in (first, second, third)] == [2, 3, 5]

    def test_points_are_named_by_what_differs(self, measured: Path) -> None:
        found = illustration(gemm(), "roofline", read(gemm(), measured)).picture
        assert isinstance(found, Panels)
        assert [(point.label.text, point.role) for point in found.panels[0].points] == [
            ("m = 128: 95.91 %", "measured"),
            ("m = 8192: 90.36 %", "measured"),
            ("m = 8192: 100.7 %", "above"),
        ]

    def test_the_case_says_what_no_column_says(self, tmp_path: Path) -> None:
        path = tmp_path / "one.csv"
        path.write_text("seconds\n0.0312\n", encoding="utf-8-sig")
        (found,) = read(gemm(), path)
        assert found.intensity.magnitude == Fraction(1048576, 2177)  # that of the worked example, m = 8192

    @pytest.mark.parametrize(
        ("text", "problem", "hint"),
        [
            ("", "times.csv is empty", "begin with the names of its columns"),
            ("m,seconds\n", "times.csv has no measurement", "write a line of values below m,seconds"),
            ("m,k\n1,2\n", "line 1: there is no column seconds", "add the measured times"),
            ("m,kk,seconds\n", "line 1: unknown column 'kk'", "did you mean k?"),
            ("m;seconds\n", "line 1: unknown column 'm;seconds'", "did you mean seconds?"),
            ("m,m,seconds\n", "line 1: column m is there twice", "keep one of them"),
            ("m,seconds\n1,2,3\n", "line 2: 3 values for 2 columns", "write one value for each of m, seconds"),
            ("m,seconds\n1,1\n2.5,1\n", "line 3, column m: m=5/2: m is a count", "for example m=8192"),
            ("m,seconds\nx,1\n", "line 2, column m: 'x' is no number", ""),
            ("m,seconds\n__import__('os'),1\n", "line 2, column m: \"__import__('os')\" is no number", ""),
            ("m,seconds\n1,\n", "line 2, column seconds: there is no value", "write a number"),
            ("m,seconds\n1,0\n", "line 2, column seconds: '0' is no time above zero", "for example 0.0312"),
            ("m,seconds\n1,3 GB\n", "line 2, column seconds: '3 GB' is no time above zero", "for example 0.0312"),
            ("beta,seconds\n3 s,1\n", "line 2, column beta: beta=3 s: beta is measured in byte/s", "for example beta="),
            ('m,seconds\n"1,2\n', "times.csv is no CSV file", "write lines such as"),
        ],
    )
    def test_refused(self, text: str, problem: str, hint: str, tmp_path: Path) -> None:
        path = tmp_path / "times.csv"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(LoadError) as caught:
            read(gemm(), path)
        assert problem in caught.value.problem
        assert hint in caught.value.hint

    def test_a_row_that_cannot_be_worked_out(self, tmp_path: Path) -> None:
        path = tmp_path / "times.csv"
        path.write_text("s,seconds\n2,1\n0,1\n", encoding="utf-8")
        with pytest.raises(RefusedValueError, match="line 3: t_mem is 0 and has no place on a roofline"):
            read(gemm(), path)

    def test_a_thousand_rows_are_the_most(self, tmp_path: Path) -> None:
        path = tmp_path / "times.csv"
        path.write_text("m,seconds\n" + "1,1\n" * 1001, encoding="utf-8")
        with pytest.raises(LoadError, match="more than 1,000 measurements"):
            read(gemm(), path)

    def test_a_derivation_without_roofline(self, measured: Path) -> None:
        vram = worked_settings(symroof.load("vram"), {}, on="a100-40gb", dtype="fp16")
        with pytest.raises(RefusedValueError, match="vram has no roofline"):
            read(vram, measured)

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(LoadError, match=r"none\.csv cannot be read: No such file or directory"):
            read(gemm(), tmp_path / "none.csv")

    def test_a_given_that_nothing_says(self, tmp_path: Path) -> None:
        path = tmp_path / "times.csv"
        path.write_text("k,seconds\n512,1\n", encoding="utf-8")
        with pytest.raises(LoadError, match="line 2: gemm needs a value for m") as caught:
            read(Settings(symroof.load("gemm")), path)
        assert caught.value.hint.startswith("add a column m, or ")


class TestCommand:
    @pytest.mark.parametrize(("name", "start"), [("a.svg", b"<svg "), ("a.PDF", b"%PDF"), ("a.png", b"\x89PNG")])
    def test_the_ending_says_the_form(self, name: str, start: bytes, call: Command, tmp_path: Path) -> None:
        done = call("plot", "gemm", "intensity", "--out", name)
        assert (done.code, done.out, done.err) == (0, f"{name}\n", "")
        assert (tmp_path / name).read_bytes().startswith(start)

    def test_measured(self, call: Command, measured: Path, tmp_path: Path) -> None:
        done = call("plot", "gemm", "roofline", "--measured", measured.name, "--out", "a.svg")
        assert done.code == 0
        assert done.err == "times.csv, line 5: faster than the roofline allows\n"
        head, _, *rows, last = done.out.splitlines()
        assert head.split() == ["m", "k", "n", "seconds", "AI", "rate", "of", "the", "bound"]
        assert rows[1].split() == "8192 512 1048576 0.0312 481.7 FLOP/byte 281.9 TFLOP/s 90.36 %".split()
        assert last == "a.svg"
        assert "m = 8192: 100.7 %" in (tmp_path / "a.svg").read_text(encoding="utf-8")

    def test_several_chips_and_types(self, call: Command, tmp_path: Path) -> None:
        options = ("--on", "a100-40gb", "--on", "h100-sxm", "--dtype", "fp16", "--dtype", "int8")
        assert call("plot", "gemm", "roofline", *options, "--out", "a.svg").code == 0
        drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
        for roof in ("a100-40gb, fp16", "a100-40gb, int8", "h100-sxm, fp16", "h100-sxm, int8"):
            assert roof in drawn

    @pytest.mark.parametrize(
        ("arguments", "problem", "hint"),
        [
            (("gemm", "rofline", "--out", "a.svg"), "unknown kind of figure 'rofline'", "did you mean roofline?"),
            (("vram", "pie", "--out", "a.svg"), "unknown kind of figure 'pie'", "known: memory, graph"),
            (("vram", "times", "--out", "a.svg"), "vram has no times figure", "it has memory and graph"),
            (("gemm", "times", "--out", "a.jpg"), "a figure cannot be written as 'a.jpg'", "in .svg, .pdf or .png"),
            (("gemm", "times", "--out", "a"), "a figure cannot be written as 'a'", "in .svg, .pdf or .png"),
            (("gemm", "times", "--out", "no/a.svg"), "no/a.svg cannot be written", "give another place with --out"),
            (("gemm", "times"), "Missing option '--out'", "symroof plot --help"),
            (
                ("gemm", "times", "--on", "t4", "--on", "l4", "--out", "a.svg"),
                "several chips or data types go into",
                "",
            ),
            (("gemm", "roofline", "--dtype", "fp4", "--out", "a.svg"), "unknown dtype 'fp4'", ""),
            (("gemm", "roofline", "--set", "m=0", "--out", "a.svg"), "m=0: m is a count", ""),
            (("gemm", "roofline", "--measured", "no.csv", "--out", "a.svg"), "no.csv cannot be read", ""),
        ],
    )
    def test_refused(self, arguments: tuple[str, ...], problem: str, hint: str, call: Command, tmp_path: Path) -> None:
        done = call("plot", *arguments)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("error: ")
        assert problem in done.err
        assert hint in done.err
        assert contents(tmp_path) == {}

    def test_without_matplotlib(self, call: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        done = call("plot", "gemm", "graph", "--out", "a.svg")
        assert done.code == 2
        assert done.err == (
            'error: figures need matplotlib, which is not installed\n  try: pip install "symroof[plot]"\n'
        )
        assert contents(tmp_path) == {}
