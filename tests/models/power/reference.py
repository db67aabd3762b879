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

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import inf

from tests.models.power.cases import Case, Job, Outcome, Run, Time
from tests.models.twin.reference_rules import plan_by_profile, plan_none


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
    return _Machine(case).run()


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


class _Machine:
    """The machine at one time."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.now: Time = -inf
        self.future = list(case.jobs)
        self.waiting: list[Job] = []
        self.started: dict[Job, int] = {}
        """The running jobs."""
        self.reserved: dict[Job, Time] = {}
        self.outcome = Outcome()

    def run(self) -> Outcome:
        while self.future or self.waiting or self.started:
            time = min((time for time in self._times() if time > self.now), default=inf)
            assert time < inf, "jobs wait for ever"
            self.now = time
            self._instant()
        return self.outcome

    def _times(self) -> Iterator[Time]:
        """When something may happen."""
        for step in self.case.biting:
            yield from (step.known, step.start, step.end)
        yield from (job.submit for job in self.future)
        yield from (self._true_end(job) for job in self.started)
        yield from self.reserved.values()

    def _true_end(self, job: Job) -> int:
        length = min(job.runtime, job.estimate) if self.case.overrun == "kill" else job.runtime
        return self.started[job] + length

    def _instant(self) -> None:
        """Rounds, as long as a job that starts ends at once."""
        first = True
        while first or any(self._true_end(job) <= self.now for job in self.started):
            ended = self._end_jobs()
            sent_back = self._begin_steps() if first else []
            announced = first and any(step.known == self.now for step in self.case.biting)
            newcomers = [job for job in self.future if job.submit <= self.now]
            self.future = [job for job in self.future if job not in newcomers]
            self.waiting += newcomers
            refused = self._refuse()
            if self.case.rule == "conservative":
                self._conservative(announced, sent_back, bool(ended or sent_back or refused))
            else:
                for job in self._plan():
                    self._start(job)
            self.outcome.passes += 1
            first = False

    def _end_jobs(self) -> list[Job]:
        ended = [job for job in self.started if self._true_end(job) <= self.now]
        for job in ended:
            cut = self.case.overrun == "kill" and job.runtime > job.estimate
            self._leave(job, "killed" if cut else "finished")
        return ended

    def _leave(self, job: Job, state: str | None) -> None:
        """A running job leaves; without a state it is not over."""
        self.outcome.runs.append(Run(job.id, self.started.pop(job), int(self.now)))
        if state is not None:
            self.outcome.states[job.id] = state

    def _begin_steps(self) -> list[Job]:
        """Jobs leave where a step begins that does not wait. Gives those that did, with what they have yet to do."""
        leaving: list[Job] = []
        for step in self.case.biting:
            if step.start != self.now or step.rule == "wait":
                continue
            limit = step.watts - self.case.idle * self.case.processors
            chosen: list[Job] = []
            for job in sorted(self.started, key=lambda job: (self.started[job], job.id), reverse=True):
                if self._drawn_without(chosen) > limit and job.watts > 0:
                    chosen.append(job)
            for job in reversed(list(chosen)):
                others = [other for other in chosen if other is not job]
                if self._drawn_without(others) <= limit:
                    chosen = others
            for job in chosen:
                done = int(self.now) - self.started[job] if step.rule == "suspend" else 0
                rest = replace(job, runtime=job.runtime - done, estimate=job.estimate - done)
                self._leave(job, "killed" if step.rule == "kill" else None)
                if step.rule != "kill":
                    self.waiting.append(rest)
                leaving.append(rest)
        return leaving

    def _drawn_without(self, gone: Iterable[Job]) -> int:
        return sum(job.watts for job in self.started if job not in gone)

    def _refuse(self) -> list[Job]:
        """Take out of the queue who would not fit even if nothing else were there. Gives those."""
        empty = Profile(self.case, self.now, ())
        refused = [job for job in self.waiting if empty.earliest_fit(job, self.now) == inf]
        for job in refused:
            self.waiting.remove(job)
            self.reserved.pop(job, None)
            has_run = any(run.job == job.id for run in self.outcome.runs)
            self.outcome.states[job.id] = "killed" if has_run else "refused"
        return refused

    # The pass.

    def _queue(self) -> list[Job]:
        return sorted(self.waiting, key=lambda job: (job.submit, job.id))

    def _overrunning(self) -> list[Job]:
        """Jobs at or beyond their estimates that may be ended, the first to go first."""
        if self.case.overrun != "until_needed":
            return []
        over = [job for job in self.started if self.started[job] + job.estimate <= self.now]
        return sorted(over, key=lambda job: (self.started[job] + job.estimate, job.id))

    def _expected_end(self, job: Job) -> Time:
        end = self.started[job] + job.estimate
        return end if self.case.overrun == "kill" else max(end, self.now + 1)

    def _profile(self, reserved: Iterable[Job] = ()) -> Profile:
        """The running jobs that count, and some reservations."""
        over = self._overrunning()
        holds = [Hold(job, self.now, self._expected_end(job)) for job in self.started if job not in over]
        holds += [Hold(job, self.reserved[job], self.reserved[job] + job.estimate) for job in reserved]
        return Profile(self.case, self.now, tuple(holds))

    def _start(self, job: Job) -> None:
        """A waiting job starts; overrunning jobs end for it, one by one."""
        assert self._profile().has_room(job, self.now), f"job {job.id} has no room at {self.now}"
        while self._lacking(job) != (False, False):
            processors, _ = self._lacking(job)
            victim = next(other for other in self._overrunning() if processors or other.watts > 0)
            self._leave(victim, "killed")
        self.waiting.remove(job)
        self.reserved.pop(job, None)
        self.started[job] = int(self.now)

    def _lacking(self, job: Job) -> tuple[bool, bool]:
        """Whether processors, and whether watts, are too few beside all that runs, overrunning jobs as well."""
        everyone = tuple(Hold(other, self.now, inf) for other in self.started)
        processors, watts = Profile(self.case, self.now, everyone).free(self.now)
        return job.processors > processors, job.watts > watts

    def _plan(self) -> list[Job]:
        queue, profile, rule = self._queue(), self._profile(), self.case.rule
        if rule == "none":
            return plan_none(queue, profile, self.now)
        if rule == "easy":
            starts = plan_by_profile(queue, profile, self.now, self.case.reservations)
            if self.case.reservations == 1 and not self.case.steps:
                assert starts == _easy_by_shadow(queue, profile), "EASY's two readings differ"
            return starts
        return plan_by_profile(queue, profile, self.now, 0 if rule == "no-guarantee" else len(queue))

    def _conservative(self, announced: bool, sent_back: list[Job], freed: bool) -> None:
        queue = self._queue()
        again = [job for job in queue if job in sent_back]
        if announced:
            again += self._broken(queue)
        for job in queue:
            if job in again:
                self._reserve(job)
        held = [job for job in queue if job in self.reserved]
        compress = self.case.compress
        if compress == "event" or (compress == "completion" and freed):
            for job in held:
                self.reserved[job] = min(self.reserved[job], self._earliest(job))
        elif compress == "scheduled" and freed:
            by_start = sorted(held, key=lambda job: self.reserved[job])
            for job in held:
                del self.reserved[job]
            for job in by_start:
                self._reserve(job)
        for job in queue:
            if job not in self.reserved:
                self._reserve(job)
        for job in queue:
            if self.reserved[job] <= self.now:
                if self._profile().has_room(job, self.now):
                    self._start(job)
                else:
                    self.outcome.broken += 1
                    self._reserve(job)
                    assert self.reserved[job] > self.now

    def _broken(self, queue: list[Job]) -> list[Job]:
        """Take out the reservations that do not fit any more beside those before them in the queue."""
        kept: list[Job] = []
        broken = []
        for job in [job for job in queue if job in self.reserved]:
            if self._profile(kept).fits(job, self.reserved[job]):
                kept.append(job)
            else:
                broken.append(job)
        for job in broken:
            del self.reserved[job]
        self.outcome.broken += len(broken)
        return broken

    def _earliest(self, job: Job) -> Time:
        """The earliest fit of a job beside the reservations of the others."""
        return self._profile(other for other in self.reserved if other is not job).earliest_fit(job, self.now)

    def _reserve(self, job: Job) -> None:
        self.reserved[job] = self._earliest(job)
        self.outcome.promised.setdefault(job.id, self.reserved[job])
