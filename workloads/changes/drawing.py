"""Random failures, drawn step by step: each processor's outages, by inverse transform from two streams of its own."""

import math
from typing import Any

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.changes.outages import Outages
from thinktime.workloads.grid import LIMIT, TICKS_PER_SECOND
from thinktime.workloads.names import quoted
from thinktime.workloads.streams import Seed, sequence

FEWEST = 4
"""How many outages of a processor are drawn at once, at least."""
AT_ONCE = 2**16
"""Of how many processors."""


class Drawing:
    """The outages of one run, drawn as far as they were asked for.

    A processor's outages come from its two streams alone, in order, so it does not matter how many are drawn at once.
    """

    def __init__(self, up: Any, down: Any, seed: Seed, processors: int) -> None:
        """Of so many processors, with up times and repair times of these distributions (s)."""
        self._up, self._down = up, down
        self._bits = np.random.PCG64(0)
        root = np.random.SeedSequence(seed) if not isinstance(seed, np.random.SeedSequence) else seed
        self._states = [
            [np.random.PCG64(sequence(root, i, purpose)).state for purpose in ("failures", "repairs")]
            for i in range(processors)
        ]
        """The states of each processor's two generators, which are a fifth of their size."""
        self._known = np.full(processors, -math.inf)
        """When the last outage drawn for each processor begins (s)."""
        self._repaired = np.zeros(processors)
        """When it ends."""
        self._blocks = 0
        self._waiting = Outages.of_ordered(np.empty(0), np.empty(0), np.empty(0, np.int64))
        """The outages that were drawn and not yet given."""
        self._draw(0.0)

    @property
    def upcoming(self) -> float:
        """When the next outage begins (s) of those that `until` has not given yet; infinity if there will be none."""
        return float(self._waiting.start[0]) if len(self._waiting) else math.inf

    def until(self, t: float) -> Outages:
        """The outages that begin after the ``t`` of the last call and up to this one (s), which is included."""
        if not t < LIMIT:
            raise ValueError(f"outages can be drawn up to a time below {LIMIT:,.0f} s, not {quoted(t)}")
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
        self._waiting = Outages.of_ordered(start[order], end[order], index[order])
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


def _lengths(name: str, values: Floats) -> Floats:
    """Lengths of time (s), rounded up to the grid, at least one step."""
    if np.isnan(values).any():
        raise ValueError(f"the distribution {name} gave a time that is not a number")
    ticks = np.ceil(np.clip(values, 0, LIMIT) * TICKS_PER_SECOND)
    found: Floats = np.maximum(ticks, 1) / TICKS_PER_SECOND
    return found
