"""Imports go down only. The table is the architecture: a module may import what stands on a floor below its own."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "symroof"

FLOORS: list[set[str]] = [
    {"errors", "latex", "complaint", "symbols"},
    {"branches", "numerals", "markdown", "html", "prose", "typeset"},
    {"units", "forms", "signs", "intervals", "shown"},
    {"elementary", "output", "zeros", "decision_chart_drawn"},
    {"arithmetic", "notebook"},
    {"syntax"},
    {"expression", "comparison"},
    {"blanks", "dimensions"},
    {"hardware", "declared"},
    {"including"},
    {"derivation"},
    {"ranges"},
    {"library", "figure_data"},
    {"settings", "figure_graph", "drawing_style"},
    {"envelope", "options"},
    {"as_written", "algebra", "evaluate", "sweeps"},  # the four readings
    {"remarks", "verdict"},
    {"equation", "by_hand", "case", "drawing_panels", "drawing_bars", "drawing_graph"},
    {"roots", "line", "sensitivity", "sentences", "drawing"},
    {"crossover", "uncertain", "overview", "ranking"},
    {"budget", "regimes", "check"},
    {"solving"},
    {"api", "claim_tables", "conclusion", "answers", "impromptu", "worked_line"},
    {"decision_chart", "figure_case"},
    {"measured", "figure_curves", "figure_memory"},
    {"figures"},
    {"report"},
    {"writing", "terminal"},
    {"publishing", "sweep_tables", "scratchpad"},
    {"printed"},
    {"cli_answers", "cli_calc", "cli_look", "cli_plot", "cli_report"},
    {"cli"},
]
READINGS = {"as_written", "algebra", "evaluate", "sweeps"}


def floor(module: str) -> int:
    return next(at for at, modules in enumerate(FLOORS) if module in modules)


def modules() -> list[str]:
    return sorted(path.stem for path in PACKAGE.glob("*.py") if not path.stem.startswith("__"))


def imported(module: str) -> set[str]:
    """The modules of the package that a module imports, wherever in its text."""
    found: set[str] = set()
    for node in ast.walk(ast.parse((PACKAGE / f"{module}.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "symroof":
            found |= {alias.name for alias in node.names if (PACKAGE / f"{alias.name}.py").exists()}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("symroof."):
            found.add(str(node.module).split(".")[1])
        elif isinstance(node, ast.Import):
            assert not any(alias.name.startswith("symroof") for alias in node.names), module
    return found


def test_every_module_has_one_floor() -> None:
    listed = [module for modules_there in FLOORS for module in modules_there]
    assert sorted(listed) == modules()


@pytest.mark.parametrize("module", modules())
def test_imports_go_down(module: str) -> None:
    assert {other for other in imported(module) if floor(other) >= floor(module)} == set()


@pytest.mark.parametrize("reading", sorted(READINGS))
def test_readings_are_siblings(reading: str) -> None:
    assert not imported(reading) & READINGS
