"""Replay with feedback: users wait for what they waited for in the log."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.workloads.user_models.logs import jobs_of, log, logs
from tests.workloads.user_models.twin import edges_of, sessions_of
from thinktime.models.results.result import Result
from thinktime.models.state import State
from thinktime.users import WorkingHours, replay, replay_with_feedback
from thinktime.workloads.user_models import DELIMITATIONS, delimit

POLICIES = ["fcfs", "easy", "no-guarantee", "conservative", "easy:order=sjf", "ostrich"]


def test_a_batch_waits_for_the_batch_before_it_and_thinks():
    """On one processor the second user's job of 100 s comes first; the first user's next job moves with its wait."""
    trace = log([(2, 0, 100), (1, 10, 30), (1, 90, 95)])
    result = replay_with_feedback(trace, "fcfs", 1)
    assert result["start"].tolist() == [0, 100, 180]
    assert result["submit"].tolist() == [0, 10, 180]  # 100 + 20 is the end, 60 s of thinking
    assert result["think_time"].tolist()[2] == 60
    assert replay(trace, "fcfs", 1)["submit"].tolist() == [0, 10, 90]


def test_offsets_within_a_batch_are_kept():
    """A batch of three at 100, 110, 130 begins 50 s later, and so do all its jobs."""
    trace = log([(2, 0, 60), (1, 0, 10), (1, 110, 200), (1, 120, 130), (1, 140, 150)])
    result = replay_with_feedback(trace, "fcfs", 1)
    assert result["submit"].tolist() == [0, 0, 170, 180, 200]


def test_a_batch_that_waits_for_two_takes_the_later_release():
    """Batches end at 10 h and 9 h; in the simulation the first ends at once, so the other one decides."""
    hour = 3600
    trace = log([(1, 0, hour, 10 * hour), (1, 2 * hour, 9 * hour), (1, 12 * hour, 13 * hour)])
    result = replay_with_feedback(trace, "fcfs")
    assert result["submit"].tolist() == [0, 2 * hour, 12 * hour]  # max(9 h + 2 h, 9 h + 3 h)
    assert result["think_time"].tolist()[2] == 3 * hour


def test_users_who_wait_less_come_back_sooner():
    """The log's machine let the first job wait for 1000 s; here it starts at once."""
    trace = log([(1, 0, 1000, 1100), (1, 1200, 1210)])
    assert replay_with_feedback(trace, "easy")["submit"].tolist() == [0, 200]


def test_think_time_of_zero_is_the_same_instant():
    """Two users hand one processor to each other: what is submitted at an end is in the queue before the pass."""
    trace = log([(1, 0, 10), (1, 10, 20), (2, 5, 20, 35)])
    for policy in POLICIES:
        result = replay_with_feedback(trace, policy, 1)
        assert result["submit"].tolist() == [0, 5, 10]
        if policy != "ostrich":
            assert result["start"].tolist() == ([0, 20, 10] if "sjf" in policy else [0, 10, 25])


def test_a_refused_job_does_not_stop_its_user():
    """A job wider than the machine is over when it is submitted; its user thinks on."""
    trace = log([(1, 0, 10), (1, 100, 110)]).with_columns(requested_processors=[9, 1])
    result = replay_with_feedback(trace, "easy", 4)
    assert State(result["state"][0]) is State.REFUSED
    assert result["submit"].tolist() == [0, 90]


def test_outside_the_hours_the_next_session_is_next_morning():
    """A batch due at 17:30 after a wait comes at 9:00 the next day."""
    hour = 3600
    trace = log([(2, 0, 17 * hour), (1, 0, 1 * hour), (1, 1.5 * hour, 2 * hour), (3, 20 * hour, 21 * hour)])
    free = replay_with_feedback(trace, "fcfs", 1)
    held = replay_with_feedback(trace, "fcfs", 1, hours=WorkingHours(9, 17))
    assert free["submit"].tolist() == [0, 0, 18.5 * hour, 20 * hour]
    assert held["submit"].tolist() == [0, 0, 33 * hour, 20 * hour]
    assert held["think_time"].tolist()[2] == 15 * hour
    assert (
        replay_with_feedback(trace, "recorded", 1, hours=WorkingHours(9, 17))["submit"].tolist()
        == trace.submit.tolist()
    )


@settings(max_examples=60)
@given(logs(), st.sampled_from(DELIMITATIONS), st.sampled_from([None, 0.0]))
def test_under_the_recorded_schedule_the_recorded_submissions_come_back(trace, by, threshold):
    """Under the recorded schedule the recorded submissions come back to the tick."""
    seen = delimit(trace, by, threshold)
    result = replay_with_feedback(trace, "recorded", 4, delimitation=seen)
    assert result["submit"].tolist() == trace.submit.tolist()
    assert result["id"].tolist() == trace.id.tolist()
    assert result["end"].tolist() == seen.end.tolist()


@settings(max_examples=40)
@given(logs(), st.sampled_from(POLICIES))
def test_every_batch_is_submitted_when_the_last_of_what_it_waits_for_allows(trace, policy):
    """A release is max(end + think time), by plain loops over the twin's graph."""
    seen = delimit(trace)
    result = replay_with_feedback(trace, policy, 4)
    submit, end = result["submit"].tolist(), result["end"].tolist()
    for user in sessions_of(jobs_of(trace, seen.end), "arrival", 3600):
        batches = [[job[0] for job in batch] for session in user for batch in session]
        waits = edges_of([batch for session in user for batch in session])
        for number, rows in enumerate(batches):
            due = [max(end[row] for row in batches[b]) + t for (b, c), t in waits.items() if c == number]
            release = max(due, default=trace.submit[rows[0]])
            offsets = [trace.submit[row] - trace.submit[rows[0]] for row in rows]
            assert [submit[row] for row in rows] == [release + offset for offset in offsets]


