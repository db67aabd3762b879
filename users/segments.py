"""Submitting a log under a runtime limit: each segment when the one before is over, by the same user, at once."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial

import numpy as np
import simpy

from thinktime.models.machine import Machine
from thinktime.workloads.segments import Segments


def submit_segments(
    env: simpy.Environment, machine: Machine, segments: Segments, piece: int = 4096
) -> Generator[simpy.Event, None, None]:
    """Submit a log's jobs and first segments at their times, and every other segment when its turn has come."""
    rows = machine.load(segments.first)
    later = machine.load(segments.later)
    count = len(segments.first)
    followers = {
        rows[before] if before < count else later[before - count]: later[i]
        for i, before in enumerate(segments.after.tolist())
    }

    def follow(row: int, _: simpy.Event) -> None:
        machine.submit_rows(range(row, row + 1))
        watch(row)

    def watch(row: int) -> None:
        follower = followers.get(row)
        if follower is not None:
            callbacks = machine.event(row).callbacks
            assert callbacks is not None
            callbacks.append(partial(follow, follower))

    submit = segments.first.submit
    late = int(np.searchsorted(submit, env.now))
    if late:
        machine.submit_rows(rows[:late])
    for row in followers:
        if row < later.start:
            watch(row)
    for begin in range(late, count, piece):
        part = rows[begin : begin + piece]
        machine.announce(part)
        yield env.timeout(submit.item(begin + len(part) - 1) - env.now)
