"""The order `multifactor`: priorities from factors, and the tree of accounts that fair shares come from.

    P = age A + association S + fairshare F + job_size J + partition B + qos Q + sum of tres[r] T[r] - nice

added in this order in floating point and, for a site's own priorities, truncated once. The job with the largest P is
next. P is that of the last *tick* (a multiple of the period after the origin), or of now if there are none.

The nodes of the tree are those of `thinktime.models.kernels.fair_tree`. Node v had used ``usage[v]`` by itself by
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

import numpy as np

from thinktime.models.kernels.fair_tree import classic, fair_tree, summed_up
from thinktime.models.kernels.limits import ages_since, limited
from thinktime.models.kernels.queue_orders import MINUTE, arranged, charge_jobs, sorted_by
from thinktime.models.kernels.rules import order_matters
from thinktime.models.kernels.usage import START
from thinktime.workloads.compiler import Floats, Ints, kernel
from thinktime.workloads.kinds import written_for
from thinktime.workloads.structures import Structure, StructureKind, fields, maker

# places in ``options``; the last three change
ACCRUAL, FAIR_TREE, TRUNCATED, ENDS_COUNT, MAX_TRES, SIZE, SMALL_FIRST, IN_LINE, STALE, NEXT_RESET = range(10)
EXACT, SLURM = range(2)
PLAIN_SIZE, PER_MINUTE = range(2)  # what the size of a job is
# places in ``weights``: of the factors, then other numbers
AGE, ASSOCIATION, FAIRSHARE, JOB_SIZE, PARTITION, QOS, CPU, NODE, NICE = range(9)
MAX_AGE, PERIOD, ORIGIN, HALF_LIFE, DAMPENING, ALL_CPUS, ALL_NODES = range(9, 16)
# of a kind: its factors, the processors and nodes of the partition, what is billed, and the tier of the partition
OF_PARTITION, OF_QOS, USAGE_FACTOR, CPUS, NODES, PER_CPU, PER_NODE, TIER, OF_KIND = range(9)
# of a row: nodes and processors that count for its size (0: as if each processor were a node), points for other
# resources, what is billed for these, and nice
N, C, POINTS, BILLED, OWN_NICE, OF_ROW = range(6)
HIGHEST = 2.0**32  # of all priorities
LN2 = 0.6931471805599453
MULTIFACTOR = StructureKind(
    "Multifactor",
    **fields(
        (Ints, "options"),
        (Floats, "weights tick resets"),
        (Ints, "parent first child user walk"),
        (Floats, "shares association usage since rate"),
        (Ints, "jobs"),
        (Floats, "standing before factor"),
        (Ints, "home usual"),
        (Floats, "kinds"),
        (Ints, "leaf kind_of"),
        (Floats, "asked"),
        (Ints, "line place"),
        (Floats, "begun eligible"),
    ),
)
make_multifactor = maker(MULTIFACTOR)


@kernel
def node_of(state: Structure, order: Structure, row: int) -> int:
    """The node of a job's user; 0 if the tree does not have it."""
    if order.leaf[row] == 0:
        node = order.home[state.user[row] + 1]
        order.leaf[row], order.kind_of[row] = 1 + node, order.usual[node]
    return int(order.leaf[row] - 1)


@kernel
def billed(state: Structure, order: Structure, row: int) -> float:
    """What a job is charged per second; known once `node_of` has been asked."""
    kind, own = order.kind_of[row] * OF_KIND, row * OF_ROW
    processors = max(float(state.processors[row]), order.asked[own + C])
    cpus, nodes = order.kinds[kind + PER_CPU] * processors, order.kinds[kind + PER_NODE] * order.asked[own + N]
    other = order.asked[own + BILLED]
    total = max(cpus, nodes, other) if order.options[MAX_TRES] else cpus + nodes + other
    return float(total * order.kinds[kind + USAGE_FACTOR])


@kernel
def used_at(order: Structure, v: int, time: float) -> float:
    """What a node has used by itself, by a time, where use accrues exactly."""
    used, rate = order.usage[v], order.rate[v]
    if used == 0.0 and rate == 0.0:
        return 0.0
    passed, half_life = time - order.since[v], order.weights[HALF_LIFE]
    if half_life == 0.0:
        return float(used + rate * passed)
    kept = 2.0 ** (-passed / half_life)
    return float(used * kept + rate * ((1.0 - kept) * half_life / LN2))


