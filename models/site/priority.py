"""Priority: the weights and times of Slurm's priority/multifactor.

    P = trunc(age A + association S + fairshare F + job_size J + partition B + qos Q + sum of tres[r] T[r] - nice)

Every factor is a number from 0 to 1. Priorities change every ``calc_period``, and at a job's own submission.
"""

from dataclasses import dataclass, field

from thinktime.models.site.flags import checked, one_of
from thinktime.models.site.tres import Tres, Weights
from thinktime.workloads.names import quoted
from thinktime.workloads.reading.table import Table
from thinktime.workloads.reading.values import NameSet, Seconds
from thinktime.workloads.units import DAY, MINUTE

TYPES = ("basic", "multifactor")
RESETS = ("NONE", "NOW", "DAILY", "WEEKLY", "MONTHLY", "QUARTERLY", "YEARLY")
FLAGS = (
    "ACCRUE_ALWAYS", "DEPTH_OBLIVIOUS", "INCR_ONLY", "MAX_TRES", "NO_FAIR_TREE", "NO_NORMAL_ALL",
    "NO_NORMAL_ASSOC", "NO_NORMAL_PART", "NO_NORMAL_QOS", "NO_NORMAL_TRES", "SMALL_RELATIVE_TO_TIME",
)  # fmt: skip
WEIGHTS = ("age", "association", "fairshare", "job_size", "partition", "qos")


@dataclass(frozen=True, slots=True)
class PriorityRules(Table):
    """How priorities are computed; the defaults are Slurm's.

    ``type`` is ``basic`` (first come, first served) or ``multifactor``. ``age`` to ``tres`` are the weights of the
    factors. The age of a job counts up to ``max_age``. Usage decays with ``half_life`` (0: never) and is set to 0 at
    each ``usage_reset``. ``favor_small`` turns the factor of size around. ``dampening`` is FairShareDampeningFactor,
    which counts with the flag ``NO_FAIR_TREE`` only. ``flags`` are those of PriorityFlags.
    """

    type: str = "basic"
    age: int = 0
    association: int = 0
    fairshare: int = 0
    job_size: int = 0
    partition: int = 0
    qos: int = 0
    tres: Weights = field(default_factory=lambda: Tres[float]())
    max_age: Seconds = 7 * DAY
    half_life: Seconds = 7 * DAY
    calc_period: Seconds = 5 * MINUTE
    usage_reset: str = "NONE"
    favor_small: bool = False
    dampening: int = 1
    flags: NameSet = frozenset()

    def __post_init__(self) -> None:
        one_of("the type of priority", self.type, TYPES)
        one_of("usage_reset", self.usage_reset, RESETS)
        object.__setattr__(self, "flags", checked("priority", self.flags, FLAGS))
        for name in (*WEIGHTS, "half_life"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must be at least 0, not {quoted(getattr(self, name))}")
        for name in ("max_age", "calc_period", "dampening"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above 0, not {quoted(getattr(self, name))}")

    @property
    def fair_tree(self) -> bool:
        """Whether fair shares are those of Fair Tree, and not the classic ones."""
        return "NO_FAIR_TREE" not in self.flags
