"""The slack paper's scheduler, written down literally: lists, fractions, nothing compiled, no cleverness.

Times are whole seconds (or multiples of 2^-10 s), so everything is exact where the exponents are 0 or 1. A profile is
the list of jobs that stand in it, as (start, end, processors).
"""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from math import floor, inf
from typing import Any

Piece = tuple[Any, Any, int]


@dataclass
class J:
    """A job: what its owner says, what really happens (runtime, withdraw), and what the scheduler made of it."""

    id: int
    submit: Any
    n: int
    t: Any  # the estimate
    runtime: Any
    up: Any = 0
    pp: Any = 0
    user: Any = None
    p: Any = None
    te: Any = None
    s: Any = None
    s0: Any = None
    start: Any = None
    end: Any = None
    promised: Any = None
    latest: Any = None
    withdrawn: Any = None
    over: bool = False


@dataclass
class Rules:
    """The parameters of the algorithm. With limits of ``classes``, ``awt`` has one more entry than there are limits."""

    processors: int
    heuristic: str = "ast"
    sf: Any = 3
    awt: Any = 100
    au: Any = 1
    at: Any = 1
    ap: Any = 1
    af: Any = 1
    permutations: int = 0
    tick: str = "no"
    delayed: str = "shifted"
    classes: tuple[Any, ...] = ()
    quotas: dict[Any, Any] = field(default_factory=dict)
    """The processor-seconds after which a user is over quota."""

    def wait(self, job: J) -> Any:
        """The AWT that a job is measured by."""
        return self.awt[sum(job.t > limit for limit in self.classes)] if self.classes else self.awt


def free(pieces: list[Piece], time: Any, processors: int) -> int:
    """How many processors no job has at a time."""
    return processors - sum(n for start, end, n in pieces if start <= time < end)


def fits(pieces: list[Piece], at: Any, n: int, t: Any, processors: int) -> bool:
    """Whether n processors are free from ``at`` on for t seconds: looked at wherever the profile changes."""
    moments = [at] + [start for start, _, _ in pieces if at < start < at + t]
    return all(free(pieces, moment, processors) >= n for moment in moments)


def earliest(pieces: list[Piece], now: Any, n: int, t: Any, processors: int) -> Any:
    """The earliest start from now on; free processors only ever increase where a piece ends."""
    for at in sorted({now} | {end for _, end, _ in pieces if end > now}):
        if fits(pieces, at, n, t, processors):
            return at
    raise AssertionError("there is always room at the end")


def mean(job: J, sp: Any) -> Any:
    """Section 4.3: the priority, with SP = ``sp``."""
    return -inf if job.pp == -inf else (Fraction(job.up) + Fraction(job.pp) + sp) / 3


def power(base: Any, exponent: Any) -> Any:
    """Exact where it can be."""
    return base**exponent if exponent in (0, 1) else float(base) ** float(exponent)


def cost(job: J, delay: Any, p_new: Any, r: Rules) -> Any:
    """Section 4.4, with the how-to's decisions where the paper says nothing; for a job over quota, the price apart."""
    if delay == 0:
        return 0
    if delay > job.s or (p_new == -inf < job.p and delay > 0):
        return inf
    ratio = Fraction(1)
    if job.p > -inf:
        ratio = Fraction(job.p) / (Fraction(1, 6) if p_new == -inf else Fraction(p_new))
    used = Fraction(1) if job.s0 in (0, inf) else Fraction(job.s0) / max(Fraction(job.s), 1)
    size = power(job.n, r.au) * power(abs(delay), r.at) * power(ratio, r.ap) * power(used, r.ap * r.af)
    return size if delay > 0 else -size


def order(jobs: list[J], p_new: Any, r: Rules) -> list[J]:
    """Section 4.6; all sorts keep the order of arrival among equals."""
    arrived = sorted(jobs, key=lambda job: (job.submit, job.id))
    return {
        "ast": lambda: sorted(arrived, key=lambda job: job.te),
        "aat": lambda: arrived,
        "du": lambda: sorted(arrived, key=lambda job: -job.n * job.t),
        "dc": lambda: sorted(arrived, key=lambda job: (job.p == -inf, -cost(job, 1, p_new, r))),
        "dp": lambda: sorted(arrived, key=lambda job: -job.p),
    }[r.heuristic]()


