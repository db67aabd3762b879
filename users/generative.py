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

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np
import simpy

from thinktime.models.machine.listeners import Observer
from thinktime.models.machine.machine import Machine
from thinktime.models.machine.plans import Ahead, Plan
from thinktime.models.machine.spec import MachineOptions, MachineSpec, spec_of
from thinktime.models.results.result import Result
from thinktime.models.state import State
from thinktime.users.log_source import LogSource
from thinktime.users.log_users import Due, LogUsers
from thinktime.users.run import Progress, play, run
from thinktime.users.session_blocks import Block, Remembered, blocks
from thinktime.users.source import Begun, followed
from thinktime.workloads.arrays import Rows
from thinktime.workloads.grid import ceil_to_grid
from thinktime.workloads.keywords import parted
from thinktime.workloads.names import former_arguments, quoted
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.power import is_plausible, power_of
from thinktime.workloads.shapes.of_logs import SHAPE
from thinktime.workloads.streams import Seed
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import Duration
from thinktime.workloads.user_models import Population, Sessions, delimit, fit_marginals, fit_users
from thinktime.workloads.user_models.population import Draw, UserModel, draw_users

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
    `thinktime.workloads.user_models.fit_marginals`), or the users of the log if they are known (`drawable`).
    ``delimitation`` and ``threshold`` say what a session is (`delimit`). A source that is run ``again`` and again keeps
    what it has drawn.
    """

    recorded = False
    closed = True
    chained = True
    thinks = True

    def __init__(
        self,
        given: Trace | NodeLog,
        seed: Seed = 0,
        population: float = 1.0,
        replace_users: bool = False,
        draw: str | Population = "samples",
        delimitation: Sessions | str = "arrival",
        threshold: Duration | None = None,
        again: bool = False,
    ) -> None:
        super().__init__(given)
        self.jobs = 0
        self._seed, self._population, self._replace = seed, population, replace_users
        self._draw, self._sessions = draw, (delimitation, threshold)
        self._kept: dict[str | int, Remembered] | None = {} if again else None

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Draw the users and start them."""
        trace, log = self.read(machine.nodes)
        draw = self._draw
        fitted = draw if isinstance(draw, Population) else drawable(trace, draw, *self._sessions)
        first, last = (np.array([getattr(user, name) for user in fitted.users]) for name in ("first", "last"))
        span = float(trace.submit[0]), float(trace.submit[-1])
        draws = draw_users(first, last, span, self._seed, self._population, self._replace)
        decide = None if self.responds is None else LogUsers(env, machine, self.responds)
        users = GenerativeUsers(machine, fitted, draws, self._blocks, log, decide)
        over = env.process(followed(machine, machine.plans.add(users)))
        return Begun(over, users.in_order, log, session=users.session_of)

    def _blocks(self, population: Population, place: int, name: str | int) -> Iterator[Block]:
        drawn = blocks(population, place, self._seed, name)
        return drawn if self._kept is None else iter(self._kept.setdefault(name, Remembered(drawn)))


class Life:
    """What one of the users does next."""

    def __init__(self, model: UserModel, shift: float, drawn: Iterator[Block]) -> None:
        self.rhythm, self.drawn = model.rhythm, drawn
        self.first, self.last = model.first + shift, model.last + shift
        """When the first session begins, and when the last one may begin, s."""
        self.block: Block | None = None
        self.batches = 0
        """How many there were in the blocks before."""
        self.rows = range(0)
        self.latest: tuple[int, Rows] | None = None
        """The place in the block, and the rows, of the batch that was submitted last."""


