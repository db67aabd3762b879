"""Chains: jobs that are submitted when others are over.

The *segments* of a job that a runtime limit splits follow each other: ``following[row]`` is the segment after the one
in ``row``, or -1. It is submitted at the instant at which that one has run to its end, or has been refused. Whoever
waits for the job, and its watch, go on to the next segment.

*Batches* wait for each other. Batch b has the rows ``members[job[b]]`` to ``members[stop_job[b] - 1]``, of which
``unfinished[b]`` are not over; it waits for ``missing[b]`` batches that are not over, and ``release[b]`` is the latest
end plus think time of those that are, ``since[b]`` that end, and ``last[b]`` the batch that ended last. The batches
``after`` it, and their think times, are at ``link[b]`` to ``stop_link[b]``, and so is the ``gap`` after which the other
overlaps it: it comes so long after the last submission of b, if b is not over by then. ``watch[row]`` of its jobs is
-2 - b.
``total[b]`` is the watch that ends with the last batch of a chain. A batch that is `PLANNED` is a user
(`thinktime.models.engine.sources.plans`), and one that has a ``person`` is submitted with that person's hazard
(`thinktime.models.engine.sources.by_hazard`).

A batch that is free waits in ``due`` (`thinktime.models.engine.sources.releases`); its jobs are submitted at its
release, each ``offset`` later. If somebody has to be asked when a batch is to be submitted (`HELD`), that is done when
it is free. A user who responds (``responds``) is asked when the batch is due, and may change its jobs, or put it off.
"""

from __future__ import annotations

import math

from thinktime.models.engine.codes import chains as chains_codes
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.limits import limits
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.sources import by_hazard, plans, releases, timetables
from thinktime.models.engine.sources import sources as all_sources
from thinktime.models.engine.sources.sources import Sources
from thinktime.models.engine.truth import Truth
from thinktime.workloads.arrays import Ints

INFINITY = math.inf
NAN = float("nan")


def goes_on(state: State, truth: Truth, now: float, row: int) -> bool:
    """Submit the segment that follows one that is over; false if the job has no more."""
    following = truth.following
    then = following[row]
    if then < 0:
        return False
    if state.state[row] != states.FINISHED and state.state[row] != states.REFUSED:
        while then >= 0:
            truth.to_come -= 1
            then = following[then]
        return False
    truth.watch[then], truth.watch[row] = truth.watch[row], -1
    truth.attention[then] |= truth.attention[row]
    state.campaign[then], state.submit[then] = state.campaign[row], now
    truth.to_come -= 1
    truth.given += 1
    releases.join(truth, then)
    truth.next_arrival = now
    return True


def job_of_batch_over(state: State, truth: Truth, now: float, row: int, batch: int) -> bool:
    """A job of a batch is over: if it was the last, release what waits; true if it was the last of all."""
    urgent = False
    truth.unfinished[batch] -= 1
    if truth.person[batch] > 0:
        urgent = by_hazard.job_of_person_over(state, truth, now, row, batch)
    if truth.unfinished[batch] > 0:
        return urgent
    urgent |= releases.count_down(truth, truth.total[batch])
    for link in range(truth.link[batch], truth.stop_link[batch]):
        after = truth.after[link]
        if truth.missing[after] == 0 or (truth.spot[after] > 0 and truth.release[after] <= now):  # it overlaps
            continue
        if truth.spot[after] > 0 or now + truth.think[link] > truth.release[after]:
            truth.release[after], truth.since[after] = now + truth.think[link], now
        truth.missing[after] -= 1
        truth.last[after] = batch
        if truth.missing[after] == 0:
            truth.turn[after] = truth.next_turn
            truth.next_turn += 1
            if truth.manner[after] & at.HELD:
                releases.ask(truth, now, after)
            if truth.spot[after] > 0:
                releases.move(truth, after)
            else:
                releases.await_release(truth, after)
    return urgent


def _await_gaps(truth: Truth, batch: int, last: float) -> None:
    """Let those that may overlap a batch, which was submitted until ``last``, come if it is not over by then."""
    for link in range(truth.link[batch], truth.stop_link[batch]):
        after = truth.after[link]
        if truth.gap[link] < INFINITY and truth.missing[after] > 0:
            truth.release[after], truth.since[after] = last + truth.gap[link], last
            truth.turn[after] = truth.next_turn
            truth.next_turn += 1
            releases.await_release(truth, after)


