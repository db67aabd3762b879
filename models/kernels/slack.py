"""Slack-based backfilling: every candidate slot for a job is priced, and the cheapest schedule is chosen.

Source: the slack paper, sections 4.2 to 4.6. For each slot start ts from now on, jobs that run or are due before ts
stay where they are, the new job of t seconds is put exactly at ts, and all others are delayed by t. Then the schedule
is compressed: in the order of a heuristic each delayed job moves from where it stands to its earliest fit. A
schedule's price is the new job's wait, (ts - now)^a_t n^a_u, and the sum of what the moves cost (`slack_prices`, which
has the symbols, too). No job may be placed after its latest start.

On a machine of processors, in order of reserved start (AST), a delayed job never meets one behind it, since that one is
delayed as well. The later jobs can therefore be taken out and inserted again: `reinsert` costs a third of `compress`.
On nodes it may meet one, which then has the nodes that it wants for longer.

The fixed part of the profile grows from candidate to candidate by the jobs that it has passed, and a candidate is given
up as soon as one job would start too late.
"""

import numpy as np

from thinktime.models.kernels import slack_prices as prices
from thinktime.models.kernels.machine_state import INFINITY, ON_NODES, ZERO
from thinktime.models.kernels.nodes import ALIKE
from thinktime.models.kernels.profile import TAKE, book, earliest, fits_at, running_profile, steps
from thinktime.models.kernels.slack_moves import INSERT, REMOVE, compress, next_permutation, reinsert, slot_starts
from thinktime.models.kernels.trials import copy_steps, hold_each_other_up, kept_places, number, plan_again
from thinktime.workloads.compiler import Floats, Ints, kernel, whole
from thinktime.workloads.kinds import by_kind, written_for
from thinktime.workloads.structures import Structure

BASE, FIXED, TRIAL = (whole(0), whole(1), whole(2))  # profiles: running jobs, with those that stay, with all others


@kernel
def profile_at(rule: Structure, which: int) -> tuple[Floats, Ints]:
    """One of the three profiles."""
    times, free = rule.times.size // 3, rule.free.size // 3
    return rule.times[which * times : (which + 1) * times], rule.free[which * free : (which + 1) * free]


@kernel
def begin(state: Structure, rule: Structure, now: float, skip: int, rows: Ints) -> None:
    """The profile of the running jobs, and the queue of those that have reservations."""
    for which in (BASE, FIXED, TRIAL):
        times, free = profile_at(rule, which)
        number(state, free, steps(state))
    times, free = profile_at(rule, BASE)
    rule.memory[prices.LENGTH] = running_profile(state, now, skip, times, free)
    rule.memory[prices.SIZE] = rule.memory[prices.STARTED] = 0
    for row in rows:
        if rule.due[row] < INFINITY:  # not a newcomer (NaN), and a start was in sight
            rule.queue[rule.memory[prices.SIZE]] = row
            rule.memory[prices.SIZE] += 1
    _tie(state, rule)


@by_kind
def _tie(state: Structure, rule: Structure) -> None:
    """Put reservations on nodes that have none, since it did not matter which."""


@written_for(ON_NODES, _tie)
def tie_to_nodes(state: Structure, rule: Structure) -> None:
    """In order of their starts, so that enough nodes are free for each."""
    queue, k = rule.queue[: rule.memory[prices.SIZE]], 0
    for row in queue:
        k += state.size[row] == 0
    if state.site[ALIKE] or k == 0:
        return
    base_times, base_free = profile_at(rule, BASE)
    times, free = profile_at(rule, TRIAL)
    n = rule.memory[prices.LENGTH]
    copy_steps(state, base_times, base_free, n, times, free)
    for i in np.argsort(rule.due[queue], kind="mergesort"):
        row, begin = queue[i], rule.due[queue[i]]
        if state.size[row] > 0 or fits_at(state, row, begin, state.estimate[row], times, free, n):
            n = book(state, row, TAKE, begin, begin + state.estimate[row], times, free, n)


@kernel
def first_fit(state: Structure, rule: Structure, row: int) -> float:
    """The earliest fit of a job if no other job moves."""
    base_times, base_free = profile_at(rule, BASE)
    times, free = profile_at(rule, TRIAL)
    n = rule.memory[prices.LENGTH]
    copy_steps(state, base_times, base_free, n, times, free)
    for other in rule.queue[: rule.memory[prices.SIZE]]:
        begin = rule.due[other]
        n = book(state, other, TAKE, begin, begin + state.estimate[other], times, free, n)
    return earliest(state, row, state.estimate[row], times, free, n)


