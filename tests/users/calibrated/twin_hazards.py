"""The hazard of a user written straight from its definition, and what of a log's gaps is kept.

Nothing here is clever. The hazard at a time is found from all that has happened until then, every time anew, and its
integral piece by piece between the times at which it may jump. The package's tables are read, and nothing else of it
is used.

*Ties.* Of two batches that were over at one time, the later one was over last; of two jobs of a batch, likewise.

*Whole seconds.* A submission recorded at S is taken as made at S + `HALF`, after all that happened at S; so in a replay
a batch comes `HALF` before the integral reaches its aim, but not before what has happened. Where that would be before
an end that the user has seen in the log, since the hazard was larger before it, the aim is the integral up to S, and
`HALF` is kept as extra. Where even that is so, in the round before a job that ends as it starts, the time since the
submission is kept.

*Rounding.* An integral that is short of what it is to reach by less than `NEARLY` of it has reached it: where the
hazard is 0 from then on, it would never do so otherwise.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

TOGETHER, HOUR, SHORT = 60.0, 3600.0, 60.0
WEEK = 168 * HOUR
TICK = 1 / 1024
HALF = 0.5
NEARLY = 1e-11


@dataclass(frozen=True)
class LogJob:
    """A job of a log; ``left`` is when it started, or was withdrawn, in the log."""

    row: int
    user: int
    submit: float
    left: float
    end: float
    processors: int
    runtime: float
    estimate: float


def jobs_of(trace) -> list[LogJob]:
    """The jobs of a trace, with what the log has of their waits."""
    jobs = []
    for row in range(len(trace)):
        submit, wait, runtime = (float(getattr(trace, name)[row]) for name in ("submit", "wait", "runtime"))
        left = submit + (wait if wait > 0 else 0.0)
        jobs.append(
            LogJob(row, int(trace.user[row]), submit, left, left + runtime, int(trace.processors[row]), runtime,
                   float(trace.estimate[row]))
        )  # fmt: skip
    return jobs


def users_of(jobs: Sequence[LogJob]) -> list[list[LogJob]]:
    """The jobs of each user, by number; then each job of nobody, as a user of its own."""
    numbers = sorted({job.user for job in jobs if job.user >= 0})
    return [[job for job in jobs if job.user == user] for user in numbers] + [[job] for job in jobs if job.user < 0]


def batches_of(jobs: Sequence[LogJob]) -> list[list[LogJob]]:
    """The batches of one user."""
    batches: list[list[LogJob]] = []
    for job in jobs:
        together = bool(batches) and job.submit - batches[-1][-1].submit <= TOGETHER
        if together and job.submit < max(each.end for each in batches[-1]):
            batches[-1].append(job)
        else:
            batches.append([job])
    return batches


@dataclass
class Batch:
    """A batch that was submitted: when its jobs were, and the times at which they were over, as far as known."""

    jobs: list[LogJob]
    submit: list[float]
    over: dict[int, float] = field(default_factory=dict)
    ran: dict[int, float] = field(default_factory=dict)

    @property
    def first(self) -> float:
        """Its first submission."""
        return self.submit[0]

    @property
    def last(self) -> float:
        """Its last submission, L."""
        return self.submit[-1]

    @property
    def end(self) -> float:
        """When all of it was over; infinite while it is not."""
        return max(self.over.get(job.row, math.inf) for job in self.jobs)

    @property
    def longest(self) -> float:
        """The run time of the job that ended last."""
        return max((self.over[job.row], job.row, self.ran[job.row]) for job in self.jobs)[2]


@dataclass
class Hazard:
    """The hazard of one user: the tables, with the user's class and level."""

    tables: object
    calendar: object
    group: int = 0
    level: Sequence[float] | None = None

    def cell(self, time: float) -> int:
        """The cell of the clock."""
        cells = self.calendar.cells
        hour = math.floor((time - self.calendar.first) / HOUR)
        if hour < 0:
            return int(cells[0])
        while hour >= len(cells):
            hour -= 168
        return int(cells[hour])

    def __call__(self, time: float, batches: Sequence[Batch], looks: Sequence[tuple[float, int]]) -> float:
        """The hazard (1/s) at a time after the submission of the last of these batches."""
        own = self.tables
        since = batches[-1].last
        ended = [(end, number) for number, end in enumerate([batch.end for batch in batches]) if end <= time]
        outstanding = len(batches) - len(ended)
        s = min(outstanding, 2)
        a = bin_of(own.since_submission, time - since)
        e = len(own.since_end)
        i, j = len(own.response_edges), len(own.slowdown_edges)
        if ended:
            end, number = max(ended)
            batch = batches[number]
            if end >= since:
                e = bin_of(own.since_end, time - end)
            response = end - batch.first
            i = bin_of(own.response_edges, response)
            j = bin_of(own.slowdown_edges, response / max(batch.longest, SHORT))
        g = int(own.regime[self.group, s, e, a])
        k = bin_of(own.queue_edges, [seen for when, seen in looks if when <= time][-1])
        latest = batches[-1]
        done = sum(latest.over.get(job.row, math.inf) <= time for job in latest.jobs) / len(latest.jobs)
        d = bin_of(own.done_edges, done)
        p = bin_of(own.position_edges, position(batches, own.break_))
        c = self.group
        parts = [
            0.0 if self.level is None else self.level[g], own.base[c, s, e, a], own.clock[c, g, self.cell(time)],
            own.response[c, g, i], own.slowdown[c, g, j], own.queue[c, g, k], own.done[c, g, d], own.position[c, g, p],
        ]  # fmt: skip
        return math.exp(math.fsum(parts)) if min(parts) > -math.inf else 0.0

    def pieces(
        self, batches: Sequence[Batch], looks: Sequence[tuple[float, int]], until: float
    ) -> Iterator[tuple[float, float]]:
        """The pieces of the time from L on, up to some time, in which the hazard cannot jump."""
        since = batches[-1].last
        overs = sorted({over for batch in batches for over in batch.over.values() if over > since})
        jumps = {since + edge for edge in self.tables.since_submission}
        jumps |= {end + edge for end in [since, *overs] for edge in self.tables.since_end} | set(overs)
        jumps |= {when for when, _ in looks}
        ahead = sorted(each for each in jumps if each > since)
        hour = math.floor((since - self.calendar.first) / HOUR)
        low = since
        while low < until:
            while self.calendar.first + hour * HOUR <= low:
                hour += 1
            high = min([until, self.calendar.first + hour * HOUR, *ahead[:1]])
            if high > low:
                yield low, high
            low = max(low, high)
            while ahead and ahead[0] <= low:
                ahead.pop(0)

    def area(self, low: float, high: float, batches: Sequence[Batch], looks: Sequence[tuple[float, int]]) -> float:
        """The integral over a piece, in which the hazard is what it is in the middle."""
        return (high - low) * self((low + high) / 2, batches, looks)

    def integral(self, until: float, batches: Sequence[Batch], looks: Sequence[tuple[float, int]]) -> float:
        """The integral from L to a time."""
        return math.fsum(self.area(*piece, batches, looks) for piece in self.pieces(batches, looks, until))

    def reached(self, aim: float, batches: Sequence[Batch], looks: Sequence[tuple[float, int]]) -> float:
        """When the integral from L reaches a number, if nothing else happens; infinite if it never does."""
        if aim <= 0.0:
            return batches[-1].last
        settled = self.settled(batches)
        total, week = 0.0, (settled, 0.0)
        for low, high in self.pieces(batches, looks, math.inf):
            if low >= week[0] + WEEK:
                if total == week[1]:
                    return math.inf
                week = (low, total)
            area = self.area(low, high, batches, looks)
            if total + area >= aim * (1 - NEARLY):
                return min(low + (aim - total) / area * (high - low), high)
            total += area
        raise AssertionError("time has no end")

    def settled(self, batches: Sequence[Batch]) -> float:
        """From when on the hazard repeats itself from week to week, if nothing else happens."""
        overs = [over for batch in batches for over in batch.over.values()]
        last = max([batches[-1].last, *overs])
        edges = max(float(self.tables.since_submission[-1]), float(self.tables.since_end[-1]))
        return max(last + edges, self.calendar.first + len(self.calendar.cells) * HOUR)


