"""CPlant: a starvation queue in front of the main queue."""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, passes, pool, queue_orders, room
from thinktime.models.engine.codes import starvation as starvation_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rules import Rule
from thinktime.models.engine.spare import Spare
from thinktime.workloads.arrays import Codes, Floats, Ints

INFINITY = math.inf


def starvation_pass(state: State, now: float, starving: int, queue: Ints) -> int:
    """Start the first ``starving`` rows of ``queue`` strictly in order while they fit.

    The first of them that does not fit gets the one reservation, which all others must respect (EASY). If all of them
    start, the other rows start as they fit, without any reservation.
    """
    skip, out = room.overrunning(state, now), state.out
    left = state.room.begin_pass(state, skip)
    if room.used_up(state, left):
        return 0
    k, left = passes.strict_pass(state, queue[:starving], left)
    if k < starving:
        k = state.room.backfill(state, now, queue, k, skip, out, left)
    else:
        k += passes.no_guarantee_pass(state, queue[k:], out[k:], left)
    state.room.rewind(state, out[:k])
    return k


def _promote(state: State, rule: Starving, now: float, rows: Ints) -> None:
    """Jobs that have waited too long join the starvation queue, unless their owners are heavy."""
    barred = rule.barred_if
    owner = queue_orders.owners(state, rule.by)
    line = -1.0  # not known yet
    for i in range(len(rows)):
        row = rows[i]
        if _is_due(state, rule, now, row):
            if barred != starvation_codes.NOBODY and line < 0.0:
                line = heavy_line(state.spare, rule.standing, barred, rule.quantile)
            if barred == starvation_codes.NOBODY or rule.standing[owner[row] + 1] <= line:
                rule.starving[row] = starvation_codes.APART


def by_arrival(state: State, rule: Starving, apart: Ints) -> Ints:
    """The starvation queue, first come first."""
    n, k = len(apart), 0
    if rule.keyed:
        keys = state.spare.real(n)
        for i in range(n):
            keys[i] = state.id[apart[i]]
        by_id = state.spare.sorted_by(keys, apart)
        for i in range(n):
            keys[i] = state.submit[by_id[i]]
        return state.spare.sorted_by(keys, by_id)
    for i in range(n):
        rule.starving[apart[i]] = starvation_codes.HERE
    rows_here = pool.queue_of(state)
    for j in range(len(rows_here)):
        row = rows_here[j]
        if rule.starving[row] == starvation_codes.HERE:
            apart[k] = row
            k += 1
    for i in range(n):
        rule.starving[apart[i]] = starvation_codes.APART
    return apart


def _is_due(state: State, rule: Starving, now: float, row: int) -> bool:
    return bool(now - state.submit[row] >= rule.starve and rule.starving[row] == starvation_codes.MAIN)


def heavy_line(spare: Spare, usage: Floats, barred: int, quantile: float) -> float:
    """Above what usage a user is heavy: the mean of the usages above 0, or their quantile, as NumPy computes them."""
    used, n = spare.real(len(usage)), 0
    for i in range(len(usage)):
        used[n] = usage[i]
        n += usage[i] > 0.0
    if n == 0:
        return INFINITY
    if barred == starvation_codes.ABOVE_MEAN:
        return pairwise_sum(spare, used[:n]) / n
    arithmetic.sort_values(used, n)
    place = (n - 1) * quantile
    low = int(arithmetic.floor(place))
    if low >= n - 1:
        return float(used[n - 1])
    step, part = used[low + 1] - used[low], place - low
    if part >= 0.5:
        return float(used[low + 1] - step * (1.0 - part))
    return float(used[low] + step * part)


def pairwise_sum(spare: Spare, values: Floats) -> float:
    """The sum of some numbers in the order in which NumPy adds them: halves of halves, down to 128 numbers."""
    if len(values) <= 128:
        return _block_sum(spare, values)
    sizes, sums = spare.whole(128), spare.real(128)
    sizes[0] = len(values)
    left, k, begin = 1, 0, 0
    while left > 0:
        left -= 1
        n = sizes[left]
        if n == 0:  # both halves are known
            k -= 1
            sums[k - 1] += sums[k]
        elif n <= 128:
            sums[k] = _block_sum(spare, values[begin : begin + n])
            begin += n
            k += 1
        else:
            half = n // 2 - n // 2 % 8
            sizes[left], sizes[left + 1], sizes[left + 2] = 0, n - half, half
            left += 3
    return float(sums[0])


def _block_sum(spare: Spare, values: Floats) -> float:
    """The sum of up to 128 numbers: eight sums of every eighth number each."""
    blocks = len(values) - len(values) % 8 if len(values) >= 8 else 0
    total = 0.0
    if blocks > 0:
        r = spare.real(8)
        for j in range(8):
            r[j] = values[j]
        for i in range(8, blocks, 8):
            for j in range(8):
                r[j] += values[i + j]
        total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
    for i in range(blocks, len(values)):
        total += values[i]
    return total


class Starving(Rule):
    """The rule: who starves, who may not, and what the owners have used."""

    FIELDS = {"starving": Codes, "standing": Floats}
    NUMBERS = {"barred_if": 0, "by": 0, "keyed": False, "starve": INFINITY, "quantile": 0.0}
    barred_if: int
    """Whom the starvation queue does not take (`thinktime.models.engine.codes.starvation`)."""
    by: int
    """Whose use counts, users' or groups' (`thinktime.models.engine.codes.queue_orders`)."""
    keyed: bool
    """Whether the machine keeps the queue by a key."""
    starve: float
    """Who has waited for so long joins the starvation queue, s."""
    quantile: float
    """Above which quantile of use an owner is heavy."""
    starving: Codes
    standing: Floats

    def order_matters(self, state: State, now: float, rows: Ints) -> bool:
        """Whether a job fits, or one is to join the starvation queue and it has to be known who is heavy."""
        free = room.available(state, room.overrunning(state, now))
        for i in range(len(rows)):
            row = rows[i]
            if state.processors[row] <= free:
                return True
            if self.barred_if != starvation_codes.NOBODY and _is_due(state, self, now, row):
                return True
        return False

    def select(self, state: State, now: float, rows: Ints) -> int:
        """Move jobs that have waited too long into the starvation queue, and start what may start."""
        _promote(state, self, now, rows)
        n, starving = len(rows), 0
        for i in range(n):
            starving += self.starving[rows[i]] != starvation_codes.MAIN
        if starving == 0:
            return starvation_pass(state, now, starving, rows)
        apart, queue, k, place = state.spare.whole(starving), state.spare.whole(n), 0, starving
        for i in range(n):
            row = rows[i]
            if self.starving[row] != starvation_codes.MAIN:
                apart[k] = row
                k += 1
            else:
                queue[place] = row
                place += 1
        first = state.room.admitted_first(state, by_arrival(state, self, apart))
        for k in range(starving):
            queue[k] = first[k]
        return starvation_pass(state, now, starving, queue)

    def started(self, state: State, now: float, rows: Ints) -> None:
        """Jobs that have started are no longer in the starvation queue, to which they may come back if interrupted."""
        for i in range(len(rows)):
            row = rows[i]
            self.starving[row] = starvation_codes.MAIN
