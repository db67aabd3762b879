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

from __future__ import annotations

import math

from thinktime.models.engine.codes import leap as leap_codes
from thinktime.models.engine.codes import machine_state as at_
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import slack_moves as slack_moves_codes
from thinktime.models.engine.codes import slack_prices as slack_prices_codes
from thinktime.models.engine.interrupts import look_for_signals
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rooms import trials
from thinktime.models.policies.slack import moves as slack_moves
from thinktime.models.policies.slack import prices as slack_prices
from thinktime.models.policies.slack.prices import Slack
from thinktime.workloads.arrays import Ints

NAN = float("nan")

INFINITY = math.inf


def begin(state: State, rule: Slack, now: float, skip: int, rows: Ints) -> None:
    """The profile of the running jobs, and the queue of those that have reservations."""
    state.profiles.running_profile(state, now, skip, rule.base)
    rule.size = rule.started_count = 0
    for i in range(len(rows)):
        row = rows[i]
        if rule.due[row] < INFINITY:  # not a newcomer (NaN), and a start was in sight
            rule.queue[rule.size] = row
            rule.size += 1
    _tie(state, rule)


def _tie(state: State, rule: Slack) -> None:
    """Put reservations on nodes that have none, since it did not matter which."""
    if state.on_nodes:
        tie_to_nodes(state, rule)
        return


def tie_to_nodes(state: State, rule: Slack) -> None:
    """As `_tie`: in order of their starts, so that enough nodes are free for each."""
    queue, k, used = rule.queue[: rule.size], 0, state.spare.used
    for m in range(len(queue)):
        row = queue[m]
        k += state.size[row] == 0
    if state.alike or k == 0:
        return
    profile = rule.trial
    state.profiles.copy_profile(state, rule.base, profile)
    is_here = state.spare.sorted_places(state.spare.taken(rule.due, queue), len(queue))
    for j in range(len(is_here)):
        i = is_here[j]
        row, begin = queue[i], rule.due[queue[i]]
        if state.size[row] > 0 or state.profiles.fits_at(state, row, begin, state.estimate[row], profile):
            state.profiles.book(state, row, profile_codes.TAKE, begin, begin + state.estimate[row], profile)
    state.spare.used = used


def first_fit(state: State, rule: Slack, row: int) -> float:
    """The earliest fit of a job if no other job moves."""
    profile = rule.trial
    state.profiles.copy_profile(state, rule.base, profile)
    for i in range(rule.size):
        other = rule.queue[i]
        begin = rule.due[other]
        state.profiles.book(state, other, profile_codes.TAKE, begin, begin + state.estimate[other], profile)
    return state.profiles.earliest(state, row, state.estimate[row], profile)


