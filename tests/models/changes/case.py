"""What a machine that changes is given, and what comes out: plain records, in whole seconds.

A `Case` is everything that decides a schedule: the machine, its jobs, windows, outages, withdrawals and options.
An `Outcome` is everything that a schedule decides. Both compare with ``==``, so that two programs agree if
``twin(case) == other(case)``. `describe` prints a case so that it can be replayed by hand.
"""

from dataclasses import dataclass, field
from math import inf

from tests.models.source_text import listed, source

Time = float
"""Seconds: integers throughout, and `inf` for what never happens."""

INF = inf


@dataclass(frozen=True)
class Node:
    """A node of a machine of nodes; nodes are numbered from 0 in the order of `Case.machine`."""

    cores: int
    memory: int = 0


@dataclass(frozen=True)
class Job:
    """A job. Fields that are None leave the choice to the machine (`Options`)."""

    id: int
    submit: int
    width: int
    """Processors on a pool; on nodes, pieces, each on a node of its own."""
    run: int
    """The true work T in seconds; 0 is possible."""
    estimate: int
    """The limit E on its work, at least 1."""
    user: str = ""
    queue: str = ""
    requeue: bool | None = None
    """Whether a failure puts it back into the queue; if False, nothing does."""
    checkpoint: Time | None = None
    """Seconds of work between two checkpoints, τ; `INF` for a job that takes none."""
    cost: int | None = None
    """Seconds that a checkpoint takes, δ."""
    restart: int | None = None
    """Seconds that every run but the first begins with, R."""
    cores: int = 1
    """Cores of each piece (nodes only)."""
    memory: int = 0
    """Memory of each piece (nodes only)."""

    @property
    def processors(self) -> int:
        return self.width * self.cores


@dataclass(frozen=True)
class Window:
    """Processors that are kept over [start, end) for some users and jobs, or for none. Its number is its place."""

    start: int
    end: Time
    processors: int = 0
    """How many (pool)."""
    nodes: tuple[int, ...] = ()
    """Which (nodes)."""
    announced: int = 0
    """When it becomes known, at its start at the latest."""
    users: frozenset[str] = frozenset()
    jobs: frozenset[int] = frozenset()
    rule: str = "requeue"
    """What it does at its beginning to jobs that are in its way: requeue, kill, wait."""
    kind: str = "maintenance"
    """maintenance, reservation, capacity; no schedule depends on it."""

    def admits(self, job: Job) -> bool:
        return job.user in self.users or job.id in self.jobs


@dataclass(frozen=True)
class Outage:
    """Processors (pool) or nodes that are down over [start, end)."""

    start: int
    end: Time
    indices: frozenset[int]


@dataclass(frozen=True)
class Options:
    """How the machine works, and under which rule."""

    rule: str = "easy"
    """none, no-guarantee, easy, conservative-dynamic, conservative."""
    n: int = 1
    """Reservations of EASY."""
    compress: str = "completion"
    """completion, event, scheduled, none: when conservative moves reservations to an earlier time."""
    order: str = "fcfs"
    """fcfs; sjf (shortest planned length first); largest (most processors first)."""
    overrun: str = "kill"
    """kill, extend."""
    repairs: str = "unknown"
    """unknown, told: whether the end of an outage is known once it has begun."""
    on_failure: str = "requeue"
    """requeue, cancel."""
    requeue_at: str = "original"
    """original, now: by which time an interrupted job queues."""
    requeue_delay: int = 0
    """Seconds after an interruption in which the job is not in the queue."""
    max_restarts: int | None = None
    checkpoint: Time | None = None
    cost: int = 0
    restart: int = 0
    preempt: str | None = None
    """cancel, requeue, suspend: what EASY does to jobs of lower rank; None if it preempts no job."""
    ranks: tuple[tuple[str, int], ...] = ()
    """Queues with their ranks; 0 if not listed."""
    victims: str = "youngest"
    """youngest, lowest (rank, then youngest)."""
    grace: int = 0
    exempt: int = 0
    """Seconds that a run must have lasted before it can be preempted."""
    suspended_holds: str = "memory"
    """memory, all: what a suspended job keeps from others. On a pool, memory keeps nothing."""


@dataclass(frozen=True)
class Case:
    """One problem. `withdrawals` are pairs (time, job): withdrawn if waiting, cancelled if running, else no event."""

    machine: int | tuple[Node, ...]
    jobs: tuple[Job, ...]
    windows: tuple[Window, ...] = ()
    outages: tuple[Outage, ...] = ()
    withdrawals: tuple[tuple[int, int], ...] = ()
    options: Options = field(default_factory=Options)

    @property
    def size(self) -> int:
        """Processors on a pool, nodes on a machine of nodes."""
        return self.machine if isinstance(self.machine, int) else len(self.machine)

    @property
    def processors(self) -> int:
        """All processors."""
        return self.machine if isinstance(self.machine, int) else sum(node.cores for node in self.machine)


@dataclass(frozen=True)
class Run:
    """One run of a job: end − start = progress + overhead + lost, in seconds."""

    job: int
    number: int
    """1 for the first."""
    start: int
    end: Time
    indices: tuple[int, ...]
    """Processors on a pool, the node of each piece on nodes, in ascending order."""
    how: str
    """finished, limit (killed at the limit), cancelled (by its user), failed, window, preempted."""
    progress: int
    overhead: int
    lost: int


@dataclass(frozen=True)
class Outcome:
    """What became of every job. All are keyed by job numbers but `runs` (by job, then number) and `broken`."""

    runs: tuple[Run, ...]
    states: dict[int, str]
    """finished; killed (it has run); withdrawn and refused (it never ran); waiting (at the end of everything)."""
    over: dict[int, int]
    """When jobs were over: their last end, or the time of their withdrawal or refusal. Jobs that wait are left out."""
    promised: dict[int, int]
    """The first finite reservation under conservative; jobs that had none are left out."""
    broken: int
    """How often a reservation of conservative could not be kept."""

    def of(self, job: int) -> list[Run]:
        return [run for run in self.runs if run.job == job]


def describe(case: Case) -> str:
    """The case as Python source that builds it again, one record a line."""
    lines = [f"Case(machine={case.machine!r},"]
    for name in ("jobs", "windows", "outages"):
        lines += listed(name, getattr(case, name))
    return "\n".join([*lines, f"  withdrawals={case.withdrawals!r},", f"  options={source(case.options)})"])
