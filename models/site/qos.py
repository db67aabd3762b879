"""Qualities of service (QOS): classes of jobs with a priority, limits and the right to preempt others."""

from dataclasses import dataclass, field

from thinktime.models.site.flags import checked
from thinktime.models.site.limits import NO_LIMITS, Limits
from thinktime.models.site.preemption import check_mode
from thinktime.workloads.names import quoted, shortened
from thinktime.workloads.reading.table import FLAT, Table
from thinktime.workloads.reading.values import Names, NameSet, Seconds

FLAGS = (
    "DenyOnLimit", "NoDecay", "OverPartQOS", "PartitionMaxNodes", "PartitionMinNodes", "PartitionTimeLimit",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class QOS(Table):
    """A quality of service; the defaults are those of a QOS that has just been added to Slurm.

    ``priority`` counts relative to the highest of all QOS. ``preempts`` names the QOS whose jobs it may preempt. Its
    own jobs are preempted in its ``preempt_mode`` (None: that of the site), have ``grace`` to end, and run at least for
    ``exempt`` (None: the site's). The use of its jobs counts ``usage_factor`` times. ``flags`` are Slurm's, such as
    ``DenyOnLimit`` (jobs that ask for more than a limit are refused), ``OverPartQOS`` (its limits come before those of
    the partition's QOS) and ``NoDecay`` (its own use does not decay).
    """

    name: str
    priority: int = 0
    preempts: Names = ()
    preempt_mode: str | None = None
    grace: Seconds = 0.0
    exempt: Seconds | None = None
    flags: NameSet = frozenset()
    usage_factor: float = 1.0
    limits: Limits = field(default=NO_LIMITS, metadata={FLAT: True})

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("a QOS needs a name")
        object.__setattr__(self, "preempts", tuple(self.preempts))
        object.__setattr__(self, "flags", checked(f"QOS {shortened(self.name, 40)}", self.flags, FLAGS))
        check_mode(f"QOS {shortened(self.name, 40)}", self.preempt_mode)
        for name in ("priority", "grace", "usage_factor"):
            if not getattr(self, name) >= 0:
                raise ValueError(
                    f"QOS {shortened(self.name, 40)}: {name} must be at least 0, not {quoted(getattr(self, name))}"
                )
