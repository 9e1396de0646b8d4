"""Closed forms as people write them: normalised, in the field's order of symbols, as text and as LaTeX.

SymPy prints `2mkn` as `2kmn` and turns signs round, so symroof writes its own: rates and constants before sizes,
positive terms before negative ones, common factors in front. The text is what the expression parser reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy

from symroof.latex import grouped
from symroof.prose import Maths

MAX_BITS_FACTORED = 400  # of a number in a polynomial in several symbols: factoring one takes primes of that length

_SUM, _PRODUCT, _POWER, _ATOM = range(4)
_FUNCTION_TEXT = {
    "Max": "max",
    "Min": "min",
    "ceiling": "ceil",
    "floor": "floor",
    "log": "ln",
    "exp": "exp",
    "Abs": "abs",
}
_FUNCTION_LATEX = {
    "Max": r"\max",
    "Min": r"\min",
    "log": r"\ln",
    "exp": r"\exp",
    "next_divisor": r"\mathrm{nextdivisor}",
}
_RELATION_TEXT = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "=", "!=": "!="}
_RELATION_LATEX = {"<": "<", "<=": r"\le", ">": ">", ">=": r"\ge", "==": "=", "!=": r"\ne"}


def bits_of_longest(expression: sympy.Expr) -> int:
    """The length of the longest number in it."""
    return max((max(abs(one.p), one.q).bit_length() for one in expression.atoms(sympy.Rational)), default=0)


def normalised(expression: sympy.Expr) -> sympy.Expr:
    """A rational expression as one fraction: cancelled, each sum split by sign with its common factor in front.

    Numerator and denominator have whole coefficients, and the first is positive where it has one sign. Anything
    else is returned unchanged.
    """
    above, below = sympy.cancel(sympy.together(expression)).as_numer_denom()
    if not (above.is_polynomial(*above.free_symbols) and below.is_polynomial(*below.free_symbols)):
        return expression
    if sign_of_terms(above) == -1 or (sign_of_terms(above) is None and sign_of_terms(below) == -1):
        above, below = -above, -below
    return _factors_collected(above) / _factors_collected(below)


def _factors_collected(polynomial: sympy.Expr) -> sympy.Expr:
    """The polynomial's factors, each collected; an irreducible one is collected as it stands."""
    if bits_of_longest(polynomial) > MAX_BITS_FACTORED:
        return collected(polynomial)
    content, factors = sympy.factor_list(polynomial)
    if len(factors) == 1 and factors[0][1] == 1:
        return collected(polynomial)
    if content.is_negative:  # -P (a - b) is P (b - a)
        turned = next((at for at, (one, power) in enumerate(factors) if power % 2 and sign_of_terms(one) is None), None)
        if turned is not None:
            factors[turned] = (-factors[turned][0], factors[turned][1])
            content = -content
    return sympy.Mul(content, *(collected(factor) ** power for factor, power in factors))


def collected(polynomial: sympy.Expr) -> sympy.Expr:
    """The positive terms with their common factor in front, less the negative ones with theirs."""
    terms = sympy.Add.make_args(sympy.expand(polynomial))
    positive = [term for term in terms if not term.could_extract_minus_sign()]
    negative = [-term for term in terms if term.could_extract_minus_sign()]
    if positive and negative:
        common = sympy.gcd_terms(sympy.Add(*positive, *negative)).as_coeff_Mul()[1]
        outside = sympy.Mul(*(factor for factor in sympy.Mul.make_args(common) if not isinstance(factor, sympy.Add)))
        inside = [sympy.Add(*group) / outside for group in (positive, negative)]
        return outside * (_factored(sympy.expand(inside[0])) - _factored(sympy.expand(inside[1])))
    return _factored(sympy.Add(*positive)) if positive else -_factored(sympy.Add(*negative))


def _factored(terms: sympy.Expr) -> sympy.Expr:
    return sympy.gcd_terms(terms) if isinstance(terms, sympy.Add) else terms


def sign_of_terms(polynomial: sympy.Expr) -> int | None:
    """1 or -1 if the terms show that the sum has that sign, 0 for zero, else None.

    No term may have the other sign, and one must not be zero (a given whose default is zero may be).
    """
    terms = sympy.Add.make_args(sympy.expand(polynomial))
    if all(term.is_zero for term in terms):
        return 0
    if all(term.is_nonnegative for term in terms) and any(term.is_positive for term in terms):
        return 1
    if all(term.is_nonpositive for term in terms) and any(term.is_negative for term in terms):
        return -1
    return None


