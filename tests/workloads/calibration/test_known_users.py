"""Users who are known: in which class a fit puts them, and what they do then under another policy."""

from functools import cache

import numpy as np
import pytest
from scipy import stats
from threadpoolctl import threadpool_info, threadpool_limits

import thinktime as tt
from tests.how_many import few_or_many
from tests.workloads.calibration.users_of_logs import (
    PROCESSORS,
    by_the_clock,
    log_of,
    looking,
    merged,
    unseeing,
    waiting,
)  # fmt: skip
from thinktime.users.calibrated import residuals
from thinktime.workloads.calibration import calibrate
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.effects import BLIND, REACTING
from thinktime.workloads.calibration.fit import CLEARLY, Classes, Fitting
from thinktime.workloads.calibration.fitted import FittedUsers
from thinktime.workloads.calibration.pieces import pieces_of
from thinktime.workloads.calibration.tables import RESPONSES, TOGETHER
from thinktime.workloads.calibration.withdrawals import fit_withdrawals
from thinktime.workloads.units import HOUR

NARROW = tt.MachineSpec(PROCESSORS, "fcfs")
"""A machine on which jobs wait for other times than in the logs."""

calibrated = cache(lambda make, *given: tt.calibrate(make(*given), score=False))


def effects(users):
    """Of each class, what it depends on."""
    return [(each.structure, set(each.effects)) for each in users.classes]


def test_users_who_only_wait():
    """All look at results and wait, and neither responses nor the clock nor the queue are said to matter."""
    users = calibrated(waiting, 0)
    assert users.reacts.all() and users.waits[:, 0].all() and not users.clockwork.any()
    assert effects(users) == [(REACTING, {"age", "end"})]
    assert users.evidence["reacting"] > users.evidence["blind"] + 50.0


@pytest.mark.parametrize(("times", "kept"), [(6.0, True), (1 / 6, False)])
def test_a_queue_keeps_users_away_or_does_nothing(times, kept):
    """Who thinks longer while many jobs wait is known for it; who comes sooner then is not drawn by the queue."""
    log = looking(0, times)
    fitting = Fitting(pieces_of(log, Calendar.of_log(log)), len(np.unique(log.user)) - 1 + int((log.user < 0).sum()))
    found = fitting.fit(REACTING, ("age", "end", "queue"), np.ones(fitting.users, bool))
    assert (found.slope("queue") < -0.1) if kept else (found.slope("queue") > 0.1)
    assert found.model.needed(found.data, "queue") > CLEARLY
    assert ("queue" in fitting.less(found).effects) == kept


@pytest.mark.parametrize("processors", [4, 7, 20])
def test_users_who_wait_and_think_are_as_with_feedback(processors):
    """If the time since the end alone is fitted, a replay is that with feedback, to the second."""
    log, machine = waiting(0), tt.MachineSpec(processors, "easy")
    pieces, everybody = pieces_of(log, Calendar.of_log(log)), np.ones(8, bool)
    fitting = Fitting(pieces, 8)
    (own,) = Classes((fitting.fit(REACTING, ("end",), everybody),), ~everybody).hazards
    users = FittedUsers(own.found.tables(), np.zeros(8, int), own.found.level(fitting.waits), Calendar.of_log(log))
    assert fitting.waits[:, 0].all()
    found = tt.run(machine, tt.sources.calibrated(log, users))
    expected = tt.run(machine, tt.sources.feedback(log, "arrival", TOGETHER))
    assert found["submit"].tolist() == expected["submit"].tolist() != log.submit.tolist()


def test_users_who_wait_are_near_feedback():
    """With what the log asks for, submissions are within minutes, and mean waits within 3 %."""
    log, users = waiting(0), calibrated(waiting, 0)
    found = tt.run(NARROW, tt.sources.calibrated(log, users))
    expected = tt.run(NARROW, tt.sources.feedback(log, "arrival", TOGETHER))
    open_ = tt.run(NARROW, tt.sources.log(log))
    wait, fed, fixed = ((each["start"] - each["submit"]).mean() for each in (found, expected, open_))
    assert abs(np.log(wait / fed)) < 0.03 < abs(np.log(fixed / fed))


def test_users_who_look_at_nothing():
    """They are known as such, and submit at their recorded times, whatever becomes of their jobs."""
    users, log = calibrated(unseeing, 1), unseeing(1)
    assert not users.reacts.any() and not users.clockwork.any()
    assert [each for each, _ in effects(users)] == [BLIND]
    for machine in (NARROW, tt.MachineSpec(40, "easy")):
        result = tt.run(machine, tt.sources.calibrated(log, users))
        assert result["submit"].tolist() == log.submit.tolist()
        assert (result["start"] - result["submit"] != log.wait).any()


