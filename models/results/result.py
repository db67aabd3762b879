"""The `Result` of a run up to its horizon.

A result is a `Schedule` with everything computed from it: tables (`jobs`, `users`, `campaigns`), the `summary`, and the
files that other tools read (`to_swf`, `to_csv`).
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

from thinktime.models.results import kept, tables
from thinktime.models.results.batsim_export import write_jobs_csv
from thinktime.models.results.schedule import Schedule
from thinktime.models.results.site_log import write_site_log
from thinktime.models.results.summary import Summary, summarise
from thinktime.models.results.swf_export import write_result
from thinktime.models.results.windowed import Windowed, during
from thinktime.workloads.arrays import AnyArray, DataFrame, pd
from thinktime.workloads.html import Page
from thinktime.workloads.trace import Time


@dataclass(frozen=True, eq=False, repr=False)
class Result(Schedule):
    """The jobs of one machine up to its horizon, with their tables, their summary and their files.

    `result["start"]` is a column (read-only), `result["wait"]` a measure of each job, as in `jobs`; the attribute
    `unix_start` is the Unix time of t = 0. The tables are
    computed at first use and kept. Each access returns a copy, to which columns may be added safely.

    >>> import thinktime as tt
    >>> log = tt.Trace({"submit": [0, 0], "runtime": [10, 20], "allocated": [2, 1]})
    >>> result = tt.replay(log, "fcfs", 2)
    >>> result["start"].tolist(), result.summary()["mean_wait"], result.summary()["makespan"]
    ([0.0, 10.0], 5.0, 30.0)
    """

    def __getitem__(self, column: str) -> AnyArray:
        if column in self.columns or (measure := tables.measured_by(self).get(column)) is None:
            return super().__getitem__(column)
        return measure(self)

    def _known(self) -> list[str]:
        return [*self.columns, *tables.measured_by(self)]

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    @property
    def jobs(self) -> DataFrame:
        """One row per job, in the machine's order, with labels, the state as text, and the measures."""
        return self._table("jobs")

    @property
    def users(self) -> DataFrame:
        """One row per user: outcomes of the jobs, waits of those served, and what was given up."""
        return self._table("users")

    @property
    def campaigns(self) -> DataFrame:
        """One row per campaign: its submission, start and end, outcome, work, and the think time before it."""
        return self._table("campaigns")

    @property
    def runs(self) -> DataFrame:
        """One row per run of a job: when, on which processors, how it ended, and what became of its time.

        ``progress``, ``overhead`` and ``lost`` (s) add up to its length. On a machine that does not change, every job
        that started has one run.
        """
        return pd.DataFrame(tables.runs(self))

    @property
    def lost(self) -> DataFrame:
        """Lost demand, one row per job (or part) that users gave up: time, user, reason, jobs and node-hours."""
        return pd.DataFrame(self.lost_demand)

    @property
    def answers(self) -> DataFrame:
        """Responses, one row for each job and response: time, user, response, behaviour, processor-hours, delay (s)."""
        return pd.DataFrame(self.responses)

    def summary(self, start: Time | None = None, end: Time | None = None) -> Summary:
        """The numbers by which runs are compared, of all of it or of the window [start, end) (see `during`)."""
        return summarise(self.during(start, end))

    def during(self, start: Time | None = None, end: Time | None = None) -> Windowed[Self]:
        """The window from ``start`` to before ``end``, each in s, or a date in the log's time zone (None: no bound).

        It has the ``jobs`` submitted in it, as a result, and its ``utilization()``, ``throughput()`` and so on.
        """
        return during(self, start, end)

    def to_swf(self, path: str | Path, *, work: bool = False, site: bool = False) -> Path:
        """Write all jobs in the Standard Workload Format 2.2; see `thinktime.models.results.swf_export`.

        With ``work``, field 4 is the whole work of each job that ran, and there are no lines for runs: a log to replay.
        With ``site``, it is what the site would have recorded (`thinktime.models.results.site_log`).
        """
        if site and work:
            raise ValueError("a site records no work that jobs have not done; give site or work")
        return write_site_log(self, Path(path)) if site else write_result(self, Path(path), work)

    def to_csv(self, path: str | Path, workload: str = "w0") -> Path:
        """Write all jobs in the columns of Batsim's jobs.csv; see `thinktime.models.results.batsim_export`."""
        return write_jobs_csv(self, Path(path), workload)

    def view(self, title: str | None = None) -> Page:
        """A page to look into it: processors, queue, jobs and users over time; see `thinktime.analysis.view`.

        A notebook shows it, ``result.view().write("view.html")`` makes a file, and `tt.view` shows several results
        side by side. It needs Bokeh, ``pip install 'thinktime[view]'``.
        """
        # The one call from here to a higher room, which is looked up when it is made, as lazy names are.
        page: Page = importlib.import_module("thinktime.analysis.view.page").view(self, title)
        return page

    def save(self, path: str | Path) -> Path:
        """Write all of it to a file (.npz), which `load` and ``thinktime view`` read; returns the path."""
        return kept.write(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The result that `save` wrote to a file; ``ValueError`` if it is another kind of file."""
        return cls(**kept.read(Path(path)))

    @cached_property
    def _tables(self) -> dict[str, DataFrame]:
        return {}

    def _table(self, name: str) -> DataFrame:
        """A shallow copy of the table of this name, which is computed at first use."""
        if name not in self._tables:
            make: Callable[[Schedule], DataFrame] = getattr(tables, name)
            self._tables[name] = make(self)
        return self._tables[name].copy(deep=False)
