"""Slurm's JSON beside its text."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thinktime.workloads import Trace, read_swf, write_swf
from thinktime.workloads.sacct import ConversionOptions, convert, read_sacct
from thinktime.workloads.sacct.json_text import MOST_VALUE

from .made_up import ONE_OF_EACH, T0, VERSIONS, Made, as_json, as_text, meta, old
from .samples import Make


@pytest.mark.parametrize("numbers", [False, True], ids=["objects", "complex"])
@pytest.mark.parametrize("version", VERSIONS)
def test_text_and_json_of_the_same_jobs_read_equal(made: Make, version: int, numbers: bool) -> None:
    """Jobs, names, conditions and header are the same from both, whatever the version; so are findings."""
    jobs = ONE_OF_EACH if version >= 39 else old(ONE_OF_EACH)
    text, found = made(as_text(jobs)), made(as_json(jobs, version, numbers))
    assert found.trace.equals(text.trace)
    assert found.names == text.names and found.conditions == text.conditions
    assert found.report.repaired == text.report.repaired and found.report.dropped == text.report.dropped
    if version >= 39:  # before, an unlimited time looks like one that is not given
        assert found.report.noted == text.report.noted


@pytest.mark.parametrize("file", ["text", "json"])
def test_one_of_each_by_hand(made: Make, file: str) -> None:
    """Arrays by task, heterogeneous jobs by component, each attempt of a requeued job, and shares of nodes."""
    found = made(as_text(ONE_OF_EACH) if file == "text" else as_json(ONE_OF_EACH, 41))
    names = ("submit", "wait", "runtime", "allocated", "requested_processors", "requested_time", "status", "preceding")
    rows = zip(*(np.nan_to_num(found.trace.columns[name], nan=-1).tolist() for name in names), strict=True)
    assert dict(zip(found.trace.id.tolist(), rows, strict=True)) == {
        10: (0, 100, 600, 4, 4, 3600, 1, -1), 11: (5, 100, 600, 8, 8, 600, 0, -1), 12: (6, 894, -1, -1, 4, -1, 5, -1),
        13: (7, 100, 100, 8, 8, 3600, 0, -1), 21: (20, 10, 60, 4, 4, 3600, 1, -1), 20: (20, 15, 60, 4, 4, 3600, 0, -1),
        22: (20, -1, -1, -1, 4, 3600, -1, -1), 31: (40, 20, 60, 4, 4, 3600, 1, -1),
        32: (40, 20, 60, 16, 16, 3600, 1, -1), 40: (50, 10, 5000, 4, 4, -1, -1, -1),
        41: (55, 1945, 300, 4, 4, 3600, 1, -1), 42: (56, 1944, 300, 4, 4, 3600, 1, -1),
        43: (57, -1, -1, -1, 4, 3600, -1, -1), 50: (60, 1, 1, 8, 2, 3600, 1, -1),
        51: (250, 50, 600, 8, 8, 3600, 1, 13),
    }  # fmt: skip
    assert found.names.jobs == {
        20: "20_2", 21: "20_1", 22: "20_[3-9%2]", 31: "31+0", 32: "31+1", 51: "13",
    }  # fmt: skip
    assert found.trace.header.all("Queue") == ("1 normal", "2 long")
    assert found.trace.header.all("Partition") == ("1 batch", "2 gpu", "3 gpu,batch")
    assert found.trace.extra is not None
    assert found.trace.extra[1] == "- normal 2:ppn=4:mem=4194304000:gpus=2:a100"  # the plain 4, not 4 + 4
    # of three tasks of 3 MB the largest counts; CPU time is shared by the processors
    assert found.trace.used_memory[0] == (4 << 20) / 1024 / 4 and found.trace.cpu_time[0] == 10
    depends = {each.job: (each.depends, each.begin, each.held) for each in found.conditions}
    assert depends[42] == ("afterany:11", 0, 0) and depends[41] == ("", 1745, 0)


def test_reading_a_dump_is_converting_it_and_reading_the_log(tmp_path: Path) -> None:
    """`read_sacct` gives the jobs that SWF gives after a conversion, with names besides."""
    for name, text in (("dump.txt", as_text(ONE_OF_EACH)), ("dump.json", as_json(ONE_OF_EACH, 40))):
        (tmp_path / name).write_text(text)
        direct = read_sacct([tmp_path / name])
        write_swf(convert([tmp_path / name]).trace, tmp_path / "log.swf")
        again = read_swf(tmp_path / "log.swf")
        assert Trace(direct.columns, direct.header, direct.extra).equals(again) and len(again) == 12
        assert direct.report.dropped == again.report.dropped and direct.report.records == 17
        assert direct.names["user"] == {1: "ann", 2: "bob"} and direct.names["partition"] == {
            1: "batch", 2: "gpu", 3: "gpu,batch",
        }  # fmt: skip
    queued = read_sacct([tmp_path / "dump.json"], withdrawn="queue")
    assert queued.withdrawn.sum() == 1


def squeue(*jobs: dict[str, Any], version: int = 40, **top: Any) -> str:
    """What `squeue --json` prints: numbers are plain or objects, by version."""
    plain = version <= 38

    def number(value: int | None) -> Any:
        return value if plain else {"set": value is not None, "infinite": False, "number": value or 0}

    numbers = (
        "submit_time", "eligible_time", "start_time", "end_time", "time_limit", "cpus", "node_count", "array_job_id",
        "array_task_id", "array_max_tasks", "het_job_id", "het_job_offset", "memory_per_cpu", "memory_per_node",
        "last_sched_evaluation",
    )  # fmt: skip
    rows = []
    for job in jobs:
        row = {"cluster": "rock", "array_task_string": "", "tres_req_str": "", "dependency": "", **job}
        row |= {name: number(row[name]) for name in numbers if name in row}
        row["job_state"] = row["job_state"] if plain else [row["job_state"]]
        rows.append(row)
    return json.dumps({"jobs": rows, "meta": meta(version), **top})


RUNS = {
    "job_id": 1, "user_name": "ann", "job_state": "RUNNING", "submit_time": T0, "start_time": T0 + 50,
    "end_time": T0 + 9999, "time_limit": 60, "cpus": 8, "node_count": 2,
    "tres_req_str": "cpu=8,mem=8G,node=2,gres/gpu=2", "last_sched_evaluation": T0 + 40,
}  # fmt: skip
WAITS = {
    "job_id": 2, "user_name": "bob", "job_state": "PENDING", "submit_time": T0 + 10, "start_time": T0 + 9999,
    "end_time": T0 + 19999, "time_limit": 60, "cpus": 4, "node_count": 1, "dependency": "afterok:1(unfulfilled)",
    "last_sched_evaluation": T0 + 300,
}  # fmt: skip


@pytest.mark.parametrize("version", VERSIONS)
def test_forecasts_of_squeue_are_left_out(made: Make, version: int) -> None:
    """A pending job has no start, and a running one has run until the last moment that the dump knows of."""
    found = made(squeue(RUNS, WAITS, version=version))
    columns = {
        name: np.nan_to_num(found.trace.columns[name], nan=-1).tolist() for name in ("wait", "runtime", "status")
    }
    assert columns == {"wait": [50, -1], "runtime": [250, -1], "status": [-1, -1]}
    assert found.trace.extra == ("- - 2:ppn=4:mem=4294967296:gpus=1", "- - 1:ppn=4")
    assert [each.depends for each in found.conditions] == ["afterok:1"]
    assert made(squeue(RUNS, WAITS, version=version, last_update=T0 + 650)).trace.runtime[0] == 600


def test_arrays_and_parts_in_squeue(made: Make) -> None:
    """A waiting array is one row, its tasks that run are their own; a heterogeneous job is its components."""
    common = RUNS | {"tres_req_str": "cpu=1,node=1"}
    found = made(squeue(
        WAITS | {"job_id": 9, "array_job_id": 9, "array_task_string": "3-9%2", "array_max_tasks": 2},
        common | {"job_id": 10, "array_job_id": 9, "array_task_id": 0, "array_max_tasks": 2},
        common | {"job_id": 12, "het_job_id": 12, "het_job_offset": 0},
        common | {"job_id": 13, "het_job_id": 12, "het_job_offset": 1},
    ))  # fmt: skip
    assert sorted(found.names.jobs.values()) == ["12+0", "12+1", "9_0", "9_[3-9%2]"]
    assert [(each.task, each.at_most) for each in found.conditions if each.at_most > 0] == [(0, 2)]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"tres_per_node": "gres:gpu:2"}, "- - 2:ppn=4:gpus=2"),
        ({"tres_per_node": "gres/gpu:a100=2"}, "- - 2:ppn=4:gpus=2:a100"),
        ({"tres_per_job": "gres:gpu"}, "- - 1:ppn=4:gpus=1+1:ppn=4"),
        ({"tres_req_str": "cpu=8,node=2,gres/gpu=2", "tres_per_node": "gres:gpu:9"}, "- - 2:ppn=4:gpus=1"),
        ({"exclusive": ["true"], "tres_per_node": "gres:gpu:2"}, "- - 2:ppn=4:gpus=2#excl"),
        ({"shared": "none", "tres_per_node": "gres:gpu:2"}, "- - 2:ppn=4:gpus=2#excl"),
    ],
)
def test_gpus_and_whole_nodes_in_squeue(made: Make, asked: dict[str, Any], words: str) -> None:
    """GPUs are those of the request where the accounting has none; jobs may have nodes for themselves."""
    assert made(squeue(RUNS | {"tres_req_str": ""} | asked)).trace.extra == (words,)


def test_values_that_are_no_times_are_counted_as_malformed(made: Make) -> None:
    """A job with a text for a number is dropped with the reason; others are read."""
    dump = json.loads(as_json([Made(1, 0, 1, 2), Made(2, 0, 1, 2)], 41))
    dump["jobs"][0]["time"]["start"] = "soon"
    found = made(json.dumps(dump))
    assert found.report.dropped == {"malformed line: 'soon' is not a number": 1} and len(found.trace) == 1


def test_numbers_in_other_shapes(made: Make) -> None:
    """Job numbers may be floats or texts; times in ms are beyond the year 9999, so the job is dropped."""
    dump = json.loads(as_json([Made(1, 0, 1, 2), Made(2, 0, 1, 2), Made(3, 0, 1, 2)], 41))
    dump["jobs"][0]["job_id"], dump["jobs"][1]["job_id"] = 1.0, "2"
    dump["jobs"][2]["time"]["submission"] *= 1000
    found = made(json.dumps(dump))
    assert found.trace.id.tolist() == [1, 2]
    assert found.report.dropped == {f"malformed line: '{T0}000' is not a time before the year 10000": 1}


@pytest.mark.parametrize("where", ["before", "behind"])
def test_jobs_are_read_one_by_one(tmp_path: Path, where: str) -> None:
    """Long dumps are read in pieces, whether the version comes before the jobs or behind them, compressed or not."""
    dump = json.loads(as_json([Made(k, k, k + 1, k + 2, name="é" * 300) for k in range(1, 1000)], 41))
    ordered = {"meta": dump.pop("meta"), **dump} if where == "before" else {**dump, "meta": dump["meta"]}
    (tmp_path / "dump.json.gz").write_bytes(gzip.compress(json.dumps(ordered, ensure_ascii=False, indent=1).encode()))
    found = convert([tmp_path / "dump.json.gz"], ConversionOptions(max_size=2**30))
    assert found.trace.id.tolist() == list(range(1, 1000)) and found.report.records == 999


LONG = '{"jobs": [{"job_id": 1, "name": "' + "x" * (MOST_VALUE + 2**21)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (as_json(ONE_OF_EACH, 41)[:3000], "is cut off: the JSON text ends in the middle"),
        (as_json(ONE_OF_EACH, 41)[:-1], "is cut off"),
        (LONG, "has a value of more than 32 MB, which is no job"),
        (as_json(ONE_OF_EACH, 36), r"of data_parser v0\.0\.36, but v0\.0\.37 to v0\.0\.45 are read; print another"),
        (as_json(ONE_OF_EACH, 50), r"with --json=v0\.0\.41"),
        (as_json(ONE_OF_EACH, 41) * 2, "has more after its end: it is several JSON texts in one"),
        ("[1, 2]", r"is no JSON text as Slurm prints it: expected \{, found '\['"),
        ("{'jobs': []}", "is no JSON text"),
        ('{"jobs": [{]}' + " " * 99, "is no JSON text as Slurm prints it: Expecting property name"),
        ('{"jobs": [' + "[" * 100_000, "nested too deeply"),
        ('{"jobs": [' + "9" * 5_000 + "]}", "a number has too many digits"),
        ("{}", "has no list of jobs, but nothing; give the output of sacct --json"),
        ('{"nodes": [], "meta": {}}', "has no list of jobs, but nodes, meta; sinfo and scontrol show nodes describe"),
        ('{"jobs": [{"id": 3}]}', "is not of sacct --json or squeue --json: entry 1 of jobs has no job_id"),
        ('{"jobs": [7]}', "entry 1 of jobs has no job_id"),
        ('{"jobs": [{"job_id": 3, "name": "x"}]}', r"has no submission \(time/submission, or submit_time\)"),
        ('{"jobs": [], "errors": [{"description": "no database"}]}', "has no jobs; Slurm said: no database"),
        ('{"jobs": []}', "none of the 0 lines is a job"),
        ('{"jobs": {}}', "none of the 0 lines is a job"),
    ],
)  # fmt: skip
def test_json_that_is_none(made: Make, text: str, complaint: str) -> None:
    """Other JSON, other versions, and damaged files are errors of one sentence that names the file."""
    with pytest.raises(ValueError, match=complaint) as error:
        made(text)
    assert "part0" in str(error.value) and "\n" not in str(error.value) and len(str(error.value)) < 400


def test_mixed_dumps(made: Make) -> None:
    """Jobs of sacct and of squeue are not one log, in one file or in two; text and JSON of sacct are."""
    of_queue = json.loads(squeue(RUNS))
    of_queue["jobs"] += json.loads(as_json(ONE_OF_EACH, 40))["jobs"]
    with pytest.raises(ValueError, match=r"part0 mixes jobs of sacct and of squeue \(entry 2\)"):
        made(json.dumps(of_queue))
    with pytest.raises(ValueError, match=r"part0 is of squeue and .*part1 of sacct; convert one kind at a time"):
        made(squeue(RUNS), as_text(ONE_OF_EACH))
    both = made(as_text(ONE_OF_EACH), as_json(ONE_OF_EACH, 39))
    assert both.trace.equals(made(as_text(ONE_OF_EACH)).trace)
    assert both.report.dropped == {"superseded by a later line of the same job": 15}


def test_newer_versions_are_noted(made: Make) -> None:
    """Versions that nobody has tested are read with a note."""
    assert "JSON of data_parser v0.0.44: tested is up to v0.0.41" in made(as_json(ONE_OF_EACH, 44)).report.noted


TRES_OF = (
    ("cpu=8,node=2,gres/gpu:a100=4,gres/gpu=4", "", "- - 2:ppn=4:gpus=2:a100"),
    ("", "cpu=8,node=2,gres/gpu=4,gres/gpu:a100=4", "- - 2:ppn=4:gpus=2:a100"),
    ("", "cpu=8,node=2,gres/gpu:a100=4", "- - 2:ppn=4:gpus=2:a100"),
    ("cpu=8,node=2,gres/gpu=4", "cpu=8,node=2,gres/gpu:a100=4", "- - 2:ppn=4:gpus=2"),
)


@pytest.mark.parametrize(("asked", "had", "words"), TRES_OF)
def test_gpus_in_text(made: Make, asked: str, had: str, words: str) -> None:
    """A GPU that is listed with and without its type is one; what was requested counts before what was allocated."""
    head = "JobID|State|Submit|Start|End|NNodes|ReqCPUS|ReqTRES|AllocTRES\n"
    assert made(f"{head}1|COMPLETED|0|1|9|2|8|{asked}|{had}\n").trace.extra == (words,)


@pytest.mark.parametrize("separator", ["|", "|#", "\t", ";"])
def test_separators_are_seen_in_the_first_line(made: Make, separator: str) -> None:
    """What stands between the names of columns separates values; a column that is printed twice is read once."""
    text = as_text(ONE_OF_EACH[:4], separator)
    assert made(text).trace.equals(made(as_text(ONE_OF_EACH[:4])).trace)
    twice = "".join(f"{line}{separator}{line.split(separator)[10]}\n" for line in text.splitlines())
    assert made(twice).trace.equals(made(text).trace)


def test_without_a_header(made: Make) -> None:
    """Columns that are given stand for the first line, whatever separates values."""
    text = as_text(ONE_OF_EACH, "#|")
    head, _, body = text.partition("\n")
    assert made(body, columns=tuple(head.split("#|")), separator="#|").trace.equals(made(text).trace)
    with pytest.raises(ValueError, match="without --noheader, or give --columns"):
        made(body)
    with pytest.raises(ValueError, match="there is no column Submit"):
        made(body, columns=("JobID", "State"))


def test_a_command_over_several_lines_is_one_job(made: Make) -> None:
    """Line ends in a text are part of it; a line that is cut short is one malformed line, and takes no other along."""
    whole = as_text([Made(1, 0, 1, 9), Made(2, 0, 1, 9), Made(3, 0, 1, 9)])
    text = whole.replace("|job|", "|a\n\n# b\nc|", 1)
    found = made(text)
    assert len(found.trace) == 3 and not found.report.dropped and found.names.by_kind["executable"][0] == "a\n\n# b\nc"
    lines = whole.splitlines()
    cut = made("\n".join([*lines[:2], lines[2][:40], lines[3]]) + "\n")
    assert cut.trace.id.tolist() == [1, 3] and cut.report.dropped == {"malformed line: wrong number of values": 1}


def test_lines_without_end(made: Make) -> None:
    """A line of gigabytes is none of sacct's, and is not read to its end."""
    with pytest.raises(ValueError, match="has a line of more than 16 MB, so it is not of `sacct -P`"):
        made("JobID|Submit\n" + "1" * (2**24 + 5))


