"""A derivation made on the spot from the names of one line, so that a line is solved, and bounded where names are
ranges, by what solves and bounds any derivation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from symroof import uncertain
from symroof.budget import Budget
from symroof.crossover import Answer
from symroof.derivation import DerivationGraph
from symroof.dimensions import of_expression
from symroof.envelope import Definition, Names, in_unit, readable_quantity, wanted_unit
from symroof.errors import RefusedValueError, SymroofError, listing
from symroof.expression import Expression, Line, Relation, as_quantity
from symroof.settings import Settings
from symroof.solving import solve_relation
from symroof.syntax import Binary, Call, Literal, Name, Negative, Node
from symroof.uncertain import Bounds
from symroof.units import Dimension, Quantity, Unit, base_magnitude, quantity_full_text
from symroof.zeros import MAX_DEGREE

_UNKNOWN = "[unknown]"


def bounds(defined: Definition, names: Names, wanted: str | None = None) -> Bounds:
    """Between which values the line lies, in the unit wanted, whatever its names are in their ranges.

    Raises the errors of evaluating the line, and RefusedValueError where a divisor can be zero.
    """
    names.require(defined.expression)
    expression = _workable(defined.expression, names)
    derivation = _derivation(defined.name or expression.text, expression.names, names)
    literals = _with_literals(derivation, expression)
    terms = [*expression.names, *literals.values()]

    def formula(*values: Any) -> Any:
        known = dict(zip(terms, values, strict=True))
        return expression.compute(known, lambda literal: _literal(literal, known, literals))

    formula.__name__ = _unused(derivation, defined.name or "result")
    derivation.step(unit=_text(of_expression(derivation, expression)), of=terms)(formula)
    ranges = {name: ends for name, ends in names.ranges.items() if name in expression.names}
    try:
        found = uncertain.bounds(Settings(derivation, _values(derivation, names)), ranges, formula.__name__)
    except SymroofError as error:
        while error.problem.startswith(f"step {formula.__name__}: "):  # nobody declared that step
            error.problem = error.problem.removeprefix(f"step {formula.__name__}: ")
        raise
    assert isinstance(found, Bounds)
    measured = wanted_unit(defined.line, wanted)
    if measured is None:
        high = readable_quantity(found.high, [end.units for ends in ranges.values() for end in ends])
        measured = high.units
    return replace(
        found, low=in_unit(found.low, measured, defined.line), high=in_unit(found.high, measured, defined.line)
    )


def solved(line: Line, unknown: str, names: Names, wanted: str | None = None) -> Answer | Budget:
    """The roots of the line's equation for a name, or the range in which its inequality holds, as of any derivation.

    Roots are given in the unit wanted, else in that of the value that the name was set to, else in one that reads
    well. Raises RefusedValueError for a line without a relation, or without the name in it.
    """
    relation = line.said
    if not isinstance(relation, Relation):
        raise RefusedValueError(
            f"there is nothing to solve for {unknown} in {relation.text!r}", 'write an equation: "t = W/beta"'
        )
    sides = (relation.left, relation.right)
    used = list(dict.fromkeys(name for side in sides for name in side.names))
    if unknown not in used:
        there = listing(used, "or") if used else "a name that is in it"
        raise RefusedValueError(f"{unknown} is not in {relation.text!r}", f"solve for {there}")
    ranged = [name for name in used if name in names.ranges and name != unknown]
    if ranged:
        raise RefusedValueError(f"{ranged[0]} is a range, and an equation takes one value", "give one of its ends")
    known = [name for name in used if name != unknown]
    for side in sides:
        names.require(side, but=unknown)
    left, right = (_workable(side, names, unknown) for side in sides)
    relation = Relation(relation.text, left, relation.operator, right)
    derivation = _derivation(relation.text, known, names)
    given = names[unknown] if names.is_set(unknown) else None
    dimension = Dimension.of(given.units) if given is not None else _Inference(relation, unknown, names).dimension()
    derivation.given(unknown, unit=_text(dimension), count=not dimension.powers)
    settings = Settings(derivation, _values(derivation, names, but=unknown))
    measured = wanted_unit(line, wanted) or (given.units if given is not None else None)
    found = solve_relation(settings, relation, unknown)
    if isinstance(found, Budget):
        return _in_units(found, measured, line)
    roots = tuple(replace(root, value=_shown(root.value, measured, line)) for root in found.roots)
    return replace(found, roots=roots)


def _in_units(found: Budget, measured: Unit | None, line: Line) -> Budget:
    ranges = tuple(
        replace(
            one,
            low=None if one.low is None else _shown(one.low, measured, line),
            high=None if one.high is None else _shown(one.high, measured, line),
        )
        for one in found.ranges
    )
    return replace(found, ranges=ranges)


def _shown(found: Quantity, measured: Unit | None, line: Line) -> Quantity:
    return readable_quantity(found, []) if measured is None else in_unit(found, measured, line)


def _derivation(title: str, used: Iterable[str], names: Names) -> DerivationGraph:
    """A derivation whose givens are the names used, each in base units."""
    derivation = DerivationGraph("calc", title)
    for name in used:
        found = names.ranges[name].high if name in names.ranges else names[name]
        plain = not found.dimensionality and name not in names.ranges
        number = base_magnitude(found) if plain else None
        counts = isinstance(number, Fraction) and number.denominator == 1 and number >= 1  # they are written last
        derivation.given(name, unit=_text(Dimension.of(found.units)), count=counts)
    return derivation


def _values(derivation: DerivationGraph, names: Names, but: str = "") -> dict[str, Quantity]:
    return {
        name: names[name] for name in derivation.givens if name in names and name not in names.ranges and name != but
    }


def _text(dimension: Dimension) -> str:
    """A unit of the dimension, in base units."""
    return str(dimension) if dimension.powers else ""


def _workable(expression: Expression, names: Names, unknown: str = "") -> Expression:
    """The expression with numbers for what algebra would make heavy weather of.

    These are exponents of known names, and high powers of them: x^n is then a power of x, as n is known.
    """

    def number(node: Node) -> Literal | None:
        """The value of a part without unknowns and ranges."""
        part = Expression(expression.text, node, expression.whole or expression.text)
        if any(name == unknown or name in names.ranges for name in part.names):
            return None
        value = as_quantity(part.compute(names))
        return Literal(value.magnitude, value.units, quantity_full_text(value), node.position)

    def power(step: Binary, base: Node) -> Node:
        exponent = number(step.right)
        if exponent is None:
            return replace(step, left=base, right=rewritten(step.right))
        known = number(step) if abs(exponent.number) > MAX_DEGREE else None
        return known or replace(step, left=base, right=exponent)

    def rewritten(node: Node) -> Node:
        spine: list[Binary] = []
        while isinstance(node, Binary):  # a long sum is as deep to the left as it is long
            spine.append(node)
            node = node.left
        match node:
            case Negative():
                node = replace(node, operand=rewritten(node.operand))
            case Call():
                node = replace(node, arguments=tuple(map(rewritten, node.arguments)))
        for step in reversed(spine):
            node = power(step, node) if step.operator == "^" else replace(step, left=node, right=rewritten(step.right))
        return node

    return replace(expression, root=rewritten(expression.root))


def _with_literals(derivation: DerivationGraph, expression: Expression) -> dict[Literal, str]:
    """Makes each number with a unit a given of its own: a step's formula has plain numbers only."""
    found: dict[Literal, str] = {}
    for node in expression.walk():
        if isinstance(node, Literal) and node.unit.dimensionality:
            found[node] = _unused(derivation, f"literal_{len(found)}")
            derivation.given(found[node], unit=_text(Dimension.of(node.unit)), default=node.text)
    return found


