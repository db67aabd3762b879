"""Users of a log who submit with hazards: the special cases of their definition, to the second, and their twin."""

import datetime
import os
import subprocess
import sys
import zoneinfo
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import simpy
from hypothesis import given, settings

import thinktime as tt
from tests.frozen.cases import digest
from tests.users.calibrated.fitting import at_random, busy_log, fitted, submissions
from tests.users.calibrated.making import PROCESSORS, calendars, logs, tables
from thinktime.analysis.fairness.fair_starts import NoLaterArrivals
from thinktime.analysis.left_log import left_by
from thinktime.users import made_up_log
from thinktime.users.calibrated import LUCK, CalibratedLog, residuals
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.fitted import FittedUsers
from thinktime.workloads.calibration.tables import TOGETHER, HazardTables
from thinktime.workloads.calibration.users import MOST
from thinktime.workloads.header import Header
from thinktime.workloads.user_models import delimit

MACHINE = tt.MachineSpec(16, policy="easy")


def made_users(trace, made, calendar, patience=None):
    """The users of a log with tables made by Hypothesis."""
    own, levels, classes = made
    return fitted(trace, own, levels=levels, classes=classes, calendar=calendar, patience=patience)


def reacting() -> HazardTables:
    """Nobody submits while a batch is outstanding; then the time since its end alone counts, in three pieces."""
    flat = HazardTables.flat(1e-3)
    flat.base[:, 1:] = -np.inf
    flat.base[:, 0, 3:6] += 1.0
    flat.base[:, 0, 6:-1] -= 2.0
    return flat


def one_after_another(seed: int, jobs: int = 60) -> tt.Trace:
    """A log of three users who never submit before what they submitted is over, with think times of 0 and others."""
    rng = np.random.default_rng(seed)
    rows = []
    for user in range(3):
        time = float(rng.integers(0, 100))
        for _ in range(jobs // 3):
            wait, runtime = float(rng.integers(0, 300)), float(rng.integers(1, 3000))
            rows.append((time, wait, runtime, user))
            time += wait + runtime + float(rng.choice([0.0, 1.0, 61.0, 700.0, 50_000.0]))
    submit, wait, runtime, user = np.array(sorted(rows)).T
    columns = {"submit": submit, "wait": wait, "runtime": runtime, "user": user.astype(int)}
    return tt.Trace(columns | {"allocated": rng.integers(1, 9, len(rows)), "requested_time": runtime * 2})


def rows_of(*rows: tuple[float, float, int]) -> tt.Trace:
    """A log of jobs of four processors that did not wait, from (submit, run time, user)."""
    submit, runtime, user = np.array(rows).T
    others = {"wait": 0.0 * submit, "allocated": np.full(len(rows), 4), "requested_time": runtime + 500}
    return tt.Trace({"submit": submit, "runtime": runtime, "user": user.astype(int), **others})


# -- special cases --------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(logs(), tables(), calendars())
def test_under_the_recorded_schedule_the_log_comes_back(trace, made, calendar):
    """Exactly, whatever the tables are, with hazards of 0 anywhere."""
    result = tt.run(
        tt.MachineSpec(PROCESSORS, policy="recorded"), CalibratedLog(trace, made_users(trace, made, calendar))
    )
    assert result["submit"].tolist() == trace.submit.tolist()


@pytest.mark.parametrize("never", [0.0, 0.02, 0.5])
@pytest.mark.parametrize("seed", range(8))
def test_busy_logs_come_back(seed, never):
    """With many ties of ends and submissions, jobs of run time 0, and hazards that jump by orders of magnitude."""
    trace = busy_log(seed)
    result = tt.run(tt.MachineSpec(99, policy="recorded"), CalibratedLog(trace, at_random(trace, seed, never, 4.0)))
    assert result["submit"].tolist() == trace.submit.tolist()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("policy", ["easy", "conservative", "none"])
def test_the_log_that_a_policy_left_comes_back_under_it(policy, seed):
    """The ends in the log are those of the policy, and so are the queues that users saw."""
    machine = replace(MACHINE, policy=policy)
    trace = left_by(busy_log(seed, 90, span=9000), machine)
    result = tt.run(machine, CalibratedLog(trace, at_random(trace, seed)))
    assert submissions(result) == dict(zip(trace.id.tolist(), trace.submit.tolist(), strict=True))
    assert (result["start"] - result["submit"]).tolist() == trace.wait.tolist()


@pytest.mark.parametrize("seed", range(4))
def test_nothing_but_the_clock_is_the_open_loop(seed):
    """If the time since the submission and the clock alone count, jobs come as recorded, whatever happens to them."""
    trace, rng = busy_log(seed), np.random.default_rng(seed)
    own = HazardTables.flat(1e-3)
    own.base[:] += rng.normal(0.0, 1.0, own.base.shape[-1])
    own.clock[:] += rng.normal(0.0, 1.0, own.clock.shape[-1])
    result = tt.run(tt.MachineSpec(4, policy="easy"), CalibratedLog(trace, fitted(trace, own)))
    assert result["submit"].tolist() == trace.submit.tolist()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("processors", [8, 9, 20])
def test_who_waits_and_thinks_is_as_with_feedback(seed, processors):
    """If nobody submits while a batch is outstanding, and the time since its end alone counts: think times are kept."""
    trace, machine = one_after_another(seed), tt.MachineSpec(processors, policy="easy")
    expected = tt.run(machine, tt.sources.feedback(trace, "arrival", TOGETHER))
    result = tt.run(machine, CalibratedLog(trace, fitted(trace, reacting())))
    assert result["submit"].tolist() == expected["submit"].tolist()
    assert result["think_time"].tolist() == pytest.approx(expected["think_time"].tolist(), nan_ok=True)
    assert (result["submit"] != trace.submit).any()


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["KTH", *(pytest.param(each, marks=pytest.mark.thorough) for each in ("SDSC", "CTC"))])
def test_real_logs_come_back(log, name):
    """Under the recorded schedule; as an open loop if hazards are flat; and the log that EASY left, under EASY."""
    trace = log(name)
    result = tt.run(tt.MachineSpec(policy="recorded"), CalibratedLog(trace, at_random(trace, 1, 0.1, 3.0)))
    assert result["submit"].tolist() == trace.submit.tolist()
    flat = tt.run(tt.MachineSpec(policy="easy"), CalibratedLog(trace, fitted(trace)))
    assert flat["submit"].tolist() == trace.submit.tolist()
    machine = tt.MachineSpec(policy="easy").sized(trace)
    left = left_by(trace, machine)
    result = tt.run(machine, CalibratedLog(left, at_random(left, 1, 0.05, 1.0)))
    assert submissions(result) == dict(zip(left.id.tolist(), left.submit.tolist(), strict=True))


