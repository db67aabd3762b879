"""Which jobs certainly find no room from now on in Slurm's backfill pass, since others have found none before.

In the course of a pass there is ever less room. So a job finds none if one that asks for no more has found none for as
long a time or for less, and if it needs more processors than are idle. Once no job is left that may start, nobody
needs the reservations of the others, and the pass is over: of 500 jobs that it may look at, some 10 are planned where
5,000 run on 1,000 nodes.

Nobody who is looked at starts, either, once reservations take what is idle now within the time of the shortest of
them (`usable`). And nobody finds room before the reservation of a job that asks for no more, and not for longer.

After a start there may be more room at some time, if running jobs leave in other groups; then all is forgotten.
``least[s]`` is the least time for which a job of shape s has found no room. Where processors are counted, a pass costs
little, and nothing is noted; nor where a job may find room where others of its kind do not.
"""

from __future__ import annotations

import math

from thinktime.models.engine import room, slurm_preemption
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import nodes as nodes_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rooms import fences, node_profile, nodes
from thinktime.workloads.arrays import Floats, Ints

INFINITY = math.inf


def are_noted(state: State) -> bool:
    """Whether less room never helps, and jobs of a kind are alike, but for those that windows admit.

    Below a cap on power they are not: some draw more.
    """
    if not state.on_nodes or state.alike or state.allocator == nodes_codes.OWN or len(state.watts) > 0:
        return False
    return not state.changing or none_is_kept(state)


def none_is_kept(state: State) -> bool:
    """As `are_noted`, on a machine that changes: nobody preempts, or keeps what others do not see."""
    return not slurm_preemption.preempts(state) and state.set_aside + state.leaving_count + state.victim_count == 0


def none_so_far(state: State) -> Floats:
    """No job has found no room."""
    least = state.spare.real(len(state.tried))
    forget(least)
    return least


def forget(least: Floats) -> None:
    """What was found does not hold any more."""
    for shape in range(len(least)):
        least[shape] = INFINITY


def idle_processors(state: State, started: Ints, skip: int) -> int:
    """How many are left of those that starts may use, when some jobs have started."""
    idle = room.available(state, skip)
    for i in range(len(started)):
        idle -= state.processors[started[i]]
    return idle


def shortest(state: State, rows: Ints) -> float:
    """The least estimate of some jobs."""
    least = INFINITY
    for i in range(len(rows)):
        least = min(least, state.estimate[rows[i]])
    return float(least)


def usable(state: State, length: float, most: int, profile: Profile) -> int:
    """How many processors that are idle now stay so for a time, whatever windows may have; ``most`` if no fewer do."""
    end, now, found = profile.times[0] + length, node_profile.slab(state, at.ZERO, profile), 0
    for v in range(now.shape[0]):
        left, i = now[v, 0], 1
        if left <= 0:
            continue
        while left > 0 and i < profile.n and profile.times[i] < end:
            if profile.may_fall(i):
                left = min(left, node_profile.slab(state, i, profile)[v, 0])
            i += 1
        found += max(left, 0)
        if found >= most:
            return most
    return int(found)


def fits_from_now(state: State, row: int, length: float, noted: bool, profile: Profile) -> bool:
    """Whether a job finds room from now on; where misfits are ``noted``, it is not sought where it cannot be."""
    if noted and not state.changing and usable(state, length, state.processors[row], profile) < state.processors[row]:
        state.size[row] = 0
        return False
    return state.profiles.fits_from_now(state, row, length, profile)


def not_before(state: State, row: int, reserved: Ints, begins: Floats) -> float:
    """A job finds no room before this time, since jobs that ask for no more have found none beside fewer others."""
    since, shape = -INFINITY, state.shape[row]
    if state.changing or not nodes.has_one_chunk(state, shape):
        return since
    for i in range(len(reserved)):
        other = reserved[i]
        if begins[i] > since and state.estimate[other] <= state.estimate[row]:
            kind = state.shape[other]
            if kind == shape or (nodes.has_one_chunk(state, kind) and _asks_for_more(state, kind, shape)):
                since = begins[i]
    return since


def note(state: State, row: int, length: float, least: Floats) -> None:
    """A job has found no room for so long, and so will none that asks for more."""
    shape = state.shape[row]
    if length < least[shape] and nodes.has_one_chunk(state, shape) and not _is_admitted(state, row):
        for other in range(len(least)):
            if length < least[other] and (other == shape or _asks_for_more(state, shape, other)):
                least[other] = length


def _asks_for_more(state: State, shape: int, other: int) -> bool:
    """Whether a request, of one kind of chunk as well, can be placed only where ``shape`` can."""
    if not nodes.has_one_chunk(state, other):
        return False
    a, b, more = state.first[shape], state.first[other], True
    if (
        state.pieces[a] > state.pieces[b]
        or state.apart[shape] > state.apart[other]
        or state.alone[shape] > state.alone[other]
    ):
        return False
    for r in range(state.need.shape[1]):
        more = more and state.need[a, r] <= state.need[b, r]
    for v in range(state.mask.shape[1] if more else 0):
        more = more and state.mask[a, v] >= state.mask[b, v]
    return more


def next_candidate(state: State, rows: Ints, first: int, edge: float, idle: int, least: Floats) -> int:
    """The place of the first row from ``first`` on that may find room for its time and ``edge`` s more; or the end."""
    for i in range(first, len(rows)):
        row = rows[i]
        if state.processors[row] <= idle and (
            state.estimate[row] + edge < least[state.shape[row]] or _is_admitted(state, row)
        ):
            return i
    return len(rows)


def _is_admitted(state: State, row: int) -> bool:
    """Whether a window admits a job, so that it may find room where others do not."""
    if state.changing and state.slots > 0:
        return is_let_in(state, row)
    return False


def is_let_in(state: State, row: int) -> bool:
    """As `_is_admitted`: one of the known windows."""
    found = False
    for j in range(state.known_count):
        found = found or fences.lets_in(state, state.known[j], row)
    return found
