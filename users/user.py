"""A user at work: what a behaviour gets to know and may do, and how a campaign is carried out.

A `User` belongs to one process on one machine. It draws the numbers of its profile and of its behaviours, keeps what
a person remembers (the last campaign, recent waits), and counts what is lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import simpy

from thinktime.models.events import NEVER_SUBMITTED, CampaignEvent, CampaignRecord, JobEvent, JobRecord
from thinktime.models.machine import Machine
from thinktime.models.state import State
from thinktime.users.behaviours.base import Behaviour
from thinktime.users.sampling import draws, usable
from thinktime.workloads.grid import ceil_to_grid
from thinktime.workloads.job import Job
from thinktime.workloads.streams import stream

if TYPE_CHECKING:
    from thinktime.users.profiles import Profile

REMEMBERED = 100  # waits


class User:
    """One user of one machine: a name, a profile, a memory.

    ``campaign`` is the number of the current campaign (from 0), ``intended`` are its jobs as they were intended,
    ``in_flight`` how many jobs are in the machine's hands, ``last`` the record of the campaign before,
    ``sight`` what the user sees of the machine. A behaviour may set ``gone``: the user submits nothing any more.
    """

    def __init__(
        self,
        env: simpy.Environment,
        machine: Machine,
        name: str | int,
        rng: np.random.Generator,
        profile: Profile,
    ) -> None:
        self.env = env
        self.machine = machine
        self.name = name
        self.profile = profile
        self.behaviours: tuple[Behaviour, ...] = tuple(deepcopy(each) for each in profile.behaviours)
        self.campaign = 0
        self.intended: Sequence[Job] = ()
        self.in_flight = 0
        self.last: CampaignRecord | None = None
        self.gone = False
        self.sight = machine.sight(name)
        self._waits: deque[float] = deque(maxlen=REMEMBERED)
        self._handed_in: set[int] = set()
        self._seed = cast(np.random.SeedSequence, rng.bit_generator.seed_seq)
        self._labels = _labels(self.behaviours)
        self._rows: dict[tuple[str, str], tuple[Iterator[float], list[float]]] = {}
        self._generators: dict[str, tuple[int, np.random.Generator]] = {}
        self._limited = any(_has(each, "room") for each in self.behaviours)
        self._watched = [each for each in self.behaviours if _has(each, "submitted")]

    # -- what a behaviour asks ----------------------------------------------------------

    def number(self, behaviour: Behaviour, name: str) -> float:
        """The number of this campaign of the quantity that stands in the attribute ``name`` of a behaviour."""
        label = self._labels[id(behaviour)]
        row = self._rows.get((label, name))
        if row is None:
            rng = stream(self._seed, label, name)
            row = self._rows[label, name] = draws(getattr(behaviour, name), rng, name), []
        source, drawn = row
        while (
            len(drawn) <= self.campaign
        ):  # of campaigns that did not ask as well, so that luck stays in step
            drawn.append(usable(next(source), self.name, name))
        return drawn[self.campaign]

    def rng(self, behaviour: Behaviour) -> np.random.Generator:
        """A generator for one behaviour and this campaign: draw as often as you like."""
        label = self._labels[id(behaviour)]
        campaign, generator = self._generators.get(label, (-1, None))
        if generator is None or campaign != self.campaign:
            generator = stream(self._seed, label, f"campaign {self.campaign}")
            self._generators[label] = self.campaign, generator
        return generator

    def recent_wait(self, jobs: int = 10) -> float:
        """The mean wait (s) of the user's last ``jobs`` jobs that started or were taken back; 0 before the first."""
        recent = list(self._waits)[-jobs:]
        return sum(recent) / len(recent) if recent else 0.0

    def lose(self, job: Job, reason: str, instead: Job | None = None) -> None:
        """Count a job, or what ``instead`` leaves out of it, as lost demand."""
        self.machine.lose(job, reason, instead, submitted=id(job) in self._handed_in)

    # -- what the process does ----------------------------------------------------------

    def thought(self, last: CampaignRecord, thought: float) -> float:
        """How long the user thinks, all behaviours considered, s."""
        for behaviour in self.behaviours:
            thought = usable(behaviour.think(self, last, thought), self.name, "think_time")
        return thought

    def postponed(self, time: float) -> float:
        """When a submission that is due at ``time`` is made; ``time`` itself if nobody postpones it."""
        for behaviour in self.behaviours:
            later = behaviour.postpone(self, time)
            if later > time:
                return ceil_to_grid(later)
        return time

    def carry_out(self, jobs: list[Job]) -> Generator[simpy.Event, Any, CampaignRecord]:
        """Submit a campaign as the behaviours want it, and wait for all of it; returns its record."""
        self.intended = jobs
        if not self.behaviours:
            last: CampaignRecord = yield self.machine.submit_campaign(jobs)
        else:
            last = yield from self._carefully(jobs)
        self.last = last
        for behaviour in self.behaviours:
            behaviour.ended(self, last)
        return last

    # -- inside -------------------------------------------------------------------------

    def _carefully(self, intended: list[Job]) -> Generator[simpy.Event, Any, CampaignRecord]:
        now = float(self.env.now)
        self._handed_in.clear()
        chosen = [self._adapted(job) for job in intended]
        lost = [_given_up(job, now) for job, choice in zip(intended, chosen, strict=True) if choice is None]
        waiting = [job for job in chosen if job is not None]
        if not waiting:
            self.machine.lose_campaign()
            return CampaignRecord(NEVER_SUBMITTED, tuple(lost), self.machine.capacity)
        if self._limited:
            number, records = yield from self._in_pieces(waiting)
        else:
            last: CampaignRecord = yield self._submit(waiting)
            number, records = last.number, last.jobs
            self._over(records)
        return CampaignRecord(number, (*records, *lost), self.machine.capacity)

    def _adapted(self, job: Job) -> Job | None:
        """What is submitted of an intended job; what is not is lost demand."""
        for behaviour in self.behaviours:
            choice: Any = behaviour.adapt(self, job)
            if choice is not None and not isinstance(choice, Job):
                whose = f"user {self.name!r}: adapt of {type(behaviour).__name__}"
                raise TypeError(f"{whose} gave {choice!r}, but must give a Job, or None")
            if choice is None or choice is not job:
                self.lose(job, behaviour.reason, choice)
            if choice is None:
                return None
            job = choice
        return job

    def _in_pieces(self, jobs: list[Job]) -> Generator[simpy.Event, Any, tuple[int, Sequence[JobRecord]]]:
        """Submit as many jobs as there is room for, the others as room comes up; the first campaign's number."""
        events: list[JobEvent] = []
        flying: list[JobEvent] = []
        first = NEVER_SUBMITTED
        while jobs or flying:
            room = min(behaviour.room(self) for behaviour in self.behaviours) - self.in_flight
            if jobs and (room >= 1 or not flying):  # who may have none in flight would wait for ever
                count = len(jobs) if room >= len(jobs) else max(1, int(room))
                campaign = self._submit(jobs[:count])
                first = campaign.number if first == NEVER_SUBMITTED else first
                jobs = jobs[count:]
                events += campaign.jobs
                flying += campaign.jobs
            else:
                yield simpy.AnyOf(self.env, flying)
                self._over([self.machine.record(event.row) for event in flying if event.triggered])
                flying = [event for event in flying if not event.triggered]
        records = [self.machine.record(event.row) for event in events]
        return first, records

    def _submit(self, jobs: list[Job]) -> CampaignEvent:
        campaign = self.machine.submit_campaign(jobs)
        self.in_flight += len(jobs)
        self._handed_in.update(map(id, jobs))
        if self._watched:
            for job, event in zip(jobs, campaign.jobs, strict=True):
                for behaviour in self._watched:
                    behaviour.submitted(self, job, event)
        return campaign

    def _over(self, records: Sequence[JobRecord]) -> None:
        self.in_flight -= len(records)
        self._waits.extend(record.wait for record in records)


def _labels(behaviours: Sequence[Behaviour]) -> dict[int, str]:
    """A name for each behaviour that does not depend on the others: its class, counted where there are several."""
    seen: dict[str, int] = {}
    labels = {}
    for behaviour in behaviours:
        kind = type(behaviour).__name__
        seen[kind] = seen.get(kind, 0) + 1
        labels[id(behaviour)] = f"{kind} {seen[kind]}"
    return labels


def _has(behaviour: Any, hook: str) -> bool:
    """Whether a behaviour has a hook of its own."""
    return getattr(type(behaviour), hook, None) is not getattr(Behaviour, hook)


def _given_up(job: Job, now: float) -> JobRecord:
    """The record of a job that was never submitted."""
    return JobRecord(
        id=NEVER_SUBMITTED, user=job.user, processors=job.processors, estimate=job.requested_time, submit=now,
        start=None, end=now, state=State.WITHDRAWN,
    )  # fmt: skip


__all__ = ["NEVER_SUBMITTED", "User"]
