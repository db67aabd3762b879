"""Data sets on the command line: `trace convert --preset`, `trace guess`, and PRESET:PATH wherever a log is read."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.commands import refusal_of, stdout_of
from thinktime.cli import main
from thinktime.cli.progress import StatusOutput
from thinktime.workloads.tables.reader import read_table

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

JOBS = 120
BEGIN = 1_577_840_400


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with made-up tables of three sets."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    submit = BEGIN + np.sort(rng.integers(0, 6 * 86400, JOBS))
    start, ran = submit + rng.integers(0, 600, JOBS), rng.integers(60, 7200, JOBS)
    user = rng.choice(["ann", "bob", "eve"], JOBS)
    common: dict[str, Any] = {
        "job_id": np.arange(1, JOBS + 1), "user": user, "partition": ["p"] * JOBS, "qos": ["q"] * JOBS,
    }  # fmt: skip
    common |= {"submit_time": pa.array(submit, pa.timestamp("s")), "start_time": pa.array(start, pa.timestamp("s"))}
    common |= {"end_time": pa.array(start + ran, pa.timestamp("s")), "state": ["COMPLETED"] * JOBS}
    eagle = {"account": user, "run_time": ran, "wallclock_req": ran * 2.0, "nodes_req": [1] * JOBS}
    eagle |= {"processors_req": [18] * JOBS, "gpus_req": rng.choice([0, 1], JOBS), "mem_req": [1000] * JOBS}
    pq.write_table(pa.table({**common, **eagle}), "eagle.parquet")
    gpus = {"vc": ["v"] * JOBS, "node_num": [1] * JOBS, "cpu_num": [4] * JOBS, "gpu_num": [1] * JOBS}
    pq.write_table(pa.table({**common, **gpus}), "helios.parquet")
    pods = {"name": [f"openb-pod-{n}" for n in range(JOBS)], "cpu_milli": [4000] * JOBS, "memory_mib": [1024] * JOBS}
    pods |= {"num_gpu": [1] * JOBS, "gpu_milli": [500] * JOBS, "qos": ["LS"] * JOBS, "pod_phase": ["Succeeded"] * JOBS}
    pods |= {"creation_time": submit - BEGIN, "scheduled_time": start - BEGIN, "deletion_time": start + ran - BEGIN}
    pq.write_table(pa.table(pods), "openb.parquet")
    return tmp_path


def run(*words: str) -> int:
    """The exit status of a command."""
    return main(list(words))


def refused(*words: str) -> str:
    """The one sentence of a command that ends with status 2, and writes nothing."""
    before = sorted(Path().iterdir())
    sentence = refusal_of(*words)
    assert sorted(Path().iterdir()) == before
    return sentence


def test_presets_are_listed(folder: Path) -> None:
    """Each with what it is."""
    out = stdout_of("trace", "convert", "--list-presets")
    assert all(name in out for name in ("f-data", "kestrel", "google-2011"))


@pytest.mark.parametrize("out", ["x.swf", "x.swf.gz", "x.parquet"])
def test_convert(folder: Path, out: str) -> None:
    """The report says what was dropped and guessed; the log can be replayed."""
    printed = stdout_of("trace", "convert", "eagle.parquet", "--preset", "eagle", "-o", out, "--quiet")
    assert f"{JOBS} jobs from {JOBS} lines" in printed and "guessed, zone: times are in US Mountain Time" in printed
    assert Path(out).exists() and (out == "x.parquet" or Path("x.names.csv").exists())
    assert json.loads(stdout_of("replay", out, "--policy", "easy", "--json", "--quiet"))["jobs"] == JOBS


def test_jobs_that_were_eligible_later(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --dependencies they do not start before, from the set itself, from SWF with its conditions, from parquet."""
    Path("jobs.csv").write_text("a,b,c,d,n\n0,100,100,160,1\n0,0,0,60,1\n")
    rules = 'submit = "a", eligible = "b", start = "c", end = "d", nodes = "n"'
    Path("own.toml").write_text(f"columns = {{ {rules} }}\n[[machine]]\nnodes = 4\ncores = 1\n")
    for out in ("x.swf", "x.parquet"):
        assert run("trace", "convert", "jobs.csv", "--mapping", "own.toml", "-o", out, "--quiet") == 0
    assert Path("x.conditions.csv").exists()
    capsys.readouterr()
    for log in ("own.toml:jobs.csv", "x.swf", "x.parquet"):
        assert (
            json.loads(stdout_of("replay", log, "--policy", "fcfs", "--dependencies", "--json", "--quiet"))["policies"][
                0
            ]["max_wait"]
            == 100
        )


def test_settings_of_the_mapping(folder: Path) -> None:
    """--set, --zone and --time-limit override the preset, and a guess that is overridden is not said any more."""
    words = ["--set", "columns.memory.unit=GB", "--set", "whole_nodes=true", "--zone", "UTC", "--time-limit", "7 d"]
    assert "guessed" not in stdout_of(
        "trace", "convert", "eagle.parquet", "--preset", "eagle", "-o", "x.swf", "--quiet", *words
    )
    assert f"UnixStartTime: {BEGIN // 100000}" in Path("x.swf").read_text()[:400]


def test_a_machine_with_the_preset(folder: Path) -> None:
    """GPUs are requests for nodes on the machine of the set, without more; with --processors it is a pool."""
    found = json.loads(stdout_of("replay", "eagle:eagle.parquet", "--policy", "easy", "--json", "--quiet"))
    assert found["processors"] == 2618 * 36 and found["jobs"] == JOBS
    assert (
        json.loads(
            stdout_of("replay", "eagle:eagle.parquet", "--policy", "easy", "--json", "--quiet", "--processors", "360")
        )["processors"]
        == 360
    )


