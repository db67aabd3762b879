"""`thinktime demo`: tables, two pictures and a paragraph whose numbers are those of the tables."""

import contextlib
import io
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from thinktime.analysis import demo as model
from thinktime.cli import main
from thinktime.cli.demo import NEXT
from thinktime.workloads.units import DAY

from .conftest import Fails

POLICIES = ("fcfs", "easy", "conservative", "ostrich")


class Shown(NamedTuple):
    """What the demo printed."""

    stdout: str
    stderr: str


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def demo(folder: Path) -> Shown:
    """The demo of the first day, run once in an empty folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "HORIZON", DAY)
        patch.setattr(model, "cores", lambda: 1)
        return run_in(folder)


def run_in(folder: Path) -> Shown:
    """The demo, run in a folder."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert main(["demo"]) == 0
    return Shown(out.getvalue(), err.getvalue())


def rows(demo: Shown, *names: str) -> list[list[str]]:
    """The lines of the tables that begin with one of these names, as words behind the name."""
    found = [line for line in demo.stdout.splitlines() if line.startswith(tuple(f"{name} " for name in names))]
    return [line.split() for line in found if line.split()[-1].replace(",", "").isdigit()]


def test_one_row_per_policy(demo: Shown) -> None:
    """The tables have one row per policy, side by side."""
    assert [row[0] for row in rows(demo, *POLICIES)] == list(POLICIES)


def test_one_row_per_user(demo: Shown) -> None:
    """The table has twelve users in order, whose jobs add up to those of the policies."""
    users = rows(demo, "short", "long")
    expected = [f"short {i}" for i in range(1, 9)] + [f"long {i}" for i in range(1, 5)]
    assert [" ".join(row[:2]) for row in users] == expected
    totals = [sum(int(row[-4 + k].replace(",", "")) for row in users) for k in range(4)]
    assert [f"{total:,}" for total in totals] == [row[-1] for row in rows(demo, *POLICIES)]


def test_two_pictures(demo: Shown, folder: Path) -> None:
    """Two pictures lie in demo-output, and their paths are printed."""
    written = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))
    assert written == ["demo-output/users.png", "demo-output/utilization-and-queue.png"]
    assert f"Pictures: {', '.join(written)}\n" in demo.stdout


def test_paragraph(demo: Shown) -> None:
    """The paragraph names the numbers of the table, and nothing is wider than 100 columns."""
    paragraph = " ".join(demo.stdout.partition("Pictures:")[2].split())
    for row in rows(demo, *POLICIES):
        assert f"{row[-1]} jobs done under {row[0]}" in paragraph
    assert max(map(len, demo.stdout.splitlines())) <= 100


def test_it_ends_with_what_to_do_next(demo: Shown) -> None:
    """The last three lines, which fit into 80 columns, say what to do next."""
    assert demo.stdout.splitlines()[-3:] == list(NEXT)
    assert max(map(len, NEXT)) < 80


def test_progress_is_on_standard_error(demo: Shown) -> None:
    """Progress is on standard error, a line before the tables and one before the pictures."""
    assert [line.split()[0] for line in demo.stderr.splitlines()] == ["simulating", "drawing"]
    assert all(policy in demo.stderr for policy in POLICIES)


@pytest.mark.thorough
def test_the_readme_says_what_the_demo_prints(tmp_path: Path) -> None:
    """Jobs done under each policy, and what users of long jobs pay, are those of the whole demo."""
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    said = " ".join(readme.partition("## The demo")[2].partition("\n## ")[0].split())
    shown = run_in(tmp_path)
    assert re.findall(r"\d+,\d+", said) == [row[-1] for row in rows(shown, *POLICIES)]
    assert model.HORIZON == 14 * DAY and "for two weeks" in said
    assert "long users wait 2.0 times as long" in " ".join(shown.stdout.split()) and "take twice as long" in said


def test_out_is_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch, fails: Fails) -> None:
    """A file where the folder should be is named."""
    monkeypatch.chdir(folder)
    (folder / "taken").touch()
    assert fails("demo", "--out", "taken") == "--out taken: a file is in the way where a folder is needed"
