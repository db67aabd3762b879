"""Random failures: every processor (on a machine of nodes: every node) alternates between up and down.

Processor i is up from t = 0 on, for a first up time; then it is down for a repair time, up again, and so on by the
clock, whatever runs on it. Up times have mean `mtbf` (mean time between failures, here from a repair to the next
failure), repair times mean `mttr` (mean time to repair). Both are exponential, or Weibull with a `shape`: below 1,
failures come in bursts, as Schroeder and Gibson found in the logs of LANL (shape 0.7 to 0.8; DSN 2006). Any frozen
distribution of SciPy may take their place.

Numbers are drawn by inverse transform, one uniform number each, from `stream(seed, i, "failures")` and
`stream(seed, i, "repairs")`, and rounded up to the grid. So the outages depend on the seed alone, not on the policy,
the number of processors, or the steps in which a run asks for them.
"""

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.changes.outages import Outages
from thinktime.workloads.grid import LIMIT, TICKS_PER_SECOND
from thinktime.workloads.interval_sets import LARGEST
from thinktime.workloads.names import key_of
from thinktime.workloads.streams import stream
from thinktime.workloads.units import as_text, seconds

OPTIONS = ("mtbf", "mttr", "shape", "repair_shape")
FEWEST = 4
"""How many outages of a processor are drawn at once, at least."""
AT_ONCE = 2**16
"""Of how many processors."""
SMALLEST_SHAPE = 0.01
"""The mean of a Weibull distribution with a smaller shape has more digits than a float."""


@dataclass(frozen=True, slots=True)
class Failures:
    """Distributions of the up times and repair times of each processor.

    `mtbf` and `mttr` are the means (s), with any `shape` and `repair_shape`. `up` and `down` are distributions to use
    instead (frozen ones of `scipy.stats`, or anything with their `ppf`).

    >>> round(Failures.parse("mtbf=30d,mttr=4h").availability, 6)
    0.994475
    """

    mtbf: float | None = None
    mttr: float | None = None
    shape: float = 1.0
    repair_shape: float = 1.0
    up: Any = None
    down: Any = None
    seed: int = 1

    def __post_init__(self) -> None:
        for mean, shape, own in (("mtbf", "shape", "up"), ("mttr", "repair_shape", "down")):
            checks.fields(self, checks.number, shape, wanted="a number of at least 0.01", least=SMALLEST_SHAPE)
            given, distribution = getattr(self, mean), getattr(self, own)
            if distribution is None:
                checks.put(self, mean, _mean(mean, own, given))
            elif given is not None or getattr(self, shape) != 1:
                raise ValueError(f"{own} is a distribution of its own, so leave out {mean} and {shape}")
            elif not callable(getattr(distribution, "ppf", None)):
                raise ValueError(f"{own} must be a frozen distribution of scipy.stats, not {distribution!r}")
        checks.fields(self, checks.whole, "seed", least=0)

    @classmethod
    def parse(cls, text: str, seed: int = 1) -> "Failures":
        """Failures from a text such as ``mtbf=30d,mttr=4h,shape=0.7``."""
        values: dict[str, Any] = {}
        for part in text.split(","):
            key, equals, value = (word.strip() for word in part.partition("="))
            if not equals or not value:
                raise ValueError(f"failures are such as mtbf=30d,mttr=4h,shape=0.7, so {part!r} is not understood")
            if key not in OPTIONS:
                raise ValueError(f"failures have no {key!r}; {key_of(key, OPTIONS, 'the choices')}")
            if key in values:
                raise ValueError(f"failures have {key!r} twice in {text!r}")
            values[key] = _number(key, value) if key.endswith("shape") else value
        return cls(**values, seed=seed)

    def with_seed(self, seed: int) -> "Failures":
        """The same distributions with other random numbers."""
        return dataclasses.replace(self, seed=seed)

    @property
    def availability(self) -> float:
        """The share of time that a processor is up in the long run: mtbf / (mtbf + mttr)."""
        up = float(self.up.mean()) if self.mtbf is None else self.mtbf
        down = float(self.down.mean()) if self.mttr is None else self.mttr
        return up / (up + down)

    def drawing(self, processors: int) -> "Drawing":
        """The outages of so many processors, to be drawn step by step."""
        if checks.whole("processors", processors) >= LARGEST:
            raise ValueError(f"failures are drawn for fewer than {LARGEST:,} processors, not {processors:,}")
        return Drawing(self, int(processors))

    def outages(self, processors: int, until: float) -> Outages:
        """The outages of so many processors that begin up to ``until`` (s)."""
        return self.drawing(processors).until(until)

    def __str__(self) -> str:
        """The text that `parse` reads; a distribution of its own is named only."""
        parts = [_part("mtbf", self.mtbf, self.up), _part("mttr", self.mttr, self.down)]
        parts += [f"{name}={getattr(self, name):.15g}" for name in OPTIONS[2:] if getattr(self, name) != 1]
        return ",".join(parts)


