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
"""

from dataclasses import dataclass, field

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


class Twin:
    """The machine."""

    def __init__(
        self, nodes, rule, allocator="first-fit", overrun="kill", order=None, reservations=1, compress=None,
        starve=None, factor=None,
    ):  # fmt: skip
        self.nodes = nodes
        self.rule, self.allocator, self.overrun = rule, allocator, overrun
        self.order = order or (lambda job: 0)
        self.reservations, self.compress, self.starve, self.factor = reservations, compress, starve, factor
        self.waiting, self.running, self.reached = [], [], []
        self.broken = self.evicted = 0

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
                v = self.best(fitting, left)
                units = 1
                if not (job.apart or job.alone):
                    units = min([count] + [left[v][r] // n for r, n in need.items() if n])
                amounts = dict(self.nodes[v][0]) if job.alone else {r: units * n for r, n in need.items()}
                take(left, [(v, amounts)])
                places.append((v, amounts))
                used.add(v)
                count -= units
        return places

    def best(self, fitting, left):
        """The allocator's choice."""
        if self.allocator == "first-fit":
            return fitting[0]
        sign = 1 if self.allocator == "best-fit" else -1
        return min(fitting, key=lambda v: ([sign * left[v][r] for r in self.nodes[v][0]], v))

    def earliest(self, job, before=ENDLESS, without=()):
        """The earliest start before ``before`` and its places."""
        changes = {self.now}
        for other in self.running:
            changes.add(self.expected_end(other))
        for other in self.waiting:
            if other.reserved is not None and other.reserved < ENDLESS and other not in without:
                changes |= {other.reserved, other.reserved + other.estimate}
        changes = sorted(t for t in changes if self.now <= t < ENDLESS)
        for t in changes:
            if t >= before:
                break
            inside = [t] + [c for c in changes if t < c < t + job.estimate]
            steps = [self.free_at(c, without) for c in inside]
            low = [
                {r: min(step[v][r] for step in steps) for r in capacity}
                for v, (capacity, _) in enumerate(self.nodes)
            ]
            places = self.place(job, low)
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
            if self.rule == "conservative":
                times += [job.reserved for job in self.waiting if job.reserved is not None]
            self.now = min(times)
            if self.now == ENDLESS:
                return
            ended = [job for job in self.running if job.end == self.now]
            self.running = [job for job in self.running if job.end != self.now]
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
            in_the_way = [
                each for each in self.running if self.gone(each) and nodes & {v for v, _ in each.places}
            ]
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
            job.starves = job.starves or self.now - job.submit >= self.starve
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
        self.waiting_for_sweep = [job for job in self.waiting if job.reserved is not None]
        if self.compress == "event" or (self.compress == "completion" and ended):
            for job in self.waiting_for_sweep:
                if job.reserved > self.now:
                    start, places = self.earliest(job, job.reserved, [job])
                    if start < job.reserved:
                        job.reserved, job.places = start, places
        elif self.compress == "scheduled" and ended:
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