def piece(job: J, begin: Any) -> Piece:
    """Where a job stands if it starts then."""
    return begin, begin + job.t, job.n


class Twin:
    """One machine under slack-based backfilling."""

    def __init__(self, rules: Rules, jobs: list[J]) -> None:
        self.r = rules
        self.jobs = jobs
        self.waiting: list[J] = []
        self.running: list[J] = []
        self.expected: dict[int, Any] = {}

    def run(self) -> None:
        """From the first event to the last one."""
        while True:
            times = [job.submit for job in self.jobs if job.submit is not None and job.p is None and not job.over]
            times += [self.leaves(job) for job in self.running]
            times += [job.te for job in self.waiting]
            times += [job.withdrawn for job in self.waiting if job.withdrawn is not None]
            if not times:
                return
            self.instant(min(times))

    def leaves(self, job: J) -> Any:
        """When a running job ends, or is killed."""
        return min(job.start + job.runtime, self.expected[job.id])

    def instant(self, now: Any) -> None:
        """Ends and removals, withdrawals, what is due, newcomers; a job of no length ends in a second round."""
        early = self.end([job for job in self.running if job.start + job.runtime <= now], now)
        if self.r.tick != "no" and any(self.expected[job.id] <= now for job in self.running):
            for _ in early:
                self.remove(now)
            early = []
            self.tick(now)
        self.end([job for job in self.running if self.expected[job.id] <= now], now)
        gone = [job for job in self.waiting if job.withdrawn is not None and job.withdrawn <= now]
        for job in gone:
            job.over = True
            self.waiting.remove(job)
        for _ in early + gone:
            self.remove(now)
            self.start_due(now)
        self.start_due(now)
        new = [job for job in self.jobs if job.submit == now and job.p is None]
        for job in sorted(new, key=lambda job: job.id):
            if job.withdrawn is not None and job.withdrawn <= now:
                job.over, job.p = True, 0
                continue
            self.insert(job, now)
            self.start_due(now)

    def end(self, ended: list[J], now: Any) -> list[J]:
        """Take jobs off the machine; those of them that the profile expected to run longer."""
        for job in ended:
            job.end = now
            job.over = True
            self.running.remove(job)
        return [job for job in ended if self.expected[job.id] > now]

    def start_due(self, now: Any) -> None:
        """Tick(): what is due starts."""
        for job in [job for job in self.waiting if job.te <= now]:
            job.start = now
            self.expected[job.id] = now + job.t
            self.waiting.remove(job)
            self.running.append(job)

    def profile(self, now: Any, jobs: list[J]) -> list[Piece]:
        """The running jobs, and the given ones where they are reserved."""
        pieces: list[Piece] = [
            (now, self.expected[job.id], job.n) for job in self.running if self.expected[job.id] > now
        ]
        return pieces + [(job.te, job.te + job.t, job.n) for job in jobs]

    def schedules(self, now: Any, n: int, t: Any, p_new: Any, slots: list[Any], dummy: bool = False) -> Any:
        """Every candidate: ((price, price apart), moved jobs, place in the loop, slot, starts); sections 4.5, 4.6."""
        found = []
        for place, at in enumerate(slots):
            kept = [job for job in self.waiting if job.te < at]
            moving = order([job for job in self.waiting if job.te >= at], p_new, self.r)
            before = self.profile(now, kept)
            if not dummy and not fits(before, at, n, t, self.r.processors):
                continue
            if not dummy:
                before.append((at, at + t, n))
            own = 0 if dummy else power(at - now, self.r.at) * power(n, self.r.au)
            every = len(moving) <= self.r.permutations
            for turn in permutations(moving) if every else [tuple(moving)]:
                stand = [] if self.r.delayed == "removed" else [piece(job, job.te + t) for job in moving]
                pieces = before + stand
                price, moved, starts = {False: 0, True: 0}, 0, {}
                price[p_new == -inf] += own
                for job in turn:
                    if stand:
                        pieces.remove(piece(job, job.te + t))
                    begin = earliest(pieces, now, job.n, job.t, self.r.processors)
                    pieces.append(piece(job, begin))
                    price[job.p == -inf] += cost(job, begin - job.te, p_new, self.r)
                    moved += begin != job.te
                    starts[job.id] = begin
                if inf in price.values():
                    price[False] = inf
                found.append(((price[False], price[True]), moved, place, at, starts))
        return found

    def slots(self, now: Any) -> list[Any]:
        """Every time from now on at which the profile changes hands."""
        pieces = self.profile(now, self.waiting)
        return sorted({now} | {x for start, end, _ in pieces for x in (start, end) if x >= now})

    def best(self, found: list[Any]) -> Any:
        """The cheapest of finite price; ties to the price apart, the fewest moved jobs, then the first one found."""
        left = [one for one in found if one[0][0] < inf]
        for part in (0, 1):
            lowest = min((one[0][part] for one in left), default=0)
            near = Fraction(0) if isinstance(lowest, int | Fraction) else 1e-9 * max(1, abs(lowest))
            left = [one for one in left if one[0][part] <= lowest + near]
        return min(left, key=lambda one: one[1], default=None)

    def apply(self, chosen: Any) -> None:
        """Move jobs, and let their slacks go along."""
        for job in self.waiting:
            if job.id in chosen[4]:
                job.s -= chosen[4][job.id] - job.te
                job.te = chosen[4][job.id]

    def insert(self, job: J, now: Any) -> None:
        """Insert(j) with the two priorities of section 4.3; over quota, section 1.2."""
        if self.used(job.user, now) > self.r.quotas.get(job.user, inf):
            job.pp = -inf
        p_new = mean(job, Fraction(1, 2))
        chosen = self.best(self.schedules(now, job.n, job.t, p_new, self.slots(now)))
        if chosen is None:
            at = earliest(self.profile(now, self.waiting), now, job.n, job.t, self.r.processors)
        else:
            self.apply(chosen)
            at = chosen[3]
        awt = self.r.wait(job)
        sp = min(Fraction(at - now) / (2 * awt), 1) if awt else Fraction(at > now)
        job.te = job.promised = at
        job.p = mean(job, sp)
        job.s0 = inf if job.p == -inf else Fraction(floor((1 - job.p) * self.r.sf * awt * 1024 + Fraction(1, 2)), 1024)
        job.s, job.latest = job.s0, at + job.s0
        self.waiting.append(job)
        self.waiting.sort(key=lambda job: (job.submit, job.id))

    def used(self, user: Any, now: Any) -> Any:
        """The processor-seconds that a user's jobs have used so far."""
        begun = [job for job in self.jobs if job.user == user and job.start is not None]
        return sum(job.n * ((now if job.end is None else job.end) - job.start) for job in begun)

    def remove(self, now: Any) -> None:
        """Remove(j): the loop of insert(j) for a job of no time and no processors."""
        chosen = self.best(self.schedules(now, 0, 0, Fraction(1, 6), self.slots(now), dummy=True))
        if chosen is not None:
            self.apply(chosen)

    def tick(self, now: Any) -> None:
        """Section 4.7: an unfinished job gets a tenth more if that is cheaper than killing it."""
        due = [job for job in self.running if self.expected[job.id] <= now < job.start + job.runtime]
        for job in sorted(due, key=lambda job: (self.expected[job.id], job.id)):
            more = Fraction(-(-(job.t * 1024) // 10), 1024)
            p_new = mean(job, Fraction(1, 2)) if self.r.tick == "half" else job.p
            kill = power(job.n, self.r.au) * power(job.t, self.r.at)
            if p_new == 0 and self.r.ap:  # in the limit: all is infinitely dear but what costs nothing
                p_new, kill = 1, Fraction(1, 10**12)
            chosen = self.best(self.schedules(now, job.n, more, p_new, [now]))
            if chosen and chosen[0] < ((0, kill) if p_new == -inf else (kill, 0)):
                self.apply(chosen)
                self.expected[job.id] = now + more
