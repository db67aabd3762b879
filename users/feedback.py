"""Replay with feedback: the users of a log wait for the same jobs as in the log, and think as long.

A log's submit times reflect the machine of the log. Here they say only when each user begins. From then on a batch
(`thinktime.workloads.user_models`) is submitted when every batch that it depends on is over, plus the think time of
that dependency:

    release(b') = max over b -> b' of  end(b) + think_time(b, b')

Within a batch the offsets between submissions are kept. A batch without dependencies (a user's first, or
one that overlaps all before it) is submitted at its recorded time. Under the policy ``recorded`` this reproduces
the recorded submissions.

``think`` says how long a user thinks when what a batch waited for is over: the recorded think times (the default), by
a rule that keeps the clock or reacts to the wait, or a function of the caller's own (`thinktime.users.think_times`).

``hours`` are the users' working hours. A batch whose release is not its recorded time, and falls outside the
hours, waits for the next time inside them: the next session is the next morning (our decision: a batch
released at its recorded time keeps it whatever the hours say, since its user was there). They are the same for
all users, or each user's own, read from the log (`thinktime.users.local_hours`).

Source: N. Zakay and D. Feitelson, Preserving user behavior characteristics in trace-based simulation of
parallel job scheduling (MASCOTS 2014).
"""

from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypedDict, Unpack

import numpy as np
import simpy

from thinktime.models.jobs.chains import Chain
from thinktime.models.machine.listeners import Observer
from thinktime.models.machine.machine import Machine
from thinktime.models.machine.spec import MachineOptions, spec_of
from thinktime.models.results.result import Result
from thinktime.models.state import State
from thinktime.users.local_hours import LogHours, checked_hours
from thinktime.users.log_source import LogSource
from thinktime.users.run import Progress, run
from thinktime.users.sampling import usable
from thinktime.users.source import Begun
from thinktime.users.think_times import Pauses, Rule, ThinkTime, rule_of
from thinktime.workloads.arrays import Floats, Rows
from thinktime.workloads.grid import ceil_to_grid
from thinktime.workloads.keywords import parted
from thinktime.workloads.names import former_arguments, quoted
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import Duration
from thinktime.workloads.user_models import Sessions, delimit, dependencies


class Hours(Protocol):
    """When people submit, such as `WorkingHours`."""

    def next(self, time: float) -> float:
        """The first time at or after ``time`` (s) at which people submit."""
        ...


