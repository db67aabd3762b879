"""Satisfaction: the acceptable wait by its table, and complaints job by job."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from thinktime import DAY, HOUR
from thinktime.analysis.satisfaction import complaints, satisfaction
from thinktime.users import Satisfaction, acceptable_wait


@pytest.mark.parametrize(
    "walltime, accepted",
    [
        (HOUR, HOUR), (3 * HOUR - 1, 3 * HOUR - 1), (3 * HOUR, 3 * HOUR), (6.5 * HOUR, 3.25 * HOUR),
        (7 * HOUR, 3.5 * HOUR), (12 * HOUR, 4 * HOUR), (24 * HOUR - 1, 8 * HOUR - 1 / 3), (24 * HOUR, 8 * HOUR),
        (2 * DAY, 12 * HOUR), (7 * DAY, 42 * HOUR), (10 * DAY, 48 * HOUR),
    ],
)  # fmt: skip
def test_what_a_sequential_job_accepts(walltime, accepted):
    """The acceptable wait follows the five lines of the model, at and around their borders."""
    assert float(acceptable_wait(1, walltime)) == pytest.approx(accepted)


@given(st.integers(1, 10_000), st.floats(1, 1e7))
def test_wider_jobs_accept_more(processors, walltime):
    """A job of n processors accepts ln n + 1 times the wait."""
    accepted = float(acceptable_wait(processors, walltime))
    assert accepted == pytest.approx((math.log(processors) + 1) * float(acceptable_wait(1, walltime)))


def by_hand(result):
    """Complaints by the account of each user, job by job in order of start, in plain Python."""
    accounts, found = {}, [False] * len(result)
    started = [i for i in range(len(result)) if result["start"][i] == result["start"][i]]
    for i in sorted(started, key=lambda i: (result["start"][i], result["id"][i])):
        account = accounts.setdefault(result["user"][i].item(), Satisfaction())
        wait = result["start"][i] - result["submit"][i]
        found[i] = account.add(result["processors"][i].item(), result["estimate"][i].item(), wait)
    return found, accounts


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_complaints_of_a_result_are_those_of_the_accounts(seed):
    """Columns at once, and one account after the other; budgets carry over from job to job."""
    rng = np.random.default_rng(seed)
    jobs = 60
    submit = np.sort(rng.integers(0, 5000, jobs))
    trace = tt.Trace(
        {
            "submit": submit, "runtime": rng.integers(0, 2000, jobs), "requested_processors": rng.integers(1, 5, jobs),
            "user": rng.integers(0, 4, jobs), "requested_time": rng.integers(1, 4000, jobs),
        }
    )  # fmt: skip
    result = tt.replay(trace, "fcfs", 4)
    expected, accounts = by_hand(result)
    assert complaints(result).tolist() == expected
    table = satisfaction(result)
    for code, account in accounts.items():
        row = table.loc[result.names["user"][code]]
        assert (row["jobs"], row["complaints"]) == (account.jobs, account.complaints)
        assert (row["accepted"], row["waited"]) == pytest.approx((account.accepted, account.waited))
        assert row["complaint_share"] == account.complaints / account.jobs


def test_no_user_complains_where_no_job_waits():
    """Where no job waits there are no complaints."""
    trace = tt.Trace({"submit": [0, 1], "runtime": [5, 5], "requested_processors": [1, 1], "user": [1, 2]})
    assert not complaints(tt.replay(trace, "fcfs", 2)).any()
    empty = tt.Result.from_columns({name: [] for name in ("submit", "start", "end", "processors")}, 4)
    assert len(satisfaction(empty)) == 0
