"""A copied policy is independent, and goes on where the original stood; it forgets what is over."""

import math
import pickle
import sys

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.how_many import in_turn
from tests.models.policies.ostrich.exact import user
from tests.models.policies.ostrich.instances import populations
from tests.models.policies.ostrich.package import Run

CAMPAIGN_POLICIES = ["ostrich", "ostrich:corrected=yes", "faircamp", "ostrich-slurm"]
HOOKS = ("on_end", "on_clock", "on_withdraw", "on_submit", "select", "on_start", "next_clock")


class Relay:
    """A policy that hands over to a copy of itself before every call."""

    def __init__(self, policy):
        self.inner = tt.policies.from_spec(policy)
        for name in HOOKS:
            if hasattr(self.inner, name):
                setattr(self, name, self._through(name))

    def _through(self, name):
        def call(*arguments):
            self.inner = self.inner.copy()
            return getattr(self.inner, name)(*arguments)

        return call


@settings(max_examples=160, deadline=None)
@given(st.sampled_from(CAMPAIGN_POLICIES), st.integers(1, 4), populations(most=4, estimates=True))
def test_a_copy_goes_on_where_the_original_stood(policy, processors, users):
    """A run in which a new copy takes over at every step has the same starts."""
    assert Run(processors, users, Relay(policy)).starts == Run(processors, users, policy).starts


@pytest.mark.parametrize("policy", CAMPAIGN_POLICIES)
def test_one_policy_serves_many_machines(policy):
    """Each machine works with a copy of its own, so runs with one policy object are all alike."""
    users = [user(number, [(number, [3, 2, 2]), (number + 1, [4, 4])], closed=False) for number in range(3)]
    given_policy = tt.policies.from_spec(policy)
    first, second = (Run(2, users, given_policy).starts for _ in range(2))
    assert first == second == Run(2, users, policy).starts


def test_what_happens_to_a_copy_does_not_touch_the_original():
    """The virtual schedule of a copy runs on without touching the original."""
    env = simpy.Environment()
    machine = tt.Machine(env, 2, "ostrich")
    for run in (8, 4):
        machine.submit_campaign([tt.Job(runtime=run, user="ada"), tt.Job(runtime=run, user="ada")])
    env.run(until=3)
    virtual, copied = machine.policy.virtual, machine.policy.copy().virtual
    copied.advance(100)
    assert not copied.active
    assert [c.virtual_end for c in virtual.active[0]] == pytest.approx([math.nan] * 2, nan_ok=True)
    assert sorted(virtual.projected().values()) == [8, 12]


POLICIES = ["ostrich", "ostrich:corrected=yes", "ostrich:within=mlpt", "faircamp", "ostrich-slurm"]


def closed_loop(campaigns):
    """Four users with that many campaigns each, whose last one is the same at any number."""
    return [user(number, [(3, [5 + number, 2, 7], [9, 9, 9])] * campaigns) for number in range(4)]


@pytest.mark.parametrize("policy", in_turn(2, POLICIES))
def test_a_policy_forgets_campaigns_that_are_over(policy):
    """But for one number for each row of the machine, the policy is as large after 640 campaigns as after 160."""
    policies = [Run(2, closed_loop(n), policy).policy for n in (40, 160)]
    few, many = (len(pickle.dumps(one)) - one.virtual.arrays["of"].nbytes for one in policies)
    assert many <= few + 64


@pytest.mark.parametrize("policy", in_turn(2, reversed(POLICIES)))
def test_a_policy_makes_no_more_calls_for_late_campaigns_than_for_early_ones(policy):
    """Late campaigns need as many calls as early ones, within a tenth."""
    env = simpy.Environment()
    machine = tt.Machine(env, 2, policy)
    counts, calls = [0], []

    def owner(number):
        random = np.random.default_rng(number)
        while len(calls) < 400:
            runs = random.integers(1, 20, 3).tolist()
            yield machine.submit_campaign([tt.Job(runtime=r, estimate=20, user=number) for r in runs])
            calls.append(counts[0])
            yield env.timeout(int(random.integers(0, 5)))

    def count(frame, event, argument):
        counts[0] += event in ("call", "c_call")

    for number in range(4):
        env.process(owner(number))
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        env.run()
    finally:
        sys.setprofile(before)
    assert calls[399] - calls[299] <= 1.1 * (calls[199] - calls[99])
