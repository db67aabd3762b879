"""A brute-force scheduler of a machine that changes, written from its contract alone.

It shares no code with the package. Everything is looked at again at every instant, in the order of the contract
(section 3), and times are integers. `twin(case)` gives the `Outcome` of a `Case`.

Where the contract leaves something open, the twin reads it as follows.

Interruptions

* `Job(requeue=False)` is a job that nothing may put back into the queue: windows and preemptions that requeue kill it,
  too. `requeue=True` overrides `on_failure=cancel`, but no window that kills.
* `max_restarts` counts all interruptions, suspensions as well.
* `requeue_delay` holds for all of them as well. The job is not in the queue until then; it comes back among the
  submissions, so for conservative it is a newcomer of that instant. Whether it could never start any more is
  looked at when it is back. Withdrawn before, it is killed at once, and that is news of a withdrawal for sweeps.
* A run that is cut off by `window: kill`, `preempt=cancel` or `on_failure=cancel` loses what was not saved. Only
  suspensions and the user's own cancellations keep all work.
* A suspended job on nodes that is hit by a failure keeps the work that it had done (it is safe by section 8). It
  counts as interrupted once more, may go on anywhere, and queues as after any failure; it has no run of its own for it.
* What leaves in phase 5 calls for another round even if it was cancelled.

Conservative

* Jobs that were interrupted in the round get their earliest fit in (a0), together with broken ones and before the
  sweep, also if no outage began and no window was announced.
* An outage begins even if all it names is down already. A processor came back if it was down and is not any more.
* `promised` is the first finite reservation; who is at ∞ has none yet.
* In (c), due jobs are taken in queue order; others that are due do not count until they have started.
* `scheduled` inserts in order of reserved start, then queue order, jobs at ∞ last. A later start is not counted as
  broken.

Preemption

* `exempt` looks at the current run alone. A job that is admitted now is no victim, but may be outranked.
* The rules none, no-guarantee and conservative-dynamic preempt as EASY does, if they are asked to. Under none, a head
  that waits for the end of a grace holds up all behind it.
* With grace, a job that fits at t* without any victim is not counted among the n, whichever jobs make the room.
* Under EASY(1) on nodes, "fits" is "may start" in the sense of that rule, and at t*, a place beside the head's.

Suspended jobs

* `suspended_holds=all` keeps as many processors as the job had (on nodes, on its nodes). They are for itself and for
  the job that preempted it, which is taken to use them first. If that job is suspended in its turn, they pass on
  with it; if it is killed instead, as one interrupted too often, they are for the job that preempted this one. On a
  pool they are a number without indices, as in a window: failures do not hit them, and the job resumes anywhere.
* Windows that begin look at running jobs only. Suspended jobs stay where they are.
"""

from collections.abc import Iterator

from tests.models.changes.case import INF, Case, Outcome, Time, Window
from tests.models.changes.nodes_twin import NodeSite
from tests.models.changes.rules import News, Rules, in_order
from tests.models.changes.sites import PoolSite
from tests.models.changes.tasks import Task

BEFORE = -1
"""A time before everything."""


def twin(case: Case) -> Outcome:
    """The schedule of a case."""
    return Twin(case).run()


