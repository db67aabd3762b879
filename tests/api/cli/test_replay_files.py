"""`thinktime replay --out`: which files lie where, and that nothing is left half written."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from thinktime.cli import output_folders, replay
from thinktime.workloads import read_swf

from .conftest import Fails, Run
from .test_process import COMMAND, SLOW


def tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def test_layout(log: Path, run: Run, tmp_path: Path) -> None:
    """Each policy has a folder of files, and what compares the policies is beside them."""
    out = tmp_path / "deep" / "out"
    specs = ["easy:order=lxf,reservations=2", "fcfs"]
    outcome = run("replay", log, "--out", out, *(f"--policy={spec}" for spec in specs))
    assert outcome.status == 0
    folders = ["easy-order-lxf-reservations-2", "fcfs"]
    pictures = ["gantt.png", "utilization-and-queue.png", "wait-by-width.png"]
    per_policy = ["jobs.csv", "schedule.swf", "result.npz", *pictures]
    inside = {f"{folder}/{name}" for folder in folders for name in per_policy}
    assert tree(out) == {"bounded-slowdown.png", "load-and-slowdown.png", "wait-by-width.png", *folders} | inside
    assert outcome.err.endswith(f"the files are in {out}\n")


def test_contents(log: Path, run: Run, tmp_path: Path) -> None:
    """jobs.csv names the log's job numbers; schedule.swf is the log with the simulated waits."""
    out = tmp_path / "out"
    run("replay", log, "--policy", "easy", "--out", out)
    rows = [line.split(",") for line in (out / "easy" / "jobs.csv").read_text().splitlines()]
    table = {row[0]: dict(zip(rows[0], row, strict=True)) for row in rows[1:]}
    assert list(table) == ["1", "2", "3", "4"]
    assert [float(each["starting_time"]) for each in table.values()] == [0, 100, 20, 300]
    schedule = read_swf(out / "easy" / "schedule.swf")
    assert (schedule.id.tolist(), schedule.wait.tolist()) == ([1, 2, 3, 4], [0, 90, 0, 0])


def test_same_files_on_every_run(log: Path, run: Run, tmp_path: Path) -> None:
    """Two runs write the same bytes, pictures included."""
    for name in ("first", "second"):
        run("replay", log, "--policy", "conservative", "--out", tmp_path / name)
    for path in (tmp_path / "first").rglob("*.*"):
        other = tmp_path / "second" / path.relative_to(tmp_path / "first")
        assert path.read_bytes() == other.read_bytes(), path.name


def test_other_files_stay(log: Path, run: Run, tmp_path: Path) -> None:
    """A second run replaces its own files and leaves notes of the user's alone."""
    folder = tmp_path / "out" / "easy"
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("mine")
    (folder / "jobs.csv").write_text("old")
    assert run("replay", log, "--policy", "easy", "--out", tmp_path / "out").status == 0
    assert (folder / "notes.txt").read_text() == "mine"
    assert (folder / "jobs.csv").read_text().startswith("job_id,")


def test_failure_leaves_nothing(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: Fails) -> None:
    """A failed write leaves no folder that looks complete."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(replay, "draw", full)
    assert fails("replay", log, "--policy", "easy", "--quiet", "--out", tmp_path / "new" / "out") == (
        "no space left on device"
    )
    assert not (tmp_path / "new").exists()


def test_out_is_a_file(log: Path, tmp_path: Path, fails: Fails) -> None:
    """A file where the folder should be is named."""
    taken = tmp_path / "taken"
    taken.write_text("")
    expected = f"--out {taken}: a file is in the way where a folder is needed"
    assert fails("replay", log, "--out", taken) == expected
    assert fails("replay", log, "--out", taken / "below").startswith(f"--out {taken / 'below'}: ")


def test_policy_folder_is_a_file(log: Path, tmp_path: Path, fails: Fails) -> None:
    """A file where a policy's folder should be is named, before anything is simulated."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "easy").write_text("")
    expected = f"--out {tmp_path / 'out'}: {tmp_path / 'out' / 'easy'} is a file where a folder is needed"
    assert fails("replay", log, "--out", tmp_path / "out", "--policy", "easy") == expected


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the administrator may write anywhere")
def test_out_without_permission(log: Path, tmp_path: Path, fails: Fails) -> None:
    """A folder that cannot be written to is named."""
    (tmp_path / "locked").mkdir(mode=0o500)
    expected = f"--out {tmp_path / 'locked'}: cannot write there (permission denied); give another folder"
    assert fails("replay", log, "--out", tmp_path / "locked") == expected


def test_two_policies_in_one_folder(log: Path, tmp_path: Path, fails: Fails) -> None:
    """Two policies whose files would overwrite each other are refused."""
    words = ["--policy", "easy", "--policy", "easy", "--out", tmp_path / "out"]
    assert fails("replay", log, *words) == (
        "--out: the policies 'easy' and 'easy' would share the folder easy; give one of them"
    )


def test_one_window_for_all_gantt_charts(log: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The charts of all policies show the same time."""
    from thinktime.analysis import pictures

    gantt, titles = pictures.gantt, []

    def noted(*words: object) -> object:
        picture = gantt(*words)
        titles.append(picture.axes[0].get_title(loc="left").partition(", ")[2])
        return picture

    monkeypatch.setattr(pictures, "gantt", noted)
    assert run("replay", log, "--policy", "fcfs", "--policy", "sjf", "--out", tmp_path / "out").status == 0
    assert len(titles) == 2 and len(set(titles)) == 1 and titles[0].startswith("from 0 to ")


@pytest.mark.skipif(os.name == "nt", reason="signals and locks of POSIX")
def test_after_sigterm(log: Path, tmp_path: Path, run: Callable[..., object]) -> None:
    """A replay removes the folder that one ended by SIGTERM left unfinished."""
    (tmp_path / "mine.py").write_text(SLOW)
    words = ["replay", str(log), "--policy", "mine.py:slow", "--quiet", "--out", "out"]
    with subprocess.Popen([*COMMAND, *words], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGTERM)
    assert len(list((tmp_path / "out").glob(".unfinished-*"))) == 1
    run("replay", log, "--policy", "easy", "--quiet", "--out", tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "bounded-slowdown.png",
        "easy",
        "wait-by-width.png",
    ]


@pytest.mark.skipif(os.name == "nt", reason="signals and locks of POSIX")
def test_what_is_being_written_stays(tmp_path: Path) -> None:
    """Of two commands that write to one folder at a time, neither removes what the other is writing."""
    script = (
        "import sys; from pathlib import Path; from thinktime.cli import output_folders\n"
        "with output_folders.staging(Path(sys.argv[1])) as aside:\n"
        "    print(aside.name, flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout and other.stdin
        name = other.stdout.readline().strip()
        with output_folders.staging(tmp_path):
            assert (tmp_path / name).is_dir()
        other.stdin.close()
    assert list(tmp_path.iterdir()) == []
