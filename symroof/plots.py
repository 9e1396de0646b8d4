"""What a derivation's figures over an axis show, found from its graph: rooflines, times, intensities, scaling.

A roofline needs no declaration: where a time at the peak rate P is compared with one at the bandwidth beta, their
products with these rates are the work and the traffic. Curves are swept in double precision, marks are exact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import sympy

from symroof.algebra import rational
from symroof.case import Case
from symroof.derivation import Limit, in_declared_unit
from symroof.dimensions import is_label
from symroof.errors import MissingGivenError, RefusedValueError
from symroof.evaluate import Solution
from symroof.expression import Expression
from symroof.numerals import SIGNIFICANT, SIGNIFICANT_ROOT, Exact, exact
from symroof.pictures import Array, Axis, Curve, Level, Panel, Panels, Point, Region, to_float
from symroof.prose import Maths, Prose, phrase, words
from symroof.regimes import Regime, Regimes, comparisons, regimes_of
from symroof.settings import Settings
from symroof.sweeps import sweep
from symroof.syntax import Literal
from symroof.units import (
    Dimension,
    Quantity,
    Unit,
    base_magnitude,
    magnitude_in,
    quantity,
    quantity_latex,
    quantity_text,
    unit,
    unit_latex,
    unit_text,
)

INTENSITY, RATE = "FLOP/byte", "TFLOP/s"  # the units of a roofline's axes
_SAMPLES = 240
_AROUND = 16  # a range around one value goes from a sixteenth of it to sixteen times it
_BESIDE = 8  # times a root that is to be seen with what lies on both sides of it
_FAR = 1000  # times the values shown, beyond which a root is not
_HEADROOM = 0.1  # of the height of a figure, for the names of regions
_MOST_ROOFS = 5
_MOST_ROOTS = 4  # that are still marked one by one


@dataclass(frozen=True)
class Compared:
    """Terms of which the largest binds, with its labels; `bound` and `total` are the steps that are their largest and
    their sum, where there are such."""

    name: str
    labels: Mapping[str, str]
    bound: str | None
    total: str | None


@dataclass(frozen=True)
class Roofline:
    """A time at the peak rate P and one at the bandwidth beta: work is the first times P, traffic the other times
    beta."""

    compared: Compared
    compute: str
    memory: str

    def place(self, solution: Solution) -> tuple[Exact, Exact]:
        """Arithmetic intensity and attainable rate at the values given, in the units of the axes. Exact."""
        work = solution.number(self.compute) * solution.number("P")
        traffic = solution.number(self.memory) * solution.number("beta")
        if not traffic or not work:
            zero = self.memory if not traffic else self.compute
            raise RefusedValueError(f"{zero} is 0 and has no place on a roofline", "set other values")
        longer = self.compute if solution.number(self.compute) >= solution.number(self.memory) else self.memory
        return in_unit(exact(work / traffic), INTENSITY), in_unit(exact(work / solution.number(longer)), RATE)


class Plotted(Case):
    """A derivation in one case, asked what its figures have to show."""

    def measures(self, name: str, like: str) -> bool:
        """Whether a quantity has the dimension of a unit."""
        if is_label(self.derivation, name):
            return False
        return Dimension.of(self.derivation.unit_of(name)).same(Dimension.of(unit(like)))

    def depends(self, name: str, on: str) -> bool:
        """Whether a quantity is worked out from a given, be it through the formula of another given."""
        waiting, seen = [name], set()
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                waiting += self.derivation.parameters(one)
                waiting += self.settings.depends_on(one) if one in self.derivation.givens else []
        return on in seen

    # -- the axis

    @cached_property
    def swept(self) -> str | None:
        """The symbol that figures run over: the example's, else that of a crossover, else the one the example sets."""
        crossovers = [one.solve_for for one in self.derivation.crossovers.values()]
        at = list(self.derivation.example.at)
        return next(iter([*self.derivation.example.over, *crossovers, *(at if len(at) == 1 else [])]), None)

    def values(self, symbol: str) -> list[Quantity]:
        """The example's values of a symbol and the case's own, ascending."""
        given = self.derivation.givens[symbol]
        found = [in_declared_unit(one, given.unit) for one in self.derivation.example.over.get(symbol, ())]
        own = self.own(symbol)
        if own is not None and all(base_magnitude(own) != base_magnitude(one) for one in found):
            found.append(own)
        return sorted(found, key=base_magnitude)

    def own(self, symbol: str) -> Quantity | None:
        try:
            value = self.solution[symbol]
        except MissingGivenError:
            return None
        assert not isinstance(value, str)
        return value

    def span(self, symbol: str, also: Sequence[Exact] = ()) -> tuple[float, float]:
        """From where to where an axis goes, in the symbol's declared unit, with some room at both ends.

        `also` are further places to show, unless they lie far beyond the others.
        """
        given = self.derivation.givens[symbol]
        places = [to_float(magnitude_in(one, given.unit)) for one in self.values(symbol)]
        places = [one for one in places if one > 0]
        low, high = min(places, default=1.0), max(places, default=1.0)
        for place in map(to_float, also):
            if low / _FAR <= place <= high * _FAR:
                low, high = min(low, place / _BESIDE), max(high, place * _BESIDE)
        if high < _AROUND * low:
            low, high = low / _AROUND, high * _AROUND
        return (max(1.0, math.floor(low)), math.ceil(high)) if given.count else (low, high)

    def samples(self, symbol: str, low: float, high: float) -> Array:
        """Places along a logarithmic axis; those of a count are whole."""
        found = np.geomspace(low, high, _SAMPLES)
        return np.unique(np.round(found)) if self.derivation.givens[symbol].count else found

    def axis(self, symbol: str, low: float, high: float) -> Axis:
        given = self.derivation.givens[symbol]
        meaning = given.description.partition(",")[0]
        label = (
            phrase("axis", symbol=self.symbol(symbol), meaning=meaning) if meaning else as_prose(self.symbol(symbol))
        )
        return Axis(label, unit_maths(given.unit), low, high)

    def at(self, symbol: str, place: Quantity) -> Solution:
        return Solution(self.settings.at_point(symbol, place))

    # -- what is compared

    @cached_property
    def compared(self) -> list[Compared]:
        """All comparisons of times: bindings, steps that are a largest, and the sides of crossovers."""
        found = dict(comparisons(self.derivation))
        for crossover in self.derivation.crossovers.values():
            sides = [crossover.relation.left.text, crossover.relation.right.text]
            known = all(side in self.derivation.quantities for side in sides)
            if known and not any(set(sides) <= set(labels) for labels in found.values()):
                found[crossover.name] = {side: phrase("larger", term=side).text for side in sides}
        return [
            Compared(name, labels, self._step_of(sympy.Max, labels), self._step_of(sympy.Add, labels))
            for name, labels in found.items()
            if all(self.measures(term, "s") for term in labels)
        ]

    def _step_of(self, kind: type[sympy.Expr], terms: Mapping[str, str]) -> str | None:
        """The step that is the largest or the sum of just these terms."""
        wanted = {self.algebra.symbol(term) for term in terms}
        for name, step in self.derivation.steps.items():
            if set(step.parameters) == set(terms) and not is_label(self.derivation, name):
                formula = self.algebra.step(name)
                if isinstance(formula, kind) and set(formula.args) == wanted:
                    return name
        return None

    def compared_along(self, symbol: str) -> Compared | None:
        """The first comparison of which a term depends on the symbol."""
        depending = (one for one in self.compared if any(self.depends(term, symbol) for term in one.labels))
        return next(depending, None)

    @cached_property
    def rooflines(self) -> list[Roofline]:
        """The comparisons of a time at the peak rate with one at the full bandwidth."""
        found = []
        for one in self.compared:
            compute = [term for term in one.labels if self._is_time_at(term, "P", "beta")]
            memory = [term for term in one.labels if self._is_time_at(term, "beta", "P")]
            if len(one.labels) == 2 and compute and memory:
                found.append(Roofline(one, compute[0], memory[0]))
        return found

    def _is_time_at(self, term: str, rate: str, other: str) -> bool:
        """Whether a term is something divided by the given `rate`, whatever `other` is."""
        used = self.derivation.ancestors([term])
        if rate not in used or other in used or rate not in self.derivation.givens:
            return False
        formula = self.algebra.composed(self.algebra.symbol(term), self.algebra.reaching([term], rate))
        return self.algebra.symbol(rate) not in sympy.cancel(formula * self.algebra.symbol(rate)).free_symbols

    def roofline(self) -> Roofline | None:
        """The roofline that moves with the swept symbol, else the first."""
        moving = (one for one in self.rooflines if self.swept and self._moves(one, self.swept))
        return next(moving, next(iter(self.rooflines), None))

    def _moves(self, roofline: Roofline, symbol: str) -> bool:
        return self.depends(roofline.compute, symbol) or self.depends(roofline.memory, symbol)

    def bound_labels(self, roofline: Roofline) -> dict[str, str]:
        """What is said where each of the two times is the longer: the author's words, if the comparison has some."""
        if roofline.compared.name in self.derivation.bindings:
            return dict(roofline.compared.labels)
        said = words()["figure"]
        return {roofline.compute: said["compute_bound"], roofline.memory: said["memory_bound"]}

    @cached_property
    def intensities(self) -> tuple[str, list[str]] | None:
        """A symbol, and the arithmetic intensities to show over it: those whose limits the author states, else all
        that depend on the swept symbol."""
        for fact in self.derivation.facts:
            if isinstance(fact, Limit) and self.measures(fact.of, INTENSITY) and fact.grows in self.derivation.givens:
                facts = [one for one in self.derivation.facts if isinstance(one, Limit) and one.grows == fact.grows]
                return fact.grows, [one.of for one in facts if self.measures(one.of, INTENSITY)]
        symbol = self.swept
        found = [
            name
            for name in self.derivation.steps
            if symbol is not None and self.measures(name, INTENSITY) and self.depends(name, symbol)
        ]
        return (symbol, found) if symbol is not None and found else None

    @cached_property
    def shared(self) -> str | None:
        """The time that work shared by g devices takes: a sum of which some terms need the link between them."""
        for name in self.derivation.steps if "g" in self.derivation.givens else ():
            if self.measures(name, "s") and self.depends(name, "g"):
                linked = [any(self.depends(used, "beta_link") for used in term.names) for _, term in self.terms(name)]
                if any(linked) and not all(linked):
                    return name
        return None

    def terms(self, name: str) -> list[tuple[Maths, Expression]]:
        """The terms of a step's formula that is a sum, in the author's order; else the step itself."""
        formula = self.algebra.step(name)
        if not isinstance(formula, sympy.Add):
            return [(self.symbol(name), self.derivation.expression(name))]
        position = {parameter: at for at, parameter in enumerate(self.derivation.steps[name].parameters)}
        ordered = sorted(formula.args, key=lambda term: sorted(position[one.name] for one in term.free_symbols))
        writer = self.algebra.writer
        written = [Maths(writer.latex(term), writer.text(term)) for term in ordered]
        return [(one, self.derivation.expression(one.text)) for one in written]


