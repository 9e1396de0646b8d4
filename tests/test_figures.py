"""What figures show, against values worked out here with whole numbers, and the files that they are drawn to."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from fractions import Fraction
from functools import cache
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.image import imread

import symroof
from symroof import Derivation, largest
from symroof.drawing import draw
from symroof.drawing_style import style
from symroof.errors import OutputError, RefusedValueError, UnknownNameError
from symroof.figure_data import Bars, Graph, Panel, Panels
from symroof.figure_graph import mermaid, spread
from symroof.figures import illustration, kinds
from symroof.numerals import Exact
from symroof.settings import Settings, worked_settings

pytestmark = pytest.mark.slow

# The case of all figures below: an A100 40GB at FP16, with k = 512 and n = 2^20.
P, BETA, K, N = 312 * 10**12, 1555 * 10**9, 512, 2**20


def case(name: str, on: str = "a100-40gb", dtype: str = "fp16", **values: Any) -> Settings:
    return worked_settings(symroof.load(name), values, on=on, dtype=dtype)


@cache
def panels(name: str, kind: str) -> tuple[Panel, ...]:
    found = illustration(case(name), kind).picture
    assert isinstance(found, Panels)
    return found.panels


def points(panel: Panel, role: str) -> dict[str, tuple[Exact, Exact]]:
    return {point.label.text: (point.x, point.y) for point in panel.points if point.role == role}


def own(**given: Any) -> Derivation:
    """b samples are copied in t_0 + b s_copy and worked on in b s_work."""
    feeding = Derivation("feeding")
    feeding.given("b", "samples", count=True)
    feeding.given("t_0", "overhead", unit="s", default="6 s")

    @feeding.step(unit="s")
    def t_copy(b, t_0):  # type: ignore[no-untyped-def]
        return t_0 + b * (t_0 / 6)

    @feeding.step(unit="s")
    def t_work(b, t_0):  # type: ignore[no-untyped-def]
        return b * (t_0 / 2)

    feeding.crossover("b_star", "t_copy = t_work", solve_for="b")
    feeding.worked(**given)
    return feeding


class TestKinds:
    def test_those_of_each_derivation(self) -> None:
        assert {name: kinds(case(name)) for name in ("gemm", "vram", "streaming", "tensor_parallel", "plans")} == {
            "gemm": ["roofline", "times", "intensity", "graph"],
            "vram": ["memory", "graph"],
            "streaming": ["roofline", "times", "graph"],
            "tensor_parallel": ["roofline", "times", "scaling", "graph"],
            "plans": ["roofline", "times", "memory", "scaling", "graph"],
        }

    def test_memory_without_plans_comes_from_a_crossover(self) -> None:
        assert kinds(case("kv_cache")) == ["roofline", "times", "memory", "intensity", "graph"]

    def test_a_kind_that_there_is_not(self) -> None:
        with pytest.raises(UnknownNameError) as unknown:
            illustration(case("gemm"), "rooflines")
        assert unknown.value.hint == "did you mean roofline?"
        with pytest.raises(RefusedValueError, match="gemm has no memory figure") as refused:
            illustration(case("gemm"), "memory").drawn("svg")
        assert refused.value.hint == "it has roofline, times, intensity and graph"

    def test_further_roofs_and_measurements_are_for_a_roofline(self) -> None:
        with pytest.raises(RefusedValueError, match="go into a roofline, not into times"):
            illustration(case("gemm"), "times", beside=[case("gemm", on="h100-sxm")])


class TestRoofline:
    def test_ridge_and_region_borders(self) -> None:
        (panel,) = panels("gemm", "roofline")
        (level,) = panel.levels
        assert level.at == Fraction(P, BETA) == Fraction(62400, 311)  # FLOP/byte
        assert level.top == 312  # TFLOP/s
        assert level.label.text == "ridge 200.6 FLOP/byte"
        assert [(one.label.text, one.low, one.high) for one in panel.regions] == [
            ("memory-bound", None, Fraction(62400, 311)),
            ("compute-bound", Fraction(62400, 311), None),
        ]

    def test_points_of_the_example(self) -> None:
        (panel,) = panels("gemm", "roofline")
        found = points(panel, "swept")
        assert list(found) == [f"m = {m}" for m in (2, 8, 32, 128, 256, 512, 2048)]
        assert list(points(panel, "case")) == ["m = 8192"]
        for m in (128, 512):  # 2 m k n operations, 2 (m k + k n + m n) bytes
            intensity = Fraction(2 * m * K * N, 2 * (m * K + K * N + m * N))
            rate = min(Fraction(P), BETA * intensity) / 10**12
            assert found[f"m = {m}"] == (intensity, rate)

    def test_the_roof_itself(self) -> None:
        (panel,) = panels("gemm", "roofline")
        sloped, flat = panel.curves
        assert sloped.y == pytest.approx(sloped.x * 1.555, rel=1e-12)  # TFLOP/s at 1555 GB/s
        assert flat.y == pytest.approx([312, 312], rel=1e-12)
        assert [curve.label.text for curve in panel.curves] == ["beta = 1555 GB/s", "P = 312 TFLOP/s"]

    def test_several_roofs(self) -> None:
        found = illustration(case("gemm"), "roofline", beside=[case("gemm", on="h100-sxm")]).picture
        assert isinstance(found, Panels)
        # 989.4 TFLOP/s over 3350 GB/s
        assert [level.at for level in found.panels[0].levels] == [Fraction(62400, 311), Fraction(9894, 33_500) * 1000]
        assert [curve.label.text for curve in found.panels[0].curves[1::2]] == [
            "a100-40gb, fp16\n312 TFLOP/s, 1555 GB/s\nridge 200.6 FLOP/byte",
            "h100-sxm, fp16\n989.4 TFLOP/s, 3350 GB/s\nridge 295.3 FLOP/byte",
        ]
        twice = illustration(case("gemm"), "roofline", beside=[case("gemm")]).picture
        assert draw(twice, "svg", name="twice", title="the same roof twice")
        with pytest.raises(RefusedValueError, match="6 roofs are too many"):
            illustration(case("gemm"), "roofline", beside=[case("gemm")] * 5)

    def test_efficiencies_lower_the_roof(self) -> None:
        found = illustration(case("gemm", eta_P="1/2"), "roofline").picture
        assert isinstance(found, Panels)
        assert found.panels[0].levels[0].at == Fraction(31200, 311)

    def test_what_does_not_move_with_the_example_is_one_point(self) -> None:
        (panel,) = panels("flash_attention", "roofline")
        # Standard attention: 4 T^2 H operations, 2 (4 T H + 4 T^2) bytes, with T = 4096 and H = 128.
        intensity = Fraction(4 * 4096**2 * 128, 8 * (4096 * 128 + 4096**2))
        assert points(panel, "other") == {"t_standard": (intensity, BETA * intensity / 10**12)}

    def test_a_time_that_is_not_work_over_rate_has_no_roofline(self) -> None:
        assert kinds(Settings(own(at={"b": 4}))) == ["times", "graph"]


class TestTimes:
    def test_the_crossover_is_marked_where_the_curves_meet(self) -> None:
        (panel,) = panels("gemm", "times")
        # 2 m k n / P = 2 (m k + k n + m n) / beta
        m_star = Fraction(P * 2 * K * N, 2 * BETA * K * N - P * 2 * (K + N))
        assert m_star == Fraction(1022361600, 3097649)
        assert points(panel, "root") == {"m_star = 330.0444": (m_star, m_star * 2 * K * N / P * 1000)}
        assert [(one.label.text, one.low, one.high) for one in panel.regions] == [
            ("memory-bound", None, m_star),
            ("compute-bound", m_star, None),
        ]

    def test_curves(self) -> None:
        (panel,) = panels("gemm", "times")
        assert [(curve.label.text, curve.role) for curve in panel.curves] == [
            ("t_comp", "part"),
            ("t_mem", "part"),
            ("t", "bound"),
            ("t_sum", "total"),
        ]
        compute, memory, bound, both = panel.curves
        m = compute.x
        assert (m[0], m[-1]) == (2, 8192)
        assert np.array_equal(m, np.round(m))  # a count has no values between
        assert compute.y == pytest.approx(2 * m * K * N / P * 1e3, rel=1e-12)
        assert memory.y == pytest.approx(2 * (m * K + K * N + m * N) / BETA * 1e3, rel=1e-12)
        assert bound.y == pytest.approx(np.maximum(compute.y, memory.y), rel=1e-12)
        assert both.y == pytest.approx(compute.y + memory.y, rel=1e-12)

    def test_axes_say_what_and_in_which_unit(self) -> None:
        (panel,) = panels("gemm", "times")
        assert (panel.x.label.text, panel.x.unit.text) == ("m, rows of A and C", "")
        assert (panel.y.label.text, panel.y.unit.text) == ("time", "ms")

    def test_where_there_is_no_crossover_one_regime_is_left(self) -> None:
        found = illustration(case("gemm", k=128, n=128), "times").picture
        assert isinstance(found, Panels)
        assert [one.label.text for one in found.panels[0].regions] == ["memory-bound"]
        assert points(found.panels[0], "root") == {}

    def test_the_axis_reaches_a_crossover_near_by_but_not_one_far_off(self) -> None:
        def span(*values: int) -> tuple[float, float]:
            found = illustration(Settings(own(over={"b": values})), "times").picture
            assert isinstance(found, Panels)
            return found.panels[0].x.low, found.panels[0].x.high

        # t_0 + b t_0/6 = b t_0/2 at b = 3
        assert span(1, 2) == (1, 24)  # to eight times the crossover
        assert span(10**6, 10**8) == (10**6, 10**8)

    def test_sides_of_a_crossover_that_nothing_else_compares(self) -> None:
        found = illustration(Settings(own(at={"b": 4})), "times").picture
        assert isinstance(found, Panels)
        assert points(found.panels[0], "root") == {"b_star = 3": (3, 9)}
        assert [one.label.text for one in found.panels[0].regions] == ["t_copy is longer", "t_work is longer"]


class TestIntensity:
    def test_limit_and_ridge(self) -> None:
        (panel,) = panels("gemm", "intensity")
        # As m grows, 2 m k n / (2 (m k + k n + m n)) tends to k n/(k + n).
        assert [(level.label.text, level.at) for level in panel.levels] == [
            ("AI tends to 511.8 FLOP/byte", Fraction(K * N, K + N)),
            ("ridge 200.6 FLOP/byte", Fraction(62400, 311)),
        ]

    def test_limits_that_the_author_states_say_over_what(self) -> None:
        (panel,) = panels("flash_attention", "intensity")
        assert panel.x.label.text == "T, tokens in the sequence"
        # H/2 and B_r for two bytes an element
        assert [level.at for level in panel.levels[:2]] == [64, 128]


class TestMemory:
    def test_bars_are_the_terms_of_the_sum(self) -> None:
        found = illustration(case("vram"), "memory").picture
        assert isinstance(found, Bars)
        by_name = {bar.name.text: bar for bar in found.bars}
        resident, two = by_name["all weights resident"], by_name["two buffers"]
        cautious = by_name["the cautious bound"]
        # In GiB: 72 layers of 2 k n bytes are 72, 2 m n is 16 and 2 m k is 1/128 for m = 8192.
        assert [(part.label.text, part.value) for part in resident.parts] == [
            ("W", 72),
            ("A_live", 16 + Fraction(1, 128)),
        ]
        assert [(part.label.text, part.value) for part in two.parts] == [
            ("2*W_layer", 2),
            ("A_live", 16 + Fraction(1, 128)),
        ]
        assert [(part.label.text, part.value) for part in cautious.parts] == [("W_layer", 1), ("A_double", 32)]
        assert resident.total_label.text == "88.01 GiB"
        assert resident.limit == 40

    def test_what_holds_the_same_has_one_colour(self) -> None:
        found = illustration(case("plans"), "memory").picture
        assert isinstance(found, Bars)
        family = {part.label.text: part.family for bar in found.bars for part in bar.parts}
        weights = {family[name] for name in ("W", "W_layer", "2*W_layer", "W_g")}
        activations = {family[name] for name in ("A_live", "A_double", "A_mn_g", "A_train")}
        assert (len(weights), len(activations)) == (1, 1)
        assert weights != activations

    def test_one_capacity_is_named_with_its_value(self) -> None:
        found = illustration(case("plans"), "memory").picture
        assert isinstance(found, Bars)
        assert found.limit_label.text == "C_usable = 40 GiB"
        # Training needs 1152 GiB; the axis ends before that, so that the others can be told apart.
        assert found.bars[-1].total_label.text == "1152 GiB"
        assert found.axis.high == 150

    def test_values_of_the_example_where_there_are_no_plans(self) -> None:
        found = illustration(case("kv_cache"), "memory").picture
        assert isinstance(found, Bars)
        assert found.bars[0].name.text == "T = 512"
        # 16 sequences of 512 tokens, each 2 * 32 layers * 8 heads * 128 elements of 2 bytes: 1 GiB.
        assert [part.value for part in found.bars[0].parts if part.label.text == "KV"] == [1]


class TestScaling:
    def test_parts_and_efficiency(self) -> None:
        time, share = panels("tensor_parallel", "scaling")
        assert [curve.label.text for curve in time.curves] == ["t_tp_L", "t_g*L", "t_ring*N_1"]
        # 4 GPUs, m = 8192: a layer is compute-bound at 2 m k n/4 over P; 36 all-reduces send 2 * 3/4 * 2 m k bytes
        # over 300 GB/s each.
        work = 72 * Fraction(2 * 8192 * K * N, 4 * P)
        sending = 36 * Fraction(3 * 8192 * K, 300 * 10**9)
        alone = 72 * Fraction(2 * 8192 * K * N, P)
        assert points(time, "case") == {"g = 4": (4, work + sending)}
        assert points(share, "case") == {"g = 4": (4, alone / (work + sending) / 4 * 100)}
        at = int(np.flatnonzero(time.curves[0].x == 4)[0])
        assert [curve.y[at] for curve in time.curves] == pytest.approx(
            [float(one) for one in (work + sending, work, sending)], rel=1e-12
        )


class TestGraph:
    def test_layers_and_kinds(self) -> None:
        found = illustration(case("gemm"), "graph").picture
        assert isinstance(found, Graph)
        layer = {node.name: node.layer for node in found.nodes}
        kind = {node.name: node.kind for node in found.nodes}
        # P stands behind its efficiency, t behind t_comp, that behind F, that behind m.
        assert [layer[name] for name in ("eta_P", "m", "P", "F", "t_comp", "t", "regime")] == [0, 0, 1, 1, 2, 3, 3]
        assert (kind["m"], kind["t"], kind["regime"]) == ("given", "step", "label")
        ends = {(edge.start, edge.end) for edge in found.edges}
        assert len(ends) == sum(len(symroof.load("gemm").parameters(name)) for name in layer)
        for edge in found.edges:
            assert [at for at, _ in edge.path] == list(range(layer[edge.start], layer[edge.end] + 1))

    def test_no_two_nodes_of_a_layer_meet(self) -> None:
        found = illustration(case("plans"), "graph").picture
        assert isinstance(found, Graph)
        places: dict[int, list[float]] = {}
        for node in found.nodes:
            places.setdefault(node.layer, []).append(node.place)
        for members in places.values():
            assert all(np.diff(sorted(members)) > 0.999)

    def test_mermaid(self) -> None:
        assert mermaid(own()) == (
            "flowchart LR\n"
            '    q0(["b"])\n'
            '    q1(["t_0"])\n'
            '    q2["t_copy"]\n'
            '    q3["t_work"]\n'
            "    q0 --> q2\n"
            "    q1 --> q2\n"
            "    q0 --> q3\n"
            "    q1 --> q3\n"
        )

    @pytest.mark.parametrize(
        ("wanted", "expected"),
        [([5.0], [5.0]), ([0.0, 9.0], [0.0, 9.0]), ([1.0, 1.0], [0.5, 1.5]), ([2.0, 0.0, 0.2], [2.0, -0.4, 0.6])],
    )
    def test_spread(self, wanted: list[float], expected: list[float]) -> None:
        assert spread(wanted, [1.0] * len(wanted)) == pytest.approx(expected)


class TestCaptions:
    @pytest.mark.parametrize(
        ("name", "kind", "said"),
        [
            (
                "gemm",
                "roofline",
                "The roofline: the rate that each arithmetic intensity allows. The roofs meet at the ridge, "
                "200.6 FLOP/byte.",
            ),
            (
                "gemm",
                "times",
                "t_comp, t_mem, t and t_sum over m; the longer of t_comp and t_mem changes at m_star = 330.0444.",
            ),
            ("streaming", "times", "t and t_link over m; the longer of t and t_link changes at m_hide = 9904.762."),
            (
                "gemm",
                "intensity",
                "AI over m; dashed lines: AI tends to 511.8 FLOP/byte and ridge 200.6 FLOP/byte.",
            ),
            (
                "tensor_parallel",
                "scaling",
                "t_tp_L over g, and the terms that it is the sum of: t_g*L and t_ring*N_1.",
            ),
            (
                "kv_cache",
                "memory",
                "M over T, stacked from the terms of its sum, against C_usable = 39.49 GiB; a bar with a double stroke "
                "is cut short.",
            ),
            (
                "plans",
                "memory",
                "Memory of each plan, stacked from the terms of its sum, against C_usable = 40 GiB; a bar with a "
                "double stroke is cut short.",
            ),
        ],
    )
    def test_text(self, name: str, kind: str, said: str) -> None:
        assert illustration(case(name), kind).caption.text == said


SVG = "{http://www.w3.org/2000/svg}"
DRAW = """
import sys
from symroof import load
from symroof.figures import illustration
from symroof.settings import worked_settings
case = worked_settings(load("gemm"), {}, on="a100-40gb", dtype="fp16")
sys.stdout.buffer.write(illustration(case, "times").drawn("svg"))
"""


def described(name: str, kind: str) -> list[str]:
    """All that is written in a figure."""
    return str(ElementTree.fromstring(illustration(case(name), kind).drawn("svg")).findtext(f"{SVG}desc")).split("; ")


class TestDrawing:
    def test_svg_says_what_it_shows(self) -> None:
        drawn = illustration(case("gemm"), "times").drawn("svg").decode()
        root = ElementTree.fromstring(drawn)
        assert root.tag == f"{SVG}svg"
        assert (root.get("role"), root.get("aria-label")) == ("img", illustration(case("gemm"), "times").caption.text)
        assert root.findtext(f"{SVG}title") == illustration(case("gemm"), "times").caption.text
        said = str(root.findtext(f"{SVG}desc")).split("; ")
        assert {"m_star = 330.0444", "t_comp", "t_sum", "memory-bound", "m, rows of A and C", "time (ms)"} <= set(said)

    def test_svg_stands_in_a_page_beside_others(self) -> None:
        root = ElementTree.fromstring(illustration(case("gemm"), "times").drawn("svg"))
        ids = [identifier for one in root.iter() if (identifier := one.get("id"))]
        assert len(ids) == len(set(ids))
        assert all(one.startswith("gemm-times-") for one in ids)
        links = [link for one in root.iter() if (link := one.get("{http://www.w3.org/1999/xlink}href"))]
        assert links
        clips = re.findall(r"url\(#([^)]*)\)", illustration(case("gemm"), "times").drawn("svg").decode())
        assert clips
        assert {*clips, *(link.removeprefix("#") for link in links)} <= set(ids)

    def test_svg_has_the_same_bytes_in_every_process(self) -> None:
        other = subprocess.run(
            [sys.executable, "-c", DRAW], env={**os.environ, "PYTHONHASHSEED": "1"}, capture_output=True, check=True
        )
        assert other.stdout == illustration(case("gemm"), "times").drawn("svg")

    @pytest.mark.parametrize("form", ["pdf", "png"])
    def test_the_other_forms_have_the_same_bytes_and_no_date(self, form: str) -> None:
        shown = illustration(Settings(own()), "graph").picture
        once, again = (draw(shown, form, name="x", title="x") for _ in range(2))
        assert once == again
        assert b"Date" not in once
        assert b"atplotlib" not in once

    def test_png_is_not_blank(self) -> None:
        image = imread(io.BytesIO(illustration(case("vram"), "memory").drawn("png")))
        assert image.shape[1] == 1228  # 156 mm at 200 dots to the inch
        dark = np.mean(image[:, :, :3].sum(axis=2) < 1.0)
        assert 0.02 < dark < 0.5  # the weights' bars

    def test_pdf(self) -> None:
        drawn = illustration(case("tensor_parallel"), "scaling").drawn("pdf")
        assert drawn.startswith(b"%PDF-")
        assert re.search(rb"/MediaBox \[ ?0 0 442\.08 ", drawn)  # 156 mm in points

    def test_letters_of_a_figure_can_be_copied(self) -> None:
        """Each glyph has the code of the character that it shows, in a font that a PDF embeds with its codes."""
        with style():
            from matplotlib.mathtext import MathTextParser

            glyphs = MathTextParser("path").parse(r"$P = 511.8\,\mathrm{TFLOP/s}$").glyphs
        assert "".join(chr(glyph[2]) for glyph in glyphs) == "P=511.8TFLOP/s"
        assert b"/Type3" not in illustration(case("gemm"), "roofline").drawn("pdf")

    def test_every_part_of_a_bar_that_is_cut_is_named(self) -> None:
        """Training takes 576.3 GiB of activations and 576 GiB of state, of which the figure shows 120."""
        assert {"A_train", "M_state"} <= set(described("vram", "memory"))

    def test_a_narrow_region_is_named_beside_it(self) -> None:
        assert {"mostly work", "mostly communication"} <= set(described("tensor_parallel", "times"))

    def test_the_users_settings_of_matplotlib_neither_matter_nor_change(self) -> None:
        import matplotlib

        before = illustration(case("gemm"), "intensity").drawn("svg")
        with matplotlib.rc_context({"font.size": 30, "svg.fonttype": "none"}):
            assert illustration(case("gemm"), "intensity").drawn("svg") == before
            assert matplotlib.rcParams["font.size"] == 30

    def test_characters_and_sizes_that_nobody_expects(self) -> None:
        odd = Derivation("odd", title='<b>&"')
        odd.given("x", "größe 中文 <&> 🙂", default=5, symbol=r"x_{\text{中}}")
        odd.given("P", "rate", unit="FLOP/s", default="1e-12 FLOP/s")
        odd.given("beta", "rate", unit="byte/s", default="1e15 TB/s")
        odd.given("w", "work", unit="FLOP", default=3)
        odd.given("v", "volume", unit="byte", default=3)

        @odd.step(unit="s", symbol=r"t_{\undefined")
        def t_1(x, w, P):  # type: ignore[no-untyped-def]
            return x * w / P

        @odd.step(unit="s", symbol=r"\stackrel{?}{t}")
        def t_2(x, v, beta):  # type: ignore[no-untyped-def]
            return (x + 1) * v / beta

        @odd.step(unit="s")
        def t(t_1, t_2):  # type: ignore[no-untyped-def]
            return largest(t_1, t_2)

        odd.binding("limit", t_1="中 <&> $1", t_2="_{}^\\")
        odd.worked(at={"x": 7})
        for kind in ("roofline", "times", "graph"):
            root = ElementTree.fromstring(illustration(Settings(odd), kind).drawn("svg"))
            assert "t_1" in str(root.findtext(f"{SVG}desc")) or kind == "roofline"

    def test_without_matplotlib(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(OutputError, match="figures need matplotlib, which is not installed") as caught:
            illustration(case("gemm"), "graph").drawn("svg")
        assert caught.value.hint == 'pip install "symroof[plot]"'
