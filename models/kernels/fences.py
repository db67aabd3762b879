"""Nodes that jobs cannot have: those that are down, and those of windows.

A node that is down, or in an open window, has so much less of everything (``DOWN``, and `closed` for each window) that
no job can be placed there. A job that a window admits gets that back while it is looked at. Windows to come are a
*fence*: a job cannot be placed on their nodes if it would reach into them.

A suspended job keeps its places, and what it has there but the processors, or these as well
(`thinktime.models.kernels.keeping`). It can only go on there. ``kept[:n]`` are the rows of these jobs.
"""

from thinktime.models.kernels import keeping, nodes
from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.nodes import GIVE, TAKE
from thinktime.workloads.compiler import IntTable, kernel, whole
from thinktime.workloads.structures import Structure

DOWN, ONE = whole(2**61), whole(1)
"""What a node that is down has less of everything."""
ABSENT = -(2**59) * 3
"""A node with less than this is down, whatever windows it is in."""


@kernel
def closed(window: int) -> int:
    """What a node has less of everything in an open window: another amount for each, so that no two look alike."""
    return 2**60 + 1 + int(window)


@kernel
def change_processors(state: Structure, row: int, sign: int, free: IntTable) -> None:
    """Give back the processors that a job has, or take them."""
    nodes.change_part(state, state.offset[row], state.size[row], state.shape[row], sign, free, at.ZERO, ONE)


@kernel
def change_others(state: Structure, row: int, sign: int, free: IntTable) -> None:
    """Give back what a job has beside processors, or take it."""
    nodes.change_part(state, state.offset[row], state.size[row], state.shape[row], sign, free, ONE, free.shape[1])


@kernel
def change_nodes(state: Structure, window: int, amount: int, free: IntTable) -> None:
    """The nodes of a window have more of everything, or less."""
    for i in range(state.first_node[window], state.first_node[window + 1]):
        for r in range(free.shape[1]):
            free[state.window_nodes[i], r] += amount


@kernel
def change_node(v: int, amount: int, free: IntTable) -> None:
    """A node has more of everything, or less."""
    for r in range(free.shape[1]):
        free[v, r] += amount


@kernel
def lets_in(state: Structure, window: int, row: int) -> bool:
    """Whether a window admits a job."""
    return bool(state.slot[window] != of.NOBODY and of.admits(state, window, row))


@kernel
def fence(state: Structure, row: int, begin: float, end: float) -> None:
    """Let nodes count as taken that are in windows at that time which do not admit a job."""
    for window in state.known[: state.situation[of.KNOWN]]:
        if state.opens[window] < end and state.closes[window] > begin and not lets_in(state, window, row):
            for i in range(state.first_node[window], state.first_node[window + 1]):
                state.taken[state.window_nodes[i]] = 1


@kernel
def unfence(state: Structure) -> None:
    """Take the fence away."""
    for window in state.known[: state.situation[of.KNOWN]]:
        for i in range(state.first_node[window], state.first_node[window + 1]):
            state.taken[state.window_nodes[i]] = 0


@kernel
def let_in(state: Structure, row: int, sign: int, free: IntTable) -> None:
    """Give a job the nodes of the open windows that admit it, or take them back."""
    if state.situation[of.OPEN_FOR_SOME] > 0:
        for window in state.known[: state.situation[of.KNOWN]]:
            if of.is_open(state, window) and lets_in(state, window, row):
                change_nodes(state, window, sign * closed(window), free)


@kernel
def is_special(state: Structure, row: int) -> bool:
    """Whether a job is suspended, admitted by an open window, or would reach into a window to come.

    If any suspended job keeps all that it had, every job is.
    """
    if state.suspended[row] > 0 or keeping.active(state) or of.admitted_now(state, row):
        return True
    return bool(state.when[of.NOW] + state.estimate[row] > state.when[of.NEXT_HOLD])


@kernel
def resumes(state: Structure, row: int, free: IntTable) -> bool:
    """Whether a suspended job has its processors back, on nodes that are not fenced off."""
    places, fitting = state.places, True
    change_processors(state, row, TAKE, free)
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        for v in range(places[i, nodes.NODE], places[i, nodes.STOP]):
            fitting = fitting and free[v, 0] >= 0 and state.taken[v] == 0
    change_processors(state, row, GIVE, free)
    return fitting


@kernel
def ignore_windows(state: Structure, free: IntTable) -> None:
    """Give back the nodes of all open windows."""
    for window in state.known[: state.situation[of.KNOWN]]:
        if of.is_open(state, window):
            change_nodes(state, window, closed(window), free)


@kernel
def give_at_end(state: Structure, row: int, free: IntTable) -> None:
    """A running job is over, or suspended."""
    if keeping.will_keep(state, row):
        change_processors(state, row, GIVE, free)
    else:
        nodes.change(state, row, state.shape[row], GIVE, free)
