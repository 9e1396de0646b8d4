"""The places where an expression in one unknown may be zero, jump, or cease to be defined: its stops, none missed.

Between two stops the expression is defined throughout or nowhere, and where it is defined it is continuous and has no
zero, or is zero throughout. That a place is listed does not mean that anything happens there; the sign tells.

Polynomials have their real roots isolated by SymPy. A square root becomes a symbol y with y^2 = its argument, and is
eliminated by resultants. ceil and floor are searched level by level, and only where they can matter: ceil(u) lies
between u and u + 1, and where no number in between makes the expression zero, ceil(u) does not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cmp_to_key
from typing import TypeAlias

import sympy

from symroof.errors import RefusedValueError
from symroof.forms import MAX_BITS_FACTORED, bits_of_longest, sign_of_terms
from symroof.numerals import Exact, exact
from symroof.signs import UndefinedError, compare, enclosed, rational_at, sign_at

MAX_PIECES = 2000
MAX_DEGREE = 20  # of the unknown; the roots of higher ones take seconds to tell apart
_MAX_BITS = 3_000  # of a number in an equation
_EXTREME = 64  # powers of two

_Relation: TypeAlias = tuple[sympy.Symbol, sympy.Expr, int]


def stops_of(expression: sympy.Expr, unknown: sympy.Symbol) -> list[Exact]:
    """The positive stops of an expression whose only symbol is the unknown, ascending.

    Raises RefusedValueError for an expression of a kind that symroof cannot solve with certainty.
    """
    if not expression.has(unknown) or expression.has(sympy.zoo, sympy.nan):
        return []  # constant, or defined nowhere
    refuse_unworkable(expression, unknown)
    functions = expression.atoms(sympy.Function)  # next_divisor
    if any(node.has(unknown) for node in functions if not isinstance(node, (sympy.ceiling, sympy.floor))):
        raise _not_algebraic(unknown)
    step = _outermost_step(expression, unknown)
    return ascending(_of_smooth(expression, unknown) if step is None else _of_stepped(expression, step, unknown))


def refuse_unworkable(expression: sympy.Expr, unknown: sympy.Symbol) -> None:
    """Raises RefusedValueError for what roots are not found of with certainty, or not in a time one waits for.

    That is the unknown in an exponent or under a high power, logarithms and powers of e, and numbers of great length.
    """
    if bits_of_longest(expression) > _MAX_BITS:
        raise RefusedValueError("the equation has a number of more than 900 digits in it", "use smaller powers")
    for power in expression.atoms(sympy.Pow):
        if power.exp.is_Rational and power.base.has(unknown) and abs(power.exp.p) > MAX_DEGREE:
            raise RefusedValueError(
                f"the equation has {unknown.name} to the power of {power.exp}", f"powers go up to {MAX_DEGREE}"
            )
    if any(power.exp.has(unknown) for power in expression.atoms(sympy.Pow)):
        raise _not_algebraic(unknown)
    if expression.has(sympy.log, sympy.exp, sympy.E):
        raise RefusedValueError(
            "the equation has a logarithm or a power of e in it", "put its value in, rounded to the digits you need"
        )


def _not_algebraic(unknown: sympy.Symbol) -> RefusedValueError:
    return RefusedValueError(f"the equation is not algebraic in {unknown.name}", "solve it for another symbol")


def ascending(numbers: Iterable[Exact]) -> list[Exact]:
    """The numbers in order, each once."""
    found: list[Exact] = []
    for number in sorted(set(numbers), key=cmp_to_key(compare)):
        if not found or compare(found[-1], number):
            found.append(number)
    return found


def middle(low: Exact, high: Exact | None) -> Fraction:
    """A short rational strictly between two numbers; without the higher one, anywhere above."""
    if high is None:
        return Fraction(math.floor(enclosed(low)[1]) * 2 + 1)
    digits = 40
    while enclosed(low, digits)[1] >= enclosed(high, digits)[0]:
        digits *= 2
    return _simplest(enclosed(low, digits)[1], enclosed(high, digits)[0])


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """A rational well inside an interval, with a denominator that is a power of two and no larger than need be."""
    center, quarter = (low + high) / 2, (high - low) / 4
    shift = (1 / quarter).numerator.bit_length() - (1 / quarter).denominator.bit_length() + 1
    scale = Fraction(2) ** shift
    return round(center * scale) / scale


# -- roots of polynomials, and of what square roots make of them


def _of_smooth(expression: sympy.Expr, unknown: sympy.Symbol) -> Iterator[Exact]:
    """The stops of an expression of + - * /, powers and roots."""
    for polynomial in _polynomials(expression):
        yield from _positive_roots(polynomial, unknown)


def _polynomials(expression: sympy.Expr) -> list[sympy.Expr]:
    """Polynomials, one of which is zero wherever the expression is zero, stops being defined, or has a kink."""
    flat, relations = _flattened(expression)
    parts = [flat, *(base for _, base, _ in relations)]
    polynomials = [part for whole in parts for part in sympy.cancel(sympy.together(whole)).as_numer_denom()]
    return list(dict.fromkeys(one for part in polynomials for one in _eliminated(part, relations)))


def _flattened(expression: sympy.Expr) -> tuple[sympy.Expr, list[_Relation]]:
    """The expression with a symbol y for each root in it, and with each y its y^degree; innermost roots first."""
    relations: list[_Relation] = []
    while True:
        root = next((node for node in sympy.postorder_traversal(expression) if _is_radical(node)), None)
        if root is None:
            return expression, relations
        alike = [node for node in expression.atoms(sympy.Pow) if _is_radical(node) and node.base == root.base]
        degree = math.lcm(*(int(node.exp.q) for node in alike))
        stand_in = sympy.Dummy("y", nonnegative=True)
        relations.append((stand_in, root.base, degree))
        expression = expression.xreplace({node: stand_in ** (node.exp * degree) for node in alike})


def _is_radical(node: sympy.Basic) -> bool:
    return isinstance(node, sympy.Pow) and node.exp.is_Rational and not node.exp.is_Integer


def _eliminated(polynomial: sympy.Expr, relations: list[_Relation]) -> Iterator[sympy.Expr]:
    """The factors of a polynomial, those with a y as polynomials without it that are zero wherever they are."""
    if len(polynomial.free_symbols) > 1 and bits_of_longest(polynomial) > MAX_BITS_FACTORED:
        raise RefusedValueError(
            "the equation has numbers of more than 120 digits beside a root or a step", "use rounder numbers"
        )
    for factor, _ in sympy.factor_list(polynomial)[1]:
        relation = next((one for one in reversed(relations) if factor.has(one[0])), None)
        if relation is None:
            yield factor
            continue
        stand_in, base, degree = relation
        above, below = sympy.together(base).as_numer_denom()
        squared = sympy.resultant(factor, below * stand_in**degree - above, stand_in)
        # It vanishes altogether for a factor of the relation itself, such as y - (x - 5) where y^2 = (x - 5)^2. That
        # one changes between zero and not zero only where the base is zero, which is a stop of its own.
        if squared != 0:
            yield from _eliminated(squared, relations)


def _positive_roots(polynomial: sympy.Expr, unknown: sympy.Symbol) -> Iterator[Exact]:
    if not polynomial.has(unknown):
        return
    if not polynomial.is_polynomial(unknown):
        raise _not_algebraic(unknown)
    poly = sympy.Poly(polynomial, unknown)
    if poly.degree() == 1:  # by far the commonest, and real_roots is slow
        root = -poly.nth(0) / poly.nth(1)
        yield from [exact(root)] if root > 0 else []
        return
    scale = _scale(poly)
    scaled = poly.compose(sympy.Poly(scale * unknown, unknown))
    roots = list(dict.fromkeys(sympy.real_roots(scaled)))  # ascending
    yield from (exact(scale * root) for root in roots[scaled.count_roots(None, 0) :])


def _scale(poly: sympy.Poly) -> sympy.Rational:
    """A power of two above the largest root where that is extreme, for isolating would take long; else 1."""
    coefficients = [abs(Fraction(int(number.p), int(number.q))) for number in poly.all_coeffs()]
    sizes = [one.numerator.bit_length() - one.denominator.bit_length() if one else None for one in coefficients]
    first = sizes[0]
    assert first is not None
    exponent = max((size - first) // power for power, size in enumerate(sizes) if power and size is not None)
    return sympy.Integer(2) ** exponent if abs(exponent) > _EXTREME and poly.degree() > 2 else sympy.Integer(1)


# -- ceil and floor


def _outermost_step(expression: sympy.Expr, unknown: sympy.Symbol) -> sympy.Expr | None:
    """A ceil or floor that is in no other."""
    steps = (node for node in sympy.preorder_traversal(expression) if isinstance(node, (sympy.ceiling, sympy.floor)))
    return next((step for step in steps if step.has(unknown)), None)


def _lowest(step: sympy.Expr) -> sympy.Expr:
    """What a ceil or floor is not below; it is not above one more than that."""
    return step.args[0] - 1 if isinstance(step, sympy.floor) else step.args[0]


def _of_stepped(expression: sympy.Expr, step: sympy.Expr, unknown: sympy.Symbol) -> Iterator[Exact]:
    level = sympy.Dummy("j")
    at_level = expression.xreplace({step: level})
    others = {node: sympy.Dummy() for node in at_level.atoms(sympy.ceiling, sympy.floor)}
    back = {stand_in: node for node, stand_in in others.items()}
    for polynomial in _polynomials(at_level.xreplace(others)):
        if polynomial.has(level):
            yield from _StepPolynomial(polynomial.xreplace(back), level, step, unknown).stops()
        else:
            yield from stops_of(polynomial.xreplace(back), unknown)


class _StepPolynomial:
    """A polynomial in a ceil or floor, the level, with coefficients in the unknown."""

    def __init__(self, polynomial: sympy.Expr, level: sympy.Symbol, step: sympy.Expr, unknown: sympy.Symbol) -> None:
        self.polynomial, self.level, self.step, self.unknown = polynomial, level, step, unknown
        self.poly = sympy.Poly(polynomial, level)
        self.lowest = _lowest(step)

    def at_level(self, level: sympy.Expr | int) -> sympy.Expr:
        return self.polynomial.xreplace({self.level: sympy.sympify(level)})

    def stops(self) -> Iterator[Exact]:
        # Between these, zeros neither enter nor leave the unit interval in which the level lies.
        borders = [self.step.args[0], self.at_level(self.lowest), self.at_level(self.lowest + 1)]
        if self.poly.degree() > 1:
            borders += [self.poly.discriminant(), self.poly.LC()]
        places = ascending(stop for border in borders for stop in stops_of(border, self.unknown))
        yield from places
        for low, high in zip([Fraction(0), *places], [*places, None], strict=True):
            if self._may_vanish(middle(low, high)):
                for number in _levels(self.step, self.unknown, low, high):
                    for part in (self.step.args[0] - number, self.at_level(number)):
                        yield from (stop for stop in stops_of(part, self.unknown) if _between(low, stop, high))

    def _may_vanish(self, point: Fraction) -> bool:
        """Whether the polynomial can be zero at this point of the unknown with any level in the unit interval."""
        at_point = {self.unknown: point}
        if self.poly.degree() == 1:
            signs = {sign_at(self.at_level(self.lowest + more), at_point) for more in (0, 1)}
            return signs not in ({1}, {-1}, {None})
        try:
            start = rational_at(self.lowest, at_point)
            coefficients = [rational_at(coefficient, at_point) for coefficient in self.poly.all_coeffs()]
        except UndefinedError:
            return False
        steps_beside = any(coefficient.has(sympy.ceiling, sympy.floor) for coefficient in self.poly.all_coeffs())
        if steps_beside or start is None or None in coefficients:
            return True
        return bool(sympy.Poly(coefficients, self.level).count_roots(*map(sympy.Rational, (start, start + 1))))


def _between(low: Exact, number: Exact, high: Exact | None) -> bool:
    return compare(low, number) < 0 and (high is None or compare(number, high) < 0)


def _levels(step: sympy.Expr, unknown: sympy.Symbol, low: Exact, high: Exact | None) -> range:
    """Whole numbers among which are all values of a ceil or floor between low and high."""
    ends: list[Fraction] = []
    for bound in _smooth_bounds(step.args[0], unknown):
        turns = [stop for stop in stops_of(sympy.diff(bound, unknown), unknown) if _between(low, stop, high)]
        for place in (low, *turns, high):
            ends += _enclosed_at(bound, unknown, place)
    first, last = math.floor(min(ends)), math.ceil(max(ends))
    if last - first > MAX_PIECES:
        raise RefusedValueError(
            f"a root may lie on any of {last - first:,} steps of {_named(step)}; the limit is {MAX_PIECES:,}",
            "solve for another symbol",
        )
    return range(first, last + 1)


def _smooth_bounds(expression: sympy.Expr, unknown: sympy.Symbol) -> list[sympy.Expr]:
    """Expressions without ceil and floor, between the least and the largest of which the expression lies."""
    step = _outermost_step(expression, unknown)
    if step is None:
        return [expression]
    level = sympy.Dummy("j", nonnegative=True)
    at_level = expression.xreplace({step: level})
    straight = not sympy.diff(at_level, level).has(level)
    # A bend could hide between the two bounds of the level, unless all rises with a level that is not negative.
    rising = isinstance(step, sympy.ceiling) and _rises(at_level, level) and _rises(step.args[0], unknown)
    if not (straight or rising):
        raise RefusedValueError(f"one {_named(step)} stands inside another", "solve for another symbol")
    lowest = _lowest(step)
    return [
        bound
        for level_bound in (lowest, lowest + 1)
        for bound in _smooth_bounds(at_level.xreplace({level: level_bound}), unknown)
    ]


def _rises(expression: sympy.Expr, symbol: sympy.Symbol) -> bool:
    """Whether every term of the derivative shows that the expression rises with the symbol."""
    slope = sympy.together(sympy.diff(expression, symbol)).as_numer_denom()
    return all(sign_of_terms(part) == 1 for part in slope)


def _enclosed_at(bound: sympy.Expr, unknown: sympy.Symbol, place: Exact | None) -> tuple[Fraction, Fraction]:
    """Where an expression tends at a place; None is infinity."""
    tidy = sympy.cancel(sympy.together(bound if place is not None else bound.xreplace({unknown: 1 / unknown})))
    try:
        return enclosed(tidy, values={unknown: Fraction(0) if place is None else place})
    except UndefinedError:
        raise RefusedValueError("a root may lie on any of infinitely many steps", "solve for another symbol") from None


def _named(step: sympy.Expr) -> str:
    return "floor" if isinstance(step, sympy.floor) else "ceil"
