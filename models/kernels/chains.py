"""Chains: jobs that are submitted when others are over.

The *segments* of a job that a runtime limit splits follow each other: ``following[row]`` is the segment after the one
in ``row``, or -1. It is submitted at the instant at which that one has run to its end, or has been refused. Whoever
waits for the job, and its watch, go on to the next segment.

*Batches* wait for each other. Batch b has the rows ``members[bounds[b]]`` to ``members[bounds[b + 1] - 1]``, of which
``unfinished[b]`` are not over; it waits for ``missing[b]`` batches that are not over, and ``release[b]`` is the latest
end plus think time of those that are, ``since[b]`` that end. The batches ``after`` it, and their think times, are at
``links[b]`` to ``links[b + 1]``. ``watch[row]`` of its jobs is -2 - b. ``total[b]`` is the watch that ends with the
last batch of a chain.

A batch that is free waits in ``due``, a heap by (release, since, turn); its jobs are submitted at its release, each
``offset`` later. ``turn`` counts the batches in the order in which they became free; it is negative for those that
never waited. If somebody has to be asked when a batch is to be submitted (`HELD`), it is written down in ``free``.
"""

from thinktime.models.kernels.machine_state import (
    ARRIVAL,
    ARRIVED,
    CAMPAIGNS,
    DUE,
    ENDED_WATCHES,
    FREE,
    GIVEN,
    HELD,
    NUMBERED,
    TO_COME,
    TURN,
)
from thinktime.models.kernels.state_codes import FINISHED, REFUSED
from thinktime.models.kernels.timetables import announce, arrive_as_announced
from thinktime.workloads.compiler import Structure, kernel


@kernel
def goes_on(state: Structure, truth: Structure, now: float, row: int) -> bool:
    """Submit the segment that follows one that is over; false if the job has no more."""
    counts, following = truth.counts, truth.following
    then = following[row]
    if then < 0:
        return False
    if state.state[row] != FINISHED and state.state[row] != REFUSED:
        while then >= 0:
            counts[TO_COME] -= 1
            then = following[then]
        return False
    truth.watch[then], truth.watch[row] = truth.watch[row], -1
    truth.attention[then] |= truth.attention[row]
    state.campaign[then], state.submit[then] = state.campaign[row], now
    counts[TO_COME] -= 1
    counts[GIVEN] += 1
    _join(truth, then)
    truth.clock[ARRIVAL] = now
    return True


@kernel
def job_of_batch_over(truth: Structure, now: float, batch: int) -> bool:
    """A job of a batch is over: if it was the last, release what waits; true if somebody has to be told."""
    counts, release = truth.counts, truth.release
    truth.unfinished[batch] -= 1
    if truth.unfinished[batch] > 0:
        return False
    urgent = count_down(truth, truth.total[batch])
    for link in range(truth.links[batch], truth.links[batch + 1]):
        after = truth.after[link]
        if now + truth.think[link] > release[after]:
            release[after], truth.since[after] = now + truth.think[link], now
        truth.missing[after] -= 1
        if truth.missing[after] == 0:
            truth.turn[after] = counts[TURN]
            counts[TURN] += 1
            if truth.manner[after] & HELD:
                truth.free[counts[FREE]] = after
                counts[FREE] += 1
                urgent = True
            else:
                await_release(truth, after)
    return urgent


@kernel
def count_down(truth: Structure, watch: int) -> bool:
    """One job or batch of a watch is over; true if it was the last, which is written down."""
    truth.left[watch] -= 1
    if truth.left[watch] > 0:
        return False
    truth.watches[truth.counts[ENDED_WATCHES]] = watch
    truth.counts[ENDED_WATCHES] += 1
    return True


@kernel
def await_first_releases(truth: Structure, first: int, stop: int) -> None:
    """Of these batches, those that wait for nothing will be submitted at their releases."""
    for batch in range(first, stop):
        if truth.turn[batch] < 0:
            await_release(truth, batch)


@kernel
def await_release(truth: Structure, batch: int) -> None:
    """A batch will be submitted at its release."""
    due, place = truth.due, truth.counts[DUE]
    truth.counts[DUE] += 1
    while place > 0 and _before(truth, batch, due[(place - 1) // 2]):
        due[place] = due[(place - 1) // 2]
        place = (place - 1) // 2
    due[place] = batch
    truth.clock[ARRIVAL] = min(truth.clock[ARRIVAL], truth.release[batch])


@kernel
def arrive(state: Structure, truth: Structure, now: float) -> None:
    """Submit what is due now."""
    due, counts = truth.due, truth.counts
    while counts[DUE] > 0 and truth.release[due[0]] <= now:
        _submit(state, truth, now, due[0])
        counts[DUE] -= 1
        last, n, place = due[counts[DUE]], counts[DUE], 0
        while 2 * place + 1 < n:
            child = 2 * place + 1
            if child + 1 < n and _before(truth, due[child + 1], due[child]):
                child += 1
            if _before(truth, last, due[child]):
                break
            due[place] = due[child]
            place = child
        due[place] = last
    arrive_as_announced(state, truth, now)
    if counts[DUE] > 0:
        truth.clock[ARRIVAL] = min(truth.clock[ARRIVAL], truth.release[due[0]])


@kernel
def _submit(state: Structure, truth: Structure, now: float, batch: int) -> None:
    """Submit a batch: announce its jobs from the first one with an offset on."""
    members, offset, counts = truth.members, truth.offset, truth.counts
    begin, stop = truth.bounds[batch], truth.bounds[batch + 1]
    for place in range(begin, stop):
        row = members[place]
        state.submit[row] = now + offset[place]
        if truth.turn[batch] >= 0:
            state.think_time[row] = state.submit[row] - truth.since[batch]
        if truth.manner[batch] & NUMBERED:
            state.campaign[row] = counts[CAMPAIGNS]
        if offset[place] <= 0.0:
            _join(truth, row)
            begin += 1
    if truth.manner[batch] & NUMBERED:
        counts[CAMPAIGNS] += 1
    counts[GIVEN] += stop - truth.bounds[batch]
    if begin < stop:
        announce(state, truth, members[begin], members[stop - 1] + 1)


@kernel
def _before(truth: Structure, one: int, other: int) -> bool:
    """Whether one batch is submitted before another."""
    release, since, turn = truth.release, truth.since, truth.turn
    if release[one] != release[other]:
        return bool(release[one] < release[other])
    if since[one] != since[other]:
        return bool(since[one] < since[other])
    return bool(turn[one] < turn[other])


@kernel
def _join(truth: Structure, row: int) -> None:
    """A job is submitted at this instant."""
    truth.arrived[truth.counts[ARRIVED]] = row
    truth.counts[ARRIVED] += 1
