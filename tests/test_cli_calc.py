"""`symroof calc` as its users meet it: what it prints where, how it exits."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Command

LINE = "2*8192*512*2^20 FLOP / 312 TFLOP/s"
GEMM = ("c=2 FLOP", "m=8192", "k=512", "n=2^20")
BETA = "beta = 1555 GB/s of the NVIDIA A100 40GB SXM4 (another: --on CHIP)"
SHEET = """\
# weights, once through the memory
W = 140 GB
t = W/beta in ms   # on an A100
expect 90.03 ms
"""


class TestAnswers:
    @pytest.mark.parametrize(
        ("arguments", "out"),
        [
            ((LINE, "--in", "ms"), "28.19 ms"),
            ((f"{LINE} in ms",), "28.19 ms"),
            ((LINE, "--in", "ms", "--exact"), "28.19 ms   exactly 1099511627776/39000000000 ms"),
            ((LINE, "--in", "us", "--digits", "7"), "28192.61 us"),
            ((LINE, "--in", "s", "--decimals", "2"), "0.03 s"),
            (("c*m*k*n/P", *GEMM, "--on", "a100-40gb", "--in", "ms"), "28.19 ms"),
            # 2^43 operations at 989.4 TFLOP/s
            (("c*m*k*n/P", *GEMM, "--on", "h100-sxm", "--in", "ms"), "8.890 ms"),
            (("t = c*m*k*n/P", *GEMM, "--on", "a100-40gb"), "t = 28.19 ms"),
            (("-3 s + 4 s",), "1 s"),
            (("-3 h + 4 h",), "1 h"),  # no -h
            (("-x", "x=-3 h"), "3 h"),
            (("x", "x=-3"), "-3"),
            (("40 % * 3",), "1.2"),
            (("ln(2)", "--exact"), "0.6931   exactly ln(2)"),
            (("W/beta", "W=140 GB", "beta=1.4..1.75 TB/s"), "80 ms to 100 ms   (monotone: falls in beta)"),
            (("t = W/beta", "W=140 GB", "beta=1.4..1.75 TB/s"), "t = 80 ms to 100 ms   (monotone: falls in beta)"),
        ],
    )
    def test_one_line(self, call: Command, arguments: tuple[str, ...], out: str) -> None:
        done = call("calc", *arguments)
        expected = out.replace("1099511627776/39000000000", "2147483648/76171875")  # the same, cancelled by 512
        assert (done.code, done.out, done.err) == (0, f"{expected}\n", "")

    def test_solving(self, call: Command) -> None:
        done = call("calc", "t = W/beta", "W=140 GB", "t=20 ms", "--for", "beta")
        assert (done.code, done.err) == (0, "")
        assert done.out.splitlines() == [
            "t = W/beta for beta: crosses",
            "  beta = W/t",
            "    value        7 TB/s",
            "    exists if    always",
            "    sides        t < W/beta below, t > W/beta above, by the sign of the derivative",
            "    proof        t - (W/beta) with beta = W/t cancels to 0",
        ]
        shown = call("calc", "t = W/beta", "W=140 GB", "t=20 ms", "--for", "beta", "--show")
        assert shown.out == "beta = W/t\n     = 140 GB/20 ms\n     = 7 TB/s\n"
        some = call("calc", "W/beta <= 20 ms", "W=140 GB", "--for", "beta")
        assert some.out.splitlines()[1] == "  7 TB/s <= beta"
        wrong = call("calc", "t = W/beta", "W=140 GB", "t=20 GB", "--for", "beta")
        assert wrong.err == (
            "note: beta comes out as a plain number; the chip's beta is in byte/s: "
            "check the units of the other values\n"
        )

    def test_json(self, call: Command) -> None:
        assert json.loads(call("calc", LINE, "--in", "ms", "--json").out) == {
            "expression": LINE,
            "result": {
                "exact": "2147483648/76171875",
                "value": 28.192605840410256,
                "unit": "ms",
                "text": "28.19 ms",
            },
        }
        irrational = json.loads(call("calc", "exp(1) + log2(3)", "--json").out)["result"]
        assert (irrational["exact"], irrational["expression"]) == (None, "ln(3)/ln(2) + exp(1)")
        solved = json.loads(call("calc", "t = W/beta", "W=140 GB", "t=20 ms", "--for", "beta", "--json").out)
        assert solved["expression"] == "t = W/beta"
        assert solved["result"] == {"exact": "7", "value": 7.0, "unit": "TB/s", "text": "7 TB/s"}
        assert [root["closed_form"] for root in solved["roots"]] == ["W/t"]
        never = json.loads(call("calc", "x + 1 = x", "--for", "x", "--json").out)
        assert (never["result"], never["verdict"], never["roots"]) == (None, "never", [])
        some = json.loads(call("calc", "x <= 3", "--for", "x", "--json").out)
        assert (some["result"], some["ranges"][0]["high"]["exact"]) == (None, "3")
        ranged = json.loads(call("calc", "2*x", "x=1..2", "--json").out)["result"]
        assert (ranged["low"]["exact"], ranged["high"]["exact"]) == ("2", "4")

    def test_worked_lines(self, call: Command) -> None:
        shown = call("calc", "t = W/beta", "W=140 GB", "--show").out
        assert shown == "t = W/beta\n  = 140 GB/(1555 GB/s)\n  ≈ 90.03 ms\n"
        assert call("calc", "W/beta", "W=140 GB", "--to", "tex").out.startswith(
            "\\begin{align*}\n  & \\frac{W}{\\beta}"
        )
        assert call("calc", "W/beta", "W=140 GB", "--to", "md", "--show").out.startswith("```math\n\\frac{W}{\\beta}\n")

    def test_notes_are_no_part_of_the_answer(self, call: Command) -> None:
        done = call("calc", "8796 GFLOP / 6.714 ms", "--in", "TFLOP/s", "--on", "a100-40gb")
        # 8796/6.714 = 1310.1, and 1310.1/312 = 4.199
        assert (done.code, done.out) == (0, "1310 TFLOP/s\n")
        assert done.err == (
            "note: 1310 TFLOP/s is 4.2 times the dense FP16 peak of the NVIDIA A100 40GB SXM4: check the timing\n"
        )

    def test_what_the_default_chip_gave_is_said(self, call: Command) -> None:
        for arguments in (("140 GB / beta",), ("140 GB / beta <= 1 s",), ("x/beta", "x=1..2 GB"), ("x/beta = 1 s",)):
            unknown = ("--for", "x") if "=" in arguments[0] and "<" not in arguments[0] else ()
            done = call("calc", *arguments, *unknown)
            assert (done.code, done.err) == (0, f"note: {BETA}\n"), arguments

    @pytest.mark.parametrize(
        ("arguments", "out"),
        [
            # 2*32*8*128*131072*2 byte = 2^34 byte = 17.179869184 GB, 7.179869184 over; 7.1799/24 = 29.916 %
            (("14 GB + 2*32*8*128*131072*2 byte <= 24 GB",), "no: 31.18 GB > 24 GB, by 7.180 GB (29.92 % of 24 GB)"),
            # 998/312 = 3.1987
            (("1310 TFLOP/s <= P", "P=312 TFLOP/s"),
             "no: 1310 TFLOP/s > 312 TFLOP/s, by 998 TFLOP/s (319.9 % of 312 TFLOP/s)"),
            (("20 GB < 24 GB in MB",), "yes: 2e4 MB < 2.4e4 MB, by 4000 MB (16.67 % of 2.4e4 MB)"),
            (("20 GB >= 24 GB", "--in", "GB"), "no: 20 GB < 24 GB, by 4 GB (16.67 % of 24 GB)"),
            (("2*W > 24 GB", "W=20 GB"), "yes: 40 GB > 24 GB, by 16 GB (66.67 % of 24 GB)"),
            (("180 s = 3 min",), "yes: both sides are 3 min"),
            (("180 s < 3 min",), "no: both sides are 3 min"),
            (("2*90 s = 4 min",), "no: 3 min < 4 min, by 1 min (25 % of 4 min)"),
            (("24000000001 byte <= 24 GB",), "no: 24.00 GB > 24 GB, by 1 byte (4.167e-9 % of 24 GB)"),
            (("3 > 0",), "yes: 3 > 0, by 3"),
        ],
    )  # fmt: skip
    def test_comparisons(self, call: Command, arguments: tuple[str, ...], out: str) -> None:
        done = call("calc", *arguments)
        assert (done.code, done.out, done.err) == (0, f"{out}\n", "")

    def test_a_comparison_as_json(self, call: Command) -> None:
        found = json.loads(call("calc", "30 GB <= 24 GB", "--json").out)
        assert found["expression"] == "30 GB <= 24 GB"
        assert found["result"]["holds"] is False
        shown = {name: found["result"][name]["text"] for name in ("left", "right", "margin")}
        assert shown == {"left": "30 GB", "right": "24 GB", "margin": "6 GB"}


class TestLines:
    def test_standard_input(self) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "symroof", "calc", "-", "beta=2 TB/s"],
            input=SHEET.replace("90.03", "70"), cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, "W = 140 GB\nt = 70 ms\nok\n", "")

    def test_a_file_with_its_results(self, call: Command, tmp_path: Path) -> None:
        sheet = tmp_path / "sheet.txt"
        sheet.write_text(SHEET, encoding="utf-8")
        done = call("calc", "-f", str(sheet))
        assert (done.code, done.err) == (0, f"note: {BETA}\n")
        assert done.out == (
            "# weights, once through the memory\n"
            "W = 140 GB                          140 GB\n"
            "t = W/beta in ms   # on an A100     90.03 ms\n"
            "expect 90.03 ms                     ok\n"
        )
        sheet.write_text(SHEET.replace("90.03", "90.04"), encoding="utf-8")
        done = call("calc", "-f", str(sheet))
        assert done.code == 1
        assert (
            done.out.splitlines()[-1]
            == "expect 90.04 ms                     FAILED: ours is 90.03 ms, -0.0087 % from it"
        )

    def test_names_that_the_file_does_not_use(self, run: Command, tmp_path: Path) -> None:
        (tmp_path / "sheet.txt").write_text("W = 140 GB\nW/beta\n", encoding="utf-8")
        done = run("calc", "-f", "sheet.txt", "Beta=2 TB/s")
        assert (done.code, done.err.splitlines()[-2:]) == (2, ["error: Beta is not used", "  try: did you mean beta?"])
        done = run("calc", "-f", "sheet.txt", "W=2 GB")
        assert (done.code, done.out) == (2, "")
        assert done.err == "error: line 1: W is given and defined\n  try: leave one of the two out\n"

    def test_an_error_says_its_line(self, run: Command, tmp_path: Path) -> None:
        (tmp_path / "sheet.txt").write_text("W = 140 GB\n\nW + 3 s\n", encoding="utf-8")
        done = run("calc", "-f", "sheet.txt")
        assert (done.code, done.out) == (2, "W = 140 GB  140 GB\n\n")
        assert done.err == (
            "error: line 3: byte and s do not go together\n  W + 3 s\n    ^\n"
            "  try: both sides need the same dimension\n"
        )  # fmt: skip

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (None, "error: sheet.txt cannot be read: No such file or directory\n  try: give the path of a text file\n"),
            (b"\xff\xfe", "error: sheet.txt is not UTF-8 text\n  try: save it as UTF-8\n"),
            (b"1" * 1_000_001, "error: sheet.txt has more than 1,000,000 bytes\n  try: split it\n"),
        ],
    )
    def test_files_that_are_none(self, run: Command, tmp_path: Path, content: bytes | None, message: str) -> None:
        if content is not None:
            (tmp_path / "sheet.txt").write_bytes(content)
        done = run("calc", "-f", "sheet.txt")
        assert (done.code, done.out, done.err) == (2, "", message)

    def test_terminal(self) -> None:
        """On a terminal an error is not the end."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "symroof", "calc", "-"], stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT,
            env={**os.environ, "TERM": "dumb"},
        )  # fmt: skip
        os.close(theirs)

        def answer() -> bytes:
            """What is said up to the next prompt."""
            said = b""
            while not said.endswith(b"> "):
                ready, _, _ = select.select([ours], [], [], 60)
                assert ready, said
                said += os.read(ours, 4096)
            return said

        answer()
        for line, said in (
            (b"W = 140 GB", b"W = 140 GB\r\nW = 140 GB"),
            (b"W + 3 s", b"byte and s do not go together"),
            (b"W / 3 KB", b"write kB (10^3 byte)"),
            (b"W / 2 TB/s", b"70 ms"),
        ):
            os.write(ours, line + b"\n")
            assert said in answer()
        os.write(ours, b"\x04")
        assert process.wait(timeout=60) == 0
        os.close(ours)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), 'error: there is nothing to work out\n  try: for example symroof calc "140 GB / 3.35 TB/s"\n'),
        (("x", "x"), "error: 'x' is no SYMBOL=VALUE\n  try: for example m=8192\n"),
        (("x", "x=1", "x=2"), "error: x is set twice\n  try: give each symbol one value\n"),
        (("1 GB", "--digits", "3", "--decimals", "2"), "error: --digits and --decimals exclude each other\n"
                                                       "  try: give one of them\n"),
        (("1 + 1", "--on", "a100"), "error: unknown chip 'a100'\n  try: did you mean a10, a100-80gb or a100-40gb?\n"),
        (("2*x", "x=1..2", "--show"), "error: a range has no worked lines and no one exact value\n"
                                            "  try: give one value\n"),
        (("x^5 + x = 3", "--for", "x", "--show"), "error: x has no closed form to show\n"
                                                   "  try: leave --show and --to out\n"),
        (("-", "--in", "ms"), "error: --in, --for, --show, --to, --exact and --json are for one expression\n"
                              "  try: write `in UNIT` behind a line's expression\n"),
        (("1 GB + 2 FLOP",), "error: byte and FLOP do not go together\n  1 GB + 2 FLOP\n       ^\n"
                             "  try: both sides need the same dimension\n"),
        (("W/beta", "W=1 GB", "Beta=3 TB/s"), "error: Beta is not used\n  try: did you mean beta?\n"),
        (("W/beta", "W=1..2 GB", "x=3"), "error: x is not used\n  try: leave it out: what is used is W and beta\n"),
        (("t = W/beta", "W=1 GB", "t=1 s", "x=3", "--for", "beta"),
         "error: x is not used\n  try: leave it out: what is used is t, W and beta\n"),
        (("t = W/beta", "W=1 GB", "t=1 s"),
         "error: t is given and defined\n  try: solve for beta: --for beta; or leave t=... out\n"),
        (("t = 2*x", "x=1..2 s", "t=1 s"), "error: t is given and defined\n  try: leave t=... out\n"),
        (("2*t <= 3 s",), "error: the name 't' has no value\n  2*t <= 3 s\n    ^\n  try: give its value: t=\"...\"\n"
                          "  try: or solve for it: --for t\n"),
        (("1 s <= 3 B",), "error: s and byte do not go together\n  1 s <= 3 B\n         ^\n"),
        (("x <= 3", "x=1..2"), "error: x is a range here\n"),
        (("1 <= 3", "--show"), "error: a comparison has no worked lines and no one exact value\n"
                               "  try: work out one side\n"),
        (("2*T", "T=128k"), "error: T=128k: k alone is no unit\n  128k\n     ^\n  try: write 128000 or 128*1024\n"),
        (("2.5T",), "error: T alone is no unit\n  2.5T\n     ^\n  try: write 2.5*10^12 or 2.5*1024^4\n"),
        (("1 s", "--frob"), "error: No such option '--frob'"),
    ],
)  # fmt: skip
def test_bad_input(run: Command, arguments: tuple[str, ...], message: str) -> None:
    done = run("calc", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(message)
