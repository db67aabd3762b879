"""Populations that grow and shrink."""

import numpy as np
import pytest
import simpy
from scipy import stats

import thinktime as tt
from tests.users.behaviours.behaving import BUSY
from thinktime.users import turnover


def run(policy="easy", until=1000.0, size=10_000, profile=None, **options):
    env = simpy.Environment()
    machine = tt.Machine(env, size, policy)
    plain = tt.Profile(runtime=1, jobs=1, think_time=9)
    env.process(turnover(env, machine, profile or plain, 1, **options))
    env.run(until=until)
    return machine.result()


def active(result, times):
    """How many users have their last submission after, and their first before, each time."""
    users = result.jobs.groupby("user")["submit"].agg(["min", "max"])
    return [int(((users["min"] <= t) & (users["max"] >= t)).sum()) for t in times]


def test_it_grows_without_leaving():
    """Without leaving, a population grows by one user every 100 s."""
    result = run(between=100, start=2)
    assert active(result, [1, 150, 550, 950]) == [2, 3, 7, 11]
    assert result.names["user"][:3] == ["user 1", "user 2", "user 3"]


def test_it_shrinks_without_coming():
    """Without coming, all users have left after 300 s."""
    result = run(start=5, stay=300)
    assert len(result) == 5 * 31 and result["submit"].max() == 300


def test_it_stops_growing():
    """No user comes after ``until``."""
    assert len(run(between=100, until=1000.0).names["user"]) == 9
    env = simpy.Environment()
    machine = tt.Machine(env, 4)
    env.process(turnover(env, machine, tt.Profile(runtime=1, jobs=1, think_time=1), 1, between=10, stay=5, until=45))
    env.run()
    assert machine.result().names["user"] == [f"user {k}" for k in range(1, 5)]


@pytest.mark.compiled
def test_its_size_tends_to_littles_law():
    """Users who come every 50 s and stay for 1000 s are 20 on average."""
    slow = tt.Profile(runtime=1, jobs=1, think_time=199)
    result = run(until=30_000, between=stats.expon(scale=50), stay=stats.expon(scale=1000), profile=slow)
    assert np.mean(active(result, np.arange(5_000, 28_000, 100))) == pytest.approx(20, rel=0.1)


def test_the_same_users_under_every_policy():
    """Who comes when and wants what depends on the seed alone."""
    options = {"between": stats.expon(scale=4000), "stay": stats.expon(scale=20_000), "start": 3, "profile": BUSY}
    results = [run(policy, until=tt.DAY, size=8, **options) for policy in ("fcfs", "conservative")]
    for user in ("user 1", "user 4", "user 9"):
        drawn = [result["runtime"][result.labels("user") == user] for result in results]
        common = min(map(len, drawn))
        assert common > 2 and (drawn[0][:common] == drawn[1][:common]).all()


def test_profiles_by_number():
    """Profiles may depend on the user's number."""
    kinds = [tt.Profile(runtime=1, jobs=1, think_time=9, processors=p) for p in (1, 5)]
    result = run(start=4, until=5, profile=lambda number: kinds[number % 2])
    assert result["processors"].tolist() == [5, 1, 5, 1]


def test_a_wrong_start_is_refused():
    """A start with half a user is refused."""
    with pytest.raises(ValueError, match="start must be a whole number of users"):
        run(start=0.5)
