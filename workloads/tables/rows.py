"""The jobs of all files of a data set as columns of numbers, batch by batch, with only the columns that are needed."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thinktime.workloads.arrays import AnyArray, Floats
from thinktime.workloads.names import SHOWN, shortened
from thinktime.workloads.sacct.values import STATES as SLURM_STATES
from thinktime.workloads.tables import values
from thinktime.workloads.tables.arrow import reading
from thinktime.workloads.tables.clocks import Moments, times
from thinktime.workloads.tables.files import TableFile
from thinktime.workloads.tables.joined import Sums, sums_beside
from thinktime.workloads.tables.layouts import Opened, opened_tables
from thinktime.workloads.tables.mapping import (
    COUNTS,
    FURTHER,
    JOULES,
    LABELS,
    SECONDS,
    WATTS,
    ColumnRule,
    Mapping,
)  # fmt: skip
from thinktime.workloads.tables.parsing import Found

Progress = Callable[[int, int], None]
"""Called with how many rows are read, and how many there are, as far as is known."""

CODES = {"completed": 1, "failed": 0, "cancelled": 5, "running": -3, "waiting": -2}
"""The status (field 11) of each state; rows that wait are dropped, and jobs that ran on have none."""
NEEDED = (
    "job",
    "submit",
    "start",
    "wait",
    "end",
    "runtime",
    "user",
    "limit",
    "nodes",
    "nodes_asked",
    "cores",
    "gpus",
    "request",
)
"""Columns that a file must have if its mapping names them; without others it is read, and the report says so."""
WAITING = frozenset({"PENDING", "PD", "REQUEUED", "RQ", "CONFIGURING", "CF"})
RUNNING = frozenset({"RUNNING", "R", "SUSPENDED", "S", "COMPLETING", "CG", "STOPPED"})


@dataclass(slots=True)
class Jobs:
    """The rows of all files, in their order."""

    columns: dict[str, AnyArray] = field(default_factory=dict)
    """By role; times in s, and `amount_per` as of `add`."""
    names: dict[str, list[str]] = field(default_factory=dict)
    """What the codes of a label stand for."""
    notes: Counter[tuple[str, str]] = field(default_factory=Counter)
    texts: list[Any] = field(default_factory=list)
    """The names of jobs, by batch, where any are no numbers."""
    files: list[str] = field(default_factory=list)
    rows: int = 0


def jobs_of(
    files: Sequence[TableFile],
    how: Mapping,
    explain: Callable[[TableFile, list[str], list[str]], str],
    further: Collection[str] = FURTHER,
    progress: Progress | None = None,
) -> Jobs:
    """Read all files; ``explain`` says what to do about a file, given what columns it lacks and has."""
    found, labels = Jobs(), {role: values.Labels() for role in LABELS if role in how.columns}
    parts: dict[str, dict[int, AnyArray]] = {}  # by role and batch
    sizes: list[int] = []
    opened = opened_tables(files, how)
    total = sum(table.rows for _, table in opened)
    for number, (file, table) in enumerate(opened):
        chosen = _chosen(file, table, how, further, found, explain)
        odd = Found(shortened(file.name), 1)
        beside = _beside(file, how, further, found)
        factors = {how.columns[role].times for role in chosen} & set(table.columns)
        with reading(file.name):
            for batch in table.batches(sorted({*chosen.values(), *factors})):
                columns = _converted(batch, chosen, how, labels, odd, found)
                columns |= {role: each.of(columns["job"]) for role, each in beside.items()}
                for role, array in columns.items():
                    parts.setdefault(role, {})[len(sizes)] = array
                parts.setdefault("file", {})[len(sizes)] = np.full(len(batch), number, np.int32)
                sizes.append(len(batch))
                odd.first_row += len(batch)
                found.rows += len(batch)
                if progress is not None:
                    progress(found.rows, max(total, found.rows))
        found.notes.update(odd.notes)
        found.files.append(file.path.name if not file.member else file.member)
    for role in list(parts):
        found.columns[role] = np.concatenate(_filled(parts.pop(role), sizes))
    if not found.columns:
        found.columns = {role: np.empty(0) for role in ("submit", "start", "end")} | {"file": np.empty(0, np.int32)}
    found.names = {role: each.names for role, each in labels.items()}
    return found


def _beside(file: TableFile, how: Mapping, further: Collection[str], found: Jobs) -> dict[str, Sums]:
    """What other tables say of the jobs of a file."""
    sums = {}
    for role, rule in how.columns.items():
        if role in further and rule.table:
            made = sums_beside(file, rule, how)
            if made is None:
                found.notes[
                    "noted", f"there is no {rule.table} beside {shortened(file.path.name, SHOWN)} ({role})"
                ] += 1
            else:
                sums[role] = made
    return sums


def _filled(arrays: dict[int, AnyArray], sizes: list[int]) -> list[AnyArray]:
    """The parts of a column; where a file lacks it, all that is known is that it is not known."""
    kind = next(iter(arrays.values())).dtype
    missing = np.nan if kind.kind == "f" else -1
    return [arrays[batch] if batch in arrays else np.full(size, missing, kind) for batch, size in enumerate(sizes)]


def _chosen(
    file: TableFile,
    table: Opened,
    how: Mapping,
    further: Collection[str],
    found: Jobs,
    explain: Callable[[TableFile, list[str], list[str]], str],
) -> dict[str, str]:
    """The column of this file for each role."""
    has, chosen, lacking = set(table.columns), {}, []
    for role, rule in how.columns.items():
        if (role in FURTHER and role not in further) or rule.table:
            continue
        name = next((name for name in rule.names if name in has), None)
        if name is not None:
            chosen[role] = name
        elif role in NEEDED:
            lacking.append(rule.names[0])
        else:
            found.notes["noted", f"{shortened(file.path.name, SHOWN)} has no column {rule.names[0]} ({role})"] += 1
    if lacking:
        raise ValueError(explain(file, lacking, table.columns))
    return chosen


def _converted(
    batch: Any, chosen: dict[str, str], how: Mapping, labels: dict[str, values.Labels], odd: Found, found: Jobs
) -> dict[str, AnyArray]:
    """One batch by role."""
    columns: dict[str, AnyArray] = {}
    moments = {}
    for role, name in chosen.items():
        rule, array = how.columns[role], batch.column(name)
        array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
        if role == "job":
            numbers, texts = values.job_numbers(array, name, rule, odd)
            columns["job"] = numbers
            found.texts.append(texts if texts is not None else numbers)
        elif role in ("submit", "eligible", "start", "end"):
            moments[role] = times(array, name, rule, how.zone, odd)
        elif role in ("wait", "runtime", "limit"):
            columns[role] = values.durations(array, name, rule, odd)
        elif role in labels:
            columns[role] = labels[role].of(array, name, rule, odd)
        elif role == "state":
            columns[role] = _states(array, name, rule, how, odd)
        elif role == "memory":
            amount, of_node, of_core = values.memory(array, name, rule, odd)
            per = np.full(len(amount), ("job", "node", "core", "gpu").index(rule.per), np.int8)
            per[of_node], per[of_core] = 1, 2
            columns["memory"], columns["memory_per"] = amount, per
        elif role == "preceding":
            columns[role] = values.job_numbers(array, name, rule, odd).numbers
        elif role in COUNTS:
            by = batch.column(rule.times).combine_chunks() if rule.times in batch.column_names else None
            columns[role] = values.counts(array, name, rule, odd, by).astype(np.int32)
        else:
            unit = {"energy": JOULES, "power": WATTS}.get(role, SECONDS).get(rule.unit, 1.0)
            columns[role] = values.numbers(array, name, rule, odd) * unit
    columns |= _in_order(moments, columns.get("runtime"), odd)
    if "start" not in columns:
        columns["start"] = columns["submit"] + columns.pop("wait")
    _set_ends(columns, odd)
    if "limit" in columns and how.columns["limit"].deadline:
        columns["limit"] = columns["limit"] - columns["start"]
    return columns


def _in_order(moments: dict[str, Moments], runtime: Floats | None, odd: Found) -> dict[str, AnyArray]:
    """Times, of which those in an hour that clocks repeat are chosen so that they are in order and fit the run time."""
    chosen: dict[str, AnyArray] = {}
    twice = np.zeros(0, np.bool_)
    for role in ("submit", "eligible", "start", "end"):
        if role not in moments:
            continue
        early, late = moments[role]
        chosen[role] = early
        if early is late:
            continue
        differ = early < late
        if not differ.any():
            continue
        twice = differ if not len(twice) else twice | differ
        before = chosen.get("start" if role == "end" else "submit")
        if before is not None:
            too_early = differ & (early < before) & (late >= before)
            if role == "end" and runtime is not None:
                too_early |= differ & (np.abs(late - before - runtime) < np.abs(early - before - runtime))
            chosen[role] = np.where(too_early, late, early)
    odd.note(
        "noted",
        "in the hour that clocks repeat in autumn: taken as the pass that fits the other times",
        int(twice.sum()),
    )
    return chosen


def _set_ends(columns: dict[str, AnyArray], odd: Found) -> None:
    """The end is the one that is given, else the start and the run time."""
    runtime, start = columns.pop("runtime", None), columns["start"]
    if runtime is None:
        return
    runs = start + runtime
    if "end" not in columns:
        columns["end"] = runs
        return
    end = columns["end"]
    odd.note(
        "noted",
        "recorded run time differs from end − start by more than 1 s: end − start is used",
        int((np.abs(runs - end) > 1).sum()),
    )
    columns["end"] = np.where(np.isnan(end), runs, end)


def _states(array: Any, name: str, rule: ColumnRule, how: Mapping, odd: Found) -> AnyArray:
    """Status codes; unknown states are −1 and noted."""
    labels = values.Labels()
    codes = labels.of(array, name, rule, odd)
    table, strange = [], np.zeros(len(labels.codes) + 1, np.bool_)
    for place, label in enumerate(labels.names):
        code = state_code(label, how)
        strange[place] = code is None
        table.append(-1 if code is None else code)
    odd.note("noted", "unknown state", int(strange[codes].sum()))
    return np.array([*table, -1], np.int8)[codes]


def state_code(label: str, how: Mapping) -> int | None:
    """The status of a state, by the mapping, else by Slurm's names; None if it is unknown."""
    for state, texts in how.states.items():
        if label in texts:
            return CODES[state]
    for state, texts in how.states.items():
        if "*" in texts:
            return CODES[state]
    word = label.upper().split()[0]
    if word in WAITING:
        return CODES["waiting"]
    if word in RUNNING:
        return CODES["running"]
    return SLURM_STATES.get(word)
