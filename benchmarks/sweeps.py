"""The overhead of a sweep: time per run, time to read the results, memory.

    python benchmarks/sweeps.py [--logs DIR] [--quick]

There are four measurements, each with a target:

* 1,000 short runs (60 synthetic jobs each) by two processes: wall-clock time per run beyond the event loops, including
  starting the processes, generating jobs, measuring and writing. If other programs use the cores, use the processor
  time per run on each of the two cores instead, which is what the wall-clock time would be without them.
* 1,000 replays of KTH under EASY by two processes, each with requested times of its own: wall-clock time of the whole
  sweep, and processor time on each of the two cores.
* The results of 10,000 runs: reading them, and computing means and intervals of all metrics by policy and point.
* Peak memory of the process that submits and writes, for 1,000 and for 10,000 finished runs.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from logs import LOGS, folder, open_log
from targets import line, peak

from thinktime.analysis.experiments import Scenario, Sweep, sweep
from thinktime.analysis.experiments.store import Circumstances, Identity, Store, StoredOutcome
from thinktime.analysis.experiments.sweep import meta
from thinktime.analysis.statistics import mean
from thinktime.workloads import write_swf

SHORT = """
policies = ["fcfs", "easy"]
machine.processors = 16
replications = {seeds}
[workload]
recipe = "lublin"
jobs = 60
users = 4
"""

REPLAYS = """
policies = ["easy"]
machine.processors = {processors}
replications = {seeds}
[trace]
file = "{log}"
requested = "tsafrir"
"""

STORED = """
policies = ["fcfs", "easy"]
machine.processors = 16
replications = {seeds}
[workload]
recipe = "lublin"
jobs = 60
[sweep.grid]
"workload.load" = [0.5, 0.6, 0.7, 0.8, 0.9]
"""

MODEL = "def simulate(policy, seed):\n    return {'wait': seed / 3}\n"
OWN = 'policies = ["easy"]\nmetrics = ["wait"]\nreplications = {runs}\nmodel.function = "model.py:simulate"\n'


def overhead(folder: Path, runs: int) -> None:
    """Measure many short runs by two processes."""
    scenario = Scenario.from_text(SHORT.format(seeds=runs // 2))
    before = _cpu()
    seconds = -time.perf_counter()
    found = sweep(scenario, folder, processes=2)
    seconds += time.perf_counter()
    cpu = _cpu() - before
    loops = float(found.manifest["simulation_seconds"].sum())
    assert len(found) == runs
    line(f"{runs:,} short runs, two processes: wall clock", seconds, "s")
    line("  event loops, all together", loops, "s")
    line("  beyond the event loops, wall clock per run", 1e3 * (seconds - loops / 2) / runs, "ms", 5.0)
    line("  processor time per run on each core, event loops included", 1e3 * cpu / runs / 2, "ms", 5.0)


def replays(place: Path, runs: int, logs: Path) -> None:
    """Measure replays of KTH under EASY by two processes, each with requested times drawn anew."""
    trace, processors, real = open_log("KTH", logs)
    log = logs / f"{LOGS['KTH'].file}.swf.gz" if real else write_swf(trace, place / "log.swf")
    scenario = Scenario.from_text(REPLAYS.format(processors=processors, seeds=runs, log=log))
    before = _cpu()
    seconds = -time.perf_counter()
    found = sweep(scenario, place / "replays", processes=2)
    seconds += time.perf_counter()
    cpu = _cpu() - before
    assert len(found) == runs
    of = "KTH" if real else "a generated log"
    line(f"{runs:,} replays of {of} under easy, two processes: wall clock", seconds, "s", 0.06 * runs)
    line("  processor time on each core", cpu / 2, "s", 0.06 * runs)
    line("  event loops, all together", float(found.manifest["simulation_seconds"].sum()), "s")


def reading(folder: Path, runs: int) -> None:
    """Measure reading and summarising the results of a sweep."""
    scenario = Scenario.from_text(STORED.format(seeds=runs // 10))
    with Store(folder, meta(scenario)) as store:
        store.begin("", "", "", 1, {})
        for outcome in _made_up(scenario, runs):
            store.add(outcome)
        store.seal()
    seconds = -time.perf_counter()
    found = Sweep(folder)
    table = found.table
    assert len(table) == runs
    grouped = table.groupby(["policy", "workload.load"])
    intervals = [mean(values) for _, part in grouped for values in part[found.metrics].to_numpy().T]
    seconds += time.perf_counter()
    line(f"{runs:,} results read, {len(intervals)} means with intervals", seconds, "s", 10.0)


def memory(runs: int) -> float:
    """The peak memory of a process that makes `runs` runs of a trivial model (MB)."""
    words = [sys.executable, __file__, "--runs", str(runs)]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def _peak(runs: int) -> None:
    """Make the runs for `memory`, in its child process."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "model.py").write_text(MODEL)
        scenario = Scenario.from_text(OWN.format(runs=runs), folder=folder)
        sweep(scenario, folder / "out", processes=2)
    print(peak())


def _made_up(scenario: Scenario, runs: int) -> Iterator[StoredOutcome]:
    curve = [round(0.123456 * i, 4) for i in range(60)]
    for i in range(runs):
        load, policy, seed = 0.5 + 0.1 * (i % 5), ("fcfs", "easy")[i // 5 % 2], i // 10 + 1
        run = Identity(f"{policy} {load:.1f} {seed:05d}", "0" * 64, policy, seed, {"workload.load": round(load, 1)})
        metrics = dict.fromkeys(scenario.metrics, 1.0 + i * 7919 % 1000 / 3)
        yield StoredOutcome(run, metrics, {"wait": curve, "utilization": curve}, circumstances=Circumstances())


def _cpu() -> float:
    """The processor time of this process and its terminated children (s)."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The overhead of a sweep.")
    parser.add_argument("--quick", action="store_true", help="a small version, to test the script")
    parser.add_argument("--logs", metavar="DIR", help="folder of the logs (default: THINKTIME_TRACES)")
    parser.add_argument("--runs", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.runs:
        return _peak(given.runs)
    part = 50 if given.quick else 1
    with tempfile.TemporaryDirectory() as place:
        warm = Scenario.from_text(SHORT.format(seeds=1))
        sweep(warm, Path(place) / "warm", processes=1)  # imports
        overhead(Path(place) / "short", 1000 // part)
        replays(Path(place), 1000 // part, folder(given.logs))
        reading(Path(place) / "many", 10_000 // part)
    few, many = 1000 // part, 10_000 // part
    base = memory(few)
    line(f"peak memory with {few:,} runs", base, "MB")
    line(f"more with {many:,} runs", memory(many) - base, "MB", 5.0)


if __name__ == "__main__":
    main()
