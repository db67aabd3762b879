"""The residuals of batches: what the integrals of their users' hazards are along a recorded schedule.

A time is foretold for each batch before each of its user's ends (`thinktime.models.engine.hazards`), and it must not be
before that end, or the batch would not come when it did. If the hazard falls at an end, it may be, since all is
foretold half a second ahead. Then the integral up to the submission is the residual, without the half second. That a
job ends as it starts is known in a second round of its instant only; if what is foretold until then is the same
instant, the batch waits for the ``least`` time.

So the same stretch is walked again and again; but for the first time, from the last border on.
"""

from __future__ import annotations

import math

from thinktime.models.engine import hazards as engine
from thinktime.models.engine.codes import fields
from thinktime.models.engine.codes import hazards as codes
from thinktime.models.engine.hazards import Hazards
from thinktime.models.engine.structure import Structure
from thinktime.workloads.arrays import Floats, Ints
from thinktime.workloads.calibration.tables import HALF

INFINITY = math.inf
LESS, NEARLY = 1.0 - 2.0**-46, 1.0 - 1e-12
"""Factors of integrals that are less by roundings, and maybe so."""
GRAIN = 1.0 / 4096.0
"""Times that are nearer than this are one time, since times are on a grid four times as wide, s."""


class Recorded(Structure):
    """A recorded schedule of batches and of the jobs in them.

    Batch b began at ``begin[b]``, while ``begin_seen[b]`` jobs waited. The ends of the jobs of user u are those from
    ``first_end[u]`` to ``first_end[u + 1]``, by time, of jobs that ran first, and by batch: at ``end`` a ``job`` of a
    ``batch`` was over that ran for ``run`` (s), and ``end_seen`` jobs waited. ``whole`` is to have the integrals.
    """

    FIELDS = fields.fields((Floats, "begin end run whole"), (Ints, "begin_seen first_end batch job end_seen"))
    begin: Floats
    end: Floats
    run: Floats
    whole: Floats
    begin_seen: Ints
    first_end: Ints
    batch: Ints
    job: Ints
    end_seen: Ints


def measure(hazards: Hazards, recorded: Recorded) -> None:
    """Find the residuals with which batches begin as recorded, and what they need beyond.

    The last four users are for notes.
    """
    users, whole = len(hazards.table) - 4, recorded.whole
    end, batch, job, run, seen = recorded.end, recorded.batch, recorded.job, recorded.run, recorded.end_seen
    kept, before, sure, first = users, users + 1, users + 2, users + 3
    for user in range(users):
        place, stop, at_once, noted = recorded.first_end[user], recorded.first_end[user + 1], -1.0, -INFINITY
        exactly = -1.0
        for own in range(hazards.first[user], hazards.stop[user]):
            now = recorded.begin[own]
            if own > hazards.first[user]:
                _note(hazards, user, kept)  # the last state in which the integral has grown
                early, latest, sooner, late = -1.0, at_once, -1.0, exactly
                while place < stop and end[place] < now:
                    _note(hazards, user, before)
                    if engine.job_over(hazards, user, batch[place], job[place], end[place], run[place], seen[place]):
                        _take_border(hazards, user, before)
                        if _has_grown(hazards, before, hazards.gathered[user], hazards.gathered_low[user]):
                            _note(hazards, before, kept)
                            early, latest = max(early, latest), -1.0
                            sooner, late = max(sooner, late), -1.0
                        _begin_at_border(hazards, before, INFINITY, 0.0)
                        late = max(late, _total_at(hazards, before, end[place] - HALF, run[place] <= 0.0))
                        latest = max(latest, _total_at(hazards, before, end[place], run[place] <= 0.0))
                    place += 1
                engine.walk(hazards, user, now, INFINITY, 0.0)
                exact, exact_low = hazards.total, hazards.low
                if _has_grown(hazards, user, exact, exact_low):
                    _note(hazards, user, kept)
                    sooner = max(sooner, late)
                _begin_at_border(hazards, user, INFINITY, 0.0)
                _note(hazards, kept, sure)
                changed = False
                while place < stop and end[place] <= now and batch[place] < own:
                    _note(hazards, user, before)
                    if run[place] <= 0.0 and noted < now:
                        _note(hazards, user, first)
                        noted = now
                    if engine.job_over(hazards, user, batch[place], job[place], now, run[place], seen[place]):
                        changed = True
                        if _has_grown(hazards, before, hazards.gathered[user], hazards.gathered_low[user]):
                            _note(hazards, before, kept)
                            early, latest = max(early, latest), -1.0
                        latest = max(latest, _total_at(hazards, before, now, False))
                    place += 1
                _note(hazards, user, before)
                if not changed:
                    _come_to(hazards, before, now, exact, exact_low)
                engine.walk(hazards, before, now + HALF, INFINITY, 0.0)
                total, low = hazards.total, hazards.low
                if _has_grown(hazards, user, total, low):
                    _note(hazards, user, kept)
                    early = max(early, latest)
                whole[own], wrong = total, early >= total * NEARLY
                if wrong:
                    hazards.extra[own] = HALF + _keep(hazards, sure, own, now, exact, exact_low)
                else:
                    hazards.extra[own] = _keep(hazards, kept, own, now + HALF, total, low)
                if wrong and sooner >= exact * NEARLY:
                    hazards.least[own] = now - hazards.submitted[user]
            engine.submit(hazards, user, own, now, recorded.begin_seen[own])
            at_once = exactly = -1.0
            if noted == now:
                _note_the_round_before(hazards, user, first, sure)
                exactly = _total_at(hazards, sure, now - HALF, True)
                at_once = _total_at(hazards, sure, now, True)


