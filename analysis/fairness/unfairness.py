"""Measures of unfairness: starts after the fair start time, and less than an equal share of the machine.

A job's miss time is max(0, start - FST). Measures are over all N jobs that have started and have a fair start time.
Source: the cplant paper, section IV, which calls the sum of miss times divided by the number of *all* jobs the average
"of the unfair jobs". Here `average_miss` is the printed formula, `average_miss_unfair` the average over unfair jobs.
The paper also mentions Jain's index and the standard deviation of response times, and why they mislead: under bursty
loads response times should differ.

**Resource equality**: every job deserves an equal share of the machine while it is in the system. With N(t) live jobs
(waiting or running) at t on P processors, job j deserves the integral of P / N(t) over [submit, end), and receives
n * run. Its unfairness is the positive part of the difference. Source: G. Sabin and P. Sadayappan, Unfairness metrics
for space-sharing parallel job schedulers (JSSPP 2005), as cited in the cplant paper (section IV).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thinktime.models.results import measures
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import DataFrame, Floats, pd
from thinktime.workloads.segments import Segments
from thinktime.workloads.units import Duration, as_seconds


@dataclass(frozen=True, slots=True)
class Unfairness:
    """How many jobs started after their fair start time, and by how much (s); NaN if there are no such jobs."""

    jobs: int
    percent_unfair: float
    percent_unfair_load: float
    """The share of all processor-seconds that belongs to unfair jobs, in percent."""
    total_miss: float
    average_miss: float
    """Over all jobs: the printed formula."""
    average_miss_unfair: float
    """Over the unfair jobs."""


def miss_times(result: Result, fst: Floats) -> Floats:
    """max(0, start - FST) of each job (s); NaN if either is missing."""
    return np.maximum(result["start"] - fst, 0.0)


def unfairness(result: Result, fst: Floats, tolerance: Duration = 0.0) -> Unfairness:
    """The measures for fair start times ``fst``, one per row of the result.

    A job is unfair if it starts more than ``tolerance`` s after its fair start time. Miss times ignore the tolerance.
    """
    tolerance = as_seconds("tolerance", tolerance)
    miss = miss_times(result, fst)
    known = ~np.isnan(miss)
    miss, load = miss[known], measures.area(result)[known]
    unfair = (result["start"] - fst)[known] > tolerance
    jobs, total = len(miss), float(miss.sum())
    return Unfairness(
        jobs=jobs,
        percent_unfair=100.0 * _over(float(unfair.sum()), jobs),
        percent_unfair_load=100.0 * _over(float(load[unfair].sum()), float(load.sum())),
        total_miss=total,
        average_miss=_over(total, jobs),
        average_miss_unfair=_over(float(miss[unfair].sum()), int(unfair.sum())),
    )


def _over(part: float, whole: float) -> float:
    return part / whole if whole else np.nan


def jain(values: npt.ArrayLike) -> float:
    """Jain's fairness index, (sum x)^2 / (N sum x^2): 1 if all are equal, 1/N if one has all; NaN if empty.

    Source: R. Jain, D. Chiu, W. Hawe, A quantitative measure of fairness (DEC-TR-301, 1984). NaN values are ignored.
    """
    x = _known(values)
    squares = float(x @ x)
    if not len(x):
        return np.nan
    return float(x.sum()) ** 2 / (len(x) * squares) if squares > 0 else 1.0


def standard_deviation(values: npt.ArrayLike) -> float:
    """The standard deviation of all values (divided by N, not N - 1); NaN if empty. NaN values are ignored."""
    x = _known(values)
    return float(x.std()) if len(x) else np.nan


def _known(values: npt.ArrayLike) -> Floats:
    x = np.asarray(values, np.float64)
    return x[~np.isnan(x)]


@dataclass(frozen=True)
class Equality:
    """Processor-seconds that jobs deserved and received, one per row; NaN for jobs that have not run and ended."""

    deserved: Floats
    received: Floats

    @property
    def signed(self) -> Floats:
        """Deserved minus received: below 0 for jobs that received more than an equal share."""
        return self.deserved - self.received

    @property
    def unfairness(self) -> Floats:
        """max(0, deserved - received) of each job."""
        return np.maximum(self.signed, 0.0)

    @property
    def total(self) -> float:
        """The sum of the unfairness."""
        return float(np.nansum(self.unfairness))

    @property
    def mean(self) -> float:
        """The mean of the unfairness over the jobs that ran."""
        known = _known(self.unfairness)
        return float(known.mean()) if len(known) else np.nan


def resource_equality(result: Result, cap: bool = False) -> Equality:
    """What each job deserved and received; with ``cap`` (ours) no job deserves more than min(P / N, n) at a time."""
    over = measures.ended(result)
    enter, leave = result["submit"], np.where(np.isnan(result["end"]), result.now, result["end"])
    n = result["processors"]
    times = np.unique(np.concatenate([enter, leave]))
    came, went = np.searchsorted(times, enter), np.searchsorted(times, leave)
    live = np.cumsum(np.bincount(came, minlength=len(times)) - np.bincount(went, minlength=len(times)))[:-1]
    share = np.divide(result.processors, live, out=np.zeros(len(live)), where=live > 0)
    deserved = np.full(len(result), np.nan)
    for width in np.unique(n[over]).tolist() if cap else [np.inf]:
        jobs = over & (n == width) if cap else over
        earned = np.concatenate([[0.0], np.cumsum(np.minimum(share, width) * np.diff(times))])
        deserved[jobs] = earned[went[jobs]] - earned[came[jobs]]
    return Equality(deserved, np.where(over, measures.area(result), np.nan))


def originals(result: Result, segments: Segments, **sums: Floats) -> DataFrame:
    """The log's jobs that ran: id, processors, segments, submit, start, end, run, wait, response time (s).

    A job is submitted and starts with its first segment, and ends with its last one. ``run`` and ``wait`` are sums over
    its segments, so response_time = wait + run. ``segments`` is the split log (`thinktime.workloads.segments.split`).
    Further columns in ``sums``, with one value per row of the result, are also summed over a job's segments.
    """
    ran = measures.ended(result)
    columns = {name: result[name][ran] for name in ("submit", "start", "end")}
    columns |= {"run": measures.actual_runtime(result)[ran], "wait": measures.wait(result)[ran]}
    columns |= {name: values[ran] for name, values in sums.items()}
    parts = pd.DataFrame(columns).groupby(segments.originals(result["id"][ran]))
    how = {"submit": "min", "start": "min", "end": "max"}
    table = parts.agg({name: how.get(name, "sum") for name in columns})
    known = table.index.to_numpy()
    for place, name in enumerate(("id", "processors")):
        table.insert(place, name, getattr(segments.trace, name)[known])
    table.insert(2, "segments", parts.size())
    table.insert(8, "response_time", table["end"] - table["submit"])
    return table.reset_index(drop=True)
