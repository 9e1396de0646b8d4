"""`check` says ok where everything holds, and otherwise names what does not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import symroof
from symroof import Derivation, as_written, check, roots
from symroof.algebra import Algebra
from symroof.check import Outcome, claim_results
from symroof.errors import MissingGivenError
from symroof.prose import Maths
from symroof.roots import Candidate
from symroof.settings import worked_settings
from symroof.sweeps import Column, sweep
from tests.conftest import ROOT, Command

GEMM = (ROOT / "derivations" / "gemm.py").read_text(encoding="utf-8")


def altered(folder: Path, old: str, new: str) -> None:
    """A copy of gemm.py with one thing in it changed, as `altered.py`."""
    assert GEMM.count(old) == 1, old
    (folder / "altered.py").write_text(GEMM.replace(old, new), encoding="utf-8")


def checked(derivation: Derivation) -> Outcome:
    return check.check(worked_settings(derivation, {}, on="a100-40gb", dtype="fp16"))


class TestAnAlteredCopy:
    def test_one_published_digit(self, run: Command, tmp_path: Path) -> None:
        altered(tmp_path, '"28.1926", "11.7441", "28.1926"', '"28.1926", "11.7442", "28.1926"')
        done = run("check", "altered.py")
        assert (done.code, done.err) == (1, "")
        # 35667968/1953125 GB / 1555 GB/s = 11.7440512 ms
        assert "gemm: FAILED" in done.out.splitlines()[0]
        assert done.out.splitlines()[1:] == [
            "  claims: t_mem = 11.7442 ms at m = 8192 (published answer, part 1, table over m): "
            "ours is 11.7441 ms, -0.0013 % from it"
        ]

    def test_as_json(self, call: Command, tmp_path: Path) -> None:
        altered(tmp_path, '"m_star", "331"', '"m_star", "330"')
        done = call("check", "altered.py", "--json")
        assert (done.code, done.err) == (1, "")
        (found,) = json.loads(done.out)
        failed = {section: found[section]["failed"] for section in ("units", "readings", "roots", "claims", "printed")}
        assert failed == {
            "units": [],
            "readings": [],
            "roots": [],
            "claims": ["first integer of m_star = 330 (published answer, part 1, text): ours is 331"],
            "printed": [],
        }

    @pytest.mark.parametrize(
        ("old", "new", "claim", "said"),
        [
            ("1.0737e9 FLOP * m", "1.0738e9 FLOP * m", "F = 1.0738e9 FLOP * m", "1.073742e9 in place of 1.0738e9"),
            ("m*k*n/(m*k + k*n + m*n)", "m*k*n/(m*k + k*n)", "AI = m*k*n/(m*k + k*n) * 1 FLOP/byte", "ours is "),
            ('"200.6 FLOP/byte"', '"200.7 FLOP/byte"', "I = 200.7 FLOP/byte", "ours is 200.6 FLOP/byte"),
            ('"1 GiB"', '"1.0 GB"', "B_kn = 1.0 GB", "7.4 % from it"),
            ('(8192, "compute-bound")]', '(8192, "memory-bound")]', "regime = memory-bound at m = 8192", "it is "),
            ("c*k*n - I*s*(k + n)", "c*k*n + I*s*(k + n)", "m_star = I*s*k*n/(c*k*n + I*s*(k + n))", "the proof fails"),
        ],
    )  # fmt: skip
    def test_every_kind_of_claim(
        self, old: str, new: str, claim: str, said: str, call: Command, tmp_path: Path
    ) -> None:
        altered(tmp_path, old, new)
        done = call("check", "altered.py")
        assert done.code == 1
        (failure,) = done.out.splitlines()[1:]
        assert failure.startswith(f"  claims: {claim}")
        assert said in failure.partition("): ")[2]

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            (
                'unit="s", symbol=r"t_{\\mathrm{comp}}"',
                'unit="byte", symbol=r"t_{\\mathrm{comp}}"',
                "step t_comp is declared in byte, but its formula gives s",
            ),
            (
                'unit="FLOP/byte")\ndef I(P, beta)',
                'unit="byte/FLOP")\ndef I(P, beta)',
                "step I is declared in byte/FLOP, but its formula gives FLOP/byte",
            ),
            ('"bytes per element", unit="byte"', '"bytes per element", unit="s"', "step B is declared in byte, but"),
        ],
    )
    def test_one_unit(self, old: str, new: str, said: str, call: Command, tmp_path: Path) -> None:
        altered(tmp_path, old, new)
        done = call("check", "altered.py")
        assert done.code == 1
        assert f"  units: {said}" in done.out
        assert "claims" not in done.out

    def test_the_other_commands_refuse_a_wrong_unit(self, call: Command, tmp_path: Path) -> None:
        altered(tmp_path, 'unit="FLOP/byte")\ndef I(P, beta)', 'unit="s")\ndef I(P, beta)')
        for command in (
            ["eval", "altered.py", "F", "--set", "m=8"],
            ["solve", "altered.py", "m_star"],
            ["show", "altered.py"],
        ):
            done = call(*command)
            assert (done.code, done.out) == (2, "")
            assert done.err.startswith("error: step I is declared in s, but its formula gives FLOP/byte\n")


class TestTamperedRoots:
    """A closed form is put back into its equation, wherever it came from."""

    def test_a_wrong_sign(self, call: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        sound = roots.candidates

        def turned(branch: Any, unknown: sympy.Symbol) -> list[Candidate]:
            found = sound(branch, unknown)
            return [replace(one, closed_form=-one.closed_form) for one in found if one.closed_form is not None]

        monkeypatch.setattr("symroof.crossover.candidates", turned)
        done = call("check", "gemm")
        assert done.code == 1
        assert "  roots: crossover m_star: the proof of m = -P*s*k*n/(c*beta*k*n - P*s*(k + n)) fails" in done.out
        # Wherever it is shown, it does not pass for proved.
        (root,) = json.loads(call("solve", "gemm", "m_star", "--json").out)["roots"]
        assert root["closed_form"] is None or "does not cancel" in root["proof"]

    def test_a_wrong_factor_of_a_quadratic(self, monkeypatch: pytest.MonkeyPatch) -> None:
        sound = roots.candidates

        def doubled(branch: Any, unknown: sympy.Symbol) -> list[Candidate]:
            found = sound(branch, unknown)
            return [replace(one, closed_form=2 * one.closed_form) for one in found if one.closed_form is not None]

        monkeypatch.setattr("symroof.crossover.candidates", doubled)
        outcome = checked(quadratic())
        assert outcome.sections["roots"].failed[0].startswith("crossover x_star: the proof of x = ")
        assert not outcome.passed

    def test_sound_ones_hold(self) -> None:
        section = checked(quadratic()).sections["roots"]
        assert (section.checked, section.failed) == (2, [])


class TestReadings:
    """The four readings are held against each other."""

    def test_a_sweep_that_is_off(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def off(*arguments: Any) -> list[Column]:
            return [replace(one, values=np.asarray(one.values) * (1 + 1e-9)) for one in sweep(*arguments)]

        monkeypatch.setattr("symroof.check.sweep", off)
        failed = checked(quadratic()).sections["readings"].failed
        assert failed == [f"step {name}: the sweep gives {got}, exact evaluation {want}" for name, got, want in (
            ("t_line", repr(10.0 * (1 + 1e-9)), "10.0"), ("t_square", repr(16.0 * (1 + 1e-9)), "16.0"))]  # fmt: skip

    def test_an_algebra_that_is_off(self, monkeypatch: pytest.MonkeyPatch) -> None:
        sound = Algebra.step
        monkeypatch.setattr(Algebra, "step", lambda self, name: sound(self, name) + 1)
        failed = checked(quadratic()).sections["readings"].failed
        assert failed[0] == "step t_line: the algebra gives 11, exact evaluation 10"

    def test_a_printed_formula_that_is_off(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # The sides are a + b x = 6 + 4 and b x^2 = 16.
        sound = as_written.source_line
        monkeypatch.setattr(as_written, "source_line", lambda step: sound(step).replace("+", "-"))
        failed = checked(quadratic()).sections["readings"].failed
        assert failed == ["step t_line: the printed formula a - b*x gives 2, exact evaluation 10"]

    def test_what_the_parser_has_no_words_for_is_not_counted(self) -> None:
        made = Derivation("made")
        made.given("x", default=2)

        @made.step()
        def small(x: Any) -> Any:
            if x < 3:
                return x
            return 3

        assert checked(made).sections["readings"].checked == 2

    def test_a_formula_that_cannot_be_typeset(self) -> None:
        made = Derivation("made")
        made.given("x", default=2)
        source: dict[str, Any] = {}
        exec("def y(x):\n    return 2 * x", source)
        made.step()(source["y"])
        (failure,) = checked(made).sections["readings"].failed
        assert failure == "the source of step y is not to be had"


def quadratic() -> Derivation:
    """x + 6 = x^2 at x = 3."""
    made = Derivation("quadratic")
    made.given("x", default=4)
    made.given("a", unit="s", default=6)
    made.given("b", unit="s", default=1)

    @made.step(unit="s")
    def t_line(a: Any, b: Any, x: Any) -> Any:
        return a + b * x

    @made.step(unit="s")
    def t_square(b: Any, x: Any) -> Any:
        return b * x**2

    made.crossover("x_star", "t_line = t_square", solve_for="x")
    return made


class TestClaims:
    def failures(self, *claims: dict[str, Any]) -> list[str]:
        """What is said about claims on: t = 1/3 s, u = 12345 byte, root = sqrt(2) s, where = "here"."""
        made = Derivation("made")
        made.given("x", unit="s", default=1)
        made.given("n", default=3, count=True)
        made.given("size", unit="byte", default=12345)

        @made.step(unit="s")
        def t(x: Any, n: Any) -> Any:
            return x / n

        @made.step(unit="byte")
        def u(size: Any) -> Any:
            return size

        @made.step(unit="s")
        def root(x: Any) -> Any:
            return symroof.sqrt(2 * x * x)

        made.binding("longer", t="third", x="whole")
        for claim in claims:
            made.claim(**{"source": "S", **claim})
        return [result.difference for result in claim_results(worked_settings(made, {}, on="t4", dtype="fp16"))]

    @pytest.mark.parametrize(
        ("of", "printed"),
        [
            ("t", "0.3333 s"),
            ("t", "333.3 ms"),
            ("t", "3.3e-1 s"),
            ("t", "0.3 s"),
            ("t", "0 s"),  # half a unit of its last digit reaches to 0.5
            ("t", "33 % * 1 s"),
            ("root", "1.41421356 s"),
            ("2*t", "0.67 s"),
            ("t + x", "1.333 s"),
            ("longer", "whole"),
            ("u", "12345 byte"),
            ("u", "12.345 kB"),
            ("u", "12.34500 kB"),
            ("u", "12.3 kB"),
            ("u", "1.2e4 byte"),
            ("u", "1.23450e4 byte"),
            # Exactly between two figures: half to even and half up are both right.
            ("u", "12.34 kB"),
            ("u", "12.35 kB"),
        ],
    )
    def test_agrees(self, of: str, printed: str) -> None:
        if printed == "33 % * 1 s":
            (said,) = self.failures({"of": of, "printed": printed})
            assert said == "cannot be checked: '33 % * 1 s' is no printed figure"
        else:
            assert self.failures({"of": of, "printed": printed}) == [""]

    @pytest.mark.parametrize(
        ("of", "printed", "said"),
        [
            ("t", "0.3334 s", "ours is 0.3333 s, -0.020 % from it"),
            ("t", "0.33330 s", "ours is 0.33333 s, 0.010 % from it"),
            ("t", "0.4 s", "ours is 0.3333 s, -17 % from it"),
            ("t", "1 s", "ours is 0.3333 s, 0.3333 times it"),
            ("root", "1.41421357 s", "ours is 1.41421356 s, -5.4e-7 % from it"),
            ("u", "12346 byte", "ours is 12345 byte, -0.0081 % from it"),
            ("u", "12.36 kB", "ours is 12.34 kB, -0.12 % from it"),
            ("u", "12.340 kB", "ours is 12.345 kB, 0.041 % from it"),
            ("u", "1.3e4 byte", "ours is 1.234e4 byte, -5.0 % from it"),
            ("u", "0 byte", "ours is 1.234e4 byte, not 0"),
            ("longer", "third", "it is whole"),
            ("t", "0.33 byte", "cannot be checked: a quantity in s cannot be given in byte"),
            ("t", "0.33", "cannot be checked: a quantity in s cannot be given in plain numbers"),
            ("t", "q", "cannot be checked: unknown name 'q' in made"),
            ("q", "1 s", "cannot be checked: unknown name 'q' in made"),
            ("t", "0.33 KB", "cannot be checked: the unit 'KB' is ambiguous"),
            ("t", "0.33 s +", "cannot be checked: the text ends where a number or a name is expected"),
            ("longer + 1", "2", "cannot be checked: longer is the label 'whole', not a number"),
        ],
    )
    def test_differs(self, of: str, printed: str, said: str) -> None:
        (found,) = self.failures({"of": of, "printed": printed})
        assert found.startswith(said)

    def test_the_place_of_a_claim(self) -> None:
        assert self.failures(
            {"of": "t", "printed": "0.5 s", "at": {"n": 2}},
            {"of": "t", "printed": "0.5 s", "at": {"n": "4", "x": "2 s"}},
            {"of": "t", "printed": "0.5 s", "at": {"n": 0}},
            {"of": "t", "printed": "0.5 s", "at": {"q": 1}},
        ) == [
            "",
            "",
            "cannot be checked: n=0: n is a count, and 0 is not a whole number from 1 up",
            "cannot be checked: unknown symbol 'q' in made",
        ]

    def test_formulas(self) -> None:
        assert self.failures(
            {"of": "t", "printed": "x/n"},
            {"of": "t*n", "printed": "x"},
            {"of": "t", "printed": "2*x/(n + n)"},
            {"of": "t", "printed": "0.333*x"},
            {"of": "t", "printed": "1/3*x"},
        ) == ["", "", "", "", ""]
        different = self.failures(
            {"of": "t", "printed": "x*n"},
            {"of": "t", "printed": "0.334*x"},
            {"of": "t", "printed": "n"},
        )
        assert different[0].startswith("ours is ")
        assert different[1] == "ours has 0.3333333 in place of 0.334"
        assert different[2].startswith("cannot be checked: ")

    def test_roots(self) -> None:
        made = quadratic()
        made.claim("x_star", "3", source="S")
        made.claim("x_star", "3.00", source="S")
        made.claim("x_star", "3", first_integer=True, source="S")
        made.claim("x_star", "(b + sqrt(b*b + 4*a*b))/(2*b)", source="S")
        assert checked(made).sections["claims"].failed == []
        made.claim("x_star", "3.01", source="S")
        made.claim("x_star", "3 s", source="S")
        made.claim("x_star", "3 kB", first_integer=True, source="S")
        made.claim("x_star", "4", first_integer=True, source="S")
        made.claim("x_star", "(b + sqrt(b*b - 4*a*b))/(2*b)", source="S")
        made.claim("x_star", "3", at={"a": "0 s", "b": "0 s"}, source="S")
        near, unit, of_integer, integer, formula, never = checked(made).sections["claims"].failed
        assert near == "x_star = 3.01 (S): ours is 3, -0.33 % from it"
        assert unit.startswith("x_star = 3 s (S): cannot be checked: ")
        assert of_integer == "first integer of x_star = 3 kB (S): ours is 3"
        assert integer == "first integer of x_star = 4 (S): ours is 3"
        assert "the proof fails: put into t_line = t_square it does not cancel" in formula
        assert never.startswith("x_star = 3 at a = 0 s, b = 0 s (S): ")

    def test_published_figures_that_are_hard_to_compare(self) -> None:
        """0.0069 for 0.006883 ms, a trailing zero, a power of ten, a root."""
        results = {str(one.claim): one for one in claim_results(
            worked_settings(symroof.load("gemm"), {}, on="a100-40gb", dtype="fp16"))}  # fmt: skip
        assert all(one.agrees for one in results.values())
        ours = {name: one.ours.text if isinstance(one.ours, Maths) else one.ours for name, one in results.items()}
        assert ours["t_comp = 0.0069 ms at m = 2"] == "0.006883 ms"
        assert ours["F = 34.360 GFLOP at m = 32"] == "34.360 GFLOP"
        assert ours["F = 1.0737e9 FLOP * m"] == "proved equal with 1.073742e9 in place of 1.0737e9 FLOP"
        assert ours["first integer of m_star = 331"] == "331"


def test_an_open_given_is_bad_input() -> None:
    made = quadratic()
    made.given("y", "something", unit="s")

    @made.step(unit="s")
    def z(y: Any) -> Any:
        return y

    with pytest.raises(MissingGivenError, match="quadratic needs a value for y"):
        checked(made)
