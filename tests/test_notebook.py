"""What Python and notebooks show, and the notebook that comes with symroof, its cells run and compared."""

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
import sympy

import symroof
from symroof import library, notebook
from symroof.api import Derivation
from symroof.units import quantity, unit

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "derivations" / "gemm.ipynb"
CELLS: list[dict[str, Any]] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]

GEMM = symroof.load("gemm")


def rows(html: str) -> list[list[str]]:
    """The cells of all tables, without their tags."""
    found = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    return [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in found]


class TestQuantity:
    def test_latex_is_what_a_notebook_typesets(self) -> None:
        # 8796093022208 FLOP at 312 TFLOP/s take 28.1926... ms
        time = quantity(Fraction(2147483648, 76171875), "ms")
        assert time._repr_latex_() == r"$28.19\,\mathrm{ms}$"
        assert time._repr_html_ is None
        assert str(time) == f"{time}" == "28.19 ms"
        assert repr(time) == "<Quantity 28.19 ms   exactly 2147483648/76171875 ms>"
        assert repr(quantity(8192)) == "<Quantity 8192>"
        assert repr(quantity(sympy.sqrt(2), "KiB")) == "<Quantity 1.414 KiB   exactly sqrt(2) KiB>"

    def test_what_a_float_made_inexact_is_shown_as_it_is(self) -> None:
        spoilt = quantity(3, "s") * 0.5
        assert repr(spoilt) == "<Quantity(1.5, 'second')>"
        assert spoilt._repr_latex_() is None

    def test_to_reads_units_as_everywhere(self) -> None:
        rate = quantity(312, "TFLOP/s")
        assert rate.to("TFLOPS").magnitude == rate.m_as("TFLOP/s") == 312
        assert rate.to(unit("GFLOP/s")).magnitude == 312_000
        assert quantity(3, "s").to("µs").magnitude == 3_000_000
        assert quantity(1, "W*s").to("N·m").magnitude == 1

    @pytest.mark.parametrize(
        ("wanted", "said"),
        [
            ("KB", "the unit 'KB' is ambiguous\nwrite kB (10^3 byte), KiB (2^10 byte) or kbit (10^3 bit)"),
            ("Gbps", "the unit 'Gbps' is ambiguous"),
            ("mss", "unknown unit 'mss'"),
            ("9**9**9", "'9**9**9' is not a unit"),
            ("3 ms", "'3 ms' is not a unit"),
            ("s", "a quantity in GB cannot be given in s\nits dimension is that of byte"),
            ("", "a quantity in GB cannot be given in plain numbers"),
        ],
    )
    def test_to_refuses_in_our_words(self, wanted: str, said: str) -> None:
        with pytest.raises(symroof.SymroofError) as refused:
            quantity(3, "GB").to(wanted)
        assert str(refused.value).startswith(said)

    def test_to_of_a_plain_number(self) -> None:
        with pytest.raises(symroof.SymroofError, match="a plain number cannot be given in byte"):
            quantity(3).to("byte")
        assert quantity(Fraction(1, 4)).to("%").magnitude == 25


