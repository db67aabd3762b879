"""Users who follow plans do what their processes would do: the same jobs, numbers, order and schedule."""

import contextlib
import os
import random

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import thinktime as tt
from thinktime.models.machine.machine import Machine
from thinktime.users import Behaviour, Profile, WorkingHours, population, scripted_user, turnover
from thinktime.users import behaviours as b
from thinktime.users.drawn_campaigns import foreseeable
from thinktime.workloads.generators.campaign_jobs import Campaigns
from thinktime.workloads.generators.cycles import UserClock, weekly
from thinktime.workloads.generators.quantities import Geometric, OneOf, Uniform

POLICIES = (
    "easy", "conservative", "conservative:compress=event", "easy:order=sjf", "easy:order=f2", "easy:order=lxf",
    "easy:order=fairshare", "easy:order=relshare", "none:order=largest", "ostrich", "easy:reservations=2",
)  # fmt: skip
OFFICE = WorkingHours(0, 12, origin=-43_180)
REACTING = (
    (b.LinearThinking(slope=0.5, offset=1, spread=stats.expon()),),
    (b.Continuation(level=0.9, decay=5, away=stats.randint(1, 6)),),
    (b.Continuation(level=0.5, late=2, hours=OFFICE),),
    (b.Mornings(hours=OFFICE, late=Uniform(0, 3), share=0.5), b.Rhythm()),
    (b.Rhythm(origin=-7), b.LinearThinking(offset=2)),
    (b.Patience(Uniform(0, 9)),),
    (b.Balk(queue=1),),
    (b.Patience(stats.randint(1, 6)), b.Balk(queue=2)),
    (b.Balk(queue=0), b.LinearThinking(slope=0.5, offset=0), b.Patience(3)),
)
TIMES = (0, 1, 2, 5, stats.randint(0, 3), OneOf((1, 2, 3)), Uniform(0.5, 4))
INFINITY = float("inf")


class Witness:
    """An observer that notes who is submitted, and when."""

    def __init__(self, lines):
        self.lines = lines

    def before_submissions(self, instants, rows, now):
        jobs = instants.pool.requests
        self.lines.append((now, rows.tolist(), jobs.id[rows].tolist(), jobs.campaign[rows].tolist()))


def seen(model, *given):
    """What a model shows with users as processes, and with users who follow plans; with and without leaps."""
    with pytest.MonkeyPatch.context() as patch:
        found = []
        for leap in ("1", "0"):
            patch.setenv("THINKTIME_LEAP", leap)
            found.append(model(*given))
        patch.setattr(Machine, "can_plan", lambda machine, impatient=False: False)
        assert os.environ["THINKTIME_LEAP"] == "0"
        return [model(*given), *found]


def shown(machine):
    """Everything in a result, as text, in which NaN equals NaN. What is lost at one instant is in no order."""
    result = machine.result()
    columns = {name: column.tolist() for name, column in result.columns.items()}
    lost = sorted(zip(*(column.tolist() for column in result.lost_demand.values()), strict=True), key=repr)
    return repr((columns, result.names, result.now, result.notes, lost))


