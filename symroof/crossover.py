"""Solving a derivation's equations: roots in closed form, each with the condition under which it exists.

An equation is composed from the formulas that the unknown reaches and solved symbolically, branch by branch where
a formula has branches; numbers go in last, as exact rationals. A root is shown only if it is positive and fulfils
its branch's conditions, and it carries its proof: put back into the equation, it leaves zero.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy

from symroof.algebra import Algebra, rational
from symroof.derivation import Crossover, DerivationGraph
from symroof.dimensions import prove_relation
from symroof.errors import RefusedValueError, SymroofError
from symroof.evaluate import Solution
from symroof.expression import Expression, Literal, Name, Relation
from symroof.forms import Writer, collected, normalised, sign_of_terms
from symroof.numerals import Exact, exact, figure
from symroof.settings import Settings
from symroof.units import DIMENSIONLESS, Quantity, Unit, base_magnitude, quantity

MAX_BRANCHES = 256

_COMPARE: Mapping[str, Callable[[int, int], bool]] = {
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

    def holds(self, values: dict[sympy.Symbol, sympy.Expr]) -> bool:
        return _COMPARE[self.operator](_sign((self.left - self.right).xreplace(values)), 0)


@dataclass(frozen=True)
class Branch:
    """The equation on one branch: `difference` is zero there, as long as the conditions hold."""

    difference: sympy.Expr
    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class Candidate:
    """A root in closed form, not yet at any numbers. `closed_form` is None where none is sensible."""

    closed_form: sympy.Expr | None
    conditions: tuple[Condition, ...]
    branch: Branch


@dataclass(frozen=True)
class Root:
    """A positive root at the values given, with what it rests on."""

    value: Quantity
    candidate: Candidate
    below: str
    above: str
    first_integer: int | None
    proof: str
    proved: bool


@dataclass(frozen=True)
class Answer:
    """What solving an equation gives: `verdict` is crosses, never or always, with its reason."""

    relation: Relation
    symbol: str
    verdict: str
    reason: str
    roots: tuple[Root, ...]
    candidates: tuple[Candidate, ...]
    unknown: sympy.Symbol
    writer: Writer

    def text(self, expression: sympy.Expr | None) -> str | None:
        return None if expression is None else self.writer.text(expression)

    def condition_text(self, candidate: Candidate) -> str:
        return self._joined(candidate, " and ", self.writer.relation_text) or "always"

    def condition_latex(self, candidate: Candidate) -> str:
        return self._joined(candidate, r" \land ", self.writer.relation_latex) or r"\text{always}"

    def _joined(self, candidate: Candidate, joint: str, write: Any) -> str:
        return joint.join(write(one.left, one.operator, one.right) for one in candidate.conditions)


def solve_crossover(settings: Settings, crossover: Crossover, symbol: str | None = None) -> Answer:
    """A derivation's own crossover, solved for its own symbol or another."""
    return solve(settings, crossover.relation, symbol or crossover.solve_for)


def solve(settings: Settings, relation: Relation, symbol: str) -> Answer:
    """All positive roots of an equation for one given, in ascending order.

    Raises UnitError where the sides differ in dimension, UnknownNameError, MissingGivenError, and
    RefusedValueError where the unknown is no given or the equation does not depend on it.
    """
    return _Problem(settings, relation, symbol).answer()