# -- the pictures


def roofline(case: Plotted, beside: Sequence[Settings], measured: Sequence[Point] = ()) -> Panels:
    """The roofs of the case and of those `beside` it, the ridges, and the places of the example's values."""
    found = case.roofline()
    assert found
    points = list(measured) or _places(case, found)
    roofs = _roofs([case.settings, *beside])
    ridges = [in_unit(exact(roof.peak / roof.bandwidth), INTENSITY) for roof in roofs]
    xs = [to_float(ridge) for ridge in ridges] + [to_float(point.x) for point in points]
    low, high = min(xs) / 4, max(xs) * 4
    peaks = [to_float(in_unit(roof.peak, RATE)) for roof in roofs]
    ys = [*peaks, *(to_float(point.y) for point in points)]
    curves, levels = [], []
    for number, (roof, corner, peak) in enumerate(zip(roofs, ridges, peaks, strict=True)):
        ridge = to_float(corner)
        sloped, flat = np.array([low, ridge]), np.array([ridge, high])
        curves += [
            Curve(roof.labels[0], sloped, sloped / ridge * peak, "roof"),
            Curve(roof.labels[1], flat, np.array([peak, peak]), "roof"),
        ]
        levels.append(Level(roof.labels[2], corner, upright=True, top=in_unit(roof.peak, RATE), roof=number))
    labels = case.bound_labels(found)
    border = ridges[0]
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
    """What is written along the slope, at the flat part and at the ridge; peak rate and bandwidth in base units."""

    labels: tuple[Prose, Prose, Prose]
    peak: Exact
    bandwidth: Exact


