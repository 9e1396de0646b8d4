"""How long a one-line answer takes beside `import pint`, as processes: `python -m tests.time_calc [RUNS]`.

The two alternate, and their medians are compared, so that what else the machine does falls on both alike.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

LIMIT = 1.25  # times the import of pint
IMPORT = ("-c", "import pint")
ANSWER = ("-m", "symroof", "calc", "2*8192*512*2^20 FLOP / 312 TFLOP/s", "--in", "ms")


def seconds(arguments: tuple[str, ...]) -> float:
    """The wall clock's seconds for one process."""
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def main(runs: int = 30) -> int:
    """Prints both medians and their ratio. Returns 1 if it is above the limit."""
    pairs = [(seconds(IMPORT), seconds(ANSWER)) for _ in range(runs + 1)][1:]  # the first one fills the disk's cache
    imports, answers = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = answers / imports
    print(f"import pint {imports:.3f} s, calc {answers:.3f} s, ratio {ratio:.3f} (limit {LIMIT}), {runs} runs each")
    return int(ratio > LIMIT)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
