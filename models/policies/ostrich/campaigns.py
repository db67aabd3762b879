"""Campaign policies as a compiled rule: ``ostrich``, ``ostrich-slurm`` and ``faircamp``.

The table of campaigns is that of `thinktime.models.policies.ostrich.progress`. ``of[row]`` is the campaign of a job
that waits or runs, else -1, so jobs at the end of the queue that have none were submitted at this instant. ``line[:n]``
has the jobs that may start, those of the most urgent campaign first. Jobs that are held back are in the queue alone.

On a machine that changes, a job that is interrupted stays in its campaign c. Until it is back in the queue,
``of[row]`` is ``AWAY`` - c.
"""

from __future__ import annotations

import math

from thinktime.models.engine import gapped, long_numbers, passes, pool, room
from thinktime.models.engine.codes import campaigns as campaigns_codes
from thinktime.models.engine.codes import rules as rules_codes
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.codes import virtual as virtual_codes
from thinktime.models.engine.limits import limits
from thinktime.models.engine.machine_state import State
from thinktime.models.policies.cplant import starvation
from thinktime.models.policies.ostrich import mlpt, plugin
from thinktime.models.policies.ostrich import progress as virtual
from thinktime.models.policies.ostrich.progress import Campaigns
from thinktime.workloads.arrays import Floats, Ints

INFINITY = math.inf


def admit(state: State, rule: Campaigns, now: float, rows: Ints) -> None:
    """Bring campaigns up to date: go on with V, and group the jobs of the queue that were submitted now."""
    slurm, before = rule.campaign_rule == campaigns_codes.SLURM and len(rows) > 0, state.spare.used
    if slurm:
        plugin.hand_out(state, rule, now)
    begin(state, rule, now)
    new = _newcomers(state, rule, rows)
    for j in range(len(new)):
        row = new[j]
        rule.busy += rule.jobs[state.user[row] + 1] == 0
        rule.jobs[state.user[row] + 1] += 1
    for i in range(len(new)):
        if rule.of[new[i]] == virtual_codes.NOBODY:
            number, user, k = state.campaign[new[i]], state.user[new[i]], 0
            members = state.spare.whole(len(new) - i)
            for j in range(i, len(new)):
                row = new[j]
                members[k] = row
                k += state.campaign[row] == number and (number >= 0 or state.user[row] == user)
            _group(state, rule, now, members[:k])
    if slurm:
        plugin.rank(rule)
        _sort(state, rule)
    state.spare.used = before


def _newcomers(state: State, rule: Campaigns, rows: Ints) -> Ints:
    """The jobs of the queue that joined it now: at its end, if all of them were submitted now."""
    if state.changing:
        return _newcomers_and_returned(state, rule, rows)
    if state.out_of_turn > 0:
        state.out_of_turn = 0
        return _unknown(state, rule, pool.queue_of(state))
    known = len(rows)
    while known > 0 and rule.of[rows[known - 1]] == virtual_codes.NOBODY:
        known -= 1
    return rows[known:]


def _unknown(state: State, rule: Campaigns, rows: Ints) -> Ints:
    """Those of some rows that have no campaign."""
    new, k = state.spare.whole(len(rows)), 0
    for i in range(len(rows)):
        row = rows[i]
        if rule.of[row] == virtual_codes.NOBODY:
            new[k] = row
            k += 1
    return new[:k]


def _newcomers_and_returned(state: State, rule: Campaigns, rows: Ints) -> Ints:
    """As `_newcomers`, wherever they are; jobs that were interrupted take their places in the line again."""
    new, k = state.spare.whole(len(rows)), 0
    rows_here = pool.queue_of(state)
    for i in range(len(rows_here)):
        row = rows_here[i]
        if rule.of[row] == virtual_codes.NOBODY:
            new[k] = row
            k += 1
        elif rule.of[row] <= campaigns_codes.AWAY:
            c = rule.of[row] = campaigns_codes.AWAY - rule.of[row]
            if not _is_held_back(rule, c):
                _keep_waiting(state, rule, c)
                _put(rule, c, _waiting_of(state, rule, c))
    return new[:k]


def _is_held_back(rule: Campaigns, c: int) -> bool:
    """Whether a campaign may not start yet."""
    return bool(rule.held_back and math.isnan(rule.virtual_start[c]))


def begin(state: State, rule: Campaigns, now: float) -> None:
    """Advance V to now. Campaigns that have started in V are ready."""
    for i in range(virtual.advance(rule, now)):
        c = rule.begun[i]
        if rule.held_back:
            _put(rule, c, _waiting_of(state, rule, c))


