"""What a pass knows of the machine (section 4): who is where until when, the windows, and what is down.

A picture is made for one pass, with the running jobs until their expected ends. Rules put jobs into it, as started or
as reserved, and ask it whether another one fits.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Self

from tests.models.changes.case import INF, Case, Time, Window
from tests.models.changes.tasks import Task

Place = tuple[int, ...]
"""The node of each piece; on a pool, where no job is given a place before the start, always empty."""


@dataclass
class Stay:
    """A job that is present over [begin, end)."""

    task: Task
    begin: Time
    end: Time
    place: Place


@dataclass
class Kept:
    """What a suspended job keeps over [begin, end), and for whom it was suspended."""

    task: Task
    begin: Time
    end: Time
    place: Place
    preemptor: Task | None


class Picture(ABC):
    """The machine as seen at `now`, and later times as far as they are known."""

    def __init__(self, case: Case, now: int, tasks: Iterable[Task] = (), ideal: bool = False) -> None:
        self.case, self.now = case, now
        self.ideal = ideal
        """Whether it is to be seen as if nothing were down."""
        self.windows = [w for w in case.windows if w.announced <= now]
        self.stays: list[Stay] = []
        self.kept: list[Kept] = []
        for task in tasks:
            if task.state == "running":
                self._show_running(task)
            elif task.suspended:
                self.kept.append(Kept(task, now, INF, task.indices, task.preemptor))

    def _show_running(self, task: Task) -> None:
        self.stays.append(Stay(task, self.now, task.expected_end(self.now), task.indices))
        if task.notice is not None:
            self.send_away(task, task.notice, task.preemptor)

    @abstractmethod
    def fits(self, task: Task, at: Time) -> Place | None:
        """A place for the whole planned length of a task from `at` on, or None."""

    @abstractmethod
    def has_room(self, task: Task) -> bool:
        """Whether there is room at this very moment for what a task has reserved, whatever comes later."""

    @abstractmethod
    def still_fits(self, task: Task) -> bool:
        """Whether a task fits at the time, and at the place, that it has reserved."""

    def earliest(self, task: Task) -> tuple[Time, Place]:
        """The earliest fit: the first time at which it fits, or ∞. More room can only begin where something changes."""
        for at in [self.now, *self.changes()]:
            place = self.fits(task, at)
            if place is not None:
                return at, place
        return INF, ()

    def changes(self) -> list[Time]:
        """All times after now at which anything known changes."""
        times: set[Time] = {time for stay in self.stays for time in (stay.begin, stay.end)}
        times |= {time for kept in self.kept for time in (kept.begin, kept.end)}
        times |= {time for w in self.windows for time in (w.start, w.end)}
        if self.case.options.repairs == "told":
            times |= {o.end for o in self.case.outages if o.start <= self.now}
        return sorted(time for time in times if self.now < time < INF)

    def instants(self, at: Time, length: int) -> list[Time]:
        """The times in [at, at + length) at which room has to be looked at."""
        return [at, *(time for time in self.changes() if at < time < at + length)]

    def down(self, at: Time) -> set[int]:
        """What is down at a time, as far as is known now."""
        if self.ideal:
            return set()
        told = self.case.options.repairs == "told"
        return {
            index
            for outage in self.case.outages
            if outage.start <= self.now < outage.end and (at < outage.end or not told)
            for index in outage.indices
        }

    def closed_to(self, task: Task, at: Time) -> list[Window]:
        """The windows that are open at a time and do not admit a job."""
        return [w for w in self.windows if w.start <= at < w.end and not w.admits(task.job)]

    def present(self, at: Time) -> list[Stay]:
        return [stay for stay in self.stays if stay.begin <= at < stay.end]

    def kept_from(self, task: Task, at: Time) -> list[Kept]:
        return [kept for kept in self.kept if kept.begin <= at < kept.end and kept.task is not task]

    def put(self, task: Task, at: Time, place: Place) -> None:
        """A waiting job is present from a time on; if it was suspended, it keeps until then what it keeps."""
        self.stays.append(Stay(task, at, at + task.planned, place))
        for kept in self.kept:
            if kept.task is task:
                kept.end = min(kept.end, at)

    def take(self, task: Task) -> None:
        self.stays = [stay for stay in self.stays if stay.task is not task]

    def send_away(self, task: Task, at: Time, preemptor: Task | None) -> None:
        """A running job leaves at a time for the sake of another one, unless it ends before."""
        for stay in self.stays:
            if stay.task is task and stay.end > at:
                stay.end = at
                if self.case.options.preempt == "suspend":
                    self.kept.append(Kept(task, at, INF, stay.place, preemptor))

    def without(self, tasks: Sequence[Task] = ()) -> Self:
        """A copy in which some jobs are not present."""
        other = copy(self)
        other.stays = [replace(stay) for stay in self.stays if stay.task not in tasks]
        other.kept = [replace(kept) for kept in self.kept]
        return other

    def occupied(self, task: Task, at: Time, cores: Callable[[Stay | Kept], int]) -> int:
        """The processors in use at a time, and those that suspended jobs keep from `task` (`suspended_holds`).

        What a job keeps is for itself and for the job that preempted it, which uses it first. So a preempting job
        and its victims together occupy the larger of what it uses and what they keep, and so on if the
        preempting job is suspended in its turn.
        """
        present = self.present(at)
        if self.case.options.suspended_holds != "all":
            return sum(map(cores, present))
        kept = self.kept_from(task, at)
        known = [task, *(stay.task for stay in present), *(k.task for k in kept)]

        def footprint(stay: Stay | Kept) -> int:
            return max(cores(stay), sum(footprint(k) for k in kept if k.preemptor is stay.task))

        return sum(map(footprint, present)) + sum(footprint(k) for k in kept if k.preemptor not in known)


class PoolPicture(Picture):
    """A pool of processors, where room is a number."""

    def free(self, task: Task, at: Time) -> int:
        down = len(self.down(at))
        held = sum(self.hold(w, at) for w in self.closed_to(task, at))
        return self.case.size - down - self.occupied(task, at, lambda stay: stay.task.job.width) - held

    def hold(self, window: Window, at: Time) -> int:
        """What a window still keeps: its processors less those of the jobs it admits."""
        inside = sum(stay.task.job.width for stay in self.present(at) if window.admits(stay.task.job))
        return max(0, window.processors - inside)

    def fits(self, task: Task, at: Time) -> Place | None:
        enough = all(self.free(task, time) >= task.job.width for time in self.instants(at, task.planned))
        return () if enough else None

    def has_room(self, task: Task) -> bool:
        return self.free(task, self.now) >= task.job.width

    def still_fits(self, task: Task) -> bool:
        return task.reserved is not None and self.fits(task, task.reserved) is not None
