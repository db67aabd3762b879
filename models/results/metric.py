"""A metric is one object: its name, unit, formula and source, and the function that computes it.

A `Measure` has a number for each job or campaign, a `Metric` one for a run. A line above a function declares it:

    @METRICS.of_jobs("s", source="SWF field 3")
    def wait(result): ...

    @METRICS.of_run(FRACTION, over="time", source="ours")
    def goodput(result, between): ...

The formula is the first paragraph of the docstring, and the name is the function's unless another is given. All that
shows metrics follows from these objects: summaries, tables and JSON objects of the commands, units and axes of reports,
names in scenarios, and the glossary. A `Catalogue` has those that one part of the package declares.
"""

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np

from thinktime.models.results.outcome import served
from thinktime.workloads.arrays import Floats

SECONDS, FRACTION, PERCENT, PLAIN = "s", "fraction", "%", "1"
COUNTS = ("jobs", "users", "campaigns", "runs")
"""Units that decide how a number is shown; any other text is a unit as well."""

STATISTICS: Mapping[str, Callable[[Floats], Any]] = {
    "mean": np.mean,
    "median": partial(np.percentile, q=50),
    "p95": partial(np.percentile, q=95),
    "p99": partial(np.percentile, q=99),
    "max": np.max,
}
"""The statistics that summaries have of a measure."""

Group = Literal["statistics", "whole", "counts", "given up", "lost demand", "changes", "power", "charge"]
GROUPS: Sequence[Group] = ("statistics", "whole", "counts", "given up", "lost demand", "changes", "power", "charge")
"""The numbers of a summary belong together as statistics of measures, numbers of the run as a whole, counts, what users
gave up (shown if they did), lost demand (if there is any), and what only machines have that change, whose power is
known, or whose users are charged."""

OF_SOME = ("changes", "power", "charge", "carbon", "price", "budget", "shapes")
"""What a result may have (`thinktime.models.results.schedule.Schedule.has`) that some metrics need: a machine that
changes, whose power is known or whose users are charged, signals, budgets, and sizes to choose. The first three are
names of groups."""

