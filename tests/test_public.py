"""The names that users rely on."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import symroof
from symroof.api import Derivation
from symroof.budget import Budget


def test_names() -> None:
    assert symroof.__all__ == [
        "Decision",
        "Derivation",
        "SymroofError",
        "calc",
        "ceil",
        "floor",
        "largest",
        "load",
        "next_divisor",
        "smallest",
        "sqrt",
        "sweep",
        "total",
    ]
    for name in symroof.__all__:
        assert getattr(symroof, name).__doc__, name
    assert set(symroof.__all__) < set(dir(symroof))


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="module 'symroof' has no attribute 'flops'"):
        symroof.flops  # noqa: B018


def test_authoring_form() -> None:
    """Derivations outlive versions: what an author may write, with its parameters."""
    expected = {
        "given": ["name", "description", "unit", "default", "count", "symbol", "efficiency", "on", "most"],
        "step": ["without_brackets", "unit", "symbol", "of"],
        "binding": ["name", "labels"],
        "crossover": ["name", "equation", "solve_for", "symbol", "less", "more"],
        "limit": ["of", "grows", "sentence"],
        "trend": ["of", "grows", "sentence"],
        "equal": ["of", "to", "sentence"],
        "advise": ["label", "sentence"],
        "conclude": ["text"],
        "plan": ["name", "memory", "within", "low", "high", "at", "gpus", "sentence"],
        "chart": ["stages"],
        "claim": ["of", "printed", "source", "at", "first_integer"],
        "worked": ["over", "at", "show", "answer"],
        "include": ["other", "only", "suffix", "exchange", "cited"],
    }
    for name, parameters in expected.items():
        assert list(inspect.signature(getattr(Derivation, name)).parameters)[1:] == parameters, name


def test_python_interface() -> None:
    gemm = symroof.load("gemm")
    solution = gemm.at(on="h100-sxm", m=8192)
    time = solution["t"]
    assert not isinstance(time, str)
    assert str(time.to("ms")) == "8.890 ms"
    assert gemm.solve("t = 10 ms", for_="m").roots[0].first_integer == 2906
    assert gemm.solve("m_star").roots[0].first_integer == 331
    held = gemm.solve("t <= 10 ms", for_="m")
    assert isinstance(held, Budget)
    assert [(one.low, one.high_integer) for one in held.ranges] == [(None, 2905)]
    columns = symroof.sweep("gemm", over={"m": [2, 8192]}, show=["F:GFLOP", "regime"])
    assert list(columns) == ["m", "F", "regime"]
    assert columns["regime"].tolist() == ["memory-bound", "compute-bound"]
    assert str(symroof.calc("140 GB / 3.35 TB/s", unit="ms")) == "41.79 ms"
    with pytest.raises(symroof.SymroofError, match="does not say what to solve for"):
        gemm.solve("t = 10 ms")
    with pytest.raises(symroof.SymroofError, match="unknown crossover 'm_stra' in gemm\ndid you mean m_star"):
        gemm.solve("m_stra")


@pytest.mark.parametrize(
    ("code", "kept_out"),
    [
        ("import symroof", {"sympy", "pint", "numpy", "click", "latexify", "jinja2"}),
        ("import symroof.cli", {"sympy", "latexify", "jinja2", "tabulate"}),
        ("import symroof; symroof.load('gemm').at(m=8192)['t']", {"sympy", "latexify", "jinja2"}),
    ],
)
def test_start_up_imports_only_what_is_needed(code: str, kept_out: set[str]) -> None:
    script = f"{code}\nimport sys\nprint(sorted({kept_out!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"


def test_a_one_line_answer_imports_next_to_nothing() -> None:
    """Beside pint, without the NumPy that pint takes along: that is what keeps it quick."""
    script = (
        "import sys\n"
        "sys.argv = ['symroof', 'calc', '2*8192*512*2^20 FLOP / 312 TFLOP/s', '--in', 'ms']\n"
        "from symroof.__main__ import main\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    heavy = {'sympy', 'numpy', 'jinja2', 'latexify', 'tabulate', 'symroof.derivation'}\n"
        "    print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "28.19 ms\n[]\n"
