"""What the page shows of results, as compact arrays: everything that is drawn or said, and nothing else.

Times are seconds since t = 0 of the run. Whole ones are 32-bit integers, in which `MISSING` stands for NaN; others stay
doubles, so nothing is rounded. Users have places in one list for all results, those with most work first.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from thinktime.analysis import series
from thinktime.analysis.pictures.gantt import busy_window
from thinktime.analysis.pictures.power import signal_of
from thinktime.analysis.view.boxes import boxes, closed, places
from thinktime.analysis.view.heads import heads
from thinktime.analysis.view.lanes import episodes, lanes
from thinktime.analysis.view.stages import shapes_told, stages
from thinktime.analysis.view.why import why
from thinktime.models.results import energy, measures
from thinktime.models.results.result import Result
from thinktime.models.results.steps import Steps
from thinktime.models.state import State
from thinktime.workloads.arrays import AnyArray, Whole

MISSING = -(2**31)
"""Stands for NaN among whole times."""
NO_USER = "no user"
COLUMNS = ("id", "campaign", "submit", "start", "end", "processors", "estimate", "state")
OPTIONAL = ("promised", "latest_start", "eligible", "runs", "lost")
"""Columns that are left out where they say nothing."""
NO_CAP = -1.0
"""Stands for no cap among caps."""
LABELLED = ("group", "queue", "partition")


def content(named: Mapping[str, Result]) -> dict[str, Any]:
    """The content of a page for results by name."""
    users, codes = _users(list(named.values()))
    first = min(float(result["submit"].min(initial=result.now)) for result in named.values())
    last = max(_last(result) for result in named.values())
    return {
        "users": users,
        "states": [state.label for state in State],
        "alike": _alike(list(named.values())),
        "first": first,
        "last": last,
        "busy": _busy(named.values()),
        "unix_start": next((each.unix_start for each in named.values() if each.unix_start is not None), None),
        "zone": next((str(each.zone) for each in named.values() if each.zone is not None), None),
        "policies": [
            {"name": name, **_of(result, own), **_power(result, first, last)}
            for (name, result), own in zip(named.items(), codes, strict=True)
        ],
    }


def compact(column: AnyArray) -> AnyArray:
    """The same numbers in the smallest type that holds them; NaN is `MISSING` among whole ones."""
    if column.dtype.kind == "f":
        known = column[~np.isnan(column)]
        whole = bool((np.abs(known) < 2**31 - 1).all()) and bool((known == np.floor(known)).all())
        return np.where(np.isnan(column), MISSING, column).astype(np.int32) if whole else column.astype(np.float64)
    if column.dtype.kind == "b" or not len(column):
        return column.astype(np.uint8)
    low, high = int(column.min()), int(column.max())
    kinds = (np.uint8, np.int16, np.int32)
    fits = (kind for kind in kinds if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max and low > MISSING)
    return column.astype(next(fits, np.float64))


def _of(result: Result, user: Whole) -> dict[str, Any]:
    found, unit = why(result), places(result)
    optional = [name for name in OPTIONAL if name in result.columns and (result[name] > 0).any()]
    jobs = {name: compact(result[name]) for name in (*COLUMNS, *optional)} | {"user": compact(user)}
    jobs |= {"why": compact(found.text), "after": compact(found.after)}
    if found.shrank.any():
        jobs["shrank"] = compact(found.shrank)
    if "shape" in result.columns:
        jobs["shape"] = compact(result["shape"])
    ahead = heads(result)
    if (ahead.head >= 0).any():
        jobs |= {"head": compact(ahead.head), "shadow": compact(ahead.shadow)}
    labels = {name: [str(each) for each in result.names[name]] for name in LABELLED if (result[name] >= 0).any()}
    codes, first = np.unique(result["user"], return_index=True)
    place = dict(zip(codes.tolist(), user[first].tolist(), strict=True))
    return {
        "policy": result.policy,
        "processors": result.processors,
        "now": result.now,
        "reasons": "reason" in result.columns,
        "why": found.texts,
        "jobs": jobs | {name: compact(result[name]) for name in labels},
        "labels": labels,
        "shapes": shapes_told(result),
        "stages": _table(stages(result)),
        "unit": {"name": unit[0], "count": unit[1]},
        "boxes": _table(boxes(result)),
        "closed": _table(closed(result)),
        "use": _steps(series.processors_in_use(result)),
        "queue": _steps(series.processors_queued(result)),
        "out": _steps(measures.out_of_service(result)),
        "lanes": _by_place(lanes(result), place),
        "episodes": _by_place(episodes(result), place),
    }


def _power(result: Result, first: float, last: float) -> dict[str, Any]:
    """Power at the meter (W) between two times, with its cap, and a signal; nothing if power is not known."""
    if result.machine_power is None or not last > first:
        return {}
    times, caps = energy.cap_steps(result, (first, last))
    found = {"power": _steps(energy.power_steps(result, (first, last)))}
    if np.isfinite(caps[:-1]).any():
        found["cap"] = _steps(Steps(times, np.where(np.isfinite(caps), caps, NO_CAP)))
    signal = signal_of(result, None) or next(iter(result.signals.values()), None)
    if signal is not None and max(first, signal.start) < min(last, signal.over):
        part = signal.steps(max(first, signal.start), min(last, signal.over))
        values = Steps(np.append(part.times, part.end), np.append(part.values, 0.0))
        span = {"begin": float(part.times[0]), "end": float(part.end)}
        found["signal"] = _steps(values) | span | {"name": signal.name, "unit": signal.unit}
    return found


def _table(table: Any) -> dict[str, Any]:
    values = table._asdict().items()
    return {name: column if isinstance(column, list) else compact(column) for name, column in values}


def _by_place(table: Any, place: Mapping[int, int]) -> dict[str, Any]:
    """A table of users with their places instead of codes, in the order of places."""
    user = np.array([place[code] for code in table.user.tolist()], np.int64)
    order = np.argsort(user, kind="stable")
    return {name: column[order] for name, column in _table(table._replace(user=user)).items()}


def _steps(steps: Any) -> dict[str, Any]:
    """A step function without its steps of height 0."""
    kept = np.flatnonzero(np.diff(steps.values, prepend=0.0) != 0)
    return {"time": compact(steps.times[kept]), "value": compact(steps.values[kept])}


def _last(result: Result) -> float:
    """The last time at which anything is known to have happened."""
    columns = [result[name] for name in ("submit", "start", "end")]
    over = max(float(column[np.isfinite(column)].max(initial=0.0)) for column in columns)
    unfinished = bool((result["state"] < State.FINISHED).any())
    return max(over, result.now) if unfinished else over


def _busy(results: Iterable[Result]) -> list[float] | None:
    """The busiest part of the first run in which some job ran for some time."""
    for result in results:
        with suppress(ValueError):
            return [*busy_window(result)]
    return None


def _users(results: Sequence[Result]) -> tuple[list[str], list[Whole]]:
    """The names of all users, those with most work in all results first, and the place of each job's user."""
    work: dict[str, float] = {}
    for result in results:
        names = [*result.names["user"], None]
        sums = np.bincount(result["user"] % len(names), measures.area(result), len(names))
        present = np.unique(result["user"] % len(names)).tolist()
        for code in present:
            name = _shown(names[code])
            work[name] = work.get(name, 0.0) + float(sums[code])
    users = sorted(work, key=lambda name: (-work[name], name))
    place = {name: number for number, name in enumerate(users)}
    codes = []
    for result in results:
        table = np.array([place.get(_shown(name), 0) for name in [*result.names["user"], None]], np.int64)
        codes.append(table[result["user"]])
    return users, codes


def _shown(label: Any) -> str:
    return NO_USER if label is None else str(label)


def _alike(results: Sequence[Result]) -> str:
    """How the same job is found under another policy: by its number, or as the n-th one of its user."""
    owners = [dict(zip(each["id"].tolist(), each.labels("user").tolist(), strict=True)) for each in results]
    return "id" if all(each == owners[0] for each in owners) else "order"
