"""Open-loop replay of a log: every job at its recorded submit time.

``replay`` runs one log under one policy and returns the result. ``submit_trace`` is the process itself, for
models in which a log shares the machine with other users.

``submit_with_dependencies`` honours the dependencies in SWF fields 17 (preceding job) and 18 (think time). Jobs of one
user with the same submit time and the same fields 17 and 18 are one campaign. Field 17 points into the preceding
campaign. Whichever of its jobs is named, the campaign waits for *all* of them, then for the think time of field 18,
and is then submitted. Campaigns without a preceding one are submitted at their recorded times. Most logs have
placeholders in these fields, so they are honoured only on request. A preceding job that is not in the log, or not
before its successor, is ignored: the campaign keeps its recorded time and is counted.
"""

from collections.abc import Generator, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import simpy

from thinktime.models.jobs.chains import Chain
from thinktime.models.machine.listeners import Observer
from thinktime.models.machine.machine import Machine
from thinktime.models.machine.spec import MachineOptions, spec_of
from thinktime.models.results.result import Result
from thinktime.users.log_source import Log, LogSource, loaded, submitted
from thinktime.users.run import Progress, run
from thinktime.users.saving import Saving
from thinktime.users.source import Begun
from thinktime.workloads.arrays import Whole
from thinktime.workloads.conditions import LogConditions, conditions_of
from thinktime.workloads.job_dependencies import Dependencies
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.trace import Trace


def replay(
    trace: Trace | NodeLog,
    policy: Any = "easy",
    processors: int | None = None,
    *,
    dependencies: bool | LogConditions | str | Path = False,
    responses: Any = (),
    observers: Iterable[Observer] = (),
    progress: Progress | None = None,
    saving: Saving | None = None,
    **machine: Unpack[MachineOptions],
) -> Result:
    """Replay a log open-loop under one policy until every job is over.

    With ``dependencies``, SWF fields 17 and 18 are honoured (`thinktime.users.replay`), so the replay is
    closed-loop; if they are the name of a file, LOG.conditions.csv, or its `LogConditions`, so is what that says.
    ``responses`` are behaviours of the log's users, who may then delay or change jobs as they are due
    (`thinktime.users.log_users`). ``processors`` defaults to the machine size in the log's header. ``machine`` are the
    other fields of a `MachineSpec`: ``overrun``, ``estimates``, or ``nodes`` with an ``allocator``. A whole
    `MachineSpec` may replace ``policy``. ``observers``, ``progress`` and ``saving`` are those of `run`.

    Under a policy with a runtime limit, the result has a row for each segment of a job. On nodes, jobs that no node
    could run are left out and counted in ``Result.dropped``; ``trace`` may be what `read_requests` made of a log.

    >>> import thinktime as tt
    >>> log = tt.Trace({"submit": [0, 0, 0], "runtime": [10, 20, 5], "allocated": [2, 1, 1]})
    >>> tt.replay(log, "easy:order=sjf", 2)["start"].tolist()
    [5.0, 15.0, 0.0]
    """
    wait = dependencies is not False
    source = LogWithDependencies(trace, conditions_of(dependencies)) if wait else Log(trace)
    spec = spec_of(policy, processors, machine)
    source = source.with_responses(responses)
    return run(spec, source, observers=observers, progress=progress, saving=saving)


Process = Generator[simpy.Event, None, None]