def test_no_limits(folder: Path) -> None:
    """Backfilling goes by a predictor, which is named."""
    out = " ".join(stdout_of("replay", "helios:helios.parquet", "--policy", "easy", "--quiet").split())
    assert "policies plan with estimates: last-two" in out and "helios has no time limits" in out
    assert "policies plan with estimates: exact" in " ".join(
        stdout_of("replay", "helios:helios.parquet", "--policy", "easy", "--estimates", "exact", "--quiet").split()
    )


def test_no_users(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Open loop only, with exact run times or without plans, and no fair shares."""
    log = "openb-2023:openb.parquet"
    assert "nothing says how long jobs take" in refused("replay", log, "--policy", "easy", "--quiet")
    assert "all jobs would be one user's" in refused("replay", log, "--policy", "none:order=fairshare", "--quiet")
    assert "replay it in an open loop" in refused("feedback", log, "--policy", "fcfs", "--quiet")
    assert "replay it in an open loop" in refused("trace", "sessions", log, "--quiet")
    assert run("replay", log, "--policy", "fcfs", "--json", "--quiet") == 0
    assert run("replay", log, "--policy", "easy", "--estimates", "exact", "--json", "--quiet") == 0


def test_a_part_of_the_load(folder: Path) -> None:
    """If the publisher left out rows, results say that the load is low."""
    own = 'base = "eagle"\npartial = "no jobs on Sundays"\n'
    Path("own.toml").write_text(own)
    said = " ".join(stdout_of("replay", "own.toml:eagle.parquet", "--policy", "fcfs", "--quiet").split())
    assert "has a part of the load, so utilization and waits are too low: no jobs on Sundays" in said


@pytest.mark.parametrize("mode", ["open", "feedback"])
def test_scenarios(folder: Path, mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A scenario takes PRESET:PATH, with the machine of the set."""
    text = f'policies = ["easy"]\nmetrics = ["mean_wait"]\n[trace]\nfile = "eagle:eagle.parquet"\nmode = "{mode}"\n'
    Path("s.toml").write_text(text)
    assert run("run", "s.toml", "-o", "done", "--quiet") == 0
    Path("s.toml").write_text(text.replace("eagle", "helios").replace("metrics", 'name = "h"\nmetrics'))
    assert run("run", "s.toml", "-o", "other", "--quiet") != 0
    assert "give estimates = last-two" in capsys.readouterr().err


@pytest.mark.parametrize("quiet", [False, True])
def test_progress_of_reading(folder: Path, quiet: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal a bar counts rows, unless the command is quiet."""
    shown: list[tuple[str, bool]] = []

    @contextmanager
    def counting(self: StatusOutput, title: str, *more: str) -> Iterator[Any]:
        shown.append((title, self.quiet))
        yield None

    monkeypatch.setattr(StatusOutput, "counting", counting)
    words = ["--quiet"] if quiet else []
    assert run("replay", "eagle:eagle.parquet", "--policy", "fcfs", "--processors", "3600", *words) == 0
    assert shown == [("rows", quiet)]


def test_progress_of_rows(folder: Path) -> None:
    """It is told of the rows read so far and of all."""
    told: list[tuple[int, int]] = []
    read_table("eagle.parquet", "eagle", progress=lambda done, total: told.append((done, total)))
    assert told == [(JOBS, JOBS)]


def test_commands_that_read_logs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All of them by the same name."""
    log = "eagle:eagle.parquet"
    assert run("trace", "info", log) == 0 and "guessed, zone" in capsys.readouterr().out
    assert run("trace", "compare", log, log) == 0
    assert run("trace", "sessions", log, "--quiet") == 0
    assert run("generate", "--like", log, "--jobs", "50", "-o", "g.swf") == 0
    assert run("expectations", log, "--policy", "easy", "--quiet") == 0


def test_guess(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A mapping is printed, or written for --mapping."""
    assert run("trace", "guess", "eagle.parquet", "-o", "own.toml") == 0
    assert run("trace", "convert", "eagle.parquet", "--mapping", "own.toml", "-o", "x.swf", "--quiet") == 0
    capsys.readouterr()
    assert stdout_of("trace", "guess", "eagle.parquet") == Path("own.toml").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["trace", "convert"], "a FILE to convert is needed"),
        (["trace", "convert", "eagle.parquet", "--preset", "eagel"], "did you mean 'eagle'?"),
        (["trace", "convert", "eagle.parquet", "--preset", "helios"], "the preset eagle would fit"),
        (["trace", "convert", "eagle.parquet", "--preset", "eagle", "-o", "x.txt"], "must end with .swf"),
        (["trace", "convert", "eagle.parquet", "--preset", "eagle", "--mapping", "m.toml"], "give one of them"),
        (["trace", "convert", "eagle.parquet", "--preset", "eagle", "--nodes", "4"], "is for the output of sacct"),
        (["trace", "convert", "eagle.parquet", "--preset", "eagle", "--set", "zon=UTC"], "zon: there is no such key"),
        (["trace", "convert", "eagle.parquet", "--set", "zone=UTC"], "give --preset or --mapping as well"),
        (["trace", "convert", "none.parquet", "--preset", "eagle"], "there is no file none.parquet"),
        (["replay", "eagel:eagle.parquet"], "there is no preset 'eagel'; did you mean 'eagle'?"),
        (["replay", "eagle.parquet"], "name its preset, as eagle:eagle.parquet"),
        (["trace", "guess", "none.csv"], "there is no file none.csv"),
    ],
)
def test_errors(folder: Path, words: list[str], said: str) -> None:
    """One sentence, status 2, and no file."""
    assert re.search(re.escape(said), refused(*words))
