"""What a user sees: what a batch system shows, in the policy's order, and nothing that no user can know."""

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import thinktime as tt
from tests.how_many import in_turn
from thinktime import Job


def crowded(policy="easy", runtimes=(50.0,) * 6, processors=4, until=10.0):
    """A job on the machine, four behind it of two users, and the machine at 10 s."""
    env = simpy.Environment()
    machine = tt.Machine(env, processors, policy, overrun="extend")
    wanted = [(4, 100, "bob"), (3, 80, "ada"), (2, 60, "bob"), (4, 40, "ada"), (1, 300, None)]
    events = []
    for (n, estimate, user), runtime in zip(wanted, runtimes, strict=False):
        events.append(machine.submit(Job(user=user, processors=n, estimate=estimate, runtime=runtime)))
        if len(events) == 1:
            env.run(until=1)
    env.run(until=until)
    return machine, events


def test_the_queue_as_a_batch_system_lists_it():
    """The queue shows length, work, and number, owner, processors, limit and submission of each job."""
    machine, _ = crowded()
    sight = machine.sight("ada")
    assert (sight.now, sight.capacity, sight.free, sight.queue_length) == (10.0, 4, 0, 4)
    assert sight.queued_work == 3 * 80 + 2 * 60 + 4 * 40 + 300
    assert sight.backlog == sight.queued_work / 4
    assert [tuple(job) for job in sight.queue] == [
        (2, "ada", 3, 80.0, 1.0, None), (3, "bob", 2, 60.0, 1.0, None), (4, "ada", 4, 40.0, 1.0, None),
        (5, None, 1, 300.0, 1.0, None),
    ]  # fmt: skip
    assert [tuple(job) for job in sight.running] == [(1, "bob", 4, 100.0, 0.0, 0.0)]
    assert [job.id for job in sight.own] == [2, 4]
    assert [job.id for job in machine.sight("bob").own] == [3, 1]
    assert "4 jobs wait" in repr(sight)


@pytest.mark.parametrize(
    "policy, places", [("fcfs", [1, 3]), ("easy:order=sjf", [3, 1]), ("conservative:order=largest", [2, 1])]
)
def test_the_own_place_in_the_order_of_the_policy(policy, places):
    """Position 1 is next under any order, static or dynamic."""
    machine, events = crowded(policy)
    sight = machine.sight("ada")
    assert [sight.position(events[1]), sight.position(events[3])] == places


def test_other_peoples_places_are_theirs():
    """A user asks about jobs of their own, and about those that wait."""
    machine, events = crowded()
    with pytest.raises(ValueError, match="job 3 is not one of user 'ada'"):
        machine.sight("ada").position(events[2])
    with pytest.raises(ValueError, match="job 1 is not in the queue: it is running"):
        machine.sight("bob").position(events[0])


def test_a_look_settles_what_ended_before():
    """A machine that sleeps through ends shows the ended jobs as gone."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4)
    trace = tt.Trace({"submit": [0.0, 5.0], "runtime": [10.0, 100.0], "allocated": [2, 2]})
    env.process(tt.submit_trace(env, machine, trace))
    env.run(until=50)
    sight = machine.sight()
    assert (sight.free, [job.id for job in sight.running]) == (2, [2])


def told(machine, events):
    """Everything that a user can read."""
    sight = machine.sight("ada")
    names = [name for name in dir(sight) if not name.startswith("_")]
    values = {name: getattr(sight, name) for name in names}
    asked = {name: value for name, value in values.items() if callable(value)}
    said = {name: repr(value) for name, value in values.items() if not callable(value)}
    mine = [events[1], events[3]]
    return said, {name: [ask(job) for job in mine] for name, ask in asked.items()}


@pytest.mark.parametrize("policy", ["easy", "conservative", "creasy", "easy:order=fairshare", "ostrich"])
@settings(max_examples=10)
@given(st.lists(st.floats(11, 5000), min_size=5, max_size=5), st.lists(st.floats(11, 5000), min_size=5, max_size=5))
def test_nothing_depends_on_true_run_times(policy, first, second):
    """Two machines with the same requests and other run times look the same while no job has ended."""
    assert told(*crowded(policy, first)) == told(*crowded(policy, second))


@pytest.mark.parametrize("estimates", ["exact", "last-two", "factor=3"])
def test_the_list_shows_requests_whatever_the_policy_plans_with(estimates):
    """With exact estimates for the policy, people still see what owners asked for."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, "easy", estimates=estimates)
    for runtime, estimate in ((50, 100), (5, 80), (7, 60)):
        machine.submit(Job(user="ada", processors=4, runtime=runtime, estimate=estimate))
    env.run(until=10)
    sight = machine.sight("ada")
    assert [job.estimate for job in (*sight.running, *sight.queue)] == [100, 80, 60]
    assert sight.queued_work == 4 * 140