class TestDerivation:
    def test_text(self) -> None:
        assert repr(GEMM) == "<Derivation gemm: One matrix product under the roofline>"
        lines = str(GEMM).splitlines()
        assert lines[0] == "gemm: One matrix product under the roofline"
        assert "  m  rows of A and C (must be set)" in lines
        assert "  c  [FLOP]  operations per multiply-add (2 FLOP)" in lines
        assert "  P  [FLOP/s]  peak rate, times its efficiency (from the chip)" in lines
        assert "  s  [byte]  bytes per element (from the data type)" in lines
        assert "  t = max(t_comp, t_mem)  [s]" in lines
        assert lines[-2:] == [
            "  regime: the largest of t_comp (compute-bound) and t_mem (memory-bound)",
            "  m_star: where t_comp = t_mem, for m",
        ]

    def test_html(self) -> None:
        html = GEMM._repr_html_()
        assert html.startswith("<p><strong>One matrix product under the roofline</strong> (gemm)</p><table>")
        found = rows(html)
        assert ["$n$", "columns of B and C", "", "1048576"] in found
        assert [r"$\beta$", "memory bandwidth, times its efficiency", "byte/s", "from the chip"] in found
        assert ["$F = c m k n$", "FLOP", "Each of the $m n$ outputs sums $k$ products."] in found
        assert [r"$m^{\star}$", "", "where t_comp = t_mem, for $m$"] in found

    def test_latex_is_aligned(self) -> None:
        lines = GEMM._repr_latex_().splitlines()
        assert lines[0] == r"$$\begin{aligned}"
        assert lines[1] == r"F &= c m k n \quad [\mathrm{FLOP}] \\"
        assert lines[-2:] == [
            r"t_{\mathrm{sum}} &= t_{\mathrm{comp}} + t_{\mathrm{mem}} \quad [\mathrm{s}]",
            r"\end{aligned}$$",
        ]

    def test_one_in_the_making_and_without_a_source(self) -> None:
        mine = Derivation("mine")
        mine.given("a", "first <b> & $5, \\(x\\)")
        namespace: dict[str, Any] = {}
        exec('def y(a, nothing):\n    """Twice."""\n    return 2 * a', namespace)
        mine.step(unit="s")(namespace["y"])
        assert str(mine) == "mine: mine\n  a  first <b> & $5, \\(x\\) (must be set)\n  y = f(a, nothing)  [s]"
        assert r"y &= f\left( a, \mathrm{nothing} \right) \quad [\mathrm{s}]" in mine._repr_latex_()
        assert rows(mine._repr_html_())[1] == [
            "$a$",
            "first &lt;b&gt; &amp; <span>$</span>5, <span>\\</span>(x<span>\\</span>)",
            "",
            "must be set",
        ]

    def test_nothing_is_worked_out(self) -> None:
        script = (
            "import sys, symroof; gemm = symroof.load('gemm')\n"
            "repr(gemm), gemm._repr_html_(), gemm.at(m=2)._repr_html_()\n"
            "print(sorted({'sympy', 'jinja2', 'symroof.report', 'symroof.crossover'} & set(sys.modules)))"
        )
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
        assert done.stdout == "[]\n"

    @pytest.mark.parametrize("name", library.shipped())
    def test_every_derivation_shows_all_its_formulas(self, name: str) -> None:
        derivation = symroof.load(name)
        shown = rows(derivation._repr_html_())
        assert len(shown) == 2 + len(derivation.items)  # two heads
        assert "= f(" not in str(derivation)
        solution = derivation.at(**derivation.example.at)
        assert len(rows(solution._repr_html_())) == 1 + len(derivation.quantities)
        assert "needs a value" not in str(solution)


class TestSolution:
    def test_values(self) -> None:
        # F = 2 * 8192 * 512 * 2^20 = 8796093022208; 8796.093... GFLOP / 312 TFLOP/s = 28.1926 ms
        solution = GEMM.at(m=8192)
        assert repr(solution) == "<Solution of gemm, m=8192, a100-40gb, fp16>"
        lines = str(solution).splitlines()
        assert lines[0] == "m = 8192"
        assert "P = 312 TFLOP/s" in lines
        assert "F = 8796 GFLOP   exactly 8796.093022208 GFLOP" in lines
        assert "t = 28.19 ms   exactly 2147483648/76171875 ms" in lines
        assert lines[-1] == "regime = compute-bound"
        html = solution._repr_html_()
        assert html.startswith(
            "<p><strong>One matrix product under the roofline</strong> (m=8192, a100-40gb, fp16)</p>"
        )
        assert [r"$t_{\mathrm{comp}}$", r"$\approx 28.19\,\mathrm{ms}$", "All operations at the peak rate."] in rows(
            html
        )
        assert rows(html)[-1] == [r"$\mathrm{regime}$", "= compute-bound", ""]
        latex = solution._repr_latex_().splitlines()
        assert latex[0] == r"$$\begin{aligned}"
        assert r"P &= 312\,\mathrm{TFLOP}/\mathrm{s} \\" in latex
        assert r"t &\approx 28.19\,\mathrm{ms} \\" in latex
        assert latex[-2] == r"\mathrm{regime} &\text{= compute-bound}"

    def test_what_is_missing_is_said_in_its_place(self) -> None:
        solution = GEMM.at()
        lines = str(solution).splitlines()
        assert lines[0] == "m (gemm needs a value for m (rows of A and C))"
        assert "I = 200.6 FLOP/byte   exactly 62400/311 FLOP/byte" in lines
        assert rows(solution._repr_html_())[1][1] == "(gemm needs a value for m (rows of A and C))"
        assert r"m &\text{(gemm needs a value for m (rows of A and C))} \\" in solution._repr_latex_()


