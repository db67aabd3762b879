"""Start-up times: the help page, the import, the first compilation, and the cost of one call of a kernel.

    python benchmarks/startup.py [--repeat N] [--all-kernels]

Start-up times are wall-clock times of fresh processes from start to exit; the bare interpreter is shown for comparison.
With ``--all-kernels``, a process compiles every kernel, for all kinds of machines, rules and orders: some minutes.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
import timeit
from pathlib import Path
from statistics import median

import simpy
from targets import line

import thinktime as tt

CALLS = 100_000
ROOT = Path(__file__).parent.parent

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


def every_kernel() -> float:
    """The CPU time of a process that runs every kernel, with an empty cache (s)."""
    words = [sys.executable, "-m", "tests.models.kernels.schedules"]
    with tempfile.TemporaryDirectory() as cache:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            words, stdout=subprocess.DEVNULL, env=os.environ | {"NUMBA_CACHE_DIR": cache}, cwd=ROOT, check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def call() -> float:
    """The CPU time of one call of a kernel that takes the whole state of a machine (µs)."""
    from thinktime.models.kernels.pool import finish_due

    pool = tt.Machine(simpy.Environment(), 64, "easy").pool
    finish_due(pool.state, pool.truth, 0.0)
    runs = timeit.repeat(lambda: finish_due(pool.state, pool.truth, 0.0), time.process_time, number=CALLS, repeat=5)
    return median(runs) / CALLS * 1e6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Start-up times.")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="processes per number (default 5)")
    parser.add_argument("--all-kernels", action="store_true", help="compile every kernel, and nothing else")
    words = parser.parse_args()
    if words.all_kernels:
        line("all kernels: empty cache", every_kernel(), "CPU s", 120.0)
        return
    repeat = words.repeat
    for what, given, limit in (
        ("python -c pass", ["-c", "pass"], None),
        ("import thinktime", ["-c", "import thinktime"], None),
        ("import thinktime, and its models", ["-c", "import thinktime; thinktime.Machine"], None),
        ("thinktime --help", ["-m", "thinktime", "--help"], 0.3),
    ):
        runs = [wall([sys.executable, *given]) for _ in range(repeat)]
        line(f"{what} (median of {repeat})", median(runs), "s", limit)
    with tempfile.TemporaryDirectory() as cache:
        compiling, loading = first_replays(cache), first_replays(cache)
    line("first replays under fcfs, easy, conservative: empty cache", sum(compiling), "s", 10.0)
    line("the same in the next process: kernels from the cache", sum(loading), "s")
    line("one call of a kernel with the whole state, from Python", call(), "µs", 1.0)


if __name__ == "__main__":
    main()
