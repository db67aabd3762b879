"""The hazards with which users of logs submit their next batches (`thinktime.workloads.calibration.tables`).

A hazard is constant in pieces: its borders are those of bins of the time since the last submission and since the last
end, and the hours. What it depends on otherwise changes at the user's own events alone: a batch is submitted, or one of
the user's jobs is over. So an integral between events is a sum over few pieces, and when it will reach a number has a
closed form. Integrals are sums of two numbers, ``total`` and ``low``, and pieces are added in the same order whoever
asks. So nothing is lost of a small hazard after a large one, and what was measured along a schedule is reached at the
same time along the same schedule, whatever the tables are.

Each log has its tables. Table n has a *shape*, `SHAPE` whole numbers that say where its parts begin in the arrays of
all: ``edges``, ``regime``, ``base`` and ``clock`` (no logarithms), the ``effects`` that are added (logarithms), and the
``cells`` of its calendar, whose first hour begins at ``first_hour`` and whose last days come again and again. ``sums``
has the integral of the clock over each day of 24 such hours, by class and regime.

User u has ``table[u]``, the class ``kind[u]``, and levels from ``level_of[u]`` on; batches ``first[u]`` to
``stop[u] - 1`` (by ``shift[u]`` more in the columns of batches), of which ``latest[u]`` was submitted last and
``following[u]`` is next (-1: none). ``submitted[u]`` is the time of the last submission of the latest batch,
``ended[u]`` the last end of a batch, which was ``over_last[u]``, ``outstanding[u]`` how many are not over, and
``position[u]`` how many came since the last break. Up to ``walked[u]`` the integral is ``gathered[u]`` and
``gathered_low[u]``; it reaches what the next batch needs at ``reach[u]``. That is infinite while it need not be known:
the walk has ``paused[u]`` at a border, ``ahead[u]`` (`IN_DAYS`: of days, in a piece), where the integral is less: it is
``ahead_total[u]`` and ``ahead_low[u]``. ``bins`` has the bins of what changes at events alone, `BINS` for each user.

Batch b of these has ``count[b]`` jobs, of which ``over[b]`` are over. It began at ``begun[b]``, and its last submission
is ``span[b]`` later. ``last_end[b]`` is when one of its jobs was over last, ``last_job[b]`` which, and ``last_run[b]``
how long that had run. It is submitted `HALF` a second before the integral reaches ``residual[b]`` and
``residual_low[b]``, and then ``extra[b]`` later, but not before ``least[b]`` has passed since the last submission.

What the tables leave open, and what we chose: of jobs of a batch that end together, the later one in the log is the one
that ended last; so it is of a user's batches.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic
from thinktime.models.engine.codes import fields
from thinktime.models.engine.codes import hazards as codes
from thinktime.models.engine.structure import Structure
from thinktime.workloads.arrays import Floats, Ints
from thinktime.workloads.calibration.tables import SHORT
from thinktime.workloads.units import HOUR

INFINITY = math.inf
FAR = 1e8
"""What needs more weeks than these is never reached."""


class Hazards(Structure):
    """Tables, users and their batches."""

    FIELDS = fields.fields(
        (Ints, "shape regime cells table kind level_of first stop shift following latest outstanding position"),
        (Ints, "over_last bins paused count over last_job"),
        (Floats, "edges base clock sums effects first_hour break_after levels submitted ended walked gathered"),
        (Floats, "gathered_low reach ahead ahead_total ahead_low begun span last_end last_run residual residual_low"),
        (Floats, "extra least"),
    )
    NUMBERS = {"total": 0.0, "low": 0.0}
    total: float
    """The integral up to where the last walk has come."""
    low: float
    """What has to be added to it: it is a sum of two numbers."""
    shape: Ints
    edges: Floats
    regime: Ints
    base: Floats
    clock: Floats
    sums: Floats
    effects: Floats
    cells: Ints
    first_hour: Floats
    break_after: Floats
    table: Ints
    kind: Ints
    level_of: Ints
    levels: Floats
    first: Ints
    stop: Ints
    shift: Ints
    following: Ints
    latest: Ints
    outstanding: Ints
    position: Ints
    over_last: Ints
    bins: Ints
    paused: Ints
    submitted: Floats
    ended: Floats
    walked: Floats
    gathered: Floats
    gathered_low: Floats
    reach: Floats
    ahead: Floats
    ahead_total: Floats
    ahead_low: Floats
    count: Ints
    over: Ints
    begun: Floats
    span: Floats
    last_end: Floats
    last_job: Ints
    last_run: Floats
    residual: Floats
    residual_low: Floats
    extra: Floats
    least: Floats


def bin_of(hazards: Hazards, table: int, what: int, value: float) -> int:
    """The bin of a value: of the edges of one kind, the last one that is not above it."""
    place = codes.SHAPE * table + what
    begin = low = hazards.shape[place]
    high = hazards.shape[place + 1]
    while low < high:
        middle = (low + high) >> 1
        if hazards.edges[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return max(low - 1 - begin, 0)


def _factor(hazards: Hazards, user: int, row: int, regime: int) -> float:
    """What the hazard of a user has, in a regime, of all that changes at events alone."""
    own = codes.SHAPE * hazards.table[user]
    total = hazards.levels[hazards.level_of[user] + regime]
    for j in range(codes.BINS):
        place = own + codes.RESPONSE + j
        bins = hazards.shape[place + 1] - hazards.shape[place] + (j + codes.RESPONSE <= codes.SLOWDOWN)
        place = hazards.shape[own + codes.EFFECTS + j] + row * bins + hazards.bins[codes.BINS * user + j]
        total += hazards.effects[place]
    return math.exp(total)


def walk(
    hazards: Hazards, user: int, until: float, target: float, low_target: float, enough: float = INFINITY
) -> float:
    """Follow the integral from where it is until a time, or until it reaches a target; return when that is.

    ``total`` and ``low`` are the integral then. The time is infinite if the target is never reached. From ``enough``
    on, the walk pauses at a border, and it goes on from there when it is asked for again. One that comes to ``until``
    leaves the last border before it in ``ahead``.
    """
    shape, edges, table = hazards.shape, hazards.edges, hazards.table[user]
    own, time, in_days = codes.SHAPE * table, hazards.walked[user], False
    total, low = hazards.gathered[user], hazards.gathered_low[user]
    if hazards.paused[user] != codes.NOT_PAUSED and hazards.ahead[user] <= until:
        time, total, low = hazards.ahead[user], hazards.ahead_total[user], hazards.ahead_low[user]
        in_days = hazards.paused[user] == codes.IN_DAYS
    hazards.paused[user] = codes.NOT_PAUSED
    hazards.total, hazards.low = total, low
    if time >= until or total > target or (total == target and low >= low_target):
        return time
    since, end, first = hazards.submitted[user], hazards.ended[user], hazards.first_hour[table]
    ages, ends = shape[own + codes.SINCE_SUBMISSION], shape[own + codes.SINCE_END]
    ages_stop, ends_stop = ends, shape[own + codes.RESPONSE]
    wide, long, regime, row, factor = ages_stop - ages, ends_stop - ends + 1, -1, 0, 0.0
    age = bin_of(hazards, table, codes.SINCE_SUBMISSION, time - since)
    late = bin_of(hazards, table, codes.SINCE_END, time - end) if end >= since else long - 1
    state = min(hazards.outstanding[user], codes.STATES - 1)
    cells, border, cell = (hazards.kind[user] * codes.STATES + state) * long, -INFINITY, 0
    regimes, base, clock = shape[own + codes.REGIME_OF], shape[own + codes.BASE], 0
    next_age = since + edges[ages + age + 1] if age + 1 < wide else INFINITY
    next_late = end + edges[ends + late + 1] if late + 2 < long else INFINITY
    while True:
        place, before, before_low = (cells + late) * wide + age, total, low
        if hazards.regime[regimes + place] != regime:
            regime = hazards.regime[regimes + place]
            row = hazards.kind[user] * shape[own + codes.REGIMES] + regime
            clock = shape[own + codes.CLOCK] + codes.CELLS * row
            factor = _factor(hazards, user, row, regime)
        rate = factor * hazards.base[base + place]
        stop = min(until, next_age, next_late)
        if rate > 0.0:
            if time >= border:
                hour = _hour_of(time - first)
                border, cell = first + HOUR * (hour + 1), _cell(hazards, own, hour)
            if stop > border or in_days:
                hazards.total, hazards.low = total, low
                day = _next_day(hazards, table, max(time, enough)) if stop > enough else stop
                found = _walk_hours(hazards, table, row, rate, time, min(stop, day), target, low_target)
                if found >= 0.0:
                    return found
                if day < stop:
                    return _pause(hazards, user, codes.IN_DAYS, day, hazards.total, hazards.low)
                total, low, in_days = hazards.total, hazards.low, False
            else:
                speed = rate * hazards.clock[clock + cell]
                if speed > 0.0:
                    then, rest = _added(total, low, speed * (stop - time))
                    if then > target or (then == target and rest >= low_target):
                        return _reached(total, low, target, low_target, speed, time, stop)
                    total, low = then, rest
        if stop >= until:
            hazards.total, hazards.low = total, low
            hazards.ahead[user], hazards.ahead_total[user], hazards.ahead_low[user] = time, before, before_low
            return stop
        time = stop
        while next_age <= time:
            age += 1
            next_age = since + edges[ages + age + 1] if age + 1 < wide else INFINITY
        while next_late <= time:
            late += 1
            next_late = end + edges[ends + late + 1] if late + 2 < long else INFINITY
        if time >= enough and rate > 0.0:
            return _pause(hazards, user, codes.AT_BORDER, time, total, low)


def _pause(hazards: Hazards, user: int, where: int, time: float, total: float, low: float) -> float:
    """Let the walk go on later from here."""
    hazards.paused[user], hazards.ahead[user] = where, time
    hazards.ahead_total[user], hazards.ahead_low[user] = total, low
    return time


def _next_day(hazards: Hazards, table: int, time: float) -> float:
    """When the next day of a calendar begins; infinite where whole weeks are walked at once."""
    own, first, day = codes.SHAPE * table, hazards.first_hour[table], 0
    if time >= first:
        day = _hour_of(time - first) // codes.HOURS + 1
    return first + HOUR * (codes.HOURS * day) if day < hazards.shape[own + codes.DAYS] + codes.YEAR else INFINITY


def _hour_of(since: float) -> int:
    """The hour of a calendar in which a time is, s since it began; -1: before that."""
    return int(since / HOUR) if since >= 0.0 else -1


def _day_of(hazards: Hazards, own: int, day: int) -> int:
    """The day of a calendar that a day is like."""
    days, period = hazards.shape[own + codes.DAYS], hazards.shape[own + codes.PERIOD]
    return day if day < days else days - period + (day - days) % period


def _cell(hazards: Hazards, own: int, hour: int) -> int:
    """The cell of an hour of a calendar."""
    hour = max(hour, 0)
    day = hour // codes.HOURS
    hour += codes.HOURS * (_day_of(hazards, own, day) - day)
    return hazards.cells[hazards.shape[own + codes.CELLS_OF] + hour]


def _walk_hours(
    hazards: Hazards, table: int, row: int, rate: float, time: float, stop: float, target: float, low_target: float
) -> float:
    """Follow the integral by parts of days, while all but the clock stays; when it reaches the target, or else -1."""
    first, own = hazards.first_hour[table], codes.SHAPE * table
    days, period = hazards.shape[own + codes.DAYS], hazards.shape[own + codes.PERIOD]
    sums, cells = hazards.shape[own + codes.SUMS] + days * row, hazards.shape[own + codes.CELLS_OF]
    clock = hazards.shape[own + codes.CLOCK] + codes.CELLS * row
    hour, total, low = _hour_of(time - first), hazards.total, hazards.low
    while time < stop:
        day = max(hour, 0) // codes.HOURS
        known, last = _day_of(hazards, own, day), (day + 1) * codes.HOURS if hour >= 0 else 0
        place = cells + codes.HOURS * (known - day) if hour >= 0 else cells + 1  # before the first hour as in it
        whole = hour == day * codes.HOURS and time == first + HOUR * hour
        if whole and stop == INFINITY and day >= days + codes.YEAR:
            weeks, more = _whole_weeks(hazards, sums + days - period, period, rate, target - total)
            if weeks < 0:
                return INFINITY
            if weeks > 0:
                total += more
                hour += weeks * period * codes.HOURS
                time = first + HOUR * hour
                continue
        if whole and first + HOUR * last <= stop:
            clocked, later, after = hazards.sums[sums + known], last, first + HOUR * last
        else:
            clocked, later, after = 0.0, hour, time
            while later < last and after < stop:
                border = min(first + HOUR * (later + 1), stop)
                clocked += hazards.clock[clock + hazards.cells[place + later]] * (border - after)
                after, later = border, later + 1
        then, rest = _added(total, low, rate * clocked)
        if then < target or (then == target and rest < low_target):
            total, low, hour, time = then, rest, later, after
            continue
        while hour < last and time < stop:
            border = min(first + HOUR * (hour + 1), stop)
            speed = rate * hazards.clock[clock + hazards.cells[place + hour]]
            if speed > 0.0:
                then, rest = _added(total, low, speed * (border - time))
                if then > target or (then == target and rest >= low_target):
                    return _reached(total, low, target, low_target, speed, time, border)
                total, low = then, rest
            time, hour = border, hour + 1
        return time  # but for rounding, it was reached before
    hazards.total, hazards.low = total, low
    return -1.0


def _reached(
    total: float, low: float, target: float, low_target: float, speed: float, time: float, border: float
) -> float:
    """When an integral that grows at one speed since a time reaches a target: before a border."""
    return min(time + max((target - total) + (low_target - low), 0.0) / speed, border)


def _whole_weeks(hazards: Hazards, sums: int, period: int, rate: float, target: float) -> tuple[int, float]:
    """How many weeks are walked at once before a target is near, and their integral; -1 if it is never reached."""
    week = 0.0
    for day in range(period):
        week += rate * hazards.sums[sums + day]
    if week <= 0.0 or target > FAR * week:
        return -1, 0.0
    weeks = max(arithmetic.floor(target / week) - 1.0, 0.0)
    return int(weeks), weeks * week


def _added(total: float, low: float, more: float) -> tuple[float, float]:
    """Add to an integral. What its total loses is in the other number, so a small hazard counts after a large one."""
    then = total + more
    back = then - total
    low += (total - (then - back)) + (more - back)
    return then + low, low - ((then + low) - then)


def predict(hazards: Hazards, user: int, enough: float) -> bool:
    """Find out when the integral reaches what the user's next batch needs, if nothing happens before; false if it has.

    Then its time is known, and nothing will change it. If it is after ``enough``, the walk may pause before, but not
    within an hour: it costs more to begin than to go on.
    """
    own, gathered, rest = hazards.following[user], hazards.gathered[user], hazards.gathered_low[user]
    residual, low = hazards.residual[own], hazards.residual_low[own]
    if hazards.reach[user] < INFINITY and (gathered > residual or (gathered == residual and rest >= low)):
        return False
    go_further(hazards, user, max(enough, hazards.walked[user] + HOUR))
    return True


def go_further(hazards: Hazards, user: int, enough: float) -> None:
    """Look for when the integral reaches what the next batch needs, until ``enough``, or thrice as long as before."""
    own = hazards.following[user]
    if hazards.paused[user] != codes.NOT_PAUSED:
        enough = max(enough, hazards.ahead[user] + 3.0 * (hazards.ahead[user] - hazards.walked[user]))
    found = walk(hazards, user, INFINITY, hazards.residual[own], hazards.residual_low[own], enough)
    if hazards.paused[user] == codes.NOT_PAUSED:
        hazards.reach[user] = found


def _advance(hazards: Hazards, user: int, now: float) -> None:
    """Bring the integral up to now, before the user's state changes."""
    if now > hazards.walked[user]:
        walk(hazards, user, now, INFINITY, 0.0)
        hazards.walked[user] = now
        hazards.gathered[user], hazards.gathered_low[user] = hazards.total, hazards.low
    hazards.paused[user] = codes.NOT_PAUSED


