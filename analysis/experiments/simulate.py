"""Simulate a scenario once, under one policy and with one seed."""

from typing import Any

from thinktime.analysis.experiments.scenario import Scenario
from thinktime.analysis.experiments.scenario_sources import machine_of, sources_of
from thinktime.models.policies.options import member
from thinktime.users.run import run


def simulate(scenario: Scenario, policy: str, seed: int) -> Any:
    """Simulate a scenario, ignoring its sweep: a `Result`, or whatever the user's own model returns."""
    if scenario.model is not None:
        path, _, name = scenario.located(scenario.model.function).rpartition(":")
        options = dict(scenario.model.model_extra or {})
        return member(path, name)(policy=policy, seed=seed, **options)
    jobs, users = sources_of(scenario, seed)
    until = scenario.horizon
    if until is not None and jobs and not users:
        until += float(jobs[0].trace.submit[0])
    return run(machine_of(scenario, policy), *jobs, *users, until=until)
