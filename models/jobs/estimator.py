"""An estimator of one's own: what policies plan with instead of the requested times.

Derive from `Estimator`, or write a class with such methods, and give an object of it as ``estimates``. A plain function
``estimate(job, now)`` is an estimator that learns nothing.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

from thinktime.models.jobs.request import Request
from thinktime.workloads.names import quoted


class Estimator:
    """Estimates the run times of jobs, and learns from those that are over.

    A job is a `Request`, and ``now`` is the time (s). Methods are called in the order of events, at one instant by the
    jobs' ids. All of an estimator's state lives in the object; a machine works with a copy of it, and forecasts ask
    none. Estimates are rounded to the grid of time, and are at least 1 s. ``ValueError`` for one that is not a
    positive finite number.

    >>> import thinktime as tt
    >>> class Doubled(tt.Estimator):
    ...     '''Twice the last run time of the user.'''
    ...     def __init__(self):
    ...         self.last = {}
    ...     def estimate(self, job, now):
    ...         return 2 * self.last.get(job.user, job.requested)
    ...     def learn(self, job, runtime, now):
    ...         self.last[job.user] = max(runtime, 1)
    >>> log = tt.Trace({"submit": [0, 20], "runtime": [10, 10], "allocated": [1, 1], "requested_time": [60, 60]})
    >>> tt.replay(log, "easy", 1, estimates=Doubled())["start"].tolist()
    [0.0, 20.0]
    """

    def estimate(self, job: Request, now: float) -> float:
        """The run time to plan with, s, of a job that is submitted. ``job.requested`` is what its owner asked for."""
        raise NotImplementedError(f"{type(self).__name__} has no estimate(job, now)")

    def learn(self, job: Request, runtime: float, now: float) -> None:
        """A job that has run is over: it ended at ``now`` after ``runtime`` s, by itself or not."""

    def revise(self, job: Request, now: float) -> float | None:
        """A running job has outlived what was expected of it: the run time that is now expected in all, s.

        None lets it take another 1 min, then 5, 15 and 30 min, and so on (`thinktime.models.jobs.estimates`). Under
        ``kill``, it is never expected to go beyond the request. ``ValueError`` if it has run for so long already.
        """
        return None

    def copy(self) -> Any:
        """An independent estimator in the same state, when a machine is made (by default a deep copy)."""
        return copy.deepcopy(self)


class FunctionEstimator(Estimator):
    """A plain function ``estimate(job, now)`` as an estimator."""

    def __init__(self, function: Callable[[Request, float], float]) -> None:
        self.estimate = function  # type: ignore[assignment, method-assign]

    def copy(self) -> FunctionEstimator:
        """The same: a function has no state to copy."""
        return self

    def __str__(self) -> str:
        return getattr(self.estimate, "__name__", "function")


def as_estimator(given: Any) -> Any:
    """An estimator from what people give as one: an object that estimates, or a function ``estimate(job, now)``."""
    if inspect.isclass(given):
        raise TypeError(f"{given.__name__} is a class; an estimator is an object of it: {given.__name__}()")
    if callable(getattr(given, "estimate", None)):
        return given
    if callable(given):
        return FunctionEstimator(given)
    raise TypeError(
        f"{quoted(given)} gives no estimates: it is neither text, nor a function of (job, now), nor has it estimate()"
    )
