"""A replay of a log by users with hazards (`twin_hazards`), to judge fast ones by.

A replay is a loop over the instants of the brute-force machine of `tests.models.twin.reference`, in which every user
is asked at each of them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tests.models.twin.reference import Rule, Simulation
from tests.models.twin.reference_rules import ORDERS, RefJob
from tests.users.calibrated.twin_hazards import (
    Batch,
    Hazard,
    Kept,
    LogJob,
    batches_of,
    jobs_of,
    kept,
    release,
    users_of,
)


@dataclass
class User:
    """A user in a replay."""

    hazard: Hazard
    plan: list[list[LogJob]]
    kept: list[Kept]
    batches: list[Batch] = field(default_factory=list)
    looks: list[tuple[float, int]] = field(default_factory=list)
    stale: bool = True
    found: float = math.inf

    def due(self, now: float) -> float:
        """When the next batch is submitted, as far as is known."""
        number = len(self.batches)
        if number == len(self.plan):
            return math.inf
        if number == 0:
            return self.plan[0][0].submit
        if self.stale:
            self.found = release(self.hazard, self.kept[number - 1], self.batches, self.looks)
            self.stale = False
        return max(self.found, now)

    def see(self, now: float, waiting: int, over: dict[int, float], started: dict[int, float]) -> None:
        """Notice which jobs are over."""
        for batch in self.batches:
            news = {job.row: over[job.row] for job in batch.jobs if job.row in over and job.row not in batch.over}
            if news:
                batch.over.update(news)
                batch.ran.update({row: end - started.get(row, end) for row, end in news.items()})
                self.stale = True
                if batch.end < math.inf:
                    self.looks.append((now, waiting))

    def submit(self, now: float, waiting: int) -> list[tuple[LogJob, float]]:
        """Submit the next batch: its jobs, and when each of them is submitted."""
        jobs = self.plan[len(self.batches)]
        batch = Batch(jobs, [now + (job.submit - jobs[0].submit) for job in jobs])
        self.batches.append(batch)
        self.looks.append((now, waiting))
        self.stale = True
        return list(zip(jobs, batch.submit, strict=True))


class Machine(Simulation):
    """The brute-force machine, with users; ``recorded`` starts jobs when the log says."""

    def __init__(
        self, users: Sequence[User], processors: int, rule: str, patience: Sequence[float], order: str = "fcfs"
    ) -> None:
        as_recorded = rule == "recorded"
        known: Rule = "none" if as_recorded else rule
        size, overrun = (10**9, "extend") if as_recorded else (processors, "kill")
        super().__init__([], size, ORDERS[order], known, overrun)
        self.users, self.patience, self.as_recorded = users, patience, as_recorded
        self.recorded = {job.row: job.left for user in users for jobs in user.plan for job in jobs}
        self.over: dict[int, float] = {}
        self.submitted: dict[int, float] = {}
        self.now = -math.inf
        self.seen = 0

    def next_instant(self) -> float | None:
        """The earliest time at which something is to happen."""
        times = [user.due(self.now) for user in self.users]
        if self.as_recorded:
            times += [max(self.now, self.recorded[job.id]) for job in self.waiting]
        found = super().next_instant()
        first = min([*times, *([] if found is None else [found])])
        return first if first < math.inf else None

    def instant(self, now: float) -> None:
        """An instant."""
        if now > self.now:
            self.now, self.seen = now, len(self.waiting)
        super().instant(now)

    def submit_jobs(self, now: float) -> list[RefJob]:
        """What users submit now, who know what is over."""
        newcomers: list[RefJob] = []
        while True:
            for row, outcome in self.outcomes.items():
                self.over.setdefault(row, now if outcome.end is None else outcome.end)
            for user in self.users:
                user.see(now, self.seen, self.over, self.started)
            released = [user for user in self.users if user.due(now) <= now]
            for user in released:
                for job, time in user.submit(now, self.seen):
                    limit = self.patience[job.row]
                    gone = None if limit == math.inf else time + limit
                    self.future.append(RefJob(job.row, time, job.processors, job.runtime, job.estimate, gone))
            refused = [job for job in self.future if job.submit <= now and job.processors > self.processors]
            for job in refused:
                self.future.remove(job)
                self.over[job.id] = now
            arrived = super().submit_jobs(now)
            self.submitted |= {job.id: job.submit for job in [*refused, *arrived]}
            newcomers += arrived
            if not released and not refused:
                return newcomers

    def withdraw_jobs(self, now: float) -> bool:
        """What is withdrawn, to which users react at once."""
        left = super().withdraw_jobs(now)
        if left:
            self.submit_jobs(now)
        return left

    def start(self, job: RefJob, now: float) -> None:
        """A job that has started is not withdrawn."""
        super().start(job, now)
        self.running[self.running.index(job)] = replace(job, cancel_at=None)

    def plan(self, now: float) -> list[RefJob]:
        """What starts now."""
        if self.as_recorded:
            return [job for job in self.queue(now) if self.recorded[job.id] <= now]
        return super().plan(now)


@dataclass(frozen=True)
class Replay:
    """What became of the jobs, by row; those of which nothing stands here were never submitted."""

    submit: dict[int, float]
    start: dict[int, float]
    over: dict[int, float]


def replay(
    trace, hazards: Sequence[Hazard], processors: int, rule: str, *, patience: Sequence[float] | None = None,
    residuals: Sequence[Sequence[float]] | None = None, order: str = "fcfs",
) -> Replay:  # fmt: skip
    """Replay a log by users with these hazards, one for each; by default with the residuals that the log has."""
    jobs = jobs_of(trace)
    users = []
    for number, (own, hazard) in enumerate(zip(users_of(jobs), hazards, strict=True)):
        found = (
            kept(jobs, own, hazard) if residuals is None else [Kept(-1, each, each, 0.0) for each in residuals[number]]
        )
        users.append(User(hazard, batches_of(own), found))
    machine = Machine(users, processors, rule, [math.inf] * len(jobs) if patience is None else patience, order)
    machine.run()
    return Replay(machine.submitted, machine.started, machine.over)
