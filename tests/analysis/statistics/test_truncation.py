"""Where the warm-up ends."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinktime.analysis.statistics import mser5, within

from .mm1 import mean_wait, waits


def by_definition(x: list[float]) -> tuple[int, float]:
    """MSER-5 in loops: the first least score, and it."""
    batches = [sum(x[i : i + 5]) / 5 for i in range(0, len(x) - len(x) % 5, 5)]
    scores = []
    for d in range(len(batches) // 2 + 1):
        rest = batches[d:]
        centre = sum(rest) / len(rest)
        scores.append(sum((y - centre) ** 2 for y in rest) / len(rest) ** 2)
    return 5 * scores.index(min(scores)), min(scores)


@given(st.lists(st.integers(-1000, 1000), min_size=10, max_size=80))
def test_it_is_the_definition(x: list[int]) -> None:
    """The least score is that of the definition; the place too, unless two scores differ by rounding alone."""
    found, (drop, least) = mser5(x), by_definition([float(each) for each in x])
    assert found.statistic == pytest.approx(least, rel=1e-9, abs=1e-9)
    if found.drop != drop:
        rest = [float(np.mean(x[i : i + 5])) for i in range(found.drop, len(x) - len(x) % 5, 5)]
        assert np.var(rest) / len(rest) == pytest.approx(least, rel=1e-9, abs=1e-9)
    assert found.trusted == (found.drop < 5 * (len(x) // 5 // 2))


def test_a_step_is_cut_at_its_end() -> None:
    """Of twenty values at 50 and then 180 around 0, the twenty are dropped."""
    x = np.concatenate([np.full(20, 50.0), np.tile([1.0, -1.0], 90)])
    assert mser5(x).drop == 20 and mser5(x).trusted


def test_it_takes_the_bias_off_a_queue_that_starts_full() -> None:
    """M/M/1 at load 0.5 behind a backlog: the mean of all is far off, that of what MSER-5 leaves is not."""
    rng = np.random.default_rng(1)
    raw, cut = [], []
    for _ in range(50):
        x = waits(rng, 4000, 0.5) + np.maximum(100 - np.arange(4000) * 0.5, 0)
        raw.append(x.mean())
        cut.append(x[mser5(x).drop :].mean())
    true = mean_wait(0.5)
    assert np.mean(raw) > true + 2 and np.mean(cut) == pytest.approx(true, abs=0.15)


def test_a_drift_is_not_trusted() -> None:
    """A run without a steady state is not trusted."""
    assert not mser5(np.arange(1000.0)).trusted and mser5(np.arange(1000.0)).drop == 500


def test_too_short_to_tell() -> None:
    """Fewer than ten values drop nothing and are not trusted."""
    found = mser5(range(9))
    assert found.drop == 0 and math.isnan(found.statistic) and not found.trusted


def test_missing_values_are_an_error() -> None:
    """A missing value is refused."""
    with pytest.raises(ValueError, match="value 2 is missing"):
        mser5([1, 2, math.nan])


def test_a_window_has_its_start_but_not_its_end() -> None:
    """A window counts submissions at its start, but not at its end, and keeps their order."""
    assert within([3, 1, 2, 5], [30, 10, 20, 50], 1, 3).tolist() == [10, 20]
    assert within([3, 1], [30, 10]).tolist() == [30, 10]
    with pytest.raises(ValueError, match="start <= end"):
        within([1], [1], 3, 2)
    with pytest.raises(ValueError, match="one time"):
        within([1, 2], [1])
