"""What the commands of the studies share: a bar, tables, verdicts.

Each study is a file of its own (`study_ostrich.py`, …) with a command and its tables, which print
a paper's numbers beside ours.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rich.table import Table

from thinktime.cli import folders
from thinktime.cli.console import json_text
from thinktime.cli.durations import duration
from thinktime.cli.progress import Teller

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from thinktime.analysis.studies.finding import Finding

KINDS = ("png", "pdf")
"""The formats of a study's pictures."""

Found = TypeVar("Found")
Tell = Callable[[int, int], None] | None


def timed(run: Callable[[Tell], Found], things: str, teller: Teller) -> Found:
    """Simulate with a bar of ``things`` done, and say how long it took."""
    began = time.perf_counter()
    with study_bar(teller, things) as progress:
        found = run(progress)
    teller.say(f"simulated in {duration(time.perf_counter() - began)}")
    return found


def run_and_write(
    run: Callable[[], Found], write: Callable[[Found, Path], None], out: Path | None, teller: Teller
) -> Found:
    """Run a study; its files are written aside and moved to ``out``, if there is one, when all is done."""
    if out is None:
        return run()
    with folders.staging(out) as aside:
        found = run()
        write(found, aside)
        folders.deliver(aside, out)
    teller.say(f"the pictures and tables are in {out}")
    return found


def write_files(
    aside: Path,
    pictures: Mapping[str, Figure],
    tables: Mapping[str, pd.DataFrame],
    values: Any,
    kinds: Iterable[str] = KINDS,
) -> None:
    """A study's pictures in every format, its tables as CSV, and the object of --json, all by name."""
    from thinktime.analysis.pictures.style import save

    kinds = tuple(kinds)
    for name, picture in pictures.items():
        for kind in kinds:
            save(picture, aside / f"{name}.{kind}")
    for name, frame in tables.items():
        frame.to_csv(aside / f"{name}.csv", index=False)
    (aside / "study.json").write_text(json_text(values) + "\n")


@contextmanager
def study_bar(teller: Teller, things: str) -> Iterator[Tell]:
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
