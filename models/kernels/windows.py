"""Use of processors in windows of time, actual and expected: the accounts and the order of `relshare`.

``window`` is the window that the accounts are for, and ``borders`` has those of some windows, one after the other.
Account a (0 is nobody's) has used ``usage[a]`` when everything that runs has ended as expected, or the window has.
``line[:n]`` are the rows of jobs that have started, each once. Those with an ``account[row]`` that is not negative
run (`OVER`: not any more): they use ``rate[row]`` per second, began at ``begun[row]`` and are expected to end at
``until[row]``. ``marks`` is scratch.
"""

import numpy as np

from thinktime.models.kernels.machine_state import GRACE, INFINITY
from thinktime.models.kernels.passes import backfill, strict_pass
from thinktime.models.kernels.queue_orders import BY, EQUIVALENTS, MEASURE, arranged, charge_jobs, owners, sorted_by
from thinktime.models.kernels.room import admitted_first, begin_pass, fits_now, overrunning, rewind, take_now
from thinktime.models.kernels.rules import order_matters, reserve_first
from thinktime.models.kernels.usage import START
from thinktime.workloads.compiler import Codes, Floats, Ints, kernel
from thinktime.workloads.kinds import written_for
from thinktime.workloads.structures import Structure, StructureKind, fields, maker

# ``options`` begins as that of other orders; then: whether every start sorts anew, and the length of ``line``
EACH_START, IN_LINE, RUNNING = 3, 4, 5
ABSENT, OVER = -1, -2  # for ``account``; who is over is still in ``line``
GIVEN = 2  # a measure: the rates are in ``rate`` before a job starts
SINCE, UNTIL, GRACE_THEN = range(3)  # places in ``window``; the last is the grace at the last start
WINDOWED = StructureKind(
    "Windowed",
    **fields(
        (Ints, "options"),
        (Floats, "window borders usage standing divisors"),
        (Ints, "line account"),
        (Floats, "rate begun until"),
        (Codes, "marks"),
    ),
)
make_windowed = maker(WINDOWED)


@kernel
def window_at(order: Structure, now: float) -> tuple[float, float]:
    """The window that holds ``now``."""
    window, borders = order.window, order.borders
    if window[SINCE] <= now < window[UNTIL]:
        return float(window[SINCE]), float(window[UNTIL])
    after = np.searchsorted(borders, now, side="right")
    return float(borders[after - 1]), float(borders[after])


@kernel
def standing_at(order: Structure, now: float, out: Floats) -> None:
    """Write what every account has used and is expected to use in the window of ``now`` to ``out``."""
    window, grace = order.window, order.window[GRACE_THEN]
    if not window[SINCE] <= now < window[UNTIL]:
        _of_running(order, now, grace, out)
        return
    out[:] = order.usage
    if grace > 0.0:  # jobs that have outlived their estimates are expected to end in a second
        earliest = min(now + grace, window[UNTIL])
        for row in order.line[: order.options[IN_LINE]]:
            if order.account[row] >= 0 and order.until[row] < earliest:
                since = max(order.until[row], order.begun[row], window[SINCE])
                out[order.account[row]] += order.rate[row] * (earliest - since)


@kernel
def _of_running(order: Structure, now: float, grace: float, out: Floats) -> None:
    """Every account's use in the window of ``now``, from the running jobs alone."""
    since, until = window_at(order, now)
    out[:] = 0.0
    for row in order.line[: order.options[IN_LINE]]:
        if order.account[row] >= 0:
            expected = max(order.until[row], now + grace) if grace > 0.0 else order.until[row]
            inside = max(0.0, min(expected, until) - max(order.begun[row], since))
            out[order.account[row]] += order.rate[row] * inside


@kernel
def _roll(order: Structure, now: float) -> None:
    """At the first start or end in a new window, forget the old one."""
    window = order.window
    if not window[SINCE] <= now < window[UNTIL]:
        _of_running(order, now, 0.0, order.usage)
        window[SINCE], window[UNTIL] = window_at(order, now)


@kernel
def begin_use(
    order: Structure, now: float, grace: float, rows: Ints, accounts: Ints, rates: Floats, ends: Floats
) -> None:
    """Jobs have started: count what they are expected to use."""
    _roll(order, now)
    options = order.options
    order.window[GRACE_THEN] = grace
    if options[IN_LINE] > 2 * options[RUNNING] + 64:
        k = 0
        for row in order.line[: options[IN_LINE]]:
            order.line[k] = row
            k += order.account[row] >= 0
            order.account[row] = max(order.account[row], ABSENT)
        options[IN_LINE] = k
    for i in range(rows.size):
        row = rows[i]
        if order.account[row] != OVER:
            order.line[options[IN_LINE]] = row
            options[IN_LINE] += 1
        order.account[row], order.rate[row], order.begun[row], order.until[row] = (
            accounts[i], rates[i], now, ends[i],
        )  # fmt: skip
        options[RUNNING] += 1
        order.usage[accounts[i]] += rates[i] * max(0.0, min(ends[i], order.window[UNTIL]) - now)


