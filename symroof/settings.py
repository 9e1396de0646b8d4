"""The values of a derivation's givens for one case: what was set, defaults, the chip and the dtype.

Where a value comes from, first that applies: what the user sets, the file's default, the chip or the dtype.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from symroof import dimensions, hardware
from symroof.derivation import DerivationGraph, Given, in_declared_unit
from symroof.errors import MissingGivenError, RefusedValueError, SymroofError, UnknownNameError
from symroof.expression import Expression, as_quantity, parse
from symroof.units import REGISTRY, Dimension, Quantity, quantity_full_text

DTYPE_SYMBOLS = ("s", "s_a", "s_w", "s_kv")


@dataclass(frozen=True)
class Value:
    """What a given is in this case: a quantity, or an expression over other givens, and where it comes from."""

    given: Given
    content: Quantity | Expression
    text: str
    source: str


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
        self.between_counts = False  # whether counts may lie between whole numbers, as on the way to a root
        hardware.element_size(dtype)
        for name, content in (assignments or {}).items():
            given = self._given(name)
            try:
                self._assigned[name] = _assigned(derivation, given, content, source)
            except SymroofError as error:
                raise error.within(f"{name}={content}") from None
        self._refuse_circles()

    @cached_property
    def chip(self) -> hardware.Chip:
        return hardware.chip(self._chip_name)

    def value(self, name: str) -> Value:
        """What the given is. Raises MissingGivenError where nothing says."""
        given = self.derivation.givens[name]
        if name in self._assigned:
            return self._assigned[name]
        if given.default is not None:
            return Value(given, given.default, quantity_full_text(given.default), "default")
        found = self._from_hardware(given)
        if found is None:
            raise MissingGivenError(name, given.description, self.derivation.name, given.example)
        return found

    def depends_on(self, name: str) -> list[str]:
        """The givens that this given is set to an expression of."""
        content = self._assigned[name].content if name in self._assigned else None
        return content.names if isinstance(content, Expression) else []

    def with_values(self, assignments: Mapping[str, Any], source: str = "set") -> Settings:
        """The same case with further values."""
        changed = Settings(self.derivation, assignments, on=self._chip_name, dtype=self.dtype, source=source)
        changed._assigned = {**self._assigned, **changed._assigned}
        changed.between_counts = self.between_counts
        changed._refuse_circles()
        return changed

    def at_point(self, name: str, quantity: Quantity) -> Settings:
        """The same case with one given anywhere on its line, so that a count may lie between whole numbers."""
        changed = self.with_values({})
        changed.between_counts = True
        changed._assigned[name] = Value(self.derivation.givens[name], quantity, quantity_full_text(quantity), "point")
        return changed

    def _given(self, name: str) -> Given:
        if name in self.derivation.givens:
            return self.derivation.givens[name]
        if name in self.derivation.items:
            raise RefusedValueError(
                f"{name} of {self.derivation.name} is worked out and cannot be set",
                f"set one of its givens: {', '.join(self.derivation.givens)}",
            )
        raise UnknownNameError("symbol", name, self.derivation.givens, where=self.derivation.name)

    def _from_hardware(self, given: Given) -> Value | None:
        """The chip's or the dtype's figure, if the given bears its name and has its dimension."""
        if given.name in DTYPE_SYMBOLS:
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
        return Value(given, datum.quantity, datum.text, source)

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
    if isinstance(content, str):
        expression = parse(content)
        for name in expression.names:
            if name not in derivation.givens:
                raise UnknownNameError("symbol", name, derivation.givens)
        if expression.names:
            given.refuse_dimension(dimensions.of_expression(derivation, expression), expression.text)
            return Value(given, expression, content.strip(), source)
        quantity = as_quantity(expression.compute({}))
    elif isinstance(content, REGISTRY.Quantity):
        quantity = content
    else:
        quantity = in_declared_unit(content, given.unit)
    return Value(given, given.checked(quantity), quantity_full_text(quantity), source)


checked = Given.checked
