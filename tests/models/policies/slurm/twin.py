"""A brute-force Slurm: its main pass and its backfill pass over named nodes, in the order of tiers and submission.

It shares no code with the package. Times are integers. `twin(case)` gives the start of each job of a `Case`.

At an instant jobs end, then jobs are submitted, then there is a main pass and, if one is due, a backfill pass.

* The main pass goes down the queue. A job that fits now starts; one that does not closes the nodes of its partition,
  unless it waits for windows alone.
* The backfill pass goes down the queue with an empty timeline. A job whose earliest start is now starts; others get
  reservations, which are in the way of those behind them.

A job that names several partitions is in the queue once for each whose nodes could hold it. Once it has started, its
other entries are left out; what these have closed or reserved before stays so in the same pass.

Where Slurm's rules leave something open, the twin reads them as follows.

* Instants are submissions, times from which jobs are eligible, ends of jobs, beginnings and ends of windows while jobs
  wait or run and, with bf_interval, due multiples of it. At each of them there is a main pass, also at a multiple that
  is none of the others.
* A backfill pass is due at a multiple of bf_interval at or after any of these but the multiples, unless a pass has
  come since.
* A main pass looks at one job more than default_queue_depth of the queue, whether or not their nodes are closed, and
  at a multiple of sched_interval at all; those beyond partition_job_depth do not count for it. If it has not looked at
  all jobs, the next multiple of sched_interval is an instant, and counts as something that has happened.
* Jobs beyond bf_max_job_user, _part, _user_part or _assoc do not count for any of these, nor for bf_max_job_test; jobs
  that start or get no reservation do.
* After bf_max_job_start starts, a pass is over before it looks at the next job.
* If a backfill pass has started something, and has left out jobs because of any of these numbers, another is due at the
  next multiple of bf_interval.
* bf_job_part_count_reserve counts reservations alone, not starts. Where partitions have no names, those with the same
  nodes are one.
* A start at now + bf_window is within it; a job that has been eligible for bf_min_age_reserve exactly is
  old enough.
* Multiples of bf_resolution are counted from the same origin as all others. A reservation that is rounded to nothing
  is in no job's way, but counts as one.
* Without whole_nodes, a job needs its CPUs at each moment beside what running jobs (in groups) and reservations use
  together at that moment, the edge included. A reservation for whole nodes is the same under both.
* The runs of "consecutive" are compared by pieces: nodes if the job takes whole ones, else free CPUs. Nodes outside
  the partition, closed or full ones interrupt a run.
"""

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from tests.models.policies.slurm.case import Case, Cpus, Job, Outcome, Start
from tests.models.policies.slurm.timeline import Running, Timeline

BEFORE = -(10**9)
"""A time before everything."""


@dataclass(frozen=True)
class Entry:
    """A job in one of its partitions, to which it is confined."""

    job: Job
    part: Hashable
    tier: int = 1


def twin(case: Case) -> Outcome:
    """The schedule of a case."""
    schedule = Twin(case)
    schedule.run()
    return schedule.starts


