"""Habits of persons at a computing centre that no model of ours was made for, as processes.

Each is what one person does, for ever. The numbers of a person are drawn in an order of their own, so they are the same
under every policy and on every machine. Times are whole seconds. All habits and their numbers are ours.

============  ====================================================================================================
budget        submits campaigns in a row until 3 to 12 jobs are submitted on a day, and goes on the next morning
assignment    one of three courses with deadlines: thinks the faster the nearer the deadline is, then rests
shifts        two persons on one account, by day and in the evening, each of whom waits for their own campaigns
watching      looks at the queue every quarter of an hour or so, and submits when few jobs wait
share         goes on when half to almost all of a campaign is over
half-days     comes back at the next 8 or 13 o'clock of a working day after a result
meeting       gets a plan in a weekly meeting, and works it off; what is left at the next one is dropped
discouraged   stays away for a day or more after a slow response, the likelier the slower it was
instrument    has data to process that come in as an instrument takes them, at most so many campaigns at a time
relay         two accounts in turns: each takes the result of the other and goes on from there
expectation   thinks the longer, the slower the last responses were than the person is used to
============  ====================================================================================================
"""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import simpy

import thinktime as tt
from thinktime.analysis.studies.prediction.persons import Person
from thinktime.analysis.studies.prediction.pipelines import PARTS, submit_campaign
from thinktime.users import draws

Process = Generator[simpy.Event, Any, None]
COLLEAGUE = 1000
"""The account of a person's colleague has a number so much higher."""
COURSES = 3
NEVER_QUITE = tt.HOUR
"""So long before the deadline (s) it is as near as it gets."""
USUAL = tt.DAY
"""With so much time left (s) before a deadline, students think as fast as ever."""
TURNS = (tt.WorkingHours(7, 15), tt.WorkingHours(15, 23))
HALVES = (8 * tt.HOUR, 13 * tt.HOUR)
INSTRUMENT = tt.WorkingHours(9, 20, (0, 1, 2, 3, 4, 5))
RECENT, LONG = 0.8, 0.98
"""The weight of what was before, with each response: in what the last ones were, and in what a person is used to."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a person works: on a machine, with the seed of what they draw."""

    env: simpy.Environment
    machine: tt.Machine
    seed: tuple[int, ...]
    """Of what is drawn in a run: of the world, and the dice."""
    world: tuple[int, ...]
    """The seed of what a person is, whatever the dice."""

    @property
    def now(self) -> float:
        """The time of the simulation, s."""
        return float(self.env.now)

    def until(self, time: float) -> simpy.Event:
        """The event of a time, or of the next whole second, if that is over."""
        return self.env.timeout(max(0.0, float(np.ceil(time)) - self.now))


class PersonAtWork:
    """A person at work."""

    def __init__(self, place: Place, number: int, one: Person, account: int | None = None) -> None:
        """Person of a number; ``account`` is where they submit, if not there."""
        self.place, self.number = place, number
        self.account = number if account is None else account
        self.first = float(one.profile.first)  # type: ignore[arg-type]
        self.gap = one.gap
        self._numbers = {
            part: draws(getattr(one.profile, part), tt.stream(place.seed, number, part), part) for part in PARTS
        }

    def being(self, purpose: str) -> np.random.Generator:
        """The numbers of what they are."""
        return tt.stream(self.place.world, self.number, purpose)

    def luck(self, purpose: str) -> np.random.Generator:
        """The numbers of what happens to them."""
        return tt.stream(self.place.seed, self.number, purpose)

    def jobs(self) -> int:
        """The size of the next campaign."""
        return int(next(self._numbers["jobs"]))

    def thought(self) -> float:
        """The next think time at a usual speed, s."""
        return next(self._numbers["think_time"])

    def submit(self, jobs: int) -> simpy.Event:
        """Submit a campaign; the event of its end."""
        return submit_campaign(self.place.machine, self.account, self._numbers, jobs)

    def begin(self) -> simpy.Event:
        """The event of the time at which the person first submits."""
        return self.place.until(self.first)

    def think(self, times: float = 1.0) -> simpy.Event:
        """A think time, or so many times as much."""
        return self.place.until(self.place.now + times * self.thought())


