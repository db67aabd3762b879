"""Chains: jobs that are submitted when others are over.

The *segments* of a job that a runtime limit splits follow each other: ``following[row]`` is the segment after the one
in ``row``, or -1. It is submitted at the instant at which that one has run to its end, or has been refused. Whoever
waits for the job, and its watch, go on to the next segment.

*Batches* wait for each other. Batch b has the rows ``members[job[b]]`` to ``members[stop_job[b] - 1]``, of which
``unfinished[b]`` are not over; it waits for ``missing[b]`` batches that are not over, and ``release[b]`` is the latest
end plus think time of those that are, ``since[b]`` that end, and ``last[b]`` the batch that ended last. The batches
``after`` it, and their think times, are at ``link[b]`` to ``stop_link[b]``. ``watch[row]`` of its jobs is -2 - b.
``total[b]`` is the watch that ends with the last batch of a chain. A batch that is `PLANNED` is a user
(`thinktime.models.kernels.plans`).

A batch that is free waits in ``due`` (`thinktime.models.kernels.releases`); its jobs are submitted at its release, each
``offset`` later. If somebody has to be asked when a batch is to be submitted (`HELD`), that is done when it is free.
"""

import numpy as np

from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels.limits import leave
from thinktime.models.kernels.plans import go_on, has_way, job_of_user_over, planner, submit_next
from thinktime.models.kernels.releases import ask, await_release, count_down, first_is_submitted, join, next_on_grid
from thinktime.models.kernels.sources import arrive, note_job, note_over
from thinktime.models.kernels.state_codes import FINISHED, REFUSED
from thinktime.models.kernels.timetables import announce, arrive_as_announced
from thinktime.workloads.compiler import Ints, kernel, whole
from thinktime.workloads.kinds import written_for
from thinktime.workloads.structures import Structure, StructureKind, maker

ANY_STAMP = whole(1 << 62)
ANNOUNCED, CHAINED = StructureKind("Announced", none=Ints), StructureKind("Chained", none=Ints)
"""What submits jobs: timetables alone, or chains as well. Most runs need no kernels of chains."""
announced, chained = maker(ANNOUNCED)(np.empty(0, np.int64)), maker(CHAINED)(np.empty(0, np.int64))


@kernel
def goes_on(state: Structure, truth: Structure, now: float, row: int) -> bool:
    """Submit the segment that follows one that is over; false if the job has no more."""
    counts, following = truth.counts, truth.following
    then = following[row]
    if then < 0:
        return False
    if state.state[row] != FINISHED and state.state[row] != REFUSED:
        while then >= 0:
            counts[at.TO_COME] -= 1
            then = following[then]
        return False
    truth.watch[then], truth.watch[row] = truth.watch[row], -1
    truth.attention[then] |= truth.attention[row]
    state.campaign[then], state.submit[then] = state.campaign[row], now
    counts[at.TO_COME] -= 1
    counts[at.GIVEN] += 1
    join(truth, then)
    truth.clock[at.ARRIVAL] = now
    return True


@kernel
def job_of_batch_over(truth: Structure, now: float, batch: int) -> bool:
    """A job of a batch is over: if it was the last, release what waits; true if it was the last of all."""
    counts, release = truth.counts, truth.release
    truth.unfinished[batch] -= 1
    if truth.unfinished[batch] > 0:
        return False
    urgent = count_down(truth, truth.total[batch])
    for link in range(truth.link[batch], truth.stop_link[batch]):
        after = truth.after[link]
        if now + truth.think[link] > release[after]:
            release[after], truth.since[after] = now + truth.think[link], now
        truth.missing[after] -= 1
        truth.last[after] = batch
        if truth.missing[after] == 0:
            truth.turn[after] = counts[at.TURN]
            counts[at.TURN] += 1
            if truth.manner[after] & at.HELD:
                ask(truth, now, after)
            await_release(truth, after)
    return urgent


@kernel
def await_first_releases(truth: Structure, first: int, stop: int) -> None:
    """Of these batches, those that wait for nothing will be submitted at their releases."""
    for batch in range(first, stop):
        if truth.turn[batch] < 0:
            await_release(truth, batch)


@written_for(CHAINED, note_over)
def note_over_in_chains(state: Structure, truth: Structure, sources: Structure, now: float, rows: Ints) -> bool:
    """Submit what follows, too."""
    counts, watch = truth.counts, truth.watch
    urgent, begin, planned = False, counts[at.TOLD], False
    counts[at.OVER] += rows.size
    leave(state, rows)
    for row in rows:
        if row < truth.following.size and goes_on(state, truth, now, row):
            continue
        group = watch[row]
        watch[row] = -1
        user = planner(truth, group)
        if group < -1 and user < 0:
            urgent |= job_of_batch_over(truth, now, -2 - group)
        elif group >= 0:
            urgent |= count_down(truth, group)
        urgent |= note_job(state, truth, row, group >= -1)
        if user >= 0:
            planned = True
            urgent |= job_of_user_over(truth, user)
    return go_on(truth, now, begin) if planned and not urgent else urgent


@written_for(CHAINED, arrive)
def arrive_from_chains(state: Structure, truth: Structure, sources: Structure, now: float) -> bool:
    """Submit what is due now; false if Python has to help a user first."""
    helped = submit_due(state, truth, now, ANY_STAMP)
    if helped:
        arrive_as_announced(state, truth, now)
        if truth.counts[at.DUE] > 0:
            truth.clock[at.ARRIVAL] = min(truth.clock[at.ARRIVAL], next_on_grid(truth.release[truth.due[0]]))
    return helped


@kernel
def submit_due(state: Structure, truth: Structure, time: float, stamp: int) -> bool:
    """Submit batches whose time has come, up to a stamp; false if Python has to help a user first."""
    due, counts, now = truth.due, truth.counts, next_on_grid(time)
    while counts[at.DUE] > 0 and truth.release[due[0]] <= time and truth.stamp[due[0]] <= stamp:
        batch = due[0]
        if not truth.manner[batch] & at.PLANNED:
            _submit(state, truth, now, batch)
        elif has_way(state, truth, batch):
            submit_next(state, truth, now, batch)
        else:
            counts[at.WHO] = batch
            return False
        first_is_submitted(truth)
        if truth.unfinished[batch] == 0:
            counts[at.WHO] = -1 - batch
            return False
    return True


@kernel
def _submit(state: Structure, truth: Structure, now: float, batch: int) -> None:
    """Submit a batch: announce its jobs from the first one with an offset on."""
    members, offset, counts = truth.members, truth.offset, truth.counts
    begin, stop = truth.job[batch], truth.stop_job[batch]
    for place in range(begin, stop):
        row = members[place]
        state.submit[row] = now + offset[place]
        if truth.turn[batch] >= 0:
            state.think_time[row] = state.submit[row] - truth.since[batch]
        if truth.manner[batch] & at.NUMBERED:
            state.campaign[row] = counts[at.CAMPAIGNS]
        if offset[place] <= 0.0:
            join(truth, row)
            begin += 1
    if truth.manner[batch] & at.NUMBERED:
        counts[at.CAMPAIGNS] += 1
    counts[at.GIVEN] += stop - truth.job[batch]
    if begin < stop:
        announce(state, truth, members[begin], members[stop - 1] + 1)
