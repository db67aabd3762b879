"""The jobs of a snapshot that run or wait: what each asks for, since when it waits, and where it runs.

They are those of `scontrol -d -o show job`, or, where that text is missing, of `squeue --json`. What squeue.psv says of
a job goes before the text, since it is asked later, and jobs start and end while the commands run.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from thinktime.models.site.slurm.values import absent
from thinktime.models.snapshot.clock import Clock
from thinktime.models.snapshot.records import IGNORED, NEVER, READ, REPAIRED, UNKNOWN, Record, Report, records, table
from thinktime.workloads.host_lists import expand
from thinktime.workloads.job_arrays import TaskList

JOBS, QUEUE, JSON = "jobs.txt", "squeue.psv", "squeue.json"
RUNNING = frozenset(
    {"RUNNING", "CONFIGURING", "RESIZING", "SIGNALING", "SUSPENDED", "STOPPED", "STAGE_OUT", "EXPEDITING"}
)
WAITING = frozenset({"PENDING", "REQUEUED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD", "REQUEUE_FED"})
HELD = ("JobHeldUser", "JobHeldAdmin", "JobHoldMaxRequeue", "SPECIAL_EXIT", "REQUEUE_HOLD", "RESV_DEL_HOLD")
NOT_MODELLED = {
    "licenses": "licences: the job starts without waiting for them",
    "features": "features of nodes (--constraint): any nodes will do",
    "excnodelist": "nodes that are excluded (--exclude): any nodes will do",
    "reqnodelist": "nodes that are asked for by name (--nodelist): any nodes will do",
    "burstbuffer": "burst buffers: the job does not wait for them",
    "hetjobid": "components of heterogeneous jobs, which start one by one here",
    "deadline": "deadlines: the job is not cancelled at its own",
    "timemin": "time limits that may be shortened (--time-min): they are not",
    "clusterfeatures": "federations: the job waits on this cluster alone",
    "fedorigin": "federations: the job waits on this cluster alone",
    "switches": "switches: any nodes will do",
    "power": "power caps",
}
"""What a job may ask for that is not modelled, by the key of its record."""


@dataclass(frozen=True, slots=True)
class SnapshotJob:
    """One job, or one task of an array, that runs or waits; times are Unix times (s)."""

    label: str
    """Its number as users know it: ``12``, or ``12_3`` for a task."""
    number: int
    array: int | None
    task: int | None
    at_most: int | None
    name: str
    user: str
    account: str
    qos: str
    partition: str
    """Its partition, or several: ``a,b``."""
    nice: int
    priority: float
    limit: float | None
    """s; None for none."""
    submit: float
    eligible: float | None
    start: float | None
    """None if it waits."""
    nodes: tuple[str, ...]
    """Those on which it runs."""
    shares: tuple[int, ...]
    """How many processors it has on each of them; empty if it is not said."""
    node_count: int
    """How many it asks for; 0 for any number."""
    processors: int
    exclusive: bool
    resources: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Other resources of all nodes together, as Slurm writes them."""
    depends: str = ""
    held: bool = False
    requeue: bool = True
    reservation: str = ""
    forecast: float | None = None
    """When Slurm thinks that it starts."""
    where: str = ""


@dataclass(frozen=True, slots=True)
class Jobs:
    """All jobs, those that ended a short while ago, and when they were told."""

    present: list[SnapshotJob]
    over: list[SnapshotJob]
    """Those that Slurm still tells of; ``limit`` is how long they ran."""
    time: float
    """When the jobs were told (Unix time, s)."""


def read_jobs(folder: Path, clock: Clock, report: Report) -> Jobs:
    """The jobs of a snapshot."""
    path = folder / JOBS
    if path.exists():
        found = records(path, "scontrol -o show job", "JobId")
    elif (folder / JSON).exists():
        found = of_json(folder / JSON)
        report.add(REPAIRED, f"{JOBS} is missing: the jobs are those of {JSON}")
    else:
        raise ValueError(f"{folder} has neither {JOBS} (scontrol -o show job) nor {JSON}: there are no jobs to read")
    time = _time_of(found, clock, JOBS if path.exists() else JSON)
    queue = _queue(folder, report) if path.exists() else None  # JSON is asked later
    present, over = [], []
    for record in found:
        state = record["jobstate"].split(",")[0].split("+")[0].upper()
        if state in RUNNING | WAITING:
            each = [_as_later(job, queue, clock, report) for job in _jobs(record, state, clock, time, report)]
            present += [job for job in each if job is not None]
        elif record["endtime"] and record["starttime"].lower() not in NEVER:
            over += _over(record, clock, time)
    known = {job.label for job in [*present, *over]} | {record["jobid"] for record in found}
    for label, row in (queue or {}).items():
        if label not in known and row["state"].upper() in RUNNING | WAITING:
            report.add(UNKNOWN, f"jobs that {QUEUE} alone has, submitted after {JOBS} was printed: left out", row.where)
    time = max([time, *(job.start for job in present if job.start is not None)])
    running = sum(job.start is not None for job in present)
    report.add(READ, "running jobs", "", running)
    report.add(READ, "waiting jobs", "", len(present) - running)
    return Jobs(sorted(present, key=lambda job: (job.submit, job.number, job.task or 0)), over, time)


