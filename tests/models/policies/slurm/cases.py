"""Random small cases of Slurm's scheduler, all of them valid, with ties on purpose.

`random_cases(seed, count)` gives the same cases for the same seed, and the first ones do not depend on `count`.
"""

from collections.abc import Iterator
from dataclasses import fields, replace
from random import Random
from typing import Any

from tests.models.policies.slurm.case import Case, Job, Options, Part, Window

USERS = ("ann", "bob", "eve")
ACCOUNTS = ("", "bio", "bio", "chem")
LAST = 12
"""Jobs come up to this time, in units of the case."""
UNITS = (1, 1, 5, 10, 60)
"""Seconds of a unit: in long ones the groups of 30 s hold few jobs, and limits are minutes in the longest."""
SLURM = Options(
    bf_window=86_400, bf_max_job_test=500, default_queue_depth=100, bf_resolution=60, bf_interval=30, sched_interval=60
)
"""Slurm's defaults, with its delays of one to three seconds left out."""


def random_cases(seed: int | str, count: int) -> Iterator[Case]:
    """Machines of 1 to 6 nodes of 1 to 4 CPUs, 4 to 14 jobs, and options around Slurm's."""
    for number in range(count):
        case = _case(Random(f"{seed}/{number}"))
        why = invalid(case)
        assert why is None, f"{seed}/{number}: {why}"
        yield case


def partitioned_cases(seed: int | str, count: int) -> Iterator[Case]:
    """The same with up to four partitions, some on the same nodes, of two tiers; jobs may name several, or wait."""
    for number, case in enumerate(random_cases(seed, count)):
        rng = Random(f"parts {seed}/{number}")
        size = len(case.nodes)
        sets = [frozenset(rng.sample(range(size), rng.choice((size, rng.randint(1, size))))) for _ in range(3)]
        chosen = [sets[rng.randrange(rng.choice((1, 2, 3)))] for _ in range(rng.randint(2, 4))]
        parts = tuple(Part(nodes, rng.choice((1, 1, 5))) for nodes in chosen)
        jobs = tuple(_in_parts(rng, case, job, parts) for job in case.jobs)
        yield replace(case, jobs=jobs, parts=parts)


def _in_parts(rng: Random, case: Case, job: Job, parts: tuple[Part, ...]) -> Job:
    """A job in some partitions, the widest of which could hold it."""
    named = tuple(rng.sample(range(len(parts)), rng.choice((1, 1, 2, 2, len(parts)))))
    begin = job.submit + rng.randint(0, 2 * job.limit) if rng.random() < 0.2 else 0
    nodes = min(job.nodes, max(len(parts[place].nodes) for place in named))
    cpus = min(job.cpus, max(sum(case.nodes[node] for node in parts[place].nodes) for place in named))
    return replace(job, partition=None, parts=named, begin=begin, nodes=nodes, cpus=cpus)


def _case(rng: Random) -> Case:
    unit = rng.choice(UNITS)
    nodes = _nodes(rng)
    partitions = _partitions(rng, len(nodes))
    exclusive = rng.choice((0.0, 0.0, 0.5, 1.0))
    last = rng.choice((0, 2, 4, LAST))
    jobs = tuple(
        _job(rng, number, nodes, rng.choice(partitions), unit, last, exclusive)
        for number in range(1, rng.choice((4, 8, 12, 14, 14)) + 1)
    )
    windows = tuple(_window(rng, len(nodes), unit) for _ in range(rng.choice((0, 0, 0, 1, 1, 2))))
    origin = -rng.choice((0, rng.randint(0, 59), rng.randint(0, 59)))
    return Case(nodes, jobs, windows, origin, SLURM if unit == 60 and rng.random() < 0.5 else _options(rng, unit))


def _nodes(rng: Random) -> tuple[int, ...]:
    """Mostly nodes that are alike."""
    cpus = rng.choice((1, 2, 4, 4))
    alike = rng.random() < 0.7
    return tuple(cpus if alike else rng.randint(1, 4) for _ in range(rng.choice((1, 2, 3, 4, 5, 6))))


def _partitions(rng: Random, size: int) -> list[frozenset[int] | None]:
    """All nodes, or up to three sets that may overlap."""
    if rng.random() < 0.5:
        return [None]
    sets: list[frozenset[int] | None] = [None] if rng.random() < 0.3 else []
    for _ in range(rng.randint(1, 3)):
        low = rng.randrange(size)
        together = range(low, rng.randint(low, size - 1) + 1)
        nodes = frozenset(rng.choice((together, rng.sample(range(size), rng.randint(1, size)))))
        sets.append(nodes if len(nodes) < size else None)
    return sets


