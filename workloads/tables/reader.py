"""`read_table`: a data set of jobs as a `Trace`.

Jobs are in order of submission, t = 0 is the first submission's second, and users, accounts, queues and partitions are
numbered from 1 in that order (`Trace.names` has their names). The machine is that of the mapping (`DataSet`), else the
most processors in use at once.

A limit that is unlimited or not given is `limit_of_others` of the mapping, else the longest limit and run time of all
jobs (our decision): the run time of the job itself, which readers of SWF take, is not known before it is over.
The report counts both.
"""

import datetime
import math
import os
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from thinktime.workloads import units
from thinktime.workloads.arrays import AnyArray, Floats, Rows, Whole
from thinktime.workloads.calendar import zone_of
from thinktime.workloads.cleaning import CleaningReport
from thinktime.workloads.columns import COLUMNS, blank
from thinktime.workloads.compressed import size
from thinktime.workloads.data_set import DataSet
from thinktime.workloads.grid import to_grid
from thinktime.workloads.header import Header
from thinktime.workloads.names import quoted
from thinktime.workloads.shapes.of_logs import as_described
from thinktime.workloads.tables import cleaned
from thinktime.workloads.tables.files import TableFile, tables_at
from thinktime.workloads.tables.fitting import misfit
from thinktime.workloads.tables.machine import Widths, asks_memory, most_at_once, processors_of, requests, widths
from thinktime.workloads.tables.machine_list import Machine, machine_at
from thinktime.workloads.tables.mapping import FURTHER, SHAPES, Mapping, mapping
from thinktime.workloads.tables.rows import CODES, Jobs, Progress, jobs_of
from thinktime.workloads.trace import CANCELLED, Trace

MOST_NAMES = 1_000_000
"""The most names of jobs that are kept, where these are no numbers."""
ABSOLUTE = 3e8
"""Times from here on, in s, are since 1970; others count from the beginning of the data."""

PathLike = str | os.PathLike[str]


def read_table(
    path: PathLike | Iterable[PathLike],
    preset: str | Mapping,
    *,
    processors: int | None = None,
    withdrawn: Literal["drop", "queue"] = "drop",
    requests: bool | None = None,
    further: Collection[str] = ("eligible",),
    max_size: int | str | None = None,
    progress: Progress | None = None,
) -> Trace:
    r"""Read a data set: a file, a folder, a pattern, or several of these; `Trace.report` says what was dropped.

    ``preset`` is the name of one (``thinktime trace convert --list-presets``), the path of a mapping FILE.toml, or a
    `Mapping`, such as ``mapping("eagle", {"zone": "Asia/Tokyo", "columns.memory.unit": "GB"})`` of
    `thinktime.workloads.tables.mapping`. ``processors`` is the size of the machine that jobs must fit. ``withdrawn``
    and ``max_size`` are as in `read_swf`. ``requests`` is whether jobs have requests for nodes after field 18; by
    default, unless a pool of processors is the same machine. ``further`` are the columns beside those of a trace to
    read: eligible, energy (J), power (W). ``progress`` is called with the rows read, and all rows as far as known.

    ``ValueError`` says in one sentence what is wrong with a file, a mapping, or an argument.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table, own = pathlib.Path(folder, "jobs.csv"), pathlib.Path(folder, "own.toml")
    ...     _ = table.write_text("sent,began,over,cpus\n0,5,65,2\n")
    ...     _ = own.write_text('columns = { submit = "sent", start = "began", end = "over", cores = "cpus" }')
    ...     trace = read_table(table, str(own))
    >>> trace.wait.tolist(), trace.runtime.tolist(), trace.processors.tolist()
    ([5.0], [60.0], [2])
    """
    if withdrawn not in ("drop", "queue"):
        raise ValueError(f"withdrawn must be 'drop' or 'queue', not {quoted(withdrawn)}")
    if strange := next((each for each in further if each not in FURTHER), None):
        raise ValueError(f"further columns are {', '.join(FURTHER)}, not {quoted(strange)}")
    how = preset if isinstance(preset, Mapping) else mapping(preset)
    paths = [path] if isinstance(path, str | os.PathLike) else list(path)
    files = tables_at([os.fspath(each) for each in paths], how.files, None if max_size is None else size(max_size))
    zone = zone_of(how.zone, None)
    if str(zone) != how.zone:
        raise ValueError(f"there is no time zone {quoted(how.zone)}; give a name such as Europe/Berlin")

    def explain(file: TableFile, lacking: list[str], has: list[str]) -> str:
        return misfit(file.name, how.name, lacking, has)

    jobs = jobs_of(files, how, explain, further, progress)
    report = CleaningReport(source=", ".join(each.path.name for each in files[:3]), records=jobs.rows)
    source = _Source(how, machine_at(how, Path(files[0].name).absolute()), files)
    return _trace(jobs, source, processors, withdrawn == "queue", requests, report)


