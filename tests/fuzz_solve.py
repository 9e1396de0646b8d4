"""Random equations of the shapes that derivations make, solved, and every answer checked by plain Fractions.

    python -m tests.fuzz_solve 20000 [seed]

The evaluator here knows nothing of SymPy or of symroof: it works with intervals that have rational ends, which are
points but for square roots. Each root must make the two sides exactly equal, or if it is irrational the sign must
change around it; what is said of its two sides must be so; its condition must hold, and no condition may hold whose
root is none. A walk along a fine geometric grid, with every change of sign bisected, must find no root that is not
in the answer, and the ranges of the inequality must say the truth at every point of it.
"""

from __future__ import annotations

import math
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeAlias

import sympy

from symroof import Derivation, ceil, floor, largest, smallest, sqrt
from symroof.budget import Budget, Range, budget
from symroof.crossover import Answer, Root, solve
from symroof.errors import RefusedValueError
from symroof.numerals import Exact
from symroof.settings import Settings

Interval: TypeAlias = tuple[Fraction, Fraction]

# -- equations


@dataclass(frozen=True)
class Tree:
    """A name, a number, or an operator or function with its operands; `if` is (left, right, then, else) of <=."""

    head: str | Fraction
    parts: tuple[Tree, ...] = ()

    def names(self) -> Iterator[str]:
        if not self.parts and isinstance(self.head, str):
            yield self.head
        for part in self.parts:
            yield from part.names()


def n(number: int | Fraction) -> Tree:
    return Tree(Fraction(number))


def v(name: str) -> Tree:
    return Tree(name)


def op(head: str, *parts: Tree | str | int | Fraction) -> Tree:
    return Tree(
        head, tuple(one if isinstance(one, Tree) else v(one) if isinstance(one, str) else n(one) for one in parts)
    )


def times(*parts: Tree | str | int | Fraction) -> Tree:
    return op("*", *parts)


def plus(*parts: Tree | str | int | Fraction) -> Tree:
    return op("+", *parts)


def over(above: Tree | str | int | Fraction, below: Tree | str | int | Fraction) -> Tree:
    return op("/", above, below)


@dataclass(frozen=True)
class Case:
    """An equation for x in which steps may stand for formulas; the other givens are numbers, or tied to x."""

    shape: str
    left: Tree
    right: Tree
    values: Mapping[str, Fraction]
    steps: Mapping[str, Tree] = field(default_factory=dict)
    ties: Mapping[str, Tree] = field(default_factory=dict)

    @property
    def sides(self) -> tuple[str, str]:
        return text(self.left), text(self.right)

    @property
    def settings(self) -> dict[str, str]:
        values = {name: str(value) for name, value in self.values.items()}
        return values | {name: text(tree) for name, tree in self.ties.items()}

    def __str__(self) -> str:
        lines = [f"{self.shape}: {' = '.join(self.sides)}"]
        lines += [f"  {name} = {text(tree)}" for name, tree in self.steps.items()]
        lines += [f"  {name} := {value}" for name, value in self.settings.items()]
        return "\n".join(lines)

    def derivation(self) -> Derivation:
        found = Derivation("case")
        for name in ("x", *self.settings):
            found.given(name)
        for name, tree in self.steps.items():
            found.step()(_function(name, tree))
        return found


def text(tree: Tree) -> str:
    """As the parser of equations reads it."""
    if isinstance(tree.head, Fraction):
        return str(tree.head) if tree.head.denominator == 1 else f"({tree.head})"
    parts = [text(part) for part in tree.parts]
    if not parts:
        return tree.head
    if tree.head == "if":
        return f"({parts[2]} if {parts[0]} <= {parts[1]} else {parts[3]})"
    if tree.head.isalpha():
        return f"{tree.head}({', '.join(parts)})"
    return f"({f' {tree.head} '.join(parts)})"


_FUNCTIONS = {"max": largest, "min": smallest, "ceil": ceil, "floor": floor, "sqrt": sqrt}


def _function(name: str, tree: Tree) -> Callable[..., Any]:
    """The formula as a Python function, as an author would write it."""
    parameters = list(dict.fromkeys(tree.names()))
    source = f"def {name}({', '.join(parameters)}):\n    return {_python(tree)}\n"
    space: dict[str, Any] = {"Fraction": Fraction, **_FUNCTIONS}
    exec(source, space)
    function: Callable[..., Any] = space[name]
    return function