def _roofs(cases: Sequence[Settings]) -> list[_Roof]:
    """The roofs of some cases; of one roof the parts are named where they are, of several all at the end."""
    if len(cases) > _MOST_ROOFS:
        raise RefusedValueError(f"{len(cases)} roofs are too many for one figure", f"draw at most {_MOST_ROOFS}")
    found: list[_Roof] = []
    for settings in cases:
        case = Plotted(settings)
        peak, bandwidth = (shown_quantity(case.solution, name) for name in ("P", "beta"))
        at_ridge = phrase("ridge", value=figure_maths(ridge(case)))
        if len(cases) == 1:
            labels = equals(case, "beta", bandwidth), equals(case, "P", peak), at_ridge
        else:
            on = phrase("on", chip=settings.chip.id, dtype=settings.dtype)
            rates = {"peak": figure_maths(peak), "bandwidth": figure_maths(bandwidth)}
            labels = Prose(()), phrase("roof", on=on, ridge=at_ridge, **rates), Prose(())
        found.append(_Roof(labels, base_magnitude(peak), base_magnitude(bandwidth)))
    return found


def _places(case: Plotted, found: Roofline) -> list[Point]:
    """Where the example's values lie below the roof, and other comparisons that do not move with them."""
    symbol = case.swept
    if symbol is None or not case._moves(found, symbol):
        return [_place(case.solution, found, as_prose(case.symbol(found.compared.bound or found.compute)), "case")]
    own = case.own(symbol)
    points = []
    for value in case.values(symbol):
        is_own = own is not None and base_magnitude(own) == base_magnitude(value)
        points.append(_place(case.at(symbol, value), found, equals(case, symbol, value), "case" if is_own else "swept"))
    marked = [
        _place(case.solution, one, as_prose(case.symbol(one.compared.bound)), "other")
        for one in case.rooflines
        if one.compared.bound and not case._moves(one, symbol)
    ]
    return points + [one for one in marked if all((one.x, one.y) != (point.x, point.y) for point in points)]


