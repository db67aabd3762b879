"""Read the jobs of `sacct --json` and of `squeue --json` into rows such as those of `sacct -P`.

Read are versions v0.0.37 (Slurm 21.08) to v0.0.45 of the ``data_parser``; from v0.0.42 on, with a note. The shape of
each value is looked at, not the version. A job's *line* is its place in the list.

*sacct*: fields are in objects (``time/submission``, ``tres/requested``). A job's steps are rows behind it.
*squeue*: fields are flat. The start of a pending job and the end of a running one are forecasts, so they are left
out; a running job has run until the dump was made (``last_update``, else the last time that occurs in it).
Dependencies are those that are left.

Source: Slurm's pages on data_parser, and dumps of 21.08 to 24.05.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from thinktime.workloads.names import shortened
from thinktime.workloads.sacct.json_text import LIST, entries
from thinktime.workloads.sacct.json_values import (
    Json,
    first,
    memory,
    minutes,
    moment,
    number,
    part,
    seconds,
    text,
    tres,
    whole,
)
from thinktime.workloads.sacct.lines import SacctLine

OLDEST, TESTED, NEWEST = 37, 41, 45
"""The last numbers of the versions that are read, and the last one that is tested."""
_VERSION = re.compile(r"v0\.0\.(\d{1,4})")
_LEFT = re.compile(r"\([a-z ]+\)|_\*")
"""What squeue writes behind a dependency that is left."""
WAITING = ("PENDING", "PD")
NEITHER = "is not of sacct --json or squeue --json"


class JsonDump:
    """One file; `command` and `version` are known once its rows have been read."""

    def __init__(self, path: Path, max_size: int | None = None) -> None:
        self.command = ""
        """What printed it: `sacct` or `squeue`."""
        self.version: int | None = None
        self._path, self._max_size = path, max_size
        self._name = shortened(path)

    def rows(self) -> Iterator[SacctLine]:
        """The jobs, each with its steps behind it."""
        others: dict[str, Any] = {}
        queue: list[tuple[int, Json]] = []
        place = 0
        listed = False
        for name, value in entries(self._path, "jobs", self._max_size):
            if name != "jobs":
                others[name] = value if name in ("meta", "errors", "last_update") else None
                continue
            listed = True
            if value is LIST or value == {}:
                continue
            place += 1
            if self._command_of(value, place) == "squeue":
                queue.append((place, value))
            else:
                for values in _of_sacct(value):
                    yield place, values
        self._check(others, listed, place)
        now = number(others.get("last_update")) or max((_latest(job) for _, job in queue), default=0.0)
        for place, job in queue:
            yield place, _of_squeue(job, now)

    def _command_of(self, job: object, place: int) -> str:
        if not isinstance(job, dict) or "job_id" not in job:
            raise ValueError(f"{self._name} {NEITHER}: entry {place} of jobs has no job_id")
        flat, deep = "submit_time" in job, isinstance(job.get("time"), dict)
        if flat == deep:
            raise ValueError(
                f"{self._name} {NEITHER}: entry {place} of jobs has no submission (time/submission, or submit_time)"
            )
        found = "squeue" if flat else "sacct"
        if self.command and found != self.command:
            raise ValueError(f"{self._name} mixes jobs of sacct and of squeue (entry {place}); give one kind")
        self.command = found
        return found

    def _check(self, others: Mapping[str, Any], listed: bool, jobs: int) -> None:
        if not listed:
            has = ", ".join(shortened(each, 20) for each in list(others)[:4]) or "nothing"
            what = (
                "; sinfo and scontrol show nodes describe machines, not jobs"
                if {"nodes", "sinfo"} & set(others)
                else ""
            )
            raise ValueError(f"{self._name} has no list of jobs, but {has}{what}; give the output of sacct --json")
        errors = others.get("errors")
        if not jobs and isinstance(errors, list) and errors:
            what = part(errors[0], "description") or part(errors[0], "error") or errors[0]
            raise ValueError(f"{self._name} has no jobs; Slurm said: {shortened(what, 100)}")
        self.version = version_of(others.get("meta"))
        if self.version is not None and not OLDEST <= self.version <= NEWEST:
            raise ValueError(
                f"{self._name} is of data_parser v0.0.{self.version}, but v0.0.{OLDEST} to v0.0.{NEWEST} are read; "
                f"print another with --json=v0.0.{TESTED}"
            )


def version_of(meta: object) -> int | None:
    """The last number of the version: of 41 for ``data_parser/v0.0.41``; None if there is none."""
    for path in (("plugin", "data_parser"), ("plugins", "data_parser"), ("plugin", "type")):
        found = part(meta, *path) if isinstance(meta, Mapping) else None
        if isinstance(found, str) and (match := _VERSION.search(found)):
            return int(match[1])
    return None


def _of_sacct(job: Json) -> Iterator[dict[str, str] | str]:
    """The row of a job and those of its steps; what is wrong with them."""
    try:
        yield (values := _job_of_sacct(job))
        for place, step in enumerate(part(job, "steps") or ()):
            yield {"jobid": f"{values['jobid']}.{place}", "cluster": values["cluster"], **_step(step)}
    except (ValueError, OverflowError, TypeError, AttributeError) as error:
        yield str(error)


def _job_of_sacct(job: Json) -> dict[str, str]:
    steps, total = part(job, "steps"), seconds(part(job, "time", "total"))
    own = part(job, "association") or {}
    asked = part(job, "required") or {}
    return {
        "jobid": _called(
            job, *(part(job, "array", key) for key in ("job_id", "task_id", "task")),
            *(part(job, "het", key) for key in ("job_id", "job_offset")),
        ),
        "jobidraw": whole(job.get("job_id")),
        "cluster": text(job.get("cluster")),
        "jobname": text(job.get("name")),
        "user": text(job.get("user")) or text(own.get("user")),
        "account": text(job.get("account")) or text(own.get("account")),
        "group": text(job.get("group")),
        "partition": text(job.get("partition")),
        "qos": text(job.get("qos")),
        "state": first(part(job, "state", "current")),
        **{
            column: moment(part(job, "time", name))
            for column, name in (("submit", "submission"), ("eligible", "eligible"), ("start", "start"), ("end", "end"))
        },
        "elapsedraw": whole(part(job, "time", "elapsed")),
        "timelimitraw": minutes(part(job, "time", "limit")),
        "planned": whole(part(job, "time", "planned")),
        "allocnodes": whole(job.get("allocation_nodes")),
        "reqcpus": whole(asked.get("CPUs")),
        "reqmem": memory(*(asked.get(key) for key in ("memory_per_cpu", "memory_per_node", "memory"))),
        "reqtres": tres(part(job, "tres", "requested")),
        "alloctres": tres(part(job, "tres", "allocated")),
        # Where the job's own total is 0, its steps may have some.
        "totalcpu": "" if steps and total and not float(total) else total,
        "submitline": text(job.get("submit_line")),
        "restarts": whole(job.get("restart_cnt")),
        "arraymaxtasks": whole(part(job, "array", "limits", "max", "running", "tasks")),
    }  # fmt: skip


def _step(step: Json) -> dict[str, str]:
    """What only steps have: the largest memory of a task (bytes), their number, and the CPU time."""
    most = [each for each in part(step, "tres", "requested", "max") or () if part(each, "type") == "mem"]
    return {
        "maxrss": whole(most[0].get("count")) if most else "",
        "ntasks": whole(part(step, "tasks", "count")),
        "totalcpu": seconds(part(step, "time", "total")),
    }


def _called(job: Json, array: object, task: object, tasks: object, het: object, offset: object) -> str:
    """A job's number as sacct prints it: ``12``, ``12_3``, ``12_[4-9%2]``, ``12+1``."""
    of_array, of_het = number(array), number(het)
    if of_array:
        one = number(task)
        if one is not None:
            return f"{of_array:.0f}_{one:.0f}"
        if several := text(tasks):
            return f"{of_array:.0f}_[{several}]"
    return f"{of_het:.0f}+{number(offset) or 0:.0f}" if of_het else whole(job.get("job_id"))


