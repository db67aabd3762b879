"""Quotas of processor time: who has used more than theirs may run only what disturbs no other job (PP = -infinity).

Source: the slack paper, sections 1.2 and 2.3, which leaves open what a resource is and how it is counted. Ours: what
the holder's jobs have used until now, in processor-seconds, finished and running jobs alike, since the machine began.
A quota is checked when a job is submitted. A job is over quota if that of its user, group or queue is exceeded, not if
exactly the quota has been used.
"""

from collections.abc import Iterable
from math import inf
from pathlib import Path
from typing import Any

from thinktime.models.jobs.view import Request, View
from thinktime.models.policies.slack.priorities import read_table
from thinktime.workloads.arrays import Rows
from thinktime.workloads.names import quoted, shortened

HOLDERS = ("user", "group", "queue")
COLUMNS = (*HOLDERS, "processor_hours")


class Quotas:
    """Processor time by user, group and queue, from lines such as ``{"user": "ada", "processor_hours": 100}``.

    Each line names one holder. A holder that is not named has no limit.
    """

    def __init__(self, lines: Iterable[dict[str, Any]], source: str = "quotas") -> None:
        self.source = source
        self.limits: dict[tuple[str, str], float] = {}
        for number, line in enumerate(lines, 1):
            self._add(line, f"{source}, line {number}")
        self._used: dict[str, dict[int, float]] = {name: {} for name in HOLDERS}
        self._began: dict[int, float] = {}

    @classmethod
    def read(cls, path: str | Path) -> "Quotas":
        """Quotas from a CSV file whose first line names the columns."""
        quotas = cls([], str(path))
        for number, line in read_table(path, COLUMNS):
            quotas._add(line, f"{path}, line {number}")
        return quotas

    def begin(self, rows: Rows, now: float) -> None:
        """Jobs have started: note when, since their holders pay from then on."""
        self._began |= dict.fromkeys(rows.tolist(), now)

    def charge(self, view: View, rows: Rows, now: float) -> None:
        """Jobs have ended or were interrupted: their holders have used what they ran."""
        jobs = view.requests
        spent = [jobs.processors.item(row) * (now - self._began.pop(row)) for row in rows.tolist()]
        for name in HOLDERS:
            used = self._used[name]
            for code, seconds in zip(getattr(jobs, name)[rows].tolist(), spent, strict=True):
                used[code] = used.get(code, 0.0) + seconds

    def exceeded(self, view: View, job: Request, now: float) -> bool:
        """Whether a quota that a job falls under is exceeded."""
        for name in HOLDERS:
            limit = self.limits.get((name, str(getattr(job, name))))
            if limit is not None and self._spent(view, name, job.row, now) > limit:
                return True
        return False

    def _spent(self, view: View, name: str, row: int, now: float) -> float:
        """Processor-seconds of a job's user, group or queue, running jobs up to now."""
        jobs = view.requests
        codes = getattr(jobs, name)
        code = codes.item(row)
        running = view.running_rows[codes[view.running_rows] == code]
        current = float((jobs.processors[running] * (now - jobs.start[running])).sum())
        return self._used[name].get(code, 0.0) + current

    def _add(self, line: dict[str, Any], where: str) -> None:
        holders = [name for name in HOLDERS if name in line]
        if len(holders) != 1 or set(line) - set(COLUMNS) or "processor_hours" not in line:
            raise ValueError(
                f"{where}: a quota names one of {', '.join(HOLDERS)}, and processor_hours; got {quoted(sorted(line))}"
            )
        try:
            hours = float(line["processor_hours"])
        except (TypeError, ValueError):
            hours = -1.0
        if not 0 <= hours < inf:
            raise ValueError(
                f"{where}: processor_hours is {quoted(line['processor_hours'])}, but must be a number of at least 0"
            )
        key = (holders[0], str(line[holders[0]]))
        if key in self.limits:
            raise ValueError(f"{where}: a second quota for {key[0]} {shortened(key[1])}")
        self.limits[key] = hours * 3600

    def __str__(self) -> str:
        return self.source


def as_quotas(given: Any) -> Quotas | None:
    """Quotas from themselves, a CSV file, or a list of lines."""
    if given is None or isinstance(given, Quotas):
        return given
    if isinstance(given, str | Path):
        return Quotas.read(given)
    if isinstance(given, Iterable):
        return Quotas(given)
    raise ValueError(f"quotas are {quoted(given)}, but must be a file or a list of lines")