class _Problem:
    """One equation for one unknown in one case."""

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

    def answer(self) -> Answer:
        candidates = tuple(candidate for branch in self.branches for candidate in _candidates(branch, self.unknown))
        found: list[tuple[Exact, Candidate]] = []
        for branch in self.branches:
            found += self._roots_at_values(branch)
        found = _distinct(sorted(found, key=lambda pair: pair[0]))
        verdict, reason = self._verdict(found, candidates)
        places = [value for value, _ in found]
        roots = tuple(self._root(value, candidate, places) for value, candidate in found)
        return Answer(self.relation, self.name, verdict, reason, roots, candidates, self.unknown, self.algebra.writer)

    # -- the equation, composed

    @cached_property
    def reached(self) -> set[str]:
        """What depends on the unknown: steps, and givens that are set to an expression of it."""
        reached = {self.name}
        for given in self._linked_in_order():
            if reached.intersection(self.settings.depends_on(given)):
                reached.add(given)
        for name in self.derivation.order():
            if reached.intersection(self.derivation.parameters(name)):
                reached.add(name)
        return reached - {self.name}

    def _linked_in_order(self) -> list[str]:
        ordered: list[str] = []

        def visit(name: str) -> None:
            for used in self.settings.depends_on(name):
                visit(used)
            if name not in ordered:
                ordered.append(name)

        for name in self.derivation.givens:
            visit(name)
        return ordered

    @cached_property
    def branches(self) -> list[Branch]:
        """The equation with every reached quantity replaced by its formula, one branch at a time."""
        left, right = (self.algebra.expression(side) for side in (self.relation.left, self.relation.right))
        waiting = _split(left - right)
        done: list[Branch] = []
        while waiting:
            branch = waiting.pop(0)
            name = self._last_reached(branch)
            if name is None:
                done.append(branch)
                continue
            symbol = self.algebra.symbol(name)
            for formula in _split(self._formula(name)):
                waiting.append(_replaced(branch, {symbol: formula.difference}, formula.conditions))
            if len(waiting) + len(done) > MAX_BRANCHES:
                raise RefusedValueError(
                    f"the equation has more than {MAX_BRANCHES} branches", "ask about one of its terms at a time"
                )
        return done

    def _last_reached(self, branch: Branch) -> str | None:
        """The reached quantity in the branch that nothing else in it is worked out from: replaced first."""
        expressions = [branch.difference, *(side for one in branch.conditions for side in (one.left, one.right))]
        present = {symbol.name for expression in expressions for symbol in expression.free_symbols} & self.reached
        ordered = [name for name in (*self._linked_in_order(), *self.derivation.order()) if name in present]
        return ordered[-1] if ordered else None

    def _formula(self, name: str) -> sympy.Expr:
        if name in self.derivation.steps:
            return self.algebra.step(name)
        content = self.settings.value(name).content
        assert isinstance(content, Expression)
        return self.algebra.expression(content)

    # -- at the values given

    def values(self, expression: sympy.Expr) -> dict[sympy.Symbol, sympy.Expr]:
        """The symbols of an expression, but for the unknown, as exact numbers of base units."""
        return {
            symbol: rational(self.solution.number(symbol.name))
            for symbol in expression.free_symbols
            if symbol != self.unknown
        }

    def _roots_at_values(self, branch: Branch) -> list[tuple[Exact, Candidate]]:
        """The branch's positive roots that fulfil its conditions, each with its closed form if it has one."""
        at_values = branch.difference.xreplace(self.values(branch.difference))
        above, below = sympy.cancel(sympy.together(at_values)).as_numer_denom()
        if not above.has(self.unknown):
            return []
        if not above.is_polynomial(self.unknown):
            raise RefusedValueError(
                f"{self.relation.text} is no polynomial equation in {self.name}", "solve it for another symbol"
            )
        candidates = _candidates(branch, self.unknown)
        found = []
        for root in dict.fromkeys(sympy.real_roots(sympy.Poly(above, self.unknown))):
            if not root.is_positive or below.subs(self.unknown, root) == 0:
                continue
            if all(self._holds(condition, root) for condition in branch.conditions):
                found.append((exact(root), self._matching(candidates, root, branch)))
        return found

    def _holds(self, condition: Condition, root: sympy.Expr) -> bool:
        both = condition.left - condition.right
        return condition.holds({**self.values(both), self.unknown: root})

    def _matching(self, candidates: Sequence[Candidate], root: sympy.Expr, branch: Branch) -> Candidate:
        """The closed form whose value is this root."""
        for candidate in candidates:
            if candidate.closed_form is not None:
                value = candidate.closed_form.xreplace(self.values(candidate.closed_form))
                if value.is_real and _sign(value - root) == 0:
                    return candidate
        return Candidate(None, (), branch)

    def _root(self, value: Exact, candidate: Candidate, places: Sequence[Exact]) -> Root:
        unit = self._unit()
        scale = base_magnitude(quantity(1, unit))
        proof, proved = self._proof(value, candidate)
        below, above = (self._side(point) for point in self._around(value, places))
        count = not self.derivation.unit_of(self.name).dimensionality
        return Root(
            value=quantity(exact(value / scale), unit),
            candidate=candidate,
            below=below,
            above=above,
            first_integer=_ceil(value) if count else None,
            proof=proof,
            proved=proved,
        )

    def _unit(self) -> Unit:
        """The unit that the unknown has where it is known, else the declared one."""
        try:
            content = self.settings.value(self.name).content
        except SymroofError:
            return self.derivation.unit_of(self.name)
        return content.units if not isinstance(content, Expression) else DIMENSIONLESS

    def _proof(self, value: Exact, candidate: Candidate) -> tuple[str, bool]:
        """Back-substitution: of the closed form symbolically, else of the value exactly."""
        sides = (side if isinstance(side.root, (Literal, Name)) else f"({side})" for side in self._sides())
        difference = " - ".join(map(str, sides))
        if candidate.closed_form is not None:
            if proves(candidate, self.unknown):
                return (
                    f"{difference} with {self.name} = {self.algebra.writer.text(candidate.closed_form)} cancels to 0",
                    True,
                )
            return f"{difference} does not cancel with the closed form put in for {self.name}", False
        left_over = candidate.branch.difference.xreplace(self.values(candidate.branch.difference))
        zero = _sign(left_over.subs(self.unknown, rational(value))) == 0
        return f"{difference} at {self.name} = {value} is {'exactly 0' if zero else 'not 0'}", zero

    def _sides(self) -> tuple[Expression, Expression]:
        return self.relation.left, self.relation.right

    # -- what holds where

    def _around(self, value: Exact, places: Sequence[Exact]) -> tuple[Fraction, Fraction]:
        """A rational point on each side of a root, with no other root or pole in between."""
        stops = sorted([*places, *self._poles()])
        lower = [stop for stop in stops if stop < value]
        higher = [stop for stop in stops if stop > value]
        below = _between(lower[-1] if lower else Fraction(0), value)
        above = _between(value, higher[0]) if higher else Fraction(_ceil(value) * 2 + 1)
        return below, above

    def _poles(self) -> list[Exact]:
        found: list[Exact] = []
        for branch in self.branches:
            at_values = branch.difference.xreplace(self.values(branch.difference))
            below = sympy.together(at_values).as_numer_denom()[1]
            if below.has(self.unknown) and below.is_polynomial(self.unknown):
                found += [exact(root) for root in sympy.real_roots(sympy.Poly(below, self.unknown)) if root.is_positive]
        return found

    def _sign_at(self, point: Fraction) -> int:
        """The sign of left - right at a point, by exact evaluation."""
        return sign_at(self.settings, self.relation, self.name, point)

    def _side(self, point: Fraction) -> str:
        return side(self.derivation, self.relation, self._sign_at(point))

    def _verdict(self, found: Sequence[tuple[Exact, Candidate]], candidates: Sequence[Candidate]) -> tuple[str, str]:
        if found:
            return (
                "crosses",
                f"{self.relation.text} at {len(found)} positive value{'s' * (len(found) > 1)} of {self.name}",
            )
        differences = [branch.difference for branch in self.branches]
        if not any(difference.has(self.unknown) for difference in differences):
            sign = self._sign_at(Fraction(1))
            word = side(self.derivation, self.relation, sign)
            return ("never" if sign else "always"), f"neither side depends on {self.name}: {word}"
        if all(sympy.cancel(difference) == 0 for difference in differences):
            return "always", f"both sides are the same for every {self.name}"
        sign = self._sign_at(Fraction(1))
        everywhere = f"{side(self.derivation, self.relation, sign)} for every {self.name}"
        return "never", "; ".join([*self._failed_conditions(candidates), everywhere])

    def _failed_conditions(self, candidates: Sequence[Candidate]) -> Iterator[str]:
        """Each condition that fails at the values, with the two numbers it compares."""
        for candidate in candidates:
            for condition in candidate.conditions:
                both = condition.left - condition.right
                if condition.left.has(self.unknown) or condition.holds(self.values(both)):
                    continue
                writer = self.algebra.writer
                statement = writer.relation_text(condition.left, condition.operator, condition.right)
                left, right = (one.xreplace(self.values(one)) for one in (condition.left, condition.right))
                if right == 0:
                    yield f"a root needs {statement}, which does not hold here"
                else:
                    share = figure(exact(left / right)).text()
                    sides = writer.text(condition.left), writer.text(condition.right)
                    yield f"a root needs {statement}, but here {sides[0]} is {share} times {sides[1]}"


