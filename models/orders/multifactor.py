"""The order `multifactor`: priorities from age, fair share, size, partition, QOS and more, as Slurm computes them.

Its weights, and the tree of accounts that fair shares come from, are those of the machine's site
(`thinktime.models.site.site`). A *weighted sum* of factors is an order with weights of its own, such as
``age*1000+fairshare*10000``, and a factor alone is one, too: ``age``. These need no site. Unlike the priorities of a
site, sums are not truncated, and tiers of partitions do not count.

Priorities change at ticks, every ``calc_period`` of the site (5 min without one); between two ticks, the queue keeps
its order, and newcomers come in with the age 0 and the fair share of the last tick. With ``ticks=0`` they are
continuous.

The factors are numbers from 0 to 1 (`thinktime.models.orders.priorities`): ``age``, ``association``, ``fairshare``,
``job_size``, ``partition``, ``qos``, and the part of a partition's resources that a job asks for: ``cpu``, ``node``,
``mem``, ``gres/NAME``. ``nice`` is what the job says, and counts against it.

Source: Slurm's pages on priority/multifactor and Fair Tree; Slurm 22.05.8, measured.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thinktime.models.jobs.view import Columns, View
from thinktime.models.orders.accounts import AccountOrder
from thinktime.models.orders.options import is_number
from thinktime.models.orders.priorities import Multifactor
from thinktime.models.orders.tree_accounts import FACTORS, Accrual, TreeAccounts
from thinktime.models.site.tres import check_name
from thinktime.workloads.arrays import Floats, Rows
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.units import plain

SUM_LINE = "a weighted sum of factors, largest first"
SOURCE = "Slurm 22.05: priority/multifactor"


@dataclass(frozen=True, slots=True)
class MultifactorOrder(AccountOrder):
    """The order by priorities, largest first."""

    def as_structure(
        self, names: dict[str, list[Any]], processors: int, rows: int, now: float, late: bool = False
    ) -> Multifactor:
        """The accounts, the weights, and what each job counts for."""
        return _tree(self).as_structure(rows, now)

    def sort(self, view: View) -> Rows:
        """The waiting rows in this order, at this moment."""
        self.accounts.check_kept()
        waiting = view.by_arrival()
        if len(waiting) < 2:
            return waiting
        in_order: Rows = waiting[_tree(self).keys(waiting, view.now).argsort(kind="stable")]
        return in_order

    def on(self, accounts: Any) -> "MultifactorOrder":
        """The same order on other accounts."""
        return replace(self, accounts=accounts, key=_key(accounts))


def _tree(order: MultifactorOrder) -> TreeAccounts:
    assert isinstance(order.accounts, TreeAccounts)
    return order.accounts


def _key(accounts: TreeAccounts) -> Callable[[Columns, float], Floats]:
    """The key of a job: its priority times -1."""

    def key(jobs: Columns, now: float) -> Floats:
        accounts.check_kept()
        return accounts.keys(np.asarray(jobs.rows, np.int64), now)

    return key


def multifactor(
    accrual: str = "exact",
    ticks: float | str | None = None,
    tick_origin: float | str = 0.0,
    half_life: float | str | None = None,
    max_age: float | str | None = None,
) -> MultifactorOrder:
    """The order ``multifactor``: the largest priority of the machine's site first.

    ``accrual=slurm`` lets use accrue at ticks only (and at ends, if the site enforces limits), as Slurm does; ``exact``
    continuously. ``ticks`` (s) is the time between two changes of priorities, 0 for continuous ones, ``half_life`` that
    of use (0: it never decays), and ``max_age`` the age from which on a job has all the points for it; by default those
    of the site. Ticks are at tick_origin + k ticks.
    """
    accounts = TreeAccounts(Accrual.of(accrual, ticks, tick_origin, half_life, max_age))
    line = "largest priority first: age, fair share in a tree of accounts, size, partition, QOS; needs a site"
    return MultifactorOrder("multifactor", _key(accounts), True, line, SOURCE, accounts=accounts)


def weighted(
    factors: str | Mapping[str, float],
    accrual: str = "exact",
    ticks: float | str | None = None,
    tick_origin: float | str = 0.0,
    half_life: float | str | None = None,
    max_age: float | str | None = None,
) -> MultifactorOrder:
    """A weighted sum of factors as an order, largest first: ``weighted("age*1000+fairshare*10000", ticks=0)``.

    The other options are those of `multifactor`; without a site, they are Slurm's defaults.
    """
    weights = (
        weights_of(factors) if isinstance(factors, str) else {name: _checked(name, w) for name, w in factors.items()}
    )
    accounts = TreeAccounts(Accrual.of(accrual, ticks, tick_origin, half_life, max_age), weights)
    name = "+".join(f"{name}*{plain(weight)}" for name, weight in weights.items())
    name = (
        name.removesuffix("*1") if len(weights) == 1 and "fairshare" not in weights else name
    )  # that is another order
    return MultifactorOrder(name, _key(accounts), True, SUM_LINE, SOURCE, accounts=accounts)


def is_weighted(text: str) -> bool:
    """Whether the text of an order is a sum of factors, or one of them."""
    return "*" in text or "+" in text or _is_factor(text)


def weights_of(text: str) -> dict[str, float]:
    """The weights in ``FACTOR*WEIGHT+…``; ``ValueError`` with one sentence for anything else."""
    weights: dict[str, float] = {}
    for term in text.split("+"):
        name, _, weight = (part.strip() for part in term.partition("*"))
        if name in weights:
            raise ValueError(f"the factor {quoted(name)} is there twice in {quoted(text)}")
        try:
            weights[name] = _checked(name, float(weight or 1))
        except ValueError as error:
            hint = f"{quoted(term.strip())} in {quoted(text)} is not of the form FACTOR*WEIGHT, for instance age*1000"
            raise ValueError(str(error) if is_number(weight or "1") else hint) from None
    return weights


def _checked(name: str, weight: float) -> float:
    if not _is_factor(name):
        raise ValueError(f"there is no factor {quoted(name)}; {key_of(name, [*FACTORS, 'mem', 'gres/NAME'], 'they')}")
    if not math.isfinite(weight):
        raise ValueError(f"the weight of {name} must be a finite number, not {quoted(weight)}")
    return float(weight)


def _is_factor(name: str) -> bool:
    if name in FACTORS:
        return True
    try:
        check_name(name)
    except ValueError:
        return False
    return name == "mem" or name.startswith("gres/")
