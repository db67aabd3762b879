"""The machine as a SimPy resource: jobs, their events, conditions and interrupts."""

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime import Job, State


def test_a_job_event_succeeds_with_a_record(env, machine):
    """The event of a job succeeds at its end, with what is known of it."""
    log = []

    def user():
        record = yield machine.submit(Job(user="ada", processors=3, runtime=10, estimate=20))
        log.append((env.now, record.id, record.user, record.processors, record.estimate, record.state))
        log.append((record.submit, record.start, record.end, record.wait, record.runtime, record.response_time))

    env.process(user())
    env.run()
    assert log == [(10, 1, "ada", 3, 20, State.FINISHED), (0, 0, 10, 0, 10, 10)]


def test_a_job_waits_for_processors(env, machine):
    """What does not fit waits in the queue until a running job ends."""
    first = machine.submit(Job(processors=3, runtime=10))
    second = machine.submit(Job(processors=2, runtime=5))
    env.run()
    assert [(e.value.start, e.value.end, e.value.wait) for e in (first, second)] == [(0, 10, 0), (10, 15, 10)]


def test_a_job_is_killed_at_its_estimate(env, machine):
    """Under the default overrun rule the record says that the job was ended at its estimate."""
    event = machine.submit(Job(runtime=10, estimate=4))
    env.run()
    assert (event.value.state, event.value.end) == (State.KILLED, 4)


def test_started_succeeds_with_the_start_time(env, machine):
    """``.started`` is an event of its own, before the end, with the time of the start."""
    log = []

    def user():
        event = machine.submit(Job(processors=4, runtime=5))
        later = machine.submit(Job(runtime=1))
        for moment in (event.started, later.started, later):
            yield moment
            log.append((env.now, moment is later or moment.value))
        yield later.started  # asked for again when it is long past
        log.append((env.now, later.started.value))

    env.process(user())
    env.run()
    assert log == [(0, 0), (5, 5), (6, True), (6, 5)]


def test_started_that_is_asked_for_late_succeeds_at_once(env, machine):
    """A process that asks for the start of a running job gets it now, not at the end."""
    log = []

    def user():
        event = machine.submit(Job(runtime=10))
        yield env.timeout(3)
        start = yield event.started
        log.append((env.now, start))

    env.process(user())
    env.run()
    assert log == [(3, 0)]


def test_started_never_succeeds_for_a_job_that_never_starts(env, machine):
    """A withdrawn job has no start, so no process that waits for it goes on."""
    machine.submit(Job(processors=4, runtime=10))
    event = machine.submit(Job(runtime=1))

    def user():
        yield env.timeout(1)
        event.cancel()

    env.process(user())
    started = event.started
    env.run()
    assert (started.triggered, event.started.triggered, event.value.start) == (False, False, None)


def test_conditions(env, machine):
    """Jobs, starts and timeouts combine with ``&`` and ``|`` as SimPy events do."""
    log = []

    def user():
        a, b = machine.submit(Job(runtime=3)), machine.submit(Job(runtime=7))
        won = yield a | b
        log.append((env.now, a in won, b in won))
        both = yield a & b
        log.append((env.now, [record.end for record in both.values()]))
        c = machine.submit(Job(runtime=100))
        won = yield c | env.timeout(1)
        log.append((env.now, c in won))
        yield env.any_of([c.started, c])
        log.append((env.now, c.state))
        yield machine.submit_campaign([Job(runtime=1), Job(runtime=2)]) & env.timeout(1)
        log.append((env.now, machine.count))

    env.process(user())
    env.run(until=20)
    assert log == [(3, True, False), (7, [3, 7]), (8, False), (8, State.RUNNING), (10, 1)]


