"""A report written as LaTeX or Markdown: templates, in which text is escaped and maths is marked as such."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import jinja2

from symroof import drawn, latex, markdown
from symroof.prose import Maths, Prose, untraced, words
from symroof.shown import Report


def write(report: Report, form: str, *, brief: bool = False) -> str:
    """The report as `tex` or `md`; `brief` leaves the lines with numbers put in out."""
    environment = _environment(form)
    template = environment.get_template(f"report.{form}.j2")
    return untraced(template.render(report=report, words=words(), brief=brief))


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
            return maths(value)
        return value if isinstance(value, _Raw) else text(str(value))

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
    environment.filters["mermaid"] = drawn.mermaid
    environment.filters["tikz"] = lambda stages: drawn.tikz(stages, finalize)
    return environment
