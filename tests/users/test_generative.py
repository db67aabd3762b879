"""Users drawn from what was fitted to a log."""

import numpy as np
import pytest

import thinktime as tt
from tests.workloads.user_models.logs import log
from thinktime.users import sources
from thinktime.users.generative import generate, generative_users
from thinktime.workloads.units import DAY, HOUR, WEEK
from thinktime.workloads.user_models import delimit, fit_users, resample

POLICIES = ["fcfs", "easy", "conservative", "no-guarantee"]


def sample(users=8, weeks=3, processors=64, seed=5):
    """A log of office users: two sessions a day, some batches of several jobs, some waits."""
    rng = np.random.default_rng(seed)
    jobs = []
    for user in range(1, users + 1):
        for day in range(7 * weeks):
            if day % 7 > 4:
                continue
            for start in (9.0, 14.0):
                at = day * DAY + round((start + rng.random()) * HOUR)
                for _ in range(int(rng.integers(1, 4))):
                    wait, run = int(rng.integers(0, 600)), int(rng.integers(10, 1200))
                    size = int(rng.integers(1, 3))
                    jobs += [(user, at + 5 * k, at + 5 * k + wait, at + 5 * k + wait + run) for k in range(size)]
                    at += wait + run + 5 * size + int(rng.integers(10, 300))
    return log(jobs, processors)


def test_the_same_seed_gives_the_same_users_under_every_policy_that_makes_no_job_wait():
    """On a machine that holds everything the logs are identical, to the tick; another seed gives another."""
    trace = sample()
    results = [generative_users(trace, policy, 10_000, seed=3) for policy in POLICIES]
    for result in results:
        assert (result["start"] == result["submit"]).all()
        for column in ("id", "user", "submit", "start", "end", "runtime", "processors", "think_time"):
            assert np.array_equal(result[column], results[0][column], equal_nan=True)
    other = generative_users(trace, "easy", 10_000, seed=4)
    assert not np.array_equal(other["submit"][:100], results[0]["submit"][:100])


def test_a_users_jobs_do_not_depend_on_the_machine():
    """On a small machine users get less far, but the jobs that each submits come in the same order."""
    trace = sample()
    large, small = (generative_users(trace, "easy", size, seed=3) for size in (10_000, 3))
    assert small.summary()["mean_wait"] > 100
    for user in range(1, 9):
        of = [result["runtime"][result.labels("user") == user] for result in (large, small)]
        shared = min(map(len, of))
        assert shared > 20
        assert of[0][:shared].tolist() == of[1][:shared].tolist()


def test_drawn_users_are_like_those_of_the_log():
    """Jobs, sessions, the week and the working day of the log come back, within sampling."""
    trace = sample(users=12)
    recorded = delimit(trace)
    drawn = generate(tt.MachineSpec(10_000), sources.drawn(trace, seed=1))
    assert len(drawn.result) == pytest.approx(len(trace), rel=0.25)
    assert drawn.session.max() + 1 == pytest.approx(len(recorded.sessions), rel=0.25)
    hour = drawn.result["submit"] / HOUR % 24
    assert ((hour >= 8) & (hour < 19)).mean() > 0.9
    assert (drawn.result["submit"] / DAY % 7 < 5).mean() > 0.9


def test_jobs_of_a_batch_keep_their_offsets_and_sessions_their_users():
    """Every session belongs to one user; within a batch of two, the second job comes 5 s after the first."""
    drawn = generate(tt.MachineSpec(10_000), sources.drawn(sample(), seed=1))
    user = drawn.result["user"]
    for session in range(int(drawn.session.max()) + 1):
        assert len(np.unique(user[drawn.session == session])) == 1
    submit = drawn.result["submit"][user == user[0]]
    gaps = np.diff(submit)
    assert (gaps == 5).any()
    assert not ((gaps > 0) & (gaps < 5)).any()


def test_think_times_are_those_of_the_user():
    """What passes between batches of a session was drawn from the think times of the log."""
    trace = sample()
    seen = delimit(trace)
    thinks = np.unique(seen.think_time[seen.continues])
    result = generative_users(trace, "easy", 32, seed=2)
    known = np.unique(result["think_time"][result["think_time"] < HOUR / 2])
    known = known[np.isin(known, np.round(known))]  # breaks are not whole seconds
    assert len(known) > 20
    assert np.isin(known, thinks).mean() > 0.95


def test_users_drawn_from_fits_are_the_same_under_every_policy():
    """Identical logs where no job waits; the same jobs in the same order where they do."""
    trace = sample()
    results = [generative_users(trace, policy, 10_000, seed=3, draw="fitted") for policy in POLICIES[::2]]
    for result in results:
        for column in ("id", "user", "submit", "end", "runtime", "estimate", "processors", "think_time"):
            assert np.array_equal(result[column], results[0][column], equal_nan=True)
    small = generative_users(trace, "easy", 3, seed=3, draw="fitted")
    assert small.summary()["mean_wait"] > 100
    for user in range(1, 9):
        of = [result["runtime"][result.labels("user") == user] for result in (results[0], small)]
        shared = min(map(len, of))
        assert shared > 20
        assert of[0][:shared].tolist() == of[1][:shared].tolist()
    plain = generative_users(trace, "easy", 10_000, seed=3)
    assert not np.array_equal(plain["runtime"][:100], results[0]["runtime"][:100])


