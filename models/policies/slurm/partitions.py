"""What Slurm's passes know of partitions: the nodes that a job may be on, which a main pass may close."""

from __future__ import annotations

import math

from thinktime.models.engine import gapped, situation, slurm_preemption
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import nodes as nodes_codes
from thinktime.models.engine.codes import slurm_partitions as slurm_partitions_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rooms import fences, node_profile, nodes
from thinktime.workloads.arrays import Ints

INFINITY = math.inf


def node_count(state: State) -> int:
    """How many nodes there are; a pool is a single partition without any."""
    if state.on_nodes:
        return count_of_nodes(state)
    return 0


def count_of_nodes(state: State) -> int:
    """As `node_count`: all of the machine."""
    return len(state.capacity)


def stays_open(state: State, row: int, closed: Ints, started: Ints) -> bool:
    """Whether a job that does not fit closes nothing, since it waits for windows alone.

    Slurm looks at the nodes that windows leave to the job for as long as it may run. It closes the partition if some
    of them are taken, or if the job would fit there were they idle. ``started`` are those that start in this pass.
    """
    if state.on_nodes and state.changing:
        return waits_for_windows(state, row, closed, started)
    return False


def waits_for_windows(state: State, row: int, closed: Ints, started: Ints) -> bool:
    """As `stays_open`: on nodes."""
    shape, now, count, spare = state.shape[row], state.now, len(closed), state.spare
    before, alone, up, least = spare.used, state.alone[shape] > 0, 0, 1
    usable = spare.zeros(count)
    for v in range(count):
        here = 0
        for chunk in range(state.first[shape], state.first[shape + 1]):
            here = max(here, state.mask[chunk, v])
        usable[v] = here if closed[v] == 0 and state.outages[v] == 0 and not _is_down(state, v) else 0
        up += usable[v]
    if alone or state.apart[shape] > 0:
        least = 0
        for chunk in range(state.first[shape], state.first[shape + 1]):
            least += state.pieces[chunk]
    left = 0
    fences.fence(state, row, now, now + state.estimate[row])
    for v in range(count):
        usable[v] = usable[v] if state.taken[v] == 0 else 0
        left += usable[v]
    fences.unfence(state)
    waits = least <= up and left < up and not _any_is_taken(state, row, usable, started)
    if waits:
        for v in range(count):
            for r in range(state.capacity.shape[1]):
                state.low[v, r] = state.capacity[v, r] if usable[v] > 0 else -1
        waits = not nodes.find(state, shape, at.ZERO, state.low)
    spare.used = before
    return waits


def _is_down(state: State, v: int) -> bool:
    """Whether a node is in an open window that has no end: down until further notice."""
    for j in range(state.known_count):
        window = state.known[j]
        if situation.is_open(state, window) and state.closes[window] == INFINITY:
            for i in range(state.first_node[window], state.first_node[window + 1]):
                if state.window_nodes[i] == v:
                    return True
    return False


def _any_is_taken(state: State, row: int, usable: Ints, started: Ints) -> bool:
    """Whether some of the usable nodes are in use for a job of whole nodes, or another has them whole.

    Where jobs preempt others, Slurm does not ask.
    """
    if slurm_preemption.preempts(state):
        return False
    found, free = False, state.free
    if state.alone[state.shape[row]] > 0:
        fences.let_in(state, row, nodes_codes.GIVE, free)
        for v in range(len(usable)):
            for r in range(free.shape[1]):
                found = found or (usable[v] > 0 and free[v, r] != state.capacity[v, r])
        fences.let_in(state, row, nodes_codes.TAKE, free)
        return found
    running = state.running[: gapped.line_up(state)]
    for i in range(len(running)):
        found = found or _has_whole(state, running[i], usable)
    for i in range(len(started)):
        found = found or _has_whole(state, started[i], usable)
    return found


