"""Trying out plans: what a trial needs of a profile besides `thinktime.models.engine.profile`, and how it is undone.

On nodes, a trial also chooses places for jobs. They are kept before it and restored after it, or they are undone with
the job's reservation. On a machine that changes, a step has a record where windows admit some jobs.
"""

from __future__ import annotations

import math

import numpy as np

from thinktime.models.engine import arithmetic
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import nodes as nodes_codes
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import trials as trials_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rooms import nodes
from thinktime.workloads.arrays import Ints, IntTable

INFINITY = math.inf

FAR = trials_codes.FAR


NO_PLACES = np.empty((0, 0), np.int64)


def _fit(i: int, need: int, duration: float, profile: Profile) -> tuple[int, int]:
    """The first step from ``i`` on at which ``need`` processors are free for the whole ``duration`` (n: none).

    Also the first step that starts at or after the end of that duration (n: none).
    """
    n = profile.n
    while i < n:
        if profile.free[i] < need:
            i += 1
            continue
        end = profile.times[i] + duration
        k = i + 1
        while k < n and profile.times[k] < end and profile.free[k] >= need:
            k += 1
        if k == n or profile.times[k] >= end:
            return i, k
        i = k + 1
    return n, n


def kept_places(state: State, rows: Ints) -> IntTable:
    """Where jobs are planned to be, for `plan_again`."""
    if state.on_nodes:
        return nodes_kept_places(state, rows)
    return NO_PLACES


def nodes_kept_places(state: State, rows: Ints) -> IntTable:
    """As `kept_places`: for each job a line with the number of its places, and these."""
    lines, k = len(rows), 0
    for i in range(len(rows)):
        lines += state.size[rows[i]]
    kept = np.empty((lines, state.places.shape[1]), np.int64)
    for i in range(len(rows)):
        row = rows[i]
        begin, size = state.offset[row], state.size[row]
        kept[k, :] = size
        kept[k + 1 : k + 1 + size] = state.places[begin : begin + size]
        k += 1 + size
    return kept


def kept_place(state: State, row: int) -> IntTable:
    """As `kept_places`, of one job, without the number of its places."""
    if state.on_nodes:
        return nodes_kept_place(state, row)
    return NO_PLACES


def nodes_kept_place(state: State, row: int) -> IntTable:
    """As `kept_place`."""
    begin, size = state.offset[row], state.size[row]
    kept = np.empty((size, state.places.shape[1]), np.int64)
    kept[:] = state.places[begin : begin + size]
    return kept


def plan_one_again(state: State, row: int, kept: IntTable) -> None:
    """Plan a job where it was when `kept_place` was called for it."""
    if state.on_nodes:
        begin, size = state.offset[row], len(kept)
        state.size[row] = size
        state.places[begin : begin + size] = kept


def plan_again(state: State, rows: Ints, kept: IntTable) -> None:
    """Plan jobs where they were when `kept_places` was called for them."""
    if state.on_nodes:
        nodes_plan_again(state, rows, kept)
        return


def nodes_plan_again(state: State, rows: Ints, kept: IntTable) -> None:
    """As `plan_again`: job by job."""
    k = 0
    for i in range(len(rows)):
        row = rows[i]
        begin, size = state.offset[row], kept[k, 0]
        state.size[row] = size
        state.places[begin : begin + size] = kept[k + 1 : k + 1 + size]
        k += 1 + size


def hold_each_other_up(state: State) -> bool:
    """Whether a job that is delayed can be in the way of one that is reserved before it."""
    if state.on_nodes:
        return nodes_hold_each_other_up(state)
    return False


def nodes_hold_each_other_up(state: State) -> bool:
    """As `hold_each_other_up`: a job that moves forward may want its nodes for longer than it held them."""
    return bool(state.alike == 0)


def first_chance(state: State, row: int, duration: float, profile: Profile) -> float:
    """A time before which a job cannot start for so long, whatever else takes its place in this profile.

    Where less room can help (several kinds of chunks, own allocators), any time will do. On a machine that changes,
    a job that takes a place in a window takes it from those that it admits.
    """
    if profile.width > 1 and state.on_nodes:
        shape = state.shape[row]
        if not nodes.has_one_chunk(state, shape) or state.allocator == nodes_codes.OWN:
            return float(profile.times[0])
    return float(min(state.profiles.earliest(state, row, duration, profile), profile.times[0] + FAR))


def put(state: State, row: int, since: float, duration: float, profile: Profile) -> tuple[float, int, int]:
    """Book a job at its earliest fit from ``since`` on: its start, and the steps between which it holds.

    A start is always a step already, so only the end can make a new one. Where a step has a record, no steps are noted:
    the job's time, and on nodes its places, say all that is needed to undo it.
    """
    start = since
    if profile.width == 1 and profile.second is None:
        i, k = _fit(arithmetic.first_from(profile.times, profile.n, since), state.processors[row], duration, profile)
        if i == profile.n:
            return profile.times[0] + FAR, i, k
        end = profile.times[i] + duration
        if k == profile.n or profile.times[k] > end:
            profile.split(k - 1, end)
        for m in range(i, k):
            profile.free[m] -= state.processors[row]
        return float(profile.times[i]), i, k
    first = since if state.on_nodes or profile.width == 1 else -INFINITY
    start = state.profiles.earliest_from(state, row, duration, first, profile)
    start = min(start, profile.times[0] + FAR)
    if start < profile.times[0] + FAR:
        state.profiles.book(state, row, profile_codes.TAKE, start, start + duration, profile)
    return start, at.ZERO, at.ZERO


def take_back(
    state: State, row: int, start: float, duration: float, i: int, k: int, made: bool, profile: Profile
) -> None:
    """Undo the last `put` of all that stand; whether it has ``made`` a step."""
    if profile.width == 1 and profile.second is None:
        for m in range(i, k):
            profile.free[m] += state.processors[row]
        if made:
            profile.join(k)
    elif start < profile.times[0] + FAR and not (profile.width > 1 and state.on_nodes and state.size[row] == 0):
        state.profiles.book(state, row, profile_codes.GIVE, start, start + duration, profile)
