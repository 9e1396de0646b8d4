"""The book: all derivations as the chapters of one document."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from symroof import hardware, library
from symroof.report import build
from symroof.settings import worked_settings
from symroof.shown import Report
from symroof.typeset import typeset
from symroof.writing import write, write_book
from tests.conftest import Command, overfull_boxes, reports_in, unwrapped

pytestmark = pytest.mark.slow

NAMES = library.in_order()


@pytest.fixture(scope="module")
def reports() -> list[Report]:
    settings = (
        worked_settings(library.find(name), {}, on=hardware.DEFAULT_CHIP, dtype=hardware.DEFAULT_DTYPE)
        for name in NAMES
    )
    return [build(one) for one in settings]


@pytest.fixture(scope="module")
def book(reports: list[Report]) -> str:
    return write_book(reports)


def test_a_chapter_for_each_derivation(book: str) -> None:
    titles = [library.find(name).title for name in NAMES]
    assert re.findall(r"^\\chapter\{(.*)\}$", book, re.M) == titles
    assert book.count(r"\section{Conventions}") == 0
    assert book.count(r"\chapter*{Conventions}") == 1


def test_every_equation_has_a_label_and_every_reference_one_to_go_to(book: str) -> None:
    labels = re.findall(r"\\label\{(.*?)\}", book)
    assert len(labels) == len(set(labels)) == book.count(r"\begin{equation}")
    assert set(re.findall(r"\\(?:eq|page)ref\{(.*?)\}", book)) <= set(labels)


def test_a_formula_that_an_earlier_chapter_has_is_referred_to(book: str) -> None:
    """vram derives W_layer; tensor_parallel includes it."""
    text = unwrapped(book)
    chapters = text.split(r"\chapter{")
    (before,) = [one for one in chapters if one.startswith(library.find("vram").title)]
    (after,) = [one for one in chapters if one.startswith(library.find("tensor_parallel").title)]
    (label,) = re.findall(r"\\label\{(.*?)\}\n\\begin\{aligned\}\nW_\{\\mathrm\{layer\}\} &= ", before)
    assert rf"\eqref{{{label}}}" in after
    assert text.partition("Index of quantities}")[2].count(r"$W_{\mathrm{layer}}$ & ") == 1


def test_no_line_is_too_wide(book: str, reports: list[Report]) -> None:
    """In none of the documents; the figures, which are as wide as the text, are left out."""
    for document in [book, *(write(report, "tex") for report in reports)]:
        log = typeset(document).log
        assert overfull_boxes(log, 1.0) == []
        assert "undefined references" not in log


def test_command(call: Command, tmp_path: Path) -> None:
    assert call("report", "--no-figures", "gemm", "vram", "--book", "--to", "tex").out == "book.tex\n"
    assert reports_in(tmp_path) == ["book.tex"]
    ran = call("report", "--no-figures", "--book", "--to", "md")
    assert (ran.code, ran.err) == (2, "error: unknown report form 'md'\n  try: known: pdf, tex\n")
