"""A line of a calculation worked out: as it was written, with its names replaced by numbers, and the result."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from symroof.envelope import Names
from symroof.expression import Expression
from symroof.prose import ABOUT, EQUALS, Maths
from symroof.symbols import default_latex
from symroof.syntax import Binary, Call, Literal, Name, Negative, Node
from symroof.units import (
    Quantity,
    quantity,
    quantity_full_latex,
    quantity_full_text,
    quantity_latex,
    quantity_text,
)

_SUM, _PRODUCT, _POWER, _ATOM = range(4)
_BRACKETS = {"ceil": (r"\lceil", r"\rceil"), "floor": (r"\lfloor", r"\rfloor"), "abs": (r"\lvert", r"\rvert")}
_COMMANDS = {
    "max": r"\max",
    "min": r"\min",
    "ln": r"\ln",
    "exp": r"\exp",
    "log2": r"\log_2",
    "round": r"\mathrm{round}",
}
_ONE_UNIT = re.compile(r"[0-9.]+ [^*/^]+")


@dataclass(frozen=True)
class WorkedLine:
    """The lines of a calculation. `substituted` is None where no name stands in it."""

    name: Maths | None
    written: Maths
    substituted: Maths | None
    relation: Maths
    result: Maths

    @property
    def steps(self) -> list[tuple[Maths, Maths]]:
        """What stands below each other, each with the sign before it."""
        shown = [self.written, *([self.substituted] if self.substituted else [])]
        return [*((EQUALS, one) for one in shown), (self.relation, self.result)]


def worked_line(
    name: str | None, expression: Expression, names: Names, value: Quantity, digits: int, decimals: int | None
) -> WorkedLine:
    """The lines for a value that has been worked out."""
    numbers = {used: names[used] for used in expression.names}
    substituted = None
    if numbers:
        substituted = Maths(
            _written(expression.root, numbers, latex=True)[0], _written(expression.root, numbers, latex=False)[0]
        )
    text = quantity_text(value, digits, decimals)
    is_exact = text == quantity_full_text(value)
    return WorkedLine(
        name=None if name is None else Maths(default_latex(name), name),
        written=Maths(_written(expression.root, None, latex=True)[0], expression.text),
        substituted=substituted,
        relation=EQUALS if is_exact else ABOUT,
        result=Maths(quantity_latex(value, digits, decimals), text),
    )


def text_of(line: WorkedLine) -> str:
    """For the terminal: below each other, the signs in one column."""
    first, *others = line.steps
    head = f"{line.name.text} = " if line.name else ""
    indent = " " * len(line.name.text) + " " if line.name else "  "
    rows = [f"{head}{first[1].text}"] + [f"{indent}{sign.text} {one.text}" for sign, one in others]
    return "\n".join(rows)


def tex_of(line: WorkedLine) -> str:
    """A display for a LaTeX document with amsmath."""
    first, *others = line.steps
    start = f"{line.name.latex} &= {first[1].latex}" if line.name else f"& {first[1].latex}"
    rows = [start, *(f"&{sign.latex} {one.latex}" for sign, one in others)]
    return "\\begin{align*}\n  " + " \\\\\n  ".join(rows) + "\n\\end{align*}"


def markdown_of(line: WorkedLine) -> str:
    """A display for Markdown, as GitHub renders it."""
    first, *others = line.steps
    start = f"{line.name.latex} = {first[1].latex}" if line.name else first[1].latex
    rows = [start, *(f"{sign.latex} {one.latex}" for sign, one in others)]
    return "```math\n" + "\n".join(rows) + "\n```"


def _written(node: Node, numbers: Mapping[str, Quantity] | None, latex: bool) -> tuple[str, int]:
    """The writing of a tree, with numbers for the names in it if they are given, and how tightly it binds."""
    spine: list[Binary] = []
    while isinstance(node, Binary):  # a long sum is as deep to the left as it is long
        spine.append(node)
        node = node.left
    shown, own = _written_leaf(node, numbers, latex)
    for step in reversed(spine):
        right = _written(step.right, numbers, latex)
        shown, own = _joined(step.operator, (shown, own), right, latex)
    return shown, own


def _joined(sign: str, left: tuple[str, int], right: tuple[str, int], latex: bool) -> tuple[str, int]:
    match sign:
        case "+" | "-":
            return f"{_bound(left, _SUM, latex)} {sign} {_bound(right, _PRODUCT, latex)}", _SUM
        case "^" if latex:
            return f"{_bound(left, _ATOM, latex)}^{{{right[0]}}}", _POWER
        case "^":
            return f"{_bound(left, _ATOM, latex)}^{_bound(right, _ATOM, latex)}", _POWER
        case "/" if latex:
            return rf"\frac{{{left[0]}}}{{{right[0]}}}", _POWER
    one, other = _bound(left, _PRODUCT, latex), _bound(right, _POWER, latex)
    if not latex:
        return f"{one}{sign}{other}", _PRODUCT
    joint = r" \times " if other[0].isdigit() else r" \, "
    return f"{one}{joint}{other}", _PRODUCT


def _written_leaf(node: Node, numbers: Mapping[str, Quantity] | None, latex: bool) -> tuple[str, int]:
    match node:
        case Literal():
            value = quantity(node.number, node.unit)
            return _number(quantity_full_latex(value) if latex else node.text, latex)
        case Name() if numbers is not None:
            value = numbers[node.name]
            return _number(quantity_full_latex(value) if latex else quantity_full_text(value), latex)
        case Name():
            return (default_latex(node.name) if latex else node.name), _ATOM
        case Negative():
            return f"-{_bound(_written(node.operand, numbers, latex), _PRODUCT, latex)}", _SUM
    assert isinstance(node, Call)
    inside = ", ".join(_written(argument, numbers, latex)[0] for argument in node.arguments)
    if not latex:
        return f"{node.function}({inside})", _ATOM
    if node.function == "sqrt":
        return rf"\sqrt{{{inside}}}", _ATOM
    if node.function in _BRACKETS:
        opening, closing = _BRACKETS[node.function]
        return rf"\left{opening} {inside} \right{closing}", _ATOM
    return rf"{_COMMANDS[node.function]}\left( {inside} \right)", _ATOM


def _number(shown: str, latex: bool) -> tuple[str, int]:
    if shown.startswith("-"):
        return shown, _SUM
    if shown.replace(".", "").isdigit():
        return shown, _ATOM
    if latex:
        return shown, _POWER
    return shown, _POWER if _ONE_UNIT.fullmatch(shown) else _PRODUCT


def _bound(written: tuple[str, int], tightness: int, latex: bool) -> str:
    """The writing, in parentheses if it binds less tightly than its place asks."""
    shown, own = written
    if own >= tightness:
        return shown
    return rf"\left( {shown} \right)" if latex else f"({shown})"
