"""What happens to a machine that changes, and when.

``change_time[i]``, for i from ``changes_done`` to ``changes_known``, are the times of the changes that
are known here, ascending. ``change_what`` says what happens (in this order at one time), to which processor or
window ``change_which``, and ``change_until`` when an outage ends. ``next_change`` is the next of these times, or the
one up to which changes are known.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, gapped, situation
from thinktime.models.engine.changes import evolving, hopeless, losing, resizing
from thinktime.models.engine.changes.pool_changes import PoolChanges
from thinktime.models.engine.codes import changes as changes_codes
from thinktime.models.engine.codes import interruptions as interruptions_codes
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.codes import usage as usage_codes
from thinktime.models.engine.estimates import Estimator
from thinktime.models.engine.interruptions import clearing, interruptions
from thinktime.models.engine.limits import entry_rows
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.queue_orders import Order
from thinktime.models.engine.rules import Rule
from thinktime.models.engine.sources.sources import Sources
from thinktime.models.engine.truth import Truth
from thinktime.workloads.arrays import Floats, Ints

INFINITY = math.inf


class ChangingChanges(PoolChanges):
    """A pool that changes: changes are due at times, jobs are interrupted by them, and policies are told."""

    def leave_hopeless(self, state: State, truth: Truth, rule: Rule, sources: Sources, now: float) -> bool:
        return hopeless.leave_hopeless_queue(state, truth, rule, sources, now)

    def next_change(self, state: State, truth: Truth) -> float:
        """The next change, or the next return of an interrupted job."""
        return min(float(truth.next_change), float(truth.next_ask), situation.next_return(state))

    def next_return(self, state: State) -> float:
        """When the next interrupted job comes back into the queue."""
        return situation.next_return(state)

    def change(
        self, state: State, truth: Truth, rule: Rule, order: Order, estimator: Estimator, sources: Sources, now: float
    ) -> bool:
        """The rule is told, and it is noted who else has to be."""
        state.now = now
        if state.changes.next_change(state, truth) > now:
            return False
        if state.shrinking_count > 0:
            resizing.take_effect(state, truth, rule, order, now)
        if truth.next_ask <= now:
            evolving.ask(state, truth, rule, order, now)
        if state.shrinks:
            losing.shrink_instead(state, truth, rule, order, now)
        k = change_machine(state, truth, now)
        given_up = truth.done[k : k + state.given_up]
        told = _tell(state, truth, rule, order, estimator, sources, now, truth.done[:k])
        if len(given_up) > 0:
            rule.withdrawn(state, now, given_up)
            told |= sources.note_over(state, truth, now, given_up)
        rule.changed(state, now)
        return bool(told or truth.hit_count > 0)

    def preempt(
        self, state: State, truth: Truth, rule: Rule, order: Order, estimator: Estimator, sources: Sources, now: float
    ) -> bool:
        """The rule is told, and it is noted who else has to be."""
        rows = truth.done[: leave_or_notice(state, truth, now)]
        return _tell(state, truth, rule, order, estimator, sources, now, rows)

    def stays(self, state: State, row: int) -> bool:
        """A suspended job does."""
        return bool(state.suspended[row] > 0)

    def spare_victims(self, state: State, rows: Ints) -> None:
        """Those stay whom the pass has chosen to leave for one of these jobs."""
        chosen = arithmetic.rows_copied(state.victims[: state.victim_count])
        for j in range(len(chosen)):
            victim = chosen[j]
            spared = False
            for i in range(len(rows)):
                row = rows[i]
                spared = spared or entry_rows.job_of(state, row) == state.keeper[victim]
            if spared:
                state.victim_count = situation.drop(state.victims, state.victim_count, victim)
                state.notice[victim] = INFINITY


def _tell(
    state: State, truth: Truth, rule: Rule, order: Order, estimator: Estimator, sources: Sources, now: float, rows: Ints
) -> bool:
    """Jobs were interrupted, and ask for no sizes: the rule is told, and it is noted who else has to be."""
    if len(rows) == 0:
        return False
    order.charge_jobs(state, now, usage_codes.END, rows)
    rule.interrupted(state, now, rows)
    resizing.find_next_ask(state, truth)
    killed = killed_of(state, rows)
    estimator.learn(state, truth, killed)
    told = sources.note_over(state, truth, now, killed)
    return told or truth.hit_count > 0


def killed_of(state: State, rows: Ints) -> Ints:
    """Those of some interrupted jobs that do not go on, in ``scratch``."""
    k = 0
    for i in range(len(rows)):
        row = rows[i]
        if state.state[row] == states.KILLED:
            state.scratch[k] = row
            k += 1
    return state.scratch[:k]


def change_machine(state: State, truth: Truth, now: float) -> int:
    """Do all changes that are due; the rows of the jobs that this interrupts are written to ``done``: how many."""
    times = truth.change_time
    what, which = truth.change_what, truth.change_which
    state.now, state.again, state.given_up = now, False, 0
    i, n, k = truth.changes_done, truth.changes_known, _end_notices(state, truth, now)
    _come_back(state, truth, now)
    while i < n and times[i] <= now:
        first = i
        while i < n and times[i] == times[first] and what[i] == what[first]:
            i += 1
        state.now = times[first]
        group = which[first:i]
        if what[first] == changes_codes.FAIL:
            k = _fail(state, truth, times[first], group, truth.change_until[first:i], k)
        elif what[first] == changes_codes.REPAIR:
            _repair(state, group)
        else:
            for j in range(len(group)):
                window = group[j]
                if what[first] == changes_codes.CLOSE:
                    _forget(state, window)
                    state.changes.open_nodes(state, window)
                elif what[first] == changes_codes.ANNOUNCE:
                    _learn_of(state, window)
        situation.look_ahead(state, times[first])
        if what[first] == changes_codes.OPEN:
            for j in range(len(group)):
                window = group[j]
                if state.manner[window] != of.WAIT:
                    k = state.changes.clear(state, truth, times[first], window, k)
                    if state.window_watts[window] > 0:
                        k = clearing.come_below(state, truth, times[first], window, k)
                state.changes.close_nodes(state, window)
    truth.changes_done = i
    truth.next_change = times[i] if i < n else truth.change_until[n]
    situation.look_ahead(state, now)
    state.passed_over = 0
    return k


def _end_notices(state: State, truth: Truth, now: float) -> int:
    """Jobs under notice leave at the end of their grace."""
    i = k = 0
    while i < state.leaving_count:
        row = state.leaving[i]
        if state.notice[row] <= now:
            _leave(state, truth, now, row)
            truth.done[k] = row
            k += 1
        else:
            i += 1
    return k


def _leave(state: State, truth: Truth, now: float, row: int) -> None:
    """A job is preempted. If it is not suspended, what jobs keep that it has sent away is for its own preemptor."""
    interruptions.interrupt(
        state, truth, now, row, interruptions_codes.PREEMPTED, interruptions.fate_of(state.leaves[row])
    )
    if state.suspended[row] == 0:
        for i in range(state.set_aside):
            other = state.kept[i]
            if state.keeper[other] == row:
                state.keeper[other] = state.keeper[row]


def _come_back(state: State, truth: Truth, now: float) -> None:
    """Interrupted jobs come back into the queue after their delay."""
    n = 0
    for i in range(state.delayed_count):
        row = state.delayed[i]
        if state.state[row] == states.FUTURE and state.ready[row] <= now:
            interruptions.queue_again(truth, row)
        elif state.state[row] == states.FUTURE:
            state.delayed[n] = row
            n += 1
    state.delayed_count = n


def leave_or_notice(state: State, truth: Truth, now: float) -> int:
    """The pass has chosen victims: those leave that have no grace; the others are under notice. How many left."""
    k = 0
    for i in range(state.victim_count):
        row = state.victims[i]
        if state.notice[row] <= now:
            _leave(state, truth, now, row)
            truth.done[k] = row
            k += 1
        else:
            state.leaving[state.leaving_count] = row
            state.leaving_count += 1
            gapped.expect_later(state, row, min(state.expected_end[row], state.notice[row]))
    if state.victim_count > 0:
        state.passed_over = 0
    state.victim_count, state.again = 0, k > 0
    return k


def _fail(state: State, truth: Truth, now: float, processors: Ints, until: Floats, k: int) -> int:
    """Processors fail, and interrupt the jobs that have them."""
    outages, fresh = state.outages, 0
    for i in range(len(processors)):
        processor = processors[i]
        if outages[processor] == 0:
            if state.back[processor] == now and state.came_back > 0:  # repaired at this instant
                state.came_back -= 1
                if state.came_back == 0:
                    state.news &= ~of.CAME_BACK
            state.broken[state.down] = processor
            state.down += 1
            state.back[processor] = until[i]
            fresh += 1
        outages[processor] += 1
        state.back[processor] = max(state.back[processor], until[i])
    state.news |= of.BEGAN
    begin = k
    failing = state.broken[state.down - fresh : state.down]  # ascending
    for j in range(gapped.line_up(state)):
        row = state.running[j]
        if fresh > 0 and interruptions.has_one_of(state, row, failing):
            truth.done[k] = row
            k += 1
    for j in range(begin, k):
        row = truth.done[j]
        cancels = state.cancels and state.lasting[row] < 0
        interruptions.interrupt(
            state,
            truth,
            now,
            row,
            interruptions_codes.FAILED,
            interruptions_codes.IS_KILLED if cancels else interruptions_codes.MAY_GO_ON,
        )
    state.changes.hit_suspended(state, truth, now, failing, k)
    state.idle -= state.changes.go_down(state, failing)
    return k


def _repair(state: State, processors: Ints) -> None:
    """Let processors or nodes come back whose last outage is over."""
    outages, back = state.outages, 0
    for j in range(len(processors)):
        processor = processors[j]
        outages[processor] -= 1
        if outages[processor] == 0:
            back += state.changes.come_back(state, processor)
    n = 0
    for i in range(state.down):
        state.broken[n] = state.broken[i]
        n += outages[state.broken[i]] > 0
    state.down = n
    state.idle += back
    if back > 0 and not state.repairs_told:
        state.news |= of.CAME_BACK
        state.came_back += back


def _learn_of(state: State, window: int) -> None:
    """A window is announced."""
    known, place = state.known, state.known_count
    while place > 0 and state.opens[known[place - 1]] > state.opens[window]:
        known[place] = known[place - 1]
        place -= 1
    known[place] = window
    state.known_count += 1
    state.news |= of.BEGAN


def _forget(state: State, window: int) -> None:
    """A window is over."""
    known, n = state.known, 0
    for i in range(state.known_count):
        known[n] = known[i]
        n += known[i] != window
    state.known_count = n
