"""Running a formula along every branch of its conditionals.

A formula may compare its parameters (`if m > 128: ...`). On numbers the comparison has an answer; on symbols,
dimensions and columns it has none, so the formula is run once for each answer and the answers are kept as the
conditions of that branch. Everything Python does with a comparison works: guards, `elif`, `and`, `max`, loops.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from symroof.errors import AuthoringError, InexactError

LIMIT = 64


@dataclass(frozen=True)
class Branch:
    """One way through a formula: what it returns, and the comparisons made with the answer assumed for each."""

    value: Any
    conditions: tuple[tuple[Any, bool], ...]


class _Path:
    """The answers of one run: first those prescribed, then always yes."""

    def __init__(self, prescribed: tuple[bool, ...]) -> None:
        self.prescribed = prescribed
        self.conditions: list[tuple[Any, bool]] = []

    def answer(self, comparison: Any) -> bool:
        at = len(self.conditions)
        if at >= LIMIT:
            raise AuthoringError(
                f"the formula makes more than {LIMIT} comparisons in one branch",
                "use largest, smallest or total, or split the step",
            )
        holds = self.prescribed[at] if at < len(self.prescribed) else True
        self.conditions.append((comparison, holds))
        return holds


class Comparison:
    """The outcome of comparing two traced values: asked for its truth, it answers as the path prescribes."""

    def __init__(self, comparison: Any, path: _Path) -> None:
        self.comparison = comparison
        self.path = path

    def __bool__(self) -> bool:
        try:
            return bool(self.comparison)  # a comparison that holds whatever the values are: m > 0
        except (TypeError, ValueError):  # SymPy relations, dimensions; NumPy columns
            return self.path.answer(self.comparison)


class Traced:
    """A value on its way through a formula: arithmetic goes to the value, comparisons to the path."""

    def __init__(self, value: Any, path: _Path) -> None:
        self.value = value
        self.path = path

    __hash__ = None  # type: ignore[assignment]
    _op_priority = 20.0  # SymPy leaves arithmetic and comparisons with a traced value to it

    def with_value(self, value: Any) -> Traced:
        return Traced(value, self.path)

    def __bool__(self) -> bool:
        return bool(Comparison(_unequal(self.value, 0), self.path))

    def __float__(self) -> float:
        raise InexactError(
            "the formula makes a float of its parameter (float(...), math.sqrt ...)",
            "use the functions of symroof: sqrt, ceil, floor, largest, smallest, total",
        )

    def __index__(self) -> int:
        raise AuthoringError(
            "the formula uses a parameter where Python needs a number at once (range, an index)",
            "write the closed form, or use the functions of symroof: total, ceil, floor",
        )

    def __round__(self, digits: int = 0) -> int:
        return self.__index__()

    __int__ = __trunc__ = __floor__ = __ceil__ = __index__


def bare(value: Any) -> Any:
    """The value without its tracing."""
    return value.value if isinstance(value, Traced) else value


def beside(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The bare values; exact numbers beside a column in double precision, or NumPy would make columns of objects."""
    found = tuple(bare(value) for value in values)
    columns = [type(value).__module__ == "numpy" for value in found]
    if not any(columns):
        return found
    return tuple(value if is_column else float(value) for value, is_column in zip(found, columns, strict=True))


def _define_operators() -> None:
    """Gives Traced Python's operators: each applies to the bare values."""

    def arithmetic(function: Callable[[Any, Any], Any], swap: bool) -> Callable[[Traced, object], Traced]:
        def method(self: Traced, other: object) -> Traced:
            left, right = beside((other, self) if swap else (self, other))
            return self.with_value(function(left, right))

        return method

    def comparing(function: Callable[[Any, Any], Any]) -> Callable[[Traced, object], Comparison]:
        def method(self: Traced, other: object) -> Comparison:
            return Comparison(function(*beside((self, other))), self.path)

        return method

    def unary(function: Callable[[Any], Any]) -> Callable[[Traced], Traced]:
        return lambda self: self.with_value(function(self.value))

    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
        setattr(Traced, f"__{name}__", arithmetic(getattr(operator, name), swap=False))
        setattr(Traced, f"__r{name}__", arithmetic(getattr(operator, name), swap=True))
    for name in ("lt", "le", "gt", "ge"):
        setattr(Traced, f"__{name}__", comparing(getattr(operator, name)))
    Traced.__eq__ = comparing(_equal)  # type: ignore[assignment, method-assign]
    Traced.__ne__ = comparing(_unequal)  # type: ignore[assignment, method-assign]
    for name in ("neg", "pos", "abs"):
        setattr(Traced, f"__{name}__", unary(getattr(operator, name)))


def _equal(left: Any, right: Any) -> Any:
    """== as a statement about values; SymPy's own == compares the writing of two expressions."""
    if _symbolic(left, right):
        import sympy

        return sympy.Eq(left, right)
    return left == right


def _unequal(left: Any, right: Any) -> Any:
    if _symbolic(left, right):
        import sympy

        return sympy.Ne(left, right)
    return left != right


def _symbolic(*values: Any) -> bool:
    return any(type(value).__module__.startswith("sympy.") for value in values)


_define_operators()


def explore(function: Callable[..., Any], arguments: Mapping[str, Any]) -> list[Branch]:
    """All branches of the formula, those whose comparisons hold first.

    Raises AuthoringError where there are more than 64.
    """
    found: list[Branch] = []
    waiting: list[tuple[bool, ...]] = [()]
    while waiting:
        if len(found) >= LIMIT:
            raise AuthoringError(
                f"the formula has more than {LIMIT} branches", "use largest or smallest, or split the step"
            )
        path = _Path(waiting.pop())
        value = function(**{name: Traced(value, path) for name, value in arguments.items()})
        found.append(Branch(bare(value), tuple(path.conditions)))
        answers = tuple(holds for _, holds in path.conditions)
        # Each answer that was not prescribed leaves its opposite to be tried, the last one first.
        waiting.extend((*answers[:at], False) for at in range(len(path.prescribed), len(answers)))
    return found
