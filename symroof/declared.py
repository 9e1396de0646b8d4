"""What an author declares: givens, steps, bindings, crossovers, facts, plans, claims, the worked example."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from numbers import Integral
from typing import Any, TypeAlias, TypeVar

from symroof.blanks import Template
from symroof.errors import (
    RefusedValueError,
    UnitError,
)
from symroof.expression import Relation, value
from symroof.units import Dimension, Quantity, Unit, base_magnitude, quantity, quantity_full_text, unit_text


@dataclass(frozen=True)
class Given:
    """An input: what it means, its unit, and its default if it has one. A count is a whole number from 1 up.

    Its value is not above `most`, which is 1 for a share. With an `efficiency`, the name of another given, it is
    multiplied by that one wherever it is used. A default that is for one chip, `default_on`, does not hold on others.
    """

    name: str
    description: str
    unit: Unit
    latex: str
    count: bool = False
    default: Quantity | None = None
    efficiency: str | None = None
    default_on: str | None = None
    most: Quantity | None = None

    @property
    def example(self) -> str:
        """A value of the right kind, for a hint."""
        if self.count:
            return "8192"
        shown = unit_text(self.unit)
        if shown.startswith("1/"):  # which cannot stand behind a number
            return f'"1/1 {shown[2:].replace("/", "*")}"'
        return f'"1 {shown}"' if shown else "0.9"

    def checked(self, value: Quantity, *, anywhere: bool = False) -> Quantity:
        """The value, if the given may have it. `anywhere` on its line a count may be broken, a share above its most.

        Raises UnitError for another dimension, RefusedValueError for a value that is negative or above `most`, or a
        count that is none.
        """
        shown, hint = quantity_full_text(value), f"for example {self.name}={self.example}"
        self.refuse_dimension(Dimension.of(value.units), shown)
        number = base_magnitude(value)
        whole = anywhere or (isinstance(number, Fraction) and number.denominator == 1 and number >= 1)
        if self.count and not whole:
            raise RefusedValueError(f"{self.name} is a count, and {shown} is not a whole number from 1 up", hint)
        if number < 0:
            raise RefusedValueError(f"{self.name} cannot be negative", "quantities are zero or positive")
        if self.most is not None and not anywhere and number > base_magnitude(self.most):
            most = quantity_full_text(self.most)
            raise RefusedValueError(f"{self.name} cannot be more than {most}", f"give a value up to {most}")
        return value

    def refuse_dimension(self, got: Dimension, shown: str) -> None:
        """Raises UnitError if the value written as `shown` has another dimension than the given."""
        wanted = Dimension.of(self.unit)
        if not wanted.same(got):
            needed = f"is measured in {unit_text(self.unit)}" if wanted.powers else "is a plain number"
            is_given = f"is in {got}" if got.powers else "has no unit"
            raise UnitError(f"{self.name} {needed}, but {shown} {is_given}", f"for example {self.name}={self.example}")


@dataclass(frozen=True)
class Step:
    """A quantity with its formula; `parameters` name what it depends on, `sentence` says why.

    `function` takes the parameters by name. It is `written` as its author wrote it, whose own parameter names, `own`,
    are others where the step was brought in under other names.
    """

    name: str
    function: Callable[..., Any]
    unit: Unit
    latex: str
    sentence: str
    parameters: tuple[str, ...]
    written: Callable[..., Any]
    own: tuple[str, ...]

    def renamed(self, name: str, latex: str, sentence: str, names: Mapping[str, str]) -> Step:
        """The same formula under another name, over the quantities that `names` maps its parameters to."""
        parameters = tuple(names.get(parameter, parameter) for parameter in self.parameters)
        inner = self.function

        def function(**values: Any) -> Any:
            return inner(**{old: values[new] for old, new in zip(self.parameters, parameters, strict=True)})

        return replace(self, name=name, function=function, latex=latex, sentence=sentence, parameters=parameters)


@dataclass(frozen=True)
class Binding:
    """Which of the named terms is largest, as a label; a tie goes to the first."""

    name: str
    labels: Mapping[str, str]

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(self.labels)


@dataclass(frozen=True)
class Crossover:
    """An equation and the symbol it is solved for; `less` and `more` say what it means where the left side is at most,
    and is more than, the right one."""

    name: str
    relation: Relation
    solve_for: str
    latex: str
    less: str = ""
    more: str = ""


Item: TypeAlias = Given | Step | Binding | Crossover
AnItem = TypeVar("AnItem", Given, Step, Binding, Crossover)


@dataclass(frozen=True)
class Claim:
    """What somebody else prints about an expression: a figure with its digits, a label, or a formula.

    With `first_integer` it is about the first whole number at or above a crossover.
    """

    of: str
    printed: str
    at: Mapping[str, Any]
    source: str
    first_integer: bool = False

    def __str__(self) -> str:
        place = ", ".join(f"{name} = {value}" for name, value in self.at.items())
        first = "first integer of " if self.first_integer else ""
        return f"{first}{self.of} = {self.printed}" + (f" at {place}" if place else "")


@dataclass(frozen=True)
class Limit:
    """A fact to be proved: where a quantity tends as a symbol grows without bound."""

    of: str
    grows: str
    sentence: str


@dataclass(frozen=True)
class Trend:
    """A fact to be proved: the sign of a quantity's derivative in a symbol."""

    of: str
    grows: str
    sentence: str


@dataclass(frozen=True)
class Equal:
    """A fact to be proved: two quantities are the same for all values."""

    of: str
    to: str
    sentence: str


@dataclass(frozen=True)
class Plan:
    """A way to run something: what it takes of a capacity and how long it lasts, in the case that `at` sets.

    It must stay within the first of the capacities; others are readings to compare with. `gpus` is how many it needs,
    or the count that says so.
    """

    name: Template
    memory: str
    within: tuple[str, ...]
    low: str | None
    high: str | None
    at: Mapping[str, Any]
    gpus: int | str
    sentence: Template


@dataclass(frozen=True)
class Decision:
    """A decision of the chart: which label `of` has, and what each of its outcomes leads to.

    Its text and what it asks may have blanks, as in `conclude`. An outcome without text goes on to the next stage; one
    with a text leads to a box, and from there to the end of the chart. Where all have boxes, they meet in the next
    stage.
    """

    of: str
    asks: str
    outcomes: Mapping[str, str]


@dataclass(frozen=True)
class Worked:
    """The example that show, report and check use where nothing is set, and the quantities that are the answer."""

    over: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    at: Mapping[str, Any] = field(default_factory=dict)
    show: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()


def split_column(text: str) -> tuple[str, str | None]:
    """`t:ms` as name and unit; without a colon the unit is the declared one."""
    name, colon, wanted = text.strip().partition(":")
    return name.strip(), wanted.strip() if colon else None


def in_declared_unit(given: Any, declared: Unit) -> Quantity:
    """A number in the declared unit, or text with a unit, as an exact quantity. A decimal float is read as typed.

    Raises RefusedValueError for what is no finite number.
    """
    if isinstance(given, str):
        return value(given)
    try:
        if isinstance(given, float):
            given = Fraction(repr(float(given)))
        elif isinstance(given, Integral) and not isinstance(given, bool):  # NumPy's as well
            given = int(given)
        return quantity(given, declared)
    except (TypeError, ValueError):
        raise RefusedValueError(
            f"{given!r} is not a finite number", 'give a number in the declared unit or text with a unit: "40 GB"'
        ) from None
