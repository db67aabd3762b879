"""Time limits: whole minutes, seconds rounded up; a job is ended at the first sweep after its limit."""

import math
from dataclasses import dataclass

from thinktime.models.site.tres import Seconds
from thinktime.workloads.units import MINUTE


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """When jobs that outlive their limits are ended; the defaults are Slurm's.

    A job may run for ``over_time_limit`` beyond its limit, and is ended at the next ``sweep``. One that catches the
    signal has ``kill_wait`` more.
    """

    over_time_limit: Seconds = 0.0
    kill_wait: Seconds = 30.0
    sweep: Seconds = 30.0

    def __post_init__(self) -> None:
        for name in ("over_time_limit", "kill_wait", "sweep"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must be at least 0, not {getattr(self, name)!r}")


def whole_minutes(time: float) -> float:
    """A time (s) as Slurm reads it: in whole minutes, rounded up.

    >>> whole_minutes(1), whole_minutes(60), whole_minutes(100)
    (60, 60, 120)
    """
    return MINUTE * math.ceil(time / MINUTE)
