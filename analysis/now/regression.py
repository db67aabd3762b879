"""The baseline of the literature: quantile regression of waits by gradient boosting, which knows no scheduler.

At moments of the log's past, each waiting job has a row: the jobs and the work (processors times limit) in the queue,
those of them submitted before it, the work that runs, its size, its limit, how long it has waited, and the hour of the
day. A regression for each of `QUANTILES` predicts how much longer it waits. It needs scikit-learn, which is optional:
``pip install scikit-learn``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from thinktime.analysis.now.kept import Kept, labels
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, HOUR

QUANTILES = tuple(np.arange(0.05, 1.0, 0.1).round(2).tolist())
MOMENTS = 400
"""So many moments of the past are looked at."""
ROWS = 20_000
"""So many rows are learned from at most."""
FEWEST = 50


class Regression:
    """Learns anew for the first forecast of each ``period`` (s)."""

    def __init__(self, period: float = 7 * DAY) -> None:
        try:
            ensemble = import_module("sklearn.ensemble")
        except ImportError:
            raise ValueError("quantile regression needs scikit-learn: pip install scikit-learn") from None
        self._make: Any = ensemble.HistGradientBoostingRegressor
        self._period, self._learned, self._models = period, -np.inf, list[Any]()

    def __call__(self, one: Kept, log: Trace, rows: Whole) -> Floats:
        """The quantiles of the starts of some waiting jobs of a forecast (s): a row for each quantile."""
        if one.time >= self._learned + self._period or not self._models:
            self._learn(log, one.time)
        given, names = features(log, one.time), labels(log)
        waiting = {names[job]: place for place, job in enumerate(given[1].tolist())}
        places = [waiting.get(job, -1) for job in one.label[rows].tolist()]
        if not self._models or not len(given[0]):
            return np.full((len(QUANTILES), len(rows)), one.time)
        table = np.where(np.array(places)[:, None] >= 0, given[0][places], np.nan)
        left = np.array([np.expm1(model.predict(table)) for model in self._models])
        return np.sort(one.time + np.maximum(left, 0.0), axis=0)

    def _learn(self, log: Trace, now: float) -> None:
        begun = log.submit + np.nan_to_num(log.wait, nan=0.0).clip(min=0.0)
        tables, targets = [], []
        for time in np.linspace(log.submit[0], now, MOMENTS + 2)[1:-1].tolist():
            table, jobs = features(log, time)
            known = begun[jobs] <= now
            tables.append(table[known])
            targets.append(begun[jobs][known] - time)
        x, y = np.concatenate(tables)[-ROWS:], np.log1p(np.concatenate(targets))[-ROWS:]
        self._learned, self._models = now, []
        if len(y) >= FEWEST:
            makers = (self._make(loss="quantile", quantile=q, max_iter=60, random_state=0) for q in QUANTILES)
            self._models = [model.fit(x, y) for model in makers]


def features(log: Trace, time: float) -> tuple[Floats, Whole]:
    """What is known of the jobs that wait at a time, a row for each, and these jobs."""
    begun = log.submit + np.nan_to_num(log.wait, nan=0.0).clip(min=0.0)
    jobs = np.flatnonzero((log.submit <= time) & (begun > time) & ~log.withdrawn)
    running = np.flatnonzero((begun <= time) & (begun + log.runtime > time))
    work = log.processors * log.estimate
    ahead = np.concatenate([[0.0], np.cumsum(work[jobs])[:-1]]) if len(jobs) else np.empty(0)
    left = np.maximum(begun[running] + log.estimate[running] - time, 0.0) @ log.processors[running]
    n = len(jobs)
    columns = (
        np.full(n, n), np.full(n, work[jobs].sum()), np.arange(n), ahead, np.full(n, left), log.processors[jobs],
        log.estimate[jobs], time - log.submit[jobs], np.full(n, time % DAY // HOUR),
    )  # fmt: skip
    return np.column_stack([np.asarray(each, np.float64) for each in columns]), jobs
