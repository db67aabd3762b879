"""Machines that change against closed forms: every mean within four standard errors, with seeds fixed beforehand.

Times are in units of 1,000 s, so that the grid of time is fine beside them. Jobs whose work is kept have a checkpoint
after every grid step at no cost.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from tests.how_many import few_or_many
from thinktime.analysis.checkpoints import expected_time
from thinktime.analysis.queueing import mmc
from thinktime.models.machine.changing.rules import STEP, Changes
from thinktime.models.results.result import Result
from thinktime.users.replay import replay
from thinktime.workloads.changes.failures import Failures
from thinktime.workloads.streams import stream
from thinktime.workloads.trace import Trace

pytestmark = pytest.mark.compiled


UNIT = 1000.0
ERRORS = 4.0
"""Standard errors by which a mean may differ from its closed form."""
SEED = 17


@dataclass(frozen=True)
class Estimate:
    """A mean of independent values, with its standard error."""

    mean: float
    error: float

    def __str__(self) -> str:
        return f"{self.mean:.6f} with a standard error of {self.error:.6f} ({100 * self.error / self.mean:.2f} %)"


def estimate(values) -> Estimate:
    """The mean of values that are independent of each other."""
    values = np.asarray(values)
    return Estimate(float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values))))


def assert_near(values, expected: float, what: str) -> None:
    """The mean is within four standard errors of its closed form."""
    found = estimate(values)
    print(f"{what}: {found}, closed form {expected:.6f}, {(found.mean - expected) / found.error:+.2f} standard errors")
    assert abs(found.mean - expected) <= ERRORS * found.error, (found, expected)


def work_kept(**more) -> Changes:
    """Interrupted jobs go on where they were."""
    return Changes(checkpoint=STEP, **more)


def poisson(jobs: int, rates, number: int, purpose: str, constant: bool = False) -> Trace:
    """Jobs of one processor that arrive at these rates, class by class, with exponential or constant service."""
    rng = stream(SEED, number, purpose)
    submit = UNIT * np.cumsum(rng.exponential(1 / sum(rates), jobs))
    runtime = np.full(jobs, UNIT) if constant else UNIT * rng.exponential(1.0, jobs)
    of = rng.choice(len(rates), jobs, p=np.array(rates) / sum(rates))
    return Trace({"submit": submit, "runtime": runtime, "allocated": np.ones(jobs, int), "queue": of})


def responses(result: Result):
    """Response times in units, without those of the first tenth of the jobs."""
    found = (result["end"] - result["submit"]) / UNIT
    return found[len(found) // 10 :], result.labels("queue")[len(found) // 10 :]


def in_system(result: Result) -> float:
    """The mean number of jobs in the system, from the arrival after the first tenth of jobs to the last arrival."""
    begin, end = result["submit"][len(result) // 10], result["submit"][-1]
    inside = np.minimum(result["end"], end) - np.maximum(result["submit"], begin)
    return float(np.maximum(inside, 0.0).sum() / (end - begin))


def breakdowns(servers: int, rate: float, runs: int, jobs: int = 20_000) -> tuple[list[float], list[float]]:
    """Mean numbers and responses of independent runs in which servers fail at 0.1 and are repaired at 0.5."""
    numbers, means = [], []
    for number in range(runs):
        failures = Failures(mtbf=10 * UNIT, mttr=2 * UNIT, seed=1000 + number)
        log = poisson(jobs, [rate], number, f"breakdowns of {servers}")
        result = replay(log, "fcfs", servers, changes=work_kept(failures=failures))
        numbers.append(in_system(result))
        means.append(responses(result)[0].mean())
    return numbers, means


def chain_with_breakdowns(servers: int, rate: float, failure: float, repair: float, most: int = 200) -> float:
    """The mean number of jobs in M/M/c with breakdowns (μ = 1), from the balance equations of (jobs, servers up)."""
    states = [(n, k) for n in range(most + 1) for k in range(servers + 1)]
    place = {state: i for i, state in enumerate(states)}
    flow = np.zeros((len(states), len(states)))
    for (n, k), i in place.items():
        moves = {(n + 1, k): rate, (n - 1, k): min(n, k), (n, k - 1): k * failure, (n, k + 1): (servers - k) * repair}
        for to, speed in moves.items():
            if to in place:
                flow[i, place[to]] = speed
    balance = (flow - np.diag(flow.sum(axis=1))).T
    balance[-1] = 1.0
    chances = np.linalg.solve(balance, np.eye(len(states))[-1])
    return float(chances @ [n for n, _ in states])


@pytest.mark.parametrize("runs, jobs", [(8, 8_000), pytest.param(30, 20_000, marks=pytest.mark.thorough)])
def test_mm1_with_breakdowns(runs, jobs):
    """The number of jobs and their response in M/M/1 with breakdowns are those of the generating function."""
    rate, service, failure, repair = 0.5, 1.0, 0.1, 0.5
    up = repair / (failure + repair)
    number = (rate / up + failure * rate**2 / repair**2) / (service - rate / up) + up * failure * rate / repair**2
    assert number == pytest.approx(1.916667, abs=1e-6)
    numbers, means = breakdowns(1, rate, runs, jobs)
    assert_near(numbers, number, "M/M/1 with breakdowns, jobs")
    assert_near(means, number / rate, "M/M/1 with breakdowns, response")


@pytest.mark.thorough
def test_mm2_with_breakdowns():
    """The number of jobs and their response in M/M/2 with breakdowns are those of the Markov chain."""
    number = chain_with_breakdowns(2, 1.0, 0.1, 0.5)
    assert number == pytest.approx(2.108516, abs=1e-6)
    numbers, means = breakdowns(2, 1.0, 30)
    assert_near(numbers, number, "M/M/2 with breakdowns, jobs")
    assert_near(means, number, "M/M/2 with breakdowns, response")


def preempting(how: str) -> str:
    """EASY in which queue 0 sends queue 1 away."""
    return f"easy:preempt={how},ranks=0:1"


def of_classes(servers: int, rates, runs: int, constant: bool = False, jobs: int = 20_000) -> list[list[float]]:
    """The mean responses of both classes in independent runs."""
    means: list[list[float]] = [[], []]
    for number in range(runs):
        log = poisson(jobs, rates, number, f"resume {servers} {constant}", constant)
        times, of = responses(replay(log, preempting("suspend"), servers))
        for queue in (0, 1):
            means[queue].append(times[of == queue].mean())
    return means


@pytest.mark.parametrize(
    "constant, expected",
    [(False, (1.428571, 4.761905)), pytest.param(True, (1.214286, 3.095238), marks=pytest.mark.thorough)],
)
@pytest.mark.parametrize("runs, jobs", [(8, 8_000), pytest.param(30, 20_000, marks=pytest.mark.thorough)])
def test_preemptive_resume_mg1(constant, expected, runs, jobs):
    """Responses of two classes in preemptive-resume M/G/1, with exponential and with constant service."""
    rates, square = (0.3, 0.4), 1.0 if constant else 2.0
    for k, means in enumerate(of_classes(1, rates, runs, constant, jobs)):
        before, now = sum(rates[:k]), sum(rates[: k + 1])
        time = 1 / (1 - before) + now * square / 2 / ((1 - before) * (1 - now))
        assert time == pytest.approx(expected[k], abs=1e-6)
        assert_near(means, time, f"preemptive-resume M/{'D' if constant else 'M'}/1, class {k + 1}")


@pytest.mark.thorough
def test_preemptive_resume_mm2():
    """Responses of two classes in preemptive-resume M/M/2 are those of Buzen and Bondi (1983)."""
    rates, expected = (0.6, 0.8), (1.098901, 2.607197)
    total, jobs = 0.0, 0.0
    for k, means in enumerate(of_classes(2, rates, 30)):
        total += rates[k]
        time = (total * mmc(2, total, 1.0).response_time - jobs) / rates[k]
        jobs = total * mmc(2, total, 1.0).response_time
        assert time == pytest.approx(expected[k], abs=1e-6)
        assert_near(means, time, f"preemptive-resume M/M/2, class {k + 1}")


@pytest.mark.thorough
def test_preemptive_repeat():
    """Rare jobs that begin anew after every preemption take as long as the closed form says.

    They come every 60 units, so that they do not meet and are independent of each other.
    """
    rate, spacing, rare = 0.3, 60.0, 30_000
    rng = stream(SEED, 0, "repeat")
    submit = np.cumsum(rng.exponential(1 / rate, round(rate * spacing * rare)))
    own = spacing * np.arange(1, rare)
    jobs = {
        "submit": UNIT * np.concatenate([submit, own]),
        "runtime": UNIT * np.concatenate([rng.exponential(1.0, len(submit)), np.ones(len(own))]),
        "queue": np.concatenate([np.zeros(len(submit), int), np.ones(len(own), int)]),
    }
    result = replay(Trace(jobs | {"allocated": np.ones(len(submit) + len(own), int)}), preempting("requeue"), 1)
    ours = result.labels("queue") == 1
    completion = (1 / rate + 1 / (1 - rate)) * math.expm1(rate)
    assert completion == pytest.approx(1.665994, abs=1e-6)
    assert_near((result["end"] - result["start"])[ours] / UNIT, completion, "preemptive-repeat, completion")
    response = completion + rate * 2 / (2 * (1 - rate) ** 2)
    assert response == pytest.approx(2.278239, abs=1e-6)
    assert_near((result["end"] - result["submit"])[ours] / UNIT, response, "preemptive-repeat, response")


def times_of_jobs(jobs: int, work: float, mtbf: float, mttr: float, **checkpoints: float):
    """How long each of many jobs takes that run one after the other on one processor, from its start to its end.

    A job begins when the one before ends, so the processor is up, and an exponential up time begins anew: the times are
    independent. While a job is there the processor is never idle, so failures by the clock are failures while working.
    """
    log = Trace({"submit": np.zeros(jobs), "runtime": np.full(jobs, work), "allocated": np.ones(jobs, int)})
    changes = Changes(failures=Failures(mtbf=mtbf, mttr=mttr, seed=SEED), **checkpoints)
    return np.diff(np.sort(replay(log, "fcfs", 1, changes=changes)["end"]), prepend=0.0)


@pytest.mark.parametrize(
    "restart, expected, jobs",
    [
        pytest.param(0.0, 189.0110, 40_000, marks=pytest.mark.thorough),
        pytest.param(5.0, 198.7018, 40_000, marks=pytest.mark.thorough),
        (5.0, 198.7018, 15_000),
    ],
)
def test_restart_from_the_start(restart, expected, jobs):
    """Jobs that begin anew after every failure take as long as the closed form says."""
    assert expected_time(100, 100, repair=10, restart=restart) == pytest.approx(expected, abs=1e-4)
    found = times_of_jobs(jobs, 100, 100, 10, restart=restart)
    assert_near(found, expected_time(100, 100, repair=10, restart=restart), f"restart {restart:g}")


@pytest.mark.parametrize(
    "interval, expected",
    [
        pytest.param(50, 1193.70, marks=pytest.mark.thorough),
        pytest.param(100, 1168.2692, marks=pytest.mark.thorough),
        (200, 1200.02),
        pytest.param(500, 1384.77, marks=pytest.mark.thorough),
        (math.inf, 1822.3284),
    ],
)
@pytest.mark.parametrize("jobs", few_or_many(10_000, 30_000))
def test_with_checkpoints(interval, expected, jobs):
    """Jobs with checkpoints take as long as the closed form says, at every interval."""
    cost = 5.0 if interval < math.inf else 0.0
    form = expected_time(1000, 1000, interval, cost, repair=50, restart=10)
    assert form == pytest.approx(expected, abs=0.005)
    found = times_of_jobs(jobs, 1000, 1000, 50, checkpoint=interval, cost=cost, restart=10.0)
    assert_near(found, form, f"checkpoints every {interval:g} s")


def test_availability():
    """As much work is done on a machine that always has jobs as its processors are up."""
    mtbf, mttr, horizon, processors = 1000.0, 50.0, 10_000.0, 4_000
    up, speed = mtbf / (mtbf + mttr), 1 / mtbf + 1 / mttr
    share = up + (1 - up) * -math.expm1(-speed * horizon) / (speed * horizon)
    assert (up, share) == pytest.approx((0.952381, 0.952608), abs=1e-6)
    failures = Failures(mtbf=mtbf, mttr=mttr, seed=SEED)
    assert failures.availability == pytest.approx(up)
    outages = failures.outages(processors, horizon)
    down = np.bincount(outages.index, np.minimum(outages.end, horizon) - outages.start, processors)
    assert_near(1 - down / horizon, share, "availability of processors")


@pytest.mark.thorough
def test_work_on_a_machine_that_fails():
    """A machine of one processor that always has a job works as long as the processor is up."""
    shares = []
    mtbf, mttr, horizon = 1000.0, 50.0, 10_000.0
    for number in range(400):
        log = Trace({"submit": [0.0], "runtime": [horizon], "allocated": [1]})
        changes = work_kept(failures=Failures(mtbf=mtbf, mttr=mttr, seed=number))
        runs = replay(log, "fcfs", 1, changes=changes).runs
        shares.append((np.minimum(runs["end"], horizon) - np.minimum(runs["start"], horizon)).sum() / horizon)
    speed = 1 / mtbf + 1 / mttr
    up = mtbf / (mtbf + mttr)
    assert_near(shares, up - (1 - up) * math.expm1(-speed * horizon) / (speed * horizon), "share of time at work")


def test_the_chain_without_breakdowns_is_mm2():
    """The balance equations give the number of jobs in M/M/2 if servers do not fail."""
    assert chain_with_breakdowns(2, 1.0, 1e-12, 1.0) == pytest.approx(mmc(2, 1.0, 1.0).in_system, rel=1e-6)
