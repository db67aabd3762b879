"""Goal-oriented scheduling: at every pass, search for the best schedule of all waiting jobs.

``tradeoff`` is Tradeoff(Tw:avgX) of the goal paper: total excessive wait against the mean bounded slowdown,
by the relative trade-off. ``tradeoff-fs`` is the same with the fairshare priority of the owners as its
branching heuristic: the search begins with the schedule that fairness prefers, and under a node limit it stays near
that schedule. Jobs that start now in the best schedule are started. Everything else is forgotten until the next pass,
which is at a submission, an end, or a withdrawal while jobs wait.

The first schedule is the heuristic's, and a later one replaces the incumbent only if it is better. So more effort never
makes the outcome worse, where the comparison is transitive. Under a node limit the outcome is the same on every
computer, under a time limit it is not. A limit of L nodes allows L placements.

On a machine that changes, jobs are placed beside windows, and the heuristic takes those first that a window admits
now. The wait of a job that was interrupted counts from the time by which it queues.

Comparison of values a and b, goal by goal, with weights w:

* ``hierarchical``: the first goal in which they differ (by more than 1e-9) decides;
* ``relative``: a is better if the sum of w d(a, b) is above 1e-12, d(a, b) = (b - a) / max(a, b), 0 if both are 0.
  With two goals of one weight that is "the smaller product", hence transitive; with other weights or more
  goals it has cycles, and the outcome depends on the sequence;
* ``product``: the smaller product of a^w wins, by more than a relative 1e-12. A goal at 0 comes before all others.

Sources: the goal paper, sections II and IV.A, and its references 11, 13 and 15, as far as they are available. The
sequences (`thinktime.models.policies.search.search`), the count of nodes, the bounds and the default comparison are our
decisions. Defaults: DDS, the longest wait so far as the bound (dynB), 60 s, 1,000 nodes per decision.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.models.engine.codes import search as codes
from thinktime.models.engine.codes.trials import FAR
from thinktime.models.jobs.view import View
from thinktime.models.orders.accounts import accounts_of
from thinktime.models.orders.entitlement import max_min
from thinktime.models.orders.options import as_flag, as_time, one_of
from thinktime.models.orders.order import Order
from thinktime.models.orders.relshare import WindowUsage, relshare
from thinktime.models.policies.base import Proposal
from thinktime.models.policies.entry import listed
from thinktime.models.policies.ostrich.campaign_ledger import CampaignLedger
from thinktime.models.policies.queue_policy import QueuePolicy
from thinktime.models.policies.search.goals import Goal, GoalPlan, goals_of
from thinktime.models.policies.search.search import Searching, explore, harvest, keep_if_better, plant
from thinktime.workloads.arrays import NO_ROWS, Floats, Rows, writable
from thinktime.workloads.calendar import Calendar, checked_window
from thinktime.workloads.grid import to_grid
from thinktime.workloads.names import quoted
from thinktime.workloads.units import as_text, plain

DYNAMIC = "dynB"
SOURCE = "Vasupongayya: goal-oriented policies"
ALGORITHMS = {"lds": codes.LDS, "dds": codes.DDS}
LDS_ORDERS = ("left", "top")
COMPARISONS = {"hierarchical": codes.HIERARCHICAL, "relative": codes.RELATIVE, "product": codes.PRODUCT}
GLANCE = 2_000  # nodes between two looks at the clock, about a millisecond


@dataclass(frozen=True, slots=True)
class Search:
    """How to search. ``limit`` in nodes (None: all orders), ``time_limit`` in s of the computer's clock."""

    algorithm: str
    comparison: str
    weights: Sequence[float]
    limit: int | None
    time_limit: float | None
    lds_order: str
    prune: bool


@dataclass(frozen=True, slots=True)
class Found:
    """The best schedule that was seen: starts (s) in heuristic order, its values, and the effort."""

    start: Floats
    values: Floats
    nodes: int
    leaves: int
    improvements: int
    """How often a schedule replaced the incumbent, the first schedule included."""