def _of_squeue(job: Json, now: float) -> dict[str, str] | str:
    try:
        return _job_of_squeue(job, now)
    except (ValueError, OverflowError, TypeError, AttributeError) as error:
        return str(error)


def _job_of_squeue(job: Json, now: float) -> dict[str, str]:
    state = first(job.get("job_state"))
    pending, begun, over = state in WAITING, number(job.get("start_time")) or 0.0, number(job.get("end_time")) or 0.0
    running = not pending and (not over or over > now)
    asked, has = tres(job.get("tres_req_str")), tres(job.get("tres_alloc_str"))
    processors = whole(job.get("cpus"))
    return {
        "jobid": _called(job, *(job.get(f"array_{key}") for key in ("job_id", "task_id", "task_string")),
                         *(job.get(f"het_job_{key}") for key in ("id", "offset"))),
        "jobidraw": whole(job.get("job_id")),
        "cluster": text(job.get("cluster")),
        "jobname": text(job.get("name")),
        "user": text(job.get("user_name")) or whole(job.get("user_id")),
        "account": text(job.get("account")),
        "partition": text(job.get("partition")),
        "qos": text(job.get("qos")),
        "state": state,
        "submit": moment(job.get("submit_time")),
        "eligible": moment(job.get("eligible_time")),
        "start": "" if pending else moment(begun),
        "end": "" if pending or running else moment(over),
        "elapsedraw": "" if pending or not begun else f"{max((now if running else over) - begun, 0):.0f}",
        "timelimitraw": minutes(job.get("time_limit")),
        "nnodes": whole(job.get("node_count")),
        "alloccpus": "" if pending else processors,
        "reqcpus": "" if "cpu=" in asked else processors,
        "reqmem": memory(job.get("memory_per_cpu"), job.get("memory_per_node")),
        "reqtres": _with_gres(asked, job),
        "alloctres": has,
        "exclusive": "NODE" if _exclusive(job) else "",
        "restarts": whole(job.get("restart_cnt")),
        "dependency": _LEFT.sub("", text(job.get("dependency"))),
        "arraymaxtasks": whole(job.get("array_max_tasks")),
    }  # fmt: skip


