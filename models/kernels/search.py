"""Complete search over job orders: the tree of all orders, in the sequence of LDS or DDS, with undo.

A path chooses, at depth d = 0 … q - 1, one of the q - d jobs that are left; rank 0 is the heuristic's choice,
any other rank is a *discrepancy*. A chosen job is placed at its earliest fit in the profile of the running
jobs and the jobs placed above it: one placement is one *node*. Iterations 0 … q - 1:

* LDS, iteration k: the paths with exactly k discrepancies, in lexical order of ranks (``left``), or with the
  discrepant ranks before rank 0 at every depth (``top``);
* DDS, iteration i: free choice above depth i - 1, a discrepancy at depth i - 1, the heuristic below.

Successive paths share the placements of their common prefix, across iterations too. A placement inserts at most one
step into the profile, at the job's end (a start is always a step already), and undoing removes it, so nothing is
copied. A job cannot start earlier than on the profile of the running jobs alone, so its search begins at that time
(``root``).

The search can be resumed: all its state is in arrays. It returns when its budget is used up (for a time limit) or at
every leaf (for goals that are Python functions). ``place`` is ``(iteration, depth, nodes,
leaves, steps, phase, improvements)``. Source: the goal paper, section II; Harvey and Ginsberg 1995, Korf
1996, Walsh 1997 for the sequences.
"""

import numpy as np

from thinktime.models.kernels.machine_state import ZERO
from thinktime.workloads.compiler import Floats, Ints, kernel

LDS, DDS = 0, 1
EXHAUSTED, LIMIT, PAUSED, LEAF = 0, 1, 2, 3  # why `explore` returns
ITERATION, DEPTH, NODES, LEAVES, STEPS, PHASE, IMPROVED = 0, 1, 2, 3, 4, 5, 6
DOWN, UP = 0, 1  # phases
HIERARCHICAL, RELATIVE, PRODUCT = 0, 1, 2
WAIT, SLOWDOWN, DEVIATION, STRETCH, OWN = 0, 1, 2, 3, 4

FAR = 2.0**40  # s: stands for never


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
def measure(
    goals: Ints,
    parameters: Floats,
    start: Floats,
    submit: Floats,
    need: Ints,
    duration: Floats,
    owner: Ints,
    used: Floats,
    entitled: Floats,
    window_end: float,
    campaign: Ints,
    campaign_submit: Floats,
    campaign_end: Floats,
    campaign_least: Floats,
    scratch: Floats,
    out: Floats,
) -> None:
    """The goals of one schedule, summed over jobs in heuristic order, so that equal schedules have equal values."""
    q = start.size
    for k in range(goals.size):
        goal = goals[k]
        total = 0.0
        if goal in (WAIT, SLOWDOWN):
            for j in range(q):
                total += value_of(goal, parameters[k], start[j] - submit[j], duration[j], q)
        elif goal == DEVIATION:
            for u in range(used.size):
                scratch[u] = used[u]
            for j in range(q):
                if start[j] < window_end:
                    scratch[owner[j]] += need[j] * (min(start[j] + duration[j], window_end) - start[j])
            for u in range(used.size):
                total += abs(scratch[u] - entitled[u])
            total /= 3600.0
        elif goal == STRETCH:
            for c in range(campaign_end.size):
                scratch[c] = campaign_end[c]
            for j in range(q):
                scratch[campaign[j]] = max(scratch[campaign[j]], start[j] + duration[j])
            for c in range(campaign_end.size):
                total += (scratch[c] - campaign_submit[c]) / campaign_least[c]
            total /= campaign_end.size
        out[k] = total


@kernel
def plant(
    now: float,
    steps: int,
    need: Ints,
    duration: Floats,
    times: Floats,
    free: Ints,
    root: Floats,
    following: Ints,
    preceding: Ints,
    place: Ints,
) -> bool:
    """Find the roots and link the list of the jobs left; False if no job fits now."""
    q = need.size
    for k in range(place.size):
        place[k] = 0
    for j in range(q + 1):
        following[j] = (j + 1) % (q + 1)
        preceding[j] = (j + q) % (q + 1)
    someone = False
    for j in range(q):
        i, _ = fit(ZERO, need[j], duration[j], times, free, steps)
        root[j] = times[i] if i < steps else now + FAR
        someone = someone or i == 0
    place[STEPS] = steps
    return someone


