"""Where the jobs of a run come from: a log, a recipe, users in the loop.

Jobs read from a log or made by a recipe are cached: the policies of one point and seed run one after the other
in the same process.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from thinktime.analysis.experiments import reactions
from thinktime.analysis.experiments.machine_section import MachineSection
from thinktime.analysis.experiments.scenario import Scenario
from thinktime.analysis.experiments.scenario_files import (
    conditions_of,
    events_of,
    log_name_of,
    log_of,
    machines_of,
    names_of,
    shapes_file_of,
    signal_files_of,
    site_file_of,
)
from thinktime.analysis.experiments.sections import ShakeSection, TraceSection, WorkloadSection
from thinktime.models.jobs.checks import name_of
from thinktime.models.machine.changing import tables
from thinktime.models.machine.changing.rules import Changes
from thinktime.models.machine.configured import OWN, configured, is_own
from thinktime.models.machine.site_notes import unmodelled
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.orders.scripts import member
from thinktime.models.policies import as_policy
from thinktime.models.policies.hooks import Hooks
from thinktime.models.site.site import Site
from thinktime.users import sources
from thinktime.users.log_source import LogSource
from thinktime.users.log_users import Respondents
from thinktime.users.modes import source_of
from thinktime.users.profiles import Profile
from thinktime.users.source import Source
from thinktime.workloads.calibration.calibrate import fitted_once
from thinktime.workloads.calibration.users import Users
from thinktime.workloads.conditions import LogConditions
from thinktime.workloads.generators import generate, plans_of, quantity_texts, scale_to_load
from thinktime.workloads.generators.cycles import UserClock
from thinktime.workloads.mode_names import CALIBRATED
from thinktime.workloads.names import quoted, shortened
from thinktime.workloads.node_log import NodeLog, could_run, read_requests
from thinktime.workloads.node_requests import NodeRequest
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.read_log import files_of, read_log
from thinktime.workloads.read_log import nodes_of as nodes_of_log
from thinktime.workloads.reading.texts import value_in
from thinktime.workloads.sacct.name_file import read_names, unnamed
from thinktime.workloads.shaking import shaken
from thinktime.workloads.shapes.of_logs import told
from thinktime.workloads.shapes.shaping import Shaping, for_machine
from thinktime.workloads.streams import stream
from thinktime.workloads.toml import as_toml
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models import delimit, resample, scale_users

Described = tuple[str, Path | None, int]
"""The description of nodes: the machine as JSON, or a file (of a site: `OWN`) and its modification time."""
Sizes = str | tuple[Path, int]
"""Which jobs may have several sizes: what `Shaping` says, as TOML, or a file and its modification time."""
DATA_SET = "data set "
"""Begins the key of nodes that are those of a log's data set."""


def notes_of(scenario: Scenario) -> list[str]:
    """What the results of all runs of a scenario should be read with."""
    site, shake = site_of(scenario), scenario.shake
    notes = [] if shake is None else [f"each seed is the log with its times moved by up to {100 * shake.share:g} %"]
    notes += [] if site is None else unmodelled(site)
    notes += _assumed(scenario)
    if scenario.trace is None or site is None or not site.accounts.users or names_of(scenario) is not None:
        return notes
    return [*notes, unnamed(log_of(scenario))]


def _assumed(scenario: Scenario) -> list[str]:
    """What is assumed of the sizes of jobs with the first seed, at each point of the sweep that says it otherwise."""
    points = {as_toml(each.shapes or ""): each for each in map(scenario.resolved, scenario.points())}
    found = []
    for each in points.values():
        seed = each.all_seeds[0]
        if each.shapes is not None and (jobs := jobs_of(each, seed)) is not None:
            policies = [as_policy(machine_of(each, policy, seed).policy) for policy in each.policies]
            chosen = any(Hooks(policy).resizes for policy in policies)
            names = dict.fromkeys(map(name_of, policies))
            found += told(jobs.trace if isinstance(jobs, NodeLog) else jobs, None if chosen else " and ".join(names))
    return list(dict.fromkeys(found))


def site_of(scenario: Scenario) -> Site | None:
    """The site that the scenario's machine belongs to, if its configuration is known."""
    if scenario.machine.site is None:
        return None
    path = site_file_of(scenario)
    return _site(path, path.stat().st_mtime_ns)


