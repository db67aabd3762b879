"""The virtual fair-sharing schedule V, and the table of campaigns that it shares with the campaign policies.

`thinktime.models.policies.ostrich.virtual` says what V is, and what is known of a campaign. A campaign keeps its place
in the table until its jobs are over (``live`` are not), it is complete in V, and no job can join it. Its ``owner`` is
the user's code plus one, which is the user's place in the table of users.

* ``finish`` (F), ``tag`` (F rounded for comparisons), ``share`` and the times of V are long numbers
  (`thinktime.models.engine.long_numbers`).
* The user's campaigns in V (under ``ostrich-slurm``: those that are not over) are linked by ``after``, from ``first``
  to ``last``. Jobs may join the ``latest`` one.
* ``active[:n]`` has the first unfinished campaign of every active user in V, by tag (under ``ostrich-slurm``: the
  active users), ``begun`` what the last call of `advance` has started in V, and ``free[:n]`` the free places.
"""

from __future__ import annotations

import math
from typing import Any

from thinktime.models.engine import long_numbers
from thinktime.models.engine.codes import long_numbers as long_numbers_codes
from thinktime.models.engine.codes import virtual as virtual_codes
from thinktime.models.engine.rules import Rule
from thinktime.models.engine.spare import Spare
from thinktime.workloads.arrays import Floats, Ints, IntTable

INFINITY = math.inf

NAN = float("nan")


def found(rule: Campaigns, owner: int, number: int, now: float, work: float) -> int:
    """Give a new campaign a place."""
    rule.free_count -= 1
    rule.stamp += 1
    c = rule.free[rule.free_count]
    if rule.founded[owner] == 0:
        rule.appeared[owner] = rule.stamp
    rule.owner[c], rule.index[c], rule.number[c] = owner, rule.founded[owner], number
    rule.after[c], rule.live[c], rule.joined[c] = virtual_codes.NOBODY, 0, 0
    rule.submit[c], rule.work[c], rule.urgency[c], rule.given[c] = now, work, 0.0, 0.0
    rule.virtual_start[c] = rule.virtual_end[c] = now
    rule.founded[owner] += 1
    return int(c)


def link(rule: Campaigns, c: int) -> bool:
    """Put a campaign behind the others of its user; whether it is the only one."""
    owner = rule.owner[c]
    alone = rule.first[owner] == virtual_codes.NOBODY
    if alone:
        rule.first[owner], rule.since[owner] = c, rule.stamp
    else:
        rule.after[rule.last[owner]] = c
    rule.last[owner] = c
    return bool(alone)


def enter(rule: Campaigns, c: int) -> None:
    """A campaign enters V at its submission (``advance`` to it first)."""
    if rule.work[c] == INFINITY:
        rule.virtual_end[c] = rule.urgency[c] = INFINITY
        return
    owner, used = rule.owner[c], rule.spare.used
    _settle(rule, rule.submit[c])
    rule.virtual_start[c] = rule.virtual_end[c] = NAN
    before = rule.last[owner]
    alone = link(rule, c)
    long_numbers.copy(rule.service if alone else rule.finish[before], rule.finish[c])
    _move(rule, c, _per_share(rule, c, rule.work[c], True), long_numbers_codes.PLUS)
    if alone:
        long_numbers.add(rule.shares, rule.share[owner], long_numbers_codes.PLUS)
        rule.virtual_start[c] = rule.submit[c]
        _activate(rule, c)
    _plan(rule)
    rule.spare.used = used


def change_work(rule: Campaigns, c: int, work: float, now: float) -> None:
    """Add work to a campaign that is unfinished in V, or take it away; the user's later campaigns move with it.

    V cannot undo what it has done: a campaign that loses more work than it has left in V completes there at once.
    """
    used = rule.spare.used
    _settle(rule, now)
    rule.work[c] += work
    first, sign = rule.first[rule.owner[c]], long_numbers_codes.PLUS if work > 0.0 else long_numbers_codes.MINUS
    shift = _per_share(rule, c, abs(work), work > 0.0)
    if work < 0.0:
        least, other = rule.service, first
        while other != c:
            least, other = rule.finish[other], rule.after[other]
        most = rule.spare.whole(len(shift))
        long_numbers.copy(rule.finish[c], most)
        long_numbers.add(most, least, long_numbers_codes.MINUS)
        if long_numbers.compare(most, shift) < 0:
            shift = most
    later = c
    while later != virtual_codes.NOBODY:
        _move(rule, later, shift, sign)
        later = rule.after[later]
    if c == first:
        deactivate(rule, c)
        _activate(rule, c)
    _plan(rule)
    rule.spare.used = used


