"""What users do that their hazards do not explain: logs in which they do one thing, and logs in which they do not.

How often something is found where nothing is, in 60 logs of each kind, is printed by ``pytest -s -m thorough
tests/workloads/calibration/test_beyond.py``.
"""

from dataclasses import replace

import numpy as np
import pytest

import thinktime as tt
from tests.how_many import few_or_many
from tests.workloads.calibration.users_of_logs import by_the_clock, in_parts, jobs, unseeing, waiting
from thinktime.workloads.calibration import beyond
from thinktime.workloads.calibration.beyond import _Expected
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.fit import Fitting
from thinktime.workloads.calibration.pieces import pieces_of
from thinktime.workloads.calibration.tables import HALF
from thinktime.workloads.units import DAY, HOUR, MINUTE


def lacks(log):
    """What is found in a log."""
    return tt.calibrate(log, score=False).lacks


def in_turns(seed, pairs=2, batches=110):
    """Pairs of users, each of whom submits when the other's job is over, after some thought."""
    rng, shape = np.random.default_rng(seed), (pairs, batches)
    runtime, think = np.ceil(rng.lognormal(np.log(HOUR), 1.0, shape)), rng.lognormal(np.log(20 * MINUTE), 0.7, shape)
    submit = rng.uniform(0, DAY, (pairs, 1)) + np.cumsum(runtime + think, axis=1) - runtime
    user = 2 * np.arange(pairs)[:, None] + np.arange(batches) % 2
    return jobs(np.round(submit), np.zeros(shape), runtime, user.ravel(), rng)


def pipelined(seed, users=4, batches=80):
    """Users with two jobs under way, who submit the next one when they have thought about the one before the last."""
    rng, shape = np.random.default_rng(seed), (users, batches)
    runtime, think = (
        np.ceil(rng.lognormal(np.log(2 * HOUR), 0.5, shape)),
        rng.lognormal(np.log(30 * MINUTE), 0.5, shape),
    )
    submit = np.zeros(shape)
    for number in range(2, batches):
        over = submit[:, number - 2] + runtime[:, number - 2]
        submit[:, number] = np.maximum(over + think[:, number], submit[:, number - 1] + 2 * MINUTE)
    return jobs(np.round(submit), np.zeros(shape), runtime, np.repeat(np.arange(users), batches), rng)


def on_some_days(seed, users=8, days=60):
    """Users who do nothing but submit, three times as often on every third day or so."""
    rng = np.random.default_rng(seed)
    rate = np.where(rng.random(days) < 1 / 3, 18.0, 6.0)
    count = rng.poisson(rate, (users, days))
    submit = np.sort(np.repeat(np.tile(np.arange(days), users), count.ravel()) * DAY + rng.uniform(0, DAY, count.sum()))
    user, shape = rng.integers(0, users, len(submit)), (1, len(submit))
    return jobs(np.round(submit).reshape(shape), np.zeros(shape), np.full(shape, 60.0), user, rng)


def seeing_the_queue(seed, looks=True, users=3, days=20):
    """Users who look at a queue, which others' jobs make, every quarter of an hour, and submit if it is short."""
    rng = np.random.default_rng(seed)
    begins = np.sort(rng.uniform(0, days * DAY, 4 * days))
    lasts = rng.uniform(HOUR, 6 * HOUR, len(begins))
    found = [
        (np.repeat(begins, 10), np.repeat(lasts, 10), np.full(10 * len(begins), 60.0), np.full(10 * len(begins), -1))
    ]
    for user in range(users):
        now, own = rng.uniform(0, DAY), []
        while now < days * DAY:
            while looks and ((begins < now) & (begins + lasts > now)).any():
                now += 15 * MINUTE
            own.append(now)
            now += 10 * MINUTE + rng.lognormal(np.log(2 * HOUR), 1.0)
        found.append((np.array(own), np.zeros(len(own)), np.full(len(own), 10 * MINUTE), np.full(len(own), user)))
    submit, wait, runtime, user = (np.round(np.concatenate(each)) for each in zip(*found, strict=True))
    return jobs(submit[None], wait[None], runtime[None], user.astype(int), rng)