@kernel
def fit(i: int, need: int, duration: float, times: Floats, free: Ints, n: int) -> tuple[int, int]:
    """The first step from ``i`` on at which ``need`` processors are free for the whole ``duration`` (n: none).

    Also the first step that starts at or after the end of that duration (n: none).
    """
    while i < n:
        if free[i] < need:
            i += 1
            continue
        end = times[i] + duration
        k = i + 1
        while k < n and times[k] < end and free[k] >= need:
            k += 1
        if k == n or times[k] >= end:
            return i, k
        i = k + 1
    return n, n


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
def explore(
    algorithm: int,
    top: bool,
    limit: int,
    pause_at: int,
    ask: bool,
    prune: bool,
    rule: int,
    weights: Floats,
    goals: Ints,
    parameters: Floats,
    submit: Floats,
    need: Ints,
    duration: Floats,
    owner: Ints,
    used: Floats,
    entitled: Floats,
    window_end: float,
    campaign: Ints,
    campaign_submit: Floats,
    campaign_end: Floats,
    campaign_least: Floats,
    scratch: Floats,
    times: Floats,
    free: Ints,
    root: Floats,
    following: Ints,
    preceding: Ints,
    place: Ints,
    path: Ints,
    rank: Ints,
    left: Ints,
    first: Ints,
    behind: Ints,
    made: Ints,
    start: Floats,
    bound: Floats,
    value: Floats,
    best: Floats,
    best_start: Floats,
) -> int:
    """Go on searching until all orders are seen, ``limit`` nodes are placed, or the caller is needed.

    Iteration 0 is completed whatever the limit, and a leaf that the last node completes counts. ``best`` and
    ``best_start`` are the incumbent's values and starts, in heuristic order; the first leaf is the first incumbent.
    With ``ask`` the search returns at every leaf, and the caller compares. With ``prune`` it skips a subtree whose
    lower bound (all jobs left start at their roots) would not replace the incumbent. Every rule is monotone in every
    goal, so no leaf is skipped that would replace it.
    """
    q = need.size
    d = place[DEPTH]
    while True:
        # -- down to a leaf
        while place[PHASE] == DOWN and d < q:
            if place[ITERATION] > 0:  # before a placement: a leaf that the last node completes is compared
                if place[NODES] >= limit:
                    return LIMIT
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
            _put(d, j, need, duration, times, free, root, place, first, behind, made, start)
            place[NODES] += 1
            d += 1
            if d < q:
                rank[d] = -1
            place[DEPTH] = d
            if prune:
                hopeless = _hopeless(
                    d, j, rule, weights, goals, parameters, submit, duration, root, start, bound, value, best
                )
                if hopeless and place[ITERATION] > 0:
                    place[PHASE] = UP
                    break
        if place[PHASE] == DOWN:
            place[PHASE] = UP
            place[LEAVES] += 1
            measure(
                goals, parameters, start, submit, need, duration, owner, used, entitled, window_end,
                campaign, campaign_submit, campaign_end, campaign_least, scratch, value,
            )  # fmt: skip
            if ask:
                return LEAF
            if place[LEAVES] == 1 or better(rule, value, best, weights):
                place[IMPROVED] += 1
                for k in range(value.size):
                    best[k] = value[k]
                for j in range(q):
                    best_start[j] = start[j]
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
            _take_back(d, path[d], need, times, free, place, first, behind, made)
            j = path[d]
            following[preceding[j]] = j
            preceding[following[j]] = j
        if rank_there >= 0:
            path[d] = following[q] if rank_there == 0 else following[path[d]]
        rank[d] = rank_there
        place[DEPTH] = d
        place[PHASE] = DOWN


@kernel
def _put(
    d: int,
    j: int,
    need: Ints,
    duration: Floats,
    times: Floats,
    free: Ints,
    root: Floats,
    place: Ints,
    first: Ints,
    behind: Ints,
    made: Ints,
    start: Floats,
) -> None:
    """Place job ``j`` at its earliest fit; note which steps changed, and whether its end made a new one."""
    n = place[STEPS]
    made[d] = False
    low, high = ZERO, n
    while low < high:  # the step of the root
        middle = (low + high) // 2
        if times[middle] < root[j]:
            low = middle + 1
        else:
            high = middle
    i, k = fit(low, need[j], duration[j], times, free, n)
    first[d] = i
    behind[d] = k
    if i == n:
        start[j] = times[0] + FAR
        return
    start[j] = times[i]
    end = times[i] + duration[j]
    if k == n or times[k] > end:
        for m in range(np.uint64(0), np.uint64(n - k)):  # unsigned indices need no check for negative ones
            times[np.uint64(n) - m] = times[np.uint64(n - 1) - m]
            free[np.uint64(n) - m] = free[np.uint64(n - 1) - m]
        times[k] = end
        free[k] = free[k - 1]
        place[STEPS] = n + 1
        made[d] = True
    processors = need[j]
    for m in range(np.uint64(i), np.uint64(k)):
        free[m] -= processors


@kernel
def _take_back(
    d: int, j: int, need: Ints, times: Floats, free: Ints, place: Ints, first: Ints, behind: Ints, made: Ints
) -> None:
    """Undo the placement at depth ``d``, which must be the last one."""
    k = behind[d]
    processors = need[j]
    for m in range(np.uint64(first[d]), np.uint64(k)):
        free[m] += processors
    if made[d]:
        place[STEPS] -= 1
        for m in range(np.uint64(k), np.uint64(place[STEPS])):
            times[m] = times[m + np.uint64(1)]
            free[m] = free[m + np.uint64(1)]


@kernel
def _hopeless(
    d: int,
    j: int,
    rule: int,
    weights: Floats,
    goals: Ints,
    parameters: Floats,
    submit: Floats,
    duration: Floats,
    root: Floats,
    start: Floats,
    bound: Floats,
    value: Floats,
    best: Floats,
) -> bool:
    """Bring the lower bound from depth d - 1 to ``d``; whether even that would not replace the incumbent.

    ``bound[d * K + k]`` is that of goal k, lowered by its rounding errors, so that these prune nothing.
    """
    size, q = goals.size, submit.size
    for k in range(size):
        bound[d * size + k] = bound[(d - 1) * size + k]
        if goals[k] in (WAIT, SLOWDOWN):
            earliest = value_of(goals[k], parameters[k], root[j] - submit[j], duration[j], q)
            actual = value_of(goals[k], parameters[k], start[j] - submit[j], duration[j], q)
            bound[d * size + k] += actual - earliest
        slack = 1e-12 if goals[k] == SLOWDOWN else 0.0
        value[k] = bound[d * size + k] * (1.0 - slack)
    return not better(rule, value, best, weights)