def _place(solution: Solution, found: Roofline, label: Prose, role: str) -> Point:
    return Point(label, *found.place(solution), role)


def times(case: Plotted) -> Panels:
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


def _regimes(case: Plotted, symbol: str, found: Compared) -> Regimes | None:
    """Which term is largest where, or None where that is not decided."""
    try:
        return regimes_of(case.settings, symbol, found.name, dict(found.labels))
    except RefusedValueError:
        return None


def _roots(case: Plotted, symbol: str, stretches: Sequence[Regime], shown: Unit) -> list[Point]:
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


def intensity(case: Plotted) -> Panels:
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
            label = phrase("limit_of", of=case.symbol(name), grows=case.symbol(symbol), value=value)
            levels.append(Level(label, in_unit(limit, INTENSITY)))
    if {"P", "beta"} <= set(case.derivation.givens):
        ridge = in_unit(exact(case.solution.number("P") / case.solution.number("beta")), INTENSITY)
        levels.append(Level(phrase("ridge", value=figure_maths(quantity(ridge, INTENSITY))), ridge))
    own = [point for name in names for point in _own_points(case, symbol, name, shown)]
    y = _y_axis(as_prose(words()["figure"]["intensity_axis"]), shown, curves, levels)
    return Panels((Panel(case.axis(symbol, low, high), y, tuple(curves), tuple(own), tuple(levels)),))


def _limit(case: Plotted, name: str, symbol: str) -> Exact | None:
    """Where a quantity tends, in base units, if it is finite and has one closed form."""
    try:
        tends = case.algebra.limit(Limit(name, symbol, ""))
    except RefusedValueError:
        return None
    if tends.is_finite is False:
        return None
    return exact(tends.xreplace({one: rational(case.solution.number(one.name)) for one in tends.free_symbols}))


def scaling(case: Plotted) -> Panels:
    """The time over the number of devices, the terms that it is the sum of, and below it the efficiency."""
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


def _swept(case: Plotted, symbol: str, roles: Mapping[str, str], shown: Unit, span: tuple[float, float]) -> list[Curve]:
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


def _own_points(case: Plotted, symbol: str, name: str, shown: Unit) -> tuple[Point, ...]:
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


def equals(case: Plotted, name: str, value: Quantity, digits: int = SIGNIFICANT) -> Prose:
    """`m = 128`"""
    return phrase("equals", symbol=case.symbol(name), value=figure_maths(value, digits))


def ridge(case: Plotted) -> Quantity:
    """The arithmetic intensity at which the two roofs meet."""
    return quantity(in_unit(exact(case.solution.number("P") / case.solution.number("beta")), INTENSITY), INTENSITY)


def figure_maths(value: Quantity, digits: int = SIGNIFICANT) -> Maths:
    """A quantity as it is printed everywhere."""
    return Maths(quantity_latex(value, digits), quantity_text(value, digits))


def unit_maths(shown: Unit) -> Maths:
    return Maths(unit_latex(shown), unit_text(shown))


def shown_quantity(solution: Solution, name: str) -> Quantity:
    """A quantity in the unit that it is shown in."""
    value = solution.shown(name)
    assert not isinstance(value, str)
    return value


def listed(shown: Sequence[Prose]) -> Prose:
    """`a, b and c`"""
    last = words()["figure"]["and"]
    joints = [*([", "] * (len(shown) - 2)), last] if len(shown) > 1 else []
    parts = [
        part for one, joint in zip(shown, [*joints, ""][: len(shown)], strict=True) for part in (*one.parts, joint)
    ]
    return Prose(tuple(part for part in parts if part))


def as_prose(part: str | Maths) -> Prose:
    return Prose((part,))


def in_unit(number: Exact, wanted: Unit | str) -> Exact:
    """A number of base units as an exact number of other units."""
    return exact(number / base_magnitude(quantity(1, wanted)))


def _double(literal: Literal) -> float:
    return to_float(base_magnitude(quantity(literal.number, literal.unit)))
