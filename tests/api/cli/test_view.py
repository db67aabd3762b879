"""`thinktime view`: a page beside the results of a replay."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.analysis.view.parsed import content_of
from thinktime.cli import replay

from .conftest import Outcome

Run = Callable[..., Outcome]
Fails = Callable[..., str]


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