# -- residuals ------------------------------------------------------------------------------------------------


def test_residuals_of_a_flat_hazard_are_gaps():
    """The time from the last submission of a batch to half a second after the next one, in days."""
    trace = busy_log(3)
    batches = delimit(trace, "arrival", TOGETHER).batches
    gaps = batches.submit[1:] + 0.5 - batches.last_submit[:-1]
    found = residuals(trace, fitted(trace))
    later = np.diff(batches.owner) == 0
    assert found[1:][later] == pytest.approx(gaps[later] / tt.DAY, rel=1e-12)
    assert np.isnan(found[np.append(True, ~later)]).all()


def test_new_luck_is_drawn_for_each_user():
    """The same seed gives the same run, another one another, and no user's luck depends on the others."""
    trace = one_after_another(0)
    users = fitted(trace, reacting())

    def run(seed: int) -> list[float]:
        result = tt.run(tt.MachineSpec(99), CalibratedLog(trace, users, luck="new", seed=seed))
        return result["submit"][trace.user == 1].tolist()

    alone = trace.select(trace.user == 1)
    result = tt.run(tt.MachineSpec(99), CalibratedLog(alone, fitted(alone, reacting()), luck="new", seed=7))
    assert run(7) == run(7) == result["submit"].tolist() != run(8)


