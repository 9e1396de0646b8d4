"""What can be asked of one symbol: the roots of an equation or of a crossover, the range of an inequality."""

from __future__ import annotations

from symroof.budget import Budget, budget
from symroof.crossover import Answer, solve, solve_crossover
from symroof.errors import RefusedValueError, UnknownNameError
from symroof.expression import Relation
from symroof.settings import Settings


def solve_text(settings: Settings, text: str, symbol: str | None = None) -> Answer | Budget:
    """Solves "t = 10 ms", "t <= 10 ms" or a crossover by its name; a crossover knows its symbol.

    Raises UnknownNameError for a crossover that is none, RefusedValueError where the symbol is missing, and the
    errors of reading and of solving.
    """
    derivation = settings.derivation
    if text in derivation.crossovers:
        return solve_crossover(settings, derivation.crossovers[text], symbol)
    if not any(sign in text for sign in "=<>"):
        raise UnknownNameError("crossover", text, derivation.crossovers, where=derivation.name)
    if symbol is None:
        raise RefusedValueError(f"{text!r} does not say what to solve for", "add --for SYMBOL, in Python for_=SYMBOL")
    return solve_relation(settings, derivation.relation(text), symbol)


def solve_relation(settings: Settings, relation: Relation, symbol: str) -> Answer | Budget:
    """The roots of an equation, or the ranges in which an inequality holds."""
    return (solve if relation.operator == "=" else budget)(settings, relation, symbol)
