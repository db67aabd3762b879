"""Several comparisons at once."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinktime.analysis.statistics import compare, holm, mark, paired, unpaired


def closed_test(p: list[float], alpha: float) -> list[bool]:
    """Holm's procedure from its principle: reject i if every set with i in it has a p below alpha / its size."""
    places = range(len(p))
    sets = [set(each) for n in range(1, len(p) + 1) for each in combinations(places, n)]
    return [all(min(p[j] for j in s) <= alpha / len(s) for s in sets if i in s) for i in places]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.sampled_from([0.01, 0.05, 0.2]))
def test_holm_is_the_closed_bonferroni_test(p: list[float], alpha: float) -> None:
    """An adjusted p is at most alpha exactly where the closed test rejects (rounding aside)."""
    adjusted = holm(p)
    if np.abs(adjusted - alpha).min() > 1e-12:
        assert [q <= alpha for q in adjusted] == closed_test(p, alpha)
    assert (adjusted >= np.array(p)).all() and (adjusted <= 1).all()


def test_holms_example() -> None:
    """Four p-values by hand: 0.005 * 4, 0.01 * 3, then 0.03 * 2 = 0.06, and 0.04 * 1 pulled up to it."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]).tolist() == []


def test_what_could_not_be_tested_does_not_count() -> None:
    """A NaN stays NaN and costs the other comparisons nothing."""
    adjusted = holm([0.02, math.nan, 0.03])
    assert adjusted[[0, 2]] == pytest.approx([0.04, 0.04]) and math.isnan(adjusted[1])
    with pytest.raises(ValueError, match="p-values must be"):
        holm([0.5, 1.5])


@pytest.mark.parametrize(
    ("p", "stars"), [(0.0, "***"), (0.001, "**"), (0.0099, "**"), (0.01, "*"), (0.05, ""), (1.0, ""), (math.nan, "")]
)
def test_marks(p: float, stars: str) -> None:
    """Marks stand for p strictly below 0.05, 0.01 and 0.001."""
    assert mark(p) == stars


SAMPLES = {"fcfs": [30.0, 41.0, 35.0, 38.0], "easy": [20.0, 30.0, 26.0, 27.0], "sjf": [20.0, 31.0, 25.0, 28.0]}


def test_each_with_the_baseline() -> None:
    """With a baseline, each other policy is compared with it, in order, as one family."""
    found = compare(SAMPLES, "easy")
    assert [(row.first, row.second) for row in found.rows] == [("fcfs", "easy"), ("sjf", "easy")]
    first = found.of("fcfs", "easy")
    assert first.difference == paired(SAMPLES["fcfs"], SAMPLES["easy"])
    assert first.adjusted == pytest.approx(2 * first.difference.p) and first.significant() and first.mark
    assert not found.of("sjf", "easy").significant() and found.of("sjf", "easy").mark == ""
    assert "paired" in found.method and "Holm's correction over 2 comparisons" in found.method


def test_each_with_each() -> None:
    """Without a baseline, all pairs are compared once."""
    found = compare(SAMPLES, common=False)
    assert len(found.rows) == 3 and "Welch" in found.method and "over 3" in found.method
    assert found.of("fcfs", "sjf").difference == unpaired(SAMPLES["fcfs"], SAMPLES["sjf"])
    with pytest.raises(KeyError, match="'sjf' was not compared with 'fcfs'"):
        found.of("sjf", "fcfs")


def test_unknown_baseline() -> None:
    """A baseline that was not run is an error that names those that were."""
    with pytest.raises(ValueError, match=r"'fcfs', 'easy', 'sjf'.*not 'lxf'"):
        compare(SAMPLES, "lxf")


def test_false_claims_of_a_family_stay_rare() -> None:
    """Ten policies without any difference: at least one star in about 5 % of 200 experiments, not in 40 %."""
    rng = np.random.default_rng(11)
    starred = lone = 0
    for _ in range(200):
        luck = rng.normal(0, 3, 10)
        found = compare({str(k): luck + rng.normal(0, 1, 10) for k in range(10)}, "0")
        starred += any(row.mark for row in found.rows)
        lone += any(row.difference.significant() for row in found.rows)
    assert starred <= 18 < 40 < lone
