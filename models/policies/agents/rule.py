"""The rule of an agent: an agent outside says which of the first waiting jobs starts next.

What it sees is in `thinktime.models.policies.agents.observation`.

A pass that needs an answer comes back with `ASKS`, and everything is as if it had not begun but for what has been
chosen. It is taken up again with the answer.

An agent that chooses sizes is asked for those of running jobs after the starts of a pass
(`thinktime.models.policies.agents.sizes`).
"""

from __future__ import annotations

import numpy as np

from thinktime.models.engine import room, shapes
from thinktime.models.engine.codes import agent as agent_codes
from thinktime.models.engine.codes import rules as rules_codes
from thinktime.models.engine.codes import shapes as shape_codes
from thinktime.models.engine.codes import usage as usage_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.policies.agents import observation, sizes
from thinktime.models.policies.agents.observation import Observing
from thinktime.models.policies.shapes import choosing
from thinktime.workloads.arrays import Ints

NOBODY = -1


def take(state: State, row: int, left: int) -> int:
    """What the pass has left when a job, which fits, starts in it."""
    state.room.fits_now(state, row, left)  # on nodes this chooses them
    return state.room.take_now(state, row, left)


def behind(rule: Agent, rows: Ints, head: int) -> Ints:
    """The queue as EASY takes it: what has been chosen, the head, and all others as they come."""
    queue, k = np.empty(len(rows), np.int64), rule.chosen_count
    queue[:k] = rule.chosen[:k]
    queue[k] = head
    k += 1
    for i in range(len(rows)):
        row = rows[i]
        if row != head and not observation.is_chosen(rule, row):
            queue[k] = row
            k += 1
    return queue


def worth_asking(state: State, rule: Agent, rows: Ints, now: float, left: int) -> bool:
    """Note which answers are allowed; true if any job that may start by one fits now."""
    shown, allowed = rule.shown, rule.allowed
    allowed[:] = 0
    found = False
    for i in range(rule.shown_count):
        if rule.sizes > 0:
            break
        fits = not room.used_up(state, left) and state.room.fits_now(state, shown[i], left)
        allowed[i] = fits or rule.backfills
        found = found or fits
    if rule.sizes > 0:
        found = sizes.note_sizes(state, rule, now, left)
    idle = state.at_work + rule.chosen_count == 0
    allowed[rule.sees] = rule.may_idle or not (idle and found)
    if rule.backfills and not found and not room.used_up(state, left):
        for j in range(len(rows)):
            row = rows[j]
            if not observation.is_chosen(rule, row) and state.room.fits_now(state, row, left):
                return True
        if rule.sizes > 0 and rule.shown_count > 0:  # somebody could grow into what a job needs
            return rule.chosen_count > 0 or sizes.changes_sizes(state, now)
    return found


def charge_users(state: State, rule: Agent, now: float, sign: int, rows: Ints) -> None:
    """Charge the accounts of the users of jobs that start or end."""
    accounts = rule.accounts
    accounts.bring_up(now)
    for i in range(len(rows)):
        accounts.change_rate(state.user[rows[i]] + 1, state.processors[rows[i]], sign)


class Agent(Observing):
    """The rule: it asks, and starts what it is told to."""

    def select(self, state: State, now: float, rows: Ints) -> int:
        """Start what has been chosen, when the agent, or what it sees, says that this is all."""
        chosen = self.chosen
        if self.resizes:
            return 0
        if len(rows) > len(chosen):
            return rules_codes.NEEDS_ROOM
        answer, skip = self.answer, room.overrunning(state, now)
        self.answer, self.head = agent_codes.NO_ANSWER, NOBODY
        if self.sizes > 0:
            sizes.prefer(state, self, rows)
        left = state.room.begin_pass(state, skip)
        for i in range(self.chosen_count):
            left = take(state, chosen[i], left)
        over = answer == self.sees
        if answer >= 0 and not over:
            row = self.answered(state, answer)
            if state.room.fits_now(state, row, left):
                left = take(state, row, left)
                chosen[self.chosen_count] = row
                self.chosen_count += 1
            else:
                over = True
        state.out[: self.chosen_count] = chosen[: self.chosen_count]
        k = self.chosen_count
        if over and answer != self.sees:
            self.head = row
            k = state.room.backfill(state, now, behind(self, rows, row), k, skip, state.out, left)
        elif not over:
            observation.show(self, rows)
            if worth_asking(state, self, rows, now, left):
                observation.look(state, self, now, left)
                self.asked = True
                state.room.rewind(state, state.out[:k])
                return agent_codes.ASKS
        self.chosen_count = 0
        state.room.rewind(state, state.out[:k])
        return int(k)

    def answered(self, state: State, answer: int) -> int:
        """The waiting job that an answer names, which has the size that it says from now on."""
        if answer < self.sees:
            return int(self.shown[answer])
        number = answer - self.sees - 1
        row: int = self.shown[number // self.sizes]
        place = observation.place_shown(state, self, row, number % self.sizes)
        if place >= 0:
            shapes.choose(state, row, place)
        return row

    def count_as(self, state: State, now: float, rows: Ints) -> None:
        """With their least sizes."""
        for i in range(len(rows)):
            if self.sizes > 0 and state.form[rows[i]] >= 0:
                choosing.choose_fixed(state, rows[i], shape_codes.LEAST)

    def reshape(self, state: State, now: float, rows: Ints) -> bool:
        """Give running jobs the sizes that it is told to."""
        before, answer, over = state.spare.used, self.answer, self.answer == self.sees
        self.answer = agent_codes.NO_ANSWER
        if not self.resizes:
            self.pending_count = 0
            if self.sizes == 0 or not sizes.changes_sizes(state, now):
                return False
            sizes.prefer(state, self, rows)
        if answer > self.sees:
            number = answer - self.sees - 1 - self.sees * self.sizes
            row = self.at_work[number // self.sizes]
            self.pending[self.pending_count] = row
            self.pending_to[self.pending_count] = observation.place_shown(state, self, row, number % self.sizes)
            self.pending_count += 1
        left = sizes.lay(state, self, now)
        if not over:
            observation.show(self, rows)
            observation.look(state, self, now, left)
            self.asked = sizes.note_resizes(state, self, now)
        sizes.lift(state, now, not self.asked)
        self.resizes, state.spare.used = self.asked, before
        return self.asked

    def resizing(self, state: State, now: float, rows: Ints) -> None:
        """Their users use what they have no more."""
        charge_users(state, self, now, usage_codes.END, rows)

    def resized(self, state: State, now: float, rows: Ints) -> None:
        """They use what they have now."""
        charge_users(state, self, now, usage_codes.START, rows)

    def started(self, state: State, now: float, rows: Ints) -> None:
        """Their users have used more from now on."""
        charge_users(state, self, now, usage_codes.START, rows)

    def ended(self, state: State, now: float, rows: Ints) -> None:
        """Their users use no more."""
        charge_users(state, self, now, usage_codes.END, rows)
