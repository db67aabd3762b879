"""A user's own policies: what they may look like, when they are called, and what they may not do."""

import math

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime import Job, PolicyError


def first_fit(view, now):
    free, chosen = view.free, []
    for job in view.queue:
        if job.processors <= free:
            free -= job.processors
            chosen.append(job)
    return chosen


def generator(view, now):
    yield from first_fit(view, now)


def rows(view, now):
    return [job.row for job in first_fit(view, now)]


def array(view, now):
    return np.array(rows(view, now), dtype=np.int32)


def nobody_or_some(view, now):
    return first_fit(view, now) or None


class OnlySelect:
    def select(self, view, now):
        return first_fit(view, now)


@pytest.mark.parametrize("policy", [first_fit, generator, rows, array, nobody_or_some, OnlySelect()])
def test_a_policy_may_take_many_forms(env, policy):
    """A policy may be a function, a generator or an object, and may give requests, rows, an array or None."""
    machine = tt.Machine(env, 4, policy)
    for processors, runtime in ((3, 10), (2, 5), (1, 20), (4, 1)):
        machine.submit(Job(processors=processors, runtime=runtime))
    env.run()
    assert machine.result()["start"].tolist() == [0, 10, 0, 20]


def test_a_class_instead_of_an_object_is_a_likely_mistake(env):
    """The error says how to make the object; other things are no policies either."""
    with pytest.raises(TypeError, match=r"OnlySelect\(\)"):
        tt.Machine(env, 4, OnlySelect)
    with pytest.raises(TypeError, match="17 is no policy"):
        tt.Machine(env, 4, 17)


@pytest.mark.parametrize("text", ["easy", "conservative", "conservative-dynamic", "none:order=lxf", "recorded"])
def test_one_policy_object_serves_two_machines(env, text):
    """Machines work with copies, so they do not disturb each other."""
    policy = tt.policies.from_spec(text)
    machines = [tt.Machine(env, 4, policy) for _ in range(2)]
    alone = tt.Machine(simpy.Environment(), 4, text)
    for machine in (*machines, alone):
        for k in range(12):
            machine.submit(Job(processors=1 + k % 4, runtime=2 + k, estimate=9))
    env.run()
    alone.env.run()
    starts = [machine.result()["start"].tolist() for machine in (*machines, alone)]
    assert starts[0] == starts[1] == starts[2]


def test_an_object_without_copy_serves_two_machines(env):
    """A class with only select needs no copy of its own to keep its state apart on two machines."""

    class OnceOnly:
        def __init__(self):
            self.done = False

        def select(self, view, now):
            done, self.done = self.done, True
            return [] if done else view.queue

    policy = OnceOnly()
    machines = [tt.Machine(env, 4, policy) for _ in range(2)]
    jobs = [machine.submit(Job(runtime=1)) for machine in machines]
    env.run()
    assert [job.triggered for job in jobs] == [True, True]


def test_the_name_of_a_function_is_the_policys_name(env):
    """A result says which policy made it."""
    assert tt.Machine(env, 4, first_fit).result().policy == "first_fit"


def test_a_policy_without_a_text_is_called_by_its_class(env):
    """A result's policy is the same text in every run."""
    assert tt.Machine(env, 4, OnlySelect()).result().policy == "OnlySelect"


class Clocked:
    """Starts the queue at the time of its clock."""

    def __init__(self, clock):
        self.clock = clock

    def select(self, view, now):
        return view.queue if now >= self.clock(0) else None

    def next_clock(self, now):
        return self.clock(now)


def test_a_clock_opens_an_instant_of_its_own(env):
    """A policy that wants a pass at some time gets one there, though nothing else happens."""
    machine = tt.Machine(env, 4, Clocked(lambda now: 7 if now < 7 else math.inf))
    event = machine.submit(Job(runtime=1))
    env.run()
    assert event.value.start == 7


@pytest.mark.parametrize("clock", [0, -1, -math.inf])
def test_a_clock_that_is_not_later_than_now_is_refused(env, clock):
    """Such a clock would stop the time; the error says what it gave, and when."""
    machine = tt.Machine(env, 4, Clocked(lambda now: clock))
    machine.submit(Job(runtime=1))
    with pytest.raises(PolicyError, match=rf"next_clock\(0\) gave {clock:g}, .*later than now"):
        env.run()


def test_a_clock_off_the_grid_rings_at_the_next_grid_point(env):
    """Times that a policy gives are put on the grid as all times that enter."""
    machine = tt.Machine(env, 4, Clocked(lambda now: 0.1 if now < 0.1 else math.inf))
    event = machine.submit(Job(runtime=1))
    env.run()
    assert event.value.start == 103 / 1024


@pytest.mark.parametrize("clock", [math.nan, "soon"])
def test_a_clock_that_is_no_time_is_refused(env, clock):
    """What is not a time is an error of the policy, which the message names."""
    machine = tt.Machine(env, 4, Clocked(lambda now: clock if now else 7))
    machine.submit(Job(runtime=1))
    with pytest.raises(PolicyError, match="next_clock"):
        env.run(until=10)


@pytest.mark.parametrize("key", [lambda jobs, now: 0, lambda jobs, now: [1], lambda jobs, now: None])
def test_an_order_needs_a_key_for_every_job(env, key):
    """A key of another length than the queue is an error, not a queue of another length."""
    machine = tt.Machine(env, 4, tt.policies.NoGuarantee(key))
    jobs = [machine.submit(Job(runtime=5)) for _ in range(4)]
    with pytest.raises(ValueError, match="key"):
        env.run()
        assert [job.value.start for job in jobs] == [0, 5, 10, 15]


def test_a_users_own_key_sees_only_the_log(env):
    """A user's key is asked about jobs of the log alone: it may look up every user that the log has."""
    weights = {7: 1.0}
    by_weight = tt.policies.scalar(lambda job, now: weights[job.user])
    log = tt.Trace({"submit": [0, 1], "user": [7, 7], "runtime": [5, 5], "requested_processors": [4, 4]})
    assert tt.replay(log, tt.policies.Easy(by_weight), 4)["start"].tolist() == [0, 5]
