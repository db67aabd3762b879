"""The jobs that a command simulates, and their machine: processors, or the nodes that a file describes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from thinktime.cli import options
from thinktime.cli.inputs import (
    MOST_PROCESSORS,
    checked_estimates,
    cut,
    existing,
    machine_size,
    read,
    read_part,
    sizes_in,
)
from thinktime.cli.options import DEFAULT_POLICIES
from thinktime.workloads import Trace
from thinktime.workloads.cleaning import CleaningReport
from thinktime.workloads.names import quoted, shortened

if TYPE_CHECKING:
    from thinktime.analysis.expectations.evaluated_site import Site
    from thinktime.models.machine.changing.rules import Changes
    from thinktime.models.machine.spec import MachineSpec
    from thinktime.models.machine.state import MachineState
    from thinktime.models.site import site as configuration
    from thinktime.workloads.conditions import LogConditions
    from thinktime.workloads.node_log import NodeLog
    from thinktime.workloads.nodes import Nodes


OWN = "site"
"""The policy that a configured site has."""

Choice = tuple[str, Any]
"""A policy: its text as given, and the object."""


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
    """The machine of nodes and the requests of the jobs, with `--machines` or `--site`."""
    changes: Changes | None = None
    """What changes on the machine."""
    reasons: bool = False
    """Whether results say why each job last did not start."""
    begin: MachineState | None = None
    """The state from which the machine goes on."""
    responses: Any = ()
    """How users of the log respond, with `--respond`."""
    priced: Mapping[str, Any] = field(default_factory=dict)
    """What the machine draws, its signals, and what jobs are charged: fields of the machine."""

    def machine(self, policy: Any, overrun: str) -> MachineSpec:
        """The machine under a policy."""
        from thinktime.models.machine.spec import MachineSpec

        begin = self.begin
        reasons = self.reasons if begin is None else begin.fields["reasons"]
        if self.site is not None:
            made = self.site.machine(policy, overrun)
            how: dict[str, Any] = {"estimates": self.estimates, "changes": self.changes, "reasons": reasons}
            return replace(made, **how, begin=begin, **self.priced)
        own = policy, overrun, self.estimates
        return MachineSpec(self.processors, *own, reasons=reasons, changes=self.changes, begin=begin, **self.priced)

    @property
    def site_named(self) -> dict[str, str]:
        """The name of the configured site, as an entry of JSON objects; empty if there is none."""
        known = None if self.site is None else self.site.configuration
        return {} if known is None else {"site": known.name}

    @property
    def changes_named(self) -> dict[str, str]:
        """What changes on the machine, in words, as an entry of JSON objects; empty if nothing does."""
        if self.changes is None:
            return {}
        from thinktime.models.machine.changing.tables import in_words

        return {"changes": in_words(self.changes)}

    @property
    def changes_text(self) -> str:
        """The site and what changes as conditions before others."""
        named = self.site_named | self.changes_named
        return "".join(f"{name}: {words}; " for name, words in named.items())

    @property
    def conditions(self) -> bool | LogConditions:
        """What jobs wait for, if that is wanted: what the log says, or its accounting, or the file beside it."""
        from thinktime.workloads.conditions import LogConditions, beside
        from thinktime.workloads.read_log import conditions_in

        file = beside(self.path)
        if not self.dependencies or file.exists():
            return LogConditions.read(file) if self.dependencies else False
        if (of_slurm := conditions_in(self.path)) is not None:
            return of_slurm or True
        if self.trace.further:
            from thinktime.workloads.tables.eligible import conditions_of

            return conditions_of(self.trace) or True
        return True

    @property
    def jobs(self) -> Trace | NodeLog:
        """The jobs, with their requests if the machine has nodes."""
        return self.trace if self.site is None else self.site.jobs


def load(
    path: str,
    log: options.Log,
    changes: Mapping[str, Any],
    at: configuration.Site | None,
    *,
    dependencies: bool = False,
    seed: int = 1,
    quiet: bool = False,
) -> Workload:
    """Read what is asked for of a log; `seed` is that of random failures."""
    checked_estimates(log.estimates)
    part = log.since is not None or log.until is not None
    how = options.OnNodes()
    site = load_site(path, log, at, how, processors=log.processors, withdrawn=log.withdrawn, quiet=quiet)
    site = with_sizes(site, log.shapes)
    of_nodes = None if site.nodes is None else site
    estimates = _predicted(log.estimates, site.report)
    found = Workload(path, site.trace, site.report, site.processors, dependencies, part, estimates, of_nodes)
    nodes = None if found.site is None else found.site.nodes
    return replace(found, changes=_changes(changes, found.processors, nodes, found.trace, seed))


def with_sizes(site: Site, given: str | None) -> Site:
    """The same with jobs that may have several sizes, as `--shapes` says."""
    if given is None:
        return site
    from thinktime.workloads.shapes.shaping import shaped

    how = sizes_in(given)
    if site.log is None:
        return replace(site, trace=shaped(site.trace, how, site.processors))
    log = shaped(site.log, how, site.processors)
    return replace(site, trace=log.trace, log=log)


def of_shapes(trace: Trace, choices: Sequence[Choice]) -> list[str]:
    """What was assumed of the sizes of a log's jobs, if they may have several."""
    from thinktime.models.policies.hooks import Hooks
    from thinktime.workloads.shapes.of_logs import told

    names = dict.fromkeys(name for name, _ in choices)
    return told(trace, None if any(Hooks(made).resizes for _, made in choices) else " and ".join(names))


