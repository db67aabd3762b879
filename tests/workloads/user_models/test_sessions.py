"""Sessions, batches and campaigns of a log."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thinktime as tt
from tests.workloads.user_models.logs import jobs_of, log, logs
from tests.workloads.user_models.twin import sessions_of, users_of
from thinktime.workloads.user_models import DELIMITATIONS, campaigns, delimit
from thinktime.workloads.user_models.sessions import recorded_ends

BOOK = [(1, 0, 100), (1, 600, 700), (1, 2000, 2100), (1, 9000, 9100)]


def members(groups):
    """The rows of the trace in each group."""
    return [
        groups.order[a:b].tolist() for a, b in zip(groups.bounds[:-1].tolist(), groups.bounds[1:].tolist(), strict=True)
    ]


@pytest.mark.parametrize(
    ("by", "expected"), [("last", [[0, 1], [2], [3]]), ("max", [[0, 1], [2], [3]]), ("arrival", [[0, 1, 2], [3]])]
)
def test_the_three_delimitations_on_one_user(by, expected):
    """Gaps from the end before are 500, 1300 and 6900 s, those between submissions 600, 1400 and 7000 s."""
    assert members(delimit(log(BOOK), by).sessions) == expected


def test_last_looks_at_the_job_before_and_max_at_all_of_the_session():
    """A job of 2 h is followed by one of 10 s; half an hour later the session goes on only for Max."""
    jobs = [(1, 0, 7200), (1, 5, 15), (1, 1815, 1900)]
    assert members(delimit(log(jobs), "last").sessions) == [[0, 1], [2]]
    assert members(delimit(log(jobs), "max").sessions) == [[0, 1, 2]]


def test_exactly_the_threshold_is_within_the_session():
    """A gap must be longer than the threshold to end a session."""
    jobs = [(1, 0, 100), (1, 3600, 3700), (1, 7201, 7300)]
    assert members(delimit(log(jobs)).sessions) == [[0, 1], [2]]
    assert members(delimit(log(jobs), threshold=3599).sessions) == [[0], [1], [2]]


def test_jobs_of_a_batch_did_not_wait_for_each_other():
    """Jobs 1 and 2 overlap; job 3 is submitted at the instant at which job 2 ends, and begins a new batch."""
    seen = delimit(log([(1, 0, 50), (1, 10, 100), (1, 100, 200), (1, 150, 160)]))
    assert members(seen.batches) == [[0, 1], [2, 3]]
    assert seen.think_time.tolist()[1:] == [0]
    assert seen.response_before.tolist()[1:] == [100]
    assert seen.batches_per_session.tolist() == [2]
    assert seen.batches.end.tolist() == [100, 200]


def test_overlap_between_sessions_is_a_negative_think_time():
    """The second session begins while a job of ten hours runs: the think time is -28,800 s, and is kept."""
    seen = delimit(log([(1, 0, 36000), (1, 7200, 7300)]))
    assert members(seen.batches) == [[0], [1]]
    assert seen.think_time.tolist()[1:] == [-28800]
    assert np.isnan(seen.think_time[0])
    assert seen.continues.tolist() == [False, False]


def test_users_are_apart_and_a_wait_counts_as_response():
    """Two users whose jobs interleave; the first one's job waits for 40 s, so its batch takes 100 s."""
    seen = delimit(log([(7, 0, 40, 100), (3, 10, 20), (7, 160, 170)]))
    assert seen.batches.user.tolist() == [3, 7, 7]
    assert seen.batches.response.tolist() == [10, 100, 10]
    assert seen.think_time.tolist()[2] == 60


def test_jobs_of_no_user_are_alone():
    """Two jobs without a user, at one time, are two sessions."""
    seen = delimit(log([(-1, 0, 10), (-1, 0, 10)]))
    assert len(seen.sessions) == len(seen.batches) == 2
    assert np.isnan(seen.think_time).all()


def test_think_times_per_job():
    """Shmueli's think time is from the end of the job before, in order of submission: 500, 1300 and 6900 s."""
    think = delimit(log(BOOK)).job_think_times()
    assert np.isnan(think[0])
    assert think[1:].tolist() == [500, 1300, 6900]


def test_campaigns_are_counted_from_their_first_job():
    """Within 600 s of the first job: at 0, 400 and 600 s one campaign, at 900 s the next, though only 300 s later."""
    jobs = log([(1, 0, 5), (1, 400, 500), (1, 600, 610), (1, 900, 910), (2, 0, 5), (2, 0, 9)])
    assert members(campaigns(jobs, 600)) == [[0, 3, 4], [5], [1, 2]]
    assert members(campaigns(jobs)) == [[0], [3], [4], [5], [1, 2]]
    assert campaigns(jobs, 600).end.tolist() == [610, 910, 9]


@given(logs(), st.sampled_from(DELIMITATIONS), st.sampled_from([None, 0.0, 300.0, 5000.0]))
def test_the_same_as_by_the_book(trace, by, threshold):
    """Sessions, batches and think times are those that plain loops find."""
    seen = delimit(trace, by, threshold)
    expected = sessions_of(jobs_of(trace, seen.end), by, seen.threshold)
    found = {tuple(rows) for rows in members(seen.sessions)}
    assert found == {tuple(job[0] for b in s for job in b) for user in expected for s in user}
    found = {tuple(rows) for rows in members(seen.batches)}
    assert found == {tuple(job[0] for job in b) for user in expected for s in user for b in s}
    for user in expected:
        row = [batch for session in user for batch in session]
        for before, after in pairwise(row):
            think = after[0][2] - max(job[3] for job in before)
            assert seen.think_time[seen.batches.of_job[after[0][0]]] == think


@given(logs(), st.sampled_from([0.0, 300.0, 5000.0]))
def test_campaigns_by_the_book(trace, threshold):
    """The rule of campaign policies: a job joins the campaign whose first job is at most so many seconds old."""
    expected = set()
    for mine in users_of(jobs_of(trace, recorded_ends(trace))):
        parts = []
        for job in mine:
            if not parts or job[2] > parts[-1][0][2] + threshold:
                parts.append([])
            parts[-1].append(job)
        expected |= {tuple(job[0] for job in part) for part in parts}
    assert {tuple(rows) for rows in members(campaigns(trace, threshold))} == expected


def test_a_log_without_waits_is_refused():
    """It does not say when its jobs ended."""
    trace = tt.Trace({"submit": [0, 5], "runtime": [1, 1], "allocated": [1, 1]})
    with pytest.raises(ValueError, match=r"no waits \(field 3\)"):
        delimit(trace)
    assert len(campaigns(trace)) == 2


@pytest.mark.parametrize(
    ("words", "message"), [({"delimitation": "first"}, "must be one of"), ({"threshold": -1}, "at least 0")]
)
def test_what_cannot_be_is_refused(words, message):
    """The error says what would be right."""
    with pytest.raises(ValueError, match=message):
        delimit(log(BOOK), **words)


def test_an_empty_log_has_no_sessions():
    """Nothing in, nothing out."""
    seen = delimit(tt.Trace({"submit": []}))
    assert len(seen.sessions) == len(seen.batches) == len(seen.think_time) == 0
