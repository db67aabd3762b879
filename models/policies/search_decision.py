"""The best of the schedules that a search of limited effort sees: one decision of a goal-oriented policy.

`Instance` is the problem. `Search` says in which sequence orders are tried (`kernels.search`), how two schedules
compare, and when to stop. The first schedule is the heuristic's, and a later one replaces the incumbent only if it is
better. So more effort never makes the outcome worse, where the comparison is transitive. Under a node limit the outcome
is the same on every computer, under a time limit it is not.

Comparison of values a and b, goal by goal, with weights w (source: the goal paper's references 13 and 15):

* ``hierarchical``: the first goal in which they differ (by more than 1e-9) decides;
* ``relative``: a is better if the sum of w d(a, b) is above 1e-12, d(a, b) = (b - a) / max(a, b), 0 if both are 0.
  With two goals of one weight that is "the smaller product", hence transitive; with other weights or more
  goals it has cycles, and the outcome depends on the sequence;
* ``product``: the smaller product of a^w wins, by more than a relative 1e-12. A goal at 0 comes before all others.

A limit of L nodes allows L placements. A schedule that the last of them completes is still compared.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from thinktime.models.kernels import search as kernels
from thinktime.models.kernels.search_rule import lower_bounds

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ALGORITHMS = {"lds": kernels.LDS, "dds": kernels.DDS}
LDS_ORDERS = ("left", "top")
COMPARISONS = {
    "hierarchical": kernels.HIERARCHICAL,
    "relative": kernels.RELATIVE,
    "product": kernels.PRODUCT,
}
GLANCE = 2_000  # nodes between two looks at the clock, about a millisecond
FOREVER = 2**62


def _floats() -> Floats:
    return np.zeros(1)


def _ints() -> Ints:
    return np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Instance:
    """The waiting jobs in heuristic order, one entry for each, and the profile of the running jobs.

    ``submit`` and ``duration`` in s, ``need`` in processors. ``times`` and ``free`` are the profile's
    ``steps`` steps (`kernels.profile`); the first is now. The other fields are for single goals. For `deviation`:
    each job's ``owner``; what owners will have ``used`` in the window when everything that runs is over, and
    what they are ``entitled`` to (processor-seconds); the window's end. For `stretch`: each job's
    ``campaign``, and for campaigns their submission, the latest expected end of their running jobs, and the
    least time that they need on the whole machine.
    """

    submit: Floats
    need: Ints
    duration: Floats
    times: Floats
    free: Ints
    steps: int
    owner: Ints = field(default_factory=_ints)
    used: Floats = field(default_factory=_floats)
    entitled: Floats = field(default_factory=_floats)
    window_end: float = 0.0
    campaign: Ints = field(default_factory=_ints)
    campaign_submit: Floats = field(default_factory=_floats)
    campaign_end: Floats = field(default_factory=_floats)
    campaign_least: Floats = field(default_factory=_floats)


@dataclass(frozen=True, slots=True)
class Found:
    """The best schedule that was seen: starts (s) in heuristic order, its values, and the effort."""

    start: Floats
    values: Floats
    nodes: int
    leaves: int
    improvements: int
    """How often a schedule replaced the incumbent, the first schedule included."""


@dataclass(frozen=True, slots=True)
class Search:
    """How to search. ``limit`` in nodes (None: all orders), ``time_limit`` in s of the computer's clock."""

    algorithm: str = "dds"
    comparison: str = "relative"
    weights: Sequence[float] = (1.0, 1.0)
    limit: int | None = 1000
    time_limit: float | None = None
    lds_order: str = "left"
    prune: bool = False

    def best(
        self,
        instance: Instance,
        goals: Sequence[int],
        parameters: Sequence[float],
        own: Sequence[Callable[[Floats], float] | None] = (),
    ) -> Found | None:
        """The best schedule seen; None where no job could start now in any.

        ``goals`` and ``parameters`` are the kernel's; ``own`` has a function of the starts for each goal that
        is the user's, and None for the others.
        """
        q = len(instance.need)
        room = instance.steps + q + 2
        times, free = np.empty(room), np.empty(room, np.int64)
        times[: instance.steps] = instance.times[: instance.steps]
        free[: instance.steps] = instance.free[: instance.steps]
        root = np.empty(q)
        following, preceding = np.empty(q + 1, np.int64), np.empty(q + 1, np.int64)
        place = np.zeros(7, np.int64)
        if not kernels.plant(
            times[0],
            instance.steps,
            instance.need,
            instance.duration,
            times,
            free,
            root,
            following,
            preceding,
            place,
        ):
            return None
        codes, extras = np.array(goals, np.int64), np.array(parameters, np.float64)
        bound = np.zeros((q + 1) * len(codes) if self.prune else 1)
        if self.prune:
            lower_bounds(codes, extras, instance.submit, instance.duration, root, bound)
        path, rank, left, first, behind, made = np.zeros((6, q + 1), np.int64)
        rank[0] = -1
        start, best_start = np.zeros(q), np.zeros(q)
        value, best = np.zeros(len(codes)), np.zeros(len(codes))
        weights = np.array(self.weights, np.float64)
        rule = COMPARISONS[self.comparison]
        asks = any(each is not None for each in own)
        deadline = None if self.time_limit is None else time.perf_counter() + self.time_limit
        scratch = np.empty(max(len(instance.used), len(instance.campaign_end)))
        while True:
            pause_at = FOREVER if deadline is None else int(place[kernels.NODES]) + GLANCE
            why = kernels.explore(
                ALGORITHMS[self.algorithm], self.lds_order == "top",
                FOREVER if self.limit is None else self.limit, pause_at, asks, self.prune, rule, weights,
                codes, extras, instance.submit, instance.need, instance.duration,
                instance.owner, instance.used, instance.entitled, instance.window_end,
                instance.campaign, instance.campaign_submit, instance.campaign_end, instance.campaign_least,
                scratch, times, free, root, following, preceding, place, path, rank, left,
                first, behind, made, start, bound, value, best, best_start,
            )  # fmt: skip
            if why == kernels.LEAF:
                for k, function in enumerate(own):
                    if function is not None:
                        value[k] = function(start)
                if place[kernels.LEAVES] == 1 or kernels.better(rule, value, best, weights):
                    place[kernels.IMPROVED] += 1
                    best[:], best_start[:] = value, start
            elif why != kernels.PAUSED:
                break
            if deadline is not None and time.perf_counter() >= deadline:
                break
        counts = place.tolist()
        return Found(
            best_start, best, counts[kernels.NODES], counts[kernels.LEAVES], counts[kernels.IMPROVED]
        )
