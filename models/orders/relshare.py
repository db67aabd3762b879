"""Relative fairshare: who has used the least in the current window is next.

Symbols: the window [w0, w1) is the local day of the log by default. User u's usage at time t is

    sum over ended jobs of n |[start, end) in [w0, t)|  +  sum over running jobs of n |[start, end') in [w0, w1)|

with n processors and end' the expected end: the actual usage, and what running jobs are expected to use
until the window ends. EASY gives one job a reservation: the order is evaluated without it first; once the
head and its shadow time are known, what the reserved job is expected to use inside the window is added to
its owner's usage, the jobs that start in this pass count as running, and the order of all others is
evaluated again, once. With ``resort="start"`` it is evaluated again after every start of the pass. At the end of
the window, usage is forgotten, except what running jobs use in the new one.

On a machine that changes, a run that is interrupted counts as what it used, like one that ends early, and the reserved
job starts at its earliest fit beside windows. If none is in sight, nothing is counted for it.

Source: the goal paper, section IV.A (RelShare(1d)). The paper says that the priority is dynamic, but not when it is
computed. We decided that the window begins at local midnight, that ties are broken by arrival, and that the order is
evaluated once more.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.models.engine.codes import windows as codes
from thinktime.models.engine.codes.queue_orders import EQUIVALENTS, PROCESSORS
from thinktime.models.engine.rules import Rule
from thinktime.models.jobs.view import View
from thinktime.models.orders import windows
from thinktime.models.orders.accounts import BY, AccountOrder, Accounts, Measure, usage_key
from thinktime.models.orders.options import as_time, one_of
from thinktime.models.orders.windows import Windowed
from thinktime.workloads.arrays import Floats, Rows, writable
from thinktime.workloads.calendar import Calendar, checked_window
from thinktime.workloads.units import DAY, as_text

RESORT = ("head", "start")
WINDOWS = 400
"""How many windows the engine is told of at once."""


class WindowUsage(Accounts):
    """Accounts of actual and expected use in the current window.

    While the window lasts, what a running job has used in it and what it is still expected to use add up to the same
    number at any time. So only starts and ends change the sums (`thinktime.models.orders.windows`).
    """

    by_estimates = True
    name = "relshare"

    def __init__(self, window: float = DAY, each_start: bool = False, **shared: Any) -> None:
        super().__init__(**shared)
        self.window = window
        self.calendar = Calendar()
        measured = PROCESSORS if self.measure == "processors" else EQUIVALENTS
        measured = measured if self.compiled else codes.GIVEN
        by = BY.index(self.by)
        self._structure = Windowed(by=by, measure=measured, each_start=each_start, usage=np.zeros(1))

    @property
    def compiled(self) -> bool:  # type: ignore[override]
        """Whether the measure is one of the package's own."""
        return isinstance(self.measure, str)

    @property
    def known_until(self) -> float:  # type: ignore[override]
        """The end of the last window that is known."""
        return self._structure.borders[-1]

    def as_structure(self, rows: int, now: float) -> Windowed:
        """The accounts as the engine keeps them, with some windows from the one of ``now`` on."""
        order = self._structure
        if not len(order.borders) or not order.borders[0] <= now < order.borders[-1]:
            # The borders of the window that holds ``now``, and of some that follow.
            borders = list(self.calendar.window(now, self.window))
            with suppress(ValueError, OverflowError):  # no calendar goes on after the year 9999
                while len(borders) < WINDOWS:
                    borders.append(self.calendar.window(borders[-1], self.window)[1])
            order.borders = np.array(borders)
        order.lengthen(rows, "account", fill=codes.ABSENT)
        order.lengthen(rows, "line", "marks", "rate", "begun", "until")
        order.standing, order.divisors = self.current, self._divisors
        return order

    def on_calendar(self, calendar: Calendar) -> None:
        """Windows begin at the midnights of this calendar."""
        self.calendar = calendar
        self._structure.bind(window_since=np.inf, window_until=-np.inf, borders=np.empty(0))

    def standing(self, now: float) -> Floats:
        """Actual and expected use (in units of the rate times s) of every account in the window of ``now``."""
        out = np.empty(len(self._structure.usage))
        windows.standing_at(self.as_structure(0, now), now, out)
        return out

    def window_at(self, now: float) -> tuple[float, float]:
        """The window that holds ``now``."""
        return windows.window_at(self.as_structure(0, now), now)

    def on_start(self, view: View, rows: Rows, now: float) -> None:
        """Jobs have started: count what they are expected to use."""
        self.open(view.labels(self.by))
        jobs = view.columns(rows)
        structure = self.as_structure(2 * int(rows.max(initial=0)) + 64, now)
        windows.begin_use(structure, now, view.grace, rows, self.of(jobs), self.rates(jobs), jobs.expected_end)

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Jobs have ended: count what they used instead."""
        if len(rows):
            windows.end_use(self.as_structure(0, now), now, rows)

    def give_rates(self, view: View) -> None:
        """Note what waiting jobs use, where only the measure knows."""
        if not self.compiled and len(view.waiting):
            self.as_structure(2 * int(view.waiting.max()) + 64, view.now)
            np.asarray(self._structure.rate)[view.waiting] = self.rates(view.columns(view.waiting))

    def grow(self, size: int) -> None:
        """New accounts are empty."""
        self._structure.lengthen(size, "usage")

    def options(self) -> dict[str, Any]:
        """The window, then what all accounts have."""
        return {"window": "1d" if self.window == DAY else as_text(self.window)} | super().options()


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

    def arranged(self, view: View, rule: Rule) -> Rows:
        """The waiting rows as the rule wants them."""
        accounts = self.accounts
        assert isinstance(accounts, WindowUsage)
        accounts.check_kept()
        accounts.open(view.labels(accounts.by))
        accounts.give_rates(view)
        structure = accounts.as_structure(len(view.requests.id), view.now)
        return np.array(structure.arranged(view.state, rule, view.now, writable(view.by_arrival())))


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
    resort = one_of("resort", resort, RESORT)
    accounts = WindowUsage(length, resort == "start", by=by, weights=weights, measure=measure)
    return RelShareOrder(
        "relshare",
        usage_key(accounts),
        dynamic=True,
        line="least processor-seconds used and expected in the current day first, by user",
        source="Vasupongayya: goal-oriented policies",
        accounts=accounts,
        resort=resort,
    )
