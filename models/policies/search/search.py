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

The search can be resumed: all its state is in the rule. It returns when its budget is used up (for a time
limit) or at every leaf (for goals that are Python functions). What the last search has found stays there: it
counts nodes, leaves and improvements, ``values`` are the goals, and ``best`` begins with the starts in heuristic order.

Source: the goal paper, section II; Harvey and Ginsberg 1995, Korf 1996, Walsh 1997 for the sequences.
"""

from __future__ import annotations

from typing import Any

from thinktime.models.engine import room
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import rules as rules_codes
from thinktime.models.engine.codes import search as search_codes
from thinktime.models.engine.codes.fields import fields
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rooms import trials
from thinktime.models.engine.rules import Rule
from thinktime.models.policies.cplant import starvation
from thinktime.workloads.arrays import Floats, Ints, IntTable


def better(rule: int, a: Floats, b: Floats, weights: Floats) -> bool:
    """Whether values ``a`` replace the incumbent's ``b``; smaller is better, and equals do not replace.

    Values are equal if they differ by rounding alone: by 1e-9 (``hierarchical``), or by a relative 1e-12.
    """
    if rule == search_codes.HIERARCHICAL:
        for k in range(len(a)):
            if abs(a[k] - b[k]) > 1e-9:
                return bool(a[k] < b[k])
        return False
    if rule == search_codes.RELATIVE:
        gain = 0.0
        for k in range(len(a)):
            most = max(a[k], b[k])
            if most > 0.0:
                gain += weights[k] * (b[k] - a[k]) / most
        return gain > 1e-12
    product_a, product_b, zeros_a, zeros_b = 1.0, 1.0, 0.0, 0.0
    for k in range(len(a)):
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


def value_of(goal: int, parameter: float, waited: float, duration: float, q: int) -> float:
    """What one job adds to a goal that is a sum: its excessive wait (s), or its part of the mean slowdown."""
    if goal == search_codes.WAIT:
        return max(0.0, waited - parameter)
    if goal == search_codes.SLOWDOWN:
        longest = max(duration, parameter)
        return (longest + waited) / longest / q
    return 0.0


def measure(state: State, rule: Searching, rows: Ints) -> None:
    """The goals of one schedule, summed over jobs in heuristic order, so that equal schedules have equal values."""
    start, submit, duration, scratch, q = rule.start, rule.submit, rule.duration, rule.scratch, len(rows)
    for k in range(len(rule.goals)):
        goal, parameter = rule.goals[k], rule.parameters[k]
        total = 0.0
        if goal in (search_codes.WAIT, search_codes.SLOWDOWN):
            for j in range(q):
                total += value_of(goal, parameter, start[j] - submit[j], duration[j], q)
        elif goal == search_codes.DEVIATION:
            scratch[: len(rule.used)] = rule.used
            for j in range(q):
                span = min(start[j] + duration[j], rule.window_end[0]) - start[j]
                if start[j] < rule.window_end[0]:
                    scratch[rule.owner[j]] += state.processors[rows[j]] * span
            for u in range(len(rule.used)):
                total += abs(scratch[u] - rule.entitled[u])
            total /= 3600.0
        elif goal == search_codes.STRETCH:
            scratch[: len(rule.campaign_end)] = rule.campaign_end
            for j in range(q):
                scratch[rule.campaign[j]] = max(scratch[rule.campaign[j]], start[j] + duration[j])
            for c in range(len(rule.campaign_end)):
                total += (scratch[c] - rule.campaign_submit[c]) / rule.campaign_least[c]
            total /= len(rule.campaign_end)
        rule.value[k] = total


def keep_if_better(rule: Searching, q: int) -> None:
    """Let the leaf that was measured be the incumbent if it is better, or the first one."""
    if rule.leaves == 1 or better(rule.comparison, rule.value, rule.values, rule.weights):
        rule.improved += 1
        rule.values[:] = rule.value
        rule.best[:q] = rule.start[:q]
        rule.tree[search_codes.BEST, :q] = rule.tree[search_codes.PATH, :q]


def plant(state: State, rule: Searching, now: float, rows: Ints) -> bool:
    """Begin a search: the profile, the roots, and the list of the jobs left; False if no job can start now."""
    tree, q = rule.tree, len(rows)
    rule.iteration = rule.depth = rule.nodes = rule.leaves = rule.phase = rule.improved = 0
    state.profiles.running_profile(state, now, room.overrunning(state, now), rule.profile)
    someone = False
    for j in range(q):
        row = rows[j]
        rule.submit[j], rule.duration[j] = state.submit[row], min(state.estimate[row], trials.FAR)
        rule.root[j] = trials.first_chance(state, row, rule.duration[j], rule.profile)
        someone = someone or rule.root[j] == now
    if not someone:
        return False
    for j in range(q + 1):
        tree[search_codes.FOLLOWING, j], tree[search_codes.PRECEDING, j] = (j + 1) % (q + 1), (j + q) % (q + 1)
    rule.jobs, tree[search_codes.RANK, 0], tree[search_codes.LEFT, 0] = q, -1, 0
    for k in range(len(rule.goals)):
        if rule.goals[k] == search_codes.WAIT and rule.dynamic:
            first = rule.submit[0]
            for j in range(1, q):
                first = min(first, rule.submit[j])
            rule.parameters[k] = now - first
    if rule.prune:
        _lower_bounds(state, rule, q)
    return True


def harvest(state: State, rule: Searching, now: float, rows: Ints) -> int:
    """Write what starts now in the best schedule to ``out``, and return how many."""
    replay(state, rule, rows)
    k = 0
    for j in range(len(rows)):
        if rule.best[j] == now:
            state.out[k] = rows[j]
            k += 1
    return k


def replay(state: State, rule: Searching, rows: Ints) -> None:
    """Let the jobs have their places in the best schedule."""
    if state.on_nodes:
        nodes_replay(state, rule, rows)
        return


def nodes_replay(state: State, rule: Searching, rows: Ints) -> None:
    """As `replay`: the path that led to it is walked again."""
    if state.alike:
        return
    for d in range(rule.depth - 1, -1, -1):
        _take_back(state, rule, rows, d)
    for d in range(len(rows)):
        _put(state, rule, rows, d, rule.tree[search_codes.BEST, d])


def first_rank(algorithm: int, top: bool, iteration: int, depth: int, left: int, q: int) -> int:
    """The first rank to take at a depth; ``left`` discrepancies must still be made from here on (LDS)."""
    if depth == q - 1:
        return 0
    if algorithm == search_codes.DDS:
        return 1 if depth == iteration - 1 else 0
    if top:
        return 1 if left > 0 else 0
    return 0 if left < q - 1 - depth else 1


def next_rank(algorithm: int, top: bool, iteration: int, depth: int, left: int, q: int, rank: int) -> int:
    """The rank to take after ``rank`` at a depth (-1: none)."""
    if depth == q - 1:
        return -1
    last = q - 1 - depth
    if algorithm == search_codes.DDS:
        return rank + 1 if depth < iteration and rank < last else -1
    if rank == 0:
        return 1 if left > 0 and not top else -1
    if rank < last:
        return rank + 1
    return 0 if top and left < last else -1


def explore(state: State, rule: Searching, rows: Ints, pause_at: int, ask: bool) -> int:
    """Go on searching until all orders are seen, so many nodes are placed as allowed, or the caller is needed.

    Iteration 0 is completed whatever the limit, and a leaf that the last node completes counts. ``best`` and ``values``
    are the incumbent's starts and values, in heuristic order; the first leaf is the first incumbent. The search returns
    at ``pause_at`` nodes, and with ``ask`` at every leaf, which the caller compares. With pruning it skips a subtree
    whose lower bound (all jobs left start at their roots) would not replace the incumbent. Every comparison is monotone
    in every goal, so no leaf is skipped that would replace it.
    """
    tree, q = rule.tree, len(rows)
    algorithm, top, limit, prune = (rule.algorithm, rule.top > 0, rule.limit, rule.prune > 0)
    following, preceding, path = tree[search_codes.FOLLOWING], tree[search_codes.PRECEDING], tree[search_codes.PATH]
    rank, left = tree[search_codes.RANK], tree[search_codes.LEFT]
    d = rule.depth
    while True:
        # -- down to a leaf
        while rule.phase == search_codes.DOWN and d < q:
            if rule.iteration > 0:  # before a placement: a leaf that the last node completes is compared
                if rule.nodes >= limit:
                    return search_codes.LIMITED
                if rule.nodes >= pause_at:
                    return search_codes.PAUSED
            if rank[d] < 0:
                rank[d] = first_rank(algorithm, top, rule.iteration, d, left[d], q)
                j = following[q]
                if rank[d] == 1:
                    j = following[j]
                path[d] = j
            j = path[d]
            following[preceding[j]] = following[j]
            preceding[following[j]] = preceding[j]
            left[d + 1] = left[d] - (1 if rank[d] > 0 else 0)
            _put(state, rule, rows, d, j)
            rule.nodes += 1
            d += 1
            if d < q:
                rank[d] = -1
            rule.depth = d
            if prune and _hopeless(rule, q, d, j) and rule.iteration > 0:
                rule.phase = search_codes.UP
        if rule.phase == search_codes.DOWN:
            rule.phase = search_codes.UP
            rule.leaves += 1
            measure(state, rule, rows)
            if ask:
                return search_codes.LEAF
            keep_if_better(rule, q)
        # -- up to the deepest choice that has a next one
        target = d - 1
        rank_there = -1
        while target >= 0:
            rank_there = next_rank(algorithm, top, rule.iteration, target, left[target], q, rank[target])
            if rank_there >= 0:
                break
            target -= 1
        if target < 0:
            rule.iteration += 1
            if rule.iteration >= q:
                return search_codes.EXHAUSTED
            left[0] = rule.iteration
            target = at.ZERO
            while target < d:  # what the first path of the new iteration shares with the last one
                if rank[target] != first_rank(algorithm, top, rule.iteration, target, left[target], q):
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
        rule.depth = d
        rule.phase = search_codes.DOWN


def _put(state: State, rule: Searching, rows: Ints, d: int, j: int) -> None:
    """Place job ``j`` at depth ``d``, and note how that is undone."""
    n, tree = rule.profile.n, rule.tree
    rule.start[j], tree[search_codes.FIRST, d], tree[search_codes.BEHIND, d] = trials.put(
        state, rows[j], rule.root[j], rule.duration[j], rule.profile
    )
    tree[search_codes.MADE, d] = rule.profile.n > n


def _take_back(state: State, rule: Searching, rows: Ints, d: int) -> None:
    """Undo the placement at depth ``d``, which must be the last one."""
    tree, j = rule.tree, rule.tree[search_codes.PATH, d]
    trials.take_back(
        state, rows[j], rule.start[j], rule.duration[j],
        tree[search_codes.FIRST, d], tree[search_codes.BEHIND, d], tree[search_codes.MADE, d] > 0, rule.profile,
    )  # fmt: skip


def _lower_bounds(state: State, rule: Searching, q: int) -> None:
    """The lower bounds at depth 0, where each job starts as early as it could at all."""
    part = state.spare.real(q)
    for k in range(len(rule.goals)):
        goal = rule.goals[k]
        rule.bound[k] = 0.0
        if goal in (search_codes.WAIT, search_codes.SLOWDOWN):
            for j in range(q):
                earliest = rule.root[j] - rule.submit[j]
                part[j] = value_of(goal, rule.parameters[k], earliest, rule.duration[j], 1)
            rule.bound[k] = starvation.pairwise_sum(state.spare, part) / (q if goal == search_codes.SLOWDOWN else 1)


def _hopeless(rule: Searching, q: int, d: int, j: int) -> bool:
    """Bring the lower bound from depth d - 1 to ``d``; whether even that would not replace the incumbent.

    ``bound[d * K + k]`` is that of goal k, lowered by its rounding errors, so that these prune nothing.
    """
    bound, size, submit, duration = rule.bound, len(rule.goals), rule.submit[j], rule.duration[j]
    for k in range(size):
        goal, parameter = rule.goals[k], rule.parameters[k]
        bound[d * size + k] = bound[(d - 1) * size + k]
        if goal in (search_codes.WAIT, search_codes.SLOWDOWN):
            earliest = value_of(goal, parameter, rule.root[j] - submit, duration, q)
            bound[d * size + k] += value_of(goal, parameter, rule.start[j] - submit, duration, q) - earliest
        rule.value[k] = bound[d * size + k] * (1.0 - (1e-12 if goal == search_codes.SLOWDOWN else 0.0))
    return not better(rule.comparison, rule.value, rule.values, rule.weights)


class Searching(Rule):
    """The rule: options, what the goals need of each job, the tree's state, and the best schedule found."""

    FIELDS = fields(
        (Floats, "weights parameters values value bound submit duration root start best used entitled window_end"),
        (Floats, "campaign_submit campaign_end campaign_least scratch"),
        (Ints, "goals owner campaign"),
        (IntTable, "tree"),
    )
    PARTS = ("profile",)
    NUMBERS = fields(
        (0, "algorithm limit comparison jobs iteration depth nodes leaves phase improved"), (False, "top prune dynamic")
    )
    algorithm: int
    """Which tree is searched (`thinktime.models.engine.codes.search`)."""
    top: bool
    """Whether discrepancies come from the top first."""
    limit: int
    """So many nodes end the search."""
    prune: bool
    """Whether bounds are used."""
    comparison: int
    """How schedules are compared."""
    dynamic: bool
    """Whether the bound of waits is that of `dynB`."""
    jobs: int
    """Jobs of the last search."""
    iteration: int
    """Its iteration."""
    depth: int
    """Jobs that are placed."""
    nodes: int
    """Nodes that have been visited."""
    leaves: int
    """Leaves that have been compared."""
    phase: int
    """Whether the search goes down or up."""
    improved: int
    """How often a better schedule was found."""
    profile: Profile
    weights: Floats
    goals: Ints
    parameters: Floats
    values: Floats
    value: Floats
    tree: IntTable
    bound: Floats
    submit: Floats
    duration: Floats
    root: Floats
    start: Floats
    best: Floats
    owner: Ints
    campaign: Ints
    used: Floats
    entitled: Floats
    window_end: Floats
    campaign_submit: Floats
    campaign_end: Floats
    campaign_least: Floats
    scratch: Floats

    def __init__(self, **given: Any) -> None:
        self.profile = Profile()
        super().__init__(**given)

    def select(self, state: State, now: float, rows: Ints) -> int:
        """Start what starts now in the best schedule that the search sees."""
        if len(rows) == 0 or not self.order_matters(state, now, rows):
            return 0
        if len(self.best) <= len(rows):
            return rules_codes.NEEDS_ROOM
        if not plant(state, self, now, rows):
            return 0
        explore(state, self, rows, search_codes.FOREVER, False)
        return harvest(state, self, now, rows)
