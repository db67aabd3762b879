"""Convert sacct's text or JSON to a `Trace` with an SWF header, the names behind its numbers, and a cleaning report.

================  ====  =======================================================================
SWF field         no.   here
================  ====  =======================================================================
job number        1     JobIDRaw where it is unique, else counted by submission
wait              3     Start − Submit; End − Submit for a job that never ran
status            11    1 completed, 5 cancelled, 0 ended otherwise, −1 not ended
user, group       12    User, and Account as the group (13)
executable        14    JobName
queue, partition  15    QOS (else Partition), and Partition (16)
preceding job     17    the previous attempt of a requeued job (18: the time between)
================  ====  =======================================================================

Jobs that never ran (cancelled or still waiting) are kept as such; the reader decides about them.

Where jobs ask for GPUs or the like, or with `ConversionOptions.requests`, three words follow field 18, as in the logs
that `node_log` reads: ``-`` for the nodes (sacct's names of nodes are not read), the queue by name, and what the job
asks of nodes. Without them, requests that SWF has no field for are left out and counted.
"""

import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from thinktime.workloads.calendar import zone_of
from thinktime.workloads.cleaning import CleaningReport
from thinktime.workloads.conditions import LogConditions
from thinktime.workloads.header import Header
from thinktime.workloads.names import quoted, shortened
from thinktime.workloads.sacct.attempts import Attempts, Tally
from thinktime.workloads.sacct.conditions import conditions
from thinktime.workloads.sacct.json_dump import TESTED, JsonDump
from thinktime.workloads.sacct.json_text import is_json
from thinktime.workloads.sacct.lines import rows
from thinktime.workloads.sacct.name_file import Names
from thinktime.workloads.sacct.records import LABELS, Record
from thinktime.workloads.sacct.resources import request
from thinktime.workloads.sacct.values import CANCELLED, OPEN, STATES, SiteClock
from thinktime.workloads.trace import Trace


@dataclass(frozen=True, slots=True)
class ConversionOptions:
    """Information that is not in the lines themselves."""

    zone: str | None = None
    """The site's time zone, such as Europe/Berlin (default: UTC)."""
    processors: int | None = None
    """Processors of the machine (default: the most in use at once)."""
    nodes: int | None = None
    computer: str | None = None
    limit: float | None = None
    """The time limit (s) of jobs without one."""
    allocated: bool = False
    """Treat allocated processors as requested ones (for nodes allocated as a whole)."""
    eligible: bool = False
    """Treat the time at which a job became eligible as its submission; then it waits for nothing else."""
    separator: str | None = None
    """What separates values of texts (default: what stands between the first two columns)."""
    columns: tuple[str, ...] = ()
    """The columns of texts without a header line."""
    requests: bool | None = None
    """Whether node requests are written after field 18; None: if a job asks for more than SWF has fields for."""
    max_size: int | None = None
    """What a compressed file may decompress to (bytes); see `thinktime.workloads.compressed`."""


@dataclass(frozen=True, slots=True)
class Converted:
    """The log, the names behind its numbers, and the cleaning report."""

    trace: Trace
    names: Names
    report: CleaningReport
    conditions: LogConditions
    """What SWF cannot hold of the jobs: dependencies, holds, arrays."""
    lines: list[int]
    """In the order of the trace, the line of each job in its file, or its place in a list of JSON."""


