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
(`thinktime.models.kernels.entry_rows`). ``partition`` has the place of every job's partition in the site, and ``tiers``
the tiers of the partitions, or nothing where tiers do not count.

Source: Slurm 22.05.8, as measured on a real one. That limits on the time ahead shrink steadily, not at ticks, is our
decision.
"""

import numpy as np

from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels.entry_rows import copy_job, entries_of, job_of
from thinktime.models.kernels.queue_orders import sorted_by
from thinktime.workloads.compiler import Ints, kernel
from thinktime.workloads.kinds import by_kind
from thinktime.workloads.structures import Structure

LIMITED, WIDTH, ELIGIBLE, TIMED, LEAVES = range(5)
"""Places in ``limit_counts``: whether there are limits, how many numbers a job has in ``limit_amounts``, how many
waiting rows may start, whether time alone may bring jobs within their limits, and whether the rule has left out the
other entries of a job that starts in its pass."""
MOST, IN_USE, UNTIL, USED, SINCE, DECAY, KIND = range(7)
"""A meter: its limit; what running jobs have; that times their expected ends; what was used by the time ``SINCE``; by
what part of itself this decays (1/s); and what the limit is on."""
OF_METER = 7
METER, RESOURCE, HOLDS = range(3)
"""An entry of a group's: a meter, what it measures of the group's jobs, and whether its limit holds for them."""
OF_ENTRY = 3
AT_ONCE, THERE, AGEING, AHEAD, BUDGET, SAFE_BUDGET = range(6)
"""Kinds: running jobs; jobs that wait or run; waiting jobs whose age counts; what is left of the time limits of running
jobs; what was used; and the same with what running jobs and the next one could still use."""
ONE, CPUS = 0, 1
"""Resources: jobs count as one; all others are places in a job's amounts."""
NEVER, OVER, COUNTED, TAKEN, STARTS, AGES = 1, 2, 4, 8, 16, 32
"""Bits of ``limit_bar``: a job asks for too much by itself; it is beyond a limit now; it counts as being there; the
rule would start it in this pass; and so do the limits; and its age counts."""
REFUSES = 2**40
"""``limit_note[row]`` is -1 - a meter that has turned a job away, -`REFUSES` - the number of another reason for that,
or the number of the reason why a job never starts."""
UNBOUND = -2
"""No limit keeps a job from starting."""
STEP = 2.0**-10  # s: the grid of time
FARTHEST = 2.0**32  # s from now: later is never


@kernel
def limited(state: Structure) -> bool:
    """Whether there are limits."""
    return bool(state.limit_counts[LIMITED])


@kernel
def group_of(state: Structure, row: int) -> int:
    """A job's group."""
    known = state.limit_group[row]
    if known > 0:
        return int(known) - 1
    return int(state.limit_home[1 + state.user[row]])


@kernel
def amount(state: Structure, row: int, resource: int) -> float:
    """What a job has of a resource when it runs."""
    if resource == ONE:
        return 1.0
    if state.limit_group[row] > 0:
        return float(state.limit_amounts[row * state.limit_counts[WIDTH] + resource])
    return float(state.processors[row]) if resource == CPUS else 0.0


@kernel
def used_at(state: Structure, m: int, time: float) -> float:
    """What was used by a time after ``SINCE``, with all that runs."""
    meters, passed = state.limit_meters, time - state.limit_meters[m + SINCE]
    decay, rate = meters[m + DECAY], meters[m + IN_USE]
    if decay == 0.0:
        return float(meters[m + USED] + rate * passed)
    kept = np.exp(-decay * passed)
    return float(meters[m + USED] * kept + rate / decay * (1.0 - kept))