def nodes_of(scenario: Scenario) -> Nodes | None:
    """The nodes of the scenario's machine; None if it is a pool of processors."""
    described = _described(scenario)
    return None if described is None else _nodes(*described)


def allocator_of(scenario: Scenario) -> Any:
    """The allocator of nodes: a name, or the user's own function."""
    text = scenario.located(scenario.machine.allocator or "first-fit")
    path, colon, name = text.rpartition(":")
    return member(path, name) if colon else text


def check_nodes(scenario: Scenario) -> None:
    """Raise ``ValueError`` if the nodes, the site or the allocator are invalid, or users ask for more than there is."""
    nodes = nodes_of(scenario)
    assert nodes is not None
    allocator_of(scenario)
    for policy in scenario.policies if scenario.machine.site is not None else ():
        machine_of(scenario, policy)
    for name, section in scenario.users.items():
        if section.nodes is not None and not could_run(NodeRequest.parse(section.nodes), nodes):
            asked = f"users.{name}.nodes: jobs ask for {section.nodes}"
            raise ValueError(f"{asked}, which the nodes could not give even if they were idle")


def machine_of(scenario: Scenario, policy: str, seed: int = 1) -> MachineSpec:
    """The scenario's machine under one of its policies; the seed is that of random failures."""
    how, nodes = scenario.machine, nodes_of(scenario)
    if (site := site_of(scenario)) is None:
        own = scenario.located(policy), how.overrun, scenario.located(how.estimates), nodes, allocator_of(scenario)
        return MachineSpec(how.processors, *own, changes=changes_of(scenario, seed), **incentives_of(scenario, seed))
    try:
        made, windows = configured(site, policy if is_own(policy) else scenario.located(policy))
    except ValueError as error:
        raise ValueError(f"policy {quoted(policy)}: {error}") from None
    allocator = made.allocator if how.allocator is None else allocator_of(scenario)
    changes = changes_of(scenario, seed, windows)
    estimates = scenario.located(how.estimates)
    priced = incentives_of(scenario, seed)
    return replace(made, overrun=how.overrun, estimates=estimates, allocator=allocator, changes=changes, **priced)


def changes_of(scenario: Scenario, seed: int, windows: Sequence[dict[str, Any]] = ()) -> Changes | None:
    """What changes on the scenario's machine, and further windows; failures are the same under all policies."""
    if (table := scenario.machine.changes) is None and not windows:
        return None
    table = {**(table or {}), "windows": [*(table or {}).get("windows", ()), *windows]}
    nodes, jobs = nodes_of(scenario), jobs_of(scenario, seed)
    trace = jobs.trace if isinstance(jobs, NodeLog) else jobs
    size = scenario.machine.processors or (None if trace is None else trace.machine_size)
    machine = size if nodes is None else {name: place for place, name in enumerate(nodes.names)}
    file = {} if (path := events_of(scenario)) is None else {"events": path}
    return tables.changes_of({**table, **file}, machine, None if trace is None else trace.calendar, seed)


def incentives_of(scenario: Scenario, seed: int) -> dict[str, Any]:
    """What the scenario says of power, signals and charges, as fields of its machine."""
    found, said = scenario.machine.priced, scenario.machine.signals_said
    if said:
        jobs, files = jobs_of(scenario, seed), signal_files_of(scenario)
        trace = jobs.trace if isinstance(jobs, NodeLog) else jobs
        calendar = None if trace is None else trace.calendar
        found["signals"] = {name: each.read(name, calendar, files[name]) for name, each in said.items()}
    return found


def sources_of(scenario: Scenario, seed: int) -> tuple[list[LogSource], list[Source]]:
    """The sources of a scenario's jobs: its log or recipe, and its users."""
    found: list[Source] = []
    if scenario.users:
        found.append(sources.campaigns(crowd(scenario), seed, until=scenario.horizon or float("inf")))
    if scenario.workload is not None and scenario.workload.mode == "closed":
        section, recipe, size = scenario.workload, scenario.workload.made.closed(), _size(scenario)
        clock = UserClock(recipe.cycle, getattr(recipe.model, "hours", None))
        plans = plans_of(recipe, jobs=section.jobs, users=section.users, processors=size, seed=seed)
        found.append(sources.planned(plans, clock))
    return _jobs(scenario, seed), found