def _group(state: State, rule: Campaigns, now: float, rows: Ints) -> None:
    """Jobs that were submitted together join their user's latest campaign, or found a new one."""
    which, number, owner = rule.campaign_rule, state.campaign[rows[0]], state.user[rows[0]] + 1
    each, longest = state.spare.real(len(rows)), 0.0
    for i in range(len(rows)):
        each[i] = state.estimate[rows[i]] * state.processors[rows[i]]
        longest = max(longest, state.estimate[rows[i]])
    work = starvation.pairwise_sum(state.spare, each)
    rho, m = rule.rho, rule.capacity
    k_rho = rule.busy * (2.0 - 1.0 / m if math.isnan(rho) else rho)
    c = rule.latest[owner]
    joins = number < 0 and c != virtual_codes.NOBODY and _can_join(rule, c, now, work)
    if not joins:
        c = virtual.found(rule, owner, number, now, work)
        if number < 0 and rule.threshold > 0.0:
            rule.latest[owner] = c
    for j in range(len(rows)):
        row = rows[j]
        rule.of[row] = c
    rule.live[c] += len(rows)
    if joins:
        rule.joined[c] = 1
        if which == campaigns_codes.OSTRICH:
            virtual.change_work(rule, c, work, now)
        else:
            rule.work[c] += work
            rule.urgency[c] += k_rho * work / m
        _keep_waiting(state, rule, c)
        _sort(state, rule)
    elif which == campaigns_codes.OSTRICH:
        virtual.enter(rule, c)
    elif which == campaigns_codes.FAIRCAMP:
        rule.urgency[c] = now + k_rho * max(work / m, longest)
    elif virtual.link(rule, c):
        rule.active[rule.active_count] = owner
        rule.active_count += 1
    if not _is_held_back(rule, c):
        _put(rule, c, _waiting_of(state, rule, c))


def _can_join(rule: Campaigns, c: int, now: float, work: float) -> bool:
    """Whether a job may join a campaign: not one that is complete in V, or under the plugin over."""
    which = rule.campaign_rule
    if which == campaigns_codes.OSTRICH and not (math.isnan(rule.virtual_end[c]) and work < INFINITY):
        return False
    late = now > rule.submit[c] + rule.threshold
    return not (late or (which == campaigns_codes.SLURM and rule.live[c] == 0))


def _forget(rule: Campaigns, row: int) -> None:
    """A job is over."""
    c, rule.of[row] = rule.of[row], virtual_codes.NOBODY
    if c == virtual_codes.NOBODY:
        return
    owner = rule.owner[c]
    rule.live[c] -= 1
    rule.jobs[owner] -= 1
    rule.busy -= rule.jobs[owner] == 0
    if rule.live[c] == 0 and rule.campaign_rule == campaigns_codes.SLURM:
        plugin.close(rule, c)


def _before(rule: Campaigns, a: int, b: int) -> bool:
    """Whether a campaign is more urgent than another one; ties go to (submit, user, campaign)."""
    order, one, other = long_numbers.compare(rule.tag[a], rule.tag[b]), rule.owner[a], rule.owner[b]
    if rule.urgency[a] != rule.urgency[b]:
        return bool(rule.urgency[a] < rule.urgency[b])
    if order != 0:
        return order < 0
    if rule.submit[a] != rule.submit[b]:
        return bool(rule.submit[a] < rule.submit[b])
    if rule.appeared[one] != rule.appeared[other]:
        return bool(rule.appeared[one] < rule.appeared[other])
    return bool(rule.index[a] < rule.index[b])


def _put(rule: Campaigns, c: int, rows: Ints) -> None:
    """Put a campaign's jobs to their place in the line."""
    line, low, n = rule.line, 0, rule.ready_count
    high = n
    while low < high:
        middle = (low + high) // 2
        if _before(rule, c, rule.of[line[middle]]):
            high = middle
        else:
            low = middle + 1
    for i in range(n - 1, low - 1, -1):
        line[i + len(rows)] = line[i]
    for i in range(len(rows)):
        line[low + i] = rows[i]
    rule.ready_count += len(rows)


def _waiting_of(state: State, rule: Campaigns, c: int) -> Ints:
    """A campaign's waiting jobs in the order in which they start."""
    rows, k, within = state.spare.whole(rule.live[c] + 1), 0, rule.within
    rows_here = pool.queue_of(state)
    for j in range(len(rows_here)):
        row = rows_here[j]
        rows[k] = row
        k += rule.of[row] == c
    if rule.joined[c]:
        keys = state.spare.real(k)
        for i in range(k):
            keys[i] = rows[i]
        rows = state.spare.sorted_by(keys, rows[:k])
    if within == campaigns_codes.FCFS:
        return rows[:k]
    sign = 1.0 if within == campaigns_codes.SPT else -1.0
    return state.spare.sorted_by(_lengths(state, rows[:k], sign), rows[:k])


def _lengths(state: State, rows: Ints, sign: float) -> Floats:
    """The estimates of some jobs, with a sign."""
    lengths = state.spare.real(len(rows))
    for i in range(len(rows)):
        lengths[i] = sign * state.estimate[rows[i]]
    return lengths


