"""A log and the machine that it is for: processors, or nodes with their resources."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from thinktime.analysis.expectations.capacity import Capacity, Chosen
from thinktime.analysis.expectations.evaluate import chosen_for
from thinktime.analysis.expectations.recorded import recorded_result
from thinktime.models.machine_spec import MachineSpec
from thinktime.models.results.result import Result
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.offered_load import offered_load
from thinktime.workloads.swf.cleaning import CleaningReport
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
        return (
            chosen_for(self.recorded(), rule, where=" in the log's own schedule") if self.has_waits else None
        )

    def first(self, jobs: int) -> Site:
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
        return MachineSpec(size, policy, overrun, nodes=self.nodes, allocator=self.allocator)

    @property
    def jobs(self) -> Trace | NodeLog:
        """The jobs, with their requests if the machine has nodes."""
        return self.trace if self.log is None else self.log
