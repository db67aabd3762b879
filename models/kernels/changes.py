"""What happens to a machine that changes, and who is in its way.

``change_time[i]``, for i from ``counts[NEXT_CHANGE]`` to ``counts[CHANGES]``, are the times of the changes that kernels
have been told of, ascending. ``change_what`` says what happens (in this order at one time), to which processor or
window ``change_which``, and ``change_until`` when an outage ends. ``clock[CHANGE]`` is the next of these times, or the
one up to which changes are known. ``hit[:n]`` are the rows that were interrupted and have to be told.

``log`` has a record for each run that was interrupted.
"""

import numpy as np

from thinktime.models.kernels import gaps, runs
from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.changing_profile import window_profile
from thinktime.models.kernels.estimates import learn
from thinktime.models.kernels.gapped import expect_later, leave_place, line_up
from thinktime.models.kernels.leap import change, leave_hopeless, next_change, next_return, preempt
from thinktime.models.kernels.machine_state import CHANGING, INFINITY
from thinktime.models.kernels.pool import leave_queue
from thinktime.models.kernels.profile import earliest
from thinktime.models.kernels.queue_orders import charge_jobs, sort_places
from thinktime.models.kernels.room import vacate
from thinktime.models.kernels.rules import ended, withdrawn
from thinktime.models.kernels.state_codes import FUTURE, KILLED, REFUSED
from thinktime.models.kernels.telling import note_over
from thinktime.models.kernels.true_ends import end_of, take_end
from thinktime.models.kernels.usage import END
from thinktime.workloads.compiler import Ints, Structure, by_kind, call_back, kernel, whole, written_for

REPAIR, CLOSE, FAIL, ANNOUNCE, OPEN = range(5)
"""What happens."""
RECORD = 10
ROW, BEGIN, STOP, FIRST_PLACE, PLACES, HOW, PROGRESS, OVERHEAD, LOST, SUBMIT = range(RECORD)
"""What a record of a run has."""
FAILED, WINDOW, PREEMPTED = whole(3), whole(4), whole(5)
"""How a run was broken off (`thinktime.models.state.RUN_ENDS`)."""
MAY_GO_ON, IS_KILLED, KEEPS_WORK = whole(0), whole(1), whole(2)
"""What becomes of the job."""
FATES = (IS_KILLED, MAY_GO_ON, KEEPS_WORK)
"""For each way to leave (`thinktime.models.kernels.situation`)."""


@written_for(CHANGING, next_change)
def next_change_known(state: Structure, truth: Structure) -> float:
    """The next one."""
    return min(float(truth.clock[at.CHANGE]), of.next_return(state))


@written_for(CHANGING, next_return)
def next_return_known(state: Structure) -> float:
    """The next one."""
    return of.next_return(state)


@written_for(CHANGING, change)
def change_and_tell(
    state: Structure,
    truth: Structure,
    rule: Structure,
    order: Structure,
    estimator: Structure,
    sources: Structure,
    now: float,
) -> bool:
    """Tell the rule, and note who has to be told."""
    state.when[of.NOW] = now
    if next_change(state, truth) > now:
        return False
    k = change_machine(state, truth, now)
    given_up = truth.done[k : k + state.situation[of.GIVEN_UP]]
    told = _tell(state, truth, rule, order, estimator, sources, now, truth.done[:k])
    if given_up.size > 0:
        withdrawn(state, rule, now, given_up)
        told |= note_over(state, truth, sources, now, given_up)
    return bool(told or truth.counts[at.HIT] > 0)


@written_for(CHANGING, preempt)
def preempt_and_tell(
    state: Structure,
    truth: Structure,
    rule: Structure,
    order: Structure,
    estimator: Structure,
    sources: Structure,
    now: float,
) -> bool:
    """Tell the rule, and note who has to be told."""
    rows = truth.done[: leave_or_notice(state, truth, now)]
    return _tell(state, truth, rule, order, estimator, sources, now, rows)


