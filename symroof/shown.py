"""What a worked solution shows, as data: made by `report`, written down by `writing` and `terminal`."""

from __future__ import annotations

from dataclasses import dataclass, field

from symroof.prose import Maths, Prose, Sourced


@dataclass(frozen=True)
class Assumption:
    symbol: Maths
    meaning: str
    value: Maths
    source: Sourced


@dataclass(frozen=True)
class Line:
    """One step: its sentence, the formula as written, with numbers put in, and the result behind `relation`."""

    name: str
    symbol: Maths
    sentence: str
    written: Maths
    substituted: Maths | None
    relation: Maths
    result: Maths


@dataclass(frozen=True)
class RootShown:
    symbol: Maths
    closed_form: Maths | None
    existence: Prose
    exact: Maths
    relation: Maths
    decimal: Maths
    first_integer: Maths | None
    sides: Prose
    proof: Prose


@dataclass(frozen=True)
class CrossoverShown:
    statement: Prose
    roots: list[RootShown]
    reason: Prose


@dataclass(frozen=True)
class FactShown:
    """A statement in words, the formula that shows it, and the author's sentence."""

    statement: Prose
    formula: Maths
    here: Prose
    sentence: str


@dataclass(frozen=True)
class Moved:
    """By how many percent a quantity changes for one percent more of each given, or for one more of a count that acts
    by whole steps: given, figure, closed form."""

    statement: Prose
    binding: Prose
    rows: list[tuple[Maths | Prose, Maths, Maths | None]]

    @property
    def has_forms(self) -> bool:
        return any(form is not None for _, _, form in self.rows)


@dataclass(frozen=True)
class Table:
    title: Prose
    heads: list[Maths]
    units: list[Maths]
    rows: list[list[Maths]]


@dataclass(frozen=True)
class CitedShown:
    """A quantity that another report derives."""

    symbol: Maths
    written: Maths
    value: Maths
    derivation: str


@dataclass(frozen=True)
class PlanShown:
    """A plan: what it takes, its share of the capacity it must stay within, and a verdict for each capacity."""

    name: Prose
    gpus: int
    memory: Maths
    share: Prose
    verdicts: list[Prose]
    fits: bool
    low: Maths
    high: Maths


@dataclass(frozen=True)
class PlanTable:
    """All plans. A capacity has its symbol, or several of one value, and that value."""

    capacities: list[list[Maths]]
    timed: bool
    rows: list[PlanShown]


@dataclass(frozen=True)
class Outcome:
    """Where a decision leads: to a box with a text, or on to the next stage."""

    label: str
    text: Prose
    taken: bool


@dataclass(frozen=True)
class Stage:
    """A stage of the decision chart: a box, or a decision with its outcomes; whether this case comes by it.

    A `meeting` is a stage that all outcomes of the decision before it lead to.
    """

    lines: list[Prose]
    outcomes: list[Outcome]
    on_path: bool
    meeting: bool


@dataclass(frozen=True)
class ClaimShown:
    quantity: Maths
    at: Prose
    printed: Sourced
    ours: str | Maths
    verdict: Prose
    agrees: bool


@dataclass(frozen=True)
class ClaimGrid:
    """Printed figures that agree: a row for each value of a given, a column for each quantity."""

    heads: list[Maths]
    units: list[str]
    rows: list[list[Maths | Sourced]]


@dataclass(frozen=True)
class ClaimsShown:
    """What one source prints."""

    source: Sourced
    grid: ClaimGrid | None
    rows: list[ClaimShown]

    @property
    def differs(self) -> bool:
        return not all(one.agrees for one in self.rows)


@dataclass(frozen=True)
class FigureShown:
    """A figure by its kind, the name of its files, and what it says; in HTML it stands in the page itself."""

    kind: str
    name: str
    caption: Prose
    svg: str = ""


@dataclass(frozen=True)
class Report:
    """All that a worked solution says."""

    name: str
    title: str
    case: Prose
    question: str
    assumptions: list[Assumption]
    cited: list[CitedShown]
    lines: list[Line]
    crossovers: list[CrossoverShown]
    facts: list[FactShown]
    moved: list[Moved]
    table: Table | None
    plans: PlanTable | None
    chart: list[Stage]
    claims: list[ClaimsShown]
    claims_summary: Prose
    conclusion: list[Prose]
    conventions: list[Prose] = field(default_factory=list)
    figures: list[FigureShown] = field(default_factory=list)
    graph: str = ""  # what is worked out from what, as a Mermaid flowchart
