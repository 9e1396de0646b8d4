"""Text as a tree: the grammar of expressions, with the place of the first fault.

    sum      = product (("+" | "-") product)*
    product  = factor (("*" | "/") factor)*
    factor   = ("-" | "+") factor | power
    power    = atom (("^" | "**") factor)?
    atom     = literal | name | function "(" sum ("," sum)* ")" | "(" sum ")"
    literal  = number (("^" | "**") whole number)? unit?

A unit is read only directly after a number, with no blank inside its `/` or `*` chain, and such a literal binds
tighter than any operator: `x / 312 TFLOP/s` divides by the rate. Everything else is a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn, TypeAlias

from symroof.arithmetic import FUNCTIONS, RANGE, bounded, clip, outside, pointing_at, raised
from symroof.errors import ParseError, RefusedValueError, UnitError, UnknownNameError
from symroof.numerals import MAX_DIGITS, full_text
from symroof.units import Unit, readable, unit

MAX_LENGTH = 10_000
MAX_DEPTH = 100
MAX_ROOT_WORK = 3_000  # roots times operations: each operation on n irrational numbers takes n times as long

# What people write behind a number for a thousand, a million ..., as powers of a thousand. K alone is the kelvin.
MULTIPLIERS = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4}
_SHORT = 8  # characters of a number that are read at a glance

_ONE_ARGUMENT = [name for name in FUNCTIONS if name not in ("max", "min")]
_IRRATIONAL = ("sqrt", "log2", "ln", "exp")


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


def walk(root: Node) -> Iterator[Node]:
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
JOINING_WORDS = ("in", "to")


def can_be_name(text: str) -> bool:
    """Whether the parser reads it as the name of a quantity."""
    return text.isascii() and text.isidentifier() and text not in FUNCTIONS and text not in JOINING_WORDS


class Parser:
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

    def since(self, start: int) -> str:
        """What stands between a position in `read` and the current token."""
        return self.text[self.place(start) : self.place(self.position)].strip()

    def rest(self) -> tuple[str, int]:
        """What stands behind the current token, and its place; the text is then at its end."""
        text = self.read[self.end :]
        place = self.place(self.end + len(text) - len(text.lstrip()))
        self.end = len(self.read)
        self.advance()
        return text.strip(), place

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
        if function in _ONE_ARGUMENT and len(arguments) != 1:
            self.fail(f"{function} takes one argument, not {len(arguments)}", position=position)
        self.operations += 1
        self.roots += function in _IRRATIONAL
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
            with pointing_at(self.text, self.place(self.read.index(power[0].strip(), self.end))):
                number = bounded(raised(number, Fraction(power[1])))
            self.end = power.end()
        measured = unit("")
        match = _UNIT.match(self.read, self.end)
        if match and match[1] not in JOINING_WORDS:
            measured = self.unit_of_literal(number, match[1], match.start(1))
            self.end = match.end(1)
        text = self.read[start : self.end].strip()
        self.advance()
        return Literal(number, measured, text, self.place(start))

    def unit_of_literal(self, number: Fraction, name: str, position: int) -> Unit:
        try:
            return unit(name)
        except UnitError as error:
            self.fail(error.problem, error.hint, position)
        except UnknownNameError as error:
            if name in MULTIPLIERS:
                self.fail(f"{name} alone is no unit", written_out(number, name), position)
            self.fail(
                f"{error.problem} after a number",
                f"{error.hint}\nto multiply by a name, write * with blanks: 2 * {error.name}".strip(),
                position + name.index(error.name),
            )

    def number(self, word: str) -> Fraction:
        mantissa, _, exponent = word.lower().partition("e")
        if len(mantissa) > MAX_DIGITS:
            self.fail(f"the number {clip(word)} has more than {MAX_DIGITS:,} digits", "write fewer digits")
        if len(exponent.lstrip("+-0")) > 4:
            exponent = exponent[:1].strip("0123456789") + "9999"  # far beyond the range, either way
        number = Fraction(mantissa.replace("_", "")) * Fraction(10) ** int(exponent or 0)
        beyond = outside(number)
        if beyond:
            self.fail(f"the number {clip(word)} {beyond}", RANGE[beyond])
        return number


def written_out(number: Fraction, multiplier: str) -> str:
    """What to try where a thousand, a million ... was meant: `write 128000 or 128*1024`."""
    thousands = MULTIPLIERS[multiplier]
    shown, power = full_text(number), "1024" if thousands == 1 else f"1024^{thousands}"
    full = full_text(number * 1000**thousands)
    decimal = full if len(full) <= _SHORT else f"{shown}*10^{3 * thousands}"
    return f"write {decimal} or {shown}*{power}"


def _is_whole(exponent: Node) -> bool:
    """Whether a power with this exponent is no root, as far as can be told before any value is known."""
    while isinstance(exponent, Negative):
        exponent = exponent.operand
    return isinstance(exponent, Name) or (isinstance(exponent, Literal) and exponent.number.denominator == 1)
