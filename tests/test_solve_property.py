"""200 random equations of the shapes that derivations make: see fuzz_solve, which draws and checks them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from symroof.crossover import Answer, solve
from symroof.derivation import DerivationGraph
from symroof.expression import Relation
from symroof.settings import Settings
from tests import fuzz_solve
from tests.fuzz_solve import Case, Tree, WrongError, check, draw, op, over, plus, sign, text, times, v

pytestmark = pytest.mark.slow

COUNT = 200


@pytest.mark.parametrize("first", range(0, COUNT, 10))
def test_random_equations(first: int) -> None:
    """Each answer is right and none is missing, against plain Fractions."""
    for seed in range(first, first + 10):
        case = draw(seed)
        try:
            check(case)
        except WrongError as error:
            pytest.fail(f"seed {seed}: {error}\n{case}")


def test_every_shape_is_drawn() -> None:
    assert len({draw(seed).shape for seed in range(COUNT)}) == 15


def test_a_case_is_the_same_each_time() -> None:
    assert str(draw(7)) == str(draw(7))
    assert str(draw(7)) != str(draw(8))


# -- the evaluator and the checks themselves

LINE = Case("line", times("a", "x"), v("b"), {"a": Fraction(2), "b": Fraction(7)})
TWO = Case("two", plus(times("x", "x"), 6), times(5, "x"), {})


def test_the_evaluator() -> None:
    root = Case("root", op("sqrt", op("-", "x", 5)), times(2, op("ceil", over("x", 4))), {})
    assert text(root.left) == "sqrt((x - 5))"
    assert [sign(LINE, Fraction(x)) for x in (3, 4)] == [-1, 1]
    assert sign(LINE, Fraction(7, 2)) == 0
    assert [sign(root, Fraction(x)) for x in (4, 6, 1000000)] == [None, -1, -1]
    pole = Case("pole", over(1, op("-", "x", 5)), v("a"), {"a": Fraction(1)})
    assert [sign(pole, Fraction(x)) for x in (4, 5, 6, 7)] == [-1, None, 0, -1]
    steps = {"u": op("if", "x", 3, times(2, "x"), "x")}
    assert [sign(Case("if", v("u"), Tree(Fraction(4)), {}, steps), Fraction(x)) for x in (2, 3, 4)] == [0, 1, 0]


Change = Callable[[Answer], Answer]


@pytest.mark.parametrize(
    ("case", "change", "complaint"),
    [
        (TWO, lambda answer: replace(answer, roots=answer.roots[:1]), "a root between"),
        (TWO, lambda answer: replace(answer, roots=()), "crosses without a root"),
        (LINE, lambda answer: replace(answer, verdict="never"), "has roots, but says never"),
        (LINE, lambda answer: replace(answer, verdict="never", roots=()), "a root between"),
        (LINE, lambda answer: replace(answer, verdict="always"), "says always"),
        (
            LINE,
            lambda answer: replace(answer, roots=(replace(answer.roots[0], value=answer.roots[0].value * 2),)),
            "7 is no root",
        ),
        (
            LINE,
            lambda answer: replace(answer, roots=(replace(answer.roots[0], above=answer.roots[0].below),)),
            "beside 7/2 it says",
        ),
        (LINE, lambda answer: replace(answer, roots=(replace(answer.roots[0], first_integer=3),)), "first integer"),
        (LINE, lambda answer: replace(answer, roots=(replace(answer.roots[0], proved=False),)), "the proof"),
    ],
)
def test_a_wrong_answer_is_noticed(
    case: Case, change: Change, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    rightly = solve

    def wrongly(settings: Settings, relation: Relation, symbol: str) -> Answer:
        return change(rightly(settings, relation, symbol))

    assert check(case) == "crosses"
    monkeypatch.setattr(fuzz_solve, "solve", wrongly)
    with pytest.raises(WrongError, match=complaint):
        check(case)


def test_a_case_makes_a_derivation_that_can_be_worked_out() -> None:
    case = next(case for case in map(draw, range(COUNT)) if case.shape == "roofline" and "t" in case.steps)
    derivation: DerivationGraph = case.derivation()
    assert list(derivation.steps) == list(case.steps)
