"""The commands `report` and `check`: worked solutions as files, and whether all that they say holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symroof import library
from symroof.errors import OutputError, RefusedValueError, UnknownNameError
from symroof.options import case_options, json_option, names_argument, worked_case
from symroof.output import comma_list, folder, progress, to_json, write_whole

if TYPE_CHECKING:
    from symroof.check import Outcome
    from symroof.publishing import Source

USUAL_FORMS = ("pdf", "tex", "md")
FORMS = (*USUAL_FORMS, "html")
BOOK_FORMS = ("pdf", "tex")


@click.command()
@names_argument
@click.option("--to", "forms", multiple=True, metavar="FORM,...", help="pdf, tex, md (default these three), html.")
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path(), metavar="DIR", help="Folder (default: this one)."
)
@click.option("--brief", is_flag=True, help="Without the lines that have numbers put in.")
@click.option("--figures/--no-figures", default=True, show_default=True, help="With or without figures.")
@click.option("--book", "as_book", is_flag=True, help="As the chapters of one document: pdf, tex.")
@click.option(
    "--template", type=click.Path(path_type=Path), metavar="DIR", help="Folder with templates of your own (see README)."
)
@case_options
def report(
    names: Sequence[str],
    forms: Sequence[str],
    out: Path,
    brief: bool,
    figures: bool,
    as_book: bool,
    template: Path | None,
    chip: str,
    dtype: str,
    assignments: Sequence[str],
) -> None:
    """Write worked solutions as PDF, LaTeX, Markdown or HTML; of all derivations if none is named.

    \b
    Examples: symroof report gemm --to pdf,md --out solutions
              symroof report gemm vram --book
    """
    from symroof.drawing import is_possible
    from symroof.publishing import book, edition, reports

    wanted = _wanted(forms, BOOK_FORMS, BOOK_FORMS) if as_book else _wanted(forms, USUAL_FORMS, FORMS)
    names = names or (library.in_order() if as_book else library.shipped())
    drawn = figures and is_possible()
    if figures and not drawn:
        click.echo('the figures are left out: pip install "symroof[plot]" brings what draws them', err=True)
    with progress(len(names) + (1 if as_book else len(names)) * ("pdf" in wanted)) as step:
        editions = []
        for name in names:
            step(name)
            settings = worked_case(name, chip, dtype, assignments)
            editions.append(edition(settings, figures=drawn))
        _refuse_names([one.name for one in editions])
        made = (book if as_book else reports)(editions, wanted, brief=brief, templates=template)
        target = folder(out)
        for parent in {(target / place).parent for place in made.files}:
            folder(parent)
        for place, content in made.files.items():
            write_whole(target / place, content)
            if "/" not in place:  # a figure is part of the report that includes it
                click.echo(target / place)
        if "pdf" in wanted:
            _typeset(made.sources, target, step)


def _wanted(forms: Sequence[str], usual: Sequence[str], possible: Sequence[str]) -> list[str]:
    wanted = comma_list(forms) if forms else list(usual)
    if not wanted:
        raise RefusedValueError("--to names no form", f"one of {', '.join(possible)}")
    for form in wanted:
        if form not in possible:
            raise UnknownNameError("report form", form, possible)
    return wanted


def _refuse_names(names: list[str]) -> None:
    """Derivations whose names cannot name files, or name the same ones."""
    for name in names:
        if not re.fullmatch(r"\w[\w .-]*", name):
            raise OutputError(f"the derivation's name {name!r} cannot name a file", "use letters, digits, _ and -")
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise OutputError(f"two of the derivations are called {twice.pop()!r}", "report them into different folders")


def _typeset(sources: Sequence[Source], target: Path, step: Callable[[str], None]) -> None:
    from symroof.typeset import find_engine, typeset

    engine = find_engine()
    for source in sources:
        step(f"{source.name}.pdf")
        path = target / f"{source.name}.pdf"
        write_whole(path, typeset(source.tex, engine, files=source.figures).pdf)
        click.echo(path)


@click.command()
@names_argument
@click.option("--printed", is_flag=True, help="Also every figure of the reports, against its exact value.")
@click.option(
    "--dir", "directory", type=click.Path(path_type=Path), metavar="DIR", help="With --printed: reports written there."
)
@click.option(
    "--template", type=click.Path(path_type=Path), metavar="DIR", help="With --printed: the templates they came from."
)
@case_options
@json_option
def check(
    names: Sequence[str],
    printed: bool,
    directory: Path | None,
    template: Path | None,
    chip: str,
    dtype: str,
    assignments: Sequence[str],
    as_json: bool,
) -> None:
    """Prove units, compare the readings, prove roots, compare what others print; exit code 1 if anything fails.

    \b
    Examples: symroof check gemm my_question.py
              symroof check gemm --printed
    """
    from symroof.check import check as run

    if printed:
        from symroof.printed import book_outcome, check_printed
        from symroof.publishing import edition
    if (directory or template) and not printed:
        raise RefusedValueError("--dir and --template are about the figures of reports", "add --printed")
    wanted = names or library.in_order()
    outcomes, reports = [], []
    with progress(len(wanted)) as step:
        for name in wanted:
            step(name)
            settings = worked_case(name, chip, dtype, assignments)
            outcome = run(settings)
            if printed:
                reports.append(edition(settings, figures=True).report)
                outcome.sections["printed"] = check_printed(reports[-1], settings, directory, template)
            outcomes.append(outcome)
    if directory and not names:
        outcomes += book_outcome(reports, directory)
    if as_json:
        click.echo(to_json([_outcome_json(one) for one in outcomes]))
    else:
        for one in outcomes:
            _print_outcome(one)
    if not all(one.passed for one in outcomes):
        click.get_current_context().exit(1)


def _outcome_json(outcome: Outcome) -> dict[str, Any]:
    sections = outcome.sections.items()
    return {"derivation": outcome.derivation} | {
        name: {"checked": part.checked, "failed": part.failed} for name, part in sections
    }


def _print_outcome(outcome: Outcome) -> None:
    counts = ", ".join(f"{part.checked} {name}" for name, part in outcome.sections.items() if part.checked)
    mark = click.style("ok", fg="green") if outcome.passed else click.style("FAILED", fg="red")
    click.echo(f"{click.style(outcome.derivation, bold=True)}: {mark}  ({counts or 'nothing to check'})")
    for name, part in outcome.sections.items():
        for failure in part.failed:
            click.echo(f"  {click.style(name, fg='red')}: " + failure.replace("\n", "\n  "))