def budget(one: PersonAtWork) -> Process:
    """So many jobs a day."""
    place, late = one.place, one.luck("late")
    most = int(one.being("budget").integers(3, 13))
    morning = tt.WorkingHours(float(one.being("morning").integers(6, 11)), 24, (0, 1, 2, 3, 4, 5, 6))
    yield one.begin()
    day, left = place.now // tt.DAY, most
    while True:
        if place.now // tt.DAY != day:
            day, left = place.now // tt.DAY, most
        if left == 0:
            yield place.until(morning.morning(place.now) + late.uniform(0, tt.HOUR))
            continue
        jobs = min(left, one.jobs())
        left -= jobs
        yield one.submit(jobs)
        yield one.think()


def terms(world: tuple[int, ...], course: int) -> Iterator[tuple[float, float]]:
    """When each assignment of a course is set and due, s."""
    rng = tt.stream(world, course, "course")
    at = float(rng.integers(0, 4)) * tt.DAY + 12 * tt.HOUR
    while True:
        due = at + float(rng.integers(5, 13)) * tt.DAY
        yield at, due
        at = due + float(rng.integers(1, 4)) * tt.DAY


def nearer(left: float, thought: float) -> float:
    """How much time is left after a think time at a usual speed (s), with so much of it left before; 0 if none is."""
    return max(0.0, (left + NEVER_QUITE) * float(np.exp(-thought / (USUAL + NEVER_QUITE))) - NEVER_QUITE)


def assignment(one: PersonAtWork) -> Process:
    """Campaigns that come the faster, the nearer a deadline is."""
    place = one.place
    for at, due in terms(place.world, one.number % COURSES):
        yield place.until(at)
        while (left := nearer(due - place.now, one.thought())) > 0:
            yield place.until(due - left)
            yield one.submit(one.jobs())
        yield place.until(due)


def shift(one: PersonAtWork, hours: tt.WorkingHours) -> Process:
    """Campaigns in a row, at some hours."""
    place, late = one.place, one.luck("late")
    yield one.begin()
    while True:
        if hours.next(place.now) > place.now:
            yield place.until(hours.next(place.now) + late.uniform(0, tt.HOUR / 2))
        yield one.submit(one.jobs())
        yield one.think()


def watching(one: PersonAtWork) -> Process:
    """Looks at the queue, and a campaign when it is short."""
    place, rng = one.place, one.being("watching")
    few, every = int(rng.integers(1, 12)), tt.MINUTE * float(rng.integers(8, 31))
    yield one.begin()
    while True:
        while place.machine.sight(one.account).queue_length >= few:
            yield place.until(place.now + every)
        yield one.submit(one.jobs())
        yield one.think()


def share(one: PersonAtWork) -> Process:
    """Larger campaigns, of which a part is enough."""
    part = float(one.being("share").uniform(0.5, 0.95))
    yield one.begin()
    while True:
        jobs = 2 + 2 * one.jobs()
        events = [one.submit(1) for _ in range(jobs)]
        while sum(each.processed for each in events) < np.ceil(part * jobs):
            yield one.place.env.any_of([each for each in events if not each.processed])
        yield one.think()


def half_days(one: PersonAtWork) -> Process:
    """A campaign at the first of two times of a working day that comes at least ten minutes after the result."""
    place, late = one.place, one.luck("late")
    hours = [tt.WorkingHours(time / tt.HOUR, 24) for time in HALVES]
    yield one.begin()
    while True:
        next_time = min(each.morning(place.now + 10 * tt.MINUTE) for each in hours)
        yield place.until(next_time + late.uniform(0, 5 * tt.MINUTE))
        yield one.submit(one.jobs())


