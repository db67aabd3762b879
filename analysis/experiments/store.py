"""Writing the folder of a sweep: by one process, with a transaction per run.

    results.sqlite    the results; the same bytes whatever the executor, the workers and the order of the runs
    results.csv       the same as one table, sorted by run key (written when the sweep is complete)
    manifest.sqlite   how the runs were made: versions, host, times; differs from one sweep to the next
    scenario.toml     the scenario
    jobs/             one Parquet file of jobs per run, on request

`store.sql` has the tables of both databases.

The `key` of a run identifies it; its `digest` is the SHA-256 of everything that the result depends on. A killed sweep
leaves only complete runs and perhaps a partial file, which the next sweep removes. At the end, `seal` rewrites
results.sqlite in the order of the keys, since SQLite's pages are in the order in which the runs ended.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from thinktime.analysis.experiments.integrity import JOBS, changed, checksum, jobs_file
from thinktime.workloads.files import whole_or_nothing

FORMAT = "3"
RESULTS, MANIFEST, TABLE = "results.sqlite", "manifest.sqlite", "results.csv"
SCENARIO = "scenario.toml"

PATIENCE = 30.0
"""How long to wait for a database that another process has locked (s)."""

_SCHEMAS = files("thinktime.analysis.experiments").joinpath("store.sql").read_text(encoding="utf-8")
_RESULTS, _MANIFEST = _SCHEMAS.split("\n\n")
TABLES = ("meta", "runs", "series", "batches", "observed", "failures")


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of a run: its key, the hash of what its result depends on, and what varies between runs."""

    key: str
    digest: str
    policy: str
    seed: int
    parameters: Mapping[str, Any]

    @property
    def row(self) -> tuple[str, str, str, int, str]:
        """The first columns of its row."""
        return self.key, self.digest, self.policy, self.seed, dumps(self.parameters)


@dataclass(frozen=True, slots=True)
class Circumstances:
    """How a run was made, which may differ from one time to the next."""

    host: str = ""
    pid: int = 0
    started: str = ""
    """When the run began, UTC, ISO 8601."""
    seconds: float = 0.0
    """Wall-clock time of the whole run, including building the model and measuring."""
    simulation_seconds: float | None = None
    """Wall-clock time of the event loop alone."""
    jobs: int = 0


@dataclass(frozen=True, slots=True)
class StoredOutcome:
    """The outcome of one run: its metrics, or the error that ended it."""

    run: Identity
    metrics: Mapping[str, float | None] | None = None
    series: Mapping[str, list[float | None]] = field(default_factory=dict)
    batches: Mapping[str, Any] = field(default_factory=dict)
    """By metric, see `kept_batches.kept`."""
    observed: Mapping[str, Any] = field(default_factory=dict)
    """What was observed in the run, as `observed.kept` writes it."""
    jobs: bytes | None = None
    """The table of jobs as a Parquet file."""
    error: str = ""
    traceback: str = ""
    circumstances: Circumstances = Circumstances()


