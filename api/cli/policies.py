"""`thinktime policies`: the rules and orders for `--policy`, with one line and the source of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.table import Table

from thinktime.cli.console import stdout
from thinktime.cli.layout import listing

if TYPE_CHECKING:
    from thinktime.models.policies.entry import Entry

RULES = "RULES: which waiting jobs may start"
BY_ORDER = "ORDERS: which job is next in the queue (w: time waited, r: estimate, n: processors, s: submit time)"
HOW_TO = """\
A policy is RULE[:key=value,…], such as easy:order=lxf,reservations=2; the items of a list are joined by +.
ORDER alone means none:order=ORDER. FILE.py:NAME is a function or a class in your own script."""


def policies() -> None:
    """List the rules and orders, with the source of each."""
    from thinktime.models.policies import ORDERS, catalogue
    from thinktime.models.policies.spec import around

    entries = [*catalogue(), around()]
    console = stdout()
    console.print(_table(RULES, (entry for entry in entries if entry.name not in ORDERS)))
    console.print(_table(BY_ORDER, (entry for entry in entries if entry.name in ORDERS)))
    console.print(HOW_TO)


def _table(title: str, entries: Iterable[Entry]) -> Table:
    rows = []
    for entry in entries:
        options = f"options: {entry.options}; " if entry.options else ""
        rows.append((entry.name, f"{entry.line}\n{options}source: {entry.source}"))
    table = listing(title, rows, width=20)
    table.add_row()
    return table
