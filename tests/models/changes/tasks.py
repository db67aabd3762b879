"""A job as it goes through the machine."""

from tests.models.changes.case import INF, Case, Job, Run, Time
from tests.models.changes.work import Work


class Task:
    """What the machine knows of a job. `state` is future, delayed, waiting, running, or what an `Outcome` says."""

    def __init__(self, job: Job, case: Case) -> None:
        self.job = job
        self.work = Work(job, case.options)
        self.extends = case.options.overrun == "extend"
        self.rank = dict(case.options.ranks).get(job.queue, 0) if case.options.preempt else 0
        self.state = "future"
        self.queued = job.submit
        """The time by which it queues."""
        self.back: Time = INF
        """When a delayed job is back in the queue."""
        self.over: int | None = None
        self.done = 0
        self.runs: list[Run] = []
        self.interruptions = 0
        self.forget_reservation()
        self.promised: int | None = None
        self.start = 0
        self.ahead = 0
        self.end: Time = INF
        self.indices: tuple[int, ...] = ()
        self.notice: Time | None = None
        """The end of its grace, if it is under notice."""
        self.preemptor: Task | None = None
        """For whom it was suspended, or will be at the end of its grace."""
        self.suspended = False

    def __repr__(self) -> str:
        return f"<job {self.job.id} {self.state}>"

    @property
    def first(self) -> bool:
        return not self.runs

    @property
    def planned(self) -> int:
        return self.work.planned(self.done, self.first)

    @property
    def is_over(self) -> bool:
        return self.over is not None

    def forget_reservation(self) -> None:
        self.reserved: Time | None = None
        self.place: tuple[int, ...] = ()

    def reserve(self, time: Time, place: tuple[int, ...]) -> None:
        self.reserved, self.place = time, place
        if self.promised is None and time < INF:
            self.promised = int(time)

    def expected_end(self, now: int) -> int:
        """When a running job ends as far as the scheduler knows, if it is not sent away."""
        end = self.start + self.planned
        return max(end, now + 1) if self.extends else end

    def begin(self, now: int, indices: tuple[int, ...]) -> None:
        self.state, self.start, self.indices = "running", now, indices
        self.ahead = self.work.ahead(self.done)
        self.end = now + self.work.length(self.ahead, self.first)
        self.suspended, self.preemptor = False, None
        self.forget_reservation()

    def complete(self) -> None:
        """It ends by itself, or is killed at its limit."""
        killed = self.work.kills and self.job.run > self.job.estimate
        overhead = self.end - self.start - self.ahead
        self._record(self.end, "limit" if killed else "finished", (self.ahead, overhead, 0))
        self.close("killed" if killed else "finished", self.end)

    def cancel(self, now: int) -> None:
        """Its user cancels it while it runs."""
        self._record(now, "cancelled", self.work.kept(now - self.start, self.ahead, self.first))
        self.close("killed", now)

    def stop(self, now: int, how: str, keeps: bool) -> None:
        """It is thrown off. Whether it goes on is for the machine to say."""
        pieces = self.work.kept if keeps else self.work.interrupted
        self._record(now, how, pieces(now - self.start, self.ahead, self.first))
        self.notice = None
        self.end = INF

    def close(self, state: str, now: int) -> None:
        self.state, self.over = state, now
        self.suspended, self.notice = False, None
        self.forget_reservation()

    def _record(self, now: int, how: str, pieces: tuple[int, int, int]) -> None:
        number = len(self.runs) + 1
        self.runs.append(Run(self.job.id, number, self.start, now, self.indices, how, *pieces))
        self.done += pieces[0]
