"""The cost of a policy in Python: the README's ``shortest_first`` on KTH, by its free processors and by ``view.fits``.

``python benchmarks/own_policy.py --repeat 5``
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

import numpy as np
from logs import folder, open_log

import thinktime as tt


def counting(view: Any, now: float) -> Any:
    """Count what is left by hand."""
    free = view.free
    for job in sorted(view.queue, key=lambda job: job.estimate):
        if job.processors <= free:
            free -= job.processors
            yield job


def asking(view: Any, now: float) -> Any:
    """Ask the view, which knows what was yielded."""
    for job in sorted(view.queue, key=lambda job: job.estimate):
        if view.fits(job):
            yield job


def main() -> None:
    """Print the CPU seconds of the event loop."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    trace, processors, real = open_log("KTH", folder(given.logs))
    if given.quick:
        trace = trace.select(np.arange(len(trace)) < 2000)
    print(f"KTH{'' if real else ' (generated)'}: {len(trace):,} jobs on {processors} processors, seconds")
    for policy in (counting, asking):
        seconds = [tt.replay(trace, policy, processors).simulation_seconds for _ in range(given.repeat)]
        print(f"{policy.__name__:10} median {statistics.median(seconds):.3f}  min {min(seconds):.3f}")


if __name__ == "__main__":
    main()
