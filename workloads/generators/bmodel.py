"""The b-model: submissions that are bursty at every scale, from a single number, the bias b in [0.5, 1).

N submissions are spread over an interval by halving it repeatedly. Of the n submissions of a part, one half,
chosen at random, gets b n and the other the rest. With b = 0.5 they are even, with b near 1 all in one place.
Counts are whole numbers and conserved at every level: b n is rounded up or down at random so that its mean is
b n. The entropy of the shares of 2ˡ parts grows by H(b) = −b log₂ b − (1 − b) log₂(1 − b) bits per level l.
This `entropy_slope` is used to fit b to a log.

Source: Wang, Madhyastha, Chan, Papadimitriou and Faloutsos, Data mining meets performance evaluation: fast algorithms
for modeling bursty traffic, ICDE 2002 (cascade and entropy plot). Ours: the rounding is random, halving stops at the
first level whose parts are no longer than `resolution`, and the submissions of such a part are spread evenly over it.
"""

import math
from dataclasses import dataclass

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.generators.arrivals import MEAN, Arrivals


@dataclass(frozen=True, slots=True, kw_only=True)
class BModel(Arrivals):
    """A cascade of bias b with one submission per `mean` s, down to parts of at most `resolution` s."""

    bias: float = 0.75
    mean: float = MEAN
    resolution: float = 1.0

    def __post_init__(self) -> None:
        below_one = {"wanted": "a number from 0.5 to below 1", "most": math.nextafter(1, 0)}
        checks.fields(self, checks.number, "bias", least=0.5, **below_one)
        checks.fields(self, checks.positive_time, "mean", "resolution")

    @property
    def entropy_slope(self) -> float:
        """Bits of entropy per level, H(b)."""
        b = self.bias
        return -b * math.log2(b) - (1 - b) * math.log2(1 - b)

    @property
    def hurst(self) -> float:
        """The Hurst parameter for b: ½ − ½ log₂(b² + (1 − b)²)."""
        return 0.5 - 0.5 * math.log2(self.bias**2 + (1 - self.bias) ** 2)

    def levels(self, count: int) -> int:
        """How many times an interval for `count` submissions is halved."""
        return max(0, math.ceil(math.log2(max(1, count) * self.mean / self.resolution)))

    def counts(self, total: int, levels: int, rng: np.random.Generator) -> Whole:
        """How many of `total` submissions fall into each of 2^levels parts."""
        places, counts = self._cascade(total, levels, rng)
        everywhere = np.zeros(2**levels, dtype=np.int64)
        everywhere[places] = counts
        return everywhere

    def times(self, count: int, rng: np.random.Generator) -> Floats:
        """`count` submissions on [0, count · mean) (s), in order."""
        levels = self.levels(count)
        places, counts = self._cascade(count, levels, rng)
        first = np.repeat(np.cumsum(counts) - counts, counts)
        within = (np.arange(count) - first + 0.5) / np.repeat(counts, counts)
        times: Floats = (np.repeat(places, counts) + within) * (count * self.mean / 2**levels)
        return times

    def _cascade(self, total: int, levels: int, rng: np.random.Generator) -> tuple[Whole, Whole]:
        """The parts of the finest level that have submissions, in order, and how many each has."""
        places, counts = np.zeros(1, dtype=np.int64), np.array([total], dtype=np.int64)
        for _ in range(levels):
            large = np.floor(self.bias * counts + rng.random(len(counts))).astype(np.int64)
            left = np.where(rng.random(len(counts)) < 0.5, large, counts - large)
            places = np.column_stack([2 * places, 2 * places + 1]).ravel()
            counts = np.column_stack([left, counts - left]).ravel()
            places, counts = places[counts > 0], counts[counts > 0]
        return places, counts