class _Source(NamedTuple):
    how: Mapping
    machine: Machine
    files: tuple[TableFile, ...]

    def described(self) -> DataSet:
        how, machine = self.how, self.machine
        known = {key: what for key, what in how.guesses.items() if not (machine.listed and key == "machine")}
        guesses = [f"{key}: {what}" for key, what in known.items()]
        if machine.guessed:
            guesses.append(f"machine: that of {machine.kinds[0].path}, since the path names none")
        said = how.has_limits, how.has_users, machine.nodes, machine.nodes is None or how.pooled
        return DataSet(how.name, *said, how.partial, tuple(guesses), tuple(how.notes))


def _trace(
    jobs: Jobs, source: _Source, processors: int | None, queue: bool, asked: bool | None, report: CleaningReport
) -> Trace:
    how, kinds = source.how, source.machine.kinds
    data_set = source.described()
    wide = widths(jobs.columns, how, kinds, jobs.names)
    total = processors or processors_of(kinds)
    too_wide = wide.wider_than(kinds) if processors is None else np.maximum(wide.asked, wide.allocated) > processors
    for (action, reason), count in jobs.notes.items():
        report.add(action, reason, count)  # type: ignore[arg-type]
    cleaned.repair(jobs, report)
    kept = cleaned.dropped(jobs, wide, too_wide, queue, report)
    report.jobs, report.data_set = int(kept.sum()), data_set
    columns = jobs.columns
    numbers = columns["job"] if "job" in columns else np.arange(len(kept))
    rows = np.flatnonzero(kept)
    rows = rows[np.lexsort((numbers[rows], columns["submit"][rows]))] if len(rows) else rows
    wide = Widths(*(getattr(wide, each)[rows] for each in Widths.__dataclass_fields__))
    file, taken = columns.pop("file")[rows], {}
    for role in list(columns):
        taken[role] = columns.pop(role)[rows]
    ids, id_names = _ids(jobs, taken.pop("job", None), file, rows, report)
    if not total:
        total = most_at_once(taken["start"], taken["end"], np.maximum(wide.allocated, 1))
        report.add("noted", f"the machine is not known: taken as the {total:,} processors in use at once", len(rows))
    first = float(taken["submit"][0]) if len(rows) else 0.0
    origin = math.floor(first) if first > ABSOLUTE else 0
    given = {role: taken.pop(role) for role in SHAPES if role in taken}
    labels = {role: _numbered(taken.pop(role), jobs.names[role]) for role in _LABELLED if role in taken}
    memory = _memory(taken, wide)
    words = None
    if asked if asked is not None else (not data_set.pooled):
        queues = labels.get("queue") or labels.get("partition")
        codes, of_queue = (np.full(len(rows), -1), []) if queues is None else (queues[0] - 1, list(queues[1].values()))
        words = _words(taken, jobs, wide, memory if asks_memory(data_set.nodes) else None, kinds, codes, of_queue)
    made = _columns(taken, wide, ids, labels, memory, origin, how, report)
    names = {column: names for role, column in _LABELLED.items() if role in labels for names in [labels[role][1]]}
    names |= {"id": id_names} if id_names else {}
    last = float(taken["end"].max(initial=first)) if len(rows) else 0.0
    header = _header(source, data_set, total, origin, last, made, labels)
    more = {
        role: to_grid(taken[role] - origin) if role == "eligible" else taken[role] for role in FURTHER if role in taken
    }
    trace = Trace.of(made, header, words, names, report, more)
    return _shaped(trace, given, jobs.names) if given else trace


