"""How long each solve of a shipped derivation takes, after the imports: `python -m tests.time_solve`.

Every crossover is solved for each given that it depends on, with a fresh derivation and empty caches, as a command
would do it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from sympy.core.cache import clear_cache

from symroof import library
from symroof.crossover import solve_crossover
from symroof.derivation import DerivationGraph
from symroof.errors import SymroofError
from symroof.settings import Settings

LIMIT = 1.0  # seconds


def solves(derivation: DerivationGraph) -> Iterator[tuple[str, str]]:
    """Each crossover with each given that one of its sides depends on."""
    for name, crossover in derivation.crossovers.items():
        sides = [*crossover.relation.left.names, *crossover.relation.right.names]
        for given in derivation.ancestors(sides):
            if given in derivation.givens:
                yield name, given


def timed(derivation: DerivationGraph, crossover: str, symbol: str) -> tuple[float, str]:
    """The processor's seconds for one solve at the worked example, and its verdict or why there is none."""
    clear_cache()
    settings = Settings(derivation, {name: value for name, value in derivation.example.at.items() if name != symbol})
    started = time.process_time()
    try:
        verdict = solve_crossover(settings, derivation.crossovers[crossover], symbol).verdict
    except SymroofError as error:
        verdict = error.problem
    return time.process_time() - started, verdict


def main() -> int:
    """Prints every time. Returns how many are above the limit."""
    slow = 0
    warm = library.find("gemm")
    timed(warm, "m_star", "m")  # SymPy imports parts of itself when they are first used
    for name in library.shipped():
        derivation = library.find(name)
        for crossover, symbol in solves(derivation):
            seconds, verdict = timed(derivation, crossover, symbol)
            slow += seconds > LIMIT
            print(f"{seconds:7.3f} s  {name} {crossover} for {symbol}: {verdict}")
    print(f"{slow} above {LIMIT} s")
    return slow


if __name__ == "__main__":
    sys.exit(bool(main()))
