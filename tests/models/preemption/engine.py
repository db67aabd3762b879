"""The runs of a case by the package, in the words of `tests.models.preemption.case`."""

from collections.abc import Iterator

import numpy as np
import simpy

from tests.models.onlooker import Onlooker
from tests.models.policies.slurm.engine import policy
from tests.models.preemption.case import Job, Kind, Preempting, Runs
from thinktime.models.machine.machine import Machine
from thinktime.models.site.partitions import Partition
from thinktime.models.site.preemption import Preemption
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site
from thinktime.models.site.time_limits import TimeLimits
from thinktime.models.state import RUN_ENDS
from thinktime.workloads.job import Job as Submitted
from thinktime.workloads.nodes import Cluster, Nodes

HOW = {"limit": "killed"}


def engine(case: Preempting, observed: bool = False) -> Runs:
    """What a machine does with the case; observed, nothing is compiled as a whole."""
    env = simpy.Environment()
    size = {"processors": case.nodes[0]} if case.pool else {"nodes": nodes(case), "allocator": case.options.allocator}
    machine = Machine(env, policy=f"{policy(case)},order=multifactor", site=site(case), **size)
    if observed:
        machine.observe(Onlooker())
    for job in case.jobs:
        env.process(_submit(env, machine, case, job))
    env.run()
    return _runs(machine, case.pool)


def nodes(case: Preempting) -> Nodes:
    return Nodes([Cluster(f"n{number}-", 1, {"processors": cpus}) for number, cpus in enumerate(case.nodes)])


def site(case: Preempting) -> Site:
    """Each kind has a QOS of its own; partitions are those that jobs of the case use, with the tiers of the kinds."""
    rules, by_qos = case.rules, case.rules.by == "qos"
    partitions = [_partition(case, part, kind) for kind in range(len(case.kinds)) for part in _parts(case)]
    return Site(
        nodes=Nodes.uniform(1, case.nodes[0]) if case.pool else nodes(case),
        partitions=(Partition("all", default=True), *partitions),
        qos=tuple(_qos(case, number, kind) for number, kind in enumerate(case.kinds)),
        priority=PriorityRules(type="multifactor"),
        preemption=Preemption(
            type=rules.by, mode="requeue", gang=True, exempt_time=0 if by_qos else case.kinds[0].exempt,
            youngest_first=rules.youngest_first, reorder_count=rules.reorder_count, strict_order=rules.strict_order,
            requeue_delay=rules.requeue_delay,
        ),
        time_limits=TimeLimits(sweep=rules.sweep, phase=rules.phase, kill_wait=rules.retry - 10),
    )  # fmt: skip


def _qos(case: Preempting, number: int, kind: Kind) -> QOS:
    if case.rules.by != "qos":
        return QOS(f"q{number}")
    preempts = tuple(f"q{other}" for other in sorted(kind.preempts))
    return QOS(f"q{number}", kind.priority, preempts, kind.mode, kind.grace, kind.exempt)


def _partition(case: Preempting, part: frozenset[int] | None, number: int) -> Partition:
    kind, by_qos = case.kinds[number], case.rules.by == "qos"
    names = None if part is None else tuple(f"n{node}-1" for node in sorted(part))
    more = {} if by_qos else {"preempt_mode": kind.mode, "grace": kind.grace}
    return Partition(_name(case, part, number), names, tier=kind.tier, **more)


def _parts(case: Preempting) -> list[frozenset[int] | None]:
    return list(dict.fromkeys(job.partition for job in case.jobs))


def _name(case: Preempting, part: frozenset[int] | None, kind: int) -> str:
    return f"p{_parts(case).index(part)}-{kind}"


def _submit(env: simpy.Environment, machine: Machine, case: Preempting, job: Job) -> Iterator[object]:
    yield env.timeout(job.submit)
    labels = {"user": job.user or None, "queue": f"q{job.kind}", "partition": _name(case, job.partition, job.kind)}
    if case.pool:
        size: dict[str, object] = {"processors": job.cpus}
    else:
        size = {"nodes": f"{job.nodes}:ppn=1#excl" if job.nodes else f"{job.cpus}:ppn=1#pack"}
    machine.submit(Submitted(id=job.id, runtime=job.run, estimate=job.limit, **labels, **size))


def _runs(machine: Machine, pool: bool) -> Runs:
    result = machine.result()
    assert result.history is not None
    runs = result.history.runs
    found: Runs = {number: [] for number in result["id"].tolist()}
    ids = result["id"].tolist()
    for k in np.lexsort((runs.start, runs.row)).tolist():
        ranges = runs.places[runs.first_range[k] :, :2][: runs.ranges[k]].tolist()
        places = (0,) if pool else tuple(sorted({place for begin, stop in ranges for place in range(begin, stop)}))
        how = RUN_ENDS[runs.how[k]]
        found[ids[runs.row[k]]].append((int(runs.start[k]), int(runs.end[k]), HOW.get(how, how), places))
    return found
