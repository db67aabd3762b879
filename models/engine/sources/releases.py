"""Batches whose release is known: a heap by (release, since, turn).

``turn`` counts the batches in the order in which they became free; it is negative for those that never waited.
``stamp`` is the number of SimPy's event that would wake a process at the release: by these numbers, batches and
processes act in turn at one time.
"""

from __future__ import annotations

from thinktime.models.engine import arithmetic
from thinktime.models.engine.machine_state import Truth


def ask(truth: Truth, now: float, who: int) -> bool:
    """Ask Python when a batch is submitted, (-1 - user) how long a user thinks, or one of the other questions.

    These are from `NEWCOMERS` on, and the answer is whether somebody may react.
    """
    truth.asked_at = now
    return bool(truth.answers(who))  # objects: Python is asked


def await_release(truth: Truth, batch: int) -> None:
    """A batch will be submitted at its release."""
    due, place = truth.due, truth.due_count
    truth.stamp[batch] = truth.next_stamp
    truth.due_count += 1
    while place > 0 and _before(truth, batch, due[(place - 1) // 2]):
        due[place] = due[(place - 1) // 2]
        place = (place - 1) // 2
    due[place] = batch
    truth.next_arrival = min(truth.next_arrival, next_on_grid(truth.release[batch]))


def first_is_submitted(truth: Truth) -> None:
    """Remove the batch that is submitted first."""
    due = truth.due
    truth.due_count -= 1
    last, n, place = due[truth.due_count], truth.due_count, 0
    while 2 * place + 1 < n:
        child = 2 * place + 1
        if child + 1 < n and _before(truth, due[child + 1], due[child]):
            child += 1
        if _before(truth, last, due[child]):
            break
        due[place] = due[child]
        place = child
    due[place] = last


def _before(truth: Truth, one: int, other: int) -> bool:
    """Whether one batch is submitted before another."""
    release, since, turn = truth.release, truth.since, truth.turn
    if release[one] != release[other]:
        return bool(release[one] < release[other])
    if since[one] != since[other]:
        return bool(since[one] < since[other])
    return bool(turn[one] < turn[other])


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
