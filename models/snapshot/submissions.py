"""The jobs of a snapshot as jobs of a machine, and what becomes of what they ask that is not modelled."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from math import ceil
from types import MappingProxyType
from typing import Any

from thinktime.models.site.site import Site
from thinktime.models.site.time_limits import UNLIMITED
from thinktime.models.snapshot.jobs import SnapshotJob
from thinktime.models.snapshot.records import IGNORED, READ, REPAIRED, UNKNOWN, Report
from thinktime.models.snapshot.restoring import Submission
from thinktime.workloads.job import Job
from thinktime.workloads.job_arrays import TaskList
from thinktime.workloads.job_dependencies import KINDS, SINGLETON
from thinktime.workloads.names import shortened
from thinktime.workloads.sacct.resources import request, wants
from thinktime.workloads.sacct.values import memory as memory_of

_UNMET = re.compile(r"\((unfulfilled|failed)\)|_\*")


class Submissions:
    """The jobs of a snapshot as jobs of a machine."""

    def __init__(
        self, jobs: tuple[SnapshotJob, ...], site: Site, times: tuple[float, float], runtimes: Mapping[str, float],
        report: Report, reserved: Mapping[str, float] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        """``times`` are the Unix time of second 0, and the second of the state; ``runtimes`` are by label (s).

        ``reserved`` says when reservations begin (Unix time, s).
        """
        self.reserved = reserved
        self.jobs, self.site, self.report = jobs, site, report
        (self.zero, self.time), self.runtimes = times, runtimes
        self.labels = {job.label for job in jobs} | {str(job.array) for job in jobs if job.array is not None}
        self.ids = {job.label: number for number, job in enumerate(jobs, 1)}
        """The machine's number of each job, in order of submission."""

    def all(self) -> Iterator[Submission]:
        """One for each job, and for each array."""
        arrays: dict[int, list[SnapshotJob]] = defaultdict(list)
        for job in self.jobs:
            if job.array is not None:
                arrays[job.array].append(job)
        for job in self.jobs:
            if job.array is None:
                yield self._one(job)
            elif arrays[job.array][0] is job:
                yield self._array(arrays[job.array])

    def _one(self, job: SnapshotJob) -> Submission:
        start = None if job.start is None else job.start - self.zero
        made = self._job(job)
        return Submission(
            self._comes(job, made), self._since(job), (job.label,), (made,), (start,), (job.nodes,),
            (self._shares(job),), depends=self._depends(job),
        )  # fmt: skip

    def _array(self, tasks: list[SnapshotJob]) -> Submission:
        """An array: those that run come first, so that they are within what may run at once."""
        numbers = sorted(self.ids[each.label] for each in tasks)
        tasks = sorted(tasks, key=lambda each: (each.start is None, each.start or 0.0, each.task or 0))
        self.ids |= {each.label: number for each, number in zip(tasks, numbers, strict=True)}
        running = sum(each.start is not None for each in tasks)
        most = next((each.at_most for each in tasks if each.at_most is not None), None)
        if most is not None and running > most:
            self.report.add(REPAIRED, "arrays of which more tasks run than may at once", tasks[0].where)
            most = running
        starts = tuple(None if each.start is None else each.start - self.zero for each in tasks)
        made = tuple(map(self._job, tasks))
        since = min(self._since(each) for each in tasks)
        return Submission(
            since if running else self._comes(tasks[0], made[0]), since, tuple(each.label for each in tasks), made,
            starts, tuple(each.nodes for each in tasks), tuple(map(self._shares, tasks)), TaskList.of(len(tasks), most),
            self._depends(tasks[-1]), str(tasks[0].array),
        )  # fmt: skip

    def _since(self, job: SnapshotJob) -> float:
        """When it was submitted."""
        return max(0.0, min(job.submit, job.start or job.submit) - self.zero)

    def _comes(self, job: SnapshotJob, made: Job) -> float:
        """When it comes to the machine: at its start, or at the end, unless it became eligible in between."""
        if job.start is not None:
            return max(0.0, job.start - self.zero)
        return self._since(job) if 0.0 < made.begin <= self.time else self.time

    def _job(self, job: SnapshotJob) -> Job:
        limit = self._limit(job)
        runtime = max(self.runtimes.get(job.label, limit), 0.0)
        if job.start is not None:
            runtime = max(runtime, self.zero + self.time + 1 - job.start)
        eligible = 0.0 if job.eligible is None else job.eligible - self.zero
        waits = job.start is None and eligible > self._since(job) and not job.depends
        if job.reservation and job.start is None:
            eligible, waits = max(eligible, self._reserved(job)), True
        return Job(
            runtime=runtime, estimate=limit, user=job.user or None, group=job.account or None, queue=job.qos or None,
            partition=job.partition or None, nice=job.nice, requeue=None if job.requeue else False,
            name=job.name or None, held=job.held, begin=eligible if waits else 0.0,
            id=self.ids[job.label], **self._size(job),
        )  # fmt: skip

    def _reserved(self, job: SnapshotJob) -> float:
        """When the reservation begins that a job asks for (s)."""
        if job.reservation not in self.reserved:
            self.report.add(UNKNOWN, "jobs in a reservation that is not there: they do not wait for it", job.where)
            return 0.0
        what = "jobs in a reservation: they wait until it begins, and may start beside it from then on"
        self.report.add(IGNORED, what, job.where)
        return self.reserved[job.reservation] - self.zero

    def _limit(self, job: SnapshotJob) -> float:
        partition = self.site.partition_of(job.partition, job.qos)
        limit = job.limit or partition.max_time or UNLIMITED
        if job.start is not None and job.start + limit <= self.zero + self.time + 1:
            grace = ceil(self.site.time_limits.over_time_limit + self.site.time_limits.kill_wait)
            self.report.add(REPAIRED, f"running jobs past their limits: they end within {grace:g} s", job.where)
            limit = self.zero + self.time + max(grace, 2) - job.start
        return limit

    def _size(self, job: SnapshotJob) -> dict[str, Any]:
        """What it asks of nodes."""
        others = wants({name: text for name, text in job.resources.items() if name not in ("energy",)})
        for name in others.elsewhere:
            if name not in ("energy", "vmem", "pages") and not name.startswith("fs/"):
                self.report.add(IGNORED, f"{name}: it is no resource of nodes", job.where)
        memory = 0.0
        if self.site.memory and (text := job.resources.get("mem")) and (found := memory_of(text)):
            memory = found.amount
        if not job.node_count and not others.amounts and not job.nodes:
            return {"processors": job.processors, "memory": 1024.0 * memory / job.processors if memory else None}
        if job.nodes and not job.exclusive and not others.amounts:
            return {"processors": job.processors, "memory": 1024.0 * memory / job.processors if memory else None}
        nodes = max(1, job.node_count or len(job.nodes))
        asked = request(
            nodes, max(nodes, job.processors), None, others, memory / nodes if memory else None, job.exclusive
        )
        return {"nodes": asked}

    def _shares(self, job: SnapshotJob) -> tuple[int, ...]:
        """Its processors on each node: of a job that asked for processors wherever they are."""
        if len(job.nodes) < 2 or job.exclusive:
            return ()
        if not job.shares:
            what = "how many processors running jobs have on each of their nodes: as they fit"
            self.report.add(UNKNOWN, what, job.where)
        return job.shares if sum(job.shares) == job.processors else ()

    def _depends(self, job: SnapshotJob) -> Callable[[Mapping[str, int]], str | None] | None:
        """What a job waits for, of those that are there."""
        if not job.depends:
            return None
        if "(failed)" in job.depends:
            self.report.add(READ, "jobs whose dependencies can never be met", job.where)
        one_is_enough = "?" in job.depends
        parts = re.split("[,?]", _UNMET.sub("", job.depends))
        kept: list[tuple[str, list[str]]] = []
        for part in parts:
            kind, *rest = part.strip().split(":")
            if kind == SINGLETON:
                kept.append((kind, []))
                continue
            if kind not in KINDS:
                self.report.add(UNKNOWN, f"dependencies of the kind {shortened(kind, 40)}: taken as met", job.where)
                continue
            known = [each for each in rest if each.partition("+")[0] in self.labels]
            if len(known) < len(rest):
                self.report.add(UNKNOWN, "dependencies on jobs that are no more: taken as met", job.where)
            if known:
                kept.append((kind, known))

        def text(numbers: Mapping[str, int]) -> str | None:
            told = [self._told(kind, names, numbers) for kind, names in kept]
            return ("?" if one_is_enough else ",").join(filter(None, told)) or None

        return text

    def _told(self, kind: str, names: list[str], numbers: Mapping[str, int]) -> str:
        if kind == SINGLETON:
            return SINGLETON
        found = []
        for name in names:
            label, plus, minutes = name.partition("+")
            if label in numbers:
                found.append(f"{numbers[label]}{plus}{minutes}")
            else:
                self.report.add(UNKNOWN, "dependencies on jobs that were submitted later: taken as met", f"job {label}")
        return ":".join([kind, *found]) if found else ""
