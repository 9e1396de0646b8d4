"""The values of a derivation's givens for one case: what was set, defaults, the chip and the dtype.

Where a value comes from, first that applies: what the user sets, the file's default (if it is for this chip), the
chip or the dtype.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from symroof import hardware
from symroof.declared import Given
from symroof.derivation import DerivationGraph
from symroof.errors import MissingGivenError, RefusedValueError, SymroofError, clipped
from symroof.expression import Expression
from symroof.syntax import Binary, Literal, Name
from symroof.units import Dimension, Quantity, Unit, quantity_full_text


@dataclass(frozen=True)
class Value:
    """What a given is in this case: a quantity, or an expression over other givens, and where it comes from."""

    given: Given
    content: Quantity | Expression
    text: str
    source: str
    unit: Unit  # the unit to show it in: that of its figure


class Settings:
    """A derivation with values for its givens. Values are looked up when they are asked for."""

    def __init__(
        self,
        derivation: DerivationGraph,
        assignments: Mapping[str, Any] | None = None,
        *,
        on: str = hardware.DEFAULT_CHIP,
        dtype: str = hardware.DEFAULT_DTYPE,
        source: str = "set",
    ) -> None:
        """`assignments` maps givens to text, whole numbers, Fractions, quantities or other givens' names.

        Raises UnknownNameError for a name that is no given, and the errors of reading a value.
        """
        self.derivation = derivation
        self.dtype = dtype
        self._chip_name = on
        self._assigned: dict[str, Value] = {}
        self._pinned: frozenset[str] = frozenset()  # givens whose efficiency is already in their value
        self.anywhere = False  # whether a count may be broken and a share above its most, as on the way to a root
        hardware.element_size(dtype)
        for name, content in (assignments or {}).items():
            given = derivation.settable(name)
            try:
                self._assigned[name] = _assigned(derivation, given, content, source)
            except SymroofError as error:
                raise error.within(clipped(f"{name}={content}")) from None
        self._refuse_circles()

    def __str__(self) -> str:
        """The case in short: `m=8192, a100-40gb, fp16`."""
        assigned = [f"{name}={value.text}" for name, value in self._assigned.items()]
        return ", ".join([*assigned, self._chip_name, self.dtype])

    @cached_property
    def chip(self) -> hardware.Chip:
        return hardware.chip(self._chip_name)

    def value(self, name: str) -> Value:
        """What the given is, times its efficiency if it has one. Raises MissingGivenError where nothing says."""
        given = self.derivation.givens[name]
        found = self._set_or_default(self._followed(name)) or self._from_hardware(given)
        if found is None:
            raise MissingGivenError(name, given.description, self.derivation.name, given.example)
        found = replace(found, given=given)
        if given.efficiency is None or name in self._pinned:
            return found
        return replace(found, content=_times(given.efficiency, found))

    def depends_on(self, name: str) -> list[str]:
        """The givens that this given is worked out from: those it is set to an expression of, and its efficiency."""
        efficiency = self.derivation.givens[name].efficiency if name in self.derivation.givens else None
        factor = [efficiency] if efficiency is not None and name not in self._pinned else []
        return [*factor, *self.tied_to(name)]

    def tied_to(self, name: str) -> list[str]:
        """The givens that the user set this given to an expression of."""
        found = self._set_or_default(self._followed(name))
        return found.content.names if found is not None and isinstance(found.content, Expression) else []

    def _followed(self, name: str) -> str:
        """The given whose value this one takes: s for the sizes of activations, weights and cache that nothing sets."""
        follows = name in hardware.DTYPE_SYMBOLS and name != "s" and self._set_or_default(name) is None
        return "s" if follows and self._set_or_default("s") is not None else name

    def with_values(self, assignments: Mapping[str, Any], source: str = "set") -> Settings:
        """The same case with further values."""
        changed = Settings(self.derivation, assignments, on=self._chip_name, dtype=self.dtype, source=source)
        changed._assigned = {**self._assigned, **changed._assigned}
        changed._pinned = self._pinned
        changed.anywhere = self.anywhere
        changed._refuse_circles()
        return changed

    def at_point(self, name: str, quantity: Quantity) -> Settings:
        """The same case with one given anywhere on its line, so that a count may be broken."""
        changed = self.with_values({})
        changed.anywhere = True
        changed._pinned = self._pinned | {name}
        text = quantity_full_text(quantity)
        changed._assigned[name] = Value(self.derivation.givens[name], quantity, text, "point", quantity.units)
        return changed

    def _set_or_default(self, name: str) -> Value | None:
        given = self.derivation.givens.get(name)
        if given is None or name in self._assigned:
            return self._assigned.get(name)
        default, chip = given.default, given.default_on
        if default is None or (chip is not None and hardware.chip(chip).id != self._chip_name):
            return None
        source = "default" if chip is None else f"default on {chip}"
        return Value(given, default, quantity_full_text(default), source, default.units)

    def _from_hardware(self, given: Given) -> Value | None:
        """The chip's or the dtype's figure, if the given bears its name and has its dimension."""
        if given.name in hardware.DTYPE_SYMBOLS:
            datum, source = hardware.element_size(self.dtype), f"size of {self.dtype}"
        else:
            if given.name not in hardware.CHIP_SYMBOLS:
                return None
            figure = self.chip.given(given.name, self.dtype)
            if figure is None:
                return None
            datum, source = figure, f"{self.chip.name}: {figure.source}"
        if not Dimension.of(datum.quantity.units).same(Dimension.of(given.unit)):
            return None
        return Value(given, datum.quantity, datum.text, source, datum.quantity.units)

    def _refuse_circles(self) -> None:
        for start in self._assigned:
            seen: list[str] = []
            waiting = [start]
            while waiting:
                name = waiting.pop()
                if name in seen:
                    continue
                seen.append(name)
                for used in self.depends_on(name):
                    if used == start:
                        raise RefusedValueError(
                            f"{start} is set to something that depends on {start}", "set one of them to a number"
                        )
                    waiting.append(used)


def _assigned(derivation: DerivationGraph, given: Given, content: Any, source: str) -> Value:
    read = derivation.read(given, content)
    if isinstance(read, Expression):
        return Value(given, read, read.text.strip(), source, given.unit)
    return Value(given, read, quantity_full_text(read), source, read.units)


def _times(efficiency: str, found: Value) -> Expression:
    """The value multiplied by another given, as an expression."""
    content = found.content
    if isinstance(content, Expression):
        return Expression(f"{efficiency}*({content})", Binary("*", Name(efficiency, 0), content.root, 0))
    literal = Literal(content.magnitude, content.units, found.text, 0)
    return Expression(f"{efficiency}*({found.text})", Binary("*", Name(efficiency, 0), literal, 0))


def worked_settings(derivation: DerivationGraph, assignments: Mapping[str, Any], *, on: str, dtype: str) -> Settings:
    """The worked example's point with what the user sets on top."""
    return Settings(derivation, derivation.example.at, on=on, dtype=dtype, source="the worked example").with_values(
        assignments
    )