def test_whose_hazard_stays_0_submits_no_more():
    """After a response of more than 8 min; a note counts the jobs, and the run ends."""
    own = reacting()
    own.response[:, :, 2:-1] = -np.inf
    trace = rows_of((0, 1000, 1), (10, 100, 2), (5000, 10, 2), (9000, 10, 2))
    result = tt.run(tt.MachineSpec(4, policy="easy"), CalibratedLog(trace, fitted(trace, own)))
    assert submissions(result) == {1: 0.0, 2: 10.0}
    assert "2 jobs were never submitted: the hazards of their users stayed 0" in result.notes
    short = tt.run(tt.MachineSpec(8, policy="easy"), CalibratedLog(trace, fitted(trace, own)), until=6000)
    assert submissions(short) == {1: 0.0, 2: 10.0, 3: 5000.0}
    assert "1 job was not submitted before the end of the run" in short.notes


def test_jobs_of_a_batch_may_be_among_those_of_others():
    """They come as long after the first of it as in the log, and the machine has all jobs in the order of the log."""
    once = [(0, 100, 0), (10, 100, 1), (20, 100, 0), (30, 100, 1), (31, 100, 1)]
    log = rows_of(*once, *((submit + 4000, runtime, user) for submit, runtime, user in once))
    result = tt.run(tt.MachineSpec(4, "fcfs"), CalibratedLog(log, fitted(log, reacting())))
    assert result["id"].tolist() == log.id.tolist()
    submit = result["submit"]
    assert submit[:5].tolist() == log.submit[:5].tolist()
    assert submit[7] - submit[5] == 20 and (submit[[8, 9]] - submit[6]).tolist() == [20, 21]
    assert (submit[5:] > log.submit[5:]).all()  # one after the other: the first batches end later


def test_jobs_are_taken_back_when_patience_ends():
    """A job waits for 40 s behind another one, and is over then: its user thinks."""
    trace = rows_of((0, 300, 1), (10, 100, 2), (500, 10, 2))
    users = fitted(trace, reacting(), patience=np.array([np.inf, 40.0, np.inf]))
    result = tt.run(tt.MachineSpec(4, policy="easy"), CalibratedLog(trace, users))
    assert result["state"].tolist() == [tt.State.FINISHED, tt.State.WITHDRAWN, tt.State.FINISHED]
    assert result["submit"].tolist() == [0.0, 10.0, 50.0 + 390.0]


def test_what_is_kept_for_sources_of_the_same_users_is_not_mixed_up():
    """Sources of two logs and two schedules, in turn, do as if each were alone."""
    first, second = busy_log(1), busy_log(1).with_columns(runtime=busy_log(1).runtime + 7.0)
    users = fitted(first, reacting())

    def submitted(log, recorded, users):
        source = CalibratedLog(log, users, recorded=recorded)
        return tt.run(tt.MachineSpec(4, "easy"), source)["submit"].tolist()

    cases = [(first, None), (second, None), (second, first), (first, second), (first, None)]
    together = [submitted(*case, users) for case in cases]
    assert together == [submitted(*case, fitted(first, reacting())) for case in cases]
    assert together[0] == together[4]
    assert len({str(each) for each in together}) == 4


