"""HTML reports: formulas as MathML, text that stays text, and pages that are whole and self-contained."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symroof import html, library
from symroof.latex import escape, unescape
from symroof.writing import write
from tests import look_html
from tests.conftest import Command
from tests.test_report import HOSTILE, made, report_of

pytestmark = pytest.mark.slow

PIECES = [
    "a", "1", "_", "^", "{", "}", "&", "<b>", "-", r"\\", r"\frac", r"\frac{a}{b}", r"\sqrt", r"\left(", r"\right)",
    r"\max", r"\text{x_y}", r"\mathrm{s}", r"\begin{aligned}", r"\end{aligned}", r"\begin{cases}", r"\end{cases}",
    r"\color{quiet}", r"\unheard", r"\lvert", r"\lim", "|", "'", "%", "$", "#", "~", "\\", "&lt;", r"1\,000",
]  # fmt: skip
MATHML = (
    "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "munder",
    "mover", "munderover", "mtable", "mtr", "mtd", "mstyle",
)  # fmt: skip
INFIX = '<mo lspace="0" rspace="0">/</mo>'
OPENING, CLOSING = '<mo stretchy="true" fence="true" form="prefix">', '<mo stretchy="true" fence="true" form="postfix">'


class TestMathML:
    """What a formula becomes, written by hand from the definition of MathML Core."""

    @pytest.mark.parametrize(
        ("latex", "mathml"),
        [
            ("x", "<mi>x</mi>"),
            # A word is one identifier, and upright; one letter alone is upright only where it says so.
            (r"t_{\mathrm{comp}}", "<msub><mi>t</mi><mi>comp</mi></msub>"),
            (
                r"312\,\mathrm{TFLOP}/\mathrm{s}",
                '<mn>312</mn><mspace width="0.167em" /><mi>TFLOP</mi>' + INFIX + '<mi mathvariant="normal">s</mi>',
            ),
            (r"2\,\mu\mathrm{s}", '<mn>2</mn><mspace width="0.167em" /><mi>μs</mi>'),
            (r"m^{\star}", "<msup><mi>m</mi><mo>⋆</mo></msup>"),
            (r"\frac{c m}{P}", "<mfrac><mrow><mi>c</mi><mi>m</mi></mrow><mi>P</mi></mfrac>"),
            (r"\frac{c}{P}", "<mfrac><mi>c</mi><mi>P</mi></mfrac>"),
            (
                r"\tfrac{1}{2} x",
                '<mstyle displaystyle="false" scriptlevel="0"><mfrac><mn>1</mn><mn>2</mn></mfrac></mstyle><mi>x</mi>',
            ),
            # A number is one number, whatever groups its digits are in.
            (
                r"2 \times 1\,048\,576",
                "<mn>2</mn><mo>×</mo><mn>1\N{NARROW NO-BREAK SPACE}048\N{NARROW NO-BREAK SPACE}576</mn>",
            ),
            (r"0.006\,883", "<mn>0.006\N{NARROW NO-BREAK SPACE}883</mn>"),
            # A function applies to what is in the brackets; between a factor and its name is a thin space.
            (
                r"L \max\left( a, b \right)",
                '<mi>L</mi><mspace width="0.167em" /><mi>max</mi><mo>\N{FUNCTION APPLICATION}</mo>'
                f"<mrow>{OPENING}(</mo><mi>a</mi><mo>,</mo><mi>b</mi>{CLOSING})</mo></mrow>",
            ),
            (
                r"\operatorname{gcd} x + \log_2 y",
                '<mi>gcd</mi><mspace width="0.167em" /><mi>x</mi><mo>+</mo>'
                '<msub><mi>log</mi><mn>2</mn></msub><mspace width="0.167em" /><mi>y</mi>',
            ),
            (
                r"\lim_{m \to \infty} x",
                '<munder><mo movablelimits="true" lspace="0" rspace="0.167em">lim</mo>'
                "<mrow><mi>m</mi><mo>→</mo><mi>∞</mi></mrow></munder><mi>x</mi>",
            ),
            (
                r"\left\lceil \frac{m}{n} \right\rceil - 1",
                f"<mrow>{OPENING}⌈</mo><mfrac><mi>m</mi><mi>n</mi></mfrac>{CLOSING}⌉</mo></mrow><mo>−</mo><mn>1</mn>",
            ),
            (r"\lceil m \rceil", '<mo stretchy="false">⌈</mo><mi>m</mi><mo stretchy="false">⌉</mo>'),
            (
                r"\lvert x \rvert + 1",
                '<mo form="prefix" stretchy="false">|</mo><mi>x</mi><mo form="postfix" stretchy="false">|</mo>'
                "<mo>+</mo><mn>1</mn>",
            ),
            # A minus behind a relation is a sign, behind an operand a difference.
            ("a - b = -c", '<mi>a</mi><mo>−</mo><mi>b</mi><mo>=</mo><mo form="prefix">−</mo><mi>c</mi>'),
            ("10^{-3}", '<msup><mn>10</mn><mrow><mo form="prefix">−</mo><mn>3</mn></mrow></msup>'),
            (r"\infty - 1", "<mi>∞</mi><mo>−</mo><mn>1</mn>"),
            (
                r"B_{\Sigma,1}",
                '<msub><mi>B</mi><mrow><mi>Σ</mi><mo rspace="0">,</mo><mn>1</mn></mrow></msub>',
            ),
            (r"n \bmod g", "<mi>n</mi><mo>mod</mo><mi>g</mi>"),
            (r"\stackrel{a}{=}", "<mover><mo>=</mo><mi>a</mi></mover>"),
            (r"\mathbf{x}", '<mi class="mathbf">x</mi>'),
            (r"12\,\%", '<mn>12</mn><mspace width="0.167em" /><mi>%</mi>'),
            # Words keep each character, and a blank at their ends.
            (r"\text{if }a < b", "<mtext>if\N{NO-BREAK SPACE}</mtext><mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
            (r"\text{矩阵 🚀}", "<mtext>矩阵\N{NO-BREAK SPACE}🚀</mtext>"),
        ],
    )
    def test_formula(self, latex: str, mathml: str) -> None:
        assert html.inline(latex) == f"<math>{mathml}</math>"

    def test_aligned_lines(self) -> None:
        rows = [
            '<mtd columnalign="right"><mi>a</mi></mtd><mtd columnalign="left"><mi /><mo>=</mo><mi>b</mi></mtd>',
            '<mtd columnalign="right" /><mtd columnalign="left"><mi /><mo>=</mo>'
            '<mrow class="quiet"><mn>2</mn><mo>×</mo><mn>3</mn></mrow></mtd>',
            '<mtd columnalign="right" /><mtd columnalign="left"><mi /><mo>≈</mo><mn>6</mn></mtd>',
        ]
        shown = html.display(r"\begin{aligned} a &= b \\ &= {\color{quiet} 2 \times 3} \\ &\approx 6 \end{aligned}")
        assert re.sub(r" (row|column)spacing=\"[^\"]*\"", "", shown) == (
            '<div class="formula"><math display="block"><mtable displaystyle="true">'
            + "".join(f"<mtr>{row}</mtr>" for row in rows)
            + "</mtable></math></div>"
        )

    @pytest.mark.parametrize(
        "latex",
        [
            r"\begin{cases} 1, & \text{if }a \le b \\ 2, & \text{otherwise} \end{cases}",
            r"\left\{ \begin{array}{ll} 1, & \text{if }a \le b \\ 2, & \text{otherwise} \end{array} \right.",
        ],
    )
    def test_cases(self, latex: str) -> None:
        left = '<mtd columnalign="left">'
        assert html.inline(latex) == (
            f"<math>{OPENING}{{</mo><mtable>"
            f"<mtr>{left}<mn>1</mn><mo>,</mo></mtd>"
            f"{left}<mtext>if\N{NO-BREAK SPACE}</mtext><mi>a</mi><mo>≤</mo><mi>b</mi></mtd></mtr>"
            f"<mtr>{left}<mn>2</mn><mo>,</mo></mtd>{left}<mtext>otherwise</mtext></mtd></mtr>"
            "</mtable></math>"
        )

    @pytest.mark.parametrize(
        ("latex", "shown"), [(r"\unheard{x} < 1", "unheardx &lt; 1"), (r"\frac{a}", "fraca"), ("x^2^3", "x^2^3")]
    )
    def test_what_cannot_be_converted_is_shown_in_plain_characters(self, latex: str, shown: str) -> None:
        assert html.inline(latex) == f'<span class="plain">{shown}</span>'

    def test_words_of_a_label_stay_words(self) -> None:
        for label in HOSTILE:
            shown = html.inline(rf"\text{{{escape(label)}}}")
            assert text_of(shown) == label.replace(" ", "\N{NO-BREAK SPACE}")
            assert unescape(escape(label)) == label


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
@settings(max_examples=200)
def test_any_formula_becomes_whole_markup(latex: str) -> None:
    read = Page(html.display(latex))
    assert {tag for tag, _ in read.tags} <= {"div", "math", "span", *MATHML}


class TestText:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("<script>f('1')</script> & \"q\"", "&lt;script&gt;f(&#x27;1&#x27;)&lt;/script&gt; &amp; &quot;q&quot;"),
            ("$m$ rows, $5 and $6", "<math><mi>m</mi></math> rows, $5 and $6"),
            (r"$\input{x}$", r"$\input{x}$"),
            (
                'see https://example.org/a_b?c=1&d=2#e, "https://a.b/<x>"',
                'see <a href="https://example.org/a_b?c=1&amp;d=2#e">https://example.org/a_b?c=1&amp;d=2#e</a>, '
                '&quot;<a href="https://a.b/">https://a.b/</a>&lt;x&gt;&quot;',
            ),
            ("javascript:alert(1)", "javascript:alert(1)"),
        ],
    )  # fmt: skip
    def test_prose(self, text: str, shown: str) -> None:
        assert html.prose(text) == shown

    def test_what_touches_a_formula_stays_on_its_line(self) -> None:
        x, y = html.inline("x"), html.inline("y")
        assert html.glued(f"<p>({x}), at {y} = 1</p><td>{x}</td>") == (
            f'<p><span class="glued">({x}),</span> at {y} = 1</p><td>{x}</td>'
        )


VOID = {"meta", "link", "input", "br"}
NUMBER_OF_CHILDREN = {
    "mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "msubsup": 3, "munderover": 3,
}  # fmt: skip


class Page(HTMLParser):
    """Reads a page as a tree that must be whole: every tag closed where it must be, every formula well made."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.children: list[int] = [0]
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[tuple[str, str]] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs), attrs
        self.children[-1] += 1
        if tag not in VOID:
            self.open.append(tag)
            self.children.append(0)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag.startswith("m"), tag
        self.tags.append((tag, dict(attrs)))
        self.children[-1] += 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, (tag, self.getpos())
        assert self.children.pop() == NUMBER_OF_CHILDREN.get(tag, self.children[-1]) or tag not in NUMBER_OF_CHILDREN

    def handle_data(self, data: str) -> None:
        self.text.append((self.open[-1] if self.open else "", data))

    def attributes(self, name: str) -> list[str]:
        return [str(attrs[name]) for _, attrs in self.tags if name in attrs]


