"""Settings of slurm.conf that say who waits for whom; all others are passed over.

Times of the priority are whole minutes, seconds rounded up: ``00:00:01`` is a minute. A setting that is not given has
the default of Slurm 22.05.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from thinktime.models.site import effects
from thinktime.models.site import priority as priority_rules
from thinktime.models.site.site import ENFORCED
from thinktime.models.site.slurm import scheduler_parameters
from thinktime.models.site.slurm.conf_lines import Line
from thinktime.models.site.slurm.notes import Notes
from thinktime.models.site.slurm.values import (
    ANY_PRIORITY,
    Read,
    absent,
    at,
    clock,
    factors,
    minutes,
    names,
    number,
    plain_seconds,
    preempt_mode,
    whole,
    words,
    yes,
)
from thinktime.workloads.names import did_you_mean


def _plugin(text: str) -> str:
    """The name behind the slash: ``preempt/qos`` is qos."""
    return text.rpartition("/")[2].lower()


def _time(text: str) -> float:
    return minutes(text) or 0.0


PRIORITY: dict[str, tuple[str, Read]] = {
    "prioritytype": ("type", _plugin),
    "priorityweightage": ("age", whole),
    "priorityweightassoc": ("association", whole),
    "priorityweightfairshare": ("fairshare", whole),
    "priorityweightjobsize": ("job_size", whole),
    "priorityweightpartition": ("partition", whole),
    "priorityweightqos": ("qos", whole),
    "priorityweighttres": ("tres", factors),
    "prioritymaxage": ("max_age", _time),
    "prioritydecayhalflife": ("half_life", _time),
    "prioritycalcperiod": ("calc_period", _time),
    "priorityusageresetperiod": ("usage_reset", str.upper),
    "priorityfavorsmall": ("favor_small", yes),
    "fairsharedampeningfactor": ("dampening", whole),
}
TIME_LIMITS: dict[str, tuple[str, Read]] = {"killwait": ("kill_wait", plain_seconds)}
PREEMPTION: dict[str, tuple[str, Read]] = {
    "preempttype": ("type", _plugin),
    "preemptexempttime": ("exempt_time", lambda text: clock(text) or 0.0),
    "jobrequeue": ("requeue", yes),
}
SITE: dict[str, tuple[str, Read]] = {"clustername": ("name", str), "maxarraysize": ("max_array_size", whole)}

CHANGED_DEFAULTS = {
    "selecttype": "SelectType is not given: taken as select/linear (whole nodes), the default up to Slurm 23.02; "
    "'scontrol show config' has that of your version (from 23.11 on select/cons_tres)",
    "prioritytype": "PriorityType is not given: taken as priority/basic, the default up to Slurm 23.02; "
    "'scontrol show config' has that of your version (from 23.11 on priority/multifactor)",
}
"""What to say of settings whose default has changed, if they are not given."""
AS_MODELLED = {"maxjobcount": {"10000"}, "maxbatchrequeue": {"5"}}
"""Values of settings that are not modelled which change nothing at most sites: defaults of Slurm's."""
SILENT = {
    "none",
    "no",
    "0",
    "(null)",
    "unlimited",
    "infinite",
    "-1",
    "topology/none",
    "topology/default",
    "topology/flat",
    "burst_buffer/none",
    "30",
    "30 sec",
    "0 sec",
}


@dataclass
class Settings:
    """The fields of the parts of a site, as far as a configuration gives them."""

    site: dict[str, Any] = field(default_factory=dict)
    priority: dict[str, Any] = field(default_factory=dict)
    backfill: dict[str, Any] = field(default_factory=dict)
    preemption: dict[str, Any] = field(default_factory=dict)
    time_limits: dict[str, Any] = field(default_factory=dict)
    whole_nodes: bool = True
    """Whether jobs get whole nodes (select/linear, the default of 22.05)."""
    passed_over: list[str] = field(default_factory=list)
    """The settings that have nothing to do with schedules, as they are written."""


def of_lines(lines: Iterable[Line], notes: Notes) -> Settings:
    """The settings; what is given twice counts as it stands last."""
    found = Settings()
    given: dict[str, tuple[str, str]] = {}
    written: dict[str, str] = {}
    for line in lines:
        if line.first not in ("nodename", "partitionname", "nodeset", "downnodes"):
            given |= {key: (line.where, value) for key, value in line.pairs.items()}
            written |= line.written
    simple = (
        (PRIORITY, found.priority), (TIME_LIMITS, found.time_limits), (PREEMPTION, found.preemption), (SITE, found.site)
    )  # fmt: skip
    for key, (where, value) in given.items():
        for known, fields in simple:
            if key in known:
                name, read = known[key]
                fields[name] = at(where, key, read, value)
        if key in SPECIAL:
            SPECIAL[key](found, where, value, notes)
        elif reason := effects.reason("slurm.conf", key):
            if value.lower() not in SILENT | AS_MODELLED.get(key, set()):
                notes.refuse(where, f"{effects.named('slurm.conf', key)}={value}", reason)
        elif not any(key in known for known, _ in simple):
            found.passed_over.append(written[key])
            if key not in effects.NO_EFFECT["slurm.conf"] and (similar := did_you_mean(key, known_settings())):
                notes.add(where, f"{written[key]}={value}: this setting is not known; {similar}")
    for key in sorted(CHANGED_DEFAULTS.keys() - given.keys()) if given else ():
        notes.add(next(iter(given.values()))[0].partition(",")[0], CHANGED_DEFAULTS[key])
    found.site.setdefault("accounting", False)
    found.site.setdefault("memory", not found.whole_nodes)
    return found


