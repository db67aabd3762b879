"""What an event costs does not depend on the campaigns that are over."""

import pickle
import sys

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.how_many import in_turn
from tests.models.policies.ostrich.exact import user
from tests.models.policies.ostrich.package import Run

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
