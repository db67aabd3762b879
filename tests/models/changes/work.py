"""Runs, work and limits (section 7): how long a run lasts, and what of it is progress when it is cut off."""

from math import ceil

from tests.models.changes.case import INF, Job, Options, Time


class Work:
    """How one job works: checkpoints every `tau` seconds of work, at `delta` seconds each, and `restart` seconds."""

    def __init__(self, job: Job, options: Options) -> None:
        self.job = job
        self.tau: Time | None = options.checkpoint if job.checkpoint is None else job.checkpoint
        self.delta = options.cost if job.cost is None else job.cost
        self.restart = options.restart if job.restart is None else job.restart
        self.kills = options.overrun == "kill"

    def checkpoints(self, work: int) -> int:
        """Checkpoints in a run of so much work. There is none after the last piece."""
        if self.tau is None or self.tau == INF:
            return 0
        return max(0, ceil(work / self.tau) - 1)

    def length(self, work: int, first: bool) -> int:
        return (0 if first else self.restart) + work + self.delta * self.checkpoints(work)

    def planned(self, done: int, first: bool) -> int:
        """The length that the scheduler plans with."""
        return self.length(max(1, self.job.estimate - done), first)

    def ahead(self, done: int) -> int:
        """The work of a run that nothing interrupts."""
        return (min(self.job.run, self.job.estimate) if self.kills else self.job.run) - done

    def interrupted(self, elapsed: int, work: int, first: bool) -> tuple[int, int, int]:
        """Progress, overhead and lost time of a run of `work` that is interrupted after `elapsed` seconds."""
        head, saved, rest = self._pieces(elapsed, work, first)
        progress, overhead = self._whole(head, saved)
        return progress, overhead, rest

    def kept(self, elapsed: int, work: int, first: bool) -> tuple[int, int, int]:
        """The same if all work is kept: at a suspension, and if the user cancels the job."""
        head, saved, rest = self._pieces(elapsed, work, first)
        progress, overhead = self._whole(head, saved)
        worked = rest if self.tau is None else min(rest, self.tau)
        return progress + worked, overhead + rest - worked, 0

    def _pieces(self, elapsed: int, work: int, first: bool) -> tuple[int, int, int]:
        """The restart, the number of checkpoints that were completed, and the time since the last of them."""
        head = 0 if first else min(elapsed, self.restart)
        ran = elapsed - head
        if not self.checkpoints(work):
            return head, 0, ran
        assert self.tau is not None
        saved = min(int(ran // (self.tau + self.delta)), self.checkpoints(work))
        return head, saved, ran - int(saved * (self.tau + self.delta))

    def _whole(self, head: int, saved: int) -> tuple[int, int]:
        return (int(saved * self.tau) if saved and self.tau else 0), head + saved * self.delta
