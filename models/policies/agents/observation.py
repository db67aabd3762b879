"""What an agent sees, and what its rule remembers.

``chosen`` has the jobs that the pass has chosen so far, ``shown`` those that the agent sees now, and ``at_work`` the
running ones. ``seen`` is what it sees, by the places of `thinktime.models.engine.codes.agent`, and ``allowed`` says
which answers are. ``standing`` is that of each account when somebody last looked.
"""

from __future__ import annotations

import math
from typing import Any

from thinktime.models.engine import gapped, room, shapes, usage
from thinktime.models.engine.codes import agent as agent_codes
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rules import Rule
from thinktime.models.engine.usage import Usage
from thinktime.workloads.arrays import Codes, Floats, Ints

INFINITY = math.inf

LARGEST = agent_codes.LARGEST
NOBODY = -1


class Observing(Rule):
    """The part of the rule that sees."""

    FIELDS = {
        "chosen": Ints, "shown": Ints, "at_work": Ints, "pending": Ints, "pending_to": Ints, "seen": Floats,
        "allowed": Codes, "standing": Floats,
    }  # fmt: skip
    NUMBERS = {
        "sees": 0, "sees_running": 0, "sizes": 0, "backfills": False, "may_idle": False,
        "answer": agent_codes.NO_ANSWER, "chosen_count": 0, "shown_count": 0, "shown_at_work": 0, "pending_count": 0,
        "head": NOBODY, "resizes": False, "asked": False,
    }  # fmt: skip
    PARTS = ("accounts", "profile")
    sees: int
    """Waiting jobs that the agent sees at most."""
    sees_running: int
    """Running jobs that it sees at most."""
    sizes: int
    """Sizes of each job that it sees at most; 0 if it chooses none."""
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
    shown_at_work: int
    """Rows in ``at_work``: running jobs, by the places at which it sees them."""
    pending_count: int
    """Rows in ``pending``."""
    head: int
    """The job that has the reservation in this pass; below 0 for none."""
    resizes: bool
    """Whether it is asked for sizes of running jobs, since the starts of this pass have been made."""
    asked: bool
    """Whether it is asked."""
    accounts: Usage
    """What users have used."""
    profile: Profile
    """In which running jobs grow."""
    chosen: Ints
    shown: Ints
    at_work: Ints
    pending: Ints
    pending_to: Ints
    seen: Floats
    allowed: Codes
    standing: Floats

    def __init__(self, **given: Any) -> None:
        self.accounts, self.profile = Usage(), Profile()
        super().__init__(**given)


def is_chosen(rule: Observing, row: int) -> bool:
    """Whether the pass has chosen a job."""
    found = False
    for i in range(rule.chosen_count):
        found = found or rule.chosen[i] == row
    return found


def show(rule: Observing, rows: Ints) -> None:
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


def look(state: State, rule: Observing, now: float, left: int) -> None:
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
    if rule.sizes > 0:
        look_at_sizes(state, rule, now)


def look_at_running(state: State, rule: Observing, now: float, place: int) -> None:
    """Write down the running jobs, those that have been chosen included, by expected end."""
    seen = rule.seen
    estimate, expected, scratch = state.estimate, state.expected, state.scratch
    started = rule.chosen_count
    gapped.sort_by_estimate(state, rule.chosen, started)
    gapped.sort_in(state)
    i, j, stop = state.first_running, 0, state.stop_running
    last = place + agent_codes.OF_RUNNING * rule.sees_running
    rule.shown_at_work = 0
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
        rule.at_work[rule.shown_at_work] = row
        rule.shown_at_work += 1
        place += agent_codes.OF_RUNNING


def look_around(state: State, rule: Observing, now: float, rows: Ints) -> None:
    """Write down what an agent would see that nobody asks."""
    rule.chosen_count = 0
    rule.allowed[:] = 0
    rule.allowed[rule.sees] = 1
    show(rule, rows)
    look(state, rule, now, room.available(state, 0))


def place_shown(state: State, rule: Observing, row: int, number: int) -> int:
    """The place of a size that the agent sees; below 0 for none. If it sees not all, these are spread evenly."""
    if state.form[row] < 0:
        return NOBODY
    first = shapes.first_place(state, row)
    count = shapes.stop_place(state, row) - first
    if count <= rule.sizes:
        return first + number if number < count else NOBODY
    return first + number * (count - 1) // (rule.sizes - 1)


def look_at_sizes(state: State, rule: Observing, now: float) -> None:
    """Write down the sizes that jobs may have, or be given now."""
    first = agent_codes.FIRST + agent_codes.OF_WAITING * rule.sees + agent_codes.OF_RUNNING * rule.sees_running
    for i in range(rule.shown_count):
        row, place = rule.shown[i], first + agent_codes.OF_SIZE * rule.sizes * i
        if state.form[row] < 0:
            write_size(rule, place, state.processors[row], state.estimate[row])
            continue
        own = shapes.place_of(state, row)
        for n in range(rule.sizes):
            chosen = place_shown(state, rule, row, n)
            if chosen >= 0:
                shapes.choose(state, row, chosen)
                write_size(rule, place + agent_codes.OF_SIZE * n, state.processors[row], state.estimate[row])
        shapes.choose(state, row, own)
    first += agent_codes.OF_SIZE * rule.sizes * rule.sees
    lasting_for = first + agent_codes.OF_SIZE * rule.sizes * rule.sees_running
    for j in range(rule.shown_at_work):
        row, place = rule.at_work[j], first + agent_codes.OF_SIZE * rule.sizes * j
        if state.state[row] == states.RUNNING:
            rule.seen[lasting_for + j] = now - state.run_began[row]
        for n in range(rule.sizes):
            chosen = place_shown(state, rule, row, n)
            if chosen >= 0 and may_have(state, rule, row, now, chosen):
                lasting = max(shapes.end_with(state, row, now, chosen) - now, 0.0)
                write_size(rule, place + agent_codes.OF_SIZE * n, state.form_sizes[chosen], lasting)


def write_size(rule: Observing, place: int, size: int, lasting: float) -> None:
    """Write down one size."""
    rule.seen[place + agent_codes.SIZE] = size
    rule.seen[place + agent_codes.LASTING] = min(lasting, LARGEST)


def may_have(state: State, rule: Observing, row: int, now: float, place: int) -> bool:
    """Whether a running job may be given a size in this pass, if there is room."""
    if state.state[row] != states.RUNNING:
        return False
    for i in range(rule.pending_count):
        if rule.pending[i] == row:
            return False
    return shapes.may_be_given(state, row, now, place)
