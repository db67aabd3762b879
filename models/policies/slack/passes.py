"""Slack-based backfilling as a compiled rule: what happens at an instant, and the decision at a job's estimate.

The pricing is in `thinktime.models.policies.slack.rule`. The queue is sorted by arrival. A newcomer's ``due`` is NaN,
and infinite while no start is in sight behind a hold without an end.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, pool, room
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import rules as rules_codes
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.codes import slack_moves as slack_moves_codes
from thinktime.models.engine.codes import slack_pass as slack_pass_codes
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rooms import trials
from thinktime.models.policies.slack import prices as slack_prices
from thinktime.models.policies.slack import rule as pricing
from thinktime.models.policies.slack.prices import Slack
from thinktime.workloads.arrays import Floats, Ints

NAN = float("nan")

INFINITY = math.inf

TENTHS = 10.0  # an unfinished job gets a tenth of its declared time
HALF_UP = 0.5 + 1e-6  # rounding to the grid with halves up, also where a half has come out of thirds a little too small


def _restore(state: State, rule: Slack) -> int:
    """On a machine that changes: mend the reservations; how many removals the changes are."""
    if state.changing:
        return restore_after_changes(state, rule)
    return 0


def restore_after_changes(state: State, rule: Slack) -> int:
    """As `_restore`: after an outage has begun or a window was announced, they are kept where they still fit.

    The others are placed again at their earliest fits, and counted. Processors that come back unexpectedly are a
    removal, as if a job had ended before the profile expected it.
    """
    news, due = state.news, rule.due
    state.news = state.came_back = 0
    if news & of.BEGAN:
        queue, profile = rule.queue[: rule.size], rule.trial
        state.profiles.copy_profile(state, rule.base, profile)
        for i in range(len(queue)):
            row = queue[i]
            if state.profiles.fits_as_reserved(state, row, due[row], profile):
                state.profiles.book(state, row, profile_codes.TAKE, due[row], due[row] + state.estimate[row], profile)
            else:
                due[row] = INFINITY
        _place_again(state, rule, queue)
        rule.size = 0
        for i in range(len(queue)):
            row = queue[i]
            if due[row] < INFINITY:
                rule.queue[rule.size] = row
                rule.size += 1
    return 1 if news & of.CAME_BACK else 0


def _place_again(state: State, rule: Slack, queue: Ints) -> None:
    """Give jobs of the queue their earliest fits that are due no more; they may start as late as that, at least."""
    due = rule.due
    for i in range(len(queue)):
        row = queue[i]
        if due[row] == INFINITY:
            due[row] = pricing.first_fit(state, rule, row)
            rule.latest[row] = max(rule.latest[row], due[row])
            rule.broken += 1


def scheduler_priority(wait: float, awt: float) -> float:
    """SP: 0 for a job that starts at once, 1/2 after the average wait, 1 from twice that on."""
    if wait <= 0.0:
        return 0.0
    return min(wait / (2.0 * awt), 1.0) if awt > 0.0 else 1.0


def insert(state: State, rule: Slack, now: float, row: int) -> None:
    """Insert a newcomer: its reserved start, its priority, its slack, and the moves of others."""
    reading, submit, awt = rule.reading, state.submit[row], rule.awt[row]
    if math.isnan(awt):
        awt = rule.awt[row] = rule.waits[arithmetic.first_from(rule.limits, len(rule.limits), state.estimate[row])]
    given, own = 0.5, rule.user_priority[row] + rule.political_priority[row]
    if reading == slack_pass_codes.SP_FIRST:
        given = scheduler_priority(pricing.first_fit(state, rule, row) - submit, awt)
    p = against = (own + given) / 3.0
    if p > -INFINITY:  # p can be 0 under SP_FIRST only
        against = slack_prices.DUMMY if reading == slack_pass_codes.ABSOLUTE else max(p, 1e-9)
    factor = max(p, 0.0) / slack_prices.DUMMY if reading == slack_pass_codes.OWN_PRICE else 1.0
    slot, _, _ = pricing.cheapest(state, rule, now, slack_moves_codes.INSERT, row, state.estimate[row], against, factor)
    if math.isnan(slot):
        slot = pricing.first_fit(state, rule, row)
    else:
        pricing.move(rule)
    p = (own + (0.5 if reading == slack_pass_codes.SP_KEPT else scheduler_priority(slot - submit, awt))) / 3.0
    slack = INFINITY
    if p > -INFINITY:
        slack = arithmetic.floor((1.0 - p) * rule.slack_factor * awt * 1024.0 + HALF_UP) / 1024.0
    rule.due[row], rule.priority[row], rule.slack0[row], rule.latest[row] = slot, p, slack, slot + slack
    if math.isnan(state.promised[row]) and _is_promise(state, slot):
        state.promised[row], state.latest_start[row] = slot, slot + slack
    if slot < INFINITY:
        rule.queue[rule.size] = row
        rule.size += 1


def _line_up(rule: Slack, rows: Ints, k: int) -> None:
    """The newcomer k of the rows, the last one of the queue, comes before those that are behind it in the rows.

    A job that comes to the queue long after its submission may have others behind it.
    """
    queue, i = rule.queue, rule.size - 1
    if i >= 0 and queue[i] == rows[k]:  # else no start is in sight
        while i > 0 and arithmetic.has(rows[k + 1 :], len(rows) - k - 1, queue[i - 1]):
            queue[i] = queue[i - 1]
            i -= 1
        queue[i] = rows[k]


def _is_promise(state: State, slot: float) -> bool:
    """Whether a first reservation is a promise, even that no start is in sight."""
    if state.changing:
        return _is_finite_promise(state, slot)
    return True


def _is_finite_promise(state: State, slot: float) -> bool:
    """As `_is_promise`: not if no start is in sight, since processors that are down may come back."""
    return slot < INFINITY


def start_due(state: State, rule: Slack, now: float, left: int) -> int:
    """Move due jobs from the queue to ``out``; what is left then.

    A due job without its room, which can occur where jobs outlive their estimates, is placed again and counted. On
    nodes it may start at once at another place.
    """
    due, queue, estimate = rule.due, rule.queue, state.estimate
    for _ in range(2):
        kept, blocked = 0, 0
        rows_here = state.spare.copied(queue[: rule.size])
        for i in range(len(rows_here)):
            row = rows_here[i]
            if due[row] <= now and state.room.fits_as_planned(state, row, left):
                left = state.room.take_now(state, row, left)
                state.profiles.book(state, row, profile_codes.TAKE, now, now + estimate[row], rule.base)
                state.out[rule.started_count] = row
                rule.started_count += 1
            elif due[row] < INFINITY:
                if due[row] <= now:
                    due[row] = INFINITY
                    blocked += 1
                queue[kept] = row
                kept += 1
        rule.size = kept
        if blocked == 0:
            break
        _place_again(state, rule, queue[:kept])
    return left


def extend_pass(state: State, rule: Slack, now: float, rows: Ints, until: Floats, half: bool) -> None:
    """The tick strategy: write to ``until`` how long each unfinished job may go on (until now: it is killed).

    The removals of the instant come first; jobs that they make due start after the decisions. Killing costs n^a_u
    t^a_t with the declared time t. Going on costs as much as inserting a job of the same size and priority and a tenth
    of t now and nowhere else; it is chosen if it is cheaper, and the necessary moves are made. With ``half`` the job
    has the priority of a newcomer, SP = 1/2, instead of its own. A priority of 0 makes the smallest delay infinitely
    dear, so such a job goes on only if the moves together cost nothing.
    """
    pricing.begin(state, rule, now, at.ZERO, pool.queue_of(state))
    for _ in range(rule.removals):
        pricing.remove_one(state, rule, now)
    rule.removals = 0
    for j in range(len(rows)):
        row, until[j] = rows[j], now
        longer = arithmetic.ceil(state.estimate[row] * 1024.0 / TENTHS) / 1024.0
        p = rule.priority[row]
        if half:
            p = (rule.user_priority[row] + rule.political_priority[row] + 0.5) / 3.0
        kill = state.processors[row] ** rule.a_u * state.estimate[row] ** rule.a_t
        if p == 0.0 and rule.a_p > 0.0:
            p, kill = 1.0, 4.0 * slack_prices.TIE
        queue, over = rule.queue[: rule.size], p == -INFINITY
        places = trials.kept_places(state, queue)
        slot, price, apart = pricing.cheapest(state, rule, now, slack_moves_codes.EXTEND, row, longer, p, 1.0)
        goes_on = slack_prices.better(price, apart, at.ZERO, 0.0 if over else kill, kill if over else 0.0, at.ZERO)
        if math.isnan(slot) or not goes_on:
            trials.plan_again(state, queue, places)
        else:
            until[j] = now + longer
            state.profiles.book(state, row, profile_codes.TAKE, now, until[j], rule.base)
            pricing.move(rule)


class SlackRule(Slack):
    """What happens at the events of a machine; the arrays are those that prices need."""

    def select(self, state: State, now: float, rows: Ints) -> int:
        """Price schedules after each removal, start due jobs, insert newcomers.

        A job that is due after a removal or an insertion starts before the next one is considered (section 4.2).
        """
        if len(self.queue) < len(rows):
            return rules_codes.NEEDS_ROOM
        removals, self.removals, self.first_due = (self.removals, 0, INFINITY)
        if len(rows) == 0:
            return 0
        skip = room.overrunning(state, now)
        pricing.begin(state, self, now, skip, rows)
        removals += _restore(state, self)
        left = state.room.begin_pass(state, skip)
        for _ in range(removals):
            pricing.remove_one(state, self, now)
            left = start_due(state, self, now, left)
        left = start_due(state, self, now, left)
        for k in range(len(rows)):
            if not self.due[rows[k]] < INFINITY:
                insert(state, self, now, rows[k])
                _line_up(self, rows, k)
                left = start_due(state, self, now, left)
        state.room.rewind(state, state.out[: self.started_count])
        for i in range(self.size):
            row = self.queue[i]
            self.first_due = min(self.first_due, self.due[row])
        return int(self.started_count)

    def ended(self, state: State, now: float, rows: Ints) -> None:
        """A job that ends before the profile expected it is removed from it; one that will run again is a newcomer."""
        for i in range(len(rows)):
            row = rows[i]
            self.removals += state.grace > 0.0 or state.expected_end[row] > now
            if state.state[row] == states.FUTURE:
                self.due[row] = NAN

    def withdrawn(self, state: State, now: float, rows: Ints) -> None:
        """A job that has left the queue is removed from the profile, if it was there; it comes back as a newcomer."""
        for i in range(len(rows)):
            row = rows[i]
            self.removals += not math.isnan(self.due[row])
            self.due[row] = NAN

    def barred(self, state: State, now: float, rows: Ints) -> None:
        """They are newcomers when they come back."""
        self.withdrawn(state, now, rows)
        arithmetic.fill(self.due, rows, NAN)

    def put_off(self, state: State, now: float, rows: Ints) -> None:
        """They are newcomers in the next pass."""
        arithmetic.fill(self.due, rows, NAN)

    def started(self, state: State, now: float, rows: Ints) -> None:
        """Jobs that were evicted for these starts ended after the pass, and the profile did not count them."""
        self.removals = 0

    def next_due(self, state: State, now: float) -> float:
        """The next reservation that falls due."""
        return float(self.first_due)
