"""Runtime limits: jobs become chains of segments."""

from __future__ import annotations

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.models.policies.cplant.twin import chains
from tests.models.policies.cplant.workloads import OVERRUNS, PROCESSORS, as_trace, workloads
from thinktime.analysis.fairness import originals
from thinktime.models.policies import from_spec
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.segments import split


def test_the_hand_example():
    """Run 200 h, estimate 240 h: segments of 72, 72 and 56 h, each with an estimate of 72 h."""
    hour = 3600.0
    trace = tt.Trace(
        {"id": [7], "submit": [0], "runtime": [200 * hour], "requested_time": [240 * hour], "allocated": [1]}
    )
    found = split(trace, 72 * hour)
    runs = [*found.first.runtime, *found.later.runtime]
    assert [run / hour for run in runs] == [72, 72, 56]
    assert [each / hour for each in [*found.first.estimate, *found.later.estimate]] == [72, 72, 72]
    assert [*found.first.id, *found.later.id] == [7, 8, 9]
    assert found.after.tolist() == [0, 1] and found.original.tolist() == [0, 0, 0]


def test_estimates():
    """A segment's estimate is what is left of the job's, at least its length; whole jobs are capped, or not."""
    trace = tt.Trace(
        {"submit": [0, 0, 0], "runtime": [25, 8, 20], "requested_time": [24, 99, 20], "allocated": [1, 1, 1]}
    )
    found = split(trace, 10.0)
    assert found.first.estimate.tolist() == [10, 10, 10] and found.later.estimate.tolist() == [10, 5, 10]
    assert split(trace, 10.0, cap=False).first.estimate.tolist() == [10, 99, 10]
    assert found.split == 2


@settings(max_examples=100, deadline=None)
@given(workloads(), st.integers(2, 12))
def test_splitting_is_the_twins(workload, limit):
    """Lengths, estimates, numbers and order of all segments."""
    jobs, owner = workload
    first, follower, _, _ = chains(jobs, owner, limit)
    found = split(as_trace(jobs, owner), float(limit))
    assert [(j.id, j.runtime, j.estimate) for j in first] == rows(found.first)
    assert [(j.id, j.runtime, j.estimate) for j in follower.values()] == rows(found.later)


def rows(trace):
    """Number, run time and estimate."""
    return list(zip(trace.id.tolist(), trace.runtime.tolist(), trace.estimate.tolist(), strict=True))


@settings(max_examples=60, deadline=None)
@given(
    workloads(),
    st.integers(2, 12),
    st.sampled_from(OVERRUNS),
    st.sampled_from(["easy", "cons.72max", "fcfs"]),
)
def test_segments_conserve_work_and_follow_each_other(workload, limit, overrun, policy):
    """Processor-seconds are those of the log, and each segment is submitted at the end of the one before."""
    jobs, owner = workload
    trace = as_trace(jobs, owner)
    segments = split(trace, float(limit))
    work = float((trace.runtime * trace.processors).sum())
    parts = [
        *segments.first.runtime * segments.first.processors,
        *segments.later.runtime * segments.later.processors,
    ]
    assert sum(parts) == work
    result = tt.replay(segments, policy, PROCESSORS, overrun=overrun)
    original = segments.originals(result["id"])
    for row in range(len(trace)):
        mine = np.flatnonzero(original == row)
        mine = mine[np.argsort(result["start"][mine], kind="stable")]
        assert (result["submit"][mine][1:] == result["end"][mine][:-1]).all()
        assert (result["user"][mine] == result["user"][mine][0]).all()
        if len(mine) > 1:
            assert (result["state"][mine] == tt.State.FINISHED).all()
            assert (result["end"] - result["start"])[mine].sum() == trace.runtime[row]


def test_a_policy_with_a_limit_is_a_log_under_it():
    """``runtime_limit=`` does what splitting by hand does, and the result says so."""
    trace = tt.Trace(
        {"submit": [0, 1], "runtime": [250, 30], "requested_time": [250, 30], "allocated": [1, 1]}
    )
    by_text = tt.replay(trace, "easy:runtime_limit=100s", 2)
    by_hand = tt.replay(split(trace, 100.0), "easy", 2)
    assert by_text["start"].tolist() == by_hand["start"].tolist() == [0, 1, 100, 200]
    assert by_text.notes == ["runtime limit 100 s: 1 jobs were split, 4 jobs and segments in place of 2 jobs"]
    assert by_text.policy == "easy:order=fcfs,runtime_limit=100s,reservations=1"


@settings(max_examples=30, deadline=None)
@given(workloads(), st.integers(2, 12), st.sampled_from(OVERRUNS))
def test_results_per_job_of_the_log(workload, limit, overrun):
    """From the first submission to the last end; waits and runs add up; other columns are summed."""
    jobs, owner = workload
    segments = split(as_trace(jobs, owner), float(limit))
    result = tt.replay(segments, "easy", PROCESSORS, overrun=overrun)
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


@pytest.mark.parametrize("policy", ["easy:runtime_limit=100s", from_spec("cons.72max")])
def test_a_limit_that_nobody_applies_is_refused(policy):
    """Live users, users who react, nodes: nothing splits there, so a limit would silently be none."""
    refused = pytest.raises(ValueError, match="has a runtime limit, but nothing splits long jobs here")
    trace = tt.Trace({"submit": [0], "wait": [0], "runtime": [250], "allocated": [1], "user": [1]})
    with refused:
        tt.Machine(simpy.Environment(), 4, policy)
    with refused:
        tt.replay_with_feedback(trace, policy, 4)
    with refused:
        tt.replay(trace, policy, nodes=Nodes.uniform(1, 4))


def test_wrong_limits():
    """A limit is a positive length, and does not go with the log's own dependencies."""
    trace = tt.Trace({"submit": [0], "runtime": [250], "allocated": [1]})
    with pytest.raises(ValueError, match="a runtime limit is at least 1 s, not 0"):
        split(trace, 0)
    with pytest.raises(ValueError, match="do not go together"):
        tt.replay(trace, "easy:runtime_limit=100s", 2, dependencies=True)


def test_segments_are_not_killed_at_the_original_request():
    """Whole, a job of 200 h that asked for 100 h is ended there; in segments of 72 h it runs for 200 h."""
    job = tt.Trace(
        {"submit": [0], "runtime": [200 * tt.HOUR], "requested_time": [100 * tt.HOUR], "allocated": [1]}
    )
    whole = tt.replay(job, "easy", 1, overrun="kill")
    split = tt.replay(job, "cons.72max", 1, overrun="kill")
    assert (whole["end"] - whole["start"]).tolist() == [100 * tt.HOUR]
    assert (split["end"] - split["start"]).tolist() == [72 * tt.HOUR, 72 * tt.HOUR, 56 * tt.HOUR]
    assert not (split["state"] == tt.State.KILLED).any()