@kernel
def _tell(
    state: Structure,
    truth: Structure,
    rule: Structure,
    order: Structure,
    estimator: Structure,
    sources: Structure,
    now: float,
    rows: Ints,
) -> bool:
    """Jobs were interrupted."""
    if rows.size == 0:
        return False
    charge_jobs(state, order, now, END, rows)
    ended(state, rule, now, rows)
    killed = killed_of(state, rows)
    learn(state, truth, estimator, killed)
    told = note_over(state, truth, sources, now, killed)
    return told or truth.counts[at.HIT] > 0


@kernel
def killed_of(state: Structure, rows: Ints) -> Ints:
    """Those of some interrupted jobs that do not go on, in ``scratch``."""
    k = 0
    for row in rows:
        if state.state[row] == KILLED:
            state.scratch[k] = row
            k += 1
    return state.scratch[:k]  # type: ignore[no-any-return]


@kernel
def change_machine(state: Structure, truth: Structure, now: float) -> int:
    """Do all changes that are due; the rows of the jobs that this interrupts are written to ``done``: how many."""
    counts, situation, times = truth.counts, state.situation, truth.change_time
    what, which = truth.change_what, truth.change_which
    state.when[of.NOW], situation[of.AGAIN], situation[of.GIVEN_UP] = now, 0, 0
    i, n, k = counts[at.NEXT_CHANGE], counts[at.CHANGES], _end_notices(state, truth, now)
    _come_back(state, truth, now)
    while i < n and times[i] <= now:
        first = i
        while i < n and times[i] == times[first] and what[i] == what[first]:
            i += 1
        state.when[of.NOW] = times[first]
        group = which[first:i]
        if what[first] == FAIL:
            k = _fail(state, truth, times[first], group, truth.change_until[first:i], k)
        elif what[first] == REPAIR:
            _repair(state, group)
        else:
            for window in group:
                if what[first] == CLOSE:
                    _forget(state, window)
                    open_nodes(state, window)
                elif what[first] == ANNOUNCE:
                    _learn_of(state, window)
        of.look_ahead(state, times[first])
        if what[first] == OPEN:
            for window in group:
                if state.manner[window] != of.WAIT:
                    k = clear(state, truth, times[first], window, k)
                close_nodes(state, window)
    counts[at.NEXT_CHANGE] = i
    truth.clock[at.CHANGE] = times[i] if i < n else truth.change_until[n]
    of.look_ahead(state, now)
    state.counts[at.PASSED_OVER] = 0
    state.counts[at.AHEAD] = situation[of.KNOWN] + (situation[of.DOWN] if situation[of.TOLD] else 0)
    return k


@kernel
def _end_notices(state: Structure, truth: Structure, now: float) -> int:
    """Jobs under notice leave at the end of their grace."""
    i = k = 0
    while i < state.situation[of.LEAVING]:
        row = state.leaving[i]
        if state.notice[row] <= now:
            interrupt(state, truth, now, row, PREEMPTED, FATES[state.leaves[row]])
            truth.done[k] = row
            k += 1
        else:
            i += 1
    return k


@kernel
def _come_back(state: Structure, truth: Structure, now: float) -> None:
    """Interrupted jobs come back into the queue after their delay."""
    n = 0
    for row in state.delayed[: state.situation[of.DELAYED]]:
        if state.state[row] == FUTURE and state.ready[row] <= now:
            _queue_again(truth, row)
        elif state.state[row] == FUTURE:
            state.delayed[n] = row
            n += 1
    state.situation[of.DELAYED] = n


@kernel
def _queue_again(truth: Structure, row: int) -> None:
    """A job comes into the queue at this instant."""
    truth.arrived[truth.counts[at.ARRIVED]] = row
    truth.counts[at.ARRIVED] += 1


@kernel
def leave_or_notice(state: Structure, truth: Structure, now: float) -> int:
    """The pass has chosen victims: those leave that have no grace; the others are under notice. How many left."""
    situation, k = state.situation, 0
    for row in state.victims[: situation[of.VICTIMS]]:
        if state.notice[row] <= now:
            interrupt(state, truth, now, row, PREEMPTED, FATES[state.leaves[row]])
            truth.done[k] = row
            k += 1
        else:
            state.leaving[situation[of.LEAVING]] = row
            situation[of.LEAVING] += 1
            expect_later(state, row, min(state.expected_end[row], state.notice[row]))
    if situation[of.VICTIMS] > 0:
        state.counts[at.PASSED_OVER] = 0
    situation[of.VICTIMS], situation[of.AGAIN] = 0, k > 0
    return k


