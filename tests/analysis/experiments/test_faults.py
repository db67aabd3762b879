"""What may happen to a sweep from outside: a full disk, too little memory, changed results, files left behind."""

import errno
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import thinktime as tt
from tests.commands import refusal_of
from thinktime.analysis.experiments import Scenario, Sweep, measured_run, store, sweep
from thinktime.analysis.experiments.integrity import ChangedResults
from thinktime.cli import main

from .conftest import content
from .waiting import heard, lay_out

KEPT = "finished runs are kept, and the same sweep resumes from there"


def whole(scenario: Scenario, folder: Path) -> dict[str, str]:
    """What a sweep leaves that nothing has happened to."""
    sweep(scenario, folder, processes=1)
    return content(folder)


def failing(function: Callable[..., Any], good: int, error: BaseException) -> Callable[..., Any]:
    """The function, which fails for good after so many calls."""
    left = [good]

    def call(*values: Any, **named: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise error
        return function(*values, **named)

    return call


def sqlite_error(code: int, text: str) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(text)
    error.sqlite_errorcode = code
    return error


FULL = [
    ("thinktime.analysis.experiments.store.Store.add", sqlite_error(sqlite3.SQLITE_FULL, "database or disk is full")),
    ("thinktime.analysis.experiments.store.Store.add", OSError(errno.ENOSPC, "No space left on device")),
    ("thinktime.analysis.experiments.store.Store.add", OSError(errno.EDQUOT, "Disk quota exceeded")),
    ("thinktime.analysis.experiments.store.Store.seal", OSError(errno.EFBIG, "File too large")),
    ("thinktime.analysis.experiments.folder.SweepFolder.write_table", OSError(errno.ENOSPC, "No space left on device")),
]


@pytest.mark.parametrize(("where", "error"), FULL)
def test_a_full_disk_ends_a_sweep(
    own: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, error: Exception
) -> None:
    """A full disk ends a sweep with one sentence, and with room again the same bytes come out."""
    module, _, name = where.rpartition(".")
    owner: Any = store.Store if "Store" in module else Sweep
    good = 3 if name == "add" else 0
    with monkeypatch.context() as patched:
        patched.setattr(owner, name, failing(getattr(owner, name), good, error))
        with pytest.raises(OSError, match=f"out: there is no room left on the disk for results; {KEPT}"):
            sweep(own, tmp_path / "out", processes=1)
    assert len(Sweep(tmp_path / "out")) == (3 if name == "add" else 6)
    assert whole(own, tmp_path / "out") == whole(own, tmp_path / "other")


LIMITED = """
import resource, signal, sys
from thinktime.cli import main
kind, most = getattr(resource, sys.argv[1]), int(sys.argv[2])
resource.setrlimit(kind, (most, resource.RLIM_INFINITY))
sys.exit(main(sys.argv[3:]))
"""
BIG = """
def simulate(policy, seed):
    return {f"m{number}": seed / 7 + number for number in range(400)}
"""


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
def test_a_file_that_must_not_grow(tmp_path: Path) -> None:
    """With a real limit on the size of files, the command ends with status 2 and one line, and goes on without it."""
    (tmp_path / "model.py").write_text(BIG)
    metrics = ", ".join(f'"m{number}"' for number in range(400))
    text = f'policies = ["fcfs"]\nmetrics = [{metrics}]\nreplications = 40\nmodel.function = "model.py:simulate"\n'
    (tmp_path / "big.toml").write_text(text)
    words = ["run", "big.toml", "--out", "out", "--workers", "1", "--quiet", "--json"]
    command = [sys.executable, "-c", LIMITED, "RLIMIT_FSIZE", "200000", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith("thinktime: error: out: ") and done.stderr.count("\n") == 1
    assert KEPT in done.stderr
    left = len(Sweep(tmp_path / "out"))
    assert 0 < left < 40
    scenario = Scenario.read(tmp_path / "big.toml")
    seen: list[Any] = []
    sweep(scenario, tmp_path / "out", processes=1, progress=seen.append)
    assert seen[0].resumed == left
    assert content(tmp_path / "out") == whole(scenario, tmp_path / "other")


def test_a_run_without_memory_has_failed_alone(own: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that gets no memory is recorded in words and tried again the next time; the others are made."""
    with monkeypatch.context() as patched:
        patched.setattr(measured_run, "simulate", failing(measured_run.simulate, 4, MemoryError()))
        found = sweep(own, tmp_path / "out", processes=1)
    assert len(found) == 4
    assert set(found.failed["error"]) == {"MemoryError: there was not enough memory for this run"}
    assert whole(own, tmp_path / "out") == whole(own, tmp_path / "other")


@pytest.mark.parametrize(
    "error", [MemoryError(), OSError(errno.ENOMEM, "Cannot allocate memory"), RuntimeError("can't start new thread")]
)
def test_a_sweep_without_memory_ends(
    own: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Where the sweep itself gets no memory, it ends with a sentence, and goes on later."""
    with monkeypatch.context() as patched:
        patched.setattr(store.Store, "add", failing(store.Store.add, 2, error))
        with pytest.raises(OSError, match=rf"not enough memory for the sweep in .*{KEPT}.*fewer processes"):
            sweep(own, tmp_path / "out", processes=1)
    assert len(Sweep(tmp_path / "out")) == 2
    assert whole(own, tmp_path / "out") == whole(own, tmp_path / "other")


CHANGES = {
    "metrics": "UPDATE runs SET metrics = replace(metrics, '.0', '.5') WHERE seed = 3",
    "digits": "UPDATE runs SET metrics = metrics || ' ' WHERE seed = 3",
    "seed": "UPDATE runs SET seed = 4 WHERE seed = 3",
    "key": "UPDATE runs SET key = key || 'x' WHERE seed = 3",
    "checksum": "UPDATE runs SET checksum = '' WHERE seed = 3",
    "bytes": "UPDATE runs SET metrics = x'ff00' WHERE seed = 3",
    "curves": "INSERT INTO series SELECT key, '{}' FROM runs WHERE seed = 3",
    "batches": "INSERT INTO batches SELECT key, '{}' FROM runs WHERE seed = 3",
    "observed": "INSERT INTO observed SELECT key, '{}' FROM runs WHERE seed = 3",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_changed_results_are_made_again(own: Scenario, tmp_path: Path, change: str) -> None:
    """A stored result that was changed in any way is noticed by the next sweep and made again."""
    before = whole(own, tmp_path / "out")
    with sqlite3.connect(tmp_path / "out" / "results.sqlite") as results:
        assert results.execute(change).rowcount == 2
    results.close()
    seen: list[Any] = []
    with pytest.warns(ChangedResults, match="2 results in .* were changed after they were written, such as 'policy="):
        sweep(own, tmp_path / "out", processes=1, progress=seen.append)
    assert (seen[0].resumed, seen[0].changed, seen[-1].done) == (4, 2, 6)
    assert content(tmp_path / "out") == before


@pytest.mark.filterwarnings("error")
def test_unchanged_results_are_left_alone(small: Scenario, tmp_path: Path) -> None:
    """Results that nobody changed are not made again, curves and batches included."""
    sweep(small, tmp_path, processes=1)
    seen: list[Any] = []
    sweep(small, tmp_path, processes=1, progress=seen.append)
    assert [(each.resumed, each.changed) for each in seen] == [(12, 0)]


def test_changed_jobs_are_made_again(small: Scenario, tmp_path: Path) -> None:
    """A table of jobs that was changed or is missing is made again."""
    pytest.importorskip("pyarrow", reason="PyArrow is not installed")
    scenario = Scenario.model_validate({**small.content(), "outputs": {"jobs": True}})
    before = whole(scenario, tmp_path)
    first, second, *_ = sorted((tmp_path / "jobs").iterdir())
    first.unlink()
    second.write_bytes(second.read_bytes()[:-1])
    with pytest.warns(ChangedResults, match="2 results"):
        assert whole(scenario, tmp_path) == before


def test_the_command_notes_changed_results(own: Scenario, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command notes changed results in one line on standard error, even with --quiet."""
    sweep(own, tmp_path / "out", processes=1)
    with sqlite3.connect(tmp_path / "out" / "results.sqlite") as results:
        results.execute(CHANGES["metrics"])
    results.close()
    assert main(["run", str(own.folder / "own.toml"), "--out", str(tmp_path / "out"), "--quiet", "--workers", "1"]) == 0
    said = capsys.readouterr().err
    assert said.startswith("thinktime: 2 results in ") and said.count("\n") == 1


def test_a_damaged_database_is_told(own: Scenario, tmp_path: Path) -> None:
    """A results file with overwritten pages is reported in one sentence."""
    sweep(own, tmp_path / "out", processes=1)
    file = tmp_path / "out" / "results.sqlite"
    damaged = bytearray(file.read_bytes())
    damaged[4096:-100] = b"\xff" * (len(damaged) - 4196)
    file.write_bytes(damaged)
    with pytest.raises((OSError, ValueError), match=r"(damaged|cannot be used|cannot be written|cannot be read)"):
        sweep(own, tmp_path / "out", processes=1)
    with pytest.raises(ValueError, match="cannot be read"):
        _ = Sweep(tmp_path / "out").table


FAILING = "def simulate(policy, seed):\n    assert seed < 3, 'too many'\n    return {'wait': seed}\n"


def test_failures_of_dropped_runs_vanish(tmp_path: Path) -> None:
    """The next sweep drops the failures of runs that the scenario no longer has, and keeps the others."""
    (tmp_path / "model.py").write_text(FAILING)
    text = 'policies = ["fcfs"]\nmetrics = ["wait"]\nreplications = 5\nmodel.function = "model.py:simulate"'
    assert sweep(Scenario.from_text(text, folder=tmp_path), tmp_path / "out", processes=1).failed["seed"].tolist() == [
        3,
        4,
        5,
    ]
    fewer = Scenario.from_text(text.replace("5", "3"), folder=tmp_path)
    assert sweep(fewer, tmp_path / "out", processes=1).failed["seed"].tolist() == [3]
    fewest = Scenario.from_text(text.replace("5", "2"), folder=tmp_path)
    assert sweep(fewest, tmp_path / "out", processes=1).failed.empty


USERS = """
horizon = "2 h"
policies = ["fcfs"]
metrics = ["mean_wait@{}"]
machine.processors = 4
[users.short]
count = 2
profile = "short"
"""


@pytest.mark.parametrize("name", ["shirt", "long", "short 3", "short 0", "short x", "1"])
def test_metrics_of_unknown_users_are_refused(name: str) -> None:
    """A metric of users whom the scenario lacks is refused before anything runs."""
    with pytest.raises(ValueError, match=rf"metric 'mean_wait@{name}' names users '{name}', who do not exist; "):
        Scenario.from_text(USERS.format(name))


@pytest.mark.parametrize("name", ["short", "short 2"])
def test_metrics_of_a_user(name: str) -> None:
    """Metrics of a group of users, and of a single one, can be measured."""
    assert Scenario.from_text(USERS.format(name)).metrics == (f"mean_wait@{name}",)


@pytest.mark.parametrize("metric", ["none.py:measure", "model.py:none"])
def test_metrics_are_checked_before_the_first_run(small: Scenario, tmp_path: Path, metric: str) -> None:
    """An unknown metric is refused before anything is run or written, in Python as well."""
    (tmp_path / "model.py").write_text("def measure(result):\n    return 1.0\n")
    scenario = tt.Scenario(**{**small.content(), "metrics": [f"{tmp_path}/{metric}"]})
    with pytest.raises(ValueError, match="metrics: "):
        sweep(scenario, tmp_path / "out", processes=1)
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the test needs named pipes")
def test_what_a_terminated_sweep_left_is_cleaned(tmp_path: Path) -> None:
    """The sweep after a SIGTERM removes half-written files and ends with the same bytes."""
    scenario, told = lay_out(tmp_path)
    words = ["run", str(scenario), "--out", str(tmp_path / "out"), "--workers", "1", "--quiet"]
    with subprocess.Popen([sys.executable, "-m", "thinktime", *words], cwd=tmp_path) as caller:
        assert heard(told)
        caller.send_signal(signal.SIGTERM)
    for name in (".results.sqlite.7.part", ".results.sqlite.7.part-journal", ".results.csv.7.part"):
        (tmp_path / "out" / name).write_bytes(b"half")
    (tmp_path / "out" / "jobs").mkdir()
    (tmp_path / "out" / "jobs" / ".x.parquet.7.part").write_bytes(b"half")
    assert main(words) == 0
    assert [path.name for path in (tmp_path / "out").rglob("*.part*")] == []
    (tmp_path / "out" / "jobs").rmdir()
    assert content(tmp_path / "out") == whole(Scenario.read(scenario), tmp_path / "other")


def test_a_folder_that_was_only_begun(tmp_path: Path) -> None:
    """A folder whose sweep ended before it wrote what it is has no results, and the error says so."""
    store.opened(tmp_path / "results.sqlite", store._RESULTS).close()
    with pytest.raises(ValueError, match="has no results yet; its sweep was interrupted before it began"):
        _ = Sweep(tmp_path).table


HUNGRY = """
def simulate(policy, seed):
    if seed == 2:
        bytes(6 * 2**30)  # which are not touched
    return {"wait": seed}
"""


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
def test_a_limit_on_memory(tmp_path: Path) -> None:
    """Under a real limit on memory, a run that wants more fails in words, and the others succeed."""
    (tmp_path / "model.py").write_text(HUNGRY)
    text = 'policies = ["fcfs"]\nmetrics = ["wait"]\nreplications = 3\nmodel.function = "model.py:simulate"\n'
    (tmp_path / "hungry.toml").write_text(text)
    words = ["run", "hungry.toml", "--out", "out", "--workers", "1", "--quiet", "--json"]
    command = [sys.executable, "-c", LIMITED, "RLIMIT_AS", str(4 * 2**30), *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "1 run failed, such as 'policy=fcfs seed=00002': MemoryError: there was not enough" in done.stderr
    found = sweep(Scenario.read(tmp_path / "hungry.toml"), tmp_path / "out", processes=1)
    assert len(found) == 3 and found.failed.empty


NO_MEMORY = [
    MemoryError(),
    MemoryError("Unable to allocate 8.00 GiB"),
    ImportError("x.so: failed to map segment from shared object"),
    OSError(errno.ENOMEM, "Cannot allocate memory"),
    RuntimeError("can't start new thread"),
]


@pytest.mark.parametrize("error", NO_MEMORY, ids=repr)
def test_any_command_without_memory(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Any command that runs out of memory ends with status 2 and one sentence."""
    monkeypatch.setattr("thinktime.cli.replay.chosen", failing(lambda: None, 0, error))
    assert "there is not enough memory" in refusal_of("replay", "some.swf")
