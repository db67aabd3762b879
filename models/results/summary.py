"""The `Summary` of a run: the numbers by which runs are compared.

Statistics of waits, response times and slowdowns are over the `served` jobs, which finished or were killed.
Utilization, loss of capacity and makespan are over the machine's window (`thinktime.models.results.measures`).
Percentiles interpolate linearly (NumPy's default). `zero_runtime` counts the ended jobs that ran for 0 s and
therefore have no unbounded slowdown. A machine that changes has further numbers
(`thinktime.models.results.service`). `thinktime.models.results.windowed` says what the summary of a window has. Jobs
that users gave up have no response time. `abandoned_jobs`, their share of
the wanted jobs and their work are defined in `thinktime.models.results.outcome`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.models.results import measures
from thinktime.models.results.outcome import abandonment, served
from thinktime.models.results.schedule import Schedule
from thinktime.models.results.service import OF_CHANGES, of_changes
from thinktime.models.results.windowed import Windowed
from thinktime.models.state import State
from thinktime.workloads.arrays import Floats
from thinktime.workloads.html import paragraph, table
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.units import plain

Number = int | float
Rows = list[list[str]]

COUNTS = (
    "jobs", "finished", "killed", "withdrawn", "refused", "waiting", "running", "dropped", "zero_runtime",
)  # fmt: skip
"""The counts of a summary; those from `finished` to `running` add up to `jobs`."""

MEASURES: dict[str, Callable[[Schedule], Floats]] = {
    "wait": measures.wait,
    "response_time": measures.response_time,
    "slowdown": measures.slowdown,
    "bounded_slowdown_10": lambda result: measures.bounded_slowdown(result, 10.0),
    "bounded_slowdown_60": lambda result: measures.bounded_slowdown(result, 60.0),
}
"""The per-job measures whose statistics a summary has."""

WAITED: dict[str, Callable[[Schedule], Floats]] = {"waited": measures.waited}
"""The same, on machines that change alone."""

STATISTICS = ("mean", "median", "p95", "p99", "max")

WHOLE: dict[str, Callable[[Windowed[Any]], float]] = {
    "area_weighted_response_time": lambda part: measures.area_weighted_response_time(part.jobs),
    "utilization": Windowed.utilization,
    "loss_of_capacity": Windowed.loss_of_capacity,
    "makespan": lambda part: measures.makespan(part.jobs),
}
"""The numbers that describe the run as a whole."""

ABANDONED = ("served", "abandoned_jobs", "abandoned_share", "lost_processor_hours")
"""The number of jobs behind the statistics, and what users gave up; shown if they gave up anything."""

LOST: dict[str, Callable[[Schedule], Number]] = {
    "lost_jobs": lambda result: int(result.lost_demand["jobs"].sum()),
    "lost_node_hours": lambda result: float(np.nansum(result.lost_demand["node_hours"])),
}
"""Lost demand (see `thinktime.models.demand`); shown if there is any."""

IN_SECONDS = frozenset({"wait", "response_time", "waited", "area_weighted_response_time", "makespan", "mtti"})


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Mapping[str, Number]):
    """An immutable mapping from names to numbers; NaN where a number is undefined.

    `str(summary)` is a readable table. `to_dict()` returns a plain dictionary for JSON, with None instead of NaN.
    """

    title: str
    values_by_name: Mapping[str, Number]

    def __getitem__(self, name: str) -> Number:
        if isinstance(name, str) and name in self.values_by_name:
            return self.values_by_name[name]
        known = key_of(str(name), self.values_by_name, "its numbers", 3)
        raise KeyError(f"a summary has no number {quoted(name)}; {known}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)

    def to_dict(self) -> dict[str, Number | None]:
        """The numbers as plain Python values; None where one is undefined."""
        return {name: None if np.isnan(value) else value for name, value in self.items()}

    def __str__(self) -> str:
        parts = (_text(rows) for rows in (self._counts(), self._statistics(), self._whole()))
        return "\n\n".join([self.title, *parts])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        counts, statistics, whole = self._counts(), self._statistics(), self._whole()
        across = [list(column) for column in zip(*counts, strict=True)]
        tables = (table(across[0], across[1:], keys=0), table(statistics[0], statistics[1:]), table(["", ""], whole))
        return paragraph(self.title) + "".join(tables)

    def _counts(self) -> Rows:
        return [[name, f"{self[name]:,}"] for name in COUNTS]

    def _statistics(self) -> Rows:
        names = [name for name in MEASURES | WAITED if f"mean_{name}" in self]
        numbers = ([_readable(self[f"{each}_{name}"]) for each in STATISTICS] for name in names)
        return [["", *STATISTICS], *([_with_unit(name), *row] for name, row in zip(names, numbers, strict=True))]

    def _whole(self) -> Rows:
        given_up = ABANDONED if self["abandoned_jobs"] else ()
        changes = [name for name in OF_CHANGES if name in self]
        shown = [*WHOLE, *changes, *given_up, *(LOST if any(self[name] for name in LOST) else ())]
        return [[_with_unit(name), _readable(self[name])] for name in shown]


def summarise(part: Windowed[Any]) -> Summary:
    """The summary of a result, or of a window of it."""
    result: Schedule = part.jobs
    over, changes = served(result), result.history is not None
    given_up = abandonment(result)
    values: dict[str, Number] = dict(_counted(result))
    for name, measure in (MEASURES | (WAITED if changes else {})).items():
        values |= statistics(name, measure(result)[over])
    numbers = (int(over.sum()), given_up.abandoned, given_up.share, given_up.processor_hours)
    values |= dict(zip(ABANDONED, numbers, strict=True))
    values |= {name: whole(part) for name, whole in WHOLE.items()}
    values |= {name: whole(result) for name, whole in LOST.items()}
    return Summary(_title(part), values | of_changes(part.result, part.between))


def statistics(name: str, values: Floats) -> dict[str, Number]:
    """Mean, percentiles and maximum under names like `p95_wait`, ignoring NaN."""
    known = values[~np.isnan(values)]
    if not len(known):
        return {f"{each}_{name}": np.nan for each in STATISTICS}
    median, p95, p99 = np.percentile(known, [50, 95, 99])
    numbers = (known.mean(), median, p95, p99, known.max())
    return {f"{each}_{name}": float(number) for each, number in zip(STATISTICS, numbers, strict=True)}


def _counted(result: Schedule) -> dict[str, int]:
    state = result["state"]
    by_state = {s.label: int(np.count_nonzero(state == s)) for s in State if s != State.FUTURE}
    zero = int(np.count_nonzero(measures.actual_runtime(result) == 0))
    numbers = by_state | {"jobs": len(result), "dropped": sum(result.dropped.values()), "zero_runtime": zero}
    return {name: numbers[name] for name in COUNTS}


def _title(part: Windowed[Any]) -> str:
    result, sides = part.result, [("from", part.first), ("to", part.last)]
    conditions = f"{result.processors:,} processors (overrun: {result.overrun})"
    measured = " ".join(f"{word} t = {plain(side)} s" for word, side in sides if np.isfinite(side))
    within = f", measured {measured}" if measured else ""
    return f"{result.policy} on {conditions}, up to t = {plain(result.now)} s{within}"


def _with_unit(name: str) -> str:
    return f"{name} (s)" if name in IN_SECONDS else name


def _readable(value: Number) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if np.isnan(value):
        return "-"
    digits = 0 if abs(value) >= 10_000 else 1 if abs(value) >= 1_000 else 2 if abs(value) >= 10 else 4
    return f"{value:,.{digits}f}"


def _text(rows: Rows) -> str:
    """Rows as aligned lines: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    widths[0] = max(widths[0], max(len(_with_unit(name)) for name in (*WHOLE, *MEASURES)))
    return "\n".join(_line(row, widths) for row in rows)


def _line(row: list[str], widths: list[int]) -> str:
    first, *others = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
    return "  ".join([row[0].ljust(len(first)), *others])
