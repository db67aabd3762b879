"""A trace: the jobs of a log as columns, in order of (submit, id).

A trace has one read-only NumPy array per SWF field, under the names of `columns.COLUMNS`. Selections and changes
return new traces. Times are in s on the grid, and t = 0 is the log's start (`unix_start`, a Unix time). Missing values
are −1 in whole-number and memory columns, NaN in times.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thinktime.workloads.arrays import AnyArray, DataFrame, Flags, Floats, Whole
from thinktime.workloads.calendar import Calendar, seconds_since, zone_of
from thinktime.workloads.cleaning import CleaningReport
from thinktime.workloads.columns import COLUMNS, LabelNames, complete
from thinktime.workloads.header import Header
from thinktime.workloads.names import Explained, quoted
from thinktime.workloads.pandas_tables import columns_of, table_of
from thinktime.workloads.units import DAY

Time = float | str | datetime.datetime | datetime.date
CANCELLED = 5
"""The status (field 11) of a job that was cancelled."""


class Trace(Explained):
    """The jobs of a log.

    `columns` maps names of `COLUMNS` to arrays of equal length. Only `submit` is required. Jobs without `id`, or with a
    negative one, are numbered in order of submission: from 1, or above all others. Rows are sorted by (submit, id),
    ties in the order given. `header` is the log's header, `extra` the text after field 18 of each line, if it has any.
    `names` are what numbers of users, groups, queues and partitions stand for, by column, as far as it is known.
    ``ValueError`` names a column that does not fit.

    >>> log = Trace({"submit": [5, 0], "runtime": [60, 60], "allocated": [2, 1], "requested_time": [90, 60]})
    >>> log.submit.tolist(), log.processors.tolist(), log.estimate.tolist()
    ([0.0, 5.0], [1, 2], [60.0, 90.0])
    """

    id: Whole
    submit: Floats
    wait: Floats
    runtime: Floats
    allocated: Whole
    cpu_time: Floats
    used_memory: Floats
    requested_processors: Whole
    requested_time: Floats
    requested_memory: Floats
    status: Whole
    user: Whole
    group: Whole
    executable: Whole
    queue: Whole
    partition: Whole
    preceding: Whole
    think_time: Floats
    header: Header
    extra: tuple[str | None, ...] | None
    names: LabelNames
    report: CleaningReport
    """What the reader of the log dropped, repaired and noted; parts and changed copies of a log keep it."""
    further: dict[str, Floats]
    """What a data set says besides, one value per job (NaN: unknown): `eligible` (s), `energy` (J), `power` (W).

    `shape` is the number of a shape, whose text is in `names` (`thinktime.workloads.shapes.of_logs`)."""

    def __init__(
        self,
        columns: Mapping[str, ArrayLike],
        header: Header | None = None,
        extra: Sequence[str | None] | None = None,
        names: LabelNames | None = None,
        report: CleaningReport | None = None,
        further: Mapping[str, Floats] | None = None,
    ) -> None:
        given = complete(columns)
        for name, array in (further or {}).items():
            if len(array) != len(given["submit"]):
                raise ValueError(f"column {quoted(name)} has {len(array)} rows, 'submit' has {len(given['submit'])}")
        self._take(given, Header() if header is None else header, extra, names or {}, report, further or {})

    @classmethod
    def of(
        cls,
        arrays: dict[str, AnyArray],
        header: Header,
        extra: Sequence[str | None] | None,
        names: LabelNames | None = None,
        report: CleaningReport | None = None,
        further: Mapping[str, Floats] | None = None,
    ) -> Trace:
        """A trace of complete columns, as of `columns.complete`, which it takes out of `arrays` without copying."""
        trace = cls.__new__(cls)
        trace._take(arrays, header, extra, names or {}, report, further or {})
        return trace

    def _take(
        self,
        arrays: dict[str, AnyArray],
        header: Header,
        extra: Sequence[str | None] | None,
        names: LabelNames,
        report: CleaningReport | None,
        further: Mapping[str, Floats],
    ) -> None:
        jobs = len(arrays["submit"])
        self.report = CleaningReport(records=jobs, jobs=jobs) if report is None else report
        arrays["id"] = _numbered(arrays["submit"], arrays["id"])
        order = _order(arrays["submit"], arrays["id"])
        self.header, self.names = header, names
        self.extra = None if extra is None else _extra(extra, len(arrays["submit"]), order)
        for column in COLUMNS:
            array = arrays.pop(column.name)
            setattr(self, column.name, _read_only(array if order is None else _picked(array, order)))
        self.further = {name: _read_only(array if order is None else array[order]) for name, array in further.items()}

    @property
    def columns(self) -> dict[str, AnyArray]:
        """All eighteen columns, by name."""
        return {column.name: getattr(self, column.name) for column in COLUMNS}

    @cached_property
    def processors(self) -> Whole:
        """Requested processors, else the allocated ones."""
        asked = self.requested_processors
        return asked if (asked > 0).all() else _read_only(np.where(asked > 0, asked, self.allocated))

    @cached_property
    def estimate(self) -> Floats:
        """Requested time, else the run time; at least 1 s."""
        asked = self.requested_time
        if (asked >= 1.0).all():
            return asked
        return _read_only(np.maximum(np.where(asked > 0, asked, self.runtime), 1.0))

    @cached_property
    def withdrawn(self) -> Flags:
        """Which jobs were cancelled (status 5) without a run; most logs are read without them."""
        found: Flags = (self.status == CANCELLED) & ~(self.runtime > 0)
        return found

    @property
    def patience(self) -> Floats:
        """How long such jobs waited before they were cancelled (s); NaN for all others."""
        return np.where(self.withdrawn, np.nan_to_num(self.wait, nan=0.0).clip(min=0.0), np.nan)

    @property
    def machine_size(self) -> int | None:
        """Processors of the machine, from the header (MaxProcs, else MaxNodes)."""
        return self.header.max_procs or self.header.max_nodes

    @property
    def unix_start(self) -> int | None:
        """The Unix time (s) of t = 0, from the header."""
        return self.header.unix_start_time

    @cached_property
    def zone(self) -> datetime.tzinfo:
        """The time zone of the machine: by name, else by its offset, else UTC."""
        return zone_of(self.header.time_zone_string, self.header.time_zone)

    @property
    def calendar(self) -> Calendar:
        """Days and months in the log's time zone."""
        return Calendar(self.unix_start, self.zone)

    def seconds(self, time: Time) -> float:
        """Convert a time to s since the log's start.

        A number, or a string with one, is taken as seconds, and a text such as "3 d" as a duration. A date or date and
        time (ISO 8601, such as 2002-12-01 or
        2002-12-01T08:30) is in the log's zone, unless it has an offset.
        """
        return seconds_since(time, self.unix_start, self.zone)

    def between(self, start: Time | None = None, end: Time | None = None) -> Trace:
        """The jobs submitted at or after `start` and before `end` (see `seconds`; None: no bound).

        A date means its first instant: with end 2003-07-15 the last day is 14 July.
        """
        since = -math.inf if start is None else self.seconds(start)
        until = math.inf if end is None else self.seconds(end)
        if until < since:
            raise ValueError(f"end ({quoted(end)}) must not be before start ({quoted(start)})")
        return self.select((self.submit >= since) & (self.submit < until))

    def users(self, *ids: int) -> Trace:
        """The jobs of these users."""
        return self.select(np.isin(self.user, ids))

    def queues(self, *ids: int) -> Trace:
        """The jobs of these queues."""
        return self.select(np.isin(self.queue, ids))

    def select(self, mask: ArrayLike) -> Trace:
        """The jobs for which `mask` (one boolean per job) is true."""
        chosen = np.asarray(mask)
        if chosen.dtype != np.bool_ or chosen.shape != (len(self),):
            raise ValueError(f"mask must have one boolean per job ({len(self)}), not {chosen.shape} of {chosen.dtype}")
        rows = np.flatnonzero(chosen)
        extra = None if self.extra is None else [self.extra[row] for row in rows.tolist()]
        columns = {name: _picked(array, rows) for name, array in self.columns.items()}
        further = {name: array[rows] for name, array in self.further.items()}
        return Trace.of(columns, self.header, extra, self.names, self.report, further)

    def scale_load(self, factor: float) -> Trace:
        """Multiply the offered load by `factor`, by dividing interarrival times by it.

        The first submission is kept. This also compresses the daily cycle, and users no longer wait for their jobs,
        so state the factor with every result.
        """
        if not 0 < factor < math.inf:
            raise ValueError(f"factor must be a finite number above 0, not {quoted(factor)}")
        if not len(self):
            return self
        first = self.submit[0]
        return self.with_columns(submit=first + (self.submit - first) / factor)

    def with_columns(self, **arrays: ArrayLike) -> Trace:
        """Replace columns by arrays in this trace's order; the new trace is sorted again."""
        return Trace({**self.columns, **arrays}, self.header, self.extra, self.names, self.report, self.further)

    def with_header(self, header: Header) -> Trace:
        """The same jobs under another header, such as `trace.header.set("UnixStartTime", 0)`."""
        return Trace.of(self.columns, header, self.extra, self.names, self.report, self.further)

    def with_names(self, names: LabelNames) -> Trace:
        """The same jobs, whose users, groups, queues and partitions have these names on a machine."""
        kept = {"shape": self.names["shape"]} if "shape" in self.names else {}
        return Trace.of(self.columns, self.header, self.extra, {**names, **kept}, self.report, self.further)

    def names_of_copies(self, user: Whole, original: Whole) -> dict[str, Mapping[int, str]]:
        """The names for a trace in which the jobs of these users are copies of others'; who is copied has one name."""
        names = {column: names for column, names in self.names.items() if column != "id"}
        if "user" not in names:
            return names
        known, copies = names["user"], zip(user.tolist(), original.tolist(), strict=True)
        return {**names, "user": {copy: known[of] for copy, of in copies if of in known}}

    def equals(self, other: Trace) -> bool:
        """Whether columns, further ones, header, extra texts and names are equal (NaN equals NaN)."""
        return (
            len(self) == len(other)
            and self.header == other.header
            and self.extra == other.extra
            and self.names == other.names
            and all(np.array_equal(a, other.columns[name], equal_nan=True) for name, a in self.columns.items())
            and self.further.keys() == other.further.keys()
            and all(np.array_equal(a, other.further[name], equal_nan=True) for name, a in self.further.items())
        )

    @classmethod
    def from_frame(cls, frame: DataFrame, header: Header | None = None) -> Trace:
        """Make a trace from a pandas table with one row per job.

        The columns `submit` (s since the log's start), `runtime` (s) and `processors` (or `requested_processors`) are
        required, all other columns of a trace optional. `estimate` is another name for `requested_time`. Users,
        groups and queues are whole numbers; use `pandas.factorize` to number names.
        """
        columns, extra = columns_of(frame)
        return cls(columns, header, extra)

    def to_frame(self) -> DataFrame:
        """The eighteen columns, and `extra` if there is any, as a pandas table, in order of (submit, id)."""
        return table_of(self.columns, self.extra)

    def __len__(self) -> int:
        return len(self.submit)

    def __repr__(self) -> str:
        if not len(self):
            return "<Trace: no jobs>"
        days = float(self.submit[-1] - self.submit[0]) / DAY
        users = len(np.unique(self.user))
        return f"<Trace: {len(self):,} jobs of {users:,} users submitted over {days:,.1f} days>"

    def __reduce__(self) -> tuple[type[Trace], tuple[object, ...]]:
        # Use the constructor, since unpickled arrays would be writable.
        return Trace, (self.columns, self.header, self.extra, self.names, self.report, self.further)


