"""Start-up times: the help page, the import, the first compilation.

    python benchmarks/startup.py [--repeat N]

Times are wall-clock times of fresh processes from start to exit; the bare interpreter is shown for comparison.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from statistics import median

REPLAYS = """
import time
import thinktime as tt
trace = tt.Trace({"submit": [0, 0, 1], "runtime": [5, 5, 5], "requested_processors": [2, 2, 1],
                  "requested_time": [6, 6, 6]})
for policy in ("fcfs", "easy", "conservative"):
    seconds = -time.perf_counter()
    tt.replay(trace, policy, 3)
    print(f"{seconds + time.perf_counter():.3f}")
"""


def wall(words: list[str], environment: dict[str, str] | None = None) -> float:
    """The wall-clock time of a process (s)."""
    seconds = -time.perf_counter()
    subprocess.run(words, stdout=subprocess.DEVNULL, env=environment, check=True)
    return seconds + time.perf_counter()


def first_replays(cache: str) -> list[float]:
    """The durations of the first replays under fcfs, easy and conservative, with this cache folder (s)."""
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-c", REPLAYS], stdout=subprocess.PIPE, text=True, env=environment, check=True
    )
    return [float(line) for line in done.stdout.split()]


def line(what: str, seconds: float, limit: float | None = None) -> None:
    """Print a number, and whether it meets its target."""
    told = "" if limit is None else f"   target {limit:g} s: {'met' if seconds <= limit else 'NOT MET'}"
    print(f"{what:<60}{seconds:>7.2f} s{told}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Start-up times.")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="processes per number (default 5)")
    repeat = parser.parse_args().repeat
    for what, words, limit in (
        ("python -c pass", ["-c", "pass"], None),
        ("import thinktime", ["-c", "import thinktime"], None),
        ("import thinktime, and its models", ["-c", "import thinktime; thinktime.Machine"], None),
        ("thinktime --help", ["-m", "thinktime", "--help"], 0.5),
    ):
        runs = [wall([sys.executable, *words]) for _ in range(repeat)]
        line(f"{what} (median of {repeat})", median(runs), limit)
    with tempfile.TemporaryDirectory() as cache:
        compiling, loading = first_replays(cache), first_replays(cache)
    line("first replays under fcfs, easy, conservative: empty cache", sum(compiling), 15.0)
    line("the same in the next process: kernels from the cache", sum(loading))


if __name__ == "__main__":
    main()
