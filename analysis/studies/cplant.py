"""The cplant paper's study: nine schedulers on one log, judged by fair start times.

A run replays the log under one scheduler with one origin of the decay of usage, one rule for jobs beyond
their estimates and one machine size, and measures it, per submitted job (a segment is one) and per job of
the log. The study runs all nine, and, but for a quick one, again with shifted origins (usage decays once a
day, so at what time of day decides many starts), with the other overrun rules and with other sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from thinktime.analysis import fairness
from thinktime.analysis.fairness.classes import mean_by_width, tables
from thinktime.analysis.fairness.later_arrivals import TOLERANCE
from thinktime.analysis.fairness.unfairness import Unfairness, unfairness
from thinktime.analysis.series import processors_in_use
from thinktime.analysis.studies.parallel import Progress, in_parallel
from thinktime.models import measures
from thinktime.models.policies import SCHEDULERS, QueuePolicy, from_spec
from thinktime.models.result import Result
from thinktime.models.state import State
from thinktime.users.replay import replay, segments_of
from thinktime.workloads.segments import Segments
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, WEEK, as_text

Floats = npt.NDArray[np.float64]
NAMES = tuple(SCHEDULERS)
BASELINE = NAMES[0]
ORIGINS = 9
"""How many origins a full study tries: 0, and eight shifts of a ninth of a day each."""
OVERRUNS = ("until_needed", "extend", "kill")
SIZES = (960, 1024, 1152, 1524)


@dataclass(frozen=True, slots=True)
class Task:
    """One run."""

    scheduler: str
    trace: Trace
    processors: int
    origin: float = 0.0
    overrun: str = "until_needed"
    everything: bool = False
    """Also the fair start times that take longer, and the load by week."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """What is measured of a schedule per submitted job (or per job of the log): s, and fractions of 1."""

    jobs: int
    percent_unfair: float
    average_miss_time: float
    average_turnaround: float
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
    turnaround_by_width: Floats
    later_arrivals: Unfairness | None = None
    cons_p: Unfairness | None = None
    equality: float = np.nan
    """The mean of what jobs deserved beyond what they received (processor-seconds)."""
    weekly: Floats = field(default_factory=lambda: np.empty(0))
    """The share of the machine in use, by week of the window."""


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
    base = [Task(name, trace, processors, everything=everything) for name in NAMES]
    shifted = [Task(name, trace, processors, origin=origin) for origin in origins for name in NAMES]
    other = [Task(name, trace, processors, overrun=overrun) for overrun in overruns for name in NAMES]
    sized = [Task(name, trace, size) for size in sizes for name in NAMES]
    warm_up()
    found = in_parallel(run, [*base, *shifted, *other, *sized], workers, progress)
    nine = [
        dict(zip(NAMES, found[i : i + len(NAMES)], strict=True)) for i in range(0, len(found), len(NAMES))
    ]
    rest = iter(nine[1:])
    by_origin = {0.0: nine[0]} | {origin: next(rest) for origin in origins}
    by_overrun = {"until_needed": nine[0]} | {overrun: next(rest) for overrun in overruns}
    by_size = {processors: nine[0]} | {size: next(rest) for size in sizes}
    return Study(trace, processors, window, nine[0], by_origin, by_overrun, dict(sorted(by_size.items())))


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
            run(Task(name, tiny, 4, overrun=overrun, everything=True))


def run(task: Task) -> Outcome:
    """One run."""
    policy = from_spec(f"{task.scheduler}:decay_origin={as_text(task.origin)}")
    observer = fairness.NoLaterArrivals()
    segments = segments_of(task.trace, policy)
    result = replay(
        task.trace,
        policy,
        task.processors,
        task.overrun,
        observers=[observer] if task.everything else (),
    )
    assert isinstance(policy, QueuePolicy)
    fst = fairness.hybrid_fst(
        result, policy.order
    )  # the machine billed a copy; this one's accounts are empty
    unfair = unfairness(result, fst)
    miss, turnaround = fairness.miss_times(result, fst), measures.turnaround(result)
    more = _everything(result, observer, task) if task.everything else {}
    return Outcome(
        policy=result.policy,
        numbers=Numbers(
            unfair.jobs,
            unfair.percent_unfair,
            unfair.average_miss,
            float(np.nanmean(turnaround)),
            measures.loss_of_capacity(result),
        ),
        per_original=per_original(result, fst, segments),
        unfair=unfair,
        refused=int(np.isnan(result["start"]).sum()),
        killed=int((result["state"] == State.KILLED).sum()),
        utilization=measures.utilization(result),
        jain=fairness.jain(turnaround),
        deviation=fairness.standard_deviation(turnaround),
        miss_by_width=mean_by_width(miss, result["processors"]),
        turnaround_by_width=mean_by_width(turnaround, result["processors"]),
        **more,
    )


def per_original(result: Result, fst: Floats, segments: Segments | None) -> Numbers:
    """The four numbers per job of the log.

    Turnaround is from the first submission to the last end, a job's miss time is the sum of its segments',
    and it is unfair if any of them is. Loss of capacity belongs to the schedule, and is the same.
    """
    miss = fairness.miss_times(result, fst)
    if segments is None:
        ran = measures.ended(result)
        miss, turnaround = miss[ran], measures.turnaround(result)[ran]
    else:
        jobs = fairness.originals(result, segments, miss=miss)
        miss, turnaround = jobs["miss"].to_numpy(), jobs["turnaround"].to_numpy()
    some = len(miss) > 0
    return Numbers(
        len(miss),
        100.0 * float((miss > 0).mean()) if some else np.nan,
        float(miss.mean()) if some else np.nan,
        float(turnaround.mean()) if some else np.nan,
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
