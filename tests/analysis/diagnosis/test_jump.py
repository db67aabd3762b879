"""The jump at the end of jobs, against counting by hand."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from thinktime.analysis.diagnosis.jump import excess, jump, profile
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


def test_excess_by_hand():
    """Jobs of ten users, each with a next submission 5 min after the end, or 5 min before the other end."""
    user = np.repeat(np.arange(10), 2)
    first = np.zeros(20)
    submit, end = first.copy(), first + HOUR
    submit[1::2] = HOUR + 5 * MINUTE  # after the end of the first
    end[1::2] = submit[1::2] + MINUTE  # short, so its own end does not count
    other = np.where(np.arange(20) % 2 == 0, HOUR + 10 * MINUTE, np.nan)
    assert excess(user, submit, end, other) == (1.0, 1.0, 1.0)  # 1 at the ends, 0 at the others
    assert np.isnan(excess(user, submit, end, end).value)  # none is apart
    assert np.isnan(excess(user[:8], submit[:8], end[:8], other[:8]).value)  # four users are too few


def test_a_program_that_submits_by_the_clock_has_no_excess():
    """A job of 55 min each hour has a jump of 1 where nothing waits, and none where waits move the ends."""
    rng = np.random.default_rng(1)
    submit = np.tile(np.arange(400) * HOUR, 8)
    user = np.repeat(np.arange(8), 400)
    end = submit + 55 * MINUTE
    assert jump(user, submit, end).share.value == 1.0
    delayed = end + rng.choice([0.0, 90 * MINUTE], 3200) + rng.uniform(0, 60 * MINUTE, 3200)
    assert excess(user, submit, delayed, end).high < 0
