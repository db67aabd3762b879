"""Standard output: text as wide as the terminal (100 columns if there is none), or JSON.

Nothing is truncated: long lines are folded, and wide tables are split into blocks (`layout`).
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from thinktime.cli.layout import blocks, rich_table
from thinktime.cli.width import WIDTH

if TYPE_CHECKING:
    from thinktime.analysis.report import Report

NARROWEST = 20
"""The minimum number of columns; fewer are ignored."""


class Output(Console):
    """A console that folds instead of truncating."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print a table in blocks, a text in folded lines, and anything else unchanged."""
        from thinktime.analysis.named_table import Table as PlainTable
        from thinktime.analysis.named_table import fold

        if len(objects) != 1 or options.get("soft_wrap"):
            super().print(*objects, **options)
        elif isinstance(objects[0], Table):
            self._table(objects[0])
        elif isinstance(objects[0], PlainTable):
            self._table(rich_table(objects[0]))
        elif isinstance(objects[0], str):
            super().print(fold(objects[0], self.width), **options)
        else:
            super().print(*objects, **options)

    def _table(self, table: Table) -> None:
        from thinktime.analysis.named_table import fold

        parts = blocks(table, self.width)
        for place, block in enumerate(parts):
            if table.title:
                super().print(Text(fold(str(table.title), self.width), style="table.title"))
            super().print(block, crop=False)
            if place < len(parts) - 1 and not _ends_blank(block):
                super().print()


def stdout() -> Output:
    """A console for standard output, without markup because a policy may contain brackets."""
    width = None if sys.stdout.isatty() else columns()
    return Output(width=width, highlight=False, markup=False)


def columns() -> int:
    """The number of columns if standard output is no terminal: COLUMNS if set, else 100."""
    wanted = os.environ.get("COLUMNS", "")
    return max(int(wanted), NARROWEST) if wanted.isdecimal() and int(wanted) else WIDTH


def tell(report: Report, as_json: bool) -> None:
    """Print a report: tables and lines, or one JSON object."""
    if as_json:
        typer.echo(report.json)
        return
    console = stdout()
    for part in report.page():
        console.print(part)


def _ends_blank(table: Table) -> bool:
    """Whether the last row is empty."""
    return all(not str(cells[-1]) for column in table.columns if (cells := list(column.cells)))