def side(derivation: DerivationGraph, relation: Relation, sign: int) -> str:
    """What holds where left - right has that sign: the binding's label if one compares the two sides."""
    left, right = relation.left.text, relation.right.text
    if sign:
        larger = left if sign > 0 else right
        for binding in derivation.bindings.values():
            if set(binding.labels) == {left, right}:
                return binding.labels[larger]
    return f"{left} {'=' if sign == 0 else '>' if sign > 0 else '<'} {right}"


def sign_at(settings: Settings, relation: Relation, symbol: str, point: Fraction) -> int:
    """The sign of left - right where the symbol has that many base units, by exact evaluation."""
    declared = settings.derivation.unit_of(symbol)
    scale = base_magnitude(quantity(1, declared))
    solution = Solution(settings.at_point(symbol, quantity(exact(point / scale), declared)))
    left, right = (base_magnitude(solution.compute(one)) for one in (relation.left, relation.right))
    return _sign(rational(left) - rational(right))


def proves(candidate: Candidate, unknown: sympy.Symbol) -> bool:
    """Whether the closed form, put into the equation, leaves exactly zero. Square roots are eliminated first."""
    assert candidate.closed_form is not None
    roots = {
        power
        for power in candidate.closed_form.atoms(sympy.Pow)
        if power.exp == sympy.Rational(1, 2) and power.base.free_symbols
    }
    stand_ins = {power: sympy.Dummy() for power in roots}
    left_over = candidate.branch.difference.subs(unknown, candidate.closed_form.xreplace(stand_ins))
    above = sympy.together(left_over).as_numer_denom()[0]
    for power, stand_in in stand_ins.items():
        above = sympy.rem(sympy.expand(above), stand_in**2 - power.base, stand_in)
    return bool(sympy.expand(above) == 0)