def _python(tree: Tree) -> str:
    if isinstance(tree.head, Fraction):
        return f"Fraction({tree.head.numerator}, {tree.head.denominator})"
    parts = [_python(part) for part in tree.parts]
    if not parts:
        return tree.head
    if tree.head == "if":
        return f"({parts[2]} if {parts[0]} <= {parts[1]} else {parts[3]})"
    if tree.head == "^":
        return f"({parts[0]})**{tree.parts[1].head}"
    if tree.head.isalpha():
        return f"{tree.head}({', '.join(parts)})"
    return f"({f' {tree.head} '.join(parts)})"


# -- the evaluator


class UndefinedError(Exception):
    """A divisor that is zero, or the square root of a negative number."""


class UndecidedError(Exception):
    """The intervals are too wide to tell."""


class Evaluator:
    """The two sides of a case at one x, as intervals."""

    def __init__(self, case: Case, x: Fraction, bits: int) -> None:
        self.case, self.bits = case, bits
        self.known: dict[str, Interval] = {name: (value, value) for name, value in case.values.items()}
        self.known["x"] = (x, x)

    def difference(self) -> Interval:
        left, right = self.of(self.case.left), self.of(self.case.right)
        return left[0] - right[1], left[1] - right[0]

    def of(self, tree: Tree) -> Interval:
        head = tree.head
        if isinstance(head, Fraction):
            return head, head
        if not tree.parts:
            if head not in self.known:
                self.known[head] = self.of(self.case.steps.get(head) or self.case.ties[head])
            return self.known[head]
        if head == "if":
            return self._conditional(tree)
        parts = [self.of(part) for part in tree.parts]
        low, high = parts[0]
        for other in parts[1:]:
            low, high = self._joined(head, (low, high), other)
        match head:
            case "ceil":
                low, high = Fraction(math.ceil(low)), Fraction(math.ceil(high))
            case "floor":
                low, high = Fraction(math.floor(low)), Fraction(math.floor(high))
            case "sqrt":
                low, high = self._root(low, high)
        if head in ("ceil", "floor") and low != high:
            raise UndecidedError
        return low, high

    def _conditional(self, tree: Tree) -> Interval:
        left, right = self.of(tree.parts[0]), self.of(tree.parts[1])
        if left[1] <= right[0]:
            return self.of(tree.parts[2])
        if left[0] > right[1]:
            return self.of(tree.parts[3])
        raise UndecidedError

    @staticmethod
    def _joined(head: str, one: Interval, other: Interval) -> Interval:
        match head:
            case "+":
                return one[0] + other[0], one[1] + other[1]
            case "-":
                return one[0] - other[1], one[1] - other[0]
            case "max":
                return max(one[0], other[0]), max(one[1], other[1])
            case "min":
                return min(one[0], other[0]), min(one[1], other[1])
            case "^":
                ends = [one[0] ** int(other[0]), one[1] ** int(other[0])]
                return (Fraction(0) if one[0] < 0 < one[1] and other[0] % 2 == 0 else min(ends)), max(ends)
            case "/":
                if other[0] == other[1] == 0:
                    raise UndefinedError
                if other[0] <= 0 <= other[1]:
                    raise UndecidedError
                other = 1 / other[1], 1 / other[0]
        products = [first * second for first in one for second in other]
        return min(products), max(products)

    def _root(self, low: Fraction, high: Fraction) -> Interval:
        if high < 0:
            raise UndefinedError
        if low < 0:
            raise UndecidedError
        return self._root_of(low)[0], self._root_of(high)[1]

    def _root_of(self, number: Fraction) -> Interval:
        above, below = math.isqrt(number.numerator), math.isqrt(number.denominator)
        if above**2 == number.numerator and below**2 == number.denominator:
            return Fraction(above, below), Fraction(above, below)
        shift = self.bits + max(0, number.denominator.bit_length() - number.numerator.bit_length())
        scaled = math.isqrt(number.numerator * 4**shift // number.denominator)
        return Fraction(scaled, 2**shift), Fraction(scaled + 1, 2**shift)


UNDEFINED = None


def difference(case: Case, x: Fraction, bits: int = 128) -> Interval | None:
    """left - right at x, or None where it is not defined. Raises UndecidedError."""
    while True:
        try:
            return Evaluator(case, x, bits).difference()
        except UndefinedError:
            return UNDEFINED
        except UndecidedError:
            if bits > 4096:
                raise
            bits *= 4


def sign(case: Case, x: Fraction) -> int | None:
    """The sign of left - right at x. What is not told from zero with thousands of bits is taken to be zero."""
    bits = 128
    while True:
        found = difference(case, x, bits)
        if found is UNDEFINED:
            return UNDEFINED
        low, high = found
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
        if low == high or bits > 4096:
            return 0
        bits *= 4


# -- checks


class WrongError(Exception):
    """What symroof answers is not so."""


def check(case: Case) -> str:
    """Solves a case and checks all that is said. Returns the verdict, or "refused". Raises WrongError."""
    derivation = case.derivation()
    settings = Settings(derivation, case.settings)
    left, right = case.sides
    operator = random.Random(str(case)).choice(["<=", "<", ">=", ">"])
    try:
        answer = solve(settings, derivation.relation(f"{left} = {right}"), "x")
        held = budget(settings, derivation.relation(f"{left} {operator} {right}"), "x")
    except RefusedValueError as error:
        return f"refused: {error.problem.split(';')[0][:60]}"
    roots = [_approximate(root.value.magnitude) for root in answer.roots]
    for root in answer.roots:
        _check_root(case, answer, root)
    _check_conditions(case, answer)
    grid, signs = _signs(case, _grid(case, [*roots, *_ends(held)]))
    _check_verdict(answer, signs)
    _check_ranges(held, operator, grid, signs)
    _check_changes(case, answer, grid, signs, roots)
    return answer.verdict


@lru_cache(maxsize=1000)
def _approximate(value: Exact) -> Fraction:
    """To 700 digits, however much cancels: whole numbers are up to 10^600."""
    return value if isinstance(value, Fraction) else Fraction(str(sympy.N(value, 700, maxn=10_000)))


def _ends(held: Budget) -> list[Fraction]:
    return [_approximate(end.magnitude) for one in held.ranges for end in (one.low, one.high) if end is not None]


_NEAR = Fraction(1, 10**50)


def _check_root(case: Case, answer: Answer, root: Root) -> None:
    value = root.value.magnitude
    near = _approximate(value)
    if not near > 0:
        raise WrongError(f"the root {value} is not positive")
    below, above = near * (1 - _NEAR), near * (1 + _NEAR)
    signs = sign(case, below), sign(case, above)
    if isinstance(value, Fraction):
        if sign(case, value) != 0:
            raise WrongError(f"{value} is no root")
    elif not (signs in ((1, -1), (-1, 1)) or 0 in signs or _shrinks(case, near)):
        raise WrongError(f"{value} is no root: the signs beside it are {signs}")
    for said, found in zip((root.below, root.above), signs, strict=True):
        if said != _said(case, found):
            raise WrongError(f"beside {value} it says {said!r}, but the sign is {found}")
    if not root.proved:
        raise WrongError(f"the proof of {value} fails: {root.proof}")
    if root.first_integer != math.ceil(near):
        raise WrongError(f"the first integer at or above {value} is not {root.first_integer}")
    for condition in root.candidate.conditions or ():
        try:
            holds = _holds(condition, case)
        except UndecidedError:  # a step that the unknown does not reach is irrational
            continue
        if not holds:
            raise WrongError(f"the condition {answer.condition_text(root.candidate)} of {value} does not hold")


def _said(case: Case, found: int | None) -> str:
    left, right = case.sides
    if found is UNDEFINED:
        return f"{left} or {right} is not defined"
    return f"{left} {'<=>'[found + 1]} {right}"


def _shrinks(case: Case, near: Fraction) -> bool:
    """Whether left - right goes to zero at a place that its sign does not show: one side touches the other there."""

    def size(distance: int) -> Fraction | None:
        sizes = []
        for side in (-1, 1):
            found = difference(case, near * (1 + Fraction(side, 10**distance)), 4096)
            if found is not UNDEFINED:
                sizes.append(max(map(abs, found)))
        return max(sizes, default=None)

    near_by, farther = size(60), size(30)
    return near_by is not None and farther is not None and near_by * 10**10 < farther


def _number(expression: sympy.Expr, case: Case) -> sympy.Expr:
    put_in = {symbol: sympy.Rational(*_ratio(case, symbol.name)) for symbol in expression.free_symbols}
    return expression.xreplace(put_in)


def _ratio(case: Case, name: str) -> tuple[int, int]:
    if name in case.values:
        value = case.values[name]
    else:
        low, high = Evaluator(case, Fraction(1), 128).of(v(name))
        if low != high:
            raise UndecidedError
        value = low
    return value.numerator, value.denominator


def _holds(condition: Any, case: Case) -> bool:
    value = _number(condition.difference, case)
    if not value.is_real:
        return False
    found = int(sympy.sign(value if value.is_Rational else sympy.N(value, 50, maxn=10_000, chop=True)))
    return {"<": found < 0, "<=": found <= 0, ">": found > 0, ">=": found >= 0, "==": found == 0, "!=": found != 0}[
        condition.operator
    ]


def _check_conditions(case: Case, answer: Answer) -> None:
    """Where the condition of a closed form holds, its value is a root. Closed forms are for positive givens."""
    equal = "equal for every" in answer.reason or answer.verdict == "always"
    if answer.roots and not answer.candidates and not equal:
        raise WrongError("no branch can have a root, but there is one")
    if (None, ()) in [(one.closed_form, one.conditions) for one in answer.candidates] and not (answer.roots or equal):
        raise WrongError("a root always exists, but there is none")
    for candidate in answer.candidates:
        if candidate.closed_form is None or candidate.conditions is None or 0 in case.values.values():
            continue
        try:
            holds = all(_holds(condition, case) for condition in candidate.conditions)
            value = _number(candidate.closed_form, case)
        except UndecidedError:  # a step that the unknown does not reach is irrational
            continue
        if not holds:
            continue
        if not (value.is_finite and value.is_real and _approximate(_exact(value)) > 0):
            raise WrongError(f"{answer.condition_text(candidate)} holds, but {value} is not positive")
        near = _approximate(_exact(value))
        if not (
            sign(case, near) == 0
            or sign(case, near * (1 - _NEAR)) != sign(case, near * (1 + _NEAR))
            or _shrinks(case, near)
        ):
            raise WrongError(f"{answer.condition_text(candidate)} holds, but {value} is no root")


def _exact(value: sympy.Expr) -> Exact:
    return Fraction(int(value.p), int(value.q)) if isinstance(value, sympy.Rational) else value


def _grid(case: Case, places: list[Fraction]) -> list[Fraction]:
    """Fine where the values of the case are, with the neighbourhood of each place."""
    scales = [Fraction(1), *(value for value in case.values.values() if value), *places]
    low, high = min(scales), max(scales)
    exponents = range(
        low.numerator.bit_length() - low.denominator.bit_length() - 12,
        high.numerator.bit_length() - high.denominator.bit_length() + 12,
    )
    stride = max(1, len(exponents) // 60)
    points = {
        Fraction(2) ** exponent * Fraction(5 + fifth, 5) for exponent in exponents[::stride] for fifth in range(5)
    }
    points |= {
        place * (1 + Fraction(side, 10**digits)) for place in places for side in (-1, 1) for digits in (1, 3, 9, 20)
    }
    points |= {value for value in case.values.values() if value > 0}
    return sorted(points)


def _signs(case: Case, points: list[Fraction]) -> tuple[list[Fraction], list[int | None]]:
    """The points with their signs, without those at which intervals cannot tell, as for sqrt(u - u)."""
    grid, signs = [], []
    for x in points:
        try:
            signs.append(sign(case, x))
        except UndecidedError:
            continue
        grid.append(x)
    return grid, signs


def _check_verdict(answer: Answer, signs: list[int | None]) -> None:
    everywhere = set(signs)
    if answer.verdict == "always" and everywhere != {0}:
        raise WrongError(f"it says always, but the signs are {everywhere}")
    if answer.verdict == "never" and 0 in everywhere:
        raise WrongError("it says never, but the sides are equal at a point of the grid")
    if answer.verdict == "crosses" and not answer.roots and "equal for every" not in answer.reason:
        raise WrongError("it says crosses without a root")
    if answer.roots and answer.verdict != "crosses":
        raise WrongError(f"it has roots, but says {answer.verdict}")


def _contains(one: Range, x: Fraction) -> bool:
    low = Fraction(0) if one.low is None else _approximate(one.low.magnitude)
    high = None if one.high is None else _approximate(one.high.magnitude)
    above = x > low or (one.low_included and x == low)
    return above and (high is None or x < high or (one.high_included and x == high))


def _check_ranges(held: Budget, operator: str, grid: list[Fraction], signs: list[int | None]) -> None:
    for x, found in zip(grid, signs, strict=True):
        holds = (
            found is not UNDEFINED and {"<": found < 0, "<=": found <= 0, ">": found > 0, ">=": found >= 0}[operator]
        )
        if holds != any(_contains(one, x) for one in held.ranges):
            raise WrongError(f"at x = {x} the sign is {found}, but {operator} holds in {_shown(held)}")


def _shown(held: Budget) -> str:
    return "; ".join(f"{one.low}..{one.high} {one.low_included} {one.high_included}" for one in held.ranges)


def _check_changes(
    case: Case, answer: Answer, grid: list[Fraction], signs: list[int | None], roots: list[Fraction]
) -> None:
    """Every change of sign between two neighbours has a root, or is a jump or a pole."""
    stretched = "equal for every" in answer.reason
    for (low, before), (high, after) in pairwise(zip(grid, signs, strict=True)):
        if before is UNDEFINED or after is UNDEFINED or before * after >= 0 or stretched:
            continue
        if not any(low <= root <= high for root in roots) and _is_crossing(case, low, high, before):
            raise WrongError(f"a root between {float(low)} and {float(high)} is missed")


def _is_crossing(case: Case, low: Fraction, high: Fraction, before: int) -> bool:
    """Bisects a change of sign: whether left - right goes to zero there, rather than jumping."""
    wide = [difference(case, x) for x in (low, high)]
    for _ in range(90):
        middle = (low + high) / 2
        found = sign(case, middle)
        if found is UNDEFINED:
            return False
        if found == 0:
            return True
        low, high = (middle, high) if found == before else (low, middle)
    narrow = [difference(case, x) for x in (low, high)]
    sizes = [max(max(map(abs, found)) for found in ends if found is not UNDEFINED) for ends in (wide, narrow)]
    return sizes[1] * 2**30 < sizes[0]


# -- shapes


class Shapes:
    """Draws equations. Givens are a, b, c, d ...; their values are positive rationals."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.values: dict[str, Fraction] = {}

    def case(self) -> Case:
        shape = self.rng.choice(
            [
                self.roofline, self.roofline, self.terms, self.nest, self.tiles, self.waves, self.conditional,
                self.polynomial, self.poles, self.roots, self.roots, self.powers, self.hyperbola, self.margins,
                self.extreme, self.tied, self.tree, self.tree,
            ]
        )  # fmt: skip
        return shape()

    def number(self) -> Fraction:
        rng = self.rng
        match rng.randrange(8):
            case 0 | 1 | 2:
                return Fraction(rng.randint(1, 9))
            case 3 | 4 | 5:
                return Fraction(rng.randint(1, 60), rng.randint(1, 12))
            case 6:
                return Fraction(rng.randint(1, 999)) * Fraction(10) ** rng.randint(-12, 15)
        return Fraction(rng.randint(1, 10**6), rng.randint(1, 10**6))

    def given(self, value: Fraction | None = None) -> Tree:
        name = "abcdefghijklmnopqrstuvwyz"[len(self.values)]
        self.values[name] = self.number() if value is None else value
        return v(name)

    def constant(self) -> Tree:
        return n(self.rng.randint(1, 12)) if self.rng.random() < 0.3 else self.given()

    def made(self, left: Tree | str, right: Tree | str, **steps: Tree) -> Case:
        sides = [v(side) if isinstance(side, str) else side for side in (left, right)]
        shape = sys._getframe(1).f_code.co_name
        return Case(shape, sides[0], sides[1], dict(self.values), steps)

    def roofline(self) -> Case:
        """A matrix product: arithmetic against traffic, some with a latency, a share of a roof, a third ceiling."""
        k, m, rate, band, size = (self.given() for _ in range(5))
        steps = {
            "F": times(2, "x", k, m),
            "B": times(size, plus(times("x", k), times(k, m), times("x", m))),
            "t_comp": over("F", rate),
            "t_mem": over("B", band),
            "AI": over("F", "B"),
            "I": over(rate, band),
        }
        match self.rng.randrange(6):
            case 0:
                return self.made("t_comp", "t_mem", **steps)
            case 1:
                return self.made("t", self.given(), **steps, t=op("max", "t_comp", "t_mem"))
            case 2:
                t = plus(op("max", "t_comp", "t_mem"), self.given())
                return self.made("t", self.given(), **steps, t=t)
            case 3:
                return self.made("AI", times(self.constant(), "I"), **steps)
            case 4:
                attainable = op("min", rate, times(band, "AI"))
                return self.made("R", times(rate, Fraction(self.rng.randint(1, 9), 10)), **steps, R=attainable)
        t_link = plus(self.given(), over("B", self.given()))
        return self.made("t", times(2, "t_comp"), **steps, t_link=t_link, t=op("max", "t_comp", "t_mem", "t_link"))

    def term(self) -> Tree:
        a, b = self.constant(), self.constant()
        return self.rng.choice(
            [times(a, "x"), plus(times(a, "x"), b), a, over(a, "x"), plus(over(a, "x"), b), times(a, "x", "x"),
             over(times(a, "x"), plus("x", b)), over(a, plus("x", b))]
        )  # fmt: skip

    def terms(self) -> Case:
        """The largest of several terms."""
        terms = [self.term() for _ in range(self.rng.randint(2, 4))]
        t = op(self.rng.choice(["max", "max", "min"]), *terms)
        return self.made("t", self.rng.choice([self.constant(), self.term()]), t=t)

    def nest(self) -> Case:
        """max of min of max, with steps in between."""
        inner = op("max", self.term(), self.term())
        middle = op("min", plus("u", self.term()), self.term())
        t = self.rng.choice(
            [op("max", "w", self.constant()), times("w", op("max", "x", self.constant())), plus("w", "u")]
        )
        return self.made("t", self.constant(), u=inner, w=middle, t=t)

    def tiles(self) -> Case:
        """Whole tiles, pages, or what is left of them."""
        tile = n(self.rng.choice([1, 2, 3, 8, 16, 128]))
        tiles = op(self.rng.choice(["ceil", "floor"]), over("x", tile))
        a, b = self.constant(), self.constant()
        match self.rng.randrange(6):
            case 0:
                return self.made("t", a, t=times("q", b), q=tiles)
            case 1:
                return self.made("t", times(a, "x"), t=plus(times("q", b), self.constant()), q=tiles)
            case 2:
                return self.made("t", a, t=plus(times("q", b), times(self.constant(), "x")), q=tiles)
            case 3:
                return self.made(
                    "t",
                    n(Fraction(self.rng.randint(1, 19), 20)),
                    t=over("x", times("q", tile)),
                    q=op("ceil", over("x", tile)),
                )
            case 4:
                return self.made("t", a, t=op("max", times("q", b), times(self.constant(), "x")), q=tiles)
        return self.made("t", a, t=times("q", "q", b), q=tiles)

    def waves(self) -> Case:
        """Waves of tiles: a ceil inside a ceil; and ceil of what falls."""
        tile = n(self.rng.choice([2, 8, 128]))
        a = self.constant()
        match self.rng.randrange(3):
            case 0:
                waves = op(
                    "ceil", over(times(op("ceil", over("x", tile)), self.rng.randint(1, 9)), self.rng.randint(2, 20))
                )
                return self.made("t", a, t=times(waves, self.constant()))
            case 1:
                return self.made("t", a, t=times("x", op("ceil", over(self.constant(), "x"))))
        return self.made("t", a, t=plus(op("ceil", over("x", tile)), op("floor", over("x", 3))))

    def conditional(self) -> Case:
        """One formula below a size and another above."""
        u = op("if", self.rng.choice([v("x"), times("x", "x"), self.term()]), self.constant(), self.term(), self.term())
        match self.rng.randrange(3):
            case 0:
                return self.made("u", self.constant(), u=u)
            case 1:
                return self.made("t", self.constant(), u=u, t=op("max", "u", self.term()))
        inner = op("if", "x", self.constant(), self.term(), "u")
        return self.made("w", self.term(), u=u, w=inner)

    def polynomial(self) -> Case:
        """With roots that are known to be rational, double, triple, or none; up to degree 6."""
        coefficients = [Fraction(1)]
        for _ in range(self.rng.randint(2, 4)):
            root = self.number()
            one, some = Fraction(1), Fraction(self.rng.randint(-5, 5))
            factor = self.rng.choice([[root**2, -2 * root, one], [root, some, one], [root, one], [-root, one]])
            coefficients = _product(coefficients, factor)
        left: list[Tree] = []
        right: list[Tree] = []
        for power, coefficient in enumerate(coefficients):
            term = times(self.given(abs(coefficient)), *["x"] * power) if coefficient else None
            if term is not None:
                (left if coefficient > 0 else right).append(term)
        return self.made(plus(*left) if left else n(0), plus(*right) if right else n(0))

    def poles(self) -> Case:
        """Divisors that can become zero."""
        a, b, c = self.constant(), self.constant(), self.constant()
        pole = over(a, op("-", "x", b))
        match self.rng.randrange(4):
            case 0:
                return self.made(pole, c)
            case 1:
                return self.made("u", self.term(), u=op("max", pole, c))
            case 2:
                return self.made(plus(pole, over(c, op("-", "x", self.constant()))), self.constant())
        return self.made("u", c, u=op("if", pole, self.constant(), self.term(), self.term()))

    def roots(self) -> Case:
        """Square roots, some of them nested, some with roots that squaring invents."""
        a, b, c = self.constant(), self.constant(), self.constant()
        match self.rng.randrange(9):
            case 0:
                return self.made(op("sqrt", plus(times(a, "x"), b)), op("-", times(c, "x"), self.constant()))
            case 1:
                return self.made(plus(times(a, op("sqrt", "x")), times(b, "x")), c)
            case 2:
                return self.made(plus(op("sqrt", times(a, "x")), op("sqrt", plus("x", b))), c)
            case 3:
                return self.made(op("sqrt", op("-", times(a, "x"), b)), c)
            case 4:
                return self.made(times("u", "x"), c, u=op("sqrt", a))
            case 5:
                return self.made(op("sqrt", plus(op("sqrt", "x"), times(a, "x"))), b)
            case 6:
                return self.made("t", c, t=op("max", times(a, op("sqrt", "x")), times(b, "x")))
            case 7:
                return self.made(plus(op("sqrt", plus(times("x", "x"), a)), times(b, "x")), c)
        return self.made(op("ceil", op("sqrt", "x")), plus(over("x", a), b))

    def powers(self) -> Case:
        """One power, and what its closed form is."""
        a, b, c = self.constant(), self.constant(), self.constant()
        power = self.rng.choice([2, 3, 4])
        match self.rng.randrange(4):
            case 0:
                return self.made(times(a, op("^", "x", power)), b)
            case 1:
                return self.made(plus(times(a, op("^", "x", power)), times(b, "x")), c)
            case 2:
                return self.made(over(a, op("^", "x", power)), plus(b, times(c, "x")))
        return self.made(times(a, "x", op("max", "x", b)), c)

    def hyperbola(self) -> Case:
        """Fixed and falling costs: where a batch pays."""
        a, b, c, d = (self.constant() for _ in range(4))
        match self.rng.randrange(3):
            case 0:
                return self.made(plus(over(a, "x"), times(b, "x")), c)
            case 1:
                return self.made(over(a, plus(b, over(c, "x"))), d)
        return self.made(over(times(a, "x"), plus(times(b, "x"), c)), over(d, plus(1, over(a, times("x", "x")))))

    def margins(self) -> Case:
        """Differences that may be negative, and givens that may be zero, beside what depends on x."""
        a, b, zero = self.constant(), self.constant(), self.given(Fraction(self.rng.randint(0, 1)))
        gap, stall = op("-", a, b), op("max", "gap", zero)
        match self.rng.randrange(5):
            case 0:
                return self.made(plus("stall", times("x", self.constant())), self.constant(), gap=gap, stall=stall)
            case 1:
                size = op("sqrt", times("gap", "gap"))
                return self.made(times("x", self.constant()), "size", gap=gap, size=size)
            case 2:
                u = op("if", "gap", zero, self.term(), self.term())
                return self.made("u", self.constant(), gap=gap, u=u)
            case 3:
                u = plus(self.term(), zero)
                return self.made("u", times(zero, "x", self.constant()), u=u)
        moving = op("-", self.term(), self.term())
        return self.made(
            "stall", self.constant(), gap=moving, stall=op("max", "gap", over("gap", self.constant()), zero)
        )

    def extreme(self) -> Case:
        """Numbers from 10^-300 to 10^300."""
        a, b, c = (self.given(self.number() * Fraction(10) ** self.rng.randint(-280, 280)) for _ in range(3))
        match self.rng.randrange(5):
            case 0:
                return self.made(times(a, "x"), plus(b, times(c, "x", "x")))
            case 1:
                return self.made(op("-", a, over(1, times(b, "x", "x"))), n(0))
            case 2:
                return self.made("t", c, t=op("max", times(a, "x"), over(b, "x")))
            case 3:
                return self.made(over(times(a, "x"), plus("x", b)), c)
        return self.made(times(a, "x", "x", "x"), op("-", c, times(b, "x")))

    def tied(self) -> Case:
        """A square product: sizes that are set to x, or to an expression of it."""
        rate, band, size, target = (self.given() for _ in range(4))
        ties = {"k": self.rng.choice([v("x"), times(2, "x"), plus("x", self.rng.randint(1, 9))])}
        if self.rng.random() < 0.5:
            ties["m"] = self.rng.choice([v("k"), op("max", "k", 7), over("k", 2)])
        else:
            self.values["m"] = self.number()
        steps = {
            "t_comp": over(times(2, "x", "k", "m"), rate),
            "t_mem": over(times(size, plus(times("x", "k"), times("k", "m"), times("x", "m"))), band),
            "t": op("max", "t_comp", "t_mem"),
        }
        sides = self.rng.choice([(v("t_comp"), v("t_mem")), (v("t"), target), (v("t"), times(target, "x"))])
        return replace(self.made(*sides, **steps), ties=ties)

    def tree(self) -> Case:
        """Anything."""
        u = self.grown(2)
        return self.made("w", self.rng.choice([self.constant(), self.term()]), u=u, w=self.grown(2, "u"))

    def grown(self, depth: int, also: str = "x") -> Tree:
        if depth == 0:
            return self.rng.choice([v("x"), v(also), self.constant()])
        first = self.grown(depth - 1, also)
        head = self.rng.choice(["+", "+", "*", "*", "/", "-", "max", "min", "max", "ceil", "sqrt", "if"])
        if head in ("ceil", "sqrt"):
            return op(head, first)
        if head == "if":
            return op("if", v("x"), self.constant(), first, self.grown(depth - 1, also))
        return op(head, first, self.grown(depth - 1, also))


def _product(one: list[Fraction], other: list[Fraction]) -> list[Fraction]:
    result = [Fraction(0)] * (len(one) + len(other) - 1)
    for at, first in enumerate(one):
        for beside, second in enumerate(other):
            result[at + beside] += first * second
    return result


def draw(seed: int) -> Case:
    """The case of a seed."""
    return Shapes(random.Random(seed)).case()


def main(count: int, seed: int) -> int:
    """Checks that many cases, and prints what fails. Returns the number of failures."""
    outcomes: Counter[str] = Counter()
    slowest: list[tuple[float, int]] = []
    failed = 0
    started = time.process_time()
    for number in range(seed, seed + count):
        before = time.process_time()
        case = draw(number)
        try:
            outcomes[check(case)] += 1
        except UndecidedError:  # the evaluator's intervals never tell ceil(sqrt(2)*sqrt(2)) from 3
            outcomes["not decided by the intervals here"] += 1
        except Exception as error:
            failed += 1
            outcomes["failed"] += 1
            place = traceback.extract_tb(error.__traceback__)[-1]
            print(f"seed {number}: {type(error).__name__}: {error} ({place.name}:{place.lineno})\n{case}\n", flush=True)
        slowest = sorted([*slowest, (time.process_time() - before, number)], reverse=True)[:5]
        if (number - seed + 1) % 1000 == 0:
            print(f"{number - seed + 1} done, {failed} failed", flush=True)
    seconds = time.process_time() - started
    print(f"{count} equations in {seconds:.1f} s of processor time: {failed} failed")
    for outcome, times_seen in outcomes.most_common():
        print(f"  {times_seen:6} {outcome}")
    print("slowest: " + ", ".join(f"{took:.2f} s (seed {number})" for took, number in slowest))
    return failed


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    sys.exit(bool(main(arguments[0] if arguments else 200, arguments[1] if len(arguments) > 1 else 0)))