def _time_of(found: Iterable[Record], clock: Clock, file: str) -> float:
    """When the jobs of a file were told: running ones say in text since when they run, and for how long."""
    times = []
    for record in found:
        if record["jobstate"].upper() == "RUNNING" and not record.whole("secspresuspend"):
            start, lasted = clock.time(record, "starttime"), record.length("runtime")
            if start is not None and lasted is not None:
                clock.check(record.where, start + lasted)
                times.append(start + lasted)
        elif (looked := clock.time(record, "lastschedeval")) is not None and looked <= clock.ended:
            times.append(min(looked, clock.ended))
    earliest = clock.begun - 1 if (told := clock.told(file)) is None else told[0] - 1
    return max((time for time in times if time >= earliest), default=float(int(earliest + 1)))


def _queue(folder: Path, report: Report) -> dict[str, Record] | None:
    """What squeue says of each job or task; None if there is no such file."""
    if not (folder / QUEUE).exists():
        report.add(UNKNOWN, f"{QUEUE} is missing, so it is unknown which jobs started while the commands ran")
        return None
    return {row["jobid"]: row for row in table(folder / QUEUE, ("jobid", "state"), "squeue -a -r")}


def _as_later(job: SnapshotJob, queue: Mapping[str, Record] | None, clock: Clock, report: Report) -> SnapshotJob | None:
    """A job as squeue has it, which is asked later; None if it is over by then."""
    if queue is None:
        return job
    row = queue.get(job.label)
    state = "" if row is None else row["state"].upper()
    if (job.start is not None and state in RUNNING) or (job.start is None and state in WAITING):
        return job
    if row is not None and job.start is None and state in RUNNING:
        start = clock.time(row, "start_time")
        if start is None or not row["nodelist"]:
            report.add(UNKNOWN, f"jobs that wait in {JOBS} and run in {QUEUE}, who knows where: they wait", job.where)
            return job
        report.add(REPAIRED, f"jobs that wait in {JOBS} and run in {QUEUE}, which is later: they run", job.where)
        nodes = tuple(expand(row["nodelist"]))
        return replace(job, start=start, nodes=nodes, depends="", held=False, forecast=None)
    if job.start is not None and state in WAITING:
        report.add(REPAIRED, f"jobs that run in {JOBS} and wait in {QUEUE}, which is later: they wait", job.where)
        return replace(job, start=None, nodes=(), shares=())
    report.add(REPAIRED, f"jobs in {JOBS} that {QUEUE}, which is later, has no more: they are over", job.where)
    return None


def _jobs(record: Record, state: str, clock: Clock, time: float, report: Report) -> list[SnapshotJob]:
    """The job of a record, or the tasks of an array that are not split yet."""
    for key, what in NOT_MODELLED.items():
        if not absent(record[key]) and record[key] not in ("0", "0-00:00:00", "00:00:00"):
            report.add(IGNORED, what, record.where)
    number, runs = record.whole("jobid"), state in RUNNING
    array = record.whole("arrayjobid") or None
    start = clock.time(record, "starttime")
    if runs and start is None:
        raise record.fail("StartTime", "a time, since the job runs")
    submit = clock.time(record, "submittime")
    if submit is None:
        raise record.fail("SubmitTime", "a time")
    if submit > time + 1 or (runs and start is not None and start > time + 1):
        raise ValueError(
            f"{record.where}: this job was submitted or started {max(submit, start or 0.0) - time:,.0f} s after the "
            "jobs were told: the clocks are in two zones, or the files of different moments"
        )
    if state in ("SUSPENDED", "STOPPED"):
        report.add(UNKNOWN, "suspended jobs: it is not known when they go on, so they run on from now", record.where)
    if record["restarts"] not in ("", "0"):
        report.add(READ, "jobs that were requeued before", record.where)
    made = SnapshotJob(
        label=str(number), number=number, array=array, task=None, at_most=record.whole("arraytaskthrottle") or None,
        name=record["jobname"], user=record["userid"].partition("(")[0], account=record["account"].lower(),
        qos=record["qos"].lower(), partition=record["partition"], nice=_nice(record),
        priority=record.number("priority"), limit=_limit(record, report), submit=submit,
        eligible=clock.time(record, "eligibletime"), start=start if runs else None,
        nodes=_nodes(record) if runs else (), shares=_shares(record) if runs else (), node_count=_node_count(record),
        processors=max(1, _processors(record)), exclusive=_exclusive(record), resources=_resources(record),
        depends="" if runs else record["dependency"],
        held=not runs and (record["priority"] == "0" or record["reason"] in HELD or state in HELD),
        requeue=record["requeue"] != "0", reservation=record["reservation"] or record["resv_name"],
        forecast=None if runs else start, where=record.where,
    )  # fmt: skip
    if array is None:
        return [made]
    tasks = TaskList.parse(record["arraytaskid"]) if record["arraytaskid"] else TaskList((0,))
    most = made.at_most or tasks.at_most
    return [
        replace(made, label=f"{array}_{task}", task=task, at_most=most, number=number if len(tasks) == 1 else array)
        for task in tasks.numbers
    ]


