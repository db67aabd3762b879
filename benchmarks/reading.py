"""Reading and writing logs: processor time for a million lines, and memory.

    python benchmarks/reading.py [--repeat N] [--quick]

The log is `thinktime generate lublin` with a million jobs, plain and compressed. Each number is the median over fresh
processes that have read and written a log of one line before, so that everything is imported. Processor times are
shown, so that other programs do not count. *Beyond the columns* is the peak memory of reading, less that of the
process before it and less the eighteen columns of the result. Most of the time of writing a compressed log is spent in
zlib.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from targets import line, peak

JOB = "1 0 0 60 1 -1 -1 1 600 -1 1 -1 -1 -1 -1 -1 -1 -1\n"


def measure(log: Path, out: Path) -> None:
    """Print the times of reading and of writing (s), and the memory of reading (MB)."""
    from thinktime.workloads import read_swf, write_swf

    first = out.with_name("first.swf")
    first.write_text(JOB)
    write_swf(read_swf(first), out)
    before = peak()
    traces = []
    reading = _seconds(lambda: traces.append(read_swf(log)))
    columns = sum(array.nbytes for array in traces[0].columns.values()) / 1e6
    memory = peak() - before - columns
    print(reading, _seconds(lambda: write_swf(traces[0], out)), memory)


def measured(log: Path) -> list[float]:
    """The numbers of `measure` from a fresh process."""
    words = [sys.executable, __file__, "--log", str(log)]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def _seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Reading and writing logs of a million lines.")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="processes per number (default 5)")
    parser.add_argument("--quick", action="store_true", help="a short log, to test the script")
    parser.add_argument("--log", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.log:
        return measure(given.log, given.log.with_name(f"out{''.join(given.log.suffixes)}"))
    jobs, repeat = (10_000, 1) if given.quick else (1_000_000, given.repeat)
    with tempfile.TemporaryDirectory() as place:
        for name, limit in (("log.swf", 1.0), ("log.swf.gz", None)):
            log = Path(place) / name
            recipe = ["lublin", "--jobs", str(jobs), "--processors", "256", "--load", "0.86"]
            words = [sys.executable, "-m", "thinktime", "generate", *recipe, "-o", str(log)]
            subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
            runs = [measured(log) for _ in range(repeat)]
            reading, writing, memory = (statistics.median(column) for column in zip(*runs, strict=True))
            line(f"{name}: {jobs:,} lines read", reading, "s", 1.0)
            line(f"{name}: memory beyond the columns", memory, "MB", 200.0)
            line(f"{name}: {jobs:,} lines written", writing, "s", limit)


if __name__ == "__main__":
    main()