def crowd(seed):
    """Random users of every kind, and processes that submit between them, on a small machine; returns all they see."""
    luck, chance = random.Random(seed), random.Random(seed + 1)
    env, lines = simpy.Environment(), []
    machine = tt.Machine(env, luck.choice((3, 8)), luck.choice(POLICIES), luck.choice(("kill", "extend")))
    if luck.random() < 0.3:
        machine.observe(Witness(lines))

    def neighbour(name):
        for _ in range(6):
            yield env.timeout(chance.choice((0, 1, 2, 3, 1.5)))
            event = machine.submit(tt.Job(runtime=chance.choice((0, 1, 4)), user=chance.choice(("user 0", "x"))))
            lines.append((env.now, name, event.id, (yield event) if chance.random() < 0.6 else None))
            campaign = machine.submit_campaign([tt.Job(runtime=each, user=name) for each in (1, 2)])
            lines.append((env.now, campaign.number, (yield campaign) if chance.random() < 0.6 else None))
            lines.append((env.now, machine.count, machine.over, list(map(repr, machine.queue + machine.users))))

    def campaign_users():
        users = {}
        for number in range(luck.randint(1, 6)):
            users[f"user {number}"] = Profile(
                runtime=luck.choice(TIMES),
                jobs=luck.choice((1, 2, stats.randint(1, 4), Geometric(2))),
                think_time=luck.choice(TIMES),
                first=luck.choice((0, 0, 1, 3, 0.3, stats.randint(0, 3))),
                processors=luck.choice((1, 2, OneOf((1, 2, 3)))),
                overestimate=luck.choice((1, 2, 0.7)),
                hours=luck.choice((None, None, None, WorkingHours(0, 12, origin=-43_180))),
                behaviours=luck.choice(((Behaviour(),), (), (), *REACTING)),
            )
        population(env, machine, users, seed, luck.choice((3, 6)), luck.choice((INFINITY, 20)))

    def scripted():
        times = (0, 0, 1, 2, 3, 0.3, 0.7, 0.0005, 5)
        count = luck.randint(0, 5)
        job = tt.Job(runtime=luck.choice((1, 2)), processors=luck.randint(1, 3), estimate=luck.choice((None, 1, 4)))
        special = tt.Job(runtime=1, group="staff")
        campaigns = [
            [luck.choice((0, 1, 2, 3.3, job, job, special)) for _ in range(luck.randint(1, 3))] for _ in range(count)
        ]
        think = [luck.choice(times) for _ in range(count)]
        begins = sorted(luck.choice(times) * 4 for _ in range(count)) if luck.random() < 0.3 else None
        hours = UserClock(None, WorkingHours(0, 12, origin=-43_180))
        clock = luck.choice((None, None, hours, UserClock(weekly(), None)))
        later = None if clock is None else clock.later
        name, first = f"user {luck.randint(0, 8)}", luck.choice(times)
        env.process(scripted_user(env, machine, name, campaigns, think, first, begins, later))

    def passing_by():
        profile = Profile(runtime=Uniform(1, 3), jobs=2, think_time=1)
        stay = stats.randint(1, 9)
        env.process(turnover(env, machine, profile, seed, between=2, stay=stay, start=2, until=15))

    for _ in range(luck.randint(1, 5)):
        kind = luck.choice((campaign_users, scripted, scripted, passing_by, lambda: env.process(neighbour("a"))))
        kind()
    for until in (0.5, 3, 7.25, 30) if luck.random() < 0.3 else ():
        if env.peek() < INFINITY:
            env.run(until=until)
        lines.append((env.now, machine.count, machine.over, list(machine.names["user"])))
    env.run(until=10**6)  # a process may still hear that its patience would have ended
    return shown(machine), repr(lines)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_nobody_can_tell_a_plan_from_a_process(seed):
    """Jobs, numbers, campaigns, names, starts, and all that others see, in order, are those of processes."""
    processes, *plans = seen(crowd, seed)
    assert plans == [processes, processes]


def month(until, estimates):
    env = simpy.Environment()
    hall = tt.Machine(env, 16, estimates=estimates)
    profile = Profile(runtime=stats.lognorm(1, scale=600), jobs=Geometric(4), think_time=stats.expon(scale=3600))
    population(env, hall, tt.mix(2, {"long": 1, "own": 1}, own=profile), 3, 300 if until is None else INFINITY)
    env.run(until=until)
    return shown(hall)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("until", "estimates"),
    [
        (None, "requested"),
        (10 * tt.DAY, "last-two"),
        pytest.param(None, "last-two", marks=pytest.mark.thorough),
        pytest.param(30 * tt.DAY, "requested", marks=pytest.mark.thorough),
    ],
)
def test_numbers_are_those_of_the_process_for_ever(until, estimates):
    """Over many blocks of drawn numbers too, users draw what processes draw."""
    processes, *plans = seen(month, until, estimates)
    assert plans == [processes, processes]


@pytest.mark.parametrize("clock", [None, UserClock(weekly(), WorkingHours(9, 17))])
def test_generated_users_follow_their_plans(clock):
    """Users whose campaigns were generated, with a clock of their own too, do what their processes do."""
    users = tt.sources.planned(Campaigns(think_time=600).campaigns_of(300, 6, 8, 1), clock)
    processes, *plans = seen(lambda: repr(tt.run(tt.MachineSpec(8), users).columns))
    assert plans == [processes, processes]


def test_an_interrupted_user_submits_nothing_more():
    """Jobs that were submitted run to their end; the other users of the machine go on."""

    def model():
        env = simpy.Environment()
        machine = tt.Machine(env, 4, "conservative:compress=event")
        profile = Profile(runtime=3, jobs=2, think_time=OneOf((1, 5)), processors=2)
        population(env, machine, {"ada": profile, "eve": profile}, 1, campaigns=9)
        rng = tt.stream(1, "bob")
        leaves = [
            env.process(tt.campaign_user(env, machine, "bob", rng, profile)),
            env.process(scripted_user(env, machine, "joe", [[2, 2], [3]] * 9, 4)),
        ]

        def boss():
            for user, wait in zip(leaves, (20, 3.5), strict=True):
                yield env.timeout(wait)
                user.interrupt()
                with contextlib.suppress(simpy.Interrupt):
                    yield user

        env.process(boss())
        env.run()
        return shown(machine)

    processes, *plans = seen(model)
    assert plans == [processes, processes]