def convert(paths: Sequence[str | Path], options: ConversionOptions | None = None) -> Converted:
    """Convert one or more files printed by `sacct -P`, `sacct --json`, or `squeue --json` to a trace."""
    options = options or ConversionOptions()
    tally = Tally()
    clock = SiteClock(_zone(options.zone))
    attempts = Attempts(clock, tally)
    commands: dict[str, str | Path] = {}
    for path in paths:
        commands.setdefault(_read(Path(path), attempts, options, tally), path)
    if len(commands) > 1 and SQUEUE in commands:
        of_queue, other = shortened(commands.pop(SQUEUE)), shortened(next(iter(commands.values())))
        raise ValueError(f"{of_queue} is of squeue and {other} of sacct; convert one kind at a time")
    if SQUEUE in commands:
        tally.add("noted", "from squeue: what is left of a queue, run times so far", 1, attempts.lines)
    jobs, before = _jobs(attempts, options, tally)
    if clock.local and options.zone is None:
        tally.add("noted", "times without a zone: taken as UTC", 1, len(jobs))
    source = ", ".join(str(path) for path in paths)
    report = CleaningReport(source=source, records=attempts.lines, jobs=len(jobs))
    if not jobs:
        tally.enter(report, with_lines=False)
        why = f" ({'; '.join(list(report.dropped)[:3])})" if report.dropped else ""
        raise ValueError(f"{source}: none of the {attempts.lines:,} lines is a job with a submit time{why}")
    names = Names()
    numbers = _numbers(jobs, names, tally)
    trace = _trace(jobs, numbers, names, before, options, tally)
    trace = trace.with_header(header(jobs, names, options, clock.local))
    found = LogConditions(()) if options.eligible else conditions(jobs, numbers, tally)
    tally.enter(report, with_lines=len(paths) == 1)
    order = np.lexsort((numbers, [job.submit for job in jobs])).tolist()
    return Converted(trace, names, report, found, [jobs[place].line for place in order])


SQUEUE = "squeue"


def _read(path: Path, attempts: Attempts, options: ConversionOptions, tally: Tally) -> str:
    """Read the jobs of a file; what printed it."""
    if not is_json(path, options.max_size):
        attempts.read(rows(path, options.separator, options.max_size, options.columns))
        return "sacct"
    dump = JsonDump(path, options.max_size)
    attempts.read(dump.rows())
    if dump.version is not None and dump.version > TESTED:
        tally.add("noted", f"JSON of data_parser v0.0.{dump.version}: tested is up to v0.0.{TESTED}", 1)
    return dump.command


def _zone(name: str | None) -> datetime.tzinfo:
    zone = zone_of(name, None)
    if name and str(zone) != name:
        raise ValueError(f"there is no time zone {quoted(name)}; give a name such as Europe/Berlin")
    return zone


def _jobs(attempts: Attempts, options: ConversionOptions, tally: Tally) -> tuple[list[Record], dict[int, Record]]:
    """All records by submission, and for each later attempt (by `id` of the object) the previous one."""
    before: dict[int, Record] = {}
    jobs: list[Record] = []
    for several in attempts.of_each_job():
        for each in several:
            _put_right(each, options, tally)
        for earlier, later in pairwise(several):
            tally.add("noted", "attempt of a requeued job, kept as a separate job", later.line)
            before[id(later)] = earlier
            end = earlier.end if earlier.end is not None else later.submit
            if later.submit < end and (later.start is None or end <= later.start):
                later.submit = end
                early = "attempt submitted before the previous one ended"
                tally.add("repaired", f"{early}: moved to that end", later.line)
        jobs += several
    jobs.sort(key=lambda each: (each.submit, each.line))
    return jobs, before


def _put_right(job: Record, options: ConversionOptions, tally: Tally) -> None:
    if job.eligible is not None and job.eligible > job.submit + 60:
        tally.add("noted", "eligible over 60 s after submission (dependency, hold or begin time)", job.line)
        if options.eligible and (job.start is None or job.eligible <= job.start):
            job.submit = job.eligible
    if job.start is not None and job.start < job.submit:
        tally.add("repaired", "start before submission: submission moved to the start", job.line)
        job.submit = job.start
    if job.limit is None and options.limit is not None:
        job.limit = options.limit
    if job.allocated and job.requested and job.allocated > job.requested:
        tally.add("noted", "allocated more processors than requested", job.line)
        if options.allocated:
            job.requested = job.allocated
    if job.runtime is None:
        waiting = STATES.get(job.state, OPEN) == OPEN
        why = "still waiting" if waiting else "ended before it could start"
        tally.add("noted", f"never ran: {why}", job.line)


