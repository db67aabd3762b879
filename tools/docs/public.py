"""What is public, and where the reference documents it: each thing once, under its shortest name.

The front door is first, then what it gives whole (``thinktime.policies``, ``thinktime.behaviours`` and two modules),
then the packages with an ``__all__``. `BESIDE` are a few names of modules.
"""

import importlib
import inspect
import pkgutil
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any, get_origin

import thinktime

FRONT_DOOR = "thinktime"
ROOMS = ("workloads", "models", "users", "analysis")
WHOLE = (
    "thinktime.models.results.measures", "thinktime.users.sources", "thinktime.analysis.checkpoints",
    "thinktime.analysis.months", "thinktime.analysis.queueing", "thinktime.analysis.satisfaction",
    "thinktime.analysis.series", "thinktime.analysis.stretch",
)  # fmt: skip
"""Modules that are public with all their functions and classes."""

SAME = {
    "thinktime.models.policies": "thinktime.policies",
    "thinktime.users.behaviours": "thinktime.behaviours",
    "thinktime.analysis.gym": "thinktime.gym",
}
"""Packages under their short names."""

BESIDE = {
    "thinktime.analysis.calibration.figures": ("ticks",),
    "thinktime.analysis.calibration.reactions": ("DRAWS", "Reactions", "reactions"),
    "thinktime.analysis.deviation": ("SHARES", "Deviation", "deviation"),
    "thinktime.analysis.pictures.style": (
        "BLACK", "DECADES", "GREY", "MARKERS", "PALE", "PALETTE", "Look", "figure", "looks_of", "plotting", "show_log",
        "styled",
    ),
    "thinktime.analysis.diagnosis.self_test": ("MEASURED", "SHARE"),
    "thinktime.analysis.left_log": ("left_by",),
    "thinktime.analysis.statistics.bootstrap": ("mean",),
    "thinktime.models.results.energy": ("Around", "around", "cap_steps", "power_steps"),
    "thinktime.models.results.steps": ("Steps",),
    "thinktime.models.site.charge": ("Term",),
    "thinktime.users.calibrated": ("LUCK",),
    "thinktime.users.generative": ("drawable",),
    "thinktime.users.source": ("Source",),
    "thinktime.users.think_times": ("BREAK", "RULES", "Pause", "Pauses", "ThinkTime"),
    "thinktime.workloads.calendar": ("Calendar", "Month"),
    "thinktime.workloads.calibration.calibrate": ("fitted_once",),
    "thinktime.workloads.mode_names": ("CALIBRATED", "MODES"),
    "thinktime.workloads.node_log": ("NodeLog", "read_requests"),
    "thinktime.workloads.segments": ("Segments", "split"),
    "thinktime.workloads.shaking": ("SHARE",),
    "thinktime.workloads.tables.machine": ("most_at_once",),
    "thinktime.models.jobs.view": ("View", "Request"),
    "thinktime.models.machine.events": ("JobEvent", "CampaignEvent", "ArrayEvent", "Hold"),
    "thinktime.models.machine.job_records": ("JobRecord", "CampaignRecord"),
    "thinktime.models.machine.sight": ("Sight",),
}  # fmt: skip
"""What policies, users and scripts are given, and what studies take of modules that are not public as a whole."""


@dataclass(frozen=True, slots=True)
class Public:
    """A public thing: the name that it is documented under, and what it is."""

    name: str
    thing: Any

    @property
    def is_class(self) -> bool:
        """Whether it is a class; ``Callable[[int], str]`` says that it is one."""
        return inspect.isclass(self.thing) and get_origin(self.thing) is None

    @property
    def is_function(self) -> bool:
        """Whether it is a function, be it one that keeps its answers."""
        return get_origin(self.thing) is None and inspect.isroutine(inspect.unwrap(self.thing))


@cache
def pages() -> dict[str, list[Public]]:
    """Every public thing by the package under which it is documented, in the order of ``__all__``."""
    found: dict[str, list[Public]] = {}
    there: set[tuple[int, str]] = set()
    for package in (FRONT_DOOR, *SAME.values(), *WHOLE, *BESIDE, *_packages()):
        things = [(name, getattr(importlib.import_module(package), name)) for name in names(package)]
        new = [(name, thing) for name, thing in things if _key(name, thing) not in there]
        found[package] = [
            Public(f"{package}.{name}", thing) for name, thing in new if not isinstance(thing, ModuleType)
        ]
        there |= {_key(name, thing) for name, thing in new}
    return {package: new for package, new in found.items() if new}


def elsewhere(package: str) -> list[str]:
    """The names that a package has as well, documented under another one."""
    here = {each.name for each in pages().get(package, ())}
    return [name for name in names(package) if f"{package}.{name}" not in here]


def room(public: Public) -> str:
    """The room in which something of the front door lies."""
    return str(vars(thinktime)["_HOME"][public.name.rpartition(".")[2]]).split(".")[1]


def _packages() -> list[str]:
    found = [each.name for each in pkgutil.walk_packages(thinktime.__path__, "thinktime.") if each.ispkg]
    inside = ("thinktime.cli", *SAME)
    return [name for name in found if name not in inside and "__all__" in vars(importlib.import_module(name))]


def names(package: str) -> list[str]:
    """The names of a package, or of a module, that are public."""
    module = importlib.import_module(package)
    if package in BESIDE:
        return [*BESIDE[package]]
    if not hasattr(module, "__all__"):
        own = [name for name, each in vars(module).items() if getattr(each, "__module__", "") == package]
        return [name for name in own if not name.startswith("_") and not _alias(vars(module)[name])]
    return [*module.__all__]


def _alias(thing: Any) -> bool:
    return not (inspect.isclass(thing) or inspect.isfunction(thing))


def _key(name: str, thing: Any) -> tuple[int, str]:
    """What makes a thing the same under another name; plain values are the same by chance."""
    return id(thing), name if isinstance(thing, int | float | str) else ""
