"""The names that users rely on."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import symroof
from symroof.api import Derivation


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
        "plan": ["name", "memory", "within", "low", "high", "at", "cards", "sentence"],
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
    columns = symroof.sweep("gemm", over={"m": [2, 8192]}, show=["F:GFLOP", "regime"])
    assert list(columns) == ["m", "F", "regime"]
    assert columns["regime"].tolist() == ["memory-bound", "compute-bound"]
    assert str(symroof.calc("140 GB / 3.35 TB/s", unit="ms")) == "41.79 ms"
    with pytest.raises(symroof.SymroofError, match="names no unknown"):
        gemm.solve("t = 10 ms")


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
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
