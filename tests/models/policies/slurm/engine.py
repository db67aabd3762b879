"""The schedule of a case by the package, in the words of `tests.models.policies.slurm.case`."""

from collections.abc import Iterator
from math import lcm

import simpy

from tests.models.onlooker import Onlooker
from tests.models.policies.slurm.case import Case, Job, Part
from thinktime.models.machine.changing.rules import Changes
from thinktime.models.machine.machine import Machine
from thinktime.models.results.result import Result
from thinktime.models.site.partitions import Partition
from thinktime.models.site.site import Site
from thinktime.workloads.changes.windows import Window
from thinktime.workloads.job import Job as Submitted
from thinktime.workloads.nodes import Cluster, Nodes

Found = tuple[int, tuple[int, ...]] | None
"""The start of a job and its nodes; None if it never starts."""


def engine(case: Case, observed: bool = False, as_site: bool = False) -> dict[int, Found]:
    """What a machine of nodes does with the case; observed, nothing is compiled as a whole.

    Partitions are properties of nodes, or those of a site, as those with tiers always are.
    """
    as_site = as_site or bool(case.parts)
    env = simpy.Environment()
    windows = [Window(each.start, each.end, [_name(node) for node in sorted(each.nodes)]) for each in case.windows]
    machine = Machine(
        env, policy=policy(case), nodes=nodes(case), allocator=case.options.allocator,
        changes=Changes(tuple(windows)) if windows else None, site=site(case) if as_site else None,
    )  # fmt: skip
    if observed:
        machine.observe(Onlooker())
    for job in case.jobs:
        env.process(_submit(env, machine, case, job, as_site))
    env.run()
    return _outcome(machine)


def policy(case: Case) -> str:
    """The policy's text, with all of its options."""
    o = case.options
    yes = {True: "yes", False: "no"}
    period = lcm(*(length for length in (o.groups, o.bf_resolution, o.bf_interval, o.sched_interval) if length))
    return (
        f"slurm:backfill={yes[o.backfill]},whole_nodes={yes[o.whole_nodes]},inclusive_edge={yes[o.inclusive_edge]},"
        f"bf_window={o.bf_window or 0},bf_max_job_test={o.bf_max_job_test or 0},"
        f"bf_max_job_user={o.bf_max_job_user or 0},bf_max_job_part={o.bf_max_job_part or 0},"
        f"bf_max_job_user_part={o.bf_max_job_user_part or 0},bf_max_job_assoc={o.bf_max_job_assoc or 0},"
        f"bf_max_job_start={o.bf_max_job_start or 0},partition_job_depth={o.partition_job_depth or 0},"
        f"sched_interval={o.sched_interval or 0},bf_window_linear={o.bf_window_linear or 0},"
        f"bf_job_part_count_reserve={o.bf_job_part_count_reserve or 0},"
        f"bf_min_age_reserve={o.bf_min_age_reserve or 0},default_queue_depth={o.default_queue_depth or 0},"
        f"bf_resolution={o.bf_resolution or 0},bf_interval={o.bf_interval},groups={o.groups},"
        f"origin={case.origin % period}"
    )


def nodes(case: Case) -> Nodes:
    """Each node in a cluster of its own, with a property for each partition that it is in."""
    parts = _partitions(case)
    return Nodes(
        [
            Cluster(f"n{number}-", 1, {"processors": cpus}, {f"p{i}" for i, p in enumerate(parts) if number in p})
            for number, cpus in enumerate(case.nodes)
        ]
    )


def site(case: Case) -> Site:
    """The partitions of a site, of which the first has all nodes."""
    given = case.parts or [Part(nodes) for nodes in _partitions(case)]
    parts = [Partition(f"p{i}", tuple(map(_name, sorted(each.nodes))), tier=each.tier) for i, each in enumerate(given)]
    return Site(nodes=nodes(case), partitions=(Partition("all", default=True), *parts))


def _partitions(case: Case) -> list[frozenset[int]]:
    return list(dict.fromkeys(job.partition for job in case.jobs if job.partition is not None))


def _name(node: int) -> str:
    return f"n{node}-1"


def _submit(env: simpy.Environment, machine: Machine, case: Case, job: Job, as_site: bool) -> Iterator[object]:
    yield env.timeout(job.submit)
    queue = None if job.partition is None else f"p{_partitions(case).index(job.partition)}"
    part = "" if queue is None or as_site else f":{queue}"
    request = f"{job.nodes}:ppn=1{part}#excl" if job.nodes else f"{job.cpus}:ppn=1{part}#pack"
    partition = ",".join(f"p{place}" for place in job.parts) or None
    labels = {"user": job.user or None, "group": job.account or None, "queue": queue, "partition": partition}
    machine.submit(Submitted(id=job.id, runtime=job.run, estimate=job.limit, nodes=request, begin=job.begin, **labels))


def _outcome(machine: Machine) -> dict[int, Found]:
    result = machine.result()
    found: dict[int, Found] = {}
    for i, number in enumerate(result["id"].tolist()):
        start = float(result["start"][i])
        assert start != start or start == int(start)
        found[number] = None if start != start else (int(start), tuple(_nodes_of(result, i)))
    return found


def _nodes_of(result: Result, i: int) -> list[int]:
    """The nodes of a job."""
    if result.history is None:
        return result.nodes.of(i)
    runs = result.history.runs
    k = runs.row.tolist().index(i)
    ranges = runs.places[runs.first_range[k] :, :2][: runs.ranges[k]].tolist()
    return sorted({node for begin, stop in ranges for node in range(begin, stop)})
