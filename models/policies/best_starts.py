"""The best starts of jobs within a wait, by steps that are foretold (`thinktime.models.policies.carbon`).

Jobs are submitted at the times ``now``, which ascend, and wait up to ``wait``. Step i begins at ``times[i]``, with the
value ``values[i]`` for those who look while it is under way, and ``foretold[i]`` for those who look before. The last
one goes on for ever. Starts are written to ``found``, for each job the first of those that are as good.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic
from thinktime.models.engine.structure import Structure
from thinktime.workloads.arrays import Floats, Ints

INFINITY = math.inf


class Waits(Structure):
    """What is foretold, how long jobs wait, and room for all starts that are tried, or steps, of one of them."""

    FIELDS = {
        "times": Floats, "values": Floats, "foretold": Floats, "tried": Floats, "worth": Floats, "order": Ints,
        "spare": Ints,
    }  # fmt: skip
    NUMBERS = {"wait": 0.0, "share": 0.0, "alike": 0.0}
    wait: float
    share: float
    """The quantile that a value may have."""
    alike: float
    """The part by which integrals may differ that are as good."""
    times: Floats
    values: Floats
    foretold: Floats
    tried: Floats
    worth: Floats
    order: Ints
    spare: Ints


def begin_of(steps: Waits, step: int) -> float:
    """When a step begins, s; infinite behind the last."""
    return float(steps.times[step]) if step < len(steps.times) else INFINITY


def seen_at(steps: Waits, here: int, step: int) -> float:
    """What is known of a step by those who look from another one."""
    return float(steps.values[step] if step == here else steps.foretold[step])


def least_windows(steps: Waits, now: Floats, length: Floats, found: Floats) -> None:
    """The start with the least integral over a job's ``length``.

    The window moves on to where its begin or its end is at the border of a step: the integral changes steadily between.
    """
    here, times, tried, totals = 0, steps.times, steps.tried, steps.worth
    for k in range(len(now)):
        while begin_of(steps, here + 1) <= now[k]:
            here += 1
        first, start, span, last = here, now[k], length[k], now[k] + steps.wait
        total, end = 0.0, here
        while begin_of(steps, end + 1) < start + span:
            total += seen_at(steps, here, end) * (begin_of(steps, end + 1) - max(start, times[end]))
            end += 1
        total += seen_at(steps, here, end) * (start + span - max(start, times[end]))
        tried[0], totals[0], n, least, most = start, total, 1, total, abs(total)
        while start < last:
            if begin_of(steps, end + 1) <= start + span:
                end += 1
                continue
            step = min(begin_of(steps, first + 1) - start, begin_of(steps, end + 1) - (start + span), last - start)
            total += (seen_at(steps, here, end) - seen_at(steps, here, first)) * step
            start += step
            if begin_of(steps, first + 1) <= start:
                first += 1
            tried[n], totals[n] = start, total
            least, most, n = min(least, total), max(most, abs(total)), n + 1
        best = 0
        while totals[best] > least + steps.alike * most:
            best += 1
        found[k] = tried[best]


def lowest_slots(steps: Waits, now: Floats, found: Floats) -> None:
    """Now, or the begin of the step with the least value."""
    here = 0
    for k in range(len(now)):
        while begin_of(steps, here + 1) <= now[k]:
            here += 1
        found[k], least, step = now[k], steps.values[here], here + 1
        while begin_of(steps, step) <= now[k] + steps.wait:
            if steps.foretold[step] < least:
                found[k], least = steps.times[step], steps.foretold[step]
            step += 1


def below_quantile(steps: Waits, now: Floats, found: Floats) -> None:
    """The first time at which the value is at or below its quantile over the wait."""
    here, lengths, worth, order = 0, steps.tried, steps.worth, steps.order
    for k in range(len(now)):
        while begin_of(steps, here + 1) <= now[k]:
            here += 1
        last, n, begin = now[k] + steps.wait, 0, now[k]
        while begin < last:
            worth[n] = seen_at(steps, here, here + n)
            end = min(begin_of(steps, here + n + 1), last)
            lengths[n], begin, n = end - begin, end, n + 1
        arithmetic.sort_by(worth, order, steps.spare, n)
        place, below = 0, lengths[order[0]]
        while place + 1 < n and below < steps.share * steps.wait:
            place += 1
            below += lengths[order[place]]
        limit, step = worth[order[place]], 0
        while worth[step] > limit:
            step += 1
        found[k] = now[k] if step == 0 else steps.times[here + step]
