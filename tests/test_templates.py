"""Templates of one's own: they replace those that come with symroof, and their faults are said by place and name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import symroof
from tests.conftest import Command, contents

pytestmark = pytest.mark.slow

SHIPPED = Path(symroof.__path__[0]) / "templates"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A copy of the shipped templates."""
    return Path(shutil.copytree(SHIPPED, tmp_path / "own"))


def test_a_copy_writes_the_same(call: Command, own: Path, tmp_path: Path) -> None:
    assert call("report", "--no-figures", "gemm", "--to", "tex,md", "--out", "a", "--template", own.name).code == 0
    assert call("report", "--no-figures", "gemm", "--to", "tex,md", "--out", "b").code == 0
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_one_template_is_enough_and_text_stays_escaped(call: Command, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "report.md.j2").write_text(
        "{% set line = report.lines[0] %}\n"
        "{{ report.title }} 100 % & a_b {{ 'a_b & 5 %' }}: {{ line.symbol }} = {{ line.result }}\n",
        encoding="utf-8",
    )
    assert call("report", "--no-figures", "gemm", "--to", "tex,md", "--template", "own").code == 0
    assert (tmp_path / "gemm.md").read_text(encoding="utf-8") == (
        r"One matrix product under the roofline 100 % & a_b a\_b \& 5 %: $`F`$ = $`8796\,\mathrm{GFLOP}`$" + "\n"
    )
    assert r"\documentclass" in (tmp_path / "gemm.tex").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("template", "line", "problem"),
    [
        ("# {{ report.title }}\n\n{{ repport.title }}\n", 3, "'repport' is undefined"),
        ("{{ report.titel }}\n", 1, "'symroof.shown.Report object' has no attribute 'titel'"),
        ("{{ words.heading.nonsense }}\n", 1, "'dict object' has no attribute 'nonsense'"),
        ("\n{% if report %}\n", 2, "Unexpected end of template."),
        ("\n\n{{ report.title | shout }}\n", 3, "No filter named 'shout'."),
        ("{{ report.title / 2 }}\n", 1, "unsupported operand type(s) for /: 'str' and 'int'"),
        ("{{ report.__class__.__mro__ }}\n", 1, "access to attribute '__class__' of 'Report' object is unsafe."),
    ],
)
def test_faults_have_a_place(call: Command, tmp_path: Path, template: str, line: int, problem: str) -> None:
    (tmp_path / "own").mkdir()
    path = tmp_path / "own" / "report.md.j2"
    path.write_text(template, encoding="utf-8")
    before = contents(tmp_path)
    ran = call("report", "--no-figures", "gemm", "--to", "md", "--template", "own")
    assert ran.code == 2
    place = Path("own") / "report.md.j2"
    assert ran.err.startswith(f"error: template {place}, line {line}: {problem}")
    assert "  try: the names that it can use are words, report, chapter, brief\n" in ran.err
    assert contents(tmp_path) == before


def test_a_template_that_is_missing(call: Command, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "report.md.j2").write_text('{% include "other.md.j2" %}\n', encoding="utf-8")
    ran = call("report", "--no-figures", "gemm", "--to", "md", "--template", "own")
    assert (ran.code, ran.err.splitlines()[0]) == (2, "error: there is no template other.md.j2")


@pytest.mark.parametrize("folder", ["empty", "nowhere"])
def test_a_folder_without_templates(call: Command, tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    ran = call("report", "--no-figures", "gemm", "--to", "md", "--template", folder)
    assert ran.code == 2
    assert ran.err.startswith(f"error: {folder} has none of the templates\n  try: their names are book.tex.j2, ")


def test_a_figure_typed_into_a_template_has_no_origin(own: Path) -> None:
    from symroof import hardware, library
    from symroof.printed import read, typed
    from symroof.report import build
    from symroof.settings import worked_settings
    from symroof.writing import write_traced

    path = own / "report.md.j2"
    path.write_text(path.read_text(encoding="utf-8") + "\nAbout 5 ms.\n", encoding="utf-8")
    settings = worked_settings(library.find("gemm"), {}, on=hardware.DEFAULT_CHIP, dtype=hardware.DEFAULT_DTYPE)
    (fault,) = typed(read(write_traced(build(settings), "md", templates=own)), [])
    assert fault.endswith(": the figure 5 ms has no origin, it stands in the words of the text")
