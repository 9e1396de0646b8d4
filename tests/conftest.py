"""Running symroof's commands, as a process of its own and inside this one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import settings

from symroof.cli import main

# The same examples in every run, and no limit on the time of one: the machine may be busy.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

ROOT = Path(__file__).parent.parent


_OVERFULL = re.compile(r"^Overfull \\hbox \(([0-9.]+)pt too wide\).*", re.MULTILINE)


def overfull_boxes(log: str, more_than: float = 1.0) -> list[str]:
    """The lines of a TeX log on text that sticks out of its line by more than so many points (1/72.27 inch)."""
    return [match[0] for match in _OVERFULL.finditer(log) if float(match[1]) > more_than]


@dataclass(frozen=True)
class Ran:
    """How a command ended: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


class Command(Protocol):
    def __call__(self, *arguments: str, env: Mapping[str, str] | None = None) -> Ran: ...


@pytest.fixture
def run(tmp_path: Path) -> Command:
    """Runs `symroof ARGUMENTS` as a process in an empty folder."""

    def run(*arguments: str, env: Mapping[str, str] | None = None) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "symroof", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONIOENCODING": "utf-8", **(env or {})},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The same inside this process, for many commands in little time; an error of symroof's own is raised."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYMROOF_TRACEBACK", "1")

    def call(*arguments: str, env: Mapping[str, str] | None = None) -> Ran:
        for name, content in (env or {}).items():
            monkeypatch.setenv(name, content)
        monkeypatch.setattr(sys, "argv", ["symroof", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Ran(ended.value.code, out, err)

    return call


def reports_in(folder: Path) -> list[str]:
    """All files and folders in a folder, by place, but for the figures of reports."""
    return sorted(place for place in contents(folder) if "figures" not in place)


def contents(folder: Path) -> dict[str, bytes | None]:
    """Everything below a folder: files with their bytes, folders with None."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def unwrapped(tex: str) -> str:
    """A LaTeX document with its formulas bare of what fits them to the line."""
    for _ in range(3):
        tex = re.sub(r"\\(?:broken|fitted)\{((?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*)\}", r"\1", tex)
    return tex


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how many published cases are worked out."""
    from tests.test_published import coverage

    terminalreporter.write_line(coverage())
