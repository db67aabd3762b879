"""The orders, the profile and the rules of the reference scheduler, whose contract `reference` has.

The profile counts free processors over time; intervals are half-open, so a job may begin where another
ends. The *earliest fit* of a job is the first time from *now* on at which its processors are free for its
whole estimate.

A rule without memory is given the queue, the next to start first, and says which of it to start now:

* ``none``: the head of the queue starts while it fits.
* ``no-guarantee``: along the queue, whatever fits starts.
* ``easy``: along the queue, whatever fits starts, up to the first job that does not, the *head*. Its shadow
  time is the first expected end by which enough processors are free, all ends at one time taken together;
  ``extra`` is what is free then beyond its need. A later job starts if it fits and is expected to end by the
  shadow time, or else needs at most ``extra``, which shrinks by it. With ``reservations`` n > 1, each of the
  first n jobs that cannot start is put into the profile at its earliest fit, and a later job starts if the
  profile is free now for its whole estimate.
* ``conservative-dynamic``: every pass forgets all reservations and gives each job, in queue order, its
  earliest fit; those that fit now start. These reservations make no instants.

`Kept` is ``conservative`` for machines on which jobs may leave the queue for a while.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field


@dataclass(frozen=True)
class RefJob:
    """A rigid job; ``cancel_at`` is the time of a request to take it away, whatever it is doing then."""

    id: int
    submit: float
    processors: int
    runtime: float
    estimate: float
    cancel_at: float | None = None


@dataclass(frozen=True)
class HeadPromise:
    """The head that EASY with one reservation left waiting in the pass at ``now``, its shadow and extra."""

    now: float
    job: int
    shadow: float
    extra: int


# -- orders: a key of (job, now), smaller first --------------------------------------------------------------

Order = Callable[[RefJob, float], float]


def _wait(job: RefJob, now: float) -> float:
    return now - job.submit


def _log_width(job: RefJob) -> float:
    """log2 of the width; one processor is taken as a hair more, so that it can be divided by."""
    return math.log2(job.processors) if job.processors > 1 else math.log2(1 + 2**-40)


def _log_submit(job: RefJob) -> float:
    return math.log10(max(job.submit, 1))


ORDERS: dict[str, Order] = {
    "fcfs": lambda job, now: 0,
    "sjf": lambda job, now: job.estimate,
    "ljf": lambda job, now: -job.estimate,
    "smallest": lambda job, now: job.processors,
    "largest": lambda job, now: -job.processors,
    "lxf": lambda job, now: -((_wait(job, now) + job.estimate) / job.estimate),
    "wfp3": lambda job, now: -((_wait(job, now) / job.estimate) ** 3 * job.processors),
    "unicef": lambda job, now: -(_wait(job, now) / (_log_width(job) * job.estimate)),
    "f1": lambda job, now: math.log10(job.estimate) * job.processors + 870 * _log_submit(job),
    "f2": lambda job, now: math.sqrt(job.estimate) * job.processors + 25600 * _log_submit(job),
    "f3": lambda job, now: job.estimate * job.processors + 6.86e6 * _log_submit(job),
    "f4": lambda job, now: job.estimate * math.sqrt(job.processors) + 530000 * _log_submit(job),
}


# -- the profile ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hold:
    """Processors taken over [start, end)."""

    start: float
    end: float
    processors: int


@dataclass(frozen=True)
class Profile:
    """Free processors over time: the capacity less the holds, below zero where over-committed."""

    capacity: int
    holds: tuple[Hold, ...]

    def free_at(self, time: float) -> int:
        """Free processors at one time."""
        return self.capacity - sum(hold.processors for hold in self.holds if hold.start <= time < hold.end)

    def fits(self, job: RefJob, time: float) -> bool:
        """Whether the job's processors are free over the whole of [time, time + estimate)."""
        changes = [point for hold in self.holds for point in (hold.start, hold.end)]
        inside = [point for point in changes if time < point < time + job.estimate]
        return all(self.free_at(point) >= job.processors for point in [time, *inside])

    def earliest_fit(self, job: RefJob, now: float) -> float:
        """The first time from now on at which the job fits: now, or a time at which some hold ends."""
        candidates = [now, *sorted(hold.end for hold in self.holds if hold.end > now)]
        return next(time for time in candidates if self.fits(job, time))

    def plus(self, job: RefJob, start: float) -> Profile:
        """The profile with the job placed at ``start``."""
        return Profile(self.capacity, (*self.holds, Hold(start, start + job.estimate, job.processors)))


# -- rules without memory: which of the queue to start now ---------------------------------------------------
#
# ``profile`` has the running jobs only, so that free_at(now) are the processors a start may use.


