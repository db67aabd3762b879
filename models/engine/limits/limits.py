"""Limits of a site: who may run how many jobs, or use how much, at once, in the time ahead, and over the time past.

A *meter* measures what the jobs of a user, an account or a QOS have: ``limit_meters`` has `OF_METER` numbers for each.
Jobs that count for the same meters are a *group*; ``limit_group[row]`` is a job's group + 1, or 0 as long as nobody has
looked at the job, which then belongs to the group of its user, ``limit_home[1 + user]``. A group has the entries of
`OF_ENTRY` numbers in ``limit_entries`` from the one numbered ``limit_first[group]`` on: a meter, the resource that it
measures, and whether its limit holds for the group, whose jobs are counted in any case. What a job has of a resource is
in ``limit_amounts``.

``limit_bar[row]`` says what keeps a job from starting, and ``limit_note[row]`` why it was refused, or never starts.
``limit_since[row]`` is when the age of a job has begun to count, infinite for not yet; it is empty where no limit is on
ages.

``limit_rows[:n]`` are the waiting rows that may start, in queue order, with the entries of jobs in several partitions
(`thinktime.models.engine.limits.entry_rows`). ``partition`` has the place of every job's partition in the site, and
``tiers`` the tiers of the partitions, or nothing where tiers do not count.

Source: Slurm 22.05.8, measured. That limits on the time ahead shrink steadily, not at ticks, is our decision.
"""

from __future__ import annotations

import math

import numpy as np

from thinktime.models.engine import arithmetic
from thinktime.models.engine.codes import limits as limits_codes
from thinktime.models.engine.limits import budgets, entry_rows, prices, ranking
from thinktime.models.engine.machine_state import State
from thinktime.workloads.arrays import Ints

INFINITY = math.inf

STEP = 2.0**-10  # s: the grid of time
FARTHEST = 2.0**32  # s from now: later is never


def group_of(state: State, row: int) -> int:
    """The group of a job: its own, or as long as nobody has looked at it that of its user."""
    known = state.limit_group[row]
    if known > 0:
        return known - 1
    return int(state.limit_home[1 + state.user[row]])


def amount(state: State, row: int, resource: int) -> float:
    """What a job has of a resource when it runs."""
    if resource == limits_codes.ONE:
        return 1.0
    if state.limit_group[row] > 0:
        known = float(state.limit_amounts[row * state.limit_width + resource])
        if state.shaped and state.form[row] >= 0:  # known for the preferred size
            known *= state.processors[row] / state.form_sizes[state.form_preferred[state.form[row]]]
        return known
    return float(state.processors[row]) if resource == limits_codes.CPUS else 0.0


def used_at(state: State, m: int, time: float) -> float:
    """What was used by a time after ``SINCE``, with all that runs."""
    meters, passed = state.limit_meters, time - state.limit_meters[m + limits_codes.SINCE]
    decay, rate = meters[m + limits_codes.DECAY], meters[m + limits_codes.IN_USE]
    if decay == 0.0:
        return float(meters[m + limits_codes.USED] + rate * passed)
    kept = math.exp(-decay * passed)
    return float(meters[m + limits_codes.USED] * kept + rate / decay * (1.0 - kept))


def is_met(state: State, m: int, row: int, asked: float, now: float) -> bool:
    """Whether a limit leaves room for a job to start now."""
    meters = state.limit_meters
    kind, most = meters[m + limits_codes.KIND], meters[m + limits_codes.MOST]
    if kind == limits_codes.AT_ONCE:
        return bool(meters[m + limits_codes.IN_USE] + asked <= most)
    if kind in (limits_codes.THERE, limits_codes.AGEING):
        return True
    ahead = (
        meters[m + limits_codes.UNTIL] - meters[m + limits_codes.IN_USE] * now
        if meters[m + limits_codes.IN_USE] > 0.0
        else 0.0
    )
    if kind == limits_codes.AHEAD:
        return bool(ahead + asked * _limit_of(state, row) <= most)
    used = used_at(state, m, now)
    if kind == limits_codes.BUDGET:
        return bool(used < most)
    return bool(used + ahead + asked * _limit_of(state, row) <= most)


def _limit_of(state: State, row: int) -> float:
    """How long a job runs at most that starts now, or the next stage of its run, s."""
    if state.shaped:
        return float((state.requested[row] - state.done[row]) / state.rate[row])
    return float(state.requested[row])


