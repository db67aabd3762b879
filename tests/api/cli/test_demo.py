"""`thinktime demo`: tables, two pictures and a paragraph whose numbers are those of the tables."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from thinktime.cli.demo import NEXT

pytestmark = pytest.mark.compiled

POLICIES = ("fcfs", "easy", "conservative", "ostrich")
COMMAND = [sys.executable, "-m", "thinktime", "demo"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def demo(folder: Path) -> subprocess.CompletedProcess[str]:
    """The demo, run once in an empty folder."""
    return subprocess.run(COMMAND, cwd=folder, capture_output=True, text=True, check=True)


def rows(demo: subprocess.CompletedProcess[str], *names: str) -> list[list[str]]:
    """The lines of the tables that begin with one of these names, as words behind the name."""
    found = [line for line in demo.stdout.splitlines() if line.startswith(tuple(f"{name} " for name in names))]
    return [line.split() for line in found if line.split()[-1].replace(",", "").isdigit()]


def test_one_row_per_policy(demo: subprocess.CompletedProcess[str]) -> None:
    """The tables have one row per policy, side by side."""
    assert [row[0] for row in rows(demo, *POLICIES)] == list(POLICIES)


def test_one_row_per_user(demo: subprocess.CompletedProcess[str]) -> None:
    """The table has twelve users in order, whose jobs add up to those of the policies."""
    users = rows(demo, "short", "long")
    expected = [f"short {i}" for i in range(1, 9)] + [f"long {i}" for i in range(1, 5)]
    assert [" ".join(row[:2]) for row in users] == expected
    totals = [sum(int(row[-4 + k].replace(",", "")) for row in users) for k in range(4)]
    assert [f"{total:,}" for total in totals] == [row[-1] for row in rows(demo, *POLICIES)]


def test_two_pictures(demo: subprocess.CompletedProcess[str], folder: Path) -> None:
    """Two pictures lie in demo-output, and their paths are printed."""
    written = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))
    assert written == ["demo-output/users.png", "demo-output/utilization-and-queue.png"]
    assert f"Pictures: {', '.join(written)}\n" in demo.stdout


def test_paragraph(demo: subprocess.CompletedProcess[str]) -> None:
    """The paragraph names the numbers of the table, and nothing is wider than 100 columns."""
    paragraph = " ".join(demo.stdout.partition("Pictures:")[2].split())
    for row in rows(demo, *POLICIES):
        assert f"{row[-1]} jobs done under {row[0]}" in paragraph
    assert max(map(len, demo.stdout.splitlines())) <= 100


def test_it_ends_with_what_to_do_next(demo: subprocess.CompletedProcess[str]) -> None:
    """The last three lines, which fit into 80 columns, say what to do next."""
    assert demo.stdout.splitlines()[-3:] == list(NEXT)
    assert max(map(len, NEXT)) < 80


def test_progress_is_on_standard_error(demo: subprocess.CompletedProcess[str]) -> None:
    """Progress is on standard error, a line per month and one for the pictures."""
    policies = [line.split()[-2] for line in demo.stderr.splitlines() if line.startswith("simulating")]
    assert policies == list(POLICIES)


def test_out_is_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch, fails: Callable[..., str]) -> None:
    """A file where the folder should be is named."""
    monkeypatch.chdir(folder)
    (folder / "taken").touch()
    assert fails("demo", "--out", "taken") == "--out taken: a file is in the way where a folder is needed"