def _trace(
    jobs: list[Record],
    numbers: list[int],
    names: Names,
    before: dict[int, Record],
    options: ConversionOptions,
    tally: Tally,
) -> Trace:
    number_of = {id(job): number for job, number in zip(jobs, numbers, strict=True)}
    origin = math.floor(jobs[0].submit)
    labels = {label: names.number(label, [job.labels[label] for job in jobs]) for label in LABELS}
    earlier = [before.get(id(job)) for job in jobs]
    columns: dict[str, Any] = {
        "id": numbers,
        "submit": [job.submit - origin for job in jobs],
        "wait": [_wait(job) for job in jobs],
        "runtime": [_or_nan(job.runtime) for job in jobs],
        "allocated": [job.allocated or -1 for job in jobs],
        "cpu_time": [_per_processor(job, job.cpu if job.cpu is not None else job.steps_cpu) for job in jobs],
        "used_memory": [_per_processor(job, job.used) for job in jobs],
        "requested_processors": [job.requested or -1 for job in jobs],
        "requested_time": [_or_nan(job.limit) for job in jobs],
        "requested_memory": [_or_nan(job.memory) for job in jobs],
        "status": [STATES.get(job.state, OPEN) for job in jobs],
        "user": labels["user"],
        "group": labels["account"],
        "executable": labels["executable"],
        "queue": labels["qos"] if any(n > 0 for n in labels["qos"]) else labels["partition"],
        "partition": labels["partition"],
        "preceding": [-1 if old is None else number_of[id(old)] for old in earlier],
        "think_time": [
            np.nan if old is None or old.end is None else max(job.submit - old.end, 0.0)
            for job, old in zip(jobs, earlier, strict=True)
        ],
    }
    extra = _requests(jobs, options, tally)
    further = {
        name: np.array(values, dtype=np.float64)
        for name, values in (
            ("eligible", [_or_nan(job.eligible) - origin for job in jobs]),
            ("energy", [_or_nan(job.energy) for job in jobs]),
        )
        if any(value == value for value in values)
    }
    return Trace(columns, extra=extra, further=further)


def _requests(jobs: Sequence[Record], options: ConversionOptions, tally: Tally) -> list[str | None] | None:
    """The words after field 18 of each job, if requested; what is dropped is counted."""
    asked = options.requests if options.requests is not None else any(job.wants.amounts for job in jobs)
    for job in jobs:
        for name in job.wants.elsewhere:
            tally.add("noted", f"requests {name}, which is not a node resource: dropped", job.line)
        if asked and job.wants.mixed:
            types = " and ".join(job.wants.mixed)
            tally.add("noted", f"requests GPUs of the types {types}: any type will do", job.line)
        if not asked:
            for name in job.wants.amounts:
                tally.add("noted", f"requests {name}, which SWF has no field for: dropped", job.line)
        elif options.requests is None and job.wants.amounts:
            tally.add("noted", "requests resources of nodes: kept after field 18", job.line)
    return [_words(job, tally) for job in jobs] if asked else None


def _words(job: Record, tally: Tally) -> str | None:
    processors = job.requested or job.allocated
    if not (processors and job.nodes):
        tally.add("noted", "no number of nodes or processors: no node request", job.line)
        return None
    queue = "_".join((job.labels["qos"] or job.labels["partition"]).split())
    return (
        f"- {queue or '-'} {request(job.nodes, processors, job.memory, job.wants, job.memory_of_node, job.exclusive)}"
    )


