"""One pass of a policy in Python: ``view.fits`` knows what was yielded."""

import itertools
import random

import pytest
import simpy

import thinktime as tt
from tests.models.plain_policies import busy_log, whatever_fits
from thinktime import Changes, Job, Machine, Nodes, PolicyError, Window
from thinktime.workloads.changes.outages import Outages

WINDOWS = Changes(
    windows=(Window(30, 45, 4), Window(60, 90, 8, users=["ann"], announced=20)),
    outages=Outages.of([(15, 25, "0-2"), (70, 80, "1")]),
)
NODES = Nodes.uniform(4, processors=2, memory=100)
ON_NODES = Changes(windows=(Window(30, 45, ["node1", "node2"]),), outages=Outages.of([(15, 25, "3")]))
MACHINES = {
    "processors": {"processors": 8},
    "overruns": {"processors": 8, "overrun": "until_needed"},
    "nodes": {"nodes": NODES},
    "changing": {"processors": 8, "changes": WINDOWS},
    "changing nodes": {"nodes": NODES, "changes": ON_NODES},
}


def machine(policy, kind="processors"):
    env = simpy.Environment()
    return env, Machine(env, policy=policy, **MACHINES[kind])


@pytest.mark.parametrize("kind", MACHINES)
def test_all_that_fits_starts_at_once(kind):
    """Four jobs that fit together start together, and the fifth when there is room."""
    env, opened = machine(whatever_fits, kind)
    for _ in range(5):
        opened.submit(Job(runtime=10, processors=2))
    env.run()
    assert opened.result()["start"].tolist() == [0.0, 0.0, 0.0, 0.0, 10.0]


class Suspicious:
    """Yields what fits, and compares what does not with what the machine says after the starts."""

    def __init__(self, seed):
        self.random, self.left, self.compared = random.Random(seed), [], 0

    def select(self, view, now):
        self.left = []
        for job in self.random.sample(view.queue, len(view.queue)):
            if view.fits(job):
                yield job
        for job in view.queue:
            self.left.append((job.row, view.fits(job), view.earliest(job)))

    def on_start(self, view, rows, now):
        for row, fitting, earliest in self.left:
            if row not in rows:
                self.compared += 1
                assert (fitting, earliest) == (view.fits(row), view.earliest(row))
                assert fitting == (earliest == now)

    on_interrupt = on_end = on_change = on_submit = lambda self, view, *rest: None

    def copy(self):
        return self


@pytest.mark.parametrize("kind", MACHINES)
def test_the_view_says_before_the_starts_what_it_says_after(kind):
    """A job that was yielded is in the way as if it ran: the machine never refuses, and earliest fits are the same."""
    for seed in range(6):
        policy, draw = Suspicious(seed), random.Random(seed)
        env, opened = machine(policy, kind)

        def user(env=env, opened=opened, draw=draw):
            for _ in range(25):
                yield env.timeout(draw.choice([0, 0, 1, 3, 9]))
                length, user = draw.randint(1, 20), draw.choice(["ann", "bob"])
                estimate = draw.choice([length, 25])
                opened.submit(Job(runtime=length, processors=draw.randint(1, 6), estimate=estimate, user=user))

        env.process(user())
        env.run()
        assert policy.compared > 20


def test_a_part_of_the_queue_knows_what_was_yielded():
    """A view that `only` made is of the same pass."""

    def select(view, now):
        yield view.queue[0]
        part = view.only(view.queue[1:])
        for job in part.queue:
            if part.fits(job):
                yield job

    env, opened = machine(select)
    for _ in range(3):
        opened.submit(Job(runtime=10, processors=4))
    env.run(until=5)
    assert opened.result()["start"].tolist()[:2] == [0.0, 0.0]
    assert opened.result().jobs["state"].tolist() == ["running", "running", "waiting"]


def test_who_was_yielded_does_not_fit_again():
    """A policy with two loops yields no job twice."""

    def select(view, now):
        for job in [*view.queue, *view.queue]:
            if view.fits(job):
                yield job

    env, opened = machine(select)
    opened.submit(Job(runtime=10, processors=2))
    env.run()
    assert opened.result()["start"].tolist() == [0.0]


