"""A model of gaps in discrete time, in four steps: what the clock, the job and the wait say about the next batch.

A gap passes through `BINS` bins of length from a minute to days, up to `LONGEST`. The hazard of bin k is the
probability that the user's next batch comes in it if it has not come before. Bins lie in six ranges, from minutes to
weeks, and each range has a model of its own (who goes on within minutes does not look at the clock), in which the
logarithmic odds of the hazard are

    M0   a level for each bin and for each user
    M1   + the hour of the day, and whether it is the weekend, *at the bin's own time of the day and the week*
    M2   + log run time and log processors of the job that ended last
    M3   + log wait of that job

So M1 - M0 is what the clock says, and M3 - M2 what the wait says beyond all others. The models are fitted on the first
half of the gaps and scored on the second (`fit`, `Forecast`):

* *log score*: the logarithm of the probability of the bin in which the next batch came (nats; larger is better);
* *CRPS* of x = log(gap + 1 min): the integral of (F(x) - [x >= observed])² with F linear in x within each bin, up to
  the longest gap (smaller is better; T. Gneiting and A. Raftery, JASA 102, 2007, 359-378).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from thinktime.analysis.diagnosis import ridge
from thinktime.analysis.diagnosis.gaps import Gaps
from thinktime.analysis.diagnosis.ridge import Ridge, Rows
from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.units import DAY, HOUR, MINUTE, WEEK

BINS = 34
LONGEST = 2 * WEEK
EDGES = np.concatenate([[0.0], np.geomspace(MINUTE, LONGEST, BINS)])
"""Bin k is [EDGES[k], EDGES[k + 1]); longer gaps come after the last one."""
BORDERS = np.searchsorted(EDGES, np.array([0.0, 10 * MINUTE, HOUR, 4 * HOUR, 12 * HOUR, 2 * DAY, LONGEST]) - 1.0)
"""The first bin of each range, and where the last one ends: up to about 10 min, 1 h, 4 h, 12 h, 2 d, 2 weeks."""
MODELS = ("M0", "M1", "M2", "M3")
ADDED = {"M0": 0, "M1": 24 + 1, "M2": 2, "M3": 1}
"""The columns that each model adds to those of the model before."""
CHUNK = 8192
"""Gaps that are scored at a time, since each has a row for every bin."""


@dataclass(frozen=True, eq=False, slots=True)
class Scale:
    """How the gaps that a model is fitted on are described: their users, and the mean and spread of each quantity."""

    users: Whole
    centre: Floats
    spread: Floats

    @classmethod
    def of(cls, gaps: Gaps) -> "Scale":
        """The scale of some gaps."""
        values = _described(gaps)
        return cls(np.unique(gaps.user), values.mean(axis=1), np.maximum(values.std(axis=1), 1e-3))

    def groups(self, gaps: Gaps) -> Whole:
        """The place of each gap's user; users whom the scale does not know have the place after the last."""
        place = np.minimum(np.searchsorted(self.users, gaps.user), len(self.users) - 1)
        found: Whole = np.where(self.users[place] == gaps.user, place, len(self.users))
        return found


@dataclass(frozen=True, eq=False, slots=True)
class Forecast:
    """How well each model foretold each of some gaps."""

    log_score: dict[str, Floats]
    """The log score of each gap, by model, nats."""
    crps: dict[str, Floats]


@dataclass(frozen=True, eq=False, slots=True)
class Fitted:
    """The models fitted to some gaps, by name."""

    scale: Scale
    models: dict[str, list[Ridge]]
    """One for each range."""

    def forecast(self, gaps: Gaps) -> Forecast:
        """The scores of each gap under each model."""
        parts = [
            self._scores(gaps.take(np.arange(at, min(at + CHUNK, len(gaps))))) for at in range(0, len(gaps), CHUNK)
        ]
        scores = [
            {name: np.concatenate([part[place][name] for part in parts] or [np.empty(0)]) for name in self.models}
            for place in (0, 1)
        ]
        return Forecast(*scores)

    def _scores(self, gaps: Gaps) -> tuple[dict[str, Floats], dict[str, Floats]]:
        bin_of, score, crps = bins_of(gaps.gap), {}, {}
        logits = {name: np.empty((len(gaps), BINS)) for name in self.models}
        for span, (first, stop) in enumerate(pairwise(BORDERS.tolist())):
            place, bins = np.repeat(np.arange(len(gaps)), stop - first), np.tile(np.arange(first, stop), len(gaps))
            rows = design(gaps, place, bins, span, self.scale)
            for name, models in self.models.items():
                logits[name][:, first:stop] = models[span].logits(part(rows, name)).reshape(-1, stop - first)
        for name in self.models:
            p = probabilities(logits[name])
            score[name] = np.log(p[np.arange(len(gaps)), bin_of])
            crps[name] = crps_of(np.cumsum(p, axis=1)[:, :BINS], gaps.gap)
        return score, crps


