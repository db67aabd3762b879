"""The schedule of a case by the package, in the words of `tests.models.changes.case`."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import simpy

from tests.models.changes import case as plain
from tests.models.onlooker import Onlooker
from thinktime.models.machine.changing.rules import Changes
from thinktime.models.machine.machine import Machine
from thinktime.models.policies.spec import as_policy
from thinktime.models.results.result import Result
from thinktime.models.state import RUN_ENDS, State
from thinktime.workloads.changes.outages import Outages
from thinktime.workloads.changes.windows import Window
from thinktime.workloads.job import Job
from thinktime.workloads.nodes import Cluster, Nodes

STATES = {State.WITHDRAWN: "withdrawn", State.REFUSED: "refused", State.WAITING: "waiting"}


def engine(case: plain.Case, observed: bool = False, text: str = "") -> plain.Outcome:
    """What a machine does with the case, under its rule or another policy; observed, nothing is compiled as a whole."""
    return outcome(ran(case, observed, text))


def engine_result(case: plain.Case) -> Result:
    """The result of the machine's run."""
    return ran(case).result()


def ran(case: plain.Case, observed: bool = False, text: str = "") -> Machine:
    """The machine at the end of everything."""
    env, rule = simpy.Environment(), as_policy(text or policy(case.options))
    size = case.machine if isinstance(case.machine, int) else None
    machine = Machine(env, size, rule, case.options.overrun, nodes=nodes(case), changes=changes(case))
    if observed:
        machine.observe(Onlooker())
    events: dict[int, object] = {}
    for job in case.jobs:
        env.process(_submit(env, machine, job, events))
    for time, number in case.withdrawals:
        env.process(_withdraw(env, time, number, events))
    env.run()
    return machine


def nodes(case: plain.Case) -> Nodes | None:
    """The nodes, each in a cluster of its own; None on processors."""
    if isinstance(case.machine, int):
        return None
    return Nodes(
        [
            Cluster(f"n{number}-", 1, {"processors": node.cores, "memory": node.memory})
            for number, node in enumerate(case.machine)
        ]
    )


def policy(options: plain.Options) -> str:
    """The policy's text."""
    order = {"fcfs": "fcfs", "sjf": "sjf", "largest": "largest"}[options.order]
    if options.rule == "easy":
        text = f"easy:order={order},reservations={options.n}"
        if options.preempt is None:
            return text
        ranks = "+".join(f"{queue}:{rank}" for queue, rank in options.ranks) or "nobody:0"
        return (
            f"{text},preempt={options.preempt},ranks={ranks},victims={options.victims},grace={options.grace},"
            f"exempt={options.exempt}"
        )
    if options.rule == "conservative":
        return f"conservative:order={order},compress={options.compress}"
    return f"{options.rule}:order={order}"


def changes(case: plain.Case) -> Changes:
    """Windows, outages, and what becomes of jobs."""
    options = case.options
    windows = [
        Window(
            each.start, each.end, [f"n{node}-1" for node in each.nodes] or each.processors, each.announced,
            sorted(each.users), sorted(each.jobs), each.rule, each.kind,
        )
        for each in case.windows
    ]  # fmt: skip
    outages = Outages.of([(each.start, each.end, sorted(each.indices)) for each in case.outages])
    return Changes(
        windows=tuple(windows), outages=outages, repairs=options.repairs, on_failure=options.on_failure,
        requeue_at=options.requeue_at, max_restarts=options.max_restarts,
        checkpoint=plain.INF if options.checkpoint is None else options.checkpoint, cost=options.cost,
        restart=options.restart, requeue_delay=options.requeue_delay, suspended_holds=options.suspended_holds,
    )  # fmt: skip


def _submit(env: simpy.Environment, machine: Machine, job: plain.Job, events: dict[int, object]) -> Iterator[object]:
    yield env.timeout(job.submit)
    try:
        events[job.id] = machine.submit(
            Job(id=job.id, runtime=job.run, estimate=job.estimate, **_size(machine, job), user=job.user or None,
                queue=job.queue or None, requeue=job.requeue, checkpoint=job.checkpoint, checkpoint_cost=job.cost,
                restart=job.restart)
        )  # fmt: skip
    except ValueError:
        raise


def _size(machine: Machine, job: plain.Job) -> dict[str, Any]:
    """What the job asks for: processors, or pieces, each on a node of its own."""
    if machine.nodes is None:
        return {"processors": job.width}
    return {"nodes": f"{job.width}:ppn={job.cores}" + (f":mem={job.memory}b" if job.memory else "")}


def _withdraw(env: simpy.Environment, time: int, number: int, events: dict[int, object]) -> Iterator[object]:
    yield env.timeout(time)
    yield env.timeout(0)
    events[number].cancel()


def outcome(machine: Machine) -> plain.Outcome:
    """What has happened on a machine."""
    result = machine.result()
    order = np.argsort(result["id"])
    ids, state, end = (result[name][order] for name in ("id", "state", "end"))
    states = {int(i): STATES.get(State(s), State(s).name.lower()) for i, s in zip(ids, state, strict=True)}
    over = {int(i): _exact(e) for i, s, e in zip(ids, state, end, strict=True) if s >= State.FINISHED}
    promised = {int(i): int(p) for i, p in zip(ids, result["promised"][order], strict=True) if p == p}
    runs = sorted(_runs(result), key=lambda run: (run.job, run.number))
    broken = getattr(machine.policy, "broken", 0)
    return plain.Outcome(tuple(runs), states, over, promised, broken)


def _runs(result: object) -> Iterator[plain.Run]:
    runs = result.history.runs
    for k, row in enumerate(runs.row.tolist()):
        ranges = runs.places[runs.first_range[k] :, :2][: runs.ranges[k]].tolist()
        indices = tuple(i for begin, stop in ranges for i in range(begin, stop))
        yield plain.Run(
            int(result["id"][row]), int(runs.run[k]), _exact(runs.start[k]), _exact(runs.end[k]), indices,
            RUN_ENDS[runs.how[k]], *(_exact(part[k]) for part in (runs.progress, runs.overhead, runs.lost)),
        )  # fmt: skip


def _exact(time: float) -> int | Fraction:
    """A time in seconds; not all policies act at whole ones."""
    return int(time) if time == int(time) else Fraction(float(time))
