"""Several comparisons at once, with Holm's correction.

With m comparisons at level 0.05 each, the chance that at least one is "significant" by luck alone exceeds 5 %. Holm's
step-down procedure keeps that probability of a false claim in the family at 5 %, whatever the dependence between the
comparisons, and is never weaker than Bonferroni's. With the p-values in ascending order p_(1) ≤ … ≤ p_(m), the
adjusted ones are

    q_(i) = max over j ≤ i of min(1, (m - j + 1) p_(j))

Source: S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).
Intervals are those of each comparison alone, not simultaneous ones. If a mark and an interval disagree, it is because
only the mark accounts for the family.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from thinktime.analysis.statistics.intervals import Difference, paired, series, unpaired
from thinktime.workloads.arrays import Floats
from thinktime.workloads.html import paragraph, table
from thinktime.workloads.names import quoted

SIGNIFICANT, NOT_SIGNIFICANT, TOO_LITTLE = "significant", "no significant difference", "too little data"
"""The outcomes of a comparison. Too little data (such as fewer than two pairs) does not mean no difference."""

LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
LEGEND = "* p < 0.05, ** p < 0.01, *** p < 0.001"
"""What the stars of `mark` say, for below a table."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One comparison of a family: `first` minus `second`."""

    first: str
    second: str
    difference: Difference
    adjusted: float
    """Holm's p within the family."""

    @property
    def mark(self) -> str:
        """One to three stars by the adjusted p; empty if there is no significant difference."""
        return mark(self.adjusted)

    @property
    def state(self) -> str:
        """`SIGNIFICANT` (at the 5 % level), `NOT_SIGNIFICANT` or `TOO_LITTLE`."""
        return state(self.adjusted)

    def significant(self, alpha: float = 0.05) -> bool:
        """Whether the adjusted p is below `alpha`."""
        return self.adjusted < alpha


@dataclass(frozen=True, slots=True)
class ComparisonFamily:
    """A family of comparisons, in the order requested."""

    rows: tuple[Compared, ...]
    confidence: float
    method: str
    """What was tested and how, as text for the foot of a table."""

    def of(self, first: str, second: str) -> Compared:
        """The comparison of these two, in this direction."""
        for row in self.rows:
            if (row.first, row.second) == (first, second):
                return row
        raise KeyError(f"{quoted(first)} was not compared with {quoted(second)}")

    def _repr_html_(self) -> str:
        head = ["", "difference", "half width", "p", "p (Holm)", ""]
        rows = []
        for each in self.rows:
            numbers = (*each.difference.interval, each.difference.p, each.adjusted)
            stars = each.mark or (each.state if each.state == TOO_LITTLE else "")
            what = f"{each.first} \N{MINUS SIGN} {each.second}"
            rows.append([what, *(f"{number:.4g}" for number in numbers), stars])
        return table(head, rows) + paragraph(f"{self.method}. {LEGEND}.")


def compare(
    samples: Mapping[str, npt.ArrayLike], baseline: str | None = None, *, confidence: float = 0.95, common: bool = True
) -> ComparisonFamily:
    """Compare several policies, each with the baseline or (without one) each with each.

    `samples` has one value per replication for each policy. With `common` random numbers, values at the same place
    belong to the same seed and are compared as pairs; otherwise they are treated as independent.
    """
    rows = {name: series(values) for name, values in samples.items()}
    if baseline is not None and baseline not in rows:
        raise ValueError(f"the baseline must be one of {list(rows)}, not {quoted(baseline)}")
    if baseline is None:
        asked = list(combinations(rows, 2))
    else:
        asked = [(name, baseline) for name in rows if name != baseline]
    how = paired if common else unpaired
    found = [how(rows[first], rows[second], confidence) for first, second in asked]
    adjusted = holm([each.p for each in found])
    compared = zip(asked, found, adjusted.tolist(), strict=True)
    return ComparisonFamily(
        tuple(Compared(first, second, each, q) for (first, second), each, q in compared),
        confidence,
        _method(len(asked), common),
    )


def holm(p: Sequence[float] | Floats) -> Floats:
    """Holm's adjusted p-values, in the order given; NaN is kept and does not count as a comparison.

    >>> holm([0.01, 0.04, 0.03]).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    given = np.asarray(p, dtype=np.float64)
    if ((given < 0) | (given > 1)).any():
        raise ValueError(f"p-values must be from 0 to 1, not {quoted(given.tolist())}")
    adjusted = np.full(len(given), np.nan)
    order = np.argsort(given, kind="stable")[: int((~np.isnan(given)).sum())]
    weights = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(weights * given[order]))
    return adjusted


def mark(p: float) -> str:
    """Stars for a p-value, as in `LEGEND`; empty for NaN.

    >>> mark(0.004), mark(0.05)
    ('**', '')
    """
    return next((stars for level, stars in LEVELS if p < level), "")


def state(p: float) -> str:
    """The outcome for a p-value; NaN means too little data.

    >>> state(0.004), state(0.05), state(float("nan"))
    ('significant', 'no significant difference', 'too little data')
    """
    if p != p:
        return TOO_LITTLE
    return SIGNIFICANT if mark(p) else NOT_SIGNIFICANT


def _method(comparisons: int, common: bool) -> str:
    tests = "paired t-tests under common random numbers" if common else "Welch's t-tests of independent runs"
    family = f"Holm's correction over {comparisons} comparisons" if comparisons > 1 else "one comparison"
    return f"{tests}, two-sided, {family}"
