"""Limits on how many jobs of a user are in flight."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import thinktime as tt
from tests.users.behaviours.behaving import PLAIN, one, several
from thinktime.users import behaviours as b


def test_a_limit_on_jobs_in_flight():
    """Five jobs with a limit of two in flight are submitted two at a time."""
    result = one(b.InFlight(2), campaigns=2, size=64, **PLAIN | {"jobs": 5})
    assert result["submit"].tolist() == [0, 0, 100, 100, 200, 360, 360, 460, 460, 560]


def test_a_limit_that_depends_on_what_the_user_sees():
    """The limit may be as many jobs as there is room for."""
    room = b.InFlight(lambda user: user.sight.free // 4)
    result = one(room, campaigns=1, size=12, **PLAIN | {"jobs": 7})
    assert result["submit"].tolist() == [0, 0, 0, 100, 100, 100, 200]
    assert (result["submit"] == result["start"]).all()


@settings(max_examples=15)
@given(st.integers(1, 4), st.sampled_from(["fcfs", "easy", "conservative"]), st.integers(0, 1000))
def test_no_user_has_more_in_flight_than_the_limit(limit, policy, seed):
    """At no moment has a user more jobs in flight than the limit."""
    result, _ = several(
        b.InFlight(limit), b.Patience(1800), policy=policy, users=3, jobs=stats.geom(0.1), until=tt.DAY, seed=seed
    )
    for user in set(result["user"].tolist()):
        mine = result["user"] == user
        end = np.where(np.isnan(result["end"][mine]), np.inf, result["end"][mine])
        times = np.concatenate([result["submit"][mine], end])
        change = np.repeat([1, -1], mine.sum())
        assert np.cumsum(change[np.lexsort((change, times))]).max() <= limit