def _over(record: Record, clock: Clock, time: float) -> list[SnapshotJob]:
    """A job that is over, as far as its use may not have been counted yet."""
    start, end = clock.time(record, "starttime"), clock.time(record, "endtime")
    if start is None or end is None or end <= start or end > time + 1:
        return []
    number, array = record.whole("jobid"), record.whole("arrayjobid") or None
    label = f"{array}_{record['arraytaskid']}" if array else str(number)
    made = SnapshotJob(
        label=label, number=number, array=array, task=None, at_most=None, name=record["jobname"],
        user=record["userid"].partition("(")[0], account=record["account"].lower(), qos=record["qos"].lower(),
        partition=record["partition"], nice=0, priority=0.0, limit=end - start, submit=start,
        eligible=clock.time(record, "eligibletime"), start=start, nodes=_nodes(record), shares=(),
        node_count=_node_count(record), processors=max(1, _processors(record)), exclusive=_exclusive(record),
        resources=_resources(record), where=record.where,
    )  # fmt: skip
    return [made]


def _resources(record: Record) -> dict[str, str]:
    """All resources together, by Slurm's names."""
    given = record["tres"] or record["reqtres"]
    return dict(pair.split("=", 1) for pair in given.split(",") if "=" in pair)


def _nice(record: Record) -> int:
    text = record["nice"] or "0"
    if not text.removeprefix("-").isdecimal():
        raise record.fail("Nice", "a whole number")
    return int(text)


def _limit(record: Record, report: Report) -> float | None:
    """The time limit, s; None for none."""
    limit = record.length("timelimit")
    if limit == 0.0:
        report.add(REPAIRED, "a time limit of 0: taken as none", record.where)
        return None
    return limit


def _nodes(record: Record) -> tuple[str, ...]:
    try:
        return tuple(expand(record["nodelist"])) if record["nodelist"] else ()
    except ValueError as error:
        raise ValueError(f"{record.where}: NodeList: {error}") from None


def _shares(record: Record) -> tuple[int, ...]:
    """The processors of a job on each of its nodes, as `scontrol -d` tells them."""
    told = [each.rpartition(":") for each in record["cpu_ids"].split(";") if each]
    try:
        counts = {name: len(TaskList.parse(numbers).numbers) for names, _, numbers in told for name in expand(names)}
    except ValueError as error:
        raise ValueError(f"{record.where}: CPU_IDs: {error}") from None
    nodes = _nodes(record)
    return tuple(counts[name] for name in nodes) if counts.keys() >= set(nodes) else ()


def _node_count(record: Record) -> int:
    """How many nodes a job asks for; 0 if it asks for processors wherever they are."""
    if _exclusive(record) or "-" in record["numnodes"] or "." in record["numnodes"]:
        return record.whole("numnodes", 1)
    return 0


def _exclusive(record: Record) -> bool:
    return record["oversubscribe"].upper() in ("NO", "EXCLUSIVE")


def _processors(record: Record) -> int:
    """What a job asks for: of one with whole nodes that runs, what it asked for before it was given them."""
    asked = record.whole("numtasks") * max(1, record.whole("cpus/task", 1))
    if _exclusive(record) and asked:
        return asked
    return record.whole("numcpus", 1)


