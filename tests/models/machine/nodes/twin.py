"""A machine of nodes by brute force: plain Python that shares no code with the package.

Nodes are dicts of resources with a set of properties. A job's request is a list of (count, {resource:
amount}, [properties]) with ``apart`` and ``alone``. Nothing is kept between events but who waits, who runs
where, and who has reserved what; whatever is free at any time is counted anew.

**Overruns.** Under ``until_needed`` a job that has reached its estimate counts as gone. A job that starts is placed
on what is idle alone, if it fits there, and otherwise on what is left if those who count as gone are not there; only
jobs that are placed by a profile are always placed in the latter way. Where a job starts, those who count as gone and
share a node with it are ended, the longest overrun first, then by id, until it has what it needs.

**Estimates.** With a ``factor``, a job is planned with this part of its run time, and killed at its ``limit``. A job
that outlives what is planned is expected to take another minute, then five, fifteen and so on, up to its limit; each
such time is an instant. Reservations that lose their nodes stand until they are due, and are made anew then.

**Slack.** A candidate puts the new job at a slot, on nodes that the allocator chooses; jobs that are reserved for
earlier keep their nodes, and all others are delayed on theirs by the new job's length. Then each moves in turn to its
earliest fit, if that is earlier than where it stands. A job's size is the number of its processors.

**Search.** All orders are tried in sequence; in each, job after job is placed at its earliest fit.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from math import floor

from tests.models.policies.goal import plain

ENDLESS = float("inf")
STEPS = [60, 300, 900, 1800, 3600]


@dataclass
class TwinJob:
    """A job; ``places`` is a list of (node, {resource: amount})."""

    id: int
    submit: int
    runtime: int
    estimate: float
    chunks: list
    apart: bool = True
    alone: bool = False
    start: float | None = None
    end: float | None = None
    places: list = field(default_factory=list)
    reserved: float | None = None
    promised: float | None = None
    limit: float | None = None
    outlived: int = 0
    starves: bool = False
    p: Fraction | None = None
    slack0: Fraction | None = None
    latest: Fraction | None = None
    latest_start: float | None = None

    @property
    def processors(self):
        """All that it asks for."""
        return sum(count * need["processors"] for count, need, _ in self.chunks)


class Twin:
    """The machine."""

    def __init__(
        self, nodes, rule, allocator="first-fit", overrun="kill", order=None, factor=None, reservations=1, **more
    ):
        self.nodes = nodes
        self.rule, self.allocator, self.overrun = rule, allocator, overrun
        self.order = order or (lambda job: 0)
        self.reservations, self.factor = reservations, factor
        self.more = more
        self.waiting, self.running, self.reached = [], [], []
        self.broken = self.evicted = self.moved = self.removals = 0

    # -- room -------------------------------------------------------------------------------

    def whole(self):
        """What all nodes have."""
        return [dict(amounts) for amounts, _ in self.nodes]

    def expected_end(self, job):
        """When a running job is expected to end."""
        return max(job.start + job.estimate, self.now + self.grace)

    @property
    def grace(self):
        """No expected end lies before now + this."""
        return 0 if self.overrun == "kill" and self.factor is None else 1

    def gone(self, job):
        """Whether a running job counts as gone, and can be ended if that helps somebody."""
        return self.overrun == "until_needed" and job.start + job.estimate <= self.now

    def free_at(self, time, without=()):
        """What is left at a time, if everybody runs as long as was asked and reservations are kept."""
        free = self.whole()
        for job in self.running:
            if self.expected_end(job) > time and not self.gone(job):
                take(free, job.places)
        for job in self.waiting:
            held = job.reserved is not None and job.reserved < ENDLESS and job not in without
            if held and job.reserved <= time < job.reserved + job.estimate:
                take(free, job.places)
        return free

    def idle(self):
        """What nobody has."""
        free = self.whole()
        for job in self.running:
            take(free, job.places)
        return free

    def free_now(self):
        """What is left if those who count as gone are not there."""
        free = self.whole()
        for job in self.running:
            if not self.gone(job):
                take(free, job.places)
        return free

    def place_now(self, job, rooms):
        """Places on what is idle, else on what is free; both rooms are what the pass has left of them."""
        for room in rooms:
            places = self.place(job, room)
            if places is not None:
                return places
        return None

    def rooms(self):
        """What a pass begins with: what is idle, and what is free."""
        return self.idle(), self.free_now()

    def place(self, job, free):
        """Places for all chunks, or None; ``free`` is not changed."""
        left = [dict(amounts) for amounts in free]
        places, used = [], set()
        for count, need, properties in job.chunks:
            run = []
            while count:
                fitting = [
                    v
                    for v, (capacity, has) in enumerate(self.nodes)
                    if all((w[1:] not in has) if w.startswith("^") else (w in has) for w in properties)
                    and all(left[v].get(r, 0) >= need.get(r, 0) for r in {*capacity, *need})
                    and not ((job.apart or job.alone) and v in used)
                    and not (job.alone and any(left[v][r] != capacity[r] for r in capacity))
                ]
                if not fitting:
                    return None
                if self.allocator == "serial-last" and self.is_serial(job):
                    v = fitting[-1]
                elif self.allocator in ("consecutive", "serial-last"):
                    run = run or self.run_for(job, count, need, fitting, left)
                    v = run.pop(0)
                else:
                    v = self.best(fitting, left)
                units = min(count, self.pieces(job, need, left[v]))
                amounts = dict(self.nodes[v][0]) if job.alone else {r: units * n for r, n in need.items()}
                take(left, [(v, amounts)])
                places.append((v, amounts))
                used.add(v)
                count -= units
        return places

    def pieces(self, job, need, left):
        """How many pieces of a chunk a node takes that takes one."""
        return 1 if job.apart or job.alone else min(left[r] // n for r, n in need.items() if n)

    def is_serial(self, job):
        """Whether a job asks for one processor, on a node that it may share."""
        return not job.alone and [(count, need["processors"]) for count, need, _ in job.chunks] == [(1, 1)]

    def run_for(self, job, count, need, fitting, left):
        """The smallest run of consecutive nodes with room for so many pieces, else the largest; the first of equals.

        Of a run, one node if that is enough: the first of those with the fewest idle processors.
        """
        runs = []
        for v in fitting:
            if v - 1 not in fitting:
                runs.append([])
            runs[-1].append(v)
        sizes = [sum(self.pieces(job, need, left[v]) for v in run) for run in runs]
        enough = [size for size in sizes if size >= count]
        run = runs[sizes.index(min(enough) if enough else max(sizes))]
        alone = [v for v in run if count <= self.pieces(job, need, left[v])]
        return [min(alone, key=lambda v: left[v]["processors"])] if alone else run

    def best(self, fitting, left):
        """The allocator's choice."""
        if self.allocator == "first-fit":
            return fitting[0]
        sign = 1 if self.allocator == "best-fit" else -1
        return min(fitting, key=lambda v: ([sign * left[v][r] for r in self.nodes[v][0]], v))

    def changes(self, without=()):
        """Every time from now on at which something is given back or taken, ascending."""
        changes = {self.now}
        for other in self.running:
            if not self.gone(other):
                changes.add(self.expected_end(other))
        for other in self.waiting:
            if other.reserved is not None and other.reserved < ENDLESS and other not in without:
                changes |= {other.reserved, other.reserved + other.estimate}
        return sorted(t for t in changes if self.now <= t < ENDLESS)

    def place_at(self, job, t, length, without=()):
        """Places on the least that is left from a time on for so long, or None."""
        inside = [t] + [c for c in self.changes(without) if t < c < t + length]
        steps = [self.free_at(c, without) for c in inside]
        low = [{r: min(step[v][r] for step in steps) for r in capacity} for v, (capacity, _) in enumerate(self.nodes)]
        return self.place(job, low)

    def earliest(self, job, before=ENDLESS, without=()):
        """The earliest start before ``before`` and its places."""
        for t in self.changes(without):
            if t >= before:
                break
            places = self.place_at(job, t, job.estimate, without)
            if places is not None:
                return t, places
        return ENDLESS, []

    # -- time -------------------------------------------------------------------------------

    def run(self, jobs):
        """Run all jobs to their ends."""
        coming = sorted(jobs, key=lambda job: (job.submit, job.id))
        while coming or self.waiting or self.running:
            times = [job.submit for job in coming[:1]] + [job.end for job in self.running]
            if self.factor is not None:  # an instant, even if the job has ended before
                self.reached += [job.start + job.estimate for job in self.running]
                times += [time for time in self.reached if time > self.now]
            if self.rule in ("conservative", "slack"):
                times += [job.reserved for job in self.waiting if job.reserved is not None]
            self.now = min(times)
            if self.now == ENDLESS:
                return
            ended = [job for job in self.running if job.end == self.now]
            self.running = [job for job in self.running if job.end != self.now]
            self.removals = sum(self.grace > 0 or job.start + job.estimate > self.now for job in ended)
            self.revise()
            while coming and coming[0].submit == self.now:
                self.waiting.append(coming.pop(0))
            self.waiting.sort(key=lambda job: (self.order(job), job.submit, job.id))
            for job in getattr(self, "pass_" + self.rule.replace("-", "_"))(bool(ended)):
                self.begin(job)

    def revise(self):
        """Jobs have outlived what was planned: plan with more."""
        for job in self.running:
            if self.factor is not None and job.start + job.estimate <= self.now:
                job.estimate = self.now - job.start + STEPS[job.outlived]
                job.outlived += 1
                if self.overrun == "kill":
                    job.estimate = min(job.estimate, job.limit)

    def begin(self, job):
        """A job starts, and ends those who have what it needs."""
        while not holds(self.idle(), job.places):
            nodes = {v for v, _ in job.places}
            in_the_way = [each for each in self.running if self.gone(each) and nodes & {v for v, _ in each.places}]
            victim = min(in_the_way, key=lambda each: (each.start + each.estimate, each.id))
            victim.end = self.now
            self.running.remove(victim)
            self.evicted += 1
        self.waiting.remove(job)
        self.running.append(job)
        limit = job.estimate if job.limit is None else job.limit
        job.start = self.now
        job.end = self.now + (min(job.runtime, limit) if self.overrun == "kill" else job.runtime)

    # -- rules ------------------------------------------------------------------------------

    def along(self, queue, rooms, strict):
        """Whatever fits, up to the first job that does not where this is strict."""
        begin = []
        for job in queue:
            places = self.place_now(job, rooms)
            if places is not None:
                job.places = places
                for room in rooms:
                    take(room, places)
                begin.append(job)
            elif strict:
                break
        return begin

    def pass_none(self, ended):
        """Heads while they fit."""
        return self.along(self.waiting, self.rooms(), strict=True)

    def pass_no_guarantee(self, ended):
        """Everything that fits."""
        return self.along(self.waiting, self.rooms(), strict=False)

    def pass_cplant(self, ended):
        """Those who starve start strictly in order of arrival; the first that cannot has the one reservation."""
        for job in self.waiting:
            job.starves = job.starves or self.now - job.submit >= self.more["starve"]
        starving = sorted((job for job in self.waiting if job.starves), key=lambda job: (job.submit, job.id))
        others = [job for job in self.waiting if not job.starves]
        rooms = self.rooms()
        begin = self.along(starving, rooms, strict=True)
        if len(begin) < len(starving):
            return self.backfill(starving + others)
        return begin + self.along(others, rooms, strict=False)

    def pass_easy(self, ended):
        """One reservation, for the first job that does not fit."""
        if self.reservations > 1:
            return self.pass_rebuild(self.reservations)
        return self.backfill(self.waiting)

    def backfill(self, queue):
        """EASY along a queue."""
        rooms = self.rooms()
        begin = self.along(queue, rooms, strict=True)
        if len(begin) == len(queue):
            return begin
        _, free = rooms
        head = queue[len(begin)]
        ends = [(self.expected_end(job), job) for job in self.running if not self.gone(job)]
        ends += [(max(self.now + job.estimate, self.now + self.grace), job) for job in begin]
        shadow, later = ENDLESS, None
        for time in sorted({end for end, _ in ends}):
            then = [dict(amounts) for amounts in free]
            for end, job in ends:
                if end <= time:
                    give(then, job.places)
            if self.place(head, then) is not None:
                shadow, later = time, then
                break
        for job in queue[len(begin) + 1 :]:
            places = self.place_now(job, rooms)
            if places is None:
                continue
            if self.now + job.estimate > shadow:
                without = [dict(amounts) for amounts in later]
                take(without, places)
                if self.place(head, without) is None:
                    beside = [dict(amounts) for amounts in later]
                    take(beside, self.place(head, later))
                    both = [{r: min(a[r], b[r]) for r in a} for a, b in zip(free, beside, strict=True)]
                    places = self.place(job, both)
                    if places is None:
                        continue
                take(later, places)
            job.places = places
            for room in rooms:
                take(room, places)
            begin.append(job)
        return begin

    def pass_conservative_dynamic(self, ended):
        """All reservations anew."""
        return self.pass_rebuild(ENDLESS)

    def pass_rebuild(self, reservations):
        """The first so many that cannot start reserve."""
        for job in self.waiting:
            job.reserved = None
        reserved = 0
        begin = self.along(self.waiting, self.rooms(), strict=True)
        for job in begin:
            job.reserved = self.now
        for job in self.waiting[len(begin) :]:
            limit = ENDLESS if reserved < reservations else self.now + 2**-10
            start, places = self.earliest(job, limit)
            if start < ENDLESS:
                job.reserved, job.places = start, places
            if start == self.now:
                begin.append(job)
            else:
                reserved += 1
        return begin

    def pass_conservative(self, ended):
        """Reservations are kept, and improved as ``compress`` says."""
        compress = self.more.get("compress")
        self.waiting_for_sweep = [job for job in self.waiting if job.reserved is not None]
        if compress == "event" or (compress == "completion" and ended):
            for job in self.waiting_for_sweep:
                if job.reserved > self.now:
                    start, places = self.earliest(job, job.reserved, [job])
                    if start < job.reserved:
                        job.reserved, job.places = start, places
        elif compress == "scheduled" and ended:
            by_start = sorted(self.waiting_for_sweep, key=lambda job: job.reserved)
            for job in by_start:
                job.reserved = None
            for job in by_start:
                job.reserved, job.places = self.earliest(job)
        for job in self.waiting:
            if job.reserved is None or job.reserved == ENDLESS:
                job.reserved, job.places = self.earliest(job, without=[job])
                if job.promised is None:
                    job.promised = job.reserved
        begin, free = [], self.free_now()
        for job in self.waiting:
            for _ in range(2):
                if job.reserved > self.now:
                    break
                if holds(free, job.places):
                    take(free, job.places)
                    begin.append(job)
                    break
                self.broken += 1
                job.reserved, job.places = self.earliest(job, without=[job])
        return begin

    # -- slack ------------------------------------------------------------------------------

    def pass_slack(self, ended):
        """Each removal, and each newcomer, is priced; what is due starts before the next one."""
        self.starting = []
        for _ in range(self.removals):
            chosen = self.cheapest(None, Fraction(1, 6))
            if chosen is not None:
                self.accept(chosen)
            self.start_due()
        self.start_due()
        for job in self.waiting:
            if job.reserved is None or job.reserved == ENDLESS:
                self.insert(job)
                self.start_due()
        return self.starting

    def start_due(self):
        """Jobs that are due start, if they have what they need; the others are placed again, and then may start."""
        for _ in range(2):
            free, blocked = self.free_now(), []
            for job in self.starting:
                take(free, job.places)
            for job in self.waiting:
                if job.reserved is None or job.reserved > self.now or job in self.starting:
                    continue
                if holds(free, job.places):
                    take(free, job.places)
                    self.starting.append(job)
                else:
                    job.reserved = None
                    blocked.append(job)
            for job in blocked:
                job.reserved, job.places = self.earliest(job)
                job.latest = max(job.latest, Fraction(job.reserved))
                self.broken += 1

    def insert(self, job):
        """A newcomer gets the slot of the cheapest schedule, and then its priority and its slack."""
        awt = self.more["awt"]
        chosen = self.cheapest(job, Fraction(1, 2) / 3)
        if chosen is None:
            at, places = self.earliest(job)
        else:
            self.accept(chosen)
            at, places = chosen["at"], chosen["places"]
        job.reserved, job.places = at, places
        job.p = min(Fraction(at - job.submit) / (2 * awt), Fraction(1)) / 3
        job.slack0 = Fraction(floor((1 - job.p) * 3 * awt * 1024 + Fraction(1, 2)), 1024)
        job.latest = Fraction(at) + job.slack0
        if job.promised is None:
            job.promised, job.latest_start = at, float(job.latest)

    def accept(self, chosen):
        """Make the moves of a schedule."""
        for job, begin, places in chosen["moves"]:
            self.moved += begin != job.reserved
            job.reserved, job.places = begin, places

    def ranked(self, jobs, p):
        """Delayed jobs in the order of the heuristic."""
        return sorted(
            jobs,
            key={
                "ast": lambda job: job.reserved,
                "aat": lambda job: 0,
                "du": lambda job: -job.processors * job.estimate,
                "dc": lambda job: -self.cost(job, 1, p),
                "dp": lambda job: -job.p,
            }[self.more["heuristic"]],
        )

    def cost(self, job, delay, p):
        """What a move costs: n t (p_i / p) (s0 / s)."""
        slack = job.latest - Fraction(job.reserved)
        if delay > slack:
            return ENDLESS
        used = job.slack0 / max(slack, 1) if job.slack0 else 1
        return job.processors * Fraction(delay) * job.p / p * used

    def cheapest(self, new, p):
        """The best schedule that is tried: the cheapest, of these the one with the fewest moves, then the first."""
        best = None
        fixed = [(job, job.reserved, job.places) for job in self.waiting]
        here = [job for job in self.waiting if job.reserved not in (None, ENDLESS)]
        here = [job for job in here if job not in self.starting]
        for at in self.changes():
            delayed = self.ranked([job for job in here if job.reserved >= at], p)
            places = new and self.place_at(new, at, new.estimate, delayed)
            if new and places is None:
                continue
            own = Fraction(at - self.now) * new.processors if new else Fraction(0)
            exact = len(delayed) <= self.more.get("permutations", 0)
            for turn in permutations(delayed) if exact else [delayed]:
                if new:
                    new.reserved, new.places = at, places
                moves = self.moves(turn, new.estimate if new else 0)
                for job, reserved, held in fixed:
                    job.reserved, job.places = reserved, held
                if moves is None:
                    continue
                price = own + sum(self.cost(job, Fraction(t) - Fraction(job.reserved), p) for job, t, _ in moves)
                found = price, sum(t != job.reserved for job, t, _ in moves)
                if best is None or found < best["found"]:
                    best = {"found": found, "at": at, "places": places, "moves": moves}
        return best

    def moves(self, turn, length):
        """Where delayed jobs go, one after the other; None if one would start too late."""
        moves, removed = [], self.more.get("delayed") == "removed"
        for job in turn:
            job.reserved = None if removed else job.reserved + length
        for job in turn:
            stands = ENDLESS if removed else job.reserved
            start, places = self.earliest(job, stands, [job])
            if start >= stands:
                start, places = stands, job.places
            if start > job.latest:
                return None
            job.reserved, job.places = start, places
            moves.append((job, start, places))
        return moves

    # -- search -----------------------------------------------------------------------------

    def pass_tradeoff(self, ended):
        """What starts now in the best of the schedules that the search sees."""
        best, before, nodes = None, (), 0
        bound = self.more.get("bound", self.now - min((job.submit for job in self.waiting), default=0))
        for ranks in self.paths(len(self.waiting)):
            order = plain.order_of(ranks, len(self.waiting))
            shared = next((i for i, (a, b) in enumerate(zip(order, before, strict=False)) if a != b), 0)
            nodes += len(order) - shared
            if best is not None and nodes > self.more["limit"]:
                break
            before = order
            for job in self.waiting:
                job.reserved = None
            for j in order:
                self.waiting[j].reserved, self.waiting[j].places = self.earliest(self.waiting[j])
            starts = [job.reserved for job in self.waiting]
            jobs = [{"submit": job.submit, "est": job.estimate} for job in self.waiting]
            found = plain.values(jobs, [Fraction(start) for start in starts], bound, self.more["tau"])
            if best is None or plain.wins(found, best[0], self.more["comparison"]):
                self.moved += best is not None
                best = found, starts, [job.places for job in self.waiting]
        begin = []
        for job, start, places in zip(self.waiting, *best[1:], strict=True) if best else ():
            job.reserved, job.places = None, places
            if start == self.now:
                begin.append(job)
        return begin

    def paths(self, n):
        """The orders as ranks, in the sequence of the search."""
        for iteration in range(n):
            yield from (plain.lds if self.more["algorithm"] == "lds" else plain.dds)(n, iteration)


def holds(free, places):
    """Whether places are free."""
    left = [dict(amounts) for amounts in free]
    take(left, places)
    return all(amount >= 0 for amounts in left for amount in amounts.values())


def take(free, places):
    """Take places from what is free."""
    for v, amounts in places:
        for r, n in amounts.items():
            free[v][r] -= n


def give(free, places):
    """Give places back."""
    take(free, [(v, {r: -n for r, n in amounts.items()}) for v, amounts in places])
