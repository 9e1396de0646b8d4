"""A derivation as its author wrote it: givens, steps, and what is asked of them, as an acyclic graph.

Nothing is calculated here. The four readings (`as_written`, `algebra`, `evaluate`, `sweeps`) take it from here.
"""

from __future__ import annotations

import graphlib
import inspect
import keyword
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

from symroof import dimensions, hardware, units
from symroof.blanks import Template, template
from symroof.declared import (
    AnItem,
    Binding,
    Claim,
    Crossover,
    Decision,
    Equal,
    Given,
    Item,
    Limit,
    Plan,
    Step,
    Trend,
    Worked,
    in_declared_unit,
    split_column,
)
from symroof.errors import (
    AuthoringError,
    RefusedValueError,
    SymroofError,
    UnitError,
    UnknownNameError,
    clipped,
    suggestion,
)
from symroof.expression import Expression, Relation, as_quantity, parse, parse_relation
from symroof.including import is_same, under_other_names
from symroof.symbols import default_latex
from symroof.syntax import Name, can_be_name
from symroof.units import Dimension, Quantity, Unit, unit_text

Function = TypeVar("Function", bound=Callable[..., Any])

_AT = '{"m": 8192}'  # an example, for hints


class DerivationGraph:
    """Givens and steps by name, and the order in which they can be worked out."""

    def __init__(self, name: str, title: str = "") -> None:
        """The docstring of the file that makes it is the question the derivation answers."""
        file = sys._getframe(1).f_globals
        self.name = name
        self.title = title or name
        self.question = inspect.cleandoc(file.get("__doc__") or "")
        self.defined_in = str(file.get("__name__", ""))
        self.items: dict[str, Item] = {}
        self.facts: list[Limit | Trend | Equal] = []
        self.advice: dict[str, str] = {}
        self.conclusions: list[Template] = []
        self.plans: list[Plan] = []
        self.stages: list[tuple[str, ...] | Decision] = []
        self.builds_on: list[str] = []  # the names of the derivations it includes
        self.cited: dict[str, str] = {}  # steps and bindings that another report derives, and which
        self.claims: list[Claim] = []
        self.example = Worked()

    # -- what an author says

    def given(
        self,
        name: str,
        description: str = "",
        *,
        unit: str = "",
        default: int | Fraction | float | str | None = None,
        count: bool = False,
        symbol: str | None = None,
        efficiency: str | None = None,
        on: str | None = None,
        most: int | Fraction | float | str | None = None,
    ) -> None:
        """Declares an input.

        `unit` is the unit of a bare number; `default` is a number in it or text with a unit; `symbol` is LaTeX; `most`,
        written as a default is, is the largest value it may have, such as 1 for a share. A given without default comes
        from the chip (P, beta, C, C_label, C_driver, beta_host, beta_link), the dtype (s, s_a, s_w, s_kv) or the user.
        `on` names the one chip that the default is for, such as a question's reading of its memory; on others the
        chip's own figure counts. `efficiency` names a given that its value is multiplied by, so that formulas and
        closed forms work with the effective rate under the same symbol. Raises AuthoringError for a name that is taken
        or not usable, UnitError for a unit that is none, and the errors of reading a value for a default.
        """
        with _about(f"given {name}"):
            declared = units.unit(unit)
            if on is not None:
                hardware.chip(_text(on, "on", 'on="a100-40gb"'))
            if on is not None and default is None:
                raise AuthoringError(f"on={on!r} says which chip a default is for, but there is none", "give a default")
            given = Given(name, description, declared, symbol or default_latex(name), count, None, efficiency, on)
            if most is not None:
                given = replace(given, most=given.checked(in_declared_unit(most, declared)))
            if default is not None:
                given = replace(given, default=given.checked(in_declared_unit(default, declared)))
        self._add(given)

    def step(
        self, *without_brackets: object, unit: str = "", symbol: str | None = None, of: Sequence[str] = ()
    ) -> Callable[[Function], Function]:
        """Declares a quantity by its formula: the decorated function's name, parameters and docstring.

        `of` names the quantities that a formula over `*terms` takes, such as one for each type of layer. Raises
        AuthoringError for a name that is taken, or parameters with defaults, `**kwargs`, or `*args` without `of`.
        """

        if without_brackets:
            raise AuthoringError(f"{self.name} has a step that is declared without brackets", 'write @step(unit="s")')

        def register(function: Function) -> Function:
            name = getattr(function, "__name__", "")
            if name == "<lambda>":
                raise AuthoringError(
                    f"{self.name} has a step that is a lambda", "write it as a function: its name is the quantity's"
                )
            with _about(f"step {name}"):
                declared = units.unit(unit)
            sentence = inspect.cleandoc(function.__doc__ or "")
            latex = symbol or default_latex(name)
            parameters = tuple(of) if of else _parameters(function)
            called = _over_terms(function, parameters) if of else function
            self._add(Step(name, called, declared, latex, sentence, parameters, function, parameters))
            return function

        return register

    def binding(self, name: str, **labels: str) -> None:
        """Declares a label: that of the largest of the named terms; a tie goes to the first."""
        if len(labels) < 2:
            raise AuthoringError(f"binding {name} compares fewer than two terms", "name at least two quantities")
        self._add(Binding(name, labels))

    def crossover(
        self, name: str, equation: str, *, solve_for: str, symbol: str | None = None, less: str = "", more: str = ""
    ) -> None:
        """Declares an equation such as "t_comp = t_mem" and the symbol to solve it for.

        `less` and `more` are labels for where the left side is at most, and is more than, the right one ("one buffer
        fits", "no longer"); where a binding compares the two sides, it has the labels.
        """
        with _about(f"crossover {name}"):
            relation = parse_relation(equation)
            if relation.operator != "=":
                raise AuthoringError(f"{equation!r} is an inequality", "write the equation where it begins to hold")
        self._add(Crossover(name, relation, solve_for, symbol or default_latex(name), less, more))

    def limit(self, of: str, *, grows: str, sentence: str = "") -> None:
        """Declares a fact: where `of` tends as the symbol `grows` goes to infinity. The proof is symroof's."""
        self.facts.append(Limit(of, grows, sentence))

    def trend(self, of: str, *, grows: str, sentence: str = "") -> None:
        """Declares a fact: whether `of` rises or falls in the symbol `grows`. The proof is symroof's."""
        self.facts.append(Trend(of, grows, sentence))

    def equal(self, of: str, to: str, *, sentence: str = "") -> None:
        """Declares a fact: two quantities are the same for all values. The proof is symroof's."""
        self.facts.append(Equal(of, to, sentence))

    def advise(self, label: str, sentence: str) -> None:
        """Declares what to do where a binding's label applies; the conclusion says it."""
        self.advice[label] = sentence

    def conclude(self, text: str) -> None:
        """Declares a sentence of the conclusion, with blanks for values: "With {L} layers it takes {t:ms}".

        A blank holds a name or an expression over names, and after a colon the unit to show it in, which an expression
        needs; `{m=}` shows `m = 8192`. Raises AuthoringError for braces that do not match, UnknownNameError for a name
        that is not declared yet, and the errors of reading an expression or a unit.
        """
        with _about("conclude"):
            self.conclusions.append(self._template(text))

    def plan(
        self,
        name: str,
        *,
        memory: str,
        within: str | Sequence[str],
        low: str | None = None,
        high: str | None = None,
        at: Mapping[str, Any] | None = None,
        gpus: int | str = 1,
        sentence: str = "",
    ) -> None:
        """Declares a plan for the report to rank: a memory step, the capacity it must stay within, and its time.

        `name` and `sentence`, which says what the plan is, may have blanks as in `conclude`; of plans of one name the
        first is shown. With several capacities it must stay within the first, and is compared with the others. `low`
        and `high` are steps that bound the time (one step, if they are the same; none, if only the memory matters).
        `at` sets givens for this plan alone, to values as `--set` takes them or to a step's value in the report's case.
        `gpus` is how many it needs, or the count that says so. Raises UnknownNameError, and the errors of `conclude`.
        """
        with _about(f"plan {name}"):
            capacities = tuple(within) if isinstance(within, (list, tuple)) else (_text(within, "within", '"C"'),)
            if not capacities:
                raise AuthoringError("within names no capacity", 'for example within="C"')
            counted = gpus if isinstance(gpus, str) else None
            for one in (memory, *capacities, low, high, counted):
                if one is not None:
                    self._number(one)
            for one in capacities:
                self._measured_as(f"within {one}", one, self.unit_of(memory), f"memory {memory}")
            for kind, one in (("low", low), ("high", high)):
                if one is not None:
                    self._measured_as(f"{kind} {one}", one, units.unit("s"), "a time")
            if counted is not None:
                self._measured_as(f"gpus {counted}", counted, units.DIMENSIONLESS, "a count")
            elif not isinstance(gpus, int) or isinstance(gpus, bool) or gpus < 1:
                raise AuthoringError(
                    f"gpus={gpus!r} is no number of GPUs", "give a whole number from 1 up, or the count that says it"
                )
            for one, content in _mapping(at, "at", _AT).items():
                with _about(clipped(f"{one}={content}")):
                    given = self.settable(one)
                    if isinstance(content, str) and content in self.steps:
                        self._measured_as(content, self._number(content), given.unit, one)
                    else:
                        self.read(given, content)
            texts = self._template(name), self._template(sentence)
            self.plans.append(Plan(texts[0], memory, capacities, low, high or low, dict(at or {}), gpus, texts[1]))

    def chart(self, *stages: str | Decision) -> None:
        """Declares the decision chart from top to bottom: boxes, each the names of its quantities, and decisions.

        Where there are plans with a time, the best ends the chart. Raises UnknownNameError for a name that is not
        declared yet, AuthoringError for a decision that cannot be drawn, and the errors of `conclude` for its texts.
        """
        with _about("chart"):
            self.stages = [
                stage if isinstance(stage, Decision) else tuple(_text(stage, "a stage", '"m k n"').split())
                for stage in stages
            ]
            if not self.stages or () in self.stages:
                empty = "a stage names nothing" if self.stages else "there is no stage"
                raise AuthoringError(empty, 'name the quantities of each box: chart("m k n", "t")')
            for stage in self.stages:
                for name in (stage.of,) if isinstance(stage, Decision) else stage:
                    self.known(name)
                if isinstance(stage, Decision):
                    self._check_decision(stage, is_last=stage is self.stages[-1])

    def claim(
        self,
        of: str,
        printed: str,
        *,
        source: str,
        at: Mapping[str, Any] | None = None,
        first_integer: bool = False,
    ) -> None:
        """Declares what others print, with all its digits, so that `check` can compare.

        `of` is an expression over the derivation's names, or a crossover; `printed` a figure with its unit
        ("28.1926 ms"), a label ("memory-bound") or a formula over names ("72 * 2 FLOP * m*k*n"). `at` sets givens.
        """
        self.claims.append(Claim(of, printed, dict(at or {}), source, first_integer))

    def worked(
        self,
        *,
        over: Mapping[str, Sequence[Any]] | None = None,
        at: Mapping[str, Any] | None = None,
        show: str = "",
        answer: str = "",
    ) -> None:
        """Declares the example that show, report, plot and check use where nothing is set.

        `over` maps one symbol to the values of the table, `at` fixes the point that is worked through, and `show`
        names the table's columns with their units ("F:GFLOP, t:ms"), which the whole report then uses. `answer` names
        the quantities whose sensitivity the report shows; without it, the best plan's time, the larger of what a
        binding compares, or the last step. Raises UnknownNameError for an answer that is not declared yet.
        """
        with _about("worked"):
            for name in _mapping(over, "over", '{"m": [8, 512, 8192]}'):
                self.settable(name)
            for name, content in _mapping(at, "at", _AT).items():
                with _about(clipped(f"{name}={content}")):
                    self.read(self.settable(name), content)
            columns, answers = (
                tuple(part.strip() for part in _text(text, kind, '"t, t_comp"').split(",") if part.strip())
                for kind, text in (("show", show), ("answer", answer))
            )
            for name, wanted in map(split_column, columns):
                self.known(name)
                if wanted is not None:
                    self._shown_in(parse(name), units.unit(wanted))
            for name in answers:
                if self._number(name) in self.givens:
                    raise AuthoringError(f"the answer {name} is a given", "name a step that is worked out")
            self.example = Worked(dict(over or {}), dict(at or {}), columns, answers)

    def include(
        self,
        other: DerivationGraph,
        *,
        only: Sequence[str] = (),
        suffix: str = "",
        exchange: Mapping[str, str] | None = None,
        cited: bool = False,
    ) -> None:
        """Brings in another derivation's givens, steps, bindings and crossovers; with `only`, those and what they need.

        With a `suffix` the steps and bindings come in under names that end in it, so that a derivation can be brought
        in twice; `exchange` maps its givens to the quantities that take their place (its crossovers stay out). The
        same thing may come in twice by two ways; two different things of one name are an AuthoringError.

        `cited` is for what the other's report derives: this one lists the values of those that its own steps, sentences
        and chart use, works none of them out, and leaves their bindings out of its conclusion.
        """
        if other is self:
            raise AuthoringError(f"{self.name} includes itself", "include another derivation")
        if exchange and not suffix:
            raise AuthoringError(f"{self.name} exchanges givens of {other.name} under the old names", "give a suffix")
        self.builds_on.append(other.name)
        wanted = set(other.ancestors([other.known(name) for name in only])) if only else set(other.items)
        for name, item in other.items.items():
            brought: Item | None = item
            if suffix:
                worked_out = (*other.steps, *other.bindings)
                brought = under_other_names(item, suffix, dict(exchange or {}), worked_out, other.latex_of)
            if name not in wanted or brought is None:
                continue
            if is_same(self.items.get(brought.name), brought):
                continue
            self._add(brought, f" (brought in from {other.name})")
            if cited and isinstance(brought, (Step, Binding)):
                self.cited[brought.name] = other.title
            if isinstance(brought, Binding):
                for label in brought.labels.values():
                    if label in other.advice:
                        self.advice.setdefault(label, other.advice[label])

    # -- the graph

    @property
    def givens(self) -> dict[str, Given]:
        return self._all(Given)

    @property
    def steps(self) -> dict[str, Step]:
        return self._all(Step)

    @property
    def bindings(self) -> dict[str, Binding]:
        return self._all(Binding)

    @property
    def crossovers(self) -> dict[str, Crossover]:
        return self._all(Crossover)

    def _all(self, kind: type[AnItem]) -> dict[str, AnItem]:
        return {name: item for name, item in self.items.items() if isinstance(item, kind)}

    @property
    def quantities(self) -> list[str]:
        """All names that have a value: givens, steps, bindings, in the author's order."""
        return [name for name, item in self.items.items() if not isinstance(item, Crossover)]

    def parameters(self, name: str) -> tuple[str, ...]:
        """The names that a quantity is worked out from."""
        item = self.items.get(name)
        if isinstance(item, Given):
            return (item.efficiency,) if item.efficiency is not None else ()
        return item.parameters if isinstance(item, (Step, Binding)) else ()

    def unit_of(self, name: str) -> Unit:
        """The declared unit of a given or a step; a label has none."""
        item = self.items[name]
        return item.unit if isinstance(item, (Given, Step)) else units.DIMENSIONLESS

    @property
    def shown_units(self) -> dict[str, str]:
        """The unit each quantity is shown in, where the example's columns say one."""
        columns = (split_column(column) for column in self.example.show)
        return {name: wanted for name, wanted in columns if wanted is not None}

    def latex_of(self, name: str) -> str:
        item = self.items.get(name)
        return default_latex(name) if item is None or isinstance(item, Binding) else item.latex

    def order(self) -> list[str]:
        """All quantities, each after those it depends on, steps in the author's order where that is possible.

        Raises AuthoringError for a cycle or a name that nothing defines.
        """
        quantities = self.quantities
        for name in quantities:
            for parameter in self.parameters(name):
                if parameter not in quantities:
                    kind = type(self.items[name]).__name__.lower()
                    fault = "is a crossover, not a quantity" if parameter in self.items else "nothing defines"
                    raise AuthoringError(
                        f"{kind} {name} of {self.name} depends on {parameter!r}, which {fault}",
                        suggestion(parameter, quantities),
                    )
        sorter = graphlib.TopologicalSorter({name: self.parameters(name) for name in quantities})
        try:
            sorter.prepare()
        except graphlib.CycleError as error:
            circle = error.args[1][:0:-1]  # each depends on the next
            start = circle.index(min(circle, key=quantities.index))
            around = [*circle[start:], *circle[: start + 1]]
            raise AuthoringError(
                f"the steps of {self.name} depend on each other in a circle: {' -> '.join(around)}",
                "a step may only use what is worked out before it",
            ) from None
        position = {name: at for at, name in enumerate(quantities)}
        ordered: list[str] = []
        ready: list[str] = []
        while sorter.is_active():
            ready += sorter.get_ready()
            ready.sort(key=position.__getitem__)
            ordered.append(ready.pop(0))
            sorter.done(ordered[-1])
        return ordered

    def ancestors(self, names: Iterable[str]) -> list[str]:
        """The named quantities and all they depend on, in working order."""
        wanted: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in wanted:
                wanted.add(name)
                waiting += self.parameters(name)
        return [name for name in self.order() if name in wanted]

    def known(self, name: str, kind: str = "quantity") -> str:
        """The name, if something with a value bears it. Raises UnknownNameError with the nearest otherwise."""
        if _text(name, f"the name of a {kind}", '"t"') not in self.quantities:
            raise UnknownNameError(kind, name, self.quantities, where=self.name)
        return name

    def expression(self, text: str) -> Expression:
        """Text over this derivation's names. Raises ParseError, or UnknownNameError with the nearest name."""
        expression = parse(text)
        for name in expression.names:
            self.known(name, "name")
        return expression

    def relation(self, text: str) -> Relation:
        """An equation over this derivation's names. Raises ParseError, or UnknownNameError."""
        relation = parse_relation(text)
        for name in (*relation.left.names, *relation.right.names):
            self.known(name, "name")
        return relation

    def settable(self, name: str) -> Given:
        """The given of that name. Raises RefusedValueError for what is worked out, UnknownNameError for no name."""
        if name in self.givens:
            return self.givens[name]
        if name in self.items:
            raise RefusedValueError(
                f"{name} of {self.name} is worked out and cannot be set",
                f"set one of its givens: {', '.join(self.givens)}",
            )
        raise UnknownNameError("symbol", name, self.givens, where=self.name)

    def read(self, given: Given, content: Any) -> Quantity | Expression:
        """What a given is set to: text, a number in its unit or a quantity, as a value that it may have; text over
        other givens as an expression. Raises the errors of reading a value."""
        if isinstance(content, str):
            if ".." in content:
                raise RefusedValueError("a range is for eval, which finds the bounds", "give one value here")
            expression = parse(content)
            for name in expression.names:
                if name not in self.givens:
                    raise UnknownNameError("symbol", name, self.givens)
            if expression.names:
                given.refuse_dimension(dimensions.of_expression(self, expression), expression.text)
                return expression
            return given.checked(as_quantity(expression.compute({})))
        return given.checked(
            content if isinstance(content, units.REGISTRY.Quantity) else in_declared_unit(content, given.unit)
        )

    def _check_decision(self, decision: Decision, *, is_last: bool) -> None:
        _mapping(
            decision.outcomes, "what the outcomes of a decision lead to", '{"fits": "Keep it", "does not fit": ""}'
        )
        going_on = [label for label, text in decision.outcomes.items() if not text]
        if len(going_on) > 1 or (going_on and is_last) or len(decision.outcomes) - len(going_on) > 2:
            raise AuthoringError(
                f"the decision on {decision.of} cannot be drawn",
                "give it one or two outcomes with a text, and at most one without, which goes on to a next stage",
            )
        for text in (decision.asks, *decision.outcomes.values()):
            self._template(text)
        if not dimensions.is_proved(self, decision.of):
            return
        labels = dimensions.labels_of(self, decision.of)
        if not labels:
            raise AuthoringError(
                f"the decision is on {decision.of}, which is a number", "name a binding, or a step that returns text"
            )
        for label in labels:
            if label not in decision.outcomes:
                raise AuthoringError(f"the decision on {decision.of} has no outcome {label!r}", "give every label one")
        for label in decision.outcomes:
            if label not in labels:
                raise UnknownNameError(f"label of {decision.of}", label, labels)

    def _template(self, text: str) -> Template:
        """Text with blanks over this derivation's names, each with a unit that fits."""
        found = template(_text(text, "a sentence", '"It takes {t:ms}"'))
        for blank in found.blanks:
            expression = blank.expression
            for name in expression.names:
                self.known(name, "name")
            if blank.unit is not None or not isinstance(expression.root, Name):
                self._shown_in(expression, units.unit(blank.unit or ""))
        return found

    def _number(self, name: str) -> str:
        """The name, if it is that of a number. Raises UnknownNameError, or UnitError for a label."""
        if dimensions.is_proved(self, self.known(name)) and dimensions.is_label(self, name):
            raise UnitError(f"{name} is a label, not a number", "use the quantities it compares")
        return name

    def _measured_as(self, what: str, name: str, needed: Unit, other: str) -> None:
        """Raises UnitError if the quantity has not the dimension that is needed for `other`."""
        wanted, found = Dimension.of(needed), Dimension.of(self.unit_of(name))
        if not found.same(wanted) and dimensions.is_proved(self, name):
            raise UnitError(f"{what} {_is_in(found)}, but {other} {_is_in(wanted)}", "give quantities of one dimension")

    def _shown_in(self, expression: Expression, wanted: Unit) -> None:
        """Raises UnitError for a unit that does not fit what is to be shown in it, or for any unit of a label.

        Where a formula has not its declared unit, the unit proof says that.
        """
        if not all(dimensions.is_proved(self, name) for name in expression.names):
            return
        dimension, shown = dimensions.of_expression(self, expression), unit_text(wanted)
        if not dimension.same(Dimension.of(wanted)):
            raise UnitError(
                f"{expression.text} {_is_in(dimension)} and cannot be shown in {shown or 'plain numbers'}",
                f"for example {expression.text}:{dimension}" if dimension.powers else "leave the unit out",
            )

    def _add(self, item: Item, where: str = "") -> None:
        name = item.name
        if name in self.items:
            kind = type(self.items[name]).__name__.lower()
            raise AuthoringError(
                f"{self.name} gives the name {name!r} twice{where}: it is already a {kind}", "rename one of them"
            )
        if not can_be_name(name) or keyword.iskeyword(name):
            raise AuthoringError(
                f"{name!r} cannot name a quantity", "use letters from a to z, digits and _, and no word of Python"
            )
        self.items[name] = item