@pytest.mark.parametrize("wait", [1, 12])
def test_interrupting_a_user_leaves_the_job_alone(env, machine, wait):
    """A process that is interrupted while it waits for its job, queued or running, leaves the job where it is."""
    log = []
    machine.submit(Job(processors=4, runtime=10))

    def user():
        event = machine.submit(Job(processors=2, runtime=5))
        try:
            yield event
        except simpy.Interrupt as interrupt:
            log.append((env.now, interrupt.cause, event.state))
            record = yield event
            log.append((env.now, record.start, record.state))

    process = env.process(user())

    def boss():
        yield env.timeout(wait)
        process.interrupt("meeting")

    env.process(boss())
    env.run()
    assert log == [(wait, "meeting", State.WAITING if wait < 10 else State.RUNNING), (15, 10, State.FINISHED)]


def test_an_interrupt_at_the_very_end_of_the_job(env, machine):
    """A job ends for the machine even if its user is interrupted at the same time."""
    log = []

    def user():
        event = machine.submit(Job(runtime=5))
        try:
            yield event
        except simpy.Interrupt:
            log.append((env.now, "interrupted"))
            yield event
            log.append((env.now, event.value.end))

    process = env.process(user())

    def boss():
        yield env.timeout(5)
        process.interrupt()

    env.process(boss())
    env.run()
    assert log == [(5, "interrupted"), (5, 5)]


def test_a_job_wider_than_the_machine_raises(env, machine):
    """Submitting what can never run is an error that says why, and leaves nothing behind."""
    for submit in (lambda job: machine.submit(job), lambda job: machine.submit_campaign([Job(runtime=1), job])):
        with pytest.raises(ValueError, match="job 7 asks for 5 processors, but the machine has 4"):
            submit(Job(id=7, processors=5, runtime=1))
    with pytest.raises(ValueError, match="asks for 5 processors"):
        machine.request(5)
    env.run()
    assert len(machine.result()) == 0


@pytest.mark.parametrize("processors", [0, -1, 2.0, True, "4", None])
def test_a_machine_needs_processors(env, processors):
    """The number of processors is a whole number of at least 1, and the error shows what was given."""
    with pytest.raises(ValueError, match=f"processors must be .* not {processors!r}"):
        tt.Machine(env, processors)


def test_an_unknown_overrun_rule_is_refused(env):
    """The error names the rules there are."""
    with pytest.raises(ValueError, match=r"'keep'.* kill, extend, until_needed"):
        tt.Machine(env, 4, overrun="keep")


def test_numbers_given_by_the_machine_never_collide_with_a_logs(env, machine):
    """A log that joins a machine on which jobs were submitted already leaves every job a number of its own."""
    machine.submit(Job(runtime=1))
    log = tt.Trace({"submit": [1], "runtime": [5], "requested_processors": [1], "requested_time": [9]})
    env.process(tt.submit_trace(env, machine, log))
    env.run()
    assert len(set(machine.result()["id"].tolist())) == 2


def test_a_result_stays_as_it_was_while_the_machine_goes_on(env, machine):
    """Nothing that happens later changes a result, not even a log to whose numbers the machine gives way."""
    machine.submit_campaign([Job(runtime=5, user="a"), Job(runtime=7, user="a")])
    env.run()
    before = machine.result()
    kept = {name: column.copy() for name, column in before.columns.items()}
    log = tt.Trace({"submit": [9, 9], "runtime": [5, 5], "requested_processors": [1, 99], "queue": [3, 4]})
    env.process(tt.submit_trace(env, machine, log))
    machine.submit(Job(runtime=2, queue="night"))
    env.run()
    assert machine.result()["id"][:2].tolist() != kept["id"].tolist()
    for name, column in kept.items():
        np.testing.assert_array_equal(before[name], column, err_msg=name)


def test_columns_that_a_log_does_not_fill_take_no_memory(env, machine):
    """Queues, memory and recorded starts of a log without them are one value each, until a job has its own."""
    machine.load(tt.Trace({"submit": [0, 1], "runtime": [5, 5], "requested_processors": [1, 1]}))
    names = ("queue", "memory", "recorded_start")
    assert all(getattr(machine.pool.requests, name).strides == (0,) for name in names)
    machine.submit(Job(runtime=1, queue="night", memory=7.0))
    assert machine.pool.requests.queue[:3].tolist() == [-1, -1, 0]
    np.testing.assert_array_equal(machine.pool.requests.memory[:3], [np.nan, np.nan, 7.0])
