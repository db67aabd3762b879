"""Closed forms: single-processor jobs, first come first served, are the queues of the textbooks.

Means of a run have 99.9 % intervals from batch means, seeds are fixed, and laws that hold for every run are
checked to the last digit: times are multiples of 2^-10 s, so sums of them are exact.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
import simpy
from scipy import stats

import thinktime as tt
from thinktime.analysis.queueing import asymptotic_bounds, interactive_response_time, mmc, repairman
from thinktime.analysis.statistics import batch_means
from thinktime.users import Profile, population
from thinktime.users.behaviours import Balk, Patience

pytestmark = pytest.mark.compiled

SERVICE, THINK = 100.0, 150.0


def assert_mean(values, expected, width=0.1):
    """The expected mean lies in the interval of these values, which is narrow enough to say something."""
    found = batch_means(values, 0.999, drop=len(values) // 10)
    assert found.interval.half < width * expected, f"too few values to judge: {found}"
    assert found.interval.low <= expected <= found.interval.high, (found.interval, expected)


def open_queue(servers, load, jobs, seed):
    """A log with Poisson arrivals and exponential run times of mean 100 s."""
    rng = np.random.default_rng(seed)
    gaps = rng.exponential(SERVICE / (servers * load), jobs)
    runtime = rng.exponential(SERVICE, jobs)
    return tt.Trace(
        {
            "submit": np.cumsum(gaps), "runtime": runtime, "requested_processors": np.ones(jobs, int),
            "requested_time": runtime + 1,
        }
    )  # fmt: skip


def closed_queue(servers, users, horizon, seed=4, policy="fcfs", think=None, runtime=None, behaviours=(), **limits):
    """Users who submit one job of one processor, wait for it, and think."""
    env = simpy.Environment()
    machine = tt.Machine(env, servers, policy, overrun="extend")
    thinking = stats.expon(scale=THINK) if think is None else think
    profile = Profile(
        runtime=stats.expon(scale=SERVICE) if runtime is None else runtime,
        jobs=1,
        think_time=thinking,
        first=thinking,
        behaviours=behaviours,
    )
    population(env, machine, {f"u{k}": profile for k in range(users)}, seed, **limits)
    env.run(until=horizon)
    return machine.result()


# -- open queues --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("servers, load", [(1, 0.5), (3, 0.6), (8, 0.7), (16, 0.9)])
def test_the_mean_wait_of_an_open_queue(servers, load):
    """Mean wait and the share that waits are those of M/M/1 and M/M/c."""
    result = tt.replay(open_queue(servers, load, 120_000, 11), "fcfs", servers)
    expected = mmc(servers, servers * load / SERVICE, SERVICE)
    wait = result["start"] - result["submit"]
    assert_mean(wait, expected.wait, width=0.3)
    assert_mean((wait > 0).astype(float), expected.waiting_probability)


@pytest.mark.parametrize("policy", ["no-guarantee", "easy", "easy:reservations=2", "conservative"])
def test_backfilling_finds_nothing_to_do_among_serial_jobs(policy):
    """With single-processor jobs in order of arrival every rule is the same queue."""
    trace = open_queue(3, 0.9, 5000, 2)
    assert (tt.replay(trace, policy, 3)["start"] == tt.replay(trace, "fcfs", 3)["start"]).all()


# -- closed queues: M/M/c//N --------------------------------------------------------------------------------


@pytest.mark.parametrize("servers, users", [(1, 1), (1, 3), (2, 5), (4, 12), (4, 40), (16, 30)])
def test_the_machine_repairman(servers, users):
    """Mean response, mean wait and throughput are those of the machine repairman at any load."""
    result = closed_queue(servers, users, horizon=2_000_000 / users + 300_000)
    expected = repairman(servers, users, SERVICE, THINK)
    over = np.sort(result["end"][np.isfinite(result["end"])])
    done = np.isfinite(result["end"])
    assert_mean((result["end"] - result["submit"])[done], expected.response_time)
    if users > servers:
        assert_mean((result["start"] - result["submit"])[done], expected.wait, width=0.3)
    else:
        assert (result["start"] == result["submit"]).all()
    per_bin = np.histogram(over, bins=400, range=(0, result.now))[0]
    assert_mean(per_bin * 400 / result.now, expected.throughput)


@pytest.mark.parametrize("think", [THINK, stats.uniform(0, 2 * THINK), stats.gamma(0.25, scale=4 * THINK)])
def test_only_the_mean_of_think_times_matters(think):
    """M/M/c//N is insensitive to the distribution of think times: constant, uniform, very irregular."""
    result = closed_queue(2, 6, horizon=500_000, think=think)
    done = np.isfinite(result["end"])
    expected = repairman(2, 6, SERVICE, THINK).response_time
    assert_mean((result["end"] - result["submit"])[done], expected)