def _over_terms(function: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    """A formula over `*terms` as one that takes its terms by name."""
    kinds = [parameter.kind for parameter in inspect.signature(function).parameters.values()]
    if kinds != [inspect.Parameter.VAR_POSITIONAL]:
        raise AuthoringError(
            f"step {function.__name__} names its terms but does not take *terms", "write def name(*terms)"
        )
    return lambda **values: function(*(values[name] for name in names))


def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    for parameter in inspect.signature(function).parameters.values():
        name = f"step {function.__name__}"
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise AuthoringError(f"{name} takes {parameter}", "name each quantity that it depends on")
        if parameter.default is not parameter.empty:
            raise AuthoringError(
                f"the parameter {parameter.name} of {name} has a default", "declare it as a given with that default"
            )
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise AuthoringError(f"the parameter {parameter.name} of {name} is positional only", "remove the /")
    return tuple(inspect.signature(function).parameters)


def _is_in(dimension: Dimension) -> str:
    return f"is in {dimension}" if dimension.powers else "is a plain number"


def _text(given: Any, what: str, example: str) -> str:
    """What an author gave, if it is text. Raises AuthoringError."""
    if not isinstance(given, str):
        raise AuthoringError(f"{what} is text, and {clipped(repr(given))} is none", f"for example {example}")
    return given


def _mapping(given: Any, what: str, example: str) -> Mapping[str, Any]:
    """What an author gave, if it maps names to something; nothing is an empty one. Raises AuthoringError."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise AuthoringError(f"{what} is a dict, and {clipped(repr(given))} is none", f"for example {example}")
    return given


@contextmanager
def _about(what: str) -> Iterator[None]:
    """Puts what the author was declaring in front of an error's text."""
    try:
        yield
    except SymroofError as error:
        raise error.within(what) from None
