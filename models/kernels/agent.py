"""The rule of an agent: somebody outside says which of the first waiting jobs starts next.

``options`` are how many waiting and running jobs the agent sees, whether jobs are backfilled behind its choice, and
whether the machine may stay idle; then the answer, how many jobs the pass has chosen so far (``chosen``), how many the
agent sees now (``shown``, their rows), and whether it is asked. ``seen`` is what it sees, by the places below, and
``allowed`` says which answers are. The other arrays are those of `thinktime.models.kernels.usage`, with the
``standing`` of each account when somebody last looked.

A pass that needs an answer comes back with `ASKS`, and everything is as if it had not begun but for what has been
chosen. It is taken up again with the answer.
"""

import numpy as np

from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import room
from thinktime.models.kernels.gapped import is_gap, sort_by_estimate, sort_in
from thinktime.models.kernels.passes import backfill
from thinktime.models.kernels.rules import NEEDS_ROOM, ended, select, started
from thinktime.models.kernels.usage import END, START, charge, usage_at
from thinktime.workloads.compiler import Codes, Floats, Ints, kernel
from thinktime.workloads.kinds import by_kind, written_for
from thinktime.workloads.structures import Structure, StructureKind, fields, maker

AGENT = StructureKind(
    "Agent",
    **fields((Ints, "options chosen shown"), (Floats, "seen"), (Codes, "allowed")),
    **fields((Floats, "how clock usage rate"), (Ints, "jobs"), (Floats, "standing")),
)
make_agent = maker(AGENT)

SEES, SEES_RUNNING, BACKFILLS, MAY_IDLE, ANSWER, CHOSEN, SHOWN, ASKED = range(8)  # places in ``options``
NO_ANSWER = -1
ASKS = NEEDS_ROOM - 1
FREE, PROCESSORS, HOUR, NOW = range(4)  # places in ``seen``; the time is not for the agent
FIRST = 4  # the place of the waiting jobs; behind them are the running ones
WAIT, ESTIMATE, WIDTH, USAGE = range(4)  # of a waiting job
REMAINING, RUNNING_WIDTH = range(2)  # of a running job
OF_WAITING, OF_RUNNING = 4, 2  # how many numbers each has
LARGEST = 2.0**53
"""What is larger, such as an infinite estimate, is shown as this."""


