"""A machine is put where the real one is, however many jobs there are."""

from __future__ import annotations

from pathlib import Path

import simpy

import thinktime as tt
from tests.models.snapshot import made_up
from tests.models.snapshot.made_up import NOW, at, job
from thinktime.models.snapshot.reading import Snapshot, read_snapshot

NODES = 60


def large(folder: Path) -> Snapshot:
    """A full machine of many nodes, with a long queue, in which jobs became eligible at all kinds of times."""
    lines = []
    for number in range(1, 1 + NODES):
        start = NOW - 5 * number
        given = {
            "JobState": "RUNNING", "StartTime": at(start), "RunTime": f"00:{number // 12:02d}:{5 * number % 60:02d}",
            "SubmitTime": at(start - 7 * number), "EligibleTime": at(start - number), "NodeList": f"m{number}",
            "NumCPUs": 4, "NumTasks": 4, "TRES": "cpu=4,node=1,billing=4",
        }  # fmt: skip
        lines.append(job(number, "runs", "ann", **given))
    for number in range(1 + NODES, 1 + 4 * NODES):
        late = {"EligibleTime": at(400 + number)} if number % 3 == 0 else {}
        depends = {"Dependency": f"afterok:{number - NODES}(unfulfilled)", "EligibleTime": "Unknown"}
        lines.append(job(number, "waits", "bob", SubmitTime=at(number), **(late or depends if number % 2 else late)))
    nodes = "".join(f"{made_up.node(f'm{k}', 'ALLOCATED', 4)}\n" for k in range(1, 1 + NODES))
    parts = made_up.texts()["partitions.txt"].replace("m[1-2]", f"m[1-{NODES}]")
    text = "\n".join(lines) + "\n"
    return read_snapshot(
        made_up.write(folder, jobs_txt=text, nodes_txt=nodes, partitions_txt=parts, squeue_psv=None, sprio_txt=None)
    )


def test_every_job_is_where_it_is(tmp_path: Path) -> None:
    """All that run do so on their nodes since they really do; all others wait since they really do."""
    snapshot = large(tmp_path)
    machine = tt.MachineSpec(begin=snapshot.state).open(simpy.Environment(snapshot.state.time))
    assert "unknown" in str(snapshot.report) and not any("run" in what[:9] for what in snapshot.report.of("unknown"))
    result = machine.result()
    place = {number: k for k, number in enumerate(result["id"].tolist())}
    assert len(snapshot.jobs) == len(place) == 4 * NODES
    assert result.nodes is not None
    for each in snapshot.jobs:
        k = place[snapshot.numbers[each.label]]
        assert result["submit"][k] == each.submit - snapshot.zero
        if each.start is not None:
            assert result["start"][k] == each.start - snapshot.zero
            assert [result.nodes.names[node] for node in result.nodes.of(k)] == list(each.nodes)
    waiting = [each for each in snapshot.jobs if each.start is None]
    assert len(machine.users) == NODES and len(machine.queue) + len(machine.aside) == len(waiting)
    assert len(machine.aside) == sum(bool(each.depends) for each in waiting)


def test_numbers_are_in_order_of_submission(tmp_path: Path) -> None:
    """So that ties are broken as Slurm breaks them, in whatever order jobs come to the machine."""
    snapshot = large(tmp_path)
    assert [snapshot.numbers[each.label] for each in snapshot.jobs] == list(range(1, 1 + 4 * NODES))


def test_what_cannot_be_put_there_is_told(tmp_path: Path) -> None:
    """Two jobs on one node that has room for one; and a job that no machine like this could hold."""
    both = [
        job(k, "runs", "ann", JobState="RUNNING", StartTime=at(NOW - 60), RunTime="00:01:00", NodeList="m1", NumCPUs=3,
            NumTasks=3, TRES="cpu=3,node=1,billing=3")
        for k in (2, 3)
    ]  # fmt: skip
    wide = job(4, "wide", "bob", NumNodes="5-5", OverSubscribe="NO")
    text = "\n".join([*both, wide]) + "\n"
    snapshot = read_snapshot(made_up.write(tmp_path, jobs_txt=text, squeue_psv=None, sprio_txt=None))
    unknown = snapshot.report.of("unknown")
    assert unknown["running jobs that do not fit on their nodes here: they wait"] == 1
    (refused,) = (what for what in unknown if what.startswith("jobs that the model refuses"))
    assert "which the nodes could not give even if they were idle" in refused
    assert "4" not in snapshot.numbers and {"2", "3"} <= snapshot.numbers.keys()
