"""Replay of a log that honours the dependencies in SWF fields 17 (preceding job) and 18 (think time).

Jobs of one user with the same submit time and the same fields 17 and 18 are one campaign. Field 17 points
into the preceding campaign. Whichever of its jobs is named, the campaign waits for *all* of them, then for the
think time of field 18, and is then submitted. Campaigns without a preceding one are submitted at their recorded
times.

Most logs have placeholders in these fields, so they are honoured only on request. A preceding job that is
not in the log, or not before its successor, is ignored: the campaign keeps its recorded time and is counted.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np
import simpy

from thinktime.models.machine import Machine
from thinktime.users.source import Begun, LogSource
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.trace import Trace

Process = Generator[simpy.Event, None, None]


class LogWithDependencies(LogSource):
    """The jobs of a log, each campaign submitted after the one that it waits for."""

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Submit them."""
        trace, log = self.read(machine.nodes)
        over = env.process(submit_with_dependencies(env, machine, trace, log))
        return Begun(over, log=log, notes=lambda whole: dangling_note(trace))


@dataclass(slots=True)
class Chain:
    """One campaign of a log: its rows in the trace, when it was submitted, and what waits for it."""

    rows: np.ndarray
    submit: float
    think_time: float
    followers: list[int] = field(default_factory=list)
    waits: bool = False


def campaigns_of(trace: Trace) -> tuple[list[Chain], int]:
    """The campaigns of a log with their dependencies, in order of submission, and how many dangle.

    A dependency dangles if the preceding job is not in the log, or not before its successor.
    """
    keys = np.column_stack(
        [trace.user, trace.submit, trace.preceding, np.nan_to_num(trace.think_time, nan=-1)]
    )
    _, first, number = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    of_row = place[number.reshape(-1)]
    rows = np.split(
        np.argsort(of_row, kind="stable"), np.cumsum(np.bincount(of_row, minlength=len(order)))[:-1]
    )
    think_times = np.nan_to_num(trace.think_time, nan=0.0).clip(min=0.0)
    chains = [
        Chain(members, trace.submit.item(members[0]), think_times.item(members[0]))
        for members in rows
        if len(members)
    ]
    return chains, _link(chains, trace, of_row)


def dangling_note(trace: Trace) -> list[str]:
    """A sentence on how many campaigns keep their recorded times because their predecessor is missing."""
    _, dangling = campaigns_of(trace)
    if not dangling:
        return []
    return [
        f"dependencies: {dangling} campaigns name a preceding job that is not in the log or not before them; "
        "they keep their recorded times"
    ]


def submit_with_dependencies(
    env: simpy.Environment, machine: Machine, trace: Trace, log: NodeLog | None = None
) -> Process:
    """Submit a log, each campaign after the one that it waits for: a process that ends with the last campaign.

    ``log`` is what the jobs ask of a machine of nodes.
    """
    rows = machine.load(trace) if log is None else machine.load(trace, asked=log.requests, queues=log.queues)
    chains, _ = campaigns_of(trace)
    users = _Users(env, machine, chains, rows.start, len(chains), env.event())
    for number, chain in enumerate(chains):
        if not chain.waits:
            if chain.submit > env.now:
                yield env.timeout(chain.submit - env.now)
            env.process(users.campaign(number, 0.0))
    if chains:
        yield users.done


@dataclass(slots=True)
class _Users:
    """The users of a log at work."""

    env: simpy.Environment
    machine: Machine
    chains: list[Chain]
    first_row: int
    left: int
    """Campaigns that are not over."""
    done: simpy.Event

    def campaign(self, number: int, delay: float) -> Process:
        """Think, submit a campaign, wait for all of it, and release its successors."""
        if delay:
            yield self.env.timeout(delay)
        chain = self.chains[number]
        thought = chain.think_time if chain.waits else np.nan
        yield self.machine.submit_loaded(chain.rows + self.first_row, think_time=thought)
        for follower in chain.followers:
            self.env.process(self.campaign(follower, self.chains[follower].think_time))
        self.left -= 1
        if not self.left:
            self.done.succeed()


def _link(chains: list[Chain], trace: Trace, of_row: np.ndarray) -> int:
    """Give every campaign its successors; returns the number of dangling dependencies."""
    by_id = dict(zip(trace.id.tolist(), of_row.tolist(), strict=True))
    dangling = 0
    for number, chain in enumerate(chains):
        preceding = trace.preceding.item(chain.rows[0])
        if preceding < 0:
            continue
        before = by_id.get(preceding)
        if before is None or before >= number:
            dangling += 1
        else:
            chain.waits = True
            chains[before].followers.append(number)
    return dangling
