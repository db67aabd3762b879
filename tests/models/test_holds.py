"""Holds: processors that stay with a process until it gives them back, SimPy's own idiom."""

import math

import pytest
import simpy

import thinktime as tt
from thinktime import Job, Killed, State


def hold(env, machine, log, name, processors, seconds, estimate=math.inf, at=0):
    """A process that holds processors for some time."""
    yield env.timeout(at)
    try:
        with machine.request(processors, estimate, user=name) as request:
            got = yield request
            log.append((name, env.now, got is request))
            yield env.timeout(seconds)
    except simpy.Interrupt as interrupt:
        log.append((name, env.now, type(interrupt.cause).__name__))


def test_a_hold_lasts_as_long_as_the_process_likes(env, machine):
    """The processors are free again when the process leaves the ``with`` block."""
    log = []
    env.process(hold(env, machine, log, "a", 3, 10))
    env.process(hold(env, machine, log, "b", 2, 5, at=1))
    env.run()
    result = machine.result()
    assert log == [("a", 0, True), ("b", 10, True)]
    assert (result["start"].tolist(), result["end"].tolist()) == ([0, 10], [10, 15])
    assert result["state"].tolist() == [State.FINISHED] * 2
    assert machine.count == 0


def test_holds_and_jobs_share_the_queue(env, machine):
    """A hold waits behind jobs, and jobs behind a hold, in the order of the policy."""
    log = []
    machine.submit(Job(processors=4, runtime=5))
    env.process(hold(env, machine, log, "a", 4, 7, at=1))

    def user():
        yield env.timeout(2)
        record = yield machine.submit(Job(processors=1, runtime=1))
        log.append(("job", record.start))

    env.process(user())
    env.run()
    assert log == [("a", 5, True), ("job", 12)]


def test_a_hold_that_outlives_its_estimate_is_interrupted(env, machine):
    """Under ``kill`` the process gets an interrupt whose cause names the hold, and the processors are taken back."""
    log = []

    def user():
        try:
            with machine.request(4, estimate=10) as request:
                yield request
                yield env.timeout(50)
        except simpy.Interrupt as interrupt:
            cause = interrupt.cause
            log.append((env.now, type(cause) is Killed, cause.hold is request, cause.at, request.state))

    env.process(user())
    env.run(until=1)
    next_job = machine.submit(Job(runtime=1))
    env.run()
    assert log == [(10, True, True, 10, State.KILLED)]
    assert next_job.value.start == 10


@pytest.mark.parametrize("seconds", [10, 9.9999])
def test_a_release_at_the_estimate_is_in_time(env, machine, seconds):
    """A hold given back at its estimate has not outlived it: it finished, and no process is interrupted."""
    log = []

    def user():
        with machine.request(4, estimate=10) as request:
            yield request
            yield env.timeout(seconds)
        log.append(request)
        yield env.timeout(5)
        log.append(env.now)

    env.process(user())
    env.run()
    assert (log[0].state, log[1]) == (State.FINISHED, 5 + seconds)


@pytest.mark.parametrize("overrun", ["extend", "until_needed"])
def test_a_hold_may_outlive_its_estimate_where_jobs_may(env, overrun):
    """Under the other overrun rules the hold goes on if no job needs its processors."""
    machine = tt.Machine(env, 4, "fcfs", overrun)
    log = []
    env.process(hold(env, machine, log, "a", 4, 50, estimate=10))
    env.run()
    assert (log, machine.result()["end"].tolist()) == ([("a", 0, True)], [50])


def test_a_hold_is_evicted_when_its_processors_are_needed(env):
    """Under ``until_needed`` a job that could start takes an overrunning hold's processors; the process is told."""
    machine = tt.Machine(env, 4, "fcfs", "until_needed")
    log = []
    env.process(hold(env, machine, log, "a", 4, 50, estimate=10))

    def user():
        yield env.timeout(20)
        record = yield machine.submit(Job(processors=1, runtime=1))
        log.append(("job", record.start))

    env.process(user())
    env.run()
    assert log == [("a", 0, True), ("a", 20, "Killed"), ("job", 20)]


def test_an_interrupt_while_waiting_withdraws_the_request(env, machine):
    """A process that is interrupted out of its ``with`` block leaves no request behind."""
    log = []
    machine.submit(Job(processors=4, runtime=10))
    process = env.process(hold(env, machine, log, "a", 4, 10))

    def boss():
        yield env.timeout(3)
        process.interrupt("enough")

    env.process(boss())
    behind = machine.submit(Job(processors=4, runtime=1, id=9))
    env.run()
    assert log == [("a", 3, "str")]
    assert machine.result()["state"].tolist() == [State.FINISHED, State.FINISHED, State.WITHDRAWN]
    assert behind.value.start == 10


def test_reneging(env, machine):
    """A process that waits for a request or a timeout can leave the queue, as with a SimPy resource."""
    log = []
    machine.submit(Job(processors=4, runtime=10))

    def user(patience):
        with machine.request(4) as request:
            won = yield request | env.timeout(patience)
            log.append((env.now, request in won, request.state))

    env.process(user(4))
    env.process(user(40))
    env.run()
    assert log == [(4, False, State.WAITING), (10, True, State.RUNNING)]


def test_a_block_that_never_waits_asks_for_nothing(env, machine):
    """A request given up at the instant it was made never starts."""

    def user():
        with machine.request(4):
            pass
        yield env.timeout(1)

    env.process(user())
    env.run()
    assert (machine.result()["state"].tolist(), machine.count) == ([State.WITHDRAWN], 0)


def test_releasing_twice_is_harmless(env, machine):
    """Processors are given back once, however often a process says so."""

    def user():
        with machine.request(3) as request:
            yield request
            yield env.timeout(2)
            request.release()
            machine.release(request)
            yield env.timeout(2)
            request.release()

    env.process(user())
    env.run()
    assert (machine.result()["end"].tolist(), machine.count) == ([2], 0)


def test_a_hold_of_no_length(env, machine):
    """A request given back as soon as it is granted opens a second round, in which the next one starts."""
    log = []
    for name in "abc":
        env.process(hold(env, machine, log, name, 4, 0))
    env.run()
    assert log == [("a", 0, True), ("b", 0, True), ("c", 0, True)]
    assert machine.result()["end"].tolist() == [0, 0, 0]


def test_a_killed_hold_whose_process_is_over_interrupts_nothing(env, machine):
    """A process may end without giving its processors back; they are taken back at the estimate."""

    def careless():
        yield machine.request(4, estimate=10)

    env.process(careless())
    env.run(until=1)
    job = machine.submit(Job(runtime=1))
    env.run()
    assert job.value.start == 10


def test_a_process_that_cancels_its_own_hold_goes_on(env, machine):
    """Only a hold that another process ends interrupts its process."""
    log = []

    def user():
        with machine.request(4) as request:
            yield request
            request.cancel()
            yield env.timeout(5)
            log.append(env.now)

    env.process(user())
    env.run()
    assert log == [5]


def test_a_release_at_the_instant_of_the_request_gives_the_processors_back(env, machine):
    """A request that is released before anything else happens holds nothing for ever."""
    request = machine.request(4)
    machine.release(request)
    env.run(until=10)
    assert machine.count == 0
