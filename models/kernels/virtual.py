"""The virtual fair-sharing schedule V, and the table of campaigns that it shares with the campaign policies.

`thinktime.models.policies.virtual` says what V is, and what is known of a campaign. A campaign keeps its place in the
table until its jobs are over (``live`` are not), it is complete in V, and no job can join it. Its ``owner`` is the
user's code plus one, which is the user's place in the table of users.

* ``finish`` (F), ``tag`` (F rounded for comparisons), ``share`` and the rows of ``clock`` are long numbers
  (`thinktime.models.kernels.long_numbers`).
* The user's campaigns in V (under ``ostrich-slurm``: those that are not over) are linked by ``after``, from ``first``
  to ``last``. Jobs may join the ``latest`` one.
* ``active[:n]`` has the first unfinished campaign of every active user in V, by tag (under ``ostrich-slurm``: the
  active users), ``begun`` what the last call of `advance` has started in V, and ``free[:n]`` the free places.
"""

import numpy as np

from thinktime.models.kernels import long_numbers
from thinktime.models.kernels.long_numbers import MINUS, PLUS, add, compare, copy, read, scaled, write
from thinktime.models.kernels.machine_state import INFINITY
from thinktime.workloads.compiler import Floats, Ints, IntTable, kernel
from thinktime.workloads.structures import Structure, StructureKind, maker

NAN = float("nan")
NOBODY = -1
PASS, RULE, WITHIN, HELD_BACK, CORRECTED = range(5)  # places in ``options``
THRESHOLD, RHO, NEXT, GIVEN = range(4)  # in ``limits``: two options, two times
"""``NEXT`` is the instant of the next virtual completion, ``GIVEN`` when virtual time was last handed out."""
ACTIVE, READY, FREE, STAMP, BUSY, IN_USE, CAPACITY = range(7)  # in ``counts``
"""Lengths of ``active``, ``line`` and ``free``; campaigns so far; users with jobs; processors that were used at the
last event; all processors."""
TIME, SERVICE, DUE, SHARES, UNIT, SPEED = range(6)
"""Rows of ``clock``: the last event, S then, the next completion, the sum of active shares, a share of 1, and that
times the number of processors."""
BY_CAMPAIGN = {
    **dict.fromkeys(("active", "begun", "free", "owner", "index", "number", "after", "live", "joined"), Ints),
    **dict.fromkeys(("submit", "work", "virtual_start", "virtual_end", "urgency", "given"), Floats),
    **dict.fromkeys(("finish", "tag"), IntTable),
}
BY_USER = {
    **dict.fromkeys(("appeared", "since", "founded", "jobs", "latest", "first", "last"), Ints),
    **{"weight": Floats, "share": IntTable},
}
CAMPAIGNS = StructureKind(
    "Campaigns", options=Ints, limits=Floats, counts=Ints, clock=IntTable, of=Ints, line=Ints, **BY_CAMPAIGN, **BY_USER
)
make_campaigns = maker(CAMPAIGNS)


@kernel
def found(rule: Structure, owner: int, number: int, now: float, work: float) -> int:
    """Give a new campaign a place."""
    rule.counts[FREE] -= 1
    rule.counts[STAMP] += 1
    c = rule.free[rule.counts[FREE]]
    if rule.founded[owner] == 0:
        rule.appeared[owner] = rule.counts[STAMP]
    rule.owner[c], rule.index[c], rule.number[c] = owner, rule.founded[owner], number
    rule.after[c], rule.live[c], rule.joined[c] = NOBODY, 0, 0
    rule.submit[c], rule.work[c], rule.urgency[c], rule.given[c] = now, work, 0.0, 0.0
    rule.virtual_start[c] = rule.virtual_end[c] = now
    rule.founded[owner] += 1
    return int(c)


@kernel
def link(rule: Structure, c: int) -> bool:
    """Put a campaign behind the others of its user; whether it is the only one."""
    owner = rule.owner[c]
    alone = rule.first[owner] == NOBODY
    if alone:
        rule.first[owner], rule.since[owner] = c, rule.counts[STAMP]
    else:
        rule.after[rule.last[owner]] = c
    rule.last[owner] = c
    return bool(alone)


@kernel
def enter(rule: Structure, c: int) -> None:
    """A campaign enters V at its submission (``advance`` to it first)."""
    if rule.work[c] == INFINITY:
        rule.virtual_end[c] = rule.urgency[c] = INFINITY
        return
    clock, owner = rule.clock, rule.owner[c]
    _settle(rule, rule.submit[c])
    rule.virtual_start[c] = rule.virtual_end[c] = NAN
    before = rule.last[owner]
    alone = link(rule, c)
    copy(clock[SERVICE] if alone else rule.finish[before], rule.finish[c])
    _move(rule, c, _per_share(rule, c, rule.work[c], True), PLUS)
    if alone:
        add(clock[SHARES], rule.share[owner], PLUS)
        rule.virtual_start[c] = rule.submit[c]
        _activate(rule, c)
    _plan(rule)


