"""Random lines through everything that `calc` does with a line: `python -m tests.fuzz_calc N [SEED]`.

Texts come from the grammar, from mutations of such texts, and from all of Unicode. Nothing but symroof's own errors
may come out, no text may take a second, and the memory of the process stays under 300 MB.
"""

from __future__ import annotations

import random
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from contextlib import suppress

from symroof.answers import answer_text
from symroof.envelope import Names, definition, result
from symroof.errors import SymroofError
from symroof.expression import Line, Relation, parse_line
from symroof.impromptu import bounds, solved
from symroof.remarks import remarks
from symroof.scratchpad import Scratchpad, outcome_text
from symroof.units import quantity_full_text
from symroof.verdict import verdict, verdict_text
from symroof.worked_line import markdown_of, tex_of, text_of, worked_line

LONGEST = 1.0  # seconds for one text
STOPPED = 10  # seconds after which a text is given up
MOST_MEMORY = 300.0  # MB

# What must never get anywhere, and what once took long.
SEEDS = [
    "9**9**9",
    "2^2^2^2^2^2",
    "1/0",
    "(" * 10_000,
    "__import__('os')",
    "().__class__",
    "a.b",
    "lambda: 0",
    "\0",
    "1 + \0",
    "1" * 1_000_000,
    "x" * 1_000_000,
    "1e999999999",
    "0*inf",
    "nan",
    "exp(690)^4096*exp(690)^4096",
    "exp(exp(6))",
    "exp(10^300)",
    "exp(-10^300)",
    "ln(0)",
    "ln(6) - ln(2) - ln(3)",
    "1/(ln(6) - ln(2) - ln(3))",
    "ceil(log2(6) - log2(3))",
    "log2(1.00001^999)",
    "ln(2^4096)",
    "round(1e300/3)",
    "round(sqrt(2)*10^150)",
    "abs(sqrt(2) - 1." + "4" * 3_000 + ")",
    "exp(" * 40 + "1" + ")" * 40,
    "ln(" * 40 + "9" + ")" * 40,
    "+".join(f"ln({n})" for n in range(2, 60)),
    "exp(sqrt(2))^(1/2)",
    "sqrt(exp(1)) - exp(1/2)",
    "1 GB to",
    "1 in in",
    "x = x = x",
    "= 3",
    "x = 1..2",
    "x..",
    "expect 28.19 ms",
    "expect",
    "1 GB/s in s/s/s/s^99",
    "10^299 TFLOP/s in FLOP/year",
    "2^2000 GB/s",
    "１２ ＧＢ ／ ３ ＴＢ／ｓ",
    "-3 s + 4 s",
    # what once took seconds, or got past a limit
    "x^z = 3",
    "z^(x - z)",
    "(y+1e300)**-4096*2 + 1e300*1 / x",
    "log2(x / sqrt(0*z))",
    "ceil(x-2^20)^(x*1) <= z",
    "x + 2 < max(1e-300, y, z)*2^20^z",
    "x = (-40 %)**(1_000 / -z)",
    "z/1e300/y*sqrt(1e9) > x * 2/7/3*1_000",
    "z = z^0 - x + 7/3 / y/round(1e300)",
]

_NUMBERS = ["0", "1", "2", "3.5", "1e9", "1e300", "1e-300", "2^20", "4096", "40 %", "1_000", "7/3", ".5", "9" * 40]
_UNITS = [" s", " ms", " GB", " GiB", " GB/s", " FLOP", " TFLOP/s", " KB", " Gb", " flops", " B*s", " m^9", " µs", " $"]
_NAMES = ["x", "y", "t", "P", "beta", "C", "s", "z", "r", "lambda", "in", "e", "pi"]
_FUNCTIONS = ["max", "min", "ceil", "floor", "sqrt", "log2", "ln", "exp", "abs", "round", "sin"]
_SIGNS = ["+", "-", "*", "/", "^", "**", " + ", " - ", " * ", " / ", "×", "·", "−", "÷"]
_BITS = ["²", "⁻¹", "(", ")", ",", ".", "_", "=", "<=", " in ", " to ", "..", "#", "\t", "\0", "'", '"', "\\", "{", "$"]


def line(draw: random.Random, depth: int = 4) -> str:
    """A text of any of the three kinds."""
    kind = draw.random()
    if kind < 0.1:
        return "".join(
            chr(draw.choice([draw.randrange(128), draw.randrange(0x110000)])) for _ in range(draw.randrange(30))
        )
    text = _statement(draw, depth, plain=draw.random() < 0.6)
    for _ in range(draw.randrange(1, 5) if kind > 0.6 else 0):
        text = _mutated(draw, text)
    return text


def _statement(draw: random.Random, depth: int, plain: bool) -> str:
    """A line; a plain one is without units, so that more of it can be worked out."""
    text = _sum(draw, depth, plain)
    head = draw.random()
    if head < 0.2:
        text = f"{draw.choice(_NAMES)} = {text}"
    elif head < 0.3:
        text = f"{text} {draw.choice(['=', '<=', '>', '<', '>='])} {_sum(draw, 2, plain)}"
    if draw.random() < (0.02 if plain else 0.15):
        text += f" {draw.choice(['in', 'to'])}{draw.choice(_UNITS)}"
    return text


