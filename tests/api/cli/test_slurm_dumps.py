"""Commands on dumps of Slurm's accounting, as people call them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.workloads.sacct.made_up import ONE_OF_EACH, as_json, as_text

from .conftest import Run

OF_QUEUE = '{"jobs": [{"job_id": 1, "job_state": "RUNNING", "submit_time": 5}]}'


@pytest.fixture
def dumps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with dumps of the same jobs, and with damaged ones."""
    monkeypatch.chdir(tmp_path)
    whole = as_json(ONE_OF_EACH, 41)
    texts = {"may.txt": as_text(ONE_OF_EACH), "may.json": whole, "cut.json": whole[:999]}
    texts |= {"old.json": as_json(ONE_OF_EACH, 36), "queue.json": OF_QUEUE, "other.json": '{"name": "thinktime"}'}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("more", [(), ("--dependencies",)], ids=["plain", "dependencies"])
def test_a_dump_is_replayed_as_it_is(dumps: Path, run: Run, more: tuple[str, ...]) -> None:
    """Text and JSON give one schedule, also by preset; with dependencies, jobs wait for what the accounting says."""
    found = []
    for name in ("may.txt", "may.json", "sacct:may.txt", "slurm-json:may.json"):
        status, out, err = run("replay", name, "--policy", "easy", "--json", "--quiet", *more)
        assert status == 0, err
        found += json.loads(out)["policies"]
        for speed in ("simulation_seconds", "jobs_per_second"):
            del found[-1][speed]
    assert all(each == found[0] for each in found[1:])


def test_dependencies_of_a_dump_hold_jobs_back(dumps: Path, run: Run) -> None:
    """A job that became eligible late waits until then only if dependencies are asked for."""
    waits = []
    for more in ((), ("--dependencies",)):
        out = run("replay", "may.json", "--policy", "easy", "--json", "--quiet", *more)[1]
        waits.append(json.loads(out)["policies"][0]["mean_wait"])
    assert waits[1] > waits[0] + 100  # two of twelve jobs wait for 1,745 s and for 649 s


def test_dependencies_are_those_of_the_command(dumps: Path, run: Run) -> None:
    """A job waits for the end of another in the replay, not until it became eligible in the log."""
    job = replace(ONE_OF_EACH[-3], submit_line="sbatch --dependency=afterany:11 run.sh", eligible=705)
    jobs = [replace(ONE_OF_EACH[1], end=2105), job]  # job 11 runs for 2,000 s, so job 42 ends after 2,300 s
    (dumps / "two.json").write_text(as_json(jobs, 41))
    words = ("--policy", "easy", "--json", "--quiet", "--dependencies", "--overrun", "extend")
    out = run("replay", "two.json", *words)[1]
    assert json.loads(out)["policies"][0]["makespan"] == 2300


def test_a_dump_can_be_looked_at(dumps: Path, run: Run) -> None:
    """The explorer shows the recorded schedule."""
    assert run("view", "may.json", "-o", "page.html")[0] == 0
    assert "ann" in Path("page.html").read_text()


def test_presets_of_convert(dumps: Path, run: Run) -> None:
    """`--preset sacct` is the default, and parquet is written as SWF is."""
    pytest.importorskip("pyarrow")
    assert run("trace", "convert", "may.json", "--preset", "slurm-json", "-o", "one.swf")[0] == 0
    assert run("trace", "convert", "may.txt", "-o", "two.swf")[0] == 0
    assert Path("one.swf").read_bytes() == Path("two.swf").read_bytes()
    status, out, _ = run("trace", "convert", "may.json", "-o", "three.parquet")
    assert status == 0 and out.splitlines()[-2:] == ["three.parquet", "three.conditions.csv"]
    assert Path("three.conditions.csv").read_text() == Path("one.conditions.csv").read_text()
    jobs = [run("trace", "info", name)[1] for name in ("may.json", "three.parquet")]
    assert "jobs          12" in jobs[0] and "jobs          12" in jobs[1]
    listed = run("trace", "convert", "--list-presets")[1]
    assert all(name in listed for name in ("sacct", "slurm-json", "frontier-swf"))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["trace", "convert", "cut.json"], "cut.json is cut off"),
        (["replay", "cut.json", "--policy", "easy"], "cut.json is cut off"),
        (["feedback", "old.json"], "of data_parser v0.0.36"),
        (["trace", "info", "other.json"], "has no list of jobs, but name"),
        (["trace", "convert", "queue.json", "may.txt"], "queue.json is of squeue and may.txt of sacct"),
        (["replay", "frontier-swf:may.txt", "--policy", "easy"], "has no UnixStartTime"),
        (["replay", "queue.json", "--policy", "easy"], "queue.json has no jobs to simulate"),
    ],
)
def test_bad_dumps(dumps: Path, run: Run, words: list[str], sentence: str) -> None:
    """One sentence, status 2, and nothing is written."""
    before = sorted(dumps.iterdir())
    status, _, err = run(*words)
    assert status == 2 and sentence in err and err.count("\n") == 1, err
    assert sorted(dumps.iterdir()) == before
