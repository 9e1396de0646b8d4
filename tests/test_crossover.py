"""Solving equations of derivations: exact roots, their conditions and proofs, and what is said where there is none."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
import sympy

from symroof import Derivation, ceil, floor, largest, load, smallest, sqrt
from symroof.answers import answer_json
from symroof.crossover import Answer, Root
from symroof.errors import MissingGivenError, RefusedValueError, SymroofError, UnitError, UnknownNameError

pytestmark = pytest.mark.slow

GEMM = load("gemm")
PEAK, BANDWIDTH = 312 * 10**12, 1555 * 10**9  # FLOP/s and byte/s of an A100 40GB
K, N = 512, 2**20


def only(answer: Answer) -> Root:
    (root,) = answer.roots
    return root


def base(root: Root) -> Any:
    """The root in base units: byte, FLOP, s."""
    return root.value.to_base_units().magnitude


def worked_out(text: str | None, values: dict[str, Fraction]) -> Fraction:
    """A closed form as Python works it out on Fractions."""
    assert text is not None
    found = eval(text.replace("^", "**"), {"__builtins__": {}}, values)
    assert isinstance(found, Fraction)
    return found


def plain(*names: str, **defaults: Any) -> Derivation:
    """A derivation with plain numbers for givens, x among them."""
    made = Derivation("plain")
    for name in ("x", *names):
        made.given(name)
    for name, default in defaults.items():
        made.given(name, default=default)
    return made


# -- the matrix product, for each of its symbols

# By hand from c m k n / P = s (m k + k n + m n) / beta.
BY_HAND: dict[str, tuple[str, str, Callable[..., Fraction]]] = {
    "m": (
        "P*s*k*n/(c*beta*k*n - P*s*(k + n))",
        "c*beta*k*n > P*s*(k + n)",
        lambda k, n, s, P, beta, c, **_: 1 / (c * beta / (P * s) - 1 / n - 1 / k),
    ),
    "k": (
        "P*s*m*n/(c*beta*m*n - P*s*(m + n))",
        "c*beta*m*n > P*s*(m + n)",
        lambda m, n, s, P, beta, c, **_: 1 / (c * beta / (P * s) - 1 / n - 1 / m),
    ),
    "n": (
        "P*s*m*k/(c*beta*m*k - P*s*(m + k))",
        "c*beta*m*k > P*s*(m + k)",
        lambda m, k, s, P, beta, c, **_: 1 / (c * beta / (P * s) - 1 / k - 1 / m),
    ),
    "s": (
        "c*beta*m*k*n/(P*(m*k + m*n + k*n))",
        "always",
        lambda m, k, n, P, beta, c, **_: c * beta / P / (1 / m + 1 / k + 1 / n),
    ),
    "P": (
        "c*beta*m*k*n/(s*(m*k + m*n + k*n))",
        "always",
        lambda m, k, n, s, beta, c, **_: c * beta / s / (1 / m + 1 / k + 1 / n),
    ),
    "beta": (
        "P*s*(m*k + m*n + k*n)/(c*m*k*n)",
        "always",
        lambda m, k, n, s, P, c, **_: P * s / c * (1 / m + 1 / k + 1 / n),
    ),
    "c": (
        "P*s*(m*k + m*n + k*n)/(beta*m*k*n)",
        "always",
        lambda m, k, n, s, P, beta, **_: P * s / beta * (1 / m + 1 / k + 1 / n),
    ),
}


def gemm_values(rng: random.Random, but: str) -> dict[str, Fraction]:
    sizes = {name: Fraction(rng.randint(1, 5000)) for name in ("m", "k", "n")}
    rates = {name: Fraction(rng.randint(1, 2000) * 10**9, rng.randint(1, 9)) for name in ("P", "beta")}
    rates["P"] *= rng.randint(1, 300)
    values = {**sizes, **rates, "s": Fraction(rng.randint(1, 16), 4), "c": Fraction(rng.randint(1, 8), 2)}
    return {name: value for name, value in values.items() if name != but}


@pytest.mark.parametrize("symbol", BY_HAND)
def test_gemm_for_each_of_its_symbols(symbol: str) -> None:
    form, condition, by_hand = BY_HAND[symbol]
    settings: dict[str, Any] = {"m": 8192} if symbol != "m" else {}
    root = only(GEMM.solve("t_comp = t_mem", for_=symbol, **settings))
    candidate = root.candidate
    answer = GEMM.solve("t_comp = t_mem", for_=symbol, **settings)
    assert answer.text(candidate.closed_form) == form
    assert answer.condition_text(candidate) == condition
    assert root.proof == f"t_comp - t_mem with {symbol} = {form} cancels to 0"
    assert root.proved
    assert root.sides_by == "the sign of the derivative"
    # At random values the closed form is the formula worked out by hand, and the equation holds in Fractions.
    rng = random.Random(symbol)
    for _ in range(200):
        v = gemm_values(rng, symbol)
        try:
            expected = by_hand(**v)
        except ZeroDivisionError:
            continue
        assert worked_out(form, v) == expected
        v[symbol] = expected
        moved = v["s"] * (v["m"] * v["k"] + v["k"] * v["n"] + v["m"] * v["n"])
        assert v["c"] * v["m"] * v["k"] * v["n"] / v["P"] == moved / v["beta"]
        # The condition is true exactly where that root is positive.
        holds = condition == "always" or eval(condition, {"__builtins__": {}}, v)
        assert holds == (expected > 0)


@pytest.mark.parametrize(
    ("symbol", "value", "below", "above", "first"),
    [
        ("m", Fraction(1022361600, 3097649), "memory-bound", "compute-bound", 331),
        ("k", Fraction(1022361600, 4969649), "memory-bound", "compute-bound", 206),
        ("n", Fraction(7987200, 23233), "memory-bound", "compute-bound", 344),
        ("s", Fraction(32768, 6825), "compute-bound", "memory-bound", None),
        ("P", Fraction(131072, 175) * 10**12, "compute-bound", "memory-bound", None),
        ("beta", Fraction(10612875, 16384) * 10**9, "memory-bound", "compute-bound", None),
        ("c", Fraction(6825, 8192), "memory-bound", "compute-bound", None),
    ],
)
def test_gemm_values_at_the_question(symbol: str, value: Fraction, below: str, above: str, first: int | None) -> None:
    settings: dict[str, Any] = {"m": 8192} if symbol != "m" else {}
    root = only(GEMM.solve("t_comp = t_mem", for_=symbol, **settings))
    assert (base(root), root.below, root.above, root.first_integer) == (value, below, above, first)


def test_the_first_compute_bound_m_by_trying_them_all() -> None:
    m = 1
    while 2 * m * K * N * BANDWIDTH < 2 * (m * K + K * N + m * N) * PEAK:
        m += 1
    root = only(GEMM.solve("m_star"))
    assert base(root) == Fraction(1022361600, 3097649)
    assert root.first_integer == m == 331


def test_a_square_product() -> None:
    answer = GEMM.solve("t_comp = t_mem", for_="m", k="m", n="m")
    root = only(answer)
    assert answer.text(root.candidate.closed_form) == "3*P*s/(c*beta)"
    assert answer.condition_text(root.candidate) == "always"
    assert base(root) == Fraction(187200, 311) == Fraction(3 * PEAK * 2, 2 * BANDWIDTH)
    assert f"{float(base(root)):.2f}" == "601.93"
    assert (root.below, root.above) == ("memory-bound", "compute-bound")


def test_a_tie_through_another_symbol() -> None:
    chained = GEMM.solve("t_comp = t_mem", for_="m", k="m", n="k")
    assert base(only(chained)) == Fraction(187200, 311)
    scaled = GEMM.solve("t_comp = t_mem", for_="m", n="4*k", k="m")  # 1/m + 1/m + 1/(4 m) = c beta/(P s)
    assert base(only(scaled)) == Fraction(9, 4) * Fraction(PEAK, BANDWIDTH)


@pytest.mark.parametrize(
    ("k", "n", "on", "shown"),
    [(4096, 4096, "a100-40gb", "222.435"), (4096, 4096, "h100-sxm", "345.112")],
)
def test_square_weights(k: int, n: int, on: str, shown: str) -> None:
    assert f"{float(base(only(GEMM.solve('m_star', on=on, k=k, n=n)))):.3f}" == shown


# Shapes, chip and threshold from the published cases: source, then k, n, byte per element, rates, m*, first integer.
PUBLISHED = [
    ("scaling book, TPUs, question 4 part 1", 4096, 16384, 1, "394 TFLOP/s", "810 GB/s", "262.709", 263),
    ("scaling book, TPUs, question 4 part 2", 4096, 16384, 1, "394 TFLOP/s", "17.82 TB/s", "11.0924", 12),
    ("A100 datasheet, 4096 x 4096", 4096, 4096, 2, "312 TFLOP/s", "1555 GB/s", "222.435", 223),
    ("A100 datasheet, 16384 x 4096", 16384, 4096, 2, "312 TFLOP/s", "1555 GB/s", "213.730", 214),
    ("A100 datasheet, 12288 x 12288", 12288, 12288, 2, "312 TFLOP/s", "1555 GB/s", "207.417", 208),
    ("A100 datasheet, 28672 x 8192", 28672, 8192, 2, "312 TFLOP/s", "1555 GB/s", "207.167", 208),
    ("A100 datasheet, 49152 x 12288", 49152, 12288, 2, "312 TFLOP/s", "1555 GB/s", "204.824", 205),
]


@pytest.mark.parametrize(("source", "k", "n", "s", "rate", "band", "shown", "first"), PUBLISHED)
def test_published_thresholds(
    source: str, k: int, n: int, s: int, rate: str, band: str, shown: str, first: int
) -> None:  # fmt: skip
    root = only(GEMM.solve("m_star", k=k, n=n, s=f"{s} byte", P=rate, beta=band))
    decimals = len(shown.partition(".")[2])
    assert f"{float(base(root)):.{decimals}f}" == shown, source
    assert root.first_integer == first


@pytest.mark.parametrize(
    ("source", "s", "rate", "band", "shown"),
    [
        ("scaling book, rooflines, matrix multiplication: 240", 2, "197 TFLOP/s", "820 GB/s", "240.244"),
        ("scaling book, rooflines, question 1: 243", 1, "394 TFLOP/s", "810 GB/s", "243.210"),
        ("scaling book, rooflines, problem 5: 298", 2, "1000 TFLOP/s", "3.35 TB/s", "298.507"),
        ("scaling book, TPUs, question 3: 61000", 2, "920 TFLOP/s", "15 GB/s", "61333.333"),
    ],
)
def test_published_thresholds_of_large_weights(source: str, s: int, rate: str, band: str, shown: str) -> None:
    """As k and n grow the threshold falls to P s/(c beta)."""
    root = only(GEMM.solve("m_star", k="10^15", n="10^15", s=f"{s} byte", P=rate, beta=band))
    assert f"{float(base(root)):.3f}" == shown, source


def test_a_published_threshold_with_weights_of_another_size() -> None:
    """Scaling book, rooflines, question 2: int8 weights with bf16 activations; 120 is printed."""
    mixed = Derivation("mixed")
    for name in ("m", "k", "n"):
        mixed.given(name, count=True)
    mixed.given("s_act", unit="byte", default=2)
    mixed.given("s_weight", unit="byte", default=1)
    mixed.given("c", unit="FLOP", default=2)
    mixed.given("rate", unit="FLOP/s", default="197 TFLOP/s")
    mixed.given("band", unit="byte/s", default="820 GB/s")

    @mixed.step(unit="s")
    def t_comp(c: Any, m: Any, k: Any, n: Any, rate: Any) -> Any:
        return c * m * k * n / rate

    @mixed.step(unit="s")
    def t_mem(s_act: Any, s_weight: Any, m: Any, k: Any, n: Any, band: Any) -> Any:
        return (s_act * m * (k + n) + s_weight * k * n) / band

    root = only(mixed.solve("t_comp = t_mem", for_="m", k="10^15", n="10^15"))
    assert f"{float(base(root)):.3f}" == "120.122"


def test_a_published_contraction_length() -> None:
    """Scaling book, network rooflines: two chips that split k exchange partial sums; 8755 is printed."""
    split = Derivation("split")
    split.given("m", default=4096)
    split.given("n", default=4096)
    split.given("k")
    split.given("rate", unit="FLOP/s", default="197 TFLOP/s")
    split.given("link", unit="byte/s", default="45 GB/s")
    split.given("s", unit="byte", default=2)
    split.given("c", unit="FLOP", default=2)

    @split.step(unit="s")
    def t_comp(c: Any, m: Any, k: Any, n: Any, rate: Any) -> Any:
        return c * m * k * n / (2 * rate)

    @split.step(unit="s")
    def t_link(s: Any, m: Any, n: Any, link: Any) -> Any:
        return s * m * n / link

    answer = split.solve("t_comp = t_link", for_="k")
    root = only(answer)
    assert base(root) == Fraction(2 * 197 * 10**12, 45 * 10**9) == Fraction(78800, 9)
    assert answer.text(root.candidate.closed_form) == "2*rate*s/(link*c)"


# -- other questions about the matrix product


def test_ten_milliseconds() -> None:
    answer = GEMM.solve("t = 10 ms", for_="m")
    root = only(answer)
    assert base(root) == Fraction(PEAK, 100 * 2 * K * N)
    largest_m = max(m for m in range(1, 4000) if 2 * m * K * N * 100 <= PEAK)
    assert root.first_integer == largest_m + 1 == 2906
    assert answer.text(root.candidate.closed_form) == "P*(10 ms)/(c*k*n)"
    condition = answer.condition_text(root.candidate)
    assert condition == "c*beta*k*n*(10 ms) >= s*(c*k^2*n^2 + P*k*(10 ms) + P*n*(10 ms))"
    assert root.proof == "t - 10 ms with m = P*(10 ms)/(c*k*n) cancels to 0"


def test_a_share_of_the_ridge() -> None:
    answer = GEMM.solve("AI = 0.9 * I", for_="m")
    root = only(answer)
    nine_tenths = Fraction(9, 10) * Fraction(PEAK, BANDWIDTH)
    # AI = m k n/(m k + k n + m n) at 2 byte and 2 FLOP, so that m = 1/(1/AI - 1/k - 1/n).
    assert base(root) == 1 / (1 / nine_tenths - Fraction(1, K) - Fraction(1, N)) == Fraction(1840250880, 6594853)
    assert answer.text(root.candidate.closed_form) == "9*P*s*k*n/(10*c*beta*k*n - 9*P*s*(k + n))"
    assert answer.condition_text(root.candidate) == "10*c*beta*k*n > 9*P*s*(k + n)"
    assert (root.below, root.above) == ("AI < 0.9 * I", "AI > 0.9 * I")


def test_the_bandwidth_for_a_millisecond() -> None:
    answer = GEMM.solve("t = 1 ms", for_="beta", m=128)
    root = only(answer)
    moved = 2 * (128 * K + K * N + 128 * N)
    assert base(root) == moved * 1000 == 1342308352000
    assert str(root.value) == "1342 GB/s"
    assert answer.text(root.candidate.closed_form) == "s*(m*k + m*n + k*n)/(1 ms)"
    assert answer.condition_text(root.candidate) == "P*(1 ms) >= c*m*k*n"
    assert (root.below, root.above, root.first_integer) == ("t > 1 ms", "t < 1 ms", None)


def test_no_bandwidth_makes_it_a_millisecond() -> None:
    answer = GEMM.solve("t = 1 ms", for_="beta", m=8192)
    assert (answer.verdict, answer.roots) == ("never", ())
    # 28.19 ms of arithmetic: 2 m k n/P, and 1 ms of it is 0.03547 of that.
    assert f"{1000 * 2 * 8192 * K * N / PEAK:.2f} ms" == "28.19 ms"
    assert answer.reason == (
        "a root needs P*(1 ms) >= c*m*k*n, but here P*(1 ms) is 0.03547 times c*m*k*n; "
        "t tends to c*m*k*n/P = 0.02819 s as beta grows; t > 1 ms for every beta"
    )


def test_the_intensity_never_reaches_the_ridge() -> None:
    answer = GEMM.solve("AI = I", for_="m", k=128, n=128)
    assert (answer.verdict, answer.roots) == ("never", ())
    assert "AI tends to 0 FLOP/byte as m goes to 0 and to c*k*n/(s*(k + n)) = 64 FLOP/byte as m grows" in answer.reason
    assert "while I is 200.6 FLOP/byte; AI < I for every m" in answer.reason


@pytest.mark.parametrize(
    ("equation", "symbol", "reason"),
    [
        ("AI = I", "eta_P", None),
        ("I = 200 FLOP/byte", "m", "neither side depends on m: I > 200 FLOP/byte"),
        ("F = 1e9 FLOP", "beta", "neither side depends on beta: F > 1e9 FLOP"),
    ],
)
def test_what_does_not_depend_on_the_unknown(equation: str, symbol: str, reason: str | None) -> None:
    settings: dict[str, Any] = {} if symbol == "m" else {"m": 8192}
    answer = GEMM.solve(equation, for_=symbol, **settings)
    if reason is None:
        assert answer.verdict == "crosses"
    else:
        assert (answer.verdict, answer.reason) == ("never", reason)


def test_both_sides_the_same() -> None:
    for equation in ("t_comp = F / P", "AI * B = F", "t = max(t_comp, t_mem)"):
        answer = GEMM.solve(equation, for_="m")
        assert (answer.verdict, answer.roots) == ("always", ())
        assert answer.reason == "both sides are the same for every m"


# -- errors


@pytest.mark.parametrize(
    ("equation", "symbol", "settings", "kind", "problem"),
    [
        ("t = 10 ms", "AI", {}, RefusedValueError, "AI is worked out from other quantities"),
        ("t = 10 ms", "k", {"k": "m", "m": 5}, RefusedValueError, "k is set to m"),
        ("t = 10 ms", "q", {}, UnknownNameError, "unknown symbol 'q'"),
        ("tt = 10 ms", "m", {}, UnknownNameError, "unknown name 'tt'"),
        ("t = 10 GB", "m", {}, UnitError, "compares s with byte"),
        ("t = 10", "m", {}, UnitError, "'t = 10' compares s with a plain number"),
        ("t = 1 ms", "beta", {}, MissingGivenError, "gemm needs a value for m"),
        ("regime = 1", "m", {}, UnitError, "regime is a label"),
        ("t = 10 ms", None, {}, RefusedValueError, "does not say what to solve for"),
    ],
)
def test_bad_questions(
    equation: str, symbol: str | None, settings: dict[str, Any], kind: type[SymroofError], problem: str
) -> None:
    with pytest.raises(kind) as caught:
        GEMM.solve(equation, for_=symbol, **settings)
    assert problem in caught.value.problem


# -- max, min, conditionals, ceil, floor, roots


@pytest.mark.parametrize(
    ("equation", "values", "roots"),
    [
        ("x*max(x, 15) = 10", {}, ["2/3"]),
        ("x*max(x, 15) = 400", {}, ["20"]),
        ("x*max(x, 15) = 225", {}, ["15"]),  # on the border of both branches, once
        ("11000000000/a - 1/(100000000*a*x^2) = 0", {"a": 3}, ["sqrt(110)/11000000000"]),
        ("11000000000/a - 1/(100000000*a*x^2) = 0", {"a": "1e-200"}, ["sqrt(110)/11000000000"]),
        ("min(x, 5) = 3", {}, ["3"]),
        ("min(x, 5) = 7", {}, []),
        ("max(x, 5) - min(x, 3) = 4", {}, ["1", "7"]),
        ("max(min(x, 4), x/3) = 6", {}, ["18"]),
        ("max(1/x, x) = 2", {}, ["1/2", "2"]),
        ("max(10/(x - 5), 3) = 4", {}, ["15/2"]),
        ("1/(x - 5) = 0", {}, []),
        ("x^2 - a*x + b = 0", {"a": 5, "b": 6}, ["2", "3"]),
        ("x^2 - a*x + b = 0", {"a": 4, "b": 4}, ["2"]),
        ("x^2 - a*x + b = 0", {"a": 1, "b": 4}, []),
        ("(x - 3)^2*(x - 5)^3 = 0", {}, ["3", "5"]),
        ("x^3 - 6*x^2 + 11*x - 6 = 0", {}, ["1", "2", "3"]),
        ("x^4 - 10*x^2 + a = 0", {"a": 9}, ["1", "3"]),
        ("sqrt(x + 5) = x - 1", {}, ["4"]),
        ("sqrt(x - 5) = 2", {}, ["9"]),
        ("sqrt(x) + 2 = 0", {}, []),
        ("sqrt(a)*x = 7", {"a": 2}, ["7*sqrt(2)/2"]),
        ("ceil(x/128)*x = 900", {}, ["300"]),
        ("ceil(x/128)*x = 256", {}, []),
        ("1/ceil(x) = x", {}, ["1"]),
        ("floor(x)*x = 10", {}, ["10/3"]),
        ("ceil(ceil(x/2)*3/7)*x = 30", {}, ["10"]),
    ],
)
def test_roots_of_every_kind(equation: str, values: dict[str, Any], roots: list[str]) -> None:
    answer = plain(*values).solve(equation, for_="x", **values)
    assert [str(root.value.magnitude) for root in answer.roots] == roots
    assert answer.verdict == ("crosses" if roots else "never")
    assert all(root.proved for root in answer.roots)


@pytest.mark.parametrize("power", [-300, -150, -3, 0, 3, 150, 300])
def test_constants_of_every_size(power: int) -> None:
    size = Fraction(10) ** power
    made = plain("a", "b")
    assert base(only(made.solve("a*x = b", for_="x", a=size, b=3))) == 3 / size
    (root,) = made.solve("a*x^2 = b", for_="x", a=size, b=9 / size).roots
    assert root.value.magnitude == 3 / size
    cubic = only(made.solve("a*x^3 + x = b", for_="x", a=size, b=size + 1))
    assert cubic.value.magnitude == 1
    both = made.solve("x/a + a/x = b", for_="x", a=size, b=Fraction(5, 2))
    assert [one.value.magnitude for one in both.roots] == [size / 2, 2 * size]
    assert made.solve("a/x = a/(x + b)", for_="x", a=size, b=size).verdict == "never"


def test_a_quintic() -> None:
    """x^5 - 3 x^3 + x = 1/10 has three positive roots, between -+-+ of the signs at 0, 1/5, 1, 2."""
    answer = plain("a").solve("x^5 - 3*x^3 + x = a", for_="x", a="1/10")
    digits = [f"{sympy.N(root.value.magnitude, 30):.10f}" for root in answer.roots]
    assert digits == ["0.1032946340", "0.5509490178", "1.6264073745"]
    side = "x^5 - 3*x^3 + x {} a".format
    assert [(root.below, root.above) for root in answer.roots] == [
        (side("<"), side(">")),
        (side(">"), side("<")),
        (side("<"), side(">")),
    ]
    assert [answer.text(root.candidate.closed_form) for root in answer.roots] == [None] * 3
    assert [answer.condition_text(root.candidate) for root in answer.roots] == [None] * 3
    assert [str(root.value) for root in answer.roots] == ["0.1033", "0.5509", "1.626"]


def test_a_cubic_has_one_root_by_the_signs_of_its_terms() -> None:
    answer = plain("a", "b").solve("x^3 + a*x = b", for_="x", a=1, b=3)
    root = only(answer)
    assert (answer.text(root.candidate.closed_form), answer.condition_text(root.candidate)) == (None, "always")
    assert f"{sympy.N(root.value.magnitude, 20):.12f}" == "1.213411662762"
    assert root.proof.endswith("is exactly 0")


def stepped(name: str) -> Derivation:
    """A derivation with conditionals, tiles and remainders."""
    made = plain("a")

    @made.step()
    def rate(x: Any) -> Any:
        if x <= 4:
            return 3 * x
        if x <= 10:
            return 2 * x + 10
        return x + 12

    @made.step()
    def tiles(x: Any) -> Any:
        return ceil(x / 16)

    @made.step()
    def left(x: Any) -> Any:
        return x % 5 + x

    @made.step()
    def off(x: Any, a: Any) -> Any:
        return abs(x - a)

    @made.step()
    def whole(x: Any) -> Any:
        return x // 3

    assert name in made.steps
    return made


@pytest.mark.parametrize(
    ("name", "equation", "roots"),
    [
        ("rate", "rate = 6", [2]),
        ("rate", "rate = 12", [4]),
        ("rate", "rate = 15", []),  # it jumps from 12 to 18
        ("rate", "rate = 26", [8, 14]),
        ("rate", "rate = 30", [10, 18]),
        ("rate", "rate = 25", [Fraction(15, 2), 13]),
        ("rate", "rate = 40", [28]),
        ("tiles", "tiles * x = 100", [Fraction(100, 3)]),
        ("tiles", "tiles * x = 20", []),
        ("tiles", "tiles * x = 40", [20]),
        ("left", "left = 12", [Fraction(17, 2), 11]),
        ("off", "off = 2", [1, 5]),
        ("off", "off = x", [Fraction(3, 2)]),
        ("whole", "whole * x = 14", [7]),
    ],
)
def test_conditionals_remainders_and_sizes(name: str, equation: str, roots: list[int | Fraction]) -> None:
    answer = stepped(name).solve(equation, for_="x", a=3)
    assert [root.value.magnitude for root in answer.roots] == roots


def test_a_jump_is_no_root_and_is_said() -> None:
    answer = stepped("rate").solve("rate = 15", for_="x", a=3)
    assert answer.reason == (
        "the two sides are never equal, they jump past each other: rate < 15, then rate > 15 from x = 4 on"
    )


@pytest.mark.parametrize(
    ("equation", "where", "roots"),
    [
        ("max(x, 5) = 5", "from 0 to 5", [5]),
        ("max(x, 5) = min(x, 7)", "from 5 to 7", [5, 7]),
        ("ceil(x/128)*3 = 9", "from 256 to 384", [384]),
        ("floor(x/128)*3 = 9", "from 384 to 512", [384]),
        ("floor(x/3) + ceil(x/5) = 17", "from 30 to 33", []),
        ("max(ceil(x/4), x/3) = 3", "from 8 to 9", [9]),
        ("max(x, 2*x - 7) = x", "from 0 to 7", [7]),
        ("max(2*x, x + 7) = 2*x", "from 7 on", [7]),
    ],
)
def test_sides_that_are_equal_on_a_stretch(equation: str, where: str, roots: list[int]) -> None:
    answer = plain().solve(equation, for_="x")
    assert answer.verdict == "crosses"
    assert answer.reason == f"the two sides are equal for every x {where}"
    assert [root.value.magnitude for root in answer.roots] == roots


def test_infinitely_many_roots_are_refused() -> None:
    with pytest.raises(RefusedValueError, match="infinitely many steps"):
        plain().solve("ceil(x) = x", for_="x")


def test_what_is_defined_nowhere_says_why() -> None:
    with pytest.raises(RefusedValueError, match="step t_comp divides by zero: P = 0"):
        GEMM.solve("t = 10 ms", for_="m", eta_P=0)
    answer = plain().solve("sqrt(3 - x) = 2", for_="x")
    assert answer.verdict == "never"
    assert answer.reason == (
        "the two sides are never equal: sqrt(3 - x) < 2, then sqrt(3 - x) or 2 is not defined from x = 3 on"
    )


def test_powers_with_the_unknown_above_are_refused() -> None:
    with pytest.raises(RefusedValueError, match="not algebraic in x"):
        plain("a").solve("a^x = 8", for_="x", a=2)


@pytest.mark.parametrize(("tile", "each", "total"), [(16, 7, 100), (128, 3, 1000), (5, 11, 12), (64, 1, 64), (3, 2, 7)])
def test_whole_tiles_by_trying_them_all(tile: int, each: int, total: int) -> None:
    """each * ceil(x/tile) + x = total, against the integers: it holds at one, or is jumped past between two."""
    answer = plain().solve(f"{each}*ceil(x/{tile}) + x = {total}", for_="x")
    at = [each * math.ceil(Fraction(x, tile)) + x for x in range(1, total + 2)]
    if total in at:
        assert [root.value.magnitude for root in answer.roots] == [at.index(total) + 1]
    else:
        first = next(x for x, value in enumerate(at, 1) if value > total)
        assert (answer.verdict, f"from x = {first - 1} on" in answer.reason) == ("never", True)


# -- many maxima


def summed(count: int) -> Derivation:
    """A sum of maxima: term i is (i + 2) x from x = 10 (i + 1)^2 on, and (i + 1) x + 10 (i + 1)^2 below."""
    made = plain()
    for at in range(count):
        _declare(made, f"def c{at}(x): return {at + 2}*x")
        _declare(made, f"def m{at}(x): return {at + 1}*x + {10 * (at + 1) ** 2}")
        _declare(made, f"def t{at}(c{at}, m{at}): return largest(c{at}, m{at})")
    terms = [f"t{at}" for at in range(count)]
    _declare(made, f"def t({', '.join(terms)}): return {' + '.join(terms)}")
    return made


def nested(count: int) -> Derivation:
    """A maximum of a maximum of ..."""
    made = plain()
    inner = "x"
    for at in range(count):
        parameters = "x" if inner == "x" else f"x, {inner}"
        _declare(made, f"def u{at}({parameters}): return largest({inner}*3/2 - {at}, x + {2 * at})")
        inner = f"u{at}"
    return made


def _declare(made: Derivation, source: str) -> None:
    space: dict[str, Any] = {"largest": largest}
    exec(source, space)
    made.step()(space[source.split("(", maxsplit=1)[0].removeprefix("def ")])


@pytest.mark.parametrize("target", [1000, 7000, 50_000])
def test_a_sum_of_a_dozen_maxima(target: int) -> None:
    """4,096 branches, of which 13 hold somewhere."""
    answer = summed(12).solve(f"t = {target}", for_="x")
    start = sum(10 * (at + 1) ** 2 for at in range(12))
    assert answer.verdict == ("crosses" if target > start else "never")
    for root in answer.roots:
        x = root.value.magnitude
        assert sum(max((at + 2) * x, (at + 1) * x + 10 * (at + 1) ** 2) for at in range(12)) == target
        assert root.proved


def test_a_dozen_maxima_in_each_other() -> None:
    x = only(nested(12).solve("u11 = 5000", for_="x")).value.magnitude
    value = x
    for at in range(12):
        value = max(value * Fraction(3, 2) - at, x + 2 * at)
    assert value == 5000


def test_a_chain_of_400_steps() -> None:
    made = plain("a")
    _declare(made, "def u0(x, a): return a*x")
    for at in range(1, 400):
        _declare(made, f"def u{at}(x, a, u{at - 1}): return u{at - 1} + a*x/{at + 1}")
    root = only(made.solve("u399 = 100", for_="x", a=3))
    assert root.value.magnitude == Fraction(100, 3) / sum(Fraction(1, at + 1) for at in range(400))


# -- latency terms


def with_latency() -> Derivation:
    """t = max(a x, b) + t0: a step under a latency."""
    made = plain("a", "b", "t0")

    @made.step()
    def t(x: Any, a: Any, b: Any, t0: Any) -> Any:
        return largest(a * x, b) + t0

    return made


@pytest.mark.parametrize(
    ("target", "roots", "verdict"),
    [(20, [5], "crosses"), (8, [], "never"), (5, [], "never"), (10, [Fraction(5, 3)], "crosses")],
)
def test_a_latency_term(target: int, roots: list[int], verdict: str) -> None:
    answer = with_latency().solve(f"t = {target}", for_="x", a=3, b=4, t0=5)
    assert ([root.value.magnitude for root in answer.roots], answer.verdict) == (roots, verdict)
    for root in answer.roots:
        assert answer.text(root.candidate.closed_form) == f"({target} - t0)/a"
        assert answer.condition_text(root.candidate) == f"{target} >= b + t0"


def test_exactly_at_the_latency_it_holds_on_a_stretch() -> None:
    answer = with_latency().solve("t = 9", for_="x", a=3, b=4, t0=5)
    assert answer.reason == "the two sides are equal for every x from 0 to 1.333333"


def test_gemm_under_a_latency() -> None:
    slow = Derivation("slow")
    slow.include(GEMM)
    slow.given("t_0", "start", unit="s", default="5 us")

    @slow.step(unit="s")
    def t_all(t: Any, t_0: Any) -> Any:
        return t + t_0

    assert base(only(slow.solve("t_all = 10 ms", for_="m"))) == Fraction(PEAK * 9995, 10**6 * 2 * K * N)
    assert slow.solve("t_all = 4 us", for_="m").verdict == "never"
    # Below the crossover: s (m k + k n + m n)/beta + t_0 = 0.8 ms.
    expected = Fraction((BANDWIDTH * 795) // 10**6 - 2 * K * N, 2 * (K + N))
    assert base(only(slow.solve("t_all = 0.8 ms", for_="m"))) == expected


# -- quantities that may be negative or zero


def with_differences() -> Derivation:
    made = plain("a", "b")

    @made.step()
    def gap(a: Any, b: Any) -> Any:
        return a - b

    @made.step()
    def stall(gap: Any) -> Any:
        return largest(gap, 0)

    @made.step()
    def size(gap: Any) -> Any:
        return sqrt(gap * gap)

    @made.step()
    def side(gap: Any, x: Any) -> Any:
        if gap > 0:
            return x
        return 2 * x

    @made.step()
    def bound(x: Any, stall: Any) -> Any:
        return smallest(x, 100) + stall

    return made


@pytest.mark.parametrize(
    ("equation", "forward", "backward"),
    [
        ("x = stall", [4], []),
        ("x = size", [4], [4]),
        ("side = 10", [10], [5]),
        ("bound = 10", [6], [10]),
        ("x = gap", [4], []),
    ],
)
def test_a_difference_of_either_sign(equation: str, forward: list[int], backward: list[int]) -> None:
    """A step that the unknown does not reach is not taken to be positive."""
    made = with_differences()
    assert [root.value.magnitude for root in made.solve(equation, for_="x", a=7, b=3).roots] == forward
    assert [root.value.magnitude for root in made.solve(equation, for_="x", a=3, b=7).roots] == backward


# -- what is shown


def test_json_of_an_answer() -> None:
    found = json.loads(json.dumps(answer_json(GEMM, GEMM.solve("m_star"))))
    assert found == {
        "derivation": "gemm",
        "equation": "t_comp = t_mem",
        "for": "m",
        "verdict": "crosses",
        "reason": "the two sides are equal at one positive value of m",
        "closed_form": "P*s*k*n/(c*beta*k*n - P*s*(k + n))",
        "condition": "c*beta*k*n > P*s*(k + n)",
        "roots": [
            {
                "exact": "1022361600/3097649",
                "value": 330.0443659045941,
                "unit": "1",
                "text": "330.0444",
                "closed_form": "P*s*k*n/(c*beta*k*n - P*s*(k + n))",
                "latex": r"\frac{P s k n}{c \beta k n - P s \left( k + n \right)}",
                "condition": "c*beta*k*n > P*s*(k + n)",
                "holds": True,
                "first_integer": 331,
                "below": "memory-bound",
                "above": "compute-bound",
                "sides_by": "the sign of the derivative",
                "proof": "t_comp - t_mem with m = P*s*k*n/(c*beta*k*n - P*s*(k + n)) cancels to 0",
            }
        ],
    }


def test_json_without_a_root_still_has_the_closed_form() -> None:
    found = answer_json(GEMM, GEMM.solve("m_star", k=128, n=128))
    assert (found["verdict"], found["roots"]) == ("never", [])
    assert (found["closed_form"], found["condition"]) == (
        "P*s*k*n/(c*beta*k*n - P*s*(k + n))",
        "c*beta*k*n > P*s*(k + n)",
    )


def test_lines_without_a_closed_form() -> None:
    answer = plain("a").solve("x^5 - 3*x^3 + x = a", for_="x", a="1/10")
    lines = str(answer).splitlines()
    assert "  the two sides are equal at 3 positive values of x" in lines
    assert sum("no closed form" in line for line in lines) == 6
    assert (
        "    sides        x^5 - 3*x^3 + x < a below, x^5 - 3*x^3 + x > a above, by exact evaluation on both sides"
        in lines
    )


def test_every_root_has_a_plain_digit_text() -> None:
    made = plain("a")
    for equation in ("x^2 = a", "x^3 = a", "x^3 + x = a", "floor(x)*x = a", "sqrt(x) + x = a"):
        for root in made.solve(equation, for_="x", a=5).roots:
            assert float(str(root.value)) == pytest.approx(float(sympy.N(root.value.magnitude, 30)), rel=1e-3)


def test_floor_of_what_the_unknown_does_not_reach() -> None:
    made = plain("a")

    @made.step()
    def half(a: Any) -> Any:
        return floor(a / 2)

    answer = made.solve("half*x = 9", for_="x", a=7)
    assert [root.value.magnitude for root in answer.roots] == [3]
    assert answer.text(only(answer).candidate.closed_form) == "9/floor(a/2)"


def test_what_cancels_must_be_defined_all_the_same() -> None:
    """u = sqrt(x - 7) needs x >= 7, and 1/u more than that, though of u^2 and of 1/(1/u^2) only x - 7 is left."""
    made = Derivation("made")
    made.given("x")
    made.given("a", default=7)

    @made.step()
    def u(x: Any, a: Any) -> Any:
        return sqrt(x - a)

    @made.step()
    def w(u: Any) -> Any:
        return 9 - u * u

    @made.step()
    def y(u: Any) -> Any:
        return 1 / u**2

    @made.step()
    def z(y: Any, x: Any) -> Any:
        return 1 / y + x

    def roots(equation: str) -> list[Any]:
        return [root.value.magnitude for root in made.solve(equation, for_="x").roots]

    assert roots("w = 3") == [13]
    assert roots("w = 9") == [7]
    assert roots("w = 12") == []  # x - 7 would be -3
    assert roots("z = 9") == [8]
    assert roots("z = 7") == []  # 1/0
    assert roots("z = 5") == []
    answer = made.solve("w = 12", for_="x")
    assert answer.verdict == "never"
    assert answer.reason.startswith("the two sides are never equal: w or 12 is not defined, then w < 12 from x = 7 on")
