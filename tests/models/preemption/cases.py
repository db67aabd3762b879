"""Random small cases of jobs that preempt each other, all of them valid, with ties on purpose."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from tests.models.policies.slurm.case import Options
from tests.models.policies.slurm.cases import LAST, UNITS, USERS, _nodes, _options, _partitions, _some
from tests.models.preemption.case import Job, Kind, Preempting, Rules

NUMBERS = dict.fromkeys(("bf_max_job_assoc", "bf_max_job_start", "sched_interval"), 0)
"""Options that this twin does not know."""


def random_cases(seed: int | str, count: int, modes: tuple[str, ...] = ()) -> Iterator[Preempting]:
    """Machines of 1 to 6 nodes, or pools, with 4 to 14 jobs of up to four kinds, under options around Slurm's.

    Victims leave in the ``modes`` if given.
    """
    for number in range(count):
        rng, case = Random(f"{seed}/{number}"), None
        while case is None or not any(case.may(one, other) for one in _all(case) for other in _all(case)):
            case = _case(rng, modes)
        yield case


def _all(case: Preempting) -> range:
    return range(len(case.kinds))


def _case(rng: Random, modes: tuple[str, ...]) -> Preempting:
    unit, pool = rng.choice(UNITS), rng.random() < 0.25 and "suspend" not in modes
    nodes = (rng.randint(1, 8),) if pool else _nodes(rng)
    partitions = [None] if pool else _partitions(rng, len(nodes))
    rules = _rules(rng, unit)
    kinds = _kinds(rng, rules, unit, modes, pool)
    pauses = any(kind.mode == "suspend" for kind in kinds)
    exclusive = 0.0 if pool else 1.0 if pauses else rng.choice((0.0, 0.5, 1.0, 1.0))
    last = rng.choice((2, 4, LAST))
    jobs = []
    for number in range(1, rng.choice((4, 8, 12, 14)) + 1):
        partition = rng.choice(partitions)
        mine = [cpus for node, cpus in enumerate(nodes) if partition is None or node in partition]
        whole = rng.random() < exclusive
        size = {"nodes": _some(rng, len(mine))} if whole else {"cpus": _some(rng, sum(mine))}
        limit = unit * rng.choice((1, 2, 2, 3, 4, 5, 6, 6, 9, 12))
        run = rng.choice((limit, limit, rng.randint(1, limit), limit + unit))
        submit = unit * rng.randint(0, last) + rng.choice((0, 0, 0, rng.randrange(unit)))
        kind = rng.randrange(len(kinds))
        jobs.append(Job(number, submit, limit, run, partition=partition, user=rng.choice(USERS), kind=kind, **size))
    options = Options() if rng.random() < 0.3 else replace(_options(rng, unit), **NUMBERS)
    if pool:
        options = replace(options, whole_nodes=False)
    origin = -rng.choice((0, 0, rng.randint(0, 59)))
    return Preempting(nodes, tuple(jobs), (), origin, options, kinds=kinds, rules=rules, pool=pool)


def _rules(rng: Random, unit: int) -> Rules:
    return Rules(
        by=rng.choice(("qos", "qos", "partition_prio")),
        youngest_first=rng.random() < 0.3,
        reorder_count=rng.choice((1, 1, 0, 3)),
        strict_order=rng.random() < 0.3,
        requeue_delay=rng.choice((121, 1, unit, 3 * unit)),
        sweep=rng.choice((30, 30, 7)),
        phase=rng.choice((0, 3)),
        retry=rng.choice((40, 11, 13)),
    )


def _kinds(rng: Random, rules: Rules, unit: int, modes: tuple[str, ...], pool: bool) -> tuple[Kind, ...]:
    """Two to four, of which later ones preempt some of the earlier ones; suspension is between two tiers."""
    pauses = "suspend" in modes or (not modes and not pool and rng.random() < 0.3)
    count = rng.choice((2, 2, 3, 4))
    kinds = []
    exempt = rng.choice((0, 0, 0, unit, 4 * unit))
    for number in range(count):
        low = number < max(1, count // 2)
        tier = (1 if low else 5) if pauses else rng.choice((1, 1, 2, 5))
        usual = ("cancel", "requeue", "requeue", "off") if not pauses or not low else ("suspend",)
        mode = rng.choice(("off",) if pauses and not low else modes or usual)
        own = rules.by == "qos"
        named = frozenset(other for other in range(number) if own and rng.random() < 0.7)
        price, grace = rng.choice((0, 0, 10, 100)), rng.choice((0, 0, 0, 5, 2 * unit, 50))
        kinds.append(Kind(tier, price if own else 0, mode, grace, rng.choice((0, exempt)) if own else exempt, named))
    return tuple(kinds)
