"""From when on the jobs of a machine may start, as is decided at their submission.

The engine asks when jobs are submitted, from whatever source, and they wait outside the queue until the answer
(`thinktime.models.engine.sources.eligibility`). A job is asked about once: later segments of a job that a runtime limit
splits, and jobs that run again, are not held back. Those who answer are the policy, which may wait for less carbon
(`thinktime.models.policies.carbon`), and a budget (`thinktime.models.machine.spending`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from thinktime.models.engine.codes import eligibility as codes
from thinktime.models.jobs.conditions import Conditions
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.split_jobs import SplitJobs
from thinktime.models.machine.questions import Questions
from thinktime.models.state import State
from thinktime.workloads.signals.forecasts import Forecast

if TYPE_CHECKING:
    from thinktime.models.policies.carbon import Deferral

Names = dict[str, list[Any]]


class Answering(Protocol):
    """Who says from when on jobs may start."""

    def start(self, row: int, now: float) -> float:
        """For a job that is submitted now: a time (s), infinite if it is refused."""


class ByPolicy:
    """A policy that waits for a better time."""

    def __init__(self, pool: Pool, names: Names, deferral: Deferral, signals: dict[str, Forecast]) -> None:
        """``ValueError`` if the machine has no such signal."""
        self._pool, self._names, self._deferral = pool, names, deferral
        self._forecast = deferral.known(signals)

    def start(self, row: int, now: float) -> float:
        """The time that the policy finds, unless the job is urgent."""
        if self._is_urgent(row):
            return now
        return self._deferral.start(now, self._pool.requests.requested.item(row), self._forecast)

    def _is_urgent(self, row: int) -> bool:
        requests, urgent = self._pool.requests, self._deferral.urgent
        codes = (("queue", requests.queue.item(row)), ("partition", requests.partition.item(row)))
        return any(code >= 0 and str(self._names[label][code]) == urgent for label, code in codes)


def answering(
    pool: Pool, names: Names, fields: Mapping[str, Any], deferral: Deferral | None, signals: dict[str, Forecast]
) -> list[Answering]:
    """Who answers on a machine with these fields; ``ValueError`` for a budget without a charge."""
    found: list[Answering] = [] if deferral is None else [ByPolicy(pool, names, deferral, signals)]
    if (budget := fields.get("budget")) is not None:
        from thinktime.models.machine.spending import Spending

        if (charge := fields.get("charge")) is None:
            raise ValueError("a budget needs a charge, such as charge=Charge(), in whose unit it is")
        found.append(Spending(pool, names, budget, charge, signals))
    return found


class Deferring:
    """Answers the engine's question for one machine; of several answers, the latest time counts."""

    def __init__(self, pool: Pool, split_jobs: SplitJobs, answering: Sequence[Answering]) -> None:
        self._pool, self._split_jobs, self._answering = pool, split_jobs, answering

    def begin(self, conditions: Conditions, questions: Questions) -> None:
        """From now on the engine asks."""
        self._eligibility = conditions.begin()
        self._eligibility.ask_about_all()
        questions.about(codes.QUESTION, self._hold_back)

    def _hold_back(self, now: float) -> None:
        requests = self._pool.requests
        for row in self._pool.newcomers.tolist():
            if requests.state[row] != State.FUTURE or not self._eligibility.asks_about(row):
                continue
            if self._split_jobs.first(row) != row:
                continue
            start = max(each.start(row, now) for each in self._answering)
            if start == math.inf:
                requests.state[row] = State.REFUSED
            elif start > now:
                self._eligibility.begin(self._pool, row, start)