def binding(state: State, row: int, now: float) -> int:
    """The limit that keeps a job from starting now: a meter's number, -`NEVER`, `SPENT` or `UNBOUND`."""
    if state.limit_bar[row] & limits_codes.NEVER:
        return -limits_codes.NEVER
    group, entries = group_of(state, row), state.limit_entries
    for i in range(state.limit_first[group], state.limit_first[group + 1]):
        e = i * limits_codes.OF_ENTRY
        m, asked = (
            entries[e + limits_codes.METER] * limits_codes.OF_METER,
            amount(state, row, entries[e + limits_codes.RESOURCE]),
        )
        if entries[e + limits_codes.HOLDS] and asked > 0.0 and not is_met(state, m, row, asked, now):
            return int(entries[e + limits_codes.METER])
    return limits_codes.SPENT if budgets.keeps_back(state, row) else limits_codes.UNBOUND


def is_within(state: State, row: int, now: float) -> bool:
    """Whether all limits leave room for a job to start now."""
    return binding(state, row, now) == limits_codes.UNBOUND


def run(state: State, row: int, begin: float, now: float, sign: float) -> None:
    """A job runs from ``begin`` on, or (``sign`` is -1) does not run any more."""
    group, entries, meters = group_of(state, row), state.limit_entries, state.limit_meters
    for i in range(state.limit_first[group], state.limit_first[group + 1]):
        e = i * limits_codes.OF_ENTRY
        m, asked = (
            entries[e + limits_codes.METER] * limits_codes.OF_METER,
            amount(state, row, entries[e + limits_codes.RESOURCE]),
        )
        kind = meters[m + limits_codes.KIND]
        if kind in (limits_codes.THERE, limits_codes.AGEING) or asked == 0.0:
            continue
        if kind >= limits_codes.BUDGET:
            meters[m + limits_codes.USED], meters[m + limits_codes.SINCE] = used_at(state, m, now), now
        meters[m + limits_codes.IN_USE] += sign * asked
        if kind != limits_codes.AT_ONCE:
            meters[m + limits_codes.UNTIL] += sign * asked * (begin + _limit_of(state, row))
            if meters[m + limits_codes.IN_USE] == 0.0:
                meters[m + limits_codes.UNTIL] = 0.0  # no trace of rounding stays


def occupy(state: State, row: int, now: float) -> None:
    """A job starts: its meters count it from now on."""
    if state.limited:
        age_no_more(state, row)
        run(state, row, now, now, 1.0)
        budgets.reserve(state, row)


def vacate(state: State, row: int, now: float) -> None:
    """A job does not run any more; its start is still known."""
    if state.limited:
        run(state, row, state.start[row], now, -1.0)
        budgets.end_run(state, row, now)


def end_stage(state: State, row: int, now: float) -> None:
    """A stage of a run is over, whose size is still known, and another one follows."""
    if state.limited:
        run(state, row, state.start[row], now, -1.0)
        prices.end_stage(state, row, now)


def begin_stage(state: State, row: int, now: float) -> None:
    """A stage of a run begins."""
    if state.limited:
        run(state, row, now, now, 1.0)


def enter(state: State, row: int) -> bool:
    """A job is submitted; False if it is turned away, with a note why."""
    if not state.limited or state.limit_bar[row] & limits_codes.COUNTED:
        return True
    if state.limit_note[row] <= -limits_codes.REFUSES:  # whatever others do
        return False
    group, entries, meters = group_of(state, row), state.limit_entries, state.limit_meters
    for i in range(state.limit_first[group], state.limit_first[group + 1]):
        e = i * limits_codes.OF_ENTRY
        m = entries[e + limits_codes.METER] * limits_codes.OF_METER
        if (
            entries[e + limits_codes.HOLDS]
            and meters[m + limits_codes.KIND] == limits_codes.THERE
            and meters[m + limits_codes.IN_USE] + 1.0 > meters[m + limits_codes.MOST]
        ):
            state.limit_note[row] = -1 - entries[e + limits_codes.METER]
            return False
    state.limit_bar[row] |= limits_codes.COUNTED
    _count(state, row, limits_codes.THERE, 1.0)
    return True


