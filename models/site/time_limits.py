"""Time limits: as they are, or as Slurm keeps them, in whole minutes and with jobs that are ended at sweeps.

Source: Slurm 22.05.8, measured. Limits are in whole minutes, seconds rounded up. Every 30 s, Slurm looks for jobs whose
limits are over, and ends them; one that catches the signal lives ``KillWait`` longer. A job that asks for no limit gets
the ``DefaultTime`` of its partition, else its ``MaxTime``, and if neither is set, none.
"""

import math
from dataclasses import dataclass

from thinktime.models.site.flags import one_of
from thinktime.workloads.names import quoted
from thinktime.workloads.reading.table import Table
from thinktime.workloads.reading.values import Seconds
from thinktime.workloads.units import DAY, MINUTE

EXACT, SLURM = "exact", "slurm"
UNLIMITED = 365 * DAY
"""What Slurm plans with for a job without a limit, s."""


@dataclass(frozen=True, slots=True)
class TimeLimits(Table):
    """When jobs that outlive their limits are ended; the times are Slurm's defaults.

    With ``kept="exact"``, a job is ended exactly at the limit that it asks for. With ``kept="slurm"``, limits are
    rounded up to whole minutes; a job may run for ``over_time_limit`` beyond its limit, and is ended at the next sweep,
    of those at ``phase``, ``phase`` + ``sweep``, …. If jobs ``catch`` the signal, they have ``kill_wait`` more.
    """

    kept: str = EXACT
    over_time_limit: Seconds = 0.0
    kill_wait: Seconds = 30.0
    catch: bool = False
    sweep: Seconds = 30.0
    phase: Seconds = 0.0

    def __post_init__(self) -> None:
        one_of("kept", self.kept, (EXACT, SLURM))
        for name in ("over_time_limit", "kill_wait", "sweep", "phase"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must be at least 0, not {quoted(getattr(self, name))}")
        if self.sweeps and not self.sweep > 0:
            raise ValueError(f"sweep must be above 0 where limits are kept as by Slurm, not {quoted(self.sweep)}")

    @property
    def sweeps(self) -> bool:
        """Whether limits are kept as Slurm keeps them."""
        return self.kept == SLURM

    @property
    def last_wait(self) -> float:
        """How long a job lives after the signal, s."""
        return self.kill_wait if self.catch else 0.0


def whole_minutes(time: float) -> float:
    """A time (s) as Slurm reads it: in whole minutes, rounded up.

    >>> whole_minutes(1), whole_minutes(60), whole_minutes(100)
    (60, 60, 120)
    """
    return MINUTE * math.ceil(time / MINUTE)
