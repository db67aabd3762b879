"""Export of results in the Standard Workload Format 2.2, with users' think times in fields 17 and 18.

All submitted jobs are written, by (submit, number). Times keep their fractions, and -1 means missing.

| field | content |
|---|---|
| 1, 2 | job number, submission |
| 3 | wait; -1 if the job never started |
| 4 | end - start, the run time after any kill; -1 if the job did not end after having started |
| 5 | allocated processors; -1 if the job never started |
| 8, 9, 10 | requested processors, estimate and memory (KB per processor) |
| 11 | 1 finished, 0 killed, 5 withdrawn or refused, -1 unfinished at the horizon |
| 12, 13, 15 | numbers of the user, group and queue |
| 17, 18 | the job that this one waited for, and the think time after it; both or neither |

**Runs.** A job of several runs has a line for the whole, with the wait until its first start, and the length of all its
runs as run time, and after it a line for each run, with the same number: status 2, and the last 3 if it finished, else
4. Only the first of these has a submission, and the waits of the others count from the run before. This is the format's
way for jobs that were swapped out (`Preemption: Double`); reading it back gives the line for the whole. A job that is
unfinished at the horizon has one line, as others have. With ``work``, field 4 is the whole work of a job that ran (s),
as it would be without interruptions and limits, and there are no lines for runs: a log to replay.

A label that is a non-negative whole number is its own number, and so is a text that is written like one ("7", but not
"07"), unless a whole number among the labels has it already. Other labels get free numbers from 1 on, which Notes in
the header explain: numbers are unambiguous within a log, and users called "1" to "n" keep their names.

**Fields 17 and 18.** A job of a campaign follows the campaign that the same user submitted before, if all
of that was over by the time of this job's submission. Field 17 is the job of it that was over last (the
highest number among equals). Field 18 is the `think_time` of the job, or, where the machine was not told
it, the time from that end to the submission, which is the format's own definition. A job without a campaign
follows the job of its user that was over its `think_time` before (the first one submitted among equals).

A replay of the fields (`thinktime.users.replay`) takes the jobs of a user with the same submission and the same
fields together, and waits for all of them. Where this would be later than the end of the job that is named, or that
job does not come before its successor in the log, the job has no predecessor and keeps its submission (our decision).
Source: the format's definition in the Parallel Workloads Archive, version 2.2.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from thinktime.models.results import measures
from thinktime.models.results.by_run import by_run
from thinktime.models.results.schedule import LABELLED, Schedule
from thinktime.models.results.tables import NONE, over_at
from thinktime.models.state import State
from thinktime.workloads.arrays import AnyArray, Floats, Rows, Whole
from thinktime.workloads.header import Header
from thinktime.workloads.swf.write import write_columns
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import plain

MISSING = -1
LONGEST = 15
"""The most digits of a text that is taken as a number."""

RUNS = "a job of several runs has a line for the whole, lost work included, and behind it one for each run"
WORK = "field 4 is the work of a job, without what interruptions, checkpoints and limits made of it"

STATUS = {State.FINISHED: 1, State.KILLED: 0, State.WITHDRAWN: 5, State.REFUSED: 5}
"""Field 11 by state; -1 for the others."""


def write_result(result: Schedule, path: Path, work: bool = False) -> Path:
    """Write a result as an SWF log, compressed if the name ends with `.gz`, and return its path."""
    trace = as_trace(result, work)
    columns, header = trace.columns, trace.header
    if result.history is not None and not work:
        columns, lines = _with_runs(result, trace)
        if lines > len(trace):
            header = header.set("MaxRecords", lines).set("Preemption", "Double")
            header = header.set("Note", [*header.all("Note"), RUNS])
    write_columns(columns, header, None, path)
    return path


def as_trace(result: Schedule, work: bool = False) -> Trace:
    """The jobs of a result as a log, with the conditions of the run in its header."""
    numbers = {name: label_numbers(result.names[name]) for name in LABELLED}
    coded = {name: np.array([*numbers[name], MISSING])[result[name]] for name in LABELLED}
    columns, header = _columns(result) | coded, _header(result, numbers)
    if work:
        known = np.isfinite(result["runtime"]) & measures.ended(result)
        columns["runtime"] = np.where(known, result["runtime"], measures.work_done(result))
        header = header.set("Note", [*header.all("Note"), WORK])
    return Trace(columns, header)


def _with_runs(result: Schedule, trace: Trace) -> tuple[dict[str, AnyArray], int]:
    """The columns of a log with the runs of each job that had several behind its own line, and how many lines."""
    each = by_run(result)
    several = (np.bincount(each.row)[each.row] > 1) & (result["state"][each.row] >= State.FINISHED)
    by_id = np.argsort(trace.id)
    place = by_id[np.searchsorted(trace.id, each.result["id"][several], sorter=by_id)]
    one, later = {name: column[place] for name, column in trace.columns.items()}, each.number[several] > 0
    waits, lengths = measures.wait(each.result)[several], measures.actual_runtime(each.result)[several]
    last = np.diff(place, append=-1) != 0
    finished = each.result["state"][several] == State.FINISHED
    one |= {name: np.where(later, MISSING, one[name]) for name in ("submit", "preceding", "think_time")}
    one |= {"wait": waits, "runtime": lengths, "status": np.where(last, np.where(finished, 3, 4), 2)}
    order = np.argsort(np.append(np.arange(len(trace)), place), kind="stable")
    return {name: np.append(column, one[name])[order] for name, column in trace.columns.items()}, len(order)


def label_numbers(labels: Sequence[Any]) -> list[int]:
    """A number for each label: the label itself if it is, or is written like, a whole number, else a free one from 1.

    A text that is written like a number that is a label, too, gets a free one.
    """
    whole = [_own_number(label) for label in labels]
    known = set(whole)
    written = [_written_number(label) for label in labels]
    own = [b if a is None and b not in known else a for a, b in zip(whole, written, strict=True)]
    taken = set(own)
    free = (number for number in range(1, 2 * len(own) + 1) if number not in taken)
    return [next(free) if number is None else number for number in own]


def preceding(result: Schedule) -> tuple[Whole, Floats]:
    """Fields 17 and 18 of each job: the number of the job it waited for, and the think time after it (s)."""
    before = np.where(result["campaign"] == NONE, released_by(result), _last_row_before(result))
    over = np.where(before == NONE, np.nan, over_at(result)[before])
    submit, think = result["submit"], result["think_time"]
    follows = over <= submit
    thought = np.where(np.isnan(think), submit - over, think)
    return np.where(follows, result["id"][before], MISSING), np.where(follows, thought, MISSING)


def _last_row_before(result: Schedule) -> Whole:
    """For each job, the row of the job that was over last in the previous campaign; -1 if none.

    Unfinished jobs, whose end is NaN, sort last within their campaign.
    """
    rows = np.flatnonzero(result["campaign"] != NONE)
    numbers, campaign = np.unique(result["campaign"][rows], return_inverse=True)
    first = _edge(campaign, result["submit"][rows], result["id"][rows], which="left")
    last = _edge(campaign, over_at(result)[rows], result["id"][rows], which="right")
    user, submit = result["user"][rows[first]], result["submit"][rows[first]]
    order = np.lexsort((numbers, submit, user))
    same = (user[order][1:] == user[order][:-1]) & (user[order][1:] != NONE)
    previous = np.full(len(numbers), NONE)
    previous[order[1:]] = np.where(same, rows[last[order[:-1]]], NONE)
    found = np.full(len(result), NONE)
    found[rows] = previous[campaign]
    return found


def _edge(group: AnyArray, time: AnyArray, number: AnyArray, which: str) -> AnyArray:
    """The position of each group's first (`left`) or last element by (time, number)."""
    order = np.lexsort((number, time, group))
    groups = np.arange(group.max(initial=-1) + 1)
    at = np.searchsorted(group[order], groups, side="left" if which == "left" else "right")
    return order[at] if which == "left" else order[at - 1]


