"""What becomes of single rows: what is dropped, repaired, noted, and what values mean."""

import zoneinfo
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workloads.tables.conftest import PLAIN, Read, write
from thinktime.workloads.tables.eligible import conditions_of
from thinktime.workloads.tables.mapping import Mapping
from thinktime.workloads.tables.reader import read_table

MACHINE = [{"nodes": 4, "cores": 8}]
DENVER = zoneinfo.ZoneInfo("America/Denver")


def moment(text: str, fold: int = 0) -> float:
    """The Unix time of a clock in Denver, by Python's own time zones."""
    return datetime.fromisoformat(text).replace(tzinfo=DENVER, fold=fold).timestamp()


def test_a_row(read: Read) -> None:
    """Times count from the first submission; names are numbered in order of submission; a processor is a core."""
    trace = read([{"submit": "1700000005", "user": "bob"}, {}])
    assert trace.unix_start == 1_700_000_000
    assert trace.submit.tolist() == [0, 5] and trace.wait.tolist() == [10, 5] and trace.runtime.tolist() == [60, 60]
    assert trace.id.tolist() == [2, 1] and trace.processors.tolist() == [2, 2] and trace.estimate.tolist() == [100, 100]
    assert trace.user.tolist() == [1, 2] and trace.names["user"] == {1: "ann", 2: "bob"}
    assert trace.status.tolist() == [1, 1] and trace.report.dropped == {}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"submit": ""}, "no submit time"),
        ({"state": "PENDING", "start": ""}, "still waiting"),
        ({"state": "CANCELLED by 17", "start": ""}, "cancelled without a run"),
        ({"start": "None"}, "never started"),
        ({"start": "0"}, "never started"),
        ({"end": "Unknown"}, "end not known"),
        ({"end": "1700000005"}, "ended before it started"),
        ({"cores": "0"}, "no processors"),
        ({"cores": "33"}, "wider than the machine"),
    ],
)
def test_rows_that_are_dropped(read: Read, row: dict[str, str], reason: str) -> None:
    """Each for one reason, with its count."""
    trace = read([row, {}], machine=MACHINE)
    assert trace.report.dropped == {reason: 1} and len(trace) == 1 and trace.report.records == 2


def test_withdrawn_jobs_may_be_kept(read: Read) -> None:
    """With a run time of 0 and the wait until they were cancelled."""
    trace = read([{"state": "CANCELLED", "start": ""}, {}], options={"withdrawn": "queue"})
    assert sorted(trace.patience.tolist())[:1] == [70] and trace.runtime.tolist() == [0, 60]


def test_a_submission_after_the_start(read: Read) -> None:
    """It is moved to the start, and counted."""
    trace = read([{"start": "1699999990"}])
    assert trace.wait.tolist() == [0] and trace.runtime.tolist() == [80]
    assert list(trace.report.repaired) == ["start before submission: submission moved to the start"]


def test_limits_known_unlimited_and_not_given(read: Read) -> None:
    """Neither is 0, and neither is the job's own run time, which nobody knows before; both are counted."""
    rows: list[dict[str, str]] = [{"limit": "60"}, {"limit": "UNLIMITED"}, {"limit": ""}, {"limit": "525600"}]
    limit = {"column": "limit", "unit": "min", "unlimited": ["UNLIMITED"], "missing": ["525600"]}
    trace = read(rows, {"limit": limit})
    assert trace.requested_time.tolist() == [3600] * 4
    assert trace.report.noted["time limit unlimited: taken as 3600 s"] == 1
    assert trace.report.noted["time limit not given: taken as 3600 s"] == 2
    trace = read(rows, {"limit": limit}, limit_of_others="2 d")
    assert trace.requested_time.tolist() == [3600] + [2 * 86400] * 3


