"""What a pass decides under each rule (section 4), on processors and on nodes alike."""

from dataclasses import dataclass, field

from tests.models.changes.case import INF, Case, Time
from tests.models.changes.decision import Decision
from tests.models.changes.easy_on_nodes import EasyOnNodes
from tests.models.changes.pictures import Picture
from tests.models.changes.preemption import Preemption
from tests.models.changes.tasks import Task


@dataclass
class News:
    """What happened in a round before its pass."""

    ended: bool = False
    """A job ended, was interrupted, withdrawn or refused."""
    came_back: bool = False
    """A processor is up that was down."""
    outage_began: bool = False
    announced: bool = False
    requeued: list[Task] = field(default_factory=list)
    """Jobs that were interrupted and are in the queue again."""


def in_order(case: Case, now: int, waiting: list[Task]) -> list[Task]:
    """The queue: admitted now, rank, key, submission, id."""
    open_now = [w for w in case.windows if w.start <= now < w.end]

    def key(task: Task) -> tuple[float, ...]:
        own = {"fcfs": 0, "sjf": task.planned, "largest": -task.job.processors}[case.options.order]
        admitted = any(w.admits(task.job) for w in open_now)
        return (not admitted, -task.rank, own, task.queued, task.job.id)

    return sorted(waiting, key=key)


class Rules:
    """The pass of a case. Conservative remembers its reservations in the tasks; the others remember nothing."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.broken = 0

    def decide(self, picture: Picture, queue: list[Task], tasks: list[Task], news: News) -> Decision:
        options = self.case.options
        if options.rule == "conservative":
            return self._conservative(picture, queue, news)
        if options.rule == "easy" and options.n == 1 and not isinstance(self.case.machine, int):
            return EasyOnNodes(self.case, picture, tasks).walk(queue)
        preemption = Preemption(self.case, tasks) if options.preempt else None
        if options.rule == "none":
            return _heads(picture, queue, preemption)
        places = {"no-guarantee": 0, "easy": options.n, "conservative-dynamic": INF}[options.rule]
        return _backfill(picture, queue, places, preemption)

    def _conservative(self, picture: Picture, queue: list[Task], news: News) -> Decision:
        for task in queue:
            if task.reserved is not None and task.reserved < INF:
                picture.put(task, task.reserved, task.place)
        broken = self._break(picture, queue) if news.outage_began or news.announced else []
        for task in queue:
            if task in broken or task in news.requeued:
                _reserve_earliest(picture, task)
        self._sweep(picture, queue, news)
        for task in queue:
            if task.reserved is None or task.reserved == INF:
                _reserve_earliest(picture, task)
        return self._start_due(picture, queue)

    def _break(self, picture: Picture, queue: list[Task]) -> list[Task]:
        """Take out all reservations and put back those that still fit; the others are broken."""
        reserved = [task for task in queue if task.reserved is not None and task.reserved < INF]
        broken = []
        for task in reserved:
            picture.take(task)
        for task in reserved:
            assert task.reserved is not None
            if picture.still_fits(task):
                picture.put(task, task.reserved, task.place)
            else:
                broken.append(task)
        self.broken += len(broken)
        return broken

    def _sweep(self, picture: Picture, queue: list[Task], news: News) -> None:
        compress = self.case.options.compress
        unknown = self.case.options.repairs == "unknown"
        due = news.ended or (unknown and news.came_back)
        held = [task for task in queue if task.reserved is not None]
        if compress == "event" or (compress == "completion" and due):
            for task in held:
                _move_up(picture, task)
        elif compress == "scheduled" and due:
            for task in held:
                picture.take(task)
            for task in sorted(held, key=lambda task: task.reserved or 0):  # stable: equal ones in queue order
                _reserve_earliest(picture, task)

    def _start_due(self, picture: Picture, queue: list[Task]) -> Decision:
        """Start jobs whose time has come. One without its processors is broken and gets its earliest fit."""
        decision = Decision()
        due = [task for task in queue if task.reserved is not None and task.reserved <= picture.now]
        for number, task in enumerate(due):
            picture.take(task)
            if not picture.without(due[number + 1 :]).has_room(task):
                self.broken += 1
                _reserve_earliest(picture, task)
                if task.reserved != picture.now:
                    continue
                picture.take(task)
            decision.start(picture, task, task.place)
        return decision


def _heads(picture: Picture, queue: list[Task], preemption: Preemption | None) -> Decision:
    """Start heads of the queue while they fit, or while others make room for them."""
    decision = Decision()
    for task in queue:
        if picture.fits(task, picture.now) is None and preemption is not None:
            _make_room(picture, task, preemption, decision)
        place = picture.fits(task, picture.now)
        if place is None:
            break
        decision.start(picture, task, place)
    return decision


def _backfill(picture: Picture, queue: list[Task], places: Time, preemption: Preemption | None) -> Decision:
    """Along the queue, start what fits; the first `places` jobs that do not reserve their earliest fit."""
    decision = Decision()
    for task in queue:
        place = picture.fits(task, picture.now)
        counts = True
        if place is None and preemption is not None and _make_room(picture, task, preemption, decision):
            place = picture.fits(task, picture.now)
            counts = False
        if place is not None:
            decision.start(picture, task, place)
        elif places > 0 or not counts:
            places -= counts
            at, place = picture.earliest(task)
            if at < INF:
                picture.put(task, at, place)
    return decision


def _make_room(picture: Picture, task: Task, preemption: Preemption, decision: Decision) -> bool:
    """Send away who has to leave so that a job fits at the end of the grace, if there is such a set."""
    victims = preemption.victims(picture, task, preemption.at_end_of_grace(task))
    if victims is None:
        return False
    decision.send_away(victims, task, preemption.options.grace)
    preemption.send_away(picture, task, victims)
    return True


def _reserve_earliest(picture: Picture, task: Task) -> None:
    at, place = picture.earliest(task)
    task.reserve(at, place)
    if at < INF:
        picture.put(task, at, place)


def _move_up(picture: Picture, task: Task) -> None:
    """Take a job out and put it in at its earliest fit, if that is earlier, else where it was."""
    assert task.reserved is not None
    picture.take(task)
    at, place = picture.earliest(task)
    if at < task.reserved:
        task.reserve(at, place)
    if task.reserved < INF:
        picture.put(task, task.reserved, task.place)
