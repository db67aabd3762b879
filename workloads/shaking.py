"""Shake a log: move its run times and submissions a little, to see how much of a result is chance.

A schedule is chaotic, so a difference between two policies on one log may be an accident of that log. Input shaking
replays the log several times, each time moved a little; what differs among these runs is the least that a difference
must exceed. The idea is that of D. Tsafrir, K. Ouaknine and D. Feitelson, Reducing performance evaluation sensitivity
and variability by input shaking (MASCOTS 2007). What is moved, and by how much, is ours:

* *Run times.* Each is multiplied by a number of its own, uniform in [1 - share, 1 + share]; a job that ended before its
  estimate still ends by it. A run time at or above its estimate stays. Where no requested time differs from the run
  time, or there is none, estimates move along with the run times.
* *Submissions.* Each time between two submissions of the log in a row, of one user or of two, is multiplied by such a
  number. So jobs keep their order, and those submitted at once stay together. Over a log of a year these errors add up
  to minutes.

Waits stay as recorded. A replay with feedback takes the sessions of the unshaken log, moved along (`Sessions.moved`).
"""

import math

import numpy as np

from thinktime.workloads.arrays import Floats
from thinktime.workloads.grid import TICK, to_grid
from thinktime.workloads.names import quoted
from thinktime.workloads.streams import Seed, stream
from thinktime.workloads.trace import Trace

SHARE = 0.01
"""The usual share by which times are moved."""


def shaken(
    trace: Trace, share: float = SHARE, seed: Seed = 0, *, runtimes: bool = True, submissions: bool = True
) -> Trace:
    """The same jobs, in the same order, with run times and submissions moved by at most ``share`` (0.01: 1 %).

    ``runtimes`` and ``submissions`` say which; what is drawn for one does not depend on the other. Raises
    ``ValueError`` unless the share is at least 0 and below 1.
    """
    share = checked_share(share)
    moved: dict[str, Floats] = {}
    if runtimes:
        moved |= _runtimes(trace, _factors(len(trace), share, seed, "run times"))
    if submissions:
        moved["submit"] = _submissions(trace.submit, _factors(len(trace), share, seed, "submissions"))
    return trace.with_columns(**moved)


def checked_share(share: float) -> float:
    """A share by which times are moved; ``ValueError`` unless it is in [0, 1)."""
    if isinstance(share, bool) or not 0 <= share < 1 or not math.isfinite(share):
        raise ValueError(
            f"times are shaken by a share of themselves from 0 to below 1, such as 0.01, not {quoted(share)}"
        )
    return float(share)


def _factors(jobs: int, share: float, seed: Seed, purpose: str) -> Floats:
    return stream(seed, "shaken", purpose).uniform(1 - share, 1 + share, jobs)


def _runtimes(trace: Trace, factor: Floats) -> dict[str, Floats]:
    asked, runs = trace.requested_time > 0, trace.runtime > 0
    moved = np.where(runs, to_grid(trace.runtime * factor), trace.runtime)
    if (trace.requested_time[asked] == np.maximum(trace.runtime[asked], 1.0)).all():
        return {"runtime": moved, "requested_time": np.where(asked, np.maximum(moved, 1.0), trace.requested_time)}
    limit = np.where(asked, np.maximum(trace.requested_time, 1.0), np.inf)
    return {"runtime": np.where(trace.runtime >= limit, trace.runtime, np.minimum(moved, limit))}


def _submissions(submit: Floats, factor: Floats) -> Floats:
    """Times on the grid, in the same order: what was one after the other does not become one instant."""
    gap = np.diff(submit, prepend=submit[:1])
    moved: Floats = submit[:1] + np.cumsum(np.where(gap > 0, np.maximum(to_grid(gap * factor), TICK), 0.0))
    return moved
