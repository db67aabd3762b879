"""Replaying a log whose jobs depend on each other: SWF fields 17 (preceding job) and 18 (think time) honoured.

Jobs of one user with the same submit time and the same fields 17 and 18 are one campaign. Field 17 points
into the preceding campaign: whichever of its jobs is named, the campaign waits for *all* jobs of it, then
for the think time of field 18, and only then is submitted. Campaigns without a preceding one are submitted
at their recorded times.

Most logs hold placeholders in these fields, so they are honoured only on request. A preceding job that is
not in the log, or not before its successor, is no dependency: such a campaign keeps its recorded time, and
is counted.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np
import simpy

from thinktime.models.machine import Machine
from thinktime.workloads.trace import Trace

Process = Generator[simpy.Event, None, None]


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
    """In words, how many campaigns of a log keep their recorded times because what they waited for is not there."""
    _, dangling = campaigns_of(trace)
    if not dangling:
        return []
    return [
        f"dependencies: {dangling} campaigns name a preceding job that is not in the log or not before them; "
        "they keep their recorded times"
    ]


def submit_with_dependencies(env: simpy.Environment, machine: Machine, trace: Trace) -> Process:
    """Submit a log, every campaign after the one that it waits for (a process)."""
    first_row = machine.load(trace).start
    chains, _ = campaigns_of(trace)
    for number, chain in enumerate(chains):
        if not chain.waits:
            if chain.submit > env.now:
                yield env.timeout(chain.submit - env.now)
            env.process(_campaign(env, machine, chains, number, first_row, 0.0))


def _campaign(
    env: simpy.Environment, machine: Machine, chains: list[Chain], number: int, first_row: int, delay: float
) -> Process:
    """Think, submit a campaign, wait for all of it, and let those go on that waited for it."""
    if delay:
        yield env.timeout(delay)
    chain = chains[number]
    thought = chain.think_time if chain.waits else np.nan
    yield machine.submit_loaded(chain.rows + first_row, think_time=thought)
    for follower in chain.followers:
        env.process(_campaign(env, machine, chains, follower, first_row, chains[follower].think_time))


def _link(chains: list[Chain], trace: Trace, of_row: np.ndarray) -> int:
    """Let every campaign know who waits for it; returns how many dependencies dangle."""
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
