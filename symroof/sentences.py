"""An author's sentences with the values of a case filled in."""

from __future__ import annotations

from symroof.blanks import Blank, Template
from symroof.case import Case, equation, in_full, rounded
from symroof.prose import Maths, Prose
from symroof.syntax import Name
from symroof.units import converted


def spoken(case: Case, template: Template) -> Prose:
    """The sentence for this case; its figures are rounded from the exact values, a given's are in full.

    Raises UnitError for a blank whose unit does not fit, or a compound expression that has one and names none.
    """
    return Prose(tuple(part if isinstance(part, str) else _filled(case, part) for part in template.parts))


def _filled(case: Case, blank: Blank) -> str | Maths:
    expression = blank.expression
    if not isinstance(expression.root, Name):
        return rounded(converted(case.solution.compute(expression), blank.unit or ""), expression.text)
    name = expression.root.name
    value = case.quantity(name) if blank.unit is None else case.solution.shown(name, blank.unit)
    if isinstance(value, str):
        return value
    is_given = name in case.derivation.givens and blank.unit is None
    shown = in_full(value, name) if is_given else rounded(value, name)
    return equation(case.symbol(name), shown) if blank.named else shown
