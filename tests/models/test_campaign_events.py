"""Campaigns: several jobs with one event, which fires when the last of them is over."""

import pytest

import thinktime as tt
from thinktime import Job, State


def test_a_campaign_fires_with_its_last_job(env):
    """The event of a campaign succeeds when the last job has ended, with the records in the order given."""
    machine = tt.Machine(env, 2, "fcfs")
    log = []

    def user():
        yield env.timeout(1)
        record = yield machine.submit_campaign([Job(runtime=r, user="ada") for r in (7, 3, 6)])
        log.append((env.now, record.number, [(job.start, job.end) for job in record.jobs]))
        log.append((record.submit, record.end, record.response_time, record.work, record.jobs[0].campaign))

    env.process(user())
    env.run()
    assert log == [(10, 0, [(1, 8), (1, 4), (4, 10)]), (1, 10, 9, 16, 0)]


def test_a_campaign_is_over_however_its_jobs_ended(env):
    """Killed and withdrawn jobs count as much as finished ones."""
    machine = tt.Machine(env, 2, "fcfs")
    campaign = machine.submit_campaign(
        [Job(runtime=9, estimate=4), Job(runtime=2), Job(processors=2, runtime=50), Job(processors=2, runtime=50)]
    )

    def user():
        yield env.timeout(3)
        campaign.jobs[3].cancel()
        yield env.timeout(3)
        campaign.jobs[2].cancel()

    env.process(user())
    env.run()
    assert campaign.processed
    assert [(job.state, job.end) for job in campaign.value.jobs] == [
        (State.KILLED, 4), (State.FINISHED, 2), (State.KILLED, 6), (State.WITHDRAWN, 3),
    ]  # fmt: skip


def test_a_campaign_whose_last_job_is_withdrawn_is_over_then(env):
    """The event fires at the withdrawal if that was the last job that was not over."""
    machine = tt.Machine(env, 1, "fcfs")
    machine.submit(Job(runtime=100))
    campaign = machine.submit_campaign([Job(runtime=1), Job(runtime=1)])
    log = []

    def user():
        yield campaign
        log.append(env.now)

    def canceller():
        for job in campaign.jobs:
            yield env.timeout(4)
            job.cancel()

    env.process(user())
    env.process(canceller())
    env.run()
    assert log == [8]


def test_jobs_of_a_campaign_are_events_as_well(env):
    """Each job of a campaign can be waited for, before and after its end."""
    machine = tt.Machine(env, 2, "fcfs")
    log = []

    def user():
        campaign = machine.submit_campaign([Job(runtime=3), Job(runtime=8)])
        first, second = campaign.jobs
        log.append(((yield first).end, env.now))
        yield second.started
        yield campaign & second
        log.append((env.now, (yield campaign.jobs[0]).end))

    env.process(user())
    env.run()
    assert log == [(3, 3), (8, 3)]


def test_a_campaign_needs_jobs(env):
    """An empty campaign would never be over, so it is refused."""
    with pytest.raises(ValueError, match="at least one job"):
        tt.Machine(env, 2).submit_campaign(iter([]))


def test_campaigns_are_numbered_per_machine(env):
    """Each machine counts its campaigns from 0; single jobs belong to none."""
    machines = [tt.Machine(env, 2, "fcfs") for _ in range(2)]
    for machine in machines:
        machine.submit(Job(runtime=1))
        machine.submit_campaign([Job(runtime=1)])
        machine.submit_campaign(Job(runtime=1) for _ in range(2))
    env.run()
    assert [machine.result()["campaign"].tolist() for machine in machines] == [[-1, 0, 1, 1]] * 2


def test_a_zero_think_time_after_a_campaign_is_in_the_same_pass(env):
    """A user who does not think at all is in the queue before the processors are given away."""
    machine = tt.Machine(env, 2, "sjf")
    machine.submit(Job(runtime=100))
    log = []

    def user():
        yield machine.submit_campaign([Job(runtime=4), Job(runtime=4)])
        yield env.timeout(0)
        log.append((yield machine.submit(Job(runtime=1))).start)

    def other():
        yield env.timeout(1)
        log.append((yield machine.submit(Job(processors=2, runtime=50))).start)

    env.process(user())
    env.process(other())
    env.run()
    assert log == [4, 5]
