"""Printed figures against the exact values that they were rounded from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symroof.printed import differences, misprints, read, typed
from symroof.prose import no_words, traced
from symroof.units import quantity
from tests.conftest import Command
from tests.fuzz_printed import documents, missed

pytestmark = pytest.mark.slow


def shown(latex: str, exact: str) -> str:
    return traced(latex, "t", exact)


@pytest.mark.parametrize(
    ("latex", "exact"),
    [
        (r"28.19\,\mathrm{ms}", "2147483648/76171875"),  # 28.1926...
        ("0.12", "1/8"),  # 0.125 is halfway, and 2 is even
        ("0.38", "3/8"),  # 0.375 is halfway, and 8 is even
        (r"1\,048\,576", "1048576"),
        (r"-1.5 \times 10^{-3}", "-0.0015"),
        (r"8.796 \times 10^{12}", "8796093022208"),
        (r"\frac{1\,022\,361\,600}{3\,097\,649}", "1022361600/3097649"),
        (r"-\frac{1}{3}", "-1/3"),
        (r"\sqrt{2}", "1.414213562373095048801688724209698078570"),
        ("1.414", "1.414213562373095048801688724209698078570"),
        ("0", "0"),
    ],
)
def test_right_figures(latex: str, exact: str) -> None:
    assert list(misprints(read(shown(latex, exact)))) == []


@pytest.mark.parametrize(
    ("latex", "exact"),
    [
        (r"28.20\,\mathrm{ms}", "2147483648/76171875"),
        ("0.13", "1/8"),
        ("0.37", "3/8"),
        (r"1\,048\,577", "1048576"),
        (r"1.5 \times 10^{-3}", "-0.0015"),
        (r"8.796 \times 10^{11}", "8796093022208"),
        (r"\frac{1\,022\,361\,600}{3\,097\,648}", "1022361600/3097649"),
        (r"\frac{1}{3}", "-1/3"),
        ("1.415", "1.414213562373095048801688724209698078570"),
    ],
)
def test_misprints_are_named_with_their_line(latex: str, exact: str) -> None:
    document = read(f"first\nsecond {shown(latex, exact)}\n")
    assert list(misprints(document)) == [f"line 2: t is printed as {latex}, but is {exact}"]


def test_a_document_is_taken_apart() -> None:
    document = read(f"one {no_words('$' + shown('2.5', '5/2') + '$')} two {no_words('three')}")
    assert document.text == "one $2.5$ two three"
    assert [(one.printed, one.of, one.exact) for one in document.figures] == [("2.5", "t", "5/2")]
    assert document.text[document.figures[0].start : document.figures[0].end] == "2.5"
    assert document.words == [(0, "one "), (9, " two "), (19, "")]


class TestTyped:
    def test_a_figure_in_the_words_has_no_origin(self) -> None:
        words = r"takes 5 ms and $3.5\,\mathrm{GB}/\mathrm{s}$, which is 94 \% of 7 layers in FP16 on 2 chips"
        assert list(typed(read(f"\n{words}"), [])) == [
            "line 2: the figure 5 ms has no origin, it stands in the words of the text",
            "line 2: the figure 3.5 GB has no origin, it stands in the words of the text",
            "line 2: the figure 94 % has no origin, it stands in the words of the text",
        ]

    def test_what_a_given_is_set_to_may_be_named(self) -> None:
        assert list(typed(read("resident, in 40 GiB"), [quantity(40, "GiB")])) == []
        assert list(typed(read("resident, in 40960 MiB"), [quantity(40, "GiB")])) == []
        assert list(typed(read("resident, in 40 GB"), [quantity(40, "GiB")])) != []

    def test_formulas_and_quotations_are_no_words(self) -> None:
        assert list(typed(read(no_words("P * 10 ms") + " as they print"), [])) == []


class TestDifferences:
    FRESH = f"A line.\n$t = {shown('28.19', '2147483648/76171875')}\\,ms$\nType 1, then 2\nthe end\n"
    TEXT = "A line.\n$t = 28.19\\,ms$\nType 1, then 2\nthe end\n"

    def found(self, text: str) -> list[str]:
        return list(differences(read(self.FRESH), text))

    def test_the_same(self) -> None:
        assert self.found(self.TEXT) == []

    def test_other_words_and_lines_are_no_figures(self) -> None:
        assert self.found(self.TEXT.replace("A line.", "Another,\nand one more.").replace("the end\n", "")) == []

    def test_a_wrong_digit(self) -> None:
        assert self.found(self.TEXT.replace("28.19", "28.29")) == [
            "line 2: 28.29 in place of 28.19 (t = 2147483648/76171875 exactly)"
        ]
        assert self.found(self.TEXT.replace("Type 1", "Type 3")) == ["line 3: 3 in place of 1"]

    def test_a_figure_too_many(self) -> None:
        assert self.found(self.TEXT + "or 94 of 100\n") == ["line 5: 94 has no origin", "line 5: 100 has no origin"]

    def test_a_figure_missing(self) -> None:
        assert self.found(self.TEXT.replace("28.19", "so many")) == [
            "line 2: 28.19 (t = 2147483648/76171875 exactly) is missing"
        ]

    def test_another_unit_or_sign(self) -> None:
        fresh = read(f"t {no_words('=')} {no_words(shown('28.19 ms', '28.19'))}\nand {no_words('$a + b$')} so\n")
        assert list(differences(fresh, "t = 28.19 ms\nor $a + b$ yes\n")) == []
        for altered in ("28.19 us", "-28.19 ms", "28.19 ms/s", "28.19 ms million"[:12]):
            assert list(differences(fresh, f"t = {altered}\nand $a + b$ so\n")) == [
                "line 1: t = 28.19 ms is not as it was worked out"
            ]
        assert list(differences(fresh, "t < 28.19 ms\nand $a + b$ so\n")) == ["line 1: = is not as it was worked out"]
        assert list(differences(fresh, "t = 28.19 ms\nand $a - b$ so\n")) == [
            "line 2: $a + b$ is not as it was worked out"
        ]


def test_altered_digits_are_caught() -> None:
    assert list(missed(documents(["gemm"]), 60, seed=2)) == []


@pytest.mark.parametrize("name", ["gemm", "plans"])  # the rest: `symroof check --printed`
def test_no_figure_of_a_report_is_wrong_or_typed_by_hand(call: Command, name: str) -> None:
    ran = call("check", "--printed", name, "--json")
    assert ran.code == 0
    (printed,) = [one["printed"] for one in json.loads(ran.out)]
    assert printed["failed"] == []
    assert printed["checked"] > 200


class TestCommand:
    def test_a_report_on_disk(self, call: Command, tmp_path: Path) -> None:
        assert call("report", "gemm", "--to", "tex,md", "--out", "out").code == 0
        ran = call("check", "gemm", "--printed", "--dir", "out")
        assert (ran.code, ran.err) == (0, "")
        assert "gemm: ok" in ran.out
        path = tmp_path / "out" / "gemm.tex"
        text = path.read_text(encoding="utf-8")
        line = text[: text.index("330.0444")].count("\n") + 1
        path.write_text(text.replace("330.0444", "330.0445"), encoding="utf-8")
        ran = call("check", "gemm", "--printed", "--dir", "out")
        assert ran.code == 1
        assert f"printed: {Path('out') / 'gemm.tex'}, line {line}: 330.0445 in place of 330.0444 (m_star" in ran.out

    def test_bad_folders(self, call: Command) -> None:
        ran = call("check", "gemm", "--dir", "out")
        assert (ran.code, ran.err) == (
            2,
            "error: --dir and --template are about the figures of reports\n  try: add --printed\n",
        )
        ran = call("check", "gemm", "--printed", "--dir", "nowhere")
        assert (ran.code, ran.err) == (
            2,
            "error: nowhere has no gemm.tex or .md\n  try: symroof report --out nowhere writes them\n",
        )

    def test_a_figure_typed_into_a_sentence(self, call: Command, tmp_path: Path) -> None:
        (tmp_path / "mine.py").write_text(
            "from symroof import Derivation\nmine = Derivation('mine')\nmine.given('w', 'work', unit='s', default=2)\n"
            "@mine.step(unit='s')\ndef y(w):\n    '''Twice 2 s, about 4.1 s.'''\n    return 2 * w\n",
            encoding="utf-8",
        )
        ran = call("check", "mine.py", "--printed")
        assert ran.code == 1
        assert "the figure 4.1 s has no origin, it stands in the words of the text" in ran.out
        assert "the figure 2 s has" not in ran.out
