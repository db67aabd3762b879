"""What SWF cannot hold of a log's jobs: dependencies, times before which they may not start, holds, arrays.

The table is a CSV file beside the log, LOG.conditions.csv, with a line for each job that has any of it:

==========  ==========================================================================================
job         the job's number in the log
depends     its dependencies, with the log's numbers (`thinktime.workloads.job_dependencies`)
begin       it may not start earlier than this after its submission (s)
held        it was held for so long after its submission (s)
array       the number of the array that it is a task of, which is that of the array's first task
task        its number in the array
at_most     how many tasks of the array may run at once
==========  ==========================================================================================
"""

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from thinktime.workloads.files import whole_or_nothing
from thinktime.workloads.grid import to_grid
from thinktime.workloads.job_dependencies import Dependencies
from thinktime.workloads.names import quoted
from thinktime.workloads.text_files import text_of
from thinktime.workloads.units import plain

SUFFIX = ".conditions.csv"
DIGITS = 18
"""Numbers of jobs and tasks are below 2^63."""


@dataclass(frozen=True, slots=True)
class JobConditions:
    """What one job of a log waits for; times are in s after its submission."""

    job: int
    depends: str = ""
    begin: float = 0.0
    held: float = 0.0
    array: int = -1
    task: int = -1
    at_most: int = -1

    def __bool__(self) -> bool:
        return bool(self.depends or self.begin or self.held or self.array >= 0)

    @property
    def delay(self) -> float:
        """How long after its submission neither its begin nor a hold keeps it any more (s)."""
        return max(self.begin, self.held)


@dataclass(frozen=True, slots=True)
class LogConditions:
    """What the jobs of a log wait for, each at most once."""

    each: tuple[JobConditions, ...]

    def __len__(self) -> int:
        return len(self.each)

    def __iter__(self) -> Iterator[JobConditions]:
        return iter(self.each)

    @classmethod
    def of(cls, given: Iterable[JobConditions]) -> "LogConditions":
        """Those of some jobs that wait for anything."""
        return cls(tuple(each for each in given if each))

    @classmethod
    def read(cls, path: str | Path) -> "LogConditions":
        """Read a file; ``ValueError`` names the file, the line and what would be right."""
        lines = csv.reader(io.StringIO(text_of(Path(path)), newline=""))
        known, found = [each.name for each in fields(JobConditions)], {}
        try:
            if (header := next(lines, [])) != known:
                raise ValueError(f"the columns must be {','.join(known)}, not {quoted(','.join(header))}")
            for values in lines:
                each = _job(values)
                if each.job in found:
                    raise ValueError(f"job {each.job} is there twice")
                found[each.job] = each
        except (ValueError, csv.Error) as error:
            raise ValueError(f"{path}, line {max(lines.line_num, 1)}: {error}") from None
        return cls.of(found.values())

    def write(self, path: str | Path) -> Path:
        """Write the file, whole or not at all."""
        with whole_or_nothing(Path(path)) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(each.name for each in fields(JobConditions))
            table.writerows(map(_texts, self.each))
        return Path(path)


def beside(log: str | Path) -> Path:
    """The file beside a log.

    >>> beside("logs/may.swf.gz").as_posix()
    'logs/may.conditions.csv'
    >>> beside("may.parquet").name
    'may.conditions.csv'
    """
    path = Path(log)
    return path.with_name(path.name.removesuffix(".gz").removesuffix(".swf").removesuffix(".parquet") + SUFFIX)


def conditions_of(given: Any) -> LogConditions | None:
    """The conditions that are given as a value or as the name of a file; None for anything else."""
    if isinstance(given, LogConditions):
        return given
    return LogConditions.read(given) if isinstance(given, str | Path) else None


def _texts(each: JobConditions) -> list[str]:
    """A line of the file; what a job does not have is empty."""
    missing = astuple(JobConditions(each.job))
    return [
        str(each.job),
        *("" if own == none else plain(own) if isinstance(own, float) else str(own)
          for own, none in list(zip(astuple(each), missing, strict=True))[1:]),
    ]  # fmt: skip


def _job(values: list[str]) -> JobConditions:
    if len(values) != len(fields(JobConditions)):
        raise ValueError(f"{len(values)} values instead of {len(fields(JobConditions))}")
    job, depends, begin, held, array, task, at_most = values
    if depends:
        Dependencies.parse(depends)
    numbers = [_whole(name, text) for name, text in (("array", array), ("task", task), ("at_most", at_most))]
    if (numbers[0] < 0) != (numbers[1] < 0):
        raise ValueError("array and task belong together: give both, or none")
    if numbers[2] == 0:
        raise ValueError("at_most must be at least 1, or empty")
    return JobConditions(_whole("job", job or "?"), depends, _seconds("begin", begin), _seconds("held", held), *numbers)


def _whole(name: str, text: str) -> int:
    if not text:
        return -1
    if not text.isascii() or not text.isdigit() or len(text) > DIGITS:
        raise ValueError(f"{name} must be a whole number of at most {DIGITS} digits, not {quoted(text)}")
    return int(text)


def _seconds(name: str, text: str) -> float:
    try:
        seconds = float(text or 0)
    except ValueError:
        seconds = -1.0
    if not 0.0 <= seconds < float("inf"):
        raise ValueError(f"{name} must be a number of seconds of at least 0, not {quoted(text)}")
    return to_grid(seconds)