def _shaped(trace: Trace, given: dict[str, AnyArray], names: dict[str, list[str]]) -> Trace:
    """The same jobs with the shapes that columns of a table say."""
    texts = {}
    for role, column in given.items():
        if role in names:
            known = [*names[role], ""]
            texts[role] = [known[code] for code in column.tolist()]
        else:
            texts[role] = [f"{value:g}" if value == value else "" for value in column.tolist()]
    rows = zip(*texts.values(), strict=True)
    return as_described(trace, enumerate(dict(zip(texts, row, strict=True)) for row in rows), "job {id}")


_LABELLED = {
    "user": "user", "account": "group", "queue": "queue", "partition": "partition", "executable": "executable",
}  # fmt: skip
"""The labels that a trace has numbers for, and their columns there."""


def _ids(
    jobs: Jobs, numbers: Whole | None, file: AnyArray, rows: Rows, report: CleaningReport
) -> tuple[Whole, dict[int, str]]:
    """A number for each job, and what it is called where that is not its number."""
    counted = np.arange(1, len(rows) + 1)
    if numbers is None:
        return counted, {}
    named = any(not isinstance(each, np.ndarray) for each in jobs.texts)
    if not named and not _repeats(numbers) and not (numbers < 0).any():
        return numbers, {}
    why = "its name is no number" if named else "its number is that of another job, too"
    report.add("noted", f"job numbered by submission, since {why}", len(rows))
    if len(rows) > MOST_NAMES:
        report.add("noted", f"names of jobs are not kept, as there are more than {MOST_NAMES:,}", len(rows))
        return counted, {}
    if named:
        texts = [
            str(each)
            for part in jobs.texts
            for each in (part.tolist() if isinstance(part, np.ndarray) else part.to_pylist())
        ]
        called = [texts[row] for row in rows.tolist()]
    else:
        called = [str(number) for number in numbers.tolist()]
    if len(jobs.files) > 1:
        called = [f"{jobs.files[number]}:{name}" for number, name in zip(file.tolist(), called, strict=True)]
    return counted, dict(enumerate(called, start=1))


def _repeats(numbers: Whole) -> bool:
    if len(numbers) < 2 or (np.diff(numbers) > 0).all():
        return False
    in_order = np.sort(numbers)
    return bool((in_order[1:] == in_order[:-1]).any())


