"""Deviation from fair shares: the worked example, max-min shares, and a plain twin over jobs and days."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinktime.analysis.deviation import deviation
from thinktime.models.orders.entitlement import max_min
from thinktime.models.results.result import Result

HOUR, DAY = 3600.0, 86_400.0


def result_of(jobs, processors=200, now=None):
    """A result from (user, n, submit, start, end) in hours; users are numbered from 0."""
    user, n, *times = map(np.array, zip(*jobs, strict=True))
    submit, start, end = (column.astype(float) * HOUR for column in times)
    columns = {"user": user, "processors": n, "submit": submit, "start": start, "end": end}
    names = {"user": [f"u{i}" for i in range(int(user.max()) + 1)]}
    return Result.from_columns(columns, processors, names=names, now=None if now is None else now * HOUR)


@pytest.mark.parametrize(("share", "dev"), [("maxmin", [0, -10, 10, 0]), ("equal", [-15, -5, 15, 5])])
def test_the_worked_example(share, dev):
    """Of demands 10, 30, 80 and 90, shares are 10, 30, 30 and 30 by max-min, or 25 each."""
    waits = 30  # hours: what could not run that day runs after it
    jobs = [
        (0, 10, 0, 0, 1), (1, 20, 0, 0, 1), (1, 10, 0, waits, waits + 1), (2, 40, 0, 1, 2),
        (2, 40, 0, waits, waits + 1), (3, 30, 0, 0, 1), (3, 60, 0, waits, waits + 1),
    ]  # fmt: skip
    found = deviation(result_of(jobs), [0, DAY], share)
    assert (found.demand.ravel() / HOUR).tolist() == [0, 10, 30, 80, 90]
    assert (found.used.ravel() / HOUR).tolist() == [0, 10, 20, 40, 30]
    assert found.dev.tolist() == [0, *dev]
    assert (found.sum_abs, found.mean_abs) == (sum(map(abs, dev)), sum(map(abs, dev)) / 4)


def test_shares_in_proportion_to_demand():
    """Proportional shares of 100 delivered for 210 demanded are 10/21 of each demand."""
    waits = 30
    jobs = [
        (0, 10, 0, 0, 1), (1, 20, 0, 0, 1), (1, 10, 0, waits, waits + 1), (2, 40, 0, 1, 2),
        (2, 40, 0, waits, waits + 1), (3, 30, 0, 0, 1), (3, 60, 0, waits, waits + 1),
    ]  # fmt: skip
    found = deviation(result_of(jobs), [0, DAY], "proportional")
    asked, used = np.array([10, 30, 80, 90]), np.array([10, 20, 40, 30])
    assert found.dev[1:] == pytest.approx(used - asked * 100 / 210)
    weighed = deviation(result_of(jobs), [0, DAY], "proportional", weights={"u1": 2.0})
    assert weighed.entitled[1:, 0] / HOUR == pytest.approx(asked * [1, 2, 1, 1] * 100 / 240)


def test_no_user_is_entitled_to_more_than_is_asked_for():
    """Proportional shares of the whole machine never exceed the demand."""
    jobs = [(0, 1, 0, 0, 10), (1, 2, 0, 0, 10)]
    found = deviation(result_of(jobs, 10), [0, DAY], "proportional", capacity="machine")
    assert (found.entitled.ravel() / HOUR).tolist() == [0, 10, 20]


def test_shares_of_the_whole_machine():
    """With all of 10 processors as capacity, a user who wants less than the share is entitled to that, not more."""
    found = deviation(result_of([(0, 4, 0, 0, 24), (1, 4, 0, 12, 24)], 10), [0, DAY], capacity="machine")
    assert (found.entitled.ravel() / HOUR).tolist() == [0, 96, 48]  # user 1 waits for 12 h, but asks for 12 h only
    assert found.demand[2, 0] / HOUR == 4 * 12


def test_demand_counts_a_job_on_every_day_that_it_stays():
    """A job counts for the demand of every day between its submission and its end."""
    found = deviation(result_of([(0, 1, 12, 40, 70)]), np.arange(5) * DAY)
    assert (found.demand[1] / HOUR).tolist() == [12, 24, 22, 0]
    assert (found.used[1] / HOUR).tolist() == [0, 8, 22, 0]
    assert found.active[1].tolist() == [True, True, True, False]


def plain(jobs, borders, share):
    """Used and entitled by (user, day), job by job."""
    used, entitled, demand = {}, {}, {}
    for d, (begin, end) in enumerate(pairwise(borders)):
        for user, n, submit, start, over in jobs:
            if submit >= end or over <= begin:
                continue
            from_here = max(begin, submit)
            rest = (over - start) - max(0, min(over, begin) - start)
            demand[user, d] = demand.get((user, d), 0) + n * min(rest, end - from_here)
            used[user, d] = used.get((user, d), 0) + n * max(0, min(over, end) - max(start, begin))
        here = {user: amount for (user, day), amount in demand.items() if day == d}
        left = sum(amount for (_, day), amount in used.items() if day == d)
        if share == "equal":
            entitled |= {(user, d): left / len(here) for user in here}
            continue
        if share == "proportional":
            every = sum(here.values())
            entitled |= {(user, d): left * here[user] / every if every else 0 for user in here}
            continue
        while here:  # serve the smallest, as long as all could have as much
            user = min(here, key=here.get)
            entitled[user, d] = min(here.pop(user), left / (len(here) + 1))
            left -= entitled[user, d]
    return used, entitled


JOB = st.tuples(st.integers(0, 3), st.integers(1, 5), st.integers(0, 70), st.integers(0, 40), st.integers(1, 60))


@given(st.lists(JOB, min_size=1, max_size=12), st.sampled_from(["maxmin", "proportional", "equal"]))
def test_against_plain_sums(given_jobs, share):
    """Use and entitlement are those of plain sums, and deviations add up to 0 every day."""
    jobs = [(user, n, submit, submit + wait, submit + wait + run) for user, n, submit, wait, run in given_jobs]
    borders = [0, 24, 47, 72, 97, 121, 145, 169, 193]
    used, entitled = plain(jobs, borders, share)
    found = deviation(result_of(jobs), np.array(borders) * HOUR, share)
    for (user, d), amount in used.items():
        assert found.used[user + 1, d] == pytest.approx(amount * HOUR)
        assert found.entitled[user + 1, d] == pytest.approx(entitled[user, d] * HOUR)
    assert np.allclose(found.daily.sum(axis=0), 0, atol=1e-6)
    assert found.used.sum() / HOUR == pytest.approx(sum(used.values()))


@given(st.lists(st.integers(0, 50), min_size=1, max_size=8), st.integers(0, 200), st.data())
def test_max_min_shares(demand, capacity, data):
    """Max-min shares stay within demands, leave nothing over, and are level for all who want more."""
    weights = data.draw(st.lists(st.integers(1, 4), min_size=len(demand), max_size=len(demand)))
    shares = max_min(capacity, demand, weights)
    assert (shares <= np.array(demand) + 1e-9).all()
    assert shares.sum() == pytest.approx(min(capacity, sum(demand)))
    short = shares < np.array(demand) - 1e-9
    levels = shares / np.array(weights)
    if short.any():
        assert np.ptp(levels[short]) < 1e-9
        assert (levels <= levels[short][0] + 1e-9).all()


def test_wrong_arguments_are_named():
    """Wrong shares, capacities, borders, demands and weights are named."""
    result = result_of([(0, 1, 0, 0, 1)])
    for bad in ({"share": "fair"}, {"capacity": "all"}):
        with pytest.raises(ValueError, match="must be one of"):
            deviation(result, [0, DAY], **bad)
    for days in ([0], [0, 0], [DAY, 0]):
        with pytest.raises(ValueError, match="ascending"):
            deviation(result, days)
    with pytest.raises(ValueError, match="demands must be"):
        max_min(1, [-1])
    with pytest.raises(ValueError, match="weights must be"):
        max_min(1, [1, 2], [1])
