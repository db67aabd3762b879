"""Campaign policies as a compiled rule: ``ostrich``, ``ostrich-slurm`` and ``faircamp``.

The table of campaigns is that of `thinktime.models.kernels.virtual`. ``of[row]`` is the campaign of a job that waits or
runs, else -1, so jobs at the end of the queue that have none were submitted at this instant. ``line[:n]`` has the jobs
that may start, those of the most urgent campaign first. Jobs that are held back are in the queue alone.

On a machine that changes, a job that is interrupted stays in its campaign c. Until it is back in the queue,
``of[row]`` is ``AWAY`` - c.
"""

import numpy as np

from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import situation, virtual
from thinktime.models.kernels.gapped import line_up
from thinktime.models.kernels.limits import limited, may_start
from thinktime.models.kernels.long_numbers import compare
from thinktime.models.kernels.machine_state import CHANGING, CHANGING_NODES, GRACE, INFINITY
from thinktime.models.kernels.mlpt import mlpt_order
from thinktime.models.kernels.passes import greedy_pass
from thinktime.models.kernels.pool import queue_of
from thinktime.models.kernels.queue_orders import sorted_by
from thinktime.models.kernels.room import admitted_first, available, overrunning
from thinktime.models.kernels.rules import NEEDS_ROOM, due, ended, select, started, withdrawn
from thinktime.models.kernels.starvation import pairwise_sum
from thinktime.models.kernels.state_codes import FUTURE, WAITING
from thinktime.workloads.compiler import Floats, Ints, kernel
from thinktime.workloads.kinds import by_kind, written_for
from thinktime.workloads.structures import Structure

OSTRICH, SLURM, FAIRCAMP = range(3)  # rules
LPT, SPT, FCFS, MLPT = range(4)  # orders within a campaign
AWAY = -2


