"""Relative fairshare: who has used the least in the current window is next.

Symbols: the window [w0, w1) is the local day of the log by default. User u's usage at time t is

    sum over ended jobs of n |[start, end) in [w0, t)|  +  sum over running jobs of n |[start, end') in [w0, w1)|

with n processors and end' the expected end: the actual usage, and what running jobs are expected to use
until the window ends. EASY gives one job a reservation: the order is evaluated without it first; once the
head and its shadow time are known, what the reserved job is expected to use inside the window is added to
its owner's usage, the jobs that start in this pass count as running, and the order of all others is
evaluated again, once. With ``resort="start"`` it is evaluated again after every start of the pass. At the end of
the window, usage is forgotten, except what running jobs use in the new one.

Source: the goal paper, section IV.A (RelShare(1d)). The paper says that the priority is dynamic, but not when it is
computed. We decided that the window begins at local midnight, that ties are broken by arrival, and that the order is
evaluated once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.models.policies.accounts import AccountOrder, Accounts, Measure, Rows, usage_key
from thinktime.models.policies.options import as_time, one_of
from thinktime.models.policies.order import Floats
from thinktime.models.view import View
from thinktime.workloads.calendar import Calendar, checked_window
from thinktime.workloads.units import DAY, as_text

RESORT = ("head", "start")


class WindowUsage(Accounts):
    """Accounts of actual and expected use in the current window.

    While the window lasts, what a running job has used in it and what it is still expected to use add up to the same
    number at any time. So only starts and ends change the sums.
    """

    by_estimates = True
    name = "relshare"

    def __init__(self, window: float = DAY, **shared: Any) -> None:
        super().__init__(**shared)
        self.window = window
        self.calendar = Calendar()
        self.since, self.until = np.inf, -np.inf  # no window yet
        self._usage = np.zeros(1)
        self._running: dict[int, tuple[int, float, float, float]] = {}  # account, rate, start, expected end
        self._grace = 0.0

    def on_calendar(self, calendar: Calendar) -> None:
        """Windows begin at the midnights of this calendar."""
        self.calendar = calendar
        self.since, self.until = np.inf, -np.inf

    def standing(self, now: float) -> Floats:
        """Actual and expected use (in units of the rate times s) of every account in the window of ``now``."""
        if not self.since <= now < self.until:
            return self._of_running(now, *self.calendar.window(now, self.window))
        usage = self._usage.copy()
        if self._grace:  # jobs that have outlived their estimates are expected to end in a second
            earliest = min(now + self._grace, self.until)
            for account, rate, start, end in self._running.values():
                if end < earliest:
                    usage[account] += rate * (earliest - max(end, start, self.since))
        return usage

    def expected(self, start: float, end: float, now: float) -> float:
        """How much of [start, end) lies in the window of ``now`` (s)."""
        since, until = self.window_at(now)
        return max(0.0, min(end, until) - max(start, since))

    def window_at(self, now: float) -> tuple[float, float]:
        """The window that holds ``now``."""
        if self.since <= now < self.until:
            return self.since, self.until
        return self.calendar.window(now, self.window)

    def on_start(self, view: View, rows: Rows, now: float) -> None:
        """Jobs have started: count what they are expected to use."""
        self.open(view.labels(self.by))
        self._roll(now)
        jobs = view.columns(rows)
        self._grace = view.grace
        rates, ends = self.rates(jobs).tolist(), jobs.expected_end.tolist()
        for row, account, rate, end in zip(rows.tolist(), self.of(jobs).tolist(), rates, ends, strict=True):
            self._running[row] = (account, rate, now, end)
            self._usage[account] += rate * max(0.0, min(end, self.until) - now)

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Jobs have ended: count what they used instead."""
        self._roll(now)
        for row in rows.tolist():
            account, rate, start, end = self._running.pop(row)
            begun = max(start, self.since)
            self._usage[account] += rate * (now - begun - max(0.0, min(end, self.until) - begun))

    def grow(self, size: int) -> None:
        """New accounts are empty."""
        self._usage = np.concatenate([self._usage, np.zeros(size - len(self._usage))])

    def options(self) -> dict[str, Any]:
        """The window, then what all accounts have."""
        return {"window": "1d" if self.window == DAY else as_text(self.window)} | super().options()

    def copy(self) -> WindowUsage:
        """Independent accounts in the same state."""
        twin = super().copy()
        assert isinstance(twin, WindowUsage)
        twin._running = dict(self._running)
        return twin

    def _roll(self, now: float) -> None:
        """At the first start or end in a new window, forget the old one."""
        if not self.since <= now < self.until:
            self.since, self.until = self.calendar.window(now, self.window)
            self._usage = self._of_running(now, self.since, self.until, grace=False)

    def _of_running(self, now: float, since: float, until: float, grace: bool = True) -> Floats:
        """Every account's usage in a window, from the running jobs alone."""
        usage = np.zeros_like(self._usage)
        for account, rate, start, end in self._running.values():
            expected = max(end, now + self._grace) if grace and self._grace else end
            usage[account] += rate * max(0.0, min(expected, until) - max(start, since))
        return usage


