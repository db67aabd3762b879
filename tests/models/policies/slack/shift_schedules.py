"""The candidates of the twin of slack-based backfilling, and what each of them costs.

A price has parts, of which the first counts infinitely more than the next: jobs over quota have one and the same
infinitely small priority, and a tick with p_j = 0 is the limit p_j -> 0. With weights other than 0 and 1, DC compares
floats to eleven digits. Where the paper leaves a choice, a switch of `Options` names the readings.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations as all_orders

INF = float("inf")
GRID = Fraction(1, 1024)
HEURISTICS = ("ast", "aat", "du", "dc", "dp")


@dataclass
class Job:
    id: int
    submit: object
    processors: int
    estimate: object
    runtime: object
    user_priority: object = 0
    political_priority: object = 0  # float('-inf'): over quota, whatever the quotas say
    user: object = None
    group: object = None
    queue: object = None


@dataclass
class Outcome:
    start: object = None
    end: object = None
    promised: object = None  # first reserved start
    latest_start: object = None  # that plus the initial slack; inf for a job over quota
    initial_slack: object = None
    priority: object = None  # after the recalculation of section 4.3
    over_quota: bool = False
    killed: bool = False
    extensions: int = 0


@dataclass
class Options:
    """Names up to `tick` as in the manual; what follows are readings, with the default first."""

    heuristic: str = "ast"
    slack_factor: object = 3
    awt: object = 1  # seconds; with `classes` a list, one more than the limits
    classes: tuple = ()  # limits of estimates; an estimate at the limit is in the lower class
    alpha_u: object = 1
    alpha_t: object = 1
    alpha_p: object = 1
    alpha_f: object = 1
    permutations: int = 0
    quotas: tuple = ()  # ({"user": "ada", "processor_hours": 1}, ...)
    tick: bool = False
    # --- readings ---
    compress: str = "in_place"  # or "reinsert": take all delayed jobs out, insert afresh (the old reading)
    sweeps: str = "one"  # or "fixpoint": sweep until nothing moves
    floor: str = "now"  # earliest place of a compressed job; or "slot": not before the newcomer
    conservative_candidate: bool = False  # also price "what conservative backfilling would have done"
    dc_infinite: bool = True  # DC: cost(j_i, 1, j) is infinite where the slack is below 1 s; or False: not
    order_ties: str = "arrival"  # equal keys: by (submit, id); or "scheduled": (te, submit, id); or "id"
    slot_ties: str = "first"  # of equally cheap schedules with equally many moves: earliest slot; or "last"
    tie_rel: object = Fraction(1, 10**9)  # prices so close (relative to the larger) are equal; 0: exact
    fewest_moves: bool = True
    grid: object = GRID  # initial slack and extensions are rounded to it; None: exact
    least_slack: object = 1  # in s0/s the slack counts as at least this
    zero_initial_ratio: object = 1  # s0/s where s0 is 0
    dummy_own_price: bool = False  # True: 0**alpha_u is 1 for alpha_u = 0, so the dummy's slot has a price
    # several jobs that leave at one instant: "each" a removal while the others stand in the profile; "gone": each
    # when none does; "all": one removal
    removals: str = "each"
    removal_starts: str = "each"  # due jobs start after each removal; "between": not after the last; "none"
    start_before_inserts: bool = False  # due jobs start before the first submission of the instant is inserted
    start_after_each_insert: bool = True  # section 4.2 to the letter; False: all newcomers first
    quota_price: str = "infinitesimal"  # or "flat"
    over_quota_last: bool = False  # True: jobs over quota are compressed after the legitimate ones
    tick_priority: str = "own"  # or "half": as a newcomer's, SP = 1/2
    tick_starts: str = (
        "defer"  # due jobs start when unfinished ones have been decided on; or "if_free": before, if they fit
    )
    tick_zero_ratio: object = 1  # p_i / p_j where both are 0


@dataclass
class Live:
    """A job in the system: waiting (te is its reserved start) or running (te is its start)."""

    job: Job
    n: int
    t: object  # declared duration
    te: object
    up: object
    over: bool
    pp: object
    p: object = None
    s: object = None
    s0: object = None
    end: object = None  # running: expected end

    @property
    def id(self):
        return self.job.id


def exact(x):
    if isinstance(x, int) or x in (INF, -INF):
        return x
    x = Fraction(x)
    return x.numerator if x.denominator == 1 else x


def power(x, a):
    """x**a for x >= 0, exact for the exponents 0 and 1; 0**0 is 1."""
    if a == 1:
        return x
    if a == 0:
        return 1
    return float(x) ** float(a)


def to_grid(x, grid):
    return x if grid is None or x == INF else exact(Fraction(round(Fraction(x) / grid)) * grid)


def earliest_fit(busy, n, t, floor, processors):
    """First start >= floor at which n processors are free for t; busy is a list of (start, end, n)."""
    change = {}
    for start, end, m in busy:
        if end > floor:
            start = max(start, floor)
            change[start] = change.get(start, 0) + m
            change[end] = change.get(end, 0) - m
    used, candidate = 0, floor
    for point in sorted(change):
        if candidate is not None and point >= candidate + t:
            return candidate
        used += change[point]
        if used + n > processors:
            candidate = None
        elif candidate is None:
            candidate = point
    return candidate


def fits(busy, n, t, start, processors):
    """Whether n processors are free in [start, start + t): looks at the start and at every start within."""
    points = {start} | {a for a, _, _ in busy if start < a < start + t}
    return all(n + sum(m for a, b, m in busy if a <= x < b) <= processors for x in points)


class Schedules:
    """The jobs that wait and run at one time, and the schedules that may be made of them."""

    def __init__(self, jobs, processors, options):
        self.o, self.P = options, processors
        assert options.heuristic in HEURISTICS
        self.queue_of_submissions = sorted(jobs, key=lambda j: (exact(j.submit), j.id))
        self.now = None
        self.waiting, self.running = [], []
        self.out = {j.id: Outcome() for j in jobs}
        self.used = []  # (job, start, end) of those that are over
        self.stats = {"inserts": 0, "removals": 0, "candidates": 0, "tolerance_mattered": 0, "ticks": 0}

    # ------------------------------------------------------------------ priority and slack (4.3)

    def awt(self, live):
        if not self.o.classes:
            return exact(self.o.awt)
        k = sum(live.t > exact(limit) for limit in self.o.classes)
        return exact(self.o.awt[k])

    def priority(self, live, sp):
        return -INF if live.over else Fraction(live.up + live.pp + sp) / 3

    def initial_slack(self, live):
        if live.over:
            return INF
        return to_grid((1 - live.p) * exact(self.o.slack_factor) * self.awt(live), self.o.grid)

    # ------------------------------------------------------------------ price (4.2, 4.4)

    def slack_ratio(self, i):
        if i.over:
            return 1
        if i.s0 == 0:
            return self.o.zero_initial_ratio
        return Fraction(i.s0) / Fraction(max(i.s, self.o.least_slack))

    def cost(self, i, delay, newcomer, bounded=True):
        """(part, amount) of moving job i by `delay` seconds in favour of the newcomer; None: infinite.

        The parts of a price, the first counts infinitely more than the second, and so on:
        0 where a priority above 0 is divided by one of 0; 1 everything usual; 2 jobs over quota.
        """
        o = self.o
        if bounded and delay > i.s:
            return None
        if delay > 0 and newcomer.over and not i.over:
            return None  # a job over quota delays no legitimate one
        amount = power(i.n, o.alpha_u) * power(abs(delay), o.alpha_t)
        amount *= power(self.slack_ratio(i), o.alpha_p * o.alpha_f)
        if delay < 0:
            amount = -amount
        if o.quota_price == "flat":
            if i.over:
                return 1, min(amount, 0)
            pj = Fraction(newcomer.up) / 3 + Fraction(1, 6) if newcomer.over else newcomer.p
        else:
            if i.over:
                return 2, amount
            if newcomer.over:
                return 1, amount * power(i.p, o.alpha_p)
            pj = newcomer.p
        if pj == 0:
            if o.alpha_p == 0:
                return 1, amount
            if i.p > 0:
                return 0, amount * power(i.p, o.alpha_p)
            return 1, amount * o.tick_zero_ratio
        return 1, amount * power(Fraction(i.p) / pj, o.alpha_p)

    def own_price(self, newcomer, ts, dummy):
        if dummy and not self.o.dummy_own_price:
            return 0
        return power(ts - self.now, self.o.alpha_t) * power(newcomer.n, self.o.alpha_u)

    def price(self, newcomer, ts, placed, dummy):
        """(price in three parts, number of moved jobs), or None if it is infinite."""
        parts, moved = [0, 0, 0], 0
        own_part = 2 if newcomer.over and self.o.quota_price == "infinitesimal" else 1
        parts[own_part] += self.own_price(newcomer, ts, dummy)
        for i, te in placed:
            if te == i.te:
                continue
            moved += 1
            term = self.cost(i, te - i.te, newcomer)
            if term is None:
                return None
            parts[term[0]] += term[1]
        return tuple(parts), moved

    def compare(self, a, b):
        """-1, 0 or 1 as price a is below, equal to or above price b."""
        tol = self.o.tie_rel
        for x, y in zip(a, b, strict=True):
            if x != y and abs(x - y) > tol * max(abs(x), abs(y)):
                return -1 if x < y else 1
            if x != y:
                self.stats["tolerance_mattered"] += 1
        return 0

    # ------------------------------------------------------------------ one candidate (4.5)

    def order(self, delayed, newcomer):
        key = {
            "ast": lambda i: i.te,
            "aat": lambda i: exact(i.job.submit),
            "du": lambda i: -i.n * i.t,
            "dc": lambda i: self.dc_key(i, newcomer),
            "dp": lambda i: -i.p,
        }[self.o.heuristic]
        tie = {
            "arrival": lambda i: (exact(i.job.submit), i.id),
            "scheduled": lambda i: (i.te, exact(i.job.submit), i.id),
            "id": lambda i: (i.id,),
        }[self.o.order_ties]
        last = lambda i: i.over and self.o.over_quota_last  # noqa: E731
        return sorted(delayed, key=lambda i: (last(i), key(i), tie(i)))

    def dc_key(self, i, newcomer):
        term = self.cost(i, 1, newcomer, bounded=self.o.dc_infinite)
        if term is None and not (self.o.dc_infinite and i.s < 1):
            # only the quota rule makes it infinite: to delay it is forbidden, so it is as dear as can be
            return (-INF,)
        if term is None:
            return (-INF,)
        part, amount = term
        return part, -float(f"{amount:.11e}") if isinstance(amount, float) else -amount

    def fixed(self, ts):
        """What stands whatever happens: running jobs, and waiting ones that are due before ts."""
        busy = [(self.now, r.end, r.n) for r in self.running]
        return busy + [(w.te, w.te + w.t, w.n) for w in self.waiting if w.te < ts]

    def candidate(self, newcomer, ts, order):
        """Delay all of `order` by the newcomer's duration, insert it at ts, compress in that order."""
        o = self.o
        base = self.fixed(ts)
        if newcomer.n:
            base.append((ts, ts + newcomer.t, newcomer.n))
        place = {i.id: i.te + newcomer.t for i in order}
        floor = self.now if o.floor == "now" else ts
        stands = [] if o.compress == "reinsert" else list(order)
        again = True
        while again:
            again = False
            for i in order:
                others = [(place[k.id], place[k.id] + k.t, k.n) for k in stands if k is not i]
                te = earliest_fit(base + others, i.n, i.t, floor, self.P)
                if o.compress == "reinsert":
                    stands.append(i)
                else:
                    assert te <= place[i.id]
                    again = again or te < place[i.id]
                place[i.id] = te
            again = again and o.sweeps == "fixpoint"
        return [(i, place[i.id]) for i in order]

    def slots(self):
        """The current time, and every later start or end in the profile."""
        points = {self.now} | {r.end for r in self.running}
        for w in self.waiting:
            points |= {w.te, w.te + w.t}
        return sorted(x for x in points if x >= self.now)

    def cheapest(self, newcomer, slots, dummy=False):
        """(price, moves, slot, places) of the best candidate; the slots are tried in ascending order."""
        best = None
        for ts in slots:
            if newcomer.n and not fits(self.fixed(ts), newcomer.n, newcomer.t, ts, self.P):
                continue
            delayed = self.order([w for w in self.waiting if w.te >= ts], newcomer)
            orders = [delayed]
            if 1 < len(delayed) <= self.o.permutations:
                orders = all_orders(delayed)
            for order in orders:
                best = self.better(best, newcomer, ts, self.candidate(newcomer, ts, order), dummy)
        if self.o.conservative_candidate and len(slots) > 1:
            ts = self.conservative_slot(newcomer)
            best = self.better(best, newcomer, ts, [(w, w.te) for w in self.waiting], dummy)
        return best

    def conservative_slot(self, newcomer):
        if not newcomer.n:
            return self.now
        busy = self.fixed(INF)
        return earliest_fit(busy, newcomer.n, newcomer.t, self.now, self.P)

    def better(self, best, newcomer, ts, placed, dummy):
        self.stats["candidates"] += 1
        priced = self.price(newcomer, ts, placed, dummy)
        if priced is None:
            return best
        mine = (priced[0], priced[1], ts, placed)
        if best is None:
            return mine
        c = self.compare(mine[0], best[0])
        if c == 0 and self.o.fewest_moves:
            c = (mine[1] > best[1]) - (mine[1] < best[1])
        if c == 0 and self.o.slot_ties == "last" and ts > best[2]:
            c = -1
        return mine if c < 0 else best

    def accept(self, placed):
        for i, te in placed:
            i.s -= te - i.te
            i.te = te
            assert te >= self.now and i.s >= 0
