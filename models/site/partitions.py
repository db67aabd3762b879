"""Partitions: sets of nodes with rules of their own, in which jobs queue."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from thinktime.models.site.flags import one_of
from thinktime.models.site.preemption import check_mode
from thinktime.models.site.tres import Tres, Weights
from thinktime.workloads.names import quoted, shortened
from thinktime.workloads.reading.table import Table
from thinktime.workloads.reading.values import HostNames, Names, Seconds

STATES = ("UP", "DOWN", "DRAIN", "INACTIVE")


@dataclass(frozen=True, slots=True)
class Partition(Table):
    """A partition; the defaults are Slurm's.

    ``nodes`` are names; None stands for all nodes. In the queue, jobs of a higher ``tier`` come first, whatever their
    priority; ``job_factor`` is a part of the priority. A job that asks for no time limit gets ``default_time``, else
    ``max_time``; None is no limit. ``allow_accounts`` and ``allow_qos`` are None if all may use it. The limits of the
    partition's own ``qos`` hold for all its jobs. ``billing_weights`` say what a job is charged per unit of each
    resource: for memory per GB (2**30 bytes), otherwise per piece; without any, it is charged its processors. With
    ``exclusive``, jobs get whole nodes and are charged for them.
    """

    name: str
    nodes: HostNames | None = None
    default: bool = False
    state: str = "UP"
    tier: int = 1
    job_factor: int = 1
    max_time: Seconds | None = None
    default_time: Seconds | None = None
    min_nodes: int = 0
    max_nodes: int | None = None
    allow_accounts: Names | None = None
    deny_accounts: Names = ()
    allow_qos: Names | None = None
    deny_qos: Names = ()
    qos: str | None = None
    billing_weights: Weights = field(default_factory=lambda: Tres[float]())
    exclusive: bool = False
    preempt_mode: str | None = None
    grace: Seconds = 0.0

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("a partition needs a name")
        for name in ("nodes", "allow_accounts", "deny_accounts", "allow_qos", "deny_qos"):
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, tuple(value))
        one_of(f"partition {shortened(self.name, 40)}: the state", self.state, STATES)
        check_mode(f"partition {shortened(self.name, 40)}", self.preempt_mode)
        for name in ("tier", "job_factor", "min_nodes", "max_nodes", "max_time", "default_time", "grace"):
            if (value := getattr(self, name)) is not None and not value >= 0:
                raise ValueError(
                    f"partition {shortened(self.name, 40)}: {name} must be at least 0, not {quoted(value)}"
                )

    def billing(self, amounts: Mapping[str, float]) -> float:
        """What is charged per second for these amounts (memory in bytes), without regard to MAX_TRES."""
        if not self.billing_weights:
            return amounts.get("cpu", 0)
        units = {"mem": 2**30}
        return sum(weight * amounts.get(name, 0) / units.get(name, 1) for name, weight in self.billing_weights.items())

    def admits(self, account: str | None = None, qos: str | None = None) -> bool:
        """Whether it takes jobs of an account under a QOS; a list of those allowed makes one of those denied void."""
        return _allowed(account, self.allow_accounts, self.deny_accounts) and _allowed(
            qos, self.allow_qos, self.deny_qos
        )


def _allowed(name: str | None, allowed: tuple[str, ...] | None, denied: tuple[str, ...]) -> bool:
    return name is None or (name in allowed if allowed is not None else name not in denied)
