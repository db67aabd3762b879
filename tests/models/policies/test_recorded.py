"""The log's own schedule as a policy."""

import numpy as np
import pytest

import thinktime as tt
from thinktime import State


def log(*jobs):
    """A log of jobs (submit, wait, runtime, processors), with estimates of 1 s that must not matter."""
    names = ("submit", "wait", "runtime", "requested_processors")
    columns = {name: [job[k] for job in jobs] for k, name in enumerate(names)}
    return tt.Trace(columns | {"requested_time": [1] * len(jobs)})


def test_every_job_starts_when_the_log_says():
    """Starts are the log's own, ends follow from the true run times, whatever the estimates."""
    result = tt.replay(log((0, 0, 10, 4), (1, 9, 5, 4), (2, 13, 0, 1), (3, 12, 7, 2)), "recorded", 4)
    assert result["start"].tolist() == [0, 10, 15, 15]
    assert result["end"].tolist() == [10, 15, 15, 22]
    assert (result["state"] == State.FINISHED).all()
    assert (result.policy, result.notes) == ("recorded", [])


@pytest.mark.parametrize("overrun", ["kill", "extend", "until_needed"])
def test_the_overrun_rule_does_not_matter(overrun):
    """Nothing is killed in a recorded schedule."""
    result = tt.replay(log((0, 0, 10, 3), (0, 5, 10, 3), (8, 0, 1, 4)), "recorded", 4, overrun=overrun)
    assert (result["start"].tolist(), result["end"].tolist()) == ([0, 5, 8], [10, 15, 9])


def test_a_schedule_that_exceeds_the_machine_is_reported():
    """The note says how many processors the log uses at most, and by how many processor-hours it exceeds."""
    result = tt.replay(log((0, 0, 7200, 3), (0, 3600, 7200, 3), (0, 10800, 5, 4)), "recorded", 4)
    assert result["start"].tolist() == [0, 3600, 10800]
    assert result.notes == [
        "recorded: the log uses up to 6 of 4 processors, 2 processor-hours beyond the machine in all"
    ]


def test_jobs_without_waits_start_at_their_submission():
    """They are counted in a note."""
    result = tt.replay(log((0, 3, 5, 1), (1, np.nan, 5, 1), (2, np.nan, 5, 1)), "recorded", 4)
    assert result["start"].tolist() == [3, 1, 2]
    assert result.notes == ["recorded: 2 jobs without a recorded start began at their submission"]


def test_a_log_without_waits_has_no_recorded_schedule():
    """Where no start is known there is nothing to show, and that is an error that says so."""
    with pytest.raises(ValueError, match="wait"):
        tt.replay(log((0, np.nan, 5, 1), (1, np.nan, 5, 1)), "recorded", 4)


def test_jobs_wider_than_the_machine_are_refused_here_too():
    """A recorded schedule may exceed the machine, a single job may not."""
    result = tt.replay(log((0, 0, 5, 5), (0, 0, 5, 4)), "recorded", 4)
    assert result["state"].tolist() == [State.REFUSED, State.FINISHED]


def test_recorded_starts_of_a_real_shape():
    """A thousand random starts come out as they went in."""
    rng = np.random.default_rng(7)
    submit = np.sort(rng.integers(0, 10_000, 1000))
    wait, runtime = rng.integers(0, 500, 1000), rng.integers(0, 2000, 1000)
    trace = log(*zip(submit, wait, runtime, rng.integers(1, 64, 1000), strict=True))
    result = tt.replay(trace, "recorded", 64)
    assert (result["start"] == trace.submit + trace.wait).all()
    assert (result["end"] - result["start"] == trace.runtime).all()


def test_processors_beyond_the_machine_are_not_a_gain():
    """Where the log uses more than there is, nothing idles: loss of capacity does not go below 0 there."""
    log = tt.Trace(
        {
            "submit": [0, 0, 0], "wait": [0, 0, 10], "runtime": [10, 10, 10], "requested_processors": [3, 3, 2],
            "requested_time": [10, 10, 10],
        }
    )  # fmt: skip
    summary = tt.replay(log, "recorded", 4).summary()
    assert summary["loss_of_capacity"] == 0.0
