"""The plan of Slurm's backfill pass: a profile of running jobs, which leave in groups, and of reservations.

The options of the rule are those of `thinktime.models.policies.slurm.policy.Slurm`.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, gapped
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import nodes as nodes_codes
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rooms import leaving, node_profile, nodes
from thinktime.models.policies.slurm import misfits as slurm_misfits
from thinktime.models.policies.slurm import victims as slurm_victims
from thinktime.models.policies.slurm.memory import SlurmMemory
from thinktime.workloads.arrays import Floats, Ints, IntTable

INFINITY = math.inf
FEW = 24
"""With so many reservations, a pass plans with all that is known of running jobs."""


def next_multiple(time: float, length: float, origin: float) -> float:
    """The first multiple of a length after a time."""
    return float((arithmetic.floor((time - origin) / length) + 1.0) * length + origin)


def rounded(time: float, length: float, origin: float) -> float:
    """A time, rounded down to a multiple of a length."""
    return (
        float(arithmetic.floor((time - origin) / length) * length + origin)
        if length > 0.0 and time < INFINITY
        else time
    )


def plan(
    state: State, rule: SlurmMemory, now: float, skip: int, own: Floats, k: int, reserved: Ints, begins: Floats,
    ends: Floats,
) -> float:  # fmt: skip
    """Make the profile of running jobs, those that start now, and reservations; when the first job leaves by itself."""
    profile, expected, started = rule.profile, state.expected_end, state.out[:k]
    soonest, m, spare, before, few = now + state.grace, 0, state.spare, state.spare.used, len(reserved) < FEW
    if not state.changing:
        if goes_by_groups(state, rule):
            first = _plan_groups(state, rule, now, skip, started, few)
        else:
            first = _plan_steady(state, rule, now, skip, own, started, few)
        for i in range(len(reserved)):
            reserve(state, rule, reserved[i], begins[i], ends[i])
        spare.used = before
        return first
    running = state.running[skip : gapped.line_up(state)]
    n = len(running)
    notice, placed, leaves, leave = spare.real(n), spare.real(n), spare.real(n), spare.real(n + k)
    for i in range(len(running)):
        expected[running[i]] = own[i]
    slurm_victims.hide_notices(state, running, notice)
    for i in range(len(running)):
        if notice[i] > now:  # the others are gone
            leave[m] = max(min(own[i], notice[i]), soonest)
            m += 1
    for i in range(k):
        leave[m + i] = now + max(state.estimate[started[i]], state.grace)
    first = _leave_in_groups(state, rule, leave[: m + k], m)
    last, j = soonest, 0
    for i in range(len(running)):
        leaves[i] = now
        if notice[i] > now:
            leaves[i] = leave[j]
            j += 1
            if notice[i] == INFINITY:
                last = leaves[i]
        placed[i] = expected[running[i]] = last
    state.profiles.running_profile(state, now, skip, profile)
    slurm_victims.apply_notices(state, now, running, notice, placed, leaves, profile)
    for i in range(len(running)):
        if notice[i] < INFINITY:
            expected[running[i]] = own[i]
    for i in range(k):
        expected[started[i]] = leave[m + i]
        settle_start(state, started[i], profile)
        state.profiles.book(state, started[i], profile_codes.TAKE, now, leave[m + i], profile)
    slurm_victims.plan_suspended(state, started, profile)
    for i in range(len(reserved)):
        reserve(state, rule, reserved[i], begins[i], ends[i])
    spare.used = before
    return first


def goes_by_groups(state: State, rule: SlurmMemory) -> bool:
    """Whether running jobs are expected to leave in groups of which it is known what they give back.

    Then their own expected ends stay as they are. It takes whole seconds, so that it does not matter in which order
    they are added up.
    """
    if state.changing or rule.groups == 0.0 or not slurm_misfits.are_noted(state):
        return False
    return bool(arithmetic.floor(rule.groups) + arithmetic.floor(rule.linear) == rule.groups + rule.linear)


def _plan_groups(state: State, rule: SlurmMemory, now: float, skip: int, started: Ints, few: bool) -> float:
    """As `_plan_steady`, if it `goes_by_groups`."""
    profile, expected, n, groups = rule.profile, state.expected_end, len(started), state.end_groups
    first, last, lower, upper = leaving.look_at_ends(state, now, skip), 0.0, INFINITY, INFINITY
    leave = state.spare.real(n)
    for i in range(n):
        leave[i] = now + max(state.estimate[started[i]], state.grace)
        first = min(first, leave[i])
    leaving.begin(state, next_multiple(first, rule.groups, rule.origin), rule.groups, rule.linear)
    order = state.spare.sorted_places(leave, n)
    for i in range(n - 1, -1, -1):
        if not lower < leave[order[i]] <= upper:  # the last of another group
            last = leave[order[i]]
            if last < INFINITY:
                lower, upper = leaving.interval(groups, last)
                last = max(last, leaving.last_running(state, lower, upper))
        expected[started[order[i]]] = last
    groups.started = n
    node_profile.begin_in_groups(state, now, skip, profile)
    if not (few and rule.whole):
        complete(state, profile)
    for i in range(n):
        settle_start(state, started[i], profile)
        state.profiles.book(state, started[i], profile_codes.TAKE, now, expected[started[i]], profile)
    return first


def _plan_steady(
    state: State, rule: SlurmMemory, now: float, skip: int, own: Floats, started: Ints, few: bool
) -> float:
    """As `plan`, without reservations, where nobody is under notice or suspended.

    With ``few`` reservations, mostly a small part of the profile is looked at; the rest is made when it is.
    """
    running = state.running[skip : gapped.line_up(state)]
    profile, expected, soonest, n = rule.profile, state.expected_end, now + state.grace, len(running)
    leave = state.spare.real(n + len(started))
    for i in range(n):
        leave[i] = max(own[i], soonest)
    for i in range(len(started)):
        leave[n + i] = now + max(state.estimate[started[i]], state.grace)
    first = _leave_in_groups(state, rule, leave, n)
    for i in range(n):
        expected[running[i]] = leave[i]
    if few and rule.whole and slurm_misfits.are_noted(state):
        node_profile.begin_running(state, now, skip, profile)
    else:
        state.profiles.running_profile(state, now, skip, profile)
    for i in range(len(started)):
        expected[started[i]] = leave[n + i]
        settle_start(state, started[i], profile)
        state.profiles.book(state, started[i], profile_codes.TAKE, now, leave[n + i], profile)
    return first


def _leave_in_groups(state: State, rule: SlurmMemory, leave: Floats, m: int) -> float:
    """Let each job leave with the last of its group; when the first of all would leave by itself.

    The first ``m`` are mostly in order.
    """
    length, n = rule.groups, len(leave)
    if length == 0.0 or n == 0:
        return INFINITY
    in_order = m
    for i in range(1, m):
        if leave[i] < leave[i - 1]:
            in_order = 0
    others = state.spare.sorted_places(leave[in_order:], n - in_order)
    for i in range(len(others)):
        others[i] += in_order
    i = j = 0
    time = _next_of(leave, others, in_order, i, j)
    first, since, reach, more = time, next_multiple(time, length, rule.origin), length, rule.linear
    while time < INFINITY:
        if more > 0.0 and time > since + reach:  # those without jobs are passed by at once
            reach += more * max(arithmetic.ceil((time - since - reach) / more) - 1.0, 0.0)
        here, there, last = i, j, time
        while here < in_order and leave[here] <= since + reach:
            here += 1
        while there < len(others) and leave[others[there]] <= since + reach:
            there += 1
        if here > i:
            last = max(last, leave[here - 1])
        if there > j:
            last = max(last, leave[others[there - 1]])
        for k in range(i, here):
            leave[k] = last
        for k in range(j, there):
            leave[others[k]] = last
        i, j, reach = here, there, reach + (more if more > 0.0 else reach)
        time = _next_of(leave, others, in_order, i, j)
    return float(first)


def _next_of(leave: Floats, others: Ints, in_order: int, i: int, j: int) -> float:
    """The next time, of those in order from place ``i`` on, and the ``others`` from ``j`` on."""
    time = INFINITY
    if i < in_order:
        time = leave[i]
    if j < len(others):
        time = min(time, leave[others[j]])
    return float(time)


def regroups(rule: SlurmMemory, first: float, leave: float) -> bool:
    """Whether running jobs are in other groups, of which the ``first`` left first, once one starts that leaves then.

    Groups are counted from the first end. As long as this is in the same interval, a job that starts can only make the
    others of its group leave later.
    """
    if rule.groups == 0.0 or first <= leave or first == INFINITY:
        return False
    return next_multiple(leave, rule.groups, rule.origin) < next_multiple(first, rule.groups, rule.origin)


def takes_start(state: State, rule: SlurmMemory, now: float, skip: int, k: int, first: float) -> bool:
    """Whether the profile of a plan holds as ``out[k - 1]`` starts too; then it has the job, and need not be made anew.

    It does not if running jobs leave in other groups (`regroups`), or later than they do in the profile.
    """
    profile, expected, row, groups = rule.profile, state.expected_end, state.out[k - 1], state.end_groups
    leave = now + max(state.estimate[row], state.grace)
    if state.changing or leave == INFINITY or regroups(rule, first, leave):
        return False
    if rule.groups > 0.0:
        if first == INFINITY or not profile.in_groups:
            return False
        lower, upper = leaving.interval(groups, leave)
        last = leaving.last_running(state, lower, upper)
        for j in range(k - 1):
            other = expected[state.out[j]]
            if lower < other <= upper:
                if other < leave:
                    return False
                last = max(last, other)
        if -INFINITY < last < leave:  # the group leaves later than it would
            if last < profile.until:
                return False
            if last == profile.until:
                profile.until = groups.times[groups.count - 1] = leave
        leave = max(leave, last)
    expected[row] = leave
    groups.started = k
    state.profiles.book(state, row, profile_codes.TAKE, now, leave, profile)
    return True


def reserve(state: State, rule: SlurmMemory, row: int, begin: float, end: float) -> None:
    """Take a reservation out of the profile."""
    rule.profile.note_fall(begin)
    if rule.whole:
        book_whole(state, row, begin, end, rule.profile)
    else:
        state.profiles.book(state, row, profile_codes.TAKE, begin, end, rule.profile)


def complete(state: State, profile: Profile) -> None:
    """Let all ends of running jobs be in a profile (`_plan_steady`)."""
    while profile.until < INFINITY:
        node_profile.give_back(state, True, profile)


def use_idle_nodes(
    state: State, rule: SlurmMemory, now: float, skip: int, k: int, row: int, start: float, length: float
) -> None:
    """Plan a job where as few running jobs as possible have to leave, if nodes are looked up at its start.

    The ``k`` first rows of ``out`` start now. Slurm lets one group of running jobs after the other leave until the job
    fits, even if all of them are gone by the time of the look; so idle nodes are chosen before others.
    """
    if state.on_nodes and not state.alike:
        use_idle_nodes_of_machine(state, rule, now, skip, k, row, start, length)
        return


def use_idle_nodes_of_machine(
    state: State, rule: SlurmMemory, now: float, skip: int, k: int, row: int, start: float, length: float
) -> None:
    """As `use_idle_nodes`: the places of the job are changed."""
    shape, low, gone, simple = state.shape[row], state.low, now, nodes.has_one_chunk(state, state.shape[row])
    running = running_until(state, rule, skip, now, start)
    some = next_to_leave(state, rule, running, k, now) <= start
    if not (some and state.profiles.fits_at(state, row, start, length, rule.profile)):
        return
    nodes.give_found(state, shape, low)
    change_leaving(state, rule, running, k, nodes_codes.TAKE, now, start)
    while gone < start:
        if not (simple and not nodes.room(state, shape, low)) and nodes.find(state, shape, at.ZERO, low):
            nodes.settle(state, row)
            return
        following = min(next_to_leave(state, rule, running, k, gone), start)
        change_leaving(state, rule, running, k, nodes_codes.GIVE, gone, following)
        gone = following


def next_to_leave(state: State, rule: SlurmMemory, running: Ints, k: int, after: float) -> float:
    """When the first of ``running`` jobs, or of the ``k`` first rows of ``out``, leaves after a time; or infinity."""
    following, expected, out, groups = INFINITY, state.expected_end, state.out, state.end_groups
    for i in range(len(running)):
        following = min(following, expected[running[i]] if expected[running[i]] > after else INFINITY)
    for i in range(groups.count if rule.profile.in_groups else 0):
        following = min(following, groups.times[i] if groups.times[i] > after else INFINITY)
    for i in range(k):
        following = min(following, expected[out[i]] if expected[out[i]] > after else INFINITY)
    return float(following)


def change_leaving(
    state: State, rule: SlurmMemory, running: Ints, k: int, sign: int, after: float, until: float
) -> None:
    """Take from ``low`` what those of `next_to_leave` have that leave after a time and until another; or give it."""
    for i in range(len(running)):
        _change_until(state, running[i], sign, after, until, state.low)
    for i in range(state.end_groups.count if rule.profile.in_groups else 0):
        if after < state.end_groups.times[i] <= until:
            node_profile.add(state.low, leaving.given_by(state, i), sign)
    for i in range(k):
        _change_until(state, state.out[i], sign, after, until, state.low)


def running_until(state: State, rule: SlurmMemory, skip: int, now: float, start: float) -> Ints:
    """Running jobs that do not leave in groups, but for some that certainly leave after ``start``, or have left."""
    if rule.profile.in_groups:
        return state.out[:0]
    return _leaving(state, skip, now, start)


def _leaving(state: State, skip: int, now: float, start: float) -> Ints:
    """Running jobs, but for some that certainly leave later than ``start``, or have left."""
    running, expected = state.running[skip : gapped.line_up(state)], state.expected_end
    if state.changing and state.leaving_count + state.victim_count > 0:
        return running  # they leave before others that are expected to end before them
    low, high = 0, len(running)
    while low < high:
        middle = (low + high) // 2
        if expected[running[middle]] <= now:
            low = middle + 1
        else:
            high = middle
    first, high = low, len(running)
    while low < high:
        middle = (low + high) // 2
        if expected[running[middle]] <= start:
            low = middle + 1
        else:
            high = middle
    return running[first:low]


def _change_until(state: State, row: int, sign: int, after: float, until: float, free: IntTable) -> None:
    """Take what a job has, or give it back, if it leaves after a time and until another."""
    if after < state.expected_end[row] <= until:
        nodes.change(state, row, state.shape[row], sign, free)


def settle_start(state: State, row: int, profile: Profile) -> None:
    """Give a job that starts in the main pass its places."""
    if state.on_nodes:
        settle_start_on_nodes(state, row, profile)
        return


def settle_start_on_nodes(state: State, row: int, profile: Profile) -> None:
    """As `settle_start`: unless the job has places, since only processors were counted."""
    if state.size[row] == 0:
        state.profiles.fits_from_now(state, row, state.estimate[row], profile)


def book_whole(state: State, row: int, begin: float, end: float, profile: Profile) -> None:
    """Take a reservation of whole nodes out of a profile."""
    if state.on_nodes:
        book_whole_nodes(state, row, begin, end, profile)
    else:
        state.profiles.book(state, row, profile_codes.TAKE, begin, end, profile)


def book_whole_nodes(state: State, row: int, begin: float, end: float, profile: Profile) -> None:
    """As `book_whole`: all that these nodes have, whatever others may have there now."""
    if state.alike:
        state.profiles.book(state, row, profile_codes.TAKE, begin, end, profile)
        return
    if not begin < end:
        return
    first = node_profile.step_at(state, begin, profile)
    stop = node_profile.step_at(state, end, profile)
    for i in range(first, stop):
        _take_whole(state, row, node_profile.slab(state, i, profile))


def _take_whole(state: State, row: int, free: IntTable) -> None:
    """The nodes of a job have nothing left."""
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        for v in range(state.places[i, nodes_codes.NODE], state.places[i, nodes_codes.STOP]):
            for r in range(free.shape[1]):
                free[v, r] -= state.capacity[v, r]
