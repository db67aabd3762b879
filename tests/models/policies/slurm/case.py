"""What Slurm's scheduler is given, and what it decides: plain records, in whole seconds.

Nodes are numbered from 0, in the order of `Case.nodes`. `describe` prints a case as the Python source that builds it.
"""

from dataclasses import dataclass, field

from tests.models.source_text import listed, source


@dataclass(frozen=True)
class Job:
    """A job. It asks either for whole nodes, which it has for itself, or for CPUs anywhere, on nodes it may share."""

    id: int
    submit: int
    limit: int
    """The time limit, at least 1; all that the scheduler knows of its length."""
    run: int
    """The true run time, at least 1; it is ended at its limit."""
    nodes: int = 0
    cpus: int = 0
    partition: frozenset[int] | None = None
    """The nodes of its partition; None for all."""
    user: str = ""
    account: str = ""
    parts: tuple[int, ...] = ()
    """Where cases have partitions with tiers: the places of those that it names in `Case.parts`."""
    begin: int = 0
    """It is not eligible before this time."""

    @property
    def eligible(self) -> int:
        """From when on it is in the queue."""
        return max(self.submit, self.begin)

    @property
    def length(self) -> int:
        """How long it will run."""
        return min(self.run, self.limit)


@dataclass(frozen=True)
class Part:
    """A partition: its nodes, and its tier."""

    nodes: frozenset[int]
    tier: int = 1


@dataclass(frozen=True)
class Window:
    """Maintenance: nodes that no job may use over [start, end), known from the beginning."""

    nodes: frozenset[int]
    start: int
    end: int


@dataclass(frozen=True)
class Options:
    """How Slurm is configured. In numbers, 0 or None means off."""

    backfill: bool = True
    """Whether there are backfill passes; else the main pass alone decides, as sched/builtin does."""
    bf_window: int | None = 0
    """Seconds ahead of now up to which starts are planned; off: any time ahead."""
    bf_max_job_test: int | None = 0
    """How many jobs a backfill pass tests."""
    bf_max_job_user: int | None = 0
    """How many jobs of each user a backfill pass tests."""
    bf_max_job_part: int | None = 0
    """How many jobs of each partition a backfill pass tests."""
    bf_max_job_user_part: int | None = 0
    """How many jobs of each user in each partition a backfill pass tests."""
    bf_max_job_assoc: int | None = 0
    """How many jobs of each user in each account a backfill pass tests."""
    bf_max_job_start: int | None = 0
    """How many jobs a backfill pass starts."""
    bf_job_part_count_reserve: int | None = 0
    """How many jobs of each partition, which is a set of nodes, get a reservation."""
    bf_min_age_reserve: int | None = 0
    """Seconds that a job must have waited to get a reservation."""
    default_queue_depth: int | None = 0
    """How many jobs a main pass looks at."""
    partition_job_depth: int | None = 0
    """How many jobs of each partition a main pass looks at."""
    sched_interval: int | None = 0
    """A main pass at a multiple of this many seconds looks at jobs beyond default_queue_depth; off: none does."""
    bf_resolution: int | None = 0
    """A reservation's times are rounded down to multiples of this many seconds."""
    bf_interval: int = 0
    """Backfill passes are at multiples of this many seconds; 0: at every instant."""
    groups: int = 30
    """The grid in seconds of the groups in which running jobs are taken to end; 0: each by itself."""
    bf_window_linear: int | None = 0
    """By how many seconds each group reaches further than the one before it; off: twice as far."""
    inclusive_edge: bool = True
    """Whether a reservation that begins exactly when a job's limit ends is in its way."""
    whole_nodes: bool = True
    """Whether a reservation takes whole nodes, or only those CPUs of them that the job needs."""
    allocator: str = "consecutive"
    """consecutive, first-fit: how nodes are chosen among the usable ones."""

    def may_reserve(self, waited: int, ahead: int, reserved: int) -> bool:
        """Whether a job that can start so far ahead gets a reservation, after so many in its partition."""
        if self.bf_window and ahead > self.bf_window:
            return False
        if self.bf_job_part_count_reserve and reserved >= self.bf_job_part_count_reserve:
            return False
        return waited >= (self.bf_min_age_reserve or 0)


@dataclass(frozen=True)
class Case:
    """One problem. Multiples of seconds are counted from `origin`: for Unix time, minus the Unix time of time 0."""

    nodes: tuple[int, ...]
    """The number of CPUs of each node."""
    jobs: tuple[Job, ...]
    windows: tuple[Window, ...] = ()
    origin: int = 0
    options: Options = field(default_factory=Options)
    parts: tuple[Part, ...] = ()

    def partition(self, job: Job) -> frozenset[int]:
        """The nodes that a job may use."""
        return frozenset(range(len(self.nodes))) if job.partition is None else job.partition

    def next_multiple(self, now: int, interval: int) -> int:
        """The first multiple of an interval after now."""
        return now - (now - self.origin) % interval + interval

    def backfills(self, now: int, eventful: bool) -> bool:
        """Whether a backfill pass is due, where something has happened since the last one or not."""
        interval = self.options.bf_interval
        if not self.options.backfill:
            return False
        return not interval or (eventful and (now - self.origin) % interval == 0)


Cpus = dict[int, int]
"""How many CPUs on which nodes; nodes without any are not in it."""


@dataclass(frozen=True)
class Start:
    """When and where a job starts: pairs of a node and the number of its CPUs, in ascending order."""

    time: int
    cpus: tuple[tuple[int, int], ...]

    @property
    def nodes(self) -> tuple[int, ...]:
        return tuple(node for node, _ in self.cpus)


Outcome = dict[int, Start | None]
"""The start of each job by its id; None if it never starts."""


def describe(case: Case) -> str:
    """The case as Python source that builds it again, one record a line."""
    lines = [f"Case(nodes={case.nodes!r},"]
    for name in ("jobs", "windows", "parts"):
        lines += listed(name, getattr(case, name))
    return "\n".join([*lines, f"  origin={case.origin!r},", f"  options={source(case.options)})"])
