"""Who is told what happens on a machine: the events that were handed out, watches, and observers.

A campaign's event carries the records of its jobs, which is a Python object per job. A watch counts its jobs
down in compiled code and succeeds with the time: what replays of millions of jobs need.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import simpy
from numpy.typing import NDArray

from thinktime.models.events import CampaignEvent, JobEvent
from thinktime.models.job_columns import Outcomes
from thinktime.models.kernels.watches import count_down
from thinktime.models.phases import Phases

Rows = NDArray[np.int64]


class Watches:
    """The watches of one machine; memory is in proportion to those whose jobs are not all over."""

    def __init__(self, env: simpy.Environment, outcomes: Outcomes) -> None:
        self._env = env
        self._outcomes = outcomes
        self._events: dict[int, simpy.Event] = {}
        self._free: list[int] = []
        self.left = np.zeros(64, np.int64)
        self.over = np.zeros(65, np.int64)

    def __len__(self) -> int:
        return len(self._events)

    def add(self, rows: range) -> simpy.Event:
        """Watch loaded jobs that are not over."""
        number = self._free.pop() if self._free else len(self._events)
        if number >= len(self.left):
            self.left = np.concatenate([self.left, np.zeros_like(self.left)])
            self.over = np.zeros(len(self.left) + 1, np.int64)
        self.left[number] = len(rows)
        self._outcomes.watch[rows.start : rows.stop] = number
        event = self._events[number] = simpy.Event(self._env)
        return event

    def count(self, rows: Rows, now: float) -> bool:
        """These jobs are over; True if somebody was told."""
        self.over[0] = 0
        count_down(rows, self._outcomes.watch, self.left, self.over)
        return self.tell(now)

    def tell(self, now: float) -> bool:
        """Let the events of the watches in ``over`` succeed; True if there were any."""
        ended: list[int] = self.over[1 : 1 + self.over.item(0)].tolist()
        for number in ended:
            self._free.append(number)
            self._events.pop(number).succeed(now)
        return bool(ended)


class Observer(Protocol):
    """Who sees the machine at submissions (`Machine.observe`)."""

    def before_submissions(self, phases: Phases, rows: NDArray[np.int64], now: float) -> None:
        """The jobs in ``rows``, by id, are about to enter the queue; ``phases`` has the state before that."""
        ...


@dataclass(slots=True)
class Listeners:
    """The listeners of one machine: the machine adds them, its scheduler tells them."""

    watches: Watches
    jobs: dict[int, JobEvent] = field(default_factory=dict)
    """The events of jobs that are not over, by row."""
    campaigns: dict[int, CampaignEvent] = field(default_factory=dict)
    """The events of campaigns that are not over, by number."""
    observers: list[Observer] = field(default_factory=list)
