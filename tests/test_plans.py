"""Which plan the report chooses, worked out by hand for three chips and three m, and how it says so."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any

import pytest

import symroof
from symroof.hardware import chip
from symroof.report import build
from symroof.settings import worked_settings
from symroof.shown import PlanTable, Report, Stage
from symroof.terminal import worked_solution
from symroof.typeset import typeset
from symroof.units import base_magnitude
from symroof.writing import write
from tests.conftest import overfull_boxes
from tests.test_report import assert_whole_tables

pytestmark = pytest.mark.slow

PLANS = symroof.load("plans")
K, N, L = 512, 2**20, 72
MIB, GIB = 2**20, 2**30


@functools.cache
def report(on: str = "a100-40gb", **values: Any) -> Report:
    return build(worked_settings(PLANS, values, on=on, dtype="fp16"))


def table(found: Report) -> PlanTable:
    assert found.plans
    return found.plans


def said(found: Report) -> str:
    return " ".join(paragraph.text for paragraph in found.conclusion)


# -- every plan from integers


def worked_out(on: str, m: int, capacity: int | None = None) -> dict[str, tuple[Fraction, Fraction, Fraction]]:
    """Memory, least and most time of each plan, layer by layer; 16-bit numbers, a 2-byte scale for 128 weights."""
    figures = chip(on)
    P, beta, C, host, link = (
        Fraction(base_magnitude(datum.quantity))
        for symbol in ("P", "beta", "C", "beta_host", "beta_link")
        if (datum := figures.given(symbol, "fp16"))
    )
    C = Fraction(capacity or C)
    wide, narrow, weights = 2 * m * N, 2 * m * K, 2 * K * N
    live = wide + narrow
    work = Fraction(2 * m * K * N) / P
    fetch = weights / host

    def layer(weight_bytes: Fraction | int) -> tuple[Fraction, Fraction]:
        moved = (weight_bytes + live) / beta
        return max(work, moved), work + moved

    def streamed(runs: Fraction, buffers: int) -> Fraction:
        if buffers == 1:
            return sum(((fetch + runs) for _ in range(L)), Fraction(0))
        return fetch + sum((max(fetch, runs) for _ in range(L - 1)), Fraction(0)) + runs

    least, most = layer(weights)
    found = {
        "all weights resident": (Fraction(L * weights + live), L * least, L * most),
        "streamed, one buffer": (Fraction(weights + live), streamed(least, 1), streamed(most, 1)),
        "streamed, two buffers": (Fraction(2 * weights + live), streamed(least, 2), streamed(most, 2)),
        "streamed, cautious": (Fraction(weights + 2 * wide), streamed(least, 1), streamed(most, 1)),
        "training": (Fraction(L // 2 * live + 16 * L * K * N), 3 * L * least, 3 * L * most),
    }
    for bits in (8, 4):
        size = (Fraction(bits, 8) + Fraction(2, 128)) * K * N
        found[f"INT{bits} weights, resident"] = (L * size + live, L * layer(size)[0], L * layer(size)[1])
    split = L * weights + wide
    fewest = next((2**power for power in range(1, 21) if Fraction(split, 2**power) + narrow <= C), None)
    for g in {2, 4, 8, fewest} - {None}:
        assert g
        moved = Fraction(2 * (m * K + K * N // g + m * N // g)) / beta
        ring = 2 * (g - 1) * Fraction(narrow, g) / link
        times = (L * max(work / g, moved) + 36 * ring, L * (work / g + moved) + 36 * ring)
        found[f"tensor parallelism, {g} GPUs"] = (Fraction(split, g) + narrow, *times)
    return found


# n = 2^20, k = 512, 72 layers, fp16. A layer's weights are 1 GiB in fp16; in INT8 and INT4 with their scales
# (1 + 1/64) / 2 = 0.508 and (1/2 + 1/64) / 2 = 0.258 GiB, 36.56 and 18.56 in all.
#   m = 128:    wide activation 1/4 GiB, live pair 0.25 GiB and 128 KiB
#   m = 8192:   16 GiB, and 8 MiB
#   m = 65536:  128 GiB, and 64 MiB: more than any of the GPUs, so nothing fits on one
# On one GPU the resident plans need 72, 36.56 or 18.56 GiB and the pair, the streamed ones 1 or 2 GiB and the pair.
#   A100, 40 GiB: INT8 and INT4 fit at m = 128 (36.81, 18.81), only INT4 at 8192 (34.57). At m = 128 a layer of INT4
#     has 0.4405 ms of work and 0.3507 ms of traffic, of INT8 0.5233 ms of traffic: 72 of them take 31.72 and 37.68 ms.
#     Without quantising nothing is resident, and two buffers take 2.455 s.
#   H100, 80 GB = 74.5 GiB: at m = 128 even fp16 fits (72.25). The traffic takes 28.85 / 17.49 / 11.72 ms in fp16, INT8,
#     INT4, and the work 10.00 ms, so that all three are memory-bound and INT4 is the fastest; without quantising it is
#     fp16, resident. At 8192 INT8 (52.57) and INT4 (34.57) fit and are compute-bound, 0.6401 s:
#     as fast at best, so that INT8 comes first, which keeps more precision. Without quantising two buffers are left.
#   L4, 24 GB = 22.35 GiB: INT4 fits at m = 128 (18.81) and not at 8192 (34.57), where two buffers (18.01) do.
# Split over g GPUs, 72 GiB and the wide activation are shared. That takes at least
#   A100: 72.25 / 40 -> 2; 88 / 39.99 -> 3, which does not divide 2^20, so 4; 200 / 39.94 -> 6, so 8
#   H100: 72.25 / 74.5 -> 1, but one is no split; 88 / 74.5 -> 2; 200 / 74.4 -> 3, so 4
#   L4: 72.25 / 22.35 -> 4; 88 / 22.34 -> 4; 200 / 22.29 -> 9, so 16
# and where several numbers fit, the larger one is the faster.
CASES = [
    # chip, m, the best on one GPU, without quantising, the fewest GPUs, the fastest number of them
    ("a100-40gb", 128, "INT4 weights, resident", "streamed, two buffers", 2, 8),
    ("a100-40gb", 8192, "INT4 weights, resident", "streamed, two buffers", 4, 8),
    ("a100-40gb", 65536, None, None, 8, 8),
    ("h100-sxm", 128, "INT4 weights, resident", "all weights resident", 2, 8),
    ("h100-sxm", 8192, "INT8 weights, resident", "streamed, two buffers", 2, 8),
    ("h100-sxm", 65536, None, None, 4, 8),
    ("l4", 128, "INT4 weights, resident", "streamed, two buffers", 4, 8),
    ("l4", 8192, "streamed, two buffers", "streamed, two buffers", 4, 8),
    ("l4", 65536, None, None, 16, 16),
]


@pytest.mark.parametrize(("on", "m", "alone", "unquantised", "fewest", "fastest"), CASES)
def test_best_plan(on: str, m: int, alone: str | None, unquantised: str | None, fewest: int, fastest: int) -> None:
    found = report(on, m=m)
    names = [plan.name.text for plan in table(found).rows if plan.fits and plan.gpus == 1]
    assert (next(iter(names), None), next((name for name in names if "INT" not in name), None)) == (alone, unquantised)
    several = [plan.gpus for plan in table(found).rows if plan.fits and plan.gpus > 1]
    assert (several[0], min(several)) == (fastest, fewest)
    text = said(found)
    if alone is None:
        assert "On one GPU no plan fits; streamed, one buffer comes nearest and is over by " in text
    else:
        assert f"On one GPU the fastest plan that fits is: {alone}. It takes " in text
    assert (
        f"On several GPUs the plan with the fewest GPUs that fits is: tensor parallelism, {fewest} GPUs. Each" in text
    )
    assert (f"The fastest is: tensor parallelism, {fastest} GPUs. " in text) == (fewest != fastest)


@pytest.mark.parametrize(("on", "m"), [(on, m) for on, m, *_ in CASES])
def test_every_plan(on: str, m: int) -> None:
    """Memory, times, verdict and order of the whole table."""
    capacity = 40 * GIB if on == "a100-40gb" else None
    expected = worked_out(on, m, capacity)
    solution = PLANS.at(on=on, m=m)
    C = solution.number("C_usable")
    found = table(report(on, m=m)).rows
    declared = dict.fromkeys(  # the numbers of GPUs after the quantised plans, training last
        [*(name for name in expected if not name.startswith("t")), *sorted(expected, key=len), "training"]
    )
    order = sorted(declared, key=lambda name: (expected[name][0] > C, expected[name][1]))
    assert [plan.name.text for plan in found] == order
    for plan in PLANS.plans:
        gpus = solution.number(plan.at["g"]) if plan.at else 1
        name = "".join(part if isinstance(part, str) else str(gpus) for part in plan.name.parts)
        case = PLANS.at(on=on, m=m, g=gpus)
        quantities = (plan.memory, str(plan.low), str(plan.high))
        assert tuple(case.number(one) for one in quantities) == expected[name], name
    assert {plan.name.text for plan in found if plan.fits} == {name for name, (M, *_) in expected.items() if M <= C}


def test_memory_of_the_quantised_plans() -> None:
    solution = PLANS.at(m=8192)
    live = 16 * GIB + 8 * MIB
    assert solution.number("M_int4_bare") == 18 * GIB + live  # 34.008 GiB
    assert solution.number("M_int4") == 18 * GIB + 72 * Fraction(GIB, 128) + live  # 2 byte for 128 weights
    assert solution.number("M_int8") == 36 * GIB + 72 * Fraction(GIB, 128) + live
    assert solution.number("M_int4_double") == 50 * GIB > solution.number("C_usable")
    assert PLANS.at(m=8192, s_group=0).number("M_int4") == solution.number("M_int4_bare")


def test_a_number_of_gpus_divides_the_columns() -> None:
    """7^6 columns have equal shares on 7 and 49 GPUs, and on none between."""
    gpus = {plan.gpus for plan in table(report(n=7**6)).rows}
    assert gpus == {1, 7, 49}  # 2, 4 -> 7 and 8 -> 49
    assert {plan.gpus for plan in table(report(n=3 * 2**18)).rows} == {1, 2, 4, 8}


def test_a_cache_is_in_every_plan_but_training() -> None:
    """20 GiB of KV cache: whole on one GPU, split by heads over several."""
    without, with_cache = (PLANS.at(m=8192, KV=size, g=8) for size in ("0 GiB", "20 GiB"))
    for name in ("M_resident", "M_stream1", "M_stream2", "M_cautious", "M_int8", "M_int4"):
        assert with_cache.number(name) - without.number(name) == 20 * GIB, name
    assert with_cache.number("M_g") - without.number("M_g") == Fraction(20, 8) * GIB
    assert with_cache.number("M_train") == without.number("M_train")
    # 72 + 16 + 20 GiB over what is free beside the narrow activation: 108 / 39.99 -> 3, so 4; 148 / 39.99 -> 4
    assert with_cache.number("g_several") == 4
    assert PLANS.at(m=8192, KV="60 GiB").number("g_several") == 4
    assert PLANS.at(m=8192, KV="80 GiB").number("g_several") == 8  # 168 / 39.99 -> 5


# -- how it is said


def test_the_conclusion_answers_first() -> None:
    """88.0078 GiB against 40; INT8 with scales takes 36.5625 + 16.0078; streaming takes 2.4825 s against 2.0299 s."""
    alone, _, together, _, how_many, totals = (paragraph.text for paragraph in report().conclusion)
    assert totals == (
        "At m = 8192 and L = 72 the stack needs 0.6333 PFLOP and moves 1.315 TB. Its weights take 72 GiB and the live "
        "activations 16.01 GiB; a GPU has 40 GiB, which is 42.95 GB."
    )
    assert alone == (
        "On one GPU the fastest plan that fits is: INT4 weights, resident. It takes 34.57 GiB (86.43 % of the memory) "
        "and between 2.030 s and 2.839 s. Next comes: streamed, two buffers, with 18.01 GiB (45.02 % of the memory) "
        "and 1.223 times as long (1.025 times without overlap). No slower at best, but too large: INT8 weights, "
        "resident (over by 12.57 GiB), all weights resident (over by 48.01 GiB)."
    )
    assert together == (
        "On several GPUs the plan with the fewest GPUs that fits is: tensor parallelism, 4 GPUs. Each holds 22.01 GiB "
        "(55.02 % of the memory); the stack takes between 0.5090 s and 0.7207 s, up to 2.883 s of all GPUs together. "
        "The fastest is: tensor parallelism, 8 GPUs. Each holds 11.01 GiB (27.52 % of the memory); the stack takes "
        "between 0.2555 s and 0.3615 s, up to 2.892 s of all GPUs together."
    )
    assert how_many == "6 of the 10 plans fit."


def test_of_equally_fast_plans_the_most_precise_is_chosen() -> None:
    """Eight layers on an H100, all compute-bound: 8 * 2 * 8192 * 512 * 2^20 / 989.4 TFLOP/s = 71.12 ms in any type, and
    16.0078 GiB beside 8, 4.0625 and 2.0625 GiB of weights."""
    found = report("h100-sxm", m=8192, L=8)
    assert "On one GPU the fastest plan that fits is: all weights resident. It takes 24.01 GiB" in said(found)
    assert (
        "Just as fast at best: INT8 weights, resident (20.07 GiB), INT4 weights, resident (18.07 GiB). Next comes: "
        "streamed, two buffers, with " in said(found)
    )
    assert "Without scales" not in said(found)
    assert list(decisions(found).items())[-1] == ("Do all weights fit in 74.51 GiB, with INT4 no faster?", "yes")
    assert found.chart[-1].lines[0].text == "all weights resident: 24.01 GiB, 71.12 ms at least"


def test_all_times_share_a_unit() -> None:
    """From 9.021 ms to 344.2 ms."""
    found = report("h100-sxm", m=8192, L=8)
    assert {time.text.split()[1] for plan in table(found).rows for time in (plan.low, plan.high)} == {"ms"}
    assert "up to 114.9 ms of all GPUs together" in said(found)


def test_advice_of_plans_that_do_not_fit_is_not_given() -> None:
    """At m = 65536 the live pair alone is 128 GiB: neither streaming nor its link is worth a word."""
    assert "buffers are enough" not in said(report("l4", m=65536))
    assert "link" not in said(report("l4", m=65536))


def test_where_nothing_fits() -> None:
    """A KV cache of 10^6 GiB is too much for two, four and eight; no divisor of n is enough for an m that fills a GPU
    with its narrow activation (1 KiB * m)."""
    text = said(report(KV="1000000 GiB", m=40 * 2**20))
    assert "On one GPU no plan fits; " in text
    assert "On several GPUs no plan fits. None of the 10 plans fits." in text
    assert report(KV="1000000 GiB", m=40 * 2**20).chart[-1].lines[0].text == "no plan fits"


@pytest.mark.parametrize(("fit", "text"), [(1, "1 of the 2 plans fits."), (0, "None of the 2 plans fits.")])
def test_how_many_fit(fit: int, text: str) -> None:
    found = small(first=4 if fit else 6, second=7)
    assert said(found).endswith(text)


def small(first: int, second: int) -> Report:
    made = symroof.Derivation("small")
    made.given("a", unit="byte", default=first)
    made.given("b", unit="byte", default=second)
    made.given("room", unit="byte", default=5)
    made.given("t_a", unit="s", default=3)
    made.plan("one", memory="a", within="room", low="t_a")
    made.plan("the other", memory="b", within="room", low="t_a")
    return build(worked_settings(made, {}, on="a100-40gb", dtype="fp16"))


def test_plans_with_and_without_a_time() -> None:
    """One that says nothing of its time is in the table, and in no comparison of times; none is compared with 0 s."""
    made = symroof.Derivation("made")
    for name, size in (("a", 4), ("b", 2)):
        made.given(name, unit="byte", default=size)
    made.given("none", unit="s", default=0)
    made.plan("untimed", memory="b", within="a")
    made.plan("at once", memory="a", within="a", low="none")
    made.plan("as well", memory="b", within="a", low="none")
    found = build(worked_settings(made, {}, on="a100-40gb", dtype="fp16"))
    assert said(found) == (
        "On one GPU the fastest plan that fits is: at once. It takes 4 byte (100 % of the memory) and 0 s. Just as "
        "fast at best: as well (2 byte). All 3 plans fit."
    )
    assert [plan.name.text for plan in table(found).rows] == ["untimed", "at once", "as well"]
    assert [plan.low.text for plan in table(found).rows] == ["", "0 s", "0 s"]
    assert_whole_tables(write(found, "md"))


def test_shares() -> None:
    """Nothing above the whole without saying so: 1152.28 / 40 = 28.807."""
    shares = {plan.name.text: plan.share.text for plan in table(report()).rows}
    assert shares["training"] == "2881 %"
    assert shares["tensor parallelism, 2 GPUs"] == "110.0 %"
    for plan in table(report()).rows:
        above = Fraction(plan.share.text.removesuffix(" %")) > 100
        (verdict,) = plan.verdicts
        assert above is not plan.fits
        assert verdict.text.startswith("fits, " if plan.fits else "does not fit, over by ")


def test_steps_of_other_reports_are_cited() -> None:
    found = report()
    assert [line.name for line in found.lines] == [
        *("M_int8", "M_int4", "t_int8_L", "t_int8_sum_L", "t_int4_L", "t_int4_sum_L", "M_int4_bare"),
        *("M_int4_double", "int4", "int8_first", "whole_first", "t_train_L", "t_train_sum_L"),
    ]
    cited = {one.symbol.text: (one.value.text, one.derivation) for one in found.cited}
    assert cited["t_L"] == ("2.030 s", "A stack of layers in alternation")
    assert cited["M_resident"] == ("88.01 GiB", "What fits in the memory of one GPU")
    assert "M_g" not in cited  # it differs from plan to plan
    assert "g" not in {one.symbol.text for one in found.assumptions}


def test_what_moves_the_answer_is_about_the_best_plan_on_one_gpu() -> None:
    assert report().moved[0].statement.text.startswith("One percent more of each given changes t_int4_L by ")
    assert report("l4").moved[0].statement.text.startswith("One percent more of each given changes t_stream2_L by ")
    assert report(m=65536).moved[0].statement.text.startswith("One percent more of each given changes t_tp_L by ")


# -- the chart


def decisions(found: Report) -> dict[str, str]:
    """What each decision that this case comes by asks, and its outcome."""
    return {
        stage.lines[0].text: next(outcome.label for outcome in stage.outcomes if outcome.taken)
        for stage in found.chart
        if stage.outcomes and stage.on_path
    }


@pytest.mark.parametrize(
    ("on", "m", "way"),
    [
        ("a100-40gb", 8192, ["compute-bound", "no", "no", "fits"]),
        ("h100-sxm", 128, ["memory-bound", "no", "no", "fits"]),
        ("h100-sxm", 8192, ["compute-bound", "no", "yes"]),
        ("l4", 8192, ["compute-bound", "no", "no", "does not fit", "fits", "the work hides the link"]),
        ("a100-40gb", 65536, ["compute-bound", "no", "no", "does not fit", "does not fit"]),
    ],
)
def test_the_way_through_the_chart(on: str, m: int, way: list[str]) -> None:
    """The L4 works 72.7 ms on a layer, whose GiB arrives in 34.1 ms."""
    assert list(decisions(report(on, m=m)).values()) == way


def test_chart_in_the_terminal() -> None:
    lines = worked_solution(report()).splitlines()
    at = lines.index("    < Do they fit in INT4? >")
    assert lines[at - 2 : at + 6] == [
        "    ||",
        "    vv",
        "    < Do they fit in INT4? >",
        "      => fits: If its precision is enough, keep INT4 weights on the GPU:",
        "         34.57 GiB, 2.030 s",
        "      -> does not fit",
        "    |",
        "    v",
    ]


def test_chart_as_mermaid() -> None:
    chart = write(report(), "md").partition("```mermaid\n")[2].partition("```")[0].splitlines()
    assert chart[0] == "flowchart TD"
    lines = [line.strip() for line in chart[1:]]
    assert 's3{"Which of the two binds?"}' in lines
    assert 's3 ==>|"compute-bound"| s3o0 ==> s4' in lines
    assert 's3 -->|"memory-bound"| s3o1 --> s4' in lines
    assert 's6{"Do all weights fit in 40 GiB, with INT4 no faster?"}' in lines
    assert 's6 -->|"yes"| s6o0 --> s11' in lines
    assert 's6 ==>|"no"| s7' in lines
    assert 's8 ==>|"fits"| s8o0 ==> s11' in lines
    assert lines[-1] == "class s0,s1,s2,s3,s3o0,s4,s5,s6,s7,s8,s8o0,s11 here"


def test_chart_in_tex() -> None:
    tex = write(report(), "tex")
    assert r"\draw[taken] (s6-south) -- node[onward] {no} (s7-north);" in tex
    assert r"\draw[way] (s6-east) -- node[label, above] {yes} (s6-east-box.west);" in tex
    assert r"\draw[taken] (s8-east-box.east) -- ++(4mm,0) |- (s11.east);" in tex
    assert overfull_boxes(typeset(tex).log, more_than=1) == []


def test_a_chart_that_ends_in_a_decision() -> None:
    made = symroof.Derivation("made")
    made.given("x", default=3)
    made.given("y", default=2)
    made.binding("larger", x="x leads", y="y leads")
    made.chart("x y", symroof.Decision("larger", "Which?", {"x leads": "By {x - y}", "y leads": "By {y - x}"}))
    first, second = build(worked_settings(made, {}, on="a100-40gb", dtype="fp16")).chart
    assert isinstance(first, Stage)
    assert [outcome.text.text for outcome in second.outcomes] == ["By 1", "By -1"]
    assert [outcome.taken for outcome in second.outcomes] == [True, False]


def test_a_decision_with_a_box_at_each_side() -> None:
    made = symroof.Derivation("made")
    for name in "xyz":
        made.given(name, default=1)
    made.binding("larger", x="x leads", y="y leads", z="z leads")
    asked = symroof.Decision("larger", "Which?", {"x leads": "", "y leads": "To the right", "z leads": "To the left"})
    made.chart("x y z", asked, "x", "y")
    report = build(worked_settings(made, {"z": 2}, on="a100-40gb", dtype="fp16"))
    assert [stage.on_path for stage in report.chart] == [True, True, False, True]
    tex = write(report, "tex")
    assert r"\draw[way] (s1-east-box.east) -- ++(4mm,0) |- (s3.east);" in tex
    assert r"\draw[taken] (s1-west-box.west) -- ++(-4mm,0) |- (s3.west);" in tex
    assert typeset(tex).pdf.startswith(b"%PDF-")