class Twin:
    """One run of one case."""

    def __init__(self, case: Case) -> None:
        self.case, self.options = case, case.options
        self.site = PoolSite(case) if isinstance(case.machine, int) else NodeSite(case)
        self.tasks = [Task(job, case) for job in case.jobs]
        self.by_id = {task.job.id: task for task in self.tasks}
        self.rules = Rules(case)
        self.now = BEFORE

    def run(self, until: Time = INF) -> Outcome:
        """The outcome after all instants, or after those up to `until`; jobs may then be running."""
        while (time := min(self._times(), default=INF)) <= until and time < INF:
            self.now = int(time) if time == int(time) else time
            self._instant()
        return Outcome(
            runs=tuple(run for task in self.tasks for run in task.runs),
            states={task.job.id: task.state for task in self.tasks},
            over={task.job.id: task.over for task in self.tasks if task.over is not None},
            promised={task.job.id: task.promised for task in self.tasks if task.promised is not None},
            broken=self.rules.broken,
        )

    def _times(self) -> Iterator[Time]:
        """All times after now at which there is an instant, while a job waits, runs or is to come."""
        if all(task.is_over for task in self.tasks):
            return
        for time in self._own_times():
            if time > self.now:
                yield time

    def _own_times(self) -> Iterator[Time]:
        for window in self.case.windows:
            yield from (window.announced, window.start, window.end)
        for outage in self.case.outages:
            yield from (outage.start, outage.end)
        yield from (time for time, job in self.case.withdrawals if not self.by_id[job].is_over)
        for task in self.tasks:
            if task.state == "future":
                yield task.job.submit
            elif task.state == "delayed":
                yield task.back
            elif task.state == "waiting" and task.reserved is not None:
                yield task.reserved
            elif task.state == "running":
                yield from (task.end, INF if task.notice is None else task.notice)

    # The phases of an instant.

    def _instant(self) -> None:
        """Rounds, as long as a job of no length or one that was preempted calls for another."""
        news, first, again = News(), True, True
        while again:
            self._ends(news, first)
            if first:
                self._changes(news)
            self._comings_and_goings(news)
            news.requeued = [task for task in news.requeued if task.state == "waiting"]
            news, again = self._pass(news)
            first = False

    def _ends(self, news: News, first: bool) -> None:
        """Phase 1a: completions, cancellations of running jobs, ends of grace."""
        for task in self._running():
            if task.end == self.now:
                task.complete()
                news.ended = True
        for time, job in self.case.withdrawals if first else ():
            if time == self.now and self.by_id[job].state == "running":
                self.by_id[job].cancel(self.now)
                news.ended = True
        for task in self._running():
            if task.notice == self.now:
                self._preempt(task, news)

    def _changes(self, news: News) -> None:
        """Phases 1b to 1e: repairs, failures, announcements, beginnings of windows."""
        down_before = {i for o in self.case.outages if o.start < self.now <= o.end for i in o.indices}
        down = {i for o in self.case.outages if o.start <= self.now < o.end for i in o.indices}
        news.came_back = not down_before <= down
        failing = {i for o in self.case.outages if o.start == self.now for i in o.indices}
        news.outage_began = any(o.start == self.now for o in self.case.outages)
        for task in self.tasks:
            if failing & set(task.indices) and (task.state == "running" or self.site.is_kept(task)):
                self._fail(task, news)
        news.announced = any(w.announced == self.now for w in self.case.windows)
        for window in self.case.windows:
            if window.start == self.now and window.rule != "wait":
                self._clear(window, down, news)

    def _clear(self, window: Window, down: set[int], news: News) -> None:
        """Phase 1e: jobs leave until the window has its processors."""
        in_the_way = [task for task in self._running() if not window.admits(task.job)]
        in_the_way.sort(key=lambda task: (task.start, task.job.id), reverse=True)
        for task in self.site.to_clear(window, in_the_way, self._running(), down, self.now):
            self._interrupt(task, "window", "cancel" if window.rule == "kill" else "requeue", news)

    def _comings_and_goings(self, news: News) -> None:
        """Phase 3: submissions, withdrawals, refusals of what could never start any more."""
        for task in self.tasks:
            if (task.state, task.job.submit) == ("future", self.now) or (task.state, task.back) == (
                "delayed",
                self.now,
            ):
                task.state = "waiting"
        for time, job in self.case.withdrawals:
            task = self.by_id[job]
            if time == self.now and task.state in ("waiting", "delayed"):
                task.close("killed" if task.runs else "withdrawn", self.now)
                news.ended = True
        for task in self._waiting():
            if self.site.empty(self.now).earliest(task)[0] == INF:
                task.close("killed" if task.runs else "refused", self.now)
                news.ended = True

    def _pass(self, news: News) -> tuple[News, bool]:
        """Phases 4 and 5. What happens in phase 5 is news of the next round, if there is one."""
        queue = in_order(self.case, self.now, self._waiting())
        decision = self.rules.decide(self.site.picture(self.now, self.tasks), queue, self.tasks, news)
        after = News()
        for task, preemptor in decision.preempted:
            task.preemptor = preemptor
            self._preempt(task, after)
        for task, preemptor in decision.noticed:
            task.notice, task.preemptor = self.now + self.options.grace, preemptor
        for task, place in decision.starts:
            task.begin(self.now, self.site.indices(task, place, self._running(), self.now))
        return after, bool(decision.preempted) or any(task.end == self.now for task in self._running())

    # Interruptions.

    def _preempt(self, task: Task, news: News) -> None:
        assert self.options.preempt is not None
        preemptor = task.preemptor
        self._interrupt(task, "preempted", self.options.preempt, news)
        for other in self.tasks:
            if other.suspended and other.preemptor is task and not task.suspended:
                other.preemptor = preemptor

    def _fail(self, task: Task, news: News) -> None:
        requeues = task.job.requeue
        if requeues is None:
            requeues = self.options.on_failure == "requeue"
        self._interrupt(task, "failed", "requeue" if requeues else "cancel", news)

    def _interrupt(self, task: Task, why: str, how: str, news: News) -> None:
        """A job is thrown off: it waits again, or is killed. A suspended job, too, which no longer runs."""
        news.ended = True
        preemptor = task.preemptor if how == "suspend" else None
        if task.state == "running":
            task.stop(self.now, why, keeps=how == "suspend")
        task.interruptions += 1
        limit = self.options.max_restarts
        never = how == "cancel" or (how == "requeue" and task.job.requeue is False)
        if never or (limit is not None and task.interruptions > limit):
            task.close("killed", self.now)
            return
        task.suspended, task.preemptor = how == "suspend", preemptor
        if self.options.requeue_at == "now":
            task.queued = self.now
        if self.options.requeue_delay:
            task.state, task.back = "delayed", self.now + self.options.requeue_delay
        else:
            task.state = "waiting"
            news.requeued.append(task)

    def _running(self) -> list[Task]:
        return [task for task in self.tasks if task.state == "running"]

    def _waiting(self) -> list[Task]:
        return [task for task in self.tasks if task.state == "waiting"]
