"""Batches whose release is known: a heap by (release, since, turn).

``turn`` counts the batches in the order in which they became free; it is negative for those that never waited.
``stamp`` is the number of SimPy's event that would wake a process at the release: by these numbers, batches and
processes act in turn at one time. ``spot`` is 1 + the place of a batch in the heap, and 0 of those not in it. Where it
is not known yet when a user comes (`thinktime.models.engine.sources.foretold`), that is found out on top of the heap.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic
from thinktime.models.engine.sources import foretold
from thinktime.models.engine.truth import Truth

INFINITY = math.inf
FAR = 2.0**41
"""A batch that would come after this time never comes, s."""


def ask(truth: Truth, now: float, who: int) -> bool:
    """Ask Python when a batch is submitted, (-1 - user) how long a user thinks, or one of the other questions.

    These are from `NEWCOMERS` on, and the answer is whether somebody may react.
    """
    truth.asked_at = now
    return bool(truth.answers(who))  # objects: Python is asked


def await_release(truth: Truth, batch: int) -> None:
    """A batch will be submitted at its release."""
    truth.stamp[batch] = truth.next_stamp
    truth.due_count += 1
    _rise(truth, batch, truth.due_count - 1)
    _find_next(truth)


def move(truth: Truth, batch: int) -> None:
    """A batch that waits will be submitted at another release."""
    truth.stamp[batch] = truth.next_stamp
    _put(truth, batch, truth.spot[batch] - 1)
    _find_next(truth)


def withdraw(truth: Truth, batch: int) -> None:
    """A batch does not wait any more, if it did."""
    if truth.spot[batch] > 0:
        _take_out(truth, batch)
        _find_next(truth)


def look_past(truth: Truth, batch: int, time: float) -> None:
    """Of a batch whose release is not known yet, see what happens until some time."""
    _look_further(truth, batch, time)
    _find_next(truth)


def _look_further(truth: Truth, batch: int, until: float) -> None:
    foretold.look_further(truth, batch, until)
    if truth.release[batch] > FAR:
        _take_out(truth, batch)
    else:
        _sink(truth, batch, truth.spot[batch] - 1)


def _take_out(truth: Truth, batch: int) -> None:
    place = truth.spot[batch] - 1
    truth.spot[batch] = 0
    truth.due_count -= 1
    last = truth.due[truth.due_count]
    if last != batch:
        _put(truth, last, place)


def _put(truth: Truth, batch: int, place: int) -> None:
    """Put a batch into a place that is free, or rather where it belongs: above it or below."""
    if place > 0 and _before(truth, batch, truth.due[(place - 1) // 2]):
        _rise(truth, batch, place)
    else:
        _sink(truth, batch, place)


def _rise(truth: Truth, batch: int, place: int) -> None:
    release = truth.release[batch]
    while place > 0:
        above = truth.due[(place - 1) >> 1]
        if release > truth.release[above] or (release == truth.release[above] and not _before(truth, batch, above)):
            break
        truth.due[place], truth.spot[above] = above, place + 1
        place = (place - 1) >> 1
    truth.due[place], truth.spot[batch] = batch, place + 1


def _sink(truth: Truth, batch: int, place: int) -> None:
    release, n = truth.release[batch], truth.due_count
    while 2 * place + 1 < n:
        child, second = 2 * place + 1, truth.due[2 * place + 1]
        if child + 1 < n and _before(truth, truth.due[child + 1], second):
            child, second = child + 1, truth.due[child + 1]
        if release < truth.release[second] or (release == truth.release[second] and _before(truth, batch, second)):
            break
        truth.due[place], truth.spot[second] = second, place + 1
        place = child
    truth.due[place], truth.spot[batch] = batch, place + 1


def _find_next(truth: Truth) -> None:
    """Find out when the next batch is submitted."""
    while truth.due_count > 0 and foretold.is_open(truth, truth.due[0]):
        batch, second = truth.due[0], INFINITY
        for place in range(1, min(truth.due_count, 3)):
            second = min(second, truth.release[truth.due[place]])
        _look_further(truth, batch, foretold.has_to_look(truth, truth.person[batch] - 1, second))
    truth.next_release = next_on_grid(truth.release[truth.due[0]]) if truth.due_count > 0 else INFINITY


def next_submission(truth: Truth) -> float:
    """When jobs are submitted next, as far as the engine knows; infinite for never."""
    return min(truth.next_arrival, truth.next_release)


def _before(truth: Truth, one: int, other: int) -> bool:
    """Whether one batch is submitted before another."""
    if truth.release[one] != truth.release[other]:
        return bool(truth.release[one] < truth.release[other])
    if truth.since[one] != truth.since[other]:
        return bool(truth.since[one] < truth.since[other])
    return bool(truth.turn[one] < truth.turn[other])


def next_on_grid(time: float) -> float:
    """The next grid point at or after a time (`thinktime.workloads.grid`)."""
    return float(arithmetic.ceil(time * 1024.0) / 1024.0)


def join(truth: Truth, row: int) -> None:
    """A job is submitted at this instant."""
    truth.arrived[truth.arrived_count] = row
    truth.arrived_count += 1


def count_down(truth: Truth, watch: int) -> bool:
    """One job or batch of a watch is over; true if it was the last, which is written down."""
    truth.left[watch] -= 1
    if truth.left[watch] > 0:
        return False
    truth.watches[truth.ended_watches] = watch
    truth.ended_watches += 1
    return True
