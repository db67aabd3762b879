"""Budgets of the users or accounts of a machine, as its jobs are submitted and end (`thinktime.models.site.budget`).

Nobody is told of ends: what jobs that are over were charged is looked up when their owner submits the next one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from thinktime.models.jobs.pool import Pool
from thinktime.models.results.bill import charged
from thinktime.models.results.schedule import COLUMNS, Schedule
from thinktime.models.site.budget import OWNERS
from thinktime.models.state import State

if TYPE_CHECKING:
    from thinktime.models.site.budget import Budget
    from thinktime.models.site.charge import Charge
    from thinktime.workloads.signals.forecasts import Forecast

NOBODY = -1
ROUNDED = 1e-12
"""The part of an amount by which a charge may be above it: hours of seconds are rounded."""


class Spending:
    """The accounts of one machine: for each owner and period what is spent, and reserved for jobs that are not over."""

    def __init__(
        self, pool: Pool, names: dict[str, list[Any]], budget: Budget, charge: Charge, signals: dict[str, Forecast]
    ) -> None:
        self._pool, self._names, self._budget, self._charge = pool, names, budget, charge
        self._signals = {name: each.signal for name, each in signals.items()}
        self._spent: dict[tuple[int, int], float] = defaultdict(float)
        self._reserved: dict[int, dict[int, tuple[int, float]]] = defaultdict(dict)
        """For each owner the rows of jobs that are not over, with their periods and what is reserved."""

    def start(self, row: int, now: float) -> float:
        """From when on a job may start (s) that is submitted now; infinite if it is refused."""
        budget = self._budget
        owner = getattr(self._pool.requests, OWNERS[budget.of]).item(row)
        amount = budget.of_name(self._names[OWNERS[budget.of]][owner] if owner != NOBODY else None)
        self._settle(owner, now)
        period, start = int(budget.period_of(np.array(now))), now
        while True:
            wanted = self._charge_of(row, start, start + self._pool.requests.requested.item(row), None)
            left = amount - self._used(owner, period)
            if wanted <= left + ROUNDED * amount or budget.spent == "credit":
                self._reserved[owner][row] = period, wanted
                return start
            if budget.spent == "refuse" or budget.period is None or self._is_fresh(owner, period):
                return math.inf
            period += 1
            start = period * budget.period

    def _used(self, owner: int, period: int) -> float:
        reserved = (each for its, each in self._reserved[owner].values() if its == period)
        return self._spent[owner, period] + sum(reserved)

    def _is_fresh(self, owner: int, period: int) -> bool:
        """Whether nothing of a period is used: what is too much for it is too much for all later ones."""
        return self._used(owner, period) == 0.0

    def _settle(self, owner: int, now: float) -> None:
        """Jobs that are over have spent what they were charged."""
        state, reserved = self._pool.requests.state, self._reserved[owner]
        for row in [row for row in reserved if state[row] >= State.FINISHED]:
            period, _ = reserved.pop(row)
            start, end = self._pool.requests.start.item(row), self._pool.outcomes.end.item(row)
            if not math.isnan(start):
                self._spent[owner, period] += self._charge_of(row, start, end, self._pool.history(np.array([row]), now))

    def _charge_of(self, row: int, start: float, end: float, history: Any) -> float:
        """What a job is charged that runs for so long, or had the runs of a history."""
        requests, columns = self._pool.requests, dict[str, Any]()
        for name, kind in COLUMNS.items():
            own = getattr(requests, name, None)
            columns[name] = np.array([own.item(row) if own is not None else 0], kind)
        columns |= {"start": np.array([start]), "end": np.array([end]), "state": np.array([State.FINISHED], np.int8)}
        power = self._pool.power
        if power is not None:
            columns["power"] = requests.power[row : row + 1]
        one = Schedule(columns, self._names, self._pool.processors, "", "kill", end, history=history)
        put = object.__setattr__
        put(one, "machine_power", power)
        put(one, "signals", self._signals)
        return float(charged(one, self._charge)[0])