class GenerativeUsers(Plan):
    """The users of one population on a machine.

    Each of their batches is a campaign of the plan, with jobs that are loaded block by block.
    """

    on_grid, numbered = True, False

    def __init__(
        self,
        machine: Machine,
        population: Population,
        draws: list[Draw],
        drawn: Callable[[Population, int, str | int], Iterator[Block]],
        log: NodeLog | None = None,
        decide: LogUsers | None = None,
    ) -> None:
        self.machine, self.population, self.log = machine, population, log
        self._decide, self.responds = decide, decide is not None
        self.asked = decide is not None and decide.thinking
        users = [population.users[draw.place] for draw in draws]
        self.names = [
            each.user if draw.copy == 1 else f"{each.user}.{draw.copy}" for each, draw in zip(users, draws, strict=True)
        ]
        called = population.trace.names.get("user", {})
        self._labels = [called.get(each.user, name) for each, name in zip(users, self.names, strict=True)]
        """Who their jobs belong to: who is drawn twice has one name, and so one account."""
        self._lives = [
            Life(each, draw.shift, drawn(population, draw.place, name))
            for each, draw, name in zip(users, draws, self.names, strict=True)
        ]
        self.rhythms, self.last_begin = [life.rhythm for life in self._lives], [life.last for life in self._lives]
        trace = population.trace
        self._labelled = [name for name in ("group", "queue", "partition") if (getattr(trace, name) >= 0).any()]
        self._with_memory = machine.nodes is not None or bool((trace.requested_memory > 0).any())
        """What their jobs ask for beside processors and time."""
        power = power_of(trace)
        self._power = None if power is None else np.where(is_plausible(power), power, np.nan)
        self.sessions: list[tuple[int, int]] = []
        """First and last row (exclusive) of each session that is loaded, on the machine."""
        self.blocks: list[range] = []
        """The rows of all jobs, on the machine."""

    def more(self, user: int, now: float) -> Ahead:
        """The batches of the next block, which is loaded; none if the user is done."""
        life = self._lives[user]
        begin = self._next_begin(life, now)
        if begin > life.last:
            return Ahead(np.empty(0), np.empty(0, np.int64))
        life.batches += 0 if life.block is None else len(life.block.thinks)
        life.latest = None
        block = life.block = next(life.drawn)
        life.rows = self._load(self._labels[user], block)
        ends = np.cumsum(block.sizes)
        bounds = life.rows.start + np.array(block.bounds)[[0, *ends]]
        self.sessions += zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
        think_time, rest = np.array([begin - now, *block.thinks[:-1]]), np.zeros(len(block.thinks))
        think_time[ends[:-1]], rest[ends[:-1]] = math.nan, block.breaks[:-1]
        overlaps = np.zeros(len(think_time), bool)
        overlaps[ends - 1] = block.overlaps
        jobs = np.diff(block.bounds)
        return Ahead(think_time, jobs, rows=life.rows, offset=block.offset, rest=rest, overlaps=overlaps, last=False)

    def respond(self, user: int, now: float) -> float:
        """When a user submits a batch that is due, which may have changed by then (`LogUsers`)."""
        life, (rows, offset, number) = self._lives[user], self.machine.plans.due_of(self, user)
        assert self._decide is not None and life.block is not None
        asked = () if self.log is None else [self.log.requests[life.block.rows[row - life.rows.start]] for row in rows]
        due = Due(rows, offset.tolist(), asked)
        life.latest = number, rows
        return self._decide.respond(self.names[user], self._labels[user], life.batches + number, due, now)

    def wait(self, user: int, now: float, thought: float, least: float = 0.0) -> float:
        """How long a user thinks after a batch, as behaviours have it; a break between sessions stays as it is."""
        life = self._lives[user]
        assert self._decide is not None and life.block is not None
        if life.latest is None:
            return thought
        number, rows = life.latest
        if math.isnan(thought):
            session = int(np.searchsorted(np.cumsum(life.block.sizes), number + 1))
            begin = self._begin_after(life, session, rows.item(-1), now)
            return begin - now if begin <= life.last else math.inf
        if number == len(life.block.thinks) - 1:
            return thought
        return self._decide.think(self.names[user], self._labels[user], life.batches + number, rows, thought, now)

    def _next_begin(self, life: Life, now: float) -> float:
        """When the next block begins, s: a break after the end of the one before, or after its last submission."""
        if life.block is None:
            return life.first
        return self._begin_after(life, -1, life.rows.stop - 1, now)

    def _begin_after(self, life: Life, session: int, last: int, now: float) -> float:
        """When the session after one of a block begins, s, the last job of which is in a row."""
        assert life.block is not None
        since = self.machine.pool.requests.submit.item(last) if life.block.overlaps[session] else now
        return ceil_to_grid(life.rhythm.later(since, life.block.breaks[session]))

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
        begun = [each for each in self.sessions if self.machine.pool.requests.state[each[0]] != State.FUTURE]
        for number, (begin, stop) in enumerate(begun):
            session[begin:stop] = number
            session[split_jobs.following(np.arange(begin, stop))] = number
        return session[self.in_order()]

    def _load(self, name: int | str, block: Block) -> range:
        trace = self.population.trace
        asked: dict[str, Any] = {name: getattr(trace, name)[block.rows] for name in self._labelled}
        if self._with_memory:
            memory = trace.requested_memory[block.rows]
            asked["memory"] = np.where(memory > 0, memory * 1024.0, np.nan)
        if self._power is not None:
            asked["power"] = self._power[block.rows]
        if self.log is not None:
            asked["asked"] = [self.log.requests[i] for i in block.rows.tolist()]
            if self.log.queues is not None and "queue" not in trace.names:
                asked["queue"] = self.log.queues[block.rows]
        if SHAPE in trace.further:
            asked[SHAPE] = trace.further[SHAPE][block.rows]
        if len(self.population.patience):
            asked["patience"] = self.population.patience[block.rows]
        rows = self.machine.load_jobs(
            name,
            len(block.rows),
            runtime=block.runtime,
            processors=trace.processors[block.rows],
            estimate=block.estimate,
            called=trace.names,
            **asked,
        )
        self.blocks.append(rows)
        return rows


