"""The cost of a machine that changes: with windows, failures or outages, and without.

    python benchmarks/changing.py [--logs DIR] [--repeat N] [--quick]

EASY on LANL-CM5: a quarter of the machine is closed from four to six every day, and processors fail so often that about
one job in a hundred is interrupted. Conservative backfilling on the first 10,000 jobs of KTH: every hour one
processor goes down for half an hour; without checkpoints, long jobs begin anew so often that the queue is many times as
long. Times are processor time, once of the event loop alone, with loaded jobs, and of the first also that of the whole
command ``thinktime replay``. Each round measures both machines; the medians of times and of ratios are shown.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
import simpy
from logs import folder, open_log
from targets import line

import thinktime as tt
from thinktime.workloads.changes import repeat, write_events

FAILURES = "mtbf=320d,mttr=4h"
CLOSED = 256
"""Processors in the daily window."""
LIMIT = 2
"""How many times as long a replay may take."""
HOURLY = 5
"""The same under conservative backfilling with an outage in every hour."""


def daily(log: tt.Trace) -> tuple[tt.Window, ...]:
    """A window on each day of the log."""
    return repeat(tt.Window(4 * tt.HOUR, 6 * tt.HOUR, CLOSED), every="1d", until=float(log.submit[-1]) + 30 * tt.DAY)


def event_loop(log: tt.Trace, spec: tt.MachineSpec) -> tuple[float, tt.Result]:
    """The processor time of one replay's event loop (s), and the result."""
    env = simpy.Environment()
    machine = spec.open(env)
    jobs = machine.watch(machine.load(log))
    machine.announce(range(len(log)))
    began = time.process_time()
    env.run(until=jobs)
    return time.process_time() - began, machine.result()


def command(path: Path, *options: str) -> float:
    """The processor time of the whole command (s)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [sys.executable, "-m", "thinktime", "replay", str(path), "--policy", "easy", "--quiet", *options]
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def hourly(log: tt.Trace, processors: int) -> tt.Outages:
    """Outages that take a processor away in every hour of a log, for half an hour."""
    starts, rng = np.arange(0.0, float(log.submit[-1]), tt.HOUR), np.random.default_rng(1)
    return tt.Outages.of((start, start + tt.HOUR / 2, [rng.integers(processors)]) for start in starts)


def show(what: str, pairs: list[tuple[float, float]], limit: float = LIMIT) -> None:
    """Print the times of both machines, of all rounds but the first, which imports what is missing."""
    line(f"{what}: without changes", median(a for a, _ in pairs[1:]), "s")
    line(f"{what}: with changes", median(b for _, b in pairs[1:]), "s")
    line("  over that without", median(b / a for a, b in pairs[1:]), "times", limit)


def main() -> None:
    """Both machines, in Python and on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--logs", metavar="DIR", help="folder of the logs (default: THINKTIME_TRACES)")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="rounds (default: 5)")
    parser.add_argument("--quick", action="store_true", help="the first 1,000 jobs, to test the script")
    given = parser.parse_args()
    log, processors, real = open_log("LANL-CM5", folder(given.logs))
    if given.quick:
        log = log.select(np.arange(len(log)) < 1_000)
    windows, rounds = daily(log), range(max(given.repeat, 1) + 1)
    steady = tt.MachineSpec(processors, "easy")
    changing = tt.MachineSpec(processors, "easy", changes=tt.Changes(windows, failures=tt.Failures.parse(FAILURES)))
    pairs = []
    for _ in rounds:
        (before, _), (after, result) = event_loop(log, steady), event_loop(log, changing)
        pairs.append((before, after))
    hit = len(np.unique(result.runs["job"][result.runs["how"] == "failed"])) / len(log)
    name = "LANL-CM5" if real else "generated, as LANL-CM5"
    print(
        f"{name}: {len(log):,} jobs on {processors:,} processors; {len(windows):,} windows, {hit:.2%} of the jobs hit"
    )
    show("event loop", pairs)
    with tempfile.TemporaryDirectory() as there:
        path, events = Path(there) / "log.swf", Path(there) / "events.csv"
        tt.write_swf(log, path)
        write_events(events, windows)
        options = ("--events", str(events), "--failures", FAILURES)
        size = ("--processors", str(processors))
        show("whole command", [(command(path, *size), command(path, *size, *options)) for _ in rounds])
    log, processors, _ = open_log("KTH", folder(given.logs))
    log = log.select(np.arange(len(log)) < (500 if given.quick else 10_000))
    steady = tt.MachineSpec(processors, "conservative")
    outages = hourly(log, processors)
    print(f"KTH, the first {len(log):,} jobs, conservative, an outage in every hour")
    for what, checkpoint in (("checkpoints", 10 * tt.MINUTE), ("no checkpoints", None)):
        changes = tt.Changes(outages=outages, checkpoint=checkpoint)
        failing = tt.MachineSpec(processors, "conservative", changes=changes)
        pairs = [(event_loop(log, steady)[0], event_loop(log, failing)[0]) for _ in rounds]
        show(what, pairs, HOURLY)


if __name__ == "__main__":
    main()
