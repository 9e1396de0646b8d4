"""A figure as data: what it shows, before anything is drawn. Numbers that are printed or marked are exact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from symroof.errors import RefusedValueError
from symroof.numerals import Exact, as_float
from symroof.prose import Maths, Prose

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Axis:
    """What is measured along an axis, in which unit, and from where to where; logarithmic unless it is linear."""

    label: Prose
    unit: Maths
    low: float
    high: float
    linear: bool = False


@dataclass(frozen=True)
class Curve:
    """A line through many points. Its role says how it is drawn: roof, bound, part, total; `named` says where its name
    stands: at its end, along it or above it. The two parts of a roof are two curves in turn."""

    label: Prose
    x: Array
    y: Array
    role: str
    named: str = "end"


@dataclass(frozen=True)
class Point:
    """A marked place. Its role says how it is drawn: swept, case (the one worked through), root, other, measured,
    above (measured, and faster than the bound)."""

    label: Prose
    x: Exact
    y: Exact
    role: str


@dataclass(frozen=True)
class Level:
    """A dashed line at one value: across the figure, or if it is `upright` from the bottom up to `top`, in the hue of
    the roof with this number."""

    label: Prose
    at: Exact
    upright: bool = False
    top: Exact | None = None
    roof: int = 0


@dataclass(frozen=True)
class Region:
    """A stretch of the x axis on which a label holds; None is an end that is not there."""

    label: Prose
    low: Exact | None
    high: Exact | None


@dataclass(frozen=True)
class Panel:
    """Curves over one axis."""

    x: Axis
    y: Axis
    curves: tuple[Curve, ...] = ()
    points: tuple[Point, ...] = ()
    levels: tuple[Level, ...] = ()
    regions: tuple[Region, ...] = ()


@dataclass(frozen=True)
class Panels:
    """One panel, or several above each other that share the x axis."""

    panels: tuple[Panel, ...]


@dataclass(frozen=True)
class Part:
    """A part of a bar. Parts of one family have one colour."""

    label: Maths
    value: Exact
    family: int


@dataclass(frozen=True)
class Bar:
    """A stack of parts against its own limit."""

    name: Prose
    parts: tuple[Part, ...]
    total: Exact
    total_label: Maths
    limit: Exact


@dataclass(frozen=True)
class Bars:
    """Stacked bars; `limit_label` names the one limit that all of them have, or says that each has its own."""

    axis: Axis
    bars: tuple[Bar, ...]
    limit_label: Prose


@dataclass(frozen=True)
class Node:
    """A quantity: its kind is given, step or label; `layer` counts from the givens, `place` within the layer."""

    name: str
    label: Maths
    kind: str
    layer: int
    place: float


@dataclass(frozen=True)
class Edge:
    """From one quantity to another that is worked out from it: the layers and places that the line passes."""

    start: str
    end: str
    path: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Graph:
    """Which quantity feeds which: nodes by layer, and the edges between them."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


Picture: TypeAlias = Panels | Bars | Graph


def to_float(number: Exact) -> float:
    """The nearest double, for a place in a figure. Raises RefusedValueError outside its range."""
    found: float | None = as_float(number)
    if found is None:
        raise RefusedValueError("a number is too large or too small to draw", "set other values")
    return found
