"""What a rule does at an instant: `Rule` has the methods that each rule overrides in a module of its own.

Their arguments are the state of the machine, the time and some rows. A rule in Python (`thinktime.models.engine.asked`)
overrides the same ones; what it raises comes out of the leap. What only such a rule wants to know is told to those that
`asks`.
"""

from __future__ import annotations

import math
from typing import Any

from thinktime.models.engine import room
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.structure import Structure
from thinktime.workloads.arrays import Ints

INFINITY = math.inf
NO_PROFILE = Profile()


class Rule(Structure):
    """What a policy does at the events of a machine; rules without arrays or memory need no more than `select`."""

    asks: bool
    """Whether somebody in Python is asked, whose choice is checked before it is made."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.asks = False

    def select(self, state: State, now: float, rows: Ints) -> int:
        """Write the waiting rows that start now to ``out`` and return how many; ``rows`` are all of them, in order.

        `NEEDS_ROOM`, or another number below 0, says that the rule's arrays are too short, or that it asks something
        (`thinktime.models.policies.agents.rule`), and that nothing has been done.
        """
        return 0

    def reserve_first(self, state: State, now: float, rows: Ints) -> tuple[int, float]:
        """How many rows start before the one that gets the only reservation, and its start; infinite for none."""
        return 0, INFINITY

    def order_matters(self, state: State, now: float, rows: Ints) -> bool:
        """Whether the order of the waiting rows can make a difference to `select`: whether any of them fits now."""
        free = room.available(state, room.overrunning(state, now))
        narrowest: int = state.machine_size + 1
        for i in range(len(rows)):
            row = rows[i]
            narrowest = min(narrowest, state.processors[row])
        return narrowest <= free

    def passes_over(self, state: State) -> bool:
        """Whether jobs that did not start in one pass cannot start in the next, if nothing has ended in between."""
        return False

    def ended(self, state: State, now: float, rows: Ints) -> None:
        """Running jobs have ended."""

    def withdrawn(self, state: State, now: float, rows: Ints) -> None:
        """Waiting jobs have left the queue."""

    def barred(self, state: State, now: float, rows: Ints) -> None:
        """Waiting jobs are beyond a limit from now on: until they are within it again, `select` is not given them."""

    def put_off(self, state: State, now: float, rows: Ints) -> None:
        """Jobs that `select` has chosen do not start, since another one before them was beyond a limit."""

    def started(self, state: State, now: float, rows: Ints) -> None:
        """Jobs have started, those of the last `select` or others."""

    def revised(self, state: State, now: float, rows: Ints) -> None:
        """Running jobs are now expected to end later, since they have outlived their estimates."""

    def interrupted(self, state: State, now: float, rows: Ints) -> None:
        """Running jobs were thrown off the machine; those whose state is not `KILLED` go on some day."""
        self.ended(state, now, rows)

    # -- where jobs may have several sizes (`thinktime.models.engine.shapes`) --------------

    def count_as(self, state: State, now: float, rows: Ints) -> None:
        """Before limits are looked at: let waiting jobs have the sizes by which they are within these or not."""

    def reshape(self, state: State, now: float, rows: Ints) -> bool:
        """After the starts of a pass: propose other sizes for running jobs; ``rows`` are those that wait, in order.

        True if it asks something first, and has proposed nothing.
        """
        return False

    def resizing(self, state: State, now: float, rows: Ints) -> None:
        """Running jobs are about to have, or to be promised, other sizes."""

    def resized(self, state: State, now: float, rows: Ints) -> None:
        """They have, or are."""

    def kept_profile(self) -> Profile:
        """The profile with all reservations, for rules that keep them; else one without steps."""
        return NO_PROFILE

    def next_due(self, state: State, now: float) -> float:
        """When the rule wants an instant of its own."""
        return INFINITY

    # -- for those that ask -------------------------------------------------------------

    def changed(self, state: State, now: float) -> None:
        """The machine has changed."""

    def strikes(self, state: State, now: float) -> bool:
        """Tell the rule that its clock has come, if it has."""
        return False

    def submitted(self, state: State, now: float, rows: Ints) -> None:
        """Jobs have joined the queue."""

    def may_be_cut(self, state: State, now: float, count: int) -> bool:
        """Whether the first rows of ``out`` are waiting jobs within their limits, so far."""
        return True

    def refuse(self, state: State, now: float, rows: Ints, fault: int) -> None:
        """Raise what is wrong with the rows that were chosen (`thinktime.models.engine.pool.verdict`)."""

    def passed(self, state: State, now: float, rows: Ints) -> None:
        """These rows have started in a pass."""

    def plan(self, state: State, now: float) -> None:
        """The passes of an instant are over: say when the rule wants the next one."""


def decide(state: State, rule: Rule, now: float, rows: Ints) -> int:
    """What `select` does, and note that these rows start where the pass has placed them."""
    before = state.spare.used
    queue = state.room.admitted_first(state, rows)
    k = rule.select(state, now, queue)
    if k > 0:
        state.room.plan_starts(state, queue, state.out[:k])
    state.spare.used = before
    return k
