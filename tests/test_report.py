"""The worked solution: what it says, and that no text of an author's can break it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import symroof
from symroof import Derivation
from symroof.derivation import DerivationGraph
from symroof.errors import TypesettingError
from symroof.latex import plain_prose
from symroof.prose import untraced
from symroof.report import build
from symroof.settings import worked_settings
from symroof.shown import Report
from symroof.terminal import worked_solution
from symroof.typeset import find_engine, typeset
from symroof.writing import write
from tests.conftest import Command, contents, overfull_boxes, unwrapped


def report_of(derivation: DerivationGraph, on: str = "a100-40gb", **values: Any) -> Report:
    return build(worked_settings(derivation, values, on=on, dtype="fp16"))


@pytest.fixture(scope="module")
def gemm() -> Report:
    return report_of(symroof.load("gemm"))


@pytest.fixture(scope="module")
def tex(gemm: Report) -> str:
    return unwrapped(write(gemm, "tex"))


@pytest.fixture(scope="module")
def md(gemm: Report) -> str:
    return write(gemm, "md")


PLAIN = {
    "TITLE": "A made one",
    "QUESTION": "How long?",
    "MEANING": "items",
    "SYMBOL": "x",
    "SENTENCE": "Two for each.",
    "LABEL": "busy",
    "ADVICE": "Wait.",
    "FACT": "Always.",
    "SOURCE": "a book",
    "printed": "6 s",
}


def made(folder: Path, **texts: str) -> Derivation:
    """A derivation file with those texts in it: y = 2 s * x at x = 3 against o = 6 s."""
    shown = {name: repr(text) for name, text in {**PLAIN, **texts}.items()}
    (folder / "made.py").write_text(
        f"""{shown["QUESTION"]}
from symroof import Decision, Derivation

made = Derivation("made", title={shown["TITLE"]})
made.given("x", {shown["MEANING"]}, default=3, count=True, symbol={shown["SYMBOL"]})
made.given("w", "work on one", unit="s", default=2)
made.given("o", "overhead", unit="s", default=6)

@made.step(unit="s")
def y(w, x):
    {shown["SENTENCE"]}
    return w * x

