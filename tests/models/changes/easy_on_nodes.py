"""EASY with one reservation on nodes: the text of the design page, for the whole planned length (section 11).

A later job that can be placed now starts if it ends by the shadow time, or if the head can still be placed then with
this job's nodes in use. Otherwise it is tried once more besides the places that the head has at the shadow time.
"""

from tests.models.changes.case import INF, Case, Time
from tests.models.changes.decision import Decision
from tests.models.changes.pictures import Picture, Place
from tests.models.changes.preemption import Preemption
from tests.models.changes.tasks import Task


class EasyOnNodes:
    """One pass."""

    def __init__(self, case: Case, picture: Picture, tasks: list[Task]) -> None:
        self.picture = picture
        self.preemption = Preemption(case, tasks) if case.options.preempt else None
        self.head: Task | None = None
        self.shadow: Time = INF
        self.decision = Decision()

    def walk(self, queue: list[Task]) -> Decision:
        for task in queue:
            place = self.start_place(self.picture, task)
            if place is not None:
                self.decision.start(self.picture, task, place)
            elif not self.preempts(task) and self.head is None:
                self.head = task
                self.shadow, _ = self.picture.earliest(task)
        return self.decision

    def start_place(self, picture: Picture, task: Task) -> Place | None:
        """Where a job may start now, or None."""
        now = picture.now
        place = picture.fits(task, now)
        if place is None or self.head is None or now + task.planned <= self.shadow:
            return place
        with_task = picture.without()
        with_task.put(task, now, place)
        if with_task.fits(self.head, self.shadow) is not None:
            return place
        with_head = self.with_head(picture)
        return None if with_head is None else with_head.fits(task, now)

    def with_head(self, picture: Picture) -> Picture | None:
        """The picture with the head in the places that it has at the shadow time.

        None if it has none there any more, which happens where jobs are suspended, since they keep their memory.
        """
        if self.head is None or self.shadow == INF:
            return picture
        place = picture.fits(self.head, self.shadow)
        if place is None:
            return None
        with_head = picture.without()
        with_head.put(self.head, self.shadow, place)
        return with_head

    def preempts(self, task: Task) -> bool:
        """Make room for a job of higher rank, if that is possible: it starts, or it has a reservation."""
        if self.preemption is None:
            return False
        grace = self.preemption.options.grace

        def fits(trial: Picture) -> bool:
            if not grace:
                return self.start_place(trial, task) is not None
            with_head = self.with_head(trial)
            return with_head is not None and with_head.fits(task, trial.now + grace) is not None

        victims = self.preemption.victims(self.picture, task, fits)
        if victims is None:
            return False
        self.decision.send_away(victims, task, grace)
        self.preemption.send_away(self.picture, task, victims)
        place = self.start_place(self.picture, task)
        if place is not None:  # with grace, too, if only the victims' later hours were in the way
            self.decision.start(self.picture, task, place)
        else:
            with_head = self.with_head(self.picture)
            assert grace and with_head is not None
            self.picture.put(task, *with_head.earliest(task))
        return True