PREDICTOR = "last-two"
"""The estimates for data sets without time limits, unless others are asked for."""


def _predicted(estimates: str, report: CleaningReport) -> str:
    """The estimates to plan with: a predictor where there are no time limits, if users are known."""
    known = report.data_set
    without = known is not None and known.users and not known.limits
    return PREDICTOR if without and estimates == "requested" else estimates


def _changes(
    given: Mapping[str, Any] | None, processors: int, nodes: Nodes | None, trace: Trace, seed: int = 1
) -> Changes | None:
    """What the options say of a machine that changes; `seed` is that of random failures."""
    if not given:
        return None
    from thinktime.models.machine.changing.tables import changes_of

    return changes_of(given, processors if nodes is None else nodes.numbers, trace.calendar, seed)


def load_site(
    path: str,
    log: options.Jobs,
    at: configuration.Site | None,
    on_nodes: options.OnNodes,
    *,
    processors: str | None = None,
    changes: Mapping[str, Any] | None = None,
    withdrawn: str = "drop",
    quiet: bool = False,
) -> Site:
    """Read what is asked for of a log and, if given, the description of the nodes; `changes` are the machine's.

    Nodes are those of the configured site that the machine is ``at``, if any, where the numbers of the log have the
    names of the file that the log's options name, or of that beside the log.
    """
    from thinktime.analysis.expectations.evaluated_site import Site
    from thinktime.models.jobs.node_states import ALLOCATORS
    from thinktime.workloads.node_log import MEMORY_UNITS, read_requests
    from thinktime.workloads.sacct.name_file import unnamed

    allocator, memory_unit = on_nodes.allocator, on_nodes.memory_unit
    if memory_unit not in MEMORY_UNITS:
        raise ValueError(f"--memory-unit must be one of {', '.join(MEMORY_UNITS)}, not {quoted(memory_unit)}")
    if log.names is not None and at is None:
        raise ValueError(f"--names {shortened(log.names)}: names are looked up at a site; give --site as well")
    if allocator is not None and allocator not in ALLOCATORS:
        raise ValueError(f"--allocator must be one of {', '.join(ALLOCATORS)}, not {quoted(allocator)}")
    if log.machines is None and at is None:
        trace, report, size = read_part(path, processors, log.since, log.until, log.max_size, withdrawn, quiet)
        known = None if report.data_set is None or processors is not None else report.data_set.own_nodes
        if known is None:
            then = _changes(changes, size, None, trace)
            return Site(trace, size, allocator=allocator or "first-fit", report=report, changes=then)
        assert report.data_set is not None
        jobs = read_requests(trace, known, memory_unit)
        return _on_nodes(path, jobs, known, report.data_set.name, allocator, report, changes)
    nodes, whose = _nodes(log.machines, at)
    if processors is not None and machine_size(processors) != nodes.total():
        raise ValueError(
            f"--processors {processors}: the nodes of {whose} have {nodes.total():,}; leave out the option"
        )
    # Wide jobs are not dropped here, since they did run; `read_requests` decides which ones fit the nodes.
    trace, report = read(path, MOST_PROCESSORS, log.max_size, withdrawn, quiet)
    trace = trace if at is None else _named(trace, path, log.names)
    jobs = read_requests(cut(trace, path, log.since, log.until), nodes, memory_unit)
    if at is not None and at.accounts.users and not trace.names:
        jobs.notes.append(unnamed(path))
    how = allocator or ("first-fit" if at is None else of_site(at).allocator)
    return _on_nodes(path, jobs, nodes, whose, how, report, changes, at)


