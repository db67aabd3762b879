"""Goal-oriented scheduling: at every pass, search for the best schedule of all waiting jobs.

``tradeoff`` is Tradeoff(Tw:avgX) of the goal paper: total excessive wait against the mean bounded slowdown,
by the relative trade-off. ``tradeoff-fs`` is the same with the fairshare priority of the owners as its
branching heuristic: the search begins with the schedule that fairness prefers, and under a node limit it stays near
that schedule. Jobs that start now in the best schedule are started. Everything else is forgotten until the next pass,
which is at a submission, an end, or a withdrawal while jobs wait.

Sources: the goal paper, sections II and IV.A, and its references 11, 13 and 15, as far as they are available. The
sequences, the count of nodes, the bounds and the default comparison are our decisions, which
`thinktime.models.policies.search_decision` and `goals` describe. Defaults: DDS, the longest wait so far as the
bound (dynB), 60 s, 1,000 nodes per decision.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.kernels import availability
from thinktime.models.kernels import search as kernels
from thinktime.models.kernels.rules import select
from thinktime.models.kernels.search_rule import make_searching
from thinktime.models.policies.accounts import accounts_of
from thinktime.models.policies.base import NOBODY, Proposal, Rows
from thinktime.models.policies.campaign_ledger import CampaignLedger
from thinktime.models.policies.entitlement import max_min
from thinktime.models.policies.entry import listed
from thinktime.models.policies.goals import Goal, GoalPlan, goals_of
from thinktime.models.policies.options import as_flag, as_time, one_of
from thinktime.models.policies.order import Order
from thinktime.models.policies.queue_policy import QueuePolicy
from thinktime.models.policies.relshare import WindowUsage, relshare
from thinktime.models.policies.search_decision import (
    ALGORITHMS,
    COMPARISONS,
    FOREVER,
    LDS_ORDERS,
    Found,
    Instance,
    Search,
)
from thinktime.models.view import View
from thinktime.workloads.calendar import Calendar, checked_window
from thinktime.workloads.compiler import Structure
from thinktime.workloads.grid import to_grid
from thinktime.workloads.units import as_text

Floats = NDArray[np.float64]
DYNAMIC = "dynB"
SOURCE = "Vasupongayya: goal-oriented policies"


@listed(
    "search for the schedule that is best for several goals at once",
    SOURCE,
    "heuristic=lxf|fcfs|fairshare|ORDER, algorithm=dds|lds, goals=wait+slowdown+deviation+stretch, weights=1+1, "
    "comparison=relative|hierarchical|product, bound=dynB|50h, tau=60, limit=1000, time_limit=SECONDS, "
    "lds_order=left|top, prune=no|yes, window=1d",
    counts=True,
    takes_part=True,
)
class Tradeoff(QueuePolicy):
    """``tradeoff``: search for a schedule that is good for several goals at once.

    ``heuristic``: ``fcfs``, ``lxf``, ``fairshare`` (usage in the window, see `relshare`), or any order.
    ``algorithm``: ``dds`` or ``lds``; ``lds_order``: whether LDS tries discrepancies ``left`` to right, or those
    at the ``top`` first. ``goals`` and ``weights``: see `goals`; ``comparison``: ``hierarchical``,
    ``relative``, ``product``, by default relative for two goals of one weight, else product (since relative
    has cycles then). ``bound`` of the excessive wait: ``dynB`` or a time; ``tau`` of the bounded slowdown.
    ``limit`` in nodes per decision; ``time_limit`` in s per decision, which makes results depend on the
    computer. ``prune=True`` skips what cannot become the best schedule, so that the same number of nodes covers more
    of the tree.
    """

    rule = "tradeoff"
    order_option = "heuristic"
    own_orders = ("fairshare", "relshare")
    usual_heuristic = "lxf"

    def __init__(
        self,
        heuristic: str | Order | None = None,
        algorithm: str = "dds",
        goals: Any = ("wait", "slowdown"),
        weights: Sequence[float | str] | float | None = None,
        comparison: str | None = None,
        bound: float | str = DYNAMIC,
        tau: float | str = 60.0,
        limit: int | None = 1000,
        time_limit: float | str | None = None,
        lds_order: str = "left",
        prune: bool | str = False,
        window: float | str = "1d",
    ) -> None:
        length = checked_window(as_time("window", window))
        heuristic = self.usual_heuristic if heuristic is None else heuristic
        # Fairshare is relative fairshare in the window here, as in the paper.
        super().__init__(relshare(length) if heuristic in self.own_orders else heuristic)
        self.heuristic = str(heuristic)
        self.goals = goals_of(goals)
        self.bound = DYNAMIC if bound == DYNAMIC else float(to_grid(as_time("bound", bound)))
        self.tau = as_time("tau", tau, above=True)
        self.search = Search(
            algorithm=one_of("algorithm", algorithm, ALGORITHMS),
            comparison=self._comparison(comparison, _weights(weights, self.goals)),
            weights=_weights(weights, self.goals),
            limit=_limit(limit),
            time_limit=None if time_limit is None else as_time("time_limit", time_limit),
            lds_order=one_of("lds_order", lds_order, LDS_ORDERS),
            prune=as_flag("prune", prune),
        )
        self._codes = [goal.code for goal in self.goals]
        self._own = any(goal.function is not None for goal in self.goals)
        if self.search.prune and self._own:
            raise ValueError("prune is for compiled goals: there are no bounds for a goal of your own")
        self.window = length
        self._shares_accounts = isinstance(accounts_of(self), WindowUsage)
        self._usage = WindowUsage(length)
        self._campaigns = CampaignLedger()
        self._last: Found | None = None
        self._starts = np.empty(0)
        self._structure: Structure

    @property
    def compiles(self) -> bool:  # type: ignore[override]
        """Whether the goals are sums over jobs, and the computer's clock does not matter."""
        sums = all(code in (kernels.WAIT, kernels.SLOWDOWN) for code in self._codes)
        return sums and self.search.time_limit is None

    def as_rule(self, rows: int, jobs: int, width: int = 1) -> Structure:
        """What to search for, and room for what is found."""
        if len(self._starts) < jobs or "_structure" not in vars(self):
            search, codes, size = self.search, np.array(self._codes), len(self._codes)
            self._starts = np.empty(2 * jobs + 64)
            options = [
                ALGORITHMS[search.algorithm], search.lds_order == "top",
                FOREVER if search.limit is None else search.limit, search.prune, COMPARISONS[search.comparison],
                self.bound == DYNAMIC,
            ]  # fmt: skip
            fixed = {kernels.WAIT: 0.0 if self.bound == DYNAMIC else self.bound, kernels.SLOWDOWN: self.tau}
            self._structure = make_searching(
                np.array(options, np.int64), np.array(search.weights), codes,
                np.array([fixed[code] for code in self._codes], float), np.zeros(4, np.int64), np.zeros(size),
                self._starts,
            )  # fmt: skip
        return self._structure

    @property
    def last(self) -> Found | None:
        """What the last search found, for inspection."""
        if not self.compiles or "_structure" not in vars(self):
            return self._last
        jobs, *effort = self._structure.counts.tolist()
        starts, values = self._starts[:jobs].copy(), self._structure.values.copy()
        return Found(starts, values, *effort) if jobs else None

    @property
    def usage(self) -> WindowUsage:
        """Usage in the window, for the goal `deviation`: from the accounts of the heuristic, or the policy's own."""
        accounts = accounts_of(self)
        return accounts if isinstance(accounts, WindowUsage) else self._usage

    # -- hooks ----------------------------------------------------------------------------

    def select(self, view: View, now: float) -> Proposal:
        """Start what starts now in the best schedule that the search sees."""
        if not view.free or not view.waiting.size:
            return NOBODY
        if self.compiles:
            rule = self.as_rule(0, len(view.waiting))
            return view.started[: select(view.state, rule, now, self.in_order(view, rule, now))]
        rows = self.order.sort(view)
        if view.requests.processors[rows].min() > view.free:
            return NOBODY
        instance = self._instance(view, rows)
        own = self._functions(view, rows, instance) if self._own else ()
        self._last = self.search.best(instance, self._codes, self._parameters(instance, now), own)
        if self._last is None:
            return NOBODY
        starting: Rows = rows[self._last.start == now]
        return starting

    def on_calendar(self, calendar: Calendar) -> None:
        """The window begins at the midnights of this calendar."""
        if not self._shares_accounts:
            self.usage.on_calendar(calendar)

    def on_submit(self, view: View, rows: Rows, now: float) -> None:
        """Note the work of campaigns."""
        if kernels.STRETCH in self._codes:
            self._campaigns.on_submit(view, rows)

    def on_start(self, view: View, rows: Rows, now: float) -> None:
        """Count usage, if the heuristic has no accounts of it."""
        if kernels.DEVIATION in self._codes and not self._shares_accounts:
            self.usage.on_start(view, rows, now)

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Count usage, if the heuristic has no accounts of it."""
        if kernels.DEVIATION in self._codes and not self._shares_accounts:
            self.usage.on_end(view, rows, now)

    def notes(self, processors: int) -> list[str]:
        """Whether the result depends on the computer."""
        if self.search.time_limit is None:
            return []
        return ["the search had a time limit, so this result depends on the computer that made it"]

    def options(self) -> dict[str, Any]:
        """What sets this policy apart, as its text on the command line would say it."""
        search = self.search
        told: dict[str, Any] = {
            "heuristic": self.heuristic,
            "algorithm": search.algorithm,
            "goals": "+".join(str(goal) for goal in self.goals),
            "comparison": search.comparison,
            "bound": self.bound if self.bound == DYNAMIC else as_text(float(self.bound)),
            "tau": as_text(self.tau),
            "limit": "none" if search.limit is None else search.limit,
        }
        if set(search.weights) != {1.0}:
            told["weights"] = "+".join(f"{weight:.15g}" for weight in search.weights)
        if search.time_limit is not None:
            told["time_limit"] = as_text(search.time_limit)
        if search.algorithm == "lds":
            told["lds_order"] = search.lds_order
        if search.prune:
            told["prune"] = "yes"
        if self._shares_accounts or kernels.DEVIATION in self._codes:
            told["window"] = "1d" if self.window == 86_400 else as_text(self.window)
        return told | dict(self.order.settings)

    # -- one decision -------------------------------------------------------------------

    def _instance(self, view: View, rows: Rows) -> Instance:
        """The waiting jobs in heuristic order, and the machine's profile."""
        jobs, running = view.requests, view.running_rows
        times, free = np.empty(len(running) + 4), np.empty(len(running) + 4, np.int64)
        steps = availability.build(
            view.now, view.grace, view.free, jobs.processors, running, view.skip, jobs.expected_end, times,
            free,
        )  # fmt: skip
        need, duration = jobs.processors[rows], np.minimum(jobs.estimate[rows], kernels.FAR)
        extra: dict[str, Any] = {}
        if kernels.DEVIATION in self._codes:
            extra |= self._for_deviation(view, rows, need, duration)
        if kernels.STRETCH in self._codes:
            extra |= self._campaigns.for_stretch(view, rows, self.tau)
        return Instance(jobs.submit[rows], need, duration, times, free, steps, **extra)

    def _for_deviation(self, view: View, rows: Rows, need: Rows, duration: Floats) -> dict[str, Any]:
        """Who owns the jobs, what users have and will have used in the window, and what they are entitled to."""
        usage = self.usage
        usage.open(view.labels(usage.by))
        until = usage.window_at(view.now)[1]
        used = usage.standing(view.now)
        owner = usage.of(view.columns(rows))
        wanted = used + np.bincount(owner, need * np.minimum(duration, until - view.now), len(used))
        left = until - view.now
        busy = view.requests.processors[view.running_rows]
        planned = float((busy * np.minimum(view.expected_ends() - view.now, left)).sum())
        deliverable = float(used.sum()) - planned + view.capacity * left
        return {
            "owner": owner,
            "used": used,
            "entitled": max_min(deliverable, wanted),
            "window_end": until,
        }

    def _parameters(self, instance: Instance, now: float) -> list[float]:
        """The bound or the threshold of each goal."""
        longest = float(now - instance.submit.min()) if self.bound == DYNAMIC else float(self.bound)
        by_code = {kernels.WAIT: longest, kernels.SLOWDOWN: self.tau}
        return [by_code.get(code, 0.0) for code in self._codes]

    def _functions(self, view: View, rows: Rows, instance: Instance) -> list[Any]:
        """The user's own goals as functions of the starts alone."""
        plan = GoalPlan(
            view.now, view.capacity, view.columns(rows), instance.submit, instance.duration, instance.need,
            start=instance.submit,
        )  # fmt: skip

        def asked(goal: Goal) -> Any:
            def of_starts(start: Floats) -> float:
                plan.start = start
                return goal.of(plan)

            return of_starts

        return [None if goal.function is None else asked(goal) for goal in self.goals]

    def _comparison(self, given: str | None, weights: Sequence[float]) -> str:
        if given is not None:
            return one_of("comparison", given, COMPARISONS)
        return "relative" if len(weights) < 3 and len(set(weights)) == 1 else "product"


@listed(
    "tradeoff that begins its search with who has used least today",
    SOURCE,
    "heuristic=fairshare, and those of tradeoff",
    counts=True,
    takes_part=True,
)
class TradeoffFs(Tradeoff):
    """``tradeoff-fs``: `Tradeoff` with the fairshare priority of the owners as its heuristic."""

    rule = "tradeoff-fs"
    usual_heuristic = "fairshare"


def _weights(given: Any, goals: Sequence[Goal]) -> tuple[float, ...]:
    listed = (
        [1.0] * len(goals) if given is None else [given] if isinstance(given, int | float | str) else given
    )
    try:
        weights = tuple(float(weight) for weight in listed)
    except (TypeError, ValueError):
        weights = ()
    if len(weights) != len(goals) or not all(0 < weight < np.inf for weight in weights):
        raise ValueError(
            f"weights are {given!r}, but must be one number above 0 for each of the {len(goals)} goals"
        )
    return weights


def _limit(given: Any) -> int | None:
    if given in (None, "none"):
        return None
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise ValueError(f"limit is {given!r}, but must be a whole number of nodes, at least 1, or none")
    return given
