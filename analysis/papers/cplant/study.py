"""The cplant paper's study: nine schedulers on one log, judged by fair start times.

A run replays the log under one scheduler with one origin of the decay of usage, one rule for jobs beyond
their estimates and one machine size, and measures it, per submitted job (a segment is one) and per job of
the log. The study runs all nine, and, but for a quick one, again with shifted origins (usage decays once a
day, so at what time of day decides many starts), with other decays (`DECAYS`), with the other overrun rules and
with other sizes. Each schedule of the origins is judged by other fair orders as well (`FAIR_ORDERS`), which needs
no other run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from thinktime.analysis import fairness
from thinktime.analysis.fairness.classes import mean_by_width, tables
from thinktime.analysis.fairness.later_arrivals import TOLERANCE
from thinktime.analysis.fairness.unfairness import Unfairness, unfairness
from thinktime.analysis.parallel import Progress, in_parallel
from thinktime.analysis.series import processors_in_use
from thinktime.models.policies import SCHEDULERS, QueuePolicy, from_spec
from thinktime.models.policies.fairshare import fairshare
from thinktime.models.policies.order import Order
from thinktime.models.results import measures
from thinktime.models.results.result import Result
from thinktime.models.state import State
from thinktime.users.replay import replay
from thinktime.workloads.segments import Segments, split
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, WEEK, as_text

Floats = npt.NDArray[np.float64]
NAMES = tuple(SCHEDULERS)
BASELINE = NAMES[0]
ORIGINS = 9
"""How many origins a full study tries: 0, and eight shifts of a ninth of a day each."""
OVERRUNS = ("until_needed", "extend", "kill")
SIZES = (960, 1024, 1152, 1524)
HALF_LIVES = tuple(5.0 + k / 2 for k in range(ORIGINS))
"""Days: continuous decay has no origin, so its neighbours on both sides of a week stand in for shifts."""


def _shifted(factor: float) -> tuple[str, ...]:
    return tuple(f"factor={factor:g},decay_origin={as_text(k * DAY / ORIGINS)}" for k in range(ORIGINS))


DECAYS = {
    "factor 0.9": _shifted(0.9),
    "factor 0.95": _shifted(0.95),
    "half-life 7 d": tuple(f"half_life={days:g}d" for days in HALF_LIVES),
}
"""Other decays of usage, in the words of `fairshare`: as many runs of each as there are origins."""
FAIR_ORDERS: dict[str, str | Callable[[], Order]] = {
    "fair: FCFS": "fcfs",
    "fair: 7 d": lambda: fairshare(half_life="7d"),
}
"""Other orders that are held for fair: by arrival, and by usage with a half-life of 7 d."""


@dataclass(frozen=True, slots=True)
class Task:
    """One run."""

    scheduler: str
    trace: Trace
    processors: int
    origin: float = 0.0
    overrun: str = "until_needed"
    usage: str = ""
    """How usage decays, in place of the origin."""
    orders: bool = False
    """Also by the other fair orders."""
    everything: bool = False
    """Also the fair start times that take longer, and the load by week."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """What is measured of a schedule per submitted job (or per job of the log): s, and fractions of 1."""

    jobs: int
    percent_unfair: float
    average_miss_time: float
    average_response_time: float
    loss_of_capacity: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run, measured; fairness is by the hybrid fair start time unless it says otherwise."""

    policy: str
    numbers: Numbers
    per_original: Numbers
    unfair: Unfairness
    refused: int
    killed: int
    utilization: float
    jain: float
    deviation: float
    miss_by_width: Floats
    response_time_by_width: Floats
    later_arrivals: Unfairness | None = None
    cons_p: Unfairness | None = None
    equality: float = np.nan
    """The mean of what jobs deserved beyond what they received (processor-seconds)."""
    weekly: Floats = field(default_factory=lambda: np.empty(0))
    """The share of the machine in use, by week of the window."""
    by_order: dict[str, Outcome] = field(default_factory=dict)
    """The same schedule judged by other fair orders."""


