"""A pool of processors that changes."""

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes import fields as columns
from thinktime.models.engine.codes import gaps
from thinktime.models.engine.kinds import make_changing_state
from thinktime.models.engine.rooms import changing_room
from thinktime.models.jobs.labels import Labels
from thinktime.models.machine.changing.machine import OF_ROWS, ChangingMachine
from thinktime.models.machine.changing.ranks import Ranks
from thinktime.models.machine.changing.rules import Changes
from thinktime.workloads.arrays import Rows
from thinktime.workloads.changes.windows import Window

MOST_PROCESSORS = 2**26


class ChangingPool(ChangingMachine):
    """Processors that may be down or set aside. Jobs have the lowest that are idle and up."""

    fields = (*columns.CHANGES_SEEN, *columns.OUTAGES, *columns.GAPS)
    of_rows = OF_ROWS | {"offset": 0, "size": 0}
    make = staticmethod(make_changing_state)

    def __init__(
        self, processors: int, overrun: str, changes: Changes, labels: Labels, ranks: Ranks | None = None
    ) -> None:
        if processors > MOST_PROCESSORS:
            raise ValueError(f"a machine that changes has at most {MOST_PROCESSORS:,} processors, not {processors:,}")
        self._prepare(changes, processors, labels, ranks)
        ranges = np.zeros((processors // 2 + 2, 2), np.int64)
        ranges[0] = 0, processors
        self.arrays |= {"gaps": ranges, "places": np.zeros((64, 2), np.int64)}
        self.state.gap_count = 1
        super().__init__(processors, overrun)
        self._begin()

    def bind(self) -> None:
        """Make the structures, with room for the rows that a pass has chosen."""
        at_once = min(self.requests.capacity, self.processors)
        self.arrays["taken_rows"] = np.zeros(at_once + 1, np.int64)
        super().bind()

    def draw_windows(self) -> None:
        """With what each has left in the course of a pass."""
        super().draw_windows()
        self.arrays["remaining"] = np.zeros(len(self.windows), np.int64)

    def longer(self, what: int) -> None:
        """Make an array longer in which the engine writes, while it runs."""
        if what == gaps.LOG:
            super().longer(what)
        else:
            places = self.arrays["places"]
            self.arrays["places"] = np.concatenate([places, np.zeros_like(places)])
            self.state.places = self.arrays["places"]

    @property
    def first_and_count(self) -> tuple[Rows, Rows]:
        """For each job the first range of processors that it has, or had, and their number."""
        return self.arrays["offset"], self.arrays["size"]

    def ranges(self) -> NDArray[np.int64]:
        """All ranges of processors."""
        ranges: NDArray[np.int64] = self.arrays["places"][: self.state.places_used].copy()
        return ranges

    def _amount(self, window: Window) -> int:
        assert isinstance(window.processors, int)
        return window.processors

    def look(self, now: float) -> tuple[int, int]:
        """It is this time now; returns how many processors are up, and how many are idle for any job."""
        self.state.now = now
        left = changing_room.left_for_anybody(self.state)
        return self.processors - self.state.down, max(0, left)
