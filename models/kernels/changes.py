"""What happens to a machine that changes, and when.

``change_time[i]``, for i from ``counts[NEXT_CHANGE]`` to ``counts[CHANGES]``, are the times of the changes that kernels
have been told of, ascending. ``change_what`` says what happens (in this order at one time), to which processor or
window ``change_which``, and ``change_until`` when an outage ends. ``clock[CHANGE]`` is the next of these times, or the
one up to which changes are known.
"""

from thinktime.models.kernels import gaps
from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.clearing import clear
from thinktime.models.kernels.entry_rows import job_of, stays
from thinktime.models.kernels.estimates import learn
from thinktime.models.kernels.gapped import expect_later, line_up
from thinktime.models.kernels.interruptions import (
    FAILED,
    FATES,
    IS_KILLED,
    MAY_GO_ON,
    PREEMPTED,
    has_one_of,
    interrupt,
    queue_again,
)
from thinktime.models.kernels.leap import change, next_change, next_return, preempt
from thinktime.models.kernels.limits import spare_victims
from thinktime.models.kernels.machine_state import CHANGING
from thinktime.models.kernels.queue_orders import charge_jobs
from thinktime.models.kernels.rules import ended, withdrawn
from thinktime.models.kernels.sources import note_over
from thinktime.models.kernels.state_codes import FUTURE, KILLED
from thinktime.models.kernels.usage import END
from thinktime.workloads.compiler import Ints, kernel
from thinktime.workloads.kinds import by_kind, written_for
from thinktime.workloads.structures import Structure

REPAIR, CLOSE, FAIL, ANNOUNCE, OPEN = range(5)
"""What happens."""


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


@written_for(CHANGING, stays)
def suspended_stays(state: Structure, row: int) -> bool:
    """One that is suspended."""
    return bool(state.suspended[row] > 0)


@written_for(CHANGING, spare_victims)
def spare_chosen_victims(state: Structure, rows: Ints) -> None:
    """Those stay whom the pass has chosen to leave for one of these jobs."""
    situation = state.situation
    chosen = state.victims[: situation[of.VICTIMS]].copy()
    for victim in chosen:
        spared = False
        for row in rows:
            spared = spared or job_of(state, row) == state.keeper[victim]
        if spared:
            situation[of.VICTIMS] = of.drop(state.victims, situation[of.VICTIMS], victim)
            state.notice[victim] = at.INFINITY


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
            _leave(state, truth, now, row)
            truth.done[k] = row
            k += 1
        else:
            i += 1
    return k


@kernel
def _leave(state: Structure, truth: Structure, now: float, row: int) -> None:
    """A job is preempted. If it is not suspended, what jobs keep that it has sent away is for its own preemptor."""
    interrupt(state, truth, now, row, PREEMPTED, FATES[state.leaves[row]])
    if state.suspended[row] == 0:
        for other in state.kept[: state.situation[of.SET_ASIDE]]:
            if state.keeper[other] == row:
                state.keeper[other] = state.keeper[row]


@kernel
def _come_back(state: Structure, truth: Structure, now: float) -> None:
    """Interrupted jobs come back into the queue after their delay."""
    n = 0
    for row in state.delayed[: state.situation[of.DELAYED]]:
        if state.state[row] == FUTURE and state.ready[row] <= now:
            queue_again(truth, row)
        elif state.state[row] == FUTURE:
            state.delayed[n] = row
            n += 1
    state.situation[of.DELAYED] = n


@kernel
def leave_or_notice(state: Structure, truth: Structure, now: float) -> int:
    """The pass has chosen victims: those leave that have no grace; the others are under notice. How many left."""
    situation, k = state.situation, 0
    for row in state.victims[: situation[of.VICTIMS]]:
        if state.notice[row] <= now:
            _leave(state, truth, now, row)
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