def _columns(result: Schedule) -> dict[str, AnyArray]:
    """The columns of a log that a result can fill, except for the labels."""
    started = np.isfinite(result["start"])
    followed, thought = preceding(result)
    return {
        "id": result["id"],
        "submit": result["submit"],
        "wait": measures.wait(result),
        "runtime": measures.actual_runtime(result),
        "allocated": np.where(started, result["processors"], MISSING),
        "requested_processors": result["processors"],
        "requested_time": np.where(np.isfinite(result["estimate"]), result["estimate"], np.nan),
        "requested_memory": result["memory"] / 1024,
        "status": np.array([STATUS.get(state, MISSING) for state in State])[result["state"]],
        "preceding": followed,
        "think_time": thought,
    }


def _header(result: Schedule, numbers: dict[str, list[int]]) -> Header:
    """The header that the format requires, then one Note for each fact without a field of its own."""
    return conditions(result, len(result)).set("Note", _notes(result, numbers))


def conditions(result: Schedule, jobs: int) -> Header:
    """The header that the format requires, for a log of so many jobs."""
    labels: dict[str, Any] = {"Version": "2.2", "Computer": "simulated by thinktime"}
    labels |= {"MaxJobs": jobs, "MaxRecords": jobs}
    if result.unix_start is not None:
        labels["UnixStartTime"] = plain(result.unix_start)
    if result.zone is not None:
        labels["TimeZoneString"] = str(result.zone)
    return Header.build(**labels, MaxProcs=result.processors)


