"""CPlant: a starvation queue in front of the main queue."""

import numpy as np

from thinktime.models.kernels.machine_state import INFINITY
from thinktime.models.kernels.passes import backfill, no_guarantee_pass, strict_pass
from thinktime.models.kernels.pool import queue_of
from thinktime.models.kernels.queue_orders import owners
from thinktime.models.kernels.room import admitted_first, available, begin_pass, overrunning, rewind, used_up
from thinktime.models.kernels.rules import order_matters, select, started
from thinktime.workloads.compiler import Codes, Floats, Ints, kernel
from thinktime.workloads.kinds import written_for
from thinktime.workloads.structures import Structure, StructureKind, maker

BARRED, BY, KEYED = range(3)  # places in ``options``; the last: the machine keeps the queue by a key
NOBODY, ABOVE_MEAN, ABOVE_QUANTILE = range(3)  # who is barred from the starvation queue
STARVE, QUANTILE = 0, 1  # places in ``limits``
MAIN, APART, HERE = range(3)  # queues; the last: apart, and in this pass
STARVING = StructureKind("Starving", options=Ints, limits=Floats, starving=Codes, standing=Floats)
"""``starving[row]`` is the queue that a job is in, ``standing`` is what every account has used."""
make_starving = maker(STARVING)


@written_for(STARVING, order_matters)
def starving_order_matters(state: Structure, rule: Structure, now: float, rows: Ints) -> bool:
    """Whether a job fits, or one is to join the starvation queue and it has to be known who is heavy."""
    free = available(state, overrunning(state, now))
    for row in rows:
        if state.processors[row] <= free:
            return True
        if rule.options[BARRED] != NOBODY and _is_due(state, rule, now, row):
            return True
    return False


@written_for(STARVING, select)
def starving_select(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """Move jobs that have waited too long into the starvation queue, and start what may start."""
    _promote(state, rule, now, rows)
    apart = rows[rule.starving[rows] != MAIN]
    if apart.size == 0:
        return starvation_pass(state, now, apart.size, rows)
    first, others = admitted_first(state, by_arrival(state, rule, apart)), rows[rule.starving[rows] == MAIN]
    return starvation_pass(state, now, apart.size, np.concatenate((first, others)))


@written_for(STARVING, started)
def starving_started(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Jobs that have started are no longer in the starvation queue, to which they may come back if interrupted."""
    for row in rows:
        rule.starving[row] = MAIN


@kernel
def starvation_pass(state: Structure, now: float, starving: int, queue: Ints) -> int:
    """Start the first ``starving`` rows of ``queue`` strictly in order while they fit.

    The first of them that does not fit gets the one reservation, which all others must respect (EASY). If all of them
    start, the other rows start as they fit, without any reservation.
    """
    skip, out = overrunning(state, now), state.out
    left = begin_pass(state, skip)
    if used_up(state, left):
        return 0
    k, left = strict_pass(state, queue[:starving], out, left)
    if k < starving:
        k = backfill(state, now, queue, k, skip, out, left)
    else:
        k += no_guarantee_pass(state, queue[k:], out[k:], left)
    rewind(state, out[:k])
    return k


@kernel
def _promote(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Jobs that have waited too long join the starvation queue, unless their owners are heavy."""
    barred = rule.options[BARRED]
    owner = owners(state, rule.options[BY])
    line = -1.0  # not known yet
    for row in rows:
        if _is_due(state, rule, now, row):
            if barred != NOBODY and line < 0.0:
                line = heavy_line(rule.standing, barred, rule.limits[QUANTILE])
            if barred == NOBODY or rule.standing[owner[row] + 1] <= line:
                rule.starving[row] = APART


@kernel
def by_arrival(state: Structure, rule: Structure, apart: Ints) -> Ints:
    """The starvation queue, first come first."""
    if rule.options[KEYED]:
        apart = apart[np.argsort(state.id[apart], kind="mergesort")]
        return apart[np.argsort(state.submit[apart], kind="mergesort")]
    rule.starving[apart] = HERE
    k = 0
    for row in queue_of(state):
        if rule.starving[row] == HERE:
            apart[k] = row
            k += 1
    rule.starving[apart] = APART
    return apart


@kernel
def _is_due(state: Structure, rule: Structure, now: float, row: int) -> bool:
    return bool(now - state.submit[row] >= rule.limits[STARVE] and rule.starving[row] == MAIN)


@kernel
def heavy_line(usage: Floats, barred: int, quantile: float) -> float:
    """Above what usage a user is heavy: the mean of the usages above 0, or their quantile, as NumPy computes them."""
    used = usage[usage > 0.0]
    if used.size == 0:
        return INFINITY
    if barred == ABOVE_MEAN:
        return pairwise_sum(used) / used.size
    used.sort()
    place = (used.size - 1) * quantile
    low = int(np.floor(place))
    if low >= used.size - 1:
        return float(used[-1])
    step, part = used[low + 1] - used[low], place - low
    return float(used[low + 1] - step * (1.0 - part) if part >= 0.5 else used[low] + step * part)


@kernel
def pairwise_sum(values: Floats) -> float:
    """The sum of some numbers in the order in which NumPy adds them: halves of halves, down to 128 numbers."""
    sizes, sums = np.empty(128, np.int64), np.empty(128)
    sizes[0] = values.size
    left, k, begin = 1, 0, 0
    while left > 0:
        left -= 1
        n = sizes[left]
        if n == 0:  # both halves are known
            k -= 1
            sums[k - 1] += sums[k]
        elif n <= 128:
            sums[k] = _block_sum(values[begin : begin + n])
            begin += n
            k += 1
        else:
            half = n // 2 - n // 2 % 8
            sizes[left], sizes[left + 1], sizes[left + 2] = 0, n - half, half
            left += 3
    return float(sums[0])


@kernel
def _block_sum(values: Floats) -> float:
    """The sum of up to 128 numbers: eight sums of every eighth number each."""
    blocks = values.size - values.size % 8 if values.size >= 8 else 0
    total = 0.0
    if blocks > 0:
        r = values[:8].copy()
        for i in range(8, blocks, 8):
            for j in range(8):
                r[j] += values[i + j]
        total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
    for i in range(blocks, values.size):
        total += values[i]
    return total
