"""A slow scheduler written straight from its contract, to judge fast ones by.

Nothing here is clever. The free processors at a time are counted afresh from a list of holds, an earliest
fit tries every time at which something is released, and the queue is sorted anew in every pass. Times may be
ints, floats or Fractions; they are only added and compared, so with exact inputs all ties are exact.

**One instant.** Time stands still at *t* while these happen, in this order:

1. running jobs whose time is up end; a running job that is to be cancelled at *t* is ended;
2. jobs submitted at *t* enter the queue; waiting jobs that are to be cancelled at *t* leave it;
3. one scheduling pass over the whole queue, sorted by ``(order(job, t), submit, id)``; its starts take
   effect.

If the pass started jobs that end at *t* themselves (run time 0), they end in a second round, followed by
another pass, and so on. An instant exists where a job is submitted, ends, is cancelled while it waits or
runs, and, for the rule ``conservative``, where a reservation falls due. Nothing else makes one: neither an
estimate that is reached by a job which may run on, nor a request to cancel a job that is already over.

**What a pass believes.** A running job is expected to hold its processors

* under ``kill`` until start + estimate; it really ends at start + min(runtime, estimate), and is *killed* if
  it would have run longer;
* under ``extend`` until max(start + estimate, now + 1); it really ends at start + runtime;
* under ``until_needed`` the same, but a job that is *overrunning*, start + estimate <= now, counts as absent.
  A start that needs more than the idle processors ends overrunning jobs, longest overrun first, then by id,
  one after the other until it fits.

**Rules** without memory, and the profile that they plan with, are in `reference_rules`. One has a memory:

* ``conservative``: every waiting job keeps a reservation, and the profile has them all. A pass (a)
  compresses, if a job ended or was withdrawn in this round, (b) gives the newcomers their earliest fit in
  queue order, (c) starts, in queue order, the jobs whose reservation is due. If the processors are not there
  (possible only where estimates do not bind), the job is placed again at its earliest fit and a *broken*
  reservation is counted. ``compress`` says what (a) is:

  - ``completion``: in queue order each job is taken out and put back at its earliest fit if that is earlier,
    once each;
  - ``event``: the same, in every pass;
  - ``scheduled``: all are taken out, then put back at their earliest fit by (reserved start, place in the
    queue);
  - ``none``: nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tests.models.twin.reference_rules import HeadPromise, Hold, Order, Profile, RefJob, plan

State = Literal["finished", "killed", "withdrawn"]
Rule = Literal["none", "no-guarantee", "easy", "conservative", "conservative-dynamic"]
Overrun = Literal["kill", "extend", "until_needed"]
Compress = Literal["completion", "event", "scheduled", "none"]

RULES: tuple[Rule, ...] = ("none", "no-guarantee", "easy", "conservative", "conservative-dynamic")
OVERRUNS: tuple[Overrun, ...] = ("kill", "extend", "until_needed")
COMPRESS: tuple[Compress, ...] = ("completion", "event", "scheduled", "none")


@dataclass
class RefOutcome:
    """What became of a job: a withdrawn one has neither start nor end.

    ``promised`` is the reservation given at submission, and is set under the rule ``conservative`` only.
    """

    start: float | None
    end: float | None
    state: State
    promised: float | None = None


@dataclass
class RefInfo:
    """Count of broken reservations, the time of every pass (a second round repeats it), EASY's heads."""

    broken: int = 0
    passes: list[float] = field(default_factory=list)
    heads: list[HeadPromise] = field(default_factory=list)