def _literal(literal: Literal, known: dict[str, Any], literals: dict[Literal, str]) -> Any:
    if literal in literals:
        return known[literals[literal]]
    return base_magnitude(as_quantity(literal.number * literal.unit))


def _unused(derivation: DerivationGraph, name: str) -> str:
    while name in derivation.items:
        name += "_"
    return name


class _Inference:
    """The dimension that an equation's unknown must have, from what it is added to, compared with or put into."""

    def __init__(self, relation: Relation, unknown: str, names: Names) -> None:
        self.relation, self.unknown, self.names = relation, unknown, names
        self.found: Dimension | None = None

    def dimension(self) -> Dimension:
        """A plain number where the equation leaves it open: it then holds in every unit or in none."""
        left, right = (self._of(side.root, side) for side in (self.relation.left, self.relation.right))
        self._alike(left, right)
        return Dimension({}) if self.found is None else self.found

    def _alike(self, one: Dimension, other: Dimension) -> Dimension:
        """One of the two, which must be the same: where only one holds the unknown, that says what it is."""
        powers = dict((one / other).powers)
        power = powers.pop(_UNKNOWN, Fraction(0))
        if power and self.found is None:
            self.found = Dimension(powers) ** (-1 / power)
        return other if _UNKNOWN in one.powers else one

    def _of(self, node: Node, side: Expression) -> Dimension:
        spine: list[Binary] = []
        while isinstance(node, Binary):  # a long sum is as deep to the left as it is long
            spine.append(node)
            node = node.left
        found = self._of_leaf(node, side)
        for step in reversed(spine):
            if step.operator == "^":
                found = self._power(found, step.right, side)
                continue
            right = self._of(step.right, side)
            match step.operator:
                case "*":
                    found = found * right
                case "/":
                    found = found / right
                case _:
                    found = self._alike(found, right)
        return found

    def _of_leaf(self, node: Node, side: Expression) -> Dimension:
        match node:
            case Literal():
                return Dimension.of(node.unit)
            case Name(name=name):
                return Dimension(
                    {_UNKNOWN: Fraction(1)} if name == self.unknown else Dimension.of(self.names[name].units).powers
                )
            case Negative():
                return self._of(node.operand, side)
        assert isinstance(node, Call)
        first, *others = [self._of(argument, side) for argument in node.arguments]
        match node.function:
            case "sqrt":
                return first.root()
            case "abs" | "max" | "min":
                for other in others:
                    first = self._alike(first, other)
                return first
        return self._alike(first, Dimension({}))

    def _power(self, base: Dimension, exponent: Node, side: Expression) -> Dimension:
        power = Expression(side.text, exponent, side.whole)
        if self.unknown in power.names:
            self._alike(self._of(exponent, side), Dimension({}))
            return self._alike(base, Dimension({}))
        number = as_quantity(power.compute(self.names))
        if number.dimensionality:
            return base  # the proof of units says what is wrong
        return base ** base_magnitude(number)