def _jobs(scenario: Scenario, seed: int) -> list[LogSource]:
    found, section = _of_log(scenario, seed), scenario.trace
    if section is None or not section.behaviours:
        return found
    who = Respondents(reactions.made(section.behaviours), section.respondents, seed)
    return [each.with_responses(who) for each in found]


def _of_log(scenario: Scenario, seed: int) -> list[LogSource]:
    section = scenario.trace
    given = jobs_of(scenario, seed)
    if given is None:
        return []
    if section is None:
        return [sources.log(given)]
    if section.mode == "dependencies":
        file = conditions_of(scenario)
        return [sources.dependencies(given, None if file is None else LogConditions.read(file))]
    if section.mode == CALIBRATED:
        return [source_of(section.mode, given, users=_fitted(scenario, seed))]
    if section.mode != "generative":
        return [source_of(section.mode, given, **_delimited(scenario, seed, given))]
    population = 1.0 if section.resample else section.population
    return [sources.drawn(given, seed, population, draw=section.draw, **_delimited(scenario, seed, given))]


def lacks_of(scenario: Scenario, seed: int) -> tuple[str, ...]:
    """What the users of the scenario's log do beyond their model, if they are fitted to it."""
    if scenario.trace is None or scenario.trace.mode != CALIBRATED:
        return ()
    return _fitted(scenario, seed).lacks


def _fitted(scenario: Scenario, seed: int) -> Users:
    """The users who are fitted to the scenario's log, once for all runs of it."""
    rigid = rigid_jobs_of(scenario, seed)
    assert rigid is not None
    return fitted_once(rigid.trace if isinstance(rigid, NodeLog) else rigid)


def _delimited(scenario: Scenario, seed: int, given: Trace | NodeLog) -> dict[str, Any]:
    """What ends a session of a log; a shaken one has the sessions of the unshaken one."""
    section = scenario.trace
    assert section is not None
    if scenario.shake is None:
        return {"delimitation": section.delimitation, "threshold": section.threshold}
    still = jobs_of(scenario.model_copy(update={"shake": None}), seed)
    assert still is not None
    here, there = (each.trace if isinstance(each, NodeLog) else each for each in (given, still))
    return {"delimitation": delimit(there, section.delimitation, section.threshold).moved(here.submit)}


def jobs_of(scenario: Scenario, seed: int) -> Trace | NodeLog | None:
    """The jobs of the scenario's log or recipe, with their requests for nodes; None if all come from users."""
    if scenario.shapes is None:
        return rigid_jobs_of(scenario, seed)
    file = shapes_file_of(scenario)
    return _jobs_with(scenario, seed, as_toml(scenario.shapes) if file is None else (file, file.stat().st_mtime_ns))


def rigid_jobs_of(scenario: Scenario, seed: int) -> Trace | NodeLog | None:
    """The same jobs, each with its one size."""
    return _jobs_with(scenario, seed, None)


def _jobs_with(scenario: Scenario, seed: int, sizes: Sizes | None) -> Trace | NodeLog | None:
    nodes, described = nodes_of(scenario), _described(scenario)
    if scenario.trace is not None:
        own = seed if scenario.trace.made_up else 0
        of_set = described is not None and described[0].startswith(DATA_SET)
        size = None if of_set else scenario.machine.processors if nodes is None else nodes.total()
        names = None if (file := names_of(scenario)) is None else (file, file.stat().st_mtime_ns)
        shake = None if scenario.shake is None else (scenario.shake, seed)
        name = log_name_of(scenario)
        return _from_log((name, _changed(name)), _text(scenario.trace), size, own, described, names, shake, sizes)
    if scenario.workload is not None and scenario.workload.mode == "open":
        jobs = _sized(_from_recipe(_text(scenario.workload), _size(scenario), seed), sizes, _size(scenario), nodes)
        return jobs if nodes is None else read_requests(jobs, nodes)
    return None


def _sized(
    trace: Trace, sizes: Sizes | None, processors: int | None, nodes: Nodes | None, memory_unit: str = "auto"
) -> Trace:
    """The same jobs with the sizes that they may have."""
    if sizes is None:
        return trace
    how = sizes[0] if isinstance(sizes, tuple) else Shaping.given(value_in(sizes))
    return for_machine(trace, how, processors, nodes, memory_unit)


def _size(scenario: Scenario) -> int:
    nodes = nodes_of(scenario)
    size = scenario.machine.processors if nodes is None else nodes.total()
    assert size is not None
    return size


