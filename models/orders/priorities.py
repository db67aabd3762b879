"""The order `multifactor`: priorities from factors, and the tree of accounts that fair shares come from.

    P = age A + association S + fairshare F + job_size J + partition B + qos Q + sum of tres[r] T[r] - nice

added in this order in floating point and, for a site's own priorities, truncated once. The job with the largest P is
next. P is that of the last *tick* (a multiple of the period after the origin), or of now if there are none.

The nodes of the tree are those of `thinktime.models.orders.fair_tree`. Node v had used ``usage[v]`` by itself by
``since[v]``, in units of what is billed times seconds. There are two ways to accrue:

* `EXACT`: continuously, with the half-life; ``rate[v]`` is what its ``jobs[v]`` running jobs are billed per second.
* `SLURM`: at a tick, everything decays by f^D, f = 1 - 0.693 / half-life, D the length of the tick; then each running
  job adds d f^d times what it is billed, d the time since its start or the last tick. So does a job that ends between
  two ticks, at once, but only if ends count; otherwise that is lost. (Slurm 22.05.8, measured.) ``line[:n]`` are the
  running rows, each at ``place[row]``, which ``begun[row]``.

Use is set to 0 at the times in ``resets``. A tick at the time of ends or starts comes before them, so that nothing
depends on when somebody looks. ``standing`` is what every node had used by itself at the last tick, and ``before`` the
same before running jobs were added.

``eligible[row]`` is when the last condition of a job was met, for jobs that had any: then its age begins, else with its
submission. The array is empty where no job has conditions, and where age accrues always.

``leaf[row]`` is 1 + the node of the job's user, 1 (root) for none, 0 for not known yet: then it is ``home`` of the
user's code + 1, and the job's ``kind_of`` is ``usual`` there. ``kinds`` has what depends on partition and QOS,
`OF_KIND` numbers for each kind, and ``asked`` what the job asks besides processors, `OF_ROW` numbers for each row.
"""

from __future__ import annotations

from thinktime.models.engine import arithmetic, queue_orders
from thinktime.models.engine.codes import multifactor as multifactor_codes
from thinktime.models.engine.codes import usage as usage_codes
from thinktime.models.engine.codes.fields import fields
from thinktime.models.engine.limits import limits
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.queue_orders import Order
from thinktime.models.engine.rules import Rule
from thinktime.models.orders import fair_tree
from thinktime.workloads.arrays import Floats, Ints

HIGHEST = 2.0**32  # of all priorities
LN2 = 0.6931471805599453


def node_of(state: State, order: Multifactor, row: int) -> int:
    """The node of a job's user; 0 if the tree does not have it."""
    if order.leaf[row] == 0:
        node = order.home[state.user[row] + 1]
        order.leaf[row], order.kind_of[row] = 1 + node, order.usual[node]
    return int(order.leaf[row] - 1)


def billed(state: State, order: Multifactor, row: int) -> float:
    """What a job is charged per second; known once `node_of` has been asked."""
    kind, own = order.kind_of[row] * multifactor_codes.OF_KIND, row * multifactor_codes.OF_ROW
    processors = max(float(state.processors[row]), order.asked[own + multifactor_codes.C])
    cpus, nodes = (
        order.kinds[kind + multifactor_codes.PER_CPU] * processors,
        order.kinds[kind + multifactor_codes.PER_NODE] * order.asked[own + multifactor_codes.N],
    )
    other = order.asked[own + multifactor_codes.BILLED]
    total = max(cpus, nodes, other) if order.max_tres else cpus + nodes + other
    return float(total * order.kinds[kind + multifactor_codes.USAGE_FACTOR])


def used_at(order: Multifactor, v: int, time: float) -> float:
    """What a node has used by itself, by a time, where use accrues exactly."""
    used, rate = order.usage[v], order.rate[v]
    if used == 0.0 and rate == 0.0:
        return 0.0
    passed, half_life = time - order.since[v], order.half_life
    if half_life == 0.0:
        return float(used + rate * passed)
    kept = 2.0 ** (-passed / half_life)
    return float(used * kept + rate * ((1.0 - kept) * half_life / LN2))


