"""Closed forms: single-processor jobs, first come first served, are the queues of the textbooks.

Confidence intervals are from batch means with fixed seeds: 20 batches, Student's t at 99.9 %.
"""

import math

import numpy as np
import pytest
import simpy
from scipy import stats

import thinktime as tt
from thinktime.users import Profile, population

BATCHES = 20


def erlang_c(servers, load):
    """The probability that a job has to wait in M/M/c; load is in servers."""
    terms = [load**k / math.factorial(k) for k in range(servers)]
    last = load**servers / math.factorial(servers) / (1 - load / servers)
    return last / (sum(terms) + last)


def repairman(servers, users, service, think):
    """Throughput of M/M/c//N: users who think, then queue for one of some servers."""
    weights = [1.0]
    for k in range(1, users + 1):
        weights.append(weights[-1] * (users - k + 1) * (service / think) / min(k, servers))
    busy = sum(min(k, servers) * w for k, w in enumerate(weights)) / sum(weights)
    return busy / service


def assert_mean(batches, expected):
    """The expected value lies in the confidence interval, which is narrow enough to say something."""
    half = stats.t.ppf(0.9995, len(batches) - 1) * np.std(batches, ddof=1) / math.sqrt(len(batches))
    assert half < 0.2 * expected, "too few jobs to judge"
    assert abs(np.mean(batches) - expected) < half, (np.mean(batches), expected, half)


def open_queue(servers, load, jobs, seed):
    """A log with Poisson arrivals and exponential run times of mean 100 s."""
    rng = np.random.default_rng(seed)
    gaps = rng.exponential(100 / (servers * load), jobs)
    runtime = rng.exponential(100, jobs)
    return tt.Trace(
        {
            "submit": np.cumsum(gaps), "runtime": runtime, "requested_processors": np.ones(jobs, int),
            "requested_time": runtime + 1,
        }
    )


@pytest.mark.parametrize("servers, load", [(1, 0.5), (3, 0.6), (8, 0.7)])
def test_the_mean_wait_of_an_open_queue(servers, load):
    """M/M/1 and M/M/c: the mean wait is C(c, a) / (c mu - lambda)."""
    result = tt.replay(open_queue(servers, load, 150_000, 11), "fcfs", servers)
    wait = (result["start"] - result["submit"])[len(result) // 10 :]
    expected = erlang_c(servers, servers * load) * 100 / (servers * (1 - load))
    assert_mean([batch.mean() for batch in np.array_split(wait, BATCHES)], expected)


@pytest.mark.parametrize("policy", ["no-guarantee", "easy", "easy:reservations=2", "conservative"])
def test_backfilling_finds_nothing_to_do_among_serial_jobs(policy):
    """With single-processor jobs in order of arrival every rule is the same queue."""
    trace = open_queue(3, 0.9, 5000, 2)
    assert (tt.replay(trace, policy, 3)["start"] == tt.replay(trace, "fcfs", 3)["start"]).all()


@pytest.mark.parametrize("servers, users", [(1, 3), (2, 5), (4, 12)])
def test_the_throughput_of_a_closed_queue(servers, users):
    """Users who submit one job, wait and think are the machine-repairman model M/M/c//N."""
    env = simpy.Environment()
    machine = tt.Machine(env, servers, "fcfs")
    profile = Profile(runtime=stats.expon(scale=100), jobs=1, think_time=stats.expon(scale=150), overestimate=2)
    population(env, machine, {f"u{k}": profile for k in range(users)}, seed=4)
    horizon = 600_000
    env.run(until=horizon)
    end = machine.result()["end"]
    done = np.histogram(end[np.isfinite(end)], BATCHES, (0.1 * horizon, horizon))[0]
    assert_mean(done / (0.9 * horizon / BATCHES), repairman(servers, users, 100, 150))


def test_littles_law():
    """Over a run that begins and ends empty, mean number waiting = rate × mean wait, exactly."""
    result = tt.replay(open_queue(2, 0.8, 2000, 3), "fcfs", 2)
    changes = np.concatenate([np.ones(len(result)), -np.ones(len(result))])
    times = np.concatenate([result["submit"], result["start"]])
    order = np.argsort(times, kind="stable")
    waiting = np.cumsum(changes[order])
    area = (np.diff(times[order]) * waiting[:-1]).sum()
    assert area == (result["start"] - result["submit"]).sum()