@pytest.mark.parametrize("name", ["KTH", "SDSC", "Lublin", "CTC"])
@pytest.mark.compiled
def test_real_logs_come_back(log, name):
    """The recorded submissions of a real log come back to the second (a log without waits is refused)."""
    trace = log(name)
    if np.isnan(trace.wait).all():
        with pytest.raises(ValueError, match=r"no waits \(field 3\)"):
            replay_with_feedback(trace, "recorded")
        return
    result = replay_with_feedback(trace, "recorded")
    assert np.array_equal(result["submit"], trace.submit)


def test_a_log_without_waits_is_refused():
    """A log without waits is refused under every policy."""
    trace = tt.Trace({"submit": [0, 5], "runtime": [1, 1], "allocated": [1, 1]})
    with pytest.raises(ValueError, match="no waits"):
        replay_with_feedback(trace, "easy", 4)


def test_policies_that_never_make_anyone_wait_give_identical_logs():
    """On a machine that holds everything, all that do not hold jobs back give the same submissions, starts, ends."""
    rng = np.random.default_rng(1)
    jobs = [(int(u), float(s), float(s + w), float(s + w + r)) for u, s, w, r in zip(
        rng.integers(1, 6, 200), np.sort(rng.integers(0, 200_000, 200)), rng.integers(0, 5000, 200),
        rng.integers(0, 9000, 200), strict=True)]  # fmt: skip
    trace = log(jobs, processors=200)
    results = [replay_with_feedback(trace, policy) for policy in POLICIES if policy != "ostrich"]
    for result in results[1:]:
        for column in ("submit", "start", "end", "think_time"):
            assert np.array_equal(result[column], results[0][column], equal_nan=True)
    assert (results[0]["start"] == results[0]["submit"]).all()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(logs(), st.sampled_from(["fcfs", "easy", "conservative"]), st.sampled_from([None, "log"]))
def test_the_log_that_is_written_brings_the_same_submissions_back(tmp_path, trace, policy, hours):
    """A replay of fields 17 and 18 under the same policy; each is a job of the same user and the time since its end.

    Jobs of no length open second rounds at one instant, and a log does not say in which round a job came.
    """
    trace = trace.with_columns(runtime=np.maximum(trace.runtime, 1.0))
    result = replay_with_feedback(trace, policy, 4, hours=hours)
    written = tt.read_swf(result.to_swf(tmp_path / "loop.swf"))
    again = replay(written, policy, 4, dependencies=True)
    known = dict(zip(result["id"].tolist(), zip(result["submit"], result["start"], strict=True), strict=True))
    for number, submit, start in zip(again["id"].tolist(), again["submit"], again["start"], strict=True):
        assert (submit, start) == known[number]
    place = {number: row for row, number in enumerate(written.id.tolist())}
    for row in np.flatnonzero(written.preceding >= 0).tolist():
        before = place.get(written.preceding.item(row))
        if before is not None:
            assert written.user[before] == written.user[row]
            end = written.submit[before] + written.wait[before] + written.runtime[before]
            assert end + written.think_time[row] == written.submit[row]


def test_each_job_names_what_released_its_batch(tmp_path):
    """Each job names the one whose end released its batch."""
    trace = log([(1, 0, 30), (1, 0, 50), (1, 110, 200), (1, 130, 150), (2, 0, 5)])
    result = replay_with_feedback(trace, "easy")
    written = tt.read_swf(result.to_swf(tmp_path / "loop.swf"))
    by_number = np.argsort(written.id)
    assert written.preceding[by_number].tolist() == [-1, -1, 2, 2, -1]
    assert written.think_time[by_number].tolist()[2:4] == [60, 80]
    wider = replay(written.with_columns(runtime=written.runtime * 2), "easy", dependencies=True, overrun="extend")
    assert wider["submit"][np.argsort(wider["id"])].tolist() == [0, 0, 160, 180, 0]


def test_what_two_fields_cannot_say_keeps_its_submission(tmp_path):
    """Held until morning, two batches come together after one job; a user who follows the shorter one names none."""
    result = Result.from_columns(
        {
            "user": [0, 0, 0, 0, 0], "submit": [0.0, 100, 100, 160, 500], "start": [0.0, 100, 100, 160, 500],
            "end": [10.0, 150, 400, 170, 510], "processors": [1] * 5, "think_time": [np.nan, 90, 90, 10, 100],
        },
        8, names={"user": [7]},
    )  # fmt: skip
    written = tt.read_swf(result.to_swf(tmp_path / "loop.swf"))
    assert written.preceding.tolist() == [-1, 1, 1, -1, 3]


def test_progress_is_told():
    """Progress is reported up to 200 times, and at the end with all jobs."""
    told = []
    replay_with_feedback(
        log([(1, k * 100, k * 100 + 50) for k in range(500)]), "easy", progress=lambda *now: told.append(now)
    )
    assert told[-1][1:] == (500, 500)
    assert 100 < len(told) <= 202


def test_jobs_behind_one_that_never_starts_are_told_of():
    """The result says which jobs were never submitted."""
    result = replay_with_feedback(log([(1, 0, 10), (1, 100, 110)]), lambda view, now: [])
    assert len(result) == 1
    assert "1 jobs were never submitted" in result.notes[-1]
