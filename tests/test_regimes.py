"""Which term binds where: the whole line, with breakpoints that are exact, against points tried one by one."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import Any

import pytest

from symroof import Derivation, ceil, largest, load, sqrt
from symroof.answers import regimes_json, regimes_text
from symroof.errors import MissingGivenError, RefusedValueError, UnknownNameError
from symroof.regimes import Regimes, regimes
from symroof.settings import Settings

pytestmark = pytest.mark.slow

GEMM = load("gemm")


def walk(derivation: Derivation, symbol: str, **values: Any) -> list[Regimes]:
    return regimes(Settings(derivation, values), symbol)


def base(end: Any) -> Any:
    return None if end is None else end.to_base_units().magnitude


def line(found: Regimes) -> list[tuple[Any, Any, str, str]]:
    return [(base(one.low), base(one.high), one.term, one.label) for one in found.regimes]


def formulas(found: Regimes) -> list[str | None]:
    return [None if one.formula is None else found.writer.text(one.formula) for one in found.regimes]


def ceilings(*terms: str) -> Derivation:
    """The largest of terms: a rising line, a constant, a hyperbola, a steeper line, tiles."""
    made = Derivation("ceilings")
    for name in ("x", "a", "b", "c", "d"):
        made.given(name)

    @made.step()
    def rise(a: Any, x: Any) -> Any:
        return a * x

    @made.step()
    def flat(b: Any) -> Any:
        return b

    @made.step()
    def fall(c: Any, x: Any) -> Any:
        return c / x

    @made.step()
    def steep(d: Any, x: Any) -> Any:
        return d * x * x

    @made.step()
    def tiles(x: Any) -> Any:
        return ceil(x / 10)

    @made.step()
    def pole(b: Any, x: Any) -> Any:
        return 1 / (x - b)

    made.binding("regime", **{term: f"{term} binds" for term in terms})
    return made


# -- the matrix product


def test_gemm_over_m() -> None:
    (found,) = walk(GEMM, "m")
    crossover = Fraction(1022361600, 3097649)
    assert found.name == "regime"
    assert line(found) == [
        (None, crossover, "t_mem", "memory-bound"),
        (crossover, None, "t_comp", "compute-bound"),
    ]
    assert formulas(found) == ["s*(m*k + m*n + k*n)/beta", "c*m*k*n/P"]
    (crossing,) = found.crossings
    assert (crossing.terms, base(crossing.root.value), crossing.on_top) == (("t_comp", "t_mem"), crossover, True)


@pytest.mark.parametrize(
    ("symbol", "end", "labels"),
    [
        ("k", Fraction(1022361600, 4969649), ["memory-bound", "compute-bound"]),
        ("beta", Fraction(10612875, 16384) * 10**9, ["memory-bound", "compute-bound"]),
        ("P", Fraction(131072, 175) * 10**12, ["compute-bound", "memory-bound"]),
        ("s", Fraction(32768, 6825), ["compute-bound", "memory-bound"]),
    ],
)
def test_gemm_over_other_symbols(symbol: str, end: Fraction, labels: list[str]) -> None:
    (found,) = walk(GEMM, symbol, m=8192)
    assert [base(one.high) for one in found.regimes] == [end, None]
    assert [one.label for one in found.regimes] == labels


def test_one_regime_where_nothing_crosses() -> None:
    (found,) = walk(GEMM, "m", k=128, n=128)
    assert line(found) == [(None, None, "t_mem", "memory-bound")]
    assert found.crossings == ()


# -- two, three and four ceilings


def test_three_ceilings() -> None:
    (found,) = walk(ceilings("rise", "flat", "fall"), "x", a=2, b=10, c=20, d=1)
    assert line(found) == [
        (None, 2, "fall", "fall binds"),
        (2, 5, "flat", "flat binds"),
        (5, None, "rise", "rise binds"),
    ]
    assert formulas(found) == ["c/x", "b", "x*a"]
    # rise and fall are equal at sqrt(10), below flat.
    crossings = [(one.terms, str(one.root.value.magnitude), one.on_top) for one in found.crossings]
    assert crossings == [
        (("rise", "flat"), "5", True),
        (("rise", "fall"), "sqrt(10)", False),
        (("flat", "fall"), "2", True),
    ]


def test_four_ceilings() -> None:
    (found,) = walk(ceilings("rise", "flat", "fall", "steep"), "x", a=4, b=8, c=4, d=Fraction(1, 2))
    assert line(found) == [
        (None, Fraction(1, 2), "fall", "fall binds"),
        (Fraction(1, 2), 2, "flat", "flat binds"),
        (2, 8, "rise", "rise binds"),
        (8, None, "steep", "steep binds"),
    ]
    assert len(found.crossings) == 6


def test_arithmetic_memory_host_link_and_gpu_link() -> None:
    made = Derivation("links")
    made.include(GEMM)
    made.given("beta_host", unit="byte/s", default="31.5 GB/s")
    made.given("beta_link", unit="byte/s", default="300 GB/s")

    @made.step(unit="s")
    def t_host(B_kn: Any, beta_host: Any) -> Any:
        return B_kn / beta_host

    @made.step(unit="s")
    def t_gpu(B_mn: Any, beta_link: Any) -> Any:
        return B_mn / beta_link

    made.binding("limit", t_comp="arithmetic", t_mem="memory", t_host="host link", t_gpu="GPU link")
    (found,) = [one for one in walk(made, "m") if one.name == "limit"]
    # The weights take 2 k n/31.5e9 s whatever m is. An output row takes 2 n/300e9 s over the link, and 2 k n/312e12 s
    # of work, so that the link would be the slower of the two for k below 1040: the host link gives way to it.
    end = Fraction(2 * 512 * 2**20, 31_500_000_000) / Fraction(2 * 2**20, 300 * 10**9)
    assert line(found) == [(None, end, "t_host", "host link"), (end, None, "t_gpu", "GPU link")]
    assert Fraction(2 * 512, 312 * 10**12) < Fraction(2, 300 * 10**9)
    pairs = {one.terms: (base(one.root.value), one.on_top) for one in found.crossings}
    assert pairs["t_comp", "t_host"] == (Fraction(208000, 21), False)  # 9904.76
    assert pairs["t_host", "t_gpu"] == (end, True)
    assert pairs["t_comp", "t_mem"] == (Fraction(1022361600, 3097649), False)
    assert ("t_comp", "t_gpu") not in pairs


@pytest.mark.parametrize("seed", range(8))
def test_random_ceilings_against_points_tried_one_by_one(seed: int) -> None:
    rng = random.Random(seed)
    terms = rng.sample(["rise", "flat", "fall", "steep", "tiles"], rng.randint(2, 4))
    values = {name: Fraction(rng.randint(1, 40), rng.randint(1, 10)) for name in "abcd"}
    made = ceilings(*terms)
    (found,) = walk(made, "x", **{name: str(value) for name, value in values.items()})
    for step in range(1, 200):
        x = Fraction(step, 4) + Fraction(1, 1000)
        tried = {
            "rise": values["a"] * x,
            "flat": values["b"],
            "fall": values["c"] / x,
            "steep": values["d"] * x * x,
            "tiles": Fraction(-(-x // 10)),
        }
        best = max(terms, key=tried.__getitem__)  # the first of those that tie
        binds = [
            one.term
            for one in found.regimes
            if (one.low is None or base(one.low) < x) and (one.high is None or x < base(one.high))
        ]
        assert binds == [best], x


# -- ties, jumps, poles


def test_a_tie_goes_to_the_first() -> None:
    (found,) = walk(ceilings("flat", "rise", "steep"), "x", a=1, b=1, c=1, d=1)
    assert line(found) == [(None, 1, "flat", "flat binds"), (1, None, "steep", "steep binds")]
    assert [(one.terms, base(one.root.value), one.on_top) for one in found.crossings] == [
        (("flat", "rise"), 1, True),
        (("flat", "steep"), 1, True),
        (("rise", "steep"), 1, True),
    ]


def test_terms_that_are_equal_on_a_stretch() -> None:
    made = Derivation("same")
    made.given("x")

    @made.step()
    def low(x: Any) -> Any:
        return largest(x, 5)

    @made.step()
    def high(x: Any) -> Any:
        return 5 + 0 * x

    made.binding("regime", high="high", low="low")
    found = next(one for one in walk(made, "x") if one.name == "regime")
    assert line(found) == [(None, 5, "high", "high"), (5, None, "low", "low")]
    assert formulas(found) == ["5", "x"]


def test_terms_that_jump_past_each_other() -> None:
    (found,) = walk(ceilings("tiles", "flat"), "x", a=1, b="5/2", c=1, d=1)
    assert line(found) == [(None, 20, "flat", "flat binds"), (20, None, "tiles", "tiles binds")]
    assert found.crossings == ()


def test_a_term_that_is_not_defined_everywhere() -> None:
    (found,) = walk(ceilings("pole", "flat"), "x", a=1, b=4, c=1, d=1)
    assert line(found) == [
        (None, 4, "flat", "flat binds"),
        (4, Fraction(17, 4), "pole", "pole binds"),
        (Fraction(17, 4), None, "flat", "flat binds"),
    ]


def test_a_stretch_on_which_a_term_is_not_defined() -> None:
    made = Derivation("root")
    made.given("x")

    @made.step()
    def root(x: Any) -> Any:
        return sqrt(x - 5)

    @made.step()
    def flat(x: Any) -> Any:
        return 2 + 0 * x

    made.binding("regime", root="root binds", flat="flat binds")
    (found,) = walk(made, "x")
    assert line(found) == [
        (None, 5, "", "not defined"),
        (5, 9, "flat", "flat binds"),
        (9, None, "root", "root binds"),
    ]
    assert formulas(found) == [None, "2", "sqrt(x - 5)"]


def test_the_largest_of_steps_is_walked_without_a_binding() -> None:
    made = ceilings("rise", "flat")
    del made.items["regime"]

    @made.step()
    def t(rise: Any, flat: Any, fall: Any) -> Any:
        return largest(rise, flat, fall)

    (found,) = walk(made, "x", a=2, b=10, c=20, d=1)
    assert found.name == "t"
    assert [label for *_, label in line(found)] == ["fall binds", "flat binds", "rise binds"]


# -- errors


def test_a_derivation_that_compares_nothing() -> None:
    made = Derivation("alone")
    made.given("x")

    @made.step()
    def double(x: Any) -> Any:
        return 2 * x

    with pytest.raises(RefusedValueError, match="alone compares no terms"):
        walk(made, "x")


@pytest.mark.parametrize(
    ("symbol", "values", "kind", "problem"),
    [
        ("beta", {}, MissingGivenError, "gemm needs a value for m"),
        ("AI", {"m": 5}, RefusedValueError, "AI is worked out"),
        ("q", {"m": 5}, UnknownNameError, "unknown symbol 'q'"),
    ],
)
def test_bad_questions(symbol: str, values: dict[str, Any], kind: type[Exception], problem: str) -> None:
    with pytest.raises(kind, match=problem):
        walk(GEMM, symbol, **values)


# -- what is shown


def test_json() -> None:
    found = json.loads(json.dumps(regimes_json(GEMM, "m", walk(GEMM, "m"))))
    (one,) = found["comparisons"]
    assert (found["derivation"], found["for"], one["name"], one["terms"]) == (
        "gemm",
        "m",
        "regime",
        ["t_comp", "t_mem"],
    )
    first, second = one["regimes"]
    assert (first["low"], first["high"]["exact"], first["term"], first["label"], first["formula"]) == (
        None,
        "1022361600/3097649",
        "t_mem",
        "memory-bound",
        "s*(m*k + m*n + k*n)/beta",
    )
    assert (second["low"]["exact"], second["high"], second["term"]) == ("1022361600/3097649", None, "t_comp")
    (crossing,) = one["crossings"]
    assert (crossing["terms"], crossing["at"]["text"], crossing["on_top"]) == (["t_comp", "t_mem"], "330.0444", True)


def test_lines() -> None:
    text = regimes_text(walk(ceilings("rise", "flat", "fall"), "x", a=2, b=10, c=20, d=1))
    assert "0 to 2" in text
    assert "5 to infinity" in text
    assert "rise = fall at x = 3.162278   exactly sqrt(10), below another term" in text
