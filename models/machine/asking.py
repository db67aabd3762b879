"""What is asked of a policy in Python beside its plainest hooks, and the checks of what it answers."""

from collections.abc import Callable
from typing import Any

import numpy as np

from thinktime.models.engine.omissions import Omissions
from thinktime.models.jobs import checks as machine_checks
from thinktime.models.jobs.leaving import Leave, Resize
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.proposals import as_rows
from thinktime.models.jobs.refusing import PolicyError
from thinktime.models.jobs.view import View
from thinktime.models.policies.hooks import Hooks
from thinktime.models.state import State
from thinktime.workloads.arrays import Rows
from thinktime.workloads.grid import ceil_to_grid
from thinktime.workloads.names import quoted

HINT = "if a policy yields its jobs one by one, view.fits(job) counts those before"


class Caller:
    """Calls the hooks of a policy on a pool, whose view is up to date (`thinktime.models.engine.asked`)."""

    def __init__(self, pool: Pool, hooks: Hooks, view: View, omissions: Omissions | None) -> None:
        self._pool, self._hooks, self._view, self.omissions = pool, hooks, view, omissions
        self._may_preempt = pool.may_preempt
        self._resizes: list[tuple[int, int]] = []
        self._on_interrupt = hooks.on_end if hooks.trusted else hooks.on_interrupt
        self._on_kill = None if hooks.trusted else hooks.on_end

    @property
    def _name(self) -> str:
        return machine_checks.name_of(self._hooks.policy)

    def chosen(self, given: Any, now: float) -> Rows:
        """The rows that a policy proposed, in an array of its own."""
        self._resizes.clear()
        if type(given) is np.ndarray and given.dtype == np.int64 and given.ndim == 1:
            return given if self._hooks.trusted else given.copy()  # it may be a part of the queue, which starts change
        if given is None and self.omissions is not None:
            self.omissions.gave_none(self._pool.state, now)
        return as_rows(self._hooks.policy, given, self._view, self._pool, self._choose)

    def _choose(self, part: Leave | Resize) -> None:
        """A running job is to leave, or to have another size, by the policy's proposal."""
        if isinstance(part, Resize):
            self._resizes.append(self._named(lambda: self._pool.to_resize(part.row, part.processors, self._view.now)))
            return
        leave = part
        if not self._may_preempt:
            raise PolicyError(
                f"policy {self._name} preempts jobs, so the machine needs changes, such as changes=Changes()"
            )
        self._named(
            lambda: self._pool.choose(leave.row, leave.how, self._view.now, ceil_to_grid(leave.grace), leave.keeper)
        )

    def _named(self, choose: Callable[[], Any]) -> Any:
        """What is chosen, or the error with the name of the policy."""
        try:
            return choose()
        except PolicyError as error:
            raise PolicyError(f"policy {self._name} {error}") from None

    def reshape(self, now: float) -> None:
        """Give running jobs the sizes that were proposed in the pass, and after its starts."""
        for part in (self._hooks.reshape(self._view, now) or ()) if self._hooks.reshape else ():
            if not isinstance(part, Resize):
                raise PolicyError(
                    f"policy {self._name} proposed {quoted(part)} in reshape at {now:g} s, but must propose "
                    "view.resize(job, processors)"
                )
            self._choose(part)
        resizes, self._resizes = self._resizes, []
        self._named(lambda: self._pool.resize(resizes, now))

    def may_be_cut(self, rows: Rows, now: float) -> bool:
        """Whether limits cut what was proposed: not if it is nonsense; ``PolicyError`` for a job that is beyond one."""
        if self._hooks.trusted:
            return bool(self._hooks.policy.heeds_limits)
        jobs = self._pool.requests
        beyond = np.setdiff1d(rows, self._pool.eligible_rows)
        waiting = beyond[jobs.state[beyond] == State.WAITING]
        if len(waiting):
            job = jobs.id[waiting[0]]
            raise PolicyError(f"policy {self._name} proposed to start job {job} at {now:g} s, which is beyond a limit")
        return not len(beyond)

    def refuse(self, rows: Rows, fault: int, now: float) -> None:
        """``PolicyError`` that says what is wrong with proposed rows."""
        try:
            self._pool.refuse(rows, fault, now)
        except PolicyError as error:
            hint = "" if len(rows) == 1 else f"; {HINT}"
            raise PolicyError(f"policy {self._name} {error}{hint}") from None

    def next_clock(self, now: float) -> float:
        """When the policy wants an instant of its own."""
        assert self._hooks.next_clock is not None
        return machine_checks.checked_clock(self._hooks.policy, self._hooks.next_clock(now), now)

    def strike(self, now: float) -> None:
        """The time that the policy asked for has come."""
        if self._hooks.on_clock:
            self._hooks.on_clock(self._view, now)

    def barred(self, rows: Rows, now: float) -> None:
        """Waiting jobs are beyond a limit."""
        self._tell(self._hooks.on_bar, rows, now)

    def put_off(self, rows: Rows, now: float) -> None:
        """Proposed jobs do not start."""
        self._tell(self._hooks.on_put_off, rows, now)

    def revised(self, rows: Rows, now: float) -> None:
        """Running jobs are expected to end later."""
        self._tell(self._hooks.on_revise, rows, now)

    def interrupted(self, rows: Rows, now: float) -> None:
        """Jobs were thrown off: some go back into the queue, others are killed."""
        killed = rows[self._pool.requests.state[rows] == State.KILLED]
        self._tell(self._on_interrupt, rows, now)
        if len(killed) < len(rows):
            self._tell(self._hooks.on_requeue, np.setdiff1d(rows, killed, assume_unique=True), now)
        if len(killed):
            self._tell(self._on_kill, killed, now)

    def resizing(self, rows: Rows, now: float) -> None:
        """Running jobs are about to have other sizes."""
        self._tell(self._hooks.on_resizing, rows, now)

    def resized(self, rows: Rows, now: float) -> None:
        """Running jobs have the other sizes that they were about to have."""
        self._tell(self._hooks.on_resize, rows, now)

    def changed(self, now: float) -> None:
        """The machine has changed."""
        if self._hooks.on_change:
            self._hooks.on_change(self._view, now)

    def until(self, rows: Rows, now: float) -> list[float]:
        """Until when each of some jobs may go on that reach their estimates unfinished, s."""
        assert self._hooks.on_estimate is not None
        given = zip(rows, self._hooks.on_estimate(self._view, rows, now), strict=True)
        return [machine_checks.checked_until(self._hooks.policy, until, now) for _, until in given]

    def _tell(self, hook: Callable[[View, Rows, float], None] | None, rows: Rows, now: float) -> None:
        if hook:
            hook(self._view, rows, now)