def advance(rule: Campaigns, now: float) -> int:
    """Let V run until ``now`` (infinity: to its end); return how many campaigns have started in it."""
    k = 0
    if rule.active_count == 0 or now <= rule.next_completion - long_numbers.TICK:
        return 0
    used = rule.spare.used
    limit, slack = rule.spare.whole(len(rule.time)), rule.spare.zeros(len(rule.time))
    long_numbers.write(now if now < INFINITY else 0.0, limit)
    slack[2] = 1  # 2^-60 s
    long_numbers.add(limit, slack, long_numbers_codes.PLUS)
    while rule.active_count > 0 and (now == INFINITY or long_numbers.compare(rule.due, limit) <= 0):
        c = rule.active[0]
        if long_numbers.compare(rule.due, rule.time) > 0:
            long_numbers.copy(rule.due, rule.time)
        if long_numbers.compare(rule.finish[c], rule.service) > 0:
            long_numbers.copy(rule.finish[c], rule.service)
        following = _complete(rule, c)
        if following != virtual_codes.NOBODY:
            rule.begun[k] = following
            k += 1
        _plan(rule)
    rule.spare.used = used
    return k


def projected(rule: Campaigns, c: int) -> float:
    """C~ of a campaign that is unfinished in V, if the active users stayed as they are (equation 4.1), s."""
    used = rule.spare.used
    time = long_numbers.read(_when(rule, c), False)
    rule.spare.used = used
    return time


def _settle(rule: Campaigns, now: float) -> None:
    """Advance S to now, without an event."""
    time = rule.spare.whole(len(rule.time))
    long_numbers.write(now, time)
    if long_numbers.compare(time, rule.time) > 0:
        long_numbers.add(time, rule.time, long_numbers_codes.MINUS)
        long_numbers.add(rule.time, time, long_numbers_codes.PLUS)
        if rule.active_count > 0:
            long_numbers.scaled(rule.spare, time, rule.speed, rule.shares, True, time)
            long_numbers.add(rule.service, time, long_numbers_codes.PLUS)


def _per_share(rule: Campaigns, c: int, work: float, half_up: bool) -> Ints:
    """Work by the share of a campaign's user."""
    number = rule.spare.whole(len(rule.time))
    long_numbers.write(work, number)
    long_numbers.scaled(rule.spare, number, rule.unit, rule.share[rule.owner[c]], half_up, number)
    return number


def _move(rule: Campaigns, c: int, shift: Ints, sign: int) -> None:
    """Change F of a campaign, and its tag: F in units of 2^-60, rounded."""
    finish, tag = rule.finish[c], rule.tag[c]
    long_numbers.add(finish, shift, sign)
    carry = finish[1] >> (long_numbers_codes.BITS - 1)
    for i in range(len(tag) - 2):
        total = finish[i + 2] + carry
        tag[i], carry = total & long_numbers_codes.LOW, total >> long_numbers_codes.BITS


def _when(rule: Campaigns, c: int) -> Ints:
    """When a campaign will be complete in V, if the active users stay as they are."""
    time = rule.spare.zeros(len(rule.time))
    if long_numbers.compare(rule.finish[c], rule.service) > 0:
        long_numbers.add(time, rule.finish[c], long_numbers_codes.PLUS)
        long_numbers.add(time, rule.service, long_numbers_codes.MINUS)
        long_numbers.scaled(rule.spare, time, rule.shares, rule.speed, True, time)
    long_numbers.add(time, rule.time, long_numbers_codes.PLUS)
    return time


