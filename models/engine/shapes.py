"""Sizes that jobs may have: a job's *form* says which, and how fast its work passes on each.

``form[row]`` is the number of a job's form, or -1 if it is rigid. Form f has the *places* ``form_first[f]`` to
``form_first[f + 1]`` of ``form_sizes`` (processors, ascending), and there ``form_rates``, by which its limit passes in
a second, since its user believes in them; ``form_true_rates`` of the truth are those by which its work does. Its
``form_preferred`` is a place. A size has the kind of request ``form_nodes`` on nodes.

``rate[row]`` is that of the size which a job has, or would start with. Its run began at ``run_began``; a *stage* of
it, with one size, began at ``start``, with a ``pause`` (s) in which its work stands still. A job that was last
``resized`` at a time may have to wait for the next time. One that will be smaller works until ``still_from`` as
before, stands still, and has the size of place ``shrinks_to`` from ``shrinks_at`` on; it is in ``shrinking[:n]``.
``resizes[:n]`` are rows that are to have the sizes of the places ``resizes_to``.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import shapes as codes
from thinktime.models.engine.interruptions import runs
from thinktime.models.engine.limits import prices
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.truth import Truth
from thinktime.workloads.arrays import Ints

INFINITY = math.inf
FINE = 2.0**36
NOBODY = -1


def first_place(state: State, row: int) -> int:
    """The place of the least size of a job that is not rigid."""
    return int(state.form_first[state.form[row]])


def stop_place(state: State, row: int) -> int:
    """The place behind that of its largest size."""
    return int(state.form_first[state.form[row] + 1])


def place_below(state: State, row: int, size: int) -> int:
    """The place of its largest size that is not above a size; the one before its first if there is none."""
    first = low = first_place(state, row)
    high = stop_place(state, row)
    while low < high:
        middle = (low + high) // 2
        if state.form_sizes[middle] <= size:
            low = middle + 1
        else:
            high = middle
    return low - 1 if low > first else first - 1


def place_of(state: State, row: int) -> int:
    """The place of the size that it has."""
    return place_below(state, row, state.processors[row])


def take_size(state: State, row: int, place: int) -> None:
    """A job has another size from now on, or would start with it."""
    size = state.form_sizes[place]
    state.equivalents[row] *= size / state.processors[row]
    state.processors[row], state.rate[row] = size, state.form_rates[place]
    if state.on_nodes:
        state.shape[row] = state.form_nodes[place]


def choose(state: State, row: int, place: int) -> None:
    """A waiting job would start with a size, and is planned to run for so long."""
    if state.processors[row] != state.form_sizes[place]:
        take_size(state, row, place)
        runs.plan_run(state, row)
        prices.price(state, row)


def have_again(state: State, rows: Ints, sizes: Ints) -> None:
    """Waiting jobs would start with the sizes that they had."""
    for i in range(len(rows)):
        if state.form[rows[i]] >= 0:
            choose(state, rows[i], place_below(state, rows[i], sizes[i]))


def begin_run(state: State, truth: Truth, row: int, now: float) -> None:
    """A job starts."""
    state.run_began[row] = now
    state.pause[row] = state.restart[row] if state.runs[row] > 0 else 0.0
    state.resized[row] = -INFINITY
    stands_no_more(state, row)
    truth.true_rate[row] = truth.form_true_rates[place_of(state, row)] if state.form[row] >= 0 else 1.0


def stands_no_more(state: State, row: int) -> None:
    """A job is not about to be smaller."""
    state.still_from[row] = state.shrinks_at[row] = INFINITY


def may_be_resized(state: State, row: int, now: float) -> bool:
    """Whether a running job may be given another size now.

    It is malleable, and works: its last change of size is over, and long enough ago. It has not reached its estimate.
    """
    form = state.form[row]
    if form < 0 or state.form_malleable[form] == 0 or state.still_from[row] < INFINITY:
        return False
    if state.resized[row] >= now or now < state.resized[row] + state.form_gap[form]:
        return False
    return bool(now >= state.start[row] + state.pause[row] and state.expected_end[row] > now + state.grace)


def may_be_given(state: State, row: int, now: float, place: int) -> bool:
    """Whether a running job may be given a size now, if there is room: one that asks for a size, this one alone."""
    if asks(state, row):
        return bool(state.asks_for[row] == place)
    return may_be_resized(state, row, now)


def asks(state: State, row: int) -> bool:
    """Whether a running job asks for a size."""
    found = False
    for i in range(state.asking_count):
        found = found or state.asking[i] == row
    return found


def may_last(state: State, row: int, until: float) -> bool:
    """Whether a job may grow that would end at a time: if that is earlier, or if it asks for it."""
    return bool(until < state.expected_end[row]) or asks(state, row)


def limit_left(state: State, row: int, now: float) -> float:
    """How much of its limit a running job has left that works now, s on its reference size."""
    worked = min(now, state.still_from[row]) - state.start[row] - state.pause[row]
    if state.checkpoint[row] < INFINITY:
        each = state.checkpoint[row] + state.cost[row]
        whole = arithmetic.floor(worked / each)
        worked = whole * state.checkpoint[row] + min(worked - whole * each, state.checkpoint[row])
    return float(state.requested[row] - state.done[row] - worked * state.rate[row])


def end_with(state: State, row: int, now: float, place: int) -> float:
    """When the limit of a running job would be used up if it were given a size now, or may be expected to be, s."""
    form, left = state.form[row], max(0.0, limit_left(state, row, now))
    begin = now + state.form_cost[form]
    if state.form_sizes[place] < state.processors[row]:
        noticed = state.form_notice[form] * state.rate[row]
        if left <= noticed:
            return float(state.expected_end[row])
        left -= noticed
        begin += state.form_notice[form]
    end = begin + runs.with_checkpoints(state, row, arithmetic.on_grid(left / state.form_rates[place]))
    return float(max(end, now + state.grace))


def coming(state: State) -> int:
    """How many processors jobs will give back that are shrinking."""
    found = 0
    for i in range(state.shrinking_count):
        row = state.shrinking[i]
        found += state.processors[row] - state.form_sizes[state.shrinks_to[row]]
    return found


def book_coming(state: State, now: float, profile: Profile) -> None:
    """Jobs that are shrinking give back from now on, in a profile, what they will."""
    for i in range(state.shrinking_count):
        row = state.shrinking[i]
        end = min(state.shrinks_at[row], state.expected_end[row])
        state.profiles.book(state, rest_of(state, row), profile_codes.GIVE, now, end, profile)
        part_is_over(state)


def gain(state: State, row: int, place: int) -> float:
    """How much faster a job is believed to be with the size of the next place, for each processor more, in 2⁻³⁶.

    So gains are equal that are so but for rounding.
    """
    more = state.form_rates[place + 1] - state.form_rates[place]
    return arithmetic.rint(FINE * more / (state.form_sizes[place + 1] - state.form_sizes[place]))


def propose(state: State, row: int, place: int) -> None:
    """A running job is to have the size of a place."""
    state.resizes[state.resize_count], state.resizes_to[state.resize_count] = row, place
    state.resize_count += 1


def part_of(state: State, row: int, size: int) -> int:
    """A row that stands for the first processors of a running job, so many of them; for the last ones if below 0."""
    part = like(state, row, abs(size))
    state.room.cut_part(state, row, part, size)
    return part


def like(state: State, row: int, size: int) -> int:
    """A row that stands for so many processors more of a job."""
    part: int = state.part
    state.processors[part], state.user[part], state.id[part] = size, state.user[row], state.id[row]
    if len(state.watts) > 0:
        state.watts[part] = state.watts[row]
    return part


def part_is_over(state: State) -> None:
    """That row stands for nothing."""
    state.id[state.part] = NOBODY
    state.room.forget_part(state)


def book_running(state: State, row: int, sign: int, begin: float, end: float, profile: Profile) -> None:
    """A running job is in a profile with the sizes that it has and will have."""
    change = state.shrinks_at[row] if state.shaped else INFINITY
    if change >= end:
        state.profiles.book(state, row, sign, begin, end, profile)
        return
    state.profiles.book(state, row, sign, begin, max(begin, change), profile)
    book_part(state, row, sign, max(begin, change), end, state.form_sizes[state.shrinks_to[row]], profile)


def book_part(state: State, row: int, sign: int, begin: float, end: float, size: int, profile: Profile) -> None:
    """The first processors of a job are in a profile, or those behind (`part_of`)."""
    part = part_of(state, row, size)
    state.profiles.book(state, part, sign, begin, end, profile)
    part_is_over(state)


def rest_of(state: State, row: int) -> int:
    """A row that stands for the processors that a shrinking job will give back."""
    return part_of(state, row, state.form_sizes[state.shrinks_to[row]] - state.processors[row])


def keeps_room(state: State, row: int, size: int, begin: float, end: float, profile: Profile) -> bool:
    """Whether a job could have its first processors for longer, from a time at which it has none in the profile."""
    part = part_of(state, row, size)
    fitting = state.profiles.part_holds(state, part, begin, end, profile)
    part_is_over(state)
    return bool(fitting)


def has_room(state: State, row: int, place: int, until: float, profile: Profile) -> bool:
    """Whether what a running job needs more to have the size of a place is free in a profile from now on."""
    if not _lasts(state, row, until, profile):
        return False
    more = state.form_sizes[place] - state.processors[row]
    part = like(state, row, more)
    state.room.ask_part(state, row, part, more)
    fitting = state.profiles.fits_from_now(state, part, until - profile.times[0], profile)
    part_is_over(state)
    state.profiles.book(state, row, profile_codes.GIVE, _end_in(state, row, profile), until, profile)
    return bool(fitting)


def _end_in(state: State, row: int, profile: Profile) -> float:
    """Until when a running job has its processors in a profile, s."""
    return float(max(state.expected_end[row], profile.times[0] + state.grace))


def _lasts(state: State, row: int, until: float, profile: Profile) -> bool:
    """Let a running job have its processors until a time, if that is later and they are free; whether it may."""
    end = _end_in(state, row, profile)
    if until > end:
        if not keeps_room(state, row, state.processors[row], end, until, profile):
            return False
        state.profiles.book(state, row, profile_codes.TAKE, end, until, profile)
    return True


def grow_in(state: State, row: int, place: int, until: float, profile: Profile) -> bool:
    """Let a running job have the size of a place from now on, if what it needs more is free in a profile."""
    if not _lasts(state, row, until, profile):
        return False
    end, now, more = _end_in(state, row, profile), profile.times[0], state.form_sizes[place] - state.processors[row]
    part = like(state, row, more)
    state.room.ask_part(state, row, part, more)
    fitting = state.profiles.fits_from_now(state, part, until - now, profile)
    if fitting:
        propose(state, row, place)
        state.room.note_part(state, row, part)
        state.profiles.book(state, part, profile_codes.TAKE, now, until, profile)
        state.profiles.book(state, row, profile_codes.GIVE, until, end, profile)
    part_is_over(state)
    if not fitting:
        state.profiles.book(state, row, profile_codes.GIVE, end, until, profile)
    return bool(fitting)


def floor_of(state: State, row: int, least: int) -> int:
    """The place of the size to which a job may shrink."""
    return int(state.form_preferred[state.form[row]]) if least == codes.PREFERRED else first_place(state, row)
