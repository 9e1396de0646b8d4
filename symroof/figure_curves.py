"""Figures over an axis as data: rooflines, times, intensities, scaling. Curves are swept in double precision, marks
are exact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from symroof.algebra import rational
from symroof.declared import Limit
from symroof.errors import RefusedValueError
from symroof.evaluate import Solution
from symroof.figure_case import (
    INTENSITY,
    RATE,
    Compared,
    FigureCase,
    Roofline,
    as_prose,
    equals,
    figure_maths,
    in_unit,
    ridge,
    shown_quantity,
    unit_maths,
)
from symroof.figure_data import Axis, Curve, Level, Panel, Panels, Point, Region, to_float
from symroof.numerals import SIGNIFICANT_ROOT, Exact, exact
from symroof.prose import Prose, phrase, words
from symroof.regimes import Regime, Regimes, regimes_of
from symroof.settings import Settings
from symroof.sweeps import sweep
from symroof.syntax import Literal
from symroof.units import (
    Unit,
    base_magnitude,
    magnitude_in,
    quantity,
    unit,
    unit_text,
)

_HEADROOM = 0.1  # of the height of a figure, for the names of regions
_MOST_ROOFS = 5
_MOST_ROOTS = 4  # that are still marked one by one


def roofline(case: FigureCase, beside: Sequence[Settings], measured: Sequence[Point] = ()) -> Panels:
    """The roofs of the case and of those `beside` it, the ridges, and the places of the example's values."""
    found = case.roofline()
    assert found
    points = list(measured) or _places(case, found)
    roofs = _roofs([case.settings, *beside])
    xs = [to_float(one.x) for one in roofs] + [to_float(one.x) for one in points]
    low, high = min(xs) / 4, max(xs) * 4
    ys = [to_float(one.y) for one in roofs] + [to_float(one.y) for one in points]
    curves, levels = [], []
    for number, roof in enumerate(roofs):
        corner, peak = to_float(roof.x), to_float(roof.y)
        sloped, flat = np.array([low, corner]), np.array([corner, high])
        curves += [
            Curve(roof.labels[0], sloped, sloped / corner * peak, "roof", "along"),
            Curve(roof.labels[1], flat, np.array([peak, peak]), "roof", "above" if len(roofs) == 1 else "end"),
        ]
        levels.append(Level(roof.labels[2], roof.x, upright=True, top=roof.y, roof=number))
    labels = case.bound_labels(found)
    border = roofs[0].x
    regions = (
        Region(as_prose(labels[found.memory]), None, border),
        Region(as_prose(labels[found.compute]), border, None),
    )
    axes = words()["figure"]
    return Panels(
        (
            Panel(
                Axis(as_prose(axes["intensity_axis"]), unit_maths(unit(INTENSITY)), low, high),
                Axis(as_prose(axes["rate_axis"]), unit_maths(unit(RATE)), min(ys) / 3, max(ys) * 3),
                tuple(curves),
                tuple(points),
                tuple(levels),
                regions if len(roofs) == 1 else (),
            ),
        )
    )


@dataclass(frozen=True)
class _Roof:
    """What is written along the slope, at the flat part and at the ridge, and where that lies, in the axes' units."""

    labels: tuple[Prose, Prose, Prose]
    x: Exact
    y: Exact


def _roofs(cases: Sequence[Settings]) -> list[_Roof]:
    """The roofs of some cases; of one roof the parts are named where they are, of several all at the end."""
    if len(cases) > _MOST_ROOFS:
        raise RefusedValueError(f"{len(cases)} roofs are too many for one figure", f"draw at most {_MOST_ROOFS}")
    found: list[_Roof] = []
    for settings in cases:
        case = FigureCase(settings)
        peak, bandwidth = (shown_quantity(case.solution, name) for name in ("P", "beta"))
        corner = ridge(case)
        at_ridge = phrase("ridge", value=figure_maths(corner))
        if len(cases) == 1:
            labels = equals(case, "beta", bandwidth), equals(case, "P", peak), at_ridge
        else:
            on = phrase("on", chip=settings.chip.id, dtype=settings.dtype)
            rates = {"peak": figure_maths(peak), "bandwidth": figure_maths(bandwidth)}
            labels = Prose(()), phrase("roof", on=on, ridge=at_ridge, **rates), Prose(())
        found.append(_Roof(labels, corner.magnitude, magnitude_in(peak, unit(RATE))))
    return found


