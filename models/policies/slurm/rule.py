"""Slurm's two passes: the main pass, and backfill with reservations that do not outlive it.

Source: what Slurm 22.05.8 was measured to do. In the main pass, the first job of a partition that does not fit closes
the partition, and its nodes are for no other job in this pass, unless it waits for windows alone. In the backfill pass
every job that is looked at gets a reservation, on whole nodes, unless the options say otherwise: on those that are idle
now if they will do when it begins, else on those that running jobs leave first. Running jobs are expected to leave in
groups: all that end by w + 30 s, by w + 60 s, w + 120 s, …, where w is the first end, rounded up; each group leaves
with its last.

The options are those of `thinktime.models.policies.slurm.policy.Slurm` (`thinktime.models.policies.slurm.memory`).
"""

from __future__ import annotations

import math

from thinktime.models.engine import gapped, room, slurm_preemption
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import slurm as slurm_codes
from thinktime.models.engine.codes import slurm_victims as slurm_victims_codes
from thinktime.models.engine.limits import entry_rows
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.policies.slurm import counts as slurm_counts
from thinktime.models.policies.slurm import misfits as slurm_misfits
from thinktime.models.policies.slurm import partitions as slurm_partitions
from thinktime.models.policies.slurm import plan as slurm_plan
from thinktime.models.policies.slurm import victims as slurm_victims
from thinktime.models.policies.slurm.memory import SlurmMemory
from thinktime.workloads.arrays import Floats, Ints

INFINITY = math.inf

STEP = slurm_codes.STEP
UNKNOWN = -1.0


def _next_tick(state: State, rule: SlurmMemory, now: float, waiting: int, starting: int) -> float:
    """The next tick, if jobs still wait then, and the machine changes by itself after it; else infinite.

    It does when a window begins or ends that is known, or when a job ends that starts or is within its estimate. Where
    there is nothing like this, ticks would go on for ever for jobs that can never start.
    """
    if rule.tick == 0.0 or starting == waiting:
        return INFINITY
    ahead = starting > 0 or awaits_window(state)
    for i in range(gapped.line_up(state)):
        row = state.running[i]
        ahead = ahead or now < state.expected_end[row] < INFINITY
    return slurm_plan.next_multiple(now, rule.tick, rule.tick_origin) if ahead else INFINITY


def _main_pass(state: State, rule: SlurmMemory, now: float, rows: Ints, skip: int) -> int:
    """Along the queue, start what fits in partitions in which all before it have started; how many."""
    left, out, k, some, looked = state.room.begin_pass(state, skip), state.out, 0, False, 0
    closed, depth = state.spare.zeros(slurm_partitions.node_count(state)), _depth(rule, now)
    places = slurm_counts.places_in_main_pass(state, rule, rows)
    of_partition = state.spare.zeros(len(places))
    for i in range(len(rows)):
        row = rows[i]
        if room.used_up(state, left):
            break
        if len(places) and _is_passed_over(rule, now, places, of_partition, i):
            continue
        looked += 1
        if 0 < depth < looked - 1:  # as measured, it is one job more
            _look_again(rule, now)
            break
        if entry_rows.is_taken(state, row, k):
            continue
        if state.room.fits_now(state, row, left):
            left = state.room.take_now(state, row, left)
            out[k] = row
            k += 1
        elif slurm_partitions.stays_open(state, row, closed, out[:k]):
            continue
        elif slurm_partitions.close_partition(state, row, closed):
            break
        else:
            some = True
    if some:
        slurm_partitions.open_partitions(state, closed)
    state.room.rewind(state, out[:k])
    return k


