"""A metric that is declared in one place is wherever metrics are."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import thinktime as tt
from thinktime.analysis.experiments import Scenario, sweep
from thinktime.analysis.experiments.comparisons import ComparedMetric
from thinktime.analysis.experiments.metric_units import unit_of
from thinktime.analysis.experiments.metrics import metric
from thinktime.models.results.metric import METRICS, SECONDS
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import Floats
from tools.docs.catalogues import terms_of_metrics
from tools.docs.glossary import known, term_of

from .conftest import Run

SCENARIO = 'policies = ["easy"]\nmetrics = ["worst", "mean_late"]\nseeds = [1]\nmachine.processors = 4\n'


@pytest.fixture
def worst() -> Iterator[None]:
    """A metric of a run and a measure of jobs, declared as those of the package are."""

    @METRICS.of_run(SECONDS, source="here", heading="worst\nof all", legend="worst: the longest wait")
    def worst(result: Result) -> float:
        """The longest wait (s)."""
        return float(result["wait"].max())

    @METRICS.of_jobs(SECONDS, source="here", told=("mean", "p95"), headings={"mean": "late"})
    def late(result: Result) -> Floats:
        """Max(0, wait − 10) (s)."""
        return np.maximum(result["wait"] - 10, 0)

    yield
    del METRICS.metrics["worst"], METRICS.measures["late"]


@pytest.mark.usefixtures("worst")
def test_it_is_wherever_metrics_are(log: Path, run: Run, tmp_path: Path) -> None:
    """Summary, table, JSON object, comparison, results of a sweep, units of pictures and glossary have it."""
    result = tt.replay(tt.read_swf(log), "easy", 4)
    wait = result["wait"]
    late = np.maximum(wait - 10, 0)
    summary = result.summary()
    assert (summary["worst"], summary["mean_late"], summary["p99_late"]) == (90, late.mean(), np.percentile(late, 99))
    assert "worst (s)" in str(summary) and "late (s)" in str(summary) and "worst (s)" in result._repr_html_()
    assert result.jobs["late"].tolist() == result["late"].tolist() == late.tolist()
    assert tt.compare({"easy": result}).loc["easy", ["worst", "median_late"]].tolist() == [90, np.median(late)]

    (told,) = json.loads(run("replay", log, "--policy", "easy", "--json").out)["policies"]
    assert (told["worst"], told["mean_late"]) == (90, late.mean()) and "p95_late" in told and "p99_late" not in told
    table = run("replay", log, "--policy", "easy").out
    assert "of all" in table and "1m 30s" in table and "worst: the longest wait" in table and "late" in table

    scenario = SCENARIO + f'[trace]\nfile = "{log}"\n'
    found = sweep(Scenario.from_text(scenario), tmp_path / "out", processes=1)
    head, row = (tmp_path / "out" / "results.csv").read_text(encoding="utf-8").splitlines()
    cells = dict(zip(head.split(","), row.split(","), strict=True))
    assert float(cells["worst"]) == 90 and float(cells["mean_late"]) == late.mean()
    assert found.table["worst"].tolist() == [90]
    assert ComparedMetric("worst", unit_of("worst", [90.0]), {}).title == "worst (min)"
    assert metric("max_late").made_of is not None

    assert known("worst") and known("p95_late") and "`worst`" in terms_of_metrics()
    term = term_of("mean_late")
    assert term is not None and (term.meaning, term.unit, term.source) == ("Max(0, wait − 10) (s).", "s", "here")


def test_it_is_gone_again() -> None:
    """The package has no such metric."""
    with pytest.raises(ValueError, match="there is no metric 'worst'"):
        metric("worst")
