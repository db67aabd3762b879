"""Generative users: they do what users of a log did, in their own order and at their own times.

A generative user draws from a `UserModel`: how many batches a session has, which batches (with all their jobs
and the offsets between them), the think times between them, and the break until the next session. Within a
session a batch is submitted a think time after the end of the batch before. A session begins a break after the
end of the session before, or after its last submission where the user of the log came back before the end;
breaks are drawn in active time, so that they follow the user's day and week. No session begins after the
time at which the last one of the log's user began.

What is drawn depends on the seed and on the user alone, never on the machine: the same seed gives the same
users under every policy. What a policy decides is how far they get.

The load is what the users make of it: under a policy that makes them wait, they submit less.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import simpy
from numpy.typing import NDArray

from thinktime.models.machine import Machine
from thinktime.models.policies import as_policy
from thinktime.models.policies.hooks import Hooks
from thinktime.models.results.result import Result
from thinktime.models.warm_up import prepare
from thinktime.users.feedback import run_until_over
from thinktime.users.replay import Progress, size_of
from thinktime.users.session_blocks import Block, blocks
from thinktime.workloads.grid import ceil_to_grid
from thinktime.workloads.names import former_arguments
from thinktime.workloads.streams import Seed
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models import Population, Sessions, delimit, fit_marginals, fit_users
from thinktime.workloads.user_models.population import Draw, draw_users

Process = Generator[simpy.Event, None, None]
Rows = NDArray[np.int64]

DRAWS = ("samples", "fitted")
"""From what users are drawn."""


class Generated(NamedTuple):
    """What generative users did: a result, and the session of each of its jobs."""

    result: Result
    session: Rows


@dataclass(eq=False)
class GenerativeUsers:
    """The users of one population on a machine."""

    env: simpy.Environment
    machine: Machine
    population: Population
    seed: Seed
    left: int = 0
    """Users who are not done."""
    rows: list[tuple[int, int]] = field(default_factory=list)
    """First and last row (exclusive) of each session, on the machine."""

    def start(self, draws: list[Draw]) -> None:
        """Start a process for each drawn user."""
        self.left += len(draws)
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
            rows, border, offset = self._load(name, block), block.border, block.offset
            number = 0
            for place, size in enumerate(block.sizes):
                if at > last:
                    break
                self.rows.append((rows.start + border[number], rows.start + border[number + size]))
                for k in range(size):
                    if at > env.now:
                        yield env.timeout(at - env.now)
                    low, high = border[number], border[number + 1]
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

    def _load(self, name: int | str, block: Block) -> range:
        trace = self.population.trace
        memory = trace.requested_memory[block.rows]
        return self.machine.load_jobs(
            name,
            len(block.rows),
            runtime=block.runtime,
            processors=trace.processors[block.rows],
            estimate=block.estimate,
            memory=np.where(memory > 0, memory * 1024.0, np.nan),
        )

    def _submit(self, rows: range, offset: NDArray[np.float64], over_at: float) -> simpy.Event:
        machine, now = self.machine, float(self.env.now)
        over = machine.watch(rows)
        machine.pool.requests.think_time[rows.start : rows.stop] = now - over_at
        if offset[-1] > 0:
            machine.announce(rows, at=now + offset)
        else:
            machine.submit_rows(rows)
        return over


@former_arguments(sessions="delimitation", load="population")
def generative_users(
    trace: Trace,
    policy: Any = "easy",
    processors: int | None = None,
    overrun: str = "kill",
    progress: Progress | None = None,
    *,
    seed: Seed = 0,
    population: float = 1.0,
    replace_users: bool = False,
    draw: str = "samples",
    delimitation: Sessions | str = "arrival",
    threshold: float | None = None,
    estimates: str = "requested",
) -> Result:
    """Users drawn from what was fitted to a log, under one policy, until every job is over.

    The arguments up to ``progress`` are those of `replay`, the last three those of `replay_with_feedback`.
    ``population`` is how many users there are per user of the log; by default everybody comes equally often, with
    ``replace_users`` they are drawn with replacement. ``draw`` is ``samples`` (users repeat what they did; the
    default, our decision: a sample has every corner of its distribution, and what belongs together in a batch stays
    together) or ``fitted`` (times, batch sizes and run times come from fitted distributions: see
    `thinktime.users.session_blocks` and `thinktime.workloads.user_models.fit_marginals`). Jobs stand in the
    result by (submit, id); a second user drawn from user 7 is called ``7.2``.

    ``ValueError`` for a log without waits or without users, and for the policy ``recorded``.
    """
    return generate(
        trace, policy, processors, overrun, progress, seed=seed, population=population, replace_users=replace_users,
        users=drawable(trace, draw, delimitation, threshold), estimates=estimates,
    ).result  # fmt: skip


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


def generate(
    trace: Trace,
    policy: Any = "easy",
    processors: int | None = None,
    overrun: str = "kill",
    progress: Progress | None = None,
    *,
    seed: Seed = 0,
    population: float = 1.0,
    replace_users: bool = False,
    users: Population | None = None,
    estimates: str = "requested",
) -> Generated:
    """`generative_users`, with the session of each job; ``users`` are those of the log (`drawable`)."""
    size = size_of(trace, processors)
    fitted = drawable(trace) if users is None else users
    policy = as_policy(policy)
    if Hooks(policy).as_recorded:
        raise ValueError("policy 'recorded' cannot schedule drawn users: the log holds no schedule of theirs")
    prepare(policy, overrun, watched=True)
    env = simpy.Environment()
    machine = Machine(env, size, policy, overrun, estimates=estimates)
    drawn = GenerativeUsers(env, machine, fitted, seed)
    first, last = (np.array([getattr(user, name) for user in fitted.users]) for name in ("first", "last"))
    drawn.start(draw_users(first, last, _span(trace), seed, population, replace_users))
    seconds = -time.perf_counter()
    run_until_over(env, drawn, 0, progress)
    seconds += time.perf_counter()
    result = machine.result()
    session = np.full(machine.pool.requests.size, -1)
    for number, (begin, stop) in enumerate(drawn.rows):
        session[begin:stop] = number
    session = session[machine.pool.requests.state[: len(session)] != 0]
    order = np.lexsort((result["id"], result["submit"]))
    columns = {name: column[order] for name, column in result.columns.items()}
    named = replace(
        result, columns=columns, unix_start=trace.unix_start, zone=trace.zone, simulation_seconds=seconds
    )
    return Generated(named, session[order])


def _span(trace: Trace) -> tuple[float, float]:
    return float(trace.submit[0]), float(trace.submit[-1])
