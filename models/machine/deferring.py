"""From when on jobs may start, where a policy waits for a better time (`thinktime.models.policies.carbon`).

The engine asks when jobs are submitted, from whatever source, and they wait outside the queue until the answer
(`thinktime.models.engine.sources.eligibility`); those of a log are answered together before. A job is asked about once:
later segments of a job that a runtime limit splits, and jobs that run again, are not held back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thinktime.models.engine.codes import eligibility as codes
from thinktime.models.jobs.conditions import Conditions
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.split_jobs import SplitJobs
from thinktime.models.machine.questions import Questions
from thinktime.models.state import State
from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.signals.forecasts import Forecast

if TYPE_CHECKING:
    from thinktime.models.policies.carbon import Deferral


class Deferring:
    """Answers the engine's question for one machine."""

    def __init__(
        self,
        pool: Pool,
        names: dict[str, list[Any]],
        split_jobs: SplitJobs,
        deferral: Deferral,
        signals: dict[str, Forecast],
    ) -> None:
        """``ValueError`` if the machine has no such signal."""
        self._pool, self._names, self._split_jobs, self._deferral = pool, names, split_jobs, deferral
        self._forecast = deferral.known(signals)

    def begin(self, conditions: Conditions, questions: Questions) -> None:
        """From now on the engine asks."""
        self._eligibility = conditions.begin()
        self._eligibility.ask_about_all(True)
        questions.about(codes.QUESTION, self._hold_back)

    def foresee(self, rows: range) -> None:
        """These jobs will be submitted at times that are known, unless their users change them: answer before."""
        every = np.arange(rows.start, rows.stop)
        self._eligibility.answer(self._pool, every, self.starts(every, self._pool.requests.submit[every]))

    def forget(self, rows: Whole) -> None:
        """The users of these jobs have changed them."""
        self._eligibility.forget_answers(rows)

    def starts(self, rows: Whole, submit: Floats) -> Floats:
        """From when on jobs may start (s) that are submitted then: when the policy says, but at once if urgent."""
        found, held = np.array(submit), ~self._are_urgent(rows)
        requested = self._pool.requests.requested[rows[held]]
        found[held] = self._deferral.starts(submit[held], requested, self._forecast)
        return found

    def _are_urgent(self, rows: Whole) -> Flags:
        requests, urgent = self._pool.requests, self._deferral.urgent
        found = np.zeros(len(rows), np.bool_)
        for label, column in (("queue", requests.queue), ("partition", requests.partition)):
            named = [code for code, name in enumerate(self._names[label]) if str(name) == urgent]
            found |= np.isin(column[rows], named)
        return found

    def _hold_back(self, now: float) -> None:
        state, first = self._pool.requests.state, self._split_jobs.first
        asked = [row for row in self._pool.newcomers.tolist() if self._eligibility.asks_about(row)]
        rows = np.array([row for row in asked if state[row] == State.FUTURE and first(row) == row], np.int64)
        if len(rows):
            self._eligibility.begin_all(self._pool, rows, self.starts(rows, np.full(len(rows), now)), now)