def await_first_releases(truth: Truth, first: int, stop: int) -> None:
    """Of these batches, those that wait for nothing will be submitted at their releases."""
    for batch in range(first, stop):
        if truth.turn[batch] < 0:
            releases.await_release(truth, batch)


def submit_due(state: State, truth: Truth, time: float, stamp: int) -> bool:
    """Submit batches whose time has come, up to a stamp; false if Python has to help a user first."""
    now = releases.next_on_grid(time)
    while truth.due_count > 0 and truth.release[truth.due[0]] <= time and truth.stamp[truth.due[0]] <= stamp:
        batch = truth.due[0]
        if truth.responds[batch] == at.WILL_RESPOND:
            truth.who = batch
            return False
        if truth.manner[batch] & at.PLANNED and not plans.has_way(state, truth, batch):
            truth.who = batch
            return False
        releases.withdraw(truth, batch)
        if not truth.manner[batch] & at.PLANNED:
            _submit(state, truth, now, batch)
            continue
        plans.submit_next(state, truth, now, batch)
        if truth.responds[batch] == at.HAS_RESPONDED:
            truth.responds[batch] = at.WILL_RESPOND
        if truth.unfinished[batch] == 0:
            truth.who = -1 - batch
            return False
    return True


def _submit(state: State, truth: Truth, now: float, batch: int) -> None:
    """Submit a batch: announce its jobs from the first one with an offset on."""
    begin, stop, since = truth.job[batch], truth.stop_job[batch], NAN
    if truth.person[batch] > 0:
        since = by_hazard.thinks_since(truth, batch)
    elif truth.turn[batch] >= 0 and truth.missing[batch] == 0:
        since = truth.since[batch]
    truth.missing[batch] = 0
    for place in range(begin, stop):
        row = truth.members[place]
        state.submit[row] = now + truth.offset[place]
        state.think_time[row] = state.submit[row] - since
        if truth.manner[batch] & at.NUMBERED:
            state.campaign[row] = truth.campaign_count
        if truth.offset[place] <= 0.0:
            releases.join(truth, row)
            begin += 1
    if truth.manner[batch] & at.NUMBERED:
        truth.campaign_count += 1
    truth.given += stop - truth.job[batch]
    while begin < stop:
        place = begin + 1
        while place < stop and truth.members[place] == truth.members[place - 1] + 1:
            place += 1
        timetables.announce(state, truth, truth.members[begin], truth.members[place - 1] + 1)
        begin = place
    if truth.person[batch] > 0:
        by_hazard.person_has_submitted(truth, now, batch)
    _await_gaps(truth, batch, now + truth.offset[stop - 1])


class Chained(Sources):
    """Jobs that are submitted when others are over, and timetables as well."""

    def note_over(self, state: State, truth: Truth, now: float, rows: Ints) -> bool:
        """Submit what follows, too."""
        urgent, begin, planned = False, truth.told_count, False
        truth.over += len(rows)
        limits.leave(state, rows)
        for i in range(len(rows)):
            row = rows[i]
            if row < len(truth.following) and goes_on(state, truth, now, row):
                continue
            group = truth.watch[row]
            truth.watch[row] = -1
            user = plans.planner(truth, group)
            if group < -1 and user < 0:
                urgent |= job_of_batch_over(state, truth, now, row, -2 - group)
            elif group >= 0:
                urgent |= releases.count_down(truth, group)
            urgent |= all_sources.note_job(state, truth, row, group >= -1)
            if user >= 0:
                planned = True
                urgent |= plans.job_of_user_over(truth, user)
        return plans.go_on(truth, now, begin) if planned and not urgent else urgent

    def arrive(self, state: State, truth: Truth, now: float) -> bool:
        """Submit what is due now; false if Python has to help a user first."""
        helped = submit_due(state, truth, now, chains_codes.ANY_STAMP)
        if helped:
            timetables.arrive_as_announced(state, truth, now)
        return helped


announced, chained = Sources(), Chained()
"""What submits jobs: timetables alone, or chains as well. Most runs need nothing of chains."""
