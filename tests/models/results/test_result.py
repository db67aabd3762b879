"""Results: their columns, tables and summary, and the files they write."""

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import simpy

from thinktime.models.machine.machine import Machine
from thinktime.models.results.result import Result
from thinktime.models.results.schedule import COLUMNS
from thinktime.models.results.swf_export import label_numbers, preceding
from thinktime.models.state import State
from thinktime.workloads.files import whole_or_nothing
from thinktime.workloads.job import Job
from thinktime.workloads.swf.read import read_swf

NAN = np.nan

BATSIM = (
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
    "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,"
    "consumed_energy,metadata"
)
EVALYS = [name for name in BATSIM.split(",") if name not in ("profile", "final_state", "consumed_energy", "metadata")]


@pytest.fixture
def every_state() -> Result:
    """One job for each way to be, of ann (a label) and of user 7 (a number), in campaigns."""
    rows: list[tuple[Any, ...]] = [
        # id, user, campaign, submit, start, end, n, estimate, state, think time
        (1, 0, 0, 0.0, 0.0, 10.0, 2, 20.0, State.FINISHED, NAN),
        (2, 0, 0, 0.0, 1.0, 21.0, 1, 20.0, State.KILLED, NAN),
        (3, 1, -1, 5.0, 6.0, 8.5, 1, 20.0, State.KILLED, NAN),
        (4, 0, 1, 30.5, 30.5, 40.0, 2, 20.0, State.FINISHED, 9.5),
        (5, 1, -1, 31.0, NAN, 35.0, 1, 20.0, State.WITHDRAWN, NAN),
        (6, 1, -1, 32.0, NAN, NAN, 9, 20.0, State.REFUSED, NAN),
        (7, 0, 2, 45.0, 50.0, NAN, 1, 200.0, State.RUNNING, 5.0),
        (8, 0, 2, 45.0, NAN, NAN, 4, 20.0, State.WAITING, 5.0),
    ]
    names = ("id", "user", "campaign", "submit", "start", "end", "processors", "estimate", "state", "think_time")
    columns = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    result = Result.from_columns(columns, 4, names={"user": ["ann", 7]}, policy="easy", now=100.0)
    memory = np.where(result["id"] == 1, 2.0**20, NAN)
    return Result(
        {**result.columns, "memory": memory},
        result.names,
        4,
        "easy",
        "kill",
        100.0,
        dropped={"wide": 2},
        unix_start=1e9,
        zone="UTC",
    )


def test_a_result_has_exactly_the_documented_columns() -> None:
    """A missing or unknown column is refused, and so are columns of different lengths."""
    columns: dict[str, Any] = {name: np.zeros(2) for name in COLUMNS}
    with pytest.raises(ValueError, match=r"missing \['user'\] and unknown \['usr'\]"):
        Result({**{k: v for k, v in columns.items() if k != "user"}, "usr": np.zeros(2)}, {}, 1, "p", "kill", 0)
    with pytest.raises(ValueError, match="one length"):
        Result({**columns, "user": np.zeros(3)}, {}, 1, "p", "kill", 0)


def test_columns_cannot_be_written(every_state: Result) -> None:
    """The columns of a result are read-only."""
    with pytest.raises(ValueError, match="read-only"):
        every_state["start"][0] = 1


def test_the_table_of_jobs_shows_labels_and_states(every_state: Result) -> None:
    """The table of jobs keeps the machine's order, with labels for codes and words for states."""
    jobs = every_state.jobs
    assert jobs["user"].tolist() == ["ann", "ann", 7, "ann", 7, 7, "ann", "ann"]
    assert jobs["group"].isna().all()
    assert jobs["state"].tolist() == [State(code).label for code in every_state["state"]]
    assert [jobs[name][0] for name in ("wait", "response_time", "slowdown", "bounded_slowdown_10")] == [0, 10, 1, 1]


def test_labels_that_are_numbers_stay_whole() -> None:
    """A column of users known by number is a column of whole numbers."""
    result = Result.from_columns(
        {"submit": [0], "start": [0], "end": [1], "processors": [1], "user": [0]}, 1, names={"user": [7]}
    )
    assert result.jobs["user"].dtype.kind == "i"
    assert result.users.index.tolist() == [7]


def test_a_table_may_be_extended_without_harm(every_state: Result) -> None:
    """A column that a caller adds to a table is not there for the next caller."""
    table = every_state.jobs
    table["mine"] = 1
    assert "mine" not in every_state.jobs


def test_the_table_of_users_adds_up(every_state: Result) -> None:
    """Each user's jobs are counted by state, use runs to the horizon, and means are over ended jobs."""
    ann = every_state.users.loc["ann"]
    counts = ("jobs", "finished", "killed", "withdrawn", "refused", "waiting", "running")
    assert [ann[name] for name in counts] == [5, 2, 1, 0, 0, 1, 1]
    assert ann["processor_seconds"] == 20 + 20 + 19 + 50
    assert [ann[name] for name in ("mean_wait", "median_wait", "max_wait")] == [1 / 3, 0, 1]
    assert ann["mean_response_time"] == (10 + 21 + 9.5) / 3