def test_a_run_beyond_its_limit(read: Read) -> None:
    """It is kept as it is."""
    trace = read([{"limit": "50"}])
    assert trace.runtime.tolist() == [60] and trace.requested_time.tolist() == [50]
    assert trace.report.noted["run time above the time limit"] == 1


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("01:30", 90), ("02:00:00", 7200), ("1-00:00:00", 86400), ("1:02:00:00", 93600), ("90.5", 90.5)],
)
def test_durations(read: Read, text: str, seconds: float) -> None:
    """A number in the unit of the mapping, or a clock."""
    assert read([{"limit": text}]).requested_time.tolist() == [seconds]


def test_a_deadline_as_limit(read: Read) -> None:
    """The limit is the deadline less the start."""
    trace = read([{"limit": "1700000100"}], {"limit": {"column": "limit", "deadline": True}})
    assert trace.requested_time.tolist() == [90]


@pytest.mark.parametrize(("factor", "unit"), [(1_000, "ms"), (1_000_000, "us"), (1_000_000_000, "ns")])
def test_milliseconds_where_seconds_are_expected(read: Read, factor: int, unit: str) -> None:
    """They are thousands of years away as seconds, so they are taken as what they are, and that is said."""
    row = {name: str(int(value) * factor) for name, value in (("submit", 1_700_000_000), ("start", 1_700_000_010))}
    trace = read([{**row, "end": str(1_700_000_070 * factor)}])
    assert trace.unix_start == 1_700_000_000 and trace.runtime.tolist() == [60]
    assert f"submit was in {unit}, and not in s" in trace.report.repaired


def test_ids_that_are_floats(read: Read) -> None:
    """1001.0 is 1001, as the number of a job and of a user."""
    assert read([{"id": "1001.0", "user": "7.0"}]).id.tolist() == [1001]