def _cpu_ids(job: Mapping[str, Any]) -> str:
    """The processors of a job on its nodes as `scontrol -d` would tell them, in the words of any version."""
    found, told = [], job.get("job_resources")
    if not isinstance(told, dict):
        return ""
    allocated = told.get("allocated_nodes") or (told.get("nodes") or {})
    allocated = allocated.get("allocation") if isinstance(allocated, dict) else allocated
    for node in allocated if isinstance(allocated, list) else ():
        if not isinstance(node, dict):
            return ""
        sockets, cpus = node.get("sockets"), node.get("cpus")
        count = cpus.get("count") if isinstance(cpus, dict) else None
        if count is None and isinstance(sockets, dict):
            count = sum(len(each.get("cores", ())) for each in sockets.values() if isinstance(each, dict))
        if not isinstance(count, int) or count < 1:
            return ""
        found.append(f"{node.get('nodename') or node.get('name')}:0-{count - 1}")
    return ";".join(found)


def _signed(nice: float) -> float:
    """A niceness: 22.05 prints one below 0 as a number of 32 bits without a sign, others add 2**31 to each."""
    return nice - (2**32 if nice >= 3 * 2**30 else 2**31 if nice >= 2**30 else 0)


def of_json(path: Path) -> list[Record]:
    """The jobs of `squeue --json`, as records of `scontrol -o show job`."""
    import json

    from thinktime.workloads.sacct.json_values import first, joined, number, text
    from thinktime.workloads.text_files import text_of

    try:
        dump = json.loads(text_of(path))
    except ValueError:
        raise ValueError(f"{path.name}: this is no JSON, or it is cut off; take another snapshot") from None
    found = []
    for place, job in enumerate(dump.get("jobs") or () if isinstance(dump, dict) else (), start=1):
        where = f"{path.name}, entry {place} of jobs"
        if not isinstance(job, dict):
            raise ValueError(f"{where}: this is no job")

        def whole(key: str, job: Mapping[str, object] = job, where: str = where) -> str:
            try:
                value = number(job.get(key))
            except ValueError as error:
                raise ValueError(f"{where}: {key}: {error}") from None
            return "" if value is None else "UNLIMITED" if value == float("inf") else f"{value:.0f}"

        limit = whole("time_limit")
        shared = first(job.get("shared"))
        most = whole("max_nodes")
        tasks = text(job.get("array_task_string")) or whole("array_task_id")
        state = first(job.get("job_state"))
        nodes = whole("node_count")
        values = {
            "jobid": whole("job_id"), "jobname": text(job.get("name")),
            "arrayjobid": whole("array_job_id"), "arraytaskid": tasks.partition("%")[0],
            "arraytaskthrottle": whole("array_max_tasks"), "userid": text(job.get("user_name")),
            "account": text(job.get("account")), "qos": text(job.get("qos")), "jobstate": state,
            "partition": text(job.get("partition")), "priority": whole("priority") or "0",
            "nice": "", "reason": text(job.get("state_reason")), "dependency": text(job.get("dependency")),
            "timelimit": limit if limit in ("", "UNLIMITED") else f"{int(limit) // 60:02d}:{int(limit) % 60:02d}:00",
            "submittime": whole("submit_time"), "eligibletime": whole("eligible_time"),
            "starttime": whole("start_time"), "endtime": whole("end_time"),
            "lastschedeval": whole("last_sched_evaluation"), "nodelist": text(job.get("nodes")),
            "numnodes": f"{nodes}-{most}" if most not in ("", "0") else nodes,
            "numcpus": whole("cpus"), "numtasks": whole("tasks"), "cpus/task": whole("cpus_per_task"),
            "oversubscribe": "NO" if shared == "none" or first(job.get("exclusive")) == "true" else "OK",
            "tres": text(job.get("tres_alloc_str")) or text(job.get("tres_req_str")),
            "licenses": text(job.get("licenses")), "features": text(job.get("features")),
            "requeue": "0" if job.get("requeue") is False else "1", "reservation": text(job.get("resv_name")),
            "cpu_ids": _cpu_ids(job),
            "hetjobid": "" if whole("het_job_id") == "0" else whole("het_job_id"), "restarts": whole("restart_cnt"),
            "excnodelist": joined(job.get("excluded_nodes")), "reqnodelist": joined(job.get("required_nodes")),
            "burstbuffer": text(job.get("burst_buffer")), "clusterfeatures": text(job.get("cluster_features")),
            "fedorigin": text(job.get("federation_origin")), "deadline": whole("deadline"),
            "timemin": whole("time_minimum"), "switches": whole("required_switches"),
        }  # fmt: skip
        nice = job.get("nice")
        if isinstance(nice, int | dict) and not isinstance(nice, bool):
            value = number(nice)
            values["nice"] = "" if value is None else f"{_signed(value):.0f}"
        found.append(
            Record(
                where, {key: "" if value == "0" and key in ("arrayjobid",) else value for key, value in values.items()}
            )
        )
    return found
