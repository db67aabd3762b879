"""What a policy may know about jobs: one by one (`Request`) or in arrays (`Columns`, `ReadOnly`); no true run time."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.current import Current
from thinktime.models.jobs.columns import Requests
from thinktime.workloads.arrays import Rows
from thinktime.workloads.names import quoted

PROMISES = ("promised", "latest_start")
VISIBLE = tuple(name for name in Requests.schema if name not in ("key", "numbered_here"))


class Source:
    """Where requests are read: in the state of the engine if it has the column, else in the table of all columns.

    ``names`` are the labels behind codes.
    """

    table: Requests
    names: dict[str, list[Any]]
    current: Current

    def __init__(self, table: Requests, names: dict[str, list[Any]]) -> None:
        self.table, self.names, self.current = table, names, table.current

    def __reduce__(self) -> Any:
        return Source, (self.table, self.names)

    def job(self, row: int) -> Request:
        """The request in one row."""
        job = Request.__new__(Request)
        job._source, job.row = self, row
        return job

    def has(self, row: int) -> bool:
        """Whether the state of the engine has a row."""
        state = self.current.state
        return state is not None and 0 <= row < len(state.id)

    def read(self, name: str, row: int) -> Any:
        """The value of a column."""
        if name not in VISIBLE:
            raise AttributeError(f"a request has no {quoted(name)}; it has {', '.join(VISIBLE)}")
        value = getattr(self.table, name)[row].item()
        if name in self.names:
            return self.names[name][value] if value >= 0 else None
        return value


class Request:
    """One job as its owner described it: what a policy may know about it."""

    row: int
    _source: Source

    def __init__(self, source: Source, row: int) -> None:
        self._source, self.row = source, row

    def __reduce__(self) -> Any:
        return Request, (self._source, self.row)

    def _known(self) -> bool:
        """Whether the state of the engine has this row."""
        return self._source is not None and self._source.has(self.row)

    @property
    def id(self) -> int:
        """The number of the job."""
        if not self._known():
            return int(self._source.read("id", self.row))
        return int(self._source.current.state.id[self.row])

    @property
    def user(self) -> Any:
        """Whose job it is; None for nobody's."""
        if not self._known() or "user" not in self._source.names:
            return self._source.read("user", self.row)
        code = self._source.current.state.user[self.row]
        return self._source.names["user"][code] if code >= 0 else None

    @property
    def group(self) -> Any:
        """The group of its owner; None for none."""
        if not self._known() or "group" not in self._source.names:
            return self._source.read("group", self.row)
        code = self._source.current.state.group[self.row]
        return self._source.names["group"][code] if code >= 0 else None

    @property
    def queue(self) -> Any:
        """The queue that it was submitted to; None for none."""
        value: Any = self._source.read("queue", self.row)
        return value

    @property
    def partition(self) -> Any:
        """The partition that it asks for; None for none."""
        value: Any = self._source.read("partition", self.row)
        return value

    @property
    def nice(self) -> int:
        """What its owner takes off its priority."""
        value: int = self._source.read("nice", self.row)
        return value

    @property
    def campaign(self) -> int:
        """The number of its campaign; -1 for none."""
        if not self._known():
            return int(self._source.read("campaign", self.row))
        return int(self._source.current.state.campaign[self.row])

    @property
    def submit(self) -> float:
        """When it was submitted, s."""
        if not self._known():
            return float(self._source.read("submit", self.row))
        return float(self._source.current.state.submit[self.row])

    @property
    def processors(self) -> int:
        """How many it asks for, or has."""
        if not self._known():
            return int(self._source.read("processors", self.row))
        return int(self._source.current.state.processors[self.row])

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of processors that it may have, ascending, under a policy that says ``resizes = True``."""
        first, stop = self._places()
        if stop == first:
            return (self.processors,)
        return tuple(np.asarray(self._source.current.state.form_sizes)[first:stop].tolist())

    @property
    def malleable(self) -> bool:
        """Whether its size may change while it runs."""
        first, stop = self._places()
        state = self._source.current.state
        return stop > first and bool(state.form_malleable[state.form[self.row]])

    def speed(self, processors: int) -> float:
        """How much of its limit passes in a second with so many processors, s: what its user believes of its speed-up.

        ``ValueError`` for what is none of its sizes.
        """
        place = self.place_of(processors)
        return 1.0 if place < 0 else float(np.asarray(self._source.current.state.form_rates)[place])

    def place_of(self, processors: int) -> int:
        """The place of a size of the job among all sizes (`thinktime.models.engine.shapes`); -1 if it is rigid."""
        first, stop = self._places()
        sizes = self.sizes
        if isinstance(processors, bool) or processors not in sizes:
            told = ", ".join(map(str, sizes))  # objects: for a policy
            raise ValueError(f"job {self.id} cannot have {quoted(processors)} processors; its sizes are {told}")
        return first + int(sizes.index(processors)) if stop > first else -1

    def _places(self) -> tuple[int, int]:
        """The places of its sizes; none if it is rigid."""
        if not self._known():
            return 0, 0
        state = self._source.current.state
        if state.shaped == 0 or state.form[self.row] < 0:
            return 0, 0
        return int(state.form_first[state.form[self.row]]), int(state.form_first[state.form[self.row] + 1])

    @property
    def requested(self) -> float:
        """How long its owner said that it would run, s: under ``kill``, it is killed then."""
        if not self._known():
            return float(self._source.read("requested", self.row))
        return float(self._source.current.state.requested[self.row])

    @property
    def estimate(self) -> float:
        """How long the policy plans with, s."""
        if not self._known():
            return float(self._source.read("estimate", self.row))
        return float(self._source.current.state.estimate[self.row])

    @property
    def memory(self) -> float:
        """What it asks for, bytes per processor; NaN if it does not say."""
        value: float = self._source.read("memory", self.row)
        return value

    @property
    def power(self) -> float:
        """What it draws above idle while it runs, W; NaN if nothing is known of the power of jobs here."""
        each: float = self._source.read("power", self.row)
        return (self._source.table.usual_watts if isnan(each) else each) * self.processors

    @property
    def equivalents(self) -> float:
        """Of how many processors it takes the place on nodes; NaN elsewhere."""
        if not self._known():
            return float(self._source.read("equivalents", self.row))
        return float(self._source.current.state.equivalents[self.row])

    @property
    def think_time(self) -> float:
        """How long its owner thought before it, s; NaN if nobody knows."""
        if not self._known():
            return float(self._source.read("think_time", self.row))
        return float(self._source.current.state.think_time[self.row])

    @property
    def recorded_start(self) -> float:
        """When it started in the log, s; NaN if it has none."""
        value: float = self._source.read("recorded_start", self.row)
        return value

    @property
    def start(self) -> float:
        """When it started, s; NaN if it has not."""
        if not self._known():
            return float(self._source.read("start", self.row))
        return float(self._source.current.state.start[self.row])

    @property
    def expected_end(self) -> float:
        """When it is planned to end, s; NaN if it has not started."""
        if not self._known():
            return float(self._source.read("expected_end", self.row))
        return float(self._source.current.state.expected_end[self.row])

    @property
    def promised(self) -> float:
        """The start that the policy promised it, s; NaN for none."""
        if not self._known():
            return float(self._source.read("promised", self.row))
        return float(self._source.current.state.promised[self.row])

    @property
    def latest_start(self) -> float:
        """The latest start that the policy promised it, s; NaN for none."""
        if not self._known():
            return float(self._source.read("latest_start", self.row))
        return float(self._source.current.state.latest_start[self.row])

    @property
    def state(self) -> int:
        """The number of its `State`."""
        if not self._known():
            return int(self._source.read("state", self.row))
        return int(self._source.current.state.state[self.row])

    @property
    def runs(self) -> int:
        """How many runs of it were interrupted."""
        value: int = self._source.read("runs", self.row)
        return value

    @property
    def done(self) -> float:
        """The work of these that need not be done again, s."""
        value: float = self._source.read("done", self.row)
        return value

    def __getattr__(self, name: str) -> Any:
        return self._source.read(name, self.row)

    def __repr__(self) -> str:
        return f"<request {self.id}: {self.processors} processors, estimate {self.estimate:g} s>"


class Columns:
    """The requests of some jobs as arrays, from which the key of an order is computed."""

    __slots__ = ("_names", "_rows", "_table")

    def __init__(self, table: Requests, names: dict[str, list[Any]], rows: Any) -> None:
        self._table = table
        self._names = names
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def rows(self) -> Rows:
        """The rows of the jobs."""
        rows: Rows = np.atleast_1d(self._rows)
        return rows

    def each(self) -> list[Request]:
        """The same jobs one by one."""
        source = Source(self._table, self._names)
        return [Request(source, row) for row in np.atleast_1d(self._rows).tolist()]

    def labels(self, name: str) -> list[Any]:
        """The labels behind the codes of a column: ``user``, ``group``, ``queue`` or ``partition``."""
        return self._names[name]

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name not in VISIBLE:
            raise AttributeError(f"requests have no column {quoted(name)}; they have {', '.join(VISIBLE)}")
        column: NDArray[Any] = getattr(self._table, name)[self._rows]
        return column


class ReadOnly:
    """The columns of requests for policies from outside the package: read-only, but for what they promise."""

    __slots__ = ("_shown", "_table")

    def __init__(self, table: Requests) -> None:
        self._table = table
        self._shown: dict[str, tuple[Any, Any]] = {}

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._table, name)
        if not isinstance(value, np.ndarray) or name in PROMISES:
            return value
        column, shown = self._shown.get(name, (None, None))
        if column is not value:
            shown = value.view()
            self._shown[name] = value, shown
        shown.flags.writeable = False
        return shown
