"""A machine of nodes by brute force: plain Python that shares no code with the package.

**Overruns.** Under ``until_needed`` a job that has reached its estimate counts as gone. A job that starts is placed
on what is idle alone, if it fits there, and otherwise on what is left if those who count as gone are not there; only
jobs that are placed by a profile are always placed in the latter way. Where a job starts, those who count as gone and
share a node with it are ended, the longest overrun first, then by id, until it has what it needs.

**Estimates.** With a ``factor``, a job is planned with this part of its run time, and killed at its ``limit``. A job
that outlives what is planned is expected to take another minute, then five, fifteen and so on, up to its limit; each
such time is an instant. Reservations that lose their nodes stand until they are due, and are made anew then.

**Search.** All orders are tried in sequence; in each, job after job is placed at its earliest fit.
"""

from fractions import Fraction

from tests.models.machine.nodes.twin_rooms import ENDLESS, give, holds, take
from tests.models.machine.nodes.twin_slack import SlackPass
from tests.models.policies.goal import plain

STEPS = [60, 300, 900, 1800, 3600]


class Twin(SlackPass):
    """The machine."""

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
