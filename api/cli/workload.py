"""The jobs that a command simulates, and their machine: processors, or the nodes that a file describes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from thinktime.cli.inputs import MOST_PROCESSORS, checked_estimates, cut, existing, machine_size, read, read_part
from thinktime.workloads import Trace
from thinktime.workloads.swf.cleaning import CleaningReport

if TYPE_CHECKING:
    from thinktime.analysis.expectations.evaluated_site import Site
    from thinktime.models.changing.rules import Changes
    from thinktime.models.machine_spec import MachineSpec
    from thinktime.workloads.node_log import NodeLog
    from thinktime.workloads.nodes import Nodes


@dataclass(frozen=True, slots=True)
class Workload:
    """The jobs of a log to simulate, and where they came from."""

    path: str
    """The path as given."""
    trace: Trace
    report: CleaningReport
    processors: int
    dependencies: bool = False
    """Whether jobs wait for the jobs named in SWF fields 17 and 18."""
    part: bool = False
    """Whether this is only part of the log; the cleaning report is for all of it."""
    estimates: str = "requested"
    """The estimates that policies plan with."""
    site: Site | None = None
    """The machine of nodes and the requests of the jobs, with `--machines`."""
    changes: Changes | None = None
    """What changes on the machine."""

    def machine(self, policy: Any, overrun: str) -> MachineSpec:
        """The machine under a policy."""
        from thinktime.models.machine_spec import MachineSpec

        if self.site is not None:
            return replace(self.site.machine(policy, overrun), estimates=self.estimates, changes=self.changes)
        return MachineSpec(self.processors, policy, overrun, self.estimates, changes=self.changes)

    @property
    def changes_named(self) -> dict[str, str]:
        """What changes on the machine, in words, as an entry of JSON objects; empty if nothing does."""
        if self.changes is None:
            return {}
        from thinktime.models.changing.tables import in_words

        return {"changes": in_words(self.changes)}

    @property
    def changes_text(self) -> str:
        """The same as a condition before others."""
        return "".join(f"{name}: {words}; " for name, words in self.changes_named.items())

    @property
    def jobs(self) -> Trace | NodeLog:
        """The jobs, with their requests if the machine has nodes."""
        return self.trace if self.site is None else self.site.jobs


def load(
    path: str,
    processors: str | None = None,
    since: str | None = None,
    until: str | None = None,
    dependencies: bool = False,
    estimates: str = "requested",
    machines: str | None = None,
    max_size: str | None = None,
    changes: Mapping[str, Any] | None = None,
    seed: int = 1,
) -> Workload:
    """Read the jobs of a log submitted in [`since`, `until`); `seed` is that of random failures."""
    checked_estimates(estimates)
    part = since is not None or until is not None
    if machines is not None:
        site = load_site(path, machines, processors, since, until, max_size=max_size)
        found = Workload(path, site.trace, site.report, site.processors, dependencies, part, estimates, site)
    else:
        trace, report, size = read_part(path, processors, since, until, max_size)
        found = Workload(path, trace, report, size, dependencies, part, estimates)
    nodes = None if found.site is None else found.site.nodes
    return replace(found, changes=_changes(changes, found.processors, nodes, found.trace, seed))


def _changes(
    given: Mapping[str, Any] | None, processors: int, nodes: Nodes | None, trace: Trace, seed: int = 1
) -> Changes | None:
    """What the options say of a machine that changes; `seed` is that of random failures."""
    if not given:
        return None
    from thinktime.models.changing.tables import changes_of

    machine = processors if nodes is None else {name: place for place, name in enumerate(nodes.names)}
    return changes_of(given, machine, trace.calendar, seed)


def load_site(
    path: str,
    machines: str | None = None,
    processors: str | None = None,
    since: str | None = None,
    until: str | None = None,
    memory_unit: str = "auto",
    allocator: str = "first-fit",
    max_size: str | None = None,
    changes: Mapping[str, Any] | None = None,
) -> Site:
    """Read a log and, if given, the description of the nodes; `changes` are those of the machine."""
    from thinktime.analysis.expectations.evaluated_site import Site
    from thinktime.models.nodes.site import ALLOCATORS
    from thinktime.workloads.node_log import MEMORY_UNITS, read_requests

    if memory_unit not in MEMORY_UNITS:
        raise ValueError(f"--memory-unit must be one of {', '.join(MEMORY_UNITS)}, not {memory_unit!r}")
    if allocator not in ALLOCATORS:
        raise ValueError(f"--allocator must be one of {', '.join(ALLOCATORS)}, not {allocator!r}")
    if machines is None:
        trace, report, size = read_part(path, processors, since, until, max_size)
        then = _changes(changes, size, None, trace)
        return Site(trace, size, allocator=allocator, report=report, changes=then)
    from thinktime.workloads.nodes import Nodes

    nodes = Nodes.read(existing(machines))
    if processors is not None and machine_size(processors) != nodes.total():
        raise ValueError(
            f"--processors {processors}: the nodes of {machines} have {nodes.total():,}; leave out the option"
        )
    # Wide jobs are not dropped here, since they did run; `read_requests` decides which ones fit the nodes.
    trace, report = read(path, MOST_PROCESSORS, max_size)
    log = read_requests(cut(trace, path, since, until), nodes, memory_unit)
    if not len(log.trace):
        raise ValueError(f"{path} has no job that the nodes of {machines} could run")
    for why, count in log.dropped.items():
        report.add("dropped", why, count)
    then = _changes(changes, nodes.total(), nodes, log.trace)
    return Site(log.trace, nodes.total(), nodes, log, allocator, report, log.notes, len(log.left_out), then)
