"""Starts of jobs in several partitions (`thinktime.models.limits.entries`): a job starts as its entry was to."""

from thinktime.models.kernels.entry_rows import job_of
from thinktime.models.kernels.limits import limited, start_as
from thinktime.models.kernels.machine_state import CHANGING, ON_NODES
from thinktime.models.kernels.multifactor import MULTIFACTOR, OF_ROW
from thinktime.models.kernels.queue_orders import count_as
from thinktime.workloads.compiler import Ints
from thinktime.workloads.kinds import by_kind, written_for
from thinktime.workloads.structures import Structure


@by_kind
def start_entries(state: Structure, order: Structure, rows: Ints) -> None:
    """Put jobs in the place of their entries among rows that start."""
    if not limited(state) or state.entry.size == 0:
        return
    for i in range(rows.size):
        entry = rows[i]
        row = job_of(state, entry)
        if row != entry:
            start_as(state, row, entry)
            take_place(state, row, entry)
            take_class(state, row, entry)
            count_as(order, row, entry)
            rows[i] = row


@by_kind
def take_place(state: Structure, row: int, entry: int) -> None:
    """A job has the place that was planned for its entry."""


@written_for(ON_NODES, take_place)
def take_nodes(state: Structure, row: int, entry: int) -> None:
    """They exchange their places, so that no two rows have the same."""
    state.shape[row] = state.shape[entry]
    state.offset[row], state.offset[entry] = state.offset[entry], state.offset[row]
    state.size[row], state.size[entry] = state.size[entry], state.size[row]
    state.held[row], state.held[entry] = state.held[entry], state.held[row]
    state.planned[row], state.planned[entry] = state.planned[entry], 0


@by_kind
def take_class(state: Structure, row: int, entry: int) -> None:
    """A job may be preempted as its entry, where jobs may be."""


@written_for(CHANGING, take_class)
def take_rank(state: Structure, row: int, entry: int) -> None:
    """By those who may preempt its partition and QOS."""
    state.rank[row] = state.rank[entry]


@written_for(MULTIFACTOR, count_as)
def count_in_tree(order: Structure, row: int, entry: int) -> None:
    """For what it is charged, and whose it is."""
    order.leaf[row], order.kind_of[row] = order.leaf[entry], order.kind_of[entry]
    for k in range(OF_ROW):
        order.asked[row * OF_ROW + k] = order.asked[entry * OF_ROW + k]
