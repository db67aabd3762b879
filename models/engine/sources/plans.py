"""Users who follow a plan: campaign after campaign, each a think time after the end of the one before.

Such a user is a batch that is submitted again and again. The campaigns that are known but not submitted are those from
``link`` to ``stop_link``: campaign c has ``jobs[c]`` jobs, and comes ``thought[c]`` after the end of the one before,
but not before ``begin[c]``. The user submits nothing after ``until``.

If campaigns are `NUMBERED`, their jobs begin at ``job``: j takes ``length[j]``, and asks for the time ``asked[j]`` and
``width[j]`` processors. A job becomes a row when it is submitted, so rows and job numbers are in the order of
submission. ``code`` is that of the user in the machine's columns, -1 before the first submission. Otherwise the jobs
are loaded already, ``members`` from ``job`` on with their ``offset``, as those of other batches; and if a campaign
``overlaps`` with the next one, the user thinks from the submission of its last job on.

A user may have to be `ASKED` how long to wait after each campaign (`HELD`). Where ``thought`` is NaN, the user waits
until ``rest[c]`` of active time has passed: that of the user's ``rhythm``, the first of 168 hours in ``active`` and
``pace``, with a ``shift`` (`thinktime.workloads.active_time`). No rest ends after ``last_begin``: the user is done.

A user may balk: a campaign is not submitted if more than ``crowd`` jobs wait when it is due. The user sees the queue as
the last pass left it, or, without any thinking, as it was when the user was woken (``sight``). Whoever balks looks
again a `SECOND_LOOK` later at the earliest. Jobs of a campaign that ``endures`` for some time are taken back when they
have waited for so long (`thinktime.models.engine.sources.patience`).

Python has to help a user whose known campaigns are used up (unless they are the `LAST`), or who has no code yet, or has
balked, and where there is no room. `WHO` is the user, or -1 - user after a campaign that overlaps or was not submitted.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import plans as plans_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.sources import releases, timetables
from thinktime.models.engine.truth import Truth
from thinktime.workloads import active_time
from thinktime.workloads.arrays import Ints

NAN = float("nan")
INFINITY = math.inf

SECOND_LOOK = plans_codes.SECOND_LOOK


def planner(truth: Truth, watch: int) -> int:
    """The user in whose campaign a job is; -1 if that follows no plan."""
    if watch < -1 and truth.manner[-2 - watch] & at.PLANNED:
        return int(-2 - watch)
    return -1


def job_of_user_over(truth: Truth, user: int) -> bool:
    """A job is over: if it was the last of a campaign, note that the user goes on; true if Python has to help then."""
    truth.unfinished[user] -= 1
    if truth.unfinished[user] > 0:
        return False
    if truth.manner[user] & at.HELD:
        truth.manner[user] |= at.ASKED
    truth.told[truth.told_count] = at.OF_USER + user
    truth.told_count += 1
    return needs_help(truth, user)


def needs_help(truth: Truth, user: int) -> bool:
    """Whether the next campaign is not known."""
    return bool(truth.link[user] == truth.stop_link[user] and truth.manner[user] & at.LAST == 0)


def find_thought(truth: Truth, now: float, user: int) -> None:
    """Find out how long the user waits before the next campaign, where that is not known."""
    campaign = truth.link[user]
    if campaign == truth.stop_link[user]:
        return
    if truth.manner[user] & at.ASKED:
        releases.ask(truth, now, -1 - user)
        truth.manner[user] &= ~at.ASKED
    elif math.isnan(truth.thought[campaign]):
        truth.thought[campaign] = _rested(truth, now, user, campaign) - now


def _rested(truth: Truth, now: float, user: int, campaign: int) -> float:
    """When a user has rested before a campaign; infinite if that is too late."""
    since, first = now, truth.rhythm[user]
    if truth.overlaps[campaign - 1]:
        since = truth.release[user] + truth.offset[truth.job[user] - 1]
    rest = truth.rest[campaign]
    begin = releases.next_on_grid(active_time.after(truth.active, truth.pace, first, truth.shift[user], since, rest))
    return begin if begin <= truth.last_begin[user] else INFINITY


def go_on(truth: Truth, now: float, begin: int) -> bool:
    """The users in ``told`` from one place on think, since nobody else reacts; true if the last of all is done."""
    told, done = truth.told, False
    place = begin
    for i in range(begin, truth.told_count):
        if told[i] >= at.OF_USER:
            done |= think(truth, now, told[i] - at.OF_USER)
        else:
            told[place] = told[i]
            place += 1
    truth.told_count = place
    return done


def think(truth: Truth, now: float, user: int) -> bool:
    """Find out when a user submits the next campaign; true if there is none, and the user was the last of a plan."""
    find_thought(truth, now, user)
    release = _release(truth, now, user)
    if release > truth.until[user] or release == INFINITY:
        return releases.count_down(truth, truth.total[user])
    truth.sight[user] = truth.in_sight if release <= now else -1
    if not truth.balked[user] or truth.since[user] < now:
        take_turn(truth, user)
    if truth.balked[user] and truth.since[user] < now:  # before all who are woken at this instant
        truth.turn[user] -= plans_codes.HOP
    truth.release[user], truth.since[user] = release, now
    if release <= now and not truth.manner[user] & at.ON_GRID:
        truth.turn[user] += plans_codes.HOP
    releases.await_release(truth, user)
    return False


def take_turn(truth: Truth, user: int) -> None:
    """A user comes behind all who were free before."""
    truth.turn[user] = truth.next_turn
    truth.next_turn += 1


def _release(truth: Truth, now: float, user: int) -> float:
    """When the user's next campaign is submitted; infinite if there is none."""
    campaign = truth.link[user]
    if campaign == truth.stop_link[user]:
        return INFINITY
    least = SECOND_LOOK if truth.balked[user] else 0.0
    release = now + max(truth.thought[campaign], truth.begin[campaign] - now, least)
    return releases.next_on_grid(release) if truth.manner[user] & at.ON_GRID else float(release)