@kernel
def end_use(order: Structure, now: float, rows: Ints) -> None:
    """Jobs have ended: count what they used instead."""
    _roll(order, now)
    for row in rows:
        if order.account[row] < 0:  # it had started before anybody kept the accounts
            continue
        begun = max(order.begun[row], order.window[SINCE])
        expected = max(0.0, min(order.until[row], order.window[UNTIL]) - begun)
        order.usage[order.account[row]] += order.rate[row] * (now - begun - expected)
        order.account[row] = OVER
        order.options[RUNNING] -= 1


@written_for(WINDOWED, charge_jobs)
def charge_windows(state: Structure, order: Structure, now: float, sign: int, rows: Ints) -> None:
    """Jobs start or end: charge their owners' accounts."""
    if sign != START:
        if rows.size:
            end_use(order, now, rows)
        return
    rates = np.empty(rows.size)
    for i in range(rows.size):
        rates[i] = _rate(state, order, rows[i])
    accounts = owners(state, order.options[BY])[rows] + 1
    begin_use(order, now, state.clock[GRACE], rows, accounts, rates, state.expected_end[rows])


@kernel
def _rate(state: Structure, order: Structure, row: int) -> float:
    """What a job uses per second."""
    measure = order.options[MEASURE]
    if measure == GIVEN:
        return float(order.rate[row])
    if measure == EQUIVALENTS and not np.isnan(state.equivalents[row]):
        return float(state.equivalents[row])
    return float(state.processors[row])


@written_for(WINDOWED, arranged)
def arranged_by_use(state: Structure, rule: Structure, order: Structure, now: float, rows: Ints) -> Ints:
    """By least use, where this pass needs it. Under EASY, the reserved job counts for its owner.

    Once the head is known and has its reservation, the jobs behind it are sorted anew: the head is expected to start at
    its shadow time, and those before it start now.
    """
    if rows.size == 0 or not order_matters(state, rule, now, rows):
        return rows
    standing_at(order, now, order.standing)
    queue = _by_standing(state, order, rows)
    if order.options[EACH_START]:
        return _one_by_one(state, rule, order, now, rows, queue)
    k, shadow = reserve_first(state, rule, now, queue)
    if shadow == INFINITY:
        return queue
    for row in queue[:k]:
        _expect(state, order, now, row, now)
    _expect(state, order, now, queue[k], shadow)
    queue[k + 1 :] = _by_standing(state, order, _others(order, rows, queue[: k + 1]))
    return queue


@kernel
def _one_by_one(state: Structure, rule: Structure, order: Structure, now: float, rows: Ints, queue: Ints) -> Ints:
    """The jobs that have not started are sorted anew after every start of this pass.

    Each job before the head, the head, and each job that backfills is the first that may start in the order as it
    is then.
    """
    skip = overrunning(state, now)
    k, n, left = 0, queue.size, begin_pass(state, skip)
    while k < n and fits_now(state, queue[k], left):
        left = take_now(state, queue[k], left)
        k += 1
        _sort_others(state, order, now, rows, queue, k, n, INFINITY)
    head = k
    rewind(state, queue[:k])
    if k == n:
        return queue
    _, shadow = reserve_first(state, rule, now, queue)
    k += 1
    while shadow < INFINITY:
        _sort_others(state, order, now, rows, queue, k, head, shadow)
        left = begin_pass(state, skip)
        found, left = strict_pass(state, queue, state.out, left)
        found = backfill(state, now, queue, found, skip, state.out, left)
        rewind(state, state.out[:found])
        if found < k:
            break
        following, place = state.out[k - 1], k
        while queue[place] != following:
            place += 1
        for i in range(place, k, -1):
            queue[i] = queue[i - 1]
        queue[k] = following
        k += 1
    queue[k:] = _others(order, rows, queue[:k])
    return queue


@kernel
def _sort_others(
    state: Structure, order: Structure, now: float, rows: Ints, queue: Ints, k: int, head: int, shadow: float
) -> None:
    """Sort the queue anew from place ``k`` on: the jobs before it start now, but for the head."""
    standing_at(order, now, order.standing)
    for i in range(k):
        if i != head:
            _expect(state, order, now, queue[i], now)
    if head < k:
        _expect(state, order, now, queue[head], shadow)
    queue[k:] = _by_standing(state, order, _others(order, rows, queue[:k]))


@kernel
def _expect(state: Structure, order: Structure, now: float, row: int, start: float) -> None:
    """Count what a waiting job is expected to use in the window of ``now`` if it starts at ``start``."""
    since, until = window_at(order, now)
    inside = max(0.0, min(start + state.estimate[row], until) - max(start, since))
    order.standing[owners(state, order.options[BY])[row] + 1] += _rate(state, order, row) * inside


@kernel
def _by_standing(state: Structure, order: Structure, rows: Ints) -> Ints:
    """Rows, which come by arrival, by least use; those first that a window admits now."""
    keys, owner = np.empty(rows.size), owners(state, order.options[BY])
    for i in range(rows.size):
        account = owner[rows[i]] + 1
        keys[i] = order.standing[account] / order.divisors[account]
    return admitted_first(state, sorted_by(keys, rows))


@kernel
def _others(order: Structure, rows: Ints, taken: Ints) -> Ints:
    """The rows that are not among the taken ones."""
    rest, k = np.empty(rows.size - taken.size, np.int64), 0
    for row in taken:
        order.marks[row] = 1
    for row in rows:
        if not order.marks[row]:
            rest[k] = row
            k += 1
    for row in taken:
        order.marks[row] = 0
    return rest
