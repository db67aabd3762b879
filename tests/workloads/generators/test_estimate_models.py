"""User estimates: exact, by a factor, and Tsafrir's model against the numbers of the published program."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from thinktime.workloads import HOUR, MINUTE
from thinktime.workloads.generators import LONG, SHORT, Exact, Factor, Tsafrir
from thinktime.workloads.generators import tsafrir as model

RUNTIMES = np.round(SHORT.rvs(size=5_000, random_state=1))


def rng() -> np.random.Generator:
    return np.random.default_rng(4)


def test_exact() -> None:
    """Exact estimates are the run times."""
    assert Exact().of(RUNTIMES, rng()).tolist() == RUNTIMES.tolist()


def test_factor() -> None:
    """A factor multiplies the run time, rounded up to whole seconds; it may be random."""
    assert Factor(factor=1.5).of(np.array([1.0, 10.0, 11.0]), rng()).tolist() == [2, 15, 17]
    ratio = Factor(factor=stats.uniform(1, 4)).of(np.full(10_000, 1e6), rng()) / 1e6
    assert ratio.min() >= 1 and ratio.max() <= 5.000_001
    assert ratio.mean() == pytest.approx(3, abs=4 * 4 / np.sqrt(12 * 10_000))


def test_percentages_of_the_head() -> None:
    """Rank 1 has 21.7329 %, rank 2 10.3128 %, and the head has 89 %."""
    percents = model.head_percents()
    assert round(sum(percents[1:]), 4) == 67.2671
    assert [round(each, 4) for each in percents[:2]] == [21.7329, 10.3128]
    assert sum(percents) == pytest.approx(89)


def test_number_of_bins() -> None:
    """28,489 jobs have 167 estimates, 5,000 have 59, and the number grows with the jobs."""
    assert (model.bins(28_489), model.bins(5_000)) == (167, 59)
    assert [model.bins(jobs) for jobs in model.JOBS[1:]] == list(model.BINS[1:])
    assert model.bins(500_000) > 565


def test_curvature() -> None:
    """The tail of 59 bins has a = 2.03707."""
    assert round(model.curvature(59), 5) == 2.03707


def test_times_of_the_head() -> None:
    """The times of the head for 18 h and 160 h are those of the published program."""
    day = model.head_times(18 * HOUR)
    expected = [5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 20 * MINUTE, 30 * MINUTE]
    expected += [h * HOUR for h in (1, 2, 3, 4, 5, 6, 8, 10, 12, 13, 14, 15, 16, 17)]
    assert day == [18 * HOUR, *expected]
    assert set(model.head_times(160 * HOUR)) - set(map(float, model.COMMON)) == {
        h * HOUR for h in (160, 150, 100, 50, 140)
    }


def test_short_largest_time() -> None:
    """A largest time of an hour leaves twelve round times, which share 89 %."""
    assert len(model.head_times(HOUR)) == 12
    assert sum(model.draw_head(HOUR, 60, rng()).values()) == pytest.approx(89)


def test_ranks() -> None:
    """The largest time is the most popular, and every rank is given once."""
    last = {rank: max(column.index(rank) for column in model.RANKS.values()) for rank in range(1, 21)}
    random = rng()
    for _ in range(50):
        ranks = model.head_ranks(random)
        assert ranks[0] == 1 and sorted(ranks) == list(range(1, 21))
        for place, rank in enumerate(ranks):
            due = [each for each in ranks[place:] if last[each] <= place]
            assert not due or rank == min(due)


def test_histogram() -> None:
    """5,000 jobs have 59 estimates, the largest with 21.7329 % of the jobs."""
    histogram = model.histogram(5_000, 18 * HOUR, 59, rng())
    jobs = dict(zip(histogram.times.tolist(), histogram.jobs.tolist(), strict=True))
    assert len(jobs) == 59 and sum(jobs.values()) == 5_000
    assert abs(jobs[18 * HOUR] - 5_000 * 0.217329) < 1
    tail = [count for time, count in jobs.items() if time not in model.head_times(18 * HOUR)]
    assert abs(sum(tail) - 550) <= len(tail)
    assert len(set(model.tail_times(39, 18 * HOUR, 59, set()))) == 39


def test_few_jobs() -> None:
    """A few jobs have estimates of the head only."""
    histogram = model.histogram(30, 18 * HOUR, model.bins(30), rng())
    assert set(histogram.times.tolist()) <= set(model.head_times(18 * HOUR)) and histogram.jobs.sum() == 30


def test_matched_to_short_jobs() -> None:
    """Short jobs use the histogram as it is, and no estimate is below a run time."""
    random = rng()
    runtimes = np.minimum(RUNTIMES, 300.0)
    histogram = model.histogram(5_000, 18 * HOUR, 59, random)
    runtimes = np.minimum(runtimes, histogram.times[0])
    estimates = model.match(runtimes, histogram, random)
    assert (estimates >= runtimes).all()
    assert sorted(estimates.tolist()) == np.repeat(histogram.times, histogram.jobs).tolist()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 40_000), min_size=1, max_size=60), st.integers(0, 99))
def test_never_below_the_run_time(runtimes: list[int], seed: int) -> None:
    """No estimate is below the run time or above the largest."""
    given_ = np.array(runtimes, dtype=float)
    estimates = Tsafrir(largest=12 * HOUR).of(given_, np.random.default_rng(seed))
    assert (estimates >= given_).all() and estimates.max() <= 12 * HOUR
    assert (estimates == np.round(estimates)).all()


def test_long_jobs_raise_estimates() -> None:
    """Estimates that are too short for long jobs are raised."""
    runtimes = np.round(LONG.rvs(size=2_000, random_state=3))
    estimates = Tsafrir().of(runtimes, rng())
    assert (estimates >= runtimes).all() and estimates.max() == 10 * HOUR


def test_default_largest() -> None:
    """By default the largest estimate is the longest run time rounded up to whole hours, at least one."""
    assert Tsafrir().of(np.array([10.0] * 99 + [3_601.0]), rng()).max() == 2 * HOUR
    assert Tsafrir().of(np.array([10.0] * 99), rng()).max() == HOUR
    assert len(Tsafrir().of(np.array([]), rng())) == 0


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Factor(factor=0.5), "factor must be a number of at least 1, not 0.5"),
        (lambda: Factor(factor=stats.uniform()).of(RUNTIMES, rng()), "factor must be at least 1, but .* gave"),
        (lambda: Tsafrir(largest=60), r"largest must be a time of at least an hour \(3600 s\), not 60"),
        (lambda: Tsafrir(bins=0), "bins must be a whole number of at least 1, not 0"),
        (
            lambda: Tsafrir(largest=HOUR).of(np.array([4_000.0]), rng()),
            r"largest \(3600 s\) must not be below the longest run time \(4000 s\)",
        ),
    ],
)
def test_errors(make: object, sentence: str) -> None:
    """Estimates that could be too short are refused in one sentence."""
    with pytest.raises(ValueError, match=sentence):
        make()  # type: ignore[operator]