@dataclass(frozen=True, slots=True)
class RelShareOrder(AccountOrder):
    """The order by usage in the window; under EASY, the reserved job counts for its owner."""

    reconsiders = True

    resort: str = "head"
    """When a pass of EASY sorts anew: once the ``head`` has its reservation, or after every ``start`` as well."""

    @property
    def each_start(self) -> bool:
        """Whether every start sorts the others anew."""
        return self.resort == "start"

    def options(self) -> dict[str, Any]:
        """Those of the accounts, and when the order is evaluated again, unless that is the default."""
        told = self.accounts.options()
        return told if self.resort == "head" else told | {"resort": self.resort}

    def reconsider(self, view: View, rest: Rows, started: Rows, head: int, reserved: float) -> Rows:
        """Other waiting jobs, in order of arrival, sorted anew: ``head`` is to start at ``reserved`` (-1: no head)."""
        accounts = self.accounts
        assert isinstance(accounts, WindowUsage)
        accounts.open(view.labels(accounts.by))
        usage = accounts.standing(view.now)
        rows = np.append(started, head) if head >= 0 else started
        jobs = view.columns(rows)
        starts = [view.now] * len(started) + [reserved] * (head >= 0)
        for account, rate, start, estimate in zip(
            accounts.of(jobs).tolist(),
            accounts.rates(jobs).tolist(),
            starts,
            jobs.estimate.tolist(),
            strict=True,
        ):
            if start < np.inf:
                usage[account] += rate * accounts.expected(start, start + estimate, view.now)
        keys = accounts.weighed(usage)[accounts.of(view.columns(rest))]
        in_order: Rows = rest[keys.argsort(kind="stable")]
        return in_order


def relshare(
    window: float | str = "1d",
    by: str = "user",
    weights: dict[Any, float] | str | list[str] | None = None,
    measure: str | Measure = "processors",
    resort: str = "head",
) -> RelShareOrder:
    """The order ``relshare``: the user with the least usage in the current window first.

    ``window`` (s, or text such as ``"7d"``): whole days from local midnights, or a part of a day. ``resort``: under
    EASY, whether the others are sorted anew only when the ``head`` has its reservation (default), or after every
    ``start`` of a pass as well. The others are those of `Accounts`.
    """
    length = checked_window(as_time("window", window))
    accounts = WindowUsage(window=length, by=by, weights=weights, measure=measure)
    return RelShareOrder(
        "relshare",
        usage_key(accounts),
        dynamic=True,
        line="least processor-seconds used and expected in the current day first, by user",
        source="Vasupongayya: goal-oriented policies",
        accounts=accounts,
        resort=one_of("resort", resort, RESORT),
    )
