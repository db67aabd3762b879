"""Write a snapshot as Slurm's commands would print it, so that its reader has the same site and state."""

import os
from collections import defaultdict
from collections.abc import Iterator
from math import inf
from pathlib import Path

import numpy as np

from thinktime.models.orders.accounts import accounts_of
from thinktime.models.orders.tree_accounts import TreeAccounts
from thinktime.models.site.slurm.values import MB
from thinktime.models.snapshot import printing
from thinktime.models.snapshot.folder import BEGUN, ENDED, SQUEUE, ZONE
from thinktime.models.snapshot.jobs import SnapshotJob
from thinktime.models.snapshot.printing import NO, clock
from thinktime.models.snapshot.reading import Snapshot
from thinktime.models.snapshot.windows import nodes_of
from thinktime.workloads.changes.windows import Window
from thinktime.workloads.host_lists import compress
from thinktime.workloads.units import MINUTE

FIRST_USER = 1_001
SPRIO = "JOBID", "PARTITION", "USER", "PRIORITY", "AGE"


def to_slurm(snapshot: Snapshot, folder: str | os.PathLike[str]) -> None:
    """Write a folder as Slurm's commands would print it; `read_snapshot` gives the same site and state.

    What is not modelled, such as licences, is not in it.
    """
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    for name, text in texts(snapshot).items():
        (path / name).write_text(text, encoding="utf-8")


def texts(snapshot: Snapshot) -> dict[str, str]:
    """The files by their names."""
    site, moment, now = snapshot.site, snapshot.moment, snapshot.begin
    windows = () if snapshot.spec.changes is None else snapshot.spec.changes.windows
    away = [name for each in windows if each.end == inf for name in nodes_of(each)]
    offset = moment.calendar.zone.utcoffset(None)
    late = 0.0 if offset is None else offset.total_seconds()
    told = list(_priorities(snapshot))
    found = {
        BEGUN: f"{now:.3f}\n",
        ENDED: f"{now + 1:.3f}\n",
        ZONE: f"{snapshot.zone}\n",
        "config.txt": printing.config(site, now, snapshot.zero + snapshot.tick),
        "nodes.txt": printing.nodes(site, away, _in_use(snapshot)),
        "partitions.txt": printing.partitions(site),
        "qos.psv": printing.qualities(site),
        "assoc.psv": printing.associations(site),
        "assoc_mgr.txt": "".join(f"{line}\n" for line in _associations(snapshot)),
        "sshare.psv": "".join(f"{line}\n" for line in _shares(snapshot)),
        "reservations.txt": "".join(f"{_reservation(snapshot, k, each)}\n" for k, each in enumerate(windows, 1)
                                    if each.end < inf) or "No reservations in the system\n",
        "jobs.txt": "".join(f"{line}\n" for line in _jobs(snapshot)) or "No jobs in the system\n",
        "squeue.psv": "".join(f"{line}\n" for line in _queue(snapshot)),
        "sprio.txt": "".join(f"{line}\n" for line in [" ".join(SPRIO), *(line for line, _ in told)]),
        "sprio_norm.txt": "".join(f"{line}\n" for line in [" ".join(SPRIO), *(line for _, line in told)]),
        "sdiag.txt": "".join(f"{line}\n" for line in _statistics(now, moment.backfill, late)),
    }  # fmt: skip
    if not snapshot.site.accounts.associations:
        del found["assoc.psv"]
    return {name: text for name, text in found.items() if name != ZONE or snapshot.zone}


def _statistics(now: float, backfill: float | None, late: float) -> Iterator[str]:
    yield "*" * 40
    yield f"sdiag output at {printing.local(now, late)} ({now:.0f})"
    if backfill is not None:
        yield f"\tLast cycle when: {printing.local(backfill, late)} ({backfill:.0f})"


