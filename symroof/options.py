"""The arguments and options that commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from symroof import hardware, library
from symroof.errors import RefusedValueError

Command = TypeVar("Command", bound=Callable[..., Any])


class NameType(click.ParamType):  # type: ignore[type-arg]
    """A shipped derivation's name, or the path of a file with one."""

    name = "name|file"

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        names = [CompletionItem(name) for name in library.shipped() if name.startswith(incomplete)]
        return names or [CompletionItem(incomplete, type="file")]


class OneOf(click.ParamType):  # type: ignore[type-arg]
    """Text that completes to one of some words; what it means is checked where it is used."""

    def __init__(self, name: str, known: Callable[[], Sequence[str]]) -> None:
        self.name = name
        self.known = known

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(word) for word in self.known() if word.startswith(incomplete)]


set_option = click.option(
    "--set", "assignments", multiple=True, metavar="SYMBOL=VALUE",
    help='Set a given: m=8192, n=2^20, "beta=1.3 TB/s", k=m. May be repeated.',
)  # fmt: skip


def case_options(command: Command) -> Command:
    """--on, --dtype and --set."""
    for option in (
        set_option,
        click.option("--dtype", default=hardware.DEFAULT_DTYPE, show_default=True,
                     type=OneOf("dtype", lambda: list(hardware.DTYPES)), help="Data type: sets s and the peak rate."),
        click.option("--on", "chip", default=hardware.DEFAULT_CHIP, show_default=True, metavar="CHIP",
                     type=OneOf("chip", hardware.chip_ids), help="Chip from `symroof chips`, or FILE.toml."),
    ):  # fmt: skip
        command = option(command)
    return command


def figure_options(command: Command) -> Command:
    command = click.option("--decimals", type=click.IntRange(0, 100), help="Digits after the point.")(command)
    return click.option("--digits", type=click.IntRange(1, 100), help="Significant digits (default 4).")(command)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
name_argument = click.argument("name", type=NameType(), metavar="NAME|FILE")


def assigned_values(assignments: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in assignments:
        symbol, equals, value = text.partition("=")
        if not equals or not symbol.strip() or not value.strip():
            raise RefusedValueError(f"--set {text!r} is no SYMBOL=VALUE", "for example --set m=8192")
        if symbol.strip() in found:
            raise RefusedValueError(f"{symbol.strip()} is set twice", "give one --set for each symbol")
        found[symbol.strip()] = value.strip()
    return found


def rounding_of(digits: int | None, decimals: int | None) -> dict[str, Any]:
    """How figures are rounded."""
    if digits is not None and decimals is not None:
        raise RefusedValueError("--digits and --decimals exclude each other", "give one of them")
    return {"digits": digits or 4, "decimals": decimals}
