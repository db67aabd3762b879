"""The profile of a machine of nodes: what every node will have left at what time.

On [times[i], times[i + 1]) node v has ``slab(i)[v, r]`` of resource r left, and the last step has no end. ``free``
holds a record for each step: the number of a slab, and a slab, which need not be the step's own. So a step can be
inserted by moving numbers instead of slabs. A reservation holds the nodes that the allocator chose when it was made,
from the least that each node has left in its time.

Where nodes are alike, processors are counted, as on a machine without nodes, and jobs have no places before they start.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, gapped
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import nodes as nodes_codes
from thinktime.models.engine.codes import tables
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rooms import leaving, node_room, nodes
from thinktime.models.engine.rooms.pool_profile import PoolProfiles
from thinktime.workloads.arrays import Floats, Ints, IntTable

INFINITY = math.inf
MANY = 32
"""To change a table by the jobs of a node takes so many times as long as to add what it has of another table."""


def width(state: State) -> int:
    """How many numbers a record has."""
    return 1 if state.alike else 1 + state.capacity.shape[0] * state.capacity.shape[1]


def slab(state: State, i: int, profile: Profile) -> IntTable:
    """What the nodes have left in step i."""
    size = profile.width
    return tables.table_in(profile.free, profile.free[i * size] * size + 1, state.capacity)


def split(state: State, i: int, time: float, profile: Profile) -> None:
    """Cut step i in two at ``time``."""
    if profile.n == len(profile.times):
        profile.grow()
    size, n = profile.width, profile.n
    fresh = profile.free[n * size]
    for j in range(n, i + 1, -1):
        profile.times[j], profile.free[j * size] = profile.times[j - 1], profile.free[(j - 1) * size]
    profile.times[i + 1], profile.free[(i + 1) * size] = time, fresh
    profile.n = n + 1
    slab(state, i + 1, profile)[:] = slab(state, i, profile)


def step_at(state: State, time: float, profile: Profile) -> int:
    """The step that begins at a time, which becomes one if need be; ``n`` for infinity."""
    if time == INFINITY:
        return profile.n
    i = profile.locate(time)
    if profile.times[i] < time:
        split(state, i, time, profile)
        i += 1
    return i


def join(state: State, i: int, profile: Profile) -> None:
    """Join a step with the one before if they are equal."""
    if 0 < i < profile.n and _same(state, i, profile):
        drop(i, profile)


def drop(i: int, profile: Profile) -> None:
    """Remove step i, and let the one before it last longer."""
    size, n = profile.width, profile.n - 1
    gone = profile.free[i * size]
    for j in range(i, n):
        profile.times[j], profile.free[j * size] = profile.times[j + 1], profile.free[(j + 1) * size]
    profile.free[n * size], profile.n = gone, n


def _same(state: State, i: int, profile: Profile) -> bool:
    """Whether steps i - 1 and i are equal."""
    a, b = slab(state, i - 1, profile), slab(state, i, profile)
    for v in range(a.shape[0]):
        for r in range(a.shape[1]):
            if a[v, r] != b[v, r]:
                return False
    return True


def earliest_between(state: State, row: int, duration: float, since: float, before: float, profile: Profile) -> float:
    """The earliest step in [since, before) at which a job can be placed for so long; or infinity. It finds places."""
    shape = state.shape[row]
    single, low = nodes.has_one_chunk(state, shape), state.low
    reach(state, since, profile)
    i = arithmetic.first_from(profile.times, profile.n, since)
    while True:
        reach(state, profile.times[i] if i < profile.n else profile.until, profile)
        if i == profile.n or profile.times[i] >= before:
            break
        if single and not nodes.room(state, shape, slab(state, i, profile)):
            i += 1
            continue
        low[:] = slab(state, i, profile)
        end = profile.times[i] + duration
        j = i + 1
        fitting = True
        while fitting and j < profile.n and profile.times[j] < end:
            if profile.may_fall(j):
                lower = lower_to(low, slab(state, j, profile))
                fitting = not (single and lower) or nodes.room(state, shape, low)
            j += 1
        if fitting and nodes.find(state, shape, at.ZERO, low):
            return float(profile.times[i])
        i += 1
        if not fitting and profile.times[j - 1] < profile.until:  # no window that holds step j - 1 will do
            i = i if nodes.room(state, shape, slab(state, j - 1, profile)) else j
    state.found = 0
    return INFINITY


def lower_to(low: IntTable, here: IntTable) -> bool:
    """Bring the minimum down to what is left in one more step; whether that changes it."""
    lower = False
    for v in range(here.shape[0]):
        for r in range(here.shape[1]):
            if here[v, r] < low[v, r]:
                low[v, r] = here[v, r]
                lower = True
    return lower


def lowest(state: State, begin: float, end: float, profile: Profile) -> None:
    """Write the least that each node has left in an interval to ``low``."""
    reach(state, begin, profile)
    i = profile.locate(begin)
    state.low[:] = slab(state, i, profile)
    i += 1
    while i < profile.n and profile.times[i] < end:
        if profile.may_fall(i):
            lower_to(state.low, slab(state, i, profile))
        i += 1


def fits_between(state: State, row: int, begin: float, end: float, profile: Profile) -> bool:
    """Whether a job can be placed in an interval; then it has these places."""
    shape, low = state.shape[row], state.low
    lowest(state, begin, end, profile)
    fitting = (not nodes.has_one_chunk(state, shape) or nodes.room(state, shape, low)) and nodes.find(
        state, shape, at.ZERO, low
    )
    if fitting:
        nodes.settle(state, row)
    return fitting


def begin_running(state: State, now: float, skip: int, profile: Profile) -> None:
    """Begin the profile of running jobs, whose ends are not in it yet."""
    stop = gapped.line_up(state)
    _begin_left(state, now, skip, profile)
    profile.pending = skip
    profile.until = max(state.expected_end[state.running[skip]], now + state.grace) if skip < stop else INFINITY


def _begin_left(state: State, now: float, skip: int, profile: Profile) -> None:
    """One step with what is left for starts."""
    profile.begin(now, width(state))
    state.room.begin_pass(state, skip)
    slab(state, at.ZERO, profile)[:] = node_room.left_table(state)


def begin_in_groups(state: State, now: float, skip: int, profile: Profile) -> None:
    """As `begin_running`, for running jobs that leave in groups; only what `note_fall` is told of makes less left."""
    _begin_left(state, now, skip, profile)
    profile.in_groups, profile.falling, profile.until = True, 0, leaving.next_group(state)


def reach(state: State, time: float, profile: Profile) -> None:
    """Let the profile be known up to a time, and at it.

    Later steps have too little, as jobs leave that are not in it yet. This does not matter for a job that is to start
    at a known step, as long as reservations of later times take whole nodes: other nodes have no less later, and these
    have nothing.
    """
    while profile.until <= time < INFINITY:
        give_back(state, True, profile)


def give_back(state: State, booked: bool, profile: Profile) -> None:
    """The next running jobs leave, all that are expected to at one time; ``booked``: some steps have been changed."""
    if profile.in_groups:
        give_back_group(state, profile)
        return
    running, first, time, stop = state.running, profile.pending, profile.until, profile.pending + 1
    then = INFINITY
    while stop < state.at_work:
        then = max(state.expected_end[running[stop]], profile.times[0] + state.grace)
        if then != time:
            break
        stop += 1
    begin, many = step_at(state, time, profile), MANY * (stop - first) > state.capacity.shape[0]
    if many and not booked and stop == state.at_work:
        slab(state, begin, profile)[:] = state.capacity
    elif many and begin < profile.n - 1:
        state.low[:, :] = 0
        nodes.change_each(state, running[first:stop], nodes_codes.GIVE, state.low)
        for i in range(begin, profile.n):
            add(slab(state, i, profile), state.low, nodes_codes.GIVE)
    else:
        for i in range(begin, profile.n):
            nodes.change_each(state, running[first:stop], nodes_codes.GIVE, slab(state, i, profile))
    profile.pending, profile.until = stop, then if stop < state.at_work else INFINITY


def give_back_group(state: State, profile: Profile) -> None:
    """As `give_back`: the next group leaves."""
    begin, given = step_at(state, profile.until, profile), leaving.given_by(state, state.end_groups.count - 1)
    for i in range(begin, profile.n):
        add(slab(state, i, profile), given, nodes_codes.GIVE)
    profile.until = leaving.next_group(state)


def add(table: IntTable, more: IntTable, sign: int) -> None:
    """Add one table to another, or take it away."""
    for v in range(table.shape[0]):
        for r in range(table.shape[1]):
            table[v, r] += sign * more[v, r]


def bring_forward(state: State, row: int, reserved: float, profile: Profile) -> float:
    """Take the job out, and put it back where it was unless there is an earlier fit.

    ``blocked[s]`` is the time up to which no step has room for a shape, so that jobs reserved before it need no search.
    """
    shape, duration = state.shape[row], state.estimate[row]
    if nodes.has_one_chunk(state, shape):
        if state.blocked[shape] >= reserved:
            return reserved
        if not _room_before(state, shape, reserved, profile):
            state.blocked[shape] = reserved
            return reserved
    state.profiles.book(state, row, nodes_codes.GIVE, reserved, reserved + duration, profile)
    start = min(earliest_between(state, row, duration, -INFINITY, reserved, profile), reserved)
    if start < reserved:
        state.blocked[:] = 0.0
        nodes.settle(state, row)
    state.profiles.book(state, row, nodes_codes.TAKE, start, start + duration, profile)
    return start


def _room_before(state: State, shape: int, before: float, profile: Profile) -> bool:
    """Whether any step that begins before a time has room for a request of one kind of chunk."""
    for i in range(profile.n):
        if profile.times[i] >= before:
            return False
        if nodes.room(state, shape, slab(state, i, profile)):
            return True
    return False


class NodeProfiles(PoolProfiles):
    """Nodes: a step has what each node will have left, and whatever finds a time for a job also finds its places."""

    def width(self, state: State) -> int:
        """The number of a slab, and a slab; 1 where processors are counted."""
        return width(state)

    def copy_profile(self, state: State, profile: Profile, to: Profile) -> None:
        """Let another profile be the same, slab by slab."""
        if profile.width == 1:
            to.copy_from(profile)
            return
        to.begin(profile.times[0], profile.width)
        while len(to.times) < profile.n:
            to.grow()
        to.n = profile.n
        for i in range(profile.n):
            to.times[i] = profile.times[i]
            slab(state, i, to)[:] = slab(state, i, profile)

    def idle_profile(self, state: State, now: float, profile: Profile) -> None:
        """One step with everything."""
        if state.alike:
            PoolProfiles.idle_profile(self, state, now, profile)
            return
        profile.begin(now, width(state))
        slab(state, at.ZERO, profile)[:] = state.capacity

    def running_profile(self, state: State, now: float, skip: int, profile: Profile) -> None:
        """Sorted by expected end, each job gives back what it has."""
        if state.alike:
            PoolProfiles.running_profile(self, state, now, skip, profile)
            return
        begin_running(state, now, skip, profile)
        while profile.until < INFINITY:
            give_back(state, False, profile)

    def advance(self, state: State, now: float, profile: Profile) -> None:
        """Drop steps that are over."""
        if profile.width == 1:
            profile.advance(now)
            return
        while profile.n > 1 and profile.times[1] <= now:
            drop(at.ZERO, profile)
        profile.times[0] = now

    def step_at(self, state: State, time: float, profile: Profile) -> None:
        """A new step may need a slab."""
        step_at(state, time, profile)

    def book(self, state: State, row: int, sign: int, begin: float, end: float, profile: Profile) -> None:
        """In every step between, on the places of the job."""
        if state.alike:
            PoolProfiles.book(self, state, row, sign, begin, end, profile)
            return
        if not begin < end or begin == INFINITY:
            return
        first = step_at(state, begin, profile)
        stop = step_at(state, end, profile)
        for i in range(first, stop):
            nodes.change(state, row, state.shape[row], sign, slab(state, i, profile))
        join(state, stop, profile)
        join(state, first, profile)

    def earliest(self, state: State, row: int, duration: float, profile: Profile) -> float:
        """The job's places are for that start."""
        if state.alike:
            return PoolProfiles.earliest(self, state, row, duration, profile)
        return self.earliest_from(state, row, duration, -INFINITY, profile)

    def earliest_from(self, state: State, row: int, duration: float, since: float, profile: Profile) -> float:
        """The job's places are for that start."""
        if state.alike:
            return PoolProfiles.earliest_from(self, state, row, duration, since, profile)
        start = earliest_between(state, row, duration, since, INFINITY, profile)
        nodes.settle(state, row)
        return start

    def fits_from_now(self, state: State, row: int, duration: float, profile: Profile) -> bool:
        """The job's places are found as well."""
        if state.alike:
            return PoolProfiles.fits_from_now(self, state, row, duration, profile)
        soon = math.nextafter(profile.times[0], INFINITY)
        start = earliest_between(state, row, duration, -INFINITY, soon, profile)
        nodes.settle(state, row)
        return start < INFINITY

    def fits_at(self, state: State, row: int, begin: float, duration: float, profile: Profile) -> bool:
        """The job's places are found as well."""
        if state.alike:
            return PoolProfiles.fits_at(self, state, row, begin, duration, profile)
        return fits_between(state, row, begin, begin + duration, profile)

    def part_holds(self, state: State, part: int, begin: float, end: float, profile: Profile) -> bool:
        """On its places, if nodes are told apart."""
        if state.alike:
            return PoolProfiles.part_holds(self, state, part, begin, end, profile)
        lowest(state, begin, end, profile)
        return node_room.holds(state, part, state.low)

    def bring_forward(
        self, state: State, row: int, reserved: float, reach: float, tried: Floats, profile: Profile
    ) -> float:
        """Take the job out, and put it back where it was unless there is an earlier fit."""
        if state.alike:
            return PoolProfiles.bring_forward(self, state, row, reserved, reach, tried, profile)
        return bring_forward(state, row, reserved, profile)

    def begin_sweep(self, state: State) -> bool:
        """With several kinds of chunks, less room may help."""
        state.blocked[:] = 0.0
        return bool(state.mixed > state.alike)

    def crowds(self, state: State) -> bool:
        """A job can be in the way of one that is reserved before it."""
        return bool(state.alike == 0 or state.grace > 0.0)

    def narrowest(self, state: State, rows: Ints) -> int:
        """It takes too long to say, unless processors are counted."""
        return PoolProfiles.narrowest(self, state, rows) if state.alike else 0

    def left_now(self, state: State, profile: Profile) -> int:
        """Processors, where they are counted."""
        return int(profile.free[0]) if profile.width == 1 else 1
