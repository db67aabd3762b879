"""The fairness of a schedule: fair start times, resource equality, and measures of unfairness.

`hybrid_fst` (list scheduling in fairshare order), `NoLaterArrivals` (the policy itself, without later arrivals),
`cons_p` (conservative backfilling with exact estimates), `resource_equality` (an equal share of the machine),
`unfairness` (percentages and miss times), `jain` and classes of jobs. Source: the cplant paper, section IV.
"""

from thinktime.analysis.fairness.fair_starts import TOLERANCE, NoLaterArrivals, cons_p, no_later_arrivals
from thinktime.analysis.fairness.hybrid import hybrid_fst
from thinktime.analysis.fairness.unfairness import (
    Equality,
    Unfairness,
    jain,
    miss_times,
    originals,
    resource_equality,
    standard_deviation,
    unfairness,
)
from thinktime.workloads.lazy import import_on_demand

__all__ = [
    "TOLERANCE", "Equality", "NoLaterArrivals", "Unfairness", "cons_p", "hybrid_fst", "jain", "miss_times",
    "no_later_arrivals", "originals", "resource_equality", "standard_deviation", "unfairness",
]  # fmt: skip

import_on_demand(__name__)
