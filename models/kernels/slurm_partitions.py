"""What Slurm's passes know of partitions: the nodes that a job may be on, which a main pass may close."""

from thinktime.models.kernels import limits, node_profile, nodes
from thinktime.models.kernels.machine_state import CHANGING_NODES, ON_NODES
from thinktime.workloads.compiler import Codes, Floats, Ints, kernel
from thinktime.workloads.kinds import by_kind, written_for
from thinktime.workloads.structures import Structure

CLOSED = 2**59
"""What a node of a closed partition has less of everything."""


@by_kind
def node_count(state: Structure) -> int:
    """How many nodes there are; a pool is a single partition without any."""
    return 0


@written_for(ON_NODES, node_count)
def count_of_nodes(state: Structure) -> int:
    """All."""
    return len(state.capacity)


@by_kind
def close_partition(state: Structure, row: int, closed: Codes) -> bool:
    """The nodes that a job may be on are for nobody else in this pass; whether this holds for all nodes now."""
    return True


@written_for(ON_NODES, close_partition)
def close_nodes_of_job(state: Structure, row: int, closed: Codes) -> bool:
    """They have nothing left. All nodes are closed by leaving the pass."""
    shape, whole = state.shape[row], True
    for v in range(closed.size):
        mine = closed[v] > 0
        for chunk in range(state.first[shape], state.first[shape + 1]):
            mine = mine or state.mask[chunk, v] > 0
        whole = whole and mine
    for v in range(0 if whole else closed.size):
        mine = False
        for chunk in range(state.first[shape], state.first[shape + 1]):
            mine = mine or state.mask[chunk, v] > 0
        if mine and not closed[v]:
            closed[v] = 1
            _change_node(state, v, -CLOSED)
    return whole


@by_kind
def close_in_profile(state: Structure, row: int, closed: Codes, times: Floats, free: Ints, n: int) -> bool:
    """The same in a profile."""
    return True


@written_for(CHANGING_NODES, close_in_profile)
def close_nodes_in_profile(state: Structure, row: int, closed: Codes, times: Floats, free: Ints, n: int) -> bool:
    """At all times."""
    shape, whole = state.shape[row], True
    for v in range(closed.size):
        mine = False
        for chunk in range(state.first[shape], state.first[shape + 1]):
            mine = mine or state.mask[chunk, v] > 0
        if mine and not closed[v]:
            closed[v] = 1
            for i in range(n):
                node_profile.slab(state, i, free)[v] -= CLOSED
        whole = whole and closed[v] > 0
    return whole


@by_kind
def open_partitions(state: Structure, closed: Codes) -> None:
    """The pass is over."""


@written_for(ON_NODES, open_partitions)
def open_nodes(state: Structure, closed: Codes) -> None:
    """What was found of the nodes in the meantime does not hold."""
    for v in range(closed.size):
        if closed[v]:
            _change_node(state, v, CLOSED)
    state.site[nodes.GIVEN] += 2 * state.given.size


@kernel
def _change_node(state: Structure, v: int, amount: int) -> None:
    """A node has more of everything, or less, in all that a pass looks at."""
    for r in range(state.free.shape[1]):
        state.free[v, r] += amount
        if state.site[nodes.NEEDED] > 0:
            state.left[v, r] += amount
            state.idle[v, r] += amount


@kernel
def same_partition(state: Structure, row: int, other: int) -> bool:
    """Whether two jobs are in the same partition of the site, or may be on the same nodes if it has but one."""
    if limits.limited(state):
        return bool(state.partition[row] == state.partition[other])
    return bool(same_nodes(state, row, other))


@by_kind
def same_nodes(state: Structure, row: int, other: int) -> bool:
    """Whether two jobs may be on the same nodes."""
    return True


@written_for(ON_NODES, same_nodes)
def same_nodes_of_shapes(state: Structure, row: int, other: int) -> bool:
    """By the nodes on which the first kind of chunk of each may be."""
    a, b = state.first[state.shape[row]], state.first[state.shape[other]]
    same = True
    for v in range(state.mask.shape[1]):
        same = same and (state.mask[a, v] > 0) == (state.mask[b, v] > 0)
    return same
