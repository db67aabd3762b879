"""Who is looked at, and who gets a reservation: Slurm's main pass and its backfill."""

from dataclasses import dataclass, fields

from thinktime.models.site import effects
from thinktime.workloads.names import quoted
from thinktime.workloads.reading.table import Table
from thinktime.workloads.reading.values import Seconds
from thinktime.workloads.units import DAY, MINUTE, as_text

OPTIONS = {
    "default_queue_depth": "default_queue_depth", "partition_job_depth": "partition_job_depth",
    "sched_interval": "sched_interval", "max_job_test": "bf_max_job_test", "max_job_user": "bf_max_job_user",
    "max_job_part": "bf_max_job_part", "max_job_user_part": "bf_max_job_user_part", "max_job_assoc": "bf_max_job_assoc",
    "max_job_start": "bf_max_job_start", "job_part_count_reserve": "bf_job_part_count_reserve", "window": "bf_window",
    "window_linear": "bf_window_linear", "min_age_reserve": "bf_min_age_reserve", "resolution": "bf_resolution",
    "interval": "bf_interval",
}  # fmt: skip
"""Those that the policy `slurm` has, by its names."""
TIMES = "window", "window_linear", "min_age_reserve", "resolution", "interval", "sched_interval"


@dataclass(frozen=True, slots=True)
class Backfill(Table):
    """Options of Slurm's SchedulerParameters, without their prefix ``bf_``; the defaults are Slurm's.

    Without ``enabled`` (sched/builtin) there is only the main pass. A limit of 0 is none.
    """

    enabled: bool = True
    interval: Seconds = 30.0
    """Between two passes (bf_interval)."""
    window: Seconds = float(DAY)
    """How far ahead plans are made (bf_window)."""
    resolution: Seconds = float(MINUTE)
    """The grid of plans (bf_resolution)."""
    max_job_test: int = 500
    """Jobs that a pass looks at (bf_max_job_test)."""
    max_job_user: int = 0
    """… of one user."""
    max_job_part: int = 0
    """… of one partition."""
    max_job_assoc: int = 0
    """… of one association."""
    max_job_user_part: int = 0
    """… of one user in one partition."""
    max_job_start: int = 0
    """Jobs that a pass starts."""
    job_part_count_reserve: int = 0
    """Jobs of each partition that get a reservation; 0: all. With 1 it is EASY."""
    min_age_reserve: Seconds = 0.0
    """How long a job has waited before it gets a reservation."""
    window_linear: Seconds = 0.0
    """By how much more each group of expected ends reaches than the one before (bf_window_linear); 0: they double."""
    default_queue_depth: int = 100
    """Jobs that the main pass looks at, but for its full pass every ``sched_interval``."""
    partition_job_depth: int = 0
    """… of one partition; 0: all."""
    sched_interval: Seconds = float(MINUTE)

    def __post_init__(self) -> None:
        for each in fields(self):
            if not getattr(self, each.name) >= 0:
                raise ValueError(f"{each.name} must be at least 0, not {quoted(getattr(self, each.name))}")
        for name in ("interval", "window", "resolution", "max_job_test", "sched_interval"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above 0, not {quoted(getattr(self, name))}")

    @classmethod
    def refused(cls, key: str) -> str:
        """A sentence if a key is an option of Slurm's that is not modelled, else nothing."""
        return effects.of_backfill(key)

    @property
    def rule(self) -> str:
        """The policy of a machine under these options: ``slurm``, with those that differ from Slurm's defaults."""
        usual, texts = Backfill(), [] if self.enabled else ["backfill=no"]
        for name, option in OPTIONS.items():
            if (value := getattr(self, name)) != getattr(usual, name):
                texts.append(f"{option}={as_text(float(value)) if name in TIMES else value}")
        return f"slurm:{','.join(texts)}" if texts else "slurm"
