"""What is free when, as a pass of Slurm's scheduler sees it: running jobs, reservations and windows on named nodes.

Everything is recomputed at each question from three lists.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from tests.models.policies.slurm.allocators import ALLOCATORS, Room
from tests.models.policies.slurm.case import Case, Cpus, Job


@dataclass(frozen=True)
class Running:
    """A job that runs. What is known of its end is `end`, at which its limit is over."""

    job: Job
    start: int
    cpus: Cpus

    @property
    def end(self) -> int:
        return self.start + self.job.limit


@dataclass(frozen=True)
class Reservation:
    """CPUs that are kept for a waiting job over [begin, end); nothing is kept if it is empty."""

    begin: int
    end: int
    cpus: Cpus


@dataclass
class Timeline:
    """The picture of one pass, at time `now`; the pass adds what it starts and reserves."""

    case: Case
    now: int
    running: list[Running]
    reservations: list[Reservation] = field(default_factory=list)

    def earliest(self, job: Job) -> tuple[int, Cpus] | None:
        """The earliest time from now on at which a job can start, and where it then does; None if it never can."""
        for time in self._candidates():
            cpus = self.place(job, time)
            if cpus is not None:
                return time, self._first_choice(job, time) or cpus
        return None

    def _first_choice(self, job: Job, time: int) -> Cpus | None:
        """Where a job would be if nodes are looked up at its start: with as few running jobs gone as will do."""
        if time not in self._looks():
            return None
        for gone in sorted({self.now, *(left for left in self._leaving().values() if self.now < left <= time)}):
            cpus = self.place(job, time, gone=gone)
            if cpus is not None:
                return cpus
        return None

    def _candidates(self) -> list[int]:
        """Now, and all later times at which something gets free."""
        times = {*self._leaving().values(), *(r.end for r in self.reservations), *(w.end for w in self.case.windows)}
        return [self.now, *sorted(time for time in times if time > self.now)]

    def place(self, job: Job, time: int, closed: Collection[int] = (), gone: int | None = None) -> Cpus | None:
        """The CPUs on which a job would start at a time, off the closed nodes; None if it does not fit then.

        With `gone`, only running jobs that have left by that earlier time make room.
        """
        room: Room = {}
        idle: Room = {}
        for node in sorted(self.case.partition(job).difference(closed)):
            pieces = self._pieces(job, node, time, time if gone is None else gone)
            if pieces > 0:
                room[node], idle[node] = pieces, self.case.nodes[node] if job.nodes else pieces
        taken = ALLOCATORS[self.case.options.allocator](job.nodes or job.cpus, room, idle)
        if taken is None:
            return None
        return {node: self.case.nodes[node] if job.nodes else pieces for node, pieces in taken.items()}

    def open(self, job: Job, node: int, time: int) -> bool:
        """Whether no window is on a node from a time on until a job's limit."""
        return not any(node in w.nodes and w.start < time + job.limit and time < w.end for w in self.case.windows)

    def _pieces(self, job: Job, node: int, time: int, gone: int) -> int:
        """How many pieces of a job fit on a node from a time on until its limit."""
        if not self.open(job, node, time):
            return 0
        most = max(self._used(node, moment, (gone, time)) for moment in self._moments(job, time))
        if job.nodes:
            return int(most == 0)
        return max(0, self.case.nodes[node] - most)

    def _moments(self, job: Job, time: int) -> list[int]:
        """The moments of a job at which most may be in use: its start, and the beginnings of reservations.

        One that begins at the end of the job is in its way if nodes are looked up at its start: now, or when a
        reservation or a window ends. Where it only waits for running jobs, the look was before.
        """
        end = time + job.limit
        edge = end if self.case.options.inclusive_edge and time in self._looks() else end - 1
        return [time, *(r.begin for r in self.reservations if time < r.begin <= edge)]

    def _looks(self) -> set[int]:
        """When nodes are looked up: now, and when reservations and windows end."""
        return {self.now, *(r.end for r in self.reservations), *(w.end for w in self.case.windows)}

    def _used(self, node: int, moment: int, stay: tuple[int, int]) -> int:
        """The CPUs of a node that running jobs and reservations use at a moment; those that leave in between stay."""
        left = {end: time for end, time in self._leaving().items() if moment >= time and not stay[0] < time <= stay[1]}
        there = sum(r.cpus.get(node, 0) for r in self.running if r.end not in left)
        return there + sum(r.cpus.get(node, 0) for r in self.reservations if r.begin <= moment < r.end)

    def _leaving(self) -> dict[int, int]:
        """For each end of a running job's limit, the time at which the job is taken to have left."""
        o = self.case.options
        return leaving({r.end for r in self.running}, o.groups, self.case.origin, o.bf_window_linear or 0)

    def reserve(self, job: Job, time: int, cpus: Cpus) -> None:
        """Keep CPUs, or the whole nodes they are on, for a job from a time on until its limit."""
        options = self.case.options
        whole = {node: self.case.nodes[node] for node in cpus}
        begin, end = self._rounded(time), self._rounded(time + job.limit)
        self.reservations.append(Reservation(max(self.now, begin), end, whole if options.whole_nodes else cpus))

    def _rounded(self, time: int) -> int:
        """The last multiple of bf_resolution that is not after a time."""
        return time - (time - self.case.origin) % (self.case.options.bf_resolution or 1)


def leaving(ends: Collection[int], grid: int, origin: int = 0, linear: int = 0) -> dict[int, int]:
    """For each end, the last end of its group, at which all of the group are taken to leave.

    With w = the first multiple of `grid` that is after the first end, the groups are the ends up to w + grid, then up
    to w + 2 grid, w + 4 grid, w + 8 grid, ...; with `linear`, to w + grid + linear, w + grid + 2 linear, ...
    """
    if not grid:
        return {end: end for end in ends}
    last: dict[int, int] = {}
    rest, reach = sorted(ends), grid
    after_first = rest[0] - (rest[0] - origin) % grid + grid if rest else 0
    while rest:
        group = [end for end in rest if end <= after_first + reach]
        for end in group:
            last[end] = group[-1]
        rest, reach = rest[len(group) :], reach + (linear or reach)
    return last
