"""An equation of a derivation for one unknown, composed from the formulas that the unknown reaches.

A formula with a max, a min or a conditional splits the equation into branches, each with the conditions under
which it is the right one. Only what depends on the unknown is composed, one step at a time and branch by branch;
nested maxima never become one expression.
"""

from __future__ import annotations

import operator
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby

import sympy

from symroof.algebra import Algebra, rational
from symroof.arithmetic import MAX_EXPONENT
from symroof.derivation import DerivationGraph
from symroof.dimensions import prove_relation
from symroof.errors import RefusedValueError
from symroof.evaluate import Solution
from symroof.expression import Expression, Relation
from symroof.numerals import Exact, exact
from symroof.settings import Settings
from symroof.signs import Values, compare, sign_at
from symroof.zeros import ascending, middle, refuse_unworkable, stops_of

MAX_BRANCHES = 256
_MANY = 32  # branches up to which all are kept
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

    @property
    def differences(self) -> Iterator[sympy.Expr]:
        """What must be zero for the branch to be so, or to begin or end."""
        yield self.difference
        for condition in self.conditions:
            yield condition.difference

    def replaced(self, mapping: Mapping[sympy.Expr, sympy.Expr], more: Iterable[Condition] = ()) -> Branch:
        conditions = (condition.replaced(mapping) for condition in (*self.conditions, *more))
        return Branch(self.difference.xreplace(mapping), tuple(dict.fromkeys(conditions)))


@dataclass(frozen=True)
class Stretch:
    """Values of the unknown, in base units, between which an expression has one sign (None: it is not defined).

    `high` is None where there is no end.
    """

    low: Exact
    high: Exact | None
    low_included: bool
    high_included: bool
    sign: int | None

    @property
    def is_point(self) -> bool:
        return self.low == self.high

    def contains(self, value: Exact) -> bool:
        above = compare(self.low, value)
        below = -1 if self.high is None else compare(value, self.high)
        return (above < 0 or (above == 0 and self.low_included)) and (below < 0 or (below == 0 and self.high_included))