def test_floats_in_parquet(tmp_path: Path) -> None:
    """Columns of whole numbers with gaps are floats in many files."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns: dict[str, Any] = {name: [1.7e9] for name in ("submit", "start", "end")}
    columns |= {"id": [1001.0], "user": [7.0], "limit": [60.0], "cores": [2.0], "state": ["COMPLETED"]}
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    trace = read_table(tmp_path / "x.parquet", Mapping.model_validate({"columns": PLAIN}))
    assert trace.id.tolist() == [1001] and trace.names["user"] == {1: "7"} and trace.processors.tolist() == [2]


def test_empty_texts_are_unknown(read: Read) -> None:
    """An empty user is no user, and not one whose name is empty."""
    trace = read([{"user": ""}, {"user": "  "}, {"user": "nan"}, {"limit": " 100 "}])
    assert trace.requested_time.tolist() == [100] * 4
    assert trace.user.tolist() == [-1, -1, -1, 1] and trace.names["user"] == {1: "ann"}


def test_the_hour_that_clocks_repeat(read: Read) -> None:
    """The pass is taken in which times are in order and the run time fits, and such rows are counted."""
    clock = {"submit": "2023-11-05 01:50:00", "start": "2023-11-05 01:10:00", "end": "2023-11-05 01:40:00"}
    trace = read([clock], zone="America/Denver")
    assert trace.unix_start == moment("2023-11-05 01:50:00")
    assert trace.wait.tolist() == [20 * 60] and trace.runtime.tolist() == [30 * 60]
    assert [count for reason, count in trace.report.noted.items() if "clocks repeat" in reason] == [1]
    later = {
        "submit": "2023-11-05 00:30:00", "start": "2023-11-05 01:10:00", "end": "2023-11-05 01:40:00", "ran": "5400",
    }  # fmt: skip
    trace = read([later], {"runtime": "ran"}, zone="America/Denver")
    assert trace.runtime.tolist() == [5400]


def test_clocks_in_summer_and_winter(read: Read) -> None:
    """A day in spring has 23 hours."""
    row = {"submit": "2023-03-12 00:00:00", "start": "2023-03-12 00:00:00", "end": "2023-03-13 00:00:00"}
    assert read([row], zone="America/Denver").runtime.tolist() == [23 * 3600]
    assert read([row], zone="UTC").runtime.tolist() == [24 * 3600]


@pytest.mark.parametrize(
    "text",
    ["2023-04-01 09:07:00+09:00", "2023-04-01T00:07:00Z", "2023-04-01 00:07:00.000", "2023-04-01 00:07:00.0+0000"],
)
def test_times_with_and_without_offset(read: Read, text: str) -> None:
    """An offset counts before the zone of the mapping; fractions have any number of digits."""
    assert (
        read([{"submit": text, "start": text, "end": text}]).unix_start
        == datetime.fromisoformat("2023-04-01T00:07:00+00:00").timestamp()
    )


def test_offsets_that_differ_in_one_column(read: Read) -> None:
    """Each value has its own."""
    rows = [
        dict.fromkeys(("submit", "start", "end"), f"2024-01-01 {hour}:00:00{offset}")
        for hour, offset in (("12", "+00:00"), ("05", "-07:00"), ("12", ""))
    ]
    assert read(rows).submit.tolist() == [0, 0, 0]


def test_states(read: Read) -> None:
    """By Slurm's names, else by the mapping's; an unknown one is noted."""
    rows = [{"state": text} for text in ("COMPLETED", "TIMEOUT", "CANCELLED by 3", "FROZEN")]
    trace = read(rows)
    assert trace.status.tolist() == [1, 0, 5, -1] and trace.report.noted["unknown state"] == 1
    running = read([{"state": "RUNNING"}])
    assert (
        running.status.tolist() == [-1] and running.report.noted["still running: run time so far, or as forecast"] == 1
    )
    numbered = read([{"state": "0"}, {"state": "271"}], states={"completed": ["0"], "failed": ["*"]})
    assert numbered.status.tolist() == [1, 0]


def test_the_same_number_in_two_files(tmp_path: Path) -> None:
    """Jobs are numbered anew and keep their names with the file before; a row that occurs twice is one job."""
    how = Mapping.model_validate({"columns": PLAIN})
    first = write(tmp_path / "a.csv", [{}, {"id": "7"}])
    second = write(tmp_path / "b.csv", [{"submit": "1700000001"}, {"id": "7"}])
    trace = read_table([first, second], how)
    assert trace.id.tolist() == [1, 2, 3] and trace.names["id"] == {1: "a.csv:1", 2: "a.csv:7", 3: "b.csv:1"}
    assert trace.report.dropped == {"the same job as a row before": 1}


def test_names_of_jobs(read: Read) -> None:
    """Names that all begin alike are their numbers; others are numbered, and kept."""
    assert read([{"id": "job_9"}, {"id": "job_4", "submit": "1700000001"}]).id.tolist() == [9, 4]
    trace = read([{"id": "dlc4x"}, {"id": "9b", "submit": "1700000001"}])
    assert trace.id.tolist() == [1, 2] and trace.names["id"] == {1: "dlc4x", 2: "9b"}


def test_wait_and_run_time_instead_of_start_and_end(tmp_path: Path) -> None:
    """A table may have durations."""
    columns = {name: rule for name, rule in PLAIN.items() if name not in ("start", "end")}
    how = Mapping.model_validate({"columns": {**columns, "wait": "waited", "runtime": "ran"}})
    trace = read_table(write(tmp_path / "jobs.csv", [{"waited": "10", "ran": "90"}]), how)
    assert trace.wait.tolist() == [10] and trace.runtime.tolist() == [90]


def test_a_run_time_that_is_not_the_difference(read: Read) -> None:
    """End − start is used, and the difference noted."""
    trace = read([{"ran": "900"}], {"runtime": "ran"})
    assert trace.runtime.tolist() == [60]
    assert any(reason.startswith("recorded run time differs") for reason in trace.report.noted)


def test_jobs_for_whole_nodes(read: Read) -> None:
    """A job has all cores of its nodes, but for partitions that share them."""
    rows = [{"nodes": "2", "p": "batch"}, {"nodes": "1", "p": "shared"}]
    trace = read(rows, {"nodes": "nodes", "partition": "p"}, machine=MACHINE, whole_nodes=True, shared=["shared"])
    assert trace.processors.tolist() == [16, 2]
    assert trace.extra == ("- batch 2:ppn=8#excl", "- shared 1:ppn=2")


def test_a_job_without_a_number_of_nodes(read: Read) -> None:
    """It is on as few as hold its cores and GPUs."""
    machine = [{"nodes": 4, "cores": 8, "gpus": 2}]
    trace = read([{"cores": "9"}, {"gpus": "4"}], {"gpus": "gpus"}, machine=machine)
    assert trace.extra == ("- - 1:ppn=5+1:ppn=4", "- - 2:ppn=1:gpus=2")


def test_memory(read: Read) -> None:
    """In bytes per job, node or core, with and without a unit, as Slurm writes it; 2^63 and more is per core."""
    rows = [{"mem": text, "nodes": "2"} for text in ("4096", "4G", "1Gn", "2Gc")]
    columns = {"memory": {"column": "mem", "unit": "MB"}, "nodes": "nodes"}
    machine = [{"nodes": 4, "cores": 8, "memory_gb": 16}]
    trace = read(rows, columns, machine=machine)
    assert trace.requested_memory.tolist() == [2 * 2**20, 2 * 2**20, 2**20, 2 * 2**20]
    assert trace.extra is not None and trace.extra[0] == f"- - 2:ppn=1:mem={2 * 2**30}"
    flagged = {"column": "mem", "unit": "MB", "per": "node", "slurm_bit": True}
    trace = read([{"mem": str(2**63 + 1000)}, {"mem": "1000"}], {"memory": flagged})
    assert trace.requested_memory.tolist() == [1000 * 1024, 500 * 1024]


def test_jobs_that_were_eligible_later(read: Read) -> None:
    """They have a begin, unless it is within a minute, or they started before it."""
    rows = [
        {"start": "1700000200", "end": "1700000300", "eligible": str(1_700_000_000 + late)} for late in (90, 60, 900)
    ]
    trace = read([*rows, {"eligible": ""}], {"eligible": "eligible"})
    assert [(each.job, each.begin) for each in conditions_of(trace)] == [(1, 90.0)]


def test_energy_in_another_table(tmp_path: Path) -> None:
    """It is the sum over the rows of a job; a negative amount is bad, and so is the sum."""
    jobs = write(tmp_path / "jobs.csv", [{}, {}, {}])
    how = Mapping.model_validate({"columns": {**PLAIN, "energy": {"column": "e", "table": "no*.csv", "key": "nr"}}})
    assert "there is no no*.csv beside jobs.csv (energy)" in read_table(jobs, how, further=("energy",)).report.noted
    (tmp_path / "nodes.csv").write_text("nr,e\n1,5\n2,7\n1,6\n2,-1\n9,1\n")
    found = read_table(jobs, how, further=("energy",)).further["energy"]
    assert found[0] == 11 and np.isnan(found[1:]).all()


def test_further_columns(tmp_path: Path) -> None:
    """Lists of watts become joules, and times of eligibility count from the log's start."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns: dict[str, Any] = {name: [1_700_000_000] * 3 for name in ("submit", "start", "end", "eligible")}
    columns |= {"nodes": [1] * 3, "watts": [[100, 200], [], None]}
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    rules = {name: name for name in ("submit", "start", "end", "nodes", "eligible")}
    how = Mapping.model_validate({"columns": {**rules, "energy": {"column": "watts", "total": True, "factor": 20}}})
    trace = read_table(tmp_path / "x.parquet", how, further=("eligible", "energy"))
    assert trace.further["energy"].tolist()[0] == 6000 and np.isnan(trace.further["energy"][1:]).all()
    assert trace.further["eligible"].tolist() == [0, 0, 0]
    assert trace.select([False, True, True]).further["eligible"].tolist() == [0, 0]
