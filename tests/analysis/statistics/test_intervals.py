"""Means over instances and over clusters, with their intervals."""

import math

import numpy as np
import pytest
from scipy import stats

from thinktime.analysis.statistics import Interval, bootstrap, mean, mean_of, ratio


def test_with_equal_counts_it_is_the_t_interval_of_the_means() -> None:
    """For instances of one size, the interval is the t-interval of their means."""
    sums = np.array([10.0, 12.0, 17.0, 9.0])
    found = ratio(sums, [5, 5, 5, 5])
    low, high = stats.t.interval(0.95, 3, sums.mean() / 5, stats.sem(sums / 5))
    assert (found.low, found.high) == pytest.approx((low, high))


def test_the_mean_is_that_of_all_things() -> None:
    """The mean is over all things, so a large instance counts for more."""
    assert ratio([1, 9, 30], [10, 10, 30]).mean == 0.8


def test_proportional_instances_leave_no_doubt() -> None:
    """Where every instance has the same share, the interval has no width, whatever their sizes."""
    assert ratio([1, 2, 3], [10, 20, 30]).half == pytest.approx(0)


def test_too_few_instances() -> None:
    """One instance has a mean but no interval; no things have no mean."""
    assert ratio([3], [4]).mean == 0.75 and math.isnan(ratio([3], [4]).half)
    assert math.isnan(mean_of([np.empty(0), np.empty(0)]).mean)


def test_the_interval_covers_the_truth() -> None:
    """Of 400 samples of 10 instances of random sizes, about 95 % have the true mean in their interval."""
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(400):
        sizes = rng.integers(20, 40, 10)
        found = mean_of([rng.normal(rng.normal(3, 1), 1, size) for size in sizes])
        hits += found.low <= 3 <= found.high
    assert 0.92 <= hits / 400 <= 0.98


def test_the_mean_of_replications_is_scipys() -> None:
    """One value per run: the t-interval of scipy, at any confidence; missing values are left out."""
    values = [3.0, 5.5, 4.2, np.nan, 6.1]
    for confidence in (0.8, 0.95, 0.999):
        found = mean(values, confidence)
        known = [each for each in values if each == each]
        low, high = stats.t.interval(confidence, 3, np.mean(known), stats.sem(known))
        assert (found.low, found.high) == pytest.approx((low, high))
        assert found.relative == pytest.approx(found.half / found.mean)


def test_an_interval_knows_what_it_contains() -> None:
    """An interval holds its ends, and an undefined one holds nothing."""
    assert Interval(3, 1).contains(4) and not Interval(3, 1).contains(4.01)
    assert not mean([3]).contains(3) and math.isnan(mean([3]).relative)
    assert Interval(0, 1).relative == math.inf


@pytest.mark.parametrize(
    ("values", "confidence", "complaint"),
    [
        ([1, math.inf], 0.95, "value 1 is infinite"),
        ([[1, 2]], 0.95, "one dimension"),
        ([1, 2], 95, "confidence must be between 0 and 1"),
        ([], 1, "confidence must be between 0 and 1"),
    ],
)
def test_what_cannot_be_averaged(values: list[float], confidence: float, complaint: str) -> None:
    """Infinite values, tables and confidences in percent are refused."""
    with pytest.raises(ValueError, match=complaint):
        mean(values, confidence)


def test_clusters_of_one_are_a_plain_bootstrap():
    """With a cluster for each value the interval is nearly the normal one."""
    values = np.random.default_rng(1).normal(3.0, 2.0, 400)
    found = bootstrap.mean(values, [np.arange(400)])
    half = 1.96 * values.std() / 20
    np.testing.assert_allclose(found, [values.mean(), values.mean() - half, values.mean() + half], atol=0.05)


def test_values_that_agree_within_clusters_say_less():
    """Repeating each value tenfold in its cluster leaves the interval as it was."""
    values = np.random.default_rng(1).normal(size=40)
    once = bootstrap.mean(values, [np.arange(40)])
    often = bootstrap.mean(np.repeat(values, 10), [np.repeat(np.arange(40), 10)])
    np.testing.assert_allclose(once, often)


def test_the_wider_interval_counts():
    """Of two kinds of clusters the one with the wider interval is taken, whatever the order."""
    values = np.repeat([0.0, 1.0] * 5, 10)
    coarse, fine = np.repeat(np.arange(10), 10), np.arange(100)
    widths = [bootstrap.mean(values, kinds).width for kinds in ([fine], [coarse], [fine, coarse], [coarse, fine])]
    assert widths[0] < widths[1]
    np.testing.assert_allclose(widths[2:], widths[1], rtol=0.2)


def test_too_little_data():
    """No values have no mean, and one cluster has no interval."""
    assert np.isnan(bootstrap.mean(np.empty(0), [np.empty(0, int)])).all()
    found = bootstrap.mean(np.array([1.0, 2.0]), [np.zeros(2, int)])
    assert found.value == 1.5 and np.isnan(found.low)
    assert not found.above(0)
