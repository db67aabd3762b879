"""Classes of users whose campaigns begin as arrivals say; streams of jobs as campaigns; users' own clocks."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.how_many import few_or_many
from thinktime.users.scripted import planned_user
from thinktime.workloads import DAY, HOUR, Trace
from thinktime.workloads.generators import (
    MMPP2,
    Campaigns,
    Extent,
    Factor,
    Flurry,
    Geometric,
    Mix,
    OneOf,
    Poisson,
    Recipe,
    Stream,
    UserClass,
    Zipf,
    daily,
    generate,
    offered_load,
    plans_of,
    preset,
    weekly,
)
from thinktime.workloads.generators.arrivals import hourly_dispersion
from thinktime.workloads.generators.cycles import UserClock
from thinktime.workloads.generators.user_classes import Band
from thinktime.workloads.hours import WorkingHours

SIZE: dict[str, Any] = {"jobs": 6_000, "users": 26, "processors": 64, "seed": 3}
OFFICE = WorkingHours(9, 17)
NARROW = UserClass(name="narrow", users=3, campaigns=1, jobs=Geometric(4), gaps=10, runtimes=60)
WIDE = UserClass(
    name="wide", campaigns=2, processors=OneOf((4, 32), (3, 1)), runtimes=5_000, bands=(Band(upto=4, runtimes=700),)
)
MIX = Mix(arrivals=Poisson(mean=500), classes=(NARROW, WIDE))


def by_hand(trace: Trace) -> dict[int, np.ndarray]:
    """The rows of each class."""
    return {group: np.flatnonzero(trace.group == group) for group in (1, 2)}


def test_what_classes_say() -> None:
    """Shares of campaigns and users, jobs of a campaign, their gaps, widths and run times are as the classes say."""
    trace = generate(Recipe(model=MIX), **SIZE)
    rows = by_hand(trace)
    assert set(trace.user[rows[1]]) <= set(range(1, 21)) and set(trace.user[rows[2]]) <= set(range(21, 27))
    campaigns = [len(rows[1]) / 4, len(rows[2])]
    assert campaigns[0] / sum(campaigns) == pytest.approx(1 / 3, abs=0.03)
    assert set(trace.runtime[rows[1]]) == {60} and set(trace.processors[rows[1]]) == {1}
    assert set(zip(trace.processors[rows[2]], trace.runtime[rows[2]], strict=True)) == {(4, 700), (32, 5_000)}
    assert (trace.processors[rows[2]] == 32).mean() == pytest.approx(1 / 4, abs=0.03)


def test_the_busiest_users() -> None:
    """Zipf's exponent and a log-normal spread say how unequal users are; without them all are alike."""
    shares = {}
    for name, more in {"even": {}, "zipf": {"exponent": 1.0}, "spread": {"spread": 2.0}}.items():
        mix = Mix(classes=(UserClass(name="all", **more),))
        users = generate(Recipe(model=mix), **SIZE).user
        shares[name] = np.bincount(users, minlength=27)[1:] / len(users)
    assert shares["even"] == pytest.approx([1 / 26] * 26, abs=0.011)
    weights = 1 / np.arange(1, 27)
    assert shares["zipf"] == pytest.approx(weights / weights.sum(), abs=0.02)
    assert shares["spread"][:3].sum() > 0.5 and (shares["spread"] > 0).sum() > 20


def test_too_few_users() -> None:
    """Every class has a user, so there cannot be fewer users than classes."""
    with pytest.raises(ValueError, match="users must be at least 2, one for each class of the recipe, not 1"):
        generate(Recipe(model=MIX), **{**SIZE, "users": 1})


def test_extent() -> None:
    """A recipe may hold its own extent; what is given goes before it; without either it is asked for."""
    recipe = Recipe(extent=Extent(jobs=50, users=3, processors=8))
    assert len(generate(recipe, seed=1)) == 50 and len(generate(recipe, seed=1, jobs=70)) == 70
    with pytest.raises(ValueError, match="jobs must be given: the recipe has no extent"):
        generate(Recipe(), seed=1)


@pytest.mark.parametrize("load", [None, 0.6])
@pytest.mark.parametrize("cycle", [None, weekly()])
def test_plans_are_the_log_s_campaigns(load: float | None, cycle: Any) -> None:
    """Users in the loop mean to begin their campaigns when these come in the log, with jobs of the same kind."""
    arrivals = MMPP2(rates=(0.02, 0.0005))
    recipe = Recipe(model=replace(MIX, arrivals=arrivals), load=load, cycle=cycle, requested=Factor(factor=3))
    trace, plans = generate(recipe, **SIZE), plans_of(recipe, **SIZE)
    planned = sorted(
        (time, plan.user, runtime, size, estimate)
        for plan in plans
        for time, *columns in zip(plan.begins or (), plan.runtimes, plan.processors, plan.estimates, strict=True)
        for runtime, size, estimate in zip(*columns, strict=True)
    )
    columns = (trace.user, trace.runtime, trace.processors, trace.estimate)
    assert sorted(each[1:] for each in planned) == sorted(zip(*(c.tolist() for c in columns), strict=True))
    first = {plan.user: (plan.begins or [0])[0] for plan in plans}
    for user, time in first.items():
        assert trace.submit[trace.user == user].min() == time


