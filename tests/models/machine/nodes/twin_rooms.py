"""The nodes of the brute-force machine: what is free on them now and later, and where a job is placed.

Nodes are dicts of resources with a set of properties. A job's request is a list of (count, {resource:
amount}, [properties]) with ``apart`` and ``alone``. Nothing is kept between events but who waits, who runs
where, and who has reserved what; whatever is free at any time is counted anew.
"""

from dataclasses import dataclass, field
from fractions import Fraction

ENDLESS = float("inf")


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


class Rooms:
    """The nodes, with who waits and who runs."""

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