@dataclass(frozen=True)
class Study:
    """All runs, and what is known of the log itself."""

    trace: Trace
    processors: int
    window: str
    outcomes: dict[str, Outcome]
    shifts: dict[float, dict[str, Outcome]]
    """By origin of the decay, the study's own (0) first."""
    overruns: dict[str, dict[str, Outcome]]
    sizes: dict[int, dict[str, Outcome]]
    decays: dict[str, list[dict[str, Outcome]]] = field(default_factory=dict)
    """By name in `DECAYS`, one entry per run."""

    def fair_orders(self) -> dict[str, list[dict[str, Outcome]]]:
        """By name in `FAIR_ORDERS`, one entry per origin."""
        named = [name for name in FAIR_ORDERS if name in self.outcomes[BASELINE].by_order]
        return {
            name: [
                {scheduler: each.by_order[name] for scheduler, each in nine.items()}
                for nine in self.shifts.values()
            ]
            for name in named
        }

    @property
    def jobs(self) -> int:
        """How many jobs of the log ran."""
        return self.outcomes[BASELINE].per_original.jobs

    def tables(self) -> tuple[npt.NDArray[np.int64], Floats]:
        """Tables I and II."""
        return tables(self.trace)

    def offered(self) -> tuple[Floats, Floats]:
        """Edges of weeks (s), and the work submitted in each as a share of the machine."""
        edges = weeks(self.trace)
        work, _ = np.histogram(self.trace.submit, edges, weights=self.trace.runtime * self.trace.processors)
        return edges, work / (WEEK * self.processors)


def run_study(
    trace: Trace,
    processors: int,
    window: str,
    quick: bool = False,
    base_only: bool = False,
    workers: int = 1,
    progress: Progress | None = None,
) -> Study:
    """All runs; ``quick`` does without what takes longest, ``base_only`` with the nine schedulers alone."""
    everything = not (quick or base_only)
    origins = [] if base_only else [k * DAY / ORIGINS for k in range(1, 3 if quick else ORIGINS)]
    overruns = [] if quick or base_only else [each for each in OVERRUNS if each != "until_needed"]
    sizes = [] if quick or base_only else [each for each in SIZES if each != processors]
    usages = (
        [] if quick or base_only else [(kind, usage) for kind, all_of in DECAYS.items() for usage in all_of]
    )
    orders = not base_only
    base = [Task(name, trace, processors, orders=orders, everything=everything) for name in NAMES]
    shifted = [
        Task(name, trace, processors, origin=origin, orders=orders) for origin in origins for name in NAMES
    ]
    other = [Task(name, trace, processors, overrun=overrun) for overrun in overruns for name in NAMES]
    sized = [Task(name, trace, size) for size in sizes for name in NAMES]
    decayed = [Task(name, trace, processors, usage=usage) for _, usage in usages for name in NAMES]
    warm_up()
    found = in_parallel(run, [*base, *shifted, *other, *sized, *decayed], workers, progress)
    nine = [
        dict(zip(NAMES, found[i : i + len(NAMES)], strict=True)) for i in range(0, len(found), len(NAMES))
    ]
    rest = iter(nine[1:])
    by_origin = {0.0: nine[0]} | {origin: next(rest) for origin in origins}
    by_overrun = {"until_needed": nine[0]} | {overrun: next(rest) for overrun in overruns}
    by_size = {processors: nine[0]} | {size: next(rest) for size in sizes}
    by_decay: dict[str, list[dict[str, Outcome]]] = {}
    for kind, _ in usages:
        by_decay.setdefault(kind, []).append(next(rest))
    by_size = dict(sorted(by_size.items()))
    return Study(trace, processors, window, nine[0], by_origin, by_overrun, by_size, by_decay)


def warm_up() -> None:
    """Compile what the runs need, once: on a log of two jobs."""
    columns = {
        "submit": [0, 1],
        "runtime": [9, 2],
        "requested_time": [5, 2],
        "allocated": [3, 3],
        "user": [1, 2],
    }
    tiny = Trace(columns)
    for name in ("cplant24.nomax.fair", "cons.nomax", "consdyn.nomax"):
        for overrun in OVERRUNS:
            run(Task(name, tiny, 4, overrun=overrun, orders=True, everything=True))
    run(Task(NAMES[0], tiny, 4, usage="half_life=7d"))


