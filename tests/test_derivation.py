"""The graph of a derivation, and what an author is told about each mistake."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from symroof import Decision, Derivation, SymroofError
from symroof.check import check, claim_results
from symroof.declared import Claim, Given, Limit, Trend, in_declared_unit, split_column
from symroof.errors import AuthoringError, ParseError, RefusedValueError, UnitError, UnknownNameError
from symroof.report import build
from symroof.settings import Settings, worked_settings
from symroof.symbols import default_latex
from symroof.units import quantity, unit


def small() -> Derivation:
    made = Derivation("small")
    made.given("x", "a size", unit="byte", default=3)
    made.given("m", "a count", count=True)
    return made


def declares(made: Derivation, source: str) -> None:
    """Declares the function that the source defines as a step."""
    functions: dict[str, Any] = {}
    exec(source, functions)
    made.step()(next(found for name, found in functions.items() if name != "__builtins__"))


# -- names and order


def test_what_a_derivation_holds() -> None:
    made = small()
    declares(made, "def b(a, x): return a * x")
    declares(made, "def a(m): return m")
    made.binding("regime", a="by a", b="by b")
    made.crossover("m_star", "a = 7", solve_for="m")
    assert made.question == "The graph of a derivation, and what an author is told about each mistake."
    assert (made.name, made.title) == ("small", "small")
    assert list(made.givens) == ["x", "m"]
    assert list(made.steps) == ["b", "a"]
    assert list(made.bindings) == ["regime"]
    assert list(made.crossovers) == ["m_star"]
    assert made.quantities == ["x", "m", "b", "a", "regime"]
    assert made.order() == ["x", "m", "a", "b", "regime"]
    assert made.ancestors(["b"]) == ["x", "m", "a", "b"]
    assert made.ancestors(["a", "x"]) == ["x", "m", "a"]
    assert made.parameters("b") == ("a", "x")
    assert made.parameters("regime") == ("a", "b")
    assert made.parameters("x") == made.parameters("m_star") == made.parameters("nothing") == ()


def test_the_author_decides_the_order_where_the_graph_leaves_it_open() -> None:
    made = Derivation("order")
    for name in ("d", "a", "c"):
        made.given(name)
    for source in ("def z(a): return a", "def y(c, d): return c + d", "def x(z): return z", "def w(): return 1"):
        declares(made, source)
    assert made.order() == ["d", "a", "c", "z", "y", "x", "w"]


def test_a_given_is_as_it_was_declared() -> None:
    made = Derivation("d", title="A title")
    made.given("beta", "bandwidth", unit="GB/s", default="1.5 TB/s")
    made.given("n", count=True, default="2^20")
    made.given("eta_P", default=0.9, symbol=r"\eta")
    given = made.givens["beta"]
    assert given == Given("beta", "bandwidth", unit("GB/s"), r"\beta", False, quantity(Fraction(3, 2), "TB/s"))
    assert made.givens["n"].default == quantity(1048576)
    assert made.givens["eta_P"].default == quantity(Fraction(9, 10))  # as typed, not the double nearest to it
    assert (made.latex_of("eta_P"), made.latex_of("beta")) == (r"\eta", r"\beta")
    assert (made.unit_of("beta"), made.unit_of("n")) == (unit("GB/s"), unit(""))
    assert made.title == "A title"


def test_a_step_is_as_it_was_declared() -> None:
    made = small()

    @made.step(unit="ms", symbol=r"t_{\mathrm{x}}")
    def t_x(x: Any, m: Any) -> Any:
        """First line.

        Second line.
        """
        return x * m

    step = made.steps["t_x"]
    assert step.parameters == ("x", "m")
    assert step.sentence == "First line.\n\nSecond line."
    assert step.latex == r"t_{\mathrm{x}}"
    assert step.unit == unit("ms")
    assert t_x is step.function  # the author's function stays a function
    assert t_x(2, 3) == 6


def test_the_rest_is_as_it_was_declared() -> None:
    made = small()
    made.limit("x", grows="m", sentence="It stays.")
    made.trend("x", grows="m")
    made.advise("by a", "Do more.")
    made.claim("x", "3 byte", source="a book", at={"m": 8})
    made.claim("m_star", "331", source="a book", first_integer=True)
    made.worked(over={"m": [1, 2]}, at={"m": 2}, show="x:KiB, m")
    assert made.facts == [Limit("x", "m", "It stays."), Trend("x", "m", "")]
    assert made.advice == {"by a": "Do more."}
    assert made.claims == [
        Claim("x", "3 byte", {"m": 8}, "a book"),
        Claim("m_star", "331", {}, "a book", first_integer=True),
    ]
    assert [str(claim) for claim in made.claims] == ["x = 3 byte at m = 8", "first integer of m_star = 331"]
    assert made.example.over == {"m": [1, 2]}
    assert made.example.at == {"m": 2}
    assert made.example.show == ("x:KiB", "m")


@pytest.mark.parametrize(
    ("text", "expected"), [("t:ms", ("t", "ms")), ("t", ("t", None)), (" t : GB/s ", ("t", "GB/s")), ("t:", ("t", ""))]
)
def test_a_column(text: str, expected: tuple[str, str | None]) -> None:
    assert split_column(text) == expected


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("m", "m"),
        ("AI", r"\mathrm{AI}"),
        ("beta", r"\beta"),
        ("Omega", r"\Omega"),
        ("eta_P", r"\eta_{P}"),
        ("t_mem", r"t_{\mathrm{mem}}"),
        ("m_star", r"m^{\star}"),
        ("t_mem_L", r"t_{\mathrm{mem,L}}"),
        ("B_r_star", r"B_{r}^{\star}"),
        ("beta_host", r"\beta_{\mathrm{host}}"),
        ("x_1", "x_{1}"),
        ("x_12", "x_{12}"),
        ("B_HBM", r"B_{\mathrm{HBM}}"),
        ("M_stream1", r"M_{\mathrm{stream1}}"),
        ("_", r"\_"),
    ],
)
def test_the_latex_of_a_name(name: str, latex: str) -> None:
    assert default_latex(name) == latex


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (3, quantity(3, "GB")),
        (0.1, quantity(Fraction(1, 10), "GB")),
        (1e9, quantity(10**9, "GB")),
        (Fraction(1, 3), quantity(Fraction(1, 3), "GB")),
        ("2 MiB", quantity(2, "MiB")),
        ("7", quantity(7)),
    ],
)
def test_a_number_in_the_declared_unit(given: Any, expected: Any) -> None:
    read = in_declared_unit(given, unit("GB"))
    assert (read.magnitude, read.units) == (expected.magnitude, expected.units)


# -- one derivation in another


def test_include_brings_in_everything_that_has_a_name() -> None:
    other = small()
    declares(other, "def a(m): return m")
    other.binding("regime", a="by a", m="by m")
    other.crossover("m_star", "a = 7", solve_for="m")
    other.claim("a", "3", source="s")
    made = Derivation("whole")
    made.given("first")
    made.include(other)
    assert list(made.items) == ["first", "x", "m", "a", "regime", "m_star"]
    assert made.items["a"] is other.items["a"]
    assert made.claims == []  # they stay with the derivation that makes them


def test_the_same_derivation_may_come_in_by_two_ways() -> None:
    base = small()
    left, right, both = Derivation("left"), Derivation("right"), Derivation("both")
    left.include(base)
    right.include(base)
    right.include(base)
    both.include(left)
    both.include(right)
    assert list(both.items) == ["x", "m"]


def test_two_things_of_one_name_do_not_come_together() -> None:
    one, other = small(), Derivation("other")
    other.given("x", unit="byte", default=3)
    with pytest.raises(AuthoringError) as caught:
        one.include(other)
    assert str(caught.value) == (
        "small gives the name 'x' twice (brought in from other): it is already a given\nrename one of them"
    )


# -- mistakes


def is_told(mistake: Callable[[Derivation], Any], kind: type[SymroofError], text: str) -> None:
    with pytest.raises(SymroofError) as caught:
        mistake(small())
    assert type(caught.value) is kind
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("sources", "circle"),
    [
        (["def a(a): return a"], "a -> a"),
        (["def a(b): return b", "def b(a): return a"], "a -> b -> a"),
        (["def a(c): return c", "def b(a): return a", "def c(b, x): return b"], "a -> c -> b -> a"),
    ],
)
def test_a_circle(sources: list[str], circle: str) -> None:
    def mistake(made: Derivation) -> None:
        for source in sources:
            declares(made, source)
        made.order()

    is_told(
        mistake,
        AuthoringError,
        f"the steps of small depend on each other in a circle: {circle}\n"
        "a step may only use what is worked out before it",
    )


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("def a(M): return M", "step a of small depends on 'M', which nothing defines\ndid you mean m?"),
        ("def alpha(zz): return zz", "step alpha of small depends on 'zz', which nothing defines\nknown: x, m, alpha"),
        (
            "def a(m_star): return m_star",
            "step a of small depends on 'm_star', which is a crossover, not a quantity\nknown: x, m, a",
        ),
    ],
)
def test_an_unknown_parameter(source: str, text: str) -> None:
    def mistake(made: Derivation) -> None:
        made.crossover("m_star", "m = 2", solve_for="m")
        declares(made, source)
        made.order()

    is_told(mistake, AuthoringError, text)


def test_an_unknown_term_of_a_binding() -> None:
    def mistake(made: Derivation) -> None:
        made.binding("regime", x="by x", t_mem="by t")
        made.at(m=1)["x"]

    is_told(
        mistake,
        AuthoringError,
        "binding regime of small depends on 't_mem', which nothing defines\nknown: x, m, regime",
    )


@pytest.mark.parametrize("taken", ["given", "step", "binding", "crossover"])
@pytest.mark.parametrize("again", ["given", "step", "binding", "crossover"])
def test_a_name_given_twice(taken: str, again: str) -> None:
    def declare(made: Derivation, kind: str) -> None:
        if kind == "given":
            made.given("q")
        elif kind == "step":
            declares(made, "def q(m): return m")
        elif kind == "binding":
            made.binding("q", m="by m", x="by x")
        else:
            made.crossover("q", "m = 2", solve_for="m")

    def mistake(made: Derivation) -> None:
        declare(made, taken)
        declare(made, again)

    is_told(mistake, AuthoringError, f"small gives the name 'q' twice: it is already a {taken}\nrename one of them")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            "def a(m, k=3): return m",
            "the parameter k of step a has a default\ndeclare it as a given with that default",
        ),
        (
            "def a(m, *, k=3): return m",
            "the parameter k of step a has a default\ndeclare it as a given with that default",
        ),
        ("def a(*terms): return terms", "step a takes *terms\nname each quantity that it depends on"),
        ("def a(m, **more): return m", "step a takes **more\nname each quantity that it depends on"),
        ("def a(m, /): return m", "the parameter m of step a is positional only\nremove the /"),
        (
            "a = lambda m: m",
            "small has a step that is a lambda\nwrite it as a function: its name is the quantity's",
        ),
        (
            "def sqrt(m): return m",
            "'sqrt' cannot name a quantity\nuse letters from a to z, digits and _, and no word of Python",
        ),
    ],
)
def test_a_step_that_is_written_wrongly(source: str, text: str) -> None:
    is_told(lambda made: declares(made, source), AuthoringError, text)


@pytest.mark.parametrize("name", ["class", "a b", "2a", "", "max", "floor", "to", "β", "a.b", "a'"])
def test_a_name_that_cannot_be_one(name: str) -> None:
    is_told(
        lambda made: made.given(name),
        AuthoringError,
        f"{name!r} cannot name a quantity\nuse letters from a to z, digits and _, and no word of Python",
    )


def test_a_crossover_is_an_equation() -> None:
    is_told(
        lambda made: made.crossover("x_star", "x <= 3 byte", solve_for="x"),
        AuthoringError,
        "crossover x_star: 'x <= 3 byte' is an inequality\nwrite the equation where it begins to hold",
    )


def test_a_binding_of_one_term() -> None:
    is_told(
        lambda made: made.binding("regime", x="by x"),
        AuthoringError,
        "binding regime compares fewer than two terms\nname at least two quantities",
    )


@pytest.mark.parametrize(
    ("unit_text", "kind", "text"),
    [
        ("flobs", UnknownNameError, "unknown unit 'flobs'\ndid you mean FLOP, TFLOP or PFLOP?"),
        (
            "KB",
            UnitError,
            "the unit 'KB' is ambiguous\nwrite kB (10^3 byte), KiB (2^10 byte) or kbit (10^3 bit)",
        ),
        (
            "GB s",
            UnitError,
            "'GB s' is not a unit\nwrite names joined by * and /, with whole powers: GB/s, FLOP/byte, W*s^2",
        ),
    ],
)
def test_a_unit_that_is_none(unit_text: str, kind: type[SymroofError], text: str) -> None:
    is_told(lambda made: made.given("q", unit=unit_text), kind, f"given q: {text}")

    def step(made: Derivation) -> None:
        made.step(unit=unit_text)(test_a_unit_that_is_none)

    is_told(step, kind, f"step test_a_unit_that_is_none: {text}")


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        (
            {"unit": "byte", "default": "3 s"},
            UnitError,
            'q is measured in byte, but 3 s is in s\nfor example q="1 byte"',
        ),
        (
            {"unit": "byte", "default": "3"},
            UnitError,
            'q is measured in byte, but 3 has no unit\nfor example q="1 byte"',
        ),
        ({"default": "3 GB"}, UnitError, "q is a plain number, but 3 GB is in byte\nfor example q=0.9"),
        (
            {"count": True, "default": 1.5},
            RefusedValueError,
            "q is a count, and 1.5 is not a whole number from 1 up\nfor example q=8192",
        ),
        (
            {"count": True, "default": 0},
            RefusedValueError,
            "q is a count, and 0 is not a whole number from 1 up\nfor example q=8192",
        ),
        ({"default": -1}, RefusedValueError, "q cannot be negative\nquantities are zero or positive"),
        ({"default": 1.5, "most": 1}, RefusedValueError, "q cannot be more than 1\ngive a value up to 1"),
        (
            {"unit": "GB/s", "default": "1001 MB/s", "most": 1},
            RefusedValueError,
            "q cannot be more than 1 GB/s\ngive a value up to 1 GB/s",
        ),
        ({"most": "3 s"}, UnitError, "q is a plain number, but 3 s is in s\nfor example q=0.9"),
        (
            {"default": float("nan")},
            RefusedValueError,
            'nan is not a finite number\ngive a number in the declared unit or text with a unit: "40 GB"',
        ),
        (
            {"default": [3]},
            RefusedValueError,
            '[3] is not a finite number\ngive a number in the declared unit or text with a unit: "40 GB"',
        ),
        ({"default": "m"}, ParseError, "'m' is not a number\n  m\n  ^\nwrite a number and its unit"),
        (
            {"default": "3 GBx"},
            ParseError,
            "unknown unit 'GBx' after a number\n  3 GBx\n    ^\ndid you mean GB or GiB?\n"
            "to multiply by a name, write * with blanks: 2 * GBx",
        ),
    ],
)
def test_a_default_that_is_wrong(options: dict[str, Any], kind: type[SymroofError], text: str) -> None:
    is_told(lambda made: made.given("q", **options), kind, f"given q: {text}")


@pytest.mark.parametrize(
    ("equation", "solve_for", "kind", "text"),
    [
        ("xx = 3 byte", "x", UnknownNameError, "unknown name 'xx' in small\ndid you mean x?"),
        ("x = 3 byte", "mm", UnknownNameError, "unknown symbol 'mm' in small\ndid you mean m?"),
        (
            "x = 3 s",
            "x",
            UnitError,
            "'x = 3 s' compares byte with s\nboth sides of an equation need the same dimension",
        ),
        (
            "x + 2",
            "x",
            ParseError,
            "crossover c: an equation needs =, <= or >= between two sides\n  x + 2\n       ^\n"
            'for example "t_comp = t_mem"',
        ),
        (
            "x + = 3",
            "x",
            ParseError,
            "crossover c: '=' stands where a number or a name is expected\n  x + = 3\n      ^",
        ),
    ],
)
def test_a_crossover_that_is_wrong(equation: str, solve_for: str, kind: type[SymroofError], text: str) -> None:
    def mistake(made: Derivation) -> None:
        made.crossover("c", equation, solve_for=solve_for)
        made.solve("c", m=2)

    is_told(mistake, kind, text)


def test_claims_that_name_what_is_not_there() -> None:
    made = small()
    made.claim("xx", "3 byte", source="s")
    made.claim("x", "3 byte * mm", source="s")
    made.claim("x", "3 byte", at={"mm": 1}, source="s")
    made.claim("x", "3 byte", at={"m": 1}, source="s")
    assert [result.difference for result in claim_results(Settings(made))] == [
        "cannot be checked: unknown name 'xx' in small",
        "cannot be checked: unknown name 'mm' in small",
        "cannot be checked: unknown symbol 'mm' in small",
        "",
    ]
    assert not check(Settings(made)).passed


def test_a_worked_example_that_names_what_is_not_there() -> None:
    unknown = "unknown symbol 'mm' in small\ndid you mean m?"
    is_told(lambda made: made.worked(at={"mm": 3}), UnknownNameError, f"worked: mm=3: {unknown}")
    is_told(lambda made: made.worked(over={"mm": [3]}), UnknownNameError, f"worked: {unknown}")


def test_a_quantity_that_is_not_there() -> None:
    is_told(lambda made: made.known("X"), UnknownNameError, "unknown quantity 'X' in small\ndid you mean x?")
    is_told(lambda made: made.expression("x + 2*mm"), UnknownNameError, "unknown name 'mm' in small\ndid you mean m?")
    is_told(lambda made: made.relation("x = 2*Y"), UnknownNameError, "unknown name 'Y' in small\nknown: x, m")


# -- sentences, plans, charts, what is cited


def test_a_plan_or_answer_that_names_what_is_not_there() -> None:
    for mistake in (
        lambda made: made.plan("p", memory="y", within="x"),
        lambda made: made.plan("p", memory="x", within=["x", "y"]),
        lambda made: made.plan("p", memory="x", within="x", low="y"),
        lambda made: made.plan("p", memory="x", within="x", gpus="y"),
    ):
        is_told(mistake, UnknownNameError, "plan p: unknown quantity 'y' in small\nknown: x, m")
    is_told(
        lambda made: made.plan("p", memory="x", within="x", at={"y": 3}),
        UnknownNameError,
        "plan p: y=3: unknown symbol 'y' in small\nknown: x, m",
    )
    is_told(
        lambda made: made.worked(answer="y, x"), UnknownNameError, "worked: unknown quantity 'y' in small\nknown: x, m"
    )


@pytest.mark.parametrize(
    "outcomes",
    [
        {"a": "", "b": "then"},  # goes on to nothing
        {"a": "1", "b": "2", "c": "3"},
    ],
)
def test_a_decision_that_cannot_be_drawn(outcomes: dict[str, str]) -> None:
    is_told(
        lambda made: made.chart("x", Decision("m", "Which?", outcomes)),
        AuthoringError,
        "chart: the decision on m cannot be drawn\ngive it one or two outcomes with a text, and at most one without, "
        "which goes on to a next stage",
    )


def test_a_chart_that_names_what_is_not_there() -> None:
    is_told(lambda made: made.chart("x y"), UnknownNameError, "chart: unknown quantity 'y' in small\nknown: x, m")
    for decision in (
        Decision("y", "Which?", {"a": "A"}),
        Decision("m", "Which of {y}?", {"a": "A"}),
        Decision("m", "Which?", {"a": "{y}"}),
    ):
        with pytest.raises(UnknownNameError, match=r"^chart: unknown (quantity|name) 'y' in small"):
            small().chart(decision)


def test_what_is_cited() -> None:
    part, whole = small(), Derivation("whole")
    declares(part, "def a(m): return 2 * m")
    declares(part, "def b(a): return a + 1")
    part.binding("larger", a="a leads", b="b leads")
    whole.include(part, only=["b", "larger"], cited=True)
    declares(whole, "def c(b): return b * 2")
    assert whole.cited == {"a": "small", "b": "small", "larger": "small"}
    other = Derivation("other")
    other.include(part, only=["a"])  # what is worked out already stays so
    other.include(part, only=["b"], cited=True)
    assert other.cited == {"b": "small"}
    assert other.at(m=3).number("b") == 7


@pytest.mark.parametrize(
    ("sides", "expected"),
    [
        ("need = 6 byte", "It fits up to m = 2, no longer from m = 3 on."),
        ("need = 7 byte", "It fits up to m = 2, no longer from m = 3 on."),
        ("18 byte / m = need", "No longer up to m = 2, it fits from m = 3 on."),
        ("12 byte / m = need", "No longer up to m = 1, it fits from m = 2 on."),
    ],
)
def test_labels_of_the_sides_of_an_equation(sides: str, expected: str) -> None:
    """need = 3 byte * m; equal sides belong to the first label, whichever side of the root has it."""
    made = small()

    @made.step(unit="byte")
    def need(m: Any, x: Any) -> Any:
        return m * x

    made.crossover("m_star", sides, solve_for="m", less="it fits", more="no longer")
    assert [one.text for one in build(worked_settings(made, {"m": 5}, on="t4", dtype="fp16")).conclusion] == [expected]
