"""The figures of a derivation: which kinds it has, what each says, and its drawing.

What a figure shows comes from the derivation itself: its comparisons, crossovers, limits, plans and graph. `charts`,
`stacks` and `layers` find it as data, `drawing` draws it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symroof import charts, layers, stacks
from symroof.charts import Case
from symroof.errors import RefusedValueError, UnknownNameError, listing
from symroof.measured import Measurement
from symroof.pictures import Picture, Point
from symroof.prose import Maths, Prose, filled, words
from symroof.settings import Settings
from symroof.units import quantity


def kinds(settings: Settings) -> list[str]:
    """The kinds of figure that a derivation has in this case, in the order in which a report shows them."""
    case = Case(settings)
    return [kind for kind in KINDS if _KINDS[kind].applies(case)]


def picture(
    settings: Settings, kind: str, measured: Sequence[Measurement] = (), beside: Sequence[Settings] = ()
) -> Picture:
    """What a figure shows, as data. `beside` are further cases whose roofs a roofline shows as well.

    Raises UnknownNameError for a kind that is none, RefusedValueError for one that this derivation does not have.
    """
    case = Case(settings)
    _refuse(case, kind)
    if kind != "roofline" and (measured or beside):
        given = "measured points" if measured else "several chips or data types"
        raise RefusedValueError(f"{given} go with a roofline, not with {kind}", "ask for roofline")
    if kind == "roofline":
        return charts.roofline(case, beside, [_measured_point(one) for one in measured])
    return _KINDS[kind].picture(case)


def caption(settings: Settings, kind: str) -> Prose:
    """What the figure says, as a sentence for below it."""
    case = Case(settings)
    _refuse(case, kind)
    return filled(words()["figure"][kind], _KINDS[kind].said(case))


def draw(
    settings: Settings,
    kind: str,
    form: str,
    measured: Sequence[Measurement] = (),
    beside: Sequence[Settings] = (),
) -> bytes:
    """The figure as `svg`, `pdf` or `png`; the same figure gives the same bytes.

    Raises OutputError where matplotlib is not installed, and the errors of `picture`.
    """
    from symroof.drawing import draw as drawn

    name = f"{settings.derivation.name}-{kind}"
    return drawn(picture(settings, kind, measured, beside), form, name=name, title=caption(settings, kind).text)


def _refuse(case: Case, kind: str) -> None:
    if kind not in _KINDS:
        raise UnknownNameError("figure", kind, [one for one in KINDS if _KINDS[one].applies(case)])
    if not _KINDS[kind].applies(case):
        has = [one for one in KINDS if _KINDS[one].applies(case)]
        raise RefusedValueError(
            f"{case.derivation.name} has no {kind} figure: {words()['figure']['needs'][kind]}", f"it has {listing(has)}"
        )


def _measured_point(one: Measurement) -> Point:
    share = charts.figure_maths(quantity(one.share * 100, "%"))
    return Point(
        charts.as_prose(share), one.intensity.magnitude, one.rate.magnitude, "above" if one.above else "measured"
    )


@dataclass(frozen=True)
class _Kind:
    applies: Callable[[Case], bool]
    picture: Callable[[Case], Picture]
    said: Callable[[Case], Mapping[str, Any]]


def _compared(case: Case) -> bool:
    return case.swept is not None and case.compared_along(case.swept) is not None


def _roofline_said(case: Case) -> dict[str, Maths]:
    return {"ridge": charts.figure_maths(charts.ridge(case))}


def _times_said(case: Case) -> dict[str, Any]:
    assert case.swept
    found = case.compared_along(case.swept)
    assert found
    names = [name for name in (*found.labels, found.bound, found.total) if name]
    return {"names": charts.listed([case.symbol(name) for name in names]), "symbol": case.symbol(case.swept)}


def _intensity_said(case: Case) -> dict[str, Any]:
    assert case.intensities
    symbol, names = case.intensities
    return {"names": charts.listed([case.symbol(name) for name in names]), "symbol": case.symbol(symbol)}


def _scaling_said(case: Case) -> dict[str, Any]:
    assert case.shared
    return {
        "time": case.symbol(case.shared),
        "terms": charts.listed([label for label, _ in case.terms(case.shared)]),
        "symbol": case.symbol("g"),
    }


_KINDS: Mapping[str, _Kind] = {
    "roofline": _Kind(lambda case: case.roofline() is not None, lambda case: charts.roofline(case, ()), _roofline_said),
    "times": _Kind(_compared, charts.times, _times_said),
    "memory": _Kind(stacks.has_memory, stacks.memory, lambda case: {"names": charts.listed(stacks.compared(case))}),
    "intensity": _Kind(lambda case: case.intensities is not None, charts.intensity, _intensity_said),
    "scaling": _Kind(lambda case: case.shared is not None, charts.scaling, _scaling_said),
    "graph": _Kind(
        lambda case: bool(case.derivation.steps),
        lambda case: layers.graph(case.derivation),
        lambda case: {"count": len(case.derivation.steps)},
    ),
}
KINDS = tuple(_KINDS)
