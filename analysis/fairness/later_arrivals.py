"""The fair start time of Sabin and Sadayappan: when a job would have started if nobody had come after it.

For every job, at its arrival, the state of machine and policy is copied (`thinktime.models.forecast`), all
later submissions are left out, and the *same* policy goes on until the job starts. Jobs of the same instant
with smaller numbers have come before it. Source: G. Sabin, G. Kochhar, P. Sadayappan, Job fairness in
non-preemptive job scheduling (ICPP 2004), as the cplant paper quotes it (section IV); the forecast uses true
run times. The policy goes on planning with the same estimates, or with exact ones from the arrival on. A start
more than 1 s later is unfair.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thinktime.models.forecast import fair_start
from thinktime.models.phases import Phases
from thinktime.models.results.result import Result
from thinktime.users.replay import replay
from thinktime.workloads.names import key_of
from thinktime.workloads.trace import Trace

Floats = npt.NDArray[np.float64]
ESTIMATES = ("same", "exact")
TOLERANCE = 1.0
"""A start within so many seconds of a job's fair start time is fair."""


class NoLaterArrivals:
    """An observer that forecasts each job's start at its submission: ``machine.observe(NoLaterArrivals())``.

    ``estimates`` says what the policy plans with in the forecast: the ``same`` as ever, or ``exact`` ones: true run
    times, cut at the request where jobs are killed then, and at least 1 s. Reservations that it has made with others
    are made anew then, in queue order (our decision); policies that cannot do this are refused (``ValueError``).
    """

    forecasts = True

    def __init__(self, estimates: str = "same") -> None:
        if estimates not in ESTIMATES:
            raise ValueError(f"estimates cannot be {estimates!r}; {key_of(estimates, ESTIMATES, 'they')}")
        self._exact = estimates == "exact"
        self._starts: dict[int, float] = {}

    def before_submissions(self, phases: Phases, rows: npt.NDArray[np.int64], now: float) -> None:
        """Forecast, for one job after the other."""
        for i, row in enumerate(rows.tolist()):
            self._starts[row] = fair_start(phases, rows[: i + 1], now, exact=self._exact)

    def fst(self, result: Result) -> Floats:
        """The fair start times of a result of the observed machine that holds every job, one per row (s)."""
        return np.array([self._starts.get(row, np.nan) for row in range(len(result))])


def no_later_arrivals(
    trace: Trace,
    policy: Any = "easy",
    processors: int | None = None,
    estimates: str = "same",
) -> tuple[Result, Floats]:
    """Replay a log with a forecast per job: the result, and the fair start time of each of its rows (s).

    A `MachineSpec` may stand in the place of ``policy``.

    ``estimates`` is what the policy plans with in the forecasts (`NoLaterArrivals`); the replay is the same.
    """
    observer = NoLaterArrivals(estimates)
    result = replay(trace, policy, processors, observers=[observer])
    return result, observer.fst(result)
