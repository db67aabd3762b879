"""When users come back: sessions, think times by the response or the hour, and breaks after complaints."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import floor, inf
from typing import Annotated

import numpy as np

from thinktime.models.machine.job_records import CampaignRecord
from thinktime.users.behaviours.base import Behaviour
from thinktime.users.local_hours import WorkingHours, checked_hours
from thinktime.users.satisfaction import Satisfaction
from thinktime.users.user import User
from thinktime.workloads import checks
from thinktime.workloads.generators.cycles import Cycle, weekly
from thinktime.workloads.generators.quantities import Quantity, Uniform
from thinktime.workloads.generators.quantity_texts import Drawn, Time
from thinktime.workloads.names import quoted
from thinktime.workloads.reading.values import SECONDS
from thinktime.workloads.units import HOUR, MINUTE, WEEK, Duration, as_seconds

__all__ = ["Contentment", "Continuation", "LinearThinking", "Mornings", "Rhythm"]


@dataclass(frozen=True, kw_only=True)
class LinearThinking(Behaviour):
    """Think for ``slope`` times the response time plus ``offset`` (s), times ``spread``, instead of the drawn time.

    Source: S. Schlagkamp, Influence of dynamic think times on parallel job scheduler performances in generative
    simulations (JSSPP 2015), for think times of up to eight hours. The defaults, 0.4826 and 1779 s, are quoted after
    this paper but could not be checked against it. ``spread`` (no unit) is ours: ``stats.expon()`` makes think times
    exponential around the line.
    """

    slope: float = 0.4826
    offset: Annotated[Duration, SECONDS] = 1779.0
    spread: Drawn = 1.0

    def __post_init__(self) -> None:
        checks.fields(self, as_seconds, "offset")

    def think(self, user: User, last: CampaignRecord, thought: float) -> float:
        """The think time for the response time of the last campaign, or for the time until it was given up."""
        return (self.slope * last.elapsed + float(self.offset)) * user.number(self, "spread")


@dataclass(frozen=True, kw_only=True)
class Rhythm(Behaviour):
    """Think times pass with the activity of a `Cycle`: faster at busy hours, slower at night.

    The think time is in the cycle's operational time, so over a week its mean rate is unchanged. ``origin`` (s) is a
    midnight before a Monday. The default is the week of the Lublin-Feitelson model with quiet weekends
    (`thinktime.workloads.generators.cycles`).
    """

    cycle: Cycle | None = None
    origin: Annotated[Duration, SECONDS] = 0.0

    def __post_init__(self) -> None:
        checks.fields(self, as_seconds, "origin")

    def think(self, user: User, last: CampaignRecord, thought: float) -> float:
        """The think time in simulated seconds."""
        cycle = weekly() if self.cycle is None else self.cycle
        origin = float(self.origin)
        since = last.end - (floor((last.end - origin) / WEEK) * WEEK + origin)
        return cycle.passed(since, thought) - since


OFFICE = WorkingHours()
WITHIN_AN_HOUR = Uniform(0.0, HOUR)
CHANCE = Uniform(0.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class Continuation(Behaviour):
    """Stay with probability ``level / (decay r + 1)``, r in minutes, else take a break.

    r is the time from the campaign's submission to its end: its response time, unless the user gave up parts of it.
    Users react to that, not to the slowdown. Source: E. Shmueli, D. Feitelson (MASCOTS 2007; IEEE TPDS 20(7), 2009);
    the defaults of ``level`` and ``decay`` could not be checked against it. The policy ``creasy`` is designed for such
    users.

    ``probability``, a function of the response time in seconds, replaces the curve. The break is ``away`` (s). Without
    it, the break lasts until the next morning: the first time at which working hours begin (those of the profile, else
    ``hours``) after the campaign's end, plus ``late`` (s; by default uniform over an hour). A user who gave up every
    job of a campaign always takes a break.

    >>> round(Continuation().chance(20 * 60), 9)
    0.4
    """

    level: float = 0.8
    decay: float = 0.05
    probability: Callable[[float], float] | None = None
    away: Time | None = None
    late: Time = WITHIN_AN_HOUR
    hours: WorkingHours = OFFICE
    luck: Quantity = CHANCE

    def __post_init__(self) -> None:
        checks.fields(self, as_seconds, "away", "late")
        checked_hours(self.hours)
        if not 0 <= self.level <= 1 or not 0 <= self.decay < np.inf:
            raise ValueError(
                f"level must be from 0 to 1 and decay at least 0, not {quoted(self.level)} and {quoted(self.decay)}"
            )

    def chance(self, response: float) -> float:
        """The probability of staying after a response time (s)."""
        if self.probability is not None:
            return self.probability(response)
        return self.level / (self.decay * response / MINUTE + 1.0)

    def think(self, user: User, last: CampaignRecord, thought: float) -> float:
        """The think time, or the break."""
        luck = user.number(self, "luck")
        if luck < self.chance(last.elapsed) and last.ran:
            return thought
        if self.away is not None:
            return user.number(self, "away")
        hours = user.hours or self.hours
        return hours.morning(last.end) - last.end + user.number(self, "late")


@dataclass(frozen=True, kw_only=True)
class Mornings(Behaviour):
    """Come back the next morning where a think time ends outside working hours (those of the profile, else ``hours``).

    That is the first time at which the hours begin after it, plus ``late`` (s; by default uniform over an hour, so that
    people do not come at the same second). ``share`` is the probability with which the user keeps the hours at all,
    drawn for each campaign: of 0 to 1, from no clock to a strict one. Ours.
    """

    hours: WorkingHours = OFFICE
    late: Time = WITHIN_AN_HOUR
    share: float = 1.0
    luck: Quantity = CHANCE

    def __post_init__(self) -> None:
        checks.fields(self, as_seconds, "late")
        checked_hours(self.hours)
        if not 0 <= self.share <= 1:
            raise ValueError(f"share must be from 0 to 1, not {quoted(self.share)}")

    def think(self, user: User, last: CampaignRecord, thought: float) -> float:
        """The think time, or the time until the morning."""
        hours, time = user.hours or self.hours, last.end + thought
        if user.number(self, "luck") >= self.share or hours.next(time) == time:
            return thought
        return hours.morning(time) - last.end + user.number(self, "late")


@dataclass(eq=False, kw_only=True)
class Contentment(Behaviour):
    """Keep an account of `Satisfaction`; after ``complaints`` complaints stay away for ``away`` seconds.

    Without ``away`` the user leaves for good. ``account`` is the user's current satisfaction with the machine; it is
    reset by the break.
    """

    complaints: float = inf
    away: Time | None = None
    account: Satisfaction = field(default_factory=Satisfaction)

    def __post_init__(self) -> None:
        checks.fields(self, as_seconds, "away")

    @property
    def leaves(self) -> bool:  # type: ignore[override]
        """Whether the user leaves for good."""
        return self.away is None

    def ended(self, user: User, last: CampaignRecord) -> None:
        """Add the jobs of the campaign that ran, in order of start."""
        started = [(job.start, job.id, job) for job in last.jobs if job.start is not None]
        for _, _, job in sorted(started, key=lambda entry: entry[:2]):
            self.account.add(job.processors, job.estimate, job.wait)

    def think(self, user: User, last: CampaignRecord, thought: float) -> float:
        """The think time, or the time away."""
        if self.account.complaints < self.complaints:
            return thought
        self.account = Satisfaction()
        if self.away is None:
            user.gone = True
            return thought
        return user.number(self, "away")
