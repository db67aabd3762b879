"""Fit a recipe to a log: what is measured, and what the recipe contains.

* The unit is the campaign: the jobs that a user submits within `TOGETHER` s of the campaign's first one.
* The week: weights of its 168 hours, from the campaigns that begin in each, per hour that the log covers.
  `PRIOR` further campaigns are spread evenly as a prior.
* Bursts: in the operational time of that cycle, the index of dispersion of hourly and daily counts of jobs. If
  the number S of jobs in a campaign is independent of all else, it equals E[S] I + Var S / E[S], where I is the
  index of campaigns, so I follows; it is at least what is measured of campaigns. An MMPP-2 matches both
  (`bursts`). Where hourly counts vary no more than by chance, arrivals are Poisson.
* Users: each user with at least `OWN` of the jobs (up to `MOST` users) is a class alone. The others form up to
  four classes, of short or long and narrow or wide jobs, by their medians against that of all these jobs. A
  log-normal models how unequal the users of a class are, with its spread by maximum likelihood.
* Each class: jobs per campaign, times between their submissions, processors, and run times for up to four
  bands of widths (`described`).
* Estimates: the requested times, and how many jobs share each.

All of this is ours. docs/how-to/generate-workloads.md says what is lost, as a recipe draws all of these independently.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.generators import recipe_text
from thinktime.workloads.generators.arrivals import hourly_dispersion
from thinktime.workloads.generators.cycles import Cycle
from thinktime.workloads.generators.mmpp import MMPP2
from thinktime.workloads.generators.recipe import Recipe
from thinktime.workloads.generators.user_classes import activity
from thinktime.workloads.offered_load import offered_load
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, HOUR, MINUTE, WEEK
from thinktime.workloads.user_models.fits import Fit, fit, order_statistics
from thinktime.workloads.user_models.rhythm import local_seconds
from thinktime.workloads.user_models.sessions import campaigns

TOGETHER = 10.0 * MINUTE
"""Jobs that a user submits within this time (s) of a campaign's first one belong to it."""
PRIOR = 168.0
FEWEST = 50
"""The number of jobs needed to fit a log or a band of widths."""
OWN = 0.04
"""The share of the jobs above which a user is a class alone."""
MOST = 10
VALUES = 8
"""A sample of at most this many distinct values is listed with weights."""
LISTED = 30
"""How many values of processors or estimates are listed, the most frequent first."""
RARE = 12
"""How many values represent all estimates that are not listed."""
CLOSE = 0.05
"""A fitted distribution is used up to this Kolmogorov-Smirnov distance, quantiles beyond."""
SHARES = (*np.linspace(0, 0.975, 40).round(3).tolist(), 0.99, 0.995, 0.999, 1.0)
BUSY = 0.2
"""The share of time in the busy state of an MMPP-2, where possible."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """A recipe fitted to a log: its text with comments, and the recipe read from that text."""

    text: str
    recipe: Recipe


def like(trace: Trace, name: str = "a log", processors: int | None = None) -> Likeness:
    """Fit a recipe to a log, which its text calls ``name``.

    ``processors`` is the size of the machine (default: the header's, else the width of the widest job). Raises
    ``ValueError`` for a log with too few jobs, or all of them submitted at once.
    """
    kept = trace.select((trace.runtime >= 0) & (trace.processors > 0))
    if len(kept) < FEWEST or not np.ptp(kept.submit) > 0:
        raise ValueError(
            f"a likeness needs at least {FEWEST} jobs submitted at different times, but this log has "
            f"{len(kept)}{' at one time' if len(kept) >= FEWEST else ''}"
        )
    text = "\n".join(_lines(_Measured(kept, processors), name)) + "\n"
    return Likeness(text, recipe_text.read(text, "the fitted recipe"))


class _Measured:
    """A log's campaigns, users and week."""

    def __init__(self, trace: Trace, processors: int | None) -> None:
        self.trace = trace
        widest = int(trace.processors.max())
        self.sized = bool(processors or trace.machine_size)
        self.processors = max(processors or trace.machine_size or widest, 1)
        self.groups = campaigns(trace, TOGETHER)
        clock = local_seconds(trace, trace.submit)
        self.submits: Floats = clock - WEEK * np.floor(clock.min() / WEEK)
        self.begins: Floats = np.sort(self.submits[self.groups.order[self.groups.bounds[:-1]]])
        self.cycle = Cycle(hours=tuple(float(f"{weight:.4g}") for weight in _weights(self.begins).tolist()))
        self.user = np.where(trace.user >= 0, trace.user, -1)

    def operational(self, times: Floats) -> Floats:
        """Times in the cycle's operational time, in s from a whole hour."""
        found = np.sort(self.cycle.unwarp(times))
        return np.asarray(found - HOUR * math.floor(found[0] / HOUR), dtype=np.float64)

    def classes(self) -> list[tuple[str, Whole]]:
        """The name and the users of each class."""
        users, count = np.unique(self.user, return_counts=True)
        order = np.argsort(-count, kind="stable")
        alone = order[count[order] >= OWN * len(self.trace)][:MOST]
        rest = np.setdiff1d(np.arange(len(users)), alone)
        named = [("nobody" if users[place] < 0 else f"user {users[place]}", users[[place]]) for place in alone.tolist()]
        return named + self._groups(users[rest])

    def _groups(self, users: Whole) -> list[tuple[str, Whole]]:
        """Users with few jobs, grouped by the length and width of their jobs."""
        rows = np.isin(self.user, users)
        if not rows.any():
            return []
        long, wide = (
            self._above(users, rows, np.asarray(values, dtype=np.float64))
            for values in (self.trace.runtime, self.trace.processors)
        )
        kinds = {
            f"others, {length}, {width}": users[(long == (length == "long")) & (wide == (width == "wide"))]
            for length in ("short", "long")
            for width in ("narrow", "wide")
        }
        return [(name, members) for name, members in kinds.items() if len(members)]

    def _above(self, users: Whole, rows: Flags, values: Floats) -> Flags:
        middle = float(np.median(values[rows]))
        order = np.argsort(self.user[rows], kind="stable")
        bounds = np.searchsorted(self.user[rows][order], users)
        parts = np.split(values[rows][order], bounds[1:])
        return np.array([float(np.median(part)) > middle for part in parts])


def bursts(rate: float, hours: float, days: float) -> MMPP2 | float:
    """An MMPP-2 with a rate (per s) and hourly and daily dispersion, or the mean interarrival time (s) if Poisson.

    IDC(t) = 1 + C g(s t), g(x) = 1 − (1 − e^(−x)) / x: the ratio of the two gives s, then either gives C. The
    busy state has `BUSY` of the time, or less where the other state's rate would be negative.
    """
    from scipy.optimize import brentq

    if not hours > 1.05:
        return 1 / rate

    def g(x: float) -> float:
        return 1 + math.expm1(-x) / x

    def ratio(log_s: float) -> float:
        s = math.exp(log_s)
        return g(24 * s) / g(s)

    low, high = math.log(0.001), math.log(20.0)  # per hour
    wanted = (days - 1) / (hours - 1) if days == days else 1.0
    wanted = min(max(wanted, ratio(high) * 1.0001), ratio(low) * 0.9999)
    per_hour = math.exp(brentq(lambda x: ratio(x) - wanted, low, high))
    c, s = (hours - 1) / g(per_hour), per_hour / HOUR
    odds = min(BUSY / (1 - BUSY), 2 * rate / (c * s))
    busy = odds / (1 + odds)
    apart = math.sqrt(c * s * rate / (2 * busy * (1 - busy)))
    rates = rate + apart * (1 - busy), max(rate - apart * busy, 0.0)
    return MMPP2(rates=rates, switches=(s * (1 - busy), s * busy))


def _weights(begins: Floats) -> Floats:
    """The relative frequency of campaigns in each hour of the week, per hour that the log covers."""
    hours = np.floor(begins / HOUR).astype(np.int64)
    first, last = int(hours[0]), int(hours[-1])
    covered = np.bincount(np.arange(first, last + 1) % 168, minlength=168)
    counts = np.bincount(hours % 168, minlength=168)
    mean = len(hours) / (last - first + 1)
    added = PRIOR / 168
    weights = (counts + added) / (covered * mean + added)
    return np.asarray(weights / weights.mean(), dtype=np.float64)


def _lines(measured: _Measured, name: str) -> Iterator[str]:
    trace, groups = measured.trace, measured.groups
    known = np.unique(trace.user[trace.user >= 0])
    load = offered_load(trace, measured.processors)
    yield f"# Fitted to {name}: {len(trace):,} jobs of {len(known):,} users in {len(groups):,} campaigns (jobs of a"
    days = np.ptp(trace.submit) / DAY
    yield f"# user within {TOGETHER / MINUTE:.0f} min of the first), submitted over {days:.1f} days."
    yield f"# The log's offered load is {100 * load:.1f} % of {measured.processors:,} processors. The recipe comes"
    yield "# close to it; uncomment this line to match it exactly by scaling the rate of submissions:"
    yield f"# load = {load:.4f}"
    if not measured.sized:
        yield "# The log's header has no machine size: this is the width of its widest job."
    yield ""
    yield from ("[extent]", f"jobs = {len(trace)}")
    yield f"users = {max(len(known), len(measured.classes()), 1)}"
    yield f"processors = {measured.processors}"
    yield ""
    yield "# How busy each hour of the week is, 1 on average: a row per day from midnight, Monday first"
    own_clock = (
        "the log's own clock" if trace.unix_start is not None else "the log has no start date; its week begins at t = 0"
    )
    yield f"# ({own_clock})."
    yield "[cycle]"
    yield 'kind = "weights"'
    yield "hours = ["
    hours = measured.cycle.hours or ()
    for day in range(7):
        yield "    " + ", ".join(f"{weight:g}" for weight in hours[24 * day : 24 * day + 24]) + ","
    yield "]"
    yield ""
    yield from _estimates(trace)
    yield "[model]"
    yield 'kind = "mix"'
    yield ""
    yield from _arrivals(measured)
    for title, users in measured.classes():
        yield ""
        yield from _class(measured, title, users)


def _arrivals(measured: _Measured) -> Iterator[str]:
    times, jobs = measured.operational(measured.begins), measured.operational(measured.submits)
    size = measured.groups.jobs
    mean, more = float(size.mean()), float(size.var() / size.mean())
    found = []
    for unit, name in ((HOUR, "hours"), (DAY, "days")):
        own, of_jobs = (hourly_dispersion(each * (HOUR / unit)) for each in (times, jobs))
        found.append(max(own, (of_jobs - more) / mean) if own == own else math.nan)
        if own == own:
            yield (
                f"# Index of dispersion in {name}, in this cycle's operational time: jobs {of_jobs:.2f}, "
                f"campaigns {own:.2f}; used: {found[-1]:.2f}."
            )
    model = bursts(len(times) / max(float(times[-1]), 1.0), *found)
    yield "[model.arrivals]"
    if isinstance(model, float):
        yield 'kind = "poisson"'
        yield f"mean = {model:.6g}"
        return
    yield 'kind = "mmpp"'
    yield f"rates = [{', '.join(f'{rate:.6g}' for rate in model.rates)}]"
    yield f"switches = [{', '.join(f'{rate:.6g}' for rate in model.switches)}]"


def _estimates(trace: Trace) -> Iterator[str]:
    asked = trace.requested_time[trace.requested_time > 0]
    yield "# Requested times in s, and how many jobs share each (rare values count as the next longer one)."
    if len(asked) < 0.5 * len(trace):
        yield f"# Only {len(asked):,} of the log's {len(trace):,} jobs have one, so requests are exact here."
        yield "[requested]"
        yield 'kind = "exact"'
        yield ""
        return
    over = float((trace.runtime > trace.estimate).mean())
    yield f"# In the log, {100 * over:.1f} % of the jobs ran longer than requested; here none do."
    values, counts = _few(np.maximum(np.ceil(asked), 1.0), upward=True)
    yield "[requested]"
    yield 'kind = "histogram"'
    yield f"values = {_list(values)}"
    yield f"weights = {_list(counts)}"
    yield ""


def _class(measured: _Measured, title: str, users: Whole) -> Iterator[str]:
    trace, groups = measured.trace, measured.groups
    rows = np.isin(measured.user, users)
    own = np.isin(np.where(groups.user >= 0, groups.user, -1), users)
    runtime, sizes = trace.runtime[rows], trace.processors[rows]
    yield (
        f"# {title}: {int(rows.sum()):,} jobs ({100 * rows.mean():.1f} %) of {len(users):,} "
        f"user{'s' if len(users) > 1 else ''} in {int(own.sum()):,} campaigns; median run time "
        f"{np.median(runtime):.0f} s, "
        f"median width {np.median(sizes):.0f}"
    )
    yield "[[model.classes]]"
    yield f'name = "{title}"'
    yield f"users = {len(users)}"
    yield f"campaigns = {int(own.sum())}"
    if len(users) > 1:
        _, count = np.unique(groups.user[own], return_counts=True)
        yield f"spread = {_spread(count):.2f}"
    together = groups.jobs[own].astype(np.float64)
    inside = np.ones(len(trace), dtype=bool)
    inside[groups.bounds[:-1]] = False
    gaps = np.diff(trace.submit[groups.order], prepend=0.0)[inside & np.isin(measured.user[groups.order], users)]
    edges, band = _bands(sizes)
    of_band = [np.maximum(runtime[band == number], 1.0) for number in range(len(edges) + 1)]
    parts = [
        list(described("jobs", together, listed=len(np.unique(together)) <= LISTED)),
        list(described("processors", sizes.astype(np.float64), listed=True)),
        list(described("gaps", gaps)),
        list(described("runtimes", of_band[-1], fitted=True)),
    ]
    # In TOML, plain values come before tables.
    yield from (line for part in parts for line in part if len(part) == 1)
    yield from (line for part in parts for line in part if len(part) > 1)
    for edge, sample in zip(edges, of_band, strict=False):
        yield from ("[[model.classes.bands]]", f"upto = {edge}")
        yield from described("bands.runtimes", sample, fitted=True)


def _bands(sizes: Whole) -> tuple[list[int], Whole]:
    """Widths that divide jobs into up to four bands of at least `FEWEST` jobs, and the band of each job."""
    edges: list[int] = []
    for edge in np.quantile(sizes, (0.35, 0.65, 0.9), method="inverted_cdf").tolist():
        inside = int((sizes <= edge).sum()) - int((sizes <= (edges[-1] if edges else 0)).sum())
        if inside >= FEWEST and int((sizes > edge).sum()) >= FEWEST:
            edges.append(int(edge))
    return edges, np.searchsorted(edges, sizes)


def described(key: str, sample: Floats, listed: bool = False, fitted: bool = False) -> Iterator[str]:
    """Describe a sample as a number, values with weights, a fitted distribution, or quantiles."""
    values, counts = np.unique(sample, return_counts=True)
    if not len(values):
        return
    if len(values) == 1:
        yield f"{key.rpartition('.')[2]} = {values[0]:.10g}"
        return
    table = f"[model.classes.{key}]"
    if listed or len(values) <= VALUES:
        few, weights = _few(sample) if len(values) > LISTED else (values, counts)
        yield from (table, 'kind = "values"', f"values = {_list(few)}", f"weights = {_list(weights)}")
        return
    found = _fit(sample) if fitted else None
    if found is not None:
        taken = "" if found.ks <= CLOSE else ": quantiles"
        yield f"# best of five families by AIC: {found.name}, D = {found.ks:.3f}{taken}"
    if found is not None and found.ks <= CLOSE:
        yield from (table, 'kind = "truncated"', f"low = {values[0]:.10g}", f"high = {values[-1]:.10g}")
        yield f"[model.classes.{key}.of]"
        yield f'distribution = "{found.name}"'
        yield from (f"{name} = {value:.8g}" for name, value in found.parameters.items())
        return
    # At a step, quantiles repeated in between carry no information.
    quantiles = np.quantile(sample, SHARES, method="inverted_cdf")
    keep = np.ones(len(SHARES), dtype=bool)
    keep[1:-1] = (np.diff(quantiles)[:-1] != 0) | (np.diff(quantiles)[1:] != 0)
    yield from (table, 'kind = "quantiles"', f"values = {_list(quantiles[keep])}")
    yield f"shares = {_list(np.array(SHARES)[keep])}"


def _fit(sample: Floats) -> Fit | None:
    """The best fit to at most 4,000 evenly spaced order statistics; None for too few values."""
    few = order_statistics(np.sort(sample), 4_000)
    return fit(few)[0] if len(few) >= FEWEST else None


def _few(sample: Floats, upward: bool = False) -> tuple[Floats, Whole]:
    """The most frequent values, ascending, and how many are nearest to each (`upward`: next below or equal)."""
    values, counts = np.unique(sample, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:LISTED]
    kept = np.unique(values[order])
    if upward:  # the rare values, most of them long, by their quantiles
        rest = sample[~np.isin(sample, kept)]
        steps = np.linspace(0, 1, RARE + 1)[1:]
        kept = np.union1d(kept, np.quantile(rest, steps, method="inverted_cdf") if len(rest) else kept[:0])
        place = np.searchsorted(kept, values)
    else:
        place = np.argmin(np.abs(np.log(values)[:, None] - np.log(kept)[None, :]), axis=1)
    return kept, np.bincount(place, weights=counts, minlength=len(kept)).astype(np.int64)


def _spread(counts: Whole) -> float:
    """The maximum-likelihood spread of users' activity, of 0 to 4 in steps of 0.05."""
    ordered = np.sort(counts)[::-1]
    spreads = np.arange(0, 4.01, 0.05).tolist()
    weights = [activity(len(ordered), 0.0, spread) for spread in spreads]
    likelihoods = [float((ordered * np.log(each / each.sum())).sum()) for each in weights]
    return float(spreads[int(np.argmax(likelihoods))])


def _list(values: Sequence[float] | NDArray[np.generic]) -> str:
    return f"[{', '.join(f'{float(value):.10g}' for value in np.asarray(values).tolist())}]"
