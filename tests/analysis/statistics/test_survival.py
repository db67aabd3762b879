"""The Kaplan-Meier estimate."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinktime.analysis.statistics import kaplan_meier

# Weeks of remission of 21 patients under 6-MP; + is censored. E. Freireich et al., Blood 21 (1963); the estimate is
# printed in most textbooks.
REMISSION = [
    "6", "6", "6", "6+", "7", "9+", "10", "10+", "11+", "13", "16", "17+", "19+", "20+", "22", "23", "25+", "32+",
    "32+", "34+", "35+",
]  # fmt: skip
PRINTED = {6: 0.857, 7: 0.807, 10: 0.753, 13: 0.690, 16: 0.627, 22: 0.538, 23: 0.448}


def by_hand(times: list[int], seen: list[bool], at: float) -> Fraction:
    """S(t), observation by observation."""
    survival = Fraction(1)
    for t in sorted({t for t, flag in zip(times, seen, strict=True) if flag and t <= at}):
        happened = sum(flag and each == t for each, flag in zip(times, seen, strict=True))
        survival *= 1 - Fraction(happened, sum(each >= t for each in times))
    return survival


def test_the_textbook_example() -> None:
    """The 6-MP data have the textbook's estimate and median of 23 weeks."""
    found = kaplan_meier([float(t.rstrip("+")) for t in REMISSION], ["+" not in t for t in REMISSION])
    assert (found.seen, found.censored) == (9, 12)
    assert found.at(list(PRINTED)).round(3).tolist() == list(PRINTED.values())
    assert found.median == 23
    assert np.isnan(found.quantile(0.6))
    assert np.isnan(found.at(36))


@given(st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=30), st.integers(0, 12))
def test_it_is_the_product_of_its_definition(observations: list[tuple[int, bool]], at: int) -> None:
    """S(t) is the product over the times at which something happened, as far as anybody was looked at."""
    times, seen = [t for t, _ in observations], [flag for _, flag in observations]
    value, expected = float(kaplan_meier(times, seen).at(at)), by_hand(times, seen, at)
    if at <= max(times) or expected == 0:
        assert value == pytest.approx(float(expected), abs=1e-12)
    else:
        assert np.isnan(value)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40), st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9, 1.0]))
def test_without_censored_ones_it_is_the_share_above(times: list[int], share: float) -> None:
    """Without censoring, the estimate is the share above each time."""
    found = kaplan_meier(times, [True] * len(times))
    expected = next(t for t in sorted(times) if sum(each <= t for each in times) / len(times) >= share - 1e-12)
    assert found.quantile(share) == expected


def test_impatience_does_not_move_the_median() -> None:
    """Impatience leaves the estimated median of exponential times where it is."""
    rng = np.random.default_rng(5)
    response, patience = rng.exponential(1, 40_000), rng.exponential(1, 40_000)
    found = kaplan_meier(np.minimum(response, patience), response <= patience)
    assert found.median == pytest.approx(np.log(2), rel=0.03)
    assert response[response <= patience].mean() == pytest.approx(0.5, rel=0.03)


def test_where_no_job_was_served_nothing_is_known() -> None:
    """Where no job was served, none is known to have been answered, and there is no median."""
    found = kaplan_meier([1800.0] * 36, [False] * 36)
    assert (found.seen, found.censored) == (0, 36)
    assert found.at([0, 1800]).tolist() == [1, 1]
    assert np.isnan([found.median, found.at(1801)]).all()
    assert np.isnan(kaplan_meier([], []).median)


@pytest.mark.parametrize("times", [[np.nan], [np.inf], [-1.0]])
def test_observations_are_times(times: list[float]) -> None:
    """An observation that is no time is an error that names it."""
    with pytest.raises(ValueError, match="place 0"):
        kaplan_meier(times, [True])
