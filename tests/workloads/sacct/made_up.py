"""Made-up jobs, printed as `sacct -P` and as `sacct --json` of each version print them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

VERSIONS = (37, 38, 39, 40, 41)
T0 = 1_730_000_000
UNLIMITED = "UNLIMITED"


@dataclass(frozen=True)
class Made:
    """A job as the accounting has it; times in s since 1970, 0 for not yet."""

    number: int
    submit: int = 0
    start: int = 0
    end: int = 0
    state: str = "COMPLETED"
    processors: int = 4
    nodes: int = 1
    had: int | None = None
    """Allocated processors, where these are others."""
    limit: int | str | None = 60
    user: str = "ann"
    account: str = "chem"
    partition: str = "batch"
    qos: str = "normal"
    name: str = "job"
    memory: tuple[str, int] = ("n", 4000)
    gpus: dict[str, int] = field(default_factory=dict)
    array: int = 0
    task: int | None = None
    tasks: str = ""
    het: int = 0
    offset: int = 0
    eligible: int = 0
    steps: tuple[tuple[int, int, int], ...] = ()
    """Of each step: memory of its largest task (bytes), tasks, CPU time (s)."""
    submit_line: str = ""
    cluster: str = "rock"

    @property
    def elapsed(self) -> int:
        return max(self.end - self.start, 0) if self.start and self.end else 5000 if self.start else 0

    @property
    def cpu(self) -> int:
        return sum(cpu for _, _, cpu in self.steps)


ONE_OF_EACH = (
    Made(10, 0, 100, 700, steps=((1 << 20, 4, 33), (3 << 20, 1, 7)), memory=("c", 2000)),
    Made(11, 5, 105, 705, "TIMEOUT", 8, 2, limit=10, user="bob", gpus={"gpu": 4, "gpu:a100": 4}),
    Made(12, 6, 0, 900, "CANCELLED", limit=UNLIMITED, user="bob"),
    Made(13, 7, 107, 207, "NODE_FAIL", 8, 4, qos="long"),
    Made(13, 250, 300, 900, "COMPLETED", 8, 4, qos="long"),
    Made(21, 20, 30, 90, array=20, task=1, name="sweep"),
    Made(20, 20, 35, 95, "FAILED", array=20, task=2, name="sweep", submit_line="sbatch --array=1-9%2 run"),
    Made(22, 20, 0, 0, "PENDING", array=20, tasks="3-9%2", name="sweep"),
    Made(31, 40, 60, 120, het=31, offset=0, partition="gpu", gpus={"gpu": 2}),
    Made(32, 40, 60, 120, het=31, offset=1, partition="batch", processors=16, nodes=2),
    Made(40, 50, 60, 0, "RUNNING", limit=None),
    Made(41, 55, 2000, 2300, eligible=1800, submit_line="sbatch --begin=now+1800 run.sh a|b"),
    Made(42, 56, 2000, 2300, eligible=705, submit_line="sbatch --dependency=afterany:11 --time=1 run.sh"),
    Made(43, 57, 0, 0, "PENDING", partition="gpu,batch"),
    Made(50, 60, 61, 62, had=8, processors=2, name="shares a node", user=""),
)  # fmt: skip
"""Arrays, steps, a heterogeneous job, a requeue, jobs that share nodes, one that runs, and some that wait."""
COLUMNS = (
    "JobID", "JobIDRaw", "JobName", "User", "Account", "Partition", "QOS", "State", "Submit", "Eligible", "Start",
    "End", "ElapsedRaw", "TimelimitRaw", "NNodes", "ReqCPUS", "AllocCPUS", "ReqMem", "ReqTRES", "AllocTRES", "MaxRSS",
    "NTasks", "TotalCPU", "Cluster", "SubmitLine",
)  # fmt: skip


def old(jobs: Sequence[Made]) -> list[Made]:
    """The same jobs without commands, which the accounting has from 21.08 on and the JSON from v0.0.39 on."""
    return [replace(job, submit_line="") for job in jobs]


def as_text(jobs: Sequence[Made], separator: str = "|") -> str:
    """What `sacct -P` prints, with Unix times."""
    rows = [separator.join(COLUMNS)]
    for job in jobs:
        rows.append(separator.join(_text_row(job)))
        for place, (rss, tasks, cpu) in enumerate(job.steps):
            step = dict.fromkeys(COLUMNS, "") | {
                "JobID": f"{_called(job)}.{place}", "State": job.state, "Submit": str(T0 + job.start),
                "MaxRSS": f"{rss // 1024}K", "NTasks": str(tasks), "TotalCPU": f"00:00:{cpu:02}",
                "Cluster": job.cluster,
            }  # fmt: skip
            rows.append(separator.join(step.values()))
    return "\n".join(rows) + "\n"


def _called(job: Made) -> str:
    if job.array:
        return f"{job.array}_[{job.tasks}]" if job.tasks else f"{job.array}_{job.task}"
    return f"{job.het}+{job.offset}" if job.het else str(job.number)


def _text_row(job: Made) -> list[str]:
    per, amount = job.memory
    tres = f"cpu={job.processors},mem={_memory(job)}M,node={job.nodes},billing=1" + "".join(
        f",gres/{name}={n}" for name, n in job.gpus.items()
    )
    has = tres.replace(f"cpu={job.processors}", f"cpu={_had(job)}") if job.start else ""
    state = f"{job.state} by 1000" if job.state == "CANCELLED" else job.state
    found = {
        "JobID": _called(job), "JobIDRaw": str(job.number), "JobName": job.name, "User": job.user,
        "Account": job.account, "Partition": job.partition, "QOS": job.qos, "State": state,
        "Submit": str(T0 + job.submit), "Eligible": str(T0 + (job.eligible or job.submit)),
        "Start": str(T0 + job.start) if job.start else "Unknown", "End": str(T0 + job.end) if job.end else "Unknown",
        "ElapsedRaw": str(job.elapsed), "TimelimitRaw": "" if job.limit is None else str(job.limit),
        "NNodes": str(job.nodes), "ReqCPUS": str(job.processors), "AllocCPUS": str(_had(job) if job.start else 0),
        "ReqMem": f"{amount}M{per}", "ReqTRES": tres, "AllocTRES": has, "TotalCPU": f"00:00:{job.cpu:02}",
        "Cluster": job.cluster, "SubmitLine": job.submit_line,
    }  # fmt: skip
    return [found.get(name, "") for name in COLUMNS]


def _had(job: Made) -> int:
    return job.processors if job.had is None else job.had


def _memory(job: Made) -> int:
    per, amount = job.memory
    return amount * (job.processors if per == "c" else job.nodes)


def as_json(jobs: Sequence[Made], version: int, complex_numbers: bool = False) -> str:
    """What `sacct --json` of a version prints."""
    return json.dumps(
        {"meta": meta(version), "errors": [], "jobs": [_json_job(j, version, complex_numbers) for j in jobs]}
    )


def meta(version: int) -> dict[str, Any]:
    """What says which version it is."""
    if version <= 38:
        return {"plugin": {"type": f"openapi/dbv0.0.{version}", "name": "Slurm"}}
    where = "plugins" if version == 39 else "plugin"
    return {where: {"type": "", "data_parser": f"data_parser/v0.0.{version}"}}


def _number(value: int | str | None, version: int, complex_numbers: bool = False) -> Any:
    if version <= 38:
        return None if isinstance(value, str) else value
    if complex_numbers:
        return "Infinity" if isinstance(value, str) else value
    endless = isinstance(value, str)
    return {"set": value is not None and not endless, "infinite": endless, "number": 0 if endless else value or 0}


def _json_job(job: Made, version: int, complex_numbers: bool) -> dict[str, Any]:
    per, amount = job.memory

    def number(value: int | str | None) -> Any:
        return _number(value, version, complex_numbers)

    asked: dict[str, Any] = {"CPUs": job.processors}
    if version <= 38:
        asked["memory"] = amount + (2**63 if per == "c" else 0)
    else:
        asked |= {"memory_per_cpu": number(amount if per == "c" else None)}
        asked |= {"memory_per_node": number(amount if per == "n" else None)}
    when = {
        "submission": T0 + job.submit, "eligible": T0 + (job.eligible or job.submit),
        "start": T0 + job.start if job.start else 0, "end": T0 + job.end if job.end else 0, "elapsed": job.elapsed,
        "suspended": 0, "limit": number(job.limit), "total": {"seconds": job.cpu, "microseconds": 0},
    }  # fmt: skip
    found = {
        "job_id": job.number, "name": job.name, "user": job.user, "account": job.account, "cluster": job.cluster,
        "association": {"user": job.user, "account": job.account}, "partition": job.partition, "qos": job.qos,
        "array": {
            "job_id": job.array, "task": job.tasks or ("" if version > 38 else None), "task_id": number(job.task),
            "limits": {"max": {"running": {"tasks": 0}}},
        },
        "het": {"job_id": job.het, "job_offset": number(job.offset if job.het else None)},
        "state": {"current": [job.state, "SIGNALING"] if version >= 40 else job.state, "reason": "None"},
        "time": when, "required": asked, "allocation_nodes": job.nodes if job.start else 0,
        "tres": {"requested": _tres(job, job.processors), "allocated": _tres(job, _had(job)) if job.start else []},
        "steps": [_step(job, *each) for each in job.steps],
    }  # fmt: skip
    return found | ({"submit_line": job.submit_line} if version >= 39 else {})


def _tres(job: Made, processors: int) -> list[dict[str, Any]]:
    plain = {"cpu": processors, "mem": _memory(job), "energy": -2, "node": job.nodes, "billing": 1}
    found = [{"type": kind, "name": "", "id": n, "count": count} for n, (kind, count) in enumerate(plain.items())]
    return found + [{"type": "gres", "name": name, "id": 1001, "count": n} for name, n in job.gpus.items()]


def _step(job: Made, rss: int, tasks: int, cpu: int) -> dict[str, Any]:
    most = [{"type": "cpu", "name": "", "id": 1, "count": 9}, {"type": "mem", "name": "", "id": 2, "count": rss}]
    return {
        "step": {"id": f"{job.number}.0", "name": "batch"}, "tasks": {"count": tasks},
        "tres": {"requested": {"max": most}, "consumed": {"max": []}},
        "time": {"total": {"seconds": cpu, "microseconds": 0}},
    }  # fmt: skip
