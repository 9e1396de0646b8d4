"""What is committed under reports/ is what the derivations render to."""

from __future__ import annotations

from pathlib import Path

import pytest

from symroof import hardware, library
from symroof.publishing import BOOK, Edition, edition, reports
from symroof.settings import worked_settings
from symroof.writing import write_book

pytestmark = pytest.mark.slow

REPORTS = Path(__file__).parent.parent / "reports"
FIGURES = REPORTS / "figures"


def edition_of(name: str) -> Edition:
    settings = worked_settings(library.find(name), {}, on=hardware.DEFAULT_CHIP, dtype=hardware.DEFAULT_DTYPE)
    return edition(settings, figures=True)


def test_reports_are_current() -> None:
    """The text of each report and of the book, and a file for each figure."""
    editions = [edition_of(name) for name in library.in_order()]
    expected = {f"{BOOK}.tex": write_book([one.report for one in editions])}
    for one in editions:
        expected[f"{one.name}.tex"] = one.text("tex")
        expected[f"{one.name}.md"] = one.text("md")
    for name, text in expected.items():
        assert (REPORTS / name).read_text(encoding="utf-8") == text, "run: symroof report --out reports, and --book"
    pdfs = {f"{one.name}.pdf" for one in editions} | {f"{BOOK}.pdf"}
    assert {path.name for path in REPORTS.iterdir()} == {*expected, *pdfs, FIGURES.name}
    for name in pdfs:
        assert (REPORTS / name).read_bytes().startswith(b"%PDF")
    figures = {place for one in editions for form in ("pdf", "svg") for place in one.places(form)}
    assert {f"{FIGURES.name}/{path.name}" for path in FIGURES.iterdir()} == figures


def test_the_same_case_gives_the_same_bytes() -> None:
    """Of the text; `test_figures` says so of the figures."""
    settings = worked_settings(library.find("vram"), {}, on=hardware.DEFAULT_CHIP, dtype=hardware.DEFAULT_DTYPE)
    once, again = (reports([edition(settings, figures=False)], ["tex", "md", "html"]).files for _ in range(2))
    assert once == again
    assert list(once) == ["vram.tex", "vram.md", "vram.html"]


@pytest.mark.parametrize("form", ["svg", "pdf"])
def test_figures_are_whole(form: str) -> None:
    start = {"svg": b"<svg ", "pdf": b"%PDF"}[form]
    found = sorted(FIGURES.glob(f"*.{form}"))
    assert found
    assert all(path.read_bytes().startswith(start) for path in found)
