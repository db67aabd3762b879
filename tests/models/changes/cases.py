"""Random small cases of a machine that changes, all of them valid input (section 12), with ties on purpose.

`random_cases(seed, count)` gives the same cases for the same seed, and the first ones do not depend on `count`.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import Any

from tests.models.changes.case import INF, Case, Job, Node, Options, Outage, Window

LAST = 20
"""Jobs come, and windows and outages begin, up to this time."""
USERS = ("ann", "bob", "eve")
QUEUES = ("", "normal", "urgent")
EASY: tuple[dict[str, Any], ...] = tuple({"rule": "easy", "n": n} for n in (1, 1, 1, 2, 3))
RULES: tuple[dict[str, Any], ...] = (
    {"rule": "none"},
    {"rule": "no-guarantee"},
    *EASY,
    {"rule": "conservative-dynamic"},
    *({"rule": "conservative", "compress": c} for c in ("completion", "event", "scheduled", "none")),
)


def random_cases(
    seed: int | str, count: int, *, nodes: bool = False, plain: bool = False, preempting: tuple[str, ...] = ("easy",)
) -> Iterator[Case]:
    """Cases on a pool or on nodes. `plain` ones have no windows, outages, preemption or checkpoints.

    `preempting` names the rules that may preempt: not conservative.
    """
    for number in range(count):
        rng = Random(f"{seed}/{number}")
        case = _case(rng, nodes, preempting)
        if plain:
            case = _plain(case)
        why = invalid(case)
        assert why is None, f"{seed}/{number}: {why}"
        yield case


def _plain(case: Case) -> Case:
    o = case.options
    jobs = tuple(replace(job, checkpoint=None, cost=None, restart=None) for job in case.jobs)
    return Case(case.machine, jobs, (), (), case.withdrawals, Options(o.rule, o.n, o.compress, o.order, o.overrun))


def _case(rng: Random, nodes: bool, preempting: tuple[str, ...]) -> Case:
    machine = _nodes(rng) if nodes else rng.choice((1, 2, 3, 4, 4, 5, 6, 7, 8))
    size = len(machine) if isinstance(machine, tuple) else machine
    options = _options(rng, preempting)
    jobs = tuple(_job(rng, number, machine, options) for number in range(1, rng.choice((3, 6, 9, 12, 12)) + 1))
    case = Case(machine, jobs, options=options)
    case = replace(case, outages=tuple(_outage(rng, size) for _ in range(rng.choice((0, 0, 1, 1, 2, 4)))))
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        more = replace(case, windows=(*case.windows, _window(rng, case)))
        case = case if invalid(more) else more
    return replace(case, withdrawals=_withdrawals(rng, jobs))


def _nodes(rng: Random) -> tuple[Node, ...]:
    """One to four nodes, not all of one core: on those, an engine may plan with the number of nodes."""
    more = (Node(rng.choice((1, 2, 2, 4)), rng.choice((2, 4))) for _ in range(rng.randint(0, 3)))
    return (Node(rng.choice((2, 4)), rng.choice((2, 4))), *more)


def _options(rng: Random, preempting: tuple[str, ...]) -> Options:
    choices: dict[str, Any] = {
        **rng.choice(RULES if rng.random() < 0.8 else EASY),
        "order": rng.choice(("fcfs", "fcfs", "sjf", "largest")),
        "overrun": rng.choice(("kill", "kill", "extend")),
        "repairs": rng.choice(("unknown", "told")),
        "on_failure": rng.choice(("requeue", "requeue", "cancel")),
        "requeue_at": rng.choice(("original", "now")),
        "requeue_delay": rng.choice((0, 0, 0, 1, 4)),
        "max_restarts": rng.choice((None, None, None, 0, 1, 2)),
    }
    if rng.random() < 0.5:
        choices |= {"checkpoint": rng.randint(1, 5), "cost": rng.randint(0, 2)}
    choices["restart"] = rng.choice((0, 0, 1, 3))
    if choices["rule"] in preempting and rng.random() < 0.8:
        choices |= _preemption(rng)
    return Options(**choices)


def _preemption(rng: Random) -> dict[str, Any]:
    how = rng.choice(("cancel", "requeue", "requeue", "suspend", "suspend"))
    return {
        "preempt": how,
        "ranks": rng.choice(((("urgent", 1),), *[(("urgent", 2), ("normal", 1))] * 4, ())),
        "victims": rng.choice(("youngest", "lowest")),
        "grace": rng.choice((0, 0, 1, 3)),
        "exempt": rng.choice((0, 0, 2)),
        "suspended_holds": rng.choice(("memory", "all")) if how == "suspend" else "memory",
    }


def _job(rng: Random, number: int, machine: int | tuple[Node, ...], options: Options) -> Job:
    run = rng.choice((0, *range(1, 9), *range(1, 9), 12))
    estimate = max(1, run + rng.choice((0, 0, 0, 1, 3, 8, -1, -3)))
    job = Job(number, rng.randint(0, rng.choice((4, LAST))), 1, run, estimate, rng.choice(USERS), rng.choice(QUEUES))
    job = replace(job, **_size(rng, machine))
    if rng.random() < 0.1:
        job = replace(job, requeue=rng.random() < 0.5)
    if rng.random() < 0.1:
        job = replace(job, checkpoint=rng.choice((INF, 1, 2)), restart=rng.randint(0, 2))
    if rng.random() < 0.1 and (options.checkpoint or job.checkpoint):
        job = replace(job, cost=rng.randint(0, 2))
    return job


def _size(rng: Random, machine: int | tuple[Node, ...]) -> dict[str, Any]:
    if isinstance(machine, int):
        return {"width": rng.randint(1, rng.choice((machine, max(1, machine // 2))))}
    model = rng.choice(machine)
    cores, memory = rng.randint(1, model.cores), rng.choice((0, 1, model.memory))
    large = [node for node in machine if node.cores >= cores and node.memory >= memory]
    return {"width": rng.randint(1, len(large)), "cores": cores, "memory": memory}


def _outage(rng: Random, size: int) -> Outage:
    start = rng.randint(0, LAST + 5)
    indices = rng.sample(range(size), rng.choice((1, 1, min(2, size))))
    return Outage(start, start + rng.choice((1, 2, 5, 10)), frozenset(indices))


def _window(rng: Random, case: Case) -> Window:
    start = rng.randint(0, LAST + 5)
    nobody = rng.random() < 0.5
    window = Window(
        start,
        INF if rng.random() < 0.1 else start + rng.choice((1, 3, 5, 10)),
        announced=rng.choice((0, start, rng.randint(0, start))),
        users=frozenset() if nobody else frozenset(rng.sample(USERS, rng.choice((0, 1, 1, 2)))),
        jobs=frozenset() if nobody else frozenset(rng.sample([job.id for job in case.jobs], rng.choice((0, 0, 1, 2)))),
        rule=rng.choice(("requeue", "requeue", "kill", "wait")),
    )
    kind = rng.choice(("maintenance", "capacity")) if not window.users | window.jobs else "reservation"
    number = rng.randint(1, case.size)
    if isinstance(case.machine, int):
        return replace(window, processors=number, kind=kind)
    return replace(window, nodes=tuple(sorted(rng.sample(range(case.size), number))), kind=kind)


def _withdrawals(rng: Random, jobs: tuple[Job, ...]) -> tuple[tuple[int, int], ...]:
    chosen = rng.sample(jobs, rng.choice((0, 0, 0, 1, min(2, len(jobs)))))
    return tuple(sorted((job.submit + rng.choice((0, 1, 3, 5, 8, 15)), job.id) for job in chosen))


def invalid(case: Case) -> str | None:
    """Why a case is not valid, or None."""
    for window in case.windows:
        if not 0 <= window.announced <= window.start < window.end:
            return f"{window} is reversed, or announced too late or in the past"
        if any(_together(case, window.start)[node] > 1 for node in window.nodes):
            return f"{window} names a node that another window has then"
        if sum(w.processors for w in _open(case, window.start)) > case.size:
            return "windows ask for more than there is"
    for one, other in combinations(case.windows, 2):
        overlap = one.start < other.end and other.start < one.end
        if overlap and (one.users & other.users or any(one.admits(job) and other.admits(job) for job in case.jobs)):
            return "two windows that are open at once admit one user or job"
    return _invalid_rest(case)


def _invalid_rest(case: Case) -> str | None:
    options = case.options
    if any(o.start >= o.end or not o.indices <= set(range(case.size)) for o in case.outages):
        return "an outage is reversed, or beyond the machine"
    if any((job.cost or options.cost) and not (job.checkpoint or options.checkpoint) for job in case.jobs):
        return "checkpoints cost something, but there are none"
    if options.preempt and options.rule == "conservative":
        return "conservative, which promises a start to every job, preempts none"
    if not options.preempt and (options.grace or options.exempt or options.ranks):
        return "options of preemption without preemption"
    if any(time < job.submit for time, number in case.withdrawals for job in case.jobs if job.id == number):
        return "withdrawn before it was submitted"
    return None


def _open(case: Case, time: float) -> list[Window]:
    return [w for w in case.windows if w.start <= time < w.end]


def _together(case: Case, time: float) -> list[int]:
    """How many windows each node is in."""
    windows = _open(case, time)
    return [sum(node in w.nodes for w in windows) for node in range(case.size)]
