"""thinktime: process-oriented models of parallel job scheduling with the users in the loop.

=========  ==================================================================================
workloads  what is submitted: `Job`, `Nodes`, `Trace`, `read_swf`, `read_table`, `write_swf`, `generate`, `stream`,
           `streams`; users fitted to a log: `calibrate`, `Users`, `read_users`, `write_users`;
           a machine that changes: `Window`, `Outages`, `Failures`, `read_events`,
           `write_events`, `read_outages`; a price or the carbon of electricity: `Signal`
models     where it runs: `Machine`, `MachineSpec`, `MachineState`, `Site`, `Changes`, `Power`, `Charge`,
           `Budget`, `policies`, `Estimator`, `Result`, `State`, `measures`; the state of a real Slurm:
           `read_snapshot`, `Snapshot`
users      who submits: `campaign_user`, `mix`, `population`, `Profile`, `Reaction`, `WorkingHours`,
           `Behaviour`, `behaviours`, `scripted_user`, `run`, `sources`, `replay`, `replay_with_feedback`,
           `generative_users`, `submit_trace`
analysis   what happened: `compare`, `diagnose`, `view`, series over time, pictures;
           what will happen: `forecast`, `Past`, `Outlook`;
           experiments: `Scenario`, `sweep`, `Sweep`
=========  ==================================================================================

Everything is imported on first use, so that ``import thinktime`` is fast.
"""

import importlib
import re
from pathlib import Path
from typing import Any

from thinktime.compiled import begin

begin()  # before any module that may be compiled

from thinktime.workloads.names import quoted  # noqa: E402

_STUB = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
_HOME = {name: module for module, name in re.findall(r"^from (\S+) import \w+ as (\w+)$", _STUB, re.MULTILINE)}
"""The module of each public name, as the stub says it for type checkers."""
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    value: Any
    if _HOME.get(name) == __name__:
        value = importlib.import_module(f"{__name__}.{name}")
    elif name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
    elif name == "__version__":
        from importlib.metadata import version

        value = version("thinktime")
    else:
        from thinktime.workloads.names import key_of

        raise AttributeError(f"thinktime has no {quoted(name)}; {key_of(name, __all__, 'its names')}", name=name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
