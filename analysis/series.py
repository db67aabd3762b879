"""Step functions of time (`thinktime.models.results.steps`), made from a result."""

import numpy as np

from thinktime.models.results import measures
from thinktime.models.results.result import Result
from thinktime.models.results.steps import Steps, sum_of_boxes
from thinktime.workloads.arrays import Floats
from thinktime.workloads.units import DAY, HOUR, MINUTE, WEEK

WIDTHS = (
    *(1, 10, MINUTE, 5 * MINUTE, 15 * MINUTE),
    *(HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR),
    *(DAY, 2 * DAY, WEEK, 4 * WEEK),
)
"""Round widths of bins (s)."""


def processors_in_use(result: Result) -> Steps:
    """Processors that jobs held, over time."""
    spans = measures.used(result)
    return sum_of_boxes(spans.begin, spans.end, measures.sizes_of(result))


def processors_queued(result: Result) -> Steps:
    """Processors that waiting jobs asked for, over time."""
    spans = measures.queued(result)
    return sum_of_boxes(spans.begin, spans.end, result["processors"][spans.row])


def bins(first: float, last: float, at_most: int = 200) -> Floats:
    """Edges of equal bins over [first, last], at multiples of a round width."""
    if not last >= first:
        raise ValueError(f"bins cover [first, last] with first <= last, got [{first}, {last}]")
    width = next((w for w in WIDTHS if (last - first) / w <= at_most), WIDTHS[-1])
    low, high = np.floor(first / width), np.ceil(last / width)
    return np.asarray(np.arange(low, max(high, low + 1) + 1) * width)
