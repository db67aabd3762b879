"""The jobs of Alibaba's PAI: a table of jobs, and beside it one of their tasks (``job_table`` and ``task_table``).

A job's start time is its submission; it starts with its first task. A task has some equal instances, which ask for per
cent of cores and of a GPU, and for GB of memory.
"""

import csv
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from thinktime.workloads.names import shortened
from thinktime.workloads.tables.files import TableFile
from thinktime.workloads.tables.layouts import Opened, of_rows
from thinktime.workloads.tables.mapping import Mapping

JOB = ("job_name", "inst_id", "user", "status", "start_time", "end_time")
TASK = (
    "job_name", "task_name", "inst_num", "status", "start_time", "end_time", "plan_cpu", "plan_mem", "plan_gpu",
    "gpu_type",
)  # fmt: skip
COLUMNS = (
    "job_name", "user", "status", "submit", "start", "end", "cores", "instances", "gpu_percent", "request",
)  # fmt: skip
SAME_KIND = {"v100m32": "v100"}


class _Task(NamedTuple):
    start: float | None
    instances: int
    cores: int
    gpu: int
    request: str


def pai(file: TableFile, how: Mapping) -> Opened:
    """One row per job, with the requests of all its tasks."""
    beside = Path(str(file.path).replace("job_table", "task_table"))
    if file.member or beside == file.path or not beside.is_file():
        raise ValueError(f"{shortened(file.name)}: the tasks must be beside it, in {shortened(beside.name)}")
    kinds = {each.name for each in how.machine}

    def rows() -> Iterator[tuple[object, ...]]:
        tasks: dict[str, list[_Task]] = {}
        for values in _lines(TableFile(beside, max_size=file.max_size), TASK):
            tasks.setdefault(values[0], []).append(_task(values, kinds))
        for name, _, user, status, submit, end in _lines(file, JOB):
            own = tasks.get(name, [])
            starts = [each.start for each in own if each.start is not None]
            yield (
                name, user, status, submit, min(starts) if starts else None, end,
                sum(each.instances * each.cores for each in own) or None,
                sum(each.instances for each in own) or None,
                sum(each.instances * each.gpu for each in own),
                ("+".join(each.request for each in own) + "#pack") if own else None,
            )  # fmt: skip

    return of_rows(COLUMNS, rows)


def _lines(file: TableFile, names: Sequence[str]) -> Iterator[list[str]]:
    with file.open() as raw:
        for number, values in enumerate(csv.reader(io.TextIOWrapper(raw, "utf-8", newline="")), start=1):
            if len(values) != len(names):
                raise ValueError(
                    f"{shortened(file.name)}, line {number:,}: found {len(values)} values, expected {len(names)} "
                    f"({', '.join(names)})"
                )
            if number > 1 or values[0] != names[0]:
                yield values


def _task(values: Sequence[str], kinds: set[str]) -> _Task:
    start, cpu, memory, gpu = (float(values[place] or 0) for place in (4, 6, 7, 8))
    instances, cores, percent = max(round(float(values[2] or 1)), 1), max(math.ceil(cpu / 100), 1), math.ceil(gpu)
    kind = SAME_KIND.get(values[9].lower(), values[9].lower())
    words = [f"{instances}:ppn={cores}"]
    words += [f"mem={round(memory * 2**20)}kb"] if memory else []
    words += [f"gpu_percent={percent}"] if percent else []
    words += [kind] if percent and kind in kinds else []
    return _Task(start or None, instances, cores, percent, ":".join(words))
