"""The cleaning report: what a reader dropped from a log, what it repaired, and what is odd but kept.

Nothing is dropped silently. Two people who report the same log and the same counts have simulated the same jobs.
"""

from dataclasses import dataclass, field
from typing import Literal

from thinktime.workloads.arrays import Flags, Whole
from thinktime.workloads.data_set import DataSet
from thinktime.workloads.html import paragraph, table

Action = Literal["dropped", "repaired", "noted"]
ACTIONS: tuple[Action, ...] = ("dropped", "repaired", "noted")


@dataclass(frozen=True, slots=True)
class CleaningEntry:
    """One kind of finding: what was done, why, how often, and the line of the first one (from 1)."""

    kind: Action
    reason: str
    count: int
    line: int | None

    def __str__(self) -> str:
        where = "" if self.line is None else f", first in line {self.line:,}"
        return f"{self.kind:<8} {self.count:>9,}  {self.reason}{where}"


@dataclass(slots=True)
class CleaningReport:
    """What happened to the lines of one log.

    `records` is the number of lines with a job in the file, `jobs` the number of jobs kept. Their difference is
    exactly the sum of `dropped` and of the burst lines under `repaired` (see `read`).
    """

    source: str = ""
    records: int = 0
    jobs: int = 0
    entries: list[CleaningEntry] = field(default_factory=list)
    withdrawn_work: float = 0.0
    """Processors times requested time of the jobs that were cancelled without a run, s."""
    data_set: DataSet | None = None
    """What is known of the data set that the log is from, if it is from one."""

    def add(self, kind: Action, reason: str, count: int, line: int | None = None) -> None:
        """Add a finding, unless its count is 0."""
        if count:
            self.entries.append(CleaningEntry(kind, reason, count, line))

    def add_rows(self, kind: Action, reason: str, found: Flags, lines: Whole) -> None:
        """Add the rows for which `found` holds; `lines` are the rows' line numbers in the file."""
        if found.any():
            self.add(kind, reason, int(found.sum()), int(lines[found].min()))

    def of_copies(self, jobs: int) -> "CleaningReport":
        """The report of a log whose jobs were drawn from those of this one: it is from the same data set."""
        return CleaningReport(records=jobs, jobs=jobs, data_set=self.data_set)

    @property
    def dropped(self) -> dict[str, int]:
        """Reasons and numbers of the jobs dropped."""
        return self._counts("dropped")

    @property
    def repaired(self) -> dict[str, int]:
        """Reasons and numbers of the lines changed, moved or merged."""
        return self._counts("repaired")

    @property
    def noted(self) -> dict[str, int]:
        """What is odd, and how many of the kept jobs have it."""
        return self._counts("noted")

    def _counts(self, kind: Action) -> dict[str, int]:
        counts: dict[str, int] = {}
        for entry in self.entries:
            if entry.kind == kind:
                counts[entry.reason] = counts.get(entry.reason, 0) + entry.count
        return counts

    def __str__(self) -> str:
        title = f"{self.source}: " if self.source else ""
        head = f"{title}{self.jobs:,} jobs from {self.records:,} lines"
        said = () if self.data_set is None else self.data_set.sentences
        return "\n".join([head, *(f"  {entry}" for entry in self._ordered()), *(f"  {sentence}" for sentence in said)])

    def _repr_html_(self) -> str:
        title, *_ = str(self).splitlines()
        rows = [
            [each.kind, each.reason, f"{each.count:,}", "" if each.line is None else f"{each.line:,}"]
            for each in self._ordered()
        ]
        head = ["action", "reason", "lines", "first line"]
        said = "" if self.data_set is None else "".join(paragraph(sentence) for sentence in self.data_set.sentences)
        return paragraph(title) + (table(head, rows, keys=2) if rows else "") + said

    def _ordered(self) -> list[CleaningEntry]:
        return sorted(self.entries, key=lambda entry: ACTIONS.index(entry.kind))
