"""The bar: where it is drawn, and what it says."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from thinktime.cli import progress
from thinktime.cli.progress import StatusOutput


def teller(terminal: bool, quiet: bool = False) -> tuple[StatusOutput, io.StringIO]:
    told = StatusOutput(quiet)
    screen = io.StringIO()
    told.console = Console(file=screen, force_terminal=terminal, width=100, highlight=False)
    return told, screen


@pytest.mark.parametrize(("terminal", "quiet"), [(False, False), (True, True), (False, True)])
def test_no_bar(terminal: bool, quiet: bool) -> None:
    """Where no bar can be seen, a run is not asked to report."""
    told, screen = teller(terminal, quiet)
    with told.bar("easy") as report:
        assert report is None
    assert screen.getvalue() == ""


def test_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long run shows simulated time, jobs done and jobs per second, and the bar vanishes at the end."""
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    told, screen = teller(terminal=True)
    with told.bar("easy", start=86_400.0) as report:
        assert report
        report(172_800.0, 1_500, 3_000)
    shown = screen.getvalue()
    assert "easy" in shown and "1d 0h simulated, 1,500 of 3,000 jobs" in shown and "jobs/s" in shown


def test_short_runs_draw_nothing() -> None:
    """A run that is over at once draws no bar."""
    told, screen = teller(terminal=True)
    with told.bar("easy") as report:
        assert report
        report(10.0, 1, 1)
    assert screen.getvalue() == ""


def test_compiling_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compilation that takes long is announced, a short one is not."""
    monkeypatch.setattr(progress, "NOTICE", 0.05)
    told, screen = teller(terminal=False)
    with told.compiling():
        pass
    time.sleep(0.1)
    assert screen.getvalue() == ""
    with told.compiling():
        time.sleep(0.2)
    assert screen.getvalue() == "compiling the kernels, once (some 10 s for each rule) …\n"