def test_draws_are_made_once_for_all_policies():
    """With the log's luck and new luck in turn, each policy meets the same users again, and no draw is another one."""
    log = made_up_log(weeks=1, users=3, seed=4)
    users = tt.calibrate(log, score=False)
    draws = [(LUCK[draw % 2], draw // 2) for draw in range(6)]

    def submitted(users: tt.Users, luck: str, draw: int) -> list[float]:
        source = CalibratedLog(log, users, luck, (1, draw), posterior=(1, draw))
        return tt.run(tt.MachineSpec(12, "easy"), source)["submit"].tolist()

    alone = [submitted(replace(users), *draw) for draw in draws]
    assert [submitted(users, *draw) for draw in draws + draws] == alone + alone
    assert len({str(each) for each in alone}) > len(draws) / 2  # users may not react, but have other luck
    kept = [users.of(log, (2, draw)) for draw in range(MOST + 1)]
    assert users.of(log, (2, MOST)) is kept[MOST]
    assert users.of(log, (2, 0)) is kept[0]
    assert users.of(log, (2, MOST + 1)) is not kept[0]
    again = users.of(log, (2, 0))
    assert again is not kept[0] and np.array_equal(again.level, kept[0].level)


def test_residuals_may_be_those_of_another_schedule():
    """A user who comes 400 s after an end does so after one that is later, unless that was the log's own schedule."""
    log, longer = rows_of((0, 100, 1), (500, 10, 1)), rows_of((0, 300, 1), (500, 10, 1))
    users = fitted(log, reacting())
    wide = tt.MachineSpec(8, policy="easy")
    found = [tt.run(wide, CalibratedLog(longer, users, recorded=each))["submit"].tolist() for each in (log, None)]
    assert found == [[0.0, 700.0], [0.0, 500.0]]


def short(name: str) -> HazardTables:
    """Tables of which one has too few entries."""
    flat = HazardTables.flat()
    return replace(flat, **{name: getattr(flat, name)[..., :-1]})


@pytest.mark.parametrize(
    ("what", "says"),
    [
        (lambda trace: CalibratedLog(trace, fitted(trace), luck="bad"), "luck is 'bad', but must be kept or new"),
        (lambda trace: CalibratedLog(trace, fitted(busy_log(2, users=9))), "were fitted: give those of this log"),
        (lambda trace: CalibratedLog(trace, fitted(trace, patience=np.ones(3))), "patience of 3 is given"),
        (lambda trace: CalibratedLog(trace, fitted(trace), recorded=busy_log(3)), "has other jobs or submissions"),
        (lambda trace: CalibratedLog(trace, fitted(trace, HazardTables.flat(1e99))), "logarithms of at most 80"),
        (
            lambda trace: CalibratedLog(trace, fitted(trace, short("response"))),
            "the table response of a hazard has not",
        ),
        (lambda trace: CalibratedLog(trace, fitted(trace, classes=[7])), "a class of a hazard is a number from 0 to 0"),
    ],
)
def test_what_cannot_be(what, says):
    """Users of another log, or hazards that are no numbers, are answered with a sentence."""
    with pytest.raises(ValueError, match=says):
        what(busy_log(2))


# -- beside others, on every machine --------------------------------------------------------------------------


def test_two_logs_are_on_one_machine():
    """Each has its tables and its users; on a wide machine neither disturbs the other."""
    one, other = busy_log(1), busy_log(2)
    other = other.with_columns(id=other.id + 1000, user=np.where(other.user < 0, -1, other.user + 50))
    both = [CalibratedLog(each, at_random(each, seed)) for seed, each in enumerate((one, other))]
    alone = [submissions(tt.run(tt.MachineSpec(999, policy="none"), each)) for each in both]
    result = tt.run(tt.MachineSpec(999, policy="none"), *both)
    assert set(submissions(result)) == set(alone[0]) | set(alone[1])
    crowd = [CalibratedLog(each, fitted(each, reacting())) for each in (one, other)]
    assert len(tt.run(tt.MachineSpec(6), *crowd)) == len(one) + len(other)


@pytest.mark.parametrize("seed", range(3))
def test_users_do_together_what_they_would_do_alone(seed):
    """On a wide machine: what is foretold of a user until others may come is what is foretold of one at once."""
    trace = busy_log(seed, 240, users=12, span=40_000)
    trace, together = trace.select(trace.user >= 0), at_random(trace.select(trace.user >= 0), seed, never=0.05)

    def submitted(log: tt.Trace, users: FittedUsers) -> dict[int, float]:
        return submissions(tt.run(tt.MachineSpec(999, policy="none"), CalibratedLog(log, users, "new", seed)))

    alone: dict[int, float] = {}
    for code, user in enumerate(np.unique(trace.user).tolist()):
        log, of = trace.select(trace.user == user), {"levels": together.level[code], "classes": together.class_of[code]}
        alone |= submitted(log, fitted(log, together.tables, calendar=together.calendar, **of))
    assert submitted(trace, together) == alone
    assert len(alone) > 100


def test_live_users_are_beside_a_log():
    """A process that submits, waits and cancels, users with plans, and the users of a log: all jobs end."""
    trace = busy_log(4)

    def person(env: simpy.Environment, machine: tt.Machine):
        for _ in range(30):
            event = machine.submit(tt.Job(processors=3, runtime=50, estimate=60))
            yield event | env.timeout(70)
            event.cancel()

    plans = tt.sources.campaigns(tt.mix(2, {"short": 1, "long": 1}), seed=1, campaigns=5)
    result = tt.run(tt.MachineSpec(64), CalibratedLog(trace, fitted(trace, reacting())), person, plans)
    assert np.isin(trace.id, result["id"]).all() and np.isfinite(result["end"]).all()


def test_forecasts_change_nothing():
    """They are asked for before every submission, of a copy of the machine without the users."""
    trace = busy_log(5)
    source, fair = CalibratedLog(trace, at_random(trace, 5)), NoLaterArrivals()
    expected = tt.run(tt.MachineSpec(6, policy="easy"), source)
    found = tt.run(tt.MachineSpec(6, policy="easy"), source, observers=[fair])
    assert submissions(found) == submissions(expected)


MACHINES = {
    "a runtime limit": tt.MachineSpec(8, policy="easy:runtime_limit=60s"),
    "preemption": tt.MachineSpec(8, policy="easy:preempt=requeue,ranks=1:2+2:1,victims=youngest"),
    "outages": tt.MachineSpec(
        8, changes=tt.Changes(outages=tt.Outages.of([(t, t + 70, f"{t % 7}-7") for t in range(5, 9000, 311)]))
    ),
    "nodes": tt.MachineSpec(
        nodes=tt.Nodes([tt.Cluster("a", 2, {"processors": 3}), tt.Cluster("b", 2, {"processors": 2})])
    ),
}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("luck", ["kept", "new"])
def test_all_jobs_end_on_every_machine(machine, luck):
    """Where jobs are split, sent away, interrupted or placed on nodes."""
    trace = busy_log(6)
    result = tt.run(MACHINES[machine], CalibratedLog(trace, fitted(trace, reacting()), luck=luck, seed=2))
    assert set(trace.id.tolist()) <= set(result["id"].tolist())
    assert np.isfinite(result["end"]).all()


def digests() -> list[str]:
    """What becomes of a log under two kinds of luck."""
    trace = busy_log(7, 80)
    sources = [CalibratedLog(trace, at_random(trace, 7), luck=luck, seed=1) for luck in ("kept", "new")]
    return [digest(tt.run(tt.MachineSpec(9, policy="conservative"), source)) for source in sources]


@pytest.mark.compiled
def test_compiled_and_plain_are_the_same_to_the_last_bit():
    """Residuals and replays."""
    code = "from tests.users.calibrated.test_calibrated import digests; print(digests())"
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"THINKTIME_PLAIN": "1"}, capture_output=True, text=True,
        cwd=Path(__file__).parents[3], check=True,
    )  # fmt: skip
    assert done.stdout.strip() == str(digests())