class LogWithDependencies(LogSource):
    """The jobs of a log, each campaign submitted after the one that it waits for.

    ``conditions`` are what jobs wait for once they are submitted (`thinktime.workloads.conditions`).
    """

    chained = goes_on = True

    def __init__(self, given: Trace | NodeLog, conditions: LogConditions | None = None) -> None:
        super().__init__(given)
        self._conditions = conditions

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Start the process that submits each campaign after the one that it waits for."""
        trace, log = self.read(machine.nodes)
        if self.responds is None:
            over: simpy.Event = env.process(submit_with_dependencies(env, machine, trace, log, self._conditions))
        else:
            over = self._with_responses(env, machine, trace, log)
        return Begun(over, log=log, notes=lambda whole: self.notes(trace))

    def _with_responses(
        self, env: simpy.Environment, machine: Machine, trace: Trace, log: NodeLog | None
    ) -> simpy.Event:
        rows = loaded(machine, trace, log, decided=True)
        if self._conditions is not None:
            machine.restrict(trace, rows, self._conditions)
        if (trace.preceding < 0).all():
            return self.one_by_one(env, machine, trace, rows, log)
        chain, _ = campaigns_of(trace)
        places = chain.rows + rows.start
        respond = self.responding(env, machine, places, chain.bounds, log, chain.rows)
        return machine.chain(replace(chain, rows=places, respond=respond))

    def notes(self, trace: Trace) -> list[str]:
        """Which jobs wait for no job, since the log does not have those that they name."""
        return dangling_note(trace) + lifted_note(trace, self._conditions)


def campaigns_of(trace: Trace) -> tuple[Chain, int]:
    """The campaigns of a log with their dependencies, in order of submission, and how many dangle.

    ``rows`` are those of the trace. A dependency dangles if the preceding job is not in the log, or not before its
    successor.
    """
    keys = np.column_stack([trace.user, trace.submit, trace.preceding, np.nan_to_num(trace.think_time, nan=-1)])
    _, first, number = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    first, n = first[order], len(order)
    place = np.empty(n, np.int64)
    place[order] = np.arange(n)
    of_row = place[number.reshape(-1)]
    before = _preceding(trace, first, of_row)
    after = np.flatnonzero((before >= 0) & (before < np.arange(n)))
    after = after[np.argsort(before[after], kind="stable")]
    chain = Chain(
        rows=np.argsort(of_row, kind="stable"),
        bounds=np.searchsorted(np.sort(of_row), np.arange(n + 1)),
        release=trace.submit[first],
        links=np.searchsorted(before[after], np.arange(n + 1)),
        after=after,
        think_time=np.nan_to_num(trace.think_time[first[after]], nan=0.0).clip(min=0.0),
        campaigns=True,
    )
    return chain, int((trace.preceding[first] >= 0).sum()) - len(after)


def _preceding(trace: Trace, first: Whole, of_row: Whole) -> Whole:
    """The campaign that each campaign's first job names, by its row; -1 if there is no such job."""
    by_id = np.argsort(trace.id, kind="stable")
    named = trace.preceding[first]
    at = np.searchsorted(trace.id[by_id], named, side="right") - 1
    found = (named >= 0) & (at >= 0) & (trace.id[by_id[at]] == named)
    return np.where(found, of_row[by_id[at]], -1)


def dangling_note(trace: Trace) -> list[str]:
    """A sentence on how many campaigns keep their recorded times because their predecessor is missing."""
    _, dangling = campaigns_of(trace)
    if not dangling:
        return []
    return [
        f"dependencies: {dangling} campaigns name a preceding job that is not in the log or not before them; "
        "they keep their recorded times"
    ]


def lifted_note(trace: Trace, conditions: LogConditions | None) -> list[str]:
    """A sentence on how many dependencies are on jobs that the log does not have."""
    given = conditions or ()
    known = set(trace.id.tolist()) | {each.array for each in given}
    parsed = [Dependencies.parse(each.depends) for each in given if each.depends]
    missing = sum(one.job >= 0 and one.job not in known for each in parsed for one in each.each)
    if not missing:
        return []
    what = "1 is on a job that is" if missing == 1 else f"{missing} are on jobs that are"
    return [f"dependencies: {what} not in the log, and {'is' if missing == 1 else 'are'} taken as met"]


def submit_with_dependencies(
    env: simpy.Environment,
    machine: Machine,
    trace: Trace,
    log: NodeLog | None = None,
    conditions: LogConditions | None = None,
) -> Process:
    """Submit a log, each campaign after the one that it waits for: a process that ends with the last campaign.

    ``log`` is what the jobs ask of a machine of nodes, and ``conditions`` what they wait for once they are submitted.
    """
    rows = loaded(machine, trace, log)
    if conditions is not None:
        machine.restrict(trace, rows, conditions)
    if conditions is not None and (trace.preceding < 0).all():
        yield from submitted(env, machine, trace, rows)
        return
    chain, _ = campaigns_of(trace)
    yield machine.chain(replace(chain, rows=chain.rows + rows.start))