def piece(order: Multifactor, seconds: float) -> float:
    """How long a piece of a run counts, s, where use accrues as Slurm has it: d f^d."""
    return float(seconds * kept_after(order, seconds))


def kept_after(order: Multifactor, seconds: float) -> float:
    """f^d: what is left of use after some time."""
    half_life = order.half_life
    return float((1.0 - 0.693 / half_life) ** seconds) if half_life > 0.0 else 1.0


def advance(state: State, order: Multifactor, now: float) -> None:
    """Do all ticks up to now, and set use to 0 where that is due: before a tick at the same time."""
    resets = order.resets
    while order.next_reset < len(resets) and resets[order.next_reset] <= now:
        reset = resets[order.next_reset]
        order.next_reset += 1
        _tick_until(state, order, reset, True)
        for v in range(len(order.usage)):
            order.usage[v], order.since[v] = 0.0, reset
    _tick_until(state, order, now, False)


def _tick_until(state: State, order: Multifactor, time: float, before: bool) -> None:
    """Do all ticks up to a time, or before it."""
    period, origin = order.period, order.origin
    if period == 0.0:
        return
    last = origin + arithmetic.floor((time - origin) / period) * period
    if before and last == time:
        last -= period
    if last <= order.last_tick:
        return
    if order.accrual == multifactor_codes.EXACT:
        _look(order, last)
    else:
        while order.last_tick < last:
            _tick(state, order, period)
        for v in range(len(order.usage)):
            order.standing[v] = order.usage[v]
    order.last_tick = last
    order.stale = True


def _look(order: Multifactor, time: float) -> None:
    """Note what every node has used by itself, by a time."""
    for v in range(len(order.standing)):
        order.standing[v] = order.before[v] = used_at(order, v, time)


def _tick(state: State, order: Multifactor, period: float) -> None:
    """The next tick: decay, then add what running jobs have used since the last one."""
    last, kept = order.last_tick, kept_after(order, period)
    for v in range(len(order.usage)):
        order.before[v] = order.usage[v]
        order.usage[v] *= kept
    for i in range(order.in_line):
        row = order.line[i]
        passed = last + period - max(order.begun[row], last)
        order.usage[node_of(state, order, row)] += piece(order, passed) * billed(state, order, row)
    order.last_tick = last + period


def _join(order: Multifactor, now: float, row: int) -> None:
    """A job has started."""
    n = order.in_line
    order.line[n], order.place[row], order.begun[row] = row, n, now
    order.in_line = n + 1


def _leave(state: State, order: Multifactor, now: float, v: int, row: int) -> None:
    """A job has ended: what it used since the last tick counts at once, or is lost."""
    n, at = order.in_line - 1, order.place[row]
    if at > n or order.line[at] != row:  # it had started before anybody kept the accounts
        return
    if order.ends_count:
        passed = now - max(order.begun[row], order.last_tick)
        order.usage[v] += piece(order, passed) * billed(state, order, row)
    order.line[at] = order.line[n]
    order.place[order.line[at]] = at
    order.in_line = n


def look(state: State, order: Multifactor, now: float) -> float:
    """Bring the fair shares up to the last tick; returns its time, or now if there are no ticks."""
    advance(state, order, now)
    continuous = order.period == 0.0
    if continuous:
        _look(order, now)
    if continuous or order.stale:
        spare, used = state.spare, state.spare.used
        total = fair_tree.summed_up(spare, order.parent, order.standing)
        if order.fair_tree:
            level = fair_tree.levels(spare, order.parent, order.shares, total)
            fair_tree.fair_tree(
                spare, order.parent, order.first, order.child, order.user, level, order.walk, order.factor
            )
        else:
            before = fair_tree.summed_up(spare, order.parent, order.before)
            fair_tree.classic(
                spare, order.parent, order.user, order.shares, total, before,
                order.dampening, order.factor,
            )  # fmt: skip
        order.factor[0] = 0.0  # of those whom the tree does not have
        order.stale = False
        spare.used = used
    return now if continuous else float(order.last_tick)


