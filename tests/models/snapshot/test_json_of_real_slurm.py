"""What a real Slurm 22.05.8 said of 26 jobs in one second, as text (scontrol) and as JSON (squeue), in `live`.

Names are others, and values of which nothing is read are left out. One job is suspended, others were requeued, held, or
wait for a time, a job, a licence or a reservation; two have a niceness, and two are arrays.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from thinktime.models.snapshot.clock import Clock
from thinktime.models.snapshot.jobs import JOBS, JSON, Jobs, read_jobs
from thinktime.models.snapshot.records import Report

LIVE = Path(__file__).parent / "live"
BEGUN, TOLD = 1_795_862_240, 1_795_862_267
"""When a snapshot may have begun, before the jobs were submitted, and when these were told (Unix time, s)."""


def read(name: str, folder: Path) -> tuple[Jobs, Report]:
    """The jobs of one of both files."""
    (folder / name).write_bytes((LIVE / name).read_bytes())
    (folder / "begun.txt").write_text(f"{BEGUN}\n")
    (folder / "ended.txt").write_text(f"{TOLD + 2}\n")
    (folder / "times.csv").write_text(f"file,begun,ended\n{name},{TOLD}.1,{TOLD}.3\n")
    report = Report("")
    return read_jobs(folder, Clock(folder, report), report), report


@pytest.fixture
def both(tmp_path: Path) -> tuple[tuple[Jobs, Report], tuple[Jobs, Report]]:
    """As text, and as JSON."""
    folders = tmp_path / "text", tmp_path / "json"
    for folder in folders:
        folder.mkdir()
    return read(JOBS, folders[0]), read(JSON, folders[1])


def test_json_is_what_text_is(both: tuple[tuple[Jobs, Report], tuple[Jobs, Report]]) -> None:
    """The same jobs with all that they have, at the same second, long after the snapshot began."""
    (text, _), (own, _) = both
    assert text.time == own.time == TOLD
    assert len(text.present) == 42 and sum(job.start is not None for job in text.present) == 10
    for one, other in zip(text.present, own.present, strict=True):
        assert replace(one, where="") == replace(other, where="")
    found = {job.number: job for job in own.present}
    assert [found[number].nice for number in (5, 9, 10)] == [7, 50, -50]
    assert found[3].limit is None and found[3].shares == (5, 5)
    assert {job.label for job in own.present if job.held} == {"6", "11", "17", *(f"22_{k}" for k in range(1, 20, 3))}


def test_json_says_what_is_not_modelled(both: tuple[tuple[Jobs, Report], tuple[Jobs, Report]]) -> None:
    """Nodes that are asked for or excluded, deadlines, shortest limits and licences are told as of text."""
    (_, text), (_, own) = both
    assert own.of("ignored") == text.of("ignored")
    assert len(own.of("ignored")) == 5
