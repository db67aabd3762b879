"""One long run: batch means."""

import math

import numpy as np
import pytest
from scipy import stats

from thinktime.analysis.statistics import batch_means, lag_1, steady_mean

from .mm1 import mean_wait, waits


def test_batches_by_hand() -> None:
    """Batches of 3 of ten values: the first batch and the odd value before it are left out."""
    found = batch_means([100, 9, 9, 9, 1, 2, 3, 4, 5, 9], size=3)
    assert found.means == (2, 6) and found.size == 3 and found.dropped == 4
    low, high = stats.t.interval(0.95, 1, 4, stats.sem([2, 6]))
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))


def test_the_rules() -> None:
    """Independent values are cut into 20 to 30 equal batches with a lag-1 below 0.1."""
    x = np.random.default_rng(2).normal(5, 1, 3107)
    found = batch_means(x)
    assert found.trusted and 20 <= len(found.means) <= 30 and found.lag_1 < 0.1
    assert found.dropped >= found.size and found.dropped + found.size * len(found.means) == 3107
    tail = x[found.dropped :].reshape(-1, found.size).mean(axis=1)
    assert found.means == pytest.approx(tail) and found.lag_1 == lag_1(tail)


def test_lag_1_is_the_usual_estimate() -> None:
    """The lag-1 of 1, 2, 3, 4 is 0.25, and that of a constant 0."""
    assert lag_1([1, 2, 3, 4]) == pytest.approx(0.25)
    assert lag_1([7, 7, 7]) == 0


def test_coverage_on_mm1() -> None:
    """On long runs of M/M/1 at load 0.8, about 95 % of the intervals hold the true mean wait."""
    rng = np.random.default_rng(3)
    found = [batch_means(waits(rng, 50_000, 0.8)) for _ in range(150)]
    hits = [each.interval.contains(mean_wait(0.8)) for each in found]
    assert 0.91 <= np.mean(hits) <= 0.98
    assert np.mean([each.trusted for each in found]) > 0.9


def test_values_are_not_replications() -> None:
    """The interval that takes single waits for independent misses the truth most of the time."""
    rng = np.random.default_rng(4)
    runs = [waits(rng, 20_000, 0.8) for _ in range(60)]
    naive = [abs(run.mean() - 4) <= 1.96 * stats.sem(run) for run in runs]
    assert np.mean(naive) < 0.35


def test_a_short_run_is_not_trusted() -> None:
    """Batches of a run that is too short or drifts are not trusted."""
    rng = np.random.default_rng(5)
    assert not batch_means(waits(rng, 400, 0.95)).trusted
    assert not batch_means(np.arange(10_000.0)).trusted
    assert not batch_means([1, 2, 3]).trusted


def test_a_constant() -> None:
    """What does not vary has an interval without width."""
    found = batch_means(np.full(1000, 3.0))
    assert found.interval == (3, 0) and found.trusted


def test_what_cannot_be_cut() -> None:
    """Too few values, missing ones and odd numbers to drop are errors."""
    with pytest.raises(ValueError, match="2 values are too few for two batches"):
        batch_means([1, 2])
    with pytest.raises(ValueError, match="too few for two batches of 5"):
        batch_means(np.arange(14.0), size=5)
    with pytest.raises(ValueError, match="value 1 is missing"):
        batch_means([1, math.nan, 3])
    with pytest.raises(ValueError, match="drop must be a number of values from 0 to 3"):
        batch_means([1, 2, 3], drop=4)
    with pytest.raises(ValueError, match="too few"):
        batch_means([1, 2, 3], size=0)


def test_a_steady_mean_sorts_and_cuts() -> None:
    """Times order the values and bound the window; missing values are left out."""
    rng = np.random.default_rng(6)
    times, x = np.arange(3000.0), rng.normal(10, 1, 3000)
    x[:500] += 50
    x[7] = math.nan
    order = rng.permutation(3000)
    fixed = steady_mean(times[order], x[order], warm_up=500, end=2900)
    assert fixed == batch_means(x[500:2900], drop=0) or fixed.interval == batch_means(x[500:2900], drop=0).interval
    assert fixed.interval.contains(10)
    found = steady_mean(times[order], x[order])
    assert found.interval.mean == pytest.approx(10, abs=0.1) and found.dropped >= 490


def test_steady_mean_covers_mm1() -> None:
    """MSER-5 and batch means together cover the mean of M/M/1 at load 0.5."""
    rng = np.random.default_rng(8)
    n = np.arange(20_000.0)
    hits = [steady_mean(n, waits(rng, 20_000, 0.5)).interval.contains(mean_wait(0.5)) for _ in range(100)]
    assert 0.9 <= np.mean(hits) <= 0.99


def test_no_steady_state_no_trust() -> None:
    """An overloaded queue has no steady state, and neither MSER-5 nor the batches trust it."""
    rng = np.random.default_rng(9)
    assert not steady_mean(np.arange(20_000.0), waits(rng, 20_000, 1.2)).trusted
