"""A worked solution, tables and checks as lines for a terminal. `click.echo` drops the colours elsewhere."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Sequence

import click
from tabulate import tabulate

from symroof import decision_chart_drawn
from symroof.latex import plain_prose
from symroof.prose import words
from symroof.shown import CrossoverShown, FactShown, Line, Moved, PlanTable, Report, RootShown

_WIDTH = 100  # columns, where the terminal has as many


def table(rows: Sequence[Sequence[str]], heads: Sequence[str], *, numbers: bool = False, form: str = "simple") -> str:
    """Rows under heads; `numbers` sets the columns flush right."""
    align = ("right" if numbers else "left",) * len(heads)
    return tabulate(rows, heads, tablefmt=form, colalign=align if rows else None, disable_numparse=True)


def worked_solution(report: Report, *, brief: bool = False) -> str:
    """The whole report, as `show` prints it."""
    heading = words()["heading"]
    parts = [click.style(report.title, bold=True)] + ([report.case.text] if report.case.parts else [])
    if report.question:
        parts += ["", _filled(plain_prose(report.question))]
    if report.assumptions:
        parts += ["", _heading(heading["assumptions"]), _assumptions(report)]
    if report.cited:
        parts += ["", _heading(heading["cited"]), _cited(report)]
    parts += ["", _heading(heading["solution"])]
    parts += [text for line in report.lines for text in _line(line, brief)]
    if report.crossovers:
        parts += [_heading(heading["crossovers"])]
        parts += [text for crossover in report.crossovers for text in _crossover(crossover)]
    if report.facts:
        parts += [_heading(heading["facts"])]
        parts += [text for fact in report.facts for text in _fact(fact)]
    if report.moved:
        parts += [_heading(heading["moves"])]
        parts += [text for moved in report.moved for text in _moved(moved)]
    if report.table:
        heads = [f"{head.text}\n{unit.text}" for head, unit in zip(report.table.heads, report.table.units, strict=True)]
        rows = [[cell.text for cell in row] for row in report.table.rows]
        parts += [_heading(report.table.title.text), table(rows, heads, numbers=True), ""]
    if report.plans:
        parts += [_heading(heading["plans"]), _plans(report.plans), ""]
    if report.claims:
        parts += [_heading(heading["claims"]), report.claims_summary.text]
        differing = [claim for claims in report.claims for claim in claims.rows if not claim.agrees]
        parts += [
            click.style(f"  {one.quantity.text} = {one.printed} {one.at.text}: {one.verdict.text}", fg="red")
            for one in differing
        ]
        parts += [""]
    if report.conclusion:
        parts += [_heading(heading["conclusion"]), *(_filled(paragraph.text) for paragraph in report.conclusion), ""]
    if report.chart:
        parts += [_heading(heading["chart"]), *decision_chart_drawn.lines(report.chart)]
    return "\n".join(parts).rstrip("\n")


def _moved(moved: Moved) -> list[str]:
    column = words()["column"]
    rows = [[given.text, change.text, form.text if form else ""] for given, change, form in moved.rows]
    heads = [column[name] for name in ("given", "change", "form")]
    return [_filled(moved.binding.text + moved.statement.text), table(rows, heads), ""]


def _plans(plans: PlanTable) -> str:
    column = words()["column"]
    columns = {
        column["plan"]: [plan.name.text for plan in plans.rows],
        column["memory"]: [plan.memory.text for plan in plans.rows],
    }
    if len(plans.capacities) == 1:
        columns[column["share"]] = [plan.share.text for plan in plans.rows]
    for at, capacity in enumerate(plans.capacities):
        head = "\n".join(part.text for part in capacity)
        columns[head] = [plan.verdicts[at].text for plan in plans.rows]
    if plans.timed:
        columns[column["low"]] = [plan.low.text for plan in plans.rows]
        columns[column["high"]] = [plan.high.text for plan in plans.rows]
    return table(list(zip(*columns.values(), strict=True)), list(columns))


def _heading(text: str) -> str:
    return click.style(text, bold=True, fg="cyan")


def _filled(text: str) -> str:
    width = min(shutil.get_terminal_size((_WIDTH, 24)).columns, _WIDTH)
    # A number stays with its unit.
    whole = re.sub(r"(?<=[0-9]) (?=[A-Za-z%µ])", "\N{NO-BREAK SPACE}", " ".join(text.split()))
    filled = textwrap.fill(whole, width, break_long_words=False, break_on_hyphens=False)
    return filled.replace("\N{NO-BREAK SPACE}", " ")


def _assumptions(report: Report) -> str:
    column = words()["column"]
    rows = [
        [one.symbol.text, plain_prose(one.meaning), one.value.text, textwrap.shorten(one.source, 60)]
        for one in report.assumptions
    ]
    return table(rows, [column[name] for name in ("symbol", "meaning", "value", "source")])


def _cited(report: Report) -> str:
    column = words()["column"]
    rows = [
        [one.symbol.text, textwrap.shorten(one.written.text, 60), one.value.text, one.derivation]
        for one in report.cited
    ]
    return table(rows, [column[name] for name in ("symbol", "formula", "value", "derived")])


def _line(line: Line, brief: bool) -> list[str]:
    found = [_filled(plain_prose(line.sentence))] if line.sentence else []
    found.append(f"    {click.style(line.symbol.text, bold=True)} = {line.written.text}")
    blank = " " * len(line.symbol.text)
    if line.substituted and not brief:
        found.append(click.style(f"    {blank} = {line.substituted.text}", dim=True))
    found.append(f"    {blank} {line.relation.text} {line.result.text}")
    return [*found, ""]


def _crossover(crossover: CrossoverShown) -> list[str]:
    statement = f"    {crossover.statement.text}"
    if not crossover.roots:
        return [statement, _filled(crossover.reason.text), ""]
    return [statement, *(text for root in crossover.roots for text in _root(root)), ""]


def _root(root: RootShown) -> list[str]:
    phrase = words()["phrase"]
    form = f" = {root.closed_form.text}" if root.closed_form else ""
    found = [f"    {click.style(root.symbol.text, bold=True)}{form} {root.relation.text} {root.decimal.text}"]
    found.append(f"      {root.existence.text}")
    found.append(f"      {phrase['exact_value']}: {root.exact.text}")
    if root.first_integer is not None:
        found.append(f"      {phrase['first_integer']}: {root.first_integer.text}")
    return [*found, f"      {root.sides.text}", f"      {phrase['proof']}: {root.proof.text}"]


def _fact(fact: FactShown) -> list[str]:
    sentence = " ".join([fact.statement.text, fact.here.text, plain_prose(fact.sentence)])
    return [_filled(sentence), f"    {fact.formula.text}", ""]
