"""Limits on how many waiting jobs have an age that counts."""

import math

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime.models.site.accounts import AccountTree, Association
from thinktime.models.site.limits import Limits
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site


def machine(*, user=None, account=None, qos=None, flags=(), policy="easy:order=multifactor,ticks=0"):
    """A machine of one processor, on which priorities are ages in seconds."""
    owners = [Association("a", name, limits=Limits(**user or {})) for name in ("ann", "bob")]
    tree = AccountTree((Association("root"), Association("a", limits=Limits(**account or {})), *owners))
    rules = PriorityRules("multifactor", age=1000, max_age=1000.0, flags=frozenset(flags))
    given = {"accounts": tree, "priority": rules, "enforce": frozenset({"limits"})}
    site = Site(nodes=tt.Nodes.uniform(1, 1), qos=(QOS("normal", limits=Limits(**qos or {})),), **given)
    return tt.Machine(simpy.Environment(), 1, policy, site=site)


def ages(machine, time):
    """What the ages of the waiting jobs count at a time, by number, in order of submission."""
    machine.env.run(until=time)
    rows = np.sort(machine.pool.waiting_rows)
    points = machine.policy.order.accounts.priorities_of(rows, time)
    return dict(zip(machine.pool.requests.id[rows].tolist(), (points).tolist(), strict=True))


def submit(machine, *jobs):
    """Jobs of users at times; the first one keeps the machine busy for 100 s."""

    def process():
        for time, user, runtime in jobs:
            yield machine.env.timeout(time - machine.env.now)
            machine.submit(tt.Job(runtime=runtime, user=user))

    machine.env.process(process())


BUSY = (0, "bob", 100)
LATER = (10, "ann", 50), (20, "ann", 50), (30, "bob", 50), (40, "ann", 50)


@pytest.mark.parametrize(
    "limits, expected",
    [
        ({}, {2: 80, 3: 70, 4: 60, 5: 50}),
        ({"user": {"max_jobs_accrue": 1}}, {2: 80, 3: 1, 4: 60, 5: 1}),
        ({"user": {"max_jobs_accrue": 2}}, {2: 80, 3: 70, 4: 60, 5: 1}),
        ({"account": {"group_jobs_accrue": 2}}, {2: 80, 3: 70, 4: 1, 5: 1}),
        ({"qos": {"max_jobs_accrue": 1}}, {2: 80, 3: 1, 4: 60, 5: 1}),
        ({"qos": {"max_jobs_accrue_per_account": 3}}, {2: 80, 3: 70, 4: 60, 5: 1}),
        ({"qos": {"group_jobs_accrue": 0}}, {2: 1, 3: 1, 4: 1, 5: 1}),
        ({"qos": {"group_jobs_accrue": 0}, "flags": ("ACCRUE_ALWAYS",)}, {2: 80, 3: 70, 4: 60, 5: 50}),
    ],
)
@pytest.mark.parametrize("observed", [False, True], ids=["leaps", "step by step"])
def test_so_many_jobs_age(limits, expected, observed):
    """Those that were submitted first; others have the age 0, and so the least priority, 1."""
    found = machine(**limits)
    if observed:
        found.scheduler.observed()
    submit(found, BUSY, *LATER)
    assert ages(found, 90) == expected


@pytest.mark.parametrize("gone", ["it starts", "it is cancelled", "it is held"])
def test_the_next_one_ages_when_one_has_gone(gone):
    """From then on."""
    found = machine(user={"max_jobs_accrue": 1}, policy="none:order=multifactor,ticks=0")
    events = [found.submit(tt.Job(runtime=runtime, user=user)) for _, user, runtime in (BUSY, *LATER[:2])]
    assert ages(found, 50) == {2: 50, 3: 1}
    if gone == "it starts":
        assert ages(found, 101) == {3: 1}
        assert ages(found, 140) == {3: 40}
        return
    (events[1].cancel if gone == "it is cancelled" else events[1].hold)()
    assert ages(found, 90) == {3: 40}


def test_order_follows():
    """The job of somebody whose jobs do not age is overtaken by a later one."""
    for limit, starts in ((1, [0.0, 100.0, 200.0, 150.0]), (2, [0.0, 100.0, 150.0, 200.0])):
        found = machine(user={"max_jobs_accrue": limit})
        submit(found, BUSY, *LATER[:3])
        found.env.run()
        assert found.result()["start"].tolist() == starts
        assert not math.isnan(found.result()["end"].sum())
