"""The one parser for text: values (`--set`), equations, claims. Safe, exact, and with the place of an error.

    sum      = product (("+" | "-") product)*
    product  = factor (("*" | "/") factor)*
    factor   = ("-" | "+") factor | power
    power    = atom (("^" | "**") factor)?
    atom     = literal | name | function "(" sum ("," sum)* ")" | "(" sum ")"
    literal  = number (("^" | "**") whole number)? unit?
    relation = sum ("=" | "<=" | ">=" | "<" | ">") sum

A unit is read only directly after a number, with no blank inside its `/` or `*` chain, and such a literal binds
tighter than any operator: `x / 312 TFLOP/s` divides by the rate. Everything else is a name.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn, TypeAlias

import pint

from symroof import elementary
from symroof.errors import ParseError, RefusedValueError, SymroofError, UnitError, UnknownNameError
from symroof.units import REGISTRY, Quantity, Unit, mismatch, unit

MAX_LENGTH = 10_000
MAX_DEPTH = 100
MAX_POWER_OF_TEN = 300
MAX_EXPONENT = 4096

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "max": elementary.largest,
    "min": elementary.smallest,
    "ceil": elementary.ceil,
    "floor": elementary.floor,
    "sqrt": elementary.sqrt,
}


@dataclass(frozen=True, eq=False)
class Literal:
    """A number with its unit, and the text it was written as."""

    number: Fraction
    unit: Unit
    text: str
    position: int


@dataclass(frozen=True, eq=False)
class Name:
    name: str
    position: int


@dataclass(frozen=True, eq=False)
class Negative:
    operand: Node
    position: int


@dataclass(frozen=True, eq=False)
class Binary:
    """`operator` is one of + - * / ^."""

    operator: str
    left: Node
    right: Node
    position: int


@dataclass(frozen=True, eq=False)
class Call:
    function: str
    arguments: tuple[Node, ...]
    position: int


Node: TypeAlias = Literal | Name | Negative | Binary | Call


@dataclass(frozen=True, eq=False)
class Expression:
    """Text and what it says, ready to be worked out in any reading."""

    text: str
    root: Node

    def __str__(self) -> str:
        return self.text

    @property
    def names(self) -> list[str]:
        """The names in the expression, each once, in order."""
        return list(dict.fromkeys(found.name for found in self.walk() if isinstance(found, Name)))

    def walk(self) -> Iterator[Node]:
        """Every node, from left to right."""
        return _walk(self.root)

    def compute(
        self,
        values: Mapping[str, Any],
        literal: Callable[[Literal], Any] = lambda found: REGISTRY.Quantity(found.number, found.unit),
    ) -> Any:
        """The expression worked out with Python's operators on whatever `values` holds.

        `literal` says what a number with a unit is in the reading at hand. Raises ParseError that points at the
        operator whose operands do not fit, KeyError for a name without a value.
        """
        return self._compute(self.root, values, literal)

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
                with self._pointing_at(node.position):
                    result = FUNCTIONS[node.function](*arguments)
        for step in reversed(spine):
            right = self._compute(step.right, values, literal)
            with self._pointing_at(step.position):
                if step.operator == "^":
                    result = _power(result, right, _constant(step.right))
                else:
                    result = _OPERATORS[step.operator](result, right)
        return result

    @contextmanager
    def _pointing_at(self, position: int) -> Iterator[None]:
        try:
            yield
        except ZeroDivisionError:
            raise ParseError(self.text, position, "this divides by zero", "check the value after the /") from None
        except pint.DimensionalityError as error:
            raise ParseError(self.text, position, mismatch(error), "both sides need the same dimension") from None
        except ParseError:
            raise
        except SymroofError as error:
            raise ParseError(self.text, position, error.problem, error.hint) from None


_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


@dataclass(frozen=True, eq=False)
class Relation:
    """`left operator right` with one of = <= >= < >."""

    text: str
    left: Expression
    operator: str
    right: Expression


def parse(text: str) -> Expression:
    """The expression that the text says. Raises ParseError with the place of the first fault."""
    parser = _Parser(text)
    root = parser.sum()
    parser.expect_end()
    return Expression(text.strip(), root)


def parse_relation(text: str) -> Relation:
    """The equation or inequality that the text says. Raises ParseError with the place of the first fault."""
    parser = _Parser(text)
    left = parser.sum()
    if parser.kind != "relation":
        parser.fail("an equation needs =, <= or >= between two sides", 'for example "t_comp = t_mem"')
    sign = "=" if parser.word == "==" else parser.word
    middle, after = parser.position, parser.end
    parser.advance()
    right = parser.sum()
    parser.expect_end()
    return Relation(
        text.strip(), Expression(text[:middle].strip(), left), sign, Expression(text[after:].strip(), right)
    )


def value(text: str) -> Quantity:
    """The exact quantity that text without names says: `512`, `2^20`, `1/3`, `1.3 TB/s`, `40 %`."""
    expression = parse(text)
    for found in expression.walk():
        if isinstance(found, Name):
            raise ParseError(text, found.position, f"{found.name!r} is not a number", "write a number and its unit")
    return as_quantity(expression.compute({}))


def as_quantity(number: Any) -> Quantity:
    """A plain number as a quantity without a unit."""
    return number if isinstance(number, pint.Quantity) else REGISTRY.Quantity(number, "")


def _walk(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        match node:
            case Binary():
                waiting += [node.right, node.left]
            case Negative():
                waiting.append(node.operand)
            case Call():
                waiting += reversed(node.arguments)


def _power(base: Any, exponent: Any, constant: Fraction | None) -> Any:
    """base^exponent; where the exponent is a constant it is a whole number or half of one."""
    if constant is None:
        return base**exponent
    if abs(constant) > MAX_EXPONENT:
        raise RefusedValueError(f"the exponent {_clip(str(constant))} is above {MAX_EXPONENT}", "write a smaller power")
    if constant.denominator not in (1, 2):
        raise RefusedValueError(f"the exponent {constant} is neither a whole number nor a half", "use sqrt")
    if constant.denominator == 2:
        base, constant = elementary.sqrt(base), constant * 2
    number = base.magnitude if isinstance(base, pint.Quantity) else base
    if isinstance(number, (int, Fraction)):
        bits = max(abs(number.numerator).bit_length(), number.denominator.bit_length())
        if (bits - 1) * abs(constant) > MAX_POWER_OF_TEN * 10 // 3:
            raise RefusedValueError(
                f"{_clip(str(number))}^{constant} goes beyond 10^{MAX_POWER_OF_TEN}", "write a smaller power"
            )
    return base ** int(constant)


def _constant(exponent: Node) -> Fraction | None:
    """The plain number that an exponent without names is."""
    if any(isinstance(found, Name) for found in _walk(exponent)):
        return None
    number = as_quantity(Expression("", exponent).compute({}))
    if number.dimensionality:
        raise UnitError(f"{number} as a power", "a power is a plain number")
    plain = number.to_base_units().magnitude
    return Fraction(plain) if isinstance(plain, (int, Fraction)) else None


# Characters read as what they look like.
_LOOKALIKES = str.maketrans("×·⋅∙÷−–—⁄（）＋＝，．", "****/---/()+=,.") | {
    ord("０") + digit: str(digit) for digit in range(10)
}
_TOKEN = re.compile(
    r"""(?P<blank>\s+)
    |(?P<number>(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<name>[^\W\d]\w*)
    |(?P<relation><=|>=|==|=|<|>)
    |(?P<operator>\*\*|[-+*/^])
    |(?P<mark>[(),])""",
    re.VERBOSE | re.ASCII,
)
_POWER_BEFORE_UNIT = re.compile(r"\s*(?:\^|\*\*)\s*(-?\d{1,5})(?=\s*[A-Za-zµμ$%])")
_UNIT_WORD = r"(?:[A-Za-zµμ]\w*|[$%])"
_UNIT = re.compile(rf"\s*({_UNIT_WORD}(?:\^-?\d+)?(?:[*/]{_UNIT_WORD}(?:\^-?\d+)?)*)(\s*\()?")
_JOINING_WORDS = ("in", "to")


class _Parser:
    """One pass over the text; the current token is `kind`, `word` at `position`."""

    def __init__(self, text: str) -> None:
        if len(text) > MAX_LENGTH:
            raise RefusedValueError(
                f"the expression has {len(text):,} characters; the limit is {MAX_LENGTH:,}", "split it into steps"
            )
        self.text = text
        self.read = text.translate(_LOOKALIKES)
        self.end = 0  # where the next token starts
        self.depth = 0
        self.kind, self.word, self.position = "", "", 0
        self.advance()

    def fail(self, problem: str, hint: str = "", position: int | None = None) -> NoReturn:
        raise ParseError(self.text, self.position if position is None else position, problem, hint)

    def advance(self) -> None:
        self.position = self.end
        if self.end >= len(self.read):
            self.kind, self.word = "end", ""
            return
        match = _TOKEN.match(self.read, self.end)
        if not match:
            char = self.text[self.end]
            shown = repr(char) if char.isprintable() else f"U+{ord(char):04X}"
            self.fail(f"the character {shown} has no meaning here", "use numbers, units, names, + - * / ^ and ( )")
        assert match
        assert match.lastgroup
        self.end = match.end()
        if match.lastgroup == "blank":
            self.advance()
            return
        self.kind, self.word = match.lastgroup, match.group()

    def expect_end(self) -> None:
        if self.kind == "relation":
            self.fail(f"{self.word!r} makes this an equation where an expression is expected")
        if self.kind != "end":
            self.fail(
                f"an operator is missing before {self.word!r}"
                if self.kind in ("name", "number")
                else f"{self.word!r} was not expected here",
                "write * between factors" if self.kind in ("name", "number") else "",
            )

    def sum(self) -> Node:
        node = self.product()
        while self.kind == "operator" and self.word in "+-":
            node = self.binary(node, self.product)
        return node

    def product(self) -> Node:
        node = self.factor()
        while self.kind == "operator" and self.word in "*/":
            node = self.binary(node, self.factor)
        return node

    def binary(self, left: Node, operand: Callable[[], Node]) -> Node:
        sign, position = self.word, self.position
        self.advance()
        return Binary("^" if sign == "**" else sign, left, operand(), position)

    def factor(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"the expression is nested more than {MAX_DEPTH} levels deep", "split it into steps")
        if self.kind == "operator" and self.word in "+-":
            position, negative = self.position, self.word == "-"
            self.advance()
            node = self.factor()
            node = Negative(node, position) if negative else node
        else:
            node = self.atom()
            if self.kind == "operator" and self.word in ("^", "**"):
                node = self.binary(node, self.factor)
        self.depth -= 1
        return node

    def atom(self) -> Node:
        position, word = self.position, self.word
        match self.kind:
            case "number":
                return self.literal()
            case "name":
                self.advance()
                return self.call(word, position) if self.word == "(" else Name(word, position)
            case "mark" if word == "(":
                self.advance()
                node = self.sum()
                self.close(position)
                return node
        what = "the text ends" if self.kind == "end" else f"{word!r} stands"
        self.fail(f"{what} where a number or a name is expected")

    def call(self, function: str, position: int) -> Node:
        if function not in FUNCTIONS:
            self.fail(f"unknown function {function!r}", f"known: {', '.join(FUNCTIONS)}", position)
        opening = self.position
        self.advance()
        arguments = [self.sum()]
        while self.word == ",":
            self.advance()
            arguments.append(self.sum())
        self.close(opening)
        if function not in ("max", "min") and len(arguments) != 1:
            self.fail(f"{function} takes one argument, not {len(arguments)}", position=position)
        return Call(function, tuple(arguments), position)

    def close(self, opening: int) -> None:
        if self.word != ")":
            self.fail("this parenthesis is not closed", position=opening)
        self.advance()

    def literal(self) -> Literal:
        start = self.position
        number = self.number(self.word)
        power = _POWER_BEFORE_UNIT.match(self.read, self.end)
        if power and _UNIT.match(self.read, power.end()):
            number = _power(number, None, Fraction(power[1]))
            self.end = power.end()
        measured = unit("")
        match = _UNIT.match(self.read, self.end)
        if match and match[1] not in _JOINING_WORDS:
            measured = self.unit_of_literal(match)
            self.end = match.end(1)
        text = self.read[start : self.end].strip()
        self.advance()
        return Literal(number, measured, text, start)

    def unit_of_literal(self, match: re.Match[str]) -> Unit:
        name = match[1]
        if match[2]:
            self.fail(f"an operator is missing before {name!r}", "write * between factors", match.start(1))
        try:
            return unit(name)
        except UnitError as error:
            self.fail(error.problem, error.hint, match.start(1))
        except UnknownNameError as error:
            self.fail(
                f"{error.problem} after a number",
                f"{error.hint}\nto multiply by a name, write * with blanks: 2 * {error.name}".strip(),
                match.start(1) + name.index(error.name),
            )

    def number(self, word: str) -> Fraction:
        mantissa, _, exponent = word.lower().partition("e")
        if len(exponent.lstrip("+-").lstrip("0")) > 4 or abs(int(exponent or 0)) > MAX_POWER_OF_TEN:
            self.fail(f"the number {_clip(word)} goes beyond 10^{MAX_POWER_OF_TEN}", "numbers go up to 10^300")
        number = Fraction(mantissa.replace("_", "")) * Fraction(10) ** int(exponent or 0)
        if number > Fraction(10) ** MAX_POWER_OF_TEN:
            self.fail(f"the number {_clip(word)} goes beyond 10^{MAX_POWER_OF_TEN}", "numbers go up to 10^300")
        return number


def _clip(word: str) -> str:
    return word if len(word) <= 20 else f"{word[:12]}..."
