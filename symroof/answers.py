"""What solving finds, as JSON and as lines for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import click

from symroof.budget import Budget, Range
from symroof.crossover import Answer, Root
from symroof.derivation import DerivationGraph
from symroof.numerals import SIGNIFICANT_ROOT
from symroof.output import number
from symroof.regimes import Crossing, Regimes
from symroof.uncertain import Bounds, Labels
from symroof.units import Quantity, converted, quantity_both_text, quantity_text


def bounds_json(found: Bounds | Labels, wanted: str | None, digits: int, decimals: int | None) -> dict[str, Any]:
    if isinstance(found, Labels):
        return {
            "label": found.labels[0] if found.certain else None,
            "labels": list(found.labels),
            "text": found.sentence,
        }
    low, high = _ends(found, wanted)
    return {
        "low": number(low, digits, decimals),
        "high": number(high, digits, decimals),
        "how": found.how,
        "attained": found.attained,
        "trends": dict(found.trends),
    }


def bounds_text(name: str, found: Bounds | Labels, wanted: str | None, digits: int, decimals: int | None) -> str:
    """`t_mem = 11.74 ms to 14.05 ms   (monotone: falls in beta)`"""
    if isinstance(found, Labels):
        return f"{name}: {found.sentence}"
    return f"{name} = {ends_text(found, wanted, digits, decimals)}"


def ends_text(found: Bounds, wanted: str | None, digits: int, decimals: int | None) -> str:
    """`11.74 ms to 14.05 ms   (monotone: falls in beta)`"""
    low, high = (quantity_text(end, digits, decimals) for end in _ends(found, wanted))
    trends = ", ".join(
        f"{given} does not matter" if words == "does not matter" else f"{words} in {given}"
        for given, words in found.trends.items()
    )
    return f"{low if low == high else f'{low} to {high}'}" + click.style(f"   ({found.how}: {trends})", dim=True)


def _ends(found: Bounds, wanted: str | None) -> tuple[Quantity, Quantity]:
    if wanted is None:
        return found.low, found.high
    return converted(found.low, wanted), converted(found.high, wanted)


def answer_json(derivation: DerivationGraph, answer: Answer | Budget) -> dict[str, Any]:
    return {"derivation": derivation.name, **relation_json(answer)}


def relation_json(answer: Answer | Budget) -> dict[str, Any]:
    """What was found of an equation or inequality, whatever it is about."""
    if isinstance(answer, Budget):
        return {
            "equation": answer.relation.text,
            "for": answer.symbol,
            "verdict": answer.verdict,
            "reason": answer.reason,
            "ranges": [_range_json(one) for one in answer.ranges],
        }
    forms = [one for one in answer.candidates if one.closed_form is not None]
    shown = [root.candidate for root in answer.roots] or forms
    return {
        "equation": answer.relation.text,
        "for": answer.symbol,
        "verdict": answer.verdict,
        "reason": answer.reason,
        "closed_form": answer.text(shown[0].closed_form) if shown else None,
        "condition": answer.condition_text(shown[0]) if shown else None,
        "roots": [_root_json(answer, root) for root in answer.roots],
    }


def _root_json(answer: Answer, root: Root) -> dict[str, Any]:
    form = root.candidate.closed_form
    return {
        **number(root.value, SIGNIFICANT_ROOT),
        "closed_form": answer.text(form),
        "latex": None if form is None else answer.writer.latex(form),
        "condition": answer.condition_text(root.candidate),
        "holds": root.holds,
        "first_integer": root.first_integer,
        "below": root.below,
        "above": root.above,
        "sides_by": root.sides_by,
        "proof": root.proof,
    }


def answer_text(answer: Answer | Budget) -> str:
    return "\n".join(answer.lines(partial(click.style, bold=True)))


def _range_json(found: Range) -> dict[str, Any]:
    return {
        "low": _number_or_none(found.low),
        "high": _number_or_none(found.high),
        "low_integer": found.low_integer,
        "high_integer": found.high_integer,
    }


def regimes_json(derivation: DerivationGraph, symbol: str, found: Sequence[Regimes]) -> dict[str, Any]:
    return {
        "derivation": derivation.name,
        "for": symbol,
        "comparisons": [
            {
                "name": one.name,
                "terms": list(one.terms),
                "regimes": [
                    {
                        "low": _number_or_none(regime.low),
                        "high": _number_or_none(regime.high),
                        "term": regime.term,
                        "label": regime.label,
                        "formula": None if regime.formula is None else one.writer.text(regime.formula),
                    }
                    for regime in one.regimes
                ],
                "crossings": [
                    {
                        "terms": list(crossing.terms),
                        "at": number(crossing.root.value, SIGNIFICANT_ROOT),
                        "on_top": crossing.on_top,
                    }
                    for crossing in one.crossings
                ],
            }
            for one in found
        ],
    }


def regimes_text(found: Sequence[Regimes]) -> str:
    lines = []
    for one in found:
        lines.append(f"{click.style(one.name, bold=True)} over {one.symbol}, the largest of {', '.join(one.terms)}")
        for regime in one.regimes:
            low = "0" if regime.low is None else quantity_text(regime.low, SIGNIFICANT_ROOT)
            high = "infinity" if regime.high is None else quantity_text(regime.high, SIGNIFICANT_ROOT)
            formula = "" if regime.formula is None else f"   {regime.term} = {one.writer.text(regime.formula)}"
            lines.append(f"  {f'{low} to {high}':<28} {click.style(regime.label, bold=True)}{formula}")
        lines += [f"    {_crossing_text(one.symbol, crossing)}" for crossing in one.crossings]
    return "\n".join(lines)


def _crossing_text(symbol: str, crossing: Crossing) -> str:
    aside = "" if crossing.on_top else ", below another term"
    return (
        f"{' = '.join(crossing.terms)} at {symbol} = {quantity_both_text(crossing.root.value, SIGNIFICANT_ROOT)}{aside}"
    )


def _number_or_none(value: Quantity | None) -> dict[str, Any] | None:
    return None if value is None else number(value, SIGNIFICANT_ROOT)
