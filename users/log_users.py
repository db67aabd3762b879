"""Users of a log who respond: they may put off a batch that is due, and submit something else, or nothing, instead.

They are asked when a batch is due, however that has come about: at its recorded time, when what it waited for is over,
when a hazard has reached its residual, or when a drawn user has thought. So the moment is that of users with profiles
(`thinktime.users.deciding`), and the behaviours are the same. What a user would do without them is the same as well,
since a batch is one of the log, or drawn from streams of its own, and random numbers belong to the user, the behaviour
and the number of the batch.

A job that is not submitted is in the result all the same, in its place, as withdrawn at that instant. So the jobs of
two runs can be compared one by one. A user who waited for it does not wait any longer.

Behaviours that `postpone` and `adapt` count here, and in feedback and of drawn users those that `think`: they are
asked when what a batch waited for is over, and given what is left of the think time. Breaks between the sessions of
drawn users stay. Where submissions are recorded, or come with hazards, no user thinks, and none is told of starts and
interruptions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
import simpy

from thinktime.models.machine.job_records import CampaignRecord
from thinktime.models.machine.machine import Machine
from thinktime.models.state import State
from thinktime.users.behaviours.base import Behaviour
from thinktime.users.deciding import DecidingUser
from thinktime.users.sampling import usable
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.job import Job
from thinktime.workloads.names import quoted
from thinktime.workloads.node_requests import NodeRequest
from thinktime.workloads.streams import Seed, stream

FINISHED = int(State.FINISHED)
UNHEEDED = ("cut", "room", "submitted", "interrupted", "refused")
"""What they cannot do here."""


@dataclass(frozen=True)
class Respondents:
    """A ``share`` of the users of a log who have these ``behaviours``; the ``seed`` says who they are.

    A larger share has all users of a smaller one. ``TypeError`` for what is no behaviour, ``ValueError`` for a share
    that is none.

    >>> import thinktime as tt
    >>> half = tt.Respondents((tt.behaviours.Renounce(lambda user: True),), share=0.5, seed=1)
    >>> [user for user in range(8) if half.of(user)]
    [0, 3, 6, 7]
    """

    behaviours: Sequence[Behaviour]
    share: float = 1.0
    seed: Seed = 0

    def __post_init__(self) -> None:
        given: Any = self.behaviours
        made = (given,) if isinstance(given, Behaviour) else tuple(given)
        for each in made:
            if not isinstance(each, Behaviour):
                raise TypeError(f"{quoted(each)} is no behaviour: derive its class from Behaviour")
        object.__setattr__(self, "behaviours", made)
        if not 0 <= self.share <= 1:
            raise ValueError(f"the share of users who respond must be from 0 to 1, not {quoted(self.share)}")

    @classmethod
    def given(cls, what: Any) -> "Respondents | None":
        """Who responds, from a behaviour or several, which are those of all users; None if no user does."""
        if isinstance(what, cls):
            return what if what.behaviours and what.share else None
        found = cls(what)
        return found if found.behaviours else None

    def of(self, user: str | int) -> Sequence[Behaviour]:
        """The behaviours of a user; none of one who does not respond."""
        if self.share < 1 and stream(self.seed, user, "responds").random() >= self.share:
            return ()
        return self.behaviours

    @property
    def unheeded(self) -> str:
        """The first behaviour that does what it cannot do here; empty if there is none."""
        return next((type(each).__name__ for each in self.behaviours if each.leaves or _does(each, *UNHEEDED)), "")

    @property
    def thinking(self) -> str:
        """The first behaviour that changes think times; empty if there is none."""
        return next((type(each).__name__ for each in self.behaviours if _does(each, "think")), "")

    @property
    def adapts(self) -> bool:
        """Whether jobs may be changed."""
        return any(_does(each, "adapt") for each in self.behaviours)

    @property
    def resizes(self) -> bool:
        """Whether their processors may be changed."""
        return any(each.resizes for each in self.behaviours)


def _does(behaviour: Behaviour, *hooks: str) -> bool:
    """Whether a behaviour has any of these hooks of its own."""
    return any(getattr(type(behaviour), hook, None) is not getattr(Behaviour, hook) for hook in hooks)


class LogUser(DecidingUser):
    """A user of a log, with the rows of the batches so far on the machine."""

    def __init__(
        self,
        env: simpy.Environment,
        machine: Machine,
        name: str | int,
        rng: np.random.Generator,
        behaviours: Sequence[Behaviour],
    ) -> None:
        self._batches: list[Whole] = []
        self._told = 0
        super().__init__(env, machine, name, rng, behaviours)
        self._hearing = [each for each in self.behaviours if _does(each, "ended")]

    @property
    def last(self) -> CampaignRecord | None:
        """The record of the last batch that is over."""
        for rows in reversed(self._batches):
            if self._is_over(rows):
                return self._record(rows)
        return None

    @last.setter
    def last(self, record: CampaignRecord | None) -> None:
        """It follows from the rows."""

    @property
    def in_flight(self) -> int:
        """Jobs that wait or run."""
        jobs = self.machine.pool.requests
        rows = np.concatenate([np.arange(0), *self._batches])
        return int((jobs.state[rows] < FINISHED).sum())

    @in_flight.setter
    def in_flight(self, count: int) -> None:
        """It follows from the rows."""

    def recent_wait(self, jobs: int = 10) -> float:
        """The mean wait (s) of the user's last ``jobs`` jobs that have started; 0 before the first."""
        requests, found = self.machine.pool.requests, list[float]()
        for rows in reversed(self._batches):
            waits = (requests.start[rows] - requests.submit[rows])[np.isfinite(requests.start[rows])]
            found += waits[::-1].tolist()
            if len(found) >= jobs:
                break
        return sum(found[:jobs]) / min(len(found), jobs) if found else 0.0

    def lose(self, job: Job, reason: str, instead: Job | None = None) -> None:
        """Count lost demand: a job that is not submitted is in the result."""
        self.machine.lose(job, reason, instead, submitted=True)

    def thinks(self, number: int, rows: Whole, thought: float, now: float) -> float:
        """How long the user still thinks (s) after the batch of a number, which is over now."""
        self.campaign = number
        self._hear()
        last = self._record(rows)
        for behaviour in self.behaviours:
            with self.asking(behaviour, ahead=now - float(self.env.now)):
                thought = usable(behaviour.think(self, last, thought), self.name, "think_time")
        return thought

    def responds(self, number: int, rows: Whole, jobs: Sequence[Job], offset: Sequence[float], now: float) -> float:
        """When the batch of a number, with these jobs, is submitted that is due now; if that is now, change them."""
        self.campaign, self.intended = number, jobs
        self._hear()
        time = self.postponed(now)
        if time > now:
            return time
        for row, job, choice in zip(rows.tolist(), jobs, self.adapted(jobs, offset), strict=True):
            if choice is not job:
                self.machine.alter(row, choice)
        self._batches.append(rows)
        return now

    def _hear(self) -> None:
        """Tell behaviours of the batches that are over since they were asked last, in order."""
        while self._hearing and self._told < len(self._batches) and self._is_over(self._batches[self._told]):
            record = self._record(self._batches[self._told])
            for behaviour in self._hearing:
                behaviour.ended(self, record)
            self._told += 1

    def _is_over(self, rows: Whole) -> bool:
        return bool((self.machine.pool.requests.state[rows] >= FINISHED).all())

    def _record(self, rows: Whole) -> CampaignRecord:
        jobs = tuple(self.machine.record(row) for row in rows.tolist())
        return CampaignRecord(-1, jobs, self.machine.capacity)


