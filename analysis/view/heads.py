"""Who was first in the queue when each job was last passed over, and when there would have been room for that head.

From the last submission or end before a job starts until its start, nothing changes: it was last passed over then. The
*head* is the first job of the queue at that time. Its *shadow time* is when the running jobs leave it enough processors
if each ends at its estimate; EASY starts no job that would delay it.

The schedule alone tells both on a pool whose queue is in order of submission, so for other rules nothing is said.
"""

import re
from bisect import bisect_left, insort
from typing import NamedTuple

import numpy as np

from thinktime.models.results.result import Result
from thinktime.models.state import Reason, State
from thinktime.workloads.arrays import Floats, Whole

NO_JOB = -1
RULES = re.compile(r"(easy|none):order=fcfs(,reservations=\d+)?")

PREDICTED = "policies plan with estimates: "
"""How a result notes that its machine did not plan with what users asked for."""


class Heads(NamedTuple):
    """For each job: the row of the head (-1: it did not wait, or nothing is known), and the head's shadow time (s)."""

    head: Whole
    shadow: Floats


def heads(result: Result) -> Heads:
    """The head of the queue, and its shadow time, when each job was last passed over."""
    nothing = Heads(np.full(len(result), NO_JOB), np.full(len(result), np.nan))
    if not (RULES.fullmatch(result.policy) and _only_a_queue(result)):
        return nothing
    submit, left = result["submit"], _left(result)
    late = np.flatnonzero(left > submit)
    times = np.unique(np.concatenate([submit, result["end"][np.isfinite(result["end"])]]))
    passed = times[np.searchsorted(times, left[late], side="left") - 1]
    order = np.lexsort((result["id"], submit))
    gone = np.maximum.accumulate(left[order]) if len(order) else left
    head, shadow = nothing
    head[late] = order[np.searchsorted(gone, passed, side="right")]
    shadow[late] = _shadows(result, head[late], passed)
    return Heads(head, shadow)


def _only_a_queue(result: Result) -> bool:
    """Whether a job waits for nothing but its turn and processors, by the estimates that the result has."""
    columns = result.columns
    aside = "eligible" in columns and bool((columns["eligible"] != result["submit"]).any())
    limited = "reason" in columns and bool((columns["reason"] == Reason.LIMIT).any())
    predicted = any(note.startswith(PREDICTED) for note in result.notes)
    return result.history is None and result.nodes is None and not (aside or limited or predicted)


def _left(result: Result) -> Floats:
    """When each job left the queue: started, or was taken back; never, or before it came."""
    started = np.where(np.isnan(result["start"]), result["end"], result["start"])
    left = np.where(np.isnan(started), np.inf, started)
    return np.asarray(np.where(result["state"] == State.REFUSED, -np.inf, left))


def _shadows(result: Result, head: Whole, times: Floats) -> Floats:
    """When there is room for each head by the estimates, as seen from a time; NaN beside a job that overran its own."""
    size, expected = result["processors"].tolist(), (result["start"] + result["estimate"]).tolist()
    changes, running, free, done = _changes(result), list[tuple[float, int]](), result.processors, 0
    found: dict[tuple[float, int], float] = {}
    for at, job in sorted(set(zip(times.tolist(), head.tolist(), strict=True))):
        while done < len(changes) and changes[done][0] <= at:
            _, begins, row = changes[done]
            one = (expected[row], size[row])
            if begins:
                insort(running, one)
            else:
                del running[bisect_left(running, one)]
            free, done = free + (-size[row] if begins else size[row]), done + 1
        found[at, job] = _room(running, free, size[job], at)
    return np.array([found[key] for key in zip(times.tolist(), head.tolist(), strict=True)])


def _changes(result: Result) -> list[tuple[float, bool, int]]:
    """The starts and ends of all runs by time, ends first."""
    start, end = result["start"], result["end"]
    ran = np.isfinite(start) & ~(end == start)
    begun, over = np.flatnonzero(ran), np.flatnonzero(ran & np.isfinite(end))
    found = [(time, True, row) for time, row in zip(start[begun].tolist(), begun.tolist(), strict=True)]
    return sorted(found + [(time, False, row) for time, row in zip(end[over].tolist(), over.tolist(), strict=True)])


def _room(running: list[tuple[float, int]], free: int, wanted: int, now: float) -> float:
    """The expected end after which enough processors are free; NaN if they are free now, or never."""
    when = now
    for expected, size in running:
        if free >= wanted:
            break
        if expected <= now:
            return np.nan
        free, when = free + size, expected
    return when if free >= wanted and when > now else np.nan