def test_users_who_look_at_the_queue():
    """Who submits when few jobs wait is found, and who does so at the same speed whatever waits is not."""
    users = tt.calibrate(seeing_the_queue(1, days=12), score=False)
    assert "queue" in users.lacks
    assert users.beyond["queue"].size < -0.1
    assert "queue" not in lacks(seeing_the_queue(1, looks=False, days=12))


def test_users_who_wait_for_each_other():
    """Both of each pair are found; of pairs whose turns are their own, nobody is."""
    log = in_turns(1)
    users = tt.calibrate(log, score=False)
    assert users.beyond["others"].size == 4
    said = "users submit after others' results, beyond their model: the log does not say what that comes to under other"
    assert f"{said} policies" in tt.run(tt.MachineSpec(6, "easy"), tt.sources.calibrated(log, users)).notes
    alone = tt.calibrate(log.with_columns(user=log.user // 2), score=False)
    assert "others" not in alone.lacks


def test_days_on_which_all_users_are_busier():
    """The factors 6 and 18 differ by half of their mean; that is what is found."""
    users = tt.calibrate(on_some_days(1), score=False)
    assert "days" in users.lacks
    assert users.beyond["days"].size == pytest.approx(0.5, abs=0.15)


def test_users_who_go_on_with_a_part_of_their_results():
    """Who goes on after four jobs of six is found; who waits for the last one, or for none, is not."""
    users = tt.calibrate(in_parts(1), score=False)
    assert "parts" in users.lacks
    assert users.beyond["parts"].size > 1.2
    assert users.beyond["parts"].errors > 5
    assert "parts" not in lacks(in_parts(1, part=6, batches=30))


def test_users_with_two_jobs_under_way():
    """No product of factors says that a result is waited for while another job runs."""
    assert "residuals" in lacks(pipelined(1))


def test_sums_are_those_of_the_hazards():
    """Points lie within their gaps and weigh what the integral is, so users are expected to do what they did."""
    log = waiting(3)
    calendar = Calendar.of_log(log)
    pieces, count = pieces_of(log, calendar), len(np.unique(log.user))
    fitting = Fitting(pieces, count)
    found = fitting.chosen()[0]
    expected = _Expected(fitting, found)
    assert np.bincount(expected.gap, expected.weight) == pytest.approx(fitting.residuals(found.eta(fitting.rows)))
    gap = expected.gap
    assert ((expected.since[gap] <= expected.time) & (expected.time <= pieces.submit[gap] + HALF)).all()
    here, there = expected.sums(np.ones(len(expected.at)), np.ones(len(expected.time)))
    assert there.sum() == pytest.approx(here.sum(), rel=0.02)
    finer = expected.sums(expected.at, expected.time)
    assert finer[1].sum() == pytest.approx(finer[0].sum(), rel=0.05)


@pytest.mark.parametrize("logs", few_or_many(1, 60))
def test_nothing_is_found_where_nothing_is(logs):
    """Users of the model itself: who wait, who look at nothing, and programs; in no more than 1 % of logs."""
    found = [lacks(made(seed)) for seed in range(logs) for made in (waiting, unseeing, by_the_clock)]
    print(f"something that the model lacks: {sum(map(bool, found))} of {len(found)} logs")
    assert sum(map(bool, found)) <= len(found) // 100


def test_few_users_and_more_than_are_compared(monkeypatch):
    """One user with few batches: nothing is clear, and nothing fails; nor does it for more users than are compared."""
    submit = np.arange(12) * HOUR * np.array([1.0, 1.3] * 6)
    one = jobs(
        np.sort(submit)[None], np.zeros((1, 12)), np.full((1, 12), 60.0), np.zeros(12, int), np.random.default_rng(1)
    )
    users = tt.calibrate(one, score=False)
    assert users.lacks == () and set(users.beyond) == {"queue", "others", "parts", "days", "residuals"}
    monkeypatch.setattr(beyond, "BUSIEST", 2)
    assert tt.calibrate(in_turns(1), score=False).beyond["others"].size <= 2
    assert replace(users, beyond={}).lacks == ()