class Drawing:
    """The outages of one run, drawn as far as somebody has asked.

    A processor's outages come from its two streams alone, in order, so it does not matter how many are drawn at once.
    """

    def __init__(self, failures: Failures, processors: int) -> None:
        self._up = _distribution(failures.up, failures.mtbf, failures.shape)
        self._down = _distribution(failures.down, failures.mttr, failures.repair_shape)
        self._bits = np.random.PCG64(0)
        self._states = [
            [stream(failures.seed, i, purpose).bit_generator.state for purpose in ("failures", "repairs")]
            for i in range(processors)
        ]
        """The states of each processor's two generators, which are a fifth of their size."""
        self._known = np.full(processors, -math.inf)
        """When the last outage drawn for each processor begins (s)."""
        self._repaired = np.zeros(processors)
        """When it ends."""
        self._blocks = 0
        self._waiting = Outages.of_disjoint(np.empty(0), np.empty(0), np.empty(0, np.int64))
        """The outages that were drawn and not yet given."""
        self._draw(0.0)

    @property
    def upcoming(self) -> float:
        """When the next outage begins (s) of those that `until` has not given yet; infinity if there will be none."""
        return float(self._waiting.start[0]) if len(self._waiting) else math.inf

    def until(self, t: float) -> Outages:
        """The outages that begin after the ``t`` of the last call and up to this one (s), which is included."""
        if not t < LIMIT:
            raise ValueError(f"outages can be drawn up to a time below {LIMIT:,.0f} s, not {t!r}")
        if t >= self._horizon:
            self._draw(t)
        after = math.nextafter(t, math.inf)
        given, self._waiting = self._waiting.between(until=after), self._waiting.between(since=after)
        return given

    def _draw(self, t: float) -> None:
        """Draw until of every processor an outage after ``t`` is known, and a quarter further, to do so seldom."""
        pieces = [(self._waiting.start, self._waiting.end, self._waiting.index)]
        while (behind := np.flatnonzero(self._known <= 1.25 * t)).size:
            pieces += [self._block(part) for part in np.array_split(behind, math.ceil(behind.size / AT_ONCE))]
            self._blocks += 1
        start, end, index = (np.concatenate(columns) for columns in zip(*pieces, strict=True))
        order = np.lexsort((index, start))
        self._waiting = Outages.of_disjoint(start[order], end[order], index[order])
        self._horizon = float(self._known.min())

    def _block(self, rows: Whole) -> tuple[Floats, Floats, Whole]:
        """The next outages of these processors, the same number for each, without those that never begin."""
        shares = self._uniforms(rows, FEWEST + self._blocks)
        lengths = [_lengths("up", self._up.ppf(shares[0])), _lengths("down", self._down.ppf(shares[1]))]
        turns = np.stack(lengths, axis=2).reshape(len(rows), -1)
        turns[:, 0] += self._repaired[rows]
        times = np.cumsum(turns, axis=1)
        times[times >= LIMIT] = math.inf
        start, end = times[:, 0::2], times[:, 1::2]
        self._known[rows], self._repaired[rows] = start[:, -1], end[:, -1]
        begin = start < math.inf
        return start[begin], end[begin], np.repeat(rows, begin.sum(axis=1))

    def _uniforms(self, rows: Whole, count: int) -> Floats:
        """The next uniform numbers of these processors: for up times and for repair times, a row for each."""
        found = np.empty((2, len(rows), count))
        generator = np.random.Generator(self._bits)
        for k, row in enumerate(rows.tolist()):
            states = self._states[row]
            for purpose in (0, 1):
                self._bits.state = states[purpose]
                found[purpose, k] = generator.random(count)
                states[purpose] = self._bits.state
        return found


def _distribution(given: Any, mean: float | None, shape: float) -> Any:
    """The given distribution, else the Weibull one with this mean (s) and shape; with shape 1 it is exponential."""
    from scipy import stats  # SciPy is slow to import

    if mean is None:
        return given
    if shape == 1:
        return stats.expon(scale=mean)
    return stats.weibull_min(shape, scale=mean / math.gamma(1 + 1 / shape))


def _lengths(name: str, values: Floats) -> Floats:
    """Lengths of time (s), rounded up to the grid, at least one step."""
    if np.isnan(values).any():
        raise ValueError(f"the distribution {name} gave a time that is not a number")
    ticks = np.ceil(np.clip(values, 0, LIMIT) * TICKS_PER_SECOND)
    found: Floats = np.maximum(ticks, 1) / TICKS_PER_SECOND
    return found


def _mean(name: str, distribution: str, value: object) -> float:
    if value is None:
        raise ValueError(
            f"failures need {name}, such as mtbf=30d,mttr=4h, or a distribution of their own for {distribution}"
        )
    try:
        return checks.positive(name, seconds(value))
    except ValueError:
        raise ValueError(f"{name} must be a duration above 0, such as 30d or 4h, not {value!r}") from None


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} must be a number, such as 0.7, not {text!r}") from None


def _part(name: str, mean: float | None, distribution: Any) -> str:
    if mean is not None:
        return f"{name}={as_text(mean)}"
    family = getattr(getattr(distribution, "dist", distribution), "name", type(distribution).__name__)
    return f"{name} of {family}"
