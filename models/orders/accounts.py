"""Orders that keep accounts: who has used how much decides who is next.

`Accounts` are the state, and an `AccountOrder` is an order with accounts. The machine tells the accounts of its
policy's ``order`` of every start and end, before it tells the policy. So such an order works with every rule and
with a policy of your own. Usage is counted from the schedule that is being made, never from a log. A copy of the
order has accounts of its own, and so has every machine.

An account is a user's, or a group's with ``by="group"``; jobs without a user (or group) share one.
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.queue_orders import Order as EngineOrder
from thinktime.models.engine.structure import Structure, to_copy
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.view import Columns, View
from thinktime.models.orders.options import one_of, share_table, share_text
from thinktime.models.orders.order import Order
from thinktime.models.site.site import Site
from thinktime.workloads.arrays import Floats, Rows
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.names import quoted

Measure = Callable[[Columns], NDArray[Any]]
"""What jobs use per second while they run: from their requests, which do not change, one number for each."""


def _equivalents(jobs: Columns) -> NDArray[Any]:
    """Processor equivalents: the largest part of the machine that a job asks of any resource, in processors.

    Source: Jackson, Snell, Clement: Core algorithms of the Maui scheduler (JSSPP 2001). On a machine without nodes,
    where no job says anything else, these are its processors.
    """
    return np.where(np.isnan(jobs.equivalents), jobs.processors, jobs.equivalents)


MEASURES: dict[str, Measure] = {
    "processors": lambda jobs: jobs.processors,
    "processor-equivalent": _equivalents,
    "dominant-resource": _equivalents,  # by resource where nodes have several: `DominantUsage`
}
BY = ("user", "group")


class Accounts:
    """What users have used so far. Subclasses define how much that is (`standing`), and when it changes.

    ``weights`` (by name; others weigh 1) divide a user's usage: a user of weight 2 is entitled to twice as much.
    ``measure`` is the name of one of `MEASURES`, or a function: what counts as use, per second.
    """

    compiled = False
    """Whether the engine can keep the accounts."""

    by_estimates = False
    """Whether what is expected of running jobs counts as well."""

    name = "fairshare"
    """The order that goes by such accounts."""

    kept = False
    """Whether the accounts are told of starts and ends, by a machine whose policy's order has them."""

    def __init__(
        self,
        by: str = "user",
        weights: dict[Any, float] | str | list[str] | None = None,
        measure: str | Measure = "processors",
    ) -> None:
        if not callable(measure) and measure not in MEASURES:
            raise ValueError(f"measure is {quoted(measure)}, but must be one of {', '.join(MEASURES)}, or a function")
        self.by = one_of("by", by, BY)
        self.weights = share_table(weights)
        self.measure = measure
        self._labels = 0  # how many labels `_divisors` knows
        self._divisors = np.ones(1)
        self.current = np.zeros(1)
        """The standing at the last pass of the engine."""

    def standing(self, now: float) -> Floats:
        """The usage of every account at ``now``, changing nothing; 0 is of jobs without owner, 1 + code of others."""
        raise NotImplementedError

    def on_start(self, view: View, rows: Rows, now: float) -> None:
        """Jobs have started: their accounts are charged from now on."""

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Jobs have ended: their accounts are charged no more."""

    def on_calendar(self, calendar: Calendar) -> None:
        """A log is about to be replayed, and this is its calendar."""

    def grow(self, size: int) -> None:
        """From now on there are ``size`` accounts."""

    def options(self) -> dict[str, Any]:
        """What sets these accounts apart, as text on the command line would say it."""
        measure = self.measure if isinstance(self.measure, str) else self.measure.__name__
        return (
            ({"by": self.by} if self.by != "user" else {})
            | ({"weights": share_text(self.weights)} if self.weights else {})
            | ({"measure": measure} if measure != "processors" else {})
        )

    def of(self, jobs: Columns | Any) -> Rows:
        """The accounts of some jobs."""
        accounts: Rows = getattr(jobs, self.by) + 1
        return accounts

    def rates(self, jobs: Columns) -> Floats:
        """What some jobs use per second while they run."""
        measure = MEASURES[self.measure] if isinstance(self.measure, str) else self.measure
        return np.asarray(measure(jobs), np.float64)

    def open(self, labels: list[Any]) -> None:
        """Open accounts for labels that have become known."""
        if len(labels) == self._labels:
            return
        more = [self.weights.get(label, 1.0) for label in labels[self._labels :]]
        self._divisors = np.concatenate([self._divisors, more])
        self._labels = len(labels)
        self.current = np.zeros(1 + len(labels))
        self.grow(1 + len(labels))

    ticks: tuple[float, float] = (0.0, 0.0)
    """How many seconds are between two times at which keys of waiting jobs change by themselves (0: no such times), and
    one of these times."""

    one_each = True
    """Whether every user, or group, has one account."""

    needs_site = False
    """Whether they are those of a site."""

    in_tree = False
    """Whether they are in a tree (`thinktime.models.orders.tree_accounts`)."""

    def on_site(self, site: Site | None) -> None:
        """A machine is being made, and this is its site."""

    def keep(self, pool: Pool, names: dict[str, list[Any]]) -> None:
        """From now on the accounts are told of starts and ends on a machine, whose labels are ``names``."""
        self.kept = True

    def check_kept(self) -> None:
        """Raise ``ValueError`` if no machine tells of starts and ends, since all usage would stay 0."""
        if not self.kept:
            raise ValueError(
                f"no rule keeps the accounts of the order {self.name!r}, so its keys would all be 0: make it a part of "
                f"the policy's order, composed(key, {self.name!r}), or, in a policy with a rule of its own, set "
                "self.order = rule.order"
            )

    def priorities(self, labels: list[Any], now: float) -> Floats:
        """Usage divided by weight for each account; the smallest is next."""
        self.open(labels)
        return self.weighed(self.standing(now))

    def weighed(self, usage: Floats) -> Floats:
        """Usage divided by weight for each account."""
        return usage / self._divisors if self.weights else usage

    def usages(self, labels: list[Any], now: float) -> dict[Any, float]:
        """The usage of every user or group by name (None: jobs without one), for people to read; changes nothing.

        On a machine: ``machine.policy.order.accounts.usages(machine.names["user"], env.now)``.
        """
        self.open(labels)
        return dict(zip([None, *labels], self.standing(now).tolist(), strict=True))

    known_until = np.inf
    """Before what time (s) the engine can keep the accounts, before it needs them anew."""

    def as_structure(self, rows: int, now: float) -> EngineOrder:
        """What the engine knows of the accounts, with room for so many rows; for those that are `compiled`."""
        raise NotImplementedError(f"the engine keeps no accounts of {self.name}")

    def copy(self) -> "Accounts":
        """Independent accounts in the same state."""
        twin = copy.copy(self)
        for name, value in vars(twin).items():
            if isinstance(value, np.ndarray):
                setattr(twin, name, value.copy())
            elif isinstance(value, Structure):
                setattr(twin, name, value.copied())
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return to_copy(vars(self))


@dataclass(frozen=True, slots=True)
class AccountOrder(Order):
    """An order by accounts: the least usage (divided by weight) is next."""

    accounts: Accounts = field(kw_only=True)

    @property
    def compiles(self) -> bool:
        """Whether the engine can keep the accounts, and nothing else is in the key."""
        return not isinstance(self, ComposedOrder) and self.accounts.compiled

    @property
    def known_until(self) -> float:  # type: ignore[override]
        """As the accounts say."""
        return self.accounts.known_until

    def as_structure(
        self, names: dict[str, list[Any]], processors: int, rows: int, now: float, late: bool = False
    ) -> EngineOrder:
        """The accounts, with one for all users."""
        self.accounts.open(names[self.accounts.by])
        return self.accounts.as_structure(rows, now)

    def keys(self, jobs: Columns, now: float) -> Floats:
        """Usage divided by weight."""
        self.accounts.check_kept()
        return Order.keys(self, jobs, now)

    def sort(self, view: View) -> Rows:
        """The waiting rows in this order, at this moment."""
        self.accounts.check_kept()
        waiting = view.by_arrival()
        if len(waiting) < 2:
            return waiting
        accounts = self.accounts
        priorities = accounts.priorities(view.labels(accounts.by), view.now)
        keys = priorities[getattr(view.requests, accounts.by)[waiting] + 1]
        in_order: Rows = waiting[keys.argsort(kind="stable")]
        return in_order

    def options(self) -> dict[str, Any]:
        """Those of the accounts."""
        return self.accounts.options()

    def copy(self) -> "AccountOrder":
        """An order with accounts of its own, in the same state."""
        return self.on(self.accounts.copy())

    def on(self, accounts: Accounts) -> "AccountOrder":
        """The same order on other accounts."""
        return replace(self, accounts=accounts, key=usage_key(accounts))

    def __deepcopy__(self, memo: dict[int, Any]) -> "AccountOrder":
        return self.copy()


def usage_key(accounts: Accounts) -> Callable[[Columns, float], Floats]:
    """The key of an order by accounts: usage divided by weight."""

    def key(jobs: Columns, now: float) -> Floats:
        accounts.check_kept()
        return accounts.priorities(jobs.labels(accounts.by), now)[accounts.of(jobs)]

    return key


class Several(Accounts):
    """The accounts of several orders: all of them are told, and the first one answers."""

    def __init__(self, accounts: Sequence[Accounts]) -> None:
        first = accounts[0]
        super().__init__(by=first.by, weights=first.weights, measure=first.measure)
        self.parts = tuple(accounts)
        self.by_estimates = any(each.by_estimates for each in accounts)
        self.one_each = first.one_each
        self.needs_site = any(each.needs_site for each in accounts)
        self.in_tree = any(each.in_tree for each in accounts)
        self.kept = all(each.kept for each in accounts)

    @property
    def ticks(self) -> tuple[float, float]:  # type: ignore[override]
        """Those of the first one that has any."""
        return next((each.ticks for each in self.parts if each.ticks[0] > 0.0), (0.0, 0.0))

    def standing(self, now: float) -> Floats:
        """The standing of the accounts that the first order keeps."""
        return self.parts[0].standing(now)

    def open(self, labels: list[Any]) -> None:
        """Open accounts of the first one, which answers; the others open theirs themselves."""
        self.parts[0].open(labels)
        super().open(labels)

    def as_structure(self, rows: int, now: float) -> EngineOrder:
        """Those in a tree, which know partitions."""
        return next(part for part in self.parts if part.in_tree).as_structure(rows, now)

    def on_site(self, site: Site | None) -> None:
        """Tell all orders about the site."""
        for part in self.parts:
            part.on_site(site)

    def keep(self, pool: Pool, names: dict[str, list[Any]]) -> None:
        """Keep the accounts of all orders for the jobs of a pool."""
        super().keep(pool, names)
        for part in self.parts:
            part.keep(pool, names)

    def on_start(self, view: View, rows: Rows, now: float) -> None:
        """Tell all orders of the jobs that have started."""
        for part in self.parts:
            part.on_start(view, rows, now)

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Tell all orders of the jobs that have ended."""
        for part in self.parts:
            part.on_end(view, rows, now)

    def on_calendar(self, calendar: Calendar) -> None:
        """Tell all orders about the calendar of a log."""
        for part in self.parts:
            part.on_calendar(calendar)