Over = Literal["jobs", "time", "window"]
_OVER: Mapping[Over, Callable[[Any], Callable[[Any], Any]]] = {
    "jobs": lambda of: lambda part: of(part.jobs),
    "time": lambda of: lambda part: of(part.result, part.between),
    "window": lambda of: of,
}
"""What the function of a metric is given: the jobs of the window as a result; the result and the times between which it
is measured (None: the whole run); or the window itself (`thinktime.models.results.windowed`)."""

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False, kw_only=True)
class Known:
    """What is said of a metric."""

    name: str
    unit: str
    formula: str
    source: str
    """The paper and its section, a field of a format, or `ours`."""
    term: str
    """What it is called in a sentence."""
    of: Callable[..., Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class Metric(Known):
    """A number of a run, computed from a window of it by ``of``; NaN where it is undefined."""

    group: Group = "whole"
    summary: bool = True
    """Whether `Result.summary` and `tt.compare` have it."""
    told: bool = True
    """Whether the JSON object of a replay has it, as far as a summary does."""
    heading: str = ""
    """The heading of its column in the table of a replay, if it has one."""
    legend: str = ""
    """What stands below that table, if the heading does not say it all."""
    describes: bool = False
    """Whether it describes a run rather than judges it."""
    counted: Callable[[Any], int] | None = None
    """How many jobs of the window it is over, if it is one of single jobs."""
    needs: str = ""
    """What a result must have for it (`OF_SOME`), beside what all of its group need."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Measure(Known):
    """A number of each job or campaign of a result, computed by ``of``; NaN where it is undefined."""

    per: Literal["job", "campaign"] = "job"
    summary: bool = True
    """Whether `Result.summary` has statistics of it, and `Result.jobs` a column."""
    told: Sequence[str] = ("mean",)
    """The statistics that the JSON object of a replay has."""
    headings: Mapping[str, str] = field(default_factory=dict)
    """The headings of these statistics in the table of a replay."""
    legend: str = ""
    """What stands below that table, if the headings do not say it all."""
    needs: str = ""
    """What a result must have for it to say something (`OF_SOME`)."""
    thresholds: Sequence[float] = ()
    """Of a measure with a threshold (s), which is an argument of its function: those that a summary has."""
    columns: Sequence[float] = ()
    """Of these, those that `Result.jobs` has, and the table of a replay."""

    def at(self, threshold: float) -> "Measure":
        """The same with a threshold (s)."""
        of, headings = self.of, self.headings if threshold in self.columns else {}
        name = f"{self.name}_{threshold:g}"
        return replace(
            self, name=name, of=lambda result: of(result, threshold), headings=headings, thresholds=(), columns=()
        )

    def at_each(self, thresholds: Sequence[float]) -> list["Measure"]:
        """The same with each of these thresholds; itself, if there are none."""
        return [self.at(threshold) for threshold in thresholds] or [self]

    def statistic(self, name: str) -> Metric:
        """A statistic of it over the jobs that were served."""
        return Metric(
            name=f"{name}_{self.name}",
            unit=self.unit,
            formula=f"{name}: {self.formula}",
            source=self.source,
            term=f"{name} {self.term}",
            of=lambda part: _statistic(name, self.of(part.jobs)[served(part.jobs)]),
            group="statistics",
            told=name in self.told,
            heading=self.headings.get(name, ""),
            legend=self.legend if name in self.headings else "",
        )


def _statistic(name: str, values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(STATISTICS[name](known)) if len(known) else np.nan


class Catalogue:
    """Metrics and measures by name, in the order in which they were declared."""

    def __init__(self) -> None:
        self.metrics: dict[str, Metric] = {}
        self.measures: dict[str, Measure] = {}

    def __iter__(self) -> Iterator[Known]:
        """All measures, then all metrics."""
        yield from self.measures.values()
        yield from self.metrics.values()

    def of_run(
        self, unit: str, *, over: Over = "jobs", source: str, name: str = "", term: str = "", **more: Any
    ) -> Callable[[AnyFunction], AnyFunction]:
        """Declare the function below as a metric; ``more`` are the other attributes of `Metric`."""

        def declared(function: AnyFunction) -> AnyFunction:
            said = _said(function, name, unit, source, term)
            self.add(Metric(**said, of=_OVER[over](function), **more))
            return function

        return declared

    def of_jobs(
        self, unit: str, *, source: str, name: str = "", term: str = "", **more: Any
    ) -> Callable[[AnyFunction], AnyFunction]:
        """Declare the function below as a measure; ``more`` are the other attributes of `Measure`."""

        def declared(function: AnyFunction) -> AnyFunction:
            self.add(Measure(**_said(function, name, unit, source, term), of=function, **more))
            return function

        return declared

    def add(self, one: Metric | Measure) -> None:
        """Add one; ``ValueError`` if there is one of this name, or if it does not say its unit, formula and source."""
        if one.name in self.metrics or one.name in self.measures:
            raise ValueError(f"there is a metric {one.name!r} already")
        if missing := [what for what in ("unit", "formula", "source") if not getattr(one, what)]:
            raise ValueError(f"the metric {one.name!r} has no {' and no '.join(missing)}")
        if isinstance(one, Measure):
            self.measures[one.name] = one
        else:
            self.metrics[one.name] = one

    def measure(self, name: str) -> Measure | None:
        """The measure of that name, which may end in a threshold (s); None if there is none."""
        if name in self.measures:
            found = self.measures[name]
            return None if found.thresholds else found
        stem, _, threshold = name.rpartition("_")
        known = self.measures.get(stem)
        if known is None or not known.thresholds or not threshold.replace(".", "", 1).isdigit():
            return None
        return known.at(float(threshold)) if float(threshold) > 0 else None

    def of_each_job(self, has: Collection[str] = ()) -> list[Measure]:
        """The measures of which summaries have statistics, if a result ``has`` so much (`OF_SOME`)."""
        ordered = sorted(self._in_summaries(has), key=lambda each: bool(each.needs))
        return [part for each in ordered for part in each.at_each(each.thresholds)]

    def columns(self, has: Collection[str] = ()) -> dict[str, Measure]:
        """The measures that are columns of `Result.jobs`, if it ``has`` so much."""
        return {part.name: part for each in self._in_summaries(has) for part in each.at_each(each.columns)}

    def _in_summaries(self, has: Collection[str]) -> list[Measure]:
        return [each for each in self.measures.values() if each.summary and (not each.needs or each.needs in has)]

    def in_group(self, group: Group, has: Collection[str] = OF_SOME) -> list[Metric]:
        """The metrics of a summary that belong to a group, if a result ``has`` so much."""
        if group in OF_SOME and group not in has:
            return []
        listed = [each for each in self.metrics.values() if each.summary and each.group == group]
        return [each for each in listed if not each.needs or each.needs in has]

    def of_summary(self, has: Collection[str]) -> list[Metric]:
        """All metrics of the summary of a result that ``has`` so much, statistics of measures first."""
        made = [each.statistic(name) for each in self.of_each_job(has) for name in STATISTICS]
        return [*made, *(each for group in GROUPS for each in self.in_group(group, has))]


def _said(function: Callable[..., Any], name: str, unit: str, source: str, term: str) -> dict[str, Any]:
    name = name or function.__name__
    formula = " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())
    return {"name": name, "unit": unit, "formula": formula, "source": source, "term": term or name.replace("_", " ")}


METRICS = Catalogue()
"""What `thinktime.models` declares: all that summaries have, and more."""
