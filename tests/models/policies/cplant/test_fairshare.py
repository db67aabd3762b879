"""Fairshare: the order, its accounts, and what it leads to in the long run."""

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.how_many import few_or_many
from tests.models.policies.cplant.twin import Fairshare
from tests.models.policies.cplant.workloads import (
    OVERRUNS,
    PROCESSORS,
    as_trace,
    fairshare_text,
    outcomes,
    schedule,
    users,
    workloads,
)
from thinktime.models.policies import Easy, NoGuarantee, QueuePolicy, Strict, fairshare, from_spec

RULES = ("none", "no-guarantee", "easy", "conservative", "conservative-dynamic")
COMPRESS = ("completion", "event", "scheduled", "none")


@settings(max_examples=250, deadline=None)
@given(st.data(), workloads(), st.sampled_from(RULES), st.sampled_from(OVERRUNS), st.integers(1, 3))
def test_fairshare_with_every_rule_makes_the_twins_schedule(data, workload, rule, overrun, reservations):
    """Usage counted second by second in exact fractions leads to the same starts and ends."""
    jobs, owner = workload
    them = data.draw(users(owner))
    compress = data.draw(st.sampled_from(COMPRESS))
    twin = Fairshare(jobs, PROCESSORS, them, rule=rule, overrun=overrun, reservations=reservations, compress=compress)
    twin.run()
    option = {"easy": f",reservations={reservations}", "conservative": f",compress={compress}"}.get(rule, "")
    text = f"{rule}:order=fairshare,{fairshare_text(them)}{option}"
    assert schedule(tt.replay(as_trace(jobs, owner), text, PROCESSORS, overrun=overrun)) == outcomes(twin)


def accounts_after(order, jobs, until):
    """The usages of users after some jobs ``(user, submit, processors, runtime)`` on an ample machine."""
    env = simpy.Environment()
    machine = tt.Machine(env, 100, Strict(order))

    def owner(user, submit, processors, runtime):
        yield env.timeout(submit)
        machine.submit(tt.Job(user=user, group=user[0], processors=processors, runtime=runtime))

    for job in jobs:
        env.process(owner(*job))
    env.run(until=until)
    accounts = machine.policy.order.accounts
    return accounts.usages(machine.names[accounts.by], until)


JOBS = [("ann", 0, 4, 30), ("bob", 5, 2, 10), ("amy", 12, 1, 1)]


def test_usage_is_halved_at_fixed_times():
    """Usage halved at 10 and 20 is that worked out by hand for three users."""
    usages = accounts_after(fairshare(decay=10), JOBS, until=25)
    assert usages == {None: 0.0, "ann": ((4 * 10 / 2) + 40) / 2 + 20, "bob": (10 / 2 + 10) / 2, "amy": 0.5}
    moved = accounts_after(fairshare(decay=10, decay_origin=-4), JOBS, until=25)  # halved at 6 and 16
    assert moved == {None: 0.0, "ann": ((24 / 2) + 40) / 2 + 36, "bob": (2 / 2 + 18) / 2, "amy": 0.5}


def test_at_the_time_of_a_decay_usage_is_what_it_is_after_it():
    """At the time of a decay, usage has decayed."""
    assert accounts_after(fairshare(decay=10), JOBS, until=20)["ann"] == ((4 * 10 / 2) + 40) / 2


def test_usage_by_group():
    """The users of a group share its account."""
    assert accounts_after(fairshare(factor=1, by="group"), JOBS, until=50) == {None: 0.0, "a": 121.0, "b": 20.0}


def test_a_half_life_is_continuous():
    """Usage halves in one half-life, and steady use of n tends to n half_life / ln 2."""
    order = fairshare(half_life="10s")
    once, later = (accounts_after(order, JOBS, until=until)["bob"] for until in (15, 25))
    assert once == pytest.approx(2 * 10 / np.log(2) * (1 - 0.5))
    assert later == pytest.approx(once / 2)
    steady = accounts_after(order, [("ann", 0, 4, 1000)], until=900)["ann"]
    assert steady == pytest.approx(4 * 10 / np.log(2))


@given(st.integers(1, 400), st.sampled_from([0.5, 0.9, 1.0]))
def test_many_decays_at_once_are_many_decays(periods, factor):
    """The closed form for long stretches equals the sum that it replaces."""
    usage = 0.0
    for _ in range(periods):
        usage = factor * (usage + 3 * 10)
    found = accounts_after(fairshare(decay=10, factor=factor), [("ann", 0, 3, 10_000)], until=10 * periods + 5)
    assert found["ann"] == pytest.approx(usage + 15, rel=1e-12)


