"""The commands."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from symroof import __version__, hardware
from symroof.cli_calc import calc
from symroof.errors import OutputError, RefusedValueError, SymroofError, UnknownNameError
from symroof.options import OneOf, case_options, exclusive, figure_options, json_option, read_assignments
from symroof.output import comma_list, folder, number, number_or_label, to_json, value_text, write_whole

if TYPE_CHECKING:
    from symroof.derivation import DerivationGraph
    from symroof.report import Report
    from symroof.settings import Settings
    from symroof.sweeps import Column

Command = TypeVar("Command", bound=Callable[..., Any])

REPORT_FORMS = ("pdf", "tex", "md")
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


class _Name(click.ParamType):  # type: ignore[type-arg]
    """A shipped derivation's name, or the path of a file with one."""

    name = "name|file"

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        names = [CompletionItem(name) for name in _shipped() if name.startswith(incomplete)]
        return names or [CompletionItem(incomplete, type="file")]


_name_argument = click.argument("name", type=_Name(), metavar="NAME|FILE")


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.version_option(__version__, prog_name="symroof")
@click.pass_context
def commands(context: click.Context) -> None:
    """Performance models that show their work: exact numbers, proved units, conditional roots, worked solutions.

    \b
    symroof eval gemm t:ms --set m=8192
    symroof solve gemm m_star
    symroof report gemm
    symroof calc "140 GB / 3.35 TB/s" --in ms
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

    found = [_found(name) for name in _shipped()]
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
@_name_argument
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

        settings = worked_settings(_found(name), read_assignments(assignments), on=chip, dtype=dtype)
        click.echo("\n".join(lines(by_hand_solution(Solution(settings)))))
        return
    from symroof.terminal import worked_solution

    click.echo(worked_solution(_report(name, chip, dtype, assignments), brief=brief))


def _found(name: str) -> DerivationGraph:
    from symroof import library

    return library.find(name)


def _shipped() -> list[str]:
    from symroof import library

    return library.shipped()


def _report(name: str, chip: str, dtype: str, assignments: Sequence[str]) -> Report:
    from symroof.report import build, worked_settings

    return build(worked_settings(_found(name), read_assignments(assignments), on=chip, dtype=dtype))


@commands.command("eval")
@_name_argument
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
    derivation = _found(name)
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


@commands.command(context_settings={"ignore_unknown_options": True})
@_name_argument
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

    derivation = _found(name)
    settings = Settings(derivation, read_assignments(assignments), on=chip, dtype=dtype)
    if equation in derivation.crossovers:
        answer = solve_crossover(settings, derivation.crossovers[equation], symbol)
        click.echo(to_json(answer_json(derivation, answer)) if as_json else answer_text(equation, answer))
        return
    if not any(sign in equation for sign in "=<>"):
        raise UnknownNameError("crossover", equation, derivation.crossovers, where=derivation.name)
    if symbol is None:
        raise RefusedValueError(f"{equation!r} does not say what to solve for", "add --for SYMBOL")
    relation = derivation.relation(equation)
    if relation.operator == "=":
        answer = solve_relation(settings, relation, symbol)
        click.echo(to_json(answer_json(derivation, answer)) if as_json else answer_text(symbol, answer))
    else:
        found = budget(settings, relation, symbol)
        click.echo(to_json(budget_json(derivation, found)) if as_json else budget_text(found))


@commands.command()
@_name_argument
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

    derivation = _found(name)
    found = walk(Settings(derivation, read_assignments(assignments), on=chip, dtype=dtype), symbol)
    click.echo(to_json(regimes_json(derivation, symbol, found)) if as_json else regimes_text(found))


@commands.command()
@_name_argument
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
    derivation = _found(name)
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
@click.argument("names", nargs=-1, type=_Name(), metavar="[NAME|FILE]...")
@click.option("--to", "forms", multiple=True, metavar="FORM,...", help="pdf, tex, md (default all three).")
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path(), metavar="DIR", help="Folder (default: this one)."
)
@click.option("--brief", is_flag=True, help="Without the lines that have numbers put in.")
@case_options
def report(
    names: Sequence[str],
    forms: Sequence[str],
    out: Path,
    brief: bool,
    chip: str,
    dtype: str,
    assignments: Sequence[str],
) -> None:
    """Write worked solutions as PDF, LaTeX and Markdown; of all derivations if none is named.

    Example: symroof report gemm --to pdf,md --out solutions
    """
    from symroof.writing import write

    wanted = comma_list(forms) or list(REPORT_FORMS)
    for form in wanted:
        if form not in REPORT_FORMS:
            raise UnknownNameError("report form", form, REPORT_FORMS)
    built = [_report(name, chip, dtype, assignments) for name in names or _shipped()]
    for one in built:
        if not re.fullmatch(r"\w[\w .-]*", one.name):
            raise OutputError(f"the derivation's name {one.name!r} cannot name a file", "use letters, digits, _ and -")
    twice = {one.name for one in built if sum(one.name == other.name for other in built) > 1}
    if twice:
        raise OutputError(f"two of the derivations are called {twice.pop()!r}", "report them into different folders")
    written = [(one, form, write(one, form, brief=brief)) for one in built for form in ("tex", "md")]
    target = folder(out)
    for one, form, content in written:
        if form in wanted:
            _write(target / f"{one.name}.{form}", content)
    if "pdf" in wanted:
        from symroof.typeset import find_engine, typeset

        engine = find_engine()
        for one, form, content in written:
            if form == "tex":
                _write(target / f"{one.name}.pdf", typeset(content, engine).pdf)


def _write(path: Path, content: str | bytes) -> None:
    write_whole(path, content)
    click.echo(path)


@commands.command()
@click.argument("names", nargs=-1, type=_Name(), metavar="[NAME|FILE]...")
@case_options
@json_option
def check(names: Sequence[str], chip: str, dtype: str, assignments: Sequence[str], as_json: bool) -> None:
    """Prove units, compare the readings, prove roots, compare what others print; exit code 1 if anything fails.

    Example: symroof check gemm my_question.py
    """
    from symroof.check import check as run
    from symroof.report import worked_settings

    outcomes = [
        run(worked_settings(_found(name), read_assignments(assignments), on=chip, dtype=dtype))
        for name in names or _shipped()
    ]
    if as_json:
        click.echo(
            to_json(
                [
                    {"derivation": one.derivation}
                    | {name: {"checked": part.checked, "failed": part.failed} for name, part in one.sections.items()}
                    for one in outcomes
                ]
            )
        )
    else:
        for one in outcomes:
            counts = ", ".join(f"{part.checked} {name}" for name, part in one.sections.items() if part.checked)
            mark = click.style("ok", fg="green") if one.passed else click.style("FAILED", fg="red")
            click.echo(f"{click.style(one.derivation, bold=True)}: {mark}  ({counts or 'nothing to check'})")
            for name, part in one.sections.items():
                for failure in part.failed:
                    click.echo(f"  {click.style(name, fg='red')}: " + failure.replace("\n", "\n  "))
    if not all(one.passed for one in outcomes):
        click.get_current_context().exit(1)


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


commands.add_command(calc)
