"""Windows: times at which a part of the machine is set aside, known before they begin.

A window takes a number of processors of a pool, or some nodes by name, over [start, end). It admits some users and
jobs, or none. Maintenance, advance reservations and machines that grow or shrink are all windows:

>>> maintenance = Window(3600, 7200, processors=64)
>>> course = Window(0, 3600, 16, users=["ann", "bob"])
>>> maintenance.kind, course.kind, course.admits("ann"), course.admits("eve", job=7)
('maintenance', 'reservation', True, False)

Times are in s on the grid, or texts such as "7d". On a pool a window counts processors: it has no particular ones.

A window of kind ``cap`` takes no processors. While it is open, the machine may draw so many watts at most:

>>> evening = Window("17h", "20h", kind="cap", watts="40 kW")
>>> evening.watts, evening.rule
(40000.0, 'wait')
"""

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from numbers import Integral
from typing import Annotated, Any, ClassVar, Self

from thinktime.workloads import checks
from thinktime.workloads.grid import LIMIT, to_grid
from thinktime.workloads.names import explain_arguments, key_of, quoted
from thinktime.workloads.power import Watts
from thinktime.workloads.power import watts as as_watts
from thinktime.workloads.reading.table import AS_GIVEN, FLAT, Codec, Table
from thinktime.workloads.units import Duration, as_seconds, seconds

RULES = ("requeue", "kill", "wait", "suspend")
"""What happens to running jobs that are in the way when a window begins; only a cap lets them be suspended."""
MOST = 2**63
MOST_TIMES = 1_000_000
"""How often a window may be repeated; more is a mistake."""
CAP = "cap"
KINDS = ("maintenance", "reservation", "capacity", "off", CAP)
"""What a window is for; only the accounts of a result ask."""
LISTED = Codec(lambda value: value, lambda value: list(value) if isinstance(value, tuple) else value)


@explain_arguments
@dataclass(frozen=True, slots=True)
class Window(Table):
    """A part of the machine that is set aside over [``start``, ``end``), in s; ``end`` may be infinite.

    ``ValueError`` for an end that is not after the start, an announcement after it, and choices that are not there.

    >>> course = Window(0, 3600, processors=16, users=["ann", "bob"])
    >>> course.admits("ann"), course.admits("eve", job=7)
    (True, False)
    """

    start: Annotated[float, AS_GIVEN]
    end: Annotated[float, AS_GIVEN]
    processors: Annotated[int | tuple[str, ...], LISTED]
    """A number on a pool, the names of the nodes on a machine of nodes."""
    announced: Annotated[float | None, AS_GIVEN]
    """When the machine learns of it (s), at ``start`` at the latest; None: before the run begins."""
    users: Annotated[tuple[str | int, ...], LISTED]
    jobs: Annotated[tuple[int, ...], LISTED]
    rule: Annotated[str, AS_GIVEN]
    """``requeue`` sends running jobs that are in the way back to the queue, ``kill`` cancels them, ``wait`` waits;
    below a cap, ``suspend`` lets them go on later."""
    kind: Annotated[str, AS_GIVEN]
    """``maintenance``, ``reservation``, ``capacity``, ``off`` (they are switched off, and draw less than when idle), or
    ``cap``, which takes no processors."""
    watts: Annotated[float, AS_GIVEN]
    """Of a cap: what the machine and its facility may draw at most, W; else infinite."""

    def __init__(
        self,
        start: Duration,
        end: Duration,
        processors: int | Sequence[str] | None = None,
        announced: Duration | None = None,
        users: Iterable[str | int] | None = None,
        jobs: Iterable[int] | None = None,
        rule: str | None = None,
        kind: str | None = None,
        watts: Watts = math.inf,
    ) -> None:
        """The rule is by default ``requeue``, and ``wait`` of a cap.

        The kind is by default ``reservation`` if the window admits users or jobs, else ``maintenance``.
        """
        begin, finish = interval(start, end)
        checks.put(self, "start", begin)
        checks.put(self, "end", finish)
        checks.put(self, "announced", None if announced is None else time("announced", announced))
        if self.announced is not None and self.announced > self.start:
            raise ValueError(f"announced must be at or before start ({self.start:.15g} s), not {self.announced:.15g}")
        checks.put(self, "processors", _none(processors) if kind == CAP else _processors(processors))
        checks.put(self, "watts", math.inf if watts == math.inf else as_watts("watts", watts))
        if (kind == CAP) != (self.watts < math.inf):
            raise ValueError("a cap needs watts, such as Window(3600, 7200, kind='cap', watts='40 kW'), and only a cap")
        checks.put(self, "users", _names(users))
        checks.put(self, "jobs", _numbers(jobs))
        usual = "wait" if kind == CAP else RULES[0]
        checks.put(self, "rule", usual if rule is None else _choice("rule", rule, RULES if kind == CAP else RULES[:3]))
        usual = "reservation" if self.users or self.jobs else "maintenance"
        checks.put(self, "kind", usual if kind is None else _choice("kind", kind, KINDS))
        if self.kind in ("capacity", "off", CAP) and (self.users or self.jobs):
            raise ValueError(f"a window of kind {self.kind} admits nobody: leave out users and jobs")

    def admits(self, user: str | int | None, job: int | None = None) -> bool:
        """Whether a job of ``user`` with the number ``job`` may use it. User 7 and user "7" are the same."""
        return job in self.jobs or (user is not None and str(user) in map(str, self.users))

    def shifted(self, by: Duration) -> Self:
        """The same window ``by`` s later; it is announced later as well."""
        by = as_seconds("by", by)
        announced = None if self.announced is None else self.announced + by
        return dataclasses.replace(self, start=self.start + by, end=self.end + by, announced=announced)


