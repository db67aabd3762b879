"""Campaign users: submit a campaign of jobs, wait for all of them, think, repeat.

The user model of the ostrich paper (section 3): a campaign is a set of independent jobs submitted together. The
think time runs from the end of its last job to the next submission. ``campaign_user`` is a SimPy process; a
`Profile` describes such a user's campaigns, and ``population`` starts many users at once. Each has
its own random stream, so that the same user draws the same jobs and think times under every policy.

``turnover`` starts users over time: users come, stay for a while, and go. When a user comes, for how long, and what it
does depend only on the seed and the user's number, not on the policy or the other users.
"""

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, islice
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np
import simpy

from thinktime.models.engine.codes.plans import SECOND_LOOK
from thinktime.models.machine.job_records import NEVER_SUBMITTED, CampaignRecord
from thinktime.models.machine.machine import Machine
from thinktime.users.drawn_campaigns import (
    MOST_JOBS,
    QUANTITIES,
    AtOnce,
    DrawnCampaigns,
    Ending,
    Kept,
    foreseeable,
    is_impatient,
)
from thinktime.users.local_hours import WorkingHours
from thinktime.users.profiles import Profile, Reaction
from thinktime.users.sampling import draws, usable
from thinktime.users.source import Begun, Source, followed
from thinktime.users.user_at_work import UserAtWork
from thinktime.workloads.generators.quantities import Quantity
from thinktime.workloads.grid import ceil_to_grid
from thinktime.workloads.job import Job
from thinktime.workloads.names import explain_arguments, quoted
from thinktime.workloads.streams import Seed, sequence, stream
from thinktime.workloads.units import Duration, as_seconds

Process = Generator[simpy.Event, Any, None]
THINK_TIME = QUANTITIES.index("think_time")