def test_users_drawn_from_fits_are_like_those_of_the_log():
    """As many jobs, and no run time, batch or estimate beyond what was seen; run times between the log's."""
    trace = sample(users=12)
    result = generative_users(trace, "easy", 10_000, seed=1, draw="fitted")
    assert len(result) == pytest.approx(len(trace), rel=0.3)
    assert result["runtime"].mean() == pytest.approx(trace.runtime.mean(), rel=0.15)
    assert trace.runtime.min() - 0.001 <= result["runtime"].min()
    assert result["runtime"].max() <= trace.runtime.max()
    assert result["estimate"].max() <= trace.estimate.max()
    assert (result["estimate"] >= result["runtime"]).all()
    assert not np.isin(result["runtime"], trace.runtime).all()


def test_users_of_few_jobs_can_be_drawn_from_fits():
    """Users of one to three jobs, beside one of many and alone."""
    few = [(2, 5.0, 50.0), (3, 7.0, 20.0), (3, 60.0, 90.0), *[(4, 9.0 + k * DAY, 70.0 + k * DAY) for k in range(3)]]
    many = [(1, 200.0 * k, 200.0 * k + 10 + k) for k in range(60)]
    for jobs, users in ((many + few, 4), (few, 3), (few[:1], 1)):
        result = generative_users(log(jobs), "easy", 4, seed=1, draw="fitted")
        assert len(np.unique(result["user"])) == users
        assert result["runtime"].max() <= 70


def test_what_users_cannot_be_drawn_from():
    """Users are drawn from samples or fits, and from nothing else."""
    with pytest.raises(ValueError, match="samples, fitted"):
        generative_users(sample(2, 1), "easy", 4, draw="normal")


def test_more_users_more_load():
    """Twice as many users submit about twice as many jobs; the second copy has a name of its own."""
    trace = sample()
    one, two = (generative_users(trace, "easy", 10_000, seed=1, population=load) for load in (1, 2))
    assert len(two) == pytest.approx(2 * len(one), rel=0.2)
    assert "7.2" in two.names["user"]
    assert 7 in two.names["user"]


def test_what_users_are_fitted_to():
    """A fit knows a user's sessions, batches, think times and breaks."""
    trace = log([(1, 0, 50), (1, 20, 100), (1, 200, 300), (1, DAY, DAY + 10), (-1, 5, 6)])
    (user,) = fit_users(trace, delimit(trace)).users
    assert (user.user, user.first, user.last) == (1, 0, DAY)
    assert user.batches_per_session.tolist() == [2, 1]
    assert user.think_times.tolist() == [100]
    assert user.offset.tolist() == [0, 20, 0, 0]
    assert user.overlaps.tolist() == [False]
    assert len(user.breaks) == 1


@pytest.mark.parametrize(("column", "message"), [("wait", "no waits"), ("user", "none of its jobs")])
def test_logs_that_do_not_say_enough_are_refused(column, message):
    """Logs without waits or without users are refused."""
    trace = log([(1, 0, 50), (2, 9, 10)])
    trace = trace.with_columns(**{column: [np.nan if column == "wait" else -1] * 2})
    with pytest.raises(ValueError, match=message):
        generative_users(trace, "easy", 4)


def test_the_recorded_schedule_says_nothing_of_drawn_users():
    """The recorded schedule is refused for drawn users."""
    with pytest.raises(ValueError, match="drawn users"):
        generative_users(log([(1, 0, 50)]), "recorded", 4)


def test_resampled_users_keep_what_they_did_by_weeks():
    """Each user of the drawn log did what one of the log did, a whole number of weeks apart, inside the log's time."""
    trace = sample(users=5, weeks=8).between(0, 8 * WEEK)
    drawn = resample(trace, 7)
    assert len(np.unique(drawn.user)) == 5
    of = {user: trace.users(user) for user in range(1, 6)}
    for user in range(1, 6):
        mine = drawn.users(user)
        same = [o for o in of.values() if sorted(o.runtime.tolist()) == sorted(mine.runtime.tolist())]
        assert len(same) == 1
        jobs = [set(zip(each.runtime, each.submit % WEEK, strict=True)) for each in (mine, same[0])]
        assert jobs[0] == jobs[1]
    assert drawn.submit[0] >= trace.submit[0]
    assert drawn.submit[-1] <= trace.submit[0] + 8 * WEEK
    assert drawn.equals(resample(trace, 7))
    assert not drawn.equals(resample(trace, 8))


def test_all_users_come_equally_often_without_replacement():
    """Users are drawn equally often, without replacement."""
    trace = sample(users=6, weeks=2)
    assert len(resample(trace, 1, population=2, replace=False)) == 2 * len(trace)
    half = resample(trace, 1, population=0.5, replace=False)
    assert len(np.unique(half.user)) == 3


def test_a_log_without_users_cannot_be_resampled():
    """A log without users cannot be resampled."""
    with pytest.raises(ValueError, match="none of its jobs names a user"):
        resample(log([(-1, 0, 5)]), 1)
