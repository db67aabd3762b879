"""Classic metrics of jobs beside their expectations: means, and the part of the jobs above a fair slowdown."""

from __future__ import annotations

import numpy as np

from thinktime.analysis.expectations.evaluate import Expectations
from thinktime.models.results.measures import bounded


def measures_of(jobs: Expectations) -> dict[str, float]:
    """The means of Figure 5, and those weighted by processors that section 2.1 speaks of (times in s).

    A slowdown is bounded at 10 s (short jobs would drown all others).
    """
    wait, response = jobs.start - jobs.submit, jobs.end - jobs.submit
    slowdown = bounded(response, jobs.runtime, 10.0)
    weight = jobs.processors / jobs.processors.sum()
    plain = {"wait": wait, "response time": response, "slowdown": slowdown}
    found = {name: float(values.mean()) for name, values in plain.items()}
    return found | {f"weighted {name}": float(weight @ values) for name, values in plain.items()}


def above_fair_slowdown(jobs: Expectations) -> float:
    """The part of the jobs whose slowdown is larger than their fair slowdown, that with their fair start time.

    The fair start is that of one conservative schedule on as many processors with exact estimates (`cons_p`), in
    which no job delays an earlier one. Source: Srinivasan and others (JSSPP 2002), as the paper quotes it.
    """
    from thinktime.analysis.fairness.exact_conservative import cons_p
    from thinktime.models.results.result import Result

    columns = {
        name: getattr(jobs, name) for name in ("id", "submit", "start", "end", "processors", "runtime")
    }
    fair = cons_p(Result.from_columns(columns, jobs.machine["processors"]))
    known = np.isfinite(fair)
    return float((jobs.start[known] > fair[known]).mean()) if known.any() else np.nan