def bin_of(edges: Sequence[float], value: float) -> int:
    """The bin of a number: the last one that begins at or before it."""
    return bisect_right(edges, value) - 1


def position(batches: Sequence[Batch], break_: float) -> int:
    """How many batches there were since the last break."""
    count = 0
    for number, batch in enumerate(batches):
        broke = number > 0 and batch.first - batches[number - 1].last > break_
        count = 1 if broke or number == 0 else count + 1
    return count


def to_grid(time: float) -> float:
    """The nearest point of the grid."""
    return round(time / TICK) * TICK


# -- what is kept of a log -----------------------------------------------------------------------------------


def recorded_looks(batches: Sequence[Batch], jobs: Sequence[LogJob]) -> list[tuple[float, int]]:
    """What the user saw in the log."""
    times = sorted({batch.first for batch in batches} | {batch.end for batch in batches})
    return [(time, sum(job.submit < time <= job.left for job in jobs)) for time in times]


def recorded_batches(own: Sequence[LogJob]) -> list[Batch]:
    """The batches of a user, as they went in the log."""
    return [
        Batch(
            jobs,
            [job.submit for job in jobs],
            {job.row: job.end for job in jobs},
            {job.row: job.runtime for job in jobs},
        )
        for jobs in batches_of(own)
    ]


