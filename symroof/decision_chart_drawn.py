"""The decision chart drawn: as TikZ, as Mermaid, and as lines for a terminal.

The stages stand one below the other. Where all outcomes of a decision have boxes, these stand beside each other below
it; where one goes on, the boxes of the others stand at its side, and their way leads to the last stage. The way that
the case takes is thick.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable, Iterator, Sequence

from symroof.prose import Prose
from symroof.shown import Outcome, Stage

_LINE = 46  # characters of quantities in a line of a box
_RIGHT_FIRST, _LEFT_FIRST = ("east", "west"), ("west", "east")  # sides of a decision for its boxes
_WIDTH = 76  # of a box in the terminal


def _rows(stage: Stage) -> list[list[Prose]]:
    """The quantities of a box, as many in a line as have room."""
    rows: list[list[Prose]] = []
    for one in stage.lines:
        if rows and sum(len(other.text) + 2 for other in rows[-1]) + len(one.text) <= _LINE:
            rows[-1].append(one)
        else:
            rows.append([one])
    return rows


def _leads_to(stages: Sequence[Stage], at: int, outcome: Outcome) -> int | None:
    """The stage that an outcome leads to, through its box if it has one; None where it ends there."""
    last = len(stages) - 1
    if at == last:
        return None
    if not outcome.text.parts or stages[at + 1].meeting:
        return at + 1
    return None if stages[last].outcomes else last


def _is_taken(stage: Stage, outcome: Outcome) -> bool:
    return stage.on_path and outcome.taken


# -- TikZ


def tikz(stages: Sequence[Stage], write: Callable[[Prose], str]) -> Iterator[str]:
    """The commands of a picture; `write` turns text into LaTeX. The styles are the template's."""
    below = ""
    for at, stage in enumerate(stages):
        here = ", here" if stage.on_path else ""
        room = 13 if stage.outcomes or stage.meeting else 7  # a rhombus rises above its text
        place = f", below={room}mm of {below}" if below else ""
        if stage.outcomes:
            yield rf"\node[question{here}{place}, draw=none] (s{at}) {{{_text(stage, write)}}};"
            yield from _diamond(at, here)
            yield from _tikz_outcomes(stages, at, write)
            below = f"s{at}-below"
        else:
            yield rf"\node[box{here}{place}] (s{at}) {{{_text(stage, write)}}};"
            below = f"s{at}"
    yield from sorted(_tikz_ways(stages, write), key=lambda way: way.startswith(r"\draw[taken]"))  # on top


def _text(stage: Stage, write: Callable[[Prose], str]) -> str:
    return r" \\ ".join(r"\quad ".join(write(one) for one in row) for row in _rows(stage))


def _diamond(at: int, here: str) -> Iterator[str]:
    """A rhombus around the question; its half diagonals a and b are such that 1/a + 1/b = 1 of the text's."""
    for side, times in (("west", 1.8), ("east", 1.8), ("north", 2.25), ("south", 2.25)):
        yield rf"\coordinate (s{at}-{side}) at ($(s{at}.center)!{times}!(s{at}.{side})$);"
    corners = " -- ".join(f"(s{at}-{side})" for side in ("west", "north", "east", "south"))
    yield rf"\draw[rhombus{here}] {corners} -- cycle;"


def _tikz_outcomes(stages: Sequence[Stage], at: int, write: Callable[[Prose], str]) -> Iterator[str]:
    stage = stages[at]
    boxes = _boxes(stage)
    for side, outcome in boxes:
        here = ", here" if _is_taken(stage, outcome) else ""
        box, sign = f"s{at}-{side}-box", "-" if side == "west" else ""
        text, label = write(outcome.text), rf"{{{write(Prose((outcome.label,)))}}}"
        if _goes_on(stage):
            facing = "west" if side == "east" else "east"
            yield rf"\node[side{here}, anchor={facing}] ({box}) at ({sign}54mm,0 |- s{at}) {{{text}}};"
            way = rf"-- node[label, above] {label} ({box}.{facing})"
        else:
            place = rf"($(s{at}-{side})+({sign}20mm,-6mm)$)"
            yield rf"\node[side{here}, anchor=north] ({box}) at {place} {{{text}}};"
            way = rf"-| node[label, above, pos=.25] {label} ({box}.north)"
        yield rf"\draw[{_way(stage, outcome)}] (s{at}-{side}) {way};"
    if _goes_on(stage):
        yield rf"\coordinate (s{at}-below) at (s{at}-south);"
    else:
        points = ", ".join(rf"\p{number}=(s{at}-{side}-box.south)" for number, (side, _) in enumerate(boxes))
        depths = ",".join(rf"\y{number}" for number, _ in enumerate(boxes))
        yield rf"\path let {points} in coordinate (s{at}-below) at (0,{{min({depths})}});"


