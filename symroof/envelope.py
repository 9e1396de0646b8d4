"""Back of the envelope: one line in, one exact quantity out, in a unit that can be read.

A name in a line is what it was set to, else the chip's figure (P, beta, C, beta_host, beta_link) or the size of the
data type (s, s_a, s_w, s_kv).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from symroof import hardware
from symroof.errors import (
    InexactError,
    ParseError,
    RefusedValueError,
    SymroofError,
    UnitError,
    UnknownNameError,
    clipped,
    listing,
    suggestion,
)
from symroof.expression import Expression, Line, Relation, as_quantity, parse, parse_line, value
from symroof.numerals import exact, exponent_of, figure
from symroof.syntax import Literal, Name, can_be_name
from symroof.units import (
    DIMENSIONLESS,
    Dimension,
    Quantity,
    Unit,
    base_magnitude,
    converted,
    magnitude_in,
    quantity,
    unit,
    unit_powers,
    unit_text,
)

if TYPE_CHECKING:
    from symroof.ranges import Range

# Units whose results are given in the step of a thousand that reads best, where no unit is asked for.
_LARGE = ("", "k", "M", "G", "T", "P", "E")
BINARY = ("kibi", "mebi", "gibi", "tebi", "pebi", "exbi")  # how the registry's names of binary units begin
_BINARY_STEPS = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")  # for a size in one of those
_SCALES = {
    "s": ("n", "u", "m", ""),
    "FLOP/s": _LARGE,
    "B/s": _LARGE,
    "FLOP": _LARGE,
    "B": _LARGE,
    "J": _LARGE,
    "W": _LARGE,
}


class Names(Mapping[str, Quantity]):
    """What the names of a line mean: quantities, and ranges of them."""

    def __init__(
        self, *, on: str | None = None, dtype: str | None = None, given: Mapping[str, Any] | None = None
    ) -> None:
        """`on` and `dtype` are None where nobody named them; `given` are names with their values, set one by one.

        Raises UnknownNameError for an unknown chip or data type, and the errors of `set`.
        """
        self.chip_is_named, self.dtype_is_named = on is not None, dtype is not None
        self.dtype = dtype or hardware.DEFAULT_DTYPE
        hardware.element_size(self.dtype)
        if on is not None:
            hardware.chip(on)
        self.ranges: dict[str, Range] = {}
        self.used: dict[str, None] = {}  # the names that lines and values asked for, in order
        self._chip_name = on or hardware.DEFAULT_CHIP
        self._set: dict[str, Quantity] = {}
        self.given: frozenset[str] = frozenset()  # names that no line may define again
        for name, content in (given or {}).items():
            self.set(name, content)
        self.given = frozenset(given or ())

    @cached_property
    def chip(self) -> hardware.Chip:
        return hardware.chip(self._chip_name)

    def set(self, name: str, content: Any) -> None:
        """Sets a name to a quantity, a whole number, a Fraction, or text over the names set before.

        Raises RefusedValueError for a word that cannot be a name or is one that was given, and the errors of reading
        a value.
        """
        self.refuse_given(name)
        if not can_be_name(name):
            raise RefusedValueError(f"{clipped(name)!r} cannot be a name", "use letters, digits and _, as in t_mem")
        try:
            if isinstance(content, str) and ".." in content:
                self.ranges[name] = _range(name, content)
                self._set.pop(name, None)
                return
            found = evaluate(parse(content), self) if isinstance(content, str) else as_quantity(content)
            exact(found.magnitude)
        except (TypeError, InexactError):
            given = clipped(f"{name}={content!r}")
            raise InexactError(f"{given} is no exact number", f'write it as text: {name}="1.5 GB"') from None
        except SymroofError as error:
            raise error.within(clipped(f"{name}={content}")) from None
        self._set[name] = found
        self.ranges.pop(name, None)

    def __getitem__(self, name: str) -> Quantity:
        if name in self._set:
            return self._set[name]
        if name in hardware.DTYPE_SYMBOLS:
            return hardware.element_size(self.dtype).quantity
        found = self.chip.given(name, self.dtype) if name in hardware.CHIP_SYMBOLS else None
        if found is None:
            raise KeyError(name)
        return found.quantity

    def __iter__(self) -> Iterator[str]:
        return iter([*self._set, *(name for name in _SYMBOLS if name not in self._set)])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def is_set(self, name: str) -> bool:
        """Whether somebody set the name, to a quantity or a range."""
        return name in self._set or name in self.ranges

    def refuse_given(self, name: str | None, hint: str = "leave one of the two out") -> None:
        """Raises RefusedValueError if the name that a line defines is one that was given."""
        if name in self.given:
            raise RefusedValueError(f"{name} is given and defined", hint)

    def refuse_unused(self) -> None:
        """Raises RefusedValueError for a name that was given and that nothing used: it may be misspelt."""
        for name in sorted(self.given - self.used.keys()):
            near = suggestion(name, [one for one in self.used if one not in self.given])
            used = f"leave it out: what is used is {listing(self.used)}" if self.used else "leave it out"
            raise RefusedValueError(f"{name} is not used", near if near.startswith("did you mean") else used)

    def require(self, expression: Expression, *, but: str = "", otherwise: str = "") -> None:
        """Raises ParseError, which points at it, for the first name that means nothing, `but` one aside.

        `otherwise` is a further thing to try, with {} for the name. The names of the expression count as used from
        then on.
        """
        self.used |= dict.fromkeys(expression.names)
        for found in expression.walk():
            if isinstance(found, Name) and found.name not in self.ranges and found.name != but:
                try:
                    self[found.name]
                except KeyError:
                    raise self._unknown(found, expression.whole or expression.text, otherwise) from None
                except SymroofError as error:
                    raise ParseError(
                        expression.whole or expression.text, found.position, error.problem, error.hint
                    ) from None

    def _unknown(self, found: Name, text: str, otherwise: str) -> ParseError:
        known = [*self._set, *self.ranges]
        near = suggestion(found.name, [*known, *_SYMBOLS])
        hints = [near if near.startswith("did you mean") else f'give its value: {found.name}="..."']
        if found.name in hardware.CHIP_SYMBOLS:
            hints = [f"{self.chip.id} has no {found.name}: set it"]
        if _is_unit(found.name):
            hints.append(f"as a unit, {found.name} stands directly behind a number: 3 {found.name}")
        if otherwise:
            hints.append(otherwise.format(found.name))
        return ParseError(text, found.position, f"the name {found.name!r} has no value", "\n".join(hints))


def _range(name: str, text: str) -> Range:
    """The range that text such as `1.3..1.555 TB/s` says. Raises RefusedValueError for one that is none."""
    from symroof.declared import Given
    from symroof.ranges import read_range

    high = text.rpartition("..")[2].strip()
    found = read_range(text, Given(name, "", value(high).units if high else DIMENSIONLESS, latex=name))
    assert found is not None
    return found


_SYMBOLS = (*hardware.CHIP_SYMBOLS, *hardware.DTYPE_SYMBOLS)


def _is_unit(name: str) -> bool:
    try:
        unit(name)
    except SymroofError:
        return False
    return True


def calc(
    text: str,
    *,
    unit: str | None = None,
    on: str | None = None,
    dtype: str | None = None,
    **values: Any,
) -> Quantity:
    """One line worked out exactly: `calc("W/beta", unit="ms", W="140 GB", on="h100-sxm")` is 41.79 ms.

    `values` sets names: text with a unit, whole numbers, Fractions or quantities. Raises a SymroofError that says
    what is wrong: ParseError with the place in the text, UnitError for a unit of another dimension, RefusedValueError
    for a name that is not used.
    """
    names = Names(on=on, dtype=dtype, given=values)
    defined = definition(parse_line(text))
    names.refuse_given(defined.name)
    found = result(defined, names, unit)
    names.refuse_unused()
    return found.value


@dataclass(frozen=True)
class Definition:
    """A line that has a value: its expression, and the name it gives to it, if any."""

    name: str | None
    expression: Expression
    line: Line


@dataclass(frozen=True)
class Result:
    """What a line comes to."""

    definition: Definition
    value: Quantity

    @property
    def name(self) -> str | None:
        return self.definition.name


def definition(line: Line) -> Definition:
    """What a line that has a value says: an expression, or `NAME = expression`.

    Raises ParseError for any other equation or inequality.
    """
    if isinstance(line.said, Expression):
        return Definition(None, line.said, line)
    relation: Relation = line.said
    if not line.compares:
        return Definition(relation.left.text, relation.right, line)
    raise ParseError(
        line.text,
        relation.left.root.position,
        f"a line with {relation.operator} between two sides has no one value",
        "write an expression, or NAME = expression",
    )


def result(defined: Definition, names: Names, wanted: str | None = None) -> Result:
    """The value of a line in the unit wanted, else in the unit that the line asks for, else in one that reads well.

    Raises ParseError, UnitError, UnknownNameError, and RefusedValueError for a name that is a range.
    """
    value = evaluate(defined.expression, names)
    measured = wanted_unit(defined.line, wanted)
    if measured is None:
        return Result(defined, readable_quantity(value, units_in(defined.expression, names)))
    return Result(defined, in_unit(value, measured, defined.line))


def evaluate(expression: Expression, names: Names) -> Quantity:
    """The exact value of an expression. Raises RefusedValueError where one of its names is a range."""
    names.require(expression)
    ranged = [name for name in expression.names if name in names.ranges]
    if ranged:
        raise RefusedValueError(
            f"{ranged[0]} is a range here",
            "give it one value: only a line without an unknown and without a name has bounds",
        )
    return as_quantity(expression.compute(names))


def wanted_unit(line: Line, wanted: str | None) -> Unit | None:
    """The unit asked for from outside or in the line. Raises RefusedValueError for both, ParseError for none."""
    if line.wanted is None:
        return None if wanted is None else unit(wanted)
    if wanted is not None:
        raise RefusedValueError(
            f"the line asks for {line.wanted.unit} and the option for {wanted}", "ask for one unit, at one place"
        )
    if not line.wanted.unit:
        raise ParseError(line.text, line.wanted.position, "the text ends where a unit is expected", "for example in ms")
    try:
        return unit(line.wanted.unit)
    except (UnitError, UnknownNameError) as error:
        raise ParseError(line.text, line.wanted.position, error.problem, error.hint) from None


def in_unit(value: Quantity, measured: Unit, line: Line) -> Quantity:
    """The value in a unit. Raises UnitError if that measures something else, ParseError if the line asks for it."""
    got, wanted = Dimension.of(value.units), Dimension.of(measured)
    if got.same(wanted):
        return converted(value, measured)
    shown = readable_quantity(value, [])
    kind = f"in {got}" if got.powers else "a plain number"
    asked = unit_text(measured) or "a plain number"
    hint = f"ask for a unit of {got}, such as {unit_text(shown.units)}" if got.powers else "ask for no unit, or for %"
    problem = f"the result is {kind}, which cannot be given in {asked}"
    if line.wanted is not None:
        raise ParseError(line.text, line.wanted.position, problem, hint)
    raise UnitError(problem, hint)


def readable_quantity(value: Quantity, written: list[Unit]) -> Quantity:
    """The value in its own unit if that is among those written and reads well, else in base units or a step of them."""
    family, plain = _family(value)
    keeps = all if not value.dimensionality else any  # 40 % of 3 is 1.2, and 40 % + 1 % is 41 %
    if written and keeps(value.units == one for one in written):
        reads_well = not figure(exact(value.magnitude)).exponent
        if reads_well or value.units not in family:
            return value
    magnitude = base_magnitude(value)
    if not family or not magnitude:
        return quantity(magnitude, plain)
    fitting = [one for one in family if exponent_of(magnitude_in(value, one)) >= 0]
    best = fitting[-1] if fitting else family[0]
    return converted(value, best)


def _family(value: Quantity) -> tuple[list[Unit], Unit]:
    """The units that the value may be scaled to, from small to large, if any, and the one without a prefix."""
    names = list(unit_powers(value.units))
    for base, prefixes in _SCALES.items():
        if value.dimensionality == unit(base).dimensionality:
            in_operations = any(name.endswith("operation") for name in names)
            in_binary = base == "B" and any(name.startswith(BINARY) for name in names)
            plain = base.replace("FLOP", "OP") if in_operations else base
            return [unit(prefix + plain) for prefix in (_BINARY_STEPS if in_binary else prefixes)], unit(plain)
    return [], value.to_base_units().units


def units_in(expression: Expression, names: Names) -> list[Unit]:
    """The units of the numbers and names in an expression."""
    found = []
    for node in expression.walk():
        if isinstance(node, Literal):
            found.append(node.unit)
        elif isinstance(node, Name):
            found.append(names[node.name].units)
    return found
