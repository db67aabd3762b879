"""A slow, exact twin of slack-based backfilling (Talby & Feitelson): shift, insert, compress.

Pure Python, exact (integers and fractions as long as every weight is 0 or 1), nothing imported but the standard
library and `shift_schedules`, where schedules are tried and priced. It was written from the paper alone, without sight
of the engine.

    from tests.models.policies.slack.shift_twin import simulate
    from tests.models.policies.slack.shift_schedules import Job
    out = simulate([Job(1, 0, 3, 20, 20), ...], processors=4, awt=100)
    out[1].start, out[1].promised, out[1].latest_start
"""

from fractions import Fraction

from tests.models.policies.slack.shift_schedules import INF, Live, Options, Schedules, exact, power, to_grid


class Scheduler(Schedules):
    """What happens as time goes by."""

    # ------------------------------------------------------------------ the three actions

    def insert(self, job):
        self.stats["inserts"] += 1
        over = job.political_priority == -INF or self.exceeds_quota(job)
        pp = 0 if over else exact(job.political_priority)
        j = Live(job, job.processors, exact(job.estimate), None, exact(job.user_priority), over, pp)
        j.p = self.priority(j, Fraction(1, 2))
        _, _, ts, placed = self.cheapest(j, self.slots())
        self.accept(placed)
        j.te = ts
        j.p = self.priority(j, min(Fraction(ts - self.now) / (2 * self.awt(j)), 1))
        j.s = j.s0 = self.initial_slack(j)
        self.waiting.append(j)
        out = self.out[job.id]
        out.promised, out.initial_slack, out.latest_start = ts, j.s0, ts + j.s0
        out.priority, out.over_quota = j.p, over

    def remove(self):
        """The profile has lost a job already: insert a dummy of zero time and processors."""
        self.stats["removals"] += 1
        dummy = Live(None, 0, 0, None, 0, False, 0, p=Fraction(1, 6))
        _, _, _, placed = self.cheapest(dummy, self.slots(), dummy=True)
        self.accept(placed)

    def unfinished(self, r):
        """Tick: r has reached its (extended) estimate. True if it goes on (4.7)."""
        self.stats["ticks"] += 1
        extension = to_grid(Fraction(r.t) / 10, self.o.grid)
        p = r.p if self.o.tick_priority == "own" or r.over else self.priority(r, Fraction(1, 2))
        more = Live(r.job, r.n, extension, None, r.up, r.over, r.pp, p=p)
        best = self.cheapest(more, [self.now]) if extension > 0 else None
        kill = power(r.n, self.o.alpha_u) * power(r.t, self.o.alpha_t)
        own = 2 if r.over and self.o.quota_price == "infinitesimal" else 1
        bill = tuple(kill if k == own else 0 for k in range(3))
        if best is None or self.compare(best[0], bill) >= 0:
            return False
        self.accept(best[3])
        r.end = exact(self.now + extension)
        self.out[r.id].extensions += 1
        return True

    # ------------------------------------------------------------------ quotas (1.2)

    def exceeds_quota(self, job):
        for line in self.o.quotas:
            holder = {k: v for k, v in line.items() if k in ("user", "group", "queue") and v is not None}
            if not all(getattr(job, k) == v for k, v in holder.items()):
                continue
            spent = [(j, end - start) for j, start, end in self.used]
            spent += [(r.job, self.now - r.te) for r in self.running]
            total = sum(j.processors * s for j, s in spent if all(getattr(j, k) == v for k, v in holder.items()))
            if total > exact(line["processor_hours"]) * 3600:
                return True
        return False

    # ------------------------------------------------------------------ time

    def true_end(self, r):
        return r.te + exact(r.job.runtime)

    def over_with(self, r, killed):
        self.running.remove(r)
        out = self.out[r.id]
        out.end, out.killed = self.now, killed
        self.used.append((r.job, r.te, self.now))

    def start_due(self, reserved=()):
        """Start the waiting jobs that are due now; `reserved`: unfinished jobs that may stay (tick)."""
        started = False
        for w in sorted((w for w in self.waiting if w.te == self.now), key=lambda w: w.id):
            free = self.P - sum(r.n for r in self.running)
            if w.n > free and reserved:
                continue
            assert w.n <= free, (w.id, self.now)
            self.waiting.remove(w)
            w.end = self.now + w.t
            self.running.append(w)
            self.out[w.id].start = self.now
            started = True
        return started

    def next_time(self):
        times = [min(self.true_end(r), r.end) for r in self.running] + [w.te for w in self.waiting]
        if self.queue_of_submissions:
            times.append(exact(self.queue_of_submissions[0].submit))
        return min(times, default=None)

    def completions(self):
        """Ends of this moment. Returns the jobs that reach their estimate unfinished, if they may go on."""
        by_id = sorted(self.running, key=lambda r: r.id)
        done = [r for r in by_id if self.true_end(r) == self.now]
        late = [r for r in by_id if r.end == self.now and self.true_end(r) > self.now]
        early = [r for r in done if r.end > self.now]
        for r in done:
            if r not in early:
                self.over_with(r, killed=False)
        if not self.o.tick:
            for r in late:
                self.over_with(r, killed=True)
            late = []
        if self.o.removals in ("all", "gone"):
            for r in early:
                self.over_with(r, killed=False)
            dummies = len(early) if self.o.removals == "gone" else min(len(early), 1)
            for k in range(dummies):
                self.remove()
                self.after_removal(late, last=k == dummies - 1)
            return late
        for k, r in enumerate(early):
            self.over_with(r, killed=False)
            self.remove()
            self.after_removal(late, last=k == len(early) - 1)
        return late

    def after_removal(self, late, last):
        if self.o.removal_starts == "none" or (last and self.o.removal_starts == "between"):
            return
        if late and self.o.tick_starts == "defer":
            return
        self.start_due(reserved=late)

    def instant(self):
        first = True
        while True:
            for r in self.completions():
                if not self.unfinished(r):
                    self.over_with(r, killed=True)
            if first and self.o.start_before_inserts:
                self.start_due()
            while self.queue_of_submissions and exact(self.queue_of_submissions[0].submit) == self.now:
                self.insert(self.queue_of_submissions.pop(0))
                if self.o.start_after_each_insert:
                    self.start_due()
            self.start_due()
            first = False
            if not any(self.true_end(r) == self.now for r in self.running):
                return

    def run(self):
        while (t := self.next_time()) is not None:
            assert self.now is None or t > self.now
            self.now = t
            self.instant()
        return self.out


def simulate(jobs, processors, stats=None, **options):
    """{id: Outcome} of slack-based backfilling; `stats`, a dict, receives counts."""
    scheduler = Scheduler(jobs, processors, Options(**options))
    out = scheduler.run()
    if stats is not None:
        stats.update(scheduler.stats)
    return out
