"""Logs that say little: a sentence, or a result that is no more sure than it may be."""

import numpy as np
import pytest

import thinktime as tt
from tests.users.calibrated.fitting import busy_log
from tests.workloads.calibration.users_of_logs import unseeing, waiting
from thinktime.analysis.calibration import report
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.calibrate import LEAST
from thinktime.workloads.calibration.effects import REACTING
from thinktime.workloads.calibration.fit import Fitting
from thinktime.workloads.calibration.pieces import pieces_of
from thinktime.workloads.header import Header
from thinktime.workloads.units import DAY, HOUR, WEEK


def first(log, jobs):
    """The first jobs of a log."""
    return log.select(np.arange(len(log)) < jobs)


@pytest.mark.parametrize(
    ("log", "says"),
    [
        (first(busy_log(1), 0), "does not say who submitted its jobs"),
        (busy_log(1).with_columns(user=np.full(60, -1)), "does not say who submitted its jobs"),
        (busy_log(1).with_columns(wait=np.full(60, np.nan)), "the log has no waits"),
        (first(waiting(0, 1), LEAST), f"only {LEAST - 1} times in this log, and a fit needs {LEAST} times"),
        (busy_log(1).with_columns(user=np.arange(60)), "submit again only 0 times"),
    ],
    ids=["empty", "no users", "no waits", "nine gaps", "each user once"],
)
def test_what_cannot_be_fitted(log, says):
    """It is said in one sentence."""
    with pytest.raises(ValueError, match=says) as caught:
        tt.calibrate(log)
    assert "\n" not in str(caught.value)


def assert_modest(log, users, reacts=None):
    """Numbers are numbers, intervals hold their values, the log comes back, and every word can be said."""
    for of in users.classes:
        assert np.isfinite(of.values).all() and np.isfinite(of.covariance).all() and np.isfinite(of.levels).all()
        assert np.linalg.eigvalsh(of.covariance).min() > -1e-9 and (of.level_precision > 0).all()
        for effect in of.effects:
            curve = report.curve(of, effect)
            assert (curve.low <= curve.value).all() and (curve.value <= curve.high).all()
            assert 0.0 <= of.free(effect) <= 1.0
    assert all("nan" not in each for each in report.verdict(users))
    assert all("nan" not in each for each in [report.residuals_in_words(users)])
    result = tt.run(tt.MachineSpec(9999, "recorded"), tt.sources.calibrated(log, users))
    assert result["submit"].tolist() == log.submit.tolist()
    drawn = users.of(log, 1)
    drawn.check(log)
    if reacts is not None:
        assert users.reacts.any() == reacts


def test_ten_gaps():
    """The fewest that are fitted: no effect of what users saw is found, and nothing is sure."""
    log = first(waiting(0, 1), LEAST + 1)
    users = tt.calibrate(log)
    assert_modest(log, users)
    assert users.gaps == LEAST and not users.scores
    for of in users.classes:
        assert set(of.effects) <= {"age", "end"}
        assert np.sqrt(of.covariance[0, 0] + 1 / of.level_precision.max()) > 1 / np.sqrt(LEAST) / 2


def test_one_user():
    """A log of one user is fitted."""
    log = waiting(2, 1, 60)
    users = tt.calibrate(log)
    assert users.names.tolist() == [100]
    assert_modest(log, users)


def test_a_week():
    """Of a few users: free days are hardly told from others, and the effect says so."""
    log = first(unseeing(4), 100)
    assert np.ptp(log.submit) < WEEK
    users = tt.calibrate(log, score=False)
    assert_modest(log, users, reacts=False)
    assert all(of.free("clock") < 0.3 for of in users.classes if "clock" in of.effects)


def test_users_who_are_silent_after_a_date():
    """Gaps that no submission ends are left out; nothing is held out if the rest of the log has too few."""
    log = waiting(5)
    log = log.select((log.submit < 2 * DAY) | (log.user == 100) & (log.submit > log.submit[-1] - DAY))
    users = tt.calibrate(log)
    assert_modest(log, users)
    assert users.gaps < len(log)


@pytest.mark.thorough
def test_everybody_but_one_is_silent_in_the_end():
    """Scores on the last third are those of who is left, and numbers."""
    log = unseeing(6, 4, 30)
    log = log.select((log.submit < 0.5 * log.submit[-1]) | (log.user == log.user[-1]))
    users = tt.calibrate(log)
    assert_modest(log, users, reacts=False)
    assert all(np.isfinite(each.nats) and np.isfinite(each.error) for each in users.scores.values())


def in_zone(log, zone, start):
    """A log in a time zone, from a Unix time (s) on."""
    header = Header.build(MaxProcs=6, UnixStartTime=start).set("TimeZoneString", zone)
    return tt.Trace({name: getattr(log, name) for name in log.columns}, header)


def test_hours_when_clocks_change():
    """In Stockholm, on 25 March 2001 at 1:00 UTC, an hour is left out; on 28 October, one is there twice."""
    hours = {"user": [1] * 4, "submit": HOUR * np.arange(4), "runtime": [1] * 4, "allocated": [1] * 4, "wait": [0] * 4}
    spring = Calendar.of_log(in_zone(tt.Trace(hours), "Europe/Stockholm", 985_478_400))  # 0:00 UTC, a Sunday
    assert spring.cells[:4].tolist() == [24 + 1, 24 + 3, 24 + 4, 24 + 5]
    autumn = Calendar.of_log(in_zone(tt.Trace(hours), "Europe/Stockholm", 1_004_227_200))  # 0:00 UTC, a Sunday
    assert autumn.cells[:4].tolist() == [24 + 2, 24 + 2, 24 + 3, 24 + 4]
    assert spring.of(HOUR * np.arange(4.0)).tolist() == spring.cells[:4].tolist()


def test_a_log_over_a_change_of_clocks():
    """It is fitted, and comes back."""
    log = in_zone(waiting(6), "Europe/Stockholm", 985_305_600)  # two days before
    users = tt.calibrate(log, score=False)
    assert_modest(log, users, reacts=True)


def test_free_days():
    """Days on which less is submitted than on others of their weekday are as Sundays, and a Sunday is one."""
    submit = np.sort(np.concatenate([np.arange(9, 17) * HOUR + day * DAY + minute * 120.0
                                     for day in range(-4, 31) for minute in range(3)]))  # fmt: skip
    submit = submit + 4 * DAY  # day 0 is a Thursday, 1970-01-01
    submit = submit[(np.floor(submit / DAY) != 14) | (submit % DAY < 9.02 * HOUR)]
    columns = {"submit": submit, "runtime": 0 * submit + 1, "user": np.ones(len(submit), int), "wait": 0 * submit}
    log = tt.Trace(columns | {"allocated": np.ones(len(submit), int)}, Header.build(UnixStartTime=0))
    calendar = Calendar.of_log(log)
    free = [day for day in range(30) if calendar.of(np.array([day * DAY + 12.5 * HOUR])).item() >= 24]
    assert free == [2, 3, 9, 10, 14, 16, 17, 23, 24]


def test_more_cells_than_numbers():
    """Of many users with all effects there are more cells than a whole number can count, and a fit is possible."""
    log = busy_log(1)
    pieces = pieces_of(log, Calendar.of_log(log))
    users, everybody = 200, np.ones(200, bool)
    few = Fitting(pieces, 10).fit(REACTING, REACTING.effects, everybody[:10], rounds=0)
    many = Fitting(pieces, users).fit(REACTING, REACTING.effects, everybody, rounds=0)
    assert many.model.values == pytest.approx(few.model.values, abs=1e-6)