def fit(gaps: Gaps, models: tuple[str, ...] = MODELS, strength: float = ridge.RIDGE) -> Fitted:
    """The models of some gaps, from the first on; each begins where the one before has ended."""
    scale = Scale.of(gaps)
    place, bins, outcome = at_risk(gaps.gap)
    found: dict[str, list[Ridge]] = {name: [] for name in models}
    for span, (first, stop) in enumerate(pairwise(BORDERS.tolist())):
        inside = (bins >= first) & (bins < stop)
        rows, latest = design(gaps, place[inside], bins[inside], span, scale), None
        for name in models:
            latest = ridge.fit(part(rows, name), outcome[inside], len(scale.users) + 1, strength, latest)
            found[name].append(latest)
    return Fitted(scale, found)


def bins_of(gap: Floats) -> Whole:
    """The bin of each gap (s); `BINS` for those beyond the last."""
    found: Whole = np.searchsorted(EDGES, gap, side="right") - 1
    return found


def at_risk(gap: Floats) -> tuple[Whole, Whole, Flags]:
    """A row for each bin that a gap reaches: the place of the gap, the bin, and whether the gap ends there."""
    last = bins_of(gap)
    count = np.minimum(last + 1, BINS)
    place = np.repeat(np.arange(len(gap)), count)
    bins = np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count)
    return place, bins, bins == last[place]


def design(gaps: Gaps, place: Whole, bins: Whole, span: int, scale: Scale) -> Rows:
    """What is known of rows of one range (all columns of M3): which gap, and which bin."""
    from scipy import sparse

    first, stop = BORDERS[span : span + 2].tolist()
    hours = 1 + stop - first
    clock = gaps.clock[place] + (EDGES[bins] + EDGES[bins + 1]) / 2
    weekend = (clock // DAY) % 7 >= 5
    values = (_described(gaps) - scale.centre[:, None]) / scale.spread[:, None]
    one, zero = np.ones(len(bins)), np.zeros(len(bins), np.int64)
    entries = [
        (zero, one),
        (1 + bins - first, one),
        (hours + ((clock // HOUR) % 24).astype(np.int64), one),
        (zero + hours + 24, weekend.astype(np.float64)),
        *((zero + hours + 25 + kind, of[place]) for kind, of in enumerate(values)),
    ]
    column, data = (np.stack(parts, axis=1).ravel() for parts in zip(*entries, strict=True))
    bounds = np.arange(len(bins) + 1) * len(entries)
    width = hours + sum(ADDED.values())
    return Rows(scale.groups(gaps)[place], sparse.csr_matrix((data, column, bounds), (len(bins), width)))


def part(rows: Rows, model: str) -> Rows:
    """The rows with the columns of one model."""
    left_out = sum(ADDED[name] for name in MODELS[MODELS.index(model) + 1 :])
    return Rows(rows.group, rows.columns[:, : rows.columns.shape[1] - left_out])


def probabilities(logits: Floats) -> Floats:
    """For each gap the probability of each bin, and of a gap beyond the last, from the hazards' logarithmic odds."""
    happens = np.exp(ridge.log_likelihood(logits, True))
    survives = np.cumsum(ridge.log_likelihood(logits, False), axis=1)
    reached = np.exp(np.concatenate([np.zeros((len(logits), 1)), survives], axis=1))
    found: Floats = np.concatenate([reached[:, :-1] * happens, reached[:, -1:]], axis=1)
    return found


def crps_of(cumulated: Floats, gap: Floats) -> Floats:
    """The CRPS of log(gap + 1 min) for each gap (s), from the probabilities of gaps up to each bin's end."""
    edges = np.log(EDGES + MINUTE)
    observed = np.log(np.minimum(gap, LONGEST) + MINUTE)[:, None]
    upper = cumulated
    lower = np.concatenate([np.zeros((len(gap), 1)), upper[:, :-1]], axis=1)
    left, right = edges[:-1], edges[1:]
    cut = np.clip(observed, left, right)
    at_cut = lower + (upper - lower) * (cut - left) / (right - left)
    below = _square(lower, at_cut) * (cut - left)
    above = _square(1 - at_cut, 1 - upper) * (right - cut)
    found: Floats = (below + above).sum(axis=1)
    return found


def _square(first: Floats, last: Floats) -> Floats:
    """The mean of the squares of a line from the first to the last value."""
    return (first**2 + first * last + last**2) / 3


def _described(gaps: Gaps) -> Floats:
    """Log run time, log processors and log wait of each gap."""
    return np.stack([np.log(gaps.runtime + MINUTE), np.log2(gaps.processors), np.log(gaps.wait + MINUTE)])


def halves(gaps: Gaps) -> Iterator[Gaps]:
    """The gaps of the first half of the batches that were over before the second began, and those of the second."""
    if not len(gaps):
        yield from (gaps, gaps)
        return
    split = gaps.end[len(gaps) // 2]
    yield gaps.take((gaps.end < split) & (gaps.end + gaps.gap < split))
    yield gaps.take(gaps.end >= split)
