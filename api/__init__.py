"""thinktime: process-oriented models of parallel job scheduling with the users in the loop.

=========  ==================================================================================
workloads  what is submitted: `Job`, `Nodes`, `Trace`, `read_swf`, `write_swf`, `generate`, `stream`, `streams`
models     where it runs: `Machine`, `MachineSpec`, `policies`, `Result`, `State`, `measures`
users      who submits: `campaign_user`, `mix`, `population`, `Profile`, `Reaction`, `WorkingHours`,
           `Behaviour`, `behaviours`, `scripted_user`, `run`, `sources`, `replay`, `replay_with_feedback`,
           `generative_users`, `submit_trace`
analysis   what happened: `compare`, series over time, pictures; experiments: `Scenario`, `sweep`, `Sweep`
=========  ==================================================================================

Everything is imported on first use, so that ``import thinktime`` is fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thinktime import analysis, behaviours, models, policies, users, workloads
    from thinktime.analysis.compare import compare
    from thinktime.analysis.experiments.scenario import Scenario
    from thinktime.analysis.experiments.sweep import sweep
    from thinktime.analysis.experiments.sweep_results import Sweep
    from thinktime.analysis.reports.checklist import checklist
    from thinktime.analysis.reports.page import report
    from thinktime.models.events import Killed
    from thinktime.models.machine import Machine
    from thinktime.models.machine_spec import MachineSpec
    from thinktime.models.pool import PolicyError
    from thinktime.models.results import measures
    from thinktime.models.results.result import Result
    from thinktime.models.state import State
    from thinktime.users import sources
    from thinktime.users.behaviours.base import Behaviour
    from thinktime.users.campaign_user import campaign_user, population
    from thinktime.users.feedback import replay_with_feedback
    from thinktime.users.generative import generative_users
    from thinktime.users.local_hours import WorkingHours
    from thinktime.users.profiles import Profile, Reaction, mix
    from thinktime.users.replay import replay, submit_trace
    from thinktime.users.run import run
    from thinktime.users.scripted import scripted_user
    from thinktime.workloads.generators.generate import generate
    from thinktime.workloads.job import Job
    from thinktime.workloads.nodes import Cluster, Nodes
    from thinktime.workloads.streams import stream, streams
    from thinktime.workloads.swf.read import read_swf
    from thinktime.workloads.swf.write import write_swf
    from thinktime.workloads.trace import Trace
    from thinktime.workloads.units import DAY, HOUR, MINUTE, WEEK

__all__ = [
    # workloads
    "DAY",
    "HOUR",
    "MINUTE",
    "WEEK",
    "Cluster",
    "Job",
    "Nodes",
    "Trace",
    "generate",
    "read_swf",
    "stream",
    "streams",
    "workloads",
    "write_swf",
    # models
    "Killed",
    "Machine",
    "MachineSpec",
    "PolicyError",
    "Result",
    "State",
    "measures",
    "models",
    "policies",
    # users
    "Behaviour",
    "Profile",
    "Reaction",
    "WorkingHours",
    "behaviours",
    "campaign_user",
    "generative_users",
    "mix",
    "population",
    "replay",
    "replay_with_feedback",
    "run",
    "scripted_user",
    "sources",
    "submit_trace",
    "users",
    # analysis
    "Scenario",
    "Sweep",
    "analysis",
    "checklist",
    "compare",
    "report",
    "sweep",
]

_HOME = {
    "DAY": "workloads.units",
    "HOUR": "workloads.units",
    "MINUTE": "workloads.units",
    "WEEK": "workloads.units",
    "Cluster": "workloads.nodes",
    "Job": "workloads.job",
    "Nodes": "workloads.nodes",
    "Trace": "workloads.trace",
    "generate": "workloads.generators.generate",
    "read_swf": "workloads.swf.read",
    "stream": "workloads.streams",
    "streams": "workloads.streams",
    "write_swf": "workloads.swf.write",
    "checklist": "analysis.reports.checklist",
    "compare": "analysis.compare",
    "report": "analysis.reports.page",
    "Killed": "models.events",
    "Machine": "models.machine",
    "MachineSpec": "models.machine_spec",
    "PolicyError": "models.pool",
    "Result": "models.results.result",
    "State": "models.state",
    "Behaviour": "users.behaviours.base",
    "Profile": "users.profiles",
    "Reaction": "users.profiles",
    "WorkingHours": "users.local_hours",
    "mix": "users.profiles",
    "campaign_user": "users.campaign_user",
    "population": "users.campaign_user",
    "generative_users": "users.generative",
    "replay": "users.replay",
    "run": "users.run",
    "replay_with_feedback": "users.feedback",
    "scripted_user": "users.scripted",
    "submit_trace": "users.replay",
    "Scenario": "analysis.experiments.scenario",
    "Sweep": "analysis.experiments.sweep_results",
    "sweep": "analysis.experiments.sweep",
}
_MODULES = {name: name for name in ("analysis", "behaviours", "models", "policies", "users", "workloads")} | {
    "measures": "models.results.measures",
    "sources": "users.sources",
}


def __getattr__(name: str) -> Any:
    value: Any
    if name in _HOME:
        value = getattr(importlib.import_module(f"thinktime.{_HOME[name]}"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"thinktime.{_MODULES[name]}")
    elif name == "__version__":
        from importlib.metadata import version

        value = version("thinktime")
    else:
        from thinktime.workloads.names import key_of

        raise AttributeError(f"thinktime has no {name!r}; {key_of(name, __all__, 'its names')}", name=name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