def _split(expression: sympy.Expr) -> list[Branch]:
    """The branches of an expression: one for each way its max, min and conditionals can turn out."""
    waiting, done = [Branch(expression, ())], []
    while waiting:
        branch = waiting.pop(0)
        node = _innermost(branch)
        if node is None:
            done.append(branch)
            continue
        for value, conditions in _outcomes(node):
            waiting.append(_replaced(branch, {node: value}, conditions))
    return done


def _innermost(branch: Branch) -> sympy.Expr | None:
    for expression in (branch.difference, *(side for one in branch.conditions for side in (one.left, one.right))):
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


def _replaced(branch: Branch, mapping: dict[sympy.Expr, sympy.Expr], more: tuple[Condition, ...] = ()) -> Branch:
    conditions = tuple(
        Condition(one.left.xreplace(mapping), one.operator, one.right.xreplace(mapping))
        for one in (*branch.conditions, *more)
    )
    return Branch(branch.difference.xreplace(mapping), tuple(dict.fromkeys(conditions)))


def _candidates(branch: Branch, unknown: sympy.Symbol) -> list[Candidate]:
    """The branch's roots in closed form, as far as there is a sensible one, with their conditions."""
    above = sympy.cancel(sympy.together(branch.difference)).as_numer_denom()[0]
    if not above.has(unknown):
        return []
    if not above.is_polynomial(unknown):
        return [Candidate(None, branch.conditions, branch)]
    coefficients = sympy.Poly(above, unknown).all_coeffs()
    match coefficients:
        case [a, b]:
            forms = [_linear(a, b)]
        case [a, b, c]:
            forms = _quadratic(a, b, c)
        case _:
            return [Candidate(None, branch.conditions, branch)]
    found = []
    for form in forms:
        if form is None:
            continue
        closed_form, existence = form
        conditions = _at_root(branch.conditions, unknown, closed_form)
        if conditions is not None:
            found.append(Candidate(closed_form, tuple(dict.fromkeys([*existence, *conditions])), branch))
    return found


_Form = tuple[sympy.Expr, tuple[Condition, ...]]


def _linear(a: sympy.Expr, b: sympy.Expr) -> _Form | None:
    """The root of a x + b = 0 and when it is positive."""
    root = normalised(-b / a)
    above, below = root.as_numer_denom()
    if sign_of_terms(above) == 1:
        condition = _positive(below)
        return None if condition is False else (root, condition)
    return root, (Condition(root, ">", sympy.Integer(0)),)


