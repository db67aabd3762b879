"""A user at work: submitting a campaign as the user's behaviours decide."""

from collections.abc import Callable, Generator, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import simpy

from thinktime.models.machine.events import CampaignEvent, JobEvent
from thinktime.models.machine.job_records import NEVER_SUBMITTED, CampaignRecord, JobRecord
from thinktime.models.machine.machine import Machine
from thinktime.models.state import State
from thinktime.users.behaviours.base import Behaviour
from thinktime.users.deciding import DecidingUser
from thinktime.users.profiles import Profile
from thinktime.users.sampling import usable
from thinktime.users.user import given_up
from thinktime.workloads.grid import ceil_to_grid
from thinktime.workloads.job import Job


class UserAtWork(DecidingUser):
    """A user with a profile and copies of its behaviours; ``copied`` copies one."""

    def __init__(
        self,
        env: simpy.Environment,
        machine: Machine,
        name: str | int,
        rng: np.random.Generator,
        profile: Profile,
        copied: Callable[[Behaviour], Behaviour] = deepcopy,
    ) -> None:
        self.profile = profile
        super().__init__(env, machine, name, rng, profile.behaviours, profile.hours, copied)
        self._answering = [each for each in self.behaviours if _has(each, "refused")]
        self._cutting = [each for each in self.behaviours if _has(each, "cut")]
        self._limited = bool(self._answering) or any(_has(each, "room") for each in self.behaviours)
        self._watched = [each for each in self.behaviours if _has(each, "submitted")]
        self._hearing = [each for each in self.behaviours if _has(each, "interrupted")]

    def thought(self, last: CampaignRecord, thought: float) -> float:
        """How long the user thinks, all behaviours considered, s."""
        for behaviour in self.behaviours:
            thought = usable(behaviour.think(self, last, thought), self.name, "think_time")
        return thought

    def carry_out(self, jobs: Sequence[Job]) -> Generator[simpy.Event, Any, CampaignRecord]:
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

    def _carefully(self, intended: Sequence[Job]) -> Generator[simpy.Event, Any, CampaignRecord]:
        now = float(self.env.now)
        self._handed_in.clear()
        self._submitted.clear()
        chosen = self.adapted(intended)
        lost = [given_up(job, now) for job, choice in zip(intended, chosen, strict=True) if choice is None]
        self._never_submitted = lost
        waiting = [part for job in chosen if job is not None for part in self._parts(job)]
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

    def _parts(self, job: Job) -> Sequence[Job]:
        """The jobs into which a job is cut, which may be itself alone."""
        for behaviour in self._cutting:
            with self.asking(behaviour, job=job):
                parts = behaviour.cut(self, job)
            if parts is not None:
                return parts
        return [job]

    def _in_pieces(self, jobs: list[Job]) -> Generator[simpy.Event, Any, tuple[int, Sequence[JobRecord]]]:
        """Submit jobs up to the limit in flight, the others as jobs end, and what is submitted for refused ones.

        Returns the first campaign's number, and the records of all jobs.
        """
        self._held_back, self._again = jobs, []
        events: list[JobEvent] = []
        flying: list[tuple[Job, JobEvent]] = []
        first = NEVER_SUBMITTED
        while self._held_back or self._again or flying:
            now = float(self.env.now)
            self._held_back += [job for time, job in self._again if time <= now]
            self._again = [(time, job) for time, job in self._again if time > now]
            jobs, room = self._held_back, min(each.room(self) for each in self.behaviours) - self.in_flight
            if jobs and (room >= 1 or not flying):  # a limit of 0 would wait for ever
                count = len(jobs) if room >= len(jobs) else max(1, int(room))
                self._held_back = jobs[count:]
                campaign = self._submit(jobs[:count])
                first = campaign.number if first == NEVER_SUBMITTED else first
                events += campaign.jobs
                flying += zip(jobs[:count], campaign.jobs, strict=True)
            else:
                awaited: list[simpy.Event] = [event for _, event in flying]
                if self._again:
                    awaited.append(self.env.timeout(min(time for time, _ in self._again) - now))
                yield simpy.AnyOf(self.env, awaited)
                over = [(job, self.machine.record(event.row)) for job, event in flying if event.triggered]
                flying = [(job, event) for job, event in flying if not event.triggered]
                self._over([record for _, record in over])
                for job, record in over:
                    self._answer(job, record)
        records = [self.machine.record(event.row) for event in events]
        return first, records

    def _answer(self, job: Job, record: JobRecord) -> None:
        """If a job was refused, plan what is submitted instead."""
        if record.state != State.REFUSED:
            return
        for behaviour in self._answering:
            if (answer := behaviour.refused(self, job, record)) is not None:
                after, jobs = answer
                time = ceil_to_grid(self.env.now + usable(after, self.name, "after"))
                self._again += [(time, each) for each in jobs]
                return

    def _submit(self, jobs: list[Job]) -> CampaignEvent:
        campaign = self.machine.submit_campaign(jobs)
        self.in_flight += len(jobs)
        self._handed_in.update(map(id, jobs))
        self._submitted.append((jobs, campaign))
        if self._watched or self._hearing:
            for job, event in zip(jobs, campaign.jobs, strict=True):
                for behaviour in self._watched:
                    behaviour.submitted(self, job, event)
                if self._hearing:
                    self._await_interruption(job, event)
        return campaign

    def _await_interruption(self, job: Job, event: JobEvent) -> None:
        """Tell the behaviours of each interruption of a job."""

        def tell(interrupted: Any) -> None:
            for behaviour in self._hearing:
                behaviour.interrupted(self, job, event, interrupted.value)
            self._await_interruption(job, event)

        interrupted = event.interrupted
        assert interrupted.callbacks is not None
        interrupted.callbacks.append(tell)

    def _over(self, records: Sequence[JobRecord]) -> None:
        self.in_flight -= len(records)
        self._waits.extend(record.wait for record in records)


def _has(behaviour: Any, hook: str) -> bool:
    """Whether a behaviour has a hook of its own."""
    return getattr(type(behaviour), hook, None) is not getattr(Behaviour, hook)
