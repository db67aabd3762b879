"""The speed of replays under FCFS, EASY and conservative backfilling, relative to a bare SimPy loop.

    python benchmarks/replay.py [--logs DIR] [--repeat N] [--quick]

Each log is measured in its own process, in N rounds of the bare loop (`bare.py`) and the three policies. Times are
CPU times of the event loop alone, without reading the log. A ratio is a policy's time over the bare
loop's in the same round; the median over the rounds is shown. Peak memory is that of the process, including the log.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

POLICIES = ("fcfs", "easy", "conservative")
MEASURED = ("LANL-CM5", "KTH", "CTC", "CEA-Curie")
QUICK = 5_000  # jobs of each log with --quick
WIDTH = "{:<13} {:>8} {:>8} {:>9} {:>7}   {}"

RATIOS = {
    "KTH": {"easy": 0.15, "conservative": 0.8},
    "LANL-CM5": {"easy": 0.10, "conservative": 0.5},
    "CTC": {"easy": 0.2, "conservative": 3},
    "CEA-Curie": {"easy": 0.15, "conservative": 2},
}
"""The most that a policy may take, in times of the bare loop."""
MEMORY = {"CEA-Curie": 1.0}
"""The maximum memory (GB)."""


def measure(name: str, logs: Path, repeat: int, quick: bool) -> dict[str, Any]:
    """Run all rounds on one log, in this process."""
    from bare import bare_loop
    from logs import open_log

    import thinktime as tt

    trace, processors, real = open_log(name, logs)
    if quick:
        trace = trace.select([row < QUICK for row in range(len(trace))])
    seconds: dict[str, list[float]] = {name: [] for name in ("bare", *POLICIES)}
    for _ in range(repeat):
        seconds["bare"].append(bare_loop(trace))
        for policy in POLICIES:
            seconds[policy].append(tt.replay(trace, policy, processors).simulation_seconds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "jobs": len(trace),
        "processors": processors,
        "real": real,
        "seconds": seconds,
        "gigabytes": peak / (1e9 if sys.platform == "darwin" else 1e6),
    }


def in_a_child(name: str, logs: str | None, repeat: int, quick: bool) -> dict[str, Any]:
    """Run `measure` in a fresh process; on Linux children inherit the peak memory, so this one must stay small."""
    words = [sys.executable, __file__, "--one", name, "--repeat", str(repeat)]
    words += ["--logs", logs] if logs else []
    words += ["--quick"] if quick else []
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def report(name: str, found: dict[str, Any], judged: bool) -> None:
    """Print one log's table."""
    jobs, seconds = found["jobs"], found["seconds"]
    kind = "" if found["real"] else ", GENERATED: the real log is not available"
    print(f"{name}: {jobs:,} jobs on {found['processors']:,} processors{kind}")
    print(WIDTH.format("", "median s", "min s", "jobs/s", "ratio", "target").rstrip())
    for policy, runs in seconds.items():
        middle = median(runs)
        ratio = median(run / bare for run, bare in zip(runs, seconds["bare"], strict=True))
        rate = jobs / middle
        most = RATIOS.get(name, {}).get(policy)
        told = f"{most:g}: {'met' if ratio <= most else 'NOT MET'}" if judged and most else ""
        label = "bare SimPy" if policy == "bare" else policy
        row = (label, f"{middle:.4f}", f"{min(runs):.4f}", f"{rate:,.0f}", f"{ratio:.2f}", told)
        print(WIDTH.format(*row).rstrip())
    limit = MEMORY.get(name)
    peak = found["gigabytes"]
    verdict = f" (at most {limit:g} GB: {'met' if peak <= limit else 'NOT MET'})" if limit and judged else ""
    print(f"peak memory {peak:.2f} GB{verdict}\n", flush=True)


def main() -> None:
    """Measure every log and print its table."""
    parser = argparse.ArgumentParser(description="Replay speed, relative to a bare SimPy loop.")
    parser.add_argument("--logs", metavar="DIR", help="folder of the logs (default: THINKTIME_TRACES)")
    parser.add_argument("--repeat", type=int, metavar="N", help="rounds (default 5)")
    parser.add_argument(
        "--quick", action="store_true", help=f"one round on {QUICK:,} jobs of each log, to test the script"
    )
    parser.add_argument("--one", metavar="NAME", help=argparse.SUPPRESS)
    given = parser.parse_args()
    repeat = given.repeat or (1 if given.quick else 5)
    if given.one:
        from logs import folder

        print(json.dumps(measure(given.one, folder(given.logs), repeat, given.quick)))
        return
    for name in MEASURED:
        report(name, in_a_child(name, given.logs, repeat, given.quick), judged=not given.quick)


if __name__ == "__main__":
    main()
