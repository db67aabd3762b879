"""Sweeps and comparisons as tables in notebooks.

Where nothing varies, a row for each metric and a column for each policy; else a row for each point and policy and
a column for each metric. Large sweeps show their first rows, and means alone, which take no time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinktime.analysis.reports.comparisons import (
    DOUBT,
    DOUBT_LEGEND,
    PARTIAL,
    PARTIAL_LEGEND,
    SHORT_OF_DATA,
    SHORT_OF_DATA_LEGEND,
    Cell,
    Comparisons,
    Measured,
    compared,
    shown,
)
from thinktime.analysis.reports.units import NONE, plain, words
from thinktime.analysis.statistics import LEGEND, TOO_LITTLE
from thinktime.workloads.html import paragraph, table

if TYPE_CHECKING:
    from thinktime.analysis.experiments.folder import Sweep

MOST_ROWS = 60
MOST_RUNS = 2000
"""Beyond so many runs, differences are not tested for a mere look."""


def sweep_html(sweep: Sweep) -> str:
    """What a sweep found, at a glance."""
    title = paragraph(repr(sweep).strip("<>"))
    if not len(sweep):
        return title
    if len(sweep) > MOST_RUNS:
        return title + _means(sweep)
    return title + comparisons_html(compared(sweep))


def comparisons_html(found: Comparisons) -> str:
    """Means with intervals, and marks where they differ from the baseline."""
    metrics = found.judging_first
    if not found.parameters:
        rows = [
            [each.title, *(_shown(each, each.cells.get((0, policy))) for policy in found.policies)]
            for each in metrics
        ]
        body = table(["metric", *found.policies], rows)
    else:
        lines = [
            [
                *(shown(point.values.get(name)) for name in found.parameters),
                policy,
                *(_shown(each, each.cells.get((place, policy))) for each in metrics),
            ]
            for place, point in enumerate(found.points[:MOST_ROWS])
            for policy in found.policies
        ]
        head = [*found.parameters, "policy", *(each.title for each in metrics)]
        body = table(head, lines[:MOST_ROWS], keys=len(found.parameters) + 1) + _more(
            len(found.points) * len(found.policies)
        )
    if not found.ways:
        return body
    what = f"Mean \N{PLUS-MINUS SIGN} half width of the {found.level} interval {', '.join(found.ways)}"
    doubt = f"; {DOUBT_LEGEND}" if found.doubts else ""
    cells = [cell for each in found.measured for cell in each.cells.values()]
    doubt += f"; {SHORT_OF_DATA_LEGEND}" if any(map(_short, cells)) else ""
    doubt += f"; {PARTIAL_LEGEND}" if found.partial else ""
    doubt += "; n: runs that have a number" if any(cell.incomplete for cell in cells) else ""
    return body + paragraph(f"{what}; compared with {found.baseline}: {LEGEND}{doubt}.")


def _shown(measured: Measured, cell: Cell | None) -> str:
    if cell is None:
        return NONE
    signs = f"{f' {DOUBT}' if cell.doubtful else ''}{f' {PARTIAL}' if cell.partial and cell.runs else ''}"
    runs = f" (n={cell.runs})" if cell.incomplete else ""
    stars = cell.stars or (SHORT_OF_DATA if _short(cell) else "")
    return f"{measured.unit.show_interval(cell.interval)}{signs}{runs} {stars}".strip()


def _short(cell: Cell) -> bool:
    """Whether several runs were made, and too few of them can be compared."""
    return cell.finished > 1 and cell.state == TOO_LITTLE


def _means(sweep: Sweep) -> str:
    means = sweep.means()
    keys = ["policy", *sweep.parameters]
    head = [*keys, *(words(name) for name in sweep.metrics)]
    rows = []
    for index, values in zip(means.index[:MOST_ROWS], means.to_numpy()[:MOST_ROWS], strict=True):
        own = index if isinstance(index, tuple) else (index,)
        rows.append([*map(shown, own), *(plain(float(value)) for value in values)])
    return table(head, rows, keys=len(keys)) + _more(len(means))


def _more(rows: int) -> str:
    return paragraph(f"{rows - MOST_ROWS:,} more rows.") if rows > MOST_ROWS else ""