@kernel
def _fail(state: Structure, truth: Structure, now: float, processors: Ints, until: Ints, k: int) -> int:
    """Processors fail, and interrupt the jobs that have them."""
    situation, outages, fresh = state.situation, state.outages, 0
    for i in range(processors.size):
        processor = processors[i]
        if outages[processor] == 0:
            if state.back[processor] == now and situation[of.BACK] > 0:  # repaired at this instant
                situation[of.BACK] -= 1
                if situation[of.BACK] == 0:
                    situation[of.NEWS] &= ~of.CAME_BACK
            state.broken[situation[of.DOWN]] = processor
            situation[of.DOWN] += 1
            state.back[processor] = until[i]
            fresh += 1
        outages[processor] += 1
        state.back[processor] = max(state.back[processor], until[i])
    situation[of.NEWS] |= of.BEGAN
    begin = k
    failing = state.broken[situation[of.DOWN] - fresh : situation[of.DOWN]]  # ascending
    for row in state.running[: line_up(state)]:
        if fresh > 0 and has_one_of(state, row, failing):
            truth.done[k] = row
            k += 1
    for row in truth.done[begin:k]:
        cancels = situation[of.CANCELS] > 0 and state.lasting[row] < 0
        interrupt(state, truth, now, row, FAILED, IS_KILLED if cancels else MAY_GO_ON)
    hit_suspended(state, truth, now, failing, k)
    state.counts[at.IDLE] -= gaps.go_down(state, failing)
    return k


@by_kind
def hit_suspended(state: Structure, truth: Structure, now: float, failing: Ints, k: int) -> None:
    """Suspended jobs are interrupted as well; those that are given up are written to ``done`` from place k on.

    On a pool they have no processors.
    """


@kernel
def has_one_of(state: Structure, row: int, processors: Ints) -> bool:
    """Whether a running job has one of some processors, which ascend."""
    for place in range(state.offset[row], state.offset[row] + state.size[row]):
        low, high = 0, processors.size
        while low < high:
            middle = (low + high) // 2
            if processors[middle] < state.places[place, gaps.FROM]:
                low = middle + 1
            else:
                high = middle
        if low < processors.size and processors[low] < state.places[place, gaps.STOP]:
            return True
    return False


@kernel
def _repair(state: Structure, processors: Ints) -> None:
    """Outages are over."""
    situation, outages, back = state.situation, state.outages, 0
    for processor in processors:
        outages[processor] -= 1
        if outages[processor] == 0:
            back += gaps.come_back(state, processor)
    n = 0
    for i in range(situation[of.DOWN]):
        state.broken[n] = state.broken[i]
        n += outages[state.broken[i]] > 0
    situation[of.DOWN] = n
    state.counts[at.IDLE] += back
    if back > 0 and not situation[of.TOLD]:
        situation[of.NEWS] |= of.CAME_BACK
        situation[of.BACK] += back


@kernel
def _learn_of(state: Structure, window: int) -> None:
    """A window is announced."""
    known, place = state.known, state.situation[of.KNOWN]
    while place > 0 and state.opens[known[place - 1]] > state.opens[window]:
        known[place] = known[place - 1]
        place -= 1
    known[place] = window
    state.situation[of.KNOWN] += 1
    state.situation[of.NEWS] |= of.BEGAN


@by_kind
def close_nodes(state: Structure, window: int) -> None:
    """A window begins: its nodes have nothing for jobs that it does not admit. On a pool it has no processors."""


@by_kind
def open_nodes(state: Structure, window: int) -> None:
    """A window is over, which might not have begun yet for a copy of the machine."""


