"""The commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from symroof import __version__, hardware, library
from symroof.cli_plot import plot
from symroof.cli_report import check, report, worked_report
from symroof.errors import OutputError, RefusedValueError, SymroofError, UnknownNameError
from symroof.options import (
    OneOf,
    case_options,
    exclusive,
    figure_options,
    json_option,
    name_argument,
    read_assignments,
)
from symroof.output import comma_list, number, number_or_label, to_json, value_text, write_whole

if TYPE_CHECKING:
    from symroof.derivation import DerivationGraph
    from symroof.settings import Settings
    from symroof.sweeps import Column

SWEEP_FORMS = ("table", "csv", "json", "md", "tex", "parquet")


def main() -> NoReturn:
    """Runs a command: exit code 0 done, 1 a check failed, 2 bad input, said in a few lines and never a traceback."""
    try:
        code = commands.main(prog_name="symroof", standalone_mode=False)
    except click.exceptions.Exit as ended:
        code = ended.exit_code
    except click.Abort:
        code = 130
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "symroof"
        _complain(error.format_message().strip().rstrip("."), f"{command} --help")
        code = 2
    except SymroofError as error:
        _complain(error.problem, error.hint)
        code = 2
    except OSError as error:  # a full disk; click itself ends a command quietly whose reader has had enough
        _complain(f"the output cannot be written: {error.strerror or error}", "write to another place")
        code = 2
    except Exception as error:
        if os.environ.get("SYMROOF_TRACEBACK"):
            raise
        _complain(
            f"symroof itself failed: {type(error).__name__}: {error}",
            "please report this; with SYMROOF_TRACEBACK=1 in the environment it shows where",
        )
        code = 2
    sys.exit(code if isinstance(code, int) else 0)


def _complain(problem: str, hint: str) -> None:
    click.echo(f"{click.style('error:', fg='red', bold=True)} {problem}", err=True)
    for line in hint.splitlines():
        click.echo(f"  {click.style('try:', bold=True)} {line}", err=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.version_option(__version__, prog_name="symroof")
@click.pass_context
def commands(context: click.Context) -> None:
    """Performance models that show their work: exact numbers, proved units, conditional roots, worked solutions.

    \b
    symroof eval gemm t:ms --set m=8192
    symroof solve gemm m_star
    symroof report gemm
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@commands.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the derivations, their titles and quantities.

    Example: symroof list
    """
    from symroof.terminal import table

    found = [library.find(name) for name in library.shipped()]
    if as_json:
        click.echo(to_json([{"name": one.name, "title": one.title, "quantities": _asked(one)} for one in found]))
        return
    for one in found:
        click.echo(f"{click.style(one.name, bold=True)}  {one.title}")
        rows = [[kind, ", ".join(names)] for kind, names in _contents(one).items() if names]
        click.echo(table(rows, ["", ""], form="plain"))
        click.echo()


def _asked(derivation: DerivationGraph) -> list[str]:
    return [*derivation.steps, *derivation.bindings, *derivation.crossovers]


def _contents(derivation: DerivationGraph) -> dict[str, list[str]]:
    return {
        "  givens": list(derivation.givens),
        "  quantities": [*derivation.steps, *derivation.bindings],
        "  crossovers": list(derivation.crossovers),
    }


@commands.command()
@name_argument
@case_options
@click.option("--brief", is_flag=True, help="Without the lines that have numbers put in.")
@click.option("--by-hand", is_flag=True, help="The version with two-digit numbers, and the error it makes.")
def show(name: str, chip: str, dtype: str, assignments: Sequence[str], brief: bool, by_hand: bool) -> None:
    """Print the worked solution.

    \b
    Examples: symroof show gemm --set m=128 --on h100-sxm
              symroof show gemm --by-hand
    """
    if by_hand:
        from symroof.by_hand import by_hand_solution, lines
        from symroof.evaluate import Solution
        from symroof.report import worked_settings

        settings = worked_settings(library.find(name), read_assignments(assignments), on=chip, dtype=dtype)
        click.echo("\n".join(lines(by_hand_solution(Solution(settings)))))
        return
    from symroof.terminal import worked_solution

    click.echo(worked_solution(worked_report(name, chip, dtype, assignments), brief=brief))


@commands.command("eval")
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
    from symroof.derivation import split_column
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
    from symroof.settings import Settings
    from symroof.uncertain import bounds, read_ranges

    fixed, ranges = read_ranges(derivation, assigned)
    settings = Settings(derivation, fixed, on=chip, dtype=dtype)
    found = [(one, wanted, bounds(settings, ranges, one)) for one, wanted in asked]
    given = {one: {"low": number(ends.low), "high": number(ends.high)} for one, ends in ranges.items()}
    results = {one: bounds_json(shown, wanted, **rounding) for one, wanted, shown in found}
    return given, results, [bounds_text(one, shown, wanted, **rounding) for one, wanted, shown in found], settings


@commands.command(context_settings={"ignore_unknown_options": True})
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
    from symroof.answers import answer_json, answer_text, budget_json, budget_text
    from symroof.budget import budget
    from symroof.crossover import solve as solve_relation
    from symroof.crossover import solve_crossover
    from symroof.settings import Settings

    derivation = library.find(name)
    settings = Settings(derivation, read_assignments(assignments), on=chip, dtype=dtype)
    if equation in derivation.crossovers:
        answer = solve_crossover(settings, derivation.crossovers[equation], symbol)
        click.echo(to_json(answer_json(derivation, answer)) if as_json else answer_text(answer))
        return
    if not any(sign in equation for sign in "=<>"):
        raise UnknownNameError("crossover", equation, derivation.crossovers, where=derivation.name)
    if symbol is None:
        raise RefusedValueError(f"{equation!r} does not say what to solve for", "add --for SYMBOL")
    relation = derivation.relation(equation)
    if relation.operator == "=":
        answer = solve_relation(settings, relation, symbol)
        click.echo(to_json(answer_json(derivation, answer)) if as_json else answer_text(answer))
    else:
        found = budget(settings, relation, symbol)
        click.echo(to_json(budget_json(derivation, found)) if as_json else budget_text(found))


@commands.command()
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


@commands.command()
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
    from symroof.sweeps import sweep as run
    from symroof.tables import read_over, write_table

    rounding = exclusive(digits, decimals)
    derivation = library.find(name)
    settings = Settings(derivation, read_assignments(assignments), on=chip, dtype=dtype)
    shown = comma_list(columns) or list(derivation.example.show) or list(derivation.steps)
    if not shown:
        raise RefusedValueError(
            "the sweep has no columns", f"for example --show {','.join(list(derivation.steps)[:2])}"
        )
    found: list[Column] = run(settings, read_over(derivation, over), shown)
    if form == "parquet" and out is None:
        raise OutputError("parquet is no text to print", "give a file with --out")
    content = write_table(found, form, **rounding)
    if out is None:
        click.echo(content, nl=False)
    else:
        write_whole(out, content)


@commands.command()
@click.argument("chip", required=False, metavar="[CHIP]", type=OneOf("chip", hardware.chip_ids))
@json_option
def chips(chip: str | None, as_json: bool) -> None:
    """List the accelerators, or one with the source of every figure.

    Example: symroof chips h100-sxm
    """
    from symroof.terminal import table

    found = [hardware.chip(chip)] if chip else hardware.chips()
    if as_json:
        click.echo(to_json([_chip_json(one) for one in found]))
    elif chip:
        click.echo(f"{click.style(found[0].id, bold=True)}  {found[0].name}")
        rows = [[key, one.text, one.source, one.date, one.note] for key, one in found[0].figures().items()]
        click.echo(table(rows, ["figure", "value", "source", "date", "note"]))
    else:
        rows = [[one.id, one.name, *_overview(one)] for one in found]
        click.echo(table(rows, ["id", "name", "16-bit", "bandwidth", "memory", "ridge (FLOP/byte)"]))


def _overview(chip: hardware.Chip) -> list[str]:
    """Its dense 16-bit rate, bandwidth, memory and the ridge between the first two."""
    from symroof.units import quantity_text

    dtype = "fp16" if "fp16" in chip.rates else "bf16"
    if dtype not in chip.rates:
        return ["", chip.bandwidth.text, chip.memory.text, ""]
    rate = chip.rates[dtype].dense
    ridge = quantity_text((rate.quantity / chip.bandwidth.quantity).to_base_units()).split()[0]
    return [f"{rate.text} {dtype}", chip.bandwidth.text, chip.memory.text, ridge]


def _chip_json(chip: hardware.Chip) -> dict[str, Any]:
    figures = {
        key: {**number(one.quantity), "source": one.source, "date": one.date, "note": one.note}
        for key, one in chip.figures().items()
    }
    return {"id": chip.id, "name": chip.name, **figures}


for command in (report, plot, check):
    commands.add_command(command)
