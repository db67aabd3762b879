"""Policies of one's own on a machine with limits."""

import pytest
import simpy

import thinktime as tt
from thinktime.models.site.limits import Limits
from thinktime.models.site.qos import QOS

SITE = tt.Site(qos=[QOS("normal", limits=Limits(max_jobs=1))], enforce=frozenset({"limits"}))


def played(policy, jobs=3):
    """The machine after jobs of 10 s of one user."""
    env = simpy.Environment()
    machine = tt.MachineSpec(8, policy, site=SITE).open(env)
    for _ in range(jobs):
        machine.submit(tt.Job(runtime=10, user="ann"))
    env.run()
    return machine


def test_a_job_beyond_a_limit_may_not_be_proposed():
    """A policy that proposes what its queue does not show is told so, by job and time."""

    def stubborn(view, now):
        shown = view.waiting.tolist()
        return shown[:1] or [1]

    with pytest.raises(tt.PolicyError, match=r"proposed to start job 2 at 0 s, which is beyond a limit"):
        played(stubborn, 2)


def test_hooks_tell_of_limits():
    """Who is put off was proposed with others, and is barred at once, until the one that runs has ended."""
    told = []

    class Greedy:
        def select(self, view, now):
            return view.waiting

        def on_bar(self, view, rows, now):
            told.append(("bar", now, rows.tolist()))

        def on_put_off(self, view, rows, now):
            told.append(("put off", now, rows.tolist()))

    machine = played(Greedy())
    assert machine.result()["start"].tolist() == [0, 10, 20]
    assert told == [
        ("put off", 0, [1, 2]), ("bar", 0, [1, 2]), ("put off", 10, [2]), ("bar", 10, [2]),
    ]  # fmt: skip