def size_of(state: State, order: Multifactor, row: int) -> float:
    """The factor of a job's size."""
    all_cpus, all_nodes = order.all_cpus, order.all_nodes
    nodes, cpus = (
        order.asked[row * multifactor_codes.OF_ROW + multifactor_codes.NAMED],
        max(float(state.processors[row]), order.asked[row * multifactor_codes.OF_ROW + multifactor_codes.C]),
    )
    if nodes == 0.0 or all_nodes == 0.0:
        nodes, all_nodes = cpus, all_cpus
    small = order.small_first
    if order.size_is == multifactor_codes.PER_MINUTE:
        limit = max(arithmetic.ceil(state.requested[row] / queue_orders.MINUTE), 1.0)
        size = max(nodes * all_cpus / all_nodes, cpus) / limit / all_cpus
        return float(1.0 - size) if small else float(size)
    if small:
        return float(((all_nodes - nodes) / all_nodes + (all_cpus - cpus) / all_cpus) / 2.0)
    return float((nodes / all_nodes + cpus / all_cpus) / 2.0)


def points_for_resources(state: State, order: Multifactor, row: int) -> float:
    """The weighted parts of the partition's resources that a job asks for."""
    kind, own = order.kind_of[row] * multifactor_codes.OF_KIND, row * multifactor_codes.OF_ROW
    points = float(order.asked[own + multifactor_codes.POINTS])
    if order.weight_cpu > 0.0 and order.kinds[kind + multifactor_codes.CPUS] > 0.0:
        points += order.weight_cpu * (state.processors[row] / order.kinds[kind + multifactor_codes.CPUS])
    if order.weight_node > 0.0 and order.kinds[kind + multifactor_codes.NODES] > 0.0:
        points += order.weight_node * (
            order.asked[own + multifactor_codes.NAMED] / order.kinds[kind + multifactor_codes.NODES]
        )
    return points


def priority(state: State, order: Multifactor, row: int, tick: float) -> float:
    """The priority of a job, after `look` has said what the last tick was."""
    v = node_of(state, order, row)
    kind, own = order.kind_of[row] * multifactor_codes.OF_KIND, row * multifactor_codes.OF_ROW
    since = max(state.submit[row], order.eligible[row]) if row < len(order.eligible) else state.submit[row]
    since = max(since, limits.ages_since(state, row)) if state.limited else since
    age = min(max(tick - since, 0.0) / order.max_age, 1.0)
    points = order.weight_age * age
    points += order.weight_association * order.association[v]
    points += order.weight_fairshare * order.factor[v]
    points += order.weight_job_size * size_of(state, order, row)
    points += order.weight_partition * order.kinds[kind + multifactor_codes.OF_PARTITION]
    points += order.weight_qos * order.kinds[kind + multifactor_codes.OF_QOS]
    points += points_for_resources(state, order, row)
    points -= order.weight_nice * order.asked[own + multifactor_codes.OWN_NICE]
    return float(min(max(arithmetic.floor(points), 1.0), HIGHEST - 1.0)) if order.truncated else float(points)


def keys_of(state: State, order: Multifactor, now: float, rows: Ints) -> Floats:
    """The keys of some jobs, smaller first: tier, then priority, both falling."""
    keys, tick = state.spare.real(len(rows)), look(state, order, now)
    for i in range(len(rows)):
        row = rows[i]
        points = priority(state, order, row, tick)
        keys[i] = -(
            points + HIGHEST * order.kinds[order.kind_of[row] * multifactor_codes.OF_KIND + multifactor_codes.TIER]
        )
    return keys