def _preempting_main_pass(state: State, rule: SlurmMemory, now: float, rows: Ints, skip: int) -> tuple[int, bool]:
    """As `_main_pass`, in a profile, where others may leave: how many start, and whether any job leaves.

    Suspended jobs come first in the queue, and wait for those who have sent them away.
    """
    profile, out, k, looked = rule.profile, state.out, 0, 0
    closed, depth = state.spare.zeros(slurm_partitions.node_count(state)), _depth(rule, now)
    places = slurm_counts.places_in_main_pass(state, rule, rows)
    of_partition = state.spare.zeros(len(places))
    state.profiles.running_profile(state, now, skip, profile)
    for i in range(len(rows)):
        row = rows[i]
        aside, length = slurm_preemption.is_suspended(state, row), state.estimate[row]
        if not aside and len(places) and _is_passed_over(rule, now, places, of_partition, i):
            continue
        looked += not aside
        if 0 < depth < looked - 1:  # as measured, it is one job more
            _look_again(rule, now)
            break
        if entry_rows.is_taken(state, row, k):
            continue
        if state.profiles.fits_from_now(state, row, length, profile):
            state.profiles.book(state, row, profile_codes.TAKE, now, now + length, profile)
            out[k] = row
            k += 1
        elif not aside:
            what = slurm_victims.make_room(state, now, row, length, profile)
            if what == slurm_victims_codes.STARTS:
                out[k] = row
                k += 1
            if what in (slurm_victims_codes.STARTS, slurm_victims_codes.LEFT):
                return k, True
            if slurm_partitions.stays_open(state, row, closed, out[:k]):
                continue
            if slurm_partitions.close_in_profile(state, row, closed, profile):
                break
    return k, False


def _depth(rule: SlurmMemory, now: float) -> int:
    """How many jobs this main pass looks at; 0 for all, as it does at every multiple of its interval."""
    length = rule.main_interval
    rule.next_main = INFINITY
    if length > 0.0 and slurm_plan.next_multiple(now - STEP, length, rule.origin) <= now:
        return 0
    return int(rule.depth)


def _is_passed_over(rule: SlurmMemory, now: float, places: Ints, of_partition: Ints, i: int) -> bool:
    """Whether the main pass has looked at as many jobs of the partition of the ``i``-th row as it may."""
    of_partition[places[i]] += 1
    if of_partition[places[i]] <= rule.partition_depth:
        return False
    _look_again(rule, now)
    return True


def _look_again(rule: SlurmMemory, now: float) -> None:
    """There is another main pass after its interval, since this one has not looked at all jobs."""
    length = rule.main_interval
    rule.next_main = slurm_plan.next_multiple(now, length, rule.origin) if length > 0.0 else INFINITY


def _backfill_pass(state: State, rule: SlurmMemory, now: float, rows: Ints, k: int, skip: int, edge: float) -> int:
    """The backfill pass; in its course, running jobs are expected to end with their groups."""
    if slurm_plan.goes_by_groups(state, rule):
        return int(_backfill(state, rule, now, rows, k, skip, edge, state.spare.real(0)))
    running, expected = state.running[skip : gapped.line_up(state)], state.expected_end
    own = state.spare.taken(expected, running)
    k = _backfill(state, rule, now, rows, k, skip, edge, own)
    for i in range(len(running)):
        expected[running[i]] = own[i]
    return int(k)


