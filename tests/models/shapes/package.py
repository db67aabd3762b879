"""A case of the brute-force twin, played by the package: one process for each job, stages from the history of runs."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import simpy

import thinktime as tt
from tests.models.shapes.cases import Case
from tests.models.shapes.twin import Options
from tests.models.shapes.twin_jobs import Job, Stage
from tests.models.shapes.twin_room import Room
from thinktime.workloads.shapes.shape import Shape


def text_of(options: Options) -> str:
    """The policy as text."""
    if options.share != "none":
        return f"shapes:share={options.share}"
    given = {"size": options.size, "expand": options.expand, "shrink": options.shrink}
    if options.shrink != "none":
        given["to"] = options.to
    return "shapes:" + ",".join(f"{name}={value}" for name, value in {**given, "base": options.base}.items())


def job_of(case: Case, job: Job) -> tt.Job:
    """The job as the package knows it."""
    times: dict[str, Any] = {"runtime": float(job.work), "estimate": float(job.limit), "id": job.id}
    if case.on is not None:
        times["nodes"] = request_of(job)
    if job.kind == "rigid":
        return tt.Job(processors=job.preferred, **times)
    speed = case.speeds[job.id]
    shape = Shape(
        " ".join(map(str, job.sizes)),
        preferred=job.preferred,
        speedup=str(speed.true),
        kind=job.kind,
        reference=speed.reference,
        believes=str(speed.believed),
        cost=float(job.cost),
        gap=float(job.gap),
        notice=float(job.notice),
        asks=" ".join(f"{float(each.share)}:{each.size}{'!' * each.insists}" for each in job.asks),
    )
    return tt.Job(shape=shape, **times)


def request_of(job: Job) -> str:
    """What the job asks of nodes, at its preferred size."""
    piece = job.piece
    how = "#excl" if piece.alone else "" if piece.apart else "#pack"
    memory = f":mem={piece.memory}b" if piece.memory else ""
    return f"{job.preferred // piece.processors}:ppn={piece.processors}{memory}{how}"


def nodes_of(room: Room) -> tt.Nodes:
    """The nodes as the package knows them."""
    every = enumerate(room.nodes, start=1)
    return tt.Nodes([tt.Cluster(f"n{k}", 1, {"processors": many, "memory": memory}) for k, (many, memory) in every])


def played(case: Case, nodes: tt.Nodes | None = None) -> tuple[dict[int, list[Stage]], dict[int, str]]:
    """The stages of each job, and how it ended, on processors or on nodes."""
    return schedule_of(result_of(case, nodes))


def result_of(case: Case, nodes: tt.Nodes | None = None) -> tt.Result:
    """What the package makes of a case."""
    env = simpy.Environment()
    size: dict[str, Any] = {"processors": case.processors} if nodes is None else {"nodes": nodes}
    if case.on is not None:
        size = {"nodes": nodes_of(case.on), "allocator": case.on.allocator}
    if case.outages:
        repairs = "told" if case.outages[0].told else "unknown"
        down = [(float(each.begin), float(each.end), str(each.place)) for each in case.outages]
        size["changes"] = tt.Changes(outages=tt.Outages.of(down), on_failure="shrink", repairs=repairs)
    machine = tt.Machine(env, policy=text_of(case.options), overrun="extend" if case.extends else "kill", **size)

    def owner(job: Job) -> Iterator[Any]:
        yield env.timeout(float(job.submit))
        machine.submit(job_of(case, job))

    for job in case.jobs:
        env.process(owner(job))
    env.run()
    return machine.result()


def processors_of_stages(result: tt.Result) -> dict[int, list[dict[int, int]]]:
    """How many processors each job has on which node, or which processors of a pool, in its stages."""
    runs, ids = result.history.runs, result["id"].tolist()
    stages: dict[int, list[dict[int, int]]] = {number: [] for number in ids}
    for k in np.flatnonzero(over(result)).tolist():
        first, found = runs.first_range[k], dict[int, int]()
        for begin, stop, *each in runs.places[first : first + runs.ranges[k]].tolist():
            for node in range(begin, stop):
                found[node] = found.get(node, 0) + sum(each, 0 if each else 1)
        stages[ids[runs.row[k]]].append(found)
    return stages


def over(result: tt.Result) -> Any:
    """Which stages are over, and of some length."""
    runs = result.history.runs
    return (runs.end > runs.start) & ~(runs.last & (result["state"][runs.row] == tt.State.RUNNING))


def schedule_of(result: tt.Result) -> tuple[dict[int, list[Stage]], dict[int, str]]:
    """The stages that are over, without those of no length, and states of a result."""
    ids, runs = result["id"].tolist(), result.history.runs
    stages: dict[int, list[Stage]] = {number: [] for number in ids}
    how = {number: tt.State(state).name.lower() for number, state in zip(ids, result["state"].tolist(), strict=True)}
    for k in np.flatnonzero(over(result)).tolist():
        stages[ids[runs.row[k]]].append((Fraction(runs.start[k]), Fraction(runs.end[k]), int(runs.processors[k])))
    return stages, how
