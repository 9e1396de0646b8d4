"""The command `calc`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from symroof.complaint import complain
from symroof.envelope import Definition, Names, definition, result
from symroof.errors import LoadError, RefusedValueError, SymroofError
from symroof.expression import Expression, Line, Relation, parse, parse_line
from symroof.options import OneOf, chip_option, dtype_option, exclusive, figure_options, json_option, read_assignments
from symroof.output import exact_text, number, to_json
from symroof.remarks import remarks, taken_by_default, unlike_the_chip
from symroof.units import NAMES_SHOWN, Quantity, quantity_text

FORMS = ("tex", "md")
_LINES = "-"  # stands for lines from standard input
_LONGEST_FILE = 1_000_000  # bytes
_WIDEST = 60  # characters of a line beside which results are set flush


class _Expressions(click.Command):
    """A command whose arguments may begin with a minus sign: `-3 h + 4 h` is no `-h`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options = {name for parameter in self.get_params(ctx) for name in (*parameter.opts, *parameter.secondary_opts)}

        def is_option(text: str) -> bool:
            return text == _LINES or text in options or re.fullmatch(r"--[a-z-]*(=.*)?", text, re.DOTALL) is not None

        return super().parse_args(ctx, [text if is_option(text) or text[:1] != "-" else f" {text}" for text in args])


@click.command(cls=_Expressions)
@click.argument("arguments", nargs=-1, metavar="EXPR|- [NAME=VALUE]...")
@click.option("--in", "unit", metavar="UNIT", type=OneOf("unit", lambda: NAMES_SHOWN), help="The unit of the result.")
@click.option("--for", "symbol", metavar="NAME", help="Solve for a name: EXPR is then an equation or inequality.")
@click.option("--show", is_flag=True, help="The worked lines: as written, with numbers, result.")
@click.option("--to", "form", type=click.Choice(FORMS), help="The worked lines for pasting.")
@click.option("--exact", is_flag=True, help="The exact value beside the rounded one.")
@click.option("-f", "file", type=click.Path(path_type=Path), metavar="FILE", help="Work out the lines of a file.")
@chip_option(None)
@dtype_option(None)
@figure_options
@json_option
def calc(
    arguments: Sequence[str], unit: str | None, symbol: str | None, show: bool, form: str | None, exact: bool,
    file: Path | None, chip: str | None, dtype: str | None, digits: int | None, decimals: int | None, as_json: bool,
) -> None:  # fmt: skip
    """Work out one line exactly, its units checked. `-` reads lines, which keep their names, from standard input.

    \b
    Examples: symroof calc "2*8192*512*2^20 FLOP / 312 TFLOP/s" --in ms
              symroof calc "c*m*k*n/P" "c=2 FLOP" m=8192 k=512 n=2^20 --on h100-sxm
              symroof calc "t = W/beta" "W=140 GB" "t=20 ms" --for beta
              symroof calc "W/beta" "W=140 GB" "beta=1.3..1.555 TB/s"
              symroof calc "14 GB + 2*32*8*128*131072*2 byte <= 24 GB"
    """
    rounding = exclusive(digits, decimals)
    text, values = (None, arguments) if file is not None else (arguments[0] if arguments else None, arguments[1:])
    names = Names(on=chip, dtype=dtype, given=read_assignments(values, ""))
    if text is None or text == _LINES:
        if file is None and text is None:
            raise RefusedValueError("there is nothing to work out", 'for example symroof calc "140 GB / 3.35 TB/s"')
        if unit or symbol or show or form or exact or as_json:
            raise RefusedValueError(
                "--in, --for, --show, --to, --exact and --json are for one expression",
                "write `in UNIT` behind a line's expression",
            )
        _lines(file, names, rounding)
        return
    line = parse_line(text)
    if symbol is not None:
        _solve(line, symbol, names, unit, rounding, show, form, as_json)
        return
    if line.compares:
        if show or form or exact:
            raise RefusedValueError("a comparison has no worked lines and no one exact value", "work out one side")
        _compare(line, names, unit, rounding, as_json)
        return
    defined = definition(line)
    names.refuse_given(defined.name, _either(defined, names))
    if any(name in names.ranges for name in defined.expression.names):
        if show or form or exact:
            raise RefusedValueError("a range has no worked lines and no one exact value", "give one value")
        _bounded(defined, names, unit, rounding, as_json)
        return
    found = result(defined, names, unit)
    names.refuse_unused()
    _note([*taken_by_default(names), *remarks([defined.expression], names, found.value)])
    if as_json:
        click.echo(to_json({"expression": defined.expression.text, "result": number(found.value, **rounding)}))
    elif show or form:
        _show(found.name, defined.expression, names, found.value, form, rounding)
    else:
        click.echo(_named(found.name) + (exact_text if exact else quantity_text)(found.value, **rounding))


def _either(defined: Definition, names: Names) -> str:
    """What to try where the name that a line defines is given too."""
    unknown = [name for name in defined.expression.names if name not in names.given]
    other = f"solve for {unknown[0]}: --for {unknown[0]}; or " if unknown else ""
    return f"{other}leave {defined.name}=... out"


def _named(name: str | None) -> str:
    return f"{name} = " if name else ""


def _note(notes: Sequence[str]) -> None:
    for note in notes:
        click.echo(f"{click.style('note:', fg='yellow', bold=True)} {note}", err=True)


