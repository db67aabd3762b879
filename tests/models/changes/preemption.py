"""Whom EASY sends away for a job of higher rank (section 8)."""

from collections.abc import Callable

from tests.models.changes.case import Case
from tests.models.changes.pictures import Picture
from tests.models.changes.tasks import Task


def spare(taken: list[Task], room: Callable[[list[Task]], int]) -> list[Task]:
    """Those of the taken who are needed (section 5): from the last taken to the first, a job that is not is spared.

    `room` is what there is without some jobs, less what is needed. A job is not needed if there is enough without
    sending it away, or as much as with it.
    """
    needed = list(taken)
    for task in reversed(taken):
        others = [other for other in needed if other is not task]
        if room(others) >= min(0, room(needed)):
            needed = others
    return needed


class Preemption:
    """The choice of victims in one pass. No job is sent away twice."""

    def __init__(self, case: Case, tasks: list[Task]) -> None:
        self.case, self.options = case, case.options
        self.running = [task for task in tasks if task.state == "running"]
        self.sent: list[Task] = []

    def victims(self, picture: Picture, task: Task, fits: Callable[[Picture], bool]) -> list[Task] | None:
        """Who has to leave so that a job fits at the end of the grace; None if no set is enough, or none is lower."""
        if not any(other.rank < task.rank for other in self.running):
            return None
        time = picture.now + self.options.grace

        def enough(gone: list[Task]) -> bool:
            trial = picture.without()
            for victim in gone:
                trial.send_away(victim, time, task)
            return fits(trial)

        taken: list[Task] = []
        for candidate in [None, *self._candidates(picture, task)]:
            taken += [candidate] if candidate else []
            if enough(taken):
                return spare(taken, lambda gone: 0 if enough(gone) else -1)
        return None

    def at_end_of_grace(self, task: Task) -> Callable[[Picture], bool]:
        """Whether a job fits into a picture at the end of the grace."""
        return lambda picture: picture.fits(task, picture.now + self.options.grace) is not None

    def send_away(self, picture: Picture, task: Task, victims: list[Task]) -> None:
        """The victims leave the picture at the end of the grace."""
        for victim in victims:
            picture.send_away(victim, picture.now + self.options.grace, task)
        self.sent += victims

    def _candidates(self, picture: Picture, task: Task) -> list[Task]:
        found = [other for other in self.running if self._may_go(picture, other) and other.rank < task.rank]
        found.sort(key=lambda other: (other.start, other.job.id), reverse=True)
        if self.options.victims == "lowest":
            found.sort(key=lambda other: other.rank)
        return found

    def _may_go(self, picture: Picture, other: Task) -> bool:
        admitted = any(w.start <= picture.now < w.end and w.admits(other.job) for w in picture.windows)
        ran = picture.now - other.start
        noticed = other.notice is not None or other in self.sent
        return 0 < ran >= self.options.exempt and not noticed and not admitted
