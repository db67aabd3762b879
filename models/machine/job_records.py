"""What is told of jobs and campaigns when they are over, or are thrown off the machine: values, which do not change.

A `JobRecord` is the value of the event of a job, a `CampaignRecord` that of a campaign, an `Interruption` that of
``interrupted`` (`thinktime.models.machine.events`).
"""

import math
from dataclasses import dataclass
from typing import Any

from thinktime.models.results.outcome import Outcome, outcome_of
from thinktime.models.state import State

NEVER_SUBMITTED = -1
"""The number in the record of a job that was given up before it was submitted."""


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A job that is over. Times in seconds; ``start`` is None for a job that never ran."""

    id: int
    user: Any
    processors: int
    estimate: float
    submit: float
    start: float | None
    end: float
    state: State
    campaign: int | None = None
    promised: float | None = None
    latest_start: float | None = None
    think_time: float | None = None
    segments: tuple[tuple[float, float], ...] = ()
    """Start and end (s) of each segment of a job that a runtime limit split; empty for a job in one piece."""
    runs: tuple[tuple[float, float, str], ...] = ()
    """Start, end (s) and ending of each run (`thinktime.models.state.RUN_ENDS`); empty unless the machine changes."""
    gave_up: bool = False
    """Whether its user took it back while it waited to run again."""
    why: str = ""
    """Which limit of the site has refused it, or would never have let it start; empty for none."""
    partition: Any = None
    """The partition that it names, or of several the one in which it has run."""

    @property
    def preempted(self) -> bool:
        """Whether it was killed to make way for another job (Slurm's state PREEMPTED)."""
        broken_off = bool(self.runs) and self.runs[-1][2] == "preempted"
        return broken_off and self.state == State.KILLED and not self.gave_up

    @property
    def wait(self) -> float:
        """From submission to start, or to the end for a job that never ran, s."""
        return (self.end if self.start is None else self.start) - self.submit

    @property
    def runtime(self) -> float:
        """How long the job ran, in all of its runs and segments, s."""
        if self.runs:
            return sum(end - start for start, end, _ in self.runs)
        if self.segments:
            return sum(end - start for start, end in self.segments)
        return 0.0 if self.start is None else self.end - self.start

    @property
    def outcome(self) -> Outcome:
        """Whether the job was served, abandoned or refused (`thinktime.models.results.outcome`)."""
        return outcome_of(self.state, self.gave_up)

    @property
    def elapsed(self) -> float:
        """From submission until the job was over, however it ended, s."""
        return self.end - self.submit

    @property
    def response_time(self) -> float:
        """From submission to end (also called turnaround or flow time), s; NaN for a job that was not served."""
        return self.elapsed if self.outcome == Outcome.SERVED else math.nan


@dataclass(frozen=True, slots=True)
class CampaignRecord:
    """A campaign that is over: its number on a machine of ``processors``, and the records of its jobs as given."""

    number: int
    jobs: tuple[JobRecord, ...]
    processors: int

    @property
    def submit(self) -> float:
        """The first submission, s."""
        return min(job.submit for job in self.jobs)

    @property
    def end(self) -> float:
        """The last end, s."""
        return max(job.end for job in self.jobs)

    @property
    def outcome(self) -> Outcome:
        """Served, abandoned or refused: the largest outcome of what was submitted; abandoned if nothing was."""
        submitted = (job.outcome for job in self.jobs if job.id != NEVER_SUBMITTED)
        return max(submitted, default=Outcome.ABANDONED)

    @property
    def served(self) -> bool:
        """Whether every job that was submitted was served."""
        return self.outcome == Outcome.SERVED

    @property
    def elapsed(self) -> float:
        """From the first submission until every job was over, however it ended, s."""
        return self.end - self.submit

    @property
    def response_time(self) -> float:
        """From first submission to last end (the ostrich paper's flow time), s; NaN if it was not served."""
        return self.elapsed if self.served else math.nan

    @property
    def wait(self) -> float:
        """From first submission to the first start, s (to the end, if no job ever started)."""
        starts = [job.start for job in self.jobs if job.start is not None]
        return min(starts, default=self.end) - self.submit

    @property
    def ran(self) -> bool:
        """Whether any of its jobs ever started."""
        return any(job.start is not None for job in self.jobs)

    @property
    def work(self) -> float:
        """Processor-seconds that the campaign's jobs have used."""
        return sum(job.processors * job.runtime for job in self.jobs)

    @property
    def lower_bound(self) -> float:
        """max(W / m, p_max), s: no schedule of what ran is shorter (the ostrich paper, section 3)."""
        return max(self.work / self.processors, max(job.runtime for job in self.jobs))

    @property
    def stretch(self) -> float:
        """Response time over its lower bound; NaN for a campaign that was not served, or without work."""
        return self.response_time / self.lower_bound if self.lower_bound else math.nan


@dataclass(frozen=True, slots=True)
class Interruption:
    """A job was thrown off at a time (s) by a ``failure``, a ``window`` or a ``preemption``, and is in the queue again.

    ``lost`` is the time of its run that has to be done again (s).

    >>> Interruption(at=3600.0, why="failure", lost=600.0).why
    'failure'
    """

    at: float
    why: str
    lost: float
