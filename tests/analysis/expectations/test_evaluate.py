"""From expectations to what users got: violations, tardiness, capacities, batches."""

import math

import numpy as np
import pytest

import thinktime as tt
from thinktime.analysis.expectations.capacity import Capacity, active_time
from thinktime.analysis.expectations.eet import expected_ends
from thinktime.analysis.expectations.evaluate import evaluate
from thinktime.analysis.expectations.evaluated_site import recorded_result
from thinktime.analysis.expectations.heatmap import usage
from thinktime.analysis.expectations.job_batches import as_batches, batch_numbers
from thinktime.models.results.result import Result
from thinktime.workloads import Trace


def schedule(rows, processors, memory=None):
    """A result of (user, submit, start, end, processors) rows."""
    users = list(dict.fromkeys(row[0] for row in rows))
    names = ("submit", "start", "end", "processors")
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names, start=1)}
    columns["user"] = [users.index(row[0]) for row in rows]
    if memory is not None:
        columns["memory"] = memory
    return Result.from_columns(columns, processors, names={"user": users})


def fixed(processors, memory=None, **more):
    """The same capacity for all users."""
    return Capacity("constant", (processors, memory), **more)


def test_figure_3_has_no_violation():
    """Two users with the jobs of Table 1 on six processors have all their expectations met."""
    rows = [("a", 0, 0, 4, 2), ("a", 1, 1, 2, 2), ("b", 0, 0, 4, 2), ("b", 1, 2, 3, 2)]
    found = evaluate(schedule(rows, 6), Capacity("users"))
    assert found.chosen.processors == 3
    assert found.eet.tolist() == [4, 3, 4, 3]
    assert not found.violated.any()
    assert found.users()["veet"].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("starts", "mean_wait", "violated"), [([0, 1, 2, 2, 0, 1], 1.0, None), ([0, 1, 2, 3, 0, 2], 4 / 3, 0)]
)
def test_the_introductions_schedules(starts, mean_wait, violated):
    """The introduction's schedules of a blue and an orange user have mean waits of 1 and 4/3."""
    rows = [("blue", 0, s, s + 1, 1) for s in starts[:4]]
    rows += [("orange", 0, s, s + 2, 1) for s in starts[4:]]
    if violated is None:  # the first schedule: blue's jobs first, on both resources
        rows = [("blue", 0, s, s + 1, 1) for s in (0, 0, 1, 1)]
        rows += [("orange", 0, s, s + 2, 1) for s in (2, 2)]
    result = schedule(rows, 2)
    assert np.mean(result["start"] - result["submit"]) == pytest.approx(mean_wait)
    found = evaluate(result, fixed(1))
    if violated is None:
        assert found.users().loc["orange", "violated"] == 1  # the first of orange's is expected at 2
        assert found.users().loc["blue", "violated"] == 0
    else:
        assert found.violated.sum() == violated


def test_formulas():
    """VEET, tardiness and weighted tardiness of one user are those worked out by hand."""
    rows = [("a", 0, 0, 10, 2), ("a", 0, 10, 20, 3), ("b", 0, 0, 5, 1)]
    found = evaluate(schedule(rows, 4), fixed(4))
    assert found.eet.tolist() == [10, 14, 5]  # the second gets 2 for 10 s, then 3 for 4 s
    table = found.users()
    assert table.loc["a"].tolist() == [2, 1, 50.0, 6.0, 18.0, 50.0]
    assert table.loc["b", ["jobs", "violated", "veet", "weighted_tardiness"]].tolist() == [1, 0, 0, 0]
    assert evaluate(schedule(rows, 4), fixed(4), tolerance=6.0).violated.sum() == 0
    assert evaluate(schedule(rows, 4), fixed(4), tolerance=5.0).violated.sum() == 1


def test_the_later_of_two_resources():
    """The EET is the later one of processors and memory, and that of processors for jobs without memory."""
    rows = [("a", 0, 0, 4, 2), ("a", 0, 0, 4, 2), ("a", 0, 0, 4, 2)]
    result = schedule(rows, 8, memory=[3.0, 3.0, np.nan])
    both = evaluate(result, fixed(8, 6), memory=100)
    assert both.memory[:2].tolist() == [6.0, 6.0]
    assert both.eet.tolist() == [4, 8, 4]
    assert evaluate(result, fixed(8)).eet.tolist() == [4, 4, 4]


def test_capacity_of_mean_active_users():
    """The default capacity is ceil(P / k), k being the mean number of active users counted by the second."""
    random = np.random.default_rng(3)
    for _ in range(60):
        rows = []
        for _ in range(int(random.integers(1, 25))):
            submit = int(random.integers(0, 80))
            start = submit + int(random.integers(0, 9))
            rows.append((f"u{random.integers(5)}", submit, start, start + int(random.integers(0, 15)), 1))
        first, last = min(row[1] for row in rows), max(row[3] for row in rows)
        active = sum(len({row[0] for row in rows if row[1] <= second < row[3]}) for second in range(first, last))
        processors = int(random.integers(1, 500))
        expected = math.ceil(processors * (last - first) / active) if active else processors
        assert evaluate(schedule(rows, processors)).chosen.processors == min(expected, processors)


