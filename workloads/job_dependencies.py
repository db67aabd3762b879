"""Dependencies between jobs, as Slurm writes them: ``afterok:12:13,after:14+5``.

============================  ==================================================================================
``after:12``, ``after:12+5``  job 12 has started (5 minutes ago), or was cancelled before its start
``afterany:12``               job 12 is over
``afterok:12``                job 12 is over, and has run to its own end without an error
``afternotok:12``             job 12 is over, and has not: it failed, was killed at its limit, or was cancelled
``aftercorr:12``              for task i of an array: task i of array 12 is over, without an error
``singleton``                 the user's jobs of the same name that were submitted before are over
============================  ==================================================================================

The number of an array stands for all of its tasks, and ``12_3`` for task 3. A job waits for all of its dependencies if
they are joined by ``,``, and for any one of them if they are joined by ``?``. A number alone is ``afterany``.

Source: Slurm's manual of sbatch; Slurm 22.05.8, measured.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from thinktime.workloads.names import key_of, quoted

KINDS = ("after", "afterany", "afterok", "afternotok", "aftercorr")
SINGLETON = "singleton"
JOB = re.compile(r"(\d+)(?:_(\d+))?(?:\+(\d+))?")
MINUTE = 60.0  # s
HINT = "write such as afterok:12:13,after:14+5"


@dataclass(frozen=True, slots=True)
class Dependency:
    """What a job waits for: a ``kind``, and the number of a job or of an array, of which ``task`` may name one task.

    ``delay`` (s) is that of ``after``. A ``singleton`` names no job.
    """

    kind: str
    job: int = -1
    task: int | None = None
    delay: float = 0.0

    def __str__(self) -> str:
        if self.kind == SINGLETON:
            return SINGLETON
        task = "" if self.task is None else f"_{self.task}"
        return f"{self.kind}:{self.job}{task}{f'+{self.delay / MINUTE:.0f}' if self.delay else ''}"


@dataclass(frozen=True, slots=True)
class Dependencies:
    """All that a job waits for; ``one_is_enough`` says that it waits for any one of them."""

    each: tuple[Dependency, ...]
    one_is_enough: bool = False

    @classmethod
    def parse(cls, text: str) -> "Dependencies":
        """What a text says; ``ValueError`` with one sentence for what is no dependency."""
        if "," in text and "?" in text:
            raise ValueError(
                f"dependencies {quoted(text)} mix ',' (all of them) and '?' (any of them); use one of the two"
            )
        parts = re.split("[,?]", text)
        return cls(tuple(found for part in parts for found in _parsed(part.strip(), text)), "?" in text)

    def __str__(self) -> str:
        return ("?" if self.one_is_enough else ",").join(map(str, self.each))


def _parsed(part: str, text: str) -> list[Dependency]:
    """What is between two separators."""
    kind, *jobs = part.split(":")
    if JOB.fullmatch(kind) and not jobs:
        kind, jobs = "afterany", [kind]
    if kind == SINGLETON and not jobs:
        return [Dependency(SINGLETON)]
    if kind not in KINDS:
        known = key_of(kind, [*KINDS, SINGLETON], "the kinds")
        raise ValueError(f"dependencies {quoted(text)}: there is no kind {quoted(kind)}; {known}")
    if not jobs:
        raise ValueError(f"dependencies {quoted(text)}: {kind} names no job; {HINT}")
    return [_on(kind, job.strip(), text) for job in jobs]


def _on(kind: str, job: str, text: str) -> Dependency:
    found = JOB.fullmatch(job)
    if found is None:
        raise ValueError(f"dependencies {quoted(text)}: {quoted(job)} is no number of a job; {HINT}")
    number, task, minutes = found.groups()
    if minutes is not None and kind != "after":
        raise ValueError(f"dependencies {quoted(text)}: {quoted(job)} has minutes, which only after takes; {HINT}")
    if task is not None and kind == "aftercorr":
        raise ValueError(
            f"dependencies {quoted(text)}: aftercorr is task by task, so name the array, not its task {quoted(job)}"
        )
    return Dependency(kind, int(number), None if task is None else int(task), MINUTE * int(minutes or 0))


def as_text(given: Any) -> str:
    """Dependencies as people give them, as text.

    They are a text, a submitted job or array (then ``afterok``), several of them, or a mapping of kinds to these.

    >>> as_text("afterok:12, after:13+5")
    'afterok:12,after:13+5'
    """
    if isinstance(given, Mapping):
        return str(Dependencies.parse(",".join(_of_kind(str(kind), jobs) for kind, jobs in given.items())))
    return str(Dependencies.parse(given if isinstance(given, str) else _of_kind("afterok", given)))


def _of_kind(kind: str, given: Any) -> str:
    jobs = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    return ":".join([kind, *(_number_of(job) for job in jobs)])


def _number_of(job: Any) -> str:
    """The number of a job that was submitted, or the number itself."""
    number = getattr(job, "id", job)
    if isinstance(number, bool) or not isinstance(number, int | str) or not JOB.fullmatch(str(number)):
        raise TypeError(f"a dependency names jobs that were submitted, or their numbers, not {quoted(job)}; {HINT}")
    return str(number)
