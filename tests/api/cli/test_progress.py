"""The bar: where it is drawn, and what it says."""

import io
import itertools

import pytest
from rich.console import Console

from thinktime.analysis.experiments.sweep import Standing
from thinktime.cli import progress
from thinktime.cli.progress import StatusOutput, TimeLeft, minute_lines


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


def said(ends: list[float], at_first: int = 0) -> list[tuple[float, float]]:
    """What is said while things are done at some times: pairs of what it says is left, and what is left."""
    clock = [0.0]
    left = TimeLeft(lambda: clock[0])
    left.at(at_first, at_first + len(ends))
    found = []
    for done, clock[0] in enumerate(ends, at_first + 1):
        seconds = left.at(done, at_first + len(ends))
        if seconds is not None:
            found.append((seconds, ends[-1] - clock[0]))
    return found


SCHEDULES = {
    "one after the other": [2.0 * k for k in range(1, 101)],
    "slow to begin": [100.0 + k for k in range(1, 81)],
    "very slow to begin": [160.0 + 0.1 * k for k in range(1, 201)],
    "four at once": [30.0 * (1 + k // 4) + k % 4 for k in range(96)],
    "four at once, slow to begin": [60 + 30.0 * (1 + k // 4) + k % 4 for k in range(96)],
    "eight at once": [60.0 * (1 + k // 8) + 0.1 * (k % 8) for k in range(96)],
}


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("at_first", [0, 1000])
def test_what_is_said_to_be_left_is_right_within_a_factor_of_two(name: str, at_first: int) -> None:
    """Or by a single run; what was done before, compiling, and the start of workers are no pace."""
    ends = SCHEDULES[name]
    run = max(b - a for a, b in itertools.pairwise(ends))
    found = said(ends, at_first)
    assert [(told, right) for told, right in found if not right / 2 - run <= told <= 2 * right + run] == []


@pytest.mark.parametrize("name", ["one after the other", "slow to begin", "four at once", "eight at once"])
def test_most_of_the_time_it_is_said(name: str) -> None:
    """Nothing is said at first, and something from the middle on."""
    found = said(SCHEDULES[name])
    assert len(SCHEDULES[name]) / 4 < len(found) <= len(SCHEDULES[name]) - 3


def test_a_bar_says_nothing_that_it_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three runs of a minute, the first took long to begin: no hours are said to be left."""
    clock = [0.0]
    monkeypatch.setattr(TimeLeft.__init__, "__defaults__", (lambda: clock[0],))
    told, screen = teller(terminal=True)
    with told.counting("runs") as draw:
        assert draw
        for done, clock[0] in enumerate([0.0, 160.0, 161.0, 162.0, 163.0]):
            draw(done, 100)
    assert "left" not in screen.getvalue()
    with told.counting("runs") as draw:
        assert draw
        for done in range(11):
            draw(done, 20)
            clock[0] += 60.0
    assert "10m 0s left" in screen.getvalue()


def test_a_sweep_says_what_is_left_in_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line each minute: without an estimate after one run that took long, with one later.

    At 200 s, six runs have taken 33.3 s each, and five since the first 20 s: 14 are left, of 25.8 s.
    """
    clock = [0.0]
    monkeypatch.setattr(TimeLeft.__init__, "__defaults__", (lambda: clock[0],))
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    lines: list[str] = []
    tell = minute_lines(lines.append)
    for done, clock[0] in enumerate([0.0, 100.0, 110.0, 120.0, 130.0, 140.0, 200.0, 220.0, 240.0, 260.0, 280.0]):
        tell(Standing(runs=20, done=done, failed=0, resumed=0, running=1))
    assert lines == [
        "20 runs", "1 of 20 runs done, 1 running, 0 failed", "6 of 20 runs done, 1 running, 0 failed, 6m 1s left",
        "9 of 20 runs done, 1 running, 0 failed, 4m 24s left",
    ]  # fmt: skip