@kernel
def _forget(state: Structure, window: int) -> None:
    """A window is over."""
    known, n = state.known, 0
    for i in range(state.situation[of.KNOWN]):
        known[n] = known[i]
        n += known[i] != window
    state.situation[of.KNOWN] = n


@kernel
def remain(state: Structure) -> int:
    """What is left now beside what open windows hold that clear; and what each open window has that admits somebody."""
    left = state.counts[at.IDLE]
    for window in state.known[: state.situation[of.KNOWN]]:
        if not of.is_open(state, window):
            continue
        held = state.amount[window]
        if state.slot[window] != of.NOBODY:
            for row in state.running[: line_up(state)]:
                if of.admits(state, window, row):
                    held -= state.processors[row]
            state.remaining[window] = held
        if state.manner[window] != of.WAIT:
            left -= max(0, held)
    return int(left)


@kernel
def _move(state: Structure, left: int, row: int, sign: int) -> int:
    """What is left if a job leaves, or does not."""
    left += sign * state.processors[row]
    if state.situation[of.OPEN_FOR_SOME] > 0:
        for window in state.known[: state.situation[of.KNOWN]]:
            if state.slot[window] == of.NOBODY or not of.is_open(state, window) or not of.admits(state, window, row):
                continue
            before = max(0, state.remaining[window])
            state.remaining[window] += sign * state.processors[row]
            if state.manner[window] != of.WAIT:
                left -= max(0, state.remaining[window]) - before
    return left


@by_kind
def clear(state: Structure, truth: Structure, now: float, window: int, k: int) -> int:
    """A window begins: jobs that it does not admit leave, the youngest first, but only those that are in the way."""
    left = remain(state)
    if left >= 0:
        return k
    rows, n = state.out, 0
    for row in state.running[: line_up(state)]:
        if not of.admits(state, window, row):
            rows[n] = row
            n += 1
    candidates = youngest_first(state, rows[:n])
    taken = 0
    while left < 0 and taken < n:
        left = _move(state, left, candidates[taken], 1)
        taken += 1
    for i in range(taken - 1, -1, -1):
        without = _move(state, left, candidates[i], -1)
        if without >= 0 or without == left:
            left, candidates[i] = without, of.NOBODY
        else:
            _move(state, without, candidates[i], 1)
    for row in candidates[:taken]:
        if row != of.NOBODY:
            k = make_way(state, truth, now, window, row, k)
    return k


@kernel
def make_way(state: Structure, truth: Structure, now: float, window: int, row: int, k: int) -> int:
    """A job leaves for a window; it is written to place k of ``done``."""
    interrupt(state, truth, now, row, WINDOW, IS_KILLED if state.manner[window] == of.KILL_JOBS else MAY_GO_ON)
    truth.done[k] = row
    return k + 1


@kernel
def youngest_first(state: Structure, rows: Ints) -> Ints:
    """Running rows by the latest start of their runs, then by the larger id."""
    keys, places, spare = np.empty(rows.size), np.arange(rows.size), np.empty(rows.size, np.int64)
    for i in range(rows.size):
        keys[i] = -state.id[rows[i]]
    places = sort_places(keys, places, spare)
    for i in range(rows.size):
        keys[i] = -state.start[rows[i]]
    places = sort_places(keys, places, np.empty(rows.size, np.int64))
    for i in range(rows.size):
        places[i] = rows[places[i]]
    return places


@kernel
def interrupt(state: Structure, truth: Structure, now: float, row: int, how: int, fate: int) -> None:
    """A running job is thrown off: it goes back into the queue, or is killed."""
    leave_place(state, row)
    take_end(state, truth, end_of(state, truth, row))
    vacate(state, row)
    kept = runs.KEPT if fate == KEEPS_WORK else runs.LOST
    progress, overhead, lost = runs.account(state, truth, row, now, kept)
    log_run(state, truth, now, row, how, progress, overhead, lost)
    state.done[row] += progress
    if send_back(state, truth, now, row, fate):
        leave_nodes(state, row, fate == KEEPS_WORK)