class CampaignUsers(Source):
    """Campaign users by name, each with a `Profile`; the arguments are those of `population`.

    A source that is run ``again`` and again keeps what it has drawn.
    """

    chained, recorded = True, False

    def __init__(
        self,
        users: Mapping[str | int, Profile] | Sequence[Profile] | Profile,
        seed: Seed = 0,
        campaigns: float = math.inf,
        until: Duration = math.inf,
        again: bool = False,
    ) -> None:
        users, until = named(users), as_seconds("until", until)
        self._given = users, seed, campaigns, until
        self._kept = Kept() if again else None
        self.endless = campaigns == until == math.inf
        self.resizes = any(
            profile.nodes is not None and any(each.resizes for each in profile.behaviours) for profile in users.values()
        )

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Start the process, or the plan, of every user."""
        return Begun(env.all_of(population(env, machine, *self._given, self._kept)))


def campaign_user(
    env: simpy.Environment,
    machine: Machine,
    name: str | int,
    rng: np.random.Generator,
    profile: Profile,
    campaigns: float = math.inf,
    until: Duration = math.inf,
) -> Process:
    """One user as a SimPy process: ``env.process(campaign_user(env, machine, "ada", rng, profile))``.

    Ends after ``campaigns`` campaigns, or when a submission would come after ``until`` (s); by default
    it never ends, so run the environment ``until`` some time.

    >>> import simpy, thinktime as tt
    >>> env = simpy.Environment()
    >>> machine = tt.Machine(env, processors=4)
    >>> profile = tt.Profile(runtime=60, jobs=3, think_time=600)
    >>> user = env.process(campaign_user(env, machine, "ada", tt.stream(1, "ada"), profile, campaigns=2))
    >>> env.run()
    >>> machine.result()["submit"].tolist()
    [0.0, 0.0, 0.0, 660.0, 660.0, 660.0]
    """
    until = as_seconds("until", until)
    source: Any = rng.bit_generator
    seeds = source.seed_seq.spawn(len(QUANTITIES))

    def opened(user: int, place: int) -> np.random.Generator:
        return np.random.Generator(type(source)(seeds[place]))

    person, ending = Person(name, rng, profile, partial(opened, 0)), Ending(campaigns, until)
    if not _can_follow_a_plan(profile, machine):
        yield from _process(env, machine, person, ending)
        return

    def process(user: int, known: int, jobs: int) -> Process:
        return _process(env, machine, person, ending, known, jobs)

    def at_work(user: int) -> UserAtWork:
        return UserAtWork(env, machine, name, rng, profile, copy)

    plan = DrawnCampaigns([name], [profile], opened, process, at_work, machine, ending)
    yield from followed(machine, machine.plans.add(plan))


def population(
    env: simpy.Environment,
    machine: Machine,
    users: Mapping[str | int, Profile] | Sequence[Profile] | Profile,
    seed: Seed = 0,
    campaigns: float = math.inf,
    until: Duration = math.inf,
    kept: Kept | None = None,
) -> list[simpy.Process]:
    """Start a campaign user for every name in ``users``, each with a stream made from ``seed`` and the name.

    A list of profiles, or a single one, is of users called ``user 1``, ``user 2``, ….

    Users who cannot react (`thinktime.users.drawn_campaigns.foreseeable`) share a process with their neighbours.

    No user submits after ``until`` (s), nor more than so many ``campaigns``. ``kept`` are numbers that the same users
    drew in other runs. Returns the processes.

    >>> import simpy, thinktime as tt
    >>> env = simpy.Environment()
    >>> machine = tt.Machine(env, processors=4)
    >>> processes = population(env, machine, tt.mix(3, {"short": 2, "long": 1}), seed=1)
    >>> env.run(until=tt.DAY)
    >>> sorted(set(machine.result().jobs["user"]))
    ['long 1', 'short 1', 'short 2']
    """
    until, users = as_seconds("until", until), named(users)
    ending = Ending(campaigns, until)

    def together(names: list[str | int]) -> Process:
        def opened(user: int, place: int) -> np.random.Generator:
            return np.random.default_rng(sequence(seed, names[user], child=place))

        def process(user: int, known: int, jobs: int) -> Process:
            name = names[user]
            person = Person(name, stream(seed, name), users[name], partial(opened, user))
            return _process(env, machine, person, ending, known, jobs)

        def at_work(user: int) -> UserAtWork:
            name = names[user]
            return UserAtWork(env, machine, name, stream(seed, name), users[name], copy)

        profiles = [users[name] for name in names]
        plan = DrawnCampaigns(names, profiles, opened, process, at_work, machine, ending, kept)
        return followed(machine, machine.plans.add(plan))

    def alone(name: str | int) -> Process:
        return campaign_user(env, machine, name, stream(seed, name), users[name], campaigns, until)

    processes: list[Process] = []
    for planned, group in groupby(users, lambda name: _can_follow_a_plan(users[name], machine)):
        names = list(group)
        processes += [together(names)] if planned else map(alone, names)
    return [env.process(each) for each in processes]


def named(users: Any) -> Mapping[str | int, Profile]:
    """Users by name; ``TypeError`` for what has no profiles."""
    if isinstance(users, Mapping):
        found: Mapping[str | int, Profile] = users
    else:
        listed = [users] if isinstance(users, Profile) else list(users) if isinstance(users, Iterable) else [users]
        found = {f"user {number}": profile for number, profile in enumerate(listed, 1)}
    for name, profile in found.items():
        if not isinstance(profile, Profile):
            raise TypeError(
                f"users are profiles by name, such as {{'ada': Profile(…)}}, or a list of profiles; {quoted(name)} has "
                f"{quoted(profile)}"
            )
    return found


def _can_follow_a_plan(profile: Profile, machine: Machine) -> bool:
    return machine.can_plan(is_impatient(profile)) and foreseeable(profile)


class Person(NamedTuple):
    """Who a user is."""

    name: str | int
    rng: np.random.Generator
    profile: Profile
    opened: Callable[[int], np.random.Generator]
    """The stream of one of `QUANTITIES`, from its beginning."""


def _process(
    env: simpy.Environment, machine: Machine, person: Person, ending: Ending, known: int = 0, jobs: int = 0
) -> Process:
    """A user who may react, after ``known`` campaigns with so many jobs."""
    name, rng, profile, opened = person
    streams = [opened(place) for place in range(len(QUANTITIES))]
    used = {"jobs": known, "think_time": max(known - 1, 0), "first": min(known, 1)}
    numbers = {
        part: islice(_numbers(profile, part, stream, name), used.get(part, jobs), None)
        for part, stream in zip(QUANTITIES, streams, strict=True)
    }
    user = UserAtWork(env, machine, name, rng, profile)
    user.campaign = known
    ended, thought = env.now, next(numbers["think_time" if known else "first"])
    at_once = AtOnce(name)
    while user.campaign < ending.campaigns and not user.gone:
        at_once.add(env.now)
        submit = due = _submission(ended + usable(thought, name, "think_time"), profile.hours)
        while submit <= ending.until:
            if submit > env.now:
                yield env.timeout(submit - env.now)
            if submit == due:
                user.intended = _planned(name, profile, numbers, submit - ended if user.campaign else None)
            later = user.postponed(submit)
            if later == submit:
                break
            submit = _submission(later, profile.hours)
        else:
            return
        planned = user.intended
        if submit > due and user.campaign:
            planned = [replace(job, think_time=submit - ended) for job in planned]
        last = yield from user.carry_out(planned)
        ended = env.now
        thought = user.thought(last, _thought(profile, numbers, last, streams[THINK_TIME]))
        if last.number == NEVER_SUBMITTED:
            thought = max(thought, SECOND_LOOK)
        user.campaign += 1


def _numbers(profile: Profile, part: str, rng: np.random.Generator, name: str | int) -> Iterator[float]:
    quantity = getattr(profile, part)
    if isinstance(quantity, Reaction):
        return iter(())
    return (usable(value, name, part) for value in draws(quantity, rng, part))


def _thought(
    profile: Profile, numbers: Mapping[str, Iterator[float]], last: CampaignRecord, rng: np.random.Generator
) -> float:
    if isinstance(profile.think_time, Reaction):
        thought = float(profile.think_time.function(last, rng))
        if math.isnan(thought) and not last.served:
            raise ValueError(
                f"user {quoted(last.jobs[0].user)}: the think time after a campaign that was given up is nan; such a "
                "campaign has no response_time and no stretch; last.elapsed is how long it took until it was over"
            )
        return thought
    return next(numbers["think_time"])


def _submission(time: float, hours: WorkingHours | None) -> float:
    """When a submission intended for ``time`` is made: on the grid of time, within working hours."""
    return ceil_to_grid(time if hours is None else hours.next(time))


def _planned(name: str | int, profile: Profile, numbers: Mapping[str, Any], thought: float | None) -> list[Job]:
    """The jobs of the next campaign."""
    size = _size(usable(next(numbers["jobs"]), name, "jobs"), name)
    return [_job(name, profile, numbers, thought) for _ in range(size)]


def _job(name: str | int, profile: Profile, numbers: Mapping[str, Any], thought: float | None) -> Job:
    runtime = next(numbers["runtime"])
    nodes, labels = profile.nodes, dict[str, Any](profile.labels)
    return Job(
        user=name,
        runtime=runtime,
        estimate=runtime * next(numbers["overestimate"]),
        processors=_count(next(numbers["processors"])) if nodes is None else 1,
        nodes=nodes,
        think_time=thought,
        **labels,
    )


def _size(number: float, name: str | int) -> int:
    if number > MOST_JOBS:
        raise ValueError(f"a campaign of user {quoted(name)} has {number:,.15g} jobs, more than {MOST_JOBS:,.0f}")
    return _count(number)


def _count(number: float) -> int:
    return max(1, round(number))


class TurnoverOptions(TypedDict, total=False):
    """The fields of `Turnover` as keyword arguments."""

    between: Quantity | str | None
    stay: Quantity | str | None
    start: int
    until: Duration


@explain_arguments
@dataclass(frozen=True, kw_only=True)
class Turnover:
    """How users come and go: times in s, or texts."""

    between: Any = None
    """From one to the next who comes; None: no user does."""
    stay: Any = None
    """For how long each stays; None: for good."""
    start: int = 0
    """So many are there from the beginning."""
    until: Any = math.inf
    """No user comes after this time."""

    def __post_init__(self) -> None:
        start = self.start
        if isinstance(start, bool) or not isinstance(start, int) or start < 0:
            raise ValueError(f"start must be a whole number of users of at least 0, not {quoted(start)}")
        for name in ("between", "stay", "until"):
            object.__setattr__(self, name, as_seconds(name, getattr(self, name)))


def turnover(
    env: simpy.Environment,
    machine: Machine,
    profile: Profile | Callable[[int], Profile],
    seed: Seed,
    name: str = "user",
    **options: Unpack[TurnoverOptions],
) -> Generator[simpy.Event, None, None]:
    """A population as a process: ``env.process(turnover(env, machine, profile, seed=1, between=DAY, start=10))``.

    ``start`` users are there from the beginning, and another comes after each time ``between`` (s; default: none
    come) up to ``until`` (s). Each stays for a time ``stay`` (s; default: for good). A user who has left submits
    nothing more, and submitted jobs run to their end. So a population without ``stay`` grows, one without ``between``
    shrinks, and one with both tends to stay / between users (means). Users are called ``user 1``, ``user 2``, … and
    have the same profile, or the one that a function returns for their number.
    """
    how = Turnover(**options)
    gaps = None if how.between is None else draws(how.between, stream(seed, name, "between"), "between")
    count = 0
    while count < how.start or gaps is not None:
        if count >= how.start:
            assert gaps is not None
            come = env.now + usable(next(gaps), name, "between")
            if come > how.until:
                return
            yield env.timeout(come - env.now)
        count += 1
        label = f"{name} {count}"
        leave = math.inf
        if how.stay is not None:
            drawn = next(draws(how.stay, stream(seed, label, "stay"), "stay"))
            leave = env.now + usable(drawn, label, "stay")
        own = profile if isinstance(profile, Profile) else profile(count)
        env.process(campaign_user(env, machine, label, stream(seed, label), own, until=leave))