def meeting(one: PersonAtWork) -> Process:
    """Plans of so many campaigns, by the week."""
    place, rng, luck = one.place, one.being("meeting"), one.luck("plans")
    at = float(rng.integers(0, 5)) * tt.DAY + float(rng.integers(9, 16)) * tt.HOUR
    mean = float(rng.uniform(4.0, 15.0))
    for week in count():
        plan, late = luck.geometric(1 / mean), luck.uniform(0, 2 * tt.HOUR)
        begin = at + week * tt.WEEK
        yield place.until(begin + late)
        for _ in range(plan):
            yield one.submit(one.jobs())
            yield one.think()
            if place.now >= begin + tt.WEEK:
                break


def discouraged(one: PersonAtWork) -> Process:
    """Campaigns in a row, and absences after slow responses."""
    place, luck = one.place, one.luck("discouraged")
    enough = tt.HOUR * float(one.being("enough").uniform(1.0, 8.0))
    yield one.begin()
    while True:
        begun = place.now
        yield one.submit(one.jobs())
        stays, away = luck.random(), tt.DAY * float(luck.lognormal(0.3, 0.8))
        yield one.think()
        if stays > np.exp(-((place.now - begun) / enough) / 2):
            yield place.until(place.now + away)


def instrument(one: PersonAtWork) -> Process:
    """A campaign for each set of data, at most so many at a time."""
    place, luck, rng = one.place, one.luck("instrument"), one.being("instrument")
    most, mean = int(rng.integers(1, 4)), one.gap / float(rng.uniform(6.0, 14.0))
    sets = simpy.Store(place.env)
    place.env.process(_measured(place, sets, luck, mean))
    running: list[simpy.Event] = []
    while True:
        yield sets.get()
        while len(running) >= most:
            yield place.env.any_of(running)
            running = [each for each in running if not each.processed]
        running.append(one.submit(one.jobs()))


def _measured(place: Place, sets: simpy.Store, luck: np.random.Generator, mean: float) -> Process:
    while True:
        time = place.now + luck.exponential(mean)
        delay = luck.uniform(0, tt.HOUR)
        yield place.until(time if INSTRUMENT.next(time) == time else INSTRUMENT.next(time) + delay)
        yield sets.put(None)


def relay(one: PersonAtWork, other: PersonAtWork) -> Process:
    """Two persons who wait for each other."""
    yield one.begin()
    while True:
        for each in (one, other):
            yield each.submit(each.jobs())
            yield each.think()


def expectation(one: PersonAtWork) -> Process:
    """Think times by what the last responses were against those before."""
    place = one.place
    yield one.begin()
    usual = recent = tt.HOUR
    while True:
        begun = place.now
        yield one.submit(one.jobs())
        response = place.now - begun + tt.MINUTE
        recent, usual = recent**RECENT * response ** (1 - RECENT), usual**LONG * response ** (1 - LONG)
        yield one.think(float(np.clip((recent / usual) ** 1.5, 0.2, 8.0)))


def _shifts(place: Place, number: int, one: Person) -> Iterator[Process]:
    for turn, hours in enumerate(TURNS):
        yield shift(PersonAtWork(place, number + turn * COLLEAGUE, one, number), hours)


def _relay(place: Place, number: int, one: Person) -> Iterator[Process]:
    yield relay(PersonAtWork(place, number, one), PersonAtWork(place, number + COLLEAGUE, one))


def _alone(habit: Callable[[PersonAtWork], Process]) -> Callable[[Place, int, Person], Iterator[Process]]:
    return lambda place, number, one: iter([habit(PersonAtWork(place, number, one))])


HABITS: dict[str, Callable[[Place, int, Person], Iterator[Process]]] = {
    "budget": _alone(budget),
    "assignment": _alone(assignment),
    "shifts": _shifts,
    "watching": _alone(watching),
    "share": _alone(share),
    "half-days": _alone(half_days),
    "meeting": _alone(meeting),
    "discouraged": _alone(discouraged),
    "instrument": _alone(instrument),
    "relay": _relay,
    "expectation": _alone(expectation),
}
"""The processes of each person of a number with such a habit."""