def joined(pieces: Sequence[Stretch]) -> Stretch:
    """Neighbouring stretches as one."""
    first, last = pieces[0], pieces[-1]
    return Stretch(first.low, last.high, first.low_included, last.high_included, first.sign)


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
        self.values = _Numbers(self)
        self._regions: dict[Condition, list[Stretch]] = {}
        self._found: dict[sympy.Expr, list[Exact]] = {}

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
        """The branches of an expression, down to the unknown and what it does not reach.

        They are all of them while they are few. Of many, those that hold nowhere on the line at the values given are
        left out: ten maxima in a sum have a thousand branches, and not more than eleven that hold if each turns once.
        """
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
                replaced = branch.replaced({symbol: formula.difference}, formula.conditions)
                waiting.append(replaced.replaced({}, _no_longer_shown(formula.difference, replaced)))
            if len(waiting) + len(done) > _MANY:
                waiting, done = ([one for one in some if self._holds_somewhere(one)] for some in (waiting, done))
            if len(waiting) + len(done) > MAX_BRANCHES:
                raise RefusedValueError(
                    f"the equation has more than {MAX_BRANCHES} branches", "ask about one of its terms at a time"
                )
        for part in (part for branch in done for part in branch.expressions):
            self._refuse_named_exponents(part)
            refuse_unworkable(part, self.unknown)
        return done

    def _refuse_named_exponents(self, expression: sympy.Expr) -> None:
        """Raises RefusedValueError where an exponent holds names whose values make a power that is not worked with."""
        for power in sorted(expression.atoms(sympy.Pow), key=sympy.count_ops):  # an exponent's own powers come first
            if power.exp.free_symbols and not power.exp.has(self.unknown):
                number = self.at_values(power.exp)
                written = self.algebra.writer.text(power.exp)
                if number.is_real and abs(number) > MAX_EXPONENT:
                    raise RefusedValueError(f"the exponent {written} is above {MAX_EXPONENT}", "set a smaller one")
                if number.is_Rational and number.q > 2:
                    raise RefusedValueError(
                        f"the exponent {written} is {number}, neither a whole number nor a half", "set another one"
                    )

    def _holds_somewhere(self, branch: Branch) -> bool:
        """Whether there is a positive value of the unknown at which all of the branch's conditions hold."""
        regions = [self._region(condition) for condition in branch.conditions]
        ends = ascending(end for region in regions for one in region for end in (one.low, one.high) if end)
        points: list[Exact] = [middle(low, high) for low, high in zip([Fraction(0), *ends], [*ends, None], strict=True)]
        return any(all(any(one.contains(point) for one in region) for region in regions) for point in [*points, *ends])

    def _region(self, condition: Condition) -> list[Stretch]:
        """Where on the line a condition holds."""
        if condition not in self._regions:
            stretches = self.stretches(self.composed(condition.difference))
            compared = COMPARE[condition.operator]
            self._regions[condition] = [one for one in stretches if one.sign is not None and compared(one.sign, 0)]
        return self._regions[condition]

    def stretches(self, branches: Sequence[Branch]) -> list[Stretch]:
        """The whole line, cut only where the sign of what the branches make changes: a lone zero or pole is a point."""
        pieces = []
        places = self.places(part for branch in branches for part in branch.differences)
        for low, high in zip([Fraction(0), *places], [*places, None], strict=True):
            pieces.append(Stretch(low, high, False, False, self.sign_at(branches, middle(low, high))))
            if high is not None:
                pieces.append(Stretch(high, high, True, True, self.sign_at(branches, high)))
        return [joined(list(group)) for _, group in groupby(pieces, key=lambda piece: piece.sign)]

    def places(self, expressions: Iterable[sympy.Expr]) -> list[Exact]:
        """Every place at which the sign of one of the expressions may change, at the values given."""
        at_values = dict.fromkeys(self.at_values(expression) for expression in expressions)
        return ascending(place for expression in at_values for place in self._stops(expression))

    def _stops(self, expression: sympy.Expr) -> list[Exact]:
        if expression not in self._found:
            self._found[expression] = stops_of(expression, self.unknown)
        return self._found[expression]

    def sign_at(self, branches: Iterable[Branch], value: Exact) -> int | None:
        """The sign of what the branches make where the unknown is that, or None where it is not defined."""
        values = self.at(value)
        holding = next((branch for branch in branches if branch.holds(values)), None)
        return None if holding is None else sign_at(holding.difference, values)

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

    def at(self, value: Exact) -> Values:
        """The exact numbers of base units that all symbols stand for where the unknown is that."""
        return ChainMap({self.unknown: value}, self.values)

    def number(self, symbol: sympy.Symbol) -> Exact:
        """The exact number of base units that a symbol stands for."""
        return self.values[symbol]

    def at_values(self, expression: sympy.Expr) -> sympy.Expr:
        """The expression with everything but the unknown put in."""
        others = expression.free_symbols - {self.unknown}
        return expression.xreplace({symbol: rational(self.number(symbol)) for symbol in others})


class _Numbers(dict[sympy.Symbol, Exact]):
    """What the symbols but for the unknown stand for, each worked out when it is first asked for."""

    def __init__(self, equation: Equation) -> None:
        self.equation = equation

    def __missing__(self, symbol: sympy.Symbol) -> Exact:
        literal = self.equation.algebra.literals.get(symbol)
        self[symbol] = self.equation.solution.number(symbol.name) if literal is None else exact(literal)
        return self[symbol]


def _no_longer_shown(formula: sympy.Expr, branch: Branch) -> Iterator[Condition]:
    """When a formula put into a branch is defined, as far as it cancels there: of u^2 with u = sqrt(v), only v is left.

    What a single formula cancels in itself, such as u/u, SymPy has read as 1 before.
    """
    powers = [power for part in branch.expressions for power in part.atoms(sympy.Pow)]
    left = {(power.base, _is_root(power)) for power in powers if _is_root(power) or power.exp.is_negative}
    for power in formula.atoms(sympy.Pow):
        if _is_root(power) and not power.base.is_nonnegative and (power.base, True) not in left:
            yield Condition(power.base, ">=", sympy.Integer(0))
        if power.exp.is_negative and not power.base.is_nonzero and not {(power.base, True), (power.base, False)} & left:
            yield Condition(power.base, "!=", sympy.Integer(0))


def _is_root(power: sympy.Pow) -> bool:
    return bool(power.exp.is_Rational and not power.exp.is_Integer)


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
