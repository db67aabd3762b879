"""The `Summary` of a run: the numbers by which runs are compared.

Which numbers these are follows from the metrics (`thinktime.models.results.metric`). Statistics are over the `served`
jobs, which finished or were killed; percentiles interpolate linearly (NumPy's default).
`thinktime.models.results.windowed` says what the summary of a window has.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.models.results import bill, counts, energy, measures, service, sizes
from thinktime.models.results.metric import METRICS, OF_SOME, SECONDS, STATISTICS, Group, Known, Metric
from thinktime.models.results.outcome import served
from thinktime.models.results.windowed import Windowed
from thinktime.workloads.html import paragraph, table
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.units import plain

Number = int | float
Rows = list[list[str]]

DECLARING = (measures, counts, service, sizes, energy, bill)
"""The modules whose metrics a summary has."""


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
        counted, statistics, whole = self._counts(), self._statistics(), self._whole()
        across = [list(column) for column in zip(*counted, strict=True)]
        tables = (table(across[0], across[1:], keys=0), table(statistics[0], statistics[1:]), table(["", ""], whole))
        return paragraph(self.title) + "".join(tables)

    def _counts(self) -> Rows:
        return [[each.name, f"{self[each.name]:,}"] for each in METRICS.in_group("counts")]

    def _statistics(self) -> Rows:
        shown = [each for each in METRICS.of_each_job(OF_SOME) if f"mean_{each.name}" in self]
        rows = ([_readable(self[f"{name}_{each.name}"]) for name in STATISTICS] for each in shown)
        return [["", *STATISTICS], *([_with_unit(each), *row] for each, row in zip(shown, rows, strict=True))]

    def _whole(self) -> Rows:
        return [[_with_unit(each), _readable(self[each.name])] for group in _WHOLE for each in self._shown(group)]

    def _shown(self, group: Group) -> list[Metric]:
        """The metrics of a group, if they say anything here."""
        found = [each for each in METRICS.in_group(group) if each.name in self]
        if group == "given up":
            return found if self["abandoned_jobs"] else []
        return found if group != "lost demand" or any(self[each.name] for each in found) else []


_WHOLE: tuple[Group, ...] = ("whole", "changes", "power", "charge", "given up", "lost demand")
"""The groups below the statistics, in their order."""


def summarise(part: Windowed[Any]) -> Summary:
    """The summary of a result, or of a window of it."""
    has, over = part.result.has, served(part.jobs)
    values: dict[str, Number] = {each.name: each.of(part) for each in METRICS.in_group("counts")}
    for measure in METRICS.of_each_job(has):
        found = measure.of(part.jobs)[over]
        known = found[~np.isnan(found)]
        values |= {
            f"{name}_{measure.name}": float(of(known)) if len(known) else np.nan for name, of in STATISTICS.items()
        }
    groups: tuple[Group, ...] = ("given up", "whole", "lost demand", "changes", "power", "charge")
    for group in groups:
        values |= {each.name: each.of(part) for each in METRICS.in_group(group, has)}
    return Summary(_title(part), values)


def _title(part: Windowed[Any]) -> str:
    result, sides = part.result, [("from", part.first), ("to", part.last)]
    conditions = f"{result.processors:,} processors (overrun: {result.overrun})"
    measured = " ".join(f"{word} t = {plain(side)} s" for word, side in sides if np.isfinite(side))
    within = f", measured {measured}" if measured else ""
    return f"{result.policy} on {conditions}, up to t = {plain(result.now)} s{within}"


def _with_unit(each: Known) -> str:
    return f"{each.name} (s)" if each.unit == SECONDS else each.name


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
    widths[0] = max(widths[0], max(map(len, map(_with_unit, (*METRICS.in_group("whole"), *METRICS.of_each_job())))))
    return "\n".join(_line(row, widths) for row in rows)


def _line(row: list[str], widths: list[int]) -> str:
    first, *others = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
    return "  ".join([row[0].ljust(len(first)), *others])
