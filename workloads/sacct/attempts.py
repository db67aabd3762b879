"""Collect the attempts of jobs from the lines of sacct; steps are merged into them, duplicates are dropped.

* The line of a step (`123.batch`, `123.extern`, `123.0`) has the memory and CPU time that its job used. The job is
  the last line before it with the same number.
* Monthly dumps overlap. Of two lines of a job with the same submission and start (or the first without a start),
  the later one is kept, since it is more complete.
* `sacct --duplicates` lists each attempt of a requeued job. Every attempt that ran occupied its processors, so it
  becomes a job of its own that depends on the previous attempt (SWF fields 17 and 18). An attempt that never ran is
  dropped if another follows.
"""

import math
from collections.abc import Callable, Iterable, Iterator

from thinktime.workloads.cleaning import Action, CleaningReport
from thinktime.workloads.sacct.lines import SacctLine
from thinktime.workloads.sacct.records import Record, record
from thinktime.workloads.sacct.values import SiteClock, job_and_step


class Tally:
    """The number and the first line of each finding."""

    def __init__(self) -> None:
        self._found: dict[tuple[Action, str], tuple[int, int]] = {}

    def add(self, kind: Action, reason: str, line: int, times: int = 1) -> None:
        """Add a finding, or several in one line."""
        count, first = self._found.get((kind, reason), (0, line))
        self._found[kind, reason] = (count + times, min(first, line))

    def about(self, line: int) -> Callable[[Action, str], None]:
        """A function that adds findings in one line."""
        return lambda kind, reason: self.add(kind, reason, line)

    def enter(self, report: CleaningReport, with_lines: bool) -> None:
        """Add everything to a report, with line numbers or not."""
        for (kind, reason), (count, first) in self._found.items():
            report.add(kind, reason, count, first if with_lines else None)


Key = tuple[str, str]


class Attempts:
    """The attempts of each job, collected line by line."""

    def __init__(self, clock: SiteClock, tally: Tally) -> None:
        self.lines = 0
        self._clock, self._tally = clock, tally
        self._jobs: dict[Key, list[Record]] = {}
        self._current: dict[Key, Record] = {}

    def read(self, rows: Iterable[SacctLine]) -> None:
        """Read the lines of a file; malformed lines are dropped and counted."""
        for line, values in rows:
            self.lines += 1
            try:
                if isinstance(values, str):
                    raise ValueError(values)
                self._take(values, line)
            except (ValueError, OverflowError) as error:
                self._tally.add("dropped", f"malformed line: {error}", line)

    def of_each_job(self) -> Iterator[list[Record]]:
        """The attempts of each job, by start, without those that were replaced before they ran."""
        for attempts in self._jobs.values():
            attempts.sort(key=lambda each: (each.submit, math.inf if each.start is None else each.start))
            if attempts[-1].restarts >= len(attempts):
                early = "restarted, but earlier attempts are not listed (sacct --duplicates)"
                self._tally.add("noted", early, attempts[-1].line)
            kept = [each for each in attempts if each.runtime is not None or each is attempts[-1]]
            for each in attempts[:-1]:
                if each.runtime is None:
                    self._tally.add("dropped", "attempt of a requeued job that never ran", each.line)
            yield kept

    def _take(self, values: dict[str, str], line: int) -> None:
        name, step = job_and_step(values.get("jobid") or values.get("jobidraw", ""))
        key = (values.get("cluster", "").strip(), name)
        if step is not None:
            self._step(key, values, line)
            return
        new = record(key, values, line, self._clock, self._tally.about(line))
        if new is None:
            self._current.pop(key, None)
            return
        if "[" in name:
            self._tally.add("noted", "tasks of a pending array on one line, kept as one job", line)
        if "+" in name:
            self._tally.add("noted", "component of a heterogeneous job, kept as a separate job", line)
        known = self._jobs.setdefault(key, [])
        for place, old in enumerate(known):
            if _same(old, new):
                self._tally.add("dropped", "superseded by a later line of the same job", old.line)
                known[place] = new
                break
        else:
            known.append(new)
        self._current[key] = new

    def _step(self, key: Key, values: dict[str, str], line: int) -> None:
        job = self._current.get(key)
        if job is None:
            self._tally.add("dropped", "step without its job", line)
            return
        job.add_step(values)
        self._tally.add("repaired", "step merged into its job", line)


def _same(old: Record, new: Record) -> bool:
    """Whether two lines describe the same attempt."""
    if old.start is not None and new.start is not None:
        return old.start == new.start
    return old.submit == new.submit and old.start is None
