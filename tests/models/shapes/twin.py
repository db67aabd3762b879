"""A slow scheduler of moldable and malleable jobs, written from the contract alone, to judge fast ones by.

Work, limits and times are Fractions, so nothing is rounded but what is left of a stage, to the grid of 2^-10 s. What is
free at a time is counted afresh from a list of holds, and whoever asks when a job ends computes it anew. What the rules
decide stands in ``twin_rules``, and where jobs are put in ``twin_room``; here is what a job does with a size, and the
order of one instant.

**A run.** On n processors, work passes at ``rate[n]`` s per s, and the limit at ``believed[n]``. It ends when its
work is done, or is killed when its limit is used up, whichever is first. A resize stops its work for ``cost``; a
shrink goes on for ``notice`` before, and gives its processors back at the end of both.

**One instant.** (1) Runs end; then shrinks that are due take effect. (2) Submissions. (3) Sizes are chosen, a pass of
the base rule starts jobs, and the resizing step follows. If it shrank a job at once, or if a run ends now, there is
another round.

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

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor

from tests.models.shapes import twin_rules
from tests.models.shapes.twin_room import ANYWHERE, Amounts, Piece, Places, Room, least, less, more

Stage = tuple[Fraction, Fraction, int]
Hold = tuple[Fraction, Fraction, Amounts]


def on_grid(seconds: Fraction) -> Fraction:
    """The nearest multiple of 2^-10 s, upwards from the middle."""
    return Fraction(floor(1024 * seconds + Fraction(1, 2)), 1024)


@dataclass(frozen=True)
class Job:
    """A job; ``rate`` and ``believed`` say for each of ``sizes`` how fast work, and the limit, pass."""

    id: int
    submit: Fraction
    work: Fraction
    limit: Fraction
    sizes: tuple[int, ...]
    preferred: int
    kind: str
    rate: dict[int, Fraction]
    believed: dict[int, Fraction]
    cost: Fraction = Fraction(0)
    gap: Fraction = Fraction(0)
    notice: Fraction = Fraction(0)
    piece: Piece = ANYWHERE

    def pieces(self, size: int) -> int:
        """How many pieces so many processors are."""
        return size // self.piece.processors

    def estimate(self, size: int) -> Fraction:
        """How long it may run on so many processors."""
        return on_grid(self.limit / self.believed[size])

    def next_size(self, size: int, step: int) -> int | None:
        """The next larger (1) or smaller (-1) size that it may have."""
        place = self.sizes.index(size) + step
        return self.sizes[place] if 0 <= place < len(self.sizes) else None


@dataclass(frozen=True)
class Options:
    """The options of the policy ``shapes``; with ``share``, the base is none, and the others mean nothing."""

    base: str = "easy"
    size: str = "preferred"
    expand: str = "none"
    shrink: str = "none"
    to: str = "min"
    share: str = "none"


@dataclass(frozen=True)
class Run:
    """A job that runs: its stage since ``since``, and what is left from ``flows`` on, when its work passes again."""

    job: Job
    start: Fraction
    size: int
    places: Places
    since: Fraction
    flows: Fraction
    work: Fraction
    limit: Fraction
    decided: Fraction | None = None
    """When its last resize was decided."""
    to: int | None = None
    """The size of a shrink under way."""
    halts: Fraction = Fraction(0)
    effect: Fraction = Fraction(0)
    stages: tuple[Stage, ...] = ()
    was_on: tuple[Places, ...] = ()
    """Its places in each of these stages."""

    def kept(self) -> Places:
        """What it will have once the shrink under way has taken effect."""
        return self.places if self.to is None else self.places[: self.job.pieces(self.to)]

    def _used_up(self, left: Fraction, rate: dict[int, Fraction]) -> Fraction:
        end = self.flows + on_grid(left / rate[self.size])
        if self.to is None or end <= self.halts:
            return end
        left -= rate[self.size] * (self.halts - self.flows)
        return self.effect + on_grid(left / rate[self.to])

    def expected_end(self) -> Fraction:
        """When its limit will be used up."""
        return self._used_up(self.limit, self.job.believed)

    def work_end(self) -> Fraction:
        """When its work will be done."""
        return self._used_up(self.work, self.job.rate)

    def end(self) -> Fraction:
        """When it ends if it is not resized again."""
        return min(self.work_end(), self.expected_end())

    def may_be_resized(self, now: Fraction) -> bool:
        """Whether a resize may be decided now."""
        if self.job.kind != "malleable" or self.to is not None or now < self.flows or self.expected_end() <= now:
            return False
        return self.decided is None or (now > self.decided and now >= self.decided + self.job.gap)

    def at_once(self) -> bool:
        """Whether its shrinks take effect at once."""
        return self.job.notice == self.job.cost == 0

    def resized(self, size: int, now: Fraction, others: Places = ()) -> Run:
        """The run once it has been decided that it has another size, with other places if it grows."""
        assert self.may_be_resized(now)
        assert size in self.job.sizes
        assert size != self.size
        job, run = self.job, replace(self._passed(now), decided=now)
        if size > self.size:
            return replace(run.until(now), since=now, size=size, flows=now + job.cost, places=self.places + others)
        run = replace(run, to=size, halts=now + job.notice, effect=now + job.notice + job.cost)
        return run.shrunk() if self.at_once() else run

    def shrunk(self) -> Run:
        """The run once the shrink under way has taken effect."""
        at, size = self.effect, self.to
        assert size is not None
        run = self._passed(self.halts)
        return replace(run.until(at), since=at, size=size, flows=at, to=None, places=self.kept())

    def _passed(self, now: Fraction) -> Run:
        """What is left of it now, in a stage in which work has passed since ``flows``."""
        seconds, rate, believed = now - self.flows, self.job.rate[self.size], self.job.believed[self.size]
        return replace(self, flows=now, work=self.work - seconds * rate, limit=self.limit - seconds * believed)

    def until(self, now: Fraction) -> Run:
        """The run if its present stage ends now."""
        if now <= self.since:
            return self
        stages = (*self.stages, (self.since, now, self.size))
        return replace(self, stages=stages, was_on=(*self.was_on, self.places))


class Profile:
    """What is free over time: what the room has less the holds, each over [begin, end)."""

    def __init__(self, room: Room, runs: list[Run]) -> None:
        self.room = room
        self.holds: list[Hold] = []
        for run in runs:
            end, piece = run.expected_end(), run.job.piece
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

    def __init__(self, room: Room, jobs: list[Job], options: Options) -> None:
        self.room = room
        self.options = options
        allowed = [replace(job, sizes=tuple(n for n in job.sizes if room.may_be(job.piece, n))) for job in jobs]
        self.future = sorted(allowed, key=lambda job: (job.submit, job.id))
        self.queue: list[Job] = []
        self.running: list[Run] = []
        self.reserved: dict[int, tuple[Fraction, Places]] = {}
        self.promised: dict[int, Fraction] = {}
        """The first reservation of each job, under conservative."""
        self.freed = False
        """Whether a run has ended, or a resize been decided, since the last pass."""
        self.stages: dict[int, list[Stage]] = {}
        self.was_on: dict[int, list[dict[int, int]]] = {}
        """How many processors each job had on which node, in each of its stages."""
        self.how: dict[int, str] = {}
        self.resizes: list[tuple[int, Fraction, int, int]] = []
        """The job, when it was decided, and the sizes before and after."""

    def idle(self) -> Amounts:
        """What nobody holds."""
        idle = self.room.whole
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
        """What the running jobs are expected to leave free."""
        return Profile(self.room, self.running)

    def run(self) -> None:
        """All instants, until nothing is left."""
        while True:
            times = [job.submit for job in self.future] + [run.end() for run in self.running]
            times += [run.effect for run in self.running if run.to is not None]
            times += [begin for begin, _ in self.reserved.values()]
            if not times:
                break
            self.instant(min(times))
        assert not self.queue

    def instant(self, now: Fraction) -> None:
        """Rounds, until no run ends now and no shrink has taken effect at once."""
        again = True
        while again:
            self.end_runs(now)
            self.running = [run.shrunk() if run.to is not None and run.effect <= now else run for run in self.running]
            self.queue += [job for job in self.future if job.submit <= now]
            self.future = [job for job in self.future if job.submit > now]
            again = twin_rules.decide(self, now)
            assert min(self.idle()) >= 0
            again = again or any(run.end() <= now for run in self.running)

    def end_runs(self, now: Fraction) -> None:
        """End what is done or has used up its limit."""
        for run in [run for run in self.running if run.end() <= now]:
            self.running.remove(run)
            self._tell(run.until(now))
            self.how[run.job.id] = "finished" if run.work_end() <= run.expected_end() else "killed"
            self.freed = True

    def _tell(self, run: Run) -> None:
        """Note the stages of a run that is over."""
        each = run.job.piece.processors
        self.stages[run.job.id] = list(run.stages)
        self.was_on[run.job.id] = [{node: each * on.count(node) for node in on} for on in run.was_on]

    def start(self, job: Job, size: int, now: Fraction, places: Places) -> None:
        """Start a waiting job."""
        self.queue.remove(job)
        self.reserved.pop(job.id, None)
        self.running.append(Run(job, now, size, places, now, now, job.work, job.limit))

    def resize(self, run: Run, size: int, now: Fraction, others: Places = ()) -> Run:
        """Decide a resize."""
        other = run.resized(size, now, others)
        self.running[self.running.index(run)] = other
        self.freed = True
        self.resizes.append((run.job.id, now, run.size, size))
        return other


def play(room: Room, jobs: list[Job], options: Options) -> tuple[dict[int, list[Stage]], dict[int, str]]:
    """The stages (start, end, size) of each job in order, and how it ended: "finished" or "killed"."""
    twin = Twin(room, jobs, options)
    twin.run()
    return twin.stages, twin.how
