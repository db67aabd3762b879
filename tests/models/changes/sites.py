"""Who leaves when a window begins, which processors a job gets, and what a pass sees of them."""

from tests.models.changes.case import Case, Window
from tests.models.changes.pictures import Picture, Place, PoolPicture
from tests.models.changes.preemption import spare
from tests.models.changes.tasks import Task


class Site:
    """What pools and nodes have in common; `sees` is the picture that is made of them."""

    sees: type[Picture]

    def __init__(self, case: Case) -> None:
        self.case = case

    def picture(self, now: int, tasks: list[Task]) -> Picture:
        return self.sees(self.case, now, tasks)

    def empty(self, now: int) -> Picture:
        """The machine without jobs and with nothing down."""
        return self.sees(self.case, now, ideal=True)


class PoolSite(Site):
    """A pool of processors."""

    sees = PoolPicture

    def is_kept(self, task: Task) -> bool:
        """Whether a failure hits a suspended job: a window and a suspended job keep numbers, no indices."""
        return False

    def to_clear(
        self, window: Window, candidates: list[Task], running: list[Task], down: set[int], now: int
    ) -> list[Task]:
        """Youngest first until the sum of section 5 is not negative, less those who are not needed."""
        begun = [w for w in self.case.windows if w.start <= now < w.end and w.rule != "wait"]

        def room(gone: list[Task]) -> int:
            stays = [task.job for task in running if task not in gone]
            holds = [max(0, w.processors - sum(job.width for job in stays if w.admits(job))) for w in begun]
            return self.case.size - len(down) - sum(job.width for job in stays) - sum(holds)

        taken: list[Task] = []
        for task in candidates:
            if room(taken) >= 0:
                break
            taken.append(task)
        return spare(taken, room)

    def indices(self, task: Task, place: Place, running: list[Task], now: int) -> tuple[int, ...]:
        """The lowest idle processors that are up."""
        busy = {i for other in running for i in other.indices}
        down = {i for o in self.case.outages if o.start <= now < o.end for i in o.indices}
        return tuple([i for i in range(self.case.size) if i not in busy | down][: task.job.width])
