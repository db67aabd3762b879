"""The goal paper's study (section V): five policies, month by month, on any log.

Its own log (NCSA IA-64, June 2003 to March 2004) is not public. SDSC-SP2 has the same 128 nodes. Estimates
are set to the run times, as in the paper, or left as users gave them. Every month is simulated on its own
(`thinktime.analysis.months`), under each policy.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

import thinktime as tt
from thinktime.analysis.deviation import SHARES
from thinktime.analysis.months import whole_months
from thinktime.analysis.papers.goal.runs import MonthlyWorkload, Outcome, Run, workload_of
from thinktime.analysis.study import StudiedLog, Study, grouped, option, quoted, shortened, size_of
from thinktime.workloads.calendar import Month

POLICIES = ("easy", "easy:order=lxf", "relshare", "tradeoff", "tradeoff-fs")
TITLES = {
    "easy": "FCFS-backfill",
    "easy:order=lxf": "LXF-backfill",
    "relshare": "RelShare(1d)",
    "tradeoff": "Tradeoff",
    "tradeoff-fs": "Tradeoff-fs",
}
"""What the paper calls each policy."""

ENTITLED = {"maxmin": "max-min fair shares", "proportional": "shares in proportion to demand", "equal": "equal shares"}
"""What users are entitled to of what was delivered each day, in words."""

ESTIMATES = ("exact", "requested")
QUICK = 2  # months
LIMIT = 1000  # default number of nodes of a search


@dataclass(frozen=True, slots=True)
class Evidence:
    """The results of all runs: outcomes by month and policy, in the order of the months."""

    log: str
    processors: int
    estimates: str
    months: list[Month]
    workloads: list[MonthlyWorkload]
    outcomes: dict[str, dict[str, Outcome]]
    entitled: str = "maxmin"
    """The share that users are entitled to by default."""

    def series(self, policy: str, measure: str, entitled: str | None = None) -> NDArray[np.float64]:
        """A measure of a policy, month by month; deviations by a share (default: the study's)."""
        share = entitled or self.entitled
        found = [getattr(self.outcomes[month.name][policy], measure) for month in self.months]
        return np.array([each[share] if isinstance(each, Mapping) else each for each in found])


@dataclass(frozen=True, kw_only=True)
class GoalStudy(Study[Outcome, Evidence]):
    """FCFS-, LXF-backfill, RelShare, Tradeoff, Tradeoff-fs on a log: performance and fair shares by month."""

    name = "goal"
    line = "Backfilling, relative fairshare and search by month."
    unit = "months and policies"
    files = "Write Figures 1 to 5 and tables."
    compared = POLICIES

    log: StudiedLog = option(..., "A log, such as SDSC-SP2's (.swf or .swf.gz).", "TRACE", "log")
    months: str | None = option(
        None,
        "Months, such as 1999-03,1999-05..1999-07, or a number N for the first N.",
        "LIST",
        shown="all whole months of the log",
    )
    quick: bool = option(False, f"Run only the first {QUICK} of these months.", kind="flag")
    estimates: str = option(
        "exact", "Plan with exact run times, as in the paper, or with requested times.", choices=ESTIMATES
    )
    entitled: str = option(
        "maxmin",
        "Daily entitlements of users: max-min fair shares, shares in proportion to demand, or equal shares.",
        choices=SHARES,
    )
    limit: int = option(LIMIT, "Search nodes per decision.", "N", "count")
    processors: int | None = option(None, "Size of the machine.", "N", "processors", shown="the log's")

    def __post_init__(self) -> None:
        self.size()
        self.chosen  # noqa: B018

    def size(self) -> int:
        """The size of the machine."""
        return size_of(self.log, self.processors)

    @cached_property
    def chosen(self) -> list[Month]:
        """The months that are run."""
        months = chosen_months(self.log.trace, self.log.path, self.months, whole_months(self.log.trace))
        return months[:QUICK] if self.quick else months

    def tasks(self) -> dict[tuple[str, str], Run]:
        """By month and policy."""
        trace = self._planned()
        options = "" if self.limit == LIMIT else f":limit={self.limit}"
        specs = {policy: policy + options * policy.startswith("tradeoff") for policy in POLICIES}
        return {
            (month.name, policy): Run(trace, self.size(), spec, month, self.entitled)
            for month in self.chosen
            for policy, spec in specs.items()
        }

    def _planned(self) -> tt.Trace:
        """The log with the estimates that policies plan with."""
        trace = self.log.trace
        return trace if self.estimates == "requested" else trace.with_columns(requested_time=trace.runtime)

    def gather(self, answers: Mapping[tuple[str, str], Outcome]) -> Evidence:
        """Outcomes by month and policy, and the workload of every month."""
        trace, size = self._planned(), self.size()
        lines = [workload_of(trace, month, size) for month in self.chosen]
        outcomes = grouped(answers)
        return Evidence(self.log.path, size, self.estimates, self.chosen, lines, outcomes, self.entitled)


def chosen_months(log: tt.Trace, path: str, text: str | None, known: list[Month]) -> list[Month]:
    """The months that `--months` names, or all whole ones; each must have jobs."""
    span = log.calendar.months(log.submit.item(0), log.submit.item(-1))
    if text is None or (text.strip().isdigit() and len(text.strip()) < 4):
        if not known:
            raise ValueError(f"{path} holds no whole month; name one with --months, such as {span[0].name}")
        if text is not None and int(text) < 1:
            raise ValueError(f"--months must be a whole number of at least 1, not {quoted(text)}")
        return known if text is None else known[: int(text)]
    names = [month.name for month in span]
    picked: list[str] = []
    for part in text.replace("+", ",").split(","):
        first, dots, last = part.strip().partition("..")
        for name in (first, last) if dots else (first,):
            if name not in names:
                raise ValueError(
                    f"--months: {path} has no month {quoted(name)}; its months are {names[0]} to {names[-1]}, "
                    "written as 1999-03,1999-05..1999-07"
                )
        wanted = names[names.index(first) : names.index(last) + 1] if dots else [first]
        if not wanted:
            raise ValueError(f"--months: {shortened(part, 40)} goes backwards; write {last}..{first}")
        picked += wanted
    months = [month for month in span if month.name in picked]
    for month in months:
        if not ((log.submit >= month.start) & (log.submit < month.end)).any():
            raise ValueError(f"--months: {path} has no jobs submitted in {month.name}")
    return months
