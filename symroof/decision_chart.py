"""The decision chart: boxes with this case's values, decisions, and the way that this case takes."""

from __future__ import annotations

from dataclasses import replace

from symroof.blanks import Template, template
from symroof.case import Case
from symroof.declared import Decision
from symroof.errors import RefusedValueError
from symroof.prose import Prose
from symroof.ranking import Ranked, in_short
from symroof.sentences import spoken
from symroof.shown import Outcome, Stage


def chart(case: Case, plans: list[Ranked]) -> list[Stage]:
    """The stages from top to bottom; the best plans, if there are some, end it."""
    found: list[Stage] = []
    on_path = True
    meeting = False
    for stage in case.derivation.stages:
        if isinstance(stage, Decision):
            outcomes = _outcomes(case, stage)
            found.append(Stage([_said(case, template(stage.asks))], outcomes, on_path, meeting))
            meeting = all(outcome.text.parts for outcome in outcomes)
            on_path = on_path and (meeting or any(one.taken and not one.text.parts for one in outcomes))
        else:
            found.append(Stage([Prose((case.equation(name),)) for name in stage], [], on_path, meeting))
            meeting = False
    if found and (end := in_short(plans)):
        found.append(Stage(end, [], on_path, meeting))
    if found and not found[-1].outcomes:  # where every way ends
        found[-1] = replace(found[-1], on_path=True)
    return found


def _outcomes(case: Case, decision: Decision) -> list[Outcome]:
    here = str(case.solution[decision.of])
    return [
        Outcome(label, _said(case, template(text)), taken=label == here) for label, text in decision.outcomes.items()
    ]


def _said(case: Case, text: Template) -> Prose:
    """The text for this case; where one of its values does not exist, the reason."""
    try:
        return spoken(case, text)
    except RefusedValueError as error:
        return Prose((error.problem,))
