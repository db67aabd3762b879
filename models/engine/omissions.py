# cython: auto_pickle=True
"""What a policy of one's own seems to have forgotten, for the notes of a result.

A policy that starts one job in each pass, say, although others would fit, can be told from one that holds jobs back on
purpose: at the next instant it starts jobs that waited before, on processors that were idle all the time. Counted are
passes that started as many jobs as any, and left the head of the queue waiting though it fitted. A policy that then
starts nobody at the next instant holds back.
"""

from __future__ import annotations

import math
from typing import Any

from thinktime.models.engine.machine_state import State
from thinktime.workloads.arrays import Ints

INFINITY = math.inf
NAN = float("nan")


class Omissions:
    """The notes on one policy."""

    none_at: float
    """When the policy returned None although nothing ran, for the first time, s."""
    waiting: int
    """How many jobs waited then."""
    most: int
    count: int
    held: int
    first: float
    idle: int
    since: float

    def __init__(self) -> None:
        self.none_at, self.waiting = NAN, 0
        self.most = self.count = self.held = 0
        self.first, self.idle, self.since = NAN, -1, -INFINITY

    def gave_none(self, state: State, now: float) -> None:
        """The policy returned None."""
        if self.waiting == 0 and state.at_work == 0:
            self.none_at, self.waiting = now, state.in_queue

    def passed(self, state: State, now: float, rows: Ints, eyes: Any) -> None:
        """A pass is over, in which these rows have started; ``eyes`` see whether a job fits now."""
        started, idle = len(rows), self.idle
        if started < self.most and idle < 0:
            return
        self.idle = -1
        if started > self.most:
            self.most, self.count, self.held = started, 0, 0
        elif idle >= 0 and now > self.since:
            self.held += started == 0
            if started > 0 and self.late(state, rows, idle):
                self.count += 1
                if self.count == 1:
                    self.first = self.since
        if started > 0 and started == self.most and state.in_queue > 0:
            head, idle = state.waiting[state.head], state.idle
            if state.processors[head] <= idle:
                eyes.look(now)
                if eyes.view.fits(head):
                    self.idle, self.since = idle, now

    def late(self, state: State, rows: Ints, idle: int) -> bool:
        """Whether the jobs that start waited at the last pass, and would have found room then."""
        for i in range(len(rows)):
            row = rows[i]
            idle -= state.processors[row]
            if state.submit[row] > self.since:
                return False
        return idle >= 0
