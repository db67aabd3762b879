"""Nodes that jobs cannot have: those that are down, and those of windows.

A node that is down, or in an open window, has so much less of everything (``DOWN``, and `closed` for each window) that
no job can be placed there. A job that a window admits gets that back while it is looked at. Windows to come are a
*fence*: a job cannot be placed on their nodes if it would reach into them.

A suspended job keeps its places, and what it has there but the processors, or these as well
(`thinktime.models.engine.keeping`). It can only go on there. ``kept[:n]`` are the rows of these jobs.
"""

from __future__ import annotations

from thinktime.models.engine import keeping, situation
from thinktime.models.engine.codes import fences as fences_codes
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import nodes as nodes_codes
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rooms import nodes
from thinktime.workloads.arrays import IntTable


def closed(window: int) -> int:
    """What a node has less of everything in an open window: another amount for each, so that no two look alike."""
    return (1 << 60) + 1 + window  # objects: once a window


def change_processors(state: State, row: int, sign: int, free: IntTable) -> None:
    """Give back the processors that a job has, or take them."""
    nodes.change_part(
        state, state.offset[row], state.size[row], state.shape[row], sign, free, at.ZERO, fences_codes.ONE
    )


def change_others(state: State, row: int, sign: int, free: IntTable) -> None:
    """Give back what a job has beside processors, or take it."""
    nodes.change_part(
        state, state.offset[row], state.size[row], state.shape[row], sign, free, fences_codes.ONE, free.shape[1]
    )


def change_nodes(state: State, window: int, amount: int, free: IntTable) -> None:
    """The nodes of a window have more of everything, or less."""
    for i in range(state.first_node[window], state.first_node[window + 1]):
        for r in range(free.shape[1]):
            free[state.window_nodes[i], r] += amount


def change_node(v: int, amount: int, free: IntTable) -> None:
    """A node has more of everything, or less."""
    for r in range(free.shape[1]):
        free[v, r] += amount


def lets_in(state: State, window: int, row: int) -> bool:
    """Whether a window admits a job."""
    return bool(state.slot[window] != of.NOBODY and situation.admits(state, window, row))


def fence(state: State, row: int, begin: float, end: float) -> None:
    """Let nodes count as taken that are in windows at that time which do not admit a job."""
    for j in range(state.known_count):
        window = state.known[j]
        if state.opens[window] < end and state.closes[window] > begin and not lets_in(state, window, row):
            for i in range(state.first_node[window], state.first_node[window + 1]):
                state.taken[state.window_nodes[i]] = 1


def unfence(state: State) -> None:
    """Take the fence away."""
    for j in range(state.known_count):
        window = state.known[j]
        for i in range(state.first_node[window], state.first_node[window + 1]):
            state.taken[state.window_nodes[i]] = 0


def let_in(state: State, row: int, sign: int, free: IntTable) -> None:
    """Give a job the nodes of the open windows that admit it, or take them back."""
    if state.open_for_some > 0:
        for i in range(state.known_count):
            window = state.known[i]
            if situation.is_open(state, window) and lets_in(state, window, row):
                change_nodes(state, window, sign * closed(window), free)


def is_special(state: State, row: int) -> bool:
    """Whether a job is suspended, admitted by an open window, or would reach into a window to come.

    If any suspended job keeps all that it had, every job is.
    """
    if state.suspended[row] > 0 or keeping.active(state) or situation.admitted_now(state, row):
        return True
    return bool(state.now + state.estimate[row] > state.next_hold)


def resumes(state: State, row: int, free: IntTable) -> bool:
    """Whether a suspended job has its processors back, on nodes that are not fenced off."""
    places, fitting = state.places, True
    change_processors(state, row, nodes_codes.TAKE, free)
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        for v in range(places[i, nodes_codes.NODE], places[i, nodes_codes.STOP]):
            fitting = fitting and free[v, 0] >= 0 and state.taken[v] == 0
    change_processors(state, row, nodes_codes.GIVE, free)
    return fitting


def ignore_windows(state: State, free: IntTable) -> None:
    """Give back the nodes of all open windows."""
    for i in range(state.known_count):
        window = state.known[i]
        if situation.is_open(state, window):
            change_nodes(state, window, closed(window), free)


def give_at_end(state: State, row: int, free: IntTable) -> None:
    """A running job is over, or suspended."""
    if keeping.will_keep(state, row):
        change_processors(state, row, nodes_codes.GIVE, free)
    else:
        nodes.change(state, row, state.shape[row], nodes_codes.GIVE, free)
