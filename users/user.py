"""A user as its behaviours see it: what it knows, remembers and may do.

A `User` belongs to one process on one machine. It draws the numbers of its behaviours, keeps what a person remembers
(the last campaign, recent waits), and counts what is lost. `thinktime.users.user_at_work` submits its campaigns.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

import numpy as np
import simpy

from thinktime.models.machine.events import CampaignEvent
from thinktime.models.machine.job_records import NEVER_SUBMITTED, CampaignRecord, JobRecord
from thinktime.models.machine.machine import Machine
from thinktime.models.state import State
from thinktime.users.local_hours import WorkingHours
from thinktime.users.sampling import draws, usable
from thinktime.workloads.job import Job
from thinktime.workloads.streams import stream

REMEMBERED = 100  # waits
Drawn = dict[tuple[str, str], tuple[Iterator[float], list[float]]]
"""The numbers of behaviours, by a behaviour's name and the quantity: where they come from, and one a campaign."""


class _Asked(NamedTuple):
    """What is asked of whom."""

    behaviour: object = None
    place: int = -1
    job: Job | None = None
    ahead: float = 0.0


class User:
    """One user of one machine: a name, working ``hours`` (where the profile has some), a memory.

    ``campaign`` is the number of the current campaign (from 0), ``intended`` are its jobs as they were intended,
    ``in_flight`` the number of jobs on the machine, waiting or running, ``last`` the record of the campaign before,
    ``sight`` what the user sees of the machine. A behaviour may set ``gone``; the user then submits nothing more.
    """

    def __init__(
        self,
        env: simpy.Environment,
        machine: Machine,
        name: str | int,
        rng: np.random.Generator,
        hours: WorkingHours | None,
        labels: Mapping[int, str],
    ) -> None:
        self.env = env
        self.machine = machine
        self.name = name
        self.hours = hours
        self.campaign = 0
        self.intended: Sequence[Job] = ()
        self.in_flight = 0
        self.last: CampaignRecord | None = None
        self.gone = False
        self.sight = machine.sight(name)
        self._waits: deque[float] = deque(maxlen=REMEMBERED)
        self._handed_in: set[int] = set()
        self._submitted: list[tuple[Sequence[Job], CampaignEvent]] = []
        self._held_back: list[Job] = []
        self._again: list[tuple[float, Job]] = []
        self._never_submitted: list[JobRecord] = []
        self._seed = cast(np.random.SeedSequence, rng.bit_generator.seed_seq)
        self._labels = labels
        self.drawn: Drawn = {}
        self._generators: dict[str, tuple[int, np.random.Generator]] = {}
        self._asked = _Asked()
        self._memories: dict[int, dict[str, Any]] = {}
        self._dice: dict[str, tuple[int, np.random.Generator, list[float]]] = {}

    def number(self, behaviour: object, name: str) -> float:
        """The draw for this campaign of the quantity in the attribute ``name`` of a behaviour."""
        label = self._labels[id(behaviour)]
        row = self.drawn.get((label, name))
        if row is None:
            row = self.drawn[label, name] = draws(getattr(behaviour, name), self.stream(behaviour, name), name), []
        source, drawn = row
        # Draw for campaigns that did not ask as well, so that the streams stay in step.
        while len(drawn) <= self.campaign:
            drawn.append(usable(next(source), self.name, name))
        return drawn[self.campaign]

    def stream(self, behaviour: object, name: str) -> np.random.Generator:
        """The stream of the quantity in the attribute ``name`` of a behaviour, from its beginning."""
        return stream(self._seed, self._labels[id(behaviour)], name)

    def rng(self, behaviour: object) -> np.random.Generator:
        """A generator for one behaviour and this campaign, to draw from as often as needed."""
        label = self._labels[id(behaviour)]
        campaign, generator = self._generators.get(label, (-1, None))
        if generator is None or campaign != self.campaign:
            generator = stream(self._seed, label, f"campaign {self.campaign}")
            self._generators[label] = self.campaign, generator
        return generator

    @contextmanager
    def asking(self, behaviour: object, place: int = -1, job: Job | None = None, ahead: float = 0.0) -> Iterator[None]:
        """Ask a behaviour about the campaign, or about the job in one place of it, which comes some time (s) later."""
        before, self._asked = self._asked, _Asked(behaviour, place, job, ahead)
        yield
        self._asked = before

    @property
    def now(self) -> float:
        """When what a behaviour is asked about would be submitted (s): now, or later for some jobs of a log."""
        return float(self.env.now) + self._asked.ahead

    @property
    def considered(self) -> Sequence[Job]:
        """The job that a behaviour is asked about, or all of the campaign."""
        return self.intended if self._asked.job is None else (self._asked.job,)

    @property
    def memory(self) -> dict[str, Any]:
        """What the behaviour that is asked remembers of this campaign until it is submitted."""
        own: dict[str, Any] = self._memories.setdefault(self.campaign, {})
        found: dict[str, Any] = own.setdefault(self._labels[id(self._asked.behaviour)], {})
        return found

    @property
    def luck(self) -> float:
        """A number between 0 and 1 for the behaviour that is asked, and the job or the campaign that it is asked about.

        It is the same however often it is asked for, and whatever has happened so far.
        """
        place, label = self._asked.place, self._labels[id(self._asked.behaviour)]
        campaign, source, thrown = self._dice.get(label, (-1, None, []))
        if source is None or campaign != self.campaign:
            source, thrown = stream(self._seed, label, f"luck in campaign {self.campaign}"), []
            self._dice[label] = self.campaign, source, thrown
        while len(thrown) <= place + 1:
            thrown.append(source.random())
        return thrown[place + 1]

    def recent_wait(self, jobs: int = 10) -> float:
        """The mean wait (s) of the user's last ``jobs`` jobs that started or were withdrawn; 0 before the first."""
        recent = list(self._waits)[-jobs:]
        return sum(recent) / len(recent) if recent else 0.0

    def lose(self, job: Job, reason: str, instead: Job | None = None) -> None:
        """Count a job, or the part of it that ``instead`` leaves out, as lost demand."""
        self.machine.lose(job, reason, instead, submitted=id(job) in self._handed_in)

    def give_up(self, reason: str) -> None:
        """Give up the current campaign: cancel its jobs that are not over, and submit no more of them.

        All of these count as lost demand. Those that have run end as killed, the others as withdrawn. Those that do not
        run at the time count as abandoned (`thinktime.models.results.outcome`).
        """
        for jobs, campaign in self._submitted:
            for job, event in zip(jobs, campaign.jobs, strict=True):
                if not event.state.over:
                    self.lose(job, reason)
                    event.cancel()
        for job in (*self._held_back, *(job for _, job in self._again)):
            self.lose(job, reason)
            self._never_submitted.append(given_up(job, float(self.env.now)))
        self._held_back, self._again = [], []


def given_up(job: Job, now: float) -> JobRecord:
    """The record of a job that was never submitted."""
    return JobRecord(
        id=NEVER_SUBMITTED, user=job.user, processors=job.processors, estimate=job.requested_time, submit=now,
        start=None, end=now, state=State.WITHDRAWN,
    )  # fmt: skip
