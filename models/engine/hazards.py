"""The hazards with which users of logs submit their next batches (`thinktime.workloads.calibration.tables`).

A hazard is constant in pieces: its borders are those of bins of the time since the last submission and since the last
end, and the hours. What it depends on otherwise changes at the user's own events alone: a batch is submitted, or one of
the user's jobs is over. So an integral between events is a sum over few pieces, and when it will reach a number has a
closed form. Integrals are sums of two numbers, ``total`` and ``low``, so nothing is lost of a small hazard after a
large one. What was measured along a schedule is reached at the same time along the same schedule, but for much less
than the grid of times, whatever the tables are.

Each log has its tables. Table n has a *shape*, `SHAPE` whole numbers that say where its parts begin in the arrays of
all: ``edges``, ``regime``, ``base`` and ``clock`` (no logarithms), the ``effects`` that are added (logarithms), and its
calendar: the kinds of its ``days`` of 24 hours, whose first one begins at ``first_hour`` and whose last ones come again
and again, and the ``cells`` of the hours of each kind. ``upto`` has the integral of the clock from the begin of a day
up to each hour, and to its end, by class and regime and kind of day: a stretch of hours is one subtraction.

User u has ``table[u]``, the class ``kind[u]``, and levels from ``level_of[u]`` on. There, ``factors`` has what the
hazard has in each regime of all that changes at events alone (NaN: to be found out, as all are if ``stale[u]``). The
user's batches are ``first[u]`` to ``stop[u] - 1`` (by ``shift[u]`` more in the columns of batches), of which
``latest[u]`` was submitted last and ``following[u]`` is next (-1: none). ``submitted[u]`` is the time of the last
submission of the latest batch, ``ended[u]`` the last end of a batch, which was ``over_last[u]``, ``outstanding[u]``
how many are not over, and ``position[u]`` how many came since the last break. Up to ``walked[u]`` the integral is
``gathered[u]`` and ``gathered_low[u]``; it reaches what the next batch needs at ``reach[u]``. That is infinite while it
need not be known: the walk has ``paused[u]`` at a border, ``ahead[u]`` (`IN_DAYS`: of days, in a piece), where the
integral is less: it is ``ahead_total[u]`` and ``ahead_low[u]``. ``bins`` has the bins of what changes at events alone,
`BINS` for each user.

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
NAN = float("nan")
FAR = 1e8
"""What needs more weeks than these is never reached."""


class Hazards(Structure):
    """Tables, users and their batches."""

    FIELDS = fields.fields(
        (Ints, "shape regime days cells table kind level_of first stop shift following latest outstanding position"),
        (Ints, "over_last bins stale paused count over last_job"),
        (Floats, "edges base clock upto effects first_hour break_after levels factors submitted ended walked"),
        (Floats, "gathered gathered_low reach ahead ahead_total ahead_low begun span last_end last_run residual"),
        (Floats, "residual_low extra least"),
    )
    NUMBERS = {"total": 0.0, "low": 0.0, "gained": 0.0}
    total: float
    """The integral up to where the last walk has come."""
    low: float
    """What has to be added to it: it is a sum of two numbers."""
    gained: float
    """What one walk has added to the integral so far."""
    shape: Ints
    edges: Floats
    regime: Ints
    days: Ints
    base: Floats
    clock: Floats
    upto: Floats
    effects: Floats
    cells: Ints
    first_hour: Floats
    break_after: Floats
    table: Ints
    kind: Ints
    level_of: Ints
    levels: Floats
    factors: Floats
    first: Ints
    stop: Ints
    shift: Ints
    following: Ints
    latest: Ints
    outstanding: Ints
    position: Ints
    over_last: Ints
    bins: Ints
    stale: Ints
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
    begin, stop = hazards.shape[codes.SHAPE * table + what], hazards.shape[codes.SHAPE * table + what + 1]
    place = begin + 1  # there are few
    while place < stop and hazards.edges[place] <= value:
        place += 1
    return place - 1 - begin


def put_bin(hazards: Hazards, user: int, what: int, value: int) -> None:
    """Let this be the bin of what changes at events alone."""
    place = codes.BINS * user + what - codes.RESPONSE
    if hazards.bins[place] != value:
        hazards.bins[place], hazards.stale[user] = value, 1


def _factor(hazards: Hazards, user: int, row: int, regime: int) -> float:
    """What the hazard of a user has, in a regime, of all that changes at events alone; it is kept until that does."""
    own, known = codes.SHAPE * hazards.table[user], hazards.level_of[user] + regime
    if hazards.stale[user]:
        hazards.stale[user] = 0
        for j in range(hazards.shape[own + codes.REGIMES]):
            hazards.factors[known - regime + j] = NAN
    if not math.isnan(hazards.factors[known]):
        return float(hazards.factors[known])
    total = hazards.levels[known]
    for j in range(codes.BINS):
        place = own + codes.RESPONSE + j
        bins = hazards.shape[place + 1] - hazards.shape[place] + (j + codes.RESPONSE <= codes.SLOWDOWN)
        place = hazards.shape[own + codes.EFFECTS + j] + row * bins + hazards.bins[codes.BINS * user + j]
        total += hazards.effects[place]
    hazards.factors[known] = math.exp(total)
    return float(hazards.factors[known])


def walk(
    hazards: Hazards, user: int, until: float, target: float, low_target: float, enough: float = INFINITY
) -> float:
    """Follow the integral from where it is until a time, or until it reaches a target; return when that is.

    ``total`` and ``low`` are the integral at ``until``. The time is infinite if the target is never reached. From
    ``enough`` on, the walk pauses at a border, and it goes on from there when it is asked for again. One that comes to
    ``until`` leaves the last border before it in ``ahead``.
    """
    table = hazards.table[user]
    own, time, in_days = codes.SHAPE * table, hazards.walked[user], False
    total, low = hazards.gathered[user], hazards.gathered_low[user]
    if hazards.paused[user] != codes.NOT_PAUSED and hazards.ahead[user] <= until:
        time, total, low = hazards.ahead[user], hazards.ahead_total[user], hazards.ahead_low[user]
        in_days = hazards.paused[user] == codes.IN_DAYS
    hazards.paused[user] = codes.NOT_PAUSED
    hazards.total, hazards.low = total, low
    if time >= until or total > target or (total == target and low >= low_target):
        return time
    needed, gained = (target - total) + (low_target - low), 0.0
    since, end, first = hazards.submitted[user], hazards.ended[user], hazards.first_hour[table]
    ages, ends = hazards.shape[own + codes.SINCE_SUBMISSION], hazards.shape[own + codes.SINCE_END]
    wide, long, regime, row, factor = ends - ages, hazards.shape[own + codes.RESPONSE] - ends + 1, -1, 0, 0.0
    age, late = 0, long - 1
    while age + 1 < wide and hazards.edges[ages + age + 1] <= time - since:
        age += 1
    if end >= since:
        late = 0
        while late + 2 < long and hazards.edges[ends + late + 1] <= time - end:
            late += 1
    state = min(hazards.outstanding[user], codes.STATES - 1)
    bins, base = (hazards.kind[user] * codes.STATES + state) * long, hazards.shape[own + codes.BASE]
    regimes = hazards.shape[own + codes.REGIME_OF]
    next_age = since + hazards.edges[ages + age + 1] if age + 1 < wide else INFINITY
    next_late = end + hazards.edges[ends + late + 1] if late + 2 < long else INFINITY
    midnight, next_day, next_hour, hour, kind = 0.0, -INFINITY, -INFINITY, 0, 0
    cells, clock, sums = 0, 0, 0
    while True:
        place, before = (bins + late) * wide + age, gained
        if hazards.regime[regimes + place] != regime:
            regime = hazards.regime[regimes + place]
            row = hazards.kind[user] * hazards.shape[own + codes.REGIMES] + regime
            clock = hazards.shape[own + codes.CLOCK] + codes.CELLS * row
            sums = hazards.shape[own + codes.UPTO] + codes.BORDERS * hazards.shape[own + codes.KINDS] * row
            factor = _factor(hazards, user, row, regime)
        rate = factor * hazards.base[base + place]
        stop = min(until, next_age, next_late)
        if rate > 0.0:
            if time >= next_hour:
                if time >= next_day:
                    day = max(_hour_of(time - first), 0) // codes.HOURS
                    midnight, next_day = first + HOUR * (codes.HOURS * day), first + HOUR * (codes.HOURS * (day + 1))
                    kind = _kind_of(hazards, own, day)
                    cells = _cells_of(hazards, own, kind)
                hour = min(max(_hour_of(time - midnight), 0), codes.HOURS - 1)  # before the first hour as in it
                next_hour = midnight + HOUR * (hour + 1)
            if in_days or stop > next_day or (time < first and stop > next_hour):
                border = _next_day(hazards, table, max(time, enough)) if stop > enough else stop
                hazards.gained = gained
                found = _walk_days(hazards, table, row, rate, time, min(stop, border), needed)
                if found >= 0.0:
                    return found
                gained, in_days, next_hour = hazards.gained, False, -INFINITY
                if border < stop:
                    total, low = _added(total, low, gained)
                    return _pause(hazards, user, codes.IN_DAYS, border, total, low)
            elif stop <= next_hour:
                pace = hazards.clock[clock + hazards.cells[cells + hour]]
                while True:
                    speed = rate * pace
                    then = gained + speed * (stop - time)
                    if then >= needed and speed > 0.0:
                        return min(time + max(needed - gained, 0.0) / speed, stop)
                    gained = then
                    if stop >= until or stop >= enough:
                        break
                    then_age, then_late, then_place = next_age, next_late, place
                    if next_age <= stop:
                        then_place += 1
                        then_age = since + hazards.edges[ages + age + 2] if age + 2 < wide else INFINITY
                    if next_late <= stop:
                        then_place += wide
                        then_late = end + hazards.edges[ends + late + 2] if late + 3 < long else INFINITY
                    border = min(then_age, then_late)
                    if border > next_hour or border > until or hazards.regime[regimes + then_place] != regime:
                        break
                    age, late = age + (next_age <= stop), late + (next_late <= stop)
                    next_age, next_late, place, before = then_age, then_late, then_place, gained
                    rate, time, stop = factor * hazards.base[base + place], stop, border
            else:
                hazards.gained = gained
                found = _walk_hours(
                    hazards, sums + codes.BORDERS * kind, clock, cells, hour, rate, midnight, time, stop, needed
                )
                if found >= 0.0:
                    return found
                gained, hour = hazards.gained, min(_hour_of(stop - midnight), codes.HOURS - 1)
                next_hour = midnight + HOUR * (hour + 1)
        if stop >= until:
            hazards.total, hazards.low = _added(total, low, gained)
            hazards.ahead[user] = time
            hazards.ahead_total[user], hazards.ahead_low[user] = _added(total, low, before)
            return stop
        time = stop
        while next_age <= time:
            age += 1
            next_age = since + hazards.edges[ages + age + 1] if age + 1 < wide else INFINITY
        while next_late <= time:
            late += 1
            next_late = end + hazards.edges[ends + late + 1] if late + 2 < long else INFINITY
        if time >= enough and rate > 0.0:
            total, low = _added(total, low, gained)
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


def _kind_of(hazards: Hazards, own: int, day: int) -> int:
    """The kind of a day of a calendar."""
    return hazards.days[hazards.shape[own + codes.DAYS_OF] + _day_of(hazards, own, day)]


def _cells_of(hazards: Hazards, own: int, kind: int) -> int:
    """Where the cells of a kind of day begin."""
    return hazards.shape[own + codes.CELLS_OF] + codes.HOURS * kind


def _walk_hours(
    hazards: Hazards, upto: int, clock: int, cells: int, hour: int, rate: float, midnight: float, time: float,
    stop: float, needed: float,
) -> float:  # fmt: skip
    """Follow the integral within a day, from an hour on; when ``gained`` reaches what is needed, or else -1."""
    last = _hour_of(stop - midnight)
    if last < codes.HOURS:
        coming = hazards.clock[clock + hazards.cells[cells + last]] * (stop - (midnight + HOUR * last))
        coming += hazards.upto[upto + last]
    else:
        last, coming = codes.HOURS - 1, hazards.upto[upto + codes.HOURS]
    passed = hazards.clock[clock + hazards.cells[cells + hour]] * (time - (midnight + HOUR * hour))
    passed += hazards.upto[upto + hour]
    then = hazards.gained + rate * (coming - passed)
    if then < needed:
        hazards.gained = then
        return -1.0
    passed += max(needed - hazards.gained, 0.0) / rate
    while hour < last and hazards.upto[upto + hour + 1] < passed:
        hour += 1
    speed, reached = hazards.clock[clock + hazards.cells[cells + hour]], midnight + HOUR * hour
    if speed > 0.0:
        reached += (passed - hazards.upto[upto + hour]) / speed
    return min(max(reached, time), stop)


def _walk_days(
    hazards: Hazards, table: int, row: int, rate: float, time: float, stop: float, needed: float
) -> float:  # fmt: skip
    """Follow the integral day by day, while all but the clock stays; when it reaches what is needed, or else -1."""
    first, own = hazards.first_hour[table], codes.SHAPE * table
    sums = hazards.shape[own + codes.UPTO] + codes.BORDERS * hazards.shape[own + codes.KINDS] * row
    clock = hazards.shape[own + codes.CLOCK] + codes.CELLS * row
    if time < first:
        border = min(first, stop)
        speed = rate * hazards.clock[clock + hazards.cells[_cells_of(hazards, own, _kind_of(hazards, own, 0))]]
        then = hazards.gained + speed * (border - time)
        if then >= needed and speed > 0.0:
            return min(time + max(needed - hazards.gained, 0.0) / speed, border)
        hazards.gained, time = then, border
    hour = max(_hour_of(time - first), 0)
    day = hour // codes.HOURS
    hour -= codes.HOURS * day
    while time < stop:
        midnight, kind = first + HOUR * (codes.HOURS * day), _kind_of(hazards, own, day)
        if time == midnight and stop == INFINITY and day >= hazards.shape[own + codes.DAYS] + codes.YEAR:
            weeks, more = _whole_weeks(hazards, own, sums, rate, needed - hazards.gained)
            if weeks < 0:
                return INFINITY
            if weeks > 0:
                hazards.gained += more
                day += weeks * hazards.shape[own + codes.PERIOD]
                time = first + HOUR * (codes.HOURS * day)
                continue
        border = min(first + HOUR * (codes.HOURS * (day + 1)), stop)
        upto, cells = sums + codes.BORDERS * kind, _cells_of(hazards, own, kind)
        found = _walk_hours(hazards, upto, clock, cells, hour, rate, midnight, time, border, needed)
        if found >= 0.0:
            return found
        time, day, hour = border, day + 1, 0
    return -1.0


def _whole_weeks(hazards: Hazards, own: int, sums: int, rate: float, target: float) -> tuple[int, float]:
    """How many weeks are walked at once before a target is near, and their integral; -1 if it is never reached."""
    week, days = 0.0, hazards.shape[own + codes.DAYS]
    for day in range(days - hazards.shape[own + codes.PERIOD], days):
        week += rate * hazards.upto[sums + codes.BORDERS * _kind_of(hazards, own, day) + codes.HOURS]
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
    table, before = hazards.table[user], hazards.bins[codes.BINS * user + codes.DONE - codes.RESPONSE]
    hazards.over[batch] += 1
    if now > hazards.last_end[batch] or job > hazards.last_job[batch]:
        hazards.last_end[batch], hazards.last_job[batch], hazards.last_run[batch] = now, job, run
    whole = hazards.over[batch] == hazards.count[batch]
    done = before
    if batch == hazards.latest[user]:
        done = bin_of(hazards, table, codes.DONE, float(hazards.over[batch]) / hazards.count[batch])
    if not whole and done == before:
        return False
    _advance(hazards, user, now)
    put_bin(hazards, user, codes.DONE, done)
    if whole:
        hazards.outstanding[user] -= 1
        if now > hazards.ended[user] or batch > hazards.over_last[user]:
            response = now - hazards.begun[batch]
            slowdown = response / max(hazards.last_run[batch], SHORT)
            put_bin(hazards, user, codes.RESPONSE, bin_of(hazards, table, codes.RESPONSE, response))
            put_bin(hazards, user, codes.SLOWDOWN, bin_of(hazards, table, codes.SLOWDOWN, slowdown))
            hazards.over_last[user] = batch
        hazards.ended[user] = now
        put_bin(hazards, user, codes.QUEUE, bin_of(hazards, table, codes.QUEUE, float(seen)))
    return True


def submit(hazards: Hazards, user: int, batch: int, now: float, seen: int) -> None:
    """A batch is submitted while so many jobs wait: the integral for the next one begins at its last submission."""
    table = hazards.table[user]
    hazards.position[user] += 1
    if now - hazards.submitted[user] > hazards.break_after[table]:
        hazards.position[user] = 1
    position = float(hazards.position[user])
    put_bin(hazards, user, codes.POSITION, bin_of(hazards, table, codes.POSITION, position))
    put_bin(hazards, user, codes.QUEUE, bin_of(hazards, table, codes.QUEUE, float(seen)))
    put_bin(hazards, user, codes.DONE, bin_of(hazards, table, codes.DONE, 0.0))
    hazards.begun[batch], hazards.latest[user] = now, batch
    hazards.submitted[user] = hazards.walked[user] = now + hazards.span[batch]
    hazards.gathered[user] = hazards.gathered_low[user] = 0.0
    hazards.reach[user], hazards.paused[user] = INFINITY, codes.NOT_PAUSED
    hazards.outstanding[user] += 1
    hazards.following[user] = batch + 1 if batch + 1 < hazards.stop[user] else -1
