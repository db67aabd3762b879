"""What a policy is: the hooks that the machine calls, and when it calls them.

A policy *proposes*; the machine validates and applies. Only `Policy.select` is required: a plain function
``select(view, now)`` is a whole policy, and so is any object that has such a method. Derive from `Policy`, or write the
hooks that you need into a class of your own. The machine looks once, when it is made, which hooks its policy has
(`thinktime.models.policies.hooks`), and never calls the others.
"""

import copy
import inspect
from collections.abc import Callable, Iterable
from math import inf
from typing import Any

import numpy as np

from thinktime.models.jobs.leaving import Resize
from thinktime.models.jobs.view import Request, View
from thinktime.models.orders.order import Order
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import Rows
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.trace import Trace

Proposal = Rows | Iterable[int | Request]


class Policy:
    """A policy, whose hooks do nothing: override those that you need.

    In every hook, ``view`` is what a policy may know (`View`), ``now`` is the time (s; ``env.now`` is the same), and
    ``rows`` are the numbers of some jobs (``view.request(row)`` is one job). Arrays belong to the machine, which uses
    them again: copy what you keep. The hooks are listed in the order in which they are called.

    All of a policy's state lives in the policy object. A machine works with a copy of the policy that it is given, so
    one object can serve many machines.
    """

    order: Order | None = None
    """Who is next, for policies that sort by an `Order`. The machine keeps the queue sorted by a static order. An order
    that keeps accounts (``fairshare``) is told of starts and ends before the policy is."""

    may_hear_late = False
    """True allows the machine to report ends late, at the next instant, while no job waits and no user listens;
    `next_clock` is not asked in between. This is faster."""

    as_recorded = False
    """True lets starts exceed the machine and every job run to its true end, for schedules that are given, such as a
    log's own."""

    runtime_limit = inf
    """The machine splits jobs that run longer than this (s) into segments (`thinktime.workloads.segments`)."""

    deferral: Any = None
    """How the machine holds jobs back at their submission, before the policy sees them
    (`thinktime.models.policies.carbon`)."""

    resizes = False
    """True for a policy that chooses the sizes of jobs which may have several (`thinktime.workloads.shapes`). Under
    others they have their preferred sizes."""

    knows_interruptions = False
    """True for a policy with `on_end` that needs no `on_interrupt`."""

    needs_rehearsal = False
    """True if the policy cannot work before its `rehearse` has been called."""

    overrun_note = ""
    """What results say of overruns, where the policy changes the machine's own rule."""

    # -- before a replay ----------------------------------------------------------------

    def check(self, trace: Trace) -> None:
        """Before a replay: raise ``ValueError`` for a log that the policy cannot replay."""

    def rehearse(self, run: Callable[[Any], Result]) -> Any:
        """Before a replay: return the policy to use. ``run(policy)`` is the result of the same replay under another."""
        return self

    def on_calendar(self, calendar: Calendar) -> None:
        """When a log is loaded: its local midnights (`thinktime.workloads.calendar`)."""

    # -- at one instant -----------------------------------------------------------------

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Jobs have ended: completed, killed, or released."""

    def on_interrupt(self, view: View, rows: Rows, now: float) -> None:
        """Running jobs were thrown off by a failure, a window or a preemption; they have no ``start`` any more.

        `on_end` follows for those of them that do not go on.
        """

    def on_requeue(self, view: View, rows: Rows, now: float) -> None:
        """Those of them that go on are in the queue again."""

    def on_resizing(self, view: View, rows: Rows, now: float) -> None:
        """Running jobs are about to have other sizes, or to be promised smaller ones for a later time.

        It is called as well for evolving jobs, and for malleable ones that lose processors.
        """

    def on_resize(self, view: View, rows: Rows, now: float) -> None:
        """They have them, or their promise: ``processors`` is what they have now.

        A policy that keeps accounts writes ``on_resizing = on_end`` and ``on_resize = on_start``.
        """

    def on_change(self, view: View, now: float) -> None:
        """The machine has changed: processors failed or came back, windows were announced, began or ended."""

    def on_estimate(self, view: View, rows: Rows, now: float) -> Iterable[float]:
        """Under ``kill``, jobs reach their estimates unfinished: return until when each may go on (now: it is killed).

        Called after the completions of the instant and before its kills. A machine whose policy plans with other
        estimates than the requests does not ask.
        """
        return [now] * len(rows)

    def on_revise(self, view: View, rows: Rows, now: float) -> None:
        """Running jobs are now expected to end later, since they have outlived what the policy planned with."""

    def on_clock(self, view: View, now: float) -> None:
        """The time that `next_clock` gave has come."""

    def on_withdraw(self, view: View, rows: Rows, now: float) -> None:
        """Jobs were withdrawn from the queue, or on their way back into it.

        No rows: one was withdrawn at the instant of its submission.
        """

    def on_submit(self, view: View, rows: Rows, now: float) -> None:
        """Jobs have entered the queue, by submission and id."""

    def select(self, view: View, now: float) -> Proposal:
        """Return or yield the jobs that start now: rows, or requests (elements of ``view.queue``).

        Called once in every round of an instant in which jobs wait, and under a policy with `next_clock` also when
        none waits. It is not called again after its starts, so it proposes all of them: what is yielded is looked at
        one by one, and ``view.fits`` counts it from then on.
        """
        raise NotImplementedError(f"{type(self).__name__} has no select(view, now)")

    def on_bar(self, view: View, rows: Rows, now: float) -> None:
        """Waiting jobs are beyond a limit of the site; until they are within it again, ``view.queue`` is without them.

        Called before `select`, which is called again at the same instant if its own starts put jobs beyond limits.
        """

    def on_put_off(self, view: View, rows: Rows, now: float) -> None:
        """Jobs that `select` proposed do not start: one before them in the queue is beyond a limit now."""

    def on_start(self, view: View, rows: Rows, now: float) -> None:
        """The proposed jobs have started."""

    def reshape(self, view: View, now: float) -> Iterable[Resize]:
        """Under ``resizes = True``, after the starts: return or yield `View.resize` of running jobs, new ones included.

        Those that `select` has yielded come first.
        """
        return ()

    def next_clock(self, now: float) -> float | None:
        """Called after `select`: the next time at which the policy wants an instant of its own (infinity: none)."""
        return inf

    # -- on request ---------------------------------------------------------------------

    def predict(self, view: View, row: int) -> float:
        """When a user asks: the start of a waiting job as the policy has planned it (s); NaN lets it be forecast."""
        return np.nan

    def replan(self, view: View) -> None:
        """In a forecast with exact run times: estimates have changed, so plans that were made by them are void.

        A policy without this hook cannot be asked for such forecasts.
        """

    def notes(self, processors: int) -> list[str]:
        """When a result is made: sentences for its ``notes``, on what a reader of the result should know."""
        return []

    def copy(self) -> Any:
        """When a machine or a forecast is made: an independent policy in the same state (by default a deep copy)."""
        return copy.deepcopy(self)


HOOKS: dict[str, Callable[..., Any]] = {name: hook for name, hook in vars(Policy).items() if inspect.isfunction(hook)}
"""Every hook by its name, in the order in which they are called."""

ATTRIBUTES: dict[str, Any] = {
    name: value for name, value in vars(Policy).items() if not name.startswith("_") and not inspect.isfunction(value)
}
"""What else the machine looks for, with the value for a policy that does not say."""
