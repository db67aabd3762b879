"""Jobs that may preempt each other: plain records, beside those of `tests.models.policies.slurm.case`."""

from dataclasses import dataclass, field

from tests.models.policies.slurm.case import Case
from tests.models.policies.slurm.case import Job as Plain


@dataclass(frozen=True)
class Kind:
    """A partition with a QOS: the tier of the one, the priority of the other, and how its jobs are preempted."""

    tier: int = 1
    priority: int = 0
    mode: str = "requeue"
    """off, cancel, requeue, suspend."""
    grace: int = 0
    exempt: int = 0
    preempts: frozenset[int] = frozenset()
    """The kinds whose jobs it may preempt by its QOS."""


@dataclass(frozen=True)
class Rules:
    """How a site preempts. ``by`` is qos or partition_prio."""

    by: str = "qos"
    youngest_first: bool = False
    reorder_count: int = 1
    strict_order: bool = False
    requeue_delay: int = 121
    sweep: int = 30
    """Time limits are looked at every so many seconds, …"""
    phase: int = 0
    """… of which one is at this time."""
    retry: int = 40
    """So long after it has given notice to others, a job tries again."""


@dataclass(frozen=True)
class Job(Plain):
    """A job of a kind."""

    kind: int = 0


@dataclass(frozen=True)
class Preempting(Case):
    """A machine whose jobs preempt each other; as a ``pool``, its single node stands for processors without places."""

    kinds: tuple[Kind, ...] = (Kind(),)
    rules: Rules = field(default_factory=Rules)
    pool: bool = False

    def may(self, one: int, other: int) -> bool:
        """Whether jobs of one kind may preempt those of another."""
        mine, its = self.kinds[one], self.kinds[other]
        if its.mode == "off" or (its.mode == "suspend" and mine.tier <= its.tier):
            return False
        return other in mine.preempts if self.rules.by == "qos" else mine.tier > its.tier


Run = tuple[int, int, str, tuple[int, ...]]
"""A run of a job: start, end, how it ended (finished, killed, preempted), and its nodes."""
Runs = dict[int, list[Run]]
"""The runs of each job, by its id, in their order."""
