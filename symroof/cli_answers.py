"""The commands `eval`, `solve`, `regimes` and `sweep`: answers about a derivation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symroof import library
from symroof.errors import OutputError, RefusedValueError
from symroof.options import case_options, exclusive, figure_options, json_option, name_argument, read_assignments
from symroof.output import comma_list, number, number_or_label, progress, to_json, value_text, write_whole

if TYPE_CHECKING:
    from symroof.derivation import DerivationGraph
    from symroof.settings import Settings
    from symroof.sweeps import Column

_LONG = 100_000  # points of a sweep that take a while
SWEEP_FORMS = ("table", "csv", "json", "md", "tex", "parquet")


@click.command("eval")
@name_argument
@click.argument("quantities", nargs=-1, metavar="QUANTITY[:UNIT]...")
@case_options
@figure_options
@json_option
def eval_(
    name: str, quantities: Sequence[str], chip: str, dtype: str, assignments: Sequence[str],
    digits: int | None, decimals: int | None, as_json: bool,
) -> None:  # fmt: skip
    """Work out quantities exactly; all of them if none is named.

    \b
    Examples: symroof eval gemm F:GFLOP t:ms AI --set m=8192
              symroof eval gemm t_mem:ms regime --set m=8192 --set "beta=1.3..1.555 TB/s"
    """
    from symroof.declared import split_column
    from symroof.evaluate import Solution
    from symroof.settings import Settings

    rounding = exclusive(digits, decimals)
    derivation = library.find(name)
    everything = [(one, None) for one in (*derivation.steps, *derivation.bindings)]
    asked = [split_column(text) for text in quantities] or everything
    assigned = read_assignments(assignments)
    if any(".." in value for value in assigned.values()):
        given, results, lines, settings = _in_ranges(derivation, asked, assigned, chip, dtype, rounding)
    else:
        settings = Settings(derivation, assigned, on=chip, dtype=dtype)
        solution = Solution(settings)
        values = [(one, solution.shown(one, wanted)) for one, wanted in asked]
        results = {one: number_or_label(value, **rounding) for one, value in values}
        lines = [value_text(one, value, **rounding) for one, value in values]
        given = {}
    if not as_json:
        click.echo("\n".join(lines))
        return
    known = Solution(settings)
    used = [one for one in derivation.ancestors(results) if one in derivation.givens and one not in given]
    given |= {one: number_or_label(known.shown(one)) for one in used}
    click.echo(to_json({"derivation": derivation.name, "chip": settings.chip.id, "given": given, "results": results}))


def _in_ranges(
    derivation: DerivationGraph, asked: Sequence[tuple[str, str | None]], assigned: dict[str, str],
    chip: str, dtype: str, rounding: dict[str, Any],
) -> tuple[dict[str, Any], dict[str, Any], list[str], Settings]:  # fmt: skip
    """The ranged givens and the results as JSON, and the results as lines."""
    from symroof.answers import bounds_json, bounds_text
    from symroof.ranges import read_ranges
    from symroof.settings import Settings
    from symroof.uncertain import bounds

    fixed, ranges = read_ranges(derivation, assigned)
    settings = Settings(derivation, fixed, on=chip, dtype=dtype)
    found = [(one, wanted, bounds(settings, ranges, one)) for one, wanted in asked]
    given = {one: {"low": number(ends.low), "high": number(ends.high)} for one, ends in ranges.items()}
    results = {one: bounds_json(shown, wanted, **rounding) for one, wanted, shown in found}
    return given, results, [bounds_text(one, shown, wanted, **rounding) for one, wanted, shown in found], settings


@click.command(context_settings={"ignore_unknown_options": True})
@name_argument
@click.argument("equation", metavar='CROSSOVER|"LHS = RHS"')
@click.option("--for", "symbol", metavar="SYMBOL", help="The symbol to solve for; a crossover knows its own.")
@case_options
@json_option
def solve(
    name: str, equation: str, symbol: str | None, chip: str, dtype: str, assignments: Sequence[str], as_json: bool
) -> None:
    """Solve a crossover, or any equation or inequality, for a symbol: closed form, condition, exact value, proof.

    \b
    Examples: symroof solve gemm m_star
              symroof solve gemm "t = 10 ms" --for m
              symroof solve gemm "t <= 10 ms" --for m
    """
    from symroof.answers import answer_json, answer_text
    from symroof.settings import Settings
    from symroof.solving import solve_text

    derivation = library.find(name)
    settings = Settings(derivation, read_assignments(assignments), on=chip, dtype=dtype)
    found = solve_text(settings, equation, symbol)
    click.echo(to_json(answer_json(derivation, found)) if as_json else answer_text(found))


@click.command()
@name_argument
@click.option("--for", "symbol", required=True, metavar="SYMBOL", help="The given whose line is walked.")
@case_options
@json_option
def regimes(name: str, symbol: str, chip: str, dtype: str, assignments: Sequence[str], as_json: bool) -> None:
    """Show which term binds where, from 0 to infinity, with exact breakpoints.

    Example: symroof regimes gemm --for m
    """
    from symroof.answers import regimes_json, regimes_text
    from symroof.regimes import regimes as walk
    from symroof.settings import Settings

    derivation = library.find(name)
    found = walk(Settings(derivation, read_assignments(assignments), on=chip, dtype=dtype), symbol)
    click.echo(to_json(regimes_json(derivation, symbol, found)) if as_json else regimes_text(found))


@click.command()
@name_argument
@click.option(
    "--over",
    multiple=True,
    required=True,
    metavar="SPEC",
    help="m=2,8,32 or m=1..8192 or m=2..8192*2 (doubling). May be repeated: all combinations.",
)
@click.option(
    "--show", "columns", multiple=True, metavar="QUANTITY[:UNIT],...", help="The columns; the example's if left out."
)
@click.option("--to", "form", type=click.Choice(SWEEP_FORMS), default="table", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write there instead of printing.")
@case_options
@figure_options
def sweep(
    name: str, over: Sequence[str], columns: Sequence[str], form: str, out: Path | None, chip: str, dtype: str,
    assignments: Sequence[str], digits: int | None, decimals: int | None,
) -> None:  # fmt: skip
    """Tabulate quantities over a range of values, in double precision.

    Example: symroof sweep gemm --over m=2..8192*2 --show F:GFLOP,t:ms
    """
    from symroof.settings import Settings
    from symroof.sweep_tables import read_over, write_table
    from symroof.sweeps import sweep as run

    rounding = exclusive(digits, decimals)
    derivation = library.find(name)
    settings = Settings(derivation, read_assignments(assignments), on=chip, dtype=dtype)
    shown = comma_list(columns) or list(derivation.example.show) or list(derivation.steps)
    if not shown:
        raise RefusedValueError(
            "the sweep has no columns", f"for example --show {','.join(list(derivation.steps)[:2])}"
        )
    if form == "parquet" and out is None:
        raise OutputError("parquet is no text to print", "give a file with --out")
    swept = read_over(derivation, over)
    with progress(len(shown) + 1, hidden=math.prod(map(len, swept.values())) < _LONG) as step:
        found: list[Column] = run(settings, swept, shown, step)
        step("writing")
        content = write_table(found, form, **rounding)
    if out is None:
        click.echo(content, nl=False)
    else:
        write_whole(out, content)
