"""Kaplan-Meier estimates of waits and of response times, where users lose patience."""

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime.analysis.response_times import response_times, waits

PATIENCE, SERVICE, GAP, JOBS = 300.0, 100.0, 80.0, 1500


@pytest.fixture(scope="module")
def world():
    """A queue with reneging, run by the package, and the waits and services of all jobs had each of them stayed."""
    rng = np.random.default_rng(5)
    service = np.ceil(rng.exponential(SERVICE, JOBS) * 1024) / 1024
    arrival = np.ceil(np.cumsum(rng.exponential(GAP, JOBS)) * 1024) / 1024
    offered, free = np.empty(JOBS), 0.0
    for k in range(JOBS):  # the work found by each job; who would wait beyond the patience adds none
        offered[k] = max(free - arrival[k], 0.0)
        if offered[k] < PATIENCE:
            free = arrival[k] + offered[k] + service[k]
    env = simpy.Environment()
    machine = tt.Machine(env, processors=1, policy="fcfs")

    def submit():
        for at, run in zip(arrival.tolist(), service.tolist(), strict=True):
            yield env.timeout(at - env.now)
            event = machine.submit(tt.Job(runtime=run))
            env.timeout(PATIENCE).callbacks.append(
                lambda _, event=event: event.cancel() if event.state is tt.State.WAITING else None
            )

    env.process(submit())
    env.run()
    return machine.result(), offered, service


def test_waits_up_to_a_fixed_patience_are_exact(world):
    """The estimate is the distribution of the waits that jobs would have met by staying, and ends at the patience."""
    result, offered, _ = world
    found = waits(result)
    assert found.abandoned == (offered >= PATIENCE).sum() > JOBS / 10 and found.unfinished == 0
    estimate = found.kaplan_meier()
    for t in (0.0, 30.0, 120.0, 299.0):
        assert float(estimate.at(t)) == pytest.approx((offered > t).mean())
    assert estimate.known_until == PATIENCE
    assert np.isnan(estimate.at(PATIENCE + 1)) and np.isnan(estimate.quantile(0.9))


def test_waits_are_those_of_an_m_m_1_queue_with_reneging(world):
    """Work at rates λ and μ, of which jobs beyond the patience p add none: f(v) = λ P0 exp(-(μ - λ) v) for v < p."""
    result, *_ = world
    lam, mu = 1 / GAP, 1 / SERVICE
    at_p = np.exp(-(mu - lam) * PATIENCE)
    idle = 1 / (1 + lam * (1 - at_p) / (mu - lam) + lam * at_p / mu)
    beyond = lambda t: idle * (lam * (np.exp(-(mu - lam) * t) - at_p) / (mu - lam) + lam * at_p / mu)  # noqa: E731
    t = np.array([0.0, 60.0, 150.0, 280.0])
    assert np.abs(waits(result).kaplan_meier().at(t) - beyond(t)).max() < 0.04
    started = result["wait"][np.isfinite(result["start"])]
    assert abs((started > 150).mean() - beyond(150.0)) > 0.1  # those that started say something else


def test_response_times_are_only_bounded(world):
    """Who leaves has not started, who is left may be running: the estimate is much shorter than the truth."""
    result, offered, service = world
    truth = np.quantile(offered + service, 0.75)
    assert response_times(result, of="jobs").kaplan_meier().quantile(0.75) < 0.92 * truth
    estimate = response_times(result, of="jobs").kaplan_meier()
    for t in (50.0, 200.0, 350.0, 450.0):
        assert estimate.at(t) <= (offered + service > t).mean() + 1e-9


def test_jobs_that_wait_at_the_horizon_are_censored():
    """A running job has waited; one that waits has waited for longer than until now."""
    env = simpy.Environment()
    machine = tt.Machine(env, processors=1, policy="fcfs")
    for user in ("ann", "bob"):
        machine.submit(tt.Job(runtime=100, user=user))
    env.run(until=30)
    found = waits(machine.result())
    assert (found.served, found.unfinished, found.elapsed.tolist()) == (1, 1, [0.0, 30.0])
    assert found.of("bob").unfinished == 1
    assert found.kaplan_meier().known_until == 30
