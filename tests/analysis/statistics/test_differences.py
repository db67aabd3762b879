"""Two policies on the same luck, or on different luck."""

import math

import numpy as np
import pytest
from scipy import stats

from thinktime.analysis.statistics import paired, unpaired

X = np.array([12.0, 15.5, 11.2, 18.0, 14.1])
Y = np.array([10.0, 13.1, 11.0, 14.5, 13.0])


def test_pairs_by_the_textbook() -> None:
    """Mean, t-interval and p of paired differences follow their definition."""
    found = paired(X, Y)
    d = X - Y
    half = stats.t.ppf(0.975, 4) * d.std(ddof=1) / math.sqrt(5)
    assert (found.interval.mean, found.interval.half) == pytest.approx((d.mean(), half))
    t = d.mean() / (d.std(ddof=1) / math.sqrt(5))
    assert found.p == pytest.approx(2 * stats.t.sf(abs(t), 4))
    assert found.p == pytest.approx(stats.ttest_rel(X, Y).pvalue)
    assert found.correlation == pytest.approx(stats.pearsonr(X, Y).statistic)


def test_common_luck_narrows_the_interval() -> None:
    """Pairs that rise and fall together have a narrower interval than the same values unpaired."""
    assert paired(X, Y).interval.half < unpaired(X, Y).interval.half / 2
    assert paired(X, Y).significant() and not unpaired(X, Y).significant()


def test_strangers_are_welchs() -> None:
    """Unpaired runs of unequal number and variance are compared by Welch's test."""
    x, y = X, np.array([9.0, 9.5, 30.0])
    va, vb = x.var(ddof=1) / 5, y.var(ddof=1) / 3
    degrees = (va + vb) ** 2 / (va**2 / 4 + vb**2 / 2)
    found = unpaired(x, y, 0.9)
    assert found.interval.mean == pytest.approx(x.mean() - y.mean())
    assert found.interval.half == pytest.approx(stats.t.ppf(0.95, degrees) * math.sqrt(va + vb))
    assert found.p == pytest.approx(2 * stats.t.sf(abs(x.mean() - y.mean()) / math.sqrt(va + vb), degrees))


def test_a_pair_without_a_value_is_left_out() -> None:
    """NaN on either side takes the pair away, and the number of pairs says so."""
    x, y = np.append(X, [1.0, np.nan]), np.append(Y, [np.nan, 2.0])
    assert paired(x, y) == paired(X, Y) and paired(x, y).pairs == 5


def test_differences_that_do_not_vary() -> None:
    """Equal runs differ in nothing (p = 1); a constant difference is certain (p = 0)."""
    assert paired(X, X).p == 1 and paired(X, X).interval == (0, 0)
    assert paired([3, 4], [1, 2]).p == 0 and paired([3, 4], [1, 2]).interval == (2, 0)
    assert unpaired([3, 3], [2, 2]).p == 0 and unpaired([2, 2], [2, 2]).p == 1


def test_too_few_runs_show_nothing() -> None:
    """One run on a side has a difference but no interval, and is never significant."""
    for how in (paired, unpaired):
        found = how([3], [1])
        assert found.interval.mean == 2 and math.isnan(found.interval.half) and math.isnan(found.p)
        assert not found.significant() and math.isnan(how([], []).interval.mean)


def test_pairs_need_partners() -> None:
    """Different numbers of runs cannot be paired."""
    with pytest.raises(ValueError, match="not 3 and 2"):
        paired([1, 2, 3], [1, 2])


def test_intervals_of_differences_cover_the_truth() -> None:
    """Of 400 paired samples with shared luck, about 95 % have the true difference in their interval."""
    rng = np.random.default_rng(5)
    luck = rng.exponential(5, (400, 8))
    x, y = luck + rng.normal(1, 1, (400, 8)), luck + rng.normal(0, 1, (400, 8))
    hits = sum(paired(a, b).interval.contains(1) for a, b in zip(x, y, strict=True))
    assert 0.92 <= hits / 400 <= 0.98