@dataclass(frozen=True)
class Repeated(Table):
    """A window as files have it, perhaps repeated: all its keys, with ``every`` and ``until`` (`repeat`)."""

    short: ClassVar[bool] = True
    window: Window = field(metadata={FLAT: True})
    every: Annotated[Duration | None, AS_GIVEN] = None
    until: Annotated[Duration | None, AS_GIVEN] = None

    @classmethod
    def completed(cls, table: Mapping[str, Any]) -> Mapping[str, Any]:
        """All but caps need processors."""
        if {"start", "end"} <= table.keys() and table.get("kind") != CAP and "processors" not in table:
            raise ValueError("needs processors")
        return table


def repeat(window: Window, every: Duration, until: Duration) -> tuple[Window, ...]:
    """The window again and again, ``every`` s (or a text such as "7d") until one would start at ``until`` (s) or later.

    >>> [each.start for each in repeat(Window(3600, 7200, 64), every="7d", until=1_500_000)]
    [3600.0, 608400.0, 1213200.0]
    """
    period = to_grid(seconds(every))
    if period <= 0:
        raise ValueError(f"every must be a duration above 0, not {quoted(every)}")
    if window.end - window.start > period:
        raise ValueError(f"a window of {window.end - window.start:.15g} s cannot be repeated every {period:.15g} s")
    until = as_seconds("until", until)
    if not until < LIMIT:
        raise ValueError(f"until must be a time below {LIMIT:,.0f} s, not {quoted(until)}")
    count = max(0, math.ceil((until - window.start) / period))
    if count > MOST_TIMES:
        raise ValueError(f"a window every {period:.15g} s until {until:.15g} s is more than {MOST_TIMES:,} windows")
    return tuple(window.shifted(k * period) for k in range(count))


def capacity(
    steps: Iterable[tuple[Duration, int]], processors: int | None = None, rule: str = "requeue"
) -> tuple[Window, ...]:
    """The windows of a machine that grows or shrinks: from each time on (s) it has so many processors.

    ``processors`` is its size at its largest (default: the largest step), which it has before the first step. All
    steps are known before the run begins; use `dataclasses.replace` to announce one later.

    >>> grows, = capacity([(0, 6), (60, 10)])
    >>> grows.start, grows.end, grows.processors
    (0.0, 60.0, 4)
    """
    given = [(time("a step's time", at), checks.whole("a step's processors", count, 0)) for at, count in steps]
    size = max((count for _, count in given), default=0) if processors is None else processors
    for (before, _), (after, _) in pairwise(given):
        if after <= before:
            raise ValueError(f"the times of the steps must rise, but {after:.15g} follows {before:.15g}")
    ends = [at for at, _ in given[1:]] + [math.inf]
    for _, count in given:
        if count > size:
            raise ValueError(f"a step to {count} processors exceeds the machine's {size}")
    return tuple(
        Window(at, end, size - count, rule=rule, kind="capacity")
        for (at, count), end in zip(given, ends, strict=bool(given))
        if count < size
    )


def time(name: str, value: object) -> float:
    """A time of at least 0 (s), on the grid."""
    wanted = f"a time from 0 to {LIMIT:,.0f} s"
    return to_grid(checks.number(name, as_seconds(name, value), wanted, least=0.0, most=LIMIT - 1))


def interval(start: object, end: object) -> tuple[float, float]:
    """A start and a later end (s), on the grid; the end may be infinite."""
    begin = time("start", start)
    finish = math.inf if end == math.inf else time("end", end)
    if finish <= begin:
        raise ValueError(f"end must be after start ({begin:.15g} s), not {finish:.15g}")
    return begin, finish


def _none(value: object) -> int:
    if value is not None and value != 0 and value != ():
        raise ValueError(f"a cap takes no processors, but watts: leave out processors ({quoted(value)})")
    return 0


def _processors(value: object) -> int | tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        return checks.whole("processors", value)
    names = tuple(value)
    if not names or not all(isinstance(name, str) and name for name in names):
        raise ValueError(f"processors must be a number, or the names of at least one node, not {quoted(value)}")
    if len(set(names)) < len(names):
        raise ValueError(f"processors names the node {quoted(next(n for n in names if names.count(n) > 1))} twice")
    return names


def _names(users: object) -> tuple[str | int, ...]:
    return tuple(each if isinstance(each, str) else int(each) for each in _several("users", users, str | Integral))


def _numbers(jobs: object) -> tuple[int, ...]:
    found = tuple(int(each) for each in _several("jobs", jobs, Integral))
    for each in found:
        if not abs(each) < MOST:
            raise ValueError(f"jobs must be job numbers below 2^63, not {quoted(each)}")
    return found


def _several(name: str, values: object, kind: Any) -> tuple[Any, ...]:
    if values is None:
        return ()
    if isinstance(values, Iterable) and not isinstance(values, str):
        found = tuple(values)
        if all(isinstance(each, kind) and not isinstance(each, bool) for each in found):
            return found
    wanted = "names or numbers" if name == "users" else "job numbers"
    raise ValueError(f"{name} must be a list of {wanted}, not {quoted(values)}")


def _choice(name: str, value: str, choices: Sequence[str]) -> str:
    if value not in choices:
        raise ValueError(f"{name} cannot be {quoted(value)}; {key_of(str(value), choices, 'the choices')}")
    return value
