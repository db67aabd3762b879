"""What the commands of the studies share: a bar, tables, verdicts.

Each study is a file of its own (`study_ostrich.py`, …) with a command and its tables, which print
a paper's numbers beside ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.table import Table

from thinktime.cli.progress import Teller

if TYPE_CHECKING:
    from thinktime.analysis.studies.findings import Finding

KINDS = ("png", "pdf")
"""The formats of a study's pictures."""


@contextmanager
def study_bar(teller: Teller, things: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar of things done of all, on standard error, where somebody looks; it goes when all is over."""
    if teller.quiet or not teller.console.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn(things), BarColumn(40), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=teller.console, transient=True) as bar:
        task = bar.add_task(things, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def study_table(title: str, first: str = "") -> Table:
    """A table of a study, with its first column."""
    table = Table(box=None, pad_edge=False, header_style="bold", title=title, title_justify="left")
    table.add_column(first)
    return table


def verdicts(found: Iterable[Finding]) -> Table:
    """What the paper found, and whether it is seen here."""
    table = study_table("What the paper finds, and whether it is seen here")
    for title in ("", "ours", "seen if"):
        table.add_column(title, no_wrap=True)
    for each in found:
        table.add_row(each.says, each.verdict, each.ours, each.criterion)
    return table