def _numbers(jobs: list[Record], names: Names, tally: Tally) -> list[int]:
    """A unique number for each job: Slurm's where possible, else counted from 1."""
    plain = [int(job.key[1]) if job.key[1].isdigit() else None for job in jobs]
    raw = [number if job.raw is None else job.raw for job, number in zip(jobs, plain, strict=True)]
    clusters = {job.key[0] for job in jobs}
    if len(clusters) > 1 or any(number is None for number in raw):
        names.jobs = {place: ":".join(filter(None, job.key)) for place, job in enumerate(jobs, start=1)}
        return list(range(1, len(jobs) + 1))
    taken: set[int] = set()
    following = max(number for number in raw if number is not None) + 1
    numbers = []
    for job, number in zip(jobs, raw, strict=True):
        assert number is not None
        if number in taken:
            number, following = following, following + 1
        if job.key[1] != str(number):  # a task of an array, or a later attempt
            names.jobs[number] = job.key[1]
        taken.add(number)
        numbers.append(number)
    return numbers


def _wait(job: Record) -> float:
    until = job.start if job.runtime is not None else job.end
    if until is None or (job.runtime is None and STATES.get(job.state) != CANCELLED):
        return np.nan
    return max(until - job.submit, 0.0)


def _or_nan(value: float | None) -> float:
    return np.nan if value is None else value


def _per_processor(job: Record, amount: float | None) -> float:
    return np.nan if amount is None or job.runtime is None or not job.size else amount / job.size


def header(jobs: Sequence[Record], names: Names, options: ConversionOptions, local: bool) -> Header:
    """The SWF header: the machine, the time and the queues, as far as known; ``local``: whether the zone mattered."""
    zone, origin = _zone(options.zone), math.floor(jobs[0].submit)
    last = max(job.end or job.submit for job in jobs)
    limits = [job.limit for job in jobs if job.limit is not None]
    notes = ["converted from sacct; users, accounts and job names are numbers, with their names in a side file"]
    if options.processors is None:
        notes.append("MaxProcs is the largest number of processors in use at once, a lower bound of the machine's size")
    if options.zone is None and local:
        notes.append("times were assumed to be in UTC")
    clusters = ", ".join(sorted({job.key[0] for job in jobs if job.key[0]}))
    labels: dict[str, object] = {
        "Version": "2.2",
        "Computer": options.computer or clusters or "unknown",
        "Conversion": "thinktime trace convert",
        "MaxJobs": len(jobs),
        "MaxRecords": len(jobs),
        "UnixStartTime": origin,
        "TimeZoneString": options.zone or "UTC",
        "StartTime": f"{datetime.datetime.fromtimestamp(origin, zone):%a %b %d %H:%M:%S %Z %Y}",
        "EndTime": f"{datetime.datetime.fromtimestamp(last, zone):%a %b %d %H:%M:%S %Z %Y}",
        "MaxNodes": options.nodes or _most_at_once(jobs, [job.nodes or 0 for job in jobs]),
        "MaxProcs": options.processors or _most_at_once(jobs, [job.size or 0 for job in jobs]),
        "MaxRuntime": f"{max(limits):.0f}" if limits else "-1",
    }
    queues, partitions = names.by_kind.get("qos", []), names.by_kind.get("partition", [])
    for label, values in (("Queue", queues or partitions), ("Partition", partitions)):
        labels[f"Max{label}s"] = len(values)
        labels[label] = [f"{number} {name}" for number, name in enumerate(values, start=1)]
    return Header.build(**labels, Note=notes)


def _most_at_once(jobs: Sequence[Record], sizes: Sequence[int]) -> int:
    """The largest total size of jobs running at once, ends before starts; −1 if unknown."""
    changes, widest = [], 0
    for job, size in zip(jobs, sizes, strict=True):
        if job.start is not None and job.runtime is not None:
            changes += [(job.start, size), (job.start + job.runtime, -size)] if job.runtime else []
            widest = max(widest, size)
    changes.sort()
    in_use = np.cumsum([size for _, size in changes])
    return max(int(in_use.max(initial=0)), widest) or -1
