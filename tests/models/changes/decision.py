"""What a pass decides."""

from dataclasses import dataclass, field

from tests.models.changes.pictures import Picture, Place
from tests.models.changes.tasks import Task


@dataclass
class Decision:
    """What a pass wants: jobs to start, in this order, and jobs to send away for the sake of others."""

    starts: list[tuple[Task, Place]] = field(default_factory=list)
    preempted: list[tuple[Task, Task]] = field(default_factory=list)
    """Victims that leave at once, each with the job it makes room for."""
    noticed: list[tuple[Task, Task]] = field(default_factory=list)
    """Victims that leave at the end of their grace."""

    def send_away(self, victims: list[Task], preemptor: Task, grace: int) -> None:
        pairs = [(victim, preemptor) for victim in victims]
        if grace:
            self.noticed += pairs
        else:
            self.preempted += pairs

    def start(self, picture: Picture, task: Task, place: Place) -> None:
        picture.put(task, picture.now, place)
        self.starts.append((task, place))
