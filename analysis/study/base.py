"""What a study is: what may be asked of it, how it is run, and what comes of it.

A *study* runs many independent simulations and holds what came out against what a paper claims. Each is a folder,
and all folders have the same files, with the functions that a study asks for:

    study      the options, the tasks, and the evidence: all answers together
    runs       one task, and the answer that a worker process sends back
    printed    the numbers that the paper prints
    findings   `findings`: what the paper claims, and whether the evidence shows it
    figures    `figures`: the counterparts of the paper's figures
    tables     `report`: the counterparts of its tables, on the screen, as CSV files, as the object of ``--json``

A folder may have files of its own beside these, such as `who_suffers` or `idle_areas`.

A study is a frozen dataclass whose fields are its options, so a script and the command line ask for the same thing:

    study = OstrichStudy(jobs=2_000, users=10)
    evidence = study.run(workers=4)
    for finding in study.findings(evidence):
        print(finding.says, finding.verdict)

`thinktime study` builds a command from every study (`thinktime.cli.study`).
"""

import dataclasses
import importlib
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

from thinktime.analysis.parallel import Progress, Task
from thinktime.analysis.report import Report
from thinktime.analysis.study.answers import answers
from thinktime.analysis.study.finding import Finding
from thinktime.workloads.trace import Trace

Answer = TypeVar("Answer")
Evidence = TypeVar("Evidence")
First = TypeVar("First", bound=Hashable)
Second = TypeVar("Second", bound=Hashable)

Kind = Literal[
    "text", "count", "processors", "replications", "number", "seed", "flag", "log", "logs", "paths", "site", "capacity",
]  # fmt: skip


class StudiedLog(NamedTuple):
    """A log and what to call it: the path that was given."""

    path: str
    trace: Trace


@dataclass(frozen=True, slots=True)
class Option:
    """What the command line needs to know about an option besides its name and default."""

    help: str
    metavar: str | None = None
    kind: Kind = "text"
    """How the words are read: `count` is a whole number of at least 1, `log` the path of a log, `logs` of several
    (repeated), and `paths` of several as arguments.

    `site` is the path of a log too. The options `machines`, `processors` and `memory_unit` say which machine it is for.
    """
    shown: str | None = None
    """The default in words, where it depends on the others."""
    choices: Sequence[str] = ()
    """The values that the option may have, where they are few."""
    most: float | None = None
    """The largest `number`; the least one is 0."""


def option(default: Any, help: str, metavar: str | None = None, kind: Kind = "text", **more: Any) -> Any:
    """A field of a study that is an `Option`; without a default (``...``) it is an argument."""
    about = {"option": Option(help, metavar, kind, **more)}
    return dataclasses.field(default=dataclasses.MISSING if default is ... else default, metadata=about)


@dataclass(frozen=True, kw_only=True)
class Study(ABC, Generic[Answer, Evidence]):
    """A study with its options. Invalid options raise `ValueError`."""

    name: ClassVar[str]
    line: ClassVar[str]
    """What it is, in a line of `thinktime study --help`."""
    unit: ClassVar[str]
    """What its progress counts."""
    files: ClassVar[str]
    """The help of ``--out``: what is written."""
    formats: ClassVar[Sequence[str]] = ("png", "pdf")
    """The formats of its pictures."""
    compared: ClassVar[Sequence[str]] = ()
    """The policies that it compares, where no option changes them."""

    object_only: bool = False
    """Whether to leave out what the object of ``--json`` does not have. Not an option of the command line."""

    @classmethod
    def options(cls) -> dict[str, tuple[Option, Any]]:
        """The options in order, each with its default (`dataclasses.MISSING` for an argument)."""
        return {
            field.name: (field.metadata["option"], field.default)
            for field in dataclasses.fields(cls)
            if "option" in field.metadata
        }

    @abstractmethod
    def tasks(self) -> Mapping[Any, Task[Answer]]:
        """Everything to simulate, by a key under which `gather` finds the answer."""

    @abstractmethod
    def gather(self, answers: Mapping[Any, Answer]) -> Evidence:
        """All answers, put together."""

    def run(
        self,
        workers: int = 1,
        progress: Progress | None = None,
        folder: Path | None = None,
        executor: Executor | None = None,
    ) -> Evidence:
        """Run all tasks; the evidence does not depend on the number of workers.

        Answers are kept in a ``folder``, so that another call makes only those that it lacks. With an ``executor``,
        such as Dask's, tasks are run there.
        """
        return self.gather(answers(self.tasks(), workers, progress, folder, executor))

    def findings(self, evidence: Evidence) -> list[Finding]:
        """What the paper claims, with a verdict each."""
        return list(self._file("findings").findings(evidence))

    def report(self, evidence: Evidence) -> Report:
        """What is told of the evidence: what the terminal shows, what ``--json`` prints, CSV files and pictures."""
        told: Report = self._file("tables").report(evidence)
        return dataclasses.replace(told, figures=lambda: self._file("figures").figures(evidence))

    def write(self, evidence: Evidence, folder: Path) -> None:
        """Write the pictures, the tables and ``study.json`` into a folder that is there (`Report.write`)."""
        self.report(evidence).write(folder, "study", self.formats)

    def _file(self, name: str) -> Any:
        package = type(self).__module__.rpartition(".")[0]
        return importlib.import_module(f"{package}.{name}")


def size_of(log: StudiedLog, processors: int | None) -> int:
    """The size of the machine: what was asked for, else what the log's header says."""
    size = processors or log.trace.machine_size
    if size is None:
        widest = int(log.trace.processors.max())
        raise ValueError(
            f"the header of {log.path} has neither MaxProcs nor MaxNodes; give --processors N "
            f"(the widest job uses {widest:,})"
        )
    return size


def grouped(answers: Mapping[tuple[First, Second], Answer]) -> dict[First, dict[Second, Answer]]:
    """Answers under pairs of keys as one table per first key.

    >>> grouped({("a", 1): "x", ("b", 1): "y", ("a", 2): "z"})
    {'a': {1: 'x', 2: 'z'}, 'b': {1: 'y'}}
    """
    found: dict[First, dict[Second, Answer]] = {}
    for (first, second), answer in answers.items():
        found.setdefault(first, {})[second] = answer
    return found
