"""One run of the cplant study: the log under one scheduler, measured per submitted job and per job of the log.

A submitted job is a segment where a runtime limit splits jobs.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import thinktime as tt
from thinktime.analysis import fairness
from thinktime.analysis.papers.cplant.printed import mean_by_width
from thinktime.analysis.series import processors_in_use
from thinktime.workloads.segments import Segments, split

FAIR_ORDERS: dict[str, str | Callable[[], tt.policies.Order]] = {
    "fair: FCFS": "fcfs",
    "fair: 7 d": lambda: tt.policies.fairshare(half_life="7d"),
}
"""Other orders that may be considered fair: by arrival, and by usage with a half-life of 7 d."""


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
    unfair: fairness.Unfairness
    refused: int
    killed: int
    utilization: float
    jain: float
    deviation: float
    miss_by_width: NDArray[np.float64]
    response_time_by_width: NDArray[np.float64]
    later_arrivals: fairness.Unfairness | None = None
    cons_p: fairness.Unfairness | None = None
    equality: float = np.nan
    """The mean of what jobs deserved beyond what they received (processor-seconds)."""
    weekly: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    """The share of the machine in use, by week of the window."""
    by_order: "dict[str, Outcome]" = field(default_factory=dict)
    """The same schedule judged by other fair orders."""


@dataclass(frozen=True, slots=True)
class Run:
    """The log under one scheduler."""

    scheduler: str
    trace: tt.Trace
    processors: int
    origin: float = 0.0
    overrun: str = "until_needed"
    usage: str = ""
    """How usage decays, in place of the origin."""
    orders: bool = False
    """Whether to judge the schedule by the other fair orders as well."""
    everything: bool = False
    """Whether to compute the fair start times that take longer, and the load by week."""

    def perform(self) -> Outcome:
        """Replay the log, and measure the schedule."""
        policy = tt.policies.from_spec(f"{self.scheduler}:{self.usage or f'decay_origin={self.origin:g}'}")
        assert isinstance(policy, tt.policies.QueuePolicy)
        segments = split(self.trace, policy.runtime_limit) if policy.runtime_limit < np.inf else None
        observer = fairness.NoLaterArrivals()
        result = tt.replay(
            self.trace, policy, self.processors, overrun=self.overrun, observers=[observer] if self.everything else ()
        )
        # The machine billed a copy of the order, so the accounts of this one are empty.
        own = measured(result, fairness.hybrid_fst(result, policy.order), segments)
        others = {
            name: measured(result, fairness.hybrid_fst(result, order() if callable(order) else order), segments)
            for name, order in (FAIR_ORDERS.items() if self.orders else ())
        }
        more = _everything(result, observer, self) if self.everything else {}
        return replace(own, by_order=others, **more)


def measured(result: tt.Result, fst: NDArray[np.float64], segments: Segments | None) -> Outcome:
    """One schedule, measured by fair start times."""
    unfair = fairness.unfairness(result, fst)
    miss, response_time = fairness.miss_times(result, fst), tt.measures.response_time(result)
    return Outcome(
        policy=result.policy,
        numbers=Numbers(
            unfair.jobs,
            unfair.percent_unfair,
            unfair.average_miss,
            float(np.nanmean(response_time)),
            tt.measures.loss_of_capacity(result),
        ),
        per_original=per_original(result, fst, segments),
        unfair=unfair,
        refused=int(np.isnan(result["start"]).sum()),
        killed=int((result["state"] == tt.State.KILLED).sum()),
        utilization=tt.measures.utilization(result),
        jain=fairness.jain(response_time),
        deviation=fairness.standard_deviation(response_time),
        miss_by_width=mean_by_width(miss, result["processors"]),
        response_time_by_width=mean_by_width(response_time, result["processors"]),
    )


def per_original(result: tt.Result, fst: NDArray[np.float64], segments: Segments | None) -> Numbers:
    """The four numbers per job of the log.

    Response time is from the first submission to the last end, a job's miss time is the sum of its segments',
    and it is unfair if any of them is. Loss of capacity belongs to the schedule, and is the same.
    """
    miss = fairness.miss_times(result, fst)
    if segments is None:
        ran = tt.measures.ended(result)
        miss, response_time = miss[ran], tt.measures.response_time(result)[ran]
    else:
        jobs = fairness.originals(result, segments, miss=miss)
        miss, response_time = jobs["miss"].to_numpy(), jobs["response_time"].to_numpy()
    some = len(miss) > 0
    return Numbers(
        len(miss),
        100.0 * float((miss > 0).mean()) if some else np.nan,
        float(miss.mean()) if some else np.nan,
        float(response_time.mean()) if some else np.nan,
        tt.measures.loss_of_capacity(result),
    )


def weeks(trace: tt.Trace) -> NDArray[np.float64]:
    """Edges (s) of the weeks from the first submission on, the last one that is whole or more than half."""
    first, last = float(trace.submit[0]), float(trace.submit[-1])
    edges: NDArray[np.float64] = first + tt.WEEK * np.arange(max(round((last - first) / tt.WEEK), 1) + 1.0)
    return edges


def _everything(result: tt.Result, observer: fairness.NoLaterArrivals, run: Run) -> dict[str, Any]:
    used = processors_in_use(result).mean(weeks(run.trace))
    return {
        "later_arrivals": fairness.unfairness(result, observer.fst(result), fairness.TOLERANCE),
        "cons_p": fairness.unfairness(result, fairness.cons_p(result)),
        "equality": fairness.resource_equality(result).mean,
        "weekly": used / run.processors,
    }
