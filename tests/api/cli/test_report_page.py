"""`thinktime report`, as people call it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.analysis.experiments.known_numbers import known_numbers
from thinktime.cli.entry import main


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a sweep, for all tests."""
    return known_numbers(tmp_path_factory.mktemp("known")).folder


@pytest.fixture
def folder(results: Path, tmp_path: Path) -> Path:
    """A folder of results of one's own."""
    return Path(shutil.copytree(results, tmp_path / "results"))


def test_a_page_in_the_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page lies in the folder, and its path is all that is printed."""
    assert main(["report", str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder / 'report.html'}\n"
    assert "Known numbers" in (folder / "report.html").read_text()


def test_pictures_and_another_baseline(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--picture` writes pictures, `--out` and `--baseline` do what they say."""
    page = folder.parent / "page.html"
    words = ["report", str(folder), "--out", str(page), "--baseline", "easy", "--picture", "pdf", "--picture", "png"]
    assert main(words) == 0
    printed = capsys.readouterr().out.splitlines()
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
