"""Accounts in a tree: what the users of a site have used, and what their jobs count for in priorities.

Jobs belong to a user of an account: the job's ``group`` is its account (by default the user's own), and its ``queue``
is the name of a QOS or else of a partition of the site. A user whom the tree does not have at that account has no
association, as Slurm calls it: the job's fair share is 0, and no account is charged for it. Without a site, or without
associations, all users are right below root, with equal shares.

The state is in the arrays of `thinktime.models.orders.priorities`, which says how use accrues and decays.
"""

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.models.engine.codes import multifactor as codes
from thinktime.models.engine.codes.usage import END, START
from thinktime.models.engine.spare import Spare
from thinktime.models.jobs.columns import grown
from thinktime.models.jobs.held_back import NO_TIMES
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.view import View
from thinktime.models.orders import priorities as multifactor
from thinktime.models.orders.account_nodes import AccountNodes
from thinktime.models.orders.accounts import Accounts
from thinktime.models.orders.fair_tree import summed_up
from thinktime.models.orders.job_kinds import JobKinds
from thinktime.models.orders.options import as_time, one_of
from thinktime.models.orders.priorities import Multifactor
from thinktime.models.site.priority import WEIGHTS, PriorityRules
from thinktime.models.site.site import Site
from thinktime.workloads.arrays import Floats, Rows, writable
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.grid import to_grid
from thinktime.workloads.units import as_text

ACCRUALS = ("exact", "slurm")
ENDS = {"limits", "safe"}
"""With one of these in AccountingStorageEnforce, what a job used counts at its end."""
FACTORS = "age", "association", "fairshare", "job_size", "partition", "qos", "cpu", "node", "nice"
YEARS = 30
Key = tuple[str, str | None, str | None]
"""An association: account, user (None: the account itself) and partition (None: all)."""
IS_RESET: dict[str, Callable[[datetime.date], bool]] = {
    "DAILY": lambda day: True,
    "WEEKLY": lambda day: day.isoweekday() == 7,
    "MONTHLY": lambda day: day.day == 1,
    "QUARTERLY": lambda day: day.day == 1 and day.month % 3 == 1,
    "YEARLY": lambda day: day.day == day.month == 1,
}
OF_MACHINE = "_pool", "_names"
"""What belongs to one machine."""


@dataclass(frozen=True, slots=True)
class Accrual:
    """How use accrues, and how often priorities change; None: as the site says."""

    accrual: str = "exact"
    ticks: float | None = None
    tick_origin: float = 0.0
    half_life: float | None = None
    max_age: float | None = None

    @classmethod
    def of(cls, accrual: str, ticks: Any, tick_origin: Any, half_life: Any, max_age: Any) -> "Accrual":
        """From options as people write them."""
        made = cls(
            one_of("accrual", accrual, ACCRUALS),
            None if ticks is None else to_grid(as_time("ticks", ticks)),
            to_grid(_signed("tick_origin", tick_origin)),
            None if half_life is None else as_time("half_life", half_life),
            None if max_age is None else as_time("max_age", max_age, above=True),
        )
        if made.accrual == "slurm" and made.ticks == 0:
            raise ValueError("accrual=slurm counts use at ticks, so ticks must be above 0")
        return made

    def options(self) -> dict[str, Any]:
        """What is not as it would be without being given."""
        times = ("ticks", "half_life", "max_age")
        return (
            ({"accrual": self.accrual} if self.accrual != "exact" else {})
            | {name: as_text(time) for name in times if (time := getattr(self, name)) is not None}
            | ({"tick_origin": as_text(self.tick_origin)} if self.tick_origin else {})
        )


def _signed(name: str, value: Any) -> float:
    text = str(value)
    return -as_time(name, text[1:]) if text.startswith("-") else as_time(name, value)


