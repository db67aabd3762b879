"""The study of forecasts: its evidence by hand, and one world."""

from __future__ import annotations

import numpy as np
import pytest

from thinktime.analysis.studies.now.findings import findings
from thinktime.analysis.studies.now.runs import METHODS, Answer, Run
from thinktime.analysis.studies.now.study import Evidence, NowStudy
from thinktime.analysis.studies.now.tables import report


def _answer(right: bool, forecasts: int = 60, jobs: int = 3) -> Answer:
    """Forecasts of some jobs each, with even PIT values if they are right; the others see all starts too early."""
    n = forecasts * jobs
    rng = np.random.default_rng(5)
    pit = rng.permutation((np.arange(n) + 0.5) / n)
    pit = pit if right else pit**3
    covered = np.array([np.abs(pit - 0.5) < share / 2 for share in (0.5, 0.8, 0.95)], np.float64)
    crps = np.outer([1.0 if right else 9.0, 5.0, 6.0, 7.0], np.full(n, 60.0))
    return Answer(forecasts, np.repeat(np.arange(forecasts), jobs).astype(np.float64), pit, covered, crps, crps)


def test_right_forecasts_are_seen_to_be_right() -> None:
    """All that is looked for is seen of forecasts that are right, and none of others."""
    right, wrong = (Evidence({("campaign", 1): _answer(each)}, 1) for each in (True, False))
    assert [each.verdict for each in findings(right)] == ["seen"] * (4 + len(METHODS) - 1)
    assert {each.verdict for each in findings(wrong)} == {"NOT seen"}


def test_one_job_of_each_forecast_counts() -> None:
    """Jobs of one forecast depend on each other: for the binomial, there are as many as forecasts."""
    two = Evidence({("campaign", 1): _answer(True), ("linear", 1): _answer(True, 10)}, 1)
    hold, count = two.one_each(0.8)
    assert count == two.forecasts == 70
    assert 0 < hold < count
    assert len(np.unique(two.clusters())) == 70
    assert two.coverage(0.8).mean == pytest.approx(0.8, abs=0.02)
    assert two.crps("by limits").mean == 300.0
    assert two.above("by limits", "linear").mean == 240.0
    told = report(two)
    assert told.values()["families"]["all"]["jobs"] == 210
    assert len(list(told.page())) == 4


def test_a_world_is_forecast() -> None:
    """One forecast of one world: starts are later than now, and all methods are scored on the same jobs."""
    found = Run("campaign", 1, 30, 1, 5, 1).perform()
    assert found.forecasts == 1
    assert found.crps.shape == found.error.shape == (len(METHODS), len(found.pit))
    assert (found.crps >= 0).all()
    assert ((found.pit > 0) & (found.pit < 1)).all()
    assert len(found.pit) > 0


def test_worlds_in_which_nobody_waits_are_said() -> None:
    """An empty evidence is refused with a sentence."""
    found = Run("campaign", 1, 2, 1, 3, 1).perform()
    with pytest.raises(ValueError, match="no job waited"):
        NowStudy().gather({("campaign", 1): found})
    assert len(NowStudy(quick=True).tasks()) == 4
