"""The jobs of Philly: a list in JSON of jobs with their attempts, each of which has the GPUs of its nodes.

A job starts with its first attempt; its run time is the sum of its attempts', and its nodes and GPUs are the most of
any. A job without an attempt never ran.
"""

import datetime
import json
from collections.abc import Iterator
from typing import Any

from thinktime.workloads.names import shortened
from thinktime.workloads.tables.files import TableFile
from thinktime.workloads.tables.layouts import Opened, of_rows
from thinktime.workloads.tables.mapping import Mapping

COLUMNS = ("jobid", "user", "vc", "status", "submitted_time", "start", "ran", "nodes", "gpus")


def philly(file: TableFile, how: Mapping) -> Opened:
    """One row per job."""

    def rows() -> Iterator[tuple[object, ...]]:
        try:
            with file.open() as raw:
                jobs = json.load(raw)
        except json.JSONDecodeError as error:
            raise ValueError(f"{shortened(file.name)} is no list of jobs in JSON: {error}") from None
        if not (isinstance(jobs, list) and all(isinstance(job, dict) for job in jobs)):
            raise ValueError(f"{shortened(file.name)} must be a list of jobs")
        for number, job in enumerate(jobs, start=1):
            try:
                yield _row(job)
            except (TypeError, ValueError, KeyError, AttributeError) as error:
                raise ValueError(f"{shortened(file.name)}, job {number:,}: {error}") from None

    return of_rows(COLUMNS, rows)


def _row(job: dict[str, Any]) -> tuple[object, ...]:
    attempts = job.get("attempts") or []
    runs = [(_moment(each.get("start_time")), _moment(each.get("end_time"))) for each in attempts]
    starts = [start for start, _ in runs if start]
    ran = [(end - start).total_seconds() for start, end in runs if start and end]
    details = [each.get("detail") or [] for each in attempts]
    nodes = max((len(each) for each in details), default=0)
    gpus = max((sum(len(node["gpus"]) for node in each) for each in details), default=0)
    first = min(starts).isoformat(" ") if starts else None
    who = (job.get(name) for name in ("jobid", "user", "vc", "status"))
    return (*who, job.get("submitted_time"), first, sum(ran) if ran else None, nodes or None, gpus or None)


def _moment(text: str | None) -> datetime.datetime | None:
    return None if text in (None, "", "None") else datetime.datetime.fromisoformat(str(text))
