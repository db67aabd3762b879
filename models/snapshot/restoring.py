"""Put a machine into the state of a real one, through the machine itself.

A machine is opened before the first of its jobs starts. Jobs that run come, and start, when and where they really did
(`Begun`); those that wait come at the end. All count as submitted when they really were. So arrays, dependencies, ages,
limits and meters are as the machine makes them. The machine's state then goes on under its own policy and accounts.
"""

from bisect import insort
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from math import inf
from typing import Any

import numpy as np
import simpy

from thinktime.models.engine.codes.leap import ENDS, PASS
from thinktime.models.engine.rooms.nodes import find, settle
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.view import View
from thinktime.models.machine.machine import Machine
from thinktime.models.machine.nodes.pool import NodePool
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.machine.state import MachineState
from thinktime.models.orders.accounts import accounts_of
from thinktime.models.orders.tree_accounts import TreeAccounts
from thinktime.models.policies.entry import ReadyPolicy, trusted
from thinktime.models.policies.queue_policy import QueuePolicy
from thinktime.models.policies.slurm.policy import Slurm
from thinktime.models.policies.spec import as_policy
from thinktime.models.state import State
from thinktime.workloads.arrays import Rows
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.grid import ceil_to_grid
from thinktime.workloads.job import Job
from thinktime.workloads.job_arrays import TaskList

BETWEEN = 0.5
"""A state is taken so long (s) after a full second, in which everything happens that happens there."""


@trusted
class Begun(ReadyPolicy):
    """A policy under which jobs start when and where they really did, and no others; ``then`` follows it."""

    heeds_limits = False

    def __init__(self, then: QueuePolicy) -> None:
        self.then, self.order = then, then.order
        self.pool: Pool
        self.due: list[tuple[float, int, list[int], tuple[int, ...]]] = []
        """When each job starts, in order, its row, its nodes, and its processors on each (none: as they fit)."""
        self.unplaced: list[int] = []
        """Rows of jobs that do not fit where they run."""

    def next_clock(self, now: float) -> float:
        """When the next of the jobs starts (s); infinite if none is left."""
        return next((start for start, *_ in self.due if start > now), inf)

    def select(self, view: View, now: float) -> Rows:
        """Those who start now."""
        pool, free, starts = self.pool, view.free, []
        left = pool.site.free.copy() if isinstance(pool, NodePool) else None
        while self.due and self.due[0][0] <= now:
            _, row, nodes, shares = self.due.pop(0)
            wide = pool.requests.processors.item(row)
            if place(pool, row, nodes, left, shares) if isinstance(pool, NodePool) else wide <= free:
                free -= wide
                starts.append(row)
            else:
                self.unplaced.append(row)
        return np.array(starts, np.int64)


def place(pool: NodePool, row: int, nodes: list[int], left: Any, shares: tuple[int, ...] = ()) -> bool:
    """Let a job start on some nodes, and take what it needs of what these have ``left``; False if it does not fit.

    ``shares`` are its processors on each node.
    """
    site, free = pool.site, np.zeros_like(left)
    free[nodes] = left[nodes]
    if shares:
        free[nodes, 0] = np.minimum(free[nodes, 0], shares)
    before = free.copy()
    if not find(pool.state, site.shape.item(row), 0, free):
        return bool(shares) and place(pool, row, nodes, left)
    settle(pool.state, row)
    site.planned[row] = 1
    left += free - before
    return True


@dataclass(frozen=True, slots=True)
class Submission:
    """A job, or the tasks of an array, which come at a ``time`` (s), and count as submitted ``since`` another."""

    time: float
    since: float
    labels: tuple[str, ...]
    jobs: tuple[Job, ...]
    starts: tuple[float | None, ...]
    """When each has started; None if it waits."""
    nodes: tuple[tuple[str, ...], ...]
    shares: tuple[tuple[int, ...], ...]
    """The processors on each node, where they are known."""
    tasks: TaskList | None = None
    depends: Callable[[Mapping[str, int]], str | None] | None = None
    """What the jobs wait for, by the machine's numbers of those that are known."""
    array: str = ""
    """The number by which others name the array."""


@dataclass(frozen=True, slots=True)
class Restored:
    """A state, the machine's number and row of each job by its label, and jobs that could not be put there."""

    state: MachineState
    machine: Machine
    numbers: dict[str, int]
    rows: dict[str, int]
    refused: dict[str, str]
    """Jobs that the machine has not taken, and why."""
    unplaced: tuple[str, ...]
    """Running jobs that do not fit where they run."""


def restore(
    spec: MachineSpec,
    submissions: Iterable[Submission],
    time: float,
    calendar: Calendar,
    tell: Callable[[Machine], None],
) -> Restored:
    """The state of a machine at a time (a full second); ``tell`` sets what the machine cannot know by itself then."""
    play = _Play(spec, submissions, time + BETWEEN, calendar)
    tell(play.machine)
    return play.result()


