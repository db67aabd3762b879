"""Expected end times (EET), and how well schedules meet them. Source: the expectations paper.

`expected_ends` computes them from jobs, and `evaluate` holds a `Result` against them, with the `Capacity` that users
expect to have. `thinktime.analysis.evaluation` tells of several schedules on a `Site`.
"""

from thinktime.analysis.expectations.capacity import Capacity, Chosen
from thinktime.analysis.expectations.eet import expected_ends
from thinktime.analysis.expectations.evaluate import (
    Expectations,
    above_fair_slowdown,
    chosen_for,
    evaluate,
    measures_of,
)
from thinktime.analysis.expectations.evaluated_site import Site
from thinktime.analysis.expectations.heatmap import Heatmap, heatmap, usage
from thinktime.analysis.expectations.job_batches import as_batches, batch_numbers
from thinktime.workloads.lazy import import_on_demand

__all__ = [
    "Capacity", "Chosen", "Expectations", "Heatmap", "Site", "above_fair_slowdown", "as_batches", "batch_numbers",
    "chosen_for", "evaluate", "expected_ends", "heatmap", "measures_of", "usage",
]  # fmt: skip

import_on_demand(__name__)
