"""A draft of a mapping, out of the names of a table's columns and its first rows.

A column is taken for what its name says most often in public data sets and batch systems. Units are guessed from the
values, and every guess is a comment for its reader to confirm.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from thinktime.workloads.names import shortened
from thinktime.workloads.tables.files import tables_at
from thinktime.workloads.tables.fitting import in_words
from thinktime.workloads.tables.layouts import opened_tables
from thinktime.workloads.tables.mapping import Mapping
from thinktime.workloads.toml import as_toml

WORDS = {
    "job": r"(raw)?job_?id(raw)?|id_?job|jid|allocation_?id|job_?(number|name)|id",
    "user": r"user(_?(name|id|hash))?|id_?user|uid|usr|owner|username_genid|hashed_user_id",
    "account": r"account(_?hash)?|project(_name_genid)?|group(_?(id|name))?|gid",
    "queue": r"qos|queue(_?name)?|class",
    "partition": r"partition|vc|pool",
    "submit": r"(job_?)?(time_?)?submi(t|tted|ssion)(_?time|_?ts|_?at)?|queued(_time(stamp)?)?|qtime|adt|creation_time",
    "eligible": r"(time_?)?eligible(_?time)?|etime|qdt",
    "start": r"(time_?)?start(ed)?(_?time(stamp)?|_?ts|_?at)?|begin(_?time)?|sdt|scheduled_?time",
    "end": r"(time_?)?(end(ed)?|finish(ed)?|complet(ed|ion))(_?time(stamp)?|_?ts|_?at)?|edt|deletion_?time",
    "wait": r"(queue_?)?wait(_?(time|seconds))?",
    "runtime": r"(run|elapsed)_?(time|seconds|raw)?|duration|wallclock_used|elapsedraw",
    "limit": r"time_?limit(raw)?|(req(uested)?_?)?wall_?(time|clock)(_?(limit|req|seconds))?|elpl|requested_time",
    "nodes": r"(num_?|n_?)?nodes?(_?(num|alloc(ated)?|used|count))?|nnodes|nnuma|allocnodes|unique_node_count",
    "nodes_asked": r"(num_?)?nodes?_?(req(uested)?)|req_?nodes|nnumr",
    "cores": r"(num_?|n_?|alloc_?)?(cpus?|cores?|processors?|procs)(_?(alloc(ated)?|used|num))?|cpu_num|cnumat",
    "cores_asked": r"(num_?)?(cpus?|cores?|processors?)_?req(uested)?|req_?(cpus|cores)|cnumr",
    "gpus": r"(num_?|n_?|alloc_?)?gpus?(_?(num|alloc(ated)?|req(uested)?))?",
    "memory": r"(req_?)?mem(ory)?(_?(req(uested)?|alloc(ated)?))?|reqmem|mszl",
    "state": r"(job_?)?(state|status)(_?simple)?|exit[ _](state|status)|exit_status",
    "energy": r"(consumed_?)?energy(_?(raw|joules))*|econ|consumedenergyraw",
}
MOST_ROWS = 1_000
"""Rows that are looked at."""


def guess(path: str, max_size: int | None = None) -> str:
    """The text of a mapping for a table, with what has to be confirmed as comments."""
    how = Mapping.model_validate({"columns": {"submit": "a", "start": "a", "end": "a", "nodes": "a"}})
    files = tables_at([path], how.files, max_size)
    (_, table), *_ = opened_tables(files[:1], how)
    batch = next(table.batches(table.columns), None)
    found = _roles(table.columns)
    lines = [f"# Drafted from {shortened(files[0].name)}; confirm what a comment says."]
    if fit := in_words(set(table.columns)):
        lines.append(f"# The preset {fit} would fit as it is.")
    lines += ['zone = "UTC"  # of times that do not say theirs, and of the machine', "", "[columns]"]
    for role, name in found.items():
        rule, said = _rule(role, name, None if batch is None else batch.slice(0, MOST_ROWS).column(name))
        lines.append(f"{role} = {as_toml(rule, bare=True)}{'  # ' + said if said else ''}")
    for needed in (("submit",), ("start", "wait"), ("end", "runtime"), ("nodes", "cores", "gpus")):
        if not set(needed) & set(found):
            lines.append(f'# {" or ".join(needed)} = "…"  # needed, and no column looks like it')
    others = [name for name in table.columns if name not in found.values()]
    lines += [f"# not used: {', '.join(shortened(name, 40) for name in others[:30])}"] if others else []
    lines += ["", "# [[machine]]", "# nodes = 100", "# cores = 64", ""]
    return "\n".join(lines)


def _roles(columns: Sequence[str]) -> dict[str, str]:
    """The column for each role, the one whose name says it in the fewest letters first."""
    found: dict[str, str] = {}
    for role, pattern in WORDS.items():
        fits = [name for name in columns if re.fullmatch(pattern, name.strip().lower())]
        left = [name for name in fits if name not in found.values()]
        if left:
            found[role] = left[0]
    if "nodes_asked" in found and "nodes" not in found:
        found["nodes"] = found.pop("nodes_asked")
    if "cores_asked" in found and "cores" not in found:
        found["cores"] = found.pop("cores_asked")
    if "start" in found:
        found.pop("wait", None)
    if "end" in found:
        found.pop("runtime", None)
    return found


def _rule(role: str, name: str, values: Any) -> tuple[Any, str]:
    """The rule for a column, and what is to be confirmed."""
    numbers = _numbers(values)
    if role in ("submit", "eligible", "start", "end") and numbers is not None:
        most = float(np.nanmax(numbers, initial=0))
        unit = "s" if most < 1e11 else "ms" if most < 1e14 else "us" if most < 1e17 else "ns"
        return {"column": name, "unit": unit}, "the unit, from the size of the numbers"
    if role == "limit" and numbers is not None:
        minutes = bool(np.nanmedian(numbers) <= 10_080) and bool((numbers[np.isfinite(numbers)] % 60 != 0).any())
        return {
            "column": name,
            "unit": "min" if minutes else "s",
        }, 'the unit; how no limit is written: unlimited = ["…"]'
    if role == "memory":
        unit = "MB" if numbers is not None and float(np.nanmax(numbers, initial=0)) < 1e8 else "B"
        return {"column": name, "unit": unit}, 'the unit, and per = "job", "node", "core" or "gpu"'
    if role == "energy":
        return {"column": name, "unit": "J"}, "the unit"
    return name, ""


def _numbers(values: Any) -> Any:
    """The values as floats; None if they are no numbers."""
    if values is None:
        return None
    found = []
    for value in values.to_pylist():
        if value is None or value == "":
            continue
        try:
            found.append(float(value))
        except (TypeError, ValueError):
            return None
    return np.array(found) if found else None