def leave(state: State, rows: Ints) -> None:
    """Jobs are over: limits on jobs that are there count them no more."""
    if not state.limited:
        return
    for i in range(len(rows)):
        row = rows[i]
        age_no_more(state, row)
        if state.limit_bar[row] & limits_codes.COUNTED:
            _count(state, row, limits_codes.THERE, -1.0)
            state.limit_bar[row] &= ~limits_codes.COUNTED


def sort_out(state: State, now: float) -> int:
    """Write the waiting rows that may start to ``limit_rows``, and those that fall behind, or out, to ``scratch``."""
    k, n = 0, 0
    state.limit_leaves, state.budget_lows = False, 0
    head = state.head
    for i in range(head, head + state.in_queue):
        row = state.waiting[i]
        before, falls = k, False
        first, stop = entry_rows.entries_of(state, row)
        for each in range(first, stop):
            if each != row:
                entry_rows.copy_job(state, row, each)
            if is_within(state, each, now):
                falls = budgets.rank(state, each) or falls
                state.limit_bar[each] &= ~limits_codes.OVER
                state.limit_rows[k] = each
                k += 1
            elif each != row:
                state.limit_bar[each] |= limits_codes.OVER
        if k > before:
            state.limit_bar[row] &= ~limits_codes.OVER
        else:
            falls = state.limit_bar[row] & limits_codes.OVER == 0
            state.limit_bar[row] |= limits_codes.OVER
        if falls:
            state.scratch[n] = row
            n += 1
    state.limit_eligible = k
    if state.budget_lows > 0:
        state.limit_rows[:k] = ranking.lowest_last(state, state.limit_rows[:k])
    return n


def start_as(state: State, row: int, entry: int) -> None:
    """A job starts through one of its entries: from now on it counts for the limits of this partition."""
    there = state.limit_bar[row] & limits_codes.COUNTED > 0
    age_no_more(state, row)
    if there:
        _count(state, row, limits_codes.THERE, -1.0)
    state.limit_group[row] = state.limit_group[entry]
    if there:
        _count(state, row, limits_codes.THERE, 1.0)
    for k in range(state.limit_width):
        state.limit_amounts[row * state.limit_width + k] = state.limit_amounts[entry * state.limit_width + k]
    state.partition[row] = state.partition[entry]
    budgets.count_as(state, row, entry)


def _count(state: State, row: int, kind: int, sign: float) -> None:
    """A job counts for the meters of a kind from now on, or does not any more."""
    group, entries, meters = group_of(state, row), state.limit_entries, state.limit_meters
    for i in range(state.limit_first[group], state.limit_first[group + 1]):
        e = i * limits_codes.OF_ENTRY
        m = entries[e + limits_codes.METER] * limits_codes.OF_METER
        if meters[m + limits_codes.KIND] == kind:
            meters[m + limits_codes.IN_USE] += sign


def age(state: State, now: float) -> None:
    """After a pass: ages of waiting jobs count from now on, in queue order, as far as limits on their number allow."""
    if len(state.limit_since) == 0:
        return
    entries, meters, head = state.limit_entries, state.limit_meters, state.head
    for j in range(head, head + state.in_queue):
        row = state.waiting[j]
        if state.limit_bar[row] & limits_codes.AGES:
            continue
        group, free = group_of(state, row), True
        for i in range(state.limit_first[group], state.limit_first[group + 1]):
            e = i * limits_codes.OF_ENTRY
            m = entries[e + limits_codes.METER] * limits_codes.OF_METER
            full = (
                meters[m + limits_codes.KIND] == limits_codes.AGEING
                and meters[m + limits_codes.IN_USE] + 1.0 > meters[m + limits_codes.MOST]
            )
            free = free and not (entries[e + limits_codes.HOLDS] and full)
        if free:
            state.limit_bar[row] |= limits_codes.AGES
            state.limit_since[row] = now
            _count(state, row, limits_codes.AGEING, 1.0)


def age_no_more(state: State, row: int) -> None:
    """A job does not wait any more."""
    if state.limit_bar[row] & limits_codes.AGES:
        state.limit_bar[row] &= ~limits_codes.AGES
        state.limit_since[row] = INFINITY
        _count(state, row, limits_codes.AGEING, -1.0)


def ages_since(state: State, row: int) -> float:
    """From when on limits let the age of a job count."""
    return float(state.limit_since[entry_rows.job_of(state, row)]) if len(state.limit_since) > 0 else -INFINITY


