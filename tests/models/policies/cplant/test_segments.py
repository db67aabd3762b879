"""Runtime limits: jobs become chains of segments."""

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.models.policies.cplant.twin import chains
from tests.models.policies.cplant.workloads import OVERRUNS, PROCESSORS, as_trace, workloads
from thinktime.analysis.fairness import originals
from thinktime.workloads.segments import split


def test_the_hand_example():
    """A run of 200 h is cut into segments of 72, 72 and 56 h, each with an estimate of 72 h."""
    hour = 3600.0
    trace = tt.Trace(
        {"id": [7], "submit": [0], "runtime": [200 * hour], "requested_time": [240 * hour], "allocated": [1]}
    )
    found = split(trace, 72 * hour)
    assert [run / hour for run in (*found.cut.runtime, *found.cut.later_runtime)] == [72, 72, 56]
    assert [each / hour for each in (*found.cut.estimate, *found.cut.later_estimate)] == [72, 72, 72]
    assert found.ids.tolist() == [7, 8, 9] and found.original.tolist() == [0, 0, 0]


def test_estimates():
    """A segment's estimate is what is left of the job's, and at least its length."""
    trace = tt.Trace(
        {"submit": [0, 0, 0], "runtime": [25, 8, 20], "requested_time": [24, 99, 20], "allocated": [1, 1, 1]}
    )
    found = split(trace, 10.0)
    assert found.cut.estimate.tolist() == [10, 10, 10]
    assert found.cut.later_estimate.tolist() == [10, 5, 10]
    assert found.original.tolist() == [0, 1, 2, 0, 0, 2]


@settings(max_examples=100, deadline=None)
@given(workloads(), st.integers(2, 12))
def test_splitting_is_the_twins(workload, limit):
    """Lengths, estimates, numbers and order of segments are the twin's."""
    jobs, owner = workload
    first, follower, _, _ = chains(jobs, owner, limit)
    found = split(as_trace(jobs, owner), float(limit))
    runtimes = [*found.cut.runtime, *found.cut.later_runtime]
    estimates = [*found.cut.estimate, *found.cut.later_estimate]
    expected = [(j.id, j.runtime, j.estimate) for j in (*first, *follower.values())]
    assert list(zip(found.ids.tolist(), runtimes, estimates, strict=True)) == expected


@settings(max_examples=60, deadline=None)
@given(workloads(), st.integers(2, 12), st.sampled_from(OVERRUNS), st.sampled_from(["easy", "conservative", "none"]))
def test_segments_conserve_work_and_follow_each_other(workload, limit, overrun, policy):
    """Processor-seconds are those of the log, and each segment is submitted at the end of the one before."""
    jobs, owner = workload
    trace = as_trace(jobs, owner)
    segments = split(trace, float(limit))
    work = float((trace.runtime * trace.processors).sum())
    result = tt.replay(trace, f"{policy}:runtime_limit={limit}s", PROCESSORS, overrun=overrun)
    assert len(result) == len(segments)
    assert float((result["runtime"] * result["processors"]).sum()) == work
    original = segments.originals(result["id"])
    for row in range(len(trace)):
        mine = np.flatnonzero(original == row)
        mine = mine[np.argsort(result["start"][mine], kind="stable")]
        assert (result["submit"][mine][1:] == result["end"][mine][:-1]).all()
        assert (result["user"][mine] == result["user"][mine][0]).all()
        if len(mine) > 1:
            assert (result["state"][mine] == tt.State.FINISHED).all()
            assert (result["end"] - result["start"])[mine].sum() == trace.runtime[row]


def test_a_result_says_what_the_limit_did():
    """Segments follow each other, and a note counts them."""
    trace = tt.Trace({"submit": [0, 1], "runtime": [250, 30], "requested_time": [250, 30], "allocated": [1, 1]})
    result = tt.replay(trace, "easy:runtime_limit=100s", 2)
    assert result["start"].tolist() == [0, 1, 100, 200]
    assert result.notes == ["runtime limit 100 s: 1 jobs were split, 4 jobs and segments in place of 2 jobs"]
    assert result.policy == "easy:order=fcfs,runtime_limit=100s,reservations=1"


@settings(max_examples=30, deadline=None)
@given(workloads(), st.integers(2, 12), st.sampled_from(OVERRUNS))
def test_results_per_job_of_the_log(workload, limit, overrun):
    """A job's result reaches from its first submission to its last end, with waits and runs added up."""
    jobs, owner = workload
    segments = split(as_trace(jobs, owner), float(limit))
    result = tt.replay(segments.trace, f"easy:runtime_limit={limit}s", PROCESSORS, overrun=overrun)
    table = originals(result, segments, ones=np.ones(len(result))).set_index("id")
    assert sorted(table.index) == sorted(job.id for job in jobs)
    assert table["segments"].tolist() == table["ones"].tolist()
    assert table["segments"].sum() == len(segments)
    assert (table["response_time"] == table["wait"] + table["run"]).all()
    for job in jobs:
        row = table.loc[job.id]
        assert (row["submit"], row["processors"]) == (job.submit, job.processors)
        if row["segments"] > 1:
            assert row["run"] == job.runtime


def test_wrong_limits():
    """A limit is a positive length, and a hold cannot be longer."""
    trace = tt.Trace({"submit": [0], "runtime": [250], "allocated": [1]})
    with pytest.raises(ValueError, match="a runtime limit is at least 1 s, not 0"):
        split(trace, 0)
    machine = tt.Machine(simpy.Environment(), 4, "easy:runtime_limit=100s")
    with pytest.raises(ValueError, match="a hold cannot be split: give an estimate of at most that, not inf"):
        machine.request()
    assert machine.request(estimate=100).id == 1


def test_segments_are_not_killed_at_the_original_request():
    """A job of 200 h that asked for 100 h runs whole in segments of 72 h."""
    job = tt.Trace({"submit": [0], "runtime": [200 * tt.HOUR], "requested_time": [100 * tt.HOUR], "allocated": [1]})
    whole = tt.replay(job, "easy", 1, overrun="kill")
    split = tt.replay(job, "cons.72max", 1, overrun="kill")
    assert (whole["end"] - whole["start"]).tolist() == [100 * tt.HOUR]
    assert (split["end"] - split["start"]).tolist() == [72 * tt.HOUR, 72 * tt.HOUR, 56 * tt.HOUR]
    assert not (split["state"] == tt.State.KILLED).any()
