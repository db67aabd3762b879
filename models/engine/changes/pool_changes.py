"""What happens to a machine of processors, and where their numbers matter.

`thinktime.models.engine.parts` says what each method means. Kinds of machines that change override these.
"""

from __future__ import annotations

from thinktime.models.engine import gaps, situation
from thinktime.models.engine.changes import hopeless
from thinktime.models.engine.interruptions import clearing
from thinktime.models.engine.limits import entry_rows
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.parts import Changes
from thinktime.models.engine.truth import Truth
from thinktime.workloads.arrays import Ints


class PoolChanges(Changes):
    """A machine that does not change; what windows, outages and suspended jobs take is counted in processors."""

    def clear(self, state: State, truth: Truth, now: float, window: int, k: int) -> int:
        return clearing.clear(state, truth, now, window, k)

    def stays(self, state: State, row: int) -> bool:
        return entry_rows.stays(state, row)

    def go_down(self, state: State, indices: Ints) -> int:
        return gaps.go_down(state, indices)

    def come_back(self, state: State, index: int) -> int:
        return gaps.come_back(state, index)

    def never_starts(self, state: State, row: int, now: float) -> bool:
        return hopeless.never_starts(state, row, now)

    def leave_nodes(self, state: State, row: int, suspended: bool) -> None:
        """What is kept is a number, if all is."""
        if suspended and state.keeps_all:
            situation.set_aside(state, row)

    def let_go(self, state: State, row: int) -> None:
        if state.suspended[row] > 0:
            situation.go_on(state, row)
            state.passed_over = 0
