"""Processors shared among all malleable jobs: equally, or out of a common pool.

Jobs are admitted in queue order, as long as all that run can have their least sizes. Those that run, and those that are
admitted, have *targets*. Who has more than its target shrinks, and who has less grows; jobs start with at most their
targets. Processors are counted, also on nodes; there, jobs start with the largest sizes for which there are places.
The contract is in ``docs/design.md``.

Sources: equipartition is that of C. McCann, R. Vaswani, J. Zahorjan, A dynamic processor allocation policy for
multiprogrammed shared-memory multiprocessors (ACM TOCS 1993), with the sizes that jobs may have; the common pool is
ours, after P. Zojer, J. Posner, T. Özden (arXiv 2602.17318).
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, gapped, shapes
from thinktime.models.engine.changes import resizing
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import shapes as codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rules import Rule
from thinktime.models.policies.shapes import choosing
from thinktime.models.policies.shapes import rule as around
from thinktime.workloads.arrays import Ints

INFINITY = math.inf


class Sharing(Rule):
    """All malleable jobs share the processors."""

    NUMBERS = {"share": codes.EQUAL}
    PARTS = ("profile",)
    share: int
    """How they do it."""
    profile: Profile

    def __init__(self, **given: object) -> None:
        self.profile = Profile()
        super().__init__(**given)

    def order_matters(self, state: State, now: float, rows: Ints) -> bool:
        """Who is admitted depends on it."""
        return True

    def select(self, state: State, now: float, rows: Ints) -> int:
        """Start those that are admitted, with at most their targets; nobody, if some give back processors at once."""
        before = state.spare.used
        sharers, targets, running = _share(state, self, now, rows)
        k = 0
        if not _shrink(state, now, sharers[:running], targets):
            k = _start(state, now, sharers[running:], targets[running:])
        state.spare.used = before
        return k

    def count_as(self, state: State, now: float, rows: Ints) -> None:
        """With their least sizes."""
        for i in range(len(rows)):
            if state.form[rows[i]] >= 0:
                shapes.choose(state, rows[i], shapes.first_place(state, rows[i]))

    def reshape(self, state: State, now: float, rows: Ints) -> bool:
        """Those below their targets grow, unless some give back processors at once.

        What jobs that have started left of their targets is shared anew; those that will shrink get none of it.
        """
        if _gives_back_at_once(state):
            return False
        before, shrinking = state.spare.used, state.resize_count
        sharers, targets, running = _share(state, self, now, rows)
        left = around.idle_now(state)
        state.profiles.running_profile(state, now, at.ZERO, self.profile)
        for i in range(state.asking_count):
            left -= around.grant_one(state, now, state.asking[i], left, self.profile)
        for i in range(running):
            own = state.processors[sharers[i]]
            if arithmetic.has(state.resizes, shrinking, sharers[i]):
                continue
            if left > 0 and state.form_sizes[targets[i]] > own:
                most = min(left, state.form_sizes[targets[i]] - own)
                left -= around.grow(state, now, sharers[i], most, self.profile)
        state.spare.used = before
        return False


def _gives_back_at_once(state: State) -> bool:
    """Whether one of the proposed resizes takes effect now."""
    for i in range(state.resize_count):
        form = state.form[state.resizes[i]]
        if state.form_notice[form] + state.form_cost[form] == 0.0:
            return True
    return False


def _share(state: State, rule: Sharing, now: float, rows: Ints) -> tuple[Ints, Ints, int]:
    """Those that share: running jobs that may be resized, then admitted ones; the places of their targets; the former.

    A rigid job's target is -1.
    """
    budget, count = state.room.begin_pass(state, at.ZERO), gapped.line_up(state)
    state.room.rewind(state, state.out[:0])
    sharers, n = state.spare.whole(count + len(rows)), 0
    for i in range(count):
        row = state.running[i]
        if shapes.may_be_resized(state, row, now):
            sharers[n] = row
            n += 1
            budget += state.processors[row]
    ordered = resizing.oldest_first(state, sharers[:n])
    targets, running = state.spare.whole(count + len(rows)), n
    for i in range(n):
        sharers[i] = ordered[i]
        targets[i] = shapes.first_place(state, sharers[i])
        budget -= state.form_sizes[targets[i]]
    for i in range(len(rows)):
        row = rows[i]
        least, place = state.processors[row], -1
        if state.form[row] >= 0:
            place = shapes.first_place(state, row)
            least = state.form_sizes[place]
        if least > budget:
            break
        budget -= least
        sharers[n], targets[n] = row, place
        n += 1
    if rule.share == codes.EQUAL:
        _raise_equally(state, sharers[:n], targets, budget)
    else:
        _raise_in_turn(state, sharers[:n], targets, budget)
    return sharers[:n], targets[:n], running


def _raise_equally(state: State, sharers: Ints, targets: Ints, budget: int) -> None:
    """Again and again, the first of those with the smallest targets gets its next size, if there is so much left.

    As long as it is enough for all whose targets are below some size, nobody is refused, and they get there at once.
    """
    low, high = 0, state.machine_size + 1
    while high - low > 1:
        middle = (low + high) // 2
        if _needed(state, sharers, targets, middle) <= budget:
            low = middle
        else:
            high = middle
    budget -= _needed(state, sharers, targets, low)
    for i in range(len(sharers)):
        targets[i] = _place_from(state, sharers[i], targets[i], low)
    while budget > 0:
        best, least = -1, 0
        for i in range(len(sharers)):
            place = targets[i]
            if place < 0 or place + 1 >= shapes.stop_place(state, sharers[i]):
                continue
            size = state.form_sizes[place]
            if state.form_sizes[place + 1] - size <= budget and (best < 0 or size < least):
                best, least = i, size
        if best < 0:
            return
        targets[best] += 1
        budget -= state.form_sizes[targets[best]] - least


def _place_from(state: State, row: int, place: int, size: int) -> int:
    """The place of a job's least size that is not below a size, or its largest one, if it has a place below."""
    if place < 0 or state.form_sizes[place] >= size:
        return place
    return int(min(shapes.place_below(state, row, size - 1) + 1, shapes.stop_place(state, row) - 1))


