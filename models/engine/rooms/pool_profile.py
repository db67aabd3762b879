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
from thinktime.workloads.arrays import Floats

INFINITY = math.inf


class PoolProfiles(Profiles):
    """A pool: a step of a profile has the number of processors that are free."""

    def running_profile(self, state: State, now: float, skip: int, profile: Profile) -> None:
        """The running jobs alone; the first ``skip`` count as ended."""
        profile.begin(now, 1)
        profile.free[0] = room.available(state, skip)
        profile.add_ends(
            state.grace, state.processors, state.running[: gapped.line_up(state)], skip, state.expected_end
        )

    def bring_forward(
        self, state: State, row: int, reserved: float, reach: float, tried: Floats, profile: Profile
    ) -> float:
        """Move a reservation to an earlier fit, if there is one before ``reach``, and return its start.

        ``tried`` is for notes of one sweep over a profile that is never over-committed, and begins as 0. With these,
        conservative backfilling takes three quarters of the time on CEA-Curie. In short profiles they cost more than
        they save.
        """
        return bring_forward(state.processors[row], state.estimate[row], reserved, reach, tried, profile)


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
