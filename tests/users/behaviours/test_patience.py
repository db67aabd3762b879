"""Patience: jobs taken back, jobs not submitted at all, and few at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import thinktime as tt
from tests.users.behaviours.behaving import LONG, PLAIN, lost, one, several
from thinktime.users import behaviours as b


def test_patience_withdraws_a_job_that_has_waited_too_long():
    """A job with a patience of 300 s is withdrawn after 300 s and its work is lost."""
    result = one(b.Patience(300), before=[LONG], campaigns=1, **PLAIN)
    mine = result.jobs.query("user == 'ada'")
    assert mine[["submit", "end", "state"]].values.tolist() == [[0.0, 300.0, "withdrawn"]]
    assert lost(result) == [[300.0, "renege", 1, 400 / 3600]]
    summary = result.summary()
    assert (summary["lost_jobs"], summary["lost_node_hours"]) == (1, 400 / 3600)
    assert "lost_node_hours" in str(summary)


def test_the_user_goes_on_after_giving_up():
    """The campaign is over when its job is withdrawn; the next follows after the think time."""
    result = one(b.Patience(300), before=[LONG], campaigns=3, **PLAIN)
    assert result.jobs.query("user == 'ada'")["submit"].tolist() == [0, 360, 720]


def test_patience_of_no_time_lets_a_free_machine_start_the_job():
    """A patience of 0 counts as a second, so that an empty machine can start the job."""
    result = one(b.Patience(0), campaigns=5, **PLAIN)
    assert set(result.jobs["state"]) == {"finished"} and not len(result.lost)


def test_patience_does_nothing_to_a_running_job():
    """A job that has started runs whole, though it takes longer than the patience."""
    result = one(b.Patience(5050), before=[LONG], campaigns=1, **PLAIN | {"runtime": 300})
    assert result.jobs.query("user == 'ada'")[["start", "end"]].values.tolist() == [[5000, 5300]]


@pytest.mark.parametrize(
    "balk, waiting, submits",
    [
        (b.Balk(queue=1), 1, True),
        (b.Balk(queue=1), 2, False),
        (b.Balk(backlog=10_000), 2, True),
        (b.Balk(backlog=9_999), 2, False),
        (b.Balk(wait=9990), 1, True),
        (b.Balk(wait=9989), 1, False),
        (b.Balk(rule=lambda sight, job: sight.free < job.processors), 0, False),
        (b.Balk(rule=lambda sight, job: len(sight.running) > 1), 0, True),
    ],
)
def test_a_user_who_balks_does_not_submit(balk, waiting, submits):
    """A user balks exactly where the queue, the backlog or the wait is above the limit."""
    result = one(balk, before=[LONG] * (1 + waiting), campaigns=1, **PLAIN | {"first": 10})
    assert ("ada" in result.labels("user")) == submits
    assert lost(result) == ([] if submits else [[10.0, "balk", 1, 400 / 3600]])


def test_who_balks_comes_back_after_the_think_time():
    """A campaign given up at once is over at once; with no think time at all the user looks again a second later."""
    result = one(b.Balk(queue=0), before=[LONG] * 2, campaigns=3, **PLAIN | {"first": 1})
    assert result.lost["time"].tolist() == [1, 61, 121]
    result = one(b.Balk(queue=0), before=[LONG] * 2, campaigns=3, **PLAIN | {"first": 1, "think_time": 0})
    assert result.lost["time"].tolist() == [1, 2, 3]


def test_balk_must_know_when():
    """Balk without a rule is refused."""
    with pytest.raises(ValueError, match="give queue, backlog, wait or rule"):
        b.Balk()


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
        b.InFlight(limit), b.Patience(1800), policy=policy, users=3, jobs=stats.geom(0.1), until=tt.DAY / 3, seed=seed
    )
    for user in set(result["user"].tolist()):
        mine = result["user"] == user
        end = np.where(np.isnan(result["end"][mine]), np.inf, result["end"][mine])
        times = np.concatenate([result["submit"][mine], end])
        change = np.repeat([1, -1], mine.sum())
        assert np.cumsum(change[np.lexsort((change, times))]).max() <= limit