def _needed(state: State, sharers: Ints, targets: Ints, size: int) -> int:
    """How many processors more it takes to have no target below a size, but for jobs that have no such sizes."""
    found = 0
    for i in range(len(sharers)):
        if targets[i] >= 0:
            place = _place_from(state, sharers[i], targets[i], size)
            found += state.form_sizes[place] - state.form_sizes[targets[i]]
    return found


def _raise_in_turn(state: State, sharers: Ints, targets: Ints, budget: int) -> None:
    """In their order, each gets its preferred size, or what of it there is; then its largest, if there is more."""
    for turn in range(2):
        for i in range(len(sharers)):
            row, place = sharers[i], targets[i]
            if place < 0:
                continue
            last = shapes.stop_place(state, row) - 1 if turn else state.form_preferred[state.form[row]]
            size = state.form_sizes[place]
            last = min(last, shapes.place_below(state, row, size + budget))
            if last > place:
                targets[i] = last
                budget -= state.form_sizes[last] - size


def _shrink(state: State, now: float, sharers: Ints, targets: Ints) -> bool:
    """Those above their targets shrink; whether some give back processors at once."""
    for i in range(len(sharers)):
        if state.form_sizes[targets[i]] < state.processors[sharers[i]]:
            shapes.propose(state, sharers[i], targets[i])
    return _gives_back_at_once(state)


def _start(state: State, now: float, rows: Ints, targets: Ints) -> int:
    """Start jobs in queue order with at most their targets, up to the first for which there is no room."""
    left, k = state.room.begin_pass(state, at.ZERO), 0
    for i in range(len(rows)):
        row = rows[i]
        most = state.form_sizes[targets[i]] if targets[i] >= 0 else state.machine_size
        if not choosing.choose_fitting(state, now, row, most, left):
            break
        left = state.room.take_now(state, row, left)
        state.out[k] = row
        k += 1
    state.room.rewind(state, state.out[:k])
    return k
