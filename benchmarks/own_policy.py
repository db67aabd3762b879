"""The cost of a policy in Python on KTH, in microseconds of CPU: the event loop's time over the calls of `select`.

``python benchmarks/own_policy.py --repeat 5``
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from logs import folder, open_log

import thinktime as tt


def by_arrival(view: Any, now: float) -> Iterator[Any]:
    """First come, first served."""
    for job in view.queue:
        if not view.fits(job):
            return
        yield job


def shortest_first(view: Any, now: float) -> Iterator[Any]:
    """The README's: ask the view, which knows what was yielded."""
    for job in sorted(view.queue, key=lambda job: job.estimate):
        if view.fits(job):
            yield job


def counting(view: Any, now: float) -> Iterator[Any]:
    """The same, but count what is left by hand."""
    free = view.free
    for job in sorted(view.queue, key=lambda job: job.estimate):
        if job.processors <= free:
            free -= job.processors
            yield job


def easy(view: Any, now: float) -> Iterator[Any]:
    """EASY backfilling, from the requests alone."""
    queue = iter(view.queue)
    free, started, head = view.free, [], None
    for job in queue:
        if job.processors > free:
            head = job
            break
        free -= job.processors
        started.append((now + job.estimate, job.processors))
        yield job
    if head is None or free == 0:
        return
    room, shadow = free, now
    for end, processors in sorted([*((job.expected_end, job.processors) for job in view.running), *started]):
        if room >= head.processors and end > shadow:
            break
        room, shadow = room + processors, end
    extra = room - head.processors
    for job in queue:
        if job.processors > free:
            continue
        if now + job.estimate > shadow:
            if job.processors > extra:
                continue
            extra -= job.processors
        free -= job.processors
        yield job


def earliest(view: Any, now: float) -> Iterator[Any]:
    """First come, first served, and for the head that does not fit, when it would."""
    for job in view.queue:
        if not view.fits(job):
            view.earliest(job)
            return
        yield job


def passes(policy: Any, trace: tt.Trace, where: dict[str, Any]) -> tuple[int, float]:
    """How often a policy is called, and how many jobs wait then on average."""
    called: list[int] = []

    def counted(view: Any, now: float) -> Any:
        called.append(len(view.waiting))
        return policy(view, now)

    tt.replay(trace, counted, **where)
    return len(called), sum(called) / len(called)


def main() -> None:
    """Print a line for each policy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    trace, processors, real = open_log("KTH", folder(given.logs))
    if given.quick:
        trace = trace.select(np.arange(len(trace)) < 2000)
    pool: dict[str, Any] = {"processors": processors}
    nodes: dict[str, Any] = {"nodes": tt.Nodes.uniform(processors // 4, processors=4)}
    print(f"KTH{'' if real else ' (generated)'}: {len(trace):,} jobs on {processors} processors; microseconds a pass")
    cases = [(policy, "", pool) for policy in (by_arrival, shortest_first, counting, easy, earliest)]
    for policy, suffix, where in [*cases, (shortest_first, " on nodes", nodes), (earliest, " on nodes", nodes)]:
        times, waiting = passes(policy, trace, where)
        best = min(tt.replay(trace, policy, **where).simulation_seconds or 0.0 for _ in range(given.repeat))
        name = policy.__name__ + suffix
        print(f"{name:24} {best / times * 1e6:6.2f}  ({times:,} passes, on average {waiting:.1f} jobs wait)")


if __name__ == "__main__":
    main()
