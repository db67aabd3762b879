"""What an order is: who is next in the queue.

An order is a key: the job with the smallest key is next, and among equal keys the one that was submitted first, then
the one with the smaller id. A key is a function of columns, ``key(jobs, now)``, where ``jobs`` has an array for each
attribute of a request (``jobs.estimate``, ``jobs.processors``, …) and the result is one float per job. The same
function, written for one job, can be wrapped with `scalar`, which costs a Python call per waiting job and pass.

A *static* key is computed once, at submission, and the machine keeps the queue sorted by it. A *dynamic*
key changes while jobs wait and is computed anew for every pass in which something could start.

An order may also keep accounts of who used what (`thinktime.models.orders.accounts`).
"""

import copy
import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes.queue_orders import UNICEF
from thinktime.models.engine.queue_orders import AsKept, SortedOrder, aged_keys
from thinktime.models.engine.queue_orders import Order as EngineOrder
from thinktime.models.engine.rules import Rule
from thinktime.models.jobs.view import Columns, Request, View
from thinktime.workloads.arrays import Floats, Rows
from thinktime.workloads.names import quoted

Key = Callable[[Columns, float], Any]
SERIAL = 1 + 2.0**-40  # stands for n = 1 under a logarithm: the limit in which serial jobs come first


@dataclass(frozen=True, slots=True)
class Aged:
    """A key that grows while a job waits, which compiled code knows by a number; the others are those of `creasy`."""

    code: int
    alpha: float = 0.0
    level: float = 0.0
    decay: float = 0.0

    def __call__(self, jobs: Columns, now: float) -> Floats:
        """The keys of some jobs."""
        n = jobs.processors
        return np.asarray(aged_keys(self._alone(), now, jobs.submit, jobs.estimate, n, _logarithms(n)))

    @functools.cache  # noqa: B019 - orders without accounts have no state, so all machines of one size share one
    def as_structure(self, processors: int) -> SortedOrder:
        """The code, and the logarithms if they are needed."""
        order = self._alone()
        if self.code == UNICEF:
            order.logs = _logarithms(np.arange(processors + 1))
        return order

    def _alone(self) -> SortedOrder:
        return SortedOrder(code=self.code, alpha=self.alpha, level=self.level, decay=self.decay)


@dataclass(frozen=True, slots=True)
class Order:
    """A key with a name; ``key=None`` is the order of arrival."""

    name: str
    key: Key | None
    dynamic: bool = False
    line: str = ""
    source: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict, kw_only=True, hash=False)
    """The options from which a factory in a script made it."""
    timeless: bool = field(default=False, kw_only=True)
    """Whether a static key does not depend on ``now``, so that it can be computed before a job is submitted."""
    dated: bool = field(default=False, kw_only=True)
    """Whether it depends on the time of submission, which the jobs of a chain do not know before."""

    reconsiders: ClassVar[bool] = False
    """Whether EASY sorts the other jobs again once the head has its reservation (`relshare`): see `arranged`."""

    known_until: ClassVar[float] = np.inf
    """Before what time (s) the engine can go by this order, before it needs them anew."""

    @property
    def each_start(self) -> bool:
        """Whether EASY sorts again after every start of a pass as well. No other rule can."""
        return False

    @property
    def compiles(self) -> bool:
        """Whether compiled code can do whole instants by this order."""
        return self.key is None or self.timeless or isinstance(self.key, Aged)

    def as_structure(
        self, names: dict[str, list[Any]], processors: int, rows: int, now: float, late: bool = False
    ) -> EngineOrder:
        """What the engine knows of the order on a machine of so many processors, for users and groups in ``names``.

        It has room for so many rows. ``late`` says that a static key is not known before a job joins the queue.
        """
        return self.key.as_structure(processors) if isinstance(self.key, Aged) else as_kept(late)

    def keys(self, jobs: Columns, now: float) -> Floats:
        """The keys of some jobs, smaller first."""
        assert self.key is not None
        keys = np.asarray(self.key(jobs, now), dtype=np.float64)
        if keys.shape != (len(jobs),) or (len(keys) > 0 and keys.max() != keys.max()):  # the greatest of some is NaN
            raise ValueError(
                f"order {quoted(self.name)}: the key gave {quoted(keys)} for {len(jobs)} jobs at {now:g} s, "
                "but must give one number for each"
            )
        return keys

    @property
    def static(self) -> "Order | None":
        """The order itself if the machine can keep the queue sorted by it; None for arrival and for dynamic orders."""
        return None if self.key is None or self.dynamic else self

    def sort(self, view: View) -> NDArray[np.int64]:
        """The waiting rows in this order, at this moment."""
        if len(view.waiting) < 2 or (not self.dynamic and view.kept is self.static):
            return view.waiting
        rows = view.by_arrival()
        if self.key is None:
            return rows
        return rows[np.argsort(self.keys(view.columns(rows), view.now), kind="stable")]

    def arranged(self, view: View, rule: Rule) -> Rows:
        """The waiting rows as a rule that reserves for the head wants them, where the order `reconsiders`."""
        raise NotImplementedError

    def options(self) -> dict[str, Any]:
        """What sets this order apart from others of its name, as its text on the command line would say it."""
        return dict(self.settings)

    def copy(self) -> "Order":
        """The order itself: it has no state; one that keeps accounts gives an independent order."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Order":
        """The order itself where its key is a function, which is never copied; forecasts copy policies often."""
        if self.key is None or isinstance(self.key, Aged) or inspect.isfunction(self.key):
            return self
        return replace(self, key=copy.deepcopy(self.key, memo))

    def __str__(self) -> str:
        return self.name


@functools.cache
def as_kept(late: bool) -> AsKept:
    """The order in which the machine keeps the queue; ``late`` says that keys are computed when jobs join it."""
    return AsKept(late=late)


def _logarithms(processors: Rows) -> Floats:
    """The logarithms of numbers of processors to base 2, as NumPy computes them."""
    logs: Floats = np.log2(np.maximum(processors, SERIAL))
    return logs


def scalar(key: Callable[[Request, float], float], name: str = "") -> Order:
    """An order from a key for one request at a time: ``scalar(lambda job, now: job.estimate)``."""

    def keys(jobs: Columns, now: float) -> list[float]:
        return [key(job, now) for job in jobs.each()]

    return Order(name or getattr(key, "__name__", "scalar"), keys, dynamic=True, line="a user's own key")


def vector(key: Key, name: str = "", dynamic: bool = True) -> Order:
    """An order from a key for columns: ``vector(lambda jobs, now: jobs.estimate * jobs.processors)``."""
    return Order(name or getattr(key, "__name__", "vector"), key, dynamic, line="a user's own key")
