"""A brute-force Slurm: its main pass and its backfill pass over named nodes, in the order of submission.

It shares no code with the package. Times are integers. `twin(case)` gives the start of each job of a `Case`.

At an instant jobs end, then jobs are submitted, then there is a main pass and, if one is due, a backfill pass.

* The main pass goes down the queue. A job that fits now starts; one that does not closes the nodes of its partition.
* The backfill pass goes down the queue with an empty timeline. A job whose earliest start is now starts; others get
  reservations, which are in the way of those behind them.

Where Slurm's rules leave something open, the twin reads them as follows.

* Instants are submissions, ends of jobs, beginnings and ends of windows while jobs wait or run and, with bf_interval,
  due multiples of it. At each of them there is a main pass, also at a multiple of its own.
* A backfill pass is due at a multiple of bf_interval at or after any of these but the multiples, unless a pass has
  come since.
* A main pass looks at the first default_queue_depth jobs of the queue, whether or not their nodes are closed.
* Jobs beyond bf_max_job_user do not count for bf_max_job_test; jobs that start or get no reservation do.
* bf_job_part_count_reserve counts reservations alone, not starts. Partitions with the same nodes are one partition.
* A start at now + bf_window is within it; a job that waits bf_min_age_reserve exactly is old enough.
* Multiples of bf_resolution are counted from the same origin as all others. A reservation that is rounded to nothing
  is in nobody's way, but counts as one.
* Without whole_nodes, a job needs its CPUs at each moment beside what running jobs (in groups) and reservations use
  together at that moment, the edge included. A reservation for whole nodes is the same under both.
* The runs of "consecutive" are compared by pieces: nodes if the job takes whole ones, else free CPUs. Nodes outside
  the partition, closed or full ones interrupt a run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tests.models.policies.slurm.case import Case, Cpus, Job, Outcome, Start
from tests.models.policies.slurm.timeline import Running, Timeline

BEFORE = -(10**9)
"""A time before everything."""


def twin(case: Case) -> Outcome:
    """The schedule of a case."""
    schedule = Twin(case)
    schedule.run()
    return schedule.starts


class Twin:
    """One run of one case. `plans` has the planned starts of each backfill pass, by the time of the pass."""

    def __init__(self, case: Case) -> None:
        self.case, self.options = case, case.options
        self.future = sorted(case.jobs, key=lambda job: (job.submit, job.id))
        self.queue: list[Job] = []
        self.running: list[Running] = []
        self.starts: Outcome = {job.id: None for job in case.jobs}
        self.plans: dict[int, dict[int, int]] = {}
        self.now = BEFORE
        self.eventful = False

    def run(self) -> None:
        """All instants, until nothing more can happen."""
        while times := list(self._times()):
            self.now = min(times)
            self._instant()

    def _times(self) -> Iterator[int]:
        """The times of what is to come."""
        yield from (job.submit for job in self.future)
        yield from (run.start + run.job.length for run in self.running)
        if self.future or self.queue or self.running:
            edges = (time for window in self.case.windows for time in (window.start, window.end))
            yield from (time for time in edges if time > self.now)
        interval = self.options.bf_interval
        if self.eventful and self.options.backfill and interval:
            yield self.now - (self.now - self.case.origin) % interval + interval

    def _instant(self) -> None:
        ended = [run for run in self.running if run.start + run.job.length == self.now]
        submitted = [job for job in self.future if job.submit == self.now]
        self.running = [run for run in self.running if run not in ended]
        self.future = [job for job in self.future if job not in submitted]
        self.queue += submitted
        changed = any(self.now in (window.start, window.end) for window in self.case.windows)
        self.eventful = self.eventful or bool(ended or submitted) or changed
        self._main_pass()
        if self._backfill_is_due():
            self._backfill_pass()
            self.eventful = False

    def _backfill_is_due(self) -> bool:
        if not self.options.backfill:
            return False
        interval = self.options.bf_interval
        return not interval or (self.eventful and (self.now - self.case.origin) % interval == 0)

    def _main_pass(self) -> None:
        """Start what fits now; the first that does not closes its partition's nodes to those behind it."""
        closed: set[int] = set()
        for job in self.queue[: self.options.default_queue_depth or None]:
            cpus = Timeline(self.case, self.now, self.running).place(job, self.now, closed)
            if cpus is None:
                closed |= self.case.partition(job)
            else:
                self._start(job, cpus)

    def _backfill_pass(self) -> None:
        """Start what can start now without delaying a reservation; reserve for the others."""
        timeline = Timeline(self.case, self.now, self.running)
        plan = self.plans[self.now] = {}
        reserved: Counter[frozenset[int]] = Counter()
        for job in self._tested():
            earliest = timeline.earliest(job)
            if earliest is None:
                continue
            time, cpus = earliest
            partition = self.case.partition(job)
            if time == self.now:
                self._start(job, cpus)
            elif self._may_reserve(job, time, reserved[partition]):
                timeline.reserve(job, time, cpus)
                reserved[partition] += 1
                plan[job.id] = time

    def _tested(self) -> list[Job]:
        """The jobs that a backfill pass looks at."""
        of_user: Counter[str] = Counter()
        jobs = []
        for job in self.queue:
            of_user[job.user] += 1
            if of_user[job.user] <= (self.options.bf_max_job_user or len(self.queue)):
                jobs.append(job)
        return jobs[: self.options.bf_max_job_test or None]

    def _may_reserve(self, job: Job, time: int, reserved: int) -> bool:
        """Whether a job that can start at a time gets a reservation, after so many in its partition."""
        o = self.options
        if o.bf_window and time > self.now + o.bf_window:
            return False
        if o.bf_job_part_count_reserve and reserved >= o.bf_job_part_count_reserve:
            return False
        return self.now - job.submit >= (o.bf_min_age_reserve or 0)

    def _start(self, job: Job, cpus: Cpus) -> None:
        """A job starts. Timelines share the list of running jobs, and so see it."""
        self.queue = [other for other in self.queue if other is not job]
        self.running.append(Running(job, self.now, cpus))
        self.starts[job.id] = Start(self.now, tuple(sorted(cpus.items())))