class TestAnswer:
    # t_comp = t_mem: c m k n/P = s(mk + kn + mn)/beta, so m = P s k n/(c beta k n - P s (k + n)) = 1022361600/3097649
    FORM = r"\frac{P s k n}{c \beta k n - P s \left( k + n \right)}"
    CONDITION = r"c \beta k n {} P s \left( k + n \right)"
    VALUE = r"= \frac{1\,022\,361\,600}{3\,097\,649} \approx 330.0444"

    def test_crossing(self) -> None:
        answer = GEMM.solve("m_star")
        root = answer.roots[0]
        assert repr(answer) == "<Answer t_comp = t_mem for m: crosses at 330.0444>"
        assert repr(root) == "<Root m_star = 330.0444   exactly 1022361600/3097649>"
        right = rf"= {self.FORM} {self.VALUE} \quad \text{{if }} {self.CONDITION.format('>')}"
        assert root._repr_latex_() == rf"$m^{{\star}} {right}$"
        assert answer._repr_latex_() == f"$$\\begin{{aligned}}\nm^{{\\star}} &{right}\n\\end{{aligned}}$$"
        html = answer._repr_html_()
        assert html.startswith(
            r"<p>$t_{\mathrm{comp}} = t_{\mathrm{mem}}$ for $m$: <strong>crosses</strong></p><table>"
        )
        assert html.endswith(root._repr_html_())
        assert rows(html) == [
            ["m_star", rf"$m^{{\star}} = {self.FORM}$"],
            ["value", f"${self.VALUE}$"],
            ["exists if", f"${self.CONDITION.format('&gt;')}$"],
            ["sides", "memory-bound below, compute-bound above, by the sign of the derivative"],
            ["from", "331, the first whole number at or above"],
            ["proof", "t_comp - t_mem with m = P*s*k*n/(c*beta*k*n - P*s*(k + n)) cancels to 0"],
        ]

    def test_never(self) -> None:
        # c beta k n/(P s (k + n)) = 1555e9 * 128 * 128 / (312e12 * 256) = 0.3190
        answer = GEMM.solve("m_star", k=128, n=128)
        assert repr(answer) == "<Answer t_comp = t_mem for m: never>"
        assert answer._repr_latex_() == r"$t_{\mathrm{comp}} = t_{\mathrm{mem}} \quad \text{never}$"
        assert "<p>a root needs c*beta*k*n &gt; P*s*(k + n), but here" in answer._repr_html_()

    def test_without_a_closed_form(self) -> None:
        quintic = Derivation("quintic")
        quintic.given("x")
        quintic.given("a")
        answer = quintic.solve("x^5 - 3*x^3 + x = a", for_="x", a="1/10")
        first = answer.roots[0]
        assert str(first).startswith("  x = no closed form\n    value        ")
        assert first._repr_latex_().endswith(r" \approx 0.1032946$")  # 0.1032946^5 - 3*0.1032946^3 + 0.1032946 = 0.1
        assert rows(answer._repr_html_())[0] == ["x", "no closed form"]
        assert answer._repr_latex_().count("x &= ") == 3

    @pytest.mark.parametrize(
        "arguments",
        [
            ["m_star"],
            ["m_star", "--set", "k=128", "--set", "n=128"],
            ["t = 10 ms", "--for", "m"],
            ["t <= 10 ms", "--for", "m"],
            ["t <= 1 ns", "--for", "m"],
        ],
    )
    def test_print_says_what_the_command_says(self, call: Any, arguments: list[str]) -> None:
        given = dict(one.split("=") for one in arguments[2::2] if arguments[1] == "--set")
        answer = GEMM.solve(arguments[0], for_="m", **given)
        assert str(answer) + "\n" == call("solve", "gemm", *arguments).out

    def test_a_crossover_names_the_roots_of_its_own_symbol_only(self) -> None:
        assert str(GEMM.solve("m_star").roots[0]).startswith("  m_star = P*s*k*n/")
        assert str(GEMM.solve("m_star", for_="k", m=512).roots[0]).startswith("  k = P*s*m*n/")

    def test_the_range_of_an_inequality(self) -> None:
        # 2 m k n/P <= 10 ms for m <= 312e12 * 0.01/(2 * 512 * 2^20) = 380859375/131072 = 2905.7265
        found = GEMM.solve("t <= 10 ms", for_="m")
        assert repr(found) == "<Budget t <= 10 ms for m: some, m <= 2905.726>"
        assert found._repr_latex_() == r"$t \le 10\,\mathrm{ms} \quad m \le 2905.726$"
        html = found._repr_html_()
        assert html.startswith(r"<p>$t \le 10\,\mathrm{ms}$ for $m$: <strong>some</strong></p><table>")
        assert rows(html) == [
            ["range", r"$m \le 2905.726$"],
            ["to", r"$= \frac{380\,859\,375}{131\,072} \approx 2905.726$"],
            ["whole", "1 to 2905, both neighbours checked"],
            ["proved", "t - 10 ms never falls as m rises, in every branch"],
        ]

    def test_an_inequality_that_never_holds(self) -> None:
        # The 512 * 2^20 weights alone take longer than 1 ns.
        found = GEMM.solve("t <= 1 ns", for_="m")
        assert repr(found) == "<Budget t <= 1 ns for m: none>"
        assert found._repr_latex_() == r"$t \le 1\,\mathrm{ns} \quad \text{none}$"
        assert "<strong>none</strong></p><p>t &lt;= 1 ns holds for no m: " in found._repr_html_()


