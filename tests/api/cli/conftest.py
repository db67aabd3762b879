"""A tiny log, and the command line called in this process."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.models.site import pluto
from thinktime.cli import main

HEADER = """\
; Version: 2.2
; Computer: a made-up machine
; UnixStartTime: 1000000000
; TimeZoneString: Europe/Stockholm
; MaxProcs: 4
"""

# (number, submit, run time, processors, estimate): on 4 processors, job 2 must wait for job 1, job 3 fits
# beside job 1 and ends before it, job 4 outlives its estimate, job 5 has no run time and is dropped.
JOBS = ((1, 0, 100, 3, 120), (2, 10, 50, 4, 60), (3, 20, 30, 1, 40), (4, 300, 90, 2, 80), (5, 310, -1, 1, 10))


class Outcome(NamedTuple):
    """What a command left behind."""

    status: int
    out: str
    err: str


Run = Callable[..., Outcome]
Fails = Callable[..., str]


def line(number: int, submit: int, runtime: int, processors: int, estimate: int, wait: int = 0) -> str:
    """One line of a log in SWF."""
    requested = f"{processors} -1 -1 {processors} {estimate} -1"
    return f"{number} {submit} {wait} {runtime} {requested} 1 {number % 2 + 1} 1 -1 1 -1 -1 -1"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of five jobs, of which one is dropped."""
    path = tmp_path / "tiny.swf"
    path.write_text(HEADER + "".join(f"{line(*job)}\n" for job in JOBS))
    return path


@pytest.fixture
def site_log(tmp_path: Path) -> Path:
    """A log, the names of its numbers beside it, and the site pluto.toml."""
    return pluto.write(tmp_path)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Call the command line with some words."""

    def call(*words: object) -> Outcome:
        status = main([str(word) for word in words])
        out, err = capsys.readouterr()
        return Outcome(status, out, err)

    return call


@pytest.fixture
def fails(run: Run) -> Fails:
    """Call the command line where it must refuse, and give its one sentence."""

    def call(*words: object) -> str:
        status, out, err = run(*words)
        assert (status, out) == (2, "")
        start = "thinktime: error: "
        assert err.startswith(start) and err.count("\n") == 1 and err.endswith("\n")
        return err.removeprefix(start).rstrip("\n")

    return call
