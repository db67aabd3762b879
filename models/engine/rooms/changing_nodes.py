"""What a pass has left on nodes that change: a job fits only if it can be placed for as long as it is planned to run.

At present, this is what `thinktime.models.engine.rooms.fences` leaves of the nodes. What is left later, when the head
of the queue is tried, is without windows if ``FENCED``, and every job is then tried beside its fence.
"""

from __future__ import annotations

import math

from thinktime.models.engine import gapped, keeping, passes, shapes, situation
from thinktime.models.engine.codes import fences as fences_codes
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import nodes as nodes_codes
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.interruptions import runs
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rooms import changing_room, fences, node_parts, node_room, nodes
from thinktime.models.engine.rooms.node_room import NodeRoom
from thinktime.workloads.arrays import Ints

INFINITY = math.inf


class ChangingNodeRoom(NodeRoom):
    """Nodes that change: fences keep windows, nodes that are down and those of suspended jobs from other jobs."""

    def run_length(self, state: State, row: int, work: float) -> float:
        return runs.length_with_checkpoints(state, row, work)

    def resize(self, state: State, row: int, place: int) -> None:
        node_parts.resize(state, row, place)
        shapes.take_size(state, row, place)

    def give_up(self, state: State, row: int, place: int, gone: Ints) -> None:
        """It gives back all that it has on these nodes."""
        node_parts.leave(state, row, gone)
        node_parts.resize(state, row, place)
        shapes.take_size(state, row, place)

    def lost(self, state: State, row: int, gone: Ints) -> int:
        return node_parts.count_of(state, row, gone)

    def admitted_first(self, state: State, rows: Ints) -> Ints:
        return changing_room.admitted_before_others(state, rows)

    def has_news(self, state: State) -> bool:
        return bool(state.news > 0)

    def gone_back(self, state: State, row: int) -> bool:
        return bool(state.runs[row] > 0)

    def backfill(self, state: State, now: float, queue: Ints, k: int, skip: int, out: Ints, left: int) -> int:
        """As without windows: what fits, and when, is beside them."""
        return passes.backfill(state, now, queue, k, skip, out, left)

    def head_start(self, state: State, now: float, head: int, started: int, skip: int, left: int) -> float:
        """Its earliest fit; a head without one gets a time beyond all others, and holds no job back."""
        return min(passes.head_start(state, now, head, started, skip, left), changing_room.FIRST)

    def shadow_time(
        self, state: State, now: float, head: int, out: Ints, started: int, skip: int, later: int
    ) -> tuple[float, int]:
        """The head's earliest fit, beside the windows that begin or end before it would be over."""
        state.fenced = (
            state.set_aside + state.shrinking_count > 0
            or _any_is_suspended_soon(state)
            or situation.admitted_now(state, head)
        )
        state.then = -INFINITY
        if not state.fenced:
            shadow, left = passes.shadow_time(state, now, head, out, started, skip, later)
            if shadow + state.estimate[head] <= state.next_known:
                state.then = shadow
                return shadow, left
            state.fenced = True
            state.room.copied(state, head, later)
        state.then = shadow = _shadow_beside_windows(state, now, head, out[:started])
        return shadow, later

    def what_is_left(self, state: State, first: int, now: float) -> int:
        """A window can be in the way, too."""
        left = state.room.copied(state, first, state.room.begin_pass(state, at.ZERO))
        fences.ignore_windows(state, state.later)
        state.fenced, state.then = True, now
        return left

    def has_room(self, state: State, row: int, left: int) -> bool:
        """On the nodes that windows leave."""
        return state.room.fits(state, row, left)

    def forget_what_is_left(self, state: State) -> None:
        """The next pass begins with a copy of its own."""

    def begin_pass(self, state: State, skip: int) -> int:
        """Nothing is known of later."""
        state.then = -INFINITY
        keeping.forget_bookings(state)
        return NodeRoom.begin_pass(self, state, skip)

    def rewind(self, state: State, rows: Ints) -> None:
        """Suspended jobs have taken processors alone."""
        keeping.forget_bookings(state)
        for i in range(len(rows)):
            if state.suspended[rows[i]] > 0:
                fences.change_processors(state, rows[i], nodes_codes.GIVE, state.free)
                nodes.note_room(state, rows[i])
            else:
                NodeRoom.rewind(self, state, rows[i : i + 1])

    def fits_now(self, state: State, row: int, left: int) -> bool:
        """For as long as it is planned to run."""
        if not fences.is_special(state, row):
            return NodeRoom.fits_now(self, state, row, left)
        if state.processors[row] > left:
            return False
        now, free, single = state.now, state.free, nodes.has_one_chunk(state, state.shape[row])
        fences.let_in(state, row, nodes_codes.GIVE, free)
        keeping.change_now(state, nodes_codes.TAKE, row, now, free)
        fences.fence(state, row, now, now + state.estimate[row])
        fitting = (
            fences.resumes(state, row, free)
            if state.suspended[row] > 0
            else node_room.finds_nodes(state, row, at.ZERO, free)
        )
        fences.unfence(state)
        keeping.change_now(state, nodes_codes.GIVE, row, now, free)
        fences.let_in(state, row, nodes_codes.TAKE, free)
        if not fitting and (state.allocator == nodes_codes.OWN or not single):
            state.withheld = True
        return fitting

    def fits(self, state: State, row: int, left: int) -> bool:
        """For as long as it is planned to run from that time on."""
        if not state.fenced:
            return NodeRoom.fits(self, state, row, left)
        fitting = _take_later(state, row)
        if fitting:
            _give_later(state, row)
        return fitting

    def fits_as_planned(self, state: State, row: int, left: int) -> bool:
        """Only at the present, since the rest was planned."""
        free = state.free
        fences.let_in(state, row, nodes_codes.GIVE, free)
        fitting = (
            fences.resumes(state, row, free)
            if state.suspended[row] > 0
            else NodeRoom.fits_as_planned(self, state, row, left)
        )
        fences.let_in(state, row, nodes_codes.TAKE, free)
        return fitting

    def take_now(self, state: State, row: int, left: int) -> int:
        """A suspended job that is over by the time at which the head is tried leaves the rest to it."""
        _note(state, row, nodes_codes.TAKE, state.now)
        if state.suspended[row] == 0:
            return NodeRoom.take_now(self, state, row, left)
        fences.change_processors(state, row, nodes_codes.TAKE, state.free)
        state.stamp += 1
        if state.now + state.estimate[row] <= state.then:
            fences.change_others(state, row, nodes_codes.GIVE, state.later)
        need: int = state.processors[row]
        return left - need

    def take(self, state: State, row: int, left: int) -> int:
        """A suspended job takes processors alone."""
        if state.suspended[row] == 0:
            return NodeRoom.take(self, state, row, left)
        fences.change_processors(state, row, nodes_codes.TAKE, state.later)
        need: int = state.processors[row]
        return left - need

    def give(self, state: State, row: int, left: int) -> int:
        """A suspended job gives processors alone."""
        if state.suspended[row] == 0:
            return NodeRoom.give(self, state, row, left)
        fences.change_processors(state, row, nodes_codes.GIVE, state.later)
        need: int = state.processors[row]
        return left + need

    def hopeless(self, state: State, row: int, left: int) -> bool:
        """What is known of other jobs of its kind does not hold for all."""
        if state.processors[row] > left:
            return True
        if state.suspended[row] > 0 or keeping.active(state) or situation.admitted_now(state, row):
            return False
        return NodeRoom.hopeless(self, state, row, left)

    def held_back(self, state: State, row: int, started: int) -> bool:
        """What is known of other jobs of its kind does not hold for all."""
        return not fences.is_special(state, row) and NodeRoom.held_back(self, state, row, started)

    def hold_back(self, state: State, row: int, started: int) -> None:
        """What is known of this job may not hold for others of its kind."""
        if fences.is_special(state, row):
            state.withheld = True
        else:
            NodeRoom.hold_back(self, state, row, started)

    def fits_beside(self, state: State, row: int, head: int, left: int, later: int) -> bool:
        """On what is left now and besides the head, and on no window that it would reach into."""
        if not state.fenced and not fences.is_special(state, row):
            return NodeRoom.fits_beside(self, state, row, head, left, later)
        if not _take_later(state, head):
            return False
        now, then, both = state.now, state.then, state.low
        keeping.change_now(state, nodes_codes.TAKE, row, now, state.free)
        keeping.change_now(state, nodes_codes.TAKE, row, then, state.later)
        fences.let_in(state, row, nodes_codes.GIVE, state.free)
        if not state.fenced:
            fences.let_in(state, row, nodes_codes.GIVE, state.later)
        for v in range(both.shape[0]):
            for r in range(both.shape[1]):
                both[v, r] = min(state.free[v, r], state.later[v, r])
        if not state.fenced:
            fences.let_in(state, row, nodes_codes.TAKE, state.later)
        fences.let_in(state, row, nodes_codes.TAKE, state.free)
        keeping.change_now(state, nodes_codes.GIVE, row, then, state.later)
        keeping.change_now(state, nodes_codes.GIVE, row, now, state.free)
        _give_later(state, head)
        fences.fence(state, row, now, now + state.estimate[row])
        fitting = (
            fences.resumes(state, row, both)
            if state.suspended[row] > 0
            else node_room.finds_nodes(state, row, at.ZERO, both)
        )
        fences.unfence(state)
        return fitting

    def occupy(self, state: State, row: int) -> None:
        """A suspended job goes on where it was; others take nodes that are free at their starts."""
        situation.begin_run(state, row)
        if state.suspended[row] == 0 and _any_node_serves(state):
            state.size[row] = 0
        if state.suspended[row] == 0:
            NodeRoom.occupy(self, state, row)
            return
        state.idle -= state.processors[row]
        state.planned[row] = 0
        fences.change_processors(state, row, nodes_codes.TAKE, state.free)
        situation.go_on(state, row)

    def vacate(self, state: State, row: int) -> None:
        """A job ends or leaves."""
        situation.end_run(state, row)
        NodeRoom.vacate(self, state, row)