def _backfill(
    state: State, rule: SlurmMemory, now: float, rows: Ints, k: int, skip: int, edge: float, own: Floats
) -> int:
    """Along the queue, start what fits beside the reservations of those before it; how many, ``k`` included.

    Room is looked for over a job's time and ``edge`` s more. ``own`` are the expected ends of running jobs.
    """
    profile, spare, size = rule.profile, state.spare, len(rows)
    estimate, out, main, tested, m = state.estimate, state.out, k, 0, 0
    reserved, begins, ends = spare.whole(size), spare.real(size), spare.real(size)
    of_partition = spare.zeros(size if rule.reservations > 0 else 1)
    numbers = slurm_counts.numbers_of(state, rule, rows)
    counts = slurm_counts.counts_for(state, numbers)
    noted, idle, bound, since, known = slurm_misfits.are_noted(state), 0, state.machine_size, -INFINITY, 0
    misfits = slurm_misfits.none_so_far(state) if noted else begins[:0]
    if noted:
        idle = slurm_misfits.idle_processors(state, out[:k], skip)
    in_reach = rows[: _reach(state, rule, main, numbers, size)]
    before = spare.used
    least, passed, left_out = state.profiles.narrowest(state, rows), 0, False
    planned, over, candidate, first_end, shortest = False, False, 0, INFINITY, UNKNOWN
    if not noted or (k > 0 and (skip > 0 or state.changing)):  # jobs of the main pass may have no places yet
        first_end, planned = slurm_plan.plan(state, rule, now, skip, own, k, reserved[:0], begins, ends), True
    for i in range(len(rows)):
        row = rows[i]
        spare.used = before  # what the last row took
        if over and (left_out or state.limited or k == main):
            break
        if passed < main and out[passed] == row:  # it has started in the main pass
            passed += 1
            continue
        if slurm_preemption.is_suspended(state, row):
            continue
        if not noted and state.profiles.left_now(state, profile) < least and not slurm_preemption.preempts(state):
            break
        if entry_rows.is_taken(state, row, k):
            continue
        cut = 0 < rule.tests <= tested or 0 < rule.starts_most <= k - main
        left_out = left_out or cut
        if cut:
            break
        if not slurm_counts.is_looked_at(rule, numbers, counts, size, i):
            left_out = True
            continue
        tested += 1
        length = estimate[row] + edge
        if noted and candidate <= i and not over:
            candidate = slurm_misfits.next_candidate(state, in_reach, i, edge, min(idle, bound), misfits)
            over = candidate == len(in_reach)
        if over:  # nobody starts any more
            continue
        if not planned:
            first_end, planned = slurm_plan.plan(state, rule, now, skip, own, k, reserved[:m], begins, ends), True
        if candidate <= i:
            if slurm_misfits.fits_from_now(state, row, length, noted, profile):
                out[k] = row
                k += 1
                if noted:
                    planned, idle = False, idle - state.processors[row]
                    if slurm_plan.takes_start(state, rule, now, skip, k, first_end):
                        planned, first_end = True, min(first_end, now + max(estimate[row], state.grace))
                    elif slurm_plan.regroups(rule, first_end, now + max(estimate[row], state.grace)):
                        slurm_misfits.forget(misfits)
                        bound, known = state.machine_size, m
                else:
                    slurm_plan.plan(state, rule, now, skip, own, k, reserved[:m], begins, ends)
                continue
            if noted:
                slurm_misfits.note(state, row, length, misfits)
        start = UNKNOWN
        if slurm_victims.mark_candidates(state, now, row):
            slurm_plan.plan(state, rule, now, skip, own, k, reserved[:m], begins, ends)
            if state.profiles.fits_from_now(state, row, length, profile):
                what = slurm_victims.make_room(state, now, row, length, profile)
                if what == slurm_victims_codes.STARTS:
                    out[k] = row
                    return k + 1
                if what == slurm_victims_codes.LEFT:
                    return k
            else:
                start = _earliest(state, now, row, edge, since, ends[:m], profile)
            slurm_victims.unmark_candidates(state, now)
            slurm_plan.plan(state, rule, now, skip, own, k, reserved[:m], begins, ends)
        first = _first_of_partition(state, reserved[:m], row) if rule.reservations > 0 else 0
        if 0 < rule.reservations <= of_partition[first] or now - entry_rows.eligible_since(state, row) < rule.min_age:
            continue
        if start == UNKNOWN:
            if noted:
                since = slurm_misfits.not_before(state, row, reserved[known:m], begins[known:m])
            start = _earliest(state, now, row, edge, since, ends[:m], profile)
        if 0.0 < rule.window < start - now or start == INFINITY:
            continue
        if start > now and _is_looked_at(state, now, start, ends[:m]) and not slurm_preemption.preempts(state):
            slurm_plan.use_idle_nodes(state, rule, now, skip, k, row, start, length)
        reserved[m], begins[m] = (row, max(slurm_plan.rounded(start, rule.resolution, rule.origin), now))
        ends[m] = slurm_plan.rounded(start + estimate[row], rule.resolution, rule.origin)
        slurm_plan.reserve(state, rule, row, begins[m], ends[m])
        of_partition[first] += 1
        m += 1
        if m == slurm_plan.FEW:
            slurm_plan.complete(state, profile)
        if noted and not state.changing:
            shortest = slurm_misfits.shortest(state, in_reach) + edge if shortest == UNKNOWN else shortest
            bound = slurm_misfits.usable(state, shortest, min(idle, bound), profile)
            if candidate > i and state.processors[in_reach[candidate]] > bound:
                candidate = i + 1  # it is sought anew
    if (left_out or state.limited) and k > main and rule.interval > 0.0:
        # those who have started make room for others to be tested, or put others beyond a limit who held these up
        rule.next_backfill = slurm_plan.next_multiple(now, rule.interval, rule.origin)
    return k


def _reach(state: State, rule: SlurmMemory, main: int, numbers: Ints, size: int) -> int:
    """How many of the rows the pass looks at at the most, or has started in the main pass."""
    if rule.tests == 0 or state.limited or len(numbers) > 0:
        return size
    return min(size, main + rule.tests)