def test_sentences_keep_sound_maths_only() -> None:
    assert notebook.prose("with $k < 3$ & more") == "with $k &lt; 3$ &amp; more"
    assert notebook.prose(r"$\input{x}$") == r"<span>$</span><span>\</span>input{x}<span>$</span>"


# IPython runs the cells and formats what they show as a notebook's kernel does.
RUN = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
shown = {}
for cell in json.loads(sys.stdin.read()):
    if cell["cell_type"] == "code":
        shell.displayhook.write_format_data = lambda data, metadata=None, at=cell["id"]: shown.update({at: data})
        shell.run_cell("".join(cell["source"])).raise_error()
print("\\n" + json.dumps(shown))
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """What each cell of the notebook shows, by the cell's name and the kind of output."""
    folder, settings = tmp_path_factory.mktemp("notebook"), tmp_path_factory.mktemp("ipython")
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        cwd=folder,
        env={**os.environ, "IPYTHONDIR": str(settings), "PYTHONIOENCODING": "utf-8"},
        input=json.dumps(CELLS),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert list(folder.iterdir()) == []
    found: dict[str, dict[str, str]] = json.loads(done.stdout.splitlines()[-1])
    return found


class TestNotebook:
    def test_outputs_are_not_stored(self) -> None:
        code = [cell for cell in CELLS if cell["cell_type"] == "code"]
        assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
        assert len({cell["id"] for cell in CELLS}) == len(CELLS)

    def test_it_is_no_derivation(self) -> None:
        assert NOTEBOOK.stem in library.shipped()
        assert len(library.shipped()) == len(list(NOTEBOOK.parent.glob("*.py")))

    def test_every_code_cell_shows_something(self, shown: dict[str, dict[str, str]]) -> None:
        assert list(shown) == [cell["id"] for cell in CELLS if cell["cell_type"] == "code"]

    def test_derivation_and_solutions(self, shown: dict[str, dict[str, str]]) -> None:
        assert shown["load"]["text/html"] == GEMM._repr_html_()
        assert shown["load"]["text/latex"] == GEMM._repr_latex_()
        # 8796.093 GFLOP at 989.4 TFLOP/s take 8.890 ms; 989.4/312 = 3.171
        assert self._row(shown["a100"]["text/html"], "$t$") == [r"$t$", r"$\approx 28.19\,\mathrm{ms}$"]
        assert self._row(shown["h100"]["text/html"], "$t$") == [r"$t$", r"$\approx 8.890\,\mathrm{ms}$"]
        assert shown["times"] == {"text/plain": "(28.19 ms, 8.890 ms)"}
        assert shown["ratio"] == {"text/plain": "3.171", "text/latex": "$3.171$"}

    def test_answers(self, shown: dict[str, dict[str, str]]) -> None:
        assert self._row(shown["crossover"]["text/html"], "value") == ["value", f"${TestAnswer.VALUE}$"]
        assert "<strong>never</strong>" in shown["never"]["text/html"]
        # m = P (10 ms)/(c k n) = 312e12/100/2^30 = 380859375/131072
        assert r"= \frac{380\,859\,375}{131\,072} \approx 2905.726 \quad" in shown["equation"]["text/latex"]

    def test_sweep(self, shown: dict[str, dict[str, str]]) -> None:
        text = shown["sweep"]["text/plain"]
        assert "'m': array([ 128.,  256.,  512., 1024.])" in text
        assert "'memory-bound', 'memory-bound', 'compute-bound'" in " ".join(text.split())

    @staticmethod
    def _row(html: str, first: str) -> list[str]:
        return next(row[:2] for row in rows(html) if row[0] == first)
