"""CONS_P: the start under conservative backfilling in order of arrival with exact estimates.

In that schedule no job is ever delayed by a later one. Source: S. Srinivasan et al. (JSSPP 2002), as cited in the
cplant paper (section IV).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thinktime.models.results import measures
from thinktime.models.results.result import Result
from thinktime.users.replay import replay
from thinktime.workloads.trace import Trace


def cons_p(result: Result) -> npt.NDArray[np.float64]:
    """The start (s) of each job of a result in the CONS_P schedule of the jobs that ran; NaN for others.

    Submit times are those of the result. A job runs for its true run time, or at most for its estimate if jobs are
    killed at it.
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
