"""The users of a log, with all that a replay needs to know of them."""

from dataclasses import dataclass

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.tables import HazardTables
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models.sessions import owners

LARGEST = 80.0
"""No value of a table is larger, so that hazards are numbers (e to the 640th is one)."""
TABLES = ("base", "clock", "response", "slowdown", "queue", "done", "position")


@dataclass(frozen=True, eq=False)
class FittedUsers:
    """The hazards of a log's users; users go by their codes (`thinktime.workloads.user_models.sessions.owners`)."""

    tables: HazardTables
    class_of: Whole
    """The class of each user."""
    level: Floats
    """The level of each user in each regime."""
    calendar: Calendar
    patience: Floats | None = None
    """How long each job of the log may wait before it is taken back, s; infinite for ever. None: as in the log."""

    def check(self, trace: Trace) -> None:
        """``ValueError`` if these cannot be the users of a log."""
        users = int(owners(trace).max(initial=-1)) + 1
        if len(self.class_of) != users or self.level.shape[:1] != (users,):
            raise ValueError(
                f"the log has {users} users, and classes of {len(self.class_of)} and levels of {len(self.level)} "
                "were fitted: give those of this log"
            )
        if self.patience is not None and len(self.patience) != len(trace):
            raise ValueError(f"the log has {len(trace)} jobs, and patience of {len(self.patience)} is given")
        given = [self.level, *(getattr(self.tables, name) for name in TABLES)]
        if any(np.isnan(each).any() or (each > LARGEST).any() for each in given):
            raise ValueError(f"levels and tables of a hazard are logarithms of at most {LARGEST:g}, or -inf")