made.binding("regime", y={shown["LABEL"]}, o="idle")
made.crossover("x_star", "y = o", solve_for="x")
made.trend("y", grows="x", sentence={shown["FACT"]})
made.advise({shown["LABEL"]}, {shown["ADVICE"]})
made.claim("y", {shown["printed"]}, source={shown["SOURCE"]})
made.chart("y o", Decision("regime", "Which is longer?", {{{shown["LABEL"]}: "Wait for {{y}}", "idle": "Do more"}}))
made.worked(over={{"x": [1, 3, 5]}}, at={{"x": 3}})
""",
        encoding="utf-8",
    )
    return symroof.load(str(folder / "made.py"))


def body(tex: str) -> str:
    return tex.partition(r"\begin{document}")[2]


def without_maths(tex: str) -> str:
    """The text of a document, its formulas left out."""
    text = re.sub(r"\\\[.*?\\\]|\\roomfor\{.*?\\end\{equation\}", "", body(tex), flags=re.DOTALL)
    text = re.sub(r"\\tall\{\$.*?\$\}|\\roomfor.*", "", text)
    return re.sub(r"(?<!\\)\$.*?(?<!\\)\$", "", text)


class TestContents:
    SECTIONS = (
        "Question",
        "Assumptions",
        "Solution",
        "Where the answer changes",
        "What holds in general",
        "Over",
        "What others print",
        "Conclusion",
        "Conventions",
    )

    def test_sections_in_order(self, tex: str, md: str) -> None:
        for heads in (
            re.findall(r"^\\(?:block(?:\[\d+\])?|begin\{kept\}\{\\section)\{(?:\\texorpdfstring\{)?(.*)\}$", tex, re.M),
            re.findall("^## (.*)$", md, re.M),
        ):
            ours = [name for head in heads for name in self.SECTIONS if head.startswith(name)]
            assert ours == list(self.SECTIONS)

    def test_title_and_case(self, tex: str, md: str) -> None:
        assert md.startswith("# One matrix product under the roofline\n\n*NVIDIA A100 40GB SXM4, fp16*\n")
        assert "One matrix product under the roofline" in body(tex)
        assert "NVIDIA A100 40GB SXM4, fp16" in body(tex)

    def test_assumptions(self, tex: str, md: str) -> None:
        """Symbol, meaning, value, unit and source of every given."""
        assert "| $`m`$ | rows of A and C | $`8192`$ | the worked example |" in md
        assert r"| $`n`$ | columns of B and C | $`1\,048\,576`$ | default |" in md
        assert r"$c$ & operations per multiply-add & $2\,\mathrm{FLOP}$ & \small default \\" in tex
        assert r"$s$ & bytes per element & $2\,\mathrm{byte}$ & \small size of fp16 \\" in tex
        for written, mark in ((tex, "$"), (md, "`$")):
            assert rf"1555\,\mathrm{{GB}}/\mathrm{{s}}{mark}" in written
            assert "NVIDIA datasheet" in written

    def test_every_step_as_written_with_numbers_and_as_a_result(self, gemm: Report, tex: str, md: str) -> None:
        assert [line.name for line in gemm.lines] == list(symroof.load("gemm").steps)
        for line in gemm.lines:
            assert line.sentence
            assert line.substituted
            for written in (tex, md):
                assert f"{line.symbol.latex} &= {line.written.latex} \\\\" in written
                assert untraced(line.substituted.latex) in written
                assert f"&{line.relation.latex} {untraced(line.result.latex)}" in written
        by_name = {line.name: line for line in gemm.lines}
        # 2 * 8192 * 512 * 2^20 = 8796093022208 FLOP
        product = r"2\,\mathrm{FLOP} \times 8192 \times 512 \times 1\,048\,576"
        assert by_name["F"].substituted is not None
        assert untraced(by_name["F"].substituted.latex) == product
        assert (by_name["F"].relation.text, by_name["F"].result.text) == ("≈", "8796 GFLOP")
        assert by_name["t"].written.latex == r"\max\left( t_{\mathrm{comp}}, t_{\mathrm{mem}} \right)"

    def test_every_product_of_numbers_is_visible(self, gemm: Report) -> None:
        for line in gemm.lines:
            assert line.substituted
            assert not re.search(r"[\d}] +(?:\d|\\left\(|\\frac)", line.substituted.latex), line.substituted.latex
            assert not re.search(r"\d +\d", line.substituted.text)

    def test_the_crossover_with_its_condition_and_proof(self, tex: str, md: str) -> None:
        for written in (tex, md):
            assert r"m^{\star} = \frac{P s k n}{c \beta k n - P s \left( k + n \right)} \approx 330.0444" in written
            assert r"c \beta k n > P s \left( k + n \right)" in written
            assert r"\frac{1\,022\,361\,600}{3\,097\,649}" in written
            assert "exactly 0" in written
            assert "331" in written
        assert "memory-bound up to $m = 330$, compute-bound from $m = 331$ on" in tex

    def test_never(self) -> None:
        report = report_of(symroof.load("gemm"), k=128, n=128)
        for form in ("tex", "md"):
            assert "No positive root: a root needs" in write(report, form)
        assert r"m^{\star} =" not in write(report, "md")
        assert report.conclusion[2].text.startswith("No crossover: a root needs c*beta*k*n > P*s*(k + n), but here")

    def test_general_facts(self, tex: str, md: str) -> None:
        for written in (tex, md):
            assert r"\lim_{m \to \infty} \mathrm{AI} = \frac{c k n}{s \left( k + n \right)}" in written
            assert r"511.8\,\mathrm{FLOP}/\mathrm{byte}" in written  # 2 * 512 * 2^20 / (2 * (512 + 2^20))
            assert re.search(r"\\frac\{\\partial \\mathrm\{AI\}\}\{\\partial m\} = .* > 0", written)
        assert "$`\\mathrm{AI}`$ rises with $`m`$, for all positive values." in md

    def test_the_table(self, gemm: Report, md: str) -> None:
        assert gemm.table
        assert [row[0].text for row in gemm.table.rows] == ["2", "8", "32", "128", "256", "512", "2048", "8192"]
        assert [head.text for head in gemm.table.heads[:3]] == ["m", "F", "B"]
        assert [unit.text for unit in gemm.table.units[:3]] == ["", "GFLOP", "GB"]
        assert gemm.table.rows[4][-1].text == "memory-bound"
        assert gemm.table.rows[5][-1].text == "compute-bound"
        assert re.search(r"^\| \$`8192`\$ \| \$`8796`\$ \| \$`18.26`\$ \| ", md, re.M)

    def test_claims_with_ours_beside_them(self, gemm: Report, tex: str, md: str) -> None:
        in_rows = [claim for claims in gemm.claims for claim in claims.rows]
        assert all(claim.agrees for claim in in_rows)
        in_grids = [cell for claims in gemm.claims if claims.grid for row in claims.grid.rows for cell in row[1:]]
        made = symroof.load("gemm").claims
        assert len(in_rows) + len(in_grids) == len(made)
        assert rf"All $`{len(made)}`$ printed figures and formulas agree" in md
        assert r"$2$ & 2.147 & 1.078 & 0.0069 & 0.6932 & 0.6932 \\" in tex  # the published table as it is printed
        assert "| $`2`$ | 2.147 | 1.078 | 0.0069 | 0.6932 | 0.6932 |" in md
        assert r"$B$ & $m = 8192$ & 18.262 GB & $18.262\,\mathrm{GB}$ \\" in tex
        assert r"| $`B`$ | $`m = 8192`$ | 18.262 GB | $`18.262\,\mathrm{GB}`$ | agrees |" in md
        assert r"| $`\lceil m^{\star} \rceil`$ |  | 331 | $`331`$ | agrees |" in md

    def test_a_claim_that_differs(self, tmp_path: Path) -> None:
        report = report_of(made(tmp_path, printed="7 s"))
        assert report.claims_summary.text == "1 of 1 printed figures and formulas differ."
        assert r"$y$ &  & 7 s & $6\,\mathrm{s}$ & \bfseries differs: ours is 6 s, -14 \% from it \\" in write(
            report, "tex"
        )
        assert r"| $`y`$ |  | 7 s | $`6\,\mathrm{s}`$ | differs: ours is 6 s, -14 % from it |" in write(report, "md")
        assert "  y = 7 s : differs: ours is 6 s, -14 % from it" in worked_solution(report)

    def test_the_conclusion_is_computed(self, gemm: Report) -> None:
        answer, shares, first, second, third = (paragraph.text for paragraph in gemm.conclusion)
        # 2 * 8192 * 512 * 2^20 FLOP at 312 TFLOP/s, and 18261999616 byte at 1555 GB/s, of which 2 * 8192 * 2^20 are C's
        assert answer.startswith(
            "At m = 8192 one product needs 8796 GFLOP and moves 18.26 GB. It takes between 28.19 ms"
        )
        assert shares == "Of the traffic C is 94.07 %, the weights B are 5.880 %."
        assert first == "Memory-bound up to m = 330, compute-bound from m = 331 on."
        # 28.1926 ms / 11.7441 ms
        assert second.startswith("At m = 8192: compute-bound. t_comp is 2.401 times t_mem, so shortening t_mem alone")
        assert third == plain_prose(symroof.load("gemm").advice["compute-bound"])
        small = report_of(symroof.load("gemm"), m=8).conclusion[2:]
        assert small[1].text.startswith("At m = 8: memory-bound. t_mem is ")
        assert small[2].text == plain_prose(symroof.load("gemm").advice["memory-bound"])

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            # 2 * 32 * 8 * 128 elements of 2 byte; 16 * 8192 of these; 8 030 261 248 weights of 2 byte
            ("kv_cache", "At T = 8192 and b = 16 the cache takes 128 KiB a token and 16 GiB in all, beside 14.96 GiB"),
            ("kv_cache", "The longest context for this batch is 12562, the largest batch for this context 24."),
            # 2 * (2 * 4096 * 128 * 33) and 2 * (4 * 4096 * 128 + 4 * 4096^2) byte
            ("flash_attention", "moves 69.21 MB where standard attention moves 138.4 MB"),
            # (1/2 + 2/128) * 512 * 2^20 + 2 * 128 * (512 + 2^20) byte against 2 * (128 * 512 + 2^29 + 2^27)
            ("quantised_gemm", "with 0.5156 byte a weight the product moves 545.4 MB instead of 1342 MB and takes"),
        ],
    )
    def test_what_the_other_conclusions_answer(self, name: str, text: str) -> None:
        assert text in " ".join(one.text for one in report_of(symroof.load(name)).conclusion)

    def test_on_the_crossover_both_bind(self, tmp_path: Path) -> None:
        report = report_of(made(tmp_path))  # 2 s * 3 = 6 s
        assert report.conclusion[0].text == "Idle up to x = 2, both equal at x = 3, busy from x = 4 on."
        assert report.conclusion[1].text == "At x = 3: y equals o, so both limits bind."

    def test_brief_leaves_the_numbers_out(self, gemm: Report, tex: str) -> None:
        for form in ("tex", "md"):
            brief = unwrapped(write(gemm, form, brief=True))
            assert r"\times 8192" not in brief
            assert r"F = c m k n \approx 8796\,\mathrm{GFLOP}" in brief
        assert r"\times 8192" in tex


def cells(row: str) -> int:
    """How many cells a row of a Markdown table has."""
    return len(re.findall(r"(?<!\\)\|", row)) - 1


def assert_whole_tables(md: str) -> None:
    for block in re.findall(r"(?:^\|.*\n)+", md, re.M):
        assert len({cells(row) for row in block.splitlines()}) == 1, block


ALL_SPECIAL = r"_ % & # ~ ^ \ { } < > | ` * [a](b) !"
HOSTILE = [
    ALL_SPECIAL,
    r"a_b 100% A&B #1 ~x ^y C:\dir {z} <b>x</b> p|q `code` **bold** [link](x)",
    "a lone $ sign",
    r"broken maths $a_{$ here",
    r"$\undefined$ and $\input{/etc/passwd}$",
    "$x^2^3$ and $a_b_c$",
    r"$\frac{1}$ and $\left( x$",
    r"\end{document} \input{x} \def\x{\x}\x",
    "\"double\" and 'single' quotes, a -- dash --- and ... dots",
    "https://example.org/a_b/c%20d?e=1&f=2#g~h",
    "{{ words }} {% if x %} << report >> <% raw %>",
    "- not a list",
    "1. nor this",
    "# nor a head",
    "é ß Ł – — “quoted” ‘so’ … €",
]


class TestHostileText:
    """Titles, docstrings, descriptions, labels, sources and chips in whatever characters."""

    @pytest.mark.parametrize("text", HOSTILE)
    def test_stays_text(self, text: str, tmp_path: Path) -> None:
        places = ("TITLE", "QUESTION", "MEANING", "SENTENCE", "LABEL", "ADVICE", "FACT", "SOURCE")
        report = report_of(made(tmp_path, **dict.fromkeys(places, text)))
        tex, md = write(report, "tex"), write(report, "md")
        assert_whole_tables(md)
        assert not re.search(r"(?<!\\)[_^#%]", without_maths(tex))
        # Whatever the author wrote in one place, our own maths beside it stays maths.
        assert "$y$ equals $o$" in tex
        assert "$`y`$ equals $`o`$" in md
        assert "y equals o" in worked_solution(report)
        (asked,) = re.findall(r"^ *s1 .*\|\"(.*)\"\| s1o0$", md, re.M)
        assert not re.search(r"[\"<>`]|#(?![0-9a-z]+;)", asked)  # a label of the chart

    def test_as_a_pdf(self, tmp_path: Path) -> None:
        """All of them at once, in every place."""
        places = ("TITLE", "MEANING", "LABEL", "SOURCE", "ADVICE", "FACT", "SENTENCE")
        all_of_them = " ".join(HOSTILE)
        chip = f"[rates]\nfp16 = {figure('1 TFLOP/s')}\n"
        (tmp_path / "own.toml").write_text(
            f"name = {toml(ALL_SPECIAL)}\nmemory = {figure('1 GB')}\nbandwidth = {figure('1 GB/s')}\n{chip}"
        )
        derivation = made(tmp_path, QUESTION="\n\n".join(HOSTILE), **dict.fromkeys(places, all_of_them))
        tex = write(report_of(derivation, on=str(tmp_path / "own.toml")), "tex")
        assert typeset(tex).pdf.startswith(b"%PDF-")

    def test_how_characters_are_escaped(self, tmp_path: Path) -> None:
        report = report_of(made(tmp_path, MEANING=r"a_b 5% & #1 ~ ^ C:\x {y} <z> p|q"))
        assert (
            r"a\_b 5\% \& \#1 \textasciitilde{} \textasciicircum{} C:\textbackslash{}x \{y\} "
            r"\textless{}z\textgreater{} p\textbar{}q & $3$"
        ) in write(report, "tex")
        assert r"| a\_b 5% \& \#1 \~ ^ C:\\x \{y\} \<z\> p\|q | $`3`$ |" in write(report, "md")

    def test_maths_stays_maths(self, tmp_path: Path) -> None:
        report = report_of(made(tmp_path, MEANING=r"all $x_i \ge \frac{1}{2}$ with $|x| < 3$", TITLE="The $x$ of it"))
        assert r"all $x_i \ge \frac{1}{2}$ with $|x| < 3$ & $3$" in write(report, "tex")
        md = write(report, "md")
        assert r"| all $`x_i \ge \frac{1}{2}`$ with $`\vert x\vert  < 3`$ |" in md
        assert md.startswith("# The $`x`$ of it\n")
        assert_whole_tables(md)

    def test_a_web_address_stays_whole(self, tmp_path: Path) -> None:
        address = "https://example.org/a_b?c=1&d=2#e"
        report = report_of(made(tmp_path, SOURCE=f"see {address}."))
        assert f"**see <{address}>.**" in write(report, "md")
        assert r"see https://example.org/a\_b?c=1\&d=2\#e." in write(report, "tex")

    def test_a_symbol_of_any_latex(self, tmp_path: Path) -> None:
        report = report_of(made(tmp_path, SYMBOL=r"\dot{\mathcal{X}}"))
        assert r"$y$ rises with $\dot{\mathcal{X}}$" in write(report, "tex")
        assert r"$`y`$ rises with $`\dot{\mathcal{X}}`$" in write(report, "md")
        assert "y rises with x" in worked_solution(report)

    @pytest.mark.parametrize("text", ["矩阵乘法", "fast 🚀", "матрица", "حساب"])
    def test_another_script(self, text: str, tmp_path: Path, call: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        made(tmp_path, TITLE=text, SENTENCE=text, LABEL=text)
        monkeypatch.setenv("PATH", str(tmp_path))  # the bundled engine
        done = call("report", "--no-figures", "made.py", "--out", "out")
        assert (done.code, done.out.splitlines()) == (2, ["out/made.tex", "out/made.md"])
        first, hint = done.err.splitlines()
        assert first.startswith(f"error: bundled pdflatex cannot set {text.removeprefix('fast ')[0]!r} (U+")
        assert ".tex and .md are written all the same" in hint
        for form in ("tex", "md"):
            assert text in (tmp_path / "out" / f"made.{form}").read_text(encoding="utf-8")
        assert "out/made.pdf" not in contents(tmp_path)


def toml(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def figure(value: str) -> str:
    return f'{{value = "{value}", source = {toml(ALL_SPECIAL)}, date = "2026-01-02", note = {toml("a_b & 5%")}}}'


class TestDocument:
    def test_pages_are_clean(self, tex: str) -> None:
        result = typeset(tex)
        assert overfull_boxes(result.log, more_than=1) == []
        assert "undefined references" not in result.log

    def test_no_raw_underscore(self, tex: str) -> None:
        assert not re.search(r"(?<!\\)_", without_maths(tex))
        # Nor a symbol's name in code where its LaTeX should stand, but for the claims, which are shown as printed.
        assert "\\_" not in without_maths(tex).partition("What others print")[0]

    @pytest.mark.slow
    def test_same_input_same_bytes(self, run: Command, tmp_path: Path) -> None:
        for seed in ("1", "2"):
            assert (
                run(
                    "report", "--no-figures", "gemm", "--to", "tex,md", "--out", seed, env={"PYTHONHASHSEED": seed}
                ).code
                == 0
            )
        for form in ("tex", "md"):
            one, other = ((tmp_path / seed / f"gemm.{form}").read_bytes() for seed in ("1", "2"))
            assert one == other

    def test_text_that_no_engine_reads_is_refused_by_name(self, tmp_path: Path) -> None:
        tex = write(report_of(made(tmp_path, TITLE="\x07")), "tex")
        with pytest.raises(TypesettingError, match=r"cannot set '\\x07'"):
            typeset(tex, find_engine())

    def test_a_derivation_with_nothing_but_a_step(self, tmp_path: Path) -> None:
        (tmp_path / "bare.py").write_text(
            "from symroof import Derivation\nbare = Derivation('bare')\n\n@bare.step()\ndef seven():\n    return 7\n"
        )
        report = report_of(symroof.load(str(tmp_path / "bare.py")))
        assert r"\mathrm{seven} = 7" in unwrapped(write(report, "tex"))
        assert re.findall("^## (.*)$", write(report, "md"), re.M) == ["Solution", "Conventions"]
        assert typeset(write(report, "tex")).pdf.startswith(b"%PDF-")

    def test_a_long_formula_and_a_long_label_stay_on_the_page(self, tmp_path: Path) -> None:
        names = [f"t_{at}" for at in range(30)]
        (tmp_path / "long.py").write_text(
            "from symroof import Derivation, total\nlong = Derivation('long')\n"
            + "".join(f"long.given({name!r}, unit='s', default='123456789 us')\n" for name in names)
            + f"\n@long.step(unit='s')\ndef t({', '.join(names)}):\n"
            f"    return total({', '.join(names)})\n"
        )
        tex = write(report_of(symroof.load(str(tmp_path / "long.py"))), "tex")
        assert overfull_boxes(typeset(tex).log, more_than=1) == []


def test_what_moves_the_answer() -> None:
    """t_tp = L t_g + N_1 t_ring with 72 layers, 36 of them with an all-reduce: m and k are in all of it, one more layer
    is one of type 1. A layer takes 2 m k n FLOP at 4 * 312 TFLOP/s, 7.05 ms; its all-reduce, 0.042 ms, is 0.3 % of the
    whole. The efficiencies say no more than the rates that they multiply."""
    (moved,) = report_of(symroof.load("tensor_parallel")).moved
    layer, ring = 2 * 8192 * 512 * 2**20 / (4 * 312e12), 3 * 8192 * 512 / 300e9
    whole = 72 * layer + 36 * ring
    assert [(given.text, change.text, form.text if form else "") for given, change, form in moved.rows] == [
        ("one more L", f"{100 * (layer + ring) / whole:.3f}", ""),
        ("m", "1", ""),
        ("k", "1", ""),
        ("n", f"{72 * layer / whole:.4f}", "t_g*L/t_tp_L"),
        ("c", f"{72 * layer / whole:.4f}", "t_g*L/t_tp_L"),
        ("P", f"{-72 * layer / whole:.4f}", "-t_g*L/t_tp_L"),
        ("g", f"{(36 * ring / 3 - 72 * layer) / whole:.4f}", "-(t_g*L*g - t_tp_L)/(t_tp_L*(g - 1))"),
        ("s", f"{36 * ring / whole:.6f}", "t_ring*N_1/t_tp_L"),
        ("beta_link", f"{-36 * ring / whole:.6f}", "-t_ring*N_1/t_tp_L"),
        ("beta", "0", ""),
    ]


def test_an_efficiency_used_by_itself_has_its_row() -> None:
    shares = Derivation("shares")
    shares.given("P", unit="FLOP/s", default=100, efficiency="eta")
    shares.given("eta", default=0.5, most=1)

    @shares.step(unit="FLOP/s")
    def R(P: Any, eta: Any) -> Any:
        return P * eta

    (moved,) = report_of(shares).moved
    assert [(given.text, change.text) for given, change, _ in moved.rows] == [("eta", "2"), ("P", "1")]