def _notes(result: Schedule, numbers: dict[str, list[int]]) -> list[str]:
    conditions = [f"policy {result.policy}", f"overrun {result.overrun}", f"horizon {plain(result.now)} s"]
    dropped = [f"dropped {count} ({reason})" for reason, count in result.dropped.items()]
    renamed = [note for name in LABELLED for note in _renamed(name, result.names[name], numbers[name])]
    return [*conditions, *dropped, *result.notes, *renamed]


def _renamed(name: str, labels: Sequence[Any], numbers: list[int]) -> list[str]:
    pairs = zip(labels, numbers, strict=True)
    named = ((label, number) for label, number in pairs if number not in (_own_number(label), _written_number(label)))
    return [f"{name} {number} is {_shown(label)}" for label, number in named]


def _shown(label: Any) -> str:
    """A label in a Note; one that could be taken for a number is in quotes."""
    return str(label) if _written_number(label) is None else repr(label)


def _own_number(label: Any) -> int | None:
    whole = isinstance(label, int | np.integer) and not isinstance(label, bool)
    return int(label) if whole and label >= 0 else None


def _written_number(label: Any) -> int | None:
    """The number that a text is written like, if it is written as numbers are in SWF."""
    text = isinstance(label, str) and label.isascii() and label.isdecimal() and len(label) <= LONGEST
    return int(label) if text and str(int(label)) == label else None


def released_by(result: Schedule) -> Rows:
    """The row of the job that each job waited for; -1 where there is none, and for the jobs of campaigns."""
    over, user, submit = over_at(result), result["user"], result["submit"]
    before = np.full(len(result), NONE)
    known = np.flatnonzero(np.isfinite(over) & (user != NONE))
    known = known[np.lexsort((result["id"][known], submit[known], over[known], user[known]))]
    rows = np.flatnonzero((result["campaign"] == NONE) & (user != NONE) & np.isfinite(result["think_time"]))
    if not len(known) or not len(rows):
        return before
    times = np.unique(over[known])
    keys = user[known] * len(times) + np.searchsorted(times, over[known])
    since = submit[rows] - result["think_time"][rows]
    moment = np.searchsorted(times, since).clip(max=len(times) - 1)
    wanted = user[rows] * len(times) + moment
    place = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
    found = (times[moment] == since) & (keys[place] == wanted)
    before[rows[found]] = known[place[found]]
    return _sayable(result, before, over)


def _sayable(result: Schedule, before: Rows, over: AnyArray) -> Rows:
    """Leave out predecessors that the two fields cannot express; each may join other jobs together, so again."""
    rank = np.empty(len(result), np.int64)
    rank[np.lexsort((result["id"], result["submit"]))] = np.arange(len(result))
    finished = np.where(np.isnan(over), np.inf, over)
    while True:
        chain, last, first = _chains(result, before, finished, rank)
        rows = np.flatnonzero(before != NONE)
        named = chain[before[rows]]
        wrong = (last[named] != over[before[rows]]) | (first[named] >= first[chain[rows]])
        if not wrong.any():
            return before
        before[rows[wrong]] = NONE


def _chains(result: Schedule, before: Rows, finished: AnyArray, rank: Rows) -> tuple[Rows, AnyArray, Rows]:
    """What is submitted together: each job's chain, when all of a chain was over, and its first place in the log."""
    think = np.where(before == NONE, -1.0, result["think_time"])
    keys = (think, before, result["submit"], result["user"])
    order = np.lexsort(keys)
    opens = np.zeros(len(order), np.bool_)
    opens[:1] = True
    for key in keys:
        opens[1:] |= key[order][1:] != key[order][:-1]
    begin = np.flatnonzero(opens)
    chain = np.empty(len(order), np.int64)
    chain[order] = np.cumsum(opens) - 1
    return chain, np.maximum.reduceat(finished[order], begin), np.minimum.reduceat(rank[order], begin)