def text_of(page: str) -> str:
    return "".join(data for _, data in Page(page).text)


@cache
def page_of(name: str) -> str:
    return look_html.written(name, figures=False)


def assert_whole(page: str) -> Page:
    read = Page(page)
    ids = read.attributes("id")
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in read.attributes("href") if link.startswith("#")} < set(ids)
    assert set(read.attributes("aria-labelledby")) <= set(ids)
    tags = [tag for tag, _ in read.tags]
    assert not {"script", "img", "iframe", "object"} & set(tags)
    assert "src" not in {name for _, attrs in read.tags for name in attrs}
    for tag, attrs in read.tags:
        assert not any(name.startswith("on") for name in attrs)
        if tag == "link":
            assert attrs == {"rel": "icon", "href": "data:,"}
        if tag == "th":
            assert attrs["scope"] in ("col", "row", "rowgroup")
    assert (tags.count("title"), tags.count("h1"), tags.count("main"), tags.count("nav")) == (1, 1, 1, 1)
    assert ("html", {"lang": "en"}) in read.tags
    return read


@pytest.mark.parametrize("name", library.shipped())
class TestShipped:
    def test_page_is_whole(self, name: str) -> None:
        read = assert_whole(page_of(name))
        assert not [link for link in read.attributes("href") if not link.startswith(("#", "data:,"))]
        seen = "".join(data for tag, data in read.text if tag != "style")
        assert "$" not in seen
        assert "\\" not in seen
        assert library.find(name).title == next(data for tag, data in read.text if tag == "title")
        assert 'class="plain"' not in page_of(name)

    def test_nothing_comes_from_outside(self, name: str) -> None:
        assert not re.findall(r"url\(|@import|//(?!www\.w3\.org)", re.sub(r"(?s)</style>.*", "", page_of(name)))

    def test_formulas_have_the_letters_and_digits_of_their_latex(self, name: str) -> None:
        """As the Markdown has the same formulas in the same order; a conversion that drops or turns one is seen."""
        md = write(report_of(library.find(name)), "md")
        formulas = re.findall(r"```math\n(.*?)```", md, re.DOTALL)
        shown = re.findall(r'<math display="block">.*?</math>', page_of(name), re.DOTALL)
        assert len(formulas) == len(shown) > 0
        for latex, mathml in zip(formulas, shown, strict=True):
            bare = re.sub(r"\\right\.|\\(begin|end)\{[a-z]+\}(\{[lr]+\})?|\\b(?=mod)", "", latex)
            bare = re.sub(r"\\(?!max|min|lim|mod)[A-Za-z]+", "", bare)
            assert re.findall("[A-Za-z0-9.]", text_of(mathml)) == re.findall("[A-Za-z0-9.]", bare)