def left_for_anybody(state: State) -> int:
    """What is idle now beside windows, and beside what suspended jobs keep."""
    left, now = at.ZERO, state.now
    keeping.forget_bookings(state)
    keeping.change_now(state, nodes_codes.TAKE, of.NOBODY, now, state.free)
    for v in range(state.free.shape[0]):
        left += max(0, state.free[v, 0])
    keeping.change_now(state, nodes_codes.GIVE, of.NOBODY, now, state.free)
    return int(left)


def _note(state: State, row: int, sign: int, begin: float) -> None:
    """What is kept depends on when a job is planned that is concerned."""
    if keeping.concerns(state, row):
        keeping.note_booking(state, row, sign, begin, begin + state.estimate[row])


def _any_is_suspended_soon(state: State) -> bool:
    """Whether a job is under notice that will be suspended."""
    found = False
    for i in range(state.leaving_count):
        row = state.leaving[i]
        found = found or state.leaves[row] == of.SUSPENDED
    return found


def _shadow_beside_windows(state: State, now: float, head: int, started: Ints) -> float:
    """Merge ends of running jobs, of those started in this pass, of windows, and of outages where they are known."""
    later, expected, running = state.later, state.expected, state.running
    estimate, earliest = state.estimate, now + state.grace
    fences.ignore_windows(state, later)
    gapped.sort_in(state)
    i, stop, time = state.first_running, state.stop_running, now
    while True:
        following = _next_known_after(state, time)
        while i < stop and gapped.is_gap(state, i):
            i += 1
        if i < stop:
            following = min(following, max(expected[i], earliest))
        for j in range(len(started)):
            row = started[j]
            end = max(now + estimate[row], earliest)
            if end > time:
                following = min(following, end)
        if following == INFINITY:
            return INFINITY
        while i < stop and (gapped.is_gap(state, i) or max(expected[i], earliest) <= following):
            if not gapped.is_gap(state, i):
                _give_rest(state, running[i], -INFINITY, following, nodes_codes.TAKE)
                fences.give_at_end(state, running[i], later)
            i += 1
        for j in range(state.shrinking_count):
            _give_rest(state, state.shrinking[j], time, following, nodes_codes.GIVE)
        for j in range(len(started)):
            row = started[j]
            if time < max(now + estimate[row], earliest) <= following:
                nodes.change(state, row, state.shape[row], nodes_codes.GIVE, later)
        for k in range(state.down * state.repairs_told):
            v = state.broken[k]
            if time < state.back[v] <= following:
                fences.change_node(v, fences_codes.DOWN, later)
        time = state.then = following
        if state.room.fits(state, head, at.ZERO):
            return float(time)