def _under_one_radical(factors: Sequence[sympy.Expr]) -> list[sympy.Expr]:
    """sqrt(a)*sqrt(b)/sqrt(c) as sqrt(a*b/c), and likewise for other broken powers."""
    kept: list[sympy.Expr] = []
    inside: dict[sympy.Rational, sympy.Expr] = {}
    for factor in factors:
        base, power = factor.as_base_exp()
        if power.is_Rational and not power.is_Integer:
            inside[abs(power)] = inside.get(abs(power), sympy.Integer(1)) * base ** sympy.sign(power)
        else:
            kept.append(factor)
    for power, base in inside.items():
        above, below = base.as_numer_denom()
        turned = above == 1  # 1/sqrt(a), not sqrt(1/a)
        kept.append(sympy.Pow(below if turned else base, -power if turned else power, evaluate=False))
    return kept


class Writer:
    """Writes expressions as text or LaTeX; `order` lists the symbols as they should stand in a product."""

    def __init__(self, order: Sequence[str], latex_of: dict[str, str]) -> None:
        self._rank = {name: at for at, name in enumerate(order)}
        self.latex_of = latex_of

    def text(self, expression: Any) -> str:
        """As the expression parser reads it: `P*s*k*n/(c*beta*k*n - P*s*(k + n))`."""
        return self._write(sympy.sympify(expression), latex=False)[0]

    def latex(self, expression: Any) -> str:
        return self._write(sympy.sympify(expression), latex=True)[0]

    def maths(self, expression: Any) -> Maths:
        return Maths(self.latex(expression), self.text(expression))

    def relation_text(self, left: sympy.Expr, operator: str, right: sympy.Expr) -> str:
        return f"{self.text(left)} {_RELATION_TEXT[operator]} {self.text(right)}"

    def relation_latex(self, left: sympy.Expr, operator: str, right: sympy.Expr) -> str:
        return f"{self.latex(left)} {_RELATION_LATEX[operator]} {self.latex(right)}"

    def _write(self, node: Any, latex: bool) -> tuple[str, int]:
        """The writing and how tightly it binds."""
        match node:
            case sympy.Symbol():
                return (self.latex_of.get(node.name, node.name) if latex else node.name), _ATOM
            case sympy.Rational():
                return self._number(Fraction(int(node.p), int(node.q)), latex)
            case sympy.Add():
                return self._sum(node, latex), _SUM
            case sympy.Mul():
                return self._product(node, latex)
            case sympy.Pow():
                return self._power(node, latex)
            case sympy.Piecewise():
                return self._cases(node, latex), _ATOM
            case sympy.core.relational.Relational():
                write = self.relation_latex if latex else self.relation_text
                return write(node.lhs, node.rel_op, node.rhs), _SUM
            case sympy.And() | sympy.Or():
                joint = (
                    (r" \land " if latex else " and ")
                    if isinstance(node, sympy.And)
                    else (r" \lor " if latex else " or ")
                )
                return joint.join(sorted(self._write(part, latex)[0] for part in node.args)), _SUM
            case sympy.Function() | sympy.Max() | sympy.Min():
                return self._call(node, latex), _ATOM
        return (sympy.latex(node) if latex else str(node)), _ATOM

    def _number(self, number: Fraction, latex: bool) -> tuple[str, int]:
        if number.denominator == 1:
            minus = "-" if number < 0 else ""
            shown = minus + grouped(str(abs(number.numerator))) if latex else str(number)
            return shown, _ATOM if number >= 0 else _SUM
        if latex:
            minus = "-" if number < 0 else ""
            above, below = grouped(str(abs(number.numerator))), grouped(str(number.denominator))
            return rf"{minus}\frac{{{above}}}{{{below}}}", _ATOM if number > 0 else _SUM
        return str(number), _PRODUCT

    def _key(self, node: Any) -> Any:
        names = sorted(self._rank.get(symbol.name, len(self._rank)) for symbol in node.free_symbols)
        return (isinstance(node, (sympy.Add, sympy.Max, sympy.Min, sympy.Piecewise)), names, str(node))

    def _sum(self, node: sympy.Add, latex: bool) -> str:
        terms = sorted(
            node.args, key=lambda term: (term.could_extract_minus_sign(), self._degree(term), self._key(term))
        )
        shown = ""
        for term in terms:
            negative = term.could_extract_minus_sign()
            piece = self._bound(-term if negative else term, _PRODUCT, latex)
            shown += (" - " if negative else " + ") + piece if shown else ("-" if negative else "") + piece
        return shown

    def _degree(self, term: Any) -> int:
        """Higher powers first, numbers last."""
        powers = term.as_powers_dict()
        if not term.free_symbols:
            return 1
        return -sum(int(power) if power.is_Integer else 1 for base, power in powers.items() if not base.is_number)

    def _product(self, node: sympy.Mul, latex: bool) -> tuple[str, int]:
        coefficient, rest = node.as_coeff_Mul()
        if coefficient.is_negative:
            return "-" + self._bound(-node, _PRODUCT, latex), _SUM
        above: list[Any] = []
        below: list[Any] = []
        for factor in _under_one_radical(sympy.Mul.make_args(rest)):
            base, power = factor.as_base_exp()
            if power.is_Rational and power.is_negative:
                below.append(base**-power)
            else:
                above.append(factor)
        over, under = (
            int(coefficient.p) if coefficient.is_Rational else 1,
            int(coefficient.q) if coefficient.is_Rational else 1,
        )
        if not coefficient.is_Rational:
            above.insert(0, coefficient)
        top = self._factors(over, above, latex)
        if not below and under == 1:
            return top, _PRODUCT
        bottom = self._factors(under, below, latex)
        if latex:
            return rf"\frac{{{self._unbound(over, above, latex)}}}{{{self._unbound(under, below, latex)}}}", _POWER
        several = len(below) + (under != 1) > 1
        return f"{top}/({bottom})" if several else f"{top}/{bottom}", _PRODUCT

    def _factors(self, coefficient: int, factors: list[Any], latex: bool) -> str:
        ordered = sorted(factors, key=self._key)
        pieces = [self._bound(factor, _POWER, latex) for factor in ordered]
        if coefficient != 1 or not pieces:
            pieces.insert(0, self._number(Fraction(coefficient), latex)[0])
        if not latex:
            return "*".join(pieces)
        shown = pieces[0]
        for piece in pieces[1:]:
            if piece[0].isdigit() or (piece.startswith(r"\frac") and shown[-1].isdigit()):
                joint = r" \times "
            else:
                joint = (
                    r" \, "
                    if piece.startswith(r"\mathrm") or (shown.endswith("}") and r"\mathrm" in shown[-12:])
                    else " "
                )
            shown += joint + piece
        return shown

    def _unbound(self, coefficient: int, factors: list[Any], latex: bool) -> str:
        """The inside of a fraction, where a lone sum needs no parentheses."""
        if coefficient == 1 and len(factors) == 1:
            return self._write(factors[0], latex)[0]
        return self._factors(coefficient, factors, latex)

    def _power(self, node: sympy.Pow, latex: bool) -> tuple[str, int]:
        base, power = node.as_base_exp()
        if power.is_Rational and power.is_negative:
            under = self._bound(base**-power, _POWER, latex) if not latex else self._write(base**-power, latex)[0]
            return (rf"\frac{{1}}{{{under}}}", _POWER) if latex else (f"1/{under}", _PRODUCT)
        if power == sympy.Rational(1, 2):
            inside = self._write(base, latex)[0]
            return (rf"\sqrt{{{inside}}}" if latex else f"sqrt({inside})"), _ATOM
        raised = self._write(power, latex)[0]
        if latex:
            return rf"{self._bound(base, _ATOM, latex)}^{{{raised}}}", _POWER
        return (
            f"{self._bound(base, _ATOM, latex)}^{raised if power.is_Integer or power.is_Symbol else f'({raised})'}",
            _POWER,
        )

    def _cases(self, node: sympy.Piecewise, latex: bool) -> str:
        cases = [(self._write(value, latex)[0], condition) for value, condition in node.args]
        if latex:
            rows = [
                value
                + " & "
                + (r"\text{otherwise}" if condition == True else r"\text{if }" + self._write(condition, latex)[0])  # noqa: E712
                for value, condition in cases
            ]
            return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"
        return "; ".join(
            value + (" otherwise" if condition == True else f" if {self._write(condition, latex)[0]}")  # noqa: E712
            for value, condition in cases
        )

    def _call(self, node: Any, latex: bool) -> str:
        name = type(node).__name__
        ordered = sorted(node.args, key=self._key) if isinstance(node, (sympy.Max, sympy.Min)) else node.args
        inside = ", ".join(self._write(argument, latex)[0] for argument in ordered)
        if not latex:
            return f"{_FUNCTION_TEXT.get(name, name)}({inside})"
        if name == "ceiling":
            return rf"\left\lceil {inside} \right\rceil"
        if name == "floor":
            return rf"\left\lfloor {inside} \right\rfloor"
        command = _FUNCTION_LATEX.get(name, rf"\mathrm{{{name}}}")
        return rf"{command}\left( {inside} \right)"

    def _bound(self, node: Any, tightness: int, latex: bool) -> str:
        """The writing, in parentheses if it binds less tightly than its place asks."""
        shown, own = self._write(node, latex)
        if own >= tightness:
            return shown
        return rf"\left( {shown} \right)" if latex else f"({shown})"