def _goes_on(stage: Stage) -> bool:
    return any(not outcome.text.parts for outcome in stage.outcomes)


def _boxes(stage: Stage) -> list[tuple[str, Outcome]]:
    """The outcomes that have a box, and at which side of the decision it stands."""
    sides = _RIGHT_FIRST if _goes_on(stage) else _LEFT_FIRST
    return list(zip(sides, [outcome for outcome in stage.outcomes if outcome.text.parts], strict=False))


def _tikz_ways(stages: Sequence[Stage], write: Callable[[Prose], str]) -> Iterator[str]:
    """The arrows between stages, drawn when all places are known."""
    for (at, stage), (then, following) in itertools.pairwise(enumerate(stages)):
        style = "taken" if stage.on_path and following.on_path else "way"
        if not stage.outcomes:
            yield rf"\draw[{style}] (s{at}.south) -- ({_top(stages, then)});"
        for side, outcome in _boxes(stage):
            target = _leads_to(stages, at, outcome)
            box = f"s{at}-{side}-box"
            if target is not None and following.meeting:
                way = rf"-- (s{at}-below -| {box}.south) -- ++(0,-5mm) -| ({_top(stages, target)})"
                yield rf"\draw[{_way(stage, outcome)}] ({box}.south) {way};"
            elif target is not None:
                sign = "-" if side == "west" else ""
                yield rf"\draw[{_way(stage, outcome)}] ({box}.{side}) -- ++({sign}4mm,0) |- (s{target}.{side});"
        for outcome in stage.outcomes:
            if not outcome.text.parts:
                way = rf"-- node[onward] {{{write(Prose((outcome.label,)))}}} ({_top(stages, then)})"
                yield rf"\draw[{_way(stage, outcome)}] (s{at}-south) {way};"


def _top(stages: Sequence[Stage], at: int) -> str:
    return f"s{at}-north" if stages[at].outcomes else f"s{at}.north"


def _way(stage: Stage, outcome: Outcome) -> str:
    return "taken" if _is_taken(stage, outcome) else "way"


# -- Mermaid


def mermaid(stages: Sequence[Stage]) -> Iterator[str]:
    """The lines of a flowchart, behind its first."""
    here = []
    for at, stage in enumerate(stages):
        text = "<br>".join(", ".join(_mermaid_text(one.text) for one in row) for row in _rows(stage))
        left, right = "{}" if stage.outcomes else "[]"
        yield f's{at}{left}"{text}"{right}'
        here += [f"s{at}"] if stage.on_path else []
        for number, outcome in enumerate(stage.outcomes):
            if outcome.text.parts:
                yield f's{at}o{number}["{_mermaid_text(outcome.text.text)}"]'
                here += [f"s{at}o{number}"] if _is_taken(stage, outcome) else []
    for at, stage in enumerate(stages):
        if not stage.outcomes and at + 1 < len(stages):
            yield f"s{at} {'==>' if stage.on_path and stages[at + 1].on_path else '-->'} s{at + 1}"
        for number, outcome in enumerate(stage.outcomes):
            arrow = "==>" if _is_taken(stage, outcome) else "-->"
            target = _leads_to(stages, at, outcome)
            way = [f"s{at}o{number}"] if outcome.text.parts else []
            way += [f"s{target}"] if target is not None else []
            yield f's{at} {arrow}|"{_mermaid_text(outcome.label)}"| ' + f" {arrow} ".join(way)
    yield "classDef here stroke-width:3px"
    yield f"class {','.join(here)} here"


def _mermaid_text(text: str) -> str:
    """Text inside quotes, where `#` begins the code of a character."""
    for character, code in (("#", "#35;"), ('"', "#quot;"), ("<", "#lt;"), (">", "#gt;"), ("`", "#96;")):
        text = text.replace(character, code)
    return " ".join(text.split())


# -- terminal


def lines(stages: Sequence[Stage]) -> Iterator[str]:
    """A box is a paragraph, a decision stands between angle brackets, `=>` and `v` are the way of this case."""
    for at, stage in enumerate(stages):
        if at:
            taken = stage.on_path and stages[at - 1].on_path
            yield from ("    ||", "    vv") if taken else ("    |", "    v")
        if not stage.outcomes:
            for row in _rows(stage):
                yield "    " + ", ".join(one.text for one in row)
            continue
        yield f"    < {' '.join(one.text for one in stage.lines)} >"
        for outcome in stage.outcomes:
            arrow = "=>" if _is_taken(stage, outcome) else "->"
            said = f"{outcome.label}: {outcome.text.text}" if outcome.text.parts else outcome.label
            yield from textwrap.wrap(said, _WIDTH, initial_indent=f"      {arrow} ", subsequent_indent=" " * 9)
