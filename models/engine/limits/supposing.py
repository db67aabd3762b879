"""What limits count in the middle of a pass, before anything starts or changes."""

from __future__ import annotations

from thinktime.models.engine.limits import limits
from thinktime.models.engine.machine_state import State
from thinktime.workloads.arrays import Ints


def suppose(state: State, rows: Ints, now: float, sign: float) -> None:
    """In the middle of a pass, count jobs as if they ran from now on, or (``sign`` is -1) no more."""
    if state.limited:
        for i in range(len(rows)):
            limits.run(state, rows[i], now, now, sign)


def suppose_more(state: State, row: int, more: int, now: float, sign: float) -> None:
    """The same of so many processors more of a running job."""
    if state.limited:
        own = state.processors[row]
        suppose_parts(state, row, own + more, now, sign)
        suppose_parts(state, row, own, now, -sign)


def suppose_parts(state: State, row: int, size: int, now: float, sign: float) -> None:
    """Count a running job with another size, as long as it runs at most with its own."""
    own = state.processors[row]
    state.processors[row] = size
    limits.run(state, row, now, now, sign)
    state.processors[row] = own
