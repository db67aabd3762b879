"""Correct the modes: multiply what they say of every policy by what is known of one.

A mode whose users are drawn, or drift, does not give the log back under the policy that made it. Its answer for that
policy, over what the log has, is its bias there; other policies are corrected by the same ratio. A mode that repeats
the log to the second under its own policy says nothing of its bias by that, so run times are moved by up to 1 % first
(`thinktime.workloads.shaking`). The open loop is not corrected: it does not drift.

That a ratio carries over from one policy to another is an assumption. The rule is ours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from thinktime.analysis.experiments.kept_batches import Kept
from thinktime.analysis.modes.user_measures import Measures
from thinktime.analysis.statistics import Cut

CORRECTED = (
    "mean_wait", "median_wait", "p95_wait", "mean_bounded_slowdown_10", "throughput_per_day", "mean_backlog",
    "mean_user_response_time", "mean_session_response_time",
)  # fmt: skip
"""The measures that are corrected."""

Factors = Mapping[str, float]
"""What a number of a mode is multiplied by, by measure."""


def factors(recorded: Measures, said: Sequence[Measures]) -> dict[str, float]:
    """What the log has, over the mean of what a mode says; 1 where one of them is 0 or unknown."""
    found = {}
    for name in CORRECTED:
        ratio = recorded[name] / float(np.mean([each[name] for each in said]) or np.nan)
        found[name] = ratio if 0 < ratio < np.inf else 1.0
    return found


def corrected(measures: Measures, by: Factors) -> Measures:
    """The same measures, multiplied."""
    slowdown = by["mean_bounded_slowdown_10"]
    own = measures.slowdown_interval
    interval = own._replace(low=slowdown * own.low, high=slowdown * own.high)
    numbers = {name: value * by[name] if name in by else value for name, value in measures.numbers.items()}
    kept = measures.slowdown_batches
    if kept is not None:
        kept = Kept(Cut(tuple(slowdown * mean for mean in kept.cut.means), kept.cut.fine), kept.jobs)
    return replace(measures, numbers=numbers, slowdown_interval=interval, slowdown_batches=kept)