class _Play:
    """The time before the snapshot."""

    def __init__(self, spec: MachineSpec, submissions: Iterable[Submission], time: float, calendar: Calendar) -> None:
        then = as_policy(spec.policy)
        assert isinstance(then, QueuePolicy)
        come = sorted(submissions, key=lambda each: each.time)
        self.spec, self.time = replace(spec, policy=then), time
        self.env = simpy.Environment(min([0.0, *(each.time for each in come)]))
        self.machine = replace(spec, policy=Begun(then)).open(self.env)
        begun = self.machine.policy
        assert isinstance(begun, Begun)
        self.begun, begun.pool = begun, self.machine.pool
        self.machine.scheduler.tell_calendar(calendar)
        if isinstance(accounts := accounts_of(begun), TreeAccounts):
            accounts.begin_late(time)
        if isinstance(self.machine.pool, NodePool):
            self.machine.pool.tell_apart()
        self.numbers: dict[str, int] = {}
        self.rows: dict[str, int] = {}
        self.refused: dict[str, str] = {}
        self.env.process(self._submit(come))
        self.env.run(until=time)
        self.machine.scheduler.settle()

    def _submit(self, submissions: list[Submission]) -> Generator[simpy.Event, Any, None]:
        for time, group in groupby(submissions, key=lambda each: each.time):
            if time > self.env.now:
                yield self.env.timeout(time - self.env.now)
            at_once = list(group)
            plain = [each for each in at_once if each.tasks is None and each.depends is None]
            self._take_all(plain)
            for each in at_once:
                if each.tasks is not None or each.depends is not None:
                    self._take(each)

    def _take_all(self, plain: list[Submission]) -> None:
        """Jobs that depend on nothing come together; if one is refused, one by one."""
        if not plain:
            return
        try:
            rows = self.machine.parts.intake.jobs([each.jobs[0] for each in plain], ceil_to_grid(self.env.now))
        except ValueError as error:
            if len(plain) == 1:
                self.refused[plain[0].labels[0]] = str(error)
            else:
                for each in plain:
                    self._take_all([each])
            return
        self.machine.scheduler.submitted(rows)
        numbers = self.machine.pool.requests.id[rows.start : rows.stop].tolist()
        for each, row, number in zip(plain, rows, numbers, strict=True):
            self._note(each, [row], [number])

    def _take(self, each: Submission) -> None:
        depends = None if each.depends is None else each.depends(self.numbers)
        jobs = [replace(job, depends=depends) for job in each.jobs] if depends else list(each.jobs)
        try:
            if each.tasks is None:
                events = [self.machine.submit(jobs[0])]
            else:
                array = self.machine.submit_array(jobs, each.tasks.numbers, each.tasks.at_most)
                events = list(array.jobs)
                self.numbers[each.array] = array.id
        except ValueError as error:
            self.refused |= dict.fromkeys(each.labels, str(error))
            return
        self._note(each, [event.row for event in events], [event.id for event in events])

    def _note(self, each: Submission, rows: list[int], numbers: list[int]) -> None:
        """Jobs are there: note who they are, when they were submitted, and when they start."""
        self.machine.scheduler.backdate(np.array(rows, np.int64), np.full(len(rows), each.since))
        places = {} if self.machine.nodes is None else self.machine.nodes.numbers
        running = zip(each.labels, rows, numbers, each.starts, each.nodes, each.shares, strict=True)
        for label, row, number, start, nodes, shares in running:
            self.numbers[label], self.rows[label] = number, row
            if start is not None:
                insort(self.begun.due, (start, row, [places[name] for name in nodes], shares))

    def result(self) -> Restored:
        """The state, in which the site's own policy governs."""
        machine, begun = self.machine, self.begun
        then = begun.then
        assert begun.order is not None
        then.order = begun.order
        if isinstance(then, Slurm):
            then.begin_late(self.time + BETWEEN)
        parts = replace(machine.parts, policy=then)
        ring = self.time + BETWEEN
        # Slurm has its own clock; on processors alone, the rule looks at once at what another one left.
        time, phase = (-inf, ENDS) if isinstance(machine.pool, NodePool) else (ring, PASS)
        due = machine.scheduler.due() | {
            "rings": [ring], "clock": inf, "omissions": None, "_time": time, "_phase": phase,
        }  # fmt: skip
        state = MachineState.of(self.time, machine.fields | {"policy": self.spec.policy}, parts, due)
        labels = {row: label for label, row in self.rows.items()}
        late = [row for _, row, *_ in begun.due if machine.pool.requests.state[row] == State.WAITING]
        unplaced = tuple(labels[row] for row in (*begun.unplaced, *late))
        return Restored(state, machine, self.numbers, self.rows, self.refused, unplaced)