def _sum(draw: random.Random, depth: int, plain: bool) -> str:
    if depth == 0 or draw.random() < 0.15:
        if draw.random() < 0.35:
            return draw.choice("xyz") if plain else draw.choice(_NAMES)
        return draw.choice(_NUMBERS) + (draw.choice(_UNITS) if not plain and draw.random() < 0.4 else "")
    kind = draw.random()
    if kind < 0.55:
        return f"{_sum(draw, depth - 1, plain)}{draw.choice(_SIGNS)}{_sum(draw, depth - 1, plain)}"
    if kind < 0.75:
        return f"({_sum(draw, depth - 1, plain)})"
    if kind < 0.8:
        return f"-{_sum(draw, depth - 1, plain)}"
    arguments = ", ".join(_sum(draw, depth - 1, plain) for _ in range(draw.choice([1, 1, 1, 2, 3])))
    return f"{draw.choice(_FUNCTIONS)}({arguments})"


def _mutated(draw: random.Random, text: str) -> str:
    at, end = sorted(draw.randrange(len(text) + 1) for _ in range(2))
    piece = draw.choice([*_NUMBERS, *_UNITS, *_NAMES, *_SIGNS, *_BITS, text[at:end], "", chr(draw.randrange(0x110000))])
    repeated = piece * (draw.choice([1, 1, 1, 2, 40]))
    return text[:at] + repeated + text[draw.choice([at, end]) :]


def every_way(text: str) -> str:
    """Does with a line all that the command can do with it. Returns the kind of what came out."""
    names = Names(on="a100-40gb")
    for name, content in (("x", "3"), ("y", "7/2"), ("z", "1e9"), ("t", "20 ms"), ("r", "3 GiB")):
        names.set(name, content)
    with suppress(SymroofError):
        names.set("v", text)
    pad = Scratchpad(names)
    for one in ("28.19 ms", text):
        with suppress(SymroofError):
            outcome_text(pad.read(one), 4, None, named=True)
    try:
        read = parse_line(text)
    except SymroofError as error:
        return type(error).__name__
    with suppress(SymroofError):
        return _solved(read, names) if isinstance(read.said, Relation) else _worked_out(read, names)
    return "refused"


def _worked_out(read: Line, names: Names) -> str:
    defined = definition(read)
    found = result(defined, names)
    assert str(found.value)
    assert quantity_full_text(found.value)
    remarks([defined.expression], names, found.value)
    shown = worked_line(found.name, defined.expression, names, found.value, 4, None)
    assert text_of(shown)
    assert tex_of(shown)
    assert markdown_of(shown)
    return "value"


def _compared(read: Line, names: Names) -> str:
    assert verdict_text(verdict(read, names), 4, None)
    return "compared"


def _solved(read: Line, names: Names) -> str:
    with suppress(SymroofError):
        return _compared(read, names) if read.compares else _worked_out(read, names)
    answer = solved(read, "x", names)
    assert answer_text(answer)
    return "solved"


def in_range(text: str) -> None:
    """Bounds of a line where x is a range."""
    names = Names(on="a100-40gb")
    for name, content in (("x", "2..3"), ("y", "7/2"), ("z", "1e9"), ("t", "10..20 ms"), ("r", "3 GiB")):
        names.set(name, content)
    with suppress(SymroofError):
        bounds(definition(parse_line(text)), names)


def _given_up(*_: object) -> None:
    raise TimeoutError


def memory() -> float:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(count: int, seed: int = 0) -> int:
    """Prints what came out. Returns how many texts broke a rule."""
    kinds: Counter[str] = Counter()
    slowest: list[tuple[float, str]] = []
    broken = 0
    started = time.perf_counter()
    signal.signal(signal.SIGALRM, _given_up)
    for at in range(-len(SEEDS), count):
        text = SEEDS[at] if at < 0 else line(random.Random(f"{seed} {at}"))
        begun = time.process_time()
        signal.alarm(STOPPED)
        try:
            kinds[every_way(text)] += 1
            in_range(text)
        except Exception:
            broken += 1
            print(f"text {at} of seed {seed}: {text[:200]!r}", traceback.format_exc(limit=-3), sep="\n", flush=True)
        slowest = sorted([*slowest, (time.process_time() - begun, text[:120])], reverse=True)[:8]
    signal.alarm(0)
    print(f"{count} texts and {len(SEEDS)} seeds in {time.perf_counter() - started:.0f} s: {dict(kinds)}")
    for seconds, text in slowest:
        print(f"  {seconds:.3f} s  {text!r}")
    print(f"{broken} exceptions, most memory {memory():.0f} MB")
    slow = sum(seconds > LONGEST for seconds, _ in slowest)
    return broken + slow + (memory() > MOST_MEMORY)


if __name__ == "__main__":
    sys.exit(bool(main(*map(int, sys.argv[1:]))))