def known_settings() -> list[str]:
    """The settings that are read, in lower case."""
    return [*PRIORITY, *TIME_LIMITS, *PREEMPTION, *SITE, *SPECIAL]


def _flags(found: Settings, where: str, value: str, notes: Notes) -> None:
    flags = [word.upper() for word in words(value)]
    found.priority["flags"] = frozenset(flag for flag in flags if flag in priority_rules.FLAGS)
    for flag in flags:
        if reason := effects.reason("PriorityFlags", flag):
            notes.refuse(where, f"PriorityFlags {flag}", reason)
        elif flag not in (*priority_rules.FLAGS, "FAIR_TREE"):
            notes.add(where, f"PriorityFlags {flag}: this flag is not known")


def _scheduler(found: Settings, where: str, value: str, notes: Notes) -> None:
    kind = _plugin(value)
    if kind == "builtin":
        found.backfill["enabled"] = False
    if kind not in ("builtin", "backfill"):
        notes.add(where, f"SchedulerType={value}: taken as sched/backfill")


def _parameters(found: Settings, where: str, value: str, notes: Notes) -> None:
    backfill, preemption = scheduler_parameters.of_text(where, value, notes)
    found.backfill |= backfill
    found.preemption |= preemption
    options = {word.partition("=")[0].strip() for word in words(value)}
    found.site["serial_at_end"] = scheduler_parameters.SERIAL_AT_END in options


def _preempt_parameters(found: Settings, where: str, value: str, notes: Notes) -> None:
    """PreemptParameters, where versions after 22.05 have the same options without their prefix."""
    named = "PreemptParameters", scheduler_parameters.PREFIX
    found.preemption |= scheduler_parameters.of_text(where, value, notes, *named)[1]


def _preempt_mode(found: Settings, where: str, value: str, notes: Notes) -> None:
    modes = names(value)
    found.preemption["gang"] = "gang" in modes
    found.preemption["mode"] = preempt_mode(value)
    if "priority" in modes:
        notes.refuse(where, f"PreemptMode={value}", ANY_PRIORITY)
    if "gang" in modes:
        notes.refuse(where, f"PreemptMode={value}", "jobs do not take turns on the same processors (GANG)")
    if "within" in modes:
        notes.refuse(where, f"PreemptMode={value}", "jobs do not preempt those of their own partition or QOS (WITHIN)")


def _select(found: Settings, where: str, value: str, notes: Notes) -> None:
    found.whole_nodes = _plugin(value) == "linear"


def _select_parameters(found: Settings, where: str, value: str, notes: Notes) -> None:
    found.site |= {"memory": "memory" in value.lower(), "least_loaded": "cr_lln" in names(value)}
    if "socket" in value.lower():
        notes.refuse(where, f"SelectTypeParameters={value}", "single processors are given out, not whole sockets")


def _enforce(found: Settings, where: str, value: str, notes: Notes) -> None:
    """What is enforced, with what it includes: everything includes associations, and ``safe`` limits."""
    asked = ENFORCED if "all" in names(value) else names(value)
    enforced = {word for word in asked if word in ENFORCED}
    if enforced or "wckeys" in asked:
        enforced |= {"associations"} | ({"limits"} if "safe" in enforced else set())
    found.site["enforce"] = frozenset(enforced)
    for word in asked:
        if word not in enforced and word not in ("none", "nojobs", "nosteps"):
            notes.refuse(where, f"AccountingStorageEnforce {word}", "it is not enforced here")


def _storage(found: Settings, where: str, value: str, notes: Notes) -> None:
    found.site["accounting"] = _plugin(value) == "slurmdbd"


def _credentials(found: Settings, where: str, value: str, notes: Notes) -> None:
    """A job that is requeued waits until its credential has expired, and a second, if no ``requeue_delay`` is given."""
    for word in words(value):
        if word.startswith("cred_expire="):
            delay = at(where, "cred_expire", number, word.partition("=")[2]) + 1
            found.preemption.setdefault("requeue_delay", delay)


def _partition_limits(found: Settings, where: str, value: str, notes: Notes) -> None:
    found.site["enforce_partition_limits"] = {"YES": "ALL"}.get(value.upper(), value.upper())


def _overtime(found: Settings, where: str, value: str, notes: Notes) -> None:
    if absent(value):
        notes.refuse(where, f"OverTimeLimit={value}", "jobs are ended at their limits")
    else:
        found.time_limits["over_time_limit"] = at(where, "OverTimeLimit", _time, value)


def _dependencies(found: Settings, where: str, value: str, notes: Notes) -> None:
    found.site["kill_invalid_dependencies"] = "kill_invalid_depend" in value


SPECIAL: dict[str, Callable[[Settings, str, str, Notes], None]] = {
    "priorityflags": _flags,
    "schedulertype": _scheduler,
    "schedulerparameters": _parameters,
    "preemptparameters": _preempt_parameters,
    "preemptmode": _preempt_mode,
    "selecttype": _select,
    "selecttypeparameters": _select_parameters,
    "accountingstorageenforce": _enforce,
    "accountingstoragetype": _storage,
    "authinfo": _credentials,
    "enforcepartlimits": _partition_limits,
    "overtimelimit": _overtime,
    "dependencyparameters": _dependencies,
}
"""Settings that concern several fields, or that not all values of can be used."""
