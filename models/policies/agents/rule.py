"""The rule of an agent: an agent outside says which of the first waiting jobs starts next.

``chosen`` has the jobs that the pass has chosen so far, ``shown`` those that the agent sees now. ``seen`` is what it
sees, by the places below, and ``allowed`` says which answers are. ``standing`` is that of each account when somebody
last looked.

A pass that needs an answer comes back with `ASKS`, and everything is as if it had not begun but for what has been
chosen. It is taken up again with the answer.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thinktime.models.engine import gapped, room, usage
from thinktime.models.engine.codes import agent as agent_codes
from thinktime.models.engine.codes import rules as rules_codes
from thinktime.models.engine.codes import usage as usage_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rules import Rule
from thinktime.models.engine.usage import Usage
from thinktime.workloads.arrays import Codes, Floats, Ints

INFINITY = math.inf

LARGEST = agent_codes.LARGEST


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
        if row != head and not is_chosen(rule, row):
            queue[k] = row
            k += 1
    return queue


def is_chosen(rule: Agent, row: int) -> bool:
    """Whether the pass has chosen a job."""
    found = False
    for i in range(rule.chosen_count):
        found = found or rule.chosen[i] == row
    return found


def show(rule: Agent, rows: Ints) -> None:
    """The agent sees the first of the rows that have not been chosen."""
    n = 0
    for i in range(len(rows)):
        row = rows[i]
        if n == rule.sees:
            break
        if not is_chosen(rule, row):
            rule.shown[n] = row
            n += 1
    rule.shown_count = n


def worth_asking(state: State, rule: Agent, rows: Ints, left: int) -> bool:
    """Note which answers are allowed; true if any job that may start by one fits now."""
    shown, allowed = rule.shown, rule.allowed
    allowed[:] = 0
    found = False
    for i in range(rule.shown_count):
        fits = not room.used_up(state, left) and state.room.fits_now(state, shown[i], left)
        allowed[i] = fits or rule.backfills
        found = found or fits
    idle = state.at_work + rule.chosen_count == 0
    allowed[rule.sees] = rule.may_idle or not (idle and found)
    if rule.backfills and not found and not room.used_up(state, left):
        for j in range(len(rows)):
            row = rows[j]
            if not is_chosen(rule, row) and state.room.fits_now(state, row, left):
                return True
    return found


def look(state: State, rule: Agent, now: float, left: int) -> None:
    """Write down what the agent sees, with what has been chosen as if it ran."""
    seen = rule.seen
    usage.usage_at(rule.accounts, now, rule.standing)
    seen[agent_codes.FIRST :] = 0.0
    seen[agent_codes.FREE], seen[agent_codes.PROCESSORS], seen[agent_codes.NOW] = left, state.machine_size, now
    place = agent_codes.FIRST
    for i in range(rule.shown_count):
        row = rule.shown[i]
        seen[place + agent_codes.WAIT] = now - state.submit[row]
        seen[place + agent_codes.ESTIMATE] = min(state.estimate[row], LARGEST)
        seen[place + agent_codes.WIDTH] = state.processors[row]
        seen[place + agent_codes.USAGE] = min(rule.standing[state.user[row] + 1], LARGEST)
        place += agent_codes.OF_WAITING
    look_at_running(state, rule, now, agent_codes.FIRST + agent_codes.OF_WAITING * rule.sees)


def look_at_running(state: State, rule: Agent, now: float, place: int) -> None:
    """Write down the running jobs, those that have been chosen included, by expected end."""
    seen = rule.seen
    estimate, expected, scratch = state.estimate, state.expected, state.scratch
    started = rule.chosen_count
    gapped.sort_by_estimate(state, rule.chosen, started)
    gapped.sort_in(state)
    i, j, stop = state.first_running, 0, state.stop_running
    last = place + agent_codes.OF_RUNNING * rule.sees_running
    while place < last and (i < stop or j < started):
        if i < stop and gapped.is_gap(state, i):
            i += 1
            continue
        ends_run = expected[i] if i < stop else INFINITY
        if i < stop and (j == started or ends_run <= now + estimate[scratch[j]]):
            row, end = state.running[i], ends_run
            i += 1
        else:
            row, end = scratch[j], now + estimate[scratch[j]]
            j += 1
        seen[place + agent_codes.REMAINING] = min(max(end - now, state.grace), LARGEST)
        seen[place + agent_codes.RUNNING_WIDTH] = state.processors[row]
        place += agent_codes.OF_RUNNING


def look_around(state: State, rule: Agent, now: float, rows: Ints) -> None:
    """Write down what an agent would see that nobody asks."""
    rule.chosen_count = 0
    rule.allowed[:] = 0
    rule.allowed[rule.sees] = 1
    show(rule, rows)
    look(state, rule, now, room.available(state, 0))


def charge_users(state: State, rule: Agent, now: float, sign: int, rows: Ints) -> None:
    """Charge the accounts of the users of jobs that start or end."""
    accounts = rule.accounts
    accounts.bring_up(now)
    for i in range(len(rows)):
        accounts.change_rate(state.user[rows[i]] + 1, state.processors[rows[i]], sign)


class Agent(Rule):
    """The rule: it asks, and starts what it is told to."""

    FIELDS = {"chosen": Ints, "shown": Ints, "seen": Floats, "allowed": Codes, "standing": Floats}
    NUMBERS = {
        "sees": 0, "sees_running": 0, "backfills": False, "may_idle": False, "answer": agent_codes.NO_ANSWER,
        "chosen_count": 0, "shown_count": 0, "asked": False,
    }  # fmt: skip
    PARTS = ("accounts",)
    sees: int
    """Waiting jobs that the agent sees at most."""
    sees_running: int
    """Running jobs that it sees at most."""
    backfills: bool
    """Whether jobs are backfilled behind its choice."""
    may_idle: bool
    """Whether the machine may stay idle."""
    answer: int
    """What it has answered."""
    chosen_count: int
    """Rows in ``chosen``."""
    shown_count: int
    """Rows in ``shown``."""
    asked: bool
    """Whether it is asked."""
    accounts: Usage
    """What users have used."""
    chosen: Ints
    shown: Ints
    seen: Floats
    allowed: Codes
    standing: Floats

    def __init__(self, **given: Any) -> None:
        self.accounts = Usage()
        super().__init__(**given)

    def select(self, state: State, now: float, rows: Ints) -> int:
        """Start what has been chosen, when the agent, or what it sees, says that this is all."""
        chosen = self.chosen
        if len(rows) > len(chosen):
            return rules_codes.NEEDS_ROOM
        answer, skip = self.answer, room.overrunning(state, now)
        self.answer = agent_codes.NO_ANSWER
        left = state.room.begin_pass(state, skip)
        for i in range(self.chosen_count):
            left = take(state, chosen[i], left)
        over = answer == self.sees
        if 0 <= answer < self.sees:
            row = self.shown[answer]
            if state.room.fits_now(state, row, left):
                left = take(state, row, left)
                chosen[self.chosen_count] = row
                self.chosen_count += 1
            else:
                over = True
        state.out[: self.chosen_count] = chosen[: self.chosen_count]
        k = self.chosen_count
        if over and answer < self.sees:
            k = state.room.backfill(state, now, behind(self, rows, self.shown[answer]), k, skip, state.out, left)
        elif not over:
            show(self, rows)
            if worth_asking(state, self, rows, left):
                look(state, self, now, left)
                self.asked = True
                state.room.rewind(state, state.out[:k])
                return agent_codes.ASKS
        self.chosen_count = 0
        state.room.rewind(state, state.out[:k])
        return int(k)

    def started(self, state: State, now: float, rows: Ints) -> None:
        """Their users have used more from now on."""
        charge_users(state, self, now, usage_codes.START, rows)

    def ended(self, state: State, now: float, rows: Ints) -> None:
        """Their users use no more."""
        charge_users(state, self, now, usage_codes.END, rows)