class Due(NamedTuple):
    """A batch that is due: the rows of its jobs, how long after it each comes (s), what they request of nodes."""

    rows: Whole
    offset: Sequence[float]
    asked: Sequence[NodeRequest] = ()


class LogUsers:
    """The users of a log on one machine, of whom some respond. A user has a ``label`` in the log, and a ``name``."""

    def __init__(self, env: simpy.Environment, machine: Machine, who: Respondents) -> None:
        self._env, self._machine, self._who = env, machine, who
        self._users: dict[str | int, LogUser | None] = {}

    def respond(self, name: str | int, label: Any, number: int, due: "Due", now: float) -> float:
        """When a user submits the batch of a ``number`` that is due: now, or later; now, its jobs may have changed."""
        if (user := self._user(name, label)) is None:
            return now
        jobs = [self._machine.job_in(row, request) for row, request in zip_longest(due.rows.tolist(), due.asked)]
        return user.responds(number, due.rows, jobs, due.offset, now)

    def think(self, name: str | int, label: Any, number: int, rows: Whole, thought: float, now: float) -> float:
        """How long a user still thinks (s) after the batch of a ``number`` in these rows, which is over now."""
        user = self._user(name, label)
        return thought if user is None else user.thinks(number, rows, thought, now)

    @property
    def thinking(self) -> bool:
        """Whether some of them change their think times."""
        return bool(self._who.thinking)

    def _user(self, name: str | int, label: Any) -> LogUser | None:
        """The user of a name; None if it does not respond."""
        if name not in self._users:
            behaviours = self._who.of(name)
            rng = stream(self._who.seed, name)
            made = LogUser(self._env, self._machine, label, rng, behaviours) if behaviours else None
            self._users[name] = made
        return self._users[name]


