"""Generative users, drawn from a log: they do what its users did, in a new order and at new times.

A generative user draws from a `UserModel`: the number of batches in a session, the batches (with all their jobs
and the offsets between them), the think times between them, and the break until the next session. Within a
session a batch is submitted a think time after the end of the batch before. A session begins a break after the
end of the session before, or after its last submission if the log's user came back before the end. Breaks
are drawn in active time, so that they follow the user's day and week. No session begins after the
time at which the last one of the log's user began.

Draws depend only on the seed and the user, never on the machine: the same seed gives the same users under every
policy. The policy decides how far they get, so the load adapts: users who wait longer submit less.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Unpack

import numpy as np
import simpy
from numpy.typing import NDArray

from thinktime.models.listeners import Observer
from thinktime.models.machine import Machine
from thinktime.models.machine_spec import MachineOptions, MachineSpec, spec_of
from thinktime.models.results.result import Result
from thinktime.models.state import State
from thinktime.users.run import Progress, play, run
from thinktime.users.session_blocks import Block, blocks
from thinktime.users.source import Begun, LogSource, Rows, submit_batch
from thinktime.workloads.grid import ceil_to_grid
from thinktime.workloads.names import former_arguments
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.streams import Seed
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models import Population, Sessions, delimit, fit_marginals, fit_users
from thinktime.workloads.user_models.population import Draw, draw_users

Process = Generator[simpy.Event, None, None]

DRAWS = ("samples", "fitted")
"""What users are drawn from."""


class Generated(NamedTuple):
    """The result of generative users, and the session of each of its jobs."""

    result: Result
    session: Rows


class DrawnUsers(LogSource):
    """Users drawn from what was fitted to a log.

    ``population`` is the number of users per user of the log. By default all occur equally often; with
    ``replace_users`` they are drawn with replacement. ``draw`` is ``samples`` (users repeat what they did; the
    default, our decision: samples keep every detail of a distribution, and batches stay whole) or ``fitted`` (times,
    batch sizes and run times come from fitted distributions: see `thinktime.users.session_blocks` and
    `thinktime.workloads.user_models.fit_marginals`). ``delimitation`` and ``threshold`` say what a session is
    (`delimit`). ``users`` are the users of the log if they are known (`drawable`).
    """

    recorded = False
    watched = True

    def __init__(
        self,
        given: Trace | NodeLog,
        seed: Seed = 0,
        population: float = 1.0,
        replace_users: bool = False,
        draw: str = "samples",
        delimitation: Sessions | str = "arrival",
        threshold: float | None = None,
        users: Population | None = None,
    ) -> None:
        super().__init__(given)
        self.jobs = 0
        self._seed, self._population, self._replace = seed, population, replace_users
        self._fit = (draw, delimitation, threshold)
        self._users = users

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Draw the users and start them."""
        trace, log = self.read(machine.nodes)
        fitted = drawable(trace, *self._fit) if self._users is None else self._users
        users = GenerativeUsers(env, machine, fitted, self._seed, log)
        first, last = (np.array([getattr(user, name) for user in fitted.users]) for name in ("first", "last"))
        span = float(trace.submit[0]), float(trace.submit[-1])
        users.start(draw_users(first, last, span, self._seed, self._population, self._replace))
        return Begun(users.over, users.in_order, log, session=users.session_of)