def crowd(scenario: Scenario) -> dict[str | int, Profile]:
    """The profiles of a scenario's users, by name: `NAME 1`, `NAME 2` and so on."""
    made = {name: (section.made(), section.count) for name, section in scenario.users.items()}
    return {f"{name} {i}": profile for name, (profile, n) in made.items() for i in range(1, n + 1)}


def _described(scenario: Scenario) -> Described | None:
    if scenario.machine.site is not None or scenario.machine.machines is not None:
        path = site_file_of(scenario) if scenario.machine.site is not None else machines_of(scenario)
        return OWN if scenario.machine.site is not None else "", path, path.stat().st_mtime_ns
    if scenario.machine.nodes is not None:
        return scenario.machine.model_dump_json(), None, 0
    if scenario.trace is None or scenario.machine.processors is not None:
        return None
    name, path = log_name_of(scenario), log_of(scenario)
    return (f"{DATA_SET}{name}", path, _changed(name)) if nodes_of_log(name) is not None else None


def _changed(name: str) -> int:
    """When the files of a log last changed."""
    return max(file.stat().st_mtime_ns for file in files_of(name))


@lru_cache(maxsize=4)
def _nodes(text: str, path: Path | None, changed: int) -> Nodes:
    if path is not None and text == OWN:
        nodes = MachineSpec.of_site(_site(path, changed)).nodes
        assert nodes is not None
        return nodes
    if text.startswith(DATA_SET):
        found = nodes_of_log(text.removeprefix(DATA_SET))
        assert found is not None
        return found
    if path is not None:
        return Nodes.read(path)
    return Nodes([each.made() for each in MachineSection.model_validate_json(text).nodes or ()])


@lru_cache(maxsize=4)
def _site(path: Path, changed: int) -> Site:
    return Site.read(path)


def _text(section: TraceSection | WorkloadSection) -> str:
    return section.model_dump_json(by_alias=True)


@lru_cache(maxsize=4)
def _read(
    name: str, changed: int, processors: int | None, max_size: int | str | None, withdrawn: Literal["drop", "queue"]
) -> Trace:
    return read_log(name, processors=processors, max_size=max_size, withdrawn=withdrawn)


@lru_cache(maxsize=4)
def _from_log(
    log_file: tuple[str, int],
    text: str,
    processors: int | None,
    seed: int,
    described: Described | None,
    names: tuple[Path, int] | None,
    shake: tuple[ShakeSection, int] | None,
    sizes: Sizes | None,
) -> Trace | NodeLog:
    section = TraceSection.model_validate_json(text)
    trace = _read(*log_file, processors, section.max_size, section.withdrawn).between(section.since, section.until)
    trace = trace if names is None else trace.with_names(read_names(names[0]))
    if not len(trace):
        part = f"from {shortened(section.since, 40)} to {shortened(section.until, 40)}"
        raise ValueError(f"{Path(log_file[0]).name} has no jobs {part}")
    nodes = None if described is None else _nodes(*described)
    trace = _sized(trace, sizes, processors, nodes, section.memory_unit)
    if section.resample:
        trace = resample(trace, seed, section.population)
    log = None if nodes is None else read_requests(trace, nodes, section.memory_unit)
    if log is not None:
        trace = log.trace
        if not len(trace):
            raise ValueError(f"{Path(log_file[0]).name} has no job that the nodes could run")
    if section.load is not None and section.scaling == "times":
        trace, _ = scale_to_load(trace, section.load, processors)
    elif section.load is not None:
        trace, _ = scale_users(trace, section.load, processors, seed)
        if nodes is not None:
            log = read_requests(trace, nodes, section.memory_unit)
            trace = log.trace
    if shake is not None:
        how, own = shake
        trace = shaken(trace, how.share, own, runtimes=how.runtimes, submissions=how.submissions)
    if section.requested is not None:
        told = quantity_texts.requested(section.requested).of(trace.runtime, stream(seed, "estimates"))
        trace = trace.with_columns(requested_time=told)
    return trace if log is None else replace(log, trace=trace, whole=None)


@lru_cache(maxsize=4)
def _from_recipe(text: str, processors: int, seed: int) -> Trace:
    section = WorkloadSection.model_validate_json(text)
    return generate(section.made, jobs=section.jobs, users=section.users, processors=processors, seed=seed)