@dataclass(frozen=True, slots=True)
class ComposedOrder(AccountOrder):
    """An order whose key is computed from the keys of others, of which some keep accounts."""

    parts: tuple[Order, ...] = field(kw_only=True)
    function: Callable[..., Any] = field(kw_only=True)

    def sort(self, view: View) -> Rows:
        """The waiting rows in this order, at this moment."""
        return Order.sort(self, view)

    def options(self) -> dict[str, Any]:
        """Those of the factory that made it."""
        return dict(self.settings)

    def copy(self) -> AccountOrder:
        """An order with accounts of its own, in the same state."""
        twin = composed_of(self.function, [part.copy() for part in self.parts], self.name)
        return replace(twin, settings=self.settings)  # type: ignore[return-value]


def composed_of(function: Callable[..., Any], parts: Sequence[Order], name: str) -> Order:
    """The order by ``function(jobs, now, keys of the first part, of the second, …)``."""
    listed = tuple(parts)

    def key(jobs: Columns, now: float) -> Any:
        return function(jobs, now, *(jobs.submit if part.key is None else part.keys(jobs, now) for part in listed))

    line = "a user's own key, of those of " + ", ".join(str(part) for part in listed)
    kept = [part.accounts for part in listed if isinstance(part, AccountOrder)]
    if not kept:
        return Order(name, key, True, line)
    accounts = kept[0] if len(kept) == 1 else Several(kept)
    return ComposedOrder(name, key, True, line, accounts=accounts, parts=listed, function=function)


def accounts_of(policy: Any) -> Accounts | None:
    """The accounts that a policy's order keeps, if it keeps any."""
    order = getattr(policy, "order", None)
    return order.accounts if isinstance(order, AccountOrder) else None
