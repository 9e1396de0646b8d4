"""What others print beside what comes out here: figures at several values of one given as a grid, the rest in rows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from symroof.case import Case, count, equation, in_full
from symroof.check import ClaimResult
from symroof.expression import Expression
from symroof.prose import Maths, Prose, Sourced, joined, phrase
from symroof.shown import ClaimGrid, ClaimShown, ClaimsShown

_SMALLEST_GRID = 6  # cells; fewer read as well in rows
_LEAST_FILLED = Fraction(3, 4)  # of a grid's cells


def claim_tables(case: Case, results: Sequence[ClaimResult]) -> list[ClaimsShown]:
    """The claims of each source in the order in which the derivation makes them."""
    by_source: dict[str, list[ClaimResult]] = {}
    for result in results:
        by_source.setdefault(result.claim.source, []).append(result)
    return [_of_source(case, source, found) for source, found in by_source.items()]


def claims_summary(results: Sequence[ClaimResult]) -> Prose:
    failed = sum(not result.agrees for result in results)
    name = "claims_differ" if failed else "claim_agrees" if len(results) == 1 else "claims_agree"
    return phrase(name, failed=count(failed, "claims that differ"), count=count(len(results), "claims"))


def _of_source(case: Case, source: str, results: list[ClaimResult]) -> ClaimsShown:
    in_grid = [result for result in results if _fits_grid(case, result, results)]
    cells = len({result.claim.of for result in in_grid}) * len({_point(result) for result in in_grid})
    if len(in_grid) < _SMALLEST_GRID or len(in_grid) < cells * _LEAST_FILLED:
        return ClaimsShown(Sourced(source), None, [_row(case, result) for result in results])
    rest = [_row(case, result) for result in results if result not in in_grid]
    return ClaimsShown(Sourced(source), _grid(case, in_grid), rest)


def _fits_grid(case: Case, result: ClaimResult, results: list[ClaimResult]) -> bool:
    """Whether a claim agrees, and is about a quantity at one value of the given that most of them vary."""
    points = [next(iter(other.claim.at)) for other in results if len(other.claim.at) == 1]
    given = max(points, key=points.count, default="")
    claim = result.claim
    return result.agrees and claim.of in case.derivation.quantities and list(claim.at) == [given]


def _grid(case: Case, results: list[ClaimResult]) -> ClaimGrid:
    (given,) = results[0].claim.at
    quantities = list(dict.fromkeys(result.claim.of for result in results))
    printed = {(result.claim.of, _point(result)): result.claim.printed for result in results}
    units = {name: _common_unit([text for (of, _), text in printed.items() if of == name]) for name in quantities}
    return ClaimGrid(
        heads=[case.symbol(given), *(case.symbol(name) for name in quantities)],
        units=["", *units.values()],
        rows=[
            [_set_to(case, result, given)]
            + [
                Sourced(printed.get((name, _point(result)), "").removesuffix(units[name]).rstrip())
                for name in quantities
            ]
            for result in {_point(result): result for result in results}.values()
        ],
    )


def _point(result: ClaimResult) -> str:
    return str(next(iter(result.claim.at.values())))


def _common_unit(printed: list[str]) -> str:
    """The unit that all figures of a column are printed with, if they are."""
    units = {text.partition(" ")[2] for text in printed}
    return units.pop() if len(units) == 1 else ""


def _row(case: Case, result: ClaimResult) -> ClaimShown:
    claim = result.claim
    if claim.of in case.derivation.items:
        of = case.symbol(claim.of)
        if claim.first_integer:
            of = Maths(rf"\lceil {of.latex} \rceil", f"ceil({of.text})")
    else:
        of = case.expression(case.derivation.expression(claim.of))
    at = joined(", ", [Prose((equation(case.symbol(name), _set_to(case, result, name)),)) for name in claim.at])
    verdict = phrase("agrees") if result.agrees else phrase("differs", difference=Sourced(result.difference))
    return ClaimShown(of, at, Sourced(claim.printed), result.ours, verdict, result.agrees)


def _set_to(case: Case, result: ClaimResult, name: str) -> Maths:
    """What a claim sets a given to."""
    content = case.settings.with_values(result.claim.at).value(name).content
    return case.expression(content) if isinstance(content, Expression) else in_full(content, name)