def _numbered(codes: AnyArray, names: list[str]) -> tuple[Whole, dict[int, str]]:
    """Codes as numbers from 1, in the order in which they first occur; −1 for none."""
    first = np.full(len(names) + 1, len(codes), np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    first[-1] = len(codes)
    in_order = np.argsort(first, kind="stable")
    seen = [int(code) for code in in_order if first[code] < len(codes)]
    table = np.full(len(names) + 1, -1, np.int64)
    table[seen] = np.arange(1, len(seen) + 1)
    return table[codes], {number: names[code] for number, code in enumerate(seen, start=1)}


def _memory(taken: dict[str, AnyArray], wide: Widths) -> Floats | None:
    """Bytes of each job; None if the set does not say."""
    if "memory" not in taken:
        return None
    per = taken.pop("memory_per").clip(min=0)
    of = np.choose(per, [np.ones(len(per)), wide.nodes, wide.asked, np.maximum(wide.gpus, 1)])
    return taken.pop("memory") * of  # type: ignore[no-any-return]


def _words(
    taken: dict[str, AnyArray],
    jobs: Jobs,
    wide: Widths,
    memory: Floats | None,
    kinds: Any,
    codes: Whole,
    names: list[str],
) -> list[str] | None:
    """The words after field 18."""
    if "request" in taken:
        made = [*jobs.names["request"], None]
        texts = [made[code] for code in taken.pop("request").tolist()]
        return [f"- - {text}" if text else "" for text in texts]
    return requests(wide, memory, kinds, codes, names) if kinds else None


def _columns(
    taken: dict[str, AnyArray],
    wide: Widths,
    ids: Whole,
    labels: dict[str, tuple[Whole, dict[int, str]]],
    memory: Floats | None,
    origin: int,
    how: Mapping,
    report: CleaningReport,
) -> dict[str, AnyArray]:
    """The eighteen columns of a trace."""
    submit, start, end = (taken[name] for name in ("submit", "start", "end"))
    status = taken.pop("state", np.full(len(ids), -1, np.int8)).astype(np.int64)
    report.add("noted", "still running: run time so far, or as forecast", int((status == CODES["running"]).sum()))
    status = np.maximum(status, -1)
    asleep = (status == CANCELLED) & ~(end > start)
    runtime = np.where(asleep, 0.0, end - start)
    made: dict[str, AnyArray] = {
        "id": ids,
        "submit": to_grid(submit - origin),
        "wait": to_grid(np.where(asleep, np.nan_to_num(end - submit).clip(min=0), start - submit)),
        "runtime": to_grid(runtime),
        "allocated": wide.allocated.astype(np.int64),
        "requested_processors": wide.asked.astype(np.int64),
        "requested_time": to_grid(_limits(taken.pop("limit", None), runtime, how, report)),
        "status": status,
    }
    if memory is not None:
        made["requested_memory"] = np.nan_to_num(np.rint(memory / 1024 / np.maximum(wide.asked, 1)), nan=-1.0)
    if "preceding" in taken:
        made["preceding"] = taken.pop("preceding")
    made |= {_LABELLED[role]: numbers for role, (numbers, _) in labels.items()}
    report.add("noted", "run time of 0 s", int((runtime == 0).sum()))
    report.add("noted", "cancelled without a run, and kept", int(asleep.sum()))
    return {
        column.name: made.pop(column.name) if column.name in made else _none(column, len(ids)) for column in COLUMNS
    }


def _none(column: Any, rows: int) -> AnyArray:
    """A column of which nothing is known, which takes no memory."""
    return np.broadcast_to(blank(column, 1), rows) if rows else blank(column, 0)


def _limits(limit: Floats | None, runtime: Floats, how: Mapping, report: CleaningReport) -> Floats:
    """Time limits, where those that are not known are alike."""
    if limit is None:
        limit = np.full(len(runtime), np.nan)
    unlimited, absent = np.isinf(limit), ~(limit > 0)
    without = unlimited | absent
    over = runtime > np.maximum(limit, 1.0)
    report.add("noted", "run time above the time limit", int((over & ~without).sum()))
    if not without.any():
        return limit
    others = _limit_of_others(how, np.where(without, 0.0, limit), runtime)
    said = units.plain(others)
    if not how.has_limits:
        report.add("noted", f"no time limits: {said} s for every job, for policies to begin with", len(limit))
        return np.full(len(limit), others)
    for what, holds in (("time limit unlimited", unlimited), ("time limit not given", absent)):
        report.add("noted", f"{what}: taken as {said} s", int(holds.sum()))
    return np.where(without, others, limit)


def _limit_of_others(how: Mapping, limit: Floats, runtime: Floats) -> float:
    if how.limit_of_others:
        return max(float(units.seconds(how.limit_of_others)), float(runtime.max(initial=1.0)))
    return math.ceil(max(float(limit.max(initial=1.0)), float(runtime.max(initial=1.0))))


def _header(
    source: _Source,
    data_set: DataSet,
    total: int,
    origin: int,
    last: float,
    made: dict[str, AnyArray],
    labels: dict[str, tuple[Whole, dict[int, str]]],
) -> Header:
    how, zone = source.how, zone_of(source.how.zone, None)
    nodes = data_set.nodes
    labelled: dict[str, object] = {
        "Version": "2.2",
        "Computer": how.title or how.name,
        "Conversion": f"thinktime trace convert --preset {how.name}",
        "MaxJobs": len(made["id"]),
        "MaxRecords": len(made["id"]),
    }
    if origin:
        labelled |= {"UnixStartTime": origin, "TimeZoneString": how.zone}
        for label, moment in (("StartTime", origin), ("EndTime", last)):
            labelled[label] = f"{datetime.datetime.fromtimestamp(moment, zone):%a %b %d %H:%M:%S %Z %Y}"
    labelled |= {"MaxNodes": -1 if nodes is None else nodes.count, "MaxProcs": total}
    limits = made["requested_time"]
    labelled["MaxRuntime"] = f"{limits.max():.0f}" if len(limits) else "-1"
    for role, label in (("queue", "Queue"), ("partition", "Partition")):
        if role in labels:
            labelled |= {
                f"Max{label}s": len(labels[role][1]),
                label: [f"{n} {name}" for n, name in labels[role][1].items()],
            }
    if how.licence or how.where:
        labelled["Acknowledge"] = "; ".join(filter(None, [how.cite, how.where, how.licence]))
    return Header.build(**labelled, Note=list(data_set.sentences)) if data_set.sentences else Header.build(**labelled)