@kernel
def piece(order: Structure, seconds: float) -> float:
    """How long a piece of a run counts, s, where use accrues as Slurm has it: d f^d."""
    return float(seconds * kept_after(order, seconds))


@kernel
def kept_after(order: Structure, seconds: float) -> float:
    """f^d: what is left of use after some time."""
    half_life = order.weights[HALF_LIFE]
    return float((1.0 - 0.693 / half_life) ** seconds) if half_life > 0.0 else 1.0


@kernel
def advance(state: Structure, order: Structure, now: float) -> None:
    """Do all ticks up to now, and set use to 0 where that is due: before a tick at the same time."""
    options, resets = order.options, order.resets
    while options[NEXT_RESET] < resets.size and resets[options[NEXT_RESET]] <= now:
        reset = resets[options[NEXT_RESET]]
        options[NEXT_RESET] += 1
        _tick_until(state, order, reset, True)
        for v in range(order.usage.size):
            order.usage[v], order.since[v] = 0.0, reset
    _tick_until(state, order, now, False)


@kernel
def _tick_until(state: Structure, order: Structure, time: float, before: bool) -> None:
    """Do all ticks up to a time, or before it."""
    period, origin = order.weights[PERIOD], order.weights[ORIGIN]
    if period == 0.0:
        return
    last = origin + np.floor((time - origin) / period) * period
    if before and last == time:
        last -= period
    if last <= order.tick[0]:
        return
    if order.options[ACCRUAL] == EXACT:
        _look(order, last)
    else:
        while order.tick[0] < last:
            _tick(state, order, period)
        for v in range(order.usage.size):
            order.standing[v] = order.usage[v]
    order.tick[0] = last
    order.options[STALE] = 1


@kernel
def _look(order: Structure, time: float) -> None:
    """Note what every node has used by itself, by a time."""
    for v in range(order.standing.size):
        order.standing[v] = order.before[v] = used_at(order, v, time)


@kernel
def _tick(state: Structure, order: Structure, period: float) -> None:
    """The next tick: decay, then add what running jobs have used since the last one."""
    last, kept = order.tick[0], kept_after(order, period)
    for v in range(order.usage.size):
        order.before[v] = order.usage[v]
        order.usage[v] *= kept
    for row in order.line[: order.options[IN_LINE]]:
        passed = last + period - max(order.begun[row], last)
        order.usage[node_of(state, order, row)] += piece(order, passed) * billed(state, order, row)
    order.tick[0] = last + period


@written_for(MULTIFACTOR, charge_jobs)
def charge_tree(state: Structure, order: Structure, now: float, sign: int, rows: Ints) -> None:
    """Jobs start or end: charge their users."""
    advance(state, order, now)
    for row in rows:
        v = node_of(state, order, row)
        if v == 0:
            continue
        if order.options[ACCRUAL] == SLURM:
            if sign == START:
                _join(order, now, row)
            else:
                _leave(state, order, now, v, row)
            continue
        order.usage[v], order.since[v] = used_at(order, v, now), now
        order.jobs[v] += sign
        order.rate[v] = order.rate[v] + sign * billed(state, order, row) if order.jobs[v] > 0 else 0.0


@kernel
def _join(order: Structure, now: float, row: int) -> None:
    """A job has started."""
    n = order.options[IN_LINE]
    order.line[n], order.place[row], order.begun[row] = row, n, now
    order.options[IN_LINE] = n + 1


@kernel
def _leave(state: Structure, order: Structure, now: float, v: int, row: int) -> None:
    """A job has ended: what it used since the last tick counts at once, or is lost."""
    n, at = order.options[IN_LINE] - 1, order.place[row]
    if at > n or order.line[at] != row:  # it had started before anybody kept the accounts
        return
    if order.options[ENDS_COUNT]:
        passed = now - max(order.begun[row], order.tick[0])
        order.usage[v] += piece(order, passed) * billed(state, order, row)
    order.line[at] = order.line[n]
    order.place[order.line[at]] = at
    order.options[IN_LINE] = n


