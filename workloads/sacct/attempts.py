"""From the lines of sacct to attempts of jobs: steps are folded into them, what is there twice is left out.

* A line of a step (`123.batch`, `123.extern`, `123.0`) says how much memory and CPU time its job used; the job
  itself is the line before it with the same number.
* Dumps of one month after the other overlap: of two lines of one job with one submission and one start (or
  the first without a start), the later one, which knows more, counts.
* `sacct --duplicates` lists each attempt of a requeued job. Every attempt that ran held its processors, so it
  is a job of its own, which depends on the attempt before it (SWF fields 17 and 18); one that never ran is left
  out if another follows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from thinktime.workloads.sacct.lines import SacctLine
from thinktime.workloads.sacct.records import Record, record
from thinktime.workloads.sacct.tally import Tally
from thinktime.workloads.sacct.values import SiteClock, job_and_step

Key = tuple[str, str]


class Attempts:
    """The attempts of each job, collected line by line."""

    def __init__(self, clock: SiteClock, tally: Tally) -> None:
        self.lines = 0
        self._clock, self._tally = clock, tally
        self._jobs: dict[Key, list[Record]] = {}
        self._current: dict[Key, Record] = {}

    def read(self, rows: Iterable[SacctLine]) -> None:
        """Take in the lines of a file; a malformed one is left out, and told."""
        for row in rows:
            self.lines += 1
            if row.values is None:
                self._tally.add("dropped", "malformed line: not as many values as columns", row.line)
                continue
            try:
                self._take(row.values, row.line)
            except (ValueError, OverflowError) as error:
                self._tally.add("dropped", f"malformed line: {error}", row.line)

    def of_each_job(self) -> Iterator[list[Record]]:
        """The attempts of each job, by start; those that were replaced before they ran are left out."""
        for attempts in self._jobs.values():
            attempts.sort(key=lambda each: (each.submit, math.inf if each.start is None else each.start))
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
            self._tally.add("noted", "tasks of a pending array in one line, kept as one job", line)
        if "+" in name:
            self._tally.add("noted", "component of a heterogeneous job, kept as a job of its own", line)
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
        self._tally.add("repaired", "step folded into its job", line)


def _same(old: Record, new: Record) -> bool:
    """Whether two lines are about one attempt."""
    if old.start is not None and new.start is not None:
        return old.start == new.start
    return old.submit == new.submit and old.start is None
