"""The positive zeros of one expression in one unknown with exact coefficients, none missed.

Polynomials have their real roots isolated by SymPy. A square root is squared away and every zero of the result is put
back. ceil and floor are searched: their expression is smooth between two steps, and outside the zeros of the two
smooth expressions that enclose it (ceil(u) lies between u and u + 1) it has no zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import sympy

from symroof.equation import sign
from symroof.errors import RefusedValueError
from symroof.numerals import Exact, exact

MAX_PIECES = 2000


@dataclass
class Zeros:
    """Where an expression is zero, and where it may change its sign without being zero: at poles and jumps."""

    zeros: list[Exact] = field(default_factory=list)
    breaks: list[Exact] = field(default_factory=list)


def zeros_of(expression: sympy.Expr, unknown: sympy.Symbol) -> Zeros:
    """The positive zeros and breaks of an expression whose only symbol is the unknown.

    Raises RefusedValueError for an expression of a kind that symroof cannot solve with certainty.
    """
    step = next((node for node in sympy.postorder_traversal(expression) if _is_step(node) and node.has(unknown)), None)
    if step is not None:
        return _of_stepped(expression, step, unknown)
    radical = next((node for node in sympy.postorder_traversal(expression) if _is_radical(node, unknown)), None)
    if radical is not None:
        return _of_radical(expression, radical, unknown)
    above, below = sympy.cancel(sympy.together(expression)).as_numer_denom()
    return Zeros(list(_polynomial_zeros(above, unknown)), list(_polynomial_zeros(below, unknown)))


def _polynomial_zeros(polynomial: sympy.Expr, unknown: sympy.Symbol) -> Iterator[Exact]:
    if not polynomial.has(unknown):
        return
    if not polynomial.is_polynomial(unknown):
        raise RefusedValueError(f"the equation is not algebraic in {unknown.name}", "solve it for another symbol")
    poly = sympy.Poly(polynomial, unknown)
    if poly.degree() == 1:  # by far the commonest, and real_roots is slow
        root = -poly.nth(0) / poly.nth(1)
        if sign(root) == 1:
            yield exact(root)
        return
    yield from (exact(root) for root in dict.fromkeys(sympy.real_roots(poly)) if sign(root) == 1)


def _is_step(node: sympy.Basic) -> bool:
    return isinstance(node, (sympy.ceiling, sympy.floor))


def _is_radical(node: sympy.Basic, unknown: sympy.Symbol) -> bool:
    return isinstance(node, sympy.Pow) and node.exp.is_Rational and not node.exp.is_Integer and node.base.has(unknown)


def _of_radical(expression: sympy.Expr, radical: sympy.Pow, unknown: sympy.Symbol) -> Zeros:
    """base^(p/q) becomes y^p with y^q = base; zeros of the resultant that are none of the expression are dropped."""
    degree = int(radical.exp.q)
    stand_in = sympy.Dummy("y", positive=True)
    replaced = expression.replace(
        lambda node: _is_radical(node, unknown) and node.base == radical.base and degree % int(node.exp.q) == 0,
        lambda node: stand_in ** (node.exp * degree),
    )
    above = sympy.cancel(sympy.together(replaced)).as_numer_denom()[0]
    base_above, base_below = sympy.together(radical.base).as_numer_denom()
    squared = sympy.resultant(above, base_below * stand_in**degree - base_above, stand_in)
    found = zeros_of(squared, unknown)
    zeros = [zero for zero in found.zeros if _is_zero(expression, unknown, zero)]
    return Zeros(zeros, [*found.breaks, *(zero for zero in found.zeros if zero not in zeros)])


def _is_zero(expression: sympy.Expr, unknown: sympy.Symbol, at: Exact) -> bool:
    value = expression.subs(unknown, sympy.sympify(at))
    return bool(value.is_finite is not False and value.is_real and sign(value) == 0)


def _of_stepped(expression: sympy.Expr, step: sympy.Expr, unknown: sympy.Symbol) -> Zeros:
    argument = step.args[0]
    level = sympy.Dummy("j", integer=True)
    at_level = expression.xreplace({step: level})
    _refuse_bent(at_level, level, unknown)
    shift = -1 if isinstance(step, sympy.floor) else 0
    lower, upper = (at_level.xreplace({level: argument + shift + more}) for more in (0, 1))
    outer = [zeros_of(edge, unknown) for edge in (lower, upper)]
    found = Zeros(breaks=[stop for edge in outer for stop in edge.breaks])
    stops = sorted({stop for edge in outer for stop in (*edge.zeros, *edge.breaks)})
    for low, high in zip([Fraction(0), *stops], [*stops, None], strict=True):
        inside = middle(low, high)
        signs = {sign(edge.subs(unknown, sympy.sympify(inside))) for edge in (lower, upper)}
        if len(signs) > 1 or 0 in signs:
            _search(found, at_level, level, step, unknown, low, high)
    for stop in stops:  # a zero may lie exactly on an edge
        if _is_zero(expression, unknown, stop):
            found.zeros.append(stop)
        else:
            found.breaks.append(stop)
    return found


def _search(
    found: Zeros, at_level: sympy.Expr, level: sympy.Symbol, step: sympy.Expr, unknown: sympy.Symbol,
    low: Exact, high: Exact | None,
) -> None:  # fmt: skip
    """The zeros between low and high, level by level of the ceil or floor, and the borders of the levels."""
    argument = step.args[0]
    at_high = sympy.limit(argument, unknown, sympy.oo) if high is None else argument.subs(unknown, sympy.sympify(high))
    at_low = sympy.limit(argument, unknown, 0, "+") if low == 0 else argument.subs(unknown, sympy.sympify(low))
    if not (at_low.is_finite and at_high.is_finite):
        raise RefusedValueError(
            f"infinitely many steps of {type(step).__name__} may hold a root", "solve for another symbol"
        )
    first, last = (
        sorted((math.floor(_rational(at_low)), math.ceil(_rational(at_high))))
        if at_low <= at_high
        else sorted((math.floor(_rational(at_high)), math.ceil(_rational(at_low))))
    )
    if last - first > MAX_PIECES:
        raise RefusedValueError(
            f"a root may lie on any of {last - first:,} steps of {type(step).__name__}; the limit is {MAX_PIECES:,}",
            "solve for another symbol",
        )
    for number in range(first, last + 1):
        for zero in zeros_of(at_level.xreplace({level: sympy.Integer(number)}), unknown).zeros:
            if low < zero and (high is None or zero < high) and _level_at(step, unknown, zero) == number:
                found.zeros.append(zero)
        border = zeros_of(argument - number, unknown).zeros
        found.breaks += [stop for stop in border if low < stop and (high is None or stop < high)]


def _level_at(step: sympy.Expr, unknown: sympy.Symbol, at: Exact) -> int:
    return int(step.subs(unknown, sympy.sympify(at)))


def _rational(number: sympy.Expr) -> Fraction:
    kept = exact(number)
    return kept if isinstance(kept, Fraction) else Fraction(str(sympy.N(number, 40)))


def _refuse_bent(at_level: sympy.Expr, level: sympy.Symbol, unknown: sympy.Symbol) -> None:
    """The enclosing by two smooth expressions needs one that is straight in the level, with a positive denominator."""
    above, below = sympy.together(at_level).as_numer_denom()
    if below.has(level) or not above.is_polynomial(level) or sympy.Poly(above, level).degree() > 1:
        raise RefusedValueError(
            f"the equation is not linear in its ceil or floor of {unknown.name}", "solve it for another symbol"
        )


def middle(low: Exact, high: Exact | None) -> Fraction:
    """A rational strictly between two exact numbers; without the higher one, anywhere above."""
    if high is None:
        return Fraction(math.ceil(_rational(sympy.sympify(low))) * 2 + 1)
    between = exact((sympy.sympify(low) + sympy.sympify(high)) / 2)
    return between if isinstance(between, Fraction) else _rational(sympy.sympify(between))
