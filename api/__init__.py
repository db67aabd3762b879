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

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for type checkers; `as` says that these names are public
    from thinktime import analysis as analysis
    from thinktime import behaviours as behaviours
    from thinktime import models as models
    from thinktime import policies as policies
    from thinktime import users as users
    from thinktime import workloads as workloads
    from thinktime.analysis.compare import compare as compare
    from thinktime.analysis.experiments.scenario import Scenario as Scenario
    from thinktime.analysis.experiments.sweep import sweep as sweep
    from thinktime.analysis.experiments.sweep_results import Sweep as Sweep
    from thinktime.analysis.reports.checklist import checklist as checklist
    from thinktime.analysis.reports.page import report as report
    from thinktime.models.events import Killed as Killed
    from thinktime.models.machine import Machine as Machine
    from thinktime.models.machine_spec import MachineSpec as MachineSpec
    from thinktime.models.pool import PolicyError as PolicyError
    from thinktime.models.results import measures as measures
    from thinktime.models.results.result import Result as Result
    from thinktime.models.state import State as State
    from thinktime.users import sources as sources
    from thinktime.users.behaviours.base import Behaviour as Behaviour
    from thinktime.users.campaign_user import campaign_user as campaign_user
    from thinktime.users.campaign_user import population as population
    from thinktime.users.feedback import replay_with_feedback as replay_with_feedback
    from thinktime.users.generative import generative_users as generative_users
    from thinktime.users.local_hours import WorkingHours as WorkingHours
    from thinktime.users.profiles import Profile as Profile
    from thinktime.users.profiles import Reaction as Reaction
    from thinktime.users.profiles import mix as mix
    from thinktime.users.replay import replay as replay
    from thinktime.users.replay import submit_trace as submit_trace
    from thinktime.users.run import run as run
    from thinktime.users.scripted import scripted_user as scripted_user
    from thinktime.workloads.generators.generate import generate as generate
    from thinktime.workloads.job import Job as Job
    from thinktime.workloads.nodes import Cluster as Cluster
    from thinktime.workloads.nodes import Nodes as Nodes
    from thinktime.workloads.streams import stream as stream
    from thinktime.workloads.streams import streams as streams
    from thinktime.workloads.swf.read import read_swf as read_swf
    from thinktime.workloads.swf.write import write_swf as write_swf
    from thinktime.workloads.trace import Trace as Trace
    from thinktime.workloads.units import DAY as DAY
    from thinktime.workloads.units import HOUR as HOUR
    from thinktime.workloads.units import MINUTE as MINUTE
    from thinktime.workloads.units import WEEK as WEEK

_HOME = {
    name: module
    for module, names in {
        "workloads.units": "DAY HOUR MINUTE WEEK",
        "workloads.job": "Job",
        "workloads.nodes": "Cluster Nodes",
        "workloads.trace": "Trace",
        "workloads.generators.generate": "generate",
        "workloads.streams": "stream streams",
        "workloads.swf.read": "read_swf",
        "workloads.swf.write": "write_swf",
        "models.events": "Killed",
        "models.machine": "Machine",
        "models.machine_spec": "MachineSpec",
        "models.pool": "PolicyError",
        "models.results.result": "Result",
        "models.state": "State",
        "users.behaviours.base": "Behaviour",
        "users.campaign_user": "campaign_user population",
        "users.feedback": "replay_with_feedback",
        "users.generative": "generative_users",
        "users.local_hours": "WorkingHours",
        "users.profiles": "Profile Reaction mix",
        "users.replay": "replay submit_trace",
        "users.run": "run",
        "users.scripted": "scripted_user",
        "analysis.compare": "compare",
        "analysis.experiments.scenario": "Scenario",
        "analysis.experiments.sweep": "sweep",
        "analysis.experiments.sweep_results": "Sweep",
        "analysis.reports.checklist": "checklist",
        "analysis.reports.page": "report",
    }.items()
    for name in names.split()
}
"""The module of each public name."""
_MODULES = {name: name for name in ("analysis", "behaviours", "models", "policies", "users", "workloads")} | {
    "measures": "models.results.measures",
    "sources": "users.sources",
}
__all__ = [*_HOME, *_MODULES]


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
