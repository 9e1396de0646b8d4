"""Reports as LaTeX, Markdown or HTML, and several as a book: templates, in which text is escaped and maths marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from symroof import decision_chart_drawn, html, latex, markdown
from symroof.errors import TemplateError
from symroof.prose import Maths, Prose, Sourced, no_words, untraced, words
from symroof.shown import Report


def write(report: Report, form: str, *, brief: bool = False, templates: Path | None = None) -> str:
    """The report as `tex`, `md` or `html`.

    `brief` leaves the lines with numbers put in out; the `templates` in a folder replace those of the same name. Raises
    TemplateError for a folder without any, and for one that cannot be filled in.
    """
    written = untraced(write_traced(report, form, brief=brief, templates=templates))
    return html.glued(written) if form == "html" else written


def write_book(reports: Sequence[Report], *, brief: bool = False, templates: Path | None = None) -> str:
    """The reports as the chapters of one LaTeX document, with contents, references between them and an index."""
    return untraced(write_book_traced(reports, brief=brief, templates=templates))


def write_traced(report: Report, form: str, *, brief: bool = False, templates: Path | None = None) -> str:
    """The report with the origins of its figures, for `printed`."""
    (chapter,) = _chapters([report])
    return _rendered(f"report.{form}.j2", templates, report=report, chapter=chapter, brief=brief)


def write_book_traced(reports: Sequence[Report], *, brief: bool = False, templates: Path | None = None) -> str:
    """The book with the origins of its figures, for `printed`."""
    return _rendered("book.tex.j2", templates, chapters=_chapters(reports), brief=brief)


def _rendered(template: str, folder: Path | None, **shown: Any) -> str:
    names = {"words": words(), **shown}
    try:
        return _environment(template.split(".")[-2], folder).get_template(template).render(names)
    except UnicodeDecodeError:
        raise TemplateError(f"a template in {folder} is not in UTF-8", "save it in UTF-8") from None
    except RecursionError:
        raise TemplateError(f"template {template} includes itself", "a name of its own keeps the two apart") from None
    except (jinja2.TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
        _refuse(error, names)


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


class _Raw(str):
    """Text that is already written in the form at hand."""


_WRITERS: Mapping[str, tuple[Callable[[str], str], Callable[[Maths], str]]] = {
    "tex": (latex.prose, lambda shown: f"${shown.latex}$"),
    "md": (markdown.prose, lambda shown: markdown.inline(shown.latex)),
    "html": (html.prose, lambda shown: html.inline(untraced(shown.latex))),
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
_PACKAGED = jinja2.PackageLoader("symroof", "templates")


def _shipped() -> list[str]:
    return _PACKAGED.list_templates()


@cache
def _environment(form: str, folder: Path | None) -> jinja2.Environment:
    text, maths = _WRITERS[form]
    if folder and not any((folder / name).is_file() for name in _shipped()):
        raise TemplateError(f"{folder} has none of the templates", f"their names are {', '.join(_shipped())}")

    def finalize(value: Any) -> str:
        if isinstance(value, Prose):
            return "".join(finalize(part) for part in value.parts)
        if isinstance(value, Maths):
            return no_words(maths(value))
        if isinstance(value, _Raw):
            return no_words(value)
        return no_words(text(value)) if isinstance(value, Sourced) else text(str(value))

    loaders = [jinja2.FileSystemLoader(folder)] if folder else []
    # A template may come from somebody else: it fills in and calls nothing that could do harm.
    environment = ImmutableSandboxedEnvironment(
        loader=jinja2.ChoiceLoader([*loaders, _PACKAGED]),
        undefined=jinja2.StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **(_TEX_DELIMITERS if form == "tex" else {}),
    )
    environment.filters |= {
        "raw": _Raw,
        "fitted": _fitted,
        "breakable": _breakable,
        "mermaid": decision_chart_drawn.mermaid,
        "tikz": lambda stages: decision_chart_drawn.tikz(stages, finalize),
        "plain": lambda sentence: _Raw(markdown.escape(sentence.text)),
        "display": lambda maths: _Raw(html.display(untraced(maths))),
        "title": lambda sentence: _Raw(html.title(sentence)),
    }
    return environment


def _refuse(error: Exception, names: Mapping[str, Any]) -> NoReturn:
    """Says in which line of which template something is wrong."""
    if isinstance(error, jinja2.TemplateNotFound):
        raise TemplateError(
            f"there is no template {error.name}", f"the templates are {', '.join(_shipped())}"
        ) from None
    place = ""
    if isinstance(error, jinja2.TemplateSyntaxError):
        place = f"{error.filename or error.name}, line {error.lineno}: "
    else:
        traceback = error.__traceback__
        while traceback:  # Jinja's frames stand for the lines of templates
            if traceback.tb_frame.f_code.co_filename.endswith(".j2"):
                place = f"{traceback.tb_frame.f_code.co_filename}, line {traceback.tb_lineno}: "
            traceback = traceback.tb_next
    if not place:
        raise error
    raise TemplateError(f"template {place}{error}", f"the names that it can use are {', '.join(names)}") from None


_LONGEST_PIECE = 60  # characters of a formula between two operators that still fit on a line


def _fitted(shown: Maths) -> _Raw:
    r"""A formula for a line of limited width: broken at its operators, or shrunk where it has none to break at."""
    longest = max(len(piece) for piece in _pieces(untraced(shown.latex)))
    return _Raw(rf"\{'broken' if longest <= _LONGEST_PIECE else 'fitted'}{{{shown.latex}}}")


def _breakable(text: Sourced) -> _Raw:
    """A formula in plain text that may be broken behind its operators."""
    return _Raw(re.sub(r"(?<=[*/+)])(?=[^ ])", r"\\allowbreak{}", latex.escape(text)))


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
