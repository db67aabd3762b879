"""The campaigns of users who react at most by thinking longer or shorter, or by giving up, drawn some at a time.

They follow plans (`thinktime.models.machine.plans`). Those whose think times depend on what happens are asked after
each campaign how long they think. That depends on when the campaign was submitted and ended, and on whether any of it
ran. Users with `Patience` and those who `Balk` at so many waiting jobs need not be asked. A user's numbers come from
the streams and in the order in which the user's process would draw them. A stream is opened anew for each look at its
first block, so users who have drawn few numbers keep nothing but these.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thinktime.models.machine.machine import Machine
from thinktime.models.machine.plans import FAR, Ahead, Plan
from thinktime.users.behaviours.base import Behaviour
from thinktime.users.behaviours.patience import SHORTEST, Balk, Patience
from thinktime.users.behaviours.thinking import Continuation, LinearThinking, Mornings, Rhythm
from thinktime.users.local_hours import LocalHours, WorkingHours
from thinktime.users.profiles import Profile
from thinktime.users.sampling import BLOCK
from thinktime.users.user import Drawn as DrawnForBehaviours
from thinktime.users.user_at_work import UserAtWork
from thinktime.workloads.arrays import Floats
from thinktime.workloads.generators.cycles import Cycle
from thinktime.workloads.generators.quantities import Distribution, Piece
from thinktime.workloads.generators.shapes import Sizes
from thinktime.workloads.grid import TICKS_PER_SECOND, ceil_to_grid, to_grid
from thinktime.workloads.job import SHORTEST_ESTIMATE
from thinktime.workloads.names import quoted

QUANTITIES = ("runtime", "jobs", "think_time", "processors", "overestimate", "first")
"""Each has a stream of its own."""
PATIENCE = "patience"
"""A quantity of a behaviour, drawn once for each campaign like these."""
JOBS = 8, 2048
"""About how many jobs of a user are drawn at first, and at most; in between, each time as many as before together."""
MOST_JOBS = 1e6
"""Campaigns of more jobs are left to processes."""
MOST_AT_ONCE = 10_000
"""How many campaigns a user may have at one instant: more would never end."""
THINKING = Continuation, LinearThinking, Mornings, Rhythm
"""Behaviours that do nothing but think, by a campaign's submission and end."""
FORESEEABLE = *THINKING, Patience, Balk
"""Those of users who may follow plans; who balks does so by the length of the queue alone."""


def foreseeable(profile: Profile) -> bool:
    """Whether nothing that a user does can depend on anything but the ends of campaigns.

    A function may look at anything, so a user with a function for a quantity is not.
    """
    return (
        all(map(_is_foreseeable, profile.behaviours))
        and all(sum(type(each) is kind for each in profile.behaviours) <= 1 for kind in (Patience, Balk))
        and type(profile.hours) in (type(None), WorkingHours, LocalHours)
        and profile.nodes is None
        and not profile.labels
        and all(_is_drawn_alone(getattr(profile, part)) for part in QUANTITIES)
    )


def is_impatient(profile: Profile) -> bool:
    """Whether a user may take jobs back."""
    return any(isinstance(each, Patience) for each in profile.behaviours)


def _is_foreseeable(behaviour: Behaviour) -> bool:
    """Whether a behaviour is one of `FORESEEABLE`, and what it consists of does not look at anything either."""
    if isinstance(behaviour, Balk) and any(
        each is not None for each in (behaviour.backlog, behaviour.wait, behaviour.rule)
    ):
        return False
    return type(behaviour) in FORESEEABLE and all(
        part is None or type(part) in (Cycle, WorkingHours, LocalHours) or _is_drawn_alone(part)
        for part in (getattr(behaviour, each.name) for each in fields(behaviour))  # type: ignore[arg-type]
    )


def _thinks(behaviour: Behaviour) -> bool:
    return type(behaviour) in THINKING


def _crowd(profile: Profile) -> float:
    """How many jobs may wait while a user submits; infinite for any number."""
    return next((each.queue for each in profile.behaviours if type(each) is Balk and each.queue is not None), math.inf)


def is_number(quantity: Any) -> bool:
    """Whether a quantity is always the same."""
    return isinstance(quantity, int | float | np.number) and not isinstance(quantity, bool)


def _is_drawn_alone(quantity: Any) -> bool:
    """Whether a quantity is a number, or a distribution of SciPy or of this package."""
    if is_number(quantity):
        return True
    if isinstance(quantity, Piece | Sizes):
        parts: Any = quantity
        return type(parts).__module__.startswith("thinktime.") and all(
            _is_part(getattr(parts, each.name)) for each in fields(parts)
        )
    kind = type(getattr(quantity, "dist", quantity))
    return kind.__module__.startswith("scipy.stats.") and isinstance(quantity, Distribution)


def _is_part(part: Any) -> bool:
    """Whether a distribution may be made of this."""
    if isinstance(part, tuple | list):
        return all(map(_is_part, part))
    return part is None or isinstance(part, bool | str) or _is_drawn_alone(part)


