"""The algebraic reading: each formula called on SymPy symbols, one step at a time.

A step's expression is over its own parameters. Steps are composed only as far as a question asks, since one
expression for a long derivation explodes. All symbols are positive (non-negative where the default is zero).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import sympy

from symroof.branches import explore
from symroof.declared import Binding, Equal, Limit, Trend
from symroof.derivation import DerivationGraph
from symroof.dimensions import is_label
from symroof.errors import AuthoringError, RefusedValueError, SymroofError
from symroof.expression import Expression
from symroof.forms import Writer, normalised, sign_of_terms
from symroof.numerals import Exact
from symroof.syntax import Literal
from symroof.units import base_magnitude, quantity, quantity_full_latex, quantity_full_text


class Algebra:
    """The formulas of one derivation as SymPy expressions."""

    def __init__(self, derivation: DerivationGraph) -> None:
        self.derivation = derivation
        self._expressions: dict[str, Any] = {}
        self._symbols: dict[str, sympy.Symbol] = {}
        self.literals: dict[sympy.Symbol, sympy.Expr] = {}

    def symbol(self, name: str) -> sympy.Symbol:
        """The symbol of a given or a step; of a step it is positive only where its formula shows that it is."""
        if name not in self._symbols:
            for needed in self.derivation.ancestors([name]):  # in working order: no step has to read another first
                self._symbols.setdefault(needed, sympy.Symbol(needed, **self._assumption(needed)))
        return self._symbols[name]

    def _assumption(self, name: str) -> dict[str, bool]:
        if name in self.derivation.givens:
            default = self.derivation.givens[name].default
            return {"nonnegative" if default is not None and not default.magnitude else "positive": True}
        if not is_label(self.derivation, name):
            for assumption in ("positive", "nonnegative"):
                if getattr(self.step(name), f"is_{assumption}"):
                    return {assumption: True}
        return {"real": True}

    def step(self, name: str) -> sympy.Expr:
        """The formula of one step over the symbols of its parameters; a conditional becomes a Piecewise."""
        if name not in self._expressions:
            self._expressions[name] = self._read(name)
        return self._expressions[name]

    def expression(self, expression: Expression, *, keep_units: bool = False) -> sympy.Expr:
        """Text over the derivation's names; a number with a unit becomes a number of base units.

        With `keep_units` it becomes a symbol instead, whose number is in `literals`: a closed form then says 10 ms
        and not 1/100.
        """
        values = {name: self.symbol(name) for name in expression.names}
        return sympy.sympify(expression.compute(values, self._kept if keep_units else _literal))

    def _kept(self, literal: Literal) -> sympy.Expr:
        number = _literal(literal)
        if not literal.unit.dimensionality or number == 0:
            return number
        measured = quantity(literal.number, literal.unit)
        name = f"({quantity_full_text(measured)})"
        symbol = sympy.Symbol(name, positive=True)
        self.literals[symbol] = number
        self.writer.latex_of[name] = quantity_full_latex(measured)
        return symbol

    def composed(self, expression: sympy.Expr, expand: Iterable[str] | None = None) -> sympy.Expr:
        """The expression with the steps in `expand` (all, if None) replaced by their formulas, down to the end."""
        wanted = set(self.derivation.steps) if expand is None else set(expand)
        while True:
            found = [symbol for symbol in expression.free_symbols if symbol.name in wanted]
            if not found:
                return expression
            expression = expression.xreplace({symbol: self.step(symbol.name) for symbol in found})

    def reaching(self, names: Iterable[str], symbol: str) -> list[str]:
        """Of the named quantities and what they depend on, the steps whose value depends on the symbol."""
        reached = {symbol}
        for name in self.derivation.ancestors(names):
            if reached.intersection(self.derivation.parameters(name)):
                reached.add(name)
        return [name for name in self.derivation.ancestors(names) if name in reached and name != symbol]

    @cached_property
    def writer(self) -> Writer:
        """Writes closed forms: steps and dimensioned givens first, counts last, each in the author's order."""
        derivation = self.derivation
        counts = [name for name, given in derivation.givens.items() if given.count]
        others = [name for name in derivation.givens if name not in counts]
        order = [*derivation.steps, *others, *counts]
        return Writer(order, {name: derivation.latex_of(name) for name in order})

    def maxima_of(self, binding: Binding) -> list[str]:
        """The steps that are the largest of a binding's terms."""
        return [
            step.name
            for step in self.derivation.steps.values()
            if set(step.parameters) == set(binding.labels)
            and not is_label(self.derivation, step.name)
            and isinstance(self.step(step.name), sympy.Max)
        ]

    def limit(self, fact: Limit) -> sympy.Expr:
        """Where a quantity tends as a symbol grows, in closed form."""
        return normalised(sympy.limit(self._rational(fact), self.symbol(fact.grows), sympy.oo))

    def derivative(self, fact: Trend) -> tuple[sympy.Expr, int | None]:
        """The derivative, and its sign if that is the same for all positive values: every term shows it."""
        slope = normalised(sympy.diff(self._rational(fact), self.symbol(fact.grows)))
        above, below = slope.as_numer_denom()
        signs = sign_of_terms(above), sign_of_terms(below)
        return slope, None if None in signs else signs[0] * signs[1]  # type: ignore[operator]

    def is_equal(self, fact: Equal) -> bool:
        """Whether the difference of two quantities, written out in givens, cancels to zero."""
        one, other = (self.composed(self.symbol(self.derivation.known(name))) for name in (fact.of, fact.to))
        return bool(sympy.cancel(sympy.together(one - other)) == 0)

    def _rational(self, fact: Limit | Trend) -> sympy.Expr:
        """The quantity over the symbol that grows and what does not depend on it."""
        for name in (fact.of, fact.grows):
            self.derivation.known(name)
        if fact.of in self.derivation.bindings:
            raise RefusedValueError(f"{fact.of} is a label, not a number", "state a fact about what it compares")
        found = self.composed(self.symbol(fact.of), self.reaching([fact.of], fact.grows))
        if found.has(sympy.Max, sympy.Min, sympy.Piecewise, sympy.ceiling, sympy.floor):
            raise RefusedValueError(
                f"{fact.of} has branches or steps, and no one closed form", "state a fact about one of its terms"
            )
        return found

    def _read(self, name: str) -> sympy.Expr:
        step = self.derivation.steps[name]
        try:
            branches = explore(step.function, {parameter: self.symbol(parameter) for parameter in step.parameters})
        except SymroofError as error:
            raise error.within(f"step {name}") from None
        if any(isinstance(branch.value, str) for branch in branches):
            raise RefusedValueError(f"{name} is a label, not a number", "use the quantities it compares")
        try:
            values = [sympy.sympify(branch.value) for branch in branches]
        except sympy.SympifyError:
            raise AuthoringError(f"step {name} returns something that is no number", "return a quantity") from None
        if len(branches) == 1:
            return values[0]
        cases = [
            (value, sympy.And(*(relation if holds else sympy.Not(relation) for relation, holds in branch.conditions)))
            for value, branch in zip(values, branches, strict=True)
        ]
        possible = [(value, condition) for value, condition in cases if condition != sympy.false]
        if len(possible) == 1:
            return possible[0][0]
        return sympy.Piecewise(*possible, evaluate=False)  # sorting conditions out takes SymPy minutes


class RealAlgebra(Algebra):
    """The formulas over symbols of either sign, for one point or box where a given may be 0 and a step negative: SymPy
    drops no branch of them."""

    def symbol(self, name: str) -> sympy.Symbol:
        return sympy.Symbol(name, real=True)


def rational(value: Exact) -> sympy.Expr:
    """An exact number as SymPy has it."""
    return sympy.Rational(value.numerator, value.denominator) if hasattr(value, "numerator") else value


def _literal(literal: Literal) -> sympy.Expr:
    return rational(base_magnitude(quantity(literal.number, literal.unit)))