def _in_use(snapshot: Snapshot) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for job in snapshot.jobs:
        for name in job.nodes:
            found[name] += max(1, job.processors // len(job.nodes))
    return found


# -- jobs -------------------------------------------------------------------------------------------------------------


def _jobs(snapshot: Snapshot) -> Iterator[str]:
    users: dict[str, int] = {}
    for job in snapshot.jobs:
        state = "PENDING" if job.start is None else "RUNNING"
        yield _job(job, state, users, snapshot.begin)
    for job in snapshot.moment.over:
        yield _job(job, "COMPLETED", users, snapshot.begin)


def _job(job: SnapshotJob, state: str, users: dict[str, int], now: float) -> str:
    start = job.forecast if job.start is None else job.start
    limit = job.limit
    end = None if start is None else now + 1 if limit is None else start + limit
    array = {} if job.array is None else {
        "ArrayJobId": job.array, "ArrayTaskId": 0 if job.task is None else job.task,
        "ArrayTaskThrottle": job.at_most or 0,
    }  # fmt: skip
    tres = ",".join(f"{name}={amount}" for name, amount in job.resources.items())
    lasted = 0.0 if job.start is None else (now if state == "RUNNING" or end is None else end) - job.start
    number = users.setdefault(job.user, FIRST_USER + len(users))
    values = {
        "JobId": job.number, **array, "JobName": job.name, "UserId": f"{job.user}({number})",
        "Priority": f"{job.priority:.0f}",
        "Nice": job.nice, "Account": job.account or NO, "QOS": job.qos or NO, "JobState": state,
        "Reason": "JobHeldUser" if job.held else "None", "Dependency": job.depends or NO, "Requeue": int(job.requeue),
        "Restarts": 0, "RunTime": clock(lasted),
        "TimeLimit": clock(limit), "SubmitTime": _time(job.submit), "EligibleTime": _time(job.eligible),
        "StartTime": _time(start), "EndTime": _time(end), "SecsPreSuspend": 0, "LastSchedEval": _time(now),
        "Partition": job.partition, "NodeList": compress(job.nodes), "NumNodes": _node_count(job),
        "NumCPUs": job.processors, "NumTasks": job.processors, "CPUs/Task": 1, "TRES": tres or NO,
        "OverSubscribe": "NO" if job.exclusive else "OK", "Reservation": job.reservation or NO,
    }  # fmt: skip
    places = (f"Nodes={name} CPU_IDs=0-{share - 1}" for name, share in zip(job.nodes, job.shares, strict=False))
    return " ".join([*(f"{key}={value}" for key, value in values.items()), *places])


def _node_count(job: SnapshotJob) -> str:
    return f"{job.node_count}-{job.node_count}" if job.node_count else "1"


def _time(time: float | None) -> str:
    return "Unknown" if time is None else f"{time:.0f}"


def _queue(snapshot: Snapshot) -> Iterator[str]:
    yield "|".join(SQUEUE.values())
    for job in snapshot.jobs:
        number, _, task = job.label.partition("_")
        cells = dict.fromkeys(SQUEUE.values(), "") | {
            "JOBID": job.label, "ARRAY_JOB_ID": number, "ARRAY_TASK_ID": task or "N/A",
            "USER": job.user, "ACCOUNT": job.account, "PARTITION": job.partition, "QOS": job.qos,
            "STATE": "PENDING" if job.start is None else "RUNNING", "START_TIME": _time(job.start),
            "NODELIST": compress(job.nodes),
        }  # fmt: skip
        yield "|".join(cells.values())


# -- accounts ---------------------------------------------------------------------------------------------------------


def _priorities(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """The lines of `sprio -l` and `sprio -l -n` of each job in the queue."""
    machine, rules = snapshot.machine, snapshot.site.priority
    accounts = accounts_of(machine.policy)
    if not isinstance(accounts, TreeAccounts):
        return
    for job in snapshot.jobs:
        if job.start is not None or job.label not in snapshot.rows:
            continue
        since = max(job.submit, job.eligible or 0.0)
        age = min(max(snapshot.zero + snapshot.tick - since, 0.0) / rules.max_age, 1.0)
        for partition, row in snapshot.entries(job):
            (value,) = accounts.priorities_of(np.array([row], np.int64), snapshot.time)
            head = f"{job.label} {partition} {job.user or '-'}"
            yield f"{head} {value:.0f} {rules.age * age:.0f}", f"{head} {value / 2**32:.10f} {age:.7f}"


def _associations(snapshot: Snapshot) -> Iterator[str]:
    used = snapshot.moment.used
    yield "Current Association Manager state"
    yield "Association Records"
    for key, amount in used.amounts.items():
        account, user, partition = key
        name, meters = f"{user}({FIRST_USER})" if user else "", _meters(used.seconds.get(key, {}))
        yield (
            f"ClusterName={snapshot.site.name} Account={account} UserName={name} Partition={partition or ''} "
            f"UsageRaw/Norm/Efctv={amount:.2f}/0.00/0.00 {meters}"
        )
    yield "QOS Records"
    for whose, seconds in used.seconds.items():
        if isinstance(whose, str):
            yield f"QOS={whose}(1) UsageRaw=0.000000 {_meters(seconds)}"


def _meters(seconds: dict[str, float]) -> str:
    units = {"mem": MB}
    texts = (f"{name}=N({used / MINUTE / units.get(name, 1):.0f})" for name, used in _whole_minutes(seconds))
    wall = f"GrpWall=N({seconds['seconds'] / MINUTE:.2f}) " if "seconds" in seconds else ""
    return f"{wall}GrpTRESMins={','.join(texts)}"


def _whole_minutes(seconds: dict[str, float]) -> Iterator[tuple[str, float]]:
    for name, used in seconds.items():
        if name != "seconds":
            yield name, used // MINUTE * MINUTE


def _shares(snapshot: Snapshot) -> Iterator[str]:
    used = snapshot.moment.used
    yield "Account|User|Partition|RawUsage|FairShare"
    for key, amount in used.amounts.items():
        account, user, partition = key
        share = used.shares.get(key)
        yield f"{account}|{user or ''}|{partition or ''}|{amount:.0f}|{'' if share is None else f'{share:.6f}'}"


def _reservation(snapshot: Snapshot, number: int, window: Window) -> str:
    names, zero = nodes_of(window), snapshot.zero
    name = next((job.reservation for k, job in enumerate(snapshot.jobs, 1) if k in window.jobs), f"window{number}")
    cores = sum(int(snapshot.site.nodes.capacity[snapshot.site.nodes.numbers[name], 0]) for name in names)
    return (
        f"ReservationName={name} StartTime={zero + window.start:.0f} EndTime={zero + window.end:.0f} "
        f"Duration={clock(window.end - window.start)} Nodes={compress(names)} NodeCnt={len(names)} CoreCnt={cores} "
        f"Flags={'MAGNETIC' if window.users else 'MAINT'},SPEC_NODES "
        f"Users={','.join(map(str, window.users)) or 'root'} Accounts={NO} Licenses={NO} State=INACTIVE"
    )