class Twin:
    """One run of one case. `plans` has the planned starts of each backfill pass, by the time of the pass."""

    def __init__(self, case: Case) -> None:
        self.case, self.options = case, case.options
        self.future = sorted(case.jobs, key=lambda job: (job.eligible, job.id))
        self.queue: list[Job] = []
        self.running: list[Running] = []
        self.starts: Outcome = {job.id: None for job in case.jobs}
        self.plans: dict[int, dict[int, int]] = {}
        self.now = BEFORE
        self.eventful = False
        self.again: int | None = None
        """When a main pass looks at what the last one has left out."""
        self.left_out = False

    def run(self) -> None:
        """All instants, until nothing more can happen."""
        while times := list(self._times()):
            self.now = min(times)
            self._instant()

    def _times(self) -> Iterator[int]:
        """The times of what is to come."""
        yield from (time for job in self.future for time in (job.submit, job.eligible) if time > self.now)
        yield from (run.start + run.job.length for run in self.running)
        if self.future or self.queue or self.running:
            edges = (time for window in self.case.windows for time in (window.start, window.end))
            yield from (time for time in edges if time > self.now)
        if self.again is not None:
            yield self.again
        interval = self.options.bf_interval
        if self.eventful and self.options.backfill and interval:
            yield self.case.next_multiple(self.now, interval)

    def _instant(self) -> None:
        ended = [run for run in self.running if run.start + run.job.length == self.now]
        submitted = [job for job in self.future if job.eligible == self.now]
        self.running = [run for run in self.running if run not in ended]
        self.future = [job for job in self.future if job not in submitted]
        self.queue = sorted(self.queue + submitted, key=lambda job: (job.submit, job.id))
        changed = any(job.submit == self.now for job in self.future) or any(
            self.now in (window.start, window.end) for window in self.case.windows
        )
        changed = changed or self.again == self.now
        self.eventful = self.eventful or bool(ended or submitted) or changed
        self._main_pass()
        if self.case.backfills(self.now, self.eventful):
            running = len(self.running)
            self.left_out = False
            self._backfill_pass()
            self.eventful = self.left_out and len(self.running) > running

    def _entries(self) -> list[Entry]:
        """The queue, each job once for each of its partitions."""
        entries = [entry for job in self.queue for entry in self._entries_of(job)]
        return sorted(entries, key=lambda entry: -entry.tier)

    def _entries_of(self, job: Job) -> Iterator[Entry]:
        if not job.parts:
            yield Entry(job, self.case.partition(job))
        for place in job.parts:
            part = self.case.parts[place]
            if max(job.nodes, 1) <= len(part.nodes) and job.cpus <= sum(self.case.nodes[node] for node in part.nodes):
                yield Entry(replace(job, partition=part.nodes), place, part.tier)

    def _waits(self, entry: Entry) -> bool:
        """Whether its job has not started in another partition."""
        return any(job.id == entry.job.id for job in self.queue)

    def _main_pass(self) -> None:
        """Start what fits now; the first that does not closes its partition's nodes to those behind it."""
        closed: set[int] = set()
        nodes = set(range(len(self.case.nodes)))
        for entry in filter(self._waits, self._looked_at()):
            cpus = Timeline(self.case, self.now, self.running).place(entry.job, self.now, closed)
            if cpus is None and self._waits_for_windows(entry.job, closed):
                continue
            if cpus is None:
                closed |= self.case.partition(entry.job)
                if closed == nodes:
                    return
            else:
                self._start(entry.job, cpus)

    def _waits_for_windows(self, job: Job, closed: set[int]) -> bool:
        """Whether a job that does not fit closes nothing.

        Too few of its nodes are without windows, even were these idle, and, if it takes whole nodes, nothing runs
        there; else no job that takes whole nodes does.
        """
        up = self.case.partition(job) - closed
        timeline = Timeline(self.case, self.now, [])
        left = {node for node in up if timeline.open(job, node, self.now)}
        if len(up) < max(job.nodes, 1) or left == up:
            return False
        there = [run for run in self.running if left & set(run.cpus)]
        if any(job.nodes or run.job.nodes for run in there):
            return False
        return timeline.place(job, self.now, closed) is None

    def _looked_at(self) -> Iterator[Entry]:
        """The entries that a main pass looks at."""
        depth, interval = self.options.default_queue_depth, self.options.sched_interval
        if interval and (self.now - self.case.origin) % interval == 0:
            depth = 0
        following = self.case.next_multiple(self.now, interval) if interval else None
        of_part: Counter[Hashable] = Counter()
        looked, self.again = 0, None
        for entry in self._entries():
            of_part[entry.part] += 1
            if 0 < (self.options.partition_job_depth or 0) < of_part[entry.part]:
                self.again = following
                continue
            if depth and looked == depth + 1:
                self.again = following
                return
            looked += 1
            yield entry

    def _backfill_pass(self) -> None:
        """Start what can start now without delaying a reservation; reserve for the others."""
        timeline = Timeline(self.case, self.now, self.running)
        plan = self.plans[self.now] = {}
        reserved: Counter[Hashable] = Counter()
        for entry in self._tested():
            earliest = timeline.earliest(entry.job)
            if earliest is None:
                continue
            time, cpus = earliest
            if time == self.now:
                self._start(entry.job, cpus)
            elif self.options.may_reserve(self.now - entry.job.eligible, time - self.now, reserved[entry.part]):
                timeline.reserve(entry.job, time, cpus)
                reserved[entry.part] += 1
                plan[entry.job.id] = time

    def _tested(self) -> Iterator[Entry]:
        """The entries that a backfill pass looks at, while it starts some of them."""
        o, counts = self.options, Counter[tuple[Hashable, ...]]()
        tested, before = 0, len(self.running)
        for entry in filter(self._waits, self._entries()):
            if o.bf_max_job_start and len(self.running) - before == o.bf_max_job_start:
                self.left_out = True
                return
            job = entry.job
            most = {
                ("user", job.user): o.bf_max_job_user,
                ("part", entry.part): o.bf_max_job_part,
                ("both", job.user, entry.part): o.bf_max_job_user_part,
                ("assoc", job.user, job.account): o.bf_max_job_assoc,
            }
            if any(number and counts[whose] >= number for whose, number in most.items()):
                self.left_out = True
                continue
            counts.update(most.keys())
            tested += 1
            if 0 < (o.bf_max_job_test or 0) < tested:
                self.left_out = True
                return
            yield entry

    def _start(self, job: Job, cpus: Cpus) -> None:
        """A job starts. Timelines share the list of running jobs, and so see it."""
        self.queue = [other for other in self.queue if other.id != job.id]
        self.running.append(Running(job, self.now, cpus))
        self.starts[job.id] = Start(self.now, tuple(sorted(cpus.items())))
