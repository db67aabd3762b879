"""Logs of other users: copies of a user are no twins, also of one who spans the log."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thinktime.workloads import DAY, HOUR, WEEK, Header, Trace
from thinktime.workloads.offered_load import offered_load
from thinktime.workloads.user_models import resample


def log(weeks: float, users: int, seed: int = 0, spanning: bool = True) -> Trace:
    """Users who submit all the time (else for a part of it); field 14 tells jobs apart."""
    rng = np.random.default_rng(seed)
    begin = rng.uniform(0, 0 if spanning else 0.8 * weeks, users)
    end = np.full(users, weeks) if spanning else begin + rng.uniform(0.05, 0.2, users) * weeks
    user = np.repeat(np.arange(users), 40)
    submit = np.sort(rng.uniform(begin[user], end[user]) * WEEK).round()
    user = rng.permutation(user) if spanning else user[np.argsort(rng.uniform(begin[user], end[user]))]
    if spanning:  # all users are there at both ends
        user[:users] = user[-users:] = np.arange(users)
    columns = {
        "submit": submit, "user": user, "runtime": rng.integers(60, 9000, len(user)), "wait": np.zeros(len(user)),
        "requested_processors": rng.integers(1, 5, len(user)), "executable": np.arange(len(user)),
    }  # fmt: skip
    return Trace(columns, Header.build(MaxProcs=8))


def times_of(drawn: Trace) -> dict[int, list[float]]:
    """When each job of the log comes, in all of its copies."""
    found: dict[int, list[float]] = {}
    for job, submit in zip(drawn.executable.tolist(), drawn.submit.tolist(), strict=True):
        found.setdefault(job, []).append(submit)
    return found


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 99), weeks=st.sampled_from([3.3, 6.0, 9.7]), population=st.sampled_from([1.2, 2.0]),
    replace=st.booleans(), spanning=st.booleans(),
)  # fmt: skip
def test_copies_are_no_twins(seed: int, weeks: float, population: float, replace: bool, spanning: bool) -> None:
    """No copied job comes when its original does; all keep the hour of the week (in short logs, of the day)."""
    trace = log(weeks, 6, seed, spanning)
    drawn = resample(trace, seed, population, replace)
    begin, length = trace.submit[0], trace.submit[-1] - trace.submit[0]
    unit = WEEK if length >= 2 * WEEK else DAY
    copies = times_of(drawn)
    enough = max(map(len, copies.values())) <= length // unit + 1
    for job, times in copies.items():
        assert len(set(times)) == len(times) or not enough
        assert {time % unit for time in times} == {trace.submit.item(job) % unit}
        assert all(begin <= time < begin + (length // unit + 1) * unit for time in times)
    if not replace:
        counts = np.bincount(drawn.executable, minlength=len(trace))
        assert set(counts.tolist()) <= {int(population), int(population) + 1}


def test_the_work_and_the_load_stay() -> None:
    """With every user once, the jobs are the log's at other times, and offer the same load within a part of a week."""
    trace = log(12, 10)
    for seed in range(5):
        drawn = resample(trace, seed, replace=False)
        assert sorted(drawn.executable.tolist()) == sorted(trace.executable.tolist())
        assert offered_load(drawn) == pytest.approx(offered_load(trace), rel=1 / 12)
        moved = [np.ptp(drawn.submit[drawn.user == user]) for user in np.unique(drawn.user)]
        assert min(moved) > 10 * WEEK  # who spanned the log still does


def test_a_user_goes_round_the_log_in_order() -> None:
    """What would come after the end comes at the beginning, in the order and at the distances of the log."""
    trace = log(4, 1)
    drawn = resample(trace, 3)
    first = drawn.executable.item(0)
    assert drawn.executable.tolist() == [*range(first, 40), *range(first)]
    gaps = np.diff(np.append(drawn.submit, drawn.submit[0] + 4 * WEEK))
    wanted = np.diff(np.append(trace.submit, trace.submit[0] + 4 * WEEK))
    assert gaps.tolist() == np.roll(wanted, -first).tolist()


def test_short_logs_move_by_days() -> None:
    """In a log of less than two weeks users move by days; in one of hours there is no other place."""
    days = resample(log(1.5, 4), 1, population=3, replace=False)
    assert all(len(set(times)) == 3 for times in times_of(days).values())
    assert {time % DAY for time in days.submit.tolist()} == {time % DAY for time in log(1.5, 4).submit.tolist()}
    hours = log(5 * HOUR / WEEK, 2)
    assert set(resample(hours, 1, population=2).submit.tolist()) <= set(hours.submit.tolist())
