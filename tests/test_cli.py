"""The commands as their users meet them: what they print, how they exit, what they leave behind."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import symroof
from symroof.cli import commands
from tests.conftest import Command, contents, reports_in

COMMANDS = ["list", "show", "eval", "solve", "sweep", "report", "plot", "check", "chips"]

# A derivation of a user's own: 6 items of 2 s each, of which one half may be skipped.
OWN = '''"""How long does a batch take?"""
from symroof import Derivation, largest

own = Derivation("own", title="A batch")
own.given("x", "items", count=True)
own.given("w", "work on an item", unit="s", default=2)
own.given("o", "overhead", unit="s", default=6)

@own.step(unit="s")
def t_work(w, x):
    """One item after the other."""
    return w * x

@own.step(unit="s")
def t(t_work, o):
    """Whatever takes longer."""
    return largest(t_work, o)

own.binding("regime", t_work="busy", o="idle")
own.crossover("x_star", "t_work = o", solve_for="x")
own.worked(over={"x": [1, 2, 4]}, at={"x": 4})
'''


def data(out: str) -> Any:
    return json.loads(out)


class TestEval:
    ASKED = ("F:GFLOP", "B:GB", "t_comp:ms", "t_mem:ms", "t:ms", "AI")

    def test_json_is_exact(self, run: Command) -> None:
        done = run("eval", "gemm", *self.ASKED, "--set", "m=8192", "--json")
        assert (done.code, done.err) == (0, "")
        found = data(done.out)
        given = found.pop("given")
        assert set(given) <= set(symroof.load("gemm").givens)
        assert {name: given[name] for name in ("m", "k", "n", "c", "P", "beta", "s")} == {
            "m": {"exact": "8192", "value": 8192.0, "unit": "1", "text": "8192"},
            "k": {"exact": "512", "value": 512.0, "unit": "1", "text": "512"},
            "n": {"exact": "1048576", "value": 1048576.0, "unit": "1", "text": "1048576"},
            "c": {"exact": "2", "value": 2.0, "unit": "FLOP", "text": "2 FLOP"},
            "P": {"exact": "312", "value": 312.0, "unit": "TFLOP/s", "text": "312 TFLOP/s"},
            "beta": {"exact": "1555", "value": 1555.0, "unit": "GB/s", "text": "1555 GB/s"},
            "s": {"exact": "2", "value": 2.0, "unit": "byte", "text": "2 byte"},
        }
        assert found == {
            "derivation": "gemm",
            "chip": "a100-40gb",
            "results": {
                # 2 * 8192 * 512 * 2^20 / 10^9
                "F": {"exact": "17179869184/1953125", "value": 8796.093022208, "unit": "GFLOP", "text": "8796 GFLOP"},
                # 2 (8192 * 512 + 512 * 2^20 + 8192 * 2^20) / 10^9
                "B": {"exact": "35667968/1953125", "value": 18.261999616, "unit": "GB", "text": "18.26 GB"},
                # F / 312e12
                "t_comp": {
                    "exact": "2147483648/76171875",
                    "value": 28.192605840410256,
                    "unit": "ms",
                    "text": "28.19 ms",
                },
                # B / 1555e9
                "t_mem": {"exact": "917504/78125", "value": 11.7440512, "unit": "ms", "text": "11.74 ms"},
                "t": {
                    "exact": "2147483648/76171875",
                    "value": 28.192605840410256,
                    "unit": "ms",
                    "text": "28.19 ms",
                },
                # F / B
                "AI": {
                    "exact": "1048576/2177",
                    "value": 481.6610013780432,
                    "unit": "FLOP/byte",
                    "text": "481.7 FLOP/byte",
                },
            },
        }

    def test_text(self, call: Command) -> None:
        assert call("eval", "gemm", *self.ASKED, "--set", "m=8192").out.splitlines() == [
            "F = 8796 GFLOP   exactly 8796.093022208 GFLOP",
            "B = 18.26 GB   exactly 18.261999616 GB",
            "t_comp = 28.19 ms   exactly 2147483648/76171875 ms",
            "t_mem = 11.74 ms   exactly 11.7440512 ms",
            "t = 28.19 ms   exactly 2147483648/76171875 ms",
            "AI = 481.7 FLOP/byte   exactly 1048576/2177 FLOP/byte",
        ]

    def test_the_published_digits(self, call: Command) -> None:
        four = call("eval", "gemm", *self.ASKED, "--set", "m=8192", "--decimals", "4", "--json")
        texts = {name: found["text"] for name, found in data(four.out)["results"].items()}
        assert texts["t_comp"] == texts["t"] == "28.1926 ms"
        assert texts["t_mem"] == "11.7441 ms"
        three = call("eval", "gemm", "F:GFLOP", "B:GB", "--set", "m=8192", "--decimals", "3")
        assert [line.partition("   ")[0] for line in three.out.splitlines()] == ["F = 8796.093 GFLOP", "B = 18.262 GB"]

    def test_digits(self, call: Command) -> None:
        assert call("eval", "gemm", "t:ms", "--set", "m=8192", "--digits", "7").out.startswith("t = 28.19261 ms")

    def test_labels_and_givens(self, call: Command) -> None:
        results = data(call("eval", "gemm", "regime", "k", "--set", "m=8192", "--json").out)["results"]
        assert results["regime"] == {"label": "compute-bound"}
        assert results["k"]["exact"] == "512"
        assert call("eval", "gemm", "regime", "--set", "m=2").out == "regime = memory-bound\n"

    def test_everything_if_nothing_is_asked(self, call: Command) -> None:
        names = [line.split(" = ")[0] for line in call("eval", "gemm", "--set", "m=8192").out.splitlines()]
        gemm = symroof.load("gemm")
        assert names == [*gemm.steps, *gemm.bindings]

    @pytest.mark.parametrize(
        ("text", "exact"),
        [("m=2^20", "1048576"), ("m=1e6", "1000000"), ("m=3*k", "1536"), ("m = 512", "512"), ("m=2**3", "8")],
    )
    def test_ways_to_set_a_count(self, text: str, exact: str, call: Command) -> None:
        assert data(call("eval", "gemm", "m", "--set", text, "--json").out)["results"]["m"]["exact"] == exact

    def test_a_quantity_in_any_unit_of_its_dimension(self, call: Command) -> None:
        # 2 * 8192 * 512 * 2^20 FLOP / (1/3 PFLOP/s)
        done = call("eval", "gemm", "t_comp", "--set", "m=8192", "--set", "P=1/3 * 1 PFLOP/s", "--json")
        assert data(done.out)["results"]["t_comp"]["exact"] == str(Fraction(2 * 8192 * 512 * 2**20 * 3, 10**15))

    def test_data_type_and_chip(self, call: Command) -> None:
        done = call("eval", "gemm", "s", "P", "--set", "m=1", "--dtype", "int8", "--on", "a100-80gb", "--json")
        found = data(done.out)
        assert found["chip"] == "a100-80gb"
        assert found["results"]["s"]["text"] == "1 byte"
        assert found["results"]["P"]["text"] == "624 TOP/s"


class TestSolve:
    FORM = "P*s*k*n/(c*beta*k*n - P*s*(k + n))"

    def test_json(self, run: Command) -> None:
        done = run("solve", "gemm", "m_star", "--json")
        assert (done.code, done.err) == (0, "")
        found = data(done.out)
        (root,) = found.pop("roots")
        assert found.pop("reason")
        # P s k n / (c beta k n - P s (k + n)) with 312e12, 1555e9, k = 512, n = 2^20, c = s = 2
        above = 312 * 10**12 * 2 * 512 * 2**20
        below = 2 * 1555 * 10**9 * 512 * 2**20 - 312 * 10**12 * 2 * (512 + 2**20)
        assert Fraction(above, below) == Fraction("1022361600/3097649")
        assert found == {
            "derivation": "gemm",
            "equation": "t_comp = t_mem",
            "for": "m",
            "verdict": "crosses",
            "closed_form": self.FORM,
            "condition": "c*beta*k*n > P*s*(k + n)",
        }
        promised = {
            "exact": "1022361600/3097649",
            "value": 330.0443659045941,
            "unit": "1",
            "text": "330.0444",
            "closed_form": self.FORM,
            "latex": r"\frac{P s k n}{c \beta k n - P s \left( k + n \right)}",
            "condition": "c*beta*k*n > P*s*(k + n)",
            "holds": True,
            "first_integer": 331,
            "below": "memory-bound",
            "above": "compute-bound",
            "proof": f"t_comp - t_mem with m = {self.FORM} cancels to 0",
        }
        assert promised.items() <= root.items()

    def test_never(self, call: Command) -> None:
        done = call("solve", "gemm", "m_star", "--json", "--set", "k=128", "--set", "n=128")
        assert (done.code, done.err) == (0, "")
        found = data(done.out)
        assert found["verdict"] == "never"
        assert found["roots"] == []
        # c beta k n / (P s (k + n)) = 2 * 1555e9 * 128 * 128 / (312e12 * 2 * 256) = 0.3190
        assert found["reason"].startswith(
            "a root needs c*beta*k*n > P*s*(k + n), but here c*beta*k*n is 0.3190 times P*s*(k + n); "
        )
        assert found["reason"].endswith("memory-bound for every m")

    @pytest.mark.parametrize("chip", ["h100-sxm", "t4"])
    def test_on_another_chip(self, chip: str, call: Command) -> None:
        (found,) = data(call("chips", chip, "--json").out)
        peak = Fraction(found["rates.fp16"]["exact"]) * 10**12
        bandwidth = Fraction(found["bandwidth"]["exact"]) * 10**9
        assert (found["rates.fp16"]["unit"], found["bandwidth"]["unit"]) == ("TFLOP/s", "GB/s")
        k, n = 512, 2**20
        expected = peak * 2 * k * n / (2 * bandwidth * k * n - peak * 2 * (k + n))
        (root,) = data(call("solve", "gemm", "m_star", "--on", chip, "--json").out)["roots"]
        assert root["exact"] == str(expected)
        assert root["first_integer"] == -(-expected.numerator // expected.denominator)

    def test_text(self, call: Command) -> None:
        lines = call("solve", "gemm", "m_star").out.splitlines()
        for line, expected in zip(
            lines,
            (
                "t_comp = t_mem for m: crosses",
                f"  m_star = {self.FORM}",
                "    value        330.0444   exactly 1022361600/3097649",
                "    exists if    c*beta*k*n > P*s*(k + n)",
                "    sides        memory-bound below, compute-bound above",
                "    from         331, the first whole number at or above",
                f"    proof        t_comp - t_mem with m = {self.FORM} cancels to 0",
            ),
            strict=True,
        ):
            assert line.startswith(expected)

    @pytest.mark.parametrize("equation", ["-t_comp = -t_mem", "-1*t_comp=-1*t_mem", "- t_mem = - t_comp"])
    def test_an_equation_may_begin_with_a_minus_sign(self, equation: str, call: Command) -> None:
        done = call("solve", "gemm", equation, "--for", "m", "--json")
        assert data(done.out)["roots"][0]["exact"] == "1022361600/3097649"
        assert data(call("solve", "--json", "gemm", "--for=m", equation).out) == data(done.out)

    def test_an_inequality(self, call: Command) -> None:
        found = data(call("solve", "gemm", "t <= 10 ms", "--for", "m", "--json").out)
        assert found.pop("reason")
        # 2 m 512 * 2^20 FLOP in 10 ms at 312e12 FLOP/s
        most = Fraction(312 * 10**12, 100 * 2 * 512 * 2**20)
        assert found == {
            "derivation": "gemm",
            "equation": "t <= 10 ms",
            "for": "m",
            "verdict": "some",
            "ranges": [
                {
                    "low": None,
                    "high": {"exact": str(most), "value": float(most), "unit": "1", "text": "2905.726"},
                    "low_integer": 1,
                    "high_integer": 2905,
                }
            ],
        }
        for inequality, verdict in (("t <= 1 ns", "none"), ("t >= 1 ns", "all")):
            assert data(call("solve", "gemm", inequality, "--for", "m", "--json").out)["verdict"] == verdict

    def test_a_symbol_of_the_chip(self, call: Command) -> None:
        # t_comp = 10 ms at m = 8192: P = 2 * 8192 * 512 * 2^20 FLOP / 10 ms, in the unit that the chip has it in
        (root,) = data(call("solve", "gemm", "t_comp = 10 ms", "--for", "P", "--set", "m=8192", "--json").out)["roots"]
        assert (root["exact"], root["unit"]) == (str(Fraction(2 * 8192 * 512 * 2**20 * 100, 10**12)), "TFLOP/s")
        assert root["first_integer"] is None


class TestSweep:
    PUBLISHED = """
        2     2.147     1.078   0.0069   0.6932   0.6932
        8     8.590     1.091   0.0275   0.7013   0.7013
        32    34.360    1.141   0.1101   0.7337   0.7337
        128   137.439   1.342   0.4405   0.8632   0.8632
        256   274.878   1.611   0.8810   1.0359   1.0359
        512   549.756   2.148   1.7620   1.3814   1.7620
        2048  2199.023  5.371   7.0482   3.4539   7.0482
        8192  8796.093  18.262  28.1926  11.7441  28.1926
    """
    OVER = "m=2,8,32,128,256,512,2048,8192"

    def rows(self, text: str) -> list[list[str]]:
        return [line.split() for line in text.strip().splitlines()]

    def test_the_published_table(self, run: Command, call: Command) -> None:
        columns = "F:GFLOP,B:GB,t_comp:ms,t_mem:ms,t:ms"
        done = run("sweep", "gemm", "--over", self.OVER, "--show", columns)
        assert (done.code, done.err) == (0, "")
        heads, units, rule, *rows = self.rows(done.out)
        assert heads == ["m", "F", "B", "t_comp", "t_mem", "t"]
        assert units == ["GFLOP", "GB", "ms", "ms", "ms"]
        assert set("".join(rule)) == {"-"}
        published = self.rows(self.PUBLISHED)
        for printed, ours in zip(published, rows, strict=True):
            for theirs, found in zip(printed, ours, strict=True):
                assert float(found) == pytest.approx(float(theirs), rel=5e-3)
        # With the digits that are printed there: 3 decimals for F and B, 4 for the times.
        three = self.rows(call("sweep", "gemm", "--over", self.OVER, "--show", columns, "--decimals", "3").out)[3:]
        four = self.rows(call("sweep", "gemm", "--over", self.OVER, "--show", columns, "--decimals", "4").out)[3:]
        assert [short[:3] + long[3:] for short, long in zip(three, four, strict=True)] == published

    def test_json(self, call: Command) -> None:
        done = call("sweep", "gemm", "--over", "m=2..8192*4096", "--show", "t:ms, regime", "--to", "json")
        assert (done.code, done.err) == (0, "")
        assert data(done.out) == {
            "columns": [{"name": "m", "unit": "1"}, {"name": "t", "unit": "ms"}, {"name": "regime", "unit": "1"}],
            "rows": [[2, 0.6932078302250804, "memory-bound"], [8192, 28.192605840410256, "compute-bound"]],
        }

    def test_all_combinations_in_order(self, call: Command) -> None:
        done = call(
            "sweep", "gemm", "--over", "m=1,2", "--over", "k=3..5", "--show", "F", "--set", "n=7", "--to", "csv"
        )
        rows = [f"{m},{k},{float(2 * m * k * 7)}" for m in (1, 2) for k in (3, 4, 5)]
        assert done.out.splitlines() == ["m,k,F (FLOP)", *rows]

    def test_the_examples_columns_are_the_default(self, call: Command) -> None:
        heads = call("sweep", "gemm", "--over", "m=2").out.splitlines()[0].split()
        assert heads == ["m", *(column.partition(":")[0] for column in symroof.load("gemm").example.show)]

    def test_into_a_file(self, call: Command, tmp_path: Path) -> None:
        done = call("sweep", "gemm", "--over", "m=2", "--show", "F", "--to", "csv", "--out", "table.csv")
        assert (done.code, done.out, done.err) == (0, "", "")
        assert contents(tmp_path) == {"table.csv": b"m,F (FLOP)\n2,2147483648.0\n"}


@pytest.mark.slow
class TestReport:
    def test_three_forms_in_an_empty_folder(self, run: Command, tmp_path: Path) -> None:
        done = run("report", "gemm", "--to", "pdf,tex,md", "--out", "DIR")
        assert (done.code, done.err) == (0, "")
        written = [str(Path("DIR") / f"gemm.{form}") for form in ("tex", "md", "pdf")]
        assert done.out.splitlines() == written
        assert reports_in(tmp_path) == sorted(["DIR", *written])
        assert (tmp_path / "DIR" / "gemm.pdf").read_bytes().startswith(b"%PDF-")

    def test_the_forms_asked_for_and_no_other(self, call: Command, tmp_path: Path) -> None:
        assert call("report", "gemm", "--to", "md").out == "gemm.md\n"
        assert reports_in(tmp_path) == ["gemm.md"]
        assert call(
            "report", "--no-figures", "gemm", "--to", "md", "--to", "tex", "--brief", "--out", "short"
        ).out.splitlines() == [
            str(Path("short") / "gemm.tex"),
            str(Path("short") / "gemm.md"),
        ]
        assert r"\times 8192" in (tmp_path / "gemm.md").read_text(encoding="utf-8")
        assert r"\times 8192" not in (tmp_path / "short" / "gemm.md").read_text(encoding="utf-8")

    def test_all_of_them_without_a_name(self, call: Command, tmp_path: Path) -> None:
        shipped = [found["name"] for found in data(call("list", "--json").out)]
        assert call("report", "--no-figures", "--to", "md").code == 0
        assert reports_in(tmp_path) == sorted(f"{name}.md" for name in shipped)


class TestShow:
    def test_a_worked_solution(self, call: Command) -> None:
        done = call("show", "gemm")
        assert (done.code, done.err) == (0, "")
        for line in (
            "One matrix product under the roofline",
            "    F = c*m*k*n",
            "      = 2 FLOP * 8192 * 512 * 1048576",
            "      ≈ 8796 GFLOP",
            "    m_star = P*s*k*n/(c*beta*k*n - P*s*(k + n)) ≈ 330.0444",
            "      exists if and only if c*beta*k*n > P*s*(k + n)",
            "Memory-bound up to m = 330, compute-bound from m = 331 on.",
        ):
            assert line in done.out.splitlines()

    def test_in_another_case(self, call: Command) -> None:
        done = call("show", "gemm", "--set", "m=128", "--on", "h100-sxm", "--brief")
        assert "2 FLOP * 128" not in done.out
        assert re.search(r"^m +rows of A and C +128 +set$", done.out, re.MULTILINE)
        assert "At m = 128: memory-bound." in done.out


class TestCheck:
    @pytest.mark.slow
    def test_everything_shipped_holds(self, run: Command) -> None:
        done = run("check")
        assert (done.code, done.err) == (0, "")
        assert all(re.match(r"\w+: ok  \(", line) for line in done.out.splitlines())

    def test_json(self, call: Command) -> None:
        done = call("check", "gemm", "--json")
        assert done.code == 0
        (found,) = data(done.out)
        assert list(found) == ["derivation", "units", "readings", "roots", "claims", "printed"]
        assert found.pop("derivation") == "gemm"
        assert all(set(part) == {"checked", "failed"} and part["failed"] == [] for part in found.values())
        gemm = symroof.load("gemm")
        assert found["units"]["checked"] == len(gemm.steps) + len(gemm.bindings)
        assert found["claims"]["checked"] == len(gemm.claims)
        # The closed form, and the root at the values given.
        assert found["roots"]["checked"] == 2

    def test_in_another_case(self, call: Command) -> None:
        done = call("check", "gemm", "--set", "k=1024")
        assert done.code == 1
        # 2 * 2 * 1024 * 2^20 FLOP, twice what is printed
        assert "F = 2.147 GFLOP at m = 2" in done.out
        assert "ours is 4.295 GFLOP, 2.000 times it" in done.out


class TestChips:
    def test_json(self, call: Command) -> None:
        done = call("chips", "--json")
        assert (done.code, done.err) == (0, "")
        chips = data(done.out)
        assert len(chips) >= 15
        assert {"a100-40gb", "h100-sxm", "h200", "b200", "t4", "l40s", "mi300x", "tpu-v5e"} <= {c["id"] for c in chips}
        for chip in chips:
            assert list(chip)[:2] == ["id", "name"]
            for figure in list(chip.values())[2:]:
                assert set(figure) - {"accumulate"} == {"exact", "value", "unit", "text", "source", "date", "note"}
                assert figure["source"]
                assert re.fullmatch(r"\d{4}(-\d{2}){0,2}", figure["date"])

    def test_text(self, call: Command) -> None:
        assert "a100-40gb" in call("chips").out
        one = call("chips", "a100-40gb").out
        assert re.search(r"^bandwidth +1555 GB/s ", one, re.MULTILINE)
        assert re.search(r"^rates\.int8\.sparse +1248 TOP/s +int32 ", one, re.MULTILINE)

    def test_an_own_chip(self, call: Command, tmp_path: Path) -> None:
        figure = 'value = "{}", source = "my lab", date = "2026-01-02"'
        (tmp_path / "mine.toml").write_text(
            'name = "Mine"\n'
            f"memory = {{{figure.format('10 GB')}}}\n"
            f"bandwidth = {{{figure.format('100 GB/s')}}}\n"
            f"[rates]\nfp16 = {{{figure.format('10 TFLOP/s')}}}\n"
        )
        done = call("eval", "gemm", "I", "--on", "mine.toml", "--json")
        assert data(done.out)["chip"] == "mine"
        assert data(done.out)["results"]["I"]["exact"] == "100"


class TestList:
    def test_names_titles_and_quantities(self, call: Command) -> None:
        done = call("list")
        assert (done.code, done.err) == (0, "")
        assert "gemm  One matrix product under the roofline\n" in done.out
        found = {one["name"]: one for one in data(call("list", "--json").out)}
        assert found["gemm"]["title"] == "One matrix product under the roofline"
        assert {"F", "t", "regime", "m_star"} <= set(found["gemm"]["quantities"])


class TestAnOwnFile:
    """A path takes the place of a name in every command."""

    def test_every_command(self, call: Command, tmp_path: Path) -> None:
        (tmp_path / "own.py").write_text(OWN)
        assert call("eval", "own.py", "t", "regime", "--set", "x=4").out == "t = 8 s\nregime = busy\n"
        assert data(call("solve", "./own.py", "x_star", "--json").out)["roots"][0]["exact"] == "3"
        assert call("sweep", str(tmp_path / "own.py"), "--over", "x=2,4", "--show", "t", "--to", "csv").out == (
            "x,t (s)\n2,6.0\n4,8.0\n"
        )
        assert "= 2 s * 4" in call("show", "own.py").out
        assert call("check", "own.py").code == 0
        assert call("report", "--no-figures", "own.py", "--to", "md").out == "own.md\n"

    def test_two_of_one_name_are_not_written_over_each_other(self, call: Command, tmp_path: Path) -> None:
        (tmp_path / "own.py").write_text(OWN)
        done = call("report", "--no-figures", "own.py", "own.py", "--to", "md")
        assert done.code == 2
        assert done.err.startswith("error: two of the derivations are called 'own'\n")
        assert list(contents(tmp_path)) == ["own.py"]


class TestHelp:
    def test_the_contract(self) -> None:
        assert set(COMMANDS) <= set(commands.commands)

    def test_no_arguments(self, call: Command) -> None:
        done = call()
        assert (done.code, done.err) == (0, "")
        assert done.out == call("--help").out == call("-h").out
        assert all(re.search(rf"^  {name} +[A-Z]", done.out, re.MULTILINE) for name in commands.commands)

    @pytest.mark.slow
    def test_every_example_runs(self, call: Command, tmp_path: Path) -> None:
        (tmp_path / "my_question.py").write_text(OWN)
        for name in commands.commands:
            shown = call(name, "--help")
            assert shown.code == 0
            examples = re.findall(r"symroof (\S.*)", shown.out.split("Options:")[0].split("Example")[1])
            assert examples, name
            for example in examples:
                assert example.startswith(name)
                words = re.findall(r'"[^"]*"|\S+', example)
                done = call(*(word.strip('"') for word in words))
                assert (done.code, done.err) == (0, ""), example

    def test_version(self, run: Command) -> None:
        assert run("--version").out == f"symroof, version {symroof.__version__}\n"


class TestStreams:
    def test_no_colours_in_a_pipe(self, run: Command) -> None:
        assert "\x1b" not in run("chips", "t4").out
        assert "\x1b" not in run("chips", "t44").err

    @pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
    def test_colours_on_a_terminal(self) -> None:
        import pty

        outer, inner = pty.openpty()
        with subprocess.Popen(
            [sys.executable, "-m", "symroof", "chips", "t4"], stdout=inner, close_fds=True
        ) as process:
            os.close(inner)
            first = os.read(outer, 100)
            process.wait(60)
        os.close(outer)
        assert first.startswith(b"\x1b[1mt4\x1b[0m")

    def test_a_reader_that_has_had_enough(self) -> None:
        command = [
            sys.executable,
            "-m",
            "symroof",
            "sweep",
            "gemm",
            "--over",
            "m=1..9999",
            "--show",
            "t",
            "--to",
            "csv",
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout
            assert process.stderr
            assert process.stdout.readline() == b"m,t (s)\n"
            process.stdout.close()
            assert process.stderr.read() == b""

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
    def test_a_full_disk(self) -> None:
        with open("/dev/full", "w") as full:  # noqa: PTH123
            done = subprocess.run(
                [sys.executable, "-m", "symroof", "chips"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )
        assert done.returncode == 2
        assert done.stderr.startswith("error: the output cannot be written: No space left on device\n")
        assert "Traceback" not in done.stderr

    @pytest.mark.parametrize(
        ("words", "expected"),
        [
            ("symroof so", {"solve"}),
            ("symroof eval ge", {"gemm"}),
            ("symroof plot gemm i", {"intensity"}),
            ("symroof plot vram m", {"memory"}),
            ("symroof chips h100", {"h100-sxm", "h100-pcie"}),
            ("symroof show gemm --on a100-40", {"a100-40gb", "a100-40gb-pcie"}),
            ("symroof show gemm --dtype fp", {"fp64", "fp32", "fp16", "fp8"}),
        ],
    )
    def test_completion(self, words: str, expected: set[str], call: Command) -> None:
        env = {
            "_SYMROOF_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        }
        assert set(call(env=env).out.split()) == {f"plain,{word}" for word in expected}