class LogWithFeedback(LogSource):
    """The users of a log, who wait for the same jobs as in the log, and think as long.

    ``delimitation`` says what ends a session (with its ``threshold`` in s), or what `delimit` made of the log.
    ``hours`` are the working hours of all users, or ``"log"`` for each user's own (`LogHours`). ``think`` is
    ``"recorded"``, ``"clock"``, ``"reacting"``, ``"partly-open"`` or a function of a `Pause` that gives a time in s.
    """

    closed = True
    chained = True
    thinks = True

    def __init__(
        self,
        given: Trace | NodeLog,
        delimitation: Sessions | str = "arrival",
        threshold: Duration | None = None,
        hours: Hours | str | None = None,
        think: ThinkTime | str = "recorded",
    ) -> None:
        super().__init__(given)
        self._delimitation, self._threshold, self._hours = delimitation, threshold, hours
        self._rule = rule_of(think)

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Load the jobs and say what waits for what."""
        trace, log = self.read(machine.nodes)
        given = self._delimitation
        seen = delimit(trace, given, self._threshold) if isinstance(given, str) else given
        hours = hours_by_owner(self._hours, trace, seen)

        def respond(rows: Rows, offset: Floats) -> Any:
            batches = seen.batches

            def within(batch: int, time: float) -> float:
                return time if hours is None else hours(batches.owner.item(batch)).next(time)

            return self.responding(env, machine, rows, batches.bounds, log, batches.order, offset, within)

        users = FeedbackReplay(machine, trace, seen, hours, log, self._rule, respond)
        return Begun(users.over, users.in_order, log, users.notes)


class FeedbackReplay:
    """The users of one log on a machine: ``order`` has the row of the trace for each row from ``first``.

    ``hours`` gives the hours of an owner (`Groups.owner`), ``rule`` a function for think times, and ``respond`` what is
    asked when a batch is due, for the rows and offsets of the jobs.
    """

    def __init__(
        self,
        machine: Machine,
        trace: Trace,
        sessions: Sessions,
        hours: Callable[[int], Hours] | None = None,
        log: NodeLog | None = None,
        rule: Rule | None = None,
        respond: Callable[[Rows, Floats], Any] = lambda rows, offset: None,
    ) -> None:
        batches = sessions.batches
        asked, queues = ((), None) if log is None else (log.requests, log.queues)
        graph = dependencies(batches)
        rows = machine.load(trace, batches.order, asked, queues)
        self.machine = machine
        self.order = batches.order
        self.first = rows.start

        if rule is not None:
            pauses = Pauses(sessions, graph)
            think = rule(trace, sessions, pauses)

        places = np.arange(rows.start, rows.stop)
        offset = trace.submit[batches.order] - np.repeat(batches.submit, batches.jobs)
        responding = respond(places, offset)
        asked_to_think = responding is not None and responding.thinking

        def later(batch: int, now: float, release: float, last: int) -> float:
            if rule is not None:
                begun = machine.pool.requests.submit.item(rows.start + batches.bounds.item(last))
                pause = pauses.now(batch, now, now - begun, release - now)
                release = now + usable(think(pause), batches.user.item(batch), "think_time")
            if asked_to_think:
                release = ceil_to_grid(now + responding.thought(last, release - now, now))
            if hours is None or release == batches.submit.item(batch):
                return release
            return hours(batches.owner.item(batch)).next(release)

        chain = Chain(
            rows=places,
            bounds=batches.bounds,
            release=batches.submit,
            links=graph.bounds,
            after=graph.after,
            think_time=graph.think_time,
            offset=offset,
            later=None if hours is None and rule is None and not asked_to_think else later,
            respond=responding,
        )
        self.over = machine.chain(chain)

    def in_order(self) -> Rows:
        """The machine's rows in the order of the trace."""
        return self.first + np.argsort(self.order)

    def notes(self, whole: bool) -> list[str]:
        """Sentences on the jobs that were never submitted."""
        state = self.machine.pool.requests.state[self.first : self.first + len(self.order)]
        never = int((state == State.FUTURE).sum())
        if not never:
            return []
        return [
            f"{never} jobs were never submitted: what their users waited for never ended"
            if whole
            else f"{never} jobs were not submitted before the end of the run"
        ]


class ReturnOptions(TypedDict, total=False):
    """When the users of a log return, as keyword arguments of `LogWithFeedback`."""

    delimitation: Sessions | str
    threshold: Duration | None
    hours: Hours | str | None
    think: ThinkTime | str


class FeedbackOptions(ReturnOptions, MachineOptions, total=False):
    """When the users of a log return, and the machine."""


@former_arguments(sessions="delimitation")
def replay_with_feedback(
    trace: Trace | NodeLog,
    policy: Any = "easy",
    processors: int | None = None,
    *,
    responses: Any = (),
    observers: Iterable[Observer] = (),
    progress: Progress | None = None,
    **options: Unpack[FeedbackOptions],
) -> Result:
    """Replay a log with feedback under one policy until every job is over.

    ``options`` are those of `LogWithFeedback` (``delimitation``, ``threshold``, ``hours``, ``think``) and of the
    machine; the other arguments are those of `replay`. Jobs are in the order of the trace. ``think_time`` is the time
    from the end of the batch that released a job's batch (the last one it waited for) to the job's submission, and NaN
    if it waited for nothing.

    ``ValueError`` for a log without waits, which does not say what its users waited for.

    >>> import thinktime as tt
    >>> columns = {"submit": [0, 130], "runtime": [100, 60], "allocated": [2, 2], "wait": [0, 0], "user": [1, 1]}
    >>> result = tt.replay_with_feedback(tt.Trace(columns), "easy", 2)
    >>> result["submit"].tolist(), result["think_time"].tolist()
    ([0.0, 130.0], [nan, 30.0])
    """
    of_users, of_machine = parted(options, ReturnOptions)
    source = LogWithFeedback(trace, **of_users).with_responses(responses)
    return run(spec_of(policy, processors, of_machine), source, observers=observers, progress=progress)


def hours_by_owner(hours: Hours | str | None, trace: Trace, sessions: Sessions) -> Callable[[int], Hours] | None:
    """The hours of each owner of a log: the same for all, the owner's own (``"log"``), or none."""
    if isinstance(hours, str):
        if hours != "log":
            raise ValueError(f"hours are working hours or 'log', not {quoted(hours)}")
        return LogHours(trace, sessions).of
    checked_hours(hours)
    return None if hours is None else lambda owner: hours
