"""The estimates of a user's own estimator: what the engine calls, and the checks of what is answered."""

from __future__ import annotations

import copy
from math import nan
from typing import Any

import numpy as np

from thinktime.models.engine.codes.estimates import LEAST
from thinktime.models.engine.codes.machine_state import UNWANTED
from thinktime.models.engine.estimates import Predicted
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.truth import Truth
from thinktime.models.jobs.checks import name_of
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.request import Request, Source
from thinktime.workloads.arrays import Ints
from thinktime.workloads.grid import LIMIT, ceil_to_grid, to_grid
from thinktime.workloads.names import quoted


class OwnEstimates(Predicted):
    """Expected run times are what an estimator in Python says (`thinktime.models.jobs.estimator.Estimator`)."""

    def __init__(self, estimator: Any, pool: Pool, names: dict[str, list[Any]], **given: Any) -> None:
        super().__init__(**given)
        self.estimator, self._pool, self._names = estimator, pool, names
        self._source = Source(pool.requests, names)
        self._learns, self._revises = (getattr(estimator, name, None) for name in ("learn", "revise"))

    @classmethod
    def by(cls, estimator: Any, pool: Pool, names: dict[str, list[Any]]) -> OwnEstimates:
        """Those of a new machine, which has a copy of the estimator."""
        return cls(_own_copy(estimator), pool, names, kills=pool.overrun == "kill", revises=True)

    def __deepcopy__(self, memo: dict[int, Any]) -> OwnEstimates:
        pool, names = copy.deepcopy(self._pool, memo), copy.deepcopy(self._names, memo)
        return type(self)(_own_copy(self.estimator), pool, names, **self.contents())

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.estimator, self._pool, self._names, self.contents())

    def admit(self, state: State, truth: Truth, rows: Ints) -> None:
        """Jobs are submitted: ask for their run times, by id."""
        submitted, now = np.array(rows), float(truth.reached)
        jobs, unwanted = self._pool.requests, self._pool.outcomes.attention[submitted] & UNWANTED
        wanted = submitted[unwanted == 0]
        for row in wanted[np.argsort(jobs.id[wanted], kind="stable")].tolist():
            job = Request(self._source, row)
            found = self.estimator.estimate(job, now)
            if not _is_time(found, 0.0, job.requested):  # the request may be endless
                self._refuse("estimate", job, found, now, "a finite number of seconds above 0")
            jobs.estimate[row] = max(to_grid(float(found)), LEAST)

    def learn(self, state: State, truth: Truth, rows: Ints) -> None:
        """Jobs are over: tell the run times of those that ran."""
        if self._learns is None:
            return
        jobs, ends = self._pool.requests, self._pool.outcomes.end
        for row in np.array(rows).tolist():
            start, end = jobs.start.item(row), ends.item(row)
            if start == start:
                self._learns(Request(self._source, row), end - start, end)

    def longer(self, state: State, row: int, now: float) -> float:
        """A running job has reached its estimate: the run time expected in all from now on."""
        job = Request(self._source, row)
        found = None if self._revises is None else self._revises(job, now)
        if found is None:
            return super().longer(state, row, now)
        if not _is_time(found, now - job.start):
            self._refuse("revise", job, found, now, f"more than the {now - job.start:g} s that it has run, or None")
        return ceil_to_grid(float(found))

    def _refuse(self, what: str, job: Request, found: Any, now: float, wanted: str) -> None:
        raise ValueError(
            f"estimator {name_of(self.estimator)}: {what} gave {quoted(found)} for job {job.id} at {now:g} s, "
            f"but must give {wanted}"
        )


def _is_time(value: Any, least: float, asked: float = nan) -> bool:
    """Whether something is a finite number of seconds above the least, or what was asked for."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool_)
    return number and not isinstance(value, np.complexfloating) and bool(least < value < LIMIT or value == asked)


def _restored(estimator: Any, pool: Pool, names: dict[str, list[Any]], contents: dict[str, Any]) -> OwnEstimates:
    return OwnEstimates(estimator, pool, names, **contents)


def _own_copy(estimator: Any) -> Any:
    return estimator.copy() if hasattr(estimator, "copy") else copy.deepcopy(estimator)
