"""What a machine tells of its jobs afterwards: the records of jobs that are over, and the result of all of them."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes.limits import UNBOUND
from thinktime.models.engine.limits.limits import binding
from thinktime.models.jobs.checks import name_of
from thinktime.models.jobs.columns import Requests
from thinktime.models.jobs.estimates import Estimates
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.proposals import left_idle, returned_none
from thinktime.models.machine.job_records import JobRecord
from thinktime.models.machine.scheduler import Scheduler
from thinktime.models.machine.site_notes import site_notes
from thinktime.models.results.demand import LostDemand
from thinktime.models.results.result import Result
from thinktime.models.site.preempting import unheeded
from thinktime.models.site.site import Site
from thinktime.models.state import Reason, State

HIDDEN = ("requested", "nice", "power", "key", "expected_end", "numbered_here", "equivalents", "runs", "done")
SHOWN = [name for name in Requests.schema if name not in HIDDEN]
"""The columns of requests that a result has under the same name."""

RECORDED = ("id", "user", "processors", "requested", "campaign", "promised", "latest_start", "think_time")
"""The columns of requests that a job's record has as they are."""
STATES = tuple(State)
TOLD = 12
"""How many reasons are told why jobs were refused, or wait for ever: the most frequent ones."""

Columns = dict[str, NDArray[Any]]


def records_of(scheduler: Scheduler, rows: range) -> Iterator[JobRecord]:
    """The records of jobs that are over, by their first rows, which are consecutive."""
    pool, split_jobs = scheduler.pool, scheduler.split_jobs
    requests, ends, users = pool.requests, pool.outcomes.end, scheduler.names["user"]
    told = (getattr(requests, name)[rows.start : rows.stop].tolist() for name in RECORDED)
    for row, number, user, processors, requested, campaign, promised, latest_start, think_time in zip(
        rows, *told, strict=True
    ):
        last, whole = split_jobs.current(row), split_jobs.requested(row)
        submit, start, runs = pool.first_and_all_runs(row)
        yield JobRecord(
            id=number,
            user=users[user] if user >= 0 else None,
            processors=processors,
            estimate=requested if whole is None else whole,  # the owner's request, whatever the policy plans with
            submit=submit,
            start=_known(start),
            end=ends.item(last),
            state=STATES[requests.state.item(last)],
            campaign=campaign if campaign >= 0 else None,
            promised=_known(promised),
            latest_start=_known(latest_start),
            think_time=_known(think_time),
            segments=tuple(
                (requests.start.item(each), ends.item(each))
                for each in split_jobs.rows(row)
                if requests.start[each] <= ends[each]
            ),
            runs=runs,
            gave_up=pool.gave_up(row),
            why="" if pool.limits is None else pool.limits.why(row),
            partition=_partition(scheduler, row),
        )


def _partition(scheduler: Scheduler, row: int) -> Any:
    """The partition that a job names, or of several the one in which it has run."""
    limits, code = scheduler.pool.limits, scheduler.pool.requests.partition.item(row)
    ran = None if limits is None else limits.ran_in(row)
    return ran or (scheduler.names["partition"][code] if code >= 0 else None)


def result_of(
    scheduler: Scheduler,
    lost: LostDemand,
    estimator: Estimates | None,
    first: NDArray[np.int64] | None,
    site: Site | None = None,
) -> Result:
    """The result so far: jobs in the order in which they became known, after those in the rows of ``first``."""
    scheduler.settle()
    if scheduler.pool.limits is not None:
        scheduler.pool.limits.name_partitions()
    pool, now = scheduler.pool, float(scheduler.env.now)
    submitted = _submitted(pool.requests.state[: pool.requests.size], first)
    columns, names = _columns(scheduler, submitted)
    history = pool.history(submitted, now)
    if history is not None:
        runs = history.runs
        columns["runs"] = runs.summed(~runs.ended("resized"), len(submitted)).astype(np.int64)
        columns["lost"] = runs.summed(runs.lost, len(submitted))
    odd = []
    if site is not None:
        odd = site_notes(site, pool.requests, scheduler.names, submitted) + unheeded(scheduler.policy, site)
    return Result(
        columns=columns,
        names=names,
        processors=pool.processors,
        policy=name_of(scheduler.policy),
        overrun=scheduler.hooks.overrun_note or pool.overrun,
        now=now,
        notes=_notes(scheduler, estimator) + odd + pool.told_of_patience(submitted) + pool.told_of_power(),
        lost_demand=lost.columns(_reneged(scheduler)),
        responses=lost.responses.columns(),
        history=history,
        nodes=pool.placement(submitted),
        machine_power=pool.power,
    )


