"""A signal: a step function of time, such as the price of electricity or how much carbon a kWh of it has.

Step i has the value v_i from times[i] up to, but without, times[i+1]; the last one ends at ``end``. From there on the
signal repeats (then also backwards, for ever), holds its last value, or is over, which ends a run.

Times are on the grid (`workloads.grid`), so lengths of steps are exact, and so is an integral of values of few digits,
such as whole numbers: Σ v_i · (length of step i within [a, b)), in value times s.

>>> price = Signal([0, 3600], [1.0, 0.1], "price", "EUR/kWh")
>>> price.at(7200), price.integral(0, 5400)
(1.0, 3780.0)
"""

import math
import os
from pathlib import Path
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from thinktime.workloads.arrays import AnyArray, Flags, Floats, Whole
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.grid import LIMIT, to_grid
from thinktime.workloads.names import Explained, key_of, quoted
from thinktime.workloads.signals.file import read_steps, write_steps
from thinktime.workloads.signals.units import CARBON, MOST_CARBON, Unit, unit_of
from thinktime.workloads.units import DAY, HOUR, Duration, as_seconds, in_two_units, plain

QUARTER = HOUR / 4
"""Steps of the clock begin at such times."""
AFTER = ("repeat", "hold", "end")
"""What comes after the last step."""


class Steps(NamedTuple):
    """A piece of a signal: the value from each time on, up to the next one; ``end`` is where the last step ends."""

    times: Floats
    values: Floats
    end: float

    @property
    def lengths(self) -> Floats:
        """How long each step is (s)."""
        return np.diff(self.times, append=self.end)


