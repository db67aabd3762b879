"""What a pass has left below a cap on power: a job has room if processors or nodes are free, and its watts.

The machine's own, processors or nodes with or without windows, is for the ``inner`` room, which asks the state for its
room in turn. Power is a number, as processors are on a pool: ``power_free`` has what running jobs leave of
the cap, ``power_left`` what the pass has left, and ``power_later`` what is left at the shadow time. On nodes that
change, where the head is tried beside windows, it is a profile.
"""

from __future__ import annotations

from thinktime.models.engine import gapped, passes
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.parts import Room
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rooms import capped_profile
from thinktime.workloads.arrays import Ints


class CappedRoom(Room):
    """Room among processors or nodes, and below the cap."""

    def __init__(self, inner: Room) -> None:
        self.inner = inner

    def backfill(self, state: State, now: float, queue: Ints, k: int, skip: int, out: Ints, left: int) -> int:
        """What is steady may count processors alone, so that power needs the general pass."""
        if state.changing:
            return self.inner.backfill(state, now, queue, k, skip, out, left)
        return passes.backfill(state, now, queue, k, skip, out, left)

    def last_shadow(self, state: State) -> tuple[float, int]:
        return self.inner.last_shadow(state)

    def head_start(self, state: State, now: float, head: int, started: int, skip: int, left: int) -> float:
        return self.inner.head_start(state, now, head, started, skip, left)

    def shadow_time(
        self, state: State, now: float, head: int, out: Ints, started: int, skip: int, later: int
    ) -> tuple[float, int]:
        """It begins with what the pass has left. Pools, and nodes that are steady, may count processors alone."""
        state.power_later = state.power_left
        if state.on_nodes and state.changing:
            return self.inner.shadow_time(state, now, head, out, started, skip, later)
        return passes.shadow_time(state, now, head, out, started, skip, later)

    def what_is_left(self, state: State, first: int, now: float) -> int:
        return self.inner.what_is_left(state, first, now)

    def has_room(self, state: State, row: int, left: int) -> bool:
        return self.inner.has_room(state, row, left)

    def forget_what_is_left(self, state: State) -> None:
        self.inner.forget_what_is_left(state)

    def begin_pass(self, state: State, skip: int) -> int:
        """Beside what open windows take off the cap."""
        left = self.inner.begin_pass(state, skip)
        state.power_left, i = state.power_free - state.power_held, state.first_running
        while skip > 0:
            if not gapped.is_gap(state, i):
                state.power_left += capped_profile.draw_of(state, state.running[i])
                skip -= 1
            i += 1
        if _by_profile(state):
            capped_profile.running_power(state, state.now, at.ZERO, _ahead(state))
            state.power_included, state.power_tried = 0, of.NOBODY
        return left

    def resize(self, state: State, row: int, place: int) -> None:
        """With the power of the other size."""
        before = capped_profile.draw_of(state, row)
        self.inner.resize(state, row, place)
        state.power_free += before - capped_profile.draw_of(state, row)

    def rewind(self, state: State, rows: Ints) -> None:
        self.inner.rewind(state, rows)

    def fits_now(self, state: State, row: int, left: int) -> bool:
        """For as long as it is planned to run; on a pool that changes, the inner room looks at both to the end."""
        return bool(_has_power(state, row) and self.inner.fits_now(state, row, left))

    def fits(self, state: State, row: int, left: int) -> bool:
        """At the time at which the head is tried."""
        draw = capped_profile.draw_of(state, row)
        if not _by_profile(state):
            return bool(draw <= state.power_later and self.inner.fits(state, row, left))
        begin = max(state.then, state.now)
        fitting = _look(state, begin + state.estimate[row]).fits_at(draw, begin, state.estimate[row])
        return bool(fitting and self.inner.fits(state, row, left))

    def fits_as_planned(self, state: State, row: int, left: int) -> bool:
        fitting = capped_profile.draw_of(state, row) <= state.power_left
        return bool(fitting and self.inner.fits_as_planned(state, row, left))

    def proposed_fits(self, state: State, row: int, left: int) -> bool:
        """Proposals must keep below the cap, too, for as long as the jobs are planned to run."""
        return bool(_has_power(state, row) and self.inner.proposed_fits(state, row, left))

    def take_now(self, state: State, row: int, left: int) -> int:
        """Unless it was tried just now, the job is in the profile from here on."""
        state.power_left -= capped_profile.draw_of(state, row)
        if _by_profile(state):
            if state.power_tried != row:
                _book(state, row, 1)
            state.power_tried = of.NOBODY
        return self.inner.take_now(state, row, left)

    def take(self, state: State, row: int, left: int) -> int:
        """A job is tried that runs beyond the shadow time."""
        if _by_profile(state):
            _book(state, row, 1)
            state.power_tried = row
        state.power_later -= capped_profile.draw_of(state, row)
        return self.inner.take(state, row, left)

    def give(self, state: State, row: int, left: int) -> int:
        """It is not, after all; or a running job is over."""
        if _by_profile(state) and state.power_tried == row:
            _book(state, row, -1)
            state.power_tried = of.NOBODY
        state.power_later += capped_profile.draw_of(state, row)
        return self.inner.give(state, row, left)

    def copied(self, state: State, head: int, left: int) -> int:
        state.power_later = state.power_left
        return self.inner.copied(state, head, left)

    def hopeless(self, state: State, row: int, left: int) -> bool:
        return bool(capped_profile.draw_of(state, row) > state.power_left or self.inner.hopeless(state, row, left))

    def held_back(self, state: State, row: int, started: int) -> bool:
        return self.inner.held_back(state, row, started)

    def hold_back(self, state: State, row: int, started: int) -> None:
        """That there is no power for it says nothing of other jobs with its request."""
        if not state.power_refuses:
            self.inner.hold_back(state, row, started)

    def fits_beside(self, state: State, row: int, head: int, left: int, later: int) -> bool:
        """Other nodes do not help where power is short."""
        if _by_profile(state):
            _book(state, row, 1)
            duration = state.estimate[head]
            draw, own = capped_profile.draw_of(state, head), _look(state, state.then + duration)
            state.power_refuses = not own.fits_at(draw, max(state.then, state.now), duration)
            _book(state, row, -1)
        else:
            both = capped_profile.draw_of(state, row) + capped_profile.draw_of(state, head)
            state.power_refuses = both > state.power_later
        return bool(not state.power_refuses and self.inner.fits_beside(state, row, head, left, later))

    def possible(self, state: State, row: int) -> bool:
        return bool(capped_profile.draw_of(state, row) <= state.power_cap and self.inner.possible(state, row))

    def must_evict(self, state: State, row: int) -> bool:
        return _is_short(state, row) or self.inner.must_evict(state, row)

    def in_the_way(self, state: State, row: int, victim: int) -> bool:
        """Any that draws power, where it is short."""
        if _is_short(state, row) and capped_profile.draw_of(state, victim) > 0:
            return True
        return bool(self.inner.must_evict(state, row) and self.inner.in_the_way(state, row, victim))

    def occupy(self, state: State, row: int) -> None:
        state.power_free -= capped_profile.draw_of(state, row)
        self.inner.occupy(state, row)

    def vacate(self, state: State, row: int) -> None:
        state.power_free += capped_profile.draw_of(state, row)
        self.inner.vacate(state, row)

    def give_up(self, state: State, row: int, place: int, gone: Ints) -> None:
        """With the power of the other size."""
        before = capped_profile.draw_of(state, row)
        self.inner.give_up(state, row, place, gone)
        state.power_free += before - capped_profile.draw_of(state, row)

    def lost(self, state: State, row: int, gone: Ints) -> int:
        return self.inner.lost(state, row, gone)

    def cut_part(self, state: State, row: int, part: int, size: int) -> None:
        self.inner.cut_part(state, row, part, size)

    def ask_part(self, state: State, row: int, part: int, size: int) -> None:
        self.inner.ask_part(state, row, part, size)

    def note_part(self, state: State, row: int, part: int) -> None:
        self.inner.note_part(state, row, part)

    def forget_part(self, state: State) -> None:
        self.inner.forget_part(state)

    def plan_starts(self, state: State, queue: Ints, rows: Ints) -> None:
        self.inner.plan_starts(state, queue, rows)

    def run_length(self, state: State, row: int, work: float) -> float:
        return self.inner.run_length(state, row, work)

    def admitted_first(self, state: State, rows: Ints) -> Ints:
        return self.inner.admitted_first(state, rows)

    def has_news(self, state: State) -> bool:
        return self.inner.has_news(state)

    def gone_back(self, state: State, row: int) -> bool:
        return self.inner.gone_back(state, row)