@kernel
def _is_met(state: Structure, m: int, row: int, asked: float, now: float) -> bool:
    """Whether a limit leaves room for a job to start now."""
    meters = state.limit_meters
    kind, most = meters[m + KIND], meters[m + MOST]
    if kind == AT_ONCE:
        return bool(meters[m + IN_USE] + asked <= most)
    if kind in (THERE, AGEING):
        return True
    ahead = meters[m + UNTIL] - meters[m + IN_USE] * now if meters[m + IN_USE] > 0.0 else 0.0
    if kind == AHEAD:
        return bool(ahead + asked * state.requested[row] <= most)
    used = used_at(state, m, now)
    if kind == BUDGET:
        return bool(used < most)
    return bool(used + ahead + asked * state.requested[row] <= most)


@kernel
def binding(state: Structure, row: int, now: float) -> int:
    """The limit that keeps a job from starting now: a meter's number, -`NEVER`, or `UNBOUND`."""
    if state.limit_bar[row] & NEVER:
        return -NEVER
    group, entries = group_of(state, row), state.limit_entries
    for e in range(state.limit_first[group] * OF_ENTRY, state.limit_first[group + 1] * OF_ENTRY, OF_ENTRY):
        m, asked = entries[e + METER] * OF_METER, amount(state, row, entries[e + RESOURCE])
        if entries[e + HOLDS] and asked > 0.0 and not _is_met(state, m, row, asked, now):
            return int(entries[e + METER])
    return UNBOUND


@kernel
def is_within(state: Structure, row: int, now: float) -> bool:
    """Whether all limits leave room for a job to start now."""
    return binding(state, row, now) == UNBOUND


@kernel
def _run(state: Structure, row: int, begin: float, now: float, sign: float) -> None:
    """A job runs from ``begin`` on, or (``sign`` is -1) does not run any more."""
    group, entries, meters = group_of(state, row), state.limit_entries, state.limit_meters
    for e in range(state.limit_first[group] * OF_ENTRY, state.limit_first[group + 1] * OF_ENTRY, OF_ENTRY):
        m, asked = entries[e + METER] * OF_METER, amount(state, row, entries[e + RESOURCE])
        kind = meters[m + KIND]
        if kind in (THERE, AGEING) or asked == 0.0:
            continue
        if kind >= BUDGET:
            meters[m + USED], meters[m + SINCE] = used_at(state, m, now), now
        meters[m + IN_USE] += sign * asked
        if kind != AT_ONCE:
            meters[m + UNTIL] += sign * asked * (begin + state.requested[row])
            if meters[m + IN_USE] == 0.0:
                meters[m + UNTIL] = 0.0  # no trace of rounding stays


@kernel
def occupy(state: Structure, row: int, now: float) -> None:
    """A job starts."""
    if limited(state):
        age_no_more(state, row)
        _run(state, row, now, now, 1.0)


@kernel
def vacate(state: Structure, row: int, now: float) -> None:
    """A job does not run any more; its start is still known."""
    if limited(state):
        _run(state, row, state.start[row], now, -1.0)


@kernel
def enter(state: Structure, row: int) -> bool:
    """A job is submitted; False if it is turned away, with a note why."""
    if not limited(state) or state.limit_bar[row] & COUNTED:
        return True
    if state.limit_note[row] <= -REFUSES:  # whatever others do
        return False
    group, entries, meters = group_of(state, row), state.limit_entries, state.limit_meters
    first, stop = state.limit_first[group] * OF_ENTRY, state.limit_first[group + 1] * OF_ENTRY
    for e in range(first, stop, OF_ENTRY):
        m = entries[e + METER] * OF_METER
        if entries[e + HOLDS] and meters[m + KIND] == THERE and meters[m + IN_USE] + 1.0 > meters[m + MOST]:
            state.limit_note[row] = -1 - entries[e + METER]
            return False
    state.limit_bar[row] |= COUNTED
    _count(state, row, THERE, 1.0)
    return True


@kernel
def leave(state: Structure, rows: Ints) -> None:
    """Jobs are over."""
    if not limited(state):
        return
    for row in rows:
        age_no_more(state, row)
        if state.limit_bar[row] & COUNTED:
            _count(state, row, THERE, -1.0)
            state.limit_bar[row] &= ~COUNTED


