"""Rules that reserve anew in every pass: EASY with several reservations, and conservative-dynamic."""

from __future__ import annotations

from typing import Any

from thinktime.models.engine import passes, room
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rules import Rule
from thinktime.workloads.arrays import Ints


class Rebuilt(Rule):
    """Rules that build their profile anew in each pass."""

    PARTS = ("profile",)
    NUMBERS = {"reservations": 0}
    reservations: int
    """How many jobs that cannot start get a reservation; 0: all."""
    profile: Profile

    def __init__(self, **given: Any) -> None:
        self.profile = Profile()
        super().__init__(**given)

    def select(self, state: State, now: float, rows: Ints) -> int:
        """EASY with several reservations, or conservative-dynamic: plan all jobs anew, in queue order.

        A job that fits from now on starts. The first others get reservations, as many as the option says. The pass ends
        when too little is left for any job, since reservations for later would be dropped anyway.
        """
        skip = room.overrunning(state, now)
        left = state.room.begin_pass(state, skip)
        if room.used_up(state, left) or len(rows) == 0:
            return 0
        estimate, out, profile = state.estimate, state.out, self.profile
        k, left = passes.strict_pass(state, rows, left)
        state.room.rewind(state, out[:k])
        if k == len(rows) or room.used_up(state, left):
            return k
        least = state.profiles.narrowest(state, rows[k:])
        state.profiles.running_profile(state, now, skip, profile)
        for i in range(k):
            row = rows[i]
            if skip == 0:  # else it has its places, on what is idle if it fits there
                state.profiles.fits_from_now(state, row, estimate[row], profile)
            state.profiles.book(state, row, profile_codes.TAKE, now, now + max(estimate[row], state.grace), profile)
        reservations = self.reservations if self.reservations > 0 else len(rows)
        return passes.start_beside(state, now, rows[k:], k, reservations, least, profile)