def plan_none(queue: Sequence[RefJob], profile: Profile, now: float) -> list[RefJob]:
    """The longest beginning of the queue that fits."""
    starts: list[RefJob] = []
    for job in queue:
        if not profile.fits(job, now):
            break
        starts.append(job)
        profile = profile.plus(job, now)
    return starts


def plan_no_guarantee(queue: Sequence[RefJob], profile: Profile, now: float) -> list[RefJob]:
    """Whatever fits, along the queue."""
    starts: list[RefJob] = []
    for job in queue:
        if job.processors <= profile.free_at(now):
            starts.append(job)
            profile = profile.plus(job, now)
    return starts


def shadow_and_extra(head: RefJob, running: Sequence[Hold], free: int) -> tuple[float, int]:
    """When the head can start for certain, and how many processors it leaves free then."""
    for end in sorted({hold.end for hold in running}):
        free_then = free + sum(hold.processors for hold in running if hold.end <= end)
        if free_then >= head.processors:
            return end, free_then - head.processors
    raise AssertionError(f"job {head.id} needs {head.processors} processors, more than there are")


def plan_easy_by_shadow(
    queue: Sequence[RefJob], profile: Profile, now: float
) -> tuple[list[RefJob], HeadPromise | None]:
    """EASY with one reservation, by shadow time and extra processors."""
    starts = plan_none(queue, profile, now)
    if len(starts) == len(queue):
        return starts, None
    for job in starts:
        profile = profile.plus(job, now)
    head, *later = queue[len(starts) :]
    free = profile.free_at(now)
    shadow, extra = shadow_and_extra(head, profile.holds, free)
    promise = HeadPromise(now, head.id, shadow, extra)
    for job in later:
        if job.processors > free:
            continue
        in_time = now + job.estimate <= shadow
        if not in_time and job.processors > extra:
            continue
        starts.append(job)
        free -= job.processors
        if not in_time:
            extra -= job.processors
    return starts, promise


def plan_by_profile(queue: Sequence[RefJob], profile: Profile, now: float, reservations: int) -> list[RefJob]:
    """Backfilling around the reservations of the first few jobs that cannot start."""
    starts: list[RefJob] = []
    reserved = 0
    for job in queue:
        if profile.fits(job, now):
            starts.append(job)
            profile = profile.plus(job, now)
        elif reserved < reservations:
            profile = profile.plus(job, profile.earliest_fit(job, now))
            reserved += 1
    return starts


def plan(
    rule: str, queue: Sequence[RefJob], profile: Profile, now: float, reservations: int = 1
) -> tuple[list[RefJob], HeadPromise | None]:
    """The jobs that a rule without memory starts now, and what EASY with one reservation promises its head."""
    if rule == "none":
        return plan_none(queue, profile, now), None
    if rule == "no-guarantee":
        return plan_no_guarantee(queue, profile, now), None
    if rule == "conservative-dynamic":
        return plan_by_profile(queue, profile, now, reservations=len(queue)), None
    if reservations > 1:
        return plan_by_profile(queue, profile, now, reservations), None
    starts, promise = plan_easy_by_shadow(queue, profile, now)
    assert starts == plan_by_profile(queue, profile, now, reservations=1), "EASY's two readings disagree"
    return starts, promise


@dataclass
class Kept:
    """A rule, with the start that ``conservative`` has ``reserved`` for each job, by id, and keeps."""

    rule: str
    reserved: dict[int, float] = field(default_factory=dict)

    def chosen(
        self, queue: Sequence[RefJob], profile: Profile, now: float, freed: bool, moved: Set[int] = frozenset()
    ) -> set[int]:
        """What starts now, by id. Jobs that have left the queue, or ``moved`` in it, lose what they have reserved."""
        if self.rule != "conservative":
            return {job.id for job in plan(self.rule, queue, profile, now)[0]}
        lost = set(self.reserved) - ({job.id for job in queue} - moved)
        for number in lost:
            del self.reserved[number]
        if freed or lost:
            for job in queue:
                if job.id in self.reserved:
                    self.reserved[job.id] = min(self.reserved[job.id], self.earliest(job, queue, profile, now))
        for job in queue:
            if job.id not in self.reserved:
                self.reserved[job.id] = self.earliest(job, queue, profile, now)
        return {job.id for job in queue if self.reserved[job.id] <= now}

    def earliest(self, job: RefJob, queue: Sequence[RefJob], profile: Profile, now: float) -> float:
        """The earliest fit beside what the others have reserved."""
        for other in queue:
            if other.id != job.id and other.id in self.reserved:
                profile = profile.plus(other, self.reserved[other.id])
        return profile.earliest_fit(job, now)
