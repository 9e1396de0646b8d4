"""What moves the answer: the elasticity of a quantity in each given.

An elasticity is d ln y/d ln x: by how many percent y changes for one percent more x, to first order. Each formula
is differentiated by itself, on the branch of its max, min and conditionals that holds at the values, and the chain
rule multiplies along the graph with exact numbers, so that a long derivation costs no more than its steps. Each
quantity is followed to both sides of the point, for more and for less of each given: the two slopes differ only
where a max or min ties or a condition turns, and at a jump one side has another value.

Through a ceil, floor or next_divisor a count acts by whole steps, and a derivative would say that it does not act at
all: there the quantity is worked out for one more as well, exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cmp_to_key
from typing import Any, TypeAlias

import sympy
from sympy.core.relational import Relational

from symroof.algebra import RealAlgebra, rational
from symroof.equation import COMPARE
from symroof.errors import RefusedValueError, SymroofError, listing
from symroof.evaluate import Solution
from symroof.expression import Expression
from symroof.forms import normalised
from symroof.numerals import Exact, exact, sign
from symroof.settings import Settings
from symroof.units import base_magnitude, quantity

_SHORT = 30  # operations up to which a closed form is shown
_WORKABLE = 60  # operations up to which one is worked out
_TERMS = 40  # terms up to which one is multiplied out

_ZERO = sympy.Integer(0)

ByGiven: TypeAlias = dict[str, sympy.Expr]


@dataclass(frozen=True)
class Elasticity:
    """By how many percent `quantity` changes for one percent more of the given.

    `value` is d ln y/d ln x for a little more of the given, exact at the point. `below` is the same for a little
    less where that differs (on a tie or the boundary of a conditional), else None. `closed_form` is over the branch
    of each max, min and conditional that holds at the point, in positive symbols with the names of givens and steps;
    it is None where it would be long and where more and less differ.

    `one_more` is for a count that acts through a ceil, floor or next_divisor, whose steps `value` cannot see: by which
    share of itself the quantity changes for one more of it, exactly. It is None for any other given, and where the
    formulas do not allow one more.
    """

    quantity: str
    given: str
    value: Exact
    closed_form: sympy.Expr | None
    below: Exact | None = None
    one_more: Exact | None = None


@dataclass(frozen=True)
class Sensitivity:
    """The elasticities of a quantity in all givens it is worked out from, the largest first.

    `binding` names, for each max and min on the way, its step and the term that binds (of a tie the first); the
    other terms do not matter. `one_sided` says that more and less of a given act differently, since the point lies
    exactly on a tie, on the boundary of a conditional or on a jump of ceil or floor, and `notes` where; at a jump the
    elasticity is that of the side without it, else that past the jump. The notes also name each ceil and floor that
    is constant around the point.
    """

    quantity: str
    elasticities: tuple[Elasticity, ...]
    binding: tuple[tuple[str, str], ...]
    one_sided: bool
    notes: tuple[str, ...]


def sensitivity(settings: Settings, quantity: str) -> Sensitivity:
    """What moves a quantity, and by how much, at the values given.

    A given that is set to an expression of others passes its part on to them; one with an efficiency has its own and
    the efficiency's. A given that is 0 has elasticity 0. In an elasticity counts are treated as continuous. Conditions
    are followed to first order: one that touches its boundary without crossing it keeps the case that holds at the
    point.

    Raises the errors of working the quantity out (UnknownNameError, MissingGivenError ...), UnitError for a label, and
    RefusedValueError where the quantity is 0 or has no finite derivative.
    """
    if Solution(settings).number(quantity) == 0:
        raise RefusedValueError(
            f"{quantity} is 0 here, and a change in percent of 0 says nothing", "set values for which it is not 0"
        )
    return _Graph(settings, quantity).outcome()


@dataclass(frozen=True)
class _Side:
    """How an expression goes on for a little more, or a little less, of each free given.

    `slopes` are its nonzero derivatives there, `jumps` its values there where they differ from that at the point.
    """

    slopes: ByGiven
    jumps: ByGiven


@dataclass(frozen=True)
class _Reading:
    """An expression at the point and to both sides of it.

    `branch` is the expression with every max, min and conditional replaced by what holds, `uses` are the names that
    this rests on. `two_sided` and `flat` are notes.
    """

    value: sympy.Expr
    up: _Side
    down: _Side
    branch: sympy.Expr
    uses: frozenset[str]
    choices: tuple[str, ...] = ()
    two_sided: tuple[str, ...] = ()
    flat: tuple[str, ...] = ()

    def side(self, direction: int) -> _Side:
        return self.up if direction == 1 else self.down

    def beside(self, given: str, direction: int) -> tuple[sympy.Expr, sympy.Expr]:
        """Value and slope for a little more (1) or less (-1) of a given."""
        side = self.side(direction)
        return side.jumps.get(given, self.value), side.slopes.get(given, _ZERO)


class _Graph:
    """The quantities on the way to one quantity, each read once, in working order."""

    def __init__(self, settings: Settings, quantity: str) -> None:
        self.settings, self.quantity = settings, quantity
        self.formulas = RealAlgebra(settings.derivation)
        self.writer = self.formulas.writer
        self.order = self._working_order()
        self.readings: dict[sympy.Symbol, _Reading] = {}
        self.frozen: dict[sympy.Expr, sympy.Symbol] = {}  # each ceil and floor in a closed form, as a constant
        self.sums: dict[sympy.Symbol, sympy.Expr] = {}  # the steps that are sums, over positive symbols
        for name in self.order:
            self.readings[self.formulas.symbol(name)] = self._named(name)

    def outcome(self) -> Sensitivity:
        way, last = self._way(), self._of(self.quantity)
        forms = self._forms(way)
        givens = [name for name in self.settings.derivation.givens if name in self.order and self._free(name)]
        stepped = self._stepped(way)
        elasticities = [
            replace(self._elasticity(name, forms), one_more=self._one_more(name) if name in stepped else None)
            for name in givens
        ]
        notes = [f"{name}: {note}" for name in way for note in self._of(name).two_sided]
        notes += [f"{name}: {note}" for name in way for note in self._of(name).flat]
        return Sensitivity(
            quantity=self.quantity,
            elasticities=tuple(sorted(elasticities, key=cmp_to_key(self._larger_first))),
            binding=tuple((name, term) for name in way for term in self._of(name).choices),
            one_sided=bool(last.up.jumps or last.down.jumps) or any(one.below is not None for one in elasticities),
            notes=tuple(dict.fromkeys(notes)),
        )

    # -- the graph

    def _working_order(self) -> list[str]:
        """All that the quantity is worked out from, each after what it needs, and the quantity last."""
        ordered: dict[str, None] = {}

        def visit(name: str) -> None:
            for used in self.settings.depends_on(name):
                visit(used)
            ordered[name] = None

        for name in self.settings.derivation.ancestors([self.quantity]):
            visit(name)
        return list(ordered)

    def _free(self, name: str) -> bool:
        """Whether it is a given with a value of its own, and not set to an expression of others."""
        return name in self.settings.derivation.givens and not self.settings.tied_to(name)

    def _way(self) -> list[str]:
        """The names that the branch which holds rests on, from the quantity down."""
        found = {self.quantity}
        for name in reversed(self.order):
            if name in found:
                found |= self._of(name).uses
        return [name for name in reversed(self.order) if name in found]

    def _stepped(self, way: list[str]) -> set[str]:
        """The names that act on the quantity through a ceil, floor or next_divisor."""
        found: set[str] = set()
        for name in way:  # from the quantity down
            reading = self._of(name)
            steps = reading.branch.atoms(sympy.Function)  # max, min and conditionals are not in a branch
            found.update(symbol.name for step in steps for symbol in step.free_symbols)
            if name in found:
                found |= reading.uses
        return found

    def _of(self, name: str) -> _Reading:
        return self.readings[self.formulas.symbol(name)]

    def _named(self, name: str) -> _Reading:
        """A step or a given. A free given has slope 1 in itself, beside that in its efficiency; none where it is 0."""
        content = None if name in self.settings.derivation.steps else self.settings.value(name).content
        if content is None:
            formula = self.formulas.step(name)
        elif isinstance(content, Expression):
            formula = self.formulas.expression(content)
        else:
            formula = rational(base_magnitude(content))
        try:
            found = self._read(formula)
        except SymroofError as error:
            raise error.within(name) from None
        if not self._free(name) or not found.value:
            return found
        up, down = (_Side({**side.slopes, name: sympy.Integer(1)}, side.jumps) for side in (found.up, found.down))
        return replace(found, up=up, down=up if found.down is found.up else down)

    # -- one expression at the point

    def _read(self, expression: sympy.Expr) -> _Reading:
        """Its value and slopes: each max, min, conditional, ceil and floor is read first and put in as a symbol."""
        inner: dict[sympy.Expr, sympy.Symbol] = {}
        for node in _outermost(expression, _SWITCHES):
            if node not in inner:
                inner[node] = sympy.Dummy(real=True)
                self.readings[inner[node]] = self._switch(node)
        return self._smooth(expression.xreplace(inner), list(inner.values()))

    def _smooth(self, expression: sympy.Expr, inner: list[sympy.Symbol]) -> _Reading:
        """The chain rule for an expression without branches; `inner` are symbols that stand for parts of it."""
        parts = {symbol: self.readings[symbol] for symbol in expression.free_symbols}
        values = {symbol: part.value for symbol, part in parts.items()}
        value = expression.xreplace(values)
        derivatives = {
            symbol: sympy.diff(expression, symbol)
            for symbol, part in parts.items()
            if part.up.slopes or part.down.slopes
        }
        partials = {symbol: derivative.xreplace(values) for symbol, derivative in derivatives.items()}

        def side(direction: int) -> _Side:
            sides = {symbol: part.side(direction) for symbol, part in parts.items()}
            slopes = _combined((partial, sides[symbol].slopes) for symbol, partial in partials.items())
            jumps: ByGiven = {}
            for given in {given for one in sides.values() for given in one.jumps}:
                there = {symbol: part.beside(given, direction)[0] for symbol, part in parts.items()}
                jumps[given] = expression.xreplace(there)
                moved = ((derivatives[symbol].xreplace(there), sides[symbol].slopes) for symbol in derivatives)
                slopes[given] = _combined(moved).get(given, _ZERO)
            return _side(value, slopes, jumps)

        up = side(1)
        within = [parts[symbol] for symbol in inner]
        return _Reading(
            value=value,
            up=up,
            down=side(-1) if any(part.down is not part.up for part in parts.values()) else up,
            branch=expression.xreplace({symbol: part.branch for symbol, part in zip(inner, within, strict=True)}),
            uses=frozenset(symbol.name for symbol in parts if symbol not in inner).union(*(one.uses for one in within)),
            choices=tuple(choice for one in within for choice in one.choices),
            two_sided=tuple(note for one in within for note in one.two_sided),
            flat=tuple(note for one in within for note in one.flat),
        )

    def _switch(self, node: sympy.Expr) -> _Reading:
        match node:
            case sympy.Max():
                return self._largest(node.args, 1)
            case sympy.Min():
                return self._largest(node.args, -1)
            case sympy.Abs():
                return replace(self._largest((node.args[0], -node.args[0]), 1), choices=())
            case sympy.Piecewise():
                return self._conditional(node)
            case sympy.Mod():
                above, below = node.args
                return self._read(above - below * sympy.floor(above / below))
        return self._whole(node)

    def _largest(self, terms: Iterable[sympy.Expr], toward: int) -> _Reading:
        """The largest of the terms, or with -1 the smallest.

        To each side of the point that term leads which is ahead there: of those that tie the steepest, or one that
        jumps over them.
        """
        read = {term: self._read(term) for term in sorted(terms, key=self._authors_order)}
        first = next(iter(read.values()))
        for one in read.values():
            first = one if toward * _sign(one.value - first.value) > 0 else first
        tied = {term: one for term, one in read.items() if _sign(one.value - first.value) == 0}
        choices = (self.writer.text(next(iter(tied))), *first.choices)
        if len(tied) == 1 and not any(side.jumps for one in read.values() for side in (one.up, one.down)):
            return replace(first, choices=choices)
        leaders = list(tied.values())

        def side(direction: int) -> _Side:
            slopes: ByGiven = {}
            jumps: ByGiven = {}
            givens = {given for one in tied.values() for given in one.side(direction).slopes}
            givens |= {given for one in read.values() for given in one.side(direction).jumps}
            for given in givens:
                leader = first
                for one in read.values():
                    ahead = _ahead(one.beside(given, direction), leader.beside(given, direction), direction)
                    leader = one if toward * ahead > 0 else leader
                jumps[given], slopes[given] = leader.beside(given, direction)
                if leader not in leaders:
                    leaders.append(leader)
            return _side(first.value, slopes, jumps)

        up, down = side(1), side(-1)
        notes = [note for one in leaders for note in one.two_sided]
        if len(tied) > 1 and up.slopes != down.slopes:
            equal = " = ".join(self.writer.text(term) for term in tied)
            notes.insert(0, f"{equal} here, a tie: more and less of a given act differently")
        return replace(
            first,
            up=up,
            down=down,
            uses=frozenset().union(*(one.uses for one in leaders)),
            choices=choices,
            two_sided=tuple(notes),
            flat=tuple(note for one in leaders for note in one.flat),
        )

    def _authors_order(self, term: sympy.Expr) -> tuple[bool, list[int], str]:
        """What is worked out first stands first, a number last."""
        names = {symbol.name for symbol in term.free_symbols}
        return not names, sorted(self.order.index(name) for name in names), str(term)

    def _conditional(self, node: sympy.Piecewise) -> _Reading:
        """The case that holds. On the boundary of a condition each given may lead into another case."""
        differences: dict[sympy.Basic, _Reading] = {}

        def holds(condition: Any, given: str, direction: int) -> bool:
            if not condition.args:
                return bool(condition)
            if not isinstance(condition, Relational):
                # The simplest first: a formula guards a division by a comparison with 0.
                parts = sorted(condition.args, key=lambda part: part.count_ops())
                found = (holds(part, given, direction) for part in parts)
                return any(found) if isinstance(condition, sympy.Or) else all(found)
            if condition not in differences:
                differences[condition] = self._read(condition.lhs - condition.rhs)
            there = differences[condition].beside(given, direction)
            return COMPARE[condition.rel_op](_ahead(there, (_ZERO, _ZERO), direction), 0)

        def case(given: str = "", direction: int = 0) -> int:
            """The first case that holds at the point, or a little beside it."""
            return next(at for at, (_, condition) in enumerate(node.args) if holds(condition, given, direction))

        at = case()
        here = self._read(node.args[at][0])
        moving: set[str] = set()  # the givens that may lead into another case
        for difference in differences.values():
            moving.update(difference.up.jumps, difference.down.jumps)
            if _sign(difference.value) == 0:
                moving.update(difference.up.slopes, difference.down.slopes)
        notes = list(here.two_sided)

        def side(direction: int) -> _Side:
            slopes, jumps = dict(here.side(direction).slopes), dict(here.side(direction).jumps)
            for given in (name for name in self.order if name in moving):
                beside = case(given, direction)
                if beside == at:
                    continue
                value, slope = self._read(node.args[beside][0]).beside(given, direction)
                whither = f"with {'more' if direction == 1 else 'less'} {given}"
                if value != here.value:
                    notes.append(f"the value jumps here {whither}, where another case of the formula holds")
                elif slope != slopes.get(given, 0):
                    notes.append(f"another case of the formula holds from here {whither}")
                slopes[given], jumps[given] = slope, value
            return _side(here.value, slopes, jumps)

        up = side(1)
        down = up if here.down is here.up and not moving else side(-1)
        return replace(here, up=up, down=down, two_sided=tuple(notes))

    def _whole(self, node: sympy.Expr) -> _Reading:
        """ceil or floor: constant but for its jumps. ceil jumps as its argument grows, floor as it shrinks."""
        inner = self._read(node.args[0])
        value, rising = node.func(inner.value), 1 if isinstance(node, sympy.ceiling) else -1

        def side(direction: int) -> _Side:
            jumps: ByGiven = {}
            for given in inner.side(direction).slopes | inner.side(direction).jumps:
                limit, slope = inner.beside(given, direction)
                whole = node.func(limit)
                on_jump = _sign(whole - limit) == 0 and direction * _sign(slope) == rising
                jumps[given] = whole + rising if on_jump else whole
            return _side(value, {}, jumps)

        up, down = side(1), side(-1)
        two_sided, flat, shown = inner.two_sided, inner.flat, self.writer.text(node)
        ways = [f"more {given}" for given in self.order if given in up.jumps]
        ways += [f"less {given}" for given in self.order if given in down.jumps]
        if ways:
            two_sided = (f"{shown} jumps here with {listing(ways, 'or')}; its derivative elsewhere is 0", *two_sided)
        else:
            flat = (f"{shown} is constant between its jumps: its derivative is 0", *flat)
        branch = node.func(inner.branch)
        return replace(inner, value=value, up=up, down=down, branch=branch, two_sided=two_sided, flat=flat)

    # -- elasticities

    def _elasticity(self, given: str, forms: Mapping[str, sympy.Expr | None]) -> Elasticity:
        last = self._of(self.quantity)
        scale = self._of(given).value / last.value
        steady = [side for side in (last.up, last.down) if given not in side.jumps] or [last.up]
        slopes = [side.slopes.get(given, _ZERO) for side in steady]
        if not all(slope.is_finite for slope in slopes):
            raise RefusedValueError(
                f"the derivative of {self.quantity} in {given} is not finite at these values",
                f"set {given} a little beside its value",
            )
        value, *others = (_tidy(scale * slope) for slope in slopes)
        if any(_sign(value - below) != 0 for below in others):
            return Elasticity(self.quantity, given, exact(value), None, exact(others[0]))
        return Elasticity(self.quantity, given, exact(value), self._shown(forms.get(given, _ZERO), value))

    def _one_more(self, given: str) -> Exact | None:
        """The change of the quantity, as a share of it, for the next whole number of a count."""
        if not self.settings.derivation.givens[given].count or self.settings.depends_on(given):
            return None
        more = quantity(exact(self._of(given).value + 1))
        try:
            there = Solution(self.settings.with_values({given: more})).number(self.quantity)
        except SymroofError:  # no next divisor, a root of a negative number
            return None
        return exact(_tidy(rational(there) / self._of(self.quantity).value - 1))

    def _larger_first(self, one: Elasticity, other: Elasticity) -> int:
        return _sign(self._size(other) - self._size(one))

    def _size(self, elasticity: Elasticity) -> sympy.Expr:
        """The size of an elasticity; on a tie the larger of its two sides; of one more the secant's."""
        if elasticity.one_more is not None:
            return abs(rational(elasticity.one_more) * self._of(elasticity.given).value)
        sides = [elasticity.value] if elasticity.below is None else [elasticity.value, elasticity.below]
        return sympy.Max(*(abs(rational(side)) for side in sides))

    def _forms(self, way: list[str]) -> Mapping[str, sympy.Expr | None]:
        """The elasticity of the quantity in each name on the way in closed form, None where that becomes long.

        The elasticities of each formula in its own parameters are multiplied along the graph, from the quantity
        down, and added up. In t = a + b that of a is a/t: what is already a quantity keeps its name.
        """
        forms: dict[str, sympy.Expr | None] = {self.quantity: sympy.Integer(1)}
        for name in way:
            form = forms[name] = self._shorter(forms[name])
            if not self._of(name).uses:
                continue
            own, branch = _positive(name), self._frozen(self._of(name).branch)
            if isinstance(branch, sympy.Add) and len(branch.free_symbols) > 1:
                self.sums[own] = branch
            for used in self._of(name).uses:
                local = _logarithmic_slope(branch, _positive(used), own)
                before = forms.get(used, _ZERO)
                together = None if form is None or before is None else before + local * form
                forms[used] = together if together is not None and together.count_ops() <= _WORKABLE else None
        return forms

    def _shorter(self, form: sympy.Expr | None) -> sympy.Expr | None:
        """The form with the terms of a sum gathered where that makes it shorter: (a*n + b)/t is 1 where t = a*n + b."""
        for own, terms in reversed(self.sums.items()):  # from the last step worked out to the quantity
            if form is None or not terms.free_symbols <= form.free_symbols:
                continue
            ways = (_as_one_fraction(form.xreplace(one)) for one in _solved_for_each(terms, own))
            form = min([form, *(one for one in ways if one is not None)], key=sympy.count_ops)
        return form

    def _frozen(self, branch: sympy.Expr) -> sympy.Expr:
        """The branch over positive symbols, with a symbol for each ceil and floor, which are constants here."""
        positive = branch.xreplace({symbol: _positive(symbol.name) for symbol in branch.free_symbols})
        nodes = dict.fromkeys(_outermost(positive, (sympy.ceiling, sympy.floor)))
        for node in nodes:
            self.frozen.setdefault(node, sympy.Dummy(positive=True))
        return positive.xreplace({node: self.frozen[node] for node in nodes})

    def _shown(self, form: sympy.Expr | None, value: sympy.Expr) -> sympy.Expr | None:
        """The normalised closed form, if it is short and is this value at the point."""
        direction = -1 if _sign(value) < 0 else 1
        written = None if form is None else _as_one_fraction(direction * form)
        if written is None:
            return None
        written = (direction * written).xreplace({symbol: node for node, symbol in self.frozen.items()})
        at_point = written.xreplace({symbol: self._of(symbol.name).value for symbol in written.free_symbols})
        # Not so where a step is 0 or negative, since the form takes symbols as positive, or where several terms tie.
        if written.count_ops() > _SHORT or not at_point.is_finite or _sign(at_point - value) != 0:
            return None
        return written


