"""A job: a request for a number of processors for some time.

Only the machine knows the true run time. The estimate is what the user declares and what a policy may see. All
times are rounded to the grid (see `grid`) when the job is created.
"""

import math
import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from thinktime.workloads.grid import LIMIT, to_grid
from thinktime.workloads.job_dependencies import as_text
from thinktime.workloads.names import explain_arguments, quoted
from thinktime.workloads.node_requests import NodeRequest
from thinktime.workloads.shapes.shape import Shape, shape_of
from thinktime.workloads.units import Duration, as_seconds

SHORTEST_ESTIMATE = 1.0
"""The smallest estimate, in s: with an estimate of 0 a job would end at the instant of its start."""

LARGEST_ID = 2**53
"""Job numbers must be smaller: logs are read as doubles, which are exact only up to this number."""


@explain_arguments
@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job, as submitted.

    `runtime` is the true run time (s, at least 0) and `processors` what the job occupies while it runs. `estimate`
    is the declared run time (s, at least 1; None: the true one), from which `requested_time` follows. `user`, `group`,
    `queue` and `partition` are names or numbers; on the machine of a site, `group` is the account, and `queue` names a
    QOS, or a partition if there is no such QOS. `nice` is what the owner takes off the job's priority there. `memory`
    is in bytes per processor, and `power` what each processor draws above idle (W). `nodes` is a request to a machine
    of nodes, such as "2:ppn=8:mem=4gb" (`node_requests`), which determines the processors. `id` is the job's number; by
    default the machine assigns one. `think_time` is the think time before this submission (s).

    A job waits outside the queue until it is eligible: not before `begin` (s), not while it is `held`, and not before
    what it `depends` on has happened, such as "afterok:12" (`job_dependencies`) or ``[job]``, jobs that were submitted.
    `name` is for ``singleton`` alone. A job that `fails` ends with an error, so that ``afterok`` is not met.

    A job whose `processors` are three sizes, the least, the preferred and the largest, may have any between, and is
    malleable, with a `speedup` such as "amdahl(0.1)" (default: linear); a `shape` says more
    (`thinktime.workloads.shapes`). The run time and the estimate are for the preferred size, which it has under
    policies that choose none.

    On a machine that changes (`thinktime.models.machine.changing`), a job with `requeue=False` is killed where others
    are requeued. `checkpoint` is the work between two checkpoints, `checkpoint_cost` what one takes and `restart` what
    a run takes before its work goes on (s); None: as on the machine. With an infinite `checkpoint` there are none.

    Times are in s, or texts such as "1h". ``TypeError`` and ``ValueError`` name the field and what it may be.

    >>> Job(runtime=60, processors=4, user="ada").requested_time
    60.0
    """

    runtime: float
    processors: int = 1
    estimate: float | None = None
    user: str | int | None = None
    group: str | int | None = None
    queue: str | int | None = None
    partition: str | int | None = None
    nice: int = 0
    memory: float | None = None
    power: float | None = None
    id: int | None = None
    nodes: str | NodeRequest | None = None
    think_time: float | None = None
    requeue: bool | None = None
    checkpoint: float | None = None
    checkpoint_cost: float | None = None
    restart: float | None = None
    name: str | int | None = None
    begin: float = 0.0
    held: bool = False
    depends: Any = None
    fails: bool = False
    speedup: str | None = None
    shape: Shape | None = None

    if TYPE_CHECKING:  # times may be given as texts, but are read as numbers

        def __init__(
            self,
            *,
            runtime: Duration,
            processors: int | tuple[int, int, int] = 1,
            estimate: Duration | None = None,
            user: str | int | None = None,
            group: str | int | None = None,
            queue: str | int | None = None,
            partition: str | int | None = None,
            nice: int = 0,
            memory: float | None = None,
            power: float | None = None,
            id: int | None = None,
            nodes: str | NodeRequest | None = None,
            think_time: Duration | None = None,
            requeue: bool | None = None,
            checkpoint: Duration | None = None,
            checkpoint_cost: Duration | None = None,
            restart: Duration | None = None,
            name: str | int | None = None,
            begin: Duration = 0.0,
            held: bool = False,
            depends: Any = None,
            fails: bool = False,
            speedup: str | None = None,
            shape: Shape | str | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "runtime", to_grid(_seconds("runtime", self.runtime, "the true run time in s")))
        self._take_shape()
        processors = _whole("processors", self.processors, "a whole number of at least 1")
        if processors < 1:
            raise ValueError(f"processors must be a whole number of at least 1, not {processors}")
        put(self, "processors", processors)
        if self.estimate is not None:
            hint = "a declared run time in s, or None for the true one"
            estimate = to_grid(_seconds("estimate", self.estimate, hint))
            put(self, "estimate", max(estimate, SHORTEST_ESTIMATE))
        if self.memory is not None:
            put(self, "memory", _number("memory", self.memory, "bytes per processor, or None"))
        if self.power is not None:
            put(self, "power", to_grid(_number("power", self.power, "W per processor, or None")))
        if self.think_time is not None:
            put(self, "think_time", to_grid(_seconds("think_time", self.think_time, "seconds, or None")))
        if self.nodes is not None:
            self._take_from_nodes()
        if type(self.nice) is not int:
            put(self, "nice", _whole("nice", self.nice, "a whole number, which lowers the job's priority"))
        if self.id is not None:
            put(self, "id", _number_of_job(self.id))
        if self.begin:
            put(self, "begin", to_grid(_seconds("begin", self.begin, "the time from which on it may start, in s")))
        if self.depends is not None:
            put(self, "depends", as_text(self.depends))
        flags: Any = (("held", self.held), ("fails", self.fails))
        for field, flag in flags:
            if type(flag) is not bool and not isinstance(flag, np.bool_):
                raise TypeError(f"{field} must be True or False, not {quoted(flag)}")
        names = ("user", self.user), ("group", self.group), ("queue", self.queue), ("partition", self.partition)
        for field, name in (*names, ("name", self.name)):
            if name is not None and type(name) is not str and type(name) is not int:
                put(self, field, _name(field, name))
        runs = ("checkpoint", self.checkpoint), ("checkpoint_cost", self.checkpoint_cost), ("restart", self.restart)
        for field, value in runs:
            if value is not None:
                put(self, field, _of_runs(field, value))
        if self.requeue is not None and not isinstance(self.requeue, bool | np.bool_):
            raise TypeError(f"requeue must be True, False or None, not {quoted(self.requeue)}")

    def _take_shape(self) -> None:
        """Make a shape of the least, preferred and largest sizes, and of a speed-up, if that is what is given."""
        sizes: Any = self.processors
        given: Any = self.shape
        several = isinstance(sizes, tuple | list)
        if given is None and not several and self.speedup is None:
            return
        if isinstance(given, str):
            given = Shape.parse(given)
        if given is None:
            given = shape_of(sizes, self.speedup or "linear")
        elif not isinstance(given, Shape):
            raise TypeError(f"shape must be such as Shape('4-64*2', preferred=16), or its text, not {quoted(given)}")
        elif several or self.speedup not in (None, given.speedup):
            raise ValueError("a shape says the sizes and the speed-up of a job; give no others")
        if not several and sizes not in (1, given.preferred):
            raise ValueError(f"the shape of the job prefers {given.preferred} processors, not {sizes}")
        for name, value in (("shape", given), ("processors", given.preferred), ("speedup", given.speedup)):
            object.__setattr__(self, name, value)

    def _take_from_nodes(self) -> None:
        """Derive processors and memory from the request, after completing it with memory per processor."""
        request = _request(self.nodes).with_memory(per_processor=self.memory or 0.0)
        if self.processors not in (1, request.processors):
            raise ValueError(
                f"nodes={quoted(str(request))} requests {request.processors} processors, not {self.processors}; "
                "leave out processors"
            )
        object.__setattr__(self, "nodes", request)
        object.__setattr__(self, "processors", request.processors)
        if request.memory:
            object.__setattr__(self, "memory", request.memory / request.processors)

    @property
    def conditional(self) -> bool:
        """Whether it may have to wait outside the queue, or others for jobs of its name."""
        return bool(self.begin or self.held or self.name is not None or self.depends is not None)

    @property
    def request(self) -> NodeRequest | None:
        """The job's request to a machine of nodes, if it has one."""
        return self.nodes if isinstance(self.nodes, NodeRequest) else None

    @property
    def requested_time(self) -> float:
        """The requested time (s): the estimate, else the run time, at least 1 s."""
        return max(self.runtime, SHORTEST_ESTIMATE) if self.estimate is None else self.estimate


