"""Calibrated users against their brute-force twin: residuals, what is kept beside them, and schedules."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.users.calibrated import twin_hazards as twin
from tests.users.calibrated.fitting import fitted, submissions
from tests.users.calibrated.making import PROCESSORS, calendars, logs, tables
from tests.users.calibrated.twin import replay
from thinktime.analysis.studies.calibrated.families import Unfitted
from thinktime.analysis.studies.prediction.predictors import recorded
from thinktime.users.calibrated import CalibratedLog, hazard_users, measured, residuals
from thinktime.workloads.calibration.tables import HALF, TOGETHER, HazardTables
from thinktime.workloads.streams import stream
from thinktime.workloads.units import DAY
from thinktime.workloads.user_models import delimit
from thinktime.workloads.user_models.sessions import owners

FAR = 2.0**41
"""What would come later never comes, s."""


def both(trace, made, calendar, patience=None):
    """The users of a log as the package has them, and the hazards of the same users for the twin."""
    own, levels, classes = made
    users = fitted(trace, own, levels=levels, classes=classes, calendar=calendar, patience=patience)
    count = len(twin.users_of(twin.jobs_of(trace)))
    return users, [twin.Hazard(own, calendar, int(users.class_of[each]), users.level[each]) for each in range(count)]


def assert_kept(trace, users, hazards):
    """The package keeps of each batch what the twin does."""
    batches = delimit(trace, "arrival", TOGETHER).batches
    whole = residuals(trace, users)
    aims, _ = measured(hazard_users(batches, users, owners(trace)), trace, batches)
    jobs = twin.jobs_of(trace)
    later = 0
    for own, hazard in zip(twin.users_of(jobs), hazards, strict=True):
        for each in twin.kept(jobs, own, hazard):
            batch = batches.of_job[each.first]
            assert whole[batch] == pytest.approx(each.integral, rel=1e-9, abs=1e-300)
            later += 1
            if batches.submit[batch] == batches.last_submit[batch - 1]:
                continue  # nothing to wait for: the half second may be kept in the one way or the other
            assert aims.residual[batch] == pytest.approx(each.aim, rel=1e-9, abs=1e-300)
            assert aims.extra[batch] == pytest.approx(each.extra, abs=1e-5)
            assert aims.least[batch] == each.least
    assert np.isfinite(whole).sum() == later


def assert_replayed(trace, users, hazards, machine, **given):
    """Both replays of a log submit, start and end the same jobs at the same times."""
    luck = {key: given.pop(key) for key in ("luck", "seed") if key in given}
    expected = replay(trace, hazards, machine.processors, machine.policy.split(":")[0], **given)
    result = tt.run(machine, CalibratedLog(trace, users, **luck))
    row = {number: place for place, number in enumerate(trace.id.tolist())}
    ended = [row[number] for number in result["id"].tolist()]
    found = dict(zip(ended, result["submit"].tolist(), strict=True))
    assert found == {row: time for row, time in expected.submit.items() if time < FAR}
    starts = dict(zip(ended, result["start"].tolist(), strict=True))
    assert {row: time for row, time in starts.items() if time == time} == {
        row: time for row, time in expected.start.items() if row in found
    }


def at_borders(trace, users):
    """Whether an integral reaches its aim where the hazard becomes 0: rounding decides whether it does elsewhere."""
    batches = delimit(trace, "arrival", TOGETHER).batches
    aims, _ = measured(hazard_users(batches, users, owners(trace)), trace, batches)
    return bool(((aims.extra > HALF) & (aims.residual > 0)).any())


@settings(max_examples=100, deadline=None)
@given(logs(), tables(), calendars())
def test_what_is_kept_of_a_log_is_what_the_twin_keeps(trace, made, calendar):
    """The integral of each gap by quadrature, the aim, what is left where the hazard is 0, and the least time."""
    assert_kept(trace, *both(trace, made, calendar))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(logs(), tables(), calendars(), st.sampled_from(["none", "easy", "no-guarantee", "recorded"]))
def test_replays_are_those_of_the_twin(trace, made, calendar, rule):
    """With what is kept, every job is submitted and starts when it does in the twin."""
    users, hazards = both(trace, made, calendar)
    assume(rule == "recorded" or not at_borders(trace, users))
    assert_replayed(trace, users, hazards, tt.MachineSpec(PROCESSORS, policy=rule))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(logs(), tables(), calendars(), st.sampled_from(["none", "easy"]), st.data())
def test_replays_with_patience_are_those_of_the_twin(trace, made, calendar, rule, data):
    """Jobs that wait for too long are taken back, and their users go on."""
    limits = st.sampled_from([np.inf, np.inf, 1.0, 61.0, 500.0, 5_000.0])
    patience = np.array([data.draw(limits) for _ in range(len(trace))])
    users, hazards = both(trace, made, calendar, patience)
    assume(not at_borders(trace, users))
    assert_replayed(trace, users, hazards, tt.MachineSpec(PROCESSORS, policy=rule), patience=patience.tolist())


@settings(max_examples=30, deadline=None)
@given(logs(), tables(), calendars(), st.sampled_from(["none", "easy"]), st.integers(0, 9))
def test_replays_with_new_luck_are_those_of_the_twin(trace, made, calendar, rule, seed):
    """Each user draws from a stream of their own, one number for each batch after the first."""
    users, hazards = both(trace, made, calendar)
    jobs = twin.jobs_of(trace)
    drawn = []
    for own in twin.users_of(jobs):
        rng = stream(seed, own[0].user, "residuals")
        drawn.append([float(rng.exponential()) for _ in twin.batches_of(own)[1:]])
    machine = tt.MachineSpec(PROCESSORS, policy=rule)
    assert_replayed(trace, users, hazards, machine, residuals=drawn, luck="new", seed=seed)


@pytest.mark.parametrize("family", ["share", "instrument", pytest.param("shifts", marks=pytest.mark.thorough)])
def test_logs_of_worlds_are_as_in_the_twin(family):
    """Persons of several habits, with the usual edges of bins, and effects of all kinds."""
    machine = tt.MachineSpec(64, policy="easy")
    trace = recorded(Unfitted(family, 0, 6, 3).truth(machine, end=2 * DAY))
    trace = trace.select(np.arange(len(trace)) < 40)
    rng, flat = np.random.default_rng(5), HazardTables.flat(1e-4, classes=2)
    names = ("base", "clock", "response", "slowdown", "queue", "done", "position")
    own = replace(flat, **{name: getattr(flat, name) + rng.normal(0, 0.7, getattr(flat, name).shape) for name in names})
    made = own, rng.normal(0.0, 1.0, (64, own.clock.shape[1])), rng.integers(0, 2, 64)
    users, hazards = both(trace, made, fitted(trace).calendar)
    assert len(trace) == 40
    assert_kept(trace, users, hazards)
    assert_replayed(trace, users, hazards, tt.MachineSpec(32, policy="easy"))


def test_an_aim_at_a_border_is_reached_along_every_path():
    """If only the time since the submission counts, jobs come as recorded, also where the hazard has become 0.

    One of the user's jobs is over in the log, and not in the replay, so the same integral has fewer pieces.
    """
    columns = {
        "submit": [0, 1, 31, 1000], "wait": [0] * 4, "runtime": [5000, 76, 6000, 10], "user": [1, 2, 2, 2],
        "requested_processors": [PROCESSORS] * 4, "requested_time": [9000] * 4,
    }  # fmt: skip
    trace, missed = tt.Trace(columns), []
    for rate in np.linspace(1e-3, 2e-3, 20).tolist():
        own = HazardTables.flat(rate)
        own.base[:, :, :, 4:] = -np.inf  # from 8 min on
        result = submissions(
            tt.run(tt.MachineSpec(PROCESSORS, policy="none"), CalibratedLog(trace, fitted(trace, own)))
        )
        missed += [rate] if result != {1: 0, 2: 1, 3: 31, 4: 1000} else []
    assert missed == []


def test_only_what_might_come_at_once_waits_for_a_least_time():
    """After jobs that end as they start, a user who has waited in the log, and need not, comes earlier."""
    columns = {
        "submit": [0, 0, 30], "wait": [0, 5, 0], "runtime": [0, 0, 10], "user": [1] * 3,
        "requested_processors": [1] * 3, "requested_time": [90] * 3,
    }  # fmt: skip
    trace, own = tt.Trace(columns), HazardTables.flat(1e-3)
    own.base[:, 1:] -= 1.0
    result = submissions(tt.run(tt.MachineSpec(PROCESSORS, policy="none"), CalibratedLog(trace, fitted(trace, own))))
    assert result[3] == pytest.approx(25 + 5 / np.e, abs=0.01)
