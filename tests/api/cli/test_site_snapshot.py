"""`thinktime site snapshot`, with programs that print what a Slurm would."""

import os
import stat
from pathlib import Path

import pytest

from tests.models.snapshot import made_up
from thinktime.models.snapshot.folder import COMMANDS, history

from .conftest import Fails, Run

PEOPLE = ("ann", "bob", "cem", "physics", "biology", "mars", "upgrade", "1001", "1002", "wide one", "my job")
HISTORY = """\
JobID|JobIDRaw|JobName|User|Account|Partition|State|Submit|SubmitLine
1|1|gone|ann|physics|batch|COMPLETED|1799999000|/usr/bin/sbatch --dependency=afterok:7 /users/ann/my job
"""


@pytest.fixture
def answers() -> dict[str, dict[str, str]]:
    """What each program says."""
    texts = made_up.texts() | {"sacct.psv": HISTORY, "squeue_start.psv": "JOBID|NAME\n3|next\n"}
    found: dict[str, dict[str, str]] = {}
    for command in (*COMMANDS, history("now-90days")):
        program, *words = command.words
        if command.file in texts:
            found.setdefault(program, {})[" ".join(words)] = texts[command.file]
    return found


@pytest.fixture
def path(answers: dict[str, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of such programs, which are found before all others."""
    folder = tmp_path / "bin"
    made_up.commands(folder, answers)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


def test_each_command_is_a_file(path: Path, tmp_path: Path, run: Run) -> None:
    """What was printed, byte for byte; what there is none of is said; begun and ended are times in order."""
    out = tmp_path / "now"
    outcome = run("site", "snapshot", "--out", out, "--history", "90d")
    assert outcome.status == 0 and outcome.err == ""
    assert "1 file could not be made" in outcome.out
    assert "sprio -l -n: no such question" in " ".join(outcome.out.split())
    texts = made_up.texts()
    for name in ("jobs.txt", "nodes.txt", "config.txt", "sshare.psv", "qos.psv", "squeue.json"):
        assert (out / name).read_text() == texts[name]
    assert (out / "sacct.psv").read_text() == HISTORY
    begun, ended = (float((out / name).read_text()) for name in ("begun.txt", "ended.txt"))
    assert begun <= ended
    lines = (out / "times.csv").read_text().splitlines()
    assert lines[0] == "file,begun,ended" and lines[1].startswith("jobs.txt,")
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []


def test_a_command_that_is_needed_and_refused_leaves_nothing(path: Path, tmp_path: Path, fails: Fails) -> None:
    """One sentence; neither a folder nor a part of it."""
    (path / "scontrol").write_text("#!/bin/sh\necho 'slurm_load_jobs error: access denied' >&2\nexit 1\n")
    said = fails("site", "snapshot", "--out", tmp_path / "now")
    assert said == "scontrol -d -o show job: slurm_load_jobs error: access denied; without it there is no snapshot"
    assert [each.name for each in tmp_path.iterdir()] == ["bin"]


def test_without_slurm(tmp_path: Path, fails: Fails, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without Slurm is told so."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert fails("site", "snapshot", "--out", tmp_path / "now").startswith(
        "scontrol -d -o show job: there is no command scontrol here"
    )


def test_nothing_is_overwritten(path: Path, tmp_path: Path, fails: Fails) -> None:
    """A folder with files is left alone, and so is the key of names."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    assert "is there already" in fails("site", "snapshot", "--out", tmp_path / "full")
    (tmp_path / "now.names.csv").touch()
    assert "now.names.csv is there already" in fails("site", "snapshot", "--out", tmp_path / "now", "--anonymous")


def test_no_name_is_left(path: Path, tmp_path: Path, run: Run) -> None:
    """With --anonymous nobody's name is in any file; the key has them all, and only its owner can read it."""
    out, key = tmp_path / "now", tmp_path / "now.names.csv"
    assert run("site", "snapshot", "--out", out, "--history", "90d", "--anonymous").status == 0
    for file in out.iterdir():
        text = file.read_text()
        assert [name for name in PEOPLE if name in text] == [], file.name
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    rows = [line.split(",") for line in key.read_text().splitlines()]
    names = {name: stands for _, stands, name in rows}
    assert {"ann", "bob", "cem", "physics", "biology", "mars", "upgrade", "wide one"} <= names.keys()
    jobs = (out / "jobs.txt").read_text().splitlines()
    assert f"UserId={names['ann']}(" in jobs[0] and f"Account={names['physics']} " in jobs[0]
    assert f"JobName={names['wide one']} UserId=" in jobs[1]
    assert f"  {names['physics']}|{names['ann']}|" in (out / "assoc.psv").read_text()
    assert "--dependency=afterok:7" in (out / "sacct.psv").read_text()


def test_a_history_of_less_than_a_day_is_refused(path: Path, tmp_path: Path, fails: Fails) -> None:
    """A time that cannot be is one sentence."""
    assert "--history" in fails("site", "snapshot", "--out", tmp_path / "now", "--history", "5min")
