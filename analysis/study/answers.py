"""The answers of a study's tasks: made by any number of workers or a cluster, and kept, so that it can be resumed.

With a folder, each answer is written to ``answers.sqlite`` there as soon as it is known, in one transaction, as data
(`answer_data`). A study that is run again with the same folder makes only what is missing. An answer is used again only
if the task that gave it is the same: every field of it, down to the jobs of a log, and the version of the package.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from thinktime.analysis.experiments import workers as places
from thinktime.analysis.parallel import Progress, Task
from thinktime.analysis.study.answer_data import answer_type, dumped, loaded
from thinktime.workloads.trace import Trace

Answer = TypeVar("Answer")
FILE = "answers.sqlite"
WINDOW = 64
"""Tasks given to an executor at a time."""


class Outcome(NamedTuple):
    """What a worker sends back for a task."""

    key: Hashable
    answer: Any
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class Asked(Generic[Answer]):
    """A task of a study with its key."""

    key: Hashable
    task: Task[Answer]

    def perform(self) -> Outcome:
        """Do the work; an error is sent back."""
        try:
            return Outcome(self.key, self.task.perform())
        except Exception as error:
            return Outcome(self.key, None, error)

    def lost(self, error: str, traceback: str) -> Outcome:
        """The worker was lost."""
        return Outcome(self.key, None, RuntimeError(f"{self.key!r}: {error} ({traceback})"))


def answers(
    tasks: Mapping[Any, Task[Answer]],
    workers: int = 1,
    progress: Progress | None = None,
    folder: Path | None = None,
    executor: Executor | None = None,
) -> dict[Any, Answer]:
    """The answer of every task under its key, in the order of the tasks; those that a folder has are not made again."""
    tell = progress or (lambda done, total: None)
    with closing(Kept(folder)) as kept:
        found = {key: known[0] for key, task in tasks.items() if (known := kept.get(key, task))}
        tell(len(found), len(tasks))
        missing = [Asked(key, task) for key, task in tasks.items() if key not in found]
        for outcome, _ in _ended(missing, workers, executor):
            if outcome.error is not None:
                raise outcome.error
            kept.add(outcome.key, tasks[outcome.key], outcome.answer)
            found[outcome.key] = outcome.answer
            tell(len(found), len(tasks))
    return {key: found[key] for key in tasks}


def _ended(missing: Sequence[Asked[Answer]], workers: int, executor: Executor | None) -> Iterator[tuple[Outcome, int]]:
    tasks = iter(missing)
    if executor is not None:
        return places.through(executor, tasks, max(WINDOW, places.AHEAD * workers))
    processes = min(workers, len(missing))
    return places.here(tasks) if processes <= 1 else places.by_processes(tasks, processes)


class Kept:
    """The answers in a folder; without one, none are kept."""

    def __init__(self, folder: Path | None) -> None:
        self._file: sqlite3.Connection | None = None
        if folder is not None:
            self._path = folder / FILE
            folder.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(self._path, isolation_level=None)
            try:
                self._file.execute("CREATE TABLE IF NOT EXISTS answers (task TEXT PRIMARY KEY, key TEXT, answer BLOB)")
            except sqlite3.DatabaseError as error:
                raise ValueError(f"{self._path} cannot be used ({error}); remove it or give another folder") from None

    def get(self, key: Any, task: Task[Answer]) -> tuple[Answer] | None:
        """The answer of a task, in a tuple; None if it is not known."""
        if self._file is None:
            return None
        try:
            row = self._file.execute("SELECT answer FROM answers WHERE task = ?", (digest(key, task),)).fetchone()
            return None if row is None else (loaded(row[0], answer_type(task)),)
        except (ValueError, sqlite3.DatabaseError) as error:
            raise ValueError(f"{self._path} cannot be used ({error}); remove it or give another folder") from None

    def add(self, key: Any, task: Task[Answer], answer: Answer) -> None:
        """Keep the answer to a task in the file, if there is one."""
        if self._file is not None:
            row = digest(key, task), repr(key), dumped(answer, answer_type(task))
            self._file.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", row)

    def close(self) -> None:
        """Close the file of answers, if there is one."""
        if self._file is not None:
            self._file.close()


def digest(*values: Any) -> str:
    """A text that differs where values, or the versions of the package, differ."""
    found = hashlib.sha256(_version().encode())
    for value in values:
        _feed(found.update, value)
    return found.hexdigest()


@cache
def _version() -> str:
    """That of the package, which is read once: a study of short tasks would spend a tenth of its time on it."""
    return version("thinktime")


def _feed(take: Callable[[bytes], None], value: Any) -> None:
    kind = type(value)
    take(f"{kind.__module__}.{kind.__qualname__}(".encode())
    if isinstance(value, np.ndarray):
        take(f"{value.dtype}{value.shape}".encode() + np.ascontiguousarray(value).tobytes())
    elif isinstance(value, Trace):
        _feed(take, (value.columns, value.header.lines, value.extra, value.names))
    elif is_dataclass(value):
        _feed(take, [(each.name, getattr(value, each.name)) for each in fields(value)])
    elif isinstance(value, Mapping):
        for pair in value.items():
            _feed(take, pair)
    elif isinstance(value, tuple | list):
        for each in value:
            _feed(take, each)
    elif isinstance(value, partial):
        _feed(take, (value.func, value.args, value.keywords))
    elif callable(value):
        name = getattr(value, "__qualname__", None)
        _feed(take, vars(value) if name is None else f"{value.__module__}.{name}")
    else:
        take(value if isinstance(value, bytes) else repr(value).encode())
    take(b")")
