"""The exact search of section 4.5 as the heuristics' oracle: no heuristic finds a cheaper schedule."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.policies.slack.insertion import insertion
from thinktime.models.engine.profile import Profile
from thinktime.models.policies.slack import HEURISTICS

PROCESSORS = 4
JOBS = st.lists(
    st.tuples(st.integers(1, PROCESSORS), st.integers(1, 12), st.integers(0, 40), st.sampled_from([0.05, 0.2, 0.6])),
    min_size=2,
    max_size=5,
)


def insert(jobs, newcomer, heuristic: str, permutations: int) -> float:
    """The price of the cheapest schedule for a newcomer; the others are due at their earliest fits."""
    size, length, slack, priority = (np.array(column) for column in zip(*jobs, strict=True))
    due, estimate = np.empty(len(jobs)), length.astype(float)
    profile = Profile()
    profile.begin(0.0, 1)
    profile.free[0] = PROCESSORS
    for i in range(len(jobs)):
        due[i] = profile.earliest_fit(int(size[i]), float(estimate[i]))
        profile.change(float(due[i]), float(due[i] + estimate[i]), -int(size[i]))
    others = list(zip(size, estimate, strict=True))
    return insertion(others, (*newcomer, 1 / 6), due, slack, slack, priority, heuristic, permutations)[1]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(JOBS, st.tuples(st.integers(1, PROCESSORS), st.integers(1, 12)))
def test_no_heuristic_is_cheaper(jobs, newcomer) -> None:
    """No heuristic finds a cheaper schedule than the permutation search, whose price is that of any first order."""
    best = [insert(jobs, newcomer, heuristic, 7) for heuristic in HEURISTICS]
    assert np.ptp(best) <= 1e-9 * max(1.0, abs(best[0]))
    for heuristic, optimum in zip(HEURISTICS, best, strict=True):
        assert insert(jobs, newcomer, heuristic, 0) >= optimum - 1e-9 * max(1.0, abs(best[0]))
