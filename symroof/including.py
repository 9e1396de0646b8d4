"""Bringing one derivation's items into another: under names with a suffix, and with symbols exchanged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from symroof.declared import Binding, Crossover, Given, Item, Step
from symroof.latex import split_maths
from symroof.symbols import default_latex, with_subscript


def is_same(present: Item | None, item: Item) -> bool:
    """Whether two items are one declaration, though its file was loaded twice."""
    if isinstance(present, Step) and isinstance(item, Step):
        mine, its = (replace(step, function=len, written=len) for step in (present, item))
        return mine == its and present.written.__code__ == item.written.__code__
    if isinstance(present, Crossover) and isinstance(item, Crossover):
        return replace(present, relation=item.relation) == item and present.relation.text == item.relation.text
    return present == item


def under_other_names(
    item: Item, suffix: str, exchange: Mapping[str, str], worked_out: Iterable[str], latex_of: Callable[[str], str]
) -> Item | None:
    """An item as it comes in under a name with a suffix; None for one that stays out.

    `worked_out` are the other derivation's steps and bindings, `latex_of` says its symbols.
    """
    names = {**exchange, **{name: name + suffix for name in worked_out}}
    match item:
        case Given():
            replaced = item.name in exchange and item.name not in exchange.values()
            return None if replaced else item
        case Step():
            sentence = _with_exchanged(item, exchange, latex_of)
            return item.renamed(item.name + suffix, with_subscript(item.latex, suffix), sentence, names)
        case Binding():
            return Binding(item.name + suffix, {names[term]: label for term, label in item.labels.items()})
    return None


def _with_exchanged(step: Step, exchange: Mapping[str, str], latex_of: Callable[[str], str]) -> str:
    """The sentence of a step that comes in under another name, with the symbols that it now has."""
    instead = {latex_of(old): default_latex(new) for old, new in exchange.items() if old in step.parameters}
    if not instead:
        return step.sentence
    symbols = re.compile("|".join(rf"(?<![A-Za-z\\]){re.escape(old)}(?![A-Za-z])" for old in instead))
    return "".join(
        f"${symbols.sub(lambda found: instead[found[0]], part)}$" if maths else part
        for maths, part in split_maths(step.sentence)
    )
