"""Reading the folder of a sweep, whose layout is in `store`."""

import csv
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from thinktime.analysis.experiments.integrity import jobs_file
from thinktime.analysis.experiments.kept_batches import Kept
from thinktime.analysis.experiments.observed import InRun
from thinktime.analysis.experiments.scenario import Scenario
from thinktime.analysis.experiments.store import MANIFEST, RESULTS, TABLE
from thinktime.models.orders.scripts import without_scripts
from thinktime.workloads.arrays import DataFrame, pd
from thinktime.workloads.files import whole_or_nothing

IDENTITY = ("key", "policy", "seed")


@dataclass(frozen=True, slots=True)
class SweepFolder:
    """The tables of a sweep's folder, each of the runs finished at that moment."""

    folder: Path

    def __init__(self, folder: str | Path) -> None:
        object.__setattr__(self, "folder", Path(folder))
        if not (self.folder / RESULTS).is_file():
            raise ValueError(
                f"{folder} is not a folder of results, since it has no {RESULTS}; `thinktime run` makes one"
            )

    @property
    def scenario(self) -> Scenario:
        """The scenario that was run; no script that it names is imported."""
        with without_scripts("the scenario of a sweep is read, not run"):
            try:
                return Scenario.model_validate_json(self._meta("scenario"))
            except ValidationError:
                raise ValueError(f"{self.folder / RESULTS} has no scenario that this version can read") from None

    @property
    def version(self) -> str:
        """The version of thinktime that made the results."""
        return self._meta("thinktime")

    @property
    def parameters(self) -> list[str]:
        """The names of the swept parameters, in the order of the scenario."""
        return list(json.loads(self._meta("parameters")))

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics, in the order of the scenario."""
        return list(json.loads(self._meta("metrics")))

    @property
    def policies(self) -> list[str]:
        """The policies, in the order of the scenario."""
        return list(json.loads(self._meta("policies")))

    @property
    def table(self) -> DataFrame:
        """One row per finished run, sorted by key.

        The columns are ``key``, ``policy``, ``seed``, one per swept parameter and one per metric (NaN if undefined).
        """
        columns = [*IDENTITY, *self.parameters, *self.metrics]
        return pd.DataFrame(self._runs(), columns=columns).astype(dict.fromkeys(self.metrics, "float64"))

    @property
    def failed(self) -> DataFrame:
        """One row per failed run, sorted by key.

        The columns are ``key``, ``policy``, ``seed``, one per swept parameter, ``error`` (one line) and ``traceback``.
        """
        names = self.parameters
        rows = []
        wanted = "key, policy, seed, parameters, error, traceback"
        for *identity, parameters, error, trace in self._rows("failures", wanted):
            given = json.loads(parameters)
            rows.append([*identity, *(given.get(name) for name in names), error, trace])
        return pd.DataFrame(rows, columns=[*IDENTITY, *names, "error", "traceback"])

    @property
    def manifest(self) -> DataFrame:
        """How each run was made, sorted by key.

        The columns are ``key``, ``session``, ``policy``, ``seed``, ``parameters`` (JSON), ``host``, ``pid``,
        ``started`` (UTC), ``seconds``, ``simulation_seconds`` and ``jobs``.
        """
        return self._frame(MANIFEST, "runs", "key")

    @property
    def sessions(self) -> DataFrame:
        """One row for each time that the sweep was started.

        The columns are ``session``, ``started``, ``ended`` (None if it was killed), ``host``, ``executor``,
        ``workers`` and ``versions`` (a dictionary).
        """
        table = self._frame(MANIFEST, "sessions", "session")
        return table.assign(versions=[json.loads(each) for each in table["versions"]])

    def digests(self) -> dict[str, str]:
        """The hash of everything that each finished run depends on, by key."""
        return dict(self._rows("runs", "key, digest"))

    def series(self, key: str) -> dict[str, list[float | None]]:
        """The small curves of a run, by name; empty if the scenario has ``outputs.series = false``.

        ``quantiles`` are the levels at which ``wait`` (s) and ``bounded_slowdown_10`` of the measured jobs are given,
        with linear interpolation. ``time`` (s) are the edges of bins, with the means of ``utilization`` (fraction) and
        ``queued_processors`` in each. ``waiting_jobs`` is the share of the jobs that wait longer than each of
        `measured_run.ELAPSED` for their start, by Kaplan and Meier; None if unknown.
        """
        for (series,) in self._rows("series", "series", "WHERE key = ?", (key,)):
            return dict(json.loads(series))
        return {}

    def observed(self) -> dict[str, InRun]:
        """What was served, given up and unfinished in each run, and the observations of its metrics; see `observed`."""
        if not self._has("observed"):
            return {}
        return {key: InRun.read(json.loads(text)) for key, text in self._rows("observed", "key, observed")}

    def batches(self) -> dict[str, dict[str, Kept]]:
        """The batch means by run and metric, for points at which nothing is random; see `kept_batches`."""
        if not self._has("batches"):
            return {}
        return {
            key: {name: Kept.read(each) for name, each in json.loads(text).items()}
            for key, text in self._rows("batches", "key, batches")
        }

    def jobs(self, key: str) -> DataFrame:
        """The table of jobs of a run; ``ValueError`` if they were not stored (`outputs.jobs`)."""
        for (digest,) in self._rows("runs", "digest", "WHERE key = ?", (key,)):
            path = jobs_file(self.folder, key, digest)
            if not path.exists():
                raise ValueError(f"{self.folder} has no jobs of {key}; `outputs.jobs = true` stores them")
            return pd.read_parquet(path)
        raise ValueError(f"{self.folder} has no finished run {key}")

    def write_table(self) -> Path:
        """Write `table` as results.csv, row by row, so that memory does not grow with the number of runs."""
        target = self.folder / TABLE
        with whole_or_nothing(target) as aside, aside.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([*IDENTITY, *self.parameters, *self.metrics])
            writer.writerows(self._runs())
        return target

    def __len__(self) -> int:
        """The number of finished runs."""
        return int(next(self._rows("runs", "COUNT(*)", ""))[0])

    def __repr__(self) -> str:
        failed = next(self._rows("failures", "COUNT(*)", ""))[0]
        return f"<{type(self).__name__} in {self.folder}: {len(self)} runs finished, {failed} failed>"

    def means(self) -> DataFrame:
        """The mean of each metric over the seeds, by policy and parameters, in the order of the scenario."""
        table, by = self.table, ["policy", *self.parameters]
        table["policy"] = table["policy"].astype("category").cat.set_categories(self.policies)
        grouped = table.groupby(by, observed=True, dropna=False)
        return grouped[self.metrics].mean()

    def _runs(self) -> Iterator[list[Any]]:
        """The rows of `table`; None for what is undefined."""
        names, metrics = self.parameters, self.metrics
        for *identity, parameters, values in self._rows("runs", "key, policy, seed, parameters, metrics"):
            given, measured = json.loads(parameters), json.loads(values)
            yield [*identity, *map(given.get, names), *map(measured.get, metrics)]

    def _has(self, table: str) -> bool:
        """Whether the table exists; folders of earlier versions may not have it."""
        return bool(list(self._rows("sqlite_master", "name", "WHERE name = ?", (table,))))

    def _meta(self, name: str) -> str:
        for (value,) in self._rows("meta", "value", "WHERE name = ?", (name,)):
            return str(value)
        raise ValueError(f"{self.folder} has no results yet; its sweep was interrupted before it began")

    def _rows(
        self, table: str, columns: str, rest: str = "ORDER BY key", values: tuple[Any, ...] = ()
    ) -> Iterator[tuple[Any, ...]]:
        with closing(_reading(self.folder / RESULTS)) as connection:
            try:
                yield from connection.execute(f"SELECT {columns} FROM {table} {rest}", values)
            except sqlite3.DatabaseError as error:
                raise ValueError(f"{self.folder / RESULTS} cannot be read ({error})") from None

    def _frame(self, file: str, table: str, by: str) -> DataFrame:
        with closing(_reading(self.folder / file)) as connection:
            cursor = connection.execute(f"SELECT * FROM {table} ORDER BY {by}")
            names = [each[0] for each in cursor.description]
            return pd.DataFrame(cursor.fetchall(), columns=names)


def _reading(path: Path) -> sqlite3.Connection:
    """Open a database for reading; a reader waits while a transaction is being written."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=30)