def priced(result: Result, fields: Mapping[str, Any]) -> Result:
    """A result with what the fields of its machine say of signals, charges and budgets."""
    signals = {name: each.signal for name, each in (fields.get("signals") or {}).items()}
    charge, budget = fields.get("charge"), fields.get("budget")
    return replace(result, signals=signals, charge=charge, budget=budget) if signals or charge else result


def _reneged(scheduler: Scheduler) -> list[tuple[float, Any, float]]:
    """The time, user and processor-seconds of each job that was taken back by a user who follows a plan."""
    rows, pool, names = scheduler.pool.reneged(), scheduler.pool, scheduler.names["user"]
    work = pool.requests.processors[rows] * pool.outcomes.runtime[rows]
    users = [names[code] for code in pool.requests.user[rows].tolist()]
    return list(zip(pool.outcomes.end[rows].tolist(), users, work.tolist(), strict=True))


def _submitted(state: NDArray[np.int8], first: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """The rows of the jobs that have been submitted, in the order of the result."""
    submitted = np.flatnonzero(state != State.FUTURE)
    if first is None:
        return submitted
    other = np.ones(len(state), bool)
    other[first] = False
    return np.concatenate([first[state[first] != State.FUTURE], submitted[other[submitted]]])


def _columns(scheduler: Scheduler, submitted: NDArray[np.int64]) -> tuple[Columns, dict[str, list[Any]]]:
    """The columns of a result, which are the machine's own where they do not change any more, and the names in them."""
    pool, names = scheduler.pool, {name: list(labels) for name, labels in scheduler.names.items()}
    requests, outcomes = pool.requests.columns(), pool.outcomes.columns()
    table = {name: requests[name] for name in SHOWN} | {"estimate": requests["requested"]}
    table |= {name: outcomes[name] for name in ("runtime", "end")}
    if pool.truth.explained:
        table["reason"] = pool.reason[: pool.requests.size]
        if pool.limits is not None:
            table["limit"], names["limit"] = _limits(pool)
    if pool.eligibility is not None:
        table["eligible"] = pool.eligibility.since(requests["submit"], requests["start"], outcomes["end"])
    if pool.power is not None:
        table["power"] = pool.watts_of(slice(pool.requests.size))
    table |= pool.first_runs()
    if "shape" in table:
        names["shape"] = pool.shape_names()
    over = requests["state"] >= State.FINISHED
    if over.all() and np.array_equal(submitted, np.arange(len(over))):
        return table, names
    columns = {name: column[submitted] for name, column in table.items()}
    columns["end"][~over[submitted]] = np.nan
    return columns, names


def _limits(pool: Pool) -> tuple[NDArray[np.int64], list[str]]:
    """For each row the code of the limit that held the job at the last pass that found it waiting, and their labels."""
    codes, labels = np.full(pool.requests.size, -1), dict[str, int]()
    for row in np.flatnonzero(pool.reason[: pool.requests.size] == Reason.LIMIT).tolist():
        codes[row] = labels.setdefault(pool.limits.label(pool.limit.item(row), row), len(labels))
    return codes, list(labels)


def _notes(scheduler: Scheduler, estimator: Estimates | None) -> list[str]:
    """Sentences on the conditions of the run."""
    pool, hooks, split_jobs = scheduler.pool, scheduler.hooks, scheduler.split_jobs
    told = [f"policies plan with estimates: {estimator.text}"] if estimator else []
    split = [split_jobs.note()] if split_jobs.limit < math.inf else []
    never = pool.eligibility.notes(pool.requests) if pool.eligibility else []
    never += _left_by_policy(scheduler) + pool.deadlock(scheduler.env.peek() == math.inf)
    return told + (hooks.notes(pool.processors) if hooks.notes else []) + split + never + _ranks(scheduler)


def _left_by_policy(scheduler: Scheduler) -> list[str]:
    """Sentences on jobs that never start, and what the policy has forgotten; nothing is said twice."""
    name, omissions, lone_failures = name_of(scheduler.policy), scheduler.omissions, scheduler.lone_failures
    none = returned_none(omissions) if omissions else ""
    unwanted = "the policy starts none of them, though nothing runs"
    unwanted += f" (it {none})" if none else ""
    unwanted += f"; {since}" if (since := lone_failures.since()) else ""
    told = _never(scheduler, unwanted)
    if not any(note.endswith(unwanted) for note in told):
        told += [f"policy {name} {none}"] if none else []
        told += lone_failures.notes()
    return told + (left_idle(omissions, name) if omissions else [])


def _never(scheduler: Scheduler, unwanted: str) -> list[str]:
    """Sentences on jobs that will never start, or were refused: each has one reason, unless others still run.

    ``unwanted`` is the reason if it is the policy.
    """
    pool = scheduler.pool
    state = pool.requests.state[: pool.requests.size]
    if pool.limits is None and not (state == State.WAITING).any():
        return []
    rows = [] if (state == State.RUNNING).any() else pool.waiting_rows.tolist()
    whys = {"are left in the queue": Counter(filter(None, (_why_left(scheduler, row, unwanted) for row in rows)))}
    if pool.limits is not None:
        for each, what in ((State.WAITING, "wait for ever"), (State.REFUSED, "were refused")):
            whys[what] = Counter(filter(None, map(pool.limits.why, np.flatnonzero(state == each).tolist())))
    return [text for what in WHAT if what in whys for text in _counted(whys[what], what)]


WHAT = "wait for ever", "are left in the queue", "were refused"


def _counted(whys: Counter[str], what: str) -> Iterator[str]:
    """The most frequent reasons, and how many there are of others."""
    most = whys.most_common(TOLD)
    yield from (f"{_jobs(count, what)}: {why}" for why, count in most)
    if rest := whys.total() - sum(count for _, count in most):
        yield f"{_jobs(rest, what)} for {len(whys) - TOLD} other reasons"


def _why_left(scheduler: Scheduler, row: int, unwanted: str) -> str:
    """Why a job is in the queue though nothing runs; empty if that is said elsewhere, or more may happen."""
    pool, now = scheduler.pool, float(scheduler.env.now)
    if pool.limits is not None:
        if pool.limits.why(row):
            return ""
        for each in pool.limits.entries.of(row) or (row,):
            if (limit := binding(pool.state, each, now)) != UNBOUND:
                return str(pool.limits.label(limit, each))
    return unwanted if scheduler.env.peek() == math.inf else ""


def _jobs(count: int, what: str) -> str:
    one = what.replace("wait", "waits", 1).replace("were", "was", 1).replace("are", "is", 1)
    return f"{count:,} jobs {what}" if count > 1 else f"1 job {one}"


def _ranks(scheduler: Scheduler) -> list[str]:
    """A sentence if a policy preempts by ranks of queues, and no job was in such a queue."""
    ranks = getattr(scheduler.policy, "ranks", None) or {}
    if not ranks or {str(queue) for queue in scheduler.names["queue"]} & set(ranks):
        return []
    return [f"no job was in a queue that {name_of(scheduler.policy)} ranks, so nobody was preempted"]


def _known(value: float) -> float | None:
    return value if value == value else None
