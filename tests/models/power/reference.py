"""A slow scheduler of a pool whose power is capped, written from the contract alone, to judge the machine by.

It shares no code with the package; the walks along the queue are those of `tests.models.twin.reference_rules`.
Everything is looked at afresh at every instant: what is free at a time is counted from a list of holds, an earliest fit
tries every time at which anything changes, and the queue is sorted in every pass. Times and watts are integers.

**Room.** A job holds its processors, and watts: its processors times what each of them draws above idle. What jobs may
draw together is the cap at that time less what the idle machine draws. A job fits from a time on if its processors and
its watts are free over its whole estimate. Where more is taken than there is, by jobs that a cap has fallen below or by
reservations behind a job that goes on beyond its estimate, nothing fits, not even a job that draws nothing.

**Caps.** The cap is ``Case.cap``, but over [start, end) of a step the step's ``watts``, if they are less. A pass knows
a step from the instant at which it is announced. Its announcement, its start and its end are instants, and there the
contract for windows holds: after the ends of jobs come announcements, then beginnings. Under ``wait`` no job leaves
when a step begins. Under ``kill`` and ``requeue`` the running jobs that draw power leave, youngest first (latest start,
then larger id), until the others are within the cap; from the oldest of these on, those stay after all that need not
leave. ``suspend`` is the same, but what a job has done is kept, and it goes on with the rest. After the submissions,
waiting jobs that could never start any more are refused.

**Rules.** Without steps, EASY is walked by its shadow time and what is extra then, in processors and in watts, and by
the profile; both must give the same. With steps only the profile is asked, as a job that ends by the shadow time may
run into a step before.

**Conservative.** At an announcement, all reservations are taken out, and put back in queue order where they still fit.
The others are broken; they and the jobs that were sent back in this round get their earliest fit in queue order. Then
comes the contract's (a) to (c).

**Overruns.** Under ``until_needed``, what overrunning jobs have, processors and watts, counts as free. A start that
finds too little idle, of either, ends overrunning jobs that have some of what is lacking, longest overrun first, then
by id, one at a time until there is enough of both. So while only watts are lacking, jobs that draw nothing go on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import inf

from tests.models.power.cases import Case, Job, Outcome, Run, Time
from tests.models.twin.reference import Simulation
from tests.models.twin.reference_rules import ORDERS, plan_by_profile, plan_none


@dataclass(frozen=True)
class Hold:
    """A job that has processors and watts over [start, end)."""

    job: Job
    start: Time
    end: Time


@dataclass(frozen=True)
class Profile:
    """What is taken from now on, as far as is known now."""

    case: Case
    now: Time
    holds: tuple[Hold, ...]

    def free(self, time: Time) -> tuple[int, float]:
        """Processors and watts that are free at a time; below 0 where more is taken than there is."""
        present = [hold.job for hold in self.holds if hold.start <= time < hold.end]
        processors = self.case.processors - sum(job.processors for job in present)
        return processors, self.case.limit(time, self.now) - sum(job.watts for job in present)

    def has_room(self, job: Job, time: Time) -> bool:
        """Whether a job has room at one moment."""
        processors, watts = self.free(time)
        return job.processors <= processors and job.watts <= watts

    def changes(self) -> list[Time]:
        """The times after now at which room may change."""
        known = [step for step in self.case.steps if step.known <= self.now]
        times = {time for each in (*self.holds, *known) for time in (each.start, each.end)}
        return sorted(time for time in times if self.now < time < inf)

    def fits(self, job: Job, time: Time) -> bool:
        """Whether a job has room from a time on for its whole estimate."""
        inside = [change for change in self.changes() if time < change < time + job.estimate]
        return all(self.has_room(job, each) for each in [time, *inside])

    def earliest_fit(self, job: Job, now: Time) -> Time:
        """The first time from now on at which a job fits; ∞ if it never does."""
        return next((time for time in [now, *self.changes()] if self.fits(job, time)), inf)

    def plus(self, job: Job, time: Time) -> Profile:
        """The profile with one more job, from a time on."""
        return replace(self, holds=(*self.holds, Hold(job, time, time + job.estimate)))


def schedule(case: Case) -> Outcome:
    """The schedule of a case."""
    machine = _Machine(case)
    machine.run()
    return replace(machine.outcome, promised=machine.promised, broken=machine.info.broken)


def _easy_by_shadow(queue: list[Job], profile: Profile) -> list[Job]:
    """EASY without steps, as the contract says it: a shadow time, and what is extra then in both resources."""
    now = profile.now
    starts = plan_none(queue, profile, now)
    if len(starts) == len(queue):
        return starts
    for job in starts:
        profile = profile.plus(job, now)
    head, *later = queue[len(starts) :]
    shadow = next(end for end in sorted({hold.end for hold in profile.holds}) if profile.has_room(head, end))
    processors, watts = profile.free(shadow)
    extra, extra_watts = processors - head.processors, watts - head.watts
    for job in later:
        if not profile.has_room(job, now):
            continue
        in_time = now + job.estimate <= shadow
        if in_time or (job.processors <= extra and job.watts <= extra_watts):
            starts.append(job)
            profile = profile.plus(job, now)
            if not in_time:
                extra, extra_watts = extra - job.processors, extra_watts - job.watts
    return starts


class _Machine(Simulation):
    """The machine of the contract, below a cap."""

    def __init__(self, case: Case) -> None:
        rule, order = case.rule, ORDERS["fcfs"]
        super().__init__(case.jobs, case.processors, order, rule, case.overrun, case.reservations, case.compress)
        self.case, self.now, self.outcome = case, -inf, Outcome()

    # What is known of running jobs.

    def profile(self, now: Time, reserved: Iterable[Job] = ()) -> Profile:
        holds = [Hold(job, now, self.expected_end(job, now)) for job in self.holding(now)]
        holds += [Hold(job, self.reserved[job.id], self.reserved[job.id] + job.estimate) for job in reserved]
        return Profile(self.case, now, tuple(holds))

    def has_room(self, job: Job, now: Time) -> bool:
        return self.profile(now).has_room(job, now)

    def in_the_way(self, job: Job, now: Time) -> list[Job]:
        everyone = Profile(self.case, now, tuple(Hold(other, now, inf) for other in self.running))
        if everyone.has_room(job, now):
            return []
        too_few = job.processors > everyone.free(now)[0]
        return [other for other in self.overrunning(now) if too_few or other.watts > 0]

    # Time.

    def next_instant(self) -> Time | None:
        if not (self.future or self.waiting or self.running):
            return None
        times = [time for step in self.case.biting for time in (step.known, step.start, step.end)]
        if (own := super().next_instant()) is not None:
            times.append(own)
        self.now = min((time for time in times if time > self.now), default=inf)
        assert self.now < inf, "jobs wait for ever"
        return self.now

    def instant(self, now: Time) -> None:
        first = True
        while first or any(self.true_end(job) <= now for job in self.running):
            ended = self.end_jobs(now)
            sent_back = self.begin_steps(now) if first else []
            newcomers = self.submit_jobs(now)
            refused = self.refuse(now)
            if self.rule == "conservative":
                announced = first and any(step.known == now for step in self.case.biting)
                self.reserve_again(now, sent_back, announced)
            self.schedule(now, newcomers, freed=bool(ended or sent_back or refused))
            self.outcome.passes += 1
            first = False

    # The phases.

    def end(self, job: Job, now: Time, state: str) -> None:
        self.leave(job, now)
        self.outcome.states[job.id] = state

    def leave(self, job: Job, now: Time) -> None:
        """A running job leaves, and need not be over."""
        self.running.remove(job)
        self.outcome.runs.append(Run(job.id, int(self.started[job.id]), int(now)))

    def begin_steps(self, now: Time) -> list[Job]:
        """Jobs leave where a step begins that does not wait. Gives those that did, with what they have yet to do."""
        leaving: list[Job] = []
        for step in self.case.biting:
            if step.start != now or step.rule == "wait":
                continue
            limit = step.watts - self.case.idle * self.case.processors
            chosen: list[Job] = []
            for job in sorted(self.running, key=lambda job: (self.started[job.id], job.id), reverse=True):
                if self.drawn_without(chosen) > limit and job.watts > 0:
                    chosen.append(job)
            for job in reversed(list(chosen)):
                others = [other for other in chosen if other is not job]
                if self.drawn_without(others) <= limit:
                    chosen = others
            for job in chosen:
                done = int(now) - self.started[job.id] if step.rule == "suspend" else 0
                rest = replace(job, runtime=job.runtime - done, estimate=job.estimate - done)
                self.leave(job, now)
                if step.rule == "kill":
                    self.outcome.states[job.id] = "killed"
                else:
                    self.waiting.append(rest)
                leaving.append(rest)
        return leaving

    def drawn_without(self, gone: Iterable[Job]) -> int:
        return sum(job.watts for job in self.running if job not in gone)

    def refuse(self, now: Time) -> list[Job]:
        """Take out of the queue who would not fit even if nothing else were there. Gives those."""
        refused = [job for job in self.waiting if Profile(self.case, now, ()).earliest_fit(job, now) == inf]
        for job in refused:
            self.waiting.remove(job)
            self.reserved.pop(job.id, None)
            has_run = any(run.job == job.id for run in self.outcome.runs)
            self.outcome.states[job.id] = "killed" if has_run else "refused"
        return refused

    # The pass.

    def plan(self, now: Time) -> list[Job]:
        queue, profile, rule = self.queue(now), self.profile(now), self.rule
        if rule == "none":
            return plan_none(queue, profile, now)
        if rule == "easy":
            starts = plan_by_profile(queue, profile, now, self.reservations)
            if self.reservations == 1 and not self.case.steps:
                assert starts == _easy_by_shadow(queue, profile), "EASY's two readings differ"
            return starts
        return plan_by_profile(queue, profile, now, 0 if rule == "no-guarantee" else len(queue))

    def reserve_again(self, now: Time, again: list[Job], announced: bool) -> None:
        """New reservations for jobs that were sent back, and for those whose reservations do not fit any more."""
        queue, kept, broken = self.queue(now), [], []
        for job in queue if announced else ():
            if job.id in self.reserved:
                fits = self.profile(now, kept).fits(job, self.reserved[job.id])
                (kept if fits else broken).append(job)
        for job in broken:
            del self.reserved[job.id]
        self.info.broken += len(broken)
        for job in queue:
            if job in again or job in broken:
                self.reserved[job.id] = self.profile(now, self.others(job)).earliest_fit(job, now)