@listed(
    "search for the schedule that is best for several goals at once",
    SOURCE,
    "heuristic=lxf|fcfs|fairshare|ORDER, algorithm=dds|lds, goals=wait+slowdown+deviation+stretch, weights=1+1, "
    "comparison=relative|hierarchical|product, bound=dynB|50h, tau=60, limit=1000, time_limit=SECONDS, "
    "lds_order=left|top, prune=no|yes, window=1d",
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
        self._arrays: dict[str, Any] = {}
        self._structure = Searching()

    @property
    def compiles(self) -> bool:  # type: ignore[override]
        """Whether the goals are sums over jobs, and the computer's clock does not matter."""
        sums = all(code in (codes.WAIT, codes.SLOWDOWN) for code in self._codes)
        return sums and self.search.time_limit is None

    def as_rule(self, rows: int, jobs: int) -> Searching:
        """What to search for, and room for what is found."""
        if "_bound" not in vars(self) or len(self._arrays["best"]) <= jobs:
            search, size, most = self.search, len(self._codes), 2 * jobs + 64
            self._structure.bind(
                algorithm=ALGORITHMS[search.algorithm], top=search.lds_order == "top",
                limit=codes.FOREVER if search.limit is None else search.limit, prune=search.prune,
                comparison=COMPARISONS[search.comparison], dynamic=self.bound == DYNAMIC,
            )  # fmt: skip
            fixed = {codes.WAIT: 0.0 if self.bound == DYNAMIC else self.bound, codes.SLOWDOWN: self.tau}
            self._arrays = {
                "weights": np.array(search.weights),
                "goals": np.array(self._codes),
                "parameters": np.array([fixed.get(code, 0.0) for code in self._codes], float),
                "values": np.zeros(size),
                "value": np.zeros(size),
                "tree": np.zeros((codes.LINES, most), np.int64),
                "bound": np.zeros(most * size),
            }
            self._arrays |= {name: np.zeros(most) for name in codes.PER_JOB}
            self._arrays |= {name: np.zeros(1, np.int64) for name in ("owner", "campaign")}
            self._arrays |= {name: np.zeros(1) for name in codes.OF_GROUPS}
            self._bind()
        return self._structure

    @property
    def last(self) -> Found | None:
        """What the last search found, for inspection."""
        done = self._structure
        if not done.jobs:
            return None
        starts, values = self._arrays["best"][: done.jobs].copy(), self._arrays["values"].copy()
        return Found(starts, values, done.nodes, done.leaves, done.improved)

    @property
    def usage(self) -> WindowUsage:
        """Usage in the window, for the goal `deviation`: from the accounts of the heuristic, or the policy's own."""
        accounts = accounts_of(self)
        return accounts if isinstance(accounts, WindowUsage) else self._usage

    def select(self, view: View, now: float) -> Proposal:
        """Start what starts now in the best schedule that the search sees."""
        if not view.waiting.size:
            return NO_ROWS
        rule = self.as_rule(0, view.jobs)
        if self.compiles:
            return self.decided(view, rule, now, self.in_order(view, rule, now))
        if not rule.order_matters(view.state, now, writable(view.waiting)):
            return NO_ROWS
        return view.started[
            : self._search(
                view, rule, now, np.array(view.state.room.admitted_first(view.state, writable(self.order.sort(view))))
            )
        ]

    def on_calendar(self, calendar: Calendar) -> None:
        """The window begins at the midnights of this calendar."""
        if not self._shares_accounts:
            self.usage.on_calendar(calendar)

    def on_submit(self, view: View, rows: Rows, now: float) -> None:
        """Note the work of campaigns."""
        if codes.STRETCH in self._codes:
            self._campaigns.on_submit(view, rows)

    def on_start(self, view: View, rows: Rows, now: float) -> None:
        """Count usage, if the heuristic has no accounts of it."""
        if codes.DEVIATION in self._codes and not self._shares_accounts:
            self.usage.on_start(view, rows, now)

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Count usage, if the heuristic has no accounts of it."""
        if codes.DEVIATION in self._codes and not self._shares_accounts:
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
            told["weights"] = "+".join(plain(weight) for weight in search.weights)
        if search.time_limit is not None:
            told["time_limit"] = as_text(search.time_limit)
        if search.algorithm == "lds":
            told["lds_order"] = search.lds_order
        if search.prune:
            told["prune"] = "yes"
        if self._shares_accounts or codes.DEVIATION in self._codes:
            told["window"] = "1d" if self.window == 86_400 else as_text(self.window)
        return told | dict(self.order.settings)

    def _search(self, view: View, rule: Searching, now: float, rows: Rows) -> int:
        """Search with an eye on the clock, or asking for the values of goals in Python; how many jobs start now."""
        duration = np.minimum(view.requests.estimate[rows], FAR)
        if {codes.DEVIATION, codes.STRETCH} & set(self._codes):
            rule = self._with_groups(view, rows, duration)
        if not plant(view.state, rule, now, rows):
            return 0
        own = self._functions(view, rows, duration)
        limit = self.search.time_limit
        deadline = np.inf if limit is None else time.perf_counter() + limit
        why = codes.PAUSED
        while why in (codes.PAUSED, codes.LEAF):
            pause_at = codes.FOREVER if limit is None else rule.nodes + GLANCE
            why = explore(view.state, rule, rows, pause_at, self._own)
            if why == codes.LEAF:
                for k, function in own.items():
                    self._arrays["value"][k] = function(self._arrays["start"][: len(rows)])
                keep_if_better(rule, len(rows))
            if time.perf_counter() >= deadline:
                break
        k = harvest(view.state, rule, now, rows)
        view.state.room.plan_starts(view.state, rows, view.started[:k])
        return k

    def _with_groups(self, view: View, rows: Rows, duration: Floats) -> Searching:
        """What is to be searched for, with what the goals need to know of owners and campaigns."""
        if codes.DEVIATION in self._codes:
            self._arrays |= self._for_deviation(view, rows, view.requests.processors[rows], duration)
        if codes.STRETCH in self._codes:
            self._arrays |= self._campaigns.for_stretch(view, rows, self.tau)
        groups = max(len(self._arrays["used"]), len(self._arrays["campaign_end"]))
        self._arrays["scratch"] = np.empty(groups)
        self._bind()
        return self._structure

    def _bind(self) -> None:
        self._structure.bind(**self._arrays)
        self._bound = True

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
        return {"owner": owner, "used": used, "entitled": max_min(deliverable, wanted), "window_end": np.array([until])}

    def _functions(self, view: View, rows: Rows, duration: Floats) -> dict[int, Callable[[Floats], float]]:
        """The user's own goals, by their places, as functions of the starts alone."""
        jobs = view.columns(rows)
        plan = GoalPlan(view.now, view.capacity, jobs, jobs.submit, duration, jobs.processors, jobs.submit)

        def asked(goal: Goal) -> Callable[[Floats], float]:
            def of_starts(start: Floats) -> float:
                plan.start = start
                return goal.of(plan)

            return of_starts

        return {k: asked(goal) for k, goal in enumerate(self.goals) if goal.function is not None}

    def _comparison(self, given: str | None, weights: Sequence[float]) -> str:
        if given is not None:
            return one_of("comparison", given, COMPARISONS)
        return "relative" if len(weights) < 3 and len(set(weights)) == 1 else "product"


@listed(
    "tradeoff that begins its search with who has used least today",
    SOURCE,
    "heuristic=fairshare, and those of tradeoff",
    takes_part=True,
)
class TradeoffFs(Tradeoff):
    """``tradeoff-fs``: `Tradeoff` with the fairshare priority of the owners as its heuristic."""

    rule = "tradeoff-fs"
    usual_heuristic = "fairshare"


def _weights(given: Any, goals: Sequence[Goal]) -> tuple[float, ...]:
    listed = [1.0] * len(goals) if given is None else [given] if isinstance(given, int | float | str) else given
    try:
        weights = tuple(float(weight) for weight in listed)
    except (TypeError, ValueError):
        weights = ()
    if len(weights) != len(goals) or not all(0 < weight < np.inf for weight in weights):
        raise ValueError(
            f"weights are {quoted(given)}, but must be one number above 0 for each of the {len(goals)} goals"
        )
    return weights


def _limit(given: Any) -> int | None:
    if given in (None, "none"):
        return None
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise ValueError(f"limit is {quoted(given)}, but must be a whole number of nodes, at least 1, or none")
    return given
