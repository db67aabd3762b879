"""Small runs of every policy on every kind of machine, with jobs from every kind of source.

Only public names are used, so that the cases outlive any change of what is inside. What cannot be combined
(`thinktime.models.machine.combinations`) is kept as "-".
"""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import simpy

import thinktime as tt
from thinktime.models.site.limits import Limits
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.qos import QOS
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.fitted import FittedUsers
from thinktime.workloads.calibration.tables import HazardTables
from thinktime.workloads.generators.quantities import Uniform
from thinktime.workloads.user_models.sessions import owners

PROCESSORS = 16
OVERRUNS = ("kill", "extend", "until_needed")
ORDERS = ("sjf", "ljf", "smallest", "largest", "lxf", "wfp3", "unicef", "f1", "f2", "f3", "f4", "relshare")
POLICIES = (
    "none", "no-guarantee:order=sjf", "easy", "easy:reservations=3", "easy:order=fairshare,half_life=30s",
    "easy:order=relshare,resort=start,window=6h", "easy:order=lxf,reservations=2", "conservative",
    "conservative:compress=event,order=sjf", "conservative:compress=scheduled,order=lxf",
    "conservative:compress=none", "conservative:order=fairshare,half_life=30s", "conservative-dynamic",
    "conservative-dynamic:order=lxf", "cplant:starve=20s", "cplant:starve=10s,barred=heavy",
    "cplant:starve=10s,order=sjf", "creasy", "slurm", "slurm:bf_interval=7s,order=sjf", "slurm:backfill=no", "ostrich",
    "ostrich:corrected=yes,threshold=20", "ostrich:held_back=no,within=mlpt,threshold=5,backfilling=none",
    "ostrich-slurm", "faircamp:threshold=3,within=fcfs", "slack:awt=30", "slack:awt=30,delayed=removed",
    "slack:awt=10+40,classes=10,heuristic=dp,delayed=removed", "slack:awt=30,every=2,tick=yes",
    "tradeoff:limit=20,goals=wait+slowdown", "tradeoff-fs:limit=20,algorithm=lds,prune=yes", "recorded",
    "easy:runtime_limit=15s", "conservative:order=f2,runtime_limit=15s",
    "easy:preempt=requeue,ranks=1:2+2:1,victims=youngest", "easy:preempt=suspend,ranks=1:1,grace=4,victims=lowest",
    "easy:order=age*9+fairshare*99,accrual=slurm,ticks=9s", "slurm:bf_interval=7s,order=multifactor",
    "conservative:order=multifactor",
    *(f"easy:order={order}" for order in ORDERS),
)  # fmt: skip