class TreeAccounts(Accounts):
    """Accounts of a site's tree, and of users with equal shares where there is none.

    ``weights`` are those of a weighted sum of factors; None are the site's own.
    """

    compiled = in_tree = True
    one_each = False
    name = "multifactor"

    def __init__(self, accrual: Accrual, factors: Mapping[str, float] | None = None) -> None:
        super().__init__()
        self.accrual = accrual
        self.factors = None if factors is None else dict(factors)
        self.needs_site = factors is None
        self.site: Site | None = None
        self._calendar = Calendar()
        self._pool: Pool
        self._names: dict[str, list[Any]]
        self._kinds: JobKinds
        self._nodes: AccountNodes
        self._structure = Multifactor()
        self._home = np.zeros(1, np.int64)
        self._known, self._skipped = 0, np.empty(0, np.int64)
        self._leaf, self._kind, self._asked = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
        self._line, self._place, self._begun = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)

    @property
    def rules(self) -> PriorityRules:
        """The site's rules of priorities, or Slurm's defaults."""
        return PriorityRules() if self.site is None else self.site.priority

    @property
    def ticks(self) -> tuple[float, float]:  # type: ignore[override]
        """The period and the origin, unless neither age nor use counts."""
        given, own = self.accrual, self.factors
        weights = _own_weights(self.rules, self.site is None or self.site.accounting) if own is None else own
        if not (weights.get("age") or weights.get("fairshare")):
            return 0.0, 0.0
        return to_grid(self.rules.calc_period) if given.ticks is None else given.ticks, given.tick_origin

    def on_site(self, site: Site | None) -> None:
        """The machine is of this site."""
        self.site = site

    def keep(self, pool: Pool, names: dict[str, list[Any]]) -> None:
        """From now on the accounts are told of starts and ends on this machine."""
        super().keep(pool, names)
        self._pool, self._names = pool, names
        vars(self).pop("_bound", None)
        if "_usage" not in vars(self):
            self._lay_out()

    def _lay_out(self) -> None:
        """Make the arrays of the tree, in the state of the start."""
        if self.factors is None and self.site is None:
            raise ValueError("order multifactor has the weights of a site, and this machine has none")
        rules, site, given = self.rules, self.site, self.accrual
        own = self.factors is None
        factors = self.factors or _own_weights(rules, site is None or site.accounting)
        self._kinds = JobKinds(site, self._pool, factors, tiers=own)
        self._flat = site is None or not site.accounts.users
        self._nodes = AccountNodes.flat(0) if site is None or self._flat else AccountNodes.of(site.accounts)
        period, origin = to_grid(rules.calc_period) if given.ticks is None else given.ticks, given.tick_origin
        self._structure.bind(
            accrual=ACCRUALS.index(given.accrual), fair_tree=rules.fair_tree, truncated=own,
            ends_count=site is not None and bool(ENDS & site.enforce), max_tres="MAX_TRES" in rules.flags,
            size_is="SMALL_RELATIVE_TO_TIME" in rules.flags, small_first=rules.favor_small, stale=True, period=period,
            origin=origin, last_tick=origin + np.floor((0.0 - origin) / period) * period if period else 0.0,
            max_age=rules.max_age if given.max_age is None else given.max_age,
            half_life=rules.half_life if given.half_life is None else given.half_life, dampening=rules.dampening,
            **{f"weight_{name}": factors.get(name, 0.0) for name in FACTORS},
        )  # fmt: skip
        self._structure.all_cpus, self._structure.all_nodes = self._kinds.totals
        self._set_resets()
        self._set_tree()

    def _set_resets(self) -> None:
        """Find out when use is set to 0: at ticks, if use accrues at them."""
        resets = reset_times(self.rules.usage_reset, self._calendar)
        if self.accrual.accrual == "slurm":
            period, origin = self._structure.period, self._structure.origin
            resets = origin + np.ceil((resets - origin) / period) * period
        self._resets = resets
        vars(self).pop("_bound", None)

    def on_calendar(self, calendar: Calendar) -> None:
        """Use is set to 0 at the midnights of this calendar."""
        self._calendar = calendar
        self._set_resets()

    def _set_tree(self) -> None:
        """Make the arrays of the nodes; what the first ones have used stays."""
        nodes, site = self._nodes, self.site
        priority = nodes.priority
        if not {"NO_NORMAL_ASSOC", "NO_NORMAL_ALL"} & self.rules.flags:
            priority = priority / max(priority.max(), 1.0)
        self._association, self._walk = priority, nodes.child.copy()
        size = len(nodes)
        if "_usage" not in vars(self):
            forgotten = self._flat or site is None or self.rules.usage_reset == "NOW"
            self._usage = np.zeros(size) if forgotten or site is None else nodes.used(site.used)
            self._since, self._rate, self._factor = np.zeros(size), np.zeros(size), np.zeros(size)
            self._jobs = np.zeros(size, np.int64)
            self._standing, self._before = self._usage.copy(), self._usage.copy()
        else:
            for name in ("_usage", "_since", "_rate", "_factor", "_jobs", "_standing", "_before"):
                setattr(self, name, grown(getattr(self, name), size))
        self._usual = np.array([self._kinds.usual(each) for each in nodes.associations])

    def open(self, labels: list[Any]) -> None:
        """Find the associations of users who have become known, or make them."""
        users = self._names["user"]
        if len(self._home) == 1 + len(users):
            return
        if self._flat:
            self._nodes = AccountNodes.flat(len(users))
            self._set_tree()
            self._structure.stale = True
            home = list(range(1, 1 + len(users)))
        else:
            home = [self._kinds.home(self._nodes, user) for user in users]
        self._home = np.array([0, *home])
        vars(self).pop("_bound", None)

    def as_structure(self, rows: int, now: float) -> Multifactor:
        """What the engine knows, with room for so many rows."""
        self.open(self._names["user"])
        rows = max(rows, self._pool.requests.capacity)
        if rows > len(self._leaf):
            for name in ("_leaf", "_kind"):
                setattr(self, name, grown(getattr(self, name), rows))
            self._asked = grown(self._asked, rows * codes.OF_ROW)
            if self.accrual.accrual == "slurm":
                for name in ("_line", "_place", "_begun"):
                    setattr(self, name, grown(getattr(self, name), rows))
            vars(self).pop("_bound", None)
        self._describe()
        eligible = NO_TIMES if "ACCRUE_ALWAYS" in self.rules.flags else self._pool.eligible
        if vars(self).get("_bound") is not eligible:
            nodes = self._nodes
            self._structure.bind(
                resets=self._resets, parent=nodes.parent, first=nodes.first, child=nodes.child, user=nodes.user,
                walk=self._walk, shares=nodes.shares, association=self._association, usage=self._usage,
                since=self._since, rate=self._rate, jobs=self._jobs, standing=self._standing, before=self._before,
                factor=self._factor, home=self._home, usual=self._usual, kinds=self._kinds.table(), leaf=self._leaf,
                kind_of=self._kind, asked=self._asked, line=self._line, place=self._place, begun=self._begun,
                eligible=eligible,
            )  # fmt: skip
            self._bound = eligible
        return self._structure

    def _describe(self) -> None:
        """Find out what the jobs that have become known are charged for, and to whom."""
        requests = self._pool.requests
        if requests.size <= self._known and not len(self._skipped):
            return
        rows = np.concatenate([self._skipped, np.arange(self._known, requests.size)])
        known = requests.id[rows] >= 0  # not those that a user only considers
        self._skipped, self._known, rows = rows[~known], max(self._known, requests.size), rows[known]
        if len(rows):
            node, kind = self._kinds.of(self._nodes, self._home, self._usual, self._names, requests, rows)
            self._leaf[rows], self._kind[rows] = node + 1, kind
            asked = self._asked.reshape(-1, codes.OF_ROW)
            asked[rows] = self._kinds.asked(self._pool, rows, kind)

    def begin_late(self, now: float) -> None:
        """All ticks up to now are over: what was used by then stands in the site's usage."""
        order = self.as_structure(0, now)
        if order.period > 0.0:
            order.last_tick = order.origin + np.floor((now - order.origin) / order.period) * order.period
        order.next_reset = int(np.searchsorted(self._resets, now, side="right"))

    def go_on_with(self, since: Mapping[Key, float], shares: Mapping[Key, float], within: float) -> float:
        """Fair shares until the next tick are those of the last one, when nodes had used less than they have now.

        It was less by what they were charged ``since`` then. ``shares`` are what was told of them, which go before if
        they differ by more than ``within``. Returns the largest difference.
        """
        order, number = self.as_structure(0, 0.0), self._nodes.number
        before = self._usage.copy()
        for key, used in since.items():
            if key in number:
                before[number[key]] = max(before[number[key]] - used, 0.0)
        self._standing[:] = self._before[:] = before
        order.stale = True
        multifactor.look(self._pool.state, order, order.last_tick)
        found = {number[key]: share for key, share in shares.items() if key in number}
        differs = {v: abs(float(self._factor[v]) - share) for v, share in found.items()}
        for v, difference in differs.items():
            if difference > within:
                self._factor[v] = found[v]
        return max(differs.values(), default=0.0)

    def on_start(self, view: View, rows: Rows, now: float) -> None:
        """Use accrues from now on."""
        self.as_structure(0, now).charge_jobs(self._pool.state, now, START, writable(rows))

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Use accrues until now."""
        self.as_structure(0, now).charge_jobs(self._pool.state, now, END, writable(rows))

    def keys(self, rows: Rows, now: float) -> Floats:
        """The keys of some jobs: the smallest is next."""
        state, order = self._pool.state, self.as_structure(0, now)
        found: Floats = np.array(multifactor.keys_of(state, order, now, writable(rows)))
        return found

    def priorities_of(self, rows: Rows, now: float) -> Floats:
        """The priorities of some jobs, as `sprio` of Slurm says them."""
        state, structure = self._pool.state, self.as_structure(0, now)
        tick = multifactor.look(state, structure, now)
        return np.array([multifactor.priority(state, structure, row, tick) for row in rows.tolist()])

    def fair_shares(self, now: float) -> dict[tuple[str, str | None, str | None], float]:
        """The factor of fair share of each association (account, user, partition), as `sshare` of Slurm says it."""
        multifactor.look(self._pool.state, self.as_structure(0, now), now)
        users = np.flatnonzero(self._nodes.user | (1 - self._structure.fair_tree))
        named = self._nodes.associations
        return {named[v].key: float(self._factor[v]) for v in users.tolist() if v}

    def raw_usage(self, now: float) -> dict[tuple[str, str | None, str | None], float]:
        """What each association has used by now with all below it, as `sshare` of Slurm says it but for fractions."""
        state, structure = self._pool.state, self.as_structure(0, now)
        multifactor.advance(state, structure, now)
        total = np.array(summed_up(Spare(), self._nodes.parent, self._own(now)))
        named = self._nodes.associations
        return {each.key: used for each, used in zip(named, total.tolist(), strict=True)}

    def standing(self, now: float) -> Floats:
        """What every user has used by now, in all accounts."""
        multifactor.advance(self._pool.state, self.as_structure(0, now), now)
        own, by_name = self._own(now), {label: 1 + code for code, label in enumerate(self._names["user"])}
        found = np.zeros(len(self._home))
        if self._flat:
            found[1:] = own[1:]
            return found
        for v in np.flatnonzero(self._nodes.user).tolist():
            code = by_name.get(self._nodes.associations[v].user)
            if code is not None:
                found[code] += own[v]
        return found

    def _own(self, now: float) -> Floats:
        if self.accrual.accrual == "slurm":
            return self._usage.copy()
        return np.array([multifactor.used_at(self._structure, v, now) for v in range(len(self._usage))])

    def options(self) -> dict[str, Any]:
        """How use accrues, and how often priorities change."""
        return self.accrual.options()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name not in OF_MACHINE}


def reset_times(usage_reset: str, calendar: Calendar) -> Floats:
    """The local midnights of the next `YEARS` at which use is set to 0, weekly on Sundays (Slurm's manual)."""
    if usage_reset in ("NONE", "NOW"):
        return np.empty(0)
    first = calendar.date(0.0)
    days = (first + datetime.timedelta(k) for k in range(1, YEARS * 366))
    return np.array([calendar.midnight(day) for day in days if IS_RESET[usage_reset](day)])


def _own_weights(rules: PriorityRules, accounting: bool) -> dict[str, float]:
    """The weights of a site, and that of a job's own nice value."""
    weights = {name: float(getattr(rules, name)) for name in WEIGHTS} | dict(rules.tres) | {"nice": 1.0}
    return weights if accounting else weights | {"age": 0.0, "fairshare": 0.0}
