"""No line brings out anything but symroof's own errors, takes a second, or much memory."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import ROOT
from tests.fuzz_calc import LONGEST, SEEDS, every_way, in_range, line

pytestmark = pytest.mark.slow
_SLOW = 10  # times slower a machine may be than the one that the script's limit is for

LINES = st.builds(line, st.randoms(use_true_random=False))


def only_refused(text: str) -> None:
    start = time.process_time()
    every_way(text)
    in_range(text)
    assert time.process_time() - start < _SLOW * LONGEST


@pytest.mark.parametrize("text", SEEDS, ids=lambda text: repr(text[:30]))
def test_seeds(text: str) -> None:
    only_refused(text)


@settings(max_examples=2_000, suppress_health_check=[HealthCheck.too_slow])
@given(LINES)
def test_random_lines(text: str) -> None:
    only_refused(text)


def test_the_script_that_runs_more_of_them() -> None:
    """It ends well only where no line breaks a rule, and the process has never had more than 300 MB."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz_calc", "200", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert f"200 texts and {len(SEEDS)} seeds" in done.stdout
