"""A derivation at one set of values, asked what its figures have to show.

A roofline needs no declaration: where a time at the peak rate P is compared with one at the bandwidth beta, their
products with these rates are the work and the traffic.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy

from symroof.case import Case
from symroof.declared import Limit, in_declared_unit
from symroof.dimensions import is_label
from symroof.errors import MissingGivenError, RefusedValueError
from symroof.evaluate import Solution
from symroof.expression import Expression
from symroof.figure_data import Array, Axis, to_float
from symroof.latex import is_sound_maths
from symroof.numerals import SIGNIFICANT, Exact, exact
from symroof.prose import Maths, Prose, phrase, words
from symroof.ranking import Ranked, ranked
from symroof.regimes import comparisons
from symroof.units import (
    Dimension,
    Quantity,
    Unit,
    base_magnitude,
    from_base,
    magnitude_in,
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


class FigureCase(Case):
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

    @cached_property
    def plans(self) -> list[Ranked]:
        return ranked(self)

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
        return (max(1.0, float(math.floor(low))), float(math.ceil(high))) if given.count else (low, high)

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
                found[crossover.name] = {side: self._longer(side) for side in sides}
        return [
            Compared(name, labels, self._step_of(sympy.Max, labels), self._step_of(sympy.Add, labels))
            for name, labels in found.items()
            if all(self.measures(term, "s") for term in labels)
        ]

    def _longer(self, term: str) -> str:
        """What is said where a side of a crossover is the larger one: its symbol is maths where TeX can set it."""
        maths = self.derivation.latex_of(term)
        said: str = words()["figure"]["longer"]
        return said.format(term=f"${maths}$" if is_sound_maths(maths) else term)

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
        moving = (one for one in self.rooflines if self.swept and self.moves(one, self.swept))
        return next(moving, next(iter(self.rooflines), None))

    def moves(self, roofline: Roofline, symbol: str) -> bool:
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
        """The time that work shared by g GPUs takes: a sum of which some terms need the link between them."""
        for name in self.derivation.steps if "g" in self.derivation.givens else ():
            if self.measures(name, "s") and self.depends(name, "g"):
                linked = [any(self.depends(used, "beta_link") for used in term.names) for _, term in self.terms(name)]
                if any(linked) and not all(linked):
                    return name
        return None

    def terms(self, name: str) -> list[tuple[Maths, Expression]]:
        """The terms of a step's formula that is a sum, in the author's order; else the step, or the given, itself."""
        formula = self.algebra.step(name) if name in self.derivation.steps else None
        if not isinstance(formula, sympy.Add):
            return [(self.symbol(name), self.derivation.expression(name))]
        position = {parameter: at for at, parameter in enumerate(self.derivation.steps[name].parameters)}
        ordered = sorted(formula.args, key=lambda term: sorted(position[one.name] for one in term.free_symbols))
        writer = self.algebra.writer
        written = [writer.maths(term) for term in ordered]
        return [(one, self.derivation.expression(one.text)) for one in written]


def equals(case: FigureCase, name: str, value: Quantity, digits: int = SIGNIFICANT) -> Prose:
    """`m = 128`"""
    return phrase("equals", symbol=case.symbol(name), value=figure_maths(value, digits))


def ridge(case: FigureCase) -> Quantity:
    """The arithmetic intensity at which the two roofs meet."""
    return from_base(exact(case.solution.number("P") / case.solution.number("beta")), INTENSITY)


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
    return exact(from_base(number, wanted).magnitude)