def test_only_local_times_need_a_zone(made: Make) -> None:
    """The report and the header say that a zone was assumed where times were local, and only there."""
    unix = "JobID|State|Submit|Start|End|ReqCPUS\n1|COMPLETED|{0}|{0}|{1}|4\n"
    local, said = "times without a zone: taken as UTC", "times were assumed to be in UTC"
    day = "2024-05-02T08:00:00", "2024-05-02T09:00:00"
    naive = made(unix.format(*day))
    assert naive.report.noted[local] == 1 and said in naive.trace.header.all("Note")
    for text in (unix.format("1714636800", "1714640400"), as_json(ONE_OF_EACH, 41)):
        found = made(text)
        assert local not in found.report.noted and said not in found.trace.header.all("Note")
    assert local not in made(unix.format(*day), zone="Asia/Tokyo").report.noted


SAMPLES = Path(os.environ.get("THINKTIME_TRACES", "")).parent / "data_samples"


@pytest.mark.skipif(not (SAMPLES / "slurm_json").is_dir(), reason="no samples beside THINKTIME_TRACES")
@pytest.mark.parametrize(
    ("file", "jobs", "words"),
    [
        ("slurm_json/sacct_v0.0.37_slurm21.08.json", 1, "1:ppn=4:mem=42949672960:gpus=1"),
        ("slurm_json/sacct_v0.0.38_slurm22.05.json", 1, "4:ppn=24:mem=68719476736:gpus=4"),
        ("slurm_json/sacct_v0.0.39_slurm23.02.json", 1, "1:ppn=4:mem=34359738368:gpus=2"),
        ("slurm_json/sacct_v0.0.40_slurm23.11.json", 1, "1:ppn=4:mem=34359738368:gpus=2"),
        ("slurm_json/MADE_UP_sacct_v0.0.41.json", 20, "1:ppn=64:mem=268435456000:gpus=4:a100"),
        ("slurm_json/MADE_UP_squeue_v0.0.40.json", 20, "1:ppn=64:mem=268435456000:gpus=4#excl"),
        ("slurm_sacct_P/sacct_P_mixed_200.txt", 85, "1:ppn=32:mem=137438953472:gpus=1:a100"),
        ("slurm_sacct_P/sacct_all_fields_delim_multiline.txt", 2, "128:ppn=96:mem=515396075520:gpus=8"),
    ],
)
def test_dumps_of_real_sites(file: str, jobs: int, words: str) -> None:
    """Published dumps, and made-up ones in their layout, are read without a malformed line."""
    found = convert([SAMPLES / file])
    assert len(found.trace) == jobs and not any("malformed" in each for each in found.report.dropped)
    assert found.trace.extra is not None and any(str(each).endswith(words) for each in found.trace.extra)
