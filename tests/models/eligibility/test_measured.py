"""Arrays and dependencies start when those of a real Slurm did (22.05.8, measured; four nodes of 8 CPUs).

Slurm needs a second from the end of a job to the next start on its node, so run times are one second longer than the
jobs slept. The job ``to`` reached its limit of 60 s at 0 and was killed at 88, when Slurm looked.
"""

from collections.abc import Generator
from typing import Any

import pytest
import simpy

import thinktime as tt
from thinktime import Job
from thinktime.models.site.site import Site
from thinktime.workloads.nodes import Cluster, Nodes

NODES = Nodes([Cluster("n", 4, {"processors": 8})])
SLURM = "slurm:bf_interval=0,bf_resolution=1s"
WITHIN = 2.0  # s


def node_job(sleep: float, nodes: int = 1, **options: Any) -> Job:
    return Job(runtime=sleep + 1, estimate=60, nodes=f"{nodes}:ppn=8", **options)


def cpu_job(sleep: float, **options: Any) -> Job:
    return Job(runtime=sleep + 1, estimate=options.pop("limit", 60), user=options.pop("user", "tt1"), **options)


def run(play: Any, kills: bool = False) -> Any:
    """The machine after a process has submitted its jobs."""
    env = simpy.Environment()
    site = Site(nodes=NODES, kill_invalid_dependencies=kills)
    machine = tt.MachineSpec(policy=SLURM, nodes=NODES, site=site).open(env)
    env.process(play(env, machine))
    env.run()
    return machine


def test_arrays_and_those_that_wait_for_them() -> None:
    """t10_array: pairs of an array with %2, after all tasks, after one task, task by task, a minute after a start."""
    starts: dict[str, list[Any]] = {}

    def play(env: simpy.Environment, machine: tt.Machine) -> Generator[simpy.Event, Any, None]:
        a = machine.submit_array(node_job(5), "1-6%2")
        yield env.timeout(1)
        b = machine.submit(node_job(5))
        yield env.timeout(1)
        c = machine.submit(node_job(4, nodes=4))
        yield env.timeout(1)
        d = machine.submit_array(node_job(4), "0-2")
        yield env.timeout(1)
        e = machine.submit(node_job(2, depends=a))
        f = machine.submit(node_job(2, depends=f"afterok:{a.id}_3"))
        g = machine.submit_array(node_job(2, depends=f"aftercorr:{d.id}"), "0-2")
        yield env.timeout(1)
        h = machine.submit(cpu_job(2, depends=f"after:{d.id}_0+1"))
        for name, each in zip("ABCDEFGH", (a, b, c, d, e, f, g, h), strict=True):
            starts[name] = each.jobs if isinstance(each, tt.models.machine.events.CampaignEvent) else [each]

    machine = run(play)
    start = dict(zip(machine.result()["id"].tolist(), machine.result()["start"].tolist(), strict=True))
    found = {name: [start[job.id] for job in jobs] for name, jobs in starts.items()}
    measured = {
        "A": [0, 0, 6, 6, 12, 12], "B": [1], "C": [18], "D": [23, 23, 23], "E": [23], "F": [26], "G": [28, 28, 28],
        "H": [83],
    }  # fmt: skip
    for name, times in measured.items():
        assert found[name] == pytest.approx(times, abs=WITHIN), name


DEPENDENT = "abcdefghijk"


def dependencies(kills: bool) -> tuple[dict[str, Any], dict[str, str]]:
    """Starts and states of the jobs of t11_dep and t11_kill (submitted through ``sbatch --dependency``)."""
    events: dict[str, Any] = {}

    def play(env: simpy.Environment, machine: tt.Machine) -> Generator[simpy.Event, Any, None]:
        ok, bad = machine.submit(cpu_job(5)), machine.submit(cpu_job(0, fails=True))
        to = machine.submit(cpu_job(150, limit=88))
        yield env.timeout(1)
        texts = [f"afterok:{ok.id}", f"afterok:{bad.id}", f"afternotok:{bad.id}", f"afterany:{ok.id}:{bad.id}"]
        texts.append(f"after:{ok.id},afterany:{ok.id}")
        for name, text in zip("abcde", texts, strict=True):
            events[name] = machine.submit(cpu_job(2, depends=text))
        yield env.timeout(1)
        for name, user in zip("fgh", ("tt2", "tt2", "tt3"), strict=True):
            events[name] = machine.submit(cpu_job(4, user=user, name="same", depends="singleton"))
        for name, text in zip(
            "ijk", (f"afterok:{to.id}", {"afterany": to}, f"afterok:{bad.id}?afterok:{ok.id}"), strict=True
        ):
            events[name] = machine.submit(cpu_job(2, depends=text))

    result = run(play, kills).result().jobs.set_index("id")
    starts = {name: result["start"][events[name].id] for name in DEPENDENT}
    ends = {name: (result["state"][events[name].id], result["end"][events[name].id]) for name in ("b", "i")}
    return starts, ends


@pytest.mark.parametrize("kills", [False, True])
def test_all_kinds_of_dependencies(kills: bool) -> None:
    """t11_dep and t11_kill: who starts when, and what becomes of those who never can."""
    starts, ends = dependencies(kills)
    measured = {"a": 6, "c": 1, "d": 6, "e": 6, "f": 2, "g": 6 if kills else 7, "h": 2, "j": 88, "k": 6}
    for name, time in measured.items():
        assert starts[name] == pytest.approx(time, abs=WITHIN), name
    if kills:
        assert [state for state, _ in ends.values()] == ["withdrawn", "withdrawn"]
        assert [end for _, end in ends.values()] == pytest.approx([1, 88], abs=WITHIN)
    else:
        assert [state for state, _ in ends.values()] == ["waiting", "waiting"]
