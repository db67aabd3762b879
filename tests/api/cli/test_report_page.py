"""`thinktime report` and `thinktime view`, as people call them."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.analysis.experiments.known_numbers import known_numbers
from tests.analysis.view.parsed import content_of
from tests.commands import stdout_of
from thinktime.cli import replay
from thinktime.cli.entry import main

from .conftest import Fails, Run


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a sweep, for all tests."""
    return known_numbers(tmp_path_factory.mktemp("known")).folder


@pytest.fixture
def folder(results: Path, tmp_path: Path) -> Path:
    """A folder of results of one's own."""
    return Path(shutil.copytree(results, tmp_path / "results"))


def test_a_page_in_the_folder(folder: Path) -> None:
    """The page lies in the folder, and its path is all that is printed."""
    assert stdout_of("report", str(folder)) == f"{folder / 'report.html'}\n"
    assert "Known numbers" in (folder / "report.html").read_text()


def test_pictures_and_another_baseline(folder: Path) -> None:
    """`--picture` writes pictures, `--out` and `--baseline` do what they say."""
    page = folder.parent / "page.html"
    words = ["report", str(folder), "--out", str(page), "--baseline", "easy", "--picture", "pdf", "--picture", "png"]
    printed = stdout_of(*words).splitlines()
    assert printed[0] == str(page) and str(folder / "pictures" / "differences.pdf") in printed
    assert "Compared with easy" in page.read_text() and not (folder / "report.html").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nowhere"], "nowhere is not a folder of results"),
        (["DIR", "--baseline", "lxf"], "the baseline must be one of the policies fcfs, easy, sjf, not 'lxf'"),
        (["DIR", "--out", "page.txt"], "the name of the page must end with .html"),
        (["DIR", "--out", "no/where/page.html"], "there is no folder"),
        (["DIR", "--picture", "gif"], "gif"),
    ],
)
def test_errors(folder: Path, words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An error is one sentence with status 2, and nothing is written."""
    before = sorted(folder.rglob("*"))
    assert main(["report", *(str(folder) if word == "DIR" else word for word in words)]) == 2
    told = capsys.readouterr()
    assert complaint in told.err and not told.out and sorted(folder.rglob("*")) == before


def test_a_page_of_a_replay(log: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is in the folder, with the policies in the order given and why jobs waited."""
    monkeypatch.setattr(replay, "draw", lambda *_: None)
    out = tmp_path / "out"
    run("replay", log, "--policy", "fcfs", "--policy", "easy", "--out", out, "--quiet")
    told = run("view", out, "--title", "Tiny")
    assert (told.status, told.out) == (0, f"{out / 'view.html'}\n")
    page = (out / "view.html").read_text()
    assert "<h1>Tiny</h1>" in page
    found = content_of(page)
    assert [each["name"] for each in found["policies"]] == ["fcfs", "easy"]
    assert found["unix_start"] == 1e9 and all(each["reasons"] for each in found["policies"])


def test_wrong_words(log: Path, tmp_path: Path, fails: Fails) -> None:
    """One sentence each, and no file."""
    assert fails("view", tmp_path / "no").startswith(f"there is no {tmp_path / 'no'}; ")
    assert fails("view", log, "--out", tmp_path / "x.pdf") == (
        f"--out {tmp_path / 'x.pdf'}: the name of the page must end with .html"
    )
    assert fails("view", log, "--out", tmp_path / "no" / "x.html") == (
        f"--out {tmp_path / 'no' / 'x.html'}: there is no folder {tmp_path / 'no'}"
    )
    assert [file.name for file in tmp_path.iterdir()] == ["tiny.swf"]


def test_without_bokeh(log: Path, fails: Fails, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence says how to install it."""
    monkeypatch.setitem(sys.modules, "bokeh", None)
    assert fails("view", log) == "thinktime view needs Bokeh, which draws the page: pip install 'thinktime[view]'"
