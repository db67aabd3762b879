"""The law of a job's run time, given that it has run for some time."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from thinktime.workloads.run_times import FEWEST, LEVELS, NOTHING, Alike, Law, RunTimes, foretold


def _log(runtime: Any, limit: float | list[float] = -1.0, **columns: Any) -> tt.Trace:
    """Jobs of one processor that start one after the other, so many seconds apart as they run."""
    n = len(runtime)
    given = {"submit": np.arange(n) * 1000.0, "wait": np.zeros(n), "runtime": runtime, "allocated": np.ones(n, int)}
    return tt.Trace(given | {"requested_time": np.broadcast_to(limit, n)} | columns)


def _law(times: RunTimes, age: float, user: int = -1, limit: float = np.inf, name: int = -1) -> Law:
    one = Alike(np.array([user]), np.array([name]), np.array([limit]), np.array([1]))
    return times.laws(one, np.array([age]))[0]


LUCK = (np.arange(2000) + 0.5) / 2000
"""Uniform numbers, evenly."""


def test_exponential_run_times_have_no_memory() -> None:
    """What is left of an exponential run time has the same law at every age."""
    times = RunTimes.of(_log(np.random.default_rng(1).exponential(1000.0, 20_000)))
    for age in (0.0, 500.0, 2000.0):
        left = _law(times, age).quantile(LUCK) - age
        assert left.mean() == pytest.approx(1000.0, rel=0.05)
        assert np.quantile(left, [0.1, 0.5, 0.9]) == pytest.approx(1000 * -np.log([0.9, 0.5, 0.1]), rel=0.1)


@settings(max_examples=50)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(0, 8))
def test_it_is_the_distribution_of_those_that_ran_longer(runtimes: list[int], age: int) -> None:
    """Without censored jobs, the law is the distribution of the run times beyond the age."""
    law = _law(RunTimes.of(_log(runtimes)), age)
    longer = sorted(each for each in runtimes if each > age)
    if not longer:
        assert law.level == NOTHING
        assert np.isinf(law.quantile(LUCK)).all()
        return
    assert law.jobs == len(longer)
    for time in range(10):
        shares = [sum(each < time for each in longer), sum(each <= time for each in longer)]
        assert law.below(time) == pytest.approx([each / len(longer) for each in shares])
    places = (np.array(range(len(longer))) + 0.5) / len(longer)
    assert law.quantile(places).tolist() == longer


def test_the_share_that_ends_at_the_limit_is_kept() -> None:
    """Of jobs with a limit of 100 s, three in ten ran to it; so does a new one, and more of those that are old."""
    times = RunTimes.of(_log([10, 20, 30, 40, 50, 60, 70, 100, 101, 100], 100.0))
    ends = _law(times, 0.0, limit=100.0).quantile(LUCK)
    assert (ends >= 100).mean() == pytest.approx(0.3, abs=2e-3)
    assert (_law(times, 60.0, limit=100.0).quantile(LUCK) >= 100).mean() == pytest.approx(0.75, abs=2e-3)
    longer = _law(times, 0.0, limit=200.0)
    assert np.isinf(longer.quantile(LUCK)).mean() == pytest.approx(0.3, abs=2e-3), (
        "how long they would have run, nobody knows"
    )


def test_jobs_that_still_run_are_censored() -> None:
    """By hand: ends at 10 and 30 s, and one that has run for 20 s when the log is taken."""
    log = tt.Trace({"submit": [0, 0, 80], "wait": [0, 0, 0], "runtime": [10, 30, 500], "allocated": [1, 1, 1]})
    law = _law(RunTimes.of(log, until=100.0), 0.0)
    assert law.below(10) == (0.0, pytest.approx(1 / 3))
    assert law.below(30) == (pytest.approx(1 / 3), pytest.approx(1.0))
    assert law.below(25) == (pytest.approx(1 / 3), pytest.approx(1 / 3)), "nobody was seen to end in between"


def test_nothing_later_is_used() -> None:
    """Two logs that differ after a time say the same of it."""
    rng = np.random.default_rng(3)
    runtime = rng.exponential(3000.0, 60).round() + 1
    one = _log(runtime, 9000.0, user=rng.integers(3, size=60))
    later = np.where(one.submit + runtime > 30_000.0, runtime + 7000, runtime)
    other = one.with_columns(runtime=later)
    laws = [_law(RunTimes.of(log, until=30_000.0), 100.0, user=1, limit=9000.0) for log in (one, other)]
    assert laws[0].quantile(LUCK).tolist() == laws[1].quantile(LUCK).tolist()


def test_near_jobs_count_more_the_more_there_are() -> None:
    """Twenty jobs of the same user and limit: they have n / (n + 10) of the weight, and others what is left."""
    n = 2 * FEWEST
    log = _log([100.0] * n + [7.0] * n, [3600.0] * n + [60.0] * n, user=[1] * n + [2] * n)
    law = _law(RunTimes.of(log), 0.0, user=1, limit=3600.0)
    assert (LEVELS[law.level], law.jobs) == ("user and limit", n)
    # user and limit: 2/3; user: 2/3 of 1/3; then limit and size, and limit; all, half of which run for 7 of 60 s: 1/81
    assert law.below(99.0)[1] == 0.0
    assert law.below(101.0)[1] == pytest.approx(1 - 0.5 / 81)
    assert law.quantile(LUCK).max() == pytest.approx(7.0 / 60.0 * 3600.0), "7 of 60 s are as much of another limit"


def test_who_asks_for_much_more_runs_for_a_smaller_part_of_it() -> None:
    """Whatever their limits, these jobs run for 10 to 50 s: half of those that have run for 20 s have ended by 35 s."""
    rng = np.random.default_rng(4)
    limit = np.exp(rng.uniform(np.log(60.0), np.log(6000.0), 4000))
    times = RunTimes.of(_log(rng.uniform(10.0, 50.0, 4000), limit))
    asked = np.array([1000.0, 2000.0, 4000.0])
    wide = Alike(np.full(3, -1), np.full(3, -1), asked, np.full(3, 1024))
    for law in times.laws(wide, np.full(3, 20.0)):
        assert LEVELS[law.level] == "limit"
        assert law.below(35.0)[1] == pytest.approx(0.5, abs=0.07)


def test_other_limits_count_where_there_are_none_nearby() -> None:
    """Then a job runs for such parts of its limit as others do."""
    law = _law(RunTimes.of(_log([30.0, 60.0], 60.0)), 0.0, limit=6000.0)
    assert LEVELS[law.level] == "all"
    assert law.below(3001.0)[0] == pytest.approx(0.5)


def test_names_come_first() -> None:
    """Jobs of the user's program tell more than others of the user with this limit."""
    log = _log([5.0, 50.0] * 400, 60.0, user=np.ones(800, int), executable=[1, 2] * 400)
    law = _law(RunTimes.of(log), 0.0, user=1, limit=60.0, name=2)
    assert LEVELS[law.level] == "user and name"
    assert law.below(49.0)[1] < 0.25


def test_of_independent_run_times_transforms_are_uniform() -> None:
    """Kolmogorov's distance is within its 99.9 % bound, for new jobs and for those that run."""
    rng = np.random.default_rng(5)
    n = 6000
    runtime = np.minimum(rng.lognormal(5, 1.5, n).round() + 1, 3000.0)
    found = foretold(_log(runtime, 3000.0, user=rng.integers(5, size=n)))
    for each in found:
        distance = np.abs(np.sort(each) - (np.arange(len(each)) + 0.5) / len(each)).max()
        assert distance < 1.95 / np.sqrt(len(each)) + 0.02, "the log itself is a sample"
    assert len(found.new) == n // 10 > len(found.running) > 100
    assert sum(found.tenths()[0]) == pytest.approx(1.0)


def test_a_log_of_other_run_times_is_found_out() -> None:
    """If run times double in the last tenth, most of them are in the upper half of the law."""
    rng = np.random.default_rng(6)
    runtime = rng.lognormal(5, 0.5, 2000).round() + 1
    runtime[1800:] *= 2
    assert np.mean(foretold(_log(runtime)).new > 0.5) > 0.8