def cheapest(
    state: State, rule: Slack, now: float, kind: int, new: int, duration: float, p: float, own_factor: float
) -> tuple[float, float, float]:
    """The slot of the cheapest schedule (NaN: none is possible), its price, and what jobs over quota pay.

    ``kind``: INSERT the job ``new`` of ``duration`` seconds, REMOVE (a dummy job that needs nothing), or EXTEND (insert
    at now, where the job runs, and nowhere else). ``rule.chosen`` receives the reserved starts of the queue, and all
    jobs are planned to be at their places in that schedule. Where few jobs are delayed, every permutation of them is
    tried, that of the heuristic first. ``own_factor`` multiplies the price of the new job's own wait (1 as printed).
    A run can be interrupted between two schedules: with thousands of jobs one call takes half a second.
    """
    due, priority, estimate = rule.due, rule.priority, state.estimate
    queue, exact = rule.queue[: rule.size], rule.permuted
    size, over, need = (
        len(queue),
        p == -INFINITY,
        at_.ZERO if kind == slack_moves_codes.REMOVE else state.processors[new],
    )
    spare, used = state.spare, state.spare.used
    factor, bound = spare.real(size), spare.real(size)
    for i in range(size):
        row = queue[i]
        factor[i] = slack_prices.move_factor(
            rule, state.processors[row], priority[row], p, due[row], rule.latest[row], rule.slack0[row]
        )
        bound[i] = due[row] if over and priority[row] > -INFINITY else rule.latest[row]
    starts, trial, stands = spare.taken(due, queue), spare.taken(due, queue), spare.taken(due, queue)
    for i in range(size):
        stands[i] += duration
    by_start = spare.sorted_places(starts, size)
    order = slack_prices.ranked(state, rule, p, queue, factor)
    fixed, profile, passed = rule.fixed, rule.trial, 0
    state.profiles.copy_profile(state, rule.base, fixed)
    sequence, shuffled, permutation = spare.copied(order), spare.copied(order), spare.copied(order)
    everyone = queue
    if kind != slack_moves_codes.REMOVE:
        everyone = spare.whole(size + 1)
        everyone[:size], everyone[size] = queue, new
    before = best_places = trials.kept_places(state, everyone)
    slot, best, best_apart, fewest, unseen = NAN, INFINITY, INFINITY, at_.ZERO, at_.ZERO
    rule.events += 1
    ats_here = slack_moves.slot_starts(state, now, kind, queue, due, rule.base)
    for k in range(len(ats_here)):
        at = ats_here[k]
        while passed < size and starts[by_start[passed]] < at:
            row = queue[by_start[passed]]
            state.profiles.book(state, row, profile_codes.TAKE, due[row], due[row] + estimate[row], fixed)
            passed += 1
        if kind == slack_moves_codes.INSERT and not state.profiles.fits_at(state, new, at, duration, fixed):
            continue
        rule.candidates += 1
        delayed = 0
        for m in range(len(order)):
            i = order[m]
            if starts[i] >= at:
                sequence[delayed], permutation[delayed] = i, delayed
                delayed += 1
        own = 0.0 if kind == slack_moves_codes.REMOVE else own_factor * (at - now) ** rule.a_t * need**rule.a_u
        by_reserved_start = rule.heuristic == slack_prices_codes.AST and delayed > exact
        taken_out = rule.afresh > 0 or (by_reserved_start and not trials.hold_each_other_up(state))
        while True:
            for j in range(delayed):
                shuffled[j] = sequence[permutation[j]]
            turn = shuffled[:delayed]
            state.profiles.copy_profile(state, fixed, profile)
            if kind != slack_moves_codes.REMOVE:
                state.profiles.book(state, new, profile_codes.TAKE, at, at + duration, profile)
            if taken_out:
                done = slack_moves.reinsert(state, turn, queue, bound, profile, trial)
            else:
                done = slack_moves.compress(state, turn, queue, stands, bound, profile, trial)
            rule.insertions += done
            unseen += delayed
            if unseen > leap_codes.UNSEEN:
                unseen = 0
                look_for_signals()  # objects: Python is called
            if done == delayed:
                price, apart, moved = slack_prices.priced(rule, turn, queue, factor, trial)
                if over:
                    apart += own
                else:
                    price += own
                if slack_prices.better(price, apart, moved, best, best_apart, fewest):
                    slot, best, best_apart, fewest = at, price, apart, moved
                    best_places = trials.kept_places(state, everyone)
                    rule.chosen[:size] = starts
                    for m in range(len(turn)):
                        i = turn[m]
                        rule.chosen[i] = trial[i]
            trials.plan_again(state, queue, before)
            if delayed > exact or not slack_moves.next_permutation(permutation[:delayed], min(done, delayed - 1)):
                break
    trials.plan_again(state, everyone, best_places)
    spare.used = used
    return slot, best, best_apart


def move(rule: Slack) -> None:
    """Let the jobs of the queue be due as they were chosen to be."""
    for i in range(rule.size):
        rule.due[rule.queue[i]] = rule.chosen[i]


def remove_one(state: State, rule: Slack, now: float) -> None:
    """A job has left the profile: insert a dummy job of no time and no processors, and make the moves."""
    slot, _, _ = cheapest(state, rule, now, slack_moves_codes.REMOVE, at_.ZERO, 0.0, slack_prices.DUMMY, 1.0)
    if not math.isnan(slot):
        move(rule)
