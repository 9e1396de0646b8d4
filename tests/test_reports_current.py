"""What is committed under reports/ is what the derivations render to."""

from __future__ import annotations

from pathlib import Path

import pytest

from symroof import hardware, library
from symroof.report import build, worked_settings
from symroof.writing import write

REPORTS = Path(__file__).parent.parent / "reports"


@pytest.mark.parametrize("name", library.shipped())
def test_report_is_current(name: str) -> None:
    derivation = library.find(name)
    report = build(worked_settings(derivation, {}, on=hardware.DEFAULT_CHIP, dtype=hardware.DEFAULT_DTYPE))
    for form in ("tex", "md"):
        committed = (REPORTS / f"{name}.{form}").read_text(encoding="utf-8")
        assert write(report, form) == committed, f"run: symroof report {name} --out reports"
    assert (REPORTS / f"{name}.pdf").read_bytes().startswith(b"%PDF")


def test_nothing_else_is_there() -> None:
    expected = {f"{name}.{form}" for name in library.shipped() for form in ("tex", "md", "pdf")}
    assert {path.name for path in REPORTS.iterdir()} == expected
