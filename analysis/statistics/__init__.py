"""Output analysis: intervals, comparisons, warm-up, and how many runs are enough.

=============  =====================================================================================
intervals      `Interval`; the mean of replications; the mean of all values in several instances; differences of
               two policies with common (`paired`) or independent (`unpaired`) random numbers; `deciles` of draws
significance   marks for tables, several comparisons at once (`compare`, Holm)
batches        one long run in batches (`batch_means`, `steady_mean`); several cut alike (`common_batches`); where
               the warm-up ends: at a given time, or by MSER-5
precision      how many replications a precision needs, and running until it is reached
survival       times of which some are censored (`kaplan_meier`)
bootstrap      means over values that depend on each other within clusters, such as users and weeks
=============  =====================================================================================

The unit is the *replication*: a whole run with its own seed. Jobs of one run depend on each other (they wait in one
queue), so an interval over jobs is far too narrow. Within one run, use batches.
"""

from thinktime.analysis.statistics.batches import (
    Batches,
    Cut,
    Truncation,
    batch_means,
    common_batches,
    independent,
    lag_1,
    mser5,
    steady_mean,
    within,
)
from thinktime.analysis.statistics.bootstrap import UNKNOWN, Estimate
from thinktime.analysis.statistics.intervals import (
    Difference,
    Interval,
    deciles,
    mean,
    mean_of,
    paired,
    ratio,
    t_quantile,
    unpaired,
)
from thinktime.analysis.statistics.precision import Replicated, replications_needed, until_precise
from thinktime.analysis.statistics.significance import (
    LEGEND,
    NOT_SIGNIFICANT,
    SIGNIFICANT,
    TOO_LITTLE,
    Compared,
    ComparisonFamily,
    compare,
    holm,
    mark,
    state,
)
from thinktime.analysis.statistics.survival import KaplanMeier, kaplan_meier
from thinktime.workloads.lazy import import_on_demand

__all__ = [
    "LEGEND", "NOT_SIGNIFICANT", "SIGNIFICANT", "TOO_LITTLE", "UNKNOWN", "Batches", "Compared",
    "ComparisonFamily", "Cut", "Difference", "Estimate", "Interval", "KaplanMeier", "Replicated", "Truncation",
    "batch_means", "common_batches", "compare", "deciles", "holm", "independent", "kaplan_meier", "lag_1",
    "mark", "mean", "mean_of", "mser5", "paired", "ratio", "replications_needed", "state", "steady_mean",
    "t_quantile", "unpaired", "until_precise", "within",
]  # fmt: skip

import_on_demand(__name__)