def test_the_table_of_campaigns(every_state: Result) -> None:
    """A campaign lasts from its first submission to its last end, once all its jobs are over."""
    campaigns = every_state.campaigns
    assert campaigns["user"].tolist() == ["ann"] * 3
    assert campaigns["jobs"].tolist() == [2, 1, 2]
    np.testing.assert_array_equal(campaigns["end"], [21, 40, NAN])
    np.testing.assert_array_equal(campaigns["response_time"], [21, 9.5, NAN])
    np.testing.assert_array_equal(campaigns["work"], [40, 19, 50])
    np.testing.assert_array_equal(campaigns["think_time"], [NAN, 9.5, 5])


def test_the_counts_of_a_summary(every_state: Result) -> None:
    """The states add up to the jobs, and what the cleaning dropped is named beside them."""
    summary = every_state.summary()
    states = ["finished", "killed", "withdrawn", "refused", "waiting", "running"]
    assert [summary[name] for name in states] == [2, 2, 1, 1, 1, 1]
    assert summary["jobs"] == sum(summary[name] for name in states) == len(every_state)
    assert summary["dropped"] == 2


def test_percentiles_are_linear() -> None:
    """Percentiles lie between the two nearest values in proportion."""
    result = Result.from_columns({"submit": [0, 0], "start": [0, 100], "end": [1, 101], "processors": [1, 1]}, 1)
    summary = result.summary()
    assert [summary[f"{each}_wait"] for each in ("mean", "median", "p95", "p99", "max")] == [50, 50, 95, 99, 100]


def test_a_summary_is_fit_for_json_and_for_reading() -> None:
    """Of an empty result the plain dictionary holds None where the summary holds NaN, and the text a dash."""
    empty = Result.from_columns({"submit": [], "start": [], "end": [], "processors": []}, 4)
    plain = json.loads(json.dumps(empty.summary().to_dict(), allow_nan=False))
    assert plain["jobs"] == 0
    assert plain["mean_wait"] is None
    assert "mean" in str(empty.summary())
    assert [len(table) for table in (empty.jobs, empty.users, empty.campaigns)] == [0, 0, 0]


def test_results_and_summaries_can_be_sent_to_other_processes(every_state: Result) -> None:
    """A result survives pickling, and so does its summary."""
    back = pickle.loads(pickle.dumps(every_state))
    assert pickle.loads(pickle.dumps(every_state.summary())).to_dict() == back.summary().to_dict()


def test_a_notebook_shows_the_summary(every_state: Result) -> None:
    """The rich form of a result is HTML with its numbers; markup in names is escaped."""
    odd = Result(dict(every_state.columns), every_state.names, 4, "<easy>", "kill", 100.0)
    assert "&lt;easy&gt;" in odd._repr_html_()
    assert "utilization" in odd._repr_html_()


def test_csv_has_batsims_columns(every_state: Result, tmp_path: Path) -> None:
    """jobs.csv has Batsim's columns in its order, one row per job, and those that Evalys asks for."""
    path = every_state.to_csv(tmp_path / "jobs.csv")
    lines = path.read_text().splitlines()
    assert lines[0] == BATSIM
    assert lines[1] == "1,w0,delay_10,0.0,2,20.0,1,COMPLETED_SUCCESSFULLY,0.0,10.0,10.0,0.0,10.0,1.0,0-1,-1,"
    assert len(pd.read_csv(path, usecols=EVALYS)) == 8
    assert [file.name for file in tmp_path.iterdir()] == ["jobs.csv"]


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """An error while writing leaves the old file as it was, and nothing beside it."""
    target = tmp_path / "jobs.csv"
    target.write_text("old")

    def broken() -> None:
        with whole_or_nothing(target) as temporary:
            temporary.write_text("half")
            raise RuntimeError("disk on fire")

    with pytest.raises(RuntimeError, match="disk on fire"):
        broken()
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("jobs.csv", "old")]


def test_csv_says_what_became_of_each_job(every_state: Result, tmp_path: Path) -> None:
    """Kills at the estimate, other kills and jobs that never ran are told apart, and gaps stay empty."""
    table = pd.read_csv(every_state.to_csv(tmp_path / "jobs.csv", workload="kth"))
    assert table["final_state"].tolist() == [
        "COMPLETED_SUCCESSFULLY", "COMPLETED_WALLTIME_REACHED", "COMPLETED_KILLED", "COMPLETED_SUCCESSFULLY",
        "REJECTED", "REJECTED", "RUNNING", "SUBMITTED",
    ]  # fmt: skip
    assert table.loc[4:5, "starting_time":"consumed_energy"].isna().all(axis=None)
    assert table["workload_name"].eq("kth").all()


