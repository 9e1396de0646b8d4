"""`symroof plot`: one figure of a derivation in a file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symroof import hardware, library
from symroof.errors import OutputError, SymroofError
from symroof.options import OneOf, name_argument, read_assignments, set_option
from symroof.output import write_whole

if TYPE_CHECKING:
    from symroof.measured import Measurement


class _Kind(click.ParamType):  # type: ignore[type-arg]
    """A kind of figure; completes to those that the derivation named before it has."""

    name = "kind"

    def shell_complete(self, ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        from symroof.figures import KINDS, kinds
        from symroof.settings import worked_settings

        try:
            derivation = library.find(ctx.params["name"])
            known: Sequence[str] = kinds(
                worked_settings(derivation, {}, on=hardware.DEFAULT_CHIP, dtype=hardware.DEFAULT_DTYPE)
            )
        except (KeyError, SymroofError):
            known = KINDS
        return [CompletionItem(kind) for kind in known if kind.startswith(incomplete)]


@click.command()
@name_argument
@click.argument("kind", type=_Kind(), metavar="KIND")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FILE", help="FILE.svg, .pdf or .png")
@click.option(
    "--measured",
    type=click.Path(path_type=Path),
    metavar="FILE.csv",
    help="Measured times for the roofline: columns named as givens, and seconds.",
)
@click.option(
    "--on",
    "chips",
    multiple=True,
    default=[hardware.DEFAULT_CHIP],
    show_default=True,
    metavar="CHIP",
    type=OneOf("chip", hardware.chip_ids),
    help="Chip from `symroof chips`, or FILE.toml. Again for further roofs.",
)
@click.option(
    "--dtype",
    "dtypes",
    multiple=True,
    default=[hardware.DEFAULT_DTYPE],
    show_default=True,
    type=OneOf("dtype", lambda: list(hardware.DTYPES)),
    help="Data type: sets s and the peak rate. Again for further roofs.",
)
@set_option
def plot(
    name: str, kind: str, out: Path, measured: Path | None, chips: Sequence[str], dtypes: Sequence[str],
    assignments: Sequence[str],
) -> None:  # fmt: skip
    """Draw a figure: roofline, times, memory, intensity, scaling or graph, as far as the derivation has it.

    The first chip and data type are the case; a roofline shows the roofs of the others as well. A measured time
    below the bound is marked in the figure and said on stderr; the exit code stays 0.

    \b
    Examples: symroof plot gemm roofline --out gemm.svg
              symroof plot gemm roofline --on a100-40gb --on h100-sxm --out roofs.pdf
    """
    from symroof.drawing import FORMS
    from symroof.figures import illustration
    from symroof.measured import read
    from symroof.settings import worked_settings

    form = out.suffix.removeprefix(".").lower()
    if form not in FORMS:
        raise OutputError(f"a figure cannot be written as {out.name!r}", "end the file's name in .svg, .pdf or .png")
    assigned = read_assignments(assignments)
    derivation = library.find(name)
    case, *beside = (
        worked_settings(derivation, assigned, on=chip, dtype=dtype) for chip, dtype in product(chips, dtypes)
    )
    rows = [] if measured is None else read(case, measured)
    write_whole(out, illustration(case, kind, rows, beside).drawn(form))
    if rows:
        click.echo(_table(rows))
    for row in rows:
        if row.above:
            click.echo(f"{measured}, line {row.line}: faster than the roofline allows", err=True)
    click.echo(out)


def _table(rows: Sequence[Measurement]) -> str:
    """The measurements with their places on the roofline and the share of the bound that they reach."""
    from symroof.measured import SECONDS
    from symroof.terminal import table
    from symroof.units import quantity, quantity_text

    heads = [*rows[0].values, SECONDS, "AI", "rate", "of the bound"]
    cells = [
        [
            *map(quantity_text, row.values.values()),
            quantity_text(row.time.to("s")).removesuffix(" s"),
            *map(quantity_text, (row.intensity, row.rate, quantity(row.share * 100, "%"))),
        ]
        for row in rows
    ]
    return table(cells, heads, numbers=True)
