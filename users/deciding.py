"""A user with behaviours, who decides when to submit a campaign, and what of it.

The moment is the same for all users, right before a submission: those with profiles come to it as processes
(`thinktime.users.user_at_work`), those of a log when one of their batches is due (`thinktime.users.log_users`).
"""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import simpy

from thinktime.models.machine.machine import Machine
from thinktime.users.behaviours.base import Behaviour
from thinktime.users.local_hours import WorkingHours
from thinktime.users.user import User
from thinktime.workloads.grid import ceil_to_grid
from thinktime.workloads.job import Job
from thinktime.workloads.names import quoted


class DecidingUser(User):
    """A user with copies of these behaviours; ``copied`` copies one."""

    def __init__(
        self,
        env: simpy.Environment,
        machine: Machine,
        name: str | int,
        rng: np.random.Generator,
        behaviours: Sequence[Behaviour],
        hours: WorkingHours | None = None,
        copied: Callable[[Behaviour], Behaviour] = deepcopy,
    ) -> None:
        self.behaviours: tuple[Behaviour, ...] = tuple(map(copied, behaviours))
        super().__init__(env, machine, name, rng, hours, labels_of(self.behaviours))
        self._put_off: dict[int, tuple[Behaviour, float]] = {}
        """By what behaviour, and when, each campaign that is due was put off first."""

    def postponed(self, time: float) -> float:
        """When a submission due at ``time`` is made; ``time`` itself if no behaviour postpones it."""
        for behaviour in self.behaviours:
            with self.asking(behaviour):
                later = behaviour.postpone(self, time)
            if later > time:
                self._put_off.setdefault(self.campaign, (behaviour, time))
                return ceil_to_grid(later)
        return time

    def adapted(self, jobs: Sequence[Job], offset: Sequence[float] | None = None) -> list[Job | None]:
        """What is submitted of each intended job now, or some ``offset`` later (s); the rest is lost demand.

        What the user does instead is noted.
        """
        later = [0.0] * len(jobs) if offset is None else offset
        found = [self._adapted(job, place, ahead) for place, (job, ahead) in enumerate(zip(jobs, later, strict=True))]
        self._memories.pop(self.campaign, None)
        if self.campaign in self._put_off:
            behaviour, due = self._put_off.pop(self.campaign)
            delay = float(self.env.now) - due
            for job, choice, ahead in zip(jobs, found, later, strict=True):
                if choice is not None and behaviour.response:
                    self._note(behaviour, job, job, ahead, delay)
        return found

    def _note(self, behaviour: Behaviour, job: Job, instead: Job | None, ahead: float, delay: float = 0.0) -> None:
        """Note what the user does instead of submitting a job."""
        self.machine.respond(job, behaviour.response, behaviour.reason, instead, delay, ahead)

    def _adapted(self, job: Job, place: int, ahead: float) -> Job | None:
        for behaviour in self.behaviours:
            with self.asking(behaviour, place, job, ahead):
                choice: Any = behaviour.adapt(self, job)
            if choice is not None and not isinstance(choice, Job):
                whose = f"user {quoted(self.name)}: adapt of {type(behaviour).__name__}"
                raise TypeError(f"{whose} gave {quoted(choice)}, but must give a Job, or None")
            if choice is job:
                continue
            if behaviour.loses:
                self.lose(job, behaviour.reason, choice)
            if behaviour.response:
                self._note(behaviour, job, choice, ahead)
            if choice is None:
                return None
            job = choice
        return job


def labels_of(behaviours: Sequence[Behaviour]) -> Mapping[int, str]:
    """A name for each behaviour, independent of the others: its class, numbered if there are several."""
    seen: dict[str, int] = {}
    labels = {}
    for behaviour in behaviours:
        kind = type(behaviour).__name__
        seen[kind] = seen.get(kind, 0) + 1
        labels[id(behaviour)] = f"{kind} {seen[kind]}"
    return labels