def _keep_waiting(state: State, rule: Campaigns, without: int) -> None:
    """Take jobs that no longer wait, and those of one campaign, out of the line."""
    k = 0
    for i in range(rule.ready_count):
        row = rule.line[i]
        rule.line[k] = row
        k += state.state[row] == states.WAITING and rule.of[row] != without
    rule.ready_count = k


def _sort(state: State, rule: Campaigns) -> None:
    """Sort the line anew, campaign by campaign."""
    old, first = state.spare.copied(rule.line[: rule.ready_count]), 0
    rule.ready_count = 0
    for i in range(1, len(old) + 1):
        if i == len(old) or rule.of[old[i]] != rule.of[old[first]]:
            _put(rule, rule.of[old[first]], old[first:i])
            first = i


def _reorder_first(state: State, rule: Campaigns, now: float, free: int, line: Ints) -> None:
    """Put first those jobs of the most urgent campaign that MLPT assigns to the processors that are free now."""
    k = 1
    while k < len(line) and rule.of[line[k]] == rule.of[line[0]]:
        k += 1
    rows = state.spare.sorted_by(_lengths(state, line[:k], -1.0), line[:k])
    busy = state.spare.real(gapped.line_up(state))
    for i in range(len(busy)):
        busy[i] = max(max(state.expected_end[state.running[i]], now + state.grace) - now, 0.0)
    order = mlpt.mlpt_order(state.spare, _lengths(state, rows, 1.0), busy, free)
    for i in range(k):
        line[i] = rows[order[i]]


class CampaignsRule(Campaigns):
    """What happens at the events of a machine; the arrays are those of the table of campaigns."""

    def select(self, state: State, now: float, rows: Ints) -> int:
        """Group newcomers into campaigns, and start the next jobs of the most urgent ones."""
        if state.limited:  # campaigns have all jobs, whoever may start
            rows = pool.queue_of(state)
        if min(len(self.line), self.free_count) < len(rows):
            return rules_codes.NEEDS_ROOM
        admit(state, self, now, rows)
        free, line = (
            room.available(state, room.overrunning(state, now)),
            limits.may_start(state, self.line[: self.ready_count]),
        )
        if free <= 0 or len(line) == 0:
            return 0
        if self.within == campaigns_codes.MLPT:
            _reorder_first(state, self, now, free, line)
        return passes.greedy_pass(state, self.backfilling, now, state.room.admitted_first(state, line))

    def ended(self, state: State, now: float, rows: Ints) -> None:
        """What jobs have not used is taken out of V, if corrections are on, or under the plugin from their campaigns.

        A job that will run again stays in its campaign. V is as it was; under the plugin, its next run counts as well.
        """
        before, slurm, corrected, changed = (
            state.spare.used,
            self.campaign_rule == campaigns_codes.SLURM,
            self.corrected > 0,
            False,
        )
        if slurm:
            plugin.hand_out(state, self, now)
        elif corrected:
            begin(state, self, now)
        for i in range(len(rows)):
            row = rows[i]
            c, unused = self.of[row], (state.expected_end[row] - now) * state.processors[row]
            again = c != virtual_codes.NOBODY and state.state[row] == states.FUTURE
            if c != virtual_codes.NOBODY and unused > 0.0:
                if slurm:
                    plugin.take_work(state, self, c, row, unused)
                    if unused == INFINITY:
                        self.work[c] += (now - state.start[row]) * state.processors[row]
                elif corrected and not again and math.isnan(self.virtual_end[c]):
                    virtual.change_work(self, c, -unused, now)
                    changed = True
            if again:
                self.work[c] += state.estimate[row] * state.processors[row] if slurm else 0.0
                self.of[row] = campaigns_codes.AWAY - c
            else:
                _forget(self, row)
        if changed:
            begin(state, self, now)
            _sort(state, self)
        state.spare.used = before

    def withdrawn(self, state: State, now: float, rows: Ints) -> None:
        """Forget jobs that have left the queue. V keeps their work."""
        _keep_waiting(state, self, virtual_codes.NOBODY)
        for i in range(len(rows)):
            row = rows[i]
            self.of[row] = max(self.of[row], campaigns_codes.AWAY - self.of[row])  # it may have been on its way back
            if self.campaign_rule == campaigns_codes.SLURM and self.of[row] != virtual_codes.NOBODY:
                plugin.take_work(state, self, self.of[row], row, state.estimate[row] * state.processors[row])
            _forget(self, row)

    def started(self, state: State, now: float, rows: Ints) -> None:
        """Jobs that have started are no longer in line."""
        _keep_waiting(state, self, virtual_codes.NOBODY)
        for i in range(len(rows)):
            row = rows[i]
            self.in_use += state.processors[row]

    def next_due(self, state: State, now: float) -> float:
        """The next virtual completion."""
        return float(self.next_completion)
