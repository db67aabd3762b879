"""Complete search over job orders: the tree of all orders, in the sequence of LDS or DDS, with undo.

A path chooses, at depth d = 0 … q - 1, one of the q - d jobs that are left; rank 0 is the heuristic's choice,
any other rank is a *discrepancy*. A chosen job is placed at its earliest fit in the profile of the running
jobs and the jobs placed above it: one placement is one *node*. Iterations 0 … q - 1:

* LDS, iteration k: the paths with exactly k discrepancies, in lexical order of ranks (``left``), or with the
  discrepant ranks before rank 0 at every depth (``top``);
* DDS, iteration i: free choice above depth i - 1, a discrepancy at depth i - 1, the heuristic below.

Successive paths share the placements of their common prefix, across iterations too, and a placement is undone, so
nothing is copied. A job cannot start earlier than on the profile of the running jobs alone, so its search begins at
that time (``root``). Jobs are named by their places in heuristic order.

The search can be resumed: all its state is in the arrays of the rule. It returns when its budget is used up (for a time
limit) or at every leaf (for goals that are Python functions). What the last search has found stays there: ``place``
counts nodes, leaves and improvements, ``values`` are the goals, and ``best`` begins with the starts in heuristic order.

Source: the goal paper, section II; Harvey and Ginsberg 1995, Korf 1996, Walsh 1997 for the sequences.
"""

import numpy as np

from thinktime.models.kernels.machine_state import ON_NODES, ZERO
from thinktime.models.kernels.nodes import ALIKE
from thinktime.models.kernels.profile import running_profile, steps
from thinktime.models.kernels.room import overrunning
from thinktime.models.kernels.rules import NEEDS_ROOM, order_matters, select
from thinktime.models.kernels.starvation import pairwise_sum
from thinktime.models.kernels.trials import FAR, first_chance, put, take_back
from thinktime.workloads.compiler import Floats, Ints, IntTable, kernel, whole
from thinktime.workloads.kinds import by_kind, written_for
from thinktime.workloads.structures import Structure, StructureKind, fields, maker

LDS, DDS = 0, 1
EXHAUSTED, LIMITED, PAUSED, LEAF = 0, 1, 2, 3  # why `explore` returns
DOWN, UP = 0, 1  # phases
HIERARCHICAL, RELATIVE, PRODUCT = 0, 1, 2
WAIT, SLOWDOWN, DEVIATION, STRETCH, OWN = 0, 1, 2, 3, 4
ALGORITHM, TOP, LIMIT, PRUNE, COMPARISON, DYNAMIC = range(6)  # places in ``options``; the last: WAIT's bound is dynB
JOBS, ITERATION, DEPTH, NODES, LEAVES, STEPS, PHASE, IMPROVED = range(8)  # places in ``place``
FOLLOWING, PRECEDING, PATH, RANK, LEFT, FIRST, BEHIND, MADE, BEST = range(9)  # rows of ``tree``
LINES = 9
FOREVER = whole(2**62)
PER_JOB = {"submit": Floats, "duration": Floats, "root": Floats, "start": Floats, "best": Floats}
OF_GROUPS = fields((Floats, "used entitled window_end campaign_submit campaign_end campaign_least scratch"))
"""For `DEVIATION`: what owners of jobs will have ``used`` in the window when all that runs is over, and what they
are ``entitled`` to (processor-seconds); the window's end. For `STRETCH`: of campaigns, their submission, the latest
expected end of their running jobs, and the least time that they need on the whole machine."""
SEARCHING = StructureKind(
    "Searching",
    **fields(
        (Floats, "times"),
        (Ints, "free options"),
        (Floats, "weights"),
        (Ints, "goals"),
        (Floats, "parameters"),
        (Ints, "place"),
        (Floats, "values value"),
        (IntTable, "tree"),
        (Floats, "bound"),
    ),
    **PER_JOB,
    **fields((Ints, "owner campaign")),
    **OF_GROUPS,
)
make_searching = maker(SEARCHING)