_SWITCHES = (sympy.Max, sympy.Min, sympy.Abs, sympy.Piecewise, sympy.Mod, sympy.ceiling, sympy.floor)


def _outermost(expression: sympy.Basic, kinds: tuple[type, ...]) -> Iterator[sympy.Expr]:
    """The nodes of these kinds that are not inside another one."""
    if isinstance(expression, kinds):
        yield expression
        return
    for argument in expression.args:
        yield from _outermost(argument, kinds)


def _positive(name: str) -> sympy.Symbol:
    return sympy.Symbol(name, positive=True)


def _sign(number: sympy.Expr) -> int:
    if number.is_Rational:
        return int(number.p > 0) - int(number.p < 0)
    if not number.is_finite:
        raise RefusedValueError("it is not finite at these values or a little beside them", "set other values")
    return sign(exact(number))


def _ahead(one: tuple[sympy.Expr, sympy.Expr], other: tuple[sympy.Expr, sympy.Expr], direction: int) -> int:
    """Which of two is larger a little beside the point (1, -1, or 0 for neither), by their values and slopes there."""
    return _sign(one[0] - other[0]) or direction * _sign(one[1] - other[1])


def _side(value: sympy.Expr, slopes: ByGiven, jumps: ByGiven) -> _Side:
    """Without slopes that are 0, and without jumps to the value at the point."""
    return _Side(
        {given: slope for given, slope in slopes.items() if slope != 0},
        {given: there for given, there in jumps.items() if there != value},
    )