def _places(case: FigureCase, found: Roofline) -> list[Point]:
    """Where the example's values lie below the roof, and other comparisons that do not move with them."""
    symbol = case.swept
    if symbol is None or not case.moves(found, symbol):
        return [_place(case.solution, found, as_prose(case.symbol(found.compared.bound or found.compute)), "case")]
    own = case.own(symbol)
    points = []
    for value in case.values(symbol):
        is_own = own is not None and base_magnitude(own) == base_magnitude(value)
        points.append(_place(case.at(symbol, value), found, equals(case, symbol, value), "case" if is_own else "swept"))
    marked = [
        _place(case.solution, one, as_prose(case.symbol(one.compared.bound)), "other")
        for one in case.rooflines
        if one.compared.bound and not case.moves(one, symbol)
    ]
    return points + [one for one in marked if all((one.x, one.y) != (point.x, point.y) for point in points)]


def _place(solution: Solution, found: Roofline, label: Prose, role: str) -> Point:
    return Point(label, *found.place(solution), role)


def times(case: FigureCase) -> Panels:
    """The terms of a comparison over the swept symbol, their largest, their sum, and where they meet."""
    symbol = case.swept
    assert symbol is not None
    found = case.compared_along(symbol)
    assert found
    shown = case.unit(found.bound or next(iter(found.labels)))
    walked = _regimes(case, symbol, found)
    stretches = walked.regimes if walked else ()
    declared = case.derivation.unit_of(symbol)
    regions = tuple(
        Region(
            as_prose(one.label), *(None if end is None else magnitude_in(end, declared) for end in (one.low, one.high))
        )
        for one in stretches
    )
    span = case.span(symbol, [one.low for one in regions if one.low is not None])
    roles = dict.fromkeys(found.labels, "part") | {found.bound: "bound", found.total: "total"}
    curves = _swept(case, symbol, {name: role for name, role in roles.items() if name is not None}, shown, span)
    roots = [one for one in _roots(case, symbol, stretches, shown) if span[0] <= to_float(one.x) <= span[1]]
    own = _own_points(case, symbol, found.bound, shown) if found.bound else ()
    levels = tuple(Level(Prose(()), one.x, upright=True, top=one.y) for one in roots)
    y = _y_axis(as_prose(words()["figure"]["time_axis"]), shown, curves)
    return Panels((Panel(case.axis(symbol, *span), y, tuple(curves), (*roots, *own), levels, regions),))


def _regimes(case: FigureCase, symbol: str, found: Compared) -> Regimes | None:
    """Which term is largest where, or None where that is not decided."""
    try:
        return regimes_of(case.settings, symbol, found.name, dict(found.labels))
    except RefusedValueError:
        return None


def _roots(case: FigureCase, symbol: str, stretches: Sequence[Regime], shown: Unit) -> list[Point]:
    """Where one largest term takes over from another, with the symbol of the crossover that asks for it."""
    points = []
    for below, above in pairwise(stretches):
        place = above.low
        if place is None or not below.term or not above.term:
            continue
        solution = case.at(symbol, place)
        named = [
            one.name
            for one in case.derivation.crossovers.values()
            if one.solve_for == symbol and {one.relation.left.text, one.relation.right.text} == {below.term, above.term}
        ]
        label = equals(case, named[0] if named else symbol, place, SIGNIFICANT_ROOT)
        height = in_unit(solution.number(above.term), shown)
        points.append(Point(label, magnitude_in(place, case.derivation.unit_of(symbol)), height, "root"))
    return points if len(points) <= _MOST_ROOTS else []


def intensity(case: FigureCase) -> Panels:
    """Arithmetic intensities over a symbol, their limits, and the ridge."""
    assert case.intensities
    symbol, names = case.intensities
    shown = unit(INTENSITY)
    low, high = case.span(symbol)
    curves = _swept(case, symbol, dict.fromkeys(names, "part"), shown, (low, high))
    levels = []
    for name in names:
        limit = _limit(case, name, symbol)
        if limit:
            value = figure_maths(quantity(in_unit(limit, INTENSITY), INTENSITY))
            label = phrase("limit_of", of=case.symbol(name), value=value)
            levels.append(Level(label, in_unit(limit, INTENSITY)))
    if {"P", "beta"} <= set(case.derivation.givens):
        corner = ridge(case)
        levels.append(Level(phrase("ridge", value=figure_maths(corner)), corner.magnitude))
    own = [point for name in names for point in _own_points(case, symbol, name, shown)]
    y = _y_axis(as_prose(words()["figure"]["intensity_axis"]), shown, curves, levels)
    return Panels((Panel(case.axis(symbol, low, high), y, tuple(curves), tuple(own), tuple(levels)),))


