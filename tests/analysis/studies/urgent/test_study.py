"""The study of urgent jobs: its arms by hand, users who give up, its command."""

import math

import numpy as np
import pytest

from tests.commands import quick_study
from thinktime.analysis.studies.urgent import runs
from thinktime.analysis.studies.urgent import study as model
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.state import State
from thinktime.users import sources
from thinktime.users.office_log import made_up_log
from thinktime.users.run import run
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, HOUR


def log(**columns):
    """Three jobs of one processor: two of user 1, submitted together, and an urgent one of user 2."""
    usual = {
        "id": [1, 2, 3], "submit": [0, 0, 50], "runtime": [100, 10, 20], "allocated": [1, 1, 1], "user": [1, 1, 2],
        "queue": [0, 0, 1], "wait": [0, 100, 0], "requested_time": [100, 10, 20],
    }  # fmt: skip
    return Trace(usual | columns)


def answer(name, checkpoints=False, mode="open"):
    """What an arm gives on one processor."""
    return runs.arm(log(), 1, name, checkpoints, mode).perform()


def test_how_urgent_jobs_fare_by_hand():
    """On one processor an urgent job waits for the end of another, passes those who wait, or sends it away."""
    assert answer("no privilege").urgent_wait == 60  # after jobs 1 and 2
    assert answer("priority").urgent_wait == 50  # after job 1
    assert answer("requeue").urgent_wait == answer("suspend").urgent_wait == answer("cancel").urgent_wait == 0


def test_what_others_lose_by_hand():
    """Job 1 loses 50 s where it is requeued or cancelled, and nothing where it is suspended."""
    assert answer("requeue").lost == pytest.approx(50 / 300)
    assert answer("suspend").lost == 0
    cancelled = answer("cancel")
    assert cancelled.lost == pytest.approx(50 / 80)
    assert cancelled.abandoned == 0.5  # of the batches of users 1 and 2


def test_slowdowns_are_of_the_work_that_was_done():
    """A job that is requeued has the slowdown of its response and its work, lost time not included."""
    # job 3 runs 50-70, job 1 again 70-290, of which 120 s are its restart, job 2 290-300
    assert answer("requeue").others_slowdown == pytest.approx((290 / 100 + 300 / 10) / 2)


def test_users_give_up_a_batch_that_is_interrupted_too_often():
    """At the third interruption of a batch all of its jobs are cancelled, and only those."""
    submits = [0, 0, 10, 30, 50, 300]
    columns = {
        "id": [1, 2, 3, 4, 5, 6], "submit": submits, "runtime": [100, 10, 1, 1, 1, 5], "allocated": [1] * 6,
        "user": [1, 1, 2, 3, 4, 5], "queue": [0, 0, 1, 1, 1, 0], "wait": [0] * 6,
        "requested_time": [100, 10, 1, 1, 1, 5],
    }  # fmt: skip
    for mode, expected in (
        ("open", [State.FINISHED] * 6),
        ("users", [State.KILLED, State.WITHDRAWN, *[State.FINISHED] * 4]),
    ):
        given = Trace(columns)
        spec = MachineSpec(1, runs.ARMS["suspend"])
        source = sources.log(given) if mode == "open" else runs.UsersWhoGiveUp(given)
        assert run(spec, source)["state"].tolist() == expected


def test_reservations_are_on_weekdays():
    """Windows of a fifth of the processors are open from 8 to 18 h on weekdays, for the urgent jobs alone."""
    found = runs.reservations(runs.with_urgent(made_up_log(2, 15), 0.1, 1), 64)
    hours = {(each.start % DAY / HOUR, each.end % DAY / HOUR) for each in found}
    assert hours == {(8, 18)} and {each.processors for each in found} == {13}
    assert {int(each.start // DAY) % 7 for each in found} == {0, 1, 2, 3, 4}  # the log begins on a Monday


def test_urgent_jobs_are_the_same_in_every_run():
    """A tenth of the jobs is urgent, drawn from the seed alone."""
    plain = made_up_log(2, 15)
    one, other = (runs.with_urgent(plain, 0.1, 1).queue for _ in range(2))
    assert np.array_equal(one, other) and 0.05 < one.mean() < 0.15


def test_the_command(tmp_path, monkeypatch):
    """The command prints tables within 100 columns, and writes the picture and the numbers."""
    monkeypatch.setattr(model, "made_up_log", lambda weeks: made_up_log(2, 15))
    monkeypatch.setattr(model, "QUICK_JOBS", 200)
    shown, files, found = quick_study("urgent", tmp_path / "out")
    assert all(name in shown for name in runs.ARMS)
    assert files == {"answers.sqlite", "checkpoint-intervals.png", "study.json"}
    assert len(found["arms"]) == len(runs.ARMS) * 4
    assert [each["interval"] for each in found["intervals"][:3]] == [1200, 4800, None]
    assert all(math.isfinite(each["urgent_wait"]) for each in found["arms"])
