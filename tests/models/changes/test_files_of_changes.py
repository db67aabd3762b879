"""Files of results of machines that change: SWF with a line for each run, and Batsim's jobs.csv with resubmissions."""

import numpy as np
import pandas as pd

from tests.models.changes.case import Case, Job, Options, Outage, describe
from tests.models.changes.cases import random_cases
from tests.models.changes.engine import engine_result
from thinktime.models.state import State
from thinktime.workloads.swf.read import read_swf

AGAIN = Case(
    4,
    (Job(1, 0, 2, 100, 100), Job(2, 0, 2, 50, 50), Job(7, 60, 3, 30, 20), Job(8, 60, 4, 5, 5)),
    outages=(Outage(20, 200, frozenset({1})), Outage(160, 190, frozenset({3}))),
    options=Options(),
)
"""Job 1 runs twice; job 7 fails once and is killed at its limit of 20 s; job 8 waits for all processors."""


def lines(path) -> list[str]:
    return [line for line in path.read_text().splitlines() if not line.startswith(";")]


def test_swf_has_a_line_for_each_run(tmp_path):
    """A job of several runs has its whole, and then its runs, of which only the first has a submission."""
    result = engine_result(AGAIN)
    path = result.to_swf(tmp_path / "log.swf")
    assert lines(path) == [
        "1 0 0 120 2 -1 -1 2 100 -1 1 -1 -1 -1 -1 -1 -1 -1", "1 0 0 20 2 -1 -1 2 100 -1 2 -1 -1 -1 -1 -1 -1 -1",
        "1 -1 30 100 2 -1 -1 2 100 -1 3 -1 -1 -1 -1 -1 -1 -1", "2 0 0 50 2 -1 -1 2 50 -1 1 -1 -1 -1 -1 -1 -1 -1",
        "7 60 90 30 3 -1 -1 3 20 -1 0 -1 -1 -1 -1 -1 -1 -1", "7 60 90 10 3 -1 -1 3 20 -1 2 -1 -1 -1 -1 -1 -1 -1",
        "7 -1 30 20 3 -1 -1 3 20 -1 4 -1 -1 -1 -1 -1 -1 -1", "8 60 150 5 4 -1 -1 4 5 -1 1 -1 -1 -1 -1 -1 -1 -1",
    ]  # fmt: skip
    text = path.read_text()
    for line in ("MaxJobs: 4", "MaxRecords: 8", "Preemption: Double", "Note: a job of several runs has a line for the"):
        assert f"; {line}" in text


def test_swf_with_the_work_is_a_log_to_replay(tmp_path):
    """With `work`, field 4 is what jobs would run undisturbed, and no line is of a part of a job."""
    path = engine_result(AGAIN).to_swf(tmp_path / "log.swf", work=True)
    assert [line.split()[3] for line in lines(path)] == ["100", "50", "30", "5"]
    assert "Preemption" not in path.read_text()
    assert read_swf(path).report.dropped == {}


def test_swf_of_runs_is_read_back(tmp_path):
    """Reading gives every job that ran and is over once, with the length of all its runs, lost work included."""
    for case in random_cases("files", 25):
        result = engine_result(case)
        trace = read_swf(result.to_swf(tmp_path / "log.swf"))
        over = np.isfinite(result["start"]) & (result["state"] >= State.FINISHED)
        over &= ~((result["state"] == State.WITHDRAWN) | (result["state"] == State.REFUSED))
        jobs, runs = result["id"][over], result.runs
        lengths = (runs["end"] - runs["start"]).groupby(runs["job"]).sum()
        assert sorted(trace.id.tolist()) == sorted(jobs.tolist()), describe(case)
        assert [lengths[job] for job in trace.id.tolist()] == trace.runtime.tolist(), describe(case)
        several = [count for count in runs[runs["job"].isin(jobs)].groupby("job").size() if count > 1]
        assert trace.report.repaired.get("burst line replaced by its total line", 0) == sum(several), describe(case)
        assert "job number used twice" not in trace.report.noted


def test_jobs_csv_submits_interrupted_jobs_again(tmp_path):
    """Each run is a row, the second of job 1 is `1#1`; its resources are those that it had."""
    table = pd.read_csv(engine_result(AGAIN).to_csv(tmp_path / "jobs.csv"), dtype={"job_id": str})
    assert table["job_id"].tolist() == ["1", "1#1", "2", "7", "7#1", "8"]
    assert table["submission_time"].tolist() == [0, 20, 0, 60, 160, 60]
    assert table["waiting_time"].tolist() == [0, 30, 0, 90, 30, 150]
    assert table["execution_time"].tolist() == [20, 100, 50, 10, 20, 5]
    assert table["allocated_resources"].tolist() == ["0-1", "0 2", "2-3", "0 2-3", "0 2-3", "0-3"]
    killed, whole = "COMPLETED_KILLED", "COMPLETED_SUCCESSFULLY"
    assert table["final_state"].tolist() == [killed, whole, whole, killed, "COMPLETED_WALLTIME_REACHED", whole]
    assert table["success"].tolist() == [0, 1, 1, 0, 0, 1]


def test_jobs_csv_has_every_run():
    """Rows and runs are as many, but for jobs that never ran, which have a row each; ids are unique."""
    from thinktime.models.results.batsim_export import jobs_table

    for case in random_cases("rows", 25):
        result = engine_result(case)
        table, runs = jobs_table(result), result.runs
        ran = table.dropna(subset="starting_time")
        assert (
            table["job_id"].is_unique and len(ran) == len(runs) and len(table) - len(ran) == (result["runs"] == 0).sum()
        )
        assert ran["starting_time"].tolist() == runs["start"].tolist()
        assert ran["allocated_resources"].tolist() == runs["indices"].tolist()
        assert (ran["waiting_time"] >= 0).all()
