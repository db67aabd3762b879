"""Orders: who is next in the queue.

An order is a key: the job with the smallest key is next, and among equal keys the one that was submitted
first, then the one with the smaller id. A key is a function of columns, ``key(jobs, now)``, where ``jobs``
has an array for each attribute of a request (``jobs.estimate``, ``jobs.processors``, …) and the result is
one float per job. The same function, written for one job, can be wrapped with `scalar`; it works, and costs
a Python call per waiting job and pass.

A *static* key is computed once, at submission, and the machine keeps the queue sorted by it. A *dynamic*
key changes while jobs wait and is computed anew for every pass in which something could start.

Symbols: r estimate [s], n processors, w wait so far [s], s submit time [s], at least 1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.view import Columns, Request, View

Floats = NDArray[np.float64]
Key = Callable[[Columns, float], Any]

LONGEST = 2.0**60  # s: stands for an infinite estimate where the limit is wanted
SERIAL = 1 + 2.0**-40  # stands for n = 1 under a logarithm: the limit in which serial jobs come first


@dataclass(frozen=True, slots=True)
class Order:
    """A key with a name; ``key=None`` is the order of arrival."""

    name: str
    key: Key | None
    dynamic: bool = False
    line: str = ""
    source: str = ""

    def keys(self, jobs: Columns, now: float) -> Floats:
        """The keys of some jobs, smaller first."""
        assert self.key is not None
        keys = np.asarray(self.key(jobs, now), dtype=np.float64)
        if keys.shape != (len(jobs),) or np.isnan(keys).any():
            raise ValueError(
                f"order {self.name!r}: the key gave {keys!r} for {len(jobs)} jobs at {now:g} s, "
                "but must give one number for each"
            )
        return keys

    def sort(self, view: View) -> NDArray[np.int64]:
        """The waiting rows in this order, at this moment."""
        if not self.dynamic or len(view.waiting) < 2:
            return view.waiting  # kept sorted by the machine
        return view.waiting[np.argsort(self.keys(view.columns(view.waiting), view.now), kind="stable")]

    def __str__(self) -> str:
        return self.name


def scalar(key: Callable[[Request, float], float], name: str = "") -> Order:
    """An order from a key for one request at a time: ``scalar(lambda job, now: job.estimate)``. Slow, and it works."""

    def keys(jobs: Columns, now: float) -> list[float]:
        return [key(job, now) for job in jobs.each()]

    return Order(name or getattr(key, "__name__", "scalar"), keys, dynamic=True, line="a user's own key")


def vector(key: Key, name: str = "", dynamic: bool = True) -> Order:
    """An order from a key for columns: ``vector(lambda jobs, now: jobs.estimate * jobs.processors)``."""
    return Order(name or getattr(key, "__name__", "vector"), key, dynamic, line="a user's own key")


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
    )
}


def as_order(order: "str | Order | Key") -> Order:
    """An order from its name, itself, or a user's key for columns (taken as dynamic)."""
    if isinstance(order, Order):
        return order
    if callable(order):
        return vector(order)
    if order not in ORDERS:
        raise ValueError(f"there is no order {order!r}; the orders are {', '.join(ORDERS)}")
    return ORDERS[order]
