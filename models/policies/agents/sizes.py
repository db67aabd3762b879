"""Sizes that an agent may choose: with which jobs start, and those that running jobs may be given.

Behind the answer for nobody, each waiting job has an answer for each size with which it may start, and then each
running job one for each size that it may be given. ``pending`` rows are to have the sizes of the places ``pending_to``.
"""

from __future__ import annotations

from thinktime.models.engine import gapped, room, shapes
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import shapes as shape_codes
from thinktime.models.engine.limits import budgets, entry_rows, growth, limits, prices
from thinktime.models.engine.machine_state import State
from thinktime.models.policies.agents import observation
from thinktime.models.policies.agents.observation import Observing
from thinktime.models.policies.shapes import choosing
from thinktime.models.policies.shapes import rule as around
from thinktime.workloads.arrays import Ints

FITS = 1
RESERVED = 2


def prefer(state: State, rule: Observing, rows: Ints) -> None:
    """Waiting jobs that are not chosen, and have no reservation, have their preferred sizes."""
    for i in range(len(rows)):
        if state.form[rows[i]] >= 0 and rows[i] != rule.head and not observation.is_chosen(rule, rows[i]):
            choosing.choose_fixed(state, rows[i], shape_codes.PREFERRED)


def note_sizes(state: State, rule: Observing, now: float, left: int) -> bool:
    """Note with which sizes jobs may start, beside those that are chosen; true if any fits now."""
    found, allowed, chosen = False, rule.allowed, rule.chosen[: rule.chosen_count]
    suppose_starts(state, chosen, now, 1.0)
    for i in range(rule.shown_count):
        row, first = rule.shown[i], rule.sees + 1 + i * rule.sizes
        allowed[i] = may_start(state, rule, row, now, left)
        found = found or allowed[i] == FITS
        if state.form[row] < 0:
            allowed[first] = allowed[i]
            continue
        own = shapes.place_of(state, row)
        for n in range(rule.sizes):
            place = observation.place_shown(state, rule, row, n)
            if place >= 0:
                shapes.choose(state, row, place)
                allowed[first + n] = may_start(state, rule, row, now, left)
                found = found or allowed[first + n] == FITS
        shapes.choose(state, row, own)
    suppose_starts(state, chosen, now, -1.0)
    for i in range(len(allowed)):
        allowed[i] = allowed[i] > 0
    return found


def may_start(state: State, rule: Observing, row: int, now: float, left: int) -> int:
    """Whether a waiting job may be chosen with its size: if it fits now, if it may get the reservation, or (0) not."""
    if state.limited and (not limits.is_within(state, row, now) or is_another_entry(state, rule, row)):
        return 0
    if not room.used_up(state, left) and state.room.fits_now(state, row, left):
        return FITS
    return RESERVED if rule.backfills and state.room.possible(state, row) else 0


def is_another_entry(state: State, rule: Observing, row: int) -> bool:
    """Whether the job of an entry is chosen in another partition."""
    job = entry_rows.job_of(state, row)
    found = False
    for i in range(rule.chosen_count):
        found = found or entry_rows.job_of(state, rule.chosen[i]) == job
    return found


def lay(state: State, rule: Observing, now: float) -> int:
    """Propose what is pending, in a profile with the reservation; how many processors are left."""
    profile, left = rule.profile, around.idle_now(state)
    state.profiles.running_profile(state, now, at.ZERO, profile)
    if rule.head >= 0:
        choosing.book_earliest(state, rule.head, profile)
    for i in range(rule.pending_count):
        row, place = rule.pending[i], rule.pending_to[i]
        more = state.form_sizes[place] - state.processors[row]
        if more < 0:
            shapes.propose(state, row, place)
        elif shapes.grow_in(state, row, place, shapes.end_with(state, row, now, place), profile):
            left -= more
            suppose_resize(state, row, place, now, 1.0)
    return left


def suppose_starts(state: State, rows: Ints, now: float, sign: float) -> None:
    """In the middle of a pass, limits count jobs as if they ran from now on, or (``sign`` is -1) no more."""
    if state.limited:
        for i in range(len(rows)):
            limits.run(state, rows[i], now, now, sign)
            if sign > 0.0:
                budgets.count_start(state, rows[i])
            else:
                budgets.count_no_start(state, rows[i])


def suppose_resize(state: State, row: int, place: int, now: float, sign: float) -> None:
    """The same of a running job that has the size of a place from now on."""
    if not state.limited:
        return
    if sign > 0.0:
        more, until = state.form_sizes[place] - state.processors[row], shapes.end_with(state, row, now, place)
        prices.count_growth(state, row, more, until, now)
    else:
        prices.count_no_growth(state, row)
    size, rate, done = state.processors[row], state.rate[row], state.done[row]
    limits.run(state, row, state.start[row], now, -sign)
    state.done[row] = state.requested[row] - shapes.limit_left(state, row, now)
    state.processors[row], state.rate[row] = state.form_sizes[place], state.form_rates[place]
    limits.run(state, row, now, now, sign)
    state.processors[row], state.rate[row], state.done[row] = size, rate, done


def lift(state: State, now: float, keep: bool) -> None:
    """Limits count again what runs; the proposals stay, or are taken back."""
    for i in range(state.resize_count):
        if state.form_sizes[state.resizes_to[i]] > state.processors[state.resizes[i]]:
            suppose_resize(state, state.resizes[i], state.resizes_to[i], now, -1.0)
    if not keep:
        state.resize_count = 0


def note_resizes(state: State, rule: Observing, now: float) -> bool:
    """Note which sizes running jobs may be given now; true if there are any."""
    allowed, found = rule.allowed, False
    allowed[:] = 0
    allowed[rule.sees] = 1
    for j in range(rule.shown_at_work):
        row, first = rule.at_work[j], rule.sees + 1 + (rule.sees + j) * rule.sizes
        for n in range(rule.sizes):
            place = observation.place_shown(state, rule, row, n)
            if (
                place >= 0
                and observation.may_have(state, rule, row, now, place)
                and may_take(state, rule, row, now, place)
            ):
                allowed[first + n] = 1
                found = True
    return found


def may_take(state: State, rule: Observing, row: int, now: float, place: int) -> bool:
    """Whether a running job that may be given a size may be smaller, or has room to be larger and ends earlier so."""
    more = state.form_sizes[place] - state.processors[row]
    if more <= 0:
        return more < 0
    until = shapes.end_with(state, row, now, place)
    if not shapes.may_last(state, row, until) or not growth.may_have(state, row, more, until, now):
        return False
    return shapes.has_room(state, row, place, until, rule.profile)


def changes_sizes(state: State, now: float) -> bool:
    """Whether any running job may be given another size."""
    found = state.asking_count > 0
    for i in range(gapped.line_up(state)):
        found = found or shapes.may_be_resized(state, state.running[i], now)
    return found
