"""The recorded schedule of a log as a result, without simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thinktime.models.results.node_record import amounts_of, record_of
from thinktime.models.results.result import Result
from thinktime.models.results.schedule import LABELLED
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.trace import Trace


def recorded_result(trace: Trace, processors: int, log: NodeLog | None = None) -> Result:
    """Every job at its recorded start (submit + wait) for its whole run time.

    Jobs without a wait are counted in ``Result.dropped``. Nothing is checked against the machine: a recorded schedule
    need not fit. ``log`` is the trace's `NodeLog` (`read_requests`): memory, queues by name, and the nodes that jobs
    had, in the log's numbering. Jobs that the described nodes could not hold (`NodeLog.whole`) are part of the
    schedule, since they did run; ``Result.notes`` lists them.
    """
    notes = held_by_no_node(log)
    if log is not None:
        log = log.whole or log
        trace = log.trace
    known = np.isfinite(trace.wait)
    if len(trace) and not known.any():
        raise ValueError("the log has no waits (field 3), so it records no schedule")
    jobs = trace.select(known) if not known.all() else trace
    start = jobs.submit + jobs.wait
    columns = {
        "id": jobs.id,
        "submit": jobs.submit,
        "start": start,
        "end": start + jobs.runtime,
        "processors": jobs.processors,
        "estimate": jobs.estimate,
        "memory": np.where(jobs.requested_memory > 0, jobs.requested_memory * 1024.0, np.nan),
        "recorded_start": start,
    }
    names = {}
    record = None
    for name in LABELLED:
        labels, numbers = np.unique(getattr(jobs, name), return_inverse=True)
        missing = int((labels == -1).sum())  # -1 sorts first and means none
        names[name] = labels[missing:].tolist()
        columns[name] = numbers - missing
    if log is not None:
        rows = np.flatnonzero(known).tolist()
        asked = [log.requests[row] for row in rows]
        memory = [each.memory / each.processors if each.memory else np.nan for each in asked]
        columns["memory"] = np.array(memory, np.float64)
        columns["processors"] = np.array([each.processors for each in asked], np.int64)
        if log.queues is not None:
            names["queue"] = list(
                dict.fromkeys(queue for queue in log.queues[rows].tolist() if queue is not None)
            )
            code = {queue: i for i, queue in enumerate(names["queue"])}
            codes = [code.get(queue, -1) for queue in log.queues[rows].tolist()]
            columns["queue"] = np.array(codes, np.int64)
        had = [[] if log.nodes is None else log.nodes[row] for row in rows]
        most = max((max(each) for each in had if each), default=-1)
        amounts = amounts_of(asked, tuple(log.machine))
        record = record_of(tuple(str(v) for v in range(most + 1)), had, amounts, log.machine)
    result = Result.from_columns(columns, processors, names=names, overrun="as recorded")
    dropped = {} if known.all() else {"no recorded wait": int((~known).sum())}
    return replace(result, dropped=dropped, notes=notes, nodes=record)


def held_by_no_node(log: NodeLog | None, most: int = 5) -> list[str]:
    """A sentence about the jobs that ran although no described node could hold them, if there are any."""
    found = [] if log is None else log.held_by_no_node()
    if not found:
        return []
    named = ", ".join(f"job {number} ({request})" for number, request in found[:most])
    more = f" and {len(found) - most:,} more" if len(found) > most else ""
    one = len(found) == 1
    jobs = "1 job" if one else f"{len(found):,} jobs"
    return [
        f"{jobs} that no described node could hold did run, and {'counts' if one else 'count'} in the recorded "
        f"schedule alone: {named}{more}"
    ]
