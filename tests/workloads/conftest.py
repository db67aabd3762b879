"""Fixtures for the room `workloads`: small logs written by hand, and the real ones where they are at hand."""

import functools
from collections.abc import Callable
from pathlib import Path

import pytest

from thinktime.workloads import Trace, read_swf
from thinktime.workloads.columns import COLUMNS


@pytest.fixture
def job_line() -> Callable[..., str]:
    """Give a function that writes one SWF line: a serial job of one minute, changed by column name."""

    def write(id: int = 1, **fields: object) -> str:
        usual = {"id": id, "submit": 0, "wait": 0, "runtime": 60, "requested_processors": 1, "status": 1}
        given = usual | {"requested_time": 600} | fields
        return " ".join(str(given.get(column.name, -1)) for column in COLUMNS)

    return write


@pytest.fixture
def write_log(tmp_path: Path) -> Callable[..., Path]:
    """Give a function that writes lines to a log and gives its path."""

    def write(*lines: str, name: str = "log.swf") -> Path:
        path = tmp_path / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")
        return path

    return write


@pytest.fixture(scope="session")
def read_real(log_file: Callable[[str], Path]) -> Callable[[str], Trace]:
    """Give a function that reads a real log by name, each once in a session."""
    return functools.cache(lambda name: read_swf(log_file(name)))
