"""Snapshots of a real Slurm 22.05.8, if the folder of recordings lies beside the tree."""

from pathlib import Path

import pytest
import simpy

import thinktime as tt
from tests.models.snapshot.same import again, alike
from thinktime.models.snapshot.reading import Snapshot, read_snapshot

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT.parent / "shared" / "slurm_lab" / "snapshot"
ZERO = 1_795_525_063
TICKS = {"at_70": 57, "at_130": 117, "at_200": 177}
OTHERS = {"at_70": 1, "at_130": 1, "at_200": 0}
"""Lines of sprio with another priority: of a job with whole nodes that Slurm has not tried to place yet."""

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="there are no recordings beside the tree")


@pytest.fixture(scope="module", params=TICKS)
def taken(request: pytest.FixtureRequest) -> tuple[str, Snapshot]:
    """A snapshot and its name."""
    return request.param, read_snapshot(FOLDER / request.param)


def test_priorities_and_fair_shares_are_those_that_slurm_printed(taken: tuple[str, Snapshot]) -> None:
    """Fair shares to all digits; priorities to the point; the last tick to the second."""
    name, snapshot = taken
    assert snapshot.differences["fair share"] < 1e-6
    assert snapshot.tick + snapshot.zero == ZERO + TICKS[name]
    found = snapshot.report.of("read")
    differ = sum(count for what, count in found.items() if what.startswith("priorities that differ"))
    assert differ == OTHERS[name]
    assert found["priorities of jobs, as they are computed here"] >= 31 - differ


def test_the_machine_is_as_slurm_said(taken: tuple[str, Snapshot]) -> None:
    """Who runs where, and who waits; nothing is repaired, ignored or left out."""
    _, snapshot = taken
    machine = tt.MachineSpec(begin=snapshot.state).open(simpy.Environment(snapshot.state.time))
    running = {job.label: job for job in snapshot.jobs if job.start is not None}
    assert {event.row for event in machine.users} == {snapshot.rows[label] for label in running}
    assert len(machine.queue) + len(machine.aside) == len(snapshot.jobs) - len(running)
    placement, names = machine.result().nodes, snapshot.site.nodes.names
    assert placement is not None
    for label, job in running.items():
        assert tuple(names[node] for node in placement.of(snapshot.rows[label])) == job.nodes
    assert snapshot.report.of("repaired") == snapshot.report.of("ignored") == {}
    assert list(snapshot.report.of("unknown")) == ["the time zone: local times are not told"]


def test_it_comes_back_from_what_is_written(taken: tuple[str, Snapshot], tmp_path: Path) -> None:
    """Nothing is lost on the way through Slurm's words, and priorities are those of the model."""
    _, snapshot = taken
    found = again(snapshot, tmp_path)
    alike(snapshot, found)
    assert found.differences["priority"] == 0
