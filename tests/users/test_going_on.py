"""The users of a log, begun in the middle."""

from typing import Any

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.models.machine.cuts import taking
from thinktime.users.going_on import GoingOn, UsersGoingOn
from thinktime.users.past_weeks import PastWeek
from thinktime.workloads.run_times import RunTimes

NOW = 40_000.0


def _log(seed: int = 1, later: float = 0.0) -> tt.Trace:
    """Users 1 and 2 submit one job after the other and pause for some minutes; user 3 has gone away."""
    rows = []
    for user in (1, 2, 3):
        rng = np.random.default_rng([seed, user])
        time = float(rng.integers(0, 500))
        while time < (2 * NOW if user < 3 else 9000):
            wait, run = 0.0, float(rng.integers(10, 900))
            run += later if time + wait + run > NOW else 0.0
            rows.append((time, wait, run, user))
            time += wait + run + float(rng.integers(60, 1800)) + (later if time > NOW else 0.0)
    submit, wait, run, user = np.array(sorted(rows)).T
    asked = np.full(len(rows), 3600.0)
    return tt.Trace(
        {"submit": submit, "wait": wait, "runtime": run, "allocated": np.ones(len(rows), int),
         "requested_time": asked, "user": user.astype(int)}
    )  # fmt: skip


def _state(log: tt.Trace, policy: str = "easy") -> tt.MachineState:
    states: list[tt.MachineState] = []
    tt.run(tt.MachineSpec(4, policy), log, taking([NOW], states), until=NOW + 1)
    return states[0].without_arrivals()


def _rest(log: tt.Trace, draw: int, state: tt.MachineState, until: float = NOW + 20_000) -> tt.Result:
    return tt.run(tt.MachineSpec(begin=state), UsersGoingOn(GoingOn(log, NOW), (5, draw)), until=until)


def _came(result: tt.Result) -> list[tuple[float, Any, float]]:
    later = result["submit"] > NOW
    names = result.names["user"]
    rows = zip(*(result[name][later].tolist() for name in ("submit", "user", "runtime")), strict=True)
    return [(submit, names[user], runtime) for submit, user, runtime in rows]


def test_nothing_later_is_used() -> None:
    """Two logs that differ after now have users who do the same."""
    state = _state(_log())
    assert _came(_rest(_log(), 0, state)) == _came(_rest(_log(later=5000.0), 0, state)) != []


def test_users_come_again_and_have_other_luck_in_other_draws() -> None:
    """Both users go on, about as often as before; who has gone away does not come back within hours."""
    log, state = _log(), _state(_log())
    came = [_came(_rest(log, draw, state)) for draw in range(4)]
    assert all({user for _, user, _ in each} == {1, 2} for each in came)
    assert len({tuple(each) for each in came}) == 4
    as_before = (log.submit < NOW).sum() * 20_000 / NOW
    assert np.mean([len(each) for each in came]) == pytest.approx(as_before, rel=0.3)


def test_users_come_back_to_an_empty_machine() -> None:
    """A state without a job is one to go on from: user 2 thinks, user 1 has a job in the log, and user 3 is away."""
    log = _log()
    state = tt.Machine(simpy.Environment(NOW), 4).state()
    assert {user for _, user, _ in _came(_rest(log, 0, state))} == {2}


def test_who_has_jobs_in_the_machine_waits_for_them() -> None:
    """No user of this log ever submitted before all was over, so none does now."""
    log = _log()
    state = _state(log)
    for draw in range(5):
        result = _rest(log, draw, state)
        for code in range(2):
            mine = result["user"] == code
            submit, end = result["submit"][mine], np.nan_to_num(result["end"][mine], nan=np.inf)
            order = np.argsort(submit, kind="stable")
            assert (submit[order][1:] >= end[order][:-1]).all()