def play(recipe: Recipe, processors: int, policy: str = "easy", **size: Any) -> tt.Result:
    """Users in the loop, all their campaigns."""
    env = simpy.Environment()
    machine = tt.Machine(env, processors=processors, policy=policy)
    closed = recipe.closed()
    clock = UserClock(closed.cycle, getattr(closed.model, "hours", None))
    for plan in plans_of(closed, processors=processors, **size):
        env.process(planned_user(env, machine, plan, clock))
    env.run()
    return machine.result()


def test_bursty_recipes_with_users_in_the_loop() -> None:
    """A recipe of jobs becomes campaigns that begin in its bursts; no user begins one before the last is over.

    No user begins before the planned time, and one who is late begins at the end of the campaign before.
    """
    recipe = Recipe(model=Stream(arrivals=MMPP2(), runtimes=600, sizes=1), users=Zipf())
    size = {"jobs": 3_000, "users": 12, "seed": 5}
    result = play(recipe, 8, **size)
    assert len(result) == 3_000
    names = result.labels("user")
    for plan in plans_of(recipe, processors=8, **size):
        rows = np.flatnonzero(names == f"{plan.profile} {plan.user}")
        place, over = 0, 0.0
        for begin, jobs in zip(plan.begins or (), plan.runtimes, strict=True):
            own = rows[place : place + len(jobs)]
            assert result["submit"][own].tolist() == [max(begin, over)] * len(jobs)
            place, over = place + len(jobs), float(result["end"][own].max())


def test_beginnings_are_as_bursty_as_the_stream() -> None:
    """Campaigns that an MMPP begins are as unevenly spread as the MMPP; Poisson ones are not."""
    found = {}
    for name, arrivals in {"mmpp": MMPP2(), "poisson": Poisson()}.items():
        recipe = Recipe(model=Stream(arrivals=arrivals)).closed()
        plans = plans_of(recipe, jobs=40_000, users=26, processors=64, seed=1)
        found[name] = hourly_dispersion(np.sort([time for plan in plans for time in plan.begins or ()]))
    assert found["mmpp"] == pytest.approx(MMPP2().dispersion(3_600), rel=0.2)
    assert found["poisson"] == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(
    ("recipe", "sentence"),
    [
        (Recipe(flurries=(Flurry(start=0, size=5),)), "flurries cannot have users in the loop"),
        (
            Recipe(model=replace(preset("lublin").model, variant="both", all=None)),  # type: ignore[arg-type]
            "the variant 'both' cannot have users in the loop; take all, batch or interactive",
        ),
    ],
)
def test_what_has_no_users_in_the_loop(recipe: Recipe, sentence: str) -> None:
    """Where a recipe says nothing about users who wait, one sentence says so."""
    with pytest.raises(ValueError, match=sentence):
        recipe.closed()


CLOCKS = {
    "hours": (OFFICE, None),
    "daily": (None, daily()),
    "weekly": (None, weekly()),
    "hours and weekly": (OFFICE, weekly()),
}


@pytest.mark.parametrize(("hours", "cycle"), CLOCKS.values(), ids=CLOCKS)
@pytest.mark.parametrize("load", few_or_many(0.25, None))
def test_campaigns_keep_hours_and_cycles(hours: WorkingHours | None, cycle: Any, load: float | None) -> None:
    """Campaigns begin in working hours, or more by day than by night; the load is met as well.

    Field 18 is the real think time: submission minus nominal end, so replays by dependencies are right.
    """
    model = Campaigns(probability=0.1, think_time=4 * HOUR, hours=hours)
    trace = generate(Recipe(model=model, cycle=cycle, load=load), **SIZE)
    if load is not None:
        assert offered_load(trace) == pytest.approx(load, rel=0.02)
    later = trace.submit[trace.preceding > 0]
    hour, day = later % DAY / HOUR, later // DAY % 7
    if hours is not None:
        assert ((hour >= 9) & (hour <= 17) & (day < 5)).all()
    elif load is None:  # a day is as long as the users' runs and thoughts together, so the night is not empty
        assert ((hour >= 10) & (hour < 18)).mean() > 1.5 * (hour < 8).mean()
    row = {number: place for place, number in enumerate(trace.id.tolist())}
    before = np.array([row[each] for each in trace.preceding[trace.preceding > 0].tolist()])
    ends = trace.submit[before] + trace.runtime[before]
    follows = np.flatnonzero(trace.preceding > 0)
    alone = np.bincount(before)[before] > 0
    assert (trace.submit[follows] - trace.think_time[follows] >= ends)[alone].all()


def test_users_in_the_loop_keep_their_hours() -> None:
    """In the loop every campaign but a late one begins in the users' hours, whatever the machine does."""
    model = Campaigns(probability=0.1, think_time=HOUR, hours=OFFICE)
    result = play(Recipe(model=model), 4, jobs=800, users=6, seed=2)
    hour, day = result["submit"] % DAY / HOUR, result["submit"] // DAY % 7
    assert ((hour >= 9) & (hour <= 17) & (day < 5)).all()


def test_closed_campaigns_have_their_widths_and_estimates() -> None:
    """Users in the loop submit the widths that the recipe says, and declare what it says."""
    model = Campaigns(processors=OneOf((2, 4)))
    result = play(Recipe(model=model, requested=Factor(factor=2)), 16, jobs=300, users=5, seed=1)
    assert set(result["processors"]) == {2, 4}
    assert (result["estimate"] == np.maximum(2 * result["runtime"], 1)).all()
