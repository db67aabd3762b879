"""Budgets of the users or accounts of a machine, as its jobs start and end (`thinktime.models.site.budget`).

The engine asks before a pass, after runs have ended, at the begin of a period, and where charges vary with the time of
a start (`thinktime.models.engine.limits.budgets`, which keeps the accounts in between).
"""

from __future__ import annotations

import math
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from thinktime.models.engine.codes import budgets as codes
from thinktime.models.engine.codes.budgets import ENDLESS, ROUNDED
from thinktime.models.jobs.columns import grown
from thinktime.models.jobs.pool import Pool
from thinktime.models.machine.limits.clocks import Clocks
from thinktime.models.results.bill import integral, rates
from thinktime.models.results.schedule import COLUMNS, Schedule
from thinktime.models.results.service import all_runs
from thinktime.models.site.budget import OWNERS
from thinktime.models.state import State
from thinktime.workloads.arrays import AnyArray, Flags, Floats, Whole
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.grid import TICK, ceil_to_grid

if TYPE_CHECKING:
    from thinktime.models.machine.limits.entries import Entries
    from thinktime.models.site.budget import Budget
    from thinktime.models.site.charge import Charge
    from thinktime.workloads.signals.forecasts import Forecast
    from thinktime.workloads.signals.signal import Signal

KINDS = {"hold": codes.HOLD, "refuse": codes.REFUSE, "lowest": codes.LOWEST}
OF_ROWS = ("owner", "account", "over", "size", "wanted", "opens", "begin", "end", "earlier", "marks")
OF_ACCOUNTS = ("left", "tried", "whole")
CHANGING = (*OF_ROWS[1:], "weights", "left", "tried")
"""The arrays that forecasts have of their own."""


