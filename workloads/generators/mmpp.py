"""MMPP-2: a Poisson process whose rate switches between two values (Markov-modulated Poisson process).

In state i (1 or 2) jobs are submitted at rate λᵢ, and the state is left at rate rᵢ. With s = r₁ + r₂:

* mean rate λ = (λ₁ r₂ + λ₂ r₁) / s;
* index of dispersion of counts (variance over mean of the submissions in a window of length t): IDC(t) = 1 + C (1 − (1
  − e^(−s t)) / (s t)), with the limit 1 + C, C = 2 r₁ r₂ (λ₁ − λ₂)² / (s² (λ₁ r₂ + λ₂ r₁));
* the interarrival time has a phase-type distribution: with D₀ = [[−λ₁ − r₁, r₁], [r₂, −λ₂ − r₂]] and φ, the
  state just after a submission, E[Tⁿ] = n! φ (−D₀)⁻ⁿ 1.

Source: textbook formulas (Fischer and Meier-Hellstern, The MMPP cookbook, Performance Evaluation 18, 1993). A
log starts in a state drawn from the long-run shares of time; `rvs` starts from φ. Ours: the default rates, with
bursts in one hour of ten, sixteen times as busy as the rest, and one submission per 1,000 s on average.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import Floats
from thinktime.workloads.generators.arrivals import Arrivals
from thinktime.workloads.names import quoted

_STAYS = 1_024
"""How many stays in a state are drawn at once; fixed, so that a longer log begins like a shorter one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MMPP2(Arrivals):
    """Submissions at `rates` (λ₁, λ₂), with states left at rates `switches` (r₁, r₂), all per second."""

    rates: tuple[float, float] = (0.0064, 0.0004)
    switches: tuple[float, float] = (1 / 3_600, 1 / 32_400)

    def __post_init__(self) -> None:
        wanted = "two rates of at least 0 per s, one of them above 0"
        checks.fields(self, checks.several, "rates", wanted=wanted, count=2)
        switches = checks.several("switches", self.switches, "two rates above 0 per s", 2)
        if min(switches) <= 0:
            raise ValueError(f"switches must be two rates above 0 per s, not {quoted(self.switches)}")
        checks.put(self, "switches", switches)

    @property
    def mean_rate(self) -> float:
        """Submissions per second in the long run, λ."""
        (l1, l2), (r1, r2) = self.rates, self.switches
        return (l1 * r2 + l2 * r1) / (r1 + r2)

    @property
    def mean(self) -> float:
        """The mean interarrival time (s)."""
        return 1 / self.mean_rate

    @property
    def dispersion_limit(self) -> float:
        """The index of dispersion of counts in the limit of long windows, 1 + C."""
        (l1, l2), (r1, r2) = self.rates, self.switches
        return 1 + 2 * r1 * r2 * (l1 - l2) ** 2 / ((r1 + r2) ** 2 * (l1 * r2 + l2 * r1))

    def dispersion(self, window: float) -> float:
        """The index of dispersion of counts in a window of this length (s)."""
        x = sum(self.switches) * checks.positive("window", window)
        return 1 + (self.dispersion_limit - 1) * (1 + math.expm1(-x) / x)

    @property
    def gap_cv2(self) -> float:
        """The squared coefficient of variation of the interarrival times."""
        (l1, l2), (r1, r2) = self.rates, self.switches
        inverse = np.linalg.inv([[l1 + r1, -r1], [-r2, l2 + r2]])  # -D₀: transitions without a submission
        once = inverse @ np.ones(2)
        second = 2 * float(self._after_one @ inverse @ once)
        return second * self.mean_rate**2 - 1

    def at_rate(self, rate: float) -> "MMPP2":
        """The process at `rate` times its rate, with the same index of dispersion in every window.

        C and s are unchanged. With πᵢ the share of time in state i, C = 2 π₁ π₂ (λ₁ − λ₂)² / (s λ), so the
        difference of the rates grows as the square root of the mean rate. If the smaller one would be negative, it
        is set to 0, and the other state gets the share π that keeps C: C s / 2 = λ (1 − π) / π.
        """
        (l1, l2), (r1, r2) = self.rates, self.switches
        s, mean, apart = r1 + r2, rate * self.mean_rate, math.sqrt(rate) * (l1 - l2)
        rates = mean + apart * r1 / s, mean - apart * r2 / s
        if min(rates) >= 0:
            return MMPP2(rates=rates, switches=self.switches)
        busy = mean / (mean + (self.dispersion_limit - 1) * s / 2)
        rates, switches = (mean / busy, 0.0), (s * (1 - busy), s * busy)
        if l1 < l2:
            rates, switches = rates[::-1], switches[::-1]
        return MMPP2(rates=rates, switches=switches)

    def operational(self, count: int, rng: np.random.Generator, rate: float = 1.0) -> Floats:
        """The first `count` submissions after time 0 (s), of the process `at_rate`."""
        return (self if rate == 1 else self.at_rate(rate)).times(count, rng)

    def times(self, count: int, rng: np.random.Generator) -> Floats:
        """The first `count` submissions after time 0 (s), in order."""
        r1, r2 = self.switches
        return self._first(count, rng, first_share=r2 / (r1 + r2))

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Draw `count` successive interarrival times (s), starting just after a submission."""
        return np.diff(self._first(count, rng, first_share=float(self._after_one[0])), prepend=0.0)

    @property
    def _after_one(self) -> Floats:
        """φ: the state just after a submission."""
        (l1, l2), (r1, r2) = self.rates, self.switches
        return np.array([l1 * r2, l2 * r1]) / (l1 * r2 + l2 * r1)

    def _first(self, count: int, rng: np.random.Generator, first_share: float) -> Floats:
        """The first submissions; `first_share` is the probability of starting in state 1."""
        state = int(rng.random() >= first_share)
        found, pieces = 0, []
        for piece in self._pieces(state, rng):
            pieces.append(piece)
            found += len(piece)
            if found >= count:
                break
        return np.concatenate(pieces)[:count]

    def _pieces(self, state: int, rng: np.random.Generator) -> Iterator[Floats]:
        """Submissions, many stays at a time: Poisson in number in each stay, uniform in time."""
        states = (state + np.arange(_STAYS)) % 2
        rates, means = np.array(self.rates)[states], 1 / np.array(self.switches)[states]
        now = 0.0
        while True:
            stays = rng.exponential(means)
            ends = now + np.cumsum(stays)
            counts = rng.poisson(rates * stays)
            within = rng.random(int(counts.sum())) * np.repeat(stays, counts)
            yield np.sort(np.repeat(ends - stays, counts) + within)
            now = float(ends[-1])
