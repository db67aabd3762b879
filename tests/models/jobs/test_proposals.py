"""Proposals: what a policy may not start, and how the machine refuses it."""

import math

import numpy as np
import pytest

import thinktime as tt
from thinktime import Job, PolicyError


def proposal_at_5(env, proposal, overrun="kill"):
    """Run a machine on which job 11 is over, 12 runs and 13 and 14 wait when a proposal is made at 5 s."""

    def stubborn(view, now):
        return proposal(view) if now == 5 else [row for row in view.waiting[:1] if now in (0, 1)]

    machine = tt.Machine(env, 4, stubborn, overrun)

    def user():
        machine.submit(Job(id=11, processors=4, runtime=1))
        machine.submit(Job(id=12, processors=2, runtime=9))
        yield env.timeout(5)
        machine.submit(Job(id=13, processors=2, runtime=9))
        machine.submit(Job(id=14, processors=1, runtime=9))

    env.process(user())
    env.run()


@pytest.mark.parametrize(
    "proposal, message",
    [
        (lambda view: view.queue, "job 14 on 1 processors at 5 s, but only 0 are"),
        (lambda view: [1], "job 12 at 5 s, which is running"),
        (lambda view: [0], "job 11 at 5 s, which is finished"),
        (lambda view: [2, 2], "job 13 at 5 s twice"),
        (lambda view: [view.queue[1], view.waiting[1]], "job 14 at 5 s twice"),
        (lambda view: [-1], "row -1 at 5 s, but there are only 4 jobs"),
        (lambda view: [4], "row 4 at 5 s, but there are only 4 jobs"),
        (lambda view: np.array([10**12]), "row 1000000000000 at 5 s"),
    ],
)
def test_an_impossible_proposal_is_refused(env, proposal, message):
    """The error names the policy, the job and the time."""
    with pytest.raises(PolicyError, match=f"^policy stubborn proposed (to start )?{message}"):
        proposal_at_5(env, proposal)


def test_a_refused_proposal_starts_no_job(env):
    """A proposal is applied as a whole or not at all."""

    def greedy(view, now):
        return view.queue

    machine = tt.Machine(env, 4, greedy)
    for _ in range(3):
        machine.submit(Job(processors=2, runtime=1))
    with pytest.raises(PolicyError, match=r"policy greedy .* job 3"):
        env.run()
    assert np.isnan(machine.result()["start"]).all()


@pytest.mark.parametrize(
    "proposal",
    [
        lambda view: np.array([view.waiting]),
        lambda view: ["job"],
        lambda view: "2",
        lambda view: [2.5],
        lambda view: np.array([2.5]),
        lambda view: 2,
        lambda view: view.queue[0],
        lambda view: [None],
        lambda view: [math.nan],
        lambda view: [10**30],
    ],
)
def test_nonsense_is_refused_in_the_policys_name(env, proposal):
    """What is neither a row nor a request is an error of the policy: no guess, no foreign error."""
    with pytest.raises(PolicyError, match=r"policy stubborn .* at 5 s"):
        proposal_at_5(env, proposal)


def test_a_mask_is_not_taken_for_rows(env):
    """A policy that returns which of the waiting jobs should start, as booleans, has made a mistake."""

    def narrow(view, now):
        return view.requests.processors[view.waiting] < 3

    machine = tt.Machine(env, 8, narrow)
    machine.submit(Job(processors=4, runtime=1))
    machine.submit(Job(processors=1, runtime=1))
    with pytest.raises(PolicyError, match="policy narrow"):
        env.run(until=0.5)
        pytest.fail(f"{machine.users} started")


def test_the_error_counts_processors_of_overrunning_jobs(env):
    """Under ``until_needed`` the message says how many processors there were to have, which is not below zero."""

    def greedy(view, now):
        return view.queue

    machine = tt.Machine(env, 4, greedy, "until_needed")
    machine.submit(Job(processors=4, runtime=50, estimate=5))
    env.run(until=10)
    machine.submit(Job(processors=2, runtime=1))
    machine.submit(Job(processors=3, runtime=1))
    with pytest.raises(PolicyError, match="only 2 are"):
        env.run()


def test_an_error_inside_a_policy_is_its_own(env):
    """An exception in a policy's code leaves the simulation as it is."""

    def broken(view, now):
        return {}["missing"]

    tt.Machine(env, 4, broken).submit(Job(runtime=1))
    with pytest.raises(KeyError, match="missing"):
        env.run()