def _give_rest(state: State, row: int, since: float, until: float, sign: int) -> None:
    """What a shrinking job gives back between two times is left later, or, if it was given before, is taken again."""
    if state.shaped and since < state.shrinks_at[row] <= until and state.shrinks_at[row] < state.expected_end[row]:
        rest = shapes.rest_of(state, row)
        nodes.change(state, rest, state.shape[rest], sign, state.later)
        shapes.part_is_over(state)


def _next_known_after(state: State, time: float) -> float:
    """The next end of a window after a time, of an outage if it is known, or of what a shrinking job has too much."""
    following = INFINITY
    for j in range(state.known_count):
        window = state.known[j]
        if state.closes[window] > time:
            following = min(following, state.closes[window])
    for i in range(state.down * state.repairs_told):
        v = state.broken[i]
        if state.back[v] > time:
            following = min(following, state.back[v])
    for i in range(state.shrinking_count):
        row = state.shrinking[i]
        if state.shrinks_at[row] > time:
            following = min(following, state.shrinks_at[row])
    return float(following)


def _take_later(state: State, row: int) -> bool:
    """Place a job in what is left later, if it fits; its places are found, not given to it."""
    then, later = state.then, state.later
    if state.fenced:
        fences.fence(state, row, then, then + state.estimate[row])
    keeping.change_now(state, nodes_codes.TAKE, row, then, later)
    if state.suspended[row] > 0:
        fitting = fences.resumes(state, row, later)
        if fitting:
            fences.change_processors(state, row, nodes_codes.TAKE, later)
    else:
        fitting = nodes.find(state, state.shape[row], at.ZERO, later)
    keeping.change_now(state, nodes_codes.GIVE, row, then, later)
    if state.fenced:
        fences.unfence(state)
    if fitting:
        _note(state, row, nodes_codes.TAKE, then)
    return fitting


def _give_later(state: State, row: int) -> None:
    """Undo `_take_later`: what is left later is as it was without the job."""
    _note(state, row, nodes_codes.GIVE, state.then)
    if state.suspended[row] > 0:
        fences.change_processors(state, row, nodes_codes.GIVE, state.later)
    else:
        nodes.give_found(state, state.shape[row], state.later)


def _any_node_serves(state: State) -> bool:
    """Whether it makes no difference to others of this pass which of the idle nodes a job takes that starts."""
    serves = state.single and state.known_count == 0 and not state.keeps_all
    for i in range(state.set_aside):
        row = state.kept[i]
        serves = serves and not state.planned[row]  # it goes on where it was
    return bool(serves or state.alike > 0)
