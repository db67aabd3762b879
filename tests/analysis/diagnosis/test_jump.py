"""The jump at the end of jobs, against counting by hand."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from thinktime.analysis.diagnosis.jump import jump, profile
from thinktime.workloads.units import HOUR, MINUTE

JOBS = st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 120), st.integers(1, 90)), min_size=1, max_size=30)


def columns(jobs):
    """Users, submissions and ends (s) of (user, minute of submission, minutes of response)."""
    user, submit, response = (np.array(each) for each in zip(*jobs, strict=True))
    return user, submit * MINUTE, (submit + response) * MINUTE


def test_one_before_and_one_after():
    """Two long jobs of one user, one with a submission before its end and one after, are half; the other user is 1."""
    jobs = [(1, 0, 60), (1, 55, 1), (1, 200, 60), (1, 265, 1), (2, 0, 60), (2, 60, 1)]
    found = jump(*columns(jobs))
    assert (found.share.value, found.windows, found.users) == (0.75, 3, 2)
    assert found.pooled == 2 / 3
    assert found.excess == 0.5


def test_both_sides_are_no_window():
    """A submission on both sides, or on none, does not count, and neither does a job with a short response."""
    assert jump(*columns([(1, 0, 60), (1, 55, 1), (1, 65, 1)])).windows == 0
    assert jump(*columns([(1, 0, 60)])).windows == 0
    assert jump(*columns([(1, 0, 19), (1, 25, 1)])).windows == 0
    assert jump(*columns([(-1, 0, 60), (-1, 65, 1)])).windows == 0


@settings(max_examples=60)
@given(JOBS)
def test_counted_one_by_one(jobs):
    """Windows, and submissions by minute, are those counted one by one."""
    sides, by_user = {}, {}
    for user, submit, response in jobs:
        end = submit + response
        others = [other - end for who, other, _ in jobs if who == user]
        if user >= 0 and response >= 20:
            before, after = any(-10 <= at < 0 for at in others), any(0 <= at < 10 for at in others)
            if before != after:
                sides.setdefault(user, []).append(after)
            by_user.setdefault(user, []).append([any(at == minute for at in others) for minute in range(-15, 15)])
    found = jump(*columns(jobs))
    assert found.windows == sum(len(each) for each in sides.values())
    if sides:
        np.testing.assert_allclose(found.share.value, np.mean([np.mean(each) for each in sides.values()]))
    if by_user:
        expected = np.mean([np.mean(each, axis=0) for each in by_user.values()], axis=0)
        np.testing.assert_allclose(profile(*columns(jobs)), expected)


def test_times_far_from_zero_and_many_users():
    """Users do not get into each other's windows, however long the log."""
    user = np.repeat(np.arange(1000), 2)
    submit = np.tile([0.0, 1e9], 1000) + np.repeat(np.arange(1000), 2)
    end = submit + HOUR
    assert jump(user, submit, end).windows == 0
    assert jump(user, np.append(submit[:-1], end[-2]), end).windows == 1
