"""Taking jobs back: waiting, running, over, or not even seen by the scheduler."""

import pytest

import thinktime as tt
from thinktime import Job, State


def at(env, time, action):
    """Do something at one time."""

    def process():
        yield env.timeout(time)
        action()

    return env.process(process())


def test_a_waiting_job_is_withdrawn(env, machine):
    """The job leaves the queue at once, its event succeeds, and those behind it move up."""
    wide = machine.submit(Job(processors=3, runtime=10))
    blocked = machine.submit(Job(processors=4, runtime=10))
    behind = machine.submit(Job(processors=1, runtime=10))
    at(env, 2, blocked.cancel)
    env.run()
    records = [event.value for event in (wide, blocked, behind)]
    assert [(r.state, r.start, r.end) for r in records] == [
        (State.FINISHED, 0, 10),
        (State.WITHDRAWN, None, 2),
        (State.FINISHED, 2, 12),
    ]
    assert (blocked.value.wait, blocked.value.runtime) == (2, 0)


def test_a_running_job_is_ended(env, machine):
    """Cancelling a running job ends it now, and its processors serve the next job in the same instant."""
    first = machine.submit(Job(processors=4, runtime=10))
    second = machine.submit(Job(processors=4, runtime=10))
    at(env, 3, first.cancel)
    env.run()
    assert [(e.value.state, e.value.start, e.value.end) for e in (first, second)] == [
        (State.KILLED, 0, 3),
        (State.FINISHED, 3, 13),
    ]


def test_a_job_that_is_over_stays_as_it_is(env, machine):
    """Cancelling after the end is no event at all."""
    event = machine.submit(Job(runtime=5))
    at(env, 8, event.cancel)
    env.run()
    assert (event.value.state, event.value.end, machine.over) == (State.FINISHED, 5, 1)


def test_a_job_is_cancelled_at_the_very_time_of_its_end(env, machine):
    """Completions come before withdrawals, so the job has finished."""
    event = machine.submit(Job(runtime=5))
    at(env, 5, event.cancel)
    env.run()
    assert (event.value.state, event.value.end) == (State.FINISHED, 5)


def test_a_job_is_withdrawn_before_the_scheduler_has_seen_it(env, machine):
    """Submitted and cancelled at one instant, a job never starts, though the machine is empty."""
    log = []

    def user():
        event = machine.submit(Job(runtime=5))
        event.cancel()
        event.cancel()
        log.append(((yield event).state, env.now))

    env.process(user())
    env.run()
    result = machine.result()
    assert log == [(State.WITHDRAWN, 0)]
    assert (result["state"].tolist(), result["end"].tolist(), machine.queue) == ([State.WITHDRAWN], [0], [])


def test_a_job_that_could_start_now_is_withdrawn_first(env, machine):
    """A withdrawal at the instant at which the job would start comes before the pass."""
    machine.submit(Job(processors=4, runtime=5))
    event = machine.submit(Job(processors=4, runtime=5))
    at(env, 5, event.cancel)
    env.run()
    assert (event.value.state, event.value.end) == (State.WITHDRAWN, 5)


def test_cancelling_in_reaction_to_an_end(env, machine):
    """A user who learns of an end at t can still take the next job back at t."""
    first = machine.submit(Job(processors=4, runtime=5))
    second = machine.submit(Job(processors=4, runtime=5))

    def user():
        yield first
        second.cancel()

    env.process(user())
    env.run()
    assert (second.value.state, second.value.end) == (State.WITHDRAWN, 5)


def test_cancelling_a_running_job_in_reaction_to_a_withdrawal(env, machine):
    """A user who learns of a withdrawal at t can end a running job at t."""
    running = machine.submit(Job(processors=4, runtime=100))
    waiting = machine.submit(Job(runtime=5))

    def user():
        yield waiting
        running.cancel()

    env.process(user())
    at(env, 10, waiting.cancel)
    env.run()
    assert (waiting.value.end, running.value.end, running.value.state) == (10, 10, State.KILLED)


def test_cancelling_in_reaction_to_a_start(env, machine):
    """A job cancelled when its start is heard of has run for no time, and the next one starts at the same time."""
    first = machine.submit(Job(processors=4, runtime=5))
    second = machine.submit(Job(processors=4, runtime=5))

    def user():
        yield first.started
        first.cancel()

    env.process(user())
    env.run()
    assert [(e.value.state, e.value.start, e.value.end) for e in (first, second)] == [
        (State.KILLED, 0, 0),
        (State.FINISHED, 0, 5),
    ]


@pytest.mark.parametrize("changes", [None, tt.Changes(windows=[tt.Window(900, 950, 1)])], ids=["steady", "changing"])
@pytest.mark.parametrize(("overrun", "end", "how"), [("extend", 50, "cancelled"), ("kill", 10, "limit")])
def test_a_job_that_is_cancelled_beyond_its_estimate_was_ended_by_no_limit(env, changes, overrun, end, how):
    """A limit ends jobs only where it kills them, and machines that change or do not say the same."""
    machine = tt.MachineSpec(4, "easy", overrun=overrun, changes=changes).open(env)
    at(env, 50, machine.submit(Job(runtime=100, estimate=10)).cancel)
    env.run()
    (run,) = machine.result().runs[["end", "how"]].itertuples(index=False)
    assert tuple(run) == (end, how)


def test_cancelling_a_campaign(env, machine):
    """All jobs that are not over are taken back; the campaign ends with the last of them."""
    campaign = machine.submit_campaign([Job(processors=4, runtime=r) for r in (2, 5, 9)])
    at(env, 4, campaign.cancel)
    env.run()
    assert [(job.state, job.end) for job in campaign.value.jobs] == [
        (State.FINISHED, 2),
        (State.KILLED, 4),
        (State.WITHDRAWN, 4),
    ]
    assert (campaign.value.end, campaign.value.work) == (4, 16)


def test_a_job_of_a_log_withdrawn_before_its_submission_is_not_a_job(env, machine):
    """An announced job that is taken back before its time was never submitted."""
    log = tt.Trace({"submit": [100], "runtime": [5], "requested_processors": [1], "requested_time": [9]})
    rows = machine.load(log)
    machine.announce(rows)
    at(env, 5, machine.event(rows[0]).cancel)
    env.run()
    result = machine.result()
    assert not len(result) or result["end"][0] >= result["submit"][0]
