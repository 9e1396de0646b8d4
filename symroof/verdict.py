"""Whether a comparison of known quantities holds, and by how much: `14 GB + 20 GB <= 24 GB`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symroof.envelope import Names, evaluate, in_unit, readable_quantity, units_in, wanted_unit
from symroof.errors import ParseError
from symroof.expression import Line, Relation
from symroof.numerals import exact, figure, sign
from symroof.output import number
from symroof.units import Dimension, Quantity, base_magnitude, quantity_text, unlike

# Of the left side against the right one: where it is below, equal, above.
_HOLDS = {"<": (-1,), "<=": (-1, 0), "=": (0,), ">=": (0, 1), ">": (1,)}
_OPPOSITE = {"<": ">=", "<=": ">", ">=": "<", ">": "<="}


@dataclass(frozen=True)
class Verdict:
    """Both sides in one unit; `order` is -1, 0 or 1 where the left one is below, equal to or above the right one."""

    relation: Relation
    left: Quantity
    right: Quantity
    order: int

    @property
    def holds(self) -> bool:
        return self.order in _HOLDS[self.relation.operator]

    @property
    def margin(self) -> Quantity:
        """How far the sides are from each other."""
        return readable_quantity(abs(self.left - self.right), [self.right.units])


def verdict(line: Line, names: Names, wanted: str | None = None) -> Verdict:
    """Whether the relation of a line holds, its sides in the unit wanted, else in the one that suits the right side.

    Raises ParseError for sides that do not go together and for a name without a value, and the errors of evaluating.
    """
    relation = line.said
    assert isinstance(relation, Relation)
    for side in (relation.left, relation.right):
        names.require(side, otherwise="or solve for it: --for {}")
    left, right = evaluate(relation.left, names), evaluate(relation.right, names)
    one, other = Dimension.of(left.units), Dimension.of(right.units)
    if not one.same(other):
        raise ParseError(line.text, relation.right.root.position, *unlike(one, other))
    measured = wanted_unit(line, wanted) or readable_quantity(right, units_in(relation.right, names)).units
    order = sign(exact(base_magnitude(left) - base_magnitude(right)))
    return Verdict(relation, in_unit(left, measured, line), in_unit(right, measured, line), order)


def verdict_text(found: Verdict, digits: int, decimals: int | None) -> str:
    """`no: 31.18 GB > 24 GB, by 7.180 GB (29.92 % of 24 GB)`."""
    answer = "yes" if found.holds else "no"
    left, right, margin = (quantity_text(one, digits, decimals) for one in (found.left, found.right, found.margin))
    if found.order == 0:
        return f"{answer}: both sides are {right}"
    operator = found.relation.operator
    if operator == "=":
        operator = "<" if found.order < 0 else ">"
    elif not found.holds:
        operator = _OPPOSITE[operator]
    return f"{answer}: {left} {operator} {right}, by {margin}{_share(found, right)}"


def _share(found: Verdict, right: str) -> str:
    whole = base_magnitude(found.right)
    if not whole:
        return ""
    percent = figure(exact(abs(base_magnitude(found.margin) / whole) * 100))
    return f" ({percent.text()} % of {right})"


def verdict_json(found: Verdict, digits: int, decimals: int | None) -> dict[str, Any]:
    sides = {"left": found.left, "right": found.right, "margin": found.margin}
    return {"holds": found.holds} | {name: number(one, digits, decimals) for name, one in sides.items()}