@pytest.mark.parametrize("kind", ["changing", "changing nodes"])
@pytest.mark.parametrize("how", ["cancel", "requeue", "suspend"])
@pytest.mark.parametrize("holds", ["memory", "all"])
def test_who_was_yielded_to_leave_is_not_in_the_way(kind, how, holds):
    """The room of a running job that leaves now is there for those who follow; with a grace it is there later."""
    seen = []

    def select(view, now):
        urgent = [job for job in view.queue if job.user == "ops"]
        if urgent and now == 5:
            [job], [victim, *_] = urgent, view.running
            seen.append((view.fits(job), view.earliest(job)))
            yield view.preempt(victim, how, by=job)
            seen.append((view.fits(job), view.earliest(job)))
            yield job
        else:
            yield from whatever_fits(view, now)

    env = simpy.Environment()
    changes = Changes(suspended_holds=holds)
    opened = Machine(env, policy=select, **(MACHINES[kind] | {"changes": changes}))

    def user():
        opened.submit(Job(runtime=50, processors=6))
        yield env.timeout(5)
        opened.submit(Job(runtime=5, processors=8, user="ops"))

    env.process(user())
    env.run()
    assert seen == [(False, 50.0), (True, 5.0)]
    assert opened.result()["start"].tolist() == [0.0, 5.0]


def test_a_forecast_goes_through_the_same_passes():
    """Predicted starts are those of the run, where jobs run as long as they ask for."""
    env, opened = machine(whatever_fits)
    jobs = [opened.submit(Job(runtime=10, processors=processors)) for processors in (8, 4, 4, 6, 2)]
    env.run(until=1)
    told = [opened.sight().predicted_start(job) for job in jobs[1:]]
    env.run()
    assert [0.0, *told] == opened.result()["start"].tolist() == [0.0, 10.0, 10.0, 20.0, 20.0]


def endless(what):
    def select(view, now):
        for k in itertools.count():
            select.asked = k
            yield what(view, k)

    return select


@pytest.mark.parametrize(
    ("what", "message", "most"),
    [
        (lambda view, k: view.queue[0], "job 1 at 0 s twice", 2),
        (lambda view, k: k, "row 3 at 0 s, but there are only 3 jobs", 4),
        (lambda view, k: "job", "must propose rows", 1),
    ],
)
def test_a_policy_that_yields_without_end_is_refused_at_once(what, message, most):
    """A proposal is looked at as it comes, so it takes no memory."""
    policy = endless(what)
    env, opened = machine(policy)
    for _ in range(3):
        opened.submit(Job(runtime=1))
    with pytest.raises(PolicyError, match=message):
        env.run()
    assert policy.asked < most


def test_a_policy_that_sends_away_without_end_is_refused_at_once():
    """A job leaves once."""

    def select(view, now):
        if not view.running:
            yield from view.queue
        while view.running and now == 1:
            yield view.preempt(view.running[0])

    env, opened = machine(select, "changing")
    opened.submit(Job(runtime=9))
    env.process(iter_submit(env, opened))
    with pytest.raises(PolicyError, match="under notice already"):
        env.run()


def iter_submit(env, opened):
    """A second job comes at 1 s."""
    yield env.timeout(1)
    opened.submit(Job(runtime=9))


def test_the_documented_hooks_survive_interruptions():
    """A policy that charges users in on_end and on_interrupt alike has charged all that their runs have used."""
    charged = []

    class Charging:
        def __init__(self):
            self.began = {}

        def on_start(self, view, rows, now):
            self.began.update(dict.fromkeys(rows.tolist(), now))

        def on_end(self, view, rows, now):
            for job in map(view.request, rows.tolist()):
                charged.append(job.processors * (now - self.began.pop(job.row, now)))

        on_interrupt = on_end
        select = staticmethod(whatever_fits)

    outages = Outages.of([(500, 600, "0-3"), (900, 950, "2")])
    for on_failure in ("requeue", "cancel"):
        charged.clear()
        result = tt.replay(busy_log(60), Charging(), 8, changes=Changes(outages=outages, on_failure=on_failure))
        runs = result.runs
        assert (runs.how == "failed").any()
        assert sum(charged) == (runs.processors * (runs.end - runs.start)).sum()
