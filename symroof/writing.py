"""Reports written as LaTeX or Markdown, and several as a book: templates, in which text is escaped and maths marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import jinja2

from symroof import latex, markdown
from symroof.prose import Maths, Prose, Sourced, no_words, untraced, words
from symroof.shown import Report


def write(report: Report, form: str, *, brief: bool = False) -> str:
    """The report as `tex` or `md`; `brief` leaves the lines with numbers put in out."""
    return untraced(write_traced(report, form, brief=brief))


def write_traced(report: Report, form: str, *, brief: bool = False) -> str:
    """The same with its traces, for `printed`."""
    (chapter,) = _chapters([report])
    return _rendered(f"report.{form}.j2", form, report=report, chapter=chapter, brief=brief)


def write_book(reports: Sequence[Report], *, brief: bool = False) -> str:
    """The reports as the chapters of one LaTeX document, with contents, references between them and an index."""
    return untraced(write_book_traced(reports, brief=brief))


def write_book_traced(reports: Sequence[Report], *, brief: bool = False) -> str:
    """The same with its traces, for `printed`."""
    return _rendered("book.tex.j2", "tex", chapters=_chapters(reports), brief=brief)


@dataclass(frozen=True)
class _Chapter:
    """A report, the label of each of its equations, and which of them an earlier chapter has already."""

    report: Report
    labels: dict[str, str]
    repeated: dict[str, str]


def _chapters(reports: Sequence[Report]) -> list[_Chapter]:
    first: dict[tuple[str, str, str], str] = {}
    chapters = []
    for number, report in enumerate(reports, start=1):
        labels = {line.name: f"eq:{number}.{at}" for at, line in enumerate(report.lines, start=1)}
        repeated = {}
        for line in report.lines:
            same = (line.name, line.written.latex, line.sentence)
            if same in first:
                repeated[line.name] = first[same]
            first.setdefault(same, labels[line.name])
        chapters.append(_Chapter(report, labels, repeated))
    return chapters


def _rendered(template: str, form: str, **shown: Any) -> str:
    return _environment(form).get_template(template).render(words=words(), **shown)


class _Raw(str):
    """Text that is already written in the form at hand."""


_WRITERS: Mapping[str, tuple[Callable[[str], str], Callable[[Maths], str]]] = {
    "tex": (latex.prose, lambda shown: f"${shown.latex}$"),
    "md": (markdown.prose, lambda shown: markdown.inline(shown.latex)),
}

# LaTeX is full of braces and percent signs.
_TEX_DELIMITERS: dict[str, Any] = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
}


@cache
def _environment(form: str) -> jinja2.Environment:
    text, maths = _WRITERS[form]

    def finalize(value: Any) -> str:
        if isinstance(value, Prose):
            return "".join(finalize(part) for part in value.parts)
        if isinstance(value, Maths):
            return no_words(maths(value))
        if isinstance(value, _Raw):
            return no_words(value)
        return no_words(text(value)) if isinstance(value, Sourced) else text(str(value))

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("symroof", "templates"),
        undefined=jinja2.StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **(_TEX_DELIMITERS if form == "tex" else {}),
    )
    environment.filters["raw"] = _Raw
    environment.filters["fitted"] = _fitted
    return environment


_LONGEST_PIECE = 60  # characters of a formula between two operators that still fit on a line


def _fitted(shown: Maths) -> _Raw:
    r"""A formula for a line of limited width: broken at its operators, or shrunk where it has none to break at."""
    longest = max(len(piece) for piece in _pieces(untraced(shown.latex)))
    return _Raw(rf"\{'broken' if longest <= _LONGEST_PIECE else 'fitted'}{{{shown.latex}}}")


_OPERATOR = re.compile(r" (?:[-+=<>]|\\times|\\cdot|\\le|\\ge|\\leq|\\geq) ")
_NESTED = re.compile(r"\\left|\\right|\\begin|\\end|[{}]")


def _pieces(formula: str) -> list[str]:
    """The pieces of a formula between the operators at which TeX can break it: those outside of all brackets."""
    depth, start, at, pieces = 0, 0, 0, []
    while at < len(formula):
        nested, operator = _NESTED.match(formula, at), _OPERATOR.match(formula, at)
        if operator and not depth:
            pieces.append(formula[start:at])
            start = at = operator.end() - 1
        elif nested:
            depth += 1 if nested[0] in (r"\left", r"\begin", "{") else -1
            at = nested.end()
        else:
            at += 1
    return [*pieces, formula[start:]]