@kernel
def look(state: Structure, order: Structure, now: float) -> float:
    """Bring the fair shares up to the last tick; returns its time, or now if there are no ticks."""
    advance(state, order, now)
    continuous = order.weights[PERIOD] == 0.0
    if continuous:
        _look(order, now)
    if continuous or order.options[STALE]:
        total = summed_up(order.parent, order.standing)
        if order.options[FAIR_TREE]:
            fair_tree(order.parent, order.first, order.child, order.user, order.shares, total, order.walk, order.factor)
        else:
            before = summed_up(order.parent, order.before)
            classic(
                order.parent, order.user, order.shares, total, before, order.weights[DAMPENING], order.factor
            )  # fmt: skip
        order.factor[0] = 0.0  # of those whom the tree does not have
        order.options[STALE] = 0
    return now if continuous else float(order.tick[0])


@kernel
def size_of(state: Structure, order: Structure, row: int) -> float:
    """The factor of a job's size."""
    all_cpus, all_nodes = order.weights[ALL_CPUS], order.weights[ALL_NODES]
    nodes, cpus = order.asked[row * OF_ROW + N], max(float(state.processors[row]), order.asked[row * OF_ROW + C])
    if nodes == 0.0 or all_nodes == 0.0:
        nodes, all_nodes = cpus, all_cpus
    small = order.options[SMALL_FIRST]
    if order.options[SIZE] == PER_MINUTE:
        limit = max(np.ceil(state.requested[row] / MINUTE), 1.0)
        size = max(nodes * all_cpus / all_nodes, cpus) / limit / all_cpus
        return float(1.0 - size) if small else float(size)
    if small:
        return float(((all_nodes - nodes) / all_nodes + (all_cpus - cpus) / all_cpus) / 2.0)
    return float((nodes / all_nodes + cpus / all_cpus) / 2.0)


@kernel
def points_for_resources(state: Structure, order: Structure, row: int) -> float:
    """The weighted parts of the partition's resources that a job asks for."""
    kind, own = order.kind_of[row] * OF_KIND, row * OF_ROW
    points = float(order.asked[own + POINTS])
    if order.weights[CPU] > 0.0 and order.kinds[kind + CPUS] > 0.0:
        points += order.weights[CPU] * (state.processors[row] / order.kinds[kind + CPUS])
    if order.weights[NODE] > 0.0 and order.kinds[kind + NODES] > 0.0:
        points += order.weights[NODE] * (order.asked[own + N] / order.kinds[kind + NODES])
    return points


@kernel
def priority(state: Structure, order: Structure, row: int, tick: float) -> float:
    """The priority of a job, after `look` has said what the last tick was."""
    weights, v = order.weights, node_of(state, order, row)
    kind, own = order.kind_of[row] * OF_KIND, row * OF_ROW
    since = max(state.submit[row], order.eligible[row]) if row < order.eligible.size else state.submit[row]
    since = max(since, ages_since(state, row)) if limited(state) else since
    age = min(max(tick - since, 0.0) / weights[MAX_AGE], 1.0)
    points = weights[AGE] * age
    points += weights[ASSOCIATION] * order.association[v]
    points += weights[FAIRSHARE] * order.factor[v]
    points += weights[JOB_SIZE] * size_of(state, order, row)
    points += weights[PARTITION] * order.kinds[kind + OF_PARTITION]
    points += weights[QOS] * order.kinds[kind + OF_QOS]
    points += points_for_resources(state, order, row)
    points -= weights[NICE] * order.asked[own + OWN_NICE]
    return float(min(max(np.floor(points), 1.0), HIGHEST - 1.0)) if order.options[TRUNCATED] else float(points)


@kernel
def keys_of(state: Structure, order: Structure, now: float, rows: Ints) -> Floats:
    """The keys of some jobs, smaller first: tier, then priority, both falling."""
    keys, tick = np.empty(rows.size), look(state, order, now)
    for i in range(rows.size):
        row = rows[i]
        points = priority(state, order, row, tick)
        keys[i] = -(points + HIGHEST * order.kinds[order.kind_of[row] * OF_KIND + TIER])
    return keys


@written_for(MULTIFACTOR, arranged)
def arranged_by_priority(state: Structure, rule: Structure, order: Structure, now: float, rows: Ints) -> Ints:
    """By falling priority, where this pass needs it."""
    if rows.size and order_matters(state, rule, now, rows):
        return sorted_by(keys_of(state, order, now, rows), rows)
    return rows
