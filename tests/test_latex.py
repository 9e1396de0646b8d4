"""Text for LaTeX: what is maths, what is text, and what TeX can set."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.latex import escape, grouped, is_sound_maths, plain, plain_prose, prose, split_maths

SPECIAL = '\\{}$&#%_~^<>|"`'


class TestEscape:
    def test_each_special_character(self) -> None:
        assert escape(SPECIAL) == (
            r"\textbackslash{}\{\}\$\&\#\%\_\textasciitilde{}\textasciicircum{}"
            r"\textless{}\textgreater{}\textbar{}\textquotedbl{}\textasciigrave{}"
        )

    def test_the_rest_stays(self) -> None:
        assert escape("50 GB/s (both) = 2*25 + 0, é µ") == "50 GB/s (both) = 2*25 + 0, é µ"

    @given(st.text(alphabet=SPECIAL + "ab 1"))
    def test_no_character_that_acts_is_left_bare(self, text: str) -> None:
        bare = re.sub(r"\\text[a-z]+\{\}|\\[{}$&#%_]", "", escape(text))
        assert not set(bare) & set(SPECIAL)


class TestSplit:
    @pytest.mark.parametrize(
        ("text", "parts"),
        [
            ("", []),
            ("no maths", [(False, "no maths")]),
            ("each of the $m n$ outputs", [(False, "each of the "), (True, "m n"), (False, " outputs")]),
            ("$a$$b$", [(True, "a"), (True, "b")]),
            ("a lone $ sign", [(False, "a lone $ sign")]),
            ("it costs $5 and $6", [(False, "it costs $5 and $6")]),
            ("$5 for $m$ rows", [(False, "$5 for "), (True, "m"), (False, " rows")]),
            (r"\$5 and $x$", [(False, "$5 and "), (True, "x")]),
            (r"$a\$b$", [(True, r"a\$b")]),
            ("$x\ny$", [(True, "x\ny")]),
            ("$ x $", [(False, "$ x $")]),
        ],
    )
    def test_parts(self, text: str, parts: list[tuple[bool, str]]) -> None:
        assert split_maths(text) == parts

    @given(st.text(alphabet="$ab 1_\\"))
    def test_nothing_is_lost(self, text: str) -> None:
        joined = "".join(f"${part}$" if maths else part for maths, part in split_maths(text))
        assert joined.replace("\\", "") == text.replace("\\", "")


@pytest.mark.parametrize(
    ("digits", "shown"),
    [
        ("", ""),
        ("1234", "1234"),
        ("12345", r"12\,345"),
        ("123456", r"123\,456"),
        ("1048576", r"1\,048\,576"),
        ("1022361600", r"1\,022\,361\,600"),
    ],
)
def test_grouped(digits: str, shown: str) -> None:
    assert grouped(digits) == shown


class TestSoundMaths:
    @pytest.mark.parametrize(
        "maths",
        [
            "",
            "2 m k n",
            r"t_{\mathrm{mem}}",
            r"m^{\star}",
            r"m^\star",
            r"\frac{P s k n}{c \beta k n - P s (k + n)}",
            r"\frac{\frac{\frac{a}{b}}{c}}{d}",
            r"\max\left( t_{\mathrm{comp}}, t_{\mathrm{mem}} \right)",
            r"\left\lceil \frac{g}{2} \right\rceil",
            r"\left. \frac{a}{b} \right|_{m = 1}",
            r"\left\{ x \right\}",
            r"\sum_{i=1}^{n} x_i^2",
            r"\sqrt{x}",
            r"\sqrt[3]{x + 1}",
            r"\bar x",
            r"f'(x)",
            "x'^2",
            "x_1'",
            r"\text{bytes per element}",
            r"10\,\%",
            r"\lim_{m \to \infty} \mathrm{AI}",
            "a\nb",
        ],
    )
    def test_sound(self, maths: str) -> None:
        assert is_sound_maths(maths)

    @pytest.mark.parametrize(
        "maths",
        [
            "{",
            "}{",
            "x^",
            "_",
            "x^2^3",
            "x__y",
            "x_{a}_{b}",
            "x^{{a}^b}^c",
            r"x^{\mathrm{a}}^2",
            "x^2'",
            "x^{}^{}",
            r"\frac{a}",
            r"\frac a b",
            r"\sqrt",
            r"\sqrt\frac{a}{b}",
            r"\sqrty",
            r"\bar",
            r"\mathrm",
            r"x^\sum",
            r"x^\quad",
            r"x^\,",
            r"x_\frac{a}{b}",
            r"\vec\left( x \right)",
            r"\left( x",
            r"x \right)",
            r"\right) \left(",
            r"\left{ x \right}",
            r"\left\, x \right)",
            r"{\left( x} \right)",
            r"\text{a_b}",
            r"\text{\alpha}",
            "a & b",
            "a % b",
            "a # b",
            "a ~ b",
            "$",
            "\\",
            r"a \\ b",
            "a\n\nb",
            "é",
            "\0",
            r"\input{/etc/passwd}",
            r"\write18{ls}",
            r"\def\x{\x}\x",
            r"\begin{cases} a \end{cases}",
            r"\csname end\endcsname",
        ],
    )
    def test_not_sound(self, maths: str) -> None:
        assert not is_sound_maths(maths)

    @given(
        st.lists(
            st.sampled_from(
                ["x", "2", "+", "^", "_", "'", "{", "}", r"\frac", r"\sqrt", r"\left(", r"\right)", " ", "\n"]
            ),
            max_size=60,
        ).map("".join)
    )
    def test_sound_means_balanced(self, maths: str) -> None:
        if is_sound_maths(maths):
            assert maths.count("{") == maths.count("}")
            assert maths.count(r"\left(") == maths.count(r"\right)")
            assert not re.search(r"\^\s*\^|_\s*_|[\^_]\s*(?:\}|$)", maths)

    def test_long_ones_end(self) -> None:
        assert is_sound_maths("{x}" * 2_000)
        for piece in ("{", "x^", r"\left(", r"\text", "x_", " {"):
            assert not is_sound_maths(piece * 2_000)


class TestProse:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("100% of $m_k$ & more", r"100\% of $m_k$ \& more"),
            ("$5 a GPU-hour", r"\$5 a GPU-hour"),
            (r"\$5 and $x$", r"\$5 and $x$"),
            ("$x^2^3$", r"\$x\textasciicircum{}2\textasciicircum{}3\$"),
            (r"$\input{x}$", r"\$\textbackslash{}input\{x\}\$"),
        ],
    )
    def test_for_latex(self, text: str, shown: str) -> None:
        assert prose(text) == shown

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("each of the $m n$ outputs", "each of the m n outputs"),
            ("$5 and $6", "$5 and $6"),
            (r"\$5 and $t_{\mathrm{mem}}$", "$5 and t_mem"),
            ("$x^2^3$ is not maths", "$x^2^3$ is not maths"),
        ],
    )
    def test_for_the_terminal(self, text: str, shown: str) -> None:
        assert plain_prose(text) == shown


@pytest.mark.parametrize(
    ("maths", "shown"),
    [
        (r"m^{\star}", "m*"),
        (r"m^\star", "m*"),
        (r"t_{\mathrm{mem}}", "t_mem"),
        (r"t_{\mathrm{comp},L}", "t_comp,L"),
        (r"\mathrm{AI}_L", "AI_L"),
        (r"\beta", "beta"),
        (r"\frac{F}{P}", "F/P"),
        (r"\frac{k n}{k + n}", "(k n)/(k + n)"),
        (r"\frac{\frac{a}{b}}{c}", "(a/b)/c"),
        (r"\sqrt{x + 1}", "sqrt(x + 1)"),
        (r"\sqrt{\frac{a}{b}}", "sqrt(a/b)"),
        ("x^{2}", "x^2"),
        ("x^{a + b}", "x^(a + b)"),
        (r"\left( a \right)", "( a )"),
        (r"\left\lceil \frac{g}{2} \right\rceil", "ceil(g/2)"),
        (r"2 \times 3 \cdot 4", "2 × 3 · 4"),
        (r"a \le b \leq c \leftarrow d", "a <= b <= c leftarrow d"),
        (r"40\,\%", "40 %"),
        (r"m \to \infty", "m -> infinity"),
        (r"\{ a \}", "( a )"),
    ],
)
def test_plain(maths: str, shown: str) -> None:
    assert plain(maths) == shown
