"""Convert a job line of sacct (of JSON: `json_dump`) to a `Record`, with each number from the best available column.

=================  =======================================================================================
run time           ElapsedRaw, Elapsed, else End − Start
processors         AllocCPUS, NCPUS, else `cpu` of AllocTRES; requested: ReqCPUS, else `cpu` of ReqTRES
nodes              AllocNodes, NNodes, else `node` of AllocTRES, else ReqNodes
time limit         TimelimitRaw (min), else Timelimit
requested memory   ReqMem (`n` of each node, `c` of each CPU, else of the job), else `mem` of ReqTRES
memory used        the largest MaxRSS * NTasks of its steps (NTasks 1 if missing)
CPU time           TotalCPU, else the sum over its steps
GPUs and others    `gres/…` of ReqTRES, else of AllocTRES (`resources`)
eligible           Eligible, else Start − Planned (before 23.02: Reserved)
whole nodes        Exclusive is NODE (from 26.05 on)
restarts           Restarts (from 24.11 on)
energy             ConsumedEnergyRaw, else `energy` of AllocTRES
dependencies       those of SubmitLine; in a dump of the queue, those that are left
=================  =======================================================================================

Numbers are in s, KB and CPUs. Elapsed excludes the time in which a job was suspended. In the hour that clocks repeat
in autumn, start and end are chosen to agree with the submission and the elapsed time.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import product

from thinktime.workloads.cleaning import Action
from thinktime.workloads.sacct.resources import Wants, wants
from thinktime.workloads.sacct.values import (
    OPEN,
    STATES,
    UNLIMITED,
    Memory,
    SiteClock,
    absent,
    count,
    duration,
    memory,
    state,
    tres,
)

LATEST_ENERGY = 2**53
"""The largest energy (J) that is one."""
Values = Mapping[str, str]
Tell = Callable[[Action, str], None]

LABELS = {
    "user": ("user", "uid"),
    "account": ("account", "group", "gid"),
    "executable": ("jobname",),
    "qos": ("qos", "qosraw"),
    "partition": ("partition",),
}
"""What is numbered, and its possible columns, best first."""


@dataclass(slots=True)
class Record:
    """One attempt of one job."""

    key: tuple[str, str]
    """The cluster and the job's number as Slurm writes it."""
    raw: int | None
    """Slurm's own job number (JobIDRaw)."""
    line: int
    submit: float
    eligible: float | None
    start: float | None
    end: float | None
    runtime: float | None
    """None for a job that never ran."""
    state: str
    allocated: int | None
    requested: int | None
    nodes: int | None
    limit: float | None
    memory: float | None
    """Requested, KB per processor."""
    cpu: float | None
    labels: dict[str, str] = field(default_factory=dict)
    wants: Wants = field(default_factory=Wants)
    """The node resources requested besides processors and memory."""
    memory_of_node: float | None = None
    """Requested, KB per node; None if not requested per node."""
    used: float | None = None
    """Used, KB of the whole job."""
    steps_cpu: float | None = None
    submit_line: str = ""
    """The command by which it was submitted."""
    exclusive: bool = False
    """Whether it shares its nodes with no other job, as far as sacct says."""
    dependency: str = ""
    """The dependencies that were left, in a dump of the queue."""
    at_most: int | None = None
    """How many tasks of its array may run at once, where the array says it by itself."""
    energy: float | None = None
    """The energy that was consumed, J."""
    restarts: int = 0
    """How many attempts Slurm has made before this one."""

    @property
    def size(self) -> int | None:
        """The allocated processors, else the requested ones."""
        return self.allocated or self.requested

    def add_step(self, values: Values) -> None:
        """Add the memory and CPU time that only steps have."""
        rss, tasks = memory(values.get("maxrss", ""), "B"), count(values.get("ntasks", "")) or 1
        if rss:
            self.used = max(self.used or 0.0, rss.amount * tasks)
        cpu = duration(values.get("totalcpu", ""))
        if cpu is not None:
            self.steps_cpu = (self.steps_cpu or 0.0) + cpu