@dataclass(frozen=True, slots=True)
class Ended:
    """What a user who only thinks may know of the last campaign, as a `CampaignRecord` says it."""

    submit: float
    end: float
    started: Callable[[], bool]

    @property
    def elapsed(self) -> float:
        """From the submission until every job was over, s."""
        return self.end - self.submit

    @property
    def ran(self) -> bool:
        """Whether any of its jobs ever started."""
        return self.started()


class AtOnce:
    """Counts the campaigns of a user at one instant, who submits for ever if neither jobs nor thinking take time."""

    def __init__(self, name: str | int) -> None:
        self._name, self._now, self._before, self._known = name, -math.inf, 0, 0

    def add(self, now: float, known: int | None = None) -> None:
        """A further campaign begins, or those after ``known``; ``ValueError`` for the first that is too many."""
        self._known = self._known + 1 if known is None else known
        if now != self._now:
            self._now, self._before = now, self._known
        elif self._known - self._before >= MOST_AT_ONCE:
            raise ValueError(
                f"user {quoted(self._name)} has submitted {MOST_AT_ONCE:,} campaigns at {now:.15g} s "
                "without any time passing: give jobs a run time, or the user a think time, above 0"
            )


class Ending(NamedTuple):
    """When users submit no more."""

    campaigns: float
    """So many are submitted."""
    until: float
    """Nothing is submitted after this time, s."""


class DrawnCampaigns(Plan):
    """Users who think at most. ``streams(user, i)`` opens the stream of ``QUANTITIES[i]`` of a user, in place.

    ``process(user, campaigns, jobs)`` is a process that goes on after so many, and ``at_work(user)`` the user with
    behaviours. ``kept`` are the numbers that were drawn in other runs of the same users, if they are kept.
    """

    on_grid = True

    def __init__(
        self,
        names: Sequence[str | int],
        profiles: Sequence[Profile],
        streams: Callable[[int, int], np.random.Generator],
        process: Callable[[int, int, int], Any],
        at_work: Callable[[int], UserAtWork],
        machine: Machine,
        ending: Ending,
        kept: "Kept | None" = None,
    ) -> None:
        self.names, self.until = names, ending.until
        self.asked = [each.hours is not None or any(map(_thinks, each.behaviours)) for each in profiles]
        self.crowd = [_crowd(each) for each in profiles]
        self._patience = [next((one for one in each.behaviours if type(one) is Patience), None) for each in profiles]
        self.impatient = any(each is not None for each in self._patience)
        self._profiles, self._streams, self._process = profiles, streams, process
        self._machine, self._processors, self._most = machine, machine.capacity, ending.campaigns
        self._at_work, self._workers = at_work, dict[int, UserAtWork]()
        self._submit = np.full(len(names), math.nan)
        """When each user's last campaign was submitted, s; NaN before the first."""
        self._known = np.zeros((len(names), 2), np.int64)
        """How many campaigns and jobs of each user have been drawn."""
        self._at_once = [AtOnce(name) for name in names]
        self._forgets = kept is None
        self._kept = Kept() if kept is None else kept
        self._drawn = self._kept.profiles

    def more(self, user: int, now: float) -> Ahead | None:
        """The next campaigns of a user; None if a process has to draw them, since there is something wrong."""
        known, jobs = self._known[user].tolist()
        count = min(max(JOBS[0], min(jobs, JOBS[1])), self._most - known)
        if not count > 0:
            return None
        self._at_once[user].add(now, known)
        sizes = self._numbers(user, "jobs", known, math.ceil(count))
        sizes = sizes[: np.searchsorted(np.cumsum(sizes), count) + 1]
        size = np.maximum(np.rint(sizes[: _length(sizes < MOST_JOBS)]), 1).astype(np.int64)
        thought = self._thoughts(user, known, len(size) + 1)
        total = int(size.sum())
        runtime = self._numbers(user, "runtime", jobs, total, least=0.0)
        with np.errstate(invalid="ignore"):
            estimate = runtime * self._numbers(user, "overestimate", jobs, total)
        width = np.maximum(np.rint(self._numbers(user, "processors", jobs, total)), 1)
        fine = _length((runtime < FAR) & (estimate < FAR) & (width <= self._processors))
        endures = self._endurance(user, known, len(size))
        campaigns = min(
            int(np.searchsorted(np.cumsum(size), fine, side="right")), _length(thought < FAR), _length(endures < FAR)
        )
        if not campaigns:
            return None
        size = size[:campaigns]
        total = int(size.sum())
        last = known + campaigns >= self._most and bool(thought[campaigns] < FAR)
        self._keep(user, known + campaigns, jobs + total)
        return Ahead(
            thought[:campaigns],
            size,
            to_grid(runtime[:total]),
            np.maximum(to_grid(estimate[:total]), SHORTEST_ESTIMATE),
            width[:total].astype(np.int64),
            endures=np.inf if self._patience[user] is None else endures[:campaigns],
            last=last,
        )

    def _endurance(self, user: int, known: int, count: int) -> Floats:
        """How long a user lets the jobs of each campaign wait, on the grid, s."""
        if self._patience[user] is None:
            return np.zeros(count)
        drawn = np.maximum(self._numbers(user, PATIENCE, known, count), SHORTEST)
        return np.ceil(drawn * TICKS_PER_SECOND) / TICKS_PER_SECOND

    def _opened(self, user: int, part: str) -> np.random.Generator:
        """The stream of a quantity, from its beginning."""
        if part != PATIENCE:
            return self._streams(user, QUANTITIES.index(part))
        worker = self._worker(user)
        return worker.stream(next(each for each in worker.behaviours if type(each) is Patience), "time")

    def wait(self, user: int, now: float, thought: float, least: float = 0.0) -> float:
        """How long a user waits for a submission, with working hours and behaviours, s."""
        profile = self._profiles[user]
        if profile.behaviours:
            thought = self._reacting(user, now, thought)
        thought = max(thought, least)
        hours = profile.hours
        submit = self._submit[user] = ceil_to_grid(now + thought if hours is None else hours.next(now + thought))
        return submit - now

    def _reacting(self, user: int, now: float, thought: float) -> float:
        """How long a user thinks, all behaviours considered, s."""
        submit = self._submit.item(user)
        if math.isnan(submit):
            return thought
        worker = self._worker(user)
        last: Any = Ended(submit, now, lambda: self._ran(user, submit))
        found = worker.thought(last, thought)
        worker.campaign += 1
        return found

    def _worker(self, user: int) -> UserAtWork:
        """The user with behaviours."""
        worker = self._workers.get(user)
        if worker is None:
            worker = self._workers[user] = self._at_work(user)
            worker.drawn = self._kept.behaviours.setdefault(self.names[user], worker.drawn)
        return worker

    def _ran(self, user: int, submit: float) -> bool:
        """Whether any job of the campaign that a user submitted at a time ever started (of that name's campaigns)."""
        jobs, code = self._machine.pool.requests, self._machine.labels.code("user", self.names[user])
        then = np.flatnonzero(jobs.submit[: jobs.size] == submit)
        own = then[(jobs.user[then] == code) & (jobs.campaign[then] >= 0)]
        return bool(np.isfinite(jobs.start[own]).any())

    def process(self, user: int) -> Any:
        """A process that does what a user does from now on."""
        return self._process(user, *self._known[user].tolist())

    def _thoughts(self, user: int, known: int, count: int) -> Floats:
        if known:
            return self._numbers(user, "think_time", known - 1, count)
        later = self._numbers(user, "think_time", 0, count - 1)
        return np.concatenate([self._numbers(user, "first", 0, 1), later])

    def _numbers(self, user: int, part: str, begin: int, count: int, least: float = -math.inf) -> Floats:
        """Drawn numbers as `usable` has them, infinite where they are not."""
        patience = self._patience[user]
        quantity: Any = patience.time if part == PATIENCE and patience else getattr(self._profiles[user], part)
        if is_number(quantity):
            found = np.full(count, float(quantity))
        else:
            key = self.names[user], part
            drawn = self._drawn.get(key)
            if drawn is None:
                drawn = self._drawn[key] = Drawn(self._opened(user, part))
            found = drawn.numbers(quantity, begin, count)
        return np.where((found >= least) & (found > -math.inf) & (found < math.inf), np.maximum(found, 0.0), math.inf)

    def _keep(self, user: int, campaigns: int, jobs: int) -> None:
        """So many campaigns and jobs of a user are known now."""
        self._known[user] = campaigns, jobs
        by_campaign = {"jobs": campaigns, PATIENCE: campaigns, "think_time": campaigns - 1, "first": 1}
        for part in (*QUANTITIES, PATIENCE) if self._forgets else ():
            key = self.names[user], part
            if (drawn := self._drawn.get(key)) is not None:
                used = by_campaign.get(part, jobs)
                if used < BLOCK:
                    del self._drawn[key]
                else:
                    drawn.forget(used)