def follow(hazards: Hazards, recorded: Recorded, until: float) -> None:
    """Let users see what they have seen by a time: integrals are left as they are."""
    end, batch, job, run, seen = recorded.end, recorded.batch, recorded.job, recorded.run, recorded.end_seen
    for user in range(len(hazards.table)):
        place, stop = recorded.first_end[user], recorded.first_end[user + 1]
        for own in range(hazards.first[user], hazards.stop[user] + 1):
            last = own == hazards.stop[user]
            now = until if last else recorded.begin[own]
            while place < stop and (end[place] < now or (end[place] <= now and batch[place] < own)):
                engine.job_over(hazards, user, batch[place], job[place], end[place], run[place], seen[place])
                place += 1
            if not last:
                engine.submit(hazards, user, own, now, recorded.begin_seen[own])
                hazards.walked[user], hazards.following[user] = INFINITY, own  # so that nothing is integrated


def _note_the_round_before(hazards: Hazards, user: int, first: int, noted: int) -> None:
    """Write down a user who has just submitted, as before it is known which jobs end as they start."""
    _note(hazards, user, noted)
    hazards.outstanding[first] += 1
    hazards.outstanding[noted], hazards.ended[noted] = hazards.outstanding[first], hazards.ended[first]
    for j in range(codes.RESPONSE, codes.SLOWDOWN + 1):
        hazards.bins[codes.BINS * noted + j - codes.RESPONSE] = hazards.bins[codes.BINS * first + j - codes.RESPONSE]


def _total_at(hazards: Hazards, user: int, time: float, after: bool) -> float:
    """The integral at the last time that is foretold as one before a time; or, ``after``, as that time itself.

    The user has come there then.
    """
    time += HALF + (2.0 * GRAIN if after else -2.0 * GRAIN)
    engine.walk(hazards, user, time, INFINITY, 0.0)
    _come_to(hazards, user, max(time, hazards.walked[user]), hazards.total, hazards.low)
    return hazards.total


def _come_to(hazards: Hazards, user: int, time: float, total: float, low: float) -> None:
    """Let an integral be so large at a time."""
    hazards.walked[user], hazards.gathered[user], hazards.gathered_low[user] = time, total, low


def _keep(hazards: Hazards, kept: int, own: int, time: float, total: float, low: float) -> float:
    """Let this be the residual of a batch, or a little less; how much later than it is reached a time is."""
    reached = _reached(hazards, kept, total, low)
    if reached > time + GRAIN:  # a whole day's sum is not that of its hours, to the last bit
        total, low = total * LESS, 0.0
        reached = _reached(hazards, kept, total, low)
    if time - reached >= GRAIN:  # at the border of a hazard of 0, which another path may reach with a little less
        total, low = total * NEARLY, 0.0
        reached = _reached(hazards, kept, total, low)
    hazards.residual[own], hazards.residual_low[own] = total, low
    return time - reached if math.fabs(time - reached) >= GRAIN else 0.0


def _reached(hazards: Hazards, user: int, total: float, low: float) -> float:
    """When an integral reaches a number."""
    _begin_at_border(hazards, user, total, low)
    return engine.walk(hazards, user, INFINITY, total, low)


def _begin_at_border(hazards: Hazards, user: int, total: float, low: float) -> None:
    """Let the next walk begin at the last border, if one has come there, and the integral was less than a number."""
    then = hazards.ahead_total[user]
    if hazards.ahead[user] > hazards.walked[user] and (
        then < total or (then == total and hazards.ahead_low[user] < low)
    ):
        hazards.paused[user] = codes.AT_BORDER


def _take_border(hazards: Hazards, user: int, place: int) -> None:
    """Write down the last border as well."""
    hazards.ahead[place], hazards.paused[place] = hazards.ahead[user], codes.NOT_PAUSED
    hazards.ahead_total[place], hazards.ahead_low[place] = hazards.ahead_total[user], hazards.ahead_low[user]


def _has_grown(hazards: Hazards, user: int, total: float, low: float) -> bool:
    """Whether an integral is not what it was."""
    return total != hazards.gathered[user] or low != hazards.gathered_low[user]


def _note(hazards: Hazards, user: int, place: int) -> None:
    """Write down all of a user that the integral depends on."""
    hazards.table[place], hazards.kind[place] = hazards.table[user], hazards.kind[user]
    hazards.level_of[place], hazards.outstanding[place] = hazards.level_of[user], hazards.outstanding[user]
    hazards.submitted[place], hazards.ended[place] = hazards.submitted[user], hazards.ended[user]
    hazards.walked[place], hazards.gathered[place] = hazards.walked[user], hazards.gathered[user]
    hazards.gathered_low[place] = hazards.gathered_low[user]
    _take_border(hazards, user, place)
    for j in range(codes.BINS):
        hazards.bins[codes.BINS * place + j] = hazards.bins[codes.BINS * user + j]