def _has_whole(state: State, row: int, usable: Ints) -> bool:
    """Whether a job has one of some nodes whole."""
    if state.alone[state.shape[row]] == 0:
        return False
    found = False
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        for v in range(state.places[i, nodes_codes.NODE], state.places[i, nodes_codes.STOP]):
            found = found or usable[v] > 0
    return found


def close_partition(state: State, row: int, closed: Ints) -> bool:
    """The nodes that a job may be on are for no other job in this pass; whether this holds for all nodes now."""
    if state.on_nodes:
        return close_nodes_of_job(state, row, closed)
    return True


def close_nodes_of_job(state: State, row: int, closed: Ints) -> bool:
    """As `close_partition`: its nodes have nothing left. All nodes are closed by leaving the pass."""
    shape, whole = state.shape[row], True
    if state.plain:
        return True
    for v in range(len(closed)):
        mine = closed[v] > 0
        for chunk in range(state.first[shape], state.first[shape + 1]):
            mine = mine or state.mask[chunk, v] > 0
        whole = whole and mine
    for v in range(0 if whole else len(closed)):
        mine = False
        for chunk in range(state.first[shape], state.first[shape + 1]):
            mine = mine or state.mask[chunk, v] > 0
        if mine and not closed[v]:
            closed[v] = 1
            _change_node(state, v, -slurm_partitions_codes.CLOSED)
    return whole


def close_in_profile(state: State, row: int, closed: Ints, profile: Profile) -> bool:
    """As `close_partition`, in a profile."""
    if state.on_nodes and state.changing:
        return close_nodes_in_profile(state, row, closed, profile)
    return True


def close_nodes_in_profile(state: State, row: int, closed: Ints, profile: Profile) -> bool:
    """As `close_in_profile`: its nodes have nothing at any time."""
    shape, whole = state.shape[row], True
    for v in range(len(closed)):
        mine = False
        for chunk in range(state.first[shape], state.first[shape + 1]):
            mine = mine or state.mask[chunk, v] > 0
        if mine and not closed[v]:
            closed[v] = 1
            for i in range(profile.n):
                table = node_profile.slab(state, i, profile)
                for r in range(table.shape[1]):
                    table[v, r] -= slurm_partitions_codes.CLOSED
        whole = whole and closed[v] > 0
    return whole


def open_partitions(state: State, closed: Ints) -> None:
    """The pass is over."""
    if state.on_nodes:
        open_nodes(state, closed)
        return


def open_nodes(state: State, closed: Ints) -> None:
    """As `open_partitions`: what was found of the nodes in the meantime does not hold."""
    for v in range(len(closed)):
        if closed[v]:
            _change_node(state, v, slurm_partitions_codes.CLOSED)
    state.given_so_far += 2 * len(state.given)


def _change_node(state: State, v: int, amount: int) -> None:
    """A node has more of everything, or less, in all that a pass looks at."""
    for r in range(state.free.shape[1]):
        state.free[v, r] += amount
        if state.needed > 0:
            state.left[v, r] += amount
            state.idle_left[v, r] += amount


def same_partition(state: State, row: int, other: int) -> bool:
    """Whether two jobs are in the same partition of the site, or may be on the same nodes if it has but one."""
    if state.limited:
        return bool(state.partition[row] == state.partition[other])
    return bool(same_nodes(state, row, other))


def same_nodes(state: State, row: int, other: int) -> bool:
    """Whether two jobs may be on the same nodes."""
    if state.on_nodes:
        return same_nodes_of_shapes(state, row, other)
    return True


def same_nodes_of_shapes(state: State, row: int, other: int) -> bool:
    """As `same_nodes`: by the nodes on which the first kind of chunk of each may be."""
    a, b = state.first[state.shape[row]], state.first[state.shape[other]]
    same = True
    for v in range(state.mask.shape[1]):
        same = same and (state.mask[a, v] > 0) == (state.mask[b, v] > 0)
    return same