def dumps(value: Any) -> str:
    """A value in canonical JSON: equal values give equal texts."""
    return json.dumps(value, sort_keys=True, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def opened(path: Path, schema: str) -> sqlite3.Connection:
    """Open a database for writing; if its writer was killed, only complete transactions are found.

    With a write-ahead log nothing waits for the disk: 0.05 ms per transaction were measured, instead of 0.6 to 7. A
    power failure may lose the last runs, which are then repeated. SQLite's default journal is used on file systems
    that do not support such a log (some network ones).
    """
    connection = sqlite3.connect(path, isolation_level=None, timeout=PATIENCE)
    try:
        with suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.executescript(f"BEGIN; {schema} COMMIT;")
    except sqlite3.DatabaseError as error:
        connection.close()
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL:
            raise
        raise ValueError(f"{path} cannot be used ({error}); give another folder") from None
    return connection


def close(connection: sqlite3.Connection) -> None:
    """Close a database after moving its write-ahead log into the file, so that none is left behind."""
    with suppress(sqlite3.OperationalError):  # another process has been reading for longer than PATIENCE
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode=DELETE")
    connection.close()


class Store:
    """The folder of a sweep, for the only process that writes it; use it in a `with` block."""

    def __init__(self, folder: Path, meta: Mapping[str, str]) -> None:
        self._meta = {"format": FORMAT, **meta}
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(folder)
        self._open: list[sqlite3.Connection] = []
        self._session = 0
        try:
            for name, schema in ((RESULTS, _RESULTS), (MANIFEST, _MANIFEST)):
                self._open.append(opened(folder / name, schema))
            self._results, self._manifest = self._open
            self._refuse_others(self._meta)
            self.changed = changed(self._results, folder)
            """The keys of runs to be repeated, because their stored results were changed."""
        except BaseException:
            self.__exit__()
            raise
        # Remove partial files of a killed sweep; the caller holds the lock, so no other process is writing them.
        for place in (folder, folder / JOBS):
            for half in place.glob(".*.part*"):
                half.unlink(missing_ok=True)

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        while self._open:
            close(self._open.pop())
        os.close(self._lock)

    def begin(self, started: str, host: str, executor: str, workers: int, versions: Mapping[str, str]) -> None:
        """Record who is about to make the runs, update the description, and delete changed results."""
        with transaction(self._results) as results:
            results.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", sorted(self._meta.items()))
            for table in ("runs", "series", "batches", "observed"):
                results.executemany(f"DELETE FROM {table} WHERE key = ?", [(key,) for key in self.changed])
        row = (started, host, executor, workers, dumps(versions))
        columns = "(started, host, executor, workers, versions)"
        cursor = self._manifest.execute(f"INSERT INTO sessions {columns} VALUES (?, ?, ?, ?, ?)", row)
        self._session = cursor.lastrowid or 0

    def end(self, ended: str) -> None:
        """Record that all runs have been made."""
        self._manifest.execute("UPDATE sessions SET ended = ? WHERE session = ?", (ended, self._session))

    def has(self, run: Identity) -> bool:
        """Whether this run is finished, with this digest."""
        row = self._results.execute("SELECT digest FROM runs WHERE key = ?", (run.key,)).fetchone()
        return row is not None and row[0] == run.digest and run.key not in self.changed

    @property
    def finished(self) -> int:
        """How many runs are finished, of this or another scenario."""
        return sum(1 for _ in self.all_keys())

    def all_keys(self) -> Iterator[str]:
        """The keys of the finished runs, in order."""
        keys = (key for (key,) in self._results.execute("SELECT key FROM runs ORDER BY key"))
        return (key for key in keys if key not in self.changed)

    def forget_failures(self, wanted: Iterable[Identity]) -> None:
        """Delete the failures of runs that are no longer wanted; the wanted ones are tried again."""
        if gone := {key for (key,) in self._results.execute("SELECT key FROM failures")}:
            gone.difference_update(run.key for run in wanted)
        with transaction(self._results) as results:
            results.executemany("DELETE FROM failures WHERE key = ?", [(key,) for key in gone])

    def metrics(self, key: str) -> dict[str, float | None]:
        """The metrics of a run; empty if it is not finished."""
        row = self._results.execute("SELECT metrics FROM runs WHERE key = ?", (key,)).fetchone()
        found: dict[str, float | None] = json.loads(row[0]) if row else {}
        return found

    def add(self, outcome: StoredOutcome) -> None:
        """Write the outcome of a run, completely or not at all: the result, which is written last, makes it count."""
        run, how = outcome.run, outcome.circumstances
        if outcome.jobs is not None:
            target = jobs_file(self.folder, run.key, run.digest)
            target.parent.mkdir(exist_ok=True)
            with whole_or_nothing(target) as aside:
                aside.write_bytes(outcome.jobs)
        about = (how.host, how.pid, how.started, how.seconds, how.simulation_seconds, how.jobs)
        row = (run.key, self._session, run.policy, run.seed, dumps(run.parameters), *about)
        marks = ", ".join("?" * len(row))
        self._manifest.execute(f"INSERT OR REPLACE INTO runs VALUES ({marks})", row)
        with transaction(self._results) as results:
            for table in TABLES[1:]:
                results.execute(f"DELETE FROM {table} WHERE key = ?", (run.key,))
            if outcome.metrics is None:
                failed = (*run.row, outcome.error, outcome.traceback)
                results.execute("INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?, ?)", failed)
                return
            jobs = "" if outcome.jobs is None else hashlib.sha256(outcome.jobs).hexdigest()
            finished = (*run.row, dumps(outcome.metrics), jobs)
            curves = {"series": outcome.series, "batches": outcome.batches, "observed": outcome.observed}
            stored = {table: dumps(each) if each else None for table, each in curves.items()}
            whole = (*finished, checksum(*finished, *stored.values()))
            results.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", whole)
            for table, text in stored.items():
                if text is not None:
                    results.execute(f"INSERT INTO {table} VALUES (?, ?)", (run.key, text))
        self.changed.discard(run.key)

    def seal(self) -> None:
        """Rewrite results.sqlite with sorted rows, so that its bytes depend on the results alone; called last."""
        with whole_or_nothing(self.folder / RESULTS) as aside:
            self._copy(aside)
            # Empty the write-ahead log, which must not be left beside a file that it does not belong to.
            busy, *_ = self._results.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if busy:
                where = self.folder / RESULTS
                raise ValueError(f"{where} is being read by another process; run the sweep again afterwards")
            close(self._open.pop(0))

    def _copy(self, aside: Path) -> None:
        with closing(sqlite3.connect(aside, isolation_level=None)) as fresh:
            fresh.executescript(f"BEGIN; {_RESULTS} COMMIT;")
            with transaction(fresh):
                for table in TABLES:
                    rows = self._results.execute(f"SELECT * FROM {table} ORDER BY 1")
                    marks = ", ".join("?" * len(rows.description))
                    fresh.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)

    def _refuse_others(self, meta: Mapping[str, str]) -> None:
        known = dict(self._results.execute("SELECT name, value FROM meta"))
        for name in ("format", "thinktime"):
            if name in known and known[name] != meta.get(name):
                raise ValueError(
                    f"{self.folder} was written with {name} {known[name]}, and this is {name} {meta.get(name)}; "
                    "give another folder, so that results do not mix"
                )


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Commit everything done inside, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # on a full disk SQLite may already have rolled back
            connection.execute("ROLLBACK")
        raise


def _locked(folder: Path) -> int:
    """Lock the folder against other sweeps while the returned file descriptor is open."""
    handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        import fcntl
    except ImportError:  # Windows: there is no lock
        return handle
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        message = f"another sweep is writing to {folder}; wait for it, or give another folder"
        raise ValueError(message) from None
    return handle