def _earliest(state: State, now: float, row: int, edge: float, since: float, ends: Floats, profile: Profile) -> float:
    """The earliest start of a job, which is known not to lie before ``since``; infinite if there is none.

    Nodes are looked up now and at each of the ``ends`` of reservations and windows, with the edge. If running jobs let
    the job start only later, their ends are no times of a look, and it may end exactly when a reservation begins.
    """
    length = state.estimate[row]
    start = state.profiles.earliest_from(state, row, length, since, profile)
    if edge == 0.0 or start == INFINITY or not _is_looked_at(state, now, start, ends):
        return start
    late = state.profiles.earliest_from(state, row, length + edge, start, profile)
    for i in range(profile.n):
        time = profile.times[i]
        if time >= late:
            break
        waits = time > start and not _is_looked_at(state, now, time, ends)
        if waits and state.profiles.fits_at(state, row, time, length, profile):
            return float(time)
    return late


def _is_looked_at(state: State, now: float, time: float, ends: Floats) -> bool:
    """Whether nodes are looked up at a time, and not only found to be left by running jobs."""
    found = time <= now or closes_window(state, time)
    for i in range(len(ends)):
        end = ends[i]
        found = found or end == time
    return found


def closes_window(state: State, time: float) -> bool:
    """Whether a window ends then; a machine that is steady has none."""
    if state.changing:
        return closes_known_window(state, time)
    return False


def closes_known_window(state: State, time: float) -> bool:
    """As `closes_window`: one of those that are known."""
    found = False
    for i in range(state.known_count):
        window = state.known[i]
        found = found or state.closes[window] == time
    return found


def _first_of_partition(state: State, reserved: Ints, row: int) -> int:
    """The place of the first job with a reservation in the same partition, or the next place."""
    for i in range(len(reserved)):
        if slurm_partitions.same_partition(state, reserved[i], row):
            return i
    return len(reserved)


def awaits_window(state: State) -> bool:
    """Whether a change of the machine is known that is still to come; of one that is steady, none is."""
    if state.changing:
        return awaits_known_window(state)
    return False


def awaits_known_window(state: State) -> bool:
    """As `awaits_window`: the next known one."""
    return bool(state.next_known < INFINITY)


def delay_windows(state: State, seconds: float) -> None:
    """Let windows to come begin later, so that a job may end when one begins; a machine that is steady has none."""
    if state.changing:
        delay_known_windows(state, seconds)
        return


def delay_known_windows(state: State, seconds: float) -> None:
    """As `delay_windows`: those that are not open."""
    for i in range(state.known_count):
        window = state.known[i]
        if state.opens[window] > state.now:
            state.opens[window] += seconds


class Slurm(SlurmMemory):
    """The rule: when which pass is due, and what it starts."""

    def select(self, state: State, now: float, rows: Ints) -> int:
        """The main pass, then backfill if it is time for it."""
        if len(rows) == 0:
            self.next_backfill = self.next_candidate = self.next_main = self.next_tick = INFINITY
            return 0
        skip = room.overrunning(state, now)
        if state.limited:
            state.limit_leaves = True
        if slurm_preemption.preempts(state):
            k, over = _preempting_main_pass(state, self, now, rows, skip)
        else:
            k, over = _main_pass(state, self, now, rows, skip), False
        if self.backfills:
            interval = self.interval
            self.next_backfill = slurm_plan.next_multiple(now - STEP, interval, self.origin) if interval > 0.0 else now
            backfills = self.next_backfill <= now and not over
            if self.next_backfill <= now:
                self.next_backfill = INFINITY
            if backfills:
                edge = STEP if self.inclusive else 0.0
                delay_windows(state, edge)
                main, k = k, _backfill_pass(state, self, now, rows, k, skip, edge)
                delay_windows(state, -edge)
                if state.limited and k > main:
                    _look_again(self, now)
        self.next_candidate = slurm_preemption.next_candidate(state, now, rows, state.out[:k])
        self.next_tick = _next_tick(state, self, now, len(rows), k)
        return k

    def order_matters(self, state: State, now: float, rows: Ints) -> bool:
        """If a job fits, or may send others away."""
        return slurm_preemption.preempts(state) or SlurmMemory.order_matters(self, state, now, rows)

    def next_due(self, state: State, now: float) -> float:
        """The next backfill pass, if there was an event since the last, or main pass, preemption, or tick."""
        return min(min(self.next_backfill, self.next_candidate), min(self.next_main, self.next_tick))
