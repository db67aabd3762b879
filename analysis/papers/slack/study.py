"""The slack paper's study (section 5): the months of a log under conservative and slack-based backfilling.

Each month is a run of its own on an empty machine, with the jobs that were submitted in it by the clock of the log's
zone. Jobs are killed at their estimates. Every job counts, the drain included, and the mean over months is over all
jobs. In each month every fifth submitted job (the 5th, 10th, …) is the *preferred* one, whether it gets a priority or
not. A log without a start date counts from 1970 on.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

import thinktime as tt
from thinktime.analysis.papers.slack.printed import AWT
from thinktime.analysis.papers.slack.runs import Case, Run, Waits, cases_of, months_of, together
from thinktime.analysis.study import StudiedLog, Study, grouped, option

QUICK_MONTHS = 3


@dataclass(frozen=True, slots=True)
class Evidence:
    """The results of all runs: for each case, the waits by month (one entry for a whole run)."""

    processors: int
    other: int | None
    """The second column's machine."""
    awt: str
    months: list[str]
    waits: dict[str, list[Waits]]

    def total(self, case: str) -> Waits:
        """All months of a case together."""
        return together(self.waits[case])

    def mean(self, case: str) -> float:
        """Mean wait over all jobs of a case, s."""
        return self.total(case).mean

    def better(self, case: str, than: str = "conservative") -> float:
        """By how much a case shortens the mean wait, as a fraction."""
        return 1 - self.mean(case) / self.mean(than) if self.mean(than) else np.nan


@dataclass(frozen=True, kw_only=True)
class SlackStudy(Study[Waits, Evidence]):
    """Slack-based backfilling against conservative backfilling: months, heuristics, priorities."""

    name = "slack"
    line = "Slack-based against conservative backfilling."
    unit = "runs"
    files = "Write pictures and tables."

    log: StudiedLog = option(..., "A log: .swf, .swf.gz, or PRESET:PATH of a data set.", "TRACE", "log")
    processors: int = option(128, "Size of the machine; 128 is the paper's.", "N", "processors")
    other: int | None = option(None, "Size of a second machine.", "N", "processors", shown="what the log's header says")
    awt: str = option(f"{AWT:g}", "Average wait time (s) that scales the slack; the paper's by default.", "S|auto")
    quick: bool = option(False, f"Run only the first {QUICK_MONTHS} months.", kind="flag")

    def __post_init__(self) -> None:
        tt.policies.from_spec(f"slack:awt={self.awt}")

    def second(self) -> int | None:
        """The size of the second machine; None for no second one."""
        headers = self.log.trace.machine_size
        return headers if self.other is None and headers != self.processors else self.other

    def months(self) -> dict[str, tt.Trace]:
        """The months that are run."""
        months = months_of(self.log.trace)
        return dict(list(months.items())[:QUICK_MONTHS]) if self.quick else months

    def cases(self) -> list[Case]:
        """What is run in every month, or on the whole log."""
        return cases_of(self.processors, self.second(), self.awt, not self.object_only)

    def tasks(self) -> dict[tuple[str, str], Run]:
        """By case and month; a run of the whole log has no month."""
        months = self.months()
        whole = self._whole(months)
        return {
            (case.name, month): Run(case, part)
            for case in self.cases()
            for month, part in ({"": whole} if case.whole else months).items()
        }

    def _whole(self, months: Mapping[str, tt.Trace]) -> tt.Trace:
        """The log as one run; a quick one ends with its last month."""
        log, last = self.log.trace, list(months.values())[-1].submit[-1]
        return log.select(log.submit <= last) if self.quick else log

    def gather(self, answers: Mapping[tuple[str, str], Waits]) -> Evidence:
        """Waits by case and month. ``ValueError`` if no job waits, so that there is nothing to compare."""
        waits = {case: list(months.values()) for case, months in grouped(answers).items()}
        found = Evidence(self.processors, self.second(), self.awt, list(self.months()), waits)
        if not (self.object_only or all(map(found.mean, ("conservative", "ast", "ast preferred")))):
            raise ValueError(
                f"no job waits on {self.processors} processors, so there is nothing to compare; "
                "give fewer with --processors"
            )
        return found
