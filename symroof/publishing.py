"""Reports with their figures as files: what is written where, and from what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from symroof.figures import Illustration, illustrations
from symroof.layers import mermaid
from symroof.report import build
from symroof.settings import Settings
from symroof.shown import FigureShown, Report
from symroof.writing import write, write_book

BOOK = "book"  # the name of its files
_FIGURES = "figures"  # the folder of the figures, beside the reports
_GRAPH = "graph"  # in Markdown it is a flowchart, which GitHub draws


@dataclass(frozen=True)
class Edition:
    """A worked solution, and its figures."""

    report: Report
    illustrations: list[Illustration]

    @property
    def name(self) -> str:
        return self.report.name


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
            tex = write(one.report, "tex", brief=brief, templates=templates)
            found.sources.append(Source(one.name, tex, _figures(one, "pdf")))
        if "tex" in forms:
            found.files[f"{one.name}.tex"] = found.sources[-1].tex
        if "md" in forms:
            found.files[f"{one.name}.md"] = write(one.report, "md", brief=brief, templates=templates)
        if "html" in forms:
            found.files[f"{one.name}.html"] = write(_with_svg(one), "html", brief=brief, templates=templates)
    for one in editions:
        found.files.update(_figures(one, "svg") if "md" in forms else {})
    for source in found.sources:
        found.files.update(source.figures if "tex" in forms else {})
    return found


def book(
    editions: Sequence[Edition], forms: Sequence[str], *, brief: bool = False, templates: Path | None = None
) -> Publication:
    """The reports as the chapters of one document, as `tex` and `pdf`."""
    tex = write_book([one.report for one in editions], brief=brief, templates=templates)
    figures = {place: content for one in editions for place, content in _figures(one, "pdf").items()}
    files: dict[str, str | bytes] = {f"{BOOK}.tex": tex, **figures} if "tex" in forms else {}
    return Publication(files, [Source(BOOK, tex, figures)])


def _figures(edition: Edition, form: str) -> dict[str, bytes]:
    drawn = [one for one in edition.illustrations if form == "pdf" or one.kind != _GRAPH]
    return {f"{_FIGURES}/{one.name}.{form}": one.drawn(form) for one in drawn}


def _with_svg(edition: Edition) -> Report:
    shown = [
        replace(figure, svg=one.drawn("svg").decode())
        for figure, one in zip(edition.report.figures, edition.illustrations, strict=True)
    ]
    return replace(edition.report, figures=shown)