@written_for(SEARCHING, select)
def searched_select(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """Start what starts now in the best schedule that the search sees."""
    if rows.size == 0 or not order_matters(state, rule, now, rows):
        return 0
    if rule.best.size < rows.size or rule.times.size < steps(state):
        return NEEDS_ROOM
    if not plant(state, rule, now, rows):
        return 0
    explore(state, rule, rows, FOREVER, False)
    return harvest(state, rule, now, rows)


@kernel
def better(rule: int, a: Floats, b: Floats, weights: Floats) -> bool:
    """Whether values ``a`` replace the incumbent's ``b``; smaller is better, and equals do not replace.

    Values are equal if they differ by rounding alone: by 1e-9 (``hierarchical``), or by a relative 1e-12.
    """
    if rule == HIERARCHICAL:
        for k in range(a.size):
            if abs(a[k] - b[k]) > 1e-9:
                return bool(a[k] < b[k])
        return False
    if rule == RELATIVE:
        gain = 0.0
        for k in range(a.size):
            most = max(a[k], b[k])
            if most > 0.0:
                gain += weights[k] * (b[k] - a[k]) / most
        return gain > 1e-12
    product_a, product_b, zeros_a, zeros_b = 1.0, 1.0, 0.0, 0.0
    for k in range(a.size):
        if a[k] > 0.0:
            product_a *= a[k] ** weights[k]
        else:
            zeros_a += weights[k]
        if b[k] > 0.0:
            product_b *= b[k] ** weights[k]
        else:
            zeros_b += weights[k]
    if zeros_a != zeros_b:
        return zeros_a > zeros_b
    return product_a < product_b * (1.0 - 1e-12)


@kernel
def value_of(goal: int, parameter: float, waited: float, duration: float, q: int) -> float:
    """What one job adds to a goal that is a sum: its excessive wait (s), or its part of the mean slowdown."""
    if goal == WAIT:
        return max(0.0, waited - parameter)
    if goal == SLOWDOWN:
        longest = max(duration, parameter)
        return (longest + waited) / longest / q
    return 0.0


@kernel
def measure(state: Structure, rule: Structure, rows: Ints) -> None:
    """The goals of one schedule, summed over jobs in heuristic order, so that equal schedules have equal values."""
    start, submit, duration, scratch, q = rule.start, rule.submit, rule.duration, rule.scratch, rows.size
    for k in range(rule.goals.size):
        goal, parameter = rule.goals[k], rule.parameters[k]
        total = 0.0
        if goal in (WAIT, SLOWDOWN):
            for j in range(q):
                total += value_of(goal, parameter, start[j] - submit[j], duration[j], q)
        elif goal == DEVIATION:
            scratch[: rule.used.size] = rule.used
            for j in range(q):
                span = min(start[j] + duration[j], rule.window_end[0]) - start[j]
                if start[j] < rule.window_end[0]:
                    scratch[rule.owner[j]] += state.processors[rows[j]] * span
            for u in range(rule.used.size):
                total += abs(scratch[u] - rule.entitled[u])
            total /= 3600.0
        elif goal == STRETCH:
            scratch[: rule.campaign_end.size] = rule.campaign_end
            for j in range(q):
                scratch[rule.campaign[j]] = max(scratch[rule.campaign[j]], start[j] + duration[j])
            for c in range(rule.campaign_end.size):
                total += (scratch[c] - rule.campaign_submit[c]) / rule.campaign_least[c]
            total /= rule.campaign_end.size
        rule.value[k] = total


@kernel
def keep_if_better(rule: Structure, q: int) -> None:
    """Let the leaf that was measured be the incumbent if it is better, or the first one."""
    place = rule.place
    if place[LEAVES] == 1 or better(rule.options[COMPARISON], rule.value, rule.values, rule.weights):
        place[IMPROVED] += 1
        rule.values[:] = rule.value
        rule.best[:q] = rule.start[:q]
        rule.tree[BEST, :q] = rule.tree[PATH, :q]


@kernel
def plant(state: Structure, rule: Structure, now: float, rows: Ints) -> bool:
    """Begin a search: the profile, the roots, and the list of the jobs left; False if no job can start now."""
    place, tree, q = rule.place, rule.tree, rows.size
    place[:] = 0
    n = place[STEPS] = running_profile(state, now, overrunning(state, now), rule.times, rule.free)
    someone = False
    for j in range(q):
        row = rows[j]
        rule.submit[j], rule.duration[j] = state.submit[row], min(state.estimate[row], FAR)
        rule.root[j] = first_chance(state, row, rule.duration[j], rule.times, rule.free, n)
        someone = someone or rule.root[j] == now
    if not someone:
        return False
    for j in range(q + 1):
        tree[FOLLOWING, j], tree[PRECEDING, j] = (j + 1) % (q + 1), (j + q) % (q + 1)
    place[JOBS], tree[RANK, 0], tree[LEFT, 0] = q, -1, 0
    for k in range(rule.goals.size):
        if rule.goals[k] == WAIT and rule.options[DYNAMIC]:
            rule.parameters[k] = now - rule.submit[:q].min()
    if rule.options[PRUNE]:
        _lower_bounds(rule, q)
    return True


@kernel
def harvest(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """Write what starts now in the best schedule to ``out``, and return how many."""
    replay(state, rule, rows)
    k = 0
    for j in range(rows.size):
        if rule.best[j] == now:
            state.out[k] = rows[j]
            k += 1
    return k


@by_kind
def replay(state: Structure, rule: Structure, rows: Ints) -> None:
    """Let the jobs have their places in the best schedule."""


@written_for(ON_NODES, replay)
def nodes_replay(state: Structure, rule: Structure, rows: Ints) -> None:
    """Along the path that led there."""
    if state.site[ALIKE]:
        return
    for d in range(rule.place[DEPTH] - 1, -1, -1):
        _take_back(state, rule, rows, d)
    for d in range(rows.size):
        _put(state, rule, rows, d, rule.tree[BEST, d])


@kernel
def first_rank(algorithm: int, top: bool, iteration: int, depth: int, left: int, q: int) -> int:
    """The first rank to take at a depth; ``left`` discrepancies must still be made from here on (LDS)."""
    if depth == q - 1:
        return 0
    if algorithm == DDS:
        return 1 if depth == iteration - 1 else 0
    if top:
        return 1 if left > 0 else 0
    return 0 if left < q - 1 - depth else 1


@kernel
def next_rank(algorithm: int, top: bool, iteration: int, depth: int, left: int, q: int, rank: int) -> int:
    """The rank to take after ``rank`` at a depth (-1: none)."""
    if depth == q - 1:
        return -1
    last = q - 1 - depth
    if algorithm == DDS:
        return rank + 1 if depth < iteration and rank < last else -1
    if rank == 0:
        return 1 if left > 0 and not top else -1
    if rank < last:
        return rank + 1
    return 0 if top and left < last else -1


@kernel
def explore(state: Structure, rule: Structure, rows: Ints, pause_at: int, ask: bool) -> int:
    """Go on searching until all orders are seen, so many nodes are placed as allowed, or the caller is needed.

    Iteration 0 is completed whatever the limit, and a leaf that the last node completes counts. ``best`` and ``values``
    are the incumbent's starts and values, in heuristic order; the first leaf is the first incumbent. The search returns
    at ``pause_at`` nodes, and with ``ask`` at every leaf, which the caller compares. With pruning it skips a subtree
    whose lower bound (all jobs left start at their roots) would not replace the incumbent. Every comparison is monotone
    in every goal, so no leaf is skipped that would replace it.
    """
    options, place, tree, q = rule.options, rule.place, rule.tree, rows.size
    algorithm, top, limit, prune = options[ALGORITHM], options[TOP] > 0, options[LIMIT], options[PRUNE] > 0
    following, preceding, path = tree[FOLLOWING], tree[PRECEDING], tree[PATH]
    rank, left = tree[RANK], tree[LEFT]
    d = place[DEPTH]
    while True:
        # -- down to a leaf
        while place[PHASE] == DOWN and d < q:
            if place[ITERATION] > 0:  # before a placement: a leaf that the last node completes is compared
                if place[NODES] >= limit:
                    return LIMITED
                if place[NODES] >= pause_at:
                    return PAUSED
            if rank[d] < 0:
                rank[d] = first_rank(algorithm, top, place[ITERATION], d, left[d], q)
                j = following[q]
                if rank[d] == 1:
                    j = following[j]
                path[d] = j
            j = path[d]
            following[preceding[j]] = following[j]
            preceding[following[j]] = preceding[j]
            left[d + 1] = left[d] - (1 if rank[d] > 0 else 0)
            _put(state, rule, rows, d, j)
            place[NODES] += 1
            d += 1
            if d < q:
                rank[d] = -1
            place[DEPTH] = d
            if prune and _hopeless(rule, q, d, j) and place[ITERATION] > 0:
                place[PHASE] = UP
        if place[PHASE] == DOWN:
            place[PHASE] = UP
            place[LEAVES] += 1
            measure(state, rule, rows)
            if ask:
                return LEAF
            keep_if_better(rule, q)
        # -- up to the deepest choice that has a next one
        target = d - 1
        rank_there = -1
        while target >= 0:
            rank_there = next_rank(algorithm, top, place[ITERATION], target, left[target], q, rank[target])
            if rank_there >= 0:
                break
            target -= 1
        if target < 0:
            place[ITERATION] += 1
            if place[ITERATION] >= q:
                return EXHAUSTED
            left[0] = place[ITERATION]
            target = ZERO
            while target < d:  # what the first path of the new iteration shares with the last one
                if rank[target] != first_rank(algorithm, top, place[ITERATION], target, left[target], q):
                    break
                left[target + 1] = left[target] - (1 if rank[target] > 0 else 0)
                target += 1
        while d > target:
            d -= 1
            _take_back(state, rule, rows, d)
            j = path[d]
            following[preceding[j]] = j
            preceding[following[j]] = j
        if rank_there >= 0:
            path[d] = following[q] if rank_there == 0 else following[path[d]]
        rank[d] = rank_there
        place[DEPTH] = d
        place[PHASE] = DOWN


@kernel
def _put(state: Structure, rule: Structure, rows: Ints, d: int, j: int) -> None:
    """Place job ``j`` at depth ``d``, and note how that is undone."""
    n, tree = rule.place[STEPS], rule.tree
    rule.start[j], tree[FIRST, d], tree[BEHIND, d], rule.place[STEPS] = put(
        state, rows[j], rule.root[j], rule.duration[j], rule.times, rule.free, n
    )
    tree[MADE, d] = rule.place[STEPS] > n


@kernel
def _take_back(state: Structure, rule: Structure, rows: Ints, d: int) -> None:
    """Undo the placement at depth ``d``, which must be the last one."""
    tree, j = rule.tree, rule.tree[PATH, d]
    rule.place[STEPS] = take_back(
        state, rows[j], rule.start[j], rule.duration[j], tree[FIRST, d], tree[BEHIND, d], tree[MADE, d] > 0,
        rule.times, rule.free, rule.place[STEPS],
    )  # fmt: skip


@kernel
def _lower_bounds(rule: Structure, q: int) -> None:
    """The lower bounds at depth 0, where each job starts as early as it could at all."""
    part = np.empty(q)
    for k in range(rule.goals.size):
        goal = rule.goals[k]
        rule.bound[k] = 0.0
        if goal in (WAIT, SLOWDOWN):
            for j in range(q):
                earliest = rule.root[j] - rule.submit[j]
                part[j] = value_of(goal, rule.parameters[k], earliest, rule.duration[j], 1)
            rule.bound[k] = pairwise_sum(part) / (q if goal == SLOWDOWN else 1)


@kernel
def _hopeless(rule: Structure, q: int, d: int, j: int) -> bool:
    """Bring the lower bound from depth d - 1 to ``d``; whether even that would not replace the incumbent.

    ``bound[d * K + k]`` is that of goal k, lowered by its rounding errors, so that these prune nothing.
    """
    bound, size, submit, duration = rule.bound, rule.goals.size, rule.submit[j], rule.duration[j]
    for k in range(size):
        goal, parameter = rule.goals[k], rule.parameters[k]
        bound[d * size + k] = bound[(d - 1) * size + k]
        if goal in (WAIT, SLOWDOWN):
            earliest = value_of(goal, parameter, rule.root[j] - submit, duration, q)
            bound[d * size + k] += value_of(goal, parameter, rule.start[j] - submit, duration, q) - earliest
        rule.value[k] = bound[d * size + k] * (1.0 - (1e-12 if goal == SLOWDOWN else 0.0))
    return not better(rule.options[COMPARISON], rule.value, rule.values, rule.weights)