def may_start(state: State, rows: Ints) -> Ints:
    """Those of some waiting rows that no limit keeps from starting."""
    if not state.limited:
        return rows
    kept, k = np.empty(len(rows), np.int64), 0
    for i in range(len(rows)):
        row = rows[i]
        kept[k] = row
        k += state.limit_bar[row] & limits_codes.OVER == 0
    return kept[:k]


def cut(state: State, now: float, queue: Ints, k: int) -> int:
    """Which of the ``k`` rows in ``out`` start: they come first in it, the others behind them, and all limits hold.

    Down the queue, the first job that those before it put beyond a limit ends the pass, whether it would start or holds
    others back, and those before it start. So does another entry of a job that starts, unless the rule has left it out.
    How many; -1 - how many, if another pass has to follow: without this job, or since a job has left several places.
    """
    out, bar, n, again, leaves = state.out, state.limit_bar, 0, False, state.limit_leaves
    proposed = arithmetic.rows_copied(out[:k])
    for j in range(len(proposed)):
        row = proposed[j]
        bar[row] |= limits_codes.TAKEN
    for i in range(len(queue)):
        row = queue[i]
        job = entry_rows.job_of(state, row)
        if bar[job] & limits_codes.STARTS and leaves:
            continue
        if bar[job] & limits_codes.STARTS or budgets.falls(state, row) or not is_within(state, row, now):
            again = True
            state.changes.spare_victims(state, queue[i:])
            break
        if bar[row] & limits_codes.TAKEN:
            bar[row] -= limits_codes.TAKEN
            bar[job] |= limits_codes.STARTS
            again |= job != row and not leaves
            run(state, row, now, now, 1.0)
            budgets.count_start(state, row)
    for j in range(len(proposed)):
        row = proposed[j]
        if not bar[row] & limits_codes.TAKEN:
            bar[entry_rows.job_of(state, row)] &= ~limits_codes.STARTS
            run(state, row, now, now, -1.0)
            budgets.count_no_start(state, row)
            out[n] = row
            n += 1
    place = n
    for j in range(len(proposed)):
        row = proposed[j]
        if bar[row] & limits_codes.TAKEN:
            out[place] = row
            place += 1
        bar[row] &= ~limits_codes.TAKEN
    return -1 - n if again else n


def next_opening(state: State, now: float) -> float:
    """When time alone brings the next waiting job within its limits; infinite for never."""
    soonest = INFINITY
    if not state.limit_timed:
        return soonest
    head = state.head
    for i in range(head, head + state.in_queue):
        row = state.waiting[i]
        first, stop = entry_rows.entries_of(state, row)
        for each in range(first, stop):
            if state.limit_bar[each] & (limits_codes.OVER | limits_codes.NEVER) == limits_codes.OVER:
                soonest = min(soonest, _opening(state, each, now))
            elif state.limit_bar[each] & limits_codes.LOW:
                soonest = min(soonest, budgets.opening(state, each))
    return soonest


def _opening(state: State, row: int, now: float) -> float:
    """When time alone brings a job within its limits: what is ahead shrinks, and what was used decays."""
    group, entries, latest = group_of(state, row), state.limit_entries, now
    for i in range(state.limit_first[group], state.limit_first[group + 1]):
        e = i * limits_codes.OF_ENTRY
        m, asked = (
            entries[e + limits_codes.METER] * limits_codes.OF_METER,
            amount(state, row, entries[e + limits_codes.RESOURCE]),
        )
        if not entries[e + limits_codes.HOLDS] or asked == 0.0 or is_met(state, m, row, asked, now):
            continue
        if state.limit_meters[m + limits_codes.KIND] == limits_codes.AT_ONCE:
            return INFINITY
        length = STEP
        while not is_met(state, m, row, asked, now + length):
            length *= 2.0
            if length > FARTHEST:
                return INFINITY
        low = length / 2.0 if length > STEP else 0.0
        while length - low > STEP:
            middle = arithmetic.ceil((low + length) / 2.0 / STEP) * STEP
            if middle >= length:
                break
            if is_met(state, m, row, asked, now + middle):
                length = middle
            else:
                low = middle
        latest = max(latest, now + length)
    return max(latest, budgets.opening(state, row)) if budgets.keeps_back(state, row) else latest
