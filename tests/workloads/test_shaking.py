"""Shaken logs: run times and submissions moved a little."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.workloads.user_models.logs import logs
from thinktime.workloads import Header, Trace, shaken
from thinktime.workloads.user_models import DELIMITATIONS, delimit, dependencies

LIMITED = Trace(
    {
        "submit": [0.0, 10.0, 10.0, 400.0, 5000.0, 5000.0],
        "runtime": [100.0, 3600.0, 1000.0, 0.0, 999.0, 7300.0],
        "wait": [0.0] * 6,
        "requested_time": [200.0, 3600.0, 1001.0, 60.0, math.nan, 7200.0],
        "allocated": [1] * 6,
    },
    Header.build(MaxProcs=4),
)


def pairs(count: int) -> list[tuple[int, int]]:
    """Every pair of places."""
    return [(i, j) for i in range(count) for j in range(count)]


@settings(max_examples=40)
@given(trace=logs(), share=st.sampled_from([0.0, 0.01, 0.3]), seed=st.integers(0, 3))
def test_times_move_by_at_most_the_share(trace: Trace, share: float, seed: int) -> None:
    """Run times, and the times between submissions, are within the share; order and instants stay, and all else."""
    moved = shaken(trace, share, seed)
    tick = 2**-10
    assert moved.id.tolist() == trace.id.tolist()
    for was, now in zip(trace.runtime.tolist(), moved.runtime.tolist(), strict=True):
        assert abs(now - was) <= share * was + tick
    for i, j in pairs(len(trace)):
        was, now = float(trace.submit[j] - trace.submit[i]), float(moved.submit[j] - moved.submit[i])
        assert abs(now - was) <= share * abs(was) + abs(i - j) * tick
        assert (was == 0) == (now == 0)
    for name, column in trace.columns.items():
        if name not in ("runtime", "submit", "requested_time"):
            assert np.array_equal(column, moved.columns[name], equal_nan=True)
    exact = (trace.requested_time == np.maximum(trace.runtime, 1.0)).all()
    wanted = np.maximum(moved.runtime, 1.0) if exact else trace.requested_time
    assert np.array_equal(moved.requested_time, wanted, equal_nan=True)
    if share == 0:
        assert moved.equals(trace)


def test_who_was_ended_by_the_limit_is_ended_by_it_again() -> None:
    """Jobs at or beyond their estimates stay, others stay within them; without a request, a run time moves freely."""
    found = np.array([shaken(LIMITED, 0.01, seed).runtime for seed in range(200)])
    assert (found[:, [1, 3, 5]] == LIMITED.runtime[[1, 3, 5]]).all()
    assert found[:, 2].max() == 1001 and 990 <= found[:, 2].min() < 991
    assert 99 <= found[:, 0].min() < 99.1 and 100.9 < found[:, 0].max() <= 101
    assert 999 * 0.99 <= found[:, 4].min() < 991 and 1007 < found[:, 4].max() <= 999 * 1.01


def test_exact_estimates_stay_exact() -> None:
    """Where users know how long their jobs run, they know it of the moved ones as well."""
    exact = LIMITED.with_columns(requested_time=np.maximum(LIMITED.runtime, 1.0))
    moved = shaken(exact, seed=1)
    assert moved.requested_time.tolist() == np.maximum(moved.runtime, 1.0).tolist()
    assert (moved.runtime != exact.runtime).sum() == 5 and moved.runtime[3] == 0


def test_one_of_the_two_alone() -> None:
    """What is drawn for run times is the same with and without submissions, and the other way round."""
    both = shaken(LIMITED, seed=4)
    times = shaken(LIMITED, seed=4, submissions=False)
    assert times.submit.tolist() == LIMITED.submit.tolist() and times.runtime.tolist() == both.runtime.tolist()
    when = shaken(LIMITED, seed=4, runtimes=False)
    assert when.runtime.tolist() == LIMITED.runtime.tolist() and when.submit.tolist() == both.submit.tolist()
    assert not shaken(LIMITED, seed=5).equals(both)


@settings(max_examples=40)
@given(trace=logs(), delimitation=st.sampled_from(DELIMITATIONS), seed=st.integers(0, 3))
def test_sessions_move_along(trace: Trace, delimitation: str, seed: int) -> None:
    """The batches and what they wait for stay, and think times and offsets move by at most the share."""
    seen = delimit(trace, delimitation)
    moved = seen.moved(shaken(trace, 0.01, seed, runtimes=False).submit)
    before, after = dependencies(seen.batches), dependencies(moved.batches)
    assert (before.before.tolist(), before.after.tolist()) == (after.before.tolist(), after.after.tolist())
    tolerance = 2**-10 * len(trace)
    assert (abs(after.think_time - before.think_time) <= 0.01 * before.think_time + tolerance).all()
    assert moved.batches.of_job.tolist() == seen.batches.of_job.tolist()
    for own, other in ((seen.sessions, moved.sessions), (seen.batches, moved.batches)):
        was, now = own.last_submit - own.submit, other.last_submit - other.submit
        assert (abs(now - was) <= 0.01 * was + tolerance).all()


@settings(max_examples=10)
@given(trace=logs(most=10), seed=st.integers(0, 3))
def test_a_shaken_log_is_replayed_with_the_sessions_of_its_original(trace: Trace, seed: int) -> None:
    """With run times alone moved, users without dependencies submit when they did; with both, at the shaken times."""
    seen = delimit(trace)
    first = dependencies(seen.batches).count[seen.batches.of_job] == 0
    times = shaken(trace, seed=seed, submissions=False)
    result = tt.replay_with_feedback(times, delimitation=seen)
    assert (result["submit"][first] == trace.submit[first]).all()
    both = shaken(trace, seed=seed)
    result = tt.replay_with_feedback(both, delimitation=seen.moved(both.submit))
    assert (result["submit"][first] == both.submit[first]).all()


@pytest.mark.parametrize("share", [-0.1, 1, math.nan, math.inf, True])
def test_shares_that_are_none(share: float) -> None:
    """A share is at least 0 and below 1."""
    with pytest.raises(ValueError, match="shaken by a share of themselves from 0 to below 1"):
        shaken(LIMITED, share)


def test_sessions_of_other_jobs_cannot_be_moved() -> None:
    """Submissions in another order, or of another number of jobs, are refused."""
    seen = delimit(LIMITED)
    for submit in (LIMITED.submit[::-1], LIMITED.submit[1:]):
        with pytest.raises(ValueError, match="the same jobs, in the same order"):
            seen.moved(submit)
