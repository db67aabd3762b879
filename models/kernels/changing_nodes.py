"""What a pass has left on nodes that change: a job fits only if it can be placed for as long as it is planned to run.

At present, this is what `thinktime.models.kernels.fences` leaves of the nodes. What is left later, when the head of the
queue is tried, is without windows if ``FENCED``, and every job is then tried beside its fence.
"""

from thinktime.models.kernels import keeping, nodes, passes, room
from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.changing_room import FIRST
from thinktime.models.kernels.fences import (
    DOWN,
    change_node,
    change_others,
    change_processors,
    fence,
    give_at_end,
    ignore_windows,
    is_special,
    let_in,
    resumes,
    unfence,
)
from thinktime.models.kernels.gapped import is_gap, sort_in
from thinktime.models.kernels.machine_state import CHANGING_NODES, INFINITY, ON_NODES
from thinktime.models.kernels.node_room import finds_nodes
from thinktime.models.kernels.nodes import GIVE, TAKE
from thinktime.models.kernels.reasons import forget_what_is_left, has_room, what_is_left
from thinktime.workloads.compiler import Ints, kernel
from thinktime.workloads.kinds import usual, written_for
from thinktime.workloads.structures import Structure

nodes_begin_pass = usual(room.begin_pass, ON_NODES)
nodes_fits_now = usual(room.fits_now, ON_NODES)
nodes_fits = usual(room.fits, ON_NODES)
nodes_fits_as_planned = usual(room.fits_as_planned, ON_NODES)
nodes_fits_beside = usual(room.fits_beside, ON_NODES)
nodes_hopeless = usual(room.hopeless, ON_NODES)
nodes_held_back = usual(room.held_back, ON_NODES)
nodes_hold_back = usual(room.hold_back, ON_NODES)
nodes_take_now = usual(room.take_now, ON_NODES)
nodes_take = usual(room.take, ON_NODES)
nodes_give = usual(room.give, ON_NODES)
nodes_rewind = usual(room.rewind, ON_NODES)
usual_backfill = usual(passes.backfill)
usual_shadow_time = usual(passes.shadow_time)
usual_head_start = usual(passes.head_start)


@written_for(CHANGING_NODES, room.begin_pass)
def begin_on_nodes(state: Structure, skip: int) -> int:
    """Nothing is known of later."""
    state.when[of.THEN] = -INFINITY
    keeping.forget_bookings(state)
    return nodes_begin_pass(state, skip)


@kernel
def left_for_anybody(state: Structure) -> int:
    """What is idle now beside windows, and beside what suspended jobs keep."""
    left, now = at.ZERO, state.when[of.NOW]
    keeping.forget_bookings(state)
    keeping.change_now(state, TAKE, of.NOBODY, now, state.free)
    for v in range(state.free.shape[0]):
        left += max(0, state.free[v, 0])
    keeping.change_now(state, GIVE, of.NOBODY, now, state.free)
    return int(left)


@written_for(CHANGING_NODES, room.fits_now)
def fits_now_on_nodes(state: Structure, row: int, left: int) -> bool:
    """For as long as it is planned to run."""
    if not is_special(state, row):
        return nodes_fits_now(state, row, left)
    if state.processors[row] > left:
        return False
    now, free, single = state.when[of.NOW], state.free, nodes.has_one_chunk(state, state.shape[row])
    let_in(state, row, GIVE, free)
    keeping.change_now(state, TAKE, row, now, free)
    fence(state, row, now, now + state.estimate[row])
    fitting = resumes(state, row, free) if state.suspended[row] > 0 else finds_nodes(state, row, at.ZERO, free)
    unfence(state)
    keeping.change_now(state, GIVE, row, now, free)
    let_in(state, row, TAKE, free)
    if not fitting and (state.site[nodes.ALLOCATOR] == nodes.OWN or not single):
        state.counts[at.WITHHELD] = True
    return fitting


@written_for(CHANGING_NODES, room.fits_as_planned)
def fits_as_planned_on_nodes(state: Structure, row: int, left: int) -> bool:
    """At the present; the rest was planned."""
    free = state.free
    let_in(state, row, GIVE, free)
    fitting = resumes(state, row, free) if state.suspended[row] > 0 else nodes_fits_as_planned(state, row, left)
    let_in(state, row, TAKE, free)
    return fitting


@written_for(CHANGING_NODES, room.take_now)
def take_now_on_nodes(state: Structure, row: int, left: int) -> int:
    """A suspended job that is over by the time at which the head is tried leaves the rest to it."""
    _note(state, row, TAKE, state.when[of.NOW])
    if state.suspended[row] == 0:
        return nodes_take_now(state, row, left)
    change_processors(state, row, TAKE, state.free)
    state.site[nodes.STAMP] += 1
    if state.when[of.NOW] + state.estimate[row] <= state.when[of.THEN]:
        change_others(state, row, GIVE, state.later)
    return left - int(state.processors[row])