class DrawOptions(TypedDict, total=False):
    """How users are drawn, as keyword arguments of `DrawnUsers`."""

    seed: Seed
    population: float
    replace_users: bool
    draw: str
    delimitation: Sessions | str
    threshold: Duration | None


class GenerativeOptions(DrawOptions, MachineOptions, total=False):
    """How users are drawn, and the machine."""


@former_arguments(sessions="delimitation", load="population")
def generative_users(
    trace: Trace | NodeLog,
    policy: Any = "easy",
    processors: int | None = None,
    *,
    responses: Any = (),
    observers: Iterable[Observer] = (),
    progress: Progress | None = None,
    **options: Unpack[GenerativeOptions],
) -> Result:
    """Users drawn from what was fitted to a log, under one policy, until every job is over.

    They wait for their results more than the log's users, since each batch follows the end of one before it: the jump
    at the end of jobs (`thinktime.analysis.diagnosis.jump`) is larger than in the log.

    ``options`` are those of `DrawnUsers` (``seed``, ``population``, ``replace_users``, ``draw``, ``delimitation``,
    ``threshold``) and of the machine; the other arguments are those of `replay`. Jobs are ordered by (submit, id). A
    second user drawn from user 7 is called ``7.2``.

    ``ValueError`` for a log without waits or without users, and for the policy ``recorded``.

    >>> import thinktime as tt
    >>> columns = {"submit": [0, 130, 9000], "runtime": [100, 60, 60], "allocated": [2, 2, 2]}
    >>> log = tt.Trace(columns | {"wait": [0, 0, 0], "user": [1, 1, 1]})
    >>> len(tt.generative_users(log, "easy", 2, seed=1)) > 0
    True
    """
    of_users, of_machine = parted(options, DrawOptions)
    source = DrawnUsers(trace, **of_users).with_responses(responses)
    return run(spec_of(policy, processors, of_machine), source, observers=observers, progress=progress)


def drawable(
    trace: Trace, draw: str = "samples", delimitation: Sessions | str = "arrival", threshold: Duration | None = None
) -> Population:
    """The users of a log, ready to be drawn from: as samples, or as fitted distributions."""
    if draw not in DRAWS:
        raise ValueError(f"draw is {quoted(draw)}, but must be one of {', '.join(DRAWS)}")
    seen = delimit(trace, delimitation, threshold) if isinstance(delimitation, str) else delimitation
    population = fit_users(trace, seen)
    if not population.users:
        raise ValueError("users cannot be drawn from this log: none of its jobs names a user (field 12)")
    return replace(population, marginals=fit_marginals(population)) if draw == "fitted" else population


def generate(spec: MachineSpec, source: DrawnUsers) -> Generated:
    """`generative_users`, with the session of each job."""
    result, begun = play(spec, [source])
    return Generated(result, begun[0].session())