@written_for(AGENT, select)
def agent_select(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """Start what has been chosen, when the agent, or what it sees, says that this is all."""
    options, chosen = rule.options, rule.chosen
    if rows.size > chosen.size:
        return NEEDS_ROOM
    answer, skip = options[ANSWER], room.overrunning(state, now)
    options[ANSWER] = NO_ANSWER
    left = room.begin_pass(state, skip)
    for i in range(options[CHOSEN]):
        left = take(state, chosen[i], left)
    over = answer == options[SEES]
    if 0 <= answer < options[SEES]:
        row = rule.shown[answer]
        if room.fits_now(state, row, left):
            left = take(state, row, left)
            chosen[options[CHOSEN]] = row
            options[CHOSEN] += 1
        else:
            over = True
    state.out[: options[CHOSEN]] = chosen[: options[CHOSEN]]
    k = options[CHOSEN]
    if over and answer < options[SEES]:
        k = backfill(state, now, behind(rule, rows, rule.shown[answer]), k, skip, state.out, left)
    elif not over:
        show(rule, rows)
        if worth_asking(state, rule, rows, left):
            look(state, rule, now, left)
            options[ASKED] = True
            room.rewind(state, state.out[:k])
            return ASKS
    options[CHOSEN] = 0
    room.rewind(state, state.out[:k])
    return int(k)


@by_kind
def take(state: Structure, row: int, left: int) -> int:
    """What the pass has left when a job, which fits, starts in it."""
    room.fits_now(state, row, left)  # on nodes this chooses them
    return room.take_now(state, row, left)


@kernel
def behind(rule: Structure, rows: Ints, head: int) -> Ints:
    """The queue as EASY takes it: what has been chosen, the head, and all others as they come."""
    queue, k = np.empty(rows.size, np.int64), rule.options[CHOSEN]
    queue[:k] = rule.chosen[:k]
    queue[k] = head
    k += 1
    for row in rows:
        if row != head and not is_chosen(rule, row):
            queue[k] = row
            k += 1
    return queue


@kernel
def is_chosen(rule: Structure, row: int) -> bool:
    """Whether the pass has chosen a job."""
    found = False
    for i in range(rule.options[CHOSEN]):
        found = found or rule.chosen[i] == row
    return found


@kernel
def show(rule: Structure, rows: Ints) -> None:
    """The agent sees the first of the rows that have not been chosen."""
    n = 0
    for row in rows:
        if n == rule.options[SEES]:
            break
        if not is_chosen(rule, row):
            rule.shown[n] = row
            n += 1
    rule.options[SHOWN] = n


@by_kind
def worth_asking(state: Structure, rule: Structure, rows: Ints, left: int) -> bool:
    """Note which answers are allowed; true if any job that may start by one fits now."""
    options, shown, allowed = rule.options, rule.shown, rule.allowed
    allowed[:] = 0
    found = False
    for i in range(options[SHOWN]):
        fits = not room.used_up(state, left) and room.fits_now(state, shown[i], left)
        allowed[i] = fits or options[BACKFILLS]
        found = found or fits
    idle = state.counts[at.AT_WORK] + options[CHOSEN] == 0
    allowed[options[SEES]] = options[MAY_IDLE] or not (idle and found)
    if options[BACKFILLS] and not found and not room.used_up(state, left):
        for row in rows:
            if not is_chosen(rule, row) and room.fits_now(state, row, left):
                return True
    return found


@by_kind
def look(state: Structure, rule: Structure, now: float, left: int) -> None:
    """Write down what the agent sees, with what has been chosen as if it ran."""
    options, seen, how = rule.options, rule.seen, rule.how
    usage_at(now, rule.clock, rule.usage, rule.rate, how[0], how[1], how[2], how[3], rule.standing)
    seen[FIRST:] = 0.0
    seen[FREE], seen[PROCESSORS], seen[NOW] = left, state.counts[at.PROCESSORS], now
    place = FIRST
    for i in range(options[SHOWN]):
        row = rule.shown[i]
        seen[place + WAIT] = now - state.submit[row]
        seen[place + ESTIMATE] = min(state.estimate[row], LARGEST)
        seen[place + WIDTH] = state.processors[row]
        seen[place + USAGE] = min(rule.standing[state.user[row] + 1], LARGEST)
        place += OF_WAITING
    look_at_running(state, rule, now, FIRST + OF_WAITING * options[SEES])


@kernel
def look_at_running(state: Structure, rule: Structure, now: float, place: int) -> None:
    """Write down the running jobs, those that have been chosen included, by expected end."""
    options, seen = rule.options, rule.seen
    estimate, expected, scratch = state.estimate, state.expected, state.scratch
    started = options[CHOSEN]
    sort_by_estimate(state, rule.chosen, started)
    sort_in(state)
    i, j, stop = state.counts[at.FIRST_RUNNING], 0, state.counts[at.STOP_RUNNING]
    last = place + OF_RUNNING * options[SEES_RUNNING]
    while place < last and (i < stop or j < started):
        if i < stop and is_gap(state, i):
            i += 1
            continue
        ends_run = expected[i] if i < stop else at.INFINITY
        if i < stop and (j == started or ends_run <= now + estimate[scratch[j]]):
            row, end = state.running[i], ends_run
            i += 1
        else:
            row, end = scratch[j], now + estimate[scratch[j]]
            j += 1
        seen[place + REMAINING] = min(max(end - now, state.clock[at.GRACE]), LARGEST)
        seen[place + RUNNING_WIDTH] = state.processors[row]
        place += OF_RUNNING


@kernel
def look_around(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Write down what an agent would see that nobody asks."""
    rule.options[CHOSEN] = 0
    rule.allowed[:] = 0
    rule.allowed[rule.options[SEES]] = 1
    show(rule, rows)
    look(state, rule, now, room.available(state, 0))


@written_for(AGENT, started)
def agent_started(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Their users have used more from now on."""
    charge_users(state, rule, now, START, rows)


@written_for(AGENT, ended)
def agent_ended(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Their users use no more."""
    charge_users(state, rule, now, END, rows)


@kernel
def charge_users(state: Structure, rule: Structure, now: float, sign: int, rows: Ints) -> None:
    """Charge the accounts of the users of jobs that start or end."""
    how, accounts, amounts = rule.how, np.empty(rows.size, np.int64), np.empty(rows.size)
    for i in range(rows.size):
        accounts[i], amounts[i] = state.user[rows[i]] + 1, state.processors[rows[i]]
    charge(now, accounts, amounts, sign, rule.clock, rule.usage, rule.rate, rule.jobs, how[0], how[1], how[2], how[3])
