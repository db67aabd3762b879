"""Where the jobs of a run come from: a log, a recipe, users in the loop.

The jobs of a log or a recipe are kept for the next run of the same process, since the policies of one point and
seed run one after the other.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import simpy

from thinktime.analysis.experiments import quantities
from thinktime.analysis.experiments.scenario import Scenario
from thinktime.analysis.experiments.sections import TraceSection, WorkloadSection
from thinktime.models.machine import Machine
from thinktime.users.campaigns import population
from thinktime.users.dependencies import submit_with_dependencies
from thinktime.users.profiles import Profile
from thinktime.users.replay import submit_trace
from thinktime.users.scripted import scripted_user
from thinktime.workloads.archive_logs import SUFFIX
from thinktime.workloads.behaviour import resample
from thinktime.workloads.generators import Campaigns, generate, scale_to_load
from thinktime.workloads.streams import stream
from thinktime.workloads.swf.read import read_swf
from thinktime.workloads.trace import Trace

Submit = Callable[[simpy.Environment, Machine, Trace], Any]
SUBMIT: dict[str, Submit] = {"open": submit_trace, "dependencies": submit_with_dependencies}
"""The process that submits the jobs of a log, by mode."""


def log_of(scenario: Scenario) -> Path:
    """The file of the scenario's log; ``ValueError`` says where it was looked for."""
    assert scenario.trace is not None
    name = Path(scenario.trace.file).expanduser()
    names = [name] if name.name.endswith((".swf", ".gz")) else [name, name.with_name(f"{name.name}{SUFFIX}")]
    folders = [scenario.folder, Path.cwd(), *_shared_folders()]
    for folder in folders:
        for each in names:
            if (folder / each).is_file():
                return folder / each
    raise ValueError(
        f"trace.file: there is no log {scenario.trace.file} beside the scenario, in the current folder, in "
        "$THINKTIME_TRACES, nor among those that `thinktime trace get` has fetched"
    )


def jobs_of(scenario: Scenario, seed: int) -> Trace | None:
    """The jobs of the scenario's log or recipe; None if all come from users or a model."""
    if scenario.trace is not None:
        path = log_of(scenario)
        own = seed if scenario.trace.made_up else 0
        return _from_log(
            path, path.stat().st_mtime_ns, _text(scenario.trace), scenario.machine.processors, own
        )
    if scenario.workload is not None and scenario.workload.mode == "open":
        assert scenario.machine.processors is not None
        return _from_recipe(_text(scenario.workload), scenario.machine.processors, seed)
    return None


def start_users(env: simpy.Environment, machine: Machine, scenario: Scenario, seed: int) -> None:
    """Start the users of a scenario as processes."""
    if scenario.users:
        population(env, machine, crowd(scenario), seed, until=scenario.horizon or float("inf"))
    if scenario.workload is not None and scenario.workload.mode == "closed":
        recipe = scenario.workload.made
        assert isinstance(recipe.model, Campaigns)
        plans = recipe.model.campaigns_of(
            scenario.workload.jobs, scenario.workload.users, machine.capacity, seed, recipe.load
        )
        for plan in plans:
            name = f"{plan.profile} {plan.user}"
            env.process(scripted_user(env, machine, name, plan.runtimes, plan.think_times, plan.first))


def crowd(scenario: Scenario) -> dict[str | int, Profile]:
    """The users of a scenario by name: `NAME 1`, `NAME 2` and so on."""
    made = {name: (section.made(), section.count) for name, section in scenario.users.items()}
    return {f"{name} {i}": profile for name, (profile, n) in made.items() for i in range(1, n + 1)}


def _shared_folders() -> list[Path]:
    import pooch

    shared = os.environ.get("THINKTIME_TRACES")
    return [*([Path(shared)] if shared else []), Path(pooch.os_cache("thinktime"))]


def _text(section: TraceSection | WorkloadSection) -> str:
    return section.model_dump_json(by_alias=True)


@lru_cache(maxsize=4)
def _read(path: Path, changed: int, processors: int | None) -> Trace:
    trace, _ = read_swf(path, processors=processors)
    return trace


@lru_cache(maxsize=4)
def _from_log(path: Path, changed: int, text: str, processors: int | None, seed: int) -> Trace:
    section = TraceSection.model_validate_json(text)
    trace = _read(path, changed, processors).between(section.since, section.until)
    if not len(trace):
        raise ValueError(f"{path.name} has no jobs from {section.since} to {section.until}")
    if section.resample:
        trace = resample(trace, seed, section.population)
    if section.load is not None:
        trace, _ = scale_to_load(trace, section.load, processors)
    if section.estimates is not None:
        told = quantities.estimates(section.estimates).of(trace.runtime, stream(seed, "estimates"))
        trace = trace.with_columns(requested_time=told)
    return trace


@lru_cache(maxsize=4)
def _from_recipe(text: str, processors: int, seed: int) -> Trace:
    section = WorkloadSection.model_validate_json(text)
    return generate(section.made, jobs=section.jobs, users=section.users, processors=processors, seed=seed)