@kernel
def cheapest(
    state: Structure, rule: Structure, now: float, kind: int, new: int, duration: float, p: float, own_factor: float
) -> tuple[float, float, float]:
    """The slot of the cheapest schedule (NaN: none is possible), its price, and what jobs over quota pay.

    ``kind``: INSERT the job ``new`` of ``duration`` seconds, REMOVE (a dummy job that needs nothing), or EXTEND (insert
    at now, where the job runs, and nowhere else). ``rule.chosen`` receives the reserved starts of the queue, and all
    jobs are planned to be at their places in that schedule. Where few jobs are delayed, every permutation of them is
    tried, that of the heuristic first. ``own_factor`` multiplies the price of the new job's own wait (1 as printed).
    """
    memory, due, priority, estimate = rule.memory, rule.due, rule.priority, state.estimate
    queue, exact = rule.queue[: memory[prices.SIZE]], memory[prices.PERMUTED]
    size, over, need = queue.size, p == -INFINITY, ZERO if kind == REMOVE else state.processors[new]
    factor, bound = np.empty(size), np.empty(size)
    for i in range(size):
        row = queue[i]
        factor[i] = prices.move_factor(
            state.processors[row], priority[row], p, due[row], rule.latest[row], rule.slack0[row], rule.weights
        )
        bound[i] = due[row] if over and priority[row] > -INFINITY else rule.latest[row]
    starts = due[queue]
    stands, trial = starts + duration, starts.copy()
    by_start = np.argsort(starts, kind="mergesort")
    order = prices.ranked(state, rule, p, queue, factor)
    base_times, base_free = profile_at(rule, BASE)
    fixed_times, fixed_free = profile_at(rule, FIXED)
    times, free = profile_at(rule, TRIAL)
    fixed, passed = memory[prices.LENGTH], 0
    copy_steps(state, base_times, base_free, fixed, fixed_times, fixed_free)
    sequence, shuffled, permutation = order.copy(), order.copy(), order.copy()
    everyone = queue if kind == REMOVE else np.append(queue, new)
    before = best_places = kept_places(state, everyone)
    slot, best, best_apart, fewest = np.nan, INFINITY, INFINITY, ZERO
    memory[prices.EVENTS] += 1
    for at in slot_starts(state, now, kind, queue, due, base_times[: memory[prices.LENGTH]]):
        while passed < size and starts[by_start[passed]] < at:
            row = queue[by_start[passed]]
            fixed = book(state, row, TAKE, due[row], due[row] + estimate[row], fixed_times, fixed_free, fixed)
            passed += 1
        if kind == INSERT and not fits_at(state, new, at, duration, fixed_times, fixed_free, fixed):
            continue
        memory[prices.CANDIDATES] += 1
        delayed = 0
        for i in order:
            if starts[i] >= at:
                sequence[delayed], permutation[delayed] = i, delayed
                delayed += 1
        own = (
            0.0
            if kind == REMOVE
            else own_factor * (at - now) ** rule.weights[prices.A_T] * need ** rule.weights[prices.A_U]
        )
        by_reserved_start = memory[prices.HEURISTIC] == prices.AST and delayed > exact
        taken_out = memory[prices.AFRESH] > 0 or (by_reserved_start and not hold_each_other_up(state))
        while True:
            for j in range(delayed):
                shuffled[j] = sequence[permutation[j]]
            turn, n = shuffled[:delayed], fixed
            copy_steps(state, fixed_times, fixed_free, n, times, free)
            if kind != REMOVE:
                n = book(state, new, TAKE, at, at + duration, times, free, n)
            if taken_out:
                done = reinsert(state, turn, queue, bound, times, free, n, trial)
            else:
                done = compress(state, turn, queue, stands, bound, times, free, n, trial)
            memory[prices.INSERTIONS] += done
            if done == delayed:
                price, apart, moved = prices.priced(rule, turn, queue, factor, trial)
                if over:
                    apart += own
                else:
                    price += own
                if prices.better(price, apart, moved, best, best_apart, fewest):
                    slot, best, best_apart, fewest = at, price, apart, moved
                    best_places = kept_places(state, everyone)
                    rule.chosen[:size] = starts
                    for i in turn:
                        rule.chosen[i] = trial[i]
            plan_again(state, queue, before)
            if delayed > exact or not next_permutation(permutation[:delayed], min(done, delayed - 1)):
                break
    plan_again(state, everyone, best_places)
    return slot, best, best_apart


@kernel
def move(rule: Structure) -> None:
    """Let the jobs of the queue be due as they were chosen to be."""
    for i in range(rule.memory[prices.SIZE]):
        rule.due[rule.queue[i]] = rule.chosen[i]


@kernel
def remove_one(state: Structure, rule: Structure, now: float) -> None:
    """A job has left the profile: insert a dummy job of no time and no processors, and make the moves."""
    slot, _, _ = cheapest(state, rule, now, REMOVE, ZERO, 0.0, prices.DUMMY, 1.0)
    if not np.isnan(slot):
        move(rule)