def log(seed: int, jobs: int = 70) -> tt.Trace:
    """Bursts, ties, early ends, zero run times, overruns, a job that is too wide, and jobs that follow others."""
    rng = np.random.default_rng(seed)
    estimate = rng.choice([1, 2, 5, 10, 20, 40, 90], jobs)
    width = np.minimum(rng.integers(1, PROCESSORS + 1, jobs), rng.choice([1, 4, PROCESSORS], jobs))
    width[jobs // 2] = PROCESSORS + 1
    every = {
        "submit": np.sort(rng.choice([0, 1, 15, 40, 90, 130, 200, 260], jobs) + rng.integers(0, 9, jobs)),
        "wait": rng.integers(0, 30, jobs),
        "runtime": np.minimum(rng.integers(0, 70, jobs), 2 * estimate),
        "requested_processors": width,
        "requested_time": estimate,
        "user": rng.integers(1, 6, jobs),
        "group": rng.integers(1, 3, jobs),
        "queue": rng.integers(0, 3, jobs),
        "preceding": np.maximum(np.arange(jobs) - rng.integers(0, 12, jobs), -1),
        "think_time": rng.choice([0.0, 0.0, 5.0, 12.5], jobs),
    }
    return tt.Trace(every)


def machines() -> dict[str, tt.MachineSpec]:
    """Each kind of machine, by name."""
    windows = [tt.Window(t, t + 9, 5, users=[1] if t % 40 else None, rule=("requeue", "kill", "wait")[t // 20 % 3])
               for t in range(20, 300, 20)]  # fmt: skip
    outages = tt.Outages.of([(t, t + 7, f"{t % 13}-13") for t in range(5, 280, 11)])
    mixed = tt.Nodes([tt.Cluster("a", 2, {"processors": 6}), tt.Cluster("b", 2, {"processors": 2})])
    names = mixed.names
    node_windows = [tt.Window(t, t + 9, names[t // 20 % 3 :][:2], users=[1] if t % 40 else None)
                    for t in range(20, 300, 20)]  # fmt: skip
    node_outages = tt.Outages.of([(t, t + 7, f"{t % 4}-3") for t in range(5, 280, 11)])
    pool = tt.MachineSpec(PROCESSORS)
    rules = PriorityRules("multifactor", age=500, max_age=60, fairshare=1000, job_size=90)
    limited = QOS("normal", limits=Limits(max_jobs=3, group_tres={"cpu": 13}, max_wall=60))
    site = tt.Site(qos=(limited,), priority=rules, enforce=frozenset({"limits"}))
    return {
        "pool": pool,
        "pool with reasons": replace(pool, reasons=True),
        "pool with estimates of the last two": replace(pool, estimates="last-two"),
        "pool with half of the run times": replace(pool, estimates="factor=0.5"),
        "pool of a site with limits": replace(pool, site=site, reasons=True),
        "nodes of a site with limits": tt.MachineSpec(nodes=mixed, site=site, allocator="consecutive"),
        "nodes of one processor": tt.MachineSpec(nodes=tt.Nodes.uniform(PROCESSORS, 1)),
        "nodes": tt.MachineSpec(nodes=mixed),
        "nodes, best fit": tt.MachineSpec(nodes=mixed, allocator="best-fit", reasons=True),
        "changing pool": replace(pool, changes=tt.Changes(windows, outages, checkpoint=3, cost=0.5, restart=1)),
        "failing pool": replace(
            pool,
            changes=tt.Changes(
                failures=tt.Failures(mtbf=300, mttr=20, seed=3), repairs="told", requeue_at="now", requeue_delay=4
            ),
        ),
        "changing nodes": tt.MachineSpec(nodes=mixed, changes=tt.Changes(node_windows, node_outages)),
    }


def _users(seed: int) -> Any:
    """Users who think, give up, balk and come back."""
    profile = tt.Profile(
        runtime=Uniform(0, 40), jobs=5, think_time=5, processors=3,
        behaviours=(tt.behaviours.Patience(30), tt.behaviours.Balk(queue=12)),
    )  # fmt: skip
    other = tt.Profile(runtime=Uniform(5, 60), jobs=3, think_time=Uniform(0, 20), processors=5)
    return tt.sources.campaigns({"ada": profile, "bob": other, "eve": profile}, seed, campaigns=8)


def _persons(seed: int) -> Callable[[simpy.Environment, tt.Machine], Any]:
    """Processes that submit, wait for starts and ends, cancel, and hold processors."""

    def begin(env: simpy.Environment, machine: tt.Machine) -> list[Any]:
        rng = np.random.default_rng(seed)

        def owner(job: tt.Job, at: float, gives_up: float | None) -> Any:
            yield env.timeout(at)
            event = machine.submit(job)
            if gives_up is not None:
                yield event | env.timeout(gives_up)
                event.cancel()
            else:
                yield event
                if job.processors == 1:
                    yield machine.submit(tt.Job(processors=2, runtime=3, estimate=5, user=job.user))

        def holder() -> Any:
            for length in (3, 8, 30):
                with machine.request(processors=3, estimate=10) as hold:
                    try:
                        yield hold
                        yield env.timeout(length)
                    except simpy.Interrupt:
                        pass
                yield env.timeout(5)

        def campaigner() -> Any:
            for size in (4, 2, 6):
                yield machine.submit_campaign(
                    [tt.Job(processors=1 + k % 5, runtime=4 * k, estimate=20, user="eve") for k in range(size)]
                )
                yield env.timeout(2)

        found = [env.process(holder()), env.process(campaigner())]
        for row in range(40):
            estimate = float(rng.choice([1, 2, 5, 10, 20, 40]))
            job = tt.Job(
                processors=int(rng.integers(1, PROCESSORS // 2)), runtime=float(rng.integers(0, 50)), estimate=estimate,
                user=str(rng.choice(["ada", "bob", "eve"])), queue=str(row % 3),
            )  # fmt: skip
            at = float(rng.integers(0, 120))
            found.append(env.process(owner(job, at, float(rng.integers(0, 30)) if row % 3 == 0 else None)))
        return found

    return begin


def _calibrated(seed: int) -> Any:
    """Users of two classes who submit with hazards: one goes by ends and responses, one by the time and the queue.

    With two batches outstanding the first submit nothing.
    """
    rng, trace = np.random.default_rng(seed), log(seed)
    trace = trace.with_columns(submit=6.0 * trace.submit)  # what comes within a minute is one batch
    regime = np.zeros((2, *HazardTables.flat().base.shape[1:]), np.int64)
    regime[:, 1:] = 1
    tables = HazardTables.flat(1 / 60, regime=regime)
    tables.base[0, 1], tables.base[0, 2] = np.log(1 / 300), -np.inf
    tables.base[0, 0, :2] += 2.0
    tables.base[1] -= 0.3 * np.arange(tables.base.shape[-1])
    for name in ("response", "slowdown", "queue", "done", "position"):
        of = getattr(tables, name)
        of[:] = rng.normal(0.0, 0.5, of.shape)
    users = int(owners(trace).max()) + 1
    fitted = FittedUsers(tables, np.arange(users) % 2, rng.normal(0.0, 0.5, (users, 2)), Calendar.of_log(trace))
    return tt.sources.calibrated(trace, fitted)


SOURCES: dict[str, Callable[[int], Any]] = {
    "log": lambda seed: tt.sources.log(log(seed)),
    "dependencies": lambda seed: tt.sources.dependencies(log(seed)),
    "feedback": lambda seed: tt.sources.feedback(log(seed)),
    "users": _users,
    "processes": _persons,
    "calibrated": _calibrated,
}


def pairs() -> list[tuple[str, str]]:
    """Machines and sources: all, but that jobs whose predecessors a limit keeps waiting would never be submitted."""
    every = [(machine, source) for machine in machines() for source in SOURCES]
    return [(machine, source) for machine, source in every if source != "dependencies" or "limits" not in machine]


def digest(result: tt.Result) -> str:
    """Ten digits that depend on every column, place, run and note of a result."""
    sha = hashlib.sha256()
    for name, column in sorted(result.columns.items()):
        sha.update(name.encode())
        sha.update(np.ascontiguousarray(column).tobytes())
    if result.nodes is not None:
        sha.update(repr(result.nodes.interval_sets()).encode())
    if result.history is not None:
        sha.update(result.runs.to_csv(index=False).encode())
    sha.update(repr(result.notes).encode())
    return sha.hexdigest()[:10]


def digests(machine: str, source: str, policy: str, seed: int = 11) -> str:
    """The digests of the runs under each overrun rule, with "-" for those that cannot be."""
    found = []
    for overrun in OVERRUNS:
        wanted = replace(machines()[machine], policy=policy, overrun=overrun)
        try:
            found.append(digest(tt.run(wanted, SOURCES[source](seed))))
        except ValueError as error:
            if "cannot be combined" not in str(error):
                raise
            found.append("-")
    return " ".join(found)