def _combined(parts: Iterable[tuple[sympy.Expr, ByGiven]]) -> ByGiven:
    """The sum of slopes, each times its factor."""
    total: ByGiven = {}
    for factor, slopes in parts:
        for given, slope in slopes.items():
            total[given] = total.get(given, _ZERO) + factor * slope
    return total


def _tidy(number: sympy.Expr) -> sympy.Expr:
    """An irrational number with its roots out of the denominator and multiplied out, so that equals look equal."""
    return number if number.is_Rational else sympy.expand(sympy.radsimp(number))


def _logarithmic_slope(expression: sympy.Expr, symbol: sympy.Symbol, own: sympy.Symbol) -> sympy.Expr:
    """d ln expression/d ln symbol, factor by factor; where the expression itself divides, `own` stands for it."""
    total = _ZERO
    for factor in sympy.Mul.make_args(expression):
        base, power = factor.as_base_exp()
        if power.has(symbol):
            total += symbol * sympy.diff(factor, symbol) / factor
        else:
            whole = base == expression and base != symbol
            total += power * symbol * sympy.diff(base, symbol) / (own if whole else base)
    return total


def _solved_for_each(terms: sympy.Add, own: sympy.Symbol) -> Iterator[dict[sympy.Symbol, sympy.Expr]]:
    """What own = terms says of each symbol that is a factor of one term and in no other, in a fixed order."""
    for term in terms.args:
        others = terms - term
        for factor in sympy.Mul.make_args(term):
            if factor.is_Symbol and not others.has(factor) and not (term / factor).has(factor):
                yield {factor: (own - others) / (term / factor)}


def _as_one_fraction(form: sympy.Expr) -> sympy.Expr | None:
    """The normalised form, or None where multiplying it out could take long."""
    above, below = sympy.fraction(sympy.together(form))
    return normalised(form) if max(_terms_at_most(above), _terms_at_most(below)) <= _TERMS else None


def _terms_at_most(expression: sympy.Expr) -> int:
    """How many terms the expression can have when multiplied out, counted up to just above the limit."""
    match expression:
        case sympy.Add():
            count = sum(_terms_at_most(term) for term in expression.args)
        case sympy.Mul():
            count = 1
            for factor in expression.args:
                count = min(count * _terms_at_most(factor), _TERMS + 1)
        case sympy.Pow() if expression.exp.is_Rational:
            base = _terms_at_most(expression.base)
            count = 1 if base == 1 else base ** min(int(sympy.ceiling(abs(expression.exp))), 20)
        case _:
            count = 1
    return min(count, _TERMS + 1)
