"""Derivations that nobody has seen, from other fields, through every command; the values are worked out by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command, unwrapped

pytestmark = pytest.mark.slow

WALL = '''"""A wall loses heat. From which thickness on is it the wall, no longer the air, that limits?"""
from symroof import Derivation, smallest

wall = Derivation("wall", title="Heat through a wall")
wall.given("A", "area", unit="m^2", default=10)
wall.given("d", "thickness", unit="m")
wall.given("lam", "conductivity", unit="W/m/K", default="0.8 W/m/K", symbol=r"\\lambda")
wall.given("h", "heat transfer coefficient of the air", unit="W/m^2/K", default=8)
wall.given("dT", "difference in temperature", unit="K", default=20, symbol=r"\\Delta T")


@wall.step(unit="W")
def Q_cond(lam, A, dT, d):
    """Fourier's law."""
    return lam * A * dT / d


@wall.step(unit="W")
def Q_conv(h, A, dT):
    """Newton's law of cooling."""
    return h * A * dT


@wall.step(unit="W")
def Q(Q_cond, Q_conv):
    """The smaller one is an upper bound of the flow."""
    return smallest(Q_cond, Q_conv)


@wall.step(unit="m^2*K/W")
def R(d, lam, h):
    """Both resistances in series."""
    return d / lam + 1 / h


wall.binding("limit", Q_cond="the air limits", Q_conv="the wall limits")
wall.crossover("d_star", "Q_cond = Q_conv", solve_for="d", symbol=r"d^{\\star}")
wall.trend("R", grows="d", sentence="A thicker wall insulates better.")
wall.claim("Q", "640 W", at={"d": "250 mm"}, source="by hand")
wall.claim("d_star", "lam/h", source="by hand")
wall.claim("d_star", "0.10 m", source="by hand")
wall.claim("limit", "the air limits", at={"d": "50 mm"}, source="by hand")
wall.worked(over={"d": ["50 mm", "100 mm", "0.25 m"]}, at={"d": "250 mm"}, show="Q_cond:kW, Q_conv:kW, Q, limit")
'''

PAIRS = '''"""Sending costs a start and a time for each item, comparing one for each pair. Which takes longer?"""
from symroof import Derivation, largest

pairs = Derivation("pairs", title="Sending or comparing")
pairs.given("x", "items", count=True)
pairs.given("a", "start of a message", unit="s", default="6 us")
pairs.given("b", "sending an item", unit="s", default="1 us")
pairs.given("q", "comparing a pair", unit="s", default="1 us")


@pairs.step(unit="s")
def t_send(a, b, x):
    """A start, then item after item."""
    return a + b * x


@pairs.step(unit="s")
def t_pairs(q, x):
    """Each with each."""
    return q * x**2


@pairs.step(unit="s")
def t(t_send, t_pairs):
    """Both at once."""
    return largest(t_send, t_pairs)


pairs.binding("regime", t_send="sending", t_pairs="comparing")
pairs.crossover("x_star", "t_send = t_pairs", solve_for="x", symbol=r"x^{\\star}")
pairs.claim("x_star", "3", first_integer=True, source="by hand")
pairs.claim("t", "16 us", at={"x": 4}, source="by hand")
pairs.worked(over={"x": [1, 2, 3, 4]}, at={"x": 4}, show="t_send:us, t_pairs:us, t:us, regime")
'''

WINDOW = '''"""One method costs a fixed time and a square, the other is linear. When is the square one faster?"""
from symroof import Derivation

window = Derivation("window", title="A window between two sizes")
window.given("x", "size", count=True)
window.given("a", "fixed", unit="s", default=6)
window.given("b", "each", unit="s", default=5)
window.given("q", "each pair", unit="s", default=1)


@window.step(unit="s")
def t_square(a, q, x):
    """A start and a square."""
    return a + q * x**2


@window.step(unit="s")
def t_line(b, x):
    """A line through zero."""
    return b * x


window.binding("slower", t_square="the square", t_line="the line")
window.crossover("x_star", "t_square = t_line", solve_for="x")
window.worked(over={"x": [1, 2, 3, 4]}, at={"x": 4})
'''

TIERS = '''"""A working set is read once. Where does it lie, and how long does that take?"""
from symroof import Derivation

