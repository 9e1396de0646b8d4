"""What several commands have in common: their options, and how values are read from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from symroof import hardware
from symroof.errors import RefusedValueError, clipped
from symroof.numerals import SIGNIFICANT

if TYPE_CHECKING:
    from symroof.settings import Settings

Command = TypeVar("Command", bound=Callable[..., Any])


class OneOf(click.ParamType):  # type: ignore[type-arg]
    """Text that completes to one of some words; what it means is checked where it is used."""

    def __init__(self, name: str, known: Callable[[], Sequence[str]]) -> None:
        self.name = name
        self.known = known

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(word) for word in self.known() if word.startswith(incomplete)]


class NameType(click.ParamType):  # type: ignore[type-arg]
    """A shipped derivation's name, or the path of a file with one."""

    name = "name|file"

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        from symroof import library

        names = [CompletionItem(name) for name in library.shipped() if name.startswith(incomplete)]
        return names or [CompletionItem(incomplete, type="file")]


name_argument = click.argument("name", type=NameType(), metavar="NAME|FILE")
names_argument = click.argument("names", nargs=-1, type=NameType(), metavar="[NAME|FILE]...")


set_option = click.option(
    "--set", "assignments", multiple=True, metavar="SYMBOL=VALUE",
    help='Set a given: m=8192, n=2^20, "beta=1.3 TB/s", k=m. May be repeated.',
)  # fmt: skip


def case_options(command: Command) -> Command:
    """--on, --dtype and --set."""
    for option in (
        set_option,
        dtype_option(hardware.DEFAULT_DTYPE),
        chip_option(hardware.DEFAULT_CHIP),
    ):  # fmt: skip
        command = option(command)
    return command


def dtype_option(default: str | None) -> Callable[[Command], Command]:
    """--dtype; without a default, a command knows whether somebody named a data type."""
    return click.option(
        "--dtype", default=default, show_default=hardware.DEFAULT_DTYPE,
        type=OneOf("dtype", lambda: list(hardware.DTYPES)), help="Data type: sets s and the peak rate.",
    )  # fmt: skip


def chip_option(default: str | None) -> Callable[[Command], Command]:
    """--on; without a default, a command knows whether somebody named a chip."""
    return click.option(
        "--on", "chip", default=default, show_default=hardware.DEFAULT_CHIP, metavar="CHIP",
        type=OneOf("chip", hardware.chip_ids), help="Chip from `symroof chips`, or FILE.toml.",
    )  # fmt: skip


def figure_options(command: Command) -> Command:
    command = click.option("--decimals", type=click.IntRange(0, 100), help="Digits after the point.")(command)
    meaning = f"Significant digits (default {SIGNIFICANT})."
    return click.option("--digits", type=click.IntRange(1, 100), help=meaning)(command)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def read_assignments(texts: Sequence[str], option: str = "--set ") -> dict[str, str]:
    """Values by symbol, from texts that stand behind an option or by themselves."""
    found: dict[str, str] = {}
    for text in texts:
        symbol, equals, value = text.partition("=")
        if not equals or not symbol.strip() or not value.strip():
            raise RefusedValueError(f"{option}{clipped(repr(text))} is no SYMBOL=VALUE", f"for example {option}m=8192")
        if symbol.strip() in found:
            raise RefusedValueError(f"{symbol.strip()} is set twice", "give each symbol one value")
        found[symbol.strip()] = value.strip()
    return found


def worked_case(name: str, chip: str, dtype: str, assignments: Sequence[str]) -> Settings:
    """The worked example of a derivation, by its name or file, with what the options set on top."""
    from symroof import library
    from symroof.settings import worked_settings

    return worked_settings(library.find(name), read_assignments(assignments), on=chip, dtype=dtype)


def exclusive(digits: int | None, decimals: int | None) -> dict[str, Any]:
    """How figures are rounded."""
    if digits is not None and decimals is not None:
        raise RefusedValueError("--digits and --decimals exclude each other", "give one of them")
    return {"digits": digits or SIGNIFICANT, "decimals": decimals}