def _limit(case: FigureCase, name: str, symbol: str) -> Exact | None:
    """Where a quantity tends, in base units, if it is finite and has one closed form."""
    try:
        tends = case.algebra.limit(Limit(name, symbol, ""))
    except RefusedValueError:
        return None
    if tends.is_finite is False:
        return None
    return exact(tends.xreplace({one: rational(case.solution.number(one.name)) for one in tends.free_symbols}))


def scaling(case: FigureCase) -> Panels:
    """The time over the number of GPUs, the terms that it is the sum of, and below it the efficiency."""
    name = case.shared
    assert name is not None
    shown = case.unit(name)
    low, high = case.span("g")
    curves = _swept(case, "g", {name: "bound"}, shown, (low, high))
    terms = case.terms(name)
    needed = sorted({used for _, term in terms for used in term.names})
    xs = case.samples("g", low, high)
    found = sweep(case.settings, {"g": xs.tolist()}, needed)
    base = {one.name: one.values * float(base_magnitude(quantity(1, one.unit))) for one in found}
    scale = float(base_magnitude(quantity(1, shown)))
    for label, term in terms:
        curves += _drawable(Curve(as_prose(label), xs, term.compute(base, _double) / scale, "part"))
    x = case.axis("g", low, high)
    time = _y_axis(as_prose(words()["figure"]["time_axis"]), shown, curves)
    panels = [Panel(x, time, tuple(curves), _own_points(case, "g", name, shown))]
    percent = unit("%")
    shares = [
        one
        for one in case.derivation.steps
        if case.measures(one, "1") and case.derivation.unit_of(one) == percent and case.depends(one, "g")
    ]
    if shares:
        curves = _swept(case, "g", dict.fromkeys(shares, "part"), percent, (low, high))
        points = [point for one in shares for point in _own_points(case, "g", one, percent)]
        axis = Axis(as_prose(words()["figure"]["share_axis"]), unit_maths(percent), 0, 108, linear=True)
        panels.append(Panel(x, axis, tuple(curves), tuple(points)))
    return Panels(tuple(panels))


# -- pieces of pictures


def _swept(
    case: FigureCase, symbol: str, roles: Mapping[str, str], shown: Unit, span: tuple[float, float]
) -> list[Curve]:
    """Quantities over a symbol, each in its role."""
    xs = case.samples(symbol, *span)
    suffix = f":{unit_text(shown)}" if unit_text(shown) else ""
    _, *columns = sweep(case.settings, {symbol: xs.tolist()}, [f"{name}{suffix}" for name in roles])
    return [
        curve
        for column, role in zip(columns, roles.values(), strict=True)
        for curve in _drawable(Curve(as_prose(case.symbol(column.name)), xs, column.values, role))
    ]


def _drawable(curve: Curve) -> list[Curve]:
    """The curve, unless it is zero all along: a logarithmic axis has no zero."""
    return [curve] if np.any(curve.y > 0) else []


def _own_points(case: FigureCase, symbol: str, name: str, shown: Unit) -> tuple[Point, ...]:
    """A quantity at the example's values and at the case's own."""
    own = case.own(symbol)
    points = []
    for value in case.values(symbol):
        is_own = own is not None and base_magnitude(own) == base_magnitude(value)
        height = in_unit(case.at(symbol, value).number(name), shown)
        role, label = ("case", equals(case, symbol, value)) if is_own else ("swept", Prose(()))
        points.append(Point(label, magnitude_in(value, case.derivation.unit_of(symbol)), height, role))
    return tuple(points)


def _y_axis(label: Prose, shown: Unit, curves: Sequence[Curve], levels: Sequence[Level] = ()) -> Axis:
    heights = [curve.y[curve.y > 0] for curve in curves]
    lows = [*(float(np.min(one)) for one in heights), *(to_float(level.at) for level in levels)]
    highs = [*(float(np.max(one)) for one in heights), *(to_float(level.at) for level in levels)]
    low, high = min(lows, default=0.5), max(highs, default=2.0)
    return Axis(label, unit_maths(shown), low / 1.6, high * max(2.2, (high / low) ** _HEADROOM))


def _double(literal: Literal) -> float:
    return to_float(base_magnitude(quantity(literal.number, literal.unit)))
