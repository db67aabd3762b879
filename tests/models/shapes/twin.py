"""A slow scheduler of moldable and malleable jobs, written from the contract alone, to judge fast ones by.

Work, limits and times are Fractions, so nothing is rounded but what is left of a stage, to the grid of 2^-10 s. What is
free at a time is counted afresh from a list of holds, and whoever asks when a job ends computes it anew. What the rules
decide stands in ``twin_rules``; ``twin_jobs`` has what a job does with a size, ``twin_room`` where it is, ``twin_asks``
what it asks for, and ``twin_losses`` what becomes of it when processors fail. Here is the order of one instant.

**One instant.** (1) Runs end; then shrinks that are due take effect, jobs ask, and what fails is lost. (2)
Submissions. (3) Sizes are chosen, a pass of the base rule starts jobs, and the resizing step follows. If it shrank a
job at once, or if a run ends now, there is another round.

**Where the contract is silent**, this is what was decided:

* Which of work and limit is first is asked of the times on the grid: a job whose limit is used up less than a step of
  the grid before its work is done has finished.
* A run whose work, or limit, is over at the end of its notice (not after it) ends there, with all its processors,
  also where the shrink would take effect at the same time.
* What a shrink under way will give is n - m, also where the run is expected to end in its notice.
* The decision of a resize, of either kind, calls for a sweep of the next conservative pass; that a shrink takes
  effect does not.
* Nobody shrinks for the head whose shrink would take effect at its expected end or later: it would end before.
* Under conservative, the profile that the next candidate for a shrink is judged by has the shrinks chosen before it.
  A job that is passed over is not tried at another size.
* A job without work that starts, and is resized at the same instant, ends after the pause: a policy does not know its
  work.
* A job that is expanded so late that nothing is left of it on the grid ends at that instant, in another round.
* On nodes, what fits is what can be placed: the largest size that starts now is the largest for which there are
  places, and nobody shrinks for a head that could not be placed then. Who shrinks before that is enough gives back
  what he can, even if it is where the head cannot be.
* Shares are counted in processors. A job that is admitted starts with the largest size up to its target for which
  there are places.
* A job that starts in the round, malleable and smaller than its target, may grow in it (``share``). Targets are found
  anew for that, as if nobody had been told to shrink; who has been told to does not grow.
* Neither the end of a pause or of a notice, nor that of a gap, makes an instant.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tests.models.shapes import twin_asks, twin_losses, twin_rules
from tests.models.shapes.twin_jobs import Ask, Job, Run, Stage
from tests.models.shapes.twin_losses import Outage
from tests.models.shapes.twin_room import NEVER, Amounts, Places, Room, least, less, more

Hold = tuple[Fraction, Fraction, Amounts]


@dataclass(frozen=True)
class Options:
    """The options of the policy ``shapes``; with ``share``, the base is none, and the others mean nothing."""

    base: str = "easy"
    size: str = "preferred"
    expand: str = "none"
    shrink: str = "none"
    to: str = "min"
    share: str = "none"


class Profile:
    """What is free over time: what the room has less the holds, each over [begin, end)."""

    def __init__(self, room: Room, runs: list[Run], now: Fraction) -> None:
        self.room = room
        self.holds: list[Hold] = []
        for run in runs:
            end, piece = run.expected_at(now), run.job.piece
            if run.to is not None and end > run.halts:
                self.holds.append((run.since, run.effect, room.held(piece, run.places)))
                self.holds.append((run.effect, end, room.held(piece, run.kept())))
            else:
                self.holds.append((run.since, end, room.held(piece, run.places)))

    def free(self, begin: Fraction, end: Fraction) -> Amounts:
        """What is free at a time, and throughout [begin, end)."""
        points = {begin, *(hold[0] for hold in self.holds if begin < hold[0] < end)}
        low = self.room.whole
        for point in points:
            free = self.room.whole
            for since, until, amounts in self.holds:
                if since <= point < until:
                    free = less(free, amounts)
            low = least(low, free)
        return low

    def place(self, begin: Fraction, job: Job, size: int) -> Places | None:
        """Where a job of this size may be from a time on for as long as it may run."""
        return self.room.place(job.piece, job.pieces(size), self.free(begin, begin + job.estimate(size)))

    def earliest(self, now: Fraction, job: Job, size: int) -> tuple[Fraction, Places]:
        """The first time from now on from which a job of this size has places for as long as it may run."""
        for time in [now, *sorted({hold[1] for hold in self.holds if hold[1] > now})]:
            places = self.place(time, job, size)
            if places is not None:
                return time, places
        raise AssertionError(f"job {job.id} has no place for {size} processors")

    def book(self, begin: Fraction, job: Job, size: int, places: Places) -> None:
        """Take places away over a time to come."""
        self.holds.append((begin, begin + job.estimate(size), self.room.held(job.piece, places)))


class Twin:
    """A machine, with one method for each phase of an instant."""

    def __init__(
        self, room: Room, jobs: list[Job], options: Options, outages: Sequence[Outage] = (), extends: bool = False
    ) -> None:
        """``extends`` says that jobs run beyond their limits."""
        self.room = room
        self.options = options
        self.outages = outages
        self.now = Fraction(0)
        self.asking: list[tuple[int, Ask]] = []
        """The jobs that have asked for more, in this instant or insisting, and what they want."""
        sizes = [tuple(size for size in job.sizes if room.may_be(job.piece, size)) for job in jobs]
        allowed = [
            replace(job, sizes=own, whole=job.work, extends=extends) for job, own in zip(jobs, sizes, strict=True)
        ]
        self.future = sorted(allowed, key=lambda job: (job.submit, job.id))
        self.queue: list[Job] = []
        self.running: list[Run] = []
        self.reserved: dict[int, tuple[Fraction, Places]] = {}
        self.promised: dict[int, Fraction] = {}
        """The first reservation of each job, under conservative."""
        self.freed = False
        """Whether a run has ended, or a resize been decided, since the last pass."""
        self.failed = False
        """Whether something has gone down since the last pass."""
        self.before: dict[int, tuple[tuple[Stage, ...], tuple[Places, ...]]] = {}
        """The stages of jobs that were interrupted, and their places."""
        self.stages: dict[int, list[Stage]] = {}
        self.was_on: dict[int, list[dict[int, int]]] = {}
        """How many processors each job had on which node, in each of its stages."""
        self.how: dict[int, str] = {}
        self.resizes: list[tuple[int, Fraction, int, int]] = []
        """The job, when it was decided, and the sizes before and after."""

    def idle(self) -> Amounts:
        """What nobody holds."""
        idle = less(self.room.whole, twin_losses.lost_at(self, self.now))
        for run in self.running:
            idle = less(idle, self.room.held(run.job.piece, run.places))
        return idle

    def idle_later(self) -> Amounts:
        """What nobody holds, and what shrinks under way will give."""
        idle = self.idle()
        for run in self.running:
            idle = more(idle, self.room.held(run.job.piece, run.places))
            idle = less(idle, self.room.held(run.job.piece, run.kept()))
        return idle

    def profile(self) -> Profile:
        """What the running jobs are expected to leave free, and what is down."""
        profile = Profile(self.room, self.running, self.now)
        for outage in twin_losses.down(self, self.now):
            profile.holds.append((outage.begin, outage.expected_end, self.room.of_place(outage.place)))
        return profile

    def run(self) -> None:
        """All instants, until nothing is left, or nothing but jobs that wait for each other."""
        while True:
            times = [job.submit for job in self.future] + [run.end() for run in self.running]
            times += [run.effect for run in self.running if run.to is not None]
            times += [run.asks_next() for run in self.running]
            times += [time for each in self.outages for time in (each.begin, each.end) if time > self.now]
            times += [begin for begin, _ in self.reserved.values()]
            if min(times, default=NEVER) == NEVER or not (self.future or self.queue or self.running):
                break
            self.instant(min(times))
        assert self.asking or not (self.queue or self.running)
        self.how |= {job.id: "waiting" for job in self.queue} | {run.job.id: "running" for run in self.running}
        for job in self.queue:
            self._tell(job, *self.before.get(job.id, ((), ())))
        for run in self.running:
            self._tell(run.job, run.stages, run.was_on)

    def instant(self, now: Fraction) -> None:
        """Rounds, until no run ends now and no shrink has taken effect at once."""
        again, self.now = True, now
        first = True
        while again:
            self.end_runs(now)
            self.running = [run.shrunk() if run.to is not None and run.effect <= now else run for run in self.running]
            twin_asks.ask(self, now)
            if first:
                twin_losses.fail(self, now)
            first = False
            self.queue += [job for job in self.future if job.submit <= now]
            self.future = [job for job in self.future if job.submit > now]
            again = twin_rules.decide(self, now)
            assert min(self.idle()) >= 0
            again = again or any(run.end() <= now for run in self.running)

    def end_runs(self, now: Fraction) -> None:
        """End what is done or has used up its limit."""
        for run in [run for run in self.running if run.end() <= now]:
            self.running.remove(run)
            over = run.until(now)
            self._tell(run.job, over.stages, over.was_on)
            self.how[run.job.id] = "finished" if run.end() == run.work_end() else "killed"
            self.freed = True

    def _tell(self, job: Job, stages: tuple[Stage, ...], was_on: tuple[Places, ...]) -> None:
        """Note the stages of a job that are over."""
        each = job.piece.processors
        self.stages[job.id] = list(stages)
        self.was_on[job.id] = [{node: each * on.count(node) for node in on} for on in was_on]

    def start(self, job: Job, size: int, now: Fraction, places: Places) -> None:
        """Start a waiting job."""
        self.queue.remove(job)
        self.reserved.pop(job.id, None)
        stages, was_on = self.before.get(job.id, ((), ()))
        places, safe = self._settled(places), (job.work, job.limit - job.beyond)
        run = Run(job, now, size, places, now, now, job.work, job.limit, safe=safe, beyond=job.beyond)
        run = replace(run, stages=stages, was_on=was_on)
        self.running.append(replace(run, asked=twin_asks.asked_before(run)))

    def _settled(self, places: Places) -> Places:
        """Where a job comes to be that has got places: on a pool, the lowest idle processors that are up."""
        if not self.room.indexed:
            return places
        gone = {outage.place for outage in twin_losses.down(self, self.now)}
        gone |= {place for run in self.running for place in run.places}
        return tuple([place for place in range(self.room.processors) if place not in gone][: len(places)])

    def resize(self, run: Run, size: int, now: Fraction, others: Places = ()) -> Run:
        """Decide a resize."""
        other = run.resized(size, now, self._settled(others))
        self.replace(run, other)
        self.resizes.append((run.job.id, now, run.size, size))
        return other

    def grow(self, run: Run, size: int, now: Fraction, others: Places) -> None:
        """A run gets other places, whatever it was that decided so."""
        self.replace(run, run.given(size, now, self._settled(others)))

    def replace(self, run: Run, other: Run) -> None:
        """A run has another size."""
        self.running[self.running.index(run)] = other
        self.freed = True


def play(
    room: Room, jobs: list[Job], options: Options, outages: Sequence[Outage] = (), extends: bool = False
) -> tuple[dict[int, list[Stage]], dict[int, str]]:
    """The stages (start, end, size) of each job in order, and how it ended: "finished" or "killed"."""
    twin = Twin(room, jobs, options, outages, extends)
    twin.run()
    return twin.stages, twin.how