@pytest.mark.parametrize(
    "patience, room, pieces",
    [
        (60.0, math.inf, (Patience(stats.expon(scale=60)),)),
        (math.inf, 1, (Balk(queue=1),)),
        (200.0, 3, (Balk(queue=3), Patience(stats.expon(scale=200)))),
    ],
)
def test_impatient_users(patience, room, pieces):
    """Throughput, waits and lost demand of impatient users are those of the birth-and-death process."""
    servers, users = 2, 10
    result = closed_queue(servers, users, 350_000, behaviours=pieces)
    expected = repairman(servers, users, SERVICE, THINK, patience, room)
    over = np.isfinite(result["end"])
    ran = np.isfinite(result["start"])
    leave = np.where(ran, result["start"], result["end"])[over]
    assert_mean(leave - result["submit"][over], expected.wait)
    ends = np.sort(result["end"][over & ran])
    assert_mean(np.histogram(ends, bins=400, range=(0, result.now))[0] * 400 / result.now, expected.throughput)
    never = result.lost.query("reason == 'balk'")["time"].to_numpy()
    intended = np.concatenate([result["submit"], never])
    gone = np.concatenate([(result["state"] == tt.State.WITHDRAWN), np.ones(len(never))])
    assert_mean(gone[np.argsort(intended, kind="stable")].astype(float), expected.lost)


@pytest.mark.thorough
def test_many_users_who_think_long_are_an_open_queue():
    """With many users who think long, the mean response climbs to that of M/M/4."""
    rate, users = 3 / SERVICE, {6: 200_000, 30: 200_000, 1500: 900_000}
    runs = [closed_queue(4, n, horizon, think=stats.expon(scale=n / rate)) for n, horizon in users.items()]
    responses = [(run["end"] - run["submit"])[np.isfinite(run["end"])] for run in runs]
    few, some, many = (values.mean() for values in responses)
    assert few < some < many
    assert_mean(responses[-1], mmc(4, rate, SERVICE).response_time, width=0.15)


# -- laws of every run --------------------------------------------------------------------------------------

POLICIES = ["fcfs", "easy:order=sjf", "conservative", "creasy"]
IRREGULAR = stats.lognorm(2, scale=30)


@pytest.mark.parametrize("policy", POLICIES)
def test_the_response_time_law_of_interactive_systems(policy):
    """R = N / X - Z to the last digit, for any distributions and any policy, with what each run measured.

    Over [0, T] every user is either waiting for a job or thinking. Think times are those on record, and the
    one that the end of the run cut off.
    """
    users, horizon = 7, 50_000
    result = closed_queue(2, users, horizon, policy=policy, runtime=IRREGULAR)
    ended = int(np.isfinite(result["end"]).sum())
    responses = thoughts = Fraction(0)
    for user in range(users):
        mine = result["user"] == user
        submit, end, thought = (result[name][mine] for name in ("submit", "end", "think_time"))
        responses += sum(map(Fraction, np.nan_to_num(end, nan=horizon) - submit))
        thoughts += sum(map(Fraction, thought[1:]), Fraction(submit[0]))
        if np.isfinite(end[-1]):
            thoughts += horizon - Fraction(end[-1])
    throughput = Fraction(ended, horizon)
    assert responses / ended == users / throughput - thoughts / ended
    law = interactive_response_time(users, float(throughput), float(thoughts / ended))
    assert law == pytest.approx(float(responses / ended))


@pytest.mark.parametrize("policy", POLICIES)
def test_littles_law_for_every_user(policy):
    """Over a run that begins and ends empty, a user's mean number in the system = rate x mean response, exactly."""
    result = closed_queue(2, 5, None, policy=policy, runtime=IRREGULAR, campaigns=200)
    for user in range(5):
        mine = result["user"] == user
        for leave in (result["start"][mine], result["end"][mine]):  # waiting, and in the system
            enter = result["submit"][mine]
            change = np.repeat([1, -1], mine.sum())
            times = np.concatenate([enter, leave])
            order = np.argsort(times, kind="stable")
            inside = np.cumsum(change[order])
            assert (np.diff(times[order]) * inside[:-1]).sum() == (leave - enter).sum()


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("servers, users", [(1, 10), (3, 4), (3, 30)])
def test_no_run_leaves_the_asymptotic_bounds(policy, servers, users):
    """With the service and think times that the run had, X <= min(c / S, N / (S + Z)), to the last digit."""
    result = closed_queue(servers, users, None, policy=policy, runtime=IRREGULAR, campaigns=100)
    length = result["end"].max()
    first = np.unique(result["user"], return_index=True)[1]
    thinking = np.nansum(result["think_time"]) + result["submit"][first].sum()
    service, think = (total / len(result) for total in ((result["end"] - result["start"]).sum(), thinking))
    most = asymptotic_bounds(servers, users, service, think).throughput[1]
    assert len(result) / length <= most * (1 + 1e-12)
    response = (result["end"] - result["submit"]).mean()
    assert response >= service * (1 - 1e-12)


def test_utilization_law():
    """Utilization is throughput times mean processor-seconds per job, for any widths."""
    env = simpy.Environment()
    machine = tt.Machine(env, 16, "easy")
    profile = Profile(
        runtime=IRREGULAR, jobs=stats.geom(0.5), think_time=50, processors=lambda rng: rng.integers(1, 17)
    )
    population(env, machine, {f"u{k}": profile for k in range(6)}, 3, campaigns=50)
    env.run()
    result = machine.result()
    work = (result["processors"] * result["runtime"]).sum()
    summary = result.summary()
    assert summary["utilization"] == pytest.approx(work / summary["makespan"] / 16, rel=1e-12)