def test_looking_changes_nothing():
    """Usages can be read at any time, and the schedule is the same to the bit."""
    order = fairshare(half_life=1000)

    def starts(look):
        env = simpy.Environment()
        machine = tt.Machine(env, 4, Easy(order))
        for k in range(60):
            machine.submit(tt.Job(user=k % 7, processors=1 + k % 3, runtime=100 + 13 * (k % 11)))
        for time in range(1, 20_000, 7):
            env.run(until=time)
            if look:
                machine.policy.order.accounts.usages(machine.names["user"], env.now)
        return machine.result()["start"].tolist()

    assert starts(look=True) == starts(look=False)


def test_machines_never_share_accounts():
    """Two machines with one policy object keep separate accounts."""

    class Careless(NoGuarantee):
        def copy(self):
            twin = Careless(self.order)
            twin.order = self.order
            return twin

    for policy in (Easy(fairshare()), Careless(fairshare())):
        env = simpy.Environment()
        machines = [tt.Machine(env, 4, policy) for _ in range(2)]
        machines[0].submit(tt.Job(user="ann", runtime=100))
        env.run(until=50)
        usages = [each.policy.order.accounts.usages(each.names["user"], 50) for each in machines]
        assert usages == [{None: 0.0, "ann": 50.0}, {None: 0.0}]
        assert policy.order.accounts.usages([], 50) == {None: 0.0}


def test_a_copied_policy_has_copied_accounts():
    """The copy goes on from the same state, alone."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, Easy(fairshare()))
    machine.submit(tt.Job(user="ann", runtime=100))
    env.run(until=50)
    twin = machine.policy.copy()
    env.run(until=200)
    names = machine.names["user"]
    assert twin.order.accounts.usages(names, 60) == {None: 0.0, "ann": 60.0}
    assert machine.policy.order.accounts.usages(names, 200) == {None: 0.0, "ann": 100.0}
    assert twin.order.sort is not None and twin.order.accounts is not machine.policy.order.accounts


def test_a_users_own_policy_takes_it_too():
    """A policy with hooks of its own, which knows nothing of accounts, is served in fairshare order."""

    class LastOne(QueuePolicy):
        def __init__(self, order):
            super().__init__(order)
            self.seen = []

        def on_start(self, view, rows, now):
            self.seen += rows.tolist()

        def select(self, view, now):
            queue = self.order.sort(view)
            return queue[:1] if view.free == view.capacity else []

    env = simpy.Environment()
    machine = tt.Machine(env, 1, LastOne(fairshare()))
    jobs = [machine.submit(tt.Job(user=user, runtime=10)) for user in ("ann", "ann", "ann", "bob")]
    env.run()
    assert [machine.record(job.row).start for job in jobs] == [0, 20, 30, 10]
    assert machine.policy.seen == [0, 3, 1, 2]


def saturated(weights):
    """The service of users who always have jobs queued, on eight processors for 30 days."""
    env = simpy.Environment()
    machine = tt.Machine(env, 8, Strict(fairshare(weights=weights)))
    served = dict.fromkeys(weights, 0.0)

    def user(name):
        rng = tt.stream(3, f"saturated {name}")
        while True:
            runtime, processors = float(rng.integers(60, 2_000)), int(rng.integers(1, 4))
            yield machine.submit(tt.Job(user=name, runtime=runtime, processors=processors))
            served[name] += runtime * processors

    for name in weights:
        for _ in range(12):
            env.process(user(name))
    env.run(until=30 * tt.DAY)
    return np.array(list(served.values())) / np.array(list(weights.values()))


@pytest.mark.parametrize("weights", few_or_many({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 1, "c": 1}))
def test_saturation_gives_each_user_the_users_share(weights):
    """Users who always have jobs queued get service in proportion to their weights, within 2 %."""
    per_weight = saturated(weights)
    assert per_weight.max() / per_weight.min() < 1.02


def test_texts():
    """Options of the order and of the rule go together in any order, and read back."""
    text = "easy:order=fairshare,decay=24h,factor=0.5,decay_origin=0,reservations=1"
    assert str(from_spec("easy:order=fairshare")) == text
    assert str(from_spec("easy:reservations=1,decay_origin=0,order=fairshare")) == text
    other = "conservative:order=fairshare,half_life=7d,by=group,weights=ada*2+7*0.5,compress=event"
    assert str(from_spec(other)) == other
    assert str(from_spec("fairshare")).startswith("none:order=fairshare,decay=24h")
