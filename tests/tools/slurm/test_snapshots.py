"""Forecasts from snapshots of a recording, if there are some beside the tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.slurm.snapshots import Forecast, forecasts, table

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT.parent / "shared" / "slurm_lab" / "snapshot"
PAGE = ROOT / "docs" / "studies" / "slurm.md"


@pytest.fixture(scope="module")
def found() -> list[Forecast]:
    """All of them."""
    if not FOLDER.is_dir():
        pytest.skip("there are no recordings beside the tree")
    return forecasts(FOLDER)


def test_the_page_has_these_figures(found: list[Forecast]) -> None:
    """The table of the page is what the model says today."""
    lines = table(found, FOLDER).splitlines()[: 1 + len(found)]
    assert "\n".join(lines) in PAGE.read_text(encoding="utf-8")


def test_a_forecast_is_what_the_model_says_that_has_seen_everything(found: list[Forecast]) -> None:
    """Until the first start at which the model and Slurm differ, whatever the snapshot."""
    assert [len(each.starts) for each in found] == [36, 32, 28]
    alike = {each.name: sum(start.forecast == start.played for start in each.starts) for each in found}
    assert alike["at_130"] == 32 and alike["at_70"] == 34
    assert [each.starts[each.right].job for each in found] == ["r6", "r6", "r6"]


def test_a_folder_without_snapshots(tmp_path: Path) -> None:
    """One sentence."""
    with pytest.raises(ValueError, match="has no folders of snapshots"):
        forecasts(tmp_path)