@kernel
def _note(state: Structure, row: int, sign: int, begin: float) -> None:
    """What is kept depends on when a job is planned that is concerned."""
    if keeping.concerns(state, row):
        keeping.note_booking(state, row, sign, begin, begin + state.estimate[row])


@written_for(CHANGING_NODES, room.rewind)
def rewind_on_nodes(state: Structure, rows: Ints) -> None:
    """Suspended jobs have taken processors alone."""
    keeping.forget_bookings(state)
    for i in range(rows.size):
        if state.suspended[rows[i]] > 0:
            change_processors(state, rows[i], GIVE, state.free)
            nodes.note_room(state, rows[i])
        else:
            nodes_rewind(state, rows[i : i + 1])


@written_for(CHANGING_NODES, room.hopeless)
def hopeless_on_nodes(state: Structure, row: int, left: int) -> bool:
    """What is known of other jobs of its kind does not hold for all."""
    if state.processors[row] > left:
        return True
    if state.suspended[row] > 0 or keeping.active(state) or of.admitted_now(state, row):
        return False
    return nodes_hopeless(state, row, left)


@written_for(CHANGING_NODES, room.held_back)
def held_back_on_nodes(state: Structure, row: int, started: int) -> bool:
    """What is known of other jobs of its kind does not hold for all."""
    return not is_special(state, row) and nodes_held_back(state, row, started)


@written_for(CHANGING_NODES, room.hold_back)
def hold_back_on_nodes(state: Structure, row: int, started: int) -> None:
    """What is known of this job may not hold for others of its kind."""
    if is_special(state, row):
        state.counts[at.WITHHELD] = True
    else:
        nodes_hold_back(state, row, started)


@written_for(CHANGING_NODES, passes.shadow_time)
def shadow_time_on_nodes(
    state: Structure, now: float, head: int, out: Ints, started: int, skip: int, later: int
) -> tuple[float, int]:
    """The head's earliest fit. Windows that do not begin or end before the head would be over are of no concern."""
    situation, when = state.situation, state.when
    situation[of.FENCED] = situation[of.SET_ASIDE] > 0 or _any_is_suspended_soon(state) or of.admitted_now(state, head)
    when[of.THEN] = -INFINITY
    if situation[of.FENCED] == 0:
        shadow, left = usual_shadow_time(state, now, head, out, started, skip, later)
        if shadow + state.estimate[head] <= when[of.NEXT_KNOWN]:
            when[of.THEN] = shadow
            return shadow, left
        situation[of.FENCED] = 1
        room.copied(state, head, later)
    when[of.THEN] = shadow = _shadow_beside_windows(state, now, head, out[:started])
    return shadow, later


@kernel
def _any_is_suspended_soon(state: Structure) -> bool:
    """Whether a job is under notice that will be suspended."""
    found = False
    for row in state.leaving[: state.situation[of.LEAVING]]:
        found = found or state.leaves[row] == of.SUSPENDED
    return found


@kernel
def _shadow_beside_windows(state: Structure, now: float, head: int, started: Ints) -> float:
    """Merge ends of running jobs, of those started in this pass, of windows, and of outages where they are known."""
    later, expected, running = state.later, state.expected, state.running
    situation, estimate, earliest = state.situation, state.estimate, now + state.clock[at.GRACE]
    ignore_windows(state, later)
    sort_in(state)
    i, stop, time = state.counts[at.FIRST_RUNNING], state.counts[at.STOP_RUNNING], now
    while True:
        following = _next_known_after(state, time)
        while i < stop and is_gap(state, i):
            i += 1
        if i < stop:
            following = min(following, max(expected[i], earliest))
        for row in started:
            end = max(now + estimate[row], earliest)
            if end > time:
                following = min(following, end)
        if following == INFINITY:
            return INFINITY
        while i < stop and (is_gap(state, i) or max(expected[i], earliest) <= following):
            if not is_gap(state, i):
                give_at_end(state, running[i], later)
            i += 1
        for row in started:
            if time < max(now + estimate[row], earliest) <= following:
                nodes.change(state, row, state.shape[row], GIVE, later)
        for v in state.broken[: situation[of.DOWN] * situation[of.TOLD]]:
            if time < state.back[v] <= following:
                change_node(v, DOWN, later)
        time = state.when[of.THEN] = following
        if room.fits(state, head, at.ZERO):
            return float(time)


@kernel
def _next_known_after(state: Structure, time: float) -> float:
    """The next end of a window after a time, or of an outage if it is known."""
    following = INFINITY
    for window in state.known[: state.situation[of.KNOWN]]:
        if state.closes[window] > time:
            following = min(following, state.closes[window])
    for v in state.broken[: state.situation[of.DOWN] * state.situation[of.TOLD]]:
        if state.back[v] > time:
            following = min(following, state.back[v])
    return float(following)


