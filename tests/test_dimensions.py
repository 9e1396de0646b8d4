"""The unit proof: what is caught, along which branch, and what the error says."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import symroof
from symroof import Derivation, ceil, floor, largest, load, smallest, sqrt, total
from symroof.dimensions import failures, is_label, of_expression, prove, prove_relation
from symroof.errors import AuthoringError, InexactError, ParseError, UnitError
from symroof.evaluate import Solution
from symroof.settings import Settings

GEMM_SOURCE = (Path(symroof.__file__).parent.parent / "derivations" / "gemm.py").read_text(encoding="utf-8")

# What each formula gives, whatever it is declared in.
GEMM_DIMENSIONS = {
    "F": "FLOP",
    "B": "byte",
    "B_mk": "byte",
    "B_kn": "byte",
    "B_mn": "byte",
    "share_mk": "a plain number",
    "share_kn": "a plain number",
    "share_mn": "a plain number",
    "AI": "FLOP/byte",
    "I": "FLOP/byte",
    "R": "FLOP/s",
    "t_comp": "s",
    "t_mem": "s",
    "t": "s",
    "t_sum": "s",
}


def changed_gemm(folder: Path, pattern: str, unit: str) -> Derivation:
    """gemm from a copy of its file in which the unit in the one place that matches is another."""
    source, count = re.subn(pattern, lambda match: f'{match[1]}unit="{unit}"{match[2]}', GEMM_SOURCE, flags=re.DOTALL)
    assert count == 1
    file = folder / "gemm_copy.py"
    file.write_text(source, encoding="utf-8")
    return load(str(file))


def test_gemm_has_no_failures() -> None:
    gemm = load("gemm")
    assert failures(gemm) == []
    assert list(gemm.steps) == list(GEMM_DIMENSIONS)


@pytest.mark.parametrize("name", GEMM_DIMENSIONS)
@pytest.mark.parametrize("unit", ["W", "km^2"])
def test_every_declared_unit_of_gemm_is_proved(tmp_path: Path, name: str, unit: str) -> None:
    wrong = changed_gemm(tmp_path, rf'(@gemm\.step\()unit="[^"]*"([^\n]*\ndef {name}\()', unit)
    first = failures(wrong)[0]
    assert isinstance(first, UnitError)
    given = GEMM_DIMENSIONS[name]
    assert first.problem == f"step {name} is declared in {unit}, but its formula gives {given}"
    declare = "" if given == "a plain number" else given
    assert first.hint == f"declare @step(unit={declare!r}) or mend the formula"
    with pytest.raises(UnitError, match=rf"^step {name} is declared in"):
        prove(wrong)


@pytest.mark.parametrize(("name", "step"), [("c", "F"), ("P", "I"), ("beta", "I"), ("s", "B")])
def test_every_unit_of_a_given_of_gemm_is_proved(tmp_path: Path, name: str, step: str) -> None:
    wrong = changed_gemm(tmp_path, rf'(gemm\.given\("{name}",[^\n]*)unit="[^"]*"([^\n]*\n)', "W")
    assert failures(wrong)[0].problem.startswith(f"step {step} is declared in ")


def test_a_binding_of_two_dimensions_is_caught(tmp_path: Path) -> None:
    file = tmp_path / "gemm_copy.py"
    file.write_text(GEMM_SOURCE.replace('"regime", t_comp=', '"regime", B='), encoding="utf-8")
    (failure,) = failures(load(str(file)))
    assert failure.problem == "binding regime compares B in byte with t_mem in s"
    assert failure.hint == "its terms need the same dimension"


def derivation() -> Derivation:
    made = Derivation("mine")
    made.given("x", unit="byte", default=3)
    made.given("y", unit="byte", default=5)
    made.given("t", unit="s", default=2)
    made.given("m", count=True, default=4)
    return made


Formula = Callable[..., Any]


def failure_of(formula: Formula, unit: str = "byte") -> Exception:
    made = derivation()
    made.step(unit=unit)(formula)
    (failure,) = failures(made)
    with pytest.raises(type(failure), match=re.escape(str(failure))):
        Solution(Settings(made))
    return failure


def q_wrong_in_one_branch(x: Any, y: Any, m: Any) -> Any:
    if m > 3:
        return x + y
    if m > 2:
        return x / y
    return x


def q_wrong_in_the_last_branch(x: Any, t: Any, m: Any) -> Any:
    return x if m > 3 or m < 2 else x / t


def q_wrong_in_the_first_branch(x: Any, m: Any) -> Any:
    if m > 3:
        return x * x
    return x


def q_adds_zero(x: Any) -> Any:
    return x + 0


def q_adds_one(x: Any) -> Any:
    return 1 + x


def q_adds_seconds(x: Any, t: Any) -> Any:
    return x + t


def q_subtracts(x: Any, t: Any) -> Any:
    return x - t


def q_compares(x: Any, t: Any) -> Any:
    return x if x > t else 2 * x


def q_compares_with_zero(x: Any) -> Any:
    if x == 0:
        return x
    return x


def q_is_it_zero(x: Any) -> Any:
    return x if x else 2 * x


def q_largest(x: Any, y: Any, t: Any) -> Any:
    return largest(x, y, t)


def q_smallest(x: Any) -> Any:
    return smallest(x, 0)


def q_total(x: Any, t: Any) -> Any:
    return total(x, x, t)


def q_ceil(x: Any) -> Any:
    return ceil(x)


def q_floor(x: Any) -> Any:
    return floor(x)


def q_power(x: Any, t: Any) -> Any:
    return x**t


def q_float(x: Any) -> Any:
    return 0.5 * x


def q_half(x: Any) -> Any:
    return 1 / 2 * x


def q_root(x: Any) -> Any:
    return (x * x) ** 0.5


def q_math(x: Any) -> Any:
    return math.sqrt(x)


def q_float_of(x: Any) -> Any:
    return float(x)


def q_range(m: Any) -> Any:
    return sum(1 for _ in range(m))


def q_none(x: Any) -> Any:  # noqa: ARG001
    return None


def q_none_in_one_branch(x: Any, m: Any) -> Any:
    if m > 3:
        return x


def q_label_in_one_branch(x: Any, m: Any) -> Any:
    return "large" if m > 3 else x


def q_pair(x: Any) -> Any:
    return x, x


def q_comparison(x: Any, y: Any) -> Any:
    return x > y


def q_true(x: Any) -> Any:  # noqa: ARG001
    return True


def q_constant_float(x: Any) -> Any:  # noqa: ARG001
    return 2.5


def q_raises(x: Any) -> Any:
    return {}[x.nothing]


FLOAT_HINT = "divide whole numbers last (x/2, 9*x/10), use symroof.sqrt for roots, or make the number a given"
MEND = "declare @step(unit='') or mend the formula"
SAME = "both sides need the same dimension"
FUNCTIONS = "use the functions of symroof: sqrt, ceil, floor, largest, smallest, total"
QUANTITY = "return a quantity in every branch"


@pytest.mark.parametrize(
    ("formula", "kind", "problem", "hint"),
    [
        (
            q_wrong_in_one_branch,
            UnitError,
            ", in branch 2 of 3, is declared in byte, but its formula gives a plain number",
            MEND,
        ),
        (
            q_wrong_in_the_last_branch,
            UnitError,
            ", in branch 3 of 3, is declared in byte, but its formula gives byte/s",
            "declare @step(unit='byte/s') or mend the formula",
        ),
        (
            q_wrong_in_the_first_branch,
            UnitError,
            ", in branch 1 of 2, is declared in byte, but its formula gives byte^2",
            "declare @step(unit='byte^2') or mend the formula",
        ),
        (q_adds_zero, UnitError, ": adding byte and a plain number", SAME),
        (q_adds_one, UnitError, ": adding byte and a plain number", SAME),
        (q_adds_seconds, UnitError, ": adding byte and s", SAME),
        (q_subtracts, UnitError, ": subtracting byte and s", SAME),
        (q_compares, UnitError, ": comparing byte and s", SAME),
        (q_compares_with_zero, UnitError, ": comparing byte and a plain number", SAME),
        (q_is_it_zero, UnitError, ": comparing byte and a plain number", SAME),
        (q_largest, UnitError, ": comparing byte and s", SAME),
        (q_smallest, UnitError, ": comparing byte and a plain number", SAME),
        (q_total, UnitError, ": adding byte and s", SAME),
        (q_ceil, UnitError, ": byte in ceil", "a plain number is needed there"),
        (q_floor, UnitError, ": byte in floor", "a plain number is needed there"),
        (q_power, UnitError, ": s as a power", "a plain number is needed there"),
        (q_float, InexactError, ": the float 0.5 is not exact", FLOAT_HINT),
        (q_half, InexactError, ": the float 0.5 is not exact", FLOAT_HINT),
        (q_root, InexactError, ": the float 0.5 is not exact", FLOAT_HINT),
        (
            q_math,
            InexactError,
            ": the formula makes a float of its parameter (float(...), math.sqrt ...)",
            FUNCTIONS,
        ),
        (
            q_float_of,
            InexactError,
            ": the formula makes a float of its parameter (float(...), math.sqrt ...)",
            FUNCTIONS,
        ),
        (
            q_range,
            AuthoringError,
            ": the formula uses a parameter where Python needs a number at once (range, an index)",
            "write the closed form, or use the functions of symroof: total, ceil, floor",
        ),
        (q_none, AuthoringError, " returns None, which is no quantity", QUANTITY),
        (q_none_in_one_branch, AuthoringError, ", in branch 2 of 2, returns None, which is no quantity", QUANTITY),
        (q_label_in_one_branch, AuthoringError, ", in branch 1 of 2, returns 'large', which is no quantity", QUANTITY),
        (q_comparison, AuthoringError, " returns a comparison, which is no quantity", QUANTITY),
        (q_true, AuthoringError, " returns True, which is no quantity", QUANTITY),
        (q_constant_float, InexactError, ": the float 2.5 is not exact", FLOAT_HINT),
        (
            q_raises,
            AuthoringError,
            " raises AttributeError: 'Traced' object has no attribute 'nothing'",
            "a formula uses + - * / ** and symroof's largest, smallest, ceil, floor, sqrt, total",
        ),
    ],
)
def test_what_a_wrong_formula_is_told(formula: Formula, kind: type[Exception], problem: str, hint: str) -> None:
    failure = failure_of(formula)
    assert type(failure) is kind
    assert str(failure) == f"step {formula.__name__}{problem}\n{hint}"


def test_a_pair_is_no_quantity() -> None:
    assert str(failure_of(q_pair)) == f"step q_pair returns a tuple, which is no quantity\n{QUANTITY}"


def test_a_step_declared_without_a_unit() -> None:
    def q(x: Any, t: Any) -> Any:
        return x * x / t

    assert str(failure_of(q, "")) == (
        "step q is declared in plain numbers, but its formula gives byte^2/s\n"
        "declare @step(unit='byte^2/s') or mend the formula"
    )


def test_right_formulas_have_no_failures() -> None:
    made = derivation()

    @made.step(unit="GB")
    def a(x: Any, y: Any, m: Any) -> Any:
        if m > 3 and m < 9:
            return x + y / 2
        if not m > 2:
            return abs(x - y) % y
        return largest(x, smallest(y, m * x), total(x, y))

    @made.step(unit="byte")
    def b(x: Any, y: Any) -> Any:
        return sqrt(x * y) + sqrt(x**4) / x

    @made.step(unit="bit/min")
    def c(x: Any, t: Any, m: Any) -> Any:
        return x / t * (x // x) * ceil(m / 3) * floor(m / 2) * 2**m * Fraction(1, 3)

    @made.step()
    def d(m: Any) -> Any:  # noqa: ARG001
        return 12

    @made.step()
    def word(x: Any, y: Any) -> Any:
        return "more" if x > y else "less"

    assert failures(made) == []
    assert [name for name in made.quantities if is_label(made, name)] == ["word"]


def test_each_wrong_step_is_one_failure() -> None:
    made = derivation()

    @made.step(unit="s")
    def a(x: Any) -> Any:
        return x

    @made.step(unit="byte")
    def b(x: Any) -> Any:
        return x

    @made.step(unit="byte")
    def c(a: Any, b: Any) -> Any:
        return a + b

    assert [failure.problem for failure in failures(made)] == [
        "step a is declared in s, but its formula gives byte",
        "step c: adding s and byte",
    ]


def with_labels() -> Derivation:
    made = derivation()
    made.binding("regime", x="by x", y="by y")

    @made.step()
    def word(m: Any) -> Any:
        return "many" if m > 3 else "few"

    return made


def test_a_step_does_not_use_a_label() -> None:
    made = with_labels()

    @made.step()
    def a(regime: Any) -> Any:
        return regime * 2

    @made.step()
    def b(word: Any) -> Any:
        return word * 2

    assert [str(failure) for failure in failures(made)] == [
        "step a uses the label regime\na quantity is needed there",
        "step b uses the label word\na quantity is needed there",
    ]


def test_a_binding_does_not_compare_labels() -> None:
    made = with_labels()
    made.binding("second", regime="r", m="m")
    made.binding("third", m="m", word="w")
    assert [str(failure) for failure in failures(made)] == [
        "binding second compares the label regime\na quantity is needed there",
        "binding third compares the label word\na quantity is needed there",
    ]


def test_many_diamonds_are_proved_at_once() -> None:
    """Each step uses the one before twice over two others: the work must not double with every layer."""
    made = Derivation("deep")
    made.given("a0", unit="byte")
    functions: dict[str, Any] = {}
    for layer in range(40):
        exec(f"def l{layer}(a{layer}): return a{layer} + a{layer}", functions)
        exec(f"def r{layer}(a{layer}): return a{layer} / 2", functions)
        exec(f"def a{layer + 1}(l{layer}, r{layer}): return l{layer} + r{layer}", functions)
        for name in (f"l{layer}", f"r{layer}", f"a{layer + 1}"):
            made.step(unit="byte")(functions[name])
    assert failures(made) == []


@pytest.mark.parametrize(
    ("text", "dimension"),
    [
        ("x*y", "byte^2"),
        ("x/t + 3 GB/s", "byte/s"),
        ("sqrt(x*y)", "byte"),
        ("2 * m", "a plain number"),
        ("7", "a plain number"),
        ("max(x, 1 KiB)", "byte"),
        ("1/t", "1/s"),
    ],
)
def test_the_dimension_of_text(text: str, dimension: str) -> None:
    made = derivation()
    assert str(of_expression(made, made.expression(text))) == dimension


def test_text_whose_units_do_not_fit_is_pointed_at() -> None:
    made = derivation()
    with pytest.raises(ParseError) as caught:
        of_expression(made, made.expression("m * (x + t)"))
    assert str(caught.value) == "adding byte and s\n  m * (x + t)\n         ^\nboth sides need the same dimension"


def test_a_label_in_text_is_refused() -> None:
    made = with_labels()
    with pytest.raises(UnitError, match=r"^word is a label, not a number\nuse the quantities it compares$"):
        of_expression(made, made.expression("2 * word"))


def test_an_equation_has_one_dimension() -> None:
    made = derivation()
    prove_relation(made, made.relation("x / t = 1 GB/s"))
    with pytest.raises(UnitError) as caught:
        prove_relation(made, made.relation("x = t"))
    assert str(caught.value) == "'x = t' compares byte with s\nboth sides of an equation need the same dimension"
