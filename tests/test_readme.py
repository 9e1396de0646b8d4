"""Every command and number in the README, run and compared."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from symroof import library
from symroof.cli import commands

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    return [match[2] for match in BLOCK.finditer(README) if match[1] == language]


def session(block: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output printed below it."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def run(command: str, folder: Path) -> str:
    words = shlex.split(command)
    assert words[0] == "symroof", command
    done = subprocess.run(
        [Path(sys.executable).with_name("symroof"), *words[1:]],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        encoding="utf-8",
    )
    return done.stdout + done.stderr


def own_derivation() -> str:
    return next(block for block in blocks("python") if "from symroof import Derivation" in block)


SESSIONS = [pair for block in blocks("console") for pair in session(block)]


def test_the_readme_shows_commands() -> None:
    assert len(SESSIONS) >= 8


@pytest.mark.parametrize(("command", "expected"), SESSIONS, ids=[command for command, _ in SESSIONS])
def test_a_command_prints_what_the_readme_says(command: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "feeding.py").write_text(own_derivation(), encoding="utf-8")
    (tmp_path / "sheet.txt").write_text("".join(blocks("text")), encoding="utf-8")
    assert run(command, tmp_path) == expected


def test_python_block_prints_what_its_comments_say(tmp_path: Path) -> None:
    block = next(block for block in blocks("python") if "symroof.load" in block)
    expected = re.findall(r"^print\(.*\)  # (.*)$", block, flags=re.MULTILINE)
    assert expected
    done = subprocess.run(
        [sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.splitlines() == expected


def test_own_derivation_is_about_ten_statements() -> None:
    assert len([line for line in own_derivation().splitlines() if line.startswith("feeding.")]) <= 10


def test_set_up_commands_are_the_ones_that_ci_runs() -> None:
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    reports, tests = blocks("sh")
    assert reports.count("&&") == 2
    for piece in ('-e ".[pdf,parquet,plot]" --group dev', "-c .ci/constraints.txt", "-m pytest"):
        assert piece in tests
        assert piece in ci


def test_every_command_and_every_derivation_is_documented() -> None:
    for command in commands.commands:
        assert re.search(rf"symroof {command}\b|`{command}`", README), command
    for derivation in library.shipped():
        assert f"`{derivation}`" in README, derivation
    assert "symroof/data/hardware.toml" in README


def test_number_of_accelerators() -> None:
    from symroof.hardware import chip_ids

    assert f"**{len(chip_ids())} accelerators**" in README
