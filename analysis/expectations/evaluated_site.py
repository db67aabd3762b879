"""A log and the machine that it is for: processors, or nodes with their resources."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from thinktime.analysis.expectations.capacity import Capacity, Chosen
from thinktime.analysis.expectations.evaluate import chosen_for
from thinktime.models.jobs.labels import LABELLED, Labels
from thinktime.models.machine.changing.rules import Changes
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.results.node_record import amounts_of, record_of
from thinktime.models.results.result import Result
from thinktime.models.site import site
from thinktime.workloads.cleaning import CleaningReport
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.offered_load import offered_load
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import counted


@dataclass(frozen=True, slots=True)
class Site:
    """A machine, and the jobs of the log that it can run."""

    trace: Trace
    processors: int
    nodes: Nodes | None = None
    log: NodeLog | None = None
    """What the jobs ask of nodes."""
    allocator: str = "first-fit"
    report: CleaningReport = field(default_factory=CleaningReport)
    notes: list[str] = field(default_factory=list)
    dropped: int = 0
    """Jobs of the log that the machine cannot hold."""
    changes: Changes | None = None
    """What changes on the machine; the log's own schedule knows nothing of it."""
    configuration: site.Site | None = None
    """Accounts, partitions, QOS and priorities, where they are known."""

    @property
    def described(self) -> str:
        """The machine in words."""
        size = counted(self.processors, "processor")
        if self.nodes is None:
            return size
        parts = [f"{c.count} × {c.name} of {c.resources['processors']:,}" for c in self.nodes.clusters]
        return f"{size} ({', '.join(parts)}; {self.allocator})"

    @property
    def counts(self) -> list[int]:
        """The number of nodes in each cluster, or of processors."""
        return [self.processors] if self.nodes is None else [each.count for each in self.nodes.clusters]

    @property
    def size(self) -> str:
        """The machine in short: ``15+34`` nodes of its clusters, or its processors."""
        return "+".join(map(str, self.counts))

    @property
    def load(self) -> float:
        """Work over what the machine could do from the first to the last submission."""
        return offered_load(self.trace, self.processors)

    @property
    def has_waits(self) -> bool:
        """Whether the log has a schedule of its own."""
        return bool(np.isfinite(self.trace.wait).any())

    def recorded(self) -> Result:
        """The log's own schedule, as if it had been on this machine."""
        return recorded_result(self.trace, self.processors, self.log)

    def expected_from_log(self, rule: Capacity) -> Chosen | None:
        """Capacities from the log's own schedule, if it has one, so that they do not depend on the policy."""
        where = " in the log's own schedule"
        return chosen_for(self.recorded(), rule, where=where) if self.has_waits else None

    def first(self, jobs: int) -> "Site":
        """The same site with only the first `jobs` jobs."""
        if len(self.trace) <= jobs:
            return self
        log = None if self.log is None else self.log.first(jobs)
        return replace(
            self,
            trace=self.trace.select(np.arange(len(self.trace)) < jobs),
            log=log,
            dropped=self.dropped if log is None else len(log.left_out),
            notes=[*self.notes, f"only the first {jobs:,} jobs"],
        )

    def machine(self, policy: Any, overrun: str = "kill") -> MachineSpec:
        """The machine under a policy."""
        size = self.processors if self.nodes is None else None
        return MachineSpec(
            size, policy, overrun, nodes=self.nodes, allocator=self.allocator, changes=self.changes,
            site=self.configuration,
        )  # fmt: skip

    @property
    def jobs(self) -> Trace | NodeLog:
        """The jobs, with their requests if the machine has nodes."""
        return self.trace if self.log is None else self.log


def recorded_result(trace: Trace, processors: int, log: NodeLog | None = None) -> Result:
    """Every job at its recorded start (submit + wait) for its whole run time.

    Jobs without a wait are counted in ``Result.dropped``. Nothing is checked against the machine: a recorded schedule
    need not fit. ``log`` is the trace's `NodeLog` (`read_requests`): memory, queues by name, and the nodes that jobs
    had, in the log's numbering. Jobs that the described nodes could not hold (`NodeLog.whole`) are part of the
    schedule, since they did run; ``Result.notes`` lists them.
    """
    notes = held_by_no_node(log)
    if log is not None:
        log = log.whole or log
        trace = log.trace
    known = np.isfinite(trace.wait)
    if len(trace) and not known.any():
        raise ValueError("the log has no waits (field 3), so it records no schedule")
    jobs = trace.select(known) if not known.all() else trace
    start = jobs.submit + jobs.wait
    columns = {
        "id": jobs.id,
        "submit": jobs.submit,
        "start": start,
        "end": start + jobs.runtime,
        "processors": jobs.processors,
        "estimate": jobs.estimate,
        "memory": np.where(jobs.requested_memory > 0, jobs.requested_memory * 1024.0, np.nan),
        "recorded_start": start,
    }
    labels = Labels()
    record = None
    for name in LABELLED:
        columns[name] = labels.codes(name, getattr(jobs, name), jobs.names.get(name, {}))
    if log is not None:
        rows = np.flatnonzero(known).tolist()
        asked = [log.requests[row] for row in rows]
        memory = [each.memory / each.processors if each.memory else np.nan for each in asked]
        columns["memory"] = np.array(memory, np.float64)
        columns["processors"] = np.array([each.processors for each in asked], np.int64)
        if log.queues is not None and "queue" not in jobs.names:
            columns["queue"] = labels.codes("queue", log.queues[rows])
        had = [[] if log.nodes is None else log.nodes[row] for row in rows]
        most = max((max(each) for each in had if each), default=-1)
        amounts = amounts_of(asked, tuple(log.machine))
        record = record_of(tuple(str(v) for v in range(most + 1)), had, amounts, log.machine)
    result = Result.from_columns(columns, processors, names=labels.names, overrun="as recorded")
    dropped = {} if known.all() else {"no recorded wait": int((~known).sum())}
    return replace(result, dropped=dropped, notes=notes, nodes=record)


def held_by_no_node(log: NodeLog | None, most: int = 5) -> list[str]:
    """A sentence about the jobs that ran although no described node could hold them, if there are any."""
    found = [] if log is None else log.held_by_no_node()
    if not found:
        return []
    named = ", ".join(f"job {number} ({request})" for number, request in found[:most])
    more = f" and {len(found) - most:,} more" if len(found) > most else ""
    count = "counts" if len(found) == 1 else "count"
    what = f"{counted(len(found), 'job')} that no described node could hold did run"
    return [f"{what}, and {count} in the recorded schedule alone: {named}{more}"]
