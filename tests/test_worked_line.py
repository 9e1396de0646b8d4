"""Worked lines: as written, with numbers, result; as text, LaTeX and Markdown."""

from __future__ import annotations

from typing import Any

import pytest

from symroof.envelope import Names, definition, result
from symroof.expression import parse_line
from symroof.latex import is_sound_maths
from symroof.worked_line import WorkedLine, markdown_of, tex_of, text_of, worked_line


def worked(text: str, **values: Any) -> WorkedLine:
    names = Names()
    for name, content in values.items():
        names.set(name, content)
    defined = definition(parse_line(text))
    found = result(defined, names)
    return worked_line(found.name, defined.expression, names, found.value, 4, None)


def test_the_three_forms() -> None:
    line = worked("t = W/beta", W="140 GB")
    assert text_of(line) == "t = W/beta\n  = 140 GB/(1555 GB/s)\n  ≈ 90.03 ms"
    assert tex_of(line) == (
        "\\begin{align*}\n"
        "  t &= \\frac{W}{\\beta} \\\\\n"
        "  &= \\frac{140\\,\\mathrm{GB}}{1555\\,\\mathrm{GB}/\\mathrm{s}} \\\\\n"
        "  &\\approx 90.03\\,\\mathrm{ms}\n"
        "\\end{align*}"
    )
    assert markdown_of(line) == (
        "```math\n"
        "t = \\frac{W}{\\beta}\n"
        "= \\frac{140\\,\\mathrm{GB}}{1555\\,\\mathrm{GB}/\\mathrm{s}}\n"
        "\\approx 90.03\\,\\mathrm{ms}\n"
        "```"
    )


def test_without_names_there_is_nothing_to_put_in() -> None:
    assert text_of(worked("2^10 * 3 GB")) == "2^10 * 3 GB\n  = 3072 GB"
    assert tex_of(worked("2^10 * 3 GB")).splitlines()[1:3] == [
        r"  & 2^{10} \times 3\,\mathrm{GB} \\",
        r"  &= 3072\,\mathrm{GB}",
    ]


@pytest.mark.parametrize(
    ("text", "with_numbers", "latex"),
    [
        ("a*b", "2 FLOP*3", r"a \, b"),
        ("b*a", "3*2 FLOP", r"b \, a"),
        ("b^b", "3^3", "b^{b}"),
        ("e^b", "(4 s)^3", "e^{b}"),
        ("f*b", "1/3*3", r"f \, b"),
        ("b*f", "3*(1/3)", r"b \, f"),
        ("b - (b - b)", "3 - (3 - 3)", r"b - \left( b - b \right)"),
        ("b + g", "3 + (-1)", "b + g"),
        ("-b + b", "-3 + 3", "-b + b"),
        ("b/(b*b)", "3/(3*3)", r"\frac{b}{b \, b}"),
        ("(b + b)*b", "(3 + 3)*3", r"\left( b + b \right) \, b"),
        ("-(b + b)", "-(3 + 3)", r"-\left( b + b \right)"),
        ("(b/b)^2", "(3/3)^2", r"\left( \frac{b}{b} \right)^{2}"),
        ("max(b, 2)/sqrt(b)", "max(3, 2)/sqrt(3)", r"\frac{\max\left( b, 2 \right)}{\sqrt{b}}"),
        ("ceil(b)*floor(b)", "ceil(3)*floor(3)", r"\left\lceil b \right\rceil \, \left\lfloor b \right\rfloor"),
        ("abs(b)", "abs(3)", r"\left\lvert b \right\rvert"),
        ("log2(b)*1 s", "log2(3)*1 s", r"\log_2\left( b \right) \times 1\,\mathrm{s}"),
        ("ln(b)/exp(b)", "ln(3)/exp(3)", r"\frac{\ln\left( b \right)}{\exp\left( b \right)}"),
        ("round(b)*t_mem", "round(3)*(5 GB/s)", r"\mathrm{round}\left( b \right) \, t_{\mathrm{mem}}"),
    ],
)
def test_parentheses_stand_where_they_must(text: str, with_numbers: str, latex: str) -> None:
    line = worked(text, a="2 FLOP", b=3, e="4 s", f="1/3", g=-1, t_mem="5 GB/s")
    assert line.substituted is not None
    assert line.substituted.text == with_numbers
    assert line.written.latex == latex
    assert is_sound_maths(line.substituted.latex)
    # what is written with numbers comes to the same
    assert line.result.text == text_of(worked(with_numbers)).splitlines()[-1][4:]


def test_an_exact_result_has_an_equals_sign() -> None:
    assert worked("x/3", x="9 s").relation.text == "="
    assert worked("x/3", x="10 s").relation.text == "≈"
    assert worked("ln(x)", x=2).relation.latex == r"\approx"


def test_long_sums_need_no_deep_stack() -> None:
    line = worked("+".join(["x"] * 4_000), x=1)
    assert line.result.text == "4000"
    assert line.written.latex.count("+") == 3_999
