"""The orders of the package, by name.

Symbols: r estimate [s], n processors, w wait so far [s], s submit time [s], at least 1. `fairshare` has a file
of its own.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from thinktime.models.policies.accounts import composed_of
from thinktime.models.policies.fairshare import fairshare
from thinktime.models.policies.order import Key, Order, scalar, vector
from thinktime.models.policies.relshare import relshare
from thinktime.models.view import Columns

__all__ = ["FCFS", "ORDERS", "Key", "Order", "as_order", "composed", "scalar", "vector"]

LONGEST = 2.0**60  # s: stands for an infinite estimate where the limit is wanted
SERIAL = 1 + 2.0**-40  # stands for n = 1 under a logarithm: the limit in which serial jobs come first


def _lxf(jobs: Columns, now: float) -> Any:
    r = np.minimum(jobs.estimate, LONGEST)
    return -((now - jobs.submit + r) / r)


def _wfp3(jobs: Columns, now: float) -> Any:
    ratio = (now - jobs.submit) / jobs.estimate
    return -(ratio * ratio * ratio * jobs.processors)


def _unicef(jobs: Columns, now: float) -> Any:
    return -((now - jobs.submit) / (np.log2(np.maximum(jobs.processors, SERIAL)) * jobs.estimate))


def _log10_submit(jobs: Columns) -> Any:
    return np.log10(np.maximum(jobs.submit, 1.0))


_TANG = "Tang, Lan, Desai, Buettner: Fault-aware, utility-based job scheduling on Blue Gene/P systems (Cluster 2009)"
_LEARNT = (
    "Carastan-Santos, de Camargo: Obtaining dynamic scheduling policies with simulation and machine learning "
    "(SC 2017)"
)
_FIELD = "standard in the field"

FCFS = Order("fcfs", None, line="first come, first served: by submit time", source=_FIELD)

ORDERS: dict[str, Order] = {
    order.name: order
    for order in (
        FCFS,
        Order("sjf", lambda j, now: j.estimate, line="shortest job first: r", source=_FIELD),
        Order("ljf", lambda j, now: -j.estimate, line="longest job first: -r", source=_FIELD),
        Order("smallest", lambda j, now: j.processors, line="fewest processors first: n", source=_FIELD),
        Order("largest", lambda j, now: -j.processors, line="most processors first: -n", source=_FIELD),
        Order(
            "lxf",
            _lxf,
            True,
            "largest expansion factor first: (w + r) / r",
            "Vasupongayya: goal-oriented policies",
        ),
        Order("wfp3", _wfp3, True, "largest (w / r)^3 n first", _TANG),
        Order("unicef", _unicef, True, "largest w / (log2(n) r) first; serial jobs before all", _TANG),
        Order(
            "f1",
            lambda j, now: np.log10(j.estimate) * j.processors + 870.0 * _log10_submit(j),
            line="smallest log10(r) n + 870 log10(s)",
            source=_LEARNT,
        ),
        Order(
            "f2",
            lambda j, now: np.sqrt(j.estimate) * j.processors + 25_600.0 * _log10_submit(j),
            line="smallest sqrt(r) n + 25,600 log10(s)",
            source=_LEARNT,
        ),
        Order(
            "f3",
            lambda j, now: j.estimate * j.processors + 6_860_000.0 * _log10_submit(j),
            line="smallest r n + 6,860,000 log10(s)",
            source=_LEARNT,
        ),
        Order(
            "f4",
            lambda j, now: j.estimate * np.sqrt(j.processors) + 530_000.0 * _log10_submit(j),
            line="smallest r sqrt(n) + 530,000 log10(s)",
            source=_LEARNT,
        ),
        fairshare(),
        relshare(),
    )
}


def as_order(order: "str | Order | Key") -> Order:
    """An order from its name, itself, or a user's key for columns (taken as dynamic)."""
    if isinstance(order, Order):
        return order
    if callable(order):
        return vector(order)
    if not isinstance(order, str) or order not in ORDERS:
        raise ValueError(f"there is no order {order!r}; the orders are {', '.join(ORDERS)}")
    return ORDERS[order].copy()


def composed(key: Callable[..., Any], *orders: "str | Order | Key", name: str = "") -> Order:
    """An order from the keys of others: ``composed(lambda jobs, now, used: used * jobs.estimate, "fairshare")``.

    ``key(jobs, now, …)`` is given the keys of every one of ``orders`` as arrays, one number for each job (of ``fcfs``:
    the submissions), and gives one number for each job. Orders that keep accounts, such as ``fairshare`` with any
    options, are kept for whoever has the composed order; under EASY, `relshare` does not count the reserved job here.
    """
    if not orders:
        raise ValueError("composed() needs at least one order besides the key, such as 'fairshare'")
    return composed_of(key, [as_order(each) for each in orders], name or getattr(key, "__name__", "composed"))
