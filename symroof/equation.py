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
from symroof.settings import Settings

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

    def holds(self, values: Mapping[sympy.Symbol, sympy.Expr]) -> bool:
        return COMPARE[self.operator](sign(self.difference.xreplace(values)), 0)

    def replaced(self, mapping: Mapping[sympy.Expr, sympy.Expr]) -> Condition:
        return Condition(self.left.xreplace(mapping), self.operator, self.right.xreplace(mapping))


@dataclass(frozen=True)
class Branch:
    """The equation on one branch: `difference` is zero there, as long as the conditions hold."""

    difference: sympy.Expr
    conditions: tuple[Condition, ...]

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
        if settings.depends_on(symbol):
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

    def values(self, *expressions: sympy.Expr) -> dict[sympy.Symbol, sympy.Expr]:
        """The symbols in the expressions, but for the unknown, as exact numbers of base units."""
        return {
            symbol: self.algebra.literals.get(symbol) or rational(self.solution.number(symbol.name))
            for expression in expressions
            for symbol in expression.free_symbols
            if symbol != self.unknown
        }

    def at_values(self, expression: sympy.Expr) -> sympy.Expr:
        """The expression with everything but the unknown put in."""
        return expression.xreplace(self.values(expression))


def split(expression: sympy.Expr) -> list[Branch]:
    """The branches of an expression: one for each way its max, min and conditionals can turn out."""
    waiting, done = [Branch(expression, ())], []
    while waiting:
        branch = waiting.pop(0)
        node = next((found for part in branch.expressions if (found := _first_branching(part)) is not None), None)
        if node is None:
            done.append(branch)
        else:
            waiting += [branch.replaced({node: value}, conditions) for value, conditions in _outcomes(node)]
    return done


def _first_branching(expression: sympy.Expr) -> sympy.Expr | None:
    """An innermost max, min or conditional."""
    for node in sympy.postorder_traversal(expression):
        if isinstance(node, (sympy.Max, sympy.Min, sympy.Piecewise)):
            return node
    return None


def _outcomes(node: sympy.Expr) -> Iterator[tuple[sympy.Expr, tuple[Condition, ...]]]:
    if isinstance(node, sympy.Piecewise):
        for value, condition in node.args:
            relations = sympy.And.make_args(condition)
            yield value, tuple(Condition(one.lhs, one.rel_op, one.rhs) for one in relations if one != sympy.true)
        return
    beats = ">=" if isinstance(node, sympy.Max) else "<="
    for value in sorted(node.args, key=sympy.default_sort_key):
        yield value, tuple(Condition(value, beats, other) for other in node.args if other != value)


def sign(number: sympy.Expr) -> int:
    """The sign of an exact number, with certainty."""
    number = sympy.sympify(number)
    if number.is_positive:
        return 1
    if number.is_negative:
        return -1
    if number.is_zero or number.equals(0):
        return 0
    return int(sympy.sign(sympy.N(number, 60)))
