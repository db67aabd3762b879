"""Fair start times by simulation: without later arrivals (Sabin and Sadayappan), and CONS_P.

**Without later arrivals.** At each job's arrival, the state of machine and policy is copied
(`thinktime.models.machine.forecast`), and the *same* policy continues without later submissions until the job starts.
Jobs of the same instant with smaller numbers come before it. The forecast uses true run times. The policy plans with
the same estimates as before, or with exact ones from the arrival on. A start more than 1 s later is unfair. Source: G.
Sabin, G. Kochhar, P. Sadayappan, Job fairness in non-preemptive job scheduling (ICPP 2004), as cited in the cplant
paper (section IV).

**CONS_P** is the start under conservative backfilling in order of arrival with exact estimates, on a machine that does
not change. In that schedule no job is ever delayed by a later one. Source: S. Srinivasan et al. (JSSPP 2002), as cited
in the cplant paper (section IV).
"""

from typing import Any

import numpy as np

from thinktime.models.machine.forecast import fair_start
from thinktime.models.machine.instants import Instants
from thinktime.models.results import measures
from thinktime.models.results.result import Result
from thinktime.users.replay import replay
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.trace import Trace

ESTIMATES = ("same", "exact")
TOLERANCE = 1.0
"""A start at most this much (s) after the fair start time is fair."""


class NoLaterArrivals:
    """An observer that forecasts each job's start at its submission: ``machine.observe(NoLaterArrivals())``.

    ``estimates`` is what the policy plans with in the forecast: the ``same`` as before, or ``exact`` ones (true run
    times, at most the requested time if jobs are killed at it, at least 1 s). With ``exact`` existing reservations
    are made again in queue order (our choice); policies that cannot do this are refused (``ValueError``).
    """

    def __init__(self, estimates: str = "same") -> None:
        if estimates not in ESTIMATES:
            raise ValueError(f"estimates cannot be {quoted(estimates)}; {key_of(estimates, ESTIMATES, 'they')}")
        self._exact = estimates == "exact"
        self._starts: dict[int, float] = {}

    def before_submissions(self, instants: Instants, rows: Whole, now: float) -> None:
        """Forecast the start of each job in turn."""
        for i, row in enumerate(rows.tolist()):
            self._starts[row] = fair_start(instants, rows[: i + 1], now, exact=self._exact)

    def fst(self, result: Result) -> Floats:
        """The fair start times (s), one per row of the observed machine's complete result."""
        return np.array([self._starts.get(row, np.nan) for row in range(len(result))])


def no_later_arrivals(
    trace: Trace, policy: Any = "easy", processors: int | None = None, estimates: str = "same"
) -> tuple[Result, Floats]:
    """Replay a log with a forecast per job; returns the result and the fair start time of each of its rows (s).

    ``policy`` may be a `MachineSpec`.
    ``estimates`` is what the policy plans with in the forecasts (`NoLaterArrivals`); the replay is the same.
    """
    observer = NoLaterArrivals(estimates)
    result = replay(trace, policy, processors, observers=[observer])
    return result, observer.fst(result)


def cons_p(result: Result) -> Floats:
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
