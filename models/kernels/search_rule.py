"""Goal-oriented scheduling as a compiled rule: one search at every pass in which a job fits.

It is for the goals that are sums over jobs (`WAIT` and `SLOWDOWN`). The rule keeps what the last search has found:
``counts`` are its jobs, nodes, leaves and improvements, ``values`` the goals, and ``starts`` begin with the starts in
heuristic order.
"""

import numpy as np

from thinktime.models.kernels.availability import build
from thinktime.models.kernels.gapped import line_up
from thinktime.models.kernels.machine_state import GRACE
from thinktime.models.kernels.room import available, overrunning
from thinktime.models.kernels.rules import NEEDS_ROOM, order_matters, select
from thinktime.models.kernels.search import (
    FAR,
    IMPROVED,
    LEAVES,
    NODES,
    SLOWDOWN,
    WAIT,
    explore,
    plant,
    value_of,
)
from thinktime.models.kernels.starvation import pairwise_sum
from thinktime.workloads.compiler import Floats, Ints, Structure, StructureKind, kernel, maker, written_for

ALGORITHM, TOP, LIMIT, PRUNE, COMPARISON, DYNAMIC = range(
    6
)  # places in ``options``; the last: WAIT's bound is dynB
JOBS, SEEN_NODES, SEEN_LEAVES, IMPROVEMENTS = range(4)  # places in ``counts``
SEARCHING = StructureKind(
    "Searching",
    options=Ints,
    weights=Floats,
    goals=Ints,
    parameters=Floats,
    counts=Ints,
    values=Floats,
    starts=Floats,
)
make_searching = maker(SEARCHING)


@written_for(SEARCHING, select)
def searched_select(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """Start what starts now in the best schedule that the search sees."""
    if rows.size == 0 or not order_matters(state, rule, now, rows):
        return 0
    if rule.starts.size < rows.size:
        return NEEDS_ROOM
    q = rule.counts[JOBS] = rows.size
    running = state.running[: line_up(state)]
    skip = overrunning(state, now)
    room = running.size + q + 6
    times, free = np.empty(room), np.empty(room, np.int64)
    steps = build(
        now, state.clock[GRACE], available(state, skip), state.processors, running, skip, state.expected_end,
        times, free,
    )  # fmt: skip
    need, submit, duration = state.processors[rows], state.submit[rows], np.minimum(state.estimate[rows], FAR)
    root, place = np.empty(q), np.zeros(7, np.int64)
    following, preceding = np.empty(q + 1, np.int64), np.empty(q + 1, np.int64)
    if not plant(now, steps, need, duration, times, free, root, following, preceding, place):
        rule.counts[JOBS] = 0
        return 0
    options, goals, parameters = rule.options, rule.goals, rule.parameters.copy()
    for k in range(goals.size):
        if goals[k] == WAIT and options[DYNAMIC]:
            parameters[k] = now - submit.min()
    bound = np.zeros((q + 1) * goals.size if options[PRUNE] else 1)
    if options[PRUNE]:
        lower_bounds(goals, parameters, submit, duration, root, bound)
    path, rank, left, first = (
        np.zeros(q + 1, np.int64), np.zeros(q + 1, np.int64), np.zeros(q + 1, np.int64), np.zeros(q + 1, np.int64),
    )  # fmt: skip
    rank[0] = -1
    none, nobody = np.zeros(1), np.empty(0, np.int64)
    explore(
        options[ALGORITHM], options[TOP] > 0, options[LIMIT], options[LIMIT], False, options[PRUNE] > 0,
        options[COMPARISON], rule.weights, goals, parameters, submit, need, duration, nobody, none, none, 0.0,
        nobody, none, none, none, none, times, free, root, following, preceding, place, path, rank, left, first,
        np.zeros(q + 1, np.int64), np.zeros(q + 1, np.int64), np.zeros(q), bound, np.zeros(goals.size),
        rule.values, rule.starts[:q],
    )  # fmt: skip
    rule.counts[SEEN_NODES], rule.counts[SEEN_LEAVES] = place[NODES], place[LEAVES]
    rule.counts[IMPROVEMENTS] = place[IMPROVED]
    k = 0
    for j in range(q):
        if rule.starts[j] == now:
            state.out[k] = rows[j]
            k += 1
    return k


@kernel
def lower_bounds(
    goals: Ints, parameters: Floats, submit: Floats, duration: Floats, root: Floats, out: Floats
) -> None:
    """The lower bounds at depth 0, where each job starts as early as it could at all."""
    q, part = root.size, np.empty(root.size)
    for k in range(goals.size):
        if goals[k] in (WAIT, SLOWDOWN):
            for j in range(q):
                part[j] = value_of(goals[k], parameters[k], root[j] - submit[j], duration[j], 1)
            out[k] = pairwise_sum(part) / (q if goals[k] == SLOWDOWN else 1)
