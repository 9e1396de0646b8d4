"""The roots of one branch of an equation in closed form, each with the condition under which it exists."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import sympy

from symroof.equation import COMPARE, Branch, Condition
from symroof.forms import collected, normalised, sign_of_terms

_SENSIBLE = 60  # operations up to which a closed form, or a condition, says something to a reader
_WORKABLE = 80  # operations up to which they are worked out
_ZERO = sympy.Integer(0)
_Form = tuple[sympy.Expr, tuple[Condition, ...]]


@dataclass(frozen=True)
class Candidate:
    """A root in closed form, not yet at any numbers.

    `closed_form` is None where none is sensible, and `conditions` is None where none is known in closed form.
    """

    closed_form: sympy.Expr | None
    conditions: tuple[Condition, ...] | None
    branch: Branch


def candidates(branch: Branch, unknown: sympy.Symbol) -> list[Candidate]:
    """The branch's positive roots as far as they can be named, with their conditions; none where there is none."""
    degree = _root_degree(branch.difference, unknown)
    root = sympy.Dummy(positive=True)  # of that degree: an equation in sqrt(m) is a polynomial in its root
    above = sympy.cancel(sympy.together(_in_root(branch.difference, unknown, root, degree))).as_numer_denom()[0]
    if not above.has(root):
        return []
    if not above.is_polynomial(root):
        return [Candidate(None, None, branch)]
    coefficients = sympy.Poly(above, root).all_coeffs()
    while coefficients[-1] == 0:  # a root at zero is not positive
        coefficients.pop()
    if sum(map(sympy.count_ops, coefficients)) > _WORKABLE:
        return _without_closed_form(coefficients, branch)
    match coefficients:
        case [_]:
            return []
        case [a, b]:
            forms = _linear(a, b)
        case [a, b, c]:
            forms = _quadratic(a, b, c)
        case [a, *middle, b] if not any(middle):
            forms = _power(a, b, len(coefficients) - 1)
        case _:
            return _without_closed_form(coefficients, branch)
    found = []
    for form, existence in forms:
        if sympy.count_ops(form) > _SENSIBLE:
            return _without_closed_form(coefficients, branch)
        # Multiplied out, a square would no longer show the sign of what is squared, which the proof needs.
        closed_form = form if degree == 1 else sympy.Pow(form, degree, evaluate=not form.has(sympy.Add))
        conditions = _at_root(branch.conditions, unknown, closed_form, existence)
        if conditions is not None:
            found.append(Candidate(closed_form, _sensible([*existence, *conditions]), branch))
    return found


def _sensible(conditions: Iterable[Condition]) -> tuple[Condition, ...] | None:
    """The conditions that do not follow from others, or None where they are too long to say anything."""
    kept = list(dict.fromkeys(conditions))
    if any(sympy.count_ops(condition.difference) > _SENSIBLE for condition in kept):
        return None
    for condition in list(kept):
        if any(_follows(condition, other) for other in kept if other != condition):
            kept.remove(condition)
    return tuple(kept)


def _follows(condition: Condition, other: Condition) -> bool:
    """Whether it evidently holds if the other does: what must be positive is more than what is positive."""
    if not {condition.operator, other.operator} <= {"<", "<=", ">", ">="}:
        return False
    one, given = (side.difference if side.operator in (">", ">=") else -side.difference for side in (condition, other))
    return not _has_root(one - given) and sign_of_terms(one - given) == 1


def _has_root(expression: sympy.Expr) -> bool:
    return any(not power.exp.is_Integer for power in expression.atoms(sympy.Pow))


def _root_degree(expression: sympy.Expr, unknown: sympy.Symbol) -> int:
    """2 where the unknown stands under a square root by itself, 1 where under none."""
    powers = (node for node in expression.atoms(sympy.Pow) if node.base == unknown and node.exp.is_Rational)
    return math.lcm(*(int(node.exp.q) for node in powers))


