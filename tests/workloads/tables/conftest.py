"""Made-up tables, and a mapping for them."""

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from thinktime.workloads.tables.mapping import Mapping as TableMapping
from thinktime.workloads.tables.reader import read_table
from thinktime.workloads.trace import Trace

pytest.importorskip("pyarrow")

PLAIN: dict[str, Any] = {
    "job": "id", "user": "user", "submit": "submit", "start": "start", "end": "end", "limit": "limit",
    "cores": "cores", "state": "state",
}  # fmt: skip
ROW = {"id": "1", "user": "ann", "submit": "1700000000", "start": "1700000010", "end": "1700000070", "limit": "100"}
ROW |= {"cores": "2", "state": "COMPLETED"}

Read = Callable[..., Trace]


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """A CSV file of these rows, each of which changes `ROW`."""
    full = [{**ROW, "id": str(number), **row} for number, row in enumerate(rows, start=1)]
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, list(dict.fromkeys(name for row in full for name in row)))
        table.writeheader()
        table.writerows(full)
    return path


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read made-up rows by a mapping that is given as changes of `PLAIN`."""

    def reading(
        rows: Sequence[Mapping[str, Any]], columns: Mapping[str, Any] | None = None, options: Any = None, **table: Any
    ) -> Trace:
        how = TableMapping.model_validate({"columns": {**PLAIN, **(columns or {})}, **table})
        return read_table(write(tmp_path / "jobs.csv", rows), how, **(options or {}))

    return reading
