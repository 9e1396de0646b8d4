"""Symbolic derivations for performance modelling: write a formula once, get algebra, unit proof, number and report.

    from symroof import Derivation, largest

See the README for a derivation in ten lines. Names are imported when they are first used, so that a command pays
only for what it needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symroof.api import Derivation, load, sweep
    from symroof.declared import Decision
    from symroof.elementary import ceil, floor, largest, next_divisor, smallest, sqrt, total
    from symroof.envelope import calc
    from symroof.errors import SymroofError

__version__ = "0.1.0"

__all__ = [
    "Decision",
    "Derivation",
    "SymroofError",
    "calc",
    "ceil",
    "floor",
    "largest",
    "load",
    "next_divisor",
    "smallest",
    "sqrt",
    "sweep",
    "total",
]

_HOME = {"SymroofError": "errors", "Decision": "declared", "calc": "envelope"} | dict.fromkeys(
    ("Derivation", "load", "sweep"), "api"
)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'symroof' has no attribute {name!r}")
    return getattr(import_module(f"symroof.{_HOME.get(name, 'elementary')}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
