"""The users of a log, with all that a replay needs to know of them."""

from dataclasses import dataclass, replace

import numpy as np

from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.tables import CELLS, STATES, HazardTables
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
    clockwork: Flags | None = None
    """Which users submit at equal intervals: they keep their recorded times when luck is drawn anew. None: nobody."""
    lacks: tuple[str, ...] = ()
    """What the log shows of them that the model does not explain (`thinktime.workloads.calibration.beyond`)."""

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
        self._check_shapes()
        given = [self.level, *(getattr(self.tables, name) for name in TABLES)]
        if any(np.isnan(each).any() or (each > LARGEST).any() for each in given):
            raise ValueError(f"levels and tables of a hazard are logarithms of at most {LARGEST:g}, or -inf")

    def _check_shapes(self) -> None:
        tables, (classes, regimes) = self.tables, self.tables.clock.shape[:2]
        pieces = classes, STATES, len(tables.since_end) + 1, len(tables.since_submission)
        shapes = {"clock": (classes, regimes, CELLS), "base": pieces, "regime": pieces} | {
            name: (classes, regimes, len(getattr(tables, f"{name}_edges")) + (name in ("response", "slowdown")))
            for name in TABLES[2:]
        }
        wrong = [name for name, shape in shapes.items() if getattr(tables, name).shape != shape]
        if wrong or self.level.shape[1:] != (regimes,):
            name = wrong[0] if wrong else "level"
            raise ValueError(f"the table {name} of a hazard has not as many entries as others ask for")
        for name, codes, stop in (
            ("class", self.class_of, classes),
            ("regime", tables.regime, regimes),
            ("cell", self.calendar.cells, CELLS),
        ):
            if codes.size and not 0 <= codes.min() <= codes.max() < stop:
                raise ValueError(f"a {name} of a hazard is a number from 0 to {stop - 1}")


def bounded(tables: HazardTables) -> HazardTables:
    """The tables with no value above `LARGEST`, which is at once: where a log says nothing, more may be drawn."""
    return replace(tables, **{name: np.minimum(getattr(tables, name), LARGEST) for name in TABLES})
