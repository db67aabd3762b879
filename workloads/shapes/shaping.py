"""Which jobs of a log are moldable or malleable, and how: an assumption, since logs have rigid jobs.

Whether a job is chosen depends on the seed and its number alone, so it is the same under every policy, and the jobs of
a share are among those of a larger one. Sizes are multiples of the size that the job has in the log, which is the one
that it prefers, and for which its run time and its estimate are known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np

from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.checks import number, put
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.node_log import NodeLog, read_requests
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.reading.table import AS_GIVEN, Codec, Table, read
from thinktime.workloads.reading.texts import value_in
from thinktime.workloads.reading.values import Seconds
from thinktime.workloads.shapes.of_logs import RIGID, read_shapes, with_shapes
from thinktime.workloads.shapes.shape import Shape
from thinktime.workloads.shapes.speedup import SpeedUp
from thinktime.workloads.streams import sequence
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import seconds

Jobs = TypeVar("Jobs", Trace, NodeLog)
ASSUMED = ("malleable", "moldable")
"""The kinds of jobs that may be assumed; what evolving ones ask for, nobody knows of a log."""
STEPS = ("all", "doubling")
SMALLEST = 1e-6
_MIX = re.compile(r"\s*([a-z]+\s*(?:\([^()]*\))?)\s*(?:\*\s*([0-9.eE+-]+?))?\s*")
_BETWEEN = re.compile(r"[,](?![^(\[]*[)\]])")
"""Commas that are in no brackets."""


def parts_of(text: str) -> list[str]:
    """What stands between the commas of a text that are in no brackets."""
    return _BETWEEN.split(text)


def _labels(value: Any) -> tuple[int | str, ...]:
    given = (value,) if isinstance(value, int | str) and not isinstance(value, bool) else value
    if not isinstance(given, list | tuple) or not all(type(each) in (int, str) for each in given):
        raise ValueError(f"must be a list of users, by their numbers or names, not {quoted(value)}")
    return tuple(given)


def _believed(value: Any) -> str:
    return str(SpeedUp(value)) if value else ""


def _mix_text(value: Any) -> str:
    """A speed-up or a mix of several, as a text."""
    if isinstance(value, Mapping):
        value = "+".join(f"{text}*{weight}" for text, weight in value.items())
    if not isinstance(value, str):
        raise ValueError(f"must be a speed-up such as amdahl(0.1), or a table of weights, not {quoted(value)}")
    mix = _mix(value)
    return mix[0][0] if len(mix) == 1 else "+".join(f"{text}*{weight:.15g}" for text, weight in mix)


def _mix(text: str) -> list[tuple[str, float]]:
    found = []
    for part in re.split(r"\+(?![^(]*\))", text):
        match = _MIX.fullmatch(part)
        try:
            weight = float(match[2] or 1.0) if match else 0.0
        except ValueError:
            weight = 0.0
        if match is None and "*" not in part:
            SpeedUp(part)  # says what is wrong
        if match is None or not 0 < weight < np.inf:
            raise ValueError(f"a mix of speed-ups is such as amdahl(0.05)*3+linear*1, not {quoted(text)}")
        found.append((str(SpeedUp(match[1])), weight))
    return found


@dataclass(frozen=True, kw_only=True)
class Shaping(Table):
    """Makes a ``share`` of a log's jobs ``kind``: malleable or moldable, with ``least`` to ``most`` times their size.

    ``steps`` says which sizes between are allowed: ``all``, ``doubling`` (the own size doubled or halved, halves
    rounded up), or the multiples of a number of processors, and the own size. ``speedup`` is one of
    `thinktime.workloads.shapes.speedup`, or a mix with weights, as in ``amdahl(0.05)*3+linear`` or a table of weights;
    what users believe, and ``cost``, ``gap`` and ``notice`` of resizes are as in `Shape`.

    Chosen are only jobs of these ``users`` (numbers or names; none: of all), of ``narrowest`` to ``widest`` processors,
    and with run times from ``shortest`` to ``longest`` (s). ``ValueError`` for what has no meaning.

    >>> import thinktime as tt
    >>> log = tt.Trace({"submit": [0], "runtime": [60], "allocated": [4]})
    >>> tt.Shaping(most=2, speedup="amdahl(0.1)").of(log, 64).names["shape"][0]
    '1-8 preferred=4 speedup=amdahl(0.1) kind=malleable'
    """

    share: float = 1.0
    kind: str = "malleable"
    least: float = 0.25
    most: float = 4.0
    steps: Annotated[str | int, AS_GIVEN] = "all"
    speedup: Annotated[str, Codec(_mix_text)] = "linear"
    believes: Annotated[str, Codec(_believed)] = ""
    cost: Seconds = 0.0
    gap: Seconds = 0.0
    notice: Seconds = 0.0
    users: Annotated[tuple[int | str, ...], Codec(_labels, list)] = ()
    narrowest: int = 1
    widest: int | None = None
    shortest: Seconds = 0.0
    longest: Annotated[float | None, Codec(seconds)] = None
    seed: int = 1

    def __post_init__(self) -> None:
        number("share", self.share, "a share of the jobs, from 0 to 1", least=0, most=1)
        if self.kind not in ASSUMED:
            raise ValueError(f"kind cannot be {quoted(self.kind)}; {key_of(str(self.kind), ASSUMED, 'the kinds')}")
        number("least", self.least, "a multiple of a job's size above 0, up to 1", least=SMALLEST, most=1)
        number("most", self.most, "a multiple of a job's size, from 1 on", least=1)
        whole = isinstance(self.steps, int) and not isinstance(self.steps, bool) and self.steps >= 1
        if not whole and self.steps not in STEPS:
            raise ValueError(f"steps must be all, doubling, or a number of processors, not {quoted(self.steps)}")
        put(self, "speedup", _mix_text(self.speedup))
        put(self, "believes", _believed(self.believes))
        put(self, "users", _labels(self.users))
        if self.widest is not None and self.widest < self.narrowest:
            raise ValueError(f"no job has from {self.narrowest} (narrowest) to {self.widest} (widest) processors")
        for name in ("cost", "gap", "notice", "shortest", "longest"):
            if getattr(self, name) is not None:
                put(self, name, seconds(getattr(self, name)))
        if self.longest is not None and self.longest < self.shortest:
            raise ValueError(f"no run time is from {self.shortest:g} s (shortest) to {self.longest:g} s (longest)")

    @property
    def mix(self) -> list[tuple[str, float]]:
        """The speed-ups, and their shares of the jobs."""
        return _mix(self.speedup)

    @classmethod
    def given(cls, value: Any, whole: str = "shapes") -> Shaping:
        """The shaping that a table or a text says; ``ValueError`` calls it ``whole``."""
        return cls.parse(value, whole) if isinstance(value, str) else read(cls, value, whole)

    @classmethod
    def parse(cls, text: str, whole: str = "shapes") -> Shaping:
        """Such as ``share=0.2,kind=malleable,least=0.5,most=2,speedup=amdahl(0.05)``; ``ValueError`` if it is none."""
        table: dict[str, Any] = {}
        for part in parts_of(text):
            key, equals, value = (word.strip() for word in part.partition("="))
            if not (key and equals and value):
                such = "share=0.2,least=0.5,most=2,speedup=amdahl(0.05)"
                raise ValueError(f"{whole} must be such as {such}, so {quoted(part)} is not understood")
            table[key] = value if key in ("speedup", "believes", "kind") else value_in(value)
        return read(cls, table, whole)

    def chosen(self, trace: Trace) -> Whole:
        """The rows of the jobs of a log that have several sizes."""
        among = (trace.processors >= self.narrowest) & (trace.runtime >= self.shortest)
        if self.widest is not None:
            among &= trace.processors <= self.widest
        if self.longest is not None:
            among &= trace.runtime <= self.longest
        if self.users:
            among &= np.isin(trace.user, _numbers(self.users, trace))
        return np.flatnonzero(among & (self._dice(trace.id, "share") < self.share))

    def of(self, trace: Trace, processors: int | None = None, among: Flags | None = None) -> Trace:
        """The log with shapes of the chosen jobs, on a machine of so many processors (default: that of the log).

        ``among`` says for each job whether it may be chosen.
        """
        size = processors or trace.machine_size
        if size is None:
            raise ValueError("the log does not say how many processors its machine has; give processors")
        rows = self.chosen(trace)
        rows = rows if among is None else rows[among[rows]]
        own, luck = trace.processors[rows], self._dice(trace.id[rows], "speed-up")
        ends = np.cumsum([share for _, share in self.mix])
        which = np.minimum(np.searchsorted(ends, luck * ends[-1], "right"), len(ends) - 1)
        pairs, place = np.unique(np.column_stack([own, which]), axis=0, return_inverse=True)
        made, shapes = np.full(len(pairs), RIGID), list[Shape]()
        for number_of_pair, (width, speed) in enumerate(pairs.tolist()):
            if width <= size and (shape := self._shape(width, size, self.mix[speed][0])) is not None:
                made[number_of_pair] = len(shapes)
                shapes.append(shape)
        codes = np.full(len(trace), RIGID)
        codes[rows] = made[place.reshape(-1)]
        return with_shapes(trace, codes, shapes)

    def _shape(self, own: int, processors: int, speedup: str) -> Shape | None:
        """The shape of a job of so many processors; None if it has one size."""
        low = max(1, int(np.ceil(self.least * own - 1e-9)))
        high = min(processors, int(np.floor(self.most * own + 1e-9)))
        if low == high:
            return None
        if self.steps == "all":
            sizes = f"{low}-{high}"
        elif self.steps == "doubling":
            found = {own * 2**k for k in range(64) if own * 2**k <= high}
            found |= {half for k in range(64) if (half := -(-own // 2**k)) >= low}
            sizes = " ".join(map(str, sorted(found)))
        else:
            assert isinstance(self.steps, int)
            first = -(-low // self.steps) * self.steps
            sizes = " ".join(map(str, sorted({own, *range(first, high + 1, self.steps)})))
        given = {name: getattr(self, name) for name in ("kind", "believes", "cost", "gap", "notice")}
        made = Shape(sizes, preferred=own, speedup=speedup, **given)
        return made if len(made.every) > 1 else None

    def _dice(self, ids: Whole, purpose: str) -> Floats:
        """A uniform number for each job, by its number (the mixing function is that of SplitMix64)."""
        key = sequence(self.seed, "shapes", purpose).generate_state(1, np.uint64)[0]
        with np.errstate(over="ignore"):
            z: Any = key + ids.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            z ^= z >> np.uint64(31)
        found: Floats = (z >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return found


def shaped(jobs: Jobs, how: Shaping | Path | None, processors: int) -> Jobs:
    """The jobs of a log with shapes as assumed, or those of a file (`read_shapes`); the same, if there are none.

    On nodes, jobs that ask for several kinds of pieces are not chosen, as no size of theirs is defined.
    """
    if isinstance(jobs, NodeLog):
        told = how.of(jobs.trace, processors, jobs.of_one_kind) if isinstance(how, Shaping) else None
        return replace(jobs, trace=shaped(jobs.trace, how, processors) if told is None else told)
    if how is None:
        return jobs
    return how.of(jobs, processors) if isinstance(how, Shaping) else read_shapes(jobs, how, processors)


def for_machine(
    trace: Trace, how: Shaping | Path, processors: int | None, nodes: Nodes | None, memory_unit: str = "auto"
) -> Trace:
    """The same for jobs whose requests are not read yet, on a machine of so many processors, or of nodes."""
    if nodes is None or isinstance(how, Path):
        size = nodes.total() if nodes is not None else processors or trace.machine_size
        return trace if size is None else shaped(trace, how, size)
    log = read_requests(trace, nodes, memory_unit)
    return how.of(trace, nodes.total(), np.isin(trace.id, log.trace.id[log.of_one_kind]))


def _numbers(users: Sequence[int | str], trace: Trace) -> list[int]:
    """The numbers of users in a log; ``ValueError`` for a name that it does not have."""
    called = {name: code for code, name in trace.names.get("user", {}).items()}
    for user in users:
        if isinstance(user, str) and user not in called:
            known = key_of(user, [str(name) for name in called], "its users", 3) if called else "its users have numbers"
            raise ValueError(f"the log has no user {quoted(user)}; {known}")
    return [called[user] if isinstance(user, str) else user for user in users]
