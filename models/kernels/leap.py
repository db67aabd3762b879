"""The leap: all instants up to a horizon in one call.

An instant is what `thinktime.models.phases` says: ends, submissions, one pass, starts. Between two events of SimPy
nobody outside the machine can act, so compiled code may go through every instant before the next event. It
pauses where somebody has to be told, since they may react.

On LANL-CM5 under EASY, the calls from Python and SimPy's own work for every instant took nine tenths of the time.
"""

from thinktime.models.kernels import limits
from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels.entries import start_entries
from thinktime.models.kernels.estimates import admit, expect, learn, next_revision, revise
from thinktime.models.kernels.patience import leave_impatiently, next_leaving
from thinktime.models.kernels.pool import enqueue, finish_due, queue_of, start_rows
from thinktime.models.kernels.queue_orders import arranged, asks_for_keys, charge_jobs, is_kept
from thinktime.models.kernels.reasons import explain
from thinktime.models.kernels.releases import ask
from thinktime.models.kernels.room import admitted_first, plan_starts
from thinktime.models.kernels.rules import barred, due, ended, passes_over, put_off, revised, select, started
from thinktime.models.kernels.sources import arrive, note_over, note_started
from thinktime.models.kernels.usage import END, START
from thinktime.workloads.compiler import Ints
from thinktime.workloads.kinds import by_kind
from thinktime.workloads.structures import Structure

ENDS, PASS, TELL, AGAIN, HELP = range(5)  # where to go on
WORK = 500_000
"""Jobs looked at in one leap, some tenths of a second, before Python may show progress or be interrupted."""


@by_kind
def leap(
    state: Structure,
    truth: Structure,
    rule: Structure,
    order: Structure,
    estimator: Structure,
    sources: Structure,
    now: float,
    phase: int,
    horizon: float,
    mark: int,
    attended: bool,
) -> tuple[float, int]:
    """Go through the instant ``now`` from ``phase`` on, and through all others before ``horizon``.

    Return a time, and how to go on then:

    * `ENDS`: begin a new instant; nothing happens before.
    * `PASS`: jobs have ended; tell whoever waits for them, let them react, and go on with the pass.
    * `TELL`: the instant is over; tell whoever waits for what has happened, and go on at the time of `following`.
    * `AGAIN`: the rule's arrays are too short for the pass, or it asks something; go on with it.
    * `HELP`: Python has to help a user who is due (`thinktime.models.kernels.plans`); go on with the pass.

    ``mark`` is a number of jobs that are over at which to return, too. So does an idle machine that only its rule would
    wake, since the run may be over. Where nobody waits for jobs (``attended`` is false, and nothing follows them), ends
    are no instants while the queue is empty.
    """
    counts, clock, out, done = state.counts, truth.clock, state.out, truth.done
    work, steady = 0, counts[at.OVERRUN] == at.KILL and state.clock[at.GRACE] == 0.0
    steady = steady and is_kept(order) and passes_over(state, rule) and not limits.limited(state)
    if phase == ENDS and truth.counts[at.ARRIVED] == 0:
        then = following(state, truth, rule, estimator, now, attended)
        if then > now:  # an older ring, and nothing to do
            return then, ENDS
    while True:
        clock[at.REACHED] = now
        if phase == ENDS:
            told = False
            truth.counts[at.STIRRED] = min(clock[at.NEXT_END], next_change(state, truth), next_return(state)) <= now
            if clock[at.NEXT_END] <= now:
                rows = done[: finish_due(state, truth, now)]
                learn(state, truth, estimator, rows)
                charge_jobs(state, order, now, END, rows)
                ended(state, rule, now, rows)
                told = note_over(state, truth, sources, now, rows)
            if change(state, truth, rule, order, estimator, sources, now) or told:
                return now, PASS
        urgent = False
        if phase < AGAIN:
            if next_revision(state, estimator) <= now:
                truth.counts[at.STIRRED] = 1
                revised(state, rule, now, state.scratch[: revise(state, estimator, now)])
            if leave_impatiently(state, truth, rule, sources, now):
                return now, PASS
            if clock[at.ARRIVAL] <= now and not arrive(state, truth, sources, now):
                return now, HELP
            if truth.counts[at.ARRIVED] > 0:
                truth.counts[at.STIRRED] = 1
                admit(state, truth, estimator, truth.arrived[: truth.counts[at.ARRIVED]])
                if asks_for_keys(order):
                    ask(truth, now, at.NEWCOMERS)
        if phase != AGAIN and truth.counts[at.ARRIVED] > 0:
            enqueue(state, truth, now)
            if truth.counts[at.TURNED_AWAY] > 0:
                urgent = note_over(state, truth, sources, now, state.scratch[: truth.counts[at.TURNED_AWAY]])
        urgent |= leave_hopeless(state, truth, rule, sources, now)
        passes = phase == AGAIN or not only_balked(state, truth, rule, now)
        phase, again, k = ENDS, passes, 0
        while again:
            rows = arranged(state, rule, order, now, eligible(state, rule, now))
            queue = admitted_first(state, limits.by_tier(state, rows))
            k = select(state, rule, now, queue)
            if k < 0:
                return now, AGAIN
            k, again = within_limits(state, rule, now, queue, k)
            urgent |= preempt(state, truth, rule, order, estimator, sources, now)
            if k > 0:
                plan_starts(state, queue, out[:k])
                start_entries(state, order, out[:k])
                evicted = start_rows(state, truth, now, out[:k])
                if evicted > 0:
                    learn(state, truth, estimator, done[:evicted])
                    charge_jobs(state, order, now, END, done[:evicted])
                    ended(state, rule, now, done[:evicted])
                    urgent |= note_over(state, truth, sources, now, done[:evicted])
                charge_jobs(state, order, now, START, out[:k])
                started(state, rule, now, out[:k])
                expect(state, estimator, out[:k])
                urgent |= note_started(state, truth, sources, now, out[:k])
        if passes:
            counts[at.PASSED_OVER] = counts[at.IN_QUEUE] if steady and (k == 0 or not counts[at.WITHHELD]) else 0
        truth.counts[at.SEEN] = truth.counts[at.IN_SIGHT] = counts[at.IN_QUEUE]
        limits.age(state, now)
        if truth.counts[at.EXPLAINED] > 0:
            explain(state, truth, now)
        if urgent:
            return now, TELL
        then = following(state, truth, rule, estimator, now, attended)
        work += 10 + counts[at.IN_QUEUE]
        idle = counts[at.IN_QUEUE] + counts[at.AT_WORK] == 0 and then < clock[at.ARRIVAL]
        if then >= horizon or work > WORK or truth.counts[at.OVER] >= mark or idle:
            return then, ENDS
        now = max(now, then)


