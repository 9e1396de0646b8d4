"""The one parser for text: values (`--set`), equations, claims, lines of `calc`. Safe and exact.

    relation = sum ("=" | "<=" | ">=" | "<" | ">") sum
    line     = (sum | relation) (("in" | "to") unit)?

The grammar of a sum, and of units in it, is that of `syntax`. Everything is bounded: the text, its nesting, its
roots, and the size of every number on the way to the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pint

from symroof.arithmetic import FUNCTIONS, OPERATORS, bounded, in_range, pointing_at
from symroof.errors import ParseError
from symroof.syntax import JOINING_WORDS, Binary, Call, Literal, Name, Negative, Node, Parser, walk
from symroof.units import REGISTRY, Quantity


def _exactly(literal: Literal) -> Quantity:
    return REGISTRY.Quantity(literal.number, literal.unit)


@dataclass(frozen=True, eq=False)
class Expression:
    """Text and what it says, ready to be worked out in any reading.

    `whole` is the text in which its nodes have their positions, where that is more than `text`: an equation.
    """

    text: str
    root: Node
    whole: str = ""

    def __str__(self) -> str:
        return self.text

    @property
    def names(self) -> list[str]:
        """The names in the expression, each once, in order."""
        return list(dict.fromkeys(found.name for found in self.walk() if isinstance(found, Name)))

    def walk(self) -> Iterator[Node]:
        """Every node, from left to right."""
        return walk(self.root)

    def compute(
        self,
        values: Mapping[str, Any],
        literal: Callable[[Literal], Any] = _exactly,
    ) -> Any:
        """The expression worked out with Python's operators on whatever `values` holds.

        `literal` says what a number with a unit is in the reading at hand. Raises ParseError that points at the
        operator whose operands do not fit, KeyError for a name without a value.
        """
        with pointing_at(self._whole, self.root.position):
            return in_range(self._compute(self.root, values, literal))

    def _compute(self, node: Node, values: Mapping[str, Any], literal: Callable[[Literal], Any]) -> Any:
        spine: list[Binary] = []
        while isinstance(node, Binary):  # a sum of a thousand terms is a thousand levels deep to the left
            spine.append(node)
            node = node.left
        result: Any
        match node:
            case Literal():
                result = literal(node)
            case Name():
                result = values[node.name]
            case Negative():
                result = -self._compute(node.operand, values, literal)
            case Call():
                arguments = [self._compute(argument, values, literal) for argument in node.arguments]
                with pointing_at(self._whole, node.position):
                    result = FUNCTIONS[node.function](*map(in_range, arguments))
        for step in reversed(spine):
            if step.operator == "^" and not any(isinstance(found, Name) for found in walk(step.right)):
                right = self._compute(step.right, {}, _exactly)  # a constant exponent is a number in every reading
            else:
                right = self._compute(step.right, values, literal)
            with pointing_at(self._whole, step.position):
                result = bounded(OPERATORS[step.operator](result, right))
        return result

    @property
    def _whole(self) -> str:
        return self.whole or self.text


@dataclass(frozen=True, eq=False)
class Relation:
    """`left operator right` with one of = <= >= < >."""

    text: str
    left: Expression
    operator: str
    right: Expression


@dataclass(frozen=True, eq=False)
class Wanted:
    """The unit that a line asks for, and where it stands in the line."""

    unit: str
    position: int


@dataclass(frozen=True, eq=False)
class Line:
    """A line of a calculation: an expression or a relation, and the unit to give it in, if it says one."""

    text: str
    said: Expression | Relation
    wanted: Wanted | None

    @property
    def compares(self) -> bool:
        """Whether it sets two sides against each other, as `W <= 24 GB` does; `W = 24 GB` names a value."""
        relation = self.said
        return isinstance(relation, Relation) and not (
            relation.operator == "=" and isinstance(relation.left.root, Name)
        )


def parse(text: str) -> Expression:
    """The expression that the text says. Raises ParseError with the place of the first fault."""
    parser = Parser(text)
    root = parser.sum()
    parser.expect_end()
    return Expression(parser.text, root)


def parse_line(text: str) -> Line:
    """The line of a calculation that the text says. Raises ParseError with the place of the first fault."""
    parser = Parser(text)
    root = parser.sum()
    if parser.kind == "relation":
        said: Expression | Relation = _relation(parser, root)
    else:
        said = Expression(parser.since(0), root, parser.text)
    wanted = None
    if parser.kind == "name" and parser.word in JOINING_WORDS:
        wanted = Wanted(*parser.rest())
    parser.expect_end()
    return Line(parser.text, said, wanted)


def parse_relation(text: str) -> Relation:
    """The equation or inequality that the text says. Raises ParseError with the place of the first fault."""
    parser = Parser(text)
    left = parser.sum()
    if parser.kind != "relation":
        parser.fail("an equation needs =, <= or >= between two sides", 'for example "t_comp = t_mem"')
    relation = _relation(parser, left)
    parser.expect_end()
    return relation


def _relation(parser: Parser, left: Node) -> Relation:
    """The relation whose left side has been read, up to where its right side ends."""
    one = Expression(parser.since(0), left, parser.text)
    sign, start = "=" if parser.word == "==" else parser.word, parser.end
    parser.advance()
    right = parser.sum()
    return Relation(parser.since(0), one, sign, Expression(parser.since(start), right, parser.text))


def value(text: str) -> Quantity:
    """The exact quantity that text without names says: `512`, `2^20`, `1/3`, `1.3 TB/s`, `40 %`."""
    expression = parse(text)
    for found in expression.walk():
        if isinstance(found, Name):
            raise ParseError(
                expression.text, found.position, f"{found.name!r} is not a number", "write a number and its unit"
            )
    return as_quantity(expression.compute({}))


def as_quantity(number: Any) -> Quantity:
    """A plain number as a quantity without a unit."""
    return number if isinstance(number, pint.Quantity) else REGISTRY.Quantity(number, "")