@pytest.mark.parametrize("policy", ["conservative", "slack:awt=100"])
def test_reservations_are_predicted_starts(policy):
    """Where waiting jobs hold reservations, these are what a user sees."""
    machine, events = crowded(policy, runtimes=(100.0, 80, 60, 40, 300))
    waiting = machine.pool.waiting_rows.tolist()
    reserved = machine.policy.reservations(machine.sight()._view()).tolist()
    expected = [reserved[waiting.index(events[k].row)] for k in (1, 3)]
    assert expected == {"conservative": [100.0, 240.0], "slack:awt=100": [140.0, 100.0]}[policy]
    sight = machine.sight("ada")
    assert [sight.predicted_start(events[1]), sight.predicted_start(events[3])] == expected


@pytest.mark.parametrize("policy", ["fcfs", "easy", "easy:order=sjf", "conservative", "creasy", "ostrich"])
def test_where_no_other_job_comes_predictions_by_exact_estimates_come_true(policy):
    """With exact estimates and no newcomers, every waiting job starts when it was foreseen."""
    machine, events = crowded(policy, runtimes=(100.0, 80, 60, 40, 300))
    foreseen = [machine.sight("ada").predicted_start(events[k]) for k in (1, 3)]
    machine.env.run()
    assert foreseen == [events[k].value.start for k in (1, 3)]


def test_a_job_that_is_only_thought_of():
    """The predicted start of a job that is not submitted is that worked out by hand."""
    machine, _ = crowded("easy")
    sight = machine.sight("ada")
    assert sight.predicted_start(Job(processors=1, runtime=5, estimate=30)) == 180.0
    assert sight.predicted_start(Job(processors=4, runtime=5, estimate=30)) == 440.0
    with pytest.raises(ValueError, match="asks for 5 processors, but the machine has 4"):
        sight.predicted_start(Job(processors=5, runtime=5))
    machine.env.run(until=2000)
    result = machine.result()
    assert len(result) == 5 and not np.isnan(result["start"]).any()


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative", "creasy", "easy:order=fairshare"])
@settings(max_examples=8)
@given(st.integers(1, 4), st.integers(1, 400))
def test_a_thought_comes_true_if_it_is_submitted(policy, processors, runtime):
    """A job submitted now starts at its predicted start if estimates are exact."""
    machine, _ = crowded(policy, runtimes=(100.0, 80, 60, 40, 300))
    job = Job(user="ada", processors=processors, runtime=runtime)
    foreseen = machine.sight("ada").predicted_start(job)
    event = machine.submit(job)
    machine.env.run()
    assert event.value.start == foreseen


def test_the_own_fairshare_usage():
    """A user sees their decayed usage divided by their weight."""
    machine, _ = crowded("easy:order=fairshare,weights=bob*4")
    bob, ada, eve = (machine.sight(name) for name in ("bob", "ada", "eve"))
    assert [(who.usage, who.priority) for who in (bob, ada, eve)] == [(40, 10), (0, 0), (0, 0)]
    assert crowded("easy")[0].sight("bob").usage is None
    assert crowded("easy:order=fairshare,by=group")[0].sight("bob").priority is None


def test_a_sight_cannot_be_written_to():
    """What a user sees cannot be changed."""
    machine, _ = crowded()
    sight = machine.sight("ada")
    for name in ("free", "queue", "now", "anything"):
        with pytest.raises(AttributeError):
            setattr(sight, name, 3)


def waiting_of(machine, user):
    """The rows of a user's waiting jobs."""
    waiting = machine.pool.waiting_rows
    return waiting[machine.pool.requests.user[waiting] == machine.names["user"].index(user)].tolist()


NOT_RULES = {*tt.policies.ORDERS, "recorded", "slack"}
NAMED = [entry.name for entry in tt.models.policies.catalogue() if entry.name not in NOT_RULES]
RULES = [name for name in NAMED if "72max" not in name]  # nothing splits jobs on a machine with live users


SLOW = ("tradeoff", "tradeoff-fs")  # a minute as plain Python


@pytest.mark.parametrize(
    "policy",
    [
        *in_turn(2, [rule for rule in RULES if rule not in SLOW]),
        *(pytest.param(rule, marks=pytest.mark.thorough) for rule in SLOW),
        "slack:awt=2401",
        "easy:order=fairshare",
    ],
)
def test_looking_changes_nothing(policy):
    """A user who looks all the time and one who never does have the same schedule."""

    def run(policy, looks):
        env = simpy.Environment()
        machine = tt.Machine(env, 8, policy)
        width = stats.randint(1, 9)
        profile = tt.Profile(runtime=tt.users.LONG.runtime, jobs=3, think_time=500, processors=width)
        tt.population(env, machine, {f"u{k}": profile for k in range(4)}, 1, campaigns=2)

        seen = []

        def looker():
            while True:
                yield env.timeout(9777)
                sight = machine.sight("u1")
                job = Job(runtime=9999, processors=3, estimate=20_000)
                assert sight.predicted_start(job) >= sight.now and sight.free >= 0
                seen.append([sight.predicted_start(machine.event(row)) for row in waiting_of(machine, "u1")])

        if looks:
            env.process(looker())
        env.run(until=5e5)
        assert not looks or any(seen)
        return machine.result()

    assert np.array_equal(run(policy, True)["start"], run(policy, False)["start"], equal_nan=True)
