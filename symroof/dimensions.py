"""The unit proof: every formula run on dimensions alone, along every branch of its conditionals.

What holds here holds for all numbers. `byte + 0` fails, and so does a branch that no example takes.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any, Protocol

from symroof.branches import Branch, explore
from symroof.errors import AuthoringError, SymroofError, UnitError, formula_raised
from symroof.expression import Expression, Relation
from symroof.numerals import exact
from symroof.units import Dimension, Unit, unit_text


class Formula(Protocol):
    """What the proof reads of a step."""

    @property
    def name(self) -> str: ...
    @property
    def function(self) -> Callable[..., Any]: ...
    @property
    def unit(self) -> Unit: ...
    @property
    def parameters(self) -> tuple[str, ...]: ...


class Labels(Protocol):
    """What the proof reads of a binding: its terms, each with its label."""

    @property
    def labels(self) -> Mapping[str, str]: ...


class Graph(Protocol):
    """What the proof reads of a derivation, which itself proves what an author says of its quantities."""

    @property
    def steps(self) -> Mapping[str, Formula]: ...
    @property
    def bindings(self) -> Mapping[str, Labels]: ...
    def order(self) -> list[str]: ...
    def known(self, name: str) -> str: ...
    def parameters(self, name: str) -> tuple[str, ...]: ...
    def unit_of(self, name: str) -> Unit: ...


def prove(derivation: Graph) -> None:
    """Proves the declared unit of every step. Raises the first failure, which names the step."""
    for failure in failures(derivation):
        raise failure


def failures(derivation: Graph) -> list[SymroofError]:
    """What is wrong with units, one error for each step or binding at fault."""
    found: list[SymroofError] = []
    labels = set(derivation.bindings)
    for name in derivation.order():
        try:
            _refuse_labels(derivation, name, labels)
            if name in derivation.steps and _prove_step(derivation, derivation.steps[name]):
                labels.add(name)
            elif name in derivation.bindings:
                _prove_binding(derivation, name)
        except SymroofError as error:
            found.append(error)
    return found


def is_label(derivation: Graph, name: str) -> bool:
    """Whether the quantity is a word rather than a number: a binding, or a step that returns text."""
    return bool(labels_of(derivation, name))


def labels_of(derivation: Graph, name: str) -> Sequence[str]:
    """The labels that the quantity can have, each once; none if it is a number."""
    if name in derivation.bindings:
        return list(dict.fromkeys(derivation.bindings[name].labels.values()))
    if name not in derivation.steps:
        return []
    values = [branch.value for branch in _branches(derivation, derivation.steps[name])]
    return list(dict.fromkeys(value for value in values if isinstance(value, str)))


def is_proved(derivation: Graph, name: str) -> bool:
    """Whether the quantity's own formula, if it has one, is run and has its declared unit."""
    try:
        if name in derivation.steps:
            _prove_step(derivation, derivation.steps[name])
    except SymroofError:
        return False
    return True


def of_expression(derivation: Graph, expression: Expression) -> Dimension:
    """The dimension of text over the derivation's names. Raises ParseError where the units do not fit."""
    values = {name: Dimension.of(derivation.unit_of(name)) for name in expression.names}
    for name in expression.names:
        if is_label(derivation, name):
            raise UnitError(f"{name} is a label, not a number", "use the quantities it compares")
    outcome = expression.compute(values, lambda literal: Dimension.of(literal.unit))
    return outcome if isinstance(outcome, Dimension) else Dimension({})


def prove_relation(derivation: Graph, relation: Relation) -> None:
    """Proves that both sides have the same dimension. Raises UnitError or ParseError."""
    left, right = (of_expression(derivation, side) for side in (relation.left, relation.right))
    if not left.same(right):
        raise UnitError(
            f"{relation.text!r} compares {left} with {right}", "both sides of an equation need the same dimension"
        )


def _refuse_labels(derivation: Graph, name: str, labels: Container[str]) -> None:
    """Raises UnitError if the step or binding is worked out from a label."""
    for parameter in derivation.parameters(name):
        if parameter in labels:
            kind, verb = ("binding", "compares") if name in derivation.bindings else ("step", "uses")
            raise UnitError(f"{kind} {name} {verb} the label {parameter}", "a quantity is needed there")


def _prove_step(derivation: Graph, step: Formula) -> bool:
    """Proves the declared unit of a step. Returns whether it is a label, which has none."""
    declared = Dimension.of(step.unit)
    branches = _branches(derivation, step)
    if all(isinstance(branch.value, str) for branch in branches):
        if declared.powers:
            raise UnitError(
                f"step {step.name} is declared in {unit_text(step.unit)}, but it returns a label",
                "declare it with @step(), or return a quantity",
            )
        return True
    for number, branch in enumerate(branches, 1):
        where = "" if len(branches) == 1 else f", in branch {number} of {len(branches)},"
        outcome = _dimension_of_outcome(branch.value, f"step {step.name}{where}")
        if not outcome.same(declared):
            raise UnitError(
                f"step {step.name}{where} is declared in {unit_text(step.unit) or 'plain numbers'}, "
                f"but its formula gives {outcome}",
                f"declare @step(unit={str(outcome) if outcome.powers else ''!r}) or mend the formula",
            )
    return False


def _dimension_of_outcome(outcome: Any, where: str) -> Dimension:
    if isinstance(outcome, Dimension):
        return outcome
    try:
        exact(outcome)
    except TypeError:
        plain = outcome is None or isinstance(outcome, (str, bool))
        shown = repr(outcome) if plain else f"a {type(outcome).__name__.lower()}"
        raise AuthoringError(
            f"{where} returns {shown}, which is no quantity", "return a quantity in every branch"
        ) from None
    except SymroofError as error:
        raise error.within(where) from None
    return Dimension({})


def _branches(derivation: Graph, step: Formula) -> list[Branch]:
    try:
        arguments: Mapping[str, Dimension] = {
            parameter: Dimension.of(derivation.unit_of(derivation.known(parameter))) for parameter in step.parameters
        }
        return explore(step.function, arguments)
    except SymroofError as error:
        raise error.within(f"step {step.name}") from None
    except Exception as error:  # the author's formula may raise anything
        raise formula_raised(step.name, error) from None


def _prove_binding(derivation: Graph, name: str) -> None:
    binding = derivation.bindings[name]
    first, *others = binding.labels
    for other in others:
        one, two = Dimension.of(derivation.unit_of(first)), Dimension.of(derivation.unit_of(other))
        if not one.same(two):
            raise UnitError(
                f"binding {name} compares {first} in {one} with {other} in {two}", "its terms need the same dimension"
            )