def _with_gres(asked: str, job: Json) -> str:
    """The resources that a job requests; where the accounting has no GPUs, those of the request itself."""
    if "gres/" in asked:
        return asked
    found = [asked] if asked else []
    for key, times in (("tres_per_node", number(job.get("node_count"))), ("tres_per_job", 1.0)):
        for each in text(job.get(key)).split(","):
            kind, _, rest = each.replace("gres/", "gres:").partition(":")
            *name, amount = rest.replace("=", ":").split(":") if kind == "gres" and rest else [""]
            if kind == "gres" and rest and not amount.isdigit():
                name, amount = [*name, amount], "1"
            if name:
                found.append(f"gres/{':'.join(name)}={int(amount) * (times or 1):.0f}")
    return ",".join(found)


def _exclusive(job: Json) -> bool:
    """Whether it has its nodes for itself; up to v0.0.39 `shared` alone says it."""
    if job.get("exclusive") is not None:
        return first(job.get("exclusive")) == "true"
    return first(job.get("shared")) == "none"


_PAST = ("submit_time", "last_sched_evaluation", "accrue_time", "suspend_time")


def _latest(job: Json) -> float:
    """The last time in a row that was certainly over when it was printed."""
    keys = _PAST if first(job.get("job_state")) in WAITING else (*_PAST, "start_time")
    times = []
    for key in keys:
        try:
            times.append(number(job.get(key)) or 0.0)
        except ValueError:
            continue
    return max(time for time in (0.0, *times) if time < 2**42)
