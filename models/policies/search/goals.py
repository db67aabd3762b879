"""What a goal-oriented policy minimizes: one number for each schedule of the waiting jobs.

Four goals are compiled:

* ``wait``: total excessive wait, the sum of max(0, start - submit - B) (s). The bound B is a time, or
  ``dynB``, the longest wait of any waiting job so far, taken at every decision;
* ``slowdown``: mean bounded slowdown, the mean of (wait + max(r, tau)) / max(r, tau), r the estimate;
* ``deviation``: the sum over users of |use - entitled use| in the window (processor-hours): what a user
  has used in it, what running jobs are expected to use until its end, and what the schedule plans. Entitled
  are max-min fair shares, capped by demand, of all that the machine can still deliver in the window and has
  delivered to users (our definition: the paper names it as future work);
* ``stretch``: the mean over campaigns with waiting jobs of (end - submit) / max(work / P, longest job, tau)
  (the ostrich paper's stretch, of estimates; a job without a campaign is one of its own).

Any function of a `GoalPlan` is a goal as well. It is called for every complete schedule; with some NumPy in
it, it takes seven times as long as a compiled goal. Smaller is better, and values must be at least 0.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes import search as codes
from thinktime.models.jobs.view import Columns
from thinktime.models.orders.scripts import member
from thinktime.workloads.arrays import Floats
from thinktime.workloads.names import key_of, quoted

COMPILED = {"wait": codes.WAIT, "slowdown": codes.SLOWDOWN, "deviation": codes.DEVIATION, "stretch": codes.STRETCH}


@dataclass(slots=True)
class GoalPlan:
    """One schedule of the waiting jobs, for a goal of the user's own: ``start`` (s), one for each.

    ``jobs`` has their requests as columns (``jobs.submit``, ``jobs.processors``, ``jobs.user``, …), in the
    same order. Arrays are reused for the next schedule: copy what you keep.
    """

    now: float
    capacity: int
    jobs: Columns
    submit: Floats
    estimate: Floats
    processors: NDArray[np.int64]
    start: Floats

    @property
    def wait(self) -> Floats:
        """From submission to start (s)."""
        return self.start - self.submit

    @property
    def end(self) -> Floats:
        """When each job is expected to end (s)."""
        return self.start + self.estimate


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal with a name: a compiled one, or a function of a `GoalPlan`."""

    name: str
    code: int
    function: Callable[[GoalPlan], float] | None = None

    def of(self, plan: GoalPlan) -> float:
        """The value of one schedule under a user's own goal."""
        assert self.function is not None
        value = self.function(plan)
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not 0 <= number < math.inf:
            raise ValueError(
                f"goal {quoted(self.name)} gave {quoted(value)} at {plan.now:g} s, but must give a number of at least 0"
            )
        return number

    def __str__(self) -> str:
        return self.name


def goals_of(given: Any) -> tuple[Goal, ...]:
    """Goals from names, functions of a `GoalPlan`, or texts ``FILE.py:NAME``, in the order of their importance."""
    listed: Sequence[Any] = [given] if isinstance(given, str | int | float) or callable(given) else list(given)
    found = tuple(_goal(each) for each in listed)
    if not found:
        raise ValueError("goals are none, but there must be at least one")
    names = [goal.name for goal in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the goal {quoted(name)} stands twice")
    return found


def _goal(given: Any) -> Goal:
    if isinstance(given, Goal):
        return given
    if callable(given):
        return Goal(getattr(given, "__name__", "own"), codes.OWN, given)
    if given in COMPILED:
        return Goal(given, COMPILED[given])
    path, _, name = str(given).partition(":")
    if path.endswith(".py"):
        function = member(path, name)
        if not callable(function):
            raise ValueError(f"{name} of {path} is no goal: a function of a plan")
        return Goal(str(given), codes.OWN, function)
    raise ValueError(f"there is no goal {quoted(given)}; {key_of(str(given), COMPILED, 'the goals')}")
