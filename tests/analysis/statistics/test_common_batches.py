"""Runs of the same jobs, cut alike."""

import numpy as np
import pytest

from thinktime.analysis.statistics import common_batches, independent


def test_batches_by_hand() -> None:
    """64 values make 21 batches of 3 with one value over, of which the first batch is dropped."""
    cut = common_batches(np.arange(64.0))
    assert cut is not None
    assert cut.means == tuple(float(np.mean([k, k + 1, k + 2])) for k in range(4, 64, 3))


@pytest.mark.parametrize("count", [21, 30, 31, 100, 620, 1000, 4711])
def test_batches_hang_on_the_number_of_values_alone(count: int) -> None:
    """The cut depends on the number of values alone and leaves as few over as a plain loop finds."""
    rng = np.random.default_rng(count)
    x, y = rng.exponential(size=count), np.sort(rng.exponential(size=count))
    first, second = common_batches(x), common_batches(y)
    assert first is not None and second is not None
    n = len(first.means)
    assert n == len(second.means) and 20 <= n <= 30
    assert count % (n + 1) == min(count % k for k in range(21, 32) if k <= count)
    size = count // (n + 1)
    for place in range(n):
        begin = count - (n - place) * size
        assert first.means[place] == pytest.approx(sum(x[begin : begin + size].tolist()) / size)
    assert not second.trusted


def test_a_missing_value_keeps_its_place() -> None:
    """A missing value is left out of its batch's mean, and the other batches stay."""
    x = np.arange(620.0)
    whole = common_batches(x)
    x[-1] = np.nan
    holed = common_batches(x)
    assert whole is not None and holed is not None
    assert holed.means[:-1] == whole.means[:-1] and holed.means[-1] == x[-20:-1].mean()
    x[-20:] = np.nan
    empty = common_batches(x)
    assert empty is not None and np.isnan(empty.means[-1]) and not empty.trusted
    assert empty.interval().mean == pytest.approx(np.mean(whole.means[:-1]))


def test_what_is_trusted() -> None:
    """Long batches of independent values are trusted, but no trend, no short batches and no few ones."""
    alternating = np.tile([1.0, 3.0, 2.0, 6.0, 0.0, 4.0, 8.0, 5.0, 7.0], 100)
    found = common_batches(alternating)
    assert found is not None and found.trusted
    assert not common_batches(np.arange(900.0)).trusted
    assert not common_batches(alternating[:100]).trusted
    assert common_batches(alternating[:20]) is None
    assert independent(np.tile([1.0, 2.0], 10)) and not independent(np.tile([1.0, 2.0], 9))
    assert not independent([*range(20)])