@kernel
def sort_out(state: Structure, now: float) -> int:
    """Write the waiting rows that may start to ``limit_rows``, and those that may no more to ``scratch``: how many."""
    counts, k, n = state.limit_counts, 0, 0
    counts[LEAVES] = 0
    head = state.counts[at.HEAD]
    for row in state.waiting[head : head + state.counts[at.IN_QUEUE]]:
        before = k
        first, stop = entries_of(state, row)
        for each in range(first, stop):
            if each != row:
                copy_job(state, row, each)
            if is_within(state, each, now):
                state.limit_bar[each] &= ~OVER
                state.limit_rows[k] = each
                k += 1
            elif each != row:
                state.limit_bar[each] |= OVER
        if k > before:
            state.limit_bar[row] &= ~OVER
        elif not state.limit_bar[row] & OVER:
            state.limit_bar[row] |= OVER
            state.scratch[n] = row
            n += 1
    counts[ELIGIBLE] = k
    return n


@kernel
def by_tier(state: Structure, rows: Ints) -> Ints:
    """Some rows in order, those of higher tiers first where tiers count."""
    if not limited(state) or state.tiers.size == 0:
        return rows
    keys = np.empty(rows.size)
    for i in range(rows.size):
        keys[i] = -state.tiers[state.partition[rows[i]]]
    return sorted_by(keys, rows)


@kernel
def start_as(state: Structure, row: int, entry: int) -> None:
    """A job starts through one of its entries: from now on it counts for the limits of this partition."""
    counts = state.limit_counts
    there = state.limit_bar[row] & COUNTED > 0
    age_no_more(state, row)
    if there:
        _count(state, row, THERE, -1.0)
    state.limit_group[row] = state.limit_group[entry]
    if there:
        _count(state, row, THERE, 1.0)
    for k in range(counts[WIDTH]):
        state.limit_amounts[row * counts[WIDTH] + k] = state.limit_amounts[entry * counts[WIDTH] + k]
    state.partition[row] = state.partition[entry]


@kernel
def _count(state: Structure, row: int, kind: int, sign: float) -> None:
    """A job counts for the meters of a kind from now on, or does not any more."""
    group, entries, meters = group_of(state, row), state.limit_entries, state.limit_meters
    for e in range(state.limit_first[group] * OF_ENTRY, state.limit_first[group + 1] * OF_ENTRY, OF_ENTRY):
        m = entries[e + METER] * OF_METER
        if meters[m + KIND] == kind:
            meters[m + IN_USE] += sign


@kernel
def age(state: Structure, now: float) -> None:
    """After a pass: ages of waiting jobs count from now on, in queue order, as far as limits on their number allow."""
    if state.limit_since.size == 0:
        return
    entries, meters, head = state.limit_entries, state.limit_meters, state.counts[at.HEAD]
    for row in state.waiting[head : head + state.counts[at.IN_QUEUE]]:
        if state.limit_bar[row] & AGES:
            continue
        group, free = group_of(state, row), True
        for e in range(state.limit_first[group] * OF_ENTRY, state.limit_first[group + 1] * OF_ENTRY, OF_ENTRY):
            m = entries[e + METER] * OF_METER
            full = meters[m + KIND] == AGEING and meters[m + IN_USE] + 1.0 > meters[m + MOST]
            free = free and not (entries[e + HOLDS] and full)
        if free:
            state.limit_bar[row] |= AGES
            state.limit_since[row] = now
            _count(state, row, AGEING, 1.0)


@kernel
def age_no_more(state: Structure, row: int) -> None:
    """A job does not wait any more."""
    if state.limit_bar[row] & AGES:
        state.limit_bar[row] &= ~AGES
        state.limit_since[row] = at.INFINITY
        _count(state, row, AGEING, -1.0)


