"""A derivation at a glance, as Python and notebooks show it: what it takes, its formulas as written, what it asks.

Nothing is worked out.
"""

from __future__ import annotations

from collections.abc import Iterator

from symroof import as_written, notebook
from symroof.declared import Binding, Crossover, Given, Step
from symroof.derivation import DerivationGraph
from symroof.errors import AuthoringError, MissingGivenError, listing
from symroof.hardware import DTYPE_SYMBOLS
from symroof.latex import plain_prose
from symroof.prose import Maths, phrase, words
from symroof.settings import Settings
from symroof.units import quantity_full_text, unit_latex, unit_text


def text(derivation: DerivationGraph) -> str:
    """Lines of plain text: `m  rows of A and C (must be set)`, `F = c*m*k*n  [FLOP]`."""
    givens = [
        f"  {given.name}{_in_brackets(unit_text(given.unit))}  {given.description} ({_default(derivation, given)})"
        for given in derivation.givens.values()
    ]
    steps = [
        f"  {step.name} = {_formula(derivation, step).text}{_in_brackets(unit_text(step.unit))}"
        for step in derivation.steps.values()
    ]
    questions = [f"  {name.text}: {plain_prose(said)}" for name, said in _questions(derivation)]
    return "\n".join([f"{derivation.name}: {derivation.title}", *givens, *steps, *questions])


def latex(derivation: DerivationGraph) -> str:
    """The steps as written, below each other."""

    def right(step: Step) -> str:
        unit = unit_latex(step.unit)
        return f"= {_formula(derivation, step).latex}" + (rf" \quad [{unit}]" if unit else "")

    return notebook.aligned((step.latex, right(step)) for step in derivation.steps.values())


def html(derivation: DerivationGraph) -> str:
    """The title, the givens with their units and defaults, the steps as written, and what is asked."""
    column = words()["column"]
    givens = [
        [
            notebook.maths(given.latex),
            notebook.prose(given.description),
            notebook.text(unit_text(given.unit)),
            notebook.text(_default(derivation, given)),
        ]
        for given in derivation.givens.values()
    ]
    steps = [
        [
            notebook.maths(f"{step.latex} = {_formula(derivation, step).latex}"),
            notebook.text(unit_text(step.unit)),
            notebook.prose(step.sentence),
        ]
        for step in derivation.steps.values()
    ]
    questions = [[notebook.maths(name.latex), "", notebook.prose(said)] for name, said in _questions(derivation)]
    return (
        notebook.heading(derivation.title, f"({derivation.name})")
        + notebook.table(givens, [column[name] for name in ("symbol", "meaning", "unit", "default")])
        + notebook.table([*steps, *questions], [column[name] for name in ("formula", "unit", "meaning")])
    )


def _formula(derivation: DerivationGraph, step: Step) -> Maths:
    """As the author wrote it; where that is not to be had or not to be typeset, what it is a function of."""
    try:
        return Maths(as_written.formula(derivation, step), as_written.source_line(step))
    except AuthoringError:
        symbols = ", ".join(map(derivation.latex_of, step.parameters))
        return Maths(rf"f\left( {symbols} \right)", f"f({', '.join(step.parameters)})")


def _default(derivation: DerivationGraph, given: Given) -> str:
    """Its default, or where its value comes from."""
    if given.default is not None:
        return quantity_full_text(given.default)
    try:
        Settings(derivation).value(given.name)
    except MissingGivenError:
        return phrase("to_be_set").text
    return phrase("from_dtype" if given.name in DTYPE_SYMBOLS else "from_chip").text


def _questions(derivation: DerivationGraph) -> Iterator[tuple[Maths, str]]:
    """Labels and crossovers, each with what it says."""
    for item in derivation.items.values():
        if isinstance(item, Binding):
            terms = [f"${derivation.latex_of(term)}$ ({label})" for term, label in item.labels.items()]
            yield _symbol(derivation, item), words()["phrase"]["largest_of"].format(terms=listing(terms))
        elif isinstance(item, Crossover):
            symbol = f"${derivation.latex_of(item.solve_for)}$"
            yield (
                _symbol(derivation, item),
                words()["phrase"]["where"].format(equation=item.relation.text, symbol=symbol),
            )


def _symbol(derivation: DerivationGraph, item: Binding | Crossover) -> Maths:
    return Maths(derivation.latex_of(item.name), item.name)


def _in_brackets(unit: str) -> str:
    return f"  [{unit}]" if unit else ""
