"""The commands `list`, `show` and `chips`: what there is to look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from symroof import hardware, library
from symroof.options import OneOf, case_options, json_option, name_argument, worked_case
from symroof.output import number, to_json

if TYPE_CHECKING:
    from symroof.derivation import DerivationGraph


@click.command("list")
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


@click.command()
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
    from symroof.report import build

    settings = worked_case(name, chip, dtype, assignments)
    if by_hand:
        from symroof.by_hand import by_hand_solution, lines
        from symroof.evaluate import Solution

        click.echo("\n".join(lines(by_hand_solution(Solution(settings)))))
    else:
        from symroof.terminal import worked_solution

        click.echo(worked_solution(build(settings), brief=brief))


@click.command()
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
        rows = [
            [key, one.text, found[0].accumulate(key), one.source, one.date, one.note]
            for key, one in found[0].figures().items()
        ]
        click.echo(table(rows, ["figure", "value", "sums in", "source", "date", "note"]))
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
        key: {
            **number(one.quantity),
            **({"accumulate": chip.accumulate(key)} if chip.accumulate(key) else {}),
            "source": one.source,
            "date": one.date,
            "note": one.note,
        }
        for key, one in chip.figures().items()
    }
    return {"id": chip.id, "name": chip.name, **figures}