@kernel
def ages_since(state: Structure, row: int) -> float:
    """From when on limits let the age of a job count."""
    return float(state.limit_since[job_of(state, row)]) if state.limit_since.size > 0 else -at.INFINITY


@kernel
def may_start(state: Structure, rows: Ints) -> Ints:
    """Those of some waiting rows that no limit keeps from starting."""
    if not limited(state):
        return rows
    kept, k = np.empty(rows.size, np.int64), 0
    for row in rows:
        kept[k] = row
        k += state.limit_bar[row] & OVER == 0
    return kept[:k]


@kernel
def cut(state: Structure, now: float, queue: Ints, k: int) -> int:
    """Which of the ``k`` rows in ``out`` start: they come first in it, the others behind them, and all limits hold.

    Down the queue, the first job that those before it put beyond a limit ends the pass, whether it would start or holds
    others back, and those before it start. So does another entry of a job that starts, unless the rule has left it out.
    How many; -1 - how many, if another pass has to follow: without this job, or since a job has left several places.
    """
    out, bar, n, again, leaves = state.out, state.limit_bar, 0, False, state.limit_counts[LEAVES] > 0
    proposed = out[:k].copy()
    for row in proposed:
        bar[row] |= TAKEN
    for i in range(queue.size):
        row = queue[i]
        job = job_of(state, row)
        if bar[job] & STARTS and leaves:
            continue
        if bar[job] & STARTS or not is_within(state, row, now):
            again = True
            spare_victims(state, queue[i:])
            break
        if bar[row] & TAKEN:
            bar[row] -= TAKEN
            bar[job] |= STARTS
            again |= job != row and not leaves
            _run(state, row, now, now, 1.0)
    for row in proposed:
        if not bar[row] & TAKEN:
            bar[job_of(state, row)] &= ~STARTS
            _run(state, row, now, now, -1.0)
            out[n] = row
            n += 1
    place = n
    for row in proposed:
        if bar[row] & TAKEN:
            out[place] = row
            place += 1
        bar[row] &= ~TAKEN
    return -1 - n if again else n


@by_kind
def spare_victims(state: Structure, rows: Ints) -> None:
    """Nobody leaves for these jobs, where jobs may send others away."""


@kernel
def next_opening(state: Structure, now: float) -> float:
    """When time alone brings the next waiting job within its limits; infinite for never."""
    soonest = at.INFINITY
    if not state.limit_counts[TIMED]:
        return soonest
    head = state.counts[at.HEAD]
    for row in state.waiting[head : head + state.counts[at.IN_QUEUE]]:
        first, stop = entries_of(state, row)
        for each in range(first, stop):
            if state.limit_bar[each] & (OVER | NEVER) == OVER:
                soonest = min(soonest, _opening(state, each, now))
    return soonest


@kernel
def _opening(state: Structure, row: int, now: float) -> float:
    """When time alone brings a job within its limits: what is ahead shrinks, and what was used decays."""
    group, entries, latest = group_of(state, row), state.limit_entries, now
    for e in range(state.limit_first[group] * OF_ENTRY, state.limit_first[group + 1] * OF_ENTRY, OF_ENTRY):
        m, asked = entries[e + METER] * OF_METER, amount(state, row, entries[e + RESOURCE])
        if not entries[e + HOLDS] or asked == 0.0 or _is_met(state, m, row, asked, now):
            continue
        if state.limit_meters[m + KIND] == AT_ONCE:
            return at.INFINITY
        length = STEP
        while not _is_met(state, m, row, asked, now + length):
            length *= 2.0
            if length > FARTHEST:
                return at.INFINITY
        low = length / 2.0 if length > STEP else 0.0
        while length - low > STEP:
            middle = np.ceil((low + length) / 2.0 / STEP) * STEP
            if middle >= length:
                break
            if _is_met(state, m, row, asked, now + middle):
                length = middle
            else:
                low = middle
        latest = max(latest, now + length)
    return latest
