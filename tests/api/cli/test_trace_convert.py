"""`thinktime trace convert`, as people call it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.workloads.sacct.samples import SITE
from thinktime.cli.app import app
from thinktime.cli.entry import main


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the sample in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site.txt").write_text(SITE)
    return tmp_path


def test_a_log_and_its_side_file(site: Path) -> None:
    """The command writes the log and its side files, which a replay can use."""
    found = CliRunner().invoke(
        app, ["trace", "convert", "site.txt", "--out", "logs/site.swf.gz", "--zone", "Europe/Berlin"]
    )
    assert found.exit_code == 0, found.output
    assert "12 jobs from 17 lines" in found.output and "10 jobs from 12 lines" in found.output
    files = ["logs/site.swf.gz", "logs/site.names.csv", "logs/site.conditions.csv"]  # one job became eligible later
    assert found.output.splitlines()[-3:] == files
    names = site / "logs" / "site.names.csv"
    assert "user,1,ann" in names.read_text() and stat.S_IMODE(names.stat().st_mode) == 0o600
    replay = CliRunner().invoke(app, ["replay", "logs/site.swf.gz", "--policy", "easy", "--dependencies", "--quiet"])
    assert replay.exit_code == 0 and "10 jobs" in replay.output
    assert sorted(path.name for path in (site / "logs").iterdir()) == sorted(Path(file).name for file in files)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nowhere.txt"], "there is no file nowhere.txt"),
        (["site.txt", "--out", "log.txt"], "the name of a log must end with .swf or .swf.gz"),
        (["site.txt", "--zone", "Mars"], "no time zone 'Mars'"),
        (["site.txt", "--time-limit", "soon"], "--time-limit must be such as '7 d', or in Slurm's format"),
        (["site.txt", "--processors", "0"], "--processors must be a whole number"),
        (["site.txt", "--delimiter", ""], "--delimiter cannot be empty"),
        (["site.txt", "--delimiter", ";"], "no column JobID"),
    ],
)
def test_errors_are_one_sentence_and_write_nothing(
    site: Path, words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error is one sentence with status 2, and no file is written."""
    assert main(["trace", "convert", *words]) == 2
    assert complaint in capsys.readouterr().err
    assert [path.name for path in site.iterdir()] == ["site.txt"]