def run(task: Task) -> Outcome:
    """One run."""
    policy = from_spec(f"{task.scheduler}:{task.usage or f'decay_origin={as_text(task.origin)}'}")
    observer = fairness.NoLaterArrivals()
    assert isinstance(policy, QueuePolicy)
    segments = split(task.trace, policy.runtime_limit) if policy.runtime_limit < np.inf else None
    result = replay(
        task.trace,
        policy,
        task.processors,
        overrun=task.overrun,
        observers=[observer] if task.everything else (),
    )
    fst = fairness.hybrid_fst(
        result, policy.order
    )  # the machine billed a copy; this one's accounts are empty
    more = _everything(result, observer, task) if task.everything else {}
    judged = {
        name: _measured(
            result, fairness.hybrid_fst(result, order() if callable(order) else order), segments, {}
        )
        for name, order in (FAIR_ORDERS.items() if task.orders else ())
    }
    return replace(_measured(result, fst, segments, more), by_order=judged)


def _measured(result: Result, fst: Floats, segments: Segments | None, more: dict[str, Any]) -> Outcome:
    """One schedule, measured by fair start times."""
    unfair = unfairness(result, fst)
    miss, response_time = fairness.miss_times(result, fst), measures.response_time(result)
    return Outcome(
        policy=result.policy,
        numbers=Numbers(
            unfair.jobs,
            unfair.percent_unfair,
            unfair.average_miss,
            float(np.nanmean(response_time)),
            measures.loss_of_capacity(result),
        ),
        per_original=per_original(result, fst, segments),
        unfair=unfair,
        refused=int(np.isnan(result["start"]).sum()),
        killed=int((result["state"] == State.KILLED).sum()),
        utilization=measures.utilization(result),
        jain=fairness.jain(response_time),
        deviation=fairness.standard_deviation(response_time),
        miss_by_width=mean_by_width(miss, result["processors"]),
        response_time_by_width=mean_by_width(response_time, result["processors"]),
        **more,
    )


def per_original(result: Result, fst: Floats, segments: Segments | None) -> Numbers:
    """The four numbers per job of the log.

    Response time is from the first submission to the last end, a job's miss time is the sum of its segments',
    and it is unfair if any of them is. Loss of capacity belongs to the schedule, and is the same.
    """
    miss = fairness.miss_times(result, fst)
    if segments is None:
        ran = measures.ended(result)
        miss, response_time = miss[ran], measures.response_time(result)[ran]
    else:
        jobs = fairness.originals(result, segments, miss=miss)
        miss, response_time = jobs["miss"].to_numpy(), jobs["response_time"].to_numpy()
    some = len(miss) > 0
    return Numbers(
        len(miss),
        100.0 * float((miss > 0).mean()) if some else np.nan,
        float(miss.mean()) if some else np.nan,
        float(response_time.mean()) if some else np.nan,
        measures.loss_of_capacity(result),
    )


def weeks(trace: Trace) -> Floats:
    """Edges (s) of the weeks from the first submission on, the last one that is whole or more than half."""
    first, last = float(trace.submit[0]), float(trace.submit[-1])
    edges: Floats = first + WEEK * np.arange(max(round((last - first) / WEEK), 1) + 1.0)
    return edges


def _everything(result: Result, observer: fairness.NoLaterArrivals, task: Task) -> dict[str, Any]:
    used = processors_in_use(result).mean(weeks(task.trace))
    return {
        "later_arrivals": unfairness(result, observer.fst(result), TOLERANCE),
        "cons_p": unfairness(result, fairness.cons_p(result)),
        "equality": fairness.resource_equality(result).mean,
        "weekly": used / task.processors,
    }


def spread(outcomes: Sequence[Outcome], number: str) -> tuple[float, float]:
    """The least and the largest of one of the four numbers."""
    values = [getattr(each.numbers, number) for each in outcomes]
    return min(values), max(values)
