"""Daily and weekly cycles: a change of clock that keeps every submission."""

import math

import numpy as np
import pytest

from thinktime.workloads import DAY, HOUR, WEEK
from thinktime.workloads.generators import BModel, Cycle, Poisson, daily, weekly


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def test_by_hand() -> None:
    """With all weight in the second half of the day, noon is when the day begins, and it passes half as fast."""
    cycle = Cycle(day=(0, 1))
    assert cycle.warp(np.array([0.0, 0.5 * DAY, 1.0 * DAY])).tolist() == [0.5 * DAY, 0.75 * DAY, 1.5 * DAY]


@pytest.mark.parametrize("cycle", [daily(), weekly(), Cycle(day=(1, 2, 3), week=(1, 0, 1, 1, 2, 0, 0))])
def test_inverse(cycle: Cycle) -> None:
    """The cumulative weight of the real time is the operational time."""
    times = np.sort(rng().uniform(0, 3 * WEEK, 1_000))
    warped = cycle.warp(times)
    assert len(warped) == 1_000 and (np.diff(warped) >= 0).all()
    assert cycle.unwarp(warped) == pytest.approx(times, abs=1e-4)


@pytest.mark.parametrize("cycle", [daily(), weekly(), Cycle(day=(0, 2, 3, 0), week=(1, 0, 1, 1, 2, 0, 0))])
def test_single_times_are_those_of_arrays(cycle: Cycle) -> None:
    """To the last bit, at the borders of parts and weeks too."""
    times = np.concatenate([rng().uniform(0, 3 * WEEK, 500), np.arange(500) * HOUR])
    gaps = np.concatenate([[0.0], rng().exponential(DAY, 999)])
    expected = cycle.warp(cycle.unwarp(times) + gaps).tolist()
    assert list(map(cycle.passed, times.tolist(), gaps.tolist())) == expected


def test_a_week_is_a_week() -> None:
    """Weights are 1 on average, so each week keeps its submissions, bursts and all."""
    times = BModel(bias=0.8, mean=100).times(50_000, rng())
    before, after = (np.bincount((t // WEEK).astype(int)) for t in (times, weekly().warp(times)))
    assert before.tolist() == after.tolist()
    assert weekly().weights.mean() == pytest.approx(1)


def test_shape_of_the_day() -> None:
    """Poisson arrivals through the daily cycle are Poisson with its weights: χ² over 48 half hours, 47 degrees."""
    days = 400
    times = daily().warp(Poisson(mean=100).times(days * DAY // 100 + 5_000, rng()))
    times = times[times < days * DAY]
    counts = np.bincount((times % DAY // 1_800).astype(int), minlength=48)
    expected = np.array(daily().day) * days * 18
    assert ((counts - expected) ** 2 / expected).sum() < 47 + 4 * math.sqrt(2 * 47)


def test_weekend() -> None:
    """By default, a weekend of two half days has 1 in 6 of the week's submissions."""
    times = weekly().warp(Poisson(mean=100).times(200_000, rng()))
    share = (times % WEEK >= 5 * DAY).mean()
    assert share == pytest.approx(1 / 6, abs=4 * math.sqrt(1 / 6 * 5 / 6 / 200_000) + 7 * DAY / times[-1])


def test_night_without_work() -> None:
    """Nothing is submitted in a part of the day that has no weight."""
    cycle = Cycle(day=(0,) * 9 + (1,) * 8 + (0,) * 7)
    hours = cycle.warp(Poisson(mean=10).times(10_000, rng())) % DAY / HOUR
    assert hours.min() >= 9 and hours.max() <= 17


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"day": ()}, r"day must be a list of weights of at least 0, one of them above 0, not \(\)"),
        ({"day": (0, 0)}, "day must be a list of weights of at least 0, one of them above 0, not"),
        ({"day": (1, -1)}, "day must be a list of weights of at least 0, one of them above 0, not"),
        ({"week": (1, 1)}, "week must be a list of weights .* for seven days, not"),
    ],
)
def test_errors(given: dict[str, object], sentence: str) -> None:
    """Weights that make no cycle are refused in one sentence."""
    with pytest.raises(ValueError, match=sentence):
        Cycle(**given)  # type: ignore[arg-type]
