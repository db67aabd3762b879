"""Users who follow a plan: campaigns that are known, or can be drawn, without looking at the machine.

A `Plan` gives the campaigns of its users, some at a time. Each user submits a campaign a think time after the end of
the one before, as a process would, but compiled code counts the jobs down, lets the users think and submits
(`thinktime.models.engine.sources.plans`). Jobs become rows of the machine when they are submitted.

`Plans` does for one machine what compiled code cannot: it asks for more campaigns when a user has none left, gives
codes to users' names, and makes room. Where processes submit as well, each acts in turn: a `Turn` lets a campaign be
submitted when SimPy would have woken a process.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol

import numpy as np
import simpy

from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes.plans import LOOKS_AGAIN, SECOND_LOOK, UNTOLD
from thinktime.models.engine.sources.chains import submit_due
from thinktime.models.engine.sources.plans import needs_help, set_out
from thinktime.models.engine.sources.releases import await_release, count_down, next_submission
from thinktime.models.jobs.labels import Labels
from thinktime.models.jobs.pool import Pool
from thinktime.models.machine.alarm import Turn
from thinktime.models.machine.listeners import Listeners
from thinktime.models.machine.simpy_insides import take_number
from thinktime.models.results.demand import LostDemand
from thinktime.workloads.arrays import Floats, Ints
from thinktime.workloads.grid import ceil_to_grid
from thinktime.workloads.units import WEEK_HOURS
from thinktime.workloads.user_models.rhythm import WeeklyRhythm

FAR = 2.0**41
"""Times (s) in plans are shorter, so that their sums stay on the grid; processes refuse what is too long."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """The next campaigns of one user, in order; times in s, run times and estimates on the grid.

    The jobs are described, or they are loaded ``rows``, each to be submitted some ``offset`` after its campaign begins.
    """

    think_time: Floats
    """Before each campaign; before a user's first one, the time until it is submitted. NaN: ``rest`` says how long."""
    jobs: Ints
    """How many jobs each has, at least 1."""
    runtime: Floats | None = None
    estimate: Floats | None = None
    processors: Ints | None = None
    rows: range | None = None
    offset: Floats | None = None
    rest: Floats | float = 0.0
    """Active time in the user's rhythm, from the end of the campaign before; or from its last submission if it
    ``overlaps``."""
    begin: Floats | float = -inf
    """The earliest time of each submission."""
    overlaps: Any = 0
    """Whether the user does not wait for the end of each, but thinks from the last submission on."""
    endures: Floats | float = inf
    """How long the user lets the jobs of each wait, on the grid, before they are taken back, s."""
    last: bool = True
    """Whether the user has no more campaigns."""


class Scheduler(Protocol):
    """What plans ask of the scheduler process."""

    def follow(self, plans: "Plans") -> None:
        """From now on, users of these plans submit jobs."""

    def ring_at(self, time: float) -> None:
        """Wake up at a time, at which a user submits."""


class Plan:
    """Users with the same kind of plan."""

    names: Sequence[str | int]
    until = inf
    """After what time they submit nothing more, s."""
    rhythms: Sequence[WeeklyRhythm] = ()
    """The rhythm of each, if campaigns come after a ``rest``."""
    last_begin: Sequence[float] = ()
    """After what time no campaign of each comes after a rest, s."""
    on_grid = False
    """Whether submissions are on the grid of time. If not, users sleep before each submission, even for no time."""
    numbered = True
    """Whether campaigns have numbers, and jobs get theirs when they are submitted. If not, jobs are loaded."""
    asked: bool | Sequence[bool] = False
    """Whether users, or which of them, are asked how long to `wait` before every campaign."""
    crowd: float | Sequence[float] = inf
    """How many jobs may wait while users, or each of them, submit; with more, they balk."""
    impatient = False
    """Whether any of them may take jobs back."""

    responds: bool | Sequence[bool] = False
    """Whether users, or which of them, `respond` when a campaign is due; they are on the grid, with loaded jobs."""

    def respond(self, user: int, now: float) -> float:
        """When a user submits a campaign that is due (s): now, or later, when this is asked again."""
        raise NotImplementedError

    def wait(self, user: int, now: float, thought: float, least: float = 0.0) -> float:
        """How long (s) a user waits at a time who is to think for so long; infinite if there is no other campaign.

        ``least`` is above 0 if the user has submitted nothing of the last one.
        """
        raise NotImplementedError

    def more(self, user: int, now: float) -> Ahead | None:
        """The next campaigns of a user, by the place in ``names``; None if a process has to go on."""
        raise NotImplementedError

    def process(self, user: int) -> Any:
        """A process that does what the user does from now on."""
        raise NotImplementedError


