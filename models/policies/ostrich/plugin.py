"""Campaigns as a plugin for Slurm counts them (``ostrich-slurm``): virtual time is handed out for what was used.

The arrays are those of the table of campaigns (`thinktime.models.policies.ostrich.progress`).
"""

from __future__ import annotations

import math

from thinktime.models.engine import gapped, pool, room
from thinktime.models.engine.codes import virtual as virtual_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.policies.ostrich import progress as virtual
from thinktime.models.policies.ostrich.progress import Campaigns

INFINITY = math.inf


def take_work(state: State, rule: Campaigns, c: int, row: int, work: float) -> None:
    """Take work of a job from its campaign; of endless work, what the other jobs of the campaign ask for is left."""
    if work < INFINITY:
        rule.work[c] -= work
        return
    rule.work[c] = 0.0
    others_here = pool.queue_of(state)
    for i in range(len(others_here)):
        other = others_here[i]
        rule.work[c] += state.estimate[other] * state.processors[other] if rule.of[other] == c and other != row else 0.0
    for i in range(gapped.line_up(state)):
        other = state.running[i]
        rule.work[c] += state.estimate[other] * state.processors[other] if rule.of[other] == c and other != row else 0.0


def hand_out(state: State, rule: Campaigns, now: float) -> None:
    """Give every active user virtual time for what was used since the last event, oldest campaign first."""
    users, total, since = rule.active[: rule.active_count], 0.0, rule.given_at
    for i in range(len(users)):
        user = users[i]
        total += rule.weight[user]
    for i in range(len(users)):
        user = users[i]
        c, rest = rule.first[user], rule.in_use * (now - since) / total * rule.weight[user]
        while c != virtual_codes.NOBODY and now > since:
            part = min(rest, _left(rule, c))
            rule.given[c] += part
            rest -= part
            c = rule.after[c]
    rule.given_at = now
    rule.in_use = _in_use(state, now)


def _in_use(state: State, now: float) -> int:
    """How many processors jobs have."""
    if state.on_nodes and state.changing:
        return _in_use_of_nodes_up(state, now)
    if state.changing:
        return _in_use_of_those_up(state, now)
    return state.machine_size - room.available(state, room.overrunning(state, now))


def _in_use_of_those_up(state: State, now: float) -> int:
    """As `_in_use`: what is down is neither idle nor in use."""
    return int(state.machine_size - state.idle - state.down)


def _in_use_of_nodes_up(state: State, now: float) -> int:
    """As `_in_use`: what is down is neither idle nor in use."""
    used = state.machine_size - state.idle
    for i in range(state.down):
        v = state.broken[i]
        used -= state.capacity[v, 0]
    return int(used)


def _left(rule: Campaigns, c: int) -> float:
    """What virtual time does not cover of a campaign's work."""
    left = rule.work[c] - rule.given[c]
    return float(left if left > 0.0 else 0.0)


def rank(rule: Campaigns) -> None:
    """A campaign's urgency: what is left of the user's work up to and with it, by share."""
    for i in range(rule.active_count):
        user = rule.active[i]
        left, c = 0.0, rule.first[user]
        while c != virtual_codes.NOBODY:
            left += _left(rule, c)
            rule.urgency[c] = left / rule.weight[user]
            c = rule.after[c]


def close(rule: Campaigns, c: int) -> None:
    """A campaign is over, and with the last one its user's account."""
    owner, earlier = rule.owner[c], virtual_codes.NOBODY
    other = rule.first[owner]
    while other != c:
        earlier, other = other, rule.after[other]
    if earlier == virtual_codes.NOBODY:
        rule.first[owner] = rule.after[c]
    else:
        rule.after[earlier] = rule.after[c]
    if rule.last[owner] == c:
        rule.last[owner] = earlier
    if earlier == rule.after[c]:  # there is no other
        virtual.deactivate(rule, owner)