@by_kind
def leave_nodes(state: Structure, row: int, suspended: bool) -> None:
    """An interrupted job that goes on has left its nodes; if it is suspended, it keeps what it has there."""


@by_kind
def let_go(state: Structure, row: int) -> None:
    """A waiting job is given up; if it is suspended, it keeps nothing any more."""


@kernel
def send_back(state: Structure, truth: Structure, now: float, row: int, fate: int) -> bool:
    """An interrupted job goes back into the queue, or is killed; whether it goes on."""
    situation, counts = state.situation, truth.counts
    state.runs[row] += 1
    state.start[row] = np.nan
    never = state.lasting[row] > 0 and (fate == MAY_GO_ON or state.lasting[row] == of.OF_PROCESS)
    killed = fate == IS_KILLED or never or state.runs[row] > situation[of.MOST_RUNS]
    truth.end[row] = now if killed else np.nan
    state.state[row] = KILLED if killed else FUTURE
    if killed:
        return False
    if situation[of.REQUEUES_NOW]:
        state.submit[row] = now
    runs.plan_run(state, row)
    if state.when[of.DELAY] > 0.0:
        state.ready[row] = now + state.when[of.DELAY]
        state.delayed[situation[of.DELAYED]] = row
        situation[of.DELAYED] += 1
    else:
        _queue_again(truth, row)
    if truth.attention[row] & at.AWAITED_INTERRUPTION:
        truth.hit[counts[at.HIT]] = row
        counts[at.HIT] += 1
    return True


@kernel
def log_run(
    state: Structure, truth: Structure, now: float, row: int, how: int, progress: float, overhead: float, lost: float
) -> None:
    """Write down a run that is over, though the job may not be."""
    n = RECORD * truth.counts[at.LOGGED]
    if truth.log.size < n + RECORD:
        call_back(state.situation[of.GROW], gaps.LOG, at.ZERO, at.ZERO)
    log = truth.log
    log[n + ROW], log[n + BEGIN], log[n + STOP], log[n + HOW] = row, state.start[row], now, how
    log[n + FIRST_PLACE], log[n + PLACES] = state.offset[row], state.size[row]
    log[n + PROGRESS], log[n + OVERHEAD], log[n + LOST], log[n + SUBMIT] = progress, overhead, lost, state.submit[row]
    truth.counts[at.LOGGED] += 1


@written_for(CHANGING, leave_hopeless)
def leave_hopeless_queue(state: Structure, truth: Structure, rule: Structure, sources: Structure, now: float) -> bool:
    """Refuse waiting jobs that endless windows leave no room for, and kill those that have run."""
    rows = hopeless_rows(state, truth, now)
    if rows.size == 0:
        return False
    withdrawn(state, rule, now, rows)
    return bool(note_over(state, truth, sources, now, rows))


@kernel
def hopeless_rows(state: Structure, truth: Structure, now: float) -> Ints:
    """Take waiting jobs out of the queue that could never start any more, in ``scratch``."""
    counts, k = state.counts, 0
    if state.situation[of.ENDLESS] == 0:
        return state.scratch[:0]  # type: ignore[no-any-return]
    for row in state.waiting[counts[at.HEAD] : counts[at.HEAD] + counts[at.IN_QUEUE]]:
        if never_starts(state, row, now):
            state.scratch[k] = row
            k += 1
    for row in state.scratch[:k]:
        let_go(state, row)
        state.state[row] = KILLED if state.runs[row] > 0 else REFUSED
        truth.end[row] = now
    if k > 0:
        counts[at.PASSED_OVER] = 0
        leave_queue(state, k)
    return state.scratch[:k]  # type: ignore[no-any-return]


@by_kind
def never_starts(state: Structure, row: int, now: float) -> bool:
    """Whether a job would find no room on the machine if it were idle and up, beside the windows that are known."""
    processors, times, free = state.counts[at.PROCESSORS], state.seen_times, state.seen_free
    if state.processors[row] + state.situation[of.ENDLESS] <= processors:
        return False
    n = window_profile(state, now, processors, times, free)
    return bool(earliest(state, row, state.estimate[row], times, free, n) == INFINITY)