class Multifactor(Order):
    """The order: weights and factors, the tree of accounts and its use, and what each job counts for."""

    FIELDS = fields(
        (Floats, "resets shares association usage since rate standing before factor kinds asked begun eligible"),
        (Ints, "parent first child user walk jobs home usual leaf kind_of line place"),
    )
    NUMBERS = fields(
        (0, "accrual size_is in_line next_reset"),
        (False, "fair_tree truncated ends_count max_tres small_first stale"),
        (0.0, "last_tick weight_age weight_association weight_fairshare weight_job_size weight_partition"),
        (0.0, "weight_qos weight_cpu weight_node weight_nice max_age period origin half_life dampening all_cpus"),
        (0.0, "all_nodes"),
    )
    accrual: int
    """How use accrues (`thinktime.models.engine.codes.multifactor`)."""
    fair_tree: bool
    """Whether fair shares are those of the fair tree."""
    truncated: bool
    """Whether priorities are truncated, as a site's own are."""
    ends_count: bool
    """Whether what a job used counts at its end."""
    max_tres: bool
    """Whether a job is billed for the largest of what it asks, and not for the sum."""
    size_is: int
    """What the size of a job is."""
    small_first: bool
    """Whether small jobs are first."""
    in_line: int
    """Rows in ``line``."""
    stale: bool
    """Whether the fair shares have to be computed anew."""
    next_reset: int
    """The place in ``resets`` of the next one."""
    last_tick: float
    """The time of the last tick, s."""
    weight_age: float
    weight_association: float
    weight_fairshare: float
    weight_job_size: float
    weight_partition: float
    weight_qos: float
    weight_cpu: float
    weight_node: float
    weight_nice: float
    """The weights of the factors A, S, F, J, B and Q, of the resources of the size, and of a job's own nice value."""
    max_age: float
    """The age at which its factor is 1, s."""
    period: float
    """The time between two ticks, s; 0 for none."""
    origin: float
    """The time of one of them, s."""
    half_life: float
    """The time in which use halves, s."""
    dampening: float
    """The dampening factor of fair shares that are not those of the fair tree."""
    all_cpus: float
    all_nodes: float
    """What the machine has."""
    resets: Floats
    parent: Ints
    first: Ints
    child: Ints
    user: Ints
    walk: Ints
    shares: Floats
    association: Floats
    usage: Floats
    since: Floats
    rate: Floats
    jobs: Ints
    standing: Floats
    before: Floats
    factor: Floats
    home: Ints
    usual: Ints
    kinds: Floats
    leaf: Ints
    kind_of: Ints
    asked: Floats
    line: Ints
    place: Ints
    begun: Floats
    eligible: Floats

    def charge_jobs(self, state: State, now: float, sign: int, rows: Ints) -> None:
        """Jobs start or end: charge their users."""
        advance(state, self, now)
        for i in range(len(rows)):
            row = rows[i]
            v = node_of(state, self, row)
            if v == 0:
                continue
            if self.accrual == multifactor_codes.SLURM:
                if sign == usage_codes.START:
                    _join(self, now, row)
                else:
                    _leave(state, self, now, v, row)
                continue
            self.usage[v], self.since[v] = used_at(self, v, now), now
            self.jobs[v] += sign
            self.rate[v] = self.rate[v] + sign * billed(state, self, row) if self.jobs[v] > 0 else 0.0

    def arranged(self, state: State, rule: Rule, now: float, rows: Ints) -> Ints:
        """By falling priority, if the order matters to the rule."""
        if len(rows) and rule.order_matters(state, now, rows):
            return state.spare.sorted_by(keys_of(state, self, now, rows), rows)
        return rows

    def count_as(self, row: int, entry: int) -> None:
        """A job counts as its entry from now on: what it is charged, and whose it is."""
        self.leaf[row], self.kind_of[row] = self.leaf[entry], self.kind_of[entry]
        for k in range(multifactor_codes.OF_ROW):
            self.asked[row * multifactor_codes.OF_ROW + k] = self.asked[entry * multifactor_codes.OF_ROW + k]
