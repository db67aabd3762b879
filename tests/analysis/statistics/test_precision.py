"""How many replications are enough."""

import math

import numpy as np
import pytest
from scipy import stats

from thinktime.analysis.statistics import replications_needed, until_precise

PILOT = [10.0, 12.0, 14.0, 11.0, 13.0]


@pytest.mark.parametrize("absolute", [10, 2, 1, 0.3, 0.01])
def test_absolute_is_the_least_number(absolute: float) -> None:
    """The number of runs is enough for the precision, and one fewer is not."""
    s = np.std(PILOT, ddof=1)
    n = replications_needed(PILOT, absolute=absolute)

    def half(runs: int) -> float:
        return float(stats.t.ppf(0.975, runs - 1) * s / math.sqrt(runs))

    assert half(n) <= absolute and (n == 5 or half(n - 1) > absolute)


def test_relative_allows_for_the_estimates_own_error() -> None:
    """Half width over mean must come below g / (1 + g), not g."""
    assert replications_needed(PILOT, relative=0.1) == replications_needed(PILOT, absolute=12 * 0.1 / 1.1)
    negative = [-x for x in PILOT]
    assert replications_needed(negative, relative=0.1) == replications_needed(PILOT, relative=0.1)


def test_what_cannot_be_reached() -> None:
    """No pilot, a mean of 0, and none or two wishes are refused."""
    with pytest.raises(ValueError, match="at least two"):
        replications_needed([1, math.nan], absolute=1)
    with pytest.raises(ValueError, match="mean of 0"):
        replications_needed([1, -1], relative=0.1)
    for wish in ({}, {"absolute": 1.0, "relative": 0.1}):
        with pytest.raises(ValueError, match="one precision"):
            replications_needed(PILOT, **wish)
    with pytest.raises(ValueError, match="above 0"):
        replications_needed(PILOT, relative=0)
    with pytest.raises(ValueError, match="2 <= first <= most"):
        until_precise(float, absolute=1, first=20, most=10)
    with pytest.raises(ValueError, match="one precision"):
        until_precise(float)


def test_it_stops_when_it_is_there() -> None:
    """It stops at the first number of runs from `first` on that is precise enough."""
    asked = []

    def replicate(i: int) -> float:
        asked.append(i)
        return float(10 + i % 2)

    found = until_precise(replicate, absolute=0.3, first=3)
    n = len(found.values)
    assert asked == list(range(n)) and found.reached and found.interval.half <= 0.3
    before = stats.t.ppf(0.975, n - 2) * stats.sem(found.values[:-1])
    assert n == 3 or before > 0.3


def test_it_gives_up_at_the_most() -> None:
    """A precision out of reach ends at the most runs, and says so."""
    found = until_precise(lambda i: float(i), absolute=0.1, first=2, most=25)
    assert not found.reached and len(found.values) == 25
    none = until_precise(lambda i: math.nan, absolute=0.1, first=2, most=4)
    assert not none.reached and math.isnan(none.interval.mean)


@pytest.mark.parametrize(
    ("kind", "relative", "first", "low", "high"),
    [
        ("normal", 0.2, 3, 0.89, 0.925),
        ("normal", 0.2, 20, 0.935, 0.965),
        pytest.param("skewed", 0.5, 3, 0.88, 0.92, marks=pytest.mark.thorough),
    ],
)
def test_the_pilots_bias(kind: str, relative: float, first: int, low: float, high: float) -> None:
    """Stopping after a calm pilot covers less than promised, and twenty first runs mend that."""
    rng = np.random.default_rng(7)
    draw = (lambda: rng.normal(10, 3)) if kind == "normal" else (lambda: rng.exponential(10))
    found = [until_precise(lambda i: draw(), relative=relative, first=first) for _ in range(1500)]
    assert low <= np.mean([each.interval.contains(10) for each in found]) <= high