def _quadratic(a: sympy.Expr, b: sympy.Expr, c: sympy.Expr) -> list[_Form | None]:
    """The roots of a x^2 + b x + c = 0 and when they are real and positive."""
    if sign_of_terms(a) == -1 or (sign_of_terms(a) is None and sign_of_terms(c) == 1):
        a, b, c = -a, -b, -c
    half = sympy.Rational(1, 2)
    discriminant = collected(b**2 - 4 * a * c)
    root = sympy.sqrt(discriminant)
    signs = sign_of_terms(a), sign_of_terms(b), sign_of_terms(c)
    upper, lower = (half * (-collected(b) + sign * root) / collected(a) for sign in (1, -1))
    if c == 0:
        return [_linear(a, b)]
    if signs[0] == 1 and signs[2] == -1:
        return [(upper, ())]  # the product of the roots is negative: one of them is positive, whatever b is
    real = () if sign_of_terms(discriminant) == 1 else (Condition(b**2, ">=", 4 * a * c),)
    if signs[0] == 1 and signs[2] == 1:
        if signs[1] in (0, 1):
            return []
        falls = _positive(-b)
        return [] if falls is False else [(one, (*real, *falls)) for one in (lower, upper)]
    return [(one, (*real, Condition(one, ">", sympy.Integer(0)))) for one in (lower, upper)]


def _positive(polynomial: sympy.Expr) -> tuple[Condition, ...] | Any:
    """The condition that a polynomial is positive: nothing where it always is, False where it never is."""
    sign = sign_of_terms(polynomial)
    if sign is not None:
        return () if sign == 1 else False
    terms = sympy.Add.make_args(sympy.expand(polynomial))
    more = sympy.Add(*(term for term in terms if not term.could_extract_minus_sign()))
    less = sympy.Add(*(-term for term in terms if term.could_extract_minus_sign()))
    common = sympy.gcd(more, less)
    return (Condition(collected(sympy.cancel(more / common)), ">", collected(sympy.cancel(less / common))),)


def _at_root(conditions: Sequence[Condition], unknown: sympy.Symbol, root: sympy.Expr) -> tuple[Condition, ...] | None:
    """The branch's conditions with the root put in; None where one of them never holds."""
    kept = []
    for condition in conditions:
        difference = (condition.left - condition.right).subs(unknown, root)
        if root.atoms(sympy.Pow) and any(power.exp == sympy.Rational(1, 2) for power in root.atoms(sympy.Pow)):
            kept.append(
                Condition(condition.left.subs(unknown, root), condition.operator, condition.right.subs(unknown, root))
            )
            continue
        above, below = normalised(difference).as_numer_denom()
        over, under = sign_of_terms(above), sign_of_terms(below)
        if over is not None and under is not None:
            if not _COMPARE[condition.operator](over * under, 0):
                return None
            continue
        kept.append(Condition(normalised(difference), condition.operator, sympy.Integer(0)))
    return tuple(kept)


def _distinct(found: Sequence[tuple[Exact, Candidate]]) -> list[tuple[Exact, Candidate]]:
    """Each root once: on the border of two branches it belongs to both."""
    kept: list[tuple[Exact, Candidate]] = []
    for value, candidate in found:
        if not kept or _sign(rational(value) - rational(kept[-1][0])) != 0:
            kept.append((value, candidate))
    return kept


def _sign(number: sympy.Expr) -> int:
    """The sign of an exact number, with certainty."""
    number = sympy.sympify(number)
    if number.is_positive:
        return 1
    if number.is_negative:
        return -1
    return 0 if number.is_zero or number.equals(0) else int(sympy.sign(sympy.N(number, 60)))


def _ceil(value: Exact) -> int:
    return math.ceil(value) if isinstance(value, Fraction) else int(sympy.ceiling(value))


def _between(low: Exact, high: Exact) -> Fraction:
    """A rational strictly between two exact numbers."""
    middle = (rational(low) + rational(high)) / 2
    found = exact(middle)
    return found if isinstance(found, Fraction) else Fraction(str(sympy.N(middle, 40)))
