"""A machine is put where the real one is, however many jobs there are."""

from collections.abc import Iterable
from pathlib import Path

import pytest
import simpy

import thinktime as tt
from tests.models.snapshot import made_up
from tests.models.snapshot.made_up import NOW, at, job
from tests.models.snapshot.same import again, alike
from thinktime.models.machine.machine import Machine
from thinktime.models.machine.nodes.pool import NodePool
from thinktime.models.snapshot.reading import Snapshot, read_snapshot
from thinktime.models.state import State

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


def runs(number: int, user: str, **given: object) -> str:
    """A job that has run for a minute."""
    return job(number, "runs", user, JobState="RUNNING", StartTime=at(NOW - 60), RunTime="00:01:00", **given)


def opened(folder: Path, jobs: Iterable[str], **files: str | None) -> tuple[Snapshot, Machine]:
    """The snapshot of some jobs, and its machine."""
    text = "".join(f"{line}\n" for line in jobs)
    snapshot = read_snapshot(
        made_up.write(folder, **{"jobs_txt": text, "squeue_psv": None, "sprio_txt": None, **files})
    )
    return snapshot, tt.MachineSpec(begin=snapshot.state).open(simpy.Environment(snapshot.state.time))


def test_a_pass_is_due_though_nothing_happens(tmp_path: Path) -> None:
    """On an idle machine, nothing ends and nothing is submitted, and still the jobs that wait start."""
    snapshot, machine = opened(tmp_path, [job(3, "next", "bob"), job(4, "next", "ann")])
    machine.env.run()
    assert set(machine.result()["start"].tolist()) == {snapshot.time + 1}


def test_limits_do_not_keep_what_runs_from_running(tmp_path: Path) -> None:
    """Limits may have been lowered, or Slurm counts nodes otherwise; who waits is held by them."""
    jobs = [runs(2, "ann", NodeList="m1"), runs(3, "ann", NodeList="m2"), job(4, "next", "ann"), job(5, "next", "bob")]
    limit = made_up.QOS_TABLE.replace("1.000000||", "1.000000||1")
    snapshot, machine = opened(tmp_path, jobs, qos_psv=limit)
    assert {event.row for event in machine.users} == {snapshot.rows["2"], snapshot.rows["3"]}
    machine.env.run(until=snapshot.time + 2)
    assert machine.event(snapshot.rows["5"]).state == State.RUNNING
    assert machine.event(snapshot.rows["4"]).state == State.WAITING


def test_the_queue_is_in_order_of_submission(tmp_path: Path) -> None:
    """Also if jobs that were submitted later became eligible while others waited, and the order has no key."""
    jobs = [
        runs(2, "ann", NodeList="m1", NumCPUs=4), runs(3, "ann", NodeList="m2", NumCPUs=4), job(4, "a", "bob"),
        job(5, "b", "bob", SubmitTime=at(600), EligibleTime=at(700)), job(6, "c", "bob", SubmitTime=at(650)),
    ]  # fmt: skip
    config = made_up.CONFIG.replace("priority/multifactor", "priority/basic")
    snapshot, machine = opened(tmp_path, jobs, config_txt=config)
    assert [event.row for event in machine.queue] == [snapshot.rows[label] for label in ("4", "5", "6")]


@pytest.mark.parametrize(
    ("told", "left"), [(" Nodes=m1 CPU_IDs=0 Mem=0 GRES= Nodes=m2 CPU_IDs=0-1,3 Mem=0", [3, 1]), ("", [0, 4])]
)
def test_processors_are_on_their_nodes(told: str, left: list[int], tmp_path: Path) -> None:
    """`scontrol -d` says how many a job has on each of its nodes; else they are where the allocator puts them."""
    wide = runs(2, "ann", NodeList="m[1-2]", NumCPUs=4, NumTasks=4, TRES="cpu=4,node=2,billing=4")
    snapshot, machine = opened(tmp_path, [wide.replace(" Power=", f"{told} Power=")])
    assert isinstance(machine.pool, NodePool) and machine.pool.site.free[:, 0].tolist() == left
    what = "how many processors running jobs have on each of their nodes: as they fit"
    assert (what in snapshot.report.of("unknown")) == (not told)
    if told:
        alike(snapshot, again(snapshot, tmp_path / "again"))


def test_a_job_that_names_no_nodes_counts_as_one(tmp_path: Path) -> None:
    """Slurm counts one node in its size, however many it will need; a job of two nodes counts as two."""
    jobs = [job(3, "cpus", "bob", NumCPUs=6, NumTasks=6), job(4, "nodes", "bob", NumNodes="2-2", OverSubscribe="NO")]
    weights = "PriorityWeightJobSize   = 1000\nPriorityWeightFairShare"
    config = made_up.CONFIG.replace("PriorityWeightFairShare", weights)
    said = made_up.SPRIO.splitlines()
    lines = [said[0], "3 batch bob 8133 0 8 0 7500 625 0", "4 batch bob 8508 0 8 0 7500 1000 0"]
    snapshot, _ = opened(tmp_path, jobs, config_txt=config, sprio_txt="\n".join(lines) + "\n")
    assert snapshot.differences["priority"] == 0


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
