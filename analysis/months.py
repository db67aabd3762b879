"""Evaluation by month: the jobs submitted in a calendar month, with a warm-up before it and a cool-down after.

The simulation of a month begins a week before it, on an empty machine, with the jobs of that week. It ends
when every job of the month has started, and jobs keep arriving until then. Only the jobs submitted in the month
are measured. Source: the goal paper, section IV.
"""

from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
import simpy

from thinktime.models.machine.spec import MachineOptions, spec_of
from thinktime.models.results import measures
from thinktime.models.results.result import Result
from thinktime.models.state import State
from thinktime.users.log_source import Log
from thinktime.users.run import checked, rehearsed
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.calendar import Month
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import HOUR, WEEK, Duration, as_seconds


@dataclass(frozen=True, slots=True)
class MonthRun:
    """One month under one policy. Waits are in s, and run times are actual ones (after any kill)."""

    month: Month
    result: Result
    """All jobs of the simulation, including warm-up and cool-down."""
    rows: Whole
    """The rows of the month's own jobs."""

    @property
    def wait(self) -> Floats:
        """Start - submit (s) of the month's jobs."""
        return measures.wait(self.result)[self.rows]

    @property
    def run(self) -> Floats:
        """Actual run times (s) of the month's jobs, including the time to come of jobs still running."""
        limit = self.result["estimate"] if self.result.overrun == "kill" else np.inf
        runs: Floats = np.minimum(self.result["runtime"], limit)[self.rows]
        return runs

    def bounded_slowdown(self, threshold: float = 60.0) -> Floats:
        """max(1, (wait + run) / max(run, threshold)) of the month's jobs (threshold in s)."""
        return measures.bounded(self.wait + self.run, self.run, threshold)

    def floored_slowdown(self, threshold: float = 60.0) -> Floats:
        """(wait + max(run, threshold)) / max(run, threshold) of the month's jobs (threshold in s)."""
        return measures.floored(self.wait, self.run, threshold)


def whole_months(trace: Trace) -> list[Month]:
    """The months within the log, from its first submission to its last, by its local clock.

    The first month counts if submissions begin on its first day, the last if they continue to its last day.
    """
    if not len(trace):
        return []
    first, last = trace.submit.item(0), trace.submit.item(-1)
    calendar = trace.calendar
    months = calendar.months(first, last)
    begin, end = calendar.window(first)[0], calendar.window(last)[1]
    return [month for month in months if begin <= month.start and month.end <= end]


def run_month(
    trace: Trace,
    policy: Any,
    month: Month,
    processors: int | None = None,
    warm_up: Duration = WEEK,
    **machine: Unpack[MachineOptions],
) -> MonthRun:
    """Simulate one month of a log under a policy; the arguments describe the machine as in `replay`.

    ``ValueError`` if no job is submitted in the month.
    """
    warm_up = as_seconds("warm_up", warm_up)
    spec = checked(spec_of(policy, processors, machine), [Log(trace)])
    part = trace.select(trace.submit >= month.start - warm_up)
    inside = np.flatnonzero((part.submit >= month.start) & (part.submit < month.end))
    if not len(inside):
        raise ValueError(f"the log has no jobs submitted in {month.name}")
    log = Log(part)
    spec = spec.under(rehearsed(spec, [log], month.end))
    env = simpy.Environment()
    site = spec.open(env)
    log.begin(env, site)
    first, last = int(inside[0]), int(inside[-1]) + 1  # the machine has the same rows as the trace
    env.run(until=month.end)
    state = site.pool.requests.state
    while (state[first:last] <= State.WAITING).any() and env.peek() < np.inf:
        env.run(until=env.now + HOUR)
        state = site.pool.requests.state
    result = replace(site.result(), unix_start=trace.unix_start, zone=trace.zone)
    ran = np.isfinite(result["start"]) & (result["submit"] >= month.start) & (result["submit"] < month.end)
    return MonthRun(month, result, np.flatnonzero(ran))
