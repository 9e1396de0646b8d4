"""An equation of a derivation for one unknown, composed from the formulas that the unknown reaches.

A formula with a max, a min or a conditional splits the equation into branches, each with the conditions under
which it is the right one. Only what depends on the unknown is composed, one step at a time and branch by branch;
nested maxima never become one expression.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import sympy

from symroof.algebra import Algebra, rational
from symroof.derivation import DerivationGraph
from symroof.dimensions import prove_relation
from symroof.errors import RefusedValueError
from symroof.evaluate import Solution
from symroof.expression import Expression, Relation
from symroof.numerals import Exact, exact
from symroof.settings import Settings
from symroof.signs import Values, sign_at

MAX_BRANCHES = 256
_SHORT = 60  # operations up to which what the unknown does not reach is written out in givens

COMPARE: Mapping[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True)
class Condition:
    """`left operator right` over the derivation's symbols."""

    left: sympy.Expr
    operator: str
    right: sympy.Expr

    @property
    def difference(self) -> sympy.Expr:
        return self.left - self.right

    def holds(self, values: Values) -> bool:
        """Whether it holds at exact values; where it is not defined, it does not."""
        found = sign_at(self.difference, values)
        return found is not None and COMPARE[self.operator](found, 0)

    def replaced(self, mapping: Mapping[sympy.Expr, sympy.Expr]) -> Condition:
        return Condition(self.left.xreplace(mapping), self.operator, self.right.xreplace(mapping))


@dataclass(frozen=True)
class Branch:
    """The equation on one branch: `difference` is left - right there, as long as the conditions hold."""

    difference: sympy.Expr
    conditions: tuple[Condition, ...]

    def holds(self, values: Values) -> bool:
        return all(condition.holds(values) for condition in self.conditions)

    @property
    def expressions(self) -> Iterator[sympy.Expr]:
        yield self.difference
        for condition in self.conditions:
            yield condition.left
            yield condition.right

    def replaced(self, mapping: Mapping[sympy.Expr, sympy.Expr], more: Iterable[Condition] = ()) -> Branch:
        conditions = (condition.replaced(mapping) for condition in (*self.conditions, *more))
        return Branch(self.difference.xreplace(mapping), tuple(dict.fromkeys(conditions)))