def test_who_thinks_has_thought_for_some_time() -> None:
    """The pause is one of those like it that are longer than it is now, each as likely as the user's ranks say."""
    of = GoingOn(_log(), NOW)
    pauses = of.pauses
    wall, response = of.clock.wall(NOW - 700), 400.0
    like = pauses.like(wall, response)
    law = pauses.beyond(wall, response, 700.0, np.array([0.0, 0.999, 0.999]))
    (part,) = law.parts
    assert part.times.tolist() == like[like > 700].tolist()
    n = len(like)
    chances = np.full(len(part.times), 1 / n)
    chances[-1] += 2
    assert np.diff(part.share, prepend=0.0) == pytest.approx(chances / chances.sum())
    for label, time in of.comes_back(np.random.default_rng(1).random(of.thinking), {}):
        assert label in (1, 2, 3)
        assert time > 0


def test_laws_that_are_known_are_those_of_the_log() -> None:
    """Run times of jobs that are not over are found once, if what is known is of the same jobs, and only then."""
    log = _log()
    own, same = GoingOn(log, NOW), RunTimes.of(log, NOW)
    job = int(np.flatnonzero(~own.over)[0])
    assert GoingOn(log, NOW, same).law(job) is GoingOn(log, NOW, same).law(job)
    assert same.is_as(RunTimes.of(own.log, NOW))
    luck = np.linspace(0.0, 1.0, 9)
    for known in (same, RunTimes.of(log, NOW / 2)):
        found = GoingOn(log, NOW, known).law(job).quantile(luck)
        assert np.array_equal(found, own.law(job).quantile(luck))


def test_absences_without_an_end_may_go_on() -> None:
    """User 3 has been away for longer than any user ever was: the user does not come back."""
    of = GoingOn(_log(), NOW)
    found = dict(of.comes_back(np.full(of.thinking, 0.5), {}))
    assert found[3] == np.inf


def test_overlaps_are_those_of_the_log() -> None:
    """A user who submits every two hours whatever happens goes on so, also before the first job is over."""
    n = 30
    log = tt.Trace(
        {"submit": np.arange(n) * 7200.0, "wait": np.zeros(n), "runtime": np.full(n, 10_000.0), "user": np.ones(n, int),
         "allocated": np.ones(n, int), "requested_time": np.full(n, 20_000.0)}
    )  # fmt: skip
    now = 20 * 7200.0 + 600
    states: list[tt.MachineState] = []
    tt.run(tt.MachineSpec(4), log, taking([now], states), until=now + 1)
    state = states[0].without_arrivals()
    of = GoingOn(log, now)
    assert of.habits[1].overlap > 0.9
    result = tt.run(tt.MachineSpec(begin=state), UsersGoingOn(of, 1), until=now + 40_000)
    came = result["submit"][result["submit"] > now]
    assert came[0] == now - 600 + 7200
    assert len(came) in (4, 5, 6)


def test_a_past_week_comes_at_the_same_time_of_the_week() -> None:
    """Every job of a week comes a whole number of weeks later, and none that came after now."""
    week = 7 * 86_400.0
    submit = np.arange(0, 3.5 * week, 5000.0)
    ones = np.ones(len(submit), int)
    log = tt.Trace({"submit": submit, "wait": 0 * submit, "runtime": ones * 60, "allocated": ones, "user": ones})
    for seed in range(4):
        now = 2.9 * week
        env = simpy.Environment(now)
        machine = tt.Machine(env, 4)
        PastWeek(log, now, 2 * 86_400.0, seed).begin(env, machine)
        env.run(now + 3 * 86_400)
        came = machine.result()["submit"]
        assert len(came) in (34, 35)
        assert (came > now - 1).all()
        back = np.unique((came[:, None] - np.arange(1, 3) * week) % 5000.0 == 0, axis=0)
        assert back.any(axis=1).all()


def test_without_users_no_user_goes_on() -> None:
    """A log that names no user is refused with a sentence."""
    with pytest.raises(ValueError, match="does not say who submitted"):
        GoingOn(tt.Trace({"submit": [0], "wait": [0], "runtime": [5], "allocated": [1]}), 10.0)