def test_swf_lines(every_state: Result, tmp_path: Path) -> None:
    """Every job has a line of 18 fields with its fate, and the loop between campaigns in the last two."""
    lines = every_state.to_swf(tmp_path / "log.swf").read_text().splitlines()
    jobs = [line for line in lines if not line.startswith(";")]
    assert jobs == [
        "1 0 0 10 2 -1 -1 2 20 1024 1 1 -1 -1 -1 -1 -1 -1", "2 0 1 20 1 -1 -1 1 20 -1 0 1 -1 -1 -1 -1 -1 -1",
        "3 5 1 2.5 1 -1 -1 1 20 -1 0 7 -1 -1 -1 -1 -1 -1", "4 30.5 0 9.5 2 -1 -1 2 20 -1 1 1 -1 -1 -1 -1 2 9.5",
        "5 31 -1 -1 -1 -1 -1 1 20 -1 5 7 -1 -1 -1 -1 -1 -1", "6 32 -1 -1 -1 -1 -1 9 20 -1 5 7 -1 -1 -1 -1 -1 -1",
        "7 45 5 -1 1 -1 -1 1 200 -1 -1 1 -1 -1 -1 -1 4 5", "8 45 -1 -1 -1 -1 -1 4 20 -1 -1 1 -1 -1 -1 -1 4 5",
    ]  # fmt: skip


def test_swf_header(every_state: Result, tmp_path: Path) -> None:
    """The header names the machine, the conditions, what was dropped, and the users that got numbers."""
    lines = every_state.to_swf(tmp_path / "log.swf").read_text().splitlines()
    header = [line for line in lines if line.startswith(";")]
    for line in (
        "; Version: 2.2",
        "; MaxJobs: 8",
        "; MaxRecords: 8",
        "; MaxProcs: 4",
        "; UnixStartTime: 1000000000",
        "; TimeZoneString: UTC",
        "; Note: policy easy",
        "; Note: overrun kill",
        "; Note: dropped 2 (wide)",
        "; Note: user 1 is ann",
    ):
        assert line in header
    assert not any("is 7" in line for line in header)


def test_what_swf_writes_can_be_read(every_state: Result, tmp_path: Path) -> None:
    """Jobs that ran come back as they were; those that did not run are counted by the reader."""
    trace = read_swf(every_state.to_swf(tmp_path / "log.swf"))
    ran = np.isfinite(every_state["end"]) & np.isfinite(every_state["start"])
    assert trace.id.tolist() == every_state["id"][ran].tolist()
    assert trace.runtime.tolist() == (every_state["end"] - every_state["start"])[ran].tolist()
    assert trace.estimate.tolist() == every_state["estimate"][ran].tolist()
    assert trace.report.records == 8
    assert trace.machine_size == 4


def test_swf_may_be_compressed(every_state: Result, tmp_path: Path) -> None:
    """A name that ends with .gz gives the same text, compressed."""
    plain, packed = every_state.to_swf(tmp_path / "a.swf"), every_state.to_swf(tmp_path / "a.swf.gz")
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()


def test_think_times_follow_from_ends_where_none_is_known() -> None:
    """A campaign without a told think time follows the end of the one before, if that was over."""
    columns = {"submit": [0, 15, 18], "start": [0, 15, 20], "end": [10, 20, 25], "processors": [1, 1, 1]}
    result = Result.from_columns(columns | {"user": [0, 0, 0], "campaign": [0, 1, 2]}, 1, names={"user": ["ann"]})
    followed, thought = preceding(result)
    assert followed.tolist() == [-1, 1, -1]
    assert thought.tolist() == [-1, 5, -1]


def test_labels_get_numbers_that_no_other_label_has() -> None:
    """A whole number stays itself, other labels take the free numbers from 1 on."""
    assert label_numbers([2, "ann", True, 1, -5, "bob"]) == [2, 3, 4, 1, 5, 6]


def test_every_column_of_the_table_of_jobs_can_be_had(every_state):
    """`result[name]` has the measures of the table of jobs beside the machine's columns."""
    jobs = every_state.jobs
    for name in ("wait", "response_time", "slowdown", "bounded_slowdown_10"):
        assert np.array_equal(every_state[name], jobs[name], equal_nan=True)
    with pytest.raises(KeyError, match="did you mean 'slowdown'"):
        every_state["slowdwn"]


def test_campaigns_have_a_group():
    """It is that of the job submitted first; None where jobs have none."""
    env = simpy.Environment()
    machine = Machine(env, processors=4)
    machine.submit_campaign([Job(runtime=5, group="physics"), Job(runtime=5, group="physics")])
    machine.submit_campaign([Job(runtime=5)])
    env.run()
    first, second = machine.result().campaigns["group"]
    assert first == "physics" and pd.isna(second)