class Drawn:
    """The numbers of one stream, in blocks, without those that will not be used again."""

    __slots__ = ("_begin", "_stream", "_values")

    def __init__(self, stream: np.random.Generator) -> None:
        self._stream, self._begin, self._values = stream, 0, np.empty(0)

    def numbers(self, quantity: Any, begin: int, count: int) -> Floats:
        """``count`` numbers from one place on."""
        while self._begin + len(self._values) < begin + count:
            block = np.asarray(quantity.rvs(size=BLOCK, random_state=self._stream), dtype=float)
            self._values = np.concatenate([self._values, block])
        return self._values[begin - self._begin : begin - self._begin + count]

    def forget(self, used: int) -> None:
        """The first numbers will not be asked for again."""
        self._values, self._begin = self._values[used - self._begin :].copy(), used


@dataclass(frozen=True, slots=True)
class Kept:
    """What has been drawn."""

    profiles: dict[tuple[str | int, str], Drawn] = field(default_factory=dict)
    """By a user's name and the quantity."""
    behaviours: dict[str | int, DrawnForBehaviours] = field(default_factory=dict)
    """By a user's name."""


def _length(fine: NDArray[np.bool_]) -> int:
    """How many are fine, up to the first one that is not."""
    return int(fine.argmin()) if not fine.all() else len(fine)