def _is_short(state: State, row: int) -> bool:
    """Whether a job that starts needs the power of an overrunning job."""
    return bool(capped_profile.draw_of(state, row) > state.power_free - state.power_held)


def _has_power(state: State, row: int) -> bool:
    """Whether the pass has the power of a job left, and the profile, if there is one, for as long as it is planned."""
    draw, duration = capped_profile.draw_of(state, row), state.estimate[row]
    if draw > state.power_left:
        return False
    return not _by_profile(state) or _look(state, state.now + duration).fits_now(draw, duration)


def _by_profile(state: State) -> bool:
    """Whether the pass has a profile of power."""
    return bool(state.on_nodes and state.changing)


def _ahead(state: State) -> Profile:
    """The pass's profile of power, in which windows are as far as anybody has looked."""
    return capped_profile.power_of(state.pass_profile)


def _look(state: State, until: float) -> Profile:
    """As `_ahead`, with the windows that begin by a time."""
    own, first = _ahead(state), state.power_included
    stop = first
    while stop < state.known_count and state.opens[state.known[stop]] <= until:
        stop += 1
    if stop > first:
        capped_profile.withhold(state, first, stop, state.now, own)
        state.power_included = stop
    return own


def _book(state: State, row: int, taken: int) -> None:
    """A job that starts now takes its power from the profile, or gives it back."""
    draw = taken * capped_profile.draw_of(state, row)
    _ahead(state).change(state.now, state.now + max(state.estimate[row], state.grace), -draw)
