"""Jobs that may have several sizes: those that limits of a job allow are left to them.

A size is allowed if a rigid job with this size, and with the time limit that the job has on it, could start some day.
A job of which no size is allowed never starts, or is refused, as a rigid one of its preferred size would be. Since a
job is at most as long as its limit on each size that it has, the sum over its stages keeps to limits on processor-time,
and on time, too.
"""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from thinktime.models.jobs.pool import Pool
from thinktime.models.machine.limits.meters import Standing
from thinktime.models.machine.limits.single import verdicts
from thinktime.models.orders.job_kinds import JobKinds
from thinktime.models.site.site import Site
from thinktime.workloads.arrays import Flags, Floats, Whole


class Several:
    """The sizes of some jobs, which may have several, and whether limits allow each: pairs of a job and a place."""

    def __init__(
        self, pool: Pool, kinds: JobKinds, rows: Whole, of: Whole, resources: Sequence[str], restricted: bool
    ) -> None:
        """``of`` are the kinds of the jobs; there are no pairs where nothing is ``restricted``."""
        self._pool: Any = cast(Any, pool)
        self._resources = resources
        self._row = np.empty(0, np.int64)
        arrays: dict[str, NDArray[Any]] = {} if pool.forms is None else self._pool.arrays
        form = arrays["form"][rows] if restricted and arrays else np.empty(0, np.int64)
        here = form >= 0
        if not here.any():
            return
        first, stop = arrays["form_first"][form[here]], arrays["form_first"][form[here] + 1]
        count = stop - first
        begin = np.cumsum(count) - count
        self._row = np.repeat(rows[here], count)
        self._place: Whole = np.arange(len(self._row)) - np.repeat(begin - first, count)
        asks = arrays["form_sizes"][self._place], arrays["form_nodes"][self._place]
        self._requested: Floats = pool.requests.requested[self._row] / arrays["form_rates"][self._place]
        self._amounts = kinds.amounts(pool, self._row, np.repeat(of[here], count), resources, asks)
        self._allowed = np.ones(len(self._row), np.bool_)

    def may_have_some(self, rows: Whole, standing: Standing, site: Site) -> Flags:
        """Which of some jobs of one kind have several sizes of which one, at least, is allowed."""
        if not len(self._row):
            return np.zeros(len(rows), np.bool_)
        mine = np.flatnonzero(np.isin(self._row, rows))
        own = {name: each[mine] for name, each in self._amounts.items()}
        for verdict in verdicts(standing, self._requested[mine], own, site):
            self._allowed[mine[verdict.jobs]] = False
        return np.isin(rows, self._row[mine[self._allowed[mine]]])

    def narrow(self, amounts: Floats) -> None:
        """Leave to jobs what is allowed, and note what those ask for whose preferred size is not."""
        every, first = np.unique(self._row, return_index=True)
        if not len(every):
            return
        counts = np.add.reduceat(self._allowed.astype(np.int64), first)
        whole = np.diff(np.append(first, len(self._row)))
        some = np.flatnonzero((counts > 0) & (counts < whole))
        if not len(some):
            return
        rows, preferred = every[some], self._pool.requests.processors[every[some]]
        kept = [self._allowed[begin : begin + count] for begin, count in zip(first[some], whole[some], strict=True)]
        self._pool.narrow(rows, kept)
        size = self._pool.requests.processors[rows]
        for j in np.flatnonzero(size != preferred).tolist():
            begin, count = first[some[j]], whole[some[j]]
            every_size = self._pool.arrays["form_sizes"][self._place[begin : begin + count]]
            pair = begin + int(np.searchsorted(every_size, size[j]))
            for k, name in enumerate(self._resources, 1):
                amounts[rows[j], k] = self._amounts[name][pair]