def test_active_time_counts_gaps_once():
    """Overlapping and touching jobs of one user count once, gaps not at all."""
    user, submit, end = np.array([0, 0, 0]), np.array([0.0, 2.0, 8.0]), np.array([3.0, 5.0, 9.0])
    assert active_time(user, submit, end) == (6 * 1024, 9 * 1024)


def test_other_capacities():
    """The capacity may be all users' number, a share, or a number for single users."""
    rows = [(user, 0, 0, 4, 1) for user in ("a", "b", "c")]
    result = schedule(rows, 10)
    assert evaluate(result, Capacity("users")).chosen.processors == 4
    shared = evaluate(result, Capacity("shares", shares={"a": 3.0})).chosen
    assert [shared.of(user)["processors"] for user in "abc"] == [6, 2, 2]
    own = evaluate(result, Capacity("users", of_users={"b": (9, None)})).chosen
    assert [own.of(user)["processors"] for user in "abc"] == [4, 9, 4]
    assert "3 users" in own.said


def test_fairshare_aware_capacity_expects_less_after_usage():
    """A user who had the machine alone expects less later, but at least one processor."""
    rows = [("a", 0, 0, 1_000, 4), ("b", 0, 1_000, 1_010, 4), ("a", 1_000, 1_010, 1_020, 4)]
    result = schedule(rows, 4)
    plain, aware = evaluate(result, fixed(2)), evaluate(result, fixed(2, fairshare=True))
    assert aware.eet[:2].tolist() == plain.eet[:2].tolist()
    # a used everything: U = 1, S = 1/2, so it expects 2 * 2^(1 - 2) = 1
    assert aware.eet[2] > plain.eet[2]
    again = expected_ends([0, 1_000], [4, 4], [1_000, 10], [2, 1])
    assert aware.eet[2] == again[1]


def test_one_eet_per_batch():
    """Jobs submitted within a minute are one batch: over with its last job, expected at its latest EET."""
    rows = [("a", 0, 0, 10, 1), ("a", 5, 10, 20, 1), ("a", 500, 500, 510, 1), ("b", 6, 6, 16, 1)]
    jobs = evaluate(schedule(rows, 4), fixed(1))
    numbers = batch_numbers(jobs)
    assert numbers.tolist() == [0, 0, 1, 2]
    batches = as_batches(jobs, numbers)
    assert batches.eet.tolist() == [20, 510, 16]
    assert batches.end.tolist() == [20, 510, 16]
    assert batches.processors.tolist() == [2, 1, 1]
    assert batches.users()["jobs"].to_dict() == {"a": 2, "b": 1}


def test_filters():
    """Users and queues are selected by name, and EETs stay those among all jobs of a user."""
    rows = [("a", 0, 0, 4, 1), ("a", 0, 4, 8, 1), ("b", 0, 0, 4, 1)]
    found = evaluate(schedule(rows, 2), fixed(1))
    assert found.only(users=["a"]).eet.tolist() == [4, 8]
    assert len(found.only(users=["b"])) == len(found.without(users=["a"])) == 1
    assert len(found.only(queues=["1"])) == 0


def test_recorded_schedule():
    """A log's own schedule starts jobs at submit + wait, and counts the jobs without a wait."""
    trace = Trace(
        {"submit": [0, 5, 6], "wait": [2, np.nan, 0], "runtime": [4, 1, 3], "allocated": [1, 1, 2],
         "user": [3, 3, -1], "requested_memory": [2, -1, -1]}
    )  # fmt: skip
    result = recorded_result(trace, 4)
    assert result["start"].tolist() == [2, 6]
    assert result.dropped == {"no recorded wait": 1}
    assert result.labels("user").tolist() == [3, None]
    assert evaluate(result, fixed(4)).users().index.tolist() == ["-1", "3"]
    with pytest.raises(ValueError, match="no waits"):
        recorded_result(trace.with_columns(wait=[np.nan] * 3), 4)


def test_killed_jobs_count_with_the_run_time_they_had():
    """A job that was killed at its estimate is expected to end when it was ended."""
    trace = Trace({"submit": [0], "runtime": [100], "requested_time": [10], "allocated": [1]})
    found = evaluate(tt.replay(trace, "fcfs", 2), fixed(2))
    assert found.runtime.tolist() == [10]
    assert found.eet.tolist() == [10]


def test_interrupted_jobs_are_expected_after_their_work():
    """Time that is lost, checkpoints and restarts put off no EET; usage is that of all runs."""
    changes = tt.Changes(outages=tt.Outages.of([(90, 120, "0")]), checkpoint=30, cost=5, restart=10)
    log = Trace({"submit": [0.0], "runtime": [100.0], "allocated": [1], "user": [1]})
    result = tt.replay(log, "easy", 1, changes=changes)
    assert result.runs[["start", "end", "progress"]].to_numpy().tolist() == [[0, 90, 60], [120, 175, 40]]
    found = evaluate(result, fixed(1))
    assert (found.eet.tolist(), found.end.tolist(), found.runtime.tolist()) == ([100.0], [175.0], [100.0])
    edges = np.array([0.0, 90.0, 120.0, 175.0])
    assert usage(found.select(np.array([0])), edges)["processors"].tolist() == [1.0, 0.0, 1.0]