# -- calendars ------------------------------------------------------------------------------------------------


def test_a_calendar_has_the_hours_of_the_local_clock_and_free_days():
    """Saturdays, Sundays, and a day on which hardly anybody submits; a year later weekdays alone count."""
    day = tt.DAY
    days = [k for k in range(28) if k % 7 < 5 and k != 9]
    submit = np.sort(np.concatenate([k * day + np.arange(20) * 100.0 + 9 * tt.HOUR for k in days]))
    trace = rows_of(*((each, 1, 1) for each in submit.tolist()))
    calendar = Calendar.of_log(trace)
    at = np.array([0.0, 5.0, 6.0, 9.0, 10.0, 16.0, 366.0]) * day + 13.5 * tt.HOUR
    assert calendar.of(at).tolist() == [13, 37, 37, 37, 13, 13, 13]
    assert calendar.first == 9 * tt.HOUR and len(calendar.cells) >= 366 * 24


@pytest.mark.parametrize("zone", ["Asia/Kolkata", "Europe/Berlin", "America/New_York"])
def test_a_calendar_goes_by_the_zone_of_the_log(zone):
    """Half hours and clock changes included: each hour from one on the local clock to the next."""
    start = 890_000_000  # 16 March 1998
    header = Header().set("UnixStartTime", start).set("TimeZoneString", zone)
    times = np.arange(0.0, 60 * tt.DAY, 977.0)
    columns = {"submit": times, "runtime": times * 0, "allocated": np.ones(len(times), int), "wait": times * 0}
    calendar = Calendar.of_log(tt.Trace(columns, header))
    local = [datetime.datetime.fromtimestamp(start + time, zoneinfo.ZoneInfo(zone)) for time in times.tolist()]
    assert calendar.of(times).tolist() == [each.hour + 24 * (each.weekday() >= 5) for each in local]
