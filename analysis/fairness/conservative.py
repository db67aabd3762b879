"""CONS_P: the start in one conservative first-come-first-served schedule in which every estimate is exact.

There no job is ever delayed by a later one. Source: S. Srinivasan et al. (JSSPP 2002), as the cplant paper
quotes it (section IV).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thinktime.models.results import measures
from thinktime.models.results.result import Result
from thinktime.users.replay import replay
from thinktime.workloads.trace import Trace


def cons_p(result: Result) -> npt.NDArray[np.float64]:
    """The start (s) of every job of a result in the CONS_P schedule of the jobs that ran; NaN for others.

    Submit times are those of the result. A job runs there for as long as it would have run undisturbed: for
    its true run time, cut at its estimate where jobs are killed then.
    """
    ran = measures.ended(result)
    run = result["runtime"][ran]
    run = np.minimum(run, result["estimate"][ran]) if result.overrun == "kill" else run
    known = np.isfinite(run)
    rows = np.flatnonzero(ran)[known]
    if not len(rows):
        return np.full(len(result), np.nan)
    trace = Trace(
        {
            "id": result["id"][rows],
            "submit": result["submit"][rows],
            "runtime": run[known],
            "requested_time": np.maximum(run[known], 1.0),
            "requested_processors": result["processors"][rows],
        }
    )
    exact = replay(trace, "conservative", result.processors)
    starts = np.full(len(result), np.nan)
    starts[rows[np.lexsort((result["id"][rows], result["submit"][rows]))]] = exact["start"]
    return starts