def _in_root(expression: sympy.Expr, unknown: sympy.Symbol, root: sympy.Expr, degree: int) -> sympy.Expr:
    """The expression with root^degree for the unknown."""
    powers = {node for node in expression.atoms(sympy.Pow) if node.base == unknown and node.exp.is_Rational}
    return expression.xreplace({node: root ** (node.exp * degree) for node in powers} | {unknown: root**degree})


def _without_closed_form(coefficients: Sequence[sympy.Expr], branch: Branch) -> list[Candidate]:
    """By Descartes' rule a polynomial has no positive root if its signs never change, and one if they change once."""
    signs = [known for coefficient in coefficients if (known := sign_of_terms(coefficient)) != 0]
    if None in signs:
        return [Candidate(None, None, branch)]
    changes = sum(one != other for one, other in pairwise(signs))
    if changes == 0:
        return []
    return [Candidate(None, () if changes == 1 and not branch.conditions else None, branch)]


def proves(candidate: Candidate, unknown: sympy.Symbol) -> bool:
    """Whether the closed form, put into the equation, leaves exactly zero. Radicals are eliminated first."""
    closed_form = candidate.closed_form
    assert closed_form is not None
    degree = _root_degree(candidate.branch.difference, unknown)
    base, power = closed_form.as_base_exp()
    root = base if power == degree else closed_form ** sympy.Rational(1, degree)
    put_in = _in_root(candidate.branch.difference, unknown, root, degree)
    stand_ins: list[tuple[sympy.Symbol, sympy.Expr, int]] = []
    while radicals := [node for node in put_in.atoms(sympy.Pow) if node.exp.is_Rational and not node.exp.is_Integer]:
        inner = next(node for node in radicals if not any(node != other and node.has(other) for other in radicals))
        alike = [node for node in radicals if node.base == inner.base]
        index = math.lcm(*(int(node.exp.q) for node in alike))
        stand_ins.append((sympy.Dummy(positive=True), inner.base, index))
        put_in = put_in.xreplace({node: stand_ins[-1][0] ** (node.exp * index) for node in alike})
    if put_in.has(sympy.Abs):  # of the root of a square: it could be either
        return False
    above = sympy.together(put_in).as_numer_denom()[0]
    for stand_in, inside, index in reversed(stand_ins):
        over, under = sympy.together(inside).as_numer_denom()
        above = sympy.prem(sympy.expand(above), under * stand_in**index - over, stand_in)
    return bool(sympy.expand(above) == 0)


def slope_sign(candidate: Candidate, unknown: sympy.Symbol) -> int | None:
    """The sign of the derivative of left - right, if the signs of its terms and the root's conditions show it."""
    difference = candidate.branch.difference
    if difference.has(sympy.ceiling, sympy.floor):
        return None
    above, below = normalised(sympy.diff(difference, unknown)).as_numer_denom()
    positive = [one.difference for one in candidate.conditions or () if one.operator == ">"]
    over, under = _known_sign(above, positive), _known_sign(below, positive)
    return None if over is None or under is None else over * under


def _linear(a: sympy.Expr, b: sympy.Expr) -> list[_Form]:
    """The root of a x + b = 0 and when it is positive."""
    root = normalised(-b / a)
    return [(root, condition) for condition in _positive_fraction(root)]


def _power(a: sympy.Expr, b: sympy.Expr, degree: int) -> list[_Form]:
    """The positive root of a x^degree + b = 0."""
    inside = normalised(-b / a)
    return [(inside ** sympy.Rational(1, degree), condition) for condition in _positive_fraction(inside)]


