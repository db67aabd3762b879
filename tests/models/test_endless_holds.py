"""Holds without an estimate: no end is in sight, and every rule, order and file must cope."""

import pytest
import simpy

import thinktime as tt
from tests.how_many import in_turn
from thinktime import Job, State


def hold(env, machine, log, name, processors, seconds, at=0):
    """A process that holds processors for some time."""
    yield env.timeout(at)
    with machine.request(processors, user=name) as request:
        yield request
        log.append((name, env.now))
        yield env.timeout(seconds)


RULES = (
    "none", "no-guarantee", "easy", "easy:reservations=3", "conservative", "conservative:compress=event",
    "conservative:compress=scheduled", "conservative-dynamic",
)  # fmt: skip
ORDERS = ("fcfs", "sjf", "ljf", "lxf", "wfp3", "unicef", "f1", "f2", "f3", "f4")


@pytest.mark.parametrize(("rule", "order", "overrun"), in_turn(3, RULES, ORDERS, ["kill", "extend", "until_needed"]))
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_holds_without_an_end_in_sight_block_no_job_for_ever(env, rule, order, overrun):
    """Under every rule a job that waits behind an endless hold starts once the processors are back."""
    machine = tt.Machine(env, 4, f"{rule}{',' if ':' in rule else ':'}order={order}", overrun)
    log = []
    env.process(hold(env, machine, log, "a", 4, 50))
    env.process(hold(env, machine, log, "b", 2, 7, at=2))

    def user():
        yield env.timeout(1)
        jobs = [machine.submit(Job(processors=n, runtime=5)) for n in (3, 1)]
        yield simpy.AllOf(env, jobs)
        log.append(("jobs", min(job.value.start for job in jobs)))

    env.process(user())
    env.run()
    assert {name for name, *_ in log} == {"a", "b", "jobs"}
    assert machine.result()["state"].tolist() == [State.FINISHED] * 4


def test_without_compression_a_job_behind_an_endless_hold_starts_in_the_end(env):
    """A job without a fit in sight gets a reservation when there is one."""
    machine = tt.Machine(env, 4, "conservative:compress=none")
    env.process(hold(env, machine, [], "a", 4, 50))

    def user():
        yield env.timeout(1)
        yield machine.submit(Job(processors=3, runtime=5))

    env.process(user())
    env.run()
    assert machine.result()["start"].tolist() == [0, 50]


@pytest.mark.filterwarnings("error")
def test_the_expansion_factor_of_an_endless_hold_is_its_limit(env):
    """A hold without an estimate has the smallest expansion factor there is, 1, and there is no warning."""
    machine = tt.Machine(env, 4, "none:order=lxf")
    for name in "abc":
        env.process(hold(env, machine, [], name, 4, 5))
    env.run()
    assert machine.result()["start"].tolist() == [0, 5, 10]


def test_holds_can_be_written(env, tmp_path):
    """A result with holds, over or not, is written as any other."""
    machine = tt.Machine(env, 4, "fcfs")
    for at in (0, 1):
        env.process(hold(env, machine, [], "a", 4, 5, at=at))
    env.run(until=3)
    result = machine.result()
    assert result.summary()["jobs"] == 2
    for write, path in ((result.to_csv, tmp_path / "jobs.csv"), (result.to_swf, tmp_path / "jobs.swf")):
        write(path)
        assert path.stat().st_size


@pytest.mark.filterwarnings("error")
def test_an_endless_hold_leaves_its_campaign_with_the_work_of_the_others():
    """Under the plugin, a campaign is as urgent without it as what is left of its other jobs says."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, "ostrich-slurm:threshold=100s")
    hold = machine.request(4, user="ann")
    env.run(until=1)
    for user, length in (("ann", 50), ("bob", 10), ("ann", 50)):
        machine.submit(tt.Job(runtime=length, processors=4, user=user))
    env.run(until=5)
    hold.cancel()
    env.run()
    assert machine.result()["start"].tolist() == [0, 15, 5, 65]