def _request(nodes: object) -> NodeRequest:
    if isinstance(nodes, str):
        return NodeRequest.parse(nodes)
    if not isinstance(nodes, NodeRequest):
        raise TypeError(f"nodes must be a string such as '2:ppn=8', a NodeRequest, or None, not {quoted(nodes)}")
    return nodes


def _number(field: str, value: object, meaning: str) -> float:
    if type(value) is not float:
        if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
            raise TypeError(f"{field} must be a number ({meaning}), not {quoted(value)}")
        value = float(value)
    if not 0.0 <= value < math.inf:
        raise ValueError(f"{field} must be finite and at least 0 ({meaning}), not {quoted(value)}")
    return value


def _seconds(field: str, value: object, meaning: str) -> float:
    seconds = _number(field, as_seconds(field, value) if type(value) is str else value, meaning)
    if seconds >= LIMIT:
        raise ValueError(f"{field} must be below {LIMIT:,.0f} s ({meaning}), not {quoted(seconds)}")
    return seconds


def _of_runs(field: str, value: object) -> float:
    if field == "checkpoint" and value == math.inf:
        return math.inf
    found = to_grid(_seconds(field, value, "seconds, or None for those of the machine"))
    if field == "checkpoint" and not found:
        raise ValueError(f"checkpoint must be above 0 (seconds of work), not {quoted(value)}")
    return found


def _number_of_job(value: object) -> int:
    number = _whole("id", value, "a whole number, or None")
    if abs(number) >= LARGEST_ID:
        raise ValueError(f"id must be a whole number below {LARGEST_ID:,}, or None, not {quoted(number)}")
    return number


def _whole(field: str, value: object, meaning: str) -> int:
    if type(value) is int:  # the usual case, some six times as fast
        return value
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{field} must be {meaning}, not {quoted(value)}")
    return int(value)


def _name(field: str, value: object) -> str | int | None:
    if value is None or type(value) is str or type(value) is int:
        return value
    if isinstance(value, str):
        return str(value)
    return _whole(field, value, "a string, a whole number, or None")