class Spending:
    """The accounts of one machine: what every owner has spent in this period, and what its jobs cost."""

    def __init__(
        self, pool: Pool, names: dict[str, list[Any]], budget: Budget, charge: Charge, signals: dict[str, Forecast]
    ) -> None:
        """``ValueError`` for a charge by something that the machine does not have."""
        self._pool, self._names, self._budget, self._charge = pool, names, budget, charge
        self._forecasts, self._calendar = signals, Calendar()
        self._entries: Entries | None = None
        kinds = dict.fromkeys(("owner", "account", "over", "size"), np.int64) | {"marks": np.int8}
        self._arrays: dict[str, AnyArray] = {
            name: np.empty(0, kinds.get(name, np.float64)) for name in (*OF_ROWS, *OF_ACCOUNTS, "weights")
        }
        self._spent, self._then = np.empty(0), np.empty(0)
        """What has been spent of accounts; and of jobs that cost too much, what was left when that was noted."""
        self._owners = 0
        self._units, self._credits = (np.empty((0, len(charge.terms))) for _ in range(2))
        self._sized = np.empty(0)
        """The sizes for which charges are known."""
        self._clocks: list[list[Signal] | None] = []
        self._prices: Clocks | None = None
        self._read_clocks()
        pool.state.bind(budget_kind=KINDS[budget.spent], limit_timed=True)
        self._know_owners()

    def arrays(self) -> dict[str, AnyArray]:
        """What the engine takes, by name."""
        return {f"budget_{name}": array for name, array in self._arrays.items()}

    def copied(self) -> Self:
        """The accounts of a forecast, which goes on with them on another pool (`on`)."""
        twin = copy(self)
        twin._arrays = self._arrays | {name: self._arrays[name].copy() for name in CHANGING}
        twin._spent, twin._then, twin._prices = self._spent.copy(), self._then.copy(), copy(self._prices)
        return twin

    def on(self, pool: Pool) -> None:
        """These are the accounts of this pool."""
        self._pool = pool

    def with_entries(self, entries: Entries) -> None:
        """Jobs in several partitions have these entries, with charges of their own."""
        self._entries = entries

    def on_calendar(self, calendar: Calendar) -> None:
        """The hours of a day are those of a log."""
        self._calendar = calendar
        self._read_clocks()

    def grow(self, capacity: int) -> None:
        """Make room for so many rows."""
        if capacity > len(self._arrays["owner"]):
            self._arrays |= {name: grown(self._arrays[name], capacity) for name in OF_ROWS}
            self._then, self._sized = grown(self._then, capacity), grown(self._sized, capacity)
            if self._prices is not None:
                self._arrays["weights"] = grown(self._arrays["weights"], capacity * self._width)
            for name in ("_units", "_credits"):
                longer = np.zeros((capacity, len(self._charge.terms)))
                longer[: len(getattr(self, name))] = getattr(self, name)
                setattr(self, name, longer)

    def learn(self, rows: Whole) -> None:
        """Find out what these jobs cost, which have become known."""
        self._know_owners()
        for k, each in enumerate(rates(self._schedule(rows), self._charge)):
            self._units[rows, k], self._credits[rows, k] = each.units, each.credits
        self._sized[rows] = self._pool.requests.processors[rows]
        if self._prices is not None:
            self._tell_weights(rows)
        owners = getattr(self._pool.requests, OWNERS[self._budget.of])[rows]
        self._arrays["owner"][rows] = self._arrays["account"][rows] = owners + 1
        self._arrays["marks"][rows] = 0
        if len(self._pool.following):  # later segments belong to jobs that have begun
            self._arrays["marks"][rows[np.isin(rows, self._pool.following)]] = codes.BEGUN
        if self._varies:
            self._arrays["opens"][rows] = np.nan
            self._pool.state.budget_asked = -math.inf
        else:
            self._arrays["wanted"][rows] = self._planned(rows, 0.0)

    def whose(self, row: int) -> str:
        """Whose budget it is that a job is charged to."""
        code = int(self._arrays["owner"][row]) - 1
        owner = self._names[OWNERS[self._budget.of]][code] if code >= 0 else None
        of = self._budget.of
        return f"the budget of jobs without {of}" if owner is None else f"the budget of {of} {owner}"

    def settle(self, now: float) -> None:
        """Runs that have ended have spent what they were charged; what waiting jobs cost is for a start now."""
        state, arrays, requests = self._pool.state, self._arrays, self._pool.requests
        if state.budget_until <= now:
            self._begin_period(now)
        if n := state.budget_ended:
            rows, begin, end, size = (arrays[name][:n].copy() for name in ("over", "begin", "end", "size"))
            charges = (self._charges(rows, begin, end, size) + arrays["earlier"][rows]) * self._paid(rows, end, now)
            np.add.at(self._spent, arrays["account"][rows], charges)
            state.budget_ended = 0
            again = rows[requests.state[rows] < State.RUNNING]
            arrays["wanted"][again] = self._planned(again, now)
        running = self._pool.running_rows
        held = np.bincount(arrays["account"][running], arrays["wanted"][running], len(self._spent))
        arrays["left"][:] = arrays["whole"] - self._spent - held
        if self._prices is not None and self._varies:
            self._tell_clocks(now)
        if self._varies:
            self._price(now)

    def _begin_period(self, now: float) -> None:
        """All owners have new accounts; old ones are kept of which there are runs that go on, or are to be settled."""
        state, arrays, length = self._pool.state, self._arrays, self._budget.period
        if length is None:
            state.budget_until = math.inf
            return
        state.budget_until = ceil_to_grid((int(self._budget.period_of(np.array(now))) + 1) * length)
        rows = np.concatenate([self._pool.running_rows, arrays["over"][: state.budget_ended]])
        kept, place = np.unique(arrays["account"][rows], return_inverse=True)
        every = np.concatenate([np.arange(self._owners), kept])
        arrays["account"][:] = arrays["owner"]
        arrays["account"][rows] = self._owners + place
        self._spent = np.append(np.zeros(self._owners), self._spent[kept])
        self._arrays |= {name: arrays[name][every] for name in OF_ACCOUNTS}
        state.bind(**{f"budget_{name}": self._arrays[name] for name in OF_ACCOUNTS})

    def _know_owners(self) -> None:
        """Every owner has an account before those of earlier periods; that with the number 0 is of jobs without one."""
        labels, known = self._names[OWNERS[self._budget.of]], self._owners
        if len(labels) + 1 == known:
            return
        more = [None, *labels][known:]
        whole = np.array([self._budget.of_name(each) for each in more], np.float64) * (1.0 + ROUNDED)
        new = {"whole": whole, "left": whole, "tried": np.zeros(len(more))}
        self._arrays |= {name: np.insert(self._arrays[name], known, each) for name, each in new.items()}
        self._spent = np.insert(self._spent, known, new["tried"])
        self._arrays["account"][self._arrays["account"] >= known] += len(more)
        self._owners += len(more)

    # -- charges ------------------------------------------------------------------------

    @property
    def _varies(self) -> bool:
        return bool(self._pool.state.budget_varies)

    def _read_clocks(self) -> None:
        self._clocks = [each.clock for each in rates(self._schedule(np.empty(0, np.int64)), self._charge)]
        self._pool.state.budget_varies = any(self._clocks)
        if self._pool.forms is not None:
            self._prices = Clocks()
            self._tell_clocks(0.0)

    def _schedule(self, rows: Whole) -> Schedule:
        """Some jobs as a result has them."""
        pool, columns = self._pool, dict[str, Any]()
        for name, kind in COLUMNS.items():
            table = pool.outcomes if name in ("end", "runtime") else pool.requests
            own = getattr(table, "requested" if name == "estimate" else name, None)
            columns[name] = np.zeros(len(rows), kind) if own is None else own[rows]
        if pool.power is not None:
            columns["power"] = pool.requests.power[rows]
        signals = {name: each.signal for name, each in self._forecasts.items()}
        return Schedule(
            columns, self._names, pool.processors, "", "kill", 0.0, unix_start=self._calendar.start,
            zone=self._calendar.zone, machine_power=pool.power, signals=signals,
        )  # fmt: skip

    def _planned(self, rows: Whole, now: float) -> Floats:
        """What a run of each of these jobs is charged that starts now and lasts as long as planned."""
        return self._starting(rows, np.full(len(rows), now))

    def _starting(self, rows: Whole, starts: Floats) -> Floats:
        """The same at a time for each; where jobs may be interrupted, checkpoints and restarts are planned as well."""
        requests = self._pool.requests
        length = (requests.estimate if self._pool.state.changing else requests.requested)[rows]
        charges = self._charges(rows, starts, starts + np.minimum(length, ENDLESS))
        return np.where((length >= ENDLESS) & (charges > 0.0), math.inf, charges)

    def _charges(self, rows: Whole, begin: Floats, end: Floats, size: Whole | None = None) -> Floats:
        """What runs of these jobs are charged, with the sizes that they have now, or others."""
        found, part = np.zeros(len(rows)), np.ones(len(rows))
        if self._prices is not None:
            part = (self._pool.requests.processors[rows] if size is None else size) / self._sized[rows]
        for k, clock in enumerate(self._clocks):
            time = 1.0 if clock is None else part * integral(clock, begin, end)
            found += self._units[rows, k] * time * self._credits[rows, k]
        return found

    @property
    def _width(self) -> int:
        return 1 + sum(clock is not None for clock in self._clocks)

    def _tell_weights(self, rows: Whole) -> None:
        """Tell the engine what jobs are charged for their runs, and per processor for a second of each clock."""
        each, table = self._units[rows] * self._credits[rows], self._arrays["weights"].reshape(-1, self._width)
        timed = np.array([clock is not None for clock in self._clocks], np.bool_)
        table[rows, 0] = each[:, ~timed].sum(1)
        table[rows, 1:] = each[:, timed] / self._sized[rows, np.newaxis]

    def _tell_clocks(self, now: float) -> None:
        """Tell the engine what the clocks are, from the start of the first job that runs."""
        assert self._prices is not None
        timed = [clock for clock in self._clocks if clock is not None]
        if self._prices.tell(timed, *self._span(now)):
            self._arrays |= self._prices.arrays()
            self._pool.state.bind(**{f"budget_{name}": array for name, array in self._prices.arrays().items()})

    def _span(self, now: float) -> tuple[float, float]:
        """The times between which charges may be asked for: no job is slower than with its least size."""
        pool: Any = self._pool
        rows = np.concatenate([pool.running_rows, pool.waiting_rows])
        first = float(pool.requests.start[pool.running_rows].min(initial=now))
        form, arrays, slowest = pool.arrays["form"][rows], pool.arrays, np.ones(len(rows))
        slowest[form >= 0] = arrays["form_rates"][arrays["form_first"][form[form >= 0]]]
        each = pool.requests.requested[rows] / slowest
        saved = each / arrays["checkpoint"][rows] * arrays["cost"][rows]
        each += saved + arrays["restart"][rows] + arrays["pause"][rows]
        return first, now + 1.0 + float(each[each < ENDLESS].max(initial=0.0))

    def _paid(self, rows: Whole, end: Floats, now: float) -> Flags:
        """Which of the last runs of these jobs, which have ended then, are charged."""
        if not self._charge.free:
            return np.ones(len(rows), np.bool_)
        one = self._schedule(rows)
        object.__setattr__(one, "history", self._pool.history(rows, now))
        runs = all_runs(one)
        free = runs.ended(*self._charge.free) & (runs.end == end[runs.row])
        paid = np.ones(len(rows), np.bool_)
        paid[runs.row[free]] = False
        return paid

    # -- charges that vary --------------------------------------------------------------

    def _price(self, now: float) -> None:
        """What waiting jobs cost now, and when time alone leaves enough for those that cost too much."""
        state, arrays = self._pool.state, self._arrays
        rows = self._pool.waiting_rows.copy()
        if self._entries:
            rows = np.concatenate([rows, *(np.array(self._entries.of(row), np.int64) for row in rows.tolist())])
        wanted = arrays["wanted"][rows] = self._planned(rows, now)
        owners, state.budget_asked = arrays["owner"][rows], now
        for row in rows[wanted > arrays["left"][owners]].tolist():
            self._find_opening(row, now)

    def _find_opening(self, row: int, now: float) -> None:
        """When a job costs no more than is left, at the latest when all is renewed; it is hopeless if it never does."""
        arrays, owner, until = self._arrays, int(self._arrays["owner"][row]), self._pool.state.budget_until
        left = float(arrays["left"][owner])
        if arrays["opens"][row] > now and left == self._then[row]:
            return
        self._then[row] = left
        if np.isnan(arrays["opens"][row]):  # it has come now
            least = self._cheapest(row, now)
            arrays["marks"][row] |= codes.HOPELESS * (least > arrays["whole"][owner])
        never = bool(arrays["marks"][row] & codes.HOPELESS)
        found = math.inf if never else self._first_within(row, now, left)
        arrays["opens"][row] = min(found, math.inf if never else until)

    def _cheapest(self, row: int, now: float) -> float:
        """What a job costs when that is least."""
        starts = self._borders(row, now)
        return float(self._starting(np.full(len(starts), row), starts).min())

    def _first_within(self, row: int, now: float, left: float) -> float:
        """The first time after now at which a start costs no more than this: costs are lines between the borders."""
        starts = self._borders(row, now)
        costs = self._starting(np.full(len(starts), row), starts)
        low = np.flatnonzero(costs <= left)
        if not len(low):
            return math.inf
        k = int(low[0])
        if k == 0:
            return now + TICK
        fraction = (costs[k - 1] - left) / (costs[k - 1] - costs[k])
        found = ceil_to_grid(float(starts[k - 1] + fraction * (starts[k] - starts[k - 1])))
        while found < starts[k] and self._planned(np.array([row]), found)[0] > left:
            found += TICK  # the fraction is rounded
        return max(found, now + TICK)

    def _borders(self, row: int, now: float) -> Floats:
        """The starts from now on, over the longest period of the signals, between which costs change steadily."""
        requests = self._pool.requests
        length = float((requests.estimate if self._pool.state.changing else requests.requested)[row])
        length = min(length, ENDLESS)
        every = [signal for clock in self._clocks for signal in clock or ()]
        last = max(now + each.period if each.period < math.inf else float(each.times[-1]) for each in every)
        steps = np.concatenate([each.steps(now, last + length).times for each in every])
        starts = np.concatenate([[now, last], steps, steps - length])
        return np.unique(starts[(starts >= now) & (starts <= max(now, last))])