def _quadratic(a: sympy.Expr, b: sympy.Expr, c: sympy.Expr) -> list[_Form]:
    """The roots of a x^2 + b x + c = 0 and when they are real and positive."""
    if b == 0:
        return _power(a, c, 2)
    if sign_of_terms(a) == -1 or (sign_of_terms(a) is None and sign_of_terms(c) == 1):
        a, b, c = -a, -b, -c
    discriminant = collected(b**2 - 4 * a * c)
    if discriminant == 0:
        return _linear(2 * a, b)
    if sign_of_terms(discriminant) == -1:
        return []
    real = () if sign_of_terms(discriminant) in (0, 1) else (Condition(collected(b**2), ">=", collected(4 * a * c)),)
    upper, lower = ((-collected(b) + s * sympy.sqrt(discriminant)) / (2 * collected(a)) for s in (1, -1))
    match sign_of_terms(a), sign_of_terms(c):
        case 1, -1:  # the product of the roots is negative: one of them is positive, whatever b is
            return [(upper, ())]
        case 1, 1:  # both have the sign of -b
            return [(one, (*real, *falls)) for falls in _positive(-b) for one in (lower, upper)]
    return [(one, (*real, Condition(one, ">", _ZERO))) for one in (lower, upper)]


def _positive_fraction(fraction: sympy.Expr) -> list[tuple[Condition, ...]]:
    """The ways in which a normalised fraction is positive: none if it never is, one with its conditions otherwise."""
    above, below = fraction.as_numer_denom()
    if sign_of_terms(above) == 1:
        return _positive(below)
    if sign_of_terms(below) == 1:
        return _positive(above)
    return [(Condition(fraction, ">", _ZERO),)]


def _positive(polynomial: sympy.Expr) -> list[tuple[Condition, ...]]:
    """The same for a polynomial: its positive terms against its negative ones."""
    known = sign_of_terms(polynomial)
    if known is not None:
        return [()] if known == 1 else []
    return [(_compared(polynomial, ">"),)]


def _compared(polynomial: sympy.Expr, operator: str) -> Condition:
    """`polynomial operator 0` with the negative terms brought to the other side and common factors dropped."""
    terms = sympy.Add.make_args(sympy.expand(polynomial))
    more = sympy.Add(*(term for term in terms if not term.could_extract_minus_sign()))
    less = sympy.Add(*(-term for term in terms if term.could_extract_minus_sign()))
    common = sympy.gcd(more, less) if less != 0 else sympy.Integer(1)
    return Condition(collected(sympy.cancel(more / common)), operator, collected(sympy.cancel(less / common)))


_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def _at_root(
    conditions: Sequence[Condition], unknown: sympy.Symbol, root: sympy.Expr, existence: Sequence[Condition]
) -> tuple[Condition, ...] | None:
    """The branch's conditions with the root put in, the evident ones left out; None where one never holds."""
    kept = []
    positive = [condition.difference for condition in existence if condition.operator == ">"]
    for condition in conditions:
        put_in = condition.replaced({unknown: root})
        if _has_root(root) or sympy.count_ops(put_in.difference) > _WORKABLE:
            kept.append(put_in)
            continue
        difference = normalised(put_in.difference)
        above, below = difference.as_numer_denom()
        over, under = sign_of_terms(above), _known_sign(below, positive)
        if over is not None and under is not None:
            if not COMPARE[condition.operator](over * under, 0):
                return None
        elif under is not None:
            kept.append(_compared(above, condition.operator if under == 1 else _TURNED[condition.operator]))
        else:
            kept.append(Condition(difference, condition.operator, _ZERO))
    return tuple(kept)


def _known_sign(expression: sympy.Expr, positive: Sequence[sympy.Expr]) -> int | None:
    """The sign of a product whose factors are evident or known to be positive."""
    result = 1
    for factor in sympy.Mul.make_args(expression):
        base, power = factor.as_base_exp()
        known = sign_of_terms(base)
        if known is None:
            if any(sympy.expand(base - one) == 0 for one in positive):
                known = 1
            elif any(sympy.expand(base + one) == 0 for one in positive):
                known = -1
            elif power.is_even:
                known = 1
            else:
                return None
        result *= known ** int(power) if power.is_Integer else known
    return result
