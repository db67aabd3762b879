"""How jobs come into a machine's columns: jobs of users, logs, holds, and jobs that users only consider.

Each job gets a row, a number, and codes for its labels. Jobs that could never run are refused before anything has
changed. Nothing is submitted here (`thinktime.models.machine.scheduler`).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.jobs import checks as machine_checks
from thinktime.models.jobs.conditions import Conditions
from thinktime.models.jobs.labels import LABELLED, Labels
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.split_jobs import SplitJobs
from thinktime.models.machine.limits.limiter import Partitions
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.columns import LabelNames
from thinktime.workloads.job import Job
from thinktime.workloads.job_arrays import TaskList
from thinktime.workloads.power import is_plausible, power_of
from thinktime.workloads.segments import first_number
from thinktime.workloads.shapes.of_logs import SHAPE, LogShapes, check_sizes, coded
from thinktime.workloads.shapes.shape import Shape
from thinktime.workloads.trace import Trace
from thinktime.workloads.withdrawn import demanded

if TYPE_CHECKING:
    from thinktime.workloads.node_requests import NodeRequest


class Intake:
    """Adds jobs to the columns of a pool; under a runtime limit, also the later segments of long ones."""

    def __init__(
        self, pool: Pool, labels: Labels, split_jobs: SplitJobs, conditions: Conditions, partitions: Partitions,
        on_nodes: bool,
    ) -> None:  # fmt: skip
        self._pool = pool
        self._conditions = conditions
        self._partitions = partitions
        self._labels = labels
        self._split_jobs = split_jobs
        self._on_nodes = on_nodes
        self._considered = -1  # the row shared by all jobs that are only considered
        self._first: list[int] = []
        self._unheeded: list[tuple[Whole, list[str]]] = []
        """Jobs from these rows on, which are rigid here, have these shapes: a number for each (-1: none), and texts."""

    @property
    def next_id(self) -> int:
        """The number of the next job without one of its own; the engine numbers jobs as well."""
        return self._pool.truth.next_id

    @next_id.setter
    def next_id(self, number: int) -> None:
        self._pool.truth.next_id = number

    def jobs(self, jobs: Sequence[Job], now: float, campaign: int = -1, tasks: TaskList | None = None) -> range:
        """Add the jobs that a user submits, or the tasks of an array; ``ValueError`` if one could never run here."""
        for job in jobs:
            self._check(job, now)
        count, ids = len(jobs), machine_checks.job_numbers(jobs, self.next_id, self._pool.requests)
        users, conditions = [self._labels.code("user", job.user) for job in jobs], []
        if tasks is not None or any(job.conditional for job in jobs):
            conditions = self._conditions.look_up(jobs, ids, users, tasks)
        rows = self._pool.append(
            count,
            [job.runtime for job in jobs],
            id=ids,
            numbered_here=[job.id is None for job in jobs],
            submit=now,
            campaign=campaign,
            processors=[job.processors for job in jobs],
            estimate=[self._partitions.requested(job) for job in jobs],
            user=users,
            **self._seldom(jobs),
            **self._pool.options_of(jobs),
        )
        self.next_id = max(self.next_id, max(ids) + 1)
        added = self._split(rows)
        self._conditions.fail(np.array([row for row, job in zip(added, jobs, strict=True) if job.fails], np.int64))
        if tasks is not None:
            self._conditions.add_array(ids[0], np.arange(added.start, added.stop), tasks)
        self._conditions.add(conditions, now)
        return added

    def hold(self, held: Job, estimate: float, now: float) -> int:
        """Add a hold, whose process determines how long it runs; returns its row."""
        row = self.jobs([held], now)[0]
        self._pool.outcomes.runtime[row] = math.inf
        self._pool.of_process(row)
        if estimate == math.inf:
            self._pool.requests.estimate[row] = self._pool.requests.requested[row] = math.inf
        return row

    def log(self, trace: Trace, order: NDArray[np.int64] | None, asked: Sequence[NodeRequest], queues: Any) -> range:
        """Add the jobs of a log, in the given ``order`` of its rows (`Machine.load`)."""
        machine_checks.check_span(trace)
        self._give_way(trace.id)
        columns = self._columns_of(trace)
        if queues is not None and "queue" not in trace.names:
            columns["queue"] = self._labels.codes("queue", queues)
        for name in ("queue", "partition"):
            if (columns[name] < 0).all():
                del columns[name]
        if order is not None:
            columns = {name: column[order] for name, column in columns.items()} | {"submit": math.nan}
        columns |= self._shapes(trace.further.get(SHAPE), trace.names, trace.id, trace.processors, order)
        if self._on_nodes and len(asked):
            columns["asked"] = asked if order is None else [asked[i] for i in order.tolist()]
        rows = self._pool.append(len(trace), **columns)
        self.next_id = max(self.next_id, first_number(trace.id))
        patience = trace.patience if order is None else trace.patience[order]
        self._pool.be_impatient(np.arange(rows.start, rows.stop), patience)
        return self._split(rows, order)

    def jobs_of(self, user: Any, count: int, columns: dict[str, Any], called: LabelNames) -> range:
        """Add jobs of one user, or of the user of each, given as columns, and number them."""
        if isinstance(user, np.ndarray):
            owner = self._labels.codes("user", user, called.get("user", {}))
        else:
            owner = self._labels.code("user", user)
        for name in set(LABELLED) & set(columns):
            codes = self._labels.codes(name, columns.pop(name), called.get(name, {}))
            if (codes >= 0).any():
                columns[name] = codes
        if "estimate" in columns:
            columns["estimate"] = self._partitions.rounded(np.asarray(columns["estimate"], np.float64))
        first, patience = self.next_id, columns.pop("patience", None)
        numbers = np.arange(first, first + count)
        columns |= self._shapes(columns.pop(SHAPE, None), called, numbers, np.asarray(columns["processors"]))
        self.next_id += count
        rows = self._pool.append(count, id=numbers, numbered_here=True, user=owner, **columns)
        if patience is not None:
            self._pool.be_impatient(np.arange(rows.start, rows.stop), patience)
        return self._split(rows)

    @contextmanager
    def considered(self, job: Job, user: Any, now: float) -> Iterator[int]:
        """The row of a job that its user only considers submitting, within a ``with`` block."""
        self._check(job, now)
        if self._considered < 0:
            self._considered = self._pool.append(1, runtime=math.nan).start
        row, jobs = self._considered, self._pool.requests
        jobs.id[row], jobs.submit[row] = self.next_id, now
        jobs.processors[row] = job.processors
        jobs.requested[row] = jobs.estimate[row] = self._partitions.requested(job)
        if job.nice or jobs.nice[row]:
            jobs.own("nice")[row] = job.nice
        self._pool.consider(row, job)
        self._pool.note_watts(slice(row, row + 1), {"power": math.nan if job.power is None else job.power})
        for name in LABELLED:
            label = getattr(job, name)
            code = self._labels.code(name, user if name == "user" and label is None else label)
            if getattr(jobs, name)[row] != code:
                jobs.own(name)[row] = code
        if self._pool.limits is not None:
            self._pool.limits.consider(row)
        yield row
        jobs.id[row], jobs.submit[row] = -1, math.nan

    def job_in(self, row: int, request: NodeRequest | None) -> Job:
        """The job in a row, as its user would submit it."""
        jobs, names = self._pool.requests, self._labels.names
        codes = {name: getattr(jobs, name).item(row) for name in LABELLED}
        memory, power, shape = jobs.memory.item(row), jobs.power.item(row), self._shape_of(row)
        return Job(
            runtime=self._pool.outcomes.runtime.item(row),
            processors=jobs.processors.item(row) if shape is None else shape.preferred or 0,
            estimate=jobs.requested.item(row), nodes=request, nice=jobs.nice.item(row),
            memory=None if math.isnan(memory) or request is not None else memory,
            power=None if math.isnan(power) else power, shape=shape,
            **{name: names[name][code] for name, code in codes.items() if code >= 0},
        )  # fmt: skip

    def alter(self, row: int, job: Job, now: float) -> Whole:
        """Let a row that is not submitted be another job of its user; returns it, and its entries in partitions."""
        self._check(job, now)
        jobs, limits = self._pool.requests, self._pool.limits
        codes = {name: self._labels.code(name, getattr(job, name)) for name in ("queue", "partition")}
        moved = [name for name, code in codes.items() if getattr(jobs, name)[row] != code]
        entries = () if limits is None else limits.entries.of(row)
        if moved and entries:
            raise ValueError(f"job {jobs.id[row]} is in several partitions, so its user cannot choose another one")
        rows = np.array([row, *entries])
        for name in moved:
            jobs.own(name)[row] = codes[name]
        jobs.processors[rows] = job.processors
        jobs.requested[rows] = jobs.estimate[rows] = self._partitions.requested(job)
        self._pool.outcomes.runtime[rows] = job.runtime
        if (power := math.nan if job.power is None else job.power) == power or not np.isnan(jobs.power[row]):
            jobs.own("power")[rows] = power
            for each in rows.tolist():
                self._pool.note_watts(slice(each, each + 1), {"power": power})
        self._pool.consider(row, job)
        for each in rows.tolist() if limits is not None else ():
            limits.consider(each)
        return rows

    def _seldom(self, jobs: Sequence[Job]) -> dict[str, list[Any]]:
        """Columns of jobs that few have, if any of these has them, or the machine needs them."""
        nice = [job.nice for job in jobs]
        found: dict[str, list[Any]] = {"nice": nice} if any(nice) else {}
        for name in ("group", "queue", "partition"):
            labels = [getattr(job, name) for job in jobs]
            if labels.count(None) < len(labels):
                found[name] = [self._labels.code(name, label) for label in labels]
        for name, needed in ("memory", self._on_nodes), ("think_time", False), ("power", False):
            values = [getattr(job, name) for job in jobs]
            if needed or values.count(None) < len(values):
                found[name] = [math.nan if value is None else value for value in values]
        return found

    def _columns_of(self, trace: Trace) -> dict[str, Any]:
        demand = demanded(trace)
        columns: dict[str, Any] = {
            "runtime": demand.runtime,
            "id": trace.id,
            "submit": trace.submit,
            "processors": trace.processors,
            "estimate": self._partitions.rounded(demand.estimate),
            **{name: self._labels.codes(name, getattr(trace, name), trace.names.get(name, {})) for name in LABELLED},
        }
        if (asks := trace.requested_memory > 0).any() or self._on_nodes:
            columns["memory"] = np.where(asks, trace.requested_memory * 1024.0, np.nan)
        if (power := power_of(trace)) is not None:
            plausible = is_plausible(power)
            columns["power"] = np.where(plausible, power, np.nan)
            self._pool.note_power(len(trace), int(plausible.sum()), int((~plausible & ~np.isnan(power)).sum()))
        if not np.isnan(trace.wait).all():
            columns["recorded_start"] = np.where(trace.withdrawn, np.inf, trace.submit + trace.wait)
        return columns

    def _shapes(
        self, column: Floats | None, called: LabelNames, ids: Whole, asked: Whole, order: Whole | None = None
    ) -> dict[str, LogShapes]:
        """The shapes of some jobs of a log, which are called by their texts, where the machine heeds any.

        Otherwise, who chooses a size for such a job before it is submitted is told of them.
        """
        if column is None or (found := coded(column, called.get(SHAPE, {}))) is None:
            return {}
        here = found if order is None else found._replace(codes=found.codes[order])
        if self._pool.forms is None:
            self._first.append(self._pool.requests.size)
            self._unheeded.append((here.codes, [str(each) for each in here.shapes]))
            return {}
        check_sizes(found, ids, asked, self._pool.processors)
        return {SHAPE: here}

    def _shape_of(self, row: int) -> Shape | None:
        """The shape of a job, whether the machine heeds it or not."""
        if (place := bisect_right(self._first, row) - 1) < 0:
            return self._pool.shape_of(row)
        codes, texts = self._unheeded[place]
        code = int(codes[row - self._first[place]]) if row - self._first[place] < len(codes) else -1
        return None if code < 0 else Shape.parse(texts[code])

    def _check(self, job: Job, now: float) -> None:
        machine_checks.check_job(job, now)
        self._pool.check(job)
        if job.processors > self._pool.processors:
            name = "a job" if job.id is None else f"job {job.id}"
            raise ValueError(
                f"{name} asks for {job.processors} processors, but the machine has {self._pool.processors}; "
                "it could never run"
            )

    def _split(self, rows: slice, order: NDArray[np.int64] | None = None) -> range:
        """Under a runtime limit, add the later segments of long jobs; returns the rows of the jobs, which are known."""
        jobs = range(rows.start, rows.stop)
        if self._split_jobs.limit < math.inf:
            later = self._split_jobs.split(jobs, self.next_id, order)
            self.next_id += len(later)
        self._partitions.look(jobs)
        return jobs

    def _give_way(self, numbers: NDArray[np.int64]) -> None:
        """Renumber the machine's own jobs whose numbers collide with those of a log."""
        jobs = self._pool.requests
        own = np.flatnonzero(jobs.numbered_here[: jobs.size])
        if len(own) and np.isin(jobs.id[own], numbers).any():
            jobs.id = jobs.id.copy()  # a result may have it, too
            self._pool.bind()
            jobs.id[own] += max(int(numbers.max()), self.next_id)
            self.next_id = int(jobs.id[own].max()) + 1
        twice = numbers[np.isin(numbers, jobs.id[: jobs.size])]
        if len(twice):
            raise ValueError(f"the log has a job {twice[0]}, and so has this machine; number the jobs of one anew")
