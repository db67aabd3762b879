"""A brute-force Slurm that preempts, written from the description of Slurm's rules; it shares no code with the package.

**Whom.** By QOS, a waiting job may preempt running jobs of the kinds that its own lists; by partition, those of a lower
tier. Victims have run for their exempt time, have started before now, are under no notice, and have a mode. A job that
would be suspended is a victim only of a higher tier.

**The queue.** By tier, submission and number; but each time, the next is the first whom no other that is left may
preempt.

**When.** If a job does not fit, all that it may suspend are taken away. If that is not enough, the others are taken
away one by one, by (QOS priority, or tier, of the victim; number of its nodes), or the last started first, until it
fits. Then this is done again with the decisive one first and the rest in their order, or by how many of their nodes the
job has got, up to ``reorder_count`` + 1 times more, but in all no more often than there are candidates. Those who were
taken away, and on whose nodes the job is, are preempted.

**What then.** Victims without grace leave at once; the others at the first sweep, or at the first multiple of the
retry, after their grace. If all leave at once the job starts, and otherwise it waits; it preempts no other before,
and those whom it would suspend go on. If a job leaves at once the pass ends, and there is another round at this
instant.

**Where.** The main pass tries it for each job that does not fit, on nodes that are not closed. The backfill pass tries
it if the job would fit beside the reservations with all candidates gone; else the job is planned with all of them gone.
A job that has others under notice is planned beside them.

**Back.** A requeued job is submitted again then, from zero, and is in the queue after the delay. A suspended one keeps
its nodes from every job but the one that it has made way for, and goes on at its end, before any other.

There is an instant when a job comes to the end of its exempt time while another waits that may preempt it.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tests.models.policies.slurm.case import Cpus
from tests.models.policies.slurm.timeline import Reservation, Running, Timeline, leaving
from tests.models.preemption.case import Job, Kind, Preempting, Runs

BEFORE = -(10**9)
NEVER = 10**9
STARTS, LEFT, NOTICE, NO_JOB = range(4)
"""What comes of an attempt: the job starts; others leave; others are under notice; nothing."""


@dataclass(frozen=True)
class At(Running):
    """A job that runs; it leaves at ``leave`` for the job ``keeper``."""

    job: Job
    leave: int = NEVER
    keeper: int = 0

    @property
    def end(self) -> int:
        return min(self.start + self.job.limit, self.leave)

    @property
    def over(self) -> int:
        """When it ends by itself."""
        return self.start + self.job.length


@dataclass(frozen=True)
class Aside:
    """A suspended job, with what is left of it."""

    job: Job
    cpus: Cpus
    keeper: int


class Twin:
    """One run of one case."""

    def __init__(self, case: Preempting) -> None:
        self.case, self.options, self.rules = case, case.options, case.rules
        self.future: list[tuple[int, Job]] = [(job.submit, job) for job in case.jobs if isinstance(job, Job)]
        self.queue: list[Job] = []
        self.running: list[At] = []
        self.aside: list[Aside] = []
        self.runs: Runs = {job.id: [] for job in case.jobs}
        self.now = BEFORE
        self.eventful = False
        self.more = False
        self.preempted: Counter[str] = Counter()

    def run(self) -> Runs:
        """All instants, until nothing more can happen."""
        while times := list(self.times()):
            self.now = min(times)
            self.instant()
        return self.runs

    def times(self) -> Iterator[int]:
        """The times of what is to come."""
        yield from (time for time, _ in self.future)
        yield from (min(each.over, each.leave) for each in self.running)
        for each in self.running:
            exempt = each.start + self.kind(each.job).exempt
            if exempt > self.now and any(self.may(job, each.job) for job in self.queue):
                yield exempt
        interval = self.options.bf_interval
        if self.eventful and self.options.backfill and interval:
            yield self.case.next_multiple(self.now, interval)

    def instant(self) -> None:
        """Rounds, until no job leaves."""
        happens = [*(t for t, _ in self.future), *(min(each.over, each.leave) for each in self.running)]
        happens += [each.start + self.kind(each.job).exempt for each in self.running]
        self.eventful = self.eventful or self.now in happens
        for each in list(self.running):
            if each.over == self.now:
                self.end(each, "finished" if each.job.run <= each.job.limit else "killed")
            elif each.leave == self.now:
                self.make_way(each)
        again = True
        while again:
            self.queue += [job for time, job in self.future if time <= self.now]
            self.future = [(time, job) for time, job in self.future if time > self.now]
            again = self.round()
        if self.case.backfills(self.now, self.eventful):
            self.eventful = self.more

    def round(self) -> bool:
        """Both passes; whether a job has left."""
        for each in list(self.aside):
            if not any(set(other.cpus) & set(each.cpus) for other in self.running):
                self.aside.remove(each)
                self.running.append(At(each.job, self.now, each.cpus))
        return self.main_pass() or (self.case.backfills(self.now, self.eventful) and self.backfill_pass())

    # -- passes -------------------------------------------------------------------------

    def main_pass(self) -> bool:
        closed: set[int] = set()
        depth, of_part = self.options.default_queue_depth, Counter[object]()
        order = []
        for job in self.in_order():
            part = self.case.partition(job), job.kind
            of_part[part] += 1
            if of_part[part] <= (self.options.partition_job_depth or len(self.queue)):
                order.append(job)
        for job in order[: depth + 1 if depth else None]:
            if cpus := self.timeline().place(job, self.now, closed):
                self.start(job, cpus)
                continue
            what = self.preempt(job, [], closed)
            if what in (STARTS, LEFT):
                return True
            closed |= self.case.partition(job)
        return False

    def backfill_pass(self) -> bool:
        reservations: list[Reservation] = []
        reserved: Counter[tuple[frozenset[int], int]] = Counter()
        tested, started = self.tested(), 0
        self.more, left_out = False, len(tested) < len(self.queue)
        for job in tested:
            first = self.timeline(reservations).earliest(job)
            if first and first[0] == self.now:
                self.start(job, first[1])
                started += 1
                continue
            if not self.waits_for_notice(job):
                gone = [each for each in self.running if self.candidate(job, each)]
                if gone and self.timeline(reservations, gone).place(job, self.now):
                    what = self.preempt(job, reservations, ())
                    if what in (STARTS, LEFT):
                        return True
                    first = self.timeline(reservations).earliest(job)
                elif gone:
                    first = self.timeline(reservations, gone).earliest(job)
            partition = self.case.partition(job), job.kind
            if first and self.options.may_reserve(self.now - job.submit, first[0] - self.now, reserved[partition]):
                timeline = self.timeline()
                timeline.reserve(job, *first)
                reservations.append(timeline.reservations[-1])
                reserved[partition] += 1
        self.more = left_out and started > 0
        return False

    def timeline(self, reservations: list[Reservation] | None = None, gone: list[At] | None = None) -> Timeline:
        """What is free when, with some jobs gone."""
        running: list[Running] = [each for each in self.running if each not in (gone or [])]
        timeline = Timeline(self.case, self.now, running, list(reservations or []))
        o = self.options
        ends = leaving({each.end for each in running}, o.groups, self.case.origin, o.bf_window_linear or 0)
        for each in self.aside:
            keeper = next(other for other in self.running if other.job.id == each.keeper)
            end = ends.get(keeper.end, self.now) + each.job.limit
            timeline.reservations.append(Reservation(self.now, end, each.cpus))
        return timeline

    def tested(self) -> list[Job]:
        """The jobs that a backfill pass looks at."""
        o, counts, jobs = self.options, Counter[tuple[object, ...]](), []
        for job in self.in_order():
            part = self.case.partition(job), job.kind
            most = {
                ("user", job.user): o.bf_max_job_user,
                ("part", part): o.bf_max_job_part,
                ("both", job.user, part): o.bf_max_job_user_part,
            }
            if not any(number and counts[whose] >= number for whose, number in most.items()):
                counts.update(most.keys())
                jobs.append(job)
        return jobs[: o.bf_max_job_test or None]

    # -- who, whom ----------------------------------------------------------------------

    def kind(self, job: Job) -> Kind:
        return self.case.kinds[job.kind]

    def may(self, job: Job, other: Job) -> bool:
        """Whether a job may preempt another, by what they are."""
        return self.case.may(job.kind, other.kind)

    def candidate(self, job: Job, each: At) -> bool:
        """Whether a running job may be preempted now."""
        ran = self.now - each.start
        return self.may(job, each.job) and 0 < ran >= self.kind(each.job).exempt and each.leave == NEVER

    def in_order(self) -> list[Job]:
        """The queue."""
        rest = sorted(self.queue, key=lambda job: (-self.kind(job).tier, job.submit, job.id))
        order = []
        while rest:
            free = [job for job in rest if not any(self.may(other, job) for other in rest if other is not job)]
            order.append((free or rest)[0])
            rest.remove(order[-1])
        return order

    def waits_for_notice(self, job: Job) -> bool:
        return any(each.keeper == job.id and each.leave < NEVER for each in self.running)

    def by_cheapness(self, jobs: list[At]) -> list[At]:
        """In the order in which they are taken away."""

        def price(each: At) -> tuple[int, ...]:
            kind = self.kind(each.job)
            cheap = kind.priority if self.rules.by == "qos" else kind.tier
            size = sum(each.cpus.values()) if self.case.pool else len(each.cpus)
            return (-each.start, each.job.id) if self.rules.youngest_first else (cheap, size, each.job.id)

        return sorted(jobs, key=price)

    def preempt(self, job: Job, reservations: list[Reservation], closed: set[int] | tuple[()]) -> int:
        """Try to make room for a job; what comes of it."""
        if self.waits_for_notice(job):
            return NO_JOB

        def found(gone: list[At]) -> Cpus | None:
            return self.timeline(reservations, gone).place(job, self.now, closed)

        candidates = [each for each in self.running if self.candidate(job, each)]
        paused = [each for each in candidates if self.kind(each.job).mode == "suspend"]
        gone, cpus = paused, found(paused) if paused else None
        if cpus is None:
            others = self.by_cheapness([each for each in candidates if each not in paused])
            chosen = self.chosen(others, len(candidates), lambda taken: found(paused + taken))
            if chosen is None:
                return NO_JOB
            gone = paused + chosen
            cpus = found(gone)
        assert cpus is not None
        victims = [each for each in gone if self.case.pool or set(each.cpus) & set(cpus)]
        slow = [each for each in victims if each not in paused and self.kind(each.job).grace]
        quick = [each for each in victims if each not in slow and (each not in paused or not slow)]
        for each in slow:
            replace_in(self.running, each, leave=self.leave(self.kind(each.job).grace), keeper=job.id)
        for each in quick:
            self.make_way(replace_in(self.running, each, keeper=job.id))
        if slow:
            return LEFT if quick else NOTICE
        self.start(job, cpus)
        return STARTS

    def chosen(self, order: list[At], count: int, found: Callable[[list[At]], Cpus | None]) -> list[At] | None:
        """Those who are taken away one by one until a job fits."""
        done = 0
        while True:
            n = next((n for n in range(1, len(order) + 1) if found(order[:n])), None)
            if n is None:
                return None
            done += 1
            if done - 1 > self.rules.reorder_count or count <= done:
                return order[:n]
            before, last, behind = order[: n - 1], order[n - 1], order[n:]
            if not self.rules.strict_order:
                mine = set(found(order[:n]) or ())
                before = sorted(before, key=lambda each: -len(mine & set(each.cpus)))
            order = [last, *before, *behind]

    def leave(self, grace: int) -> int:
        """When a job leaves that is given a grace now."""
        phase, sweep, retry = self.rules.phase, self.rules.sweep, self.rules.retry
        until = self.now + grace - phase
        return min(-(-until // sweep) * sweep + phase, self.now + -(-grace // retry) * retry)

    # -- what happens -------------------------------------------------------------------

    def start(self, job: Job, cpus: Cpus) -> None:
        self.queue.remove(job)
        self.running.append(At(job, self.now, cpus))

    def end(self, each: At, how: str) -> None:
        self.running.remove(each)
        self.runs[each.job.id].append((each.start, self.now, how, tuple(sorted(each.cpus))))

    def make_way(self, each: At) -> None:
        """A job is preempted, in its mode."""
        mode, ran = self.kind(each.job).mode, self.now - each.start
        self.preempted[mode] += 1
        self.end(each, "preempted")
        if mode == "requeue":
            self.future.append((self.now + self.rules.requeue_delay, replace(each.job, submit=self.now)))
        elif mode == "suspend":
            left = replace(each.job, run=each.job.run - ran, limit=each.job.limit - ran)
            self.aside.append(Aside(left, each.cpus, each.keeper))


def replace_in(running: list[At], each: At, **changes: int) -> At:
    """Change a running job in its place."""
    changed = replace(each, **changes)  # type: ignore[arg-type]
    running[running.index(each)] = changed
    return changed
