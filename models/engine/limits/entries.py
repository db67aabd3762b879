"""Starts of jobs in several partitions: a job starts as its entry was to.

See `thinktime.models.machine.limits.entries`.
"""

from __future__ import annotations

from thinktime.models.engine.limits import entry_rows, limits
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.queue_orders import Order
from thinktime.workloads.arrays import Ints


def start_entries(state: State, order: Order, rows: Ints) -> None:
    """Put jobs in the place of their entries among rows that start."""
    if not state.limited or len(state.entry) == 0:
        return
    for i in range(len(rows)):
        entry = rows[i]
        row = entry_rows.job_of(state, entry)
        if row != entry:
            limits.start_as(state, row, entry)
            take_size(state, row, entry)
            take_place(state, row, entry)
            take_class(state, row, entry)
            order.count_as(row, entry)
            rows[i] = row


def take_size(state: State, row: int, entry: int) -> None:
    """A job may have the sizes of its entry, and has the one that was chosen for it."""
    if state.shaped and state.form[entry] >= 0:
        state.equivalents[row] *= state.processors[entry] / state.processors[row]
        state.form[row], state.processors[row] = state.form[entry], state.processors[entry]
        state.rate[row], state.estimate[row] = state.rate[entry], state.estimate[entry]


def take_place(state: State, row: int, entry: int) -> None:
    """A job has the place that was planned for its entry."""
    if state.on_nodes:
        take_nodes(state, row, entry)
        return


def take_nodes(state: State, row: int, entry: int) -> None:
    """As `take_place`: job and entry exchange their places, so that no two rows have the same."""
    state.shape[row] = state.shape[entry]
    state.offset[row], state.offset[entry] = state.offset[entry], state.offset[row]
    state.size[row], state.size[entry] = state.size[entry], state.size[row]
    state.held[row], state.held[entry] = state.held[entry], state.held[row]
    state.planned[row], state.planned[entry] = state.planned[entry], 0


def take_class(state: State, row: int, entry: int) -> None:
    """A job may be preempted as its entry, where jobs may be."""
    if state.changing:
        take_rank(state, row, entry)
        return


def take_rank(state: State, row: int, entry: int) -> None:
    """As `take_class`: by those who may preempt the partition and QOS of the entry."""
    state.rank[row] = state.rank[entry]