class Signal(Explained):
    """A step function of time with a name and a unit; ``after`` is ``repeat``, ``hold`` or ``end``.

    Times are in s since the log's start, or texts such as "2 h", and rise. Where the last step ends is ``end``. If it
    is not given, the last step is as long as the one before it where all steps are equal; steps of other lengths that
    begin at quarters of an hour after the first fill whole days, so that a day of two tariffs repeats each day; and a
    single step is constant. Its text says after how long a signal repeats.
    Carbon is not negative; prices may be. ``ValueError`` for steps that cannot be.

    >>> Signal([0, "1 h"], [1.0, 0.1], "price", "EUR/kWh").mean(0, 7200)
    0.55
    """

    __slots__ = ("_rest", "_sums", "after", "end", "name", "times", "unit", "values")

    times: Floats
    values: Floats
    name: str
    unit: str
    after: str
    end: float

    def __init__(
        self,
        times: ArrayLike,
        values: ArrayLike,
        name: str = "signal",
        unit: str = "",
        after: str = "repeat",
        end: Duration | None = None,
    ) -> None:
        if after not in AFTER:
            raise ValueError(
                f"after the last step a signal cannot {quoted(after)}; {key_of(str(after), AFTER, 'the ways')}"
            )
        self.times, self.values = _arrays(times, values)
        self.name, self.unit, self.after = str(name), str(unit), after
        self.end = _end(self.times, end)
        _check(self)
        lengths = np.diff(self.times, append=self.end) if self.end < math.inf else np.diff(self.times)
        sums = np.concatenate(([0.0], np.cumsum(self.values[: len(lengths)] * lengths, dtype=np.longdouble)))
        self._sums = sums.astype(np.float64)
        """The integral from the first step to each border, and what a double has no digits for."""
        self._rest = (sums - self._sums).astype(np.float64)
        for array in (self.times, self.values, self._sums, self._rest):
            array.setflags(write=False)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        name: str | None = None,
        unit: str = "",
        after: str = "repeat",
        end: Duration | None = None,
        calendar: Calendar | None = None,
        gaps: str = "refuse",
        max_size: int | None = None,
    ) -> "Signal":
        r"""Read a CSV file of ``start,value`` (`file`); a ``ValueError`` names file and line, and what would be right.

        Its name is that of the file, if none is given. Dates need the ``calendar`` of the log (`Trace.calendar`).
        Steps that are missing among equal ones are refused, unless ``gaps="hold"``.

        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "price.csv")
        ...     _ = path.write_text("start,value\n0,1\n3600,0.1\n")
        ...     print(Signal.read(path, unit="EUR/kWh"))
        <Signal price: 2 steps from 0 s, 0.1 to 1 EUR/kWh, repeat every 2h 0m>
        """
        file = Path(path)
        times, values = read_steps(file, calendar, gaps, max_size)
        try:
            return cls(times, values, file.name.split(".")[0] if name is None else name, unit, after, end)
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from None

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write its steps as a CSV file that `read` reads, in seconds; `.gz` compresses."""
        write_steps(Path(path), self.times, self.values)

    @property
    def kind(self) -> str:
        """Whether it is a ``price``, ``carbon`` or a ``tariff``, by its unit."""
        return self.in_unit.kind

    @property
    def in_unit(self) -> Unit:
        """Its unit, taken apart into what is measured and per what."""
        return unit_of(self.unit)

    @property
    def start(self) -> float:
        """From when on it has a value (s): always, if it repeats."""
        return -math.inf if self._repeats else float(self.times[0])

    @property
    def over(self) -> float:
        """From when on it has none (s): infinity, unless it ends."""
        return self.end if self.after == "end" else math.inf

    @property
    def period(self) -> float:
        """After how long it repeats (s); infinity, if it does not."""
        return self.end - float(self.times[0]) if self._repeats else math.inf

    @property
    def _repeats(self) -> bool:
        return self.after == "repeat" and self.end < math.inf

    @overload
    def at(self, t: float) -> float: ...
    @overload
    def at(self, t: Floats) -> Floats: ...
    def at(self, t: float | Floats) -> float | Floats:
        """The value at a time (s), or at each of an array."""
        _, _, step = self._place(t)
        found = self.values[step]
        return found if isinstance(t, np.ndarray) else float(found)

    @overload
    def integral(self, a: float, b: float) -> float: ...
    @overload
    def integral(self, a: Floats, b: Floats) -> Floats: ...
    def integral(self, a: float | Floats, b: float | Floats) -> float | Floats:
        """The integral over [a, b), in value times s; of arrays, pair by pair."""
        found = (self._until(b) - self._until(a)).astype(np.float64)
        return found if isinstance(a, np.ndarray) or isinstance(b, np.ndarray) else float(found)

    def mean(self, a: float, b: float) -> float:
        """The mean over [a, b); the value at ``a`` if that is empty."""
        return self.integral(a, b) / (b - a) if b > a else self.at(a)

    def quantile(self, share: float, a: float, b: float) -> float:
        """The least value that the signal is at or below for at least this share of [a, b)."""
        part = self.steps(a, b)
        order = np.argsort(part.values, kind="stable")
        below = np.cumsum(part.lengths[order])
        place = int(np.searchsorted(below, share * (b - a)))
        return float(part.values[order][min(place, len(order) - 1)])

    def steps(self, a: float, b: float) -> Steps:
        """The steps of [a, b), the first of which begins at ``a``; none if it is empty."""
        if not b > a:
            return Steps(np.empty(0), np.empty(0), float(a))
        borders = self._borders(a, b)
        times = np.concatenate(([a], borders[(borders > a) & (borders < b)]))
        return Steps(times, self.at(times), float(b))

    def next_step(self, t: float) -> float:
        """When the next step after ``t`` begins (s), whether or not its value is another; infinity if none does."""
        _, rest, step = self._place(t)
        if step + 1 < len(self.times):
            return float(self.times[step + 1] - rest + t)
        return self.end - float(rest) + t if self._repeats else math.inf

    def times_other(self, other: "Signal", a: float, b: float) -> "Signal":
        """The product with another signal over [a, b), which holds its last value."""
        borders = np.union1d(self.steps(a, b).times, other.steps(a, b).times)
        return Signal(borders, self.at(borders) * other.at(borders), self.name, "", "hold", b)

    def later(self, by: Duration) -> "Signal":
        """The same, later by some time (s)."""
        moved = as_seconds("by", by)
        return Signal(self.times + moved, self.values, self.name, self.unit, self.after, self.end + moved)

    def scaled(self, factor: float, name: str | None = None, unit: str | None = None) -> "Signal":
        """The same, with each value times a factor, by the same or another name and unit."""
        name, unit = self.name if name is None else name, self.unit if unit is None else unit
        return Signal(self.times, self.values * factor, name, unit, self.after, self.end)

    def _place(self, t: float | Floats) -> tuple[Floats, Floats, Whole]:
        """How many periods each time is behind the first, the same time in the first, and its step there."""
        time = np.asarray(t, np.float64)
        first = self.times[0]
        if self._repeats:
            turn = np.floor((time - first) / self.period)
            rest = time - turn * self.period
            # The quotient is rounded, so it may be one too many or too few next to a border.
            less, more = rest < first, rest >= self.end
            turn, rest = turn - less + more, rest + self.period * less - self.period * more
        else:
            turn, rest = np.zeros_like(time), time
            self._refuse(time)
        return turn, rest, np.searchsorted(self.times, rest, "right") - 1

    def _refuse(self, time: Floats) -> None:
        """Raise ``ValueError`` for a time at which there is no value."""
        if np.any(time < self.times[0]):
            raise ValueError(
                f"{self._named} begins at {plain(self.times[0])} s, so it has no value at {plain(np.min(time))} s; "
                "give its steps from there on, or let it repeat"
            )
        if self.after == "end" and np.any(time > self.end):
            raise ValueError(
                f"{self._named} ends at {plain(self.end)} s, so it has no value at {plain(np.max(time))} s; "
                "end the run before, or let it repeat or hold its last value"
            )

    def _until(self, t: float | Floats) -> AnyArray:
        turn, rest, step = self._place(t)
        more = self.values[step] * (rest - self.times[step]).astype(np.longdouble)
        inside = self._sums[step] + (self._rest[step] + more)
        return inside + turn * (self._sums[-1] + self._rest[-1:].astype(np.longdouble)[0]) if self._repeats else inside

    def _borders(self, a: float, b: float) -> Floats:
        if not self._repeats:
            return self.times
        first, last = (int(self._place(t)[0]) for t in (a, b))
        return np.concatenate([self.times + turn * self.period for turn in range(first, last + 1)])

    @property
    def _named(self) -> str:
        return f"the signal {quoted(self.name)}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Signal):
            return NotImplemented
        same = np.array_equal(self.times, other.times) and np.array_equal(self.values, other.values)
        return same and self._words == other._words

    @property
    def _words(self) -> tuple[str, str, str, float]:
        return self.name, self.unit, self.after, self.end

    def __hash__(self) -> int:
        return hash((self._words, self.times.tobytes(), self.values.tobytes()))

    def __reduce__(self) -> tuple[type["Signal"], tuple[object, ...]]:
        return Signal, (self.times, self.values, *self._words)

    def __repr__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        span = f"{self.values.min():.6g} to {self.values.max():.6g}{unit}"
        after = f"{self.after} every {in_two_units(self.period)}" if self._repeats else self.after
        return f"<Signal {self.name}: {len(self.times):,} steps from {plain(self.times[0])} s, {span}, {after}>"


def _arrays(times: ArrayLike, values: ArrayLike) -> tuple[Floats, Floats]:
    given = [as_seconds("a time of a signal", each) for each in times] if isinstance(times, list | tuple) else times
    begin, value = to_grid(np.array(given, np.float64)), np.array(values, np.float64)
    if begin.ndim != 1 or begin.shape != value.shape or not len(begin):
        raise ValueError("times and values of a signal must be two lists of equal length, with at least one step")
    return begin, value


def _end(times: Floats, end: Duration | None) -> float:
    if end is not None:
        return float(to_grid(float(as_seconds("end", end))))
    if len(times) == 1:
        return math.inf
    lengths, span = np.diff(times), float(times[-1] - times[0])
    usual = span + float(lengths[-1])
    equal = len(lengths) > 1 and bool((lengths == lengths[0]).all())
    by_clock = not np.any((times - times[0]) % QUARTER) and usual > 0
    if equal or not by_clock or DAY % usual == 0 or usual % DAY == 0:
        return float(times[0]) + usual
    return float(times[0]) + DAY * (span // DAY + 1)


def _check(signal: Signal) -> None:
    """Raise ``ValueError`` for the first impossible step."""
    times, values = signal.times, signal.values
    if wrong := _first(~(np.abs(times) < LIMIT)):
        raise ValueError(f"step {wrong} of a signal begins at {times[wrong - 1]:g} s; it must be a time in s")
    if wrong := _first(np.diff(times) <= 0):
        raise ValueError(
            f"step {wrong + 1} of a signal begins at {plain(times[wrong])} s, not after step {wrong} at "
            f"{plain(times[wrong - 1])} s; steps must be in the order of time, each once"
        )
    if not signal.end > times[-1]:
        raise ValueError(f"a signal ends at {plain(signal.end)} s, which must be after its last step begins")
    if wrong := _first(~np.isfinite(values)):
        raise ValueError(f"step {wrong} of a signal has the value {values[wrong - 1]:g}; it must be a finite number")
    unit = signal.in_unit
    if unit.kind != CARBON:
        return
    if wrong := _first(values < 0):
        raise ValueError(f"step {wrong} of a signal has {values[wrong - 1]:g} {signal.unit}; carbon cannot be negative")
    grams = values * unit.per_kwh * 1000
    if wrong := _first(grams > MOST_CARBON):
        raise ValueError(
            f"step {wrong} of a signal has {values[wrong - 1]:g} {signal.unit}, more than any electricity "
            f"({MOST_CARBON:,.0f} g/kWh); is its unit another, such as g/kWh or kg/MWh?"
        )


def _first(wrong: Flags) -> int:
    """The number of the first step that is wrong, from 1; 0 if none is."""
    return int(np.argmax(wrong)) + 1 if wrong.any() else 0
