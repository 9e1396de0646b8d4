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

Everything is bounded: the text, its nesting, its roots, and the size of every number on the way to the result.
"""

from __future__ import annotations

import math
import numbers
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
from symroof.numerals import MAX_DIGITS, certain, exact
from symroof.units import MAX_UNIT_POWER, REGISTRY, Quantity, Unit, mismatch, readable, unit

MAX_LENGTH = 10_000
MAX_DEPTH = 100
MAX_ROOT_WORK = 3_000  # roots times operations: each operation on n irrational numbers takes n times as long
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
        return _walk(self.root)

    def compute(
        self,
        values: Mapping[str, Any],
        literal: Callable[[Literal], Any] = _exactly,
    ) -> Any:
        """The expression worked out with Python's operators on whatever `values` holds.

        `literal` says what a number with a unit is in the reading at hand. Raises ParseError that points at the
        operator whose operands do not fit, KeyError for a name without a value.
        """
        with _pointing_at(self._whole, self.root.position):
            return _in_range(self._compute(self.root, values, literal))

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
                with _pointing_at(self._whole, node.position):
                    result = FUNCTIONS[node.function](*map(_in_range, arguments))
        for step in reversed(spine):
            if step.operator == "^" and not any(isinstance(found, Name) for found in _walk(step.right)):
                right = self._compute(step.right, {}, _exactly)  # a constant exponent is a number in every reading
            else:
                right = self._compute(step.right, values, literal)
            with _pointing_at(self._whole, step.position):
                result = _bounded(_OPERATORS[step.operator](result, right))
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


def parse(text: str) -> Expression:
    """The expression that the text says. Raises ParseError with the place of the first fault."""
    parser = _Parser(text)
    root = parser.sum()
    parser.expect_end()
    return Expression(parser.text, root)


def parse_relation(text: str) -> Relation:
    """The equation or inequality that the text says. Raises ParseError with the place of the first fault."""
    parser = _Parser(text)
    whole = parser.text
    left = parser.sum()
    if parser.kind != "relation":
        parser.fail("an equation needs =, <= or >= between two sides", 'for example "t_comp = t_mem"')
    sign = "=" if parser.word == "==" else parser.word
    middle, after = whole[: parser.place(parser.position)], whole[parser.place(parser.end) :]
    parser.advance()
    right = parser.sum()
    parser.expect_end()
    return Relation(whole, Expression(middle.strip(), left, whole), sign, Expression(after.strip(), right, whole))


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


@contextmanager
def _pointing_at(text: str, position: int) -> Iterator[None]:
    """What goes wrong inside is an error that points at this place."""
    try:
        yield
    except ZeroDivisionError:
        raise ParseError(text, position, "this divides by zero", "check the value after the /") from None
    except pint.DimensionalityError as error:
        raise ParseError(text, position, mismatch(error), "both sides need the same dimension") from None
    except ParseError:
        raise
    except SymroofError as error:
        raise ParseError(text, position, error.problem, error.hint) from None


def _quotient(above: Any, below: Any) -> Any:
    _refuse_zero(below)
    return above / below


def _power(base: Any, exponent: Any) -> Any:
    """base^exponent; an exponent that is a number is a whole one or half of one."""
    if isinstance(exponent, pint.Quantity):
        if exponent.dimensionality:
            raise UnitError(f"{exponent} as a power", "a power is a plain number")
        power = exact(exponent.to_base_units().magnitude)
    elif isinstance(exponent, numbers.Rational):
        power = exact(exponent)
    else:
        return base**exponent  # of symbols, columns or dimensions
    if abs(power) > MAX_EXPONENT:
        raise RefusedValueError(f"the exponent {_clip(str(power))} is above {MAX_EXPONENT}", "write a smaller power")
    if not isinstance(power, Fraction) or power.denominator > 2:
        raise RefusedValueError(
            f"the exponent {_clip(str(power))} is neither a whole number nor a half", "only square roots are exact"
        )
    if power.denominator == 2:
        base, power = elementary.sqrt(base), power * 2
    if power < 0:
        _refuse_zero(base)
    digits = [math.log10(max(abs(part.numerator), part.denominator)) for part in _rational_parts(_in_range(base))]
    if any(size * abs(power) > MAX_DIGITS for size in digits):
        raise RefusedValueError(f"this power takes more than {MAX_DIGITS:,} digits", "write a smaller power")
    return base ** int(power)


_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
    "^": _power,
}


def _refuse_zero(divisor: Any) -> None:
    """SymPy divides by zero without a word."""
    number = getattr(divisor, "magnitude", divisor)
    is_number = isinstance(number, numbers.Rational) or getattr(number, "is_number", False)
    if is_number and exact(number) == 0:
        raise ZeroDivisionError


def _rational_parts(value: Any) -> list[Any]:
    """The rational numbers that a number consists of, or the coefficient of an expression in symbols."""
    number = getattr(value, "magnitude", value)
    if hasattr(number, "is_number"):
        import sympy

        return list(number.atoms(sympy.Rational)) if number.is_number else [number.as_coeff_Mul()[0]]
    return [number] if isinstance(number, numbers.Rational) else []


def _bounded(value: Any) -> Any:
    """The result of one operation, if the numbers and powers of units in it have a size to go on with."""
    for part in _rational_parts(value):
        beyond = _beyond(exact(part))
        if beyond:
            raise RefusedValueError(f"the result {beyond}", _RANGE[beyond])
    if isinstance(value, pint.Quantity) and sum(map(abs, value.units._units.values())) > MAX_UNIT_POWER:
        raise RefusedValueError(f"the powers of the unit add up to more than {MAX_UNIT_POWER}", "write smaller powers")
    return value


def _in_range(value: Any) -> Any:
    """The value, if it is no irrational number beyond the range; of others `_bounded` has seen to it."""
    number = getattr(value, "magnitude", value)
    if getattr(number, "is_number", False):
        beyond = certain(exact(number), _beyond)
        if beyond:
            raise RefusedValueError(f"the result {beyond}", _RANGE[beyond])
    return value


def _beyond(number: Fraction) -> str:
    """How the number lies outside the range, if it does."""
    above, below = abs(number.numerator), number.denominator
    if above > below * _LARGEST:
        return _TOO_LARGE
    return _TOO_SMALL if above and above * _LARGEST < below else ""


_LARGEST = 10**MAX_POWER_OF_TEN
_TOO_LARGE = f"goes beyond 10^{MAX_POWER_OF_TEN}"
_TOO_SMALL = f"is closer to zero than 10^-{MAX_POWER_OF_TEN}"
_RANGE = {
    _TOO_LARGE: f"numbers go up to 10^{MAX_POWER_OF_TEN}",
    _TOO_SMALL: f"numbers other than zero go down to 10^-{MAX_POWER_OF_TEN}",
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
_POWER_BEFORE_UNIT = re.compile(r"\s*(?:\^|\*\*)\s*(-?[0-9]{1,5})(?=\s*[A-Za-zµμ$%])")
# What a parenthesis follows is no unit but a function.
_UNIT_WORD = r"(?:[A-Za-zµμ]\w*+(?!\s*\()|[$%])(?:(?:\^|\*\*)-?[0-9]+)?"
_UNIT = re.compile(rf"\s*({_UNIT_WORD}(?:[*/]{_UNIT_WORD})*)")
_JOINING_WORDS = ("in", "to")


class _Parser:
    """One pass over the text; the current token is `kind`, `word` at `position`.

    Positions are those in `read`, the text in plain characters; `place` gives the one in the text itself.
    """

    def __init__(self, text: str) -> None:
        if len(text) > MAX_LENGTH:
            raise RefusedValueError(
                f"the expression has {len(text):,} characters; the limit is {MAX_LENGTH:,}", "split it into steps"
            )
        self.text = text.strip()
        self.read, self.places = readable(self.text)
        self.end = 0  # where the next token starts
        self.depth = 0
        self.roots = self.operations = 0
        self.kind, self.word, self.position = "", "", 0
        self.advance()

    def place(self, position: int) -> int:
        return self.places[position]

    def fail(self, problem: str, hint: str = "", position: int | None = None) -> NoReturn:
        raise ParseError(self.text, self.place(self.position if position is None else position), problem, hint)

    def advance(self) -> None:
        self.position = self.end
        if self.end >= len(self.read):
            self.kind, self.word = "end", ""
            return
        match = _TOKEN.match(self.read, self.end)
        if not match:
            char = self.text[self.place(self.end)]
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
        if self.kind in ("name", "number") or self.word == "(":
            self.fail(f"an operator is missing before {self.word!r}", "write * between factors")
        if self.word == ",":
            self.fail("',' was not expected here", "write 1_000_000 for a million, and 1.5 with a point")
        if self.kind != "end":
            self.fail(f"{self.word!r} was not expected here")
        if self.roots * self.operations > MAX_ROOT_WORK:
            raise RefusedValueError(
                f"the expression has {self.roots} roots and {self.operations} operations; "
                f"the limit of their product is {MAX_ROOT_WORK:,}",
                "split it into steps",
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

    def binary(self, left: Node, operand: Callable[[], Node]) -> Binary:
        sign, position = self.word, self.position
        self.operations += 1
        self.advance()
        return Binary("^" if sign == "**" else sign, left, operand(), self.place(position))

    def factor(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"the expression is nested more than {MAX_DEPTH} levels deep", "split it into steps")
        if self.kind == "operator" and self.word in "+-":
            position, negative = self.position, self.word == "-"
            self.advance()
            node = self.factor()
            node = Negative(node, self.place(position)) if negative else node
        else:
            node = self.atom()
            if self.kind == "operator" and self.word in ("^", "**"):
                node = self.binary(node, self.factor)
                self.roots += not _is_whole(node.right)
        self.depth -= 1
        return node

    def atom(self) -> Node:
        position, word = self.position, self.word
        match self.kind:
            case "number":
                return self.literal()
            case "name":
                self.advance()
                return self.call(word, position) if self.word == "(" else Name(word, self.place(position))
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
        self.operations += 1
        self.roots += function == "sqrt"
        return Call(function, tuple(arguments), self.place(position))

    def close(self, opening: int) -> None:
        if self.word != ")":
            self.fail("this parenthesis is not closed", position=opening)
        self.advance()

    def literal(self) -> Literal:
        start = self.position
        number = self.number(self.word)
        power = _POWER_BEFORE_UNIT.match(self.read, self.end)
        if power and _UNIT.match(self.read, power.end()):
            with _pointing_at(self.text, self.place(self.read.index(power[0].strip(), self.end))):
                number = _bounded(_power(number, Fraction(power[1])))
            self.end = power.end()
        measured = unit("")
        match = _UNIT.match(self.read, self.end)
        if match and match[1] not in _JOINING_WORDS:
            measured = self.unit_of_literal(match[1], match.start(1))
            self.end = match.end(1)
        text = self.read[start : self.end].strip()
        self.advance()
        return Literal(number, measured, text, self.place(start))

    def unit_of_literal(self, name: str, position: int) -> Unit:
        try:
            return unit(name)
        except UnitError as error:
            self.fail(error.problem, error.hint, position)
        except UnknownNameError as error:
            self.fail(
                f"{error.problem} after a number",
                f"{error.hint}\nto multiply by a name, write * with blanks: 2 * {error.name}".strip(),
                position + name.index(error.name),
            )

    def number(self, word: str) -> Fraction:
        mantissa, _, exponent = word.lower().partition("e")
        if len(mantissa) > MAX_DIGITS:
            self.fail(f"the number {_clip(word)} has more than {MAX_DIGITS:,} digits", "write fewer digits")
        if len(exponent.lstrip("+-0")) > 4:
            exponent = exponent[:1].strip("0123456789") + "9999"  # far beyond the range, either way
        number = Fraction(mantissa.replace("_", "")) * Fraction(10) ** int(exponent or 0)
        beyond = _beyond(number)
        if beyond:
            self.fail(f"the number {_clip(word)} {beyond}", _RANGE[beyond])
        return number


def _is_whole(exponent: Node) -> bool:
    """Whether a power with this exponent is no root, as far as can be told before any value is known."""
    while isinstance(exponent, Negative):
        exponent = exponent.operand
    return isinstance(exponent, Name) or (isinstance(exponent, Literal) and exponent.number.denominator == 1)


def _clip(word: str) -> str:
    return word if len(word) <= 20 else f"{word[:12]}..."