def _numbered(submit: Floats, number: Whole) -> Whole:
    """The jobs' numbers: those that are missing are above all others, in order of submission."""
    missing = np.flatnonzero(number < 0)
    if not len(missing):
        return number
    found = number.copy()
    found[missing[np.argsort(submit[missing], kind="stable")]] = number.max(initial=0) + 1 + np.arange(len(missing))
    return found


def _order(submit: Floats, number: Whole) -> NDArray[np.intp] | None:
    """The rows by (submit, id), equal ones as given; None if this is their order already."""
    ordered = (submit[1:] > submit[:-1]) | ((submit[1:] == submit[:-1]) & (number[1:] >= number[:-1]))
    return None if ordered.all() else np.lexsort((number, submit))


def _extra(extra: Sequence[str | None], jobs: int, order: NDArray[np.intp] | None) -> tuple[str | None, ...] | None:
    if len(extra) != jobs:
        raise ValueError(f"extra has {len(extra)} texts for {jobs} jobs")
    rows = range(jobs) if order is None else order.tolist()
    texts = tuple((extra[row] or "").strip(" \t\v\f\r\n") or None for row in rows)
    torn = next((text for text in texts if text and ("\n" in text or "\r" in text)), None)
    if torn is not None:
        raise ValueError(f"an extra text must be one line, not {quoted(torn[:40])}")
    return texts if any(texts) else None


def _picked(array: AnyArray, rows: NDArray[np.intp]) -> AnyArray:
    """Some rows of a column; one of which nothing is known still takes no memory."""
    return np.broadcast_to(array[:1], len(rows)) if array.strides == (0,) and len(array) else array[rows]


def _read_only(array: AnyArray) -> AnyArray:
    array.setflags(write=False)
    return array