@dataclass(frozen=True)
class Kept:
    """What is kept of the gap before a batch, whose first job is in a row."""

    first: int
    integral: float
    """Up to half a second after the submission."""
    aim: float
    extra: float
    least: float = 0.0


def kept(jobs: Sequence[LogJob], own: Sequence[LogJob], hazard: Hazard) -> list[Kept]:
    """What is kept of each batch of a user but the first."""
    batches = recorded_batches(own)
    return [
        kept_of(batches[:number], recorded_looks(batches[:number], jobs), batches[number], hazard)
        for number in range(1, len(batches))
    ]


def kept_of(before: Sequence[Batch], looks: Sequence[tuple[float, int]], this: Batch, hazard: Hazard) -> Kept:
    """What is kept of the gap between some batches and the next one."""
    row, time, last = this.jobs[0].row, this.first, before[-1].last
    whole = hazard.integral(time + HALF, before, looks)
    for half in (HALF, 0.0):
        aim = hazard.integral(time + half, before, looks)
        late = time + half - hazard.reached(aim, before, looks)
        found = Kept(row, whole, aim, HALF - half + (late if late > TICK / 4 else 0.0))
        if not comes_early(before, looks, time, found, hazard):
            return found
    return replace(found, least=time - last)


def comes_early(
    before: Sequence[Batch], looks: Sequence[tuple[float, int]], time: float, found: Kept, hazard: Hazard
) -> bool:
    """Whether a batch would come before an end that was before it, or in the round before it."""
    ends = {(end, batch.ran[row] <= 0) for batch in before for row, end in batch.over.items() if end <= time}
    known = (-math.inf, False)
    for end, second in sorted(ends):
        seen = [replace(batch, over={row: at for row, at in batch.over.items() if (at, batch.ran[row] <= 0) <= known})
                for batch in before]  # fmt: skip
        due = release(hazard, found, seen, [look for look in looks if look[0] <= max(known[0], before[-1].first)])
        due = max(due, known[0])
        if (due < end or (second and due == end)) and due < time:
            return True
        known = (end, second)
    return False


def release(hazard: Hazard, found: Kept, batches: Sequence[Batch], looks: Sequence[tuple[float, int]]) -> float:
    """When the next batch comes, if nothing else happens."""
    reached = hazard.reached(found.aim, batches, looks)
    last = batches[-1].last
    return max(to_grid(reached - HALF + found.extra), last + found.least) if reached < math.inf else math.inf