class Plans:
    """The users of one machine who follow plans."""

    def __init__(
        self,
        env: simpy.Environment,
        pool: Pool,
        labels: Labels,
        listeners: Listeners,
        scheduler: Scheduler,
        lost: LostDemand,
    ) -> None:
        self._env, self._pool, self._labels, self._lost = env, pool, labels, lost
        self._listeners, self._scheduler = listeners, scheduler
        self._first: list[int] = []
        self._plans: list[Plan] = []
        self._supplied: dict[int, int] = {}
        """Where the campaigns of a user begin that are known ahead."""
        self.turn = Turn(env, self._submit)
        self._room = pool.batches.room
        listeners.wake = self._wake
        listeners.questions.about_users(self._think)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._plans)

    def add(self, plan: Plan) -> range:
        """Get to know the users of a plan and their first campaigns; returns their numbers."""
        count, batches = len(plan.names), self._pool.batches.batches
        manner = at.PLANNED | at.FIRST | at.ON_GRID * plan.on_grid | at.NUMBERED * plan.numbered
        asked = np.broadcast_to(plan.asked, count) * (at.HELD | at.ASKED)
        responds = np.broadcast_to(plan.responds, count) * at.WILL_RESPOND
        first = batches.add(
            count, manner=manner | asked, code=-1, until=plan.until, crowd=plan.crowd, responds=responds
        )
        if responds.any():
            self._listeners.questions.about_responses(first, plan.respond)
        if plan.impatient:
            self._pool.expect_impatience()
        for user, rhythm, last in zip(range(first, first + count), plan.rhythms, plan.last_begin, strict=False):
            batches.rhythm[user] = self._pool.batches.rhythms.add(
                WEEK_HOURS, active=rhythm.borders[:-1], pace=rhythm.weights
            )
            batches.shift[user], batches.last_begin[user] = rhythm.shift, last
        self._scheduler.follow(self)
        self._first.append(first)
        self._plans.append(plan)
        for user in range(count if plan.numbered else 0):
            if (ahead := plan.more(user, float(self._env.now))) is not None:
                self._supply(first + user, ahead)
        self._listeners.expect(count)
        self._bind()
        return range(first, first + count)

    def start(self, users: range) -> simpy.Event:
        """Let users begin now; returns the event of the end of their last campaigns."""
        if not users:
            return simpy.Event(self._env).succeed()
        total, over = self._listeners.new_watch(len(users))
        self._pool.batches.batches.total[users.start : users.stop] = total
        self._set_out(np.arange(users.start, users.stop))
        return over

    def due_of(self, plan: Plan, user: int) -> tuple[Ints, Floats, int]:
        """The rows of the campaign of a user that is due, their offsets, and its number among those known ahead."""
        chains, who = self._pool.batches, self._first[self._plans.index(plan)] + user
        job, link = chains.batches.job.item(who), chains.batches.link.item(who)
        its = slice(job, job + chains.campaigns.jobs.item(link))
        return chains.members.members[its], chains.members.offset[its], link - self._supplied[who]

    def stop(self, users: range) -> None:
        """These users submit nothing more."""
        pool, batches = self._pool, self._pool.batches.batches
        batches.link[users.start : users.stop] = batches.stop_link[users.start : users.stop]
        batches.manner[users.start : users.stop] |= at.LAST
        due = batches.due[: pool.truth.due_count].tolist()
        pool.truth.due_count = 0
        pool.truth.next_release = inf
        for batch in due:
            if batch in users:
                count_down(pool.truth, batches.total.item(batch))
            else:
                pool.truth.next_stamp = batches.stamp[batch]
                await_release(pool.truth, batch)

    def prepare(self) -> None:
        """The engine is about to let users think and submit: number their next steps, and say where rows end."""
        self._pool.truth.next_stamp = take_number(self._env)
        self._pool.truth.known_rows = self._pool.requests.size

    def adopt(self) -> None:
        """The engine may have made rows."""
        requests, rows = self._pool.requests, self._pool.truth.known_rows
        if rows > requests.size:
            requests.numbered_here[requests.size : rows] = True
            requests.size = self._pool.outcomes.size = rows

    def help(self, now: float) -> None:
        """Help the user for whom the engine has stopped."""
        if self._listeners.questions.awaits_response:
            self.adopt()
            self._listeners.questions.respond(now)
            self.prepare()
            return
        user = self._pool.truth.who
        if user >= 0:
            self._make_way(user)
        else:
            self._let_think(np.array([-1 - user]), now)

    def await_turn(self) -> None:
        """Let the first campaign that is due be submitted in its turn among SimPy's events."""
        if self._pool.truth.due_count:
            batches = self._pool.batches.batches
            first = batches.due.item(0)
            self.turn.at(batches.release.item(first), batches.stamp.item(first))

    def _submit(self, stamp: int) -> None:
        """SimPy would wake the processes with this number now."""
        self.prepare()
        while not submit_due(self._pool.state, self._pool.truth, float(self._env.now), stamp):
            self.help(float(self._env.now))
        self._go_on()

    def _wake(self, users: list[int]) -> None:
        """The campaigns of these users are over."""
        event = simpy.Event(self._env)
        assert event.callbacks is not None
        event.callbacks.append(lambda event: self._set_out(event.value))
        event.succeed(np.array(users))

    def _set_out(self, users: Ints) -> None:
        """These users think now."""
        self.prepare()
        self._let_think(users, float(self._env.now))
        self._go_on()

    def _let_think(self, users: Ints, now: float) -> None:
        place = 0
        while (place := set_out(self._pool.state, self._pool.truth, now, users, place)) < len(users):
            place += self._help(users.item(place), now)

    def _go_on(self) -> None:
        """The engine has let users think or submit."""
        self.adopt()
        if self._pool.truth.reached <= self._env.now:  # between two grid points, a leap may be ahead
            self._listeners.tell(self._env.now)
        if self._pool.truth.arrived_count:
            now = ceil_to_grid(self._env.now)
            if self._pool.eligibility is not None:  # the engine looks at what they wait for
                self._pool.truth.next_arrival = min(self._pool.truth.next_arrival, now)
            self._scheduler.ring_at(now)
        self._scheduler.ring_at(next_submission(self._pool.truth))
        self.await_turn()

    def _help(self, user: int, now: float) -> bool:
        """Do for a user what the engine cannot do; true if a process does what the user does from now on."""
        plan, own = self._plan_of(user)
        batches, jobs = self._pool.batches.batches, self._pool.batches.jobs
        if batches.balked[user] == UNTOLD:
            stop = batches.job.item(user)
            begin = stop - self._pool.batches.campaigns.jobs.item(batches.link.item(user) - 1)
            self._lost.balked(now, plan.names[own], jobs.length[begin:stop], jobs.width[begin:stop])
            batches.balked[user] = LOOKS_AGAIN
            return False
        if not needs_help(self._pool.truth, user):
            self._make_way(user)
            return False
        self.adopt()
        if (ahead := plan.more(own, now)) is None:
            self._env.process(self._process(user, plan.process(own)))
            return True
        self._supply(user, ahead)
        self._bind()
        return False

    def _think(self, user: int, now: float) -> None:
        """Ask how long a user thinks."""
        self.adopt()
        plan, own = self._plan_of(user)
        campaigns, link = self._pool.batches.campaigns, self._pool.batches.batches.link.item(user)
        least = SECOND_LOOK if self._pool.batches.batches.balked[user] else 0.0
        campaigns.thought[link] = plan.wait(own, now, campaigns.thought.item(link), least)

    def _plan_of(self, user: int) -> tuple[Plan, int]:
        """The plan of a user, and the user's place in it."""
        place = bisect_right(self._first, user) - 1
        return self._plans[place], user - self._first[place]

    def _make_way(self, user: int) -> None:
        """Let a user submit, who has no code yet, or for whose jobs there is no room."""
        batches, campaigns = self._pool.batches.batches, self._pool.batches.campaigns
        if not batches.manner[user] & at.NUMBERED:
            self._pool.make_tables(1)
            return
        if batches.code[user] < 0:
            plan, own = self._plan_of(user)
            batches.code[user] = self._labels.code("user", plan.names[own])
        self.adopt()
        self._pool.reserve(campaigns.jobs.item(batches.link.item(user)))

    def _supply(self, user: int, ahead: Ahead) -> None:
        """Note the next campaigns of a user."""
        chains, count = self._pool.batches, len(ahead.jobs)
        batches, campaigns = chains.batches, chains.campaigns
        given = {name: getattr(ahead, name) for name in ("rest", "begin", "overlaps", "endures")}
        link = campaigns.add(count, jobs=ahead.jobs, thought=ahead.think_time, **given)
        batches.link[user], batches.stop_link[user] = link, link + count
        self._supplied[user] = link
        if ahead.rows is not None:
            rows = np.arange(ahead.rows.start, ahead.rows.stop)
            batches.job[user] = chains.members.add(len(rows), members=rows, offset=ahead.offset)
            self._pool.truth.known_rows = self._pool.requests.size
        elif ahead.runtime is not None:
            told = {"length": ahead.runtime, "asked": ahead.estimate, "width": ahead.processors}
            batches.job[user] = chains.jobs.add(len(ahead.runtime), **told)
        if ahead.last:
            batches.manner[user] |= at.LAST

    def _bind(self) -> None:
        if self._room != self._pool.batches.room:
            self._room = self._pool.batches.room
            self._pool.bind()

    def _process(self, user: int, process: Any) -> Any:
        yield from process
        count_down(self._pool.truth, self._pool.batches.batches.total.item(user))
        self._listeners.tell(self._env.now)
