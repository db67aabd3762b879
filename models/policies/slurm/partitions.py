"""What Slurm's passes know of partitions: the nodes that a job may be on, which a main pass may close."""

from __future__ import annotations

from thinktime.models.engine.codes import slurm_partitions as slurm_partitions_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rooms import node_profile
from thinktime.workloads.arrays import Ints


def node_count(state: State) -> int:
    """How many nodes there are; a pool is a single partition without any."""
    if state.on_nodes:
        return count_of_nodes(state)
    return 0


def count_of_nodes(state: State) -> int:
    """As `node_count`: all of the machine."""
    return len(state.capacity)


def close_partition(state: State, row: int, closed: Ints) -> bool:
    """The nodes that a job may be on are for nobody else in this pass; whether this holds for all nodes now."""
    if state.on_nodes:
        return close_nodes_of_job(state, row, closed)
    return True


def close_nodes_of_job(state: State, row: int, closed: Ints) -> bool:
    """As `close_partition`: its nodes have nothing left. All nodes are closed by leaving the pass."""
    shape, whole = state.shape[row], True
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
