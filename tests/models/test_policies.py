"""A user's own policies: what they may look like, when they are called, and what they may not do."""

import math

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime import Job, PolicyError


@pytest.fixture
def env():
    return simpy.Environment()


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
    """A function, a generator function or an object with select; it gives requests, rows, an array, or None."""
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


@pytest.mark.xfail(strict=True, reason="a policy without copy() is used as it is, and shared")
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


@pytest.mark.xfail(strict=True, reason="str() of a plain object is its address")
def test_a_policy_without_a_text_is_called_by_its_class(env):
    """A result's policy is the same text in every run."""
    assert tt.Machine(env, 4, OnlySelect()).result().policy == "OnlySelect"


class Diary:
    """Starts the first in the queue if it fits, and writes down every call."""

    def __init__(self):
        self.log = []

    def copy(self):
        return self

    def note(name):
        return lambda self, view, rows, now: self.log.append((now, name, rows.tolist(), view.free))

    on_end, on_withdraw, on_submit, on_start = map(note, ("end", "withdraw", "submit", "start"))

    def on_clock(self, view, now):
        self.log.append((now, "clock", view.free))

    def select(self, view, now):
        self.log.append((now, "select", view.waiting.tolist(), view.free))
        return [row for row in view.waiting[:1] if view.requests.processors[row] <= view.free]

    def next_clock(self, now):
        self.log.append((now, "next_clock"))
        return 5 if now < 5 else math.inf


def test_hooks_are_called_in_the_order_of_the_instant(env):
    """End, clock, withdrawal, submission, select, start, next clock: each with its rows, and the view up to date."""
    machine = tt.Machine(env, 4, policy := Diary())

    def user():
        yield machine.submit(Job(processors=3, runtime=5)).started
        blocked = machine.submit(Job(processors=4, runtime=5))
        yield env.timeout(5)
        machine.submit(Job(id=9, processors=2, runtime=1))
        machine.submit(Job(id=8, processors=2, runtime=1))
        blocked.cancel()

    env.process(user())
    env.run()
    assert policy.log == [
        (0, "submit", [0], 4), (0, "select", [0], 4), (0, "start", [0], 4), (0, "next_clock"),
        (0, "submit", [1], 1), (0, "select", [1], 1), (0, "next_clock"),
        (5, "end", [0], 4), (5, "clock", 4), (5, "withdraw", [1], 4), (5, "submit", [3, 2], 4),
        (5, "select", [3, 2], 4), (5, "start", [3], 4), (5, "next_clock"),
        (6, "end", [3], 4), (6, "select", [2], 4), (6, "start", [2], 4), (6, "next_clock"),
        (7, "end", [2], 4), (7, "select", [], 4), (7, "next_clock"),
    ]


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
    with pytest.raises(PolicyError, match=rf"next_clock\(0\) gave {clock:g}, which is not later than now"):
        env.run()


@pytest.mark.xfail(strict=True, reason="a clock between grid points opens an instant there, and jobs start off the grid")
def test_a_clock_off_the_grid_rings_at_the_next_grid_point(env):
    """Times that a policy gives are put on the grid as all times that enter."""
    machine = tt.Machine(env, 4, Clocked(lambda now: 0.1 if now < 0.1 else math.inf))
    event = machine.submit(Job(runtime=1))
    env.run()
    assert event.value.start == 103 / 1024


@pytest.mark.xfail(strict=True, reason="next_clock's answer is compared, not checked")
@pytest.mark.parametrize("clock", [math.nan, "soon"])
def test_a_clock_that_is_no_time_is_refused(env, clock):
    """What is not a time is an error of the policy, which the message names."""
    machine = tt.Machine(env, 4, Clocked(lambda now: clock if now else 7))
    machine.submit(Job(runtime=1))
    with pytest.raises(PolicyError, match="next_clock"):
        env.run(until=10)


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
        (lambda view: view.queue, "job 14 on 1 processors at 5 s, but only 0 are idle"),
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


def test_a_refused_proposal_starts_nobody(env):
    """A proposal is applied as a whole or not at all."""

    def greedy(view, now):
        return view.queue

    machine = tt.Machine(env, 4, greedy)
    for _ in range(3):
        machine.submit(Job(processors=2, runtime=1))
    with pytest.raises(PolicyError, match="policy greedy .* job 3"):
        env.run()
    assert np.isnan(machine.result()["start"]).all()


@pytest.mark.xfail(strict=True, reason="whatever int() or astype() makes of it is taken as rows")
@pytest.mark.parametrize(
    "proposal",
    [
        lambda view: ["job"], lambda view: "2", lambda view: [2.5], lambda view: np.array([2.5]),
        lambda view: 2, lambda view: view.queue[0], lambda view: np.array([view.waiting]), lambda view: [None],
        lambda view: [math.nan], lambda view: [10**30],
    ],
)
def test_nonsense_is_refused_in_the_policys_name(env, proposal):
    """What is neither a row nor a request is an error of the policy: no guess, no foreign error."""
    with pytest.raises(PolicyError, match="policy stubborn .* at 5 s"):
        proposal_at_5(env, proposal)


@pytest.mark.xfail(strict=True, reason="a mask is taken for the rows 0 and 1")
def test_a_mask_is_not_taken_for_rows(env):
    """A policy that returns which of the waiting jobs should start, as booleans, has made a mistake."""

    def narrow(view, now):
        return view.requests.processors[view.waiting] < 3

    machine = tt.Machine(env, 4, narrow)
    machine.submit(Job(processors=4, runtime=1))
    machine.submit(Job(processors=1, runtime=1))
    with pytest.raises(PolicyError, match="policy narrow"):
        env.run(until=0.5)
        pytest.fail(f"{machine.users} started")


@pytest.mark.xfail(strict=True, reason="processors of evicted jobs are not in the message's sum")
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