class Responding:
    """Who is asked about the batches of a log, as a `Chain` takes it.

    Those of batch b are in the rows ``rows[bounds[b]]`` to ``rows[bounds[b + 1] - 1]`` of the machine, each ``offset``
    (s) after it, and request ``asked`` of its nodes. ``hours`` say when one is submitted that was put off to a time.
    """

    def __init__(
        self,
        users: LogUsers,
        machine: Machine,
        rows: Whole,
        bounds: Whole,
        offset: Floats | None = None,
        asked: Sequence[NodeRequest] = (),
        hours: Callable[[int, float], float] | None = None,
    ) -> None:
        self._users, self._rows, self._bounds, self._asked, self._hours = users, rows, bounds, asked, hours
        self._offset = np.zeros(len(rows)) if offset is None else offset
        jobs, names = machine.pool.requests, machine.names["user"]
        self._owner = jobs.user[rows[bounds[:-1]]]
        self._number = numbers_of(self._owner)
        self._labels = names
        self._id = jobs.id[rows[bounds[:-1]]]

    def __call__(self, batch: int, now: float) -> float:
        """When a batch is submitted that is due now."""
        begin, stop = self._bounds.item(batch), self._bounds.item(batch + 1)
        name, label, number = self._called(batch)
        due = Due(self._rows[begin:stop], self._offset[begin:stop].tolist(), self._asked[begin:stop])
        time = self._users.respond(name, label, number, due, now)
        return time if self._hours is None or time == now else self._hours(batch, time)

    @property
    def thinking(self) -> bool:
        """Whether some users change their think times."""
        return self._users.thinking

    def thought(self, last: int, thought: float, now: float) -> float:
        """How long a user still thinks (s) when the batch ``last`` is over."""
        rows = self._rows[self._bounds.item(last) : self._bounds.item(last + 1)]
        return self._users.think(*self._called(last), rows, thought, now)

    def _called(self, batch: int) -> tuple[str | int, Any, int]:
        """The name and the label of the user of a batch, and its number among those of the user."""
        owner = self._owner.item(batch)
        if owner < 0 or (label := self._labels[owner]) is None:
            return f"job {self._id[batch]}", None, 0
        return label, label, self._number.item(batch)


def numbers_of(owner: Whole) -> Whole:
    """The number of each batch among those of its owner, from 0."""
    order = np.argsort(owner, kind="stable")
    first = np.searchsorted(owner[order], owner[order])
    found = np.empty(len(owner), np.int64)
    found[order] = np.arange(len(owner)) - first
    return found
