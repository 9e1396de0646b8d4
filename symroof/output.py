"""What leaves the program: numbers as JSON, and files that are written whole or not at all."""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from symroof.errors import OutputError
from symroof.numerals import SIGNIFICANT, as_float, exact, expression_text
from symroof.units import Quantity, quantity_full_text, quantity_text, unit_text

_SHORT = 60  # characters of an exact value that still read well behind a rounded one
_NO_UNIT = "1"  # the unit of a plain number in JSON


def number(value: Quantity, digits: int = SIGNIFICANT, decimals: int | None = None) -> dict[str, Any]:
    """A quantity as the command line's JSON has it; an irrational one carries its expression instead."""
    magnitude = exact(value.magnitude)
    rational = isinstance(magnitude, Fraction)
    found: dict[str, Any] = {
        "exact": str(magnitude) if rational else None,
        "value": as_float(magnitude),
        "unit": unit_text(value.units) or _NO_UNIT,
        "text": quantity_text(value, digits, decimals),
    }
    return found if rational else {**found, "expression": expression_text(magnitude)}


def number_or_label(value: Quantity | str, digits: int = SIGNIFICANT, decimals: int | None = None) -> dict[str, Any]:
    return {"label": value} if isinstance(value, str) else number(value, digits, decimals)


def value_text(name: str, value: Quantity | str, digits: int, decimals: int | None) -> str:
    """`t = 28.19 ms   exactly 2147483648/76171875 ms`, the exact value only where it is another and short."""
    return f"{name} = {value if isinstance(value, str) else exact_text(value, digits, decimals, longest=_SHORT)}"


def exact_text(value: Quantity, digits: int, decimals: int | None, *, longest: float = math.inf) -> str:
    """`28.19 ms   exactly 2147483648/76171875 ms`, the exact value only where it is another and no longer than that."""
    text, full = quantity_text(value, digits, decimals), quantity_full_text(value)
    return text + (click.style(f"   exactly {full}", dim=True) if full != text and len(full) <= longest else "")


def to_json(data: Any) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False)


def folder(path: Path) -> Path:
    """The folder, made if it is missing. Raises OutputError where that cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise OutputError(f"{path} is a file, not a folder", "give another folder with --out") from None
    except OSError as error:
        raise OutputError(f"the folder {path} cannot be made: {error.strerror}", "give another with --out") from None
    if not os.access(path, os.W_OK):
        raise OutputError(f"the folder {path} cannot be written to", "give another with --out")
    return path


def write_whole(path: Path, content: str | bytes) -> None:
    """Replaces a file by new content in one go. Raises OutputError and leaves nothing behind where that fails."""
    data = content.encode() if isinstance(content, str) else content
    if path.is_dir():
        raise OutputError(f"{path} is a folder", "give the name of a file")
    path = path.resolve()  # a link stays one: the file behind it is replaced
    temporary = None
    try:
        if path.exists() and not path.is_file():  # a device or a pipe
            path.write_bytes(data)
            return
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = Path(file.name)
            file.write(data)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}", "give another place with --out") from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


@contextmanager
def progress(steps: int, *, hidden: bool = False) -> Iterator[Callable[[str], None]]:
    """A progress bar on the error stream where that is a terminal; what it gives is called before each step."""
    if hidden or not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=steps, file=sys.stderr, item_show_func=lambda what: what) as bar:
        done = 0

        def step(what: str) -> None:
            nonlocal done
            bar.update(1 if done else 0, what)
            done += 1

        yield step


def comma_list(texts: Iterable[str]) -> list[str]:
    """The parts of `a,b` and `c`, each without blanks around it."""
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]