def _job(
    rng: Random,
    number: int,
    nodes: tuple[int, ...],
    partition: frozenset[int] | None,
    unit: int,
    last: int,
    alone: float,
) -> Job:
    limit = unit * rng.choice((1, 2, 2, 3, 4, 5, 6, 6, 9, 12))
    run = rng.choice((limit, limit, limit, rng.randint(1, limit), limit + unit))
    mine = [cpus for node, cpus in enumerate(nodes) if partition is None or node in partition]
    size = {"nodes": _some(rng, len(mine))} if rng.random() < alone else {"cpus": _some(rng, sum(mine))}
    submit = unit * rng.randint(0, last) + rng.choice((0, 0, 0, rng.randrange(unit)))
    whose = {"user": rng.choice(USERS), "account": rng.choice(ACCOUNTS)}
    return Job(number, submit, limit, run, partition=partition, **whose, **size)


def _some(rng: Random, most: int) -> int:
    """Wide or narrow: backfill is about narrow jobs behind wide ones."""
    return rng.choice((1, 1, min(2, most), rng.randint(1, most), rng.randint((most + 1) // 2, most), max(1, most - 1)))


def _window(rng: Random, size: int, unit: int) -> Window:
    start = unit * rng.randint(0, LAST + 8)
    nodes = rng.sample(range(size), rng.choice((1, size, rng.randint(1, size))))
    return Window(frozenset(nodes), start, start + unit * rng.choice((1, 3, 6, 10)))


def _options(rng: Random, unit: int) -> Options:
    """Mostly backfill that tests everything at each event, with some options Slurm's or so small that they matter."""
    other: dict[str, tuple[Any, ...]] = {
        "backfill": (False,), "bf_window": (86_400, 3 * unit, 6 * unit), "bf_max_job_test": (500, 1, 2, 4),
        "bf_max_job_user": (1, 2), "bf_max_job_part": (1, 2, 3), "bf_max_job_user_part": (1, 2),
        "bf_max_job_assoc": (1, 2), "bf_max_job_start": (1, 2), "partition_job_depth": (1, 2),
        "sched_interval": (60, 2 * unit, 3 * unit + 1), "bf_job_part_count_reserve": (1, 1, 2),
        "bf_min_age_reserve": (2 * unit, 5 * unit), "default_queue_depth": (100, 1, 2, 3),
        "bf_resolution": (1, 60, 2, 3 * unit), "bf_interval": (30, 1, 2 * unit, 3 * unit + 1), "groups": (0, 2, 5),
        "inclusive_edge": (False,), "whole_nodes": (False,), "allocator": ("first-fit",),
    }  # fmt: skip
    names = rng.sample(sorted(other), rng.choice((0, 1, 2, 2, 3, 5, 8)))
    options = Options(**{name: rng.choice(other[name]) for name in names})
    if options.groups and rng.random() < 0.3:
        options = replace(options, bf_window_linear=rng.choice((1, 7, 100, 300)))
    if options.sched_interval and not options.default_queue_depth:
        options = replace(options, default_queue_depth=2)
    return replace(options, bf_interval=2 * unit) if options.bf_max_job_start and not options.bf_interval else options


def switched_off(options: Options) -> dict[str, Any]:
    """The value of each option under which it does nothing, if it does something."""
    off = {"backfill": False, "inclusive_edge": False, "whole_nodes": False, "allocator": "first-fit"}
    values = {f.name: off.get(f.name, 0) for f in fields(options)}
    return {name: value for name, value in values.items() if (getattr(options, name) or 0) != value}


def invalid(case: Case) -> str | None:
    """Why a case is not valid, or None."""
    if len({job.id for job in case.jobs}) < len(case.jobs):
        return "two jobs have the same id"
    for job in case.jobs:
        if bool(job.nodes) == bool(job.cpus) or min(job.nodes, job.cpus) < 0:
            return f"{job} asks for nodes and CPUs, or for neither"
        partition = case.partition(job)
        if job.nodes > len(partition) or job.cpus > sum(case.nodes[node] for node in partition):
            return f"{job} does not fit into its partition"
        if job.limit < 1 or job.run < 1:
            return f"{job} has no length"
    if any(window.start >= window.end for window in case.windows):
        return "a window is reversed"
    return None