@pytest.mark.parametrize(
    ("part", "quantity", "message"),
    [
        ("runtime", stats.norm(5, 4), "runtime is -"),
        ("think_time", stats.rv_discrete(values=((1, np.inf), (0.7, 0.3)))(), "think_time is inf"),
        ("processors", stats.randint(1, 9), "asks for"),
        ("overestimate", OneOf((1, 2.0**50)), "estimate must be below"),
    ],
)
def test_what_is_wrong_is_said_when_it_comes_up(part, quantity, message):
    """A number that makes no sense is an error at its campaign, not before."""

    def model():
        env = simpy.Environment()
        machine = tt.Machine(env, 4)
        own = {"runtime": 10, "jobs": 2, "think_time": 5} | {part: quantity}
        population(env, machine, {"ada": Profile(**own), "bob": Profile(runtime=7, jobs=1, think_time=2)}, 2)
        with pytest.raises(ValueError, match=message) as error:
            env.run(until=2000)
        return str(error.value), env.now, shown(machine)

    processes, *plans = seen(model)
    assert plans == [processes, processes]


def test_who_can_follow_a_plan():
    """Numbers and distributions can be drawn beforehand; functions, reactions and behaviours may look at anything."""
    plain = {"runtime": 1, "jobs": stats.geom(0.5), "think_time": Uniform(1, 2)}
    assert foreseeable(Profile(**plain, hours=WorkingHours()))
    assert all(foreseeable(Profile(**plain, behaviours=each)) for each in REACTING)
    for other in (
        {"processors": lambda rng: 1},
        {"think_time": tt.Reaction(lambda last, rng: last.elapsed)},
        {"behaviours": (Behaviour(),)},
        {"behaviours": (b.Patience(lambda rng: 5.0),)},
        {"behaviours": (b.Patience(5), b.Patience(6))},
        {"behaviours": (b.Balk(queue=3, backlog=60),)},
        {"behaviours": (b.Continuation(probability=lambda response: 0.5),)},
        {"behaviours": (b.LinearThinking(spread=lambda rng: 1.0),)},
        {"behaviours": (type("Own", (b.Rhythm,), {})(),)},
        {"nodes": "1:ppn=2"},
        {"first": type("Own", (), {"rvs": lambda self, size=1, random_state=None: np.ones(size)})()},
    ):
        assert not foreseeable(Profile(**plain | other))


def test_patience_is_a_process_where_jobs_may_wait_again():
    """On a machine that changes, a job may be interrupted; its user then has taken it back only if it waits."""
    machine = Machine(simpy.Environment(), 4, changes=tt.Changes())
    assert machine.can_plan() and not machine.can_plan(impatient=True)
    assert Machine(simpy.Environment(), 4).can_plan(impatient=True)


def test_without_news_there_is_no_pass():
    """When a user has only balked, the policy is not asked."""

    def nobody(view, now):
        asked.append(now)
        return view.waiting[:0]

    asked = []
    env = simpy.Environment()
    machine = Machine(env, 4, nobody)
    machine.submit_campaign([tt.Job(runtime=10)] * 2)
    patient = Profile(runtime=5, jobs=1, think_time=7, first=60, behaviours=(b.Balk(queue=1), b.Patience(9)))
    population(env, machine, {"ada": patient}, 1)
    env.run(until=80)
    assert asked == [0]
    assert machine.result().lost["time"].tolist() == [60, 67, 74]


def test_plans_are_few_leaps(monkeypatch):
    """Compiled code counts campaigns down and submits the next ones: a hundred campaigns are few calls."""
    calls = []
    go_on = tt.models.machine.scheduler.Scheduler._go_on
    monkeypatch.setattr(
        tt.models.machine.scheduler.Scheduler, "_go_on", lambda *given: (calls.append(given), go_on(*given))
    )
    monkeypatch.setenv("THINKTIME_LEAP", "1")
    env = simpy.Environment()
    machine = tt.Machine(env, 4)
    population(env, machine, {"ada": Profile(runtime=Uniform(1, 9), jobs=2, think_time=3)}, 1, campaigns=100)
    env.run()
    assert len(machine.result()) == 200
    assert len(calls) < 30
