"""What jobs find in a profile of processors, and what they take from it.

`PoolProfiles` is what rules that reserve ask on any machine. It is overridden in
`thinktime.models.engine.rooms.node_profile` for nodes, where whatever finds a time for a job also chooses its nodes,
and for machines that change in `thinktime.models.engine.rooms.changing_profile` and
`thinktime.models.engine.rooms.changing_node_profile`.
"""

from __future__ import annotations

import math

from thinktime.models.engine import gapped, profile, room
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.parts import Profiles
from thinktime.models.engine.profile import Profile
from thinktime.workloads.arrays import Floats, Ints, IntTable

INFINITY = math.inf


class PoolProfiles(Profiles):
    """A pool: a step of a profile has the number of processors that are free."""

    def add_processors(self, state: State, row: int, table: IntTable) -> None:
        """Add what a job has; a pool is a single node."""
        table[0, 0] += state.processors[row]

    def places(self, state: State) -> int:
        """How many nodes there are."""
        return 1

    def width(self, state: State) -> int:
        """How many numbers a step has."""
        return 1

    def step_at(self, state: State, time: float, profile: Profile) -> None:
        """Let a step begin at a time."""
        profile.step_at(time)

    def change_step(self, state: State, i: int, sign: int, kept: IntTable, profile: Profile) -> None:
        """Take what is kept from a step, or give it back."""
        profile.free[i * profile.width] += sign * kept[0, 0]

    def copy_profile(self, state: State, profile: Profile, to: Profile) -> None:
        """Let another profile be the same."""
        to.copy_from(profile)

    def idle_profile(self, state: State, now: float, profile: Profile) -> None:
        """All processors are free."""
        profile.begin(now, 1)
        profile.free[0] = state.machine_size

    def running_profile(self, state: State, now: float, skip: int, profile: Profile) -> None:
        """The running jobs alone; the first ``skip`` count as ended."""
        profile.begin(now, 1)
        profile.free[0] = room.available(state, skip)
        profile.add_ends(
            state.grace, state.processors, state.running[: gapped.line_up(state)], skip, state.expected_end
        )

    def advance(self, state: State, now: float, profile: Profile) -> None:
        """Forget what is past."""
        profile.advance(now)

    def book(self, state: State, row: int, sign: int, begin: float, end: float, profile: Profile) -> None:
        """Take a job's place on [begin, end), or give it back; ``begin`` must not lie before the present."""
        profile.change(begin, end, sign * state.processors[row])

    def earliest(self, state: State, row: int, duration: float, profile: Profile) -> float:
        """The earliest start at which a job finds room for so long; infinite if there is none."""
        return profile.earliest_fit(state.processors[row], duration)

    def earliest_from(self, state: State, row: int, duration: float, since: float, profile: Profile) -> float:
        """As `earliest`, at a step that begins at a time or later."""
        return profile.earlier_fit(INFINITY, state.processors[row], duration, since, INFINITY)

    def fits_from_now(self, state: State, row: int, duration: float, profile: Profile) -> bool:
        """Whether a job finds room from now on for so long."""
        need = state.processors[row]
        return profile.free[0] >= need and profile.fits_now(need, duration)

    def fits_at(self, state: State, row: int, begin: float, duration: float, profile: Profile) -> bool:
        """Whether a job finds room at a time for so long."""
        return profile.fits_at(state.processors[row], begin, duration)

    def fits_as_reserved(self, state: State, row: int, begin: float, profile: Profile) -> bool:
        """Whether a job finds room at the time that is reserved for it, where it was to be."""
        return self.fits_at(state, row, begin, state.estimate[row], profile)

    def part_holds(self, state: State, part: int, begin: float, end: float, profile: Profile) -> bool:
        """There is nothing to hold but a number."""
        return self.fits_at(state, part, begin, end - begin, profile)

    def bring_forward(
        self, state: State, row: int, reserved: float, reach: float, tried: Floats, profile: Profile
    ) -> float:
        """Move a reservation to an earlier fit, if there is one before ``reach``, and return its start.

        ``tried`` is for notes of one sweep over a profile that is never over-committed, and begins as 0. With these,
        conservative backfilling takes three quarters of the time on CEA-Curie. In short profiles they cost more than
        they save.
        """
        return bring_forward(state.processors[row], state.estimate[row], reserved, reach, tried, profile)

    def begin_sweep(self, state: State) -> bool:
        """Reservations will be brought forward; whether it may succeed although nothing was given back."""
        return False

    def crowds(self, state: State) -> bool:
        """Whether reservations can be where others are."""
        return bool(state.grace > 0.0)

    def narrowest(self, state: State, rows: Ints) -> int:
        """The least that any of some jobs needs now."""
        least: int = state.processors[rows[0]]
        for i in range(len(rows)):
            row = rows[i]
            least = min(least, state.processors[row])
        return least

    def left_now(self, state: State, profile: Profile) -> int:
        """How much of it there is at the present."""
        return int(profile.free[0])

    def send_off(
        self, state: State, row: int, sign: int, suspends: bool, begin: float, end: float, profile: Profile
    ) -> None:
        """A running job leaves at ``begin`` instead of ``end``, and may be suspended, or it does not."""
        self.book(state, row, sign, begin, end, profile)

    def more_from(self, state: State, now: float, profile: Profile) -> None:
        """Processors have come back unexpectedly; a machine that is steady has none."""


def bring_forward(need: int, duration: float, reserved: float, reach: float, tried: Floats, own: Profile) -> float:
    """As `PoolProfiles.bring_forward`, for so many processors."""
    notes, since = own.n > profile_codes.LONG and len(tried) > 1, -INFINITY
    if notes:
        since = profile.no_fit_before(reserved, need, duration, tried)
        if since >= min(reserved, reach):
            return reserved
    start = own.earlier_fit(reserved, need, duration, since, reach)
    if notes:
        profile.note_tried(need, duration, start, tried)
    if start < reserved:
        if len(tried) > 1:  # in a short profile, too: it may become long again within the sweep
            profile.note_given(max(reserved, start + duration), tried)
        own.change(reserved, reserved + duration, need)
        own.change(start, start + duration, -need)
    return start
