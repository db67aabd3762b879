"""thinktime: process-oriented models of parallel job scheduling, with the users in the loop.

========== ======================================================================================
workloads  what is submitted: `Job`, `Trace`, `read_swf`, `write_swf`, `streams`
models     where it runs: `Machine`, `policies`, `Result`, `State`
users      who submits: `replay`, `submit_trace`, `campaign_user`, `Campaigns`
analysis   what happened: comparisons, series over time, pictures
========== ======================================================================================

Everything is loaded when it is first used, so that ``import thinktime`` stays fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

_HOME = {
    # workloads
    "Job": "workloads.job",
    "Trace": "workloads.trace",
    "read_swf": "workloads.swf",
    "write_swf": "workloads.swf",
    "stream": "workloads.streams",
    "streams": "workloads.streams",
    "MINUTE": "workloads.units",
    "HOUR": "workloads.units",
    "DAY": "workloads.units",
    "WEEK": "workloads.units",
    # models
    "Killed": "models.events",
    "Machine": "models.machine",
    "PolicyError": "models.pool",
    "Result": "models.result",
    "State": "models.state",
    # users
    "replay": "users.replay",
    "submit_trace": "users.replay",
}
_ROOMS = ("analysis", "models", "users", "workloads")
__all__ = sorted([*_HOME, "policies", *_ROOMS])


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(f"thinktime.{_HOME[name]}"), name)
    elif name == "policies":
        value = importlib.import_module("thinktime.models.policies")
    elif name in _ROOMS:
        value = importlib.import_module(f"thinktime.{name}")
    elif name == "__version__":
        value = importlib.import_module("importlib.metadata").version("thinktime")
    else:
        raise AttributeError(f"thinktime has no {name!r}; it has {', '.join(__all__)}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


if TYPE_CHECKING:
    from thinktime import analysis, models, users, workloads
    from thinktime.models import policies
    from thinktime.models.events import Killed
    from thinktime.models.machine import Machine
    from thinktime.models.pool import PolicyError
    from thinktime.models.result import Result
    from thinktime.models.state import State
    from thinktime.users.replay import replay, submit_trace
    from thinktime.workloads.job import Job
    from thinktime.workloads.streams import stream, streams
    from thinktime.workloads.swf import read_swf, write_swf
    from thinktime.workloads.trace import Trace
    from thinktime.workloads.units import DAY, HOUR, MINUTE, WEEK