def record(key: tuple[str, str], values: Values, line: int, clock: SiteClock, tell: Tell) -> Record | None:
    """The record of a job line; None, and counted, if it has no submit time."""
    submits = clock.moments(_first(values, "submit"))
    if not submits:
        tell("dropped", "no submit time")
        return None
    if len(submits) > 1:
        tell("noted", "submitted in the hour that clocks repeat: taken as the first pass")
    alloc, req = tres(values.get("alloctres", "")), tres(values.get("reqtres", ""))
    name = state(_first(values, "state"))
    if name not in STATES:
        tell("noted", f"unknown state {name or '(none)'}")
    allocated = _count(values, ("alloccpus", "ncpus"), alloc, "cpu")
    requested = _count(values, ("reqcpus",), req, "cpu")
    nodes = _count(values, ("allocnodes", "nnodes"), alloc, "node")
    nodes = nodes or _count(values, ("reqnodes",), req, "node")
    own, elapsed = memory(values.get("reqmem", "")), duration(_first(values, "elapsedraw", "elapsed"))
    start, end = _times(values, clock, submits[0], elapsed)
    ran = start is not None and name not in ("PENDING", "PD") and not (not elapsed and allocated is None)
    return Record(
        key=key,
        raw=count(values.get("jobidraw", "")) if values.get("jobidraw", "").strip().isdigit() else None,
        line=line,
        submit=submits[0],
        eligible=_eligible(values, clock, start),
        start=start if ran else None,
        end=end,
        runtime=_runtime(start, end, elapsed, name, tell) if ran else None,
        state=name,
        allocated=allocated,
        requested=requested,
        nodes=nodes,
        limit=_limit(values, tell),
        memory=_requested_memory(own or memory(req.get("mem", "")), requested or allocated, nodes),
        cpu=duration(values.get("totalcpu", "")),
        labels={label: _first(values, *columns).strip() for label, columns in LABELS.items()},
        wants=wants(req or alloc),
        memory_of_node=own.amount if own is not None and own.per == "node" else None,
        submit_line=_first(values, "submitline"),
        exclusive=_first(values, "exclusive").strip().upper() == "NODE",
        dependency=_first(values, "dependency").strip(),
        at_most=count(_first(values, "arraymaxtasks")),
        energy=_energy(values, alloc),
        restarts=count(_first(values, "restarts")) or 0,
    )


def _first(values: Values, *columns: str) -> str:
    """The first non-empty value of these columns."""
    texts = (values.get(column, "") for column in columns)
    return next((text for text in texts if not absent(text)), "")


def _count(values: Values, columns: tuple[str, ...], resources: Mapping[str, str], resource: str) -> int | None:
    for text in (*(values.get(column, "") for column in columns), resources.get(resource, "")):
        number = count(text)
        if number is not None:
            return number
    return None


def _eligible(values: Values, clock: SiteClock, start: float | None) -> float | None:
    """When it could first start."""
    given = clock.moments(_first(values, "eligible"))
    planned = duration(_first(values, "planned", "reserved"))
    if given or start is None or planned is None:
        return next(iter(given), None)
    return start - planned


def _energy(values: Values, alloc: Mapping[str, str]) -> float | None:
    """What is 0 was not measured; where it was negative, Slurm prints 2^64 less two."""
    for text in (_first(values, "consumedenergyraw"), alloc.get("energy", "")):
        if text.strip().isdigit() and 0 < int(text[:20]) < LATEST_ENERGY:
            return float(text)
    return None


def _times(values: Values, clock: SiteClock, submit: float, elapsed: float | None) -> tuple[float | None, float | None]:
    starts = clock.moments(_first(values, "start")) or (None,)
    ends = clock.moments(_first(values, "end")) or (None,)

    def unlikely(pair: tuple[float | None, float | None]) -> tuple[bool, float]:
        start, end = pair
        gap = 0.0 if start is None or end is None else end - start
        return start is not None and start < submit, abs(gap - (elapsed or 0.0))

    return min(product(starts, ends), key=unlikely)


def _runtime(start: float | None, end: float | None, elapsed: float | None, name: str, tell: Tell) -> float | None:
    over = STATES.get(name, OPEN) != OPEN
    if not over:
        tell("noted", "still running: run time so far")
    whole = None if start is None or end is None else end - start
    if elapsed is None:
        return whole
    if over and whole is not None and abs(whole - elapsed) > 1:
        odd = "elapsed time differs from end − start (suspended, or clock changed)"
        tell("noted", f"{odd}: the elapsed time is used")
    return elapsed


def _limit(values: Values, tell: Tell) -> float | None:
    raw, text = _first(values, "timelimitraw"), _first(values, "timelimit")
    if (raw or text).strip().lower() in UNLIMITED and text.strip().lower() in ("", *UNLIMITED):
        tell("noted", "no own time limit (UNLIMITED or Partition_Limit)")
        return None
    number = duration(raw, plain=60) if raw.strip().lower() not in UNLIMITED else None
    return duration(text, plain=60) if number is None else number


def _requested_memory(asked: Memory | None, processors: int | None, nodes: int | None) -> float | None:
    if asked is None or asked.per == "cpu":
        return asked.amount if asked else None
    if processors is None:
        return None
    return asked.amount * ((nodes or 1) if asked.per == "node" else 1) / processors