def _show(
    name: str | None, expression: Expression, names: Names, value: Quantity, form: str | None, rounding: dict[str, Any]
) -> None:
    from symroof.worked_line import markdown_of, tex_of, text_of, worked_line

    write = {None: text_of, "tex": tex_of, "md": markdown_of}[form]
    click.echo(write(worked_line(name, expression, names, value, **rounding)))


def _compare(line: Line, names: Names, unit: str | None, rounding: dict[str, Any], as_json: bool) -> None:
    from symroof.verdict import verdict, verdict_json, verdict_text

    assert isinstance(line.said, Relation)
    found = verdict(line, names, unit)
    names.refuse_unused()
    _note([*taken_by_default(names), *remarks([line.said.left, line.said.right], names)])
    if as_json:
        click.echo(to_json({"expression": line.said.text, "result": verdict_json(found, **rounding)}))
    else:
        click.echo(verdict_text(found, **rounding))


def _bounded(defined: Definition, names: Names, unit: str | None, rounding: dict[str, Any], as_json: bool) -> None:
    from symroof.answers import bounds_json, ends_text
    from symroof.impromptu import bounds

    found = bounds(defined, names, unit)
    names.refuse_unused()
    _note(taken_by_default(names))
    if as_json:
        shown = bounds_json(found, None, **rounding)
        click.echo(to_json({"expression": defined.expression.text, "result": shown}))
    else:
        click.echo(_named(defined.name) + ends_text(found, None, **rounding))


def _solve(
    line: Line, symbol: str, names: Names, unit: str | None, rounding: dict[str, Any], show: bool, form: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    from symroof.answers import answer_text, relation_json
    from symroof.budget import Budget
    from symroof.impromptu import solved

    answer = solved(line, symbol, names, unit)
    names.refuse_unused()
    _note(taken_by_default(names, but=symbol))
    if isinstance(line.said, Relation):
        _note(remarks([line.said.left, line.said.right], names))
    if not isinstance(answer, Budget) and answer.roots:
        _note(unlike_the_chip(symbol, answer.roots[0].value, names))
    if as_json:
        only = answer.roots[0].value if not isinstance(answer, Budget) and len(answer.roots) == 1 else None
        head = {"expression": answer.relation.text, "result": None if only is None else number(only, **rounding)}
        click.echo(to_json(head | relation_json(answer)))
    elif (show or form) and not isinstance(answer, Budget):
        for root in answer.roots:
            closed_form = answer.text(root.candidate.closed_form)
            if closed_form is None:
                raise RefusedValueError(f"{symbol} has no closed form to show", "leave --show and --to out")
            _show(symbol, parse(closed_form), names, root.value, form, rounding)
    else:
        click.echo(answer_text(answer))


def _lines(file: Path | None, names: Names, rounding: dict[str, Any]) -> None:
    """Runs a scratchpad over a file, standard input or a terminal; exit code 1 if an `expect` failed."""
    from symroof.scratchpad import Scratchpad, entries, outcome_text

    pad = Scratchpad(names)
    if file is None and sys.stdin.isatty():
        names.given = frozenset()  # what is typed may change them, and need not use them
        _terminal(pad, rounding)
        return
    lines = _file_lines(file) if file is not None else _standard_input()
    width = max((len(line) for line in lines if len(line) <= _WIDEST), default=0) if isinstance(lines, list) else 0
    failed = False
    for entry in entries(lines, pad):
        failed |= entry.failed
        shown = outcome_text(entry, **rounding, named=file is None)
        if file is not None:
            click.echo(f"{entry.text:<{width}}  {shown}".rstrip())
        elif shown:
            click.echo(shown)
        _note(entry.notes)
    names.refuse_unused()
    if failed:
        click.get_current_context().exit(1)


def _file_lines(file: Path) -> list[str]:
    try:
        with file.open("rb") as content:
            data = content.read(_LONGEST_FILE + 1)
    except OSError as error:
        raise LoadError(f"{file} cannot be read: {error.strerror}", "give the path of a text file") from None
    return _decoded(data, str(file)).splitlines()


def _decoded(data: bytes, place: str) -> str:
    if len(data) > _LONGEST_FILE:
        raise LoadError(f"{place} has more than {_LONGEST_FILE:,} bytes", "split it")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise LoadError(f"{place} is not UTF-8 text", "save it as UTF-8") from None


def _standard_input() -> Iterator[str]:
    """Lines as they come."""
    while data := sys.stdin.buffer.readline(_LONGEST_FILE + 1):
        yield _decoded(data, "a line of the input").rstrip("\r\n")


def _terminal(pad: Any, rounding: dict[str, Any]) -> None:
    """Asks for lines until there are no more; an error leaves the scratchpad as it was."""
    from contextlib import suppress

    from symroof.scratchpad import outcome_text

    with suppress(ImportError):  # Windows has none
        import readline  # noqa: F401  it gives input() its history
    while True:
        try:
            text = input("> ")
        except EOFError:
            click.echo()
            return
        try:
            entry = pad.read(text)
        except SymroofError as error:
            complain(error.problem, error.hint)
            continue
        shown = outcome_text(entry, **rounding, named=True)
        if shown:
            click.echo(shown)
        _note(entry.notes)