def set_out(state: State, truth: Truth, now: float, users: Ints, place: int) -> int:
    """Users think, from one place on, as processes that are woken in turn; whoever does not sleep submits at once.

    Return the place of the first one for whom Python has to help.
    """
    while place < len(users):
        user = users[place]
        if needs_help(truth, user) or truth.balked[user] == plans_codes.UNTOLD:
            break
        find_thought(truth, now, user)
        at_once = truth.manner[user] & at.ON_GRID > 0 and _release(truth, now, user) <= now
        at_once = at_once and truth.responds[user] == 0
        truth.sight[user] = truth.in_sight
        if at_once and not has_way(state, truth, user):
            break
        if not at_once:
            think(truth, now, user)
        elif now <= truth.until[user]:
            truth.release[user], truth.since[user] = now, now
            take_turn(truth, user)
            submit_next(state, truth, now, user)
            if truth.unfinished[user] == 0:
                continue
        else:
            releases.count_down(truth, truth.total[user])
        place += 1
    return place


def balks(truth: Truth, user: int) -> bool:
    """Whether so many jobs wait that a user does not submit."""
    return bool((truth.seen if truth.sight[user] < 0 else truth.sight[user]) > truth.crowd[user])


def has_way(state: State, truth: Truth, user: int) -> bool:
    """Whether a user can submit, or balks: there is room for the jobs, and the user has a code."""
    if balks(truth, user):
        return True
    if not truth.manner[user] & at.NUMBERED:
        return bool(truth.table_count < len(truth.tables))
    room = len(state.id) - truth.known_rows
    return bool(truth.code[user] >= 0 and truth.jobs[truth.link[user]] <= room)


def submit_next(state: State, truth: Truth, now: float, user: int) -> None:
    """Submit a user's next campaign, unless the user balks.

    Nothing of it is unfinished then, or if it overlaps with the one after it.
    """
    campaign, since = truth.link[user], truth.since[user]
    if truth.manner[user] & at.FIRST:
        thought = NAN
        truth.manner[user] -= at.FIRST
    elif truth.manner[user] & at.ON_GRID:
        thought = truth.release[user] - since
    else:
        thought = arithmetic.rint(max(truth.thought[campaign], truth.begin[campaign] - since, 0.0) * 1024.0) / 1024.0
    truth.link[user], truth.unfinished[user] = campaign + 1, truth.jobs[campaign]
    truth.balked[user] = 0
    if balks(truth, user):
        truth.job[user] += truth.jobs[campaign]
        truth.unfinished[user], truth.balked[user] = 0, plans_codes.UNTOLD
        truth.balked_at = now
        if truth.manner[user] & at.HELD:
            truth.manner[user] |= at.ASKED
        return
    truth.given += truth.jobs[campaign]
    if truth.manner[user] & at.NUMBERED:
        _submit_new(state, truth, now, user, truth.jobs[campaign], thought)
    else:
        _submit_loaded(state, truth, now, user, truth.jobs[campaign], thought)
        if truth.overlaps[campaign]:
            truth.unfinished[user] = 0
            truth.manner[user] |= at.FIRST


def _submit_new(state: State, truth: Truth, now: float, user: int, jobs: int, thought: float) -> None:
    """Make rows of the jobs of a campaign."""
    job, first = truth.job[user], truth.known_rows
    endures = truth.endures[truth.link[user] - 1]
    for row in range(first, first + jobs):
        state.id[row], state.user[row], state.campaign[row] = (truth.next_id, truth.code[user], truth.campaign_count)
        state.submit[row], state.think_time[row] = now, thought
        state.processors[row] = truth.width[job]
        state.requested[row] = state.estimate[row] = truth.asked[job]
        truth.runtime[row], truth.watch[row] = truth.length[job], -2 - user
        if endures < INFINITY:
            truth.patience[row] = endures
        truth.next_id += 1
        job += 1
        releases.join(truth, row)
    truth.job[user] = job
    truth.known_rows += jobs
    truth.campaign_count += 1


def _submit_loaded(state: State, truth: Truth, now: float, user: int, jobs: int, thought: float) -> None:
    """Submit jobs that are loaded, and announce those that come later."""
    members, first, overlaps = truth.members, truth.job[user], truth.overlaps[truth.link[user] - 1]
    truth.job[user] = begin = stop = first + jobs
    for place in range(first, stop):
        row = members[place]
        state.submit[row] = now + truth.offset[place]
        state.think_time[row] = thought
        truth.watch[row] = truth.total[user] if overlaps else -2 - user
        if state.submit[row] <= now:
            releases.join(truth, row)
        else:
            begin = min(begin, place)
    if overlaps:
        truth.left[truth.total[user]] += jobs
    if begin < stop:
        timetables.announce(state, truth, members[begin], members[stop - 1] + 1)
