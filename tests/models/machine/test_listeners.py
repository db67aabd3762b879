"""Watching jobs: an event for many at once."""

import numpy as np
import pytest
import simpy

import thinktime as tt


def loaded(policy="easy", runtime=(10, 20, 5), processors=(1, 1, 1), size=4):
    """A machine that holds a small log that was not submitted."""
    env = simpy.Environment()
    machine = tt.Machine(env, size, policy)
    n = len(runtime)
    columns = {"submit": [0] * n, "runtime": runtime, "requested_processors": processors, "requested_time": [50] * n}
    return env, machine, machine.load(tt.Trace(columns))


@pytest.mark.parametrize("policy", ["easy", "fcfs", "conservative"])
def test_a_watch_ends_with_the_last_of_its_jobs(policy):
    """A watch ends with the last of its jobs, whatever other jobs do."""
    env, machine, rows = loaded(policy)
    over = machine.watch(rows[:2])
    machine.submit_rows(rows)
    assert env.run(until=over) == 20
    assert env.now == 20


@pytest.mark.parametrize("policy", ["easy", "conservative"])
def test_whoever_watches_submits_before_the_pass(policy):
    """A job submitted in reaction to a watch starts in the same instant."""
    env, machine, rows = loaded(policy, (10, 20, 5), (4, 4, 4))
    log = []

    def user():
        over = machine.watch(rows[:1])
        machine.submit_rows(rows[:1])
        yield over
        machine.submit_rows(rows[2:])
        log.append(env.now)

    env.process(user())
    env.run()
    assert log == [10]
    assert machine.pool.requests.start[[0, 2]].tolist() == [0, 10]


def test_jobs_that_are_refused_withdrawn_or_cancelled_are_over():
    """Refused, withdrawn and cancelled jobs count as over."""
    env, machine, rows = loaded("easy", (10, 20, 5), (4, 4, 9))
    over = machine.watch(rows)

    def user():
        machine.submit_rows(rows)
        yield env.timeout(7)
        machine.event(rows[0]).cancel()
        machine.event(rows[1]).cancel()

    env.process(user())
    assert env.run(until=over) == 7


def test_many_watches_reuse_their_numbers():
    """A thousand watches one after the other, two at a time, need room for two."""
    env, machine, rows = loaded("easy", np.ones(1000), np.ones(1000, int))

    def user(first):
        for row in range(first, 1000, 2):
            over = machine.watch(rows[row : row + 1])
            machine.submit_rows(rows[row : row + 1])
            yield over

    env.process(user(0))
    env.process(user(1))
    env.run()
    assert env.now == 500
    assert len(machine.pool.left) == 64
    assert len(machine.listeners.watches) == 0


def test_jobs_without_length_end_in_a_second_round():
    """A watched job of 0 s is over at the instant of its submission."""
    env, machine, rows = loaded("fcfs", (0, 0), (1, 1))
    over = machine.watch(rows)
    machine.submit_rows(rows)
    assert env.run(until=over) == 0


def test_an_observer_that_cannot_be_told_is_refused():
    """Before anything runs."""
    log = tt.Trace({"submit": [0], "runtime": [1], "allocated": [1]})
    with pytest.raises(TypeError, match="an observer has a method before_submissions"):
        tt.run(tt.MachineSpec(4), log, observers=[print])
