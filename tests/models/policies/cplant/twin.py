"""Brute force for what the cplant paper adds to the twin: who has used how much, counted second by second.

Nothing here is clever, and nothing comes from the package. Times are whole seconds.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from tests.models.twin.reference import RefOutcome, Simulation, State
from tests.models.twin.reference_rules import Hold, RefJob, shadow_and_extra


@dataclass(frozen=True)
class Decay:
    """Usage is multiplied by ``factor`` at origin + k period."""

    period: int = 86_400
    factor: Fraction = Fraction(1, 2)
    origin: int = 0

    def times_between(self, after: int, until: int) -> int:
        """How often usage decays in (after, until]."""
        return (until - self.origin) // self.period - (after - self.origin) // self.period


@dataclass
class Users:
    """Who owns which job, and with what weight; a job's usage runs from its start to its end, or to now."""

    owner: Mapping[int, int]
    decay: Decay = field(default_factory=Decay)
    weights: Mapping[int, Fraction] = field(default_factory=dict)

    def usage(self, runs: Iterable[tuple[RefJob, float, float]], user: int, now: float) -> Fraction:
        """Each second of each run, as often halved as decays lie behind its end."""
        total = Fraction(0)
        for job, start, end in runs:
            if self.owner[job.id] == user:
                for second in range(int(start), int(min(end, now))):
                    decays = self.decay.times_between(second, int(now))
                    total += job.processors * self.decay.factor**decays
        return total

    def priority(self, runs: Iterable[tuple[RefJob, float, float]], user: int, now: float) -> Fraction:
        """Usage divided by weight."""
        return self.usage(runs, user, now) / self.weights.get(user, Fraction(1))


class Fairshare(Simulation):
    """The twin's machine with the queue by decayed usage."""

    def __init__(self, jobs: Sequence[RefJob], processors: int, users: Users, **how: object) -> None:
        super().__init__(jobs, processors, self.key, **how)  # type: ignore[arg-type]
        self.users = users
        self.jobs_by_id: dict[int, RefJob] = {}

    def runs(self, now: float) -> list[tuple[RefJob, float, float]]:
        """What ran or runs, from when to when."""
        over = [
            (self.jobs_by_id[number], outcome.start, outcome.end)
            for number, outcome in self.outcomes.items()
            if outcome.start is not None and outcome.end is not None
        ]
        return over + [(job, self.started[job.id], now) for job in self.running]

    def submit_jobs(self, now: float) -> list[RefJob]:
        """Remember who has come."""
        newcomers = super().submit_jobs(now)
        self.jobs_by_id |= {job.id: job for job in newcomers}
        return newcomers

    def key(self, job: RefJob, now: float) -> Fraction:
        """The owner's usage."""
        return self.users.priority(self.runs(now), self.users.owner[job.id], now)


@dataclass(frozen=True)
class Starvation:
    """The starvation queue: after how long, and whether heavy users are barred (above the mean, or a quantile)."""

    after: int
    barred: bool = False
    quantile: Fraction | None = None


class CPlant(Fairshare):
    """The pass of the paper's scheduler, from its pseudo-code."""

    def __init__(
        self, jobs: Sequence[RefJob], processors: int, users: Users, starvation: Starvation, **how: object
    ) -> None:
        super().__init__(jobs, processors, users, **how)
        self.starvation = starvation
        self.starving: set[int] = set()

    def heavy(self, user: int, now: float) -> bool:
        """Decayed usage above the line of those who have any."""
        runs = self.runs(now)
        usages = {each: self.users.usage(runs, each, now) for each in set(self.users.owner.values())}
        used = sorted(usage for usage in usages.values() if usage > 0)
        if not used:
            return False
        if self.starvation.quantile is None:
            return usages[user] > sum(used) / len(used)
        place = self.starvation.quantile * (len(used) - 1)
        below, part = int(place), place - int(place)
        above = used[min(below + 1, len(used) - 1)]
        return usages[user] > used[below] + part * (above - used[below])

    def plan(self, now: float) -> list[RefJob]:
        """Promote; the starving strictly in order, with one reservation; then all as they fit."""
        queue = self.queue(now)
        for job in queue:
            waited = now - job.submit >= self.starvation.after
            if waited and not (self.starvation.barred and self.heavy(self.users.owner[job.id], now)):
                self.starving.add(job.id)
        starving = sorted((j for j in queue if j.id in self.starving), key=lambda j: (j.submit, j.id))
        main = [j for j in queue if j.id not in self.starving]
        free, starts = self.available(now), []
        while starving and starving[0].processors <= free:
            starts.append(starving.pop(0))
            free -= starts[-1].processors
        shadow, extra = None, 0
        if starving:
            holds = [Hold(now, self.expected_end(job, now), job.processors) for job in self.holding(now)]
            floor = now if self.overrun == "kill" else now + 1
            holds += [Hold(now, max(now + job.estimate, floor), job.processors) for job in starts]
            shadow, extra = shadow_and_extra(starving[0], holds, free)
        for job in starving[1:] + main:
            late = shadow is not None and now + job.estimate > shadow
            if job.processors <= free and (not late or job.processors <= extra):
                starts.append(job)
                free -= job.processors
                extra -= job.processors if late else 0
        return starts