@by_kind
def only_balked(state: Structure, truth: Structure, rule: Structure, now: float) -> bool:
    """Whether nothing has happened at an instant but that users did not submit: then there is no pass."""
    if truth.clock[at.BALKED_AT] != now or truth.counts[at.STIRRED] > 0:
        return False
    return min(due(state, rule, now, state.waiting[:0]), limits.next_opening(state, now)) > now


@by_kind
def eligible(state: Structure, rule: Structure, now: float) -> Ints:
    """The waiting rows that no limit keeps from starting."""
    if not limits.limited(state):
        return queue_of(state)
    beyond = limits.sort_out(state, now)
    if beyond > 0:
        barred(state, rule, now, state.scratch[:beyond].copy())
    return state.limit_rows[: state.limit_counts[limits.ELIGIBLE]]  # type: ignore[no-any-return]


@by_kind
def within_limits(state: Structure, rule: Structure, now: float, queue: Ints, k: int) -> tuple[int, bool]:
    """How many of those that the rule would start may start, and whether a pass has to follow at once."""
    if k == 0 or not limits.limited(state):
        return k, False
    kept = limits.cut(state, now, queue, k)
    again = kept < 0
    if again:
        kept = -1 - kept
    if kept < k:
        put_off(state, rule, now, state.out[kept:k].copy())
    return kept, again


@by_kind
def following(
    state: Structure, truth: Structure, rule: Structure, estimator: Structure, now: float, attended: bool
) -> float:
    """The next instant after a pass. While nobody waits, the last of all ends is the only one that matters."""
    waiting, running = state.counts[at.IN_QUEUE], state.counts[at.AT_WORK]
    time = min(float(truth.clock[at.ARRIVAL]), due(state, rule, now, state.waiting[:0]), next_return(state))
    time = min(time, limits.next_opening(state, now), next_leaving(state, truth))
    if waiting + running > 0:
        if attended or waiting > 0 or truth.counts[at.TO_COME] > 0:
            time = min(time, float(truth.clock[at.NEXT_END]), next_revision(state, estimator))
        else:
            time = min(time, float(truth.clock[at.LAST_END]))
        return min(time, next_change(state, truth))
    return time if time == at.INFINITY else min(time, next_change(state, truth))


@by_kind
def next_change(state: Structure, truth: Structure) -> float:
    """When the machine changes next, as far as this is known to nobody but itself; infinite for never."""
    return at.INFINITY


@by_kind
def change(
    state: Structure,
    truth: Structure,
    rule: Structure,
    order: Structure,
    estimator: Structure,
    sources: Structure,
    now: float,
) -> bool:
    """The machine changes, where it does; true if somebody has to be told of what this interrupts."""
    return False


@by_kind
def next_return(state: Structure) -> float:
    """When a job under notice leaves, or one that was interrupted comes back; infinite for never."""
    return at.INFINITY


@by_kind
def preempt(
    state: Structure,
    truth: Structure,
    rule: Structure,
    order: Structure,
    estimator: Structure,
    sources: Structure,
    now: float,
) -> bool:
    """Those leave whom the pass has chosen to, or are given notice; true if somebody has to be told."""
    return False


@by_kind
def leave_hopeless(state: Structure, truth: Structure, rule: Structure, sources: Structure, now: float) -> bool:
    """Waiting jobs that could never start any more leave the queue; true if somebody has to be told."""
    return False