def test_programs_that_submit_every_hour():
    """They are known for it, and go on as they did with new luck as well."""
    log, users = by_the_clock(0), calibrated(by_the_clock, 0)
    assert users.clockwork.all() and not users.reacts.any()
    assert set(users.evidence) == {"clockwork"}
    for luck in ("kept", "new"):
        result = tt.run(NARROW, tt.sources.calibrated(log, users, luck=luck))
        assert result["submit"].tolist() == log.submit.tolist()


def test_programs_and_users_who_wait():
    """Each is of the right class; under another policy, the ones submit as recorded, and the others later."""
    log = merged(by_the_clock(0), waiting(0))
    users = tt.calibrate(log, score=False)
    assert users.names[users.clockwork].tolist() == [200, 201, 202, 203]
    assert users.names[users.reacts].tolist() == list(range(100, 108))
    assert users.waits[users.reacts, 0].all()
    result = tt.run(NARROW, tt.sources.calibrated(log, users))
    program = log.user >= 200
    assert result["submit"][program].tolist() == log.submit[program].tolist()
    assert (result["submit"] != log.submit)[~program].mean() > 0.5


@pytest.mark.parametrize("seed", few_or_many(0, 1))
def test_users_who_look_at_nothing_and_users_who_wait(seed):
    """Who waits is known; nearly all of the others submit as recorded."""
    users = tt.calibrate(merged(unseeing(seed), waiting(seed)), score=False)
    assert users.waits[users.names >= 100, 0].all() and users.reacts[users.names >= 100].all()
    assert not (users.waits[:, 0] & users.reacts)[users.names < 100].any()


# -- simulate, and fit again -----------------------------------------------------------------------------------


def test_new_luck_has_the_hazards_that_were_given():
    """Residuals of what was simulated are exponential, and a new fit has the same effects within its intervals.

    Pauses are the longer the longer the response was, which users of the log do not show.
    """
    log, names = waiting(3, 10, 60), ("age", "end", "response")
    calendar, everybody = Calendar.of_log(log), np.ones(10, bool)
    fitting = Fitting(pieces_of(log, calendar), 10)
    one = fitting.fit(REACTING, names, everybody).found
    values = one.values.copy()
    values[one.places["response"]] -= np.tile(np.linspace(-1.5, 1.5, len(RESPONSES) + 1), REACTING.kinds)
    values[1:][one.zero] = -np.inf
    users = FittedUsers(one.tables(values), np.zeros(10, int), one.level(fitting.waits), calendar)
    new = log_of(tt.run(tt.MachineSpec(PROCESSORS, "easy"), tt.sources.calibrated(log, users, luck="new", seed=3)))
    kept = residuals(new, users)
    assert stats.kstest(kept[~np.isnan(kept)], "expon").pvalue > 1e-2
    assert stats.kstest(1.15 * kept[~np.isnan(kept)], "expon").pvalue < 1e-2  # so it would be seen
    again = Fitting(pieces_of(new, calendar), 10)
    fit = again.fit(REACTING, names, everybody)
    other, refitted = fit.found, again.residuals(Classes((fit,), ~everybody).eta(again.rows))
    assert stats.kstest(refitted, "expon").pvalue > 1e-2
    assert again.waits[:, 0].all()
    for effect in ("end", "response"):
        place = other.places[effect]
        part = slice(place.start - 1, place.stop - 1)
        known = np.flatnonzero((other.expected[part] > 10) & ~other.zero[part] & ~one.zero[part])
        turn = np.eye(len(known)) - 1 / len(known)  # what is common to all is the mean's
        truth, found = (turn @ each[place][known] for each in (values, other.values))
        spread = np.sqrt(np.diag(turn @ other.covariance[place, place][np.ix_(known, known)] @ turn))
        assert len(known) >= 4 and (np.abs(found - truth) < 1.96 * spread).mean() >= 0.75, effect
        assert np.corrcoef(found, truth)[0, 1] > 0.8, effect


def test_times_of_new_luck_are_other_times():
    """And as many submissions, over about as long."""
    log, users = waiting(0), calibrated(waiting, 0)
    result = tt.run(NARROW, tt.sources.calibrated(log, users, luck="new", seed=1))
    assert len(result) == len(log) and (result["submit"] != log.submit).mean() > 0.9
    assert np.ptp(result["submit"]) == pytest.approx(np.ptp(log.submit), rel=0.5)
    assert np.ptp(result["submit"]) > HOUR


def test_linear_algebra_has_one_thread_in_a_fit(monkeypatch):
    """And as many as before after it."""
    seen = []

    def spied(trace, users):
        seen.extend(each["num_threads"] for each in threadpool_info())
        return fit_withdrawals(trace, users)

    monkeypatch.setattr(calibrate, "fit_withdrawals", spied)
    with threadpool_limits(2, "blas"):
        before = [each["num_threads"] for each in threadpool_info()]
        tt.calibrate(waiting(0, 2, 12), score=False)
        assert [each["num_threads"] for each in threadpool_info()] == before
    assert max(before) == 2
    assert seen and set(seen) == {1}