class Equation:
    """left - right for one unknown in one case. Raises the errors of names, units and unknowns that do not fit."""

    def __init__(self, settings: Settings, relation: Relation, symbol: str) -> None:
        derivation = settings.derivation
        for name in (*relation.left.names, *relation.right.names):
            derivation.known(name, "name")
        if symbol not in derivation.givens:
            derivation.known(symbol, "symbol")
            raise RefusedValueError(
                f"{symbol} is worked out from other quantities and cannot be solved for",
                f"solve for a given: {', '.join(derivation.givens)}",
            )
        if settings.tied_to(symbol):
            raise RefusedValueError(
                f"{symbol} is set to {settings.value(symbol).text}", "solve for a symbol that is free"
            )
        prove_relation(derivation, relation)
        self.settings, self.relation, self.name = settings, relation, symbol
        self.derivation: DerivationGraph = derivation
        self.algebra = Algebra(derivation)
        self.unknown = self.algebra.symbol(symbol)
        self.solution = Solution(settings)

    @cached_property
    def reached(self) -> list[str]:
        """What depends on the unknown, in working order: steps, and givens set to an expression of it."""
        reached = [self.name]
        for name in self._working_order():
            if name != self.name and set(reached).intersection(self._uses(name)):
                reached.append(name)
        return reached[1:]

    def _uses(self, name: str) -> list[str]:
        return [*self.derivation.parameters(name), *self.settings.depends_on(name)]

    def _working_order(self) -> list[str]:
        ordered: list[str] = []

        def visit(given: str) -> None:
            for used in self.settings.depends_on(given):
                visit(used)
            if given not in ordered:
                ordered.append(given)

        for name in self.derivation.givens:
            visit(name)
        return [*ordered, *(name for name in self.derivation.order() if name not in self.derivation.givens)]

    @cached_property
    def branches(self) -> list[Branch]:
        """The equation with every reached quantity replaced by its formula, one branch at a time."""
        left, right = (
            self.algebra.expression(side, keep_units=True) for side in (self.relation.left, self.relation.right)
        )
        return self.composed(left - right)

    def composed(self, expression: sympy.Expr) -> list[Branch]:
        """The branches of an expression, down to the unknown and what it does not reach."""
        waiting = split(expression)
        done: list[Branch] = []
        while waiting:
            branch = waiting.pop(0)
            present = {symbol.name for part in branch.expressions for symbol in part.free_symbols}
            name = next((name for name in reversed(self.reached) if name in present), None)
            if name is None:
                done.append(self._in_givens(branch))
                continue
            symbol = self.algebra.symbol(name)
            for formula in split(self._formula(name)):
                waiting.append(branch.replaced({symbol: formula.difference}, formula.conditions))
            if len(waiting) + len(done) > MAX_BRANCHES:
                raise RefusedValueError(
                    f"the equation has more than {MAX_BRANCHES} branches", "ask about one of its terms at a time"
                )
        return done

    def _formula(self, name: str) -> sympy.Expr:
        if name in self.derivation.steps:
            return self.algebra.step(name)
        content = self.settings.value(name).content
        assert isinstance(content, Expression)
        return self.algebra.expression(content, keep_units=True)

    def _in_givens(self, branch: Branch) -> Branch:
        """The branch with the steps that the unknown does not reach written out, if that is short and unbranched."""
        whole = branch
        while True:
            names = {
                symbol.name
                for part in whole.expressions
                for symbol in part.free_symbols
                if symbol.name in self.derivation.steps
            }
            if not names:
                return whole
            formulas = {self.algebra.symbol(name): self.algebra.step(name) for name in names}
            if any(_first_branching(formula) is not None for formula in formulas.values()):
                return branch
            whole = whole.replaced(formulas)
            if sum(sympy.count_ops(part) for part in whole.expressions) > _SHORT * (1 + len(whole.conditions)):
                return branch

    @cached_property
    def values(self) -> dict[sympy.Symbol, Exact]:
        """All symbols in the branches, but for the unknown, as exact numbers of base units."""
        symbols = {
            symbol
            for branch in self.branches
            for part in branch.expressions
            for symbol in part.free_symbols
            if symbol != self.unknown
        }
        return {symbol: self.number(symbol) for symbol in symbols}

    def number(self, symbol: sympy.Symbol) -> Exact:
        """The exact number of base units that a symbol stands for."""
        literal = self.algebra.literals.get(symbol)
        return self.solution.number(symbol.name) if literal is None else exact(literal)

    def at_values(self, expression: sympy.Expr) -> sympy.Expr:
        """The expression with everything but the unknown put in."""
        others = expression.free_symbols - {self.unknown}
        return expression.xreplace({symbol: rational(self.number(symbol)) for symbol in others})


def split(expression: sympy.Expr) -> list[Branch]:
    """The branches of an expression: one for each way its max, min and conditionals can turn out."""
    waiting, done = [Branch(_without_remainders(expression), ())], []
    while waiting:
        branch = waiting.pop(0)
        node = next((found for part in branch.expressions if (found := _first_branching(part)) is not None), None)
        if node is None:
            done.append(branch)
        else:
            waiting += [branch.replaced({node: value}, conditions) for value, conditions in _outcomes(node)]
    return done


def _without_remainders(expression: sympy.Expr) -> sympy.Expr:
    return expression.replace(sympy.Mod, lambda above, below: above - below * sympy.floor(above / below))


def _first_branching(expression: sympy.Expr) -> sympy.Expr | None:
    """An innermost max, min, size or conditional."""
    kinds = (sympy.Max, sympy.Min, sympy.Abs, sympy.Piecewise)
    return next((node for node in sympy.postorder_traversal(expression) if isinstance(node, kinds)), None)


def _outcomes(node: sympy.Expr) -> Iterator[tuple[sympy.Expr, tuple[Condition, ...]]]:
    match node:
        case sympy.Piecewise():
            yield from _cases(node)
        case sympy.Abs():
            (inside,) = node.args
            yield inside, (Condition(inside, ">=", sympy.Integer(0)),)
            yield -inside, (Condition(inside, "<", sympy.Integer(0)),)
        case _:
            beats = ">=" if isinstance(node, sympy.Max) else "<="
            for value in sorted(node.args, key=sympy.default_sort_key):
                yield value, tuple(Condition(value, beats, other) for other in node.args if other != value)


def _cases(node: sympy.Piecewise) -> Iterator[tuple[sympy.Expr, tuple[Condition, ...]]]:
    """Each value with its condition, in which those before it do not hold."""
    before = sympy.true
    for value, condition in node.args:
        for way in sympy.Or.make_args(sympy.to_dnf(sympy.And(before, condition))):
            if way != sympy.false:
                relations = [one for one in sympy.And.make_args(way) if one != sympy.true]
                yield value, tuple(Condition(one.lhs, one.rel_op, one.rhs) for one in relations)
        before = sympy.And(before, sympy.Not(condition))