def _on_nodes(
    path: str,
    log: NodeLog,
    nodes: Nodes,
    whose: str,
    allocator: str | None,
    report: CleaningReport,
    changes: Mapping[str, Any] | None,
    at: configuration.Site | None = None,
) -> Site:
    """The jobs on these nodes; ``ValueError`` if none of them fits."""
    from thinktime.analysis.expectations.evaluated_site import Site

    if not len(log.trace):
        raise ValueError(f"{shortened(path)} has no job that the nodes of {whose} could run")
    for why, count in log.dropped.items():
        report.add("dropped", why, count)
    then = _changes(changes, nodes.total(), nodes, log.trace)
    how = allocator or "first-fit"
    return Site(log.trace, nodes.total(), nodes, log, how, report, log.notes, len(log.left_out), then, at)


def configured(path: str | None) -> configuration.Site | None:
    """The value of `--site`."""
    if path is None:
        return None
    from thinktime.models.site.site import Site

    return Site.read(existing(path))


def policies_at(given: Sequence[str] | None, at: configuration.Site | None) -> Sequence[str]:
    """The policies to compare: those given, else that of the site, else `DEFAULT_POLICIES`."""
    return given or (DEFAULT_POLICIES if at is None else [OWN])


def chosen(specs: Sequence[str], at: configuration.Site | None = None) -> list[Choice]:
    """A policy for each text, made only once because this runs the user's scripts; `OWN` is that of the site."""
    from thinktime.models.policies import from_spec

    if at is None and OWN in specs:
        raise ValueError(f"--policy {OWN} is the scheduler of a configured site; give --site as well")
    return [(spec, from_spec(of_site(at).policy if spec == OWN and at is not None else spec)) for spec in specs]


def of_site(at: configuration.Site) -> MachineSpec:
    """The machine that a site has."""
    from thinktime.models.machine.spec import MachineSpec

    return MachineSpec.of_site(at)


def _nodes(machines: str | None, at: configuration.Site | None) -> tuple[Nodes, str]:
    """The nodes, and what they are called in messages."""
    from thinktime.workloads.nodes import Nodes

    if machines is None:
        assert at is not None
        nodes = of_site(at).nodes
        assert nodes is not None
        return nodes, f"site {at.name}"
    if at is not None:
        raise ValueError(f"--machines {shortened(machines)}: the nodes are those of --site; leave out one of the two")
    return Nodes.read(existing(machines)), machines


def _named(trace: Trace, path: str, names: str | None) -> Trace:
    from thinktime.workloads.sacct.name_file import with_names

    return with_names(trace, path, None if names is None else existing(names))