@dataclass(eq=False)
class GenerativeUsers:
    """The users of one population on a machine."""

    env: simpy.Environment
    machine: Machine
    population: Population
    seed: Seed
    log: NodeLog | None = None
    """What the jobs of the population's log request of the machine's nodes."""
    left: int = 0
    """Users who are not done."""
    rows: list[tuple[int, int]] = field(default_factory=list)
    """First and last row (exclusive) of each session, on the machine."""
    blocks: list[range] = field(default_factory=list)
    """The rows of all jobs, on the machine."""

    def __post_init__(self) -> None:
        self.over = self.env.event()

    def start(self, draws: list[Draw]) -> None:
        """Start a process for each drawn user."""
        self.left += len(draws)
        if not self.left:
            self.over.succeed()
        for draw in draws:
            user = self.population.users[draw.place].user
            name = user if draw.copy == 1 else f"{user}.{draw.copy}"
            self.env.process(self._user(draw.place, name, draw.shift))

    def _user(self, who: int, name: int | str, shift: float) -> Process:
        model = self.population.users[who]
        env, later = self.env, model.rhythm.later
        at, last = model.first + shift, model.last + shift
        pending: list[simpy.Event] = []
        over_at = np.nan
        for block in blocks(self.population, who, self.seed, name):
            rows, bounds, offset = self._load(name, block), block.bounds, block.offset
            number = 0
            for place, size in enumerate(block.sizes):
                if at > last:
                    break
                self.rows.append((rows.start + bounds[number], rows.start + bounds[number + size]))
                for k in range(size):
                    if at > env.now:
                        yield env.timeout(at - env.now)
                    low, high = bounds[number], bounds[number + 1]
                    over = self._submit(rows[low:high], offset[low:high], over_at)
                    submitted = float(env.now) + float(offset[high - 1])
                    pending.append(over)
                    number += 1
                    if k == size - 1 and block.overlaps[place]:
                        over_at = np.nan
                        break
                    yield over
                    over_at = float(env.now)
                    if k < size - 1:
                        at = over_at + block.thinks[number - 1]
                since = submitted if block.overlaps[place] else float(env.now)
                at = ceil_to_grid(later(since, block.breaks[place]))
                pending = [event for event in pending if not event.processed]
            if at > last:
                break
        for event in pending:
            if not event.processed:
                yield event
        self.left -= 1
        if not self.left:
            self.over.succeed()

    def in_order(self) -> Rows:
        """The machine's rows of the jobs and segments that were submitted, by (submit, id)."""
        jobs = self.machine.pool.requests
        rows = np.array([row for each in self.blocks for row in each], np.int64)
        rows = np.concatenate([rows, np.array(self.machine.split_jobs.following(rows), np.int64)])
        rows = rows[jobs.state[rows] != State.FUTURE]
        ordered: Rows = rows[np.lexsort((jobs.id[rows], jobs.submit[rows]))]
        return ordered

    def session_of(self) -> Rows:
        """The session of each job that was submitted, in the order of `in_order`."""
        session, split_jobs = np.full(self.machine.pool.requests.size, -1), self.machine.split_jobs
        for number, (begin, stop) in enumerate(self.rows):
            session[begin:stop] = number
            session[split_jobs.following(np.arange(begin, stop))] = number
        return session[self.in_order()]

    def _load(self, name: int | str, block: Block) -> range:
        trace = self.population.trace
        memory = trace.requested_memory[block.rows]
        asked = {} if self.log is None else {"asked": [self.log.requests[i] for i in block.rows.tolist()]}
        rows = self.machine.load_jobs(
            name,
            len(block.rows),
            runtime=block.runtime,
            processors=trace.processors[block.rows],
            estimate=block.estimate,
            memory=np.where(memory > 0, memory * 1024.0, np.nan),
            **asked,
        )
        self.blocks.append(rows)
        return rows

    def _submit(self, rows: range, offset: NDArray[np.float64], over_at: float) -> simpy.Event:
        now = float(self.env.now)
        self.machine.pool.requests.think_time[rows.start : rows.stop] = now - over_at
        return submit_batch(self.machine, rows, now + offset)


@former_arguments(sessions="delimitation", load="population")
def generative_users(
    trace: Trace | NodeLog,
    policy: Any = "easy",
    processors: int | None = None,
    *,
    seed: Seed = 0,
    population: float = 1.0,
    replace_users: bool = False,
    draw: str = "samples",
    delimitation: Sessions | str = "arrival",
    threshold: float | None = None,
    observers: Iterable[Observer] = (),
    progress: Progress | None = None,
    **machine: Unpack[MachineOptions],
) -> Result:
    """Users drawn from what was fitted to a log, under one policy, until every job is over.

    The arguments from ``seed`` to ``threshold`` are those of `DrawnUsers`, the others those of `replay`. Jobs are
    ordered by (submit, id). A second user drawn from user 7 is called ``7.2``.

    ``ValueError`` for a log without waits or without users, and for the policy ``recorded``.
    """
    source = DrawnUsers(trace, seed, population, replace_users, draw, delimitation, threshold)
    return run(spec_of(policy, processors, machine), source, observers=observers, progress=progress)


def drawable(
    trace: Trace,
    draw: str = "samples",
    delimitation: Sessions | str = "arrival",
    threshold: float | None = None,
) -> Population:
    """The users of a log, ready to be drawn from: as samples, or as fitted distributions."""
    if draw not in DRAWS:
        raise ValueError(f"draw is {draw!r}, but must be one of {', '.join(DRAWS)}")
    seen = delimit(trace, delimitation, threshold) if isinstance(delimitation, str) else delimitation
    population = fit_users(trace, seen)
    if not population.users:
        raise ValueError("users cannot be drawn from this log: none of its jobs names a user (field 12)")
    return replace(population, marginals=fit_marginals(population)) if draw == "fitted" else population


def generate(spec: MachineSpec, source: DrawnUsers) -> Generated:
    """`generative_users`, with the session of each job."""
    result, begun = play(spec, [source])
    return Generated(result, begun[0].session())
