"""Simulate a scenario once, under one policy and with one seed."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import simpy

from thinktime.analysis.experiments.scenario import Scenario
from thinktime.analysis.experiments.sections import TraceSection
from thinktime.analysis.experiments.sources import SUBMIT, allocator_of, jobs_of, nodes_of, start_users
from thinktime.models.machine import Machine
from thinktime.models.policies import from_spec
from thinktime.models.policies.script import member
from thinktime.models.results.result import Result
from thinktime.models.warm_up import prepare
from thinktime.users.feedback import replay_with_feedback
from thinktime.users.generative import generative_users
from thinktime.users.node_replay import replay_on_nodes
from thinktime.users.replay import replay, submit_trace
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.trace import Trace


def simulate(scenario: Scenario, policy: str, seed: int) -> Any:
    """Simulate a scenario, ignoring its sweep: a `Result`, or whatever the user's own model returns."""
    if scenario.model is not None:
        path, _, name = scenario.located(scenario.model.function).rpartition(":")
        options = dict(scenario.model.model_extra or {})
        return member(path, name)(policy=policy, seed=seed, **options)
    spec, (jobs, log) = scenario.located(policy), jobs_of(scenario, seed)
    if jobs is None or scenario.users or scenario.horizon is not None:
        return _with_users(scenario, spec, seed, jobs, log)
    if log is not None:
        nodes, how = nodes_of(scenario), scenario.machine
        assert nodes is not None
        prepare(spec, how.overrun, nodes=True)
        return replay_on_nodes(jobs, spec, nodes, allocator_of(scenario), how.overrun, log=log)
    return _log(scenario, spec, seed, jobs)


def _log(scenario: Scenario, spec: str, seed: int, jobs: Trace) -> Result:
    """Run a log, or the jobs of a recipe, until all jobs have ended."""
    how, section = scenario.machine, scenario.trace or TraceSection(file="")
    machine: dict[str, Any] = {
        "processors": how.processors,
        "overrun": how.overrun,
        "estimates": how.estimates,
    }
    if section.mode in ("open", "dependencies"):
        return replay(jobs, spec, **machine, dependencies=section.mode == "dependencies")
    sessions: dict[str, Any] = {"delimitation": section.delimitation, "threshold": section.threshold}
    if section.mode == "feedback":
        return replay_with_feedback(jobs, spec, **machine, **sessions)
    population = 1.0 if section.resample else section.population
    return generative_users(
        jobs, spec, **machine, **sessions, draw=section.draw, seed=seed, population=population
    )


def _with_users(scenario: Scenario, spec: str, seed: int, jobs: Trace | None, log: NodeLog | None) -> Result:
    """Run users, alone or together with a log, up to the horizon or until all jobs have ended."""
    policy, how = from_spec(spec), scenario.machine
    prepare(policy, how.overrun, nodes=how.of_nodes)
    env = simpy.Environment()
    if how.of_nodes:
        nodes, allocator = nodes_of(scenario), allocator_of(scenario)
        machine = Machine(env, policy=policy, overrun=how.overrun, nodes=nodes, allocator=allocator)
    else:
        size = how.processors or (jobs.machine_size if jobs is not None else None)
        if size is None:
            raise ValueError("the log's header gives no machine size; set [machine] processors = N")
        machine = Machine(env, size, policy, how.overrun, estimates=how.estimates)
    first = float(jobs.submit[0]) if jobs is not None and not scenario.users else 0.0
    if log is not None:
        env.process(submit_trace(env, machine, log.trace, log))
    elif jobs is not None:
        mode = scenario.trace.mode if scenario.trace else "open"
        env.process(SUBMIT[mode](env, machine, jobs))
    start_users(env, machine, scenario, seed)
    seconds = -time.perf_counter()
    env.run(until=None if scenario.horizon is None else first + scenario.horizon)
    seconds += time.perf_counter()
    result = replace(machine.result(), simulation_seconds=seconds)
    if log is not None:
        result = replace(result, dropped=log.dropped, notes=[*log.notes, *result.notes])
    return result if jobs is None else replace(result, unix_start=jobs.unix_start, zone=jobs.zone)
