"""What a pass can still give away on a machine of processors: a number says it all.

`thinktime.models.engine.parts` says what each method means. Kinds of machines that have more to say override these.
"""

from __future__ import annotations

import math

from thinktime.models.engine import gapped, passes, pool, reasons, room
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.parts import Room
from thinktime.workloads.arrays import Ints

INFINITY = math.inf
FEW = 64
"""It takes no longer to look at so many waiting jobs."""
OFTEN, SELDOM = 64, 4096
"""So often it may be asked in vain whether nobody starts, before the shortest estimates are found anew; the second
number holds if that did not help either.
"""


class PoolRoom(Room):
    """A pool: processors are all alike, so what is left is their number."""

    def backfill(self, state: State, now: float, queue: Ints, k: int, skip: int, out: Ints, left: int) -> int:
        """As `passes.backfill`, without asking the machine about each job: EASY takes half of the time on KTH."""
        if k == len(queue) or left <= 0:
            return k
        head, started, need = queue[k], k, state.processors[queue[k]]
        shadow, later = -INFINITY, left  # not known yet
        if state.passed_over > 0:
            shadow, later = self.last_shadow(state)
        for i in range(max(k + 1, state.passed_over), len(queue)):
            row = queue[i]
            width = state.processors[row]
            if width > left:
                continue
            if shadow == -INFINITY:
                shadow, later = self.shadow_time(state, now, head, out, started, skip, left)
                if nobody_starts(state, now, shadow, left, later - need):
                    break
            if now + state.estimate[row] > shadow:
                if later - width < need:
                    continue
                later -= width
            left -= width
            out[k] = row
            k += 1
            if left <= 0 or nobody_starts(state, now, shadow, left, later - need):
                break
        state.shadow, state.extra = shadow, later
        return k

    def last_shadow(self, state: State) -> tuple[float, int]:
        return passes.last_shadow(state)

    def head_start(self, state: State, now: float, head: int, started: int, skip: int, left: int) -> float:
        return passes.head_start(state, now, head, started, skip, left)

    def shadow_time(
        self, state: State, now: float, head: int, out: Ints, started: int, skip: int, later: int
    ) -> tuple[float, int]:
        """As `passes.shadow_time`: processors are counted, which is quicker than to ask the room."""
        gapped.sort_by_estimate(state, out, started)
        gapped.sort_in(state)
        earliest, need = now + state.grace, state.processors[head]
        i, j, stop = state.first_running, 0, state.stop_running
        while skip > 0:
            skip -= _runs(state, i)
            i += 1
        while i < stop or j < started:
            if i < stop and not _runs(state, i):
                i += 1
                continue
            ends_run = max(state.expected[i], earliest) if i < stop else INFINITY
            ends_new = max(now + state.estimate[state.scratch[j]], earliest) if j < started else INFINITY
            time = min(ends_run, ends_new)
            while i < stop and max(state.expected[i], earliest) == time:
                if _runs(state, i):
                    later += state.processors[state.running[i]]
                i += 1
            while j < started and max(now + state.estimate[state.scratch[j]], earliest) == time:
                later += state.processors[state.scratch[j]]
                j += 1
            if need <= later:
                return time, later
        return INFINITY, later

    def what_is_left(self, state: State, first: int, now: float) -> int:
        return reasons.what_is_left(state, first, now)

    def has_room(self, state: State, row: int, left: int) -> bool:
        return reasons.has_room(state, row, left)

    def forget_what_is_left(self, state: State) -> None:
        reasons.forget_what_is_left(state)

    def begin_pass(self, state: State, skip: int) -> int:
        return room.available(state, skip)


def nobody_starts(state: State, now: float, shadow: float, left: int, extra: int) -> bool:
    """Whether certainly no job of a long queue ends by the shadow time, or can do with what is left beside the head."""
    shortest = state.shortest
    if state.in_queue < FEW or state.limited:
        return False
    anew = not shortest.known or shortest.in_vain >= OFTEN
    if anew:
        shortest.learn(pool.queue_of(state), state.processors, state.estimate)
    nobody = now + shortest.of(left) > shadow and shortest.of(min(left, extra)) == INFINITY
    if not nobody:
        shortest.in_vain += OFTEN - SELDOM if anew else 1
    return nobody


def _runs(state: State, place: int) -> bool:
    """Whether a job runs whose row is in this place of ``running``, as `gapped.is_gap`."""
    return bool(state.running[place] >= 0 and state.state[state.running[place]] == states.RUNNING)
