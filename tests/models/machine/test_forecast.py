"""Forecasts: a copied state, run forward through the loop of the machine, does what the machine does."""

import gc
import weakref

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.models.policies.cplant.workloads import OVERRUNS, PROCESSORS, as_trace, workloads
from thinktime.models.machine.forecast import Forecast, fair_start, predicted_starts
from thinktime.users import submit_trace

POLICIES = (
    "fcfs", "no-guarantee:order=fairshare,decay=10s", "easy", "easy:order=fairshare,half_life=9s",
    "easy:order=sjf,reservations=2", "conservative", "conservative:order=fairshare,compress=event",
    "conservative:order=lxf,compress=scheduled", "conservative-dynamic:order=fairshare,decay=10s", "ostrich",
    "ostrich-slurm",
)  # fmt: skip


class FairStarts:
    """An observer that asks for every job when it would start if no job came later."""

    def __init__(self):
        self.found = {}
        self.passes = 0

    def before_submissions(self, instants, rows, now):
        self.passes += 1
        for i, row in enumerate(rows.tolist()):
            self.found[instants.pool.requests.id.item(row)] = fair_start(instants, rows[: i + 1], now)


def machine_for(trace, policy, overrun, observer=None):
    """A machine that replays a log."""
    env = simpy.Environment()
    machine = tt.Machine(env, PROCESSORS, policy, overrun)
    if observer:
        machine.observe(observer)
    env.process(submit_trace(env, machine, trace))
    return env, machine


def starts(result):
    """Starts by job number."""
    return dict(zip(result["id"].tolist(), result["start"].tolist(), strict=True))


@settings(max_examples=60, deadline=None)
@given(workloads(most=12), st.sampled_from(POLICIES), st.sampled_from(OVERRUNS))
def test_a_fair_start_is_the_start_in_a_log_that_ends_there(workload, policy, overrun):
    """A job's fair start is its start in the log cut off behind it."""
    jobs, owner = workload
    jobs = sorted(jobs, key=lambda job: (job.submit, job.id))
    observer = FairStarts()
    env, machine = machine_for(as_trace(jobs, owner), policy, overrun, observer)
    env.run()
    found = starts(machine.result())
    alone = tt.replay(as_trace(jobs, owner), policy, PROCESSORS, overrun=overrun)
    assert found == starts(alone), "observing changed the schedule"
    for i, job in enumerate(jobs):
        cut = tt.replay(as_trace(jobs[: i + 1], owner), policy, PROCESSORS, overrun=overrun)
        assert observer.found[job.id] == starts(cut)[job.id]


@settings(max_examples=60, deadline=None)
@given(workloads(most=12, exact=True, shortest=1), st.sampled_from(POLICIES), st.integers(1, 60))
def test_with_exact_estimates_and_no_job_to_come_predictions_come_true(workload, policy, now):
    """With exact estimates and no newcomers, predictions come true."""
    jobs, owner = workload
    env, machine = machine_for(as_trace(jobs, owner), policy, "kill")
    env.run(until=max(40, now) + 0.5)
    instants = machine.scheduler
    machine.count  # noqa: B018  # settles
    waiting = instants.pool.requests.id[instants.pool.waiting_rows].tolist()
    predicted = predicted_starts(instants, env.now)
    env.run()
    found = starts(machine.result())
    assert predicted.tolist() == [found[number] for number in waiting]


def test_predictions_know_estimates_only():
    """A job is predicted to end at its estimate, or within a second if it has outlived it."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, "fcfs", overrun="extend")
    machine.submit(tt.Job(processors=4, runtime=10, estimate=100))
    machine.submit(tt.Job(processors=4, runtime=1, estimate=5))
    env.run(until=3)
    assert predicted_starts(machine.scheduler, 3.0).tolist() == [100.0]
    machine = tt.Machine(env, 4, "fcfs", overrun="extend")
    machine.submit(tt.Job(processors=4, runtime=1000, estimate=5))
    machine.submit(tt.Job(processors=4, runtime=1, estimate=5))
    machine.submit(tt.Job(processors=4, runtime=1, estimate=5))
    env.run(until=103)
    assert predicted_starts(machine.scheduler, 103.0).tolist() == [104.0, 109.0]


def test_a_hold_without_an_end_is_never_over():
    """A job behind a hold without an end has neither a predicted nor a fair start."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, "fcfs")
    machine.request(4)
    machine.submit(tt.Job(processors=1, runtime=1))
    observer = FairStarts()
    machine.observe(observer)
    env.run(until=3)
    machine.submit(tt.Job(processors=1, runtime=1))
    env.run(until=4)
    assert predicted_starts(machine.scheduler, 4.0).tolist() == [np.inf, np.inf]
    assert np.isnan(observer.found[3])


def test_a_forecast_leaves_the_machine_alone():
    """A forecast changes no array, reservation or account of the machine."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, "conservative:order=fairshare")
    for k in range(20):
        machine.submit(tt.Job(user=k % 3, processors=1 + k % 4, runtime=5 + k, estimate=10 + k))
    env.run(until=7)
    instants = machine.scheduler
    before = {name: column.copy() for name, column in instants.pool.requests.columns().items()}
    accounts = machine.policy.order.accounts.usages(machine.names["user"], 7)
    reserved = machine.policy.reservations(instants.view).copy()
    forecast = Forecast(instants, 7.0)
    forecast.skip()
    forecast.go_on()
    assert forecast.pool.waiting_count() == 0 and machine.pool.waiting_count() > 0
    for name, column in instants.pool.requests.columns().items():
        np.testing.assert_array_equal(column, before[name])
    assert machine.policy.order.accounts.usages(machine.names["user"], 7) == accounts
    np.testing.assert_array_equal(machine.policy.reservations(instants.view), reserved)


@pytest.mark.parametrize("policy", ["easy", "no-guarantee:order=fairshare"])
def test_who_does_not_observe_pays_nothing(policy):
    """An observer is called once per instant with submissions, and without one nothing is."""
    trace = as_trace([], {})
    env, machine = machine_for(trace, policy, "kill")
    assert machine.listeners.observers == []
    observer = FairStarts()
    machine.observe(observer)
    for _ in range(3):
        machine.submit(tt.Job(runtime=1))
    env.run()
    assert (observer.passes, list(observer.found.values())) == (1, [0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    "policy",
    [
        "easy",
        tt.policies.Easy(order=tt.policies.scalar(lambda job, now: job.estimate)),
        lambda view, now: view.queue[:1],
    ],
    ids=["compiled", "own key", "own policy"],
)
def test_a_forecast_goes_at_once(policy):
    """Nothing refers to a forecast in a circle, so its arrays are free again when it is over."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, policy)
    for _ in range(5):
        machine.submit(tt.Job(processors=4, runtime=5))
    env.run(until=3)
    gc.disable()
    try:
        forecast = Forecast(machine.scheduler, 3.0)
        forecast.skip()
        forecast.go_on()
        assert forecast.pool.requests.start[4] == 20
        pool = weakref.ref(forecast.pool)
        del forecast
        assert pool() is None
    finally:
        gc.enable()