def test_the_same_bytes_again() -> None:
    assert look_html.written("gemm", figures=False) == page_of("gemm")


class TestPage:
    def test_numbers_can_be_hidden_or_left_out(self) -> None:
        page = page_of("gemm")
        assert page.count('class="quiet"') == 15  # one for each step
        assert '<input type="checkbox" id="numbers" checked>' in page
        brief = write(report_of(library.find("gemm")), "html", brief=True)
        assert 'class="quiet"' not in brief
        assert 'id="numbers"' not in brief
        assert_whole(brief)

    def test_contents(self) -> None:
        headings = [
            "question", "assumptions", "solution", "crossovers", "facts", "moves", "table", "claims", "conclusion",
            "conventions",
        ]  # fmt: skip
        assert re.findall('<a href="#(.*?)">', page_of("gemm")) == headings
        assert re.findall('<section id="(.*?)"', page_of("gemm")) == headings

    def test_chart(self) -> None:
        chart = re.findall(r'<ol class="chart">.*?</ol>', page_of("plans"), re.DOTALL)
        assert len(chart) == 1
        assert "Which of the two binds?" in text_of(chart[0])
        assert re.findall('<li class="([a-z ]+)">', chart[0]).count("decision here") == 4  # binds, fits, INT8, INT4
        assert '<li class="here"><em>' in chart[0]