class Simulation:
    """The state of the machine, with one method for each phase of an instant."""

    def __init__(
        self,
        jobs: Sequence[RefJob],
        processors: int,
        order: Order,
        rule: Rule = "none",
        overrun: Overrun = "kill",
        reservations: int = 1,
        compress: Compress = "completion",
    ) -> None:
        self.processors = processors
        self.rule = rule
        self.order = order
        self.overrun = overrun
        self.reservations = reservations
        self.compress = compress
        self.future = list(jobs)
        self.waiting: list[RefJob] = []
        self.running: list[RefJob] = []
        self.started: dict[int, float] = {}
        self.reserved: dict[int, float] = {}
        self.promised: dict[int, float] = {}
        self.outcomes: dict[int, RefOutcome] = {}
        self.info = RefInfo()

    # what is known of running jobs

    def true_end(self, job: RefJob) -> float:
        """When a running job ends if it is not ended before."""
        length = min(job.runtime, job.estimate) if self.overrun == "kill" else job.runtime
        return self.started[job.id] + length

    def overrunning(self, now: float) -> list[RefJob]:
        """Running jobs at or beyond their estimate, longest overrun first, then by id."""
        over = [job for job in self.running if self.started[job.id] + job.estimate <= now]
        return sorted(over, key=lambda job: (self.started[job.id] + job.estimate, job.id))

    def idle(self) -> int:
        """Processors on which nothing runs at all."""
        return self.processors - sum(job.processors for job in self.running)

    def expected_end(self, job: RefJob, now: float) -> float:
        """Until when a pass takes a running job to hold its processors."""
        end = self.started[job.id] + job.estimate
        return end if self.overrun == "kill" else max(end, now + 1)

    def holding(self, now: float) -> list[RefJob]:
        """Running jobs that a pass sees."""
        gone = self.overrunning(now) if self.overrun == "until_needed" else []
        return [job for job in self.running if job not in gone]

    def available(self, now: float) -> int:
        """Processors that a start may use: idle, or to be had by ending overrunning jobs."""
        return self.processors - sum(job.processors for job in self.holding(now))

    def profile(self, now: float, reserved: Iterable[RefJob] = ()) -> Profile:
        """The running jobs, and the reservations of the given waiting ones."""
        holds = [Hold(now, self.expected_end(job, now), job.processors) for job in self.holding(now)]
        holds += [Hold(self.reserved[job.id], self.reserved[job.id] + job.estimate, job.processors) for job in reserved]
        return Profile(self.processors, tuple(holds))

    def queue(self, now: float) -> list[RefJob]:
        """The waiting jobs, first come the next to start."""
        return sorted(self.waiting, key=lambda job: (self.order(job, now), job.submit, job.id))

    # time

    def run(self) -> None:
        """All instants, until nothing is left."""
        while (now := self.next_instant()) is not None:
            self.instant(now)
        assert not (self.waiting or self.running), "jobs are left, but nothing will ever happen to them"

    def next_instant(self) -> float | None:
        """The earliest time at which something is to happen."""
        times = [job.submit for job in self.future]
        times += [self.true_end(job) for job in self.running]
        times += [job.cancel_at for job in self.waiting + self.running if job.cancel_at is not None]
        times += self.reserved.values()
        return min(times, default=None)

    def instant(self, now: float) -> None:
        """Rounds of ends, arrivals and a pass, until no job that was started ends at this very time."""
        while True:
            ended = self.end_jobs(now)
            newcomers = self.submit_jobs(now)
            withdrawn = self.withdraw_jobs(now)
            self.info.passes.append(now)
            self.schedule(now, newcomers, freed=ended or withdrawn)
            if not any(self.true_end(job) <= now for job in self.running):
                return

    # the phases

    def end_jobs(self, now: float) -> bool:
        """End jobs whose time is up, then those to be cancelled now; whether there were any."""
        any_ended = False
        for job in list(self.running):
            if self.true_end(job) <= now:
                cut = self.overrun == "kill" and job.runtime > job.estimate
                self.end(job, now, "killed" if cut else "finished")
                any_ended = True
            elif job.cancel_at is not None and job.cancel_at <= now:
                self.end(job, now, "killed")
                any_ended = True
        return any_ended

    def end(self, job: RefJob, now: float, state: State) -> None:
        """Take a running job off the machine."""
        self.running.remove(job)
        start = self.started[job.id]
        self.outcomes[job.id] = RefOutcome(start, now, state, self.promised.get(job.id))

    def submit_jobs(self, now: float) -> list[RefJob]:
        """Move the jobs submitted now into the queue."""
        newcomers = [job for job in self.future if job.submit <= now]
        self.future = [job for job in self.future if job not in newcomers]
        self.waiting += newcomers
        return newcomers

    def withdraw_jobs(self, now: float) -> bool:
        """Take the jobs to be cancelled now out of the queue; whether there were any."""
        leaving = [job for job in self.waiting if job.cancel_at is not None and job.cancel_at <= now]
        for job in leaving:
            self.waiting.remove(job)
            self.reserved.pop(job.id, None)
            self.outcomes[job.id] = RefOutcome(None, None, "withdrawn", self.promised.get(job.id))
        return bool(leaving)

    def has_room(self, job: RefJob, now: float) -> bool:
        """Whether a job could start now."""
        return job.processors <= self.available(now)

    def in_the_way(self, job: RefJob, now: float) -> list[RefJob]:
        """Overrunning jobs that have what a start needs; none if what is idle is enough."""
        return [] if job.processors <= self.idle() else self.overrunning(now)

    def start(self, job: RefJob, now: float) -> None:
        """Start a waiting job, ending overrunning ones one by one where it needs what they have."""
        assert self.has_room(job, now), f"job {job.id} does not fit at {now}"
        while victims := self.in_the_way(job, now):
            self.end(victims[0], now, "killed")
        self.waiting.remove(job)
        self.reserved.pop(job.id, None)
        self.running.append(job)
        self.started[job.id] = now

    # the pass

    def schedule(self, now: float, newcomers: list[RefJob], freed: bool) -> None:
        """One pass."""
        if self.rule == "conservative":
            self.schedule_conservative(now, newcomers, freed)
        else:
            for job in self.plan(now):
                self.start(job, now)

    def plan(self, now: float) -> list[RefJob]:
        """The jobs that a rule without memory starts now."""
        starts, promise = plan(self.rule, self.queue(now), self.profile(now), now, self.reservations)
        if promise is not None:
            self.info.heads.append(promise)
        return starts

    def schedule_conservative(self, now: float, newcomers: list[RefJob], freed: bool) -> None:
        """Compress, place the newcomers, start what is due."""
        queue = self.queue(now)
        placed = [job for job in queue if job.id in self.reserved]
        if self.compress == "event" or (self.compress == "completion" and freed):
            self.sweep(now, placed)
        elif self.compress == "scheduled" and freed:
            self.rebuild(now, placed)
        for job in queue:
            if job in newcomers:
                self.reserved[job.id] = self.profile(now, self.others(job)).earliest_fit(job, now)
                self.promised[job.id] = self.reserved[job.id]
        for job in queue:
            if self.reserved[job.id] <= now:
                self.start_or_break(now, job)

    def others(self, job: RefJob) -> list[RefJob]:
        """The other waiting jobs that hold a reservation."""
        return [other for other in self.waiting if other.id in self.reserved and other != job]

    def sweep(self, now: float, placed: list[RefJob]) -> None:
        """Each job once: to its earliest fit, if that is earlier."""
        for job in placed:
            fit = self.profile(now, self.others(job)).earliest_fit(job, now)
            if fit < self.reserved[job.id]:
                self.reserved[job.id] = fit

    def rebuild(self, now: float, placed: list[RefJob]) -> None:
        """All out, and back in by reserved start; sorting is stable, so ties keep the order of the queue."""
        by_start = sorted(placed, key=lambda job: self.reserved[job.id])
        for job in placed:
            del self.reserved[job.id]
        for job in by_start:
            self.reserved[job.id] = self.profile(now, self.others(job)).earliest_fit(job, now)

    def start_or_break(self, now: float, job: RefJob) -> None:
        """Keep a reservation that is due, or place the job again."""
        if self.has_room(job, now):
            self.start(job, now)
            return
        assert self.overrun != "kill", f"job {job.id}: a reservation cannot break where estimates bind"
        self.info.broken += 1
        self.reserved[job.id] = self.profile(now, self.others(job)).earliest_fit(job, now)
        assert self.reserved[job.id] > now


def simulate(
    jobs: Iterable[RefJob],
    processors: int,
    *,
    rule: Rule,
    order: Order,
    overrun: Overrun = "kill",
    reservations: int = 1,
    compress: Compress = "completion",
) -> tuple[dict[int, RefOutcome], RefInfo]:
    """Run all jobs to their end and tell what became of each, by id.

    ``reservations`` counts for the rule ``easy`` only, ``compress`` for ``conservative`` only.
    """
    simulation = Simulation(list(jobs), processors, order, rule, overrun, reservations, compress)
    simulation.run()
    return simulation.outcomes, simulation.info
