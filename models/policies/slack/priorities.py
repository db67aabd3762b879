"""User and political priorities: from a table, from a function of the job, or for every k-th job.

Source: the slack paper, section 2.3. The user priority UP and the political priority PP are numbers from 0 to 1, and PP
is minus infinity for the jobs of users who are over a quota.
"""

import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from thinktime.models.jobs.view import Request
from thinktime.models.orders.scripts import member
from thinktime.workloads.names import quoted
from thinktime.workloads.text_files import text_of

OVER_QUOTA = -inf
"""The political priority of a job whose owner is over a quota."""

Pair = tuple[float, float]
Priorities = Callable[[Request], Pair]

LABELS = ("job", "user", "group", "queue")
VALUES = ("user_priority", "political_priority")


@dataclass(frozen=True, slots=True)
class EveryKth:
    """Every ``k``-th submitted job gets UP = PP = gap / 2, the others 0 (the paper's section 5.3: 5 and 2)."""

    k: int
    gap: float = 2.0

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            raise ValueError(f"every is {quoted(self.k)}, but must be a whole number of at least 1")
        if isinstance(self.gap, bool) or not isinstance(self.gap, int | float) or not 0 <= self.gap <= 2:
            raise ValueError(f"gap is {quoted(self.gap)}, but must be a number from 0 to 2, the sum of two priorities")

    def of(self, number: int) -> Pair:
        """The priorities of the job that is submitted as the ``number``-th, counted from 1."""
        return (self.gap / 2, self.gap / 2) if number % self.k == 0 else (0.0, 0.0)


class PriorityTable:
    """Priorities by job, user, group and queue: the first line that fits a job and has a value gives that value.

    A line is a dictionary with any of ``job``, ``user``, ``group`` and ``queue`` (what is left out fits all) and any of
    ``user_priority`` and ``political_priority``. A value that no line gives is 0.
    """

    def __init__(self, lines: Iterable[dict[str, Any]], source: str = "priorities") -> None:
        self.source = source
        self.lines = [_line(line, f"{source}, line {number}") for number, line in enumerate(lines, 1)]

    @classmethod
    def read(cls, path: str | Path) -> "PriorityTable":
        """A table from a CSV file whose first line names the columns."""
        rows = read_table(path, (*LABELS, *VALUES))
        table = cls([], str(path))
        table.lines = [_line(row, f"{path}, line {number}") for number, row in rows]
        return table

    def __call__(self, job: Request) -> Pair:
        """UP and PP of a job."""
        found: dict[str, float] = {}
        for labels, values in self.lines:
            if len(found) < len(VALUES) and fits(labels, job):
                found = values | found
        return found.get("user_priority", 0.0), found.get("political_priority", 0.0)

    def __str__(self) -> str:
        return self.source


def as_priorities(given: Any) -> Priorities | None:
    """Priorities from a table, a function of a request that gives (UP, PP), a CSV file, or ``FILE.py:NAME``."""
    if given is None or callable(given):
        return given
    if isinstance(given, str | Path):
        path, _, name = str(given).partition(":")
        if path.endswith(".py"):
            function = member(path, name)
            if not callable(function):
                raise ValueError(f"{name} of {path} is not a function of a job that gives (UP, PP)")
            return function
        return PriorityTable.read(given)
    if isinstance(given, Iterable):
        return PriorityTable(given)
    raise ValueError(f"priorities are {quoted(given)}, but must be a file, a function of a job or a list of lines")


def checked_pair(given: Any, job: Request) -> Pair:
    """UP and PP of one job; ``ValueError`` names the job where they are not in their ranges."""
    try:
        up, pp = (float(value) for value in given)
    except (TypeError, ValueError):
        raise ValueError(
            f"job {job.id}: priorities gave {quoted(given)}, but must give (UP, PP), two numbers"
        ) from None
    if not 0 <= up <= 1:
        raise ValueError(f"job {job.id}: the user priority is {up:g}, but must be from 0 to 1")
    if not (0 <= pp <= 1 or pp == OVER_QUOTA):
        raise ValueError(f"job {job.id}: the political priority is {pp:g}, but must be from 0 to 1, or -inf")
    return up, pp


def read_table(path: str | Path, columns: Iterable[str]) -> list[tuple[int, dict[str, Any]]]:
    """The lines of a CSV file with their numbers, without empty cells; ``ValueError`` for what cannot be read."""
    allowed = list(columns)
    text = text_of(Path(path))
    reader = csv.reader(text.splitlines())
    head = [cell.strip() for cell in next(reader, [])]
    unknown = [name for name in head if name not in allowed]
    if unknown or not head or len(set(head)) < len(head):
        what = f"names the column {quoted(unknown[0])}" if unknown else "does not name each column once"
        raise ValueError(f"{path}: the first line {what}; the columns are {', '.join(allowed)}")
    rows = []
    for cells in reader:
        if len(cells) > len(head):
            raise ValueError(f"{path}, line {reader.line_num}: {len(cells)} cells under {len(head)} columns")
        named = {name: cell.strip() for name, cell in zip(head, cells, strict=False) if cell.strip()}
        if named:
            rows.append((reader.line_num, named))
    return rows


def fits(labels: dict[str, str], job: Request) -> bool:
    """Whether a job has all the labels of a line (compared as text: logs number their users)."""
    return all(str(job.id if name == "job" else getattr(job, name)) == label for name, label in labels.items())


def _line(line: dict[str, Any], where: str) -> tuple[dict[str, str], dict[str, float]]:
    """A line's labels and values, checked."""
    unknown = [name for name in line if name not in LABELS + VALUES]
    if unknown:
        raise ValueError(f"{where}: unknown {quoted(unknown[0])}; known are {', '.join(LABELS + VALUES)}")
    labels = {name: str(line[name]) for name in LABELS if name in line}
    values = {}
    for name in VALUES:
        if name in line:
            values[name] = _value(line[name], name, where)
    return labels, values


def _value(given: Any, name: str, where: str) -> float:
    try:
        value = float(given)
    except (TypeError, ValueError):
        value = inf
    if not (0 <= value <= 1 or (value == OVER_QUOTA and name == "political_priority")):
        also = ", or -inf for over quota" if name == "political_priority" else ""
        raise ValueError(f"{where}: {name} is {quoted(given)}, but must be a number from 0 to 1{also}")
    return value
