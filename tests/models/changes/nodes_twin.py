"""A machine of nodes (section 11): room is on nodes, and a job is in a place, with each piece on a node of its own."""

from tests.models.changes.case import Node, Time, Window
from tests.models.changes.pictures import Kept, Picture, Place, Stay
from tests.models.changes.sites import Site
from tests.models.changes.tasks import Task


class NodePicture(Picture):
    """What each node has left. A place is good for a job if it is for the whole of its planned length."""

    def left(self, task: Task, node: int, at: Time) -> Node:
        """What a node can give to a job at a time: nothing if it is down or in a window that does not admit the job."""
        assert not isinstance(self.case.machine, int)
        if node in self.down(at) or any(node in window.nodes for window in self.closed_to(task, at)):
            return Node(0, -1)

        def cores(stay: Stay | Kept) -> int:
            return stay.task.job.cores if node in stay.place else 0

        has = self.case.machine[node]
        places = [(s.task, s.place) for s in self.present(at)] + [(k.task, k.place) for k in self.kept_from(task, at)]
        memory = sum(other.job.memory for other, place in places if node in place)
        return Node(has.cores - self.occupied(task, at, cores), has.memory - memory)

    def takes_piece(self, task: Task, node: int, times: list[Time]) -> bool:
        """Whether a node has room for a piece of a job at all of some times."""
        rooms = [self.left(task, node, time) for time in times]
        return all(room.cores >= task.job.cores and room.memory >= task.job.memory for room in rooms)

    def fits(self, task: Task, at: Time) -> Place | None:
        """The first nodes that have room; for a suspended job, its own nodes."""
        times = self.instants(at, task.planned)
        nodes = task.indices if task.suspended else range(self.case.size)
        place = tuple([node for node in nodes if self.takes_piece(task, node, times)][: task.job.width])
        return place if len(place) == task.job.width else None

    def has_room(self, task: Task) -> bool:
        return all(self.takes_piece(task, node, [self.now]) for node in task.place)

    def still_fits(self, task: Task) -> bool:
        assert task.reserved is not None
        times = self.instants(task.reserved, task.planned)
        return all(self.takes_piece(task, node, times) for node in task.place)


class NodeSite(Site):
    """A machine of nodes."""

    sees = NodePicture

    def is_kept(self, task: Task) -> bool:
        """Whether a failure of its nodes hits a job that does not run: one that is suspended there."""
        return task.suspended

    def to_clear(
        self, window: Window, candidates: list[Task], running: list[Task], down: set[int], now: int
    ) -> list[Task]:
        """All that are on the window's nodes; none is chosen."""
        return [task for task in candidates if set(task.indices) & set(window.nodes)]

    def indices(self, task: Task, place: Place, running: list[Task], now: int) -> tuple[int, ...]:
        return place
