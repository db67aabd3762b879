"""Logs whose jobs have conditions, in a file beside them."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest

import thinktime as tt
from tests.commands import stdout_of
from tests.models.eligibility.cases import PROCESSORS, random_tasks, text_of
from tests.models.eligibility.test_twin import expected, found
from tests.models.eligibility.twin import Task, Twin
from thinktime.workloads.conditions import JobConditions, LogConditions


def log_of(tasks: list[Task]) -> tt.Trace:
    names = {None: -1, "x": 1, "y": 2}
    return tt.Trace(
        {
            "id": [each.id for each in tasks],
            "submit": [each.submit for each in tasks],
            "runtime": [each.runtime for each in tasks],
            "requested_processors": [each.width for each in tasks],
            "requested_time": [each.estimate for each in tasks],
            "user": ["ab".index(each.user) + 1 for each in tasks],
            "executable": [names[each.name] for each in tasks],
            "status": [0 if each.fails else 1 for each in tasks],
        }
    )


def conditions_of(tasks: list[Task]) -> LogConditions:
    return LogConditions.of(
        JobConditions(
            each.id,
            text_of(each, tasks) or "",
            max(each.begin - each.submit, 0.0),
            max(each.released - each.submit, 0.0),
            -1 if each.array is None else each.array,
            -1 if each.array is None else each.id - each.array + 1,
            each.at_most if each.array is not None else -1,
        )
        for each in tasks
    )


@pytest.mark.parametrize("leap", ["1", "0"])
def test_a_log_with_conditions_is_replayed_as_the_twin_says(
    leap: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Dependencies, arrays, holds and times, out of a file; jobs wait for ever where they can never be eligible."""
    monkeypatch.setenv("THINKTIME_LEAP", leap)
    for seed in range(12):
        tasks = random_tasks(seed)
        for each in tasks:
            each.cancelled, each.hold = float("inf"), None
        file = conditions_of(tasks).write(tmp_path / "log.conditions.csv")
        result = tt.replay(log_of(tasks), "easy", PROCESSORS, dependencies=file)
        truth = Twin(PROCESSORS, copy.deepcopy(tasks), "easy", "fcfs", False).run()
        assert found(result) == expected(truth), seed


def test_fields_17_and_18_and_conditions_together() -> None:
    """A job is submitted after the one of field 17, and is eligible later."""
    trace = tt.Trace(
        {
            "id": [1, 2], "submit": [0, 5], "runtime": [100, 10], "requested_processors": [1, 1],
            "preceding": [-1, 1], "think_time": [np.nan, 20],
        }
    )  # fmt: skip
    conditions = LogConditions((JobConditions(2, begin=200.0),))
    result = tt.replay(trace, "easy", 1, dependencies=conditions)
    assert [result["submit"][1], result["eligible"][1], result["start"][1]] == [120.0, 205.0, 205.0]


def test_a_dependency_on_a_job_that_is_not_there_is_met() -> None:
    """A note says how many."""
    trace = tt.Trace({"id": [1], "submit": [0], "runtime": [10], "requested_processors": [1]})
    result = tt.replay(trace, "easy", 1, dependencies=LogConditions((JobConditions(1, "afterok:77"),)))
    assert result["start"].tolist() == [0.0]
    assert "dependencies: 1 is on a job that is not in the log, and is taken as met" in result.notes


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("1,afterok,,,,,", "line 2: dependencies 'afterok': afterok names no job; write such as afterok:12:13,after"),
        ("1,,-3,,,,", "line 2: begin must be a number of seconds of at least 0, not '-3'"),
        ("1,,,,4,,", "line 2: array and task belong together: give both, or none"),
        ("x,,,,,,", "line 2: job must be a whole number of at most 18 digits, not 'x'"),
        ("1,afterok:2", "line 2: 2 values instead of 7"),
    ],
)
def test_a_wrong_file_is_refused(line: str, sentence: str, tmp_path: Path) -> None:
    """With the file, the line and what would be right."""
    file = tmp_path / "log.conditions.csv"
    file.write_text(f"job,depends,begin,held,array,task,at_most\n{line}\n")
    with pytest.raises(ValueError, match=sentence):
        LogConditions.read(file)


SACCT = """\
JobIDRaw|JobID|User|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|AllocCPUS|SubmitLine
10|10|ann|COMPLETED|1000|1000|1000|1100|100|5|4|sbatch -n4 --wrap 'sort x | uniq | wc'
12|11_1|ann|COMPLETED|1001|1100|1100|1150|50|5|4|sbatch --array=1-3%1 -d afterok:10 many.sh
13|11_2|ann|COMPLETED|1001|1150|1150|1200|50|5|4|sbatch --array=1-3%1 -d afterok:10 many.sh
11|11_3|ann|COMPLETED|1001|1200|1200|1250|50|5|4|sbatch --array=1-3%1 -d afterok:10 many.sh
14|14|ann|COMPLETED|1002|1250|1250|1260|10|5|4|sbatch --dependency=afterany:11,afterok:11_2 --parsable last.sh
15|15|bob|COMPLETED|1003|1400|1400|1410|10|5|4|/usr/bin/sbatch --begin=now+10 -J 'a job' x.sh
16|16|bob|COMPLETED|1004|1300|1410|1420|10|5|4|sbatch -H y.sh -d afterok:10
17|17|bob|COMPLETED|1005|1005|1420|1430|10|5|4|sbatch -d afterok:3 -p short z.sh
18|18|bob|COMPLETED|1006|1006|1430|1440|10|5|4|sbatch -d expand:10 z.sh
"""


def test_conditions_are_read_out_of_sacct(tmp_path: Path) -> None:
    """With the log's numbers; what cannot be used is listed; the replay follows the recorded schedule."""
    source, log = tmp_path / "may.psv", tmp_path / "may.swf"
    source.write_text(SACCT)
    said = stdout_of("trace", "convert", str(source), "--processors", "4", "--out", str(log))
    assert str(tmp_path / "may.conditions.csv") in said
    assert "depends on a job that is not in the log: that dependency is left out" in said
    assert "--dependency=expand:10 cannot be read: left out" in said
    assert list(LogConditions.read(tmp_path / "may.conditions.csv")) == [
        JobConditions(12, "afterok:10", array=12, task=1, at_most=1),
        JobConditions(13, "afterok:10", array=12, task=2, at_most=1),
        JobConditions(11, "afterok:10", array=12, task=3, at_most=1),
        JobConditions(14, "afterany:12,afterok:12_2"),
        JobConditions(15, begin=397.0),
        JobConditions(16, held=296.0),
    ]
    said = json.loads(stdout_of("replay", str(log), "--dependencies", "--policy", "easy", "--quiet", "--json"))[
        "policies"
    ][0]
    read = tt.read_swf(log)
    done = tt.replay(read, "easy", 4, dependencies=str(tmp_path / "may.conditions.csv"))
    assert said["mean_wait"] == done.summary()["mean_wait"]
    start = dict(zip(done["id"].tolist(), done["start"].tolist(), strict=True))
    assert [start[number] for number in (10, 12, 13, 11, 14)] == [0, 100, 150, 200, 250]
    assert start[15] == 400.0 and start[16] == 300.0