@written_for(virtual.CAMPAIGNS, select)
def campaign_select(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """Group newcomers into campaigns, and start the next jobs of the most urgent ones."""
    if limited(state):  # campaigns have all jobs, whoever may start
        rows = queue_of(state)
    if min(rule.line.size, rule.counts[virtual.FREE]) < rows.size:
        return NEEDS_ROOM
    admit(state, rule, now, rows)
    free, line = available(state, overrunning(state, now)), may_start(state, rule.line[: rule.counts[virtual.READY]])
    if free <= 0 or line.size == 0:
        return 0
    if rule.options[virtual.WITHIN] == MLPT:
        _reorder_first(state, rule, now, free, line)
    return greedy_pass(state, rule.options[virtual.PASS], now, admitted_first(state, line))


@written_for(virtual.CAMPAIGNS, ended)
def campaign_ended(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """What jobs have not used is taken out of V, if corrections are on, or under the plugin from their campaigns.

    A job that will run again stays in its campaign. V is as it was; under the plugin, its next run counts as well.
    """
    slurm, corrected, changed = (rule.options[virtual.RULE] == SLURM, rule.options[virtual.CORRECTED] > 0, False)
    if slurm:
        _hand_out(state, rule, now)
    elif corrected:
        begin(state, rule, now)
    for row in rows:
        c, unused = rule.of[row], (state.expected_end[row] - now) * state.processors[row]
        again = c != virtual.NOBODY and state.state[row] == FUTURE
        if c != virtual.NOBODY and unused > 0.0:
            if slurm:
                _take_work(state, rule, c, row, unused)
                if unused == INFINITY:
                    rule.work[c] += (now - state.start[row]) * state.processors[row]
            elif corrected and not again and np.isnan(rule.virtual_end[c]):
                virtual.change_work(rule, c, -unused, now)
                changed = True
        if again:
            rule.work[c] += state.estimate[row] * state.processors[row] if slurm else 0.0
            rule.of[row] = AWAY - c
        else:
            _forget(rule, row)
    if changed:
        begin(state, rule, now)
        _sort(rule)


@kernel
def _take_work(state: Structure, rule: Structure, c: int, row: int, work: float) -> None:
    """Take work of a job from its campaign; of endless work, what the other jobs of the campaign ask for is left."""
    if work < INFINITY:
        rule.work[c] -= work
        return
    rule.work[c] = 0.0
    for other in queue_of(state):
        rule.work[c] += state.estimate[other] * state.processors[other] if rule.of[other] == c and other != row else 0.0
    for other in state.running[: line_up(state)]:
        rule.work[c] += state.estimate[other] * state.processors[other] if rule.of[other] == c and other != row else 0.0


@written_for(virtual.CAMPAIGNS, withdrawn)
def campaign_withdrawn(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Forget jobs that have left the queue. V keeps their work."""
    _keep_waiting(state, rule, virtual.NOBODY)
    for row in rows:
        rule.of[row] = max(rule.of[row], AWAY - rule.of[row])  # it may have been on its way back
        if rule.options[virtual.RULE] == SLURM and rule.of[row] != virtual.NOBODY:
            _take_work(state, rule, rule.of[row], row, state.estimate[row] * state.processors[row])
        _forget(rule, row)


@written_for(virtual.CAMPAIGNS, started)
def campaign_started(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Jobs that have started are no longer in line."""
    _keep_waiting(state, rule, virtual.NOBODY)
    for row in rows:
        rule.counts[virtual.IN_USE] += state.processors[row]


@written_for(virtual.CAMPAIGNS, due)
def campaign_due(state: Structure, rule: Structure, now: float, rows: Ints) -> float:
    """The next virtual completion."""
    return float(rule.limits[virtual.NEXT])


@kernel
def admit(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Bring campaigns up to date: go on with V, and group the jobs of the queue that were submitted now."""
    slurm = rule.options[virtual.RULE] == SLURM and rows.size > 0
    if slurm:
        _hand_out(state, rule, now)
    begin(state, rule, now)
    new = _newcomers(state, rule, rows)
    for row in new:
        rule.counts[virtual.BUSY] += rule.jobs[state.user[row] + 1] == 0
        rule.jobs[state.user[row] + 1] += 1
    for i in range(new.size):
        if rule.of[new[i]] == virtual.NOBODY:
            number, user, k = state.campaign[new[i]], state.user[new[i]], 0
            members = np.empty(new.size - i, np.int64)
            for row in new[i:]:
                members[k] = row
                k += state.campaign[row] == number and (number >= 0 or state.user[row] == user)
            _group(state, rule, now, members[:k])
    if slurm:
        _rank(rule)
        _sort(rule)


@by_kind
def _newcomers(state: Structure, rule: Structure, rows: Ints) -> Ints:
    """The jobs of the queue that joined it now: at its end, if all of them were submitted now."""
    if state.counts[at.OUT_OF_TURN] > 0:
        state.counts[at.OUT_OF_TURN] = 0
        return _unknown(rule, queue_of(state))
    known = rows.size
    while known > 0 and rule.of[rows[known - 1]] == virtual.NOBODY:
        known -= 1
    return rows[known:]


@kernel
def _unknown(rule: Structure, rows: Ints) -> Ints:
    """Those of some rows that have no campaign."""
    new, k = np.empty(rows.size, np.int64), 0
    for row in rows:
        if rule.of[row] == virtual.NOBODY:
            new[k] = row
            k += 1
    return new[:k]


@written_for(CHANGING, _newcomers)
def _newcomers_and_returned(state: Structure, rule: Structure, rows: Ints) -> Ints:
    """Wherever they are. Jobs that were interrupted and are in the queue again take their places in the line."""
    new, k = np.empty(rows.size, np.int64), 0
    for row in queue_of(state):
        if rule.of[row] == virtual.NOBODY:
            new[k] = row
            k += 1
        elif rule.of[row] <= AWAY:
            c = rule.of[row] = AWAY - rule.of[row]
            if not _is_held_back(rule, c):
                _keep_waiting(state, rule, c)
                _put(rule, c, _waiting_of(state, rule, c))
    return new[:k]


@kernel
def _is_held_back(rule: Structure, c: int) -> bool:
    """Whether a campaign may not start yet."""
    return bool(rule.options[virtual.HELD_BACK] and np.isnan(rule.virtual_start[c]))


@kernel
def begin(state: Structure, rule: Structure, now: float) -> None:
    """Advance V to now. Campaigns that have started in V are ready."""
    for c in rule.begun[: virtual.advance(rule, now)]:
        if rule.options[virtual.HELD_BACK]:
            _put(rule, c, _waiting_of(state, rule, c))


@kernel
def _group(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Jobs that were submitted together join their user's latest campaign, or found a new one."""
    which, number, owner = rule.options[virtual.RULE], state.campaign[rows[0]], state.user[rows[0]] + 1
    each, longest = np.empty(rows.size), 0.0
    for i in range(rows.size):
        each[i] = state.estimate[rows[i]] * state.processors[rows[i]]
        longest = max(longest, state.estimate[rows[i]])
    work = pairwise_sum(each)
    rho, m = rule.limits[virtual.RHO], rule.counts[virtual.CAPACITY]
    k_rho = rule.counts[virtual.BUSY] * (2.0 - 1.0 / m if np.isnan(rho) else rho)
    c = rule.latest[owner]
    joins = number < 0 and c != virtual.NOBODY and _can_join(rule, c, now, work)
    if not joins:
        c = virtual.found(rule, owner, number, now, work)
        if number < 0 and rule.limits[virtual.THRESHOLD] > 0.0:
            rule.latest[owner] = c
    for row in rows:
        rule.of[row] = c
    rule.live[c] += rows.size
    if joins:
        rule.joined[c] = 1
        if which == OSTRICH:
            virtual.change_work(rule, c, work, now)
        else:
            rule.work[c] += work
            rule.urgency[c] += k_rho * work / m
        _keep_waiting(state, rule, c)
        _sort(rule)
    elif which == OSTRICH:
        virtual.enter(rule, c)
    elif which == FAIRCAMP:
        rule.urgency[c] = now + k_rho * max(work / m, longest)
    elif virtual.link(rule, c):
        rule.active[rule.counts[virtual.ACTIVE]] = owner
        rule.counts[virtual.ACTIVE] += 1
    if not _is_held_back(rule, c):
        _put(rule, c, _waiting_of(state, rule, c))


@kernel
def _can_join(rule: Structure, c: int, now: float, work: float) -> bool:
    """Whether a job may join a campaign: not one that is complete in V, or under the plugin over."""
    which = rule.options[virtual.RULE]
    if which == OSTRICH and not (np.isnan(rule.virtual_end[c]) and work < INFINITY):
        return False
    late = now > rule.submit[c] + rule.limits[virtual.THRESHOLD]
    return not (late or (which == SLURM and rule.live[c] == 0))


@kernel
def _forget(rule: Structure, row: int) -> None:
    """A job is over."""
    c, rule.of[row] = rule.of[row], virtual.NOBODY
    if c == virtual.NOBODY:
        return
    owner = rule.owner[c]
    rule.live[c] -= 1
    rule.jobs[owner] -= 1
    rule.counts[virtual.BUSY] -= rule.jobs[owner] == 0
    if rule.live[c] == 0 and rule.options[virtual.RULE] == SLURM:
        _close(rule, c)


@kernel
def _before(rule: Structure, a: int, b: int) -> bool:
    """Whether a campaign is more urgent than another one; ties go to (submit, user, campaign)."""
    order, one, other = compare(rule.tag[a], rule.tag[b]), rule.owner[a], rule.owner[b]
    key = rule.urgency[a], order, rule.submit[a], rule.appeared[one], rule.index[a]
    return bool(key < (rule.urgency[b], 0, rule.submit[b], rule.appeared[other], rule.index[b]))


@kernel
def _put(rule: Structure, c: int, rows: Ints) -> None:
    """Put a campaign's jobs to their place in the line."""
    line, low, n = rule.line, 0, rule.counts[virtual.READY]
    high = n
    while low < high:
        middle = (low + high) // 2
        if _before(rule, c, rule.of[line[middle]]):
            high = middle
        else:
            low = middle + 1
    for i in range(n - 1, low - 1, -1):
        line[i + rows.size] = line[i]
    for i in range(rows.size):
        line[low + i] = rows[i]
    rule.counts[virtual.READY] += rows.size


@kernel
def _waiting_of(state: Structure, rule: Structure, c: int) -> Ints:
    """A campaign's waiting jobs in the order in which they start."""
    rows, k, within = np.empty(rule.live[c] + 1, np.int64), 0, rule.options[virtual.WITHIN]
    for row in queue_of(state):
        rows[k] = row
        k += rule.of[row] == c
    if rule.joined[c]:
        rows = sorted_by(rows[:k] * 1.0, rows[:k])
    if within == FCFS:
        return rows[:k]
    return sorted_by(_lengths(state, rows[:k], 1.0 if within == SPT else -1.0), rows[:k])


@kernel
def _lengths(state: Structure, rows: Ints, sign: float) -> Floats:
    """The estimates of some jobs, with a sign."""
    lengths = np.empty(rows.size)
    for i in range(rows.size):
        lengths[i] = sign * state.estimate[rows[i]]
    return lengths


@kernel
def _keep_waiting(state: Structure, rule: Structure, without: int) -> None:
    """Take jobs that no longer wait, and those of one campaign, out of the line."""
    k = 0
    for row in rule.line[: rule.counts[virtual.READY]]:
        rule.line[k] = row
        k += state.state[row] == WAITING and rule.of[row] != without
    rule.counts[virtual.READY] = k


@kernel
def _sort(rule: Structure) -> None:
    """Sort the line anew, campaign by campaign."""
    old, first = rule.line[: rule.counts[virtual.READY]].copy(), 0
    rule.counts[virtual.READY] = 0
    for i in range(1, old.size + 1):
        if i == old.size or rule.of[old[i]] != rule.of[old[first]]:
            _put(rule, rule.of[old[first]], old[first:i])
            first = i


@kernel
def _reorder_first(state: Structure, rule: Structure, now: float, free: int, line: Ints) -> None:
    """Put first those jobs of the most urgent campaign that MLPT assigns to the processors that are free now."""
    k = 1
    while k < line.size and rule.of[line[k]] == rule.of[line[0]]:
        k += 1
    rows = sorted_by(_lengths(state, line[:k], -1.0), line[:k])
    busy = np.empty(line_up(state))
    for i in range(busy.size):
        busy[i] = max(max(state.expected_end[state.running[i]], now + state.clock[GRACE]) - now, 0.0)
    order = mlpt_order(_lengths(state, rows, 1.0), busy, free)
    for i in range(k):
        line[i] = rows[order[i]]


@kernel
def _hand_out(state: Structure, rule: Structure, now: float) -> None:
    """Give every active user virtual time for what was used since the last event, oldest campaign first."""
    users, total, since = rule.active[: rule.counts[virtual.ACTIVE]], 0.0, rule.limits[virtual.GIVEN]
    for user in users:
        total += rule.weight[user]
    for user in users:
        c, rest = rule.first[user], rule.counts[virtual.IN_USE] * (now - since) / total * rule.weight[user]
        while c != virtual.NOBODY and now > since:
            part = min(rest, _left(rule, c))
            rule.given[c] += part
            rest -= part
            c = rule.after[c]
    rule.limits[virtual.GIVEN] = now
    rule.counts[virtual.IN_USE] = _in_use(state, now)


@by_kind
def _in_use(state: Structure, now: float) -> int:
    """How many processors jobs have."""
    return int(state.counts[at.PROCESSORS]) - available(state, overrunning(state, now))


@written_for(CHANGING, _in_use)
def _in_use_of_those_up(state: Structure, now: float) -> int:
    """What is down is neither idle nor in use."""
    return int(state.counts[at.PROCESSORS] - state.counts[at.IDLE] - state.situation[situation.DOWN])


@written_for(CHANGING_NODES, _in_use)
def _in_use_of_nodes_up(state: Structure, now: float) -> int:
    """What is down is neither idle nor in use."""
    used = state.counts[at.PROCESSORS] - state.counts[at.IDLE]
    for v in state.broken[: state.situation[situation.DOWN]]:
        used -= state.capacity[v, 0]
    return int(used)


@kernel
def _left(rule: Structure, c: int) -> float:
    """What virtual time does not cover of a campaign's work."""
    left = rule.work[c] - rule.given[c]
    return float(left if left > 0.0 else 0.0)


@kernel
def _rank(rule: Structure) -> None:
    """A campaign's urgency: what is left of the user's work up to and with it, by share."""
    for user in rule.active[: rule.counts[virtual.ACTIVE]]:
        left, c = 0.0, rule.first[user]
        while c != virtual.NOBODY:
            left += _left(rule, c)
            rule.urgency[c] = left / rule.weight[user]
            c = rule.after[c]


@kernel
def _close(rule: Structure, c: int) -> None:
    """A campaign is over, and with the last one its user's account."""
    owner, earlier = rule.owner[c], virtual.NOBODY
    other = rule.first[owner]
    while other != c:
        earlier, other = other, rule.after[other]
    if earlier == virtual.NOBODY:
        rule.first[owner] = rule.after[c]
    else:
        rule.after[earlier] = rule.after[c]
    if rule.last[owner] == c:
        rule.last[owner] = earlier
    if earlier == rule.after[c]:  # there is no other
        virtual.deactivate(rule, owner)