class Chained:
    """Mixed in before a machine: segments enter when what they wait for is over."""

    follower: Mapping[int, RefJob]

    def end(self, job: RefJob, now: float, state: State) -> None:
        """Let the next segment in."""
        super().end(job, now, state)  # type: ignore[misc]
        following = self.follower.get(job.id)
        if following is not None:
            self.future.append(replace(following, submit=now))  # type: ignore[attr-defined]


class ChainedFairshare(Chained, Fairshare):
    """Fairshare with segments."""


class ChainedCPlant(Chained, CPlant):
    """CPlant with segments."""


def chains(
    jobs: Sequence[RefJob], owner: Mapping[int, int], limit: int
) -> tuple[list[RefJob], dict[int, RefJob], dict[int, int], dict[int, int]]:
    """What is submitted at first, what follows what, who owns all of it, and whose segment each is."""
    first, follower, of = [], {}, {job.id: job.id for job in jobs}
    number = max(job.id for job in jobs)
    for job in sorted(jobs, key=lambda job: (job.submit, job.id)):
        pieces, left = [], job.runtime
        while left > limit:
            pieces.append(float(limit))
            left -= limit
        pieces.append(left)
        if len(pieces) == 1:
            first.append(replace(job, estimate=min(job.estimate, limit)))
            continue
        before = job.id
        for i, length in enumerate(pieces):
            estimate = max(min(limit, max(job.estimate - limit * i, length)), 1)
            part = replace(job, runtime=length, estimate=estimate)
            if i == 0:
                first.append(part)
            else:
                number += 1
                of[number] = job.id
                follower[before] = replace(part, id=number)
                before = number
    return first, follower, {number: owner[original] for number, original in of.items()}, of


class Foreseeing:
    """Mixed in before a machine: once job ``seer`` is submitted, it is known how long all jobs run."""

    seer: int

    def submit_jobs(self, now: float) -> list[RefJob]:
        """Estimates become lengths, and a job that waits is placed like a newcomer."""
        newcomers = super().submit_jobs(now)  # type: ignore[misc]
        if self.seer not in {job.id for job in newcomers}:
            return newcomers  # type: ignore[no-any-return]
        self.waiting = [self.known(job) for job in self.waiting]
        self.running = [self.known(job) for job in self.running]
        self.reserved: dict[int, float] = {}
        return self.waiting.copy()

    def known(self, job: RefJob) -> RefJob:
        """The job with its length for an estimate."""
        length = min(job.runtime, job.estimate) if self.overrun == "kill" else job.runtime  # type: ignore[attr-defined]
        return replace(job, runtime=length, estimate=max(length, 1.0))


class ForeseeingFairshare(Foreseeing, Fairshare):
    """Fairshare that comes to know."""


class ForeseeingCPlant(Foreseeing, CPlant):
    """CPlant that comes to know."""


# -- fair start times ------------------------------------------------------------------------------------------


def hybrid(
    jobs: Sequence[RefJob], outcomes: Mapping[int, RefOutcome], processors: int, users: Users, overrun: str
) -> dict[int, float]:
    """The list scheduler with one completion time per node, from the state right after each arrival."""

    def evicted(job: RefJob, outcome: RefOutcome, now: float) -> bool:
        """Ended by a start at this instant, so it still runs when jobs arrive."""
        early = outcome.end < outcome.start + job.runtime
        return overrun == "until_needed" and outcome.start < now == outcome.end and early

    found = {}
    jobs = sorted(jobs, key=lambda job: (job.submit, job.id))
    length = {job.id: min(job.runtime, job.estimate) if overrun == "kill" else job.runtime for job in jobs}
    for i, job in enumerate(jobs):
        now = job.submit
        before = jobs[: i + 1]
        running = [
            j for j in before if outcomes[j.id].start < now < outcomes[j.id].end or evicted(j, outcomes[j.id], now)
        ]
        waiting = [j for j in before if outcomes[j.id].start >= now]
        over = [(j, outcomes[j.id].start, outcomes[j.id].end) for j in before if outcomes[j.id].start < now]
        nodes = [max(now, outcomes[j.id].start + length[j.id]) for j in running for _ in range(j.processors)]
        nodes += [now] * (processors - len(nodes))
        rank = {j.id: users.priority(over, users.owner[j.id], now) for j in waiting}
        for other in sorted(waiting, key=lambda j: (rank[j.id], j.submit, j.id)):
            nodes.sort()
            start = max(now, nodes[other.processors - 1])
            nodes[: other.processors] = [start + length[other.id]] * other.processors
            if other == job:
                found[job.id] = start
                break
    return found


def deserved(
    jobs: Sequence[RefJob], outcomes: Mapping[int, RefOutcome], processors: int, cap: bool
) -> dict[int, Fraction]:
    """Second by second, one N-th of the machine."""
    spans = {job.id: range(int(job.submit), int(outcomes[job.id].end)) for job in jobs}
    found = {}
    for job in jobs:
        found[job.id] = Fraction(0)
        for second in spans[job.id]:
            part = Fraction(processors, sum(second in span for span in spans.values()))
            found[job.id] += min(part, job.processors) if cap else part
    return found
