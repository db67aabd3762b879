"""What a job costs where very many run, wait, or are known: CPU time, and memory.

    python benchmarks/scale.py [--jobs N] [--quick]

The first three numbers are CPU time of the event loop per submitted job, from the time on at which all the jobs of the
heading run or wait. The others are those of `thinktime generate lublin` with ten million jobs for 256 processors at a
load of 0.86, in a process of its own: read, replayed under EASY, and summed up. Memory is the peak of that process.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import simpy
from targets import line, peak

import thinktime as tt
from thinktime.workloads import Trace, read_swf


def per_job(trace: Trace, policy: str, processors: int, first: int) -> float:
    """CPU time per job after the ``first`` ones, µs."""
    env = simpy.Environment()
    machine = tt.Machine(env, processors, policy)
    machine.announce(machine.load(trace))
    env.run(until=1.0)
    seconds = -time.process_time()
    env.run(until=trace.submit.item(-1) + 1.0)
    return (seconds + time.process_time()) / (len(trace) - first) * 1e6


def many_running(running: int, more: int) -> Trace:
    """Jobs of one processor: so many at once, then one a second, of which as many run at any time."""
    rng = np.random.default_rng(1)
    runtime = np.ceil(rng.exponential(running, running + more)).clip(1)
    return Trace(
        {
            "submit": np.concatenate([np.zeros(running), np.arange(1.0, more + 1)]),
            "runtime": runtime,
            "requested_processors": np.ones(len(runtime), np.int64),
            "requested_time": np.ceil(runtime * rng.uniform(1, 5, len(runtime)) / 60) * 60,
        }
    )


def many_waiting(waiting: int, more: int, processors: int) -> Trace:
    """So many jobs at once, then as much work as the machine can do."""
    rng = np.random.default_rng(1)
    width = 2 ** rng.integers(0, 7, waiting + more)
    runtime = np.ceil(rng.lognormal(6, 1.5, len(width))).clip(1, 86_400)
    gaps = rng.exponential(float((runtime * width).mean()) / processors, more)
    return Trace(
        {
            "submit": np.floor(np.concatenate([np.zeros(waiting), np.cumsum(gaps) + 1])),
            "runtime": runtime,
            "requested_processors": width,
            "requested_time": np.ceil(runtime * rng.uniform(1, 6, len(width)) / 600) * 600,
        }
    )


def measure(log: Path) -> None:
    """Print the CPU time of reading, replay and summary (s), the peak memory (MB), and bytes per job of a result."""
    tt.replay(many_waiting(8, 8, 256), "easy", 256).summary()
    begin = time.process_time()
    result = tt.replay(read_swf(log), "easy", 256)
    result.summary()
    columns = sum(each.nbytes for each in result.columns.values())
    print(time.process_time() - begin, peak(), columns / len(result))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The cost of a job where very many run, wait, or are known.")
    parser.add_argument("--quick", action="store_true", help="small numbers, to test the script")
    parser.add_argument("--jobs", type=int, default=10_000_000, metavar="N", help="jobs of the log")
    parser.add_argument("--log", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.log:
        return measure(given.log)
    less = 100 if given.quick else 1
    for policy in ("easy", "conservative"):  # imports what is missing
        per_job(many_waiting(10, 10, 256), policy, 256, 10)
    n = 60_000 // less
    running = per_job(many_running(n, n), "easy", 2 * n, n)
    line(f"easy: {n:,} jobs run", running, "µs a job", 3.0)
    for policy, waiting, more, limit in (("easy", 20_000, 30_000, 3.0), ("conservative", 5_000, 2_000, 500.0)):
        n = waiting // less
        cost = per_job(many_waiting(n, more // less, 256), policy, 256, n)
        line(f"{policy}: {n:,} jobs wait", cost, "µs a job", limit)
    jobs = given.jobs // less
    with tempfile.TemporaryDirectory() as place:
        log = Path(place) / "log.swf"
        recipe = ["lublin", "--jobs", str(jobs), "--processors", "256", "--load", "0.86"]
        words = [sys.executable, "-m", "thinktime", "generate", *recipe, "-o", str(log)]
        subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
        words = [sys.executable, __file__, "--log", str(log)]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
        seconds, memory, columns = (float(word) for word in done.stdout.split())
        line(f"{jobs:,} jobs: read, replayed, summed up", seconds, "s", 40.0 * jobs / 1e7)
        line(f"{jobs:,} jobs: peak memory", memory / 1e3, "GB", 4.0)
        line("the columns of its result", columns, "bytes a job", 200.0)


if __name__ == "__main__":
    main()