class TestHostileText:
    """Titles, docstrings, descriptions, labels, sources and symbols in whatever characters."""

    PLACES = ("TITLE", "QUESTION", "MEANING", "SENTENCE", "LABEL", "ADVICE", "FACT", "SOURCE")

    @pytest.mark.parametrize("text", [*HOSTILE, "<script>alert(1)</script>", "矩阵乘法", "fast 🚀", "حساب"])
    def test_stays_text(self, text: str, tmp_path: Path) -> None:
        page = write(report_of(made(tmp_path, **dict.fromkeys(self.PLACES, text))), "html")
        read = assert_whole(page)
        if "$" not in text:
            whole = "".join(data for _, data in read.text).replace("\N{NO-BREAK SPACE}", " ")
            assert whole.count(text) >= len(self.PLACES)

    def test_a_web_address_is_a_link(self, tmp_path: Path) -> None:
        page = write(report_of(made(tmp_path, SOURCE="see https://example.org/a_b?c=1&d=2#e.")), "html")
        assert Page(page).attributes("href")[-1] == "https://example.org/a_b?c=1&d=2#e"

    def test_title_in_plain_characters(self, tmp_path: Path) -> None:
        page = write(report_of(made(tmp_path, TITLE="The $x_1$ of <it>")), "html")
        assert "<title>The x_1 of &lt;it&gt;</title>" in page
        assert "<h1>The <math><msub><mi>x</mi><mn>1</mn></msub></math> of &lt;it&gt;</h1>" in page

    def test_a_symbol_of_any_latex(self, tmp_path: Path) -> None:
        page = write(report_of(made(tmp_path, SYMBOL=r"\dot{\mathcal{X}}")), "html")
        assert "<mover><mi>𝒳</mi><mo>˙</mo></mover>" in page
        assert_whole(page)


class TestCommand:
    def test_html_is_written_on_request(self, call: Command, tmp_path: Path) -> None:
        done = call("report", "gemm", "--to", "html", "--out", "out")
        assert (done.code, done.out, done.err) == (0, "out/gemm.html\n", "")
        assert (tmp_path / "out" / "gemm.html").read_text(encoding="utf-8") == look_html.written("gemm")
        assert [path.name for path in (tmp_path / "out").iterdir()] == ["gemm.html"]


@pytest.mark.skipif(look_html.browser() is None, reason="needs Chromium")
def test_in_a_browser(tmp_path: Path) -> None:
    """No message on the console, each formula with a size, nothing wider than a phone."""
    for width in (look_html.PHONE, look_html.DESK):
        assert look_html.measured(look_html.written("gemm"), tmp_path, width)[1] == []
