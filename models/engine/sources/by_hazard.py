"""Users who submit their next batch with a hazard (`thinktime.models.engine.hazards`).

``person[b]`` of their batches is 1 + the user's number, and 0 of others; the hazards number batches without the
``shift`` of the user. All but a user's first wait for one event, the submission of the one before. From then on the
release is foretold as far as it has to be known (`thinktime.models.engine.sources.foretold`), and waits in ``due``; it
is foretold anew when one of the user's jobs is over, unless the integral has reached by then what the batch needs. All
is known of it while nothing of the user's is outstanding, since nothing happens before. A user sees the queue as the
last instant before left it (``before``).

A job has run since its first start, or since that of its last segment; one that never started has not run.
"""

from __future__ import annotations

import math

from thinktime.models.engine import hazards
from thinktime.models.engine.codes import hazards as codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.sources import foretold, releases
from thinktime.models.engine.truth import Truth

INFINITY = math.inf
NAN = float("nan")


def job_of_person_over(state: State, truth: Truth, now: float, row: int, batch: int) -> bool:
    """A job is over: the next batch may come at another time; true if none comes, and it was the last of all."""
    user, run = truth.person[batch] - 1, 0.0
    if state.start[row] <= now:
        run = now - state.start[row]
    if truth.hazards.paused[user] != codes.NOT_PAUSED and truth.hazards.ahead[user] < now:
        releases.look_past(truth, truth.hazards.following[user] + truth.hazards.shift[user], now)
    if hazards.job_over(truth.hazards, user, batch - truth.hazards.shift[user], row, now, run, truth.before):
        return _foretell(truth, now, user)
    return False


def person_has_submitted(truth: Truth, now: float, batch: int) -> None:
    """A batch is submitted: find out when the user's next one would come."""
    user = truth.person[batch] - 1
    hazards.submit(truth.hazards, user, batch - truth.hazards.shift[user], now, truth.before)
    if truth.hazards.following[user] >= 0:
        _foretell(truth, now, user)


def go_on(truth: Truth, now: float, first: int, stop: int) -> None:
    """Find out when users go on who are in the middle of what they do: from a first one to the one before ``stop``."""
    for user in range(first, stop):
        if truth.hazards.following[user] >= 0:
            _foretell(truth, now, user)


def thinks_since(truth: Truth, batch: int) -> float:
    """The end of a batch since which a user has thought before this one; NaN if none was over since the last one."""
    user = truth.person[batch] - 1
    end = truth.hazards.ended[user]
    return float(end) if end >= truth.hazards.submitted[user] and end > -INFINITY else NAN


def _foretell(truth: Truth, now: float, user: int) -> bool:
    """Find out when a user's next batch is released; true if never, and it was the last of all."""
    batch, enough = truth.hazards.following[user] + truth.hazards.shift[user], INFINITY
    if truth.hazards.outstanding[user] > 0:
        enough = now
        if truth.due_count > 0:
            enough = max(now, truth.release[truth.due[0]])
        enough = foretold.has_to_look(truth, user, enough)
    if not hazards.predict(truth.hazards, user, enough):
        return False
    release = foretold.release_of(truth, user, now)
    if release > releases.FAR:
        releases.withdraw(truth, batch)
        return truth.hazards.outstanding[user] == 0 and _give_up(truth, user)
    truth.release[batch], truth.since[batch] = release, truth.hazards.submitted[user]
    if truth.spot[batch] > 0:
        releases.move(truth, batch)
    else:
        truth.turn[batch] = truth.next_turn
        truth.next_turn += 1
        releases.await_release(truth, batch)
    return False


def _give_up(truth: Truth, user: int) -> bool:
    """A user submits nothing more, since no event will change a hazard that stays 0; true if all others are over."""
    over, batch = False, truth.hazards.following[user] + truth.hazards.shift[user]
    for _ in range(truth.hazards.following[user], truth.hazards.stop[user]):
        over |= releases.count_down(truth, truth.total[batch])
    truth.hazards.following[user] = -1
    return over
