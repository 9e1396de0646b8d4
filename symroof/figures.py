"""The figures of a derivation: which kinds it has, what each says, and its drawing.

What a figure shows comes from the derivation itself: its comparisons, crossovers, limits, plans and graph.
`figure_case` finds it, `figure_curves`, `figure_memory` and `figure_graph` make data of it, `drawing` draws that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from symroof import figure_curves, figure_graph, figure_memory
from symroof.errors import RefusedValueError, SymroofError, UnknownNameError, listing
from symroof.figure_case import FigureCase, as_prose, equals, figure_maths, listed, ridge
from symroof.figure_data import Axis, Bars, Panels, Picture, Point
from symroof.measured import Measurement
from symroof.prose import Prose, filled, words
from symroof.settings import Settings
from symroof.units import quantity


def kinds(settings: Settings) -> list[str]:
    """The kinds of figure that a derivation has in this case, in the order in which a report shows them."""
    return _kinds_of(FigureCase(settings))


GRAPH = "graph"  # the kind that Markdown draws itself
_MOST_NODES = 60  # of a graph on a page
_FINEST = 1e-100  # of the ends of an axis, and the inverse; ticks are worked out in doubles


@dataclass(frozen=True)
class Illustration:
    """A figure: its kind, the derivation it is of, what it says, and itself as data."""

    kind: str
    derivation: str
    caption: Prose
    picture: Picture

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"{self.derivation}-{self.kind}"

    def drawn(self, form: str) -> bytes:
        """As `svg`, `pdf` or `png`; the same figure gives the same bytes. Raises OutputError without matplotlib."""
        from symroof.drawing import draw

        return draw(self.picture, form, name=self.name, title=self.caption.text)


def illustration(
    settings: Settings, kind: str, measured: Sequence[Measurement] = (), beside: Sequence[Settings] = ()
) -> Illustration:
    """A figure of a derivation. `beside` are further cases whose roofs a roofline shows as well.

    Raises UnknownNameError for a kind that is none, RefusedValueError for one that this derivation does not have or
    that shows no measurements and no further roofs, and the errors of working the quantities out.
    """
    return _illustration(FigureCase(settings), kind, measured, beside)


def illustrations(settings: Settings) -> list[Illustration]:
    """All figures that a derivation has in this case; one whose quantities cannot be worked out is left out."""
    case = FigureCase(settings)
    found = []
    for kind in _kinds_of(case):
        if kind == GRAPH and len(settings.derivation.items) > _MOST_NODES:
            continue  # too small to read on a page
        with suppress(SymroofError):
            found.append(_illustration(case, kind, (), ()))
    return found


def _illustration(
    case: FigureCase, kind: str, measured: Sequence[Measurement], beside: Sequence[Settings]
) -> Illustration:
    try:
        shown = _picture(case, kind, measured, beside)
        caption = filled(words()["figure"]["caption"][kind], _KINDS[kind].said(case, shown))
    except (ArithmeticError, ValueError):  # an axis from 0, or numbers that a double cannot hold
        raise _undrawable(kind, case.derivation.name) from None
    if not all(_FINEST < abs(end) < 1 / _FINEST for axis in _axes(shown) for end in (axis.low, axis.high) if end):
        raise _undrawable(kind, case.derivation.name)
    return Illustration(kind, case.derivation.name, caption, shown)


def _axes(shown: Picture) -> list[Axis]:
    match shown:
        case Panels():
            return [axis for panel in shown.panels for axis in (panel.x, panel.y)]
        case Bars():
            return [shown.axis]
    return []


def _undrawable(kind: str, name: str) -> RefusedValueError:
    return RefusedValueError(
        f"the {kind} figure of {name} cannot be drawn at these values: they are 0 or too far apart", "set other values"
    )


def _picture(case: FigureCase, kind: str, measured: Sequence[Measurement], beside: Sequence[Settings]) -> Picture:
    if kind not in KINDS:
        raise UnknownNameError("kind of figure", kind, _kinds_of(case))
    if not _KINDS[kind].applies(case):
        needs = words()["figure"]["needs"][kind]
        has = listing(_kinds_of(case)) if _kinds_of(case) else "no figure"
        raise RefusedValueError(f"{case.derivation.name} has no {kind} figure: {needs}", f"it has {has}")
    if kind == "roofline":
        return figure_curves.roofline(case, beside, _measured_points(case, measured))
    if measured or beside:
        given = "measured times" if measured else "several chips or data types"
        raise RefusedValueError(f"{given} go into a roofline, not into {kind}", "ask for roofline")
    return _KINDS[kind].picture(case)


def _kinds_of(case: FigureCase) -> list[str]:
    return [kind for kind in KINDS if _KINDS[kind].applies(case)]


def _measured_points(case: FigureCase, measured: Sequence[Measurement]) -> list[Point]:
    """The measurements, each named by the givens in which they differ and by its share of the bound."""
    points = []
    differing = [
        name
        for name in (measured[0].values if measured else ())
        if any(one.values[name] != measured[0].values[name] for one in measured)
    ]
    for one in measured:
        share = as_prose(figure_maths(quantity(one.share * 100, "%")))
        givens = [equals(case, name, one.values[name]) for name in differing]
        label = filled(words()["figure"]["measured"], {"givens": listed(givens), "share": share})
        role = "above" if one.above else "measured"
        points.append(Point(label if givens else share, one.intensity.magnitude, one.rate.magnitude, role))
    return points


@dataclass(frozen=True)
class _Kind:
    """Whether a derivation has this kind, what it shows, and what its caption is filled in with."""

    applies: Callable[[FigureCase], bool]
    picture: Callable[[FigureCase], Picture]
    said: Callable[[FigureCase, Picture], Mapping[str, Prose]]


def _has_times(case: FigureCase) -> bool:
    return case.swept is not None and case.compared_along(case.swept) is not None


def _times_said(case: FigureCase, shown: Picture) -> dict[str, Prose]:
    assert case.swept
    assert isinstance(shown, Panels)
    panel = shown.panels[0]
    roots = listed([point.label for point in panel.points if point.role == "root"])
    terms = [curve.label for curve in panel.curves if curve.role == "part"]
    changing = words()["figure"]["changes" if len(terms) == 2 else "changes_of_many"]
    changes = filled(changing, {"terms": listed(terms), "roots": roots}) if roots.parts else Prose(())
    return {
        "times": listed([curve.label for curve in panel.curves]),
        "symbol": as_prose(case.symbol(case.swept)),
        "changes": changes,
    }


def _memory_said(case: FigureCase, shown: Picture) -> dict[str, Prose]:
    assert isinstance(shown, Bars)
    cut = any(figure_memory.is_cut(bar) for bar in shown.bars)
    return {
        "compared": figure_memory.compared(case),
        "limit": shown.limit_label,
        "cut": as_prose(words()["figure"]["cut"] if cut else ""),
    }


def _intensity_said(case: FigureCase, shown: Picture) -> dict[str, Prose]:
    assert case.intensities
    assert isinstance(shown, Panels)
    panel = shown.panels[0]
    levels = listed([level.label for level in panel.levels])
    return {
        "intensities": listed([curve.label for curve in panel.curves]),
        "symbol": as_prose(case.symbol(case.intensities[0])),
        "levels": filled(words()["figure"]["dashed"], {"levels": levels}) if levels.parts else Prose(()),
    }


def _scaling_said(case: FigureCase, _shown: Picture) -> dict[str, Prose]:
    assert case.shared
    terms = listed([as_prose(label) for label, _ in case.terms(case.shared)])
    return {"time": as_prose(case.symbol(case.shared)), "terms": terms, "symbol": as_prose(case.symbol("g"))}


_KINDS: Mapping[str, _Kind] = {
    "roofline": _Kind(
        lambda case: case.roofline() is not None,
        lambda case: figure_curves.roofline(case, ()),
        lambda case, _: {"ridge": as_prose(figure_maths(ridge(case)))},
    ),
    "times": _Kind(_has_times, figure_curves.times, _times_said),
    "memory": _Kind(figure_memory.has_memory, figure_memory.memory, _memory_said),
    "intensity": _Kind(lambda case: case.intensities is not None, figure_curves.intensity, _intensity_said),
    "scaling": _Kind(lambda case: case.shared is not None, figure_curves.scaling, _scaling_said),
    GRAPH: _Kind(
        lambda case: bool(case.derivation.steps),
        lambda case: figure_graph.graph(case.derivation),
        lambda _case, _shown: {},
    ),
}
KINDS = tuple(_KINDS)
