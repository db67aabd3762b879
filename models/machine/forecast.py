"""Forecasts: a copy of the machine's state and policy, run forward without SimPy and without newcomers.

A forecast goes through the same loop as the machine (`thinktime.models.engine.leap`), so it starts jobs as the machine
would. A forecast by estimates gives predicted starts, which users may know. A forecast with true run times gives fair
start times and is for analysis only: policies and users never get one.

A forecast copies the policy and some 40 bytes per row; columns that do not change are shared.
"""

import sys
from math import inf, nextafter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes.leap import ENDS, TELL
from thinktime.models.engine.leap import following
from thinktime.models.engine.sources.sources import Forecast as Nobody
from thinktime.models.jobs import checks as machine_checks
from thinktime.models.jobs.columns import Requests
from thinktime.models.jobs.view import Columns
from thinktime.models.machine.instants import Instants
from thinktime.models.machine.questions import Questions
from thinktime.workloads.arrays import Rows

NONE = -1


class Forecast(Instants):
    """What would happen from now on if no user submitted or withdrew anything.

    ``source`` are the instants of a machine, which an observer gets (`Machine.observe`). The first ``rows`` rows take
    part, by default all. With ``by_estimates``, jobs run as long as they asked for. With ``exact``, the policy knows
    how long jobs run, and plans everything anew in queue order (our decision); a policy that cannot raises
    ``ValueError``.
    """

    def __init__(
        self, source: Instants, now: float, rows: int | None = None, by_estimates: bool = False, exact: bool = False
    ) -> None:
        pool = source.pool.snapshot(source.pool.requests.size if rows is None else rows)
        super().__init__(pool, source.hooks.own_copy(), source.names, Questions(pool))
        self.now = now
        self._nobody = Nobody()
        pool.truth.foresees = True
        if self.asked is not None and source.asked is not None:
            self.asked.clock, self.asked.omissions = source.asked.clock, None
        if by_estimates:
            pool.as_expected(now)
        if exact:
            self._foresee()

    def submit(self, rows: Rows) -> None:
        """Jobs are submitted now; `go_on` begins with the pass that this calls for."""
        self.pool.arrive(rows)

    def submit_later(self, rows: Rows, time: float) -> None:
        """Jobs that were submitted come to the queue at a time (s); all that happens before has happened."""
        self.go_on(until=nextafter(time, -inf))
        self.now = time
        self.pool.come_late(rows, time)
        self.pool.arrive(rows)

    def go_on(self, until_started: int | None = None, until: float = inf) -> None:
        """Run instants until no job waits, the job ``until_started`` has started, or the time is ``until``."""
        self._nobody.goal = NONE if until_started is None else until_started
        horizon, phase = nextafter(until, inf), ENDS
        while phase != TELL:
            time, phase = self._leap(self.now, ENDS, horizon, sys.maxsize, attended=True)
            if phase == ENDS and (not self.pool.waiting_count() or not time < horizon):
                return
            self.now = time

    def skip(self, until: float = inf) -> bool:
        """Go to the next instant, if there is one by ``until``."""
        rule, _, estimator, _ = self._look_around(self.now)
        time = following(self.pool.state, self.pool.truth, rule, estimator, self.now, True)
        if time > until or time == inf:
            return False
        self.now = max(time, self.now)
        return True

    def _foresee(self) -> None:
        """Let the policy plan with the true run times."""
        replan, pool, accounts = self.hooks.replan, self.pool, self.hooks.accounts
        if replan is None or (accounts is not None and accounts.by_estimates):
            raise ValueError(
                f"policy {machine_checks.name_of(self.policy)} cannot plan anew with exact estimates: "
                "the classic rules and cplant can, in every order but relshare"
            )
        pool.as_known()
        if self._key:
            waiting, jobs = pool.waiting_rows, pool.requests
            jobs.key[waiting] = self._key.keys(Columns(jobs, self.names, waiting), self.now)
            waiting[:] = waiting[np.lexsort((jobs.id[waiting], jobs.submit[waiting], jobs.key[waiting]))]
        self.view.look(pool, self.now)
        replan(self.view)

    def _as_sources(self) -> Any:
        """No user submits anything."""
        return self._nobody


def fair_start(source: Instants, rows: Rows, now: float, by_estimates: bool = False, exact: bool = False) -> float:
    """When the last of ``rows``, which are submitted now, starts if nothing is submitted later; NaN if never.

    ``source`` is the state before their submission.
    """
    start: float = _started(source, rows, now, by_estimates, exact).start.item(int(rows[-1]))
    return start


def expected_end(source: Instants, row: int, now: float) -> float:
    """When a job that is submitted now is expected to end at its start, if nothing is submitted later; NaN if never."""
    end: float = _started(source, np.array([row]), now, by_estimates=True).expected_end.item(row)
    return end


def _started(source: Instants, rows: Rows, now: float, by_estimates: bool = False, exact: bool = False) -> Requests:
    """All jobs in a forecast, when the last of ``rows`` has started that are submitted now."""
    forecast = Forecast(source, now, int(max(rows.max(), _newest(source))) + 1, by_estimates, exact)
    if source.deferring is None:
        forecast.submit(rows)
    else:
        since = source.deferring.starts(rows, np.full(len(rows), now))
        forecast.submit(rows[since <= now])
        for time in np.unique(since[since > now]).tolist():
            forecast.submit_later(rows[since == time], time)
    forecast.go_on(until_started=int(rows[-1]))
    return forecast.pool.requests


def predicted_starts(source: Instants, now: float) -> NDArray[np.float64]:
    """When each waiting job would start if all jobs ran as long as they asked for and no more came, s, in queue order.

    ``source`` is the state after the last pass, and the forecast begins with the next instant. Infinite for a job that
    would never start.
    """
    return _foreseen(source, now, "start")


def predicted_ends(source: Instants, now: float) -> NDArray[np.float64]:
    """As `predicted_starts`: when they are expected to end."""
    return _foreseen(source, now, "expected_end")


def _foreseen(source: Instants, now: float, what: str) -> NDArray[np.float64]:
    waiting = source.pool.waiting_rows
    forecast = Forecast(source, now, _newest(source) + 1, by_estimates=True)
    if forecast.skip():
        forecast.go_on()
    times = getattr(forecast.pool.requests, what)[waiting]
    return np.where(np.isnan(times), inf, times)


def _newest(source: Instants) -> int:
    """The last row that waits or runs, or is an entry of one that does, or stays away from the queue for a while."""
    pool = source.pool
    if pool.limits is not None and len(pool.state.entry):
        return pool.requests.size - 1  # entries are behind their jobs
    state = pool.state
    away = np.asarray(state.delayed)[: state.delayed_count], np.asarray(state.kept)[: state.set_aside]
    return int(max(rows.max(initial=-1) for rows in (pool.waiting_rows, pool.running_rows, *away)))