@written_for(CHANGING_NODES, room.fits)
def fits_later_on_nodes(state: Structure, row: int, left: int) -> bool:
    """For as long as it is planned to run from that time on."""
    if state.situation[of.FENCED] == 0:
        return nodes_fits(state, row, left)
    fitting = _take_later(state, row)
    if fitting:
        _give_later(state, row)
    return fitting


@kernel
def _take_later(state: Structure, row: int) -> bool:
    """Place a job in what is left later, if it fits; its places are found, not given to it."""
    then, later = state.when[of.THEN], state.later
    if state.situation[of.FENCED] > 0:
        fence(state, row, then, then + state.estimate[row])
    keeping.change_now(state, TAKE, row, then, later)
    if state.suspended[row] > 0:
        fitting = resumes(state, row, later)
        if fitting:
            change_processors(state, row, TAKE, later)
    else:
        fitting = nodes.find(state, state.shape[row], at.ZERO, later)
    keeping.change_now(state, GIVE, row, then, later)
    if state.situation[of.FENCED] > 0:
        unfence(state)
    if fitting:
        _note(state, row, TAKE, then)
    return fitting


@kernel
def _give_later(state: Structure, row: int) -> None:
    """Undo `_take_later`."""
    _note(state, row, GIVE, state.when[of.THEN])
    if state.suspended[row] > 0:
        change_processors(state, row, GIVE, state.later)
    else:
        nodes.give_found(state, state.shape[row], state.later)


@written_for(CHANGING_NODES, room.take)
def take_later_on_nodes(state: Structure, row: int, left: int) -> int:
    """A suspended job takes processors alone."""
    if state.suspended[row] == 0:
        return nodes_take(state, row, left)
    change_processors(state, row, TAKE, state.later)
    return left - int(state.processors[row])


@written_for(CHANGING_NODES, room.give)
def give_later_on_nodes(state: Structure, row: int, left: int) -> int:
    """A suspended job gives processors alone."""
    if state.suspended[row] == 0:
        return nodes_give(state, row, left)
    change_processors(state, row, GIVE, state.later)
    return left + int(state.processors[row])


@written_for(CHANGING_NODES, room.fits_beside)
def fits_beside_on_nodes(state: Structure, row: int, head: int, left: int, later: int) -> bool:
    """On what is left both now and besides the head, and on no node of a window that it would reach into."""
    if state.situation[of.FENCED] == 0 and not is_special(state, row):
        return nodes_fits_beside(state, row, head, left, later)
    if not _take_later(state, head):
        return False
    now, then, both = state.when[of.NOW], state.when[of.THEN], state.low
    keeping.change_now(state, TAKE, row, now, state.free)
    keeping.change_now(state, TAKE, row, then, state.later)
    let_in(state, row, GIVE, state.free)
    if state.situation[of.FENCED] == 0:
        let_in(state, row, GIVE, state.later)
    for v in range(both.shape[0]):
        for r in range(both.shape[1]):
            both[v, r] = min(state.free[v, r], state.later[v, r])
    if state.situation[of.FENCED] == 0:
        let_in(state, row, TAKE, state.later)
    let_in(state, row, TAKE, state.free)
    keeping.change_now(state, GIVE, row, then, state.later)
    keeping.change_now(state, GIVE, row, now, state.free)
    _give_later(state, head)
    fence(state, row, now, now + state.estimate[row])
    fitting = resumes(state, row, both) if state.suspended[row] > 0 else finds_nodes(state, row, at.ZERO, both)
    unfence(state)
    return fitting


@written_for(CHANGING_NODES, passes.backfill)
def backfill_on_nodes(state: Structure, now: float, queue: Ints, k: int, skip: int, out: Ints, left: int) -> int:
    """As without windows: what fits, and when, is beside them."""
    return usual_backfill(state, now, queue, k, skip, out, left)


@written_for(CHANGING_NODES, passes.head_start)
def head_start_on_nodes(state: Structure, now: float, head: int, started: int, skip: int, left: int) -> float:
    """Its earliest fit, or a time beyond all others: a head without one holds nobody back."""
    return min(usual_head_start(state, now, head, started, skip, left), FIRST)


@written_for(CHANGING_NODES, what_is_left)
def what_windows_leave_of_nodes(state: Structure, first: int, now: float) -> int:
    """A window can be in the way, too."""
    left = room.copied(state, first, room.begin_pass(state, at.ZERO))
    ignore_windows(state, state.later)
    state.situation[of.FENCED], state.when[of.THEN] = 1, now
    return left


@written_for(CHANGING_NODES, has_room)
def has_room_on_nodes(state: Structure, row: int, left: int) -> bool:
    """On the nodes that windows leave."""
    return room.fits(state, row, left)


@written_for(CHANGING_NODES, forget_what_is_left)
def leave_nodes(state: Structure) -> None:
    """The next pass begins with a copy of its own."""