@kernel
def change_work(rule: Structure, c: int, work: float, now: float) -> None:
    """Add work to a campaign that is unfinished in V, or take it away; the user's later campaigns move with it.

    V cannot undo what it has done: a campaign that loses more work than it has left in V completes there at once.
    """
    _settle(rule, now)
    rule.work[c] += work
    first, sign = rule.first[rule.owner[c]], PLUS if work > 0.0 else MINUS
    shift = _per_share(rule, c, abs(work), work > 0.0)
    if work < 0.0:
        least, other = rule.clock[SERVICE], first
        while other != c:
            least, other = rule.finish[other], rule.after[other]
        most = np.empty_like(shift)
        copy(rule.finish[c], most)
        add(most, least, MINUS)
        if compare(most, shift) < 0:
            shift = most
    later = c
    while later != NOBODY:
        _move(rule, later, shift, sign)
        later = rule.after[later]
    if c == first:
        deactivate(rule, c)
        _activate(rule, c)
    _plan(rule)


@kernel
def advance(rule: Structure, now: float) -> int:
    """Let V run until ``now`` (infinity: to its end); return how many campaigns have started in it."""
    clock, k = rule.clock, 0
    if rule.counts[ACTIVE] == 0 or now <= rule.limits[NEXT] - long_numbers.TICK:
        return 0
    limit, slack = np.empty_like(clock[TIME]), np.zeros_like(clock[TIME])
    write(now if now < INFINITY else 0.0, limit)
    slack[2] = 1  # 2^-60 s
    add(limit, slack, PLUS)
    while rule.counts[ACTIVE] > 0 and (now == INFINITY or compare(clock[DUE], limit) <= 0):
        c = rule.active[0]
        if compare(clock[DUE], clock[TIME]) > 0:
            copy(clock[DUE], clock[TIME])
        if compare(rule.finish[c], clock[SERVICE]) > 0:
            copy(rule.finish[c], clock[SERVICE])
        following = _complete(rule, c)
        if following != NOBODY:
            rule.begun[k] = following
            k += 1
        _plan(rule)
    return k


@kernel
def projected(rule: Structure, c: int) -> float:
    """C~ of a campaign that is unfinished in V, if the active users stayed as they are (equation 4.1), s."""
    return read(_when(rule, c), False)


@kernel
def _settle(rule: Structure, now: float) -> None:
    """Advance S to now, without an event."""
    clock = rule.clock
    time = np.empty_like(clock[TIME])
    write(now, time)
    if compare(time, clock[TIME]) > 0:
        add(time, clock[TIME], MINUS)
        add(clock[TIME], time, PLUS)
        if rule.counts[ACTIVE] > 0:
            scaled(time, clock[SPEED], clock[SHARES], True, time)
            add(clock[SERVICE], time, PLUS)


@kernel
def _per_share(rule: Structure, c: int, work: float, half_up: bool) -> Ints:
    """Work by the share of a campaign's user."""
    number: Ints = np.empty_like(rule.clock[TIME])
    write(work, number)
    scaled(number, rule.clock[UNIT], rule.share[rule.owner[c]], half_up, number)
    return number


@kernel
def _move(rule: Structure, c: int, shift: Ints, sign: int) -> None:
    """Change F of a campaign, and its tag: F in units of 2^-60, rounded."""
    finish, tag = rule.finish[c], rule.tag[c]
    add(finish, shift, sign)
    carry = finish[1] >> (long_numbers.BITS - 1)
    for i in range(tag.size - 2):
        total = finish[i + 2] + carry
        tag[i], carry = total & long_numbers.LOW, total >> long_numbers.BITS


@kernel
def _when(rule: Structure, c: int) -> Ints:
    """When a campaign will be complete in V, if the active users stay as they are."""
    clock = rule.clock
    time: Ints = np.zeros_like(clock[TIME])
    if compare(rule.finish[c], clock[SERVICE]) > 0:
        add(time, rule.finish[c], PLUS)
        add(time, clock[SERVICE], MINUS)
        scaled(time, clock[SHARES], clock[SPEED], True, time)
    add(time, clock[TIME], PLUS)
    return time


@kernel
def _plan(rule: Structure) -> None:
    """Compute the next virtual completion, and the instant at which it takes effect."""
    rule.limits[NEXT] = INFINITY
    if rule.counts[ACTIVE] > 0:
        copy(_when(rule, rule.active[0]), rule.clock[DUE])
        rule.limits[NEXT] = read(rule.clock[DUE], True)


@kernel
def _complete(rule: Structure, c: int) -> int:
    """A campaign is complete in V; the user's next one starts there, and is returned, or the user leaves."""
    owner, following = rule.owner[c], rule.after[c]
    deactivate(rule, c)
    rule.virtual_end[c] = read(rule.clock[TIME], False)
    rule.first[owner] = following
    if following == NOBODY:
        add(rule.clock[SHARES], rule.share[owner], MINUS)
    else:
        rule.virtual_start[following] = rule.virtual_end[c]
        _activate(rule, following)
    return int(following)


@kernel
def _activate(rule: Structure, c: int) -> None:
    """Put a campaign among the first ones of all active users, by tag and by the order in which users appeared."""
    active, place, position = rule.active, rule.counts[ACTIVE], rule.appeared[rule.owner[c]]
    rule.counts[ACTIVE] += 1
    while place > 0:
        order = compare(rule.tag[c], rule.tag[active[place - 1]])
        if order > 0 or (order == 0 and position > rule.appeared[rule.owner[active[place - 1]]]):
            break
        active[place] = active[place - 1]
        place -= 1
    active[place] = c


@kernel
def deactivate(rule: Structure, c: int) -> None:
    """Take a campaign, or a user, out of ``active``."""
    active, k = rule.active[: rule.counts[ACTIVE]], 0
    for other in active:
        active[k] = other
        k += other != c
    rule.counts[ACTIVE] = k