def _plan(rule: Campaigns) -> None:
    """Compute the next virtual completion, and the instant at which it takes effect."""
    rule.next_completion = INFINITY
    if rule.active_count > 0:
        used = rule.spare.used
        long_numbers.copy(_when(rule, rule.active[0]), rule.due)
        rule.spare.used = used
        rule.next_completion = long_numbers.read(rule.due, True)


def _complete(rule: Campaigns, c: int) -> int:
    """A campaign is complete in V; the user's next one starts there, and is returned, or the user leaves."""
    owner, following = rule.owner[c], rule.after[c]
    deactivate(rule, c)
    rule.virtual_end[c] = long_numbers.read(rule.time, False)
    rule.first[owner] = following
    if following == virtual_codes.NOBODY:
        long_numbers.add(rule.shares, rule.share[owner], long_numbers_codes.MINUS)
    else:
        rule.virtual_start[following] = rule.virtual_end[c]
        _activate(rule, following)
    return int(following)


def _activate(rule: Campaigns, c: int) -> None:
    """Put a campaign among the first ones of all active users, by tag and by the order in which users appeared."""
    active, place, position = rule.active, rule.active_count, rule.appeared[rule.owner[c]]
    rule.active_count += 1
    while place > 0:
        order = long_numbers.compare(rule.tag[c], rule.tag[active[place - 1]])
        if order > 0 or (order == 0 and position > rule.appeared[rule.owner[active[place - 1]]]):
            break
        active[place] = active[place - 1]
        place -= 1
    active[place] = c


def deactivate(rule: Campaigns, c: int) -> None:
    """Take a campaign, or a user, out of ``active``."""
    active, k = rule.active[: rule.active_count], 0
    for i in range(len(active)):
        other = active[i]
        active[k] = other
        k += other != c
    rule.active_count = k


class Campaigns(Rule):
    """The tables of jobs, campaigns and users, and the virtual time."""

    FIELDS = virtual_codes.CAMPAIGNS
    NUMBERS = {
        "backfilling": 0, "campaign_rule": 0, "within": 0, "held_back": True, "corrected": False, "threshold": 0.0,
        "rho": NAN, "next_completion": INFINITY, "given_at": -INFINITY, "active_count": 0, "ready_count": 0,
        "free_count": 0, "stamp": 0, "busy": 0, "in_use": 0, "capacity": 0,
    }  # fmt: skip
    backfilling: int
    """Who starts from the line (`thinktime.models.engine.codes.passes`)."""
    campaign_rule: int
    """Which rule it is (`thinktime.models.engine.codes.campaigns`)."""
    within: int
    """The order within a campaign."""
    held_back: bool
    """Whether campaigns do not start before their virtual start."""
    corrected: bool
    """Whether a job takes out of V what it did not use."""
    threshold: float
    """For how long others join a campaign, s."""
    rho: float
    """The ratio of `faircamp`; NaN for 2 - 1 / m."""
    next_completion: float
    """The instant of the next virtual completion, s."""
    given_at: float
    """When virtual time was last handed out, s."""
    active_count: int
    """Campaigns in ``active``."""
    ready_count: int
    """Rows in ``line``."""
    free_count: int
    """Places in ``free``."""
    stamp: int
    """Campaigns so far."""
    busy: int
    """Users with jobs."""
    in_use: int
    """Processors that were used at the last event."""
    capacity: int
    """All processors."""
    time: Ints
    """The last event, a long number like the following ones."""
    service: Ints
    """S then."""
    due: Ints
    """The next completion."""
    shares: Ints
    """The sum of active shares."""
    unit: Ints
    """A share of 1."""
    speed: Ints
    """That times the number of processors."""
    of: Ints
    line: Ints
    active: Ints
    begun: Ints
    free: Ints
    owner: Ints
    index: Ints
    number: Ints
    after: Ints
    live: Ints
    joined: Ints
    submit: Floats
    work: Floats
    virtual_start: Floats
    virtual_end: Floats
    urgency: Floats
    given: Floats
    finish: IntTable
    tag: IntTable
    appeared: Ints
    since: Ints
    founded: Ints
    jobs: Ints
    latest: Ints
    first: Ints
    last: Ints
    weight: Floats
    share: IntTable

    def __init__(self, **given: Any) -> None:
        self.spare = Spare()
        super().__init__(**given)