tiers = Derivation("tiers", title="Cache or memory")
tiers.given("N", "elements", count=True)
tiers.given("e", "bytes of an element", unit="byte", default=4)
tiers.given("C_1", "first cache", unit="byte", default="32 KiB")
tiers.given("C_2", "second cache", unit="byte", default="1 MiB")
tiers.given("v_1", "bandwidth of the first", unit="byte/s", default="400 GB/s")
tiers.given("v_2", "bandwidth of the second", unit="byte/s", default="100 GB/s")
tiers.given("v_3", "bandwidth of the memory", unit="byte/s", default="20 GB/s")


@tiers.step(unit="byte")
def W(N, e):
    """The working set."""
    return N * e


@tiers.step()
def level(W, C_1, C_2):
    """The smallest that holds it."""
    if W <= C_1:
        return "first cache"
    elif W <= C_2:
        return "second cache"
    else:
        return "memory"


@tiers.step(unit="s")
def t(W, C_1, C_2, v_1, v_2, v_3):
    """Read once from there."""
    if W <= C_1:
        return W / v_1
    elif W <= C_2:
        return W / v_2
    return W / v_3


tiers.crossover("N_star", "t = 10 us", solve_for="N")
tiers.claim("level", "second cache", at={"N": "2^15"}, source="by hand")
tiers.claim("t", "1.311 us", at={"N": "2^15"}, source="by hand")
tiers.worked(over={"N": [1024, 32768, 2**20]}, at={"N": 32768}, show="W:KiB, level, t:us")
'''

ALL = {"wall": WALL, "pairs": PAIRS, "window": WINDOW, "tiers": TIERS}
EXAMPLE = {"wall": "d=250 mm", "pairs": "x=4", "window": "x=4", "tiers": "N=2^15"}


@pytest.fixture
def strangers(tmp_path: Path) -> Path:
    for name, source in ALL.items():
        (tmp_path / f"{name}.py").write_text(source)
    return tmp_path


@pytest.mark.usefixtures("strangers")
class TestEveryCommand:
    def exact(self, call: Command, name: str, *arguments: str) -> dict[str, Any]:
        """The exact results in the worked example."""
        done = call("eval", f"{name}.py", *arguments, "--set", EXAMPLE[name], "--json")
        assert (done.code, done.err) == (0, "")
        results = json.loads(done.out)["results"]
        return {key: one.get("label") or (one["exact"], one["unit"]) for key, one in results.items()}

    def test_eval(self, call: Command) -> None:
        assert self.exact(call, "wall") == {
            "Q_cond": ("640", "W"),  # 0.8 W/m/K * 10 m^2 * 20 K / 0.25 m
            "Q_conv": ("1600", "W"),  # 8 W/m^2/K * 10 m^2 * 20 K
            "Q": ("640", "W"),
            "R": ("7/16", "m^2*K/W"),  # 0.25/0.8 + 1/8
            "limit": "the wall limits",
        }
        assert self.exact(call, "pairs", "t_send:us", "t_pairs:us", "t:us", "regime") == {
            "t_send": ("10", "us"),  # 6 + 4
            "t_pairs": ("16", "us"),  # 4^2
            "t": ("16", "us"),
            "regime": "comparing",
        }
        assert self.exact(call, "window") == {"t_square": ("22", "s"), "t_line": ("20", "s"), "slower": "the square"}
        assert self.exact(call, "tiers", "W:KiB", "level", "t:us") == {
            "W": ("128", "KiB"),  # 2^15 * 4
            "level": "second cache",
            "t": ("4096/3125", "us"),  # 131072 / 100e9 s
        }

    @pytest.mark.parametrize(
        ("elements", "level", "time"),
        [
            (8192, "first cache", "2048/25"),  # 32768 / 400e9 s = 81.92 ns, exactly full
            (8193, "second cache", "8193/25"),  # 32772 / 100e9 s
            (2**18, "second cache", "262144/25"),  # 2^20 / 100e9 s, exactly full
            (2**18 + 1, "memory", "52429"),  # (2^20 + 4) / 20e9 s
        ],
    )
    def test_eval_on_both_sides_of_a_condition(self, elements: int, level: str, time: str, call: Command) -> None:
        done = call("eval", "tiers.py", "level", "t:ns", "--set", f"N={elements}", "--json")
        results = json.loads(done.out)["results"]
        assert results["level"] == {"label": level}
        assert results["t"]["exact"] == time

    def roots(self, call: Command, *arguments: str) -> list[dict[str, Any]]:
        done = call("solve", *arguments, "--json")
        assert (done.code, done.err) == (0, "")
        found = json.loads(done.out)
        assert found["verdict"] == "crosses"
        assert all(root["proof"].endswith(("cancels to 0", "exactly 0")) for root in found["roots"])
        return list(found["roots"])

    def test_solve_for_a_length(self, call: Command) -> None:
        (root,) = self.roots(call, "wall.py", "d_star")
        # lam A dT / d = h A dT
        assert root["closed_form"] == "lam/h"
        assert (root["exact"], root["unit"], root["first_integer"]) == ("1/10", "m", None)
        assert (root["below"], root["above"]) == ("the air limits", "the wall limits")

    def test_solve_a_quadratic(self, call: Command) -> None:
        # x^2 - x - 6 = (x - 3)(x + 2): the negative root is none
        (root,) = self.roots(call, "pairs.py", "x_star")
        assert (root["exact"], root["first_integer"]) == ("3", 3)
        assert (root["below"], root["above"]) == ("sending", "comparing")
        assert root["condition"] == "always"

    def test_solve_a_quadratic_with_an_irrational_root(self, call: Command) -> None:
        # q x^2 - b x - a = 0 with a = 5 us: x = (1 + sqrt(21))/2 = 2.7912878...
        (root,) = self.roots(call, "pairs.py", "x_star", "--set", "a=5 us")
        assert root["exact"] is None
        assert root["expression"] == "1/2 + sqrt(21)/2"
        assert root["value"] == pytest.approx(2.7912878474779199, rel=1e-15)
        assert (root["text"], root["first_integer"]) == ("2.791288", 3)

    def test_solve_with_two_roots(self, call: Command) -> None:
        # x^2 - 5 x + 6 = (x - 2)(x - 3)
        low, high = self.roots(call, "window.py", "x_star")
        assert (low["exact"], high["exact"]) == ("2", "3")
        assert (low["below"], low["above"]) == ("the square", "the line")
        assert (high["below"], high["above"]) == ("the line", "the square")
        assert low["condition"] == high["condition"] == "b^2 >= 4*a*q"

    @pytest.mark.parametrize(
        ("setting", "verdict", "exact"),
        [
            ("a=7 s", "never", []),  # 25 < 4 * 7
            ("a=25/4 * 1 s", "crosses", ["5/2"]),  # the two fall together
            ("a=0 s", "crosses", ["5"]),  # x^2 = 5 x, and 0 is not positive
        ],
    )
    def test_solve_with_two_roots_or_fewer(self, setting: str, verdict: str, exact: list[str], call: Command) -> None:
        found = json.loads(call("solve", "window.py", "x_star", "--set", setting, "--json").out)
        assert (found["verdict"], [root["exact"] for root in found["roots"]]) == (verdict, exact)
        assert found["reason"]

    def test_solve_an_inequality_with_two_ends(self, call: Command) -> None:
        done = call("solve", "window.py", "t_square <= t_line", "--for", "x", "--json")
        (found,) = json.loads(done.out)["ranges"]
        assert (found["low"]["exact"], found["high"]["exact"]) == ("2", "3")
        assert (found["low_integer"], found["high_integer"]) == (2, 3)

    def test_solve_on_the_branches_of_a_conditional(self, call: Command) -> None:
        # N e / 100 GB/s = 10 us at N = 250000, where W = 1e6 byte lies in the second cache. From the memory
        # the same would be at N = 50000, but then W = 200 kB lies in the second cache as well: no root.
        (root,) = self.roots(call, "tiers.py", "N_star")
        assert (root["exact"], root["below"], root["above"]) == ("250000", "t < 10 us", "t > 10 us")

    def test_sweep(self, call: Command) -> None:
        done = call("sweep", "wall.py", "--over", "d=50 mm,100 mm,1 m", "--show", "Q_cond,limit", "--to", "csv")
        assert (done.code, done.err) == (0, "")
        assert done.out.splitlines() == [
            "d (m),Q_cond (W),limit",
            "0.05,3200.0,the air limits",
            "0.1,1600.0,the air limits",  # a tie goes to the first
            "1.0,160.0,the wall limits",
        ]
        table = json.loads(call("sweep", "tiers.py", "--over", "N=2^13,2^15,2^20", "--to", "json").out)
        assert table["columns"][1:] == [
            {"name": "W", "unit": "KiB"},
            {"name": "level", "unit": "1"},
            {"name": "t", "unit": "us"},
        ]
        # 2^15/400e9, 2^17/100e9, 2^22/20e9 s
        assert [row[:3] for row in table["rows"]] == [
            [8192, 32.0, "first cache"],
            [32768, 128.0, "second cache"],
            [1048576, 4096.0, "memory"],
        ]
        assert [row[3] for row in table["rows"]] == pytest.approx([0.08192, 1.31072, 209.7152], rel=1e-14)

    def test_check(self, call: Command) -> None:
        done = call("check", *(f"{name}.py" for name in ALL))
        assert (done.code, done.err) == (0, "")
        assert re.findall(r"^(\w+): ok  ", done.out, re.MULTILINE) == list(ALL)

    def test_show(self, call: Command) -> None:
        shown = {name: [line.strip() for line in call("show", f"{name}.py").out.splitlines()] for name in ALL}
        assert "= 0.8 W/m/K * 10 m^2 * 20 K / 250 mm" in shown["wall"]
        assert "= 0.64 kW" in shown["wall"]
        assert "= min(0.64 kW, 1.6 kW)" in shown["wall"]
        assert "= 1 us * 4^2" in shown["pairs"]
        assert "Sending up to x = 2, both equal at x = 3, comparing from x = 4 on." in shown["pairs"]
        assert "level = 'first cache' if W <= C_1; 'second cache' if W <= C_2; 'memory' otherwise" in shown["tiers"]
        assert "= second cache" in shown["tiers"]

    def test_report(self, call: Command, strangers: Path) -> None:
        done = call("report", *(f"{name}.py" for name in ALL), "--to", "tex,md,html", "--out", "out")
        assert (done.code, done.err) == (0, "")
        tex = {name: unwrapped((strangers / "out" / f"{name}.tex").read_text(encoding="utf-8")) for name in ALL}
        md = {name: (strangers / "out" / f"{name}.md").read_text(encoding="utf-8") for name in ALL}
        for written in (tex, md):
            assert r"\frac{\lambda A \Delta T}{d}" in written["wall"]
            assert (
                r"0.8\,\mathrm{W}/\mathrm{m}/\mathrm{K} \times 10\,\mathrm{m}^{2} \times 20\,\mathrm{K}"
                in written["wall"]
            )
            assert r"d^{\star} = \frac{\lambda}{h}" in written["wall"]
            assert r"\text{if }W \le C_{1}" in written["tiers"]
            assert r"t = 10\,\mu\mathrm{s}" in written["tiers"]
        html = (strangers / "out" / "wall.html").read_text(encoding="utf-8")
        assert "<mfrac><mrow><mi>λ</mi><mi>A</mi><mi>Δ</mi><mi>T</mi></mrow><mi>d</mi></mfrac>" in html
        assert "<msup><mi>d</mi><mo>⋆</mo></msup><mo>=</mo><mfrac><mi>λ</mi><mi>h</mi></mfrac>" in html
        # Each cell of the swept column in the unit of its head.
        assert "| $`50`$ | $`3.2`$ | $`1.6`$ | $`1600`$ |" in md["wall"]
        assert "| $`250`$ | $`0.64`$ | $`1.6`$ | $`640`$ |" in md["wall"]
        assert "| $`d`$ ($`\\mathrm{mm}`$) |" in md["wall"]

    def test_report_as_pdf(self, run: Command, strangers: Path) -> None:
        done = run("report", "--no-figures", "tiers.py", "wall.py", "--to", "pdf")
        assert (done.code, done.err) == (0, "")
        for name in ("tiers", "wall"):
            assert (strangers / f"{name}.pdf").read_bytes().startswith(b"%PDF-")
