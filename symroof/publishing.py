"""Reports with their figures as files: what is written where, and from what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from symroof.figure_graph import mermaid
from symroof.figures import GRAPH, Illustration, illustrations
from symroof.report import build
from symroof.settings import Settings
from symroof.shown import FigureShown, Report
from symroof.writing import write, write_book

BOOK = "book"  # the name of its files
_FIGURES = "figures"  # the folder of the figures, beside the reports


@dataclass(frozen=True)
class Edition:
    """A worked solution, and its figures."""

    report: Report
    illustrations: list[Illustration]

    @property
    def name(self) -> str:
        return self.report.name

    def text(self, form: str, *, brief: bool = False, templates: Path | None = None) -> str:
        """The report as `tex`, `md` or `html`."""
        report = self._with_svg() if form == "html" else self.report
        return write(report, form, brief=brief, templates=templates)

    def places(self, form: str) -> dict[str, Illustration]:
        """The figures that have files as `pdf` (for LaTeX) or `svg` (for Markdown), by their places."""
        shown = [one for one in self.illustrations if form == "pdf" or one.kind != GRAPH]
        return {f"{_FIGURES}/{one.name}.{form}": one for one in shown}

    def drawn(self, form: str) -> dict[str, bytes]:
        return {place: one.drawn(form) for place, one in self.places(form).items()}

    def _with_svg(self) -> Report:
        """The report with its figures in it."""
        shown = [
            replace(figure, svg=one.drawn("svg").decode())
            for figure, one in zip(self.report.figures, self.illustrations, strict=True)
        ]
        return replace(self.report, figures=shown)


@dataclass(frozen=True)
class Source:
    """What a PDF is made from: a LaTeX document, and the figures that it includes."""

    name: str
    tex: str
    figures: dict[str, bytes]


@dataclass(frozen=True)
class Publication:
    """The files to write, by their places, and the sources of the PDFs."""

    files: dict[str, str | bytes] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)


def edition(settings: Settings, *, figures: bool) -> Edition:
    """The report of a case, with or without figures."""
    found = illustrations(settings) if figures else []
    shown = [FigureShown(one.kind, one.name, one.caption) for one in found]
    graph = mermaid(settings.derivation) if figures else ""
    return Edition(replace(build(settings), figures=shown, graph=graph), found)


def reports(
    editions: Sequence[Edition], forms: Sequence[str], *, brief: bool = False, templates: Path | None = None
) -> Publication:
    """Each report by itself, in some of the forms `tex`, `pdf`, `md` and `html`."""
    found = Publication()
    for one in editions:
        if "tex" in forms or "pdf" in forms:
            tex = one.text("tex", brief=brief, templates=templates)
            found.sources.append(Source(one.name, tex, one.drawn("pdf")))
        if "tex" in forms:
            found.files[f"{one.name}.tex"] = found.sources[-1].tex
        for form in ("md", "html"):
            if form in forms:
                found.files[f"{one.name}.{form}"] = one.text(form, brief=brief, templates=templates)
    for one in editions:
        found.files.update(one.drawn("svg") if "md" in forms else {})
    for source in found.sources:
        found.files.update(source.figures if "tex" in forms else {})
    return found


def book(
    editions: Sequence[Edition], forms: Sequence[str], *, brief: bool = False, templates: Path | None = None
) -> Publication:
    """The reports as the chapters of one document, as `tex` and `pdf`."""
    tex = write_book([one.report for one in editions], brief=brief, templates=templates)
    figures = {place: content for one in editions for place, content in one.drawn("pdf").items()}
    files: dict[str, str | bytes] = {f"{BOOK}.tex": tex, **figures} if "tex" in forms else {}
    return Publication(files, [Source(BOOK, tex, figures)])
