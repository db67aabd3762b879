"""The estimates that policies plan with, where they are not the requests.

A user's request is the time after which a job is killed (the column ``requested`` of a view). What a policy takes for
a job's run time (the column ``estimate``) may be something else:

* ``requested``: the request;
* ``exact``: the run time that the job will have, min(run time, request);
* ``factor=F``: F times that (the f-model of D. Feitelson and A. Weil, IPPS 1998; there is no cap);
* ``last-two``: the mean run time of the user's last two jobs that are over, at most the request;
* ``user-average``: that of all the user's jobs that are over, at most the request.

The last two learn from what happens on this machine, under this policy. Before a user's first job is over,
and for jobs without a user, they are the request. With one job over, last-two is its run time (our decision).

The limit stays the request: under ``kill`` a job is killed at its request, whatever was planned. A job that
outlives its estimate is expected to take another 1 min, then 5, 15 and 30 min, then 1, 2, 5, 10, 20, 50 and 100 h,
but never beyond its limit. Each such revision is an instant of its own. Estimates are at least 1 s. In results the
column ``estimate`` is the request.

Source of last-two and of the revisions: D. Tsafrir, Y. Etsion and D. Feitelson, Backfilling using
system-generated predictions rather than user runtime estimates (IEEE TPDS 2007).
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from heapq import heappop, heappush
from math import inf
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from thinktime.models.pool import GRACE, Pool
from thinktime.models.state import State
from thinktime.models.view import View
from thinktime.workloads.grid import to_grid
from thinktime.workloads.names import key_of
from thinktime.workloads.units import HOUR, MINUTE

Rows = NDArray[np.int64]

CHOICES = ("requested", "exact", "factor=F", "last-two", "user-average")
LEAST = 1.0  # s
STEPS = tuple(m * MINUTE for m in (1, 5, 15, 30)) + tuple(h * HOUR for h in (1, 2, 5, 10, 20, 50, 100))


class Guess(Protocol):
    """Guesses a job's run time, and learns from jobs that are over."""

    capped: bool
    """Whether a guess is at most the request."""
    short: bool
    """Whether a guess may be less than the run time."""

    def guess(self, user: int, run: float) -> float | None:
        """The run time (s) expected of a user's next job, which will really run for ``run``; None: the request."""
        ...

    def learn(self, user: int, run: float) -> None:
        """A job of the user is over after ``run`` seconds."""
        ...


class FactorOfRuntime:
    """A multiple of the run time."""

    capped = False

    def __init__(self, factor: float = 1.0) -> None:
        if not 0 < factor < inf:
            raise ValueError(f"the factor of estimates must be a finite number above 0, not {factor!r}")
        self.factor = factor
        self.short = factor < 1

    def guess(self, user: int, run: float) -> float | None:
        """The multiple."""
        return self.factor * run

    def learn(self, user: int, run: float) -> None:
        """There is nothing to learn."""


class LastTwo:
    """The mean run time of the user's last two jobs."""

    capped = short = True

    def __init__(self) -> None:
        self._runs: defaultdict[int, deque[float]] = defaultdict(lambda: deque(maxlen=2))

    def guess(self, user: int, run: float) -> float | None:
        """The mean of two, or the one that there is."""
        runs = self._runs.get(user)
        return sum(runs) / len(runs) if runs else None

    def learn(self, user: int, run: float) -> None:
        """Forget all but the last two."""
        self._runs[user].append(run)


class UserAverage:
    """The mean run time of all the user's jobs."""

    capped = short = True

    def __init__(self) -> None:
        self._sums: defaultdict[int, tuple[int, float]] = defaultdict(lambda: (0, 0.0))

    def guess(self, user: int, run: float) -> float | None:
        """Their mean."""
        count, total = self._sums.get(user, (0, 0.0))
        return total / count if count else None

    def learn(self, user: int, run: float) -> None:
        """Count one more."""
        count, total = self._sums[user]
        self._sums[user] = count + 1, total + run


MAKERS: dict[str, Callable[[], Guess]] = {
    "exact": FactorOfRuntime,
    "last-two": LastTwo,
    "user-average": UserAverage,
}


def guess_from(text: str) -> Guess | None:
    """What the text of ``--estimates`` says; None for the requests themselves."""
    kind, equals, value = text.partition("=")
    if kind == "factor" and equals:
        try:
            return FactorOfRuntime(float(value))
        except ValueError:
            raise ValueError(f"factor={value}: the factor must be a finite number above 0") from None
    if text == "requested":
        return None
    if text not in MAKERS:
        raise ValueError(f"estimates cannot be {text!r}; {key_of(text, CHOICES, 'they')}")
    return MAKERS[text]()


class Estimator:
    """The estimates of one machine's jobs."""

    def __init__(self, text: str, guess: Guess, pool: Pool) -> None:
        self.text = text
        self._guess = guess
        self._pool = pool
        self._kills = pool.overrun == "kill"
        self._ends: list[tuple[float, int]] = []
        self._steps: dict[int, int] = {}
        if guess.short:
            pool.grace = GRACE

    @property
    def next_revision(self) -> float:
        """When the next running job reaches its estimate, if it does not end before; infinite for none."""
        return self._ends[0][0] if self._ends else inf

    def admit(self, rows: Rows) -> None:
        """Jobs are submitted: estimate their run times."""
        requests, limit = self._pool.requests, self._pool.requests.requested[rows]
        run = self._pool.outcomes.runtime[rows]
        ran = np.minimum(run, limit) if self._kills else run
        expected = [
            to_grid(self._expected(user, each, most))
            for user, each, most in zip(
                requests.user[rows].tolist(), ran.tolist(), limit.tolist(), strict=True
            )
        ]
        requests.estimate[rows] = np.maximum(expected, LEAST)

    def started(self, rows: Rows) -> None:
        """Jobs have started: note when they reach their estimates."""
        if self._guess.short:
            ends = self._pool.requests.expected_end
            for row in rows.tolist():
                heappush(self._ends, (ends.item(row), row))

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Jobs have ended: learn from those that ran."""
        requests, outcomes = self._pool.requests, self._pool.outcomes
        for row in rows.tolist():
            user, start = requests.user.item(row), requests.start.item(row)
            self._steps.pop(row, None)
            if user >= 0 and start == start:
                self._guess.learn(user, outcomes.end.item(row) - start)

    def revise(self, now: float) -> Rows:
        """Expect running jobs at their estimates to take longer, and return their rows."""
        pool = self._pool
        requests = pool.requests
        revised = []
        while self._ends and self._ends[0][0] <= now:
            _, row = heappop(self._ends)
            if requests.state.item(row) != State.RUNNING:
                continue
            step = self._steps.get(row, 0)
            self._steps[row] = step + 1
            elapsed = now - requests.start.item(row)
            estimate = elapsed + STEPS[min(step, len(STEPS) - 1)]
            if self._kills:
                estimate = min(estimate, requests.requested.item(row))
            requests.estimate[row] = estimate
            requests.expected_end[row] = requests.start.item(row) + estimate
            heappush(self._ends, (requests.expected_end.item(row), row))
            revised.append(row)
        if revised:
            pool.sort_expected()
        return np.array(revised, np.int64)

    def _expected(self, user: int, run: float, limit: float) -> float:
        expected = self._guess.guess(user, run)
        if expected is None or (user < 0 and self._guess.capped):
            return limit
        return min(expected, limit) if self._guess.capped else expected
