"""The facts about an experiment that the checklist needs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

from thinktime.analysis.experiments.against_baseline import compared
from thinktime.analysis.experiments.comparisons import Comparisons
from thinktime.analysis.experiments.metrics import describes
from thinktime.analysis.experiments.scenario import Scenario
from thinktime.analysis.experiments.sweep_results import Sweep
from thinktime.workloads.units import in_one_unit

LOAD = re.compile(r"(^|[._])(load|count|processors|users|rate|think_time)$")
"""Parameters that change the load, recognized by the end of their path."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of one sweep."""

    comparisons: Comparisons
    scenario: Scenario
    variants: tuple[Scenario, ...]
    """The scenario at each point of the sweep."""
    metrics: list[str]
    jobs: tuple[int, int]
    """The fewest and the most jobs of a run; 0 if not counted."""
    span: float = 0.0
    """The simulated time of the first run (s); 0 if not kept."""

    @classmethod
    def of(cls, sweep: Sweep, comparisons: Comparisons | None = None) -> "Facts":
        """The facts of a folder of results."""
        comparisons, scenario = comparisons or compared(sweep), sweep.scenario
        variants = tuple(scenario.resolved(point.values) for point in comparisons.points) or (scenario,)
        jobs = sweep.manifest["jobs"]
        known = jobs[jobs > 0]
        span = (int(known.min()), int(known.max())) if len(known) else (0, 0)
        times = sweep.series(str(sweep.table["key"].iloc[0])).get("time", []) if len(sweep) else []
        length = float(times[-1] or 0) - float(times[0] or 0) if times else 0.0
        return cls(comparisons, scenario, variants, sweep.metrics, span, length)

    @property
    def log(self) -> str:
        """The log's name; empty if there is none."""
        return Path(self.scenario.trace.file).name if self.scenario.trace else ""

    @property
    def part(self) -> str:
        """The part of the log that was run; empty for all of it."""
        trace = self.scenario.trace
        bounds = () if trace is None else (("from", trace.since), ("to", trace.until))
        ends = [(word, end) for word, end in bounds if end is not None]
        return " ".join(f"{word} {end if isinstance(end, str) else f'{end:g} s'}" for word, end in ends)

    @property
    def source(self) -> str:
        """The source of jobs, as text."""
        scenario = self.scenario
        parts = []
        if scenario.trace:
            parts.append(f"the log {self.log}")
        if scenario.workload:
            recipe, own = scenario.workload.recipe, "a recipe of the scenario's own"
            parts.append(f"the recipe {recipe}" if isinstance(recipe, str) else own)
        if scenario.users:
            users = ", ".join(f"{each.count} {name}" for name, each in scenario.users.items())
            parts.append(f"users ({users})")
        if scenario.model:
            parts.append(f"the model {scenario.model.function}")
        return " and ".join(parts)

    @property
    def jobs_text(self) -> str:
        """The number of jobs per run, as text."""
        fewest, most = self.jobs
        if not most:
            return "jobs were not counted"
        return f"{most:,} jobs per run" if fewest == most else f"{fewest:,} to {most:,} jobs per run"

    @property
    def overrun(self) -> str:
        """What happens to jobs that overrun their estimates."""
        return ", ".join(dict.fromkeys(each.machine.overrun for each in self.variants))

    @property
    def size(self) -> str:
        """The machine's size as text; empty if a model sets it."""
        given = {each.machine.processors for each in self.variants}
        if sizes := sorted(size for size in given if size is not None):
            return " or ".join(f"{size:,}" for size in sizes) + " processors"
        nodes = [each.machine.nodes_text for each in self.variants if each.machine.of_nodes]
        if nodes:
            return " or ".join(dict.fromkeys(nodes))
        return "the size in the log's header" if self.log else ""

    @property
    def estimates(self) -> str:
        """The kind of estimates: `log`, `exact`, `factor`, `modelled`, or `unknown`."""
        found = {self._estimates(each) for each in self.variants}
        return found.pop() if len(found) == 1 else "unknown"

    @property
    def estimates_text(self) -> str:
        """The scenario's setting of estimates, as text."""
        section = self.scenario.trace or self.scenario.workload
        return str(getattr(section, "requested", None) or f"by {self.source}")

    @property
    def loop_kind(self) -> str:
        """`closed`, `dependencies`, `open`, or `own` (a model)."""
        scenario = self.scenario
        if scenario.model:
            return "own"
        if scenario.users or (scenario.workload and scenario.workload.mode == "closed"):
            return "closed"
        if scenario.trace and scenario.trace.mode != "open":
            return "dependencies" if scenario.trace.mode == "dependencies" else "closed"
        return "open"

    @property
    def scaled(self) -> bool:
        """Whether the load was scaled."""
        return any(load is not None for load in self._loads())

    @property
    def squeezed(self) -> bool:
        """Whether the load was scaled by the log's interarrival times, which compresses the daily cycle."""
        traces = [each.trace for each in self.variants if each.trace is not None]
        return any(each.load is not None and each.scaling == "times" for each in traces)

    @property
    def top_load(self) -> float | None:
        """The highest requested load."""
        return max((load for load in self._loads() if load is not None), default=None)

    @property
    def cycle(self) -> str | None:
        """The source of the daily cycle; empty if there is none, None if unknown."""
        scenario = self.scenario
        if scenario.trace:
            return "the log's own daily cycle"
        if scenario.workload:
            recipe = scenario.workload.made
            model = recipe.model
            arrivals = [getattr(model, name, None) for name in ("arrivals", "all", "batch", "interactive")]
            own = [getattr(getattr(each, "arrivals", each), "own_cycle", None) for each in arrivals]
            if recipe.cycle is not None or any(own):
                return "the recipe's own daily cycle"
            return "working hours of the recipe's users" if getattr(model, "hours", None) else ""
        if scenario.users:
            kept = [name for name, each in scenario.users.items() if each.hours is not None]
            return f"working hours of {', '.join(kept)}" if kept else ""
        return None

    @property
    def warm_up(self) -> str:
        """The warm-up as text; empty if there is none."""
        span = self.scenario.warm_up
        if isinstance(span, str):
            return "part of each run that MSER-5 finds"
        return in_one_unit(span) if span else ""

    @property
    def window(self) -> str:
        """From when to when is measured, as text; empty if the scenario gives no times."""
        sides = (("from", self.scenario.measure_from), ("to", self.scenario.measure_to))
        given = [(word, side) for word, side in sides if side is not None]
        return " ".join(f"{word} {side if isinstance(side, str) else in_one_unit(side)}" for word, side in given)

    @property
    def load_parameter(self) -> str:
        """A varied parameter that changes the load; empty if there is none."""
        return next((name for name in self.comparisons.parameters if LOAD.search(name)), "")

    @property
    def load_values(self) -> int:
        """The number of values of that parameter."""
        name = self.load_parameter
        return len({str(point.values.get(name)) for point in self.comparisons.points}) if name else 1

    @property
    def widest(self) -> tuple[str, float] | None:
        """The metric with the widest relative interval, and its half width; None if there is none."""
        judging = [each for each in self.comparisons.measured if not describes(each.metric)]
        widths = ((each.metric, cell.interval.relative) for each in judging for cell in each.cells.values())
        return max((each for each in widths if each[1] < float("inf")), key=itemgetter(1), default=None)

    def total(self, metric: str) -> float | None:
        """The sum of a count over all runs; None if it is not measured."""
        if metric not in self.metrics:
            return None
        return sum(mean * runs for mean, runs in self._cells(metric) if mean == mean)

    def highest(self, metric: str) -> float | None:
        """The highest mean of a metric; None if it is not measured."""
        return max((mean for mean, _ in self._cells(metric) if mean == mean), default=None)

    def has_spread(self, measure: str) -> bool:
        """Whether a median or a percentile of a measure is among the metrics."""
        spread = re.compile(rf"(median|p[\d.]+|max|share)_{re.escape(measure)}.*")
        return any(map(spread.fullmatch, self.metrics))

    def _cells(self, metric: str) -> Iterator[tuple[float, int]]:
        for each in self.comparisons.measured:
            if each.metric == metric:
                yield from ((cell.interval.mean, cell.runs) for cell in each.cells.values())

    def _loads(self) -> list[float | None]:
        sections: list[Any] = [each.trace or each.workload for each in self.variants]
        return [getattr(section, "load", None) for section in sections]

    @staticmethod
    def _estimates(scenario: Scenario) -> str:
        if scenario.workload:
            return _kind_of_estimates(type(scenario.workload.made.requested).__name__)
        if scenario.trace:
            said = scenario.trace.requested
            if said is None:
                return "log"
            return _kind_of_estimates(said["kind"] if isinstance(said, dict) else said)
        if scenario.users:
            given = (each.overestimate for each in scenario.users.values())
            factors = [each.given for each in given if each is not None]
            if not all(isinstance(factor, int | float) for factor in factors):
                return "modelled"
            return "factor" if any(factor != 1 for factor in factors) else "exact"
        return "unknown"


def _kind_of_estimates(name: str) -> str:
    """`exact`, `factor` (the f-model) or `modelled`, by the name of a model of estimates."""
    return name.lower() if name.lower() in ("exact", "factor") else "modelled"