def job_over(hazards: Hazards, user: int, batch: int, job: int, now: float, run: float, seen: int) -> bool:
    """A job is over that ran for some time, while so many jobs waited; true if the hazard may be another from now on.

    That does not matter once a user has submitted all batches. ``job`` is its number among those of the batch.
    """
    if hazards.following[user] < 0:
        return False
    table, bins = hazards.table[user], codes.BINS * user
    hazards.over[batch] += 1
    if now > hazards.last_end[batch] or job > hazards.last_job[batch]:
        hazards.last_end[batch], hazards.last_job[batch], hazards.last_run[batch] = now, job, run
    whole = hazards.over[batch] == hazards.count[batch]
    done = hazards.bins[bins + codes.DONE - codes.RESPONSE]
    if batch == hazards.latest[user]:
        done = bin_of(hazards, table, codes.DONE, float(hazards.over[batch]) / hazards.count[batch])
    if not whole and done == hazards.bins[bins + codes.DONE - codes.RESPONSE]:
        return False
    _advance(hazards, user, now)
    hazards.bins[bins + codes.DONE - codes.RESPONSE] = done
    if whole:
        hazards.outstanding[user] -= 1
        if now > hazards.ended[user] or batch > hazards.over_last[user]:
            response = now - hazards.begun[batch]
            slowdown = response / max(hazards.last_run[batch], SHORT)
            hazards.bins[bins] = bin_of(hazards, table, codes.RESPONSE, response)
            hazards.bins[bins + codes.SLOWDOWN - codes.RESPONSE] = bin_of(hazards, table, codes.SLOWDOWN, slowdown)
            hazards.over_last[user] = batch
        hazards.ended[user] = now
        hazards.bins[bins + codes.QUEUE - codes.RESPONSE] = bin_of(hazards, table, codes.QUEUE, float(seen))
    return True


def submit(hazards: Hazards, user: int, batch: int, now: float, seen: int) -> None:
    """A batch is submitted while so many jobs wait: the integral for the next one begins at its last submission."""
    table, bins = hazards.table[user], codes.BINS * user
    hazards.position[user] += 1
    if now - hazards.submitted[user] > hazards.break_after[table]:
        hazards.position[user] = 1
    position = float(hazards.position[user])
    hazards.bins[bins + codes.POSITION - codes.RESPONSE] = bin_of(hazards, table, codes.POSITION, position)
    hazards.bins[bins + codes.QUEUE - codes.RESPONSE] = bin_of(hazards, table, codes.QUEUE, float(seen))
    hazards.bins[bins + codes.DONE - codes.RESPONSE] = bin_of(hazards, table, codes.DONE, 0.0)
    hazards.begun[batch], hazards.latest[user] = now, batch
    hazards.submitted[user] = hazards.walked[user] = now + hazards.span[batch]
    hazards.gathered[user] = hazards.gathered_low[user] = 0.0
    hazards.reach[user], hazards.paused[user] = INFINITY, codes.NOT_PAUSED
    hazards.outstanding[user] += 1
    hazards.following[user] = batch + 1 if batch + 1 < hazards.stop[user] else -1
