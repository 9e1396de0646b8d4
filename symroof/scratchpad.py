"""A scratchpad: lines of calculation one after the other, whose names are kept.

W = 140 GB                 # a name and its value; text after # is not read
t = W / 3.35 TB/s in ms
expect 41.79 ms            # compares the result before at the digits printed here
W <= 160 GB                # says yes or no, and by how much
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symroof.comparison import compared
from symroof.envelope import Definition, Names, definition, result
from symroof.errors import ParseError, RefusedValueError, SymroofError
from symroof.expression import Expression, Line, Relation, parse, parse_line
from symroof.remarks import remarks, taken_by_default
from symroof.syntax import Literal
from symroof.units import Quantity, quantity_text

if TYPE_CHECKING:
    from symroof.uncertain import Bounds
    from symroof.verdict import Verdict

_EXPECT = "expect"


@dataclass(frozen=True)
class Entry:
    """What one line came to: a value, bounds or a verdict, or for an `expect` how the value before differs ("" if it
    agrees)."""

    text: str
    name: str | None = None
    value: Quantity | None = None
    bounds: Bounds | None = None
    verdict: Verdict | None = None
    difference: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        return bool(self.difference)


class Scratchpad:
    """Names and the last result, from line to line."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._last: Quantity | None = None
        self._said: set[str] = set()  # what was taken by default is said once

    def read(self, text: str) -> Entry:
        """Works out one line. Raises a SymroofError that says what is wrong with it, and then keeps its names."""
        line = _without_comment(text)
        if not line:
            return Entry(text)
        head, _, rest = line.partition(" ")
        if head == _EXPECT:
            return self._expectation(text, rest)
        name, equals, content = line.partition("=")
        if equals and ".." in content:
            self.names.set(name.strip(), content.strip())
            return Entry(text)
        read = parse_line(line)
        if read.compares:
            return self._compared(text, read)
        defined = definition(read)
        if any(name in self.names.ranges for name in defined.expression.names):
            return self._bounded(text, line, defined)
        found = result(defined, self.names)
        if found.name is not None:
            self.names.set(found.name, found.value)
        self._last = found.value
        return Entry(text, found.name, found.value, notes=self._notes([defined.expression], found.value))

    def _notes(self, sides: list[Expression], value: Quantity | None = None) -> tuple[str, ...]:
        by_default = [note for note in taken_by_default(self.names) if note not in self._said]
        self._said.update(by_default)
        return (*by_default, *remarks(sides, self.names, value))

    def _compared(self, text: str, line: Line) -> Entry:
        from symroof.verdict import verdict

        assert isinstance(line.said, Relation)
        self._last = None
        found = verdict(line, self.names)
        return Entry(text, verdict=found, notes=self._notes([line.said.left, line.said.right]))

    def _bounded(self, text: str, line: str, defined: Definition) -> Entry:
        from symroof.impromptu import bounds

        if defined.name is not None:
            raise RefusedValueError(
                f"{defined.name} would be a range: {line!r} uses one", f"ask without the name: {defined.expression}"
            )
        self._last = None
        found = bounds(defined, self.names)
        return Entry(text, bounds=found, notes=self._notes([defined.expression]))

    def _expectation(self, text: str, printed: str) -> Entry:
        literal = parse(printed).root
        if not isinstance(literal, Literal):
            raise ParseError(printed.strip(), 0, "this is no printed figure", f'write it as "{_EXPECT} 28.19 ms"')
        if self._last is None:
            raise RefusedValueError("there is no value before it to expect anything of", "put it below a calculation")
        return Entry(text, difference=compared(self._last, literal)[2])


def _without_comment(text: str) -> str:
    return text.partition("#")[0].strip()


def entries(lines: Iterable[str], pad: Scratchpad) -> Iterator[Entry]:
    """Every line worked out. An error says which line it is in, and ends it."""
    for number, text in enumerate(lines, 1):
        try:
            yield pad.read(text.rstrip("\n"))
        except SymroofError as error:
            raise error.within(f"line {number}") from None


def outcome_text(entry: Entry, digits: int, decimals: int | None, *, named: bool) -> str:
    """What is shown for a line: `t = 41.79 ms`, `ok`, or how it differs; nothing for a comment."""
    if entry.difference is not None:
        return f"FAILED: {entry.difference}" if entry.failed else "ok"
    name = f"{entry.name} = " if named and entry.name else ""
    if entry.bounds is not None:
        from symroof.answers import ends_text

        return ends_text(entry.bounds, None, digits, decimals)
    if entry.verdict is not None:
        from symroof.verdict import verdict_text

        return verdict_text(entry.verdict, digits, decimals)
    return "" if entry.value is None else f"{name}{quantity_text(entry.value, digits, decimals)}"
